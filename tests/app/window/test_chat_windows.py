"""A chat in a window of its own: what it shows and does beside the main window."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QRect, Qt, QUrl
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.session.answer import State
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from app.widgets.application import Application
from app.window.chat_windows import ChatWindow
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import TurnDriver

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise")


class _Beside(WindowDriver):
    """Drives the window of a chat as `WindowDriver` drives the main window."""

    @property
    def turns(self) -> list[tuple[str, str]]:
        """The questions and answers that the window shows."""
        return [(turn.question, self.turn(index).text) for index, turn in enumerate(self.window.chat.turns)]

    def turn(self, index: int = -1) -> TurnDriver:
        return TurnDriver(self.transcript.view(self.window.chat.turns[index]))

    def shows(self, *turns: tuple[str, str]) -> None:
        """Wait until it shows these questions and answers."""
        self.wait(lambda: [turn.question for turn in self.window.chat.turns] == [turn[0] for turn in turns])
        self.wait(lambda: all(self.transcript.view(turn) is not None for turn in self.window.chat.turns))
        self.wait(lambda: self.turns == list(turns))


def chat_windows() -> list[ChatWindow]:
    """Return the windows of chats that are on screen."""
    windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, ChatWindow)]
    return [window for window in windows if window.isVisible()]


def opened(window: WindowDriver) -> _Beside:
    """Open the chat on screen in a window of its own, by the menu."""
    before = chat_windows()
    window.trigger("chat-window")
    window.wait(lambda: len(chat_windows()) > len(before))
    new = next(shown for shown in chat_windows() if shown not in before)
    return _Beside(new, window.session, window.wait)  # type: ignore[arg-type]


def reopened(window: WindowDriver, open_window: OpenWindow) -> tuple[WindowDriver, list[ChatWindow]]:
    """Close the program and open it again. Return its window, and those of chats once all chats are shown."""
    window.close()
    assert chat_windows() == []
    again = open_window(ScriptedEngine())
    again.settle()
    return again, chat_windows()


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script("One."), Script("Two."), Script("Three.")]))
    window.ask_and_wait("first")
    return window


@pytest.mark.first
def test_a_chat_in_its_own_window_is_asked_there_while_another_is_on_screen(window: WindowDriver) -> None:
    assert window.is_enabled("chat-window")
    beside = opened(window)
    beside.shows(("first", "One."))
    assert beside.windowTitle() == "first"
    assert beside.edit.hasFocus() or not beside.isActiveWindow()
    window.trigger("new-chat")
    assert not window.is_enabled("chat-window")
    beside.ask("second")
    beside.shows(("first", "One."), ("second", "Two."))
    window.settle()
    assert (window.turns, window.titles) == ([], ["first"])
    window.open_chat("first")
    assert window.turns == [("first", "One."), ("second", "Two.")]
    assert window.shown_text() == "Two."


def test_a_line_below_the_chat_says_what_drafts_gained_in_its_newest_answer(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY), Script("Two.")]))
    window.ask_and_wait("first")
    beside = opened(window)
    line = beside.window.figures
    assert "as fast" in line.line.text() or "drafts accepted" in line.line.text()
    assert line.isVisible()
    beside.ask("second")
    window.wait(lambda: [turn.answer.text for turn in window.session.chat.turns] == [STORY, "Two."])
    window.wait(lambda: "drafts accepted" not in line.line.text())


def test_both_windows_show_the_same_answer_while_it_streams_and_each_stops_it(open_window: OpenWindow) -> None:
    gate = threading.Semaphore(5)
    engine = ScriptedEngine([Script(STORY), Script("Two.")], gate=gate)
    window = open_window(engine)
    window.ask("first")
    window.wait(lambda: window.shown_text() != "")
    window.wait(lambda: window.is_enabled("chat-window"))
    beside = opened(window)
    window.wait(lambda: beside.transcript.view(window.session.chat.turns[0]) is not None)
    window.wait(lambda: beside.shown_text() == window.shown_text())
    beside.press_send()
    gate.release(1)
    window.wait(lambda: window.answer().state is State.CANCELLED)
    assert beside.shown_text() == window.shown_text() != STORY
    window.settle()
    gate.release(1000)
    beside.trigger("ask-again")
    beside.shows(("first", "Two."))
    assert window.turns == [("first", "Two.")]


@pytest.mark.full
def test_an_edited_question_and_a_further_version_are_in_both(window: WindowDriver) -> None:
    beside = opened(window)
    beside.shows(("first", "One."))
    beside.trigger("edit-last")
    editor = beside.turn().editor
    editor.edit.setPlainText("changed")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    beside.shows(("changed", "Two."))
    window.wait(lambda: window.turns == [("changed", "Two.")])
    window.settle()
    beside.trigger("ask-again")
    beside.shows(("changed", "Three."))
    window.settle()
    beside.turn().press("previous")
    beside.shows(("changed", "Two."))
    assert window.turns == [("changed", "Two.")]


@pytest.mark.full
def test_what_is_written_in_one_window_is_the_unsent_message_of_both(window: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("note")
    beside = opened(window)
    window.type("half")
    assert beside.unsent == "half"
    beside.type(" a message")
    assert window.unsent == "half a message"
    beside.paste(tmp_path / "notes.txt")
    window.wait(lambda: window.attached == beside.attached == ["notes.txt"])
    beside.send()
    beside.shows(("first", "One."), ("half a message", "Two."))
    for driver in (window, beside):
        assert (driver.unsent, driver.attached) == ("", [])
    # It is kept with the chat after the window is closed.
    window.trigger("new-chat")
    beside.type("later")
    beside.close()
    window.settle()
    window.open_chat("first")
    assert window.unsent == "later"


def test_closing_it_leaves_the_answer_going_on_and_the_main_window_open(open_window: OpenWindow) -> None:
    gate = threading.Semaphore(0)
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")], gate=gate))
    gate.release(1000)
    window.ask_and_wait("first")
    while gate.acquire(blocking=False):
        pass
    beside = opened(window)
    window.trigger("new-chat")
    beside.ask("second")
    window.wait(lambda: bool(window.session.answers.chat_ids))
    beside.trigger("close-window")
    assert chat_windows() == []
    assert window.isVisible()
    gate.release(1000)
    window.wait(lambda: not window.session.answers.chat_ids)
    window.settle()
    window.open_chat("first")
    assert window.turns == [("first", "One."), ("second", "Two.")]
    # The closed window is used again.
    again = opened(window)
    again.shows(("first", "One."), ("second", "Two."))


@pytest.mark.parametrize("state", [Qt.WindowState.WindowFullScreen, Qt.WindowState.WindowMaximized])
def test_a_chat_does_not_open_in_the_state_of_the_window_that_was_closed(
    window: WindowDriver, state: Qt.WindowState
) -> None:
    beside = opened(window)
    usual = beside.geometry()
    beside.window.setWindowState(state)
    beside.close()
    again = opened(window)
    assert (again.windowState(), again.geometry()) == (Qt.WindowState.WindowNoState, usual)


def test_a_chat_has_one_window_which_follows_its_title_and_closes_with_it(window: WindowDriver) -> None:
    beside = opened(window)
    window.trigger("new-chat")
    window.ask_and_wait("other")
    other = opened(window)
    assert other.windowTitle() == "other"
    beside.showMinimized()
    window.sidebar.choose("first", "Open in new window")
    assert not beside.isMinimized()
    assert len(chat_windows()) == 2
    window.sidebar.rename("first", "Renamed")
    window.wait(lambda: beside.windowTitle() == "Renamed")
    window.open_chat("Renamed")
    window.trigger("delete-chat")
    window.wait(lambda: window.titles == ["other"])
    assert [shown.windowTitle() for shown in chat_windows()] == ["other"]
    window.close()
    assert chat_windows() == []


def test_a_chat_with_a_window_stays_the_same_however_many_are_opened(
    window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.session.chat_service.CHATS_IN_MEMORY", 1)
    beside = opened(window)
    for question in ("other", "third"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    window.open_chat("first")
    window.ask("fourth")
    window.wait_until_answered()
    beside.shows(("first", "One."), ("fourth", window.answer().text))


def test_it_searches_its_own_chat(window: WindowDriver) -> None:
    beside = opened(window)
    beside.shows(("first", "One."))
    window.trigger("new-chat")
    beside.find_in_chat("ne")
    assert beside.found_text == "1 of 1"
    assert beside.turn().highlighted == ["ne"]
    QTest.keyClick(beside.find_bar.edit, Qt.Key.Key_Escape)
    assert beside.find_bar.isHidden()


def test_what_it_cannot_do_is_not_there_and_language_and_settings_reach_it(
    window: WindowDriver, qapp: Application
) -> None:
    beside = opened(window)
    beside.shows(("first", "One."))
    beside.trigger("ask-again")
    beside.shows(("first", "Two."))
    window.settle()
    for driver, has in ((window, True), (beside, False)):
        entries = [action.text() for action in driver.turn().menu().actions()]
        assert [text in entries for text in ("Branch from here", "Side by side")] == [has, has]
        assert "Regenerate" in entries
    names = {action.objectName() for action in beside.window.findChildren(QAction)}
    assert names.isdisjoint({"new-chat", "toggle-sidebar", "compare", "delete-chat", "chat-window"})
    qapp.language.choose("ja")
    window.wait(lambda: beside.edit.placeholderText() == window.edit.placeholderText() != "Message")
    window.preferences.change(send_key="modifier")
    beside.type("one")
    assert beside.key_hint == window.key_hint != "\N{NO-BREAK SPACE}"


def test_all_its_commands_act_on_it(window: WindowDriver) -> None:
    beside = opened(window)
    beside.shows(("first", "One."))
    window.trigger("new-chat")
    last = "close-window"
    # A dialog of the system, and what would end the test.
    left = {"print-chat", "quit", last}
    with beside.file_dialog(None):
        for action in beside.window.findChildren(QAction):
            if action.objectName() and action.objectName() not in left and action.isEnabled():
                action.trigger()
                window.settle()
    assert window.turns == []
    assert window.edit.toPlainText() == ""
    beside.trigger(last)
    assert chat_windows() == []
    assert window.isVisible()


def test_a_restart_opens_the_windows_that_were_open_again_at_their_places(
    window: WindowDriver, open_window: OpenWindow
) -> None:
    beside = opened(window)
    window.trigger("new-chat")
    window.ask_and_wait("other")
    closed = opened(window)
    beside.window.setGeometry(QRect(60, 70, 500, 400))
    closed.close()
    assert window.turns == [("other", "Two.")]
    window, windows = reopened(window, open_window)
    assert [(shown.windowTitle(), shown.geometry()) for shown in windows] == [("first", QRect(60, 70, 500, 400))]
    assert (window.turns, windows[0].chat.turns[0].answer.text) == ([("other", "Two.")], "One.")
    # After the window is closed, nor does the next run open it.
    windows[0].close()
    window, windows = reopened(window, open_window)
    assert windows == []


def test_a_window_is_kept_at_once_and_a_damaged_place_or_a_chat_that_is_gone_hinders_none(
    window: WindowDriver, open_window: OpenWindow
) -> None:
    opened(window)
    kept = window.preferences.values.chat_windows
    assert len(kept) == 1
    uid = kept[0].split(" ")[0]
    window.close()
    settings = SettingsStore(settings_folder() / "settings.json")
    settings.change(chat_windows=("no-such-chat AAAA", f"{uid} damage", "damage"))
    window = open_window(ScriptedEngine())
    window.settle()
    assert [shown.windowTitle() for shown in chat_windows()] == ["first"]
    assert [place.split(" ")[0] for place in window.preferences.values.chat_windows] == [uid]


def test_it_opens_where_one_stopped_reading_and_the_main_window_with_its_own_chat(
    open_window: OpenWindow,
) -> None:
    long = "\n\n".join(f"Paragraph {number}." for number in range(80))
    window = open_window(ScriptedEngine([Script(long), Script("Two.")]))
    window.ask_and_wait("first")
    window.trigger("new-chat")
    window.ask_and_wait("other")
    window.sidebar.choose("first", "Open in new window")
    window.wait(lambda: bool(chat_windows()))
    shown = chat_windows()[0]
    bar = shown.parts.transcript.verticalScrollBar()
    window.wait(lambda: bar.value() == bar.maximum() > 300)
    bar.setValue(200)
    window, windows = reopened(window, open_window)
    assert window.turns == [("other", "Two.")]
    bar = windows[0].parts.transcript.verticalScrollBar()
    window.wait(lambda: bar.value() == 200)


def test_files_and_pictures_that_are_dropped_on_it_are_attached_there(window: WindowDriver, tmp_path: Path) -> None:
    beside = opened(window)
    window.trigger("new-chat")
    (tmp_path / "notes.txt").write_text("note")
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    assert beside.drop(beside.transcript.geometry().center(), files)
    window.wait(lambda: beside.attached == ["notes.txt"])
    assert window.attached == []


def test_its_answer_can_be_copied(window: WindowDriver) -> None:
    beside = opened(window)
    beside.shows(("first", "One."))
    window.trigger("new-chat")
    beside.trigger("copy-answer")
    assert QApplication.clipboard().text() == "One."
