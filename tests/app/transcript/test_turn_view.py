"""Edits, regenerated answers and branches: every version is kept and can be shown."""

from __future__ import annotations

import threading
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.composer.welcome import Welcome
from app.conversations.chat_settings import GenerationSettings
from app.conversations.database.records import Attachment
from app.session.answer import Answer, State
from app.session.chats import Turn
from app.session.starter_limits import Subject, subject_of
from app.speculation.comparison import Comparer, ComparisonStep
from app.transcript import answer_texts
from app.transcript.answer_texts import STARTER, Note, is_beyond_starter, origin_text
from engine.requests import SamplingSettings
from resources.starter.recipe.content import LANGUAGES, read_content
from resources.starter.recipe.corpus import conversations
from resources.starter.recipe.courses import EVERYTHING
from resources.starter.recipe.dialogue import OFFTOPIC
from resources.starter.recipe.limits import DECLINED
from resources.starter.recipe.templates import draw
from tests.app import scripted_engine
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import PLAIN, STORY, Script
from tests.app.shown_library import MAIN, bare, path_of
from tests.app.translation_files import forms, messages
from tests.engine.tiers import by_tier

if TYPE_CHECKING:
    from app.widgets.application import Application
    from tests.app.conftest import OpenShown
    from tests.app.window_driver import WindowDriver


def test_an_edited_question_is_a_sibling_and_both_can_be_seen(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = open_window(engine)
    window.ask_and_wait("first", "second")
    original = window.session.chat.id
    window.turn(0).press("branch")
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])
    assert window.session.chat.id != original
    assert len(window.titles) == 2
    window.open_chat(window.titles[1])
    qtbot.waitUntil(lambda: window.session.chat.id == original)
    window.turn(0).press_question("edit")
    window.turn(0).editor.edit.setPlainText("changed")
    QTest.keyClick(window.turn(0).editor.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert window.turns == [("changed", "Three.")]
    assert [m["content"] for m in engine.requests[-1].messages] == ["changed"]
    window.settle()
    assert window.turn(0).question_version == "2/2"
    window.turn(0).press_question("previous")
    qtbot.waitUntil(lambda: window.turns == [("first", "One."), ("second", "Two.")])
    assert window.turn(0).question_version == "1/2"
    window.turn(0).press_question("next")
    qtbot.waitUntil(lambda: window.turns == [("changed", "Three.")])


@pytest.mark.first
def test_another_answer_keeps_the_one_before(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.activateWindow()
    window.ask_and_wait("first")
    button = window.turn().view.answer_row.button("again")
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    # The keys go to the composer when another answer takes the place.
    assert window.composer.edit.hasFocus()
    qtbot.waitUntil(lambda: window.turns == [("first", "Two.")])
    window.settle()
    assert window.turn().answer_version == "2/2"
    window.turn().press("previous")
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])


def test_the_button_says_why_another_answer_has_the_same_words(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    again = window.turn().view.answer_row.button("again")
    assert "the Starter knows its answers by heart" in again.accessibleName()
    window.session.models.load("some/model", None)
    window.wait(lambda: again.accessibleName() == "Regenerate")
    window.session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.7)))
    window.trigger("chat-settings")
    window.chat_settings.rows["temperature"].control.setValue(0.0)
    window.wait(lambda: again.accessibleName() == "Regenerate: the same words, because temperature 0 was chosen")


def test_switching_versions_lets_an_answer_go_on(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY)])
    window = open_window(engine)
    window.ask_and_wait("first")
    engine.gate = threading.Semaphore(5)
    window.trigger("ask-again")
    qtbot.waitUntil(lambda: bool(window.answer().text))
    session = window.session
    session.chats.switch(session.chat, session.chat.turns[0].answer_node, -1)
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: session.answers.is_idle)
    session.chats.switch(session.chat, session.chat.turns[0].answer_node, 1)
    qtbot.waitUntil(lambda: window.turns == [("first", STORY)])


