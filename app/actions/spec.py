"""What an action is: its texts, its keys, what it does, and what decides whether it can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction

from app.system.translatable import QT_TRANSLATE_NOOP

Target = TypeVar("Target")

# Menu titles, in the order of the menu bar.
MENUS = {
    "chat": QT_TRANSLATE_NOOP("Actions", "Chat"),
    "edit": QT_TRANSLATE_NOOP("Actions", "Edit"),
    "models": QT_TRANSLATE_NOOP("Actions", "Models"),
    "view": QT_TRANSLATE_NOOP("Actions", "View"),
}


def menu_title(menu: str) -> str:
    return QCoreApplication.translate("Actions", MENUS[menu])


@dataclass(frozen=True)
class ActionState:
    """What the `enabled` rules look at."""

    can_ask: bool = False
    can_queue: bool = False
    has_text: bool = False
    streaming: bool = False
    has_turns: bool = False
    has_answer: bool = False
    can_retry: bool = False
    can_go_on: bool = False
    is_kept: bool = False
    loading: bool = False
    can_restore: bool = False
    can_measure: bool = False
    can_speak: bool = False
    speaking: bool = False
    has_report: bool = False
    transferring: bool = False
    finding: bool = False


def _always(_: ActionState) -> bool:
    return True


@dataclass(frozen=True)
class ActionSpec(Generic[Target]):
    """One action. `name` is what a screen reader says; `shortcut` a portable key sequence, "" for none.

    `run` does it on the target that the actions are bound to. An action with `checked` is one option of `group`, which
    marks the option in force.
    """

    id: str
    text: str
    name: str
    run: Callable[[Target], object]
    shortcut: str = ""
    icon: str = ""
    group: str = ""
    checked: Callable[[Target], bool] | None = None
    enabled: Callable[[ActionState], bool] = _always
    role: QAction.MenuRole = QAction.MenuRole.TextHeuristicRole
