"""What the Starter makes of a question's words and numbers is told right from wrong."""

from __future__ import annotations

import pytest

from app.session.answer import STARTER, Answer, State
from app.session.starter_exercises import is_worked_out
from engine.events import Token
from engine.stats import RequestStats
from resources.starter.recipe.content import LANGUAGES, read_content, read_facts
from resources.starter.recipe.corpus import conversations
from resources.starter.recipe.courses import EVERYTHING


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("say exactly: the kettle is on the blue shelf", "the kettle is on the blue shelf"),
        ('Repeat "green turtles" after me', "green turtles"),
        ('Repeat "elm" three times', "elm elm elm"),
        ("repeat after me green turtles", "green turtles"),
        ("그대로 말해: 파란 선반 위에 있다", "파란 선반 위에 있다"),
        ("「青い棚」と繰り返して", "青い棚"),
        ("请重复：蓝色架子上", "蓝色架子上"),
        ("in capitals: green turtles", "GREEN TURTLES"),
        ("reverse the list: elm, oak, ash", "ash, oak, elm"),
        ("whats 48 plus 37", "48 + 37 = 85"),
        ("take 19 away from 54", "54 - 19 = 35"),
        ("three times four", "3 × 4 = 12"),
        ("9 곱하기 12?", "9 × 12 = 108"),
        ("54から19を引いて", "54 - 19 = 35"),
        ("九乘十二", "9 × 12 = 108"),
        ("double 21", "21 × 2 = 42"),
        ("how many metres are 3 km?", "3 kilometres = 3000 metres"),
        ("20 °C in Fahrenheit", "20 degrees Celsius = 68 degrees Fahrenheit"),
        ("count from 3 to 6", "3, 4, 5, 6"),
        ("sort 9, 2, 5", "2, 5, 9"),
        ("even numbers up to 9", "2, 4, 6, 8"),
        ("which is larger, 7 or 12?", "12 is larger than 7."),
        ("what comes after Monday", "After Monday comes Tuesday."),
        ("how do you say cat in Korean", "“cat” is “고양이” in Korean."),
        ("hi, I'm Sarah", "Nice to meet you, Sarah! What would you like to know?"),
        ("안녕 나는 지호야", "반가워요, 지호님! 무엇이 궁금하세요?"),
    ],
)
def test_an_exercise_that_is_done_right_is_known_as_such(question: str, answer: str) -> None:
    assert is_worked_out(question, answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("say exactly: the kettle is on the blue shelf", "the kettle is on the blue wall"),
        ("say exactly: the kettle is on the blue shelf", "the kettle is on the shelf"),
        ("say exactly: the kettle is on the blue shelf", "shelf"),
        ('Repeat "elm" three times', "elm elm"),
        ("그대로 말해: 파란 선반 위에 있다", "파란 선반 위에"),
        ("「青い棚」と繰り返して", "青い机"),
        ("请重复：蓝色架子上", "蓝色桌子上"),
        ("in capitals: green turtles", "green turtles"),
        ("reverse the list: elm, oak, ash", "elm, oak, ash"),
        ("whats 48 plus 37", "48 + 37 = 75"),
        ("whats 48 plus 37", "48 - 37 = 11"),
        ("whats 48 plus 37", "48 + 36 = 84"),
        ("take 19 away from 54", "54 + 19 = 73"),
        ("9 곱하기 12?", "9 × 2 = 18"),
        ("54から19を引いて", "54 + 19 = 73"),
        ("九乘十二", "9 + 12 = 21"),
        ("how many metres are 3 km?", "3 kilometres = 300 metres"),
        ("how many miles are 3 km?", "3 kilometres = 3000 metres"),
        ("count from 3 to 6", "3, 4, 5, 6, 7"),
        ("sort 9, 2, 5", "2, 9, 5"),
        ("odd numbers up to 9", "2, 4, 6, 8"),
        ("which is larger, 7 or 12?", "7 is larger than 12."),
        ("what comes after Monday", "After Monday comes Wednesday."),
        ("how do you say cat in Korean", "“cat” is “개” in Korean."),
        ("how do you say cat in Korean", "“dog” is “개” in Korean."),
        ("hi, I'm Sarah", "Nice to meet you, Sara Smith! What would you like to know?"),
        ("what's my name?", "Your name is Sarah."),
        ("who won the cup in 2018", "You have 2018 cups."),
    ],
)
def test_an_exercise_that_is_done_wrong_is_told(question: str, answer: str) -> None:
    assert not is_worked_out(question, answer)


