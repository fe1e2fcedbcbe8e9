<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>編集</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>View</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新しいチャット</translation>
    </message>
    <message>
        <source>Start a new chat</source>
        <translation>新しいチャットを始める</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>メッセージを送信</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>回答を停止</translation>
    </message>
    <message>
        <source>Answer the last question again</source>
        <translation>最後の質問にもう一度答える</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Continue the last answer</source>
        <translation>最後の回答の続きを書く</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>最後のメッセージを編集</translation>
    </message>
    <message>
        <source>Edit your last message</source>
        <translation>最後に送ったメッセージを編集</translation>
    </message>
    <message>
        <source>Rename chat</source>
        <translation>チャット名を変更</translation>
    </message>
    <message>
        <source>Change the title of this chat</source>
        <translation>このチャットのタイトルを変更</translation>
    </message>
    <message>
        <source>Pin or unpin chat</source>
        <translation>チャットのピン留めを切り替え</translation>
    </message>
    <message>
        <source>Pin this chat to the top, or unpin it</source>
        <translation>このチャットを一番上にピン留め、または解除</translation>
    </message>
    <message>
        <source>Duplicate chat</source>
        <translation>チャットを複製</translation>
    </message>
    <message>
        <source>Make a copy of this chat</source>
        <translation>このチャットのコピーを作成</translation>
    </message>
    <message>
        <source>Archive chat</source>
        <translation>チャットをアーカイブ</translation>
    </message>
    <message>
        <source>Move this chat to the archive</source>
        <translation>このチャットをアーカイブに移動</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>チャットを削除</translation>
    </message>
    <message>
        <source>Delete this chat</source>
        <translation>このチャットを削除</translation>
    </message>
    <message>
        <source>Save again</source>
        <translation>もう一度保存</translation>
    </message>
    <message>
        <source>Try again to save what could not be saved</source>
        <translation>保存できなかった内容をもう一度保存</translation>
    </message>
    <message>
        <source>Show the chats folder</source>
        <translation>チャットのフォルダを表示</translation>
    </message>
    <message>
        <source>Open the folder that holds the chats</source>
        <translation>チャットが保存されているフォルダを開く</translation>
    </message>
    <message>
        <source>Export chat…</source>
        <translation>チャットを書き出す…</translation>
    </message>
    <message>
        <source>Save this chat as Markdown, HTML or JSON</source>
        <translation>このチャットを Markdown、HTML、JSON で保存</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>すべてのチャットを書き出す…</translation>
    </message>
    <message>
        <source>Save all chats into one file or folder</source>
        <translation>すべてのチャットを一つのファイルまたはフォルダに保存</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>チャットを読み込む…</translation>
    </message>
    <message>
        <source>Import chats of Tandem or of another app</source>
        <translation>Tandem やほかのアプリのチャットを読み込む</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>設定…</translation>
    </message>
    <message>
        <source>Open the settings</source>
        <translation>設定を開く</translation>
    </message>
    <message>
        <source>Bring back the deleted chat</source>
        <translation>削除したチャットを元に戻す</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>ウインドウを閉じる</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>ファイルを添付…</translation>
    </message>
    <message>
        <source>Attach text, code or PDF files</source>
        <translation>テキスト、コード、PDF のファイルを添付</translation>
    </message>
    <message>
        <source>System prompt and settings…</source>
        <translation>システムプロンプトと設定…</translation>
    </message>
    <message>
        <source>Change the system prompt and the settings of this chat</source>
        <translation>このチャットのシステムプロンプトと設定を変更</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Move to folder…</source>
        <translation>フォルダに移動…</translation>
    </message>
    <message>
        <source>Move this chat to a folder</source>
        <translation>このチャットをフォルダに移動</translation>
    </message>
    <message>
        <source>Stop the import or export</source>
        <translation>読み込み・書き出しを中止</translation>
    </message>
    <message>
        <source>Stop the import or export that is under way</source>
        <translation>進行中の読み込み・書き出しを中止</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>Tandem について</translation>
    </message>
    <message>
        <source>Show the version and the licences</source>
        <translation>バージョンとライセンスを表示</translation>
    </message>
    <message>
        <source>Show the report</source>
        <translation>レポートを表示</translation>
    </message>
    <message>
        <source>Show the report of what went wrong</source>
        <translation>問題のレポートを表示</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>ウインドウを閉じる</translation>
    </message>
    <message>
        <source>Quit Tandem</source>
        <translation>Tandem を終了</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>取り消す</translation>
    </message>
    <message>
        <source>Undo what was written</source>
        <translation>入力を取り消す</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>やり直す</translation>
    </message>
    <message>
        <source>Redo what was undone</source>
        <translation>取り消した入力をやり直す</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>カット</translation>
    </message>
    <message>
        <source>Cut the selection</source>
        <translation>選択範囲をカット</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>選択範囲をコピー</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>ペースト</translation>
    </message>
    <message>
        <source>Paste text or files</source>
        <translation>テキストやファイルをペースト</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>すべてを選択</translation>
    </message>
    <message>
        <source>Select all of the text</source>
        <translation>テキストをすべて選択</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>削除を取り消す</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>最後の回答をコピー</translation>
    </message>
    <message>
        <source>Copy the last answer as Markdown</source>
        <translation>最後の回答を Markdown でコピー</translation>
    </message>
    <message>
        <source>Read last answer aloud</source>
        <translation>最後の回答を読み上げる</translation>
    </message>
    <message>
        <source>Read the last answer aloud with the system&apos;s voice</source>
        <translation>最後の回答をシステムの音声で読み上げる</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>読み上げを停止</translation>
    </message>
    <message>
        <source>Stop reading aloud</source>
        <translation>読み上げを停止</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>メッセージを書く</translation>
    </message>
    <message>
        <source>Go to the message box</source>
        <translation>メッセージ欄へ移動</translation>
    </message>
    <message>
        <source>Find in chat</source>
        <translation>チャット内を検索</translation>
    </message>
    <message>
        <source>Find words in this chat</source>
        <translation>このチャットで言葉を探す</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>次を検索</translation>
    </message>
    <message>
        <source>Go to the next match in this chat</source>
        <translation>このチャットの次の結果に移動</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>前を検索</translation>
    </message>
    <message>
        <source>Go to the previous match in this chat</source>
        <translation>このチャットの前の結果に移動</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>チャットを検索</translation>
    </message>
    <message>
        <source>Go to the chat search</source>
        <translation>チャットの検索へ移動</translation>
    </message>
    <message>
        <source>Choose main model…</source>
        <translation>メインモデルを選択…</translation>
    </message>
    <message>
        <source>Choose a main model</source>
        <translation>メインモデルを選択</translation>
    </message>
    <message>
        <source>Choose draft model…</source>
        <translation>ドラフトモデルを選択…</translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation>ドラフトモデルを選択</translation>
    </message>
    <message>
        <source>Models and downloads…</source>
        <translation>モデルとダウンロード…</translation>
    </message>
    <message>
        <source>Show models and downloads</source>
        <translation>モデルとダウンロードを表示</translation>
    </message>
    <message>
        <source>Unload models</source>
        <translation>モデルをメモリから解放</translation>
    </message>
    <message>
        <source>Free the memory of both models</source>
        <translation>両モデルのメモリを解放</translation>
    </message>
    <message>
        <source>Use the starter pair</source>
        <translation>スターターペアを使う</translation>
    </message>
    <message>
        <source>Load the two small models that come with Tandem</source>
        <translation>Tandem に付属する小さな二つのモデルを読み込む</translation>
    </message>
    <message>
        <source>Open main model…</source>
        <translation>メインモデルを開く…</translation>
    </message>
    <message>
        <source>Choose a folder with a main model</source>
        <translation>メインモデルのフォルダを選ぶ</translation>
    </message>
    <message>
        <source>Open draft model…</source>
        <translation>ドラフトモデルを開く…</translation>
    </message>
    <message>
        <source>Choose a folder with a draft model</source>
        <translation>ドラフトモデルのフォルダを選ぶ</translation>
    </message>
    <message>
        <source>No draft model</source>
        <translation>ドラフトモデルなし</translation>
    </message>
    <message>
        <source>Answer without a draft model</source>
        <translation>ドラフトモデルなしで回答</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>Speculate whenever it pays</source>
        <translation>効果があるときだけ推測</translation>
    </message>
    <message>
        <source>On</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>Always speculate with the draft model</source>
        <translation>常にドラフトモデルで推測</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Do not speculate</source>
        <translation>推測しない</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Answer the last question with and without speculation, side by side</source>
        <translation>最後の質問への推測ありとなしの回答を並べて表示</translation>
    </message>
    <message>
        <source>Tune on this machine</source>
        <translation>このマシンで調整</translation>
    </message>
    <message>
        <source>Measure what guessing costs and brings with these models</source>
        <translation>このモデルでの推測のコストと効果を測定</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>チャット一覧</translation>
    </message>
    <message>
        <source>Show or hide the chats</source>
        <translation>チャット一覧の表示を切り替え</translation>
    </message>
    <message>
        <source>Live panel</source>
        <translation>ライブパネル</translation>
    </message>
    <message>
        <source>Show or hide the live panel</source>
        <translation>ライブパネルの表示を切り替え</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Show answers as text</source>
        <translation>回答をテキストで表示</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Show which tokens were guessed</source>
        <translation>推測されたトークンを表示</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>フルスクリーン</translation>
    </message>
    <message>
        <source>Enter or leave full screen</source>
        <translation>フルスクリーンを開始、または終了</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>しまう</translation>
    </message>
    <message>
        <source>Minimize the window</source>
        <translation>ウインドウをしまう</translation>
    </message>
    <message>
        <source>Commands…</source>
        <translation>コマンド…</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>コマンドを探す</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>キーボードショートカット</translation>
    </message>
    <message>
        <source>Show the keyboard shortcuts</source>
        <translation>キーボードショートカットを表示</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>システムに合わせる</translation>
    </message>
    <message>
        <source>Follow the system&apos;s light or dark appearance</source>
        <translation>システムのライトモード／ダークモードに合わせる</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Light appearance</source>
        <translation>ライトモード</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>Dark appearance</source>
        <translation>ダークモード</translation>
    </message>
    <message>
        <source>Use the system&apos;s language</source>
        <translation>システムの言語を使う</translation>
    </message>
    <message>
        <source>Choose a main model&apos;s folder</source>
        <translation>メインモデルのフォルダを選択</translation>
    </message>
    <message>
        <source>Choose a draft model&apos;s folder</source>
        <translation>ドラフトモデルのフォルダを選択</translation>
    </message>
