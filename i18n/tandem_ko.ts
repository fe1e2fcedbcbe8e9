<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>AboutWindow</name>
    <message>
        <source>About Tandem</source>
        <translation>Tandem 정보</translation>
    </message>
    <message>
        <source>{name}, under the Apache License 2.0.</source>
        <translation>{name}, Apache License 2.0에 따라 배포돼요.</translation>
    </message>
    <message>
        <source>The interface is built with Qt, used unmodified under the GNU Lesser General Public License, version 3. You may replace Qt with your own version; its source code is available from the Qt Project.</source>
        <translation>인터페이스는 Qt로 만들었어요. Qt는 GNU 약소 일반 공중 사용 허가서(LGPL) 버전 3에 따라 수정 없이 사용해요. 직접 빌드한 Qt로 바꿔 쓸 수 있고, 소스 코드는 Qt Project에서 받을 수 있어요.</translation>
    </message>
    <message>
        <source>Show all licenses</source>
        <translation>모든 라이선스 보기</translation>
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
        <translation>파일</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>추측 디코딩</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>윈도우</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>도움말</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>찾기</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>말하기</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>View</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Start a new chat</source>
        <translation>새 대화 시작</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>확대/축소</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>이전 대화</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>다음 대화</translation>
    </message>
    <message>
        <source>Start the local API</source>
        <translation>로컬 API 켜기</translation>
    </message>
    <message>
        <source>Let other programs on this Mac use the models</source>
        <translation>이 Mac의 다른 프로그램이 모델을 쓸 수 있게 하기</translation>
    </message>
    <message>
        <source>Stop the local API</source>
        <translation>로컬 API 끄기</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>보내기</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>메시지 보내기</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>답변 중지</translation>
    </message>
    <message>
        <source>Regenerate the last answer</source>
        <translation>마지막 답변 다시 생성</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Continue the last answer</source>
        <translation>마지막 답변 이어서 생성</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>마지막 메시지 편집</translation>
    </message>
    <message>
        <source>Edit your last message</source>
        <translation>마지막으로 보낸 메시지 편집</translation>
    </message>
    <message>
        <source>Rename chat</source>
        <translation>대화 이름 바꾸기</translation>
    </message>
    <message>
        <source>Change the title of this chat</source>
        <translation>이 대화의 제목 바꾸기</translation>
    </message>
    <message>
        <source>Pin this chat to the top, or unpin it</source>
        <translation>이 대화를 맨 위에 고정하거나 고정 해제</translation>
    </message>
    <message>
        <source>Duplicate chat</source>
        <translation>대화 복제</translation>
    </message>
    <message>
        <source>Make a copy of this chat</source>
        <translation>이 대화의 복사본 만들기</translation>
    </message>
    <message>
        <source>Archive chat</source>
        <translation>대화 보관</translation>
    </message>
    <message>
        <source>Archive this chat</source>
        <translation>이 대화 보관</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>대화 삭제</translation>
    </message>
    <message>
        <source>Delete this chat</source>
        <translation>이 대화 삭제</translation>
    </message>
    <message>
        <source>Save again</source>
        <translation>다시 저장</translation>
    </message>
    <message>
        <source>Retry saving</source>
        <translation>다시 저장 시도</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>키보드 단축키</translation>
    </message>
    <message>
        <source>Show all commands with their keys</source>
        <translation>모든 명령과 단축키 보기</translation>
    </message>
    <message>
        <source>Log of this session…</source>
        <translation>이번 실행 로그…</translation>
    </message>
    <message>
        <source>Show what Tandem has recorded since it started</source>
        <translation>Tandem을 시작한 뒤의 기록 보기</translation>
    </message>
    <message>
        <source>Show chats in Finder</source>
        <translation>Finder에서 대화 보기</translation>
    </message>
    <message>
        <source>Show the folder where chats are stored</source>
        <translation>대화가 저장된 폴더 보기</translation>
    </message>
    <message>
        <source>Export chat…</source>
        <translation>대화 내보내기…</translation>
    </message>
    <message>
        <source>Save this chat as Markdown, HTML, JSON or PDF</source>
        <translation>이 대화를 Markdown, HTML, JSON, PDF로 저장</translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>프린트…</translation>
    </message>
    <message>
        <source>Print this chat</source>
        <translation>이 대화 프린트</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>모든 대화 내보내기…</translation>
    </message>
    <message>
        <source>Export all chats to a file or folder</source>
        <translation>모든 대화를 파일이나 폴더로 내보내기</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>대화 가져오기…</translation>
    </message>
    <message>
        <source>Import chats from Tandem or another app</source>
        <translation>Tandem이나 다른 앱에서 대화 가져오기</translation>
    </message>
    <message>
        <source>Check for updates…</source>
        <translation>업데이트 확인…</translation>
    </message>
    <message>
        <source>Look for a newer version of Tandem</source>
        <translation>새 버전의 Tandem이 있는지 확인</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>설정…</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>설정 열기</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>윈도우 닫기</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>파일 첨부…</translation>
    </message>
    <message>
        <source>System prompt and settings…</source>
        <translation>시스템 프롬프트와 설정…</translation>
    </message>
    <message>
        <source>Edit this chat&apos;s system prompt and settings</source>
        <translation>이 대화의 시스템 프롬프트와 설정 편집</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Pin chat</source>
        <translation>대화 고정</translation>
    </message>
    <message>
        <source>Unpin chat</source>
        <translation>대화 고정 해제</translation>
    </message>
    <message>
        <source>Move to folder…</source>
        <translation>폴더로 옮기기…</translation>
    </message>
    <message>
        <source>Move this chat to a folder</source>
        <translation>이 대화를 폴더로 옮기기</translation>
    </message>
    <message>
        <source>Cancel import or export</source>
        <translation>가져오기·내보내기 취소</translation>
    </message>
    <message>
        <source>Cancel the import or export in progress</source>
        <translation>진행 중인 가져오기·내보내기 취소</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>Tandem 정보</translation>
    </message>
    <message>
        <source>Show version and licenses</source>
        <translation>버전과 라이선스 보기</translation>
    </message>
    <message>
        <source>Search help…</source>
        <translation>도움말 검색…</translation>
    </message>
    <message>
        <source>Find an answer in the help of Tandem</source>
        <translation>Tandem 도움말에서 답 찾기</translation>
    </message>
    <message>
        <source>Show crash report</source>
        <translation>오류 보고서 보기</translation>
    </message>
    <message>
        <source>Show the crash report</source>
        <translation>오류 보고서 보기</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>윈도우 닫기</translation>
    </message>
    <message>
        <source>Quit Tandem</source>
        <translation>Tandem 종료</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
    <message>
        <source>Undo typing</source>
        <translation>입력 실행 취소</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>실행 복귀</translation>
    </message>
    <message>
        <source>Redo typing</source>
        <translation>입력 실행 복귀</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>오려두기</translation>
    </message>
    <message>
        <source>Cut the selection</source>
        <translation>선택한 부분 오려두기</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사하기</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>선택한 부분 복사하기</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>붙여넣기</translation>
    </message>
    <message>
        <source>Paste text or files</source>
        <translation>텍스트나 파일 붙여넣기</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>전체 선택</translation>
    </message>
    <message>
        <source>Select all text</source>
        <translation>텍스트 전체 선택</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>삭제 실행 취소</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>마지막 답변 복사하기</translation>
    </message>
    <message>
        <source>Copy the last answer as Markdown</source>
        <translation>마지막 답변을 Markdown으로 복사하기</translation>
    </message>
    <message>
        <source>Read last answer aloud</source>
        <translation>마지막 답변 소리 내어 읽기</translation>
    </message>
    <message>
        <source>Read the last answer aloud with the system&apos;s voice</source>
        <translation>마지막 답변을 시스템 음성으로 읽기</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>읽기 중지</translation>
    </message>
    <message>
        <source>Stop reading aloud</source>
        <translation>소리 내어 읽기 중지</translation>
    </message>
    <message>
        <source>Focus message box</source>
        <translation>메시지 입력란으로 이동</translation>
    </message>
    <message>
        <source>Go to the message box</source>
        <translation>메시지 입력란으로 이동</translation>
    </message>
    <message>
        <source>Find in chat</source>
        <translation>대화에서 찾기</translation>
    </message>
    <message>
        <source>Find text in this chat</source>
        <translation>이 대화에서 텍스트 찾기</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>다음 찾기</translation>
    </message>
    <message>
        <source>Go to the next match in this chat</source>
        <translation>이 대화의 다음 결과로 이동</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>이전 찾기</translation>
    </message>
    <message>
        <source>Go to the previous match in this chat</source>
        <translation>이 대화의 이전 결과로 이동</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>대화 검색</translation>
    </message>
    <message>
        <source>Go to the chat search</source>
        <translation>대화 검색으로 이동</translation>
    </message>
    <message>
        <source>Choose main model…</source>
        <translation>메인 모델 선택…</translation>
    </message>
    <message>
        <source>Choose a main model</source>
        <translation>메인 모델 선택</translation>
    </message>
    <message>
        <source>Choose draft model…</source>
        <translation>초안 모델 선택…</translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation>초안 모델 선택</translation>
    </message>
    <message>
        <source>Models and downloads…</source>
        <translation>모델과 다운로드…</translation>
    </message>
    <message>
        <source>Show models and downloads</source>
        <translation>모델과 다운로드 보기</translation>
    </message>
    <message>
        <source>Use the starter pair</source>
        <translation>스타터 모델 쌍 사용</translation>
    </message>
    <message>
        <source>Load the two small models that come with Tandem</source>
        <translation>Tandem에 포함된 작은 모델 두 개 불러오기</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Speculate only when it is faster</source>
        <translation>더 빠를 때만 추측</translation>
    </message>
    <message>
        <source>On</source>
        <translation>켬</translation>
    </message>
    <message>
        <source>Always speculate with the draft model</source>
        <translation>항상 초안 모델로 추측</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>끔</translation>
    </message>
    <message>
        <source>Do not speculate</source>
        <translation>추측하지 않기</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Show or hide the chat list</source>
        <translation>대화 목록 보기 또는 가리기</translation>
    </message>
    <message>
        <source>Show or hide the live panel</source>
        <translation>실시간 패널 보기 또는 가리기</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>텍스트</translation>
    </message>
    <message>
        <source>Tint drafted tokens only while an answer is written</source>
        <translation>답변을 쓰는 동안에만 초안에서 나온 토큰에 색 표시</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>Always tint the tokens that were drafted</source>
        <translation>초안에서 나온 토큰에 항상 색 표시</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
    <message>
        <source>Create a folder: a project with its own instructions and files</source>
        <translation>폴더 만들기: 자체 시스템 프롬프트와 파일이 있는 프로젝트</translation>
    </message>
    <message>
        <source>Show chat list</source>
        <translation>대화 목록 보기</translation>
    </message>
    <message>
        <source>Hide chat list</source>
        <translation>대화 목록 가리기</translation>
    </message>
    <message>
        <source>Show live panel</source>
        <translation>실시간 패널 보기</translation>
    </message>
    <message>
        <source>Hide live panel</source>
        <translation>실시간 패널 가리기</translation>
    </message>
    <message>
        <source>Tint tokens while answering</source>
        <translation>답변 중에만 토큰 색 표시</translation>
    </message>
    <message>
        <source>Always tint tokens</source>
        <translation>항상 토큰 색 표시</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>텍스트 크게</translation>
    </message>
    <message>
        <source>Make the text larger</source>
        <translation>텍스트를 더 크게</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>텍스트 작게</translation>
    </message>
    <message>
        <source>Make the text smaller</source>
        <translation>텍스트를 더 작게</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>기본 텍스트 크기</translation>
    </message>
    <message>
        <source>Show the text in its normal size</source>
        <translation>텍스트를 기본 크기로 보기</translation>
    </message>
    <message>
        <source>Enter full screen</source>
        <translation>전체 화면 시작</translation>
    </message>
    <message>
        <source>Exit full screen</source>
        <translation>전체 화면 종료</translation>
    </message>
    <message>
        <source>Answer the last question with and without speculation, and compare the speeds</source>
        <translation>마지막 질문에 추측 디코딩을 켜고 한 번, 끄고 한 번 답해 속도 비교</translation>
    </message>
    <message>
        <source>Request history…</source>
        <translation>요청 기록…</translation>
    </message>
    <message>
        <source>Show all answers with their figures</source>
        <translation>모든 답변과 수치 보기</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>최소화</translation>
    </message>
    <message>
        <source>Minimize the window</source>
        <translation>윈도우 최소화</translation>
    </message>
    <message>
        <source>Show the main window</source>
        <translation>메인 윈도우 보기</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>새 윈도우에서 열기</translation>
    </message>
    <message>
        <source>Show this chat in a window of its own</source>
        <translation>이 대화를 별도의 윈도우에서 보기</translation>
    </message>
    <message>
        <source>Ask in a small window, which answers in place</source>
        <translation>그 자리에서 답하는 작은 윈도우에서 질문</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>명령 팔레트…</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>명령 찾기</translation>
    </message>
    <message>
        <source>Make the window as large as possible, or restore its size</source>
        <translation>윈도우를 최대 크기로, 또는 이전 크기로</translation>
    </message>
    <message>
        <source>Go to the chat above this one in the list</source>
        <translation>목록에서 위에 있는 대화 보기</translation>
    </message>
    <message>
        <source>Go to the chat below this one in the list</source>
        <translation>목록에서 아래에 있는 대화 보기</translation>
    </message>
    <message>
        <source>Restore the chat or messages you deleted last</source>
        <translation>마지막으로 삭제한 대화 또는 메시지 복원</translation>
    </message>
    <message>
        <source>Enter or exit full screen</source>
        <translation>전체 화면 시작 또는 종료</translation>
    </message>
    <message>
        <source>Attach text, code, documents or pictures</source>
        <translation>텍스트, 코드, 문서 또는 이미지 첨부</translation>
    </message>
    <message>
        <source>New temporary chat</source>
        <translation>새 임시 대화</translation>
    </message>
    <message>
        <source>Start a chat that is not saved, and gone when you leave it</source>
        <translation>저장되지 않고, 다른 대화를 열면 사라지는 대화를 시작</translation>
    </message>
    <message>
        <source>Keep this chat</source>
        <translation>이 대화 저장</translation>
    </message>
    <message>
        <source>Save this temporary chat with the others</source>
        <translation>이 임시 대화를 다른 대화와 함께 저장</translation>
    </message>
    <message>
        <source>Quick entry</source>
        <translation>빠른 입력</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>나란히 보기</translation>
    </message>
    <message>
        <source>Show two versions of the last answer side by side</source>
        <translation>마지막 답변의 두 버전을 나란히 보기</translation>
    </message>
</context>
<context>
    <name>AdvancedPage</name>
    <message>
        <source>Check now</source>
        <translation>지금 점검</translation>
    </message>
    <message>
        <source>Export diagnostics</source>
        <translation>진단 정보 내보내기</translation>
    </message>
    <message>
        <source>Saved to {file}. It contains no chat text.</source>
        <translation>{file}에 저장했어요. 대화 내용은 들어 있지 않아요.</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>파일을 저장하지 못했어요. 다른 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>Export diagnostics…</source>
        <translation>진단 정보 내보내기…</translation>
    </message>
    <message>
        <source>Saves versions, settings, statistics and the log to a file you can review and share</source>
        <translation>버전, 설정, 통계, 로그를 직접 확인하고 공유할 수 있는 파일로 저장</translation>
    </message>
    <message>
        <source>Checking. The loaded models are measured for about half a minute.</source>
        <translation>점검 중이에요. 불러온 모델의 속도를 30초쯤 측정해요.</translation>
    </message>
    <message>
        <source>Reads the chip, memory, power, heat and local network, and measures the loaded models for about half a minute. macOS may ask about the local network.</source>
        <translation>칩, 메모리, 전원, 발열, 로컬 네트워크를 확인하고 불러온 모델의 속도를 30초쯤 측정해요. macOS가 로컬 네트워크 사용을 허용할지 물어볼 수 있어요.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Check this Mac</source>
        <translation>이 Mac 점검</translation>
    </message>
    <message>
        <source>Set up…</source>
        <translation>설정하기…</translation>
    </message>
    <message>
        <source>Splits a model too large for one Mac.</source>
        <translation>Mac 한 대에 담기에는 너무 큰 모델을 여러 대에 나눠요.</translation>
    </message>
</context>
<context>
    <name>Agents</name>
    <message>
        <source>{file} has just changed, so it was left as it is. Look again.</source>
        <translation>{file} 파일이 방금 바뀌어서 그대로 두었어요. 다시 확인해 주세요.</translation>
    </message>
    <message>
        <source>{file} can&apos;t be written: {detail}.</source>
        <translation>{file} 파일에 쓸 수 없어요: {detail}.</translation>
    </message>
    <message>
        <source>Tandem can&apos;t write the settings of {app}. Enter this there:</source>
        <translation>{app} 앱의 설정은 Tandem이 쓸 수 없어요. 앱에서 다음 값을 입력해 주세요.</translation>
    </message>
    <message>
        <source>{app} then uses the model that Tandem has loaded.</source>
        <translation>그러면 {app} 앱이 Tandem에 불러온 모델을 사용해요.</translation>
    </message>
    <message>
        <source>The API requires a key: enter it in {app}.</source>
        <translation>API에 키가 필요해요. {app} 앱에 키를 입력해 주세요.</translation>
    </message>
    <message>
        <source>{app} takes its connection from these variables:</source>
        <translation>{app} 앱은 다음 변수로 연결해요.</translation>
    </message>
    <message>
        <source>Tandem can&apos;t change {file} safely, so it stays as it is. Add this by hand:</source>
        <translation>{file} 파일을 안전하게 바꿀 수 없어서 그대로 두었어요. 아래 내용을 직접 추가해 주세요.</translation>
    </message>
    <message>
        <source>{app} is set up, in {file}.</source>
        <translation>{app} 앱이 이미 설정되어 있어요({file}).</translation>
    </message>
    <message>
        <source>This is added to {file}. Everything else in it stays.</source>
        <translation>{file} 파일에 이 내용을 추가해요. 나머지는 그대로예요.</translation>
    </message>
    <message>
        <source>This file tells {app} about Tandem: {file}</source>
        <translation>이 파일이 {app} 앱에 Tandem을 알려 줘요: {file}</translation>
    </message>
    <message>
        <source>Written.</source>
        <translation>파일을 저장했어요.</translation>
    </message>
    <message>
        <source>Written. The file as it was: {copy}</source>
        <translation>파일을 저장했어요. 이전 파일: {copy}</translation>
    </message>
    <message>
        <source>Then choose the model “Tandem” in {app}.</source>
        <translation>그다음 {app} 앱에서 ‘Tandem’ 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Set them in the environment where {app} first starts. Later, enter them in its admin settings, under “Connections”.</source>
        <translation>{app} 앱을 처음 시작할 때 이 변수를 설정해 주세요. 그 뒤에는 앱의 관리자 설정에 있는 ‘연결’에 입력해 주세요.</translation>
    </message>
    <message>
        <source>Then start it with: {command}</source>
        <translation>그다음 이 명령어로 시작해 주세요: {command}</translation>
    </message>
    <message>
        <source>{app} is told to wait longer for an answer, because a long prompt can take minutes to process.</source>
        <translation>{app} 앱이 답변을 더 오래 기다리도록 설정돼요. 긴 프롬프트는 처리하는 데 몇 분이 걸릴 수 있거든요.</translation>
    </message>
    <message>
        <source>Then choose the model “Tandem” in {app}. If it requires a key, enter anything.</source>
        <translation>그다음 {app} 앱에서 ‘Tandem’ 모델을 선택해 주세요. 키를 요구하면 아무 값이나 입력해 주세요.</translation>
    </message>
    <message>
        <source>The API requires a key: set {variable} to it where {app} starts.</source>
        <translation>API에 키가 필요해요. {app} 앱을 시작하는 환경에서 {variable} 변수에 키를 넣어 주세요.</translation>
    </message>
    <message>
        <source>{app} won&apos;t work with this model: its first request has about {tokens} tokens, and the model&apos;s context is {context}. Choose one of these first: {models}.</source>
        <translation>이 모델로는 {app} 앱을 쓸 수 없어요. 첫 요청이 약 {tokens}토큰인데 이 모델의 컨텍스트는 {context}토큰이에요. 먼저 다음 중 하나를 선택해 주세요: {models}.</translation>
    </message>
    <message>
        <source>{app} won&apos;t work with this model: its first request has about {tokens} tokens, and the model&apos;s context is {context}. Download one with a longer context first.</source>
        <translation>이 모델로는 {app} 앱을 쓸 수 없어요. 첫 요청이 약 {tokens}토큰인데 이 모델의 컨텍스트는 {context}토큰이에요. 먼저 컨텍스트가 더 긴 모델을 다운로드해 주세요.</translation>
    </message>
</context>
<context>
    <name>Ahead</name>
    <message>
        <source>Choose a draft model first.</source>
        <translation>먼저 초안 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead on {host}.</source>
        <translation>{host}에서 초안을 미리 쓰지 않아요.</translation>
    </message>
    <message>
        <source>Drafting ahead was tried, but would not have made this answer faster.</source>
        <translation>미리 초안 쓰기를 시도했지만, 이 답변이 더 빨라지지는 않았을 거예요.</translation>
    </message>
    <message>
        <source>In {ready} of {rounds} rounds the draft was ready, which hid {time} of drafting.</source>
        <translation>라운드 {rounds}개 중 {ready}개에서 초안이 미리 준비되어 있어, 초안 생성 {time}를 검증하는 동안에 마쳤어요.</translation>
    </message>
    <message>
        <source>Drafting ahead is starting.</source>
        <translation>미리 초안 쓰기를 시작하고 있어요.</translation>
    </message>
    <message>
        <source>A head drafts all tokens of a round in one pass, so there is nothing to prepare.</source>
        <translation>헤드는 한 번의 계산으로 라운드의 초안을 모두 쓰기 때문에, 미리 준비할 것이 없어요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: a second copy of the draft model does not fit in memory.</source>
        <translation>초안을 미리 쓰지 않아요. 메모리가 부족해서 초안 모델을 하나 더 올릴 수 없어요.</translation>
    </message>
    <message>
        <source>Nothing was drafted ahead, because several answers were written at once.</source>
        <translation>여러 답변을 동시에 썼기 때문에 초안을 미리 쓰지 않았어요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead in chats with pictures.</source>
        <translation>이미지가 있는 대화에서는 초안을 미리 쓰지 않아요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: that needs a draft model with the same tokenizer.</source>
        <translation>초안을 미리 쓰지 않아요. 토크나이저가 같은 초안 모델이 필요해요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: this draft model cannot do it.</source>
        <translation>초안을 미리 쓰지 않아요. 이 초안 모델은 지원하지 않아요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: the copy of the draft model cannot be loaded.</source>
        <translation>초안을 미리 쓰지 않아요. 초안 모델을 하나 더 불러올 수 없어요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: the process that drafts cannot be reached.</source>
        <translation>초안을 미리 쓰지 않아요. 초안을 쓰는 프로세스에 연결할 수 없어요.</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped: the process that drafts quit unexpectedly twice.</source>
        <translation>미리 초안 쓰기를 멈췄어요. 초안을 쓰는 프로세스가 두 번 예기치 않게 종료됐어요.</translation>
    </message>
    <message>
        <source>Drafting ahead rests, because answers are faster without it. It is tried again now and then.</source>
        <translation>미리 초안 쓰기를 쉬고 있어요. 이 기능 없이 답변하는 편이 더 빨라요. 가끔 다시 시도해요.</translation>
    </message>
    <message>
        <source>Drafting ahead rests, because its last drafts came too late or were not used. It is tried again later.</source>
        <translation>미리 초안 쓰기를 쉬고 있어요. 최근에 쓴 초안이 너무 늦게 왔거나 쓰이지 않았어요. 나중에 다시 시도해요.</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped for this answer: three drafts were not valid.</source>
        <translation>이 답변에서 미리 초안 쓰기를 멈췄어요. 초안 3개가 올바르지 않았어요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: {host} cannot be reached on the network.</source>
        <translation>초안을 미리 쓰지 않아요. 네트워크에서 {host}에 연결할 수 없어요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: {host} cannot load the draft model.</source>
        <translation>초안을 미리 쓰지 않아요. {host}에서 초안 모델을 불러올 수 없어요.</translation>
    </message>
    <message>
        <source>Nothing is drafted ahead: what answered at {host} did not prove that Tandem had started it.</source>
        <translation>초안을 미리 쓰지 않아요. {host}에서 응답한 프로그램이 Tandem이 시작한 것임을 증명하지 못했어요.</translation>
    </message>
    <message>
        <source>Drafting ahead has stopped: the connection to {host} was lost twice.</source>
        <translation>미리 초안 쓰기를 멈췄어요. {host} 컴퓨터와의 연결이 두 번 끊겼어요.</translation>
    </message>
</context>
<context>
    <name>Alerts</name>
    <message>
        <source>Note</source>
        <translation>참고</translation>
    </message>
    <message>
        <source>Tip</source>
        <translation>팁</translation>
    </message>
    <message>
        <source>Important</source>
        <translation>중요</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>경고</translation>
    </message>
    <message>
        <source>Caution</source>
        <translation>주의</translation>
    </message>
    <message>
        <source>Result of a tool</source>
        <translation>도구 실행 결과</translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The answer was stopped.</source>
        <translation>답변을 중지했어요.</translation>
    </message>
    <message>
        <source>The answer reached its length limit.</source>
        <translation>답변이 길이 제한에 도달했어요.</translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation>답변이 완료됐어요.</translation>
    </message>
    <message>
        <source>{chat}: {sentence}</source>
        <translation>{chat}: {sentence}</translation>
    </message>
    <message>
        <source>Another chat</source>
        <translation>다른 대화</translation>
    </message>
    <message>
        <source>The model wants to use the tool “{tool}”.</source>
        <translation>모델이 ‘{tool}’ 도구를 사용하려고 해요.</translation>
    </message>
    <message>
        <source>The tool “{tool}” waits for your reply.</source>
        <translation>‘{tool}’ 도구가 응답을 기다리고 있어요.</translation>
    </message>
    <message>
        <source>The answer repeats itself and is paused. Continue it, or stop it.</source>
        <translation>답변이 같은 내용을 반복해서 일시 정지했어요. 계속하거나 중지해 주세요.</translation>
    </message>
</context>
<context>
    <name>AnswerBody</name>
    <message>
        <source>Shown without formatting, because an error occurred.</source>
        <translation>오류가 나서 서식 없이 표시해요.</translation>
    </message>
    <message>
        <source>Shown without formatting, because this passage is very long.</source>
        <translation>이 부분은 매우 길어서 서식 없이 표시해요.</translation>
    </message>
    <message>
        <source>Only the beginning of this very long text is shown. Copies and exports contain all of it.</source>
        <translation>텍스트가 매우 길어 앞부분만 표시해요. 복사와 내보내기에는 전체가 포함돼요.</translation>
    </message>
