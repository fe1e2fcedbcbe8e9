"""The vision tower of a main model, which the first picture loads, and the pictures of requests. Uses MLX.

All of it belongs to the engine's thread, except where it says so.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten

from engine.cpu_backend.backend import as_computed, backend
from engine.errors import BadRequest, ModelNotUsable, TemplateFailed, is_device_failure
from engine.files.bounded_json import CONFIG
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import states_of
from engine.files.steps import in_chunks, run_to_completion
from engine.heads.weights import quantise
from engine.model_files.config import read_json
from engine.model_files.model_folder import ModelFolder, check_unchanged
from engine.model_files.safetensors_header import parameter_count
from engine.model_files.vision_kinds import VisionKind, vision_kind
from engine.model_files.weight_reading import read_arrays, tensor_places
from engine.pictures.families import FAMILIES
from engine.pictures.family import PictureLayout
from engine.pictures.picture_file import DecodedPicture
from engine.pictures.placed import PassInput, PlacedPicture
from engine.pictures.positions import Grid, Positions
from engine.pictures.reading import PictureFiles, digest_of
from engine.pictures.rules import PictureRules

log = logging.getLogger(__name__)

# Sizes for which a tower's constructor or a layout loops; the sizes of the largest published towers are far below.
MOST_LAYERS = 1_000
LARGEST_SETTING = 2**24
PROCESSORS = ("processor_config.json", "preprocessor_config.json")


class VisionTower:
    """The tower of the main model in `folder`, and its projector.

    Making one reads no weights. Raises any exception for a configuration that its family does not know, and
    `ValueError` for sizes that would take forever.
    """

    def __init__(self, folder: Path, config: Mapping[str, Any], kind: VisionKind, placeholder: int, size: int) -> None:
        self._folder = folder
        self._config = config
        self._kind = kind
        self._family = FAMILIES[kind.name]
        self._processor = processor_of(folder)
        # The token that stands for a row of a picture; `rules` say how many of them a picture has.
        self.placeholder = placeholder
        # What the tower takes once it is loaded.
        self.bytes = size
        self.rules = PictureRules(kind.name, self._family.settings(config, self._processor))
        layers = [config["vision_config"].get(name, 1) for name in ("num_hidden_layers", "depth")]
        if max(layers) > MOST_LAYERS or max(self.rules.settings.values()) > LARGEST_SETTING:
            raise ValueError("a size is out of bounds")
        # None until the first picture.
        self._tower: nn.Module | None = None
        # The states of the files, which must not change before the tower is loaded.
        self._states = states_of(ModelFolder(folder).weight_files)

    @property
    def bytes_to_load(self) -> int:
        """The bytes that the next picture takes for the tower."""
        return self.bytes if self._tower is None else 0

    def embed(self, layout: PictureLayout, pixels: Sequence[bytes]) -> mx.array:
        """Return the embedding (tokens, width) of a picture, evaluated; `pixels` has it in each size of its layout.

        Rows may be wider than the text model, as `Family.embed` says. Loads the tower if need be. Raises
        `ModelNotUsable`, and a failure of the device as it is.
        """
        views = [
            np.frombuffer(view, np.uint8).reshape(height, width, 3)
            for view, (width, height) in zip(pixels, layout.sizes, strict=True)
        ]
        try:
            self._tower = self._tower or self._load()
            rows = self._family.embed(self._tower, self._config, self._processor, views)
            mx.eval(rows)
        # The tower's code can fail in any way on the folder's shapes and values.
        except Exception as error:
            if isinstance(error, ModelNotUsable) or is_device_failure(error):
                raise
            raise ModelNotUsable(self._folder, "wrong-tensors", " ".join(str(error).split())[:120]) from error
        if rows.shape[0] != layout.tokens:
            raise ModelNotUsable(self._folder, "wrong-tensors", f"{rows.shape[0]} rows of {layout.tokens}")
        return rows

    def _load(self) -> nn.Module:
        """Return the tower with its weights, evaluated. Raises `ModelNotUsable`, also if a file has changed."""
        tower = self._family.build(self._config)
        weights = self._family.converted(tower, self._read())
        quantise(tower, weights)
        names = {name for name, _ in tree_flatten(tower.parameters())}
        if lacking := names - weights.keys():
            raise ModelNotUsable(self._folder, "wrong-tensors", f"{min(lacking)} is missing")
        tower.load_weights([(name, array) for name, array in weights.items() if name in names])
        tower = as_computed(tower)
        tower.eval()
        # Converting frees what was read.
        del weights
        for chunk in in_chunks([array for _, array in tree_flatten(tower.parameters())]):
            mx.eval(chunk)
        check_unchanged(self._folder, self._states)
        log.info("loaded the tower of %s: %.1f MB", self._folder.name, self.bytes / 1e6)
        return tower

    def _read(self) -> dict[str, mx.array]:
        """Return the tower's tensors (any shape) by name. Raises `ModelNotUsable`."""
        check_unchanged(self._folder, self._states)
        folder = ModelFolder(self._folder)
        places = {
            name.removeprefix("model."): place
            for name, place in tensor_places({file: folder.header(file) for file in folder.weight_files}).items()
            if self._kind.holds(name)
        }
        with DiskPool() as disk:
            return run_to_completion(read_arrays(self._folder, places, disk))


