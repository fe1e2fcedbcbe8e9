"""EAGLE-3 heads in the whole engine: the text stays as it is, and rounds leave the head's cache as one pass would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.requests import SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.head_source import HeadSource
from engine.speculation.proposers.head import HeadProposer
from engine.speculation.proposers.proposal import Proposal
from tests.engine.chain_sessions import assert_as_read_anew, session_of
from tests.engine.serving import PLAIN, alone, load_models, request, run
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_eagle import ToldEagle, write_eagle_head
from tests.tiny_models import QWEN3, write_model

pytestmark = pytest.mark.usefixtures("without_compilation")

HEAD = SpeculationSettings(method="draft", depth=3)
DRAFTED = 64


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler()
    yield scheduler
    scheduler.close()


def serve(scheduler: Scheduler, folder: Path, family: str = "qwen3", **changes: Any) -> None:
    config = QWEN3 if family == "qwen3" else {"model_type": family, **FAMILIES[family]}
    main = write_model(folder / "main", config=config)
    pair = load_models(scheduler, main, write_eagle_head(folder / "head", main, **changes))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.kind, pair.draft.architecture) == ("head", "eagle3")


@pytest.mark.parametrize("family", ["qwen3", "gemma3_text", "qwen3_next"])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_text_is_the_same_with_the_head_as_without(
    scheduler: Scheduler, tmp_path: Path, family: str, temperature: float
) -> None:
    serve(scheduler, tmp_path, family, drafted=DRAFTED)
    for depth in (1, 6):
        asked = request(max_tokens=24, temperature=temperature, speculation=replace(HEAD, depth=depth))
        expected = alone(scheduler, replace(asked, speculation=PLAIN))
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
    assert_as_read_anew(scheduler)


@pytest.mark.parametrize("family", ["qwen3", "qwen3_next"])
@pytest.mark.parametrize("wrong", [1, 2, 5])
def test_rounds_accepted_in_part_leave_every_cache_as_if_read_at_once(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, wrong: int
) -> None:
    """Every `wrong`-th draft token is rejected: all, each second, and so on."""
    told = ToldEagle(monkeypatch)
    serve(scheduler, tmp_path, family)
    asked = request(max_tokens=24, speculation=HEAD)
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
    answers = [*prompt_of(scheduler, asked.messages), *expected.ids]
    told.answers = [(t + 1) % 90 if i % wrong == 0 else t for i, t in enumerate(answers)]
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.drafted > client.finished.stats.accepted
    assert (client.finished.stats.accepted > 0) == (wrong > 1)
    monkeypatch.undo()
    assert_as_read_anew(scheduler)


def prompt_of(scheduler: Scheduler, messages: Any) -> list[int]:
    ids: list[int] = scheduler.models.main.tokenizer.apply_chat_template(
        list(messages), add_generation_prompt=True, tokenize=True, return_dict=False
    )
    return ids


@pytest.mark.parametrize("acceptance", ["match", "rejection"])
@pytest.mark.parametrize("sampling", [{"temperature": 0.9, "top_p": 0.8, "top_k": 20}, {"repetition_penalty": 1.3}])
def test_ids_that_the_head_knows_are_accepted_and_others_change_nothing(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sampling: dict[str, Any], acceptance: str
) -> None:
    """The head knows every other id; a seeded draw sees the main model's noise of those."""
    told = ToldEagle(monkeypatch)
    serve(scheduler, tmp_path, drafted=170)
    asked = request(max_tokens=32, speculation=replace(HEAD, acceptance=acceptance, depth=2), **sampling)
    expected = alone(scheduler, replace(asked, speculation=PLAIN))
    told.answers = [*prompt_of(scheduler, asked.messages), *expected.ids]
    [client] = run(scheduler, asked)
    stats = client.finished.stats
    assert stats.drafted > 0
    if acceptance == "match":
        assert 0 < stats.accepted < stats.drafted
        assert client.finished.ids == expected.ids


def test_distributions_for_rejection_span_the_whole_vocabulary(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(scheduler, tmp_path, drafted=DRAFTED)
    proposals: list[Proposal] = []
    propose = HeadProposer.propose

    def kept(proposer: HeadProposer, depth: int) -> Proposal:
        proposals.append(propose(proposer, depth))
        return proposals[-1]

    monkeypatch.setattr(HeadProposer, "propose", kept)
    run(scheduler, request(temperature=0.8, max_tokens=12, speculation=replace(HEAD, acceptance="rejection")))
    source = scheduler.models.drafter
    assert isinstance(source, HeadSource)
    known = set(source.head.targets.tolist())  # type: ignore[attr-defined]
    for proposal in proposals:
        assert proposal.distributions is not None
        assert proposal.distributions.shape[-1] == scheduler.models.main.vocabulary
        assert mx.allclose(proposal.distributions.sum(axis=-1), mx.ones(proposal.distributions.shape[0]), atol=1e-4)
        likely = (proposal.distributions > 0).any(axis=0).tolist()
        assert {index for index, has in enumerate(likely) if has} <= known  # type: ignore[arg-type]


def test_a_reopened_chat_is_not_blind(scheduler: Scheduler, tmp_path: Path) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    serve(scheduler, tmp_path)
    asked = replace(request("the quick brown fox jumps over the lazy dog", speculation=HEAD), conversation="chat")
    [client] = run(scheduler, asked)
    # Saves what is in memory.
    load_models(scheduler, tmp_path / "main", tmp_path / "head")
    more = [*asked.messages, {"role": "assistant", "content": client.finished.text}, {"role": "user", "content": "go"}]
    [again] = run(scheduler, replace(asked, messages=more))

    assert again.finished.stats.cached_tokens > 20
    assert session_of(scheduler).start == 0
    assert_as_read_anew(scheduler)
