"""The side panes: their widths, changed by mouse and keys and kept, and their place in a narrow window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.settings.store import SettingsStore
from app.settings.window_geometry import geometry_of
from app.system.paths import settings_folder
from app.widgets.application import Application
from app.window.panes import PaneHandle
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    """A window in which a question was asked before."""
    SettingsStore(settings_folder() / "settings.json").change(panel="auto")
    window = open_window(ScriptedEngine())
    window.resize(1440, 900)
    window.settle()
    return window


def handle_of(window: WindowDriver, pane: str) -> PaneHandle:
    side = window.sidebar.pane if pane == "sidebar" else window.panel
    return side.findChild(PaneHandle)


def drag(handle: PaneHandle, distance: int) -> None:
    """Drag a handle, which moves along with the pointer."""
    start = handle.mapToGlobal(QPoint(3, 300))
    QTest.mousePress(handle, LEFT, pos=QPoint(3, 300))
    for part in (distance // 2, distance):
        QTest.mouseMove(handle, handle.mapFromGlobal(start + QPoint(part, 0)))
    QTest.mouseRelease(handle, LEFT, pos=handle.mapFromGlobal(start + QPoint(distance, 0)))


@pytest.mark.full
@pytest.mark.parametrize("width", [1440, 900])
def test_the_panel_comes_with_the_first_question_where_it_fits(open_window: OpenWindow, width: int) -> None:
    window = open_window(ScriptedEngine([Script("Hello.")]))
    window.resize(width, 900)
    window.settle()
    assert not window.panel.isVisible()
    window.ask_and_wait("first")
    assert window.panel.isVisible() is (width == 1440)
    window.close()
    again = open_window(ScriptedEngine())
    again.resize(width, 900)
    again.settle()
    assert again.panel.isVisible() is (width == 1440)


def test_a_panel_that_the_user_hid_does_not_come_with_the_first_question(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("Hello.")]))
    window.resize(1440, 900)
    window.trigger("toggle-panel")
    window.trigger("toggle-panel")
    window.ask_and_wait("first")
    assert not window.panel.isVisible()


def kept() -> tuple[int, int]:
    values = SettingsStore(settings_folder() / "settings.json").values
    return values.sidebar_width, values.panel_width


def test_widths_that_were_dragged_survive_a_restart(window: WindowDriver, open_window: OpenWindow) -> None:
    drag(handle_of(window, "sidebar"), 60)
    drag(handle_of(window, "panel"), -50)
    assert (window.sidebar.pane.width(), window.panel.width()) == (308, 410)
    assert kept() == (308, 410)
    window.close()
    again = open_window(ScriptedEngine())
    assert (again.sidebar.pane.width(), again.panel.width()) == (308, 410)


def test_arrow_keys_move_an_edge_the_way_they_point_and_a_double_click_or_enter_gives_the_usual_width(
    window: WindowDriver,
) -> None:
    sidebar, panel = handle_of(window, "sidebar"), handle_of(window, "panel")
    QTest.keyClick(sidebar, Qt.Key.Key_Right)
    QTest.keyClick(panel, Qt.Key.Key_Left)
    assert (window.sidebar.pane.width(), window.panel.width()) == (264, 376)
    assert kept() == (264, 376)
    QTest.mouseDClick(sidebar, LEFT, pos=QPoint(3, 300))
    QTest.keyClick(panel, Qt.Key.Key_Return)
    assert (window.sidebar.pane.width(), window.panel.width()) == (248, 360)
    assert kept() == (0, 0)


@pytest.mark.full
def test_the_panel_follows_the_text_size_and_very_large_text_leaves_the_chat_room(
    window: WindowDriver, qapp: Application
) -> None:
    qapp.theme.set_text_size(130)
    window.wait(lambda: window.panel.width() == 468)
    window.resize(1110, 700)
    window.wait(lambda: not window.panel.isVisible() and window.composer.width() > 500)
    window.resize(1440, 900)
    qapp.theme.set_text_size(100)
    window.wait(lambda: window.panel.width() == 360)


def over_the_chat(window: WindowDriver) -> list[str]:
    """The panes that lie over the chat."""
    middle = window.composer.parentWidget()
    panes = {"sidebar": window.sidebar.pane, "panel": window.panel}
    return [
        name
        for name, pane in panes.items()
        if pane.isVisible() and QRect(pane.pos(), pane.size()).intersects(QRect(middle.pos(), middle.size()))
    ]


def test_in_a_narrow_window_a_pane_lies_over_the_chat_and_below_its_button(window: WindowDriver) -> None:
    window.resize(900, 600)
    assert (window.sidebar.pane.isVisible(), window.panel.isVisible()) == (True, False)
    for pane, side in (("sidebar", window.sidebar.pane), ("panel", window.panel)):
        window.resize(560, 420)
        QApplication.processEvents()
        column = window.composer.width()
        window.trigger(f"toggle-{pane}")
        QApplication.processEvents()
        assert over_the_chat(window) == [pane]
        assert window.composer.width() == column
        assert side.mapTo(window.window, QPoint(0, 0)).y() >= window.header.height()
        window.trigger(f"toggle-{pane}")
        assert over_the_chat(window) == []
        # Showing it over the chat does not change what a wide window shows.
        window.resize(1440, 900)
        assert window.sidebar.pane.isVisible()
        assert window.panel.isVisible()
    window.resize(560, 420)
    window.trigger("toggle-sidebar")
    window.trigger("toggle-panel")
    QApplication.processEvents()
    assert over_the_chat(window) == ["panel"]


def test_a_pane_over_the_chat_goes_when_the_chat_is_turned_to(window: WindowDriver) -> None:
    window.ask_and_wait("first")
    window.trigger("new-chat")
    window.resize(560, 420)
    window.activateWindow()
    for turn_to in (
        lambda: QTest.keyClick(window.sidebar.list, Qt.Key.Key_Escape),
        lambda: QTest.mouseClick(window.window.childAt(540, 300), LEFT),
        lambda: window.trigger("focus-composer"),
        lambda: window.sidebar.click(window.titles[0]),
    ):
        window.trigger("toggle-sidebar")
        QApplication.processEvents()
        assert over_the_chat(window) == ["sidebar"]
        assert window.sidebar.list.hasFocus()
        turn_to()
        window.wait(lambda: over_the_chat(window) == [])
        assert window.edit.hasFocus()
    window.trigger("search-chats")
    QTest.keyClicks(window.sidebar.search, "draft")
    QTest.keyClick(window.sidebar.search, Qt.Key.Key_Escape)
    # The first Escape cleared the search.
    assert over_the_chat(window) == ["sidebar"]
    QTest.keyClick(window.sidebar.search, Qt.Key.Key_Escape)
    assert over_the_chat(window) == []


def test_a_pane_that_was_chosen_does_not_squeeze_the_chat_of_a_narrow_window(open_window: OpenWindow) -> None:
    narrow = QWidget()
    narrow.setGeometry(0, 40, 560, 420)
    SettingsStore(settings_folder() / "settings.json").change(
        sidebar="shown", panel="shown", window_geometry=geometry_of(narrow)
    )
    window = open_window(ScriptedEngine())
    QApplication.processEvents()
    assert not window.sidebar.pane.isVisible()
    assert not window.panel.isVisible()
    window.resize(900, 600)
    assert window.sidebar.pane.isVisible()
    assert not window.panel.isVisible()
