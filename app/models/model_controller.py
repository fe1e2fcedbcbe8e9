"""Changes the loaded models: the two pickers, their downloads, and the messages about both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.models.picker import Picker
from app.session.chat_requests import OtherModel
from app.session.cluster_service import OFF
from app.speculation.teaching_card import TeachingCard
from app.widgets.outside import Notifier, show_count
from app.wording.errors import error_sentence
from app.wording.models import entry_name
from engine.machine.keep_awake import KeepAwake

if TYPE_CHECKING:
    from app.library.entries import Entry
    from app.library.library import Library
    from app.library.model_choices import ModelChoice
    from app.session.chats import Chat, Turn
    from app.session.session import Session
    from app.widgets.banner import Banner
    from engine.hub.download_state import DownloadStatus


class ModelController(QObject):
    """Carries out choices of models. `page_wanted` asks for the Models page, `chat_wanted` for the chat."""

    page_wanted = Signal()
    chat_wanted = Signal()

    def __init__(
        self,
        library: Library,
        session: Session,
        main_chip: QAbstractButton,
        draft_chip: QAbstractButton,
        banner: Banner,
        window: QWidget,
    ) -> None:
        """The pickers open below the chips."""
        super().__init__(window)
        self._library = library
        self._session = session
        self._banner = banner
        self._window = window
        self.main_picker = Picker("main", library, session, main_chip, window)
        self.draft_picker = Picker("draft", library, session, draft_chip, window)
        self.teaching = TeachingCard(session, window)
        self._notifier = Notifier("arrow-down", window)
        self._awake = KeepAwake("Tandem downloads a model")
        self._notifier.opened.connect(self.page_wanted)
        self._use_action = QAction(self)
        self._show_action = QAction(self)
        self._show_action.triggered.connect(self.page_wanted)
        self._ready: Entry | None = None
        # By main model, those that pairs still wait for, and the drafts they were got with; those downloaded as drafts.
        self._pairs: dict[str, set[str]] = {}
        self._drafts: dict[str, str] = {}
        self._as_draft: set[str] = set()
        # Downloads whose failure was shown.
        self._failed: set[str] = set()
        self._use_action.triggered.connect(self._use_ready)
        self._connect_pickers(main_chip, draft_chip)
        library.settled.connect(self._show_settled)
        library.downloads_changed.connect(self._follow_downloads)
        library.problem.connect(lambda error: banner.show_message(lambda: error_sentence(error)))
        session.models.changed.connect(self._judge_for)
        session.models.changed.connect(self._read_memory_limit)
        session.cluster.changed.connect(lambda: library.take_machines(session.cluster.memory))
        session.history.measured_changed.connect(lambda: library.take_measured(session.history.measured))
        session.answers.arrived.connect(self._note_answer)

    def _connect_pickers(self, main_chip: QAbstractButton, draft_chip: QAbstractButton) -> None:
        library = self._library
        models = self._session.models
        self.draft_picker.teaching_wanted.connect(self.teaching.open)
        main_chip.clicked.connect(self.main_picker.open)
        draft_chip.clicked.connect(self.draft_picker.open)
        for picker in (self.main_picker, self.draft_picker):
            picker.wanted.connect(self._get_choice)
            picker.page_wanted.connect(self.page_wanted)
        self.main_picker.folder_wanted.connect(
            lambda folder: library.add_folder(folder, lambda: self._use_found(folder))
        )
        self.main_picker.file_wanted.connect(lambda file: models.load(file, None))
        self.main_picker.chosen.connect(self._choose_main)
        self.main_picker.unload_wanted.connect(lambda choice: models.unload(Path(choice.path)))
        self.draft_picker.chosen.connect(self._choose_draft)

    @property
    def uses_starter(self) -> bool:
        """Whether no model other than the starter is loaded or being loaded."""
        models = self._session.models
        path = models.pair.wanted if models.pair.loading == "main" else models.pair.paths[0]
        return path in ("", *map(str, models.starter_pair))

    def use(self, entry: Entry) -> None:
        """Load this model with its installed draft, or let this head draft for the loaded model."""
        if self._library.inventory is None:
            return
        here = entry if entry.path else self._installed(entry.id) or entry
        if entry.head:
            self._use_draft(here.path)
        elif entry.is_starter:
            self._session.models.load_starter()
        else:
            # The name of a head that was tagged with its main model may not tell that it is the model's.
            installed = self._installed(here.draft or self._drafts.get(here.id, ""))
            draft = installed.path if installed is not None else None
            if here.together and self._session.cluster.state == OFF:
                # The model fits only on all Macs together.
                self._session.cluster.start(here.path, draft)
            else:
                self._session.models.load(here.path or here.id, draft)
        self.chat_wanted.emit()

    def _use_found(self, folder: str) -> None:
        """Load the model of a folder that was added if it has only one, else let the person choose."""
        self.main_picker.look_for(folder)
        choices = self.main_picker.choices()
        if len(choices) == 1 and choices[0].usable:
            self.main_picker.close_overlay()
            self._choose_main(choices[0])

    def _installed(self, id_: str) -> Entry | None:
        inventory = self._library.inventory
        if inventory is None or not id_:
            return None
        return next((entry for entry in inventory.installed if entry.id == id_), None)

    def not_in_use(self) -> list[Entry]:
        """Return the installed main models that can be used instead of the loaded one."""
        # Not before the first paint.
        from app.library.model_choices import main_choices

        inventory = self._library.inventory
        if inventory is None:
            return []
        rows = main_choices(inventory, self._session.models.pair.paths[0], ())
        return [row.entry for row in rows if row.kind == "use" and row.entry and row.usable and not row.loaded]

    def other_models(self) -> list[OtherModel]:
        """Return the models that can answer next to the loaded one, those in memory first."""
        # Not before the first paint.
        from app.library.model_choices import main_choices

        inventory = self._library.inventory
        models = self._session.models
        if inventory is None:
            return []
        loaded_path = models.pair.paths[0]
        in_memory = {str(pair.main.path): pair for pair in models.in_memory if pair.main}
        rows = main_choices(inventory, loaded_path, ())
        entries = [
            row.entry for row in rows if row.entry is not None and row.usable and row.path not in ("", loaded_path)
        ]
        others = []
        for entry in sorted(entries, key=lambda entry: entry.path not in in_memory):
            pair = in_memory.get(entry.path)
            installed = self._installed(entry.draft)
            if pair is not None:
                draft = pair.draft_path
            elif installed is not None:
                draft = Path(installed.path)
            else:
                draft = None
            draft_folder = str(draft) if draft is not None else None
            others.append(OtherModel(entry_name(entry), entry.recorded_as, entry.path, draft_folder))
        return others

    def get(self, entry: Entry) -> None:
        """Download a model, and the draft model or head that goes with it."""
        if entry.head:
            self.get_as_draft(entry)
            return
        wanted = [entry.id]
        draft = self._installed(entry.draft)
        if entry.draft and not entry.holds_draft and (draft is None or not draft.complete):
            wanted.append(entry.draft)
            self._pairs[entry.id] = set(wanted)
        self._drafts[entry.id] = entry.draft
        self._library.get(*wanted)

    def get_as_draft(self, entry: Entry) -> None:
        """Download a model as a draft for the loaded one."""
        self._as_draft.add(entry.id)
        self._library.get(entry.id)

    def _judge_for(self) -> None:
        """Judge search results as drafts for the loaded model; the starter works with its own draft only."""
        models = self._session.models
        if not models.pair.loading:
            path = models.pair.paths[0]
            inventory = self._library.inventory
            if path and inventory is not None and inventory.at(path) is None:
                # A folder that was made from a GGUF file.
                self._library.rescan()
            self._library.hub_search.judge_for("" if Path(path) in models.starter_pair else path)

    def _choose_main(self, choice: ModelChoice) -> None:
        if choice.kind == "unload":
            self._session.models.unload(Path(choice.path))
        elif choice.entry is not None and not choice.loaded:
            self.use(choice.entry)

    def _choose_draft(self, choice: ModelChoice) -> None:
        if choice.kind == "use":
            self._use_draft(choice.path)
            return
        if self._session.models.pair.draft is not None:
            self._session.models.set_draft(None)
        self._use_method("ngram" if choice.kind == "lookup" else "off")

    def _use_draft(self, path: str) -> None:
        session = self._session
        if session.models.pair.paths[1] != path:
            session.models.set_draft(path)
        if session.settings.speculation.method in ("ngram", "off"):
            self._use_method("auto")

    def _use_method(self, method: str) -> None:
        if method != self._session.settings.speculation.method:
            self._session.settings.set_speculation(replace(self._session.settings.speculation, method=method))

    def _get_choice(self, choice: ModelChoice) -> None:
        if choice.download is not None:
            self._library.resume(choice.id)
        elif choice.advice is None and choice.entry is not None:
            self.get(choice.entry)
        else:
            self._as_draft.add(choice.id)
            self._library.get(choice.id)

    def _show_settled(self, status: DownloadStatus) -> None:
        if status.state == "failed" and status.error is not None:
            # The other model of the pair is announced alone.
            self._pairs.pop(self._main_of(status.repository), None)
            error = status.error
            self._show_action.setText(self.tr("Show the download"))
            self._failed.add(status.repository)
            self._banner.show_message(
                lambda: error_sentence(error), self._show_action, stays=True, about=status.repository
            )
            self._notifier.notify(error_sentence(error))
            return
        inventory = self._library.inventory
        ready = self._complete_pair(status.repository)
        entry = inventory.entry(ready) if inventory is not None and ready else None
        if entry is None:
            return
        name = entry_name(entry)
        self._ready = entry
        self._use_action.setText(self.tr("Use as draft") if entry.id in self._as_draft else self.tr("Chat"))
        self._banner.show_message(lambda: self.tr("{name} is ready.").format(name=name), self._use_action, is_info=True)
        self._notifier.notify(self.tr("{name} is ready.").format(name=name))

    def _follow_downloads(self) -> None:
        """Stay awake while downloads run, and dismiss the messages of failed ones that continue or were removed."""
        show_count("downloads", self._library.running)
        self._awake.keep(self._library.arriving)
        failed = {status.repository for status in self._library.downloads if status.state == "failed"}
        for repository in self._failed - failed:
            self._banner.dismiss(repository)
        self._failed &= failed

    def _complete_pair(self, repository: str) -> str:
        """Return the model to announce: `repository`, its pair's main model, or "" while one of the pair is missing."""
        main = self._main_of(repository)
        if not main:
            return repository
        self._pairs[main].discard(repository)
        if self._pairs[main]:
            return ""
        del self._pairs[main]
        return main

    def _main_of(self, repository: str) -> str:
        """Return the main model whose pair waits for the download of a repository; "" if none does."""
        for main, awaited in self._pairs.items():
            if repository in awaited:
                return main
        return ""

    def _use_ready(self) -> None:
        entry = self._ready
        if entry is not None and entry.id not in self._as_draft:
            self.use(entry)
        elif entry is not None and (here := self._installed(entry.id)) is not None:
            self._as_draft.discard(entry.id)
            self._use_draft(here.path)

    def _note_answer(self, _chat: Chat, turn: Turn) -> None:
        """Read the figures again after an answer with draft tokens; the store writes them before."""
        if turn.answer.ended and turn.answer.stats.drafted:
            self._session.history.read_measured()

    def _read_memory_limit(self) -> None:
        if not self._session.models.pair.loading:
            self._session.models.call_engine(
                lambda engine: engine.status(), lambda status: self._library.take_memory_limit(status.memory.limit)
            )
