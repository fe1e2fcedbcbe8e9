"""The rows of the Models page: rows of models, and rows of folders without any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from app.conversations.request_history import Totals
from app.library.entries import Entry
from app.models.card import Card
from app.widgets.buttons import fold_head
from app.widgets.controls import Chooser
from app.widgets.labels import label
from app.widgets.layouts import FlowRow, fill, vbox
from app.widgets.style_class import set_style_class
from app.wording import models as model_wording
from app.wording.errors import joined
from app.wording.hub import size_words
from engine.advice.pairing import PairAdvice
from engine.hub.download_state import DownloadStatus
from engine.hub.values import RemovalPlan


@dataclass(frozen=True)
class CardState:
    """The changing state of a model.

    `measured` is the measured speed-up of its draft, `advice` its advice as a draft for the model named `main`, with
    `as_draft`, the measured speed-up; `page` the address that a button opens, "" for no button.
    """

    loaded: bool = False
    download: DownloadStatus | None = None
    measured: Totals | None = None
    advice: PairAdvice | None = None
    main: str = ""
    page: str = ""
    as_draft: Totals | None = None


class ModelCard(Card):
    """The row of a model, which a click unfolds.

    Signals carry the entry, `removal_confirmed` the plan. `ask_removal` answers `removal_asked`. `lists` are the
    folders that the person has added in which the model was found. `chosen` follows the choice of another quantisation,
    which is then the entry.
    """

    used = Signal(object)
    got = Signal(object)
    got_as_draft = Signal(object)
    checked = Signal(object)
    removal_asked = Signal(object)
    removal_confirmed = Signal(object)
    unlisted = Signal(object)
    chosen = Signal()

    def __init__(
        self, entry: Entry, with_file_buttons: bool, lists: Sequence[str] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lists = lists
        self._is_installed = with_file_buttons
        # The subject of the card's question: a removal, or the folders to take off the list.
        self._asked: RemovalPlan | Sequence[str] | None = None
        self._state = CardState()
        self.quantisation: Chooser | None = None
        self.offer(entry)
        self.main_button = self.add_button("button", self._act)
        self.fold = fold_head(self)
        self._more = QWidget(self)
        self.details = label(self, "muted", wraps=True)
        self._below = FlowRow(self._more)
        fill(vbox(self._more, margins=(0, 0, 0, 0), spacing=4), self.details, self._below)
        self._more.hide()
        self.fold.toggled.connect(self._more.setVisible)
        fill(self.row, self.fold)
        fill(self.lines, self._more)
        self.draft_button = self.add_button("quiet", lambda: self.got_as_draft.emit(self.entry))
        self.add_page_button()
        self.check_button = self.add_button("quiet", lambda: self.checked.emit(self.entry))
        self.remove_button = self.add_button("quiet", self._remove)
        # Only the models of the Hub cache have published checksums.
        self.check_button.setVisible(with_file_buttons and entry.source == "cache")
        may_go = not (entry.is_starter or entry.app or (entry.is_gguf_file and entry.source != "cache"))
        self.remove_button.setVisible(with_file_buttons and (may_go or entry.gguf is not None))
        self.unlist_button = self.add_button("quiet", self._ask_unlisting)
        file_buttons = self.draft_button, self.page_button, self.check_button, self.remove_button, self.unlist_button
        for button in file_buttons:
            self.buttons.removeWidget(button)
        self._below.add(*file_buttons)
        self.fold.installEventFilter(self)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self.fold.toggle()

    @property
    def is_loaded(self) -> bool:
        return self._state.loaded

    def offer(self, offered: Entry, wanted: str = "") -> None:
        """Show a search result. Of a repository with GGUF files, select the variant `wanted`, else the proposed one."""
        self.offered = offered
        matching = [variant for variant in offered.variants if variant.id == wanted]
        self.entry = matching[0] if matching else offered.proposed
        if not offered.variants:
            return
        if self.quantisation is None:
            self.quantisation = Chooser(self, chosen=self._choose)
            self.row.insertWidget(1, self.quantisation)
        self.quantisation.clear()
        for variant in offered.variants:
            word = self.tr("too large") if variant.verdict == "too-big" else ""
            self.quantisation.addItem(model_wording.quantisation_words(variant, word), variant.id)
        self.quantisation.set_value(self.entry.id)
        self.quantisation.setAccessibleName(self.tr("Quantization"))

    def _choose(self, wanted: str) -> None:
        self.offer(self.offered, wanted)
        self.chosen.emit()

    def show_state(self, state: CardState) -> None:
        """Show the state. A question about removal stays, unless the model has come into use."""
        self._state = state
        if self._asked is not None and not (state.loaded and isinstance(self._asked, RemovalPlan)):
            return
        self._asked = None
        self._show_facts()
        self._show_download_buttons(state)
        self._show_other_buttons(state)
        name = self.name.text()
        for button in (self.main_button, self.draft_button, self.check_button, self.remove_button, self.unlist_button):
            button.setAccessibleName(f"{button.text()}: {name}")
        self.fold.setAccessibleName(self.tr("Details: {name}").format(name=name))

    def _show_facts(self) -> None:
        entry = self.entry
        self.name.setText(model_wording.entry_name(entry))
        self.facts.setText(self._facts())
        self.badge.show_word(*self._badge())
        # The choice of a quantisation names the sizes.
        has_size = entry.disk_bytes and not self.offered.variants
        self.size_shown.setText(size_words(entry.disk_bytes) if has_size else "")
        self.details.setText(model_wording.details_words(entry))
        self.details.show()

    def _show_download_buttons(self, state: CardState) -> None:
        """Show the buttons that get or use the model, and the one that checks its files."""
        entry = self.entry
        runs = state.download is not None and state.download.runs
        is_paused = state.download is not None and state.download.state == "paused"
        self.main_button.setText(model_wording.button_words(entry, state.download))
        is_unread = entry.is_gguf_file and entry is self.offered and not entry.installed
        is_usable = not is_unread and (not entry.problem or entry.partial)
        self.main_button.setEnabled(is_paused or (not runs and is_usable))
        set_style_class(self.main_button, "button")
        self.draft_button.setText(self.tr("Download as draft"))
        suits = state.advice is not None and state.advice.works and not entry.head
        self.draft_button.setVisible(suits and not (entry.installed or runs or is_paused))
        self.check_button.setText(self.tr("Check files"))
        self.check_button.setEnabled(not runs and not is_paused)

    def _show_other_buttons(self, state: CardState) -> None:
        self.offer_page(state.page)
        # What lies in an added folder is the person's own.
        is_of_person = self._lists and not self.entry.gguf
        self.remove_button.setText(self.tr("Move to Trash…") if is_of_person else self.tr("Delete…"))
        self.remove_button.setEnabled(not state.loaded)
        self.remove_button.setToolTip(self.tr("It is in use. Choose another model first.") if state.loaded else "")
        self.unlist_button.setText(self.tr("Remove from the list"))
        self.unlist_button.setVisible(bool(self._lists))

    def ask_removal(self, plan: RemovalPlan) -> None:
        """Show what removing the model frees and where it is, and ask for confirmation."""
        size = size_words(plan.freed_bytes)
        if plan.personal:
            sentence = self.tr("Move this model to the Trash? ({size})")
            word = self.tr("Move to Trash")
            more = self.tr("Other files in its folder stay.") if plan.leaves_others else ""
        else:
            sentence = self.tr("Delete this model? ({size})")
            word = self.tr("Delete")
            more = self.tr("Other apps that use the Hugging Face cache will lose it too.") if plan.shared else ""
            if self.entry.gguf and not plan.shared:
                more = self.tr("The file {file} stays.").format(file=self.entry.gguf.source)
        self._ask(joined(sentence.format(size=size), more), [str(plan.place)], word, plan)

    def _ask_unlisting(self) -> None:
        sentence = self.tr("Remove this folder with its models from the list? No file is deleted.")
        self._ask(sentence, self._lists, self.tr("Remove from the list"), self._lists)

    def _ask(self, sentence: str, places: Sequence[str], word: str, asked: RemovalPlan | Sequence[str]) -> None:
        """Ask about folders; the button that confirms says `word`."""
        self._asked = asked
        self.facts.setText("\n".join((sentence, *places)))
        self.details.hide()
        self.fold.setChecked(True)
        set_style_class(self.main_button, "danger" if isinstance(asked, RemovalPlan) else "accent")
        self.main_button.setText(word)
        self.main_button.setEnabled(True)
        self.main_button.setAccessibleName(f"{word}: {self.name.text()}")
        self.remove_button.setText(self.tr("Cancel"))
        self.remove_button.setEnabled(True)
        self.unlist_button.hide()
        # Not to the button that confirms, which a space would press.
        self.remove_button.setFocus()

    def _act(self) -> None:
        if self._asked is not None:
            asked = self._asked
            self._asked = None
            (self.removal_confirmed if isinstance(asked, RemovalPlan) else self.unlisted).emit(asked)
        elif self.entry.installed and not self.entry.partial:
            # An installed model in the catalog or a search has no path; the receiver finds its folder.
            self.used.emit(self.entry)
        else:
            self.got.emit(self.entry)

    def _remove(self) -> None:
        if self._asked is None:
            self.removal_asked.emit(self.entry)
        else:
            self._asked = None
            self.show_state(self._state)

    def _facts(self) -> str:
        facts = model_wording.facts_words(self.entry, self._state.measured)
        state = self._state
        if state.advice is None or not state.main or self.entry.verdict != "fits":
            return facts
        return f"{model_wording.as_draft_words(state.advice, state.main, state.as_draft)}\n{facts}"

    def _badge(self) -> tuple[str, str]:
        if self._state.loaded:
            return self.tr("in use"), "main"
        if self.entry.base:
            return "LoRA", "neutral"
        if self.entry.installed and not self.entry.problem:
            # In a list of installed models, no badge says so.
            says_nothing = self._is_installed or self.entry.is_starter
            word = "" if says_nothing else self.tr("installed")
            return word, "draft"
        if self.entry.verdict == "too-big":
            return self.tr("too large"), "lookup"
        if self.entry.verdict == "together":
            return self.tr("multiple Macs"), "neutral"
        if self.entry.tight:
            return self.tr("tight"), "lookup"
        if self.offered.variants and self.entry is self.offered.proposed:
            return self.tr("recommended"), "draft"
        return "", "neutral"


class FolderCard(Card):
    """The row of a folder that has no models, or whose disk is not connected (`is_absent`).

    If the person added it (`is_added`), a button emits `unlisted` with `(folder,)`.
    """

    unlisted = Signal(object)

    def __init__(self, folder: str, is_absent: bool, is_added: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name.setText(folder)
        absent = self.tr("Not connected. Connect the disk that this folder is on to see its models.")
        self.facts.setText(absent if is_absent else self.tr("No other models were found in this folder."))
        self.unlist_button = self.add_button("quiet", lambda: self.unlisted.emit((folder,)))
        self.unlist_button.setText(self.tr("Remove from the list"))
        self.unlist_button.setAccessibleName(f"{self.unlist_button.text()}: {folder}")
        self.unlist_button.setVisible(is_added)
