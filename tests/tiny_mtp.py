"""MTP heads with random weights for any tiny main model, and one that is told what to propose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.heads.head import Draw, HeadContext, HeadProposal
from engine.heads.mtp_config import MtpConfig, read_mtp_config
from engine.heads.mtp_network import MtpHead, MtpNetwork
from engine.model_files.config import text_config

# One decoder layer, by the only name that counts.
ONE_LAYER = ("layers.0.input_layernorm.weight",)


def mtp_config(main: Path) -> MtpConfig:
    return read_mtp_config(json.loads((main / "config.json").read_text()), ONE_LAYER)


def mtp_tensors(main: Path, *, seed: int = 11) -> dict[str, mx.array]:
    """Random weights by bare names; norms are factors."""
    shapes = [(name, array.shape) for name, array in tree_flatten(MtpNetwork(mtp_config(main)).parameters())]
    keys = mx.random.split(mx.random.key(seed), len(shapes))
    return {
        name: mx.ones(shape) if len(shape) == 1 else 0.2 * mx.random.normal(shape, key=key)
        for (name, shape), key in zip(shapes, keys, strict=True)
    }


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
        propose, logits = MtpHead.propose, MtpHead.logits

        def told_propose(head: MtpHead, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
            self._next = context.length + 1
            return propose(head, context, anchor, count, draw)

        def told_logits(head: MtpHead, states: mx.array) -> mx.array:
            computed = logits(head, states)
            wanted = self.answers[self._next] if self._next < len(self.answers) else 0
            self._next += 1
            return mx.where(mx.arange(computed.shape[-1]) == wanted, 30.0, 0.0 * computed)

        monkeypatch.setattr(MtpHead, "propose", told_propose)
        monkeypatch.setattr(MtpHead, "logits", told_logits)