</context>
<context>
    <name>AdvancedPage</name>
    <message>
        <source>Nothing is loaded.</source>
        <translation>モデルは読み込まれていません。</translation>
    </message>
    <message numerus="yes">
        <source>The prefix cache holds %n chat(s) in {size}.</source>
        <translation>
            <numerusform>プレフィックスキャッシュに %n 件のチャットが入っています（{size}）。</numerusform>
        </translation>
    </message>
    <message>
        <source>{used} of the {limit} this Mac can use for models.</source>
        <translation>この Mac でモデルに使える {limit} のうち {used} を使用中です。</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>使用中のメモリ</translation>
    </message>
    <message>
        <source>Clear the prefix cache</source>
        <translation>プレフィックスキャッシュを消去</translation>
    </message>
    <message>
        <source>Nothing has been recorded.</source>
        <translation>記録はありません。</translation>
    </message>
    <message>
        <source>Export diagnostics</source>
        <translation>診断情報の書き出し</translation>
    </message>
    <message>
        <source>Saved to {file}. It holds no chat text.</source>
        <translation>{file} に保存しました。チャットの本文は含まれていません。</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>ファイルを保存できませんでした。別のフォルダを選んでください。</translation>
    </message>
    <message>
        <source>Record of this run</source>
        <translation>今回の実行の記録</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy the record</source>
        <translation>記録をコピー</translation>
    </message>
    <message>
        <source>Export diagnostics…</source>
        <translation>診断情報を書き出す…</translation>
    </message>
    <message>
        <source>Versions, settings, figures and the record, in a file for you to read and send</source>
        <translation>バージョン、設定、数値、記録を、内容を確かめて送れる一つのファイルにまとめる</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>Tandem について</translation>
    </message>
    <message>
        <source>{name}, under the Apache License 2.0.</source>
        <translation>{name} は Apache License 2.0 で公開されています。</translation>
    </message>
    <message>
        <source>The window is made with Qt, which is used unchanged under the GNU Lesser General Public License, version 3. You may replace Qt with a version of your own; its source is free at the Qt Project.</source>
        <translation>ウインドウは Qt で作られています。Qt は GNU 劣等一般公衆ライセンス（LGPL）バージョン 3 に基づき、変更せずに使っています。自分でビルドした Qt に置き換えることができ、ソースは Qt Project から自由に入手できます。</translation>
    </message>
    <message>
        <source>Built on: {parts}.</source>
        <translation>使用しているソフトウェア：{parts}。</translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答を止めました。</translation>
    </message>
    <message>
        <source>The answer was cut at its length limit.</source>
        <translation>回答は長さの上限で切れました。</translation>
    </message>
    <message>
        <source>The answer is finished.</source>
        <translation>回答が終わりました。</translation>
    </message>
    <message>
        <source>{chat}: {sentence}</source>
        <translation>{chat}：{sentence}</translation>
    </message>
    <message>
        <source>Another chat</source>
        <translation>別のチャット</translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>Attach files</source>
        <translation>ファイルを添付</translation>
    </message>
    <message>
        <source>{name} is not a text file. Tandem attaches text, code and PDF files.</source>
        <translation>{name} はテキストファイルではありません。添付できるのはテキスト、コード、PDF のファイルです。</translation>
    </message>
    <message>
        <source>{name} is in an encoding that Tandem does not know. Save it as UTF-8.</source>
        <translation>{name} の文字コードがわかりません。UTF-8 で保存し直し、もう一度添付してください。</translation>
    </message>
    <message>
        <source>{name} is too large: its text would fill any context.</source>
        <translation>{name} は大きすぎます。本文がどのコンテキストにも収まりません。</translation>
    </message>
    <message>
        <source>{name} cannot be read.</source>
        <translation>{name} を読み取れません。</translation>
    </message>
    <message>
        <source>{name} is protected by a password. Save it without one and attach it again.</source>
        <translation>{name} はパスワードで保護されています。パスワードなしで保存し直し、もう一度添付してください。</translation>
    </message>
    <message>
        <source>{name} is damaged: its text cannot be read.</source>
        <translation>{name} は壊れていて、本文を読み取れません。</translation>
    </message>
    <message>
        <source>{name} has no text, only pictures, like a scan. Run text recognition on it first.</source>
        <translation>{name} にはスキャンのように画像だけがあり、文字がありません。先に文字認識を行ってください。</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message>
        <source>{count} tokens</source>
        <translation>{count} トークン</translation>
    </message>
    <message>
        <source>read as {encoding}</source>
        <translation>{encoding} として読み込み</translation>
    </message>
    <message>
        <source>If its letters are wrong, save the file as UTF-8 and attach it again.</source>
        <translation>文字化けしている場合は、ファイルを UTF-8 で保存し直し、もう一度添付してください。</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>{name} を外す</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>読み込み中…</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Dismiss</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Opens {address} in your browser.</source>
        <translation>ブラウザで {address} を開きます。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Model page…</source>
        <translation>モデルのページ…</translation>
    </message>
</context>
<context>
    <name>ChatControls</name>
    <message>
        <source>How to guess</source>
        <translation>推測のしかた</translation>
    </message>
    <message>
        <source>Method, depth and acceptance, from the next answer on</source>
        <translation>方法、深さ、採択の基準（次の回答から有効）</translation>
    </message>
</context>
<context>
    <name>ChatPane</name>
    <message>
        <source>Pinned</source>
        <translation>ピン留め</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>フォルダ</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今日</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨日</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>過去 7 日間</translation>
    </message>
    <message>
        <source>Last 28 days</source>
        <translation>過去 28 日間</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>それ以前</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>メッセージ</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>無題のチャット</translation>
    </message>
    <message>
        <source>{name}, closed folder</source>
        <translation>{name}、閉じたフォルダ</translation>
    </message>
    <message>
        <source>{name}, folder</source>
        <translation>{name}、フォルダ</translation>
    </message>
    <message>
        <source>{title}, an answer is being written</source>
        <translation>{title}、回答を書いています</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>完全に削除</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>名前を変更</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>ピン留めを外す</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>一番上にピン留め</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>フォルダに移動</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>複製</translation>
    </message>
    <message>
        <source>Move to the archive</source>
        <translation>アーカイブに移動</translation>
    </message>
    <message>
        <source>Take out of the archive</source>
        <translation>アーカイブから出す</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>書き出す…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Show only this folder</source>
        <translation>このフォルダだけを表示</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上へ移動</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下へ移動</translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation>フォルダを削除し、チャットは残す</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>フォルダなし</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>新規フォルダ…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>アーカイブ</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>ゴミ箱</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新しいチャット</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>チャットを検索</translation>
    </message>
    <message>
        <source>Folders, archive and trash</source>
        <translation>フォルダ、アーカイブ、ゴミ箱</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>チャット一覧に戻る</translation>
    </message>
    <message>
        <source>No chats in this folder.</source>
        <translation>このフォルダにチャットはありません。</translation>
    </message>
    <message>
        <source>Your chats appear here.</source>
        <translation>チャットはここに表示されます。</translation>
    </message>
    <message>
        <source>Nothing is archived.</source>
        <translation>アーカイブしたチャットはありません。</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>ゴミ箱は空です。</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>チャット一覧</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新規フォルダ</translation>
    </message>
</context>
<context>
    <name>ChatSettingsSheet</name>
    <message>
        <source>Saved as “{name}”.</source>
        <translation>「{name}」として保存しました。</translation>
    </message>
    <message>
        <source>New chats begin with this.</source>
        <translation>新しいチャットはこの設定で始まります。</translation>
    </message>
    <message>
        <source>System prompt and settings of this chat</source>
        <translation>このチャットのシステムプロンプトと設定</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Name of the preset</source>
        <translation>プリセットの名前</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>プリセットとして保存</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Delete the preset</source>
        <translation>プリセットを削除</translation>
    </message>
    <message>
        <source>Use for new chats</source>
        <translation>新しいチャットに使う</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>すべてリセット</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>code</source>
        <translation>コード</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>このコードをコピー</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>コード</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>コピーしました</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>What would you like to do?</source>
        <translation>何をしますか？</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>コマンド</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>コマンド一覧</translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message>
        <source>tokens/s</source>
        <translation>トークン/秒</translation>
    </message>
    <message>
        <source>first token {value}</source>
        <translation>最初のトークンまで {value}</translation>
    </message>
    <message>
        <source>accepted {value}</source>
        <translation>採択 {value}</translation>
    </message>
    <message>
        <source>{value} per round</source>
        <translation>ラウンドあたり {value}</translation>
    </message>
    <message>
        <source>Reading the question, so that both answers begin alike.</source>
        <translation>どちらの回答も同じ条件で始まるように、先に質問を読んでいます。</translation>
    </message>
    <message>
        <source>Answering with speculation.</source>
        <translation>推測ありで回答しています。</translation>
    </message>
    <message>
        <source>Answering once more, without speculation.</source>
        <translation>もう一度、推測なしで回答しています。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>停止しました。</translation>
    </message>
    <message>
        <source>The answer is too short to measure speed.</source>
        <translation>回答が短すぎて速度を測定できません。</translation>
    </message>
    <message>
        <source>{times} the plain speed with speculation.</source>
        <translation>推測ありの速さは通常の {times}です。</translation>
    </message>
    <message>
        <source>{times} the plain speed with speculation: it did not help here.</source>
        <translation>推測ありの速さは通常の {times}です。この質問では効果がありませんでした。</translation>
    </message>
    <message>
        <source>The load on the computer changed between the two runs.</source>
        <translation>2 回の実行の間でコンピュータの負荷が変わりました。</translation>
    </message>
    <message numerus="yes">
        <source>The text is the same, token for token: all %n of them.</source>
        <translation>
            <numerusform>文章は一トークンも違わず同じです（全部で %n トークン）。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The same text so far: %n token(s).</source>
        <translation>
            <numerusform>ここまで %n トークンは同じ文章です。</numerusform>
        </translation>
    </message>
    <message>
        <source>The same text up to token {place}. There the main model holds {guessed} and {plain} for equally likely, and rounding decides.</source>
        <translation>{place} 番目のトークンの前までは同じ文章です。そこではメインモデルにとって{guessed}と{plain}の確率が等しく、丸め誤差で選択が分かれました。</translation>
    </message>
    <message>
        <source>The same text up to token {place}: {guessed} or {plain}. Above temperature 0 this happens where a draw is so close that rounding decides it.</source>
        <translation>{place} 番目のトークンの前までは同じ文章で、そこで{guessed}と{plain}に分かれます。温度が 0 より高いと、抽選が僅差のときに丸め誤差でこうなることがあります。</translation>
    </message>
    <message>
        <source>Two texts, both drawn just as the main model alone would: the settings ask for the same distribution, not for the same text.</source>
        <translation>二つの文章は異なりますが、どちらもメインモデルだけの場合と同じ確率で選ばれたものです。設定で「同じ文章」ではなく「同じ分布」が選ばれています。</translation>
    </message>
    <message>
        <source>The texts differ from token {place} on: {guessed} or {plain}. That should not happen. Please report it, with the diagnostics from the settings.</source>
        <translation>{place} 番目のトークンから文章が違います（{guessed}と{plain}）。起きてはならないことです。設定から書き出した診断情報を添えて報告してください。</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>推測あり</translation>
    </message>
    <message>
        <source>Without speculation</source>
        <translation>推測なし</translation>
    </message>
    <message>
        <source>Compare again</source>
        <translation>もう一度比較</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>{keys} sends · Enter for a new line</source>
        <translation>{keys} で送信 · Enter で改行</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>メッセージ</translation>
    </message>
    <message>
        <source>Shorten</source>
        <translation>短くする</translation>
    </message>
    <message>
        <source>Make the message fit into the model’s context</source>
        <translation>メッセージをモデルのコンテキストに収めます</translation>
    </message>
    <message>
        <source>Queued: press to take it back</source>
        <translation>送信待ち：押すと取り消し</translation>
    </message>
    <message>
        <source>Enter sends · Shift+Enter for a new line</source>
        <translation>Enter で送信 · Shift+Enter で改行</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Queued: sent as soon as the model is ready.</source>
        <translation>送信待ち：モデルの準備ができ次第送信します。</translation>
    </message>
    <message>
        <source>The models are loading. You can write already.</source>
        <translation>モデルを読み込んでいます。先に入力を始められます。</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>メインモデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model</source>
        <translation>{used} / {limit} トークン：このモデルには長すぎます</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: the oldest messages are left out</source>
        <translation>{used} / {limit} トークン：最も古いメッセージを省きます</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>{used} / {limit} トークン</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>最も古いメッセージを省く</translation>
    </message>
    <message>
        <source>Keep the first {count} tokens of {name}</source>
        <translation>「{name}」の最初の {count} トークンだけ残す</translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>%n language(s)</source>
        <translation>
            <numerusform>%n 言語</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n minute(s) left</source>
        <translation>
            <numerusform>残り約 %n 分</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n hour(s) left</source>
        <translation>
            <numerusform>残り約 %n 時間</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DownloadCard</name>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>I have access now</source>
        <translation>アクセス権を得ました</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>一覧から消去</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
