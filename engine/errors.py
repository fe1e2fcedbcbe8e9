"""What can go wrong in the engine, as codes with arguments; front ends word them.

Every error has a `code` (stable, for translation) and `arguments` (what the wording needs). `str(error)` is for logs.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Sequence
from pathlib import Path

log = logging.getLogger(__name__)

# Characters of an unexpected error that are passed on.
_LONGEST_DETAIL = 300
# Why the system refuses a file, by its numbers.
_REFUSALS = {
    **dict.fromkeys((errno.EACCES, errno.EPERM), "forbidden"),
    errno.EROFS: "read-only",
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "full"),
}


class CodedError(Exception):
    """An error with a `code` of its class and `arguments`."""

    code = ""

    def __init__(self, message: str, **arguments: object) -> None:
        super().__init__(message)
        self.arguments = arguments


class EngineError(CodedError):
    """Anything the engine reports to a caller.

    Subclasses set `code` and fill `arguments`; some have a `reason`. `brief` is the message, or without one the values
    of the arguments. Another error may have it as its detail.
    """

    code = "engine"

    def __init__(self, message: str = "", /, **arguments: object) -> None:
        self.brief = message or ", ".join(str(value) for value in arguments.values() if value)
        super().__init__(message or f"{self.code}: {self.brief}", **arguments)


def without_frames(error: BaseException) -> None:
    """Remove the tracebacks of an error and of its causes.

    Their frames refer to the models and caches of the failed request, which would stay in memory with the error.
    """
    current: BaseException | None = error
    while current is not None:
        current.__traceback__ = None
        current = current.__cause__ or current.__context__


def is_device_failure(error: BaseException) -> bool:
    """Whether `error` is MLX's report of a failed GPU, in this evaluation or in a pass that was launched before."""
    return isinstance(error, RuntimeError) and str(error).startswith("[METAL]")


class BadRequest(EngineError):
    """A request with a wrong value: `name` should be `expected`, but is `actual`."""

    code = "bad-request"

    def __init__(self, name: str, expected: str, actual: object) -> None:
        super().__init__(f"{name} must be {expected}, not {actual!r}", name=name, expected=expected, actual=actual)


def require(condition: bool, name: str, expected: str, actual: object) -> None:
    """Raise `BadRequest` unless `condition` holds."""
    if not condition:
        raise BadRequest(name, expected, actual)


def require_between(name: str, value: float, low: float, high: float) -> None:
    """Raise `BadRequest` unless the value called `name` is one from `low` to `high`."""
    require(low <= value <= high, name, f"between {low:g} and {high:g}", value)


def require_one_of(choices: Sequence[str], name: str, value: str) -> None:
    """Raise `BadRequest` unless the value called `name` is one of `choices`."""
    require(value in choices, name, f"one of {', '.join(choices)}", value)


