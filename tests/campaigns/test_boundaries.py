"""What SECURITY.md says is true: who is told a secret, who gets in, what listens and what connects."""

from __future__ import annotations

import json
import logging
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from app.api.routes import ENDPOINTS
from engine import ChatRequest, Engine, starter_pair
from engine.hub.client import HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.listing import list_files
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.app.cli.terminal import ATTACK, ATTACKED_CHAT, DRAWING, on_a_terminal
from tests.app.cli.terminal import controls as controls_in
from tests.app.free_port import free_port
from tests.engine.hub.downloading import Site, download
from tests.engine.hub.nasty_hub import answer as raw_answer
from tests.engine.tokenizers.marked_prompts import SPECIAL, TEMPLATES, WRITTEN, controls, prompt, tokenizer
from tests.fakehub.server import FakeHub, Fault
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_models import QWEN3, write_model

pytestmark = pytest.mark.campaign
TOKEN, COMMIT = "hf_zanzibar", "0" * 40
HUBS = ("https://hub.test", "http://hub.test", "http://hub.test:81", "https://hub.test/mirror", "https://hub.test:444")
# What follows the address of a Hub, or comes before it, or replaces it, in a redirect or in the link of a next page.
ADDRESSES = (
    "https://evil.test/x", "http://hub.test/x", "https://hub.test/x", "https://hub.test:444/x", "//evil.test/x", "x",
    "https://a.hub.test/x", "https://hub.test.evil.test/x", "https://hub.test@evil.test/x",
    "https://evil.test@hub.test/x", "https://u:p@hub.test/x", "http://hub.test:81/x", ".evil.test/x", "@evil.test/x",
    ":444/x", "evil.test", "-evil.test/x", r"https:\\evil.test/x", r"/\evil.test/x", r"\\evil.test/x",
    "///evil.test/x", "https:///evil.test/x", "https:evil.test", "HTTPS://HUB.TEST/x", "https://hub.test./x",
    "https://hub.test%2eevil.test/x", "https://hub。test/x", "https://[::1]/x", "http://127.0.0.1/x",
    "file:///etc/passwd", "ftp://hub.test/x", "data:,x", "javascript:x", "https://", "", "?x", "#x",
    "https://hub.test#@evil.test/x", "https://hub.test?@evil.test/x", "https://evil.test#hub.test",
    "/..//evil.test/x", "/%2f%2fevil.test", "https://hub.test:443/x", "https://hub.test:0/x",
    "https://hub.test:99999/x", "/mirror@evil.test/x", "/mirror.evil.test/x", "https://hub.test/mirror.evil.test/x",
    "https://hub.test/mirror@evil.test/x", "//@evil.test",
)  # fmt: skip


class Answers:
    """Plays every host there is: its answers lead to other addresses, at random, and it notes who got the token."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.told, self.asked = set[tuple[str, str, int | None]](), 0

    def handle(self, _: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        if TOKEN in str(request.headers.raw) + str(request.url):
            self.told.add((request.url.scheme, request.url.host, request.url.port))
        address = self.source.choice(ADDRESSES).encode()
        if self.source.random() < 0.5:
            return httpx2.Response(self.source.choice((301, 302, 303, 307, 308)), headers=[(b"Location", address)])
        return httpx2.Response(
            200, headers=[(b"Link", b"<" + address + b'>; rel="next"')], stream=httpx2.ByteStream(b"[]")
        )


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    found = Answers(random.Random(7))
    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", lambda *given: found.handle(*given))
    return found


def test_the_token_is_sent_to_the_address_of_the_hub_only(answers: Answers) -> None:
    for hub in HUBS:
        answers.told.clear()
        with HubClient(HubAccess(hub, token=TOKEN)) as client:
            for _ in range(1_000):
                with suppress(HubError):
                    list_files(client, "org/name", COMMIT)
        address = httpx2.URL(hub)
        print(hub, answers.asked, answers.told)
        # An address without encryption may lead to the same one with it.
        assert answers.told <= {(address.scheme, "hub.test", address.port), ("https", "hub.test", None)}
        asked = answers.asked
        with HubClient(HubAccess(hub, token=TOKEN, offline=True)) as client, pytest.raises(HubError):
            list_files(client, "org/name", COMMIT)
        assert answers.asked == asked


class Words:
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
    words = Words(random.Random(5))
    whole = "{{ x }}" + TEMPLATES[template] + "{% for m in messages %}{{ m | tojson }}{% endfor %}"
    chatty = tokenizer(whole)
    expected = controls(chatty, prompt(chatty, **conversation(lambda: "fox", lambda: "fox")))
    for _ in range(400):
        job = conversation(words.text, words.value)
        found = controls(chatty, prompt(chatty, **job))
        # In an answer, only special tokens are not the model's own.
        assert [mark for mark in found if mark in SPECIAL] == [mark for mark in expected if mark in SPECIAL], job


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


ESCAPES = "\x1b]0;PWNED\x07\x9b2J\u202e\x7f"
SPELT = ("&#x202e;", "&#27;[2J", "&#13;", "%1B%5D0;%07", "%E2%80%AE", "\x1b[2J", "\u2066")
FORMS = (
    "<http://a.example/{}>",
    "[a]({})",
    "![a](http://a.example/{})",
    "`{}`",
    "# {}",
    "| {} |\n|---|\n| {} |",
    "> {}",
)
FORMS += (
    "http://a.example/{}",
    "<a@example.org?{}>",
    "```{}\na\n```",
    "[a]: http://a.example/{}\n\n[a]",
    "<b>{}</b>",
    "1. {}",
)


def commands(home: Path) -> list[list[str]]:
    """Return commands that show a stranger's words: names in the cache, of files, and of what the person typed."""
    for name, kind in ((f"na{ESCAPES}me", "qwen3"), ("broken", ESCAPES)):
        folder = home / "huggingface" / "hub" / f"models--org--{name}" / "snapshots" / COMMIT
        write_model(folder, seed=1, config=QWEN3)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"model_type": kind}))
    files = [str(home / f"{ESCAPES}.{ending}") for ending in ("txt", "pdf", "png")]
    for file in files:
        Path(file).write_text(ESCAPES)
    asked = ["chat", "--max-tokens", "2", "Hi"]
    return [
        *(["models", *words] for words in (["list"], ["list", "--json"], ["show", "org/broken"], ["pairs", ESCAPES])),
        *([*asked, "--file", file] for file in files[:2]),
        *(
            [*asked, option, value]
            for option, value in (("--image", files[2]), ("--main", ESCAPES), ("--seed", ESCAPES))
        ),
        *([command, ESCAPES] for command in ("run", "stop", "connect", "bench", "serve", "show", "rm")),
        [ESCAPES],
    ]


