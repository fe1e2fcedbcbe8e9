"""Qwen's models: the sizes of pictures, and towers as PyTorch stores them."""

from __future__ import annotations

import random
from pathlib import Path

import mlx.core as mx
import pytest
from mlx_vlm.models.qwen3_vl.processing_qwen3_vl import Qwen3VLImageProcessor

from engine.main_model.loading import load
from engine.pictures.qwen import Qwen
from tests import tiny_qwens
from tests.engine.pictures.questions import embedded
from tests.engine.tiers import by_tier
from tests.tiny_models import BFLOAT16
from tests.tiny_vision import MODELS, picture, write_vision_model

QWEN3_5 = {**tiny_qwens.CONFIGS["qwen3_5"], "vision_config": {"patch_size": 16, "spatial_merge_size": 2}}


def test_layouts_have_the_tokens_of_mlx_vlm_s_processor() -> None:
    sizes = {"min_pixels": 65536, "max_pixels": 1605632}
    settings = Qwen().settings(QWEN3_5, {"size": {"shortest_edge": 65536, "longest_edge": 1605632}})
    processor, draw = Qwen3VLImageProcessor(patch_size=16, merge_size=2, **sizes), random.Random(3)
    for _ in range(300):
        width, height = (int(10 ** draw.uniform(1, 4)) for _ in range(2))
        if max(width, height) > 200 * min(width, height):
            continue
        layout = Qwen().layout(settings, width, height)
        assert layout.tokens == processor.num_image_tokens(height, width), (width, height)
        assert layout.grid == (layout.sizes[0][1] // 32, layout.sizes[0][0] // 32)
        assert layout.text.count(Qwen.mark) == layout.tokens == layout.cost - 2
    # Folders allow more tokens than a Mac reads in reasonable time.
    settings = Qwen().settings(QWEN3_5, {"size": {"shortest_edge": 65536, "longest_edge": 16777216}})
    assert 4000 < Qwen().layout(settings, 8000, 6000).tokens <= 4096
    assert Qwen().layout(settings, 2560, 1440).tokens == 80 * 45


# The names before those of the tower's tensors, and of the text model's.
STORED = [
    ("qwen2_5_vl", "visual.", "model."),
    ("qwen3_vl", "model.visual.", "model.language_model."),
    ("qwen3_5", "model.visual.", "model.language_model."),
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("family", "tower", "text"),
    by_tier(STORED, STORED[:2]),
)
def test_a_tower_stored_as_by_pytorch_reads_the_same(tmp_path: Path, family: str, tower: str, text: str) -> None:
    folder, file = write_vision_model(tmp_path / family, MODELS[family], stored=BFLOAT16), picture(1)
    wanted = embedding(folder, file)
    weights: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    names = {"vision_tower.": tower, "language_model.model.": text, "language_model.lm_head.": "lm_head."}
    stored = {
        new + name.removeprefix(old): array.transpose(0, 4, 1, 2, 3) if array.ndim == 5 else array
        for name, array in weights.items()
        for old, new in names.items()
        if name.startswith(old)
    }
    mx.save_safetensors(str(folder / "model.safetensors"), stored, metadata={"format": "pt"})
    assert mx.array_equal(embedding(folder, file), wanted).item()


def embedding(folder: Path, file: bytes) -> mx.array:
    vision = load(folder).vision
    assert vision is not None
    return embedded(vision, file)
