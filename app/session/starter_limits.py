"""What the Starter cannot do, as far as a question tells: it writes no code, translates little and adds small numbers.

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
    return Subject.DOUBTFUL if _DOUBTFUL.search(question) else Subject.ANY