</context>
<context>
    <name>DownloadTray</name>
    <message numerus="yes">
        <source>%n download(s) running</source>
        <translation>
            <numerusform>%n 件をダウンロード中</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DraftReasons</name>
    <message>
        <source>Its folder is missing.</source>
        <translation>フォルダがありません。</translation>
    </message>
    <message>
        <source>Its folder holds no model.</source>
        <translation>フォルダにモデルがありません。</translation>
    </message>
    <message>
        <source>One of its files is missing.</source>
        <translation>ファイルが足りません。</translation>
    </message>
    <message>
        <source>One of its files is damaged.</source>
        <translation>ファイルが壊れています。</translation>
    </message>
    <message>
        <source>Its weights do not fit its configuration.</source>
        <translation>重みが構成と合いません。</translation>
    </message>
    <message>
        <source>Its architecture is not supported yet.</source>
        <translation>まだ対応していないアーキテクチャです。</translation>
    </message>
    <message>
        <source>Its tokenizer cannot be read.</source>
        <translation>トークナイザーを読めません。</translation>
    </message>
    <message>
        <source>It wants to run code.</source>
        <translation>コードを実行しようとしています。</translation>
    </message>
    <message>
        <source>Their vocabularies differ.</source>
        <translation>語彙が異なります。</translation>
    </message>
    <message>
        <source>Its weights do not give usable numbers.</source>
        <translation>重みから使える数値が得られません。</translation>
    </message>
    <message>
        <source>There is not enough memory for it.</source>
        <translation>メモリが足りません。</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Something went wrong in the engine. Try again.</source>
        <translation>エンジンで問題が起きました。もう一度お試しください。</translation>
    </message>
    <message>
        <source>“{actual}” is not possible for {name}. Change it and try again.</source>
        <translation>{name} に「{actual}」は使えません。変更してもう一度お試しください。</translation>
    </message>
    <message>
        <source>No main model is loaded. Choose one at the top of the window.</source>
        <translation>メインモデルが読み込まれていません。ウインドウの上部で選んでください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template does not take this chat: {detail}. Start a new chat or choose another model.</source>
        <translation>このチャットはモデルのチャットテンプレートに合いません（{detail}）。新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>{limit} questions are waiting already. Try again when one of them has been answered.</source>
        <translation>すでに {limit} 件の質問が待っています。どれかの回答が終わってから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and {available} GB are free. It fits with {largest} tokens: shorten the context or choose a smaller draft model.</source>
        <translation>{name} はコンテキスト {context} トークンで {needed} GB のメモリが必要ですが、空きは {available} GB です。{largest} トークンなら収まります。コンテキストを短くするか、より小さいドラフトモデルを選んでください。</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and {available} GB are free. Choose a smaller model or close other apps.</source>
        <translation>{name} はコンテキスト {context} トークンで {needed} GB のメモリが必要ですが、空きは {available} GB です。より小さいモデルを選ぶか、ほかのアプリを閉じてください。</translation>
    </message>
    <message>
        <source>It fits as it is with a KV cache of {bits} bits, which the settings offer.</source>
        <translation>KV キャッシュを {bits} ビットにすればそのまま収まります。設定で変更できます。</translation>
    </message>
    <message>
        <source>A draft model that takes up to {draft} GB fits.</source>
        <translation>ドラフトモデルは {draft} GB まで使えます。</translation>
    </message>
    <message>
        <source>The engine has stopped. Restart Tandem.</source>
        <translation>エンジンが停止しました。Tandem を再起動してください。</translation>
    </message>
    <message>
        <source>An answer is being written. Try again when it is finished.</source>
        <translation>回答を書いている途中です。終わってからもう一度お試しください。</translation>
    </message>
    <message>
        <source>The engine hit an unexpected error: {detail}. Try again; if it happens again, restart Tandem.</source>
        <translation>エンジンで予期しないエラーが起きました（{detail}）。もう一度お試しください。繰り返す場合は Tandem を再起動してください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template makes nothing of this chat. Start a new chat or choose another model.</source>
        <translation>モデルのチャットテンプレートがこのチャットから何も作りません。新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped after {detail} seconds with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>このチャットでモデルのチャットテンプレートが {detail} 秒を超えたため、停止しました。メッセージを短くするか、新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped because it took too much memory with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>このチャットでモデルのチャットテンプレートがメモリを使いすぎたため、停止しました。メッセージを短くするか、新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template or tokenizer crashed on this chat ({detail}). Start a new chat or choose another model.</source>
        <translation>このチャットでモデルのチャットテンプレートかトークナイザーが停止しました（{detail}）。新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>This chat has {tokens} tokens and the model can hold {limit}. Start a new chat, shorten your message or choose a model with a longer context.</source>
        <translation>このチャットは {tokens} トークンですが、モデルに入るのは {limit} トークンまでです。新しいチャットを始めるか、メッセージを短くするか、コンテキストの長いモデルを選んでください。</translation>
    </message>
    <message>
        <source>There is no model folder at {path}. Choose another one.</source>
        <translation>{path} にモデルのフォルダがありません。別のフォルダを選んでください。</translation>
    </message>
    <message>
        <source>{name} has no config.json, so it is not a model. Choose the folder that holds one.</source>
        <translation>{name} には config.json がなく、モデルではありません。モデルの入ったフォルダを選んでください。</translation>
    </message>
    <message>
        <source>{name} is not complete: {detail} is missing. Download or copy it again.</source>
        <translation>{name} は不完全です。{detail} がありません。もう一度ダウンロードまたはコピーしてください。</translation>
    </message>
    <message>
        <source>{name} is damaged: {detail} cannot be read. Download or copy it again.</source>
        <translation>{name} は壊れています。{detail} を読み取れません。もう一度ダウンロードまたはコピーしてください。</translation>
    </message>
    <message>
        <source>The weights of {name} do not fit its configuration ({detail}). Choose another copy of this model.</source>
        <translation>{name} の重みが構成と合いません（{detail}）。このモデルの別のコピーを選んでください。</translation>
    </message>
    <message>
        <source>Tandem does not support the architecture of {name} yet ({detail}). Choose another model or update Tandem.</source>
        <translation>Tandem は {name} のアーキテクチャにまだ対応していません（{detail}）。別のモデルを選ぶか、Tandem をアップデートしてください。</translation>
    </message>
    <message>
        <source>The tokenizer of {name} cannot be read ({detail}). Download or copy it again.</source>
        <translation>{name} のトークナイザーを読み取れません（{detail}）。もう一度ダウンロードまたはコピーしてください。</translation>
    </message>
    <message>
        <source>{name} wants to run code or read files from elsewhere ({detail}). Tandem never does that; choose another model.</source>
        <translation>{name} はコードを実行するか、ほかの場所のファイルを読もうとしています（{detail}）。Tandem は決してそうしません。別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>{name} cannot draft for this main model: their vocabularies differ ({detail}). Choose another draft model.</source>
        <translation>{name} はこのメインモデルのドラフトには使えません。語彙が異なります（{detail}）。別のドラフトモデルを選んでください。</translation>
    </message>
    <message>
        <source>The weights of {name} do not give usable numbers ({detail}). Choose another copy of this model.</source>
        <translation>{name} の重みから使える数値が得られません（{detail}）。このモデルの別のコピーを選んでください。</translation>
    </message>
    <message>
        <source>There is not enough memory for {name} ({detail}). Choose a smaller model or close other apps.</source>
        <translation>{name} に必要なメモリが足りません（{detail}）。より小さいモデルを選ぶか、ほかのアプリを閉じてください。</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{value}%</source>
        <translation>{value}%</translation>
    </message>
    <message>
        <source>{value} s</source>
        <translation>{value} 秒</translation>
    </message>
    <message>
        <source>{value}×</source>
        <translation>{value} 倍</translation>
    </message>
    <message>
        <source>about {value}</source>
        <translation>約 {value}</translation>
    </message>
    <message>
        <source>The computer is busy: plain decoding takes {times} as long as usual, too.</source>
        <translation>コンピュータが混み合っています。通常のデコードにも普段の {times}の時間がかかります。</translation>
    </message>
    <message>
        <source>{value} tokens/s</source>
        <translation>{value} トークン/秒</translation>
    </message>
    <message>
        <source>{value} vs. plain</source>
        <translation>通常比 {value}</translation>
    </message>
    <message>
        <source>first token {value}</source>
        <translation>最初のトークンまで {value}</translation>
    </message>
    <message>
        <source>accepted {value}</source>
        <translation>採択 {value}</translation>
    </message>
    <message>
        <source>{value} per round</source>
        <translation>ラウンドあたり {value}</translation>
    </message>
    <message>
        <source>older messages left out: {value}</source>
        <translation>省いた古いメッセージ {value} 件</translation>
    </message>
    <message>
        <source>guesses at a time</source>
        <translation>一度の推測数</translation>
    </message>
    <message>
        <source>guesses at a time, {source}</source>
        <translation>推測数、{source}</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>トークン/秒</translation>
    </message>
    <message>
        <source>tokens/s, {value} vs. plain</source>
        <translation>トークン/秒、通常比 {value}</translation>
    </message>
    <message>
        <source>Round {number}: {accepted} of {drafted} guesses accepted ({source})</source>
        <translation>ラウンド {number}：推測 {drafted} 個のうち {accepted} 個を採択（{source}）</translation>
    </message>
    <message>
        <source>Round {number}: the main model alone</source>
        <translation>ラウンド {number}：メインモデルのみ</translation>
    </message>
    <message>
        <source>main</source>
        <translation>メイン</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>ドラフト</translation>
    </message>
    <message>
        <source>lookup</source>
        <translation>会話内検索</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{place} of {count}</source>
        <translation>{count} 件中 {place} 件目</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>このチャット内を検索</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>前の結果</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>次の結果</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>FirstRunOffer</name>
    <message>
        <source>The starter is a tiny guide to this app. For real work, get a pair that fits this Mac:</source>
        <translation>スターターはこのアプリを案内するごく小さなモデルです。本格的に使うなら、この Mac に合うペアを入手してください。</translation>
    </message>
    <message>
        <source>Chat with the starter now</source>
        <translation>今すぐスターターとチャット</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>すべてのモデル…</translation>
    </message>
