"""Records what transformers computes, with torch, for pictures that tiny Gemmas read in both directions.

mlx-vlm's masks differ from transformers' there, so these cannot be compared with its models. Run it again after a
change of the tiny models, in an environment that also has torch (the extra `recipe`):

    python -m tests.tools.picture_goldens
"""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import torch
from PIL import Image
from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma4Config, Gemma4ForConditionalGeneration

from engine.main_model.loading import load
from tests.engine.pictures.questions import FILES, GOLDEN_COLUMNS, GOLDEN_ROWS, GOLDENS, prompted
from tests.tiny_models import FLOAT32
from tests.tiny_vision import GEMMA4_BOTH_WAYS, MODELS, VisionModel, write_vision_model

CLASSES = {
    "gemma3": (Gemma3Config, Gemma3ForConditionalGeneration),
    "gemma4": (Gemma4Config, Gemma4ForConditionalGeneration),
}


def renamed(name: str) -> str:
    """Return transformers' name of a tensor."""
    if name.startswith("language_model.lm_head"):
        return name.removeprefix("language_model.")
    name = name.replace("language_model.model.", "language_model.")
    return "model." + name.replace("vision_tower.vision_model.", "vision_tower.")


def reference(folder: Path, family: str) -> Any:
    settings = json.loads((folder / "config.json").read_text())
    config_class, model_class = CLASSES[family]
    config = config_class(**{name: value for name, value in settings.items() if name != "model_type"})
    config._attn_implementation = "eager"
    model = model_class(config).eval()
    tensors = {
        renamed(name): torch.tensor(np.array(value))
        for name, value in mx.load(str(folder / "model.safetensors")).items()
    }
    for name in tensors:
        if name.endswith("patch_embedding.weight"):
            tensors[name] = tensors[name].permute(0, 3, 1, 2).contiguous()
    problems = model.load_state_dict(tensors, strict=False)
    # SigLIP's head is no part of Gemma.
    assert not problems.unexpected_keys
    assert all("head." in name for name in problems.missing_keys), problems.missing_keys
    return model


def pixels(picture: Image.Image, family: str, size: tuple[int, int]) -> dict[str, np.ndarray]:
    if family == "gemma3":
        scaled = np.array(picture.resize(size, Image.Resampling.BILINEAR), np.float32)
        return {"pixel_values": (scaled / 255 - 0.5).transpose(2, 0, 1) / 0.5}
    vision, most = MODELS["gemma4"].config["vision_config"], MODELS["gemma4"].processor["max_soft_tokens"]
    patch = vision["patch_size"]
    scaled = np.array(picture.resize(size, Image.Resampling.BICUBIC), np.float32) / 255
    rows, columns = size[1] // patch, size[0] // patch
    patches = scaled.reshape(rows, patch, columns, patch, 3).transpose(0, 2, 1, 3, 4).reshape(rows * columns, -1)
    places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2)
    missing = most * vision["pooling_kernel_size"] ** 2 - len(patches)
    padding = ((0, missing), (0, 0))
    return {"pixel_values": np.pad(patches, padding), "image_position_ids": np.pad(places, padding, constant_values=-1)}


def record(model: VisionModel, folder: Path) -> list[list[float]]:
    write_vision_model(folder, model, stored=FLOAT32)
    ours = load(folder)
    _, ids, _ = prompted(ours)
    row = torch.tensor([ids])
    assert ours.vision is not None
    kinds = (row == ours.vision.placeholder).long()
    images = [Image.open(io.BytesIO(file)) for file in FILES]
    found = [pixels(image, model.family, ours.vision.rules.layout(*image.size).sizes[0]) for image in images]
    inputs = {name: torch.tensor(np.stack([one[name] for one in found])) for name in found[0]}
    inputs["token_type_ids" if model.family == "gemma3" else "mm_token_type_ids"] = kinds
    with torch.no_grad():
        logits = reference(folder, model.family)(input_ids=row, attention_mask=torch.ones_like(row), **inputs).logits
    kept = logits[0][list(GOLDEN_ROWS)][:, :GOLDEN_COLUMNS].tolist()
    return [[round(value, 4) for value in values] for values in kept]


def main() -> None:
    models = {"gemma3": MODELS["gemma3"], "gemma4": GEMMA4_BOTH_WAYS}
    with tempfile.TemporaryDirectory() as folder:
        goldens = {name: record(model, Path(folder) / name) for name, model in models.items()}
    GOLDENS.write_text(json.dumps(goldens) + "\n")


if __name__ == "__main__":
    main()
