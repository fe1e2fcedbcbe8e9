"""Windows fit the screen; the main one has the size, position and state of the last run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.settings.window_geometry import geometry_of, restore_geometry, within


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
    restore_geometry(window, "")
    assert screen.free.contains(window.geometry().adjusted(0, -28, 0, 0))
    assert (window.width(), window.height()) == (min(1440, width), min(900, height - 32))
    assert abs(window.geometry().center().x() - screen.free.center().x()) <= 1


@pytest.mark.parametrize(
    ("state", "show"),
    [(Qt.WindowState.WindowMaximized, "showMaximized"), (Qt.WindowState.WindowFullScreen, "showFullScreen")],
)
def test_a_large_window_comes_back_large_and_then_as_it_was_before(
    make: Callable[[], QWidget], state: Qt.WindowState, show: str
) -> None:
    window = make()
    window.setGeometry(30, 40, 700, 500)
    window.show()
    getattr(window, show)()
    again = make()
    restore_geometry(again, geometry_of(window))
    again.show()
    assert again.windowState() & state
    again.showNormal()
    assert again.geometry() == QRect(30, 40, 700, 500)


@pytest.mark.parametrize("kept", ["", "AAAA", "AdnQyw==", "not base64: %"])
def test_damage_does_not_keep_the_window_from_opening(make: Callable[[], QWidget], kept: str) -> None:
    window = make()
    restore_geometry(window, kept)
    window.show()
    assert window.isVisible()
    assert window.screen().geometry().intersects(window.geometry())


@pytest.mark.parametrize(("width", "height"), [(2560, 1400), (1024, 640), (800, 500)])
@pytest.mark.parametrize("corner", [(-300, -200), (200, 100), (2500, 1390)])
def test_a_window_stays_within_the_screen_and_keeps_its_size_where_it_can(
    width: int, height: int, corner: tuple[int, int]
) -> None:
    screen = SmallScreen(width, height)
    place = within(QRect(*corner, 1080, 760), screen)
    assert screen.free.contains(place.adjusted(0, -28, 0, 0))
    assert (place.width(), place.height()) == (min(1080, width), min(760, height - 32))
    assert within(place, screen) == place
