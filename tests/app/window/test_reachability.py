"""In the smallest window with the largest text, everything can be scrolled to, seen and clicked, in every language."""

from __future__ import annotations

from contextlib import suppress

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.settings.declarations import PAGES
from app.widgets.application import Application
from app.window.actions import ACTIONS
from tests.app.conftest import EACH_LANGUAGE, OpenShown, OpenWindow
from tests.app.reach import controls, unreachable
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shown_library import bare
from tests.app.window_driver import WindowDriver

ANSWER = "A paragraph.\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAnother one with a [link](https://a.org)."


@pytest.fixture(params=EACH_LANGUAGE)
def window(request: pytest.FixtureRequest, open_window: OpenWindow, qapp: Application) -> WindowDriver:
    qapp.language.choose(request.param)
    qapp.theme.set_text_size(130)
    window = open_window(ScriptedEngine([Script(ANSWER), Script("read"), Script(ANSWER), Script(ANSWER)]))
    window.ask_and_wait("question")
    window.resize(560, 420)
    return window


def test_every_control_and_every_action_can_be_reached(window: WindowDriver) -> None:
    found: dict[str, tuple[int, list[str]]] = {}

    def look(name: str, shown: QWidget) -> None:
        def is_settled() -> bool:
            found[name] = (len(controls(shown)), unreachable(shown))
            return found[name][0] > 0 and not found[name][1]

        # Rows and their layouts follow in the event loop; what stays unreachable is told below.
        with suppress(QtBot.TimeoutError):
            window.wait(is_settled)

    look("chat", window.window)
    for pane, widget in (("sidebar", window.sidebar.pane), ("panel", window.panel)):
        window.trigger(f"toggle-{pane}")
        look(pane, widget)
        window.trigger(f"toggle-{pane}")
    window.trigger("find-in-chat")
    look("find", window.find_bar)
    for action, card in (
        ("palette", window.palette.palette),
        ("chat-settings", window.chat_settings),
        ("choose-main", window.picker("main").picker),
        ("choose-draft", window.picker("draft").picker),
        ("compare", window.comparison),
    ):
        window.trigger(action)
        window.settle()
        look(action, card)
        card.close_overlay()
    window.trigger("palette")
    QApplication.processEvents()
    rows = window.palette.list
    possible = [spec for specs in ACTIONS.values() for spec in specs if window.is_enabled(spec.id)]
    # The palette itself by both names and the six that edit the text with the focus have their keys and the menu, the
    # request history has the row of its page, and the main window is that of the palette. The chat has a row, too.
    assert rows.count() == len(possible) - 10 + len(PAGES) + 1
    for number in range(rows.count()):
        rows.scrollToItem(rows.item(number))
        assert rows.viewport().rect().contains(rows.visualItemRect(rows.item(number)))
    window.palette.palette.close_overlay()
    window.settings.resize(window.settings.minimumSize())
    for page in PAGES:
        window.settings.open(page)
        window.settle()
        look(f"settings {page}", window.settings)
    assert {name: problems for name, (_, problems) in found.items() if problems} == {}
    assert sum(count for count, _ in found.values()) > 100


def test_the_offer_of_a_first_pair_can_be_reached(open_shown: OpenShown, qapp: Application) -> None:
    qapp.theme.set_text_size(130)
    window, _, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    window.resize(560, 420)
    window.offer.refresh()
    assert len(controls(window.offer)) >= 3
    assert unreachable(window.offer) == []
