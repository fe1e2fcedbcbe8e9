"""A head's folder in eight bits a number: half its size, and proposals that hardly differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import mlx.core as mx

if TYPE_CHECKING:
    from collections.abc import Mapping

BITS, GROUP = 8, 64
_PARTS = ("weight", "scales", "biases")


def write_quantised(source: Path, target: Path) -> None:
    """Write the head in `source` to `target`, its matrices in groups of GROUP numbers that share a scale."""
    weights: Mapping[str, mx.array] = mx.load(str(source / "model.safetensors"))  # type: ignore[assignment]
    made: dict[str, mx.array] = {}
    for name, array in weights.items():
        if array.ndim != 2 or array.shape[-1] % GROUP:
            made[name] = array
            continue
        stem = name.removesuffix("weight")
        made |= {f"{stem}{part}": value for part, value in zip(_PARTS, mx.quantize(array, GROUP, BITS), strict=True)}
    target.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(str(target / "model.safetensors"), made, metadata={"format": "mlx"})
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config["quantization"] = {"bits": BITS, "group_size": GROUP}
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
