"""Calls within free text are held from their mark on, however its family and its tokenizer write that."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

import numpy as np
import pytest

from engine.call_forms.table import FORMS, call_form
from engine.grammars.calls import opening_of
from engine.grammars.calls_in_text import CallsInText
from engine.grammars.compiling import compile_by_byte
from engine.grammars.constraint import CompiledGrammar, Spelling, Thinking
from engine.grammars.grammar import calls_in_text
from engine.grammars.native import ModelTokens

PROMPT = [1, 2, 3]
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": NOTHING}} for name in ("get", "get_all")]
# After all single bytes.
LONGER = [b"\n<", b"call>\n", b'{"', b'": "', b">x"]
CONTROLS = ["<end>", "<think>", "</think>", "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>"]
CONTROLS += ["<|channel|>", "<|constrain|>", "<|message|>"]
TABLE: list[bytes | None] = [*(bytes([byte]) for byte in range(256)), *LONGER]
NAMES = [*(f"<{token}>" for token in range(len(TABLE))), *CONTROLS]
IDS = {name: NAMES.index(name) for name in CONTROLS}
END, THINK, THOUGHT = (IDS[name] for name in CONTROLS[:3])


def held(form: str, controls: Iterable[str] = (), thinking: Thinking | None = None) -> CallsInText:
    """Return what holds the calls of a model that has these control tokens."""
    marks = {name: IDS[name] for name in controls}
    grammar = calls_in_text(form, TOOLS, parallel=True)
    assert grammar is not None
    table = [*TABLE, *([None] * len(CONTROLS))]
    tokens = ModelTokens(table, NAMES, {END})
    compiled: Future[CompiledGrammar] = Future()
    matcher, bytewise = tokens.compile(grammar.as_lark(marks)), compile_by_byte(grammar.as_lark())
    compiled.set_result(CompiledGrammar(matcher, bytewise, tokens, len(table), frozenset({END}), END, Spelling(tokens)))
    opening = opening_of(grammar.source)
    bytes_of, mark = tokens.tokens.__getitem__, marks.get(opening.mark)
    return CallsInText(lambda: compiled, bytes_of, opening, mark, len(PROMPT), thinking)


def ids(*parts: str | bytes) -> list[int]:
    """Return the tokens of an answer: a control token or a longer token if a part is one, or else its bytes."""
    tokens: list[int] = []
    for part in parts:
        if isinstance(part, bytes):
            tokens.append(256 + LONGER.index(part))
        else:
            tokens += [IDS[part]] if part in IDS else list(part.encode())
    return tokens


def next_bytes(calls: CallsInText, tokens: list[int]) -> str | None:
    """Return the ordinary bytes that may follow an answer; None if it is free there."""
    whole = calls.allowed([*PROMPT, *tokens], [], 1)
    # The same row, with all of the answer still drafted.
    held_anew = CallsInText(
        calls._start_compiling, calls._bytes_of, calls._opening, calls._mark, len(PROMPT), calls._thinking
    )
    drafted = held_anew.allowed(PROMPT, tokens, len(tokens) + 1)
    last = None if drafted is None or drafted[-1].all() else drafted[-1]
    assert (last is None) if whole is None else (last == whole[0]).all()
    return (
        None if whole is None else bytes(int(t) for t in np.flatnonzero(whole[0]) if t < 256).decode(errors="replace")
    )


BEGUN = {
    "one token": ("json_tools", ["<tool_call>"], ["Now: ", "<tool_call>"], "\n"),
    "several tokens": ("json_tools", [], ["Now: ", "<tool_", b"call>\n"], "{"),
    "a token that begins before": ("json_tools", [], ["Now:", b"\n<", "tool_call>"], "\n"),
    "list": ("mistral", ["[TOOL_CALLS]"], ["[TOOL_CALLS]"], "["),
    "harmony": (
        "harmony",
        ["<|channel|>", "<|constrain|>", "<|message|>"],
        ["<|channel|>", "analysis", "<|message|>", "hm", "<|channel|>", "commentary to=functions."],
        "g",
    ),
    "JSON alone": ("llama_json", ["<|python_tag|>"], ["\n", b'{"', "name", b'": "', 'get"'], ","),
    "JSON with a mark": ("llama_json", ["<|python_tag|>"], ["<|python_tag|>"], "\n{"),
    "Python": ("python_list", [], ["[get("], ")"),
    "no other marks": ("deepseek_v4", [], ["So: <｜DSML｜"], "t"),
}


@pytest.mark.parametrize("name", BEGUN)
def test_a_call_is_held_from_its_mark_on(name: str) -> None:
    form, controls, parts, following = BEGUN[name]
    calls, tokens = held(form, controls), ids(*parts)
    assert next_bytes(calls, tokens[:-1]) is None
    assert next_bytes(calls, tokens) == following
    assert len(following) > 1 or calls.forced_text([*PROMPT, *tokens])[0].decode().startswith(following)


FREE = {
    "JSON": ("json_tools", ['{"name": "get", "arguments": {']),
    "half a mark": ("json_tools", ["a <tool_call"]),
    "a mark that goes on otherwise": ("json_tools", ["<tool_call", b">x"]),
    "other JSON": ("llama_json", ['{"name": "getty", "age": 3']),
    "JSON that only has the name": ("llama_json", ['{"name": "Bob", "verb": "get", ']),
    "JSON in the text": ("llama_json", ['Here: {"name": "get", ']),
    "a list": ("python_list", ["[1, 2, get(3"]),
    "a message": ("harmony", ["<|channel|>", "commentary", "<|message|>", "to=functions.get"]),
}


@pytest.mark.parametrize("name", FREE)
def test_other_text_is_free(name: str) -> None:
    form, parts = FREE[name]
    calls, tokens = held(form, ["<|channel|>"]), ids(*parts)
    for end in range(len(tokens) + 1):
        assert next_bytes(calls, tokens[:end]) is None
    assert not calls.holds
    assert calls.accepted_length([*PROMPT, *tokens], [END, 5]) == 2


CALL = ["<tool_call>", '\n{"name": "get", "arguments": {}}\n', "</tool_call>"]


def test_text_is_free_after_a_call_that_ends_and_the_next_call_is_held_again() -> None:
    calls = held("json_tools", ["<tool_call>", "</tool_call>"])
    assert next_bytes(calls, ids(*CALL)) is None
    assert next_bytes(calls, ids(*CALL, "\n", "<tool_call>")) == "\n"
    # In one proposal, too: the rows of both calls are held, and those between are not.
    tokens = ids(*CALL, "! ", *CALL)
    masks = held("json_tools", ["<tool_call>", "</tool_call>"]).allowed(PROMPT, tokens, len(tokens) + 1)
    assert masks is not None
    length = len(ids(*CALL))
    free = [0, length, length + 1, length + 2, 2 * length + 2]
    assert [row for row, mask in enumerate(masks) if mask.all()] == free


def test_a_call_without_an_end_ends_the_answer() -> None:
    calls = held("mistral_args", ["[TOOL_CALLS]", "[ARGS]"])
    tokens = ids("Well. ", "[TOOL_CALLS]", "get", "[ARGS]", "{}")
    masks = calls.allowed([*PROMPT, *tokens], [], 1)
    assert masks is not None
    assert set(np.flatnonzero(masks[0]).tolist()) == {END, IDS["[TOOL_CALLS]"]}
    assert calls.accepted_length([*PROMPT, *tokens], [END]) == 1
    assert (
        held("mistral_args", ["[TOOL_CALLS]", "[ARGS]"]).accepted_length(PROMPT, [*tokens[:-1], END]) == len(tokens) - 1
    )


def test_proposals_end_before_a_token_that_a_call_excludes() -> None:
    calls = held("json_tools", ["<tool_call>", "</tool_call>"])
    assert calls.accepted_length(PROMPT, ids("a", "<tool_call>", "\n{x")) == 4
    assert calls.accepted_length(PROMPT, ids("a", *CALL, "xyz")) == len(ids("a", *CALL, "xyz"))
    # Rejected tokens leave no trace.
    assert next_bytes(calls, ids("b")) is None


@pytest.mark.parametrize("begins", [True, False])
def test_thoughts_have_no_calls(begins: bool) -> None:
    calls = held("json_tools", ["<tool_call>"], Thinking(THOUGHT, THINK if begins else None))
    thoughts = ids(*(["<think>"] if begins else []), *CALL, "<tool_call>")
    assert next_bytes(calls, thoughts) is None
    assert next_bytes(calls, [*thoughts, THOUGHT]) is None
    assert next_bytes(calls, [*thoughts, THOUGHT, *ids("\n", "<tool_call>")]) == "\n"
    if begins:
        other = held("json_tools", ["<tool_call>"], Thinking(THOUGHT, THINK))
        assert next_bytes(other, ids("<tool_call>")) == "\n"


@pytest.mark.parametrize("form", FORMS)
def test_the_grammar_of_every_family_begins_with_its_mark(form: str) -> None:
    grammar = calls_in_text(form, TOOLS, parallel=True)
    assert grammar is not None
    opening = opening_of(grammar.source)
    calls = held(form)
    if opening.mark and not opening.bare:
        assert next_bytes(calls, ids(f"Well. {opening.mark}"))
    else:
        assert call_form(form).begin in ("", "[")
