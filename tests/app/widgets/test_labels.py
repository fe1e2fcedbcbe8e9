"""What people, models and files are called is shown as it is written, however much it looks like HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QLabel

from app.conversations.request_history import RequestRow
from app.session.attachments import Attachment
from app.settings_window.dialog import PAGES
from app.speculation.history_table import HistoryTable
from app.widgets.labels import ElidedLabel, WrappedLabel, label, tip, wrapped_tip
from tests.app.scripted_engine import Script, ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow

NAME = "<b>Name</b> <img src='x.png'>"


def shown_text(rich: str) -> str:
    """What Qt shows of a tool tip."""
    if not GuiQt.mightBeRichText(rich):
        return rich
    document = QTextDocument()
    document.setHtml(rich)
    return document.toPlainText()


@pytest.mark.parametrize("words", ["plain", "a < b", NAME, "<br>", "first\n<i>second</i>", "&lt;", "<b>a  b</b>"])
def test_a_tip_shows_words_as_they_are_written(words: str) -> None:
    assert shown_text(tip(words)).replace("\u2028", "\n") == words


def interpreted() -> list[str]:
    """Words that Qt shows as something else, in any widget."""
    found = []
    for widget in QApplication.allWidgets():
        if isinstance(widget, QLabel) and widget.textFormat() == Qt.TextFormat.AutoText:
            found += [widget.text()] if GuiQt.mightBeRichText(widget.text()) else []
        rich = widget.toolTip()
        if GuiQt.mightBeRichText(rich) and NAME not in shown_text(rich) and wrapped_tip(shown_text(rich)) != rich:
            found.append(rich)
    return found


def test_names_of_everything_are_shown_as_they_are_written(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    session = window.session
    session.models.load(f"models/{NAME}", f"models/draft {NAME}")
    window.wait(lambda: not session.models.pair.loading)
    window.composer.files.show_files((Attachment(NAME, "text/plain", "x"),))
    window.ask_and_wait(NAME)
    window.composer.files.show_files((Attachment(NAME, "text/plain", "x"),))
    window.composer.set_info(NAME)
    session.settings.set_own(session.chat, NAME, {})
    session.settings.save_preset(NAME)
    window.trigger("chat-settings")
    window.trigger("compare")
    window.settle()
    for page in PAGES:
        window.settings_page(page.id)
        window.settle()
    assert any(NAME in widget.text() for widget in QApplication.allWidgets() if isinstance(widget, QLabel))
    assert interpreted() == []


def test_labels_that_hold_names_take_no_markup(qtbot: QtBot) -> None:
    parent = QLabel()
    qtbot.addWidget(parent)
    for made in (WrappedLabel(parent), ElidedLabel(parent), label(parent, "muted")):
        assert made.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize("row", [{"title": NAME, "message_id": 1}, {"client": NAME}], ids=["chat", "program"])
def test_the_title_of_a_chat_and_the_name_of_a_program_are_no_markup_in_the_history(row: dict[str, object]) -> None:
    table = HistoryTable()
    figures = dict.fromkeys(RequestRow.__slots__, None) | {"finished_at": 1.7e9} | row
    table.show_rows([RequestRow(**figures)])  # type: ignore[arg-type]
    assert NAME in shown_text(table.data(table.index(0, 0), Qt.ItemDataRole.ToolTipRole))
