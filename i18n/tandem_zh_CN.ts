<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutWindow</name>
    <message>
        <source>About Tandem</source>
        <translation>关于 Tandem</translation>
    </message>
    <message>
        <source>{name}, under the Apache License 2.0.</source>
        <translation>{name}，以 Apache License 2.0 发布。</translation>
    </message>
    <message>
        <source>The interface is built with Qt, used unmodified under the GNU Lesser General Public License, version 3. You may replace Qt with your own version; its source code is available from the Qt Project.</source>
        <translation>界面使用 Qt 构建。Qt 依据 GNU 较宽松公共许可证（LGPL）第 3 版使用，未作修改。你可以将 Qt 换成自己的版本，源代码可从 Qt Project 获取。</translation>
    </message>
    <message>
        <source>Show all licenses</source>
        <translation>显示所有许可证</translation>
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
        <translation>文件</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>语音</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Start a new chat</source>
        <translation>开始新对话</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>上一个对话</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>下一个对话</translation>
    </message>
    <message>
        <source>Start the local API</source>
        <translation>启动本地 API</translation>
    </message>
    <message>
        <source>Let other programs on this Mac use the models</source>
        <translation>让本机上的其他程序使用模型</translation>
    </message>
    <message>
        <source>Stop the local API</source>
        <translation>停止本地 API</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>发送消息</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Regenerate the last answer</source>
        <translation>重新生成上一个回答</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Continue the last answer</source>
        <translation>继续上一个回答</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>编辑上一条消息</translation>
    </message>
    <message>
        <source>Edit your last message</source>
        <translation>编辑自己的上一条消息</translation>
    </message>
    <message>
        <source>Rename chat</source>
        <translation>重命名对话</translation>
    </message>
    <message>
        <source>Change the title of this chat</source>
        <translation>更改此对话的标题</translation>
    </message>
    <message>
        <source>Pin this chat to the top, or unpin it</source>
        <translation>将此对话置顶或取消置顶</translation>
    </message>
    <message>
        <source>Duplicate chat</source>
        <translation>复制对话</translation>
    </message>
    <message>
        <source>Make a copy of this chat</source>
        <translation>为此对话创建副本</translation>
    </message>
    <message>
        <source>Archive chat</source>
        <translation>归档对话</translation>
    </message>
    <message>
        <source>Archive this chat</source>
        <translation>归档此对话</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>删除对话</translation>
    </message>
    <message>
        <source>Delete this chat</source>
        <translation>删除此对话</translation>
    </message>
    <message>
        <source>Save again</source>
        <translation>再次保存</translation>
    </message>
    <message>
        <source>Retry saving</source>
        <translation>重试保存</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Show all commands with their keys</source>
        <translation>显示所有命令及其快捷键</translation>
    </message>
    <message>
        <source>Log of this session…</source>
        <translation>本次运行的日志…</translation>
    </message>
    <message>
        <source>Show what Tandem has recorded since it started</source>
        <translation>显示 Tandem 启动以来的记录</translation>
    </message>
    <message>
        <source>Show chats in Finder</source>
        <translation>在访达中显示对话</translation>
    </message>
    <message>
        <source>Show the folder where chats are stored</source>
        <translation>显示保存对话的文件夹</translation>
    </message>
    <message>
        <source>Export chat…</source>
        <translation>导出对话…</translation>
    </message>
    <message>
        <source>Save this chat as Markdown, HTML, JSON or PDF</source>
        <translation>将此对话保存为 Markdown、HTML、JSON 或 PDF</translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>打印…</translation>
    </message>
    <message>
        <source>Print this chat</source>
        <translation>打印此对话</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>导出所有对话…</translation>
    </message>
    <message>
        <source>Export all chats to a file or folder</source>
        <translation>将所有对话导出到文件或文件夹</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>导入对话…</translation>
    </message>
    <message>
        <source>Import chats from Tandem or another app</source>
        <translation>从 Tandem 或其他应用导入对话</translation>
    </message>
    <message>
        <source>Check for updates…</source>
        <translation>检查更新…</translation>
    </message>
    <message>
        <source>Look for a newer version of Tandem</source>
        <translation>查看是否有新版 Tandem</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>打开设置</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>附加文件…</translation>
    </message>
    <message>
        <source>System prompt and settings…</source>
        <translation>系统提示词和设置…</translation>
    </message>
    <message>
        <source>Edit this chat&apos;s system prompt and settings</source>
        <translation>编辑此对话的系统提示词和设置</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Pin chat</source>
        <translation>置顶对话</translation>
    </message>
    <message>
        <source>Unpin chat</source>
        <translation>取消置顶对话</translation>
    </message>
    <message>
        <source>Move to folder…</source>
        <translation>移到文件夹…</translation>
    </message>
    <message>
        <source>Move this chat to a folder</source>
        <translation>将此对话移到文件夹</translation>
    </message>
    <message>
        <source>Cancel import or export</source>
        <translation>取消导入或导出</translation>
    </message>
    <message>
        <source>Cancel the import or export in progress</source>
        <translation>取消正在进行的导入或导出</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>关于 Tandem</translation>
    </message>
    <message>
        <source>Show version and licenses</source>
        <translation>显示版本和许可证</translation>
    </message>
    <message>
        <source>Search help…</source>
        <translation>搜索帮助…</translation>
    </message>
    <message>
        <source>Find an answer in the help of Tandem</source>
        <translation>在 Tandem 帮助中查找答案</translation>
    </message>
    <message>
        <source>Show crash report</source>
        <translation>显示崩溃报告</translation>
    </message>
    <message>
        <source>Show the crash report</source>
        <translation>显示崩溃报告</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Quit Tandem</source>
        <translation>退出 Tandem</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo typing</source>
        <translation>撤销输入</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Redo typing</source>
        <translation>重做输入</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Cut the selection</source>
        <translation>剪切所选内容</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>拷贝所选内容</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Paste text or files</source>
        <translation>粘贴文字或文件</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Select all text</source>
        <translation>全选文字</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>拷贝上一个回答</translation>
    </message>
    <message>
        <source>Copy the last answer as Markdown</source>
        <translation>将上一个回答拷贝为 Markdown</translation>
    </message>
    <message>
        <source>Read last answer aloud</source>
        <translation>朗读上一个回答</translation>
    </message>
    <message>
        <source>Read the last answer aloud with the system&apos;s voice</source>
        <translation>使用系统语音朗读上一个回答</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>停止朗读</translation>
    </message>
    <message>
        <source>Stop reading aloud</source>
        <translation>停止朗读</translation>
    </message>
    <message>
        <source>Focus message box</source>
        <translation>转到消息输入框</translation>
    </message>
    <message>
        <source>Go to the message box</source>
        <translation>转到消息输入框</translation>
    </message>
    <message>
        <source>Find in chat</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Find text in this chat</source>
        <translation>在此对话中查找文字</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>查找下一个</translation>
    </message>
    <message>
        <source>Go to the next match in this chat</source>
        <translation>转到此对话中的下一个结果</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>查找上一个</translation>
    </message>
    <message>
        <source>Go to the previous match in this chat</source>
        <translation>转到此对话中的上一个结果</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Go to the chat search</source>
        <translation>转到对话搜索</translation>
    </message>
    <message>
        <source>Choose main model…</source>
        <translation>选择主模型…</translation>
    </message>
    <message>
        <source>Choose a main model</source>
        <translation>选择主模型</translation>
    </message>
    <message>
        <source>Choose draft model…</source>
        <translation>选择草稿模型…</translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation>选择草稿模型</translation>
    </message>
    <message>
        <source>Models and downloads…</source>
        <translation>模型与下载…</translation>
    </message>
    <message>
        <source>Show models and downloads</source>
        <translation>显示模型与下载</translation>
    </message>
    <message>
        <source>Use the starter pair</source>
        <translation>使用入门模型</translation>
    </message>
    <message>
        <source>Load the two small models that come with Tandem</source>
        <translation>加载 Tandem 自带的两个小模型</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Speculate only when it is faster</source>
        <translation>仅在能提速时推测</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Always speculate with the draft model</source>
        <translation>始终用草稿模型推测</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Do not speculate</source>
        <translation>不推测</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Show or hide the chat list</source>
        <translation>显示或隐藏对话列表</translation>
    </message>
    <message>
        <source>Show or hide the live panel</source>
        <translation>显示或隐藏实时面板</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>Tint drafted tokens only while an answer is written</source>
        <translation>仅在生成回答时为来自草稿的 token 着色</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>着色</translation>
    </message>
    <message>
        <source>Always tint the tokens that were drafted</source>
        <translation>始终为来自草稿的 token 着色</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Create a folder: a project with its own instructions and files</source>
        <translation>新建文件夹：拥有自己的系统提示词和文件的项目</translation>
    </message>
    <message>
        <source>Show chat list</source>
        <translation>显示对话列表</translation>
    </message>
    <message>
        <source>Hide chat list</source>
        <translation>隐藏对话列表</translation>
    </message>
    <message>
        <source>Show live panel</source>
        <translation>显示实时面板</translation>
    </message>
    <message>
        <source>Hide live panel</source>
        <translation>隐藏实时面板</translation>
    </message>
    <message>
        <source>Tint tokens while answering</source>
        <translation>仅在回答时为 token 着色</translation>
    </message>
    <message>
        <source>Always tint tokens</source>
        <translation>始终为 token 着色</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Make the text larger</source>
        <translation>以更大的字号显示文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Make the text smaller</source>
        <translation>以更小的字号显示文字</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>标准文字大小</translation>
    </message>
    <message>
        <source>Show the text in its normal size</source>
        <translation>以标准大小显示文字</translation>
    </message>
    <message>
        <source>Enter full screen</source>
        <translation>进入全屏幕</translation>
    </message>
    <message>
        <source>Exit full screen</source>
        <translation>退出全屏幕</translation>
    </message>
    <message>
        <source>Answer the last question with and without speculation, and compare the speeds</source>
        <translation>分别用和不用推测解码回答上一个问题，并比较速度</translation>
    </message>
    <message>
        <source>Request history…</source>
        <translation>请求历史…</translation>
    </message>
    <message>
        <source>Show all answers with their figures</source>
        <translation>显示所有回答及其数据</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>Minimize the window</source>
        <translation>将窗口最小化</translation>
    </message>
    <message>
        <source>Show the main window</source>
        <translation>显示主窗口</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>在新窗口中打开</translation>
    </message>
    <message>
        <source>Show this chat in a window of its own</source>
        <translation>在单独的窗口中显示此对话</translation>
    </message>
    <message>
        <source>Ask in a small window, which answers in place</source>
        <translation>在就地回答的小窗口中提问</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>命令面板…</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Make the window as large as possible, or restore its size</source>
        <translation>将窗口放到最大，或恢复原来的大小</translation>
    </message>
    <message>
        <source>Go to the chat above this one in the list</source>
        <translation>转到列表中的上一个对话</translation>
    </message>
    <message>
        <source>Go to the chat below this one in the list</source>
        <translation>转到列表中的下一个对话</translation>
    </message>
    <message>
        <source>Restore the chat or messages you deleted last</source>
        <translation>恢复上次删除的对话或消息</translation>
    </message>
    <message>
        <source>Enter or exit full screen</source>
        <translation>进入或退出全屏幕</translation>
    </message>
    <message>
        <source>Attach text, code, documents or pictures</source>
        <translation>附加文本、代码、文档或图片</translation>
    </message>
    <message>
        <source>New temporary chat</source>
        <translation>新建临时对话</translation>
    </message>
    <message>
        <source>Start a chat that is not saved, and gone when you leave it</source>
        <translation>开始一个不会保存、离开后即消失的对话</translation>
    </message>
    <message>
        <source>Keep this chat</source>
        <translation>保留此对话</translation>
    </message>
    <message>
        <source>Save this temporary chat with the others</source>
        <translation>将此临时对话与其他对话一起保存</translation>
    </message>
    <message>
        <source>Quick entry</source>
        <translation>快速输入</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排显示</translation>
    </message>
    <message>
        <source>Show two versions of the last answer side by side</source>
        <translation>并排显示上一个回答的两个版本</translation>
    </message>
</context>
<context>
    <name>AdvancedPage</name>
    <message>
        <source>Check now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>Export diagnostics</source>
        <translation>导出诊断信息</translation>
    </message>
    <message>
        <source>Saved to {file}. It contains no chat text.</source>
        <translation>已保存到“{file}”，其中不含对话内容。</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>无法保存文件。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>Export diagnostics…</source>
        <translation>导出诊断信息…</translation>
    </message>
    <message>
        <source>Saves versions, settings, statistics and the log to a file you can review and share</source>
        <translation>将版本、设置、统计和日志保存为可供查看和分享的文件</translation>
    </message>
    <message>
        <source>Checking. The loaded models are measured for about half a minute.</source>
        <translation>正在检查。测量已加载的模型约需半分钟。</translation>
    </message>
    <message>
        <source>Reads the chip, memory, power, heat and local network, and measures the loaded models for about half a minute. macOS may ask about the local network.</source>
        <translation>检查芯片、内存、电源、温度和本地网络，并用约半分钟测量已加载的模型。macOS 可能会询问是否允许使用本地网络。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Check this Mac</source>
        <translation>检查本机</translation>
    </message>
    <message>
        <source>Set up…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Splits a model too large for one Mac.</source>
        <translation>将单台 Mac 放不下的模型拆分到多台 Mac 上。</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>{file} has just changed, so it was left as it is. Look again.</source>
        <translation>{file} 刚刚发生了变化，因此未作更改。请重新查看。</translation>
    </message>
    <message>
        <source>{file} can&apos;t be written: {detail}.</source>
        <translation>无法写入 {file}：{detail}。</translation>
    </message>
    <message>
        <source>Tandem can&apos;t write the settings of {app}. Enter this there:</source>
        <translation>Tandem 无法写入 {app} 的设置。请在其中输入以下内容：</translation>
    </message>
    <message>
        <source>{app} then uses the model that Tandem has loaded.</source>
        <translation>之后 {app} 会使用 Tandem 已加载的模型。</translation>
    </message>
    <message>
        <source>The API requires a key: enter it in {app}.</source>
        <translation>API 需要密钥：请在 {app} 中输入。</translation>
    </message>
    <message>
        <source>{app} takes its connection from these variables:</source>
        <translation>{app} 通过以下变量连接：</translation>
    </message>
    <message>
        <source>Tandem can&apos;t change {file} safely, so it stays as it is. Add this by hand:</source>
        <translation>无法安全地更改 {file}，因此保持原样。请手动添加以下内容：</translation>
    </message>
    <message>
        <source>{app} is set up, in {file}.</source>
        <translation>已在 {file} 中设置好 {app}。</translation>
    </message>
    <message>
        <source>This is added to {file}. Everything else in it stays.</source>
        <translation>以下内容会添加到 {file}，其余内容不变。</translation>
    </message>
    <message>
        <source>This file tells {app} about Tandem: {file}</source>
        <translation>这个文件会让 {app} 使用 Tandem：{file}</translation>
    </message>
    <message>
        <source>Written.</source>
        <translation>已写入。</translation>
    </message>
    <message>
        <source>Written. The file as it was: {copy}</source>
        <translation>已写入。之前的文件：{copy}</translation>
    </message>
    <message>
        <source>Then choose the model “Tandem” in {app}.</source>
        <translation>然后在 {app} 中选择模型“Tandem”。</translation>
    </message>
    <message>
        <source>Set them in the environment where {app} first starts. Later, enter them in its admin settings, under “Connections”.</source>
        <translation>请在首次启动 {app} 的环境中设置；之后请在其管理员设置的“连接”中输入。</translation>
    </message>
    <message>
        <source>Then start it with: {command}</source>
        <translation>然后用以下命令启动：{command}</translation>
    </message>
    <message>
        <source>{app} is told to wait longer for an answer, because a long prompt can take minutes to process.</source>
        <translation>处理较长的提示词可能需要几分钟，因此还会让 {app} 等待更长时间。</translation>
    </message>
    <message>
        <source>Then choose the model “Tandem” in {app}. If it requires a key, enter anything.</source>
        <translation>然后在 {app} 中选择模型“Tandem”。如果要求密钥，随意输入即可。</translation>
    </message>
    <message>
        <source>The API requires a key: set {variable} to it where {app} starts.</source>
        <translation>API 需要密钥：请在启动 {app} 的环境中将 {variable} 设为该密钥。</translation>
    </message>
    <message>
        <source>{app} won&apos;t work with this model: its first request has about {tokens} tokens, and the model&apos;s context is {context}. Choose one of these first: {models}.</source>
        <translation>{app} 无法使用此模型：它的第一个请求约有 {tokens} 个 token，而此模型的上下文为 {context} 个。请先选择其中之一：{models}。</translation>
    </message>
    <message>
        <source>{app} won&apos;t work with this model: its first request has about {tokens} tokens, and the model&apos;s context is {context}. Download one with a longer context first.</source>
        <translation>{app} 无法使用此模型：它的第一个请求约有 {tokens} 个 token，而此模型的上下文为 {context} 个。请先下载上下文更长的模型。</translation>
    </message>
</context>
<context>
    <name>Ahead</name>
    <message>
        <source>Choose a draft model first.</source>
        <translation>请先选择草稿模型。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead on {host}.</source>
        <translation>没有在 {host} 上预先起草。</translation>
    </message>
    <message>
        <source>Drafting ahead was tried, but would not have made this answer faster.</source>
        <translation>尝试了预先起草，但不会让这个回答更快。</translation>
    </message>
    <message>
        <source>In {ready} of {rounds} rounds the draft was ready, which hid {time} of drafting.</source>
        <translation>{rounds} 轮中有 {ready} 轮的草稿已预先备好，有 {time}的草稿生成在验证期间就已完成。</translation>
    </message>
    <message>
        <source>Drafting ahead is starting.</source>
        <translation>正在启动预先起草。</translation>
    </message>
    <message>
        <source>A head drafts all tokens of a round in one pass, so there is nothing to prepare.</source>
        <translation>草稿头一次计算就写出一轮的所有草稿 token，所以没有可以预先准备的部分。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: a second copy of the draft model does not fit in memory.</source>
        <translation>没有预先起草：内存放不下草稿模型的第二个副本。</translation>
    </message>
    <message>
        <source>Nothing was drafted ahead, because several answers were written at once.</source>
        <translation>因为同时在写多个回答，所以没有预先起草。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead in chats with pictures.</source>
        <translation>有图片的对话中不会预先起草。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: that needs a draft model with the same tokenizer.</source>
        <translation>没有预先起草：需要分词器相同的草稿模型。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: this draft model cannot do it.</source>
        <translation>没有预先起草：这个草稿模型不支持。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: the copy of the draft model cannot be loaded.</source>
        <translation>没有预先起草：无法加载草稿模型的副本。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: the process that drafts cannot be reached.</source>
        <translation>没有预先起草：无法连接到起草的进程。</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped: the process that drafts quit unexpectedly twice.</source>
        <translation>预先起草已停止：起草的进程两次意外退出。</translation>
    </message>
    <message>
        <source>Drafting ahead rests, because answers are faster without it. It is tried again now and then.</source>
        <translation>预先起草已暂停，因为不使用时回答更快。之后会不时重新尝试。</translation>
    </message>
    <message>
        <source>Drafting ahead rests, because its last drafts came too late or were not used. It is tried again later.</source>
        <translation>预先起草已暂停，因为最近的草稿来得太晚或没有被采用。稍后会重新尝试。</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped for this answer: three drafts were not valid.</source>
        <translation>这个回答中预先起草已停止：有三份草稿无效。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: {host} cannot be reached on the network.</source>
        <translation>没有预先起草：在网络上无法连接 {host}。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: {host} cannot load the draft model.</source>
        <translation>没有预先起草：{host} 无法加载草稿模型。</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: what answered at {host} did not prove that Tandem had started it.</source>
        <translation>没有预先起草：{host} 上作出响应的程序未能证明自己由 Tandem 启动。</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped: the connection to {host} was lost twice.</source>
        <translation>预先起草已停止：与 {host} 的连接断开了两次。</translation>
    </message>
</context>
<context>
    <name>Alerts</name>
    <message>
        <source>Note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Tip</source>
        <translation>提示</translation>
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
        <translation>工具返回的结果</translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答已停止。</translation>
    </message>
    <message>
        <source>The answer reached its length limit.</source>
        <translation>回答已达到长度上限。</translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation>回答已完成。</translation>
    </message>
    <message>
        <source>{chat}: {sentence}</source>
        <translation>{chat}：{sentence}</translation>
    </message>
    <message>
        <source>Another chat</source>
        <translation>另一个对话</translation>
    </message>
    <message>
        <source>The model wants to use the tool “{tool}”.</source>
        <translation>模型想使用工具“{tool}”。</translation>
    </message>
    <message>
        <source>The tool “{tool}” waits for your reply.</source>
        <translation>工具“{tool}”正在等待你的回复。</translation>
    </message>
    <message>
        <source>The answer repeats itself and is paused. Continue it, or stop it.</source>
        <translation>回答在重复相同的内容，已暂停。请选择继续或停止。</translation>
    </message>
</context>
<context>
    <name>AnswerBody</name>
    <message>
        <source>Shown without formatting, because an error occurred.</source>
        <translation>出现错误，因此不带格式显示。</translation>
    </message>
    <message>
        <source>Shown without formatting, because this passage is very long.</source>
        <translation>这一段很长，因此不带格式显示。</translation>
    </message>
    <message>
        <source>Only the beginning of this very long text is shown. Copies and exports contain all of it.</source>
        <translation>文字很长，只显示开头部分。拷贝和导出包含全部内容。</translation>
    </message>
