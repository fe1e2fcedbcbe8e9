"""Lines to search with say what is typed, and only that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QToolButton

from app.widgets.search_field import LiveField, name_clear_button

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_words_that_were_put_there_can_be_cleared(qtbot: QtBot) -> None:
    field, told = LiveField(), []
    qtbot.addWidget(field)
    field.typed.connect(told.append)
    field.put("draft")
    assert (field.words, told) == ("draft", [])
    field.clear()
    assert told == [""]


def test_the_button_that_clears_has_a_name(qtbot: QtBot) -> None:
    field = LiveField()
    qtbot.addWidget(field)
    field.setClearButtonEnabled(True)
    name_clear_button(field)
    assert [one.accessibleName() for one in field.findChildren(QToolButton)] == ["Clear the text"]
