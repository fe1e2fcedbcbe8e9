"""What the user has chosen that decides where models come from and what they are judged for. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.settings.declarations import SettingsValues


@dataclass(frozen=True)
class HubOptions:
    """`endpoint` and `proxy` are addresses, "" for none; `context` is what memory is reckoned for, in tokens, and the
    bits are those of both models' caches, 0 for as the model has them.
    """

    endpoint: str
    proxy: str
    folders: tuple[str, ...]
    offline: bool
    context: int
    kv_bits: int
    draft_kv_bits: int


def hub_options_of(values: SettingsValues) -> HubOptions:
    return HubOptions(
        values.hub_endpoint,
        values.proxy,
        values.model_folders,
        values.work_offline,
        values.fit_context,
        values.kv_bits,
        values.draft_kv_bits,
    )
