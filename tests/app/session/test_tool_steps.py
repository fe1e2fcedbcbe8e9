"""The steps of an answer on a real engine: each reads only what is new, because the prefix cache keeps the others."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session.session import Session
from app.session.tool_service import BuiltIn
from app.tools.tool import TANDEM, Tool
from engine import Engine
from engine.client import RequestStream
from engine.events import Event
from engine.grammars.grammar import Grammar, calls_of
from engine.requests import ChatRequest
from tests.tiny_models import QWEN3, write_model

TEMPLATE = """{% if tools %}<|im_start|>system
{% for tool in tools %}{{ tool['function']['name'] }} {% endfor %}<|im_end|>
{% endif %}{% for m in messages %}<|im_start|>{{ m['role'] }}
{{ m['content'] }}{% for call in m['tool_calls'] or [] %}<tool_call>
{"name": "{{ call['function']['name'] }}", "arguments": {{ call['function']['arguments'] | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
RESULT = "the quick brown fox jumps over the lazy dog " * 4
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
CLOCK = Tool(TANDEM, "now", "now", "", "Tells the time.", NOTHING)


class Caller(Engine):
    """An engine whose model, which knows nothing, has to make two calls and then answer."""

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        results = sum(message["role"] == "tool" for message in request.messages)
        forced = calls_of("json_tools", request.tools, parallel=False) if results < 2 else Grammar("regex", "fox")
        return super().submit(replace(request, grammar=forced), on_event)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
    folder = write_model(tmp_path / "main", seed=1, config={**QWEN3, "max_position_embeddings": 4096})
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"chat_template": TEMPLATE}))
    return folder


@pytest.fixture
def session(model: Path, tmp_path: Path, qtbot: QtBot) -> Iterator[Session]:
    session = Session(Caller, (model, model), tmp_path / "chats.db")
    session.tools.built_in = [BuiltIn(CLOCK, lambda then: then(RESULT))]
    session.models.load(str(model), None)
    qtbot.waitUntil(lambda: session.answers.ready)
    yield session
    session.close()


def test_each_step_reads_only_what_came_after_the_prompt_of_the_step_before(session: Session, qtbot: QtBot) -> None:
    session.tools.set_on(session.chat, True)
    turn = session.answers.ask("the lazy dog")
    qtbot.waitUntil(lambda: turn.answer.ended)
    assert turn.answer.error is None
    assert ([call.text for call in turn.calls], turn.answer.text) == ([RESULT, RESULT], "fox")
    for before, step in itertools.pairwise(answer.stats for answer in turn.answers):
        # The call in the template's spelling, the result, and the beginning of the next turn.
        new = step.prompt_tokens - before.prompt_tokens
        assert 0 < step.prompt_tokens - step.cached_tokens <= new
