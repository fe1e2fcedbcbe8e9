<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>편집</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
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
        <source>Answer the last question again</source>
        <translation>마지막 질문에 다시 답하기</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Continue the last answer</source>
        <translation>마지막 답변 이어서 쓰기</translation>
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
        <source>Pin or unpin chat</source>
        <translation>대화 고정 또는 고정 해제</translation>
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
        <source>Move this chat to the archive</source>
        <translation>이 대화를 보관함으로 옮기기</translation>
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
        <source>Try again to save what could not be saved</source>
        <translation>저장하지 못한 내용 다시 저장</translation>
    </message>
    <message>
        <source>Show the chats folder</source>
        <translation>대화 폴더 보기</translation>
    </message>
    <message>
        <source>Open the folder that holds the chats</source>
        <translation>대화가 저장된 폴더 열기</translation>
    </message>
    <message>
        <source>Export chat…</source>
        <translation>대화 내보내기…</translation>
    </message>
    <message>
        <source>Save this chat as Markdown, HTML or JSON</source>
        <translation>이 대화를 Markdown, HTML, JSON으로 저장</translation>
    </message>
    <message>
        <source>Export all chats…</source>
        <translation>모든 대화 내보내기…</translation>
    </message>
    <message>
        <source>Save all chats into one file or folder</source>
        <translation>모든 대화를 파일이나 폴더 하나에 저장</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>대화 가져오기…</translation>
    </message>
    <message>
        <source>Import chats of Tandem or of another app</source>
        <translation>Tandem이나 다른 앱의 대화 가져오기</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>설정…</translation>
    </message>
    <message>
        <source>Open the settings</source>
        <translation>설정 열기</translation>
    </message>
    <message>
        <source>Bring back the deleted chat</source>
        <translation>삭제한 대화 되살리기</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>창 닫기</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>파일 첨부…</translation>
    </message>
    <message>
        <source>Attach text, code or PDF files</source>
        <translation>텍스트, 코드, PDF 파일 첨부</translation>
    </message>
    <message>
        <source>System prompt and settings…</source>
        <translation>시스템 프롬프트와 설정…</translation>
    </message>
    <message>
        <source>Change the system prompt and the settings of this chat</source>
        <translation>이 대화의 시스템 프롬프트와 설정 바꾸기</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
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
        <source>Stop the import or export</source>
        <translation>가져오기·내보내기 중단</translation>
    </message>
    <message>
        <source>Stop the import or export that is under way</source>
        <translation>진행 중인 가져오기·내보내기 중단</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>Tandem 정보</translation>
    </message>
    <message>
        <source>Show the version and the licences</source>
        <translation>버전과 라이선스 보기</translation>
    </message>
    <message>
        <source>Show the report</source>
        <translation>보고서 보기</translation>
    </message>
    <message>
        <source>Show the report of what went wrong</source>
        <translation>문제 보고서 보기</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>창 닫기</translation>
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
        <source>Undo what was written</source>
        <translation>입력한 내용 되돌리기</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>실행 복귀</translation>
    </message>
    <message>
        <source>Redo what was undone</source>
        <translation>되돌린 내용 다시 입력</translation>
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
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>선택한 부분 복사</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>붙여넣기</translation>
    </message>
    <message>
        <source>Paste text or files</source>
        <translation>글이나 파일 붙여넣기</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>모두 선택</translation>
    </message>
    <message>
        <source>Select all of the text</source>
        <translation>글 전체 선택</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>삭제 실행 취소</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>마지막 답변 복사</translation>
    </message>
    <message>
        <source>Copy the last answer as Markdown</source>
        <translation>마지막 답변을 Markdown으로 복사</translation>
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
        <source>Write a message</source>
        <translation>메시지 쓰기</translation>
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
        <source>Find words in this chat</source>
        <translation>이 대화에서 단어 찾기</translation>
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
        <source>Unload models</source>
        <translation>모델 내리기</translation>
    </message>
    <message>
        <source>Free the memory of both models</source>
        <translation>두 모델이 쓰는 메모리 비우기</translation>
    </message>
    <message>
        <source>Use the starter pair</source>
        <translation>스타터 모델 쌍 사용</translation>
    </message>
    <message>
        <source>Load the two small models that come with Tandem</source>
        <translation>Tandem에 들어 있는 작은 모델 두 개 불러오기</translation>
    </message>
    <message>
        <source>Open main model…</source>
        <translation>메인 모델 열기…</translation>
    </message>
    <message>
        <source>Choose a folder with a main model</source>
        <translation>메인 모델 폴더 선택</translation>
    </message>
    <message>
        <source>Open draft model…</source>
        <translation>초안 모델 열기…</translation>
    </message>
    <message>
        <source>Choose a folder with a draft model</source>
        <translation>초안 모델 폴더 선택</translation>
    </message>
    <message>
        <source>No draft model</source>
        <translation>초안 모델 없음</translation>
    </message>
    <message>
        <source>Answer without a draft model</source>
        <translation>초안 모델 없이 답하기</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Speculate whenever it pays</source>
        <translation>이득이 있을 때만 추측</translation>
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
        <source>Answer the last question with and without speculation, side by side</source>
        <translation>마지막 질문에 추측을 켜고 끈 답변을 나란히 보기</translation>
    </message>
    <message>
        <source>Tune on this machine</source>
        <translation>이 기기에 맞추기</translation>
    </message>
    <message>
        <source>Measure what guessing costs and brings with these models</source>
        <translation>이 모델들로 추측할 때의 비용과 이득 재기</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화 목록</translation>
    </message>
    <message>
        <source>Show or hide the chats</source>
        <translation>대화 목록 표시 또는 숨기기</translation>
    </message>
    <message>
        <source>Live panel</source>
        <translation>실시간 패널</translation>
    </message>
    <message>
        <source>Show or hide the live panel</source>
        <translation>실시간 패널 표시 또는 숨기기</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Show answers as text</source>
        <translation>답변을 글로 보기</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
    <message>
        <source>Show which tokens were guessed</source>
        <translation>추측된 토큰 보기</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>전체 화면</translation>
    </message>
    <message>
        <source>Enter or leave full screen</source>
        <translation>전체 화면 시작 또는 종료</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>최소화</translation>
    </message>
    <message>
        <source>Minimize the window</source>
        <translation>창 최소화</translation>
    </message>
    <message>
        <source>Commands…</source>
        <translation>명령…</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>명령 찾기</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>키보드 단축키</translation>
    </message>
    <message>
        <source>Show the keyboard shortcuts</source>
        <translation>키보드 단축키 보기</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>시스템 설정 따르기</translation>
    </message>
    <message>
        <source>Follow the system&apos;s light or dark appearance</source>
        <translation>시스템의 화면 모드 따르기</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Light appearance</source>
        <translation>밝은 화면 모드</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Dark appearance</source>
        <translation>어두운 화면 모드</translation>
    </message>
    <message>
        <source>Use the system&apos;s language</source>
        <translation>시스템 언어 사용</translation>
    </message>
    <message>
        <source>Choose a main model&apos;s folder</source>
        <translation>메인 모델 폴더 선택</translation>
    </message>
    <message>
        <source>Choose a draft model&apos;s folder</source>
        <translation>초안 모델 폴더 선택</translation>
    </message>
</context>
<context>
    <name>AdvancedPage</name>
    <message>
        <source>Nothing is loaded.</source>
        <translation>불러온 모델이 없어요.</translation>
    </message>
    <message numerus="yes">
        <source>The prefix cache holds %n chat(s) in {size}.</source>
        <translation>
            <numerusform>접두사 캐시에 대화 %n개가 들어 있어요({size}).</numerusform>
        </translation>
    </message>
    <message>
        <source>{used} of the {limit} this Mac can use for models.</source>
        <translation>이 Mac에서 모델에 쓸 수 있는 {limit} 중 {used} 사용 중이에요.</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>메모리 사용량</translation>
    </message>
    <message>
        <source>Clear the prefix cache</source>
        <translation>접두사 캐시 비우기</translation>
    </message>
    <message>
        <source>Nothing has been recorded.</source>
        <translation>기록된 것이 없어요.</translation>
    </message>
    <message>
        <source>Export diagnostics</source>
        <translation>진단 정보 내보내기</translation>
    </message>
    <message>
        <source>Saved to {file}. It holds no chat text.</source>
        <translation>{file}에 저장했어요. 대화 내용은 들어 있지 않아요.</translation>
    </message>
    <message>
        <source>The file could not be saved. Choose another folder.</source>
        <translation>파일을 저장하지 못했어요. 다른 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>Record of this run</source>
        <translation>이번 실행 기록</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy the record</source>
        <translation>기록 복사</translation>
    </message>
    <message>
        <source>Export diagnostics…</source>
        <translation>진단 정보 내보내기…</translation>
    </message>
    <message>
        <source>Versions, settings, figures and the record, in a file for you to read and send</source>
        <translation>버전, 설정, 수치, 기록을 직접 읽어 보고 보낼 수 있는 파일 하나에 담기</translation>
    </message>
    <message>
        <source>About Tandem</source>
        <translation>Tandem 정보</translation>
    </message>
    <message>
        <source>{name}, under the Apache License 2.0.</source>
        <translation>{name}, Apache License 2.0에 따라 배포돼요.</translation>
    </message>
    <message>
        <source>The window is made with Qt, which is used unchanged under the GNU Lesser General Public License, version 3. You may replace Qt with a version of your own; its source is free at the Qt Project.</source>
        <translation>창은 Qt로 만들었어요. Qt는 GNU 약소 일반 공중 사용 허가서(LGPL) 버전 3에 따라 수정 없이 사용해요. 직접 빌드한 Qt로 바꿔 쓸 수 있고, 소스는 Qt Project에서 자유롭게 받을 수 있어요.</translation>
    </message>
    <message>
        <source>Built on: {parts}.</source>
        <translation>사용한 소프트웨어: {parts}.</translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The answer was stopped.</source>
        <translation>답변을 멈췄어요.</translation>
    </message>
    <message>
        <source>The answer was cut at its length limit.</source>
        <translation>답변이 길이 제한에서 끊겼어요.</translation>
    </message>
    <message>
        <source>The answer is finished.</source>
        <translation>답변이 끝났어요.</translation>
    </message>
    <message>
        <source>{chat}: {sentence}</source>
        <translation>{chat}: {sentence}</translation>
    </message>
    <message>
        <source>Another chat</source>
        <translation>다른 대화</translation>
    </message>
