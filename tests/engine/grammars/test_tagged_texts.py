"""Texts with tags in them, between tags: the grammar of calls allows them all, and forces nothing within them."""

from __future__ import annotations

import random
from concurrent.futures import Future

import numpy as np
import pytest

from engine.call_forms.reading import NESTED
from engine.grammars.calls import opening_of
from engine.grammars.calls_in_text import CallsInText
from engine.grammars.compiling import compile_by_byte
from engine.grammars.constraint import CompiledGrammar, Spelling
from engine.grammars.grammar import Grammar, calls_in_text, calls_of
from engine.grammars.native import ModelTokens
from tests.engine.call_forms.tagged_texts import (
    TAGGED,
    TOOLS,
    answer,
    call,
    closing_tags,
    file_of,
    random_text,
    tags,
    texts_that_arrive,
)
from tests.engine.tiers import by_tier


def grammars(form: str) -> list[Grammar]:
    """Return the grammars of an answer that is one call, or calls, or has calls in it."""
    in_text = calls_in_text(form, TOOLS, parallel=True)
    assert in_text is not None
    return [calls_of(form, TOOLS, parallel=False), calls_of(form, TOOLS, parallel=True), in_text]


@pytest.mark.full
@pytest.mark.parametrize("form", TAGGED)
def test_a_text_may_have_any_tags_in_it(form: str) -> None:
    draw = random.Random(3)
    contents = texts_that_arrive(form) + [random_text(form, draw, 200) for _ in range(30)]
    for grammar in grammars(form):
        begun = compile_by_byte(grammar.as_lark())
        for content in contents:
            matcher, text = begun.deep_copy(), file_of(form, content).encode()
            assert matcher.try_consume_tokens(list(text)) == len(text), content
            assert matcher.is_accepting(), content


@pytest.mark.parametrize("form", TAGGED)
def test_nothing_is_forced_after_tags_in_a_text(form: str) -> None:
    whole = file_of(form, "")
    begun = whole[: whole.rindex(tags(form).closing.replace("NAME", "content"))].removesuffix("\n")
    for grammar in grammars(form):
        for tag in closing_tags(form):
            matcher = compile_by_byte(grammar.as_lark())
            text = f"{begun}a {tag}".encode()
            assert matcher.try_consume_tokens(list(text)) == len(text)
            assert matcher.compute_ff_bytes() == b""


@pytest.mark.parametrize("form", TAGGED)
def test_the_next_argument_and_the_next_call_are_held(form: str) -> None:
    first, own = call(form, path="a", content="a </x>"), tags(form)
    begun = answer(form, call(form, path="a", content="x", mode="7")).split("7")[0]
    another = f"{own.start}{first}{own.between}{own.begin.replace('NAME', 'write_file')}"
    _, parallel, in_text = grammars(form)
    for grammar, text, following in ((parallel, begun, "12"), (in_text, begun, "12"), (parallel, another, own.key[:6])):
        matcher = compile_by_byte(grammar.as_lark())
        assert matcher.try_consume_tokens(list(text.encode())) == len(text.encode())
        assert matcher.validate_tokens(list(following.encode())) == len(following.encode())
        assert matcher.validate_tokens(list(b"words")) == 0


CONTROLS = ["<end>", "<tool_call>", "</tool_call>", "｜DSML｜", NESTED, "</minimax:tool_call>"]
TABLE: list[bytes | None] = [bytes([byte]) for byte in range(256)] + [None] * len(CONTROLS)
NAMES = [*(f"<{byte}>" for byte in range(256)), *CONTROLS]
IDS = {name: NAMES.index(name) for name in CONTROLS}


def held(form: str, marks: dict[str, int]) -> CallsInText:
    """Return what holds the calls in the answers of a model that has these control tokens."""
    grammar = calls_in_text(form, TOOLS, parallel=True)
    assert grammar is not None
    tokens, ends, end = ModelTokens(TABLE, NAMES, {IDS["<end>"]}), frozenset({IDS["<end>"]}), IDS["<end>"]
    compiled: Future[CompiledGrammar] = Future()
    matcher, bytewise = tokens.compile(grammar.as_lark(marks)), compile_by_byte(grammar.as_lark())
    compiled.set_result(CompiledGrammar(matcher, bytewise, tokens, len(TABLE), ends, end, Spelling(tokens)))
    opening = opening_of(grammar.source)
    return CallsInText(lambda: compiled, tokens.tokens.__getitem__, opening, marks.get(opening.mark), 0)


def ids(text: str, marks: dict[str, int]) -> list[int]:
    """Return a text in control tokens and bytes."""
    found: list[int] = []
    while text:
        name = next((one for one in marks if text.startswith(one)), text[0])
        found += [marks[name]] if name in marks else list(name.encode())
        text = text[len(name) :]
    return found


def marks_of(form: str) -> dict[str, int]:
    """Return the control tokens in calls of a form."""
    return {name: IDS[name] for name in CONTROLS[1:] if name in file_of(form, "")}


# Models without control tokens spell the marks of every form alike, in bytes.
BYTES = [(form, False) for form in TAGGED if marks_of(form)]
AS_WRITTEN = [(form, True) for form in TAGGED]


@pytest.mark.parametrize(("form", "controls"), by_tier([*AS_WRITTEN, *BYTES], [*AS_WRITTEN[::3], BYTES[0]]))
def test_a_text_in_a_call_of_a_free_answer_may_have_any_tags_in_it(form: str, controls: bool) -> None:
    marks = marks_of(form) if controls else {}
    draw = random.Random(3)
    for content in [*draw.sample(texts_that_arrive(form), 12), *(random_text(form, draw, 120) for _ in range(4))]:
        tokens = ids(f"So: {file_of(form, content)}", marks)
        calls = held(form, marks)
        assert calls.accepted_length([], tokens) == len(tokens), content
        # Token by token, the masks say the same, and the answer may end.
        for at in range(len(tokens) - 40, len(tokens)):
            masks = calls.allowed(tokens[:at], [], 1)
            assert masks is None or masks[0, tokens[at]], content
        masks = calls.allowed(tokens, [], 1)
        assert masks is None or masks[0, IDS["<end>"]], content


def test_another_call_beside_one_with_a_text_is_held() -> None:
    calls = held("qwen3_coder", {})
    whole = file_of("qwen3_coder", "x")
    tokens = list(f"{whole}\n<tool_call>\n<function=write_file>\n".encode())
    masks = calls.allowed(tokens, [], 1)
    assert masks is not None
    assert np.flatnonzero(masks[0]).tolist() == list(b"<")
    prose = list(f"{whole}\nDone.".encode())
    calls = held("qwen3_coder", {})
    masks = calls.allowed(prose, [], 1)
    assert masks is None or masks[0, [*range(128), IDS["<end>"]]].all()
    assert calls.forced_text(prose) == (b"", [])
