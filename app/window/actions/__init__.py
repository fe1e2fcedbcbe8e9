"""All user actions, by menu. Menus, shortcuts and the palette are built from this table.

To add an action, add an entry to the menu's module. A menu has at most 12 entries.
"""

from __future__ import annotations

from app.window.actions.application import HELP_ACTIONS, TANDEM_ACTIONS, WINDOW_ACTIONS
from app.window.actions.chat import CHAT_ACTIONS
from app.window.actions.edit import EDIT_ACTIONS
from app.window.actions.file import FILE_ACTIONS
from app.window.actions.speculation import SPECULATION_ACTIONS
from app.window.actions.view import VIEW_ACTIONS

ACTIONS = {
    "tandem": TANDEM_ACTIONS,
    "file": FILE_ACTIONS,
    "edit": EDIT_ACTIONS,
    "chat": CHAT_ACTIONS,
    "view": VIEW_ACTIONS,
    "speculation": SPECULATION_ACTIONS,
    "window": WINDOW_ACTIONS,
    "help": HELP_ACTIONS,
}