</context>
<context>
    <name>GenerationPage</name>
    <message>
        <source>As the authors of the loaded model recommend</source>
        <translation>読み込んだモデルの作成者が推奨する値</translation>
    </message>
    <message>
        <source>Model’s recommendation</source>
        <translation>モデルの推奨値</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>正確</translation>
    </message>
    <message>
        <source>Always the likeliest token</source>
        <translation>常に最も確率の高いトークン</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>バランス</translation>
    </message>
    <message>
        <source>Some variety, few surprises</source>
        <translation>ほどよく多様で、意外性は少なめ</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>創造的</translation>
    </message>
    <message>
        <source>As varied as the model is, without the unlikeliest tokens</source>
        <translation>最も確率の低いトークンを除き、モデルのままの多様さ</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Main</source>
        <translation>メイン</translation>
    </message>
    <message>
        <source>Main model: {name}</source>
        <translation>メインモデル：{name}</translation>
    </message>
    <message>
        <source>Draft on</source>
        <translation>ドラフト オン</translation>
    </message>
    <message>
        <source>Draft off</source>
        <translation>ドラフト オフ</translation>
    </message>
    <message>
        <source>Speculation is on.</source>
        <translation>推測はオンです。</translation>
    </message>
    <message>
        <source>Draft model: {name}. {state}</source>
        <translation>ドラフトモデル：{name}。{state}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>読み込み中…</translation>
    </message>
    <message>
        <source>loading {share}</source>
        <translation>読み込み中 {share}</translation>
    </message>
    <message numerus="yes">
        <source>%n download(s) running</source>
        <translation>
            <numerusform>%n 件をダウンロード中</numerusform>
        </translation>
    </message>
    <message>
        <source>The draft model is loading. You can ask already.</source>
        <translation>ドラフトモデルを読み込んでいます。質問はもうできます。</translation>
    </message>
    <message>
        <source>The models are loading.</source>
        <translation>モデルを読み込んでいます。</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>メインモデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>Speculation is switched off.</source>
        <translation>推測はオフです。</translation>
    </message>
    <message>
        <source>No draft model is loaded.</source>
        <translation>ドラフトモデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>読み込み中…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Starter</source>
        <translation>スターター</translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>When</source>
        <translation>日時</translation>
    </message>
    <message>
        <source>Main model</source>
        <translation>メインモデル</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>ドラフトモデル</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Accept rate</source>
        <translation>採択率</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>速度比</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>トークン/秒</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>All models</source>
        <translation>すべてのモデル</translation>
    </message>
    <message>
        <source>Nothing to compare yet. Each answer adds a line here, with what speculation brought.</source>
        <translation>まだ比べるものがありません。回答のたびに、推測で得られた結果が 1 行ずつ加わります。</translation>
    </message>
    <message numerus="yes">
        <source>On this computer, {draft} makes {main} {times} as fast (%n answer(s)).</source>
        <translation>
            <numerusform>このコンピュータでは、{draft} を使うと {main} の速度が {times}になります（回答 %n 件）。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On this computer, lookup makes {main} {times} as fast (%n answer(s)).</source>
        <translation>
            <numerusform>このコンピュータでは、会話内検索を使うと {main} の速度が {times}になります（回答 %n 件）。</numerusform>
        </translation>
    </message>
    <message>
        <source>Export the history</source>
        <translation>履歴の書き出し</translation>
    </message>
    <message>
        <source>Saved to {file}.</source>
        <translation>{file} に保存しました。</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>ファイルを保存できませんでした。別のフォルダを選んでください。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Answers and their figures</source>
        <translation>回答とその数値</translation>
    </message>
    <message>
        <source>Export as {kind}</source>
        <translation>{kind} 形式で書き出す</translation>
    </message>
</context>
<context>
    <name>HubErrors</name>
    <message>
        <source>The Hub cannot be reached. Check your connection and try again.</source>
        <translation>Hub に接続できません。インターネット接続を確認して、もう一度お試しください。</translation>
    </message>
    <message>
        <source>The Hub cannot be reached. The download resumes by itself when you are back online.</source>
        <translation>Hub に接続できません。オンラインに戻ると、ダウンロードは自動的に再開します。</translation>
    </message>
    <message>
        <source>“Work offline” is on, so Tandem does not connect. Switch it off in the settings.</source>
        <translation>「オフラインで作業」がオンのため、接続しません。設定でオフにしてください。</translation>
    </message>
    <message>
        <source>The proxy does not answer, or refuses to connect. Check its address in the settings.</source>
        <translation>プロキシが応答しないか、接続を拒否しています。設定でアドレスを確認してください。</translation>
    </message>
    <message>
        <source>The Hub&apos;s certificate is not trusted here. Check the mirror and the proxy in the settings.</source>
        <translation>Hub の証明書を信頼できません。設定でミラーとプロキシを確認してください。</translation>
    </message>
    <message>
        <source>{endpoint} does not answer like a Hugging Face Hub. Check the mirror in the settings.</source>
        <translation>{endpoint} は Hugging Face Hub として応答しません。設定でミラーを確認してください。</translation>
    </message>
    <message>
        <source>The Hub has a problem of its own (error {status}). Try again later.</source>
        <translation>Hub 側で問題が起きています（エラー {status}）。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>The Hub takes too long to answer. Try again later.</source>
        <translation>Hub の応答に時間がかかりすぎています。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>The Hub has too many requests and asks to wait. Try again later.</source>
        <translation>リクエストが多いため、Hub が待つよう求めています。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>“{repository}” is not a model&apos;s name. It looks like organisation/name, or a page&apos;s address.</source>
        <translation>「{repository}」はモデル名ではありません。「組織/名前」の形か、ページのアドレスを入力してください。</translation>
    </message>
    <message>
        <source>There is no model {repository}, or it is private. Check its name, or add a token in the settings.</source>
        <translation>{repository} というモデルはないか、非公開です。名前を確認するか、設定でトークンを追加してください。</translation>
    </message>
    <message>
        <source>{repository} has no version {revision}.</source>
        <translation>{repository} にバージョン {revision} はありません。</translation>
    </message>
    <message>
        <source>The Hub no longer has {file} of {repository}. Choose another model.</source>
        <translation>{repository} の {file} はもう Hub にありません。別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The authors of {repository} ask for your consent first. Accept the terms on its page, then add a token in the settings.</source>
        <translation>{repository} の利用には事前の同意が必要です。モデルのページで規約に同意してから、設定でトークンを追加してください。</translation>
    </message>
    <message>
        <source>Your token has no access to {repository}. Ask its owners, or add another token in the settings.</source>
        <translation>このトークンでは {repository} にアクセスできません。所有者に問い合わせるか、設定で別のトークンを追加してください。</translation>
    </message>
    <message>
        <source>The Hub refuses your token: it is wrong, expired or revoked. Add a new one in the settings.</source>
        <translation>Hub がトークンを拒否しました。誤っているか、期限が切れたか、取り消されています。設定で新しいトークンを追加してください。</translation>
    </message>
    <message>
        <source>{repository} holds no MLX weights. Search for an MLX version of this model.</source>
        <translation>{repository} には MLX の重みがありません。このモデルの MLX 版を検索してください。</translation>
    </message>
    <message>
        <source>{repository} names a file outside its folder ({file}). Tandem does not touch it.</source>
        <translation>{repository} がフォルダの外のファイル（{file}）を指しています。Tandem はこれに触れません。</translation>
    </message>
    <message>
        <source>{needed} are needed and {free} are free on the disk. Free some space, then resume.</source>
        <translation>{needed} 必要ですが、ディスクの空きは {free} です。空きを作ってから再開してください。</translation>
    </message>
    <message>
        <source>The disk is full. Free some space, then resume; nothing is lost.</source>
        <translation>ディスクがいっぱいです。空きを作ってから再開してください。入手済みの分は残っています。</translation>
    </message>
    <message>
        <source>{path} cannot be written to. Check its permissions.</source>
        <translation>{path} に書き込めません。書き込み権限を確認してください。</translation>
    </message>
    <message>
        <source>{file} arrived damaged twice. Try again later or from another connection.</source>
        <translation>{file} が二度、壊れた状態で届きました。しばらくしてから、または別の回線でもう一度お試しください。</translation>
    </message>
    <message>
        <source>{repository} is not on this computer any more.</source>
        <translation>{repository} はもうこのコンピュータにありません。</translation>
    </message>
    <message>
        <source>Another program is downloading {repository}. Wait until it has finished.</source>
        <translation>別のプログラムが {repository} をダウンロードしています。終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>The starter pair is part of Tandem and stays.</source>
        <translation>スターターペアは Tandem の一部なので、削除できません。</translation>
    </message>
</context>
<context>
    <name>Learned</name>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>Best depth</source>
        <translation>最適な深さ</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>速度比</translation>
    </message>
    <message>
        <source>Plain tokens/s</source>
        <translation>トークン/秒（通常）</translation>
    </message>
    <message>
        <source>Accept rate</source>
        <translation>採択率</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>ラウンド</translation>
    </message>
    <message>
        <source>from {first}</source>
        <translation>{first} から</translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation>{first}～{last}</translation>
    </message>
    <message>
        <source>{depth} ({source})</source>
        <translation>{depth}（{source}）</translation>
    </message>
    <message>
        <source>none, plain</source>
        <translation>なし（通常）</translation>
    </message>
</context>
<context>
    <name>LearnedSection</name>
    <message>
        <source>Measured on this computer and kept up to date while you chat: the number of guesses is chosen by it. What you forget is measured again.</source>
        <translation>このコンピュータで測り、チャット中も更新している値です。推測の数はこれで決まります。消去すると測り直します。</translation>
    </message>
    <message>
        <source>Nothing yet. Load models and ask something, or tune in the live panel.</source>
        <translation>まだありません。モデルを読み込んで質問するか、ライブパネルの「このマシンで調整」を使ってください。</translation>
    </message>
    <message>
        <source>Learned here</source>
        <translation>このコンピュータで分かったこと</translation>
    </message>
    <message>
        <source>What was learned about each pair</source>
        <translation>ペアごとに分かったこと</translation>
    </message>
    <message>
        <source>Forget this pair</source>
        <translation>このペアを消去</translation>
    </message>
    <message>
        <source>Forget all</source>
        <translation>すべて消去</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>rejected</source>
        <translation>棄却</translation>
    </message>
</context>
<context>
    <name>LinkMenu</name>
    <message>
        <source>Open in the browser</source>
        <translation>ブラウザで開く</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>アドレスをコピー</translation>
    </message>
