"""Answers about pictures: the same with drafts and lookup, alone and together, and from caches that know pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import BadRequest, ModelCannotSee, NotEnoughMemory, PictureNotUsable, TemplateFailed
from engine.events import Failed, Finished, PrefillProgress
from engine.main_model.loading import load
from engine.pictures.placed import PlacedPicture
from engine.pictures.reading import digest_of
from engine.pictures.vision_tower import RequestPictures
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.pictures.questions import DOG, FOX, QUESTIONS, QUESTIONS_AND_TEMPERATURES, asked, parts
from tests.engine.serving_requests import alone, open_scheduler, run, submit
from tests.engine.tiers import by_tier
from tests.tiny_models import write_disturbed_copy
from tests.tiny_vision import MODELS, picture, write_vision_model

SPECULATIONS = (
    SpeculationSettings(method="draft", depth=3, sample_share=0.0),
    SpeculationSettings(method="ngram", depth=3, sample_share=0.0),
    SpeculationSettings(method="auto"),
)
FAMILIES = ["gemma3", "gemma4", "mistral3", "qwen3_5", "qwen2_5_vl", "qwen3_vl"]
# Transformers does not know the name that mlx-lm has for this family.
LFM2_VL = pytest.param("lfm2_vl", marks=[pytest.mark.full, pytest.mark.expects_log])
# With pictures that are read in both directions, and with those that move the positions behind them.
IN_BOTH = pytest.mark.parametrize("folder", [*by_tier(FAMILIES, ["gemma3"]), LFM2_VL], indirect=True, scope="module")


@pytest.fixture(scope="module", params=[*by_tier(FAMILIES, ["qwen3_5"]), LFM2_VL])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_vision_model(tmp_path_factory.mktemp("vision") / request.param, MODELS[request.param])


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    draft = write_disturbed_copy(folder, tmp_path_factory.mktemp("draft") / "draft", amount=0.01)
    with open_scheduler(folder, draft, most_active=8) as scheduler:
        yield scheduler


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pictures that a tower reads, in their order."""
    found: list[bytes] = []
    read = RequestPictures.read

    def watched(pictures: RequestPictures, picture: PlacedPicture) -> float:
        found.append(pictures.files.files[picture.digest])
        return read(pictures, picture)

    monkeypatch.setattr(RequestPictures, "read", watched)
    return found


@IN_BOTH
@pytest.mark.parametrize(("where", "temperature"), QUESTIONS_AND_TEMPERATURES)
def test_drafts_and_lookup_do_not_change_the_text(served: Scheduler, where: str, temperature: float) -> None:
    plain = alone(served, asked(*QUESTIONS[where], temperature=temperature))
    assert plain.stats.pictures == sum(isinstance(part, bytes) for part in QUESTIONS[where])
    for speculation in SPECULATIONS:
        drafted = alone(served, asked(*QUESTIONS[where], temperature=temperature, speculation=speculation))
        assert drafted.ids == plain.ids
        assert drafted.stats.drafted or speculation.method != "draft"


@pytest.mark.full
def test_answers_at_once_are_those_alone(served: Scheduler) -> None:
    questions = [asked(*content, speculation=SPECULATIONS[0]) for content in QUESTIONS.values()]
    questions.append(asked("the quick brown fox", speculation=SPECULATIONS[1]))
    expected = [alone(served, question).ids for question in questions]
    served.clear_prefix_cache()
    assert [client.finished.ids for client in run(served, *questions)] == expected


def test_another_picture_gives_another_text_and_no_cached_tokens(served: Scheduler, reads: list[bytes]) -> None:
    """The prompts have the same tokens: without the digest, the second would be answered from the first's caches."""
    same_size = picture(3, 40, 30)
    first = alone(served, asked("the fox ", FOX, " jumps", temperature=0.9))
    [client] = run(served, asked("the fox ", FOX, " jumps", temperature=0.9))
    [other] = run(served, asked("the fox ", same_size, " jumps", temperature=0.9))
    assert reads == [FOX, FOX, same_size]
    assert client.finished.ids == first.ids
    assert other.finished.stats.prompt_tokens == first.stats.prompt_tokens
    assert other.finished.stats.cached_tokens < first.stats.prompt_tokens - other.finished.stats.picture_tokens
    assert other.finished.ids == alone(served, asked("the fox ", same_size, " jumps", temperature=0.9)).ids != first.ids


def test_the_next_turn_reads_only_its_own_picture(served: Scheduler, reads: list[bytes]) -> None:
    served.clear_prefix_cache()
    [first] = run(served, asked("the fox ", FOX))
    turn = [{"role": "user", "content": parts("the fox ", FOX)}, {"role": "assistant", "content": first.finished.text}]
    again = asked("the dog ", DOG, before=turn, files=[FOX], speculation=SPECULATIONS[0])
    [second] = run(served, again)
    assert reads == [FOX, DOG]
    assert second.finished.ids == alone(served, again).ids
    assert second.finished.stats.picture_s > 0.0


