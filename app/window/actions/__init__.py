"""Every user action with what it does, as one table: menus, shortcuts, the command palette and more are built from it.

To add an action, add its entry to the menu's module; nothing else needs to know of it.
"""

from __future__ import annotations

from app.window.actions.chat import CHAT_ACTIONS
from app.window.actions.edit import EDIT_ACTIONS
from app.window.actions.models import MODELS_ACTIONS
from app.window.actions.view import VIEW_ACTIONS

ACTIONS = (*CHAT_ACTIONS, *EDIT_ACTIONS, *MODELS_ACTIONS, *VIEW_ACTIONS)
