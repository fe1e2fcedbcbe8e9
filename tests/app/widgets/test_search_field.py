"""Search fields report what is typed; their clear button has a name and follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.application import Application
from app.widgets.icons import icon
from app.widgets.search_field import SearchField


def test_the_button_that_clears_has_a_name_and_follows_the_theme(qtbot: QtBot, qapp: Application) -> None:
    field = SearchField()
    qtbot.addWidget(field)
    assert [one.accessibleName() for one in field.findChildren(QToolButton)] == ["Clear the text"]
    shown = []
    for mode in ("light", "dark"):
        qapp.theme.set_mode(mode)
        [button] = field.findChildren(QToolButton)
        shown.append(button.icon().pixmap(QSize(16, 16)).toImage())
        assert shown[-1] == icon("close").pixmap(QSize(16, 16)).toImage()
    assert shown[0] != shown[1]


def test_letters_of_a_taller_font_do_not_cut_off_the_placeholder(qtbot: QtBot) -> None:
    """The Latin letters look the same whatever follows them, down to the tails of "gjpq"."""
    page = QWidget()
    qtbot.addWidget(page)
    field = SearchField(page)
    page.setFixedSize(400, 60)
    field.setGeometry(10, 10, 380, 40)
    page.show()
    pictures = []
    for placeholder in ("gjpq", "gjpq  에서 検索", ""):
        field.setPlaceholderText(placeholder)
        letters = QRect(0, 0, 12 + QFontMetrics(field.font()).horizontalAdvance("gjpq"), field.height())
        pictures.append(field.grab(letters).toImage())
    assert pictures[0] == pictures[1] != pictures[2]
    field.setPlaceholderText("gjpq")
    field.put("x")
    typed = field.grab().toImage()
    field.setPlaceholderText("")
    assert field.grab().toImage() == typed
