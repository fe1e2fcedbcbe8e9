"""Claude Code, Codex and opencode themselves, if they are installed, with a model that plays scripts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlx_lm.tokenizer_utils import load as load_tokenizer
from tokenizers import Tokenizer

from app.agents.table import APPS, Endpoint
from engine import Engine, starter_pair
from engine.client import RequestStream
from engine.events import Event, Finished, PrefillProgress
from engine.requests import ChatRequest
from engine.stats import RequestStats
from engine.tokenizers.prompts import PromptJob, make_prompt
from tests.app.api.conftest import Serve
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import PLAIN, Script, play
from tests.patience import PATIENCE_S
from tests.tiny_models import QWEN3, TEMPLATE, write_model

pytestmark = pytest.mark.campaign

PATCH = """\
*** Begin Patch
*** Update File: note.txt
@@
-The colour is blue.
+The colour is green.
*** End Patch
"""
# Of each program: what its first question and later ones begin with, and the calls of its tools that read, change and
# show the file.
AGENTS: dict[str, tuple[list[str], list[str], list[tuple[str, dict[str, Any]]]]] = {
    "claude-code": (
        ["--allowedTools=Read,Edit,Bash", "-p"],
        ["--allowedTools=Read,Edit,Bash", "-c", "-p"],
        [
            ("Read", {"file_path": "note.txt"}),
            ("Edit", {"file_path": "note.txt", "old_string": "blue", "new_string": "green"}),
            ("Bash", {"command": "cat note.txt"}),
        ],
    ),
    "codex": (
        ["--dangerously-bypass-approvals-and-sandbox", "exec", "--skip-git-repo-check"],
        ["--dangerously-bypass-approvals-and-sandbox", "exec", "resume", "--last", "--skip-git-repo-check"],
        [
            ("exec_command", {"cmd": "cat note.txt"}),
            ("apply_patch", {"input": PATCH}),
            ("exec_command", {"cmd": "cat note.txt"}),
        ],
    ),
    "opencode": (
        ["run"],
        ["run", "--continue"],
        [
            ("read", {"filePath": "note.txt"}),
            ("edit", {"filePath": "note.txt", "oldString": "blue", "newString": "green"}),
            ("bash", {"command": "cat note.txt", "description": "Shows the note"}),
        ],
    ),
}
QUESTION = "What about the note?"
# Seconds for a prompt, and the words of a call: with the numbers between them, some 5,000 tokens.
READING_S = 400.0
CALL_WORDS = 1000


class ToolUser(ScriptedEngine):
    """Answers the n-th question with the n-th call, and the result of a call with its text."""

    def __init__(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(tool_format="json_tools")
        self.calls = calls

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        *_, last = request.messages
        asked = sum(QUESTION in str(one["content"]) for one in request.messages if one["role"] == "user")
        text = f"Result: {last['content']}"
        if last["role"] != "tool" and asked and request.tools:
            name, arguments = self.calls[asked - 1]
            text = f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
        self.scripts = [Script(text)]
        return super().submit(request, on_event)


class SlowMac(ToolUser):
    """Reads a prompt in 400 s, as an M1 reads one of 20,000 tokens, and writes 12 tokens a second.

    It notes how often it was asked a question with tools, and how many of its answers nobody waited for.
    """

    def __init__(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(calls)
        self.asked = self.left = 0

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        self.asked += bool(request.tools)
        return super().submit(request, on_event)

    def _play(self, script: Script, stream: RequestStream) -> None:
        is_question = bool(stream.request.tools) and stream.request.messages[-1]["role"] != "tool"
        parts = 40 if is_question else 0
        for part in range(parts):
            stream.deliver(PrefillProgress(part * 500, parts * 500))
            if stream.cancel_requested.wait(READING_S / parts):
                break
        for event in play(replace(script, pattern=(PLAIN,), prompt_tokens=parts * 500)):
            if stream.cancel_requested.wait(1 / 12 if is_question else 0):
                self.left += is_question
                stream.deliver(Finished("cancelled", "", (), RequestStats()))
                return
            stream.deliver(event)


def asking(name: str, address: str, folder: Path) -> Callable[[list[str], float], str]:
    """Return what asks a program the question, in a folder and with a time limit (s), and returns what it says."""
    app = APPS[name]
    assert app.run is not None
    if shutil.which(app.run("")[0][0]) is None:
        pytest.skip(f"{app.name} is not installed")
    command, variables = app.run(app.content(Endpoint(address, 200_000)))
    # Nothing of the person's own settings and earlier chats is read.
    home = folder / "home"
    home.mkdir()
    environment = {**os.environ, **variables, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "PWD": str(folder)}
    environment |= {"HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}

    def ask(options: list[str], limit_s: float) -> str:
        done = subprocess.run(
            [*command, *options, QUESTION], env=environment, text=True, stdin=subprocess.DEVNULL, capture_output=True,
            cwd=folder, timeout=limit_s, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return ask


@pytest.mark.parametrize("name", AGENTS)
def test_a_program_waits_for_a_slow_mac_and_asks_once(name: str, tmp_path: Path, serve: Serve) -> None:
    first, _, calls = AGENTS[name]
    tool, arguments = calls[1]
    # The new words of the note, which take as many seconds as the prompt.
    written = " ".join(f"word {number}" for number in range(CALL_WORDS))
    [changed] = [field for field in ("new_string", "newString", "input") if field in arguments]
    longer = arguments[changed].replace("green", f"green {written}")
    calls = [(tool, {**arguments, changed: longer})]
    if name == "claude-code":
        # It changes only what it has read.
        calls = [("Bash", {"command": f"printf '%s' '{longer}' > note.txt"})]
    engine = SlowMac(calls)
    ask = asking(name, serve(engine).address, tmp_path)
    note = tmp_path / "note.txt"
    note.write_text("The colour is blue.\n")
    assert "Result: " in ask(first, 4 * READING_S + CALL_WORDS)
    assert note.read_text().endswith(f"word {CALL_WORDS - 1}" + ".\n" * (name != "claude-code"))
    assert (engine.asked, engine.left) == (2, 0)


@pytest.mark.parametrize("name", AGENTS)
def test_a_program_reads_changes_and_shows_a_file_in_three_turns(name: str, tmp_path: Path, serve: Serve) -> None:
    first, later, calls = AGENTS[name]
    engine = ToolUser(calls)
    ask = asking(name, serve(engine).address, tmp_path)
    note = tmp_path / "note.txt"
    note.write_text("The colour is blue.\n")
    said = [ask(options, PATIENCE_S) for options in (first, later, later)]
    assert note.read_text() == "The colour is green.\n"
    assert "The colour is blue." in said[0]
    assert "The colour is green." in said[2]
    assert all("Result: " in text for text in said)
    # Nothing of the conversation is lost on the way: three questions, and three calls with their results.
    roles = [one["role"] for one in engine.requests[-1].messages]
    assert (roles.count("tool"), roles.count("assistant")) == (3, 5)


TOOLS_FIRST = "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}" + TEMPLATE
SUMMED_UP = {"role": "user", "content": "So far the note was read and changed. Now say what is in it."}


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Callable[[ChatRequest], tuple[list[int], int]]]:
    """Return what reads a request with a random model, and says its tokens and how many of them were not read anew."""
    words = Tokenizer.from_file(str(starter_pair()[0] / "tokenizer.json"))
    folder = write_model(tmp_path / "main", config=QWEN3 | {"max_position_embeddings": 131072}, tokenizer=words)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"chat_template": TOOLS_FIRST}))
    tokenizer = load_tokenizer(folder)
    with Engine() as engine:
        engine.load(folder).result(PATIENCE_S)

        def read(request: ChatRequest) -> tuple[list[int], int]:
            asked = replace(request, max_tokens=1, grammar=None, stop=(), main=None)
            *_, last = engine.submit(asked)
            assert isinstance(last, Finished), last
            job = PromptJob(asked.messages, 131072, asked.max_tokens, tools=asked.tools)
            tokens = make_prompt(tokenizer, job).ids
            assert last.stats.prompt_tokens == len(tokens)
            return tokens, last.stats.cached_tokens

        yield read


def changed(request: ChatRequest) -> dict[str, ChatRequest]:
    """Return a request as it was, summed up, with another line in the middle of its instructions, and dated."""
    instructions, *rest = [dict(message) for message in request.messages]
    lines = str(instructions["content"]).splitlines()
    middle = len(lines) // 2
    other = {**instructions, "content": "\n".join([*lines[:middle], "This line is new.", *lines[middle + 1 :]])}
    dated = {**instructions, "content": f"Today is Tuesday, 2 June.\n{instructions['content']}"}
    messages = {
        "again": request.messages,
        "summed up": [instructions, SUMMED_UP],
        "other line": [other, *rest],
        "dated": [dated, *rest],
        "again after all": request.messages,
    }
    return {name: replace(request, messages=changes) for name, changes in messages.items()}


@pytest.mark.parametrize("name", AGENTS)
def test_what_a_program_really_sends_is_read_once(
    name: str, tmp_path: Path, serve: Serve, reader: Callable[[ChatRequest], tuple[list[int], int]]
) -> None:
    first, later, calls = AGENTS[name]
    engine = ToolUser(calls)
    ask = asking(name, serve(engine).address, tmp_path)
    (tmp_path / "note.txt").write_text("The colour is blue.\n")
    for options in (first, later):
        ask(options, PATIENCE_S)
    sent = [request for request in engine.requests if request.tools]
    assert len(sent) == 4
    before: list[list[int]] = []
    asked = {f"request {number}": request for number, request in enumerate(sent)} | changed(sent[-1])
    for label, request in asked.items():
        tokens, cached = reader(request)
        shared = max((shared_length(tokens, earlier) for earlier in before), default=0)
        print(f"{name}, {label}: {len(tokens)} tokens, {shared} as before, {len(tokens) - cached} read")
        # The last token of a prompt is always read.
        assert cached >= min(shared, len(tokens) - 1)
        before.append(tokens)


def shared_length(first: list[int], second: list[int]) -> int:
    """Return how many tokens two lists have in common before they differ."""
    return next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
