"""What the conversion of a GGUF file will write, as the sandbox that converts it tells."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GgufPlan:
    """What a conversion will write: the bytes of each file of weights.

    If the GGUF file cannot be used, `problem` is the reason and `detail` the detail of `ModelNotUsable`.
    """

    shards: list[int] = field(default_factory=list)
    architecture: str = ""
    tensors: int = 0
    requantised: list[str] = field(default_factory=list)
    problem: str = ""
    detail: str = ""