</context>
<context>
    <name>AnswerFormatField</name>
    <message>
        <source>Checking the schema…</source>
        <translation>스키마 확인 중…</translation>
    </message>
    <message>
        <source>Every answer will be JSON that matches this schema.</source>
        <translation>모든 답변이 이 스키마에 맞는 JSON으로 나와요.</translation>
    </message>
    <message>
        <source>Answer format</source>
        <translation>답변 형식</translation>
    </message>
    <message>
        <source>JSON Schema</source>
        <translation>JSON 스키마</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>텍스트</translation>
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
        <translation>오류로 답변이 중단됐어요.</translation>
    </message>
    <message>
        <source>Your answer is ready.</source>
        <translation>답변이 준비됐어요.</translation>
    </message>
    <message>
        <source>A tool is waiting for your permission.</source>
        <translation>도구가 허용을 기다리고 있어요.</translation>
    </message>
    <message>
        <source>A tool is waiting for your reply.</source>
        <translation>도구가 응답을 기다리고 있어요.</translation>
    </message>
    <message>
        <source>An answer repeats itself and is paused.</source>
        <translation>답변이 같은 내용을 반복해서 일시 정지했어요.</translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Connect an app…</source>
        <translation>앱 연결…</translation>
    </message>
    <message>
        <source>The local API is off.</source>
        <translation>로컬 API가 꺼져 있어요.</translation>
    </message>
    <message>
        <source>Running, for programs on this Mac only.</source>
        <translation>실행 중이에요. 이 Mac의 프로그램만 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>Running, but this Mac has no network address.</source>
        <translation>실행 중이지만, 이 Mac에 네트워크 주소가 없어요.</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Agents and editors</source>
        <translation>에이전트와 편집기</translation>
    </message>
    <message>
        <source>Sets up coding agents, editors and other apps to use the loaded model. You first see what is written.</source>
        <translation>코딩 에이전트, 편집기 등 다른 앱이 불러온 모델을 사용하도록 설정해요. 저장하기 전에 내용을 먼저 보여 줘요.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>주소</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>가리기</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>키</translation>
    </message>
    <message>
        <source>Try it in a terminal</source>
        <translation>터미널에서 시험해 보기</translation>
    </message>
    <message>
        <source>In other programs</source>
        <translation>다른 프로그램에서</translation>
    </message>
    <message>
        <source>Choose “OpenAI-compatible” as the provider, enter the address above as the base URL, and any model name or “default”. As the key, enter the one above, or anything if there is none. For tools in a terminal, copy the variables that the official libraries read.</source>
        <translation>제공자는 ‘OpenAI-compatible’을 선택하고, 기본 URL에는 위의 주소를, 모델에는 모델 이름이나 ‘default’를 입력해 주세요. 키에는 위의 키를, 위에 키가 없으면 아무 글자나 넣으면 돼요. 터미널 도구에는 공식 라이브러리가 읽는 환경 변수를 복사해서 쓰면 돼요.</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>요청</translation>
    </message>
    <message>
        <source>No requests yet.</source>
        <translation>아직 요청이 없어요.</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>새 키</translation>
    </message>
    <message>
        <source>Running, for programs on your network.</source>
        <translation>실행 중이에요. 네트워크에 있는 다른 컴퓨터의 프로그램도 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>The base address, without a path.</source>
        <translation>경로가 없는 기본 주소예요.</translation>
    </message>
    <message>
        <source>The base address, without a path. For programs without a field for a key, put the key into the address: http://KEY@{place} or {address}/KEY</source>
        <translation>경로가 없는 기본 주소예요. 키를 넣을 칸이 없는 프로그램에서는 주소에 키를 넣어 주세요: http://KEY@{place} 또는 {address}/KEY</translation>
    </message>
    <message>
        <source>For programs that use Ollama</source>
        <translation>Ollama를 쓰는 프로그램에서</translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>Attach files</source>
        <translation>파일 첨부</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>이미지</translation>
    </message>
    <message>
        <source>{name} cannot be used: the picture is damaged, animated or too large.</source>
        <translation>‘{name}’ 파일은 사용할 수 없어요. 손상되었거나 움직이는 이미지이거나 너무 큰 이미지예요.</translation>
    </message>
    <message>
        <source>The text encoding of {name} was not recognized. Save it as UTF-8.</source>
        <translation>‘{name}’ 파일의 인코딩을 알 수 없어요. UTF-8로 저장한 다음 다시 첨부해 주세요.</translation>
    </message>
    <message>
        <source>{name} is too large for any model&apos;s context.</source>
        <translation>‘{name}’ 파일은 너무 커서 어떤 모델의 컨텍스트에도 들어가지 않아요.</translation>
    </message>
    <message>
        <source>{name} cannot be read.</source>
        <translation>‘{name}’ 파일을 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>{name} is no longer there.</source>
        <translation>‘{name}’ 파일이 더는 그 위치에 없어요.</translation>
    </message>
    <message>
        <source>{name} contains more than {count} files. Choose a smaller folder.</source>
        <translation>‘{name}’ 폴더에 파일이 {count}개보다 많아요. 더 작은 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} is password-protected. Save a copy without a password and attach that.</source>
        <translation>‘{name}’ 파일에 암호가 걸려 있어요. 암호 없는 사본을 저장해서 첨부해 주세요.</translation>
    </message>
    <message>
        <source>{name} is damaged: its text cannot be read.</source>
        <translation>‘{name}’ 파일이 손상되어 내용을 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>{name} has an old format. Save it as DOCX, XLSX or PPTX, or as PDF. Where LibreOffice is installed, Tandem reads it as it is.</source>
        <translation>‘{name}’ 파일은 오래된 형식이에요. DOCX, XLSX, PPTX 또는 PDF로 저장해 주세요. LibreOffice가 설치되어 있으면 Tandem이 그대로 읽어요.</translation>
    </message>
    <message>
        <source>Tandem cannot read {name}. Open it in {program} and export it as PDF.</source>
        <translation>Tandem은 ‘{name}’ 파일을 읽을 수 없어요. {program}에서 열어 PDF로 내보내서 첨부해 주세요.</translation>
    </message>
    <message>
        <source>{name} contains only images, in which no text was recognized.</source>
        <translation>‘{name}’ 파일에는 이미지만 있는데, 그 안에서 텍스트를 인식하지 못했어요.</translation>
    </message>
    <message>
        <source>{name} contains only images, such as scanned pages. Run OCR on it first, or install Tesseract, with which Tandem reads them itself.</source>
        <translation>‘{name}’ 파일에는 스캔한 페이지 같은 이미지만 있어요. 먼저 문자 인식(OCR)을 하거나, Tandem이 직접 읽을 수 있게 Tesseract를 설치해 주세요.</translation>
    </message>
    <message>
        <source>{name} takes too long to read and was skipped.</source>
        <translation>‘{name}’ 파일은 읽는 데 시간이 너무 오래 걸려 건너뛰었어요.</translation>
    </message>
    <message>
        <source>{name} takes too much memory to read and was skipped.</source>
        <translation>‘{name}’ 파일은 읽는 데 메모리가 너무 많이 들어 건너뛰었어요.</translation>
    </message>
    <message>
        <source>There was no time left to read {name}. The next question tries again.</source>
        <translation>‘{name}’ 파일을 읽을 시간이 남지 않았어요. 다음 질문 때 다시 읽어요.</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>그 외 {count}개</translation>
    </message>
    <message>
        <source>These files take too long to read and were skipped: {files}</source>
        <translation>다음 파일은 읽는 데 시간이 너무 오래 걸려 건너뛰었어요: {files}</translation>
    </message>
    <message>
        <source>{name} takes too long to read, so the chat begins with what it contained before.</source>
        <translation>‘{name}’ 파일은 읽는 데 시간이 너무 오래 걸려 대화를 이전에 읽은 내용으로 시작해요.</translation>
    </message>
    <message>
        <source>{name} is not a text file. Tandem attaches text, code, documents and pictures.</source>
        <translation>‘{name}’ 파일은 텍스트 파일이 아니에요. Tandem에는 텍스트, 코드, 문서, 이미지를 첨부할 수 있어요.</translation>
    </message>
    <message>
        <source>{name} contains no text.</source>
        <translation>‘{name}’ 파일에는 텍스트가 없어요.</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>파일 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>모두 제거</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>비어 있음</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>토큰 {count}개</translation>
    </message>
    <message>
        <source>reading… page {done} of {count}</source>
        <translation>읽는 중… 전체 {count}쪽 중 {done}쪽</translation>
    </message>
    <message>
        <source>reading… sheet {done} of {count}</source>
        <translation>읽는 중… 전체 시트 {count}개 중 {done}번째</translation>
    </message>
    <message>
        <source>reading… slide {done} of {count}</source>
        <translation>읽는 중… 전체 슬라이드 {count}장 중 {done}번째</translation>
    </message>
    <message>
        <source>reading… chapter {done} of {count}</source>
        <translation>읽는 중… 전체 챕터 {count}개 중 {done}번째</translation>
    </message>
    <message>
        <source>no text</source>
        <translation>텍스트 없음</translation>
    </message>
    <message>
        <source>read as {encoding}</source>
        <translation>{encoding} 인코딩으로 읽음</translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) recognized from pictures</source>
        <translation>
            <numerusform>이미지에서 인식한 페이지 %Ln쪽</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) uncertain</source>
        <translation>
            <numerusform>불확실한 페이지 %Ln쪽</numerusform>
        </translation>
    </message>
    <message>
        <source>left out: {contents}</source>
        <translation>제외: {contents}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s), which this model can&apos;t see</source>
        <translation>
            <numerusform>이미지 %Ln개(이 모델은 볼 수 없음)</numerusform>
        </translation>
    </message>
    <message>
        <source>{shown} of {count} pictures</source>
        <translation>이미지 {count}개 중 {shown}개</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s)</source>
        <translation>
            <numerusform>이미지 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) as pictures, which this model can&apos;t see</source>
        <translation>
            <numerusform>이미지로 첨부한 페이지 %Ln개(이 모델은 볼 수 없음)</numerusform>
        </translation>
    </message>
    <message>
        <source>pages as pictures: {pages}</source>
        <translation>이미지로 첨부한 페이지: {pages}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more page(s) with pictures as text only</source>
        <translation>
            <numerusform>이미지가 있는 나머지 페이지 %Ln개는 텍스트만</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel reading {name}</source>
        <translation>‘{name}’ 읽기 취소</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>‘{name}’ 빼기</translation>
    </message>
    <message>
        <source>Text only</source>
        <translation>텍스트만</translation>
    </message>
    <message>
        <source>Attach the document without its pictures</source>
        <translation>이미지를 빼고 문서 첨부</translation>
    </message>
    <message>
        <source>Read as…</source>
        <translation>다른 인코딩으로 읽기…</translation>
    </message>
    <message>
        <source>If the text looks garbled, choose another encoding.</source>
        <translation>글자가 깨져 있으면 다른 인코딩을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Sheets…</source>
        <translation>시트…</translation>
    </message>
    <message>
        <source>Chapters…</source>
        <translation>챕터…</translation>
    </message>
    <message>
        <source>All sheets</source>
        <translation>모든 시트</translation>
    </message>
    <message>
        <source>All chapters</source>
        <translation>모든 챕터</translation>
    </message>
    <message>
        <source>Slides…</source>
        <translation>슬라이드…</translation>
    </message>
    <message>
        <source>Pages…</source>
        <translation>쪽…</translation>
    </message>
    <message>
        <source>All slides</source>
        <translation>모든 슬라이드</translation>
    </message>
    <message>
        <source>All pages</source>
        <translation>모든 쪽</translation>
    </message>
    <message>
        <source>Attach the ticked sheets</source>
        <translation>선택한 시트 첨부</translation>
    </message>
    <message>
        <source>Attach the ticked chapters</source>
        <translation>선택한 챕터 첨부</translation>
    </message>
    <message>
        <source>First to last, such as 1-40</source>
        <translation>처음부터 끝까지(예: 1-40)</translation>
    </message>
    <message numerus="yes">
        <source>%Ln attached file(s)</source>
        <translation>
            <numerusform>첨부된 파일 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln damaged part(s)</source>
        <translation>
            <numerusform>손상된 부분 %Ln곳</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted passage(s)</source>
        <translation>
            <numerusform>삭제된 부분 %Ln곳</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden column(s)</source>
        <translation>
            <numerusform>숨겨진 열 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden row(s)</source>
        <translation>
            <numerusform>숨겨진 행 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden sheet(s)</source>
        <translation>
            <numerusform>숨겨진 시트 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden slide(s)</source>
        <translation>
            <numerusform>숨겨진 슬라이드 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hidden passage(s)</source>
        <translation>
            <numerusform>숨겨진 텍스트 %Ln곳</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln invisible character(s)</source>
        <translation>
            <numerusform>보이지 않는 문자 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned page(s)</source>
        <translation>
            <numerusform>스캔한 페이지 %Ln쪽</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable byte(s)</source>
        <translation>
            <numerusform>읽을 수 없는 바이트 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln unreadable passage(s)</source>
        <translation>
            <numerusform>읽을 수 없는 텍스트 %Ln곳</numerusform>
        </translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>읽는 중…</translation>
    </message>
</context>
<context>
    <name>BackupControls</name>
    <message>
        <source>The backups cannot be read. Check the permissions of their folder.</source>
        <translation>백업을 읽을 수 없어요. 백업 폴더의 권한을 확인해 주세요.</translation>
    </message>
    <message>
        <source>Tandem makes a backup every day and keeps the last three.</source>
        <translation>매일 백업하고 최근 세 개를 보관해요.</translation>
    </message>
    <message>
        <source>The oldest is from {date}. Chats and messages deleted since then stay in it until it is replaced or deleted.</source>
        <translation>가장 오래된 백업은 {date}에 만들었어요. 그 뒤에 삭제한 대화와 메시지는 백업이 새것으로 바뀌거나 삭제될 때까지 그 안에 남아 있어요.</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>지금 백업</translation>
    </message>
    <message>
        <source>Back up the chats now</source>
        <translation>지금 대화 백업</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>백업 복원…</translation>
    </message>
    <message>
        <source>Restore a backup of the chats</source>
        <translation>대화 백업 복원</translation>
    </message>
    <message numerus="yes">
        <source>{date} · %Ln chat(s)</source>
        <translation>
            <numerusform>{date} · 대화 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>There is no backup yet. Tandem makes one every day.</source>
        <translation>아직 백업이 없어요. Tandem이 매일 하나씩 만들어요.</translation>
    </message>
    <message>
        <source>Don&apos;t restore</source>
        <translation>복원 취소</translation>
    </message>
    <message>
        <source>Chats from {date} will be restored the next time you open Tandem. Your current chats are kept as a backup.</source>
        <translation>다음에 Tandem을 열면 {date}의 대화를 복원해요. 지금의 대화는 백업으로 보관돼요.</translation>
    </message>
    <message>
        <source>Your chats stay as they are.</source>
        <translation>대화는 지금 그대로예요.</translation>
    </message>
    <message>
        <source>The chats could not be backed up. Check whether there is free space on the disk.</source>
        <translation>대화를 백업하지 못했어요. 디스크에 빈 공간이 있는지 확인해 주세요.</translation>
    </message>
    <message>
        <source>The chats were backed up to {file}.</source>
        <translation>대화를 {file}에 백업했어요.</translation>
    </message>
    <message>
        <source>All backups were deleted.</source>
        <translation>모든 백업을 삭제했어요.</translation>
    </message>
    <message>
        <source>Some backups could not be deleted. Check the permissions of their folder.</source>
        <translation>일부 백업을 삭제하지 못했어요. 백업 폴더의 권한을 확인해 주세요.</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message numerus="yes">
        <source>%Ln more notice(s)</source>
        <translation>
            <numerusform>알림 %Ln개 더 있음</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BrowserButton</name>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Could not be opened</source>
        <translation>열지 못했어요</translation>
    </message>
</context>
<context>
    <name>CallCard</name>
    <message>
        <source>Show or hide the arguments and the result</source>
        <translation>인수와 결과 보기 또는 가리기</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>인수</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Calling… {time}</source>
        <translation>호출 중… {time}</translation>
    </message>
    <message>
        <source>The same call was made before in this answer.</source>
        <translation>이 답변에서 같은 호출이 이미 있었어요.</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>허용 대기 중</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>중단됨</translation>
    </message>
    <message>
        <source>Denied</source>
        <translation>거부됨</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>중지됨</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>The tool waits for your reply.</source>
        <translation>도구가 응답을 기다리고 있어요.</translation>
    </message>
    <message>
        <source>Tandem quit while the tool was running.</source>
        <translation>도구가 실행되는 동안 Tandem이 종료됐어요.</translation>
    </message>
    <message>
        <source>If it stays silent for {time}, it is stopped.</source>
        <translation>{time} 동안 응답이 없으면 중단돼요.</translation>
    </message>
    <message>
        <source>Working: {done} so far.</source>
        <translation>작업 중: 지금까지 {done}.</translation>
    </message>
    <message>
        <source>Working.</source>
        <translation>작업 중이에요.</translation>
    </message>
    <message>
        <source>Working: {done} of {total}.</source>
        <translation>작업 중: {done}/{total}.</translation>
    </message>
    <message>
        <source>Working: {share}.</source>
        <translation>작업 중: {share}.</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>사용 중인</translation>
    </message>
    <message>
        <source>{model} wants to use {tool} of “{server}”.</source>
        <translation>{model} 모델이 ‘{server}’ 서버의 {tool} 도구를 쓰려고 해요.</translation>
    </message>
    <message>
        <source>{model} wants to read {page}</source>
        <translation>{model} 모델이 읽으려는 페이지: {page}</translation>
    </message>
    <message>
        <source>{model} wants to search {service} for {query}</source>
        <translation>{model} 모델이 {service}에서 찾으려는 말: {query}</translation>
    </message>
    <message>
        <source>{model} wants to search the web with {service} for {query}</source>
        <translation>{model} 모델이 {service} 검색으로 웹에서 찾으려는 말: {query}</translation>
    </message>
    <message>
        <source>“{server}” says that this tool only reads.</source>
        <translation>‘{server}’ 서버에 따르면 이 도구는 읽기만 해요.</translation>
    </message>
    <message>
        <source>{site} learns which page you read.</source>
        <translation>{site} 사이트는 어떤 페이지를 읽는지 알게 돼요.</translation>
    </message>
    <message>
        <source>{service} sees these words. It finds its own articles, not all of the web.</source>
        <translation>이 말은 {service} 쪽에 전달돼요. 그곳의 문서만 찾고 웹 전체를 찾지는 않아요.</translation>
    </message>
    <message>
        <source>{service} sees these words.</source>
        <translation>이 말은 {service} 쪽에 전달돼요.</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Opens {address} in your browser.</source>
        <translation>브라우저에서 열어요: {address}</translation>
    </message>
    <message>
        <source>Model page…</source>
        <translation>모델 페이지…</translation>
    </message>
</context>
<context>
    <name>ChatPane</name>
    <message>
        <source>Pinned</source>
        <translation>고정됨</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>오늘</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>어제</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>지난 7일</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>지난 30일</translation>
    </message>
    <message>
        <source>Older</source>
        <translation>이전</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>검색 결과 없음</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>제목 없는 대화</translation>
    </message>
    <message>
        <source>{name}, closed folder</source>
        <translation>{name}, 닫힌 폴더</translation>
    </message>
    <message>
        <source>{name}, folder</source>
        <translation>{name}, 폴더</translation>
    </message>
    <message>
        <source>{title}, generating</source>
        <translation>{title}, 생성 중</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>복원</translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>완전히 삭제</translation>
    </message>
    <message>
        <source>Open in new window</source>
        <translation>새 윈도우에서 열기</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>고정 해제</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>맨 위에 고정</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>폴더로 옮기기</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>복제</translation>
    </message>
    <message>
        <source>Archive chat</source>
        <translation>대화 보관</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>보관 해제</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>New chat in this folder</source>
        <translation>이 폴더에서 새 대화</translation>
    </message>
    <message>
        <source>System prompt and files…</source>
        <translation>시스템 프롬프트와 파일…</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>펼치기</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>접기</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>위로 옮기기</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>아래로 옮기기</translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation>폴더만 삭제하고 대화는 남기기</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>폴더 없음</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>새 폴더…</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>보관함</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>휴지통</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>새 대화</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>대화 검색</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>대화 목록으로 돌아가기</translation>
    </message>
    <message>
        <source>Archive and trash</source>
        <translation>보관함과 휴지통</translation>
    </message>
    <message>
        <source>Delete chats from the backups too</source>
        <translation>백업에서도 대화 삭제</translation>
    </message>
    <message>
        <source>Temporary chat</source>
        <translation>임시 대화</translation>
    </message>
    <message>
        <source>Your chats can&apos;t be read. Quit and reopen Tandem to repair them.</source>
        <translation>대화를 읽을 수 없어요. Tandem을 종료했다가 다시 열면 복구돼요.</translation>
    </message>
    <message>
        <source>No archived chats</source>
        <translation>보관된 대화 없음</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>휴지통이 비어 있어요.</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화 목록</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>새 폴더</translation>
    </message>
</context>
<context>
    <name>ChatSettingsSheet</name>
    <message>
        <source>Saved as “{name}”.</source>
        <translation>‘{name}’ 프리셋으로 저장했어요.</translation>
    </message>
    <message>
        <source>New chats will use these settings.</source>
        <translation>새 대화에 이 설정이 쓰여요.</translation>
    </message>
    <message>
        <source>Chat settings</source>
        <translation>대화 설정</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>프리셋</translation>
    </message>
    <message>
        <source>Preset name</source>
        <translation>프리셋 이름</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>프리셋으로 저장</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Delete the preset</source>
        <translation>프리셋 삭제</translation>
    </message>
    <message>
        <source>Use for new chats</source>
        <translation>새 대화에 사용</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>모두 초기화</translation>
    </message>
</context>
<context>
    <name>CheckReport</name>
    <message>
        <source>Results of the check</source>
        <translation>이 Mac의 점검 결과</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>텍스트로 복사하기</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>보고서 복사하기</translation>
    </message>
    <message>
        <source>Copies the figures and the names of published models as one JSON object, for the table in Tandem&apos;s README. Nothing is sent.</source>
        <translation>측정값과 공개된 모델의 이름을 JSON 객체 하나로 복사해요. Tandem의 README에 있는 표에 올릴 수 있고, 아무것도 전송되지 않아요.</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
    </message>
</context>
<context>
    <name>Checkup</name>
    <message>
        <source>Low Power Mode is on, which makes models slower.</source>
        <translation>저전력 모드가 켜져 있어서 모델이 더 느려요.</translation>
    </message>
    <message>
        <source>Low Power Mode is off.</source>
        <translation>저전력 모드가 꺼져 있어요.</translation>
    </message>
    <message>
        <source>This Mac is hot, which makes models slower.</source>
        <translation>이 Mac이 뜨거워서 모델이 더 느려요.</translation>
    </message>
    <message>
        <source>Tandem can use it.</source>
        <translation>Tandem이 사용할 수 있어요.</translation>
    </message>
    <message>
        <source>macOS does not let Tandem use it. For multiple Macs, turn on Tandem in System Settings &gt; Privacy &amp; Security &gt; Local Network.</source>
        <translation>macOS가 Tandem의 사용을 막고 있어요. 여러 Mac을 쓰려면 ‘시스템 설정 &gt; 개인정보 보호 및 보안 &gt; 로컬 네트워크’에서 Tandem을 켜 주세요.</translation>
    </message>
    <message>
        <source>Not measured.</source>
        <translation>측정하지 않았어요.</translation>
    </message>
    <message>
        <source>Stopped before it was measured.</source>
        <translation>측정하기 전에 중지했어요.</translation>
    </message>
    <message>
        <source>Not measured, because another answer was being written. Try again later.</source>
        <translation>다른 답변을 생성하고 있어서 측정하지 않았어요. 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Chip</source>
        <translation>칩</translation>
    </message>
    <message>
        <source>System</source>
        <translation>시스템</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>버전</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Memory for models</source>
        <translation>모델용 메모리</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>전원</translation>
    </message>
    <message>
        <source>Heat</source>
        <translation>발열</translation>
    </message>
    <message>
        <source>Local network</source>
        <translation>로컬 네트워크</translation>
    </message>
    <message>
        <source>Slow, because OpenBLAS could not be loaded. On Debian and Ubuntu, this command installs it: {command}</source>
        <translation>OpenBLAS를 불러오지 못해서 느려요. Debian과 Ubuntu에서는 다음 명령어로 설치할 수 있어요: {command}</translation>
    </message>
    <message>
        <source>Matrix products</source>
        <translation>행렬 곱셈</translation>
    </message>
    <message>
        <source>Rounding</source>
        <translation>반올림</translation>
    </message>
    <message>
        <source>{speed} tokens/s, {gain}.</source>
        <translation>초당 {speed}토큰({gain})이에요.</translation>
    </message>
    <message>
        <source>{speed} tokens/s.</source>
        <translation>초당 {speed}토큰이에요.</translation>
    </message>
    <message>
        <source>That is not noticeably faster than plain decoding.</source>
        <translation>일반 디코딩보다 눈에 띄게 빠르지 않아요.</translation>
    </message>
    <message>
        <source>- {name}: {value}</source>
        <translation>- {name}: {value}</translation>
    </message>
    <message>
        <source>{total}, of which {free} is free.</source>
        <translation>{total} 중 {free} 사용 가능해요.</translation>
    </message>
    <message>
        <source>iogpu.wired_limit_mb is set to {number}.</source>
        <translation>iogpu.wired_limit_mb 값: {number}</translation>
    </message>
    <message>
        <source>iogpu.wired_limit_mb is not set.</source>
        <translation>iogpu.wired_limit_mb 값이 설정되지 않았어요.</translation>
    </message>
    <message>
        <source>Plain decoding</source>
        <translation>일반 디코딩</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>추측 켬</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>초당 {speed}토큰</translation>
    </message>
    <message>
        <source>Speculation is off in the settings.</source>
        <translation>설정에서 추측 디코딩이 꺼져 있어요.</translation>
    </message>
    <message>
        <source>No draft tokens were used.</source>
        <translation>초안 토큰을 쓰지 않았어요.</translation>
    </message>
    <message>
        <source>{rate}% of the draft tokens were accepted.</source>
        <translation>초안 토큰의 {rate}%가 채택됐어요.</translation>
    </message>
    <message>
        <source>Not reported by the system.</source>
        <translation>시스템에서 확인할 수 없어요.</translation>
    </message>
    <message>
        <source>The neural accelerators of this chip are not used, because this app was built for older versions of macOS. Tandem for macOS 26.2 or newer processes prompts several times as fast.</source>
        <translation>이 앱은 이전 버전의 macOS용이라서 이 칩의 뉴럴 액셀러레이터를 쓰지 못해요. macOS 26.2 이상용 Tandem은 프롬프트를 몇 배 빨리 처리해요.</translation>
    </message>
    <message>
        <source>The neural accelerators of this chip are not used, because the installed MLX was built for older versions of macOS. To process prompts several times as fast, run this command in Tandem&apos;s folder and open Tandem again: {command}</source>
        <translation>설치된 MLX가 이전 버전의 macOS용이라서 이 칩의 뉴럴 액셀러레이터를 쓰지 못해요. 프롬프트를 몇 배 빨리 처리하려면 Tandem 폴더에서 다음 명령어를 실행하고 Tandem을 다시 열어 주세요: {command}</translation>
    </message>
    <message>
        <source>Heat does not slow models down.</source>
        <translation>발열로 느려지지 않았어요.</translation>
    </message>
    <message>
        <source>This Mac is not connected to a network.</source>
        <translation>이 Mac은 네트워크에 연결되어 있지 않아요.</translation>
    </message>
    <message>
        <source>Results of the check</source>
        <translation>이 Mac의 점검 결과</translation>
    </message>
    <message>
        <source>{total}. The system does not report how much of it is free.</source>
        <translation>{total}. 사용 가능한 크기는 시스템에서 확인할 수 없어요.</translation>
    </message>
    <message>
        <source>“Always the same text with and without speculation” is off, so the text may differ by rounding.</source>
        <translation>‘추측 디코딩과 관계없이 항상 같은 텍스트’ 설정이 꺼져 있어서, 반올림에 따라 텍스트가 달라질 수 있어요.</translation>
    </message>
    <message>
        <source>Verification</source>
        <translation>검증</translation>
    </message>
    <message>
        <source>Update to macOS 26.2 or newer: libraries that Tandem uses are built for a newer macOS than this one. On this version, answers can fail or be wrong.</source>
        <translation>macOS 26.2 이상으로 업데이트해 주세요. Tandem이 쓰는 라이브러리가 지금보다 새로운 macOS에 맞춰 만들어졌어요. 지금 버전에서는 답변이 실패하거나 틀릴 수 있어요.</translation>
    </message>
</context>
<context>
    <name>CloseButton</name>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>Cluster</name>
    <message>
        <source>“{detail}” isn&apos;t a name or an address of a computer. Change it and try again.</source>
        <translation>‘{detail}’ 값은 컴퓨터의 이름이나 주소가 아니에요. 바꾸고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>macOS does not let Tandem connect to {host}. Open System Settings &gt; Privacy &amp; Security &gt; Local Network, turn on Tandem, and try again.</source>
        <translation>macOS가 Tandem과 {host} 컴퓨터의 연결을 막고 있어요. ‘시스템 설정 &gt; 개인정보 보호 및 보안 &gt; 로컬 네트워크’에서 Tandem을 켠 다음 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{host} cannot be reached over SSH: {detail}. Allow remote login there, and set up a key that needs no password.</source>
        <translation>{host} 컴퓨터에 SSH로 연결할 수 없어요: {detail}. 그 컴퓨터에서 원격 로그인을 켜고 암호가 필요 없는 키를 설정해 주세요.</translation>
    </message>
    <message>
        <source>Tandem was not found on {host}: {detail}. Install it there.</source>
        <translation>{host} 컴퓨터에서 Tandem을 찾을 수 없어요: {detail}. 그 컴퓨터에 설치해 주세요.</translation>
    </message>
    <message>
        <source>{host} does not have the model: {detail}. Download or copy it there.</source>
        <translation>{host} 컴퓨터에 모델이 없어요: {detail}. 그 컴퓨터에 다운로드하거나 복사해 주세요.</translation>
    </message>
    <message>
        <source>{host} still needs to download {detail} of the model.</source>
        <translation>{host} 컴퓨터에 모델 파일을 {detail} 더 다운로드해야 해요.</translation>
    </message>
    <message>
        <source>{host} disconnected: {detail}. Start again, or continue with a smaller model.</source>
        <translation>{host} 컴퓨터의 연결이 끊겼어요: {detail}. 다시 시작하거나 더 작은 모델로 계속해 주세요.</translation>
    </message>
    <message>
        <source>{host} could not download the model: {detail}. Check its connection and try again.</source>
        <translation>{host} 컴퓨터에서 모델을 다운로드하지 못했어요: {detail}. 연결을 확인하고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{host} does not have enough memory: {detail}. Choose a smaller model.</source>
        <translation>{host} 컴퓨터의 메모리가 부족해요: {detail}. 더 작은 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The model cannot be divided among these computers: {detail}. Choose another model or another number of computers.</source>
        <translation>이 컴퓨터들에 모델을 나눌 수 없어요: {detail}. 다른 모델을 선택하거나 컴퓨터 수를 바꿔 주세요.</translation>
    </message>
    <message>
        <source>{host} did not start within {detail} seconds. Check it and try again.</source>
        <translation>{host} 컴퓨터가 {detail}초 안에 시작되지 않았어요. 확인하고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{host} has not responded for {detail} seconds. Wake it up and check its connection, then start again.</source>
        <translation>{host} 컴퓨터가 {detail}초 동안 응답하지 않았어요. 잠자고 있으면 깨우고, 연결을 확인한 다음 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>{host} computed something different from the other computers: {detail}. Start again.</source>
        <translation>{host} 컴퓨터의 계산 결과가 다른 컴퓨터와 달라요: {detail}. 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>At least two computers are needed, but only {detail} is listed. Add another one.</source>
        <translation>컴퓨터가 두 대 이상 필요하지만 목록에는 {detail}대가 있어요. 한 대를 더 추가해 주세요.</translation>
    </message>
    <message>
        <source>One of the computers</source>
        <translation>이 중 한</translation>
    </message>
    <message>
        <source>The other computers cannot reach {host}. Enter the address that it has on the shared network.</source>
        <translation>다른 컴퓨터에서 {host} 컴퓨터에 연결할 수 없어요. 함께 쓰는 네트워크에서 그 컴퓨터가 쓰는 주소를 입력해 주세요.</translation>
    </message>
    <message>
        <source>{host} has different versions: {detail}. Install the same version of Tandem on all computers.</source>
        <translation>{host} 컴퓨터의 버전이 달라요: {detail}. 모든 컴퓨터에 같은 버전의 Tandem을 설치해 주세요.</translation>
    </message>
    <message>
        <source>{host} has different files for the model {detail}. Download or copy it there again.</source>
        <translation>{host} 컴퓨터에 있는 {detail} 모델의 파일이 달라요. 그 컴퓨터에 다시 다운로드하거나 복사해 주세요.</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy this code</source>
        <translation>이 코드 복사하기</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>코드</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>미리보기</translation>
    </message>
    <message>
        <source>Drawn without scripts and without loading anything</source>
        <translation>스크립트를 실행하지 않고 아무것도 불러오지 않은 채 그렸어요</translation>
    </message>
    <message>
        <source>No preview</source>
        <translation>미리보기 없음</translation>
    </message>
    <message>
        <source>Drawing…</source>
        <translation>그리는 중…</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>What would you like to do?</source>
        <translation>무엇을 할까요?</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>명령</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>명령 목록</translation>
    </message>
    <message>
        <source>No matching commands</source>
        <translation>일치하는 명령 없음</translation>
    </message>