</context>
<context>
    <name>AnswerFormatField</name>
    <message>
        <source>Checking the schema…</source>
        <translation>正在检查 JSON Schema…</translation>
    </message>
    <message>
        <source>Every answer will be JSON that matches this schema.</source>
        <translation>每个回答都会是符合这个 JSON Schema 的 JSON。</translation>
    </message>
    <message>
        <source>Answer format</source>
        <translation>回答格式</translation>
    </message>
    <message>
        <source>JSON Schema</source>
        <translation>JSON Schema</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
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
        <translation>回答因出错而中断。</translation>
    </message>
    <message>
        <source>Your answer is ready.</source>
        <translation>回答已完成。</translation>
    </message>
    <message>
        <source>A tool is waiting for your permission.</source>
        <translation>有工具正在等待你的允许。</translation>
    </message>
    <message>
        <source>A tool is waiting for your reply.</source>
        <translation>有工具正在等待你的回复。</translation>
    </message>
    <message>
        <source>An answer repeats itself and is paused.</source>
        <translation>有回答在重复相同的内容，已暂停。</translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Connect an app…</source>
        <translation>连接应用…</translation>
    </message>
    <message>
        <source>The local API is off.</source>
        <translation>本地 API 已关闭。</translation>
    </message>
    <message>
        <source>Running, for programs on this Mac only.</source>
        <translation>正在运行，仅供本机上的程序使用。</translation>
    </message>
    <message>
        <source>Running, but this Mac has no network address.</source>
        <translation>正在运行，但本机没有网络地址。</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Agents and editors</source>
        <translation>智能体与编辑器</translation>
    </message>
    <message>
        <source>Sets up coding agents, editors and other apps to use the loaded model. You first see what is written.</source>
        <translation>让编程智能体、编辑器等应用使用已加载的模型。写入的内容会先显示。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Try it in a terminal</source>
        <translation>在终端中试一试</translation>
    </message>
    <message>
        <source>In other programs</source>
        <translation>在其他程序中</translation>
    </message>
    <message>
        <source>Choose “OpenAI-compatible” as the provider, enter the address above as the base URL, and any model name or “default”. As the key, enter the one above, or anything if there is none. For tools in a terminal, copy the variables that the official libraries read.</source>
        <translation>提供商选择“OpenAI-compatible”，基础 URL 填写上面的地址，模型填写任意模型名称或“default”。密钥填写上面的密钥；如果上面没有密钥，可以随意填写。对于终端里的工具，可以拷贝官方库读取的环境变量。</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>No requests yet.</source>
        <translation>还没有请求。</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>新密钥</translation>
    </message>
    <message>
        <source>Running, for programs on your network.</source>
        <translation>正在运行，网络中其他电脑上的程序也可使用。</translation>
    </message>
    <message>
        <source>The base address, without a path.</source>
        <translation>不带路径的基础地址。</translation>
    </message>
    <message>
        <source>The base address, without a path. For programs without a field for a key, put the key into the address: http://KEY@{place} or {address}/KEY</source>
        <translation>不带路径的基础地址。如果程序没有填写密钥的地方，请把密钥放进地址：http://KEY@{place} 或 {address}/KEY</translation>
    </message>
    <message>
        <source>For programs that use Ollama</source>
        <translation>使用 Ollama 的程序</translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>Attach files</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>{name} cannot be used: the picture is damaged, animated or too large.</source>
        <translation>无法使用“{name}”：图片已损坏、是动图或太大。</translation>
    </message>
    <message>
        <source>The text encoding of {name} was not recognized. Save it as UTF-8.</source>
        <translation>无法识别“{name}”的文字编码。请存为 UTF-8。</translation>
    </message>
    <message>
        <source>{name} is too large for any model&apos;s context.</source>
        <translation>“{name}”太大，任何模型的上下文都放不下。</translation>
    </message>
    <message>
        <source>{name} cannot be read.</source>
        <translation>无法读取“{name}”。</translation>
    </message>
    <message>
        <source>{name} is no longer there.</source>
        <translation>“{name}”已不在原处。</translation>
    </message>
    <message>
        <source>{name} contains more than {count} files. Choose a smaller folder.</source>
        <translation>“{name}”中的文件超过 {count} 个。请选择较小的文件夹。</translation>
    </message>
    <message>
        <source>{name} is password-protected. Save a copy without a password and attach that.</source>
        <translation>“{name}”受密码保护。请另存一份无密码的副本，再附加该副本。</translation>
    </message>
    <message>
        <source>{name} is damaged: its text cannot be read.</source>
        <translation>“{name}”已损坏，无法读取其中的文字。</translation>
    </message>
    <message>
        <source>{name} has an old format. Save it as DOCX, XLSX or PPTX, or as PDF. Where LibreOffice is installed, Tandem reads it as it is.</source>
        <translation>“{name}”是旧格式。请另存为 DOCX、XLSX、PPTX 或 PDF。如果装有 LibreOffice，Tandem 可以直接读取。</translation>
    </message>
    <message>
        <source>Tandem cannot read {name}. Open it in {program} and export it as PDF.</source>
        <translation>Tandem 无法读取“{name}”。请用 {program} 打开，导出为 PDF 后再附加。</translation>
    </message>
    <message>
        <source>{name} contains only images, in which no text was recognized.</source>
        <translation>“{name}”只包含图像，未能从中识别出文字。</translation>
    </message>
    <message>
        <source>{name} contains only images, such as scanned pages. Run OCR on it first, or install Tesseract, with which Tandem reads them itself.</source>
        <translation>“{name}”只包含图像（例如扫描页）。请先识别其中的文字（OCR），或安装 Tesseract，让 Tandem 自行识别。</translation>
    </message>
    <message>
        <source>{name} takes too long to read and was skipped.</source>
        <translation>读取“{name}”所需时间过长，已跳过。</translation>
    </message>
    <message>
        <source>{name} takes too much memory to read and was skipped.</source>
        <translation>读取“{name}”所需内存过多，已跳过。</translation>
    </message>
    <message>
        <source>There was no time left to read {name}. The next question tries again.</source>
        <translation>没有剩余时间读取“{name}”。下次提问时会重新读取。</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>另外 {count} 个</translation>
    </message>
    <message>
        <source>These files take too long to read and were skipped: {files}</source>
        <translation>以下文件读取时间过长，已跳过：{files}</translation>
    </message>
    <message>
        <source>{name} takes too long to read, so the chat begins with what it contained before.</source>
        <translation>读取“{name}”所需时间过长，对话仍以之前读取的内容开头。</translation>
    </message>
    <message>
        <source>{name} is not a text file. Tandem attaches text, code, documents and pictures.</source>
        <translation>“{name}”不是文本文件。Tandem 可以附加文本、代码、文档和图片。</translation>
    </message>
    <message>
        <source>{name} contains no text.</source>
        <translation>“{name}”中没有文字。</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln 个文件</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>全部移除</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} 个 token</translation>
    </message>
    <message>
        <source>reading… page {done} of {count}</source>
        <translation>正在读取…第 {done} 页，共 {count} 页</translation>
    </message>
    <message>
        <source>reading… sheet {done} of {count}</source>
        <translation>正在读取…第 {done} 个工作表，共 {count} 个</translation>
    </message>
    <message>
        <source>reading… slide {done} of {count}</source>
        <translation>正在读取…第 {done} 张幻灯片，共 {count} 张</translation>
    </message>
    <message>
        <source>reading… chapter {done} of {count}</source>
        <translation>正在读取…第 {done} 章，共 {count} 章</translation>
    </message>
    <message>
        <source>no text</source>
        <translation>无文本</translation>
    </message>
    <message>
        <source>read as {encoding}</source>
        <translation>按 {encoding} 读取</translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) recognized from pictures</source>
        <translation>
            <numerusform>从图片识别了 %Ln 页</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) uncertain</source>
        <translation>
            <numerusform>%Ln 页内容不确定</numerusform>
        </translation>
    </message>
    <message>
        <source>left out: {contents}</source>
        <translation>未包含：{contents}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s), which this model can&apos;t see</source>
        <translation>
            <numerusform>%Ln 张图片（此模型不支持图片）</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown} of {count} pictures</source>
        <translation>{count} 张图片中的 {shown} 张</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s)</source>
        <translation>
            <numerusform>%Ln 张图片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) as pictures, which this model can&apos;t see</source>
        <translation>
            <numerusform>以图片形式附加的 %Ln 页（此模型不支持图片）</numerusform>
        </translation>
    </message>
    <message>
        <source>pages as pictures: {pages}</source>
        <translation>以图片形式附加的页面：{pages}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more page(s) with pictures as text only</source>
        <translation>
            <numerusform>其余 %Ln 个含图片的页面仅附加文本</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel reading {name}</source>
        <translation>取消读取“{name}”</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除“{name}”</translation>
    </message>
    <message>
        <source>Text only</source>
        <translation>仅文字</translation>
    </message>
    <message>
        <source>Attach the document without its pictures</source>
        <translation>附加文档但不含其中的图片</translation>
    </message>
    <message>
        <source>Read as…</source>
        <translation>用其他编码读取…</translation>
    </message>
    <message>
        <source>If the text looks garbled, choose another encoding.</source>
        <translation>如果文字显示为乱码，请选择其他编码。</translation>
    </message>
    <message>
        <source>Sheets…</source>
        <translation>工作表…</translation>
    </message>
    <message>
        <source>Chapters…</source>
        <translation>章节…</translation>
    </message>
    <message>
        <source>All sheets</source>
        <translation>所有工作表</translation>
    </message>
    <message>
        <source>All chapters</source>
        <translation>所有章节</translation>
    </message>
    <message>
        <source>Slides…</source>
        <translation>幻灯片…</translation>
    </message>
    <message>
        <source>Pages…</source>
        <translation>页面…</translation>
    </message>
    <message>
        <source>All slides</source>
        <translation>所有幻灯片</translation>
    </message>
    <message>
        <source>All pages</source>
        <translation>所有页面</translation>
    </message>
    <message>
        <source>Attach the ticked sheets</source>
        <translation>附加所选工作表</translation>
    </message>
    <message>
        <source>Attach the ticked chapters</source>
        <translation>附加所选章节</translation>
    </message>
    <message>
        <source>First to last, such as 1-40</source>
        <translation>从首到尾，例如 1-40</translation>
    </message>
    <message numerus="yes">
        <source>%Ln attached file(s)</source>
        <translation>
            <numerusform>%Ln 个附带的文件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln damaged part(s)</source>
        <translation>
            <numerusform>%Ln 处损坏内容</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted passage(s)</source>
        <translation>
            <numerusform>%Ln 处已删除文字</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden column(s)</source>
        <translation>
            <numerusform>%Ln 个隐藏列</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden row(s)</source>
        <translation>
            <numerusform>%Ln 个隐藏行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden sheet(s)</source>
        <translation>
            <numerusform>%Ln 个隐藏工作表</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden slide(s)</source>
        <translation>
            <numerusform>%Ln 张隐藏幻灯片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden passage(s)</source>
        <translation>
            <numerusform>%Ln 处隐藏文字</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln invisible character(s)</source>
        <translation>
            <numerusform>%Ln 个不可见字符</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned page(s)</source>
        <translation>
            <numerusform>%Ln 页扫描内容</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable byte(s)</source>
        <translation>
            <numerusform>%Ln 个无法读取的字节</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable passage(s)</source>
        <translation>
            <numerusform>%Ln 处无法读取的文字</numerusform>
        </translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>正在读取…</translation>
    </message>
</context>
<context>
    <name>BackupControls</name>
    <message>
        <source>The backups cannot be read. Check the permissions of their folder.</source>
        <translation>无法读取备份。请检查备份文件夹的权限。</translation>
    </message>
    <message>
        <source>Tandem makes a backup every day and keeps the last three.</source>
        <translation>Tandem 每天备份一次，保留最近三份。</translation>
    </message>
    <message>
        <source>The oldest is from {date}. Chats and messages deleted since then stay in it until it is replaced or deleted.</source>
        <translation>最早的备份创建于 {date}。此后删除的对话和消息仍在其中，直到该备份被替换或删除。</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Back up the chats now</source>
        <translation>立即备份对话</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>恢复备份…</translation>
    </message>
    <message>
        <source>Restore a backup of the chats</source>
        <translation>恢复对话的备份</translation>
    </message>
    <message numerus="yes">
        <source>{date} · %Ln chat(s)</source>
        <translation>
            <numerusform>{date} · %Ln 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no backup yet. Tandem makes one every day.</source>
        <translation>还没有备份。Tandem 每天会创建一个。</translation>
    </message>
    <message>
        <source>Don&apos;t restore</source>
        <translation>不恢复</translation>
    </message>
    <message>
        <source>Chats from {date} will be restored the next time you open Tandem. Your current chats are kept as a backup.</source>
        <translation>下次打开 Tandem 时会恢复 {date} 的对话。当前的对话会保留为备份。</translation>
    </message>
    <message>
        <source>Your chats stay as they are.</source>
        <translation>你的对话保持不变。</translation>
    </message>
    <message>
        <source>The chats could not be backed up. Check whether there is free space on the disk.</source>
        <translation>无法备份对话。请检查磁盘是否有可用空间。</translation>
    </message>
    <message>
        <source>The chats were backed up to {file}.</source>
        <translation>对话已备份到“{file}”。</translation>
    </message>
    <message>
        <source>All backups were deleted.</source>
        <translation>所有备份均已删除。</translation>
    </message>
    <message>
        <source>Some backups could not be deleted. Check the permissions of their folder.</source>
        <translation>部分备份未能删除。请检查备份文件夹的权限。</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message numerus="yes">
        <source>%Ln more notice(s)</source>
        <translation>
            <numerusform>还有 %Ln 条通知</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BrowserButton</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Could not be opened</source>
        <translation>无法打开</translation>
    </message>
</context>
<context>
    <name>CallCard</name>
    <message>
        <source>Show or hide the arguments and the result</source>
        <translation>显示或隐藏参数和结果</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Calling… {time}</source>
        <translation>正在调用… {time}</translation>
    </message>
    <message>
        <source>The same call was made before in this answer.</source>
        <translation>此回答中已有过相同的调用。</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>等待你的允许</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Denied</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>The tool waits for your reply.</source>
        <translation>工具正在等待你的回复。</translation>
    </message>
    <message>
        <source>Tandem quit while the tool was running.</source>
        <translation>工具运行时 Tandem 退出了。</translation>
    </message>
    <message>
        <source>If it stays silent for {time}, it is stopped.</source>
        <translation>如果持续 {time}没有响应，将会停止。</translation>
    </message>
    <message>
        <source>Working: {done} so far.</source>
        <translation>正在处理：已完成 {done}。</translation>
    </message>
    <message>
        <source>Working.</source>
        <translation>正在处理。</translation>
    </message>
    <message>
        <source>Working: {done} of {total}.</source>
        <translation>正在处理：{done}/{total}。</translation>
    </message>
    <message>
        <source>Working: {share}.</source>
        <translation>正在处理：{share}。</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>{model} wants to use {tool} of “{server}”.</source>
        <translation>{model} 想使用“{server}”的 {tool}。</translation>
    </message>
    <message>
        <source>{model} wants to read {page}</source>
        <translation>{model} 想读取 {page}</translation>
    </message>
    <message>
        <source>{model} wants to search {service} for {query}</source>
        <translation>{model} 想在 {service} 搜索 {query}</translation>
    </message>
    <message>
        <source>{model} wants to search the web with {service} for {query}</source>
        <translation>{model} 想用 {service} 搜索网页：{query}</translation>
    </message>
    <message>
        <source>“{server}” says that this tool only reads.</source>
        <translation>“{server}”表示这个工具只读取。</translation>
    </message>
    <message>
        <source>{site} learns which page you read.</source>
        <translation>{site} 会知道你读了哪个页面。</translation>
    </message>
    <message>
        <source>{service} sees these words. It finds its own articles, not all of the web.</source>
        <translation>{service} 会看到这些词。只能找到它自己的条目，而不是整个网络。</translation>
    </message>
    <message>
        <source>{service} sees these words.</source>
        <translation>{service} 会看到这些词。</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Opens {address} in your browser.</source>
        <translation>将在浏览器中打开 {address}。</translation>
    </message>
    <message>
        <source>Model page…</source>
        <translation>模型页面…</translation>
    </message>
</context>
<context>
    <name>ChatPane</name>
    <message>
        <source>Pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>过去 30 天</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>更早</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>无标题对话</translation>
    </message>
    <message>
        <source>{name}, closed folder</source>
        <translation>{name}，已折叠的文件夹</translation>
    </message>
    <message>
        <source>{name}, folder</source>
        <translation>{name}，文件夹</translation>
    </message>
    <message>
        <source>{title}, generating</source>
        <translation>{title}，正在生成</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>永久删除</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>在新窗口中打开</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Archive chat</source>
        <translation>归档对话</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>New chat in this folder</source>
        <translation>在此文件夹中新建对话</translation>
    </message>
    <message>
        <source>System prompt and files…</source>
        <translation>系统提示词和文件…</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation>删除文件夹，保留其中的对话</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>无文件夹</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>废纸篓</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>返回对话列表</translation>
    </message>
    <message>
        <source>Archive and trash</source>
        <translation>归档和废纸篓</translation>
    </message>
    <message>
        <source>Delete chats from the backups too</source>
        <translation>同时从备份中删除对话</translation>
    </message>
    <message>
        <source>Temporary chat</source>
        <translation>临时对话</translation>
    </message>
    <message>
        <source>Your chats can&apos;t be read. Quit and reopen Tandem to repair them.</source>
        <translation>无法读取对话。请退出 Tandem 并重新打开，以便修复。</translation>
    </message>
    <message>
        <source>No archived chats</source>
        <translation>没有已归档的对话</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>废纸篓是空的。</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话列表</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
</context>
<context>
    <name>ChatSettingsSheet</name>
    <message>
        <source>Saved as “{name}”.</source>
        <translation>已保存为“{name}”。</translation>
    </message>
    <message>
        <source>New chats will use these settings.</source>
        <translation>新对话将使用这些设置。</translation>
    </message>
    <message>
        <source>Chat settings</source>
        <translation>对话设置</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Preset name</source>
        <translation>预设名称</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>存为预设</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the preset</source>
        <translation>删除预设</translation>
    </message>
    <message>
        <source>Use for new chats</source>
        <translation>用于新对话</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
</context>
<context>
    <name>CheckReport</name>
    <message>
        <source>Results of the check</source>
        <translation>本机的检查结果</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>拷贝为文字</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>拷贝报告</translation>
    </message>
    <message>
        <source>Copies the figures and the names of published models as one JSON object, for the table in Tandem&apos;s README. Nothing is sent.</source>
        <translation>将测量数据和已公开模型的名称拷贝为一个 JSON 对象，可填入 Tandem README 中的表格。不会发送任何内容。</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已拷贝</translation>
    </message>
</context>
<context>
    <name>Checkup</name>
    <message>
        <source>Low Power Mode is on, which makes models slower.</source>
        <translation>低电量模式已打开，模型会变慢。</translation>
    </message>
    <message>
        <source>Low Power Mode is off.</source>
        <translation>低电量模式已关闭。</translation>
    </message>
    <message>
        <source>This Mac is hot, which makes models slower.</source>
        <translation>本机温度过高，模型会变慢。</translation>
    </message>
    <message>
        <source>Tandem can use it.</source>
        <translation>Tandem 可以使用。</translation>
    </message>
    <message>
        <source>macOS does not let Tandem use it. For multiple Macs, turn on Tandem in System Settings &gt; Privacy &amp; Security &gt; Local Network.</source>
        <translation>macOS 不允许 Tandem 使用。要使用多台 Mac，请在“系统设置”&gt;“隐私与安全性”&gt;“本地网络”中打开 Tandem。</translation>
    </message>
    <message>
        <source>Not measured.</source>
        <translation>未测量。</translation>
    </message>
    <message>
        <source>Stopped before it was measured.</source>
        <translation>测量前已停止。</translation>
    </message>
    <message>
        <source>Not measured, because another answer was being written. Try again later.</source>
        <translation>正在生成其他回答，因此未测量。请稍后重试。</translation>
    </message>
    <message>
        <source>Chip</source>
        <translation>芯片</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory for models</source>
        <translation>模型可用内存</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>电源</translation>
    </message>
    <message>
        <source>Heat</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Local network</source>
        <translation>本地网络</translation>
    </message>
    <message>
        <source>Slow, because OpenBLAS could not be loaded. On Debian and Ubuntu, this command installs it: {command}</source>
        <translation>由于无法加载 OpenBLAS，速度较慢。在 Debian 和 Ubuntu 上可以用以下命令安装：{command}</translation>
    </message>
    <message>
        <source>Matrix products</source>
        <translation>矩阵乘法</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>舍入</translation>
    </message>
    <message>
        <source>{speed} tokens/s, {gain}.</source>
        <translation>{speed} token/秒，{gain}。</translation>
    </message>
    <message>
        <source>{speed} tokens/s.</source>
        <translation>{speed} token/秒。</translation>
    </message>
    <message>
        <source>That is not noticeably faster than plain decoding.</source>
        <translation>与普通解码相比没有明显加快。</translation>
    </message>
    <message>
        <source>- {name}: {value}</source>
        <translation>- {name}：{value}</translation>
    </message>
    <message>
        <source>{total}, of which {free} is free.</source>
        <translation>{total}，其中 {free} 可用。</translation>
    </message>
    <message>
        <source>iogpu.wired_limit_mb is set to {number}.</source>
        <translation>iogpu.wired_limit_mb 已设为 {number}。</translation>
    </message>
    <message>
        <source>iogpu.wired_limit_mb is not set.</source>
        <translation>未设置 iogpu.wired_limit_mb。</translation>
    </message>
    <message>
        <source>Plain decoding</source>
        <translation>普通解码</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>使用推测解码</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>{speed} token/秒</translation>
    </message>
    <message>
        <source>Speculation is off in the settings.</source>
        <translation>已在设置中关闭推测解码。</translation>
    </message>
    <message>
        <source>No draft tokens were used.</source>
        <translation>未使用草稿 token。</translation>
    </message>
    <message>
        <source>{rate}% of the draft tokens were accepted.</source>
        <translation>草稿 token 的采用率为 {rate}%。</translation>
    </message>
    <message>
        <source>Not reported by the system.</source>
        <translation>系统未提供。</translation>
    </message>
    <message>
        <source>The neural accelerators of this chip are not used, because this app was built for older versions of macOS. Tandem for macOS 26.2 or newer processes prompts several times as fast.</source>
        <translation>这个应用适用于较早版本的 macOS，因此没有使用这款芯片的神经网络加速器。适用于 macOS 26.2 或更高版本的 Tandem 处理提示词要快好几倍。</translation>
    </message>
    <message>
        <source>The neural accelerators of this chip are not used, because the installed MLX was built for older versions of macOS. To process prompts several times as fast, run this command in Tandem&apos;s folder and open Tandem again: {command}</source>
        <translation>已安装的 MLX 适用于较早版本的 macOS，因此没有使用这款芯片的神经网络加速器。要让提示词的处理快好几倍，请在 Tandem 的文件夹中运行以下命令，然后重新打开 Tandem：{command}</translation>
    </message>
    <message>
        <source>Heat does not slow models down.</source>
        <translation>没有因高温而变慢。</translation>
    </message>
    <message>
        <source>This Mac is not connected to a network.</source>
        <translation>本机没有连接到网络。</translation>
    </message>
    <message>
        <source>Results of the check</source>
        <translation>本机的检查结果</translation>
    </message>
    <message>
        <source>{total}. The system does not report how much of it is free.</source>
        <translation>{total}。系统未提供可用内存的大小。</translation>
    </message>
    <message>
        <source>“Always the same text with and without speculation” is off, so the text may differ by rounding.</source>
        <translation>“无论是否推测，文字始终相同”已关闭，因此文字可能因舍入而不同。</translation>
    </message>
    <message>
        <source>Verification</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Update to macOS 26.2 or newer: libraries that Tandem uses are built for a newer macOS than this one. On this version, answers can fail or be wrong.</source>
        <translation>请更新到 macOS 26.2 或更高版本：Tandem 使用的库是为更新版本的 macOS 构建的。在当前版本上，回答可能会失败或出错。</translation>
    </message>