</context>
<context>
    <name>MeasurementCard</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>Appearance</source>
        <translation>外観</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Get as draft</source>
        <translation>ドラフトとして入手</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>ファイルを検査</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>削除…</translation>
    </message>
    <message>
        <source>It is in use. Choose another model first.</source>
        <translation>使用中です。先に別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Remove it and free {size}?</source>
        <translation>このモデルを削除して {size} を空けますか？</translation>
    </message>
    <message>
        <source>Other programs that use the Hugging Face cache lose it too.</source>
        <translation>Hugging Face キャッシュを使うほかのプログラムからも消えます。</translation>
    </message>
    <message>
        <source>Free {size}</source>
        <translation>{size} を空ける</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>残す</translation>
    </message>
    <message>
        <source>A tiny guide to this app. Works offline, at once.</source>
        <translation>このアプリを案内するごく小さなモデルです。オフラインですぐ使えます。</translation>
    </message>
    <message>
        <source>With {draft} as draft</source>
        <translation>ドラフト：{draft}</translation>
    </message>
    <message>
        <source>{speed} measured here</source>
        <translation>ここでの実測 {speed}</translation>
    </message>
    <message>
        <source>{speed} expected (estimate)</source>
        <translation>見込み {speed}（推定）</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>検査中</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>破損</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内蔵</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>インストール済み</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>大きすぎ</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>ぎりぎり</translation>
    </message>
    <message>
        <source>pair</source>
        <translation>ペア</translation>
    </message>
    <message>
        <source>{size} of memory can be used.</source>
        <translation>使えるメモリ：{size}</translation>
    </message>
    <message>
        <source>Getting it…</source>
        <translation>入手中…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修復</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Get {size}</source>
        <translation>{size} を入手</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>入手</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>Use as draft</source>
        <translation>ドラフトとして使う</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>{name} is ready.</source>
        <translation>{name} の準備ができました。</translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation>ダウンロードを表示</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>{name} · {bits}-bit</source>
        <translation>{name} · {bits} ビット</translation>
    </message>
    <message>
        <source>Recommended for {model}: {values}</source>
        <translation>{model} の推奨値：{values}</translation>
    </message>
    <message>
        <source>Starter</source>
        <translation>スターター</translation>
    </message>
    <message>
        <source>Starter draft</source>
        <translation>スターターのドラフト</translation>
    </message>
    <message>
        <source>Lookup in this chat</source>
        <translation>会話内検索</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>ドラフトなし</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>メモリから解放</translation>
    </message>
    <message>
        <source>Frees the memory of both models.</source>
        <translation>両モデルのメモリを解放します。</translation>
    </message>
    <message>
        <source>Plain decoding: the main model alone.</source>
        <translation>通常のデコード：メインモデルだけを使います。</translation>
    </message>
    <message>
        <source>Not complete: get it again.</source>
        <translation>足りないファイルがあります。もう一度入手してください。</translation>
    </message>
    <message>
        <source>A tiny guide to this app, built in. For real work choose another model.</source>
        <translation>このアプリに内蔵のごく小さな案内役です。本格的に使うなら別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Comes with {draft} as draft. {facts}</source>
        <translation>ドラフトの {draft} も一緒に入手します。{facts}</translation>
    </message>
    <message>
        <source>No second model. Best for edits and code.</source>
        <translation>二つ目のモデルは不要です。文章の手直しやコードに向いています。</translation>
    </message>
    <message>
        <source>Same tokenizer.</source>
        <translation>トークナイザーが同じです。</translation>
    </message>
    <message>
        <source>Same tokenizer, padded.</source>
        <translation>トークナイザーは同じで、サイズだけが違います。</translation>
    </message>
    <message>
        <source>Works by re-encoding its text: {share} of the tokens in common.</source>
        <translation>テキストを再エンコードして使います。共通のトークンは {share} です。</translation>
    </message>
    <message>
        <source>Its tokenizer has not been read yet.</source>
        <translation>トークナイザーはまだ読み込まれていません。</translation>
    </message>
    <message>
        <source>Not useful: each guess costs {share} of a plain step, more than it can save.</source>
        <translation>役に立ちません。推測 1 回のコストが通常の 1 ステップの {share} で、節約分を上回ります。</translation>
    </message>
    <message>
        <source>Would not fit beside the main model: {size} short.</source>
        <translation>メインモデルと一緒には収まりません。{size} 足りません。</translation>
    </message>
    <message>
        <source>Cannot be used here. {reason}</source>
        <translation>ここでは使えません。{reason}</translation>
    </message>
    <message>
        <source>Measured here: {speed}.</source>
        <translation>ここでの実測：{speed}。</translation>
    </message>
    <message>
        <source>Measured here: {speed}, {rate} accepted.</source>
        <translation>ここでの実測：{speed}、採択 {rate}。</translation>
    </message>
    <message>
        <source>Estimate: {speed}.</source>
        <translation>推定：{speed}。</translation>
    </message>
    <message>
        <source>As draft for {main}: {verdict}</source>
        <translation>{main} のドラフトとして：{verdict}</translation>
    </message>
    <message>
        <source>Not as it was published: {files}. Repair fetches only these again.</source>
        <translation>公開時と異なります：{files}。修復ではこれらだけを取り直します。</translation>
    </message>
    <message>
        <source>Not as it was published: {files}. Remove it and get it again.</source>
        <translation>公開時と異なります：{files}。削除して入手し直してください。</translation>
    </message>
    <message>
        <source>Cannot be used. {reason}</source>
        <translation>使えません。{reason}</translation>
    </message>
    <message>
        <source>Does not fit: it needs {size} more than this Mac can use.</source>
        <translation>この Mac には収まりません。使えるメモリより {size} 多く必要です。</translation>
    </message>
    <message>
        <source>{count} tokens of context</source>
        <translation>コンテキスト {count} トークン</translation>
    </message>
    <message>
        <source>downloads: {count}</source>
        <translation>ダウンロード数 {count}</translation>
    </message>
    <message>
        <source>asks for your consent</source>
        <translation>同意が必要</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>重み {size}</translation>
    </message>
    <message>
        <source>draft {size}</source>
        <translation>ドラフト {size}</translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation>コンテキスト {size}</translation>
    </message>
    <message>
        <source>workspace {size}</source>
        <translation>作業領域 {size}</translation>
    </message>
    <message>
        <source>{sum}, before context</source>
        <translation>{sum}（コンテキストを除く）</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>失敗しました。</translation>
    </message>
    <message>
        <source>connecting again</source>
        <translation>再接続中</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>resumes where it stopped, even after a restart</source>
        <translation>止まったところから再開します（アプリの再起動後も）</translation>
    </message>
    <message>
        <source>Waiting for its turn.</source>
        <translation>順番を待っています。</translation>
    </message>
    <message>
        <source>Asking the Hub what to download.</source>
        <translation>入手するファイルを Hub に問い合わせています。</translation>
    </message>
    <message>
        <source>Checking every byte.</source>
        <translation>全バイトを検査しています。</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>準備ができました。</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>開始中</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>ダウンロード中</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>検査中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>準備完了</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>一時停止中</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>残り 1 分未満</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose a folder with models</source>
        <translation>モデルのあるフォルダを選択</translation>
    </message>
    <message>
        <source>Every file of {name} is as its authors published it.</source>
        <translation>{name} のファイルはすべて公開時のままです。</translation>
    </message>
    <message>
        <source>{name} came without checksums, so its files cannot be checked.</source>
        <translation>{name} にはチェックサムがないため、ファイルを検査できません。</translation>
    </message>
    <message>
        <source>Looking at the models here…</source>
        <translation>このコンピュータのモデルを調べています…</translation>
    </message>
    <message>
        <source>This Mac can use {limit} for models. {loaded} are loaded.</source>
        <translation>この Mac ではモデルに {limit} まで使えます。読み込み済み：{loaded}。</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>Recommended for this Mac</source>
        <translation>この Mac におすすめ</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>インストール済み</translation>
    </message>
    <message>
        <source>On the Hub</source>
        <translation>Hub のモデル</translation>
    </message>
    <message>
        <source>Asking the Hub…</source>
        <translation>Hub に問い合わせています…</translation>
    </message>
    <message>
        <source>Write a part of a name, like Qwen3 or gemma, or paste the address of a model&apos;s page.</source>
        <translation>Qwen3 や gemma のように名前の一部を入力するか、モデルのページのアドレスを貼り付けてください。</translation>
    </message>
    <message>
        <source>The Hub has no MLX model of that name.</source>
        <translation>その名前の MLX モデルは Hub にありません。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Search the Hub, or paste a name or address</source>
        <translation>Hub を検索、または名前やアドレスを貼り付け</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>おすすめ</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Look in another folder too…</source>
        <translation>別のフォルダも調べる…</translation>
    </message>
    <message>
        <source>With {count} tokens of context</source>
        <translation>コンテキスト {count} トークンで計算</translation>
    </message>
    <message>
        <source>Context for which memory is calculated</source>
        <translation>メモリの計算に使うコンテキスト</translation>
    </message>
</context>
<context>
    <name>NetworkPage</name>
    <message>
        <source>Connection</source>
        <translation>接続</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>テスト中…</translation>
    </message>
    <message>
        <source>Your token is in the keychain.</source>
        <translation>トークンをキーチェーンに保管しました。</translation>
    </message>
    <message>
        <source>This computer has no keychain that Tandem can use, so the token was not kept.</source>
        <translation>Tandem が使えるキーチェーンがこのコンピュータにないため、トークンは保管されませんでした。</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>テスト</translation>
    </message>
    <message>
        <source>Test the connection</source>
        <translation>接続をテスト</translation>
    </message>
    <message>
        <source>Tandem connects only when you ask for it: for a search in the Hub, a download or the test above. Chats, settings and figures never leave this computer. Nobody counts what you do.</source>
        <translation>Tandem が接続するのは、Hub の検索、ダウンロード、上のテストを頼まれたときだけです。チャット、設定、数値がこのコンピュータの外に出ることはありません。利用状況の収集もしません。</translation>
    </message>
    <message>
        <source>Tries the mirror, the proxy and the token with two small requests.</source>
        <translation>小さなリクエストを 2 回送って、ミラー、プロキシ、トークンを確かめます。</translation>
    </message>
    <message>
        <source>The Hub answers.</source>
        <translation>Hub は応答しています。</translation>
    </message>
    <message>
        <source>The mirror answers.</source>
        <translation>ミラーは応答しています。</translation>
    </message>
    <message>
        <source>The Hub answers through the proxy.</source>
        <translation>Hub はプロキシ経由で応答しています。</translation>
    </message>
    <message>
        <source>The mirror answers through the proxy.</source>
        <translation>ミラーはプロキシ経由で応答しています。</translation>
    </message>
    <message>
        <source>It knows your token, which belongs to {user}.</source>
        <translation>トークンは有効で、{user} さんのものです。</translation>
    </message>
    <message>
        <source>It refuses your token: it is wrong, expired or revoked.</source>
        <translation>トークンは拒否されました。間違っているか、期限切れか、取り消されています。</translation>
    </message>
    <message>
        <source>It does not say whether your token is right.</source>
        <translation>トークンが正しいかどうかは答えません。</translation>
    </message>
    <message>
        <source>Hub token</source>
        <translation>Hub のトークン</translation>
    </message>
    <message>
        <source>For models that ask for consent or are private. It is kept in the system&apos;s keychain only.</source>
        <translation>同意が必要なモデルや非公開のモデルに使います。システムのキーチェーンにだけ保管します。</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details could not be saved.</source>
        <translation>予期しないことが起きました。Tandem はこのまま使えますが、詳細は保存できませんでした。</translation>
    </message>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details are in {file}.</source>
        <translation>予期しないことが起きました。Tandem はこのまま使えます。詳細は {file} にあります。</translation>
    </message>
    <message>
        <source>Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this computer.</source>
        <translation>前回、Tandem が予期せず終了しました。チャットは無事です。レポートはこのコンピュータの外に出ません。</translation>
    </message>
    <message>
        <source>Some of your settings could not be read and are back at their defaults. The old file is kept as {file}.</source>
        <translation>読み取れない設定があり、デフォルトに戻しました。元のファイルは {file} に残してあります。</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was started again. Your chats are safe; ask again.</source>
        <translation>エンジンが予期せず停止したため、再起動しました。チャットは無事です。もう一度質問してください。</translation>
    </message>
    <message>
        <source>The engine stopped twice with {model}, so the starter models are loaded instead.</source>
        <translation>{model} でエンジンが 2 回停止したため、代わりにスターターモデルを読み込みます。</translation>
    </message>
    <message>
        <source>The chats of the backup are back. Those from before are kept as {file}.</source>
        <translation>バックアップのチャットが戻りました。それまでのチャットは {file} に残してあります。</translation>
    </message>
    <message>
        <source>The backup could not be restored. Your chats are as they were.</source>
        <translation>バックアップを復元できませんでした。チャットは元のままです。</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>無題のチャット</translation>
    </message>
    <message>
        <source>“{title}” is in the trash.</source>
        <translation>「{title}」をゴミ箱に入れました。</translation>
    </message>
</context>
<context>
    <name>PaneHandle</name>
    <message>
        <source>Width of the chat list</source>
        <translation>チャット一覧の幅</translation>
    </message>
    <message>
        <source>Width of the live panel</source>
        <translation>ライブパネルの幅</translation>
    </message>
</context>
<context>
    <name>Picker</name>
    <message>
        <source>No draft model for it is here or in the catalog. Lookup needs none.</source>
        <translation>このモデルに合うドラフトモデルは、ここにもカタログにもありません。会話内検索にはドラフトモデルは要りません。</translation>
    </message>
    <message>
        <source>Choose a main model first.</source>
        <translation>先にメインモデルを選んでください。</translation>
    </message>
    <message>
        <source>No model here has that name.</source>
        <translation>その名前のモデルはありません。</translation>
    </message>
    <message>
        <source>Looking at the models here…</source>
        <translation>このコンピュータのモデルを調べています…</translation>
    </message>
    <message>
        <source>Choose a main model</source>
        <translation>メインモデルを選択</translation>
    </message>
    <message>
        <source>Find more models…</source>
        <translation>ほかのモデルを探す…</translation>
    </message>
    <message>
        <source>Main models</source>
        <translation>メインモデル</translation>
    </message>
    <message>
        <source>Choose a draft for {name}</source>
        <translation>{name} のドラフトを選択</translation>
    </message>
    <message>
        <source>Choose a draft</source>
        <translation>ドラフトを選択</translation>
    </message>
    <message>
        <source>Find more drafts for this model…</source>
        <translation>このモデルのドラフトをもっと探す…</translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation>ドラフトモデル</translation>
    </message>
