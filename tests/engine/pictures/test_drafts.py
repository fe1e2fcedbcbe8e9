"""Draft models in chats about pictures: they read the text without placeholders, and draw with its own noise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.main_model.sampling import Sampler
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.pictures.questions import DOG, FOX, QUESTIONS, answered, asked
from tests.engine.serving_requests import alone, open_scheduler, run
from tests.tiny_models import write_disturbed_copy
from tests.tiny_vision import MODELS, write_vision_model

DRAFT = SpeculationSettings(method="draft", depth=3, sample_share=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hybrid model, whose caches go back to the ends of turns only."""
    return write_vision_model(tmp_path_factory.mktemp("drafts") / "main", MODELS["qwen3_5"])


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Scheduler]:
    draft = write_disturbed_copy(folder, folder.with_name("draft"), amount=0.01)
    with open_scheduler(folder, draft, most_active=8) as scheduler:
        yield scheduler


@pytest.mark.full
def test_a_draft_reads_the_text_without_placeholders(served: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[int] = []
    noise = Sampler.noise

    def watched(sampler: Sampler, position: int, count: int, *stream: int) -> object:
        asked_for.append(position)
        return noise(sampler, position, count, *stream)

    monkeypatch.setattr(Sampler, "noise", watched)
    question = asked(*QUESTIONS["between"], temperature=0.9, speculation=DRAFT)
    [client] = run(served, question)
    stats, latest = client.finished.stats, served.prefix_cache.latest
    assert latest.draft is not None
    placeholder = served.models.main.vision.placeholder
    text = [token for token in latest.main.tokens if token != placeholder]
    assert latest.draft.tokens == text[: len(latest.draft.tokens)]
    assert len(text) - 8 < len(latest.draft.tokens) < len(latest.main.tokens) - 20
    assert stats.drafted > 0
    # Both models draw with the noise of a token's place in the whole text.
    assert min(asked_for) == stats.prompt_tokens


@pytest.mark.full
def test_the_next_turn_drafts_from_the_cached_text(served: Scheduler) -> None:
    [first] = run(served, asked(*QUESTIONS["between"], speculation=DRAFT))
    turn = answered(QUESTIONS["between"], first.finished.text)
    again = asked("the fox", before=turn, files=[FOX, DOG], speculation=DRAFT)
    [second] = run(served, again)
    fresh = alone(served, again)
    assert second.finished.ids == fresh.ids
    assert second.finished.stats.draft_prefill_tokens < fresh.stats.draft_prefill_tokens