</context>
<context>
    <name>AttachmentReader</name>
    <message>
        <source>Attach files</source>
        <translation>파일 첨부</translation>
    </message>
    <message>
        <source>{name} is not a text file. Tandem attaches text, code and PDF files.</source>
        <translation>‘{name}’ 파일은 텍스트가 아니에요. 텍스트, 코드, PDF 파일을 첨부할 수 있어요.</translation>
    </message>
    <message>
        <source>{name} is in an encoding that Tandem does not know. Save it as UTF-8.</source>
        <translation>‘{name}’ 파일의 인코딩을 알 수 없어요. UTF-8로 저장한 다음 다시 첨부해 주세요.</translation>
    </message>
    <message>
        <source>{name} is too large: its text would fill any context.</source>
        <translation>‘{name}’ 파일은 너무 커서 어떤 컨텍스트에도 들어가지 않아요.</translation>
    </message>
    <message>
        <source>{name} cannot be read.</source>
        <translation>‘{name}’ 파일을 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>{name} is protected by a password. Save it without one and attach it again.</source>
        <translation>‘{name}’ 파일에 암호가 걸려 있어요. 암호 없이 저장한 다음 다시 첨부해 주세요.</translation>
    </message>
    <message>
        <source>{name} is damaged: its text cannot be read.</source>
        <translation>‘{name}’ 파일이 손상되어 내용을 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>{name} has no text, only pictures, like a scan. Run text recognition on it first.</source>
        <translation>‘{name}’ 파일에는 스캔본처럼 그림만 있고 글자가 없어요. 먼저 문자 인식을 해 주세요.</translation>
    </message>
</context>
<context>
    <name>AttachmentRow</name>
    <message>
        <source>{count} tokens</source>
        <translation>토큰 {count}개</translation>
    </message>
    <message>
        <source>read as {encoding}</source>
        <translation>{encoding} 인코딩으로 읽음</translation>
    </message>
    <message>
        <source>If its letters are wrong, save the file as UTF-8 and attach it again.</source>
        <translation>글자가 깨져 있으면 파일을 UTF-8로 저장한 다음 다시 첨부해 주세요.</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>{name} 빼기</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>읽는 중…</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Dismiss</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Opens {address} in your browser.</source>
        <translation>브라우저에서 열어요: {address}</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Model page…</source>
        <translation>모델 페이지…</translation>
    </message>
</context>
<context>
    <name>ChatControls</name>
    <message>
        <source>How to guess</source>
        <translation>추측 방식</translation>
    </message>
    <message>
        <source>Method, depth and acceptance, from the next answer on</source>
        <translation>추측 방법과 깊이, 채택 기준(다음 답변부터 적용)</translation>
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
        <source>Last 7 days</source>
        <translation>지난 7일</translation>
    </message>
    <message>
        <source>Last 28 days</source>
        <translation>지난 28일</translation>
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
        <source>{title}, an answer is being written</source>
        <translation>{title}, 답변을 쓰는 중</translation>
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
        <source>Move to the archive</source>
        <translation>보관함으로 옮기기</translation>
    </message>
    <message>
        <source>Take out of the archive</source>
        <translation>보관함에서 꺼내기</translation>
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
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Show only this folder</source>
        <translation>이 폴더만 보기</translation>
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
        <source>Folders, archive and trash</source>
        <translation>폴더, 보관함, 휴지통</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>대화 목록으로 돌아가기</translation>
    </message>
    <message>
        <source>No chats in this folder.</source>
        <translation>이 폴더에는 대화가 없어요.</translation>
    </message>
    <message>
        <source>Your chats appear here.</source>
        <translation>대화가 여기에 나타나요.</translation>
    </message>
    <message>
        <source>Nothing is archived.</source>
        <translation>보관함이 비어 있어요.</translation>
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
        <source>New chats begin with this.</source>
        <translation>새 대화가 이 설정으로 시작돼요.</translation>
    </message>
    <message>
        <source>System prompt and settings of this chat</source>
        <translation>이 대화의 시스템 프롬프트와 설정</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>프리셋</translation>
    </message>
    <message>
        <source>Name of the preset</source>
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
    <name>CodeBlock</name>
    <message>
        <source>code</source>
        <translation>코드</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>이 코드 복사</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>코드</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>복사됨</translation>
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
</context>
<context>
    <name>ComparisonView</name>
    <message>
        <source>tokens/s</source>
        <translation>초당 토큰</translation>
    </message>
    <message>
        <source>first token {value}</source>
        <translation>첫 토큰까지 {value}</translation>
    </message>
    <message>
        <source>accepted {value}</source>
        <translation>채택 {value}</translation>
    </message>
    <message>
        <source>{value} per round</source>
        <translation>라운드당 {value}</translation>
    </message>
    <message>
        <source>Reading the question, so that both answers begin alike.</source>
        <translation>두 답변이 같은 조건에서 시작하도록 질문을 먼저 읽고 있어요.</translation>
    </message>
    <message>
        <source>Answering with speculation.</source>
        <translation>추측을 켜고 답하고 있어요.</translation>
    </message>
    <message>
        <source>Answering once more, without speculation.</source>
        <translation>이번에는 추측 없이 답하고 있어요.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>중지했어요.</translation>
    </message>
    <message>
        <source>The answer is too short to measure speed.</source>
        <translation>답변이 너무 짧아 속도를 측정할 수 없어요.</translation>
    </message>
    <message>
        <source>{times} the plain speed with speculation.</source>
        <translation>추측 디코딩으로 일반 디코딩 속도의 {times}예요.</translation>
    </message>
    <message>
        <source>{times} the plain speed with speculation: it did not help here.</source>
        <translation>추측 디코딩 시 일반 디코딩 속도의 {times}예요. 이 질문에서는 도움이 되지 않았어요.</translation>
    </message>
    <message>
        <source>The load on the computer changed between the two runs.</source>
        <translation>두 실행 사이에 컴퓨터의 부하가 달라졌어요.</translation>
    </message>
    <message numerus="yes">
        <source>The text is the same, token for token: all %n of them.</source>
        <translation>
            <numerusform>글이 토큰 하나까지 똑같아요(모두 %n개).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The same text so far: %n token(s).</source>
        <translation>
            <numerusform>지금까지 토큰 %n개가 똑같아요.</numerusform>
        </translation>
    </message>
    <message>
        <source>The same text up to token {place}. There the main model holds {guessed} and {plain} for equally likely, and rounding decides.</source>
        <translation>{place}번째 토큰 바로 앞까지 같은 글이에요. 그 자리에서 메인 모델에게는 {guessed}, {plain} 두 토큰의 가능성이 같았고, 반올림 차이로 갈렸어요.</translation>
    </message>
    <message>
        <source>The same text up to token {place}: {guessed} or {plain}. Above temperature 0 this happens where a draw is so close that rounding decides it.</source>
        <translation>{place}번째 토큰 바로 앞까지 같은 글이고, 그 자리에서 {guessed}, {plain} 두 갈래로 갈려요. 온도가 0보다 높으면 추첨이 아주 아슬아슬한 곳에서 반올림 차이로 이렇게 되기도 해요.</translation>
    </message>
    <message>
        <source>Two texts, both drawn just as the main model alone would: the settings ask for the same distribution, not for the same text.</source>
        <translation>글은 서로 다르지만 둘 다 메인 모델이 혼자 쓸 때와 똑같은 확률로 뽑혔어요. 설정에서 ‘같은 글’이 아니라 ‘같은 분포’를 골랐기 때문이에요.</translation>
    </message>
    <message>
        <source>The texts differ from token {place} on: {guessed} or {plain}. That should not happen. Please report it, with the diagnostics from the settings.</source>
        <translation>{place}번째 토큰부터 글이 달라요({guessed}, {plain}). 생겨서는 안 되는 일이니, 설정에서 내보낸 진단 정보와 함께 알려 주세요.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
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
</context>
<context>
    <name>Composer</name>
    <message>
        <source>{keys} sends · Enter for a new line</source>
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
        <source>Make the message fit into the model’s context</source>
        <translation>메시지를 모델의 컨텍스트에 맞게 줄여요</translation>
    </message>
    <message>
        <source>Queued: press to take it back</source>
        <translation>보내기 대기 중: 눌러서 취소</translation>
    </message>
    <message>
        <source>Enter sends · Shift+Enter for a new line</source>
        <translation>Enter로 보내기 · Shift+Enter로 줄바꿈</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Queued: sent as soon as the model is ready.</source>
        <translation>대기 중: 모델이 준비되면 바로 보내요.</translation>
    </message>
    <message>
        <source>The models are loading. You can write already.</source>
        <translation>모델을 불러오는 중이에요. 먼저 입력해도 돼요.</translation>
    </message>
    <message>
        <source>No main model is loaded.</source>
        <translation>불러온 메인 모델이 없어요.</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: too long for this model</source>
        <translation>토큰 {limit}개 중 {used}개: 이 모델에는 너무 길어요</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens: the oldest messages are left out</source>
        <translation>토큰 {limit}개 중 {used}개: 가장 오래된 메시지는 빼고 보내요</translation>
    </message>
    <message>
        <source>{used} of {limit} tokens</source>
        <translation>토큰 {limit}개 중 {used}개</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>가장 오래된 메시지 빼기</translation>
    </message>
    <message>
        <source>Keep the first {count} tokens of {name}</source>
        <translation>‘{name}’ 파일의 첫 토큰 {count}개만 남기기</translation>
    </message>