def test_no_stranger_writes_control_characters_to_a_terminal(own_home: Path) -> None:
    ran = [on_a_terminal([sys.executable, "-m", "app", *words]) for words in commands(own_home)]
    answer = "\n\n".join(form.replace("{}", spelt) for form in FORMS for spelt in SPELT)
    program = ATTACKED_CHAT.replace(repr(ATTACK), repr(answer))
    ran += [on_a_terminal([sys.executable, "-c", program, "chat", "Hi"], kind) for kind in ("xterm", "dumb")]
    item = {"id": "org/m", "sha": COMMIT, "tags": ["mlx", f"license:{ESCAPES}"], "downloads": 5, "siblings": []}
    with FakeHub() as hub:
        hub.api_faults["/api/models"] = Fault(raw=raw_answer(json.dumps([item], ensure_ascii=False).encode()))
        for words in (
            ["search", "x"],
            ["search", "x", "--json"],
            ["download", f"org/{ESCAPES}"],
            ["download", "org/m"],
        ):
            ran.append(on_a_terminal([sys.executable, "-m", "app", "models", *words, "--endpoint", hub.endpoint]))
    said = [text for _, text in ran]
    print(len(said), "commands,", len(FORMS) * len(SPELT), "texts in the answer")
    assert sum("PWNED" in text for text in said) > 12
    assert [text for text in said if controls_in(DRAWING.sub("", text))] == []


PORT = free_port()
SYSTEM_CALL = re.compile(r"(connect|bind|sendto)\(\d+, .*?sa_family=AF_(INET6?|UNIX)(.*)")
# Commands, what ends their start, and the addresses at which they may listen, and to which they may connect or send.
STARTS: dict[str, tuple[list[str], str, set[str], set[str]]] = {
    "window": ([], "raise", {"socket of the user"}, set()),
    "serve": (["serve", "--port", str(PORT)], "::1", {f"127.0.0.1:{PORT}", f"[::1]:{PORT}"}, set()),
    "list": (["models", "list"], "", set(), set()),
    "chat": (["chat", "--max-tokens", "2", "Hi"], "", set(), set()),
    "ps": (["ps"], "", set(), {"127.0.0.1:8642"}),
    # The first address is of documentation: to find its own, a datagram's socket is bound without sending any.
    "doctor": (["doctor", "--no-speed"], "", set(), {"192.0.2.1:9", "224.0.0.1:9"}),
}


