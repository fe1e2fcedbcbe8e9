"""In joint drafting each request gets the proposals that it would get by itself."""

from __future__ import annotations

import random
from typing import cast

import mlx.core as mx
import pytest

from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings
from engine.speculation.caches import row_layout
from engine.speculation.proposers import draft_model
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.joint_draft import JointDraft
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.families import KINDS_WITH_ROWS, SERVED, build, fresh_caches, skip_without_rows
from tests.engine.tiers import by_tier

VOCABULARY = 64
DEPTH = 5
SAMPLING = (
    {},
    {"temperature": 0.9, "seed": 3},
    {"temperature": 0.9, "seed": 4, "top_p": 0.8, "top_k": 20},
    {"repetition_penalty": 1.4},
    {"temperature": 0.9, "seed": 3, "logit_bias": {5: 2.0}},
)


class ProposerTwins:
    """One request's proposer in a batch, and its twin that drafts by itself; both get the same calls."""

    def __init__(self, name: str, number: int, *, stops_early: bool = False, **settings: object) -> None:
        sampling = SamplingSettings(**cast("dict[str, float]", settings))  # type: ignore[arg-type]
        self.draw = random.Random(number)
        prompt = [self.draw.randrange(VOCABULARY) for _ in range(self.draw.choice((3, 8, 30)))]
        self.proposers = [self._proposer(name, prompt, Sampler(sampling, VOCABULARY)) for _ in range(2)]
        self.joint, self.alone = self.proposers
        for proposer in self.proposers:
            proposer.stops_early = stops_early

    def _proposer(self, name: str, prompt: list[int], sampler: Sampler) -> DraftModelProposer:
        sequence = CachedSequence(build(name), fresh_caches(name))
        sequence.append(prompt)
        return DraftModelProposer(sequence, sampler, 10**6)

    def commit(self, proposal: Proposal, keep: int) -> None:
        """Commit `keep` of the draft tokens, and a token that differs from the next of them."""
        drafted = ids(proposal)
        own = (drafted[keep] + 1 if keep < len(drafted) else self.draw.randrange(VOCABULARY)) % VOCABULARY
        for proposer in self.proposers:
            proposer.committed([*drafted[:keep], own], keep, len(drafted))

    def pass_by(self, count: int) -> None:
        """Commit `count` tokens that these proposers did not draft."""
        tokens = [self.draw.randrange(VOCABULARY) for _ in range(count)]
        for proposer in self.proposers:
            proposer.committed(tokens, 0, 0)


def ids(proposal: Proposal) -> list[int]:
    return cast("list[int]", mx.array(proposal.tokens).tolist())


def check(name: str, seed: int, rounds: int, *, stops_early: bool = False) -> int:
    """Play random rounds of four requests; returns how many draft tokens were compared."""
    draw, joint, compared = random.Random(f"{name} {seed}"), JointDraft(), 0
    pairs = [
        ProposerTwins(name, seed * 10 + index, stops_early=stops_early, **draw.choice(SAMPLING)) for index in range(4)
    ]
    for _ in range(rounds):
        asked = draw.sample(pairs, draw.randint(1, len(pairs)))
        depths = [draw.randint(1, DEPTH) for _ in asked]
        made = joint.propose([(pair.joint, depth) for pair, depth in zip(asked, depths, strict=True)])
        for pair, proposal, depth in zip(asked, made, depths, strict=True):
            assert isinstance(proposal, Proposal)
            expected = pair.alone.propose(depth)
            assert ids(proposal) == ids(expected), name
            assert (proposal.count, proposal.stopped_early) == (expected.count, expected.stopped_early)
            compared += proposal.count
            pair.commit(proposal, draw.randint(0, proposal.count))
        for pair in pairs:
            if pair not in asked:
                pair.pass_by(draw.choice((1, 1, 4, 25)))
        if draw.random() < 0.2:
            joint.leave(draw.choice(pairs).joint)
    for pair in pairs:
        joint.leave(pair.joint)
        assert ids(pair.joint.propose(3)) == ids(pair.alone.propose(3))
    return compared


@pytest.mark.parametrize("name", by_tier([*KINDS_WITH_ROWS, "gpt_oss", "qwen3_5"], ["llama:window", "mamba2"]))
def test_every_request_gets_the_proposals_that_it_gets_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers grow by 8 slots, so that windows of 8 move their rows many times."""
    monkeypatch.setattr(row_layout, "GROWTH_SLOTS", 8)
    assert check(name, seed=1, rounds=10) > 10


@pytest.mark.parametrize("name", ["llama", "llama:window"])
@pytest.mark.parametrize("kept", [0, 2, DEPTH])
def test_accepted_draft_tokens_are_not_read_again(name: str, kept: int) -> None:
    joint = JointDraft()
    pairs = [ProposerTwins(name, 1), ProposerTwins(name, 2)]
    made = joint.propose([(pair.joint, DEPTH) for pair in pairs])
    for pair, proposal in zip(pairs, made, strict=True):
        assert isinstance(proposal, Proposal)
        pair.alone.propose(DEPTH)
        pair.commit(proposal, kept)
    assert [pair.joint.lag for pair in pairs] == [pair.alone.lag for pair in pairs]


def test_each_ends_its_proposal_where_its_tokens_become_unlikely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_model, "MIN_JOINT_PROBABILITY", 0.002)
    assert check("llama", seed=1, rounds=12, stops_early=True) > 20


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SERVED)
def test_every_request_of_every_family_gets_the_proposals_that_it_gets_alone(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_layout, "GROWTH_SLOTS", (4, 8, 256)[seed])
    skip_without_rows(name)
    check(name, seed, rounds=30)


def test_a_sampler_that_fails_ends_its_own_drafting_only(monkeypatch: pytest.MonkeyPatch) -> None:
    joint, good, bad = JointDraft(), ProposerTwins("llama", 1), ProposerTwins("llama", 2, repetition_penalty=1.2)
    scores = Sampler.scores

    def failing(sampler: Sampler, *arguments: object) -> mx.array:
        if sampler is bad.joint.sampler:
            raise ValueError("a processor that fails, says the test")
        return scores(sampler, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Sampler, "scores", failing)
    for _ in range(2):
        proposal, failure = joint.propose([(good.joint, 3), (bad.joint, 3)])
        assert isinstance(failure, ValueError)
        assert isinstance(proposal, Proposal)
        assert ids(proposal) == ids(good.alone.propose(3))
        good.commit(proposal, 1)
        bad.joint.abandon()
        bad.joint.committed([1], 0, 0)
