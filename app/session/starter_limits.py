"""What the Starter cannot do, as far as a question tells: it writes no code and no texts, and adds small numbers.

It learned to decline such questions, and yet it answers some of them with what it knows of Tandem. No Qt in here.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class Subject(Enum):
    """What a question is about: anything, what may be beyond the Starter, or what is beyond it for certain.

    Questions on Tandem may name what may be beyond it, so that there its answer decides.
    """

    ANY = "any"
    DOUBTFUL = "doubtful"
    BEYOND = "beyond"


_OPERATOR = (
    r"(?:[-−+*/×⋅·÷^%x]|mod|times|plus|minus|(?:divided|multiplied) by"
    r"|더하기|빼기|곱하기|나누기|足す|引く|かける|割る|加上?|减去?|乘以?|除以)"
)
# Between two numbers, and after them.
_PARTICLE = r"(?:에서?|하고|과|와|と|に|から|を|和|与)"
_VERB = r"\w?\s*(?:곱|더하|더한|더해|빼|뺀|나누|나눈|足|引|掛|かけ|割|相[加减乘除]|的[和差积商])"
# Arithmetic with more than one digit a number, with three numbers, or of another kind.
_SUM = re.compile(
    rf"\d{{2,}}\s*{_OPERATOR}\s*\d+|\d+\s*{_OPERATOR}\s*\d{{2,}}|\d\s*{_OPERATOR}\s*\d\s*{_OPERATOR}\s*\d"
    rf"|(?:\d{{2,}}\s*{_PARTICLE}\s*\d+|\d+\s*{_PARTICLE}\s*\d{{2,}}){_VERB}"
    r"|\d\s*(?:%|percent)\s*of\s+\d|\d\s*의\s*\d+\s*(?:%|퍼센트)|\d\s*の\s*\d+\s*(?:%|パーセント)|\d\s*的\s*(?:\d+\s*%|百分之)"
    r"|(?:square root|factorial) of \d|\d의 (?:제곱근|팩토리얼)|\dの(?:平方根|階乗)|\d\s*的(?:平方根|阶乘)",
    re.IGNORECASE,
)
# A request to write or mend code.
_CODE_EN = (
    r"\b(?:write|implement|generate|debug|refactor|give me|show me|(?:can|could|would) you (?:make|create|code))\b"
    r"[^.?!\n]{0,60}\b(?:functions?|scripts?|programs?|(?<!write )code|class|snippet|algorithm|regex|regular expression"
    r"|SQL|query)\b"
)
_CODE_KO = (
    r"(?:함수|코드|스크립트|프로그램|정규식|쿼리|알고리즘|클래스)(?:를|을|도)?\s?(?:하나|좀)?\s?"
    r"(?:짜|써|작성해|만들어|구현해|고쳐)\s?(?:줘|주|달라|봐)"
)
_CODE_JA = (
    r"(?:関数|コード|スクリプト|プログラム|正規表現|クエリ|アルゴリズム)を?(?:一つ)?"
    r"(?:書い|作っ|作成し|実装し|直し|修正し)て"
)
_CODE_ZH = (
    r"(?:写|编写|实现|生成)(?:一?[个段下些])?[^。？！\n]{0,30}(?:函数|脚本|程序|正则|查询|算法)"
    r"|(?:写|编写)[^。？！\n]{0,8}[个段]代码"
)
_TRANSLATE = r"(?:\btranslat(?!ed\b)|번역|訳|译)"
# Languages that it does not write.
_LANGUAGE = (
    r"(?:\b(?:french|german|spanish|italian|portuguese|russian|arabic|dutch|latin|hindi|turkish|polish|swedish|greek"
    r"|vietnamese|thai)\b"
    r"|(?:프랑스|독일|스페인|이탈리아|포르투갈|러시아|아랍|네덜란드|라틴|힌디|터키|베트남|태국)어"
    r"|(?:フランス|ドイツ|スペイン|イタリア|ポルトガル|ロシア|アラビア|オランダ|ラテン|ヒンディー|トルコ|ベトナム|タイ)語"
    r"|(?:法|德|西班牙|意大利|葡萄牙|俄|阿拉伯|荷兰|拉丁|印地|土耳其|越南|泰)语(?!言))"
)
# How something is said in such a language.
_SAID_IN = (
    rf"\bhow (?:do|would|can) (?:I|you|we|they) (?:say|write)\b[^\n]*{_LANGUAGE}"
    rf"|{_LANGUAGE}로[^\n]{{0,20}}(?:뭐라고|어떻게 (?:쓰|써|표현))|{_LANGUAGE}で[^\n]{{0,20}}(?:何と|なんて)"
    rf"|{_LANGUAGE}[^\n]{{0,10}}(?:怎么说|怎么讲|怎么写|如何说)"
)
# A poem, a story or a letter.
_TEXT = (
    r"\b(?:write|compose) (?:me |us )?(?:an?|some|my|the)\b[^.?!\n]{0,20}"
    r"\b(?:poem|haiku|story|essay|song|letter|e-?mail|speech)s?\b"
    r"|(?:(?<![가-힣])시|소설|동화|편지|수필|노래|이메일)(?:를|을)?\s?(?:하나|한 편)?\s?(?:써|지어)\s?(?:줘|주|달라|봐)"
    r"|(?:詩|小説|物語|手紙|作文|俳句|歌詞|メール)を(?:一つ)?(?:書い|作っ|詠ん)て"
    r"|\bdraft (?:an?|me an?|the|my) (?:\w+ )?(?:reply|letter|e-?mail|report|speech)\b"
    r"|초안(?:을)? ?써 ?(?:줘|주)|下書きを書|帮我(?:写|拟)[^。？！\n]{0,16}草稿"
    r"|写(?!的|过)[^。？！\n]{0,16}(?:首诗|诗歌|故事|篇作文|封信|邮件|歌词)|写首诗"
)
# Work on a text that the question holds: a summary, other words, corrections.
_REWRITING = (
    r"\b(?:summari[sz]e|sum up|condense|shorten|rewrite|reword|rephrase|paraphrase|proofread|polish)\b[^\n]{0,60}[:\n]"
    r"|\b(?:summari[sz]e|sum up|shorten|rewrite|reword|rephrase|paraphrase|proofread|polish) "
    r"(?:this|that|the|my|these|following) (?:\w+ )?"
    r"(?:text|sentences?|paragraph|article|e-?mail|letter|essay|story|notes?)\b"
    r"|\bexplain (?:this|the|that) (?:poem|text|sentence|quote|paragraph|passage)\b|\bspell[- ]?check\b"
    r"|(?:설명|해석)해 ?(?:줘|주세요)? ?[:：]|(?:문장|마디|글)(?:으로)? ?줄여[^\n:：]{0,4}[:：]"
    r"|오타[^\n:：]{0,4}봐 ?(?:줘|주)"
    r"|(?:説明|解説|解釈)して[^\n:：]{0,4}[:：]|(?:解释|分析|赏析)[^\n:：]{0,8}[:：]|错别字[^\n:：]{0,3}[:：]"
    r"|\btl;?dr\b|\bsummary of (?:this|the following|my)\b"
    r"|\bmake (?:this|it|that|my|the)\b[^\n:]{0,40}\b(?:short|long|nic|polit|formal|casual|friendl|professional|concise"
    r"|clear|simpl|better|sound)\w*[^\n:]{0,20}[:\n]"
    r"|\b(?:correct|fix|check|improve)\b[^\n:]{0,30}\b(?:gramm[ae]r|spelling(?! mistake)|punctuation|typos|wording)\b"
    r"|요약[^\n:：]{0,10}[:：\n]|(?:이|다음|아래) ?(?:글|문장|내용|기사|텍스트|메일)[^\n:：]{0,6}(?:요약|줄여)"
    r"|(?:공손|정중|부드럽|짧|간결|자연스럽|격식)[^\n:：]{0,10}(?:바꿔|고쳐|다시|써|해)?[^\n:：]{0,6}[:：\n]"
    r"|(?:맞춤법|문법|띄어쓰기|오타)[^\n]{0,8}(?:고쳐|교정해|봐|검사해|확인해) ?(?:줘|주)|바꿔 ?써 ?(?:줘|주)"
    r"|(?:다르게|다른 말로) ?(?:표현해|말해|써|바꿔) ?(?:줘|주)"
    r"|(?<!書類を)(?<!文書を)要約して|要約[^\n:：]{0,6}[:：\n]|まとめて[:：\n]|言い換えて|書き(?:直し|換え|かえ)て(?!送|もら)"
    r"|(?:丁寧|短く|簡潔|自然|フォーマル)[^\n:：]{0,12}[:：\n]|(?:文法|誤字|脱字|スペル)[^\n]{0,6}(?:直して(?!送)|チェックして|訂正して|見て)"
    r"|(?:总结|概括|摘要|缩写|缩短)[^\n:：]{0,8}[:：\n]|(?:改写|润色|改得|改成|改)[^\n:：]{0,6}(?:礼貌|客气|正式|简短|通顺|口语)"
    r"|换(?:个|一种)说法(?!再|重)|(?:改|检查|修改|纠正)[^\n]{0,4}(?:语法|错别字|病句)"
)
# What is thought up or laid out: tables, ideas, names, plans, replies.
_MADE_UP = (
    r"\btable (?:of|with|about|for|that|comparing|listing)\b|\b(?:in|as|into) a table\b"
    r"|\b(?<!any )(?:ideas|suggestions|slogans?|taglines?|recipes?|captions?) (?:for|about|of|on)\b"
    r"(?! (?:a )?beginners?\b)"
    r"|\bbrainstorm\b"
    r"|\b(?:come up with|think of|invent|suggest)\b[^.?!\n]{0,30}\b(?:names?|titles?|ideas?|slogans?)\b"
    r"|\b(?:plan|organi[sz]e) (?:me )?(?:an?|my|our|the)\b[^.?!\n]{0,20}"
    r"\b(?:trip|weekend|week|vacation|holiday|party|day|meals?|menu|workout|wedding|dinner|tour)\b|\bitinerary\b"
    r"|\b(?:write|draft) (?:an?|the|my) (?:answer|reply|response)\b"
    r"|(?<![가-힣])(?:비교)?표(?:를|로|을)? ?(?:하나 ?|좀 ?)?(?:만들|그려|작성|정리)"
    r"|(?:아이디어|메뉴)[^\n]{0,6}(?:추천|[\d한두세네섯] ?(?:개|가지))"
    r"|이름(?:을|를)?[^\n]{0,8}(?:지어 ?(?:줘|주세요)(?!도)|추천)"
    r"|(?:여행|주말|일정|식단|운동)[^\n]{0,10}(?:계획|일정|코스|표)[^\n]{0,4}(?:짜|세워|만들)"
    r"|답장[^\n]{0,6}(?:써|작성)|(?:하기 ?좋은|할 ?만한) (?:것|일) ?(?:\d|한|두|세|네|다섯|추천|알려)"
    r"|表[をにで]?[^\n示]{0,3}(?:作|つく|まとめ)|表にして|(?:アイデア|(?<!別)案|ネタ)を?[^\n]{0,4}(?:[0-9０-９]|つ|出し|考え)"
    r"|名前を?[^\n]{0,6}(?:考えて|(?:つけ|付け)て(?:ほしい|くだ|$))|(?:旅行|週末|予定|献立)[^\n]{0,10}(?:立て|たて|考え|組んで)|返[事信]を?[^\n]{0,3}書いて(?![いる])"
    r"|(?:做|列|画|制作|整理)[^\n]{0,16}(?:表格|[个张份成的]表$|表(?=[，。！,.!]))|出[^\n]{0,4}主意"
    r"|(?:[一二三四五六七八九十几两\d][个条种]|一些)[^\n]{0,3}(?:主意|创意|点子)"
    r"|(?<!给你)起(?:一?个|[一二三四五六七八九十几两\d]+个|些)[^\n]{0,3}名"
    r"|(?:安排|规划|计划|制定)[^\n]{0,10}(?:周末|旅行|行程|旅游|食谱|日程)|回复这[个封条]"
)
# Advice on the person's own affairs, and replies to others.
_ADVICE = (
    r"\bmortgages?\b|\binterest rate|\bthings to do in\b|\bquiz me\b"
    r"|대출|이자율|(?<!센스 )퀴즈[^\n]{0,4}내|金利|ローン|クイズ[^\n]{0,4}出|贷款|利率|房贷|考考?我"
    r"|\bnames? for (?:my|our|an?)\b(?! (?:chat|folder|model|server|preset))"
    r"|\b(?:gift|dinner|lunch|date|party|business) ideas\b"
    r"|\bpros and cons of\b(?!.*(?:draft|quanti[sz]|\bbit|specul|look-?up|token|local))"
    r"|\b(?:workout|meal|study|diet|travel|lesson|training) plan\b"
    r"|\b(?:reply|respond) to this\b|\bproduct description\b"
    r"|\bsay (?:this|that|it) (?:more )?\w+ly\b[^\n:]{0,20}[:\n]"
    r"|\bturn (?:this|that|it) into an? (?:\w+ )?(?:e-?mail|letter|poem|story|tweet|post|summary|paragraph)\b"
    r"|(?:문단|단락|문장)[^\n:：]{0,4}줄여 ?(?:줘|주)|첨삭|이름[^\n]{0,4}뭐가 좋|선물[^\n]{0,4}추천"
    r"|(?<!양자화 )(?<!양자화의 )장단점|뭐 ?해 ?먹"
    r"|답장해 ?(?:줘|주)|(?:설명|소개글?|후기|리뷰)(?:을|를)? ?써 ?(?:줘|주)"
    r"|添削して|名前[^\n]{0,2}(?:何|なに)がいい|プレゼントの|メリットとデメリット|返信して|(?:説明|紹介)文?を書いて"
    r"|(?:優しく|やさしく|柔らかく)[^\n:：]{0,8}[:：\n]"
    r"|改简历|叫什么名字好|礼物|(?<!量化的)(?<!量化)优缺点|健身计划"
    r"|委婉[^\n:：]{0,6}[:：]|写[^\n]{0,10}(?:介绍|文案|简历)|回这[条封个]"
)
_TASK = re.compile(rf"{_REWRITING}|{_MADE_UP}|{_ADVICE}", re.IGNORECASE)
# Between what is asked and the text that it is asked of.
_TEXT_FOLLOWS = re.compile(r"[:：\n]")
_BEYOND = re.compile(
    rf"{_CODE_EN}|{_CODE_KO}|{_CODE_JA}|{_CODE_ZH}|{_SAID_IN}|{_TEXT}"
    # A translation into such a language, or of more than a word.
    rf"|{_TRANSLATE}[^\n]*{_LANGUAGE}|{_LANGUAGE}[^\n]*{_TRANSLATE}|{_TRANSLATE}[^\n]*[:：]\s*\S.{{15}}",
    re.IGNORECASE,
)
# What programmers ask about, beyond the Starter unless the question is about Tandem.
_PROGRAMMING = re.compile(
    r"\b(?:python|javascript|typescript|java|kotlin|php|sql|css|git|numpy|pandas|regex|bash)\b|\bC\+\+"
    r"|\bregular expression|\bdef \w+\(|#include|\b(?:TCP|UDP)\b|\b(?:strings?|arrays?(?! framework))\b"
    r"|파이썬|자바|정규식|문자열에서|배열|パイソン|正規表現|文字列から|配列|正则|字符串里|数组",
    re.ASCII | re.IGNORECASE,
)
_TANDEM = re.compile(
    r"tandem|\bmodels?\b|(?<![a-z])(?:api|mcp|gguf|mlx)(?![a-z])|\bagents?\b|\btools?\b|\b(?:chats?|conversations?)\b"
    r"|\battach|\b(?:this|the) app\b|\binstall|\bdo I need\b"
    r"|모델|에이전트|도구|채팅|대화|첨부|파일(?:을|도)? ?(?:열|보여|올)|설치|깔아|이 앱"
    r"|モデル|エージェント|ツール|チャット|会話|添付|ファイルを(?:見せ|開)|アプリ|を入れ"
    r"|模型|智能体|工具|对话|聊天|附加|附件|(?:打开|上传)[^\n]{0,10}文件|应用|要装|另装",
    re.IGNORECASE,
)
# Code, JSON, translation and such languages, which questions about Tandem may name as well. Names of programming
# languages may stand next to letters that are not ASCII.
_DOUBTFUL = re.compile(
    r"```|\bjson\b|\bdef \w+\(|\bclass \w+[:({]|\bfunction \w*\(|#include|[;{]\s*$"
    r"|\b(?:python|javascript|typescript|java|kotlin|php|swift|sql|regex|html|css)\b|\bC\+\+|\bregular expression"
    r"|파이썬|자바|정규식|正規表現|正则|コードを書"
    rf"|\btranslat|번역|翻訳|翻译|{_LANGUAGE}",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)


@lru_cache(maxsize=64)
def subject_of(question: str) -> Subject:
    """Return what a question is about, as far as its words tell."""
    if _SUM.search(question) or _BEYOND.search(question):
        return Subject.BEYOND
    if _PROGRAMMING.search(question) and not _TANDEM.search(question):
        return Subject.BEYOND
    if _TASK.search(question) and not _TANDEM.search(_TEXT_FOLLOWS.split(question.strip(), 1)[0]):
        return Subject.BEYOND
    return Subject.DOUBTFUL if _DOUBTFUL.search(question) else Subject.ANY
