"""Rows of random blocks of any kind of GGUF tensor: every code, with scales as weights have them."""

from __future__ import annotations

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from numpy.typing import NDArray

Kind = GGMLQuantizationType
# Where the floats of a block lie, in float16.
_HALVES = {
    **dict.fromkeys((Kind.Q4_0, Kind.Q5_0, Kind.Q8_0, Kind.IQ4_NL, Kind.IQ4_XS, Kind.IQ1_S, Kind.IQ2_XXS), (0,)),
    **dict.fromkeys((Kind.IQ2_XS, Kind.IQ2_S, Kind.IQ3_XXS, Kind.IQ3_S), (0,)),
    **dict.fromkeys((Kind.Q4_1, Kind.Q5_1, Kind.Q4_K, Kind.Q5_K), (0, 2)),
    Kind.Q2_K: (80, 82), Kind.Q3_K: (108,), Kind.Q6_K: (208,), Kind.TQ1_0: (52,), Kind.TQ2_0: (64,),
}  # fmt: skip


def random_rows(kind: Kind, count: int, width: int, seed: int = 5) -> NDArray[np.uint8]:
    """Return `count` rows of `width` weights, as bytes."""
    generator = np.random.default_rng(seed)
    block, nbytes = GGML_QUANT_SIZES[kind]
    blocks = generator.integers(0, 256, (count * width // block, nbytes), np.uint8)
    for at in _HALVES.get(kind, ()):
        halves = generator.uniform(0.5, 1.5, len(blocks)) * 0.02
        blocks[:, at : at + 2] = halves.astype(np.float16)[:, None].view(np.uint8)
    if kind == Kind.MXFP4:
        blocks[:, 0] = generator.integers(110, 126, len(blocks))
    if kind == Kind.NVFP4:
        blocks[:, :4] = generator.integers(40, 70, (len(blocks), 4))
        # The largest scale stands for 0.
        blocks[::7, 1] = 0x7F
    if kind == Kind.IQ1_M:
        # The four highest bits of four words make the float.
        blocks[:, 49:56:2] = blocks[:, 49:56:2] & 15 | np.array([0x00, 0x50, 0x20, 0x20], np.uint8)
    return blocks.reshape(count, -1)