def vision_tower_of(
    folder: Path, config: Mapping[str, Any], token_of: Callable[[str], int | None]
) -> VisionTower | None:
    """Return the tower of a model for pictures; None if it has none, or none that can be used. Reads headers only.

    `token_of` returns the number of a token by its text, None for one that the model lacks.
    """
    if not config.get("vision_config"):
        return None
    tensors = ModelFolder(folder).tensors
    kind = vision_kind(config, tensors)
    if kind is None or (placeholder := token_of(FAMILIES[kind.name].mark)) is None:
        return None
    own_tensors = {name: tensor for name, tensor in tensors.items() if kind.holds(name)}
    size = sum(tensor.nbytes for tensor in own_tensors.values())
    if not backend().keeps_weights:
        group = (config.get("quantization") or {}).get("group_size")
        size = 4 * parameter_count(own_tensors, group)
    try:
        return VisionTower(folder, config, kind, placeholder, size)
    # Configurations lack what their family needs in all kinds of ways.
    except Exception as error:
        log.warning("%s is used without its vision tower: %s: %s", folder.name, type(error).__name__, error)
        return None


def processor_of(folder: Path) -> dict[str, Any]:
    """Return the settings for pictures in a model folder, {} if there are none. Raises `ModelNotUsable`."""
    merged: dict[str, Any] = {}
    for name in PROCESSORS:
        if (folder / name).exists():
            settings = read_json(folder, name, CONFIG)
            merged |= settings.get("image_processor", settings)
    return merged


