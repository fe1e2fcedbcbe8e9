"""The type of the main window's actions, which act on its views and services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.spec import ActionSpec

if TYPE_CHECKING:
    from app.window.main_window import MainWindow

    WindowAction = ActionSpec[MainWindow]
else:
    WindowAction = ActionSpec
