"""What an action says of itself, and what decides whether it can be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class ActionState:
    """What the enabled-rules look at."""

    can_ask: bool = False
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
class ActionSpec:
    """One action. `name` is what a screen reader says; `shortcut` a portable key sequence, "" for none.

    `group` is the choice that a checkable action is one of.
    """

    id: str
    menu: str
    text: str
    name: str
    shortcut: str = ""
    icon: str = ""
    group: str = ""
    enabled: Callable[[ActionState], bool] = _always
