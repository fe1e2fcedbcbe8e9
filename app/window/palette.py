"""The command palette: finds actions, chats, settings and more by a few letters; Enter runs what is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.actions.actions import Actions
from app.actions.spec import menu_title
from app.session import help_matching
from app.system.background import Background
from app.widgets import theme
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay
from app.widgets.search_field import ListField
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.window.palette_rows import (
    PaletteRow,
    action_rows,
    begun_first,
    chats_title,
    folders_title,
    help_title,
    models_title,
    page_rows,
    presets_title,
    setting_rows,
    settings_title,
)

_ROWS_SHOWN = 9
_ROW_HEIGHT = 36
# Chats, models and so on that are listed at a time; more letters find the others.
_MOST_PLACES = 50


class SearchPalette(ThemeAware, Overlay):
    """A field and the rows that it finds. A subclass names them in `make`, and finds rows in `rows_for`."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 560)
        self._found: list[PaletteRow] = []
        self._background = Background("help", parent=self)

    def rows_for(self, wanted: str) -> list[PaletteRow]:
        """Return the rows that match what is typed, in their order; "" before anything is."""
        raise NotImplementedError

    def make(self) -> None:
        self.list = QListWidget(self)
        self.field = ListField(self.list, self)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing_found = styled(QLabel(self.list), "muted")
        self.nothing_found.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        # As far from the edge as the rows.
        fill(vbox(self.list, margins=(10, 10, 10, 10)), self.nothing_found)
        fill(self.column, self.field, self.list)
        self.field.typed.connect(self._search)
        self.field.taken.connect(self._run)
        self.list.itemClicked.connect(lambda _item: self._run())
        self.list.viewport().installEventFilter(self)
        self.list.verticalScrollBar().valueChanged.connect(self._make_rows)
        self.restyle()

    def fill(self) -> None:
        # Before the first letter is typed, which searches the help.
        self._background.run(help_matching.prepare)
        self.field.clear()
        self._search("")
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.list.viewport() and event.type() == QEvent.Type.Resize:
            self._make_rows()
        return super().eventFilter(watched, event)

    def _search(self, wanted: str) -> None:
        self.list.clear()
        matching = self.rows_for(wanted)
        self._found = matching
        # Rows are as wide as the list, whatever the length of their texts.
        size = QSize(0, _PaletteLine(matching[0]).sizeHint().height()) if matching else QSize()
        for row in matching:
            item = QListWidgetItem(self.list)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.spoken)
            item.setSizeHint(size)
        self.nothing_found.setHidden(bool(matching))
        rows = min(max(len(matching), 1), _ROWS_SHOWN)
        self.list.setFixedHeight(max(rows * size.height(), theme.scaled(_ROW_HEIGHT)) + 2 * self.list.frameWidth())
        self.fit_in_window()
        self.list.setCurrentRow(0)
        self._make_rows()

    def _make_rows(self) -> None:
        """Create only the visible rows: creating all of them at every letter is slow."""
        first = max(self.list.indexAt(QPoint(0, 0)).row(), 0)
        most = self.list.viewport().height() // max(self.list.sizeHintForRow(0), 1) + 2
        for number in range(first, min(first + most, len(self._found))):
            item = self.list.item(number)
            if self.list.itemWidget(item) is None:
                self.list.setItemWidget(item, _PaletteLine(self._found[number]))

    def fit_in_window(self) -> None:
        super().fit_in_window()
        # Rows stay as wide as the list, which Qt sees to only in a new layout.
        self.list.doItemsLayout()

    def _run(self) -> None:
        row = self.list.currentRow()
        if 0 <= row < len(self._found):
            self.close_overlay()
            self._found[row].run()


class CommandPalette(SearchPalette):
    """`places` yields what is found besides actions and settings, once something is typed.

    `open_page` is called with the name of a page of the settings, and the title of one of them or "".
    """

    def __init__(
        self,
        actions: Actions,
        open_page: Callable[[str, str], object],
        places: Callable[[], Iterator[PaletteRow]],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._actions = actions
        self._open_page = open_page
        self._places = places

    def make(self) -> None:
        super().make()
        self.bound("Commands", self.list, QWidget.setAccessibleName)
        self.bound("Command", self.field, QWidget.setAccessibleName)
        self.bound("What would you like to do?", self.field, QLineEdit.setPlaceholderText)
        self.bound("No matching commands", self.nothing_found)

    def fill(self) -> None:
        self._actions.refresh_checks()
        super().fill()

    def rows_for(self, wanted: str) -> list[PaletteRow]:
        matching = [row for row in action_rows(self._actions) if row.matches(wanted)]
        matching += [row for row in page_rows(self._open_page) if row.matches(wanted)]
        if wanted.strip():
            matching += islice((row for row in self._places() if row.matches(wanted)), _MOST_PLACES)
            matching += [row for row in setting_rows(self._open_page) if row.matches(wanted)]
            # What the help means in other words would only be in the way of what has the words.
            matching = matching or [row for row in self._places() if row.is_named_in(wanted)]
        # What `begun_first` puts beside each other: actions come first, then what is chosen by name. Actions of the app
        # menu, settings and the help are last. The table's order decides among equals.
        by_name = (chats_title(), folders_title(), presets_title(), models_title())
        late = (*by_name, menu_title("tandem"), settings_title(), help_title())
        last = {title: place for place, title in enumerate(late, 1)}
        matching.sort(key=lambda row: last.get(row.place, 0))
        return begun_first(matching, wanted)


class _PaletteLine(QWidget):
    """The name of a row, the menu it is in, and its keys."""

    def __init__(self, row: PaletteRow) -> None:
        super().__init__()
        title = ElidedLabel(self)
        place = styled(QLabel(row.place, self), "muted")
        title.setText(row.name)
        keys = styled(QLabel(row.keys, self), "muted")
        fill(hbox(self, margins=(10, 6, 10, 6), spacing=12), title, place, 1, keys)
