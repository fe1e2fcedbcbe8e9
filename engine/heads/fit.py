"""Whether a head can draft for a main model of some shape, and the memory it takes. Does not import mlx."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.heads.config import HeadConfig
from engine.model_files.cache_counting import CacheShape

# Rows by which the buffers of contexts grow, as those of mlx-lm's KVCache do.
GROWTH = 256
# Rows that a layer keeps beyond its window, at most one more window, so that rewinding loses nothing.
SLACK = 512


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a head cannot draft for a main model: the values of `what` (layers, width, vocabulary) differ."""

    what: str
    head: int
    main: int

    def __str__(self) -> str:
        return f"{self.what}: {self.head}, {self.main}"


def mismatch(head: tuple[int, int, int], main: tuple[int, int, int], *, exact: bool) -> Mismatch | None:
    """Return why a head cannot draft for a main model, or None if it can as far as is known.

    `head` and `main` are (layers, width, vocabulary); 0 stands for an unknown value. Unless `exact`, the main model may
    have more layers. The vocabulary is the number of rows of the main model's output matrix, padding included.
    """
    for what, needed, there in zip(("layers", "width", "vocabulary"), head, main, strict=True):
        more = needed > there or exact or what != "layers"
        if needed and there and needed != there and more:
            return Mismatch(what, needed, there)
    return None


def rows_at_most(window: int) -> int:
    """Return the most rows that the buffer of a layer has for a text of any length, read in chunks of common size."""
    rows = kept_and_most(window)[1] + 2 * SLACK
    # A piece that does not fit adds whole steps to the buffer.
    return (-(-rows // GROWTH) + 1) * GROWTH


def kept_and_most(window: int) -> tuple[int, int]:
    """Return how many rows a layer keeps when it drops rows, and the number of rows at which it does."""
    stay = window + min(window, SLACK)
    return stay, stay + min(max(window, GROWTH), 2 * SLACK)


def memory_config(config: HeadConfig) -> dict[str, Any]:
    """Return the settings that `engine.advice.fit` reads for a head in place of a model's config.json."""
    shape = CacheShape(windows=tuple(zip(map(rows_at_most, config.row_windows), config.row_elements, strict=True)))
    return {"cache_shape": shape, "hidden_size": config.width, "intermediate_size": config.inner}
