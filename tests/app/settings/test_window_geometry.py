"""The first window fits the screen; later windows have the size, position and state of the last run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.settings.declarations import SettingsValues
from app.settings.window_geometry import geometry_of, restore_geometry, state_of


class SmallScreen:
    """A laptop's screen without the menu bar and the Dock."""

    def __init__(self, width: int, height: int) -> None:
        self.free = QRect(0, 25, width, height)

    def availableGeometry(self) -> QRect:
        return self.free


@pytest.fixture
def make(qtbot: QtBot) -> Callable[[], QWidget]:
    def make() -> QWidget:
        window = QWidget()
        qtbot.addWidget(window)
        window.setMinimumSize(560, 420)
        return window

    return make


@pytest.mark.parametrize(("width", "height"), [(1440, 806), (1280, 680), (1024, 640), (2560, 1400)])
def test_the_first_window_fits_the_screen_with_its_title_bar(
    make: Callable[[], QWidget], monkeypatch: pytest.MonkeyPatch, width: int, height: int
) -> None:
    screen = SmallScreen(width, height)
    monkeypatch.setattr(QGuiApplication, "primaryScreen", lambda: screen)
    window = make()
    restore_geometry(window, SettingsValues())
    assert screen.free.contains(window.geometry().adjusted(0, -28, 0, 0))
    assert (window.width(), window.height()) == (min(1440, width), min(900, height - 32))
    assert abs(window.geometry().center().x() - screen.free.center().x()) <= 1


@pytest.mark.parametrize(("state", "show"), [("maximized", "showMaximized"), ("full-screen", "showFullScreen")])
def test_a_large_window_comes_back_large_and_then_as_it_was_before(
    make: Callable[[], QWidget], state: str, show: str
) -> None:
    window = make()
    window.setGeometry(30, 40, 700, 500)
    window.show()
    getattr(window, show)()
    values = replace(SettingsValues(), window_place=geometry_of(window), window_state=state_of(window))
    assert values.window_state == state
    assert values.window_place == (30, 40, 700, 500)
    again = make()
    restore_geometry(again, values)
    again.show()
    assert state_of(again) == state
    # Another run keeps it too.
    assert geometry_of(again) == values.window_place
    again.showNormal()
    assert (again.width(), again.height()) == (700, 500)


def test_a_window_from_a_larger_screen_shrinks_to_this_one(
    make: Callable[[], QWidget], monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = SmallScreen(1280, 700)
    monkeypatch.setattr(QGuiApplication, "screens", lambda: [screen])
    window = make()
    restore_geometry(window, replace(SettingsValues(), window_place=(100, 60, 2200, 1300)))
    assert screen.free.contains(window.geometry())


@pytest.mark.parametrize("position", [(300, 200), (90_000, 90_000)])
def test_a_position_is_kept_if_it_is_on_a_screen(make: Callable[[], QWidget], position: tuple[int, int]) -> None:
    window = make()
    restore_geometry(window, replace(SettingsValues(), window_place=(*position, 700, 500)))
    assert (geometry_of(window)[:2] == position) is (position == (300, 200))
    assert window.x() < 10_000
    assert geometry_of(window)[2:] == (700, 500)


@pytest.mark.parametrize("geometry", [(0, 0, 10**14, 500), (10**10, -(10**30), 700, 500), (2**31 - 1, 0, 700, 500)])
def test_a_geometry_that_no_screen_has_does_not_keep_the_window_from_opening(
    make: Callable[[], QWidget], geometry: tuple[int, ...]
) -> None:
    window = make()
    restore_geometry(window, replace(SettingsValues(), window_place=geometry))
    window.show()
    assert window.isVisible()
    assert window.x() < 10_000