</context>
<context>
    <name>PickerRow</name>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Get {size}</source>
        <translation>{size} を入手</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>入手</translation>
    </message>
    <message>
        <source>best here</source>
        <translation>ここで最適</translation>
    </message>
    <message>
        <source>guide</source>
        <translation>案内役</translation>
    </message>
    <message>
        <source>other tokenizer</source>
        <translation>別のトークナイザー</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>ぎりぎり</translation>
    </message>
</context>
<context>
    <name>PlainReasons</name>
    <message>
        <source>Not guessing: a round of guesses costs {cost} plain steps here and brings only {tokens} tokens.</source>
        <translation>推測していません：ここでは推測の 1 ラウンドに通常の {cost} ステップ分かかり、得られるのは {tokens} トークンだけです。</translation>
    </message>
    <message>
        <source>Not guessing: speculation is switched off.</source>
        <translation>推測していません：推測はオフです。</translation>
    </message>
    <message>
        <source>Not guessing: no draft model is loaded.</source>
        <translation>推測していません：ドラフトモデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>Not guessing yet: the draft model is still loading.</source>
        <translation>まだ推測していません：ドラフトモデルを読み込んでいます。</translation>
    </message>
    <message>
        <source>Not guessing: the draft model cannot be used with this main model. {reason}</source>
        <translation>推測していません：このドラフトモデルはこのメインモデルと一緒に使えません。{reason}</translation>
    </message>
    <message>
        <source>Not guessing: the draft model failed and is left out of this answer.</source>
        <translation>推測していません：ドラフトモデルでエラーが起きたため、この回答では使いません。</translation>
    </message>
    <message>
        <source>Not guessing: the draft model&apos;s context is full.</source>
        <translation>推測していません：ドラフトモデルのコンテキストがいっぱいです。</translation>
    </message>
    <message>
        <source>Not guessing: the draft model has nothing that fits here.</source>
        <translation>推測していません：ここに合う推測がドラフトモデルにありません。</translation>
    </message>
    <message>
        <source>Not guessing: earlier tokens have to be read again first.</source>
        <translation>推測していません：先に前のトークンを読み直す必要があります。</translation>
    </message>
    <message>
        <source>Not guessing: this model&apos;s cache ({kind}) cannot be rolled back.</source>
        <translation>推測していません：このモデルのキャッシュ（{kind}）は巻き戻せません。</translation>
    </message>
    <message>
        <source>Not guessing: lookup found nothing like this in the chat so far.</source>
        <translation>推測していません：これまでのチャットに似た箇所が見つかりませんでした。</translation>
    </message>
    <message>
        <source>Not guessing: plain decoding is faster here.</source>
        <translation>推測していません：ここでは通常のデコードのほうが高速です。</translation>
    </message>
    <message>
        <source>Measuring how fast plain decoding is here.</source>
        <translation>ここでの通常のデコードの速さを測っています。</translation>
    </message>
    <message>
        <source>Not guessing: several answers share the model right now.</source>
        <translation>推測していません：いま複数の回答がモデルを共有しています。</translation>
    </message>
    <message>
        <source>Not guessing: answers take turns, they cannot share a batch ({kind}).</source>
        <translation>推測していません：まとめて処理できないため（{kind}）、回答が交代で進んでいます。</translation>
    </message>
    <message>
        <source>The first token always comes from the main model alone.</source>
        <translation>最初のトークンは常にメインモデルだけが書きます。</translation>
    </message>
    <message>
        <source>Not guessing: the answer is about to reach its length limit.</source>
        <translation>推測していません：回答がまもなく長さの上限に達します。</translation>
    </message>
</context>
<context>
    <name>PositionBars</name>
    <message>
        <source>Guess {position}: {rate} accepted ({accepted} of {reached})</source>
        <translation>推測 {position}：{rate} を採択（{reached} 個中 {accepted} 個）</translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>System prompt and settings of this chat: {name}</source>
        <translation>このチャットのシステムプロンプトと設定：{name}</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Own settings</source>
        <translation>独自の設定</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>デフォルト</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>正確</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>バランス</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>創造的</translation>
    </message>
    <message>
        <source>Concise</source>
        <translation>簡潔</translation>
    </message>
</context>
<context>
    <name>PromptField</name>
    <message>
        <source>Today&apos;s date</source>
        <translation>今日の日付</translation>
    </message>
    <message>
        <source>Day of the week</source>
        <translation>曜日</translation>
    </message>
    <message>
        <source>Language of the window</source>
        <translation>ウインドウの言語</translation>
    </message>
    <message>
        <source>Main model</source>
        <translation>メインモデル</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>ドラフトモデル</translation>
    </message>
    <message>
        <source>System</source>
        <translation>システム</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>システムプロンプト</translation>
    </message>
    <message>
        <source>Insert a variable</source>
        <translation>変数を挿入</translation>
    </message>
    <message>
        <source>How the model should answer in this chat</source>
        <translation>このチャットでモデルにどう答えてほしいか</translation>
    </message>
    <message>
        <source>Filled in when a question is sent: {names}</source>
        <translation>質問を送るときに置き換わります：{names}</translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>%n 件のチャット</numerusform>
        </translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>無題のチャット</translation>
    </message>
    <message>
        <source>Delete permanently?</source>
        <translation>完全に削除しますか？</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>ゴミ箱を空にする</translation>
    </message>
</context>
<context>
    <name>QuestionEditor</name>
    <message>
        <source>Edit the message</source>
        <translation>メッセージを編集</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
</context>
<context>
    <name>Relocation</name>
    <message>
        <source>Moved to {folder}. Every file was compared, and the old place leads to the new one.</source>
        <translation>{folder} に移動しました。すべてのファイルを照合しました。元の場所は新しい場所を指します。</translation>
    </message>
    <message>
        <source>Nothing was moved: that folder holds something already.</source>
        <translation>移動しませんでした。そのフォルダにはすでに何かが入っています。</translation>
    </message>
    <message>
        <source>Nothing was moved: a folder cannot be moved into itself.</source>
        <translation>移動しませんでした。フォルダをそれ自身の中に移すことはできません。</translation>
    </message>
    <message>
        <source>Nothing was moved: it needs {needed} and that disk has {free} left.</source>
        <translation>移動しませんでした。{needed} 必要ですが、そのディスクの空きは {free} です。</translation>
    </message>
    <message>
        <source>Nothing was moved: the copy of {file} differs. Check that disk.</source>
        <translation>移動しませんでした。{file} のコピーが一致しません。そのディスクを確認してください。</translation>
    </message>
    <message>
        <source>Nothing was moved: {detail}.</source>
        <translation>移動しませんでした：{detail}</translation>
    </message>
    <message>
        <source>Stopped. Everything is where it was.</source>
        <translation>停止しました。すべて元の場所にあります。</translation>
    </message>
    <message>
        <source>Nothing was moved: Tandem is open a second time. It is tried again at the next start.</source>
        <translation>移動しませんでした。Tandem が別のウインドウでも開いています。次の起動時にもう一度試します。</translation>
    </message>
    <message>
        <source>There is nothing to move yet.</source>
        <translation>まだ移動するものがありません。</translation>
    </message>
