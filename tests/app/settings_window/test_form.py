"""Rows of settings: where a control stands."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.settings_window.form import SecretRow
from app.widgets.layouts import settle_layouts


@pytest.mark.parametrize(("width", "is_beside"), [(440, False), (700, True)])
def test_a_field_stands_below_its_words_where_they_would_be_too_narrow(
    qtbot: QtBot, width: int, is_beside: bool
) -> None:
    row = SecretRow(None)
    qtbot.addWidget(row)
    row.set_words("Hugging Face token", "For models whose terms have to be accepted. It is kept in the keychain.")
    row.resize(width, 120)
    row.show()
    settle_layouts()
    assert (row.field.geometry().left() > row.help.geometry().right()) is is_beside
    assert (row.field.geometry().top() > row.help.geometry().bottom()) is not is_beside
