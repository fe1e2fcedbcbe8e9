"""The form for method, depth and acceptance rule, and the words of their names and values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QSizePolicy, QWidget

from app.settings.declarations import SETTINGS
from app.widgets.controls import Chooser
from app.widgets.restyled import Restyled
from engine.requests import MAX_DEPTH, SpeculationSettings

_DEPTHS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, MAX_DEPTH)


def values_of(settings: SpeculationSettings) -> dict[str, Any]:
    """Return the values of the three settings by key; depth 0 is automatic."""
    return {"method": settings.method, "depth": settings.depth or 0, "acceptance": settings.acceptance}


def name_of(key: str) -> str:
    return QCoreApplication.translate("Settings", SETTINGS[key].title)


def value_words(key: str, value: Any) -> str:
    """Return a value as it is shown; a code of another version stays as it is."""
    words = dict(SETTINGS[key].choices) or {0: SETTINGS[key].least_words}
    if value in words:
        return QCoreApplication.translate("Settings", words[value])
    return QLocale().toString(value) if isinstance(value, int) else str(value)


class SpeculationForm(Restyled, QWidget):
    """Emits `chosen` with the new settings after each choice."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = SpeculationSettings()
        self.choosers = {
            key: Chooser(self, [value for value, _ in SETTINGS[key].choices] or _DEPTHS)
            for key in values_of(self._settings)
        }
        self._names = {key: QLabel(self) for key in self.choosers}
        form = QFormLayout(self)
        form.setContentsMargins(0, 4, 0, 4)
        form.setHorizontalSpacing(12)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for key, chooser in self.choosers.items():
            chooser.activated.connect(self._choose)
            self._names[key].setProperty("styleClass", "muted")
            self._names[key].setBuddy(chooser)
            # Otherwise the form gives a label less height than its field.
            self._names[key].setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
            form.addRow(self._names[key], chooser)
        self.restyle()

    def show_settings(self, settings: SpeculationSettings) -> None:
        self._settings = settings
        for key, value in values_of(settings).items():
            chooser = self.choosers[key]
            if chooser.findData(value) < 0:
                chooser.addItem(value_words(key, value), value)
            chooser.set_value(value)

    def _choose(self) -> None:
        picked: dict[str, Any] = {key: chooser.currentData() for key, chooser in self.choosers.items()}
        picked["depth"] = picked["depth"] or None
        self.chosen.emit(replace(self._settings, **picked))

    def retranslate(self) -> None:
        for key, chooser in self.choosers.items():
            self._names[key].setText(name_of(key))
            chooser.setAccessibleName(name_of(key))
            chooser.setToolTip(QCoreApplication.translate("Settings", SETTINGS[key].help))
            for index in range(chooser.count()):
                chooser.setItemText(index, value_words(key, chooser.itemData(index)))