def test_the_menu_of_an_answer_has_sections_and_nothing_that_cannot_be(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    sections: list[list[str]] = [[]]
    for action in window.turn().menu().actions():
        if action.isSeparator():
            sections.append([])
        else:
            assert action.isEnabled()
            sections[-1].append(action.text())
    assert [section[0] for section in sections] == [
        "Copy the answer as Markdown",
        "Edit the message",
        "Delete the message and its answer",
    ]


# How an answer begins that the Starter learned.
LEARNED = "Tandem is a desktop chat app."


def turn(question: str, text: str = "Tandem is an app.", model: str = STARTER, *files: Attachment) -> Turn:
    return Turn(question, Answer(State.DONE, text=text, model=model), files)


@pytest.mark.parametrize(
    "question",
    [
        "17*23",
        "17 x 3",
        "17 − 3",
        "17 multiplied by 3",
        "Give me a JSON object with name and version of the app",
        "Translate 'good morning' into French",
        "이 문장을 번역해 주세요",
        "스페인어로 감사합니다",
        "スペイン語でありがとう",
        "西班牙语的谢谢",
        "3 곱하기 14",
        "20에서 3을 빼면?",
        "17かける3は？",
        "120を3で割ると？",
        "17乘以3等于多少",
        "sort [3, 1, 2] in C++",
        "並べ替えのコードを書いて",
        "What does this do?\n```\nx = 1\n```",
    ],
)
def test_code_arithmetic_json_and_translation_are_beyond_the_starter(question: str) -> None:
    assert is_beyond_starter(turn(question))
    assert not is_beyond_starter(turn(question, model="mlx-community/Qwen3-8B-4bit"))


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Write a python function that adds two numbers"),
        ("en", "Can you write a short script that renames my files?"),
        ("en", "Translate hello to French"),
        ("en", "Translate into Korean: the train leaves from platform nine."),
        ("en", "what is 15% of 240?"),
        ("ko", "두 수를 더하는 파이썬 함수를 써 줘"),
        ("ko", "안녕을 프랑스어로 번역해 줘"),
        ("ja", "2つの数を足すPythonの関数を書いて"),
        ("ja", "「おはよう」をフランス語に訳して"),
        ("zh", "写一个把两个数相加的Python函数"),
        ("zh", "把“你好”翻译成法语"),
    ],
)
def test_what_it_knows_of_tandem_answers_no_question_for_code_translation_or_sums(language: str, question: str) -> None:
    answered = turn(question, read_content(language).topics["better-models"].answer)
    assert answered.answer.is_known
    assert is_beyond_starter(answered)
    assert not answered.answer.speed_counts


@pytest.mark.parametrize(
    ("language", "question"),
    [
        # A summary, other words, corrections, tables, ideas, plans, names and replies.
        ("en", "Summarize this: the train was late, so we missed the boat and stayed a night."),
        ("en", "Rewrite this sentence politely: Give me the report now."),
        ("en", "fix my grammar: he dont know nothing"),
        ("en", "Make a table of three columns with fruits"),
        ("en", "three ideas for a rainy weekend"),
        ("en", "plan my weekend in lisbon"),
        ("en", "i need a name for my dog"),
        ("en", "reply to this message: are you free on friday?"),
        ("en", "explain this poem to me: roses are red"),
        ("en", "spell check pls: teh quik brown fox"),
        ("en", "mortgage of 200000 at 4 percent over 20 years"),
        ("ko", "이 시 설명해줘: 나 보기가 역겨워"),
        ("ja", "この詩を説明して：古池や"),
        ("zh", "看看有没有错别字：你好，很高心认识你"),
        ("ko", "이 글을 요약해 줘: 기차가 늦어서 배를 놓쳤고 하룻밤 묵었다."),
        ("ko", "이 문장을 공손하게 바꿔 줘: 보고서 내놔."),
        ("ko", "문법 고쳐줘 나는 어제 학교을 갔다"),
        ("ko", "세 칸짜리 과일 표를 만들어 줘"),
        ("ko", "비 오는 주말에 할 만한 것 세 가지"),
        ("ko", "로마 여행 일정 짜줘"),
        ("ja", "この文を要約して：電車が遅れて船に乗り遅れ、一泊した。"),
        ("ja", "この文を丁寧に書き直して：報告書を今すぐ出せ。"),
        ("ja", "文法直して 私は昨日学校を行った"),
        ("ja", "果物の表を3列で作って"),
        ("ja", "雨の週末のアイデアを3つ"),
        ("ja", "会社の名前考えて"),
        ("zh", "总结一下：火车晚点，我们错过了船，住了一晚。"),
        ("zh", "把这句话改得礼貌一点：马上给我报告。"),
        ("zh", "改下语法 他昨天去学校了的"),
        ("zh", "做一个三列的水果表格"),
        ("zh", "下雨周末的三个主意"),
        ("zh", "给猫起五个名字"),
    ],
)
def test_writing_tasks_are_beyond_the_starter_whatever_it_says(language: str, question: str) -> None:
    answered = turn(question, read_content(language).topics["goodbye"].answer)
    assert answered.answer.is_known
    assert is_beyond_starter(answered)


