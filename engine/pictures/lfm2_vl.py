"""LFM2-VL: a small picture keeps its shape; a large one is cut into tiles, which a small view of it follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.pictures.family import BICUBIC, HALF, Config, Family, Numbers, PictureLayout, Pixels, in_cells, normalised

if TYPE_CHECKING:
    import mlx.core as mx
    import mlx.nn as nn

# The numbers of tiles. Many folders switch tiles off, although the models were trained with them.
_TILES = range(2, 11)
# What a folder does not set.
_DEFAULTS = {
    "downsample_factor": 2,
    "encoder_patch_size": 16,
    "min_image_tokens": 64,
    "max_image_tokens": 256,
    "tile_size": 512,
    "max_pixels_tolerance": 2.0,
    "resample": BICUBIC,
}


class Lfm2Vl(Family):
    """The family of LFM2-VL and LFM2.5-VL, whose tower is SigLIP 2."""

    mark = "<image>"

    def settings(self, config: Config, processor: Config) -> dict[str, float]:
        return {name: processor.get(name, config.get(name, default)) for name, default in _DEFAULTS.items()}

    def layout(self, settings: Numbers, width: int, height: int) -> PictureLayout:
        # The pixels of a token each way.
        cell = int(settings["encoder_patch_size"] * settings["downsample_factor"])
        resample = int(settings["resample"])
        least = int(settings["min_image_tokens"] * cell**2)
        most = int(settings["max_image_tokens"] * cell**2)
        columns, rows = in_cells(width, height, cell, least, most)
        whole = (columns * cell, rows * cell)
        tokens = columns * rows
        if not _is_large(settings, width, height, cell):
            text = f"<|image_start|>{self.mark * tokens}<|image_end|>"
            return PictureLayout((whole,), resample, text, tokens, tokens + 2)
        side = int(settings["tile_size"])
        columns, rows = _grid(width, height, side)
        tokens_of_tile = math.ceil(side / cell) ** 2
        tiles = [f"<|img_row_{row}_col_{column}|>" for row in range(1, rows + 1) for column in range(1, columns + 1)]
        text = "".join(f"{tile}{self.mark * tokens_of_tile}" for tile in tiles)
        text = f"<|image_start|>{text}<|img_thumbnail|>{self.mark * tokens}<|image_end|>"
        sizes = ((columns * side, rows * side), whole)
        all_tokens = len(tiles) * tokens_of_tile + tokens
        # A mark for each tile, for the small view, and for the begin and the end of all.
        return PictureLayout(sizes, resample, text, all_tokens, all_tokens + len(tiles) + 3)

    def build(self, config: Config) -> nn.Module:
        import mlx.nn as nn
        from mlx_vlm.models.lfm2_vl import ModelConfig, TextConfig, VisionConfig, VisionModel
        from mlx_vlm.models.lfm2_vl.lfm2_vl import Lfm2VlMultiModalProjector, PixelUnshuffleBlock

        text = TextConfig.from_dict(config["text_config"])
        vision = VisionConfig.from_dict(config["vision_config"])
        whole = ModelConfig.from_dict({**config, "text_config": text, "vision_config": vision})
        tower = nn.Module()
        tower.vision_tower = VisionModel(vision)
        if whole.vision_feature_layer != -1:
            del tower.vision_tower.encoder.layers[whole.vision_feature_layer + 1 :]
        tower.pixel_unshuffle = PixelUnshuffleBlock(whole.downsample_factor)
        tower.multi_modal_projector = Lfm2VlMultiModalProjector(whole)
        return tower

    def converted(self, tower: nn.Module, weights: dict[str, mx.array]) -> dict[str, mx.array]:  # noqa: ARG002
        """Return the weights under the tower's names; a patch is read by a matrix (out, numbers)."""
        return {name.replace("vision_tower.vision_model.", "vision_tower."): array for name, array in weights.items()}

    def embed(self, tower: Any, config: Config, processor: Config, views: Sequence[Pixels]) -> mx.array:
        """Return the embeddings of all tiles, row by row, then of the small whole view, as (tokens, width).

        A large picture has two views (height, width, 3), the first of which is cut into tiles (side, side, 3).
        """
        import mlx.core as mx

        *tiled, whole = views
        side = int(processor.get("tile_size", config.get("tile_size", _DEFAULTS["tile_size"])))
        tiles = [
            view[row : row + side, column : column + side]
            for view in tiled
            for row in range(0, view.shape[0], side)
            for column in range(0, view.shape[1], side)
        ]
        return mx.concatenate([self._rows(tower, config, processor, view) for view in (*tiles, whole)])

    def _rows(self, tower: Any, config: Config, processor: Config, view: Pixels) -> mx.array:
        """Return the embedding (tokens, width) of a tile or of a whole picture, lazily."""
        import mlx.core as mx

        patch = int(config["vision_config"].get("patch_size", 16))
        pixels = normalised(view, processor, *HALF)
        rows = pixels.shape[0] // patch
        columns = pixels.shape[1] // patch
        patches = pixels.reshape(rows, patch, columns, patch, 3).transpose(0, 2, 1, 3, 4).reshape(1, rows * columns, -1)
        shape = mx.array([[rows, columns]])
        *_, states = tower.vision_tower(mx.array(patches), output_hidden_states=True, spatial_shapes=shape)
        unshuffled = tower.pixel_unshuffle(states.reshape(1, rows, columns, -1))
        embeddings: mx.array = tower.multi_modal_projector(unshuffled)
        return embeddings.reshape(-1, embeddings.shape[-1])


def _is_large(settings: Numbers, width: int, height: int, cell: int) -> bool:
    """Return whether a picture is cut into tiles: in whole cells, it has too many pixels for one view."""
    patch = int(settings["encoder_patch_size"])
    nearest = [max(patch, round(length / cell) * cell) for length in (width, height)]
    return math.prod(nearest) > settings["max_image_tokens"] * cell**2 * settings["max_pixels_tolerance"]


def _grid(width: int, height: int, side: int) -> tuple[int, int]:
    """Return the columns and rows of tiles whose shape is closest to the picture's; of equal ones, not too large."""
    lengths = range(1, _TILES[-1] + 1)
    grids = {(columns, rows) for columns in lengths for rows in lengths if columns * rows in _TILES}
    best = (1, 1)
    least_distance = math.inf
    for columns, rows in sorted(grids, key=lambda grid: grid[0] * grid[1]):
        distance = abs(width / height - columns / rows)
        fits = width * height > 0.5 * side * side * columns * rows
        if distance < least_distance or (distance == least_distance and fits):
            best = (columns, rows)
            least_distance = distance
    return best
