"""Whether speculation could change a text, and what it costs that it never does, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from app.session.answer import Answer
from app.wording import figures
from app.wording.rounding import PROBLEMS, same_text_sentence, text_sentence, verification_sentence
from engine.stats import RequestStats
from engine.tuning import KernelProblem, KeyRange, LearnedPair, Rounding, WidthCost
from tests.app.learned_figures import LEARNED
from tests.app.scripts import STORY, Script, play


@pytest.mark.parametrize(
    ("rounding", "said"),
    [
        ("identical", "The same text as without drafts."),
        # Compare may find that this very answer is the same, and the settings say how this Mac rounds.
        ("rounded", ""),
        ("", ""),
    ],
)
def test_it_says_identical_only_where_that_was_found(rounding: str, said: str) -> None:
    assert text_sentence(RequestStats(accepted=9, rounding=rounding)) == said
    # Without draft tokens there is nothing to compare.
    assert text_sentence(RequestStats(rounding=rounding)) == ""


def test_the_panel_says_it_of_an_answer_that_has_ended() -> None:
    answer = Answer()
    answer.apply(list(play(Script(STORY))))
    answer.stats = structs.replace(answer.stats, rounding="identical")
    assert "The same text as without drafts." in figures.remarks(answer)


def loaded(rounding: Rounding | None, cost: float | None = None) -> LearnedPair:
    return replace(LEARNED[1], rounding=rounding, same_text_cost=cost)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("rounding", "cost", "said"),
    [
        (None, None, "is measured while Tandem is idle."),
        (
            # A range ends below its number of keys.
            Rounding((KeyRange(1117, 33),)),
            0.0,
            "rounding is the same at every draft length on this Mac. This is true up to 1,116 tokens of context. "
            "Beyond that, there may be fewer draft tokens. It does not slow answers down.",
        ),
        (
            Rounding((KeyRange(1117, 12),)),
            0.083,
            "the same up to 11 draft tokens per round on this Mac. This is true up to 1,116 tokens of context. "
            "Beyond that, there may be fewer draft tokens. It slows answers down by about 8% (estimate).",
        ),
        (Rounding((KeyRange(1117, 1),)), None, "so answers are written without draft tokens."),
        # Drafts come later.
        (
            Rounding((KeyRange(1117, 1), KeyRange(4097, 4))),
            None,
            "differs at every draft length up to 1,116 tokens of context on this Mac. Up to there, answers are written "
            "without draft tokens.",
        ),
    ],
)
def test_the_switch_says_what_it_costs(rounding: Rounding | None, cost: float | None, said: str) -> None:
    sentence = same_text_sentence(loaded(rounding, cost))
    assert "Qwen3 8B" in sentence
    assert sentence.endswith(said)
    assert same_text_sentence(None) == ""


@pytest.mark.usefixtures("qapp")
def test_the_switch_calls_the_starter_by_its_name_and_not_by_its_folder() -> None:
    sentence = same_text_sentence(replace(loaded(None), pair=("starter/main, 9 bytes", "")))
    assert sentence == "How this Mac rounds with Starter is measured while Tandem is idle."


COST = WidthCost(4, 3.0, 1.5, True, True, "products")
REFUSED, UNFINISHED = (KernelProblem("attention", why) for why in ("refused", "unfinished"))
COSTS = "Verifying 3 draft tokens costs as much as 1.5 plain tokens with Tandem's kernels, and 3.0 with MLX's."


@pytest.mark.parametrize(
    ("rounding", "said"),
    [
        (None, ""),
        (Rounding((KeyRange(1, 1),)), ""),
        (Rounding((KeyRange(1, 1),), (COST,)), COSTS),
        (Rounding((KeyRange(1, 1),), (COST,), problems=(REFUSED, REFUSED)), f"{COSTS} {PROBLEMS.data['refused']}"),
        (Rounding((KeyRange(1, 1),), problems=(UNFINISHED,)), PROBLEMS.data["unfinished"]),
    ],
)
def test_it_says_which_kernels_are_not_used_and_why(rounding: Rounding | None, said: str) -> None:
    assert verification_sentence(rounding) == said