</context>
<context>
    <name>ComparisonView</name>
    <message>
        <source>Stopped.</source>
        <translation>중지했어요.</translation>
    </message>
    <message>
        <source>Different texts, both sampled from the main model&apos;s own distribution, because “Same distribution” is selected.</source>
        <translation>두 텍스트는 다르지만 둘 다 메인 모델 자체의 분포에서 뽑은 거예요. ‘동일한 분포’를 선택했기 때문이에요.</translation>
    </message>
    <message>
        <source>The texts differ from token {place} on: {guessed} or {plain}. This should not happen. Please report it and attach the diagnostics from Settings &gt; Advanced.</source>
        <translation>{place}번째 토큰부터 텍스트가 달라요({guessed}, {plain}). 정상적인 동작이 아니에요. ‘설정 &gt; 고급’에서 내보낸 진단 정보를 첨부해 알려 주세요.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Ask in the chat</source>
        <translation>대화에서 질문하기</translation>
    </message>
    <message>
        <source>Use this one</source>
        <translation>이 답변 쓰기</translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation>프롬프트 읽는 중…</translation>
    </message>
    <message>
        <source>The answer is too short to compare speeds.</source>
        <translation>답변이 너무 짧아 속도를 비교할 수 없어요.</translation>
    </message>
    <message numerus="yes">
        <source>The same text as without drafts: all %Ln token(s) match.</source>
        <translation>
            <numerusform>초안 없이 쓴 것과 같은 텍스트예요. 토큰 %Ln개가 모두 일치해요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Identical up to token {place}. There, rounding can decide between {guessed} and {plain}. Both answers are right.</source>
        <translation>{place}번째 토큰 앞까지 동일해요. 그 위치에서 {guessed}, {plain} 중 무엇이 오는지는 반올림에 따라 갈릴 수 있어요. 두 답변 모두 맞아요.</translation>
    </message>
    <message>
        <source>With speculation</source>
        <translation>추측 켬</translation>
    </message>
    <message>
        <source>Without speculation</source>
        <translation>추측 끔</translation>
    </message>
    <message>
        <source>Compare again</source>
        <translation>다시 비교</translation>
    </message>
    <message>
        <source>About {times} as fast, same text</source>
        <translation>약 {times} 속도, 같은 텍스트</translation>
    </message>
    <message>
        <source>About {times} as fast</source>
        <translation>약 {times} 속도</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>텍스트</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>This answer repeats itself, so its speed says nothing about other answers.</source>
        <translation>이 답변은 같은 내용을 반복하므로 다른 답변의 속도는 알 수 없어요.</translation>
    </message>
    <message>
        <source>The same run was much faster another time. Compare again when this Mac is less busy.</source>
        <translation>같은 실행이 다른 때에는 훨씬 빨랐어요. 이 Mac의 부하가 낮을 때 다시 비교해 주세요.</translation>
    </message>
    <message>
        <source>Most answers here are {gain}; this one differs.</source>
        <translation>이 Mac의 답변은 대부분 {gain} 정도예요. 이 답변은 달라요.</translation>
    </message>
    <message>
        <source>With speculation: run {number} of 2</source>
        <translation>추측 켬: {number}/2</translation>
    </message>
    <message>
        <source>Without speculation: run {number} of 2</source>
        <translation>추측 끔: {number}/2</translation>
    </message>
    <message>
        <source>Too busy to measure</source>
        <translation>부하가 높아 측정할 수 없음</translation>
    </message>
    <message>
        <source>Copy as picture</source>
        <translation>이미지로 복사</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>{keys} to send · Enter for a new line</source>
        <translation>{keys}로 보내기 · Enter로 줄바꿈</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>Shorten</source>
        <translation>줄이기</translation>
    </message>
    <message>
        <source>Shorten the message to fit the model&apos;s context</source>
        <translation>메시지를 모델의 컨텍스트에 맞게 줄이기</translation>
    </message>
    <message>
        <source>Enter to send · Shift+Enter for a new line</source>
        <translation>Enter로 보내기 · Shift+Enter로 줄바꿈</translation>
    </message>
</context>
<context>
    <name>ConnectCard</name>
    <message>
        <source>Connect an app</source>
        <translation>앱 연결</translation>
    </message>
    <message>
        <source>App</source>
        <translation>앱</translation>
    </message>
    <message>
        <source>What is written</source>
        <translation>저장할 내용</translation>
    </message>
    <message>
        <source>Write the file</source>
        <translation>파일 저장</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Turn on the local API</source>
        <translation>로컬 API 켜기</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>명령어 복사하기</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>The local API is off: turn it on for the app.</source>
        <translation>로컬 API가 꺼져 있어요. 앱이 연결할 수 있도록 켜 주세요.</translation>
    </message>
    <message>
        <source>Taken back: {file}</source>
        <translation>되돌렸어요: {file}</translation>
    </message>
</context>
<context>
    <name>ConsentButtons</name>
    <message>
        <source>Deny</source>
        <translation>거부</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>허용</translation>
    </message>
    <message>
        <source>Allow {site} in this chat</source>
        <translation>이 대화에서 {site} 허용</translation>
    </message>
    <message>
        <source>Always allow {site}</source>
        <translation>{site} 항상 허용</translation>
    </message>
    <message>
        <source>Allow in this chat</source>
        <translation>이 대화에서 허용</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>항상 허용</translation>
    </message>
    <message>
        <source>Allow this call alone</source>
        <translation>이번 호출만 허용</translation>
    </message>
    <message>
        <source>Allow more than this call</source>
        <translation>이번 호출보다 더 허용</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Queued until the answer has ended.</source>
        <translation>대기 중: 답변이 끝나면 바로 보내요.</translation>
    </message>
    <message>
        <source>Queued until the model is ready.</source>
        <translation>대기 중: 모델이 준비되면 바로 보내요.</translation>
    </message>
    <message>
        <source>Loading models… You can start typing.</source>
        <translation>모델을 불러오고 있어요. 먼저 입력해도 돼요.</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>불러온 메인 모델이 없어요.</translation>
    </message>
    <message>
        <source>This model can&apos;t see pictures</source>
        <translation>이 모델은 이미지를 볼 수 없어요</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model, mostly {name}</source>
        <translation>토큰 {limit}개 중 {used}개: 이 모델에는 너무 길어요(가장 큰 것: {name})</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model</source>
        <translation>토큰 {limit}개 중 {used}개: 이 모델에는 너무 길어요</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: the oldest messages are dropped</source>
        <translation>토큰 {limit}개 중 {used}개: 오래된 메시지부터 제외돼요</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>토큰 {limit}개 중 {used}개</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>오래된 메시지부터 제외</translation>
    </message>
    <message>
        <source>Keep the first {count} tokens of {name}</source>
        <translation>‘{name}’ 파일의 앞쪽 토큰 {count}개만 남기기</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copy</source>
        <translation>복사하기</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
    </message>
</context>
<context>
    <name>CountedCalls</name>
    <message numerus="yes">
        <source>%Ln token(s)</source>
        <translation>
            <numerusform>토큰 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln request(s) under way.</source>
        <translation>
            <numerusform>요청 %Ln개를 처리하고 있어요.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedTools</name>
    <message numerus="yes">
        <source>%Ln tool(s) ready.</source>
        <translation>
            <numerusform>도구 %Ln개를 쓸 수 있어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more</source>
        <comment>at the end of a list of tools</comment>
        <translation>
            <numerusform>외 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>about %Ln minute(s) left</source>
        <translation>
            <numerusform>약 %Ln분 남음</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln hour(s) left</source>
        <translation>
            <numerusform>약 %Ln시간 남음</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Details</name>
    <message>
        <source>Details</source>
        <translation>자세히</translation>
    </message>
    <message>
        <source>First token after {time}</source>
        <translation>첫 토큰까지 {time}</translation>
    </message>
    <message>
        <source>{time} of it for pictures</source>
        <translation>그중 {time}는 이미지 처리</translation>
    </message>
    <message>
        <source>drafts saved {time}</source>
        <translation>초안으로 {time} 절약</translation>
    </message>
    <message>
        <source>{cached} of {prompt} prompt tokens were remembered.</source>
        <translation>프롬프트 토큰 {prompt}개 중 {cached}개를 기억하고 있었어요.</translation>
    </message>
</context>
<context>
    <name>DocumentParts</name>
    <message>
        <source>rows 1 to {last} of {count}</source>
        <translation>전체 {count}행 중 1~{last}행</translation>
    </message>
    <message>
        <source>lines 1 to {last} of {count}</source>
        <translation>전체 {count}줄 중 1~{last}번째 줄</translation>
    </message>
    <message>
        <source>the end is left out</source>
        <translation>끝부분 제외</translation>
    </message>
    <message>
        <source>sheets of {count}: {names}</source>
        <translation>전체 시트 {count}개 중: {names}</translation>
    </message>
    <message>
        <source>chapters of {count}: {names}</source>
        <translation>전체 챕터 {count}개 중: {names}</translation>
    </message>
    <message>
        <source>slide {first} of {count}</source>
        <translation>전체 슬라이드 {count}장 중 {first}번</translation>
    </message>
    <message>
        <source>chapter {first} of {count}</source>
        <translation>전체 챕터 {count}개 중 {first}번</translation>
    </message>
    <message>
        <source>slides {first} to {last} of {count}</source>
        <translation>전체 슬라이드 {count}장 중 {first}~{last}</translation>
    </message>
    <message>
        <source>Ask about chapters {first} to {last} of {name}</source>
        <translation>‘{name}’ 파일의 챕터 {first}~{last}에 대해 질문</translation>
    </message>
    <message>
        <source>page {first} of {count}</source>
        <translation>전체 {count}쪽 중 {first}쪽</translation>
    </message>
    <message>
        <source>pages {first} to {last} of {count}</source>
        <translation>전체 {count}쪽 중 {first}~{last}쪽</translation>
    </message>
    <message>
        <source>chapters {first} to {last} of {count}</source>
        <translation>전체 챕터 {count}개 중 {first}~{last}</translation>
    </message>
    <message>
        <source>Ask about {sheets} of {name}</source>
        <translation>‘{name}’ 파일의 {sheets} 시트에 대해 질문</translation>
    </message>
    <message>
        <source>Ask about the chapters {chapters} of {name}</source>
        <translation>‘{name}’ 파일의 {chapters} 챕터에 대해 질문</translation>
    </message>
    <message>
        <source>Ask about slide {first} of {name}</source>
        <translation>‘{name}’ 파일의 슬라이드 {first}에 대해 질문</translation>
    </message>
    <message>
        <source>Ask about chapter {first} of {name}</source>
        <translation>‘{name}’ 파일의 챕터 {first}에 대해 질문</translation>
    </message>
    <message>
        <source>Ask about slides {first} to {last} of {name}</source>
        <translation>‘{name}’ 파일의 슬라이드 {first}~{last}에 대해 질문</translation>
    </message>
    <message>
        <source>Ask about page {first} of {name}</source>
        <translation>‘{name}’ 파일의 {first}쪽에 대해 질문</translation>
    </message>
    <message>
        <source>Ask about pages {first} to {last} of {name}</source>
        <translation>‘{name}’ 파일의 {first}~{last}쪽에 대해 질문</translation>
    </message>
</context>
<context>
    <name>DownloadCard</name>
    <message>
        <source>Resume</source>
        <translation>다시 시작</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>I&apos;ve been granted access</source>
        <translation>권한을 받았어요</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>일시 정지</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>목록에서 지우기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Something went wrong in the engine. Try again.</source>
        <translation>엔진에 문제가 생겼어요. 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{actual}” isn&apos;t a valid value for {name}. Change it and try again.</source>
        <translation>{name}에 ‘{actual}’ 값은 쓸 수 없어요. 바꾼 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>No main model is loaded. Choose one at the top of the window.</source>
        <translation>불러온 메인 모델이 없어요. 윈도우 위쪽에서 선택해 주세요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template rejected this chat: {detail}. Start a new chat or choose another model.</source>
        <translation>모델의 대화 템플릿이 이 대화를 거부했어요({detail}). 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{limit} questions are already queued. Try again when one of them has been answered.</source>
        <translation>이미 질문 {limit}개가 대기 중이에요. 그중 하나의 답변이 끝나면 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template produced an empty prompt for this chat. Start a new chat or choose another model.</source>
        <translation>모델의 대화 템플릿이 이 대화에서 빈 프롬프트를 만들었어요. 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. It fits with {largest} tokens: shorten the context or choose a smaller draft model.</source>
        <translation>{name} 모델은 컨텍스트 {context}토큰에 메모리 {needed}GB가 필요한데 모델이 쓸 수 있는 메모리는 {available}GB예요. {largest}토큰이면 들어가요. 컨텍스트를 줄이거나 더 작은 초안 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and models can use {available} GB. Choose a smaller model.</source>
        <translation>{name} 모델은 컨텍스트 {context}토큰에 메모리 {needed}GB가 필요한데 모델이 쓸 수 있는 메모리는 {available}GB예요. 더 작은 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>It fits with a {bits}-bit KV cache (Settings &gt; Generation).</source>
        <translation>KV 캐시를 {bits}비트로 하면 들어가요(설정 &gt; 생성).</translation>
    </message>
    <message>
        <source>A draft model of up to {draft} GB would fit.</source>
        <translation>초안 모델은 {draft}GB까지 들어가요.</translation>
    </message>
    <message>
        <source>The engine has stopped. Restart Tandem.</source>
        <translation>엔진이 멈췄어요. Tandem을 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>The engine hit an unexpected error: {detail}. Try again; if it happens again, restart Tandem.</source>
        <translation>엔진에서 예상하지 못한 오류가 났어요({detail}). 다시 시도해 보고, 또 생기면 Tandem을 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped after {detail} seconds with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>이 대화에서 모델의 대화 템플릿이 {detail}초를 넘겨 중단했어요. 메시지를 줄이거나 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template was stopped because it took too much memory with this chat. Shorten your message, start a new chat or choose another model.</source>
        <translation>이 대화에서 모델의 대화 템플릿이 메모리를 너무 많이 써서 중단했어요. 메시지를 줄이거나 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The answer format can&apos;t be used: {detail}.</source>
        <translation>답변 형식을 사용할 수 없어요: {detail}.</translation>
    </message>
    <message>
        <source>The schema isn&apos;t valid JSON: {detail}.</source>
        <translation>스키마가 올바른 JSON이 아니에요: {detail}.</translation>
    </message>
    <message>
        <source>Loading was cancelled.</source>
        <translation>불러오기를 취소했어요.</translation>
    </message>
    <message>
        <source>Preparing this chat for the model failed several times. Close other apps to free up memory, then try again. If that doesn&apos;t help, choose another model.</source>
        <translation>모델에 보낼 대화를 준비하는 데 여러 번 실패했어요. 다른 앱을 닫아 메모리를 확보한 후 다시 시도해 주세요. 그래도 안 되면 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The schema has to be a JSON object in braces.</source>
        <translation>스키마는 중괄호로 묶은 JSON 객체여야 해요.</translation>
    </message>
    <message>
        <source>The answer format is too large. Shorten it.</source>
        <translation>답변 형식이 너무 커요. 줄여 주세요.</translation>
    </message>
    <message>
        <source>The answer format is too complex: checking it was stopped after {detail} seconds. Simplify it.</source>
        <translation>답변 형식이 너무 복잡해서 {detail}초 뒤에 확인을 중단했어요. 더 단순하게 바꿔 주세요.</translation>
    </message>
    <message>
        <source>The answer format is too complex: checking it took too much memory. Simplify it.</source>
        <translation>답변 형식이 너무 복잡해서 확인하는 데 메모리가 너무 많이 필요했어요. 더 단순하게 바꿔 주세요.</translation>
    </message>
    <message>
        <source>The answer so far doesn&apos;t follow the answer format, so it can&apos;t be continued. Regenerate it, or choose text as the answer format.</source>
        <translation>지금까지의 답변이 답변 형식과 맞지 않아 계속할 수 없어요. 다시 생성하거나 답변 형식을 ‘텍스트’로 바꿔 주세요.</translation>
    </message>
    <message>
        <source>The answer format became too complex while the answer was being written. Simplify it and try again.</source>
        <translation>답변을 생성하는 동안 답변 형식이 너무 복잡해졌어요. 더 단순하게 바꾼 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>This chat is {tokens} tokens long; the model&apos;s context is {limit}. Start a new chat, shorten your message or choose a model with a longer context.</source>
        <translation>이 대화는 {tokens}토큰인데 모델의 컨텍스트는 {limit}토큰이에요. 새 대화를 시작하거나, 메시지를 줄이거나, 컨텍스트가 더 긴 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The GPU failed, so all answers were stopped. Try again; if it happens again, choose a smaller model, ask fewer questions at once or start a new chat.</source>
        <translation>GPU에 오류가 나서 모든 답변을 중단했어요. 다시 시도해 보고, 또 생기면 더 작은 모델을 선택하거나 한 번에 묻는 질문을 줄이거나 새 대화를 시작해 주세요.</translation>
    </message>
    <message>
        <source>The GPU failed twice in a row, so {name} was unloaded. Choose a smaller model, ask fewer questions at once or start a new chat; the next question loads the model again.</source>
        <translation>GPU 오류가 두 번 연달아 나서 {name} 모델을 언로드했어요. 더 작은 모델을 선택하거나 한 번에 묻는 질문을 줄이거나 새 대화를 시작해 주세요. 다음 질문을 보내면 모델을 다시 불러와요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template leaves pictures of this chat out. Choose another model.</source>
        <translation>모델의 대화 템플릿이 이 대화의 이미지를 빠뜨려요. 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>These parts of the schema can&apos;t be checked while an answer is being written, so an answer may differ from them: {detail}.</source>
        <translation>스키마의 다음 부분은 답변을 쓰는 동안 확인할 수 없어서 답변이 이와 다를 수 있어요: {detail}.</translation>
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
        <translation>{value}ms</translation>
    </message>
    <message>
        <source>{value} s</source>
        <translation>{value}초</translation>
    </message>
    <message>
        <source>{value} min</source>
        <translation>{value}분</translation>
    </message>
    <message>
        <source>{value} h</source>
        <translation>{value}시간</translation>
    </message>
    <message>
        <source>{value}×</source>
        <translation>{value}배</translation>
    </message>
    <message>
        <source>Low Power Mode is on: this Mac runs slower, with speculation and without it.</source>
        <translation>저전력 모드가 켜져 있어요. 추측 디코딩과 관계없이 이 Mac이 더 느려져요.</translation>
    </message>
    <message>
        <source>This Mac is hot and runs slower, with speculation and without it.</source>
        <translation>이 Mac이 뜨거워져서 추측 디코딩과 관계없이 더 느려져요.</translation>
    </message>
    <message>
        <source>{value} tokens/s</source>
        <translation>초당 {value}토큰</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low}~{high}</translation>
    </message>
    <message>
        <source>{times} as fast</source>
        <translation>{times} 속도</translation>
    </message>
    <message>
        <source>{value} to first token</source>
        <translation>첫 토큰까지 {value}</translation>
    </message>
    <message>
        <source>older messages left out: {value}</source>
        <translation>제외한 이전 메시지 {value}개</translation>
    </message>
    <message>
        <source>This text was given before, so this answer does not count in totals.</source>
        <translation>전에 나온 텍스트와 같아서 이 답변은 합계에 넣지 않아요.</translation>
    </message>
    <message>
        <source>{speed} tokens a second</source>
        <translation>초당 {speed}토큰</translation>
    </message>
    <message>
        <source>Round {number}: main model only</source>
        <translation>라운드 {number}: 메인 모델만</translation>
    </message>
    <message>
        <source>Rejected: {text}</source>
        <translation>기각됨: {text}</translation>
    </message>
    <message>
        <source>This draft does not fit this model: fewer than 2% of its tokens are accepted. Choose another draft, or none.</source>
        <translation>이 초안 모델은 지금의 메인 모델에 맞지 않아요. 초안 토큰이 2%도 채택되지 않아요. 다른 초안 모델을 선택하거나 초안 모델 없이 사용해 주세요.</translation>
    </message>
    <message>
        <source>main</source>
        <translation>메인</translation>
    </message>
    <message>
        <source>drafted ahead</source>
        <translation>미리 쓴 초안</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>초안</translation>
    </message>
    <message>
        <source>head</source>
        <translation>초안 헤드</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>프롬프트 룩업</translation>
    </message>
    <message>
        <source>from your chats</source>
        <translation>지난 대화</translation>
    </message>
    <message>
        <source>macOS is almost out of memory: this Mac runs slower, and Tandem reads the whole chat again before each answer. Close other apps.</source>
        <translation>macOS에 메모리가 거의 남지 않아서 이 Mac이 더 느려지고, Tandem이 답변할 때마다 대화를 처음부터 다시 읽어요. 다른 앱을 닫아 주세요.</translation>
    </message>
    <message>
        <source>answer format</source>
        <translation>답변 형식</translation>
    </message>
    <message>
        <source>Repetitions are easy to draft, so this answer does not count in totals.</source>
        <translation>반복되는 내용은 초안을 만들기 쉬우므로 이 답변은 합계에 넣지 않아요.</translation>
    </message>
    <message>
        <source>This Mac is busy: even plain decoding takes {times} as long as usual.</source>
        <translation>이 Mac의 부하가 높아요. 일반 디코딩조차 평소의 {times} 시간이 걸려요.</translation>
    </message>
    <message>
        <source>{accepted} of {drafted} drafts accepted</source>
        <translation>초안 {drafted}개 중 {accepted}개 채택</translation>
    </message>
    <message>
        <source>{value} tokens a round instead of 1</source>
        <translation>라운드마다 토큰 1개 대신 {value}개</translation>
    </message>
    <message>
        <source>{value} tokens a round</source>
        <translation>라운드당 토큰 {value}개</translation>
    </message>
    <message>
        <source>Slow: this Mac is busy</source>
        <translation>느림: 이 Mac의 부하가 높아요</translation>
    </message>
    <message>
        <source>Round {number}: {accepted} of {drafted} drafts accepted ({source})</source>
        <translation>라운드 {number}: 초안 {drafted}개 중 {accepted}개 채택({source})</translation>
    </message>
    <message>
        <source>First token: main model only</source>
        <translation>첫 토큰: 메인 모델만</translation>
    </message>
</context>
<context>
    <name>FileReasons</name>
    <message>
        <source>{path} cannot be read or written to. Check its permissions and those of its folder, then try again.</source>
        <translation>{path}에 접근할 수 없어 읽거나 쓸 수 없어요. 이 항목과 상위 폴더의 권한을 확인한 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{path} cannot be written to, because its disk is read-only. Make the disk writable, then try again.</source>
        <translation>디스크가 읽기 전용이라 {path}에 쓸 수 없어요. 디스크에 쓸 수 있게 한 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{path} cannot be written to, because the disk is full. Free up space, then try again.</source>
        <translation>디스크가 가득 차서 {path}에 쓸 수 없어요. 공간을 비운 뒤 다시 시도해 주세요.</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{place} of {count}</source>
        <translation>{count}개 중 {place}번째</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>결과 없음</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>이 대화에서 찾기</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>이전 결과</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>다음 결과</translation>
    </message>
</context>
<context>
    <name>FirstRunOffer</name>
    <message>
        <source>Not now</source>
        <translation>나중에</translation>
    </message>
    <message>
        <source>Other models…</source>
        <translation>다른 모델…</translation>
    </message>
    <message>
        <source>The Starter only knows Tandem.</source>
        <translation>스타터는 Tandem에 대해서만 알아요.</translation>
    </message>
</context>
<context>
    <name>FolderCard</name>
    <message>
        <source>Not connected. Connect the disk that this folder is on to see its models.</source>
        <translation>연결되어 있지 않아요. 이 폴더가 있는 디스크를 연결하면 모델이 보여요.</translation>
    </message>
    <message>
        <source>No other models were found in this folder.</source>
        <translation>이 폴더에서 다른 모델을 찾지 못했어요.</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>목록에서 제거</translation>
    </message>
</context>
<context>
    <name>FolderPage</name>
    <message>
        <source>Name of the folder</source>
        <translation>폴더 이름</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>파일 추가…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>폴더 추가…</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>New chat in this folder</source>
        <translation>이 폴더에서 새 대화</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Every chat in this folder begins with all of these files, which the model reads whole; of documents, it gets the text without the pictures.</source>
        <translation>이 폴더의 모든 대화는 이 파일들로 시작하고, 모델이 파일 전체를 읽어요. 문서에서는 이미지를 뺀 텍스트만 읽어요.</translation>
    </message>
    <message>
        <source>New chats begin with</source>
        <translation>새 대화를 시작할 때</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>프리셋</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>파일 추가</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>폴더 추가</translation>
    </message>
    <message>
        <source>As in other chats</source>
        <translation>다른 대화와 같게</translation>
    </message>
    <message>
        <source>Those that are loaded</source>
        <translation>불러온 모델</translation>
    </message>
    <message>
        <source>On</source>
        <translation>켬</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>끔</translation>
    </message>
    <message>
        <source>Chats begin with what it contained before.</source>
        <translation>대화는 이전에 읽은 내용으로 시작해요.</translation>
    </message>
    <message>
        <source>Not read: {files}</source>
        <translation>읽지 않음: {files}</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>토큰 {limit}개 중 {used}개</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens leave too little room for a chat. Remove: {files}</source>
        <translation>토큰 {limit}개 중 {used}개: 대화할 공간이 부족해요. 뺄 파일: {files}</translation>
    </message>
</context>
<context>
    <name>GeneralPage</name>
    <message>
        <source>{keys} belongs to another app or to macOS. Choose other keys.</source>
        <translation>{keys} 단축키는 다른 앱이나 macOS에서 쓰고 있어요. 다른 키를 골라 주세요.</translation>
    </message>
    <message>
        <source>{keys} does not work. Use ⌃, ⌥ or ⌘ with a letter, digit, space or function key.</source>
        <translation>{keys} 단축키는 쓸 수 없어요. ⌃, ⌥ 또는 ⌘ 키를 영문자, 숫자, 스페이스 바 또는 기능 키와 함께 눌러 주세요.</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Main</source>
        <translation>메인</translation>
    </message>
    <message>
        <source>Main model: {name}</source>
        <translation>메인 모델: {name}</translation>
    </message>
    <message>
        <source>Converting {name}&#xa0;· once</source>
        <translation>{name} 변환 중(한 번만)</translation>
    </message>
    <message>
        <source>Converting {name}&#xa0;· once, {left}</source>
        <translation>{name} 변환 중(한 번만), {left}</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>초안</translation>
    </message>
    <message>
        <source>Draft (off)</source>
        <translation>초안(꺼짐)</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>불러오기 취소</translation>
    </message>
    <message>
        <source>Draft model: {name}. {state}</source>
        <translation>초안 모델: {name}. {state}</translation>
    </message>
    <message>
        <source>Draft head: {name}. {state}</source>
        <translation>초안 헤드: {name}. {state}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>불러오는 중…</translation>
    </message>
    <message>
        <source>Loading… {share}</source>
        <translation>불러오는 중… {share}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download(s) running</source>
        <translation>
            <numerusform>다운로드 %Ln개 진행 중</numerusform>
        </translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>불러오는 중…</translation>
    </message>
    <message>
        <source>Draft head (off)</source>
        <translation>초안 헤드(꺼짐)</translation>
    </message>
    <message>
        <source>Draft head</source>
        <translation>초안 헤드</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Draft source: {name}. {state}</source>
        <translation>초안 생성 방법: {name}. {state}</translation>
    </message>
