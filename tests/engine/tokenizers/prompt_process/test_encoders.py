"""Foreign tokenizers encode in another process, with the same ids, and never hold a round for long."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Finished, SpeculationSettings
from engine.errors import EngineClosed, TemplateFailed
from engine.main_model.loading import load
from engine.tokenizers.prompt_process.client import ENCODING_PROCESS, PromptCall, PromptProcess, RemoteEncoder
from engine.tokenizers.prompts import local_encoder, render
from tests.engine.asking import QUESTION
from tests.engine.speculation.tokenizers_in_test import byte_level
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model

TEXT = "안녕 the quick 日本語 brown fox 😀"
# Quadratic in the length of a run, but below the limit at which the library gives up.
SLOW = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
HARM = ("a" * 18 + "b ") * 2000

pytestmark = pytest.mark.usefixtures("without_compilation")


@pytest.fixture(autouse=True, scope="module")
def _no_process_left() -> Iterator[None]:
    yield
    ENCODING_PROCESS.end()


@pytest.fixture
def foreign_draft(tmp_path: Path) -> Path:
    return write_model(tmp_path / "draft", seed=8, tokenizer=byte_level(420, True))


@pytest.fixture
def slow_draft(foreign_draft: Path) -> Path:
    file = foreign_draft / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"pre_tokenizer": SLOW}))
    return foreign_draft


def remote(folder: Path) -> RemoteEncoder:
    source = load(folder).prompt_source
    assert source is not None
    return RemoteEncoder(source)


@pytest.mark.full
@pytest.mark.expects_log
def test_a_text_that_takes_too_long_is_the_last_one_for_that_tokenizer(slow_draft: Path) -> None:
    encode = remote(slow_draft)
    assert encode("fox") == local_encoder(load(slow_draft).tokenizer)("fox")
    with pytest.raises(TemplateFailed) as slow:
        encode(HARM)
    assert slow.value.reason == "too-slow"
    with pytest.raises(TemplateFailed):
        encode("fox")
    assert ENCODING_PROCESS.pid is None


@pytest.mark.expects_log
def test_a_process_that_was_killed_is_replaced(foreign_draft: Path) -> None:
    encode, direct = remote(foreign_draft), local_encoder(load(foreign_draft).tokenizer)
    assert encode(TEXT) == direct(TEXT)
    assert ENCODING_PROCESS.pid is not None
    killed = psutil.Process(ENCODING_PROCESS.pid)
    killed.kill()
    killed.wait()
    assert encode(TEXT) == direct(TEXT)


@pytest.mark.full
@pytest.mark.expects_log
def test_a_draft_whose_tokenizer_never_ends_costs_the_answer_nothing_but_its_drafting(
    tiny_main: Path, slow_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.speculation.proposers.draft.ENOUGH_SHARED", 2.0)
    question = [{"role": "user", "content": HARM[:380]}]
    texts = []
    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        for draft in (None, slow_draft):
            assert engine.set_draft(draft).result(timeout=PATIENCE_S).draft_problem is None
            for _ in range(2):
                request = ChatRequest(question, speculation=SpeculationSettings(method="draft"), max_tokens=12)
                *_, last = engine.submit(request)
                assert isinstance(last, Finished), last
                texts.append(last.text)
    assert len(set(texts)) == 1


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
    with pytest.raises(TemplateFailed, match="longer than"):
        main.prompt_ids(QUESTION)
