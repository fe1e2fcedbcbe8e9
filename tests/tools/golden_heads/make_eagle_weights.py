"""Writes eagle_weights.safetensors: random weights of all EAGLE-3 cases, and taps. Needs numpy and safetensors."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import eagle_cases as c


def main() -> None:
    random = np.random.default_rng(31)
    taps = random.standard_normal((1, sum(c.ROUNDS), len(c.TAPS) * c.WIDTH))
    embedding = random.standard_normal((c.VOCABULARY, c.WIDTH))
    made = {"taps": taps.astype(np.float16), "main.embed_tokens.weight": embedding.astype(np.float16)}
    for case in c.CASES.values():
        for name, shape in case.shapes.items():
            if name in ("d2t", "t2d"):
                continue
            key = c.shared_name(name, shape)
            # Cases share equal tensors in any order.
            own = np.random.default_rng(zlib.crc32(key.encode()))
            numbers = own.standard_normal(shape)
            scaled = 1 + 0.3 * numbers if len(shape) == 1 else 1.4 / np.sqrt(shape[-1]) * numbers
            made[key] = scaled.astype(np.float16)
    chosen = np.sort(random.choice(c.VOCABULARY, c.DRAFTED, replace=False))
    made[c.shared_name("d2t", (c.DRAFTED,))] = (chosen - np.arange(c.DRAFTED)).astype(np.int64)
    made[c.shared_name("t2d", (c.VOCABULARY,))] = np.isin(np.arange(c.VOCABULARY), chosen)
    save_file(made, c.WEIGHTS)
    print(c.WEIGHTS.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
