"""No text that is given becomes a control token, in any place of a prompt."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.tokenizers.marked_prompts import SPECIAL, TEMPLATES, WRITTEN, controls, prompt, tokenizer

pytestmark = pytest.mark.campaign


class MarkedTexts:
    """Makes texts of the marks of control tokens, pieces of them and the signs that Tandem puts between them."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        halves = [part for mark in (*SPECIAL, *WRITTEN[2:]) for part in (mark, mark[:4], mark[4:], mark.upper())]
        self._pieces = (
            *halves,
            "\ufdd0",
            "\ufdd2ab\ufdd3",
            "\ufdd2",
            "\ufdd3",
            "system",
            "\n",
            " ",
            '"',
            "\\",
            "{",
            "a",
        )

    def text(self) -> str:
        return "".join(self.source.choices(self._pieces, k=self.source.randint(1, 9)))

    def value(self, depth: int = 3) -> Any:
        kind = self.source.randrange(3 if depth else 1)
        if kind == 0:
            return self.text()
        if kind == 1:
            return [self.value(depth - 1) for _ in range(2)]
        return {self.source.choice(("type", "role", "x", self.text())): self.value(depth - 1) for _ in range(2)}


def conversation(text: Callable[[], str], value: Callable[[], Any]) -> dict[str, Any]:
    """Return a job for a prompt with foreign texts wherever there can be some."""
    call = {"id": text(), "type": "function", "function": {"name": "f", "arguments": {"x": value(), text(): value()}}}
    parts = [{"type": "text", "text": text()}, {"type": "text", "text": text()}]
    messages = [
        {"role": "system", "content": text()},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": text(), "reasoning_content": text(), "tool_calls": [call]},
        {"role": "tool", "content": text(), "tool_call_id": text(), "name": text()},
        {"role": "user", "content": text(), "name": text()},
    ]
    function = {"name": "f", "description": text(), "parameters": {"type": text(), "x": value(), text(): value()}}
    return {"messages": messages, "tools": [{"type": "function", "function": function}], "options": {"x": text()}}


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_text_that_is_given_becomes_a_control_token(template: str) -> None:
    words = MarkedTexts(random.Random(5))
    whole = "{{ x }}" + TEMPLATES[template] + "{% for m in messages %}{{ m | tojson }}{% endfor %}"
    chatty = tokenizer(whole)
    expected = controls(chatty, prompt(chatty, **conversation(lambda: "fox", lambda: "fox")))
    for _ in range(400):
        job = conversation(words.text, words.value)
        found = controls(chatty, prompt(chatty, **job))
        # In an answer, only special tokens are not the model's own.
        assert [mark for mark in found if mark in SPECIAL] == [mark for mark in expected if mark in SPECIAL], job