</context>
<context>
    <name>CloseButton</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Cluster</name>
    <message>
        <source>“{detail}” isn&apos;t a name or an address of a computer. Change it and try again.</source>
        <translation>“{detail}”不是电脑的名称或地址。请修改后重试。</translation>
    </message>
    <message>
        <source>macOS does not let Tandem connect to {host}. Open System Settings &gt; Privacy &amp; Security &gt; Local Network, turn on Tandem, and try again.</source>
        <translation>macOS 不允许 Tandem 连接 {host}。请在“系统设置”&gt;“隐私与安全性”&gt;“本地网络”中打开 Tandem，然后重试。</translation>
    </message>
    <message>
        <source>{host} cannot be reached over SSH: {detail}. Allow remote login there, and set up a key that needs no password.</source>
        <translation>无法通过 SSH 连接 {host}：{detail}。请在该电脑上打开远程登录，并设置无需密码的密钥。</translation>
    </message>
    <message>
        <source>Tandem was not found on {host}: {detail}. Install it there.</source>
        <translation>在 {host} 上找不到 Tandem：{detail}。请在该电脑上安装。</translation>
    </message>
    <message>
        <source>{host} does not have the model: {detail}. Download or copy it there.</source>
        <translation>{host} 上没有该模型：{detail}。请下载或拷贝到该电脑。</translation>
    </message>
    <message>
        <source>{host} still needs to download {detail} of the model.</source>
        <translation>{host} 还需下载 {detail} 的模型文件。</translation>
    </message>
    <message>
        <source>{host} disconnected: {detail}. Start again, or continue with a smaller model.</source>
        <translation>{host} 已断开连接：{detail}。请重新运行模型，或用更小的模型继续。</translation>
    </message>
    <message>
        <source>{host} could not download the model: {detail}. Check its connection and try again.</source>
        <translation>{host} 无法下载模型：{detail}。请检查其连接后重试。</translation>
    </message>
    <message>
        <source>{host} does not have enough memory: {detail}. Choose a smaller model.</source>
        <translation>{host} 的内存不足：{detail}。请选择更小的模型。</translation>
    </message>
    <message>
        <source>The model cannot be divided among these computers: {detail}. Choose another model or another number of computers.</source>
        <translation>无法将模型拆分到这些电脑上：{detail}。请选择其他模型或改变电脑数量。</translation>
    </message>
    <message>
        <source>{host} did not start within {detail} seconds. Check it and try again.</source>
        <translation>{host} 未能在 {detail} 秒内启动。请检查后重试。</translation>
    </message>
    <message>
        <source>{host} has not responded for {detail} seconds. Wake it up and check its connection, then start again.</source>
        <translation>{host} 已有 {detail} 秒没有响应。请将其唤醒并检查连接，然后重新运行模型。</translation>
    </message>
    <message>
        <source>{host} computed something different from the other computers: {detail}. Start again.</source>
        <translation>{host} 的计算结果与其他电脑不同：{detail}。请重新运行模型。</translation>
    </message>
    <message>
        <source>At least two computers are needed, but only {detail} is listed. Add another one.</source>
        <translation>至少需要两台电脑，列表中只有 {detail} 台。请再添加一台。</translation>
    </message>
    <message>
        <source>One of the computers</source>
        <translation>其中一台电脑</translation>
    </message>
    <message>
        <source>The other computers cannot reach {host}. Enter the address that it has on the shared network.</source>
        <translation>其他电脑无法连接 {host}。请输入它在共享网络中的地址。</translation>
    </message>
    <message>
        <source>{host} has different versions: {detail}. Install the same version of Tandem on all computers.</source>
        <translation>{host} 的版本不同：{detail}。请在所有电脑上安装相同版本的 Tandem。</translation>
    </message>
    <message>
        <source>{host} has different files for the model {detail}. Download or copy it there again.</source>
        <translation>{host} 上模型 {detail} 的文件不同。请重新下载或拷贝到该电脑。</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy this code</source>
        <translation>拷贝这段代码</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Drawn without scripts and without loading anything</source>
        <translation>绘制时不运行脚本，也不加载任何内容</translation>
    </message>
    <message>
        <source>No preview</source>
        <translation>无法预览</translation>
    </message>
    <message>
        <source>Drawing…</source>
        <translation>正在绘制…</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>What would you like to do?</source>
        <translation>你想做什么？</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令列表</translation>
    </message>
    <message>
        <source>No matching commands</source>
        <translation>没有匹配的命令</translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Different texts, both sampled from the main model&apos;s own distribution, because “Same distribution” is selected.</source>
        <translation>两段文字不同，但都按主模型自身的分布采样，因为选择了“分布一致”。</translation>
    </message>
    <message>
        <source>The texts differ from token {place} on: {guessed} or {plain}. This should not happen. Please report it and attach the diagnostics from Settings &gt; Advanced.</source>
        <translation>从第 {place} 个 token 起文字不同：{guessed}或{plain}。这不应该发生。请反馈此问题，并附上从“设置 &gt; 高级”导出的诊断信息。</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Ask in the chat</source>
        <translation>在对话中提问</translation>
    </message>
    <message>
        <source>Use this one</source>
        <translation>使用这个</translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation>正在读取提示词…</translation>
    </message>
    <message>
        <source>The answer is too short to compare speeds.</source>
        <translation>回答太短，无法比较速度。</translation>
    </message>
    <message numerus="yes">
        <source>The same text as without drafts: all %Ln token(s) match.</source>
        <translation>
            <numerusform>与不用草稿时的文字相同：%Ln 个 token 全部一致。</numerusform>
        </translation>
    </message>
    <message>
        <source>Identical up to token {place}. There, rounding can decide between {guessed} and {plain}. Both answers are right.</source>
        <translation>第 {place} 个 token 之前完全一致。该处取{guessed}还是{plain}，可能由舍入决定。两个回答都正确。</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>使用推测解码</translation>
    </message>
    <message>
        <source>Without speculation</source>
        <translation>不使用推测解码</translation>
    </message>
    <message>
        <source>Compare again</source>
        <translation>再次比较</translation>
    </message>
    <message>
        <source>About {times} as fast, same text</source>
        <translation>约 {times}速，文字相同</translation>
    </message>
    <message>
        <source>About {times} as fast</source>
        <translation>约 {times}速</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>着色</translation>
    </message>
    <message>
        <source>This answer repeats itself, so its speed says nothing about other answers.</source>
        <translation>本次回答在重复相同的内容，其速度不能说明其他回答的快慢。</translation>
    </message>
    <message>
        <source>The same run was much faster another time. Compare again when this Mac is less busy.</source>
        <translation>同样的运行另一次快得多。请在本机负载较低时重新比较。</translation>
    </message>
    <message>
        <source>Most answers here are {gain}; this one differs.</source>
        <translation>本机上的大多数回答为 {gain}，此回答不同。</translation>
    </message>
    <message>
        <source>With speculation: run {number} of 2</source>
        <translation>使用推测解码：第 {number}/2 次</translation>
    </message>
    <message>
        <source>Without speculation: run {number} of 2</source>
        <translation>不用推测解码：第 {number}/2 次</translation>
    </message>
    <message>
        <source>Too busy to measure</source>
        <translation>负载过高，无法测量</translation>
    </message>
    <message>
        <source>Copy as picture</source>
        <translation>拷贝为图片</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>{keys} to send · Enter for a new line</source>
        <translation>{keys} 发送 · Enter 换行</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Shorten</source>
        <translation>缩短</translation>
    </message>
    <message>
        <source>Shorten the message to fit the model&apos;s context</source>
        <translation>缩短消息以适应模型的上下文</translation>
    </message>
    <message>
        <source>Enter to send · Shift+Enter for a new line</source>
        <translation>Enter 发送 · Shift+Enter 换行</translation>
    </message>
</context>
<context>
    <name>ConnectCard</name>
    <message>
        <source>Connect an app</source>
        <translation>连接应用</translation>
    </message>
    <message>
        <source>App</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>What is written</source>
        <translation>写入的内容</translation>
    </message>
    <message>
        <source>Write the file</source>
        <translation>写入文件</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>撤回</translation>
    </message>
    <message>
        <source>Turn on the local API</source>
        <translation>打开本地 API</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>拷贝命令</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The local API is off: turn it on for the app.</source>
        <translation>本地 API 已关闭：请打开它，以便应用连接。</translation>
    </message>
    <message>
        <source>Taken back: {file}</source>
        <translation>已撤回：{file}</translation>
    </message>
</context>
<context>
    <name>ConsentButtons</name>
    <message>
        <source>Deny</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Allow {site} in this chat</source>
        <translation>在此对话中允许 {site}</translation>
    </message>
    <message>
        <source>Always allow {site}</source>
        <translation>始终允许 {site}</translation>
    </message>
    <message>
        <source>Allow in this chat</source>
        <translation>在此对话中允许</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>Allow this call alone</source>
        <translation>仅允许这次调用</translation>
    </message>
    <message>
        <source>Allow more than this call</source>
        <translation>允许更多调用</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Queued until the answer has ended.</source>
        <translation>回答结束后会自动发送。</translation>
    </message>
    <message>
        <source>Queued until the model is ready.</source>
        <translation>模型就绪后会自动发送。</translation>
    </message>
    <message>
        <source>Loading models… You can start typing.</source>
        <translation>正在加载模型，可以先输入。</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>没有加载主模型。</translation>
    </message>
    <message>
        <source>This model can&apos;t see pictures</source>
        <translation>此模型无法查看图片</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model, mostly {name}</source>
        <translation>{used} / {limit} 个 token：超出此模型的上限，主要是 {name}</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model</source>
        <translation>{used} / {limit} 个 token：超出此模型的上限</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: the oldest messages are dropped</source>
        <translation>{used} / {limit} 个 token：最早的消息会被丢弃</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>{used} / {limit} 个 token</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>丢弃最早的消息</translation>
    </message>
    <message>
        <source>Keep the first {count} tokens of {name}</source>
        <translation>仅保留“{name}”的前 {count} 个 token</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已拷贝</translation>
    </message>
</context>
<context>
    <name>CountedCalls</name>
    <message numerus="yes">
        <source>%Ln token(s)</source>
        <translation>
            <numerusform>%Ln 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln request(s) under way.</source>
        <translation>
            <numerusform>正在处理 %Ln 个请求。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedTools</name>
    <message numerus="yes">
        <source>%Ln tool(s) ready.</source>
        <translation>
            <numerusform>%Ln 个工具可用。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more</source>
        <comment>at the end of a list of tools</comment>
        <translation>
            <numerusform>另外 %Ln 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>about %Ln minute(s) left</source>
        <translation>
            <numerusform>剩余约 %Ln 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln hour(s) left</source>
        <translation>
            <numerusform>剩余约 %Ln 小时</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>First token after {time}</source>
        <translation>{time} 后出现首个 token</translation>
    </message>
    <message>
        <source>{time} of it for pictures</source>
        <translation>其中 {time} 用于图片</translation>
    </message>
    <message>
        <source>drafts saved {time}</source>
        <translation>草稿节省 {time}</translation>
    </message>
    <message>
        <source>{cached} of {prompt} prompt tokens were remembered.</source>
        <translation>提示词的 {prompt} 个 token 中有 {cached} 个已记住。</translation>
    </message>
</context>
<context>
    <name>DocumentParts</name>
    <message>
        <source>rows 1 to {last} of {count}</source>
        <translation>第 1 至 {last} 行，共 {count} 行</translation>
    </message>
    <message>
        <source>lines 1 to {last} of {count}</source>
        <translation>第 1 至 {last} 行文字，共 {count} 行</translation>
    </message>
    <message>
        <source>the end is left out</source>
        <translation>末尾未包含</translation>
    </message>
    <message>
        <source>sheets of {count}: {names}</source>
        <translation>{count} 个工作表中的：{names}</translation>
    </message>
    <message>
        <source>chapters of {count}: {names}</source>
        <translation>{count} 个章节中的：{names}</translation>
    </message>
    <message>
        <source>slide {first} of {count}</source>
        <translation>第 {first} 张幻灯片，共 {count} 张</translation>
    </message>
    <message>
        <source>chapter {first} of {count}</source>
        <translation>第 {first} 章，共 {count} 章</translation>
    </message>
    <message>
        <source>slides {first} to {last} of {count}</source>
        <translation>第 {first} 至 {last} 张幻灯片，共 {count} 张</translation>
    </message>
    <message>
        <source>Ask about chapters {first} to {last} of {name}</source>
        <translation>询问“{name}”的第 {first} 至 {last} 章</translation>
    </message>
    <message>
        <source>page {first} of {count}</source>
        <translation>第 {first} 页，共 {count} 页</translation>
    </message>
    <message>
        <source>pages {first} to {last} of {count}</source>
        <translation>第 {first} 至 {last} 页，共 {count} 页</translation>
    </message>
    <message>
        <source>chapters {first} to {last} of {count}</source>
        <translation>第 {first} 至 {last} 章，共 {count} 章</translation>
    </message>
    <message>
        <source>Ask about {sheets} of {name}</source>
        <translation>询问“{name}”的 {sheets}</translation>
    </message>
    <message>
        <source>Ask about the chapters {chapters} of {name}</source>
        <translation>询问“{name}”的章节 {chapters}</translation>
    </message>
    <message>
        <source>Ask about slide {first} of {name}</source>
        <translation>询问“{name}”的第 {first} 张幻灯片</translation>
    </message>
    <message>
        <source>Ask about chapter {first} of {name}</source>
        <translation>询问“{name}”的第 {first} 章</translation>
    </message>
    <message>
        <source>Ask about slides {first} to {last} of {name}</source>
        <translation>询问“{name}”的第 {first} 至 {last} 张幻灯片</translation>
    </message>
    <message>
        <source>Ask about page {first} of {name}</source>
        <translation>询问“{name}”的第 {first} 页</translation>
    </message>
    <message>
        <source>Ask about pages {first} to {last} of {name}</source>
        <translation>询问“{name}”的第 {first} 至 {last} 页</translation>
    </message>
</context>
<context>
    <name>DownloadCard</name>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>I&apos;ve been granted access</source>
        <translation>我已获得访问权限</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>从列表清除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Something went wrong in the engine. Try again.</source>
        <translation>引擎出了问题。请重试。</translation>
    </message>
    <message>
        <source>“{actual}” isn&apos;t a valid value for {name}. Change it and try again.</source>
        <translation>“{actual}”不是“{name}”的有效值。请修改后重试。</translation>
    </message>
    <message>
        <source>No main model is loaded. Choose one at the top of the window.</source>
        <translation>没有加载主模型。请在窗口顶部选择一个。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template rejected this chat: {detail}. Start a new chat or choose another model.</source>
        <translation>模型的对话模板拒绝了此对话（{detail}）。请开始新对话或选择其他模型。</translation>
    </message>
    <message>
        <source>{limit} questions are already queued. Try again when one of them has been answered.</source>
        <translation>已有 {limit} 个问题在排队。请等其中一个回答完后再试。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template produced an empty prompt for this chat. Start a new chat or choose another model.</source>
        <translation>模型的对话模板为此对话生成了空的提示词。请开始新对话或选择其他模型。</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. It fits with {largest} tokens: shorten the context or choose a smaller draft model.</source>
        <translation>上下文为 {context} 个 token 时，“{name}”需要 {needed} GB 内存，而模型可用的只有 {available} GB。上下文不超过 {largest} 个 token 时可以放下：请缩短上下文，或选择更小的草稿模型。</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. Choose a smaller model.</source>
        <translation>上下文为 {context} 个 token 时，“{name}”需要 {needed} GB 内存，而模型可用的只有 {available} GB。请选择更小的模型。</translation>
    </message>
    <message>
        <source>It fits with a {bits}-bit KV cache (Settings &gt; Generation).</source>
        <translation>在“设置 &gt; 生成”中将 KV 缓存改为 {bits} 位即可放下。</translation>
    </message>
    <message>
        <source>A draft model of up to {draft} GB would fit.</source>
        <translation>最多可放下 {draft} GB 的草稿模型。</translation>
    </message>
    <message>
        <source>The engine has stopped. Restart Tandem.</source>
        <translation>引擎已停止。请重新启动 Tandem。</translation>
    </message>
    <message>
        <source>The engine hit an unexpected error: {detail}. Try again; if it happens again, restart Tandem.</source>
        <translation>引擎遇到意外错误（{detail}）。请重试；如果再次出现，请重新启动 Tandem。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped after {detail} seconds with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>模型的对话模板处理此对话超过 {detail} 秒，已停止。请缩短消息、开始新对话或选择其他模型。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped because it took too much memory with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>模型的对话模板处理此对话占用内存过多，已停止。请缩短消息、开始新对话或选择其他模型。</translation>
    </message>
    <message>
        <source>The answer format can&apos;t be used: {detail}.</source>
        <translation>无法使用这个回答格式：{detail}。</translation>
    </message>
    <message>
        <source>The schema isn&apos;t valid JSON: {detail}.</source>
        <translation>这个 JSON Schema 不是有效的 JSON：{detail}。</translation>
    </message>
    <message>
        <source>Loading was cancelled.</source>
        <translation>已取消加载。</translation>
    </message>
    <message>
        <source>Preparing this chat for the model failed several times. Close other apps to free up memory, then try again. If that doesn&apos;t help, choose another model.</source>
        <translation>多次尝试为模型准备此对话均失败。请关闭其他应用以释放内存，然后重试。如果仍然失败，请选择其他模型。</translation>
    </message>
    <message>
        <source>The schema has to be a JSON object in braces.</source>
        <translation>JSON Schema 必须是用花括号括起来的 JSON 对象。</translation>
    </message>
    <message>
        <source>The answer format is too large. Shorten it.</source>
        <translation>回答格式太大。请缩短。</translation>
    </message>
    <message>
        <source>The answer format is too complex: checking it was stopped after {detail} seconds. Simplify it.</source>
        <translation>回答格式过于复杂，检查在 {detail} 秒后停止。请简化。</translation>
    </message>
    <message>
        <source>The answer format is too complex: checking it took too much memory. Simplify it.</source>
        <translation>回答格式过于复杂，检查占用了过多内存。请简化。</translation>
    </message>
    <message>
        <source>The answer so far doesn&apos;t follow the answer format, so it can&apos;t be continued. Regenerate it, or choose text as the answer format.</source>
        <translation>目前的回答不符合回答格式，因此无法继续。请重新生成，或将回答格式设为“文字”。</translation>
    </message>
    <message>
        <source>The answer format became too complex while the answer was being written. Simplify it and try again.</source>
        <translation>生成回答时，回答格式变得过于复杂。请简化后重试。</translation>
    </message>
    <message>
        <source>This chat is {tokens} tokens long; the model&apos;s context is {limit}. Start a new chat, shorten your message or choose a model with a longer context.</source>
        <translation>此对话有 {tokens} 个 token，而模型的上下文为 {limit} 个。请开始新对话、缩短消息，或选择上下文更长的模型。</translation>
    </message>
    <message>
        <source>The GPU failed, so all answers were stopped. Try again; if it happens again, choose a smaller model, ask fewer questions at once or start a new chat.</source>
        <translation>GPU 出错，所有回答都已停止。请重试；如果再次出现，请选择更小的模型、减少同时提出的问题，或开始新对话。</translation>
    </message>
    <message>
        <source>The GPU failed twice in a row, so {name} was unloaded. Choose a smaller model, ask fewer questions at once or start a new chat; the next question loads the model again.</source>
        <translation>GPU 连续两次出错，“{name}”已移出内存。请选择更小的模型、减少同时提出的问题，或开始新对话；下次提问时会重新加载该模型。</translation>
    </message>
    <message>
        <source>The model&apos;s chat template leaves pictures of this chat out. Choose another model.</source>
        <translation>模型的对话模板遗漏了此对话中的图片。请选择其他模型。</translation>
    </message>
    <message>
        <source>These parts of the schema can&apos;t be checked while an answer is being written, so an answer may differ from them: {detail}.</source>
        <translation>JSON Schema 中的以下部分无法在生成回答时检查，因此回答可能与之不符：{detail}。</translation>
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
        <translation>{value} 毫秒</translation>
    </message>
    <message>
        <source>{value} s</source>
        <translation>{value} 秒</translation>
    </message>
    <message>
        <source>{value} min</source>
        <translation>{value} 分钟</translation>
    </message>
    <message>
        <source>{value} h</source>
        <translation>{value} 小时</translation>
    </message>
    <message>
        <source>{value}×</source>
        <translation>{value} 倍</translation>
    </message>
    <message>
        <source>Low Power Mode is on: this Mac runs slower, with speculation and without it.</source>
        <translation>低电量模式已打开：无论是否使用推测，本机都会变慢。</translation>
    </message>
    <message>
        <source>This Mac is hot and runs slower, with speculation and without it.</source>
        <translation>本机温度过高：无论是否使用推测，运行都会变慢。</translation>
    </message>
    <message>
        <source>{value} tokens/s</source>
        <translation>{value} token/秒</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low}–{high}</translation>
    </message>
    <message>
        <source>{times} as fast</source>
        <translation>{times}速</translation>
    </message>
    <message>
        <source>{value} to first token</source>
        <translation>首个 token 用时 {value}</translation>
    </message>
    <message>
        <source>older messages left out: {value}</source>
        <translation>已丢弃 {value} 条旧消息</translation>
    </message>
    <message>
        <source>This text was given before, so this answer does not count in totals.</source>
        <translation>此前给出过相同的文字，因此本次回答不计入合计。</translation>
    </message>
    <message>
        <source>{speed} tokens a second</source>
        <translation>{speed} token/秒</translation>
    </message>
    <message>
        <source>Round {number}: main model only</source>
        <translation>第 {number} 轮：仅主模型</translation>
    </message>
    <message>
        <source>Rejected: {text}</source>
        <translation>未采用：{text}</translation>
    </message>
    <message>
        <source>This draft does not fit this model: fewer than 2% of its tokens are accepted. Choose another draft, or none.</source>
        <translation>此草稿不适合这个主模型：草稿 token 的采用率不到 2%。请选择其他草稿，或不用草稿。</translation>
    </message>
    <message>
        <source>main</source>
        <translation>主模型</translation>
    </message>
    <message>
        <source>drafted ahead</source>
        <translation>预先起草</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>head</source>
        <translation>草稿头</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>提示词查找</translation>
    </message>
    <message>
        <source>from your chats</source>
        <translation>以往对话</translation>
    </message>
    <message>
        <source>macOS is almost out of memory: this Mac runs slower, and Tandem reads the whole chat again before each answer. Close other apps.</source>
        <translation>macOS 内存即将耗尽：本机会变慢，而且 Tandem 每次回答前都要重新读取整个对话。请关闭其他应用。</translation>
    </message>
    <message>
        <source>answer format</source>
        <translation>回答格式</translation>
    </message>
    <message>
        <source>Repetitions are easy to draft, so this answer does not count in totals.</source>
        <translation>重复的内容很容易写出草稿，因此本次回答不计入合计。</translation>
    </message>
    <message>
        <source>This Mac is busy: even plain decoding takes {times} as long as usual.</source>
        <translation>本机负载较高：就连普通解码所用时间也是平时的 {times}。</translation>
    </message>
    <message>
        <source>{accepted} of {drafted} drafts accepted</source>
        <translation>{drafted} 个草稿中采用了 {accepted} 个</translation>
    </message>
    <message>
        <source>{value} tokens a round instead of 1</source>
        <translation>每轮 {value} 个 token，而不是 1 个</translation>
    </message>
    <message>
        <source>{value} tokens a round</source>
        <translation>每轮 {value} 个 token</translation>
    </message>
    <message>
        <source>Slow: this Mac is busy</source>
        <translation>较慢：本机负载较高</translation>
    </message>
    <message>
        <source>Round {number}: {accepted} of {drafted} drafts accepted ({source})</source>
        <translation>第 {number} 轮：{drafted} 个草稿中采用了 {accepted} 个（{source}）</translation>
    </message>
    <message>
        <source>First token: main model only</source>
        <translation>首个 token：仅主模型</translation>
    </message>
</context>
<context>
    <name>FileReasons</name>
    <message>
        <source>{path} cannot be read or written to. Check its permissions and those of its folder, then try again.</source>
        <translation>无法读取或写入 {path}。请检查它和所在文件夹的权限，然后重试。</translation>
    </message>
    <message>
        <source>{path} cannot be written to, because its disk is read-only. Make the disk writable, then try again.</source>
        <translation>磁盘是只读的，无法写入 {path}。请让磁盘可以写入，然后重试。</translation>
    </message>
    <message>
        <source>{path} cannot be written to, because the disk is full. Free up space, then try again.</source>
        <translation>磁盘已满，无法写入 {path}。请释放空间，然后重试。</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{place} of {count}</source>
        <translation>第 {place} 个，共 {count} 个</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个结果</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个结果</translation>
    </message>
</context>
<context>
    <name>FirstRunOffer</name>
    <message>
        <source>Not now</source>
        <translation>暂不下载</translation>
    </message>
    <message>
        <source>Other models…</source>
        <translation>其他模型…</translation>
    </message>
    <message>
        <source>The Starter only knows Tandem.</source>
        <translation>入门模型只了解 Tandem。</translation>
    </message>
</context>
<context>
    <name>FolderCard</name>
    <message>
        <source>Not connected. Connect the disk that this folder is on to see its models.</source>
        <translation>未连接。连接此文件夹所在的磁盘后即可看到其中的模型。</translation>
    </message>
    <message>
        <source>No other models were found in this folder.</source>
        <translation>此文件夹中没有找到其他模型。</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>从列表中移除</translation>
    </message>
</context>
<context>
    <name>FolderPage</name>
    <message>
        <source>Name of the folder</source>
        <translation>文件夹名称</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>New chat in this folder</source>
        <translation>在此文件夹中新建对话</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Every chat in this folder begins with all of these files, which the model reads whole; of documents, it gets the text without the pictures.</source>
        <translation>此文件夹中的每个对话都以这些文件开头，模型会读取全文；对于文档，只读取文本，不含图片。</translation>
    </message>
    <message>
        <source>New chats begin with</source>
        <translation>新对话的初始设置</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>As in other chats</source>
        <translation>与其他对话相同</translation>
    </message>
    <message>
        <source>Those that are loaded</source>
        <translation>已加载的模型</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Chats begin with what it contained before.</source>
        <translation>对话仍以之前读取的内容开头。</translation>
    </message>
    <message>
        <source>Not read: {files}</source>
        <translation>未读取：{files}</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>{used} / {limit} 个 token</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens leave too little room for a chat. Remove: {files}</source>
        <translation>{used} / {limit} 个 token：留给对话的空间太少。请移除：{files}</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
</context>
<context>
    <name>GeneralPage</name>
    <message>
        <source>{keys} belongs to another app or to macOS. Choose other keys.</source>
        <translation>{keys} 已被其他应用或 macOS 占用。请选择其他按键。</translation>
    </message>
    <message>
        <source>{keys} does not work. Use ⌃, ⌥ or ⌘ with a letter, digit, space or function key.</source>
        <translation>无法使用 {keys}。请将 ⌃、⌥ 或 ⌘ 与字母、数字、空格键或功能键一起按下。</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Main</source>
        <translation>主模型</translation>
    </message>
    <message>
        <source>Main model: {name}</source>
        <translation>主模型：{name}</translation>
    </message>
    <message>
        <source>Converting {name}&#xa0;· once</source>
        <translation>正在转换 {name}（仅此一次）</translation>
    </message>
    <message>
        <source>Converting {name}&#xa0;· once, {left}</source>
        <translation>正在转换 {name}（仅此一次），{left}</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Draft (off)</source>
        <translation>草稿模型（关）</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Draft model: {name}. {state}</source>
        <translation>草稿模型：{name}。{state}</translation>
    </message>
    <message>
        <source>Draft head: {name}. {state}</source>
        <translation>草稿头：{name}。{state}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Loading… {share}</source>
        <translation>正在加载… {share}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download(s) running</source>
        <translation>
            <numerusform>正在下载 %Ln 项</numerusform>
        </translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Draft head (off)</source>
        <translation>草稿头（关）</translation>
    </message>
    <message>
        <source>Draft head</source>
        <translation>草稿头</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Draft source: {name}. {state}</source>
        <translation>草稿来源：{name}。{state}</translation>
    </message>
