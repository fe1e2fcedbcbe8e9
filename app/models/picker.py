"""The picker below a chip of the header: all models, or what can draft and what it has brought, filtered by typing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QListWidget, QListWidgetItem, QPushButton, QWidget

from app.models.draft_ahead import DraftAheadRow
from app.models.memory_gauge import MemoryGauge
from app.models.picker_row import UNLOAD_KEYS, PickerRow, can_unload
from app.widgets import theme
from app.widgets.buttons import fold_head
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, settle_layouts, vbox
from app.widgets.overlay import Overlay
from app.widgets.popups import Menu
from app.widgets.search_field import ListField
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware
from app.wording import models as model_wording
from app.wording.speculation import state_now

if TYPE_CHECKING:
    from app.conversations.request_history import Totals
    from app.library.library import Library
    from app.library.model_choices import ModelChoice
    from app.session.session import Session

_WIDTH = 560
# The space above the card, in pixels.
_GAP_ABOVE = 6
# The space below the card.
_GAP_BELOW = 6
# In a lower window, the choice below the drafts has no help, because the list would show one or two rows.
_ROOMY = 560


class _PickerField(ListField):
    """The field of a picker, with the key that unloads the current model."""

    unload_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if QKeySequence(event.keyCombination()) == UNLOAD_KEYS:
            self.unload_pressed.emit()
        else:
            super().keyPressEvent(event)


class Picker(ThemeAware, Overlay):
    """A picker of the `role` "main" or "draft". `chosen` carries the user's choice, `wanted` one to download.

    `unload_wanted` carries one to unload; the picker stays open.

    `folder_wanted` carries a folder of models, or a file in one, that the user chose or whose path was entered;
    `file_wanted` carries a GGUF file. `teaching_wanted` asks for the teaching of the loaded draft, `page_wanted` for
    the page of all models.
    """

    chosen = Signal(object)
    wanted = Signal(object)
    unload_wanted = Signal(object)
    page_wanted = Signal()
    folder_wanted = Signal(str)
    file_wanted = Signal(str)
    teaching_wanted = Signal()
    is_modal = False

    def __init__(self, role: str, library: Library, session: Session, chip: QWidget, window: QWidget) -> None:
        super().__init__(window, _WIDTH)
        self.role = role
        self._library = library
        self._session = session
        self._chip = chip
        self._shows_suggested = False

    def make(self) -> None:
        """Make the content, once, before the picker first opens. `bound` sets texts in every language."""
        library = self._library
        session = self._session
        self._list = QListWidget(self)
        self._field = _PickerField(self._list, self)
        self._note = label(self, "muted", wraps=True)
        self._note.setMargin(12)
        self.memory = MemoryGauge(library, session.models, self)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        line = named(QFrame(self), "line")
        self._find_more = named(styled(QPushButton(self), "link"), "findMore")
        self._find_more.clicked.connect(self._show_page)
        fill(self.column, self._field, self._note, self._list, line)
        # Below the list, all is aligned with the icons of the rows.
        if self.role == "main":
            self._make_foot()
        else:
            self._make_draft_foot()
        self._connect()
        # Here and not in __init__, because texts and icons are set on the widgets that were made above.
        self.restyle()

    def _make_foot(self) -> None:
        """Make the memory, and below it the links to the Models page and to models anywhere on the disk."""
        opening = self.bound("Open…", styled(QPushButton(self), "link"))
        menu = Menu(opening)
        self.bound("Model folder…", menu.addAction("")).triggered.connect(self._choose_folder)
        self.bound("GGUF file…", menu.addAction("")).triggered.connect(self._choose_file)
        opening.setMenu(menu)
        links = fill(hbox(margins=(16, 0, 16, 0), spacing=16), self._find_more, opening, 1)
        fill(self.column, fill(hbox(margins=(16, 0, 16, 0)), self.memory), links)

    def _make_draft_foot(self) -> None:
        """Make one line, with a fold of all that few people look for: the state, drafting ahead, teaching, memory."""
        self.more = named(self.bound("More…", fold_head(self)), "more")
        self.below = QWidget(self)
        # As in the header.
        self.state = label(self.below, "muted", wraps=True)
        self.ahead = DraftAheadRow(self._library.settings, self._session.models, self.below)
        self._teach = named(self.bound("Teach this draft…", styled(QPushButton(self.below), "link")), "teach")
        self._teach.clicked.connect(self._show_teaching)
        parts = self.state, self.ahead, self.memory, (self._teach, 0, Qt.AlignmentFlag.AlignLeft)
        fill(vbox(self.below, margins=(16, 0, 16, 0), spacing=8), *parts)
        self.below.hide()
        self.more.toggled.connect(self._unfold)
        fill(self.column, fill(hbox(margins=(12, 0, 16, 0)), self.more, 1, self._find_more), self.below)

    def _unfold(self, is_on: bool) -> None:
        self.below.setVisible(is_on)
        self._fit()

    def _connect(self) -> None:
        library = self._library
        session = self._session
        self._field.typed.connect(lambda _text: self.refresh())
        self._field.taken.connect(self._take)
        self._field.unload_pressed.connect(lambda: self._unload(self._current()))
        self._list.itemClicked.connect(lambda _item: self._take())
        self._list.currentRowChanged.connect(lambda _row: self._announce())
        of_library = (
            library.models_changed,
            library.downloads_changed,
            library.advice_changed,
            library.measured_changed,
        )
        for changed in (*of_library, session.models.changed, session.settings.speculation_changed):
            changed.connect(self._refresh_if_shown)

    def fill(self) -> None:
        self._library.start()
        if self.role == "main":
            self._session.models.refresh_resident_models()
        self._list.clear()
        self._field.clear()
        self._set_field_texts()
        # Models to download are not among the installed ones, unless their names are typed.
        self._shows_suggested = not self._has_installed()
        self.refresh()
        self._list.setCurrentRow(next((index for index, choice in enumerate(self.choices()) if choice.loaded), 0))
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def choices(self) -> list[ModelChoice]:
        """Return the choices of the shown rows from top to bottom."""
        return [self._row(index).choice for index in range(self._list.count())]

    def refresh(self) -> None:
        """Show the current choices; the selected model stays selected."""
        choices = self._find()
        before = [(row.kind, row.id, row.path) for row in self.choices()]
        if before != [(row.kind, row.id, row.path) for row in choices]:
            self._rebuild(choices)
        for index, choice in enumerate(choices):
            row = self._row(index)
            item = self._list.item(index)
            row.show_choice(choice)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.spoken)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, row.details)
        if self.role == "main":
            self.memory.note_estimates(any(model_wording.has_estimate(choice) for choice in choices))
        else:
            pair = self._session.models.pair
            self.state.setText(state_now(self._session))
            # Without a main model the note tells the user what to do.
            self.state.setVisible(pair.main is not None)
            self._teach.setVisible(pair.draft is not None)
        self._note.setText(self._note_text(choices))
        self._note.setVisible(bool(self._note.text()))
        self._list.setVisible(bool(choices))
        self._announce()
        self._fit()

    def _fit(self) -> None:
        """Give list and picker the heights that their content needs, as far as the window has them."""
        self._measure()
        settle_layouts()
        self.fit_in_window()

    def _find(self) -> list[ModelChoice]:
        # Imported here because the import is slow and not needed before the picker opens.
        from app.library.model_choices import draft_choices, main_choices, with_fold

        inventory = self._library.inventory
        wanted = self._field.words.strip()
        if inventory is None:
            return []
        downloads = self._library.downloads
        loaded, draft = self._session.models.pair.paths
        if self.role == "main":
            choices = main_choices(inventory, loaded, downloads, wanted, self._session.models.in_memory)
            choices = [replace(choice, measured=self._measured_of(choice)) for choice in choices]
            return choices if wanted else with_fold(choices, is_open=self._shows_suggested)
        advice = self._library.advice(loaded) if loaded else None
        if advice is None:
            return []
        measured = self._library.measured_with(loaded)
        method = self._session.settings.speculation.method
        return draft_choices(inventory, advice, draft or "", method, downloads, measured, wanted)

    def _measured_of(self, choice: ModelChoice) -> Totals | None:
        """Return what is measured of an installed main model with its draft."""
        if choice.kind != "use" or choice.entry is None:
            return None
        return self._library.measured_with(choice.path).get(choice.entry.draft)

    def _has_installed(self) -> bool:
        """Return whether a main model other than the Starter is installed."""
        inventory = self._library.inventory
        installed = () if inventory is None else inventory.installed
        return any(not entry.is_starter and entry.complete and "main" in entry.kinds for entry in installed)

    def _note_text(self, choices: list[ModelChoice]) -> str:
        """Return the reason if there is no choice, or no draft model among the choices, else ""."""
        if choices:
            if self.role == "main" or self._field.words or any(choice.kind in ("use", "get") for choice in choices):
                return ""
            return self.tr("No matching draft model is installed or in the catalog. Prompt lookup needs none.")
        if self.role == "draft" and self._session.models.pair.main is None:
            return self.tr("Choose a main model first.")
        if folder := self._entered_folder():
            return model_wording.folder_words(folder, folder in self._library.settings.values.model_folders)
        library = self._library
        known = library.inventory if self.role == "main" else library.advice(self._session.models.pair.paths[0])
        return self.tr("No matching models") if known is not None else self.tr("Scanning models…")

    def _rebuild(self, choices: list[ModelChoice]) -> None:
        current = self._current()
        self._list.clear()
        for choice in choices:
            item = QListWidgetItem(self._list)
            row = PickerRow(self.role)
            row.show_choice(choice)
            row.pressed.connect(lambda source=row: self._take(source.choice))
            row.unload.connect(lambda source=row: self._unload(source.choice))
            row.pointed.connect(lambda is_on, source=row: self._show_memory(source.choice if is_on else None))
            self._list.setItemWidget(item, row)
        same = [index for index, choice in enumerate(choices) if current and choice.is_same(current)]
        self._list.setCurrentRow(same[0] if same else 0)

    def _measure(self) -> None:
        width = self.fitting_width() - 24
        total = 0
        if self.role == "draft":
            self.ahead.fold(is_folded=self._window.height() < theme.scaled(_ROOMY))
        settle_layouts()
        others = self._content_height() - (0 if self._list.isHidden() else self._list.height())
        # The height at which the whole picker stays in the window.
        available = self._window.height() - self._below() - _GAP_BELOW - others
        # Rows are narrower beside a scroll bar.
        for bar in (0, 12):
            heights = [self._row(index).height_at(width - bar) for index in range(self._list.count())]
            total = sum(heights)
            for index, height in enumerate(heights):
                self._list.item(index).setSizeHint(QSize(width - bar, height))
            if total <= available:
                break
        self._list.setFixedHeight(max(min(total, available), 60))

    def _take(self, choice: ModelChoice | None = None) -> None:
        """Carry out this choice, or the current one."""
        choice = choice or self._current()
        if choice is None and (folder := self._entered_folder()):
            self.folder_wanted.emit(folder)
        if choice is None or not choice.usable:
            return
        if choice.is_fold:
            self._shows_suggested = choice.kind == "more"
            self.refresh()
            return
        if choice.kind == "get":
            self._fetch(choice)
            return
        self.close_overlay()
        self.chosen.emit(choice)

    def _fetch(self, choice: ModelChoice) -> None:
        """Request the download; the picker stays open and shows its progress."""
        if choice.download is None or choice.download.stopped:
            self.wanted.emit(choice)

    def _unload(self, choice: ModelChoice | None) -> None:
        if choice is not None and can_unload(choice):
            self.unload_wanted.emit(choice)

    def _entered_folder(self) -> str:
        """Return the folder whose path, or the path of a file in it, was entered; "" for other words."""
        return folder_at(self._field.words) if self.role == "main" else ""

    def _choose_folder(self) -> None:
        self.close_overlay()
        if folder := QFileDialog.getExistingDirectory(
            self._window, self.tr("Choose a folder that contains models"), str(Path.home())
        ):
            self.folder_wanted.emit(folder)

    def _choose_file(self) -> None:
        self.close_overlay()
        file, _ = QFileDialog.getOpenFileName(self._window, self.tr("Choose a GGUF file"), str(Path.home()), "*.gguf")
        if file:
            self.file_wanted.emit(file)

    def look_for(self, words: str) -> None:
        """Open with these words in the field."""
        if self.isHidden():
            self.open()
        self._field.setText(words)

    def _show_page(self) -> None:
        self.close_overlay()
        self.page_wanted.emit()

    def _show_teaching(self) -> None:
        self.close_overlay()
        self.teaching_wanted.emit()

    def _current(self) -> ModelChoice | None:
        index = self._list.currentRow()
        return self._row(index).choice if index >= 0 else None

    def _show_memory(self, choice: ModelChoice | None) -> None:
        """Show the memory with this choice, or with the current one."""
        choice = choice or self._current()
        size = choice.memory if choice is not None and not choice.loaded else 0
        self.memory.show_choice(size, is_draft=self.role == "draft")

    def _announce(self) -> None:
        """Set the current row as the description of the field, which has the focus, for screen readers."""
        self._show_memory(None)
        row = self._list.itemWidget(self._list.currentItem()) if self._list.currentItem() is not None else None
        words = (row.spoken, row.details) if isinstance(row, PickerRow) else ()
        self._field.setAccessibleDescription("\n".join(filter(None, words)))

    def _row(self, index: int) -> PickerRow:
        row = self._list.itemWidget(self._list.item(index))
        assert isinstance(row, PickerRow)
        return row

    def _below(self) -> int:
        return self._chip.mapTo(self._window, self._chip.rect().bottomLeft()).y() + _GAP_ABOVE

    def _content_height(self) -> int:
        """Return the height of the picker with the present height of the list."""
        if self.column.hasHeightForWidth():
            return self.column.totalHeightForWidth(self.fitting_width())
        return self.column.sizeHint().height()

    def fit_in_window(self) -> None:
        width = self.fitting_width()
        left = self._chip.mapTo(self._window, self._chip.rect().topLeft()).x()
        left = max(16, min(left, self._window.width() - width - 16))
        most = self._window.height() - self._below() - _GAP_BELOW
        wanted = self._content_height()
        if wanted > most:
            # The widgets below the list would be painted over its last row.
            self._list.setFixedHeight(max(60, self._list.height() - (wanted - most)))
        self.setGeometry(QRect(left, self._below(), width, min(wanted, most)))

    def showEvent(self, event: QShowEvent) -> None:
        """Measure once more: hidden texts keep the height of their last width until the picker is shown."""
        super().showEvent(event)
        settle_layouts()
        self._measure()
        settle_layouts()
        self.fit_in_window()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.isHidden() and event.oldSize().width() != event.size().width():
            self._measure()

    def _refresh_if_shown(self) -> None:
        if not self.isHidden():
            self.refresh()

    def retranslate(self) -> None:
        self._set_field_texts()
        self._refresh_if_shown()

    def _set_field_texts(self) -> None:
        main = self._session.models.pair.main
        if self.role == "main":
            self._field.setPlaceholderText(self.tr("Choose a main model"))
            self._find_more.setText(self.tr("Find more models…"))
            self.setAccessibleName(self.tr("Main models"))
        else:
            inventory = self._library.inventory
            name = "" if main is None else main.name
            if inventory is not None and main is not None:
                entry = inventory.at(str(main.path))
                name = name if entry is None else model_wording.entry_name(entry)
            words = self.tr("Choose a draft for {name}") if name else self.tr("Choose a draft")
            self._field.setPlaceholderText(words.replace("{name}", name))
            self._find_more.setText(self.tr("Find more drafts for this model…"))
            self.setAccessibleName(self.tr("Draft models"))
        self._field.setAccessibleName(self._field.placeholderText())
        self._list.setAccessibleName(self.accessibleName())


def folder_at(words: str) -> str:
    """Return the folder whose path, or the path of a file in it, is `words`; "" if there is none."""
    words = words.strip()
    if not words.startswith(("/", "~")):
        return ""
    path = Path(words).expanduser()
    if not path.exists():
        return ""
    return str(path if path.is_dir() else path.parent)