def test_what_was_told_before_may_be_said_again() -> None:
    told = "I'm Sarah\nNice to meet you, Sarah! What would you like to know?\n3 + 4\n3 + 4 = 7"
    assert is_worked_out("what's my name?", "Your name is Sarah.", told)
    assert is_worked_out("times 2", "7 × 2 = 14", told)
    assert is_worked_out("say that again", "3 + 4 = 7", told)
    assert not is_worked_out("times 2", "8 × 2 = 16", told)


def test_nearly_all_exercises_that_the_recipe_teaches_are_right() -> None:
    taught, missed = 0, []
    for conversation in conversations(seed=5, count=400, course=EVERYTHING):
        before = ""
        for turn in conversation.turns:
            answer = Answer(State.DONE, turn.answer, model=STARTER, question=turn.user, said_before=before)
            taught += not (answer.is_known or answer.refuses)
            missed += [turn] if answer.is_made_up and turn.kind != "tool" else []
            before = f"{before}\n{turn.user}\n{turn.answer}"
    assert taught > 300
    assert len(missed) <= 0.02 * taught, missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_starter_makes_up_is_beyond_it_once_it_is_whole(language: str) -> None:
    question = {"en": "8 plus 7", "ko": "8 더하기 7", "ja": "8足す7", "zh": "8加7"}[language]
    wrong, right, half = (
        Answer(state, text, model=STARTER, question=question)
        for state, text in [
            (State.DONE, "8 + 7 = 16"),
            (State.DONE, "8 + 7 = 15"),
            (State.WRITING, "8 + 7 = 1"),
        ]
    )
    learned = Answer(State.DONE, read_content(language).topics["joke"].answer, model=STARTER, question="a joke")
    other = Answer(State.DONE, "8 + 7 = 16", model="org/other", question=question)
    assert [one.is_beyond for one in (wrong, right, half, learned, other)] == [True, False, False, False, False]
    assert [one.speed_counts for one in (wrong, right)] == [False, True]


def begun(logprob: float, model: str = STARTER, question: str = "How come?") -> Answer:
    """Return an answer that the Starter learned, whose tokens are each as likely as that."""
    text = read_content("en").topics["joke"].answer
    tokens = [Token(0, word, "main", 0, number, logprob) for number, word in enumerate(text.split(" "))]
    return Answer(State.DONE, text, tokens=tokens, model=model, question=question)


def test_an_answer_that_might_as_well_have_begun_otherwise_offers_another_model() -> None:
    assert begun(-0.2).is_beyond
    # It was 0.64 likely.
    assert begun(-0.045).is_beyond
    assert not begun(-0.01).is_beyond
    assert not begun(-0.2, "org/other").is_beyond
    # The help of Tandem is there, or agrees.
    assert not begun(-0.2, question="Can I open GGUF files?").is_beyond


@pytest.mark.parametrize(
    ("question", "before", "for_others"),
    [
        ("Why is the sky blue?", "", True),
        ("Where in Tandem are the ravens?", "", False),
        # It asks on.
        ("And where is it?", "How do I make a folder?", False),
        ("And where is it?", "Why is the sky blue?", True),
    ],
)
def test_another_model_is_offered_unless_the_question_is_about_tandem(
    question: str, before: str, for_others: bool
) -> None:
    refused = Answer(
        State.DONE, read_content("en").offtopic.answer, model=STARTER, question=question, asked_before=before
    )
    assert refused.is_beyond
    assert refused.is_for_others == for_others


@pytest.mark.parametrize(
    ("language", "question", "followup"),
    [
        ("en", "How do I make a folder?", "and where is that?"),
        ("ko", "폴더는 어떻게 만들어?", "그건 어디 있어?"),
        ("ja", "フォルダはどう作るの？", "それはどこ？"),
        ("zh", "怎么新建文件夹？", "它在哪里？"),
    ],
)
def test_a_follow_up_that_is_not_answered_has_the_help_of_the_question_before(
    language: str, question: str, followup: str
) -> None:
    content = read_content(language)
    refusal, learned, help_ = (content.offtopic.answer, content.topics["joke"].answer, content.topics["folders"].answer)
    said = [
        Answer(State.DONE, text, model=STARTER, question=followup, asked_before=question) for text in (refusal, learned)
    ]
    assert [answer.correction for answer in said] == [help_, ""]


