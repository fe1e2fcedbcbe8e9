"""`tandem connect`: what it shows, asks and writes, and the program that it starts."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.__main__ import main
from app.agents.table import APPS
from app.conversations.opening import visit_store
from app.settings.store import SettingsStore
from app.system.paths import data_folder, settings_folder
from tests.app.free_port import free_port
from tests.patience import PATIENCE_S

Answer = Callable[[str], None]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """What the person types; nothing serves at the port of the settings."""
    SettingsStore(settings_folder() / "settings.json").change(api_port=free_port())
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_without_a_name_it_lists_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect"]) == 0
    printed = capsys.readouterr().out
    assert all(app.name in printed for app in APPS.values())


@pytest.mark.parametrize("text", ["", "\n", "n\n", "yess\n"])
def test_only_a_yes_writes(text: str, answer: Answer, own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(text)
    assert main(["connect", "zed"]) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert not (own_home / ".config/zed").exists()


def test_it_shows_writes_and_takes_back(answer: Answer, own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = own_home / ".claude/tandem.json"
    assert main(["connect", "claude-code", "--print"]) == 0
    assert "ANTHROPIC_BASE_URL" in capsys.readouterr().out
    assert not file.exists()
    answer("y\n")
    assert main(["connect", "claude-code"]) == 0
    printed = capsys.readouterr().out
    assert file.read_text() in printed
    assert f"claude --settings {file}" in printed
    assert main(["connect", "claude-code", "--undo"]) == 0
    assert not file.exists()


def test_a_refusal_is_a_sentence_with_the_text_to_add(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own_home / ".config/zed").mkdir(parents=True)
    (own_home / ".config/zed/settings.json").write_text('{"a" 1}')
    assert main(["connect", "zed"]) == 1
    err = capsys.readouterr().err
    assert "not JSON in line 1" in err
    assert "openai_compatible" in err


@pytest.mark.parametrize("arguments", [["nope"], ["zed", "--run"], ["aider", "--message"], ["zed", "--run", "--undo"]])
def test_bad_usage_is_exit_code_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        sys.exit(main(["connect", *arguments]))
    assert stop.value.code == 2


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


def test_run_starts_the_program_against_an_api_of_its_own_with_a_key(own_home: Path) -> None:
    SettingsStore(settings_folder() / "settings.json").change(api_asks_key=True, api_port=free_port())
    command = own_home / "bin/claude"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\n{PROGRAM}")
    command.chmod(0o755)
    environment = {
        **os.environ, "TANDEM_API_KEY": "secret", "MLX_DISABLE_COMPILE": "1",
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    connect = [sys.executable, "-m", "app", "connect", "claude-code", "--run", "-p", "Hello"]
    done = subprocess.run(connect, env=environment, text=True, capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, "text\n"), done.stderr
    assert "the local API is off" in done.stderr


# Of each program: what asks one question and ends. opencode asks a small model to go on, again and again.
QUESTIONS = {
    "claude-code": ["-p", "Hello"],
    "codex": ["exec", "--skip-git-repo-check", "Hello"],
    "aider": [
        "--no-check-update",
        "--analytics-disable",
        "--no-git",
        "--yes",
        "--no-stream",
        "--message",
        "/ask Hello",
    ],
}


@pytest.mark.campaign
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_real_program_is_answered(name: str, tmp_path: Path) -> None:
    """With a context of 8,192 tokens, because their instructions alone are longer than the starter's."""
    app = APPS[name]
    assert app.run is not None
    if shutil.which({"claude-code": "claude"}.get(name, name)) is None:
        pytest.skip(f"{app.name} is not installed")
    SettingsStore(settings_folder() / "settings.json").change(api_port=free_port())
    main_model = shutil.copytree(Path("resources/starter/main"), tmp_path / "main")
    for file, changed in {
        "config.json": {"max_position_embeddings": 8192},
        "tokenizer_config.json": {"model_max_length": 8192},
    }.items():
        content = json.loads((main_model / file).read_text()) | changed
        if "chat_template" in content:
            content["chat_template"] += "{# <tool_call> tool_call.name #}"
        (main_model / file).write_text(json.dumps(content))
    command = [sys.executable, "-m", "app", "connect", name, "--main", str(main_model), "--run", *QUESTIONS[name]]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    done = subprocess.run(command, env=environment, text=True, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    with visit_store(data_folder() / "chats.db") as store:
        assert sum(row.generated_tokens for row in store.history.rows()) > 0, done.stdout
