"""What can go wrong in the engine, as types with fields; front ends word them.

Every error has a `code` (stable, for translation) and `arguments` (what the wording needs). `str(error)` is a plain
English sentence for terminals and logs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar


class CodedError(Exception):
    """An error with a `code` of its class and `arguments`."""

    code = ""

    def __init__(self, message: str, **arguments: object) -> None:
        super().__init__(message)
        self.arguments = arguments


class EngineError(CodedError):
    """Anything the engine reports to a caller. Subclasses set `code` and fill `arguments`."""

    code = "engine"


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
    """A request that cannot be served as it stands: `name` should be `expected`, but is `actual`."""

    code = "bad-request"

    def __init__(self, name: str, expected: str, actual: object) -> None:
        super().__init__(f"{name} must be {expected}, not {actual!r}", name=name, expected=expected, actual=actual)


def require(condition: bool, name: str, expected: str, actual: object) -> None:
    """Raise `BadRequest` unless `condition` holds."""
    if not condition:
        raise BadRequest(name, expected, actual)


def require_between(low: float, name: str, value: float, high: float) -> None:
    """Raise `BadRequest` unless the value called `name` is one from `low` to `high`."""
    require(low <= value <= high, name, f"between {low:g} and {high:g}", value)


def require_one_of(choices: Sequence[str], name: str, value: str) -> None:
    """Raise `BadRequest` unless the value called `name` is one of `choices`."""
    require(value in choices, name, f"one of {', '.join(choices)}", value)


class ModelNotUsable(EngineError):
    """A model folder that cannot be loaded.

    `reason` is a key of `REASONS`; `detail` names the file, tensor or architecture concerned.
    """

    code = "model-not-usable"

    REASONS: ClassVar[dict[str, str]] = {
        "missing": "there is no such folder",
        "not-a-model": "the folder has no config.json, so it is not a model",
        "incomplete": "{detail} is missing: the download or copy did not finish",
        "damaged": "{detail} cannot be read: the file is damaged",
        "wrong-tensors": "the weights do not fit the configuration ({detail})",
        "unknown-architecture": "its architecture {detail} is not known to the installed mlx-lm",
        "is-head": "it is a head ({detail}): it drafts for one main model and cannot answer by itself",
        "unknown-head": "Tandem cannot run heads of its kind yet ({detail})",
        "no-taps": "the layers of the main model cannot be read ({detail})",
        "wrong-main": "it was made for another main model ({detail})",
        "no-base": "its main model {detail} is not on this machine",
        "wrong-base": "it was made for another main model ({detail})",
        "unknown-adapter": "Tandem cannot apply adapters of its kind ({detail})",
        "no-tokenizer": "its tokenizer cannot be read ({detail})",
        "unsafe": "it would run code or read files from elsewhere ({detail}), which Tandem never does",
        "vocabulary": "its vocabulary does not match the main model's ({detail})",
        "not-finite": "its weights give no finite numbers ({detail})",
        "all-zero": "its weights are all zero",
        "no-room": "there is not enough memory for it ({detail})",
    }

    def __init__(self, path: str | Path, reason: str, detail: str = "") -> None:
        self.path, self.reason, self.detail = str(path), reason, detail
        sentence = self.REASONS[reason].format(detail=detail)
        super().__init__(f"{path} cannot be used: {sentence}", path=str(path), reason=reason, detail=detail)


class NoModel(EngineError):
    """A main model is needed and none is loaded."""

    code = "no-model"

    def __init__(self) -> None:
        super().__init__("no main model is loaded")


class PromptTooLong(EngineError):
    """The conversation has `tokens` tokens and the model's context holds `limit`."""

    code = "prompt-too-long"

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(
            f"the conversation has {tokens} tokens and the model's context holds {limit}: "
            "shorten it or choose a model with a longer context",
            tokens=tokens,
            limit=limit,
        )


class QueueFull(EngineError):
    """`limit` requests are waiting already."""

    code = "queue-full"

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} requests wait already: try again when one has ended", limit=limit)


class NotEnoughMemory(EngineError):
    """`name` needs `needed` bytes for a context of `context` tokens, and `available` may be used.

    `terms` are the summands (code, model, bytes). What would fit instead, 0 where nothing does: a context of
    `largest_context` tokens, caches of `kv_bits` bits, or a draft model of `draft_bytes` with its caches.
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
        summands = " + ".join(f"{code} of {model} {size / 1e9:.2f}" for code, model, size in terms)
        choices = [f"{largest_context} tokens"] * bool(largest_context)
        choices += [f"{kv_bits}-bit caches"] * bool(kv_bits)
        choices += [f"a draft model of {draft_bytes / 1e9:.2f} GB with its caches"] * bool(draft_bytes)
        super().__init__(
            f"{name} needs {needed / 1e9:.2f} GB for a context of {context} tokens ({summands}) "
            f"and {available / 1e9:.2f} GB may be used; {' or '.join(choices) or 'no context'} would fit",
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

    `reason` is a key of `REASONS`; it is "" if `detail` is the message of the template or the tokenizer.
    """

    code = "template-failed"

    REASONS: ClassVar[dict[str, str]] = {
        "": "{detail}",
        "empty": "it renders to nothing",
        "too-slow": "it takes longer than {detail} seconds",
        "too-large": "it takes more memory than it may",
        "crashed": "it crashed ({detail})",
        "pictures": "it leaves a picture out",
    }

    def __init__(self, detail: str, reason: str = "") -> None:
        self.reason = reason
        self.sentence = sentence = self.REASONS[reason].format(detail=detail)
        super().__init__(
            f"the model's chat template cannot render this conversation: {sentence}", detail=detail, reason=reason
        )