</context>
<context>
    <name>RestoreButton</name>
    <message>
        <source>Restore a backup…</source>
        <translation>バックアップを復元…</translation>
    </message>
    <message>
        <source>Restore a backup of the chats</source>
        <translation>チャットのバックアップを復元</translation>
    </message>
    <message>
        <source>There is no backup yet. Tandem makes one every day.</source>
        <translation>バックアップはまだありません。Tandem が毎日 1 つ作ります。</translation>
    </message>
    <message numerus="yes">
        <source>{date} · %n chat(s)</source>
        <translation>
            <numerusform>{date} · チャット %n 件</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore nothing</source>
        <translation>復元しない</translation>
    </message>
    <message>
        <source>The chats of {date} will be back the next time Tandem starts. Those they replace are kept as a backup.</source>
        <translation>次に Tandem を起動すると、{date} のチャットに戻ります。置き換えられるチャットはバックアップとして残ります。</translation>
    </message>
    <message>
        <source>Your chats stay as they are.</source>
        <translation>チャットは今のままです。</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>{first} {second}</source>
        <comment>two sentences, one after the other</comment>
        <translation>{first}{second}</translation>
    </message>
    <message>
        <source>“{text}”</source>
        <translation>「{text}」</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>{name}: back to the default</source>
        <translation>{name}：デフォルトに戻す</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Automatic</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>ドラフトモデル</translation>
    </message>
    <message>
        <source>Lookup</source>
        <translation>会話内検索</translation>
    </message>
    <message>
        <source>On</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>フル精度</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8 ビット</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4 ビット</translation>
    </message>
    <message>
        <source>Same text</source>
        <translation>同じ文章</translation>
    </message>
    <message>
        <source>Same distribution</source>
        <translation>同じ分布</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
    <message>
        <source>For the window. A model answers in the language you write in.</source>
        <translation>ウインドウの言語です。モデルは質問と同じ言語で答えます。</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>システムに合わせる</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外観</translation>
    </message>
    <message>
        <source>Light, dark, or like the system.</source>
        <translation>ライト、ダーク、またはシステムと同じ表示です。</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字サイズ</translation>
    </message>
    <message>
        <source>For everything in the window.</source>
        <translation>ウインドウ全体に適用されます。</translation>
    </message>
    <message>
        <source>Small</source>
        <translation>小</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>標準</translation>
    </message>
    <message>
        <source>Large</source>
        <translation>大</translation>
    </message>
    <message>
        <source>Very large</source>
        <translation>特大</translation>
    </message>
    <message>
        <source>Send with</source>
        <translation>送信キー</translation>
    </message>
    <message>
        <source>Shift+Enter always starts a new line.</source>
        <translation>Shift+Enter は常に改行です。</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Command or Ctrl with Enter</source>
        <translation>Command または Ctrl+Enter</translation>
    </message>
    <message>
        <source>At start, load</source>
        <translation>起動時に読み込む</translation>
    </message>
    <message>
        <source>The starter pair is small and answers questions about Tandem only.</source>
        <translation>スターターペアは小さく、Tandem についての質問にだけ答えます。</translation>
    </message>
    <message>
        <source>The models used last</source>
        <translation>最後に使ったモデル</translation>
    </message>
    <message>
        <source>The starter pair</source>
        <translation>スターターペア</translation>
    </message>
    <message>
        <source>Who guesses</source>
        <translation>推測の方法</translation>
    </message>
    <message>
        <source>Automatic takes the draft model or the lookup, whichever is faster here, and neither where guessing does not pay.</source>
        <translation>自動では、ドラフトモデルと会話内検索のうち、ここで速いほうを使います。推測の効果がないときはどちらも使いません。</translation>
    </message>
    <message>
        <source>Guesses per round</source>
        <translation>ラウンドあたりの推測トークン</translation>
    </message>
    <message>
        <source>Automatic follows from what rounds cost on this computer. A fixed number can make answers slower.</source>
        <translation>自動では、このコンピュータでのラウンドの所要時間から決まります。固定すると回答が遅くなることがあります。</translation>
    </message>
    <message>
        <source>Accept guesses by</source>
        <translation>採択の基準</translation>
    </message>
    <message>
        <source>“Same text” gives the same text for a seed with and without guessing. “Same distribution” accepts guesses by chance when the temperature is above 0; the text is another one, drawn just as the main model would.</source>
        <translation>「同じ文章」では、シードが同じなら推測の有無にかかわらず同じ文章になります。「同じ分布」では、温度が 0 より高いときに推測トークンを確率に応じて採択します。文章は変わりますが、メインモデルの分布どおりに選ばれます。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token. Higher values bring more variety and more mistakes.</source>
        <translation>0 では常に最も確率の高いトークンを選びます。大きいほど多様になり、誤りも増えます。</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Draws only from the likeliest tokens that make up this share. 1 draws from all.</source>
        <translation>確率の高い順に、合計がこの割合になるまでのトークンから選びます。1 ではすべてから選びます。</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Draws only from this many of the likeliest tokens.</source>
        <translation>確率の高いトークンを、この数だけ候補にします。</translation>
    </message>
    <message>
        <source>All</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Leaves out tokens less likely than this share of the likeliest one. 0 leaves none out.</source>
        <translation>最も確率の高いトークンに対して、この割合より確率の低いトークンを除きます。0 では除きません。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>繰り返しの抑制</translation>
    </message>
    <message>
        <source>Above 1, tokens that were just used become less likely.</source>
        <translation>1 より大きいと、直前に使ったトークンが出にくくなります。</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>回答の最大の長さ</translation>
    </message>
    <message>
        <source>In tokens. A token is about three quarters of an English word.</source>
        <translation>トークン単位です。日本語ではおおよそ 1 文字が 1 トークンです。</translation>
    </message>
    <message>
        <source>As long as the context</source>
        <translation>コンテキストの上限まで</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>The same seed gives the same text again. It matters above temperature 0 only.</source>
        <translation>シードが同じなら、同じ文章がもう一度得られます。温度が 0 より高いときだけ意味があります。</translation>
    </message>
    <message>
        <source>A new one each time</source>
        <translation>毎回新しく</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Whether models that can think before they answer do so. Other models ignore it.</source>
        <translation>回答の前に思考できるモデルが思考するかどうかを決めます。ほかのモデルには影響しません。</translation>
    </message>
    <message>
        <source>Model’s default</source>
        <translation>モデルのデフォルト</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>コンテキスト満杯時</translation>
    </message>
    <message>
        <source>Tandem can tell you, or leave out the oldest turns. The system prompt and the newest turns always stay, and nothing is deleted from the chat.</source>
        <translation>お知らせするか、古いやりとりから省いて答えます。システムプロンプトと最近のやりとりは必ず残り、チャットからは何も消えません。</translation>
    </message>
    <message>
        <source>Tell me</source>
        <translation>知らせる</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>古いやりとりを省く</translation>
    </message>
    <message>
        <source>KV cache of the main model</source>
        <translation>メインモデルの KV キャッシュ</translation>
    </message>
    <message>
        <source>What the model keeps of a chat as it reads. Fewer bits take less memory; answers can change a little.</source>
        <translation>モデルがチャットを読みながら書き留める内容です。ビット数が少ないほどメモリを使いませんが、回答が少し変わることがあります。</translation>
    </message>
    <message>
        <source>KV cache of the draft model</source>
        <translation>ドラフトモデルの KV キャッシュ</translation>
    </message>
    <message>
        <source>Fewer bits take less memory. Guesses can get a little worse; the text stays the same.</source>
        <translation>ビット数が少ないほどメモリを使いません。推測が少し外れやすくなりますが、文章は変わりません。</translation>
    </message>
    <message>
        <source>Work offline</source>
        <translation>オフラインで作業</translation>
    </message>
    <message>
        <source>No connection is ever tried. Downloads wait; chats and the models that are here work.</source>
        <translation>接続は一切試みません。ダウンロードは待機し、チャットと手元のモデルはそのまま使えます。</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>ミラー</translation>
    </message>
    <message>
        <source>The address of a mirror of the Hugging Face Hub. Empty for the Hub itself.</source>
        <translation>Hugging Face Hub のミラーのアドレスです。空欄なら Hub そのものを使います。</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>プロキシ</translation>
    </message>
    <message>
        <source>The address of a proxy, like http://proxy:8080. Empty for none.</source>
        <translation>プロキシのアドレスです（例：http://proxy:8080）。空欄なら使いません。</translation>
    </message>
    <message>
        <source>Keep what models have read</source>
        <translation>モデルが読んだ内容を保存</translation>
    </message>
    <message>
        <source>On the disk, so that long chats reopen at once. It goes when its chat is deleted permanently.</source>
        <translation>ディスクに保存し、長いチャットをすぐに再開できるようにします。チャットを完全に削除すると一緒に消えます。</translation>
    </message>
    <message>
        <source>Room for what models have read</source>
        <translation>読んだ内容に使う容量</translation>
    </message>
    <message>
        <source>In GB. Chats that were not used for longest make room.</source>
        <translation>GB 単位です。最も長く使っていないチャットから消えます。</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>使わないモデルを解放するまでの時間</translation>
    </message>
    <message>
        <source>In minutes. Their memory is given back; the next question loads them again.</source>
        <translation>分で指定します。メモリを解放し、次の質問のときにもう一度読み込みます。</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>解放しない</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>プレフィックスキャッシュ</translation>
    </message>
    <message>
        <source>In GB. Memory for chats that were already read, so that their next question need not be read from the start.</source>
        <translation>GB で指定します。読み終えたチャットをここまでメモリに残し、次の質問で最初から読み直さずに済むようにします。</translation>
    </message>
    <message>
        <source>Memory for models and chats</source>
        <translation>モデルとチャットに使うメモリ</translation>
    </message>
    <message>
        <source>In GB. What does not fit is refused before it is loaded.</source>
        <translation>GB で指定します。収まらないものは、読み込む前に中止します。</translation>
    </message>
    <message>
        <source>As the system recommends</source>
        <translation>システムの推奨どおり</translation>
    </message>
    <message>
        <source>Allow what does not fit</source>
        <translation>収まらなくても許可</translation>
    </message>
    <message>
        <source>Loads models and answers questions beyond that limit. The computer can become very slow, and the system can end Tandem.</source>
        <translation>上限を超えてもモデルを読み込み、回答します。コンピュータがとても遅くなったり、システムが Tandem を終了したりすることがあります。</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>記録する内容</translation>
    </message>
    <message>
        <source>What the record below holds. It is in memory only, and no chat text is ever in it.</source>
        <translation>下の記録に残す内容です。メモリ上だけにあり、チャットの本文は入りません。</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>問題</translation>
    </message>
    <message>
        <source>Problems and events</source>
        <translation>問題と主な動作</translation>
    </message>
    <message>
        <source>Every detail</source>
        <translation>すべての詳細</translation>
    </message>
    <message>
        <source>General</source>
        <translation>一般</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>推測</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Request history</source>
        <translation>リクエスト履歴</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>ストレージ</translation>
    </message>
    <message>
        <source>Privacy and network</source>
        <translation>プライバシーとネットワーク</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>詳細</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>設定のページ</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Search in the settings</source>
        <translation>設定内を検索</translation>
    </message>
    <message>
        <source>Back to the defaults</source>
        <translation>デフォルトに戻す</translation>
    </message>
    <message>
        <source>Changes apply from the next answer on.</source>
        <translation>変更は次の回答から有効になります。</translation>
    </message>
    <message>
        <source>Applies to models that are loaded from then on.</source>
        <translation>次に読み込むモデルから有効になります。</translation>
    </message>
    <message>
        <source>Applies from the next start on.</source>
        <translation>次回の起動から有効になります。</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>キーボードショートカット</translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>{pair} is loaded and follows the settings above.</source>
        <translation>読み込まれている {pair} には上の設定が使われます。</translation>
    </message>
    <message>
        <source>Own settings</source>
        <translation>個別に設定</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Remove the settings of {pair}</source>
        <translation>{pair} の設定を削除</translation>
    </message>
    <message>
        <source>Single pairs</source>
        <translation>ペアごとの設定</translation>
    </message>
    <message>
        <source>While such a pair is loaded, its own settings apply instead of those above.</source>
        <translation>そのペアを読み込んでいる間は、上の設定の代わりに個別の設定が使われます。</translation>
    </message>
</context>
<context>
    <name>SpeculationPanel</name>
    <message>
        <source>tokens per round</source>
        <translation>トークン/ラウンド</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>最初のトークンまで</translation>
    </message>
    <message>
        <source>plain decoding here: {speed} tokens/s</source>
        <translation>ここでの通常のデコード：{speed} トークン/秒</translation>
    </message>
    <message>
        <source>now {depth}</source>
        <translation>現在 {depth}</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>推測</translation>
    </message>
    <message>
        <source>Accept rate, this answer</source>
        <translation>この回答の採択率</translation>
    </message>
    <message>
        <source>Accept rate, answer {number} of {count}</source>
        <translation>{count} 件中 {number} 件目の回答の採択率</translation>
    </message>
    <message>
        <source>What guessing brings is shown here while an answer is written.</source>
        <translation>回答の生成中、推測で得られた結果がここに表示されます。</translation>
    </message>
    <message>
        <source>This answer is from a version of Tandem that did not keep rounds.</source>
        <translation>ラウンドを保存していなかったバージョンの Tandem で書かれた回答です。</translation>
    </message>
    <message>
        <source>Round strip</source>
        <translation>ラウンドの帯</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>トークン/秒</translation>
    </message>
    <message>
        <source>Accepted by position</source>
        <translation>位置ごとの採択</translation>
    </message>
    <message>
        <source>Where time went</source>
        <translation>時間の内訳</translation>
    </message>
    <message>
        <source>Guesses per round</source>
        <translation>ラウンドあたりの推測トークン</translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>Guessing %n token(s) at a time: each round brings {tokens} tokens.</source>
        <translation>
            <numerusform>一度に %n トークンを推測中：1 ラウンドで {tokens} トークン進みます。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Guessing %n token(s) at a time: each round costs {cost} plain steps and brings {tokens} tokens.</source>
        <translation>
            <numerusform>一度に %n トークンを推測中：1 ラウンドは通常の {cost} ステップ分で、{tokens} トークン進みます。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n guess(es) accepted of {drafted}.</source>
        <translation>
            <numerusform>推測 {drafted} 個のうち %n 個を採択しました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n guess(es) accepted of {drafted}. A round cost {cost} plain steps and brought {tokens} tokens.</source>
        <translation>
            <numerusform>推測 {drafted} 個のうち %n 個を採択しました。1 ラウンドは通常の {cost} ステップ分で、{tokens} トークン進みました。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>The chats are backed up in {file}.</source>
        <translation>チャットを {file} にバックアップしました。</translation>
    </message>
    <message>
        <source>The chats could not be backed up. Check whether the disk has space.</source>
        <translation>チャットをバックアップできませんでした。ディスクの空きを確認してください。</translation>
    </message>
    <message>
        <source>Choose where to move it</source>
        <translation>移動先を選択</translation>
    </message>
    <message>
        <source>The chats will move to {folder} the next time Tandem starts.</source>
        <translation>次に Tandem を起動したときに、チャットを {folder} へ移動します。</translation>
    </message>
    <message>
        <source>Models are being downloaded. Move them when that is finished.</source>
        <translation>モデルをダウンロード中です。終わってから移動してください。</translation>
    </message>
    <message>
        <source>Copying and comparing: {done} of {total}.</source>
        <translation>コピーして照合中：{done} / {total}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>With the list of downloads.</source>
        <translation>ダウンロードの一覧も含みます。</translation>
    </message>
    <message>
        <source>What models have read</source>
        <translation>モデルが読んだ内容</translation>
    </message>
    <message>
        <source>So that the next question of a chat need not be read from the start.</source>
        <translation>次の質問のときに、チャットを最初から読み直さずに済みます。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>The Hugging Face cache, shared with other programs.</source>
        <translation>ほかのプログラムと共有する Hugging Face のキャッシュです。</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>キャッシュ</translation>
    </message>
    <message>
        <source>What Tandem can make again when it needs it.</source>
        <translation>必要になれば Tandem が作り直せるものです。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>What you have chosen in this window.</source>
        <translation>このウインドウで選んだ内容です。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Show the folder: {name}</source>
        <translation>フォルダを表示：{name}</translation>
    </message>
    <message>
        <source>Move the folder: {name}</source>
        <translation>フォルダを移動：{name}</translation>
    </message>
    <message>
        <source>Move…</source>
        <translation>移動…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>消去</translation>
    </message>
    <message>
        <source>Clear the caches</source>
        <translation>キャッシュを消去</translation>
    </message>
    <message>
        <source>Clear what models have read</source>
        <translation>モデルが読んだ内容を消去</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>今すぐバックアップ</translation>
    </message>
    <message>
        <source>Back up the chats now</source>
        <translation>今すぐチャットをバックアップ</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>Store</name>
    <message>
        <source>The disk is full, so this chat cannot be saved. Free some space and save again.</source>
        <translation>ディスクがいっぱいのため、このチャットを保存できません。空きを作ってから、もう一度保存してください。</translation>
    </message>
    <message>
        <source>The chats cannot be changed: the disk or the file does not allow writing.</source>
        <translation>チャットを変更できません。ディスクまたはファイルへの書き込みが許可されていません。</translation>
    </message>
    <message>
        <source>The disk does not answer as it should, so this chat cannot be saved.</source>
        <translation>ディスクが正しく応答しないため、このチャットを保存できません。</translation>
    </message>
    <message>
        <source>Part of this chat could not be saved: {detail}</source>
        <translation>このチャットの一部を保存できませんでした：{detail}</translation>
    </message>
    <message>
        <source>Tandem is already open in another window, which has your chats. Nothing you write here is kept.</source>
        <translation>Tandem は別のウインドウですでに開いていて、チャットはそちらにあります。ここに書いた内容は保存されません。</translation>
    </message>
    <message>
        <source>Your chats were saved by a newer version of Tandem. Update Tandem; nothing you write here is kept.</source>
        <translation>チャットはより新しいバージョンの Tandem で保存されています。Tandem をアップデートしてください。ここに書いた内容は保存されません。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because the disk is full. Free some space and open Tandem again; nothing you write here is kept.</source>
        <translation>ディスクがいっぱいのため、チャットを開けません。空き容量を増やしてから Tandem を開き直してください。ここに書いた内容は保存されません。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because their disk or folder does not allow it. Nothing you write here is kept.</source>
        <translation>ディスクまたはフォルダの権限により、チャットを開けません。ここに書いた内容は保存されません。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened: {detail}. Nothing you write here is kept.</source>
        <translation>チャットを開けません（{detail}）。ここに書いた内容は保存されません。</translation>
    </message>
    <message>
        <source>The file of chats was damaged. What could be read is here; the damaged file is kept as {name}.</source>
        <translation>チャットのファイルが壊れていました。読み取れたものはここにあります。壊れたファイルは {name} として残してあります。</translation>
    </message>
