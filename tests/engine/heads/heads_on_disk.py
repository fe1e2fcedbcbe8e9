"""Writes heads to disk and runs them, for the tests of engine/heads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.heads.head import Head, HeadContext, HeadProposal, MainPorts
from engine.heads.loading import load_head
from tests.engine.heads.golden import cases
from tests.engine.heads.golden.cases import Case

SHARED = {
    name: array.astype(mx.float32) if array.dtype == mx.float16 else array
    for name, array in mx.load(str(cases.WEIGHTS)).items()  # type: ignore[union-attr]
}
EMBEDDING, OUTPUT = SHARED["main.embed_tokens.weight"], SHARED["main.lm_head.weight"]


def tensors_of(case: Case) -> dict[str, mx.array]:
    """What the file of the case's head holds, by its own names."""
    return {name: mx.concatenate([SHARED[part] for part in shared.split("+")]) for name, shared in case.tensors.items()}


def write_head(folder: Path, config: Mapping[str, Any], tensors: Mapping[str, mx.array]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tensors))
    return folder


def quantised(
    tensors: Mapping[str, mx.array], bits: int, group: int, mode: str
) -> tuple[dict[str, mx.array], dict[str, mx.array]]:
    """The tensors with their matrices quantised, and with these as the numbers that they then stand for."""
    packed: dict[str, mx.array] = {}
    written_out: dict[str, mx.array] = {}
    for key, array in tensors.items():
        if array.ndim != 2 or not key.endswith(".weight") or array.shape[-1] % 32:
            packed[key] = written_out[key] = array
            continue
        # Modes other than the affine one have no biases.
        parts = dict(zip(("weight", "scales", "biases"), mx.quantize(array, group, bits, mode), strict=False))
        packed |= {f"{key.removesuffix('weight')}{part}": value for part, value in parts.items()}
        written_out[key] = mx.dequantize(parts["weight"], parts["scales"], parts.get("biases"), group, bits, mode)
    return packed, written_out


def main_ports(layer_count: int = cases.MAIN_LAYERS) -> MainPorts:
    """The main model that all cases draft for."""
    return MainPorts(
        embed=lambda ids: EMBEDDING[ids],
        logits=lambda hidden: hidden @ OUTPUT.T,
        final_norm=lambda hidden: hidden,
        layer_count=layer_count,
        width=cases.WIDTH,
        vocabulary=cases.VOCABULARY,
    )


def head_of(folder: Path, case: Case) -> Head:
    """The case's head, written, loaded and bound."""
    write_head(folder, case.config, tensors_of(case))
    if case.beside:
        shutil.copy(cases.HERE / case.beside, folder)
    head = load_head(folder)
    head.bind(main_ports(case.config.get("num_target_layers") or cases.MAIN_LAYERS))
    return head


def likeliest(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
    """A `Draw` without chance."""
    del first
    column = mx.argmax(scores, axis=-1)
    return column.astype(mx.int32) if ids is None else mx.take_along_axis(ids, column[:, None], axis=-1)[:, 0]


def taps_between(start: int, end: int) -> mx.array:
    """The shared taps of some rows (1, rows, taps * width)."""
    return SHARED["taps"][:, start:end]


def extend(head: Head, context: HeadContext, rows: int) -> None:
    start = context.length
    head.extend(context, taps_between(start, start + rows), [0] * rows)


def proposals(head: Head, context: HeadContext, rounds: tuple[int, ...], count: int = 0) -> list[HeadProposal]:
    """What the head proposes after each of the rounds' context rows."""
    made = []
    for rows, anchor in zip(rounds, cases.ANCHORS, strict=False):
        extend(head, context, rows)
        made.append(head.propose(context, mx.array([anchor], mx.int32), count or head.max_proposals, likeliest))
    return made
