"""The files that will go with the next question, as a row above the text: name, length in tokens, the encoding
where it was guessed, and a way out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QToolButton, QWidget

from app.session.attachments import guessed_encoding
from app.widgets import theme
from app.widgets.flow_layout import FlowLayout
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, tip
from app.wording.figures import number

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.conversations.records import Attachment


@dataclass(eq=False)
class Reading:
    """A file on its way into the row, for the chat that it was given to. `wanted` until somebody takes it away."""

    name: str
    chat: object
    wanted: bool = True


# So many rows are shown at once; the others are scrolled to.
_MOST_ROWS = 3
_GAP = 8
_WIDEST_NAME = 180


class AttachmentRow(QScrollArea):
    """`changed` follows every attachment that comes or goes. As many rows as the files need, up to _MOST_ROWS; one
    where there is too little room.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: dict[Attachment, int | None] = {}
        # Of all chats; those of the one on screen are shown.
        self._reading: list[Reading] = []
        self._chat: object = None
        self._inside = QWidget()
        self._row = FlowLayout(self._inside, _GAP)
        self.setWidget(self._inside)
        # What scrolls fills its background otherwise; here the card shows through.
        for part in (self.viewport(), self._inside):
            part.setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(self._files)

    @property
    def reading(self) -> bool:
        """Whether a file for the chat on screen is still being read."""
        return bool(self._awaited)

    @property
    def _awaited(self) -> list[Reading]:
        return [reading for reading in self._reading if reading.chat is self._chat]

    def begin(self, name: str) -> Reading:
        """A file of that name is being read; hand what comes of it to `add`, if it is still wanted then."""
        reading = Reading(name, self._chat)
        self._reading.append(reading)
        self._fill()
        return reading

    def add(self, reading: Reading, attachment: Attachment | None) -> None:
        """It has been read; None where it cannot go along."""
        if reading in self._reading:
            self._reading.remove(reading)
        if attachment is not None:
            self._files.setdefault(attachment, None)
        self._fill()

    def leave(self, reading: Reading) -> None:
        """What is still being read is not wanted any more."""
        reading.wanted = False
        self.add(reading, None)

    def show_counts(self, counts: dict[Attachment, int | None]) -> None:
        """How many tokens the files have; None where nobody could count."""
        counted = {attachment: counts.get(attachment, count) for attachment, count in self._files.items()}
        if counted != self._files:
            self._files = counted
            self._fill(told=True)

    def show_files(self, attachments: tuple[Attachment, ...]) -> None:
        if attachments != self.attachments:
            self._files = {attachment: self._files.get(attachment) for attachment in attachments}
            self._fill()

    def show_chat(self, chat: object, attachments: tuple[Attachment, ...]) -> None:
        """Those of another chat, with what is still being read for it."""
        self._chat = chat
        self._files = {attachment: self._files.get(attachment) for attachment in attachments}
        self._fill()

    def remove(self, attachment: Attachment) -> None:
        self._files.pop(attachment, None)
        self._fill()

    def _fill(self, told: bool = False) -> None:
        while (item := self._row.takeAt(0)) is not None:
            if (chip := item.widget()) is not None:
                chip.hide()
                chip.deleteLater()
        chips = [self._chip(attachment, tokens) for attachment, tokens in self._files.items()]
        for chip in (*chips, *map(self._waiting_chip, self._awaited)):
            self._row.addWidget(chip)
            chip.show()
        self.setVisible(bool(self._files or self._awaited))
        self._fit()
        if not told:
            self.changed.emit()

    def _fit(self) -> None:
        row = self._row.minimumSize().height()
        most = _MOST_ROWS * row + (_MOST_ROWS - 1) * _GAP
        height = max(1, min(self._row.heightForWidth(self.viewport().width()), most))
        self.setMinimumHeight(min(row, height))
        self.setMaximumHeight(height)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.maximumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _chip(self, attachment: Attachment, tokens: int | None) -> QWidget:
        chip, name, words = self._parts(attachment.name)
        said = [] if tokens is None else [self.tr("{count} tokens").format(count=number(tokens, 0))]
        if guess := guessed_encoding(attachment):
            said.append(self.tr("read as {encoding}").format(encoding=guess))
            words.setToolTip(self.tr("If its letters are wrong, save the file as UTF-8 and attach it again."))
        words.setText(" · ".join(said))
        away = self._away_button(chip, attachment.name)
        away.clicked.connect(lambda: self.remove(attachment))
        row = QHBoxLayout(chip)
        row.setContentsMargins(10, 3, 4, 3)
        row.setSpacing(6)
        for view in (name, words, away):
            row.addWidget(view)
        return chip

    def _waiting_chip(self, reading: Reading) -> QWidget:
        chip, name, state = self._parts(reading.name)
        state.setText(self.tr("reading…"))
        away = self._away_button(chip, reading.name)
        away.clicked.connect(lambda: self.leave(reading))
        row = QHBoxLayout(chip)
        row.setContentsMargins(10, 3, 4, 3)
        row.setSpacing(6)
        for view in (name, state, away):
            row.addWidget(view)
        return chip

    def _away_button(self, chip: QWidget, name: str) -> QToolButton:
        away = QToolButton(chip)
        away.setProperty("styleClass", "quiet")
        away.setIcon(icon("close", theme.colours().muted))
        words = self.tr("Remove {name}").format(name=name)
        away.setToolTip(tip(words))
        away.setAccessibleName(words)
        return away

    def _parts(self, file: str) -> tuple[QFrame, QLabel, QLabel]:
        chip = QFrame(self._inside)
        chip.setObjectName("attachment")
        name, words = ElidedLabel(chip, Qt.TextElideMode.ElideMiddle), QLabel(chip)
        name.setText(file)
        name.setMaximumWidth(_WIDEST_NAME)
        words.setProperty("styleClass", "muted")
        return chip, name, words

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange) and hasattr(self, "_row"):
            self._fill(told=True)


def attach_button(action: QAction, parent: QWidget) -> QToolButton:
    """The button below the message box that asks for files."""
    button = QToolButton(parent)
    button.setProperty("styleClass", "small")
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