</context>
<context>
    <name>HelpCard</name>
    <message>
        <source>Take me there.</source>
        <translation>바로 가기</translation>
    </message>
</context>
<context>
    <name>HelpSearch</name>
    <message>
        <source>Questions</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>도움말 검색</translation>
    </message>
    <message>
        <source>What would you like to know?</source>
        <translation>무엇이 궁금하세요?</translation>
    </message>
    <message>
        <source>No matching questions</source>
        <translation>일치하는 질문 없음</translation>
    </message>
    <message>
        <source>Tandem help</source>
        <translation>Tandem 도움말</translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>given before</source>
        <translation>전과 같음</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>날짜</translation>
    </message>
    <message>
        <source>Main model</source>
        <translation>메인 모델</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>초안 모델</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>방법</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>출처</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>속도 배율</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>초당 토큰</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>{program}, through the local API: only statistics are kept</source>
        <translation>{program}, 로컬 API: 통계만 저장됨</translation>
    </message>
    <message>
        <source>{title}: double-click to show the answer</source>
        <translation>{title}: 이중 클릭하면 답변 보기</translation>
    </message>
    <message>
        <source>repeats itself</source>
        <translation>반복</translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation>도구 호출</translation>
    </message>
    <message>
        <source>{accepted} of {drafted}</source>
        <translation>{drafted}개 중 {accepted}개</translation>
    </message>
    <message>
        <source>Drafts accepted</source>
        <translation>채택된 초안</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>All models</source>
        <translation>모든 모델</translation>
    </message>
    <message>
        <source>No speed-up measured yet. Compare measures it.</source>
        <translation>아직 속도 배율을 측정하지 못했어요. 비교하면 측정돼요.</translation>
    </message>
    <message>
        <source>No answers yet. Each answer adds a row with its speed-up.</source>
        <translation>아직 답변이 없어요. 답변할 때마다 속도 배율이 담긴 행이 추가돼요.</translation>
    </message>
    <message>
        <source>{main} is {faster} with {draft} on this Mac.</source>
        <translation>이 Mac에서 {main} + {draft}: {faster}</translation>
    </message>
    <message>
        <source>{main} is {faster} with prompt lookup on this Mac.</source>
        <translation>이 Mac에서 {main} + 프롬프트 룩업: {faster}</translation>
    </message>
    <message>
        <source>Export the history</source>
        <translation>기록 내보내기</translation>
    </message>
    <message>
        <source>Saved to {file}.</source>
        <translation>{file}에 저장했어요.</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>파일을 저장하지 못했어요. 다른 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Answers and statistics</source>
        <translation>답변과 통계</translation>
    </message>
    <message>
        <source>Draft tokens made no answers noticeably faster so far.</source>
        <translation>지금까지 초안 토큰으로 눈에 띄게 빨라진 답변이 없어요.</translation>
    </message>
    <message>
        <source>Export as {kind}</source>
        <translation>{kind} 형식으로 내보내기</translation>
    </message>
    <message>
        <source>Compare measured no speed-up yet: this Mac was too busy, or the answer too short.</source>
        <translation>비교했지만 아직 속도 배율을 측정하지 못했어요. 이 Mac의 부하가 너무 높았거나 답변이 너무 짧았어요.</translation>
    </message>
</context>
<context>
    <name>HubErrors</name>
    <message>
        <source>“Work offline” is on, so Tandem does not connect. Turn it off in the settings.</source>
        <translation>‘오프라인 작업’이 켜져 있어 연결하지 않아요. 설정에서 꺼 주세요.</translation>
    </message>
    <message>
        <source>The proxy does not respond or refuses to connect. Check its address in the settings.</source>
        <translation>프록시가 응답하지 않거나 연결을 거부해요. 설정에서 주소를 확인해 주세요.</translation>
    </message>
    <message>
        <source>{endpoint} does not respond like Hugging Face. Check your connection, or the mirror in the settings.</source>
        <translation>{endpoint}의 응답이 Hugging Face와 달라요. 인터넷 연결이나 설정의 미러를 확인해 주세요.</translation>
    </message>
    <message>
        <source>Hugging Face is having problems (error {status}). Try again later.</source>
        <translation>Hugging Face에 문제가 있어요(오류 {status}). 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Hugging Face is rate-limiting requests. Try again later.</source>
        <translation>Hugging Face가 요청 수를 제한하고 있어요. 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{repository}” isn&apos;t a model ID. Use organization/name or a model page URL.</source>
        <translation>모델 ID가 올바르지 않아요(‘{repository}’). ‘조직/이름’ 형식이나 모델 페이지의 URL을 입력해 주세요.</translation>
    </message>
    <message>
        <source>There is no model {repository}, or it is private. Check its name, or add a token in the settings.</source>
        <translation>{repository} 모델이 없거나 비공개예요. 이름을 확인하거나 설정에서 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>{repository} has no version {revision}.</source>
        <translation>{repository} 모델에는 {revision} 버전이 없어요.</translation>
    </message>
    <message>
        <source>{repository} is gated. Accept the terms on its page, then add a token in the settings.</source>
        <translation>{repository} 모델을 받으려면 먼저 약관에 동의해야 해요. 모델 페이지에서 동의한 뒤 설정에서 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>Your token has no access to {repository}. Ask its owners, or add another token in the settings.</source>
        <translation>이 토큰으로는 {repository} 모델에 접근할 수 없어요. 소유자에게 문의하거나 설정에서 다른 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>Can&apos;t reach Hugging Face. Check your connection and try again.</source>
        <translation>Hugging Face에 연결할 수 없어요. 인터넷 연결을 확인하고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The certificate of Hugging Face isn&apos;t trusted on this Mac. Check the mirror and the proxy in the settings.</source>
        <translation>이 Mac에서 Hugging Face의 인증서를 신뢰할 수 없어요. 설정에서 미러와 프록시를 확인해 주세요.</translation>
    </message>
    <message>
        <source>Hugging Face takes too long to answer. Try again later.</source>
        <translation>Hugging Face의 응답이 너무 느려요. 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{file} arrives too slowly. Try again later or from another connection; nothing is lost.</source>
        <translation>{file} 파일을 받는 속도가 너무 느려요. 나중에, 또는 다른 네트워크에서 다시 시도해 주세요. 받은 내용은 그대로 남아 있어요.</translation>
    </message>
    <message>
        <source>Hugging Face no longer has {file} of {repository}. Choose another model.</source>
        <translation>{repository} 모델의 {file} 파일이 더 이상 Hugging Face에 없어요. 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Hugging Face rejected your token: it is wrong, expired or revoked. Add a new one in the settings.</source>
        <translation>Hugging Face가 토큰을 거부했어요. 잘못됐거나 만료됐거나 취소된 토큰이에요. 설정에서 새 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>{repository} has neither MLX weights nor GGUF files. Search for an MLX version of this model.</source>
        <translation>{repository} 모델에는 MLX 가중치도 GGUF 파일도 없어요. 이 모델의 MLX 버전을 검색해 주세요.</translation>
    </message>
    <message>
        <source>“{tag}” does not name one quantization of {repository}. Choose from: {tags}.</source>
        <translation>‘{tag}’만으로는 {repository}의 양자화를 하나로 정할 수 없어요. 다음 중에서 선택해 주세요: {tags}</translation>
    </message>
    <message>
        <source>{repository} refers to a file outside its folder ({file}). Tandem won&apos;t download it.</source>
        <translation>{repository} 모델이 폴더 밖의 파일({file})을 가리켜요. Tandem은 이런 파일을 다운로드하지 않아요.</translation>
    </message>
    <message>
        <source>{needed} needed, but only {free} free on the disk. Free up space, then try again.</source>
        <translation>공간이 {needed} 필요한데 디스크에 {free}만 남았어요. 공간을 비운 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The disk is full. Free up space, then try again; nothing is lost.</source>
        <translation>디스크가 가득 찼어요. 공간을 비운 뒤 다시 시도해 주세요. 받은 내용은 그대로 남아 있어요.</translation>
    </message>
    <message>
        <source>{path} cannot be written to. Check its permissions.</source>
        <translation>{path}에 쓸 수 없어요. 쓰기 권한을 확인해 주세요.</translation>
    </message>
    <message>
        <source>{file} failed its checksum twice. Try again later or from another connection.</source>
        <translation>{file} 파일의 체크섬이 두 번 맞지 않았어요. 나중에, 또는 다른 네트워크에서 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{repository} has no MTP head. Choose another draft.</source>
        <translation>{repository} 모델에는 MTP 헤드가 없어요. 다른 초안을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{repository} lists an MTP head, but none of its files contains one. Choose another draft.</source>
        <translation>{repository} 모델의 구성 파일에는 MTP 헤드가 있다고 되어 있지만 실제 파일에는 없어요. 다른 초안을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The MTP head of {repository} is of a kind that Tandem can&apos;t run yet ({family}).</source>
        <translation>{repository} 모델의 MTP 헤드는 Tandem이 아직 실행할 수 없는 종류예요({family}).</translation>
    </message>
    <message>
        <source>{repository} is no longer on this Mac.</source>
        <translation>{repository} 모델은 이제 이 Mac에 없어요.</translation>
    </message>
    <message>
        <source>Another program is downloading {repository}. Wait until it has finished.</source>
        <translation>다른 프로그램이 {repository} 모델을 다운로드하고 있어요. 끝날 때까지 기다려 주세요.</translation>
    </message>
    <message>
        <source>The starter pair is part of Tandem and can&apos;t be deleted.</source>
        <translation>스타터 모델 쌍은 Tandem의 일부라서 삭제할 수 없어요.</translation>
    </message>
    <message>
        <source>This model belongs to {app}. Delete it there.</source>
        <translation>{app} 앱의 모델이에요. 그 앱에서 삭제해 주세요.</translation>
    </message>
    <message>
        <source>This head is part of its main model&apos;s files. To delete it, delete the main model.</source>
        <translation>이 헤드는 메인 모델 파일의 일부예요. 삭제하려면 메인 모델을 삭제해 주세요.</translation>
    </message>
    <message>
        <source>This model is in your own folder {path}, which Tandem never deletes.</source>
        <translation>직접 추가한 폴더 {path}의 모델이라 Tandem에서 삭제하지 않아요.</translation>
    </message>
    <message>
        <source>Can&apos;t move {path} to the Trash. Nothing was deleted.</source>
        <translation>{path} 항목을 휴지통으로 옮길 수 없어요. 삭제된 것은 없어요.</translation>
    </message>
</context>
<context>
    <name>ImportCard</name>
    <message>
        <source>Import chats</source>
        <translation>대화 가져오기</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>폴더 선택…</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>파일 선택…</translation>
    </message>
    <message>
        <source>{menu}. A link to the ZIP file comes by mail.</source>
        <translation>{menu}. ZIP 파일 링크가 메일로 와요.</translation>
    </message>
    <message>
        <source>{menu}, as JSON</source>
        <translation>{menu}, JSON 형식</translation>
    </message>
    <message>
        <source>The ZIP file with the data of your account</source>
        <translation>계정 데이터의 ZIP 파일</translation>
    </message>
    <message>
        <source>The files in {folder}</source>
        <translation>{folder}의 파일</translation>
    </message>
    <message>
        <source>A thread&apos;s messages.jsonl, beside its thread.json</source>
        <translation>스레드의 messages.jsonl(같은 폴더에 thread.json)</translation>
    </message>
    <message>
        <source>The backup, a ZIP file</source>
        <translation>백업 ZIP 파일</translation>
    </message>
    <message>
        <source>File › Export all chats…</source>
        <translation>파일 › 모든 대화 내보내기…</translation>
    </message>
    <message>
        <source>Importing a file again adds only what is new. When choosing, {keys} goes to a hidden folder.</source>
        <translation>같은 파일을 다시 가져오면 새로운 내용만 추가돼요. 선택 창에서 {keys}를 누르면 숨김 폴더로 갈 수 있어요.</translation>
    </message>
</context>
<context>
    <name>ImportExport</name>
    <message>
        <source>Untitled chat</source>
        <translation>제목 없는 대화</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>대화 내보내기</translation>
    </message>
    <message>
        <source>Tandem chats</source>
        <translation>Tandem 대화</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>모든 대화 내보내기</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>대화 가져오기</translation>
    </message>
    <message>
        <source>Exported to {name}.</source>
        <translation>‘{name}’ 파일로 내보냈어요.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) exported.</source>
        <translation>
            <numerusform>대화 %Ln개를 내보냈어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Exporting to {name}…</source>
        <translation>‘{name}’ 파일로 내보내는 중…</translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %Ln chat(s) so far.</source>
        <translation>
            <numerusform>‘{name}’ 파일에서 지금까지 대화 %Ln개를 가져왔어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} could not be read or written: {detail}</source>
        <translation>‘{name}’ 파일을 읽거나 쓰지 못했어요: {detail}</translation>
    </message>
    <message>
        <source>Show in Finder</source>
        <translation>Finder에서 보기</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) imported.</source>
        <translation>
            <numerusform>대화 %Ln개를 가져왔어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) were skipped because they already exist.</source>
        <translation>
            <numerusform>이미 있는 대화 %Ln개를 건너뛰었어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>대화 %Ln개는 휴지통에 있어서 그대로 두었어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) have no question or answer and were left out.</source>
        <translation>
            <numerusform>질문도 답변도 없는 대화 %Ln개는 제외했어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>파일 안의 항목 %Ln개는 대화로 읽지 못했어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln line(s) of the file could not be read.</source>
        <translation>
            <numerusform>파일의 %Ln줄은 읽지 못했어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) of neither you nor a model were left out.</source>
        <translation>
            <numerusform>사용자의 것도 모델의 것도 아닌 메시지 %Ln개는 가져오지 않았어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), tool call(s) or reasoning text(s) were left out.</source>
        <translation>
            <numerusform>첨부 파일, 도구 호출, 생각 %Ln개는 가져오지 않았어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was canceled. Import the file again to add the missing chats.</source>
        <translation>가져오기를 취소했어요. 파일을 다시 가져오면 빠진 대화만 추가돼요.</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>생각 과정</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>This call failed.</source>
        <translation>이 호출은 실패했어요.</translation>
    </message>
    <message>
        <source>This call was interrupted.</source>
        <translation>이 호출은 중간에 끊겼어요.</translation>
    </message>
    <message>
        <source>The operation failed: {detail}</source>
        <translation>작업에 실패했어요: {detail}</translation>
    </message>
    <message>
        <source>The export was canceled.</source>
        <translation>내보내기를 취소했어요.</translation>
    </message>
    <message>
        <source>You</source>
        <translation>나</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>어시스턴트</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>시스템 프롬프트</translation>
    </message>
    <message>
        <source>This answer was interrupted.</source>
        <translation>이 답변은 중간에 끊겼어요.</translation>
    </message>
    <message>
        <source>This answer ended with an error.</source>
        <translation>이 답변은 오류로 끝났어요.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) of one agent with another were left out.</source>
        <translation>
            <numerusform>에이전트끼리 나눈 대화 %Ln개는 제외했어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) between agents were left out.</source>
        <translation>
            <numerusform>에이전트끼리 주고받은 메시지 %Ln개는 가져오지 않았어요.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>KnownServers</name>
    <message>
        <source>Files</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Git</source>
        <translation>Git</translation>
    </message>
    <message>
        <source>Sees only the time zones that the model asks about.</source>
        <translation>모델이 묻는 시간대만 봐요.</translation>
    </message>
    <message>
        <source>Sees what the model wants to remember, and keeps it on this Mac for all chats.</source>
        <translation>모델이 기억하려는 내용을 보고, 모든 대화에서 쓰도록 이 Mac에 보관해요.</translation>
    </message>
    <message>
        <source>Sees the files and the history of a repository that you choose, and can commit to it.</source>
        <translation>선택한 저장소의 파일과 기록을 보고, 저장소에 커밋할 수 있어요.</translation>
    </message>
    <message>
        <source>This Mac has no command “npx”. To get it, install Node.js from nodejs.org.</source>
        <translation>이 Mac에 ‘npx’ 명령어가 없어요. nodejs.org에서 Node.js를 설치하면 생겨요.</translation>
    </message>
    <message>
        <source>This Mac has no command “uvx”. To get it, install uv from docs.astral.sh/uv.</source>
        <translation>이 Mac에 ‘uvx’ 명령어가 없어요. docs.astral.sh/uv에서 uv를 설치하면 생겨요.</translation>
    </message>
    <message>
        <source>Reads and changes the files in a folder that you choose.</source>
        <translation>선택한 폴더의 파일을 읽고 변경해요.</translation>
    </message>
    <message>
        <source>It is a program from {registry} and runs with your rights on this Mac. Allow it only if you trust its makers.</source>
        <translation>{registry}에서 받는 프로그램이고, 이 Mac에서 내 권한으로 실행돼요. 만든 사람을 신뢰할 때만 허용해 주세요.</translation>
    </message>
</context>
<context>
    <name>LinkMenu</name>
    <message>
        <source>Open in the browser</source>
        <translation>브라우저에서 열기</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>주소 복사하기</translation>
    </message>
</context>
<context>
    <name>LocalApi</name>
    <message>
        <source>waiting</source>
        <translation>대기 중</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>답변 중</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>중지됨</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>unknown program</source>
        <translation>알 수 없는 프로그램</translation>
    </message>
    <message>
        <source>Another program uses port {port}. Choose another one.</source>
        <translation>다른 프로그램이 {port}번 포트를 쓰고 있어요. 다른 포트를 선택해 주세요.</translation>
    </message>
    <message>
        <source>The system does not allow port {port}. Choose one above 1023.</source>
        <translation>시스템이 {port}번 포트를 허용하지 않아요. 1023보다 큰 포트를 선택해 주세요.</translation>
    </message>
    <message>
        <source>This Mac has no address {host}.</source>
        <translation>이 Mac에 없는 주소예요: {host}.</translation>
    </message>
    <message>
        <source>The local API could not start.</source>
        <translation>로컬 API를 시작하지 못했어요.</translation>
    </message>
    <message>
        <source>processing the prompt</source>
        <translation>프롬프트 처리 중</translation>
    </message>
    <message>
        <source>The local API is running at {address}.</source>
        <translation>로컬 API를 {address} 주소에서 쓸 수 있어요.</translation>
    </message>
</context>
<context>
    <name>Machines</name>
    <message>
        <source>Running on {count} Macs: {names}</source>
        <translation>Mac {count}대에서 실행 중: {names}</translation>
    </message>
    <message>
        <source>This Mac</source>
        <translation>이 Mac</translation>
    </message>
    <message>
        <source>{name} is ready</source>
        <translation>{name} 준비됨</translation>
    </message>
    <message>
        <source>{size} for models</source>
        <translation>모델용 {size}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>초당 {size}</translation>
    </message>
    <message>
        <source>round trip {time}</source>
        <translation>왕복 {time}</translation>
    </message>
    <message>
        <source>{name} is downloading: {done} of {total}</source>
        <translation>{name}에서 다운로드하는 중: {total} 중 {done}</translation>
    </message>
    <message>
        <source>{name}: layers {first} to {last}</source>
        <translation>{name}: 레이어 {first}~{last}</translation>
    </message>
    <message>
        <source>{name}: parts {first} to {last} of every layer</source>
        <translation>{name}: 모든 레이어의 {first}~{last}번째 부분</translation>
    </message>
    <message>
        <source>needs {size}</source>
        <translation>{size} 필요</translation>
    </message>
    <message>
        <source>needs {size} of {free}</source>
        <translation>{free} 중 {size} 필요</translation>
    </message>
    <message>
        <source>needs {size}, but only {free} can be used</source>
        <translation>{size} 필요, {free}만 사용 가능</translation>
    </message>
</context>
<context>
    <name>MachinesPage</name>
    <message>
        <source>Download on the other Macs</source>
        <translation>다른 Mac에 다운로드</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Downloading on the other Macs…</source>
        <translation>다른 Mac에서 필요한 파일을 다운로드하는 중…</translation>
    </message>
    <message>
        <source>Checking the Macs…</source>
        <translation>Mac을 점검하는 중…</translation>
    </message>
    <message>
        <source>Starting the Macs…</source>
        <translation>여러 Mac에서 모델을 시작하는 중…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>중지하는 중…</translation>
    </message>
    <message>
        <source>Enter another Mac first.</source>
        <translation>먼저 다른 Mac을 입력해 주세요.</translation>
    </message>
    <message>
        <source>What the check found</source>
        <translation>점검 결과</translation>
    </message>
    <message>
        <source>Another Mac can draft the next round while this Mac&apos;s main model checks the current one.</source>
        <translation>이 Mac의 메인 모델이 이번 라운드를 확인하는 동안 다른 Mac이 다음 라운드의 초안을 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Splits a model too large for one Mac. Click Check to see what each Mac needs to download.</source>
        <translation>Mac 한 대에 담기에는 너무 큰 모델을 여러 대에 나눠요. ‘점검’을 클릭하면 각 Mac에 다운로드할 파일을 알 수 있어요.</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>점검</translation>
    </message>
    <message>
        <source>Running on this Mac only.</source>
        <translation>이 Mac에서만 실행 중이에요.</translation>
    </message>
    <message>
        <source>Over a network, nothing that the Macs exchange is encrypted. Connect them only over a network you trust, or by Thunderbolt.</source>
        <translation>네트워크로 연결하면 Mac 사이에 오가는 내용이 암호화되지 않아요. 신뢰하는 네트워크나 Thunderbolt로만 연결해 주세요.</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Temporary chat</source>
        <translation>임시 대화</translation>
    </message>
</context>
<context>
    <name>MemoryGauge</name>
    <message>
        <source>Scanning models…</source>
        <translation>모델을 찾는 중…</translation>
    </message>
    <message>
        <source>{free} of {limit} free for models</source>
        <translation>모델용 {limit} 중 {free} 남음</translation>
    </message>
    <message>
        <source>This choice: {choice} · then free: {free}</source>
        <translation>이 모델: {choice} · 선택 후 남음: {free}</translation>
    </message>
    <message>
        <source>This choice: {choice} · {free} too much</source>
        <translation>이 모델: {choice} · {free} 초과</translation>
    </message>
</context>
<context>
    <name>MenuBarItem</name>
    <message>
        <source>No model is loaded</source>
        <translation>불러온 모델 없음</translation>
    </message>
    <message>
        <source>Unload models</source>
        <translation>모델 언로드</translation>
    </message>
</context>
<context>
    <name>MermaidButton</name>
    <message>
        <source>Open in mermaid.live…</source>
        <translation>mermaid.live에서 열기…</translation>
    </message>
    <message>
        <source>Open this diagram on mermaid.live?</source>
        <translation>이 다이어그램을 mermaid.live에서 열까요?</translation>
    </message>
    <message>
        <source>Its text goes into the part of the address that browsers do not send. The website&apos;s scripts read it there and draw it. They could pass it on.</source>
        <translation>다이어그램의 텍스트는 주소에서 브라우저가 전송하지 않는 부분에 들어가요. 웹사이트의 스크립트가 그 텍스트를 읽어 그려요. 다른 곳으로 보낼 수도 있어요.</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Download as draft</source>
        <translation>초안 모델로 다운로드</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>파일 검사</translation>
    </message>
    <message>
        <source>It is in use. Choose another model first.</source>
        <translation>사용 중이에요. 먼저 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Other apps that use the Hugging Face cache will lose it too.</source>
        <translation>Hugging Face 캐시를 쓰는 다른 앱에서도 사라져요.</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>삭제…</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>추천</translation>
    </message>
    <message>
        <source>Quantization</source>
        <translation>양자화</translation>
    </message>
    <message>
        <source>Delete this model? ({size})</source>
        <translation>이 모델을 삭제할까요? ({size})</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>설치됨</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>너무 큼</translation>
    </message>
    <message>
        <source>multiple Macs</source>
        <translation>여러 Mac</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>빠듯함</translation>
    </message>
    <message>
        <source>Move to Trash…</source>
        <translation>휴지통으로 이동…</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>목록에서 제거</translation>
    </message>
    <message>
        <source>Details: {name}</source>
        <translation>자세히: {name}</translation>
    </message>
    <message>
        <source>Move this model to the Trash? ({size})</source>
        <translation>이 모델을 휴지통으로 옮길까요? ({size})</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>휴지통으로 이동</translation>
    </message>
    <message>
        <source>Other files in its folder stay.</source>
        <translation>폴더의 다른 파일은 그대로 남아요.</translation>
    </message>
    <message>
        <source>Remove this folder with its models from the list? No file is deleted.</source>
        <translation>이 폴더와 그 안의 모델을 목록에서 제거할까요? 파일은 삭제되지 않아요.</translation>
    </message>
    <message>
        <source>The file {file} stays.</source>
        <translation>{file} 파일은 그대로 남아요.</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>Use as draft</source>
        <translation>초안으로 사용</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>{name} is ready.</source>
        <translation>{name} 모델이 준비됐어요.</translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation>다운로드 보기</translation>
    </message>
