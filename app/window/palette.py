"""The command palette: finds an action, a chat, a model or a page of the settings by a few letters; Enter runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.actions.actions import Actions
from app.actions.spec import menu_title
from app.widgets import theme
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay
from app.widgets.search_field import ListField
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.window.palette_rows import PaletteRow, action_rows, chats_title, models_title, page_rows, settings_title

_ROWS_SHOWN = 9
_ROW_HEIGHT = 36
# Chats and models that are listed at a time; more letters find the others.
_MOST_PLACES = 50


class CommandPalette(ThemeAware, Overlay):
    """`places` yields the chats and models, which are found once something is typed."""

    def __init__(
        self,
        actions: Actions,
        open_page: Callable[[str], object],
        places: Callable[[], Iterator[PaletteRow]],
        window: QWidget,
    ) -> None:
        super().__init__(window, 560)
        self._actions = actions
        self._open_page = open_page
        self._places = places
        self._found: list[PaletteRow] = []

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
        matching = [row for row in action_rows(self._actions) if row.matches(wanted)]
        if wanted.strip():
            matching += islice((row for row in self._places() if row.matches(wanted)), _MOST_PLACES)
        matching += [row for row in page_rows(self._open_page) if row.matches(wanted)]
        # What begins with the typed text comes first, then what has it in its name. Of these, actions come first, then
        # chats and models. Actions of the app menu and pages are last. The table's order decides among equals.
        late = (chats_title(), models_title(), menu_title("tandem"), settings_title())
        last = {title: place for place, title in enumerate(late, 1)}
        typed = wanted.casefold()
        matching.sort(
            key=lambda row: (
                not row.words.casefold().startswith(typed),
                typed not in row.name.casefold(),
                last.get(row.place, 0),
            )
        )
        self._found = matching
        # Rows are as wide as the list, whatever the length of their texts.
        size = QSize(0, _PaletteLine(matching[0]).sizeHint().height()) if matching else QSize()
        for row in matching:
            item = QListWidgetItem(self._list)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.spoken)
            item.setSizeHint(size)
        self._none.setHidden(bool(matching))
        rows = min(max(len(matching), 1), _ROWS_SHOWN)
        self._list.setFixedHeight(max(rows * size.height(), theme.scaled(_ROW_HEIGHT)) + 2 * self._list.frameWidth())
        self.fit_in_window()
        self._list.setCurrentRow(0)
        self._make_rows()

    def _make_rows(self) -> None:
        """Create only the visible rows: creating all of them at every letter is slow."""
        first = max(self._list.indexAt(QPoint(0, 0)).row(), 0)
        most = self._list.viewport().height() // max(self._list.sizeHintForRow(0), 1) + 2
        for number in range(first, min(first + most, len(self._found))):
            item = self._list.item(number)
            if self._list.itemWidget(item) is None:
                self._list.setItemWidget(item, _PaletteLine(self._found[number]))

    def fit_in_window(self) -> None:
        super().fit_in_window()
        # Rows stay as wide as the list, which Qt sees to only in a new layout.
        self._list.doItemsLayout()

    def _run(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._found):
            self.close_overlay()
            self._found[row].run()


class _PaletteLine(QWidget):
    """The name of a row, the menu it is in, and its keys."""

    def __init__(self, row: PaletteRow) -> None:
        super().__init__()
        title = ElidedLabel(self)
        place = styled(QLabel(row.place, self), "muted")
        title.setText(row.name)
        keys = styled(QLabel(row.keys, self), "muted")
        fill(hbox(self, margins=(10, 6, 10, 6), spacing=12), title, place, 1, keys)
