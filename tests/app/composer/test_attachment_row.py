"""The row of attached files in windows of any width."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.composer.attachment_row import AttachmentRow
from app.conversations.database.records import Attachment


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