</context>
<context>
    <name>CountedWords</name>
    <message numerus="yes">
        <source>%n language(s)</source>
        <translation>
            <numerusform>%n개 언어</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n minute(s) left</source>
        <translation>
            <numerusform>약 %n분 남음</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %n hour(s) left</source>
        <translation>
            <numerusform>약 %n시간 남음</numerusform>
        </translation>
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
        <source>I have access now</source>
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
    <name>DownloadTray</name>
    <message numerus="yes">
        <source>%n download(s) running</source>
        <translation>
            <numerusform>다운로드 %n개 진행 중</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DraftReasons</name>
    <message>
        <source>Its folder is missing.</source>
        <translation>폴더가 없어요.</translation>
    </message>
    <message>
        <source>Its folder holds no model.</source>
        <translation>폴더에 모델이 없어요.</translation>
    </message>
    <message>
        <source>One of its files is missing.</source>
        <translation>파일 하나가 빠져 있어요.</translation>
    </message>
    <message>
        <source>One of its files is damaged.</source>
        <translation>파일 하나가 손상됐어요.</translation>
    </message>
    <message>
        <source>Its weights do not fit its configuration.</source>
        <translation>가중치가 구성 파일과 맞지 않아요.</translation>
    </message>
    <message>
        <source>Its architecture is not supported yet.</source>
        <translation>아직 지원하지 않는 아키텍처예요.</translation>
    </message>
    <message>
        <source>Its tokenizer cannot be read.</source>
        <translation>토크나이저를 읽을 수 없어요.</translation>
    </message>
    <message>
        <source>It wants to run code.</source>
        <translation>코드를 실행하려고 해요.</translation>
    </message>
    <message>
        <source>Their vocabularies differ.</source>
        <translation>어휘가 서로 달라요.</translation>
    </message>
    <message>
        <source>Its weights do not give usable numbers.</source>
        <translation>가중치가 쓸 수 있는 숫자를 내지 않아요.</translation>
    </message>
    <message>
        <source>There is not enough memory for it.</source>
        <translation>메모리가 부족해요.</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>Something went wrong in the engine. Try again.</source>
        <translation>엔진에 문제가 생겼어요. 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{actual}” is not possible for {name}. Change it and try again.</source>
        <translation>{name}에는 ‘{actual}’ 값을 쓸 수 없어요. 바꾼 뒤 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>No main model is loaded. Choose one at the top of the window.</source>
        <translation>불러온 메인 모델이 없어요. 창 위쪽에서 선택해 주세요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template does not take this chat: {detail}. Start a new chat or choose another model.</source>
        <translation>이 대화가 모델의 대화 템플릿과 맞지 않아요({detail}). 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{limit} questions are waiting already. Try again when one of them has been answered.</source>
        <translation>이미 질문 {limit}개가 기다리고 있어요. 그중 하나가 답변을 받은 뒤에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and {available} GB are free. It fits with {largest} tokens: shorten the context or choose a smaller draft model.</source>
        <translation>{name} 모델은 컨텍스트 {context}토큰에 메모리 {needed}GB가 필요한데 {available}GB만 비어 있어요. {largest}토큰이면 들어가요. 컨텍스트를 줄이거나 더 작은 초안 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} needs {needed} GB of memory for a context of {context} tokens, and {available} GB are free. Choose a smaller model or close other apps.</source>
        <translation>{name} 모델은 컨텍스트 {context}토큰에 메모리 {needed}GB가 필요한데 {available}GB만 비어 있어요. 더 작은 모델을 선택하거나 다른 앱을 닫아 주세요.</translation>
    </message>
    <message>
        <source>It fits as it is with a KV cache of {bits} bits, which the settings offer.</source>
        <translation>KV 캐시를 {bits}비트로 하면 그대로 들어가요. 설정에서 바꿀 수 있어요.</translation>
    </message>
    <message>
        <source>A draft model that takes up to {draft} GB fits.</source>
        <translation>초안 모델은 {draft}GB까지 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>The engine has stopped. Restart Tandem.</source>
        <translation>엔진이 멈췄어요. Tandem을 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>An answer is being written. Try again when it is finished.</source>
        <translation>답변을 쓰는 중이에요. 끝난 뒤에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The engine hit an unexpected error: {detail}. Try again; if it happens again, restart Tandem.</source>
        <translation>엔진에서 예상하지 못한 오류가 났어요({detail}). 다시 시도해 보고, 또 생기면 Tandem을 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template makes nothing of this chat. Start a new chat or choose another model.</source>
        <translation>이 대화에서 모델의 대화 템플릿이 아무것도 만들지 않아요. 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
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
        <source>The model&apos;s chat template or tokenizer crashed on this chat ({detail}). Start a new chat or choose another model.</source>
        <translation>이 대화에서 모델의 대화 템플릿이나 토크나이저가 멈췄어요({detail}). 새 대화를 시작하거나 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>This chat has {tokens} tokens and the model can hold {limit}. Start a new chat, shorten your message or choose a model with a longer context.</source>
        <translation>이 대화는 {tokens}토큰인데 모델은 {limit}토큰까지 담을 수 있어요. 새 대화를 시작하거나, 메시지를 줄이거나, 컨텍스트가 더 긴 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>There is no model folder at {path}. Choose another one.</source>
        <translation>{path}에 모델 폴더가 없어요. 다른 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} has no config.json, so it is not a model. Choose the folder that holds one.</source>
        <translation>‘{name}’ 폴더에 config.json이 없어서 모델로 쓸 수 없어요. 모델이 들어 있는 폴더를 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} is not complete: {detail} is missing. Download or copy it again.</source>
        <translation>‘{name}’ 모델에 {detail} 파일이 없어요. 다시 다운로드하거나 복사해 주세요.</translation>
    </message>
    <message>
        <source>{name} is damaged: {detail} cannot be read. Download or copy it again.</source>
        <translation>‘{name}’ 모델의 {detail} 파일이 손상되어 읽을 수 없어요. 다시 다운로드하거나 복사해 주세요.</translation>
    </message>
    <message>
        <source>The weights of {name} do not fit its configuration ({detail}). Choose another copy of this model.</source>
        <translation>{name}의 가중치가 구성 파일과 맞지 않아요({detail}). 이 모델의 다른 사본을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Tandem does not support the architecture of {name} yet ({detail}). Choose another model or update Tandem.</source>
        <translation>Tandem은 {name}의 아키텍처를 아직 지원하지 않아요({detail}). 다른 모델을 선택하거나 Tandem을 업데이트해 주세요.</translation>
    </message>
    <message>
        <source>The tokenizer of {name} cannot be read ({detail}). Download or copy it again.</source>
        <translation>{name}의 토크나이저를 읽을 수 없어요({detail}). 다시 다운로드하거나 복사해 주세요.</translation>
    </message>
    <message>
        <source>{name} wants to run code or read files from elsewhere ({detail}). Tandem never does that; choose another model.</source>
        <translation>{name} 모델은 코드를 실행하거나 다른 곳의 파일을 읽으려고 해요({detail}). Tandem은 절대 그렇게 하지 않아요. 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>{name} cannot draft for this main model: their vocabularies differ ({detail}). Choose another draft model.</source>
        <translation>{name} 모델은 이 메인 모델의 초안 모델로 쓸 수 없어요. 어휘가 서로 달라요({detail}). 다른 초안 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The weights of {name} do not give usable numbers ({detail}). Choose another copy of this model.</source>
        <translation>{name}의 가중치가 쓸 수 있는 숫자를 내지 않아요({detail}). 이 모델의 다른 사본을 선택해 주세요.</translation>
    </message>
    <message>
        <source>There is not enough memory for {name} ({detail}). Choose a smaller model or close other apps.</source>
        <translation>{name} 모델을 불러올 메모리가 부족해요({detail}). 더 작은 모델을 선택하거나 다른 앱을 닫아 주세요.</translation>
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
        <translation>{value}초</translation>
    </message>
    <message>
        <source>{value}×</source>
        <translation>{value}배</translation>
    </message>
    <message>
        <source>about {value}</source>
        <translation>약 {value}</translation>
    </message>
    <message>
        <source>The computer is busy: plain decoding takes {times} as long as usual, too.</source>
        <translation>컴퓨터가 바빠요. 일반 디코딩도 평소보다 {times} 오래 걸려요.</translation>
    </message>
    <message>
        <source>{value} tokens/s</source>
        <translation>초당 {value}토큰</translation>
    </message>
    <message>
        <source>{value} vs. plain</source>
        <translation>일반 대비 {value}</translation>
    </message>
    <message>
        <source>first token {value}</source>
        <translation>첫 토큰까지 {value}</translation>
    </message>
    <message>
        <source>accepted {value}</source>
        <translation>채택 {value}</translation>
    </message>
    <message>
        <source>{value} per round</source>
        <translation>라운드당 {value}</translation>
    </message>
    <message>
        <source>older messages left out: {value}</source>
        <translation>제외한 이전 메시지 {value}개</translation>
    </message>
    <message>
        <source>guesses at a time</source>
        <translation>한 번에 추측하는 수</translation>
    </message>
    <message>
        <source>guesses at a time, {source}</source>
        <translation>추측 수, {source}</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>초당 토큰</translation>
    </message>
    <message>
        <source>tokens/s, {value} vs. plain</source>
        <translation>토큰/초, 일반 대비 {value}</translation>
    </message>
    <message>
        <source>Round {number}: {accepted} of {drafted} guesses accepted ({source})</source>
        <translation>라운드 {number}: 추측 {drafted}개 중 {accepted}개 채택({source})</translation>
    </message>
    <message>
        <source>Round {number}: the main model alone</source>
        <translation>라운드 {number}: 메인 모델만</translation>
    </message>
    <message>
        <source>main</source>
        <translation>메인</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>초안</translation>
    </message>
    <message>
        <source>lookup</source>
        <translation>대화 속 찾기</translation>
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
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>FirstRunOffer</name>
    <message>
        <source>The starter is a tiny guide to this app. For real work, get a pair that fits this Mac:</source>
        <translation>스타터는 이 앱을 안내하는 아주 작은 모델이에요. 본격적으로 쓰려면 이 Mac에 맞는 모델 쌍을 받아 보세요.</translation>
    </message>
    <message>
        <source>Chat with the starter now</source>
        <translation>지금 스타터와 대화하기</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>모든 모델…</translation>
    </message>
</context>
<context>
    <name>GenerationPage</name>
    <message>
        <source>As the authors of the loaded model recommend</source>
        <translation>불러온 모델의 제작자가 권장하는 값</translation>
    </message>
    <message>
        <source>Model’s recommendation</source>
        <translation>모델 권장값</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>정확하게</translation>
    </message>
    <message>
        <source>Always the likeliest token</source>
        <translation>항상 가장 가능성 높은 토큰</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>균형 있게</translation>
    </message>
    <message>
        <source>Some variety, few surprises</source>
        <translation>적당히 다양하고 엉뚱함은 적게</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>창의적으로</translation>
    </message>
    <message>
        <source>As varied as the model is, without the unlikeliest tokens</source>
        <translation>가장 가능성 낮은 토큰만 빼고 모델 그대로 다양하게</translation>
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
        <source>Draft on</source>
        <translation>초안 켜짐</translation>
    </message>
    <message>
        <source>Draft off</source>
        <translation>초안 꺼짐</translation>
    </message>
    <message>
        <source>Speculation is on.</source>
        <translation>추측이 켜져 있어요.</translation>
    </message>
    <message>
        <source>Draft model: {name}. {state}</source>
        <translation>초안 모델: {name}. {state}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>불러오는 중…</translation>
    </message>
    <message>
        <source>loading {share}</source>
        <translation>불러오는 중 {share}</translation>
    </message>
    <message numerus="yes">
        <source>%n download(s) running</source>
        <translation>
            <numerusform>다운로드 %n개 진행 중</numerusform>
        </translation>
    </message>
    <message>
        <source>The draft model is loading. You can ask already.</source>
        <translation>초안 모델을 불러오고 있어요. 질문은 바로 할 수 있어요.</translation>
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
        <source>Speculation is switched off.</source>
        <translation>추측이 꺼져 있어요.</translation>
    </message>
    <message>
        <source>No draft model is loaded.</source>
        <translation>불러온 초안 모델이 없어요.</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>불러오는 중…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Starter</source>
        <translation>스타터</translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>When</source>
        <translation>시각</translation>
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
        <source>Accept rate</source>
        <translation>채택률</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>속도 향상</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>초당 토큰</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>토큰</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>All models</source>
        <translation>모든 모델</translation>
    </message>
    <message>
        <source>Nothing to compare yet. Each answer adds a line here, with what speculation brought.</source>
        <translation>아직 비교할 것이 없어요. 답변할 때마다 추측으로 얻은 결과가 한 줄씩 늘어나요.</translation>
    </message>
    <message numerus="yes">
        <source>On this computer, {draft} makes {main} {times} as fast (%n answer(s)).</source>
        <translation>
            <numerusform>이 컴퓨터에서 {draft} 초안을 쓰면 {main}의 속도가 {times}예요(답변 %n개).</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>On this computer, lookup makes {main} {times} as fast (%n answer(s)).</source>
        <translation>
            <numerusform>이 컴퓨터에서 대화 속 찾기를 쓰면 {main}의 속도가 {times}예요(답변 %n개).</numerusform>
        </translation>
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
        <source>Answers and their figures</source>
        <translation>답변과 수치</translation>
    </message>
    <message>
        <source>Export as {kind}</source>
        <translation>{kind} 형식으로 내보내기</translation>
    </message>
