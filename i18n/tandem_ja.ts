<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>AboutWindow</name>
    <message>
        <source>About Tandem</source>
        <translation>Tandemについて</translation>
    </message>
    <message>
        <source>{name}, under the Apache License 2.0.</source>
        <translation>{name}はApache License 2.0で公開されています。</translation>
    </message>
    <message>
        <source>The interface is built with Qt, used unmodified under the GNU Lesser General Public License, version 3. You may replace Qt with your own version; its source code is available from the Qt Project.</source>
        <translation>インターフェイスはQtで作られています。QtはGNU LGPL（Lesser General Public License）バージョン3に基づき、変更せずに使用しています。自分でビルドしたQtに置き換えることができ、ソースコードはQt Projectから入手できます。</translation>
    </message>
    <message>
        <source>Show all licenses</source>
        <translation>すべてのライセンスを表示</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Tandem</source>
        <translation>Tandem</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>投機的デコーディング</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>ウインドウ</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>ヘルプ</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>スピーチ</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>編集</translation>
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
        <source>Zoom</source>
        <translation>拡大/縮小</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>前のチャット</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>次のチャット</translation>
    </message>
    <message>
        <source>Start the local API</source>
        <translation>ローカルAPIを開始</translation>
    </message>
    <message>
        <source>Let other programs on this Mac use the models</source>
        <translation>このMacのほかのプログラムがモデルを使えるようにする</translation>
    </message>
    <message>
        <source>Stop the local API</source>
        <translation>ローカルAPIを停止</translation>
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
        <source>Regenerate the last answer</source>
        <translation>最後の回答を再生成</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Continue the last answer</source>
        <translation>最後の回答の続きを生成</translation>
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
        <source>Archive this chat</source>
        <translation>このチャットをアーカイブ</translation>
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
        <source>Retry saving</source>
        <translation>保存をもう一度試す</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>キーボードショートカット</translation>
    </message>
    <message>
        <source>Show all commands with their keys</source>
        <translation>すべてのコマンドとキーを表示</translation>
    </message>
    <message>
        <source>Log of this session…</source>
        <translation>今回のセッションのログ…</translation>
    </message>
    <message>
        <source>Show what Tandem has recorded since it started</source>
        <translation>起動してからのTandemの記録を表示</translation>
    </message>
    <message>
        <source>Show chats in Finder</source>
        <translation>チャットをFinderに表示</translation>
    </message>
    <message>
        <source>Show the folder where chats are stored</source>
        <translation>チャットが保存されているフォルダを表示</translation>
    </message>
    <message>
        <source>Export chat…</source>
        <translation>チャットを書き出す…</translation>
    </message>
    <message>
        <source>Save this chat as Markdown, HTML, JSON or PDF</source>
        <translation>このチャットをMarkdown、HTML、JSON、PDFで保存</translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>プリント…</translation>
    </message>
    <message>
        <source>Print this chat</source>
        <translation>このチャットをプリント</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>すべてのチャットを書き出す…</translation>
    </message>
    <message>
        <source>Export all chats to a file or folder</source>
        <translation>すべてのチャットをファイルまたはフォルダに書き出す</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>チャットを読み込む…</translation>
    </message>
    <message>
        <source>Import chats from Tandem or another app</source>
        <translation>Tandemやほかのアプリからチャットを読み込む</translation>
    </message>
    <message>
        <source>Check for updates…</source>
        <translation>アップデートを確認…</translation>
    </message>
    <message>
        <source>Look for a newer version of Tandem</source>
        <translation>Tandemの新しいバージョンがあるか確認</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>設定…</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>設定を開く</translation>
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
        <source>System prompt and settings…</source>
        <translation>システムプロンプトと設定…</translation>
    </message>
    <message>
        <source>Edit this chat&apos;s system prompt and settings</source>
        <translation>このチャットのシステムプロンプトと設定を編集</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Pin chat</source>
        <translation>チャットをピン留め</translation>
    </message>
    <message>
        <source>Unpin chat</source>
        <translation>チャットのピン留めを外す</translation>
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
        <source>Cancel import or export</source>
        <translation>読み込み・書き出しをキャンセル</translation>
    </message>
    <message>
        <source>Cancel the import or export in progress</source>
        <translation>進行中の読み込み・書き出しをキャンセル</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>Tandemについて</translation>
    </message>
    <message>
        <source>Show version and licenses</source>
        <translation>バージョンとライセンスを表示</translation>
    </message>
    <message>
        <source>Search help…</source>
        <translation>ヘルプを検索…</translation>
    </message>
    <message>
        <source>Find an answer in the help of Tandem</source>
        <translation>Tandemのヘルプから回答を探す</translation>
    </message>
    <message>
        <source>Show crash report</source>
        <translation>クラッシュレポートを表示</translation>
    </message>
    <message>
        <source>Show the crash report</source>
        <translation>クラッシュレポートを表示</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>ウインドウを閉じる</translation>
    </message>
    <message>
        <source>Quit Tandem</source>
        <translation>Tandemを終了</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>取り消す</translation>
    </message>
    <message>
        <source>Undo typing</source>
        <translation>入力を取り消す</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>やり直す</translation>
    </message>
    <message>
        <source>Redo typing</source>
        <translation>入力をやり直す</translation>
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
        <source>Select all text</source>
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
        <translation>最後の回答をMarkdownでコピー</translation>
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
        <source>Focus message box</source>
        <translation>メッセージ欄に移動</translation>
    </message>
    <message>
        <source>Go to the message box</source>
        <translation>メッセージ欄に移動</translation>
    </message>
    <message>
        <source>Find in chat</source>
        <translation>チャット内を検索</translation>
    </message>
    <message>
        <source>Find text in this chat</source>
        <translation>このチャット内のテキストを検索</translation>
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
        <translation>チャットの検索欄に移動</translation>
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
        <source>Use the starter pair</source>
        <translation>スターターモデルを使う</translation>
    </message>
    <message>
        <source>Load the two small models that come with Tandem</source>
        <translation>Tandemに付属の小さなモデルを2つ読み込む</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>Speculate only when it is faster</source>
        <translation>高速になるときだけ投機的デコーディングを使う</translation>
    </message>
    <message>
        <source>On</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>Always speculate with the draft model</source>
        <translation>常にドラフトモデルで投機的デコーディングを行う</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Do not speculate</source>
        <translation>投機的デコーディングを使わない</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Show or hide the chat list</source>
        <translation>チャット一覧の表示を切り替え</translation>
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
        <source>Tint drafted tokens only while an answer is written</source>
        <translation>回答の生成中だけ、ドラフトによるトークンを色分け</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Always tint the tokens that were drafted</source>
        <translation>ドラフトによるトークンを常に色分け</translation>
    </message>
    <message>
        <source>Show chat list</source>
        <translation>チャット一覧を表示</translation>
    </message>
    <message>
        <source>Hide chat list</source>
        <translation>チャット一覧を非表示</translation>
    </message>
    <message>
        <source>Show live panel</source>
        <translation>ライブパネルを表示</translation>
    </message>
    <message>
        <source>Hide live panel</source>
        <translation>ライブパネルを非表示</translation>
    </message>
    <message>
        <source>Tint tokens while answering</source>
        <translation>回答中のみトークンを色分け</translation>
    </message>
    <message>
        <source>Always tint tokens</source>
        <translation>常にトークンを色分け</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>テキストを大きく</translation>
    </message>
    <message>
        <source>Make the text larger</source>
        <translation>テキストをより大きく表示</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>テキストを小さく</translation>
    </message>
    <message>
        <source>Make the text smaller</source>
        <translation>テキストをより小さく表示</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>標準のテキストサイズ</translation>
    </message>
    <message>
        <source>Show the text in its normal size</source>
        <translation>テキストを標準の大きさで表示</translation>
    </message>
    <message>
        <source>Enter full screen</source>
        <translation>フルスクリーンにする</translation>
    </message>
    <message>
        <source>Exit full screen</source>
        <translation>フルスクリーンを解除</translation>
    </message>
    <message>
        <source>Answer the last question with and without speculation, and compare the speeds</source>
        <translation>直前の質問に投機的デコーディングありとなしで回答し、速さを比べる</translation>
    </message>
    <message>
        <source>Request history…</source>
        <translation>リクエスト履歴…</translation>
    </message>
    <message>
        <source>Show all answers with their figures</source>
        <translation>すべての回答とその数値を表示</translation>
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
        <source>Show the main window</source>
        <translation>メインウインドウを表示</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>新規ウインドウで開く</translation>
    </message>
    <message>
        <source>Show this chat in a window of its own</source>
        <translation>このチャットを別のウインドウに表示</translation>
    </message>
    <message>
        <source>Ask in a small window, which answers in place</source>
        <translation>その場で答える小さなウインドウで質問</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>コマンドパレット…</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>コマンドを探す</translation>
    </message>
    <message>
        <source>Make the window as large as possible, or restore its size</source>
        <translation>ウインドウをできるだけ大きくする、または元の大きさに戻す</translation>
    </message>
    <message>
        <source>Go to the chat above this one in the list</source>
        <translation>チャット一覧で1つ上のチャットに移動</translation>
    </message>
    <message>
        <source>Go to the chat below this one in the list</source>
        <translation>チャット一覧で1つ下のチャットに移動</translation>
    </message>
    <message>
        <source>Restore the chat or messages you deleted last</source>
        <translation>最後に削除したチャットまたはメッセージを復元</translation>
    </message>
    <message>
        <source>Enter or exit full screen</source>
        <translation>フルスクリーンにする、または解除する</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新規フォルダ</translation>
    </message>
    <message>
        <source>Create a folder: a project with its own instructions and files</source>
        <translation>フォルダを作成：独自のシステムプロンプトとファイルを持つプロジェクト</translation>
    </message>
    <message>
        <source>Attach text, code, documents or pictures</source>
        <translation>テキスト、コード、文書、画像を添付</translation>
    </message>
    <message>
        <source>New temporary chat</source>
        <translation>新しい一時チャット</translation>
    </message>
    <message>
        <source>Start a chat that is not saved, and gone when you leave it</source>
        <translation>保存されず、ほかのチャットに移ると消えるチャットを始める</translation>
    </message>
    <message>
        <source>Keep this chat</source>
        <translation>このチャットを保存</translation>
    </message>
    <message>
        <source>Save this temporary chat with the others</source>
        <translation>この一時チャットをほかのチャットと一緒に保存</translation>
    </message>
    <message>
        <source>Quick entry</source>
        <translation>クイック入力</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>並べて表示</translation>
    </message>
    <message>
        <source>Show two versions of the last answer side by side</source>
        <translation>最後の回答の2つのバージョンを並べて表示</translation>
    </message>
</context>
<context>
    <name>AdvancedPage</name>
    <message>
        <source>Check now</source>
        <translation>今すぐチェック</translation>
    </message>
    <message>
        <source>Export diagnostics</source>
        <translation>診断情報の書き出し</translation>
    </message>
    <message>
        <source>Saved to {file}. It contains no chat text.</source>
        <translation>{file}に保存しました。チャットの本文は含まれていません。</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>ファイルを保存できませんでした。別のフォルダを選んでください。</translation>
    </message>
    <message>
        <source>Export diagnostics…</source>
        <translation>診断情報を書き出す…</translation>
    </message>
    <message>
        <source>Saves versions, settings, statistics and the log to a file you can review and share</source>
        <translation>バージョン、設定、統計、ログを、確認して共有できるファイルに保存</translation>
    </message>
    <message>
        <source>Checking. The loaded models are measured for about half a minute.</source>
        <translation>チェック中です。読み込み済みのモデルの速度を30秒ほど測定します。</translation>
    </message>
    <message>
        <source>Reads the chip, memory, power, heat and local network, and measures the loaded models for about half a minute. macOS may ask about the local network.</source>
        <translation>チップ、メモリ、電源、発熱、ローカルネットワークを調べ、読み込み済みのモデルの速度を30秒ほど測定します。macOSがローカルネットワークの使用について確認することがあります。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Check this Mac</source>
        <translation>このMacをチェック</translation>
    </message>
    <message>
        <source>Set up…</source>
        <translation>設定…</translation>
    </message>
    <message>
        <source>Splits a model too large for one Mac.</source>
        <translation>1台に収まらないモデルを分割します。</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>{file} has just changed, so it was left as it is. Look again.</source>
        <translation>{file}はたった今変更されたため、書き込みませんでした。もう一度確認してください。</translation>
    </message>
    <message>
        <source>{file} can&apos;t be written: {detail}.</source>
        <translation>{file}に書き込めません：{detail}</translation>
    </message>
    <message>
        <source>Tandem can&apos;t write the settings of {app}. Enter this there:</source>
        <translation>{app}の設定はTandemからは書き込めません。次の値をアプリで入力してください。</translation>
    </message>
    <message>
        <source>{app} then uses the model that Tandem has loaded.</source>
        <translation>これで{app}は、Tandemが読み込んでいるモデルを使います。</translation>
    </message>
    <message>
        <source>The API requires a key: enter it in {app}.</source>
        <translation>APIにはキーが必要です。{app}でキーを入力してください。</translation>
    </message>
    <message>
        <source>{app} takes its connection from these variables:</source>
        <translation>{app}は次の変数で接続します。</translation>
    </message>
    <message>
        <source>Tandem can&apos;t change {file} safely, so it stays as it is. Add this by hand:</source>
        <translation>{file}は安全に変更できないため、そのままにします。次の内容を自分で追加してください。</translation>
    </message>
    <message>
        <source>{app} is set up, in {file}.</source>
        <translation>{app}は{file}で設定済みです。</translation>
    </message>
    <message>
        <source>This is added to {file}. Everything else in it stays.</source>
        <translation>{file}にこの内容を追加します。ほかの内容は変わりません。</translation>
    </message>
    <message>
        <source>This file tells {app} about Tandem: {file}</source>
        <translation>このファイルで{app}にTandemを設定します：{file}</translation>
    </message>
    <message>
        <source>Written.</source>
        <translation>書き込みました。</translation>
    </message>
    <message>
        <source>Written. The file as it was: {copy}</source>
        <translation>書き込みました。以前のファイル：{copy}</translation>
    </message>
    <message>
        <source>Then choose the model “Tandem” in {app}.</source>
        <translation>その後、{app}でモデル「Tandem」を選択します。</translation>
    </message>
    <message>
        <source>Set them in the environment where {app} first starts. Later, enter them in its admin settings, under “Connections”.</source>
        <translation>{app}を初めて起動する環境で設定してください。その後は、管理者設定の「接続」に入力してください。</translation>
    </message>
    <message>
        <source>Then start it with: {command}</source>
        <translation>その後、次のコマンドで起動します：{command}</translation>
    </message>
    <message>
        <source>{app} is told to wait longer for an answer, because a long prompt can take minutes to process.</source>
        <translation>長いプロンプトの処理には数分かかることがあるため、{app}が回答を待つ時間も長く設定されます。</translation>
    </message>
    <message>
        <source>{app} won&apos;t work with this model: its first request has about {tokens} tokens, and the model&apos;s context is {context}. Choose one of these first: {models}.</source>
        <translation>このモデルでは{app}は動作しません。最初のリクエストが約{tokens}トークンあるのに対し、モデルのコンテキストは{context}トークンです。先に次のいずれかを選択してください：{models}。</translation>
    </message>
    <message>
        <source>{app} won&apos;t work with this model: its first request has about {tokens} tokens, and the model&apos;s context is {context}. Download one with a longer context first.</source>
        <translation>このモデルでは{app}は動作しません。最初のリクエストが約{tokens}トークンあるのに対し、モデルのコンテキストは{context}トークンです。先にコンテキストがより長いモデルをダウンロードしてください。</translation>
    </message>
    <message>
        <source>Then choose the model “Tandem” in {app}. If it requires a key, enter anything.</source>
        <translation>その後、{app}でモデル「Tandem」を選択します。キーを求められたら、何を入力してもかまいません。</translation>
    </message>
    <message>
        <source>The API requires a key: set {variable} to it where {app} starts.</source>
        <translation>APIにはキーが必要です。{app}を起動する環境で{variable}にキーを設定してください。</translation>
    </message>
</context>
<context>
    <name>Ahead</name>
    <message>
        <source>Choose a draft model first.</source>
        <translation>先にドラフトモデルを選んでください。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead on {host}.</source>
        <translation>{host}で先行ドラフトは使われません。</translation>
    </message>
    <message>
        <source>Drafting ahead was tried, but would not have made this answer faster.</source>
        <translation>先行ドラフトを試しましたが、この回答は速くならない見込みでした。</translation>
    </message>
    <message>
        <source>In {ready} of {rounds} rounds the draft was ready, which hid {time} of drafting.</source>
        <translation>{rounds}ラウンド中{ready}ラウンドで先行ドラフトが用意できていて、ドラフト生成の{time}分は検証の間に済んでいました。</translation>
    </message>
    <message>
        <source>Drafting ahead is starting.</source>
        <translation>先行ドラフトを開始しています。</translation>
    </message>
    <message>
        <source>A head drafts all tokens of a round in one pass, so there is nothing to prepare.</source>
        <translation>ヘッドは1回の計算でラウンドのドラフトをすべて生成するため、先に用意するものがありません。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: a second copy of the draft model does not fit in memory.</source>
        <translation>先行ドラフトは使われません。メモリが足りず、ドラフトモデルをもう1つ読み込めません。</translation>
    </message>
    <message>
        <source>Nothing was drafted ahead, because several answers were written at once.</source>
        <translation>複数の回答を同時に生成したため、先行ドラフトは使われませんでした。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead in chats with pictures.</source>
        <translation>画像のあるチャットでは先行ドラフトは使われません。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: that needs a draft model with the same tokenizer.</source>
        <translation>先行ドラフトは使われません。同じトークナイザーのドラフトモデルが必要です。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: this draft model cannot do it.</source>
        <translation>先行ドラフトは使われません。このドラフトモデルは対応していません。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: the copy of the draft model cannot be loaded.</source>
        <translation>先行ドラフトは使われません。ドラフトモデルのコピーを読み込めません。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: the process that drafts cannot be reached.</source>
        <translation>先行ドラフトは使われません。ドラフトを生成するプロセスに接続できません。</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped: the process that drafts quit unexpectedly twice.</source>
        <translation>先行ドラフトを停止しました。ドラフトを生成するプロセスが2回予期せず終了しました。</translation>
    </message>
    <message>
        <source>Drafting ahead rests, because answers are faster without it. It is tried again now and then.</source>
        <translation>先行ドラフトを休止しています。使わないほうが回答が速いためです。ときどき再試行します。</translation>
    </message>
    <message>
        <source>Drafting ahead rests, because its last drafts came too late or were not used. It is tried again later.</source>
        <translation>先行ドラフトを休止しています。直近のドラフトが間に合わなかったか、使われなかったためです。あとで再試行します。</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped for this answer: three drafts were not valid.</source>
        <translation>この回答では先行ドラフトを停止しました。3つのドラフトが正しくありませんでした。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: {host} cannot be reached on the network.</source>
        <translation>先行ドラフトは使われません。ネットワークで{host}に接続できません。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: {host} cannot load the draft model.</source>
        <translation>先行ドラフトは使われません。{host}でドラフトモデルを読み込めません。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: what answered at {host} did not prove that Tandem had started it.</source>
        <translation>先行ドラフトは使われません。{host}で応答したプログラムは、Tandemが起動したものだと証明できませんでした。</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped: the connection to {host} was lost twice.</source>
        <translation>先行ドラフトを停止しました。{host}との接続が2回切れました。</translation>
    </message>
</context>
<context>
    <name>Alerts</name>
    <message>
        <source>Note</source>
        <translation>メモ</translation>
    </message>
    <message>
        <source>Tip</source>
        <translation>ヒント</translation>
    </message>
    <message>
        <source>Important</source>
        <translation>重要</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Caution</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>Result of a tool</source>
        <translation>ツールの結果</translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答を停止しました。</translation>
    </message>
    <message>
        <source>The answer reached its length limit.</source>
        <translation>回答が長さの上限に達しました。</translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation>回答が完了しました。</translation>
    </message>
    <message>
        <source>{chat}: {sentence}</source>
        <translation>{chat}：{sentence}</translation>
    </message>
    <message>
        <source>Another chat</source>
        <translation>別のチャット</translation>
    </message>
    <message>
        <source>The model wants to use the tool “{tool}”.</source>
        <translation>モデルがツール「{tool}」を使おうとしています。</translation>
    </message>
    <message>
        <source>The tool “{tool}” waits for your reply.</source>
        <translation>ツール「{tool}」が返答を待っています。</translation>
    </message>
    <message>
        <source>The answer repeats itself and is paused. Continue it, or stop it.</source>
        <translation>回答が同じ内容を繰り返しているため、一時停止しました。続けるか、停止してください。</translation>
    </message>
</context>
<context>
    <name>AnswerBody</name>
    <message>
        <source>Shown without formatting, because an error occurred.</source>
        <translation>エラーが発生したため、書式なしで表示しています。</translation>
    </message>
    <message>
        <source>Shown without formatting, because this passage is very long.</source>
        <translation>この部分は非常に長いため、書式なしで表示しています。</translation>
    </message>
    <message>
        <source>Only the beginning of this very long text is shown. Copies and exports contain all of it.</source>
        <translation>非常に長いため、最初の部分だけを表示しています。コピーと書き出しにはすべて含まれます。</translation>
    </message>
</context>
<context>
    <name>AnswerFormatField</name>
    <message>
        <source>Checking the schema…</source>
        <translation>スキーマを確認中…</translation>
    </message>
    <message>
        <source>Every answer will be JSON that matches this schema.</source>
        <translation>すべての回答がこのスキーマに合うJSONになります。</translation>
    </message>
    <message>
        <source>Answer format</source>
        <translation>回答形式</translation>
    </message>
    <message>
        <source>JSON Schema</source>
        <translation>JSONスキーマ</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
