"""The prompt process keeps the limits of templates, and makes the same prompts as this one."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace
from itertools import product
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Failed, Finished, starter_pair
from engine.errors import EngineClosed, PromptTooLong, TemplateFailed
from engine.main_model.loading import load
from engine.tokenizers import prompt_process
from engine.tokenizers.prompt_process import PROMPT_PROCESS, PromptCall, PromptProcess
from engine.tokenizers.prompts import Prompt, PromptJob, make_prompt, render
from engine.tokenizers.tasks import MOST_TOKENIZERS, TokenizerSource
from tests.engine.serving_requests import QUESTION
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S
from tests.tiny_models import write_disturbed_copy

MESSAGES = (
    {"role": "system", "content": "lazy dog"},
    *({"role": role, "content": "안녕 fox " * 9} for role in ("user", "assistant") * 4),
    {"role": "user", "content": "go 😀 on"},
)
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
LARGE = "{% set n=namespace(a='aaaaaaaa') %}{% for i in range(4) %}{% set n.a=n.a*65536 %}{% endfor %}{{n.a}}"


def with_template(source: Path, folder: Path, template: str) -> Path:
    copy = write_disturbed_copy(source, folder, amount=0.0)
    (copy / "chat_template.jinja").write_text(template)
    return copy


def outcome(make: Callable[[], Prompt]) -> Prompt | dict[str, object]:
    try:
        return make()
    except PromptTooLong as error:
        return error.arguments


@pytest.mark.parametrize(
    ("limit", "overflow"),
    by_tier(product((300, 2000), (None, "shorten")), [(300, None), (300, "shorten"), (2000, None)]),
)
def test_prompts_are_those_that_would_be_made_here(tiny_main: Path, overflow: str | None, limit: int) -> None:
    model = load(tiny_main)
    job, source = PromptJob(MESSAGES, limit, 40, overflow), model.prompt_source
    assert source is not None
    here = outcome(lambda: make_prompt(model.tokenizer, job, with_boundaries=True))
    assert outcome(lambda: PROMPT_PROCESS.start_prompt(source, job).result(PATIENCE_S)) == here
    if sys.platform == "linux":
        loaded = [Path(used.path).parts for used in psutil.Process(PROMPT_PROCESS.pid).memory_maps()]
        assert not any({"mlx", "PySide6", "torch"} & set(parts) for parts in loaded)


def test_the_starter_pair_needs_no_other_process() -> None:
    assert [load(folder).prompt_source for folder in starter_pair()] == [None, None]


@pytest.fixture
def source(tiny_main: Path) -> TokenizerSource:
    source = load(tiny_main).prompt_source
    assert source is not None
    return source


def test_a_call_that_is_given_up_before_its_turn_kills_nothing_and_a_tokenizer_that_had_to_make_room_is_built_again(
    source: TokenizerSource, tiny_main: Path, tmp_path: Path
) -> None:
    process, job = PROMPT_PROCESS, PromptJob(QUESTION, 500)
    before = process.start_prompt(source, job).result(PATIENCE_S)
    pid = process.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    first, second = (process.start_prompt(source, job) for _ in range(2))
    second.abandoned.set()
    os.kill(pid, signal.SIGCONT)
    # Whichever came first, the same process answers the call that is wanted.
    assert first.result(PATIENCE_S) == before
    wait([second], PATIENCE_S)
    for number in range(MOST_TOKENIZERS):
        copy = Path(shutil.copytree(tiny_main, tmp_path / str(number)))
        process.build(replace(source, folder=str(copy)), threading.Event())
    assert process.start_prompt(source, job).result(PATIENCE_S) == before


@pytest.mark.parametrize(("template", "reason"), [(ENDLESS, "too-slow"), (LARGE, "too-large")])
def test_a_template_beyond_the_limits_fails_its_question_and_no_other(
    tiny_main: Path, tmp_path: Path, template: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_process, "PROMPT_S", 0.1)
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
    tiny_main: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = with_template(tiny_main, tmp_path / "hostile", ENDLESS)
    with Engine() as engine:
        with monkeypatch.context() as patch:
            # The load tries the template, too.
            patch.setattr(prompt_process, "PROMPT_S", 0.1)
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


def test_what_waits_for_a_prompt_of_a_stranger_waits_for_the_other_process(
    tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = load(tiny_main)
    assert main.prompt_ids(QUESTION) == render(main.tokenizer, QUESTION)
    call, stops = PromptCall(), iter([False, True])
    monkeypatch.setattr(PromptProcess, "start_prompt", lambda *_: call)
    with pytest.raises(EngineClosed):
        main.prompt_ids(QUESTION, lambda: next(stops))
    assert call.abandoned.is_set()
    call.set_exception(TemplateFailed("0.5", "too-slow"))
    with pytest.raises(TemplateFailed, match="too-slow"):
        main.prompt_ids(QUESTION)
