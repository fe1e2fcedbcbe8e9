"""A kind of head in one module, as a new one would need besides its entry in the table of kinds."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.heads.chain_head import ChainHead
from engine.heads.config import HeadConfig, Settings
from engine.heads.context import LayerRows
from engine.heads.tensors import HeadFiles, by_our_names
from engine.heads.weights import Weights
from engine.model_files.head_kinds import HeadKind
from tests.engine.heads.heads_on_disk import write_head

KIND = HeadKind(
    "toy",
    "Toy",
    lambda names: "toy.weight" in names,
    reader="tests.engine.heads.toy_head:read_toy_config",
    head="tests.engine.heads.toy_head:ToyHead",
    chained=True,
)


def read_toy_config(files: HeadFiles) -> tuple[HeadConfig, dict[str, str]]:
    settings = Settings(files.config)
    layers, width = settings.whole("num_target_layers", 1, 1000), settings.whole("hidden_size", 1, 2**16)
    config = HeadConfig(
        kind=files.kind,
        width=width,
        inner=width,
        vocabulary=settings.whole("vocab_size", 2, 2**21),
        taps=(layers - 1,),
        tap_width=width,
        main_layers=layers,
        windows=(None,),
        shapes=(((1, 1), (1, 1)),),
        proposals=4,
    )
    return config, by_our_names(files.tensors)


class ToyNetwork(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.toy = nn.Linear(2 * width, width, bias=False)
        self.norm = nn.RMSNorm(width)


class ToyHead(ChainHead):
    """Mixes the embedding of a token with the previous state, and keeps one number of each pair."""

    network: ToyNetwork

    @staticmethod
    def build(config: HeadConfig, weights: Weights) -> tuple[nn.Module, Weights]:
        return ToyNetwork(config.width), weights

    def states_of(self, taps: mx.array) -> mx.array:
        return taps

    def step(self, embedded: mx.array, states: mx.array, caches: list[LayerRows], depth: int) -> mx.array:
        del depth
        made: mx.array = self.network.toy(mx.concatenate([embedded, states], axis=-1))
        caches[0].append(made[:, None, :, :1], made[:, None, :, 1:2])
        return made

    def scores(self, states: mx.array, depth: int) -> mx.array:
        del depth
        return self.logits(self.network.norm(states))


def write_toy_head(folder: Path, main: Path) -> Path:
    """Write a toy head with random weights for the main model in folder `main`."""
    text = json.loads((main / "config.json").read_text())
    width = text["hidden_size"]
    config = {"hidden_size": width, "num_target_layers": text["num_hidden_layers"], "vocab_size": text["vocab_size"]}
    weight = 0.2 * mx.random.normal((width, 2 * width), key=mx.random.key(3))
    return write_head(folder, config, {"toy.weight": weight, "norm.weight": mx.ones((width,))})
