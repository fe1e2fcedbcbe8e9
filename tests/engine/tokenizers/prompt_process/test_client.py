"""The prompt process keeps its limits, is replaced when it exceeds them, and makes the prompts that we would make."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Failed, Finished, starter_pair
from engine.errors import PromptTooLong, TemplateFailed
from engine.main_model.loading import load
from engine.tokenizers.prompt_process.client import PROMPT_PROCESS, WALL_FACTOR, PromptProcess
from engine.tokenizers.prompt_process.protocol import MOST_TOKENIZERS, TokenizerSource
from engine.tokenizers.prompts import Prompt, PromptJob, make_prompt
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
    # Filling the memory may take a loaded machine longer than a prompt may take.
    monkeypatch.setattr("engine.tokenizers.prompt_process.client.PROMPT_S", 1 if reason == "too-slow" else PATIENCE_S)
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


@pytest.fixture
def process() -> Iterator[PromptProcess]:
    process = PromptProcess()
    yield process
    for thread in threading.enumerate():
        if thread.name == "prompt":
            thread.join(PATIENCE_S)
    process.end()


@pytest.fixture
def source(tiny_main: Path) -> TokenizerSource:
    source = load(tiny_main).prompt_source
    assert source is not None
    return source


def ready(process: PromptProcess, source: TokenizerSource) -> int:
    """Have the tokenizer built, and return the process's id."""
    process.build(source, threading.Event())
    assert process.pid is not None
    return process.pid


def test_a_question_whose_process_is_killed_before_or_while_it_is_asked_gets_its_prompt(
    process: PromptProcess, source: TokenizerSource
) -> None:
    job = PromptJob(QUESTION, 500)
    before = process.start_prompt(source, job).result(PATIENCE_S)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    assert process.start_prompt(source, job).result(PATIENCE_S) == before
    # Stopped, it cannot have answered when it is killed.
    os.kill(pid := process.pid, signal.SIGSTOP)
    call = process.start_prompt(source, job)
    time.sleep(0.1)
    assert not call.done()
    os.kill(pid, signal.SIGTERM)
    os.kill(pid, signal.SIGCONT)
    assert call.result(PATIENCE_S) == before
    assert process.pid != pid


def test_a_question_whose_process_is_killed_every_time_fails_with_a_clear_error(
    process: PromptProcess, source: TokenizerSource
) -> None:
    ready(process, source)
    os.kill(process.pid or 0, signal.SIGSTOP)
    call = process.start_prompt(source, PromptJob(QUESTION, 500))
    while not call.done():
        if (pid := process.pid) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    error = call.exception()
    assert isinstance(error, TemplateFailed)
    assert error.reason == "crashed"


def test_a_process_that_computes_nothing_is_stopped_by_the_clock(
    process: PromptProcess, source: TokenizerSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.tokenizers.prompt_process.client.PROMPT_S", 0.2)
    pid = ready(process, source)
    os.kill(pid, signal.SIGSTOP)
    # More than a pipe holds.
    question = [{"role": "user", "content": "fox " * 100_000}]
    error = process.start_prompt(source, PromptJob(question, 500)).exception(PATIENCE_S)
    assert isinstance(error, TemplateFailed)
    assert error.arguments == {"detail": f"{0.2 * WALL_FACTOR:g}", "reason": "too-slow"}
    assert not psutil.pid_exists(pid)


def test_a_call_that_is_given_up_before_its_turn_kills_nothing(process: PromptProcess, source: TokenizerSource) -> None:
    pid = ready(process, source)
    os.kill(pid, signal.SIGSTOP)
    first, second = (process.start_prompt(source, PromptJob(QUESTION, 500)) for _ in range(2))
    second.abandon()
    os.kill(pid, signal.SIGCONT)
    # Whichever came first: the one that is wanted is answered by the process that was there.
    assert first.result(PATIENCE_S).ids
    wait([second], PATIENCE_S)


def test_a_tokenizer_that_had_to_make_room_is_built_again(
    process: PromptProcess, source: TokenizerSource, tiny_main: Path, tmp_path: Path
) -> None:
    job = PromptJob(QUESTION, 500)
    before = process.start_prompt(source, job).result(PATIENCE_S)
    for number in range(MOST_TOKENIZERS):
        copy = Path(shutil.copytree(tiny_main, tmp_path / str(number)))
        ready(process, replace(source, folder=str(copy)))
    assert not process.has(source)
    assert process.start_prompt(source, job).result(PATIENCE_S) == before


def test_the_process_imports_neither_qt_nor_mlx() -> None:
    script = (
        "import sys; from engine.tokenizers.prompt_process import worker; worker._tokenizer_loader(); "
        "sys.exit(any(name in sys.modules for name in ('mlx', 'mlx.core', 'PySide6', 'torch')))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=PATIENCE_S)
