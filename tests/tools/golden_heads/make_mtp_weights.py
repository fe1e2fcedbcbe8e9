"""Writes mtp_weights.safetensors: random weights of all MTP cases, and states. Needs numpy and safetensors."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

sys.path.insert(0, str(Path(__file__).parents[2] / "engine/heads/golden"))
import mtp_cases as c


def main() -> None:
    random = np.random.default_rng(19)
    made = {"states": random.standard_normal((1, sum(c.ROUNDS), c.WIDTH)).astype(np.float16)}
    for case in c.CASES.values():
        for name, shape in case.tensors.items():
            key = c.shared_name(name, shape)
            # Cases share equal tensors in any order.
            own = np.random.default_rng(zlib.crc32(key.encode()))
            norm = len(shape) == 1
            numbers = own.standard_normal(shape)
            made[key] = (1 + 0.3 * numbers if norm else 1.4 / np.sqrt(shape[-1]) * numbers).astype(np.float16)
    save_file(made, c.WEIGHTS)
    print(c.WEIGHTS.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
