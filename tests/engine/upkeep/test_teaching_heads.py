"""Teaching a head of the starter's main model: it drafts better, changes no text, and is taken back."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import mlx.core as mx
import pytest

from engine.errors import EngineError
from engine.files.paths import starter_pair
from engine.requests import OwnAnswer, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import TeachingResult
from engine.teaching import lessons, training
from engine.teaching.lessons import is_held_out
from tests.engine.serving_requests import PLAIN, alone, load_models, request, set_draft

pytestmark = pytest.mark.usefixtures("module_as_on_linux")

MAIN, _ = starter_pair()
TRAINED = Path(__file__).parents[2] / "starter" / "heads"
HEADS = {"dflash": MAIN.parent / "head", "eagle3": TRAINED / "eagle3", "mtp": TRAINED / "mtp"}
# Noise that leaves a head right about half as often, as a share of each matrix's deviation, or of that of its scales.
NOISE = {"dflash": 0.25, "eagle3": 0.07, "mtp": 0.05}
HEAD = SpeculationSettings(method="draft", depth=4, sample_share=0.0)
QUESTIONS = ["What is speculative decoding?", "Write a short poem about rain.", "How do I boil an egg?"]


@pytest.fixture(params=HEADS)
def head(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A head that noise made worse."""
    folder = shutil.copytree(HEADS[request.param], tmp_path / "head")
    weights = mx.load(str(folder / "model.safetensors"))
    assert isinstance(weights, dict)
    for key, name in zip(mx.random.split(mx.random.key(1), len(weights)), sorted(weights), strict=True):
        array = weights[name]
        if array.ndim == 2 and mx.issubdtype(array.dtype, mx.floating):
            added = NOISE[request.param] * array.astype(mx.float32).std() * mx.random.normal(array.shape, key=key)
            weights[name] = (array.astype(mx.float32) + added).astype(array.dtype)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder


@pytest.fixture
def scheduler(head: Path, tmp_path: Path) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(taught_folder=tmp_path / "taught"))
    load_models(scheduler, MAIN, head)
    yield scheduler
    scheduler.close()


def own_answers(scheduler: Scheduler) -> list[OwnAnswer]:
    """Return answers of the main model in four chats, of which one is held out."""
    chats = [str(number) for number in range(100)]
    held_out = [chat for chat in chats if is_held_out(chat)][:1]
    chats = held_out + [chat for chat in chats if not is_held_out(chat)][: len(QUESTIONS)]
    asked = [QUESTIONS[0], *QUESTIONS]
    found = [alone(scheduler, request(text, max_tokens=60, speculation=PLAIN)).ids for text in asked]
    return [
        OwnAnswer(chat, [{"role": "user", "content": text}], tuple(ids))
        for chat, text, ids in zip(chats, asked, found, strict=True)
    ]


def taught_in(scheduler: Scheduler) -> str:
    assert scheduler.models.drafter is not None
    return scheduler.models.drafter.info.taught


@pytest.mark.full
def test_a_taught_head_drafts_better_changes_no_text_and_is_taken_back(
    scheduler: Scheduler, head: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "LEAST_TAUGHT_PLACES", 50)
    monkeypatch.setattr(lessons, "LEAST_JUDGED_PLACES", 10)
    # Four short answers are few steps.
    monkeypatch.setattr(training, "EPOCHS", 9)
    files = {path: hashlib.sha256(path.read_bytes()).digest() for path in head.iterdir()}
    asked = request(QUESTIONS[0], max_tokens=60, speculation=HEAD)
    answers, before = own_answers(scheduler), alone(scheduler, asked)
    outcomes: list[TeachingResult | EngineError | None] = []
    scheduler.teaching.begin(answers, outcomes.append)
    while not outcomes:
        scheduler.upkeep.teach()
    [result] = outcomes
    assert isinstance(result, TeachingResult)
    assert result.better
    assert result.after > result.before
    set_draft(scheduler, head)
    assert taught_in(scheduler)
    after = alone(scheduler, asked)
    assert after.ids == before.ids == answers[0].ids
    assert after.stats.accepted / after.stats.drafted > before.stats.accepted / before.stats.drafted
    scheduler.teaching.forget()
    set_draft(scheduler, head)
    assert not taught_in(scheduler)
    assert {path: hashlib.sha256(path.read_bytes()).digest() for path in head.iterdir()} == files
