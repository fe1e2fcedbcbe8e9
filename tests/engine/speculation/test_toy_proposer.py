"""A proposer is one module with a `build` and one entry in `engine.methods`, as this file shows."""

from __future__ import annotations

from importlib import import_module

import pytest

from engine.bench.arms import our_arms
from engine.errors import BadRequest
from engine.events import Finished
from engine.main_model.loaded_model import LoadedModel
from engine.methods import PROPOSERS, ProposerEntry, methods
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.serving_requests import PLAIN, request, run
from tests.engine.tiers import by_tier


class RepeatProposer(Proposer):
    """Always proposes the last token again."""

    source = "repeat"

    def __init__(self, main: CachedSequence) -> None:
        self._main = main

    def max_proposals(self) -> int:
        return 4

    def propose(self, depth: int) -> Proposal:
        return Proposal([self._main.tokens[-1]] * depth, self.source, depth)


def build(context: ProposerContext) -> RepeatProposer:
    return RepeatProposer(context.conversation.main)


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROPOSERS, "repeat", ProposerEntry(__name__))


@pytest.fixture(autouse=True)
def _served(scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]) -> None:
    scheduler.changes.install(pair[0], None)


def answer(scheduler: Scheduler, speculation: SpeculationSettings, temperature: float, text: str) -> Finished:
    scheduler.clear_prefix_cache()
    [client] = run(scheduler, request(text, temperature=temperature, speculation=speculation))
    return client.finished


@pytest.mark.first
def test_only_a_registered_proposer_is_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRequest, match="method must be one of auto, draft, ngram, off"):
        SpeculationSettings(method="repeat")
    monkeypatch.setitem(PROPOSERS, "repeat", ProposerEntry(__name__))
    assert SpeculationSettings(method="repeat").method == "repeat"
    assert methods() == ("auto", "draft", "ngram", "repeat", "off")


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize("temperature", by_tier([0.0, 0.8], [0.8]))
def test_a_new_proposer_drafts_and_leaves_the_text_as_it_is(scheduler: Scheduler, temperature: float) -> None:
    plain = answer(scheduler, PLAIN, temperature, "aaaa aaaa")
    speculated = answer(scheduler, SpeculationSettings(method="repeat", depth=3), temperature, "aaaa aaaa")
    assert speculated.ids == plain.ids
    assert speculated.stats.drafted > 0


@pytest.mark.full
@pytest.mark.usefixtures("_registered")
def test_auto_weighs_a_new_proposer_with_the_others(scheduler: Scheduler) -> None:
    plain = answer(scheduler, PLAIN, 0.0, "b b b b b")
    assert answer(scheduler, SpeculationSettings(depth=3), 0.0, "b b b b b").ids == plain.ids
    # A controller that was never calibrated measures plain decoding first, then tries what is on offer.
    assert answer(scheduler, SpeculationSettings(), 0.0, "b b b b b").ids == plain.ids


@pytest.mark.usefixtures("_registered")
def test_a_new_proposer_is_measured_beside_the_others(scheduler: Scheduler) -> None:
    assert "repeat" in [arm.name for arm in our_arms(scheduler, has_draft=False)]


@pytest.mark.parametrize("entry", PROPOSERS.values(), ids=list(PROPOSERS))
def test_every_registered_module_can_build(entry: ProposerEntry) -> None:
    assert callable(import_module(entry.module).build)