</context>
<context>
    <name>AnswerNotice</name>
    <message>
        <source>An answer stopped with an error.</source>
        <translation>エラーのため回答が中断されました。</translation>
    </message>
    <message>
        <source>Your answer is ready.</source>
        <translation>回答が完了しました。</translation>
    </message>
    <message>
        <source>A tool is waiting for your permission.</source>
        <translation>ツールの使用許可を待っています。</translation>
    </message>
    <message>
        <source>A tool is waiting for your reply.</source>
        <translation>ツールが返答を待っています。</translation>
    </message>
    <message>
        <source>An answer repeats itself and is paused.</source>
        <translation>回答が同じ内容を繰り返しているため、一時停止しました。</translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Connect an app…</source>
        <translation>アプリを接続…</translation>
    </message>
    <message>
        <source>The local API is off.</source>
        <translation>ローカルAPIはオフです。</translation>
    </message>
    <message>
        <source>Running, for programs on this Mac only.</source>
        <translation>実行中です。このMacのプログラムだけが利用できます。</translation>
    </message>
    <message>
        <source>Running, but this Mac has no network address.</source>
        <translation>実行中ですが、このMacにはネットワークアドレスがありません。</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状況</translation>
    </message>
    <message>
        <source>Agents and editors</source>
        <translation>エージェントとエディタ</translation>
    </message>
    <message>
        <source>Sets up coding agents, editors and other apps to use the loaded model. You first see what is written.</source>
        <translation>コーディングエージェントやエディタなどが、読み込み済みのモデルを使うように設定します。書き込む内容は事前に確認できます。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隠す</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Try it in a terminal</source>
        <translation>ターミナルで試す</translation>
    </message>
    <message>
        <source>In other programs</source>
        <translation>ほかのプログラムでは</translation>
    </message>
    <message>
        <source>Choose “OpenAI-compatible” as the provider, enter the address above as the base URL, and any model name or “default”. As the key, enter the one above, or anything if there is none. For tools in a terminal, copy the variables that the official libraries read.</source>
        <translation>プロバイダには「OpenAI-compatible」を選び、ベースURLに上のアドレスを、モデルにはモデル名か「default」を入力してください。キーには上のキーを入力してください。上にキーがなければ、何を入力してもかまいません。ターミナルのツールには、公式ライブラリが読み込む環境変数をコピーして使えます。</translation>
    </message>
    <message>
        <source>The base address, without a path.</source>
        <translation>パスを付けないベースアドレスです。</translation>
    </message>
    <message>
        <source>The base address, without a path. For programs without a field for a key, put the key into the address: http://KEY@{place} or {address}/KEY</source>
        <translation>パスを付けないベースアドレスです。キーの入力欄がないプログラムでは、アドレスにキーを含めてください：http://KEY@{place}または{address}/KEY</translation>
    </message>
    <message>
        <source>For programs that use Ollama</source>
        <translation>Ollamaを使うプログラムで</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>リクエスト</translation>
    </message>
    <message>
        <source>No requests yet.</source>
        <translation>リクエストはまだありません。</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>新しいキー</translation>
    </message>
    <message>
        <source>Running, for programs on your network.</source>
        <translation>実行中です。ネットワーク内のほかのコンピュータのプログラムも利用できます。</translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>Attach files</source>
        <translation>ファイルを添付</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>{name} cannot be used: the picture is damaged, animated or too large.</source>
        <translation>「{name}」は使用できません。画像が破損しているか、アニメーションであるか、大きすぎます。</translation>
    </message>
    <message>
        <source>The text encoding of {name} was not recognized. Save it as UTF-8.</source>
        <translation>「{name}」の文字コードを認識できませんでした。UTF-8で保存し直し、もう一度添付してください。</translation>
    </message>
    <message>
        <source>{name} is too large for any model&apos;s context.</source>
        <translation>「{name}」は大きすぎて、どのモデルのコンテキストにも収まりません。</translation>
    </message>
    <message>
        <source>{name} cannot be read.</source>
        <translation>「{name}」を読み込めません。</translation>
    </message>
    <message>
        <source>{name} is no longer there.</source>
        <translation>「{name}」は元の場所にありません。</translation>
    </message>
    <message>
        <source>{name} contains more than {count} files. Choose a smaller folder.</source>
        <translation>「{name}」には{count}個を超えるファイルがあります。小さいフォルダを選択してください。</translation>
    </message>
    <message>
        <source>{name} is password-protected. Save a copy without a password and attach that.</source>
        <translation>「{name}」はパスワードで保護されています。パスワードなしのコピーを保存して、それを添付してください。</translation>
    </message>
    <message>
        <source>{name} is damaged: its text cannot be read.</source>
        <translation>「{name}」は壊れていて、本文を読み込めません。</translation>
    </message>
    <message>
        <source>{name} has an old format. Save it as DOCX, XLSX or PPTX, or as PDF. Where LibreOffice is installed, Tandem reads it as it is.</source>
        <translation>「{name}」は古い形式です。DOCX、XLSX、PPTX、またはPDFで保存してください。LibreOfficeがインストールされていれば、Tandemはそのまま読み込みます。</translation>
    </message>
    <message>
        <source>Tandem cannot read {name}. Open it in {program} and export it as PDF.</source>
        <translation>Tandemは「{name}」を読み込めません。{program}で開いてPDFとして書き出し、それを添付してください。</translation>
    </message>
    <message>
        <source>{name} contains only images, in which no text was recognized.</source>
        <translation>「{name}」には画像しかなく、その中の文字を認識できませんでした。</translation>
    </message>
    <message>
        <source>{name} contains only images, such as scanned pages. Run OCR on it first, or install Tesseract, with which Tandem reads them itself.</source>
        <translation>「{name}」にはスキャンしたページなどの画像しかありません。先に文字認識（OCR）を行うか、Tesseractをインストールしてください。インストールするとTandemが自分で読み込みます。</translation>
    </message>
    <message>
        <source>{name} takes too long to read and was skipped.</source>
        <translation>「{name}」は読み込みに時間がかかりすぎるため、スキップしました。</translation>
    </message>
    <message>
        <source>{name} takes too much memory to read and was skipped.</source>
        <translation>「{name}」は読み込みに必要なメモリが多すぎるため、スキップしました。</translation>
    </message>
    <message>
        <source>There was no time left to read {name}. The next question tries again.</source>
        <translation>「{name}」を読み込む時間が残りませんでした。次の質問のときにもう一度読み込みます。</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>ほか{count}件</translation>
    </message>
    <message>
        <source>These files take too long to read and were skipped: {files}</source>
        <translation>次のファイルは読み込みに時間がかかりすぎるため、スキップしました：{files}</translation>
    </message>
    <message>
        <source>{name} takes too long to read, so the chat begins with what it contained before.</source>
        <translation>「{name}」は読み込みに時間がかかりすぎるため、チャットは以前に読み込んだ内容で始まります。</translation>
    </message>
    <message>
        <source>{name} is not a text file. Tandem attaches text, code, documents and pictures.</source>
        <translation>「{name}」はテキストファイルではありません。Tandemに添付できるのは、テキスト、コード、文書、画像です。</translation>
    </message>
    <message>
        <source>{name} contains no text.</source>
        <translation>「{name}」にはテキストが含まれていません。</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>ファイル%Ln個</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>すべて外す</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count}トークン</translation>
    </message>
    <message>
        <source>reading… page {done} of {count}</source>
        <translation>読み込み中… {count}ページ中{done}ページ</translation>
    </message>
    <message>
        <source>reading… sheet {done} of {count}</source>
        <translation>読み込み中… 全{count}シート中{done}番目</translation>
    </message>
    <message>
        <source>reading… slide {done} of {count}</source>
        <translation>読み込み中… 全{count}枚中{done}枚目</translation>
    </message>
    <message>
        <source>reading… chapter {done} of {count}</source>
        <translation>読み込み中… 全{count}章中{done}番目</translation>
    </message>
    <message>
        <source>no text</source>
        <translation>テキストなし</translation>
    </message>
    <message>
        <source>read as {encoding}</source>
        <translation>{encoding}として読み込み</translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) recognized from pictures</source>
        <translation>
            <numerusform>画像から認識したページ%Lnページ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) uncertain</source>
        <translation>
            <numerusform>%Lnページは不確実</numerusform>
        </translation>
    </message>
    <message>
        <source>left out: {contents}</source>
        <translation>除外：{contents}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s), which this model can&apos;t see</source>
        <translation>
            <numerusform>画像%Ln枚（このモデルは画像非対応）</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown} of {count} pictures</source>
        <translation>画像{count}枚中{shown}枚</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s)</source>
        <translation>
            <numerusform>画像%Ln枚</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) as pictures, which this model can&apos;t see</source>
        <translation>
            <numerusform>画像として添付した%Lnページ（このモデルは画像非対応）</numerusform>
        </translation>
    </message>
    <message>
        <source>pages as pictures: {pages}</source>
        <translation>画像として添付したページ：{pages}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more page(s) with pictures as text only</source>
        <translation>
            <numerusform>画像を含む残り%Lnページはテキストのみ</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel reading {name}</source>
        <translation>「{name}」の読み込みをキャンセル</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>「{name}」を外す</translation>
    </message>
    <message>
        <source>Text only</source>
        <translation>テキストのみ</translation>
    </message>
    <message>
        <source>Attach the document without its pictures</source>
        <translation>画像を除いて文書を添付</translation>
    </message>
    <message>
        <source>Read as…</source>
        <translation>別の文字コードで読み込む…</translation>
    </message>
    <message>
        <source>If the text looks garbled, choose another encoding.</source>
        <translation>文字化けしている場合は、別の文字コードを選んでください。</translation>
    </message>
    <message>
        <source>Sheets…</source>
        <translation>シート…</translation>
    </message>
    <message>
        <source>Chapters…</source>
        <translation>章…</translation>
    </message>
    <message>
        <source>All sheets</source>
        <translation>すべてのシート</translation>
    </message>
    <message>
        <source>All chapters</source>
        <translation>すべての章</translation>
    </message>
    <message>
        <source>Slides…</source>
        <translation>スライド…</translation>
    </message>
    <message>
        <source>Pages…</source>
        <translation>ページ…</translation>
    </message>
    <message>
        <source>All slides</source>
        <translation>すべてのスライド</translation>
    </message>
    <message>
        <source>All pages</source>
        <translation>すべてのページ</translation>
    </message>
    <message>
        <source>Attach the ticked sheets</source>
        <translation>選択したシートを添付</translation>
    </message>
    <message>
        <source>Attach the ticked chapters</source>
        <translation>選択した章を添付</translation>
    </message>
    <message>
        <source>First to last, such as 1-40</source>
        <translation>最初から最後まで（例：1-40）</translation>
    </message>
    <message numerus="yes">
        <source>%Ln attached file(s)</source>
        <translation>
            <numerusform>添付ファイル%Ln個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln damaged part(s)</source>
        <translation>
            <numerusform>破損した部分%Lnか所</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted passage(s)</source>
        <translation>
            <numerusform>削除された箇所%Lnか所</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden column(s)</source>
        <translation>
            <numerusform>非表示の列%Ln列</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden row(s)</source>
        <translation>
            <numerusform>非表示の行%Ln行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden sheet(s)</source>
        <translation>
            <numerusform>非表示のシート%Ln枚</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden slide(s)</source>
        <translation>
            <numerusform>非表示のスライド%Ln枚</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden passage(s)</source>
        <translation>
            <numerusform>非表示のテキスト%Lnか所</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln invisible character(s)</source>
        <translation>
            <numerusform>見えない文字%Ln個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned page(s)</source>
        <translation>
            <numerusform>スキャンされたページ%Lnページ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable byte(s)</source>
        <translation>
            <numerusform>読み取れないバイト%Ln個</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable passage(s)</source>
        <translation>
            <numerusform>読み取れないテキスト%Lnか所</numerusform>
        </translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>読み込み中…</translation>
    </message>
</context>
<context>
    <name>BackupControls</name>
    <message>
        <source>The backups cannot be read. Check the permissions of their folder.</source>
        <translation>バックアップを読み込めません。保存先のフォルダの権限を確認してください。</translation>
    </message>
    <message>
        <source>Tandem makes a backup every day and keeps the last three.</source>
        <translation>毎日バックアップを作成し、最新の3件を残します。</translation>
    </message>
    <message>
        <source>The oldest is from {date}. Chats and messages deleted since then stay in it until it is replaced or deleted.</source>
        <translation>最も古いバックアップは{date}のものです。それ以降に削除したチャットとメッセージは、このバックアップが置き換えられるか削除されるまで、その中に残ります。</translation>
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
        <source>Restore a backup…</source>
        <translation>バックアップを復元…</translation>
    </message>
    <message>
        <source>Restore a backup of the chats</source>
        <translation>チャットのバックアップを復元</translation>
    </message>
    <message numerus="yes">
        <source>{date} · %Ln chat(s)</source>
        <translation>
            <numerusform>{date} · チャット%Ln件</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no backup yet. Tandem makes one every day.</source>
        <translation>バックアップはまだありません。毎日1件作成されます。</translation>
    </message>
    <message>
        <source>Don&apos;t restore</source>
        <translation>復元しない</translation>
    </message>
    <message>
        <source>Chats from {date} will be restored the next time you open Tandem. Your current chats are kept as a backup.</source>
        <translation>次にTandemを開くと、{date}のチャットを復元します。現在のチャットはバックアップとして残ります。</translation>
    </message>
    <message>
        <source>Your chats stay as they are.</source>
        <translation>チャットは現在のまま変わりません。</translation>
    </message>
    <message>
        <source>The chats could not be backed up. Check whether there is free space on the disk.</source>
        <translation>チャットをバックアップできませんでした。ディスクの空き容量を確認してください。</translation>
    </message>
    <message>
        <source>The chats were backed up to {file}.</source>
        <translation>チャットを{file}にバックアップしました。</translation>
    </message>
    <message>
        <source>All backups were deleted.</source>
        <translation>すべてのバックアップを削除しました。</translation>
    </message>
    <message>
        <source>Some backups could not be deleted. Check the permissions of their folder.</source>
        <translation>一部のバックアップを削除できませんでした。保存先のフォルダの権限を確認してください。</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message numerus="yes">
        <source>%Ln more notice(s)</source>
        <translation>
            <numerusform>ほかに%Ln件のお知らせ</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BrowserButton</name>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Could not be opened</source>
        <translation>開けませんでした</translation>
    </message>
</context>
<context>
    <name>CallCard</name>
    <message>
        <source>Show or hide the arguments and the result</source>
        <translation>引数と結果の表示を切り替え</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>引数</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>結果</translation>
    </message>
    <message>
        <source>Calling… {time}</source>
        <translation>呼び出し中… {time}</translation>
    </message>
    <message>
        <source>The same call was made before in this answer.</source>
        <translation>この回答では同じ呼び出しがすでにありました。</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>許可待ち</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>中断</translation>
    </message>
    <message>
        <source>Denied</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>The tool waits for your reply.</source>
        <translation>ツールが返答を待っています。</translation>
    </message>
    <message>
        <source>Tandem quit while the tool was running.</source>
        <translation>ツールの実行中にTandemが終了しました。</translation>
    </message>
    <message>
        <source>If it stays silent for {time}, it is stopped.</source>
        <translation>応答がないまま{time}たつと停止します。</translation>
    </message>
    <message>
        <source>Working: {done} so far.</source>
        <translation>処理中：これまでに{done}。</translation>
    </message>
    <message>
        <source>Working.</source>
        <translation>処理中です。</translation>
    </message>
    <message>
        <source>Working: {done} of {total}.</source>
        <translation>処理中：{done}/{total}。</translation>
    </message>
    <message>
        <source>Working: {share}.</source>
        <translation>処理中：{share}。</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>{model} wants to use {tool} of “{server}”.</source>
        <translation>{model}が「{server}」の{tool}を使おうとしています。</translation>
    </message>
    <message>
        <source>{model} wants to read {page}</source>
        <translation>{model}が読もうとしているページ：{page}</translation>
    </message>
    <message>
        <source>{model} wants to search {service} for {query}</source>
        <translation>{model}が{service}で検索しようとしています：{query}</translation>
    </message>
    <message>
        <source>{model} wants to search the web with {service} for {query}</source>
        <translation>{model}が{service}でWebを検索しようとしています：{query}</translation>
    </message>
    <message>
        <source>“{server}” says that this tool only reads.</source>
        <translation>「{server}」によると、このツールは読み取りだけを行います。</translation>
    </message>
    <message>
        <source>{site} learns which page you read.</source>
        <translation>どのページを読んだかが{site}に伝わります。</translation>
    </message>
    <message>
        <source>{service} sees these words. It finds its own articles, not all of the web.</source>
        <translation>この語句は{service}に送られます。見つかるのはその記事だけで、Web全体ではありません。</translation>
    </message>
    <message>
        <source>{service} sees these words.</source>
        <translation>この語句は{service}に送られます。</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Opens {address} in your browser.</source>
        <translation>ブラウザで{address}を開きます。</translation>
    </message>
    <message>
        <source>Model page…</source>
        <translation>モデルのページ…</translation>
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
        <source>Previous 7 days</source>
        <translation>過去7日間</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>過去30日間</translation>
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
        <source>{title}, generating</source>
        <translation>{title}、生成中</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>復元</translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>完全に削除</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>新規ウインドウで開く</translation>
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
        <source>Archive chat</source>
        <translation>チャットをアーカイブ</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>アーカイブを解除</translation>
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
        <source>New chat in this folder</source>
        <translation>このフォルダで新規チャット</translation>
    </message>
    <message>
        <source>System prompt and files…</source>
        <translation>システムプロンプトとファイル…</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展開</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折りたたむ</translation>
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
        <translation>フォルダだけを削除し、チャットは残す</translation>
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
        <source>Back to the chats</source>
        <translation>チャット一覧に戻る</translation>
    </message>
    <message>
        <source>Archive and trash</source>
        <translation>アーカイブとゴミ箱</translation>
    </message>
    <message>
        <source>Delete chats from the backups too</source>
        <translation>チャットをバックアップからも削除</translation>
    </message>
    <message>
        <source>Temporary chat</source>
        <translation>一時チャット</translation>
    </message>
    <message>
        <source>Your chats can&apos;t be read. Quit and reopen Tandem to repair them.</source>
        <translation>チャットを読み込めません。Tandemを終了してもう一度開くと修復されます。</translation>
    </message>
    <message>
        <source>No archived chats</source>
        <translation>アーカイブしたチャットなし</translation>
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
        <source>New chats will use these settings.</source>
        <translation>新しいチャットにこの設定が使われます。</translation>
    </message>
    <message>
        <source>Chat settings</source>
        <translation>チャットの設定</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Preset name</source>
        <translation>プリセット名</translation>
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
    <name>CheckReport</name>
    <message>
        <source>Results of the check</source>
        <translation>このMacのチェック結果</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>テキストとしてコピー</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>レポートをコピー</translation>
    </message>
    <message>
        <source>Copies the figures and the names of published models as one JSON object, for the table in Tandem&apos;s README. Nothing is sent.</source>
        <translation>測定値と公開されているモデルの名前を1つのJSONオブジェクトとしてコピーします。TandemのREADMEの表に載せるためのもので、何も送信されません。</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>コピーしました</translation>
    </message>
</context>
<context>
    <name>Checkup</name>
    <message>
        <source>Low Power Mode is on, which makes models slower.</source>
        <translation>低電力モードがオンのため、モデルの動作が遅くなります。</translation>
    </message>
    <message>
        <source>Low Power Mode is off.</source>
        <translation>低電力モードはオフです。</translation>
    </message>
    <message>
        <source>This Mac is hot, which makes models slower.</source>
        <translation>このMacは高温のため、モデルの動作が遅くなります。</translation>
    </message>
    <message>
        <source>Tandem can use it.</source>
        <translation>Tandemが使用できます。</translation>
    </message>
    <message>
        <source>macOS does not let Tandem use it. For multiple Macs, turn on Tandem in System Settings &gt; Privacy &amp; Security &gt; Local Network.</source>
        <translation>macOSがTandemに使用を許可していません。複数のMacを使うには、「システム設定 &gt; プライバシーとセキュリティ &gt; ローカルネットワーク」でTandemをオンにしてください。</translation>
    </message>
    <message>
        <source>Not measured.</source>
        <translation>測定していません。</translation>
    </message>
    <message>
        <source>Stopped before it was measured.</source>
        <translation>測定の前に停止しました。</translation>
    </message>
    <message>
        <source>Not measured, because another answer was being written. Try again later.</source>
        <translation>ほかの回答を生成中のため、測定していません。あとでもう一度お試しください。</translation>
    </message>
    <message>
        <source>Chip</source>
        <translation>チップ</translation>
    </message>
    <message>
        <source>System</source>
        <translation>システム</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>バージョン</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>Memory for models</source>
        <translation>モデルが使えるメモリ</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>電源</translation>
    </message>
    <message>
        <source>Heat</source>
        <translation>発熱</translation>
    </message>
    <message>
        <source>Local network</source>
        <translation>ローカルネットワーク</translation>
    </message>
    <message>
        <source>Slow, because OpenBLAS could not be loaded. On Debian and Ubuntu, this command installs it: {command}</source>
        <translation>OpenBLASを読み込めないため低速です。DebianとUbuntuでは、次のコマンドでインストールできます：{command}</translation>
    </message>
    <message>
        <source>Matrix products</source>
        <translation>行列の積</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>丸め</translation>
    </message>
    <message>
        <source>{speed} tokens/s, {gain}.</source>
        <translation>{speed}トークン/秒、{gain}です。</translation>
    </message>
    <message>
        <source>{speed} tokens/s.</source>
        <translation>{speed}トークン/秒です。</translation>
    </message>
    <message>
        <source>That is not noticeably faster than plain decoding.</source>
        <translation>通常のデコードと比べて目立って速くはありません。</translation>
    </message>
    <message>
        <source>- {name}: {value}</source>
        <translation>- {name}：{value}</translation>
    </message>
    <message>
        <source>{total}, of which {free} is free.</source>
        <translation>{total}のうち{free}が空いています。</translation>
    </message>
    <message>
        <source>iogpu.wired_limit_mb is set to {number}.</source>
        <translation>iogpu.wired_limit_mbは{number}に設定されています。</translation>
    </message>
    <message>
        <source>iogpu.wired_limit_mb is not set.</source>
        <translation>iogpu.wired_limit_mbは設定されていません。</translation>
    </message>
    <message>
        <source>Plain decoding</source>
        <translation>通常のデコード</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>投機的デコーディングあり</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>{speed}トークン/秒</translation>
    </message>
    <message>
        <source>Speculation is off in the settings.</source>
        <translation>設定で投機的デコーディングがオフになっています。</translation>
    </message>
    <message>
        <source>No draft tokens were used.</source>
        <translation>ドラフトトークンは使われませんでした。</translation>
    </message>
    <message>
        <source>{rate}% of the draft tokens were accepted.</source>
        <translation>ドラフトトークンの{rate}%が採用されました。</translation>
    </message>
    <message>
        <source>Not reported by the system.</source>
        <translation>システムからはわかりません。</translation>
    </message>
    <message>
        <source>The neural accelerators of this chip are not used, because this app was built for older versions of macOS. Tandem for macOS 26.2 or newer processes prompts several times as fast.</source>
        <translation>このアプリは以前のバージョンのmacOS用なので、このチップのニューラルアクセラレータを使えません。macOS 26.2以降用のTandemなら、プロンプトを数倍速く処理します。</translation>
    </message>
    <message>
        <source>The neural accelerators of this chip are not used, because the installed MLX was built for older versions of macOS. To process prompts several times as fast, run this command in Tandem&apos;s folder and open Tandem again: {command}</source>
        <translation>インストールされているMLXが以前のバージョンのmacOS用なので、このチップのニューラルアクセラレータを使えません。プロンプトを数倍速く処理するには、Tandemのフォルダで次のコマンドを実行し、Tandemを開き直してください：{command}</translation>
    </message>
    <message>
        <source>Heat does not slow models down.</source>
        <translation>発熱による速度の低下はありません。</translation>
    </message>
    <message>
        <source>This Mac is not connected to a network.</source>
        <translation>このMacはネットワークに接続していません。</translation>
    </message>
    <message>
        <source>Results of the check</source>
        <translation>このMacのチェック結果</translation>
    </message>
    <message>
        <source>{total}. The system does not report how much of it is free.</source>
        <translation>{total}。空き容量はシステムからはわかりません。</translation>
    </message>
    <message>
        <source>“Always the same text with and without speculation” is off, so the text may differ by rounding.</source>
        <translation>「投機的デコーディングの有無にかかわらず常に同じテキスト」がオフのため、丸めによってテキストが異なることがあります。</translation>
    </message>
    <message>
        <source>Verification</source>
        <translation>検証</translation>
    </message>
    <message>
        <source>Update to macOS 26.2 or newer: libraries that Tandem uses are built for a newer macOS than this one. On this version, answers can fail or be wrong.</source>
        <translation>macOS 26.2以降にアップデートしてください。Tandemが使うライブラリは、このmacOSより新しいバージョン向けに作られています。このバージョンでは、回答に失敗したり誤りが生じたりすることがあります。</translation>
    </message>
</context>
<context>
    <name>CloseButton</name>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>Cluster</name>
    <message>
        <source>“{detail}” isn&apos;t a name or an address of a computer. Change it and try again.</source>
        <translation>「{detail}」はコンピュータの名前でもアドレスでもありません。変更してもう一度お試しください。</translation>
    </message>
    <message>
        <source>macOS does not let Tandem connect to {host}. Open System Settings &gt; Privacy &amp; Security &gt; Local Network, turn on Tandem, and try again.</source>
        <translation>macOSが{host}へのTandemの接続を許可していません。「システム設定 &gt; プライバシーとセキュリティ &gt; ローカルネットワーク」でTandemをオンにして、もう一度お試しください。</translation>
    </message>
    <message>
        <source>{host} cannot be reached over SSH: {detail}. Allow remote login there, and set up a key that needs no password.</source>
        <translation>{host}にSSHで接続できません：{detail}。そのコンピュータでリモートログインをオンにし、パスワード不要の鍵を設定してください。</translation>
    </message>
    <message>
        <source>Tandem was not found on {host}: {detail}. Install it there.</source>
        <translation>{host}にTandemが見つかりません：{detail}。そのコンピュータにインストールしてください。</translation>
    </message>
    <message>
        <source>{host} does not have the model: {detail}. Download or copy it there.</source>
        <translation>{host}にモデルがありません：{detail}。そのコンピュータにダウンロードまたはコピーしてください。</translation>
    </message>
    <message>
        <source>{host} still needs to download {detail} of the model.</source>
        <translation>{host}にはモデルのファイルをあと{detail}ダウンロードする必要があります。</translation>
    </message>
    <message>
        <source>{host} disconnected: {detail}. Start again, or continue with a smaller model.</source>
        <translation>{host}との接続が切れました：{detail}。もう一度開始するか、より小さいモデルで続けてください。</translation>
    </message>
    <message>
        <source>{host} could not download the model: {detail}. Check its connection and try again.</source>
        <translation>{host}でモデルをダウンロードできませんでした：{detail}。接続を確認して、もう一度お試しください。</translation>
    </message>
    <message>
        <source>{host} does not have enough memory: {detail}. Choose a smaller model.</source>
        <translation>{host}のメモリが足りません：{detail}。より小さいモデルを選んでください。</translation>
    </message>
    <message>
        <source>The model cannot be divided among these computers: {detail}. Choose another model or another number of computers.</source>
        <translation>このモデルはこれらのコンピュータに分割できません：{detail}。別のモデルを選ぶか、コンピュータの台数を変えてください。</translation>
    </message>
    <message>
        <source>{host} did not start within {detail} seconds. Check it and try again.</source>
        <translation>{host}が{detail}秒以内に開始しませんでした。確認してもう一度お試しください。</translation>
    </message>
    <message>
        <source>{host} has not responded for {detail} seconds. Wake it up and check its connection, then start again.</source>
        <translation>{host}が{detail}秒間応答していません。スリープを解除して接続を確認し、もう一度開始してください。</translation>
    </message>
    <message>
        <source>{host} computed something different from the other computers: {detail}. Start again.</source>
        <translation>{host}の計算結果がほかのコンピュータと一致しません：{detail}。もう一度開始してください。</translation>
    </message>
    <message>
        <source>At least two computers are needed, but only {detail} is listed. Add another one.</source>
        <translation>コンピュータは2台以上必要ですが、一覧には{detail}台しかありません。もう1台追加してください。</translation>
    </message>
    <message>
        <source>One of the computers</source>
        <translation>いずれかのコンピュータ</translation>
    </message>
    <message>
        <source>The other computers cannot reach {host}. Enter the address that it has on the shared network.</source>
        <translation>ほかのコンピュータから{host}に接続できません。共有ネットワークでのアドレスを入力してください。</translation>
    </message>
    <message>
        <source>{host} has different versions: {detail}. Install the same version of Tandem on all computers.</source>
        <translation>{host}のバージョンが異なります：{detail}。すべてのコンピュータに同じバージョンのTandemをインストールしてください。</translation>
    </message>
    <message>
        <source>{host} has different files for the model {detail}. Download or copy it there again.</source>
        <translation>{host}にあるモデル{detail}のファイルが異なります。そのコンピュータにもう一度ダウンロードまたはコピーしてください。</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy this code</source>
        <translation>このコードをコピー</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>コード</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>プレビュー</translation>
    </message>
    <message>
        <source>Drawn without scripts and without loading anything</source>
        <translation>スクリプトを実行せず、何も読み込まずに描画しています</translation>
    </message>
    <message>
        <source>No preview</source>
        <translation>プレビューなし</translation>
    </message>
    <message>
        <source>Drawing…</source>
        <translation>描画中…</translation>
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
    <message>
        <source>No matching commands</source>
        <translation>一致するコマンドなし</translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message>
        <source>Stopped.</source>
        <translation>停止しました。</translation>
    </message>
    <message>
        <source>Different texts, both sampled from the main model&apos;s own distribution, because “Same distribution” is selected.</source>
        <translation>テキストは異なりますが、どちらもメインモデル自身の分布からサンプリングされています。「同一の分布」が選ばれているためです。</translation>
    </message>
    <message>
        <source>The texts differ from token {place} on: {guessed} or {plain}. This should not happen. Please report it and attach the diagnostics from Settings &gt; Advanced.</source>
        <translation>{place}番目のトークンからテキストが異なります（{guessed}と{plain}）。想定外の動作です。「設定 &gt; 詳細設定」から書き出した診断情報を添えて報告してください。</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Ask in the chat</source>
        <translation>チャットで質問</translation>
    </message>
    <message>
        <source>Use this one</source>
        <translation>こちらを使う</translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation>プロンプトを読み込み中…</translation>
    </message>
    <message>
        <source>The answer is too short to compare speeds.</source>
        <translation>回答が短すぎて速度を比較できません。</translation>
    </message>
    <message numerus="yes">
        <source>The same text as without drafts: all %Ln token(s) match.</source>
        <translation>
            <numerusform>ドラフトなしの場合と同じテキストです。%Lnトークンがすべて一致しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Identical up to token {place}. There, rounding can decide between {guessed} and {plain}. Both answers are right.</source>
        <translation>{place}番目のトークンの手前まで同一です。そこでは{guessed}と{plain}のどちらになるかが、丸めによって決まることがあります。どちらの回答も正しいものです。</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>投機的デコーディングあり</translation>
    </message>
    <message>
        <source>Without speculation</source>
        <translation>投機的デコーディングなし</translation>
    </message>
    <message>
        <source>Compare again</source>
        <translation>もう一度比較</translation>
    </message>
    <message>
        <source>About {times} as fast, same text</source>
        <translation>約{times}の速さ、同じテキスト</translation>
    </message>
    <message>
        <source>About {times} as fast</source>
        <translation>約{times}の速さ</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>This answer repeats itself, so its speed says nothing about other answers.</source>
        <translation>この回答は同じ内容を繰り返しているため、ほかの回答の速度は判断できません。</translation>
    </message>
    <message>
        <source>The same run was much faster another time. Compare again when this Mac is less busy.</source>
        <translation>同じ実行が別のときにはずっと速く終わりました。このMacの負荷が低いときに、もう一度比較してください。</translation>
    </message>
    <message>
        <source>Most answers here are {gain}; this one differs.</source>
        <translation>このMacの回答の多くは{gain}ですが、この回答は異なります。</translation>
    </message>
    <message>
        <source>With speculation: run {number} of 2</source>
        <translation>投機的デコーディングあり：{number}/2回目</translation>
    </message>
    <message>
        <source>Without speculation: run {number} of 2</source>
        <translation>投機的デコーディングなし：{number}/2回目</translation>
    </message>
    <message>
        <source>Too busy to measure</source>
        <translation>負荷が高くて測定できません</translation>
    </message>
    <message>
        <source>Copy as picture</source>
        <translation>画像としてコピー</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>{keys} to send · Enter for a new line</source>
        <translation>{keys}で送信 · Enterで改行</translation>
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
        <source>Shorten the message to fit the model&apos;s context</source>
        <translation>メッセージをモデルのコンテキストに収まるように短くする</translation>
    </message>
    <message>
        <source>Enter to send · Shift+Enter for a new line</source>
        <translation>Enterで送信 · Shift+Enterで改行</translation>
    </message>