</context>
<context>
    <name>HelpCard</name>
    <message>
        <source>Take me there.</source>
        <translation>打开相应位置</translation>
    </message>
</context>
<context>
    <name>HelpSearch</name>
    <message>
        <source>Questions</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>搜索帮助</translation>
    </message>
    <message>
        <source>What would you like to know?</source>
        <translation>你想了解什么？</translation>
    </message>
    <message>
        <source>No matching questions</source>
        <translation>没有匹配的问题</translation>
    </message>
    <message>
        <source>Tandem help</source>
        <translation>Tandem 帮助</translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>given before</source>
        <translation>此前给出过</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Main model</source>
        <translation>主模型</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>请求来源</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>加速比</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>token/秒</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>{program}, through the local API: only statistics are kept</source>
        <translation>{program}，通过本地 API：仅保留统计数据</translation>
    </message>
    <message>
        <source>{title}: double-click to show the answer</source>
        <translation>{title}：连按以显示回答</translation>
    </message>
    <message>
        <source>repeats itself</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation>工具调用</translation>
    </message>
    <message>
        <source>{accepted} of {drafted}</source>
        <translation>{accepted}/{drafted}</translation>
    </message>
    <message>
        <source>Drafts accepted</source>
        <translation>采用的草稿</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>All models</source>
        <translation>所有模型</translation>
    </message>
    <message>
        <source>No speed-up measured yet. Compare measures it.</source>
        <translation>尚未测得加速比。比较时会测量。</translation>
    </message>
    <message>
        <source>No answers yet. Each answer adds a row with its speed-up.</source>
        <translation>还没有回答。每个回答都会添加一行，列出其加速比。</translation>
    </message>
    <message>
        <source>{main} is {faster} with {draft} on this Mac.</source>
        <translation>在本机上，{main} 搭配 {draft} 为 {faster}。</translation>
    </message>
    <message>
        <source>{main} is {faster} with prompt lookup on this Mac.</source>
        <translation>在本机上，{main} 使用提示词查找为 {faster}。</translation>
    </message>
    <message>
        <source>Export the history</source>
        <translation>导出历史</translation>
    </message>
    <message>
        <source>Saved to {file}.</source>
        <translation>已保存到“{file}”。</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>无法保存文件。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Answers and statistics</source>
        <translation>回答与统计</translation>
    </message>
    <message>
        <source>Draft tokens made no answers noticeably faster so far.</source>
        <translation>目前还没有回答因草稿 token 而明显加快。</translation>
    </message>
    <message>
        <source>Export as {kind}</source>
        <translation>导出为 {kind}</translation>
    </message>
    <message>
        <source>Compare measured no speed-up yet: this Mac was too busy, or the answer too short.</source>
        <translation>已比较，但尚未测得加速比：本机负载过高，或回答太短。</translation>
    </message>
</context>
<context>
    <name>HubErrors</name>
    <message>
        <source>“Work offline” is on, so Tandem does not connect. Turn it off in the settings.</source>
        <translation>“离线工作”已打开，因此不会连接。请在设置中关闭。</translation>
    </message>
    <message>
        <source>The proxy does not respond or refuses to connect. Check its address in the settings.</source>
        <translation>代理没有响应或拒绝连接。请在设置中检查地址。</translation>
    </message>
    <message>
        <source>{endpoint} does not respond like Hugging Face. Check your connection, or the mirror in the settings.</source>
        <translation>{endpoint} 的响应不像 Hugging Face。请检查网络连接，或设置中的镜像。</translation>
    </message>
    <message>
        <source>Hugging Face is having problems (error {status}). Try again later.</source>
        <translation>Hugging Face 出现问题（错误 {status}）。请稍后重试。</translation>
    </message>
    <message>
        <source>Hugging Face is rate-limiting requests. Try again later.</source>
        <translation>Hugging Face 正在限制请求频率。请稍后重试。</translation>
    </message>
    <message>
        <source>“{repository}” isn&apos;t a model ID. Use organization/name or a model page URL.</source>
        <translation>“{repository}”不是模型 ID。请输入“组织/名称”或模型页面的 URL。</translation>
    </message>
    <message>
        <source>There is no model {repository}, or it is private. Check its name, or add a token in the settings.</source>
        <translation>模型 {repository} 不存在，或是私有模型。请检查名称，或在设置中添加令牌。</translation>
    </message>
    <message>
        <source>{repository} has no version {revision}.</source>
        <translation>{repository} 没有版本 {revision}。</translation>
    </message>
    <message>
        <source>{repository} is gated. Accept the terms on its page, then add a token in the settings.</source>
        <translation>{repository} 需要先同意条款。请在其页面上同意，然后在设置中添加令牌。</translation>
    </message>
    <message>
        <source>Your token has no access to {repository}. Ask its owners, or add another token in the settings.</source>
        <translation>你的令牌无权访问 {repository}。请联系所有者，或在设置中添加其他令牌。</translation>
    </message>
    <message>
        <source>Can&apos;t reach Hugging Face. Check your connection and try again.</source>
        <translation>无法连接 Hugging Face。请检查网络连接后重试。</translation>
    </message>
    <message>
        <source>The certificate of Hugging Face isn&apos;t trusted on this Mac. Check the mirror and the proxy in the settings.</source>
        <translation>本机不信任 Hugging Face 的证书。请在设置中检查镜像和代理。</translation>
    </message>
    <message>
        <source>Hugging Face takes too long to answer. Try again later.</source>
        <translation>Hugging Face 响应过慢。请稍后重试。</translation>
    </message>
    <message>
        <source>{file} arrives too slowly. Try again later or from another connection; nothing is lost.</source>
        <translation>“{file}”下载过慢。请稍后重试，或换个网络再试；已下载的内容不会丢失。</translation>
    </message>
    <message>
        <source>Hugging Face no longer has {file} of {repository}. Choose another model.</source>
        <translation>Hugging Face 上已没有 {repository} 的“{file}”。请选择其他模型。</translation>
    </message>
    <message>
        <source>Hugging Face rejected your token: it is wrong, expired or revoked. Add a new one in the settings.</source>
        <translation>Hugging Face 拒绝了你的令牌：它有误、已过期或已被撤销。请在设置中添加新令牌。</translation>
    </message>
    <message>
        <source>{repository} has neither MLX weights nor GGUF files. Search for an MLX version of this model.</source>
        <translation>{repository} 既没有 MLX 权重，也没有 GGUF 文件。请搜索该模型的 MLX 版本。</translation>
    </message>
    <message>
        <source>“{tag}” does not name one quantization of {repository}. Choose from: {tags}.</source>
        <translation>“{tag}”无法确定 {repository} 的一个量化版本。请从以下选项中选择：{tags}。</translation>
    </message>
    <message>
        <source>{repository} refers to a file outside its folder ({file}). Tandem won&apos;t download it.</source>
        <translation>{repository} 引用了文件夹之外的文件（{file}）。Tandem 不会下载。</translation>
    </message>
    <message>
        <source>{needed} needed, but only {free} free on the disk. Free up space, then try again.</source>
        <translation>需要 {needed}，磁盘只剩 {free}。请腾出空间后重试。</translation>
    </message>
    <message>
        <source>The disk is full. Free up space, then try again; nothing is lost.</source>
        <translation>磁盘已满。请腾出空间后重试；已下载的内容不会丢失。</translation>
    </message>
    <message>
        <source>{path} cannot be written to. Check its permissions.</source>
        <translation>无法写入“{path}”。请检查写入权限。</translation>
    </message>
    <message>
        <source>{file} failed its checksum twice. Try again later or from another connection.</source>
        <translation>“{file}”两次未通过校验。请稍后重试，或换个网络再试。</translation>
    </message>
    <message>
        <source>{repository} has no MTP head. Choose another draft.</source>
        <translation>{repository} 没有 MTP 草稿头。请选择其他草稿。</translation>
    </message>
    <message>
        <source>{repository} lists an MTP head, but none of its files contains one. Choose another draft.</source>
        <translation>{repository} 的配置声明了 MTP 草稿头，但文件中并不包含。请选择其他草稿。</translation>
    </message>
    <message>
        <source>The MTP head of {repository} is of a kind that Tandem can&apos;t run yet ({family}).</source>
        <translation>{repository} 的 MTP 草稿头属于 Tandem 暂不支持的类型（{family}）。</translation>
    </message>
    <message>
        <source>{repository} is no longer on this Mac.</source>
        <translation>{repository} 已不在本机上。</translation>
    </message>
    <message>
        <source>Another program is downloading {repository}. Wait until it has finished.</source>
        <translation>另一个程序正在下载 {repository}。请等它完成。</translation>
    </message>
    <message>
        <source>The starter pair is part of Tandem and can&apos;t be deleted.</source>
        <translation>入门模型是 Tandem 的一部分，不能删除。</translation>
    </message>
    <message>
        <source>This model belongs to {app}. Delete it there.</source>
        <translation>这是 {app} 的模型。请在该应用中删除。</translation>
    </message>
    <message>
        <source>This head is part of its main model&apos;s files. To delete it, delete the main model.</source>
        <translation>这个草稿头是主模型文件的一部分。要删除它，请删除主模型。</translation>
    </message>
    <message>
        <source>This model is in your own folder {path}, which Tandem never deletes.</source>
        <translation>此模型在你自己的文件夹“{path}”中，Tandem 不会删除它。</translation>
    </message>
    <message>
        <source>Can&apos;t move {path} to the Trash. Nothing was deleted.</source>
        <translation>无法将“{path}”移到废纸篓。未删除任何内容。</translation>
    </message>
</context>
<context>
    <name>ImportCard</name>
    <message>
        <source>Import chats</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>{menu}. A link to the ZIP file comes by mail.</source>
        <translation>{menu}。ZIP 文件的链接会通过邮件发送。</translation>
    </message>
    <message>
        <source>{menu}, as JSON</source>
        <translation>{menu}（JSON 格式）</translation>
    </message>
    <message>
        <source>The ZIP file with the data of your account</source>
        <translation>包含账户数据的 ZIP 文件</translation>
    </message>
    <message>
        <source>The files in {folder}</source>
        <translation>{folder} 中的文件</translation>
    </message>
    <message>
        <source>A thread&apos;s messages.jsonl, beside its thread.json</source>
        <translation>会话的 messages.jsonl（与 thread.json 在同一文件夹）</translation>
    </message>
    <message>
        <source>The backup, a ZIP file</source>
        <translation>备份的 ZIP 文件</translation>
    </message>
    <message>
        <source>File › Export all chats…</source>
        <translation>文件 › 导出所有对话…</translation>
    </message>
    <message>
        <source>Importing a file again adds only what is new. When choosing, {keys} goes to a hidden folder.</source>
        <translation>再次导入同一文件时，只会添加新内容。选取时按 {keys} 可前往隐藏的文件夹。</translation>
    </message>
</context>
<context>
    <name>ImportExport</name>
    <message>
        <source>Untitled chat</source>
        <translation>无标题对话</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Tandem chats</source>
        <translation>Tandem 对话</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>导出所有对话</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>Exported to {name}.</source>
        <translation>已导出到“{name}”。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) exported.</source>
        <translation>
            <numerusform>已导出 %Ln 个对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>Exporting to {name}…</source>
        <translation>正在导出到“{name}”…</translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %Ln chat(s) so far.</source>
        <translation>
            <numerusform>正在导入“{name}”：已导入 %Ln 个对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} could not be read or written: {detail}</source>
        <translation>无法读取或写入“{name}”：{detail}</translation>
    </message>
    <message>
        <source>Show in Finder</source>
        <translation>在访达中显示</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) imported.</source>
        <translation>
            <numerusform>已导入 %Ln 个对话。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) were skipped because they already exist.</source>
        <translation>
            <numerusform>已跳过 %Ln 个已存在的对话。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>%Ln 个对话在废纸篓中，未作改动。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) have no question or answer and were left out.</source>
        <translation>
            <numerusform>%Ln 个对话没有提问和回答，已略过。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>文件中有 %Ln 个部分无法作为对话读取。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s) of the file could not be read.</source>
        <translation>
            <numerusform>文件中有 %Ln 行无法读取。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) of neither you nor a model were left out.</source>
        <translation>
            <numerusform>有 %Ln 条消息既不是你的也不是模型的，未导入。</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was canceled. Import the file again to add the missing chats.</source>
        <translation>导入已取消。再次导入该文件即可补上缺少的对话。</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>This call failed.</source>
        <translation>此调用失败。</translation>
    </message>
    <message>
        <source>This call was interrupted.</source>
        <translation>此调用已中断。</translation>
    </message>
    <message>
        <source>The operation failed: {detail}</source>
        <translation>操作失败：{detail}</translation>
    </message>
    <message>
        <source>The export was canceled.</source>
        <translation>导出已取消。</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>This answer was interrupted.</source>
        <translation>本次回答已中断。</translation>
    </message>
    <message>
        <source>This answer ended with an error.</source>
        <translation>本次回答因错误而结束。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), tool call(s) or reasoning text(s) were left out.</source>
        <translation>
            <numerusform>有 %Ln 个文件、工具调用或思考内容未导入。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) of one agent with another were left out.</source>
        <translation>
            <numerusform>%Ln 个智能体之间的对话未导入。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) between agents were left out.</source>
        <translation>
            <numerusform>有 %Ln 条智能体之间的消息未导入。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>KnownServers</name>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Git</source>
        <translation>Git</translation>
    </message>
    <message>
        <source>Sees only the time zones that the model asks about.</source>
        <translation>只能看到模型询问的时区。</translation>
    </message>
    <message>
        <source>Sees what the model wants to remember, and keeps it on this Mac for all chats.</source>
        <translation>可以看到模型想记住的内容，并保存在本机上供所有对话使用。</translation>
    </message>
    <message>
        <source>Sees the files and the history of a repository that you choose, and can commit to it.</source>
        <translation>可以查看你选择的仓库的文件和历史记录，并可以提交更改。</translation>
    </message>
    <message>
        <source>This Mac has no command “npx”. To get it, install Node.js from nodejs.org.</source>
        <translation>本机没有“npx”命令。请从 nodejs.org 安装 Node.js。</translation>
    </message>
    <message>
        <source>This Mac has no command “uvx”. To get it, install uv from docs.astral.sh/uv.</source>
        <translation>本机没有“uvx”命令。请从 docs.astral.sh/uv 安装 uv。</translation>
    </message>
    <message>
        <source>Reads and changes the files in a folder that you choose.</source>
        <translation>读取和更改所选文件夹中的文件。</translation>
    </message>
    <message>
        <source>It is a program from {registry} and runs with your rights on this Mac. Allow it only if you trust its makers.</source>
        <translation>这是来自 {registry} 的程序，以你的权限在这台 Mac 上运行。仅在信任其作者时允许。</translation>
    </message>
</context>
<context>
    <name>LinkMenu</name>
    <message>
        <source>Open in the browser</source>
        <translation>在浏览器中打开</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>拷贝网址</translation>
    </message>
</context>
<context>
    <name>LocalApi</name>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>正在回答</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>unknown program</source>
        <translation>未知程序</translation>
    </message>
    <message>
        <source>Another program uses port {port}. Choose another one.</source>
        <translation>端口 {port} 已被占用。请选择其他端口。</translation>
    </message>
    <message>
        <source>The system does not allow port {port}. Choose one above 1023.</source>
        <translation>系统不允许使用端口 {port}。请选择大于 1023 的端口。</translation>
    </message>
    <message>
        <source>This Mac has no address {host}.</source>
        <translation>本机没有地址 {host}。</translation>
    </message>
    <message>
        <source>The local API could not start.</source>
        <translation>本地 API 无法启动。</translation>
    </message>
    <message>
        <source>processing the prompt</source>
        <translation>正在处理提示词</translation>
    </message>
    <message>
        <source>The local API is running at {address}.</source>
        <translation>本地 API 正在运行，地址为 {address}。</translation>
    </message>
</context>
<context>
    <name>Machines</name>
    <message>
        <source>Running on {count} Macs: {names}</source>
        <translation>正在 {count} 台 Mac 上运行：{names}</translation>
    </message>
    <message>
        <source>This Mac</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>{name} is ready</source>
        <translation>{name} 已就绪</translation>
    </message>
    <message>
        <source>{size} for models</source>
        <translation>{size} 可供模型使用</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>round trip {time}</source>
        <translation>往返 {time}</translation>
    </message>
    <message>
        <source>{name} is downloading: {done} of {total}</source>
        <translation>{name} 正在下载：{done} / {total}</translation>
    </message>
    <message>
        <source>{name}: layers {first} to {last}</source>
        <translation>{name}：第 {first} 至 {last} 层</translation>
    </message>
    <message>
        <source>{name}: parts {first} to {last} of every layer</source>
        <translation>{name}：每一层的第 {first} 至 {last} 部分</translation>
    </message>
    <message>
        <source>needs {size}</source>
        <translation>需要 {size}</translation>
    </message>
    <message>
        <source>needs {size} of {free}</source>
        <translation>需要 {size}，可用 {free}</translation>
    </message>
    <message>
        <source>needs {size}, but only {free} can be used</source>
        <translation>需要 {size}，但只有 {free} 可用</translation>
    </message>
</context>
<context>
    <name>MachinesPage</name>
    <message>
        <source>Download on the other Macs</source>
        <translation>下载到其他 Mac</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Downloading on the other Macs…</source>
        <translation>其他 Mac 正在下载所需的文件…</translation>
    </message>
    <message>
        <source>Checking the Macs…</source>
        <translation>正在检查各台 Mac…</translation>
    </message>
    <message>
        <source>Starting the Macs…</source>
        <translation>正在各台 Mac 上启动模型…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Enter another Mac first.</source>
        <translation>请先输入另一台 Mac。</translation>
    </message>
    <message>
        <source>What the check found</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Another Mac can draft the next round while this Mac&apos;s main model checks the current one.</source>
        <translation>在本机的主模型检查这一轮时，另一台 Mac 可以起草下一轮。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Splits a model too large for one Mac. Click Check to see what each Mac needs to download.</source>
        <translation>将单台 Mac 放不下的模型拆分到多台 Mac 上。点按“检查”可查看每台 Mac 需要下载的内容。</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Running on this Mac only.</source>
        <translation>仅在本机上运行。</translation>
    </message>
    <message>
        <source>Over a network, nothing that the Macs exchange is encrypted. Connect them only over a network you trust, or by Thunderbolt.</source>
        <translation>通过网络连接时，各台 Mac 之间交换的内容不加密。请只使用可信的网络，或通过雷雳连接。</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Temporary chat</source>
        <translation>临时对话</translation>
    </message>
</context>
<context>
    <name>MemoryGauge</name>
    <message>
        <source>Scanning models…</source>
        <translation>正在扫描模型…</translation>
    </message>
    <message>
        <source>{free} of {limit} free for models</source>
        <translation>模型可用的 {limit} 中空闲 {free}</translation>
    </message>
    <message>
        <source>This choice: {choice} · then free: {free}</source>
        <translation>此模型：{choice} · 选用后空闲：{free}</translation>
    </message>
    <message>
        <source>This choice: {choice} · {free} too much</source>
        <translation>此模型：{choice} · 超出 {free}</translation>
    </message>
</context>
<context>
    <name>MenuBarItem</name>
    <message>
        <source>No model is loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>Unload models</source>
        <translation>将模型移出内存</translation>
    </message>
</context>
<context>
    <name>MermaidButton</name>
    <message>
        <source>Open in mermaid.live…</source>
        <translation>在 mermaid.live 中打开…</translation>
    </message>
    <message>
        <source>Open this diagram on mermaid.live?</source>
        <translation>在 mermaid.live 中打开这个图表？</translation>
    </message>
    <message>
        <source>Its text goes into the part of the address that browsers do not send. The website&apos;s scripts read it there and draw it. They could pass it on.</source>
        <translation>图表的文字会放在地址中浏览器不发送的部分。网站的脚本会在那里读取并绘制它，也可能把它发送出去。</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Download as draft</source>
        <translation>下载为草稿模型</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>检查文件</translation>
    </message>
    <message>
        <source>It is in use. Choose another model first.</source>
        <translation>正在使用。请先选择其他模型。</translation>
    </message>
    <message>
        <source>Other apps that use the Hugging Face cache will lose it too.</source>
        <translation>使用 Hugging Face 缓存的其他应用也将无法再使用它。</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Delete this model? ({size})</source>
        <translation>要删除此模型（{size}）吗？</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>过大</translation>
    </message>
    <message>
        <source>multiple Macs</source>
        <translation>多台 Mac</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>内存紧张</translation>
    </message>
    <message>
        <source>Move to Trash…</source>
        <translation>移到废纸篓…</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>Details: {name}</source>
        <translation>详细信息：{name}</translation>
    </message>
    <message>
        <source>Move this model to the Trash? ({size})</source>
        <translation>要将此模型（{size}）移到废纸篓吗？</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>移到废纸篓</translation>
    </message>
    <message>
        <source>Other files in its folder stay.</source>
        <translation>文件夹中的其他文件会保留。</translation>
    </message>
    <message>
        <source>Remove this folder with its models from the list? No file is deleted.</source>
        <translation>要将此文件夹及其中的模型从列表中移除吗？不会删除任何文件。</translation>
    </message>
    <message>
        <source>The file {file} stays.</source>
        <translation>文件 {file} 会保留。</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>Use as draft</source>
        <translation>用作草稿</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>{name} is ready.</source>
        <translation>“{name}”已就绪。</translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation>显示下载</translation>
    </message>
