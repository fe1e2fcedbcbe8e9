"""The form for method, depth and acceptance rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QSizePolicy, QWidget

from app.settings.declarations import SETTINGS
from app.widgets.controls import Chooser
from app.widgets.restyled import Restyled
from app.wording.sources import method_name
from engine.requests import MAX_DEPTH, SpeculationSettings

_DEPTHS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, MAX_DEPTH)


class SpeculationForm(Restyled, QWidget):
    """Emits `chosen` with the new settings after each choice. Without `with_off`, "off" is not a choice."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, with_off: bool = True) -> None:
        super().__init__(parent)
        self._settings = SpeculationSettings()
        self.choosers = {
            key: Chooser(self, [value for value, _ in SETTINGS[key].choices if with_off or value != "off"] or _DEPTHS)
            for key in ("method", "depth", "acceptance")
        }
        self._with_off = with_off
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
        values = {"method": settings.method, "depth": settings.depth or 0, "acceptance": settings.acceptance}
        for key, value in values.items():
            chooser = self.choosers[key]
            if value == "off" and not self._with_off:
                # The placeholder says that speculation is off.
                chooser.setCurrentIndex(-1)
                continue
            if chooser.findData(value) < 0:
                chooser.addItem(str(value), value)
            chooser.set_value(value)

    def _choose(self) -> None:
        picked: dict[str, Any] = {
            key: chooser.currentData() for key, chooser in self.choosers.items() if chooser.currentIndex() >= 0
        }
        picked["depth"] = picked["depth"] or None
        self.chosen.emit(replace(self._settings, **picked))

    def retranslate(self) -> None:
        for key, chooser in self.choosers.items():
            setting = SETTINGS[key]
            name = QCoreApplication.translate("Settings", setting.title)
            self._names[key].setText(name)
            chooser.setAccessibleName(name)
            chooser.setToolTip(QCoreApplication.translate("Settings", setting.help))
            if key == "method":
                chooser.setPlaceholderText(method_name("off"))
            words = dict(setting.choices) or {0: setting.least_words}
            for index in range(chooser.count()):
                value = chooser.itemData(index)
                text = QCoreApplication.translate("Settings", words[value]) if value in words else ""
                chooser.setItemText(index, text or QLocale().toString(value))
