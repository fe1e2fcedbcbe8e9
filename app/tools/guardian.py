"""The process between Tandem and a server of tools that runs here: it ends the server, whatever happens to Tandem.

It runs `COMMAND ARGUMENTS` in its own process group and passes on what both sides write. When Tandem closes its end, or
is killed, the server's input is closed, and what is left of the group after a moment is killed. Of the server's output
only the lines with messages are passed on; a line beyond `LONGEST_LINE` ends the server, so that it cannot fill
Tandem's memory. Everything else goes to the standard error, and so does the reason of the end.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# Results may contain pictures; ten times the largest text that a model is given is far below this.
LONGEST_LINE = 8 * 2**20
# Seconds for a server to end when its input is closed, and then when it is asked to. The client of the package `mcp`
# waits two seconds before it kills this process.
ENDING_S, TERMINATING_S = 1.0, 0.5
# The last line on the standard error says why the server has ended.
NOT_STARTED, ENDED, TOO_LARGE = "tandem: not started: ", "tandem: exit code ", "tandem: too large a message"
# Every message of MCP has this member; what lacks it was printed by mistake.
_MESSAGE = b'"jsonrpc"'
_CHUNK = 2**16


def main(command: Sequence[str]) -> None:
    """Run a server until it ends or the standard input does. Ends this process."""
    # The whole group is killed in the end, so it must not be that of the process that started this one.
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    # A handler, because a signal that is ignored would be ignored by the server as well.
    signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path.home())
    except (OSError, ValueError) as error:
        _report(NOT_STARTED + (getattr(error, "strerror", None) or str(error)))
        return
    threading.Thread(target=_pass_input, args=(server,), daemon=True).start()
    try:
        if _pass_output(server):
            _end(server)
            _report(f"{ENDED}{-signal.SIGKILL if server.poll() is None else server.poll()}")
        else:
            _report(TOO_LARGE)
    except OSError:
        # Tandem reads no more.
        _end(server)
    _kill_group()


def _pass_input(server: subprocess.Popen[bytes]) -> None:
    """Pass on the standard input, and end the server at its end."""
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # By another thread: a server that does not read must not hide that Tandem is gone.
    threading.Thread(target=_write_input, args=(server, waiting), daemon=True).start()
    while chunk := os.read(0, _CHUNK):
        waiting.put(chunk)
    waiting.put(b"")
    _end(server)
    _kill_group()


def _write_input(server: subprocess.Popen[bytes], waiting: queue.SimpleQueue[bytes]) -> None:
    assert server.stdin is not None
    with suppress(OSError), server.stdin as given:
        while chunk := waiting.get():
            given.write(chunk)
            given.flush()


def _end(server: subprocess.Popen[bytes]) -> None:
    """Wait until the server has ended by itself, then ask it to."""
    with suppress(subprocess.TimeoutExpired):
        server.wait(ENDING_S)
        return
    # Not allowed if the server has started programs of another user.
    with suppress(PermissionError):
        os.killpg(0, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(TERMINATING_S)


def _kill_group() -> None:
    """Kill what is left of the server, and this process."""
    with suppress(PermissionError):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _pass_output(server: subprocess.Popen[bytes]) -> bool:
    """Pass on the server's messages until its output ends; False if one is too large. Raises OSError."""
    assert server.stdout is not None
    begun = bytearray()
    while chunk := os.read(server.stdout.fileno(), _CHUNK):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            _pass_line(bytes(begun + line + b"\n"))
            begun.clear()
        begun += rest
        if len(begun) > LONGEST_LINE:
            return False
    return True


def _pass_line(line: bytes) -> None:
    descriptor = 1 if _MESSAGE in line else 2
    while line:
        line = line[os.write(descriptor, line) :]


def _report(sentence: str) -> None:
    # The server may have ended in the middle of a line.
    os.write(2, f"\n{sentence}\n".encode())