</context>
<context>
    <name>ModelReasons</name>
    <message>
        <source>Its folder contains no model.</source>
        <translation>它的文件夹里没有模型。</translation>
    </message>
    <message>
        <source>It is a head, not a model.</source>
        <translation>它是草稿头，不是模型。</translation>
    </message>
    <message>
        <source>It requires running its own code or reading files outside its folder ({detail}).</source>
        <translation>它需要运行自带的代码或读取文件夹之外的文件（{detail}）。</translation>
    </message>
    <message>
        <source>Its weights are all zero.</source>
        <translation>它的权重全为零。</translation>
    </message>
    <message>
        <source>Reading it took too much time or memory.</source>
        <translation>读取它耗费的时间或内存过多。</translation>
    </message>
    <message>
        <source>It writes text by diffusion, not token by token.</source>
        <translation>它用扩散方式生成文字，而不是逐个 token 生成。</translation>
    </message>
    <message>
        <source>Its folder is missing ({detail}).</source>
        <translation>找不到它的文件夹（{detail}）。</translation>
    </message>
    <message>
        <source>One of its files is missing ({detail}).</source>
        <translation>有一个文件缺失（{detail}）。</translation>
    </message>
    <message>
        <source>One of its files is damaged ({detail}).</source>
        <translation>有一个文件已损坏（{detail}）。</translation>
    </message>
    <message>
        <source>Its weights don&apos;t match its configuration ({detail}).</source>
        <translation>它的权重与配置不符（{detail}）。</translation>
    </message>
    <message>
        <source>Its architecture is not supported yet ({detail}).</source>
        <translation>尚不支持它的架构（{detail}）。</translation>
    </message>
    <message>
        <source>It makes embeddings or sorts texts.</source>
        <translation>它用于生成嵌入或对文字分类。</translation>
    </message>
    <message>
        <source>It only reads the text in pictures.</source>
        <translation>它只识别图片中的文字。</translation>
    </message>
    <message>
        <source>It makes decisions.</source>
        <translation>它只做判定。</translation>
    </message>
    <message>
        <source>It makes pictures, films or sounds.</source>
        <translation>它用于生成图片、视频或声音。</translation>
    </message>
    <message>
        <source>It is only a part of a model ({detail}).</source>
        <translation>它只是模型的一部分（{detail}）。</translation>
    </message>
    <message>
        <source>It is an adapter for a family that runs through mlx-vlm ({detail}).</source>
        <translation>它是适配器，所属系列通过 mlx-vlm 运行（{detail}）。</translation>
    </message>
    <message>
        <source>Its kind of head is not supported yet ({detail}).</source>
        <translation>尚不支持这种草稿头（{detail}）。</translation>
    </message>
    <message>
        <source>The layers of the main model cannot be read ({detail}).</source>
        <translation>无法读取主模型的各层（{detail}）。</translation>
    </message>
    <message>
        <source>It was made for another main model ({detail}).</source>
        <translation>它是为其他主模型制作的（{detail}）。</translation>
    </message>
    <message>
        <source>Its main model was not found ({detail}).</source>
        <translation>未找到其主模型（{detail}）。</translation>
    </message>
    <message>
        <source>It is an adapter for another main model ({detail}).</source>
        <translation>它是另一个主模型的适配器（{detail}）。</translation>
    </message>
    <message>
        <source>Tandem cannot apply adapters of its kind ({detail}).</source>
        <translation>Tandem 无法应用这种适配器（{detail}）。</translation>
    </message>
    <message>
        <source>Its tokenizer cannot be read ({detail}).</source>
        <translation>无法读取它的分词器（{detail}）。</translation>
    </message>
    <message>
        <source>Its vocabulary differs from the main model&apos;s ({detail}).</source>
        <translation>它的词表与主模型的不同（{detail}）。</translation>
    </message>
    <message>
        <source>Its weights produce invalid values ({detail}).</source>
        <translation>它的权重会产生无效值（{detail}）。</translation>
    </message>
    <message>
        <source>There is not enough memory for it ({detail}).</source>
        <translation>内存不足（{detail}）。</translation>
    </message>
    <message>
        <source>Converting it needs more free space on the disk ({detail}).</source>
        <translation>磁盘空间不足，无法转换（{detail}）。</translation>
    </message>
    <message>
        <source>The disk or the folder does not allow writing it ({detail}).</source>
        <translation>磁盘或文件夹不允许写入（{detail}）。</translation>
    </message>
    <message>
        <source>Choose a folder that contains a model.</source>
        <translation>请选择存放模型的文件夹。</translation>
    </message>
    <message>
        <source>Download or copy it again.</source>
        <translation>请重新下载或拷贝。</translation>
    </message>
    <message>
        <source>Choose another copy of this model.</source>
        <translation>请选择此模型的其他副本。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>请选择其他模型。</translation>
    </message>
    <message>
        <source>Choose a model for chats.</source>
        <translation>请选择用于对话的模型。</translation>
    </message>
    <message>
        <source>Choose a head made for this main model.</source>
        <translation>请选择为这个主模型制作的草稿头。</translation>
    </message>
    <message>
        <source>Choose another draft model.</source>
        <translation>请选择其他草稿模型。</translation>
    </message>
    <message>
        <source>Put the adapter into the folder of its main model.</source>
        <translation>请将适配器放入其主模型的文件夹。</translation>
    </message>
    <message>
        <source>Choose its main model without an adapter.</source>
        <translation>请选择不带适配器的主模型。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or close other apps and try again.</source>
        <translation>请选择更小的模型，或关闭其他应用后重试。</translation>
    </message>
    <message>
        <source>Choose another model or update Tandem.</source>
        <translation>请选择其他模型或更新 Tandem。</translation>
    </message>
    <message>
        <source>Choose the file with the whole model.</source>
        <translation>请选择包含完整模型的文件。</translation>
    </message>
    <message>
        <source>Choose it as the draft.</source>
        <translation>请将它选作草稿。</translation>
    </message>
    <message>
        <source>Free up space, then try again.</source>
        <translation>请腾出空间后重试。</translation>
    </message>
    <message>
        <source>Install Tandem with the command in its README.</source>
        <translation>请使用 README 中的命令安装 Tandem。</translation>
    </message>
    <message>
        <source>It runs through mlx-vlm, which is not installed.</source>
        <translation>它通过 mlx-vlm 运行，但尚未安装 mlx-vlm。</translation>
    </message>
    <message>
        <source>{name} cannot be used.</source>
        <translation>无法使用“{name}”。</translation>
    </message>
    <message>
        <source>Cannot be used.</source>
        <translation>无法使用。</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>{name} · {bits}-bit</source>
        <translation>{name} · {bits} 位</translation>
    </message>
    <message>
        <source>Recommended for {model}: {values}</source>
        <translation>“{model}”的推荐设置：{values}</translation>
    </message>
    <message>
        <source>Starter</source>
        <translation>入门模型</translation>
    </message>
    <message>
        <source>Starter draft</source>
        <translation>入门草稿模型</translation>
    </message>
    <message>
        <source>Starter head</source>
        <translation>入门草稿头</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>不用草稿</translation>
    </message>
    <message>
        <source>Frees the memory of both models.</source>
        <translation>释放两个模型占用的内存。</translation>
    </message>
    <message>
        <source>Plain decoding: the main model alone.</source>
        <translation>普通解码：只用主模型。</translation>
    </message>
    <message>
        <source>Incomplete: download it again.</source>
        <translation>文件不完整，请重新下载。</translation>
    </message>
    <message>
        <source>Needs no draft model. Best for edits and code.</source>
        <translation>无需草稿模型。适合修改文稿和写代码。</translation>
    </message>
    <message>
        <source>Same tokenizer.</source>
        <translation>分词器相同。</translation>
    </message>
    <message>
        <source>Different tokenizer: text is re-encoded ({share} of tokens shared).</source>
        <translation>分词器不同：会重新编码文字（{share} 的 token 相同）。</translation>
    </message>
    <message>
        <source>Its tokenizer has not been read yet.</source>
        <translation>尚未读取它的分词器。</translation>
    </message>
    <message>
        <source>Published head for this model, the fastest one according to {source}. Not checked yet.</source>
        <translation>为此模型发布的草稿头，{source} 的测量中最快，尚未检查。</translation>
    </message>
    <message>
        <source>Too slow to help: each draft token takes {share} of a main-model step.</source>
        <translation>太慢，没有帮助：每个草稿 token 的耗时是主模型一步的 {share}。</translation>
    </message>
    <message>
        <source>Too slow: larger than the main model.</source>
        <translation>太慢：比主模型还大。</translation>
    </message>
    <message>
        <source>Won&apos;t fit alongside the main model ({size} short).</source>
        <translation>无法与主模型同时加载（还差 {size}）。</translation>
    </message>
    <message>
        <source>Cannot be used with this main model. {reason}</source>
        <translation>不能与此主模型一起使用。{reason}</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>快速</translation>
    </message>
    <message>
        <source>All-round</source>
        <translation>全能</translation>
    </message>
    <message>
        <source>Best that fits</source>
        <translation>本机可用的最强</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>On Hugging Face</source>
        <translation>Hugging Face 上的模型</translation>
    </message>
    <message>
        <source>Head for this model.</source>
        <translation>为此模型制作的草稿头。</translation>
    </message>
    <message>
        <source>Head for {model}: fewer draft tokens may be accepted.</source>
        <translation>为“{model}”制作的草稿头：草稿 token 的采用率可能较低。</translation>
    </message>
    <message>
        <source>Published head for this model. Not checked yet.</source>
        <translation>为此模型发布的草稿头，尚未检查。</translation>
    </message>
    <message>
        <source>Head that comes with the original model. Only its part of the files is downloaded.</source>
        <translation>原始模型自带的草稿头，只下载文件中的这一部分。</translation>
    </message>
    <message>
        <source>Head for another model: made for {theirs} layers, this one has {ours}.</source>
        <translation>为其他模型制作的草稿头：层数不同（草稿头 {theirs}，此模型 {ours}）。</translation>
    </message>
    <message>
        <source>Head for another model: made for a width of {theirs}, this one&apos;s is {ours}.</source>
        <translation>为其他模型制作的草稿头：宽度不同（草稿头 {theirs}，此模型 {ours}）。</translation>
    </message>
    <message>
        <source>Head for another model: made for a vocabulary of {theirs}, this one&apos;s is {ours}.</source>
        <translation>为其他模型制作的草稿头：词表大小不同（草稿头 {theirs}，此模型 {ours}）。</translation>
    </message>
    <message>
        <source>As draft for {main}: {verdict}</source>
        <translation>作为“{main}”的草稿：{verdict}</translation>
    </message>
    <message>
        <source>Same tokenizer (padded vocabulary).</source>
        <translation>分词器相同（词表有填充）。</translation>
    </message>
    <message>
        <source>Does not fit: it needs {size} more memory than this Mac can use.</source>
        <translation>放不下：所需内存比本机可用的多 {size}。</translation>
    </message>
    <message>
        <source>Too large for this Mac alone, but your Macs can run it together.</source>
        <translation>本机单独放不下，但你的多台 Mac 可以一起运行。</translation>
    </message>
    <message>
        <source>The models take more memory than is free, so other apps may get slower.</source>
        <translation>模型占用的内存超过可用内存，其他应用可能会变慢。</translation>
    </message>
    <message>
        <source>{name} ({place})</source>
        <translation>{name}（{place}）</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>将 {name} 移出内存</translation>
    </message>
    <message>
        <source>Frees the memory of this model.</source>
        <translation>释放此模型占用的内存。</translation>
    </message>
    <message>
        <source>about the same speed until it is measured</source>
        <translation>测量前速度大致相同（估算）</translation>
    </message>
    <message>
        <source>Its head: about the same speed until it is measured</source>
        <translation>专用草稿头：测量前速度大致相同（估算）</translation>
    </message>
    <message>
        <source>{name} with MLX weights is faster and needs no second copy on the disk.</source>
        <translation>{name} 的 MLX 权重更快，也无需在磁盘上再存一份副本。</translation>
    </message>
    <message>
        <source>sees pictures</source>
        <translation>支持图片</translation>
    </message>
    <message>
        <source>without {files}</source>
        <translation>不含 {files}</translation>
    </message>
    <message>
        <source>{count}-token context</source>
        <translation>上下文 {count} 个 token</translation>
    </message>
    <message>
        <source>downloads: {count}</source>
        <translation>下载量 {count}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>需同意条款</translation>
    </message>
    <message>
        <source>No models were found in {folder}.</source>
        <translation>在 {folder} 中未找到模型。</translation>
    </message>
    <message>
        <source>Press Enter to add {folder}.</source>
        <translation>按 Enter 添加 {folder}。</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Speed-ups are estimates until they are measured.</source>
        <translation>加速比在测量之前为估算值。</translation>
    </message>
    <message>
        <source>{gain} (measured)</source>
        <translation>{gain}（实测）</translation>
    </message>
    <message>
        <source>about {times} as fast</source>
        <translation>约 {times}速</translation>
    </message>
    <message>
        <source>It only explains Tandem. Choose another model for real work.</source>
        <translation>只介绍 Tandem。要用于实际工作，请选择其他模型。</translation>
    </message>
    <message>
        <source>With its draft</source>
        <translation>附带草稿模型</translation>
    </message>
    <message>
        <source>With its head</source>
        <translation>附带专用草稿头</translation>
    </message>
    <message>
        <source>changes weights by up to {percent}%</source>
        <translation>权重变化最多 {percent}%</translation>
    </message>
    <message>
        <source>Its draft: {name}</source>
        <translation>草稿模型：{name}</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Its head: {size}</source>
        <translation>专用草稿头：{size}</translation>
    </message>
    <message>
        <source>On disk: {size}</source>
        <translation>磁盘：{size}</translation>
    </message>
    <message>
        <source>In memory: {sum}</source>
        <translation>内存：{sum}</translation>
    </message>
    <message>
        <source>Downloading…</source>
        <translation>正在下载…</translation>
    </message>
    <message>
        <source>Use this head</source>
        <translation>使用此草稿头</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>权重 {size}</translation>
    </message>
    <message>
        <source>draft {size}</source>
        <translation>草稿 {size}</translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation>上下文 {size}</translation>
    </message>
    <message>
        <source>workspace {size}</source>
        <translation>工作区 {size}</translation>
    </message>
    <message>
        <source>{sum} plus context</source>
        <translation>{sum}，另加上下文</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>Waiting for a connection. The download then resumes by itself.</source>
        <translation>正在等待网络连接。连接后会自动继续下载。</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>失败。</translation>
    </message>
    <message>
        <source>reconnecting</source>
        <translation>正在重新连接</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>resumes where it stopped, even after a restart</source>
        <translation>会从中断处继续，重新启动后也一样</translation>
    </message>
    <message>
        <source>Waiting in queue</source>
        <translation>正在排队</translation>
    </message>
    <message>
        <source>Getting the file list…</source>
        <translation>正在获取文件列表…</translation>
    </message>
    <message>
        <source>Verifying checksums…</source>
        <translation>正在校验…</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>已就绪。</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在开始</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>下载中</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>检查中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>已就绪</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>剩余不足 1 分钟</translation>
    </message>
    <message>
        <source>GGUF, converted when it is first used</source>
        <translation>GGUF，首次使用时转换</translation>
    </message>
    <message>
        <source>The weights are those of the file {file}; the codes were kept.</source>
        <translation>权重来自文件 {file}，量化编码保持不变。</translation>
    </message>
    <message>
        <source>The weights are those of the file {file}; the codes were quantized anew in {count} of {total} tensors.</source>
        <translation>权重来自文件 {file}，{total} 个张量中有 {count} 个重新量化。</translation>
    </message>
    <message>
        <source>Get more…</source>
        <translation>获取更多…</translation>
    </message>
    <message>
        <source>not tried</source>
        <translation>尚未试用</translation>
    </message>
    <message>
        <source>expected: about the same speed</source>
        <translation>预计：速度大致相同</translation>
    </message>
    <message>
        <source>expected: {speed}</source>
        <translation>预计：{speed}</translation>
    </message>
    <message>
        <source>{method} head</source>
        <translation>{method} 草稿头</translation>
    </message>
    <message>
        <source>What its context takes is known once it is downloaded.</source>
        <translation>上下文占用的内存要在下载后才能得知。</translation>
    </message>
    <message>
        <source>Tandem&apos;s own for {model}: {values}</source>
        <translation>Tandem 为 {model} 采用的值：{values}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose a folder that contains models</source>
        <translation>选择存放模型的文件夹</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Type part of a name, such as Qwen3.8 or Gemma, or paste a model page URL.</source>
        <translation>输入名称的一部分，如 Qwen3.8 或 Gemma，或粘贴模型页面的 URL。</translation>
    </message>
    <message>
        <source>No MLX models match.</source>
        <translation>没有匹配的 MLX 模型。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model ID or URL</source>
        <translation>搜索 Hugging Face，或粘贴模型 ID 或 URL</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Add a model folder…</source>
        <translation>添加模型文件夹…</translation>
    </message>
    <message>
        <source>Unload {name} ({size})</source>
        <translation>将 {name} 移出内存（{size}）</translation>
    </message>
    <message>
        <source>Context length used for memory estimates</source>
        <translation>估算内存所用的上下文长度</translation>
    </message>
    <message>
        <source>Unload…</source>
        <translation>移出内存…</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} 个 token</translation>
    </message>
</context>
<context>
    <name>NetworkPage</name>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>正在测试…</translation>
    </message>
    <message>
        <source>Your token is in the keychain.</source>
        <translation>令牌已存入钥匙串。</translation>
    </message>
    <message>
        <source>Hugging Face token</source>
        <translation>Hugging Face 令牌</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Test the connection</source>
        <translation>测试连接</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use, so the token was not kept.</source>
        <translation>本机没有 Tandem 可用的钥匙串，因此未保存令牌。</translation>
    </message>
    <message>
        <source>Checks the mirror, proxy and token with two small requests.</source>
        <translation>发送两个很小的请求，检查镜像、代理和令牌。</translation>
    </message>
    <message>
        <source>Token valid (account {user}).</source>
        <translation>令牌有效（账户 {user}）。</translation>
    </message>
    <message>
        <source>Token rejected: it is wrong, expired or revoked.</source>
        <translation>令牌被拒绝：它有误、已过期或已被撤销。</translation>
    </message>
    <message>
        <source>For gated or private models. Stored only in the system keychain.</source>
        <translation>用于需要同意条款的模型或私有模型。只保存在系统钥匙串中。</translation>
    </message>
    <message>
        <source>Connected.</source>
        <translation>已连接。</translation>
    </message>
    <message>
        <source>The server does not report whether the token is valid.</source>
        <translation>服务器未告知令牌是否有效。</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details could not be saved.</source>
        <translation>发生了意外情况。Tandem 可以继续使用，但详细信息未能保存。</translation>
    </message>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details are in {file}.</source>
        <translation>发生了意外情况。Tandem 可以继续使用，详细信息在“{file}”中。</translation>
    </message>
    <message>
        <source>Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this Mac.</source>
        <translation>Tandem 上次意外退出。你的对话没有丢失，报告只保存在本机上。</translation>
    </message>
    <message>
        <source>Some settings could not be read and were reset. The old file was kept as {file}.</source>
        <translation>部分设置无法读取，已重置。旧文件保留为“{file}”。</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was started again. Your chats are safe; ask again.</source>
        <translation>引擎意外停止，已重新启动。你的对话没有丢失，请重新提问。</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats were saved as {file}.</source>
        <translation>已恢复备份。之前的对话已保存为“{file}”。</translation>
    </message>
    <message>
        <source>The backup could not be restored. Your chats are as they were.</source>
        <translation>无法恢复备份。你的对话保持原样。</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>打开页面</translation>
    </message>
    <message>
        <source>Tandem {version} is available.</source>
        <translation>Tandem {version} 现已可用。</translation>
    </message>
    <message>
        <source>Tandem is up to date.</source>
        <translation>Tandem 已是最新版本。</translation>
    </message>
    <message>
        <source>Tandem is set to work offline. Change that in Settings &gt; Privacy and network to check for updates.</source>
        <translation>“离线工作”已打开。如需检查更新，请在“设置 &gt; 隐私与网络”中关闭。</translation>
    </message>
    <message>
        <source>This copy was built from source, so Tandem can&apos;t check for updates. Update the source instead.</source>
        <translation>这份 Tandem 由源代码构建，无法检查更新。请改为更新源代码。</translation>
    </message>
    <message>
        <source>The update information is damaged or isn&apos;t signed by Tandem&apos;s publisher. Nothing was changed.</source>
        <translation>更新信息已损坏，或不是由 Tandem 发布者签名的。未做任何更改。</translation>
    </message>
    <message>
        <source>The update information has expired, so Tandem can&apos;t tell whether there is a newer version. Check the date of this Mac, and try again later.</source>
        <translation>更新信息已过期，因此 Tandem 无法判断是否有新版本。请检查本机的日期，稍后重试。</translation>
    </message>
    <message>
        <source>Tandem couldn&apos;t check for updates. Check the network and try again.</source>
        <translation>无法检查更新。请检查网络后重试。</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>无标题对话</translation>
    </message>
    <message>
        <source>The temporary chat is deleted in ten seconds.</source>
        <translation>临时对话将在 10 秒后删除。</translation>
    </message>
    <message>
        <source>“{title}” was archived.</source>
        <translation>“{title}”已归档。</translation>
    </message>
    <message>
        <source>This is a copy of the chat up to that answer.</source>
        <translation>这是截至该回答的对话副本。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) deleted.</source>
        <translation>
            <numerusform>已删除 %Ln 条消息。</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue on this Mac</source>
        <translation>仅用本机继续</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>The engine stopped twice with {model}, so the starter pair is loaded instead.</source>
        <translation>使用“{model}”时引擎停止了两次，因此改用入门模型。</translation>
    </message>
    <message>
        <source>“{title}” was moved to the trash.</source>
        <translation>“{title}”已移到废纸篓。</translation>
    </message>
</context>
<context>
    <name>PageButton</name>
    <message>
        <source>Open in the browser…</source>
        <translation>在浏览器中打开…</translation>
    </message>
    <message>
        <source>Open this page in the browser?</source>
        <translation>在浏览器中打开这个网页？</translation>
    </message>
    <message>
        <source>The model wrote it. In the browser, its scripts run and can use the network.</source>
        <translation>这个网页由模型编写。在浏览器中，网页的脚本会运行，也能访问网络。</translation>
    </message>
</context>
<context>
    <name>PaneHandle</name>
    <message>
        <source>Width of the chat list</source>
        <translation>对话列表宽度</translation>
    </message>
    <message>
        <source>Width of the live panel</source>
        <translation>实时面板宽度</translation>
    </message>
</context>
<context>
    <name>PermissionChooser</name>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>询问</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Different</source>
        <translation>各不相同</translation>
    </message>
</context>
<context>
    <name>Picker</name>
    <message>
        <source>GGUF file…</source>
        <translation>GGUF 文件…</translation>
    </message>
    <message>
        <source>Teach this draft…</source>
        <translation>训练此草稿模型…</translation>
    </message>
    <message>
        <source>No matching draft model is installed or in the catalog. Prompt lookup needs none.</source>
        <translation>本机和目录中都没有适合的草稿模型。提示词查找不需要草稿模型。</translation>
    </message>
    <message>
        <source>Choose a main model first.</source>
        <translation>请先选择主模型。</translation>
    </message>
    <message>
        <source>No matching models</source>
        <translation>没有匹配的模型</translation>
    </message>
    <message>
        <source>Scanning models…</source>
        <translation>正在扫描模型…</translation>
    </message>
    <message>
        <source>Choose a folder that contains models</source>
        <translation>选择存放模型的文件夹</translation>
    </message>
    <message>
        <source>Choose a GGUF file</source>
        <translation>选择 GGUF 文件</translation>
    </message>
    <message>
        <source>Choose a main model</source>
        <translation>选择主模型</translation>
    </message>
    <message>
        <source>Find more models…</source>
        <translation>查找更多模型…</translation>
    </message>
    <message>
        <source>Main models</source>
        <translation>主模型</translation>
    </message>
    <message>
        <source>Choose a draft for {name}</source>
        <translation>为“{name}”选择草稿</translation>
    </message>
    <message>
        <source>Choose a draft</source>
        <translation>选择草稿</translation>
    </message>
    <message>
        <source>Find more drafts for this model…</source>
        <translation>为此模型查找更多草稿…</translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Model folder…</source>
        <translation>模型文件夹…</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>更多…</translation>
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
        <translation>内存 {size}</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>multiple Macs</source>
        <translation>多台 Mac</translation>
    </message>
    <message>
        <source>Unload {name}: frees {size} ({keys})</source>
        <translation>将 {name} 移出内存：释放 {size}（{keys}）</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>内存紧张</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>已展开</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>试用</translation>
    </message>
</context>
<context>
    <name>PictureButton</name>
    <message>
        <source>Picture: {name}</source>
        <translation>图片：{name}</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>{name} · {width} × {height} pixels</source>
        <translation>{name} · {width} × {height} 像素</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>{name} can&apos;t see pictures on multiple Macs. Use it on one Mac, or remove them.</source>
        <translation>在多台 Mac 上运行时，{name} 无法查看图片。请在一台 Mac 上使用，或移除图片。</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures. Models that can: {models}.</source>
        <translation>{name} 无法查看图片。可以查看的模型：{models}。</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures. Choose a model that can, or remove the pictures.</source>
        <translation>{name} 无法查看图片。请选择可以查看图片的模型，或移除图片。</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures, so chats begin without those of the folder.</source>
        <translation>{name} 无法查看图片，因此对话开头不包含文件夹中的图片。</translation>
    </message>
    <message>
        <source>Pictures need more packages. Run: {command}</source>
        <translation>使用图片需要更多软件包。请运行：{command}</translation>
    </message>
    <message>
        <source>The picture is damaged ({detail}). Save or download it again.</source>
        <translation>图片已损坏（{detail}）。请重新保存或下载。</translation>
    </message>
    <message>
        <source>The picture is animated. Take a screenshot of what the model should see.</source>
        <translation>图片是动图。请截取要给模型看的画面。</translation>
    </message>
    <message>
        <source>The picture&apos;s file is larger than {detail} MB. Save a smaller copy.</source>
        <translation>图片文件大于 {detail} MB。请另存为较小的副本。</translation>
    </message>
    <message>
        <source>The picture has more than {detail} megapixels. Save a smaller copy.</source>
        <translation>图片超过 {detail} 百万像素。请另存为较小的副本。</translation>
    </message>
    <message>
        <source>The picture is too narrow: one side is over {detail} times the other. Cut out a part of it.</source>
        <translation>图片过于狭长：一边超过另一边的 {detail} 倍。请裁剪出一部分。</translation>
    </message>
    <message>
        <source>Reading the picture was stopped after {detail} seconds. Save it again in another format.</source>
        <translation>读取图片 {detail} 秒后已停止。请以其他格式重新保存。</translation>
    </message>
    <message>
        <source>Reading the pictures was stopped after {detail} seconds. Send fewer, or save them again in another format.</source>
        <translation>读取这些图片 {detail} 秒后已停止。请减少图片，或以其他格式重新保存。</translation>
    </message>
    <message>
        <source>Reading the picture takes too much memory. Save a smaller copy.</source>
        <translation>读取图片占用内存过多。请另存为较小的副本。</translation>
    </message>
    <message>
        <source>The picture can&apos;t be read. Save it again in another format.</source>
        <translation>无法读取图片。请以其他格式重新保存。</translation>
    </message>
    <message>
        <source>Tandem can&apos;t read this picture: its format is not supported, or its beginning is damaged. Save it as PNG or JPEG.</source>
        <translation>无法读取这张图片：格式不受支持，或文件开头已损坏。请另存为 PNG 或 JPEG。</translation>
    </message>
