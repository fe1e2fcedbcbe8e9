"""A child process that runs Tandem's own code and serves its parent over a channel, without the parent's secrets."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Generic

from engine.wire.channel import Channel
from engine.wire.messages import Codec, Received

_PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {module} import main; main(sys.argv[2:])"
# What Python, the libraries and the system need. Secrets have any names, and are in addresses of proxies, too.
_NEEDED = re.compile(
    r"PATH|HOME|USER|LOGNAME|TMPDIR|TZ|LANG|LANGUAGE|LC_.*|__.*|(PYTHON|LD_|DYLD_|FONTCONFIG_|QT_|OPENBLAS_|OMP_|MLX_).*"
    r"|XDG_(CACHE|CONFIG|DATA)_HOME|COVERAGE_.*|TANDEM_(DEVICE|BACKEND)"
)


def own_program(module: str, bundled: str, *options: str) -> list[str]:
    """Return the command that runs `module.main` with the arguments that follow it, by Python with `options`.

    In an app bundle, which has no interpreter, the bundle's program is started with the option `bundled` instead.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, bundled]
    return [sys.executable, *options, "-c", _PROGRAM.format(module=module), json.dumps(sys.path)]


class Child(Generic[Received]):
    """A process that runs `module.main` with the descriptor of its socket and `arguments`, and ends with its channel.

    `module` and `bundled` are as for `own_program`, `most_unsent` as for `Channel`. Raises `OSError`.
    """

    def __init__(
        self,
        module: str,
        bundled: str,
        arguments: Sequence[str],
        codec: Codec[Received],
        *,
        environment: dict[str, str],
        most_unsent: int,
    ) -> None:
        command = own_program(module, bundled)
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self.process = subprocess.Popen(
                    [*command, str(theirs.fileno()), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={name: value for name, value in os.environ.items() if _NEEDED.fullmatch(name)} | environment,
                    pass_fds=(theirs.fileno(),),
                )
            except OSError:
                ours.close()
                raise
        self.channel: Channel[Received] = Channel(ours, codec, most_unsent=most_unsent)

    def end(self) -> None:
        """Kill the process, and wait until it has ended. May be called twice."""
        self.channel.close()
        self.process.kill()
        self.process.wait()
