"""Writes MTP heads with random weights for any tiny main model."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.heads.mtp_config import MtpConfig, family_of, read_mtp_config
from engine.heads.mtp_network import MtpNetwork
from engine.heads.tensors import HeadFiles
from engine.model_files.config import text_config
from engine.model_files.safetensors_header import TensorHeader
from tests.tiny_models import random_tensors, write_tensors

# Layers of heads with one for each draft token.
STEP_LAYERS = 3


def mtp_config(main: Path) -> MtpConfig:
    config = json.loads((main / "config.json").read_text())
    family = family_of(config)
    layers = STEP_LAYERS if family is not None and family.by_depth else 1
    header = TensorHeader("F32", (), 0)
    headers = {f"mtp.layers.{index}.input_layernorm.weight": header for index in range(layers)}
    read, _ = read_mtp_config(HeadFiles(config, "mtp", headers))
    return read


def mtp_tensors(main: Path, *, seed: int = 11) -> dict[str, mx.array]:
    """Return random weights by bare names; norms are factors."""
    config = mtp_config(main)
    arrays = tree_flatten(MtpNetwork(config).parameters())
    return random_tensors({_published(name, config): array.shape for name, array in arrays}, seed)


def _published(name: str, config: MtpConfig) -> str:
    """Return the bare name or, by depth, the name in Step, which counts on from the main model's layers, or MiMo-V2."""
    _, index, part = name.split(".", 2)
    if not config.family.by_depth:
        return part
    stem, _, leaf = part.removeprefix("layers.0.").rpartition(".")
    names = {"fc": "eh_proj", "pre_fc_norm_embedding": "enorm", "pre_fc_norm_hidden": "hnorm"}
    if config.family.all_read_main:
        names |= {"norm": "final_layernorm", "post_attention_layernorm": "pre_mlp_layernorm"}
        return f"mtp.layers.{index}.{names.get(stem, stem)}.{leaf}"
    names["norm"] = "transformer.shared_head.norm"
    return f"layers.{int(index) + config.main_layers}.{names.get(stem, stem)}.{leaf}"


def write_mtp_head(folder: Path, main: Path, *, seed: int = 11) -> Path:
    """Write a separate head in mlx-vlm's form for the main model in folder `main`."""
    config = json.loads((main / "config.json").read_text())
    kind = str(text_config(config)["model_type"]).removesuffix("_text")
    own = {"model_type": f"{kind}_mtp", "text_config": dict(text_config(config))}
    return write_tensors(folder, own, mtp_tensors(main, seed=seed))
