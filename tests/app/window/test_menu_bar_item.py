"""The icon in the menu bar, which is there only for those who want it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMenu

from app.settings_window import general_page
from tests.app.conftest import OpenWindow, Tray
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.window_driver import WindowDriver


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(ScriptedEngine([Script(STORY)]))


def rows_of(tray: Tray) -> dict[str, bool]:
    """The visible rows of the icon's menu, and whether they can be chosen."""
    assert tray.menu is not None
    tray.menu.aboutToShow.emit()
    return {row.text(): row.isEnabled() for row in tray.menu.actions() if row.isVisible() and not row.isSeparator()}


def choose(menu: QMenu | None, text: str) -> None:
    assert menu is not None
    next(row for row in menu.actions() if row.text() == text).trigger()


def test_the_icon_comes_and_goes_with_the_setting(window: WindowDriver, trays: list[Tray]) -> None:
    assert trays == []
    window.preferences.change(menu_bar=True)
    window.preferences.change(text_size=115)
    (tray,) = trays
    assert tray.visible
    window.preferences.change(menu_bar=False)
    assert not tray.visible
    window.preferences.change(menu_bar=True)
    assert len(trays) == 2


def test_its_menu_says_what_is_loaded_and_how_fast_it_answers(window: WindowDriver, trays: list[Tray]) -> None:
    window.preferences.change(menu_bar=True)
    (tray,) = trays
    loaded, *commands = rows_of(tray)
    assert loaded == "main + draft"
    assert commands == ["New chat", "Quick entry", "Unload models", "Quit Tandem"]
    window.ask_and_wait("A story")
    # Also in a menu that was open before.
    assert tray.menu is not None
    written = [row.text() for row in tray.menu.actions()]
    loaded, speed, *_ = rows_of(tray)
    assert speed in written
    assert speed.endswith(" tokens a second")
    assert not rows_of(tray)[loaded]


def test_its_menu_unloads_the_models(window: WindowDriver, trays: list[Tray]) -> None:
    window.preferences.change(menu_bar=True)
    (tray,) = trays
    choose(tray.menu, "Unload models")
    window.settle()
    rows = rows_of(tray)
    assert (rows["No model is loaded"], rows["Unload models"]) == (False, False)
    assert all(rows[text] for text in ("New chat", "Quick entry", "Quit Tandem"))


@pytest.mark.full
@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_its_menu_brings_a_minimised_window_to_a_new_chat(window: WindowDriver, trays: list[Tray]) -> None:
    window.ask_and_wait("A story")
    window.preferences.change(menu_bar=True)
    window.showMinimized()
    rows_of(trays[0])
    choose(trays[0].menu, "New chat")
    window.settle()
    assert not window.isMinimized()
    assert window.turns == []


@pytest.mark.full
@pytest.mark.parametrize("there", [True, False])
def test_a_system_without_a_place_for_it_has_no_setting_for_it(
    window: WindowDriver, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(general_page, "has_system_tray", lambda: there)
    page = window.settings_page("general")
    assert page.row_of("menu_bar").isHidden() != there
