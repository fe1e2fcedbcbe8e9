"""Lines to search with say what is typed, and only that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.search_field import LiveField

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
