"""What a family of models that see consists of. Imports no MLX: only building and using a tower does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn
    import numpy as np

# The numbers of a model on which its layouts depend, by name.
Settings = Mapping[str, float]
# How the decoder scales: Pillow's numbers of its filters.
BILINEAR, BICUBIC = 2, 3


@dataclass(frozen=True, slots=True)
class Layout:
    """How a model reads a picture: scaled to each of `sizes` (width, height) with `resample`, and as `text`.

    The text replaces the picture in the prompt. `tokens` placeholders in it stand for the rows of its embedding;
    `cost` counts all its tokens.
    """

    sizes: tuple[tuple[int, int], ...]
    resample: int
    text: str
    tokens: int
    cost: int


class Family(Protocol):
    """A family. Settings come from `settings`, and `views` are pictures (height, width, 3) of 0 to 255."""

    # The text of the placeholder token.
    mark: str

    def settings(self, config: Mapping[str, Any], processor: Mapping[str, Any]) -> dict[str, float]:
        """Return the settings of a model by its config.json and preprocessor_config.json.

        "both_ways" is 1 if the tokens of a picture read each other in both directions. Raises any exception for a
        configuration that is not of this family.
        """
        ...

    def layout(self, settings: Settings, width: int, height: int) -> Layout:
        """Return the layout of a picture of `width` times `height` pixels."""
        ...

    def build(self, config: Mapping[str, Any]) -> nn.Module:
        """Build tower and projector, without their weights, under the names that the tensors have in model folders."""
        ...

    def converted(self, tower: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Return weights that may be stored as by PyTorch in the layout of MLX."""
        ...

    def embed(self, tower: nn.Module, processor: Mapping[str, Any], views: Sequence[np.ndarray]) -> mx.array:
        """Return the embedding (tokens, width) of a picture, lazily, as the text model's own embedding would be."""
        ...


def size_of(value: Any) -> int:
    """Return the longer side in a processor's size: a number, or a mapping by longest edge or height and width."""
    if isinstance(value, Mapping):
        return int(value.get("longest_edge") or max(value["height"], value["width"]))
    return int(value)
