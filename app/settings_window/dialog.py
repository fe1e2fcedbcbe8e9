"""The settings window: its pages, and a search over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QListWidget, QListWidgetItem, QStackedWidget, QWidget
from shiboken6 import isValid

from app.settings.declarations import PAGES, settings_of
from app.settings.window_geometry import within
from app.settings_window.form import Form
from app.widgets.keyboard_focus import TabOrdered, mark_keyboard_focus, stops
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.outside import hide_window
from app.widgets.search_field import SearchField
from app.widgets.theme_aware import ThemeAware

if TYPE_CHECKING:
    from app.library.library import Library
    from app.models.model_controller import ModelController
    from app.session.session import Session

_NARROWEST_LIST = 200
# The list has a heading above this page: those from here on are for developers.
_FIRST_OF_DEVELOPERS = "api"
# The page that the page Advanced opens until another Mac is named.
_FROM_ADVANCED = "machines"


class SettingsWindow(ThemeAware, TabOrdered, QWidget):
    """The settings window, which stays open next to the main window. Its widgets are made when it first opens."""

    def __init__(self, library: Library, session: Session, models: ModelController, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("settings")
        self._library = library
        self._session = session
        self._models = models
        self._pages: dict[str, QWidget] = {}
        self._items: dict[str, QListWidgetItem] = {}
        # The control of a page that had the focus last, and its place in the window.
        self._used: tuple[QWidget, QPoint] | None = None
        # The page that was asked for last.
        self._opened = ""
        self.resize(1080, 760)
        # Fits a screen of 800 by 500 with its bars.
        self.setMinimumSize(760, 420)

    def _make(self) -> None:
        """Make the widgets, at the first opening."""
        # Made first, so that it has the focus when the window opens.
        self.search = SearchField(self)
        self._list = QListWidget(self)
        self._stack = QStackedWidget(self)
        self._side = QWidget(self)
        self._side.setObjectName("settingsSide")
        fill(vbox(self._side, margins=(10, 16, 10, 0), spacing=8), self.search, (self._list, 1))
        self._list.setObjectName("settingsList")
        mark_keyboard_focus(self._list)
        self._none = label(self._list, "muted", wraps=True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        fill(vbox(self._list, margins=(10, 10, 10, 10)), self._none)
        self._none.hide()
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        fill(hbox(self, margins=(0, 0, 0, 0), spacing=0), self._side, (self._stack, 1))
        for page_id in PAGES:
            if page_id == _FIRST_OF_DEVELOPERS:
                self._heading = QListWidgetItem(self._list)
                self._heading.setFlags(Qt.ItemFlag.NoItemFlags)
            self._items[page_id] = QListWidgetItem(self._list)
            self._items[page_id].setData(Qt.ItemDataRole.UserRole, page_id)
        self._list.currentItemChanged.connect(lambda *_: self._open_current())
        self.search.typed.connect(self._find)
        self.search.down.connect(lambda: self._list.setFocus(Qt.FocusReason.ShortcutFocusReason))
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow_focus)
        self.restyle()

    def open(self, page_id: str = "models", wanted: str = "") -> None:
        """Show the window at that page, or at what a search for `wanted` finds there."""
        is_new = not self._is_built
        if is_new:
            self._make()
        if not self.isVisible():
            self._place(centred=is_new)
        self._opened = page_id
        self.search.setText(wanted)
        self._list_pages()
        self._list.setCurrentItem(self._items[page_id])
        self.show()
        self.activateWindow()

    def _place(self, *, centred: bool) -> None:
        """Open where it was, or above the middle of the main window, as far as the screen allows."""
        place = self.geometry()
        window = self.parentWidget()
        assert window is not None
        if centred:
            place.moveCenter(window.window().frameGeometry().center())
        self.setGeometry(within(place, window.screen() if centred else self.screen()))

    def page(self, page_id: str) -> QWidget:
        """Return a page, which is built at the first call."""
        if page_id not in self._pages:
            # Imported here because the start of the window must not wait for the pages.
            from app.settings_window.pages import PageParts, build_page

            parts = PageParts(self._library, self._session, self._models, self.open)
            self._pages[page_id] = build_page(page_id, parts)
            self._stack.addWidget(self._pages[page_id])
        return self._pages[page_id]

    def _open_current(self) -> None:
        """Show the page that is selected in the list, with the rows that the search finds."""
        if (item := self._list.currentItem()) is None:
            return
        page = self.page(item.data(Qt.ItemDataRole.UserRole))
        self._stack.setCurrentWidget(page)
        if isinstance(page, Form):
            page.show_matching(self.search.words.strip())

    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Give the focus to what replaced a control that is gone, instead of to the search.

        Qt moves it to the search when the control that has it goes.
        """
        if now is not None and self._stack.isAncestorOf(now):
            self._used = now, now.mapTo(self, now.rect().center())
        elif self._used is not None and now in (self.search, None) and self.isActiveWindow():
            used, place = self._used
            self._used = None
            if not isValid(used) or not used.isVisible():
                # Once the page has its new controls.
                QTimer.singleShot(0, self, lambda: self._focus_near(place))

    def _focus_near(self, place: QPoint) -> None:
        """Move the focus to the control of the page that is nearest to `place`."""
        if widgets := stops(self._stack):
            min(widgets, key=lambda widget: _distance(place, widget.mapTo(self, widget.rect().center()))).setFocus()

    def _is_listed(self, page_id: str, text: str) -> bool:
        """Return whether the list has a page: if a search finds it or, without one, unless another page opens it."""
        if text:
            return _holds(page_id, text)
        is_elsewhere = page_id == _FROM_ADVANCED and not self._library.settings.values.machines
        return not is_elsewhere or page_id == self._opened

    def _list_pages(self) -> list[str]:
        """List the pages that the search finds, and all but that of another page without one; return their ids."""
        text = self.search.words.strip()
        pages = [page_id for page_id in PAGES if self._is_listed(page_id, text)]
        for page_id, item in self._items.items():
            item.setHidden(page_id not in pages)
        self._none.setHidden(bool(pages))
        ids = list(PAGES)
        self._heading.setHidden(all(self._items[id_].isHidden() for id_ in ids[ids.index(_FIRST_OF_DEVELOPERS) :]))
        return pages

    def _find(self, text: str) -> None:
        """List the pages that contain the text; show the first with it in a title, else the first."""
        text = text.strip()
        pages = self._list_pages()
        about = [self._items[page_id] for page_id in pages if _holds(page_id, text, only_titles=True)]
        about = about or [self._items[page_id] for page_id in pages]
        if text and about and self._list.currentItem() not in about:
            self._list.setCurrentItem(about[0])
        self._open_current()

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        self.setWindowTitle(translate("Settings", "Settings"))
        self._list.setAccessibleName(translate("Settings", "Pages of the settings"))
        self._heading.setText(translate("Settings", "Developer"))
        self._none.setText(translate("Settings", "No matching settings"))
        for page_id, title in PAGES.items():
            self._items[page_id].setText(translate("Settings", title))
        self.apply_text_size()
        self.search.setPlaceholderText(translate("Settings", "Search"))
        self.search.setAccessibleName(translate("Settings", "Search in the settings"))

    def apply_text_size(self) -> None:
        self._list.ensurePolished()
        self._side.setFixedWidth(max(_NARROWEST_LIST, self._list.sizeHintForColumn(0) + 40))

    def closeEvent(self, event: QCloseEvent) -> None:
        hide_window(self)
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.Close):
            self.close()
        else:
            super().keyPressEvent(event)


def _distance(first: QPoint, second: QPoint) -> int:
    return (first - second).manhattanLength()


def _holds(page_id: str, text: str, only_titles: bool = False) -> bool:
    """Return whether a text is in the title or a row of a page, or, with `only_titles`, in a title.

    In every language the English words find them, too.
    """
    words = [PAGES[page_id]]
    for setting in settings_of(page_id):
        words += [setting.title] if only_titles else setting.texts
    words += [QCoreApplication.translate("Settings", word) for word in words]
    return text.casefold() in "\n".join(words).casefold()
