"""Which questions name a word of the app, however it is spelled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.session.answer import STARTER, Answer
from app.session.app_words import names_app
from app.settings.declarations import PAGES, SETTINGS
from app.window.actions import ACTIONS
from tests.app.translation_files import forms, messages

GLOSSARY = Path(__file__).parents[3] / "i18n" / "glossary.md"
# The columns of the glossary.
COLUMNS = ("en", "ko", "ja", "zh_CN")
REFUSAL = "That is beyond me"

ABOUT_THE_APP = {
    "en": (
        # Newcomers' own words, to which the Starter offered another model.
        "hw do i downlod a biger model",
        "does it work ofline",
        "why is teh answer so short",
        "what dose the green bar mean",
        "how do I get a second window",
        "is gpt-4 in here",
        "what can other people on my network see",
        "wat is tandem",
        "how do i import my chatgpt chats",
        # Others of the kind.
        "were are my conversatoins saved",
        "can i pirnt a chat",
        "how do i chagne the langauge",
        "what does acceptence mean",
        "why are some words blue",
        "how do i unistall it",
        "dose it need intrenet",
        "where is the seting for dark mode",
        "how much memmory does it use",
        "how do i attatch a pdf",
        "can it read my screen",
        "what is a tokenzier",
        "how to delte a converstion",
        "why is it so slow",
        "is my data privat",
        "how do i turn off specualtion",
        "can i use it on two macs",
        "how do i stop the anwser",
        "keybord shortcuts",
        "how do i export evrything",
        "can i see the history",
        "what is the pannel on the right",
        "where do i put a systm prompt",
        "how do i updat it",
        "can it remember what i said last week",
        "how do i find an old message",
        "can i change teh font",
        "what is mcp",
        "my download is stuck",
        "does it have a microphne",
        "where is the comand palette",
        "what does temperture do",
        "can i run two modles at once",
        "how do i pin a chat",
        "what is the quick entry",
    ),
    "ko": (
        "이거 왜이렇게 빨라요",
        "왜 이렇게 느려요?",
        "모델은 어디서 받아요?",
        "다운로그가 안 돼요",
        "대화를 어떻게 지워요?",
        "인터넷 없이도 돼요?",
        "창을 두 개 열 수 있어요?",
        "초록색 막대는 뭐예요?",
        "글자를 크게 하고 싶어요",
        "다크 모드 있어요?",
        "단축키 알려 주세요",
        "오프라잉에서도 돼요?",
        "파일을 어떻게 첨부해요?",
        "채택률이 뭐예요?",
        "언어를 바꾸고 싶어요",
        "프롬프트는 어디에 써요?",
        "답변이 왜 이렇게 짧아요?",
        "토큰이 뭐예요?",
        "업데이트는 어떻게 해요?",
        "제 대화가 밖으로 전송되나요?",
    ),
    "ja": (
        "なんでこんなに速いの?",
        "モデルはどこで落とせますか",
        "ダウンロドできない",
        "チャットの消し方",
        "オフラインで使えますか",
        "ウィンドウを二つ開きたい",
        "緑の棒は何ですか",
        "文字を大きくしたい",
        "ダークモードはありますか",
        "ショトカットを教えて",
        "ファイルを添付するには",
        "受理率とは",
        "言語を変えたい",
        "プロンプトはどこに書くの",
        "トークンって何",
        "アップデトの方法",
        "履歴はどこ?",
        "回答が短いのはなぜ?",
        "会話は外に送られますか",
        "メモリはどれくらい使う?",
    ),
    "zh": (
        "为什么这么快?",
        "模型在哪里下载?",
        "怎么删除对话",
        "没有网络能用吗",
        "怎么打开第二个窗口",
        "绿色的条是什么意思",
        "字体怎么变大",
        "有深色模式吗",
        "快捷键有哪些",
        "怎么添加附件",
        "接受率是什么",
        "怎么换语言",
        "提示词写在哪里",
        "token 是什么",
        "怎么更新",
        "历史记录在哪",
        "回答为什么这么短",
        "我的聊天会被上传吗",
        "占多少内存",
        "能离线用吗",
    ),
}

OFF_TOPIC = {
    "en": (
        "write a poem about the sea",
        "capital of France",
        "what is the capital of france?",
        "fix this SQL",
        "fix this SQL: select * form users",
        "why is the sky blue",
        "who won the world cup in 2018",
        "how do I boil an egg",
        "recipe for pancakes",
        "explain photosynthesis",
        "what is the tallest mountain in Europe",
        "how do vaccines work",
        "translate good morning into Spanish",
        "what language do they speak in Brazil",
        "history of Rome",
        "tell me a joke about cats",
        "how far away is the moon",
        "how do I clean a window",
        "who wrote Hamlet",
        "what is the meaning of life",
        "is coffee bad for you",
        "what should I cook tonight",
        "how many legs does a spider have",
        "what is inflation",
        "best books about space",
        "how do planes fly",
        "summarize this: the train was late and we missed the boat",
        "what is 17 * 23",
        "solve x^2 = 9",
        "write a python function that adds two numbers",
        "give me a name for my dog",
        "what's the weather in Paris",
        "how old is the universe",
        "why do cats purr",
        "plan a weekend trip to Lisbon",
        "what does a heron eat",
        "who was Cleopatra",
        "how do I learn to swim",
        "difference between a crocodile and an alligator",
        "what rhymes with orange juice",
        "draft a letter to my landlord",
        "convert 10 miles to km",
    ),
    "ko": (
        "바다에 관한 시를 써 줘",
        "프랑스의 수도는 어디야?",
        "이 SQL 고쳐 줘",
        "김치찌개 끓이는 법",
        "하늘은 왜 파래?",
        "월드컵은 누가 우승했어?",
        "광합성을 설명해 줘",
        "세종대왕은 누구야?",
        "달까지 거리는 얼마나 돼?",
        "고양이는 왜 골골거려?",
        "파이썬으로 두 수를 더하는 함수를 써 줘",
        "안녕을 프랑스어로 번역해 줘",
        "에베레스트는 얼마나 높아?",
        "감기에 좋은 음식",
        "제주도 여행 계획을 짜 줘",
        "거미 다리는 몇 개야?",
        "인플레이션이 뭐야?",
        "햄릿은 누가 썼어?",
        "수영을 배우고 싶어",
        "비행기는 어떻게 날아?",
    ),
    "ja": (
        "海についての詩を書いて",
        "フランスの首都はどこ?",
        "このSQLを直して",
        "カレーの作り方",
        "空はなぜ青いの?",
        "ワールドカップの優勝国は?",
        "光合成を説明して",
        "織田信長は誰ですか",
        "月までの距離は?",
        "猫が喉を鳴らす理由",
        "Pythonで二つの数を足す関数を書いて",
        "「おはよう」をフランス語に訳して",
        "富士山の高さは?",
        "風邪に効く食べ物",
        "京都旅行の計画を立てて",
        "蜘蛛の足は何本?",
        "インフレーションとは",
        "ハムレットの作者は誰",
        "水泳を習いたい",
        "飛行機はどうやって飛ぶの",
    ),
    "zh": (
        "写一首关于大海的诗",
        "法国的首都是哪里",
        "修复这个SQL",
        "红烧肉怎么做",
        "天空为什么是蓝色的",
        "世界杯谁赢了",
        "解释光合作用",
        "秦始皇是谁",
        "月亮离地球多远",
        "猫为什么打呼噜",
        "用Python写一个相加函数",
        "把“你好”翻译成法语",
        "珠穆朗玛峰有多高",
        "感冒吃什么好",
        "安排去杭州的周末旅行",
        "蜘蛛有几条腿",
        "什么是通货膨胀",
        "哈姆雷特是谁写的",
        "想学游泳",
        "飞机怎么飞的",
    ),
}


def offers_another(question: str) -> bool:
    """Whether another model is offered below the Starter's refusal of a question."""
    return Answer(model=STARTER, question=question, text=REFUSAL).is_for_others


