"""MTP heads with random weights for any tiny main model, and one that is told what to propose."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.heads.depth_network import DepthHead, DepthNetwork
from engine.heads.head import Head, HeadContext, HeadProposal
from engine.heads.mtp_config import MtpConfig, family_of, read_mtp_config
from engine.heads.mtp_network import MtpHead, MtpNetwork
from engine.model_files.config import text_config

# Layers of heads with one for each draft token.
STEP_LAYERS = 3


def mtp_config(main: Path) -> MtpConfig:
    config = json.loads((main / "config.json").read_text())
    family = family_of(config)
    layers = STEP_LAYERS if family is not None and family.by_depth else 1
    return read_mtp_config(config, [f"layers.{index}.input_layernorm.weight" for index in range(layers)])


def mtp_tensors(main: Path, *, seed: int = 11) -> dict[str, mx.array]:
    """Random weights by bare names; norms are factors."""
    config = mtp_config(main)
    network = DepthNetwork(config, ()) if config.family.by_depth else MtpNetwork(config)
    shapes = [(name, array.shape) for name, array in tree_flatten(network.parameters())]
    keys = mx.random.split(mx.random.key(seed), len(shapes))
    if config.family.by_depth:
        shapes = [(_published_by_depth(name, config), shape) for name, shape in shapes]
    return {
        name: mx.ones(shape) if len(shape) == 1 else 0.2 * mx.random.normal(shape, key=key)
        for (name, shape), key in zip(shapes, keys, strict=True)
    }


def _published_by_depth(name: str, config: MtpConfig) -> str:
    """As Step names them, whose layers are counted on behind the main model's, or as MiMo-V2 does."""
    _, index, part = name.split(".", 2)
    stem, _, leaf = part.rpartition(".")
    names = {"fc": "eh_proj", "pre_fc_norm_embedding": "enorm", "pre_fc_norm_hidden": "hnorm"}
    if config.family.all_read_main:
        names |= {"norm": "final_layernorm", "block.post_attention_layernorm": "pre_mlp_layernorm"}
        return f"mtp.layers.{index}.{names.get(stem, stem.removeprefix('block.'))}.{leaf}"
    stem = (names | {"norm": "transformer.shared_head.norm"}).get(stem, stem.removeprefix("block."))
    return f"layers.{int(index) + config.main_layers}.{stem}.{leaf}"


def write_mtp_head(folder: Path, main: Path, *, seed: int = 11) -> Path:
    """A head of its own, as mlx-vlm writes it, for the main model in folder `main`."""
    config = json.loads((main / "config.json").read_text())
    kind = str(text_config(config)["model_type"]).removesuffix("_text")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(
        json.dumps({"model_type": f"{kind}_mtp", "text_config": dict(text_config(config))})
    )
    mx.save_safetensors(str(folder / "model.safetensors"), mtp_tensors(main, seed=seed), metadata={"format": "mlx"})
    return folder


class Told:
    """Has every MTP head propose `answers[position]`, whatever its network computes; the network runs all the same."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: Sequence[int] = ()
        self._next = 0
        for kind, logits in ((MtpHead, "logits"), (DepthHead, "logits_at")):
            monkeypatch.setattr(kind, "propose", self._proposing(kind.propose))
            monkeypatch.setattr(kind, logits, self._telling(getattr(kind, logits)))

    def _proposing(self, propose: Callable[..., HeadProposal]) -> Callable[..., HeadProposal]:
        def told(head: Head, context: HeadContext, *asked: Any) -> HeadProposal:
            self._next = context.length + 1
            return propose(head, context, *asked)

        return told

    def _telling(self, logits: Callable[..., mx.array]) -> Callable[..., mx.array]:
        def told(head: Head, states: mx.array, *depth: int) -> mx.array:
            computed = logits(head, states, *depth)
            wanted = self.answers[self._next] if self._next < len(self.answers) else 0
            self._next += 1
            return mx.where(mx.arange(computed.shape[-1]) == wanted, 30.0, 0.0 * computed)

        return told
