"""The two side panes: shown where there is room, unless the user has said otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.preferences.window_place import wanted_panes

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.preferences.preference_file import PreferenceFile

# Below these widths of the window a pane hides by itself.
_NEEDS = {"panel": 1100, "sidebar": 780}


class Panes:
    """Owned by the window, which says when its width has changed."""

    def __init__(self, window: QWidget, preferences: PreferenceFile, sidebar: QWidget, panel: QWidget) -> None:
        self._window, self._preferences = window, preferences
        self._widgets = {"sidebar": sidebar, "panel": panel}
        self._wanted = wanted_panes(preferences.values)

    def toggle(self, pane: str) -> None:
        self.show(pane, self._widgets[pane].isHidden())

    def show(self, pane: str, shown: bool) -> None:
        """Show or hide a pane from now on, whatever the width."""
        self._wanted[pane] = shown
        self._preferences.change(**{pane: "shown" if shown else "hidden"})
        self.arrange()

    def arrange(self) -> None:
        for pane, widget in self._widgets.items():
            wanted = self._wanted[pane]
            widget.setVisible(self._window.width() >= _NEEDS[pane] if wanted is None else wanted)