</context>
<context>
    <name>HubErrors</name>
    <message>
        <source>The Hub cannot be reached. Check your connection and try again.</source>
        <translation>Hub에 연결할 수 없어요. 인터넷 연결을 확인하고 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The Hub cannot be reached. The download resumes by itself when you are back online.</source>
        <translation>Hub에 연결할 수 없어요. 인터넷에 다시 연결되면 다운로드가 저절로 이어져요.</translation>
    </message>
    <message>
        <source>“Work offline” is on, so Tandem does not connect. Switch it off in the settings.</source>
        <translation>‘오프라인 작업’이 켜져 있어 연결하지 않아요. 설정에서 꺼 주세요.</translation>
    </message>
    <message>
        <source>The proxy does not answer, or refuses to connect. Check its address in the settings.</source>
        <translation>프록시가 응답하지 않거나 연결을 거부해요. 설정에서 주소를 확인해 주세요.</translation>
    </message>
    <message>
        <source>The Hub&apos;s certificate is not trusted here. Check the mirror and the proxy in the settings.</source>
        <translation>이 컴퓨터에서 Hub의 인증서를 신뢰할 수 없어요. 설정에서 미러와 프록시를 확인해 주세요.</translation>
    </message>
    <message>
        <source>{endpoint} does not answer like a Hugging Face Hub. Check the mirror in the settings.</source>
        <translation>{endpoint}의 응답이 Hugging Face Hub와 달라요. 설정에서 미러를 확인해 주세요.</translation>
    </message>
    <message>
        <source>The Hub has a problem of its own (error {status}). Try again later.</source>
        <translation>Hub 쪽에 문제가 있어요(오류 {status}). 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The Hub takes too long to answer. Try again later.</source>
        <translation>Hub의 응답이 너무 느려요. 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>The Hub has too many requests and asks to wait. Try again later.</source>
        <translation>요청이 많아 Hub가 기다려 달라고 해요. 나중에 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>“{repository}” is not a model&apos;s name. It looks like organisation/name, or a page&apos;s address.</source>
        <translation>모델 이름이 올바르지 않아요(‘{repository}’). ‘조직/이름’ 형식이나 페이지 주소를 입력해 주세요.</translation>
    </message>
    <message>
        <source>There is no model {repository}, or it is private. Check its name, or add a token in the settings.</source>
        <translation>{repository} 모델이 없거나 비공개예요. 이름을 확인하거나 설정에서 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>{repository} has no version {revision}.</source>
        <translation>{repository}에는 ‘{revision}’ 버전이 없어요.</translation>
    </message>
    <message>
        <source>The Hub no longer has {file} of {repository}. Choose another model.</source>
        <translation>{repository}의 {file} 파일이 더 이상 Hub에 없어요. 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>The authors of {repository} ask for your consent first. Accept the terms on its page, then add a token in the settings.</source>
        <translation>{repository} 모델을 받으려면 먼저 제작자의 약관에 동의해야 해요. 모델 페이지에서 동의한 뒤 설정에서 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>Your token has no access to {repository}. Ask its owners, or add another token in the settings.</source>
        <translation>이 토큰으로는 {repository} 모델에 접근할 수 없어요. 소유자에게 문의하거나 설정에서 다른 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>The Hub refuses your token: it is wrong, expired or revoked. Add a new one in the settings.</source>
        <translation>Hub가 토큰을 거부했어요. 잘못되었거나 만료되었거나 취소된 토큰이에요. 설정에서 새 토큰을 추가해 주세요.</translation>
    </message>
    <message>
        <source>{repository} holds no MLX weights. Search for an MLX version of this model.</source>
        <translation>{repository}에는 MLX 가중치가 없어요. 이 모델의 MLX 버전을 검색해 주세요.</translation>
    </message>
    <message>
        <source>{repository} names a file outside its folder ({file}). Tandem does not touch it.</source>
        <translation>{repository} 모델이 폴더 밖의 파일({file})을 가리켜요. Tandem은 이런 파일을 건드리지 않아요.</translation>
    </message>
    <message>
        <source>{needed} are needed and {free} are free on the disk. Free some space, then resume.</source>
        <translation>공간이 {needed} 필요한데 디스크에 {free}만 남았어요. 공간을 비운 뒤 다시 시작해 주세요.</translation>
    </message>
    <message>
        <source>The disk is full. Free some space, then resume; nothing is lost.</source>
        <translation>디스크가 가득 찼어요. 공간을 비운 뒤 다시 시작해 주세요. 받은 내용은 그대로 남아 있어요.</translation>
    </message>
    <message>
        <source>{path} cannot be written to. Check its permissions.</source>
        <translation>{path}에 쓸 수 없어요. 쓰기 권한을 확인해 주세요.</translation>
    </message>
    <message>
        <source>{file} arrived damaged twice. Try again later or from another connection.</source>
        <translation>{file} 파일이 두 번이나 손상된 채로 도착했어요. 나중에, 또는 다른 네트워크에서 다시 시도해 주세요.</translation>
    </message>
    <message>
        <source>{repository} is not on this computer any more.</source>
        <translation>{repository} 모델은 이제 이 컴퓨터에 없어요.</translation>
    </message>
    <message>
        <source>Another program is downloading {repository}. Wait until it has finished.</source>
        <translation>다른 프로그램이 {repository} 모델을 다운로드하고 있어요. 끝날 때까지 기다려 주세요.</translation>
    </message>
    <message>
        <source>The starter pair is part of Tandem and stays.</source>
        <translation>스타터 모델 쌍은 Tandem의 일부라서 지울 수 없어요.</translation>
    </message>
</context>
<context>
    <name>Learned</name>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>컨텍스트</translation>
    </message>
    <message>
        <source>Best depth</source>
        <translation>가장 좋은 깊이</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>속도 향상</translation>
    </message>
    <message>
        <source>Plain tokens/s</source>
        <translation>초당 토큰(일반)</translation>
    </message>
    <message>
        <source>Accept rate</source>
        <translation>채택률</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>라운드</translation>
    </message>
    <message>
        <source>from {first}</source>
        <translation>{first}부터</translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation>{first}~{last}</translation>
    </message>
    <message>
        <source>{depth} ({source})</source>
        <translation>{depth} ({source})</translation>
    </message>
    <message>
        <source>none, plain</source>
        <translation>없음(일반)</translation>
    </message>
</context>
<context>
    <name>LearnedSection</name>
    <message>
        <source>Measured on this computer and kept up to date while you chat: the number of guesses is chosen by it. What you forget is measured again.</source>
        <translation>이 컴퓨터에서 재고 대화하는 동안 계속 갱신하는 값이에요. 추측 개수를 이 값으로 정하고, 지우면 다시 재요.</translation>
    </message>
    <message>
        <source>Nothing yet. Load models and ask something, or tune in the live panel.</source>
        <translation>아직 없어요. 모델을 불러와 질문하거나 실시간 패널에서 ‘이 기기에 맞추기’를 눌러 보세요.</translation>
    </message>
    <message>
        <source>Learned here</source>
        <translation>이 컴퓨터에서 알아낸 값</translation>
    </message>
    <message>
        <source>What was learned about each pair</source>
        <translation>모델 쌍마다 알아낸 값</translation>
    </message>
    <message>
        <source>Forget this pair</source>
        <translation>이 모델 쌍 지우기</translation>
    </message>
    <message>
        <source>Forget all</source>
        <translation>모두 지우기</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>rejected</source>
        <translation>기각</translation>
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
        <translation>주소 복사</translation>
    </message>
