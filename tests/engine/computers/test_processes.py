"""Processes of Tandem on other machines: that it is found there, whatever shell and folders that machine has."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.computers.hosts import Machine
from engine.computers.processes import Process, command_on

# A login shell may be any of those that are installed here.
SHELLS = [shell for shell in ("sh", "bash", "zsh", "fish", "tcsh", "csh", "dash") if shutil.which(shell)]
APP = "Applications/Tandem.app/Contents/MacOS/Tandem"
STUDIO = Machine("studio", "192.0.2.7")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home folder on the other machine."""
    folder = tmp_path / "a home"
    folder.mkdir()
    return folder


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A login shell, in which an `ssh` on PATH runs commands as macOS's sshd does, with its environment."""
    shell = str(shutil.which(request.param))
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    environment = f'HOME="{home}" PATH=/usr/bin:/bin:/usr/sbin:/sbin'
    ssh.write_text(f'#!/bin/sh\nfor last; do :; done\nexec env -i {environment} "{shell}" -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    return shell


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("place", [".local/bin/tandem", APP])
def test_tandem_is_found_where_people_install_it(place: str, home: Path) -> None:
    program = home / place
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf \'{"program": "%s", "words": ["%s", "%s", "%s"]}\\n\' "$0" "$@"\n')
    program.chmod(0o755)
    process = Process("studio", command_on(STUDIO, "cluster", "it's here", "$HOME"))
    try:
        assert [*process.messages()] == [{"program": str(program), "words": ["cluster", "it's here", "$HOME"]}]
    finally:
        process.kill()


@pytest.mark.usefixtures("shell")
def test_where_it_is_not_installed_the_shell_says_so() -> None:
    process = Process("studio", command_on(STUDIO, "cluster", "draft"))
    try:
        assert [*process.messages()] == []
        failure = process.failure("ended")
    finally:
        process.kill()
    assert (failure.reason, failure.host) == ("no-tandem", "studio")
    assert "tandem" in failure.detail