</context>
<context>
    <name>ModelReasons</name>
    <message>
        <source>Its folder contains no model.</source>
        <translation>폴더에 모델이 없어요.</translation>
    </message>
    <message>
        <source>It is a head, not a model.</source>
        <translation>모델이 아니라 헤드예요.</translation>
    </message>
    <message>
        <source>It requires running its own code or reading files outside its folder ({detail}).</source>
        <translation>자체 코드를 실행하거나 폴더 밖의 파일을 읽어야 해요({detail}).</translation>
    </message>
    <message>
        <source>Its weights are all zero.</source>
        <translation>가중치가 모두 0이에요.</translation>
    </message>
    <message>
        <source>Reading it took too much time or memory.</source>
        <translation>읽는 데 시간이나 메모리가 너무 많이 들어요.</translation>
    </message>
    <message>
        <source>It writes text by diffusion, not token by token.</source>
        <translation>토큰을 하나씩 쓰지 않고 디퓨전으로 텍스트를 만들어요.</translation>
    </message>
    <message>
        <source>Its folder is missing ({detail}).</source>
        <translation>폴더가 없어요({detail}).</translation>
    </message>
    <message>
        <source>One of its files is missing ({detail}).</source>
        <translation>파일 하나가 빠져 있어요({detail}).</translation>
    </message>
    <message>
        <source>One of its files is damaged ({detail}).</source>
        <translation>파일 하나가 손상됐어요({detail}).</translation>
    </message>
    <message>
        <source>Its weights don&apos;t match its configuration ({detail}).</source>
        <translation>가중치가 구성 파일과 맞지 않아요({detail}).</translation>
    </message>
    <message>
        <source>Its architecture is not supported yet ({detail}).</source>
        <translation>아직 지원하지 않는 아키텍처예요({detail}).</translation>
    </message>
    <message>
        <source>It makes embeddings or sorts texts.</source>
        <translation>임베딩을 만들거나 텍스트를 분류하는 모델이에요.</translation>
    </message>
    <message>
        <source>It only reads the text in pictures.</source>
        <translation>이미지 속 글자만 읽는 모델이에요.</translation>
    </message>
    <message>
        <source>It makes decisions.</source>
        <translation>판정만 내리는 모델이에요.</translation>
    </message>
    <message>
        <source>It makes pictures, films or sounds.</source>
        <translation>이미지나 동영상, 소리를 만드는 모델이에요.</translation>
    </message>
    <message>
        <source>It is only a part of a model ({detail}).</source>
        <translation>모델의 일부일 뿐이에요({detail}).</translation>
    </message>
    <message>
        <source>It is an adapter for a family that runs through mlx-vlm ({detail}).</source>
        <translation>mlx-vlm을 통해 실행되는 계열의 어댑터예요({detail}).</translation>
    </message>
    <message>
        <source>Its kind of head is not supported yet ({detail}).</source>
        <translation>아직 지원하지 않는 종류의 헤드예요({detail}).</translation>
    </message>
    <message>
        <source>The layers of the main model cannot be read ({detail}).</source>
        <translation>메인 모델의 레이어를 읽을 수 없어요({detail}).</translation>
    </message>
    <message>
        <source>It was made for another main model ({detail}).</source>
        <translation>다른 메인 모델용으로 만들어졌어요({detail}).</translation>
    </message>
    <message>
        <source>Its main model was not found ({detail}).</source>
        <translation>메인 모델을 찾지 못했어요({detail}).</translation>
    </message>
    <message>
        <source>It is an adapter for another main model ({detail}).</source>
        <translation>다른 메인 모델용 어댑터예요({detail}).</translation>
    </message>
    <message>
        <source>Tandem cannot apply adapters of its kind ({detail}).</source>
        <translation>Tandem에서 적용할 수 없는 종류의 어댑터예요({detail}).</translation>
    </message>
    <message>
        <source>Its tokenizer cannot be read ({detail}).</source>
        <translation>토크나이저를 읽을 수 없어요({detail}).</translation>
    </message>
    <message>
        <source>Its vocabulary differs from the main model&apos;s ({detail}).</source>
        <translation>메인 모델과 어휘 집합이 달라요({detail}).</translation>
    </message>
    <message>
        <source>Its weights produce invalid values ({detail}).</source>
        <translation>가중치에서 잘못된 값이 나와요({detail}).</translation>
    </message>
    <message>
        <source>There is not enough memory for it ({detail}).</source>
        <translation>메모리가 부족해요({detail}).</translation>
    </message>
    <message>
        <source>Converting it needs more free space on the disk ({detail}).</source>
        <translation>변환하려면 디스크에 여유 공간이 더 필요해요({detail}).</translation>
    </message>
    <message>
        <source>The disk or the folder does not allow writing it ({detail}).</source>
        <translation>디스크나 폴더에 쓸 수 없어요({detail}).</translation>
    </message>
    <message>
        <source>Choose a folder that contains a model.</source>
        <translation>모델이 들어 있는 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>Download or copy it again.</source>
        <translation>다시 다운로드하거나 복사해 주세요.</translation>
    </message>
    <message>
        <source>Choose another copy of this model.</source>
        <translation>이 모델의 다른 사본을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Choose a model for chats.</source>
        <translation>대화용 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Choose a head made for this main model.</source>
        <translation>이 메인 모델용 헤드를 선택해 주세요.</translation>
    </message>
    <message>
        <source>Choose another draft model.</source>
        <translation>다른 초안 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Put the adapter into the folder of its main model.</source>
        <translation>어댑터를 메인 모델의 폴더에 넣어 주세요.</translation>
    </message>
    <message>
        <source>Choose its main model without an adapter.</source>
        <translation>어댑터가 없는 메인 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Choose a smaller model, or close other apps and try again.</source>
        <translation>더 작은 모델을 선택하거나 다른 앱을 닫고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Choose another model or update Tandem.</source>
        <translation>다른 모델을 선택하거나 Tandem을 업데이트해 주세요.</translation>
    </message>
    <message>
        <source>Choose the file with the whole model.</source>
        <translation>모델 전체가 담긴 파일을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Choose it as the draft.</source>
        <translation>초안으로 선택해 주세요.</translation>
    </message>
    <message>
        <source>Free up space, then try again.</source>
        <translation>공간을 비운 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Install Tandem with the command in its README.</source>
        <translation>README의 명령어로 Tandem을 설치해 주세요.</translation>
    </message>
    <message>
        <source>It runs through mlx-vlm, which is not installed.</source>
        <translation>mlx-vlm을 통해 실행되는데, mlx-vlm이 설치되어 있지 않아요.</translation>
    </message>
    <message>
        <source>{name} cannot be used.</source>
        <translation>{name} 모델을 사용할 수 없어요.</translation>
    </message>
    <message>
        <source>Cannot be used.</source>
        <translation>사용할 수 없어요.</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>{name} · {bits}-bit</source>
        <translation>{name} · {bits}비트</translation>
    </message>
    <message>
        <source>Recommended for {model}: {values}</source>
        <translation>{model} 모델 권장값: {values}</translation>
    </message>
    <message>
        <source>Starter</source>
        <translation>스타터</translation>
    </message>
    <message>
        <source>Starter draft</source>
        <translation>스타터 초안</translation>
    </message>
    <message>
        <source>Starter head</source>
        <translation>스타터 헤드</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>초안 없음</translation>
    </message>
    <message>
        <source>Frees the memory of both models.</source>
        <translation>두 모델이 쓰는 메모리를 비워요.</translation>
    </message>
    <message>
        <source>Plain decoding: the main model alone.</source>
        <translation>일반 디코딩: 메인 모델만 써요.</translation>
    </message>
    <message>
        <source>Incomplete: download it again.</source>
        <translation>빠진 파일이 있어요. 다시 다운로드해 주세요.</translation>
    </message>
    <message>
        <source>Needs no draft model. Best for edits and code.</source>
        <translation>초안 모델이 필요 없어요. 텍스트 수정과 코드에 좋아요.</translation>
    </message>
    <message>
        <source>Same tokenizer.</source>
        <translation>토크나이저가 같아요.</translation>
    </message>
    <message>
        <source>Different tokenizer: text is re-encoded ({share} of tokens shared).</source>
        <translation>토크나이저가 달라서 텍스트를 다시 인코딩해요(공통 토큰 {share}).</translation>
    </message>
    <message>
        <source>Its tokenizer has not been read yet.</source>
        <translation>토크나이저를 아직 읽지 않았어요.</translation>
    </message>
    <message>
        <source>Published head for this model, the fastest one according to {source}. Not checked yet.</source>
        <translation>이 모델용으로 공개된 헤드로, {source} 측정에서 가장 빨랐어요. 아직 확인하지 않았어요.</translation>
    </message>
    <message>
        <source>Too slow to help: each draft token takes {share} of a main-model step.</source>
        <translation>너무 느려서 도움이 되지 않아요. 초안 토큰 하나에 메인 모델 한 단계의 {share}만큼 시간이 걸려요.</translation>
    </message>
    <message>
        <source>Too slow: larger than the main model.</source>
        <translation>메인 모델보다 커서 너무 느려요.</translation>
    </message>
    <message>
        <source>Won&apos;t fit alongside the main model ({size} short).</source>
        <translation>메인 모델과 함께 올릴 수 없어요({size} 부족).</translation>
    </message>
    <message>
        <source>Cannot be used with this main model. {reason}</source>
        <translation>이 메인 모델과 함께 쓸 수 없어요. {reason}</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>빠름</translation>
    </message>
    <message>
        <source>All-round</source>
        <translation>균형</translation>
    </message>
    <message>
        <source>Best that fits</source>
        <translation>내 Mac 최대</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>내장</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>설치됨</translation>
    </message>
    <message>
        <source>On Hugging Face</source>
        <translation>Hugging Face에 있는 모델</translation>
    </message>
    <message>
        <source>Head for this model.</source>
        <translation>이 모델용 헤드예요.</translation>
    </message>
    <message>
        <source>Head for {model}: fewer draft tokens may be accepted.</source>
        <translation>{model} 모델용 헤드라서 초안 토큰의 채택률이 낮을 수 있어요.</translation>
    </message>
    <message>
        <source>Published head for this model. Not checked yet.</source>
        <translation>이 모델용으로 공개된 헤드예요. 아직 확인하지 않았어요.</translation>
    </message>
    <message>
        <source>Head that comes with the original model. Only its part of the files is downloaded.</source>
        <translation>원본 모델에 포함된 헤드예요. 파일에서 헤드 부분만 다운로드해요.</translation>
    </message>
    <message>
        <source>Head for another model: made for {theirs} layers, this one has {ours}.</source>
        <translation>다른 모델용 헤드예요. 레이어 수가 서로 달라요(헤드 {theirs}, 모델 {ours}).</translation>
    </message>
    <message>
        <source>Head for another model: made for a width of {theirs}, this one&apos;s is {ours}.</source>
        <translation>다른 모델용 헤드예요. 너비가 서로 달라요(헤드 {theirs}, 모델 {ours}).</translation>
    </message>
    <message>
        <source>Head for another model: made for a vocabulary of {theirs}, this one&apos;s is {ours}.</source>
        <translation>다른 모델용 헤드예요. 어휘 크기가 서로 달라요(헤드 {theirs}, 모델 {ours}).</translation>
    </message>
    <message>
        <source>As draft for {main}: {verdict}</source>
        <translation>{main} 모델의 초안으로 쓰면: {verdict}</translation>
    </message>
    <message>
        <source>Same tokenizer (padded vocabulary).</source>
        <translation>토크나이저가 같아요(어휘 크기만 달라요).</translation>
    </message>
    <message>
        <source>Does not fit: it needs {size} more memory than this Mac can use.</source>
        <translation>이 Mac에는 맞지 않아요. 쓸 수 있는 메모리보다 {size} 더 필요해요.</translation>
    </message>
    <message>
        <source>Too large for this Mac alone, but your Macs can run it together.</source>
        <translation>이 Mac 한 대에는 너무 크지만, 여러 대로 함께 실행할 수 있어요.</translation>
    </message>
    <message>
        <source>The models take more memory than is free, so other apps may get slower.</source>
        <translation>모델이 남은 메모리보다 많은 메모리를 써서 다른 앱이 느려질 수 있어요.</translation>
    </message>
    <message>
        <source>{name} ({place})</source>
        <translation>{name}({place})</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>{name} 언로드</translation>
    </message>
    <message>
        <source>Frees the memory of this model.</source>
        <translation>이 모델이 쓰는 메모리를 비워요.</translation>
    </message>
    <message>
        <source>about the same speed until it is measured</source>
        <translation>측정 전까지는 비슷한 속도(추정)</translation>
    </message>
    <message>
        <source>Its head: about the same speed until it is measured</source>
        <translation>전용 헤드: 측정 전까지는 비슷한 속도(추정)</translation>
    </message>
    <message>
        <source>{name} with MLX weights is faster and needs no second copy on the disk.</source>
        <translation>{name}의 MLX 가중치가 더 빠르고, 디스크에 사본을 하나 더 만들지 않아도 돼요.</translation>
    </message>
    <message>
        <source>sees pictures</source>
        <translation>이미지를 볼 수 있음</translation>
    </message>
    <message>
        <source>without {files}</source>
        <translation>{files} 제외</translation>
    </message>
    <message>
        <source>{count}-token context</source>
        <translation>컨텍스트 {count}토큰</translation>
    </message>
    <message>
        <source>downloads: {count}</source>
        <translation>다운로드 {count}회</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>약관 동의 필요</translation>
    </message>
    <message>
        <source>No models were found in {folder}.</source>
        <translation>{folder} 폴더에서 모델을 찾지 못했어요.</translation>
    </message>
    <message>
        <source>Press Enter to add {folder}.</source>
        <translation>Enter를 누르면 {folder} 폴더를 추가해요.</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>다운로드</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>다시 시작</translation>
    </message>
    <message>
        <source>Speed-ups are estimates until they are measured.</source>
        <translation>속도 배율은 측정하기 전까지 추정값이에요.</translation>
    </message>
    <message>
        <source>{gain} (measured)</source>
        <translation>{gain}(실측)</translation>
    </message>
    <message>
        <source>about {times} as fast</source>
        <translation>약 {times} 속도</translation>
    </message>
    <message>
        <source>It only explains Tandem. Choose another model for real work.</source>
        <translation>Tandem 안내만 해요. 실제로 사용하려면 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>With its draft</source>
        <translation>초안 모델 포함</translation>
    </message>
    <message>
        <source>With its head</source>
        <translation>전용 헤드 포함</translation>
    </message>
    <message>
        <source>changes weights by up to {percent}%</source>
        <translation>가중치 변화 최대 {percent}%</translation>
    </message>
    <message>
        <source>Its draft: {name}</source>
        <translation>초안 모델: {name}</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>아직 확인 안 됨</translation>
    </message>
    <message>
        <source>Its head: {size}</source>
        <translation>전용 헤드: {size}</translation>
    </message>
    <message>
        <source>On disk: {size}</source>
        <translation>디스크: {size}</translation>
    </message>
    <message>
        <source>In memory: {sum}</source>
        <translation>메모리: {sum}</translation>
    </message>
    <message>
        <source>Downloading…</source>
        <translation>다운로드하는 중…</translation>
    </message>
    <message>
        <source>Use this head</source>
        <translation>이 헤드 사용</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>weights {size}</source>
        <translation>가중치 {size}</translation>
    </message>
    <message>
        <source>draft {size}</source>
        <translation>초안 {size}</translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation>컨텍스트 {size}</translation>
    </message>
    <message>
        <source>workspace {size}</source>
        <translation>작업 공간 {size}</translation>
    </message>
    <message>
        <source>{sum} plus context</source>
        <translation>{sum} + 컨텍스트</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{total} 중 {done}</translation>
    </message>
    <message>
        <source>Waiting for a connection. The download then resumes by itself.</source>
        <translation>인터넷 연결을 기다리는 중이에요. 연결되면 다운로드가 자동으로 이어져요.</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>실패했어요.</translation>
    </message>
    <message>
        <source>reconnecting</source>
        <translation>다시 연결하는 중</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>초당 {size}</translation>
    </message>
    <message>
        <source>resumes where it stopped, even after a restart</source>
        <translation>앱을 다시 시작해도 멈춘 곳부터 이어받음</translation>
    </message>
    <message>
        <source>Waiting in queue</source>
        <translation>차례를 기다리는 중</translation>
    </message>
    <message>
        <source>Getting the file list…</source>
        <translation>파일 목록을 가져오는 중…</translation>
    </message>
    <message>
        <source>Verifying checksums…</source>
        <translation>체크섬을 확인하는 중…</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>준비됐어요.</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>대기 중</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>대기 중</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>시작하는 중</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>다운로드 중</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>검사 중</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>준비됨</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>일시 정지됨</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>1분 미만 남음</translation>
    </message>
    <message>
        <source>GGUF, converted when it is first used</source>
        <translation>GGUF, 처음 쓸 때 변환돼요</translation>
    </message>
    <message>
        <source>The weights are those of the file {file}; the codes were kept.</source>
        <translation>가중치는 {file} 파일의 것이고, 양자화 코드도 그대로예요.</translation>
    </message>
    <message>
        <source>The weights are those of the file {file}; the codes were quantized anew in {count} of {total} tensors.</source>
        <translation>가중치는 {file} 파일의 것이고, 텐서 {total}개 중 {count}개는 다시 양자화했어요.</translation>
    </message>
    <message>
        <source>Get more…</source>
        <translation>더 받기…</translation>
    </message>
    <message>
        <source>not tried</source>
        <translation>아직 써 보지 않음</translation>
    </message>
    <message>
        <source>expected: about the same speed</source>
        <translation>예상: 비슷한 속도</translation>
    </message>
    <message>
        <source>expected: {speed}</source>
        <translation>예상: {speed}</translation>
    </message>
    <message>
        <source>{method} head</source>
        <translation>{method} 헤드</translation>
    </message>
    <message>
        <source>What its context takes is known once it is downloaded.</source>
        <translation>컨텍스트에 드는 메모리는 다운로드한 뒤에 알 수 있어요.</translation>
    </message>
    <message>
        <source>Tandem&apos;s own for {model}: {values}</source>
        <translation>{model} 모델에 Tandem이 쓰는 값: {values}</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose a folder that contains models</source>
        <translation>모델이 있는 폴더 선택</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>다운로드</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>설치됨</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>검색하는 중…</translation>
    </message>
    <message>
        <source>Type part of a name, such as Qwen3.8 or Gemma, or paste a model page URL.</source>
        <translation>Qwen3.8이나 Gemma처럼 이름의 일부를 입력하거나 모델 페이지의 URL을 붙여 넣어 주세요.</translation>
    </message>
    <message>
        <source>No MLX models match.</source>
        <translation>일치하는 MLX 모델이 없어요.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model ID or URL</source>
        <translation>Hugging Face 검색, 모델 ID 또는 URL</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>추천</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Add a model folder…</source>
        <translation>모델 폴더 추가…</translation>
    </message>
    <message>
        <source>Unload {name} ({size})</source>
        <translation>{name} 언로드({size})</translation>
    </message>
    <message>
        <source>Context length used for memory estimates</source>
        <translation>메모리 추정에 쓰는 컨텍스트 길이</translation>
    </message>
    <message>
        <source>Unload…</source>
        <translation>언로드…</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>토큰 {count}개</translation>
    </message>
</context>
<context>
    <name>NetworkPage</name>
    <message>
        <source>Connection</source>
        <translation>연결</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>테스트하는 중…</translation>
    </message>
    <message>
        <source>Your token is in the keychain.</source>
        <translation>토큰을 키체인에 보관했어요.</translation>
    </message>
    <message>
        <source>Hugging Face token</source>
        <translation>Hugging Face 토큰</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>테스트</translation>
    </message>
    <message>
        <source>Test the connection</source>
        <translation>연결 테스트</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use, so the token was not kept.</source>
        <translation>이 Mac에는 Tandem이 쓸 수 있는 키체인이 없어서 토큰을 보관하지 않았어요.</translation>
    </message>
    <message>
        <source>Checks the mirror, proxy and token with two small requests.</source>
        <translation>작은 요청 두 번으로 미러와 프록시, 토큰을 확인해요.</translation>
    </message>
    <message>
        <source>Token valid (account {user}).</source>
        <translation>토큰이 유효해요(계정 {user}).</translation>
    </message>
    <message>
        <source>Token rejected: it is wrong, expired or revoked.</source>
        <translation>토큰이 거부됐어요. 잘못됐거나 만료됐거나 취소된 토큰이에요.</translation>
    </message>
    <message>
        <source>For gated or private models. Stored only in the system keychain.</source>
        <translation>약관 동의가 필요한 모델이나 비공개 모델에 쓰여요. 시스템 키체인에만 저장돼요.</translation>
    </message>
    <message>
        <source>Connected.</source>
        <translation>연결됐어요.</translation>
    </message>
    <message>
        <source>The server does not report whether the token is valid.</source>
        <translation>토큰이 유효한지는 서버가 알려 주지 않아요.</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Dismiss</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details could not be saved.</source>
        <translation>예상하지 못한 일이 생겼어요. Tandem은 계속 쓸 수 있지만 자세한 내용은 저장하지 못했어요.</translation>
    </message>
    <message>
        <source>Something unexpected happened. Tandem keeps running; the details are in {file}.</source>
        <translation>예상하지 못한 일이 생겼어요. Tandem은 계속 쓸 수 있어요. 자세한 내용은 {file}에 있어요.</translation>
    </message>
    <message>
        <source>Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this Mac.</source>
        <translation>지난번에 Tandem이 예기치 않게 종료됐어요. 대화는 안전하고, 보고서는 이 Mac에만 남아요.</translation>
    </message>
    <message>
        <source>Some settings could not be read and were reset. The old file was kept as {file}.</source>
        <translation>일부 설정을 읽을 수 없어 초기화했어요. 예전 파일은 {file}에 남겨 두었어요.</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was started again. Your chats are safe; ask again.</source>
        <translation>엔진이 예기치 않게 멈춰서 다시 시작했어요. 대화는 안전하니 다시 질문해 주세요.</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats were saved as {file}.</source>
        <translation>백업을 복원했어요. 이전 대화는 {file}에 저장했어요.</translation>
    </message>
    <message>
        <source>The backup could not be restored. Your chats are as they were.</source>
        <translation>백업을 복원하지 못했어요. 대화는 그대로 있어요.</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>페이지 열기</translation>
    </message>
    <message>
        <source>Tandem {version} is available.</source>
        <translation>Tandem {version} 버전을 사용할 수 있어요.</translation>
    </message>
    <message>
        <source>Tandem is up to date.</source>
        <translation>Tandem이 최신 버전이에요.</translation>
    </message>
    <message>
        <source>Tandem is set to work offline. Change that in Settings &gt; Privacy and network to check for updates.</source>
        <translation>‘오프라인 작업’이 켜져 있어요. 업데이트를 확인하려면 ‘설정 &gt; 개인정보 및 네트워크’에서 꺼 주세요.</translation>
    </message>
    <message>
        <source>This copy was built from source, so Tandem can&apos;t check for updates. Update the source instead.</source>
        <translation>소스에서 빌드한 Tandem이라 업데이트를 확인할 수 없어요. 대신 소스를 업데이트해 주세요.</translation>
    </message>
    <message>
        <source>The update information is damaged or isn&apos;t signed by Tandem&apos;s publisher. Nothing was changed.</source>
        <translation>업데이트 정보가 손상됐거나 Tandem 배포자의 서명이 없어요. 아무것도 바꾸지 않았어요.</translation>
    </message>
    <message>
        <source>The update information has expired, so Tandem can&apos;t tell whether there is a newer version. Check the date of this Mac, and try again later.</source>
        <translation>업데이트 정보의 유효 기간이 지나서 더 새로운 버전이 있는지 알 수 없어요. 이 Mac의 날짜를 확인하고 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Tandem couldn&apos;t check for updates. Check the network and try again.</source>
        <translation>업데이트를 확인하지 못했어요. 네트워크를 확인하고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>제목 없는 대화</translation>
    </message>
    <message>
        <source>The temporary chat is deleted in ten seconds.</source>
        <translation>임시 대화는 10초 후에 삭제돼요.</translation>
    </message>
    <message>
        <source>“{title}” was archived.</source>
        <translation>‘{title}’ 대화를 보관했어요.</translation>
    </message>
    <message>
        <source>This is a copy of the chat up to that answer.</source>
        <translation>그 답변까지의 대화를 복사한 새 대화예요.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln message(s) deleted.</source>
        <translation>
            <numerusform>메시지 %Ln개를 삭제했어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Continue on this Mac</source>
        <translation>이 Mac에서만 계속</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>다시 시작</translation>
    </message>
    <message>
        <source>The engine stopped twice with {model}, so the starter pair is loaded instead.</source>
        <translation>{model} 모델을 쓰는 동안 엔진이 두 번 멈춰서 대신 스타터 모델 쌍을 불러왔어요.</translation>
    </message>
    <message>
        <source>“{title}” was moved to the trash.</source>
        <translation>‘{title}’ 대화를 휴지통으로 옮겼어요.</translation>
    </message>
</context>
<context>
    <name>PageButton</name>
    <message>
        <source>Open in the browser…</source>
        <translation>브라우저에서 열기…</translation>
    </message>
    <message>
        <source>Open this page in the browser?</source>
        <translation>이 페이지를 브라우저에서 열까요?</translation>
    </message>
    <message>
        <source>The model wrote it. In the browser, its scripts run and can use the network.</source>
        <translation>모델이 쓴 페이지예요. 브라우저에서는 페이지의 스크립트가 실행되고 네트워크도 쓸 수 있어요.</translation>
    </message>
</context>
<context>
    <name>PaneHandle</name>
    <message>
        <source>Width of the chat list</source>
        <translation>대화 목록 너비</translation>
    </message>
    <message>
        <source>Width of the live panel</source>
        <translation>실시간 패널 너비</translation>
    </message>
</context>
<context>
    <name>PermissionChooser</name>
    <message>
        <source>Allow</source>
        <translation>허용</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>묻기</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>안 함</translation>
    </message>
    <message>
        <source>Different</source>
        <translation>서로 다름</translation>
    </message>
</context>
<context>
    <name>Picker</name>
    <message>
        <source>GGUF file…</source>
        <translation>GGUF 파일…</translation>
    </message>
    <message>
        <source>Teach this draft…</source>
        <translation>이 초안 모델 학습시키기…</translation>
    </message>
    <message>
        <source>No matching draft model is installed or in the catalog. Prompt lookup needs none.</source>
        <translation>설치된 모델과 카탈로그에 맞는 초안 모델이 없어요. 프롬프트 룩업에는 초안 모델이 필요 없어요.</translation>
    </message>
    <message>
        <source>Choose a main model first.</source>
        <translation>먼저 메인 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>No matching models</source>
        <translation>일치하는 모델 없음</translation>
    </message>
    <message>
        <source>Scanning models…</source>
        <translation>모델을 찾는 중…</translation>
    </message>
    <message>
        <source>Choose a folder that contains models</source>
        <translation>모델이 있는 폴더 선택</translation>
    </message>
    <message>
        <source>Choose a GGUF file</source>
        <translation>GGUF 파일 선택</translation>
    </message>
    <message>
        <source>Choose a main model</source>
        <translation>메인 모델 선택</translation>
    </message>
    <message>
        <source>Find more models…</source>
        <translation>모델 더 찾기…</translation>
    </message>
    <message>
        <source>Main models</source>
        <translation>메인 모델</translation>
    </message>
    <message>
        <source>Choose a draft for {name}</source>
        <translation>{name} 모델의 초안 선택</translation>
    </message>
    <message>
        <source>Choose a draft</source>
        <translation>초안 선택</translation>
    </message>
    <message>
        <source>Find more drafts for this model…</source>
        <translation>이 모델의 초안 더 찾기…</translation>
    </message>
    <message>
        <source>Draft models</source>
        <translation>초안 모델</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>열기…</translation>
    </message>
    <message>
        <source>Model folder…</source>
        <translation>모델 폴더…</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>더 보기…</translation>
    </message>
</context>
<context>
    <name>PickerRow</name>
    <message>
        <source>in use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>메모리 {size}</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>다운로드</translation>
    </message>
    <message>
        <source>multiple Macs</source>
        <translation>여러 Mac</translation>
    </message>
    <message>
        <source>Unload {name}: frees {size} ({keys})</source>
        <translation>{name} 언로드: {size} 확보({keys})</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>빠듯함</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>내장</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>펼쳐짐</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>접힘</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>써 보기</translation>
    </message>
</context>
<context>
    <name>PictureButton</name>
    <message>
        <source>Picture: {name}</source>
        <translation>이미지: {name}</translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>{name} · {width} × {height} pixels</source>
        <translation>{name} · {width} × {height}픽셀</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>{name} can&apos;t see pictures on multiple Macs. Use it on one Mac, or remove them.</source>
        <translation>여러 Mac에서 실행하면 {name} 모델은 이미지를 볼 수 없어요. Mac 한 대에서 사용하거나 이미지를 빼 주세요.</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures. Models that can: {models}.</source>
        <translation>{name} 모델은 이미지를 볼 수 없어요. 볼 수 있는 모델: {models}.</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures. Choose a model that can, or remove the pictures.</source>
        <translation>{name} 모델은 이미지를 볼 수 없어요. 볼 수 있는 모델을 선택하거나 이미지를 빼 주세요.</translation>
    </message>
    <message>
        <source>{name} can&apos;t see pictures, so chats begin without those of the folder.</source>
        <translation>{name} 모델은 이미지를 볼 수 없어서 대화가 폴더의 이미지 없이 시작해요.</translation>
    </message>
    <message>
        <source>Pictures need more packages. Run: {command}</source>
        <translation>이미지를 쓰려면 패키지가 더 필요해요. 다음을 실행해 주세요: {command}</translation>
    </message>
    <message>
        <source>The picture is damaged ({detail}). Save or download it again.</source>
        <translation>이미지가 손상됐어요({detail}). 다시 저장하거나 다운로드해 주세요.</translation>
    </message>
    <message>
        <source>The picture is animated. Take a screenshot of what the model should see.</source>
        <translation>움직이는 이미지예요. 모델에게 보여 줄 장면을 스크린샷으로 찍어 주세요.</translation>
    </message>
    <message>
        <source>The picture&apos;s file is larger than {detail} MB. Save a smaller copy.</source>
        <translation>이미지 파일이 {detail} MB보다 커요. 더 작게 저장해 주세요.</translation>
    </message>
    <message>
        <source>The picture has more than {detail} megapixels. Save a smaller copy.</source>
        <translation>이미지가 {detail}메가픽셀을 넘어요. 더 작게 저장해 주세요.</translation>
    </message>
    <message>
        <source>The picture is too narrow: one side is over {detail} times the other. Cut out a part of it.</source>
        <translation>이미지가 너무 길쭉해요. 한 변이 다른 변의 {detail}배를 넘어요. 일부를 잘라서 써 주세요.</translation>
    </message>
    <message>
        <source>Reading the picture was stopped after {detail} seconds. Save it again in another format.</source>
        <translation>이미지를 읽는 데 {detail}초가 넘게 걸려 중단했어요. 다른 형식으로 다시 저장해 주세요.</translation>
    </message>
    <message>
        <source>Reading the pictures was stopped after {detail} seconds. Send fewer, or save them again in another format.</source>
        <translation>이미지를 모두 읽는 데 {detail}초가 넘게 걸려 중단했어요. 이미지 수를 줄이거나 다른 형식으로 다시 저장해 주세요.</translation>
    </message>
    <message>
        <source>Reading the picture takes too much memory. Save a smaller copy.</source>
        <translation>이미지를 읽는 데 메모리가 너무 많이 들어요. 더 작게 저장해 주세요.</translation>
    </message>
    <message>
        <source>The picture can&apos;t be read. Save it again in another format.</source>
        <translation>이미지를 읽을 수 없어요. 다른 형식으로 다시 저장해 주세요.</translation>
    </message>
    <message>
        <source>Tandem can&apos;t read this picture: its format is not supported, or its beginning is damaged. Save it as PNG or JPEG.</source>
        <translation>이 이미지를 읽을 수 없어요. 지원하지 않는 형식이거나 앞부분이 손상되었어요. PNG나 JPEG로 저장해 주세요.</translation>
    </message>
