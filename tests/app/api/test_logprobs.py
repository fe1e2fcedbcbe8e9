"""The tokens that make up an answer's message."""

from __future__ import annotations

import pytest

from app.api.logprobs import MessageTokens
from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from engine.events import Token

CALL = ["<tool", "_call>", '{"name": "f", ', '"arguments": {}}', "</tool", "_call>"]


def message_tokens(texts: list[str], form: str = "") -> tuple[str, list[str]]:
    """The message of an answer of these tokens, and the texts of the tokens that are said to make it."""
    parts, found = AnswerParts(call_form(form) if form else None, [{"function": {"name": "f"}}]), MessageTokens()
    tokens: list[Token] = []
    for index, text in enumerate(texts):
        token = Token(index, text, "", 0, index, -1.0)
        found.add(token)
        if content := parts.add(text).content:
            tokens += found.take(content, parts.held)
    if content := parts.add("", ended=True).content:
        tokens += found.take(content, parts.held)
    return parts.content, [token.text for token in tokens]


@pytest.mark.parametrize(
    ("texts", "form", "expected"),
    [
        (["A", " d", "", "raft", "."], "", ["A", " d", "", "raft", "."]),
        (["<th", "ink>", "\n", "A?", "\n</", "think>", "\n\n", "A", "!"], "", ["A", "!"]),
        (["So", " <", "b", *CALL], "json_tools", ["So", " <", "b"]),
        ([*CALL, "\n", "Done"], "json_tools", ["\n", "Done"]),
        (["a ", "<to", "y>"], "json_tools", ["a ", "<to", "y>"]),
        (["a ", "<to"], "json_tools", ["a ", "<to"]),
        (["<|channel|>final<|message|>", "Four", "<|return|>"], "", ["Four"]),
    ],
)
def test_the_tokens_of_a_message_are_those_of_its_text(texts: list[str], form: str, expected: list[str]) -> None:
    content, tokens = message_tokens(texts, form)
    assert tokens == expected
    assert "".join(tokens) == content


def test_a_token_of_which_a_part_is_held_back_counts_once() -> None:
    assert message_tokens(["x <", "y"], "json_tools") == ("x <y", ["x <", "y"])
