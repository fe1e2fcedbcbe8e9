"""Tab goes through a page in reading order: line by line, and column by column beside taller widgets."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.keyboard_focus import TabOrdered, stops


class Page(TabOrdered, QWidget):
    """Buttons at given places, made in the order of their names."""

    def __init__(self, places: dict[str, tuple[int, int, int, int]]) -> None:
        super().__init__()
        for name in sorted(places):
            button = QPushButton(name, self)
            button.setGeometry(*places[name])
        self.resize(400, 300)


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        ({"a": (100, 100, 50, 20), "b": (0, 100, 50, 20), "c": (0, 0, 50, 20)}, "cba"),
        # One that is a little lower in its line than its neighbour stays in its line.
        ({"a": (100, 0, 50, 20), "b": (0, 4, 50, 20), "c": (0, 40, 50, 20)}, "bac"),
        # A tall edge beside a column of lines.
        ({"a": (200, 0, 8, 300), "b": (0, 60, 50, 20), "c": (0, 0, 50, 20), "d": (300, 0, 50, 20)}, "cbad"),
    ],
)
def test_as_it_reads(qtbot: QtBot, places: dict[str, tuple[int, int, int, int]], wanted: str) -> None:
    page = Page(places)
    qtbot.addWidget(page)
    page.show()
    assert "".join(stop.text() for stop in stops(page)) == wanted


def test_tab_goes_round_past_what_cannot_be_used(qtbot: QtBot) -> None:
    page = Page({name: (100 * number, 0, 50, 20) for number, name in enumerate("abcd")})
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    a, b, c, d = (page.findChildren(QPushButton)[number] for number in range(4))
    b.setEnabled(False)
    c.hide()
    a.setFocus()
    qtbot.waitUntil(a.hasFocus)
    seen = []
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        QTest.keyClick(QApplication.focusWidget(), key)
        seen.append(QApplication.focusWidget())
    assert seen == [d, a, d]