</context>
<context>
    <name>MeasurementCard</name>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>Appearance</source>
        <translation>화면 모드</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Get as draft</source>
        <translation>초안으로 받기</translation>
    </message>
    <message>
        <source>Check files</source>
        <translation>파일 검사</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>제거…</translation>
    </message>
    <message>
        <source>It is in use. Choose another model first.</source>
        <translation>사용 중이에요. 먼저 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Remove it and free {size}?</source>
        <translation>이 모델을 제거할까요? {size} 공간이 생겨요.</translation>
    </message>
    <message>
        <source>Other programs that use the Hugging Face cache lose it too.</source>
        <translation>Hugging Face 캐시를 쓰는 다른 프로그램에서도 사라져요.</translation>
    </message>
    <message>
        <source>Free {size}</source>
        <translation>{size} 비우기</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>그대로 두기</translation>
    </message>
    <message>
        <source>A tiny guide to this app. Works offline, at once.</source>
        <translation>이 앱을 안내하는 아주 작은 모델이에요. 오프라인에서 바로 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>With {draft} as draft</source>
        <translation>초안: {draft}</translation>
    </message>
    <message>
        <source>{speed} measured here</source>
        <translation>여기서 측정 {speed}</translation>
    </message>
    <message>
        <source>{speed} expected (estimate)</source>
        <translation>예상 {speed}(추정)</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>검사 중</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>손상됨</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>내장</translation>
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
        <source>tight</source>
        <translation>빠듯함</translation>
    </message>
    <message>
        <source>pair</source>
        <translation>모델 쌍</translation>
    </message>
    <message>
        <source>{size} of memory can be used.</source>
        <translation>쓸 수 있는 메모리: {size}</translation>
    </message>
    <message>
        <source>Getting it…</source>
        <translation>받는 중…</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>복구</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Get {size}</source>
        <translation>{size} 받기</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>받기</translation>
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
        <translation>{name} 준비가 끝났어요.</translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation>다운로드 보기</translation>
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
        <source>Lookup in this chat</source>
        <translation>대화 속 찾기</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>초안 없음</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>내리기</translation>
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
        <source>Not complete: get it again.</source>
        <translation>빠진 파일이 있어요. 다시 받아 주세요.</translation>
    </message>
    <message>
        <source>A tiny guide to this app, built in. For real work choose another model.</source>
        <translation>이 앱에 내장된 아주 작은 안내 모델이에요. 본격적으로 쓰려면 다른 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>Comes with {draft} as draft. {facts}</source>
        <translation>초안 모델({draft})도 함께 받아요. {facts}</translation>
    </message>
    <message>
        <source>No second model. Best for edits and code.</source>
        <translation>두 번째 모델이 필요 없어요. 글 고치기와 코드에 좋아요.</translation>
    </message>
    <message>
        <source>Same tokenizer.</source>
        <translation>토크나이저가 같아요.</translation>
    </message>
    <message>
        <source>Same tokenizer, padded.</source>
        <translation>토크나이저가 같고 크기만 달라요.</translation>
    </message>
    <message>
        <source>Works by re-encoding its text: {share} of the tokens in common.</source>
        <translation>텍스트를 다시 인코딩해서 써요. 공통 토큰 {share}.</translation>
    </message>
    <message>
        <source>Its tokenizer has not been read yet.</source>
        <translation>토크나이저를 아직 읽지 않았어요.</translation>
    </message>
    <message>
        <source>Not useful: each guess costs {share} of a plain step, more than it can save.</source>
        <translation>도움이 안 돼요. 추측 하나에 일반 디코딩 한 단계의 {share}만큼 들어, 아끼는 시간보다 더 걸려요.</translation>
    </message>
    <message>
        <source>Would not fit beside the main model: {size} short.</source>
        <translation>메인 모델과 함께 올릴 수 없어요. {size} 부족해요.</translation>
    </message>
    <message>
        <source>Cannot be used here. {reason}</source>
        <translation>여기서는 쓸 수 없어요. {reason}</translation>
    </message>
    <message>
        <source>Measured here: {speed}.</source>
        <translation>여기서 측정: {speed}.</translation>
    </message>
    <message>
        <source>Measured here: {speed}, {rate} accepted.</source>
        <translation>여기서 측정: {speed}, 채택 {rate}.</translation>
    </message>
    <message>
        <source>Estimate: {speed}.</source>
        <translation>추정: {speed}.</translation>
    </message>
    <message>
        <source>As draft for {main}: {verdict}</source>
        <translation>{main}의 초안으로: {verdict}</translation>
    </message>
    <message>
        <source>Not as it was published: {files}. Repair fetches only these again.</source>
        <translation>배포된 것과 달라요: {files}. 복구하면 이 파일만 다시 받아요.</translation>
    </message>
    <message>
        <source>Not as it was published: {files}. Remove it and get it again.</source>
        <translation>배포된 것과 달라요: {files}. 제거한 뒤 다시 받아 주세요.</translation>
    </message>
    <message>
        <source>Cannot be used. {reason}</source>
        <translation>쓸 수 없어요. {reason}</translation>
    </message>
    <message>
        <source>Does not fit: it needs {size} more than this Mac can use.</source>
        <translation>이 Mac에는 맞지 않아요. 쓸 수 있는 메모리보다 {size} 더 필요해요.</translation>
    </message>
    <message>
        <source>{count} tokens of context</source>
        <translation>컨텍스트 {count}토큰</translation>
    </message>
    <message>
        <source>downloads: {count}</source>
        <translation>다운로드 {count}회</translation>
    </message>
    <message>
        <source>asks for your consent</source>
        <translation>동의 필요</translation>
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
        <source>{sum}, before context</source>
        <translation>{sum}, 컨텍스트 제외</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{total} 중 {done}</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>실패했어요.</translation>
    </message>
    <message>
        <source>connecting again</source>
        <translation>다시 연결하는 중</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>초당 {size}</translation>
    </message>
    <message>
        <source>resumes where it stopped, even after a restart</source>
        <translation>멈춘 곳에서 이어받아요(앱을 다시 시작해도)</translation>
    </message>
    <message>
        <source>Waiting for its turn.</source>
        <translation>차례를 기다리고 있어요.</translation>
    </message>
    <message>
        <source>Asking the Hub what to download.</source>
        <translation>받을 파일을 Hub에 묻고 있어요.</translation>
    </message>
    <message>
        <source>Checking every byte.</source>
        <translation>모든 바이트를 검사하고 있어요.</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>준비됐어요.</translation>
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
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Choose a folder with models</source>
        <translation>모델이 있는 폴더 선택</translation>
    </message>
    <message>
        <source>Every file of {name} is as its authors published it.</source>
        <translation>{name}의 모든 파일이 공개된 원본과 같아요.</translation>
    </message>
    <message>
        <source>{name} came without checksums, so its files cannot be checked.</source>
        <translation>{name}에는 체크섬이 없어서 파일을 검사할 수 없어요.</translation>
    </message>
    <message>
        <source>Looking at the models here…</source>
        <translation>이 컴퓨터의 모델을 살펴보는 중…</translation>
    </message>
    <message>
        <source>This Mac can use {limit} for models. {loaded} are loaded.</source>
        <translation>이 Mac은 모델에 {limit}까지 쓸 수 있어요. 지금 불러온 모델: {loaded}.</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>다운로드</translation>
    </message>
    <message>
        <source>Recommended for this Mac</source>
        <translation>이 Mac에 추천하는 모델</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>설치됨</translation>
    </message>
    <message>
        <source>On the Hub</source>
        <translation>Hub에 있는 모델</translation>
    </message>
    <message>
        <source>Asking the Hub…</source>
        <translation>Hub에 묻는 중…</translation>
    </message>
    <message>
        <source>Write a part of a name, like Qwen3 or gemma, or paste the address of a model&apos;s page.</source>
        <translation>Qwen3나 gemma처럼 이름의 일부를 입력하거나 모델 페이지 주소를 붙여 넣어 주세요.</translation>
    </message>
    <message>
        <source>The Hub has no MLX model of that name.</source>
        <translation>그런 이름의 MLX 모델이 Hub에 없어요.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Search the Hub, or paste a name or address</source>
        <translation>Hub 검색, 또는 이름이나 주소 붙여 넣기</translation>
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
        <source>Look in another folder too…</source>
        <translation>다른 폴더도 살펴보기…</translation>
    </message>
    <message>
        <source>With {count} tokens of context</source>
        <translation>컨텍스트 {count}토큰 기준</translation>
    </message>
    <message>
        <source>Context for which memory is calculated</source>
        <translation>메모리 계산에 쓰는 컨텍스트</translation>
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
        <source>This computer has no keychain that Tandem can use, so the token was not kept.</source>
        <translation>이 컴퓨터에는 Tandem이 쓸 수 있는 키체인이 없어서 토큰을 보관하지 않았어요.</translation>
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
        <source>Tandem connects only when you ask for it: for a search in the Hub, a download or the test above. Chats, settings and figures never leave this computer. Nobody counts what you do.</source>
        <translation>Tandem은 직접 요청할 때만 연결해요. Hub 검색, 다운로드, 위의 테스트가 전부예요. 대화, 설정, 수치는 이 컴퓨터를 떠나지 않아요. 사용 기록도 수집하지 않아요.</translation>
    </message>
    <message>
        <source>Tries the mirror, the proxy and the token with two small requests.</source>
        <translation>작은 요청 두 번으로 미러와 프록시, 토큰을 확인해요.</translation>
    </message>
    <message>
        <source>The Hub answers.</source>
        <translation>Hub가 응답해요.</translation>
    </message>
    <message>
        <source>The mirror answers.</source>
        <translation>미러가 응답해요.</translation>
    </message>
    <message>
        <source>The Hub answers through the proxy.</source>
        <translation>프록시를 거쳐 Hub가 응답해요.</translation>
    </message>
    <message>
        <source>The mirror answers through the proxy.</source>
        <translation>프록시를 거쳐 미러가 응답해요.</translation>
    </message>
    <message>
        <source>It knows your token, which belongs to {user}.</source>
        <translation>토큰이 확인됐어요. 토큰의 주인은 {user}님이에요.</translation>
    </message>
    <message>
        <source>It refuses your token: it is wrong, expired or revoked.</source>
        <translation>토큰은 거부했어요. 잘못되었거나 만료되었거나 취소된 토큰이에요.</translation>
    </message>
    <message>
        <source>It does not say whether your token is right.</source>
        <translation>토큰이 맞는지는 알려 주지 않아요.</translation>
    </message>
    <message>
        <source>Hub token</source>
        <translation>Hub 토큰</translation>
    </message>
    <message>
        <source>For models that ask for consent or are private. It is kept in the system&apos;s keychain only.</source>
        <translation>동의가 필요하거나 비공개인 모델에 쓰여요. 시스템 키체인에만 보관해요.</translation>
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
        <source>Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this computer.</source>
        <translation>지난번에 Tandem이 예기치 않게 종료됐어요. 대화는 안전하고, 보고서는 이 컴퓨터에만 남아요.</translation>
    </message>
    <message>
        <source>Some of your settings could not be read and are back at their defaults. The old file is kept as {file}.</source>
        <translation>읽을 수 없는 설정이 있어 기본값으로 되돌렸어요. 예전 파일은 {file}에 남겨 두었어요.</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly and was started again. Your chats are safe; ask again.</source>
        <translation>엔진이 예상하지 못하게 멈춰서 다시 시작했어요. 대화는 안전하니 다시 질문해 주세요.</translation>
    </message>
    <message>
        <source>The engine stopped twice with {model}, so the starter models are loaded instead.</source>
        <translation>{model} 모델을 쓰는 동안 엔진이 두 번 멈춰서 대신 스타터 모델을 불러왔어요.</translation>
    </message>
    <message>
        <source>The chats of the backup are back. Those from before are kept as {file}.</source>
        <translation>백업의 대화가 돌아왔어요. 이전 대화는 ‘{file}’ 파일에 보관돼요.</translation>
    </message>
    <message>
        <source>The backup could not be restored. Your chats are as they were.</source>
        <translation>백업을 복원하지 못했어요. 대화는 그대로 있어요.</translation>
    </message>
    <message>
        <source>Untitled chat</source>
        <translation>제목 없는 대화</translation>
    </message>
    <message>
        <source>“{title}” is in the trash.</source>
        <translation>‘{title}’ 대화를 휴지통으로 옮겼어요.</translation>
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
    <name>Picker</name>
    <message>
        <source>No draft model for it is here or in the catalog. Lookup needs none.</source>
        <translation>이 모델에 맞는 초안 모델이 여기에도 카탈로그에도 없어요. 대화 속 찾기는 초안 모델이 필요 없어요.</translation>
    </message>
    <message>
        <source>Choose a main model first.</source>
        <translation>먼저 메인 모델을 선택해 주세요.</translation>
    </message>
    <message>
        <source>No model here has that name.</source>
        <translation>그런 이름의 모델이 없어요.</translation>
    </message>
    <message>
        <source>Looking at the models here…</source>
        <translation>이 컴퓨터의 모델을 살펴보는 중…</translation>
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
        <translation>{name}의 초안 선택</translation>
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
</context>
<context>
    <name>PickerRow</name>
    <message>
        <source>in use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>Get {size}</source>
        <translation>{size} 받기</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>받기</translation>
    </message>
    <message>
        <source>best here</source>
        <translation>여기서 가장 좋음</translation>
    </message>
    <message>
        <source>guide</source>
        <translation>안내용</translation>
    </message>
    <message>
        <source>other tokenizer</source>
        <translation>다른 토크나이저</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>빠듯함</translation>
    </message>