@pytest.mark.full
def test_a_reopened_chat_reads_no_picture_twice(folder: Path, tmp_path: Path, reads: list[bytes]) -> None:
    texts = []
    for file in (FOX, FOX, picture(3, 40, 30)):
        with open_scheduler(folder, prefix_cache_folder=tmp_path) as scheduler:
            [client] = run(scheduler, replace(asked("the fox ", file, " jumps", temperature=0.9), conversation="chat"))
            texts.append(client.finished.ids)
    assert reads == [FOX, picture(3, 40, 30)]
    assert texts[0] == texts[1] != texts[2]


def test_a_long_chat_loses_its_oldest_pictures(served: Scheduler) -> None:
    turns = [{"role": "user", "content": parts("fox " * 40, FOX)}, {"role": "assistant", "content": "dog"}] * 10
    shortened = run(served, asked("jumps ", DOG, before=turns, files=[FOX], overflow="shorten"))[0].finished.stats
    assert 0 < shortened.dropped_messages < len(turns)
    assert 0 < shortened.pictures < 11


@pytest.mark.full
def test_a_mark_in_a_text_is_no_picture(served: Scheduler) -> None:
    mark = served.models.main.tokenizer.convert_ids_to_tokens(served.models.main.vision.placeholder)
    [client] = run(served, asked(f"{mark} {mark} ", FOX, f" {mark}"))
    assert client.finished.stats.pictures == 1


def test_text_alone_runs_as_without_eyes(served: Scheduler, folder: Path, tmp_path: Path, reads: list[bytes]) -> None:
    """A folder without its tower has the same text model."""
    blind = load(write_blind(folder, tmp_path / "blind"))
    assert not blind.info.sees
    assert blind.info.bytes == served.models.main.info.bytes
    with open_scheduler() as scheduler:
        scheduler.changes.install(blind, None)
        question = replace(asked("the quick brown fox"), messages=[{"role": "user", "content": "the quick brown fox"}])
        assert alone(scheduler, question).ids == alone(served, question).ids
        [refused] = run(scheduler, asked("the fox ", FOX))
    assert isinstance(refused.last, Failed)
    assert isinstance(refused.last.error, ModelCannotSee)
    assert not reads


def write_blind(folder: Path, copy: Path) -> Path:
    write_disturbed_copy(folder, copy, amount=0.0)
    weights: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    kept = {name: array for name, array in weights.items() if name.startswith("language_model.")}
    mx.save_safetensors(str(copy / "model.safetensors"), kept, metadata={"format": "mlx"})
    return copy


def test_a_picture_that_cannot_be_read_ends_only_its_request(served: Scheduler) -> None:
    good = submit(served, asked("the fox ", FOX))
    [bad] = run(served, asked("the fox ", b"\x89PNG\r\n\x1a\nno picture"))
    assert isinstance(good.last, Finished)
    assert isinstance(bad.last, Failed)
    assert isinstance(bad.last.error, PictureNotUsable)


def test_a_wrong_digest_is_refused(served: Scheduler) -> None:
    question = asked("the fox ", FOX)
    [client] = run(served, replace(question, pictures={digest_of(FOX): DOG}))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, BadRequest)


def test_a_template_that_leaves_a_picture_out_is_refused(served: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    template = "{% for m in messages %}{{ m['content'][:4] }}{% endfor %}"
    monkeypatch.setattr(served.models.main.tokenizer._tokenizer, "chat_template", template)
    [in_use] = served.models.resident
    in_use = replace(in_use, main=replace(in_use.main, prompt_source=None))
    monkeypatch.setattr(served.models, "_current", in_use)
    [client] = run(served, asked("the fox ", FOX))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, TemplateFailed)


@pytest.mark.expects_log
@pytest.mark.parametrize("changes", [{"num_hidden_layers": 10**7}, {"image_size": 10**9}, {"depth": "x"}])
def test_a_tower_with_impossible_sizes_is_not_used(changes: dict[str, Any], tmp_path: Path) -> None:
    folder = write_vision_model(tmp_path / "model", MODELS["gemma3"])
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vision_config": config["vision_config"] | changes}))
    assert not load(folder).info.sees


def test_a_tower_that_does_not_fit_is_refused_before_it_is_read(served: Scheduler, reads: list[bytes]) -> None:
    served.clear_prefix_cache()
    vision = served.models.main.vision
    assert vision is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vision, "bytes", 2**60)
        patch.setattr(vision, "_tower", None)
        [refused, text] = run(served, asked("the fox ", FOX), asked("the fox"))
    assert isinstance(refused.last, Failed)
    assert isinstance(refused.last.error, NotEnoughMemory)
    assert isinstance(text.last, Finished)
    assert not reads


@pytest.mark.full
def test_progress_counts_pictures_as_tokens(served: Scheduler) -> None:
    served.clear_prefix_cache()
    [client] = run(served, asked(*QUESTIONS["between"]))
    progress = [event for event in client.events if isinstance(event, PrefillProgress)]
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    assert progress[-1].done == progress[-1].total - 1


def test_a_picture_costs_what_the_rules_say(served: Scheduler) -> None:
    info = served.models.main.info
    bare = alone(served, asked("the fox  jumps")).stats.prompt_tokens
    with_picture = alone(served, asked("the fox ", FOX, " jumps")).stats.prompt_tokens
    assert info.pictures is not None
    assert with_picture - bare == pytest.approx(info.pictures.tokens(40, 30), abs=4)