</context>
<context>
    <name>ThinkingButton</name>
    <message>
        <source>Thinking: {level}</source>
        <translation>思考：{level}</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers in this chat</source>
        <translation>このチャットでモデルが回答の前に思考するかどうか</translation>
    </message>
</context>
<context>
    <name>ThinkingFold</name>
    <message>
        <source>Thinking… {count} tokens</source>
        <translation>思考中… {count} トークン</translation>
    </message>
    <message>
        <source>Thought for {time}, {count} tokens</source>
        <translation>思考時間 {time}、{count} トークン</translation>
    </message>
    <message>
        <source>Thought for {count} tokens</source>
        <translation>思考 {count} トークン</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>モデルが答える前に考えた内容を表示または隠す</translation>
    </message>
</context>
<context>
    <name>TimeBar</name>
    <message>
        <source>draft {draft} · verify {verify} · host {host}</source>
        <translation>ドラフト {draft} · 検証 {verify} · ホスト {host}</translation>
    </message>
</context>
<context>
    <name>TokenView</name>
    <message>
        <source>{source} · round {round}, position {position} · probability {percent}</source>
        <translation>{source} ・ラウンド {round}、位置 {position} ・確率 {percent}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Jump to the newest text</source>
        <translation>最新の部分へ移動</translation>
    </message>
</context>
<context>
    <name>Transfer</name>
    <message>
        <source>Untitled chat</source>
        <translation>無題のチャット</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>チャットを書き出す</translation>
    </message>
    <message>
        <source>Tandem chats</source>
        <translation>Tandem のチャット</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>すべてのチャットを書き出す</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>チャットを読み込む</translation>
    </message>
    <message>
        <source>Exported to {name}.</source>
        <translation>{name} に書き出しました。</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) exported.</source>
        <translation>
            <numerusform>%n 件のチャットを書き出しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Exporting to {name}…</source>
        <translation>{name} に書き出し中…</translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %n chat(s) so far.</source>
        <translation>
            <numerusform>{name} を読み込んでいます。これまでに %n 件のチャットを追加しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>The import of {name} was cut short when Tandem ended. Import the file again for the chats that are missing.</source>
        <translation>「{name}」の読み込み中に Tandem が終了しました。ファイルをもう一度読み込むと、残りのチャットが追加されます。</translation>
    </message>
    <message>
        <source>The export to {name} was cut short when Tandem ended. Export again to have all of it.</source>
        <translation>「{name}」への書き出し中に Tandem が終了しました。すべてを保存するには、もう一度書き出してください。</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) imported.</source>
        <translation>
            <numerusform>%n 件のチャットを読み込みました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) were here already.</source>
        <translation>
            <numerusform>%n 件のチャットはすでにあります。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>%n 件のチャットはゴミ箱にあるため、そのままにしました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>ファイル内の %n 件の項目は、チャットとして読み取れませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) of the file could not be read.</source>
        <translation>
            <numerusform>ファイルの %n 行は読み取れませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s), tool call(s) or thought(s) were left out.</source>
        <translation>
            <numerusform>添付ファイル、ツール呼び出し、思考 %n 件は読み込みませんでした。</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped. Import the file again for the chats that are missing.</source>
        <translation>読み込みを中止しました。ファイルをもう一度読み込むと、残りのチャットが追加されます。</translation>
    </message>
    <message>
        <source>That did not work: {detail}</source>
        <translation>実行できませんでした：{detail}</translation>
    </message>
    <message>
        <source>The export was stopped.</source>
        <translation>書き出しを中止しました。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>あなた</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>アシスタント</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>システムプロンプト</translation>
    </message>
    <message>
        <source>This answer was interrupted.</source>
        <translation>この回答は途中で中断されました。</translation>
    </message>
    <message>
        <source>This answer ended with an error.</source>
        <translation>この回答はエラーで終了しました。</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>思考</translation>
    </message>
</context>
<context>
    <name>TuningView</name>
    <message>
        <source>Measuring what rounds of every depth cost here. This takes a few seconds.</source>
        <translation>深さごとにラウンドにかかる時間を測っています。数秒で終わります。</translation>
    </message>
    <message>
        <source>Nothing could be measured.</source>
        <translation>測定できませんでした。</translation>
    </message>
    <message>
        <source>Plain decoding does {speed} tokens/s here.</source>
        <translation>ここでの通常のデコードは {speed} トークン/秒です。</translation>
    </message>
    <message>
        <source>Answers use this from now on. It took {time}.</source>
        <translation>これからの回答に使われます。所要時間は {time}でした。</translation>
    </message>
    <message>
        <source>It was stopped early: what was not reached keeps its old figures.</source>
        <translation>途中で停止しました。測れなかったものは前の値のままです。</translation>
    </message>
    <message numerus="yes">
        <source>Best here: %n guess(es) a round, {times} as fast as plain decoding.</source>
        <translation>
            <numerusform>ここでは 1 ラウンドに %n 個の推測が最適です。速さは通常のデコードの {times}です。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Best here: %n guess(es) a round, {times} as fast as plain decoding if as many are right as with most pairs. Your answers will show how many are.</source>
        <translation>
            <numerusform>ここでは 1 ラウンドに %n 個の推測が最適です。ほかのペアと同じくらい当たれば、速さは通常のデコードの {times}です。どれだけ当たるかは、これからの回答で分かります。</numerusform>
        </translation>
    </message>
    <message>
        <source>Plain decoding is fastest here: even guesses that are all right would not pay.</source>
        <translation>ここでは通常のデコードが最速です。推測がすべて当たっても効果がありません。</translation>
    </message>
    <message>
        <source>Plain decoding is fastest here. Guessing pays once more than {rate} of the guesses are right.</source>
        <translation>ここでは通常のデコードが最速です。推測が {rate} より多く当たれば効果があります。</translation>
    </message>
    <message>
        <source>Guesses</source>
        <translation>推測トークン</translation>
    </message>
    <message>
        <source>Plain steps</source>
        <translation>通常ステップ</translation>
    </message>
    <message>
        <source>Pays from</source>
        <translation>効果が出る率</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>予想速度</translation>
    </message>
    <message>
        <source>Tune on this machine</source>
        <translation>このマシンで調整</translation>
    </message>
    <message>
        <source>What a round costs in plain steps, how many of its guesses have to be right for it to pay, and the tokens a second that are expected of it.</source>
        <translation>1 ラウンドの所要時間（通常ステップ単位）、効果が出るのに必要な的中率、予想トークン/秒です。</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>もう一度測る</translation>
    </message>
</context>
<context>
    <name>TurnCommands</name>
    <message>
        <source>Copy the selection</source>
        <translation>選択範囲をコピー</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>回答を Markdown でコピー</translation>
    </message>
    <message>
        <source>Copy the answer as plain text</source>
        <translation>回答をプレーンテキストでコピー</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>メッセージをコピー</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>メッセージを編集</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>回答の続きを書く</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>ここから分岐</translation>
    </message>
    <message>
        <source>Read aloud: this system has no voice</source>
        <translation>読み上げ：このシステムには音声がありません</translation>
    </message>
    <message>
        <source>Read the answer aloud</source>
        <translation>回答を読み上げる</translation>
    </message>
</context>
<context>
    <name>TurnView</name>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>This answer was cut short when Tandem ended.</source>
        <translation>Tandem が終了したため、この回答は途中で切れています。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>停止しました。</translation>
    </message>
    <message>
        <source>Cut at its length limit.</source>
        <translation>長さの上限で打ち切られました。</translation>
    </message>
    <message>
        <source>Reading the chat: {share}</source>
        <translation>チャットを読んでいます：{share}</translation>
    </message>
    <message>
        <source>Thinking of the first token…</source>
        <translation>最初のトークンを考えています…</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>前のバージョン</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>次のバージョン</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>メッセージを編集</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>メッセージをコピー</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>回答を Markdown でコピー</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>ここから分岐</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>回答の続きを書く</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>そのほかの操作</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What is Tandem?</source>
        <translation>Tandem とは何ですか？</translation>
    </message>
    <message>
        <source>How does speculative decoding work?</source>
        <translation>投機的デコーディングはどう動きますか？</translation>
    </message>
    <message>
        <source>What does the accept rate mean?</source>
        <translation>採択率とは何ですか？</translation>
    </message>
    <message>
        <source>What would you like to know?</source>
        <translation>何を知りたいですか？</translation>
    </message>
    <message>
        <source>The models run on this computer. Nothing you write leaves it.</source>
        <translation>モデルはこのコンピュータで動きます。書いた内容が外に出ることはありません。</translation>
    </message>
</context>
<context>
    <name>_OfferRow</name>
    <message>
        <source>Getting it…</source>
        <translation>入手中…</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Get {size}</source>
        <translation>{size} を入手</translation>
    </message>
    <message>
        <source>With {draft} as draft</source>
        <translation>ドラフト：{draft}</translation>
    </message>
    <message>
        <source>{speed} expected (estimate)</source>
        <translation>見込み {speed}（推定）</translation>
    </message>
</context>
</TS>
