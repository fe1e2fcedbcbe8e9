"""Pictures in a text: where their placeholders are, and what a pass over these reads instead of their embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import mlx.core as mx

from engine.speculation.rounds.taps import with_classes


@dataclass(frozen=True, slots=True)
class PlacedPicture:
    """A picture in a text: the digest of its file, and the positions from its first placeholder on, up to `stop`."""

    digest: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class PassInput:
    """What a pass over pictures reads: `embeddings` (1, rows, width), and `ids` (1, rows) where it needs these, too.

    The rows of each of `blocks`, (start, stop), read each other in both directions.
    """

    ids: mx.array
    embeddings: mx.array
    blocks: Sequence[tuple[int, int]] = ()


class PictureReader(Protocol):
    """Reads the pictures of one request for the main model."""

    @property
    def both_ways(self) -> bool:
        """Whether the placeholders of a picture read each other in both directions, so that one pass reads them all."""
        ...

    def has_read(self, picture: PlacedPicture) -> bool:
        """Whether the embedding of a picture is known."""
        ...

    def pass_input(self, tokens: Sequence[int], start: int, pictures: Sequence[PlacedPicture]) -> PassInput:
        """Return the input of a pass over `tokens`, which begin at position `start`; `pictures` are those in them.

        Their embeddings must be known.
        """
        ...


def content_of(tokens: Sequence[int], pictures: Sequence[PlacedPicture]) -> Sequence[int | str]:
    """Return what makes two texts the same: the tokens, with the digest of each picture for its first placeholder."""
    if not pictures:
        return tokens
    content: list[int | str] = [*tokens]
    for picture in pictures:
        content[picture.start] = picture.digest
    return content


def within(pictures: Sequence[PlacedPicture], start: int, stop: int) -> tuple[PlacedPicture, ...]:
    """Return the pictures that have placeholders from position `start` on and before `stop`."""
    return tuple(picture for picture in pictures if picture.start < stop and picture.stop > start)


@contextmanager
def reading_both_ways(caches: Sequence[Any], blocks: Sequence[tuple[int, int]]) -> Iterator[None]:
    """Let the rows of each of `blocks` read each other in the pass that the body builds."""
    seeing = [cache for cache in caches if hasattr(cache, "make_mask")]
    with with_classes(seeing, [_reading_both_ways(type(cache), tuple(blocks)) for cache in seeing]):
        yield


@lru_cache(maxsize=64)
def _reading_both_ways(base: type[Any], blocks: tuple[tuple[int, int], ...]) -> type[Any]:
    """Return a subclass of a cache whose masks also show each row of a block the rows of the block behind it."""

    def make_mask(cache: Any, rows: int, *args: Any, **options: Any) -> mx.array:
        mask = base.make_mask(cache, rows, *args, **(options | {"return_array": True}))
        queries, keys = mx.arange(rows)[:, None], mx.arange(mask.shape[-1])[None] - (mask.shape[-1] - rows)
        for start, stop in blocks:
            mask = mask | ((queries >= start) & (queries < stop) & (keys >= start) & (keys < stop))
        return mask

    return type(f"BothWays{base.__name__}", (base,), {"make_mask": make_mask})
