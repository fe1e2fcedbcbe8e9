from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from huggingface_hub import constants

from app.__main__ import main
from engine import starter_pair
from engine.cluster.checks import check_machines
from engine.computers.hosts import parse_machines
from tests.engine.cluster.families import write_family, write_layers_apart
from tests.fakehub.server import FakeHub, Fault
from tests.patience import PATIENCE_S

TWO = "127.0.0.1,127.0.0.1"
ROOT = Path(__file__).resolve().parents[3]


# Another machine for ssh, though at this one's only address: macOS can bind no other of 127.0.0.0/8.
OTHER = "somebody@127.0.0.1"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An `ssh` that reaches no other machine: it runs the command of its last argument here."""
    script(tmp_path, "ssh", 'for last; do :; done\nexec /bin/sh -c "$last"')
    script(tmp_path, "tandem", f'exec {sys.executable} -m app "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def script(folder: Path, name: str, command: str) -> None:
    """Write a program that runs a shell command."""
    file = folder / "bin" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{command}\n")
    file.chmod(0o755)


def test_a_check_says_of_each_machine_what_it_would_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "check", "--hosts", TWO, "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["host"], row["from"], row["below"]) for row in found] == [
        ("127.0.0.1 (0)", 0, 2),
        ("127.0.0.1 (1)", 2, 4),
    ]
    assert all(row["problem"] == "" and row["versions"]["mlx"] for row in found)
    assert main(["cluster", "check", "--hosts", TWO]) == 0
    assert "127.0.0.1 (0): parts 1 to 2 of every layer" in capsys.readouterr().out


@pytest.mark.usefixtures("ssh")
def test_another_machine_is_asked_over_ssh() -> None:
    here, there = check_machines(parse_machines(OTHER), starter_pair()[0])
    assert (here.problem, there.problem) == (None, None)
    assert there.versions == here.versions
    assert there.round_trip_s is not None
    assert there.bytes_per_s is not None


@pytest.mark.usefixtures("ssh")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("exec /no/such/tandem", "no-tandem"),
        ("echo refused >&2; exit 255", "unreachable"),
        ("echo ssh: No route to host >&2; exit 255", "network-denied"),
    ],
)
def test_what_keeps_a_machine_from_taking_part_is_named(
    command: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "tandem", command)
    monkeypatch.setattr("engine.computers.processes.is_denied", lambda said: "No route" in said)
    _, there = check_machines(parse_machines(OTHER))
    assert there.problem is not None
    assert there.problem.reason == reason
    assert there.problem.host == OTHER


@dataclass
class OnHub:
    """A model of four layers in a file each on a fake Hub, and two machines with empty caches of their own."""

    hub: FakeHub
    names: dict[int, str]
    caches: tuple[Path, Path]
    options: tuple[str, ...]

    def run(self, command: str, split: str) -> int:
        return main(["cluster", command, *self.options, "--split", split])

    @property
    def layers(self) -> list[set[int]]:
        """The layers that each machine has."""
        found = [{path.name for path in cache.glob("*/snapshots/*/*.safetensors")} for cache in self.caches]
        return [{layer for layer, name in self.names.items() if name in files} for files in found]


@pytest.fixture
def on_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ssh: None) -> Iterator[OnHub]:  # noqa: ARG001
    source = write_family("qwen3_moe", tmp_path / "source", 2)
    names = write_layers_apart(source)
    caches = tmp_path / "here", tmp_path / "there"
    with FakeHub() as hub:
        hub.add("org/large", {path.name: path.read_bytes() for path in source.iterdir()})
        there = f"HF_HUB_CACHE={caches[1]} HF_ENDPOINT={hub.endpoint}"
        script(tmp_path, "tandem", f'exec env {there} {sys.executable} -m app "$@"')
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(caches[0]))
        monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
        monkeypatch.setenv("HF_HUB_CACHE", str(caches[0]))
        yield OnHub(hub, names, caches, ("--hosts", OTHER, "--main", "org/large"))


@pytest.mark.full
def test_by_layers_each_machine_downloads_only_what_it_needs(on_hub: OnHub, capsys: pytest.CaptureFixture[str]) -> None:
    assert on_hub.run("download", "pipeline") == 0
    assert on_hub.layers == [{2, 3}, {0, 1}]
    assert f"tandem: {OTHER}: " in capsys.readouterr().err
    assert on_hub.run("check", "pipeline") == 0


@pytest.mark.campaign
def test_what_was_downloaded_for_one_division_is_answered_with_and_completed_for_another(
    on_hub: OnHub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert on_hub.run("download", "pipeline") == 0
    sent = on_hub.hub.bytes_sent("org/large")
    assert on_hub.run("download", "pipeline") == 0
    assert on_hub.hub.bytes_sent("org/large") == sent
    how = ("--json", "--max-tokens", "8", "--temperature", "0", "hello")
    together = answer(["cluster", "run", *on_hub.options, "--split", "pipeline", *how])
    assert on_hub.run("check", "tensor") == 1
    assert "to download" in capsys.readouterr().out
    on_hub.hub.faults["org/large", on_hub.names[2]] = Fault(status=404)
    assert on_hub.run("download", "tensor") == 1
    assert f"{OTHER} could not download the model" in capsys.readouterr().err
    assert answer(["chat", "--main", str(tmp_path / "source"), *how]) == together


def answer(arguments: list[str]) -> str:
    """The text of an answer in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode == 0, ended.stderr
    return str(json.loads(ended.stdout.splitlines()[-1])["text"])


def test_a_list_of_one_machine_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "check", "--hosts", "127.0.0.1"]) == 1
    assert "At least two computers" in capsys.readouterr().err


@pytest.mark.campaign
@pytest.mark.usefixtures("ssh")
def test_a_chat_over_two_machines_ends_when_it_is_terminated() -> None:
    command = [sys.executable, "-m", "app", "cluster", "run", "--hosts", OTHER, "--json"]
    assert answer([*command[3:], "--max-tokens", "5", "hello"])
    with subprocess.Popen([*command, "--lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdin is not None
        assert waiting.stdout is not None
        waiting.stdin.write("hello\n")
        waiting.stdin.flush()
        waiting.stdout.readline()
        waiting.terminate()
        waiting.wait(PATIENCE_S)
