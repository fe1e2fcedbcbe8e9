<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>BackupControls</name>
    <message numerus="yes">
        <source>{date} · %n chat(s)</source>
        <translation>
            <numerusform>{date} · %n chat</numerusform>
            <numerusform>{date} · %n chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message numerus="yes">
        <source>%n more notice(s)</source>
        <translation>
            <numerusform>%n more notice</numerusform>
            <numerusform>%n more notices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message numerus="yes">
        <source>The same text as without drafts: all %n token(s) match.</source>
        <translation>
            <numerusform>The same text as without drafts: %n token matches.</numerusform>
            <numerusform>The same text as without drafts: all %n tokens match.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Identical so far: %n token(s).</source>
        <translation>
            <numerusform>Identical so far: %n token.</numerusform>
            <numerusform>Identical so far: %n tokens.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedCalls</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) under way.</source>
        <translation>
            <numerusform>%n request under way.</numerusform>
            <numerusform>%n requests under way.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>about %n minute(s) left</source>
        <translation>
            <numerusform>about %n minute left</numerusform>
            <numerusform>about %n minutes left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n hour(s) left</source>
        <translation>
            <numerusform>about %n hour left</numerusform>
            <numerusform>about %n hours left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message numerus="yes">
        <source>%n download(s) running</source>
        <translation>
            <numerusform>%n download running</numerusform>
            <numerusform>%n downloads running</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message numerus="yes">
        <source>{main} is {faster} with {draft} on this Mac (%n answer(s)).</source>
        <translation>
            <numerusform>{main} is {faster} with {draft} on this Mac (%n answer).</numerusform>
            <numerusform>{main} is {faster} with {draft} on this Mac (%n answers).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{main} is {faster} with prompt lookup on this Mac (%n answer(s)).</source>
        <translation>
            <numerusform>{main} is {faster} with prompt lookup on this Mac (%n answer).</numerusform>
            <numerusform>{main} is {faster} with prompt lookup on this Mac (%n answers).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportExport</name>
    <message numerus="yes">
        <source>%n chat(s) exported.</source>
        <translation>
            <numerusform>%n chat exported.</numerusform>
            <numerusform>%n chats exported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %n chat(s) so far.</source>
        <translation>
            <numerusform>Importing {name}: %n chat so far.</numerusform>
            <numerusform>Importing {name}: %n chats so far.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) imported.</source>
        <translation>
            <numerusform>%n chat imported.</numerusform>
            <numerusform>%n chats imported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) were skipped because they already exist.</source>
        <translation>
            <numerusform>%n chat was skipped because it already exists.</numerusform>
            <numerusform>%n chats were skipped because they already exist.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>%n chat is in the trash and stays there.</numerusform>
            <numerusform>%n chats are in the trash and stay there.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) have no question or answer and were left out.</source>
        <translation>
            <numerusform>%n chat has no question or answer and was left out.</numerusform>
            <numerusform>%n chats have no question or answer and were left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>%n part of the file could not be read as a chat.</numerusform>
            <numerusform>%n parts of the file could not be read as chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) of the file could not be read.</source>
        <translation>
            <numerusform>%n line of the file could not be read.</numerusform>
            <numerusform>%n lines of the file could not be read.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s), tool call(s) or reasoning text(s) were left out.</source>
        <translation>
            <numerusform>%n file, tool call or reasoning text was left out.</numerusform>
            <numerusform>%n files, tool calls or reasoning texts were left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message numerus="yes">
        <source>%n message(s) deleted.</source>
        <translation>
            <numerusform>%n message deleted.</numerusform>
            <numerusform>%n messages deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>%n chat</numerusform>
            <numerusform>%n chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SampleRound</name>
    <message numerus="yes">
        <source>%n token(s) in one round instead of one, and the text is the main model&apos;s own.</source>
        <translation>
            <numerusform>%n token in one round instead of one, and the text is the main model&apos;s own.</numerusform>
            <numerusform>%n tokens in one round instead of one, and the text is the main model&apos;s own.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>Drafting %n token(s) per round.</source>
        <translation>
            <numerusform>Drafting %n token per round.</numerusform>
            <numerusform>Drafting %n tokens per round.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Drafting %n token(s) per round. Each round takes {cost}× the time of one token.</source>
        <translation>
            <numerusform>Drafting %n token per round. Each round takes {cost}× the time of one token.</numerusform>
            <numerusform>Drafting %n tokens per round. Each round takes {cost}× the time of one token.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of {drafted} draft token(s) accepted.</source>
        <translation>
            <numerusform>%n of {drafted} draft tokens accepted.</numerusform>
            <numerusform>%n of {drafted} draft tokens accepted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of {drafted} draft token(s) accepted. Each round took {cost}× the time of one token.</source>
        <translation>
            <numerusform>%n of {drafted} draft tokens accepted. Each round took {cost}× the time of one token.</numerusform>
            <numerusform>%n of {drafted} draft tokens accepted. Each round took {cost}× the time of one token.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Unsaved</name>
    <message numerus="yes">
        <source>%n chat(s) in this window are not saved.</source>
        <translation>
            <numerusform>%n chat in this window is not saved.</numerusform>
            <numerusform>%n chats in this window are not saved.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tandem kept %n chat(s) from a time when it could not open your chats.</source>
        <translation>
            <numerusform>Tandem kept %n chat from a time when it could not open your chats.</numerusform>
            <numerusform>Tandem kept %n chats from a time when it could not open your chats.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_DeleteButton</name>
    <message numerus="yes">
        <source>Delete %n backup(s)?</source>
        <translation>
            <numerusform>Delete %n backup?</numerusform>
            <numerusform>Delete %n backups?</numerusform>
        </translation>
    </message>
</context>
</TS>
