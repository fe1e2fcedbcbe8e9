"""The settings window: pages on the left, each declared once in `PAGES`; a page that does not exist is not listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from app.models.page import ModelsPage
from app.preferences.general_page import GeneralPage
from app.preferences.network_page import NetworkPage

if TYPE_CHECKING:
    from app.application import Application
    from app.models.library import Library
    from app.models.switcher import Switcher
    from app.session import Session


_NARROWEST_LIST = 200


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Marks a text for Qt's extractor, which looks for this name."""
    return text


@dataclass(frozen=True)
class Owners:
    """What the pages show and change."""

    application: Application
    session: Session
    library: Library
    switcher: Switcher


@dataclass(frozen=True)
class PageSpec:
    """One page: `build` makes its widget when it is opened for the first time."""

    id: str
    title: str
    build: Callable[[Owners], QWidget]


PAGES = (
    PageSpec("general", QT_TRANSLATE_NOOP("Settings", "General"), lambda own: GeneralPage(own.application)),
    PageSpec(
        "models",
        QT_TRANSLATE_NOOP("Settings", "Models"),
        lambda own: ModelsPage(own.library, own.session, own.switcher),
    ),
    PageSpec("network", QT_TRANSLATE_NOOP("Settings", "Privacy and network"), lambda own: NetworkPage(own.library)),
)


class SettingsWindow(QWidget):
    """Stays open beside the main window. Everything in it takes effect at once."""

    def __init__(self, owners: Owners, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("settings")
        self._owners = owners
        self._list, self._stack = QListWidget(self), QStackedWidget(self)
        self._list.setObjectName("settingsList")
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pages: dict[str, QWidget] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._list)
        row.addWidget(self._stack, 1)
        for _ in PAGES:
            QListWidgetItem(self._list)
        self._list.currentRowChanged.connect(self._open_row)
        self.retranslate()
        self.resize(1080, 760)
        self.setMinimumSize(640, 440)

    def open(self, page_id: str = "models") -> None:
        """Show the window with that page in front."""
        self._list.setCurrentRow(next(index for index, spec in enumerate(PAGES) if spec.id == page_id))
        self.show()
        self.activateWindow()

    def page(self, page_id: str) -> QWidget:
        if page_id not in self._pages:
            spec = next(spec for spec in PAGES if spec.id == page_id)
            self._pages[page_id] = spec.build(self._owners)
            self._stack.addWidget(self._pages[page_id])
        return self._pages[page_id]

    def _open_row(self, row: int) -> None:
        self._stack.setCurrentWidget(self.page(PAGES[row].id))

    def retranslate(self) -> None:
        self.setWindowTitle(QCoreApplication.translate("Settings", "Settings"))
        self._list.setAccessibleName(QCoreApplication.translate("Settings", "Pages of the settings"))
        for index, spec in enumerate(PAGES):
            self._list.item(index).setText(QCoreApplication.translate("Settings", spec.title))
        self._list.ensurePolished()
        self._list.setFixedWidth(max(_NARROWEST_LIST, self._list.sizeHintForColumn(0) + 32))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_pages"):
            self.retranslate()
