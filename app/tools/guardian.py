"""The process between Tandem and a server of tools that runs here: it ends the server, whatever happens to Tandem.

It runs `COMMAND ARGUMENTS`, which inherits its standard input, in the process group that the package `mcp` made for it,
and kills the group when Tandem, the process `PARENT`, is gone or the server has ended. It passes on only those
lines of the server's output that are messages; a line beyond `LONGEST_LINE` ends the server, so that it cannot fill
Tandem's memory. Everything else, and the reason of the end, goes to the standard error. A copy of this process in the
group kills it when this process itself was killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

# Results may contain pictures; ten times the largest text that a model is given is far below this.
LONGEST_LINE = 8 * 2**20
# Seconds for a server to end once its output or Tandem has ended, and between two looks whether Tandem is still there.
ENDING_S = 1.0
# The last line on the standard error begins with this and says why the server has ended.
REPORT = "tandem: "
# The last line after a message of the server that was too long.
TOO_LARGE = "tandem: too large a message"
# Every message of MCP has this member; what lacks it was printed by mistake.
_MESSAGE = b'"jsonrpc"'
_CHUNK = 2**16


def main(arguments: Sequence[str]) -> None:
    """Run a server until it or Tandem ends, then kill this process with its group."""
    parent, *command = arguments
    # The group is asked to end before it is killed; without this process, a server that refuses could outlive Tandem.
    # A handler, unlike SIG_IGN, is not inherited by the server.
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    try:
        _watch_this()
        server = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path.home())
        threading.Thread(target=_follow, args=(int(parent),), daemon=True).start()
        _report(_reason(server) if _pass_output(server) else TOO_LARGE)
    except (OSError, ValueError) as error:
        _report(REPORT + (getattr(error, "strerror", None) or str(error)))
    finally:
        os.killpg(0, signal.SIGKILL)


def _watch_this() -> None:
    """Start the copy. It waits for the end of a pipe whose writing end no other process has."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(writer)
        # Tandem waits for the end of these.
        os.closerange(0, 3)
        os.read(reader, 1)
        os.killpg(0, signal.SIGKILL)


def _follow(parent: int) -> None:
    """Kill the group when the parent has gone and the server, whose input has ended then, had time to end."""
    while os.getppid() == parent:
        time.sleep(ENDING_S)
    time.sleep(ENDING_S)
    os.killpg(0, signal.SIGKILL)


def _pass_output(server: subprocess.Popen[bytes]) -> bool:
    """Pass on the server's messages until its output ends; False if one is too large. Raises OSError."""
    assert server.stdout is not None
    begun = bytearray()
    while chunk := os.read(server.stdout.fileno(), _CHUNK):
        *lines, unended = chunk.split(b"\n")
        for line in lines:
            _pass_line(bytes(begun + line + b"\n"))
            begun.clear()
        begun += unended
        if len(begun) > LONGEST_LINE:
            return False
    return True


def _pass_line(line: bytes) -> None:
    descriptor = 1 if _MESSAGE in line else 2
    while line:
        line = line[os.write(descriptor, line) :]


def _reason(server: subprocess.Popen[bytes]) -> str:
    try:
        return f"{REPORT}exit code {server.wait(ENDING_S)}"
    except subprocess.TimeoutExpired:
        return f"{REPORT}its output has ended"


def _report(sentence: str) -> None:
    # The server may have ended in the middle of a line.
    os.write(2, f"\n{sentence}\n".encode())
