"""The files attached to the next question, in rows above the text: kind, name, tokens, and a guessed encoding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QSizePolicy, QToolButton, QWidget

from app.composer.picture_button import PictureButton
from app.conversations.database.records import Attachment
from app.conversations.pictures import PictureSource
from app.session.attachments import ENCODINGS, guessed_encoding, left_out, read_as, recognized_pages
from app.session.chats import Chat
from app.widgets import theme
from app.widgets.icons import Mark, icon
from app.widgets.labels import ElidedLabel, label, set_name
from app.widgets.layouts import FlowLayout, fill, hbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware
from app.wording.figures import number
from engine.files.reading_time import ReadingTime


@dataclass(eq=False)
class Reading:
    """A file that is being read for a chat, until the user removes it and so abandons its `time`."""

    name: str
    chat: Chat
    time: ReadingTime = field(default_factory=ReadingTime)

    @property
    def wanted(self) -> bool:
        """Whether the user has not removed it."""
        return not self.time.abandoned.is_set()


# The number of rows that are shown without scrolling.
_MOST_ROWS = 3
_GAP = 8
_WIDEST_NAME = 180
_HEIGHT, _ICON = 36, 18
_PICTURE = QSize(48, 30)


class AttachmentRow(ThemeAware, QScrollArea):
    """Takes as many rows as the files need, up to _MOST_ROWS, but only one if the layout has too little height.

    `changed` is emitted after every file that is added or removed, `removed` after one that the person removed.
    `refused` carries the chat of a file that cannot be attached, before that is `changed`.
    """

    changed = Signal()
    removed = Signal()
    refused = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: dict[Attachment, int | None] = {}
        # Of all chats; the row shows those of the chat on screen.
        self._reading: list[Reading] = []
        self.chat = Chat()
        # Returns the pictures of the store.
        self.pictures: Callable[[], PictureSource] = Path
        # To find the type of a viewport that Qt made, PySide6 would create the types of all widgets.
        self.setViewport(viewport := QWidget())
        self._body = QWidget()
        self._flow = FlowLayout(self._body, _GAP)
        self.setWidget(self._body)
        # Let the card show through: by default a scroll area fills its background.
        for part in (viewport, self._body):
            part.setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        self.restyle()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(self._files)

    @property
    def reading(self) -> bool:
        """Whether a file for the chat on screen is still being read."""
        return bool(self._reading_here)

    @property
    def _reading_here(self) -> list[Reading]:
        return [reading for reading in self._reading if reading.chat is self.chat]

    def begin(self, name: str) -> Reading:
        """Show that a file is being read. If it is still wanted when it has been read, pass the result to `finish`."""
        reading = Reading(name, self.chat)
        self._reading.append(reading)
        self._fill()
        return reading

    def finish(self, reading: Reading, attachment: Attachment | None) -> None:
        """Add a file that has been read; None if it cannot be attached."""
        if reading in self._reading:
            self._reading.remove(reading)
        if attachment is not None:
            self._files.setdefault(attachment, None)
        self._fill()

    def cancel(self, reading: Reading) -> None:
        """Drop a file that is still being read."""
        reading.time.abandoned.set()
        self.finish(reading, None)

    def show_counts(self, counts: dict[Attachment, int | None]) -> None:
        """Show how many tokens the files have; None for those that could not be counted."""
        counted = {attachment: counts.get(attachment, count) for attachment, count in self._files.items()}
        if counted != self._files:
            self._files = counted
            self._fill(quiet=True)

    def show_files(self, attachments: tuple[Attachment, ...]) -> None:
        if attachments != self.attachments:
            self._files = {attachment: self._files.get(attachment) for attachment in attachments}
            self._fill()

    def show_chat(self, chat: Chat, attachments: tuple[Attachment, ...]) -> None:
        """Show the files of another chat, with those still being read for it."""
        self.chat = chat
        self._files = {attachment: self._files.get(attachment) for attachment in attachments}
        self._fill()

    def remove(self, attachment: Attachment) -> None:
        self._files.pop(attachment, None)
        self._fill()

    def _remove_all(self) -> None:
        for reading in self._reading_here:
            self.cancel(reading)
        self.show_files(())
        self.removed.emit()

    def _fill(self, quiet: bool = False) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            if (chip := item.widget()) is not None:
                chip.hide()
                chip.deleteLater()
        chips = [self._chip(attachment, tokens) for attachment, tokens in self._files.items()]
        words = self.tr("reading…")
        chips += [
            self._make_chip(self._mark(None), reading.name, words, partial(self.cancel, reading))
            for reading in self._reading_here
        ]
        if len(chips) > 1:
            everything = styled(QToolButton(self._body), "quiet")
            everything.setText(self.tr("Remove all"))
            everything.clicked.connect(self._remove_all)
            total = label(self._body, "muted")
            total.setText(self._total())
            chips += [total, everything]
        for chip in chips:
            chip.setFixedHeight(theme.scaled(_HEIGHT))
            self._flow.addWidget(chip)
            chip.show()
        self.setVisible(bool(self._files or self._reading_here))
        self._fit()
        if not quiet:
            self.changed.emit()

    def _total(self) -> str:
        """Return how many files there are, and their tokens once those of all are counted."""
        words = self.tr("%Ln file(s)", "", len(self._files) + len(self._reading_here))
        counts = [count for count in self._files.values() if count is not None]
        if len(counts) < len(self._files) or self._reading_here:
            return words
        tokens = self.tr("{count} tokens").format(count=number(sum(counts), 0))
        return f"{words} · {tokens}"

    def _fit(self) -> None:
        row = self._flow.minimumSize().height()
        highest = _MOST_ROWS * row + (_MOST_ROWS - 1) * _GAP
        height = max(1, min(self._flow.heightForWidth(self.viewport().width()), highest))
        self.setMinimumHeight(min(row, height))
        self.setMaximumHeight(height)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.maximumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _chip(self, attachment: Attachment, tokens: int | None) -> QWidget:
        facts: list[str] = []
        if attachment.picture is None and not attachment.text.strip():
            facts.append(self.tr("empty"))
        elif tokens is not None:
            facts.append(self.tr("{count} tokens").format(count=number(tokens, 0)))
        if guess := guessed_encoding(attachment):
            facts.append(self.tr("read as {encoding}").format(encoding=guess))
        if recognized := recognized_pages(attachment):
            facts.append(self.tr("%Ln page(s) recognized from pictures", "", recognized))
        counts = (self._count_left_out(kind, count) for kind, count in left_out(attachment))
        if missing := ", ".join(filter(None, counts)):
            facts.append(self.tr("left out: {contents}").format(contents=missing))
        first = self._mark(attachment)
        words = " · ".join(facts)
        parts = [self._encoding_button(attachment)] if guess else []
        return self._make_chip(first, attachment.name, words, partial(self.remove, attachment), *parts)

    def _mark(self, attachment: Attachment | None) -> QWidget:
        """Return the thumbnail of a picture, or the icon of another file."""
        if attachment is None or attachment.picture is None:
            return Mark(_ICON, self._body, icon("file"))
        return PictureButton(attachment, self.pictures(), _PICTURE, self._body)

    def _make_chip(
        self, first: QWidget, file: str, facts: str, remove: Callable[[], object], *parts: QWidget
    ) -> QWidget:
        chip = named(QFrame(self._body), "attachment")
        name = ElidedLabel(chip, Qt.TextElideMode.ElideMiddle)
        button = QToolButton(chip)
        kind = label(chip, "muted")
        details = label(chip, "muted")
        kind.setText(Path(file).suffix[1:].upper())
        name.setText(file)
        name.setMaximumWidth(_WIDEST_NAME)
        details.setText(facts)
        styled(button, "quiet").setIcon(icon("close"))
        set_name(button, self.tr("Remove {name}").format(name=file))
        button.clicked.connect(lambda: remove())
        button.clicked.connect(self.removed)
        fill(hbox(chip, margins=(10, 3, 4, 3), spacing=6), first, name, kind, details, *parts, button)
        return chip

    def _encoding_button(self, attachment: Attachment) -> QToolButton:
        """Return a button with a menu of encodings, for a file whose own was guessed."""
        button = styled(QToolButton(self._body), "quiet")
        button.setText(self.tr("Read as…"))
        button.setToolTip(self.tr("If the text looks garbled, choose another encoding."))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        for encoding in ENCODINGS:
            menu.addAction(encoding, partial(self._read_as, attachment, encoding))
        button.setMenu(menu)
        return button

    def _read_as(self, attachment: Attachment, encoding: str) -> None:
        again = read_as(attachment, encoding)
        self._files = {again if file is attachment else file: count for file, count in self._files.items()}
        self._files[again] = None
        self._fill()

    def _count_left_out(self, kind: str, count: int) -> str:
        """Return how often something was left out of a document's text; "" for what another version knows."""
        words = {
            "attached-file": self.tr("%Ln attached file(s)", "", count),
            "damaged-part": self.tr("%Ln damaged part(s)", "", count),
            "deleted-text": self.tr("%Ln deleted passage(s)", "", count),
            "hidden-column": self.tr("%Ln hidden column(s)", "", count),
            "hidden-row": self.tr("%Ln hidden row(s)", "", count),
            "hidden-sheet": self.tr("%Ln hidden sheet(s)", "", count),
            "hidden-slide": self.tr("%Ln hidden slide(s)", "", count),
            "hidden-text": self.tr("%Ln hidden passage(s)", "", count),
            "scanned-page": self.tr("%Ln scanned page(s)", "", count),
            "unreadable-byte": self.tr("%Ln unreadable byte(s)", "", count),
            "unreadable-text": self.tr("%Ln unreadable passage(s)", "", count),
        }
        return words.get(kind, "")

    def retranslate(self) -> None:
        self._fill(quiet=True)


def attach_button(action: QAction, parent: QWidget) -> QToolButton:
    """Return the button below the message box that opens the dialog for files."""
    button = styled(QToolButton(parent), "small")
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
