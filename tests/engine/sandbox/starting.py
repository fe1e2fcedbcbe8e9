"""Tasks that may start programs."""

from __future__ import annotations

import socket
import subprocess

from engine.sandbox.access import Access, declare_access
from engine.sandbox.tasks import task

declare_access(__name__, Access(programs=True))


@task
def start(command: list[str]) -> int:
    """Run a program, and return its exit code."""
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


@task
def listen(path: str) -> str:
    """Listen at a socket in a folder."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
    return "listens"


@task
def fail() -> None:
    """Fail."""
    raise ValueError("it failed")
