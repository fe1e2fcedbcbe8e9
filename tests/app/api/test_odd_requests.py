"""No odd request gets in without the key, is told a path, or is quoted in the log."""

from __future__ import annotations

import json
import logging
import random
import re
from collections import Counter
from typing import Any

import pytest

from app.api.routes import ENDPOINTS
from tests.app.api.conftest import Serve

pytestmark = pytest.mark.campaign
KEY, WORD = "tandem-key-of-serengeti", "zanzibar"
ROUTES = [
    *((one.method.upper(), one.path) for one in ENDPOINTS if not one.path.endswith("/events")),
    *(("GET", path) for path in ("/openapi.json", "/v1/models/x", "/api/v0/models/x", "/v1/nothing", "/proof")),
    ("PATCH", "/v1/models"),
]
INNER = re.compile(r"/(?:work|tmp|root|home|usr|var|private|Users|etc)\b|site-packages|\.py\b|Traceback|line \d+, in")


def odd_body(source: random.Random) -> bytes:
    """Return a body that is nearly right, with a foreign word in each of its texts, or none at all."""
    texts = (WORD, f"/{WORD}/../x", f"{WORD}\x00", f"{WORD}\ud800", WORD * 200, f"data:image/png;base64,{WORD}")

    def value(depth: int) -> Any:
        kind = source.randrange(5 if depth else 3)
        if kind < 2:
            return source.choice(texts)
        if kind == 2:
            return source.choice(
                (None, True, -1, 0, 1, 0.5, 1e308, 2**70, "", "auto", "json", "user", "text", "function")
            )
        if kind == 3:
            return [value(depth - 1) for _ in range(source.randrange(3))]
        return {source.choice(FIELDS): value(depth - 1) for _ in range(source.randrange(4))}

    asked = {"role": source.choice(("user", "system", "tool", "assistant")), "content": value(2)}
    body: Any = {source.choice(FIELDS): value(3) for _ in range(source.randrange(5))}
    body |= {"messages": [asked], "input": value(1), "prompt": WORD, "model": WORD, "max_tokens": 1}
    for name in source.sample(sorted(body), source.randrange(4)):
        body[name] = value(3)
    content = json.dumps(source.choice((body, body, body, value(3)))).encode()
    if source.random() < 0.1:
        content = content[: source.randrange(len(content) + 1)] + source.choice((b"", b"\xff", b"\0", b"[" * 100))
    return content


FIELDS = [
    "messages", "prompt", "input", "model", "draft_model", "tools", "tool_choice", "response_format", "format",
    "stream", "stop", "n", "logprobs", "top_logprobs", "logit_bias", "system", "instructions", "thinking",
    "reasoning", "options", "chat_template_kwargs", "type", "function", "name", "parameters", "schema", "json_schema",
    "content", "text", "images", "image_url", "url", "source", "data", "media_type", "document", "file", "suffix",
    "raw", "template", "context", "tool_calls", "arguments", "id", "tool_call_id", "reasoning_effort", "keep_alive",
    "think", "max_tokens", "temperature", "echo",
]  # fmt: skip


def odd_request(source: random.Random, method: str, path: str) -> tuple[str, str, dict[str, str], bytes]:
    odd = (f"?q={WORD}", "/../../etc/passwd", "/%2e%2e/%2fetc", f"//{WORD}", "%00", "/" * 999)
    path += source.choice(("",) * 24 + odd)
    method = source.choice((method,) * 30 + ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "TRACE"))
    headers = {"content-type": source.choice(("application/json",) * 30 + ("text/plain", "a" * 999, ""))}
    headers |= source.choice(({}, {}, {"accept": WORD}, {"content-encoding": "gzip"}, {"x-forwarded-for": "1.1.1.1"}))
    return method, path, headers, odd_body(source)


def test_no_odd_request_gets_in_or_gets_a_path_or_is_in_the_log(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    source, statuses = random.Random(3), Counter[tuple[bool, int]]()
    served = serve(key=KEY)
    # What the client of this test logs.
    for name in ("httpx2", "httpcore2"):
        caplog.set_level(logging.CRITICAL, name)
    caplog.set_level(logging.DEBUG)
    for method, path in ROUTES:
        for number in range(200):
            with_key = number % 2 == 0
            given = odd_request(source, method, path)
            in_path = with_key and source.random() < 0.3
            headers = given[2] | ({"x-api-key": KEY} if with_key and not in_path else {})
            before = len(served.requests)
            address = served.address + (f"/{KEY}" if in_path else "") + given[1]
            answer = served.client.request(given[0], address, headers=headers, content=given[3])
            statuses[with_key, answer.status_code] += 1
            said = f"{answer.headers.raw}{answer.text}"
            assert not INNER.search(said.replace("/etc", "")), (given, said)
            assert KEY not in said
            if not with_key and path not in ("/health", "/proof"):
                assert answer.status_code in (401, 403)
                assert len(served.requests) == before
            assert answer.status_code != 500, given
    print(dict(statuses))
    assert KEY not in caplog.text
    # It names the kinds of content that were left out.
    others = [one.getMessage() for one in caplog.records if one.name != "app.api.requests.lenient_content"]
    assert others
    assert WORD not in str(others)
