"""Whether a head can draft for a main model of some shape, and the memory it takes. No mlx here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.heads.config import HeadConfig

# Buffers of context rows grow by so many: `mlx_lm.models.cache.KVCache.step`.
GROWTH = 256
# A windowed layer keeps so many rows beyond its window, at most a window's worth, so that rewinding loses nothing.
SLACK = 512


@dataclass(frozen=True, slots=True)
class Mismatch:
    """What keeps a head from drafting for a main model: `what` (layers, width, vocabulary), the head's and its."""

    what: str
    head: int
    main: int

    def __str__(self) -> str:
        return f"{self.what}: {self.head}, {self.main}"


def mismatch(head: tuple[int, int, int], main: tuple[int, int, int], *, exact: bool) -> Mismatch | None:
    """Why a head cannot draft for a main model; None if it can, as far as is known: 0 is not.

    Of both, layers (unless `exact`, the head needs so many at least), width and vocabulary: the rows of the main
    model's output matrix, padding included.
    """
    for what, needed, there in zip(("layers", "width", "vocabulary"), head, main, strict=True):
        more = needed > there or exact or what != "layers"
        if needed and there and needed != there and more:
            return Mismatch(what, needed, there)
    return None


def context_bytes(config: HeadConfig, length: int, element_bytes: int) -> int:
    """Bytes of a context of `length` tokens at most."""
    row = config.row_elements * element_bytes
    return sum(row * rows_at_most(window, length + config.block_rows) for window in config.windows)


def rows_at_most(window: int | None, length: int) -> int:
    """How many rows the buffer of a layer has for `length` tokens at most, in prompts of common chunks."""
    rows = length if window is None else min(length, kept_and_most(window)[1] + 2 * SLACK)
    # A piece that does not fit adds whole steps to the buffer.
    return (-(-rows // GROWTH) + 1) * GROWTH


def kept_and_most(window: int) -> tuple[int, int]:
    """How many rows a windowed layer keeps when it drops some, and from how many on it does."""
    kept = window + min(window, SLACK)
    return kept, kept + max(window, GROWTH)


def memory_config(config: HeadConfig) -> dict[str, Any]:
    """What `engine.advice.fit` reads of a head, in place of a model's config.json."""
    windows = [0 if window is None else rows_at_most(window, 2**40) for window in config.windows]
    return {
        "head_windows": windows,
        "head_row_elements": config.row_elements,
        "hidden_size": config.width,
        "intermediate_size": config.inner,
    }
