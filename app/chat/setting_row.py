"""One of a chat's own settings: its name, a slider with a number or a choice, and a button that resets it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QToolButton, QWidget

from app.settings.control import SettingControl
from app.settings.declarations import SETTINGS
from app.widgets import theme
from app.widgets.controls import Slider
from app.widgets.icons import icon
from app.widgets.labels import set_name
from app.widgets.style_class import styled

# The values of a slider's stops, for settings that even steps do not suit.
_STOPS: dict[str, Sequence[float]] = {
    "max_tokens": (0, 128, *(2**power for power in range(8, 18))),
    "min_p": tuple(round(0.01 * step, 2) for step in range(51)),
    "temperature": tuple(round(0.05 * step, 2) for step in range(41)),
    "repetition_penalty": tuple(round(1 + 0.01 * step, 2) for step in range(51)),
}
# The least widths of a slider and of a number or a choice in a narrow window.
_SLIDER_WIDTH, _NUMBER_WIDTH = 56, 120
_WITHOUT_SLIDER = ("seed",)


class SettingRow(QObject):
    """The widgets in one row of a grid. `changed` carries the key and the value, None for the default.

    The sheet with the row calls `retranslate` and `apply_theme`.
    """

    changed = Signal(str, object)

    def __init__(self, key: str, grid: QGridLayout, parent: QWidget) -> None:
        super().__init__(parent)
        self.setting, self.key = SETTINGS[key], key
        self._own = False
        self.name = QLabel(parent)
        self.reset = styled(QToolButton(parent), "quiet")
        self.reset.setFixedSize(24, 24)
        self.reset.setIconSize(QSize(14, 14))
        # It keeps its size while hidden, so that nothing moves when the chat gets a value of its own.
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        self.reset.clicked.connect(lambda: self.changed.emit(key, None))
        self.slider: QSlider | None = None
        self._stops: Sequence[float] = ()
        line = grid.rowCount()
        grid.addWidget(self.name, line, 0)
        self._made = SettingControl(self.setting, parent, lambda value: self.changed.emit(key, value))
        self.control = self._made.widget
        if self.setting.choices or key in _WITHOUT_SLIDER:
            grid.addWidget(self.control, line, 2, 1, 2)
        else:
            self.slider = self._make_slider(parent)
            grid.addWidget(self.slider, line, 2)
            grid.addWidget(self.control, line, 3)
        # Otherwise the control keeps its minimum width from another language.
        self.control.setMinimumWidth(_NUMBER_WIDTH)
        grid.addWidget(self.reset, line, 1)

    def show_value(self, default: Any, own: Any) -> None:
        """Show the chat's own value, or the default if it has none (None)."""
        self._own = own is not None
        value = own if self._own else default
        self._made.show_value(value)
        if self.slider is not None:
            with QSignalBlocker(self.slider):
                self.slider.setValue(max(0, bisect_right(self._stops, value) - 1))
        self.reset.setVisible(self._own)
        self.apply_theme()

    def _make_slider(self, parent: QWidget) -> QSlider:
        setting = self.setting
        count = round((setting.most - setting.least) / setting.step)
        even = [round(setting.least + step * setting.step, 2) for step in range(count + 1)]
        self._stops = _STOPS.get(self.key, even)
        slider = Slider(parent)
        slider.setRange(0, len(self._stops) - 1)
        slider.setMinimumWidth(_SLIDER_WIDTH)
        slider.valueChanged.connect(self._slid)
        return slider

    def _slid(self, stop: int) -> None:
        value = self._stops[stop]
        self.changed.emit(self.key, float(value) if isinstance(self.setting.default, float) else int(value))

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        name, help_ = (translate("Settings", words) for words in (self.setting.title, self.setting.help))
        self.name.setText(name)
        self.name.setToolTip(help_)
        for named in (self.control, self.slider):
            if named is not None:
                named.setAccessibleName(name)
                named.setAccessibleDescription(help_)
                named.setToolTip(help_)
        set_name(self.reset, translate("SettingRow", "Reset {name}").format(name=name))
        self._made.retranslate()

    def apply_theme(self) -> None:
        """Show the name of the chat's own value in bold."""
        font = self.name.font()
        font.setBold(self._own)
        self.name.setFont(font)
        self.reset.setIcon(icon("retry", theme.colours().muted))