</context>
<context>
    <name>PlainReasons</name>
    <message>
        <source>Without speculation: drafting failed.</source>
        <translation>未使用推测：生成草稿时出错。</translation>
    </message>
    <message>
        <source>Without speculation: there was no usable proposal.</source>
        <translation>未使用推测：没有可用的草稿 token。</translation>
    </message>
    <message>
        <source>Without speculation: another answer was about to start.</source>
        <translation>未使用推测：当时另一个回答即将开始。</translation>
    </message>
    <message>
        <source>The first token always comes from the main model alone.</source>
        <translation>首个 token 始终由主模型单独生成。</translation>
    </message>
    <message>
        <source>Without speculation: it was turned off.</source>
        <translation>未使用推测：当时推测已关闭。</translation>
    </message>
    <message>
        <source>Without speculation: no draft model was loaded.</source>
        <translation>未使用推测：当时没有加载草稿模型。</translation>
    </message>
    <message>
        <source>Without speculation: the draft model was still loading.</source>
        <translation>未使用推测：当时草稿模型仍在加载。</translation>
    </message>
    <message>
        <source>Without speculation: the draft model cannot be used with this main model. {reason}</source>
        <translation>未使用推测：此草稿模型不能与这个主模型一起使用。{reason}</translation>
    </message>
    <message>
        <source>Without speculation: the draft model&apos;s context was full.</source>
        <translation>未使用推测：草稿模型的上下文已满。</translation>
    </message>
    <message>
        <source>Without speculation: earlier tokens had to be reprocessed first.</source>
        <translation>未使用推测：需要先重新处理前面的 token。</translation>
    </message>
    <message>
        <source>Without speculation: this model&apos;s cache ({kind}) cannot be rolled back.</source>
        <translation>未使用推测：这个模型的缓存（{kind}）无法回滚。</translation>
    </message>
    <message>
        <source>Without speculation: no matching text earlier in the chat.</source>
        <translation>未使用推测：对话的上文中没有匹配的文字。</translation>
    </message>
    <message>
        <source>Without speculation: the answer format left a choice everywhere.</source>
        <translation>未使用推测：回答格式没有确定过下一个 token。</translation>
    </message>
    <message>
        <source>Without speculation: plain decoding was faster.</source>
        <translation>未使用推测：普通解码更快。</translation>
    </message>
    <message>
        <source>Without speculation: plain decoding was still being measured.</source>
        <translation>未使用推测：当时正在测量普通解码的速度。</translation>
    </message>
    <message>
        <source>Without speculation: the draft model was still processing the chat.</source>
        <translation>未使用推测：草稿模型当时仍在处理对话。</translation>
    </message>
    <message>
        <source>Without speculation: answers ran one at a time because they cannot be batched ({kind}).</source>
        <translation>未使用推测：这些回答无法批量处理（{kind}），只能逐个进行。</translation>
    </message>
    <message>
        <source>Without speculation: the answer had almost reached its length limit.</source>
        <translation>未使用推测：回答已接近长度上限。</translation>
    </message>
    <message>
        <source>Without speculation: it could have changed the text by rounding.</source>
        <translation>未使用推测：当时舍入可能会改变文字。</translation>
    </message>
</context>
<context>
    <name>PositionLine</name>
    <message>
        <source>Draft token {position}: {rate} accepted ({accepted} of {reached})</source>
        <translation>第 {position} 个草稿 token：采用率 {rate}（{reached} 个中采用 {accepted} 个）</translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Chat settings: {name}</source>
        <translation>对话设置：{name}</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>创意</translation>
    </message>
    <message>
        <source>Concise</source>
        <translation>简洁</translation>
    </message>
</context>
<context>
    <name>Privacy</name>
    <message>
        <source>Runs on this Mac. Nothing you type leaves it.</source>
        <translation>在本机上运行。你输入的内容不会离开本机。</translation>
    </message>
    <message>
        <source>Runs on this Mac.</source>
        <translation>在本机上运行。</translation>
    </message>
    <message>
        <source>Tandem goes online only to search Hugging Face, download a model, check for updates or run the test above. Chats, settings and statistics never leave this Mac. No telemetry.</source>
        <translation>Tandem 仅在搜索 Hugging Face、下载模型、检查更新或运行上面的测试时联网。对话、设置和统计都不会离开本机，也不收集使用数据。</translation>
    </message>
    <message>
        <source>Tandem goes online to search Hugging Face, download a model, check for updates or run the test above, and for what you turned on.</source>
        <translation>Tandem 会在搜索 Hugging Face、下载模型、检查更新或运行上面的测试时，以及你打开的功能需要时联网。</translation>
    </message>
    <message>
        <source>Nothing else of your chats, settings and statistics leaves this Mac. No telemetry.</source>
        <translation>除此之外，对话、设置和统计都不会离开本机，也不收集使用数据。</translation>
    </message>
    <message>
        <source>Runs on multiple Macs, which receive the text of your chats.</source>
        <translation>在多台 Mac 上运行，对话文字会发送到其他 Mac。</translation>
    </message>
    <message>
        <source>{name} receives the text of your chats while it drafts ahead.</source>
        <translation>预先起草时，对话文字会发送到 {name}。</translation>
    </message>
    <message>
        <source>In chats with tools on, what the model sends to tool servers can leave this Mac.</source>
        <translation>在打开工具的对话中，模型发送给工具服务器的内容可能会离开本机。</translation>
    </message>
    <message>
        <source>In chats with tools on, sites see the addresses of the pages that the model reads, and {service} sees its searches.</source>
        <translation>在打开工具的对话中，网站会看到模型所读网页的地址，{service} 会看到其搜索词。</translation>
    </message>
    <message>
        <source>Other computers that have the key can use your models, but cannot read your chats.</source>
        <translation>拥有密钥的其他电脑可以使用你的模型，但无法读取你的对话。</translation>
    </message>
    <message>
        <source>Tools are on: what they are asked for can leave this Mac.</source>
        <translation>工具已打开：向工具请求的内容可能离开这台 Mac。</translation>
    </message>
</context>
<context>
    <name>PromptField</name>
    <message>
        <source>How the model should answer</source>
        <translation>希望模型如何回答</translation>
    </message>
    <message>
        <source>Today&apos;s date</source>
        <translation>今天的日期</translation>
    </message>
    <message>
        <source>Day of the week</source>
        <translation>星期</translation>
    </message>
    <message>
        <source>App language</source>
        <translation>应用语言</translation>
    </message>
    <message>
        <source>Main model</source>
        <translation>主模型</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Insert a variable</source>
        <translation>插入变量</translation>
    </message>
    <message>
        <source>Replaced when you send: {names}</source>
        <translation>发送时替换：{names}</translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message>
        <source>Empty Trash</source>
        <translation>清倒废纸篓</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>%Ln 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>无标题对话</translation>
    </message>
    <message>
        <source>Delete permanently?</source>
        <translation>要永久删除吗？</translation>
    </message>
</context>
<context>
    <name>QuestionBubble</name>
    <message>
        <source>Only the beginning of this very long text is shown. Copies and exports contain all of it.</source>
        <translation>文字很长，只显示开头部分。拷贝和导出包含全部内容。</translation>
    </message>
</context>
<context>
    <name>QuestionEditor</name>
    <message>
        <source>Edit the message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>QuestionForm</name>
    <message>
        <source>Decline</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>What the server asks</source>
        <translation>服务器的提问</translation>
    </message>
    <message>
        <source>Address of the page</source>
        <translation>网页地址</translation>
    </message>
    <message>
        <source>“{server}” asks you:</source>
        <translation>“{server}”问你：</translation>
    </message>
    <message>
        <source>“{server}” waits until you have finished on the page:</source>
        <translation>“{server}”正在等你在网页上完成操作：</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>The words are the server&apos;s. Continue sends the call again.</source>
        <translation>以上文字来自服务器。点按“继续”会再次发送调用。</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>打开页面</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>The words are the server&apos;s, and it gets what you enter. Enter no password.</source>
        <translation>以上文字来自服务器，你输入的内容会发送给它。请勿输入密码。</translation>
    </message>
    <message>
        <source>“{field}” is needed.</source>
        <translation>“{field}”为必填项。</translation>
    </message>
    <message>
        <source>“{field}” has to be a number.</source>
        <translation>“{field}”必须是数字。</translation>
    </message>
    <message>
        <source>“{field}” has to be a whole number.</source>
        <translation>“{field}”必须是整数。</translation>
    </message>
    <message>
        <source>“{field}” is too small or too large: {range}.</source>
        <translation>“{field}”过小或过大：{range}。</translation>
    </message>
    <message>
        <source>“{field}” is too short or too long: {range}.</source>
        <translation>“{field}”过短或过长：{range}。</translation>
    </message>
    <message>
        <source>Choose more or fewer of “{field}”: {range}.</source>
        <translation>请增加或减少“{field}”的选择：{range}。</translation>
    </message>
    <message>
        <source>“{field}” does not have the form that is needed ({form}).</source>
        <translation>“{field}”不符合所需的格式（{form}）。</translation>
    </message>
    <message>
        <source>The words are the server&apos;s. Open the page only if you know {host}.</source>
        <translation>以上文字来自服务器。仅在认识 {host} 时打开网页。</translation>
    </message>
    <message>
        <source>Its name contains letters that may look like others.</source>
        <translation>该网站名称含有容易与其他字母混淆的字符。</translation>
    </message>
</context>
<context>
    <name>QuickEntry</name>
    <message>
        <source>Quick entry</source>
        <translation>快速输入</translation>
    </message>
    <message>
        <source>Message for a new chat</source>
        <translation>新对话的消息</translation>
    </message>
    <message>
        <source>Message in this chat</source>
        <translation>在此对话中继续</translation>
    </message>
    <message>
        <source>Screenshot</source>
        <translation>截屏</translation>
    </message>
    <message>
        <source>Open in the main window</source>
        <translation>在主窗口中打开</translation>
    </message>
</context>
<context>
    <name>Relocation</name>
    <message>
        <source>Moved to {folder}. All files were verified; the old location links to the new one.</source>
        <translation>已移动到“{folder}”。所有文件均已校验，旧位置会链接到新位置。</translation>
    </message>
    <message>
        <source>Not moved: that folder is not empty.</source>
        <translation>未移动：该文件夹不为空。</translation>
    </message>
    <message>
        <source>Not moved: a folder cannot be moved into itself.</source>
        <translation>未移动：不能把文件夹移到它自己里面。</translation>
    </message>
    <message>
        <source>Not moved: {needed} needed, but only {free} free on that disk.</source>
        <translation>未移动：需要 {needed}，而该磁盘只剩 {free}。</translation>
    </message>
    <message>
        <source>Not moved: {file} failed verification. Check that disk.</source>
        <translation>未移动：“{file}”校验失败。请检查该磁盘。</translation>
    </message>
    <message>
        <source>Not moved: {detail}.</source>
        <translation>未移动：{detail}。</translation>
    </message>
    <message>
        <source>Stopped. Nothing was moved.</source>
        <translation>已停止，未移动任何内容。</translation>
    </message>
    <message>
        <source>Not moved: another copy of Tandem is running. Tandem will try again at the next launch.</source>
        <translation>未移动：另一个 Tandem 正在运行。下次启动时会再试一次。</translation>
    </message>
    <message>
        <source>There is nothing to move yet.</source>
        <translation>还没有可移动的内容。</translation>
    </message>
</context>
<context>
    <name>RemovalControls</name>
    <message>
        <source>This deletes all chats and their backups ({chats}), and settings and caches ({rest}), from this Mac. Export the chats first if you want to keep them.</source>
        <translation>这会从本机上删除所有对话及其备份（{chats}），以及设置和缓存（{rest}）。如需保留对话，请先导出。</translation>
    </message>
    <message>
        <source>This deletes your chats, backups, settings and caches, then quits Tandem. You can&apos;t undo this.</source>
        <translation>这将删除对话、备份、设置和缓存，然后退出 Tandem。此操作无法撤销。</translation>
    </message>
    <message>
        <source>Continue…</source>
        <translation>继续…</translation>
    </message>
    <message>
        <source>Delete and quit</source>
        <translation>删除并退出</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Delete everything…</source>
        <translation>全部删除…</translation>
    </message>
</context>
<context>
    <name>Rounding</name>
    <message>
        <source>How this Mac rounds with {main} is measured while Tandem is idle.</source>
        <translation>Tandem 会在空闲时测量本机使用“{main}”时的舍入情况。</translation>
    </message>
    <message>
        <source>Verifying 3 draft tokens costs as much as {ours} plain tokens with Tandem&apos;s kernels, and {mlx} with MLX&apos;s.</source>
        <translation>验证 3 个草稿 token 的耗时，用 Tandem 的内核相当于 {ours} 个普通 token，用 MLX 的内核相当于 {mlx} 个。</translation>
    </message>
    <message>
        <source>Verifying 3 draft tokens costs as much as {mlx} plain tokens.</source>
        <translation>验证 3 个草稿 token 的耗时相当于 {mlx} 个普通 token。</translation>
    </message>
    <message>
        <source>This is true up to {keys} tokens of context. Beyond that, there may be fewer draft tokens.</source>
        <translation>这适用于不超过 {keys} 个 token 的上下文；超出后草稿 token 可能会减少。</translation>
    </message>
    <message>
        <source>It does not slow answers down.</source>
        <translation>不会让回答变慢。</translation>
    </message>
    <message>
        <source>The same text as without drafts.</source>
        <translation>与不用草稿时的文字相同。</translation>
    </message>
    <message>
        <source>Up to there, answers are written without draft tokens.</source>
        <translation>在此之前，不用草稿 token 生成回答。</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length on this Mac, so answers are written without draft tokens.</source>
        <translation>使用“{main}”时，本机上没有舍入一致的草稿 token 数，因此不用草稿 token 生成回答。</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length up to {keys} tokens of context on this Mac.</source>
        <translation>使用“{main}”且上下文不超过 {keys} 个 token 时，本机上没有舍入一致的草稿 token 数。</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length on this Mac.</source>
        <translation>使用“{main}”时，本机上没有舍入一致的草稿 token 数。</translation>
    </message>
    <message>
        <source>This is true up to {keys} tokens of context.</source>
        <translation>这适用于不超过 {keys} 个 token 的上下文。</translation>
    </message>
    <message>
        <source>With {main}, rounding is the same at every draft length on this Mac.</source>
        <translation>使用“{main}”时，无论草稿 token 数是多少，本机上的舍入都一致。</translation>
    </message>
    <message>
        <source>With {main}, rounding stays the same up to {most} draft tokens per round on this Mac.</source>
        <translation>使用“{main}”时，本机上每轮草稿 token 不超过 {most} 个时舍入一致。</translation>
    </message>
    <message>
        <source>Tandem&apos;s kernels have stalled on this Mac. When that happens, MLX&apos;s kernels are used until you quit Tandem.</source>
        <translation>Tandem 的内核曾在本机上停滞。发生这种情况后，会改用 MLX 的内核，直到退出 Tandem。</translation>
    </message>
    <message>
        <source>It slows answers down by about {share}% (estimate).</source>
        <translation>会让回答变慢约 {share}%（估算）。</translation>
    </message>
    <message>
        <source>Some of Tandem&apos;s kernels cannot run on this Mac, so MLX&apos;s kernels are used in their place.</source>
        <translation>Tandem 的部分内核无法在本机上运行，因此改用 MLX 的内核。</translation>
    </message>
    <message>
        <source>A test of Tandem&apos;s kernels failed or did not finish on this Mac, so MLX&apos;s kernels are used in their place.</source>
        <translation>Tandem 内核的测试在本机上失败或未能完成，因此改用 MLX 的内核。</translation>
    </message>
</context>
<context>
    <name>SampleRound</name>
    <message>
        <source>The main model checks all of them in a single pass.</source>
        <translation>主模型只需一次计算就能全部检查。</translation>
    </message>
    <message>
        <source>A small draft model quickly proposes the next tokens.</source>
        <translation>小型草稿模型快速给出后续 token。</translation>
    </message>
    <message>
        <source>Tandem copies what followed the same words earlier.</source>
        <translation>Tandem 直接采用先前相同文字之后的内容。</translation>
    </message>
    <message>
        <source>It keeps every token it would have written itself, then adds one.</source>
        <translation>它保留自己也会写出的所有 token，再添加一个。</translation>
    </message>
    <message>
        <source>Water</source>
        <comment>the sample: the text so far</comment>
        <translation>水在</translation>
    </message>
    <message>
        <source>boils|at|100|°F|or</source>
        <comment>the sample: five draft tokens</comment>
        <translation>100|摄氏|度时|结冰|。</translation>
    </message>
    <message>
        <source>°C</source>
        <comment>the sample: the main model&apos;s token in place of the fourth</comment>
        <translation>沸腾</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) in one round instead of one, and the text is the main model&apos;s own.</source>
        <translation>
            <numerusform>一轮得到 %Ln 个 token，而不是 1 个，文字仍由主模型决定。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear the text</source>
        <translation>清除输入的文字</translation>
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
        <translation>“{text}”</translation>
    </message>
</context>
<context>
    <name>ServerCard</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Command, or address that starts with https://</source>
        <translation>命令，或以 https:// 开头的地址</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>添加服务器</translation>
    </message>
    <message>
        <source>Edit the server</source>
        <translation>编辑服务器</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Choose the folder that the server may use.</source>
        <translation>请选择服务器可以使用的文件夹。</translation>
    </message>
    <message>
        <source>Enter a value for {name}.</source>
        <translation>请输入 {name} 的值。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Choose a folder for this server</source>
        <translation>为此服务器选择文件夹</translation>
    </message>
    <message>
        <source>Name of the value</source>
        <translation>值的名称</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>A quotation mark in the command is not closed.</source>
        <translation>命令中的引号没有闭合。</translation>
    </message>
    <message>
        <source>There is already a server named “{name}”.</source>
        <translation>已经有名为“{name}”的服务器。</translation>
    </message>
    <message>
        <source>Name, command and environment variables</source>
        <translation>名称、命令和环境变量</translation>
    </message>
    <message>
        <source>Runs {command}</source>
        <translation>运行 {command}</translation>
    </message>
    <message>
        <source>Add a header</source>
        <translation>添加标头</translation>
    </message>
    <message>
        <source>Add an environment variable</source>
        <translation>添加环境变量</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>A command that runs on this Mac, or the address of a server. Environment variables and headers are stored only in the system keychain, except variables that decide what runs.</source>
        <translation>在这台 Mac 上运行的命令，或服务器的地址。环境变量和标头只存储在系统钥匙串中，决定运行内容的变量除外。</translation>
    </message>
</context>
<context>
    <name>ServerDetails</name>
    <message>
        <source>What the server tells the model</source>
        <translation>服务器给模型的说明</translation>
    </message>
    <message>
        <source>Standard error of the server</source>
        <translation>服务器的标准错误输出</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Only read, as the server says</source>
        <translation>只读取（据服务器所述）</translation>
    </message>
    <message>
        <source>Can change something</source>
        <translation>可能更改内容</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Allow and test</source>
        <translation>允许并测试</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>登录…</translation>
    </message>
    <message>
        <source>Sign out</source>
        <translation>退出登录</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ServerLine</name>
    <message>
        <source>Details…</source>
        <translation>详细信息…</translation>
    </message>
    <message>
        <source>Standard error of the server</source>
        <translation>服务器的标准错误输出</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Allow and test</source>
        <translation>允许并测试</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>登录…</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Changing</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Folder: {names}</source>
        <translation>文件夹：{names}</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>其他文件夹…</translation>
    </message>
    <message>
        <source>A further folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Without {folder}</source>
        <translation>不含 {folder}</translation>
    </message>
    <message>
        <source>Choose a folder for this server</source>
        <translation>为此服务器选择文件夹</translation>
    </message>
</context>
<context>
    <name>ServerView</name>
    <message>
        <source>Waiting for you to sign in in the browser…</source>
        <translation>正在等待你在浏览器中登录…</translation>
    </message>
    <message>
        <source>Not offered, because they can only run as tasks, which Tandem does not support: {names}.</source>
        <translation>以下工具只能以 MCP 任务方式运行，而 Tandem 不支持这种方式，因此不提供：{names}。</translation>
    </message>
    <message>
        <source>Enter these before it can run: {names}.</source>
        <translation>运行前请先填写：{names}。</translation>
    </message>
    <message>
        <source>Not allowed to run yet.</source>
        <translation>尚未允许运行。</translation>
    </message>
    <message>
        <source>Downloading {package}…</source>
        <translation>正在下载 {package}…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Running. It offers no tools.</source>
        <translation>正在运行。它没有提供工具。</translation>
    </message>
    <message>
        <source>Running. All its tools are off.</source>
        <translation>正在运行。它的工具已全部关闭。</translation>
    </message>
    <message>
        <source>Off: {names}.</source>
        <translation>已关闭：{names}。</translation>
    </message>
    <message>
        <source>It runs with your rights on this Mac and can read and change your files. Allow it only if you trust where it comes from.</source>
        <translation>它会以你的权限在本机上运行，可以读取和更改你的文件。请只在信任其来源时允许。</translation>
    </message>
    <message>
        <source>What the model sends to it leaves this Mac. Allow it only if you trust this address.</source>
        <translation>模型发送给它的内容会离开本机。请只在信任此地址时允许。</translation>
    </message>
    <message>
        <source>Turned off.</source>
        <translation>已关闭。</translation>
    </message>
    <message>
        <source>Unusable tools ({count}): {names}.</source>
        <translation>无法使用的工具（{count}）：{names}。</translation>
    </message>
    <message>
        <source>Starts when a chat needs it.</source>
        <translation>在对话需要时启动。</translation>
    </message>
    <message>
        <source>Program: not found on this Mac</source>
        <translation>程序：本机上没有</translation>
    </message>
    <message>
        <source>The server tells the model: {text}</source>
        <translation>服务器给模型的说明：{text}</translation>
    </message>
    <message>
        <source>Program: {path}</source>
        <translation>程序：{path}</translation>
    </message>
    <message>
        <source>{variable} (loads code into the program)</source>
        <translation>{variable}（会向程序中加载代码）</translation>
    </message>
    <message>
        <source>{variable} (decides which program runs)</source>
        <translation>{variable}（决定运行哪个程序）</translation>
    </message>
