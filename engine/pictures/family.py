"""What a family of models that see consists of. Imports no MLX: only building and using a tower does."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn

# The pixels of a picture, (height, width, 3).
Pixels = npt.NDArray[Any]
# A config.json, or the settings of a processor.
Config = Mapping[str, Any]

# The numbers of a model on which its layouts depend, by name, as `Family.settings` returns them.
Numbers = Mapping[str, float]
# How the decoder scales: Pillow's numbers of its filters.
BILINEAR = 2
BICUBIC = 3
# Mean and deviation of pixels by CLIP, and for the families that have one number for all colours.
CLIP = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
HALF = (0.5,), (0.5,)


@dataclass(frozen=True, slots=True)
class PictureLayout:
    """How a model reads a picture."""

    # The sizes (width, height) that it is scaled to, and Pillow's number of the filter for that.
    sizes: tuple[tuple[int, int], ...]
    resample: int
    # What replaces the picture in the prompt.
    text: str
    # How many placeholders are in the text: one for each row of the picture's embedding.
    tokens: int
    # How many tokens the text has, with the marks around the placeholders.
    cost: int
    # The rows and columns of the placeholders, if their positions depend on these; else (0, 0).
    grid: tuple[int, int] = (0, 0)


class Family(ABC):
    """A family. `config` is a model's config.json, and `processor` its settings for pictures, perhaps empty."""

    # The text of the placeholder token.
    mark: str

    @abstractmethod
    def settings(self, config: Config, processor: Config) -> dict[str, float]:
        """Return the settings of a model; "bidirectional" is 1 if the tokens of a picture read each other.

        With 2 they do so only in layers with sliding windows, and with 0 in none.
        "time", "row", "column" and "interleaved" are the axes of its positions, if these have three coordinates.

        Raises any exception for a configuration that is not of this family.
        """

    @abstractmethod
    def layout(self, settings: Numbers, width: int, height: int) -> PictureLayout:
        """Return the layout of a picture of `width` times `height` pixels."""

    @abstractmethod
    def build(self, config: Config) -> nn.Module:
        """Build tower and projector, without their weights, under the names that the tensors have in model folders."""

    def converted(self, tower: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:  # noqa: ARG002
        """Return weights, which a folder may have in PyTorch's layout, in MLX's layout and under the tower's names.

        Kernels of convolutions are (out, height, width, channels) afterwards.
        """
        return weights

    @abstractmethod
    def embed(self, tower: Any, config: Config, processor: Config, views: Sequence[Pixels]) -> mx.array:
        """Return the embedding (tokens, width) of a picture, lazily, in the place of the text model's own embeddings.

        A row may have, after its `width` numbers, as many again for each of the first layers, to be added to their
        outputs: (tokens, width * (1 + layers)). `views` has the picture in each size of its layout, each (height,
        width, 3) of numbers from 0 to 255.
        """


def in_cells(width: int, height: int, side: float, least: float, most: float, *, fewest: int = 1) -> tuple[int, int]:
    """Return the columns and rows of the cells, of `side` pixels each way, to which a picture is scaled.

    It keeps its shape. All cells together have `least` to `most` pixels; before these bounds, there are at least
    `fewest` each way. A picture of 640 times 480 pixels is 20 times 15 cells of 32 pixels.
    """
    columns, rows = (max(fewest, round(length / side)) for length in (width, height))
    if columns * rows * side**2 > most:
        factor = math.sqrt(width * height / most)
        columns, rows = (max(1, math.floor(length / factor / side)) for length in (width, height))
    elif columns * rows * side**2 < least:
        factor = math.sqrt(least / (width * height))
        columns, rows = (math.ceil(length * factor / side) for length in (width, height))
    return columns, rows


def normalised(view: Pixels, processor: Config, mean: Sequence[float], std: Sequence[float]) -> Pixels:
    """Return pixels (height, width, 3) around 0, in float32, by the processor's mean and deviation or else these."""
    scaled = view.astype(np.float32) * np.float32(processor.get("rescale_factor", 1 / 255))
    middle = np.asarray(processor.get("image_mean", mean), np.float32)
    return (scaled - middle) / np.asarray(processor.get("image_std", std), np.float32)


def as_mlx(weights: dict[str, mx.array], kernels: str) -> dict[str, mx.array]:
    """Return weights with the kernels of convolutions, whose names end with `kernels`, in the layout of MLX.

    A kernel (out, channels, height, width), as PyTorch has it, becomes (out, height, width, channels). All else stays.
    """
    converted: dict[str, mx.array] = {}
    for name, array in weights.items():
        # PyTorch's have the few channels of a picture before their height and width.
        is_of_pytorch = name.endswith(kernels) and array.shape[1] < array.shape[-1]
        converted[name] = array.transpose(0, 2, 3, 1) if is_of_pytorch else array
    return converted
