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
from tests.engine.test_prefix_cache import answer, ask, user
from tests.tiny_models import write_model


@pytest.fixture(scope="module", params=["llama", "gemma3_text", "qwen3_next"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = {"model_type": request.param, **FAMILIES[request.param]}
    return write_model(tmp_path_factory.mktemp("kind") / "main", config=config)


def session(model: Path, store: Path, asked: ChatRequest) -> Finished:
    """Load, ask once, unload."""
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=store))
    scheduler.load(model, None)
    [client] = run(scheduler, asked)
    scheduler.close()
    return client.finished


def test_the_next_session_reads_only_what_is_new(model: Path, tmp_path: Path) -> None:
    settings = EngineSettings(prefix_cache_folder=tmp_path)
    before = Scheduler(settings)
    before.load(model, None)
    first = ask(before, user("the quick brown fox"))
    before.close()
    later = Scheduler(settings)
    later.load(model, None)
    turns = (user("the quick brown fox"), answer(first), user("and then"))
    second = ask(later, *turns)
    later.clear_prefix_cache()
    assert second.stats.cached_tokens == first.stats.prompt_tokens + len(first.ids) - 1
    assert ask(later, *turns).ids == second.ids
    later.close()


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
