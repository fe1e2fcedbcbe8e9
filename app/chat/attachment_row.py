"""The files that will go with the next question, as a row above the text: name, length in tokens, and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from app import theme
from app.icons import icon
from app.speculation.figures import number

if TYPE_CHECKING:
    from app.conversations.records import Attachment


class AttachmentRow(QWidget):
    """`changed` follows every attachment that comes or goes."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: dict[Attachment, int | None] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(self._files)

    def add(self, attachment: Attachment, tokens: int | None) -> None:
        """`tokens` None where nobody could count."""
        self._files[attachment] = tokens
        self._fill()

    def show_files(self, attachments: tuple[Attachment, ...]) -> None:
        if attachments != self.attachments:
            self._files = {attachment: self._files.get(attachment) for attachment in attachments}
            self._fill()

    def remove(self, attachment: Attachment) -> None:
        self._files.pop(attachment, None)
        self._fill()

    def _fill(self) -> None:
        while self._row.count() > 1:
            item = self._row.takeAt(0)
            if item is not None and (chip := item.widget()) is not None:
                chip.hide()
                chip.deleteLater()
        for place, (attachment, tokens) in enumerate(self._files.items()):
            self._row.insertWidget(place, self._chip(attachment, tokens))
        self.setVisible(bool(self._files))
        self.changed.emit()

    def _chip(self, attachment: Attachment, tokens: int | None) -> QWidget:
        chip = QFrame(self)
        chip.setObjectName("attachment")
        name = QLabel(chip)
        name.setText(name.fontMetrics().elidedText(attachment.name, Qt.TextElideMode.ElideMiddle, 180))
        name.setToolTip(attachment.name)
        length = QLabel(chip)
        length.setProperty("look", "muted")
        if tokens is not None:
            length.setText(self.tr("{count} tokens").format(count=number(tokens, 0)))
        away = QToolButton(chip)
        away.setProperty("look", "quiet")
        away.setIcon(icon("close", theme.colours().muted))
        words = self.tr("Take {name} away").format(name=attachment.name)
        away.setToolTip(words)
        away.setAccessibleName(words)
        away.clicked.connect(lambda: self.remove(attachment))
        row = QHBoxLayout(chip)
        row.setContentsMargins(10, 3, 4, 3)
        row.setSpacing(6)
        for view in (name, length, away):
            row.addWidget(view)
        return chip

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and getattr(self, "_files", None):
            self._fill()
