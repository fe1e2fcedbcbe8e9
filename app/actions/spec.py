"""The declaration of an action: its texts and keys, what it does, and when it can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

Target = TypeVar("Target")

# Menu titles, in the order of the menu bar.
MENUS = {
    "tandem": "Tandem",
    "file": "File",
    "edit": "Edit",
    "chat": "Chat",
    "view": "View",
    "speculation": "Speculation",
    "window": "Window",
    "help": "Help",
}
SUBMENUS = {"find": "Find", "speech": "Speech"}


def menu_title(menu: str) -> str:
    """Return the translated title of a menu or a submenu."""
    return QCoreApplication.translate("Actions", MENUS.get(menu) or SUBMENUS[menu])


def _always(_: object) -> bool:
    return True


@dataclass(frozen=True)
class ActionSpec(Generic[Target]):
    """One action.

    Menus and the palette show `text`, buttons `short` if it is given, and screen readers say `name`. `shortcut` is a
    portable key sequence, "" for none.

    `run` is called with the target that the actions are bound to, and so are the rules: `enabled` tells whether the
    action can be used now, `checked` whether an option is in force. An action that turns something on and off shows
    `other_text` while `shows_other` returns True. `begins_section` draws a line above it in its menu; `hides` hides it
    while it is not enabled.
    """

    id: str
    text: str
    name: str
    run: Callable[[Target], object]
    shortcut: str = ""
    icon: str = ""
    short: str = ""
    submenu: str = ""
    begins_section: bool = False
    hides: bool = False
    checked: Callable[[Target], bool] | None = None
    enabled: Callable[[Target], bool] = _always
    other_text: str = ""
    shows_other: Callable[[Target], bool] | None = None
    # Without a role, macOS moves actions by their text, "Exit full screen" for example as if it were "Quit".
    role: QAction.MenuRole = QAction.MenuRole.NoRole

    @property
    def texts(self) -> list[str]:
        """Its English texts, of the translation context "Actions"."""
        return [text for text in (self.text, self.name, self.short, self.other_text) if text]
