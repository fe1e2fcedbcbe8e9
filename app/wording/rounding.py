"""Sentences on rounding: whether a pass with draft tokens rounds as plain decoding does, on this computer.

Texts are only the same, token by token, with and without speculation if both round in the same way.
"""

from __future__ import annotations

from PySide6.QtCore import QLocale

from app.wording.errors import joined
from app.wording.sentences import Sentences, translate
from app.wording.sources import recorded_name
from engine.requests import MAX_DEPTH
from engine.stats import RequestStats
from engine.tuning import KeyRange, LearnedPair, Rounding

# By why a kernel was given up.
PROBLEMS = Sentences(
    "Rounding",
    {
        "refused": "Some of Tandem's kernels cannot run on this Mac, so MLX's kernels are used in their place.",
        "unfinished": (
            "A test of Tandem's kernels failed or did not finish on this Mac, so MLX's kernels are used in their place."
        ),
    },
)
# Below this share, a cost is not noticeable.
_UNNOTICEABLE = 0.005


def text_sentence(stats: RequestStats) -> str:
    """Return that plain decoding gives the answer's text, too; "" if rounding may differ, or nothing was accepted."""
    same = stats.accepted and stats.rounding == "identical"
    return translate("Rounding", "The same text as without drafts.") if same else ""


def same_text_sentence(pair: LearnedPair | None) -> str:
    """Return what the setting "always the same text" means with the loaded pair here; "" if no pair is loaded."""
    if pair is None:
        return ""
    if pair.rounding is None:
        text = translate("Rounding", "How this Mac rounds with {main} is measured while Tandem is idle.")
        return text.format(main=recorded_name(pair.main))
    return joined(rounding_sentence(pair.main, pair.rounding), _cost(pair))


def rounding_sentence(main: str, rounding: Rounding) -> str:
    """Return with how many draft tokens a pass still rounds as plain decoding does, if texts must stay the same.

    `main` is the main model's name in figures. A pass has a row for each draft token and one more, and `rounding.usual`
    is the number of rows up to which short texts round in the same way, and the context in tokens up to which that
    holds. If that is one row, the sentence says that there are no draft tokens, or up to which context.
    """
    usual = rounding.usual
    if usual.rows == 1 and _is_wider_later(rounding):
        without = translate("Rounding", "Up to there, answers are written without draft tokens.")
        return joined(measured_rounding_sentence(main, rounding), without)
    if usual.rows == 1:
        text = translate(
            "Rounding",
            "With {main}, rounding differs at every draft length on this Mac, so answers are written without draft "
            "tokens.",
        )
        return text.format(main=recorded_name(main))
    valid_for = translate(
        "Rounding", "This is true up to {keys} tokens of context. Beyond that, there may be fewer draft tokens."
    )
    return joined(_equal_lengths(main, usual), valid_for.format(keys=_tested_context(usual)))


def measured_rounding_sentence(main: str, rounding: Rounding) -> str:
    """Return the facts of `rounding_sentence` without consequences, because texts need not stay the same."""
    usual = rounding.usual
    if usual.rows == 1 and _is_wider_later(rounding):
        text = translate(
            "Rounding",
            "With {main}, rounding differs at every draft length up to {keys} tokens of context on this Mac.",
        )
        return text.format(main=recorded_name(main), keys=_tested_context(usual))
    if usual.rows == 1:
        text = translate("Rounding", "With {main}, rounding differs at every draft length on this Mac.")
        return text.format(main=recorded_name(main))
    valid_for = translate("Rounding", "This is true up to {keys} tokens of context.")
    return joined(_equal_lengths(main, usual), valid_for.format(keys=_tested_context(usual)))


def is_always_equal(rounding: Rounding) -> bool:
    """Return whether this computer rounds passes in the same way at every draft length, as far as that was tested."""
    return rounding.usual.rows > MAX_DEPTH


def _is_wider_later(rounding: Rounding) -> bool:
    """Return whether passes over several rows are rounded like single ones in some longer texts."""
    return any(known.rows > 1 for known in rounding.ranges)


def _tested_context(usual: KeyRange) -> str:
    """Return the longest context in tokens for which a range holds; its `keys` are one more."""
    return QLocale().toString(usual.keys - 1)


def _equal_lengths(main: str, usual: KeyRange) -> str:
    """Return words that say up to how many draft tokens, of at least one, rounding stays the same."""
    most = usual.rows - 1
    if most >= MAX_DEPTH:
        text = translate("Rounding", "With {main}, rounding is the same at every draft length on this Mac.")
    else:
        text = translate(
            "Rounding", "With {main}, rounding stays the same up to {most} draft tokens per round on this Mac."
        )
    return text.format(main=recorded_name(main), most=QLocale().toString(most))


def verification_sentence(rounding: Rounding | None) -> str:
    """Return what verifying three draft tokens costs, or that it stalled, and which kernels were given up.

    "" if nothing was measured.
    """
    if rounding is None:
        return ""
    reasons = sorted({problem.why for problem in rounding.problems})
    return joined(_verification_cost(rounding), *(PROBLEMS[why] for why in reasons))


def _verification_cost(rounding: Rounding) -> str:
    """Return words that say what a pass with three draft tokens costs in plain tokens; "" if that was not measured."""
    if rounding.stalled:
        return translate(
            "Rounding",
            "Tandem's kernels have stalled on this Mac. When that happens, MLX's kernels are used until you quit "
            "Tandem.",
        )
    # The cost of three draft tokens and the token before them, in a short text.
    costs = [cost for cost in rounding.kernels if cost.rows == 4 and cost.keys == 0]
    if not costs:
        return ""
    cost = costs[0]
    if cost.used and cost.ours is not None:
        text = translate(
            "Rounding",
            "Verifying 3 draft tokens costs as much as {ours} plain tokens with Tandem's kernels, and {mlx} with "
            "MLX's.",
        )
        return text.format(ours=QLocale().toString(cost.ours, "f", 1), mlx=QLocale().toString(cost.mlx, "f", 1))
    text = translate("Rounding", "Verifying 3 draft tokens costs as much as {mlx} plain tokens.")
    return text.format(mlx=QLocale().toString(cost.mlx, "f", 1))


def _cost(pair: LearnedPair) -> str:
    """Return words that say how much "always the same text" slows answers down; "" if that was not measured."""
    cost = pair.same_text_cost
    if cost is None:
        return ""
    if cost < _UNNOTICEABLE:
        return translate("Rounding", "It does not slow answers down.")
    text = translate("Rounding", "It slows answers down by about {share}% (estimate).")
    return text.format(share=QLocale().toString(100.0 * cost, "f", 0))
