<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AdvancedPage</name>
    <message numerus="yes">
        <source>The prefix cache holds %n chat(s) in {size}.</source>
        <translation>
            <numerusform>The prefix cache holds %n chat in {size}.</numerusform>
            <numerusform>The prefix cache holds %n chats in {size}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message numerus="yes">
        <source>The text is the same, token for token: all %n of them.</source>
        <translation>
            <numerusform>The text is the same, token for token: %n token.</numerusform>
            <numerusform>The text is the same, token for token: all %n of them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The same text so far: %n token(s).</source>
        <translation>
            <numerusform>The same text so far: %n token.</numerusform>
            <numerusform>The same text so far: %n tokens.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>%n language(s)</source>
        <translation>
            <numerusform>%n language</numerusform>
            <numerusform>%n languages</numerusform>
        </translation>
    </message>
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
    <name>DownloadTray</name>
    <message numerus="yes">
        <source>%n download(s) running</source>
        <translation>
            <numerusform>%n download running</numerusform>
            <numerusform>%n downloads running</numerusform>
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
        <source>On this computer, {draft} makes {main} {times} as fast (%n answer(s)).</source>
        <translation>
            <numerusform>On this computer, {draft} makes {main} {times} as fast (%n answer).</numerusform>
            <numerusform>On this computer, {draft} makes {main} {times} as fast (%n answers).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On this computer, lookup makes {main} {times} as fast (%n answer(s)).</source>
        <translation>
            <numerusform>On this computer, lookup makes {main} {times} as fast (%n answer).</numerusform>
            <numerusform>On this computer, lookup makes {main} {times} as fast (%n answers).</numerusform>
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
    <name>RestoreButton</name>
    <message numerus="yes">
        <source>{date} · %n chat(s)</source>
        <translation>
            <numerusform>{date} · %n chat</numerusform>
            <numerusform>{date} · %n chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>Guessing %n token(s) at a time: each round brings {tokens} tokens.</source>
        <translation>
            <numerusform>Guessing %n token at a time: each round brings {tokens} tokens.</numerusform>
            <numerusform>Guessing %n tokens at a time: each round brings {tokens} tokens.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Guessing %n token(s) at a time: each round costs {cost} plain steps and brings {tokens} tokens.</source>
        <translation>
            <numerusform>Guessing %n token at a time: each round costs {cost} plain steps and brings {tokens} tokens.</numerusform>
            <numerusform>Guessing %n tokens at a time: each round costs {cost} plain steps and brings {tokens} tokens.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n guess(es) accepted of {drafted}.</source>
        <translation>
            <numerusform>%n guess accepted of {drafted}.</numerusform>
            <numerusform>%n guesses accepted of {drafted}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n guess(es) accepted of {drafted}. A round cost {cost} plain steps and brought {tokens} tokens.</source>
        <translation>
            <numerusform>%n guess accepted of {drafted}. A round cost {cost} plain steps and brought {tokens} tokens.</numerusform>
            <numerusform>%n guesses accepted of {drafted}. A round cost {cost} plain steps and brought {tokens} tokens.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Transfer</name>
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
        <source>%n chat(s) were here already.</source>
        <translation>
            <numerusform>%n chat was here already.</numerusform>
            <numerusform>%n chats were here already.</numerusform>
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
        <source>%n file(s), tool call(s) or thought(s) were left out.</source>
        <translation>
            <numerusform>%n file, tool call or thought was left out.</numerusform>
            <numerusform>%n files, tool calls or thoughts were left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TuningView</name>
    <message numerus="yes">
        <source>Best here: %n guess(es) a round, {times} as fast as plain decoding.</source>
        <translation>
            <numerusform>Best here: %n guess a round, {times} as fast as plain decoding.</numerusform>
            <numerusform>Best here: %n guesses a round, {times} as fast as plain decoding.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Best here: %n guess(es) a round, {times} as fast as plain decoding if as many are right as with most pairs. Your answers will show how many are.</source>
        <translation>
            <numerusform>Best here: %n guess a round, {times} as fast as plain decoding if as many are right as with most pairs. Your answers will show how many are.</numerusform>
            <numerusform>Best here: %n guesses a round, {times} as fast as plain decoding if as many are right as with most pairs. Your answers will show how many are.</numerusform>
        </translation>
    </message>
</context>
</TS>
