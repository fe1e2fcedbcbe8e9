"""Edits, regenerated answers and branches: every version is kept and can be shown."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.composer.welcome import Welcome
from app.conversations.chat_settings import GenerationSettings
from app.session.answer import Answer, State
from app.session.chats import Chat, Turn
from app.session.help_matching import meant_by
from app.session.model_names import STARTER
from app.session.tandem_help import known_facts
from app.speculation.comparison import Comparer, ComparisonStep
from app.text.answer_parts import AnswerParts
from app.transcript.answer_texts import Note, origin_text
from app.transcript.starter_line import StarterLine
from app.transcript.transcript import Transcript
from engine.call_forms.table import call_form
from engine.grammars.grammar import choice_of
from engine.requests import SamplingSettings
from resources.starter.recipe.content import LANGUAGES, read_content
from resources.starter.recipe.corpus import conversations
from resources.starter.recipe.courses import EVERYTHING
from resources.starter.recipe.dialogue import OFFTOPIC
from resources.starter.recipe.limits import DECLINED
from tests.app import scripted_engine
from tests.app.fake_tools import tool
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import PLAIN, STORY, Script
from tests.app.shared_window import StartChat
from tests.app.shown_library import MAIN, bare, path_of
from tests.app.translation_files import forms, messages
from tests.engine.tiers import by_tier

if TYPE_CHECKING:
    from app.widgets.application import Application
    from tests.app.conftest import OpenShown
    from tests.app.window_driver import WindowDriver


def test_an_edited_question_is_a_sibling_and_both_can_be_seen(start_chat: StartChat, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = start_chat(engine)
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
def test_another_answer_keeps_the_one_before(start_chat: StartChat, qtbot: QtBot) -> None:
    window = start_chat(ScriptedEngine([Script("One."), Script("Two.")]))
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


def test_the_button_says_why_another_answer_has_the_same_words(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    again = window.turn().view.answer_row.button("again")
    assert "the Starter knows its answers by heart" in again.accessibleName()
    window.session.models.load("some/model", None)
    window.wait(lambda: again.accessibleName() == "Regenerate")
    window.session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.7)))
    window.trigger("chat-settings")
    window.chat_settings.rows["temperature"].control.setValue(0.0)
    window.wait(lambda: again.accessibleName() == "Regenerate: the same words, because temperature 0 was chosen")


def test_switching_versions_lets_an_answer_go_on(start_chat: StartChat, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY)])
    window = start_chat(engine)
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


def test_the_menu_of_an_answer_has_sections_and_nothing_that_cannot_be(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
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


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_starter_refuses_what_is_off_topic_of_all_that_it_learns(language: str) -> None:
    refusal = read_content(language).offtopic.answer
    for text in (refusal, f"\n {refusal}", refusal[: len(refusal) // 2], f"<think>\nHm.\n</think>\n\n{refusal}"):
        assert Answer(State.DONE, text=text, model=STARTER).refuses
    assert not Answer(State.DONE, text=refusal, model="mlx-community/Qwen3-8B-4bit").refuses
    for made in conversations(seed=5, count=400, course=EVERYTHING):
        for one in made.turns:
            refuses = Answer(State.DONE, text=one.answer, model=STARTER).refuses
            assert refuses == (one.kind in (OFFTOPIC, DECLINED)), one


@pytest.fixture
def starter_window(open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch) -> tuple[WindowDriver, ScriptedEngine]:
    """Return a window whose answers are those of the Starter, which is loaded, and the engine that writes them."""
    named = model_info("starter/main")
    monkeypatch.setattr(scripted_engine, "model_info", lambda _: replace(named, name=STARTER))
    window, _, engine = open_shown(bare(), ("starter/main", "starter/draft"))
    return window, engine


def labels_of(line: StarterLine) -> list[str]:
    return [shown.text() for shown in line.findChildren(QLabel) if shown.isVisible()]


def buttons_of(line: StarterLine) -> dict[str, QPushButton]:
    return {button.text(): button for button in line.findChildren(QPushButton) if button.isVisible()}


@pytest.mark.full
def test_right_answers_have_their_figure_and_refusals_have_none(
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
    assert (figures, notes) == ([True, True, True, False], [False] * 4)


@pytest.mark.full
def test_below_each_answer_of_the_starter_stands_what_it_is_and_where_to_choose_a_larger_model(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("8 + 7 = 15"), Script("That is beyond me: I'm only a tiny guide."), Script("15")]
    window.ask_and_wait("8 plus 7", "Who wrote Hamlet?")
    for index in (0, 1):
        line = window.turn(index).view.findChild(StarterLine)
        window.wait(line.isVisible)
        assert line.findChild(QLabel).text() == "A tiny model that came with Tandem."
    (button,) = buttons_of(line).values()
    assert button.text() == "Choose a larger one."
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert window.settings.page("models").isVisible()


def test_the_button_stands_below_the_sentence_where_both_do_not_fit_in_a_line(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("8 + 7 = 15")]
    window.ask_and_wait("8 plus 7")
    line = window.turn().view.findChild(StarterLine)
    sentence, button = line.findChild(QLabel), line.findChild(QPushButton)
    for width, is_below in ((300, True), (900, False)):
        line.resize(width, line.height())
        line.layout().activate()
        assert (button.y() >= sentence.geometry().bottom()) == is_below


def test_the_line_of_the_starter_never_widens_the_chat(
    starter_window: tuple[WindowDriver, ScriptedEngine], qapp: Application
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("8 + 7 = 15")]
    window.ask_and_wait("8 plus 7")
    line = window.turn().view.findChild(StarterLine)
    qapp.theme.set_text_size(130)
    try:
        sentence, button = line.findChild(QLabel), line.findChild(QPushButton)
        window.transcript.setFixedWidth(380)
        window.wait(lambda: button.y() >= sentence.geometry().bottom())
        assert line.width() < 380
        assert sentence.width() >= sentence.sizeHint().width()
        assert button.accessibleDescription() == sentence.text()
    finally:
        qapp.theme.set_text_size(100)


def test_below_answers_of_other_models_stands_nothing_of_the_starter(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    assert window.turn().view.findChild(StarterLine) is None


def test_an_answer_that_the_starter_gives_again_has_a_note_that_it_knows_one(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("An app."), Script("An app.")]
    window.ask_and_wait("What is Tandem?")
    note = window.turn().view.findChild(Note)
    assert note.isHidden()
    window.session.answers.ask_again(window.session.chat.turns[-1])
    window.wait(lambda: window.session.answers.is_idle)
    window.wait(window.turn().view.findChild(Note).isVisible)
    repeated = window.turn().view.findChild(Note)
    assert repeated.findChild(QLabel).text() == "The Starter knows one answer to each question."
    assert not any(button.isVisible() for button in repeated.findChildren(QPushButton))


def test_a_question_about_tandem_is_answered_by_the_help_which_leads_there(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    fact = next(fact for fact in known_facts() if fact.page == "storage")
    engine.scripts[:] = [Script(fact.answers["en"])]
    window.ask_and_wait(fact.questions["en"].replace("everything", "evrything"))
    assert engine.requests[-1].grammar == choice_of([fact.answers["en"]])
    # The draft shows what it knows by heart.
    assert not engine.requests[-1].speculation.proposes_forced
    # The request says what was typed.
    assert "evrything" in engine.requests[-1].messages[-1]["content"]
    line = window.turn().view.findChild(StarterLine)
    window.wait(line.isVisible)
    assert labels_of(line) == [f"From Tandem's help: {fact.questions['en']}"]
    buttons_of(line)["Take me there."].click()
    assert window.settings.page("storage").isVisible()
    assert window.turn().view.findChild(Note).isHidden()
    # What is stored shows the same.
    number = window.session.chat.id
    window.trigger("new-chat")
    window.session.chats.open_id(number)
    window.wait(lambda: len(window.turns) == 1)
    assert labels_of(window.turn().view.findChild(StarterLine)) == [f"From Tandem's help: {fact.questions['en']}"]


def test_where_it_is_not_sure_the_two_nearest_questions_are_offered_and_asked_by_a_click(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    asked = "does it work ofline"
    said, *others = meant_by(asked).facts
    engine.scripts[:] = [Script(said.answers["en"]), Script(others[0].answers["en"])]
    window.ask_and_wait(asked)
    line = window.turn().view.findChild(StarterLine)
    window.wait(line.isVisible)
    assert labels_of(line) == [f"From Tandem's help: {said.questions['en']}", "Did you mean:"]
    other = others[0].questions["en"]
    assert [*buttons_of(line)][-2:] == [other, others[1].questions["en"]]
    buttons_of(line)[other].click()
    window.wait(lambda: len(window.turns) == 2 and window.session.answers.is_idle)
    assert window.session.chat.turns[-1].question == other
    assert labels_of(window.turn().view.findChild(StarterLine)) == [f"From Tandem's help: {other}"]


def test_no_larger_model_is_offered_for_a_question_about_tandem(
    starter_window: tuple[WindowDriver, ScriptedEngine],
) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script(read_content("en").offtopic.answer)]
    window.ask_and_wait("swich to germn or korean")
    line = window.turn().view.findChild(StarterLine)
    window.wait(line.isVisible)
    assert "Choose a larger one." not in buttons_of(line)
    assert "How do I change the language?" in buttons_of(line)


def test_what_the_help_does_not_know_is_answered_freely(starter_window: tuple[WindowDriver, ScriptedEngine]) -> None:
    window, engine = starter_window
    engine.scripts[:] = [Script("8 + 7 = 15")]
    window.ask_and_wait("8 plus 7")
    assert engine.requests[-1].grammar is None


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


@pytest.mark.full
@pytest.mark.parametrize(
    ("chosen", "main"),
    by_tier(
        product((0, 20, 5000), (path_of(MAIN), "starter/main")),
        [(0, path_of(MAIN)), (20, "starter/main"), (5000, "starter/main")],
    ),
)
def test_the_demonstration_ends_with_any_model_and_any_settings(open_shown: OpenShown, main: str, chosen: int) -> None:
    window, library, engine = open_shown(bare(), (main, None))
    engine.scripts[:] = [Script("one") for _ in range(5)]
    library.settings.change(max_tokens=chosen)
    window.wait(lambda: window.session.answers.ready)
    window.comparer.demonstrate("Count to a million.")
    window.wait(lambda: window.comparer.comparison.step is ComparisonStep.DONE)
    most = 300 if main == path_of(MAIN) else 400
    limits = [request.max_tokens for request in engine.requests[-5:]]
    assert limits == [1, *[min(chosen or most, most)] * 4]


@pytest.mark.parametrize(("language", "own"), [("ko", "ko"), ("ja", "ja"), ("zh_CN", "zh")])
def test_the_demonstration_asks_in_the_words_to_which_the_starter_has_a_long_answer(language: str, own: str) -> None:
    english, asked = (read_content(one).at_length.questions[0] for one in ("en", own))
    assert [forms(one) for _, one in messages(language) if one.findtext("source") == english] == [[asked]]


def test_the_status_of_a_call_that_is_written_follows_the_language(
    transcript: Transcript, qtbot: QtBot, qapp: Application
) -> None:
    clock = replace(tool("now"), called="clock_now", title="Current time")
    answer = Answer(State.WRITING, separator=AnswerParts(call_form("json_tools"), [clock.for_template()]))
    assert answer.separator is not None
    answer.separator.add('<tool_call>\n{"name": "clock_now", "arguments": {"zone": ')
    transcript.show_chat(Chat(1, "", [Turn("What time is it?", answer, tools=(clock,))]))

    def statuses() -> list[str]:
        return [label.text() for label in transcript.findChildren(QLabel) if "Current time" in label.text()]

    qtbot.waitUntil(lambda: statuses() == ["Calling Current time…"])
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: "Calling" not in statuses()[0])
