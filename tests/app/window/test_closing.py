"""On macOS the red button closes the window and nothing else; quitting ends the session, whoever wishes it."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenuBar, QWidget
from pytestqt.qtbot import QtBot

from app.system.paths import data_folder
from app.widgets.application import Application
from app.window.chat_windows import ChatWindow
from app.window.quick_entry import QuickEntry
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.system.cocoa import Cocoa
from tests.app.window_driver import WindowDriver

pytestmark = [pytest.mark.usefixtures("cocoa"), pytest.mark.qt_log_ignore("This plugin does not support raise")]


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("one two three " * 20), Script("Two.")], pace_s=0.01)


@pytest.fixture
def window(engine: ScriptedEngine, open_window: OpenWindow) -> WindowDriver:
    return open_window(engine)


def click_in_dock(qapp: Application) -> None:
    """Emit what Qt emits for applicationShouldHandleReopen, also when the program is active."""
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)


def shown_windows() -> list[QWidget]:
    return [shown for shown in QApplication.topLevelWidgets() if shown.isVisible()]


def entry_named(name: str, menu_bar: QMenuBar) -> QAction:
    """Return the entry of the menu "Window" with this text."""
    menu = next(title.menu() for title in menu_bar.actions() if title.text() == "Window")
    return next(entry for entry in menu.actions() if entry.text() == name)


def open_beside(window: WindowDriver, qtbot: QtBot) -> ChatWindow:
    """Open the chat on screen in a window of its own."""
    window.trigger("chat-window")

    def found() -> list[ChatWindow]:
        return [shown for shown in shown_windows() if isinstance(shown, ChatWindow)]

    qtbot.waitUntil(lambda: bool(found()))
    return found()[0]


def wishes_to_quit(qapp: Application) -> bool:
    """Send what Qt sends when the person logs out or chooses Quit in the Dock. Returns whether the program ends."""
    wish = QEvent(QEvent.Type.Quit)
    # Qt's own part would end every event loop of the tests.
    with patch.object(QApplication, "event", lambda _application, _event: True):
        QCoreApplication.sendEvent(qapp, wish)
    return wish.isAccepted()


def test_an_answer_goes_on_and_the_dock_shows_the_window_again(
    window: WindowDriver, qapp: Application, cocoa: Cocoa
) -> None:
    window.ask("count")
    window.write("next")
    window.close()
    assert window.isHidden()
    window.wait(lambda: window.session.answers.is_idle)
    click_in_dock(qapp)
    assert window.isVisible()
    assert (window.unsent, window.turns) == ("next", [("count", "one two three " * 20)])
    window.ask_and_wait("again")
    assert window.turns[-1] == ("again", "Two.")
    assert cocoa.closed == 0
    # Or else it would leave its Space behind, black.
    window.showFullScreen()
    window.close()
    assert (window.isHidden(), cocoa.closed, cocoa.leaks) == (True, 1, False)


def test_no_window_that_can_be_in_full_screen_leaves_its_space_behind(
    window: WindowDriver, cocoa: Cocoa, qtbot: QtBot
) -> None:
    window.ask_and_wait("count")
    beside = open_beside(window, qtbot)
    window.settings.open()
    # macOS gives no other kind of window the button of full screen.
    windows = window.settings, beside, window.window
    assert {shown for shown in shown_windows() if shown.windowType() == Qt.WindowType.Window} == {*windows}
    for number, shown in enumerate(windows):
        shown.showFullScreen()
        shown.close()
        assert (shown.isHidden(), cocoa.closed) == (True, number + 1)
    assert not cocoa.leaks


def test_settings_that_activate_the_program_bring_no_closed_window_back(
    window: WindowDriver, qapp: Application
) -> None:
    window.close()
    window.trigger("settings")
    # macOS activates the program for its settings, as at Cmd+, while another one is in front.
    click_in_dock(qapp)
    assert window.isHidden()
    settings = next(shown for shown in QApplication.topLevelWidgets() if shown.isVisible())
    settings.close()
    window.trigger("quick-entry")
    click_in_dock(qapp)
    assert window.isVisible()


def test_the_window_menus_lead_to_the_closed_window_and_the_dock_only_to_those_that_are_open(
    window: WindowDriver, qapp: Application, qtbot: QtBot
) -> None:
    window.ask_and_wait("count")
    beside = open_beside(window, qtbot)
    for menu_bar in (window.menuBar(), beside.menuBar()):
        entry = entry_named("Tandem", menu_bar)
        window.close()
        beside.activateWindow()
        # A change from another program to this one looks the same to Qt.
        click_in_dock(qapp)
        assert window.isHidden()
        entry.trigger()
        assert window.isVisible()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window.window)


def test_what_acts_in_a_closed_window_shows_it(window: WindowDriver) -> None:
    acts: list[tuple[Callable[[], object], bool]] = [
        (lambda: window.trigger("close-window"), False),
        (lambda: window.trigger("settings"), False),
        (lambda: window.trigger("quick-entry"), False),
        (lambda: window.trigger("new-chat"), True),
        (lambda: window.trigger("palette"), True),
        (window.come_to_front, True),
        (lambda: window.find(QuickEntry).submitted.emit("quick"), False),
    ]
    for act, shown in acts:
        window.close()
        act()
        assert window.isVisible() == shown


@pytest.mark.parametrize("closed_before", [False, True])
def test_quitting_ends_the_session(
    window: WindowDriver, engine: ScriptedEngine, qapp: Application, closed_before: bool
) -> None:
    window.ask("count")
    if closed_before:
        window.close()
    assert wishes_to_quit(qapp)
    assert (window.isHidden(), engine.closed) == (True, True)
    # It is not shown again while the program ends, and a second start waits for that.
    click_in_dock(qapp)
    assert window.isHidden()
    assert not window.come_to_front()
    assert wishes_to_quit(qapp)


def test_the_system_cannot_quit_before_the_person_gives_up_what_is_not_saved(
    engine: ScriptedEngine, open_window: OpenWindow, qapp: Application
) -> None:
    # No folder can be made where there is a file.
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_text("")
    window = open_window(engine)
    window.ask_and_wait("count")
    window.close()
    assert (window.isHidden(), window.question) == (True, None)
    assert not wishes_to_quit(qapp)
    assert window.isVisible()
    window.answer_question("Cancel")
    window.close()
    assert (window.isHidden(), engine.closed) == (True, False)
    window.trigger("quit")
    window.answer_question("Quit")
    assert (window.isHidden(), engine.closed) == (True, True)
