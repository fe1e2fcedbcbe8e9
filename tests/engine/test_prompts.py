"""Conversations that are longer than the context."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import PromptTooLong
from engine.events import Failed
from engine.loading import load
from engine.requests import ChatRequest
from engine.scheduler import Scheduler
from tests.engine.serving import alone, run

pytestmark = pytest.mark.usefixtures("without_compilation")


def long_chat(turns: int) -> list[dict[str, str]]:
    chat = [{"role": "system", "content": "lazy dog"}]
    for turn in range(turns):
        chat += [
            {"role": "user", "content": f"the quick brown fox {turn} " * 3},
            {"role": "assistant", "content": "over the lazy dog " * 3},
        ]
    return [*chat, {"role": "user", "content": "and now"}]


def test_a_conversation_that_is_too_long_loses_its_oldest_turns_when_it_may(tiny_main: Path) -> None:
    scheduler = Scheduler()
    scheduler.install(load(tiny_main), None)
    chat = long_chat(12)
    [refused] = run(scheduler, ChatRequest(chat, max_tokens=8))
    assert isinstance(refused.last, Failed)
    assert isinstance(refused.last.error, PromptTooLong)
    [shortened] = run(scheduler, ChatRequest(chat, max_tokens=8, overflow="shorten"))
    stats = shortened.finished.stats
    assert stats.dropped_messages > 0
    assert stats.dropped_messages % 2 == 0
    assert 256 < stats.prompt_tokens <= 512 - 8
    kept = [chat[0], *chat[1 + stats.dropped_messages :]]
    assert alone(scheduler, ChatRequest(kept, max_tokens=8)).ids == shortened.finished.ids
    scheduler.close()


def test_one_message_that_is_too_long_is_refused_even_so(tiny_main: Path) -> None:
    scheduler = Scheduler()
    scheduler.install(load(tiny_main), None)
    [client] = run(scheduler, ChatRequest([{"role": "user", "content": "fox " * 600}], overflow="shorten"))
    assert isinstance(client.last, Failed)
    assert isinstance(client.last.error, PromptTooLong)
    scheduler.close()
