"""What the user has chosen that decides where models come from and what they are judged for. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.preferences.table import Preferences


@dataclass(frozen=True)
class Wishes:
    """`endpoint` and `proxy` are addresses, "" for none; `context` is what memory is reckoned for, in tokens."""

    endpoint: str
    proxy: str
    folders: tuple[str, ...]
    offline: bool
    context: int


def wishes_of(values: Preferences) -> Wishes:
    return Wishes(values.hub_endpoint, values.proxy, values.model_folders, values.work_offline, values.fit_context)
