"""The Tab key reaches every control in reading order, each shows the focus, and an open card keeps it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.settings.declarations import PAGES
from app.widgets.application import Application
from app.widgets.keyboard_focus import PassedArea, stops
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.tab_walk import Stop, walk
from tests.app.window_driver import WindowDriver

ANSWER = "A paragraph.\n\n```python\nx = 1\n```\n\nAnother one."


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script(ANSWER)]))
    window.resize(1440, 900)
    window.ask_and_wait("question")
    return window


def invisible(stops: list[Stop]) -> list[str]:
    return [stop.name for stop in stops if not stop.shows]


def names(stops: list[Stop]) -> list[str]:
    return [stop.name.partition("“")[2].rstrip("”") for stop in stops]


def from_first(found: list[str], first: str) -> list[str]:
    """Return the cyclic order, begun at another stop."""
    start = found.index(first)
    return found[start:] + found[:start]


@pytest.mark.parametrize("mode", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_every_stop_of_the_window_shows_the_focus_and_tab_stays_in_an_open_card(
    window: WindowDriver, qapp: Application, mode: str
) -> None:
    qapp.theme.set_mode(mode)
    stops = walk(window.window)
    assert invisible(stops) == []
    found = from_first(names(stops), "New chat")
    wanted = [
        "New chat", "Search chats", "Archive and trash", "Chats", "Settings", "Width of the chat list",
        "Hide chat list", "Main model: Starter",
        "Tint drafted tokens only while an answer is written", "Hide live panel",
        "Chat", "Edit the message", "Copy this code", "Code", "Copy the answer as Markdown", "More actions",
        "Message", "Attach files…", "Chat settings: Defaults",
        "Speculate only when it is faster", "Rounds", "Compare", "Details", "Width of the live panel",
    ]  # fmt: skip
    assert [name for name in found if name in wanted] == wanted
    # Nothing of the panel comes between the message and the panel's first control.
    assert found[found.index("Chat settings: Defaults") + 1] == "Speculate only when it is faster"
    assert found[-1] == "Width of the live panel"
    # Shift and Tab go the same way back.
    back = names(walk(window.window, backwards=True))
    assert from_first(back[::-1], "New chat") == found
    window.trigger("chat-settings")
    stops = walk(window.window)
    assert invisible(stops) == []
    assert len(stops) > 10
    assert all(window.chat_settings.isAncestorOf(stop.widget) for stop in stops)


def test_page_keys_scroll_the_panel_while_any_of_its_controls_has_the_focus(window: WindowDriver) -> None:
    window.resize(1440, 300)
    window.settle()
    area = window.panel.findChild(PassedArea)
    bar = area.verticalScrollBar()
    assert bar.maximum() > 0
    controls = stops(area)
    assert len(controls) > 2
    for control in controls:
        control.setFocus()
        bar.setValue(0)
        QTest.keyClick(control, Qt.Key.Key_PageDown)
        assert bar.value() > 0, control
        QTest.keyClick(control, Qt.Key.Key_PageUp)
        assert bar.value() == 0, control


@pytest.mark.parametrize(
    "pages", [[*PAGES][:2], pytest.param([*PAGES][2:], marks=pytest.mark.full)], ids=["first", "other"]
)
def test_every_stop_of_the_settings_shows_the_focus_and_comes_as_it_reads(
    window: WindowDriver, pages: Sequence[str]
) -> None:
    problems = {}
    for page in pages:
        window.settings.open(page)
        window.settle()
        stops = walk(window.settings)
        problems[page] = invisible(stops)
        assert from_first(names(stops), "Search in the settings")[1] == "Pages of the settings"
    assert {page: found for page, found in problems.items() if found} == {}
    window.settings.close()


@pytest.mark.full
def test_a_question_is_asked_and_its_answer_copied_without_a_mouse(window: WindowDriver) -> None:
    """Tab, Enter and Space reach what a mouse does: a new chat, a question, the buttons of its answer, the panel."""
    window.activateWindow()
    for wanted, keys in (
        ("New chat", [Qt.Key.Key_Space]),
        ("Message", ["Why?", Qt.Key.Key_Return]),
        ("Copy the answer as Markdown", [Qt.Key.Key_Space]),
        ("Hide live panel", [Qt.Key.Key_Space]),
    ):
        _tab_to(wanted)
        for key in keys:
            focus = QApplication.focusWidget()
            QTest.keyClicks(focus, key) if isinstance(key, str) else QTest.keyClick(focus, key)
        window.settle()
    assert window.session.chat.turns[-1].question == "Why?"
    assert QApplication.clipboard().text() == window.answer().text
    assert not window.panel.isVisible()


def _tab_to(name: str) -> None:
    for _ in range(60):
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus.accessibleName() == name or getattr(focus, "text", str)() == name:
            return
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    raise AssertionError(f"Tab never comes to {name}")
