"""Limits of an engine: memory, disk, and how many requests it serves at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.ahead.messages import MOST_RECOVERY
from engine.computers.hosts import is_name
from engine.errors import require, require_between, require_one_of
from engine.requests import OVERFLOW_RULES

KV_BITS = (4, 8)
# Where a draft model may draft while the main model verifies, if not on another computer: nowhere, or on this
# computer's processor.
DRAFT_AHEAD = ("off", "here")


@dataclass(frozen=True)
class EngineSettings:
    """Limits of an engine; `Engine.configure` changes them while it runs.

    `most_active` requests are decoded together and `most_waiting` more may queue. Finished turns are kept in
    `prefix_cache_bytes`. Those of a named conversation are kept across sessions, if `prefix_cache_folder` is given, in
    at most `prefix_folder_bytes` there. Their answers are indexed in `answer_index_folder`, if given, for look-ups in
    other chats, in at most `answer_index_bytes`; when one of these folders is not given any more, it is emptied. Both
    models are unloaded after `unload_after_s` seconds without a request. `memory_limit` in bytes replaces the limit
    that the device recommends. These take effect at once.

    `overflow` ("refuse" or "shorten") applies to requests that do not set it themselves. With `allow_oversize` models
    and requests are accepted although they may not fit into memory. An answer is assumed to take at most `context`
    tokens. These apply to the requests that begin afterwards.

    `kv_bits` and `draft_kv_bits` (4, 8 or None for the model's own precision) are how the full-attention caches of
    main and draft are stored. Costs and acceptance of speculation on this machine are kept in `learned_file` if given;
    a pair that was not calibrated is calibrated while the engine is idle. These, `allow_oversize` and the `context`
    that has to fit apply to the models loaded afterwards.

    What drafters are taught is kept in `taught_folder`, if given, and used by the pairs that are loaded afterwards.

    `draft_ahead`, one of DRAFT_AHEAD or the name or address of another computer as ssh takes it, is where a draft model
    drafts while the main model verifies. For each number of draft tokens that a round may accept, it prepares for at
    most `draft_ahead_branches` recovery tokens. These apply to the answers that begin afterwards.
    """

    most_active: int = 8
    most_waiting: int = 32
    prefix_cache_bytes: int = 2 * 2**30
    prefix_cache_folder: Path | None = None
    prefix_folder_bytes: int = 4 * 10**9
    answer_index_folder: Path | None = None
    # Eight million tokens.
    answer_index_bytes: int = 3 * 2**26
    kv_bits: int | None = None
    draft_kv_bits: int | None = None
    unload_after_s: float | None = None
    context: int = 4096
    memory_limit: int | None = None
    learned_file: Path | None = None
    taught_folder: Path | None = None
    overflow: str = "refuse"
    allow_oversize: bool = False
    draft_ahead: str = "off"
    draft_ahead_branches: int = MOST_RECOVERY

    def __post_init__(self) -> None:
        require_between("most_active", self.most_active, 1, 32)
        for name in ("most_waiting", "prefix_cache_bytes", "prefix_folder_bytes", "answer_index_bytes"):
            require(getattr(self, name) >= 0, name, "0 or more", getattr(self, name))
        require(self.context >= 1, "context", "1 or more", self.context)
        require_one_of(OVERFLOW_RULES, "overflow", self.overflow)
        require(is_name(self.draft_ahead), "draft_ahead", "off, here or a computer", self.draft_ahead)
        require_between("draft_ahead_branches", self.draft_ahead_branches, 1, MOST_RECOVERY)
        for name in ("kv_bits", "draft_kv_bits"):
            bits = getattr(self, name)
            require(bits is None or bits in KV_BITS, name, "4, 8 or None", bits)
        if self.unload_after_s is not None:
            require(self.unload_after_s > 0, "unload_after_s", "above 0", self.unload_after_s)
        if self.memory_limit is not None:
            require(self.memory_limit >= 0, "memory_limit", "0 or more", self.memory_limit)