</context>
<context>
    <name>ConnectCard</name>
    <message>
        <source>Connect an app</source>
        <translation>アプリを接続</translation>
    </message>
    <message>
        <source>App</source>
        <translation>アプリ</translation>
    </message>
    <message>
        <source>What is written</source>
        <translation>書き込む内容</translation>
    </message>
    <message>
        <source>Write the file</source>
        <translation>ファイルに書き込む</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Turn on the local API</source>
        <translation>ローカルAPIをオンにする</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>コマンドをコピー</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>The local API is off: turn it on for the app.</source>
        <translation>ローカルAPIがオフです。アプリが接続できるようにオンにしてください。</translation>
    </message>
    <message>
        <source>Taken back: {file}</source>
        <translation>元に戻しました：{file}</translation>
    </message>
</context>
<context>
    <name>ConsentButtons</name>
    <message>
        <source>Deny</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>許可</translation>
    </message>
    <message>
        <source>Allow {site} in this chat</source>
        <translation>このチャットで{site}を許可</translation>
    </message>
    <message>
        <source>Always allow {site}</source>
        <translation>{site}を常に許可</translation>
    </message>
    <message>
        <source>Allow in this chat</source>
        <translation>このチャットで許可</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>常に許可</translation>
    </message>
    <message>
        <source>Allow this call alone</source>
        <translation>この呼び出しだけを許可</translation>
    </message>
    <message>
        <source>Allow more than this call</source>
        <translation>この呼び出し以外も許可</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Queued until the answer has ended.</source>
        <translation>送信待ち：回答が終わると送信されます。</translation>
    </message>
    <message>
        <source>Queued until the model is ready.</source>
        <translation>送信待ち：モデルの準備中です。</translation>
    </message>
    <message>
        <source>Loading models… You can start typing.</source>
        <translation>モデルを読み込んでいます。先に入力できます。</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>メインモデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>This model can&apos;t see pictures</source>
        <translation>このモデルは画像を見ることができません</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model</source>
        <translation>{used} / {limit}トークン：このモデルには長すぎます</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: the oldest messages are dropped</source>
        <translation>{used} / {limit}トークン：古いメッセージから除きます</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>{used} / {limit}トークン</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>古いメッセージから除く</translation>
    </message>
    <message>
        <source>Keep the first {count} tokens of {name}</source>
        <translation>「{name}」の最初の{count}トークンだけ残す</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model, mostly {name}</source>
        <translation>{used} / {limit}トークン：このモデルには長すぎます（最大：{name}）</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>コピーしました</translation>
    </message>
</context>
<context>
    <name>CountedCalls</name>
    <message numerus="yes">
        <source>%Ln token(s)</source>
        <translation>
            <numerusform>%Lnトークン</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln request(s) under way.</source>
        <translation>
            <numerusform>%Ln件のリクエストを処理中です。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedTools</name>
    <message numerus="yes">
        <source>%Ln tool(s) ready.</source>
        <translation>
            <numerusform>%Ln個のツールを使えます。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more</source>
        <comment>at the end of a list of tools</comment>
        <translation>
            <numerusform>ほか%Ln個</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>about %Ln minute(s) left</source>
        <translation>
            <numerusform>残り約%Ln分</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln hour(s) left</source>
        <translation>
            <numerusform>残り約%Ln時間</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message>
        <source>Details</source>
        <translation>詳細</translation>
    </message>
    <message>
        <source>First token after {time}</source>
        <translation>最初のトークンまで{time}</translation>
    </message>
    <message>
        <source>{time} of it for pictures</source>
        <translation>うち{time}は画像</translation>
    </message>
    <message>
        <source>drafts saved {time}</source>
        <translation>ドラフトで{time}短縮</translation>
    </message>
    <message>
        <source>{cached} of {prompt} prompt tokens were remembered.</source>
        <translation>プロンプトの{prompt}トークンのうち{cached}トークンは記憶済みでした。</translation>
    </message>
</context>
<context>
    <name>DocumentParts</name>
    <message>
        <source>rows 1 to {last} of {count}</source>
        <translation>{count}行中1～{last}行</translation>
    </message>
    <message>
        <source>lines 1 to {last} of {count}</source>
        <translation>全{count}行のうち1～{last}行目</translation>
    </message>
    <message>
        <source>the end is left out</source>
        <translation>末尾は除外</translation>
    </message>
    <message>
        <source>sheets of {count}: {names}</source>
        <translation>全{count}シート中：{names}</translation>
    </message>
    <message>
        <source>chapters of {count}: {names}</source>
        <translation>全{count}章中：{names}</translation>
    </message>
    <message>
        <source>slide {first} of {count}</source>
        <translation>全{count}枚のスライド中{first}</translation>
    </message>
    <message>
        <source>chapter {first} of {count}</source>
        <translation>全{count}章中第{first}章</translation>
    </message>
    <message>
        <source>slides {first} to {last} of {count}</source>
        <translation>全{count}枚のスライド中{first}～{last}</translation>
    </message>
    <message>
        <source>Ask about chapters {first} to {last} of {name}</source>
        <translation>「{name}」の第{first}～{last}章について質問</translation>
    </message>
    <message>
        <source>page {first} of {count}</source>
        <translation>{count}ページ中{first}ページ</translation>
    </message>
    <message>
        <source>pages {first} to {last} of {count}</source>
        <translation>{count}ページ中{first}～{last}ページ</translation>
    </message>
    <message>
        <source>chapters {first} to {last} of {count}</source>
        <translation>全{count}章中第{first}～{last}章</translation>
    </message>
    <message>
        <source>Ask about {sheets} of {name}</source>
        <translation>「{name}」の{sheets}について質問</translation>
    </message>
    <message>
        <source>Ask about the chapters {chapters} of {name}</source>
        <translation>「{name}」の章{chapters}について質問</translation>
    </message>
    <message>
        <source>Ask about slide {first} of {name}</source>
        <translation>「{name}」のスライド{first}について質問</translation>
    </message>
    <message>
        <source>Ask about chapter {first} of {name}</source>
        <translation>「{name}」の第{first}章について質問</translation>
    </message>
    <message>
        <source>Ask about slides {first} to {last} of {name}</source>
        <translation>「{name}」のスライド{first}～{last}について質問</translation>
    </message>
    <message>
        <source>Ask about page {first} of {name}</source>
        <translation>「{name}」の{first}ページについて質問</translation>
    </message>
    <message>
        <source>Ask about pages {first} to {last} of {name}</source>
        <translation>「{name}」の{first}～{last}ページについて質問</translation>
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
        <source>I&apos;ve been granted access</source>
        <translation>アクセス権を取得済み</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>一覧から削除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Something went wrong in the engine. Try again.</source>
        <translation>エンジンで問題が起きました。もう一度お試しください。</translation>
    </message>
    <message>
        <source>“{actual}” isn&apos;t a valid value for {name}. Change it and try again.</source>
        <translation>「{actual}」は{name}に使えない値です。変更してもう一度お試しください。</translation>
    </message>
    <message>
        <source>No main model is loaded. Choose one at the top of the window.</source>
        <translation>メインモデルが読み込まれていません。ウインドウの上部で選んでください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template rejected this chat: {detail}. Start a new chat or choose another model.</source>
        <translation>モデルのチャットテンプレートがこのチャットを受け付けませんでした（{detail}）。新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>{limit} questions are already queued. Try again when one of them has been answered.</source>
        <translation>すでに{limit}件の質問が待機中です。どれかの回答が終わってから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template produced an empty prompt for this chat. Start a new chat or choose another model.</source>
        <translation>モデルのチャットテンプレートがこのチャットから空のプロンプトを生成しました。新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. It fits with {largest} tokens: shorten the context or choose a smaller draft model.</source>
        <translation>「{name}」はコンテキスト{context}トークンで{needed} GBのメモリが必要ですが、モデルが使えるのは{available} GBです。{largest}トークンなら収まります。コンテキストを短くするか、より小さいドラフトモデルを選んでください。</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. Choose a smaller model.</source>
        <translation>「{name}」はコンテキスト{context}トークンで{needed} GBのメモリが必要ですが、モデルが使えるのは{available} GBです。より小さいモデルを選んでください。</translation>
    </message>
    <message>
        <source>It fits with a {bits}-bit KV cache (Settings &gt; Generation).</source>
        <translation>KVキャッシュを{bits}ビットにすれば収まります（設定 &gt; 生成）。</translation>
    </message>
    <message>
        <source>A draft model of up to {draft} GB would fit.</source>
        <translation>ドラフトモデルは{draft} GBまでなら収まります。</translation>
    </message>
    <message>
        <source>The engine has stopped. Restart Tandem.</source>
        <translation>エンジンが停止しました。Tandemを再起動してください。</translation>
    </message>
    <message>
        <source>The engine hit an unexpected error: {detail}. Try again; if it happens again, restart Tandem.</source>
        <translation>エンジンで予期しないエラーが起きました（{detail}）。もう一度お試しください。繰り返す場合はTandemを再起動してください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped after {detail} seconds with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>このチャットでモデルのチャットテンプレートの処理が{detail}秒を超えたため、停止しました。メッセージを短くするか、新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped because it took too much memory with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>このチャットでモデルのチャットテンプレートがメモリを使いすぎたため、停止しました。メッセージを短くするか、新しいチャットを始めるか、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The answer format can&apos;t be used: {detail}.</source>
        <translation>回答形式を使えません：{detail}。</translation>
    </message>
    <message>
        <source>The schema isn&apos;t valid JSON: {detail}.</source>
        <translation>スキーマが正しいJSONではありません：{detail}。</translation>
    </message>
    <message>
        <source>Loading was cancelled.</source>
        <translation>読み込みをキャンセルしました。</translation>
    </message>
    <message>
        <source>Preparing this chat for the model failed several times. Close other apps to free up memory, then try again. If that doesn&apos;t help, choose another model.</source>
        <translation>モデルに渡すチャットの準備に何度か失敗しました。ほかのアプリを閉じてメモリを空けてから、もう一度お試しください。それでも解決しない場合は、別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>The schema has to be a JSON object in braces.</source>
        <translation>スキーマは波かっこで囲んだJSONオブジェクトである必要があります。</translation>
    </message>
    <message>
        <source>The answer format is too large. Shorten it.</source>
        <translation>回答形式が長すぎます。短くしてください。</translation>
    </message>
    <message>
        <source>The answer format is too complex: checking it was stopped after {detail} seconds. Simplify it.</source>
        <translation>回答形式が複雑すぎるため、{detail}秒で確認を中止しました。単純にしてください。</translation>
    </message>
    <message>
        <source>The answer format is too complex: checking it took too much memory. Simplify it.</source>
        <translation>回答形式が複雑すぎて、確認に必要なメモリが多すぎました。単純にしてください。</translation>
    </message>
    <message>
        <source>The answer so far doesn&apos;t follow the answer format, so it can&apos;t be continued. Regenerate it, or choose text as the answer format.</source>
        <translation>これまでの回答が回答形式に合っていないため、続けられません。再生成するか、回答形式で「テキスト」を選んでください。</translation>
    </message>
    <message>
        <source>The answer format became too complex while the answer was being written. Simplify it and try again.</source>
        <translation>回答の生成中に回答形式が複雑になりすぎました。単純にして、もう一度お試しください。</translation>
    </message>
    <message>
        <source>This chat is {tokens} tokens long; the model&apos;s context is {limit}. Start a new chat, shorten your message or choose a model with a longer context.</source>
        <translation>このチャットは{tokens}トークンですが、モデルのコンテキストは{limit}トークンです。新しいチャットを始めるか、メッセージを短くするか、コンテキストの長いモデルを選んでください。</translation>
    </message>
    <message>
        <source>The GPU failed, so all answers were stopped. Try again; if it happens again, choose a smaller model, ask fewer questions at once or start a new chat.</source>
        <translation>GPUでエラーが起きたため、すべての回答を停止しました。もう一度お試しください。繰り返す場合は、より小さいモデルを選ぶか、同時に送る質問を減らすか、新しいチャットを始めてください。</translation>
    </message>
    <message>
        <source>The GPU failed twice in a row, so {name} was unloaded. Choose a smaller model, ask fewer questions at once or start a new chat; the next question loads the model again.</source>
        <translation>GPUのエラーが2回続いたため、「{name}」をメモリから解放しました。より小さいモデルを選ぶか、同時に送る質問を減らすか、新しいチャットを始めてください。次に質問すると、モデルはもう一度読み込まれます。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template leaves pictures of this chat out. Choose another model.</source>
        <translation>モデルのチャットテンプレートがこのチャットの画像を抜かしています。別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>These parts of the schema can&apos;t be checked while an answer is being written, so an answer may differ from them: {detail}.</source>
        <translation>スキーマの次の部分は回答の生成中に確認できないため、回答がこれと異なることがあります：{detail}。</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{value}%</source>
        <translation>{value}%</translation>
    </message>
    <message>
        <source>{value} ms</source>
        <translation>{value}ミリ秒</translation>
    </message>
    <message>
        <source>{value} s</source>
        <translation>{value}秒</translation>
    </message>
    <message>
        <source>{value} min</source>
        <translation>{value}分</translation>
    </message>
    <message>
        <source>{value} h</source>
        <translation>{value}時間</translation>
    </message>
    <message>
        <source>{value}×</source>
        <translation>{value}倍</translation>
    </message>
    <message>
        <source>Low Power Mode is on: this Mac runs slower, with speculation and without it.</source>
        <translation>低電力モードがオンのため、投機的デコーディングの有無にかかわらず、このMacの動作は遅くなります。</translation>
    </message>
    <message>
        <source>This Mac is hot and runs slower, with speculation and without it.</source>
        <translation>このMacは高温になっているため、投機的デコーディングの有無にかかわらず、動作が遅くなります。</translation>
    </message>
    <message>
        <source>{value} tokens/s</source>
        <translation>{value}トークン/秒</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low}～{high}</translation>
    </message>
    <message>
        <source>{times} as fast</source>
        <translation>{times}の速さ</translation>
    </message>
    <message>
        <source>{value} to first token</source>
        <translation>最初のトークンまで{value}</translation>
    </message>
    <message>
        <source>older messages left out: {value}</source>
        <translation>除いた古いメッセージ{value}件</translation>
    </message>
    <message>
        <source>This text was given before, so this answer does not count in totals.</source>
        <translation>以前と同じテキストのため、この回答は合計に含めません。</translation>
    </message>
    <message>
        <source>{speed} tokens a second</source>
        <translation>{speed}トークン/秒</translation>
    </message>
    <message>
        <source>Round {number}: main model only</source>
        <translation>ラウンド{number}：メインモデルのみ</translation>
    </message>
    <message>
        <source>Rejected: {text}</source>
        <translation>不採用：{text}</translation>
    </message>
    <message>
        <source>This draft does not fit this model: fewer than 2% of its tokens are accepted. Choose another draft, or none.</source>
        <translation>このドラフトモデルはこのモデルに合っていません。ドラフトトークンの採用率が2%未満です。別のドラフトモデルを選ぶか、ドラフトモデルなしでお使いください。</translation>
    </message>
    <message>
        <source>main</source>
        <translation>メイン</translation>
    </message>
    <message>
        <source>drafted ahead</source>
        <translation>先行ドラフト</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>ドラフト</translation>
    </message>
    <message>
        <source>head</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>プロンプトルックアップ</translation>
    </message>
    <message>
        <source>from your chats</source>
        <translation>ほかのチャット</translation>
    </message>
    <message>
        <source>macOS is almost out of memory: this Mac runs slower, and Tandem reads the whole chat again before each answer. Close other apps.</source>
        <translation>macOSのメモリがほとんど残っていないため、このMacの動作が遅くなり、Tandemは回答のたびにチャット全体を読み直します。ほかのアプリを閉じてください。</translation>
    </message>
    <message>
        <source>answer format</source>
        <translation>回答形式</translation>
    </message>
    <message>
        <source>Repetitions are easy to draft, so this answer does not count in totals.</source>
        <translation>繰り返しはドラフトしやすいため、この回答は合計に含めません。</translation>
    </message>
    <message>
        <source>This Mac is busy: even plain decoding takes {times} as long as usual.</source>
        <translation>このMacの負荷が高くなっています。通常のデコードでさえ普段の{times}の時間がかかっています。</translation>
    </message>
    <message>
        <source>{accepted} of {drafted} drafts accepted</source>
        <translation>ドラフト{drafted}個中{accepted}個採用</translation>
    </message>
    <message>
        <source>{value} tokens a round instead of 1</source>
        <translation>1ラウンド{value}トークン（通常は1）</translation>
    </message>
    <message>
        <source>{value} tokens a round</source>
        <translation>1ラウンドあたり{value}トークン</translation>
    </message>
    <message>
        <source>Slow: this Mac is busy</source>
        <translation>低速：このMacの負荷が高くなっています</translation>
    </message>
    <message>
        <source>Round {number}: {accepted} of {drafted} drafts accepted ({source})</source>
        <translation>ラウンド{number}：ドラフト{drafted}個中{accepted}個採用（{source}）</translation>
    </message>
    <message>
        <source>First token: main model only</source>
        <translation>最初のトークン：メインモデルのみ</translation>
    </message>
</context>
<context>
    <name>FileReasons</name>
    <message>
        <source>{path} cannot be read or written to. Check its permissions and those of its folder, then try again.</source>
        <translation>{path}を読み書きできません。この項目とその上のフォルダのアクセス権を確認してから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>{path} cannot be written to, because its disk is read-only. Make the disk writable, then try again.</source>
        <translation>ディスクが読み出し専用のため、{path}に書き込めません。ディスクを書き込み可能にしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>{path} cannot be written to, because the disk is full. Free up space, then try again.</source>
        <translation>ディスクがいっぱいのため、{path}に書き込めません。空き容量を増やしてから、もう一度お試しください。</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{place} of {count}</source>
        <translation>{count}件中{place}件目</translation>
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
</context>
<context>
    <name>FirstRunOffer</name>
    <message>
        <source>Not now</source>
        <translation>今はしない</translation>
    </message>
    <message>
        <source>Other models…</source>
        <translation>ほかのモデル…</translation>
    </message>
    <message>
        <source>The Starter only knows Tandem.</source>
        <translation>スターターが知っているのはTandemのことだけです。</translation>
    </message>
</context>
<context>
    <name>FolderCard</name>
    <message>
        <source>Not connected. Connect the disk that this folder is on to see its models.</source>
        <translation>接続されていません。このフォルダのあるディスクを接続すると、モデルが表示されます。</translation>
    </message>
    <message>
        <source>No other models were found in this folder.</source>
        <translation>このフォルダにほかのモデルは見つかりませんでした。</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>一覧から外す</translation>
    </message>
</context>
<context>
    <name>FolderPage</name>
    <message>
        <source>Add files…</source>
        <translation>ファイルを追加…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>フォルダを追加…</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>New chat in this folder</source>
        <translation>このフォルダで新規チャット</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Every chat in this folder begins with all of these files, which the model reads whole; of documents, it gets the text without the pictures.</source>
        <translation>このフォルダのチャットはすべて、これらのファイルで始まります。モデルは全文を読み込みます。文書については、画像を除いたテキストだけです。</translation>
    </message>
    <message>
        <source>New chats begin with</source>
        <translation>新規チャットの開始時</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>ファイルを追加</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>フォルダを追加</translation>
    </message>
    <message>
        <source>As in other chats</source>
        <translation>ほかのチャットと同じ</translation>
    </message>
    <message>
        <source>Those that are loaded</source>
        <translation>読み込み済みのモデル</translation>
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
        <source>Chats begin with what it contained before.</source>
        <translation>チャットは以前に読み込んだ内容で始まります。</translation>
    </message>
    <message>
        <source>Not read: {files}</source>
        <translation>未読み込み：{files}</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>{used} / {limit}トークン</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens leave too little room for a chat. Remove: {files}</source>
        <translation>{used} / {limit}トークン：チャットに使える余地が足りません。外すファイル：{files}</translation>
    </message>
    <message>
        <source>Name of the folder</source>
        <translation>フォルダ名</translation>
    </message>
</context>
<context>
    <name>GeneralPage</name>
    <message>
        <source>{keys} belongs to another app or to macOS. Choose other keys.</source>
        <translation>{keys}はほかのアプリまたはmacOSが使用しています。ほかのキーを選んでください。</translation>
    </message>
    <message>
        <source>{keys} does not work. Use ⌃, ⌥ or ⌘ with a letter, digit, space or function key.</source>
        <translation>{keys}は使えません。⌃、⌥、⌘のいずれかを、英字、数字、スペースキー、ファンクションキーのどれかと一緒に押してください。</translation>
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
        <source>Converting {name}&#xa0;· once</source>
        <translation>{name}を変換中（初回のみ）</translation>
    </message>
    <message>
        <source>Converting {name}&#xa0;· once, {left}</source>
        <translation>{name}を変換中（初回のみ）、{left}</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>ドラフト</translation>
    </message>
    <message>
        <source>Draft (off)</source>
        <translation>ドラフト（オフ）</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>読み込みをキャンセル</translation>
    </message>
    <message>
        <source>Draft model: {name}. {state}</source>
        <translation>ドラフトモデル：{name}。{state}</translation>
    </message>
    <message>
        <source>Draft head: {name}. {state}</source>
        <translation>ヘッド：{name}。{state}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>読み込み中…</translation>
    </message>
    <message>
        <source>Loading… {share}</source>
        <translation>読み込み中… {share}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download(s) running</source>
        <translation>
            <numerusform>%Ln件をダウンロード中</numerusform>
        </translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>読み込み中…</translation>
    </message>
    <message>
        <source>Draft head (off)</source>
        <translation>ヘッド（オフ）</translation>
    </message>
    <message>
        <source>Draft head</source>
        <translation>ヘッド</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Draft source: {name}. {state}</source>
        <translation>ドラフトの生成方法：{name}。{state}</translation>
    </message>
</context>
<context>
    <name>HelpCard</name>
    <message>
        <source>Take me there.</source>
        <translation>その場所を開く</translation>
    </message>