@pytest.mark.parametrize("language", ABOUT_THE_APP)
def test_no_other_model_is_offered_for_a_question_about_the_app_however_it_is_spelled(language: str) -> None:
    assert [question for question in ABOUT_THE_APP[language] if offers_another(question)] == []


@pytest.mark.parametrize("language", OFF_TOPIC)
def test_another_model_is_offered_for_other_questions(language: str) -> None:
    assert [question for question in OFF_TOPIC[language] if not offers_another(question)] == []


@pytest.mark.parametrize(
    "question",
    [
        "what is 3 + 4",
        "12 x 7 = ?",
        "3 hours are how many minutes",
        "3시간은 몇 초야",
        "3時間は何秒？",
        "3小时是几分钟",
    ],
)
def test_another_model_is_offered_for_a_calculation(question: str) -> None:
    assert offers_another(question)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("can you read a word file", 'in english "안녕"'),
        ("워드 파일 읽을 수 있어?", "영어로 “좋은 아침”"),
        ("ワードのファイル読める？", "英語に翻訳して「おはよう」"),
        ("可以读word文件吗", "用英文说“早上好”"),
    ],
)
def test_another_model_is_offered_for_quoted_text_after_a_question_about_the_app(before: str, question: str) -> None:
    assert Answer(model=STARTER, question=question, asked_before=before, text=REFUSAL).is_for_others
    assert offers_another(question)


def test_a_number_in_a_name_is_no_calculation() -> None:
    assert all(map(names_app, ("Qwen3は何", "gpt-4는 뭐야 몇 개", "gpt-4 can answer how much")))


def test_quoted_words_of_the_app_name_it() -> None:
    assert all(
        map(names_app, ('what does "acceptance rate" mean', "「ドラフト」とは何", "“설정”은 어디야", "“设置”在哪里"))
    )


@pytest.mark.parametrize("language", COLUMNS)
def test_what_the_window_calls_its_parts_names_the_app(language: str) -> None:
    titles = {action.texts[0] for actions in ACTIONS.values() for action in actions}
    titles |= {setting.title for setting in SETTINGS.values() if setting.page and setting.title} | set(PAGES.values())
    shown = titles
    if language != "en":
        shown = {form for _, one in messages(language) if one.findtext("source") in titles for form in forms(one)}
    assert len(shown) >= 100
    assert sorted(title for title in shown if not names_app(re.sub(r"[&…]|\(.*?\)", "", title))) == []


@pytest.mark.parametrize("language", COLUMNS)
def test_the_words_of_the_glossary_name_the_app(language: str) -> None:
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("|")][2:]
    cells = [line.split("|")[1 + COLUMNS.index(language)] for line in lines]
    words = [word.strip() for cell in cells for word in re.split(",|;", cell)]
    assert len(words) >= 80
    assert [word for word in words if not names_app(re.sub(r"\(.*?\)", "", word))] == []
