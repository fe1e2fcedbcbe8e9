"""The page of a folder: what its chats begin with, its files, and its chats."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QSize, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.chat.folder_files import FolderFiles
from app.chat.preset_button import name_of, named_presets
from app.chat.prompt_field import PromptField
from app.conversations.chat_settings import OWN, TOOLS_ON
from app.conversations.presets import Preset, preset_in_use
from app.conversations.projects import MODELS, PRESET, models_of, preset_of
from app.conversations.records import Folder
from app.session import prompt_variables
from app.session.session import Session
from app.widgets import theme
from app.widgets.controls import Chooser
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label, set_name
from app.widgets.layouts import fill, hbox, keep_right_edge, vbox
from app.widgets.overlay import HighArea, Overlay
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.widgets.throttle import single_shot
from app.wording.sources import recorded_name
from engine.model_files.names import name_of_snapshot

# As in the card of a chat's settings.
_SIDES = (4, 0, 12, 0)
# Instructions are stored this many milliseconds after the last key press.
_PAUSE_MS = 400


class FolderPage(Restyled, Overlay):
    """A card that follows the folder that it was opened for. `chat_wanted` carries its id for a new chat in it."""

    chat_wanted = Signal(int)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window, 640)
        self._session = session
        self._folder: Folder | None = None
        # Whether instructions were typed that are not stored yet.
        self._is_typed = False
        self._typed = single_shot(self, self._store_typed, _PAUSE_MS)
        self.closed.connect(self._store_typed)

    def open_for(self, folder_id: int) -> None:
        """Open the page of a folder, and read its files again where they have changed on the disk."""
        self._store_typed()
        projects = self._session.projects
        self._folder = self._session.list.folder(folder_id)
        if self._folder is not None:
            self.open()
            projects.follow(folder_id, lambda: projects.read_again(folder_id))

    def end(self) -> None:
        """Store what was typed, and stop counting tokens."""
        if self._folder is not None:
            self._store_typed()
            self.files.end()

    def make(self) -> None:
        self._title = ElidedLabel(self)
        styled(self._title, "title")
        self._close = self.bound("Close", QToolButton(self), set_name)
        self._close.clicked.connect(self.close_overlay)
        body = QWidget(self)
        body.setObjectName("overlayBody")
        self.prompt = PromptField(body, for_folder=True)
        self._captions = (
            self.bound("New chats begin with", label(body, "title")),
            self.bound("Preset", QLabel(body)),
            self.bound("Models", QLabel(body)),
            self.bound("Tools", QLabel(body)),
        )
        self.preset = Chooser(body, chosen=self._choose_preset)
        self.models = Chooser(body, chosen=partial(self._set, MODELS))
        self.tools = Chooser(body, (None, True, False), partial(self._set, TOOLS_ON))
        self.files = FolderFiles(self._session, body)
        self._heading = self.bound("Chats", label(body, "title"))
        self.chats = vbox(margins=(0, 0, 0, 0), spacing=0)
        self._links: list[QPushButton] = []
        self._listed: list[tuple[int, str]] | None = None
        self.new_chat = self.bound("New chat in this folder", styled(QPushButton(self), "accent"))
        self.new_chat.clicked.connect(self._begin_chat)
        self._build(body)
        self._connect()
        self.restyle()

    def _build(self, body: QWidget) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._captions[0], 0, 0, 1, 2)
        for row, (caption, control) in enumerate(zip(self._captions[1:], self._choosers, strict=True), 1):
            caption.setBuddy(control)
            control.setMinimumWidth(96)
            grid.addWidget(caption, row, 0)
            grid.addWidget(control, row, 1)
        column = vbox(body, margins=_SIDES, spacing=16)
        chats = fill(vbox(spacing=2), self._heading, self.chats)
        fill(column, self.prompt, self.files, grid, chats, 1)
        area = HighArea(self)
        area.setWidget(body)
        keep_right_edge(area, column)
        head = fill(hbox(margins=_SIDES), (self._title, 1), self._close)
        foot = fill(hbox(margins=_SIDES), 1, self.new_chat)
        fill(self.column, head, (area, 1), foot)

    @property
    def _choosers(self) -> tuple[Chooser, Chooser, Chooser]:
        return self.preset, self.models, self.tools

    def _connect(self) -> None:
        session = self._session
        self.prompt.edited.connect(self._note_typed)
        for changed in (session.projects.changed, session.list.changed, session.models.changed):
            changed.connect(self.refresh)
        for changed in (session.settings.presets_changed, session.answers.read_ahead):
            changed.connect(self.refresh)

    def fill(self) -> None:
        self.refresh()
        self.prompt.edit.setFocus()

    def refresh(self) -> None:
        """Show the folder as it is now, but leave the instructions that are being typed."""
        if self._folder is None:
            return
        project = self._session.projects.known(self._folder.id)
        if project is None:
            # It was deleted, or joined with another one.
            self.close_overlay()
            return
        self._folder = project.folder
        self._title.setText(self._folder.name)
        text = self.prompt.edit.toPlainText() if self._is_typed else self._folder.instructions
        self.prompt.show_prompt(text, prompt_variables.values(self._session.models.pair))
        self._show_presets(self._folder)
        self._show_models(self._folder)
        self.tools.set_texts((self.tr("As in other chats"), self.tr("On"), self.tr("Off")))
        self.tools.set_value(self._folder.settings.get(TOOLS_ON))
        self.files.show_project(project)
        self._show_chats(self._folder)

    def _show_presets(self, folder: Folder) -> None:
        listed, chosen = named_presets(self._session), preset_of(folder)
        known = None if chosen is None else preset_in_use(listed, chosen.system_prompt, chosen.own)
        self.preset.clear()
        self.preset.addItem(self.tr("As in other chats"), None)
        for preset in listed if chosen is None or known else [chosen, *listed]:
            self.preset.addItem(name_of(None if preset is chosen and not known else preset), preset)
        self.preset.setCurrentIndex(0 if chosen is None else 1 + listed.index(known) if known else 1)

    def _show_models(self, folder: Folder) -> None:
        chosen, pair = models_of(folder), self._session.models.pair
        loaded = None if pair.main is None or pair.loading else pair.paths
        self.models.clear()
        self.models.addItem(self.tr("Those that are loaded"), None)
        choices = [one for one in dict.fromkeys((chosen, loaded)) if one is not None]
        for main, draft in choices:
            names = (recorded_name(name_of_snapshot(Path(path))) for path in (main, draft) if path)
            self.models.addItem(" + ".join(names), [main, draft])
        self.models.setCurrentIndex(0 if chosen is None else 1)

    def _show_chats(self, folder: Folder) -> None:
        listed = [chat for chat in self._session.list.chats if chat.folder_id == folder.id]
        if [(chat.id, chat.title) for chat in listed] == self._listed:
            return
        self._listed = [(chat.id, chat.title) for chat in listed]
        for link in self._links:
            link.hide()
            link.deleteLater()
        self._links = []
        for chat in listed:
            link = styled(QPushButton(self), "plain")
            title = chat.title or QCoreApplication.translate("ChatPane", "Untitled chat")
            link.setText(title.replace("&", "&&"))
            link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            link.clicked.connect(partial(self._open_chat, chat.id))
            self.chats.addWidget(link)
            self._links.append(link)
        self._heading.setVisible(bool(listed))

    def _open_chat(self, chat_id: int) -> None:
        self.close_overlay()
        self._session.chats.open_id(chat_id)

    def _begin_chat(self) -> None:
        self.close_overlay()
        if self._folder is not None:
            self.chat_wanted.emit(self._folder.id)

    # Changes

    def _choose_preset(self, preset: Preset | None) -> None:
        self._set(PRESET, preset and {"system_prompt": preset.system_prompt, OWN: dict(preset.own)})

    def _set(self, key: str, value: Any) -> None:
        if self._folder is not None:
            self._session.projects.set_setting(self._folder.id, key, value)

    def _note_typed(self) -> None:
        self._is_typed = True
        self._typed.start()

    def _store_typed(self) -> None:
        if self._is_typed and self._folder is not None:
            self._is_typed = False
            self._session.projects.set_instructions(self._folder.id, self.prompt.edit.toPlainText())

    def retranslate(self) -> None:
        self.refresh()

    def apply_theme(self) -> None:
        self._close.setIcon(icon("close", theme.colours().muted))
        self._close.setIconSize(QSize(16, 16))