@dataclass(eq=False)
class RequestPictures:
    """Reads the pictures `files` of one request for `model`."""

    vision: VisionTower
    model: nn.Module
    files: PictureFiles
    # The embeddings of the pictures that have been read, by digest.
    _rows: dict[str, mx.array] = field(default_factory=dict, init=False)

    @property
    def bidirectional(self) -> bool:
        """Whether the placeholders of a picture read each other in both directions, so that one pass reads them all."""
        return self.vision.rules.bidirectional > 0

    def texts(self) -> dict[str, str]:
        """Return, by digest, the texts that replace the pictures in a prompt, and decode those that take long.

        Waits; thread-safe. Raises `PictureNotUsable`, `PicturesNotInstalled`, and `BadRequest` for a wrong digest.
        """
        for digest, data in self.files.files.items():
            if digest_of(data) != digest:
                raise BadRequest("pictures", f"files by their digests, such as {digest_of(data)}", digest)
        layouts = {digest: self._layout(digest) for digest in self.files.files}
        for digest, layout in layouts.items():
            if self.files.takes_long(digest):
                self.files.decode(digest, layout.sizes, layout.resample).result()
        return {digest: layout.text for digest, layout in layouts.items()}

    def places(self, ids: Sequence[int], digests: Sequence[str]) -> tuple[PlacedPicture, ...]:
        """Return where the pictures `digests` are in a prompt. Raises `TemplateFailed` if they are not all there."""
        at = [position for position, token in enumerate(ids) if token == self.vision.placeholder]
        placed = list[PlacedPicture]()
        first = 0
        for digest in digests:
            end = first + self._layout(digest).tokens
            if end > len(at):
                break
            placed.append(PlacedPicture(digest, at[first], at[end - 1] + 1))
            first = end
        if first != len(at) or len(placed) != len(digests):
            raise TemplateFailed("", "pictures")
        return tuple(placed)

    def positions(self, pictures: Sequence[PlacedPicture]) -> Positions | None:
        """Return the positions in a text with `pictures`, None if these are the indices of tokens."""
        if (axes := self.vision.rules.axes) is None:
            return None
        return Positions(axes, [Grid(picture.start, *self._layout(picture.digest).grid) for picture in pictures])

    def _layout(self, digest: str) -> PictureLayout:
        return self.vision.rules.layout(*self.files.size(digest))

    def has_read(self, picture: PlacedPicture) -> bool:
        """Return whether the embedding of a picture is known."""
        return picture.digest in self._rows

    def decode(self, picture: PlacedPicture) -> Future[DecodedPicture]:
        """Start to decode a picture on another thread, unless that was done; `files.pending` has it until it is."""
        layout = self._layout(picture.digest)
        return self.files.decode(picture.digest, layout.sizes, layout.resample)

    def read(self, picture: PlacedPicture) -> float:
        """Make the embedding of a picture, once it is decoded; returns the seconds of computing for both.

        Raises `PictureNotUsable`, `PicturesNotInstalled` and `ModelNotUsable`.
        """
        decoded = self.decode(picture).result()
        started = time.perf_counter()
        self._rows[picture.digest] = self.vision.embed(self._layout(picture.digest), decoded.views)
        self.files.forget(picture.digest)
        return decoded.seconds + time.perf_counter() - started

    def pass_input(self, tokens: Sequence[int], start: int, stop: int, pictures: Sequence[PlacedPicture]) -> PassInput:
        """Return the input of a pass over `tokens[start:stop]`; `pictures` are those in it, which have been read."""
        places = list[int]()
        rows = list[mx.array]()
        for picture in pictures:
            picture_tokens = tokens[picture.start : picture.stop]
            # The placeholders' places in the pass, and which of them are in it.
            at = np.flatnonzero(np.equal(picture_tokens, self.vision.placeholder)) + picture.start - start
            inside = np.flatnonzero((at >= 0) & (at < stop - start))
            places += at[inside].tolist()
            rows.append(self._rows[picture.digest][mx.array(inside)])
        ids = mx.array([tokens[start:stop]], mx.uint32)
        seen = mx.concatenate(rows)
        placed = mx.array(places, mx.int32)
        # The model may have written the placeholder itself elsewhere.
        ids[:, placed] = 0
        text: mx.array = self._embed_text(ids)
        width = text.shape[-1]
        # Behind their embeddings, rows of pictures may have more to add to the outputs of layers.
        read = mx.pad(text, [(0, 0), (0, 0), (0, seen.shape[1] - width)])
        read[:, placed] = seen.astype(read.dtype)
        embeddings, *deeper = mx.split(read, read.shape[-1] // width, axis=-1)
        blocks = [(picture.start - start, picture.stop - start) for picture in pictures] if self.bidirectional else []
        return PassInput(ids, embeddings, blocks, self.vision.rules.bidirectional == 2, deeper)

    @cached_property
    def _embed_text(self) -> Any:
        return next(module for name, module in self.model.named_modules() if name.endswith("embed_tokens"))