def addresses(trace: str, folder: Path) -> tuple[set[str], set[str]]:
    """Return where the processes of a trace listened, and where they connected or sent to."""
    listened, reached = set[str](), set[str]()
    for call, family, rest in SYSTEM_CALL.findall(trace):
        if family == "UNIX":
            path = rest.partition('sun_path="')[2].partition('"')[0]
            address = "socket of the user" if stat.S_IMODE(Path(path).parent.stat().st_mode) == 0o700 else path
            assert path.startswith(str(folder)) or call != "bind"
        else:
            port = re.search(r"htons\((\d+)\)", rest)
            host = re.search(r"\"([\d.a-f:]+)\"", rest)
            assert port is not None
            assert host is not None
            address = f"[{host[1]}]:{port[1]}" if family == "INET6" else f"{host[1]}:{port[1]}"
        (listened if call == "bind" else reached).add(address)
    return listened, reached


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
@pytest.mark.parametrize("name", STARTS)
def test_only_what_is_said_listens_and_connects(name: str, own_home: Path) -> None:
    words, until, listens, connects = STARTS[name]
    trace, temporary = own_home / "trace", own_home / "tmp"
    temporary.mkdir()
    calls = ["strace", "-f", "-qq", "-e", "trace=connect,bind,sendto", "-e", "signal=none", "-o", str(trace)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [*calls, sys.executable, "-m", "app", *words],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        if until:
            wait_until(lambda: trace.exists() and until in trace.read_text())
            # The library is looked through, and the models are calibrated.
            time.sleep(20)
            ours = psutil.Process(process.pid).children(recursive=True)
            assert {child.rlimit(psutil.RLIMIT_CORE)[0] for child in ours} == {0}
        else:
            process.wait(PATIENCE_S)
        found = addresses(trace.read_text(), temporary)
    finally:
        for child in psutil.Process(process.pid).children(recursive=True) if process.poll() is None else ():
            child.kill()
        process.wait(PATIENCE_S)
    print(name, *found)
    assert found == (listens, connects)


def test_a_link_in_a_shared_cache_leads_no_write_elsewhere(hub: FakeHub, tmp_path: Path) -> None:
    site = Site(hub, tmp_path / "first")

    def downloaded() -> str:
        queue = site.queue()
        try:
            return download(queue).state
        finally:
            queue.close()

    assert downloaded() == "ready"
    places = [path.relative_to(site.cache) for path in site.cache.rglob("*") if path.is_symlink() or not path.is_dir()]
    outcomes = Counter[str]()
    for number, place in enumerate(places):
        for kind in ("file", "nothing"):
            victim = tmp_path / f"victim {number}"
            if kind == "file":
                victim.write_bytes(b"precious")
            site.cache = tmp_path / f"{kind} {number}"
            (site.cache / place).parent.mkdir(parents=True)
            (site.cache / place).symlink_to(victim)
            outcomes[downloaded()] += 1
            assert (victim.read_bytes() if kind == "file" else victim.exists()) in (b"precious", False)
            victim.unlink(missing_ok=True)
    print(dict(outcomes))


@pytest.mark.parametrize("name", ["chat-7", ""])
def test_no_caller_reads_a_chat_by_guessing(name: str) -> None:
    words, source = ("fox", "plan", "sea", "hotel", "summer", "family", "next", "small"), random.Random(9)
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        try:
            cached = []
            for _ in range(20):
                said = [{"role": "user", "content": " ".join(source.choices(words, k=60))}]
                assert [*engine.submit(ChatRequest(said, max_tokens=4, conversation=name))]
                usage = served.chat({"messages": said, "max_tokens": 1})["usage"]
                cached.append(usage["prompt_tokens_details"]["cached_tokens"])
        finally:
            served.close()
    print(cached)
    # What all prompts begin with, and by chance some of the words of an own earlier guess.
    assert max(cached) < 12


SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "object", "properties": {WORD: {"type": "string", "format": WORD}}, "required": [WORD], WORD: WORD},
    {"type": "string", "pattern": f"({WORD})(?=x)"},
    {"$ref": f"#/{WORD}"},
    {"type": WORD},
    {"not": {"const": WORD}},
    {"type": "object", "patternProperties": {f"^{WORD}": {}}, "propertyNames": {"pattern": WORD}},
    {"type": "array", "contains": {"const": WORD}, "uniqueItems": True},
    {"if": {"const": WORD}, "then": {"const": WORD}},
    {"enum": [WORD] * 3},
    {"dependentRequired": {WORD: [WORD]}},
)


def test_no_name_of_a_schema_or_tool_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    for name in ("app", "engine", "transformers"):
        caplog.set_level(logging.INFO, name)
    statuses = Counter[int]()
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        try:
            for schema, name in product(SCHEMAS, (WORD, f'{WORD}"')):
                form = {"type": "json_schema", "json_schema": {"name": WORD, "schema": schema}}
                tools = [{"type": "function", "function": {"name": name, "description": WORD, "parameters": schema}}]
                for asked in ({"response_format": form}, {"tools": tools}, {"tools": tools, "tool_choice": "required"}):
                    body = {"messages": [{"role": "user", "content": WORD}], "max_tokens": 8, **asked}
                    statuses[served.post("/v1/chat/completions", body).status_code] += 1
        finally:
            served.close()
    print(dict(statuses), len(caplog.records), "records")
    assert "the grammar does not check" in caplog.text
    assert WORD not in caplog.text
