"""Drafting for several requests at once: a failure reaches each request whose caches it cost, and no other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings, SpeculationSettings
from engine.speculation.choosing.choice import Choice
from engine.speculation.drafters.draft_rows import DraftRows
from engine.speculation.drafting import Drafting
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.families import build, fresh_caches

VOCABULARY = 64
DRAFTS, PLAIN = Choice("draft", 2), Choice(None, 0, "no-gain")


def drafting_request(prompt: list[int]) -> RequestProposers:
    """Return a request whose only proposer is a draft model that has read none of `prompt`."""
    sequence = CachedSequence(build("llama"), fresh_caches("llama"))
    sequence.append(prompt)
    sampler = Sampler(SamplingSettings(), VOCABULARY)
    conversation = SimpleNamespace(main=sequence, drop_drafter=lambda: None)
    request = RequestProposers(cast("Any", None), SpeculationSettings(), cast("Any", conversation), sampler)
    request.by_source["draft"] = DraftModelProposer(sequence, sampler, 10**6)
    return request


@pytest.mark.expects_log
def test_a_joint_failure_drops_members_that_did_not_draft_too(monkeypatch: pytest.MonkeyPatch) -> None:
    info = SimpleNamespace(name="main", bytes=1, kv_bits=None, taught="")
    drafting = Drafting(cast("Any", SimpleNamespace(info=info)))
    first, second, resting, stranger = (drafting_request([3, 1, 4, number]) for number in range(4))
    made = drafting.propose([(first, DRAFTS), (second, DRAFTS), (resting, DRAFTS), (stranger, PLAIN)])
    assert [isinstance(proposal, Proposal) for _, proposal in made] == [True, True, True, False]
    for request in (first, second, resting, stranger):
        request.by_source["draft"].committed([5], 0, 0)

    def failing(*_arguments: object) -> None:
        raise RuntimeError("the caches are lost, says the test")

    monkeypatch.setattr(DraftRows, "draft", failing)
    made = drafting.propose([(first, DRAFTS), (second, DRAFTS), (resting, PLAIN), (stranger, PLAIN)])
    assert [choice.reason for choice, _ in made] == ["draft-failed", "draft-failed", "no-gain", "no-gain"]
    assert not first.by_source
    assert not second.by_source
    # Its caches were among the rows that are lost.
    assert not resting.by_source
    # It had never joined.
    assert list(stranger.by_source) == ["draft"]