</context>
<context>
    <name>PlainReasons</name>
    <message>
        <source>Not guessing: a round of guesses costs {cost} plain steps here and brings only {tokens} tokens.</source>
        <translation>추측 안 함: 여기서는 추측 라운드 하나에 일반 디코딩 {cost}단계만큼 드는데 얻는 토큰은 {tokens}개뿐이에요.</translation>
    </message>
    <message>
        <source>Not guessing: speculation is switched off.</source>
        <translation>추측 안 함: 추측이 꺼져 있어요.</translation>
    </message>
    <message>
        <source>Not guessing: no draft model is loaded.</source>
        <translation>추측 안 함: 불러온 초안 모델이 없어요.</translation>
    </message>
    <message>
        <source>Not guessing yet: the draft model is still loading.</source>
        <translation>아직 추측하지 않는 중: 초안 모델을 불러오고 있어요.</translation>
    </message>
    <message>
        <source>Not guessing: the draft model cannot be used with this main model. {reason}</source>
        <translation>추측 안 함: 이 초안 모델은 이 메인 모델과 함께 쓸 수 없어요. {reason}</translation>
    </message>
    <message>
        <source>Not guessing: the draft model failed and is left out of this answer.</source>
        <translation>추측 안 함: 초안 모델에 문제가 생겨 이 답변에서는 쓰지 않아요.</translation>
    </message>
    <message>
        <source>Not guessing: the draft model&apos;s context is full.</source>
        <translation>추측 안 함: 초안 모델의 컨텍스트가 가득 찼어요.</translation>
    </message>
    <message>
        <source>Not guessing: the draft model has nothing that fits here.</source>
        <translation>추측 안 함: 초안 모델에서 여기에 맞는 추측이 나오지 않아요.</translation>
    </message>
    <message>
        <source>Not guessing: earlier tokens have to be read again first.</source>
        <translation>추측 안 함: 앞의 토큰을 먼저 다시 읽어야 해요.</translation>
    </message>
    <message>
        <source>Not guessing: this model&apos;s cache ({kind}) cannot be rolled back.</source>
        <translation>추측 안 함: 이 모델의 캐시({kind})는 되돌릴 수 없어요.</translation>
    </message>
    <message>
        <source>Not guessing: lookup found nothing like this in the chat so far.</source>
        <translation>추측 안 함: 지금까지의 대화에서 비슷한 부분을 찾지 못했어요.</translation>
    </message>
    <message>
        <source>Not guessing: plain decoding is faster here.</source>
        <translation>추측 안 함: 여기서는 일반 디코딩이 더 빨라요.</translation>
    </message>
    <message>
        <source>Measuring how fast plain decoding is here.</source>
        <translation>여기서 일반 디코딩이 얼마나 빠른지 재고 있어요.</translation>
    </message>
    <message>
        <source>Not guessing: several answers share the model right now.</source>
        <translation>추측 안 함: 지금 여러 답변이 모델을 함께 쓰고 있어요.</translation>
    </message>
    <message>
        <source>Not guessing: answers take turns, they cannot share a batch ({kind}).</source>
        <translation>추측 안 함: 답변을 한꺼번에 처리할 수 없어({kind}) 번갈아 쓰고 있어요.</translation>
    </message>
    <message>
        <source>The first token always comes from the main model alone.</source>
        <translation>첫 토큰은 항상 메인 모델이 혼자 써요.</translation>
    </message>
    <message>
        <source>Not guessing: the answer is about to reach its length limit.</source>
        <translation>추측 안 함: 답변이 곧 길이 제한에 닿아요.</translation>
    </message>
</context>
<context>
    <name>PositionBars</name>
    <message>
        <source>Guess {position}: {rate} accepted ({accepted} of {reached})</source>
        <translation>추측 {position}: {rate} 채택({reached}개 중 {accepted}개)</translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Preset</source>
        <translation>프리셋</translation>
    </message>
    <message>
        <source>System prompt and settings of this chat: {name}</source>
        <translation>이 대화의 시스템 프롬프트와 설정: {name}</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Own settings</source>
        <translation>이 대화만의 설정</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>정확하게</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>균형 있게</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>창의적으로</translation>
    </message>
    <message>
        <source>Concise</source>
        <translation>간결하게</translation>
    </message>
</context>
<context>
    <name>PromptField</name>
    <message>
        <source>Today&apos;s date</source>
        <translation>오늘 날짜</translation>
    </message>
    <message>
        <source>Day of the week</source>
        <translation>요일</translation>
    </message>
    <message>
        <source>Language of the window</source>
        <translation>창의 언어</translation>
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
        <source>How the model should answer in this chat</source>
        <translation>이 대화에서 모델이 어떻게 답할지 적어 주세요</translation>
    </message>
    <message>
        <source>Filled in when a question is sent: {names}</source>
        <translation>질문을 보낼 때 채워져요: {names}</translation>
    </message>
</context>
<context>
    <name>PurgeButton</name>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>대화 %n개</numerusform>
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
    <message>
        <source>Empty the trash</source>
        <translation>휴지통 비우기</translation>
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
    <name>Relocation</name>
    <message>
        <source>Moved to {folder}. Every file was compared, and the old place leads to the new one.</source>
        <translation>{folder} 폴더로 옮겼어요. 파일을 모두 비교했고, 예전 위치는 새 위치로 이어져요.</translation>
    </message>
    <message>
        <source>Nothing was moved: that folder holds something already.</source>
        <translation>옮기지 않았어요. 그 폴더에 이미 파일이 있어요.</translation>
    </message>
    <message>
        <source>Nothing was moved: a folder cannot be moved into itself.</source>
        <translation>옮기지 않았어요. 폴더를 자기 자신 안으로 옮길 수는 없어요.</translation>
    </message>
    <message>
        <source>Nothing was moved: it needs {needed} and that disk has {free} left.</source>
        <translation>옮기지 않았어요. 공간이 {needed} 필요한데 그 디스크에는 {free}만 남아 있어요.</translation>
    </message>
    <message>
        <source>Nothing was moved: the copy of {file} differs. Check that disk.</source>
        <translation>옮기지 않았어요. {file}의 사본이 원본과 달라요. 그 디스크를 점검해 주세요.</translation>
    </message>
    <message>
        <source>Nothing was moved: {detail}.</source>
        <translation>옮기지 않았어요: {detail}</translation>
    </message>
    <message>
        <source>Stopped. Everything is where it was.</source>
        <translation>중지했어요. 모두 제자리에 있어요.</translation>
    </message>
    <message>
        <source>Nothing was moved: Tandem is open a second time. It is tried again at the next start.</source>
        <translation>옮기지 않았어요. Tandem이 다른 창에 또 열려 있어요. 다음에 시작할 때 다시 시도해요.</translation>
    </message>
    <message>
        <source>There is nothing to move yet.</source>
        <translation>아직 옮길 것이 없어요.</translation>
    </message>
