"""The prompt process keeps its limits, is replaced when it exceeds them, and makes the prompts that we would make."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import ChatRequest, Engine, Failed, Finished, starter_pair
from engine.errors import PromptTooLong, TemplateFailed
from engine.loading import load
from engine.prompt_process.client import PROMPT_PROCESS, PromptProcess
from engine.prompts import Prompt, PromptJob, make_prompt
from tests.engine.asking import QUESTION
from tests.patience import PATIENCE_S
from tests.tiny_models import write_disturbed_copy

MESSAGES = (
    {"role": "system", "content": "lazy dog"},
    *({"role": role, "content": "안녕 fox " * 9} for role in ("user", "assistant") * 4),
    {"role": "user", "content": "go 😀 on"},
)


def with_template(source: Path, folder: Path, template: str) -> Path:
    copy = write_disturbed_copy(source, folder, amount=0.0)
    (copy / "chat_template.jinja").write_text(template)
    return copy


def outcome(make: Callable[[], Prompt]) -> Prompt | dict[str, object]:
    try:
        return make()
    except PromptTooLong as error:
        return error.arguments


@pytest.mark.parametrize("overflow", [None, "shorten"])
@pytest.mark.parametrize("limit", [300, 2000])
def test_prompts_are_those_that_would_be_made_here(tiny_main: Path, overflow: str | None, limit: int) -> None:
    model = load(tiny_main)
    job, source = PromptJob(MESSAGES, limit, 40, overflow), model.prompt_source
    assert source is not None
    here = outcome(lambda: make_prompt(model.tokenizer, job, with_boundaries=True))
    assert outcome(lambda: PROMPT_PROCESS.start_prompt(source, job).result(PATIENCE_S)) == here


def test_the_starter_pair_needs_no_other_process() -> None:
    assert [load(folder).prompt_source for folder in starter_pair()] == [None, None]


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
LARGE = "{% set n=namespace(a='aaaaaaaa') %}{% for i in range(40) %}{% set n.a=n.a~n.a %}{% endfor %}{{n.a}}"


@pytest.mark.parametrize(("template", "reason"), [(ENDLESS, "too-slow"), (LARGE, "too-large")])
def test_a_template_beyond_the_limits_fails_its_question_and_no_other(
    tiny_main: Path, tmp_path: Path, template: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == "too-slow":
        monkeypatch.setattr("engine.prompt_process.client.PROMPT_S", 1)
    hostile = with_template(tiny_main, tmp_path / "hostile", template)
    with Engine() as engine:
        engine.load(hostile).result(timeout=PATIENCE_S)
        [failed] = list(engine.submit(ChatRequest(QUESTION)))
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, TemplateFailed)
        assert failed.error.reason == reason
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, last = engine.submit(ChatRequest(QUESTION, max_tokens=2))
        assert isinstance(last, Finished)


def test_while_a_template_runs_its_question_can_be_cancelled_and_the_engine_answers(
    tiny_main: Path, tmp_path: Path
) -> None:
    hostile = with_template(tiny_main, tmp_path / "hostile", ENDLESS)
    with Engine() as engine:
        engine.load(hostile).result(timeout=PATIENCE_S)
        stream = engine.submit(ChatRequest(QUESTION))
        assert engine.status().result(timeout=PATIENCE_S).waiting == 1
        stream.cancel()
        [last] = list(stream)
        assert isinstance(last, Finished)
        assert last.reason == "cancelled"
        waiting = engine.submit(ChatRequest(QUESTION))
        engine.status().result(timeout=PATIENCE_S)
    [failed] = list(waiting)
    assert isinstance(failed, Failed)
    assert failed.error.code == "engine-closed"


def test_a_killed_process_is_replaced(tiny_main: Path) -> None:
    model, process = load(tiny_main), PromptProcess()
    job = PromptJob(QUESTION, 500)
    assert model.prompt_source is not None
    try:
        before = process.start_prompt(model.prompt_source, job).result(PATIENCE_S)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        # It may be gone before the question or only while it is asked.
        after = process.start_prompt(model.prompt_source, job)
        assert after.exception(PATIENCE_S) is None or isinstance(after.exception(), TemplateFailed)
        assert process.start_prompt(model.prompt_source, job).result(PATIENCE_S) == before
    finally:
        process.end()


def test_the_process_imports_neither_qt_nor_mlx() -> None:
    script = (
        "import sys; from engine.prompt_process import worker; worker._tokenizer_loader(); "
        "sys.exit(any(name in sys.modules for name in ('mlx', 'mlx.core', 'PySide6', 'torch')))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=PATIENCE_S)