</context>
<context>
    <name>HelpSearch</name>
    <message>
        <source>Questions</source>
        <translation>質問</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>ヘルプを検索</translation>
    </message>
    <message>
        <source>What would you like to know?</source>
        <translation>知りたいことは何ですか？</translation>
    </message>
    <message>
        <source>No matching questions</source>
        <translation>一致する質問はありません</translation>
    </message>
    <message>
        <source>Tandem help</source>
        <translation>Tandemヘルプ</translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>given before</source>
        <translation>以前と同じ</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>日付</translation>
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
        <source>Source</source>
        <translation>リクエスト元</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>高速化の倍率</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>トークン/秒</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>{program}, through the local API: only statistics are kept</source>
        <translation>{program}（ローカルAPI）：統計だけを保存</translation>
    </message>
    <message>
        <source>{title}: double-click to show the answer</source>
        <translation>{title}：ダブルクリックで回答を表示</translation>
    </message>
    <message>
        <source>repeats itself</source>
        <translation>繰り返し</translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation>ツールの呼び出し</translation>
    </message>
    <message>
        <source>{accepted} of {drafted}</source>
        <translation>{drafted}個中{accepted}個</translation>
    </message>
    <message>
        <source>Drafts accepted</source>
        <translation>採用されたドラフト</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>All models</source>
        <translation>すべてのモデル</translation>
    </message>
    <message>
        <source>No speed-up measured yet. Compare measures it.</source>
        <translation>高速化の倍率はまだ測定されていません。比較すると測定されます。</translation>
    </message>
    <message>
        <source>No answers yet. Each answer adds a row with its speed-up.</source>
        <translation>まだ回答がありません。回答のたびに、高速化の倍率を含む行が追加されます。</translation>
    </message>
    <message>
        <source>{main} is {faster} with {draft} on this Mac.</source>
        <translation>このMacでは「{main}」と「{draft}」の組み合わせで{faster}。</translation>
    </message>
    <message>
        <source>{main} is {faster} with prompt lookup on this Mac.</source>
        <translation>このMacでは「{main}」がプロンプトルックアップで{faster}。</translation>
    </message>
    <message>
        <source>Export the history</source>
        <translation>履歴の書き出し</translation>
    </message>
    <message>
        <source>Saved to {file}.</source>
        <translation>{file}に保存しました。</translation>
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
        <source>Answers and statistics</source>
        <translation>回答と統計</translation>
    </message>
    <message>
        <source>Draft tokens made no answers noticeably faster so far.</source>
        <translation>これまでのところ、ドラフトトークンで目立って速くなった回答はありません。</translation>
    </message>
    <message>
        <source>Export as {kind}</source>
        <translation>{kind}形式で書き出す</translation>
    </message>
    <message>
        <source>Compare measured no speed-up yet: this Mac was too busy, or the answer too short.</source>
        <translation>比較しましたが、高速化の倍率はまだ測定できていません。このMacの負荷が高すぎたか、回答が短すぎました。</translation>
    </message>
</context>
<context>
    <name>HubErrors</name>
    <message>
        <source>“Work offline” is on, so Tandem does not connect. Turn it off in the settings.</source>
        <translation>「オフラインで作業」がオンのため、接続しません。設定でオフにしてください。</translation>
    </message>
    <message>
        <source>The proxy does not respond or refuses to connect. Check its address in the settings.</source>
        <translation>プロキシが応答しないか、接続を拒否しています。設定でアドレスを確認してください。</translation>
    </message>
    <message>
        <source>{endpoint} does not respond like Hugging Face. Check your connection, or the mirror in the settings.</source>
        <translation>{endpoint}はHugging Faceとして応答しません。インターネット接続か、設定のミラーを確認してください。</translation>
    </message>
    <message>
        <source>Hugging Face is having problems (error {status}). Try again later.</source>
        <translation>Hugging Faceで問題が起きています（エラー{status}）。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>Hugging Face is rate-limiting requests. Try again later.</source>
        <translation>Hugging Faceがリクエストを制限しています。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>“{repository}” isn&apos;t a model ID. Use organization/name or a model page URL.</source>
        <translation>「{repository}」はモデルIDではありません。「組織/名前」の形か、モデルのページのURLを入力してください。</translation>
    </message>
    <message>
        <source>There is no model {repository}, or it is private. Check its name, or add a token in the settings.</source>
        <translation>{repository}というモデルはないか、非公開です。名前を確認するか、設定でトークンを追加してください。</translation>
    </message>
    <message>
        <source>{repository} has no version {revision}.</source>
        <translation>{repository}にバージョン{revision}はありません。</translation>
    </message>
    <message>
        <source>{repository} is gated. Accept the terms on its page, then add a token in the settings.</source>
        <translation>{repository}の利用には事前の同意が必要です。モデルのページで規約に同意してから、設定でトークンを追加してください。</translation>
    </message>
    <message>
        <source>Your token has no access to {repository}. Ask its owners, or add another token in the settings.</source>
        <translation>このトークンでは{repository}にアクセスできません。所有者に問い合わせるか、設定で別のトークンを追加してください。</translation>
    </message>
    <message>
        <source>Can&apos;t reach Hugging Face. Check your connection and try again.</source>
        <translation>Hugging Faceに接続できません。インターネット接続を確認して、もう一度お試しください。</translation>
    </message>
    <message>
        <source>The certificate of Hugging Face isn&apos;t trusted on this Mac. Check the mirror and the proxy in the settings.</source>
        <translation>このMacではHugging Faceの証明書を信頼できません。設定でミラーとプロキシを確認してください。</translation>
    </message>
    <message>
        <source>Hugging Face takes too long to answer. Try again later.</source>
        <translation>Hugging Faceの応答に時間がかかりすぎています。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>{file} arrives too slowly. Try again later or from another connection; nothing is lost.</source>
        <translation>{file}の受信が遅すぎます。しばらくしてから、または別の回線でもう一度お試しください。ダウンロード済みの分は失われません。</translation>
    </message>
    <message>
        <source>Hugging Face no longer has {file} of {repository}. Choose another model.</source>
        <translation>{repository}の{file}はもうHugging Faceにありません。別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Hugging Face rejected your token: it is wrong, expired or revoked. Add a new one in the settings.</source>
        <translation>Hugging Faceがトークンを拒否しました。間違っているか、期限切れか、取り消されています。設定で新しいトークンを追加してください。</translation>
    </message>
    <message>
        <source>{repository} has neither MLX weights nor GGUF files. Search for an MLX version of this model.</source>
        <translation>{repository}にはMLXの重みもGGUFファイルもありません。このモデルのMLX版を検索してください。</translation>
    </message>
    <message>
        <source>“{tag}” does not name one quantization of {repository}. Choose from: {tags}.</source>
        <translation>「{tag}」では{repository}の量子化を1つに決められません。{tags}から選んでください。</translation>
    </message>
    <message>
        <source>{repository} refers to a file outside its folder ({file}). Tandem won&apos;t download it.</source>
        <translation>{repository}がフォルダの外のファイル（{file}）を参照しています。Tandemはこれをダウンロードしません。</translation>
    </message>
    <message>
        <source>{needed} needed, but only {free} free on the disk. Free up space, then try again.</source>
        <translation>{needed}必要ですが、ディスクの空きは{free}です。空き容量を増やしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>The disk is full. Free up space, then try again; nothing is lost.</source>
        <translation>ディスクがいっぱいです。空き容量を増やしてから、もう一度お試しください。ダウンロード済みの分は失われません。</translation>
    </message>
    <message>
        <source>{path} cannot be written to. Check its permissions.</source>
        <translation>{path}に書き込めません。書き込み権限を確認してください。</translation>
    </message>
    <message>
        <source>{file} failed its checksum twice. Try again later or from another connection.</source>
        <translation>{file}のチェックサムが2回一致しませんでした。しばらくしてから、または別の回線でもう一度お試しください。</translation>
    </message>
    <message>
        <source>{repository} has no MTP head. Choose another draft.</source>
        <translation>{repository}にはMTPヘッドがありません。別のドラフトを選んでください。</translation>
    </message>
    <message>
        <source>{repository} lists an MTP head, but none of its files contains one. Choose another draft.</source>
        <translation>{repository}の設定にはMTPヘッドがあるとされていますが、ファイルには含まれていません。別のドラフトを選んでください。</translation>
    </message>
    <message>
        <source>The MTP head of {repository} is of a kind that Tandem can&apos;t run yet ({family}).</source>
        <translation>{repository}のMTPヘッドは、Tandemがまだ実行できない種類です（{family}）。</translation>
    </message>
    <message>
        <source>{repository} is no longer on this Mac.</source>
        <translation>{repository}はもうこのMacにありません。</translation>
    </message>
    <message>
        <source>Another program is downloading {repository}. Wait until it has finished.</source>
        <translation>別のプログラムが{repository}をダウンロードしています。終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>The starter pair is part of Tandem and can&apos;t be deleted.</source>
        <translation>スターターモデルはTandemの一部なので、削除できません。</translation>
    </message>
    <message>
        <source>This model belongs to {app}. Delete it there.</source>
        <translation>{app}のモデルです。そのアプリで削除してください。</translation>
    </message>
    <message>
        <source>This head is part of its main model&apos;s files. To delete it, delete the main model.</source>
        <translation>このヘッドはメインモデルのファイルの一部です。削除するには、メインモデルを削除してください。</translation>
    </message>
    <message>
        <source>This model is in your own folder {path}, which Tandem never deletes.</source>
        <translation>{path}はユーザ自身のフォルダのため、Tandemはその中のモデルを削除しません。</translation>
    </message>
    <message>
        <source>Can&apos;t move {path} to the Trash. Nothing was deleted.</source>
        <translation>{path}をゴミ箱に入れられません。何も削除されていません。</translation>
    </message>
</context>
<context>
    <name>ImportCard</name>
    <message>
        <source>Import chats</source>
        <translation>チャットを読み込む</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>フォルダを選択…</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>ファイルを選択…</translation>
    </message>
    <message>
        <source>{menu}. A link to the ZIP file comes by mail.</source>
        <translation>{menu}。ZIPファイルへのリンクがメールで届きます。</translation>
    </message>
    <message>
        <source>{menu}, as JSON</source>
        <translation>{menu}（JSON形式）</translation>
    </message>
    <message>
        <source>The ZIP file with the data of your account</source>
        <translation>アカウントのデータのZIPファイル</translation>
    </message>
    <message>
        <source>The files in {folder}</source>
        <translation>{folder}にあるファイル</translation>
    </message>
    <message>
        <source>A thread&apos;s messages.jsonl, beside its thread.json</source>
        <translation>スレッドのmessages.jsonl（同じフォルダにthread.json）</translation>
    </message>
    <message>
        <source>The backup, a ZIP file</source>
        <translation>バックアップのZIPファイル</translation>
    </message>
    <message>
        <source>File › Export all chats…</source>
        <translation>ファイル › すべてのチャットを書き出す…</translation>
    </message>
    <message>
        <source>Importing a file again adds only what is new. When choosing, {keys} goes to a hidden folder.</source>
        <translation>同じファイルをもう一度読み込むと、新しいものだけが追加されます。選択時に{keys}を押すと、不可視フォルダに移動できます。</translation>
    </message>
</context>
<context>
    <name>ImportExport</name>
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
        <translation>Tandemのチャット</translation>
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
        <translation>「{name}」に書き出しました。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) exported.</source>
        <translation>
            <numerusform>%Ln件のチャットを書き出しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Exporting to {name}…</source>
        <translation>「{name}」に書き出し中…</translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %Ln chat(s) so far.</source>
        <translation>
            <numerusform>「{name}」を読み込んでいます。これまでに%Ln件のチャットを追加しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} could not be read or written: {detail}</source>
        <translation>{name}を読み書きできませんでした：{detail}</translation>
    </message>
    <message>
        <source>Show in Finder</source>
        <translation>Finderに表示</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) imported.</source>
        <translation>
            <numerusform>%Ln件のチャットを読み込みました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) were skipped because they already exist.</source>
        <translation>
            <numerusform>すでにある%Ln件のチャットをスキップしました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>%Ln件のチャットはゴミ箱にあるため、そのままにしました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) have no question or answer and were left out.</source>
        <translation>
            <numerusform>質問も回答もない%Ln件のチャットは取り込みませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>ファイル内の%Ln件の項目は、チャットとして読み込めませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s) of the file could not be read.</source>
        <translation>
            <numerusform>ファイルの%Ln行は読み込めませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) of neither you nor a model were left out.</source>
        <translation>
            <numerusform>あなたのものでもモデルのものでもないメッセージ%Ln件は読み込みませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), tool call(s) or reasoning text(s) were left out.</source>
        <translation>
            <numerusform>添付ファイル、ツール呼び出し、思考のうち、%Ln件は読み込みませんでした。</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was canceled. Import the file again to add the missing chats.</source>
        <translation>読み込みをキャンセルしました。ファイルをもう一度読み込むと、残りのチャットが追加されます。</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>This call failed.</source>
        <translation>この呼び出しは失敗しました。</translation>
    </message>
    <message>
        <source>This call was interrupted.</source>
        <translation>この呼び出しは中断されました。</translation>
    </message>
    <message>
        <source>The operation failed: {detail}</source>
        <translation>実行できませんでした：{detail}</translation>
    </message>
    <message>
        <source>The export was canceled.</source>
        <translation>書き出しをキャンセルしました。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>ユーザ</translation>
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
        <translation>この回答は中断されました。</translation>
    </message>
    <message>
        <source>This answer ended with an error.</source>
        <translation>この回答はエラーで終了しました。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) of one agent with another were left out.</source>
        <translation>
            <numerusform>エージェント同士の%Ln件のチャットは取り込みませんでした。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) between agents were left out.</source>
        <translation>
            <numerusform>エージェント同士のメッセージ%Ln件は読み込みませんでした。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>KnownServers</name>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時刻</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>メモ</translation>
    </message>
    <message>
        <source>Git</source>
        <translation>Git</translation>
    </message>
    <message>
        <source>Sees only the time zones that the model asks about.</source>
        <translation>モデルが尋ねるタイムゾーンだけを見ます。</translation>
    </message>
    <message>
        <source>Sees what the model wants to remember, and keeps it on this Mac for all chats.</source>
        <translation>モデルが記憶したい内容を見て、すべてのチャットのためにこのMacに保存します。</translation>
    </message>
    <message>
        <source>Sees the files and the history of a repository that you choose, and can commit to it.</source>
        <translation>選択したリポジトリのファイルと履歴を見て、コミットできます。</translation>
    </message>
    <message>
        <source>This Mac has no command “npx”. To get it, install Node.js from nodejs.org.</source>
        <translation>このMacには「npx」コマンドがありません。nodejs.orgからNode.jsをインストールすると使えます。</translation>
    </message>
    <message>
        <source>This Mac has no command “uvx”. To get it, install uv from docs.astral.sh/uv.</source>
        <translation>このMacには「uvx」コマンドがありません。docs.astral.sh/uvからuvをインストールすると使えます。</translation>
    </message>
    <message>
        <source>Reads and changes the files in a folder that you choose.</source>
        <translation>選択したフォルダのファイルを読み取り、変更します。</translation>
    </message>
    <message>
        <source>It is a program from {registry} and runs with your rights on this Mac. Allow it only if you trust its makers.</source>
        <translation>{registry}のプログラムで、このMacでユーザの権限で動作します。作者を信頼できる場合にだけ許可してください。</translation>
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
    <name>LocalApi</name>
    <message>
        <source>waiting</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>回答中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>unknown program</source>
        <translation>不明なプログラム</translation>
    </message>
    <message>
        <source>Another program uses port {port}. Choose another one.</source>
        <translation>ポート{port}はほかのプログラムが使用しています。別のポートを選んでください。</translation>
    </message>
    <message>
        <source>The system does not allow port {port}. Choose one above 1023.</source>
        <translation>ポート{port}はシステムで許可されていません。1023より大きいポートを選んでください。</translation>
    </message>
    <message>
        <source>This Mac has no address {host}.</source>
        <translation>このMacにアドレス{host}はありません。</translation>
    </message>
    <message>
        <source>The local API could not start.</source>
        <translation>ローカルAPIを開始できませんでした。</translation>
    </message>
    <message>
        <source>processing the prompt</source>
        <translation>プロンプトを処理中</translation>
    </message>
    <message>
        <source>The local API is running at {address}.</source>
        <translation>ローカルAPIを{address}で実行中です。</translation>
    </message>
</context>
<context>
    <name>Machines</name>
    <message>
        <source>Running on {count} Macs: {names}</source>
        <translation>{count}台のMacで実行中：{names}</translation>
    </message>
    <message>
        <source>This Mac</source>
        <translation>このMac</translation>
    </message>
    <message>
        <source>{name} is ready</source>
        <translation>{name}は準備完了</translation>
    </message>
    <message>
        <source>{size} for models</source>
        <translation>モデル用に{size}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>round trip {time}</source>
        <translation>往復{time}</translation>
    </message>
    <message>
        <source>{name} is downloading: {done} of {total}</source>
        <translation>{name}でダウンロード中：{done} / {total}</translation>
    </message>
    <message>
        <source>{name}: layers {first} to {last}</source>
        <translation>{name}：レイヤー{first}～{last}</translation>
    </message>
    <message>
        <source>{name}: parts {first} to {last} of every layer</source>
        <translation>{name}：各レイヤーの{first}～{last}番目の部分</translation>
    </message>
    <message>
        <source>needs {size}</source>
        <translation>{size}必要</translation>
    </message>
    <message>
        <source>needs {size} of {free}</source>
        <translation>{free}のうち{size}必要</translation>
    </message>
    <message>
        <source>needs {size}, but only {free} can be used</source>
        <translation>{size}必要ですが、使えるのは{free}だけです</translation>
    </message>
</context>
<context>
    <name>MachinesPage</name>
    <message>
        <source>Download on the other Macs</source>
        <translation>ほかのMacにダウンロード</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状況</translation>
    </message>
    <message>
        <source>Downloading on the other Macs…</source>
        <translation>ほかのMacで必要なファイルをダウンロード中…</translation>
    </message>
    <message>
        <source>Checking the Macs…</source>
        <translation>Macを確認中…</translation>
    </message>
    <message>
        <source>Starting the Macs…</source>
        <translation>複数のMacでモデルを起動中…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>停止中…</translation>
    </message>
    <message>
        <source>Enter another Mac first.</source>
        <translation>まず、ほかのMacを入力してください。</translation>
    </message>
    <message>
        <source>What the check found</source>
        <translation>確認の結果</translation>
    </message>
    <message>
        <source>Another Mac can draft the next round while this Mac&apos;s main model checks the current one.</source>
        <translation>このMacのメインモデルがこのラウンドを検証している間に、別のMacが次のラウンドのドラフトを生成できます。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Splits a model too large for one Mac. Click Check to see what each Mac needs to download.</source>
        <translation>1台に収まらないモデルを分割します。「確認」をクリックすると、それぞれのMacに必要なダウンロードがわかります。</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>確認</translation>
    </message>
    <message>
        <source>Running on this Mac only.</source>
        <translation>このMacだけで実行中です。</translation>
    </message>
    <message>
        <source>Over a network, nothing that the Macs exchange is encrypted. Connect them only over a network you trust, or by Thunderbolt.</source>
        <translation>ネットワーク経由では、Macの間の通信は暗号化されません。信頼できるネットワークかThunderboltでのみ接続してください。</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Temporary chat</source>
        <translation>一時チャット</translation>
    </message>
</context>
<context>
    <name>MemoryGauge</name>
    <message>
        <source>Scanning models…</source>
        <translation>モデルをスキャン中…</translation>
    </message>
    <message>
        <source>{free} of {limit} free for models</source>
        <translation>モデル用の空き：{free} / {limit}</translation>
    </message>
    <message>
        <source>This choice: {choice} · then free: {free}</source>
        <translation>このモデル：{choice} · 選択後の空き：{free}</translation>
    </message>
    <message>
        <source>This choice: {choice} · {free} too much</source>
        <translation>このモデル：{choice} · {free}超過</translation>
    </message>
</context>
<context>
    <name>MenuBarItem</name>
    <message>
        <source>No model is loaded</source>
        <translation>読み込まれているモデルはありません</translation>
    </message>
    <message>
        <source>Unload models</source>
        <translation>モデルを解放</translation>
    </message>
</context>
<context>
    <name>MermaidButton</name>
    <message>
        <source>Open in mermaid.live…</source>
        <translation>mermaid.liveで開く…</translation>
    </message>
    <message>
        <source>Open this diagram on mermaid.live?</source>
        <translation>この図をmermaid.liveで開きますか？</translation>
    </message>
    <message>
        <source>Its text goes into the part of the address that browsers do not send. The website&apos;s scripts read it there and draw it. They could pass it on.</source>
        <translation>図のテキストは、アドレスのうちブラウザが送信しない部分に入ります。ウェブサイトのスクリプトがそれを読み取って図を描きます。ほかへ送信することもできます。</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Download as draft</source>
        <translation>ドラフトとしてダウンロード</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>ファイルを検査</translation>
    </message>
    <message>
        <source>It is in use. Choose another model first.</source>
        <translation>使用中です。ほかのモデルに切り替えてから削除してください。</translation>
    </message>
    <message>
        <source>Other apps that use the Hugging Face cache will lose it too.</source>
        <translation>Hugging Faceキャッシュを使うほかのアプリからも消えます。</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>削除…</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>おすすめ</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量子化</translation>
    </message>
    <message>
        <source>Delete this model? ({size})</source>
        <translation>このモデルを削除しますか？（{size}）</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
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
        <source>multiple Macs</source>
        <translation>複数のMac</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>ぎりぎり</translation>
    </message>
    <message>
        <source>Move to Trash…</source>
        <translation>ゴミ箱に入れる…</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>一覧から外す</translation>
    </message>
    <message>
        <source>Details: {name}</source>
        <translation>詳細：{name}</translation>
    </message>
    <message>
        <source>Move this model to the Trash? ({size})</source>
        <translation>このモデルをゴミ箱に入れますか？（{size}）</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>ゴミ箱に入れる</translation>
    </message>
    <message>
        <source>Other files in its folder stay.</source>
        <translation>フォルダ内のほかのファイルはそのまま残ります。</translation>
    </message>
    <message>
        <source>Remove this folder with its models from the list? No file is deleted.</source>
        <translation>このフォルダとその中のモデルを一覧から外しますか？ファイルは削除されません。</translation>
    </message>
    <message>
        <source>The file {file} stays.</source>
        <translation>ファイル{file}は残ります。</translation>
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
        <translation>「{name}」の準備ができました。</translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation>ダウンロードを表示</translation>
    </message>
