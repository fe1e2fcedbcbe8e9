"""The general settings: those of the app itself, and the shortcut for the quick entry."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.settings.setting import Setting
from app.settings.store import SettingsStore
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.system.hot_key import hot_key
from app.widgets.outside import has_system_tray


class GeneralPage(TablePage):
    """Hides the settings of what this system does not have, and says why a shortcut cannot be used."""

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__("general", settings, parent)
        self._enter_shortcut(settings.values.quick_entry)
        self.row_of("menu_bar").set_due(has_system_tray())
        self.row_of("quick_entry").set_due(hot_key() is not None)
        self.restyle()

    def _keep(self, setting: Setting, value: Any) -> None:
        """Store a value; of the shortcut, only one that the system accepts."""
        if not setting.is_shortcut:
            super()._keep(setting, value)
        elif value != self.settings.values.quick_entry:
            self._enter_shortcut("" if value in ("Backspace", "Del") else value)
            self.retranslate()

    def _enter_shortcut(self, keys: str) -> None:
        """Use these keys as the shortcut, or keep the earlier ones if the system refuses them."""
        shortcut = hot_key()
        self._keys = keys
        self._refused = shortcut.choose(keys) if shortcut else ""
        if shortcut and self._refused:
            shortcut.choose(self.settings.values.quick_entry)
        else:
            self.settings.change(quick_entry=keys)

    def retranslate(self) -> None:
        super().retranslate()
        if self._refused:
            taken = self.tr("{keys} belongs to another app or to macOS. Choose other keys.")
            rule = self.tr("{keys} does not work. Use ⌃, ⌥ or ⌘ with a letter, digit, space or function key.")
            keys = QKeySequence(self._keys).toString(QKeySequence.SequenceFormat.NativeText)
            row = self.row_of("quick_entry")
            row.set_words(row.name.text(), (taken if self._refused == "taken" else rule).format(keys=keys))


def build(parts: PageParts) -> GeneralPage:
    """Return the page General."""
    return GeneralPage(parts.library.settings)
