"""Files that go with the next question, wired between their row in the composer, the disk and the session."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QFileDialog

from app.session.attachments import NotAttachable, read_attachment
from app.system.stopping import Cancelled

if TYPE_CHECKING:
    from app.chat.attachment_row import AttachmentRow, Reading
    from app.conversations.records import Attachment
    from app.session.chats import Chat
    from app.session.session import Session
    from app.widgets.banner import Banner
    from app.window.transfer import Transfer


class Attaching(QObject):
    """Reads files beside the window's work and says what cannot go along."""

    def __init__(self, session: Session, transfer: Transfer, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._transfer, self._banner = session, transfer, banner

    def attach(self, files: list[str], row: AttachmentRow) -> None:
        """Read files beside the window's work; `row` shows them."""
        chat = self._session.chat
        for file in map(Path, files):
            reading = row.begin(file.name)
            self._transfer.run(
                partial(read_attachment, file, QLocale().name(), partial(self._check_wanted, reading)),
                partial(self._attached, chat, row, reading),
                partial(self._not_attached, row, reading),
            )

    def _check_wanted(self, reading: Reading) -> None:
        """On the thread that reads the file."""
        if self._transfer.closing or not reading.wanted:
            raise Cancelled

    def choose_files(self, row: AttachmentRow) -> None:
        names, _ = QFileDialog.getOpenFileNames(row.window(), self.tr("Attach files"), str(Path.home()))
        self.attach(names, row)

    def _attached(self, chat: Chat, row: AttachmentRow, reading: Reading, attachment: Attachment) -> None:
        """It goes with what is written in the chat that it was given to, whichever is on screen by now."""
        if not reading.wanted:
            return
        if chat is self._session.chat or not self._session.chats.has(chat):
            row.finish(reading, attachment)
            return
        row.finish(reading, None)
        if attachment not in chat.unsent_attachments:
            self._session.chats.keep_unsent(chat, chat.unsent, (*chat.unsent_attachments, attachment))

    def _not_attached(self, row: AttachmentRow, reading: Reading, error: BaseException) -> None:
        row.finish(reading, None)
        if reading.wanted:
            self._tell_not_attached(error)

    def _tell_not_attached(self, error: BaseException) -> None:
        if not isinstance(error, NotAttachable):
            raise error
        sentences = {
            "not-text": self.tr("{name} is not a text file. Tandem attaches text, code and PDF files."),
            "unknown-encoding": self.tr("{name} is in an encoding that Tandem does not know. Save it as UTF-8."),
            "too-large": self.tr("{name} is too large: its text would fill any context."),
            "unreadable": self.tr("{name} cannot be read."),
            "encrypted": self.tr("{name} is protected by a password. Save it without one and attach it again."),
            "damaged": self.tr("{name} is damaged: its text cannot be read."),
            "no-text": self.tr("{name} has no text, only pictures, like a scan. Run text recognition on it first."),
        }
        sentence = sentences[error.reason].format(name=error.name)
        self._banner.show_message(lambda: sentence, None)