</context>
<context>
    <name>ModelReasons</name>
    <message>
        <source>Its folder contains no model.</source>
        <translation>フォルダにモデルがありません。</translation>
    </message>
    <message>
        <source>It is a head, not a model.</source>
        <translation>モデルではなくヘッドです。</translation>
    </message>
    <message>
        <source>It requires running its own code or reading files outside its folder ({detail}).</source>
        <translation>独自のコードの実行、またはフォルダの外にあるファイルの読み込みが必要です（{detail}）。</translation>
    </message>
    <message>
        <source>Its weights are all zero.</source>
        <translation>重みがすべて0です。</translation>
    </message>
    <message>
        <source>Reading it took too much time or memory.</source>
        <translation>読み込みに時間かメモリがかかりすぎます。</translation>
    </message>
    <message>
        <source>It writes text by diffusion, not token by token.</source>
        <translation>トークンを1つずつ生成するのではなく、拡散（ディフュージョン）で文章を生成します。</translation>
    </message>
    <message>
        <source>Its folder is missing ({detail}).</source>
        <translation>フォルダがありません（{detail}）。</translation>
    </message>
    <message>
        <source>One of its files is missing ({detail}).</source>
        <translation>ファイルが足りません（{detail}）。</translation>
    </message>
    <message>
        <source>One of its files is damaged ({detail}).</source>
        <translation>ファイルが壊れています（{detail}）。</translation>
    </message>
    <message>
        <source>Its weights don&apos;t match its configuration ({detail}).</source>
        <translation>重みが構成ファイルと一致しません（{detail}）。</translation>
    </message>
    <message>
        <source>Its architecture is not supported yet ({detail}).</source>
        <translation>まだ対応していないアーキテクチャです（{detail}）。</translation>
    </message>
    <message>
        <source>It makes embeddings or sorts texts.</source>
        <translation>埋め込みの作成やテキストの分類を行うモデルです。</translation>
    </message>
    <message>
        <source>It only reads the text in pictures.</source>
        <translation>画像の中の文字を読み取るだけのモデルです。</translation>
    </message>
    <message>
        <source>It makes decisions.</source>
        <translation>判定だけを行うモデルです。</translation>
    </message>
    <message>
        <source>It makes pictures, films or sounds.</source>
        <translation>画像・動画・音声を生成するモデルです。</translation>
    </message>
    <message>
        <source>It is only a part of a model ({detail}).</source>
        <translation>モデルの一部にすぎません（{detail}）。</translation>
    </message>
    <message>
        <source>It is an adapter for a family that runs through mlx-vlm ({detail}).</source>
        <translation>mlx-vlmを通して動く系列のアダプターです（{detail}）。</translation>
    </message>
    <message>
        <source>Its kind of head is not supported yet ({detail}).</source>
        <translation>まだ対応していない種類のヘッドです（{detail}）。</translation>
    </message>
    <message>
        <source>The layers of the main model cannot be read ({detail}).</source>
        <translation>メインモデルのレイヤーを読み込めません（{detail}）。</translation>
    </message>
    <message>
        <source>It was made for another main model ({detail}).</source>
        <translation>別のメインモデル用に作られています（{detail}）。</translation>
    </message>
    <message>
        <source>Its main model was not found ({detail}).</source>
        <translation>メインモデルが見つかりません（{detail}）。</translation>
    </message>
    <message>
        <source>It is an adapter for another main model ({detail}).</source>
        <translation>別のメインモデル用のアダプターです（{detail}）。</translation>
    </message>
    <message>
        <source>Tandem cannot apply adapters of its kind ({detail}).</source>
        <translation>Tandemでは適用できない種類のアダプターです（{detail}）。</translation>
    </message>
    <message>
        <source>Its tokenizer cannot be read ({detail}).</source>
        <translation>トークナイザーを読み込めません（{detail}）。</translation>
    </message>
    <message>
        <source>Its vocabulary differs from the main model&apos;s ({detail}).</source>
        <translation>メインモデルと語彙が異なります（{detail}）。</translation>
    </message>
    <message>
        <source>Its weights produce invalid values ({detail}).</source>
        <translation>重みから無効な値が出力されます（{detail}）。</translation>
    </message>
    <message>
        <source>There is not enough memory for it ({detail}).</source>
        <translation>メモリが足りません（{detail}）。</translation>
    </message>
    <message>
        <source>Converting it needs more free space on the disk ({detail}).</source>
        <translation>変換に必要なディスクの空き容量が足りません（{detail}）。</translation>
    </message>
    <message>
        <source>The disk or the folder does not allow writing it ({detail}).</source>
        <translation>ディスクまたはフォルダに書き込めません（{detail}）。</translation>
    </message>
    <message>
        <source>Choose a folder that contains a model.</source>
        <translation>モデルの入ったフォルダを選んでください。</translation>
    </message>
    <message>
        <source>Download or copy it again.</source>
        <translation>もう一度ダウンロードまたはコピーしてください。</translation>
    </message>
    <message>
        <source>Choose another copy of this model.</source>
        <translation>このモデルの別のコピーを選んでください。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Choose a model for chats.</source>
        <translation>チャット用のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Choose a head made for this main model.</source>
        <translation>このメインモデル用のヘッドを選んでください。</translation>
    </message>
    <message>
        <source>Choose another draft model.</source>
        <translation>別のドラフトモデルを選んでください。</translation>
    </message>
    <message>
        <source>Put the adapter into the folder of its main model.</source>
        <translation>アダプターをメインモデルのフォルダに入れてください。</translation>
    </message>
    <message>
        <source>Choose its main model without an adapter.</source>
        <translation>アダプターのないメインモデルを選んでください。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or close other apps and try again.</source>
        <translation>より小さいモデルを選ぶか、ほかのアプリを閉じてもう一度お試しください。</translation>
    </message>
    <message>
        <source>Choose another model or update Tandem.</source>
        <translation>別のモデルを選ぶか、Tandemをアップデートしてください。</translation>
    </message>
    <message>
        <source>Choose the file with the whole model.</source>
        <translation>モデル全体が入ったファイルを選んでください。</translation>
    </message>
    <message>
        <source>Choose it as the draft.</source>
        <translation>ドラフトとして選んでください。</translation>
    </message>
    <message>
        <source>Free up space, then try again.</source>
        <translation>空き容量を増やしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Install Tandem with the command in its README.</source>
        <translation>READMEのコマンドでTandemをインストールしてください。</translation>
    </message>
    <message>
        <source>It runs through mlx-vlm, which is not installed.</source>
        <translation>mlx-vlmを通して動きますが、mlx-vlmがインストールされていません。</translation>
    </message>
    <message>
        <source>{name} cannot be used.</source>
        <translation>「{name}」は使用できません。</translation>
    </message>
    <message>
        <source>Cannot be used.</source>
        <translation>使用できません。</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>{name} · {bits}-bit</source>
        <translation>{name} · {bits}ビット</translation>
    </message>
    <message>
        <source>Recommended for {model}: {values}</source>
        <translation>「{model}」の推奨値：{values}</translation>
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
        <source>Starter head</source>
        <translation>スターターのヘッド</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>ドラフトなし</translation>
    </message>
    <message>
        <source>Frees the memory of both models.</source>
        <translation>両方のモデルのメモリを解放します。</translation>
    </message>
    <message>
        <source>Plain decoding: the main model alone.</source>
        <translation>通常のデコード：メインモデルだけを使います。</translation>
    </message>
    <message>
        <source>Incomplete: download it again.</source>
        <translation>足りないファイルがあります。もう一度ダウンロードしてください。</translation>
    </message>
    <message>
        <source>Needs no draft model. Best for edits and code.</source>
        <translation>ドラフトモデルは不要です。文章の手直しやコードに向いています。</translation>
    </message>
    <message>
        <source>Same tokenizer.</source>
        <translation>トークナイザーが同じです。</translation>
    </message>
    <message>
        <source>Different tokenizer: text is re-encoded ({share} of tokens shared).</source>
        <translation>トークナイザーが異なるため、テキストを再エンコードします（共通のトークン{share}）。</translation>
    </message>
    <message>
        <source>Its tokenizer has not been read yet.</source>
        <translation>トークナイザーはまだ読み込まれていません。</translation>
    </message>
    <message>
        <source>Published head for this model, the fastest one according to {source}. Not checked yet.</source>
        <translation>このモデル用に公開されているヘッドで、{source}の計測では最速です。まだ確認していません。</translation>
    </message>
    <message>
        <source>Too slow to help: each draft token takes {share} of a main-model step.</source>
        <translation>遅すぎて効果がありません。ドラフトトークン1個に、メインモデル1ステップの{share}の時間がかかります。</translation>
    </message>
    <message>
        <source>Too slow: larger than the main model.</source>
        <translation>メインモデルより大きいため、遅すぎます。</translation>
    </message>
    <message>
        <source>Won&apos;t fit alongside the main model ({size} short).</source>
        <translation>メインモデルと一緒には収まりません（{size}不足）。</translation>
    </message>
    <message>
        <source>Cannot be used with this main model. {reason}</source>
        <translation>このメインモデルとは一緒に使えません。{reason}</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>速い</translation>
    </message>
    <message>
        <source>All-round</source>
        <translation>バランス</translation>
    </message>
    <message>
        <source>Best that fits</source>
        <translation>このMacで最大</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>内蔵</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>インストール済み</translation>
    </message>
    <message>
        <source>On Hugging Face</source>
        <translation>Hugging Faceのモデル</translation>
    </message>
    <message>
        <source>Head for this model.</source>
        <translation>このモデル用のヘッドです。</translation>
    </message>
    <message>
        <source>Head for {model}: fewer draft tokens may be accepted.</source>
        <translation>「{model}」用のヘッドです。ドラフトトークンの採用率が低くなることがあります。</translation>
    </message>
    <message>
        <source>Published head for this model. Not checked yet.</source>
        <translation>このモデル用に公開されているヘッドです。まだ確認していません。</translation>
    </message>
    <message>
        <source>Head that comes with the original model. Only its part of the files is downloaded.</source>
        <translation>元のモデルに付属するヘッドです。ファイルのうちヘッドの部分だけをダウンロードします。</translation>
    </message>
    <message>
        <source>Head for another model: made for {theirs} layers, this one has {ours}.</source>
        <translation>別のモデル用のヘッドです。レイヤー数が異なります（ヘッド{theirs}、モデル{ours}）。</translation>
    </message>
    <message>
        <source>Head for another model: made for a width of {theirs}, this one&apos;s is {ours}.</source>
        <translation>別のモデル用のヘッドです。幅が異なります（ヘッド{theirs}、モデル{ours}）。</translation>
    </message>
    <message>
        <source>Head for another model: made for a vocabulary of {theirs}, this one&apos;s is {ours}.</source>
        <translation>別のモデル用のヘッドです。語彙数が異なります（ヘッド{theirs}、モデル{ours}）。</translation>
    </message>
    <message>
        <source>As draft for {main}: {verdict}</source>
        <translation>「{main}」のドラフトとして：{verdict}</translation>
    </message>
    <message>
        <source>Same tokenizer (padded vocabulary).</source>
        <translation>トークナイザーは同じです（語彙のサイズだけが異なります）。</translation>
    </message>
    <message>
        <source>Does not fit: it needs {size} more memory than this Mac can use.</source>
        <translation>このMacには収まりません。使えるメモリより{size}多く必要です。</translation>
    </message>
    <message>
        <source>Too large for this Mac alone, but your Macs can run it together.</source>
        <translation>このMac 1台には大きすぎますが、複数のMacでなら実行できます。</translation>
    </message>
    <message>
        <source>The models take more memory than is free, so other apps may get slower.</source>
        <translation>モデルが空きより多くのメモリを使うため、ほかのアプリの動作が遅くなることがあります。</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>{name}をメモリから解放</translation>
    </message>
    <message>
        <source>Frees the memory of this model.</source>
        <translation>このモデルのメモリを解放します。</translation>
    </message>
    <message>
        <source>about the same speed until it is measured</source>
        <translation>測定するまでは同じくらいの速さ（推定）</translation>
    </message>
    <message>
        <source>Its head: about the same speed until it is measured</source>
        <translation>専用ヘッド：測定するまでは同じくらいの速さ（推定）</translation>
    </message>
    <message>
        <source>{name} with MLX weights is faster and needs no second copy on the disk.</source>
        <translation>{name}はMLXの重みのほうが速く、ディスクに2つ目のコピーも要りません。</translation>
    </message>
    <message>
        <source>sees pictures</source>
        <translation>画像対応</translation>
    </message>
    <message>
        <source>without {files}</source>
        <translation>{files}を除く</translation>
    </message>
    <message>
        <source>{count}-token context</source>
        <translation>コンテキスト{count}トークン</translation>
    </message>
    <message>
        <source>downloads: {count}</source>
        <translation>ダウンロード数{count}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>規約への同意が必要</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Speed-ups are estimates until they are measured.</source>
        <translation>高速化の倍率は、測定するまでは推定値です。</translation>
    </message>
    <message>
        <source>{gain} (measured)</source>
        <translation>{gain}（実測）</translation>
    </message>
    <message>
        <source>about {times} as fast</source>
        <translation>約{times}の速さ</translation>
    </message>
    <message>
        <source>It only explains Tandem. Choose another model for real work.</source>
        <translation>Tandemについて説明するだけのモデルです。本格的に使うなら別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>With its draft</source>
        <translation>ドラフト付き</translation>
    </message>
    <message>
        <source>With its head</source>
        <translation>専用ヘッド付き</translation>
    </message>
    <message>
        <source>changes weights by up to {percent}%</source>
        <translation>重みの変化は最大{percent}%</translation>
    </message>
    <message>
        <source>Its draft: {name}</source>
        <translation>ドラフト：{name}</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>未確認</translation>
    </message>
    <message>
        <source>Its head: {size}</source>
        <translation>専用ヘッド：{size}</translation>
    </message>
    <message>
        <source>On disk: {size}</source>
        <translation>ディスク上：{size}</translation>
    </message>
    <message>
        <source>In memory: {sum}</source>
        <translation>メモリ上：{sum}</translation>
    </message>
    <message>
        <source>Downloading…</source>
        <translation>ダウンロード中…</translation>
    </message>
    <message>
        <source>Use this head</source>
        <translation>このヘッドを使用</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>重み{size}</translation>
    </message>
    <message>
        <source>draft {size}</source>
        <translation>ドラフト{size}</translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation>コンテキスト{size}</translation>
    </message>
    <message>
        <source>workspace {size}</source>
        <translation>作業領域{size}</translation>
    </message>
    <message>
        <source>{sum} plus context</source>
        <translation>{sum} + コンテキスト</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>Waiting for a connection. The download then resumes by itself.</source>
        <translation>接続を待っています。接続されると、ダウンロードは自動的に再開します。</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>失敗しました。</translation>
    </message>
    <message>
        <source>reconnecting</source>
        <translation>再接続中</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>resumes where it stopped, even after a restart</source>
        <translation>アプリの再起動後も中断したところから再開</translation>
    </message>
    <message>
        <source>Waiting in queue</source>
        <translation>順番を待っています</translation>
    </message>
    <message>
        <source>Getting the file list…</source>
        <translation>ファイル一覧を取得中…</translation>
    </message>
    <message>
        <source>Verifying checksums…</source>
        <translation>チェックサムを検証中…</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>準備ができました。</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>待機中</translation>
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
        <translation>残り1分未満</translation>
    </message>
    <message>
        <source>GGUF, converted when it is first used</source>
        <translation>GGUF（最初に使うときに変換）</translation>
    </message>
    <message>
        <source>The weights are those of the file {file}; the codes were kept.</source>
        <translation>重みはファイル{file}のもので、量子化コードもそのままです。</translation>
    </message>
    <message>
        <source>The weights are those of the file {file}; the codes were quantized anew in {count} of {total} tensors.</source>
        <translation>重みはファイル{file}のものですが、{total}個のテンソルのうち{count}個は量子化し直しました。</translation>
    </message>
    <message>
        <source>No models were found in {folder}.</source>
        <translation>{folder}にモデルが見つかりませんでした。</translation>
    </message>
    <message>
        <source>Press Enter to add {folder}.</source>
        <translation>Enterで{folder}を追加します。</translation>
    </message>
    <message>
        <source>{name} ({place})</source>
        <translation>{name}（{place}）</translation>
    </message>
    <message>
        <source>Get more…</source>
        <translation>モデルを追加…</translation>
    </message>
    <message>
        <source>not tried</source>
        <translation>まだ試していません</translation>
    </message>
    <message>
        <source>expected: about the same speed</source>
        <translation>予想：同じくらいの速さ</translation>
    </message>
    <message>
        <source>expected: {speed}</source>
        <translation>予想：{speed}</translation>
    </message>
    <message>
        <source>{method} head</source>
        <translation>{method}ヘッド</translation>
    </message>
    <message>
        <source>What its context takes is known once it is downloaded.</source>
        <translation>コンテキストに必要なメモリは、ダウンロード後にわかります。</translation>
    </message>
    <message>
        <source>Tandem&apos;s own for {model}: {values}</source>
        <translation>{model}でのTandemの値：{values}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose a folder that contains models</source>
        <translation>モデルのあるフォルダを選択</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>インストール済み</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>検索中…</translation>
    </message>
    <message>
        <source>Type part of a name, such as Qwen3.8 or Gemma, or paste a model page URL.</source>
        <translation>Qwen3.8やGemmaのように名前の一部を入力するか、モデルのページのURLをペーストしてください。</translation>
    </message>
    <message>
        <source>No MLX models match.</source>
        <translation>一致するMLXモデルはありません。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model ID or URL</source>
        <translation>Hugging Faceを検索、またはモデルIDやURLをペースト</translation>
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
        <source>Add a model folder…</source>
        <translation>モデルのフォルダを追加…</translation>
    </message>
    <message>
        <source>Unload {name} ({size})</source>
        <translation>{name}をメモリから解放（{size}）</translation>
    </message>
    <message>
        <source>Context length used for memory estimates</source>
        <translation>メモリの推定に使うコンテキスト長</translation>
    </message>
    <message>
        <source>Unload…</source>
        <translation>解放…</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count}トークン</translation>
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
        <translation>トークンをキーチェーンに保存しました。</translation>
    </message>
    <message>
        <source>Hugging Face token</source>
        <translation>Hugging Faceのトークン</translation>
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
        <source>This Mac has no keychain that Tandem can use, so the token was not kept.</source>
        <translation>このMacにはTandemが使えるキーチェーンがないため、トークンは保存されませんでした。</translation>
    </message>
    <message>
        <source>Checks the mirror, proxy and token with two small requests.</source>
        <translation>小さなリクエストを2回送って、ミラー、プロキシ、トークンを確認します。</translation>
    </message>
    <message>
        <source>Token valid (account {user}).</source>
        <translation>トークンは有効です（アカウント{user}）。</translation>
    </message>
    <message>
        <source>Token rejected: it is wrong, expired or revoked.</source>
        <translation>トークンは拒否されました。間違っているか、期限切れか、取り消されています。</translation>
    </message>
    <message>
        <source>For gated or private models. Stored only in the system keychain.</source>
        <translation>規約への同意が必要なモデルや非公開のモデルに使います。システムのキーチェーンにだけ保存されます。</translation>
    </message>
    <message>
        <source>Connected.</source>
        <translation>接続しました。</translation>
    </message>
    <message>
        <source>The server does not report whether the token is valid.</source>
        <translation>トークンが有効かどうかは、サーバからはわかりません。</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Dismiss</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details could not be saved.</source>
        <translation>予期しないことが起きました。Tandemはこのまま使えますが、詳細は保存できませんでした。</translation>
    </message>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details are in {file}.</source>
        <translation>予期しないことが起きました。Tandemはこのまま使えます。詳細は{file}にあります。</translation>
    </message>
    <message>
        <source>Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this Mac.</source>
        <translation>前回、Tandemが予期せず終了しました。チャットは失われていません。レポートはこのMacの外に出ません。</translation>
    </message>
    <message>
        <source>Some settings could not be read and were reset. The old file was kept as {file}.</source>
        <translation>一部の設定を読み込めなかったため、リセットしました。元のファイルは{file}に残してあります。</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was started again. Your chats are safe; ask again.</source>
        <translation>エンジンが予期せず停止したため、再起動しました。チャットは失われていません。もう一度質問してください。</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats were saved as {file}.</source>
        <translation>バックアップを復元しました。それまでのチャットは{file}に保存しました。</translation>
    </message>
    <message>
        <source>The backup could not be restored. Your chats are as they were.</source>
        <translation>バックアップを復元できませんでした。チャットは元のままです。</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>ページを開く</translation>
    </message>
    <message>
        <source>Tandem {version} is available.</source>
        <translation>Tandem {version}を利用できます。</translation>
    </message>
    <message>
        <source>Tandem is up to date.</source>
        <translation>Tandemは最新です。</translation>
    </message>
    <message>
        <source>Tandem is set to work offline. Change that in Settings &gt; Privacy and network to check for updates.</source>
        <translation>「オフラインで作業」がオンです。アップデートを確認するには、「設定 &gt; プライバシーとネットワーク」でオフにしてください。</translation>
    </message>
    <message>
        <source>This copy was built from source, so Tandem can&apos;t check for updates. Update the source instead.</source>
        <translation>このTandemはソースからビルドされているため、アップデートを確認できません。代わりにソースを更新してください。</translation>
    </message>
    <message>
        <source>The update information is damaged or isn&apos;t signed by Tandem&apos;s publisher. Nothing was changed.</source>
        <translation>アップデート情報が破損しているか、Tandemの配布元の署名がありません。何も変更していません。</translation>
    </message>
    <message>
        <source>The update information has expired, so Tandem can&apos;t tell whether there is a newer version. Check the date of this Mac, and try again later.</source>
        <translation>アップデート情報の有効期限が切れているため、新しいバージョンがあるかどうかを確認できません。このMacの日付を確認して、後でもう一度お試しください。</translation>
    </message>
    <message>
        <source>Tandem couldn&apos;t check for updates. Check the network and try again.</source>
        <translation>アップデートを確認できませんでした。ネットワークを確認して、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>無題のチャット</translation>
    </message>
    <message>
        <source>The temporary chat is deleted in ten seconds.</source>
        <translation>一時チャットは10秒後に削除されます。</translation>
    </message>
    <message>
        <source>“{title}” was archived.</source>
        <translation>「{title}」をアーカイブしました。</translation>
    </message>
    <message>
        <source>This is a copy of the chat up to that answer.</source>
        <translation>その回答までのチャットのコピーです。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) deleted.</source>
        <translation>
            <numerusform>%Ln件のメッセージを削除しました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue on this Mac</source>
        <translation>このMacだけで続ける</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>もう一度開始</translation>
    </message>
    <message>
        <source>The engine stopped twice with {model}, so the starter pair is loaded instead.</source>
        <translation>「{model}」でエンジンが2回停止したため、代わりにスターターモデルを読み込みます。</translation>
    </message>
    <message>
        <source>“{title}” was moved to the trash.</source>
        <translation>「{title}」をゴミ箱に入れました。</translation>
    </message>
</context>
<context>
    <name>PageButton</name>
    <message>
        <source>Open in the browser…</source>
        <translation>ブラウザで開く…</translation>
    </message>
    <message>
        <source>Open this page in the browser?</source>
        <translation>このページをブラウザで開きますか？</translation>
    </message>
    <message>
        <source>The model wrote it. In the browser, its scripts run and can use the network.</source>
        <translation>モデルが書いたページです。ブラウザではページのスクリプトが実行され、ネットワークも使えるようになります。</translation>
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
    <name>PermissionChooser</name>
    <message>
        <source>Allow</source>
        <translation>許可</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>確認する</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>しない</translation>
    </message>
    <message>
        <source>Different</source>
        <translation>異なる</translation>
    </message>
</context>
<context>
    <name>Picker</name>
    <message>
        <source>No matching draft model is installed or in the catalog. Prompt lookup needs none.</source>
        <translation>合うドラフトモデルは、インストール済みのモデルにもカタログにもありません。プロンプトルックアップならドラフトモデルは不要です。</translation>
    </message>
    <message>
        <source>Choose a main model first.</source>
        <translation>先にメインモデルを選んでください。</translation>
    </message>
    <message>
        <source>No matching models</source>
        <translation>一致するモデルなし</translation>
    </message>
    <message>
        <source>Scanning models…</source>
        <translation>モデルをスキャン中…</translation>
    </message>
    <message>
        <source>Choose a GGUF file</source>
        <translation>GGUFファイルを選択</translation>
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
        <translation>「{name}」のドラフトを選択</translation>
    </message>
    <message>
        <source>Choose a draft</source>
        <translation>ドラフトを選択</translation>
    </message>
    <message>
        <source>Find more drafts for this model…</source>
        <translation>このモデルのほかのドラフトを探す…</translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation>ドラフトモデル</translation>
    </message>
    <message>
        <source>GGUF file…</source>
        <translation>GGUFファイル…</translation>
    </message>
    <message>
        <source>Teach this draft…</source>
        <translation>このドラフトを学習…</translation>
    </message>
    <message>
        <source>Choose a folder that contains models</source>
        <translation>モデルのあるフォルダを選択</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>開く…</translation>
    </message>
    <message>
        <source>Model folder…</source>
        <translation>モデルのフォルダ…</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>その他…</translation>
    </message>
</context>
<context>
    <name>PickerRow</name>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>メモリ{size}</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>multiple Macs</source>
        <translation>複数のMac</translation>
    </message>
    <message>
        <source>Unload {name}: frees {size} ({keys})</source>
        <translation>{name}をメモリから解放：{size}が空きます（{keys}）</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>ぎりぎり</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内蔵</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>開いています</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>閉じています</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>試す</translation>
    </message>
</context>
<context>
    <name>PictureButton</name>
    <message>
        <source>Picture: {name}</source>
        <translation>画像：{name}</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>{name} · {width} × {height} pixels</source>
        <translation>{name} · {width} × {height}ピクセル</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>{name} can&apos;t see pictures on multiple Macs. Use it on one Mac, or remove them.</source>
        <translation>複数のMacでは、{name}は画像を見ることができません。1台のMacで使うか、画像を外してください。</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures. Models that can: {models}.</source>
        <translation>{name}は画像を見ることができません。見られるモデル：{models}。</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures. Choose a model that can, or remove the pictures.</source>
        <translation>{name}は画像を見ることができません。見られるモデルを選ぶか、画像を外してください。</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures, so chats begin without those of the folder.</source>
        <translation>{name}は画像を見ることができないため、チャットはフォルダの画像なしで始まります。</translation>
    </message>
    <message>
        <source>Pictures need more packages. Run: {command}</source>
        <translation>画像を使うには、追加のパッケージが必要です。次を実行してください：{command}</translation>
    </message>
    <message>
        <source>The picture is damaged ({detail}). Save or download it again.</source>
        <translation>画像が破損しています（{detail}）。もう一度保存するか、ダウンロードしてください。</translation>
    </message>
    <message>
        <source>The picture is animated. Take a screenshot of what the model should see.</source>
        <translation>動く画像です。モデルに見せたい場面のスクリーンショットを撮ってください。</translation>
    </message>
    <message>
        <source>The picture&apos;s file is larger than {detail} MB. Save a smaller copy.</source>
        <translation>画像ファイルが{detail} MBを超えています。小さくして保存してください。</translation>
    </message>
    <message>
        <source>The picture has more than {detail} megapixels. Save a smaller copy.</source>
        <translation>画像が{detail}メガピクセルを超えています。小さくして保存してください。</translation>
    </message>
    <message>
        <source>The picture is too narrow: one side is over {detail} times the other. Cut out a part of it.</source>
        <translation>画像が細長すぎます。一方の辺がもう一方の{detail}倍を超えています。一部を切り取ってください。</translation>
    </message>
    <message>
        <source>Reading the picture was stopped after {detail} seconds. Save it again in another format.</source>
        <translation>画像の読み込みを{detail}秒で中止しました。別の形式で保存し直してください。</translation>
    </message>
    <message>
        <source>Reading the pictures was stopped after {detail} seconds. Send fewer, or save them again in another format.</source>
        <translation>複数の画像の読み込みを{detail}秒で中止しました。枚数を減らすか、別の形式で保存し直してください。</translation>
    </message>
    <message>
        <source>Reading the picture takes too much memory. Save a smaller copy.</source>
        <translation>画像の読み込みに必要なメモリが多すぎます。小さくして保存してください。</translation>
    </message>
    <message>
        <source>The picture can&apos;t be read. Save it again in another format.</source>
        <translation>画像を読み込めません。別の形式で保存し直してください。</translation>
    </message>
    <message>
        <source>Tandem can&apos;t read this picture: its format is not supported, or its beginning is damaged. Save it as PNG or JPEG.</source>
        <translation>この画像は読み込めません。対応していない形式か、先頭部分が壊れています。PNGかJPEGで保存してください。</translation>
    </message>
</context>
<context>
    <name>PlainReasons</name>
    <message>
        <source>Without speculation: drafting failed.</source>
        <translation>今回は投機なし：ドラフトの生成でエラーが起きました。</translation>
    </message>
    <message>
        <source>Without speculation: there was no usable proposal.</source>
        <translation>今回は投機なし：使える候補がありませんでした。</translation>
    </message>
    <message>
        <source>Without speculation: another answer was about to start.</source>
        <translation>今回は投機なし：別の回答がまもなく始まるところでした。</translation>
    </message>
    <message>
        <source>The first token always comes from the main model alone.</source>
        <translation>最初のトークンは常にメインモデルだけで生成します。</translation>
    </message>
    <message>
        <source>Without speculation: it was turned off.</source>
        <translation>今回は投機なし：設定がオフでした。</translation>
    </message>
    <message>
        <source>Without speculation: no draft model was loaded.</source>
        <translation>今回は投機なし：ドラフトモデルが読み込まれていませんでした。</translation>
    </message>
    <message>
        <source>Without speculation: the draft model was still loading.</source>
        <translation>今回は投機なし：ドラフトモデルをまだ読み込んでいました。</translation>
    </message>
    <message>
        <source>Without speculation: the draft model cannot be used with this main model. {reason}</source>
        <translation>今回は投機なし：このドラフトモデルはこのメインモデルと一緒に使えません。{reason}</translation>
    </message>
    <message>
        <source>Without speculation: the draft model&apos;s context was full.</source>
        <translation>今回は投機なし：ドラフトモデルのコンテキストがいっぱいでした。</translation>
    </message>
    <message>
        <source>Without speculation: earlier tokens had to be reprocessed first.</source>
        <translation>今回は投機なし：先に前のトークンを処理し直す必要がありました。</translation>
    </message>
    <message>
        <source>Without speculation: this model&apos;s cache ({kind}) cannot be rolled back.</source>
        <translation>今回は投機なし：このモデルのキャッシュ（{kind}）は巻き戻せません。</translation>
    </message>
    <message>
        <source>Without speculation: no matching text earlier in the chat.</source>
        <translation>今回は投機なし：チャットのそれまでの部分に一致するテキストがありませんでした。</translation>
    </message>
    <message>
        <source>Without speculation: the answer format left a choice everywhere.</source>
        <translation>今回は投機なし：回答形式から次のトークンが決まる箇所がありませんでした。</translation>
    </message>
    <message>
        <source>Without speculation: plain decoding was faster.</source>
        <translation>今回は投機なし：通常のデコードのほうが高速でした。</translation>
    </message>
    <message>
        <source>Without speculation: plain decoding was still being measured.</source>
        <translation>今回は投機なし：通常のデコードの速度を測定していました。</translation>
    </message>
    <message>
        <source>Without speculation: the draft model was still processing the chat.</source>
        <translation>今回は投機なし：ドラフトモデルがまだチャットを処理していました。</translation>
    </message>
    <message>
        <source>Without speculation: answers ran one at a time because they cannot be batched ({kind}).</source>
        <translation>今回は投機なし：まとめて処理できないため（{kind}）、回答を1件ずつ進めました。</translation>
    </message>
    <message>
        <source>Without speculation: the answer had almost reached its length limit.</source>
        <translation>今回は投機なし：回答がほぼ長さの上限に達していました。</translation>
    </message>
    <message>
        <source>Without speculation: it could have changed the text by rounding.</source>
        <translation>今回は投機なし：丸めによってテキストが変わる可能性がありました。</translation>
    </message>
