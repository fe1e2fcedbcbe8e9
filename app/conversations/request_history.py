"""The figures of every answer, sortable and summed by pair: the measured effect of speculation on this machine.

Figures of chats are stored with the answers. For answers that the local API gave to other programs, only figures are
stored, never a word of their content.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from math import exp

from app.conversations.database.database import Database
from app.conversations.database.encoding import optional_json, to_json
from app.conversations.database.records import TOOL, UNCOUNTED
from engine.stats import KNOWN, NOTICEABLE, UNTRUE, RequestStats, rounded_speedup

# How many requests of other programs are kept, the newest: an agent may send thousands a day.
MOST_OF_PROGRAMS = 10_000


@dataclass(frozen=True, slots=True)
class ProgramRequest:
    """One answer that the local API gave to a program.

    `client` is the name that the program gives itself, `endpoint` the path that it called, and `finished_at` is in Unix
    seconds. Models, `method` and `finish_reason` are as in RequestRow.
    """

    client: str
    endpoint: str
    finished_at: float
    main_model: str
    draft_model: str
    method: str
    finish_reason: str
    stats: RequestStats


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One request to the engine. Rates are None where there was nothing to divide by, as in RequestStats.

    A request of a chat has no `client` and `endpoint`. A request of another program has no `title`, and its
    `conversation_id` and `message_id` are None. `sources` is the JSON list of the sources of its draft tokens, None in
    requests of earlier versions. `called` is 1 if it called tools, so that it is a part of an answer. `accepted_rounds`
    is how many rounds accepted their first draft token.
    """

    id: int
    conversation_id: int | None
    message_id: int | None
    title: str
    client: str
    endpoint: str
    finished_at: float
    main_model: str
    draft_model: str
    method: str
    finish_reason: str
    prompt_tokens: int | None
    generated_tokens: int | None
    rounds: int | None
    drafted: int | None
    accepted: int | None
    accept_rate: float | None
    tokens_per_round: float | None
    ttft_s: float | None
    decode_tps: float | None
    plain_tps: float | None
    speedup: float | None
    speedup_low: float | None
    speedup_high: float | None
    sources: str | None = None
    called: int = 0
    accepted_rounds: int | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of several answers, without the answers that end as one of UNCOUNTED.

    The sums of a pair have the names of its models and its method. `accept_rate` is the total of accepted tokens
    divided by the total of drafted ones. `speedup`, with its bounds, is the time of plain decoding over the time taken,
    summed over the answers whose bounds are known. `saved_s` is the seconds saved (below zero: lost) in the answers
    whose speed-up is known exactly. Each is None if there is no such answer. If no answer has a speed-up that is shown,
    `speedup` is None, too, and its lower bound 0.
    """

    answers: int = 0
    accept_rate: float | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    saved_s: float | None = None
    drafted: int = 0
    accepted: int = 0
    generated_tokens: int = 0
    main_model: str = ""
    draft_model: str = ""
    method: str = ""

    @property
    def factor(self) -> float:
        """The speed-up as it is shown, or a bound of it; 1 where nothing is known."""
        shown = rounded_speedup(self.speedup, self.speedup_low, self.speedup_high)
        return (self.speedup or 1.0) if shown is None else shown.factor


def _least(value: str, most: str) -> str:
    """Return SQL for the lesser of `value` and `most`; for `value` if `most` is NULL."""
    return f"min({value}, coalesce({most}, {value}))"


COLUMNS = tuple(field.name for field in fields(RequestRow))
_OTHER_TABLES = {"title": "coalesce(conversations.title, '')", "conversation_id": "messages.conversation_id"}
_STORED = {name: f"json_extract(requests.stats, '$.{name}')" for name in ("speedup_low", "speedup_high")}
# As in `RequestStats`: earlier versions stored speed-ups that are larger than possible. The largest one, with one
# decimal, or NULL if it is unknown.
_RATE = "coalesce(requests.tokens_per_round, requests.generated_tokens * 1.0 / nullif(requests.rounds, 0))"
_MOST = f"CAST(10.0 * {_RATE} AS INTEGER) / 10.0"
_TRUE = f"coalesce({_STORED['speedup_low']} <= {UNTRUE} * {_MOST}, TRUE)"
_BOUNDS = {
    "speedup_low": f"CASE WHEN {_TRUE} THEN {_least(_STORED['speedup_low'], _MOST)} ELSE 0.0 END",
    "speedup_high": _least(_STORED["speedup_high"], _MOST),
}
# Earlier versions divided by an outdated speed of plain decoding: only a speed-up with bounds was measured.
_MEASURED = f"""
    CASE WHEN {_STORED["speedup_low"]} IS NOT NULL AND {_TRUE} THEN {_least("requests.speedup", _MOST)} END"""
_SOURCES = "json_extract(requests.stats, '$.sources')"
_CALLED = f"""
    EXISTS (SELECT 1 FROM messages AS result WHERE result.parent_id = requests.message_id AND result.role = '{TOOL}')"""
_OTHERS = {
    **_OTHER_TABLES,
    **_BOUNDS,
    "speedup": _MEASURED,
    "sources": _SOURCES,
    "called": _CALLED,
    "accepted_rounds": "json_extract(requests.stats, '$.accept_by_position[0][1]')",
}
_EXPRESSIONS = {name: _OTHERS.get(name, f"requests.{name}") for name in COLUMNS}
_SELECTED = ", ".join(f"{expression} AS {name}" for name, expression in _EXPRESSIONS.items())
_FROM = """
    FROM requests LEFT JOIN messages ON messages.id = requests.message_id
    LEFT JOIN conversations ON conversations.id = messages.conversation_id"""
# Requests with their `factor`, the speed-up or, if only its bounds are known, the middle of the bounds; and with
# `decode_s`, the seconds of decoding, if the bounds are known. Loops, refusals and answers that were given before are
# in no sum: nobody wants them faster, and a repeated text is easy to draft.
_WITH_FACTOR = f"""(
    SELECT *, coalesce(exact, (low + high) / 2.0) AS factor,
        CASE WHEN low IS NOT NULL THEN (generated_tokens - 1) / nullif(decode_tps, 0) END AS decode_s
    FROM (
        SELECT *, {_BOUNDS["speedup_low"]} AS low, {_BOUNDS["speedup_high"]} AS high, {_MEASURED} AS exact,
            {_RATE} AS rate
        FROM requests WHERE finish_reason NOT IN {UNCOUNTED}
    )
)"""
# As for one answer, the speed-up of a sum is at most its tokens a round.
_TIMED_TOKENS = "sum(CASE WHEN decode_s IS NOT NULL THEN generated_tokens END)"
_TIMED_ROUNDS = "sum(CASE WHEN decode_s IS NOT NULL THEN generated_tokens / rate END)"
_MOST_OF_SUM = f"CAST(10.0 * {_TIMED_TOKENS} / nullif({_TIMED_ROUNDS}, 0) AS INTEGER) / 10.0"
# Whether the speed-up of an answer is shown, by the rules of `rounded_speedup`. Show no sum unless at least one answer
# shows a speed-up of its own: the sum of many answers may have narrow bounds although no answer has them.
_SHOWN = f"""
    low > 0 AND (exact IS NOT NULL AND high <= low * {exp(2.0 * KNOWN)}
        OR CAST(10.0 * low AS INTEGER) / 10.0 > {NOTICEABLE}
        OR (CAST(10.0 * high AS INTEGER) + (CAST(10.0 * high AS INTEGER) < 10.0 * high)) / 10.0 < {1.0 / NOTICEABLE})"""
_SUMMED = {
    name: _least(f"sum(decode_s * {column}) / nullif(sum(decode_s), 0)", _MOST_OF_SUM)
    for name, column in (("speedup", "factor"), ("speedup_low", "low"), ("speedup_high", "high"))
}
_SPEEDUP = f"""
    CASE WHEN max({_SHOWN}) THEN {_SUMMED["speedup"]} END AS speedup,
    CASE WHEN max({_SHOWN}) OR max(low) IS NULL THEN {_SUMMED["speedup_low"]} ELSE 0.0 END AS speedup_low,
    {_SUMMED["speedup_high"]} AS speedup_high"""
_SUMS = f"""
    count(*) AS answers, coalesce(sum(drafted), 0) AS drafted, coalesce(sum(accepted), 0) AS accepted,
    coalesce(sum(generated_tokens), 0) AS generated_tokens, sum(decode_s * (exact - 1.0)) AS saved_s,
    sum(accepted) * 1.0 / nullif(sum(drafted), 0) AS accept_rate, {_SPEEDUP}"""


class RequestHistory:
    """The requests of programs and of all chats, chats in the trash included."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # How many requests of programs there are, if they were counted: a count reads all of them.
        self._of_programs: int | None = None

    def add(self, requests: Sequence[ProgramRequest]) -> None:
        """Add requests of other programs and keep only the newest MOST_OF_PROGRAMS of them."""
        # Unknown again if the transaction fails.
        before = self._of_programs
        self._of_programs = None
        with self._database.write():
            if before is None:
                before = self._database.scalar("SELECT count(*) FROM requests WHERE message_id IS NULL")
            for request in requests:
                values = {field.name: getattr(request, field.name) for field in fields(request)}
                self._database.insert("requests", **values | {"stats": optional_json(request.stats)})
            surplus = max(0, before + len(requests) - MOST_OF_PROGRAMS)
            if surplus:
                self._database.execute(
                    """
                    DELETE FROM requests WHERE id IN (
                        SELECT id FROM requests WHERE message_id IS NULL ORDER BY id LIMIT ?)""",
                    (surplus,),
                )
        self._of_programs = before + len(requests) - surplus

    def delete_programs(self) -> None:
        """Delete the requests of other programs; the requests of chats stay."""
        self._of_programs = None
        with self._database.write():
            self._database.execute("DELETE FROM requests WHERE message_id IS NULL")

    def rows(
        self,
        *,
        order: str = "finished_at",
        descending: bool = True,
        pair: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> list[RequestRow]:
        """Return requests ordered by one of COLUMNS, missing figures last, then by time.

        `pair`, the names of the main and the draft model, selects the requests of that pair; `limit` None returns all.
        Raises KeyError for an `order` that is no column.
        """
        where = "1" if pair is None else "requests.main_model = ? AND requests.draft_model = ?"
        key = _EXPRESSIONS[order]
        direction = "DESC" if descending else "ASC"
        # SQLite takes -1 for no limit.
        most = -1 if limit is None else limit
        selected = self._database.rows(
            f"""
            SELECT {_SELECTED} {_FROM} WHERE {where}
            ORDER BY {key} IS NULL, {key} {direction}, requests.id {direction} LIMIT ?""",
            (*(pair or ()), most),
        )
        return [RequestRow(**dict(row)) for row in selected]

    def by_pair(self) -> list[Totals]:
        """Return the sums of each pair and method, most used first."""
        sums = self._database.rows(
            f"""
            SELECT main_model, draft_model, method, {_SUMS}
            FROM {_WITH_FACTOR} GROUP BY main_model, draft_model, method
            ORDER BY answers DESC, max(finished_at) DESC"""
        )
        return [Totals(**dict(row)) for row in sums]

    def totals(self, since: float = 0.0) -> Totals:
        """Return the sums of all answers with tokens that finished at `since`, in Unix seconds, or later."""
        [sums] = self._database.rows(
            f"SELECT {_SUMS} FROM {_WITH_FACTOR} WHERE generated_tokens > 0 AND finished_at >= ?", (since,)
        )
        return Totals(**dict(sums))

    def as_csv(self, rows: Iterable[RequestRow]) -> str:
        """Return CSV with a heading. A text that a spreadsheet would run as a formula gets a leading quote."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([_harmless(value) for value in asdict(row).values()])
        return text.getvalue()

    def as_json(self, rows: Iterable[RequestRow]) -> str:
        """Return a JSON list of objects with the fields of RequestRow and the engine's statistics as "stats"."""
        objects = []
        for row in rows:
            stats = self._database.scalar("SELECT stats FROM requests WHERE id = ?", (row.id,))
            objects.append(asdict(row) | {"stats": json.loads(stats or "null")})
        return to_json(objects)


def _harmless(value: object) -> object:
    """Return a value for CSV. A text that a spreadsheet would run as a formula gets a leading quote."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
