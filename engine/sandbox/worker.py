"""The process of a sandbox: it runs the tasks that a fixed list of modules declares, within limits of the system.

It imports those modules, and what their tasks need. It knows no secrets, and reaches only what `access` says, as far as
the system enforces it. When it exceeds a limit, the system ends it, and the next task starts another.
"""

from __future__ import annotations

import resource
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.sandbox.access import access_of
from engine.sandbox.confinement import confine
from engine.sandbox.tasks import (
    OTHER_SANDBOXES,
    PREPARATIONS,
    PROGRESS_SENDERS,
    REQUESTS,
    TASKS,
    Done,
    Failure,
    Reply,
    TaskOutcome,
    TaskRequest,
    TooLarge,
    ToSandbox,
    types_of,
)
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed, pack, unpack

# On Linux, how many more bytes the process may address than at its start. Elsewhere `process.Sandbox` watches its
# memory.
ADDRESSED_BYTES = 2 * 2**30
# Seconds of computing beyond a task's limit after which the system ends the process. `process.Sandbox` mostly ends it
# before.
_GRACE_S = 2


def main(options: Sequence[str]) -> None:
    """Serve until the other end is gone, or for as many seconds without a task as the second option says.

    The first option is the number of the inherited socket, the third the folder in which files may be written, and the
    others name the modules whose tasks may be run.
    """
    channel = Channel(socket.socket(fileno=int(options[0])), REQUESTS)
    modules = options[3:]
    for module in modules:
        import_module(module)
    confine(access_of(modules), Path(options[2]))
    tasks = _tasks_of(modules)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import psutil

        most = psutil.Process().memory_info().vms + ADDRESSED_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    PROGRESS_SENDERS.append(channel.send)
    OTHER_SANDBOXES.append(partial(_outcome_elsewhere, channel))
    with suppress(ChannelClosed):
        channel.send(Done(pack(None)))
        while isinstance(request := channel.receive(float(options[1])), TaskRequest):
            _limit_time(request.seconds)
            channel.send(_answer(request, tasks))


def _tasks_of(modules: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Prepare for the tasks of some modules, which are imported, and return these, by their names."""
    for module in modules:
        if module in PREPARATIONS:
            PREPARATIONS[module]()
    return {name: function for name, function in TASKS.items() if function.__module__ in modules}


def _limit_time(seconds: int) -> None:
    """Make the system end this process after `seconds` more of computing, even in a call that holds Python's lock."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds + _GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(request: TaskRequest, tasks: Mapping[str, Callable[..., Any]]) -> Reply:
    """Do a task, and return its result, or what kept it from having one."""
    try:
        function = tasks[request.name]
        return Done(pack(function(*unpack(request.arguments, types_of(function).arguments))))
    # What strangers send can make libraries raise anything, also a panic of Rust code.
    except BaseException as error:
        if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
            return TooLarge()
        return Failure.of(error)


def _outcome_elsewhere(channel: Channel[ToSandbox], request: TaskRequest) -> TaskOutcome:
    """Ask the other end to run a task in another sandbox, and return its outcome. Waits. Raises `ChannelClosed`."""
    channel.send(request)
    reply = channel.receive()
    if reply is None or isinstance(reply, TaskRequest):
        raise ChannelClosed("no outcome of a task elsewhere")
    return reply
