"""Reads the files attached to the next question in the background and hands them to the composer."""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QFileDialog

from app.chat.attachment_row import AttachmentRow, Reading
from app.conversations.records import Attachment
from app.session.attachments import NotAttachable, read_attachment
from app.session.chats import Chat
from app.session.project_files import MOST_FILES
from app.session.session import Session
from app.system.background import Background
from app.system.cancelled import Cancelled
from app.widgets.banner import Banner
from app.wording.figures import number

# How long closing waits for the current step of reading a file.
CLOSE_WITHIN_S = 5.0
# The topic of the messages that say why a file cannot be attached.
_REFUSED = "attachments"


class AttachmentReader(QObject):
    """Reads one file after another, and shows why a file cannot be attached."""

    def __init__(self, session: Session, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._banner = session, banner
        # Attachments have a thread of their own, so that an import does not delay them.
        self._background = Background("attachments", parent=self)
        self._closing = threading.Event()
        self._newest: Future[Attachment] | None = None
        session.chats.opened.connect(lambda _chat: self.forget_reasons())

    def choose_files(self, row: AttachmentRow) -> None:
        names, _ = QFileDialog.getOpenFileNames(row.window(), self.tr("Attach files"), str(Path.home()))
        self.attach(names, row)

    def attach(self, files: list[str], row: AttachmentRow) -> None:
        """Read files for the chat on screen; `row` shows them."""
        chat = self._session.chat
        for file in map(Path, files):
            reading = row.begin(file.name)
            self._newest = self._background.run(
                partial(self._read, file, QLocale().name(), reading),
                partial(self._attach, chat, row, reading),
                partial(self._drop, row, reading),
            )

    def close(self) -> None:
        """Stop reading after the current step."""
        self._closing.set()
        if self._newest is not None:
            wait([self._newest], CLOSE_WITHIN_S)
        self._background.close(wait=False)

    # On the background thread

    def _read(self, file: Path, language: str, reading: Reading) -> Attachment:
        self._check_wanted(reading)
        return read_attachment(file, language, partial(self._check_wanted, reading))

    def _check_wanted(self, reading: Reading) -> None:
        if self._closing.is_set() or not reading.wanted:
            raise Cancelled

    # On the Qt thread

    def _attach(self, chat: Chat, row: AttachmentRow, reading: Reading, attachment: Attachment) -> None:
        """Add the file to the unsent message of its chat, which may not be on screen any more."""
        if not reading.wanted:
            return
        if chat is self._session.chat or not self._session.chats.has(chat):
            row.finish(reading, attachment)
            return
        row.finish(reading, None)
        if attachment not in chat.unsent_attachments:
            self._session.chats.keep_unsent(chat, chat.unsent, (*chat.unsent_attachments, attachment))

    def _drop(self, row: AttachmentRow, reading: Reading, error: Exception) -> None:
        if isinstance(error, Cancelled):
            return
        row.finish(reading, None)
        if not reading.wanted:
            return
        if not isinstance(error, NotAttachable):
            raise error
        self.show_reason(error)

    def show_reason(self, error: NotAttachable) -> None:
        self._show(self.reason(error))

    def reason(self, error: NotAttachable) -> str:
        """Say why a file cannot be read."""
        sentences = {
            "not-text": self.tr("{name} is not a text file. Tandem attaches text, code and PDF files."),
            "picture": self.tr(
                "Models in Tandem read text only, so {name} cannot be attached. Copy the text out of the picture and "
                "paste it, or attach a text, code or PDF file."
            ),
            "unknown-encoding": self.tr("The text encoding of {name} was not recognized. Save it as UTF-8."),
            "too-large": self.tr("{name} is too large for any model's context."),
            "unreadable": self.tr("{name} cannot be read."),
            "gone": self.tr("{name} is no longer there."),
            "too-many": self.tr("{name} contains more than {count} files. Choose a smaller folder."),
            "encrypted": self.tr("{name} is password-protected. Save a copy without a password and attach that."),
            "damaged": self.tr("{name} is damaged: its text cannot be read."),
            "no-text": self.tr("{name} contains only images, such as scanned pages. Run OCR on it first."),
        }
        return sentences[error.reason].format(name=error.name, count=number(MOST_FILES, 0))

    def _show(self, sentence: str) -> None:
        self._banner.show_message(lambda: sentence, about=_REFUSED)

    def refuse_picture(self) -> None:
        """Say that a pasted or dropped picture cannot be attached."""
        self._show(
            self.tr(
                "Models in Tandem read text only. Copy the text out of the picture and paste it, or attach a text, "
                "code or PDF file."
            )
        )

    def forget_reasons(self) -> None:
        """Dismiss the messages about refused files. Called when a question is sent or another chat is shown."""
        self._banner.dismiss(_REFUSED)