</context>
<context>
    <name>RestoreButton</name>
    <message>
        <source>Restore a backup…</source>
        <translation>백업 복원…</translation>
    </message>
    <message>
        <source>Restore a backup of the chats</source>
        <translation>대화 백업 복원</translation>
    </message>
    <message>
        <source>There is no backup yet. Tandem makes one every day.</source>
        <translation>아직 백업이 없어요. Tandem이 매일 하나씩 만들어요.</translation>
    </message>
    <message numerus="yes">
        <source>{date} · %n chat(s)</source>
        <translation>
            <numerusform>{date} · 대화 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore nothing</source>
        <translation>복원하지 않기</translation>
    </message>
    <message>
        <source>The chats of {date} will be back the next time Tandem starts. Those they replace are kept as a backup.</source>
        <translation>다음에 Tandem을 시작하면 {date}의 대화로 돌아가요. 지금의 대화는 백업으로 보관돼요.</translation>
    </message>
    <message>
        <source>Your chats stay as they are.</source>
        <translation>대화는 지금 그대로 있어요.</translation>
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
    <name>SettingRow</name>
    <message>
        <source>{name}: back to the default</source>
        <translation>{name}: 기본값으로 되돌리기</translation>
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
        <source>Lookup</source>
        <translation>대화 속 찾기</translation>
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
        <source>Full</source>
        <translation>원래 정밀도</translation>
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
        <source>Same text</source>
        <translation>같은 글</translation>
    </message>
    <message>
        <source>Same distribution</source>
        <translation>같은 분포</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>For the window. A model answers in the language you write in.</source>
        <translation>창에 쓰이는 언어예요. 모델은 질문한 언어로 답해요.</translation>
    </message>
    <message>
        <source>Like the system</source>
        <translation>시스템 설정 따르기</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>화면 모드</translation>
    </message>
    <message>
        <source>Light, dark, or like the system.</source>
        <translation>밝게, 어둡게, 또는 시스템 설정대로 표시해요.</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>글자 크기</translation>
    </message>
    <message>
        <source>For everything in the window.</source>
        <translation>창 전체에 적용돼요.</translation>
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
        <translation>아주 크게</translation>
    </message>
    <message>
        <source>Send with</source>
        <translation>보내기 키</translation>
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
        <source>Command or Ctrl with Enter</source>
        <translation>Command 또는 Ctrl+Enter</translation>
    </message>
    <message>
        <source>At start, load</source>
        <translation>시작할 때 불러오기</translation>
    </message>
    <message>
        <source>The starter pair is small and answers questions about Tandem only.</source>
        <translation>스타터 모델 쌍은 작고, Tandem에 관한 질문에만 답해요.</translation>
    </message>
    <message>
        <source>The models used last</source>
        <translation>마지막에 쓴 모델</translation>
    </message>
    <message>
        <source>The starter pair</source>
        <translation>스타터 모델 쌍</translation>
    </message>
    <message>
        <source>Who guesses</source>
        <translation>추측 방법</translation>
    </message>
    <message>
        <source>Automatic takes the draft model or the lookup, whichever is faster here, and neither where guessing does not pay.</source>
        <translation>자동은 초안 모델과 대화 속 찾기 가운데 여기서 더 빠른 쪽을 쓰고, 추측에 이득이 없으면 둘 다 쓰지 않아요.</translation>
    </message>
    <message>
        <source>Guesses per round</source>
        <translation>라운드당 추측 토큰</translation>
    </message>
    <message>
        <source>Automatic follows from what rounds cost on this computer. A fixed number can make answers slower.</source>
        <translation>자동은 이 컴퓨터에서 라운드에 드는 시간에 따라 정해져요. 수를 고정하면 답변이 느려질 수 있어요.</translation>
    </message>
    <message>
        <source>Accept guesses by</source>
        <translation>채택 기준</translation>
    </message>
    <message>
        <source>“Same text” gives the same text for a seed with and without guessing. “Same distribution” accepts guesses by chance when the temperature is above 0; the text is another one, drawn just as the main model would.</source>
        <translation>‘같은 글’은 시드가 같으면 추측을 쓰든 안 쓰든 같은 글이 나와요. ‘같은 분포’는 온도가 0보다 높을 때 추측 토큰을 확률에 따라 채택해요. 글은 달라지지만 메인 모델이 뽑는 분포 그대로예요.</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>온도</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token. Higher values bring more variety and more mistakes.</source>
        <translation>0이면 항상 가장 가능성 높은 토큰을 골라요. 값이 클수록 다양해지고 실수도 늘어요.</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Draws only from the likeliest tokens that make up this share. 1 draws from all.</source>
        <translation>가능성 높은 순으로 이 비율까지의 토큰에서만 뽑아요. 1이면 모든 토큰에서 뽑아요.</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Draws only from this many of the likeliest tokens.</source>
        <translation>가능성 높은 순으로 이 개수만큼의 토큰에서만 뽑아요.</translation>
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
        <source>Leaves out tokens less likely than this share of the likeliest one. 0 leaves none out.</source>
        <translation>가능성이 가장 높은 토큰에 견주어 이 비율보다 낮은 토큰은 빼요. 0이면 빼지 않아요.</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>반복 억제</translation>
    </message>
    <message>
        <source>Above 1, tokens that were just used become less likely.</source>
        <translation>1보다 크면 방금 쓴 토큰이 덜 나와요.</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>답변 최대 길이</translation>
    </message>
    <message>
        <source>In tokens. A token is about three quarters of an English word.</source>
        <translation>토큰 단위예요. 한국어는 보통 한 글자가 토큰 하나쯤이에요.</translation>
    </message>
    <message>
        <source>As long as the context</source>
        <translation>컨텍스트가 허용하는 만큼</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>The same seed gives the same text again. It matters above temperature 0 only.</source>
        <translation>시드가 같으면 같은 글이 다시 나와요. 온도가 0보다 높을 때만 의미가 있어요.</translation>
    </message>
    <message>
        <source>A new one each time</source>
        <translation>매번 새로</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>생각</translation>
    </message>
    <message>
        <source>Whether models that can think before they answer do so. Other models ignore it.</source>
        <translation>답하기 전에 생각할 수 있는 모델이 생각할지 정해요. 다른 모델에는 영향이 없어요.</translation>
    </message>
    <message>
        <source>Model’s default</source>
        <translation>모델 기본값</translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation>컨텍스트가 가득 차면</translation>
    </message>
    <message>
        <source>Tandem can tell you, or leave out the oldest turns. The system prompt and the newest turns always stay, and nothing is deleted from the chat.</source>
        <translation>알려 주거나, 오래된 차례부터 빼고 답해요. 시스템 프롬프트와 최근 차례는 늘 남고, 대화에서 지워지는 것은 없어요.</translation>
    </message>
    <message>
        <source>Tell me</source>
        <translation>알리기</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>오래된 차례 빼기</translation>
    </message>
    <message>
        <source>KV cache of the main model</source>
        <translation>메인 모델의 KV 캐시</translation>
    </message>
    <message>
        <source>What the model keeps of a chat as it reads. Fewer bits take less memory; answers can change a little.</source>
        <translation>모델이 대화를 읽으며 적어 두는 내용이에요. 비트가 적으면 메모리를 덜 쓰지만 답변이 조금 달라질 수 있어요.</translation>
    </message>
    <message>
        <source>KV cache of the draft model</source>
        <translation>초안 모델의 KV 캐시</translation>
    </message>
    <message>
        <source>Fewer bits take less memory. Guesses can get a little worse; the text stays the same.</source>
        <translation>비트가 적으면 메모리를 덜 써요. 추측이 조금 덜 맞을 수 있지만 글은 그대로예요.</translation>
    </message>
    <message>
        <source>Work offline</source>
        <translation>오프라인 작업</translation>
    </message>
    <message>
        <source>No connection is ever tried. Downloads wait; chats and the models that are here work.</source>
        <translation>어떤 연결도 시도하지 않아요. 다운로드는 기다리고, 대화와 이미 있는 모델은 그대로 쓸 수 있어요.</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>미러</translation>
    </message>
    <message>
        <source>The address of a mirror of the Hugging Face Hub. Empty for the Hub itself.</source>
        <translation>Hugging Face Hub 미러의 주소예요. 비워 두면 Hub를 직접 써요.</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>프록시</translation>
    </message>
    <message>
        <source>The address of a proxy, like http://proxy:8080. Empty for none.</source>
        <translation>프록시의 주소예요(예: http://proxy:8080). 비워 두면 쓰지 않아요.</translation>
    </message>
    <message>
        <source>Keep what models have read</source>
        <translation>모델이 읽은 내용 보관</translation>
    </message>
    <message>
        <source>On the disk, so that long chats reopen at once. It goes when its chat is deleted permanently.</source>
        <translation>디스크에 보관해서 긴 대화를 바로 이어 갈 수 있어요. 대화를 완전히 삭제하면 함께 지워져요.</translation>
    </message>
    <message>
        <source>Room for what models have read</source>
        <translation>읽은 내용에 쓸 공간</translation>
    </message>
    <message>
        <source>In GB. Chats that were not used for longest make room.</source>
        <translation>GB 단위예요. 가장 오래 쓰지 않은 대화부터 자리를 비워요.</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>쓰지 않는 모델을 내리기까지</translation>
    </message>
    <message>
        <source>In minutes. Their memory is given back; the next question loads them again.</source>
        <translation>분 단위예요. 메모리를 비우고, 다음 질문 때 다시 불러와요.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>안 함</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>접두사 캐시</translation>
    </message>
    <message>
        <source>In GB. Memory for chats that were already read, so that their next question need not be read from the start.</source>
        <translation>GB 단위예요. 읽은 대화를 이만큼까지 메모리에 담아 두어, 다음 질문 때 처음부터 다시 읽지 않아요.</translation>
    </message>
    <message>
        <source>Memory for models and chats</source>
        <translation>모델과 대화에 쓸 메모리</translation>
    </message>
    <message>
        <source>In GB. What does not fit is refused before it is loaded.</source>
        <translation>GB 단위예요. 들어가지 않는 모델은 불러오기 전에 거절해요.</translation>
    </message>
    <message>
        <source>As the system recommends</source>
        <translation>시스템 권장값</translation>
    </message>
    <message>
        <source>Allow what does not fit</source>
        <translation>들어가지 않아도 허용</translation>
    </message>
    <message>
        <source>Loads models and answers questions beyond that limit. The computer can become very slow, and the system can end Tandem.</source>
        <translation>한도를 넘어도 모델을 불러오고 답해요. 컴퓨터가 아주 느려지거나 시스템이 Tandem을 종료할 수 있어요.</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>기록할 내용</translation>
    </message>
    <message>
        <source>What the record below holds. It is in memory only, and no chat text is ever in it.</source>
        <translation>아래 기록에 담을 내용이에요. 메모리에만 있고 대화 내용은 들어가지 않아요.</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>문제</translation>
    </message>
    <message>
        <source>Problems and events</source>
        <translation>문제와 주요 동작</translation>
    </message>
    <message>
        <source>Every detail</source>
        <translation>모든 세부 사항</translation>
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
        <translation>추측</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>생성</translation>
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
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Search in the settings</source>
        <translation>설정에서 검색</translation>
    </message>
    <message>
        <source>Back to the defaults</source>
        <translation>기본값으로 되돌리기</translation>
    </message>
    <message>
        <source>Changes apply from the next answer on.</source>
        <translation>바꾸면 다음 답변부터 적용돼요.</translation>
    </message>
    <message>
        <source>Applies to models that are loaded from then on.</source>
        <translation>다음에 불러오는 모델부터 적용돼요.</translation>
    </message>
    <message>
        <source>Applies from the next start on.</source>
        <translation>다음에 시작할 때부터 적용돼요.</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>키보드 단축키</translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>{pair} is loaded and follows the settings above.</source>
        <translation>불러온 {pair}에는 위의 설정이 적용돼요.</translation>
    </message>
    <message>
        <source>Own settings</source>
        <translation>따로 설정</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>제거</translation>
    </message>
    <message>
        <source>Remove the settings of {pair}</source>
        <translation>{pair} 설정 제거</translation>
    </message>
    <message>
        <source>Single pairs</source>
        <translation>모델 쌍별 설정</translation>
    </message>
    <message>
        <source>While such a pair is loaded, its own settings apply instead of those above.</source>
        <translation>이런 모델 쌍을 불러온 동안에는 위의 설정 대신 따로 정한 설정이 적용돼요.</translation>
    </message>
</context>
<context>
    <name>SpeculationPanel</name>
    <message>
        <source>tokens per round</source>
        <translation>라운드당 토큰</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>첫 토큰까지</translation>
    </message>
    <message>
        <source>plain decoding here: {speed} tokens/s</source>
        <translation>여기서 일반 디코딩: 초당 {speed}토큰</translation>
    </message>
    <message>
        <source>now {depth}</source>
        <translation>지금 {depth}</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>추측</translation>
    </message>
    <message>
        <source>Accept rate, this answer</source>
        <translation>이 답변의 채택률</translation>
    </message>
    <message>
        <source>Accept rate, answer {number} of {count}</source>
        <translation>답변 {count}개 중 {number}번째의 채택률</translation>
    </message>
    <message>
        <source>What guessing brings is shown here while an answer is written.</source>
        <translation>답변을 쓰는 동안 추측으로 얻은 결과가 여기에 나타나요.</translation>
    </message>
    <message>
        <source>This answer is from a version of Tandem that did not keep rounds.</source>
        <translation>라운드를 저장하지 않던 버전의 Tandem에서 쓴 답변이에요.</translation>
    </message>
    <message>
        <source>Round strip</source>
        <translation>라운드 띠</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>초당 토큰</translation>
    </message>
    <message>
        <source>Accepted by position</source>
        <translation>위치별 채택</translation>
    </message>
    <message>
        <source>Where time went</source>
        <translation>시간이 쓰인 곳</translation>
    </message>
    <message>
        <source>Guesses per round</source>
        <translation>라운드당 추측 토큰</translation>
    </message>
</context>
<context>
    <name>SpeculationSentences</name>
    <message numerus="yes">
        <source>Guessing %n token(s) at a time: each round brings {tokens} tokens.</source>
        <translation>
            <numerusform>한 번에 %n토큰씩 추측하는 중: 라운드마다 {tokens}토큰을 얻어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Guessing %n token(s) at a time: each round costs {cost} plain steps and brings {tokens} tokens.</source>
        <translation>
            <numerusform>한 번에 %n토큰씩 추측하는 중: 라운드마다 일반 디코딩 {cost}단계만큼 들고 {tokens}토큰을 얻어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n guess(es) accepted of {drafted}.</source>
        <translation>
            <numerusform>추측 토큰 {drafted}개 중 %n개가 채택됐어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n guess(es) accepted of {drafted}. A round cost {cost} plain steps and brought {tokens} tokens.</source>
        <translation>
            <numerusform>추측 토큰 {drafted}개 중 %n개가 채택됐어요. 라운드 하나에 일반 디코딩 {cost}단계만큼 들었고 {tokens}토큰을 얻었어요.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StoragePage</name>
    <message>
        <source>The chats are backed up in {file}.</source>
        <translation>대화를 {file}에 백업했어요.</translation>
    </message>
    <message>
        <source>The chats could not be backed up. Check whether the disk has space.</source>
        <translation>대화를 백업하지 못했어요. 디스크에 빈 공간이 있는지 확인해 주세요.</translation>
    </message>
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
        <source>Copying and comparing: {done} of {total}.</source>
        <translation>복사하고 비교하는 중: {total} 중 {done}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>With the list of downloads.</source>
        <translation>다운로드 목록도 함께 있어요.</translation>
    </message>
    <message>
        <source>What models have read</source>
        <translation>모델이 읽은 내용</translation>
    </message>
    <message>
        <source>So that the next question of a chat need not be read from the start.</source>
        <translation>대화의 다음 질문에서 처음부터 다시 읽지 않아도 돼요.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>The Hugging Face cache, shared with other programs.</source>
        <translation>다른 프로그램과 함께 쓰는 Hugging Face 캐시예요.</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>캐시</translation>
    </message>
    <message>
        <source>What Tandem can make again when it needs it.</source>
        <translation>필요하면 Tandem이 다시 만들 수 있는 것들이에요.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>What you have chosen in this window.</source>
        <translation>이 창에서 고른 내용이에요.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Show the folder: {name}</source>
        <translation>폴더 보기: {name}</translation>
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
        <source>Clear what models have read</source>
        <translation>모델이 읽은 내용 지우기</translation>
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
        <source>Stop</source>
        <translation>중지</translation>
    </message>
</context>
<context>
    <name>Store</name>
    <message>
        <source>The disk is full, so this chat cannot be saved. Free some space and save again.</source>
        <translation>디스크가 가득 차서 이 대화를 저장할 수 없어요. 공간을 비우고 다시 저장해 주세요.</translation>
    </message>
    <message>
        <source>The chats cannot be changed: the disk or the file does not allow writing.</source>
        <translation>대화를 바꿀 수 없어요. 디스크나 파일이 쓰기를 허용하지 않아요.</translation>
    </message>
    <message>
        <source>The disk does not answer as it should, so this chat cannot be saved.</source>
        <translation>디스크가 제대로 응답하지 않아 이 대화를 저장할 수 없어요.</translation>
    </message>
    <message>
        <source>Part of this chat could not be saved: {detail}</source>
        <translation>이 대화의 일부를 저장하지 못했어요: {detail}</translation>
    </message>
    <message>
        <source>Tandem is already open in another window, which has your chats. Nothing you write here is kept.</source>
        <translation>Tandem이 이미 다른 창에 열려 있고, 대화는 그 창에 있어요. 여기에 쓴 내용은 저장되지 않아요.</translation>
    </message>
    <message>
        <source>Your chats were saved by a newer version of Tandem. Update Tandem; nothing you write here is kept.</source>
        <translation>대화가 더 새로운 버전의 Tandem에서 저장됐어요. Tandem을 업데이트해 주세요. 여기에 쓴 내용은 저장되지 않아요.</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because the disk is full. Free some space and open Tandem again; nothing you write here is kept.</source>
        <translation>디스크가 가득 차서 대화를 열 수 없어요. 공간을 비우고 Tandem을 다시 열어 주세요. 여기에 쓴 내용은 저장되지 않아요.</translation>
    </message>
    <message>
        <source>Your chats cannot be opened because their disk or folder does not allow it. Nothing you write here is kept.</source>
        <translation>디스크나 폴더의 권한 때문에 대화를 열 수 없어요. 여기에 쓴 내용은 저장되지 않아요.</translation>
    </message>
    <message>
        <source>Your chats cannot be opened: {detail}. Nothing you write here is kept.</source>
        <translation>대화를 열 수 없어요({detail}). 여기에 쓴 내용은 저장되지 않아요.</translation>
    </message>
    <message>
        <source>The file of chats was damaged. What could be read is here; the damaged file is kept as {name}.</source>
        <translation>대화 파일이 손상되어 있었어요. 읽을 수 있는 것은 모두 가져왔고, 손상된 파일은 ‘{name}’ 이름으로 남겨 두었어요.</translation>
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
        <source>Thought for {time}, {count} tokens</source>
        <translation>{time} 동안 생각함, 토큰 {count}개</translation>
    </message>
    <message>
        <source>Thought for {count} tokens</source>
        <translation>생각한 내용, 토큰 {count}개</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>생각한 내용</translation>
    </message>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>모델이 답하기 전에 생각한 내용을 보이거나 숨기기</translation>
    </message>
</context>
<context>
    <name>TimeBar</name>
    <message>
        <source>draft {draft} · verify {verify} · host {host}</source>
        <translation>초안 {draft} · 검증 {verify} · 호스트 {host}</translation>
    </message>
</context>
<context>
    <name>TokenView</name>
    <message>
        <source>{source} · round {round}, position {position} · probability {percent}</source>
        <translation>{source} · 라운드 {round}, 위치 {position} · 확률 {percent}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Jump to the newest text</source>
        <translation>최신 글로 이동</translation>
    </message>
</context>
<context>
    <name>Transfer</name>
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
        <translation>내보냈어요: {name}</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) exported.</source>
        <translation>
            <numerusform>대화 %n개를 내보냈어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Exporting to {name}…</source>
        <translation>‘{name}’ 파일로 내보내는 중…</translation>
    </message>
    <message numerus="yes">
        <source>Importing {name}: %n chat(s) so far.</source>
        <translation>
            <numerusform>‘{name}’ 파일에서 지금까지 대화 %n개를 가져왔어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>The import of {name} was cut short when Tandem ended. Import the file again for the chats that are missing.</source>
        <translation>‘{name}’ 파일을 가져오던 중에 Tandem이 종료됐어요. 파일을 다시 가져오면 빠진 대화만 들어와요.</translation>
    </message>
    <message>
        <source>The export to {name} was cut short when Tandem ended. Export again to have all of it.</source>
        <translation>‘{name}’ 파일로 내보내던 중에 Tandem이 종료됐어요. 모두 담으려면 다시 내보내 주세요.</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) imported.</source>
        <translation>
            <numerusform>대화 %n개를 가져왔어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) were here already.</source>
        <translation>
            <numerusform>대화 %n개는 이미 있어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) are in the trash and stay there.</source>
        <translation>
            <numerusform>대화 %n개는 휴지통에 있어서 그대로 두었어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n part(s) of the file could not be read as a chat.</source>
        <translation>
            <numerusform>파일 안의 항목 %n개는 대화로 읽지 못했어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s) of the file could not be read.</source>
        <translation>
            <numerusform>파일의 %n줄은 읽지 못했어요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s), tool call(s) or thought(s) were left out.</source>
        <translation>
            <numerusform>첨부 파일, 도구 호출, 생각 %n개는 가져오지 않았어요.</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped. Import the file again for the chats that are missing.</source>
        <translation>가져오기를 중단했어요. 파일을 다시 가져오면 빠진 대화만 들어와요.</translation>
    </message>
    <message>
        <source>That did not work: {detail}</source>
        <translation>작업하지 못했어요: {detail}</translation>
    </message>
    <message>
        <source>The export was stopped.</source>
        <translation>내보내기를 중단했어요.</translation>
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
    <message>
        <source>Thoughts</source>
        <translation>생각한 내용</translation>
    </message>
