"""An engine's reports about itself: plain data that may cross threads and processes. Imports no MLX."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import EngineError
from engine.tokenizers.thinking import ThinkingChoice


@dataclass(frozen=True)
class ModelInfo:
    """A loaded model. `bytes` are its weights in memory; `kv_bits` None: caches have the model's own precision.

    `sampling` has the settings that its authors recommend, as (name in `SamplingSettings`, value). `thinking` is the
    choice that its chat template offers. `tool_format` names the form of its tool calls (an entry of
    `FORMS`), "" if none is known. `kind` is "head" for a head, whose `architecture` is its family and whose
    `context_length` is that of its main model.
    """

    name: str
    path: Path
    architecture: str
    context_length: int
    bytes: int
    kv_bits: int | None = None
    sampling: tuple[tuple[str, float], ...] = ()
    thinking: ThinkingChoice = field(default_factory=ThinkingChoice)
    tool_format: str = ""
    kind: str = "model"


@dataclass(frozen=True)
class LoadedPair:
    """The models in use; `draft` is the drafter, a draft model or a head.

    `draft_problem` says why a drafter that was asked for is not among them.
    """

    main: ModelInfo | None
    draft: ModelInfo | None
    draft_problem: EngineError | None = None


@dataclass(frozen=True, slots=True)
class PrefixCacheUsage:
    """The size of the prefix cache: `conversations` in `bytes` of at most `budget`, and `stored` bytes on disk."""

    conversations: int
    bytes: int
    budget: int
    stored: int = 0


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory in bytes: `active` is held by MLX, and `free` of the `limit` may still be used."""

    active: int
    limit: int
    free: int


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The numbers of requests that are served and that wait, and the memory in use."""

    active: int
    waiting: int
    prefix_cache: PrefixCacheUsage
    memory: MemoryUse
