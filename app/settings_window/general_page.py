"""The general settings: those of the app itself, and the shortcut for the quick entry."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from app.settings.setting import Setting
from app.settings.store import SettingsStore
from app.settings_window.table_page import TablePage
from app.system.hot_key import hot_key
from app.widgets.outside import has_system_tray


class GeneralPage(TablePage):
    """Turns off the settings of what this system does not have, and says so, and why a shortcut cannot be used."""

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__("general", settings, parent)
        self._enter_shortcut(settings.values.quick_entry)
        self.restyle()

    def _keep(self, setting: Setting, value: Any) -> None:
        if not setting.is_shortcut:
            super()._keep(setting, value)
        elif value != self.settings.values.quick_entry:
            self._enter_shortcut("" if value in ("Backspace", "Del") else value)
            self.retranslate()

    def _enter_shortcut(self, keys: str) -> None:
        shortcut = hot_key()
        self._keys, self._refused = keys, shortcut.choose(keys) if shortcut else ""
        if shortcut and self._refused:
            shortcut.choose(self.settings.values.quick_entry)
        else:
            self.settings.change(quick_entry=keys)

    def retranslate(self) -> None:
        super().retranslate()
        if not has_system_tray():
            self._show_note("menu_bar", self.tr("This desktop has no place for icons of programs."), enabled=False)
        if hot_key() is None:
            words = self.tr("Works only on a Mac. The command “Quick entry” opens the same window.")
            self._show_note("quick_entry", words, enabled=False)
        elif self._refused:
            taken = self.tr("{keys} belongs to another app or to macOS. Choose other keys.")
            rule = self.tr("{keys} does not work. Use ⌃, ⌥ or ⌘ with a letter, digit, space or function key.")
            keys = QKeySequence(self._keys).toString(QKeySequence.SequenceFormat.NativeText)
            self._show_note("quick_entry", (taken if self._refused == "taken" else rule).format(keys=keys))

    def _show_note(self, key: str, words: str, *, enabled: bool = True) -> None:
        row = self.row_of(key)
        self.control(key).setEnabled(enabled)
        row.set_words(row.name.text(), words)
