"""Encodes records for columns: JSON without NaN, figures that survive new fields, packed tokens."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import partial
from typing import Any

from msgspec import Struct, convert, structs

from app.conversations.database.database import readable, storable
from app.conversations.database.records import AnswerSource, Attachment, Error, ToolUse
from engine.events import Token
from engine.stats import RequestStats, RoundRecord

# Decimals of a round's seconds: no clock here is finer than a microsecond.
_DECIMALS = 6

# In the year 9892: datetime knows none beyond 9999.
_END_OF_TIME = 250_000_000_000.0


def to_json(value: object) -> str:
    """Return compact JSON, records as objects. Infinities and NaN, which neither JSON nor SQLite takes, become null."""
    dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_fields_of)
    try:
        return dumps(value)
    except ValueError:
        return dumps(_finite(value))


def _fields_of(record: Any) -> dict[str, Any]:
    """Return the fields of a record, a dataclass or a Struct, by name."""
    return structs.asdict(record) if isinstance(record, Struct) else asdict(record)


def optional_json(value: object) -> str | None:
    """Return compact JSON as `to_json` does, but None for None."""
    return None if value is None else to_json(value)


def object_from_json(text: str) -> dict[str, Any]:
    """Return the JSON object in a column, or an empty one if it is damaged: one bad byte must not hide a chat."""
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return the text in a column, which in a damaged row may hold another type."""
    if isinstance(value, str):
        return value
    return readable(value) if isinstance(value, bytes) else ""


def number_of(value: object) -> float:
    """Return the time in a column, the nearest one that datetime knows; 0.0 where a damaged row holds no number."""
    if not isinstance(value, float | int) or not math.isfinite(value):
        return 0.0
    return min(max(value, 0.0), _END_OF_TIME)


def _finite(value: Any) -> Any:
    """Return the value with null in the place of infinities and NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return _finite(_fields_of(value)) if isinstance(value, Struct) or is_dataclass(value) else value


def error_to_json(error: Error | None) -> str | None:
    """Encode an error's code and arguments."""
    return None if error is None else to_json({"code": error[0], "arguments": dict(error[1])})


def stats_from_json(text: str | None) -> RequestStats | None:
    """Decode figures, also figures of another version: unknown fields are dropped, missing ones default.

    None for None, and where damage left nothing readable.
    """
    try:
        return None if text is None else stats_from_object(object_from_json(text))
    except ValueError:
        return None


def stats_from_object(values: Mapping[str, Any]) -> RequestStats:
    """Decode a JSON object. Raises ValueError for a field of another shape."""
    known = {name: value for name, value in values.items() if value is not None}
    if "speedup_low" not in known:
        # Earlier versions divided by an outdated speed of plain decoding: only a speed-up with bounds was measured.
        known = {name: value for name, value in known.items() if name not in ("speedup", "plain_tps")}
    return convert(known, RequestStats, strict=False)


def source_values(source: AnswerSource) -> tuple[Any, ...]:
    """Return the values of the columns main_model, draft_model, method, settings and seed."""
    seed = None if source.seed is None else str(source.seed)
    return source.main_model, source.draft_model, source.method, to_json(source.settings), seed


def tool_use_of(stored: Mapping[str, Any]) -> ToolUse:
    """Return the call that an object of JSON describes; fields of other types keep their defaults."""
    fit = {
        field.name: stored[field.name]
        for field in fields(ToolUse)
        if type(stored.get(field.name)) is type(field.default)
    }
    return ToolUse(**fit)


def attachments_from_json(text: str) -> tuple[Attachment, ...]:
    """Decode a list of attachments; none where damage left nothing readable."""
    try:
        return convert(json.loads(text), tuple[Attachment, ...], strict=False)
    except (ValueError, TypeError, RecursionError):
        return ()


def pack_tokens(tokens: Sequence[Token]) -> bytes:
    """Compress tokens as JSON rows [id, text, source, position, round, logprob or null for -inf] with zlib."""
    return _packed([token_to_row(token) for token in tokens])


def pack_rounds(rounds: Sequence[RoundRecord]) -> bytes:
    """Compress the JSON rows of `round_to_row` with zlib; no rounds are b""."""
    return _packed([round_to_row(record) for record in rounds]) if rounds else b""


def _packed(rows: list[list[Any]]) -> bytes:
    return zlib.compress(storable(to_json(rows)).encode(), level=1)


def join_packed(blobs: Iterable[bytes]) -> bytes:
    """Concatenate packed rows without decoding them, for an answer may have tens of thousands.

    The result stays on disk, so it is compressed more tightly than chunks of a streaming answer. b"" if there are no
    rows.
    """
    parts = [part for blob in blobs if (part := _unpacked(blob)[1:-1])]
    return zlib.compress(b"[" + b",".join(parts) + b"]") if parts else b""


def _unpacked(blob: bytes) -> bytes:
    """Return packed rows as JSON; no rows where damage left them unreadable, so that it costs no text."""
    try:
        return zlib.decompress(blob) if blob else b"[]"
    except (zlib.error, TypeError):
        return b"[]"


def unpack_tokens(blob: bytes) -> list[Token]:
    """Decode `pack_tokens`; no tokens where damage left nothing readable."""
    return [token_from_row(row) for row in json.loads(_unpacked(blob))]


def unpack_rounds(blob: bytes) -> list[RoundRecord]:
    """Decode `pack_rounds`; no rounds where damage left nothing readable."""
    return [round_from_row(row) for row in json.loads(_unpacked(blob))]


def token_to_row(token: Token) -> list[Any]:
    """Return the JSON row of a token, see `pack_tokens`."""
    logprob = token.logprob if math.isfinite(token.logprob) else None
    return [token.id, token.text, token.source, token.position, token.round, logprob]


def token_from_row(row: Sequence[Any]) -> Token:
    """Decode `token_to_row`. Raises TypeError or ValueError where the row has another shape."""
    values = dict(zip(("id", "text", "source", "position", "round", "logprob"), row, strict=True))
    return convert(values | ({"logprob": -math.inf} if values["logprob"] is None else {}), Token, strict=False)


def round_to_row(record: RoundRecord) -> list[Any]:
    """Return the fields of a round in their order, `arguments` as pairs."""
    return [_rounded(getattr(record, field.name)) for field in fields(record)]


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_rounded(item) for item in value]
    return round(value, _DECIMALS) if isinstance(value, float) else value


def round_from_row(row: Sequence[Any]) -> RoundRecord:
    """Decode `round_to_row`. Rows of earlier versions have fewer fields; the missing ones keep their defaults.

    Raises TypeError or ValueError where the row has another shape.
    """
    return convert(
        dict(zip((field.name for field in fields(RoundRecord)), row, strict=False)), RoundRecord, strict=False
    )
