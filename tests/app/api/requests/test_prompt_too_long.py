"""A prompt that is too long is refused in words that programs look for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.app.api.serving import Served

LONG = "Once upon a time. " * 1000
CHAT = {"messages": [{"role": "user", "content": LONG}], "max_tokens": 8}
# What programs search for: Claude Code 2.1.197, opencode 1.18.33, and LiteLLM 1.81.10 in aider 0.86.2.
CLAUDE_CODE = re.compile(r"prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)", re.IGNORECASE)
OPENCODE = re.compile(r"maximum context length is \d+ tokens", re.IGNORECASE)
LITELLM = "this model's maximum context length is"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", CHAT),
        ("/v1/completions", {"prompt": LONG}),
        ("/v1/messages", CHAT),
        ("/v1/responses", {"input": LONG}),
    ],
)
def test_programs_recognise_the_refusal_of_a_prompt_that_is_too_long(
    starter: Served, path: str, body: dict[str, Any], stream: bool
) -> None:
    response = starter.post(path, body | {"stream": stream})
    error = response.json()["error"]
    assert (response.status_code, error["type"]) == (400, "invalid_request_error")
    found = CLAUDE_CODE.search(error["message"])
    assert found is not None, error
    assert int(found[1]) > int(found[2]) == 2048
    assert OPENCODE.search(error["message"])
    assert LITELLM in error["message"].lower()
    # Codex 0.169.0 reads the code.
    assert path == "/v1/messages" or error["code"] == "context_length_exceeded"
