"""Where things are on the disk and how much they take."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.models.hub_wording import size_words
from app.preferences.disk_use import Kept, clear_caches, measure
from app.preferences.form import Form

if TYPE_CHECKING:
    from app.models.library import Library

_IDS = ("chats", "models", "caches", "settings")


class StoragePage(Form):
    """Looks at the disk whenever it is shown."""

    def __init__(self, title: str, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._library = title, library
        self._kept: dict[str, Kept] = {}
        self._sizes: dict[str, QLabel] = {}
        self.open_buttons: dict[str, QPushButton] = {}
        self.clear = QPushButton(self)
        for id_ in _IDS:
            controls = QWidget(self)
            row = QHBoxLayout(controls)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(8)
            self._sizes[id_], self.open_buttons[id_] = QLabel(controls), QPushButton(controls)
            row.addWidget(self._sizes[id_])
            if id_ == "caches":
                row.addWidget(self.clear)
            row.addWidget(self.open_buttons[id_])
            for button in (self.clear, self.open_buttons[id_]):
                button.setProperty("look", "button")
            self.open_buttons[id_].clicked.connect(partial(self._open, id_))
            self.row(controls)
        self.clear.clicked.connect(self._clear)
        self.retranslate()

    def _look(self) -> None:
        self._library.on_pool(measure, self._take)

    def _clear(self) -> None:
        self.clear.setEnabled(False)

        def work() -> tuple[Kept, ...]:
            clear_caches()
            return measure()

        self._library.on_pool(work, self._take)

    def _take(self, kept: tuple[Kept, ...]) -> None:
        self._kept = {one.id: one for one in kept}
        self.retranslate()

    def _open(self, id_: str) -> None:
        if id_ in self._kept:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._kept[id_].folder)))

    def retranslate(self) -> None:
        self.title.setText(QCoreApplication.translate("Settings", self._title))
        names = {
            "chats": (self.tr("Chats"), self.tr("With the list of downloads.")),
            "models": (self.tr("Models"), self.tr("The Hugging Face cache, shared with other programs.")),
            "caches": (self.tr("Caches"), self.tr("What Tandem can make again when it needs it.")),
            "settings": (self.tr("Settings"), self.tr("What you have chosen in this window.")),
        }
        for row, id_ in zip(self.rows, _IDS, strict=True):
            kept = self._kept.get(id_)
            name, help_ = names[id_]
            row.set_words(name, f"{help_}\n{kept.folder}" if kept else help_)
            self._sizes[id_].setText(size_words(kept.bytes) if kept else "")
            button = self.open_buttons[id_]
            button.setText(self.tr("Show"))
            button.setAccessibleName(self.tr("Show the folder: {name}").format(name=name))
            button.setEnabled(kept is not None)
        self.clear.setText(self.tr("Clear"))
        self.clear.setAccessibleName(self.tr("Clear the caches"))
        self.clear.setEnabled("caches" in self._kept and self._kept["caches"].bytes > 0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "clear"):
            self.retranslate()
