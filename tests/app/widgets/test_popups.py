"""Popups are transparent outside of their rounded borders."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QKeySequenceEdit,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.settings.declarations import PAGES
from app.widgets import theme
from app.widgets.application import Application
from app.widgets.controls import Chooser
from app.widgets.popups import Menu
from tests.app.conftest import OpenShown, Show


def corner_and_middle(popup: QWidget) -> tuple[int, QColor]:
    """Return the alpha of a popup's corner, and the colour below the middle of its upper border."""
    popup.resize(160, 120)
    image = popup.grab().toImage()
    return image.pixelColor(0, 0).alpha(), image.pixelColor(image.width() // 2, 3)


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("count", [2, pytest.param(len(PAGES), marks=pytest.mark.full)])
def test_popups_have_round_corners(open_shown: OpenShown, qapp: Application, count: int) -> None:
    window, _, _ = open_shown()
    for page in [*PAGES][:count]:
        window.settings.open(page)
    owners = [window.window, window.settings]
    menus = [menu for owner in owners for menu in owner.findChildren(QMenu)]
    for menu in menus:
        # Some menus are filled when they are shown.
        menu.aboutToShow.emit()
    # Qt makes a menu without a title for menu bars that are too narrow. Ours is hidden, or the system's.
    menus = [menu for menu in menus if menu.title() or not isinstance(menu.parent(), QMenuBar)]
    menus = [menu for menu in menus if any(action.isVisible() for action in menu.actions())]
    lists = [chooser.view().window() for owner in owners for chooser in owner.findChildren(Chooser)]
    assert len(menus) > 10
    assert len(lists) > (5 if count > 2 else 0)
    qapp.theme.set_mode("dark")
    for popup in [*menus, *lists]:
        assert corner_and_middle(popup) == (0, QColor(theme.colours().panel))
    fields = [
        field
        for owner in owners
        for field in owner.findChildren(QWidget)
        if isinstance(field, QPlainTextEdit | QAbstractSpinBox)
        or (isinstance(field, QLineEdit) and not isinstance(field.parent(), QAbstractSpinBox | QKeySequenceEdit))
    ]
    assert len(fields) > (10 if count > 2 else 0)
    for field in fields:
        QApplication.sendEvent(field, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1)))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert menu.actions()
        assert corner_and_middle(menu)[0] == 0
        menu.close()


def test_a_menu_opens_at_its_checked_row_or_else_its_first(qtbot: QtBot) -> None:
    menu = Menu()
    qtbot.addWidget(menu)
    menu.addSeparator()
    menu.addAction("first")
    menu.add_choice("second", True, lambda: None)
    for chosen in ("second", "first"):
        menu.setActiveAction(None)
        # Offscreen, a menu cannot grab the keyboard.
        QCoreApplication.sendEvent(menu, QShowEvent())
        assert menu.activeAction().text() == chosen
        menu.actions()[-1].setChecked(False)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_tick_has_soft_edges_and_stands_beside_the_chosen_row_only(show: Show[Menu]) -> None:
    menu = show(Menu())
    for name in ("Low", "Medium", "High"):
        menu.add_choice(name, name == "Medium", lambda: None)
    menu.addAction("Other")
    menu.adjustSize()
    picture = menu.grab().toImage()

    def shades(row: QAction) -> int:
        """The number of colours in the room that a row has for its tick."""
        place = menu.actionGeometry(row)
        left = place.left() + 4
        inside = range(place.top() + 4, place.bottom() - 4)
        return len({picture.pixel(x, y) for x in range(left, left + 16) for y in inside})

    assert [shades(row) > 1 for row in menu.actions()] == [False, True, False, False]
    assert shades(menu.actions()[1]) > 4
