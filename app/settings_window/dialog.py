"""The settings window: pages on the left, each declared once in `PAGES`, with a search over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from app.models.page import ModelsPage
from app.settings.declarations import settings_of
from app.settings_window.advanced_page import AdvancedPage
from app.settings_window.form import Form
from app.settings_window.generation_page import GenerationPage
from app.settings_window.history_page import HistoryPage
from app.settings_window.network_page import NetworkPage
from app.settings_window.speculation_page import SpeculationPage
from app.settings_window.storage_page import StoragePage
from app.settings_window.table_page import TablePage
from app.system.translatable import QT_TRANSLATE_NOOP
from app.widgets.layouts import settle_layouts

if TYPE_CHECKING:
    from app.library.library import Library
    from app.models.model_controller import ModelController
    from app.session.session import Session
    from app.widgets.application import Application

_NARROWEST_LIST = 200


@dataclass(frozen=True)
class Owners:
    """What the pages show and change."""

    application: Application
    session: Session
    library: Library
    switcher: ModelController


@dataclass(frozen=True)
class PageSpec:
    """One page: `build` makes its widget, with the title, when it is opened for the first time."""

    id: str
    title: str
    build: Callable[[str, Owners], QWidget]


PAGES = (
    PageSpec(
        "general",
        QT_TRANSLATE_NOOP("Settings", "General"),
        lambda title, own: TablePage("general", title, own.library.settings),
    ),
    PageSpec(
        "models",
        QT_TRANSLATE_NOOP("Settings", "Models"),
        lambda _, own: ModelsPage(own.library, own.session, own.switcher),
    ),
    PageSpec(
        "speculation",
        QT_TRANSLATE_NOOP("Settings", "Speculation"),
        lambda title, own: SpeculationPage(title, own.library.settings, own.session),
    ),
    PageSpec(
        "generation",
        QT_TRANSLATE_NOOP("Settings", "Generation"),
        lambda title, own: GenerationPage(title, own.library.settings),
    ),
    PageSpec(
        "history",
        QT_TRANSLATE_NOOP("Settings", "Request history"),
        lambda title, own: HistoryPage(title, own.session.history),
    ),
    PageSpec(
        "storage",
        QT_TRANSLATE_NOOP("Settings", "Storage"),
        lambda title, own: StoragePage(title, own.library, own.session),
    ),
    PageSpec(
        "network",
        QT_TRANSLATE_NOOP("Settings", "Privacy and network"),
        lambda title, own: NetworkPage(title, own.library),
    ),
    PageSpec(
        "advanced",
        QT_TRANSLATE_NOOP("Settings", "Advanced"),
        lambda title, own: AdvancedPage(title, own.library, own.session),
    ),
)


class SettingsWindow(QWidget):
    """Stays open beside the main window. Everything in it takes effect at once."""

    def __init__(self, owners: Owners, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("settings")
        self._owners = owners
        self._list, self._stack = QListWidget(self), QStackedWidget(self)
        self.search = QLineEdit(self)
        self.search.setClearButtonEnabled(True)
        side = QWidget(self)
        side.setObjectName("settingsSide")
        column = QVBoxLayout(side)
        column.setContentsMargins(10, 16, 10, 0)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self._list, 1)
        self._side = side
        self._list.setObjectName("settingsList")
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pages: dict[str, QWidget] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self._stack, 1)
        for _ in PAGES:
            QListWidgetItem(self._list)
        self._list.currentRowChanged.connect(self._open_row)
        self.search.textChanged.connect(self._find)
        self.retranslate()
        self.resize(1080, 760)
        self.setMinimumSize(720, 480)

    def open(self, page_id: str = "models") -> None:
        """Show the window with that page in front."""
        self._list.setCurrentRow(next(index for index, spec in enumerate(PAGES) if spec.id == page_id))
        self.show()
        self.activateWindow()

    def open_about(self) -> None:
        """Show what this program is, at the end of its page."""
        self.open("advanced")
        page = self.page("advanced")
        assert isinstance(page, Form)
        settle_layouts()
        page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())

    def page(self, page_id: str) -> QWidget:
        if page_id not in self._pages:
            spec = next(spec for spec in PAGES if spec.id == page_id)
            self._pages[page_id] = spec.build(spec.title, self._owners)
            self._stack.addWidget(self._pages[page_id])
        return self._pages[page_id]

    def _open_row(self, row: int) -> None:
        if row < 0:
            return
        page = self.page(PAGES[row].id)
        self._stack.setCurrentWidget(page)
        if isinstance(page, Form):
            page.show_matching(self.search.text().strip())

    def _find(self, text: str) -> None:
        """List only the pages that hold the text, and show the first of them."""
        text = text.strip()
        found = [index for index, spec in enumerate(PAGES) if _holds(spec, text)]
        for index in range(len(PAGES)):
            self._list.item(index).setHidden(index not in found)
        if found and self._list.currentRow() not in found:
            self._list.setCurrentRow(found[0])
        self._open_row(self._list.currentRow())

    def retranslate(self) -> None:
        self.setWindowTitle(QCoreApplication.translate("Settings", "Settings"))
        self._list.setAccessibleName(QCoreApplication.translate("Settings", "Pages of the settings"))
        for index, spec in enumerate(PAGES):
            self._list.item(index).setText(QCoreApplication.translate("Settings", spec.title))
        self._list.ensurePolished()
        self._side.setFixedWidth(max(_NARROWEST_LIST, self._list.sizeHintForColumn(0) + 40))
        self.search.setPlaceholderText(QCoreApplication.translate("Settings", "Search"))
        self.search.setAccessibleName(QCoreApplication.translate("Settings", "Search in the settings"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.Close):
            self.close()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_pages"):
            self.retranslate()


def _holds(spec: PageSpec, text: str) -> bool:
    """Whether a page's title or one of its rows holds the text, in the language of the window."""
    translate = QCoreApplication.translate
    words = [translate("Settings", spec.title)]
    for setting in settings_of(spec.id):
        words += [translate("Settings", setting.title), translate("Settings", setting.help)]
        words += [translate("Settings", name) for _, name in setting.choices if name]
    return text.casefold() in "\n".join(words).casefold()