</context>
<context>
    <name>TuningView</name>
    <message>
        <source>Measuring what rounds of every depth cost here. This takes a few seconds.</source>
        <translation>깊이마다 라운드에 드는 시간을 재고 있어요. 몇 초면 돼요.</translation>
    </message>
    <message>
        <source>Nothing could be measured.</source>
        <translation>아무것도 재지 못했어요.</translation>
    </message>
    <message>
        <source>Plain decoding does {speed} tokens/s here.</source>
        <translation>여기서 일반 디코딩은 초당 {speed}토큰이에요.</translation>
    </message>
    <message>
        <source>Answers use this from now on. It took {time}.</source>
        <translation>이제부터 답변에 이 값을 써요. {time} 걸렸어요.</translation>
    </message>
    <message>
        <source>It was stopped early: what was not reached keeps its old figures.</source>
        <translation>도중에 멈췄어요. 재지 못한 값은 예전 그대로예요.</translation>
    </message>
    <message numerus="yes">
        <source>Best here: %n guess(es) a round, {times} as fast as plain decoding.</source>
        <translation>
            <numerusform>여기서는 라운드마다 %n개씩 추측하는 것이 가장 좋아요. 속도가 일반 디코딩의 {times}예요.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Best here: %n guess(es) a round, {times} as fast as plain decoding if as many are right as with most pairs. Your answers will show how many are.</source>
        <translation>
            <numerusform>여기서는 라운드마다 %n개씩 추측하는 것이 가장 좋아요. 다른 모델 쌍만큼 맞는다면 속도가 일반 디코딩의 {times}예요. 얼마나 맞는지는 앞으로의 답변에서 드러나요.</numerusform>
        </translation>
    </message>
    <message>
        <source>Plain decoding is fastest here: even guesses that are all right would not pay.</source>
        <translation>여기서는 일반 디코딩이 가장 빨라요. 추측이 다 맞아도 이득이 없어요.</translation>
    </message>
    <message>
        <source>Plain decoding is fastest here. Guessing pays once more than {rate} of the guesses are right.</source>
        <translation>여기서는 일반 디코딩이 가장 빨라요. 추측이 {rate}보다 많이 맞으면 이득이에요.</translation>
    </message>
    <message>
        <source>Guesses</source>
        <translation>추측 토큰</translation>
    </message>
    <message>
        <source>Plain steps</source>
        <translation>일반 단계</translation>
    </message>
    <message>
        <source>Pays from</source>
        <translation>이득 기준</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>예상 속도</translation>
    </message>
    <message>
        <source>Tune on this machine</source>
        <translation>이 기기에 맞추기</translation>
    </message>
    <message>
        <source>What a round costs in plain steps, how many of its guesses have to be right for it to pay, and the tokens a second that are expected of it.</source>
        <translation>라운드 하나에 드는 시간(일반 단계 단위), 이득을 보려면 맞아야 하는 추측의 비율, 예상되는 초당 토큰이에요.</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>다시 재기</translation>
    </message>
</context>
<context>
    <name>TurnCommands</name>
    <message>
        <source>Copy the selection</source>
        <translation>선택한 부분 복사</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>답변을 Markdown으로 복사</translation>
    </message>
    <message>
        <source>Copy the answer as plain text</source>
        <translation>답변을 일반 텍스트로 복사</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>메시지 복사</translation>
    </message>
    <message>
        <source>Edit the message</source>
        <translation>메시지 편집</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>답변 이어서 쓰기</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>분기</translation>
    </message>
    <message>
        <source>Read aloud: this system has no voice</source>
        <translation>소리 내어 읽기: 이 시스템에 음성이 없어요</translation>
    </message>
    <message>
        <source>Read the answer aloud</source>
        <translation>답변 소리 내어 읽기</translation>
    </message>
</context>
<context>
    <name>TurnView</name>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>This answer was cut short when Tandem ended.</source>
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
        <source>Cut at its length limit.</source>
        <translation>길이 제한에서 끊겼어요.</translation>
    </message>
    <message>
        <source>Reading the chat: {share}</source>
        <translation>대화를 읽는 중: {share}</translation>
    </message>
    <message>
        <source>Thinking of the first token…</source>
        <translation>첫 토큰을 생각하는 중…</translation>
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
        <translation>메시지 복사</translation>
    </message>
    <message>
        <source>Copy the answer as Markdown</source>
        <translation>답변을 Markdown으로 복사</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>다시 생성</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>분기</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>답변 이어서 쓰기</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>더 보기</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>What is Tandem?</source>
        <translation>Tandem은 무엇인가요?</translation>
    </message>
    <message>
        <source>How does speculative decoding work?</source>
        <translation>추측 디코딩은 어떻게 작동하나요?</translation>
    </message>
    <message>
        <source>What does the accept rate mean?</source>
        <translation>채택률은 무슨 뜻인가요?</translation>
    </message>
    <message>
        <source>What would you like to know?</source>
        <translation>무엇이 궁금하세요?</translation>
    </message>
    <message>
        <source>The models run on this computer. Nothing you write leaves it.</source>
        <translation>모델은 이 컴퓨터에서 실행돼요. 입력한 내용은 밖으로 나가지 않아요.</translation>
    </message>
</context>
<context>
    <name>_OfferRow</name>
    <message>
        <source>Getting it…</source>
        <translation>받는 중…</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>대화</translation>
    </message>
    <message>
        <source>Get {size}</source>
        <translation>{size} 받기</translation>
    </message>
    <message>
        <source>With {draft} as draft</source>
        <translation>초안: {draft}</translation>
    </message>
    <message>
        <source>{speed} expected (estimate)</source>
        <translation>예상 {speed}(추정)</translation>
    </message>
</context>
</TS>
