"""The drafter's process: one draft model on the CPU, on cores of its own where the system lets a process choose.

It ends when its connection does: with the engine, also where that was killed.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx

from engine.async_drafting.channel import Channel, ChannelClosed
from engine.async_drafting.serving import serve
from engine.loading import load

PROCESS_OPTION = "--drafter-process"


def own_cores() -> list[int]:
    """The cores that a drafter keeps to: the last quarter of them, at least one. Empty where that cannot be chosen."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))
    return cores[-max(1, len(cores) // 4) :]


def main(arguments: Sequence[str]) -> None:
    """`arguments`: the number of an inherited socket, and the folder of the draft model."""
    connection = socket.socket(fileno=int(arguments[0]))
    if cores := own_cores():
        os.sched_setaffinity(0, cores)
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(quiet, standard)
    # The other device is the one that verifies.
    mx.set_default_device(mx.cpu)
    # On the CPU, MLX compiles with the system's C++ compiler into files: a Mac may have none, a full disk no room for
    # them, and passes of a draft model were measured to take as long without.
    mx.disable_compile()
    try:
        serve(Channel(connection), lambda: load(Path(arguments[1])))
    except ChannelClosed:
        sys.exit(0)
