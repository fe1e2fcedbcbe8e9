from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub import constants

from app.__main__ import main
from engine import starter_pair
from engine.cluster.checks import check_machines
from engine.cluster.hosts import Machine, arranged
from tests.engine.cluster.families import write_family, write_layers_apart
from tests.fakehub.server import FakeHub, Fault
from tests.patience import PATIENCE_S

TWO = "127.0.0.1,127.0.0.1"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An `ssh` that reaches no other machine: it runs the command of its last argument here."""
    script = tmp_path / "bin" / "ssh"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\nfor last; do :; done\nexec /bin/sh -c "$last"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def test_a_check_says_of_each_machine_what_it_would_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "check", "--hosts", TWO, "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["host"], row["from"], row["below"]) for row in found] == [
        ("127.0.0.1 (0)", 0, 2),
        ("127.0.0.1 (1)", 2, 4),
    ]
    assert all(row["problem"] == "" and row["versions"]["mlx"] for row in found)
    assert main(["cluster", "check", "--hosts", TWO]) == 0
    assert "0 to 1" in capsys.readouterr().out


@pytest.mark.usefixtures("ssh")
def test_another_machine_is_asked_over_ssh() -> None:
    machines = arranged(
        [Machine("127.0.0.1", "127.0.0.1"), Machine("other", "127.0.0.1", (sys.executable, "-m", "app"))]
    )
    here, there = check_machines(machines, starter_pair()[0])
    assert (here.problem, there.problem) == (None, None)
    assert there.versions == here.versions
    assert there.round_trip_s is not None
    assert there.bytes_per_s is not None


@pytest.mark.usefixtures("ssh")
@pytest.mark.parametrize(
    ("command", "reason"),
    [(("/no/such/tandem",), "no-tandem"), (("sh", "-c", "echo refused >&2; exit 255"), "unreachable")],
)
def test_what_keeps_a_machine_from_taking_part_is_named(command: tuple[str, ...], reason: str) -> None:
    _, there = check_machines(arranged([Machine("127.0.0.1", "127.0.0.1"), Machine("other", "127.0.0.1", command)]))
    assert there.problem is not None
    assert there.problem.reason == reason
    assert there.problem.host == "other"


@pytest.mark.usefixtures("ssh")
def test_by_layers_each_machine_downloads_only_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_family("qwen3_moe", tmp_path / "source", 2)
    names = write_layers_apart(source)
    caches = tmp_path / "here", tmp_path / "there"
    hosts = tmp_path / "hosts.json"
    with FakeHub() as hub:
        hub.add("org/large", {path.name: path.read_bytes() for path in source.iterdir()})
        command = ["env", f"HF_HUB_CACHE={caches[1]}", f"HF_ENDPOINT={hub.endpoint}", sys.executable, "-m", "app"]
        other = {"ssh": "other", "ips": ["127.0.0.1"], "command": command}
        hosts.write_text(json.dumps([{"ssh": "127.0.0.1", "ips": ["127.0.0.1"]}, other]))
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(caches[0]))
        monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
        options = ["--hosts", str(hosts), "--main", "org/large", "--split", "pipeline"]
        assert main(["cluster", "download", *options]) == 0
        assert main(["cluster", "check", *options]) == 0
        on_hub = hub.bytes_sent("org/large")
        assert main(["cluster", "download", *options]) == 0
        assert hub.bytes_sent("org/large") == on_hub
        present = [{path.name for path in cache.glob("*/snapshots/*/*.safetensors")} for cache in caches]
        assert [{layer for layer in names if names[layer] in found} for found in present] == [{2, 3}, {0, 1}]
        assert "tandem: other: " in capsys.readouterr().err
        # By heads each would need the rest.
        assert main(["cluster", "check", *options[:-1], "tensor"]) == 1
        assert "to download" in capsys.readouterr().out
        hub.faults["org/large", names[2]] = Fault(status=404)
        assert main(["cluster", "download", *options[:-1], "tensor"]) == 1
        assert "other could not download the model" in capsys.readouterr().err


def test_a_list_of_one_machine_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "check", "--hosts", "127.0.0.1"]) == 1
    assert "at least two machines" in capsys.readouterr().err


def test_there_is_nothing_to_stop(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "stop"]) == 1
    assert "no cluster is running" in capsys.readouterr().err


@pytest.mark.campaign
@pytest.mark.usefixtures("ssh")
def test_a_chat_over_two_machines_ends_when_it_is_stopped(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.json"
    other = {"ssh": "other", "ips": ["127.0.0.1"], "command": [sys.executable, "-m", "app"]}
    hosts.write_text(json.dumps([{"ssh": "127.0.0.1", "ips": ["127.0.0.1"]}, other]))
    command = [sys.executable, "-m", "app", "cluster", "run", "--hosts", str(hosts), "--json"]
    asked = subprocess.run(
        [*command, "--max-tokens", "5", "hello"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout.splitlines()[-1])["event"] == "finished"
    with subprocess.Popen([*command, "--lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdin is not None
        assert waiting.stdout is not None
        waiting.stdin.write("hello\n")
        waiting.stdin.flush()
        waiting.stdout.readline()
        assert main(["cluster", "stop"]) == 0
        waiting.wait(PATIENCE_S)
    assert main(["cluster", "stop"]) == 1
