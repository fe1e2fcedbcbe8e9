<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AttachmentRow</name>
    <message numerus="yes">
        <source>%Ln page(s) recognized from pictures</source>
        <translation>
            <numerusform>%Ln page recognized from pictures</numerusform>
            <numerusform>%Ln pages recognized from pictures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) uncertain</source>
        <translation>
            <numerusform>%Ln page uncertain</numerusform>
            <numerusform>%Ln pages uncertain</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s), which this model can&apos;t see</source>
        <translation>
            <numerusform>%Ln picture, which this model can&apos;t see</numerusform>
            <numerusform>%Ln pictures, which this model can&apos;t see</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s)</source>
        <translation>
            <numerusform>%Ln picture</numerusform>
            <numerusform>%Ln pictures</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) as pictures, which this model can&apos;t see</source>
        <translation>
            <numerusform>%Ln page as a picture, which this model can&apos;t see</numerusform>
            <numerusform>%Ln pages as pictures, which this model can&apos;t see</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more page(s) with pictures as text only</source>
        <translation>
            <numerusform>%Ln more page with pictures as text only</numerusform>
            <numerusform>%Ln more pages with pictures as text only</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln attached file(s)</source>
        <translation>
            <numerusform>%Ln attached file</numerusform>
            <numerusform>%Ln attached files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln damaged part(s)</source>
        <translation>
            <numerusform>%Ln damaged part</numerusform>
            <numerusform>%Ln damaged parts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted passage(s)</source>
        <translation>
            <numerusform>%Ln deleted passage</numerusform>
            <numerusform>%Ln deleted passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden column(s)</source>
        <translation>
            <numerusform>%Ln hidden column</numerusform>
            <numerusform>%Ln hidden columns</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden row(s)</source>
        <translation>
            <numerusform>%Ln hidden row</numerusform>
            <numerusform>%Ln hidden rows</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden sheet(s)</source>
        <translation>
            <numerusform>%Ln hidden sheet</numerusform>
            <numerusform>%Ln hidden sheets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden slide(s)</source>
        <translation>
            <numerusform>%Ln hidden slide</numerusform>
            <numerusform>%Ln hidden slides</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden passage(s)</source>
        <translation>
            <numerusform>%Ln hidden passage</numerusform>
            <numerusform>%Ln hidden passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln invisible character(s)</source>
        <translation>
            <numerusform>%Ln invisible character</numerusform>
            <numerusform>%Ln invisible characters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned page(s)</source>
        <translation>
            <numerusform>%Ln scanned page</numerusform>
            <numerusform>%Ln scanned pages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable byte(s)</source>
        <translation>
            <numerusform>%Ln unreadable byte</numerusform>
            <numerusform>%Ln unreadable bytes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable passage(s)</source>
        <translation>
            <numerusform>%Ln unreadable passage</numerusform>
            <numerusform>%Ln unreadable passages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BackupControls</name>
    <message numerus="yes">
        <source>{date} · %Ln chat(s)</source>
        <translation>
            <numerusform>{date} · %Ln chat</numerusform>
            <numerusform>{date} · %Ln chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message numerus="yes">
        <source>%Ln more notice(s)</source>
        <translation>
            <numerusform>%Ln more notice</numerusform>
            <numerusform>%Ln more notices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message numerus="yes">
        <source>The same text as without drafts: all %Ln token(s) match.</source>
        <translation>
            <numerusform>The same text as without drafts: %Ln token matches.</numerusform>
            <numerusform>The same text as without drafts: all %Ln tokens match.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedCalls</name>
    <message numerus="yes">
        <source>%Ln token(s)</source>
        <translation>
            <numerusform>%Ln token</numerusform>
            <numerusform>%Ln tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln request(s) under way.</source>
        <translation>
            <numerusform>%Ln request under way.</numerusform>
            <numerusform>%Ln requests under way.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedTools</name>
    <message numerus="yes">
        <source>%Ln tool(s) ready.</source>
        <translation>
            <numerusform>%Ln tool ready.</numerusform>
            <numerusform>%Ln tools ready.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more</source>
        <comment>at the end of a list of tools</comment>
        <translation>
            <numerusform>%Ln more</numerusform>
            <numerusform>%Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>about %Ln minute(s) left</source>
        <translation>
            <numerusform>about %Ln minute left</numerusform>
            <numerusform>about %Ln minutes left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln hour(s) left</source>
        <translation>
            <numerusform>about %Ln hour left</numerusform>
            <numerusform>about %Ln hours left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message numerus="yes">
        <source>%Ln download(s) running</source>
        <translation>
            <numerusform>%Ln download running</numerusform>
            <numerusform>%Ln downloads running</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportExport</name>
    <message numerus="yes">
        <source>%Ln chat(s) exported.</source>
        <translation>
            <numerusform>%Ln chat exported.</numerusform>
            <numerusform>%Ln chats exported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %Ln chat(s) so far.</source>
        <translation>
            <numerusform>Importing {name}: %Ln chat so far.</numerusform>
            <numerusform>Importing {name}: %Ln chats so far.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) imported.</source>
        <translation>
            <numerusform>%Ln chat imported.</numerusform>
            <numerusform>%Ln chats imported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) were skipped because they already exist.</source>
        <translation>
            <numerusform>%Ln chat was skipped because it already exists.</numerusform>
            <numerusform>%Ln chats were skipped because they already exist.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>%Ln chat is in the trash and stays there.</numerusform>
            <numerusform>%Ln chats are in the trash and stay there.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) have no question or answer and were left out.</source>
        <translation>
            <numerusform>%Ln chat has no question or answer and was left out.</numerusform>
            <numerusform>%Ln chats have no question or answer and were left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>%Ln part of the file could not be read as a chat.</numerusform>
            <numerusform>%Ln parts of the file could not be read as chats.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s) of the file could not be read.</source>
        <translation>
            <numerusform>%Ln line of the file could not be read.</numerusform>
            <numerusform>%Ln lines of the file could not be read.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) of neither you nor a model were left out.</source>
        <translation>
            <numerusform>%Ln message of neither you nor a model was left out.</numerusform>
            <numerusform>%Ln messages of neither you nor a model were left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), tool call(s) or reasoning text(s) were left out.</source>
        <translation>
            <numerusform>%Ln file, tool call or reasoning text was left out.</numerusform>
            <numerusform>%Ln files, tool calls or reasoning texts were left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) of one agent with another were left out.</source>
        <translation>
            <numerusform>%Ln chat of one agent with another was left out.</numerusform>
            <numerusform>%Ln chats of one agent with another were left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) between agents were left out.</source>
        <translation>
            <numerusform>%Ln message between agents was left out.</numerusform>
            <numerusform>%Ln messages between agents were left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message numerus="yes">
        <source>%Ln message(s) deleted.</source>
        <translation>
            <numerusform>%Ln message deleted.</numerusform>
            <numerusform>%Ln messages deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>%Ln chat</numerusform>
            <numerusform>%Ln chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SampleRound</name>
    <message numerus="yes">
        <source>%Ln token(s) in one round instead of one, and the text is the main model&apos;s own.</source>
        <translation>
            <numerusform>%Ln token in one round instead of one, and the text is the main model&apos;s own.</numerusform>
            <numerusform>%Ln tokens in one round instead of one, and the text is the main model&apos;s own.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>The limit of %Ln token(s) ended its thoughts.</source>
        <translation>
            <numerusform>The limit of %Ln token ended its thoughts.</numerusform>
            <numerusform>The limit of %Ln tokens ended its thoughts.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Drafting %Ln token(s) per round.</source>
        <translation>
            <numerusform>Drafting %Ln token per round.</numerusform>
            <numerusform>Drafting %Ln tokens per round.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) copied from earlier</source>
        <translation>
            <numerusform>%Ln token copied from earlier</numerusform>
            <numerusform>%Ln tokens copied from earlier</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) came from drafts</source>
        <translation>
            <numerusform>%Ln token came from drafts</numerusform>
            <numerusform>%Ln tokens came from drafts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UnsavedChats</name>
    <message numerus="yes">
        <source>%Ln chat(s) in this window are not saved.</source>
        <translation>
            <numerusform>%Ln chat in this window is not saved.</numerusform>
            <numerusform>%Ln chats in this window are not saved.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tandem kept %Ln chat(s) from a time when it could not open your chats.</source>
        <translation>
            <numerusform>Tandem kept %Ln chat from a time when it could not open your chats.</numerusform>
            <numerusform>Tandem kept %Ln chats from a time when it could not open your chats.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_DeleteButton</name>
    <message numerus="yes">
        <source>Delete %Ln backup(s)?</source>
        <translation>
            <numerusform>Delete %Ln backup?</numerusform>
            <numerusform>Delete %Ln backups?</numerusform>
        </translation>
    </message>
</context>
</TS>
