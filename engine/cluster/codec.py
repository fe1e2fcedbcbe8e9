"""What crosses `EngineClient` as JSON and back: the engine's dataclasses, errors and paths, nothing else.

No class is ever looked up by a name from outside of the tables here, and none is made without its own checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from engine import errors, events, requests, settings, stats, status, tuning
from engine.cluster.errors import ClusterError
from engine.errors import EngineError, InternalFailure
from engine.grammars.grammar import Grammar
from engine.thinking_choice import ThinkingChoice

_DATA: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        events.PrefillProgress, events.Alternative, events.Token, events.TokensCommitted, events.Finished,
        events.Failed,
        requests.ChatRequest, requests.SamplingSettings, requests.SpeculationSettings, Grammar,
        settings.EngineSettings, stats.RoundRecord, stats.PlainSpan, stats.RequestStats,
        status.ModelInfo, status.LoadedPair, status.PrefixCacheUsage, status.MemoryUse, status.EngineStatus,
        ThinkingChoice,
        tuning.DepthFigures, tuning.ContextFigures, tuning.AcceptanceFigures, tuning.LearnedPair, tuning.Calibration,
    )
}  # fmt: skip
_ERRORS: dict[str, type[EngineError]] = {
    kind.__name__: kind
    for kind in (
        errors.BadRequest, errors.ModelNotUsable, errors.NoModel, errors.PromptTooLong, errors.Busy, errors.QueueFull,
        errors.NotEnoughMemory, errors.TemplateFailed, errors.GrammarNotUsable, errors.EngineClosed,
        errors.InternalFailure, ClusterError,
    )
}  # fmt: skip
_KIND, _VALUE = "!", "="


def encode(value: Any) -> Any:
    """`value` as what JSON can hold. Raises `TypeError` for anything that does not belong to the engine's protocol."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, EngineError):
        return _encode_error(value)
    if isinstance(value, Path):
        return {_KIND: "path", _VALUE: str(value)}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, tuple | set | frozenset):
        return {_KIND: "tuple", _VALUE: [encode(item) for item in value]}
    if isinstance(value, Mapping):
        return {_KIND: "map", _VALUE: [[encode(key), encode(item)] for key, item in value.items()]}
    name = type(value).__name__
    if is_dataclass(value) and _DATA.get(name) is type(value):
        return {_KIND: name, _VALUE: {field.name: encode(getattr(value, field.name)) for field in fields(value)}}
    raise TypeError(f"{type(value).__name__} does not cross processes")


def decode(value: Any) -> Any:
    """What `encode` was given. Raises `ValueError` for anything else."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        kind, held = value[_KIND], value[_VALUE]
        if kind == "path":
            return Path(held)
        if kind == "tuple":
            return tuple(decode(item) for item in held)
        if kind == "map":
            return {decode(key): decode(item) for key, item in held}
        if kind == "error":
            return _decode_error(held)
        return _DATA[kind](**{name: decode(item) for name, item in held.items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not of this protocol: {error}") from error


def _encode_error(error: EngineError) -> Any:
    plain = type(error).__name__ if _ERRORS.get(type(error).__name__) is type(error) else InternalFailure.__name__
    state = dict(vars(error)) if plain == type(error).__name__ else vars(InternalFailure(str(error)))
    return {_KIND: "error", _VALUE: {"kind": plain, "message": str(error), "fields": encode(state)}}


def _decode_error(held: Mapping[str, Any]) -> EngineError:
    kind = _ERRORS[held["kind"]]
    error = kind.__new__(kind, str(held["message"]))
    error.args = (str(held["message"]),)
    vars(error).update(decode(held["fields"]))
    return error
