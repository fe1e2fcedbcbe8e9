"""What a fault has ended is freed at once, not when the garbage collector runs, which the app rarely lets it."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from engine.decoders.batch_decoder import BatchDecoder
from engine.decoders.generation import Generation
from engine.decoders.speculative_decoder import SpeculativeDecoder
from engine.main_model.sampling import Sampler
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.caches.row_caches import RowCaches
from engine.speculation.proposers.draft_model import Draft, DraftModelProposer
from engine.speculation.proposers.joint_draft import JointDraft
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch
from tests.engine.endurance.late_errors import SENTENCE
from tests.engine.serving_requests import PLAIN, request, run
from tests.engine.tiers import by_tier

pytestmark = pytest.mark.usefixtures("fixed_chunks")

OURS = (Generation, SpeculativeDecoder, BatchDecoder, CachedSequence)
DRAFT = SpeculationSettings(method="draft", depth=3, sample_share=0.0)
REJECTS = SpeculationSettings(method="draft", depth=3, sample_share=0.0, acceptance="rejection")
# What fails, and at which call; the speculation of two answers, and their sampling.
FAULTS: dict[str, tuple[type, str, int, tuple[SpeculationSettings, SpeculationSettings], dict[str, float]]] = {
    "the drafting for one of several": (DraftModelProposer, "propose", 2, (DRAFT, PLAIN), {}),
    "the drafting for all": (JointDraft, "propose", 2, (DRAFT, DRAFT), {}),
    "a draw for one of those drafted together": (Draft, "add", 4, (REJECTS, REJECTS), {"temperature": 0.8}),
    "a sampler of one of several": (Sampler, "scores", 5, (PLAIN, PLAIN), {"repetition_penalty": 1.2}),
    "a pass": (SequenceBatch, "verify", 3, (DRAFT, DRAFT), {}),
    # The first two rows are those of a pass over both prompts.
    "the end of a batch": (RowCaches, "remove", 3, (PLAIN, PLAIN), {}),
    "reading prompts together": (RowCaches, "begin", 1, (PLAIN, PLAIN), {}),
    "the beginning of a batch": (CachedSequence, "begin_prefill", 1, (PLAIN, PLAIN), {}),
    "telling a proposer": (DraftModelProposer, "committed", 3, (DRAFT, DRAFT), {}),
    "leaving those drafted together": (JointDraft, "leave", 1, (DRAFT, DRAFT), {}),
}
OWN = "an error, says the test"
TEXTS = ("the quick brown fox", "lazy dog jumps")


@pytest.fixture
def _no_records(caplog: pytest.LogCaptureFixture) -> None:
    """Keep no log record, which would keep the frames of its exception."""
    caplog.set_level(logging.CRITICAL + 1, logger="engine")


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive() -> list[object]:
    return [item for item in gc.get_objects() if isinstance(item, OURS)]


@pytest.mark.usefixtures("_no_records", "_no_collector")
@pytest.mark.parametrize(
    ("fault", "error"), by_tier([*product(FAULTS, (OWN, SENTENCE))], [(fault, OWN) for fault in FAULTS])
)
def test_an_error_keeps_no_caches(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, fault: str, error: str
) -> None:
    owner, name, at, speculation, sampling = FAULTS[fault]
    works, calls = getattr(owner, name), 0

    def fails(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at:
            raise RuntimeError(error)
        return works(*arguments)

    monkeypatch.setattr(owner, name, fails)
    before = len(alive())
    asked = (
        request(text, max_tokens=12, speculation=one, **sampling) for text, one in zip(TEXTS, speculation, strict=True)
    )
    run(scheduler, *asked)
    assert calls >= at
    scheduler.clear_prefix_cache()
    assert [type(item).__name__ for item in alive()[before:]] == []
