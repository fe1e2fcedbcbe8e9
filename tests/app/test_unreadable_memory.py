"""Everything works where psutil cannot read the machine's memory, as on macOS 27."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

from app.__main__ import main
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
# A sitecustomize module, which every Python process imports at its start.
UNREADABLE = """
import psutil
calls, read = [], psutil.virtual_memory
def virtual_memory():
    calls.append(1)
    if len(calls) >= {first}:
        raise {error}("host_statistics64(HOST_VM_INFO64) syscall failed")
    return read()
psutil.virtual_memory = virtual_memory
"""


@pytest.fixture
def unreadable(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error, first = getattr(request, "param", ("RuntimeError", 1))
    (tmp_path / "sitecustomize.py").write_text(UNREADABLE.format(error=error, first=first))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")


def test_a_chat_answers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def virtual_memory() -> NoReturn:
        raise RuntimeError("host_statistics64(HOST_VM_INFO64) syscall failed")

    monkeypatch.setattr(psutil, "virtual_memory", virtual_memory)
    assert main(["chat", "--max-tokens", "8", "What is a draft model?"]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.full
@pytest.mark.usefixtures("unreadable")
@pytest.mark.parametrize(
    ("command", "unreadable"),
    [
        (["chat", "--max-tokens", "8", "What is a draft model?"], ("RuntimeError", 1)),
        (["models", "pairs", "starter/main"], ("RuntimeError", 1)),
        (["cluster", "check", "--hosts", "127.0.0.1,127.0.0.1"], ("RuntimeError", 1)),
        # In the real window.
        (["--self-test"], ("RuntimeError", 1)),
        (["--self-test"], ("OSError", 4)),
    ],
    indirect=["unreadable"],
)
def test_commands_work(command: list[str]) -> None:
    tandem = [sys.executable, "-m", "app", *command]
    done = subprocess.run(tandem, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert done.stdout.strip()


@pytest.mark.full
@pytest.mark.usefixtures("unreadable")
def test_the_local_api_answers() -> None:
    command = [sys.executable, "-m", "app", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split(" at ")[1].split("/v1")[0]
        body = {"messages": [{"role": "user", "content": "What is a draft model?"}], "max_tokens": 2}
        call = urllib.request.Request(
            f"{address}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(call, timeout=PATIENCE_S) as response:
            assert json.load(response)["usage"]["completion_tokens"] == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
