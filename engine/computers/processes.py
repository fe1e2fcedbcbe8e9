"""Starts processes of Tandem, here or over ssh, and talks to them in lines of JSON. Imports no MLX."""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine
from engine.computers.keeper import ENDING_S
from engine.machine.local_network import is_denied
from engine.machine.program_folders import USUAL_FOLDERS

log = logging.getLogger(__name__)

# ssh uses keys only, so that it asks no question, and gives up on a machine that does not answer.
SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=2",
       "-o", "ServerAliveCountMax=3")  # fmt: skip

_MORE_FOLDERS = ":".join(folder.replace("~", "$HOME", 1) for folder in USUAL_FOLDERS)
_APP = "Applications/Tandem.app/Contents/MacOS/Tandem"
# Runs tandem, or the program of the app. In single quotes every login shell passes it on to sh as it is, also fish and
# csh: it has no single quote, backslash, exclamation mark or end of a line.
_RUN_TANDEM = (
    f'PATH="$PATH:{_MORE_FOLDERS}"; for program in tandem /{_APP} "$HOME/{_APP}"; '
    'do command -v "$program" >/dev/null && exec "$program" "$@"; done; exec tandem "$@"'
)


def command_on(machine: Machine, *arguments: str) -> list[str]:
    """Return the command that runs `tandem ARGUMENTS` on a machine, wherever it is installed there."""
    return [*SSH, machine.name, shlex.join(["/bin/sh", "-c", _RUN_TANDEM, "tandem", *arguments])]


class Process:
    """A process that exchanges JSON objects, one a line. Raises `ClusterError` ("unreachable") if it cannot start.

    A command on another machine ends with its input, so it ends even if this process is killed.
    """

    def __init__(self, label: str, command: Sequence[str]) -> None:
        self.label = label
        self._lock = threading.Lock()
        # The last line that it wrote to its standard error.
        self._words = ""
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise ClusterError("unreachable", label, str(error)) from error
        self._log = threading.Thread(target=self._collect, name=f"process-log-{label}", daemon=True)
        self._log.start()

    def tell(self, message: dict[str, Any]) -> None:
        """Write a message; if the process is gone, only `messages` ends."""
        try:
            with self._lock:
                assert self._process.stdin is not None
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError):
            log.info("%s does not listen", self.label)

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield its messages until it ends, without lines that are no objects."""
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if isinstance(message, dict):
                    yield message

    def failure(self, reason: str) -> ClusterError:
        """Return why it ended early: no connection to the machine, no Tandem there, or else `reason`."""
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            # It may have closed its output before it ends.
            code = self._process.wait(timeout=1.0)
        self._log.join(timeout=1.0)
        if code in (126, 127) or "invalid choice" in self._words:
            return ClusterError("no-tandem", self.label, self._words)
        if code == 255 and is_denied(self._words):
            return ClusterError("network-denied", self.label)
        return ClusterError("unreachable" if code == 255 else reason, self.label, self._words or f"exit code {code}")

    def kill(self) -> None:
        """End the process, and wait until it has ended. May be called twice."""
        with self._lock:
            if self._process.stdin is not None and not self._process.stdin.closed:
                # On another machine, the end of its input ends it.
                with suppress(OSError):
                    self._process.stdin.close()
        try:
            self._process.wait(timeout=ENDING_S + 2.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        self._log.join()

    def _collect(self) -> None:
        """Read its standard error, so that it never has to wait."""
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for raw in lines:
                if line := raw.decode("utf-8", "replace").strip():
                    self._words = line[:200]
                    log.debug("%s: %s", self.label, line)
