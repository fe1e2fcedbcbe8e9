"""A chat that is opened again is not read again; a file that is damaged or foreign is as if it were not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.events import Finished
from engine.requests import ChatRequest
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.serving import request, run
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.test_prefix_cache import DEPTH, answer, ask, user
from tests.tiny_models import write_disturbed_copy, write_model

pytestmark = pytest.mark.usefixtures("without_compilation")


@pytest.fixture(scope="module", params=["llama", "gemma3_text", "qwen3_next"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {"model_type": request.param, **FAMILIES[request.param]}
    return write_model(tmp_path_factory.mktemp("kind") / "main", config=config)


@pytest.fixture
def draft(model: Path, tmp_path: Path) -> Path:
    return write_disturbed_copy(model, tmp_path / "draft", amount=0.01)


def opened(model: Path, store: Path, draft: Path | None = None) -> Scheduler:
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=store))
    scheduler.load(model, draft)
    return scheduler


def session(model: Path, store: Path, asked: ChatRequest) -> Finished:
    """Load, ask once, unload."""
    scheduler = opened(model, store)
    [client] = run(scheduler, asked)
    scheduler.close()
    return client.finished


OPENING = user("the quick brown fox")


def test_the_next_session_reads_only_what_is_new(model: Path, tmp_path: Path) -> None:
    before = opened(model, tmp_path)
    first = ask(before, OPENING)
    before.close()
    later = opened(model, tmp_path)
    turns = (OPENING, answer(first), user("and then"))
    second = ask(later, *turns)
    later.clear_prefix_cache()
    assert second.stats.cached_tokens == first.stats.prompt_tokens + len(first.ids) - 1
    assert ask(later, *turns).ids == second.ids
    later.close()


def test_the_draft_reads_only_what_is_new_too(model: Path, draft: Path, tmp_path: Path) -> None:
    before = opened(model, tmp_path, draft)
    first = ask(before, OPENING)
    before.close()
    later = opened(model, tmp_path, draft)
    turns = (OPENING, answer(first), user("and then"))
    second = ask(later, *turns)
    fresh = second.stats.prompt_tokens - first.stats.prompt_tokens - len(first.ids)
    assert second.stats.drafted > 0
    assert second.stats.draft_prefill_tokens <= fresh + DEPTH
    later.clear_prefix_cache()
    assert ask(later, *turns).ids == second.ids
    later.close()


def test_what_another_draft_knew_is_left_alone(model: Path, draft: Path, tmp_path: Path) -> None:
    before = opened(model, tmp_path / "store", draft)
    first = ask(before, OPENING)
    before.close()
    other = Path(shutil.copytree(draft, tmp_path / "other"))
    later = opened(model, tmp_path / "store", other)
    second = ask(later, OPENING, answer(first), user("and then"))
    assert second.stats.cached_tokens == first.stats.prompt_tokens + len(first.ids) - 1
    assert second.stats.draft_prefill_tokens >= first.stats.prompt_tokens
    later.close()


def test_an_answer_of_an_earlier_session_is_regenerated_without_reading_its_prompt(
    model: Path, draft: Path, tmp_path: Path
) -> None:
    before = opened(model, tmp_path, draft)
    first = ask(before, OPENING)
    before.close()
    later = opened(model, tmp_path, draft)
    again = ask(later, OPENING)
    later.close()
    assert again.ids == first.ids
    assert again.stats.cached_tokens == again.stats.prompt_tokens - 1
    assert again.stats.draft_prefill_tokens <= 1


def test_a_chat_that_went_on_takes_the_place_of_its_beginning(model: Path, tmp_path: Path) -> None:
    before = opened(model, tmp_path)
    first = ask(before, OPENING)
    before.close()
    later = opened(model, tmp_path)
    ask(later, OPENING, answer(first), user("and then"))
    later.close()
    assert len(list(tmp_path.glob("*.json"))) == len(list(tmp_path.glob("*.safetensors"))) == 1


def test_clearing_clears_the_disk_too(tiny_main: Path, tmp_path: Path) -> None:
    session(tiny_main, tmp_path, request("fox", max_tokens=2))
    scheduler = opened(tiny_main, tmp_path)
    assert scheduler.status.prefix_cache.stored > 0
    scheduler.clear_prefix_cache()
    assert scheduler.status.prefix_cache.stored == 0
    assert list(tmp_path.iterdir()) == []
    [client] = run(scheduler, request("fox", max_tokens=2))
    assert client.finished.stats.cached_tokens == 0
    scheduler.close()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-50] ^= 1
    file.write_bytes(content)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [_cut, _flip, _empty, Path.unlink])
@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
def test_a_damaged_file_is_ignored(
    tiny_main: Path, tmp_path: Path, damage: Callable[[Path], None], suffix: str
) -> None:
    asked = request(max_tokens=1)
    first = session(tiny_main, tmp_path, asked)
    [file] = tmp_path.glob(f"*{suffix}")
    damage(file)
    again = session(tiny_main, tmp_path, asked)
    assert again.ids == first.ids
    assert again.stats.cached_tokens in (0, again.stats.prompt_tokens - 1)
    assert suffix == ".json" or again.stats.cached_tokens == 0


def test_what_belongs_to_other_weights_is_ignored(tiny_main: Path, tmp_path: Path) -> None:
    asked = request(max_tokens=1)
    other = tmp_path / "other"
    shutil.copytree(tiny_main, other)
    session(tiny_main, tmp_path / "store", asked)
    assert session(other, tmp_path / "store", asked).stats.cached_tokens == 0


def test_another_version_of_the_format_is_ignored(tiny_main: Path, tmp_path: Path) -> None:
    asked = request(max_tokens=1)
    session(tiny_main, tmp_path, asked)
    [file] = tmp_path.glob("*.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 99}))
    assert session(tiny_main, tmp_path, asked).stats.cached_tokens == 0


def test_the_folder_stays_within_its_bytes(tiny_main: Path, tmp_path: Path) -> None:
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=tmp_path, prefix_cache_bytes=300_000))
    scheduler.load(tiny_main, None)
    for text in ("fox", "lazy dog", "안녕하세요"):
        run(scheduler, request(text, max_tokens=2))
        scheduler.prefix_cache.save()
    scheduler.close()
    assert 0 < sum(file.stat().st_size for file in tmp_path.glob("*.safetensors")) <= 300_000


@pytest.mark.expects_log
def test_a_folder_that_cannot_be_written_costs_nothing_else(tiny_main: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert session(tiny_main, blocked, request(max_tokens=2)).reason == "length"
