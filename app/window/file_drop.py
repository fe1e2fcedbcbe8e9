"""What a window with a message box does with files and pictures that are dropped on it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QDragEnterEvent, QDropEvent

from app.composer.message_edit import files_in
from app.window.actions.window_action import ActedWindow
from engine.documents.formats import program_of


class FileDrop(ActedWindow):
    """A window that attaches dropped and pasted files to its message, after `take_files`.

    A model in a GGUF file is loaded instead, and chats in a folder are imported.
    """

    def take_files(self) -> None:
        """Take what is dropped on the window, or pasted or dropped into the message box, from now on."""
        self.setAcceptDrops(True)
        self.parts.composer.edit.files_given.connect(self.attach_files)
        self.parts.composer.edit.picture_given.connect(self.attach_picture)

    def attach_files(self, files: list[str]) -> None:
        if len(files) == 1 and files[0].lower().endswith(".gguf"):
            self.session.models.load(files[0], None)
            return
        # Some programs save a folder that the Finder shows as a file.
        if len(files) == 1 and not program_of(Path(files[0]).name) and Path(files[0]).is_dir():
            self.transfer.read(Path(files[0]))
            return
        self.parts.attachments.attach(files, self.parts.composer.files)
        self.parts.composer.setFocus()

    def attach_picture(self, image: object) -> None:
        self.parts.attachments.attach_picture(image, self.parts.composer.files)
        self.parts.composer.setFocus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and pictures."""
        if files_in(event.mimeData()) or event.mimeData().hasImage():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        if files := files_in(event.mimeData()):
            self.attach_files(files)
        else:
            self.attach_picture(event.mimeData().imageData())