</context>
<context>
    <name>PositionLine</name>
    <message>
        <source>Draft token {position}: {rate} accepted ({accepted} of {reached})</source>
        <translation>ドラフトトークン{position}：{rate}を採用（{reached}個中{accepted}個）</translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Chat settings: {name}</source>
        <translation>チャットの設定：{name}</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Custom</source>
        <translation>カスタム</translation>
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
    <name>Privacy</name>
    <message>
        <source>Runs on this Mac. Nothing you type leaves it.</source>
        <translation>このMacで動作します。入力した内容が外に出ることはありません。</translation>
    </message>
    <message>
        <source>Runs on this Mac.</source>
        <translation>このMacで動作します。</translation>
    </message>
    <message>
        <source>Tandem goes online only to search Hugging Face, download a model, check for updates or run the test above. Chats, settings and statistics never leave this Mac. No telemetry.</source>
        <translation>Tandemがインターネットに接続するのは、Hugging Faceの検索、モデルのダウンロード、アップデートの確認、上のテストを行うときだけです。チャット、設定、統計がこのMacの外に出ることはありません。利用状況の収集もしません。</translation>
    </message>
    <message>
        <source>Tandem goes online to search Hugging Face, download a model, check for updates or run the test above, and for what you turned on.</source>
        <translation>Tandemがネットワークに接続するのは、Hugging Faceの検索、モデルのダウンロード、アップデートの確認、上のテストを行うときと、オンにした機能に必要なときです。</translation>
    </message>
    <message>
        <source>Nothing else of your chats, settings and statistics leaves this Mac. No telemetry.</source>
        <translation>それ以外のチャットの内容、設定、統計がこのMacの外に出ることはありません。利用状況の収集もしません。</translation>
    </message>
    <message>
        <source>Runs on multiple Macs, which receive the text of your chats.</source>
        <translation>複数のMacで動作します。ほかのMacにもチャットの内容が送られます。</translation>
    </message>
    <message>
        <source>{name} receives the text of your chats while it drafts ahead.</source>
        <translation>先行ドラフト中は、チャットの内容が{name}に送られます。</translation>
    </message>
    <message>
        <source>In chats with tools on, what the model sends to tool servers can leave this Mac.</source>
        <translation>ツールをオンにしたチャットでは、モデルがツールのサーバに送る内容がこのMacの外に出ることがあります。</translation>
    </message>
    <message>
        <source>In chats with tools on, sites see the addresses of the pages that the model reads, and {service} sees its searches.</source>
        <translation>ツールをオンにしたチャットでは、モデルが読むページのアドレスはそのサイトに、検索語は{service}に伝わります。</translation>
    </message>
    <message>
        <source>Other computers that have the key can use your models, but cannot read your chats.</source>
        <translation>キーを知っている別のコンピュータはモデルを使えますが、チャットを読むことはできません。</translation>
    </message>
    <message>
        <source>Tools are on: what they are asked for can leave this Mac.</source>
        <translation>ツールがオンです。ツールへの依頼の内容はこのMacの外に出ることがあります。</translation>
    </message>
</context>
<context>
    <name>PromptField</name>
    <message>
        <source>How the model should answer</source>
        <translation>モデルにどう答えてほしいか</translation>
    </message>
    <message>
        <source>Today&apos;s date</source>
        <translation>今日の日付</translation>
    </message>
    <message>
        <source>Day of the week</source>
        <translation>曜日</translation>
    </message>
    <message>
        <source>App language</source>
        <translation>アプリの言語</translation>
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
        <source>Replaced when you send: {names}</source>
        <translation>送信時に置き換わります：{names}</translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message>
        <source>Empty Trash</source>
        <translation>ゴミ箱を空にする</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>%Ln件のチャット</numerusform>
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
</context>
<context>
    <name>QuestionBubble</name>
    <message>
        <source>Only the beginning of this very long text is shown. Copies and exports contain all of it.</source>
        <translation>非常に長いため、最初の部分だけを表示しています。コピーと書き出しにはすべて含まれます。</translation>
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
    <name>QuestionForm</name>
    <message>
        <source>Decline</source>
        <translation>断る</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>What the server asks</source>
        <translation>サーバからの質問</translation>
    </message>
    <message>
        <source>Address of the page</source>
        <translation>ページのアドレス</translation>
    </message>
    <message>
        <source>“{server}” asks you:</source>
        <translation>「{server}」からの質問：</translation>
    </message>
    <message>
        <source>“{server}” waits until you have finished on the page:</source>
        <translation>「{server}」は、ページでの操作が終わるのを待っています：</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>The words are the server&apos;s. Continue sends the call again.</source>
        <translation>これはサーバの文面です。「続ける」を押すと、呼び出しをもう一度送信します。</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>ページを開く</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>The words are the server&apos;s, and it gets what you enter. Enter no password.</source>
        <translation>これはサーバの文面で、入力した内容はサーバに送られます。パスワードは入力しないでください。</translation>
    </message>
    <message>
        <source>“{field}” is needed.</source>
        <translation>「{field}」は必須です。</translation>
    </message>
    <message>
        <source>“{field}” has to be a number.</source>
        <translation>「{field}」は数値で入力してください。</translation>
    </message>
    <message>
        <source>“{field}” has to be a whole number.</source>
        <translation>「{field}」は整数で入力してください。</translation>
    </message>
    <message>
        <source>“{field}” is too small or too large: {range}.</source>
        <translation>「{field}」の値が小さすぎるか大きすぎます：{range}。</translation>
    </message>
    <message>
        <source>“{field}” is too short or too long: {range}.</source>
        <translation>「{field}」の文字数が少なすぎるか多すぎます：{range}。</translation>
    </message>
    <message>
        <source>Choose more or fewer of “{field}”: {range}.</source>
        <translation>「{field}」の選択数を増減してください：{range}。</translation>
    </message>
    <message>
        <source>“{field}” does not have the form that is needed ({form}).</source>
        <translation>「{field}」が必要な形式になっていません（{form}）。</translation>
    </message>
    <message>
        <source>The words are the server&apos;s. Open the page only if you know {host}.</source>
        <translation>これはサーバの文面です。{host}を知っている場合だけページを開いてください。</translation>
    </message>
    <message>
        <source>Its name contains letters that may look like others.</source>
        <translation>サイト名に、ほかの文字と見間違えやすい文字が含まれています。</translation>
    </message>
</context>
<context>
    <name>QuickEntry</name>
    <message>
        <source>Quick entry</source>
        <translation>クイック入力</translation>
    </message>
    <message>
        <source>Message for a new chat</source>
        <translation>新しいチャットのメッセージ</translation>
    </message>
    <message>
        <source>Message in this chat</source>
        <translation>このチャットへのメッセージ</translation>
    </message>
    <message>
        <source>Screenshot</source>
        <translation>スクリーンショット</translation>
    </message>
    <message>
        <source>Open in the main window</source>
        <translation>メインウインドウで開く</translation>
    </message>
</context>
<context>
    <name>Relocation</name>
    <message>
        <source>Moved to {folder}. All files were verified; the old location links to the new one.</source>
        <translation>{folder}に移動し、すべてのファイルを検証しました。元の場所には、新しい場所へのリンクがあります。</translation>
    </message>
    <message>
        <source>Not moved: that folder is not empty.</source>
        <translation>移動しませんでした。そのフォルダは空ではありません。</translation>
    </message>
    <message>
        <source>Not moved: a folder cannot be moved into itself.</source>
        <translation>移動しませんでした。フォルダをそれ自身の中に移動することはできません。</translation>
    </message>
    <message>
        <source>Not moved: {needed} needed, but only {free} free on that disk.</source>
        <translation>移動しませんでした。{needed}必要ですが、そのディスクの空きは{free}です。</translation>
    </message>
    <message>
        <source>Not moved: {file} failed verification. Check that disk.</source>
        <translation>移動しませんでした。{file}の検証に失敗しました。そのディスクを確認してください。</translation>
    </message>
    <message>
        <source>Not moved: {detail}.</source>
        <translation>移動しませんでした：{detail}</translation>
    </message>
    <message>
        <source>Stopped. Nothing was moved.</source>
        <translation>停止しました。何も移動していません。</translation>
    </message>
    <message>
        <source>Not moved: another copy of Tandem is running. Tandem will try again at the next launch.</source>
        <translation>移動しませんでした。別のTandemが起動しています。次回の起動時にもう一度試します。</translation>
    </message>
    <message>
        <source>There is nothing to move yet.</source>
        <translation>まだ移動するものがありません。</translation>
    </message>
</context>
<context>
    <name>RemovalControls</name>
    <message>
        <source>This deletes all chats and their backups ({chats}), and settings and caches ({rest}), from this Mac. Export the chats first if you want to keep them.</source>
        <translation>このMacから、すべてのチャットとそのバックアップ（{chats}）、設定とキャッシュ（{rest}）を削除します。チャットを残す場合は、先に書き出してください。</translation>
    </message>
    <message>
        <source>This deletes your chats, backups, settings and caches, then quits Tandem. You can&apos;t undo this.</source>
        <translation>チャット、バックアップ、設定、キャッシュを削除し、Tandemを終了します。この操作は取り消せません。</translation>
    </message>
    <message>
        <source>Continue…</source>
        <translation>続ける…</translation>
    </message>
    <message>
        <source>Delete and quit</source>
        <translation>削除して終了</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Delete everything…</source>
        <translation>すべて削除…</translation>
    </message>
</context>
<context>
    <name>Rounding</name>
    <message>
        <source>How this Mac rounds with {main} is measured while Tandem is idle.</source>
        <translation>このMacが「{main}」でどう丸めるかは、Tandemの待機中に測定します。</translation>
    </message>
    <message>
        <source>Verifying 3 draft tokens costs as much as {ours} plain tokens with Tandem&apos;s kernels, and {mlx} with MLX&apos;s.</source>
        <translation>ドラフトトークン3個の検証にかかる時間は、Tandemのカーネルでは通常のトークン{ours}個分、MLXのカーネルでは{mlx}個分です。</translation>
    </message>
    <message>
        <source>Verifying 3 draft tokens costs as much as {mlx} plain tokens.</source>
        <translation>ドラフトトークン3個の検証にかかる時間は、通常のトークン{mlx}個分です。</translation>
    </message>
    <message>
        <source>This is true up to {keys} tokens of context. Beyond that, there may be fewer draft tokens.</source>
        <translation>これはコンテキスト{keys}トークンまで当てはまります。それより長くなると、ドラフトトークンが減ることがあります。</translation>
    </message>
    <message>
        <source>It does not slow answers down.</source>
        <translation>回答は遅くなりません。</translation>
    </message>
    <message>
        <source>The same text as without drafts.</source>
        <translation>ドラフトなしの場合と同じテキストです。</translation>
    </message>
    <message>
        <source>Up to there, answers are written without draft tokens.</source>
        <translation>それまでは、ドラフトトークンなしで回答します。</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length on this Mac, so answers are written without draft tokens.</source>
        <translation>「{main}」では、このMacで丸めが同じになるドラフト長がないため、ドラフトトークンなしで回答します。</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length up to {keys} tokens of context on this Mac.</source>
        <translation>「{main}」では、コンテキストが{keys}トークンになるまで、このMacで丸めが同じになるドラフト長がありません。</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length on this Mac.</source>
        <translation>「{main}」では、このMacで丸めが同じになるドラフト長がありません。</translation>
    </message>
    <message>
        <source>This is true up to {keys} tokens of context.</source>
        <translation>これはコンテキスト{keys}トークンまで当てはまります。</translation>
    </message>
    <message>
        <source>With {main}, rounding is the same at every draft length on this Mac.</source>
        <translation>「{main}」では、このMacではどのドラフト長でも丸めが同じです。</translation>
    </message>
    <message>
        <source>With {main}, rounding stays the same up to {most} draft tokens per round on this Mac.</source>
        <translation>「{main}」では、ラウンドあたりのドラフトトークンが{most}個までなら、このMacでの丸めは同じです。</translation>
    </message>
    <message>
        <source>Tandem&apos;s kernels have stalled on this Mac. When that happens, MLX&apos;s kernels are used until you quit Tandem.</source>
        <translation>このMacでTandemのカーネルの処理が止まったことがあります。その場合は、Tandemを終了するまでMLXのカーネルを使います。</translation>
    </message>
    <message>
        <source>It slows answers down by about {share}% (estimate).</source>
        <translation>回答が約{share}%遅くなります（推定）。</translation>
    </message>
    <message>
        <source>Some of Tandem&apos;s kernels cannot run on this Mac, so MLX&apos;s kernels are used in their place.</source>
        <translation>このMacではTandemのカーネルの一部を実行できないため、代わりにMLXのカーネルを使います。</translation>
    </message>
    <message>
        <source>A test of Tandem&apos;s kernels failed or did not finish on this Mac, so MLX&apos;s kernels are used in their place.</source>
        <translation>このMacでTandemのカーネルのテストが失敗したか、終わらなかったため、代わりにMLXのカーネルを使います。</translation>
    </message>
</context>
<context>
    <name>SampleRound</name>
    <message>
        <source>The main model checks all of them in a single pass.</source>
        <translation>メインモデルがそのすべてを1回の計算で確認します。</translation>
    </message>
    <message>
        <source>A small draft model quickly proposes the next tokens.</source>
        <translation>小さなドラフトモデルが次のトークンをすばやく提案します。</translation>
    </message>
    <message>
        <source>It keeps every token it would have written itself, then adds one.</source>
        <translation>自分でも書いたはずのトークンをすべて残し、さらに1個加えます。</translation>
    </message>
    <message>
        <source>Water</source>
        <comment>the sample: the text so far</comment>
        <translation>水は</translation>
    </message>
    <message>
        <source>boils|at|100|°F|or</source>
        <comment>the sample: five draft tokens</comment>
        <translation>摂氏|100|度で|凍り|ます</translation>
    </message>
    <message>
        <source>°C</source>
        <comment>the sample: the main model&apos;s token in place of the fourth</comment>
        <translation>沸騰し</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) in one round instead of one, and the text is the main model&apos;s own.</source>
        <translation>
            <numerusform>1ラウンドで1個ではなく%Ln個のトークンを生成しました。テキストはメインモデルのものと同じです。</numerusform>
        </translation>
    </message>
    <message>
        <source>Tandem copies what followed the same words earlier.</source>
        <translation>前に同じ言葉のあとに続いた内容を、Tandemがそのまま提案します。</translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear the text</source>
        <translation>入力した文字を消去</translation>
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
    <name>ServerCard</name>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Command, or address that starts with https://</source>
        <translation>コマンド、またはhttps://で始まるアドレス</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>フォルダを選択…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>サーバを追加</translation>
    </message>
    <message>
        <source>Edit the server</source>
        <translation>サーバを編集</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Choose a folder for this server</source>
        <translation>このサーバのフォルダを選択</translation>
    </message>
    <message>
        <source>Name of the value</source>
        <translation>値の名前</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>値</translation>
    </message>
    <message>
        <source>A quotation mark in the command is not closed.</source>
        <translation>コマンドの引用符が閉じられていません。</translation>
    </message>
    <message>
        <source>There is already a server named “{name}”.</source>
        <translation>「{name}」という名前のサーバがすでにあります。</translation>
    </message>
    <message>
        <source>Choose the folder that the server may use.</source>
        <translation>サーバが使えるフォルダを選択してください。</translation>
    </message>
    <message>
        <source>Enter a value for {name}.</source>
        <translation>{name}の値を入力してください。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Name, command and environment variables</source>
        <translation>名前、コマンド、環境変数</translation>
    </message>
    <message>
        <source>Runs {command}</source>
        <translation>実行するコマンド：{command}</translation>
    </message>
    <message>
        <source>Add a header</source>
        <translation>ヘッダを追加</translation>
    </message>
    <message>
        <source>Add an environment variable</source>
        <translation>環境変数を追加</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>許可</translation>
    </message>
    <message>
        <source>A command that runs on this Mac, or the address of a server. Environment variables and headers are stored only in the system keychain, except variables that decide what runs.</source>
        <translation>このMacで実行するコマンド、またはサーバのアドレスです。環境変数とヘッダは、実行する内容を決める変数を除き、システムのキーチェーンにだけ保存されます。</translation>
    </message>
</context>
<context>
    <name>ServerDetails</name>
    <message>
        <source>What the server tells the model</source>
        <translation>サーバからモデルへの指示</translation>
    </message>
    <message>
        <source>Standard error of the server</source>
        <translation>サーバの標準エラー出力</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>編集…</translation>
    </message>
    <message>
        <source>Only read, as the server says</source>
        <translation>読み取りだけ（サーバによる）</translation>
    </message>
    <message>
        <source>Can change something</source>
        <translation>変更を行う可能性あり</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>テスト</translation>
    </message>
    <message>
        <source>Allow and test</source>
        <translation>許可してテスト</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>サインイン…</translation>
    </message>
    <message>
        <source>Sign out</source>
        <translation>サインアウト</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
</context>
<context>
    <name>ServerLine</name>
    <message>
        <source>Details…</source>
        <translation>詳細…</translation>
    </message>
    <message>
        <source>Standard error of the server</source>
        <translation>サーバの標準エラー出力</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>テスト</translation>
    </message>
    <message>
        <source>Allow and test</source>
        <translation>許可してテスト</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>サインイン…</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>読み取り</translation>
    </message>
    <message>
        <source>Changing</source>
        <translation>変更</translation>
    </message>
    <message>
        <source>Folder: {names}</source>
        <translation>フォルダ：{names}</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>別のフォルダ…</translation>
    </message>
    <message>
        <source>A further folder…</source>
        <translation>フォルダを追加…</translation>
    </message>
    <message>
        <source>Without {folder}</source>
        <translation>{folder}を除く</translation>
    </message>
    <message>
        <source>Choose a folder for this server</source>
        <translation>このサーバのフォルダを選択</translation>
    </message>
</context>
<context>
    <name>ServerView</name>
    <message>
        <source>Waiting for you to sign in in the browser…</source>
        <translation>ブラウザでのサインインを待っています…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>起動中…</translation>
    </message>
    <message>
        <source>Starts when a chat needs it.</source>
        <translation>チャットで必要になると起動します。</translation>
    </message>
    <message>
        <source>Not offered, because they can only run as tasks, which Tandem does not support: {names}.</source>
        <translation>Tandemが対応していないタスク方式でしか実行できないため、使えないツール：{names}。</translation>
    </message>
    <message>
        <source>Turned off.</source>
        <translation>オフです。</translation>
    </message>
    <message>
        <source>Enter these before it can run: {names}.</source>
        <translation>実行する前に入力してください：{names}。</translation>
    </message>
    <message>
        <source>Not allowed to run yet.</source>
        <translation>実行はまだ許可されていません。</translation>
    </message>
    <message>
        <source>Unusable tools ({count}): {names}.</source>
        <translation>使えないツール（{count}）：{names}。</translation>
    </message>
    <message>
        <source>Downloading {package}…</source>
        <translation>{package}をダウンロード中…</translation>
    </message>
    <message>
        <source>Running. It offers no tools.</source>
        <translation>実行中です。提供するツールはありません。</translation>
    </message>
    <message>
        <source>Running. All its tools are off.</source>
        <translation>実行中です。すべてのツールがオフです。</translation>
    </message>
    <message>
        <source>Off: {names}.</source>
        <translation>オフ：{names}。</translation>
    </message>
    <message>
        <source>It runs with your rights on this Mac and can read and change your files. Allow it only if you trust where it comes from.</source>
        <translation>このMacでユーザの権限で実行され、ユーザのファイルを読み込んだり変更したりできます。入手元を信頼できる場合だけ許可してください。</translation>
    </message>
    <message>
        <source>What the model sends to it leaves this Mac. Allow it only if you trust this address.</source>
        <translation>モデルが送る内容はこのMacの外に出ます。このアドレスを信頼できる場合だけ許可してください。</translation>
    </message>
    <message>
        <source>Program: not found on this Mac</source>
        <translation>プログラム：このMacにありません</translation>
    </message>
    <message>
        <source>The server tells the model: {text}</source>
        <translation>サーバからモデルへの指示：{text}</translation>
    </message>
    <message>
        <source>Program: {path}</source>
        <translation>プログラム：{path}</translation>
    </message>
    <message>
        <source>{variable} (loads code into the program)</source>
        <translation>{variable}（プログラムにコードを読み込む）</translation>
    </message>
    <message>
        <source>{variable} (decides which program runs)</source>
        <translation>{variable}（実行するプログラムを決める）</translation>
    </message>
