"""What a pass over several rows costs on each chip, in passes over one row, as published: nothing is measured here.

On a Mac, MLX's kernels for quantised weights read the weights again (M1, M2) or compute more (M3 to M5) for each row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

from engine.machine.facts import chip

# The cost of a pass over some number of rows.
PassCost = Callable[[int], float]
# Published costs by rows.
_Curve = Mapping[int, float]

# A CPU reads the weights once for all rows.
_FLAT: _Curve = {2: 1.03}
# A whole 27B in 4 bits on an M2: mlx-lm#990. Further rows are not published, but take the same kernel.
_M2: _Curve = {2: 1.72}
# The products of an 8B's layer in 4 bits on an M4 Pro: mlx#3839; from ten rows on: mlx#3852. A single product of an M3
# Max costs less (mlx#3863), but no whole model was published to gain more there than on an M4.
_M4: _Curve = {2: 1.11, 3: 1.31, 4: 1.45, 6: 1.98, 8: 2.45, 10: 4.5, 32: 4.5}
# A whole 27B in 4 bits on an M5 Max; six rows: a 4B in 8 bits. rMLX#516.
_M5: _Curve = {2: 1.11, 3: 1.34, 6: 2.12}
# On an M3 Ultra, a single product in 4 bits (mlx#4265), and the rounds of a whole 31B (mlxcel#1217).
_M3_ULTRA = {2: 1.83, 4: 3.26, 8: 6.12, 16: 6.32}
_M3_ULTRA_WHOLE = {2: 1.17, 5: 1.68}
# A product in bfloat16 on an M3 Ultra: mlx#4265.
_PLAIN: _Curve = {2: 1.99, 16: 2.0}
# A mixture of 30B, 3B of them active, on an M5 Max: vllm-mlx#763.
_MIXTURE: _Curve = {2: 1.59, 3: 1.85, 5: 2.44, 8: 3.32}
# The most that a mixture gained, one of 35B with a DFlash head on an M5 Max: omlx#3601. On an M4 Pro it was 1.7
# (mlx-dspark 0.20.3), on an M3 Max 1.6 (omlx#1779). What rows cost there was not published.
_MIXTURE_GAIN = 1.8
# The bits of a weight, with its share of the scale, for which the costs of quantised models were published.
_PUBLISHED_BITS = 4.5

# Chips whose kernels work in the same way, each family by the name of its first member. M1 and M2 are apart all the
# same: heads lost on average in every report of an M1, and gained in every one of an M2.
_FAMILIES = {
    r"Apple M1\b": "M1",
    r"Apple M2\b": "M2",
    r"Apple M3 Ultra": "M3 Ultra",
    r"Apple M[34]\b": "M3",
    r"Apple M5\b": "M5",
}
# The dearest and the cheapest costs of dense quantised models, by chip family; of another chip, all of these.
_QUANTISED: dict[str, tuple[_Curve, _Curve]] = {
    "M1": (_M2, _M2),
    "M2": (_M2, _M2),
    "M3 Ultra": (_M3_ULTRA, _M3_ULTRA_WHOLE),
    "M3": (_M4, _M4),
    "M5": (_M5, _M5),
    "": (_M2, _M4),
}


def keeps_weights() -> bool:
    """Whether weights stay as they are stored; a CPU computes with float32."""
    return chip().startswith("Apple ")


def family_of_chip(name: str) -> str:
    """Return the family of the chip with this name, such as "Apple M4 Pro"; "" if nothing was published for it."""
    return next((family for pattern, family in _FAMILIES.items() if re.match(pattern, name)), "")


def chip_family() -> str:
    """Return the family of this machine's chip; "" if nothing was published for it."""
    return family_of_chip(chip())


def row_costs(used: float = 1.0, *, stored_bits: float = _PUBLISHED_BITS) -> tuple[PassCost, PassCost]:
    """Return the dearest and the cheapest costs to expect on this machine; they are equal where they were published.

    `used` is the share of the weights that one row uses, below 1 for a mixture of experts. Weights of 16 or more
    `stored_bits` are not quantised.
    """
    family = chip_family()
    flat = flat_cost(used)
    if not keeps_weights():
        return flat, flat
    if used < 1.0:
        dear = partial(_at, _MIXTURE) if family == "M5" else flat
        cheap_of_mixture = partial(_at, _M2) if _reads_again() else dear
        return dear, cheap_of_mixture
    if stored_bits >= 16:
        published = partial(_at, _PLAIN)
        cheap_of_plain = published if family == "M3 Ultra" else flat
        return published, cheap_of_plain
    # What is computed for a row is the same for any bits, and so a smaller share of reading more. M1 and M2 read again.
    share = _PUBLISHED_BITS / stored_bits
    dear, cheap = (partial(_at, curve, share=1.0 if curve is _M2 else share) for curve in _QUANTISED[family])
    return dear, cheap


def mixture_gain() -> float:
    """Return the most that a mixture of experts may gain on this machine, as published; 0 if nothing was."""
    return _MIXTURE_GAIN if keeps_weights() and not _reads_again() else 0.0


def first_guess(used: float, most_rows: int, *, stored_bits: float) -> dict[int, float]:
    """Return the dearest costs by rows, to expect them until they are measured; none except on a Mac."""
    if not keeps_weights():
        return {}
    cost, _ = row_costs(used, stored_bits=stored_bits)
    return {rows: cost(rows) for rows in range(1, most_rows + 1)}


def flat_cost(used: float) -> PassCost:
    """Return the costs where rows share all that is read; rows of a mixture of experts use more of its weights."""
    return lambda rows: (1.0 - (1.0 - used) ** rows) / used + _at(_FLAT, rows) - 1.0


def emulates_bfloat16() -> bool:
    """Whether this chip, an M1 or M2, computes with float16 but has no instructions for bfloat16."""
    return _reads_again()


def _reads_again() -> bool:
    """Whether this chip's kernels read quantised weights again for each row."""
    return chip_family() in ("M1", "M2")


def _at(curve: _Curve, rows: int, *, share: float = 1.0) -> float:
    """Interpolate linearly, and extrapolate beyond the last point; further rows cost `share` of what the curve says."""
    lines = [*pairwise([(1, 1.0), *curve.items()])]
    (before, low), (after, high) = next((line for line in lines if rows <= line[1][0]), lines[-1])
    return 1.0 + share * (low + (high - low) * (rows - before) / (after - before) - 1.0)
