"""Labels and tips show names literally, even if they look like HTML, and break lines at good places."""

from __future__ import annotations

import itertools
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont, QTextDocument, QTextLayout
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.conversations.request_history import RequestRow
from app.session.attachments import Attachment
from app.settings.declarations import PAGES
from app.settings_window.history_page import HistoryTable
from app.widgets.labels import ElidedLabel, WrappedLabel, label, tip, wrapped_tip
from app.widgets.line_breaks import with_good_breaks
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

NAME = "<b>Name</b> <img src='x.png'>"


def shown_text(rich: str) -> str:
    """Return the text that Qt shows for a tool tip."""
    if not GuiQt.mightBeRichText(rich):
        return rich
    document = QTextDocument()
    document.setHtml(rich)
    return document.toPlainText()


@pytest.mark.parametrize("words", ["plain", "a < b", NAME, "<br>", "first\n<i>second</i>", "&lt;", "<b>a  b</b>"])
def test_a_tip_shows_words_as_they_are_written(words: str) -> None:
    assert shown_text(tip(words)).replace("\u2028", "\n") == words


def interpreted() -> list[str]:
    """Return the texts of all widgets that Qt would show as HTML."""
    found = []
    for widget in QApplication.allWidgets():
        if isinstance(widget, QLabel) and widget.textFormat() == Qt.TextFormat.AutoText:
            found += [widget.text()] if GuiQt.mightBeRichText(widget.text()) else []
        rich = widget.toolTip()
        if (
            GuiQt.mightBeRichText(rich)
            and NAME not in shown_text(rich)
            and wrapped_tip(*shown_text(rich).split("\n")) != rich
        ):
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
        window.settings_page(page)
        window.settle()
    assert any(NAME in widget.text() for widget in QApplication.allWidgets() if isinstance(widget, QLabel))
    assert interpreted() == []


@pytest.mark.parametrize("row", [{"title": NAME, "message_id": 1}, {"client": NAME}], ids=["chat", "program"])
def test_the_title_of_a_chat_and_the_name_of_a_program_are_no_markup_in_the_history(row: dict[str, object]) -> None:
    table = HistoryTable()
    figures = dict.fromkeys(RequestRow.__slots__, None) | {"finished_at": 1.7e9} | row
    table.show_rows([RequestRow(**figures)])  # type: ignore[arg-type]
    assert NAME in shown_text(table.data(table.index(0, 0), Qt.ItemDataRole.ToolTipRole))


SENTENCES = (
    "メインモデルがそのすべてを 1 回の計算で確認します。",
    "先に「この Mac に合わせて調整」を実行してください。",
    "主模型只需一次计算就能全部检查。",
    "一轮得到 4 个 token，而不是一个。",
    "このMacではプロンプトルックアップで2.5倍の速さ。",
)


def lines_of(shown: str, width: int) -> list[str]:
    font = QFont(QApplication.font())
    font.setPixelSize(14)
    layout = QTextLayout(shown, font)
    layout.beginLayout()
    lines = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        lines.append(shown[line.textStart() : line.textStart() + line.textLength()])
    layout.endLayout()
    return lines


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("sentence", SENTENCES)
def test_no_width_leaves_a_character_alone_or_a_particle_at_the_beginning_of_a_line(sentence: str) -> None:
    for width in range(90, 420, 3):
        lines = [line.replace("\u2060", "") for line in lines_of(with_good_breaks(sentence), width)]
        assert len(lines[-1]) >= 3, lines
        assert not [line for line in lines if line.endswith("確")], lines
        assert not [line for line in lines[1:] if re.match("[をにはがでの回个倍]", line)], lines
        assert not [line for line, after in itertools.pairwise(lines) if re.search(r"\d $", line) and after], lines


@pytest.mark.usefixtures("qapp")
def test_a_word_of_katakana_breaks_in_its_middle_if_at_all() -> None:
    sentence = "ダウンロードは待機します。チャットとインターネットのテキストはそのまま使えます。"
    for width in range(110, 420, 3):
        lines = [line.replace("\u2060", "") for line in lines_of(with_good_breaks(sentence), width)]
        for part in ("ダウンロード", "チャット", "テキスト", "インタ", "ネット"):
            assert any(part in line for line in lines), lines


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("sentence", ["It needs 20.0 GB of it.", "メモリが20.0 GB必要です。", "需要 20.0 GB 内存。"])
def test_a_size_stays_with_its_unit(sentence: str) -> None:
    for width in range(90, 300, 3):
        lines = [line.replace("\u00a0", " ") for line in lines_of(with_good_breaks(sentence), width)]
        assert any("20.0 GB" in line for line in lines), lines


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("last-error.txt", "The details are in {}."),
        ("chats-before.db", "それまでのチャットは{}に保存しました。"),
    ],
)
def test_the_name_of_a_file_does_not_break_at_a_hyphen(name: str, sentence: str) -> None:
    for width in range(160, 400, 7):
        lines = [line.replace("\u2060", "") for line in lines_of(with_good_breaks(sentence.format(name)), width)]
        assert any(name in line for line in lines), lines


@pytest.mark.usefixtures("qapp")
def test_a_longer_name_stays_on_one_line_where_a_label_has_the_room() -> None:
    name = "minutes-2026-11-27-board-meeting.docx"
    sentence = f"The text of {name} cannot be read."
    for width in range(300, 420, 7):
        lines = [line.replace("\u2060", "") for line in lines_of(with_good_breaks(sentence, len(name)), width)]
        assert any(name in line for line in lines), lines
        assert not any(name in line for line in lines_of(with_good_breaks(sentence), 200))


def test_an_elided_label_shows_the_longest_text_that_fits(qtbot: QtBot) -> None:
    shown = ElidedLabel()
    qtbot.addWidget(shown)
    shown.ensurePolished()
    texts = ("5,007 of 4,096 tokens: too long for this model", "5,007 of 4,096 tokens", "122%")
    for fitting in texts:
        shown.show_text(*texts)
        shown.resize(shown.fontMetrics().horizontalAdvance(fitting) + 4, 30)
        drawn = shown.grab().toImage()
        shown.show_text(fitting)
        assert shown.grab().toImage() == drawn, fitting


def test_what_keeps_a_line_together_is_seen_by_nobody(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    for made in (WrappedLabel(parent), ElidedLabel(parent), label(parent, "muted")):
        assert made.textFormat() == Qt.TextFormat.PlainText
    for made in (label(parent, "muted", wraps=True), WrappedLabel(parent)):
        for sentence in SENTENCES:
            made.setText(sentence)
            spoken = QAccessible.queryAccessibleInterface(made).text(QAccessible.Text.Name)
            assert made.text() == spoken == sentence
        made.setText("In English.")
        assert (made.accessibleName(), made.text()) == ("", "In English.")


@pytest.mark.usefixtures("qapp")
def test_figures_in_a_row_break_between_one_another() -> None:
    figures = ["トークン/秒", "最初のトークンまで 0.05 秒", "採択 69%", "3.9 トークン/ラウンド"]
    for width, separator in itertools.product(range(190, 600, 6), (" · ", "\u00a0· ")):
        shown = with_good_breaks(separator.join(figures))
        lines = [line.replace("\u2060", "") for line in lines_of(shown, width)]
        found = [figure for line in lines for figure in line.replace("\u00a0", " ").strip(" ·").split(" · ")]
        assert found == figures, lines
        assert not [line for line in lines if line.startswith("·")]
