"""Every user action with what it does, by menu: menus, shortcuts, the palette and the shortcut sheet are built from it.

To add an action, add its entry to the menu's module; nothing else needs to know of it.
"""

from __future__ import annotations

from app.window.actions.chat import CHAT_ACTIONS
from app.window.actions.edit import EDIT_ACTIONS
from app.window.actions.models import MODELS_ACTIONS
from app.window.actions.view import VIEW_ACTIONS

ACTIONS = {"chat": CHAT_ACTIONS, "edit": EDIT_ACTIONS, "models": MODELS_ACTIONS, "view": VIEW_ACTIONS}