</context>
<context>
    <name>PlainReasons</name>
    <message>
        <source>Without speculation: drafting failed.</source>
        <translation>추측 없음: 초안을 만드는 중에 오류가 생겼어요.</translation>
    </message>
    <message>
        <source>Without speculation: there was no usable proposal.</source>
        <translation>추측 없음: 쓸 만한 제안이 없었어요.</translation>
    </message>
    <message>
        <source>Without speculation: another answer was about to start.</source>
        <translation>추측 없음: 다른 답변이 곧 시작될 참이었어요.</translation>
    </message>
    <message>
        <source>The first token always comes from the main model alone.</source>
        <translation>첫 토큰은 항상 메인 모델만으로 생성해요.</translation>
    </message>
    <message>
        <source>Without speculation: it was turned off.</source>
        <translation>추측 없음: 추측이 꺼져 있었어요.</translation>
    </message>
    <message>
        <source>Without speculation: no draft model was loaded.</source>
        <translation>추측 없음: 불러온 초안 모델이 없었어요.</translation>
    </message>
    <message>
        <source>Without speculation: the draft model was still loading.</source>
        <translation>추측 없음: 초안 모델을 아직 불러오고 있었어요.</translation>
    </message>
    <message>
        <source>Without speculation: the draft model cannot be used with this main model. {reason}</source>
        <translation>추측 없음: 이 초안 모델은 이 메인 모델과 함께 쓸 수 없어요. {reason}</translation>
    </message>
    <message>
        <source>Without speculation: the draft model&apos;s context was full.</source>
        <translation>추측 없음: 초안 모델의 컨텍스트가 가득 찼어요.</translation>
    </message>
    <message>
        <source>Without speculation: earlier tokens had to be reprocessed first.</source>
        <translation>추측 없음: 앞의 토큰을 먼저 다시 처리해야 했어요.</translation>
    </message>
    <message>
        <source>Without speculation: this model&apos;s cache ({kind}) cannot be rolled back.</source>
        <translation>추측 없음: 이 모델의 캐시({kind})는 되돌릴 수 없어요.</translation>
    </message>
    <message>
        <source>Without speculation: no matching text earlier in the chat.</source>
        <translation>추측 없음: 대화의 앞부분에 일치하는 텍스트가 없었어요.</translation>
    </message>
    <message>
        <source>Without speculation: the answer format left a choice everywhere.</source>
        <translation>추측 없음: 답변 형식이 다음 토큰을 정해 준 곳이 없었어요.</translation>
    </message>
    <message>
        <source>Without speculation: plain decoding was faster.</source>
        <translation>추측 없음: 일반 디코딩이 더 빨랐어요.</translation>
    </message>
    <message>
        <source>Without speculation: plain decoding was still being measured.</source>
        <translation>추측 없음: 일반 디코딩 속도를 측정하고 있었어요.</translation>
    </message>
    <message>
        <source>Without speculation: the draft model was still processing the chat.</source>
        <translation>추측 없음: 초안 모델이 아직 대화를 처리하고 있었어요.</translation>
    </message>
    <message>
        <source>Without speculation: answers ran one at a time because they cannot be batched ({kind}).</source>
        <translation>추측 없음: 답변을 한꺼번에 처리할 수 없어({kind}) 하나씩 진행했어요.</translation>
    </message>
    <message>
        <source>Without speculation: the answer had almost reached its length limit.</source>
        <translation>추측 없음: 답변이 길이 제한에 거의 도달했어요.</translation>
    </message>
    <message>
        <source>Without speculation: it could have changed the text by rounding.</source>
        <translation>추측 없음: 반올림 때문에 텍스트가 달라질 수 있었어요.</translation>
    </message>
</context>
<context>
    <name>PositionLine</name>
    <message>
        <source>Draft token {position}: {rate} accepted ({accepted} of {reached})</source>
        <translation>초안 토큰 {position}: {rate} 채택({reached}개 중 {accepted}개)</translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Chat settings: {name}</source>
        <translation>대화 설정: {name}</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Custom</source>
        <translation>사용자 설정</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>정밀</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>균형</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>창의</translation>
    </message>
    <message>
        <source>Concise</source>
        <translation>간결</translation>
    </message>
</context>
<context>
    <name>Privacy</name>
    <message>
        <source>Runs on this Mac. Nothing you type leaves it.</source>
        <translation>이 Mac에서 실행돼요. 입력한 내용은 밖으로 나가지 않아요.</translation>
    </message>
    <message>
        <source>Runs on this Mac.</source>
        <translation>이 Mac에서 실행돼요.</translation>
    </message>
    <message>
        <source>Tandem goes online only to search Hugging Face, download a model, check for updates or run the test above. Chats, settings and statistics never leave this Mac. No telemetry.</source>
        <translation>Tandem은 Hugging Face를 검색하거나, 모델을 다운로드하거나, 업데이트를 확인하거나, 위의 테스트를 실행할 때만 인터넷에 연결해요. 대화, 설정, 통계는 이 Mac 밖으로 나가지 않아요. 사용 정보도 수집하지 않아요.</translation>
    </message>
    <message>
        <source>Tandem goes online to search Hugging Face, download a model, check for updates or run the test above, and for what you turned on.</source>
        <translation>Tandem은 Hugging Face를 검색하거나, 모델을 다운로드하거나, 업데이트를 확인하거나, 위의 테스트를 실행할 때와 사용자가 켠 기능에 필요할 때 네트워크에 연결해요.</translation>
    </message>
    <message>
        <source>Nothing else of your chats, settings and statistics leaves this Mac. No telemetry.</source>
        <translation>그 밖의 대화 내용과 설정, 통계는 이 Mac 밖으로 나가지 않아요. 사용 정보도 수집하지 않아요.</translation>
    </message>
    <message>
        <source>Runs on multiple Macs, which receive the text of your chats.</source>
        <translation>여러 Mac에서 함께 실행돼요. 다른 Mac에도 대화 내용이 전송돼요.</translation>
    </message>
    <message>
        <source>{name} receives the text of your chats while it drafts ahead.</source>
        <translation>미리 초안을 쓰는 동안 대화 내용이 {name} 컴퓨터로 전송돼요.</translation>
    </message>
    <message>
        <source>In chats with tools on, what the model sends to tool servers can leave this Mac.</source>
        <translation>도구를 켠 대화에서는 모델이 도구 서버에 보내는 내용이 이 Mac 밖으로 나갈 수 있어요.</translation>
    </message>
    <message>
        <source>In chats with tools on, sites see the addresses of the pages that the model reads, and {service} sees its searches.</source>
        <translation>도구를 켠 대화에서는 모델이 읽는 페이지의 주소를 해당 사이트가, 모델의 검색어를 {service} 서비스가 볼 수 있어요.</translation>
    </message>
    <message>
        <source>Other computers that have the key can use your models, but cannot read your chats.</source>
        <translation>키를 아는 다른 컴퓨터는 모델을 쓸 수 있지만 대화는 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>Tools are on: what they are asked for can leave this Mac.</source>
        <translation>도구가 켜져 있어요. 도구에 요청하는 내용은 이 Mac 밖으로 나갈 수 있어요.</translation>
    </message>
</context>
<context>
    <name>PromptField</name>
    <message>
        <source>How the model should answer</source>
        <translation>모델이 어떻게 답할지 적어 주세요</translation>
    </message>
    <message>
        <source>Today&apos;s date</source>
        <translation>오늘 날짜</translation>
    </message>
    <message>
        <source>Day of the week</source>
        <translation>요일</translation>
    </message>
    <message>
        <source>App language</source>
        <translation>앱 언어</translation>
    </message>
    <message>
        <source>Main model</source>
        <translation>메인 모델</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>초안 모델</translation>
    </message>
    <message>
        <source>System</source>
        <translation>시스템</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>시스템 프롬프트</translation>
    </message>
    <message>
        <source>Insert a variable</source>
        <translation>변수 넣기</translation>
    </message>
    <message>
        <source>Replaced when you send: {names}</source>
        <translation>보낼 때 실제 값으로 바뀌어요: {names}</translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message>
        <source>Empty Trash</source>
        <translation>휴지통 비우기</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s)</source>
        <translation>
            <numerusform>대화 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>제목 없는 대화</translation>
    </message>
    <message>
        <source>Delete permanently?</source>
        <translation>완전히 삭제할까요?</translation>
    </message>
</context>
<context>
    <name>QuestionBubble</name>
    <message>
        <source>Only the beginning of this very long text is shown. Copies and exports contain all of it.</source>
        <translation>텍스트가 매우 길어 앞부분만 표시해요. 복사와 내보내기에는 전체가 포함돼요.</translation>
    </message>
</context>
<context>
    <name>QuestionEditor</name>
    <message>
        <source>Edit the message</source>
        <translation>메시지 편집</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>보내기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>QuestionForm</name>
    <message>
        <source>Decline</source>
        <translation>거절</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>What the server asks</source>
        <translation>서버의 질문</translation>
    </message>
    <message>
        <source>Address of the page</source>
        <translation>페이지 주소</translation>
    </message>
    <message>
        <source>“{server}” asks you:</source>
        <translation>‘{server}’ 서버의 질문:</translation>
    </message>
    <message>
        <source>“{server}” waits until you have finished on the page:</source>
        <translation>페이지에서 할 일을 마칠 때까지 ‘{server}’ 서버가 기다려요:</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>The words are the server&apos;s. Continue sends the call again.</source>
        <translation>서버가 쓴 글이에요. ‘계속’을 누르면 호출을 다시 보내요.</translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation>페이지 열기</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>보내기</translation>
    </message>
    <message>
        <source>The words are the server&apos;s, and it gets what you enter. Enter no password.</source>
        <translation>서버가 쓴 글이고, 입력한 내용은 서버로 전송돼요. 암호는 입력하지 말아 주세요.</translation>
    </message>
    <message>
        <source>“{field}” is needed.</source>
        <translation>‘{field}’ 항목이 필요해요.</translation>
    </message>
    <message>
        <source>“{field}” has to be a number.</source>
        <translation>‘{field}’ 항목은 숫자여야 해요.</translation>
    </message>
    <message>
        <source>“{field}” has to be a whole number.</source>
        <translation>‘{field}’ 항목은 정수여야 해요.</translation>
    </message>
    <message>
        <source>“{field}” is too small or too large: {range}.</source>
        <translation>‘{field}’ 값이 너무 작거나 커요: {range}.</translation>
    </message>
    <message>
        <source>“{field}” is too short or too long: {range}.</source>
        <translation>‘{field}’ 글자 수가 너무 적거나 많아요: {range}.</translation>
    </message>
    <message>
        <source>Choose more or fewer of “{field}”: {range}.</source>
        <translation>‘{field}’ 항목을 더 많이 또는 더 적게 선택해 주세요: {range}.</translation>
    </message>
    <message>
        <source>“{field}” does not have the form that is needed ({form}).</source>
        <translation>‘{field}’ 항목이 필요한 형식과 달라요({form}).</translation>
    </message>
    <message>
        <source>The words are the server&apos;s. Open the page only if you know {host}.</source>
        <translation>서버가 쓴 글이에요. {host} 사이트를 아는 경우에만 페이지를 열어 주세요.</translation>
    </message>
    <message>
        <source>Its name contains letters that may look like others.</source>
        <translation>사이트 이름에 다른 글자와 비슷해 보일 수 있는 글자가 들어 있어요.</translation>
    </message>
</context>
<context>
    <name>QuickEntry</name>
    <message>
        <source>Quick entry</source>
        <translation>빠른 입력</translation>
    </message>
    <message>
        <source>Message for a new chat</source>
        <translation>새 대화의 메시지</translation>
    </message>
    <message>
        <source>Message in this chat</source>
        <translation>이 대화에 이어서 보낼 메시지</translation>
    </message>
    <message>
        <source>Screenshot</source>
        <translation>스크린샷</translation>
    </message>
    <message>
        <source>Open in the main window</source>
        <translation>메인 윈도우에서 열기</translation>
    </message>
</context>
<context>
    <name>Relocation</name>
    <message>
        <source>Moved to {folder}. All files were verified; the old location links to the new one.</source>
        <translation>{folder} 폴더로 옮겼어요. 모든 파일을 확인했고, 예전 위치는 새 위치로 연결돼요.</translation>
    </message>
    <message>
        <source>Not moved: that folder is not empty.</source>
        <translation>옮기지 않았어요. 그 폴더가 비어 있지 않아요.</translation>
    </message>
    <message>
        <source>Not moved: a folder cannot be moved into itself.</source>
        <translation>옮기지 않았어요. 폴더를 그 폴더 안으로 옮길 수는 없어요.</translation>
    </message>
    <message>
        <source>Not moved: {needed} needed, but only {free} free on that disk.</source>
        <translation>옮기지 않았어요. 공간이 {needed} 필요한데 그 디스크에는 {free}만 남아 있어요.</translation>
    </message>
    <message>
        <source>Not moved: {file} failed verification. Check that disk.</source>
        <translation>옮기지 않았어요. 확인해 보니 {file} 파일이 원본과 달라요. 그 디스크를 점검해 주세요.</translation>
    </message>
    <message>
        <source>Not moved: {detail}.</source>
        <translation>옮기지 않았어요: {detail}.</translation>
    </message>
    <message>
        <source>Stopped. Nothing was moved.</source>
        <translation>중지했어요. 옮긴 것은 없어요.</translation>
    </message>
    <message>
        <source>Not moved: another copy of Tandem is running. Tandem will try again at the next launch.</source>
        <translation>옮기지 않았어요. 다른 Tandem이 실행 중이에요. 다음에 실행할 때 다시 시도해요.</translation>
    </message>
    <message>
        <source>There is nothing to move yet.</source>
        <translation>아직 옮길 것이 없어요.</translation>
    </message>
</context>
<context>
    <name>RemovalControls</name>
    <message>
        <source>This deletes all chats and their backups ({chats}), and settings and caches ({rest}), from this Mac. Export the chats first if you want to keep them.</source>
        <translation>이 Mac에서 모든 대화와 백업({chats}), 설정과 캐시({rest})를 삭제해요. 대화를 남겨 두려면 먼저 내보내 주세요.</translation>
    </message>
    <message>
        <source>This deletes your chats, backups, settings and caches, then quits Tandem. You can&apos;t undo this.</source>
        <translation>대화, 백업, 설정, 캐시를 삭제하고 Tandem을 종료해요. 이 동작은 취소할 수 없어요.</translation>
    </message>
    <message>
        <source>Continue…</source>
        <translation>계속…</translation>
    </message>
    <message>
        <source>Delete and quit</source>
        <translation>삭제하고 종료</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Delete everything…</source>
        <translation>모두 삭제…</translation>
    </message>
</context>
<context>
    <name>Rounding</name>
    <message>
        <source>How this Mac rounds with {main} is measured while Tandem is idle.</source>
        <translation>이 Mac에서 {main} 모델의 반올림 방식은 Tandem이 쉬는 동안 측정해요.</translation>
    </message>
    <message>
        <source>Verifying 3 draft tokens costs as much as {ours} plain tokens with Tandem&apos;s kernels, and {mlx} with MLX&apos;s.</source>
        <translation>초안 토큰 3개를 검증하는 데 Tandem의 커널로는 일반 토큰 {ours}개, MLX의 커널로는 {mlx}개만큼의 시간이 들어요.</translation>
    </message>
    <message>
        <source>Verifying 3 draft tokens costs as much as {mlx} plain tokens.</source>
        <translation>초안 토큰 3개를 검증하는 데 일반 토큰 {mlx}개만큼의 시간이 들어요.</translation>
    </message>
    <message>
        <source>This is true up to {keys} tokens of context. Beyond that, there may be fewer draft tokens.</source>
        <translation>컨텍스트 {keys}토큰까지 그래요. 그보다 길어지면 초안 토큰이 줄어들 수 있어요.</translation>
    </message>
    <message>
        <source>It does not slow answers down.</source>
        <translation>답변이 느려지지 않아요.</translation>
    </message>
    <message>
        <source>The same text as without drafts.</source>
        <translation>초안 없이 쓴 것과 같은 텍스트예요.</translation>
    </message>
    <message>
        <source>Up to there, answers are written without draft tokens.</source>
        <translation>그때까지는 초안 토큰 없이 답변해요.</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length on this Mac, so answers are written without draft tokens.</source>
        <translation>{main} 모델은 이 Mac에서 초안 길이와 관계없이 반올림이 달라져서, 초안 토큰 없이 답변해요.</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length up to {keys} tokens of context on this Mac.</source>
        <translation>{main} 모델은 이 Mac에서 컨텍스트가 {keys}토큰이 될 때까지는 초안 길이와 관계없이 반올림이 달라져요.</translation>
    </message>
    <message>
        <source>With {main}, rounding differs at every draft length on this Mac.</source>
        <translation>{main} 모델은 이 Mac에서 초안 길이와 관계없이 반올림이 달라져요.</translation>
    </message>
    <message>
        <source>This is true up to {keys} tokens of context.</source>
        <translation>컨텍스트 {keys}토큰까지 그래요.</translation>
    </message>
    <message>
        <source>With {main}, rounding is the same at every draft length on this Mac.</source>
        <translation>{main} 모델은 이 Mac에서 모든 초안 길이의 반올림이 같아요.</translation>
    </message>
    <message>
        <source>With {main}, rounding stays the same up to {most} draft tokens per round on this Mac.</source>
        <translation>{main} 모델은 이 Mac에서 라운드당 초안 토큰 {most}개까지 반올림이 같아요.</translation>
    </message>
    <message>
        <source>Tandem&apos;s kernels have stalled on this Mac. When that happens, MLX&apos;s kernels are used until you quit Tandem.</source>
        <translation>이 Mac에서 Tandem의 커널이 멈춘 적이 있어요. 그럴 때는 Tandem을 종료할 때까지 MLX의 커널을 사용해요.</translation>
    </message>
    <message>
        <source>It slows answers down by about {share}% (estimate).</source>
        <translation>답변이 약 {share}% 느려져요(추정).</translation>
    </message>
    <message>
        <source>Some of Tandem&apos;s kernels cannot run on this Mac, so MLX&apos;s kernels are used in their place.</source>
        <translation>이 Mac에서는 Tandem의 커널 중 일부를 실행할 수 없어서 그 대신 MLX의 커널을 사용해요.</translation>
    </message>
    <message>
        <source>A test of Tandem&apos;s kernels failed or did not finish on this Mac, so MLX&apos;s kernels are used in their place.</source>
        <translation>이 Mac에서 Tandem의 커널 테스트가 실패했거나 끝나지 않아서 그 대신 MLX의 커널을 사용해요.</translation>
    </message>
</context>
<context>
    <name>SampleRound</name>
    <message>
        <source>The main model checks all of them in a single pass.</source>
        <translation>메인 모델이 한 번의 계산으로 모두 확인해요.</translation>
    </message>
    <message>
        <source>A small draft model quickly proposes the next tokens.</source>
        <translation>작은 초안 모델이 다음 토큰을 빠르게 제안해요.</translation>
    </message>
    <message>
        <source>Tandem copies what followed the same words earlier.</source>
        <translation>앞에서 같은 단어 뒤에 나왔던 내용을 Tandem이 그대로 가져와 제안해요.</translation>
    </message>
    <message>
        <source>It keeps every token it would have written itself, then adds one.</source>
        <translation>스스로 썼을 토큰은 모두 남기고, 토큰 하나를 더해요.</translation>
    </message>
    <message>
        <source>Water</source>
        <comment>the sample: the text so far</comment>
        <translation>물은</translation>
    </message>
    <message>
        <source>boils|at|100|°F|or</source>
        <comment>the sample: five draft tokens</comment>
        <translation>섭씨|100|도에서|얼어|요</translation>
    </message>
    <message>
        <source>°C</source>
        <comment>the sample: the main model&apos;s token in place of the fourth</comment>
        <translation>끓어</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) in one round instead of one, and the text is the main model&apos;s own.</source>
        <translation>
            <numerusform>라운드 한 번에 토큰이 1개가 아니라 %Ln개 나오고, 텍스트는 메인 모델이 쓴 그대로예요.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear the text</source>
        <translation>입력한 내용 지우기</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>{first} {second}</source>
        <comment>two sentences, one after the other</comment>
        <translation>{first} {second}</translation>
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
        <translation>이름</translation>
    </message>
    <message>
        <source>Command, or address that starts with https://</source>
        <translation>명령어 또는 https://로 시작하는 주소</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>폴더 선택…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>서버 추가</translation>
    </message>
    <message>
        <source>Edit the server</source>
        <translation>서버 편집</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>저장</translation>
    </message>
    <message>
        <source>Choose the folder that the server may use.</source>
        <translation>서버가 쓸 수 있는 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>Enter a value for {name}.</source>
        <translation>{name} 값을 입력해 주세요.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Choose a folder for this server</source>
        <translation>이 서버의 폴더 선택</translation>
    </message>
    <message>
        <source>Name of the value</source>
        <translation>값의 이름</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>A quotation mark in the command is not closed.</source>
        <translation>명령어에서 따옴표가 닫히지 않았어요. 확인해 주세요.</translation>
    </message>
    <message>
        <source>There is already a server named “{name}”.</source>
        <translation>‘{name}’ 서버가 이미 있어요.</translation>
    </message>
    <message>
        <source>Name, command and environment variables</source>
        <translation>이름, 명령어, 환경 변수</translation>
    </message>
    <message>
        <source>Runs {command}</source>
        <translation>실행할 명령어: {command}</translation>
    </message>
    <message>
        <source>Add a header</source>
        <translation>헤더 추가</translation>
    </message>
    <message>
        <source>Add an environment variable</source>
        <translation>환경 변수 추가</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>허용</translation>
    </message>
    <message>
        <source>A command that runs on this Mac, or the address of a server. Environment variables and headers are stored only in the system keychain, except variables that decide what runs.</source>
        <translation>이 Mac에서 실행할 명령어나 서버의 주소를 입력해 주세요. 환경 변수와 헤더는 시스템 키체인에만 저장돼요. 무엇을 실행할지 결정하는 변수는 예외예요.</translation>
    </message>
</context>
<context>
    <name>ServerDetails</name>
    <message>
        <source>What the server tells the model</source>
        <translation>서버가 모델에 전하는 말</translation>
    </message>
    <message>
        <source>Standard error of the server</source>
        <translation>서버의 표준 오류</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>편집…</translation>
    </message>
    <message>
        <source>Only read, as the server says</source>
        <translation>서버에 따르면 읽기만 하는 도구</translation>
    </message>
    <message>
        <source>Can change something</source>
        <translation>무언가를 변경할 수 있는 도구</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>테스트</translation>
    </message>
    <message>
        <source>Allow and test</source>
        <translation>허용하고 테스트</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>로그인…</translation>
    </message>
    <message>
        <source>Sign out</source>
        <translation>로그아웃</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>ServerLine</name>
    <message>
        <source>Details…</source>
        <translation>세부 사항…</translation>
    </message>
    <message>
        <source>Standard error of the server</source>
        <translation>서버의 표준 오류</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>테스트</translation>
    </message>
    <message>
        <source>Allow and test</source>
        <translation>허용하고 테스트</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>로그인…</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>읽기</translation>
    </message>
    <message>
        <source>Changing</source>
        <translation>변경</translation>
    </message>
    <message>
        <source>Folder: {names}</source>
        <translation>폴더: {names}</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>다른 폴더…</translation>
    </message>
    <message>
        <source>A further folder…</source>
        <translation>폴더 추가…</translation>
    </message>
    <message>
        <source>Without {folder}</source>
        <translation>{folder} 제외</translation>
    </message>
    <message>
        <source>Choose a folder for this server</source>
        <translation>이 서버의 폴더 선택</translation>
    </message>
</context>
<context>
    <name>ServerView</name>
    <message>
        <source>Waiting for you to sign in in the browser…</source>
        <translation>브라우저에서 로그인하기를 기다리는 중…</translation>
    </message>
    <message>
        <source>Not offered, because they can only run as tasks, which Tandem does not support: {names}.</source>
        <translation>Tandem이 지원하지 않는 MCP 태스크 방식으로만 실행돼서 제공되지 않는 도구: {names}.</translation>
    </message>
    <message>
        <source>Enter these before it can run: {names}.</source>
        <translation>실행하기 전에 입력해 주세요: {names}.</translation>
    </message>
    <message>
        <source>Not allowed to run yet.</source>
        <translation>실행이 아직 허용되지 않았어요.</translation>
    </message>
    <message>
        <source>Downloading {package}…</source>
        <translation>{package} 다운로드 중…</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>시작하는 중…</translation>
    </message>
    <message>
        <source>Running. It offers no tools.</source>
        <translation>실행 중이에요. 제공하는 도구가 없어요.</translation>
    </message>
    <message>
        <source>Running. All its tools are off.</source>
        <translation>실행 중이에요. 모든 도구가 꺼져 있어요.</translation>
    </message>
    <message>
        <source>Off: {names}.</source>
        <translation>꺼짐: {names}.</translation>
    </message>
    <message>
        <source>It runs with your rights on this Mac and can read and change your files. Allow it only if you trust where it comes from.</source>
        <translation>이 Mac에서 내 권한으로 실행되고, 파일을 읽고 바꿀 수 있어요. 출처를 신뢰할 때만 허용해 주세요.</translation>
    </message>
    <message>
        <source>What the model sends to it leaves this Mac. Allow it only if you trust this address.</source>
        <translation>모델이 보내는 내용은 이 Mac 밖으로 나가요. 이 주소를 신뢰할 때만 허용해 주세요.</translation>
    </message>
    <message>
        <source>Turned off.</source>
        <translation>꺼져 있어요.</translation>
    </message>
    <message>
        <source>Unusable tools ({count}): {names}.</source>
        <translation>쓸 수 없는 도구({count}개): {names}.</translation>
    </message>
    <message>
        <source>Starts when a chat needs it.</source>
        <translation>대화에 필요할 때 시작돼요.</translation>
    </message>
    <message>
        <source>Program: not found on this Mac</source>
        <translation>프로그램: 이 Mac에 없음</translation>
    </message>
    <message>
        <source>The server tells the model: {text}</source>
        <translation>서버가 모델에 전하는 말: {text}</translation>
    </message>
    <message>
        <source>Program: {path}</source>
        <translation>프로그램: {path}</translation>
    </message>
    <message>
        <source>{variable} (loads code into the program)</source>
        <translation>{variable} (프로그램에 코드를 불러옴)</translation>
    </message>
    <message>
        <source>{variable} (decides which program runs)</source>
        <translation>{variable} (실행할 프로그램을 결정함)</translation>
    </message>