class GrammarNotUsable(EngineError):
    """The grammar that an answer is to follow cannot be used, or cannot be followed any further.

    `reason` is a key of `REASONS`; `detail` is what the library says, or the limit that was exceeded.
    """

    code = "grammar-not-usable"

    REASONS: ClassVar[dict[str, str]] = {
        "not-json": "the schema is not JSON ({detail})",
        "not-a-schema": "the schema is not a JSON object",
        "invalid": "{detail}",
        "too-large": "it is larger than {detail} KB",
        "too-slow": "compiling it takes longer than {detail} seconds",
        "too-complex": "it takes more memory than it may",
        "continued": "the text that is to be continued does not follow it",
        "lost": "it became too complex while the answer was written ({detail})",
    }

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        sentence = self.REASONS[reason].format(detail=detail)
        super().__init__(f"the answer cannot follow the grammar: {sentence}", reason=reason, detail=detail)


class PictureNotUsable(EngineError):
    """A picture file that cannot be shown to a model.

    `reason` is a key of `REASONS`; `detail` is the limit that it exceeds, or what the decoder says.
    """

    code = "picture-not-usable"

    REASONS: ClassVar[dict[str, str]] = {
        "unknown-format": "it is no PNG, JPEG, WebP or GIF file",
        "damaged": "the file is damaged ({detail})",
        "animated": "it is animated",
        "too-large": "the file is larger than {detail} MB",
        "too-many-pixels": "it has more than {detail} megapixels",
        "too-narrow": "one side is more than {detail} times as long as the other",
        "too-slow": "decoding it takes longer than {detail} seconds",
        "too-slow-together": "decoding it and the others of the request takes longer than {detail} seconds",
        "too-much-memory": "decoding it takes more memory than it may",
        "crashed": "its decoder crashed ({detail})",
    }

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        sentence = self.REASONS[reason].format(detail=detail)
        super().__init__(f"the picture cannot be used: {sentence}", reason=reason, detail=detail)


class ModelCannotSee(EngineError):
    """The request has pictures, and the main model `name` cannot see.

    `reason` is "cluster" if that is so because it runs on several machines, else "". Then `name` may be "".
    """

    code = "model-cannot-see"

    def __init__(self, name: str, reason: str = "") -> None:
        where = " on several machines" if reason == "cluster" else ""
        super().__init__(f"{name or 'the main model'} cannot see pictures{where}", name=name, reason=reason)


class PicturesNotInstalled(EngineError):
    """mlx-vlm, whose towers read pictures, is not installed; `command` is the step of the README that was left out."""

    code = "pictures-not-installed"
    command = ".venv/bin/pip install -q --no-deps -c packaging/constraints.txt mlx-vlm"

    def __init__(self) -> None:
        super().__init__(f"pictures need mlx-vlm: {self.command}")


class CannotTeach(EngineError):
    """The drafter in use cannot be taught, or what it was taught cannot be kept.

    `reason` is a key of `REASONS`; `detail` is what it says there.
    """

    code = "cannot-teach"

    REASONS: ClassVar[dict[str, str]] = {
        "no-draft": "no draft model or head is loaded",
        "other-tokenizer": "the draft model has another tokenizer than the main model",
        "other-engine": "the main model runs on several machines",
        "architecture": "Tandem cannot add layers to this drafter ({detail})",
        "too-little": "there are too few answers of this main model yet ({detail} of what is needed)",
        "no-memory": "{detail} GB of memory are missing",
        "no-folder": "no folder was given for what it learns",
        "disk": "what it learned cannot be written ({detail})",
    }

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        sentence = self.REASONS[reason].format(detail=detail)
        super().__init__(f"the drafter cannot be taught: {sentence}", reason=reason, detail=detail)


class DeviceFailed(EngineError):
    """The GPU failed, which ended all answers under way; `detail` is its message.

    If it failed twice in a row, the models were unloaded until the next request, and `unloaded` is the name of the main
    model; else it is "".
    """

    code = "device-failed"

    def __init__(self, detail: str, unloaded: str = "") -> None:
        failed = f"the GPU failed twice in a row with {unloaded}, which was unloaded" if unloaded else "the GPU failed"
        super().__init__(
            f"{failed} ({detail}): try again, or use a smaller model, fewer answers at once or a shorter context",
            detail=detail,
            unloaded=unloaded,
        )


class EngineClosed(EngineError):
    """The engine was closed before or while it served this call."""

    code = "engine-closed"

    def __init__(self) -> None:
        super().__init__("the engine is closed")


class InternalFailure(EngineError):
    """A fault of the program or the machine. `detail` is the exception's message; its traceback is in the log."""

    code = "internal"

    def __init__(self, detail: str) -> None:
        super().__init__(f"the engine hit an unexpected error: {detail}", detail=detail)
