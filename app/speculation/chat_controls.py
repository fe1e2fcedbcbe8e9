"""Who guesses, how many tokens, and what is accepted: chosen beside the figures, without loading anything again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.preferences.controls import Chooser
from app.preferences.table import SETTINGS

if TYPE_CHECKING:
    from app.session import Session

_DEPTHS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16)


class ChatControls(QWidget):
    """Folded away until its button is pressed. Shows and changes the session's settings, from the next answer on."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.fold = QPushButton(self)
        self.fold.setProperty("look", "quiet")
        self.fold.setCheckable(True)
        self._body = QWidget(self)
        self._body.hide()
        self.fold.toggled.connect(self._body.setVisible)
        self.choosers = {key: Chooser(self._body) for key in ("method", "depth", "acceptance")}
        self._names = {key: QLabel(self._body) for key in self.choosers}
        form = QFormLayout(self._body)
        form.setContentsMargins(0, 4, 0, 4)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for key, chooser in self.choosers.items():
            for value in [value for value, _ in SETTINGS[key].choices] or _DEPTHS:
                chooser.addItem("", value)
            chooser.activated.connect(self._choose)
            self._names[key].setProperty("look", "muted")
            self._names[key].setBuddy(chooser)
            form.addRow(self._names[key], chooser)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._body)
        session.speculation_changed.connect(self.refresh)
        self.retranslate()

    def refresh(self) -> None:
        """Show what the session will ask for next."""
        chosen = self._session.speculation
        values = {"method": chosen.method, "depth": chosen.depth or 0, "acceptance": chosen.acceptance}
        for key, value in values.items():
            chooser = self.choosers[key]
            if chooser.findData(value) < 0:
                chooser.addItem(str(value), value)
            chooser.setCurrentIndex(chooser.findData(value))

    def _choose(self) -> None:
        chosen: dict[str, Any] = {key: chooser.currentData() for key, chooser in self.choosers.items()}
        chosen["depth"] = chosen["depth"] or None
        self._session.set_speculation(replace(self._session.speculation, **chosen))

    def retranslate(self) -> None:
        self.fold.setText(self.tr("How to guess"))
        self.fold.setToolTip(self.tr("Method, depth and acceptance, from the next answer on"))
        for key, chooser in self.choosers.items():
            setting = SETTINGS[key]
            name = QCoreApplication.translate("Preferences", setting.title)
            self._names[key].setText(name)
            chooser.setAccessibleName(name)
            chooser.setToolTip(QCoreApplication.translate("Preferences", setting.help))
            words = dict(setting.choices) or {0: setting.least_words}
            for index in range(chooser.count()):
                value = chooser.itemData(index)
                text = QCoreApplication.translate("Preferences", words[value]) if value in words else ""
                chooser.setItemText(index, text or QLocale().toString(value))
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "choosers"):
            self.retranslate()
