"""Every family reads pictures as mlx-vlm's whole model does, which loads the same folder by itself."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx_vlm.models.gemma4.processing_gemma4 import Gemma4ImageProcessor
from mlx_vlm.models.lfm2_vl.processing_lfm2_vl import Lfm2VlNumpyImageProcessor
from mlx_vlm.models.pixtral.image_processing_pixtral import PixtralImageProcessor
from mlx_vlm.models.qwen3_vl.processing_qwen3_vl import Qwen3VLImageProcessor
from mlx_vlm.utils import load_model
from PIL import Image

from engine.errors import ModelNotUsable
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.pictures.families import FAMILIES
from engine.pictures.reading import PictureFiles, digest_of
from engine.speculation.rounds.passes import model_pass
from engine.speculation.rounds.rope_positions import rope_positions
from engine.speculation.rounds.sequence import CachedSequence
from tests import tiny_qwens
from tests.engine.pictures.questions import FILES, GOLDEN_COLUMNS, GOLDEN_ROWS, GOLDENS, embedded, prompted
from tests.engine.tiers import by_tier
from tests.tiny_models import FLOAT32, FOUR_BITS, Stored
from tests.tiny_vision import GEMMA4_BOTH_WAYS, MODELS, write_vision_model


def our_logits(model: LoadedModel) -> tuple[list[int], mx.array]:
    """Return a prompt with two pictures, and the logits of its rows."""
    reader, ids, placed = prompted(model)
    seen = reader.pass_input(ids, 0, len(ids), placed)
    with rope_positions(model.model, reader.positions(placed)):
        logits, _ = model_pass(model.model, mx.array([ids]), model.new_caches(), None, seen=seen)
    return ids, logits[0].astype(mx.float32)


def gemma3(reference: Any, ids: Sequence[int], pictures: Sequence[Image.Image]) -> Any:
    side = reference.config.vision_config.image_size
    pixels = np.stack([np.array(one.resize((side, side), 2), np.float32).transpose(2, 0, 1) for one in pictures])
    row, found = mx.array([ids]), mx.array((pixels / 255 - 0.5) / 0.5)
    reference.config.hidden_size = reference.config.text_config.hidden_size
    embeddings = reference.get_input_embeddings(row, found, mx.ones_like(row)).inputs_embeds
    # Its own mask shows every row the text behind it.
    seen = np.tril(np.ones((len(ids), len(ids)), bool))
    marked = np.array(ids) == reference.config.image_token_index
    for start in np.flatnonzero(marked & ~np.roll(marked, 1)):
        stop = start + int(np.argmin(marked[start:]))
        seen[start:stop, start:stop] = True
    return reference.language_model(row, inputs_embeds=embeddings, mask=mx.array(seen)).logits


def gemma4(reference: Any, ids: Sequence[int], pictures: Sequence[Image.Image]) -> Any:
    sizes = MODELS["gemma4"].config["vision_config"]
    made, _ = Gemma4ImageProcessor(
        max_soft_tokens=12, patch_size=sizes["patch_size"], pooling_kernel_size=sizes["pooling_kernel_size"]
    )(list(pictures))
    return reference(mx.array([ids]), pixel_values=[mx.array(one) for one in made["pixel_values"]]).logits


def pixtral(reference: Any, ids: Sequence[int], pictures: Sequence[Image.Image], merge: int = 1) -> Any:
    patch = reference.config.vision_config.patch_size * merge
    longest = MODELS[reference.config.model_type].processor["size"]
    made = PixtralImageProcessor(size=longest, patch_size=patch, image_std=[0.26862954, 0.26130258, 0.27577711])(
        list(pictures)
    )
    row, sizes = mx.array([ids]), made["image_sizes"]
    embeddings = reference.get_input_embeddings(row, mx.array(made["pixel_values"]), image_sizes=sizes).inputs_embeds
    return reference.language_model(row, inputs_embeds=embeddings).logits


def mistral3(reference: Any, ids: Sequence[int], pictures: Sequence[Image.Image]) -> Any:
    return pixtral(reference, ids, pictures, reference.config.spatial_merge_size)


def lfm2_vl(reference: Any, ids: Sequence[int], pictures: Sequence[Image.Image]) -> Any:
    made = Lfm2VlNumpyImageProcessor(**MODELS["lfm2_vl"].processor)(list(pictures))
    views = {name: mx.array(made[name]) for name in ("pixel_values", "spatial_shapes", "pixel_attention_mask")}
    return reference(mx.array([ids]), mask=None, **views).logits


def qwen(reference: Any, ids: Sequence[int], pictures: Sequence[Image.Image]) -> Any:
    early = reference.config.model_type.startswith("qwen2")
    # The deviations of CLIP, and others from Qwen3-VL on.
    shift = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
    made = Qwen3VLImageProcessor(**tiny_qwens.SIZES, **(shift if early else {}))(list(pictures))
    if reference.config.model_type == "qwen3_vl_moe":
        # mlx-vlm has the activations of this tower the other way round than transformers, and than in Qwen3-VL.
        tower = reference.vision_tower
        for block in tower.blocks:
            block.mlp.act_fn = nn.GELU(approx="tanh")
        for merger in (tower.merger, *tower.deepstack_merger_list):
            merger.act_fn = nn.GELU()
    views = {name: mx.array(made[name]) for name in ("pixel_values", "image_grid_thw")}
    return reference(mx.array([ids]), **views).logits


REFERENCES: dict[str, Callable[[Any, Sequence[int], Sequence[Image.Image]], Any]] = {
    "gemma3": gemma3, "gemma4": gemma4, "mistral3": mistral3, "pixtral": pixtral, "lfm2_vl": lfm2_vl,
    **dict.fromkeys(tiny_qwens.CONFIGS, qwen),
}  # fmt: skip


@pytest.mark.expects_log
@pytest.mark.parametrize(
    ("family", "stored"),
    by_tier(product(MODELS, (FLOAT32, FOUR_BITS)), [(family, FLOAT32) for family in MODELS]),
    ids=str,
)
def test_two_pictures_and_text_give_the_reference_s_logits(family: str, stored: Stored, tmp_path: Path) -> None:
    folder = write_vision_model(tmp_path / family, MODELS[family], stored=stored)
    ids, logits = our_logits(load(folder))
    pictures = [Image.open(io.BytesIO(file)) for file in FILES]
    wanted = REFERENCES[family](load_model(folder), ids, pictures)[0].astype(mx.float32)
    error = mx.sqrt(mx.square(logits - wanted).mean() / mx.square(wanted).mean()).item()
    assert error < (1e-5 if stored is FLOAT32 else 0.1)


@pytest.mark.parametrize("merge", [1, 2, 3, 20])
def test_a_picture_has_no_more_patches_than_the_tower_has_positions(merge: int) -> None:
    vision = {"image_size": 1540, "patch_size": 14}
    settings = FAMILIES["pixtral"].settings(
        {"model_type": "mistral3", "spatial_merge_size": merge, "vision_config": vision}, {}
    )
    [(width, _)] = FAMILIES["pixtral"].layout(settings, 9000, 3000).sizes
    assert 1540 - 14 * merge < width <= 1540


@pytest.mark.parametrize("name", ["gemma3", "gemma4"])
def test_what_is_read_in_both_directions_gives_transformers_logits(name: str, tmp_path: Path) -> None:
    model = GEMMA4_BOTH_WAYS if name == "gemma4" else MODELS[name]
    _, logits = our_logits(load(write_vision_model(tmp_path / name, model, stored=FLOAT32)))
    wanted = np.array(json.loads(GOLDENS.read_text())[name])
    found = np.array(logits[mx.array(GOLDEN_ROWS)][:, :GOLDEN_COLUMNS])
    # mlx-lm's Gemma 4 differs from transformers' by 0.2 % for text, too.
    assert np.sqrt(np.square(found - wanted).mean() / np.square(wanted).mean()) < 3e-3


@pytest.mark.parametrize("name", ["gemma3", "gemma4"])
def test_no_chunk_of_a_prompt_cuts_what_is_read_in_both_directions(name: str, tmp_path: Path) -> None:
    model = load(
        write_vision_model(tmp_path / name, GEMMA4_BOTH_WAYS if name == "gemma4" else MODELS[name], stored=FLOAT32)
    )
    ids, logits = our_logits(model)
    reader = model.reader(PictureFiles({digest_of(file): file for file in FILES}))
    for most in (1, 7, 19):
        sequence = CachedSequence(model.model, model.new_caches())
        sequence.append(ids)
        sequence.reader, sequence.pictures = reader, reader.places(ids, [digest_of(file) for file in FILES])
        while sequence.rows_to_prefill(most):
            while (needed := sequence.picture_to_read(most)) is not None:
                reader.read(needed)
            sequence.prefill(most)
        newest = sequence.verify()[-1].astype(mx.float32)
        assert mx.allclose(newest, logits[-1], rtol=1e-3, atol=1e-3)


@pytest.mark.expects_log
@pytest.mark.parametrize("name", ["gemma3", "pixtral", "lfm2_vl"])
def test_a_tower_as_pytorch_stores_it_gives_the_same_embedding(name: str, tmp_path: Path) -> None:
    folder = write_vision_model(tmp_path / name, MODELS[name], stored=FLOAT32)
    wanted = embedding(folder)
    stored: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    theirs, ours = ("vision_tower.", "vision_tower.vision_model.")[:: 1 if name == "pixtral" else -1]
    written = {}
    for tensor, array in stored.items():
        if tensor.endswith(("patch_embedding.weight", "patch_conv.weight")) and array.ndim == 4:
            array = array.transpose(0, 3, 1, 2)
        written[tensor if name == "gemma3" else tensor.replace(ours, theirs)] = array
    mx.save_safetensors(str(folder / "model.safetensors"), written, metadata={"format": "pt"})
    assert mx.array_equal(embedding(folder), wanted)


def test_a_tower_whose_file_changed_since_its_model_was_loaded_is_refused(tmp_path: Path) -> None:
    folder = write_vision_model(tmp_path / "gemma3", MODELS["gemma3"])
    vision = load(folder).vision
    assert vision is not None
    write_vision_model(folder, MODELS["gemma3"], seed=9)
    with pytest.raises(ModelNotUsable, match="changed meanwhile"):
        embedded(vision, FILES[0])


def embedding(folder: Path) -> mx.array:
    vision = load(folder).vision
    assert vision is not None
    return embedded(vision, FILES[0])
