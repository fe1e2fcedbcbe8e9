"""A head's context is kept with its conversation, through edits, reopening and changes of the head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.lossless.chain_sessions import session_of
from tests.engine.lossless.oracle_serving import HEAD, assert_read_all
from tests.engine.serving_requests import PLAIN, Client, load_models, request, run
from tests.engine.speculation.oracle_head import OracleHead
from tests.engine.tiers import by_tier
from tests.tiny_heads import OracleKind


def following(client: Client) -> list[Mapping[str, Any]]:
    """Return the messages of the next turn after the client's answer."""
    answered = {"role": "assistant", "content": client.finished.text}
    return [*client.stream.request.messages, answered, {"role": "user", "content": "and then"}]


@pytest.mark.parametrize("other", by_tier([None, "identity", "arrays"], ["arrays"]))
def test_a_chat_kept_with_another_head_is_continued_without_what_that_has_read(
    scheduler: Scheduler,
    oracle: OracleKind,
    tiny_main: Path,
    tmp_path: Path,
    other: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    load_models(scheduler, tiny_main, oracle.folder)
    asked = replace(request("the quick brown fox jumps over the lazy dog", speculation=HEAD), conversation="chat")
    [client] = run(scheduler, asked)
    if other == "identity":
        monkeypatch.setattr(OracleHead, "identity", "another")
    elif other == "arrays":
        oracle.taps = (1,)
    # Loading saves the chat in memory.
    load_models(scheduler, tiny_main, oracle.folder)
    [again] = run(scheduler, replace(asked, messages=following(client)))

    assert again.finished.stats.cached_tokens > 20
    assert again.finished.stats.drafted > 0
    assert other is not None or session_of(scheduler).start == 0
    assert_read_all(scheduler)


def test_a_chat_kept_without_the_head_is_continued_with_a_shorter_context(
    scheduler: Scheduler, oracle: OracleKind, tiny_main: Path, tmp_path: Path
) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    load_models(scheduler, tiny_main, None)
    asked = replace(request("the quick brown fox jumps over the lazy dog"), conversation="chat")
    [client] = run(scheduler, asked)
    load_models(scheduler, tiny_main, oracle.folder)
    follow_up = replace(asked, messages=following(client), speculation=PLAIN)
    [unassisted] = run(scheduler, follow_up)
    load_models(scheduler, tiny_main, oracle.folder)
    [assisted] = run(scheduler, replace(follow_up, speculation=HEAD))

    assert assisted.finished.stats.cached_tokens > 0
    assert assisted.finished.ids == unassisted.finished.ids
    assert assisted.finished.stats.drafted > 0
    assert_read_all(scheduler)
