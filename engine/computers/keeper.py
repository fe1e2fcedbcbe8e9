"""Keeps a process that serves another computer from outliving it. Imports no MLX."""

from __future__ import annotations

import os
import select
import subprocess
import threading
from collections.abc import Sequence

# Seconds between two signs of life.
BEAT_S = 1.0
# Seconds without a sign of life after which a process counts as lost.
SILENT_S = 6.0
# Seconds in which a process that is asked to end does so; its keeper and its parent wait a second more each.
ENDING_S = 2.0


def keep(command: Sequence[str]) -> int:
    """Run `command`, pass the input on to it, and kill it, even suspended, if the input falls silent; returns 1.

    If the command ends first, so does this process, with its exit code.
    """
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    given = process.stdin.fileno()
    threading.Thread(target=lambda: os._exit(process.wait() & 0xFF), daemon=True).start()
    try:
        while select.select([0], [], [], SILENT_S)[0]:
            line = os.read(0, 65536)
            if not line:
                break
            os.write(given, line)
        process.stdin.close()
        process.wait(ENDING_S + 1.0)
    except (OSError, subprocess.TimeoutExpired):
        pass
    process.kill()
    process.wait()
    return 1
