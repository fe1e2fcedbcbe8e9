"""Draft tokens that are prepared equal those that would be drafted after the outcome."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from msgspec import structs

from engine.ahead.branches import BranchPasses, NoBranches
from engine.ahead.deepening import PassCosts
from engine.ahead.messages import MOST_RECOVERY, Begin, DraftReply, RoundOutcome
from engine.ahead.tree_drafter import TreeDrafter
from engine.main_model.loading import load
from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings
from tests.engine.ahead.naive import continued, rounds, until_idle
from tests.engine.speculation.families import build
from tests.engine.tiers import by_tier

SETTINGS = {
    "greedy": SamplingSettings(),
    "sampled": SamplingSettings(temperature=0.9, top_k=30, top_p=0.95),
    "penalised": SamplingSettings(temperature=0.7, repetition_penalty=1.3, logit_bias={7: 2.0}),
}
PROMPT = [3, 20, 41, 77, 20, 41, 9]
BEGIN = Begin(11, 5, 384, SamplingSettings())


@pytest.fixture(scope="module")
def models(tiny_main: Path, tiny_draft: Path) -> tuple[nn.Module, nn.Module]:
    return load(tiny_main).model, load(tiny_draft).model


@pytest.fixture
def drafter(tiny_draft: Path) -> TreeDrafter:
    return TreeDrafter(load(tiny_draft).model)


def taken(drafter: TreeDrafter, *outcome: Any) -> DraftReply:
    answer = drafter.take(RoundOutcome(11, *outcome))
    assert answer is not None
    return answer


def sampler_of(begin: Begin) -> Sampler:
    return Sampler(replace(begin.sampling, seed=begin.seed), begin.vocabulary)


@pytest.mark.full
@pytest.mark.parametrize(("settings", "steps"), by_tier(product(SETTINGS, (None, 1, 6)), [("sampled", 6)]))
def test_every_answer_is_what_a_drafter_without_caches_would_draft(
    models: tuple[nn.Module, nn.Module], drafter: TreeDrafter, settings: str, steps: int | None
) -> None:
    main, draft = models
    begin = Begin(11, 5, 384, SETTINGS[settings])
    written = continued(main, sampler_of(begin), PROMPT, 28)
    longest = 0
    for text, answer in rounds(
        drafter, begin, PROMPT, written, lambda text: continued(draft, sampler_of(begin), text, 3), steps
    ):
        assert list(answer.tokens) == continued(draft, sampler_of(begin), text, len(answer.tokens))
        longest = max(longest, len(answer.tokens))
    # The first steps draft what the engine drafts too and find the outcomes, the next ones draft for them.
    assert longest == 3 if steps is None else (longest > 0) == (steps != 1)


@pytest.mark.full
def test_a_plain_round_behind_a_miss_is_prepared_for_by_what_was_drafted(
    drafter: TreeDrafter, tiny_draft: Path
) -> None:
    drafted = continued(load(tiny_draft).model, sampler_of(BEGIN), PROMPT, 6)
    drafter.begin(BEGIN)
    assert taken(drafter, 0, 0, tuple(PROMPT), 4).tokens == ()
    until_idle(drafter)
    # The engine decoded a plain token meanwhile.
    assert list(taken(drafter, 1, len(PROMPT), (drafted[0],), 4).tokens) == drafted[1:4]


@pytest.mark.parametrize(
    ("most_kept", "unread"), by_tier([(2**32 - 1, 0), (200, 199), (0, 399)], [(200, 199), (0, 399)])
)
def test_an_answer_for_others_shares_no_more_than_it_may(drafter: TreeDrafter, most_kept: int, unread: int) -> None:
    text = tuple(number % 300 + 3 for number in range(400))
    drafter.begin(BEGIN)
    taken(drafter, 0, 0, text, 4)
    until_idle(drafter)
    drafter.begin(structs.replace(BEGIN, most_kept=most_kept))
    taken(drafter, 0, 0, text, 4)
    assert drafter.backlog == unread
    until_idle(drafter)
    drafter.begin(BEGIN)
    taken(drafter, 0, 0, text, 4)
    assert drafter.backlog == 0


def test_an_outcome_of_another_conversation_or_behind_the_text_is_passed_over(drafter: TreeDrafter) -> None:
    drafter.begin(BEGIN)
    assert drafter.take(RoundOutcome(12, 0, 0, (1, 2), 3)) is None
    assert drafter.take(RoundOutcome(11, 0, 5, (1, 2), 3)) is None
    assert not drafter.busy


@pytest.mark.full
def test_a_long_text_is_read_before_anything_is_drafted(drafter: TreeDrafter, tiny_draft: Path) -> None:
    text = [number % 300 + 3 for number in range(300)]
    drafter.begin(BEGIN)
    assert taken(drafter, 0, 0, tuple(text), 4).tokens == ()
    drafter.step()
    assert drafter.backlog > 0
    until_idle(drafter)
    first, *others = continued(load(tiny_draft).model, sampler_of(BEGIN), text, 4)
    assert list(taken(drafter, 1, 300, (first,), 4).tokens) == others


@pytest.mark.parametrize("family", ["gemma3_text", "qwen3_next", "mamba2", "phi3small", "gpt2"])
def test_a_model_whose_passes_cannot_hold_branches_is_refused(family: str) -> None:
    """Its windows, recurrent states, masks, or positions that are not rotary do not allow it."""
    with pytest.raises(NoBranches):
        BranchPasses(build.__wrapped__(family))


@pytest.mark.parametrize(
    "family",
    by_tier(["llama", "qwen3_moe", "qwen3", "gemma2", "phi3", "smollm3", "mixtral", "granite"], ["llama", "qwen3_moe"]),
)
def test_families_of_full_attention_can_branch(family: str) -> None:
    # Making one compares a tree with its chains.
    assert BranchPasses(build.__wrapped__(family)).feed([1, 2, 3]).shape[0] == 3


def test_what_it_sends_before_the_outcome_is_what_it_would_answer(drafter: TreeDrafter) -> None:
    drafter.begin(BEGIN)
    taken(drafter, 1, 0, tuple(PROMPT), 3)
    trees = []
    while drafter.busy:
        drafter.step()
        if (tree := drafter.news()) is not None:
            trees.append(tree)
    assert drafter.news() is None
    assert [len(tree.branches[0].drafted) for tree in trees] == [0, 1, 2, 3]
    whole = trees[-1]
    assert (whole.position, len(whole.proposed), len(whole.branches)) == (len(PROMPT), 3, 4 * MOST_RECOVERY)
    branch = whole.branches[-1]
    outcome = (*whole.proposed[: branch.accepted], branch.recovery)
    assert taken(drafter, 2, len(PROMPT), outcome, 3).tokens == branch.drafted


@pytest.mark.full
@pytest.mark.parametrize("most", by_tier(range(1, MOST_RECOVERY + 1), [2]))
def test_each_cut_has_as_many_recovery_tokens_as_asked_for_but_never_the_draft_token(
    drafter: TreeDrafter, tiny_draft: Path, most: int
) -> None:
    draft = load(tiny_draft).model
    drafter.begin(structs.replace(BEGIN, recovery_tokens=most))
    taken(drafter, 1, 0, tuple(PROMPT), 3)
    until_idle(drafter)
    tree = drafter.news()
    assert tree is not None
    for accepted in range(4):
        tokens = [branch.recovery for branch in tree.branches if branch.accepted == accepted]
        before = mx.array([[*PROMPT, *tree.proposed[:accepted]]])
        likeliest: list[int] = mx.argsort(-draft(before)[0, -1]).tolist()  # type: ignore[assignment]
        assert tokens == [token for token in likeliest if token not in tree.proposed[accepted : accepted + 1]][:most]
    for branch in tree.branches:
        text = [*PROMPT, *tree.proposed[: branch.accepted], branch.recovery]
        assert list(branch.drafted) == continued(draft, sampler_of(BEGIN), text, 3)


@pytest.mark.full
@pytest.mark.parametrize(("rate", "first"), [(1.0, 3), (0.1, 0)])
def test_where_rows_are_costly_the_likely_branch_is_deepened_first(
    drafter: TreeDrafter, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch, rate: float, first: int
) -> None:
    monkeypatch.setattr(PassCosts, "row", 1.0)
    draft = load(tiny_draft).model
    drafter.begin(BEGIN)
    # Each token after the first is likely, so what is drafted first is drafted to the end.
    taken(drafter, 1, 0, tuple(PROMPT), 3, (rate, *[1.0] * 2))
    depths: list[dict[int, int]] = []
    while drafter.busy and len(depths) < 4:
        drafter.step()
        if (tree := drafter.news()) is not None:
            depths.append({branch.accepted: len(branch.drafted) for branch in tree.branches if branch.drafted})
    assert tree is not None
    assert depths == [{}, {first: 1}, {first: 2}, {first: 3}]
    [branch] = [branch for branch in tree.branches if branch.drafted]
    text = [*PROMPT, *tree.proposed[:first], branch.recovery]
    assert list(branch.drafted) == continued(draft, sampler_of(BEGIN), text, 3)


@pytest.mark.parametrize("truncation", [{"top_k": 1}, pytest.param({"top_p": 1e-6}, marks=pytest.mark.full)])
def test_where_truncation_leaves_the_draft_token_alone_only_the_last_cut_has_a_branch(
    drafter: TreeDrafter, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch, truncation: dict[str, Any]
) -> None:
    monkeypatch.setattr(PassCosts, "row", 1.0)
    begin = Begin(11, 5, 384, SamplingSettings(temperature=0.9, **truncation))
    drafted = continued(load(tiny_draft).model, sampler_of(begin), PROMPT, 7)
    drafter.begin(begin)
    taken(drafter, 1, 0, tuple(PROMPT), 3)
    until_idle(drafter)
    tree = drafter.news()
    assert tree is not None
    [branch] = tree.branches
    assert [*tree.proposed, branch.recovery, *branch.drafted] == drafted
