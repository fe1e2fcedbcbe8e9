"""Every user action, as data: menus, buttons, shortcuts, command palette and shortcut sheet are built from it."""

from __future__ import annotations

from app.actions.chat import CHAT_ACTIONS
from app.actions.edit import EDIT_ACTIONS
from app.actions.models import MODELS_ACTIONS
from app.actions.spec import ActionSpec, ActionState
from app.actions.view import VIEW_ACTIONS
from app.system.translatable import QT_TRANSLATE_NOOP

__all__ = ["ACTIONS", "MENUS", "ActionSpec", "ActionState"]

# Menu titles, in the order of the menu bar.
MENUS = {
    "chat": QT_TRANSLATE_NOOP("Actions", "Chat"),
    "edit": QT_TRANSLATE_NOOP("Actions", "Edit"),
    "models": QT_TRANSLATE_NOOP("Actions", "Models"),
    "view": QT_TRANSLATE_NOOP("Actions", "View"),
}

ACTIONS = (*CHAT_ACTIONS, *EDIT_ACTIONS, *MODELS_ACTIONS, *VIEW_ACTIONS)
