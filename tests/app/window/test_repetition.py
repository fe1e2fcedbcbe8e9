"""An answer that repeats itself, by what a person sees: a pause, two ways out of it, and no praise."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from app.session.answer import State
from app.text.repetition import EMOJI, WORDS
from app.tools.tool import ToolResult
from app.window.chat_parts.answer_notice import Announcer
from tests.app.conftest import EACH_LANGUAGE, OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, Script, pieces
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver

# As many tokens as a full round, so that an answer always stops between two lines.
LINE = "\n The Golden Retreves."
LOOP = Script("Dogs" + LINE * 900, (FULL,))
SENTENCE = "This answer repeats itself."


def engine_of(*scripts: Script) -> ScriptedEngine:
    """Return an engine that a stop overtakes, also while other programs delay the window."""
    return ScriptedEngine(list(scripts), pace_s=0.003)


@pytest.fixture
def paused(open_window: OpenWindow) -> WindowDriver:
    """A window with an answer that repeats itself, and goes on so twice more, before one that does not."""
    window = open_window(engine_of(LOOP, Script(LINE * 900, (FULL,)), Script("That is all.")))
    window.ask_and_wait("Which dogs?")
    return window


def tokens_in(window: WindowDriver) -> int:
    return len(pieces(window.answer().text))


def go_on(window: WindowDriver) -> None:
    """Press Continue, and wait for the end of what follows."""
    requests = window.session.models.engine.requests
    count = len(requests)
    window.turn().press_note("Continue")
    window.wait(lambda: len(requests) > count)
    window.wait_until_answered()
    window.settle()


def test_an_answer_that_repeats_itself_is_paused_and_says_so(paused: WindowDriver) -> None:
    assert paused.turn().note_text == SENTENCE
    assert paused.turn().note_buttons == ["Stop", "Continue"]
    assert WORDS <= tokens_in(paused) < 2 * WORDS
    assert LOOP.text.startswith(paused.answer().text)
    assert paused.is_enabled("continue-answer")
    assert paused.edit.isEnabled()
    # Another question can be asked: nothing waits for a choice.
    paused.ask_and_wait("And cats?")
    assert len(paused.turns) == 2


def test_it_can_be_stopped_and_stays_so(paused: WindowDriver, open_window: OpenWindow) -> None:
    text = paused.answer().text
    paused.turn().press_note("Stop")
    assert (paused.turn().note_text, paused.answer().text) == ("", text)
    assert "Stopped." in paused.footer()
    paused.settle()
    paused.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.turns))
    assert (window.turn().note_text, window.answer().text) == ("", text)
    assert "Stopped." in window.footer()
    assert window.is_enabled("continue-answer")


@pytest.mark.full
def test_it_goes_on_until_it_has_repeated_itself_as_often_again(paused: WindowDriver) -> None:
    first, text = tokens_in(paused), paused.answer().text
    go_on(paused)
    assert paused.answer().text.startswith(text)
    assert 2 * first - 5 <= tokens_in(paused) <= 2.7 * first
    assert paused.turn().note_text == SENTENCE
    go_on(paused)
    assert paused.answer().text.endswith("That is all.")
    assert (paused.turn().note_text, paused.answer().state) == ("", State.DONE)


@pytest.mark.full
def test_a_paused_answer_is_still_paused_after_a_restart_and_goes_on(
    paused: WindowDriver, open_window: OpenWindow
) -> None:
    text, count = paused.answer().text, tokens_in(paused)
    paused.close()
    window = open_window(engine_of(Script(LINE * 900, (FULL,))))
    window.wait(lambda: bool(window.turns))
    assert (window.turn().note_text, window.answer().text) == (SENTENCE, text)
    assert window.turn().note_buttons == ["Stop", "Continue"]
    go_on(window)
    assert window.answer().text.startswith(text)
    assert 2 * count - 5 <= tokens_in(window) <= 2.7 * count


def test_nothing_praises_it_and_no_sum_counts_it(start_chat: StartChat) -> None:
    window = start_chat(
        engine_of(
            Script(
                "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.",
                (FULL,),
            ),
            LOOP,
        )
    )
    window.ask_and_wait("Count")
    window.wait(lambda: "× as fast" in window.panel_text)
    before = window.in_store(lambda store: (store.history.totals(), store.history.by_pair()))
    window.ask_and_wait("Which dogs?")
    # The note below the answer says that it repeats itself.
    assert "This answer repeats itself" not in window.panel_text
    assert "tokens a second" in window.panel_text
    assert window.panel.outcome.property("styleClass") == "big"
    assert "as fast" not in window.panel_text
    assert "instead of" not in window.panel_text
    window.turn().hover()
    assert "as fast" not in window.turn().origin
    assert "a round" not in window.turn().origin
    assert window.in_store(lambda store: (store.history.totals(), store.history.by_pair())) == before
    page = window.settings_page("history")
    window.settle()
    texts = [page.table.index(0, column).data() for column in range(page.table.columnCount())]
    assert "repeats itself" in texts
    window.turn().press_note("Stop")
    window.settle()
    assert window.in_store(lambda store: (store.history.totals(), store.history.by_pair())) == before


@pytest.mark.full
def test_what_the_person_stops_in_a_loop_asks_nothing_and_counts_in_no_sum(start_chat: StartChat) -> None:
    window = start_chat(engine_of(LOOP, Script(LINE * 900, (FULL,))))
    window.ask_and_wait("Which dogs?")
    window.turn().press_note("Continue")
    window.wait(lambda: window.answer().state is State.WRITING and len(window.answer().text) > 40)
    window.trigger("stop")
    window.wait_until_answered()
    window.settle()
    assert window.turn().note_text == ""
    assert "Stopped." in window.footer()
    assert "as fast" not in window.panel_text
    assert window.in_store(lambda store: store.history.totals()).answers == 0


def test_a_requested_repetition_that_ends_is_complete(start_chat: StartChat) -> None:
    hello = "hello " * (WORDS - 30)
    window = start_chat(engine_of(Script(hello + "Done.", (FULL,))))
    window.ask_and_wait("Write hello often")
    assert (window.answer().state, window.turn().note_text) == (State.DONE, "")
    window.wait(lambda: "as fast" in window.panel_text)


def test_thoughts_that_repeat_themselves_are_paused(start_chat: StartChat) -> None:
    window = start_chat(engine_of(Script("<think>\n" + "Wait, let me check that again. " * 900, (FULL,))))
    window.ask_and_wait("What is 2 + 2?")
    assert window.turn().note_text == SENTENCE
    assert window.turn().note_buttons == ["Stop", "Continue"]


def test_a_call_that_repeats_itself_is_not_run(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)
    host = FakeHost()
    host.offered, host.results = [tool("now")], {"now": ToolResult("12:00")}
    host.install(monkeypatch)
    endless = call_text("clock_now", zone="X").split("X")[0] + "All work and no play. " * 2000
    engine = ScriptedEngine([Script(endless, (FULL,))], pace_s=0.001, tool_format="json_tools")
    window = open_window(engine)
    set_up(window.session, "clock")
    window.ask_and_wait("What time is it?")
    assert window.turn().note_text == SENTENCE
    # There is no text that could go on.
    assert window.turn().note_buttons == ["Stop", "Try again"]
    assert window.answer().calls == []
    assert window.answer().stats.generated_tokens > EMOJI


def test_the_keyboard_reaches_both_buttons_and_the_focus_goes_back_to_the_message_box(paused: WindowDriver) -> None:
    stop, go_on = (
        next(one for one in paused.turn().note.findChildren(QPushButton) if one.text() == text)
        for text in ("Stop", "Continue")
    )
    paused.activateWindow()
    paused.wait(paused.isActiveWindow)
    stop.setFocus()
    QTest.keyClick(stop, Qt.Key.Key_Tab)
    assert go_on.hasFocus()
    stop.setFocus()
    QTest.keyClick(stop, Qt.Key.Key_Space)
    assert paused.turn().note_text == ""
    assert QApplication.focusWidget() is paused.edit


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_the_pause_is_said_in_every_language(paused: WindowDriver, code: str) -> None:
    paused.window.application.language.choose(code)
    QApplication.processEvents()
    turn = paused.session.chat.turns[-1]
    said = paused.find(Announcer).words(paused.session.chat, turn)
    assert said
    for text in (paused.turn().note_text, *paused.turn().note_buttons, said):
        assert text.isascii() == (code == "en"), text
