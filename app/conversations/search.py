"""Search over all chats and inside one: what to ask the index, where the hits are, and a line around the
first.

A query is words with spaces between them, all of which must occur; words in double quotes stand together.
Words of spaced scripts match from their beginning, those of unspaced scripts anywhere. See `folding` for what
counts as equal.
"""

from __future__ import annotations

import math
import re
import sqlite3
from dataclasses import dataclass

from app.conversations.database import Database
from app.conversations.search_tokens import WORD, Run, fold, fold_with_offsets, run_tokens, runs

NEWEST = "newest"
RELEVANT = "relevant"

# Relevance is judged among this many of the newest hits: past that, newer wins.
_JUDGED = 150
# In seconds: how much older a hit may be to lose half of its freshness.
_HALF_FRESH = 30 * 86_400.0

# A step of merging takes some ten milliseconds.
_MERGED_PAGES = 128

_TERMS = re.compile(r'"([^"]*)(?:"|$)|([^\s"]+)')
_GAP = r"[\W_]*"


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the index takes it (`match`, an FTS5 expression, "" for what it does not hold) and as a pattern over
    folded text.
    """

    match: str
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a text without line breaks; `spans` are the hits in it, as (start, end) in code points."""

    text: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message that matches; show it with `MessageTree.select`."""

    message_id: int
    conversation_id: int
    title: str
    role: str
    created_at: float
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class TitleHit:
    """A chat whose title matches; `spans` are the hits in the title."""

    conversation_id: int
    title: str
    spans: tuple[tuple[int, int], ...]


def parse_query(text: str) -> Query | None:
    """None where the text has nothing to search for, such as punctuation alone."""
    phrases: list[str] = []
    patterns: list[str] = []
    for match in _TERMS.finditer(text):
        quoted = match[1] is not None
        term = runs(fold(match[1] if quoted else match[2]))
        if term:
            phrases.append(_phrase(term, quoted))
            patterns.append(_pattern(term, quoted))
    if not phrases:
        return None
    # Longer alternatives first, so that a hit is marked as far as it goes.
    return Query(" AND ".join(phrases), re.compile("|".join(sorted(patterns, key=len, reverse=True))))


def parse_phrase(text: str) -> Query | None:
    """The query of the find bar: the whole text as one phrase, or `parse_query` if it has double quotes. Punctuation
    alone is found literally.
    """
    if '"' in text:
        return parse_query(text)
    term = runs(fold(text))
    if term:
        return Query(_phrase(term, False), re.compile(_pattern(term, False)))
    signs = fold(text).strip()
    return Query("", re.compile(re.escape(signs))) if signs else None


def _phrase(term: list[Run], quoted: bool) -> str:
    *leading, last = term
    tokens = [token for run in leading for token in run_tokens(run)]
    if last.unspaced:
        # The last character alone would say that the word ends there; only a lone one needs its (prefix)
        # token.
        tokens += run_tokens(last)[:-1] or [last.text]
        prefix = len(last.text) == 1
    else:
        tokens += run_tokens(last)
        prefix = not quoted
    return f'"{" ".join(tokens)}"{"*" if prefix else ""}'


def _pattern(term: list[Run], quoted: bool) -> str:
    body = _GAP.join(re.escape(run.text) if run.unspaced else rf"(?<!{WORD}){re.escape(run.text)}" for run in term)
    return body + (rf"(?!{WORD})" if quoted and not term[-1].unspaced else "")


def highlights(text: str, query: Query) -> tuple[tuple[int, int], ...]:
    """Where the query's words are in `text`: (start, end) in code points, in order, none overlapping.

    Qt counts UTF-16 units: convert where a text has characters beyond the basic plane.
    """
    folded, offsets = fold_with_offsets(text)
    spans = [match.span() for match in query.pattern.finditer(folded)]
    if offsets is None:
        return tuple(spans)
    return tuple((offsets[start], _end_in_text(offsets, end)) for start, end in spans)


def _end_in_text(offsets: list[int], end: int) -> int:
    """Where the character that folds up to `end` ends in the text; half a character counts as all of it."""
    last = offsets[end - 1]
    while offsets[end] == last:
        end += 1
    return offsets[end]


def snippet(text: str, query: Query, width: int = 160) -> Snippet:
    """`width` characters of the text around the first hit, cut at spaces where there are some near."""
    found = highlights(text, query)
    first = found[0][0] if found else 0
    start = max(0, min(first - width // 3, len(text) - width))
    if start > 0:
        space = text.find(" ", start, first)
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + width)
    before, after = "…" if start > 0 else "", "…" if end < len(text) else ""
    shift = len(before) - start
    spans = tuple((low + shift, min(high, end) + shift) for low, high in found if low >= start and low < end)
    return Snippet(before + re.sub(r"\s", " ", text[start:end]) + after, spans)


class Search:
    """Reads the indexes; the schema's triggers keep them equal to the messages and titles."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def messages(
        self, text: str, *, conversation_id: int | None = None, order: str = NEWEST, limit: int = 50
    ) -> list[MessageHit]:
        """The best `limit` messages that match, in all chats outside the trash or in one chat, wherever it
        is.

        NEWEST orders by time. RELEVANT weighs how often and how densely the words occur and how recent the
        message is. Answers that are still streaming are found by what they had before this request.
        """
        query = parse_query(text)
        if query is None:
            return []
        rows = self._rows(query, conversation_id, _JUDGED if order == RELEVANT else limit)
        if order == RELEVANT:
            now = self._database.clock()
            rows = sorted(rows, key=lambda row: _relevance(row, query, now), reverse=True)[:limit]
        return [
            MessageHit(
                message_id=row["id"],
                conversation_id=row["conversation_id"],
                title=row["title"],
                role=row["role"],
                created_at=row["created_at"],
                snippet=snippet(row["content"], query),
            )
            for row in rows
        ]

    def titles(self, text: str, limit: int = 20) -> list[TitleHit]:
        """The chats outside the trash whose titles match, last used first."""
        query = parse_query(text)
        if query is None:
            return []
        rows = self._database.rows(
            """
            SELECT conversations.id, CAST(title AS TEXT) AS title
            FROM title_search JOIN conversations ON conversations.id = title_search.rowid
            WHERE title_search MATCH ? AND trashed_at IS NULL ORDER BY updated_at DESC LIMIT ?""",
            (query.match, limit),
        )
        return [TitleHit(row["id"], row["title"], highlights(row["title"], query)) for row in rows]

    def merge(self, pages: int = _MERGED_PAGES) -> bool:
        """Merge about that many pages of the indexes; whether there is more to merge.

        The words of a deleted text stay in the index, unreachable, until the segments are merged that hold them.
        """
        before = self._database.connection.total_changes
        with self._database.write():
            for index in ("search", "title_search"):
                # Negative: all segments into one. FTS5 merges few of them by itself.
                self._database.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (-pages,))
        # Each statement counts as a change, whatever it does.
        return self._database.connection.total_changes - before > 2

    def rebuild(self) -> None:
        """Rebuild both indexes, after a change of folding or suspected damage."""
        with self._database.write():
            for statement in (
                "INSERT INTO search (search) VALUES ('delete-all')",
                """
                INSERT INTO search (rowid, text, chat)
                SELECT time_key, index_text(content), 'c' || conversation_id
                FROM messages WHERE content <> ''""",
                "INSERT INTO title_search (title_search) VALUES ('delete-all')",
                """
                INSERT INTO title_search (rowid, text)
                SELECT id, index_text(title) FROM conversations WHERE title <> ''""",
            ):
                self._database.execute(statement)

    def _rows(self, query: Query, conversation_id: int | None, limit: int) -> list[sqlite3.Row]:
        match = f"text : ({query.match})"
        visible = "trashed_at IS NULL"
        if conversation_id is not None:
            match, visible = f"{match} AND chat : c{conversation_id}", "1"
        # CROSS JOIN keeps the index outermost, so that the newest hits come out of it in order and the limit
        # ends it.
        return self._database.rows(
            f"""
            SELECT messages.id, conversation_id, role, messages.created_at,
                CAST(content AS TEXT) AS content, CAST(title AS TEXT) AS title
            FROM search
            CROSS JOIN messages ON messages.time_key = search.rowid
            CROSS JOIN conversations ON conversations.id = conversation_id
            WHERE search MATCH ? AND {visible} ORDER BY search.rowid DESC LIMIT ?""",
            (match, limit),
        )


def _relevance(row: sqlite3.Row, query: Query, now: float) -> float:
    """More hits count for more, but ever less; in a shorter text for more; half as much for every month of
    age.
    """
    found = sum(1 for _ in query.pattern.finditer(fold(row["content"])))
    density = (1.0 + math.log1p(found)) / math.sqrt(1.0 + len(row["content"]) / 2000.0)
    freshness = math.exp2(-max(0.0, now - row["created_at"]) / _HALF_FRESH)
    return density * (0.5 + 0.5 * freshness)
