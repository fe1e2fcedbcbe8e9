"""The page of a folder: what its chats begin with, what its files take of the context, and its chats."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, QSize, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLabel, QListWidget, QListWidgetItem, QPushButton, QWidget

from app.composer.attachment_row import AttachmentRow
from app.composer.choice_buttons import name_of, named_presets
from app.composer.prompt_field import PromptField
from app.conversations.chat_settings import TOOLS_ON
from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Attachment, Folder, Source, pictures_in
from app.conversations.presets import Preset
from app.conversations.projects import MODELS, PRESET, files_text, models_of, preset_of, source_name
from app.session import prompt_variables
from app.session.attachments import source_tokens
from app.session.session import Session
from app.system.background import Background
from app.text.file_texts import NotAttachable
from app.widgets import theme
from app.widgets.badges import Bar
from app.widgets.buttons import CloseButton
from app.widgets.controls import Chooser
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, keep_right_edge, vbox
from app.widgets.overlay import HighArea, Overlay
from app.widgets.search_field import TextField
from app.widgets.style_class import named, set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot
from app.wording.figures import number
from app.wording.pictures import left_out_sentence
from app.wording.sources import recorded_name
from engine.model_files.names import name_of_snapshot

_SIDES = (4, 0, 12, 0)
# Instructions are stored this many milliseconds after the last key press.
_PAUSE_MS = 400
# The files should leave one part in this many of the context to the chat.
_CHAT_SHARE = 4
# The chats of the folder that are shown without scrolling, and the height of one in pixels.
_MOST_CHATS = 6
_CHAT_HEIGHT = 32


class FolderPage(ThemeAware, Overlay):
    """A card that follows the folder it was opened for. `chat_wanted` carries the folder's id for a new chat in it."""

    chat_wanted = Signal(int)

    def __init__(self, session: Session, reason: Callable[[NotAttachable], str], window: QWidget) -> None:
        """`reason` words why a file cannot be read."""
        super().__init__(window, 640)
        self._session = session
        self._reason = reason
        self._folder: Folder | None = None
        self._sources: dict[Attachment, Source] = {}
        self._refused: list[NotAttachable] = []
        self._typing_timer = single_shot(self, self._store_typed, _PAUSE_MS)
        self.closed.connect(lambda: self._store_typed() if self._typing_timer.isActive() else None)
        self._background = Background("folder-tokens", parent=self)

    def open_for(self, folder_id: int) -> None:
        """Open the page of a folder, and read its files again where they have changed on the disk."""
        self.close_overlay()
        self._folder = self._session.projects.folder(folder_id)
        if self._folder is not None:
            self.open()
            self._session.projects.read_again(folder_id)

    def open_for_new(self, folder_id: int) -> None:
        """Open the page of a folder that was just made: what is typed first is its name."""
        self.open_for(folder_id)
        if self._folder is not None:
            self.name.setFocus()
            self.name.selectAll()

    def end(self) -> None:
        """Store what was typed, and stop counting tokens."""
        self.close_overlay()
        self._background.close()

    def make(self) -> None:
        self.name = self.bound("Name of the folder", TextField(self), QWidget.setAccessibleName)
        body = named(QWidget(self), "overlayBody")
        self.prompt = PromptField(body)
        self.files = AttachmentRow(body)
        self.files.pictures = lambda: self._session.store.pictures
        set_start = partial(self._change, ConversationList.set_start)
        self.preset = Chooser(body, chosen=partial(set_start, PRESET))
        self.models = Chooser(body, chosen=partial(set_start, MODELS))
        self.tools = Chooser(body, (None, True, False), partial(set_start, TOOLS_ON))
        self.add_files = self.bound("Add files…", styled(QPushButton(body), "button-small"))
        self.add_folder = self.bound("Add a folder…", styled(QPushButton(body), "button-small"))
        self.bar = Bar(body)
        self.usage = label(body, "muted", wraps=True)
        self.left_out = label(body, "muted", wraps=True)
        self.problem = label(body, "problem", wraps=True)
        self.chats = self.bound("Chats", QListWidget(body), QWidget.setAccessibleName)
        self._chats_title = self.bound("Chats", label(body, "title"))
        self.new_chat = self.bound("New chat in this folder", styled(QPushButton(self), "accent"))
        self.done = self.bound("Done", styled(QPushButton(self), "button"))
        self._build(body)
        self._connect()
        self.restyle()

    def _build(self, body: QWidget) -> None:
        files = self.bound("Files", label(body, "title"))
        words = label(body, "muted", wraps=True)
        self.bound(
            "Every chat in this folder begins with all of these files, which the model reads whole; of documents, it "
            "gets the text without the pictures.",
            words,
        )
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.bound("New chats begin with", label(body, "title")))
        form.addRow(self.bound("Preset", QLabel(body)), self.preset)
        form.addRow(self.bound("Models", QLabel(body)), self.models)
        form.addRow(self.bound("Tools", QLabel(body)), self.tools)
        column = vbox(body, margins=_SIDES, spacing=12)
        head = fill(hbox(spacing=8), (files, 1), self.add_files, self.add_folder)
        fill(column, self.prompt, head, words, self.files, self.left_out, self.problem, self.bar, self.usage, form)
        fill(column, self._chats_title, self.chats, 1)
        area = HighArea(self)
        area.setWidget(body)
        keep_right_edge(area, column)
        top = fill(hbox(margins=_SIDES, spacing=8), (self.name, 1), CloseButton(self, self.close_overlay))
        fill(self.column, top, (area, 1), fill(hbox(margins=_SIDES, spacing=8), 1, self.done, self.new_chat))

    def _connect(self) -> None:
        session = self._session
        self.name.editingFinished.connect(self._rename)
        # Words that follow must not become a system prompt.
        self.name.returnPressed.connect(self.new_chat.setFocus)
        self.prompt.edited.connect(lambda _text: self._typing_timer.start())
        self.files.changed.connect(self._remove_missing)
        self.files.removed.connect(self.prompt.edit.setFocus)
        ask = QFileDialog
        self.add_files.clicked.connect(lambda: self._add(ask.getOpenFileNames(self, self.tr("Add files"))[0]))
        self.add_folder.clicked.connect(lambda: self._add([ask.getExistingDirectory(self, self.tr("Add a folder"))]))
        self.chats.itemClicked.connect(self._open_chat)
        self.chats.itemActivated.connect(self._open_chat)
        self.new_chat.clicked.connect(self._begin_chat)
        self.done.clicked.connect(self.close_overlay)
        for changed in (session.list.changed, session.models.changed, session.settings.presets_changed):
            changed.connect(self.retranslate)

    def fill(self) -> None:
        self._refused = []
        assert self._folder is not None
        self.name.setText(self._folder.name)
        self.prompt.show_prompt(self._folder.instructions, prompt_variables.values(self._session.models.pair))
        self.refresh()
        self.prompt.edit.setFocus()

    def refresh(self) -> None:
        """Show the folder as it is now, but leave the instructions, which only this page changes."""
        folder = None if self._folder is None else self._session.projects.folder(self._folder.id)
        if folder is None:
            # It was deleted, or joined with another one.
            self.close_overlay()
            return
        self._folder = folder
        if not self.name.hasFocus():
            self.name.setText(folder.name)
        self._show_files(folder)
        self._show_choices(folder)
        chats = [chat for chat in self._session.list.chats if chat.folder_id == folder.id]
        for shown in (self._chats_title, self.chats):
            shown.setVisible(bool(chats))
        self.chats.clear()
        for chat in chats:
            item = QListWidgetItem(chat.title or QCoreApplication.translate("ChatPane", "Untitled chat"), self.chats)
            item.setSizeHint(QSize(0, theme.scaled(_CHAT_HEIGHT)))
            item.setData(Qt.ItemDataRole.UserRole, chat.id)
        self.chats.setFixedHeight(theme.scaled(_CHAT_HEIGHT * min(len(chats), _MOST_CHATS)))

    def _show_choices(self, folder: Folder) -> None:
        others = self.tr("As in other chats")
        chosen = preset_of(folder)
        presets: list[Preset | None] = [None, *named_presets(self._session)]
        if chosen not in presets:
            presets.append(chosen)
        self.preset.clear()
        for preset in presets:
            self.preset.addItem(others if preset is None else name_of(preset), preset)
        self.preset.setCurrentIndex(presets.index(chosen))
        wanted = models_of(folder)
        pair = self._session.models.pair
        loaded = None if pair.main is None or pair.loading else pair.paths
        self.models.clear()
        self.models.addItem(self.tr("Those that are loaded"), None)
        for main, draft in (paths for paths in dict.fromkeys((wanted, loaded)) if paths is not None):
            names = (recorded_name(name_of_snapshot(Path(path))) for path in (main, draft) if path)
            self.models.addItem(" + ".join(names), [main, draft])
        self.models.setCurrentIndex(0 if wanted is None else 1)
        self.tools.set_texts((others, self.tr("On"), self.tr("Off")))
        self.tools.set_value(folder.settings.get(TOOLS_ON))

    def _show_files(self, folder: Folder) -> None:
        """Show the files and folders of the disk with what could not be read, and count their tokens."""
        self._sources = {_shown(source): source for source in folder.sources}
        self.files.show_files(tuple(self._sources))
        again = self.tr("Chats begin with what it contained before.")
        troubled = [NotAttachable(source_name(source), source.problem) for source in folder.sources if source.problem]
        unread = [file.name for source in folder.sources for file in source.files if file.problem]
        lines = [*map(self._reason, self._refused), *(f"{self._reason(error)} {again}" for error in troubled)]
        if unread:
            lines.append(self.tr("Not read: {files}").format(files=_listed(unread)))
        show_words(self.problem, "\n".join(lines))
        show_words(self.left_out, left_out_sentence(folder, self._session.models.pair))
        main = self._session.models.pair.main
        shown = dict(self._sources)
        limit = 0 if main is None else main.context_length

        def count() -> list[int | None]:
            return [
                None if main is None else source_tokens(main.path, source, main.pictures) for source in shown.values()
            ]

        def show(counts: list[int | None]) -> None:
            self._show_tokens(dict(zip(shown, counts, strict=True)), limit)

        self._background.run(count, show)

    def _show_tokens(self, counts_by_file: dict[Attachment, int | None], limit: int) -> None:
        """Show what the files take of the context and, if that is too much, which to leave out: the largest first."""
        self.files.show_counts(counts_by_file)
        counts = {file: count for file, count in counts_by_file.items() if count is not None}
        for part in (self.bar, self.usage):
            part.setVisible(bool(counts_by_file) and counts == counts_by_file)
        used = sum(counts.values())
        room = limit - limit // _CHAT_SHARE
        names = list[str]()
        left = used
        for file in sorted(counts, key=lambda file: -counts[file]):
            if left > room:
                names.append(file.name)
                left -= counts[file]
        role = "problem" if names else "main"
        self.bar.show_parts([(used / max(limit, 1), role)], self.tr("Context"))
        words = self.tr("{used} of {limit} tokens")
        if names:
            words = self.tr("{used} of {limit} tokens leave too little room for a chat. Remove: {files}")
        set_style_class(self.usage, "problem" if names else "muted")
        self.usage.setText(words.format(used=number(used, 0), limit=number(limit, 0), files=_listed(names)))

    def _remove_missing(self) -> None:
        """Take those out that the person has removed."""
        if gone := [self._sources.pop(file) for file in set(self._sources) - set(self.files.attachments)]:
            left = partial(filter, lambda file: file not in gone)
            self._change(ConversationList.change_files, lambda now: tuple(left(now)))

    def _add(self, chosen: list[str]) -> None:
        # On the button, the first space would open the dialog again.
        self.prompt.edit.setFocus()
        names = [name for name in chosen if name]
        readings = [self.files.begin(Path(name).name) for name in names]

        def added(refused: list[NotAttachable]) -> None:
            self._refused = refused
            for reading in readings:
                self.files.finish(reading, None)
            self.refresh()

        if self._folder is not None:
            times = self._session.projects.add(self._folder.id, names, added)
            for reading, time in zip(readings, times, strict=True):
                reading.time = time

    def _open_chat(self, item: QListWidgetItem) -> None:
        self.close_overlay()
        self._session.chats.open_id(item.data(Qt.ItemDataRole.UserRole))

    def _begin_chat(self) -> None:
        self.close_overlay()
        if self._folder is not None:
            self.chat_wanted.emit(self._folder.id)

    def _rename(self) -> None:
        typed = self.name.text().strip()
        if self._folder is not None and typed not in ("", self._folder.name):
            self._change(ConversationList.rename_folder, typed)

    def _change(self, operation: Callable[..., object], *arguments: Any) -> None:
        if self._folder is not None:
            self._session.list.change(operation, self._folder.id, *arguments)

    def _store_typed(self) -> None:
        self._typing_timer.stop()
        self._change(ConversationList.set_instructions, self.prompt.edit.toPlainText())

    def retranslate(self) -> None:
        if not self.isHidden():
            self.refresh()


def _shown(source: Source) -> Attachment:
    """Return a source as a file with its name; one picture has a preview."""
    picture = None if source.is_folder else next(iter(pictures_in(source.files)), None)
    return Attachment(source_name(source), "text/plain", files_text((source,)), picture)


def _listed(names: list[str]) -> str:
    return QLocale().createSeparatedList(names)