</context>
<context>
    <name>SessionLog</name>
    <message>
        <source>Log of this session</source>
        <translation>今回のセッションのログ</translation>
    </message>
    <message>
        <source>Copy log</source>
        <translation>ログをコピー</translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>ログは空です。</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>Reset {name}</source>
        <translation>「{name}」をリセット</translation>
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
        <source>Prompt lookup (n-gram)</source>
        <translation>プロンプトルックアップ</translation>
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
        <source>Maximum</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Full precision</source>
        <translation>フル精度</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8ビット</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4ビット</translation>
    </message>
    <message>
        <source>Same distribution</source>
        <translation>同一の分布</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
    <message>
        <source>App language. Models usually answer in the language you write in.</source>
        <translation>アプリの言語です。モデルは通常、質問と同じ言語で答えます。</translation>
    </message>
    <message>
        <source>Match system</source>
        <translation>システムに合わせる</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外観</translation>
    </message>
    <message>
        <source>Light, dark, or match the system.</source>
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
        <source>Dark mode</source>
        <translation>ダークモード</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>テキストサイズ</translation>
    </message>
    <message>
        <source>Applies to the whole app.</source>
        <translation>アプリ全体に適用されます。</translation>
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
        <source>Font size</source>
        <translation>フォントサイズ</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>メッセージの送信キー</translation>
    </message>
    <message>
        <source>Shift+Enter always starts a new line.</source>
        <translation>Shift+Enterは常に改行です。</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Cmd+Enter (Ctrl+Enter)</source>
        <translation>Cmd+Enter（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Notify when an answer is ready</source>
        <translation>回答が完了したら通知</translation>
    </message>
    <message>
        <source>Faster answers</source>
        <translation>回答の高速化</translation>
    </message>
    <message>
        <source>Automatic uses what is fastest on this Mac: the draft model, prompt lookup, or neither.</source>
        <translation>「自動」では、ドラフトモデル、プロンプトルックアップ、どちらもなしのうち、このMacで最も速い方法を使います。</translation>
    </message>
    <message>
        <source>Draft source</source>
        <translation>ドラフトの生成方法</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>投機的デコーディング</translation>
    </message>
    <message>
        <source>Draft ahead</source>
        <translation>先行ドラフト</translation>
    </message>
    <message>
        <source>Drafts the next round while a large main model checks. On this Mac&apos;s processor it rarely gains, and needs memory for a second copy; another Mac with the model can.</source>
        <translation>大きなメインモデルの検証中に次のラウンドのドラフトを生成します。このMacのプロセッサで速くなることはまれで、ドラフトモデルをもう1つ読み込むメモリが必要です。同じモデルがある別のMacなら速くなることがあります。</translation>
    </message>
    <message>
        <source>On this Mac&apos;s processor</source>
        <translation>このMacのプロセッサ</translation>
    </message>
    <message>
        <source>Draft tokens per round</source>
        <translation>1ラウンドのドラフトトークン数</translation>
    </message>
    <message>
        <source>Acceptance rule</source>
        <translation>採用の基準</translation>
    </message>
    <message>
        <source>Verifying several tokens at once can change rounding. With this on, Tandem uses only draft lengths with the same rounding, and computes one answer at a time.</source>
        <translation>複数のトークンを一度に検証すると、丸めが変わることがあります。オンにすると、Tandemは丸めが同じになるドラフト長だけを使い、回答を1件ずつ計算します。</translation>
    </message>
    <message>
        <source>Reuse wording from your chats</source>
        <translation>ほかのチャットの表現を再利用</translation>
    </message>
    <message>
        <source>Proposes tokens from answers in your other chats, which speeds up repeated work. The index stays on this Mac and loses a chat that you permanently delete.</source>
        <translation>ほかのチャットの回答で見つけたトークンをドラフトとして提案し、繰り返しの作業を速くします。索引はこのMacにだけ保存され、チャットを完全に削除すると索引からも消えます。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always picks the most likely token. Higher values add variety and mistakes.</source>
        <translation>0では常に最も確率の高いトークンを選びます。大きいほど多様になり、誤りも増えます。</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Samples only from the most likely tokens that add up to this probability. 1 turns it off.</source>
        <translation>確率の高い順に、合計がこの確率になるまでのトークンからのみサンプリングします。1でオフになります。</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Samples only from this many of the most likely tokens.</source>
        <translation>確率の高い順に、この数のトークンからのみサンプリングします。</translation>
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
        <source>Drops tokens below this fraction of the top probability. 0 turns it off.</source>
        <translation>最も高い確率に対してこの割合を下回るトークンを除きます。0でオフになります。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>繰り返しペナルティ</translation>
    </message>
    <message>
        <source>Above 1, tokens that were just used become less likely.</source>
        <translation>1より大きいと、直前に使ったトークンが出にくくなります。</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>回答の最大長</translation>
    </message>
    <message>
        <source>In tokens. A token is about three quarters of an English word.</source>
        <translation>トークン単位です。日本語ではおおよそ1文字が1トークンです。</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>最大トークン数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>The same seed reproduces the same text. Only matters above temperature 0.</source>
        <translation>シードが同じなら、同じテキストが再現されます。温度が0より高いときだけ影響します。</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>ランダム</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Models that can think do so before they answer. Other models ignore it.</source>
        <translation>思考に対応したモデルに、回答の前に思考させます。ほかのモデルには影響しません。</translation>
    </message>
    <message>
        <source>Thinking limit</source>
        <translation>思考の上限</translation>
    </message>
    <message>
        <source>In tokens. At this limit the model has to end its thoughts, and the answer follows.</source>
        <translation>トークン単位です。上限に達すると、モデルは思考を終えて回答に移ります。</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>無制限</translation>
    </message>
    <message>
        <source>“Same text”: a seed always gives the same text, up to rounding. “Same distribution”: speculation may change the text, but not its probabilities.</source>
        <translation>「同じテキスト」では、シードが同じなら、丸めを除いて常に同じテキストになります。「同一の分布」では、投機的デコーディングでテキストが変わることはありますが、確率は変わりません。</translation>
    </message>
    <message>
        <source>Stop and notify me</source>
        <translation>停止して通知</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KVキャッシュ</translation>
    </message>
    <message>
        <source>The model&apos;s working memory of a chat. Fewer bits use less memory; answers can change slightly. Applies the next time a model is loaded.</source>
        <translation>モデルがチャットを記憶する作業メモリです。ビット数が少ないほどメモリを使いませんが、回答が少し変わることがあります。次に読み込むモデルから有効になります。</translation>
    </message>
    <message>
        <source>The address of a mirror of Hugging Face. Leave empty to use Hugging Face directly.</source>
        <translation>Hugging Faceのミラーのアドレスです。空欄にするとHugging Faceを直接使います。</translation>
    </message>
    <message>
        <source>Reopens long chats instantly and takes up to 4 GB. Removed when the chat is permanently deleted.</source>
        <translation>長いチャットをすぐに開き直せます。最大4 GBを使い、チャットを完全に削除すると一緒に削除されます。</translation>
    </message>
    <message>
        <source>Run a local API server</source>
        <translation>ローカルAPIサーバを実行</translation>
    </message>
    <message>
        <source>Editors, agents and scripts on this Mac can ask the loaded models, with the same speculation. Chats are never shared.</source>
        <translation>このMacのエディタ、エージェント、スクリプトが、読み込まれているモデルに質問できます。投機的デコーディングも同じように働きます。チャットが共有されることはありません。</translation>
    </message>
    <message>
        <source>Allowed web origins</source>
        <translation>許可するWebオリジン</translation>
    </message>
    <message>
        <source>Loads models beyond the limit. This Mac may become very slow, and the system may quit Tandem.</source>
        <translation>上限を超えてもモデルを読み込みます。このMacがとても遅くなったり、システムがTandemを終了したりすることがあります。</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>モデルのデフォルト</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>コンテキストがいっぱいのとき</translation>
    </message>
    <message>
        <source>Stop with a message, or drop the oldest messages. The system prompt and recent messages stay; the chat itself is not changed.</source>
        <translation>メッセージを表示して停止するか、最も古いメッセージから除きます。システムプロンプトと最近のメッセージは残り、チャット自体は変わりません。</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>古いメッセージから除く</translation>
    </message>
    <message>
        <source>Work offline</source>
        <translation>オフラインで作業</translation>
    </message>
    <message>
        <source>Check for updates once a day</source>
        <translation>1日1回アップデートを確認</translation>
    </message>
    <message>
        <source>Reads which version of Tandem is the newest. Nothing about you or your chats is sent.</source>
        <translation>Tandemの最新バージョンだけを確認します。ユーザやチャットに関する情報は送信しません。</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>ミラー</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>プロキシ</translation>
    </message>
    <message>
        <source>The address of a proxy, such as http://proxy:8080. Leave empty for no proxy.</source>
        <translation>プロキシのアドレスです（例：http://proxy:8080）。空欄なら使いません。</translation>
    </message>
    <message>
        <source>Keep prompt cache on disk</source>
        <translation>プロンプトキャッシュをディスクに保存</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>ポート</translation>
    </message>
    <message>
        <source>Change it if another program uses this one.</source>
        <translation>ほかのプログラムがこのポートを使っている場合は変更してください。</translation>
    </message>
    <message>
        <source>Let other computers connect</source>
        <translation>ほかのコンピュータからの接続を許可</translation>
    </message>
    <message>
        <source>Their addresses, such as http://localhost:3000, separated by spaces. Leave empty for none.</source>
        <translation>http://localhost:3000のようなアドレスをスペースで区切って入力します。空欄ならどのページも接続できません。</translation>
    </message>
    <message>
        <source>Other Macs</source>
        <translation>ほかのMac</translation>
    </message>
    <message>
        <source>Names or addresses, separated by commas, such as mac-studio.local. This Mac has to reach them over SSH with a key, and Tandem has to be installed there.</source>
        <translation>mac-studio.localのような名前またはアドレスを、コンマで区切って入力します。このMacからSSH鍵で接続でき、接続先にもTandemがインストールされている必要があります。</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>使わないモデルを解放するまでの時間</translation>
    </message>
    <message>
        <source>In minutes. Frees their memory; they reload with your next question.</source>
        <translation>分単位です。メモリを解放し、次の質問のときにもう一度読み込みます。</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>しない</translation>
    </message>
    <message>
        <source>Memory for models and chats</source>
        <translation>モデルとチャットに使うメモリ</translation>
    </message>
    <message>
        <source>In GB. Models that do not fit are not loaded.</source>
        <translation>GB単位です。収まらないモデルは読み込みません。</translation>
    </message>
    <message>
        <source>Allow exceeding the memory limit</source>
        <translation>メモリ上限の超過を許可</translation>
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
        <translation>投機的デコーディング</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
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
        <source>Local API</source>
        <translation>ローカルAPI</translation>
    </message>
    <message>
        <source>Multiple Macs</source>
        <translation>複数のMac</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>詳細設定</translation>
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
        <source>Developer</source>
        <translation>デベロッパ</translation>
    </message>
    <message>
        <source>No matching settings</source>
        <translation>一致する設定なし</translation>
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
        <source>Restore defaults</source>
        <translation>デフォルトに戻す</translation>
    </message>
    <message>
        <source>More</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>Same text</source>
        <translation>同じテキスト</translation>
    </message>
    <message>
        <source>For long answers, and tools that wait for your permission, while another app is in front. Notifications contain no chat text.</source>
        <translation>ほかのアプリを使用中に長い回答が終わったときや、ツールが許可待ちになったときに知らせます。通知にチャットの内容は含まれません。</translation>
    </message>
    <message>
        <source>Opens a small window over all apps, which answers in place. Another app with the same keys may respond too. Press ⌫ for none.</source>
        <translation>すべてのアプリの手前に、その場で答える小さなウインドウを開きます。同じキーを使うほかのアプリも反応することがあります。⌫を押すと「なし」になります。</translation>
    </message>
    <message>
        <source>On {name}</source>
        <translation>{name}</translation>
    </message>
    <message>
        <source>Automatic adapts to the speed measured on this Mac. A fixed number can slow answers down.</source>
        <translation>「自動」では、このMacで測定した速度に合わせて決まります。数を固定すると回答が遅くなることがあります。</translation>
    </message>
    <message>
        <source>Always the same text with and without speculation</source>
        <translation>投機的デコーディングの有無にかかわらず常に同じテキスト</translation>
    </message>
    <message>
        <source>Anyone on your network who has the key can use your models and this Mac&apos;s power, and everything is sent unencrypted. Turn it on only on a network you trust.</source>
        <translation>キーを知っている人は誰でも、ネットワークからこのMacのモデルと計算能力を使えます。やり取りは暗号化されません。信頼できるネットワークでだけオンにしてください。</translation>
    </message>
    <message>
        <source>Changes take effect with the next answer.</source>
        <translation>変更は次の回答から有効になります。</translation>
    </message>
    <message>
        <source>Tandem does not connect to Hugging Face or look for updates, so downloads wait. Chats, installed models, tools and other computers that you chose keep working.</source>
        <translation>TandemはHugging Faceへの接続やアップデートの確認を行わず、ダウンロードは待機します。チャット、インストール済みのモデル、オンにしたツール、選択した別のコンピュータはそのまま使えます。</translation>
    </message>
    <message>
        <source>Show Tandem in the menu bar</source>
        <translation>メニューバーにTandemを表示</translation>
    </message>
    <message>
        <source>Its menu shows what is loaded and the speed of the newest answer, unloads the models, and quits Tandem.</source>
        <translation>読み込み済みのモデルと最新の回答の速度を表示します。モデルの解放とTandemの終了もできます。</translation>
    </message>
    <message>
        <source>Shortcut for the quick entry</source>
        <translation>クイック入力のショートカット</translation>
    </message>
    <message>
        <source>None</source>
        <translation>なし</translation>
    </message>
</context>
<context>
    <name>SideBySide</name>
    <message>
        <source>Use this one</source>
        <translation>こちらを使う</translation>
    </message>
    <message>
        <source>Other version</source>
        <translation>ほかのバージョン</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>並べて表示</translation>
    </message>
    <message>
        <source>The text is the same.</source>
        <translation>テキストは同じです。</translation>
    </message>
    <message>
        <source>The first difference is marked.</source>
        <translation>最初に違うところに印を付けました。</translation>
    </message>
</context>
<context>
    <name>SiteRow</name>
    <message>
        <source>Ask again</source>
        <translation>再び確認する</translation>
    </message>
    <message>
        <source>Always allowed.</source>
        <translation>常に許可しています。</translation>
    </message>
</context>
<context>
    <name>Speculation</name>
    <message>
        <source>The draft model is loading. You can already ask questions.</source>
        <translation>ドラフトモデルを読み込んでいます。質問はすぐにできます。</translation>
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
        <source>{name} was unloaded. The next question loads it again.</source>
        <translation>「{name}」をメモリから解放しました。次に質問すると、もう一度読み込まれます。</translation>
    </message>
    <message>
        <source>Speculation is off.</source>
        <translation>投機的デコーディングはオフです。</translation>
    </message>
    <message>
        <source>No draft model is loaded.</source>
        <translation>ドラフトモデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>Ask something to see how much speculation speeds up the answer.</source>
        <translation>質問すると、投機的デコーディングで回答がどれだけ速くなるかを確認できます。</translation>
    </message>
    <message>
        <source>Speculation: {sources}, no draft model</source>
        <translation>投機的デコーディング：{sources}、ドラフトモデルなし</translation>
    </message>
    <message>
        <source>Speculation: {sources}</source>
        <translation>投機的デコーディング：{sources}</translation>
    </message>
    <message>
        <source>Speculation: auto</source>
        <translation>投機的デコーディング：自動</translation>
    </message>
    <message>
        <source>Speculation: on</source>
        <translation>投機的デコーディング：オン</translation>
    </message>
    <message>
        <source>Waiting for the first token</source>
        <translation>最初のトークンを待機中</translation>
    </message>
    <message>
        <source>Imported · no measurements</source>
        <translation>読み込んだチャット · 測定値なし</translation>
    </message>
    <message>
        <source>Stopped before the first token</source>
        <translation>最初のトークンの前に停止</translation>
    </message>
    <message>
        <source>No measurements</source>
        <translation>測定値なし</translation>
    </message>
    <message>
        <source>No draft token accepted</source>
        <translation>採用されたドラフトトークンなし</translation>
    </message>
    <message>
        <source>Waiting for you to allow a tool</source>
        <translation>ツールの許可を待っています</translation>
    </message>
    <message>
        <source>A tool is running</source>
        <translation>ツールを実行中</translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>Measure again</source>
        <translation>もう一度測定</translation>
    </message>
    <message>
        <source>Updated as you chat and used to choose the draft length.</source>
        <translation>チャット中に更新され、ドラフト長を決めるのに使われます。</translation>
    </message>
    <message>
        <source>No measurements yet. Load models and chat.</source>
        <translation>まだ測定値がありません。モデルを読み込んでチャットしてください。</translation>
    </message>
    <message>
        <source>Measured on this Mac</source>
        <translation>このMacでの測定値</translation>
    </message>
    <message>
        <source>{models}: {gain}.</source>
        <translation>{models}：{gain}。</translation>
    </message>
</context>
<context>
    <name>SpeculationPanel</name>
    <message>
        <source>How it gets faster</source>
        <translation>高速になるしくみ</translation>
    </message>
    <message>
        <source>This answer</source>
        <translation>この回答</translation>
    </message>
    <message>
        <source>Answer {number} of {count}</source>
        <translation>回答{number}/{count}</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>ローカルAPI</translation>
    </message>
    <message>
        <source>No round data: this answer was saved by an older version of Tandem.</source>
        <translation>ラウンドのデータがありません。この回答は以前のバージョンのTandemで保存されました。</translation>
    </message>
    <message>
        <source>How many tokens a round adds to the answer: the accepted ones and one of the main model&apos;s own.</source>
        <translation>1ラウンドで回答に加わるトークン数です。採用されたトークンと、メインモデル自身の1個の合計です。</translation>
    </message>
    <message>
        <source>How much of the prompt had been read before: earlier turns, or the files of the chat&apos;s folder.</source>
        <translation>プロンプトのうち、すでに読み込み済みだった量です。以前のやりとりや、チャットのフォルダのファイルです。</translation>
    </message>
    <message>
        <source>How often the first, the second and each further draft token of a round is accepted.</source>
        <translation>ラウンド内の1番目、2番目、それ以降のドラフトトークンがそれぞれ採用される割合です。</translation>
    </message>
    <message>
        <source>How the decoding time splits into drafting, verification by the main model and everything else.</source>
        <translation>デコード時間のうち、ドラフト、メインモデルによる検証、その他が占める割合です。</translation>
    </message>
    <message>
        <source>The time until the first token appears, most of which goes into processing the prompt.</source>
        <translation>最初のトークンが出るまでの時間です。大部分はプロンプトの処理にかかります。</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>ラウンド</translation>
    </message>
    <message>
        <source>A column for each round, from the bottom up: accepted draft tokens, the main model&apos;s own token, rejected draft tokens.</source>
        <translation>1列が1ラウンドです。下から順に、採用されたドラフトトークン、メインモデルのトークン、不採用のドラフトトークンです。</translation>
    </message>
    <message>
        <source>How much longer the answer would have taken without speculation.</source>
        <translation>投機的デコーディングなしなら余分にかかっていた時間です。</translation>
    </message>
    <message>
        <source>Acceptance by position</source>
        <translation>位置ごとの採用率</translation>
    </message>
    <message>
        <source>Where time went</source>
        <translation>時間の内訳</translation>
    </message>
    <message>
        <source>Drafts</source>
        <comment>the name of the switch Auto, On, Off</comment>
        <translation>ドラフト</translation>
    </message>
    <message>
        <source>How fast these models are with drafts, compared with the main model alone, as measured on this Mac. Until that is known, how many draft tokens the main model accepted.</source>
        <translation>メインモデルだけの場合と比べて、ドラフトを使うとこれらのモデルがどれだけ速いかを、このMacで測定した値です。まだわからないうちは、メインモデルが採用したドラフトトークンの数を示します。</translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>Drafting %Ln token(s) per round.</source>
        <translation>
            <numerusform>1ラウンドに%Lnトークンをドラフト中です。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The limit of %Ln token(s) ended its thoughts.</source>
        <translation>
            <numerusform>%Lnトークンの上限に達したため、思考を終えました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) copied from earlier</source>
        <translation>
            <numerusform>前の文章から%Lnトークンをコピー</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) came from drafts</source>
        <translation>
            <numerusform>ドラフトから%Lnトークン</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StarterLine</name>
    <message>
        <source>A tiny model that came with Tandem.</source>
        <translation>Tandemに付属するごく小さなモデルです。</translation>
    </message>
    <message>
        <source>Choose a larger one.</source>
        <translation>もっと大きなモデルを選ぶ</translation>
    </message>
    <message>
        <source>From Tandem&apos;s help: {question}</source>
        <translation>Tandemのヘルプより：{question}</translation>
    </message>
    <message>
        <source>Take me there.</source>
        <translation>その場所を開く</translation>
    </message>
    <message>
        <source>Did you mean:</source>
        <translation>もしかして：</translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>Choose where to move it</source>
        <translation>移動先を選択</translation>
    </message>
    <message>
        <source>The chats will move to {folder} the next time Tandem starts.</source>
        <translation>次にTandemを起動したときに、チャットを{folder}へ移動します。</translation>
    </message>
    <message>
        <source>Models are being downloaded. Move them when that is finished.</source>
        <translation>モデルをダウンロード中です。終わってから移動してください。</translation>
    </message>
    <message>
        <source>Copying and verifying: {done} of {total}.</source>
        <translation>コピーして検証中：{done} / {total}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Includes the download list.</source>
        <translation>ダウンロードの一覧も含みます。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>The Hugging Face cache, shared with other apps.</source>
        <translation>ほかのアプリと共有するHugging Faceのキャッシュです。</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>キャッシュ</translation>
    </message>
    <message>
        <source>Temporary files that Tandem can recreate.</source>
        <translation>Tandemが作り直せる一時ファイルです。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Your preferences.</source>
        <translation>選択した設定の内容です。</translation>
    </message>
    <message>
        <source>Before you uninstall Tandem: deletes what it keeps, also in the keychain. Downloaded models stay, because other apps may use them.</source>
        <translation>Tandemをアンインストールする前に使います。キーチェーンの項目も含めて、Tandemが保存したデータを削除します。ダウンロードしたモデルは、ほかのアプリも使うことがあるため残ります。</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>読み込めません</translation>
    </message>
    <message>
        <source>at least {size}, parts cannot be read</source>
        <translation>{size}以上、一部は読み込めません</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Show in Finder: {name}</source>
        <translation>Finderに表示：{name}</translation>
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
        <source>Backups</source>
        <translation>バックアップ</translation>
    </message>
    <message>
        <source>All data</source>
        <translation>すべてのデータ</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>Store</name>
    <message>
        <source>The disk is full, so your chats can&apos;t be saved. Free up space.</source>
        <translation>ディスクがいっぱいのため、チャットを保存できません。空き容量を増やしてください。</translation>
    </message>
    <message>
        <source>The chats cannot be changed: the disk or the file does not allow writing.</source>
        <translation>チャットを変更できません。ディスクまたはファイルへの書き込みが許可されていません。</translation>
    </message>
    <message>
        <source>The disk is not responding correctly, so this chat can&apos;t be saved.</source>
        <translation>ディスクが正しく応答しないため、このチャットを保存できません。</translation>
    </message>
    <message>
        <source>The chat database is damaged. Quit and reopen Tandem to repair it.</source>
        <translation>チャットのデータベースが壊れています。Tandemを終了してもう一度開くと修復されます。</translation>
    </message>
    <message>
        <source>The deleted chats may still be in files that can&apos;t be read or changed: {files}.</source>
        <translation>削除したチャットが、読み込みまたは変更できないファイルに残っていることがあります：{files}。</translation>
    </message>
    <message>
        <source>Not deleted: {titles}. The chat database is damaged. Quit and reopen Tandem to repair it.</source>
        <translation>削除できなかったチャット：{titles}。チャットのデータベースが壊れています。Tandemを終了してもう一度開くと修復されます。</translation>
    </message>
    <message>
        <source>Your chats could not be saved or read: {detail}. Try again, or quit and reopen Tandem.</source>
        <translation>チャットを保存または読み込みできませんでした：{detail}。もう一度試すか、Tandemを終了して開き直してください。</translation>
    </message>
    <message>
        <source>Tandem is already running.</source>
        <translation>Tandemはすでに起動しています。</translation>
    </message>
    <message>
        <source>Your chats were saved by a newer version of Tandem. Update Tandem.</source>
        <translation>チャットはより新しいバージョンのTandemで保存されています。Tandemをアップデートしてください。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because the disk is full. Free up space and try again.</source>
        <translation>ディスクがいっぱいのため、チャットを開けません。空き容量を増やしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because their disk or folder does not allow it.</source>
        <translation>ディスクまたはフォルダの権限により、チャットを開けません。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened: {detail}.</source>
        <translation>チャットを開けません（{detail}）。</translation>
    </message>
    <message>
        <source>The chat database was damaged. What could be recovered is in the chat list; the damaged file was kept as {name}.</source>
        <translation>チャットのデータベースが壊れていました。復元できたものはチャット一覧にあります。壊れたファイルは「{name}」として残してあります。</translation>
    </message>
</context>
<context>
    <name>Teaching</name>
    <message>
        <source>Testing the draft on chats that it has not seen…</source>
        <translation>学習に使っていないチャットでドラフトモデルを評価中…</translation>
    </message>
    <message>
        <source>Reading your chats: {share}</source>
        <translation>チャットを読み込み中：{share}</translation>
    </message>
    <message>
        <source>Step {step} of {steps}, {left} left</source>
        <translation>ステップ{step}/{steps}、残り{left}</translation>
    </message>
    <message>
        <source>This did not make the draft better ({after} instead of {before} right), so it goes on as before.</source>
        <translation>ドラフトモデルは改善されなかったため（正解率{before} → {after}）、これまでのものを使い続けます。</translation>
    </message>
    <message>
        <source>Your draft now gets {after} instead of {before} right.</source>
        <translation>ドラフトモデルの正解率が{before}から{after}になりました。</translation>
    </message>
    <message>
        <source>Choose a draft model or a head first: there is none to teach.</source>
        <translation>学習させるドラフトモデルやヘッドがありません。先に選択してください。</translation>
    </message>
    <message>
        <source>This draft model has another tokenizer than the main model, so it cannot be taught. Choose one of the main model&apos;s family.</source>
        <translation>このドラフトモデルはメインモデルとトークナイザーが異なるため、学習させることができません。メインモデルと同じ系列のものを選択してください。</translation>
    </message>
    <message>
        <source>A draft cannot be taught while the main model runs on multiple Macs. Continue on this Mac alone.</source>
        <translation>メインモデルが複数のMacで動いている間は学習させることができません。このMacだけで続けてください。</translation>
    </message>
    <message>
        <source>Teaching takes {detail} GB more memory than models can use. Use smaller models.</source>
        <translation>学習には、モデルが使えるメモリより{detail} GB多く必要です。より小さいモデルを使ってください。</translation>
    </message>
    <message>
        <source>A draft can only be taught if Tandem can save it to disk.</source>
        <translation>学習させられるのは、Tandemがドラフトモデルをディスクに保存できる場合だけです。</translation>
    </message>
    <message>
        <source>The files of the main model or the draft have changed since they were loaded. Load both again, then teach.</source>
        <translation>メインモデルまたはドラフトモデルのファイルが、読み込んだあとに変わりました。両方を読み込み直してから学習させてください。</translation>
    </message>
    <message>
        <source>The files of the taught draft are damaged, so it is used as it was downloaded. Teach it again.</source>
        <translation>学習済みのドラフトモデルのファイルが壊れているため、ダウンロードしたままの状態で使っています。もう一度学習させてください。</translation>
    </message>
    <message>
        <source>Tandem cannot teach draft models or heads of this kind yet. Choose another one.</source>
        <translation>この種類のドラフトモデルやヘッドの学習にはまだ対応していません。ほかのものを選択してください。</translation>
    </message>
    <message>
        <source>Chat some more first: your chats have {detail} of the answers by this model that are needed.</source>
        <translation>先にもう少しチャットしてください。このモデルの回答は必要な量の{detail}です。</translation>
    </message>
    <message>
        <source>What the draft learns cannot be saved: {detail}. Free up space and try again. Until then the draft stays as it is.</source>
        <translation>学習した内容を保存できません（{detail}）。空き容量を増やして、もう一度お試しください。それまでドラフトモデルは変わりません。</translation>
    </message>
    <message>
        <source>The main model, the draft model or the head has changed since the draft was taught, so the draft is used as it was downloaded. Teach it again.</source>
        <translation>学習の後にメインモデル、ドラフトモデルまたはヘッドが変わったため、ドラフトモデルをダウンロードしたままの状態で使っています。もう一度学習させてください。</translation>
    </message>
</context>
<context>
    <name>TeachingSection</name>
    <message>
        <source>Teach this draft your way</source>
        <translation>使い方に合わせて学習</translation>
    </message>
    <message>
        <source>Delete the taught draft</source>
        <translation>学習済みのドラフトモデルを削除</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>学習させる</translation>
    </message>
    <message>
        <source>Load a main model and a draft model or head first.</source>
        <translation>先にメインモデルと、ドラフトモデルまたはヘッドを読み込んでください。</translation>
    </message>
    <message>
        <source>{draft} learns from the answers of {main} in your chats, so that more of its draft tokens are right. If these are few, {main} also answers questions from your chats, and these answers are not saved. Only the speed changes, never the text. The taught draft stays on this Mac, even after a chat is deleted; answers always come first.</source>
        <translation>「{draft}」がチャット内の「{main}」の回答から学び、ドラフトトークンの正解率を高めます。回答が少ないときは、「{main}」がチャット内の質問にも答えますが、その回答は保存されません。変わるのは速度だけで、テキストは変わりません。学習済みのドラフトモデルは、チャットを削除した後も残りますが、このMacの外に出ることはありません。学習中も回答が常に優先されます。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>TemporaryMark</name>
    <message>
        <source>Temporary chat: it is not saved, and gone when you leave it.</source>
        <translation>一時チャット：保存されず、ほかのチャットに移ると消えます。</translation>
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
        <translation>思考中… {count}トークン</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Thought for {count} tokens</source>
        <translation>思考（{count}トークン）</translation>
    </message>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>モデルが回答の前に考えた内容の表示を切り替え</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>思考時間{time}</translation>
    </message>
