"""`tandem connect`: what it shows, asks and writes, and the program that it starts."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from app.__main__ import main
from app.agents.table import Endpoint, NotProved, declared_endpoint, serving_endpoint
from app.cli.pair_options import own_settings
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from tests.app.api.serving import Served
from tests.app.free_port import free_port
from tests.app.scripted_engine import ScriptedEngine
from tests.patience import PATIENCE_S

Answer = Callable[[str], None]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """What the person types; nothing serves at the port of the settings."""
    SettingsStore(settings_folder() / "settings.json").change(api_port=free_port())
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


@pytest.mark.parametrize("text", ["", "\n", "n\n", "yess\n"])
def test_only_a_yes_writes(text: str, answer: Answer, own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(text)
    assert main(["connect", "zed"]) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert not (own_home / ".config/zed").exists()


def test_it_shows_writes_and_takes_back(answer: Answer, own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = own_home / ".claude/tandem.json"
    assert main(["connect", "claude-code", "--print"]) == 0
    printed = capsys.readouterr().out
    assert "ANTHROPIC_BASE_URL" in printed
    # The starter holds 2,048 tokens.
    assert "Claude Code won't work with this model" in printed
    assert not file.exists()
    answer("y\n")
    assert main(["connect", "claude-code"]) == 0
    printed = capsys.readouterr().out
    assert file.read_text() in printed
    assert f"claude --settings {file}" in printed
    assert main(["connect", "claude-code", "--undo"]) == 0
    assert not file.exists()


def test_what_it_cannot_write_is_shown_to_be_added_by_hand(
    answer: Answer, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer("y\n")
    (own_home / ".config/zed").mkdir(parents=True)
    (own_home / ".config/zed/settings.json").write_text('{"a" 1}')
    assert main(["connect", "zed"]) == 1
    assert "by hand:\n\n{\n" in capsys.readouterr().out
    assert main(["connect", "zed", "--undo"]) == 1
    assert "not connected" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["nope"], ["zed", "--run"], ["aider", "--message"], ["zed", "--run", "--undo"]])
def test_bad_usage_is_exit_code_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        sys.exit(main(["connect", *arguments]))
    assert stop.value.code == 2


def test_a_name_that_is_not_known_leads_to_a_similar_one_or_to_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect", "claude"]) == 2
    assert "Did you mean claude-code?" in capsys.readouterr().err
    assert main(["connect", "nope"]) == 2
    assert "claude-code, codex" in capsys.readouterr().err


def test_a_program_that_is_not_installed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect", "open-webui", "--run"]) == 1
    assert "install Open WebUI first" in capsys.readouterr().err


PROGRAM = """\
import json, os, sys, urllib.request
settings = json.loads(sys.argv[sys.argv.index("--settings") + 1])["env"]
body = {"model": settings["ANTHROPIC_MODEL"], "max_tokens": 4, "messages": [{"role": "user", "content": sys.argv[-1]}]}
headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["ANTHROPIC_AUTH_TOKEN"]}
request = urllib.request.Request(settings["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode(), headers)
print(json.load(urllib.request.urlopen(request, timeout=300))["content"][0]["type"])
"""


CONNECT = ["connect", "claude-code", "--run", "-p", "Hello"]


@pytest.fixture
def installed_program(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SettingsStore(settings_folder() / "settings.json").change(api_network=True, api_port=free_port())
    command = own_home / "bin/claude"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\n{PROGRAM}")
    command.chmod(0o755)
    monkeypatch.setenv("TANDEM_API_KEY", "secret")
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)


@pytest.mark.usefixtures("installed_program")
def test_run_starts_the_program_against_an_api_of_its_own_with_a_key(capfd: pytest.CaptureFixture[str]) -> None:
    code = main(CONNECT)
    out, err = capfd.readouterr()
    assert (code, out) == (0, "text\n"), err
    assert "the local API is off" in err


@pytest.mark.full
@pytest.mark.usefixtures("installed_program")
def test_run_ends_with_the_program() -> None:
    connect = [sys.executable, "-m", "app", *CONNECT]
    done = subprocess.run(connect, text=True, capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, "text\n"), done.stderr
    assert "the local API is off" in done.stderr


class Stranger(BaseHTTPRequestHandler):
    """Another program at the port, which says what Tandem says and keeps what it gets."""

    got: ClassVar[list[str]] = []
    relayed_to = ""

    def do_GET(self) -> None:
        self.got.append(f"{self.path} {self.headers}")
        body = b'{"model": "m", "data": []}'
        if self.relayed_to and self.path.startswith("/proof"):
            with suppress(urllib.error.HTTPError), urllib.request.urlopen(self.relayed_to + self.path) as reply:
                body = reply.read()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    status = 200

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def stranger() -> Iterator[type[Stranger]]:
    """A stranger at the port of the settings."""
    kind = type("Here", (Stranger,), {"got": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        SettingsStore(settings_folder() / "settings.json").change(api_port=server.server_port)
        yield kind
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("arguments", [["--run", "hello"], [], ["--print"]], ids=["run", "write", "print"])
@pytest.mark.parametrize("status", [200, 401])
def test_a_stranger_at_the_port_gets_no_key_and_no_program(
    arguments: list[str], status: int, stranger: type[Stranger], own_home: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    stranger.status = status
    program = own_home / "claude"
    program.write_text(f"#!/bin/sh\ntouch {own_home}/started\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(own_home), prepend=os.pathsep)
    monkeypatch.setenv("TANDEM_API_KEY", "tandem-TOPSECRET")
    assert main(["connect", "claude-code", *arguments]) == 1
    assert "does not prove that it is Tandem with your key, so the key was not sent" in capsys.readouterr().err
    assert stranger.got
    assert "TOPSECRET" not in str(stranger.got)
    assert not (own_home / "started").exists()


def test_a_stranger_cannot_have_tandem_prove_for_it(stranger: type[Stranger]) -> None:
    engine = ScriptedEngine()
    served = Served(engine, key="tandem-TOPSECRET")
    stranger.relayed_to = served.address
    with pytest.raises(NotProved):
        serving_endpoint(declared_endpoint(own_settings()), "tandem-TOPSECRET")
    endpoint = serving_endpoint(Endpoint(served.address), "tandem-TOPSECRET")
    assert endpoint is not None
    assert endpoint.key == "tandem-TOPSECRET"
    with pytest.raises(NotProved):
        serving_endpoint(Endpoint(served.address), "another")
    assert serving_endpoint(Endpoint(served.address), "") == Endpoint(served.address, needs_key=True)
    served.close()
    engine.close()


@pytest.fixture
def claude(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program named `claude`; returns the file into which it writes its settings and its key."""
    wrote = own_home / "started"
    program = own_home / "claude"
    program.write_text(f'#!/bin/sh\necho "$2 key=$ANTHROPIC_AUTH_TOKEN" > {wrote}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(own_home), prepend=os.pathsep)
    return wrote


@pytest.mark.parametrize("given", [None, ""], ids=["no variable", "an empty variable"])
@pytest.mark.parametrize("kept", [None, "tandem-KEPT"], ids=["no keychain", "a keychain"])
def test_a_server_without_a_key_is_used_where_others_have_accounts(
    given: str | None,
    kept: str | None,
    claude: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("app.agents.table.others_have_accounts", lambda: True)
    monkeypatch.setattr("app.api.local_api.kept_key", lambda _keychain: kept)
    monkeypatch.delenv("TANDEM_API_KEY", raising=False)
    if given is not None:
        monkeypatch.setenv("TANDEM_API_KEY", given)
    engine = ScriptedEngine()
    served = Served(engine)
    port = int(served.address.rpartition(":")[2])
    SettingsStore(settings_folder() / "settings.json").change(api_port=port)
    assert main(["connect", "claude-code", "--run", "hello"]) == 0
    assert served.address in claude.read_text()
    assert "KEPT" not in claude.read_text()
    # Another account could serve there: that is said, unless the person has said that there is no key.
    assert ("make sure that it is your own" in capsys.readouterr().err) == (given is None)
    assert main(["ps"]) == 0
    served.close()
    engine.close()


def test_without_a_name_it_shows_what_is_installed_set_up_and_works(
    claude: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert claude.parent == own_home
    (own_home / ".config" / "zed").mkdir(parents=True)
    port = free_port()
    SettingsStore(settings_folder() / "settings.json").change(api_port=port)

    def shown() -> dict[str, list[str]]:
        assert main(["connect"]) == 0
        lines = capsys.readouterr().out.splitlines()
        states.append(lines[-1])
        return {line.split()[0]: line.split()[-3:] for line in lines[1 : lines.index("")]}

    states = list[str]()
    rows = shown()
    assert (rows["claude-code"], rows["zed"]) == (["yes", "no", "no"], ["yes", "no", "no"])
    assert rows["codex"][1:] == ["no", "no"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\ny\n"))
    assert [main(["connect", name]) for name in ("zed", "claude-code")] == [0, 0]
    capsys.readouterr()
    assert shown()["zed"] == ["yes", "yes", "no"]
    engine = ScriptedEngine()
    served = Served(engine, port=port)
    rows = shown()
    # The first request of Claude Code has no room in this model.
    assert (rows["zed"], rows["claude-code"]) == (["yes", "yes", "yes"], ["yes", "yes", "no"])
    assert [state.split(":")[0].split(" at ")[0] for state in states] == [
        *["No local API answers"] * 2,
        "The local API answers",
    ]
    served.close()
    engine.close()


def test_a_server_that_asks_for_a_key_that_nobody_has_is_said(
    claude: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.agents.table.others_have_accounts", lambda: True)
    monkeypatch.setattr("app.api.local_api.kept_key", lambda _keychain: None)
    monkeypatch.delenv("TANDEM_API_KEY", raising=False)
    engine = ScriptedEngine()
    served = Served(engine, key="tandem-TOPSECRET")
    port = int(served.address.rpartition(":")[2])
    SettingsStore(settings_folder() / "settings.json").change(api_port=port)
    assert main(["connect", "claude-code", "--run", "hello"]) == 1
    assert "asks for its key: set TANDEM_API_KEY to it" in capsys.readouterr().err
    monkeypatch.setenv("TANDEM_API_KEY", "tandem-TOPSECRET")
    assert main(["connect", "claude-code", "--run", "hello"]) == 0
    assert "key=tandem-TOPSECRET" in claude.read_text()
    served.close()
    engine.close()


# Of each program: what asks one question and ends.
QUESTIONS = {
    "claude-code": ["-p"],
    "codex": ["exec", "--skip-git-repo-check"],
    "opencode": ["run"],
    "aider": ["--no-check-update", "--analytics-disable", "--no-git", "--yes", "--no-stream", "--message"],
}
# What agents send is longer than the starter's context and nothing that it knows, so it always sees this question. The
# comment says how it would write calls.
ONE_QUESTION = "<|im_start|>user\nWhat is a draft model?<|im_end|>\n<|im_start|>assistant\n{# <tool_call> #}"


@pytest.mark.campaign
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_real_program_shows_the_answer(name: str, tmp_path: Path) -> None:
    if shutil.which({"claude-code": "claude"}.get(name, name)) is None:
        pytest.skip(f"{name} is not installed")
    SettingsStore(settings_folder() / "settings.json").change(api_port=free_port())
    main_model = shutil.copytree("resources/starter/main", tmp_path / "main")
    tokenizer = main_model / "tokenizer_config.json"
    tokenizer.write_text(json.dumps(json.loads(tokenizer.read_text()) | {"chat_template": ONE_QUESTION}))
    connect = [sys.executable, "-m", "app", "connect", name, "--main", str(main_model), "--run", *QUESTIONS[name]]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path.cwd()),
        "PWD": str(tmp_path),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    # opencode reads a question from a pipe, too.
    done = subprocess.run(
        [*connect, "What is a draft model?"],
        env=environment,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=tmp_path,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "A draft model is a small" in " ".join(done.stdout.split())
