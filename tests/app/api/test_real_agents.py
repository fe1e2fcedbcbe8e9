"""Claude Code and Codex themselves, if they are installed, in three turns with a model that plays scripts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agents.table import APPS, Endpoint
from engine.client import RequestStream
from engine.events import Event
from engine.requests import ChatRequest
from tests.app.api.conftest import Serve
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.patience import PATIENCE_S

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
}
QUESTION = "What about the note?"


class ToolUser(ScriptedEngine):
    """Answers the n-th question with the n-th call, and the result of a call with its text."""

    def __init__(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(tool_format="json_tools")
        self.calls = calls

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        *_, last = request.messages
        asked = sum(QUESTION in str(one["content"]) for one in request.messages if one["role"] == "user")
        text = f"Result: {last['content']}"
        if last["role"] != "tool" and asked:
            name, arguments = self.calls[asked - 1]
            text = f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
        self.scripts = [Script(text)]
        return super().submit(request, on_event)


@pytest.mark.parametrize("name", AGENTS)
def test_a_program_reads_changes_and_shows_a_file_in_three_turns(name: str, tmp_path: Path, serve: Serve) -> None:
    app = APPS[name]
    assert app.run is not None
    if shutil.which(app.run("")[0][0]) is None:
        pytest.skip(f"{app.name} is not installed")
    first, later, calls = AGENTS[name]
    engine = ToolUser(calls)
    command, variables = app.run(app.content(Endpoint(serve(engine).address, 200_000)))
    note = tmp_path / "note.txt"
    note.write_text("The colour is blue.\n")
    environment = {**os.environ, **variables, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "PWD": str(tmp_path)}
    said = []
    for options in (first, later, later):
        done = subprocess.run(
            [*command, *options, QUESTION], env=environment, text=True, stdin=subprocess.DEVNULL, capture_output=True,
            cwd=tmp_path, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert note.read_text() == "The colour is green.\n"
    assert "The colour is blue." in said[0]
    assert "The colour is green." in said[2]
    assert all("Result: " in text for text in said)
    # Nothing of the conversation is lost on the way: three questions, and three calls with their results.
    roles = [one["role"] for one in engine.requests[-1].messages]
    assert (roles.count("tool"), roles.count("assistant")) == (3, 5)
