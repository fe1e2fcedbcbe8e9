"""Pictures in a text: where their placeholders are, and what a pass over these reads instead of their embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mlx.core as mx


@dataclass(frozen=True, slots=True)
class PlacedPicture:
    """A picture in a text: the digest of its file, and the positions from its first placeholder on, up to `stop`."""

    digest: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class PassInput:
    """What a pass over pictures reads."""

    # The tokens, uint32 (1, rows), where a model needs these, too; 0 for placeholders.
    ids: mx.array
    # (1, rows, width), of the pictures and of the text between them.
    embeddings: mx.array
    # The rows of each block, from a start on and before a stop, read each other in both directions.
    blocks: Sequence[tuple[int, int]] = ()
    # Whether they do so in layers with sliding windows only.
    in_windows: bool = False
    # Each (1, rows, width), to be added to the output of a layer, from the first layer on.
    deeper: Sequence[mx.array] = ()


def content_of(tokens: Sequence[int], pictures: Sequence[PlacedPicture]) -> Sequence[int]:
    """Return what makes two texts the same: the tokens, with the digest of each picture for its first placeholder.

    A digest is a negative number there, which no token is.
    """
    if not pictures:
        return tokens
    content = [*tokens]
    for picture in pictures:
        content[picture.start] = -1 - int.from_bytes(picture.digest.encode(), "big")
    return content


def without_pictures(tokens: Sequence[int], pictures: Sequence[PlacedPicture]) -> list[int]:
    """Return the tokens of a text without the placeholders of its pictures, for models that cannot see."""
    starts = [picture.start for picture in pictures]
    stops = [picture.stop for picture in pictures]
    return [token for start, stop in zip([0, *stops], [*starts, None], strict=True) for token in tokens[start:stop]]


def within(pictures: Sequence[PlacedPicture], start: int, stop: int) -> tuple[PlacedPicture, ...]:
    """Return the pictures that have placeholders from position `start` on and before `stop`."""
    return tuple(picture for picture in pictures if picture.start < stop and picture.stop > start)