</context>
<context>
    <name>SessionLog</name>
    <message>
        <source>Log of this session</source>
        <translation>이번 실행 로그</translation>
    </message>
    <message>
        <source>Copy log</source>
        <translation>로그 복사하기</translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>로그가 비어 있어요.</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>Reset {name}</source>
        <translation>{name} 초기화</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>초안 모델</translation>
    </message>
    <message>
        <source>Prompt lookup (n-gram)</source>
        <translation>프롬프트 룩업(n-gram)</translation>
    </message>
    <message>
        <source>On</source>
        <translation>켬</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>끔</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>낮음</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>보통</translation>
    </message>
    <message>
        <source>High</source>
        <translation>높음</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>Full precision</source>
        <translation>전체 정밀도</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8비트</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4비트</translation>
    </message>
    <message>
        <source>Same distribution</source>
        <translation>동일한 분포</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>App language. Models usually answer in the language you write in.</source>
        <translation>앱의 언어예요. 모델은 보통 질문한 언어로 답해요.</translation>
    </message>
    <message>
        <source>Match system</source>
        <translation>시스템 설정과 동일하게</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>화면 모드</translation>
    </message>
    <message>
        <source>Light, dark, or match the system.</source>
        <translation>라이트, 다크, 또는 시스템 설정과 동일하게 표시해요.</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>라이트</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>다크</translation>
    </message>
    <message>
        <source>Dark mode</source>
        <translation>다크 모드</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>텍스트 크기</translation>
    </message>
    <message>
        <source>Applies to the whole app.</source>
        <translation>앱 전체에 적용돼요.</translation>
    </message>
    <message>
        <source>Small</source>
        <translation>작게</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>보통</translation>
    </message>
    <message>
        <source>Large</source>
        <translation>크게</translation>
    </message>
    <message>
        <source>Very large</source>
        <translation>매우 크게</translation>
    </message>
    <message>
        <source>Font size</source>
        <translation>글꼴 크기</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>메시지 보내기 키</translation>
    </message>
    <message>
        <source>Shift+Enter always starts a new line.</source>
        <translation>Shift+Enter는 항상 줄을 바꿔요.</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Cmd+Enter (Ctrl+Enter)</source>
        <translation>Cmd+Enter(Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Notify when an answer is ready</source>
        <translation>답변이 준비되면 알림</translation>
    </message>
    <message>
        <source>Faster answers</source>
        <translation>답변 속도 높이기</translation>
    </message>
    <message>
        <source>Automatic uses what is fastest on this Mac: the draft model, prompt lookup, or neither.</source>
        <translation>‘자동’은 초안 모델, 프롬프트 룩업, 둘 다 쓰지 않기 가운데 이 Mac에서 가장 빠른 방법을 써요.</translation>
    </message>
    <message>
        <source>Draft source</source>
        <translation>초안 생성 방법</translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation>추측 디코딩</translation>
    </message>
    <message>
        <source>Draft ahead</source>
        <translation>미리 초안 쓰기</translation>
    </message>
    <message>
        <source>Drafts the next round while a large main model checks. On this Mac&apos;s processor it rarely gains, and needs memory for a second copy; another Mac with the model can.</source>
        <translation>큰 메인 모델이 확인하는 동안 다음 라운드의 초안을 써요. 이 Mac의 프로세서로는 빨라지는 일이 드물고 초안 모델을 하나 더 올릴 메모리가 필요해요. 그 모델이 있는 다른 Mac으로는 빨라질 수 있어요.</translation>
    </message>
    <message>
        <source>On this Mac&apos;s processor</source>
        <translation>이 Mac의 프로세서</translation>
    </message>
    <message>
        <source>Draft tokens per round</source>
        <translation>라운드당 초안 토큰</translation>
    </message>
    <message>
        <source>Acceptance rule</source>
        <translation>채택 기준</translation>
    </message>
    <message>
        <source>Verifying several tokens at once can change rounding. With this on, Tandem uses only draft lengths with the same rounding, and computes one answer at a time.</source>
        <translation>토큰 여러 개를 한 번에 검증하면 반올림이 달라질 수 있어요. 이 설정을 켜면 Tandem은 반올림이 같은 초안 길이만 쓰고 한 번에 답변 하나씩 계산해요.</translation>
    </message>
    <message>
        <source>Reuse wording from your chats</source>
        <translation>다른 대화의 표현 활용</translation>
    </message>
    <message>
        <source>Proposes tokens from answers in your other chats, which speeds up repeated work. The index stays on this Mac and loses a chat that you permanently delete.</source>
        <translation>다른 대화의 답변에서 찾은 토큰을 초안으로 제안해서 반복되는 작업이 더 빨라져요. 색인은 이 Mac에만 저장되고, 대화를 완전히 삭제하면 색인에서도 지워져요.</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>온도</translation>
    </message>
    <message>
        <source>0 always picks the most likely token. Higher values add variety and mistakes.</source>
        <translation>0이면 항상 확률이 가장 높은 토큰을 골라요. 값이 클수록 다양해지고 실수도 늘어요.</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Samples only from the most likely tokens that add up to this probability. 1 turns it off.</source>
        <translation>확률이 높은 순으로 더해 이 확률이 될 때까지의 토큰에서만 뽑아요. 1이면 꺼져요.</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Samples only from this many of the most likely tokens.</source>
        <translation>확률이 높은 순으로 이 개수만큼의 토큰에서만 뽑아요.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>모두</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Drops tokens below this fraction of the top probability. 0 turns it off.</source>
        <translation>가장 높은 확률에 이 비율을 곱한 값보다 확률이 낮은 토큰은 제외해요. 0이면 꺼져요.</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>반복 페널티</translation>
    </message>
    <message>
        <source>Above 1, tokens that were just used become less likely.</source>
        <translation>1보다 크면 방금 쓴 토큰이 덜 나와요.</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>답변 최대 길이</translation>
    </message>
    <message>
        <source>In tokens. A token is about three quarters of an English word.</source>
        <translation>토큰 단위예요. 한국어는 보통 두 글자가 토큰 하나쯤이에요.</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>최대 토큰 수</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>The same seed reproduces the same text. Only matters above temperature 0.</source>
        <translation>시드가 같으면 같은 텍스트가 다시 나와요. 온도가 0보다 높을 때만 의미가 있어요.</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>무작위</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>생각</translation>
    </message>
    <message>
        <source>Models that can think do so before they answer. Other models ignore it.</source>
        <translation>생각할 수 있는 모델이 답하기 전에 생각하게 해요. 다른 모델에는 영향이 없어요.</translation>
    </message>
    <message>
        <source>Thinking limit</source>
        <translation>생각 한도</translation>
    </message>
    <message>
        <source>In tokens. At this limit the model has to end its thoughts, and the answer follows.</source>
        <translation>토큰 단위예요. 이 한도에 이르면 모델이 생각을 끝내고 답변을 시작해요.</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>제한 없음</translation>
    </message>
    <message>
        <source>“Same text”: a seed always gives the same text, up to rounding. “Same distribution”: speculation may change the text, but not its probabilities.</source>
        <translation>‘같은 텍스트’: 시드가 같으면 반올림을 제외하고 항상 같은 텍스트가 나와요. ‘동일한 분포’: 추측 디코딩으로 텍스트가 달라질 수 있지만 확률은 그대로예요.</translation>
    </message>
    <message>
        <source>Stop and notify me</source>
        <translation>멈추고 알리기</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 캐시</translation>
    </message>
    <message>
        <source>The model&apos;s working memory of a chat. Fewer bits use less memory; answers can change slightly. Applies the next time a model is loaded.</source>
        <translation>모델이 대화를 기억하는 작업 메모리예요. 비트가 적으면 메모리를 덜 쓰지만 답변이 조금 달라질 수 있어요. 다음에 불러오는 모델부터 적용돼요.</translation>
    </message>
    <message>
        <source>The address of a mirror of Hugging Face. Leave empty to use Hugging Face directly.</source>
        <translation>Hugging Face 미러의 주소예요. 비워 두면 Hugging Face를 직접 써요.</translation>
    </message>
    <message>
        <source>Reopens long chats instantly and takes up to 4 GB. Removed when the chat is permanently deleted.</source>
        <translation>긴 대화를 바로 다시 열 수 있고, 최대 4 GB를 차지해요. 대화를 완전히 삭제하면 함께 삭제돼요.</translation>
    </message>
    <message>
        <source>Run a local API server</source>
        <translation>로컬 API 서버 실행</translation>
    </message>
    <message>
        <source>Editors, agents and scripts on this Mac can ask the loaded models, with the same speculation. Chats are never shared.</source>
        <translation>이 Mac의 편집기, 에이전트, 스크립트가 불러온 모델에 질문할 수 있고, 추측 디코딩도 똑같이 적용돼요. 대화는 절대 공유되지 않아요.</translation>
    </message>
    <message>
        <source>Allowed web origins</source>
        <translation>허용할 웹 오리진</translation>
    </message>
    <message>
        <source>Loads models beyond the limit. This Mac may become very slow, and the system may quit Tandem.</source>
        <translation>한도를 넘어도 모델을 불러와요. 이 Mac이 아주 느려지거나 시스템이 Tandem을 종료할 수 있어요.</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>모델 기본값</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>컨텍스트가 가득 차면</translation>
    </message>
    <message>
        <source>Stop with a message, or drop the oldest messages. The system prompt and recent messages stay; the chat itself is not changed.</source>
        <translation>알림을 표시하고 멈추거나, 오래된 메시지부터 제외해요. 시스템 프롬프트와 최근 메시지는 남고, 대화 자체는 바뀌지 않아요.</translation>
    </message>
    <message>
        <source>Drop the oldest messages</source>
        <translation>오래된 메시지부터 제외</translation>
    </message>
    <message>
        <source>Work offline</source>
        <translation>오프라인 작업</translation>
    </message>
    <message>
        <source>Check for updates once a day</source>
        <translation>하루에 한 번 업데이트 확인</translation>
    </message>
    <message>
        <source>Reads which version of Tandem is the newest. Nothing about you or your chats is sent.</source>
        <translation>Tandem의 최신 버전만 확인해요. 사용자나 대화에 관한 정보는 보내지 않아요.</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>미러</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>프록시</translation>
    </message>
    <message>
        <source>The address of a proxy, such as http://proxy:8080. Leave empty for no proxy.</source>
        <translation>프록시의 주소예요(예: http://proxy:8080). 비워 두면 쓰지 않아요.</translation>
    </message>
    <message>
        <source>Keep prompt cache on disk</source>
        <translation>프롬프트 캐시를 디스크에 보관</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>포트</translation>
    </message>
    <message>
        <source>Change it if another program uses this one.</source>
        <translation>다른 프로그램이 이 포트를 쓰고 있으면 바꿔 주세요.</translation>
    </message>
    <message>
        <source>Let other computers connect</source>
        <translation>다른 컴퓨터의 연결 허용</translation>
    </message>
    <message>
        <source>Their addresses, such as http://localhost:3000, separated by spaces. Leave empty for none.</source>
        <translation>http://localhost:3000 같은 주소를 빈칸으로 구분해 입력해 주세요. 비워 두면 아무 페이지도 연결할 수 없어요.</translation>
    </message>
    <message>
        <source>Other Macs</source>
        <translation>다른 Mac</translation>
    </message>
    <message>
        <source>Names or addresses, separated by commas, such as mac-studio.local. This Mac has to reach them over SSH with a key, and Tandem has to be installed there.</source>
        <translation>mac-studio.local 같은 이름이나 주소를 쉼표로 구분해 입력해 주세요. 이 Mac에서 SSH 키로 접속할 수 있어야 하고, 그 Mac에도 Tandem이 설치되어 있어야 해요.</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>쓰지 않는 모델 자동 언로드</translation>
    </message>
    <message>
        <source>In minutes. Frees their memory; they reload with your next question.</source>
        <translation>이 시간(분) 동안 쓰지 않으면 메모리를 비우고, 다음 질문 때 다시 불러와요.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>안 함</translation>
    </message>
    <message>
        <source>Memory for models and chats</source>
        <translation>모델과 대화에 쓸 메모리</translation>
    </message>
    <message>
        <source>In GB. Models that do not fit are not loaded.</source>
        <translation>GB 단위예요. 들어가지 않는 모델은 불러오지 않아요.</translation>
    </message>
    <message>
        <source>Allow exceeding the memory limit</source>
        <translation>메모리 한도 초과 허용</translation>
    </message>
    <message>
        <source>General</source>
        <translation>일반</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>추측 디코딩</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>생성</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>Request history</source>
        <translation>요청 기록</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>저장 공간</translation>
    </message>
    <message>
        <source>Privacy and network</source>
        <translation>개인정보 및 네트워크</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>로컬 API</translation>
    </message>
    <message>
        <source>Multiple Macs</source>
        <translation>여러 Mac</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>고급</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>설정 페이지</translation>
    </message>
    <message>
        <source>Developer</source>
        <translation>개발자</translation>
    </message>
    <message>
        <source>No matching settings</source>
        <translation>일치하는 설정 없음</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Search in the settings</source>
        <translation>설정에서 검색</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>기본값으로 되돌리기</translation>
    </message>
    <message>
        <source>More</source>
        <translation>더 보기</translation>
    </message>
    <message>
        <source>Same text</source>
        <translation>같은 텍스트</translation>
    </message>
    <message>
        <source>For long answers, and tools that wait for your permission, while another app is in front. Notifications contain no chat text.</source>
        <translation>다른 앱을 사용하는 동안 긴 답변이 끝나거나 도구가 허용을 기다리면 알려요. 알림에는 대화 내용이 들어가지 않아요.</translation>
    </message>
    <message>
        <source>Opens a small window over all apps, which answers in place. Another app with the same keys may respond too. Press ⌫ for none.</source>
        <translation>모든 앱 위에 작은 윈도우를 열고 그 자리에서 답해요. 같은 단축키를 쓰는 다른 앱도 함께 반응할 수 있어요. ⌫ 키를 누르면 단축키가 지워져요.</translation>
    </message>
    <message>
        <source>On {name}</source>
        <translation>{name}</translation>
    </message>
    <message>
        <source>Automatic adapts to the speed measured on this Mac. A fixed number can slow answers down.</source>
        <translation>‘자동’은 이 Mac에서 측정한 속도에 맞춰 정해져요. 수를 고정하면 답변이 느려질 수 있어요.</translation>
    </message>
    <message>
        <source>Always the same text with and without speculation</source>
        <translation>추측 디코딩과 관계없이 항상 같은 텍스트</translation>
    </message>
    <message>
        <source>Anyone on your network who has the key can use your models and this Mac&apos;s power, and everything is sent unencrypted. Turn it on only on a network you trust.</source>
        <translation>네트워크에서 키를 아는 사람은 누구나 이 Mac의 모델과 성능을 쓸 수 있고, 모든 내용이 암호화되지 않은 채 오가요. 믿을 수 있는 네트워크에서만 켜 주세요.</translation>
    </message>
    <message>
        <source>Changes take effect with the next answer.</source>
        <translation>바꾸면 다음 답변부터 적용돼요.</translation>
    </message>
    <message>
        <source>Tandem does not connect to Hugging Face or look for updates, so downloads wait. Chats, installed models, tools and other computers that you chose keep working.</source>
        <translation>Tandem이 Hugging Face에 연결하거나 업데이트를 확인하지 않아요. 다운로드는 대기하고, 대화와 설치된 모델, 켜 둔 도구와 직접 고른 다른 컴퓨터는 그대로 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>Show Tandem in the menu bar</source>
        <translation>메뉴 막대에 Tandem 표시</translation>
    </message>
    <message>
        <source>Its menu shows what is loaded and the speed of the newest answer, unloads the models, and quits Tandem.</source>
        <translation>불러온 모델과 최근 답변의 속도를 보여 줘요. 모델을 언로드하거나 Tandem을 종료할 수도 있어요.</translation>
    </message>
    <message>
        <source>Shortcut for the quick entry</source>
        <translation>빠른 입력 단축키</translation>
    </message>
    <message>
        <source>None</source>
        <translation>없음</translation>
    </message>
</context>
<context>
    <name>SideBySide</name>
    <message>
        <source>Use this one</source>
        <translation>이 답변 쓰기</translation>
    </message>
    <message>
        <source>Other version</source>
        <translation>다른 버전</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>나란히 보기</translation>
    </message>
    <message>
        <source>The text is the same.</source>
        <translation>텍스트가 같아요.</translation>
    </message>
    <message>
        <source>The first difference is marked.</source>
        <translation>처음으로 다른 곳을 표시했어요.</translation>
    </message>
</context>
<context>
    <name>SiteRow</name>
    <message>
        <source>Ask again</source>
        <translation>다시 묻기</translation>
    </message>
    <message>
        <source>Always allowed.</source>
        <translation>항상 허용해요.</translation>
    </message>
</context>
<context>
    <name>Speculation</name>
    <message>
        <source>The draft model is loading. You can already ask questions.</source>
        <translation>초안 모델을 불러오고 있어요. 질문은 지금 해도 돼요.</translation>
    </message>
    <message>
        <source>The models are loading.</source>
        <translation>모델을 불러오고 있어요.</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>불러온 메인 모델이 없어요.</translation>
    </message>
    <message>
        <source>{name} was unloaded. The next question loads it again.</source>
        <translation>{name} 모델을 언로드했어요. 다음 질문을 보내면 다시 불러와요.</translation>
    </message>
    <message>
        <source>Speculation is off.</source>
        <translation>추측이 꺼져 있어요.</translation>
    </message>
    <message>
        <source>No draft model is loaded.</source>
        <translation>불러온 초안 모델이 없어요.</translation>
    </message>
    <message>
        <source>Ask something to see how much speculation speeds up the answer.</source>
        <translation>질문을 보내면 추측으로 답변이 얼마나 빨라지는지 볼 수 있어요.</translation>
    </message>
    <message>
        <source>Speculation: {sources}, no draft model</source>
        <translation>추측: {sources}, 초안 모델 없음</translation>
    </message>
    <message>
        <source>Speculation: {sources}</source>
        <translation>추측: {sources}</translation>
    </message>
    <message>
        <source>Speculation: auto</source>
        <translation>추측: 자동</translation>
    </message>
    <message>
        <source>Speculation: on</source>
        <translation>추측: 켬</translation>
    </message>
    <message>
        <source>Waiting for the first token</source>
        <translation>첫 토큰을 기다리는 중</translation>
    </message>
    <message>
        <source>Imported · no measurements</source>
        <translation>가져온 대화 · 측정값 없음</translation>
    </message>
    <message>
        <source>Stopped before the first token</source>
        <translation>첫 토큰 전에 중지됨</translation>
    </message>
    <message>
        <source>No measurements</source>
        <translation>측정값 없음</translation>
    </message>
    <message>
        <source>No draft token accepted</source>
        <translation>채택된 초안 토큰 없음</translation>
    </message>
    <message>
        <source>Waiting for you to allow a tool</source>
        <translation>도구를 허용할지 기다리는 중</translation>
    </message>
    <message>
        <source>A tool is running</source>
        <translation>도구가 실행 중</translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>Measure again</source>
        <translation>다시 측정하기</translation>
    </message>
    <message>
        <source>Updated as you chat and used to choose the draft length.</source>
        <translation>대화하는 동안 계속 갱신되고, 초안 길이를 정하는 데 쓰여요.</translation>
    </message>
    <message>
        <source>No measurements yet. Load models and chat.</source>
        <translation>아직 측정값이 없어요. 모델을 불러와 대화해 보세요.</translation>
    </message>
    <message>
        <source>Measured on this Mac</source>
        <translation>이 Mac에서 측정한 값</translation>
    </message>
    <message>
        <source>{models}: {gain}.</source>
        <translation>{models}: {gain}.</translation>
    </message>
</context>
<context>
    <name>SpeculationPanel</name>
    <message>
        <source>How it gets faster</source>
        <translation>빨라지는 원리</translation>
    </message>
    <message>
        <source>This answer</source>
        <translation>이 답변</translation>
    </message>
    <message>
        <source>Answer {number} of {count}</source>
        <translation>답변 {number}/{count}</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>로컬 API</translation>
    </message>
    <message>
        <source>No round data: this answer was saved by an older version of Tandem.</source>
        <translation>라운드 데이터가 없어요. 이전 버전의 Tandem에서 저장한 답변이에요.</translation>
    </message>
    <message>
        <source>How many tokens a round adds to the answer: the accepted ones and one of the main model&apos;s own.</source>
        <translation>라운드마다 답변에 더해지는 토큰 수예요. 채택된 토큰에 메인 모델의 토큰 하나를 더한 값이에요.</translation>
    </message>
    <message>
        <source>How much of the prompt had been read before: earlier turns, or the files of the chat&apos;s folder.</source>
        <translation>이전에 이미 읽은 프롬프트의 양이에요. 앞선 문답이나 대화 폴더의 파일이에요.</translation>
    </message>
    <message>
        <source>How often the first, the second and each further draft token of a round is accepted.</source>
        <translation>라운드의 첫 번째, 두 번째, 그 뒤의 초안 토큰이 각각 채택되는 비율이에요.</translation>
    </message>
    <message>
        <source>How the decoding time splits into drafting, verification by the main model and everything else.</source>
        <translation>디코딩 시간이 초안 생성, 메인 모델의 검증, 그 밖의 작업에 쓰인 비율이에요.</translation>
    </message>
    <message>
        <source>The time until the first token appears, most of which goes into processing the prompt.</source>
        <translation>첫 토큰이 나올 때까지 걸린 시간이에요. 대부분 프롬프트를 처리하는 데 쓰여요.</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>라운드</translation>
    </message>
    <message>
        <source>A column for each round, from the bottom up: accepted draft tokens, the main model&apos;s own token, rejected draft tokens.</source>
        <translation>한 열이 한 라운드예요. 아래부터 채택된 초안 토큰, 메인 모델의 토큰, 기각된 초안 토큰 순서예요.</translation>
    </message>
    <message>
        <source>How much longer the answer would have taken without speculation.</source>
        <translation>추측 없이 답했다면 더 걸렸을 시간이에요.</translation>
    </message>
    <message>
        <source>Acceptance by position</source>
        <translation>위치별 채택률</translation>
    </message>
    <message>
        <source>Where time went</source>
        <translation>소요 시간 내역</translation>
    </message>
    <message>
        <source>Drafts</source>
        <comment>the name of the switch Auto, On, Off</comment>
        <translation>초안</translation>
    </message>
    <message>
        <source>How fast these models are with drafts, compared with the main model alone, as measured on this Mac. Until that is known, how many draft tokens the main model accepted.</source>
        <translation>메인 모델만 쓸 때와 비교해 초안이 있을 때 이 모델들이 얼마나 빠른지 이 Mac에서 측정한 값이에요. 아직 모르면 메인 모델이 초안 토큰을 몇 개 채택했는지 보여요.</translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>The limit of %Ln token(s) ended its thoughts.</source>
        <translation>
            <numerusform>생각이 토큰 %Ln개 한도에서 끝났어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Drafting %Ln token(s) per round.</source>
        <translation>
            <numerusform>라운드마다 초안 토큰 %Ln개를 만들어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) copied from earlier</source>
        <translation>
            <numerusform>앞에서 옮겨 온 토큰 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln token(s) came from drafts</source>
        <translation>
            <numerusform>초안에서 온 토큰 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StarterLine</name>
    <message>
        <source>A tiny model that came with Tandem.</source>
        <translation>Tandem에 들어 있는 아주 작은 모델이에요.</translation>
    </message>
    <message>
        <source>Choose a larger one.</source>
        <translation>더 큰 모델 선택하기</translation>
    </message>
    <message>
        <source>From Tandem&apos;s help: {question}</source>
        <translation>Tandem 도움말: {question}</translation>
    </message>
    <message>
        <source>Take me there.</source>
        <translation>바로 가기</translation>
    </message>
    <message>
        <source>Did you mean:</source>
        <translation>혹시 이걸 물으셨나요?</translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>Choose where to move it</source>
        <translation>옮길 곳 선택</translation>
    </message>
    <message>
        <source>The chats will move to {folder} the next time Tandem starts.</source>
        <translation>다음에 Tandem을 시작할 때 대화를 {folder} 폴더로 옮겨요.</translation>
    </message>
    <message>
        <source>Models are being downloaded. Move them when that is finished.</source>
        <translation>모델을 다운로드하는 중이에요. 끝난 뒤에 옮겨 주세요.</translation>
    </message>
    <message>
        <source>Copying and verifying: {done} of {total}.</source>
        <translation>복사하고 확인하는 중: {total} 중 {done}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Includes the download list.</source>
        <translation>다운로드 목록도 포함돼요.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>The Hugging Face cache, shared with other apps.</source>
        <translation>다른 앱과 함께 쓰는 Hugging Face 캐시예요.</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>캐시</translation>
    </message>
    <message>
        <source>Temporary files that Tandem can recreate.</source>
        <translation>Tandem이 다시 만들 수 있는 임시 파일이에요.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Your preferences.</source>
        <translation>사용자가 고른 설정이에요.</translation>
    </message>
    <message>
        <source>Before you uninstall Tandem: deletes what it keeps, also in the keychain. Downloaded models stay, because other apps may use them.</source>
        <translation>Tandem을 제거하기 전에 키체인의 항목을 포함해 저장된 데이터를 삭제해요. 다운로드한 모델은 다른 앱에서 쓸 수 있으므로 그대로 두어요.</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>읽을 수 없음</translation>
    </message>
    <message>
        <source>at least {size}, parts cannot be read</source>
        <translation>{size} 이상, 일부는 읽을 수 없음</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Show in Finder: {name}</source>
        <translation>Finder에서 보기: {name}</translation>
    </message>
    <message>
        <source>Move the folder: {name}</source>
        <translation>폴더 옮기기: {name}</translation>
    </message>
    <message>
        <source>Move…</source>
        <translation>옮기기…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>비우기</translation>
    </message>
    <message>
        <source>Clear the caches</source>
        <translation>캐시 비우기</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>백업</translation>
    </message>
    <message>
        <source>All data</source>
        <translation>전체 데이터</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
</context>
<context>
    <name>Store</name>
    <message>
        <source>The disk is full, so your chats can&apos;t be saved. Free up space.</source>
        <translation>디스크가 가득 차서 대화를 저장할 수 없어요. 공간을 비워 주세요.</translation>
    </message>
    <message>
        <source>The chats cannot be changed: the disk or the file does not allow writing.</source>
        <translation>대화를 바꿀 수 없어요. 디스크나 파일에 쓸 권한이 없어요.</translation>
    </message>
    <message>
        <source>The disk is not responding correctly, so this chat can&apos;t be saved.</source>
        <translation>디스크가 제대로 응답하지 않아 이 대화를 저장할 수 없어요.</translation>
    </message>
    <message>
        <source>The chat database is damaged. Quit and reopen Tandem to repair it.</source>
        <translation>대화 데이터베이스가 손상됐어요. Tandem을 종료했다가 다시 열면 복구돼요.</translation>
    </message>
    <message>
        <source>The deleted chats may still be in files that can&apos;t be read or changed: {files}.</source>
        <translation>삭제한 대화가 읽거나 변경할 수 없는 파일에 남아 있을 수 있어요: {files}.</translation>
    </message>
    <message>
        <source>Not deleted: {titles}. The chat database is damaged. Quit and reopen Tandem to repair it.</source>
        <translation>삭제하지 못한 대화: {titles}. 대화 데이터베이스가 손상됐어요. Tandem을 종료했다가 다시 열면 복구돼요.</translation>
    </message>
    <message>
        <source>Your chats could not be saved or read: {detail}. Try again, or quit and reopen Tandem.</source>
        <translation>대화를 저장하거나 읽지 못했어요: {detail}. 다시 시도하거나 Tandem을 종료했다가 다시 열어 주세요.</translation>
    </message>
    <message>
        <source>Tandem is already running.</source>
        <translation>Tandem이 이미 실행 중이에요.</translation>
    </message>
    <message>
        <source>Your chats were saved by a newer version of Tandem. Update Tandem.</source>
        <translation>대화가 더 새로운 버전의 Tandem에서 저장됐어요. Tandem을 업데이트해 주세요.</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because the disk is full. Free up space and try again.</source>
        <translation>디스크가 가득 차서 대화를 열 수 없어요. 공간을 비우고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because their disk or folder does not allow it.</source>
        <translation>디스크나 폴더의 권한 때문에 대화를 열 수 없어요.</translation>
    </message>
    <message>
        <source>Your chats cannot be opened: {detail}.</source>
        <translation>대화를 열 수 없어요({detail}).</translation>
    </message>
    <message>
        <source>The chat database was damaged. What could be recovered is in the chat list; the damaged file was kept as {name}.</source>
        <translation>대화 데이터베이스가 손상됐어요. 복구한 내용은 대화 목록에 있고, 손상된 파일은 ‘{name}’ 파일로 남겨 두었어요.</translation>
    </message>
</context>
<context>
    <name>Teaching</name>
    <message>
        <source>Testing the draft on chats that it has not seen…</source>
        <translation>학습에 쓰지 않은 대화로 초안 모델을 시험하는 중…</translation>
    </message>
    <message>
        <source>Reading your chats: {share}</source>
        <translation>대화를 읽는 중: {share}</translation>
    </message>
    <message>
        <source>Step {step} of {steps}, {left} left</source>
        <translation>{steps}단계 중 {step}단계, {left} 남음</translation>
    </message>
    <message>
        <source>This did not make the draft better ({after} instead of {before} right), so it goes on as before.</source>
        <translation>초안 모델의 정확도가 오르지 않아서({before} → {after}) 이전 그대로 사용해요.</translation>
    </message>
    <message>
        <source>Your draft now gets {after} instead of {before} right.</source>
        <translation>이제 초안 모델의 정확도가 올랐어요({before} → {after}).</translation>
    </message>
    <message>
        <source>Choose a draft model or a head first: there is none to teach.</source>
        <translation>학습시킬 초안 모델이나 헤드가 없어요. 먼저 선택해 주세요.</translation>
    </message>
    <message>
        <source>This draft model has another tokenizer than the main model, so it cannot be taught. Choose one of the main model&apos;s family.</source>
        <translation>이 초안 모델은 메인 모델과 토크나이저가 달라서 학습시킬 수 없어요. 메인 모델과 같은 계열을 선택해 주세요.</translation>
    </message>
    <message>
        <source>A draft cannot be taught while the main model runs on multiple Macs. Continue on this Mac alone.</source>
        <translation>메인 모델이 여러 Mac에서 실행되는 동안에는 초안 모델을 학습시킬 수 없어요. 이 Mac에서만 계속해 주세요.</translation>
    </message>
    <message>
        <source>Teaching takes {detail} GB more memory than models can use. Use smaller models.</source>
        <translation>학습시키려면 모델이 쓸 수 있는 메모리보다 {detail}GB 더 필요해요. 더 작은 모델을 사용해 주세요.</translation>
    </message>
    <message>
        <source>A draft can only be taught if Tandem can save it to disk.</source>
        <translation>초안 모델을 디스크에 저장할 수 있어야 학습시킬 수 있어요.</translation>
    </message>
    <message>
        <source>The files of the main model or the draft have changed since they were loaded. Load both again, then teach.</source>
        <translation>메인 모델이나 초안 모델의 파일이 불러온 뒤에 바뀌었어요. 둘 다 다시 불러온 다음 학습시켜 주세요.</translation>
    </message>
    <message>
        <source>The files of the taught draft are damaged, so it is used as it was downloaded. Teach it again.</source>
        <translation>학습시킨 초안 모델의 파일이 손상되어, 다운로드한 그대로 사용해요. 다시 학습시켜 주세요.</translation>
    </message>
    <message>
        <source>Tandem cannot teach draft models or heads of this kind yet. Choose another one.</source>
        <translation>이런 종류의 초안 모델이나 헤드는 아직 학습시킬 수 없어요. 다른 것을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Chat some more first: your chats have {detail} of the answers by this model that are needed.</source>
        <translation>먼저 대화를 더 나눠 주세요. 이 모델의 답변이 학습에 필요한 양의 {detail}만 있어요.</translation>
    </message>
    <message>
        <source>What the draft learns cannot be saved: {detail}. Free up space and try again. Until then the draft stays as it is.</source>
        <translation>학습한 내용을 저장할 수 없어요({detail}). 공간을 확보하고 다시 시도해 주세요. 그때까지 초안 모델은 그대로예요.</translation>
    </message>
    <message>
        <source>The main model, the draft model or the head has changed since the draft was taught, so the draft is used as it was downloaded. Teach it again.</source>
        <translation>학습시킨 뒤 메인 모델, 초안 모델 또는 헤드가 바뀌어서, 초안 모델을 다운로드한 그대로 사용해요. 다시 학습시켜 주세요.</translation>
    </message>
</context>
<context>
    <name>TeachingSection</name>
    <message>
        <source>Teach this draft your way</source>
        <translation>초안 모델을 나에게 맞게 학습시키기</translation>
    </message>
    <message>
        <source>Delete the taught draft</source>
        <translation>학습시킨 초안 모델 삭제</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>학습시키기</translation>
    </message>
    <message>
        <source>Load a main model and a draft model or head first.</source>
        <translation>먼저 메인 모델과 초안 모델 또는 헤드를 불러와 주세요.</translation>
    </message>
    <message>
        <source>{draft} learns from the answers of {main} in your chats, so that more of its draft tokens are right. If these are few, {main} also answers questions from your chats, and these answers are not saved. Only the speed changes, never the text. The taught draft stays on this Mac, even after a chat is deleted; answers always come first.</source>
        <translation>{draft} 모델이 내 대화에 있는 {main} 모델의 답변을 학습해서, 초안 토큰이 더 많이 맞게 돼요. 답변이 적으면 {main} 모델이 내 대화의 질문에도 답하고, 이 답변은 저장하지 않아요. 속도만 달라지고 텍스트는 바뀌지 않아요. 학습시킨 초안 모델은 이 Mac에만 저장되고 대화를 삭제해도 남아요. 답변이 항상 학습보다 먼저예요.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
</context>
<context>
    <name>TemporaryMark</name>
    <message>
        <source>Temporary chat: it is not saved, and gone when you leave it.</source>
        <translation>임시 대화: 저장되지 않고, 다른 대화를 열면 사라져요.</translation>
    </message>
</context>
<context>
    <name>ThinkingButton</name>
    <message>
        <source>Thinking: {level}</source>
        <translation>생각: {level}</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers in this chat</source>
        <translation>이 대화에서 모델이 답하기 전에 생각할지 정해요</translation>
    </message>
</context>
<context>
    <name>ThinkingFold</name>
    <message>
        <source>Thinking… {count} tokens</source>
        <translation>생각하는 중… 토큰 {count}개</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>생각 과정</translation>
    </message>
    <message>
        <source>Thought for {count} tokens</source>
        <translation>생각함(토큰 {count}개)</translation>
    </message>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>모델의 생각 과정 보기 또는 가리기</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>{time} 동안 생각함</translation>
    </message>
</context>
<context>
    <name>TimeBar</name>
    <message>
        <source>draft {draft} · verify {verify} · overhead {host}</source>
        <translation>초안 {draft} · 검증 {verify} · 기타 {host}</translation>
    </message>
</context>
<context>
    <name>TokenLegend</name>
    <message>
        <source>rejected</source>
        <translation>기각</translation>
    </message>
</context>
<context>
    <name>TokenView</name>
    <message>
        <source>Only the beginning of this very long text is shown.</source>
        <translation>텍스트가 매우 길어 앞부분만 표시해요.</translation>
    </message>
    <message>
        <source>{source} · round {round}, position {position} · probability {percent}</source>
        <translation>{source} · 라운드 {round}, 위치 {position} · 확률 {percent}</translation>
    </message>
</context>
<context>
    <name>ToolErrors</name>
    <message>
        <source>The tool failed. Try again.</source>
        <translation>도구 실행에 실패했어요. 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The file contains no servers. Use an object named “mcpServers”.</source>
        <translation>파일에 서버가 들어 있지 않아요. ‘mcpServers’ 객체가 필요해요.</translation>
    </message>
    <message>
        <source>In “{server}”: “{field}” has to look like this: {example}</source>
        <translation>‘{server}’ 서버: ‘{field}’ 값은 다음과 같은 형태여야 해요: {example}</translation>
    </message>
    <message>
        <source>The keychain has no value of {names} for “{server}”. Enter it again in the settings.</source>
        <translation>‘{server}’ 서버에 필요한 {names} 값이 키체인에 없어요. 설정에서 다시 입력해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” has not been allowed to run. Allow it in the settings.</source>
        <translation>‘{server}’ 서버의 실행이 아직 허용되지 않았어요. 설정에서 허용해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t start: this Mac has no command “{command}”. Install it, or enter its full path.</source>
        <translation>‘{server}’ 서버를 시작할 수 없어요. 이 Mac에 ‘{command}’ 명령어가 없어요. 설치하거나 전체 경로를 입력해 주세요.</translation>
    </message>
    <message>
        <source>This file can&apos;t be used: {detail}.</source>
        <translation>이 파일은 쓸 수 없어요: {detail}.</translation>
    </message>
    <message>
        <source>“{server}” sent more than {megabytes} MB at once, so it was stopped. Ask for less.</source>
        <translation>‘{server}’ 서버가 한 번에 {megabytes}MB 넘게 보내서 중단했어요. 더 적은 양을 요청해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t be used as an MCP server ({detail}).</source>
        <translation>‘{server}’ 서버를 MCP 서버로 쓸 수 없어요({detail}).</translation>
    </message>
    <message>
        <source>“{server}” answers with error {status}. Check its address and the key in its headers.</source>
        <translation>‘{server}’ 서버가 오류로 응답해요(오류 {status}). 주소와 헤더의 키를 확인해 주세요.</translation>
    </message>
    <message>
        <source>Can&apos;t reach “{server}” ({detail}). Check its address and the network.</source>
        <translation>‘{server}’ 서버에 연결할 수 없어요({detail}). 주소와 네트워크를 확인해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” stopped unexpectedly ({detail}). Check it in the settings, or try again.</source>
        <translation>‘{server}’ 서버가 예기치 않게 종료됐어요({detail}). 설정에서 확인하거나 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” stopped again after {count} new starts within a minute ({detail}). Check it in the settings, or try again in a minute.</source>
        <translation>‘{server}’ 서버를 1분 안에 {count}번 다시 시작했지만 또 종료됐어요({detail}). 설정에서 확인하거나 1분 뒤에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” no longer knew this connection ({detail}). The next call connects again.</source>
        <translation>‘{server}’ 서버가 이 연결을 더 이상 알지 못했어요({detail}). 다음 호출에서 다시 연결해요.</translation>
    </message>
    <message>
        <source>“{server}” was not ready and silent for {seconds} seconds, so it was stopped. Try again.</source>
        <translation>‘{server}’ 서버가 준비되지 않은 채 {seconds}초 동안 응답이 없어서 중지했어요. 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{tool}” was silent for {time}, so it was stopped.</source>
        <translation>‘{tool}’ 도구가 {time} 동안 응답하지 않아 중단했어요.</translation>
    </message>
    <message>
        <source>“{server}” has moved to {address}. If you trust that address, enter it in the settings.</source>
        <translation>‘{server}’ 서버의 주소가 바뀌었어요({address}). 믿을 수 있는 주소라면 설정에 입력해 주세요.</translation>
    </message>
    <message>
        <source>Sign-in needed. In Settings &gt; Tools, press “Sign in…” beside “{server}”.</source>
        <translation>로그인이 필요해요. ‘설정 &gt; 도구’에서 ‘{server}’ 옆의 ‘로그인…’을 눌러 주세요.</translation>
    </message>
    <message>
        <source>“{server}” refused the key in its headers. In Settings &gt; Tools, enter another one or press “Sign in…”.</source>
        <translation>‘{server}’ 서버가 헤더의 키를 거부했어요. ‘설정 &gt; 도구’에서 다른 키를 입력하거나 ‘로그인…’을 눌러 주세요.</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” was not completed in the browser. Try again.</source>
        <translation>브라우저에서 ‘{server}’ 서버 로그인이 완료되지 않았어요. 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” failed ({detail}). Try again.</source>
        <translation>‘{server}’ 서버에 로그인하지 못했어요({detail}). 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The sign-in to “{server}” would use an unencrypted address ({address}), so it was refused.</source>
        <translation>‘{server}’ 서버의 로그인이 암호화되지 않은 주소({address})를 사용해서 거부했어요.</translation>
    </message>
    <message>
        <source>“{server}” has changed the tool “{tool}”, so it was not used. Ask again to see the new one.</source>
        <translation>‘{server}’ 서버가 ‘{tool}’ 도구를 바꿔서 쓰지 않았어요. 다시 질문하면 새 도구를 볼 수 있어요.</translation>
    </message>
    <message>
        <source>“{tool}” failed ({detail}).</source>
        <translation>‘{tool}’ 도구 실행에 실패했어요({detail}).</translation>
    </message>
    <message>
        <source>This call was not allowed.</source>
        <translation>이 호출은 허용되지 않았어요.</translation>
    </message>
    <message>
        <source>You stopped this call.</source>
        <translation>이 호출은 사용자가 중지했어요.</translation>
    </message>
    <message>
        <source>Not called: one answer uses tools at most {count} times.</source>
        <translation>호출하지 않았어요. 답변 하나에서 도구는 최대 {count}번까지 사용할 수 있어요.</translation>
    </message>
    <message>
        <source>Not called: the model passed arguments that the tool does not accept.</source>
        <translation>호출하지 않았어요. 모델이 넘긴 인수가 이 도구에 맞지 않아요.</translation>
    </message>
    <message>
        <source>“{address}” is not the address of a web page.</source>
        <translation>‘{address}’ 주소는 웹페이지의 주소가 아니에요.</translation>
    </message>
    <message>
        <source>{host} is on this Mac or in a private network, so its page was not read.</source>
        <translation>{host} 주소는 이 Mac이나 사설 네트워크에 있어서 페이지를 읽지 않았어요.</translation>
    </message>
    <message>
        <source>Can&apos;t reach {host} ({detail}). Check the address and the network.</source>
        <translation>{host} 주소에 연결할 수 없어요({detail}). 주소와 네트워크를 확인해 주세요.</translation>
    </message>
    <message>
        <source>{host} answers with error {status}.</source>
        <translation>{host} 주소가 오류로 응답해요(오류 {status}).</translation>
    </message>
    <message>
        <source>{host} redirects from page to page without end.</source>
        <translation>{host} 주소가 끝없이 다른 페이지로 넘어가요.</translation>
    </message>
    <message>
        <source>{host} leads to another site, {site}. The model can ask to read its page.</source>
        <translation>{host} 주소는 다른 사이트({site})로 연결돼요. 모델이 그 페이지를 읽겠다고 요청할 수 있어요.</translation>
    </message>
    <message>
        <source>{host} took longer than {seconds} seconds. Try again.</source>
        <translation>{host} 주소가 {seconds}초 넘게 걸렸어요. 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The page of {host} is larger than {megabytes} MB, so it was not read.</source>
        <translation>{host} 페이지가 {megabytes}MB보다 커서 읽지 않았어요.</translation>
    </message>
    <message>
        <source>Searching with {service} needs a key. Enter it in Settings &gt; Tools.</source>
        <translation>{service} 검색에는 키가 필요해요. ‘설정 &gt; 도구’에서 입력해 주세요.</translation>
    </message>
    <message>
        <source>Searching with {service} needs its address. Enter it in Settings &gt; Tools.</source>
        <translation>{service} 검색에는 주소가 필요해요. ‘설정 &gt; 도구’에서 입력해 주세요.</translation>
    </message>
    <message>
        <source>{service} refused the search (error {status}). Check the key or the address in Settings &gt; Tools.</source>
        <translation>{service} 서비스가 검색을 거부했어요(오류 {status}). ‘설정 &gt; 도구’에서 키나 주소를 확인해 주세요.</translation>
    </message>
    <message>
        <source>{service} takes no more searches for now. Wait a little, and try again.</source>
        <translation>{service} 서비스가 지금은 검색을 더 받지 않아요. 잠시 후 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{service} answered something that is not a list of results.</source>
        <translation>{service} 서비스의 응답이 검색 결과 목록이 아니에요.</translation>
    </message>
    <message>
        <source>The page of {host} can&apos;t be read.</source>
        <translation>{host} 페이지를 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>{host} sent a file that is neither text nor a document.</source>
        <translation>{host} 주소에서 보낸 파일은 텍스트도 문서도 아니에요.</translation>
    </message>
    <message>
        <source>The page of {host} contains no text. Scripts, which may build it, are not run.</source>
        <translation>{host} 페이지에 텍스트가 없어요. 스크립트로 내용을 만드는 페이지일 수 있는데, 스크립트는 실행하지 않아요.</translation>
    </message>
    <message>
        <source>The document of {host} contains only images, in which no text was recognized.</source>
        <translation>{host} 문서에는 이미지만 있는데, 그 안에서 텍스트를 인식하지 못했어요.</translation>
    </message>
    <message>
        <source>The text encoding of the page of {host} was not recognized.</source>
        <translation>{host} 페이지의 인코딩을 알 수 없어요.</translation>
    </message>
    <message>
        <source>The document of {host} is password-protected, so it was not read.</source>
        <translation>{host} 문서에 암호가 걸려 있어서 읽지 않았어요.</translation>
    </message>
    <message>
        <source>The document of {host} is damaged: its text cannot be read.</source>
        <translation>{host} 문서가 손상되어 내용을 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>The document of {host} has an old format. Where LibreOffice is installed, Tandem reads it.</source>
        <translation>{host} 문서는 오래된 형식이에요. LibreOffice가 설치되어 있으면 Tandem이 읽어요.</translation>
    </message>
    <message>
        <source>The text of the page of {host} is too long, so it was not read.</source>
        <translation>{host} 페이지의 텍스트가 너무 길어서 읽지 않았어요.</translation>
    </message>
    <message>
        <source>The page of {host} takes too long to read, so it was not read.</source>
        <translation>{host} 페이지는 읽는 데 시간이 너무 오래 걸려서 읽지 않았어요.</translation>
    </message>
    <message>
        <source>The page of {host} takes too much memory to read, so it was not read.</source>
        <translation>{host} 페이지는 읽는 데 메모리가 너무 많이 들어서 읽지 않았어요.</translation>
    </message>
    <message>
        <source>“{server}” can&apos;t be the name of a server. Use up to 64 characters, and not “Tandem”.</source>
        <translation>‘{server}’ 이름은 서버에 쓸 수 없어요. 64자 이하로, ‘Tandem’이 아닌 이름을 써 주세요.</translation>
    </message>
    <message>
        <source>In “{server}”: enter either a “command” or a “url”.</source>
        <translation>‘{server}’ 서버: ‘command’와 ‘url’ 중 하나만 입력해 주세요.</translation>
    </message>
    <message>
        <source>“{server}” lets only apps that it knows sign in. Register an app there whose redirect address is {callback}, and in Settings &gt; Tools add its ID as the value {id}, and its secret, if it has one, as {secret}. Or get an access token, and add the value {example}.</source>
        <translation>‘{server}’ 서버에는 등록된 앱으로만 로그인할 수 있어요. 서비스에 리디렉션 주소가 {callback}인 앱을 등록한 다음, ‘설정 &gt; 도구’에서 앱 ID를 {id} 값으로, 시크릿이 있으면 {secret} 값으로 추가해 주세요. 액세스 토큰을 받아 {example} 값을 추가해도 돼요.</translation>
    </message>
    <message>
        <source>Not called: it isn&apos;t clear where the model&apos;s text ends, because marks that end a call are part of it or missing.</source>
        <translation>호출하지 않았어요. 호출을 끝내는 표시가 텍스트 안에 들어 있거나 빠져 있어, 모델이 쓴 텍스트가 어디서 끝나는지 알 수 없어요.</translation>
    </message>
    <message>
        <source>“{server}” was not ready and silent for {seconds} seconds, so it was stopped. It last said: {detail}</source>
        <translation>‘{server}’ 서버가 준비되지 않은 채 {seconds}초 동안 응답이 없어서 중지했어요. 마지막 출력: {detail}</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>Models on this Mac</source>
        <translation>이 Mac의 모델</translation>
    </message>
    <message>
        <source>Today&apos;s acceptance rate</source>
        <translation>오늘의 채택률</translation>
    </message>
    <message>
        <source>Read a web page</source>
        <translation>웹페이지 읽기</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
</context>
<context>
    <name>ToolsButton</name>
    <message>
        <source>Tools: on</source>
        <translation>도구: 켬</translation>
    </message>
    <message>
        <source>Tools: off</source>
        <translation>도구: 끔</translation>
    </message>
    <message>
        <source>The tools that the model can use in this chat</source>
        <translation>이 대화에서 모델이 사용할 수 있는 도구</translation>
    </message>
    <message>
        <source>You can turn on tools once a model is loaded.</source>
        <translation>모델을 불러오면 도구를 켤 수 있어요.</translation>
    </message>
    <message>
        <source>Use tools in this chat</source>
        <translation>이 대화에서 도구 사용</translation>
    </message>
    <message>
        <source>In all chats</source>
        <translation>모든 대화에서</translation>
    </message>
    <message>
        <source>Tools: Tandem only</source>
        <translation>도구: Tandem만</translation>
    </message>
    <message>
        <source>Not used in this chat</source>
        <translation>이 대화에서 사용 안 함</translation>
    </message>
    <message>
        <source>Use all tools in this chat</source>
        <translation>이 대화에서 모든 도구 사용</translation>
    </message>
    <message>
        <source>This model can&apos;t use tools.</source>
        <translation>이 모델은 도구를 쓸 수 없어요.</translation>
    </message>
    <message>
        <source>Its chat template has no place for them.</source>
        <translation>대화 템플릿에 도구 자리가 없어요.</translation>
    </message>
    <message>
        <source>Choose a model that can…</source>
        <translation>도구를 쓸 수 있는 모델 선택…</translation>
    </message>
</context>
<context>
    <name>ToolsPage</name>
    <message>
        <source>Tools</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>Add a server…</source>
        <translation>서버 추가…</translation>
    </message>
    <message>
        <source>Import mcp.json…</source>
        <translation>mcp.json 가져오기…</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>추가…</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use: the values are for this run only.</source>
        <translation>이 Mac에는 Tandem이 쓸 수 있는 키체인이 없어서, 값은 이번 실행에만 쓰여요.</translation>
    </message>
    <message>
        <source>Tools are on in the current chat.</source>
        <translation>지금 대화에서 도구를 켰어요.</translation>
    </message>
    <message>
        <source>Continue in Tandem. You can close this page.</source>
        <translation>Tandem에서 계속해 주세요. 이 페이지는 닫아도 돼요.</translation>
    </message>
    <message>
        <source>Open {host} in the browser to sign in to “{server}”?</source>
        <translation>‘{server}’ 서버에 로그인하도록 브라우저에서 {host} 주소를 열까요?</translation>
    </message>
    <message>
        <source>“{server}” calls the service that signs you in {expected}, but the service calls itself {named}. Continue only if you trust both.</source>
        <translation>‘{server}’ 서버가 알려 준 로그인 서비스는 {expected} 주소인데, 그 서비스는 {named} 주소를 자기 이름으로 써요. 둘 다 믿을 수 있을 때만 계속해 주세요.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Import mcp.json</source>
        <translation>mcp.json 가져오기</translation>
    </message>
    <message>
        <source>Imported: {names}.</source>
        <translation>가져온 서버: {names}.</translation>
    </message>
    <message>
        <source>Left as they are, because there are servers with these names: {names}.</source>
        <translation>같은 이름의 서버가 있어서 그대로 두었어요: {names}.</translation>
    </message>
    <message>
        <source>What models may use in chats with tools on. Each call is shown, and asks first unless you choose otherwise.</source>
        <translation>도구를 켠 대화에서 모델이 쓸 수 있는 것들이에요. 호출할 때마다 표시되고, 따로 정하지 않으면 먼저 물어봐요.</translation>
    </message>
    <message>
        <source>Other servers</source>
        <translation>다른 서버</translation>
    </message>
    <message>
        <source>Tool servers (MCP). The mcp.json of another app can be dropped here, too.</source>
        <translation>도구 서버(MCP)예요. 다른 앱의 mcp.json 파일을 여기에 끌어다 놓아도 돼요.</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Jump to the latest text</source>
        <translation>최신 내용으로 이동</translation>
    </message>
</context>
<context>
    <name>TurnCommands</name>
    <message>
        <source>Copy the selection</source>
        <translation>선택한 부분 복사하기</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>답변을 Markdown으로 복사하기</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>메시지 복사하기</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>메시지 편집</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>답변 이어서 생성</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Copy the answer as shown</source>
        <translation>답변을 보이는 대로 복사하기</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>여기서 분기</translation>
    </message>
    <message>
        <source>Delete the message and its answer</source>
        <translation>메시지와 답변 삭제</translation>
    </message>
    <message>
        <source>Answer again with</source>
        <translation>다른 모델로 다시 답변받기</translation>
    </message>
    <message>
        <source>Delete the answer</source>
        <translation>답변 삭제</translation>
    </message>
    <message>
        <source>Delete the answer and everything after it</source>
        <translation>답변과 그 뒤의 모든 내용 삭제</translation>
    </message>
    <message>
        <source>Read the answer aloud</source>
        <translation>답변 소리 내어 읽기</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>나란히 보기</translation>
    </message>
</context>
<context>
    <name>TurnView</name>
    <message>
        <source>Sources: {links}</source>
        <translation>출처: {links}</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>The Starter knows one answer to each question.</source>
        <translation>스타터는 질문마다 한 가지 답변만 알아요.</translation>
    </message>
    <message>
        <source>This answer was cut off when Tandem quit.</source>
        <translation>Tandem이 종료되어 이 답변이 중간에 끊겼어요.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>중지했어요.</translation>
    </message>
    <message>
        <source>Reading {name}…</source>
        <translation>‘{name}’ 파일을 읽는 중…</translation>
    </message>
    <message>
        <source>Starting tools…</source>
        <translation>도구를 시작하는 중…</translation>
    </message>
    <message>
        <source>Calling {name}…</source>
        <translation>{name} 호출 중…</translation>
    </message>
    <message>
        <source>Preparing to use a tool…</source>
        <translation>도구 사용을 준비하는 중…</translation>
    </message>
    <message>
        <source>Reached the length limit.</source>
        <translation>길이 제한에 도달했어요.</translation>
    </message>
    <message>
        <source>Processing prompt: {share}</source>
        <translation>프롬프트 처리 중: {share}</translation>
    </message>
    <message>
        <source>Waiting for the first token…</source>
        <translation>첫 토큰을 기다리는 중…</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>이전 버전</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>다음 버전</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>메시지 편집</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>메시지 복사하기</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>답변을 Markdown으로 복사하기</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Regenerate: the same words, because temperature 0 was chosen</source>
        <translation>다시 생성: 온도를 0으로 정해서 같은 텍스트가 나와요</translation>
    </message>
    <message>
        <source>Regenerate: mostly the same words, because the Starter knows its answers by heart</source>
        <translation>다시 생성: 스타터는 답변을 외우고 있어서 대개 같은 텍스트가 나와요</translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation>여기서 분기</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>답변 이어서 생성</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>더 보기</translation>
    </message>
    <message>
        <source>This answer repeats itself.</source>
        <translation>이 답변은 같은 내용을 반복하고 있어요.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>The model stopped while thinking, without an answer.</source>
        <translation>모델이 답변 없이 생각 중에 멈췄어요.</translation>
    </message>
</context>
<context>
    <name>UnsavedChats</name>
    <message>
        <source>Choose another folder…</source>
        <translation>다른 폴더 선택…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Choose where to keep these chats</source>
        <translation>이 대화를 보관할 위치 선택</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat(s) in this window are not saved.</source>
        <translation>
            <numerusform>이 윈도우의 대화 %Ln개가 저장되지 않았어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Chats in this window are not saved.</source>
        <translation>이 윈도우의 대화는 저장되지 않아요.</translation>
    </message>
    <message>
        <source>Tandem keeps them aside and offers to add them to your chats the next time it starts.</source>
        <translation>Tandem이 따로 보관해 두었다가 다음에 시작할 때 내 대화에 추가할지 물어봐요.</translation>
    </message>
    <message>
        <source>They are lost when Tandem quits. Export them first if you want to keep them.</source>
        <translation>Tandem을 종료하면 사라져요. 남겨 두려면 먼저 내보내 주세요.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>종료</translation>
    </message>
    <message>
        <source>Add to my chats</source>
        <translation>내 대화에 추가</translation>
    </message>
    <message>
        <source>Show in Finder</source>
        <translation>Finder에서 보기</translation>
    </message>
    <message numerus="yes">
        <source>Tandem kept %Ln chat(s) from a time when it could not open your chats.</source>
        <translation>
            <numerusform>Tandem이 대화를 열 수 없었을 때의 대화 %Ln개가 남아 있어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Until your chats can be opened, the ones in this window are kept in {folder}.</source>
        <translation>대화를 다시 열 수 있을 때까지 이 윈도우의 대화는 {folder} 폴더에 보관돼요.</translation>
    </message>
</context>
<context>
    <name>WaitingBubble</name>
    <message>
        <source>Put it back into the message box</source>
        <translation>메시지 입력란으로 되돌리기</translation>
    </message>
    <message>
        <source>Waiting for the answer</source>
        <translation>답변을 기다리는 중</translation>
    </message>
    <message>
        <source>Waiting for the model</source>
        <translation>모델을 기다리는 중</translation>
    </message>
</context>
<context>
    <name>WebDetails</name>
    <message>
        <source>Web</source>
        <translation>웹</translation>
    </message>
    <message>
        <source>In chats with tools on, the model can read web pages and documents at public addresses, and search. Each call shows the address or the words, and asks first unless you choose otherwise.</source>
        <translation>도구를 켠 대화에서 모델이 공개 주소의 웹페이지와 문서를 읽고 검색할 수 있어요. 호출할 때마다 주소나 검색어가 표시되고, 따로 정하지 않으면 먼저 물어봐요.</translation>
    </message>
    <message>
        <source>Search with {service}</source>
        <translation>{service} 검색</translation>
    </message>
    <message>
        <source>Address of SearXNG</source>
        <translation>SearXNG 주소</translation>
    </message>
    <message>
        <source>Of a server of your own or of your group, also on this Mac.</source>
        <translation>자신이나 소속 그룹이 운영하는 서버의 주소예요. 이 Mac에 있어도 돼요.</translation>
    </message>
    <message>
        <source>Stored only in the system keychain.</source>
        <translation>시스템 키체인에만 저장돼요.</translation>
    </message>
    <message>
        <source>Your key is in the keychain.</source>
        <translation>키가 키체인에 저장되어 있어요.</translation>
    </message>
    <message>
        <source>This Mac has no keychain that Tandem can use: the key is for this run only.</source>
        <translation>이 Mac에는 Tandem이 쓸 수 있는 키체인이 없어요. 키는 이번 실행 동안만 쓰여요.</translation>
    </message>
    <message>
        <source>Key for {service}</source>
        <translation>{service} 키</translation>
    </message>
    <message>
        <source>Searches the web with your key from {page}.</source>
        <translation>{page}에서 받은 키로 웹을 검색해요.</translation>
    </message>
    <message>
        <source>Needs no account. Finds articles of Wikipedia, not all of the web.</source>
        <translation>계정이 필요 없어요. 웹 전체가 아니라 Wikipedia 문서를 찾아요.</translation>
    </message>
    <message>
        <source>Searches the web with your own SearXNG, whose settings have to allow the JSON format.</source>
        <translation>직접 운영하는 SearXNG로 웹을 검색해요. SearXNG 설정에서 JSON 형식을 허용해야 해요.</translation>
    </message>
</context>
<context>
    <name>WebLine</name>
    <message>
        <source>Details…</source>
        <translation>세부 사항…</translation>
    </message>
    <message>
        <source>Web</source>
        <translation>웹</translation>
    </message>
    <message>
        <source>Search with</source>
        <translation>검색 서비스</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>읽기</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Reads pages, and searches {service}, not all of the web.</source>
        <translation>페이지를 읽고, 웹 전체가 아니라 {service}에서 검색해요.</translation>
    </message>
    <message>
        <source>Reads pages, and searches the web with {service}.</source>
        <translation>페이지를 읽고, {service} 검색으로 웹을 찾아요.</translation>
    </message>
    <message>
        <source>Sites see you as they do in a browser.</source>
        <translation>사이트에는 브라우저로 볼 때와 똑같이 보여요.</translation>
    </message>
    <message>
        <source>Its address is missing.</source>
        <translation>주소가 없어요.</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What can I help with?</source>
        <translation>무엇을 도와드릴까요?</translation>
    </message>
    <message>
        <source>Show me a fast answer</source>
        <translation>빠른 답변 보기</translation>
    </message>
    <message>
        <source>Explain step by step how speculative decoding works in Tandem.</source>
        <translation>추측 디코딩이 Tandem에서 어떻게 작동하는지 단계별로 설명해 주세요.</translation>
    </message>
    <message>
        <source>What is Tandem?</source>
        <translation>Tandem은 무엇인가요?</translation>
    </message>
    <message>
        <source>How does speculative decoding work?</source>
        <translation>추측 디코딩은 어떻게 작동하나요?</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>하늘은 왜 파란가요?</translation>
    </message>
    <message>
        <source>Make a table of the planets with their size and distance.</source>
        <translation>행성의 크기와 거리를 표로 정리해 주세요.</translation>
    </message>
    <message>
        <source>Write the numbers from one to fifty in words, one on each line.</source>
        <translation>하나부터 쉰까지의 수를 한 줄에 하나씩 말로 써 주세요.</translation>
    </message>
    <message>
        <source>It begins with the folder&apos;s system prompt and these files: {files}</source>
        <translation>폴더의 시스템 프롬프트와 다음 파일로 시작해요: {files}</translation>
    </message>
    <message>
        <source>It begins with these files: {files}</source>
        <translation>다음 파일로 시작해요: {files}</translation>
    </message>
    <message>
        <source>It begins with the folder&apos;s system prompt.</source>
        <translation>폴더의 시스템 프롬프트로 시작해요.</translation>
    </message>
    <message>
        <source>This chat is in the folder “{name}”.</source>
        <translation>이 대화는 ‘{name}’ 폴더에 있어요.</translation>
    </message>
</context>
<context>
    <name>_DeleteButton</name>
    <message numerus="yes">
        <source>Delete %Ln backup(s)?</source>
        <translation>
            <numerusform>백업 %Ln개를 삭제할까요?</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete all…</source>
        <translation>모두 삭제…</translation>
    </message>
    <message>
        <source>Delete all backups</source>
        <translation>모든 백업 삭제</translation>
    </message>
</context>
<context>
    <name>_DeleteRequestsButton</name>
    <message>
        <source>Delete all of them?</source>
        <translation>모두 삭제할까요?</translation>
    </message>
    <message>
        <source>Delete API requests…</source>
        <translation>API 요청 삭제…</translation>
    </message>
</context>
</TS>