class ModelNotUsable(EngineError):
    """A model folder that cannot be loaded.

    `reason` is one of `REASONS`; `detail` names the file, tensor or architecture concerned.
    """

    code = "model-not-usable"
    REASONS = (
        "missing", "not-a-model", "incomplete", "damaged", "wrong-tensors", "unknown-architecture", "is-head",
        "unknown-head", "no-taps", "wrong-main", "no-base", "wrong-base", "unknown-adapter", "no-tokenizer", "unsafe",
        "vocabulary", "not-finite", "all-zero", "no-room", "disk-full", "not-written", "is-diffusion", "is-embedding",
        "is-ocr", "is-decision", "is-media", "is-part", "vlm-adapter", "no-mlx-vlm", "beyond-limits",
    )  # fmt: skip

    def __init__(self, path: str | Path, reason: str, detail: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.detail = detail
        super().__init__(reason=reason, path=str(path), detail=detail)


class LoadCancelled(EngineError):
    """The caller gave up the loading of a model. The models that were loaded before stay."""

    code = "load-cancelled"


class NoModel(EngineError):
    """A main model is needed and none is loaded."""

    code = "no-model"


class PromptTooLong(EngineError):
    """The conversation has `tokens` tokens and the model's context holds `limit`."""

    code = "prompt-too-long"

    def __init__(self, tokens: int, limit: int) -> None:
        self.tokens = tokens
        self.limit = limit
        super().__init__(tokens=tokens, limit=limit)


class QueueFull(EngineError):
    """`limit` requests are waiting already."""

    code = "queue-full"

    def __init__(self, limit: int) -> None:
        super().__init__(limit=limit)


class NotEnoughMemory(EngineError):
    """`name` needs `needed` bytes for a context of `context` tokens, and `available` may be used.

    `terms` are the summands (code, model, bytes). Three alternatives that would fit, each 0 if it would not:
    `largest_context` tokens, `kv_bits` bits per cache number, a draft model of `draft_bytes`, its caches included.
    `missing` is how many more bytes would be enough.
    """

    code = "not-enough-memory"

    def __init__(
        self,
        name: str,
        needed: int,
        available: int,
        context: int,
        largest_context: int,
        terms: tuple[tuple[str, str, int], ...] = (),
        *,
        kv_bits: int = 0,
        draft_bytes: int = 0,
    ) -> None:
        self.missing = needed - available
        super().__init__(
            name=name,
            needed=needed,
            available=available,
            context=context,
            largest_context=largest_context,
            terms=terms,
            kv_bits=kv_bits,
            draft_bytes=draft_bytes,
        )


class TemplateFailed(EngineError):
    """The model's chat template or tokenizer cannot make a prompt of this conversation.

    `reason` is one of `REASONS`; it is "" if `detail` is the message of the template or the tokenizer.
    """

    code = "template-failed"
    REASONS = ("", "empty", "too-slow", "too-large", "crashed", "pictures")

    def __init__(self, detail: str, reason: str = "") -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(reason=reason, detail=detail)


class GrammarNotUsable(EngineError):
    """The grammar that an answer is to follow cannot be used, or cannot be followed any further.

    `reason` is one of `REASONS`; `detail` is what the library says, or the limit that was exceeded.
    """

    code = "grammar-not-usable"
    REASONS = (
        *("not-json", "not-a-schema", "invalid", "unchecked"),
        *("too-large", "too-slow", "too-complex", "continued", "lost"),
    )

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        super().__init__(reason=reason, detail=detail)


class PictureNotUsable(EngineError):
    """A picture file that cannot be shown to a model.

    `reason` is one of `REASONS`; `detail` is the limit that it exceeds, or what the decoder says.
    """

    code = "picture-not-usable"
    REASONS = (
        "unknown-format", "damaged", "animated", "too-large", "too-many-pixels", "too-narrow", "too-slow",
        "too-slow-together", "too-much-memory", "crashed",
    )  # fmt: skip

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        super().__init__(reason=reason, detail=detail)


class ModelCannotSee(EngineError):
    """The request has pictures, and the main model `name` cannot see.

    `reason` is "cluster" if that is so because it runs on several machines, else "". Then `name` may be "".
    """

    code = "model-cannot-see"

    def __init__(self, name: str, reason: str = "") -> None:
        super().__init__(name=name, reason=reason)


class PicturesNotInstalled(EngineError):
    """mlx-vlm, whose towers read pictures, is not installed; `command` is the step of the README that was left out."""

    code = "pictures-not-installed"
    command = ".venv/bin/pip install -q --no-deps -c packaging/constraints.txt mlx-vlm"


class CannotTeach(EngineError):
    """The drafter in use cannot be taught, or what it was taught cannot be kept.

    `detail` depends on the `reason`: the layer that mlx-lm cannot adapt (architecture), the percentage of answers that
    may be read (too-little), gigabytes (no-memory), the system's message (disk), else "".
    """

    code = "cannot-teach"
    REASONS = (
        "no-draft", "other-tokenizer", "other-engine", "architecture", "too-little", "no-memory", "no-folder", "disk",
        "changed",
    )  # fmt: skip

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        super().__init__(reason=reason, detail=detail)


class DeviceFailed(EngineError):
    """The GPU failed, which ended all answers under way; `detail` is its message.

    If it failed twice in a row, the models were unloaded until the next request, and `unloaded` is the name of the main
    model; else it is "".
    """

    code = "device-failed"

    def __init__(self, detail: str, unloaded: str = "") -> None:
        super().__init__(detail=detail, unloaded=unloaded)


class EngineClosed(EngineError):
    """The engine was closed before or while it served this call."""

    code = "engine-closed"


class InternalFailure(EngineError):
    """A fault of the program or the machine. `detail` is the exception's message; its traceback is in the log."""

    code = "internal"

    def __init__(self, detail: str) -> None:
        super().__init__(detail=detail)


class FileRefused(EngineError):
    """The system does not let Tandem read or write the file or folder `path`, for a `reason` of `REASONS`."""

    code = "file-refused"
    REASONS = ("forbidden", "read-only", "full")

    def __init__(self, reason: str, path: str) -> None:
        self.reason = reason
        self.path = path
        super().__init__(reason=reason, path=path)

    @classmethod
    def of(cls, error: BaseException) -> FileRefused | None:
        """Return what the system's `error` says of a file; None for any other error."""
        if not isinstance(error, OSError) or error.filename is None or error.errno not in _REFUSALS:
            return None
        path = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else str(error.filename)
        return cls(_REFUSALS[error.errno], path)


def as_engine_error(error: BaseException, unloaded: str = "") -> EngineError:
    """Return the error to report for `error`, without its frames, and log what is not foreseen.

    If the device failed, `unloaded` is that of `DeviceFailed`.
    """
    if not isinstance(error, EngineError):
        log.error("a call failed", exc_info=error)
    without_frames(error)
    if isinstance(error, EngineError):
        return error
    if is_device_failure(error):
        return DeviceFailed(str(error), unloaded)
    if (refused := FileRefused.of(error)) is not None:
        return refused
    return InternalFailure(f"{type(error).__name__}: {error}".removesuffix(": ")[:_LONGEST_DETAIL])
