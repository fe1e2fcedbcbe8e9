"""What an agent's earlier requests have read is not read again, however its next one differs from them.

Counted on the starter pair, whose caches can be cut anywhere. Where a prompt differs, all after that is new.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from transformers import AutoTokenizer

from engine import starter_pair
from tests.app.api.serving import Served

RULES = [f"Rule {number}: answer in one short sentence, and name the file number {number}." for number in range(12)]
TASK = {"role": "user", "content": "Read the first file and say what it does."}
FOUND = {"role": "assistant", "content": "It prints a greeting."}
NEXT = {"role": "user", "content": "Now change it."}


def system(*lines: str) -> dict[str, str]:
    return {"role": "system", "content": "\n".join(lines)}


FIRST = [system("Today is Monday, 1 June.", *RULES), TASK]
CHANGES: dict[str, list[dict[str, str]]] = {
    "the same again": FIRST,
    "a further turn": [*FIRST, FOUND, NEXT],
    "compacted": [FIRST[0], {"role": "user", "content": "So far: the first file prints a greeting. Now change it."}],
    "a line in the middle": [system("Today is Monday, 1 June.", *RULES[:6], "Rule 6 is void.", *RULES[7:]), TASK],
    "a date at the front": [system("Today is Tuesday, 2 June.", *RULES), TASK],
}


@pytest.fixture(scope="module")
def prompt_of() -> Callable[[list[dict[str, str]]], list[int]]:
    tokenizer = AutoTokenizer.from_pretrained(starter_pair()[0])
    return partial(tokenizer.apply_chat_template, add_generation_prompt=True, return_dict=False)


def asked(messages: list[dict[str, str]], user: str) -> dict[str, Any]:
    return {"messages": messages, "user": user, "max_tokens": 4, "temperature": 0}


def read_again(usage: dict[str, Any]) -> int:
    return int(usage["prompt_tokens"] - usage["prompt_tokens_details"]["cached_tokens"])


@pytest.mark.full
@pytest.mark.parametrize("change", CHANGES)
def test_no_more_is_read_than_from_the_change_on(
    starter: Served, prompt_of: Callable[[list[dict[str, str]]], list[int]], change: str
) -> None:
    starter.chat(asked(FIRST, change))
    messages = CHANGES[change]
    before, after = prompt_of(FIRST), prompt_of(messages)
    shared = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    usage = starter.chat(asked(messages, change))["usage"]
    assert usage["prompt_tokens"] == len(after)
    # The last token of a prompt is always read, for the first one of the answer.
    assert read_again(usage) <= max(1, len(after) - shared)
    # The earlier text is still there.
    assert read_again(starter.chat(asked(FIRST, change))["usage"]) <= max(1, len(before) - shared)


def test_an_agent_that_leaves_and_returns_reads_nothing_twice(starter: Served) -> None:
    body = asked([system("Today is Friday.", *RULES), TASK], "leaves") | {"max_tokens": 200}
    stream = starter.events("/v1/chat/completions", body)
    next(event for event in stream if event["choices"][0]["delta"].get("content"))
    # Closes the connection.
    stream.close()  # type: ignore[attr-defined]
    assert read_again(starter.chat(body | {"max_tokens": 4})["usage"]) == 1


@pytest.mark.full
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages"])
def test_each_api_says_how_much_was_not_read(starter: Served, path: str) -> None:
    text = "\n".join(RULES)
    body: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "max_tokens": 1, "user": path}
    if path == "/v1/responses":
        body = {"input": text, "max_output_tokens": 1, "user": path}
    starter.post(path, body)
    usage = starter.post(path, body).json()["usage"]
    if path == "/v1/messages":
        assert (usage["input_tokens"], usage["cache_read_input_tokens"] > 100) == (1, True)
        return
    total = usage.get("prompt_tokens", usage.get("input_tokens"))
    details = usage.get("prompt_tokens_details", usage.get("input_tokens_details"))
    assert total - details["cached_tokens"] == 1
