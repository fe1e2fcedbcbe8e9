"""The Models page of the settings: search, memory and downloads on top, then groups of models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton, QScrollArea, QWidget

from app.conversations.request_history import Totals
from app.library.entries import Entry
from app.library.library import Library
from app.models.cards import CardState, FolderCard, ModelCard
from app.models.download_card import DownloadList
from app.models.memory_gauge import MemoryGauge
from app.models.model_controller import ModelController
from app.models.picker import folder_at
from app.session.session import Session
from app.settings.declarations import FIT_CONTEXTS
from app.widgets.controls import Chooser, Segments
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, keep_right_edge, vbox
from app.widgets.popups import Menu
from app.widgets.search_field import SearchField
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import error_sentence
from app.wording.figures import number
from app.wording.hub import size_words
from app.wording.models import PURPOSES, entry_name, folder_words
from app.wording.sources import recorded_name
from engine.errors import EngineError
from engine.hub.download_state import DownloadStatus
from engine.hub.values import RemovalPlan
from engine.status import LoadedPair

RECOMMENDED = 0
INSTALLED = 1
SEARCH = 2
# The width kept free for the scroll bar on the right.
_SCROLL_BAR = 12


class ModelsPage(ThemeAware, QWidget):
    """Shows the memory, the downloads and the models of one tab in groups of rows, with a search field.

    The tab of a search is there while one is shown.
    """

    def __init__(
        self, library: Library, session: Session, models: ModelController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._session = session
        self._models = models
        self._tab = RECOMMENDED
        self._title = label(self, "page-title")
        self.memory = MemoryGauge(library, session.models, self)
        self.bound("Models", self._title)
        self.note = label(self, "reason-plain", wraps=True)
        self.empty = label(self, "muted", wraps=True)
        self.again = self.bound("Try again", styled(QPushButton(self), "button"))
        self.field = SearchField(self)
        self._tabs = Segments(3, self)
        setters = QLineEdit.setPlaceholderText, QWidget.setAccessibleName
        self.bound("Search Hugging Face, or paste a model ID or URL", self.field, *setters)
        self.bound("Recommended", self._tabs.buttons[RECOMMENDED])
        self.bound("Installed", self._tabs.buttons[INSTALLED])
        self.bound("Search", self._tabs.buttons[SEARCH])
        self._tabs.buttons[RECOMMENDED].setChecked(True)
        self._tabs.buttons[SEARCH].hide()
        self._context_name = self.bound("Context length used for memory estimates", label(self, "muted", wraps=True))
        self.context = self.bound("Context length used for memory estimates", Chooser(self), QWidget.setAccessibleName)
        self._add_folder_button = self.bound("Add a model folder…", styled(QPushButton(self), "link"))
        self._downloads = DownloadList(library, self)
        self.bound("Downloads", self._downloads.heading)
        # Unloads the main model in memory with its draft; of several, its menu asks which.
        self.unload = styled(QPushButton(self), "link-small")
        self.unload_menu = Menu(self.unload)
        self._listed: Sequence[LoadedPair] | None = None
        self.headings: list[QLabel] = []
        self.cards: list[ModelCard] = []
        self.folder_cards: list[FolderCard] = []
        self._build()
        self._connect()
        self.restyle()

    def _build(self) -> None:
        self.note.hide()
        body = named(QWidget(), "pageBody")
        self._card_column = vbox(spacing=8)
        column = vbox(body, margins=(0, 0, _SCROLL_BAR, 16), spacing=10)
        fill(column, self._downloads, self._card_column, self.empty)
        fill(column, *((button, 0, Qt.AlignmentFlag.AlignLeft) for button in (self.again, self._add_folder_button)))
        fill(column, fill(hbox(spacing=16), (self._context_name, 1), self.context), 1)
        area = QScrollArea(self)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        keep_right_edge(area, column)
        self.memory.add_beside(self.unload)
        above = vbox(margins=(0, 0, _SCROLL_BAR, 0), spacing=8)
        fill(above, self._title, fill(hbox(spacing=12), self._tabs, (self.field, 1)), self.memory, self.note)
        fill(vbox(self, margins=(32, 24, 20, 0), spacing=8), above, (area, 1))

    def _connect(self) -> None:
        library = self._library
        for index, button in enumerate(self._tabs.buttons):
            button.clicked.connect(lambda _=False, tab=index: self.show_tab(tab))
        self.field.textEdited.connect(self._search)
        self.field.chosen.connect(lambda: self._search_in(folder_at(self.field.text())))
        self.again.clicked.connect(lambda: self._search(library.hub_search.searched.text))
        self.context.activated.connect(lambda _: library.settings.change(fit_context=self.context.currentData()))
        self._add_folder_button.clicked.connect(self._choose_folder)
        self.unload.clicked.connect(self._unload)
        library.models_changed.connect(self._rebuild)
        library.hub_search.changed.connect(self._show_search)
        library.downloads_changed.connect(self._show_downloads)
        self._downloads.states_changed.connect(self._refresh_cards)
        library.problem.connect(self._show_problem)
        library.hub_search.entry_changed.connect(self._take_details)
        library.advice_changed.connect(self._refresh_cards)
        library.measured_changed.connect(self._refresh_cards)
        self._session.models.changed.connect(self._refresh_cards)

    def show_tab(self, tab: int) -> None:
        self._tab = tab
        if tab != SEARCH:
            self.field.clear()
            self._library.hub_search.search("")
        self._tabs.buttons[tab].setChecked(True)
        self._tabs.buttons[SEARCH].setVisible(tab == SEARCH)
        self.note.hide()
        self._rebuild()

    def _groups(self) -> dict[str, list[Entry]]:
        """Return the models of the tab by the keys of `PURPOSES`, in the order of the rows."""
        from app.library.model_choices import by_purpose

        inventory = self._library.inventory
        if inventory is None:
            return {}
        if self._tab == SEARCH:
            return {"found": list(self._library.hub_search.searched.entries)}
        return by_purpose(inventory, self._session.models.pair.paths[0], only_installed=self._tab == INSTALLED)

    def _rebuild(self) -> None:
        if self.isHidden():
            return
        focused_ids = [card.entry.id for card in self.cards if card.main_button.hasFocus()]
        focused = focused_ids[0] if focused_ids else None
        wanted = {card.offered.id: card.entry.id for card in self.cards}
        unfolded = {card.offered.id for card in self.cards if card.fold.isChecked()}
        for old in (*self.headings, *self.cards, *self.folder_cards):
            old.hide()
            old.deleteLater()
        self.headings = []
        self.cards = []
        for name, entries in self._groups().items():
            if name in PURPOSES:
                self.headings.append(label(self, "strong"))
                self.headings[-1].setText(PURPOSES[name])
                self._card_column.addWidget(self.headings[-1])
            for entry in entries:
                card = self._card(entry)
                card.offer(entry, wanted.get(entry.id, ""))
                card.fold.setChecked(entry.id in unfolded)
                self.cards.append(card)
                self._card_column.addWidget(card)
                if card.entry.id == focused:
                    card.main_button.setFocus()
        self.folder_cards = self._cards_of_folders()
        for folder_card in self.folder_cards:
            self._card_column.addWidget(folder_card)
        self._refresh_cards()
        self._show_downloads()
        self._word()

    def _cards_of_folders(self) -> list[FolderCard]:
        """Return cards for the added folders without models, and for all that are not connected."""
        if self._tab != INSTALLED or (inventory := self._library.inventory) is None:
            return []
        added = self._library.settings.values.model_folders
        folders_with_models = {folder for entry in inventory.installed for folder in self._library.lists_of(entry)}
        shown = dict.fromkeys((*(folder for folder in added if folder not in folders_with_models), *inventory.absent))
        cards = [FolderCard(folder, folder in inventory.absent, folder in added) for folder in shown]
        for card in cards:
            card.unlisted.connect(self._library.unlist)
        return cards

    def _card(self, entry: Entry) -> ModelCard:
        is_installed = self._tab == INSTALLED
        card = ModelCard(entry, is_installed, self._library.lists_of(entry) if is_installed else ())
        card.unlisted.connect(self._library.unlist)
        card.chosen.connect(self._refresh_cards)
        card.pointed.connect(partial(self._point_at, card))
        card.used.connect(self._models.use)
        card.got.connect(self._models.get)
        card.got_as_draft.connect(self._models.get_as_draft)
        card.checked.connect(lambda model: self._library.check(model.path))
        card.removal_asked.connect(
            lambda model: self._library.plan_removal(model.path, partial(self._ask_removal, card))
        )
        card.removal_confirmed.connect(self._library.remove)
        return card

    def _point_at(self, card: ModelCard, is_on: bool) -> None:
        fit = card.entry.fit if is_on and not card.is_loaded else None
        self.memory.show_choice(fit.needed if fit is not None else 0)

    def _ask_removal(self, card: ModelCard, plan: RemovalPlan) -> None:
        # Another scan may have replaced the cards meanwhile.
        if card in self.cards:
            card.ask_removal(plan)

    def _refresh_cards(self) -> None:
        loaded = {path for path in self._session.models.pair.paths if path}
        names = {entry.id for path in loaded if (entry := self._entry_at(path)) is not None}
        by_id = {status.repository: status for status in self._library.downloads}
        for card in self.cards:
            entry = card.entry
            # An adapter or a head in the folder of a model is in use with it.
            inside = any(Path(path).is_relative_to(entry.path) for path in loaded)
            in_use = inside if entry.path else entry.id in names
            card.show_state(self._state_of(entry, in_use, by_id.get(entry.id)))
        self._show_memory()

    def _state_of(self, entry: Entry, in_use: bool, download: DownloadStatus | None) -> CardState:
        library = self._library
        path = self._session.models.pair.paths[0] if self._tab == SEARCH and not in_use else ""
        main = self._entry_at(path)
        # The starter works with its own draft only.
        name = entry_name(main) if main is not None and not main.is_starter else ""
        advice = entry.advice if name else None
        if name and advice is None:
            verdicts = library.advice(path) or ()
            advice = next((other for other in verdicts if other.id == entry.id), None)
        return CardState(
            in_use,
            download,
            self._measured_with(entry).get(entry.draft),
            advice,
            name,
            library.page_of(entry.id) if entry.gated and not entry.installed else "",
            library.measured_with(path).get(entry.id) if name else None,
        )

    def _measured_with(self, entry: Entry) -> dict[str, Totals]:
        """Return the measured figures of drafts for a main model, if it is installed, the same on all tabs."""
        inventory = self._library.inventory
        here = entry if entry.path or inventory is None else inventory.entry(entry.id)
        return self._library.measured_with(here.path) if here is not None and here.path else {}

    def _take_details(self, entry: Entry) -> None:
        """Show the details of a search result."""
        for card in self.cards:
            if self._tab == SEARCH and card.offered.id == entry.id:
                card.offer(entry)
        self._refresh_cards()

    def _entry_at(self, path: str) -> Entry | None:
        return self._library.inventory.at(path) if self._library.inventory is not None else None

    def _show_downloads(self) -> None:
        if not self.isHidden():
            self._downloads.refresh()

    def _search(self, text: str) -> None:
        if self._tab != SEARCH:
            self.show_tab(SEARCH)
        self.note.hide()
        self._library.hub_search.search("" if folder_at(text) else text)
        self._word()

    def _show_search(self) -> None:
        if self._tab == SEARCH:
            self._rebuild()

    def _choose_folder(self) -> None:
        self._search_in(QFileDialog.getExistingDirectory(self, self.tr("Choose a folder that contains models")))

    def _search_in(self, folder: str) -> None:
        if folder:
            self._library.add_folder(folder, lambda: self.show_tab(INSTALLED))

    def _show_problem(self, error: EngineError) -> None:
        self.note.setText(error_sentence(error))
        self.note.show()

    def _show_memory(self) -> None:
        self.memory.show_choice()
        self._show_unloads()

    def _show_unloads(self) -> None:
        """Offer to unload each main model in memory."""
        models = self._session.models
        if self._listed == models.in_memory:
            return
        self._listed = models.in_memory
        self.unload_menu.clear()
        for pair in models.in_memory:
            if pair.main is not None:
                words = self.tr("Unload {name} ({size})")
                words = words.format(name=recorded_name(pair.main.name), size=size_words(pair.bytes))
                self.unload_menu.add_command(words, partial(models.unload, pair.main.path))
        offered = self.unload_menu.actions()
        self.unload.setVisible(bool(offered))
        self.unload.setText(offered[0].text() if len(offered) == 1 else self.tr("Unload…"))

    def _unload(self) -> None:
        offered = self.unload_menu.actions()
        if len(offered) == 1:
            offered[0].trigger()
        else:
            self.unload_menu.popup(self.unload.mapToGlobal(self.unload.rect().bottomLeft()))

    def _word(self) -> None:
        self.empty.setText(self._empty_text())
        self.empty.setVisible(bool(self.empty.text()))
        self.again.setVisible(self._tab == SEARCH and self._library.hub_search.searched.error is not None)
        self._add_folder_button.setVisible(self._tab == INSTALLED)
        self.memory.note_estimates(self._tab != INSTALLED)

    def _empty_text(self) -> str:
        """Return the line below the search results: an error, a hint or a missing part; "" for none of these."""
        searched = self._library.hub_search.searched
        if self._tab != SEARCH:
            return ""
        if searched.error is not None:
            return error_sentence(searched.error)
        if searched.running:
            return self.tr("Searching…")
        if folder := folder_at(self.field.text()):
            return folder_words(folder, is_listed=False)
        # The path of a folder searches for nothing: Enter adds the folder.
        if not searched.text:
            return self.tr("Type part of a name, such as Qwen3.8 or Gemma, or paste a model page URL.")
        return "" if searched.entries else self.tr("No MLX models match.")

    def retranslate(self) -> None:
        words = self.tr("{count} tokens")
        self.context.clear()
        for tokens in FIT_CONTEXTS:
            self.context.addItem(words.format(count=number(tokens, 0)), tokens)
        self.context.setCurrentIndex(self.context.findData(self._library.settings.values.fit_context))
        self._rebuild()
        self._listed = None
        self._show_memory()
        self._word()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._library.start()
        # Programs may have loaded models meanwhile.
        self._session.models.refresh_resident_models()
        QTimer.singleShot(0, self, self._rebuild)
