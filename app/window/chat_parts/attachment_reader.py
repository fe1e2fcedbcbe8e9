"""Reads the files attached to the next question, and says which pictures the main model cannot see."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from shutil import rmtree

from PySide6.QtCore import QBuffer, QCoreApplication, QLocale, QObject
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QFileDialog

from app.composer.attachment_row import AttachmentRow
from app.composer.file_readings import Reading
from app.conversations.database.errors import StoreError
from app.conversations.database.records import Attachment, attached_pictures
from app.library.library import Library
from app.session.attachments import BEYOND_LIMITS, read_attachment, read_picture
from app.session.project_service import MOST_FILES
from app.session.session import Session
from app.session.store_client import StoreClient
from app.system.background import Background
from app.system.cancelled import Cancelled
from app.text.file_texts import NotAttachable
from app.widgets.banner import Banner
from app.wording.errors import error_sentence
from app.wording.figures import number
from app.wording.pictures import no_vision_sentence, not_installed_sentence
from engine.documents.formats import program_of
from engine.documents.text.parts import Selection
from engine.errors import EngineError, PicturesNotInstalled
from engine.pictures.picture_file import MOST_MEGABYTES

# How long closing waits for the current step of reading a file.
_READING_CLOSE_S = 5.0
# The topic of the messages that say why a file cannot be attached.
_REFUSED = "attachments"
# How many files a message names.
_MOST_NAMED = 5


class AttachmentReader(QObject):
    """Reads one file after another, and shows why a file cannot be attached."""

    def __init__(self, session: Session, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._banner = banner
        # Attachments have a thread of their own, so that an import does not delay them.
        self._background = Background("attachments", parent=self)
        self._readings: list[Reading] = []
        self._newest: Future[Attachment] | None = None
        session.chats.opened.connect(lambda _chat: self.forget_reasons())
        session.projects.left_out.connect(self._show_left_out)

    def choose_files(self, row: AttachmentRow) -> None:
        names, _ = QFileDialog.getOpenFileNames(row.window(), self.tr("Attach files"), str(Path.home()))
        self.attach(names, row)

    def attach(self, files: list[str], row: AttachmentRow) -> None:
        """Read files for the chat of `row`, which shows them."""
        for file in map(Path, files):
            self._run(file.name, file, row)

    def _run(
        self,
        name: str,
        source: Path | Callable[[], bytes],
        row: AttachmentRow,
        selection: Selection | None = None,
        replaces: Attachment | None = None,
    ) -> None:
        """Read a file, or the picture that a function returns, in the background.

        Of a document, the `selection` is read, or else as much as fits; it is in the place of the file that it
        `replaces`.
        """
        read_parts = partial(self._read_parts, source, row) if isinstance(source, Path) else None
        reading = row.begin(name, read_parts, replaces)
        wanted = selection or Selection()
        self._readings.append(reading)
        pair = self._session.models.pair
        # Which model will be asked is not known before one is loaded.
        sees = pair.main is None or pair.sees
        store = self._session.store.of(reading.chat)
        self._newest = self._background.run(
            partial(self._read, source, QLocale().name(), reading, store, wanted, sees),
            partial(self._attach, row, reading),
            partial(self._drop, row, reading),
        )

    def _read_parts(self, source: Path, row: AttachmentRow, attachment: Attachment, selection: Selection) -> None:
        """Read other parts of a file that is attached."""
        self._run(attachment.name, source, row, selection, attachment)

    def attach_picture(self, image: object, row: AttachmentRow) -> None:
        """Attach a pasted or dropped picture that is not a file to the message of `row`."""
        self._run(self.tr("Picture") + ".png", partial(_file_of, image), row)

    def attach_once(self, file: Path, row: AttachmentRow) -> None:
        """Attach a picture, if there is its file, and remove that with its folder."""
        if file.exists():
            self._run(file.name, partial(_taken, file), row)
        else:
            file.parent.rmdir()

    def close(self) -> None:
        """Stop reading."""
        for reading in self._readings:
            reading.time.abandoned.set()
        if self._newest is not None:
            wait([self._newest], _READING_CLOSE_S)
        self._background.close(wait=False)

    # On the background thread

    def _read(
        self,
        source: Path | Callable[[], bytes],
        language: str,
        reading: Reading,
        store: StoreClient,
        selection: Selection,
        sees: bool,
    ) -> Attachment:
        if not reading.wanted:
            raise Cancelled
        if isinstance(source, Path):
            return read_attachment(source, language, reading.time, store.keep_picture, selection, sees=sees)
        return read_picture(reading.name, source(), store.keep_picture, reading.time)

    # On the Qt thread

    def _attach(self, row: AttachmentRow, reading: Reading, attachment: Attachment) -> None:
        """Add the file to the unsent message of its chat, which the row may not show any more."""
        chat = reading.chat
        self._readings.remove(reading)
        if not reading.wanted:
            return
        if chat is row.chat or not self._session.chats.has(chat):
            row.finish(reading, attachment)
            return
        row.finish(reading, None)
        if attachment not in chat.unsent_attachments:
            self._session.chats.keep_unsent(chat, chat.unsent, (*chat.unsent_attachments, attachment))

    def _drop(self, row: AttachmentRow, reading: Reading, error: Exception) -> None:
        self._readings.remove(reading)
        if isinstance(error, Cancelled):
            return
        row.finish(reading, None)
        if not reading.wanted:
            return
        if isinstance(error, StoreError):
            self._session.store.failed.emit(error)
        elif isinstance(error, EngineError):
            self._show(f"{reading.name}: {error_sentence(error)}")
        elif isinstance(error, NotAttachable):
            self.show_reason(error)
        else:
            raise error

    def show_reason(self, error: NotAttachable) -> None:
        self._show(self.reason(error))

    def reason(self, error: NotAttachable) -> str:
        """Say why a file cannot be read."""
        unusable = self.tr("{name} cannot be used: the picture is damaged, animated or too large.")
        sentences = {
            "not-text": self.tr("{name} is not a text file. Tandem attaches text, code, documents and pictures."),
            "unknown-encoding": self.tr("The text encoding of {name} was not recognized. Save it as UTF-8."),
            "too-large": self.tr("{name} is too large for any model's context."),
            "unreadable": self.tr("{name} cannot be read."),
            "picture": unusable,
            "unusable-picture": unusable,
            PicturesNotInstalled.code: "{name}: " + not_installed_sentence(),
            "gone": self.tr("{name} is no longer there."),
            "too-many": self.tr("{name} contains more than {count} files. Choose a smaller folder."),
            "encrypted": self.tr("{name} is password-protected. Save a copy without a password and attach that."),
            "damaged": self.tr("{name} is damaged: its text cannot be read."),
            "empty": self.tr("{name} contains no text."),
            "old-format": self.tr(
                "{name} has an old format. Save it as DOCX, XLSX or PPTX, or as PDF. Where LibreOffice is installed, "
                "Tandem reads it as it is."
            ),
            "other-program": self.tr("Tandem cannot read {name}. Open it in {program} and export it as PDF."),
            "no-text": self._sentence_on_images(),
            "too-slow": self.tr("{name} takes too long to read and was skipped."),
            "too-much-memory": self.tr("{name} takes too much memory to read and was skipped."),
            "no-time": self.tr("There was no time left to read {name}. The next question tries again."),
        }
        count = number(MOST_FILES, 0)
        program = program_of(error.name)
        return sentences[error.reason].format(name=error.name, count=count, program=program)

    def _sentence_on_images(self) -> str:
        """Return why a file of images has no text. Every Mac recognizes text; others need a program for that."""
        if sys.platform == "darwin":
            return self.tr("{name} contains only images, in which no text was recognized.")
        return self.tr(
            "{name} contains only images, such as scanned pages. Run OCR on it first, or install Tesseract, with "
            "which Tandem reads them itself."
        )

    def _show_left_out(self, files: list[tuple[NotAttachable, bool]]) -> None:
        """Say which files of the folder are missing from the question or out of date.

        A file that could not be read is missing, or begins with the content that it had before.
        """
        if len(files) > 1:
            names = [error.name for error, _ in files[:_MOST_NAMED]]
            if (more := len(files) - _MOST_NAMED) > 0:
                names.append(self.tr("{count} more").format(count=number(more, 0)))
            words = self.tr("These files take too long to read and were skipped: {files}")
            if any(error.reason not in BEYOND_LIMITS for error, _ in files):
                words = QCoreApplication.translate("FolderPage", "Not read: {files}")
            self._show(words.format(files=QLocale().createSeparatedList(names)))
            return
        for error, has_text in files:
            sentence = self.reason(error)
            if has_text and error.reason == "too-slow":
                again = self.tr("{name} takes too long to read, so the chat begins with what it contained before.")
                sentence = again.format(name=error.name)
            elif has_text and error.reason not in BEYOND_LIMITS:
                again = QCoreApplication.translate("FolderPage", "Chats begin with what it contained before.")
                sentence = f"{sentence} {again}"
            self._show(sentence)

    def _show(self, sentence: str) -> None:
        """Show a reason, in one notice with those that are still shown."""
        earlier = [notice.text for notice in self._banner.shown if notice.message.about == _REFUSED]
        self._banner.dismiss(_REFUSED)
        words = "\n".join(dict.fromkeys([*"\n".join(earlier).split("\n"), sentence])).strip()
        self._banner.show_message(lambda: words, about=_REFUSED)

    def forget_reasons(self) -> None:
        """Dismiss the messages about refused files. Called when a question is sent or another chat is shown."""
        self._banner.dismiss(_REFUSED)


def _taken(file: Path) -> bytes:
    content = file.read_bytes()
    rmtree(file.parent)
    return content


def _file_of(image: object) -> bytes:
    """Return a picture as PNG, a large photo as JPEG; b"" if what the clipboard calls a picture cannot be read."""
    buffer = QBuffer()
    if isinstance(image, QImage):
        image.save(buffer, "PNG")  # type: ignore[call-overload]
        if buffer.size() > MOST_MEGABYTES * 2**20:
            buffer = QBuffer()
            image.save(buffer, "JPEG", 95)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


_ABOUT = "vision"
# How many models the sentence names.
_MOST_SEEING = 3


class VisionHint(QObject):
    """Says that the main model cannot see the pictures of the chat and its next question, and which models can."""

    def __init__(
        self, session: Session, library: Library, files: AttachmentRow, banner: Banner, choose: QAction, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._library = library
        self._files = files
        self._banner = banner
        self._choose_action = choose
        self._shown_hint = "", False
        for changed in (files.changed, session.models.changed):
            changed.connect(self._check)
        session.chats.opened.connect(lambda _chat: self._check())

    def _check(self) -> None:
        pair = self._session.models.pair
        asked = any(turn.pictures(sees=False) for turn in self._session.chat.turns)
        # As long as it is why nothing can be sent, it stays.
        stays = bool(attached_pictures(self._files.attachments))
        name = pair.names[0] if pair.main and not pair.sees and (asked or stays) else ""
        if self._shown_hint == (name, stays):
            return
        self._shown_hint = name, stays
        self._banner.dismiss(_ABOUT)
        if name:
            # Nothing has failed: what the model can't do is no problem in red.
            self._banner.show_message(
                lambda: self._sentence(name),
                self._choose_action,
                is_info=True,
                stays=True,
                closable=not stays,
                about=_ABOUT,
            )

    def _sentence(self, name: str) -> str:
        # Imported here because most questions have no picture.
        from app.library.model_choices import models_that_see

        seeing = models_that_see(self._library.inventory)[:_MOST_SEEING]
        return no_vision_sentence(name, [entry.name for entry in seeing])
