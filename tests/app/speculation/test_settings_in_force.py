"""The settings of speculation in the live panel: their values, whom they are for, and where they change."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.speculation.settings_in_force import SettingsInForce
from tests.app.conftest import OpenShown
from tests.app.window_driver import WindowDriver


def _shown(window: WindowDriver) -> tuple[str, str]:
    view = window.panel.findChild(SettingsInForce)
    return view.scope.text(), view.values["depth"].text()


def test_the_panel_says_whether_its_depth_is_for_the_chat_the_pair_or_all(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, engine = open_shown()
    qtbot.waitUntil(lambda: window.session.answers.ready)
    assert _shown(window) == ("Settings of all chats", "Automatic")
    library.settings.change(depth=6)
    assert _shown(window) == ("Settings of all chats", "6")
    window.settings.open("speculation")
    window.settings.page("speculation").own.click()
    shown = window.settings.page("speculation").pairs[0].form
    shown.chosen.emit(replace(window.session.settings.speculation, depth=5))
    assert _shown(window) == ("Settings of this model pair", "5")
    chat = window.session.chat
    window.session.settings.set_own(chat, "", {"depth": 3})
    assert _shown(window) == ("Settings of this chat", "3")
    window.ask("question")
    qtbot.waitUntil(lambda: bool(engine.requests))
    assert engine.requests[-1].speculation.depth == 3
    # What the panel says belongs to the chat on screen.
    qtbot.waitUntil(lambda: window.session.answers.ready)
    window.trigger("new-chat")
    assert _shown(window) == ("Settings of this model pair", "5")


def test_the_button_leads_to_where_the_settings_in_force_change(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, _, _ = open_shown()
    qtbot.waitUntil(lambda: window.session.answers.ready)
    window.panel.details.set_open(True)
    view = window.panel.findChild(SettingsInForce)
    view.change.click()
    assert window.settings.isVisible()
    assert window.settings.page("speculation").isVisible()
    window.settings.close()
    window.session.settings.set_own(window.session.chat, "", {"acceptance": "rejection"})
    view.change.click()
    assert window.chat_settings.isVisible()
    assert not window.settings.isVisible()
