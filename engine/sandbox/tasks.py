"""Which functions a sandbox may run, and the messages by which it gets their arguments and returns their results."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from types import GenericAlias
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from engine.errors import EngineError
from engine.sandbox.errors import LimitExceeded, TaskFailed
from engine.wire.messages import Codec, WireMessage, pack, unpack

Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])

# A context of ten million tokens fits.
_LARGEST_REPLY = 2**27
# The tasks of all modules that were imported, by `name_of`.
TASKS: dict[str, Callable[..., Any]] = {}
# What a sandbox calls before the tasks of a module, by the module's name.
PREPARATIONS: dict[str, Callable[[], object]] = {}

# What a sandbox does with the progress of its tasks: it sends it. Empty in other processes.
PROGRESS_SENDERS: list[Callable[[Progress], object]] = []
# What a sandbox does to have another one run a task: it asks the other end. Empty in other processes.
OTHER_SANDBOXES: list[Callable[[TaskRequest], TaskOutcome]] = []


def task(function: Function) -> Function:
    """Declare a function that a sandbox for its module may run, with arguments and a result of the types that it names.

    Both ends import the module, so the function itself imports what is large.
    """
    TASKS[name_of(function)] = function
    return function


def report_progress(kind: str, done: int, count: int) -> None:
    """Report from a task: `done` of `count` parts of a `kind` are done. Does nothing outside of sandboxes."""
    for send in PROGRESS_SENDERS:
        send(Progress(kind, done, count))


def run_elsewhere(task: partial[Result], seconds: float) -> Result:
    """Run a task in another sandbox, with the access of its module, and return the result. Waits.

    `process.Sandbox` says which sandbox that is. Outside of sandboxes, the task is simply called. It may compute for
    `seconds`, which do not count as seconds of the task that asks. Raises the task's `EngineError`, else a
    `SandboxError`.
    """
    if not OTHER_SANDBOXES:
        return task()
    (run,) = OTHER_SANDBOXES
    outcome = run(request_for(task, seconds))
    if not isinstance(outcome, Done):
        raise error_of(outcome)
    result: Result = unpack(outcome.result, types_of(task.func).result)
    return result


def before_tasks(function: Function) -> Function:
    """Declare what a sandbox for the function's module calls when it starts, before its limits count."""
    PREPARATIONS[function.__module__] = function
    return function


def name_of(function: Callable[..., Any]) -> str:
    """Return the name by which requests name a task."""
    return f"{function.__module__}.{function.__qualname__}"


class TaskTypes(NamedTuple):
    """The type of a task's arguments, a tuple, and the type of its result."""

    arguments: Any
    result: Any


@cache
def types_of(function: Callable[..., Any]) -> TaskTypes:
    """Return the types that a task names."""
    hints = get_type_hints(function)
    result = hints.pop("return")
    return TaskTypes(GenericAlias(tuple, tuple(hints.values())), result)


class TaskRequest(WireMessage, frozen=True):
    """A task, its arguments, and the seconds of computing that it may take."""

    seconds: int
    name: str
    arguments: msgspec.Raw


class Done(WireMessage, frozen=True):
    """The result of the task."""

    result: msgspec.Raw


class Failure(WireMessage, frozen=True):
    """The error that the task raised."""

    message: str
    # Those of an `EngineError`; "" and {} for other errors.
    code: str
    arguments: dict[str, str | int]

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return what is sent of an error: a short message, and arguments that are whole numbers or text."""
        message = sendable(" ".join(str(error).split())[:200] or type(error).__name__)
        if not isinstance(error, EngineError):
            return cls(message, "", {})
        arguments = {
            name: argument if type(argument) is int else sendable(str(argument))
            for name, argument in error.arguments.items()
        }
        return cls(message, error.code, arguments)

    def error(self) -> EngineError | TaskFailed:
        """Return the `EngineError`, else `TaskFailed` with the message."""
        for kind in EngineError.__subclasses__():
            if kind.code == self.code:
                with suppress(TypeError):
                    return kind(**self.arguments)
        return TaskFailed(self.message)


class TooLarge(WireMessage, frozen=True):
    """The task got no more memory."""


class Progress(WireMessage, frozen=True):
    """How far the task is: `done` of `count` of its parts of a `kind`, such as "page". It may be sent many times."""

    kind: str
    done: int
    count: int


# What comes of a task.
TaskOutcome = Done | Failure | TooLarge
# What a sandbox gets: a task, or what came of the one for which it has asked.
ToSandbox = TaskRequest | TaskOutcome
# What it sends: a task is one for another sandbox.
Reply = TaskOutcome | Progress | TaskRequest
REQUESTS: Codec[ToSandbox] = Codec(ToSandbox)
REPLIES: Codec[Reply] = Codec(Reply, largest=_LARGEST_REPLY)


def sendable(text: str) -> str:
    """Replace halves of surrogate pairs, which foreign templates and errors may contain."""
    return text.encode("utf-8", "replace").decode()


def request_for(task: partial[Any], seconds: float) -> TaskRequest:
    """Return the request for a task, given as a function with its arguments in order.

    Raises `TaskFailed` for a text with half of a surrogate pair.
    """
    try:
        return TaskRequest(math.ceil(seconds), name_of(task.func), pack(task.args))
    except UnicodeEncodeError as error:
        raise TaskFailed(str(error)) from error


def error_of(outcome: Failure | TooLarge) -> EngineError | LimitExceeded | TaskFailed:
    """Return what is raised for a task without a result."""
    return outcome.error() if isinstance(outcome, Failure) else LimitExceeded("too-large")