</context>
<context>
    <name>SessionLog</name>
    <message>
        <source>Log of this session</source>
        <translation>本次运行的日志</translation>
    </message>
    <message>
        <source>Copy log</source>
        <translation>拷贝日志</translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>日志为空。</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>Reset {name}</source>
        <translation>重置 {name}</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Prompt lookup (n-gram)</source>
        <translation>提示词查找（n-gram）</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
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
        <translation>最高</translation>
    </message>
    <message>
        <source>Full precision</source>
        <translation>完整精度</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8 位</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4 位</translation>
    </message>
    <message>
        <source>Same distribution</source>
        <translation>分布一致</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>App language. Models usually answer in the language you write in.</source>
        <translation>应用的语言。模型通常会用你提问的语言回答。</translation>
    </message>
    <message>
        <source>Match system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Light, dark, or match the system.</source>
        <translation>浅色、深色，或与系统一致。</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Dark mode</source>
        <translation>深色模式</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Applies to the whole app.</source>
        <translation>对整个应用生效。</translation>
    </message>
    <message>
        <source>Small</source>
        <translation>小</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>标准</translation>
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
        <translation>字体大小</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>发送消息的按键</translation>
    </message>
    <message>
        <source>Shift+Enter always starts a new line.</source>
        <translation>Shift+Enter 始终换行。</translation>
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
        <translation>回答完成时通知</translation>
    </message>
    <message>
        <source>Faster answers</source>
        <translation>回答加速</translation>
    </message>
    <message>
        <source>Automatic uses what is fastest on this Mac: the draft model, prompt lookup, or neither.</source>
        <translation>“自动”会选用在本机上最快的方式：草稿模型、提示词查找，或两者都不用。</translation>
    </message>
    <message>
        <source>Draft source</source>
        <translation>草稿来源</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>Draft ahead</source>
        <translation>预先起草</translation>
    </message>
    <message>
        <source>Drafts the next round while a large main model checks. On this Mac&apos;s processor it rarely gains, and needs memory for a second copy; another Mac with the model can.</source>
        <translation>在大的主模型检查时起草下一轮。用本机的处理器很少会变快，还需要能再放下一份草稿模型的内存；用另一台有该模型的 Mac 则有可能变快。</translation>
    </message>
    <message>
        <source>On this Mac&apos;s processor</source>
        <translation>用本机的处理器</translation>
    </message>
    <message>
        <source>Draft tokens per round</source>
        <translation>每轮草稿 token 数</translation>
    </message>
    <message>
        <source>Acceptance rule</source>
        <translation>采用规则</translation>
    </message>
    <message>
        <source>Verifying several tokens at once can change rounding. With this on, Tandem uses only draft lengths with the same rounding, and computes one answer at a time.</source>
        <translation>一次验证多个 token 时，舍入可能不同。打开后，Tandem 只使用舍入一致的草稿 token 数，并且一次只计算一个回答。</translation>
    </message>
    <message>
        <source>Reuse wording from your chats</source>
        <translation>复用其他对话的措辞</translation>
    </message>
    <message>
        <source>Proposes tokens from answers in your other chats, which speeds up repeated work. The index stays on this Mac and loses a chat that you permanently delete.</source>
        <translation>从其他对话的回答中提取草稿 token，让重复性的工作更快。索引只保存在本机；永久删除对话后，也会从索引中移除。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always picks the most likely token. Higher values add variety and mistakes.</source>
        <translation>0 始终取概率最高的 token。数值越大，变化越多，错误也越多。</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Samples only from the most likely tokens that add up to this probability. 1 turns it off.</source>
        <translation>只从概率最高、合计达到此值的 token 中采样。1 表示关闭。</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Samples only from this many of the most likely tokens.</source>
        <translation>只从概率最高的若干 token 中采样，此值为 token 的个数。</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Drops tokens below this fraction of the top probability. 0 turns it off.</source>
        <translation>去掉概率不到最高概率这一比例的 token。0 表示关闭。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Above 1, tokens that were just used become less likely.</source>
        <translation>大于 1 时，刚用过的 token 更不易出现。</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>回答最大长度</translation>
    </message>
    <message>
        <source>In tokens. A token is about three quarters of an English word.</source>
        <translation>以 token 计。中文大约一个字一个 token。</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>最大 token 数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed reproduces the same text. Only matters above temperature 0.</source>
        <translation>种子相同即可重现相同的文字。仅在温度高于 0 时有意义。</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Models that can think do so before they answer. Other models ignore it.</source>
        <translation>让能思考的模型先思考再回答。对其他模型没有影响。</translation>
    </message>
    <message>
        <source>Thinking limit</source>
        <translation>思考上限</translation>
    </message>
    <message>
        <source>In tokens. At this limit the model has to end its thoughts, and the answer follows.</source>
        <translation>以 token 计。达到上限时，模型结束思考，开始回答。</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Stop and notify me</source>
        <translation>停止并提示</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>The model&apos;s working memory of a chat. Fewer bits use less memory; answers can change slightly. Applies the next time a model is loaded.</source>
        <translation>模型处理对话时的工作内存。位数越少，占用的内存越少，回答可能略有变化。下次加载模型时生效。</translation>
    </message>
    <message>
        <source>The address of a mirror of Hugging Face. Leave empty to use Hugging Face directly.</source>
        <translation>Hugging Face 镜像的地址。留空则直接使用 Hugging Face。</translation>
    </message>
    <message>
        <source>Reopens long chats instantly and takes up to 4 GB. Removed when the chat is permanently deleted.</source>
        <translation>可立即重新打开长对话，最多占用 4 GB。永久删除对话时会一并删除。</translation>
    </message>
    <message>
        <source>Run a local API server</source>
        <translation>运行本地 API 服务器</translation>
    </message>
    <message>
        <source>Editors, agents and scripts on this Mac can ask the loaded models, with the same speculation. Chats are never shared.</source>
        <translation>本机上的编辑器、智能体和脚本可以向已加载的模型提问，推测同样生效。对话绝不会共享。</translation>
    </message>
    <message>
        <source>Allowed web origins</source>
        <translation>允许的网页来源</translation>
    </message>
    <message>
        <source>Loads models beyond the limit. This Mac may become very slow, and the system may quit Tandem.</source>
        <translation>超出上限也会加载模型。本机可能变得很慢，系统也可能强制退出 Tandem。</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>模型默认</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>上下文已满时</translation>
    </message>
    <message>
        <source>Stop with a message, or drop the oldest messages. The system prompt and recent messages stay; the chat itself is not changed.</source>
        <translation>停止并提示，或丢弃最早的消息。系统提示词和最近的消息会保留，对话本身不变。</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>丢弃最早的消息</translation>
    </message>
    <message>
        <source>Work offline</source>
        <translation>离线工作</translation>
    </message>
    <message>
        <source>Check for updates once a day</source>
        <translation>每天检查一次更新</translation>
    </message>
    <message>
        <source>Reads which version of Tandem is the newest. Nothing about you or your chats is sent.</source>
        <translation>只查询 Tandem 的最新版本，不会发送任何关于你或对话的信息。</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>The address of a proxy, such as http://proxy:8080. Leave empty for no proxy.</source>
        <translation>代理的地址，例如 http://proxy:8080。留空则不使用。</translation>
    </message>
    <message>
        <source>Keep prompt cache on disk</source>
        <translation>在磁盘上保留提示词缓存</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Change it if another program uses this one.</source>
        <translation>如果其他程序正在使用此端口，请更改。</translation>
    </message>
    <message>
        <source>Let other computers connect</source>
        <translation>允许其他电脑连接</translation>
    </message>
    <message>
        <source>Their addresses, such as http://localhost:3000, separated by spaces. Leave empty for none.</source>
        <translation>填写地址，例如 http://localhost:3000，以空格分隔。留空则不允许任何网页连接。</translation>
    </message>
    <message>
        <source>Other Macs</source>
        <translation>其他 Mac</translation>
    </message>
    <message>
        <source>Names or addresses, separated by commas, such as mac-studio.local. This Mac has to reach them over SSH with a key, and Tandem has to be installed there.</source>
        <translation>名称或地址，用逗号分隔，例如 mac-studio.local。本机要能用 SSH 密钥连接它们，它们也要安装 Tandem。</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>空闲多久后将模型移出内存</translation>
    </message>
    <message>
        <source>In minutes. Frees their memory; they reload with your next question.</source>
        <translation>以分钟计。内存会被释放，下一个问题会重新加载模型。</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Memory for models and chats</source>
        <translation>模型和对话可用的内存</translation>
    </message>
    <message>
        <source>In GB. Models that do not fit are not loaded.</source>
        <translation>以 GB 为单位。放不下的模型不会加载。</translation>
    </message>
    <message>
        <source>Allow exceeding the memory limit</source>
        <translation>允许超出内存上限</translation>
    </message>
    <message>
        <source>General</source>
        <translation>通用</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Request history</source>
        <translation>请求历史</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>Privacy and network</source>
        <translation>隐私与网络</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>Multiple Macs</source>
        <translation>多台 Mac</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>设置页面</translation>
    </message>
    <message>
        <source>Developer</source>
        <translation>开发者</translation>
    </message>
    <message>
        <source>No matching settings</source>
        <translation>没有匹配的设置</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search in the settings</source>
        <translation>在设置中搜索</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Same text</source>
        <translation>文字相同</translation>
    </message>
    <message>
        <source>“Same text”: a seed always gives the same text, up to rounding. “Same distribution”: speculation may change the text, but not its probabilities.</source>
        <translation>“文字相同”：种子相同时，除舍入误差外，文字始终相同。“分布一致”：推测可能改变文字，但不改变其概率。</translation>
    </message>
    <message>
        <source>For long answers, and tools that wait for your permission, while another app is in front. Notifications contain no chat text.</source>
        <translation>使用其他应用时，较长的回答完成后或有工具等待你的允许时会通知你。通知不包含对话内容。</translation>
    </message>
    <message>
        <source>Opens a small window over all apps, which answers in place. Another app with the same keys may respond too. Press ⌫ for none.</source>
        <translation>在所有应用前面打开一个就地回答的小窗口。使用相同快捷键的其他应用可能也会响应。按 ⌫ 可清除快捷键。</translation>
    </message>
    <message>
        <source>On {name}</source>
        <translation>用 {name}</translation>
    </message>
    <message>
        <source>Automatic adapts to the speed measured on this Mac. A fixed number can slow answers down.</source>
        <translation>“自动”会根据在本机上测得的速度调整。固定数目可能会让回答变慢。</translation>
    </message>
    <message>
        <source>Always the same text with and without speculation</source>
        <translation>无论是否推测，文字始终相同</translation>
    </message>
    <message>
        <source>Anyone on your network who has the key can use your models and this Mac&apos;s power, and everything is sent unencrypted. Turn it on only on a network you trust.</source>
        <translation>网络中任何持有密钥的人都可以使用本机的模型和算力，而且所有内容都以未加密方式传输。请只在可信的网络中打开。</translation>
    </message>
    <message>
        <source>Changes take effect with the next answer.</source>
        <translation>更改从下一个回答起生效。</translation>
    </message>
    <message>
        <source>Tandem does not connect to Hugging Face or look for updates, so downloads wait. Chats, installed models, tools and other computers that you chose keep working.</source>
        <translation>Tandem 不会连接 Hugging Face，也不会检查更新，下载会等待。对话、已安装的模型、你打开的工具和选择的其他电脑照常可用。</translation>
    </message>
    <message>
        <source>Show Tandem in the menu bar</source>
        <translation>在菜单栏中显示 Tandem</translation>
    </message>
    <message>
        <source>Its menu shows what is loaded and the speed of the newest answer, unloads the models, and quits Tandem.</source>
        <translation>菜单会显示已加载的模型和最新回答的速度，还可将模型移出内存或退出 Tandem。</translation>
    </message>
    <message>
        <source>Shortcut for the quick entry</source>
        <translation>快速输入的快捷键</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>SideBySide</name>
    <message>
        <source>Use this one</source>
        <translation>使用这个</translation>
    </message>
    <message>
        <source>Other version</source>
        <translation>其他版本</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排显示</translation>
    </message>
    <message>
        <source>The text is the same.</source>
        <translation>文字相同。</translation>
    </message>
    <message>
        <source>The first difference is marked.</source>
        <translation>已标出第一处不同。</translation>
    </message>
</context>
<context>
    <name>SiteRow</name>
    <message>
        <source>Ask again</source>
        <translation>重新询问</translation>
    </message>
    <message>
        <source>Always allowed.</source>
        <translation>始终允许。</translation>
    </message>
</context>
<context>
    <name>Speculation</name>
    <message>
        <source>The draft model is loading. You can already ask questions.</source>
        <translation>正在加载草稿模型，现在就可以提问。</translation>
    </message>
    <message>
        <source>The models are loading.</source>
        <translation>正在加载模型。</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>没有加载主模型。</translation>
    </message>
    <message>
        <source>{name} was unloaded. The next question loads it again.</source>
        <translation>“{name}”已移出内存。下次提问时会重新加载。</translation>
    </message>
    <message>
        <source>Speculation is off.</source>
        <translation>推测已关闭。</translation>
    </message>
    <message>
        <source>No draft model is loaded.</source>
        <translation>没有加载草稿模型。</translation>
    </message>
    <message>
        <source>Ask something to see how much speculation speeds up the answer.</source>
        <translation>提个问题，看看推测能让回答快多少。</translation>
    </message>
    <message>
        <source>Speculation: {sources}, no draft model</source>
        <translation>推测：{sources}，无草稿模型</translation>
    </message>
    <message>
        <source>Speculation: {sources}</source>
        <translation>推测：{sources}</translation>
    </message>
    <message>
        <source>Speculation: auto</source>
        <translation>推测：自动</translation>
    </message>
    <message>
        <source>Speculation: on</source>
        <translation>推测：开</translation>
    </message>
    <message>
        <source>Waiting for the first token</source>
        <translation>正在等待首个 token</translation>
    </message>
    <message>
        <source>Imported · no measurements</source>
        <translation>已导入 · 没有测量数据</translation>
    </message>
    <message>
        <source>Stopped before the first token</source>
        <translation>在首个 token 之前停止</translation>
    </message>
    <message>
        <source>No measurements</source>
        <translation>没有测量数据</translation>
    </message>
    <message>
        <source>No draft token accepted</source>
        <translation>未采用任何草稿 token</translation>
    </message>
    <message>
        <source>Waiting for you to allow a tool</source>
        <translation>正在等待你允许使用工具</translation>
    </message>
    <message>
        <source>A tool is running</source>
        <translation>工具正在运行</translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>Measure again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>Updated as you chat and used to choose the draft length.</source>
        <translation>会在对话中持续更新，用来决定草稿 token 数。</translation>
    </message>
    <message>
        <source>No measurements yet. Load models and chat.</source>
        <translation>还没有测量数据。请加载模型并对话。</translation>
    </message>
    <message>
        <source>Measured on this Mac</source>
        <translation>本机测得的数据</translation>
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
        <translation>如何提速</translation>
    </message>
    <message>
        <source>This answer</source>
        <translation>本次回答</translation>
    </message>
    <message>
        <source>Answer {number} of {count}</source>
        <translation>第 {number} 个回答，共 {count} 个</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>No round data: this answer was saved by an older version of Tandem.</source>
        <translation>没有各轮数据：本次回答由旧版 Tandem 保存。</translation>
    </message>
    <message>
        <source>How many tokens a round adds to the answer: the accepted ones and one of the main model&apos;s own.</source>
        <translation>每轮为回答增加的 token 数：被采用的 token，加上主模型自己的一个。</translation>
    </message>
    <message>
        <source>How much of the prompt had been read before: earlier turns, or the files of the chat&apos;s folder.</source>
        <translation>提示词中此前已读取的部分：之前的问答，或对话所在文件夹的文件。</translation>
    </message>
    <message>
        <source>How often the first, the second and each further draft token of a round is accepted.</source>
        <translation>一轮中第一个、第二个及之后每个草稿 token 被采用的比例。</translation>
    </message>
    <message>
        <source>How the decoding time splits into drafting, verification by the main model and everything else.</source>
        <translation>解码时间中，生成草稿、主模型验证和其他开销各占的比例。</translation>
    </message>
    <message>
        <source>The time until the first token appears, most of which goes into processing the prompt.</source>
        <translation>到首个 token 出现为止的时间，大部分用于处理提示词。</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>A column for each round, from the bottom up: accepted draft tokens, the main model&apos;s own token, rejected draft tokens.</source>
        <translation>每列是一轮，自下而上：被采用的草稿 token、主模型自己的 token、未采用的草稿 token。</translation>
    </message>
    <message>
        <source>How much longer the answer would have taken without speculation.</source>
        <translation>不使用推测时，回答会多花的时间。</translation>
    </message>
    <message>
        <source>Acceptance by position</source>
        <translation>各位置的采用率</translation>
    </message>
    <message>
        <source>Where time went</source>
        <translation>耗时构成</translation>
    </message>
    <message>
        <source>Drafts</source>
        <comment>the name of the switch Auto, On, Off</comment>
        <translation>草稿</translation>
    </message>
    <message>
        <source>How fast these models are with drafts, compared with the main model alone, as measured on this Mac. Until that is known, how many draft tokens the main model accepted.</source>
        <translation>在本机上测得的速度：这些模型使用草稿时与只用主模型时相比有多快。尚未测得时，显示主模型采用了多少个草稿 token。</translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>The limit of %Ln token(s) ended its thoughts.</source>
        <translation>
            <numerusform>达到 %Ln 个 token 的上限，思考就此结束。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Drafting %Ln token(s) per round.</source>
        <translation>
            <numerusform>每轮生成 %Ln 个草稿 token。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) copied from earlier</source>
        <translation>
            <numerusform>从前文拷贝了 %Ln 个 token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) came from drafts</source>
        <translation>
            <numerusform>%Ln 个 token 来自草稿</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StarterLine</name>
    <message>
        <source>A tiny model that came with Tandem.</source>
        <translation>这是 Tandem 自带的微型模型。</translation>
    </message>
    <message>
        <source>Choose a larger one.</source>
        <translation>选择更大的模型</translation>
    </message>
    <message>
        <source>From Tandem&apos;s help: {question}</source>
        <translation>来自 Tandem 帮助：{question}</translation>
    </message>
    <message>
        <source>Take me there.</source>
        <translation>打开相应位置</translation>
    </message>
    <message>
        <source>Did you mean:</source>
        <translation>你是不是想问：</translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>Choose where to move it</source>
        <translation>选择要移动到的位置</translation>
    </message>
    <message>
        <source>The chats will move to {folder} the next time Tandem starts.</source>
        <translation>下次启动 Tandem 时，对话会移动到“{folder}”。</translation>
    </message>
    <message>
        <source>Models are being downloaded. Move them when that is finished.</source>
        <translation>正在下载模型。请等下载完成后再移动。</translation>
    </message>
    <message>
        <source>Copying and verifying: {done} of {total}.</source>
        <translation>正在拷贝并校验：{done} / {total}。</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Includes the download list.</source>
        <translation>包含下载列表。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The Hugging Face cache, shared with other apps.</source>
        <translation>Hugging Face 缓存，与其他应用共用。</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Temporary files that Tandem can recreate.</source>
        <translation>Tandem 可以重新生成的临时文件。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Your preferences.</source>
        <translation>你的偏好设置。</translation>
    </message>
    <message>
        <source>Before you uninstall Tandem: deletes what it keeps, also in the keychain. Downloaded models stay, because other apps may use them.</source>
        <translation>卸载 Tandem 前，删除它保存的数据，包括钥匙串中的项目。已下载的模型会保留，因为其他应用可能会用到。</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>at least {size}, parts cannot be read</source>
        <translation>至少 {size}，部分内容无法读取</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show in Finder: {name}</source>
        <translation>在访达中显示：{name}</translation>
    </message>
    <message>
        <source>Move the folder: {name}</source>
        <translation>移动文件夹：{name}</translation>
    </message>
    <message>
        <source>Move…</source>
        <translation>移动…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Clear the caches</source>
        <translation>清除缓存</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>All data</source>
        <translation>全部数据</translation>
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
        <translation>磁盘已满，无法保存对话。请腾出空间。</translation>
    </message>
    <message>
        <source>The chats cannot be changed: the disk or the file does not allow writing.</source>
        <translation>无法更改对话：磁盘或文件不允许写入。</translation>
    </message>
    <message>
        <source>The disk is not responding correctly, so this chat can&apos;t be saved.</source>
        <translation>磁盘没有正常响应，无法保存此对话。</translation>
    </message>
    <message>
        <source>The chat database is damaged. Quit and reopen Tandem to repair it.</source>
        <translation>对话数据库已损坏。请退出 Tandem 并重新打开，以便修复。</translation>
    </message>
    <message>
        <source>The deleted chats may still be in files that can&apos;t be read or changed: {files}.</source>
        <translation>已删除的对话可能仍在无法读取或更改的文件中：{files}。</translation>
    </message>
    <message>
        <source>Not deleted: {titles}. The chat database is damaged. Quit and reopen Tandem to repair it.</source>
        <translation>未能删除：{titles}。对话数据库已损坏。请退出 Tandem 并重新打开，以便修复。</translation>
    </message>
    <message>
        <source>Your chats could not be saved or read: {detail}. Try again, or quit and reopen Tandem.</source>
        <translation>对话未能保存或读取：{detail}。请重试，或退出 Tandem 并重新打开。</translation>
    </message>
    <message>
        <source>Tandem is already running.</source>
        <translation>Tandem 已在运行。</translation>
    </message>
    <message>
        <source>Your chats were saved by a newer version of Tandem. Update Tandem.</source>
        <translation>你的对话由较新版本的 Tandem 保存。请更新 Tandem。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because the disk is full. Free up space and try again.</source>
        <translation>磁盘已满，无法打开你的对话。请腾出空间后重试。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because their disk or folder does not allow it.</source>
        <translation>磁盘或文件夹不允许访问，无法打开你的对话。</translation>
    </message>
    <message>
        <source>Your chats cannot be opened: {detail}.</source>
        <translation>无法打开你的对话：{detail}。</translation>
    </message>
    <message>
        <source>The chat database was damaged. What could be recovered is in the chat list; the damaged file was kept as {name}.</source>
        <translation>对话数据库已损坏。能恢复的内容都在对话列表中；损坏的文件保留为“{name}”。</translation>
    </message>
</context>
<context>
    <name>Teaching</name>
    <message>
        <source>Testing the draft on chats that it has not seen…</source>
        <translation>正在用未学习过的对话测试…</translation>
    </message>
    <message>
        <source>Reading your chats: {share}</source>
        <translation>正在读取对话：{share}</translation>
    </message>
    <message>
        <source>Step {step} of {steps}, {left} left</source>
        <translation>第 {step} 步，共 {steps} 步，剩余 {left}</translation>
    </message>
    <message>
        <source>This did not make the draft better ({after} instead of {before} right), so it goes on as before.</source>
        <translation>训练没有带来改进（正确率从 {before} 变为 {after}），因此继续使用原来的版本。</translation>
    </message>
    <message>
        <source>Your draft now gets {after} instead of {before} right.</source>
        <translation>草稿 token 的正确率从 {before} 变为 {after}。</translation>
    </message>
    <message>
        <source>Choose a draft model or a head first: there is none to teach.</source>
        <translation>还没有可以训练的草稿模型或草稿头。请先选择一个。</translation>
    </message>
    <message>
        <source>This draft model has another tokenizer than the main model, so it cannot be taught. Choose one of the main model&apos;s family.</source>
        <translation>这个草稿模型与主模型的分词器不同，因此无法训练。请选择与主模型同系列的模型。</translation>
    </message>
    <message>
        <source>A draft cannot be taught while the main model runs on multiple Macs. Continue on this Mac alone.</source>
        <translation>主模型在多台 Mac 上运行时无法训练。请仅用本机继续。</translation>
    </message>
    <message>
        <source>Teaching takes {detail} GB more memory than models can use. Use smaller models.</source>
        <translation>训练所需的内存比模型可用的多 {detail} GB。请使用更小的模型。</translation>
    </message>
    <message>
        <source>A draft can only be taught if Tandem can save it to disk.</source>
        <translation>只有允许 Tandem 保存到磁盘时才能训练。</translation>
    </message>
    <message>
        <source>The files of the main model or the draft have changed since they were loaded. Load both again, then teach.</source>
        <translation>主模型或草稿模型的文件在加载后已更改。请重新加载两者，然后再训练。</translation>
    </message>
    <message>
        <source>The files of the taught draft are damaged, so it is used as it was downloaded. Teach it again.</source>
        <translation>训练结果的文件已损坏，因此改用下载的原始版本。请重新训练。</translation>
    </message>
    <message>
        <source>Tandem cannot teach draft models or heads of this kind yet. Choose another one.</source>
        <translation>目前还不能训练这种草稿模型或草稿头。请另选一个。</translation>
    </message>
    <message>
        <source>Chat some more first: your chats have {detail} of the answers by this model that are needed.</source>
        <translation>请先多聊一些：这个模型的回答只有所需数量的 {detail}。</translation>
    </message>
    <message>
        <source>What the draft learns cannot be saved: {detail}. Free up space and try again. Until then the draft stays as it is.</source>
        <translation>无法保存学到的内容（{detail}）。请腾出空间后重试。在此之前，仍使用原来的版本。</translation>
    </message>
    <message>
        <source>The main model, the draft model or the head has changed since the draft was taught, so the draft is used as it was downloaded. Teach it again.</source>
        <translation>训练之后主模型、草稿模型或草稿头已更改，因此改用下载的原始草稿。请重新训练。</translation>
    </message>
</context>
<context>
    <name>TeachingSection</name>
    <message>
        <source>Teach this draft your way</source>
        <translation>按你的方式训练草稿模型</translation>
    </message>
    <message>
        <source>Delete the taught draft</source>
        <translation>删除训练结果</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Load a main model and a draft model or head first.</source>
        <translation>请先加载主模型，以及草稿模型或草稿头。</translation>
    </message>
    <message>
        <source>{draft} learns from the answers of {main} in your chats, so that more of its draft tokens are right. If these are few, {main} also answers questions from your chats, and these answers are not saved. Only the speed changes, never the text. The taught draft stays on this Mac, even after a chat is deleted; answers always come first.</source>
        <translation>{draft} 从你的对话里 {main} 的回答中学习，使更多草稿 token 正确。如果这样的回答太少，{main} 还会回答你对话中的问题，这些回答不会保存。只影响速度，绝不改变文字。学到的内容只保留在本机上，删除对话后也不会消失；回答始终优先。</translation>
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
        <translation>临时对话：不会保存，离开后即消失。</translation>
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
        <translation>模型在此对话中回答前是否先思考</translation>
    </message>
</context>
<context>
    <name>ThinkingFold</name>
    <message>
        <source>Thinking… {count} tokens</source>
        <translation>思考中… {count} 个 token</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Thought for {count} tokens</source>
        <translation>思考用了 {count} 个 token</translation>
    </message>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>显示或隐藏模型作答前的思考</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>思考了 {time}</translation>
    </message>
