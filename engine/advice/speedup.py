"""Estimates the speedup of a draft model that has not been measured, from bytes alone.

Decoding is bound by reading weights, so a pass costs in proportion to the bytes that it reads. Accept rates are
assumed, not known: they depend on the text and on the pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.requests import MAX_DEPTH

# The least speedup for which a draft model is worth its memory.
WORTH_IT = 1.05
# The cost of a pass of a draft model beside its bytes (launching, sampling), in plain passes of the main model.
_PASS_OVERHEAD = 0.02
# The cost of another row in a pass of the main model, in plain passes.
_ROW_COST = 0.03
# The acceptance rate of published heads is 0.6 to 0.8 on text of their training, and lower elsewhere.
HEAD_ACCEPT_RATE = 0.65
# Re-encoding between two tokenizers, in plain passes a round.
_RECODING_COST = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """The speed-up over plain decoding at the best depth."""

    speedup: float
    measured: bool = False


def estimate_speedup(main_bytes: int, main_active: int, draft_active: int, relation: str) -> Estimate:
    """Estimate the speed-up of a draft model that reads `draft_active` bytes a token.

    `main_bytes` are all weights of the main model, `main_active` those that one token uses: several rows of a
    mixture of experts use more of them, so verification costs more than a plain pass.
    """
    share = draft_active / max(main_active, 1)
    accept = _assumed_accept_rate(share, relation)
    extra = _RECODING_COST if relation == "different" else 0.0
    return _at_best_depth(main_bytes, main_active, accept, lambda depth: depth * (share + _PASS_OVERHEAD) + extra)


def estimate_head_speedup(main_bytes: int, main_active: int, head_bytes: int, *, chained: bool = False) -> Estimate:
    """Estimate the speed-up of a head of `head_bytes`.

    It drafts all tokens of a round in one pass, or, if they are `chained`, each in a pass of its own.
    """
    share = head_bytes / max(main_active, 1)

    def drafting(depth: int) -> float:
        return depth * (share + _PASS_OVERHEAD) if chained else share + 2 * _PASS_OVERHEAD

    return _at_best_depth(main_bytes, main_active, HEAD_ACCEPT_RATE, drafting)


def _at_best_depth(main_bytes: int, main_active: int, accept: float, drafting: Callable[[int], float]) -> Estimate:
    """Return the best depth's estimate; `drafting(depth)` is the cost of drafting a round in plain passes."""

    def at(depth: int) -> float:
        tokens = (1.0 - accept ** (depth + 1)) / (1.0 - accept)
        return tokens / (_pass_cost(main_bytes, main_active, depth + 1) + drafting(depth))

    return Estimate(max(map(at, range(1, MAX_DEPTH + 1))))


def _assumed_accept_rate(share: float, relation: str) -> float:
    """Assume that larger draft models of a family agree more often, and that another tokenizer costs draft tokens."""
    rate = 0.8 if share >= 0.2 else 0.7 if share >= 0.05 else 0.6 if share >= 0.005 else 0.4
    return rate - 0.2 if relation == "different" else rate


def _pass_cost(total: int, active: int, rows: int) -> float:
    """Return the cost of a main pass over `rows` positions in plain passes."""
    used = min(active / max(total, 1), 1.0)
    reads = (1.0 - (1.0 - used) ** rows) / used if 0.0 < used < 1.0 else 1.0
    return reads + _ROW_COST * (rows - 1)
