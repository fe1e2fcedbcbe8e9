"""The settings of sampling and of the context, with presets above them."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.settings.engine_settings import PRESETS, preset_in_use
from app.settings.store import SettingsStore
from app.settings_window.table_page import TablePage


class GenerationPage(TablePage):
    def __init__(self, title: str, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__("generation", title, settings, parent)
        self.presets: dict[str, QPushButton] = {}
        line = QWidget(self.widget())
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 4, 0, 8)
        row.setSpacing(8)
        for name in PRESETS:
            button = QPushButton(line)
            button.setProperty("styleClass", "button")
            button.setCheckable(True)
            button.clicked.connect(partial(self._use, name))
            row.addWidget(button)
            self.presets[name] = button
        row.addStretch(1)
        self._column.insertWidget(3, line)
        self.restyle()

    def _use(self, name: str) -> None:
        self.settings.change(**PRESETS[name])
        self.show_values()

    def show_values(self) -> None:
        super().show_values()
        chosen = preset_in_use(self.settings.values)
        for name, button in self.presets.items():
            button.setChecked(name == chosen)

    def retranslate(self) -> None:
        words = {
            "precise": (self.tr("Precise"), self.tr("Always the likeliest token")),
            "balanced": (self.tr("Balanced"), self.tr("Some variety, few surprises")),
            "creative": (self.tr("Creative"), self.tr("As varied as the model is, without the unlikeliest tokens")),
        }
        for name, button in self.presets.items():
            button.setText(words[name][0])
            button.setToolTip(words[name][1])
            button.setAccessibleDescription(words[name][1])
        super().retranslate()
