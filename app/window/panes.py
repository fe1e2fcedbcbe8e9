"""The two side panes: shown where the window is wide enough unless the user decided, and as wide as the user sets."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from app.settings.store import SettingsStore
from app.settings.window_geometry import wanted_panes
from app.speculation.panel import WIDTH as _PANEL_WIDTH
from app.widgets import theme
from app.window.pane_handle import PaneHandle, panel_name, sidebar_name

# Below these widths of the window a pane hides by itself.
_NEEDS = {"panel": 1100, "sidebar": 780}
# No pane grows past its usual width at the cost of these pixels for the chat.
_LEAST_MIDDLE = 440


class Panes:
    """The window calls `arrange` when its width, the language or the text size has changed."""

    def __init__(self, window: QWidget, preferences: SettingsStore, sidebar: QWidget, panel: QWidget) -> None:
        self._window, self._preferences = window, preferences
        self._widgets = {"sidebar": sidebar, "panel": panel}
        self._wanted = wanted_panes(preferences.values)
        # 0 is the usual width.
        self._widths = {"sidebar": preferences.values.sidebar_width, "panel": preferences.values.panel_width}
        self._handles = {
            "sidebar": PaneHandle(sidebar, True, sidebar_name),
            "panel": PaneHandle(panel, False, panel_name),
        }
        for pane, handle in self._handles.items():
            handle.valueChanged.connect(partial(self._set_width, pane))
            handle.sliderReleased.connect(partial(self._keep, pane))
            handle.reset_wanted.connect(partial(self._set_width, pane, 0))

    def toggle(self, pane: str) -> None:
        self.show(pane, not self.shows(pane))

    def shows(self, pane: str) -> bool:
        return not self._widgets[pane].isHidden()

    def show(self, pane: str, shown: bool) -> None:
        """Show or hide a pane from now on, whatever the width."""
        self._wanted[pane] = shown
        self._preferences.change(**{pane: "shown" if shown else "hidden"})
        self.arrange()

    def arrange(self) -> None:
        for pane, widget in self._widgets.items():
            wanted = self._wanted[pane]
            widget.setVisible(self._window.width() >= _NEEDS[pane] if wanted is None else wanted)
        self._fit()

    def _set_width(self, pane: str, width: int) -> None:
        self._widths[pane] = width
        self._fit()
        if not self._handles[pane].isSliderDown():
            self._keep(pane)

    def _keep(self, pane: str) -> None:
        self._preferences.change(**{f"{pane}_width": self._widths[pane]})

    def _fit(self) -> None:
        """Give each pane its width; where the window is narrow the panel gives way first."""
        shown = [pane for pane in _NEEDS if not self._widgets[pane].isHidden()]
        bounds = {pane: self._bounds(pane) for pane in shown}
        widths = {}
        for pane, (least, usual, most) in bounds.items():
            widths[pane] = min(max(self._widths[pane] or usual, least), most)
        for pane, (least, usual, most) in bounds.items():
            others = sum(width for other, width in widths.items() if other != pane)
            most = min(most, max(usual, self._window.width() - _LEAST_MIDDLE - others))
            widths[pane] = min(widths[pane], most)
            handle = self._handles[pane]
            with QSignalBlocker(handle):
                handle.setRange(least, most)
                handle.setValue(widths[pane])
            self._widgets[pane].setFixedWidth(widths[pane])

    def _bounds(self, pane: str) -> tuple[int, int, int]:
        """The least width, which cuts no text off, the usual one and the greatest, in pixels."""
        if pane == "sidebar":
            least, usual, most = 200, 248, 400
        else:
            least, usual, most = theme.scaled(260), theme.scaled(_PANEL_WIDTH), theme.scaled(480)
        least = max(least, min(self._widgets[pane].minimumSizeHint().width(), usual))
        return least, usual, most
