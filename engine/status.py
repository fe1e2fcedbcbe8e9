"""An engine's reports about itself: plain data that may cross threads and processes. Imports no MLX."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import EngineError
from engine.pictures.rules import PictureRules
from engine.tokenizers.thinking import ThinkingChoice


@dataclass(frozen=True)
class ModelInfo:
    """A loaded model. `bytes` are its weights in memory; `kv_bits` None: caches have the model's own precision.

    `sampling` has the settings that its authors recommend, as (name in `engine.requests.SamplingSettings`, value).
    `thinking` is the choice that its chat template offers. `tool_format` names the form of its tool calls (an entry of
    `engine.call_forms.table.FORMS`), "" if none is known. `kind` is "head" for a head, whose `architecture` is its
    family and whose `context_length` is its main model's. `taught` is a digest of what a drafter was taught, ""
    for nothing. `pictures` says what a picture costs, `PictureRules.tokens(width, height)`; None for a model that
    cannot see.
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
    taught: str = ""
    pictures: PictureRules | None = None

    @property
    def sees(self) -> bool:
        """Whether requests may have pictures."""
        return self.pictures is not None


@dataclass(frozen=True)
class LoadedPair:
    """The models in use; `draft` is the drafter, a draft model or a head.

    `draft_problem` says why a drafter that was asked for is not among them. `crowded`: they took more memory than was
    available when they were loaded, so other programs may get slower.
    """

    main: ModelInfo | None
    draft: ModelInfo | None
    draft_problem: EngineError | None = None
    crowded: bool = False

    @property
    def bytes(self) -> int:
        """The bytes of the weights of both models."""
        return sum(info.bytes for info in (self.main, self.draft) if info is not None)

    @property
    def draft_path(self) -> Path | None:
        """The folder of the drafter, None without one."""
        return None if self.draft is None else self.draft.path


@dataclass(frozen=True, slots=True)
class PrefixCacheUsage:
    """The size of the prefix cache: `conversations` in `bytes` of at most `budget`, and `stored` bytes on disk.

    `stored` is None if the folder cannot be read.
    """

    conversations: int
    bytes: int
    budget: int
    stored: int | None = 0


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory in bytes: `active` is held by MLX, and `free` of the `limit` may still be used."""

    active: int
    limit: int
    free: int


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The numbers of requests that are served and that wait, and the memory in use.

    `resident` are the main models in memory with their drafters, the one that was used last at the end.
    """

    active: int
    waiting: int
    prefix_cache: PrefixCacheUsage
    memory: MemoryUse
    resident: tuple[LoadedPair, ...] = ()


@dataclass(frozen=True, slots=True)
class TeachingResult:
    """The shares of places in answers of held-out chats where the drafter's likeliest token was the main model's.

    `before` is the share that the weights in use before had, and `after` the share that the taught ones have, which are
    kept if `better`.
    """

    before: float
    after: float
    better: bool


@dataclass(frozen=True, slots=True)
class TaughtDraft:
    """What the loaded drafter was taught for the loaded main model: how it was judged, None if it was not taught.

    `problem` says why what it was taught cannot be used: "changed" (one of the models) or "damaged", else "". `refusal`
    is why the drafter cannot be taught, if so.
    """

    judged: TeachingResult | None = None
    problem: str = ""
    refusal: EngineError | None = None


@dataclass(frozen=True, slots=True)
class TeachingProgress:
    """How far a teaching is: `done` of `total` tokens read, or steps taught; `phase` is "" if none is under way.

    `phase` is "reading", "teaching" or "judging". `seconds_left` is None until it can be estimated.
    """

    phase: str = ""
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
