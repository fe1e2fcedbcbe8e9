"""Estimates the speedup of a draft model that has not been measured, from bytes and published costs of rows.

Decoding is bound by reading weights, so a pass over one row costs in proportion to the bytes that it reads: those of
the files on a Mac; elsewhere four for each parameter, because weights become float32. What each further row costs
depends on the chip. Accept rates are assumed, not known: they depend on the text and on the pair.

Where heads of the same kind were measured on such a chip, their published speed-ups count instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from engine.advice.fit import SCALE_BITS
from engine.advice.published_gains import published_range
from engine.machine.facts import chip
from engine.machine.row_costs import PassCost, flat_cost, keeps_weights, mixture_gain, row_costs
from engine.model_files.head_kinds import MTP, is_chained
from engine.model_files.model import Model
from engine.requests import MAX_DRAFTED

# The least speedup for which a draft model is worth its memory.
WORTH_IT = 1.05
# The cost of a pass of a draft model besides reading its bytes (launching, sampling), in plain passes of the main
# model.
_PASS_OVERHEAD = 0.02
# The acceptance rate of published heads is 0.6 to 0.8 on text of their training, and lower elsewhere.
HEAD_ACCEPT_RATE = 0.65
# Bits of a quantised weight if the files do not say.
_USUAL_BITS = 4
# Bits of a head's weight: heads are rarely quantised.
_HEAD_BITS = 16


@dataclass(frozen=True, slots=True)
class SpeedupEstimate:
    """The speed-up over plain decoding at the best depth.

    `bounds` has the least and the most where nothing was published for this chip, or where reports differ; `speedup` is
    then between them.
    """

    speedup: float
    measured: bool = False
    bounds: tuple[float, float] | None = None

    @property
    def most(self) -> float:
        return self.bounds[1] if self.bounds else self.speedup

    @property
    def gains(self) -> bool:
        """Whether it may be worth its memory."""
        return self.most >= WORTH_IT


def parameters(model: Model) -> float:
    """Return the parameters that one token uses."""
    return _parameters(model.active_bytes, model.bits)


def size_share(draft: Model, main: Model) -> float:
    """Return the bytes that a draft model's pass over one row reads on this machine, as a share of the main model's."""
    return _bytes_read(draft.active_bytes, draft.bits) / _bytes_read(main.active_bytes, main.bits)


def is_copy(draft: Model, main: Model) -> bool:
    """Whether they may be one model in two precisions: parameters are known that exactly."""
    return abs(parameters(draft) / parameters(main) - 1.0) < 0.1


def estimate_speedup(main: Model, draft: Model, relation: str) -> SpeedupEstimate:
    """Estimate the speed-up of a draft model or a head."""
    if draft.head:
        published = _published(main, draft.head)
        if published is not None:
            return published
        from engine.heads.mtp_config import family_of

        family = family_of(main.config) if draft.head == MTP else None
        # For one row, the layer of an MTP head reads the experts that its main model's does.
        share = 1.0 if family is None or family.by_depth else _share_used(main)
        return estimate_head_speedup(main, int(draft.weight_bytes * share), chained=is_chained(draft.head))
    return _estimate(main, *_with_draft(main, draft, relation))


def flat_speedup(main: Model, draft: Model) -> float:
    """Return the speed-up where further rows cost next to nothing, so that only the draft model's size limits it."""
    return _at_best_depth(flat_cost(_share_used(main)), *_with_draft(main, draft, "same"))


def estimate_head_speedup(main: Model, head_bytes: int, *, chained: bool = False) -> SpeedupEstimate:
    """Estimate the speed-up of a head of `head_bytes`.

    It drafts all tokens of a round in one pass, or, if they are `chained`, each in a pass of its own.
    """
    share = _bytes_read(head_bytes, _HEAD_BITS) / _bytes_read(main.active_bytes, main.bits)

    def drafting(depth: int) -> float:
        return depth * (share + _PASS_OVERHEAD) if chained else share + 2 * _PASS_OVERHEAD

    return _estimate(main, HEAD_ACCEPT_RATE, drafting)


# Assumed accept rates by the least share of the main model's size that the draft model has.
_ACCEPT_RATES = ((0.2, 0.8), (0.05, 0.7), (0.005, 0.6), (0.0, 0.4))


def _with_draft(main: Model, draft: Model, relation: str) -> tuple[float, Callable[[int], float]]:
    """Return the assumed accept rate, and the cost of drafting a round by its depth in plain passes."""
    share = size_share(draft, main)
    # Larger draft models of a family are assumed to agree more often, and another tokenizer to cost draft tokens.
    rate = next(rate for least_share, rate in _ACCEPT_RATES if share >= least_share)
    if relation == "different":
        rate -= 0.2
    return rate, lambda depth: depth * (share + _PASS_OVERHEAD)


def _parameters(size: int, bits: int | None) -> float:
    return max(8.0 * size / _stored_bits(bits), 1.0)


def _stored_bits(bits: int | None) -> float:
    return float(bits) if bits in (16, 32) else (bits or _USUAL_BITS) + SCALE_BITS


def _bytes_read(size: int, bits: int | None) -> float:
    return max(float(size), 1.0) if keeps_weights() else 4.0 * _parameters(size, bits)


def _estimate(main: Model, accept: float, drafting: Callable[[int], float]) -> SpeedupEstimate:
    costs = row_costs(_share_used(main), stored_bits=_stored_bits(main.bits))
    least, most = sorted(_at_best_depth(cost, accept, drafting) for cost in costs)
    if _share_used(main) < 1.0:
        most = max(most, mixture_gain())
    return _estimate_between(least, most)


def _estimate_between(least: float, most: float) -> SpeedupEstimate:
    return SpeedupEstimate(most) if least == most else SpeedupEstimate(sqrt(least * most), bounds=(least, most))


def _published(main: Model, kind: str) -> SpeedupEstimate | None:
    """Return what heads of this kind were published to gain on such a chip, or None."""
    is_mixture = _share_used(main) < 1.0
    gains = published_range(kind, main.bits or _USUAL_BITS, mixture=is_mixture, chip=chip())
    return None if gains is None else _estimate_between(gains.least, gains.most)


def _share_used(main: Model) -> float:
    """Return the share of a main model's weights that one token uses.

    Several rows of a mixture of experts use more of them than one, so verification costs more than a plain pass.
    """
    return min(main.active_bytes / max(main.weight_bytes, 1), 1.0) or 1.0


def _at_best_depth(pass_cost: PassCost, accept: float, drafting: Callable[[int], float]) -> float:
    """Return the speed-up at the best depth."""

    def at(depth: int) -> float:
        tokens = (1.0 - accept ** (depth + 1)) / (1.0 - accept)
        return tokens / (pass_cost(depth + 1) + drafting(depth))

    return max(map(at, range(1, MAX_DRAFTED + 1)))
