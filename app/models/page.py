"""The Models page of the settings: downloads on top, then the recommended, installed or found models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFileDialog, QLineEdit, QPushButton, QScrollArea, QWidget

from app.conversations.request_history import Totals
from app.library.entries import Entry
from app.library.library import Library
from app.models.cards import CardState, FolderCard, ModelCard
from app.models.download_card import DownloadList
from app.models.model_controller import ModelController
from app.models.picker import folder_at
from app.session.session import Session
from app.settings.declarations import FIT_CONTEXTS
from app.widgets.controls import Chooser, Segments
from app.widgets.labels import label
from app.widgets.layouts import FlowRow, fill, hbox, keep_right_edge, vbox
from app.widgets.search_field import SearchField
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import error_sentence
from app.wording.figures import number
from app.wording.hub import size_words
from app.wording.models import entry_name, folder_words
from app.wording.sources import recorded_name
from engine.errors import EngineError
from engine.hub.download_state import DownloadStatus
from engine.hub.values import RemovalPlan
from engine.status import LoadedPair

RECOMMENDED, INSTALLED, SEARCH = range(3)
# The least width of the search field beside the tabs, and the width of its frame.
_LEAST_FIELD, _AROUND_WORDS = 220, 24
# The width kept free for the scroll bar on the right.
_SCROLL_BAR = 12


class ModelsPage(ThemeAware, QWidget):
    """Shows the downloads and the models of one tab as cards, with a search field and the memory."""

    def __init__(
        self, library: Library, session: Session, models: ModelController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._library, self._session, self._models = library, session, models
        self._tab = RECOMMENDED
        self._title, self._memory = label(self, "page-title"), label(self, "muted", wraps=True)
        self.bound("Models", self._title)
        self.note, self.empty = label(self, "reason-plain", wraps=True), label(self, "muted", wraps=True)
        self.again = self.bound("Try again", styled(QPushButton(self), "button"))
        self.field, self._tabs = SearchField(self), Segments(3, self)
        setters = QLineEdit.setPlaceholderText, QWidget.setAccessibleName
        self.bound("Search Hugging Face, or paste a model ID or URL", self.field, *setters)
        self.bound("Recommended", self._tabs.buttons[RECOMMENDED])
        self.bound("Installed", self._tabs.buttons[INSTALLED])
        self.bound("Search", self._tabs.buttons[SEARCH])
        self._tabs.buttons[RECOMMENDED].setChecked(True)
        self.context = self.bound("Context length used for memory estimates", Chooser(self), QWidget.setAccessibleName)
        self._add_folder = self.bound("Add a model folder…", styled(QPushButton(self), "link"))
        self._downloads, self._heading = DownloadList(library, self), label(self, "caption")
        self.bound("Downloads", self._downloads.heading)
        # One button for each main model in memory, which unloads it with its draft.
        self._unloads, self.unload_buttons = FlowRow(self, spacing=16), list[QPushButton]()
        self._listed: Sequence[LoadedPair] | None = None
        self.cards: list[ModelCard] = []
        self.folder_cards: list[FolderCard] = []
        self._build()
        self._connect()
        self.restyle()

    def _build(self) -> None:
        self.note.hide()
        self._top = fill(hbox(margins=(0, 0, _SCROLL_BAR, 0), spacing=8), (self.field, 1), self._tabs)
        body = named(QWidget(), "pageBody")
        self._card_column = vbox(spacing=10)
        column = vbox(body, margins=(0, 0, _SCROLL_BAR, 16), spacing=10)
        fill(column, self._downloads, self._heading, self._card_column, self.empty)
        fill(column, *((button, 0, Qt.AlignmentFlag.AlignLeft) for button in (self.again, self._add_folder)), 1)
        area = QScrollArea(self)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        keep_right_edge(area, column)
        self._memory_row = fill(hbox(margins=(0, 0, _SCROLL_BAR, 0), spacing=12), (self._memory, 1), self.context)
        self._whole = fill(vbox(self, margins=(32, 24, 20, 0), spacing=8), self._title, self._memory_row, self._unloads)
        self._whole.addSpacing(4)
        fill(self._whole, self._top, fill(vbox(margins=(0, 0, _SCROLL_BAR, 0)), self.note))
        self._whole.addSpacing(4)
        fill(self._whole, (area, 1))

    def _connect(self) -> None:
        library = self._library
        for index, button in enumerate(self._tabs.buttons):
            button.clicked.connect(lambda _=False, tab=index: self.show_tab(tab))
        self.field.textEdited.connect(self._search)
        self.field.chosen.connect(lambda: self._search_in(folder_at(self.field.text())))
        self.again.clicked.connect(lambda: self._search(library.finder.searched.text))
        self.context.activated.connect(lambda _: library.settings.change(fit_context=self.context.currentData()))
        self._add_folder.clicked.connect(self._choose_folder)
        library.models_changed.connect(self._rebuild)
        library.finder.changed.connect(self._show_search)
        library.downloads_changed.connect(self._show_downloads)
        self._downloads.states_changed.connect(self._refresh_cards)
        library.problem.connect(self._show_problem)
        library.finder.entry_changed.connect(self._take_details)
        library.advice_changed.connect(self._refresh_cards)
        library.measured_changed.connect(self._refresh_cards)
        self._session.models.changed.connect(self._refresh_cards)

    def show_tab(self, tab: int) -> None:
        self._tab = tab
        if tab != SEARCH:
            self.field.clear()
        self._tabs.buttons[tab].setChecked(True)
        self.note.hide()
        self._rebuild()

    def _entries(self) -> tuple[Entry, ...]:
        inventory = self._library.inventory
        if inventory is None:
            return ()
        starter = tuple(entry for entry in inventory.installed if entry.is_starter and entry.id == "main")
        if self._tab == SEARCH:
            return self._library.finder.searched.found
        if self._tab == INSTALLED:
            return (*(entry for entry in inventory.installed if not entry.is_starter), *starter)
        loaded = self._entry_at(self._session.models.pair.paths[0])
        key = (loaded.id, loaded.is_starter) if loaded is not None else None
        # The loaded model comes first; the sort is stable.
        return tuple(sorted((*self._recommended(), *starter), key=lambda entry: (entry.id, entry.is_starter) != key))

    def _recommended(self) -> list[Entry]:
        """Return the offered pairs, then the other recommended models that fit, the newest first."""
        inventory = self._library.inventory
        assert inventory is not None
        first = {entry.id for entry in inventory.offers}
        others = [
            entry
            for entry in inventory.catalog
            if entry.id not in first and entry.recommended and entry.fit is not None and entry.fit.fits
        ]
        others.sort(key=lambda entry: (entry.released, entry.bytes), reverse=True)
        return [*reversed(inventory.offers), *others]

    def _rebuild(self) -> None:
        if self.isHidden():
            return
        focused = next((card.entry.id for card in self.cards if card.main_button.hasFocus()), None)
        wanted = {card.offered.id: card.entry.id for card in self.cards}
        for old in (*self.cards, *self.folder_cards):
            old.hide()
            old.deleteLater()
        self.cards = [self._card(entry) for entry in self._entries()]
        self.folder_cards = self._cards_of_folders()
        for card in self.cards:
            card.offer(card.offered, wanted.get(card.offered.id, ""))
            self._card_column.addWidget(card)
            if card.entry.id == focused:
                card.main_button.setFocus()
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
        found = {folder for entry in inventory.installed for folder in self._library.lists_of(entry)}
        shown = dict.fromkeys((*(one for one in added if one not in found), *inventory.absent))
        cards = [FolderCard(one, one in inventory.absent, one in added) for one in shown]
        for card in cards:
            card.unlisted.connect(self._library.unlist)
        return cards

    def _card(self, entry: Entry) -> ModelCard:
        is_installed = self._tab == INSTALLED
        card = ModelCard(entry, is_installed, self._library.lists_of(entry) if is_installed else ())
        card.unlisted.connect(self._library.unlist)
        card.chosen.connect(self._refresh_cards)
        card.used.connect(self._models.use)
        card.got.connect(self._models.get)
        card.got_as_draft.connect(self._models.get_as_draft)
        card.checked.connect(lambda one: self._library.check(one.path))
        card.removal_asked.connect(lambda one: self._library.plan_removal(one.path, partial(self._ask_removal, card)))
        card.removal_confirmed.connect(self._library.remove)
        return card

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
            advice = next((one for one in library.advice(path) or () if one.id == entry.id), None)
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
        """Return the measured figures of drafts for a main model, if it is installed, on all tabs alike."""
        inventory = self._library.inventory
        here = entry if entry.path or inventory is None else inventory.entry(entry.id)
        return self._library.measured_with(here.path) if here is not None and here.path else {}

    def _take_details(self, entry: Entry) -> None:
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
        self._library.finder.search("" if folder_at(text) else text)
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
        inventory = self._library.inventory
        if inventory is None:
            self._memory.setText(self.tr("Scanning models…"))
            return
        loaded = sum(pair.bytes for pair in self._session.models.in_memory)
        self._memory.setText(
            self.tr("This Mac can use {limit} for models. {loaded} are loaded.").format(
                limit=size_words(inventory.limit), loaded=size_words(loaded)
            )
        )

        self._show_unloads()

    def _show_unloads(self) -> None:
        models = self._session.models
        if self._listed == models.in_memory:
            return
        self._listed = models.in_memory
        for old in self.unload_buttons:
            old.hide()
            old.deleteLater()
        self.unload_buttons = []
        for pair in models.in_memory:
            if pair.main is None:
                continue
            button, words = styled(QPushButton(self), "link"), self.tr("Unload {name} ({size})")
            button.setText(words.format(name=recorded_name(pair.main.name), size=size_words(pair.bytes)))
            button.clicked.connect(partial(lambda path, _=False: models.unload(path), pair.main.path))
            self.unload_buttons.append(button)
        self._unloads.add(*self.unload_buttons)
        self._unloads.setVisible(bool(self.unload_buttons))

    def _word(self) -> None:
        self._heading.setText(
            {
                RECOMMENDED: self.tr("Recommended for this Mac"),
                INSTALLED: self.tr("Installed"),
                SEARCH: self.tr("On Hugging Face"),
            }[self._tab]
        )
        self.empty.setText(self._empty_text())
        self.empty.setVisible(bool(self.empty.text()))
        self.again.setVisible(self._tab == SEARCH and self._library.finder.searched.error is not None)
        self._add_folder.setVisible(self._tab == INSTALLED)

    def _empty_text(self) -> str:
        searched = self._library.finder.searched
        if self._tab != SEARCH:
            return ""
        if searched.error is not None:
            return error_sentence(searched.error)
        if searched.running:
            return self.tr("Searching…")
        if folder := folder_at(self.field.text()):
            return folder_words(folder, is_listed=False)
        if not searched.text:
            return self.tr("Type part of a name, such as Qwen3.8 or Gemma, or paste a model page URL.")
        return "" if searched.found else self.tr("No MLX models match.")

    def retranslate(self) -> None:
        words = self.tr("Context: {count} tokens")
        self.context.clear()
        for tokens in FIT_CONTEXTS:
            self.context.addItem(words.format(count=number(tokens, 0)), tokens)
        self.context.setCurrentIndex(self.context.findData(self._library.settings.values.fit_context))
        self._arrange()
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the tabs, and the context, beside their neighbour, or below it without enough space."""
        margins = self._whole.contentsMargins()
        available = self.width() - margins.left() - margins.right() - _SCROLL_BAR
        hint = self.field.fontMetrics().horizontalAdvance(self.field.placeholderText()) + _AROUND_WORDS
        rows = ((self._top, self._tabs, max(_LEAST_FIELD, hint)), (self._memory_row, self.context, _LEAST_FIELD))
        for row, last, least in rows:
            beside = last.sizeHint().width() + row.spacing() + least <= available
            row.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
            row.setAlignment(last, Qt.AlignmentFlag.AlignVCenter if beside else Qt.AlignmentFlag.AlignLeft)
