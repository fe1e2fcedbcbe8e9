"""The command palette: finds an enabled action or a page of the settings by a few letters and runs it with Enter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.actions.actions import Actions
from app.actions.spec import menu_title
from app.settings.declarations import PAGES, settings_of
from app.widgets import theme
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay
from app.widgets.search_field import ListField
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware

_ROWS_SHOWN = 9
_ROW_HEIGHT = 36
# What edits the text that has the focus, which is the palette's own field, the palette itself, and what its page of the
# settings has a row for.
_LEFT_OUT = frozenset({"palette", "shortcuts", "undo", "redo", "cut", "copy", "paste", "select-all", "request-history"})


def matches(text: str, wanted: str) -> bool:
    """Return whether `text` contains every word of `wanted`, in any order and case."""
    folded = text.casefold()
    return all(word in folded for word in wanted.casefold().split())


class CommandPalette(ThemeAware, Overlay):
    def __init__(self, actions: Actions, open_page: Callable[[str], object], window: QWidget) -> None:
        super().__init__(window, 560)
        self._actions = actions
        self._pages = {page_id: QAction(self) for page_id in PAGES}
        for page_id, action in self._pages.items():
            action.triggered.connect(partial(open_page, page_id))
        # Each action with its name and the path of its menu.
        self._found: list[tuple[QAction, str, str]] = []

    def make(self) -> None:
        self._list = self.bound("Commands", QListWidget(self), QWidget.setAccessibleName)
        self._field = self.bound("Command", ListField(self._list, self), QWidget.setAccessibleName)
        self.bound("What would you like to do?", self._field, QLineEdit.setPlaceholderText)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._none = self.bound("No matching commands", styled(QLabel(self._list), "muted"))
        self._none.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        # As far from the edge as the rows.
        fill(vbox(self._list, margins=(10, 10, 10, 10)), self._none)
        fill(self.column, self._field, self._list)
        self._field.typed.connect(self._search)
        self._field.taken.connect(self._run)
        self._list.itemClicked.connect(lambda _item: self._run())
        self._list.viewport().installEventFilter(self)
        self._list.verticalScrollBar().valueChanged.connect(self._make_rows)
        self.restyle()

    def fill(self) -> None:
        self._actions.refresh_checks()
        self._field.clear()
        self._search("")
        self._field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._list.viewport() and event.type() == QEvent.Type.Resize:
            self._make_rows()
        return super().eventFilter(watched, event)

    def _search(self, wanted: str) -> None:
        self._list.clear()
        matching = []
        for spec in self._actions.specs:
            row = (self._actions[spec.id], self._actions.name(spec), self._actions.path(spec))
            # In every language the English names find it, too.
            in_english = f"{spec.text} {spec.other_text} {spec.name}".replace("&", "")
            possible = spec.id not in _LEFT_OUT and row[0].isEnabled()
            if possible and (matches(_words(*row), wanted) or matches(in_english, wanted)):
                matching.append(row)
        matching += [row for row, in_english in self._pages_now() if matches(f"{_words(*row)} {in_english}", wanted)]
        # Actions that begin with the typed text come first, then those whose titles have it, and those of the app menu
        # and the pages last; the table's order decides among equals.
        last = {title: place for place, title in enumerate((menu_title("tandem"), _settings()), 1)}
        typed = wanted.casefold()
        matching.sort(
            key=lambda row: (
                not _words(*row).casefold().startswith(typed),
                typed not in row[1].casefold(),
                last.get(row[2], 0),
            )
        )
        self._found = matching
        # Rows are as wide as the list, whatever the length of their texts.
        size = QSize(0, _PaletteRow(*matching[0]).sizeHint().height()) if matching else QSize()
        for action, _, _ in matching:
            item = QListWidgetItem(self._list)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, action.whatsThis())
            item.setSizeHint(size)
        self._none.setHidden(bool(matching))
        rows = min(max(len(matching), 1), _ROWS_SHOWN)
        self._list.setFixedHeight(max(rows * size.height(), theme.scaled(_ROW_HEIGHT)) + 2 * self._list.frameWidth())
        self.fit_in_window()
        self._list.setCurrentRow(0)
        self._make_rows()

    def _pages_now(self) -> Iterator[tuple[tuple[QAction, str, str], str]]:
        """Yield a row for each page of the settings, with its English words and those of its settings."""
        translate = QCoreApplication.translate
        for page_id, title in PAGES.items():
            action = self._pages[page_id]
            name = translate("Settings", title)
            action.setWhatsThis(f"{_settings()}: {name}")
            settings = [text for setting in settings_of(page_id) for text in setting.names]
            words = " ".join((title, "Settings", *settings, *(translate("Settings", text) for text in settings)))
            yield (action, name, _settings()), words

    def _make_rows(self) -> None:
        """Create only the visible rows: creating all of them at every letter is slow."""
        first = max(self._list.indexAt(QPoint(0, 0)).row(), 0)
        most = self._list.viewport().height() // max(self._list.sizeHintForRow(0), 1) + 2
        for number in range(first, min(first + most, len(self._found))):
            item = self._list.item(number)
            if self._list.itemWidget(item) is None:
                self._list.setItemWidget(item, _PaletteRow(*self._found[number]))

    def _run(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._found):
            action, _, _ = self._found[row]
            self.close_overlay()
            action.trigger()


def _settings() -> str:
    return QCoreApplication.translate("Settings", "Settings")


def _words(action: QAction, name: str, menu: str) -> str:
    return f"{name} {action.whatsThis()} {menu}"


class _PaletteRow(QWidget):
    """An action's name, the menu it is in, and its keys."""

    def __init__(self, action: QAction, name: str, menu: str) -> None:
        super().__init__()
        title = ElidedLabel(self)
        in_menu = styled(QLabel(menu, self), "muted")
        title.setText(name)
        keys = styled(QLabel(action.shortcut().toString(QKeySequence.SequenceFormat.NativeText), self), "muted")
        fill(hbox(self, margins=(10, 6, 10, 6), spacing=12), title, in_menu, 1, keys)
