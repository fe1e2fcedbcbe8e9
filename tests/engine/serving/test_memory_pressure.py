"""Where macOS is short of memory, what only saves time is given back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import mlx.core as mx
import pytest

from engine import Engine
from engine.events import Finished
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from engine.upkeep import upkeep as module
from tests.engine.serving_requests import ask_for_words, assistant_turn, request, run, user
from tests.engine.speculation.family_configs import FAMILIES
from tests.mac_memory import report_memory
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_models import write_model

SYSTEM = user("lazy dog jumps over the fox") | {"role": "system"}
NORMAL, WARN, CRITICAL = 1, 2, 4


@pytest.fixture(autouse=True)
def looks_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.0)
    report_memory(monkeypatch, pressure=NORMAL)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    """Serves a model whose caches can only go back to checkpoints."""
    config = {"model_type": "qwen3_next", **FAMILIES["qwen3_next"], "max_position_embeddings": 4096}
    with closing(Scheduler()) as scheduler:
        scheduler.changes.install(load(write_model(tmp_path / "main", config=config)), None)
        yield scheduler


def talk(scheduler: Scheduler) -> tuple[list[dict[str, str]], Finished]:
    """Have a chat of four turns; return its messages and the last answer."""
    messages, last = [SYSTEM], None
    for word in ("fox", "dog", "quick", "brown"):
        messages = [*messages, *([assistant_turn(last)] if last is not None else []), user(word)]
        last = ask_for_words(scheduler, *messages, max_tokens=4)
    assert last is not None
    return messages, last


def read(finished: Finished) -> int:
    return finished.stats.prompt_tokens - finished.stats.cached_tokens


def test_when_it_warns_finished_turns_keep_their_ends_and_the_system_prompt(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages, last = talk(scheduler)
    held, unpressed = scheduler.prefix_cache.bytes, read(ask_for_words(scheduler, SYSTEM, user("over"), max_tokens=4))
    scheduler.upkeep.relieve_memory()
    assert scheduler.prefix_cache.bytes >= held
    report_memory(monkeypatch, pressure=WARN)
    scheduler.upkeep.relieve_memory()
    assert scheduler.prefix_cache.bytes < held
    assert mx.get_cache_memory() == 0
    following = ask_for_words(scheduler, *messages, assistant_turn(last), user("over"), max_tokens=4)
    assert read(following) < last.stats.prompt_tokens
    assert read(ask_for_words(scheduler, SYSTEM, user("over"), max_tokens=4)) <= unpressed
    assert following.stats.slowed == ""
    # Texts do not depend on what is cached.
    scheduler.clear_prefix_cache()
    assert ask_for_words(scheduler, *messages, assistant_turn(last), user("over"), max_tokens=4).ids == following.ids


def test_when_it_is_critical_all_finished_turns_go_and_the_next_answer_tells_why_it_begins_later(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages, last = talk(scheduler)
    report_memory(monkeypatch, pressure=CRITICAL)
    scheduler.upkeep.relieve_memory()
    assert scheduler.prefix_cache.usage.conversations == 0
    again = ask_for_words(scheduler, *messages, max_tokens=4)
    assert (again.ids, again.stats.slowed) == (last.ids, "memory")


def test_while_answers_stream_memory_is_given_back_once_for_each_change(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed: list[int] = []
    monkeypatch.setattr(module, "release_unused_memory", lambda: freed.append(scheduler.active))
    report_memory(monkeypatch, pressure=WARN)
    [client] = run(scheduler, request(max_tokens=12))
    assert len(client.committed) > 2
    assert len(freed) == 1


def test_an_idle_engine_gives_memory_back(tiny_main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.01)

    def kept() -> int:
        return engine.status().result(timeout=PATIENCE_S).prefix_cache.conversations

    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        list(engine.submit(request(max_tokens=3)))
        assert kept() == 1
        report_memory(monkeypatch, pressure=CRITICAL)
        wait_until(lambda: kept() == 0)