</context>
<context>
    <name>TimeBar</name>
    <message>
        <source>draft {draft} · verify {verify} · overhead {host}</source>
        <translation>ドラフト{draft} · 検証{verify} · その他{host}</translation>
    </message>
</context>
<context>
    <name>TokenLegend</name>
    <message>
        <source>rejected</source>
        <translation>不採用</translation>
    </message>
</context>
<context>
    <name>TokenView</name>
    <message>
        <source>Only the beginning of this very long text is shown.</source>
        <translation>非常に長いため、最初の部分だけを表示しています。</translation>
    </message>
    <message>
        <source>{source} · round {round}, position {position} · probability {percent}</source>
        <translation>{source} · ラウンド{round}、位置{position} · 確率{percent}</translation>
    </message>
</context>
<context>
    <name>ToolErrors</name>
    <message>
        <source>The tool failed. Try again.</source>
        <translation>ツールの実行に失敗しました。もう一度お試しください。</translation>
    </message>
    <message>
        <source>The file contains no servers. Use an object named “mcpServers”.</source>
        <translation>ファイルにサーバが含まれていません。「mcpServers」というオブジェクトを使ってください。</translation>
    </message>
    <message>
        <source>In “{server}”: “{field}” has to look like this: {example}</source>
        <translation>「{server}」の「{field}」は次の形にしてください：{example}</translation>
    </message>
    <message>
        <source>The keychain has no value of {names} for “{server}”. Enter it again in the settings.</source>
        <translation>「{server}」に必要な{names}の値がキーチェーンにありません。設定でもう一度入力してください。</translation>
    </message>
    <message>
        <source>“{server}” has not been allowed to run. Allow it in the settings.</source>
        <translation>「{server}」の実行はまだ許可されていません。設定で許可してください。</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t start: this Mac has no command “{command}”. Install it, or enter its full path.</source>
        <translation>「{server}」を起動できません。このMacにコマンド「{command}」がありません。インストールするか、フルパスを入力してください。</translation>
    </message>
    <message>
        <source>“{server}” stopped again after {count} new starts within a minute ({detail}). Check it in the settings, or try again in a minute.</source>
        <translation>「{server}」は1分以内に{count}回起動し直しましたが、また終了しました（{detail}）。設定で確認するか、1分後にもう一度お試しください。</translation>
    </message>
    <message>
        <source>“{server}” no longer knew this connection ({detail}). The next call connects again.</source>
        <translation>「{server}」がこの接続を認識しなくなっていました（{detail}）。次の呼び出しで接続し直します。</translation>
    </message>
    <message>
        <source>“{server}” sent more than {megabytes} MB at once, so it was stopped. Ask for less.</source>
        <translation>「{server}」が一度に{megabytes} MBを超えるデータを送ったため、停止しました。量を減らして依頼してください。</translation>
    </message>
    <message>
        <source>Can&apos;t reach “{server}” ({detail}). Check its address and the network.</source>
        <translation>「{server}」に接続できません（{detail}）。アドレスとネットワークを確認してください。</translation>
    </message>
    <message>
        <source>“{server}” has moved to {address}. If you trust that address, enter it in the settings.</source>
        <translation>「{server}」は{address}に移転しました。信頼できるアドレスなら、設定に入力してください。</translation>
    </message>
    <message>
        <source>Sign-in needed. In Settings &gt; Tools, press “Sign in…” beside “{server}”.</source>
        <translation>サインインが必要です。「設定 &gt; ツール」で「{server}」の横の「サインイン…」を押してください。</translation>
    </message>
    <message>
        <source>“{server}” refused the key in its headers. In Settings &gt; Tools, enter another one or press “Sign in…”.</source>
        <translation>「{server}」がヘッダのキーを拒否しました。「設定 &gt; ツール」で別のキーを入力するか、「サインイン…」を押してください。</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” was not completed in the browser. Try again.</source>
        <translation>「{server}」へのサインインがブラウザで完了しませんでした。もう一度お試しください。</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” failed ({detail}). Try again.</source>
        <translation>「{server}」へのサインインに失敗しました（{detail}）。もう一度お試しください。</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” would use an unencrypted address ({address}), so it was refused.</source>
        <translation>「{server}」へのサインインは、暗号化されないアドレス（{address}）を使うため拒否されました。</translation>
    </message>
    <message>
        <source>“{server}” has changed the tool “{tool}”, so it was not used. Ask again to see the new one.</source>
        <translation>「{server}」がツール「{tool}」を変更したため、使いませんでした。もう一度質問すると、新しいツールを確認できます。</translation>
    </message>
    <message>
        <source>“{tool}” failed ({detail}).</source>
        <translation>「{tool}」の実行に失敗しました（{detail}）。</translation>
    </message>
    <message>
        <source>This call was not allowed.</source>
        <translation>この呼び出しは許可されませんでした。</translation>
    </message>
    <message>
        <source>You stopped this call.</source>
        <translation>この呼び出しはユーザが停止しました。</translation>
    </message>
    <message>
        <source>Not called: one answer uses tools at most {count} times.</source>
        <translation>呼び出しませんでした。1つの回答でツールを使えるのは{count}回までです。</translation>
    </message>
    <message>
        <source>Not called: the model passed arguments that the tool does not accept.</source>
        <translation>呼び出しませんでした。モデルが渡した引数がこのツールに合いません。</translation>
    </message>
    <message>
        <source>“{address}” is not the address of a web page.</source>
        <translation>「{address}」はWebページのアドレスではありません。</translation>
    </message>
    <message>
        <source>{host} is on this Mac or in a private network, so its page was not read.</source>
        <translation>{host}はこのMac上か非公開のネットワーク内にあるため、ページを読み取りませんでした。</translation>
    </message>
    <message>
        <source>Can&apos;t reach {host} ({detail}). Check the address and the network.</source>
        <translation>{host}に接続できません（{detail}）。アドレスとネットワークを確認してください。</translation>
    </message>
    <message>
        <source>{host} answers with error {status}.</source>
        <translation>{host}がエラーを返しています（エラー{status}）。</translation>
    </message>
    <message>
        <source>{host} redirects from page to page without end.</source>
        <translation>{host}はページからページへ際限なく転送されます。</translation>
    </message>
    <message>
        <source>{host} leads to another site, {site}. The model can ask to read its page.</source>
        <translation>{host}は別のサイト（{site}）に転送されます。モデルはそのページの読み取りを求めることができます。</translation>
    </message>
    <message>
        <source>{host} took longer than {seconds} seconds. Try again.</source>
        <translation>{host}の応答に{seconds}秒以上かかりました。もう一度お試しください。</translation>
    </message>
    <message>
        <source>The page of {host} is larger than {megabytes} MB, so it was not read.</source>
        <translation>{host}のページは{megabytes} MBより大きいため、読み取りませんでした。</translation>
    </message>
    <message>
        <source>Searching with {service} needs a key. Enter it in Settings &gt; Tools.</source>
        <translation>{service}で検索するにはキーが必要です。「設定 &gt; ツール」で入力してください。</translation>
    </message>
    <message>
        <source>Searching with {service} needs its address. Enter it in Settings &gt; Tools.</source>
        <translation>{service}で検索するにはアドレスが必要です。「設定 &gt; ツール」で入力してください。</translation>
    </message>
    <message>
        <source>{service} refused the search (error {status}). Check the key or the address in Settings &gt; Tools.</source>
        <translation>{service}が検索を拒否しました（エラー{status}）。「設定 &gt; ツール」でキーまたはアドレスを確認してください。</translation>
    </message>
    <message>
        <source>{service} takes no more searches for now. Wait a little, and try again.</source>
        <translation>{service}は現在これ以上の検索を受け付けていません。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>{service} answered something that is not a list of results.</source>
        <translation>{service}の応答は検索結果の一覧ではありませんでした。</translation>
    </message>
    <message>
        <source>The page of {host} can&apos;t be read.</source>
        <translation>{host}のページを読み取れません。</translation>
    </message>
    <message>
        <source>{host} sent a file that is neither text nor a document.</source>
        <translation>{host}から届いたファイルは、テキストでも文書でもありません。</translation>
    </message>
    <message>
        <source>The page of {host} contains no text. Scripts, which may build it, are not run.</source>
        <translation>{host}のページにはテキストが含まれていません。スクリプトで表示されるページかもしれませんが、スクリプトは実行しません。</translation>
    </message>
    <message>
        <source>The document of {host} contains only images, in which no text was recognized.</source>
        <translation>{host}の文書には画像しかなく、その中の文字を認識できませんでした。</translation>
    </message>
    <message>
        <source>The text encoding of the page of {host} was not recognized.</source>
        <translation>{host}のページの文字コードを認識できませんでした。</translation>
    </message>
    <message>
        <source>The document of {host} is password-protected, so it was not read.</source>
        <translation>{host}の文書はパスワードで保護されているため、読み取りませんでした。</translation>
    </message>
    <message>
        <source>The document of {host} is damaged: its text cannot be read.</source>
        <translation>{host}の文書は壊れていて、本文を読み取れません。</translation>
    </message>
    <message>
        <source>The document of {host} has an old format. Where LibreOffice is installed, Tandem reads it.</source>
        <translation>{host}の文書は古い形式です。LibreOfficeがインストールされていれば、Tandemはこれを読み取ります。</translation>
    </message>
    <message>
        <source>The text of the page of {host} is too long, so it was not read.</source>
        <translation>{host}のページのテキストが長すぎるため、読み取りませんでした。</translation>
    </message>
    <message>
        <source>The page of {host} takes too long to read, so it was not read.</source>
        <translation>{host}のページは読み取りに時間がかかりすぎるため、読み取りませんでした。</translation>
    </message>
    <message>
        <source>The page of {host} takes too much memory to read, so it was not read.</source>
        <translation>{host}のページは読み取りに必要なメモリが多すぎるため、読み取りませんでした。</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t be the name of a server. Use up to 64 characters, and not “Tandem”.</source>
        <translation>「{server}」はサーバの名前に使えません。64文字以内で、「Tandem」以外の名前にしてください。</translation>
    </message>
    <message>
        <source>In “{server}”: enter either a “command” or a “url”.</source>
        <translation>「{server}」には「command」か「url」のどちらか一方を入力してください。</translation>
    </message>
    <message>
        <source>This file can&apos;t be used: {detail}.</source>
        <translation>このファイルは使えません（{detail}）。</translation>
    </message>
    <message>
        <source>“{server}” was not ready and silent for {seconds} seconds, so it was stopped. Try again.</source>
        <translation>「{server}」は準備できないまま{seconds}秒間応答がなかったため、停止しました。もう一度お試しください。</translation>
    </message>
    <message>
        <source>“{tool}” was silent for {time}, so it was stopped.</source>
        <translation>「{tool}」から{time}間応答がなかったため、停止しました。</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t be used as an MCP server ({detail}).</source>
        <translation>「{server}」をMCPサーバとして使えません（{detail}）。</translation>
    </message>
    <message>
        <source>“{server}” answers with error {status}. Check its address and the key in its headers.</source>
        <translation>「{server}」がエラーを返しています（エラー{status}）。アドレスとヘッダのキーを確認してください。</translation>
    </message>
    <message>
        <source>“{server}” stopped unexpectedly ({detail}). Check it in the settings, or try again.</source>
        <translation>「{server}」が予期せず終了しました（{detail}）。設定で確認するか、もう一度お試しください。</translation>
    </message>
    <message>
        <source>“{server}” lets only apps that it knows sign in. Register an app there whose redirect address is {callback}, and in Settings &gt; Tools add its ID as the value {id}, and its secret, if it has one, as {secret}. Or get an access token, and add the value {example}.</source>
        <translation>「{server}」には登録済みのアプリからしかサインインできません。リダイレクト先を{callback}にしたアプリをサービスに登録し、「設定 &gt; ツール」でアプリのIDを値{id}に、シークレットがあれば値{secret}に追加してください。アクセストークンを取得し、値{example}を追加する方法もあります。</translation>
    </message>
    <message>
        <source>Not called: it isn&apos;t clear where the model&apos;s text ends, because marks that end a call are part of it or missing.</source>
        <translation>呼び出しませんでした。呼び出しの終わりを示す記号がテキストの中にあるか抜けているため、モデルのテキストがどこで終わるのかわかりません。</translation>
    </message>
    <message>
        <source>“{server}” was not ready and silent for {seconds} seconds, so it was stopped. It last said: {detail}</source>
        <translation>「{server}」は準備できないまま{seconds}秒間応答がなかったため、停止しました。最後の出力：{detail}</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>Models on this Mac</source>
        <translation>このMacのモデル</translation>
    </message>
    <message>
        <source>Today&apos;s acceptance rate</source>
        <translation>今日の採用率</translation>
    </message>
    <message>
        <source>Read a web page</source>
        <translation>Webページを読み取る</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
</context>
<context>
    <name>ToolsButton</name>
    <message>
        <source>Tools: on</source>
        <translation>ツール：オン</translation>
    </message>
    <message>
        <source>Tools: off</source>
        <translation>ツール：オフ</translation>
    </message>
    <message>
        <source>The tools that the model can use in this chat</source>
        <translation>このチャットでモデルが使えるツール</translation>
    </message>
    <message>
        <source>You can turn on tools once a model is loaded.</source>
        <translation>モデルを読み込むとツールをオンにできます。</translation>
    </message>
    <message>
        <source>Use tools in this chat</source>
        <translation>このチャットでツールを使う</translation>
    </message>
    <message>
        <source>In all chats</source>
        <translation>すべてのチャットで</translation>
    </message>
    <message>
        <source>Tools: Tandem only</source>
        <translation>ツール：Tandemのみ</translation>
    </message>
    <message>
        <source>Not used in this chat</source>
        <translation>このチャットでは未使用</translation>
    </message>
    <message>
        <source>Use all tools in this chat</source>
        <translation>このチャットですべてのツールを使う</translation>
    </message>
    <message>
        <source>This model can&apos;t use tools.</source>
        <translation>このモデルはツールを使えません。</translation>
    </message>
    <message>
        <source>Its chat template has no place for them.</source>
        <translation>チャットテンプレートにツールの場所がありません。</translation>
    </message>
    <message>
        <source>Choose a model that can…</source>
        <translation>使えるモデルを選択…</translation>
    </message>
</context>
<context>
    <name>ToolsPage</name>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation>サーバを追加…</translation>
    </message>
    <message>
        <source>Import mcp.json…</source>
        <translation>mcp.jsonを読み込む…</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>追加…</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use: the values are for this run only.</source>
        <translation>このMacにはTandemが使えるキーチェーンがないため、値は今回の起動中だけ有効です。</translation>
    </message>
    <message>
        <source>Tools are on in the current chat.</source>
        <translation>現在のチャットでツールをオンにしました。</translation>
    </message>
    <message>
        <source>Continue in Tandem. You can close this page.</source>
        <translation>Tandemに戻って続けてください。このページは閉じてかまいません。</translation>
    </message>
    <message>
        <source>Open {host} in the browser to sign in to “{server}”?</source>
        <translation>「{server}」にサインインするために、{host}をブラウザで開きますか？</translation>
    </message>
    <message>
        <source>“{server}” calls the service that signs you in {expected}, but the service calls itself {named}. Continue only if you trust both.</source>
        <translation>「{server}」はサインイン先のサービスを{expected}としていますが、サービス自身は{named}と名乗っています。どちらも信頼できる場合にのみ続けてください。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Import mcp.json</source>
        <translation>mcp.jsonを読み込む</translation>
    </message>
    <message>
        <source>Imported: {names}.</source>
        <translation>読み込んだサーバ：{names}</translation>
    </message>
    <message>
        <source>Left as they are, because there are servers with these names: {names}.</source>
        <translation>同じ名前のサーバがあるため、変更していません：{names}</translation>
    </message>
    <message>
        <source>What models may use in chats with tools on. Each call is shown, and asks first unless you choose otherwise.</source>
        <translation>ツールをオンにしたチャットでモデルが使えるものです。呼び出しは毎回表示され、別の設定にしない限り、先に確認します。</translation>
    </message>
    <message>
        <source>Other servers</source>
        <translation>ほかのサーバ</translation>
    </message>
    <message>
        <source>Tool servers (MCP). The mcp.json of another app can be dropped here, too.</source>
        <translation>ツールサーバ（MCP）です。ほかのアプリのmcp.jsonをここにドロップすることもできます。</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>Jump to the latest text</source>
        <translation>最新の部分へ移動</translation>
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
        <translation>回答をMarkdownでコピー</translation>
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
        <translation>回答の続きを生成</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Copy the answer as shown</source>
        <translation>回答を表示どおりにコピー</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>ここから分岐</translation>
    </message>
    <message>
        <source>Delete the message and its answer</source>
        <translation>メッセージと回答を削除</translation>
    </message>
    <message>
        <source>Answer again with</source>
        <translation>別のモデルで再生成</translation>
    </message>
    <message>
        <source>Delete the answer</source>
        <translation>回答を削除</translation>
    </message>
    <message>
        <source>Delete the answer and everything after it</source>
        <translation>回答とそれ以降をすべて削除</translation>
    </message>
    <message>
        <source>Read the answer aloud</source>
        <translation>回答を読み上げる</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>並べて表示</translation>
    </message>
</context>
<context>
    <name>TurnView</name>
    <message>
        <source>Sources: {links}</source>
        <translation>出典：{links}</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>The Starter knows one answer to each question.</source>
        <translation>スターターは質問ごとに1つの回答しか知りません。</translation>
    </message>
    <message>
        <source>This answer was cut off when Tandem quit.</source>
        <translation>Tandemが終了したため、この回答は途中で切れています。</translation>
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
        <source>Reading {name}…</source>
        <translation>「{name}」を読み込み中…</translation>
    </message>
    <message>
        <source>Starting tools…</source>
        <translation>ツールを起動しています…</translation>
    </message>
    <message>
        <source>Calling {name}…</source>
        <translation>{name}を呼び出しています…</translation>
    </message>
    <message>
        <source>Preparing to use a tool…</source>
        <translation>ツールの使用を準備しています…</translation>
    </message>
    <message>
        <source>Reached the length limit.</source>
        <translation>長さの上限に達しました。</translation>
    </message>
    <message>
        <source>Processing prompt: {share}</source>
        <translation>プロンプトを処理中：{share}</translation>
    </message>
    <message>
        <source>Waiting for the first token…</source>
        <translation>最初のトークンを待っています…</translation>
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
        <translation>回答をMarkdownでコピー</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Regenerate: the same words, because temperature 0 was chosen</source>
        <translation>再生成：温度が0に設定されているため、同じ文章になります</translation>
    </message>
    <message>
        <source>Regenerate: mostly the same words, because the Starter knows its answers by heart</source>
        <translation>再生成：スターターは回答を暗記しているため、ほとんど同じ文章になります</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>ここから分岐</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>回答の続きを生成</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>そのほかの操作</translation>
    </message>
    <message>
        <source>This answer repeats itself.</source>
        <translation>この回答は同じ内容を繰り返しています。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>The model stopped while thinking, without an answer.</source>
        <translation>モデルが思考の途中で止まり、回答がありません。</translation>
    </message>
</context>
<context>
    <name>UnsavedChats</name>
    <message>
        <source>Choose another folder…</source>
        <translation>別のフォルダを選択…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>Choose where to keep these chats</source>
        <translation>これらのチャットの保管場所を選択</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) in this window are not saved.</source>
        <translation>
            <numerusform>このウインドウの%Ln件のチャットは保存されていません。</numerusform>
        </translation>
    </message>
    <message>
        <source>Chats in this window are not saved.</source>
        <translation>このウインドウのチャットは保存されません。</translation>
    </message>
    <message>
        <source>Tandem keeps them aside and offers to add them to your chats the next time it starts.</source>
        <translation>Tandemが別の場所に保管します。次に起動したときにチャットに追加できます。</translation>
    </message>
    <message>
        <source>They are lost when Tandem quits. Export them first if you want to keep them.</source>
        <translation>Tandemを終了すると失われます。残したい場合は、先に書き出してください。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Add to my chats</source>
        <translation>チャットに追加</translation>
    </message>
    <message>
        <source>Show in Finder</source>
        <translation>Finderに表示</translation>
    </message>
    <message numerus="yes">
        <source>Tandem kept %Ln chat(s) from a time when it could not open your chats.</source>
        <translation>
            <numerusform>Tandemがチャットを開けなかったときの%Ln件のチャットが残っています。</numerusform>
        </translation>
    </message>
    <message>
        <source>Until your chats can be opened, the ones in this window are kept in {folder}.</source>
        <translation>チャットを開けるようになるまで、このウインドウのチャットは「{folder}」に保管されます。</translation>
    </message>
</context>
<context>
    <name>WaitingBubble</name>
    <message>
        <source>Put it back into the message box</source>
        <translation>メッセージ欄に戻す</translation>
    </message>
    <message>
        <source>Waiting for the answer</source>
        <translation>回答を待っています</translation>
    </message>
    <message>
        <source>Waiting for the model</source>
        <translation>モデルを待っています</translation>
    </message>
</context>
<context>
    <name>WebDetails</name>
    <message>
        <source>Web</source>
        <translation>Web</translation>
    </message>
    <message>
        <source>In chats with tools on, the model can read web pages and documents at public addresses, and search. Each call shows the address or the words, and asks first unless you choose otherwise.</source>
        <translation>ツールをオンにしたチャットで、モデルは公開アドレスのWebページと書類を読み、検索できます。呼び出しのたびにアドレスまたは語句が表示され、別の設定にしない限り、先に確認します。</translation>
    </message>
    <message>
        <source>Search with {service}</source>
        <translation>{service}で検索</translation>
    </message>
    <message>
        <source>Address of SearXNG</source>
        <translation>SearXNGのアドレス</translation>
    </message>
    <message>
        <source>Of a server of your own or of your group, also on this Mac.</source>
        <translation>自分やグループのサーバのアドレスです。このMac上のものでもかまいません。</translation>
    </message>
    <message>
        <source>Stored only in the system keychain.</source>
        <translation>システムのキーチェーンにだけ保存されます。</translation>
    </message>
    <message>
        <source>Your key is in the keychain.</source>
        <translation>キーはキーチェーンに保存されています。</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use: the key is for this run only.</source>
        <translation>このMacにはTandemが使えるキーチェーンがありません。キーは今回の起動中だけ有効です。</translation>
    </message>
    <message>
        <source>Key for {service}</source>
        <translation>{service}のキー</translation>
    </message>
    <message>
        <source>Searches the web with your key from {page}.</source>
        <translation>{page}で取得したキーを使ってWebを検索します。</translation>
    </message>
    <message>
        <source>Needs no account. Finds articles of Wikipedia, not all of the web.</source>
        <translation>アカウントは不要です。Web全体ではなく、Wikipediaの記事を検索します。</translation>
    </message>
    <message>
        <source>Searches the web with your own SearXNG, whose settings have to allow the JSON format.</source>
        <translation>自分のSearXNGでWebを検索します。SearXNGの設定でJSON形式を許可する必要があります。</translation>
    </message>
</context>
<context>
    <name>WebLine</name>
    <message>
        <source>Details…</source>
        <translation>詳細…</translation>
    </message>
    <message>
        <source>Web</source>
        <translation>Web</translation>
    </message>
    <message>
        <source>Search with</source>
        <translation>検索サービス</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>読み取り</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Reads pages, and searches {service}, not all of the web.</source>
        <translation>ページを読み、Web全体ではなく{service}を検索します。</translation>
    </message>
    <message>
        <source>Reads pages, and searches the web with {service}.</source>
        <translation>ページを読み、{service}でWebを検索します。</translation>
    </message>
    <message>
        <source>Sites see you as they do in a browser.</source>
        <translation>サイトからはブラウザで見るときと同じように見えます。</translation>
    </message>
    <message>
        <source>Its address is missing.</source>
        <translation>アドレスがありません。</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What can I help with?</source>
        <translation>何をお手伝いしましょうか？</translation>
    </message>
    <message>
        <source>Show me a fast answer</source>
        <translation>高速な回答を見る</translation>
    </message>
    <message>
        <source>Explain step by step how speculative decoding works in Tandem.</source>
        <translation>Tandemの投機的デコーディングの仕組みを、順を追って説明してください。</translation>
    </message>
    <message>
        <source>What is Tandem?</source>
        <translation>Tandemとは何ですか？</translation>
    </message>
    <message>
        <source>How does speculative decoding work?</source>
        <translation>投機的デコーディングはどう動きますか？</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>空はなぜ青いのですか？</translation>
    </message>
    <message>
        <source>Make a table of the planets with their size and distance.</source>
        <translation>惑星の大きさと距離を表にまとめてください。</translation>
    </message>
    <message>
        <source>Write the numbers from one to fifty in words, one on each line.</source>
        <translation>1から50までの数を、漢字で1行に1つずつ書いてください。</translation>
    </message>
    <message>
        <source>It begins with the folder&apos;s system prompt and these files: {files}</source>
        <translation>フォルダのシステムプロンプトと次のファイルから始まります：{files}</translation>
    </message>
    <message>
        <source>It begins with these files: {files}</source>
        <translation>次のファイルから始まります：{files}</translation>
    </message>
    <message>
        <source>It begins with the folder&apos;s system prompt.</source>
        <translation>フォルダのシステムプロンプトから始まります。</translation>
    </message>
    <message>
        <source>This chat is in the folder “{name}”.</source>
        <translation>このチャットはフォルダ「{name}」にあります。</translation>
    </message>
</context>
<context>
    <name>_DeleteButton</name>
    <message numerus="yes">
        <source>Delete %Ln backup(s)?</source>
        <translation>
            <numerusform>%Ln件のバックアップを削除しますか？</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete all…</source>
        <translation>すべて削除…</translation>
    </message>
    <message>
        <source>Delete all backups</source>
        <translation>すべてのバックアップを削除</translation>
    </message>
</context>
<context>
    <name>_DeleteRequestsButton</name>
    <message>
        <source>Delete all of them?</source>
        <translation>すべて削除しますか？</translation>
    </message>
    <message>
        <source>Delete API requests…</source>
        <translation>APIリクエストを削除…</translation>
    </message>
</context>
</TS>