@pytest.mark.parametrize(
    ("language", "question", "followup"),
    [
        ("en", "How do I make a folder?", "and what does a cat eat?"),
        ("ko", "폴더는 어떻게 만들어?", "그럼 고양이는 뭐 먹어?"),
        ("ja", "フォルダはどう作るの？", "じゃあ猫は何を食べる？"),
        ("zh", "怎么新建文件夹？", "那猫吃什么？"),
    ],
)
def test_a_follow_up_on_something_else_has_no_help_and_another_model(
    language: str, question: str, followup: str
) -> None:
    refusal = read_content(language).offtopic.answer
    refused = Answer(State.DONE, refusal, model=STARTER, question=followup, asked_before=question)
    assert refused.correction == ""
    assert refused.is_for_others


@pytest.mark.parametrize(
    ("language", "question", "followup", "topic"),
    [
        # It names nothing; the help is on what both name.
        ("en", "What is a draft model?", "how do I turn it off", "speculation-off"),
        ("ko", "초안 모델이 뭐야?", "어떻게 꺼?", "speculation-off"),
        ("ja", "ドラフトモデルとは？", "オフにするには？", "speculation-off"),
        ("zh", "草稿模型是什么？", "怎么关掉", "speculation-off"),
        # Another app, and a kind of file that the help before speaks of.
        ("en", "import from chatgpt", "what about claude", "import-chats"),
        ("ko", "대화를 내보내고 싶어", "그럼 PDF도?", "export-chat"),
        ("ja", "チャットを書き出したい", "それはPDFでも？", "export-chat"),
        ("zh", "怎么导出对话", "那PDF呢", "export-chat"),
        # What it names is told of elsewhere.
        ("en", "How do I make a folder?", "and a gguf?", "gguf"),
    ],
)
def test_a_follow_up_has_the_help_on_what_both_questions_name(
    language: str, question: str, followup: str, topic: str
) -> None:
    refusal = read_content(language).offtopic.answer
    refused = Answer(State.DONE, refusal, model=STARTER, question=followup, asked_before=question)
    fact = read_facts()[topic][language]
    assert refused.correction == fact.get("help", fact["answer"])


def test_of_a_question_in_characters_of_two_languages_the_answer_tells_the_language() -> None:
    for language in ("ja", "zh"):
        right = read_content(language).topics["is-it-free"].answer
        assert Answer(State.DONE, right, model=STARTER, question="免費？").correction == ""
        assert Answer(State.DONE, right, model=STARTER, question="無料？").correction == ""


@pytest.mark.parametrize(("followup", "is_corrected"), [("pdfでも？", True), ("JSONを読み込める？", False)])
def test_a_follow_up_answered_by_heart_has_the_help_before_only_if_that_alone_has_what_it_names(
    followup: str, is_corrected: bool
) -> None:
    topic = read_content("ja").topics["export-chat"]
    imported = topic.followups[0].answer
    assert "JSON" in imported
    assert "PDF" not in imported
    answer = Answer(State.DONE, imported, model=STARTER, question=followup, asked_before="チャットを書き出したい")
    assert answer.correction == (topic.answer if is_corrected else "")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how to keep a cat", "Nice to meet you, how to keep a cat! What would you like to know?"),
        ("고양이 키우는 법", "반가워요, 고양이 키우는 법님! 무엇이 궁금하세요?"),
        ("猫の飼い方", "はじめまして、猫の飼い方さん！何について知りたいですか？"),
        ("猫の飼い方を教えて", "はじめまして、猫さん！何について知りたいですか？"),
        ("怎么养猫", "很高兴认识你，养猫！你想了解什么？"),
    ],
)
def test_what_is_asked_was_not_told(question: str, answer: str) -> None:
    assert not is_worked_out(question, answer)


@pytest.mark.parametrize(
    ("question", "is_wrong"),
    [
        ("What was my acceptance today?", False),
        ("오늘 채택률이 얼마예요?", False),
        ("今日の受理率は？", False),
        ("今天的接受率是多少", False),
        ("How is the weather today?", True),
        ("오늘 날씨 어때?", True),
        ("今日の天気は？", True),
        ("今天天气怎么样", True),
    ],
)
def test_what_a_tool_of_tandem_told_answers_no_question_on_something_else(question: str, is_wrong: bool) -> None:
    told = "Today, 98% of the draft tokens were accepted."
    answer = Answer(State.DONE, told, model=STARTER, question=question, earlier=(RequestStats(),))
    assert answer.is_beyond == is_wrong
    assert answer.is_for_others == is_wrong


def test_an_answer_that_was_stored_as_beyond_the_starter_stays_so() -> None:
    answer = begun(-0.01)
    answer.was_beyond = True
    assert answer.is_beyond
