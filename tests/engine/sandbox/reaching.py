"""Tasks that try to reach what a sandbox keeps from them. Each returns the error's name, or what it got."""

from __future__ import annotations

import ctypes
import importlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from engine.sandbox.errors import SandboxError
from engine.sandbox.tasks import run_elsewhere, task
from tests.engine.sandbox import starting


def _tried(reach: Callable[[], object]) -> str:
    """Return what `reach` returns as text, or the name of the error that it raises."""
    try:
        return str(reach())
    except OSError as error:
        return type(error).__name__


@task
def connect(family: int, kind: int, host: str, port: int) -> str:
    """Connect a socket to a host, or to a path."""

    def reach() -> None:
        with socket.socket(family, kind) as opened:
            opened.connect((host, port) if port else host)

    return _tried(reach)


@task
def open_socket_by_libc(family: int) -> int:
    """Open a socket as native code does; -1 if that fails."""
    return int(ctypes.CDLL(None).socket(family, socket.SOCK_STREAM, 0))


@task
def read(path: str) -> str:
    """Read a file."""
    return _tried(Path(path).read_text)


@task
def read_by_libc(path: str) -> int:
    """Open a file as native code does; -1 if that fails."""
    return int(ctypes.CDLL(None).open(path.encode(), os.O_RDONLY))


@task
def entries(path: str) -> str:
    """List a folder."""
    return _tried(lambda: os.listdir(path))


@task
def write(path: str) -> str:
    """Write a file."""
    return _tried(lambda: Path(path).write_text("written"))


@task
def make_folder(path: str) -> str:
    """Make a folder."""
    return _tried(lambda: Path(path).mkdir())


@task
def delete(path: str) -> str:
    """Delete a file."""
    return _tried(lambda: Path(path).unlink())


@task
def change_mode(path: str) -> str:
    """Let everybody read and write a file."""
    return _tried(lambda: os.chmod(path, 0o666))


@task
def write_temporary() -> str:
    """Write a temporary file, and return its folder."""
    file = Path(tempfile.mkstemp()[1])
    file.write_text("written")
    return str(file.parent)


@task
def read_through_link(path: str) -> str:
    """Read a file by a link to it."""
    link = Path(tempfile.mkdtemp(), "link")
    link.symlink_to(path)
    return _tried(link.read_text)


@task
def run(program: str) -> str:
    """Start a program by the module for that."""
    return _tried(lambda: subprocess.run([program], check=False).returncode)


@task
def spawn(program: str) -> str:
    """Start a program by `posix_spawn`."""
    return _tried(lambda: os.waitpid(os.posix_spawn(program, [program], {}), 0))


@task
def fork_and_replace(program: str) -> str:
    """Start a program as shells do."""

    def start() -> int:
        process = os.fork()
        if not process:
            try:
                os.execv(program, [program])
            finally:
                os._exit(99)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])

    return _tried(start)


@task
def replace(program: str) -> str:
    """Become another program."""
    return _tried(lambda: os.execv(program, [program]))


@task
def signal_to(process: int) -> str:
    """Look whether a process may be sent signals."""
    return _tried(lambda: os.kill(process, 0))


@task
def import_late(names: list[str]) -> list[str]:
    """Import modules, and return the names of those that have been imported only now."""
    late = [name for name in names if name not in sys.modules]
    for name in names:
        importlib.import_module(name)
    return late


@task
def count_in_thread() -> int:
    """Start a thread, which is no new process."""
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(threading.active_count()))
    thread.start()
    thread.join()
    return found[0]


@task
def start_elsewhere(program: str) -> str:
    """Have another sandbox start a program."""
    return _elsewhere(partial(starting.start, [program]))


@task
def fail_elsewhere() -> str:
    """Have another sandbox run a task that fails."""
    return _elsewhere(partial(starting.fail))


def _elsewhere(wanted: partial[object]) -> str:
    try:
        return str(run_elsewhere(wanted, 1))
    except SandboxError as error:
        return f"{type(error).__name__}: {error}"
