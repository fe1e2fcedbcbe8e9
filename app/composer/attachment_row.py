"""The files attached to the next question, in rows above the text: kind, name, tokens, and a guessed encoding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
    QWidgetAction,
)

from app.composer.file_readings import FileText, Reading
from app.composer.picture_button import PictureButton
from app.conversations.database.records import Attachment
from app.conversations.pictures import PictureSource
from app.session.attachments import (
    ENCODINGS,
    count_of_pictures,
    extent_of,
    guessed_encoding,
    left_out,
    read_as,
    recognized_pages,
    uncertain_pages,
    without_pictures,
)
from app.session.chats import Chat
from app.widgets import theme
from app.widgets.controls import TickBox
from app.widgets.icons import Mark, icon
from app.widgets.labels import ElidedLabel, label, set_name
from app.widgets.layouts import FlowLayout, fill, hbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware
from app.wording.document_parts import extent_words, numbers_words
from app.wording.figures import number
from engine.documents.text.parts import CHAPTER, Extent, Selection, pages_of

# The number of rows that are shown without scrolling.
_MOST_ROWS = 2
_ROW_GAP = 8
_WIDEST_FILE_NAME = 180
_NARROWEST_FILE_NAME = 72
# Narrower rows have no room for the kind of a file, which its name ends with, too.
_NARROWEST_WITH_KIND = 320
_ROW_HEIGHT = 36
_ICON_SIZE = 18
_PICTURE_SIZE = QSize(48, 30)
# Milliseconds after which the progress of files is shown anew.
_PROGRESS_MS = 250
# The least parts of a file whose progress is worth showing.
_MANY_PARTS = 2


class AttachmentRow(ThemeAware, QScrollArea):
    """Takes as many rows as the files need, up to _MOST_ROWS, but only one if the layout has too little height.

    `changed` is emitted after every file that is added or removed, `removed` after one that the person removed.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: dict[Attachment, int | None] = {}
        # Whether the model sees the pictures within documents.
        self._sees = True
        # The files of all chats that are being read; the row shows those for the chat on screen.
        self._reading: list[Reading] = []
        # The labels of the kinds of all files.
        self._kinds: list[QLabel] = []
        # The labels of those that are shown.
        self._progress: dict[Reading, QLabel] = {}
        self._progress_timer = QTimer(self)
        self._progress_timer.setInterval(_PROGRESS_MS)
        self._progress_timer.timeout.connect(self._show_progress)
        # What reads other parts of the files that were read since the start.
        self._read_parts: dict[FileText, Callable[[Attachment, Selection], None]] = {}
        self.chat = Chat()
        # Returns the pictures of the store.
        self.pictures: Callable[[], PictureSource] = Path
        # To find the type of a viewport that Qt made, PySide6 would create the types of all widgets.
        self.setViewport(viewport := QWidget())
        self._body = QWidget()
        self._flow = FlowLayout(self._body, _ROW_GAP)
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

    def begin(
        self,
        name: str,
        read_parts: Callable[[Attachment, Selection], None] | None = None,
        replaces: Attachment | None = None,
    ) -> Reading:
        """Show that a file is being read. If it is still wanted when it has been read, pass the result to `finish`.

        `read_parts` reads other parts of it, which then are in the place of the attachment that it gets, `replaces`.
        """
        reading = Reading(name, self.chat, read_parts, replaces)
        self._reading.append(reading)
        self._fill()
        return reading

    def finish(self, reading: Reading, attachment: Attachment | None) -> None:
        """Add a file that has been read; None if it cannot be attached."""
        if reading in self._reading:
            self._reading.remove(reading)
        if attachment is not None:
            if reading.replaces is not None:
                self._files.pop(reading.replaces, None)
            if reading.read_parts is not None:
                self._read_parts[FileText.of(attachment)] = reading.read_parts
            self._files.setdefault(attachment, None)
        self._fill()

    def cancel(self, reading: Reading) -> None:
        """Drop a file that is still being read."""
        reading.time.abandoned.set()
        self.finish(reading, None)

    def show_counts(self, counts: dict[Attachment, int | None], *, sees: bool = True) -> None:
        """Show how many tokens the files have; None for those that could not be counted.

        `sees` says whether the model sees the pictures within them.
        """
        counted = {attachment: counts.get(attachment, count) for attachment, count in self._files.items()}
        if (counted, sees) != (self._files, self._sees):
            self._files = counted
            self._sees = sees
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

    def replace(self, attachment: Attachment, cut: Attachment) -> None:
        """Show a file as it is cut, if it is still there. Other parts of it can be read as before."""
        if attachment not in self._files:
            return
        if (read_parts := self._read_parts.get(FileText.of(attachment))) is not None:
            self._read_parts[FileText.of(cut)] = read_parts
        self.show_files(tuple(cut if file == attachment else file for file in self.attachments))

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
        self._kinds.clear()
        chips = [self._chip(attachment, tokens) for attachment, tokens in self._files.items()]
        chips += self._reading_chips()
        if len(chips) > 1:
            everything = styled(QToolButton(self._body), "quiet")
            everything.setText(self.tr("Remove all"))
            everything.clicked.connect(self._remove_all)
            total = label(self._body, "muted")
            total.setText(self._total())
            # Before the files, because rows below the second are seen only by scrolling.
            chips = [total, everything, *chips]
        for chip in chips:
            chip.setFixedHeight(theme.scaled(_ROW_HEIGHT))
            self._flow.addWidget(chip)
            chip.show()
        self.setVisible(bool(self._files or self._reading_here))
        self._fit()
        if not quiet:
            self.changed.emit()

    def _reading_chips(self) -> list[QFrame]:
        """Return the rows of the files that are being read, whose progress is shown from now on."""
        chips: list[QFrame] = []
        self._progress.clear()
        for reading in self._reading_here:
            chip = self._make_chip(self._mark(None), reading.name, self._reading_words(reading), reading=reading)
            chips.append(chip)
        if chips:
            self._progress_timer.start()
        else:
            self._progress_timer.stop()
        return chips

    def _show_progress(self) -> None:
        """Show how far the files are that are being read."""
        texts = {reading: self._reading_words(reading) for reading in self._progress}
        if any(self._progress[reading].text() != words for reading, words in texts.items()):
            for reading, words in texts.items():
                self._progress[reading].setText(words)
            self._fit()

    def _reading_words(self, reading: Reading) -> str:
        """Return how far a file is that is being read."""
        so_far = reading.time.read_so_far
        if so_far is None or so_far.count < _MANY_PARTS:
            return self.tr("reading…")
        words = {
            "page": self.tr("reading… page {done} of {count}"),
            "sheet": self.tr("reading… sheet {done} of {count}"),
            "slide": self.tr("reading… slide {done} of {count}"),
            "chapter": self.tr("reading… chapter {done} of {count}"),
        }
        return words[so_far.kind].format(done=number(so_far.done + 1, 0), count=number(so_far.count, 0))

    def _total(self) -> str:
        """Return how many files there are, and their tokens once all are counted."""
        words = self.tr("%Ln file(s)", "", len(self._files) + len(self._reading_here))
        counts = [count for count in self._files.values() if count is not None]
        if len(counts) < len(self._files) or self._reading_here:
            return words
        tokens = self.tr("{count} tokens").format(count=number(sum(counts), 0))
        return f"{words} · {tokens}"

    def _fit(self) -> None:
        has_room = self.viewport().width() >= theme.scaled(_NARROWEST_WITH_KIND)
        for kind in self._kinds:
            kind.setVisible(has_room)
        row = self._flow.minimumSize().height()
        highest = _MOST_ROWS * row + (_MOST_ROWS - 1) * _ROW_GAP
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
        facts += extent_words(extent_of(attachment))
        facts += self._picture_words(attachment)
        if attachment.is_scan:
            facts.append(self.tr("no text"))
        if guess := guessed_encoding(attachment):
            facts.append(self.tr("read as {encoding}").format(encoding=guess))
        if recognized := recognized_pages(attachment):
            facts.append(self.tr("%Ln page(s) recognized from pictures", "", recognized))
        if uncertain := uncertain_pages(attachment):
            facts.append(self.tr("%Ln page(s) uncertain", "", uncertain))
        counts = [self._count_left_out(kind, count) for kind, count in left_out(attachment)]
        if missing := QLocale().createSeparatedList(list(filter(None, counts))):
            facts.append(self.tr("left out: {contents}").format(contents=missing))
        first = self._mark(attachment)
        words = " · ".join(facts)
        parts = [self._encoding_button(attachment)] if guess else []
        if attachment.inner and self._sees and not attachment.is_scan:
            parts.append(self._text_button(attachment))
        read_parts = self._read_parts.get(FileText.of(attachment))
        if read_parts is not None and extent_of(attachment).count > 1:
            parts.append(self._parts_button(attachment, partial(read_parts, attachment)))
        return self._make_chip(first, attachment.name, words, *parts, attachment=attachment)

    def _picture_words(self, attachment: Attachment) -> list[str]:
        """Return how many pictures of a document the model gets, or that it does not see them."""
        shown = len(attachment.inner)
        count = count_of_pictures(attachment)
        if not shown:
            return []
        if attachment.pages:
            return self._page_words(attachment, count)
        if not self._sees:
            return [self.tr("%Ln picture(s), which this model can't see", "", count)]
        if shown < count:
            return [self.tr("{shown} of {count} pictures").format(shown=number(shown, 0), count=number(count, 0))]
        return [self.tr("%Ln picture(s)", "", count)]

    def _page_words(self, attachment: Attachment, count: int) -> list[str]:
        """Return which pages the model also gets as pictures, of so many that show more than their text says."""
        pages = attachment.pages
        if not self._sees:
            return [self.tr("%Ln page(s) as pictures, which this model can't see", "", len(pages))]
        words = [self.tr("pages as pictures: {pages}").format(pages=numbers_words(pages))]
        if len(pages) < count and not attachment.is_scan:
            words.append(self.tr("%Ln more page(s) with pictures as text only", "", count - len(pages)))
        return words

    def _mark(self, attachment: Attachment | None) -> QWidget:
        """Return the thumbnail of a picture, or the icon of another file."""
        if attachment is None or attachment.picture is None:
            return Mark(_ICON_SIZE, self._body, icon("file"))
        return PictureButton(attachment, self.pictures(), _PICTURE_SIZE, self._body)

    def _make_chip(
        self,
        first: QWidget,
        file: str,
        facts: str,
        *parts: QWidget,
        attachment: Attachment | None = None,
        reading: Reading | None = None,
    ) -> QFrame:
        """Return the row of a file: of an attachment, or else of one that is being read."""
        chip = named(QFrame(self._body), "attachment")
        name = ElidedLabel(chip, Qt.TextElideMode.ElideMiddle)
        button = QToolButton(chip)
        kind = label(chip, "muted")
        self._kinds.append(kind)
        # What is left out may be long: its tooltip has all.
        details = styled(ElidedLabel(chip), "muted")
        kind.setText(Path(file).suffix[1:].upper())
        name.setText(file)
        name.setMaximumWidth(_WIDEST_FILE_NAME)
        name.setMinimumWidth(min(name.sizeHint().width(), _NARROWEST_FILE_NAME))
        details.setText(facts)
        styled(button, "quiet").setIcon(icon("close"))
        if reading is not None:
            self._progress[reading] = details
            set_name(button, self.tr("Cancel reading {name}").format(name=file))
            button.clicked.connect(lambda: self.cancel(reading))
        elif attachment is not None:
            set_name(button, self.tr("Remove {name}").format(name=file))
            button.clicked.connect(lambda: self.remove(attachment))
        button.clicked.connect(self.removed)
        fill(hbox(chip, margins=(10, 3, 4, 3), spacing=6), first, name, kind, details, *parts, button)
        return chip

    def _text_button(self, attachment: Attachment) -> QToolButton:
        """Return a button that takes the pictures out of a document."""
        button = styled(QToolButton(self._body), "quiet")
        button.setText(self.tr("Text only"))
        button.setToolTip(self.tr("Attach the document without its pictures"))
        button.clicked.connect(lambda: self.replace(attachment, without_pictures(attachment)))
        return button

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

    def _parts_button(self, attachment: Attachment, read: Callable[[Selection], None]) -> QToolButton:
        """Return a button with a menu of a file's sheets or chapters, or a field for its pages, which `read` gets."""
        extent = extent_of(attachment)
        button = styled(QToolButton(self._body), "quiet")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        if extent.names:
            is_chapters = extent.kind == CHAPTER
            button.setText(self.tr("Chapters…") if is_chapters else self.tr("Sheets…"))
            words = self.tr("All chapters") if is_chapters else self.tr("All sheets")
            menu.addAction(words, partial(read, Selection()))
            menu.addSeparator()
            self._add_names(menu, extent, read)
        else:
            is_slides = extent.kind == "slide"
            button.setText(self.tr("Slides…") if is_slides else self.tr("Pages…"))
            words = self.tr("All slides") if is_slides else self.tr("All pages")
            menu.addAction(words, partial(read, Selection()))
            menu.addAction(self._pages_field(menu, extent, read))
        button.setMenu(menu)
        return button

    def _add_names(self, menu: QMenu, extent: Extent, read: Callable[[Selection], None]) -> None:
        """Add a box for each sheet or chapter, and what reads the ticked ones: first those of the text, if not all."""
        read_now = frozenset[int]() if extent.is_whole else frozenset(extent.numbers)
        boxes: dict[str, TickBox] = {}
        for position, name in enumerate(extent.names, 1):
            box = TickBox(name.replace("&", "&&"), menu)
            box.setChecked(position in read_now)
            action = QWidgetAction(menu)
            action.setDefaultWidget(box)
            menu.addAction(action)
            boxes[name] = box

        def ticked() -> tuple[str, ...]:
            return tuple(name for name, box in boxes.items() if box.isChecked())

        menu.addSeparator()
        is_chapters = extent.kind == CHAPTER
        words = self.tr("Attach the ticked chapters") if is_chapters else self.tr("Attach the ticked sheets")
        attach = menu.addAction(
            words, lambda: read(Selection(chapters=ticked()) if is_chapters else Selection(names=ticked()))
        )
        attach.setEnabled(bool(ticked()))
        for box in boxes.values():
            box.toggled.connect(lambda: attach.setEnabled(bool(ticked())))

    def _pages_field(self, menu: QMenu, extent: Extent, read: Callable[[Selection], None]) -> QWidgetAction:
        """Return a row of a menu with a field for the first and last page, or slide."""
        field = QLineEdit(menu)
        field.setPlaceholderText(self.tr("First to last, such as 1-40"))
        set_name(field, self.tr("First to last, such as 1-40"))

        def take() -> None:
            selection = pages_of(field.text())
            if selection is not None and selection.first <= extent.count:
                menu.close()
                read(selection)

        field.returnPressed.connect(take)
        action = QWidgetAction(menu)
        action.setDefaultWidget(field)
        return action

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
            "invisible-character": self.tr("%Ln invisible character(s)", "", count),
            "picture": self.tr("%Ln picture(s)", "", count),
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
