"""A published model, opened from its GGUF file: its text is mlx-lm's, and speculation does not change it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from huggingface_hub import constants
from mlx_lm import load, stream_generate
from mlx_lm.utils import dequantize_model
from transformers import AutoTokenizer

from engine import ChatRequest, Engine, Finished, PrefillProgress, SamplingSettings, SpeculationSettings
from engine.grammars.grammar import Grammar, calls_of
from engine.status import LoadedPair
from tests.patience import PATIENCE_S
from tests.real_model import gguf_file as gguf_file

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("module_as_on_linux")]

TOKENS = 10
PLAIN = SpeculationSettings(method="off")
LOOKUP = SpeculationSettings(method="ngram", depth=4, sample_share=0.0)
DRAFT = SpeculationSettings(method="draft", depth=4, sample_share=0.0)
COPY = (
    "Repeat this text word for word: The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor "
    "jugs. How vexingly quick daft zebras jump."
)
QUESTIONS = (
    "What is the capital of France?", "Say hello.", "Name three colours.", "What is 12 + 7?", COPY,
    "Write a haiku about rain.", "Who wrote Hamlet?", "Translate 'good morning' into French.",
    "What is a prime number?", "Count from 1 to 10.", "Write a Python function that adds.", "Why is the sky blue?",
    "🙂🙂🙂?", "안녕하세요?", "東京はどこですか？", "法国的首都是哪里？", "Answer with one word: yes or no?",
    "List the days of the week.", "Fix this: he go to school.", "   spaces   and\n\nlines   ",
)  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "people": {"type": "integer"}},
    "required": ["city", "people"],
    "additionalProperties": False,
}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]


def chat(*texts: str) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)]


def request(
    *texts: str, speculation: SpeculationSettings = PLAIN, max_tokens: int = TOKENS, **settings: Any
) -> ChatRequest:
    settings = {"sampling": SamplingSettings(temperature=0.0)} | settings
    return ChatRequest(chat(*texts), speculation=speculation, max_tokens=max_tokens, **settings)


def ids(finished: Finished) -> list[int]:
    return list(finished.ids)


@pytest.fixture(scope="module")
def engine(gguf_file: Path, module_as_on_linux: None) -> Iterator[Engine]:  # noqa: ARG001
    with Engine() as engine:
        engine.load(gguf_file).result(PATIENCE_S)
        yield engine


@pytest.fixture(scope="module")
def folder(engine: Engine) -> Path:
    """The folder that was made from the file."""
    [pair] = engine.status().result(PATIENCE_S).resident
    assert pair.main is not None
    return pair.main.path


@pytest.fixture(scope="module")
def ask(engine: Engine) -> Callable[..., Finished]:
    def ask(*texts: str, **settings: Any) -> Finished:
        last = list(engine.submit(request(*texts, **settings)))[-1]
        assert isinstance(last, Finished), last
        return last

    return ask


@pytest.fixture(scope="module")
def mlx_lm(folder: Path) -> tuple[Any, Any]:
    """The model as mlx-lm loads it, with weights in float32 as they are computed here."""
    model, tokenizer = load(str(folder))
    model = dequantize_model(model)
    model.set_dtype(mx.float32)
    return model, tokenizer


@pytest.fixture(scope="module")
def plain(ask: Callable[..., Finished]) -> dict[str, Finished]:
    return {question: ask(question) for question in QUESTIONS}


def test_greedy_text_is_mlx_lm_s(mlx_lm: tuple[Any, Any], plain: dict[str, Finished]) -> None:
    model, tokenizer = mlx_lm
    for question, finished in plain.items():
        prompt = tokenizer.apply_chat_template(chat(question), add_generation_prompt=True)
        theirs = [one.token for one in stream_generate(model, tokenizer, prompt, max_tokens=TOKENS)]
        assert ids(finished) == theirs, question


def test_known_answers(plain: dict[str, Finished]) -> None:
    assert plain["What is the capital of France?"].text == "The capital of France is Paris."
    assert plain["What is the capital of France?"].reason == "stop"


@pytest.mark.parametrize(
    ("speculation", "questions"), [(LOOKUP, QUESTIONS), (SpeculationSettings(), QUESTIONS[::4])], ids=["lookup", "auto"]
)
def test_lookup_changes_no_text(
    speculation: SpeculationSettings,
    questions: tuple[str, ...],
    ask: Callable[..., Finished],
    plain: dict[str, Finished],
) -> None:
    for question in questions:
        assert ids(ask(question, speculation=speculation)) == ids(plain[question]), question


def test_lookup_needs_fewer_passes_for_a_text_that_is_copied(ask: Callable[..., Finished]) -> None:
    stats = ask(COPY, speculation=LOOKUP, max_tokens=40).stats
    assert stats.accepted >= 10
    assert stats.rounds <= stats.generated_tokens - stats.accepted


def test_a_draft_changes_no_text_and_needs_fewer_passes(
    engine: Engine, ask: Callable[..., Finished], folder: Path, plain: dict[str, Finished]
) -> None:
    # A perfect draft: the same model. Not a token of it is rejected but behind the end of an answer.
    pair: LoadedPair = engine.set_draft(folder).result(PATIENCE_S)
    assert pair.draft_problem is None
    for question in QUESTIONS[:6]:
        found = ask(question, speculation=DRAFT)
        assert ids(found) == ids(plain[question]), question
        assert found.stats.rounds <= found.stats.generated_tokens // 5 + 2
    engine.set_draft(None).result(PATIENCE_S)


def test_several_at_once_have_the_texts_that_they_have_alone(engine: Engine, plain: dict[str, Finished]) -> None:
    for first in (0, 4):
        asked = QUESTIONS[first : first + 4]
        streams = [engine.submit(request(question, speculation=LOOKUP)) for question in asked]
        for question, stream in zip(asked, streams, strict=True):
            last = list(stream)[-1]
            assert isinstance(last, Finished)
            assert ids(last) == ids(plain[question]), question


def test_a_reused_prefix_changes_no_text(engine: Engine, ask: Callable[..., Finished]) -> None:
    texts = ["What is the capital of France?"]
    for more in ("And of Spain?", "How many people live there?"):
        texts += [ask(*texts).text, more]
        warm = ask(*texts, speculation=LOOKUP)
        assert warm.stats.cached_tokens > 0
        engine.clear_prefix_cache().result(PATIENCE_S)
        cold = ask(*texts)
        assert (cold.stats.cached_tokens, ids(cold)) == (0, ids(warm))


def test_the_file_is_converted_once_and_opens_again_with_the_same_text(
    gguf_file: Path, folder: Path, plain: dict[str, Finished], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder.parents[2]))
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    with Engine() as again:
        pair = again.load(gguf_file).result(PATIENCE_S)
        assert pair.main is not None
        assert pair.main.path == folder
        for question in QUESTIONS[:3]:
            last = list(again.submit(request(question)))[-1]
            assert isinstance(last, Finished)
            assert ids(last) == ids(plain[question])
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    "grammar",
    [Grammar("json_schema", json.dumps(SCHEMA)), calls_of("json_tools", TOOLS, parallel=False)],
    ids=["schema", "tools"],
)
def test_a_schema_and_tools_hold_and_speculation_changes_no_text(
    grammar: Grammar, ask: Callable[..., Finished]
) -> None:
    question = "Paris has 2100000 people. Give the city and its people as JSON."
    found = ask(question, grammar=grammar, max_tokens=60)
    text = found.text.strip().removeprefix("<tool_call>").removesuffix("</tool_call>")
    content = json.loads(text)
    assert set(content.get("arguments", content)) == {"city", "people"}
    assert ids(ask(question, grammar=grammar, max_tokens=60, speculation=LOOKUP)) == ids(found)


@pytest.mark.parametrize(
    "text", ["The capital of France is Paris.", "한국의 수도는 서울입니다. 🙂", "def f(x):\n    return x\n"]
)
def test_scores_are_mlx_lm_s(text: str, engine: Engine, mlx_lm: tuple[Any, Any]) -> None:
    asked = ChatRequest(prompt=text, prompt_logprobs=True, max_tokens=0)
    parts = [event.read for event in engine.submit(asked) if isinstance(event, PrefillProgress)]
    ours = [token for part in parts for token in part]
    model, tokenizer = mlx_lm
    prompt = tokenizer.encode(text)
    assert [token.id for token in ours] == prompt
    scores = model(mx.array([prompt]))[0].astype(mx.float32)
    theirs = scores - mx.logsumexp(scores, axis=-1, keepdims=True)
    for index, token in enumerate(ours[1:]):
        assert token.logprob == pytest.approx(theirs[index, token.id].item(), abs=1e-3)


def test_an_answer_stops_at_the_end_of_its_turn_without_the_mark(ask: Callable[..., Finished], folder: Path) -> None:
    found = ask("Answer with one word: what colour is the sky?", max_tokens=100)
    assert found.reason == "stop"
    assert "<|" not in found.text
    ends = json.loads((folder / "generation_config.json").read_text())["eos_token_id"]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert {tokenizer.decode([token]) for token in ends} == {"<|im_end|>", "<|endoftext|>"}
