"""How records are written into columns: JSON without NaN, figures that survive new fields, packed tokens."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from msgspec import structs, to_builtins

from app.conversations.database import readable, storable
from app.conversations.records import Attachment
from engine.events import Token
from engine.stats import PlainSpan, RequestStats, RoundRecord

# Decimals of the seconds that a round is kept with: no clock here is finer than a microsecond.
_DECIMALS = 6
_STATS_DEFAULTS = {field.name: field.default for field in structs.fields(RequestStats)}


def to_json(value: object) -> str:
    """Compact JSON. Numbers that JSON cannot hold (infinities, NaN) become null; SQLite refuses them too."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def object_from_json(text: str) -> dict[str, Any]:
    """A JSON object; an empty one where a damaged disk left none.

    Damaged metadata must not hide a chat: one bad byte would otherwise empty the whole list.
    """
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text_of(value: object) -> str:
    """What a text column holds, which in a damaged row may be another kind of value."""
    if isinstance(value, str):
        return value
    return readable(value) if isinstance(value, bytes) else ""


def number_of(value: object) -> float:
    """What a column of a time holds; 0.0 where a damaged row holds no number."""
    return value if isinstance(value, float | int) and math.isfinite(value) else 0.0


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def error_to_json(error: tuple[str, Mapping[str, Any]] | None) -> str | None:
    """An error's code and arguments."""
    return None if error is None else to_json({"code": error[0], "arguments": dict(error[1])})


def stats_to_json(stats: RequestStats | None) -> str | None:
    return None if stats is None else to_json(to_builtins(stats))


def stats_from_json(text: str | None) -> RequestStats | None:
    """Back from `stats_to_json`, or from what another version wrote: unknown fields are dropped, missing ones
    default. None where a damaged disk left nothing that can be read.
    """
    if text is None:
        return None
    try:
        return stats_from_object(object_from_json(text))
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def stats_from_object(values: Mapping[str, Any]) -> RequestStats:
    """The statistics in a JSON object. Raises TypeError, ValueError, KeyError or AttributeError where a field has
    another shape.
    """
    known = {name: _figure(name, value) for name, value in values.items() if name in _STATS_DEFAULTS}
    if known.get("speedup_low") is None:
        # Earlier versions divided by an old speed of plain decoding: only a speed-up with bounds was measured.
        known |= {"speedup": None, "plain_tps": None}
    known["accept_by_position"] = tuple(
        (int(reached), int(accepted)) for reached, accepted in values.get("accept_by_position") or ()
    )
    known["plain_spans"] = tuple(
        PlainSpan(
            tokens=int(span["tokens"]),
            reason=str(span["reason"]),
            arguments=tuple((str(name), value) for name, value in span.get("arguments") or ()),
        )
        for span in values.get("plain_spans") or ()
    )
    return RequestStats(**known)


def _figure(name: str, value: Any) -> Any:
    """A field of the statistics, of its own kind: words stay words, and everything else is a number or None."""
    default = _STATS_DEFAULTS[name]
    if isinstance(default, tuple):
        return value
    if value is None:
        return default
    if isinstance(default, str):
        return str(value)
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} is no figure")
    return int(value) if isinstance(default, int) else value


def attachments_to_json(attachments: Iterable[Attachment]) -> str:
    return to_json([asdict(attachment) for attachment in attachments])


def attachments_from_json(text: str) -> tuple[Attachment, ...]:
    """Back from `attachments_to_json`; none where a damaged disk left nothing that can be read."""
    try:
        return tuple(Attachment(**item) for item in json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return ()


def pack_tokens(tokens: Sequence[Token]) -> bytes:
    """Tokens as zlib-packed JSON rows [id, text, source, position, round, logprob or null for -inf]."""
    return zlib.compress(to_json([token_to_row(token) for token in tokens]).encode(), level=1)


def pack_rounds(rounds: Sequence[RoundRecord]) -> bytes:
    """Rounds as zlib-packed JSON rows, as `round_to_row` makes them; some twenty bytes a round. None are b""."""
    return zlib.compress(to_json([round_to_row(record) for record in rounds]).encode(), level=1) if rounds else b""


def join_packed(blobs: Iterable[bytes]) -> bytes:
    """Packed rows one after another, as one; without looking at each, for an answer may have tens of thousands.

    This is what stays on disk, and so it is packed more tightly than what is written while an answer streams.
    """
    parts = [part for blob in blobs if blob and (part := zlib.decompress(blob)[1:-1])]
    return zlib.compress(b"[" + b",".join(parts) + b"]") if parts else b""


def unpack_tokens(blob: bytes) -> list[Token]:
    return [token_from_row(row) for row in json.loads(zlib.decompress(blob))] if blob else []


def unpack_rounds(blob: bytes) -> list[RoundRecord]:
    return [round_from_row(row) for row in json.loads(zlib.decompress(blob))] if blob else []


def token_to_row(token: Token) -> list[Any]:
    logprob = token.logprob if math.isfinite(token.logprob) else None
    return [token.id, token.text, token.source, token.position, token.round, logprob]


def token_from_row(row: Sequence[Any]) -> Token:
    """Back from `token_to_row`. Raises TypeError or ValueError where the row has another shape."""
    token_id, text, source, position, round_number, logprob = row
    if not isinstance(text, str) or not isinstance(source, str):
        raise TypeError("a token's text and source are text")
    return Token(
        id=int(token_id),
        text=storable(text),
        source=source,
        position=int(position),
        round=int(round_number),
        logprob=-math.inf if logprob is None else float(logprob),
    )


def round_to_row(record: RoundRecord) -> list[Any]:
    """[number, source, drafted, accepted, committed, rows, at_s, draft_s, verify_s, host_s, reason, arguments,
    rejected].
    """
    times = (record.at_s, record.draft_s, record.verify_s, record.host_s)
    arguments = [[name, _rounded(value)] for name, value in record.arguments]
    return [
        record.number,
        record.source,
        record.drafted,
        record.accepted,
        record.committed,
        record.rows,
        *map(_rounded, times),
        record.reason,
        arguments,
        record.rejected,
    ]


def _rounded(value: Any) -> Any:
    return round(value, _DECIMALS) if isinstance(value, float) else value


def round_from_row(row: Sequence[Any]) -> RoundRecord:
    """Back from `round_to_row`; older rows end before the rejected text.

    Raises TypeError or ValueError where the row has another shape.
    """
    number, source, drafted, accepted, committed, rows, at_s, draft_s, verify_s, host_s, reason, arguments, *rest = row
    (rejected,) = rest or ("",)
    return RoundRecord(
        number=int(number),
        source=storable(str(source)),
        drafted=int(drafted),
        accepted=int(accepted),
        committed=int(committed),
        rows=int(rows),
        at_s=float(at_s),
        draft_s=float(draft_s),
        verify_s=float(verify_s),
        host_s=float(host_s),
        reason=storable(str(reason)),
        arguments=tuple((str(name), value) for name, value in arguments),
        rejected=storable(str(rejected)),
    )