@pytest.mark.parametrize(
    "question",
    [
        "Which models can summarize?",
        "How do I correct a spelling mistake in my message?",
        "any ideas for a bored person?",
        "name for my folder",
        "맞춤법을 틀려서 고치고 싶어",
        "誤字を直して送り直したい",
        "把我说的话换个说法重发",
    ],
)
def test_questions_that_name_such_tasks_need_not_be_tasks(question: str) -> None:
    assert subject_of(question) is Subject.ANY
    assert not is_beyond_starter(turn(question, LEARNED))


@pytest.mark.parametrize(
    "question",
    [
        "hi",
        "What is Tandem?",
        "Which 2 models come with Tandem 1.4?",
        "how fast is it",
        "说明用法语言",
        "7 * 8",
        "which model is good at writing code?",
        "초안 토큰 3에 10을 설정",
    ],
)
def test_questions_about_tandem_are_not(question: str) -> None:
    assert subject_of(question) is Subject.ANY
    assert not is_beyond_starter(turn(question, LEARNED))
    assert is_beyond_starter(
        turn(question, "Tandem.", STARTER, Attachment("a.txt", "text/plain", "the code word is elm"))
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_all_that_the_starter_learns_it_refuses_what_is_off_topic(language: str) -> None:
    content, draws = read_content(language), Random(1)
    topics = (*content.topics.values(), content.at_length)
    for learned in (*topics, *(followup for topic in topics for followup in topic.followups)):
        for wording in learned.questions:
            assert not is_beyond_starter(turn(question := draw(wording, draws), learned.answer)), question
    refusal = content.offtopic.answer
    for text in (refusal, f"\n {refusal}", refusal[: len(refusal) // 2], f"<think>\nHm.\n</think>\n\n{refusal}"):
        assert is_beyond_starter(turn("Who was it?", text))
    assert not is_beyond_starter(turn("Who was it?", refusal, "mlx-community/Qwen3-8B-4bit"))
    for made in conversations(seed=5, count=400, course=EVERYTHING):
        for one in made.turns:
            assert turn(one.user, one.answer).answer.refuses == (one.kind in (OFFTOPIC, DECLINED)), one


@pytest.fixture
def starter_window(open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch) -> tuple[WindowDriver, ScriptedEngine]:
    """Return a window whose answers are those of the Starter, which is loaded, and the engine that writes them."""
    named = model_info("starter/main")
    monkeypatch.setattr(scripted_engine, "model_info", lambda _: replace(named, name=STARTER))
    window, _, engine = open_shown(bare(), ("starter/main", "starter/draft"))
    return window, engine


def test_right_answers_have_their_figure_and_no_note_and_refusals_the_reverse(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    content = read_content("en")
    asked = {
        "What languages do you speak?": content.topics["language-spoken"].answer,
        "Do you speak French?": content.topics["language-spoken"].answer,
        "What is the starter pair?": content.topics["starter-pair"].answer,
        "Who wrote Hamlet?": content.offtopic.answer,
    }
    engine.scripts[:] = list(map(Script, asked.values()))
    window.ask_and_wait(*asked)
    figures = [bool(origin_text(one.answer).count("×")) for one in window.session.chat.turns]
    notes = [window.turn(index).view.findChild(Note).isVisible() for index in range(len(asked))]
    assert (figures, notes) == ([True, True, True, False], [False, False, False, True])


def test_below_what_the_starter_makes_up_stands_that_it_may_be_wrong(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("the kettle is on the wall"), Script("the kettle is on the shelf")]
    question = "say exactly: the kettle is on the shelf"
    window.ask_and_wait(question)
    note = window.turn().view.findChild(Note)
    window.wait(note.isVisible)
    assert note.findChild(QLabel).text() == "The Starter may be wrong here. A larger model can answer this."
    (button,) = note.findChildren(QPushButton)
    assert button.text().startswith("Ask ")
    window.ask_and_wait(question)
    assert window.turn().view.findChild(Note).isHidden()


def test_below_what_the_starter_makes_up_of_tandem_stands_that_it_may_be_wrong_and_nobody_else_is_asked(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("the ravens live on the left")]
    window.ask_and_wait("Where in Tandem are the ravens?")
    note = window.turn().view.findChild(Note)
    window.wait(note.isVisible)
    assert note.findChild(QLabel).text() == "The Starter may be wrong here."
    assert [button for button in note.findChildren(QPushButton) if button.isVisible()] == []


def test_below_what_the_starter_says_instead_of_declining_to_write_code_stands_that_it_may_be_wrong(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    topics = read_content("en").topics
    engine.scripts[:] = [Script(topics["better-models"].answer), Script(topics["resume-download"].answer)]
    window.ask_and_wait("Which model should I download?", "Write a python function")
    note = window.turn().view.findChild(Note)
    window.wait(note.isVisible)
    assert note.findChild(QLabel).text() == "The Starter may be wrong here. A larger model can answer this."
    (button,) = note.findChildren(QPushButton)
    assert button.text().startswith("Ask ")


def test_what_the_starter_says_wrongly_of_tandem_is_corrected_below_it(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    content = read_content("en")
    fact = content.topics["folders"].answer
    engine.scripts[:] = [Script("There are no folders."), Script(content.offtopic.answer), Script(fact)]
    # No other model knows Tandem, so a refusal has no button that asks one.
    for asked in ("How do I make a folder?", "How can I make a folder?"):
        window.ask_and_wait(asked)
        note = window.turn().view.findChild(Note)
        window.wait(note.isVisible)
        assert note.findChild(QLabel).text() == f"The Starter may be wrong here. The help of Tandem says: {fact}"
        (button,) = note.findChildren(QPushButton)
        assert not button.isVisible()
    window.ask_and_wait("Where can I make a new folder?")
    assert window.turn().view.findChild(Note).isHidden()


def test_a_note_offers_to_ask_another_model_while_there_is_one(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    monkeypatch.setattr(answer_texts, "STARTER", window.session.models.pair.names[0])
    window.offer.refresh()
    # Turned down, the offer stays without its sentence.
    window.offer.starter_button.click()
    first = window.offer.row
    assert window.offer.isVisible()
    window.wait(first.button.isVisible)
    assert first.button.text() == "Download"
    window.ask_and_wait("What is 17*23?")
    note = window.turn().view.findChild(Note)
    (button,) = note.findChildren(QPushButton)
    window.wait(note.isVisible)
    assert button.text() == f"Ask {library.inventory.offers[0].name} ({first.size_shown.text()} download)"
    window.ask_and_wait("What is Tandem?")
    again = window.turn().view.findChild(Note)
    assert again.isHidden()
    window.session.answers.ask_again(window.session.chat.turns[-1])
    window.wait(lambda: window.session.answers.is_idle)
    window.wait(window.turn().view.findChild(Note).isVisible)
    repeated = window.turn().view.findChild(Note)
    assert repeated.findChild(QLabel).text() == "The Starter knows one answer to each question."
    # No other model knows Tandem.
    assert not any(button.isVisible() for button in repeated.findChildren(QPushButton))
    wanted: list[str] = []
    monkeypatch.setattr(library, "get", lambda *ids: wanted.extend(ids))
    button.click()
    assert wanted[0] == library.inventory.offers[0].id
    library.inventory = replace(library.inventory, offers=())
    library.models_changed.emit()
    window.wait(note.isHidden)


def test_a_fast_answer_is_compared_and_is_in_no_chat(open_shown: OpenShown) -> None:
    window, _, engine = open_shown(bare(), ("starter/main", "starter/draft"))
    plain, drafted = Script("one two three four", (PLAIN,)), Script("one two three four")
    engine.scripts[:] = [Script("one"), drafted, plain, drafted, plain]
    buttons = window.find(Welcome).findChildren(QPushButton)
    shows = next(button for button in buttons if button.text() == "Show me a fast answer")
    window.wait(shows.isEnabled)
    shows.click()
    made = window.find(Comparer).comparison
    assert made is not None
    assert made.question == read_content("en").at_length.questions[0]
    window.wait(lambda: made.step is ComparisonStep.DONE)
    assert window.comparison.isVisible()
    window.wait(lambda: "× as fast, same text" in window.comparison.gain.text())
    assert window.turns == []
    window.wait(window.comparison.again.isEnabled)
    engine.scripts[:] = [Script("two"), drafted, plain, drafted, plain]
    window.comparison.again.click()
    window.wait(lambda: window.find(Comparer).comparison.step is ComparisonStep.DONE)
    assert window.find(Comparer).comparison is not made
    assert window.find(Comparer).comparison.question == made.question
    assert window.turns == []
    window.comparison.close_overlay()
    assert not window.is_enabled("compare")


def test_the_question_of_a_fast_answer_can_be_asked_in_the_chat(open_shown: OpenShown) -> None:
    window, _, engine = open_shown(bare(), ("starter/main", "starter/draft"))
    other = Script("one two three five", (PLAIN,))
    engine.scripts[:] = [Script("one"), *[Script("one two three four"), other] * 2, Script("an answer")]
    shows = next(one for one in window.find(Welcome).findChildren(QPushButton) if one.text() == "Show me a fast answer")
    window.wait(shows.isEnabled)
    shows.click()
    view, made = window.comparison, window.find(Comparer).comparison
    assert not view.ask.isVisible()
    window.wait(lambda: made.step is ComparisonStep.DONE)
    # Neither text is another version of an answer, because there is no chat with one.
    assert [use.isVisible() for use in view.uses] == [False, False]
    assert view.ask.text() == "Ask in the chat"
    window.wait(view.ask.isEnabled)
    view.ask.click()
    assert not view.isVisible()
    turn = window.session.chat.turns[-1]
    assert turn.question == made.question
    window.wait(lambda: turn.answer.ended and window.session.answers.is_idle)
    assert turn.answer.reply == "an answer"
    # A question of the chat is there already.
    engine.scripts[:] = [Script("one"), *[Script("one two three four"), other] * 2]
    window.wait(lambda: window.is_enabled("compare"))
    window.trigger("compare")
    window.wait(lambda: window.find(Comparer).comparison.step is ComparisonStep.DONE)
    assert not view.ask.isVisible()


def questions_of(window: WindowDriver) -> list[str]:
    """The words of the questions that the welcome page offers, and of the one that its demonstration would ask."""
    *others, demonstration = (
        one for one in window.find(Welcome).findChildren(QPushButton) if not window.offer.isAncestorOf(one)
    )
    asked: list[str] = []
    with patch.object(window.comparer, "demonstrate", asked.append), patch.object(window.comparison, "open"):
        demonstration.click()
    return [*asked, *(one.text() for one in others)]


@pytest.mark.parametrize("language", by_tier(["en", "ko", "ja", "zh_CN"], ["ko"]))
def test_only_the_starter_is_asked_about_what_only_it_knows(
    open_shown: OpenShown, qapp: Application, language: str
) -> None:
    window, _, _ = open_shown()
    qapp.language.choose(language)
    window.wait(lambda: window.session.answers.ready)
    neutral = questions_of(window)
    window.session.models.load("starter/main", "starter/draft")
    window.wait(lambda: window.session.models.is_starter and window.session.answers.ready)
    own = questions_of(window)
    assert len({*neutral, *own}) == 6
    told = ("Tandem", "speculative", "추측 디코딩", "投機", "推测")
    assert not [question for question in neutral if any(word in question for word in told)]
    assert all(any(word in question for word in told) for question in own)
    window.session.models.load(path_of("a real model"), None)
    window.wait(lambda: not window.session.models.is_starter and window.session.answers.ready)
    assert questions_of(window) == neutral


@pytest.mark.parametrize("pair", [(path_of(MAIN), None), ("starter/main", None)])
@pytest.mark.parametrize("chosen", [0, 20, 5000])
def test_the_demonstration_ends_with_any_model_and_any_settings(
    open_shown: OpenShown, pair: tuple[str, None], chosen: int
) -> None:
    window, library, engine = open_shown(bare(), pair)
    engine.scripts[:] = [Script("one") for _ in range(5)]
    library.settings.change(max_tokens=chosen)
    window.wait(lambda: window.session.answers.ready)
    window.comparer.demonstrate("Count to a million.")
    window.wait(lambda: window.comparer.comparison.step is ComparisonStep.DONE)
    most = 300 if pair[0] == path_of(MAIN) else 400
    limits = [request.max_tokens for request in engine.requests[-5:]]
    assert limits == [1, *[min(chosen or most, most)] * 4]


@pytest.mark.parametrize(("language", "own"), [("ko", "ko"), ("ja", "ja"), ("zh_CN", "zh")])
def test_the_demonstration_asks_in_the_words_to_which_the_starter_has_a_long_answer(language: str, own: str) -> None:
    english, asked = (read_content(one).at_length.questions[0] for one in ("en", own))
    assert [forms(one) for _, one in messages(language) if one.findtext("source") == english] == [[asked]]
