"""The row of attached files in windows of any width."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QCheckBox, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from app.composer.attachment_row import AttachmentRow
from app.conversations.database.records import Attachment
from app.text.file_texts import with_extent
from engine.documents.text.parts import Extent, Selection


@pytest.mark.parametrize(("width", "shown"), [(600, True), (230, False)])
@pytest.mark.usefixtures("qapp")
def test_a_narrow_row_has_the_name_of_a_file_without_its_kind(qtbot: QtBot, width: int, shown: bool) -> None:
    row = AttachmentRow()
    qtbot.addWidget(row)
    row.resize(width, 120)
    row.show_files((Attachment("quarterly report.docx", "text/plain", "Read."),))
    labels = {part.text(): part for part in row.findChildren(QLabel)}
    assert labels["DOCX"].isVisibleTo(row) is shown
    assert labels["quarterly report.docx"].isVisibleTo(row)


@pytest.mark.usefixtures("qapp")
def test_chapters_of_a_book_are_ticked_by_their_titles(qtbot: QtBot) -> None:
    row = AttachmentRow()
    qtbot.addWidget(row)
    extent = Extent("chapter", 3, (1, 2), (5, 9), ("Rain & sun", "Wind", "Snow"))
    kind = with_extent("application/epub+zip", "A long text", extent)
    attachment = Attachment("a.epub", kind, "A long text")
    asked: list[Selection] = []
    row.finish(row.begin("a.epub", lambda _attachment, selection: asked.append(selection)), attachment)
    assert any("chapters 1 to 2 of 3" in words.text() for words in row.findChildren(QLabel))
    [chapters] = [tool for tool in row.findChildren(QToolButton) if tool.text() == "Chapters…"]
    boxes = chapters.menu().findChildren(QCheckBox)
    titles = [("Rain && sun", True), ("Wind", True), ("Snow", False)]
    assert [(box.text(), box.isChecked()) for box in boxes] == titles
    everything, *_, attach = chapters.menu().actions()
    boxes[1].click()
    boxes[2].click()
    attach.trigger()
    everything.trigger()
    assert asked == [Selection(chapters=("Rain & sun", "Snow")), Selection()]
