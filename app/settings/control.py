"""The control of a declared setting, chosen by the type of its value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit, QWidget

from app.settings.setting import Setting
from app.system.language import LANGUAGES
from app.widgets.controls import Chooser, NumberOrWord, Switch, number_box
from app.widgets.search_field import TextField
from app.widgets.theme import scaled

# The least width of choices, numbers and shortcuts, in pixels at the normal text size.
_LEAST_CONTROL_WIDTH = 172
# The least width of text fields, in pixels.
_LEAST_FIELD_WIDTH = 220


class SettingControl:
    """A choice, a switch, a number, a shortcut or a field in `widget`. `entered` gets each value that the user enters.

    The widget has no texts until its owner calls `retranslate`. `least_width` is 0 for a switch, whose size is fixed.
    """

    def __init__(self, setting: Setting, parent: QWidget, entered: Callable[[Any], object]) -> None:
        self.setting = setting
        self.widget: Any
        self._show: Callable[[Any], None]
        if setting.choices:
            self.widget = Chooser(parent, setting.values, entered)
            self._show = self.widget.set_value
        elif isinstance(setting.default, bool):
            self.widget = Switch(parent)
            self.widget.toggled.connect(entered)
            self._show = self.widget.setChecked
        elif isinstance(setting.default, (int, float)):
            self._make_number(parent, entered)
        elif setting.is_shortcut:
            self.widget = QKeySequenceEdit(parent)
            self.widget.setMaximumSequenceLength(1)
            self.widget.editingFinished.connect(lambda: entered(self.widget.keySequence().toString()))
            self._show = self.widget.setKeySequence
        else:
            self.widget = TextField(parent)
            self.widget.editingFinished.connect(lambda: entered(self.widget.text().strip()))
            self._show = self.widget.setText
        self.least_width = _LEAST_FIELD_WIDTH if isinstance(self.widget, TextField) else scaled(_LEAST_CONTROL_WIDTH)
        if isinstance(self.widget, Switch):
            self.least_width = 0
        else:
            self.widget.setMinimumWidth(self.least_width)

    def _make_number(self, parent: QWidget, entered: Callable[[Any], object]) -> None:
        """Make the box for a number, with a tick box beside it if a word stands for the least."""
        setting = self.setting
        is_whole = isinstance(setting.default, int)
        bounds = setting.least, setting.most, setting.step, is_whole
        if setting.least_words:
            first = setting.first or setting.least + setting.step
            self.widget = NumberOrWord(parent, *bounds, int(first) if is_whole else first, entered)
            self._show = self.widget.show_number
            box = self.widget.box
        else:
            box = self.widget = number_box(parent, *bounds, entered)
            self._show = self.widget.setValue
        box.setGroupSeparatorShown(is_whole and setting.grouped)
        box.setMinimumHeight(32)

    def show_value(self, value: Any) -> None:
        """Show `value` without calling `entered`."""
        self.widget.blockSignals(True)
        self._show(value)
        self.widget.blockSignals(False)
        self.widget.update()

    def retranslate(self) -> None:
        """Set the texts of the choices, or the words for the least number or no shortcut."""
        setting = self.setting
        translate = QCoreApplication.translate
        if setting.choices:
            texts = (translate("Settings", words) if words else LANGUAGES[value] for value, words in setting.choices)
            self.widget.set_texts(texts)
        elif setting.is_shortcut:
            self.widget.findChild(QLineEdit).setPlaceholderText(translate("Settings", setting.least_words))
        elif setting.least_words:
            self.widget.set_word(translate("Settings", setting.least_words))