</context>
<context>
    <name>TimeBar</name>
    <message>
        <source>draft {draft} · verify {verify} · overhead {host}</source>
        <translation>草稿 {draft} · 验证 {verify} · 其他开销 {host}</translation>
    </message>
</context>
<context>
    <name>TokenLegend</name>
    <message>
        <source>rejected</source>
        <translation>未采用</translation>
    </message>
</context>
<context>
    <name>TokenView</name>
    <message>
        <source>Only the beginning of this very long text is shown.</source>
        <translation>文字很长，只显示开头部分。</translation>
    </message>
    <message>
        <source>{source} · round {round}, position {position} · probability {percent}</source>
        <translation>{source} · 第 {round} 轮，位置 {position} · 概率 {percent}</translation>
    </message>
</context>
<context>
    <name>ToolErrors</name>
    <message>
        <source>The tool failed. Try again.</source>
        <translation>工具运行失败。请重试。</translation>
    </message>
    <message>
        <source>The file contains no servers. Use an object named “mcpServers”.</source>
        <translation>文件中没有服务器。请使用名为“mcpServers”的对象。</translation>
    </message>
    <message>
        <source>In “{server}”: “{field}” has to look like this: {example}</source>
        <translation>“{server}”的“{field}”应写成这样：{example}</translation>
    </message>
    <message>
        <source>The keychain has no value of {names} for “{server}”. Enter it again in the settings.</source>
        <translation>钥匙串中没有“{server}”所需的 {names} 的值。请在设置中重新输入。</translation>
    </message>
    <message>
        <source>“{server}” has not been allowed to run. Allow it in the settings.</source>
        <translation>尚未允许“{server}”运行。请在设置中允许。</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t start: this Mac has no command “{command}”. Install it, or enter its full path.</source>
        <translation>无法启动“{server}”：本机没有命令“{command}”。请安装它，或输入完整路径。</translation>
    </message>
    <message>
        <source>This file can&apos;t be used: {detail}.</source>
        <translation>无法使用此文件：{detail}。</translation>
    </message>
    <message>
        <source>“{server}” sent more than {megabytes} MB at once, so it was stopped. Ask for less.</source>
        <translation>“{server}”一次发送的内容超过 {megabytes} MB，因此已停止。请缩小请求的范围。</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t be used as an MCP server ({detail}).</source>
        <translation>“{server}”无法作为 MCP 服务器使用（{detail}）。</translation>
    </message>
    <message>
        <source>“{server}” answers with error {status}. Check its address and the key in its headers.</source>
        <translation>“{server}”返回错误 {status}。请检查其地址和请求头中的密钥。</translation>
    </message>
    <message>
        <source>Can&apos;t reach “{server}” ({detail}). Check its address and the network.</source>
        <translation>无法连接“{server}”（{detail}）。请检查其地址和网络。</translation>
    </message>
    <message>
        <source>“{server}” stopped unexpectedly ({detail}). Check it in the settings, or try again.</source>
        <translation>“{server}”意外退出（{detail}）。请在设置中检查，或重试。</translation>
    </message>
    <message>
        <source>“{server}” stopped again after {count} new starts within a minute ({detail}). Check it in the settings, or try again in a minute.</source>
        <translation>“{server}”在一分钟内重新启动了 {count} 次，但又退出了（{detail}）。请在设置中检查，或一分钟后重试。</translation>
    </message>
    <message>
        <source>“{server}” no longer knew this connection ({detail}). The next call connects again.</source>
        <translation>“{server}”已不再识别此连接（{detail}）。下次调用时会重新连接。</translation>
    </message>
    <message>
        <source>“{server}” was not ready and silent for {seconds} seconds, so it was stopped. Try again.</source>
        <translation>“{server}”尚未就绪，且 {seconds} 秒没有响应，已被停止。请重试。</translation>
    </message>
    <message>
        <source>“{tool}” was silent for {time}, so it was stopped.</source>
        <translation>“{tool}”在 {time}内没有响应，因此已停止。</translation>
    </message>
    <message>
        <source>“{server}” has moved to {address}. If you trust that address, enter it in the settings.</source>
        <translation>“{server}”已移至 {address}。如果信任该地址，请在设置中输入。</translation>
    </message>
    <message>
        <source>Sign-in needed. In Settings &gt; Tools, press “Sign in…” beside “{server}”.</source>
        <translation>需要登录。请在“设置 &gt; 工具”中点按“{server}”旁的“登录…”。</translation>
    </message>
    <message>
        <source>“{server}” refused the key in its headers. In Settings &gt; Tools, enter another one or press “Sign in…”.</source>
        <translation>“{server}”拒绝了请求头中的密钥。请在“设置 &gt; 工具”中输入其他密钥，或点按“登录…”。</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” was not completed in the browser. Try again.</source>
        <translation>在浏览器中登录“{server}”未完成。请重试。</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” failed ({detail}). Try again.</source>
        <translation>登录“{server}”失败（{detail}）。请重试。</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” would use an unencrypted address ({address}), so it was refused.</source>
        <translation>登录“{server}”会使用未加密的地址（{address}），因此已被拒绝。</translation>
    </message>
    <message>
        <source>“{server}” has changed the tool “{tool}”, so it was not used. Ask again to see the new one.</source>
        <translation>“{server}”更改了工具“{tool}”，因此没有使用。再次提问即可查看新的工具。</translation>
    </message>
    <message>
        <source>“{tool}” failed ({detail}).</source>
        <translation>“{tool}”运行失败（{detail}）。</translation>
    </message>
    <message>
        <source>This call was not allowed.</source>
        <translation>此调用未被允许。</translation>
    </message>
    <message>
        <source>You stopped this call.</source>
        <translation>你停止了此调用。</translation>
    </message>
    <message>
        <source>Not called: one answer uses tools at most {count} times.</source>
        <translation>未调用：一个回答最多使用 {count} 次工具。</translation>
    </message>
    <message>
        <source>Not called: the model passed arguments that the tool does not accept.</source>
        <translation>未调用：模型给出的参数不符合此工具的要求。</translation>
    </message>
    <message>
        <source>“{address}” is not the address of a web page.</source>
        <translation>“{address}”不是网页地址。</translation>
    </message>
    <message>
        <source>{host} is on this Mac or in a private network, so its page was not read.</source>
        <translation>{host} 位于本机或私有网络中，因此没有读取其网页。</translation>
    </message>
    <message>
        <source>Can&apos;t reach {host} ({detail}). Check the address and the network.</source>
        <translation>无法连接到 {host}（{detail}）。请检查地址和网络。</translation>
    </message>
    <message>
        <source>{host} answers with error {status}.</source>
        <translation>{host} 返回错误 {status}。</translation>
    </message>
    <message>
        <source>{host} redirects from page to page without end.</source>
        <translation>{host} 在网页之间不停地重定向。</translation>
    </message>
    <message>
        <source>{host} leads to another site, {site}. The model can ask to read its page.</source>
        <translation>{host} 会转到另一个网站（{site}）。模型可以请求读取那里的网页。</translation>
    </message>
    <message>
        <source>{host} took longer than {seconds} seconds. Try again.</source>
        <translation>{host} 用时超过 {seconds} 秒。请重试。</translation>
    </message>
    <message>
        <source>The page of {host} is larger than {megabytes} MB, so it was not read.</source>
        <translation>{host} 的网页大于 {megabytes} MB，因此没有读取。</translation>
    </message>
    <message>
        <source>Searching with {service} needs a key. Enter it in Settings &gt; Tools.</source>
        <translation>使用 {service} 搜索需要密钥。请在“设置 &gt; 工具”中输入。</translation>
    </message>
    <message>
        <source>Searching with {service} needs its address. Enter it in Settings &gt; Tools.</source>
        <translation>使用 {service} 搜索需要其地址。请在“设置 &gt; 工具”中输入。</translation>
    </message>
    <message>
        <source>{service} refused the search (error {status}). Check the key or the address in Settings &gt; Tools.</source>
        <translation>{service} 拒绝了搜索（错误 {status}）。请在“设置 &gt; 工具”中检查密钥或地址。</translation>
    </message>
    <message>
        <source>{service} takes no more searches for now. Wait a little, and try again.</source>
        <translation>{service} 暂时不再接受搜索。请稍后重试。</translation>
    </message>
    <message>
        <source>{service} answered something that is not a list of results.</source>
        <translation>{service} 返回的内容不是结果列表。</translation>
    </message>
    <message>
        <source>The page of {host} can&apos;t be read.</source>
        <translation>无法读取 {host} 的网页。</translation>
    </message>
    <message>
        <source>{host} sent a file that is neither text nor a document.</source>
        <translation>{host} 发来的文件既不是文字也不是文档。</translation>
    </message>
    <message>
        <source>The page of {host} contains no text. Scripts, which may build it, are not run.</source>
        <translation>{host} 的网页中没有文字。内容可能由脚本生成，而脚本不会运行。</translation>
    </message>
    <message>
        <source>The document of {host} contains only images, in which no text was recognized.</source>
        <translation>{host} 的文档只包含图像，未能从中识别出文字。</translation>
    </message>
    <message>
        <source>The text encoding of the page of {host} was not recognized.</source>
        <translation>无法识别 {host} 的网页的文字编码。</translation>
    </message>
    <message>
        <source>The document of {host} is password-protected, so it was not read.</source>
        <translation>{host} 的文档受密码保护，因此没有读取。</translation>
    </message>
    <message>
        <source>The document of {host} is damaged: its text cannot be read.</source>
        <translation>{host} 的文档已损坏，无法读取其中的文字。</translation>
    </message>
    <message>
        <source>The document of {host} has an old format. Where LibreOffice is installed, Tandem reads it.</source>
        <translation>{host} 的文档是旧格式。如果装有 LibreOffice，Tandem 可以读取。</translation>
    </message>
    <message>
        <source>The text of the page of {host} is too long, so it was not read.</source>
        <translation>{host} 的网页文字太长，因此没有读取。</translation>
    </message>
    <message>
        <source>The page of {host} takes too long to read, so it was not read.</source>
        <translation>读取 {host} 的网页所需时间过长，因此没有读取。</translation>
    </message>
    <message>
        <source>The page of {host} takes too much memory to read, so it was not read.</source>
        <translation>读取 {host} 的网页所需内存过多，因此没有读取。</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t be the name of a server. Use up to 64 characters, and not “Tandem”.</source>
        <translation>“{server}”不能用作服务器的名称。请使用不超过 64 个字符、且不是“Tandem”的名称。</translation>
    </message>
    <message>
        <source>In “{server}”: enter either a “command” or a “url”.</source>
        <translation>“{server}”：请只输入“command”或“url”其中之一。</translation>
    </message>
    <message>
        <source>“{server}” lets only apps that it knows sign in. Register an app there whose redirect address is {callback}, and in Settings &gt; Tools add its ID as the value {id}, and its secret, if it has one, as {secret}. Or get an access token, and add the value {example}.</source>
        <translation>“{server}”只允许已注册的应用登录。请在该服务中注册一个重定向地址为 {callback} 的应用，然后在“设置 &gt; 工具”中将其 ID 添加为值 {id}，如有密钥，则添加为值 {secret}。也可以获取访问令牌，并添加值 {example}。</translation>
    </message>
    <message>
        <source>Not called: it isn&apos;t clear where the model&apos;s text ends, because marks that end a call are part of it or missing.</source>
        <translation>未调用：表示调用结束的标记出现在文本中或缺失，无法判断模型的文本在哪里结束。</translation>
    </message>
    <message>
        <source>“{server}” was not ready and silent for {seconds} seconds, so it was stopped. It last said: {detail}</source>
        <translation>“{server}”尚未就绪，且 {seconds} 秒没有响应，已被停止。最后的输出：{detail}</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>Models on this Mac</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Today&apos;s acceptance rate</source>
        <translation>今日采用率</translation>
    </message>
    <message>
        <source>Read a web page</source>
        <translation>读取网页</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
</context>
<context>
    <name>ToolsButton</name>
    <message>
        <source>Tools: on</source>
        <translation>工具：开</translation>
    </message>
    <message>
        <source>Tools: off</source>
        <translation>工具：关</translation>
    </message>
    <message>
        <source>The tools that the model can use in this chat</source>
        <translation>模型在此对话中可以使用的工具</translation>
    </message>
    <message>
        <source>You can turn on tools once a model is loaded.</source>
        <translation>加载模型后可以打开工具。</translation>
    </message>
    <message>
        <source>Use tools in this chat</source>
        <translation>在此对话中使用工具</translation>
    </message>
    <message>
        <source>In all chats</source>
        <translation>在所有对话中</translation>
    </message>
    <message>
        <source>Tools: Tandem only</source>
        <translation>工具：仅 Tandem</translation>
    </message>
    <message>
        <source>Not used in this chat</source>
        <translation>此对话未使用</translation>
    </message>
    <message>
        <source>Use all tools in this chat</source>
        <translation>在此对话中使用所有工具</translation>
    </message>
    <message>
        <source>This model can&apos;t use tools.</source>
        <translation>此模型不能使用工具。</translation>
    </message>
    <message>
        <source>Its chat template has no place for them.</source>
        <translation>它的对话模板没有工具的位置。</translation>
    </message>
    <message>
        <source>Choose a model that can…</source>
        <translation>选择可以使用的模型…</translation>
    </message>
</context>
<context>
    <name>ToolsPage</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation>添加服务器…</translation>
    </message>
    <message>
        <source>Import mcp.json…</source>
        <translation>导入 mcp.json…</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>添加…</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use: the values are for this run only.</source>
        <translation>本机没有 Tandem 可用的钥匙串，这些值仅在本次运行中有效。</translation>
    </message>
    <message>
        <source>Tools are on in the current chat.</source>
        <translation>已在当前对话中打开工具。</translation>
    </message>
    <message>
        <source>Continue in Tandem. You can close this page.</source>
        <translation>请回到 Tandem 继续。可以关闭此网页。</translation>
    </message>
    <message>
        <source>Open {host} in the browser to sign in to “{server}”?</source>
        <translation>在浏览器中打开 {host} 以登录“{server}”？</translation>
    </message>
    <message>
        <source>“{server}” calls the service that signs you in {expected}, but the service calls itself {named}. Continue only if you trust both.</source>
        <translation>“{server}”指定的登录服务是 {expected}，但该服务自称 {named}。仅在两者都可信时继续。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Import mcp.json</source>
        <translation>导入 mcp.json</translation>
    </message>
    <message>
        <source>Imported: {names}.</source>
        <translation>已导入：{names}。</translation>
    </message>
    <message>
        <source>Left as they are, because there are servers with these names: {names}.</source>
        <translation>已有同名服务器，因此保持原样：{names}。</translation>
    </message>
    <message>
        <source>What models may use in chats with tools on. Each call is shown, and asks first unless you choose otherwise.</source>
        <translation>模型在打开工具的对话中可以使用的内容。每次调用都会显示，除非另行选择，否则先询问。</translation>
    </message>
    <message>
        <source>Other servers</source>
        <translation>其他服务器</translation>
    </message>
    <message>
        <source>Tool servers (MCP). The mcp.json of another app can be dropped here, too.</source>
        <translation>工具服务器（MCP）。也可以将其他应用的 mcp.json 拖放到这里。</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Jump to the latest text</source>
        <translation>跳到最新内容</translation>
    </message>
</context>
<context>
    <name>TurnCommands</name>
    <message>
        <source>Copy the selection</source>
        <translation>拷贝所选内容</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>将回答拷贝为 Markdown</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>拷贝消息</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>继续回答</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Copy the answer as shown</source>
        <translation>按显示样式拷贝回答</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>从这里分支</translation>
    </message>
    <message>
        <source>Delete the message and its answer</source>
        <translation>删除消息及其回答</translation>
    </message>
    <message>
        <source>Answer again with</source>
        <translation>用其他模型重新回答</translation>
    </message>
    <message>
        <source>Delete the answer</source>
        <translation>删除回答</translation>
    </message>
    <message>
        <source>Delete the answer and everything after it</source>
        <translation>删除回答及其后的所有内容</translation>
    </message>
    <message>
        <source>Read the answer aloud</source>
        <translation>朗读回答</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排显示</translation>
    </message>
</context>
<context>
    <name>TurnView</name>
    <message>
        <source>Sources: {links}</source>
        <translation>来源：{links}</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The Starter knows one answer to each question.</source>
        <translation>每个问题，入门模型只会一种回答。</translation>
    </message>
    <message>
        <source>This answer was cut off when Tandem quit.</source>
        <translation>Tandem 退出时，本次回答被中断。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Reading {name}…</source>
        <translation>正在读取“{name}”…</translation>
    </message>
    <message>
        <source>Starting tools…</source>
        <translation>正在启动工具…</translation>
    </message>
    <message>
        <source>Calling {name}…</source>
        <translation>正在调用 {name}…</translation>
    </message>
    <message>
        <source>Preparing to use a tool…</source>
        <translation>正在准备使用工具…</translation>
    </message>
    <message>
        <source>Reached the length limit.</source>
        <translation>已达到长度上限。</translation>
    </message>
    <message>
        <source>Processing prompt: {share}</source>
        <translation>正在处理提示词：{share}</translation>
    </message>
    <message>
        <source>Waiting for the first token…</source>
        <translation>正在等待首个 token…</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>拷贝消息</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>将回答拷贝为 Markdown</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Regenerate: the same words, because temperature 0 was chosen</source>
        <translation>重新生成：温度设为 0，文字会相同</translation>
    </message>
    <message>
        <source>Regenerate: mostly the same words, because the Starter knows its answers by heart</source>
        <translation>重新生成：入门模型的回答是背下来的，文字大多相同</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>从这里分支</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>继续回答</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>更多操作</translation>
    </message>
    <message>
        <source>This answer repeats itself.</source>
        <translation>本次回答在重复相同的内容。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>The model stopped while thinking, without an answer.</source>
        <translation>模型在思考时就停止了，没有给出回答。</translation>
    </message>
</context>
<context>
    <name>UnsavedChats</name>
    <message>
        <source>Choose another folder…</source>
        <translation>选择其他文件夹…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Choose where to keep these chats</source>
        <translation>选择这些对话的保存位置</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) in this window are not saved.</source>
        <translation>
            <numerusform>此窗口中有 %Ln 个对话未保存。</numerusform>
        </translation>
    </message>
    <message>
        <source>Chats in this window are not saved.</source>
        <translation>此窗口中的对话不会保存。</translation>
    </message>
    <message>
        <source>Tandem keeps them aside and offers to add them to your chats the next time it starts.</source>
        <translation>Tandem 会另行保留这些对话，并在下次启动时询问是否将其添加到你的对话。</translation>
    </message>
    <message>
        <source>They are lost when Tandem quits. Export them first if you want to keep them.</source>
        <translation>退出 Tandem 后，这些对话将会丢失。如需保留，请先导出。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Add to my chats</source>
        <translation>添加到我的对话</translation>
    </message>
    <message>
        <source>Show in Finder</source>
        <translation>在访达中显示</translation>
    </message>
    <message numerus="yes">
        <source>Tandem kept %Ln chat(s) from a time when it could not open your chats.</source>
        <translation>
            <numerusform>Tandem 曾无法打开你的对话，期间的 %Ln 个对话已保留。</numerusform>
        </translation>
    </message>
    <message>
        <source>Until your chats can be opened, the ones in this window are kept in {folder}.</source>
        <translation>在你的对话可以打开之前，此窗口中的对话保存在“{folder}”中。</translation>
    </message>
</context>
<context>
    <name>WaitingBubble</name>
    <message>
        <source>Put it back into the message box</source>
        <translation>放回消息输入框</translation>
    </message>
    <message>
        <source>Waiting for the answer</source>
        <translation>正在等待回答</translation>
    </message>
    <message>
        <source>Waiting for the model</source>
        <translation>正在等待模型</translation>
    </message>
</context>
<context>
    <name>WebDetails</name>
    <message>
        <source>Web</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>In chats with tools on, the model can read web pages and documents at public addresses, and search. Each call shows the address or the words, and asks first unless you choose otherwise.</source>
        <translation>在打开工具的对话中，模型可以读取公开地址的网页和文稿，并进行搜索。每次调用都会显示地址或词语，除非另行选择，否则先询问。</translation>
    </message>
    <message>
        <source>Search with {service}</source>
        <translation>使用 {service} 搜索</translation>
    </message>
    <message>
        <source>Address of SearXNG</source>
        <translation>SearXNG 地址</translation>
    </message>
    <message>
        <source>Of a server of your own or of your group, also on this Mac.</source>
        <translation>你自己或所在团队的服务器地址，也可以在本机上。</translation>
    </message>
    <message>
        <source>Stored only in the system keychain.</source>
        <translation>仅存储在系统钥匙串中。</translation>
    </message>
    <message>
        <source>Your key is in the keychain.</source>
        <translation>你的密钥已存入钥匙串。</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use: the key is for this run only.</source>
        <translation>本机没有 Tandem 可用的钥匙串：密钥仅在本次运行期间有效。</translation>
    </message>
    <message>
        <source>Key for {service}</source>
        <translation>{service} 密钥</translation>
    </message>
    <message>
        <source>Searches the web with your key from {page}.</source>
        <translation>使用你在 {page} 获取的密钥搜索网页。</translation>
    </message>
    <message>
        <source>Needs no account. Finds articles of Wikipedia, not all of the web.</source>
        <translation>无需账户。只查找 Wikipedia 的条目，而不是整个网络。</translation>
    </message>
    <message>
        <source>Searches the web with your own SearXNG, whose settings have to allow the JSON format.</source>
        <translation>使用你自己的 SearXNG 搜索网页，其设置需要允许 JSON 格式。</translation>
    </message>
</context>
<context>
    <name>WebLine</name>
    <message>
        <source>Details…</source>
        <translation>详细信息…</translation>
    </message>
    <message>
        <source>Web</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Search with</source>
        <translation>搜索服务</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Reads pages, and searches {service}, not all of the web.</source>
        <translation>读取网页，并搜索 {service}，而不是整个网络。</translation>
    </message>
    <message>
        <source>Reads pages, and searches the web with {service}.</source>
        <translation>读取网页，并用 {service} 搜索网页。</translation>
    </message>
    <message>
        <source>Sites see you as they do in a browser.</source>
        <translation>网站看到的信息与使用浏览器时相同。</translation>
    </message>
    <message>
        <source>Its address is missing.</source>
        <translation>缺少地址。</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What can I help with?</source>
        <translation>有什么可以帮你？</translation>
    </message>
    <message>
        <source>Show me a fast answer</source>
        <translation>看看回答有多快</translation>
    </message>
    <message>
        <source>Explain step by step how speculative decoding works in Tandem.</source>
        <translation>请一步一步说明 Tandem 的推测解码是怎么工作的。</translation>
    </message>
    <message>
        <source>What is Tandem?</source>
        <translation>Tandem 是什么？</translation>
    </message>
    <message>
        <source>How does speculative decoding work?</source>
        <translation>推测解码是怎么工作的？</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>天空为什么是蓝色的？</translation>
    </message>
    <message>
        <source>Make a table of the planets with their size and distance.</source>
        <translation>用表格列出各行星的大小和距离。</translation>
    </message>
    <message>
        <source>Write the numbers from one to fifty in words, one on each line.</source>
        <translation>请用汉字写出 1 到 50 的数字，每行一个。</translation>
    </message>
    <message>
        <source>It begins with the folder&apos;s system prompt and these files: {files}</source>
        <translation>以该文件夹的系统提示词和以下文件开头：{files}</translation>
    </message>
    <message>
        <source>It begins with these files: {files}</source>
        <translation>以下列文件开头：{files}</translation>
    </message>
    <message>
        <source>It begins with the folder&apos;s system prompt.</source>
        <translation>以该文件夹的系统提示词开头。</translation>
    </message>
    <message>
        <source>This chat is in the folder “{name}”.</source>
        <translation>此对话位于文件夹“{name}”中。</translation>
    </message>
</context>
<context>
    <name>_DeleteButton</name>
    <message numerus="yes">
        <source>Delete %Ln backup(s)?</source>
        <translation>
            <numerusform>要删除 %Ln 个备份吗？</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete all…</source>
        <translation>全部删除…</translation>
    </message>
    <message>
        <source>Delete all backups</source>
        <translation>删除所有备份</translation>
    </message>
</context>
<context>
    <name>_DeleteRequestsButton</name>
    <message>
        <source>Delete all of them?</source>
        <translation>要全部删除吗？</translation>
    </message>
    <message>
        <source>Delete API requests…</source>
        <translation>删除 API 请求…</translation>
    </message>
</context>
</TS>
