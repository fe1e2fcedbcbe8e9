"""What the conversion of a GGUF file will write, as the sandbox that converts it tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GgufPlan:
    """What a conversion will write: the bytes of each file of weights."""

    shards: list[int]
    architecture: str
    tensors: int
    requantised: list[str]
