"""Downloads on another machine, which is a script here, and the messages that it may write."""

from __future__ import annotations

import errno
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.cluster.checks import HostCheck
from engine.cluster.fetch import fetch_missing
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine, Machines
from engine.computers.processes import Process
from engine.hub.cache_layout import RepositoryCache
from engine.hub.client import HubAccess
from tests.engine.model_files.model_folders import model_files
from tests.fakehub.server import FakeHub

# Writes more than a pipe holds.
COMPLAINS = "import sys; sys.stderr.write('careful\\n' * 40_000); sys.stderr.flush()\n"
DOWNLOADS = f"import json; print(json.dumps({json.dumps({'bytes': 5, 'total': 9})})); print(json.dumps(dict(done=1)))\n"
GIVES_UP = "sys.stderr.write('no space there\\n'); sys.exit(3)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text("{}")
    return tmp_path


def fetch(script: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """Return the progress that a machine reports which runs `script` instead of downloading."""
    monkeypatch.setattr("engine.computers.processes.SSH", (sys.executable, "-c", script))
    machines = Machines((Machine("127.0.0.1", ""), Machine("other", "")))
    said: list[tuple[str, int, int]] = []
    checks = (HostCheck("here"), HostCheck("other", lacks=("model.safetensors",)))
    fetch_missing(machines, checks, repository, on_bytes=lambda *step: said.append(step))
    return said


def test_a_machine_that_complains_at_length_goes_on_downloading(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fetch(COMPLAINS + DOWNLOADS, repository, monkeypatch) == [("other", 5, 9)]


@pytest.mark.parametrize("before_it_is_asked", [False, True])
def test_the_last_words_of_a_machine_that_gives_up_are_told(
    repository: Path, monkeypatch: pytest.MonkeyPatch, before_it_is_asked: bool
) -> None:
    tell = Process.tell

    def told_too_late(process: Process, message: dict[str, Any]) -> None:
        process._process.wait()
        tell(process, message)

    if before_it_is_asked:
        monkeypatch.setattr(Process, "tell", told_too_late)
    with pytest.raises(ClusterError) as caught:
        fetch(("import sys\n" if before_it_is_asked else COMPLAINS) + GIVES_UP, repository, monkeypatch)
    assert (caught.value.reason, caught.value.host, caught.value.detail) == ("no-download", "other", "no space there")


def test_a_full_disk_here_is_told_like_one_elsewhere(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(RepositoryCache, "link", refuse)
    checks = (HostCheck("here", lacks=("model.safetensors",)),)
    with FakeHub() as hub:
        snapshot = repository / "models--org--model" / "snapshots" / hub.add("org/model", model_files()).commit
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").write_text("{}")
        here = HubAccess(hub.endpoint), repository / "cache"
        with pytest.raises(ClusterError) as caught:
            fetch_missing(Machines((Machine("127.0.0.1", ""),)), checks, snapshot, here)
    assert (caught.value.reason, caught.value.host) == ("no-download", "here")
    assert "disk-full" in caught.value.detail
