"""The card that says which apps' chats can be imported and where their exports come from, and takes the export."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.widgets.buttons import CloseButton, button
from app.widgets.labels import WrappedLabel, label
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware


class ImportCard(ThemeAware, Overlay):
    """`file_wanted` and `folder_wanted` ask for the dialog that chooses the export."""

    file_wanted = Signal()
    folder_wanted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 640)

    def make(self) -> None:
        title = self.bound("Import chats", label(self, "title"))
        self._area = WrappingArea(self)
        self.bound("Import chats", self._area, QWidget.setAccessibleName)
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._note = styled(WrappedLabel(self), "muted")
        self.choose_folder = self.bound("Choose folder…", button(self, self._ask_for_folder))
        self.choose_file = self.bound("Choose file…", button(self, self._ask_for_file, "accent"))
        self.column.setContentsMargins(20, 16, 20, 16)
        head = fill(hbox(), (title, 1), CloseButton(self, self.close_overlay))
        foot = fill(hbox(), (self._note, 1), self.choose_folder, self.choose_file)
        fill(self.column, head, (self._area, 1), foot)
        self.restyle()

    def fill(self) -> None:
        self.choose_file.setFocus()

    def _ask_for_file(self) -> None:
        self.close_overlay()
        self.file_wanted.emit()

    def _ask_for_folder(self) -> None:
        self.close_overlay()
        self.folder_wanted.emit()

    def _places(self) -> dict[str, str]:
        """Return where the export of each app comes from. The apps' own menus keep their English names."""
        by_mail = self.tr("{menu}. A link to the ZIP file comes by mail.")
        as_json = self.tr("{menu}, as JSON")
        of_data = self.tr("The ZIP file with the data of your account")
        files_in = self.tr("The files in {folder}")
        return {
            "ChatGPT": by_mail.format(menu="Settings › Data controls › Export data"),
            "Claude": by_mail.format(menu="Settings › Privacy › Export data"),
            "Gemini": as_json.format(menu="takeout.google.com › My Activity › Gemini Apps"),
            "AI Studio": files_in.format(folder="Google Drive › Google AI Studio"),
            "DeepSeek": of_data,
            "Grok": of_data,
            "Le Chat": of_data,
            "Perplexity": of_data,
            "LM Studio": files_in.format(folder="~/.lmstudio/conversations"),
            "Ollama": "~/Library/Application Support/Ollama/db.sqlite",
            "Claude Code": files_in.format(folder="~/.claude/projects"),
            "Codex": files_in.format(folder="~/.codex/sessions"),
            "SillyTavern": files_in.format(folder="SillyTavern/data/default-user/chats"),
            "Jan": self.tr("A thread's messages.jsonl, beside its thread.json"),
            "Cherry Studio": self.tr("The backup, a ZIP file"),
            "Open WebUI": as_json.format(menu="Export"),
            "Qwen Chat": as_json.format(menu="Export"),
            "Chatbox": as_json.format(menu="Export"),
            "TypingMind": as_json.format(menu="Export"),
            "LobeChat": as_json.format(menu="Export"),
            "LibreChat": as_json.format(menu="Export"),
            "AnythingLLM": as_json.format(menu="Workspace Chats › Export"),
            "llama.cpp": as_json.format(menu="Export"),
            "Tandem": self.tr("File › Export all chats…"),
        }

    def retranslate(self) -> None:
        note = self.tr("Importing a file again adds only what is new. When choosing, {keys} goes to a hidden folder.")
        self._note.setText(note.format(keys="⇧⌘G"))
        body = QWidget()
        grid = QGridLayout(body)
        # Together with the place of the scroll bar, the room that there is at the right of the card.
        grid.setContentsMargins(0, 0, 2, 0)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(16)
        for row, (app, place) in enumerate(self._places().items()):
            grid.addWidget(QLabel(app, body), row, 0)
            where = styled(WrappedLabel(body), "muted")
            where.setText(place)
            grid.addWidget(where, row, 1)
        self._area.setWidget(body)
        # The area has just turned it on.
        body.setAutoFillBackground(False)
        self._area.viewport().setAutoFillBackground(False)
