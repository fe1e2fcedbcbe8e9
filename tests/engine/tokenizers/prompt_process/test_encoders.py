"""Foreign tokenizers encode in another process, with the same ids, and never hold a round for long."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import ChatRequest, Engine, Finished, SpeculationSettings
from engine.errors import EngineClosed, TemplateFailed
from engine.main_model.loading import load
from engine.tokenizers.prompt_process.client import ENCODE_S, ENCODING_PROCESS, PromptCall, PromptProcess, RemoteEncoder
from engine.tokenizers.prompt_process.protocol import TokenizerSource
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


class FakeProcess:
    """A prompt process whose tokenizer is built once `allowed` is set; `encode` raises `error` if that is given."""

    def __init__(self) -> None:
        self.allowed, self.building = threading.Event(), threading.Event()
        self.built = False
        self.error: TemplateFailed | None = None

    def build(self, _source: TokenizerSource, _abandoned: threading.Event) -> None:
        self.building.set()
        assert self.allowed.wait(PATIENCE_S)
        self.built = True

    def has(self, _source: TokenizerSource) -> bool:
        return self.built

    def encode(self, _source: TokenizerSource, text: str, seconds: float) -> list[int]:
        assert seconds >= ENCODE_S
        if self.error is not None:
            raise self.error
        return [len(text)]


@pytest.mark.expects_log
def test_a_lost_tokenizer_is_built_again_meanwhile_and_one_beyond_a_limit_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = FakeProcess()
    monkeypatch.setattr("engine.tokenizers.prompt_process.client.ENCODING_PROCESS", process)
    encode = RemoteEncoder(TokenizerSource("folder"))
    process.allowed.set()
    assert encode("fox") == [3]
    process.built = False
    process.allowed.clear()
    for _ in range(2):
        with pytest.raises(TemplateFailed, match="being replaced"):
            encode("fox")
    assert process.building.is_set()
    process.allowed.set()
    assert encode._rebuilding is not None
    encode._rebuilding.join()
    assert encode("fox") == [3]
    process.error = TemplateFailed("not running", "crashed")
    with pytest.raises(TemplateFailed):
        encode("fox")
    process.error = TemplateFailed("0.5", "too-slow")
    for _ in range(2):
        with pytest.raises(TemplateFailed, match="longer than"):
            encode("fox")
        process.error = None


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
