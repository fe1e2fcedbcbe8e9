"""Search over all chats: queries of the index, the places of hits, and a snippet around the first.

A query is words with spaces between them, all of which must occur; words in double quotes form a phrase. Words of
spaced scripts match from their beginning, because the index holds words; words of unspaced scripts match anywhere. The
index holds no signs: what a term like "C++" or "C#" ends with is looked for in the texts that the index has found.
database/search_tokens.py says which signs are equal. The find bar of one chat has its own queries (`parse_phrase`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from app.conversations.database.database import Database
from app.conversations.database.search_tokens import (
    UNSPACED,
    WORD,
    ScriptRun,
    fold,
    fold_with_offsets,
    run_tokens,
    runs,
)

# Few enough that other operations hardly wait for a step of merging.
_MERGED_PAGES = 128
# Characters of a snippet.
_WIDTH = 160
_TABLES_WITH_TEXTS = ("folders", "presets", "conversations", "messages", "chunks")

_TERMS = re.compile(r'"([^"]*)(?:"|$)|([^\s"]+)')
_GAP = r"[\W_]*"
# Signs that end names, such as those of languages. Other signs around words are mostly punctuation.
_ENDING_SIGNS = re.compile(r"[+#]+$")
# What the find bar takes for a query of the search in all chats: words, at least one of them in quotes, and nothing
# else. Quotes anywhere else, as in code, are found as they stand.
_QUOTED_WORDS = re.compile(r'\s*(?:(?:"[^\W_]+(?:\s+[^\W_]+)*"|[^\W_]+)(?:\s+|$))+')
_PIECES = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|(?P<word>{WORD}+)|(?P<space>\s+)|(?P<sign>.)")
# Typed and typeset signs that a reader takes for the same.
_EQUAL_SIGNS = ("'\u2018\u2019\u02bc", '"\u201c\u201d\u201e', "-\u2010\u2012\u2013\u2212")


@dataclass(frozen=True, slots=True)
class Query:
    """A query as an FTS5 expression (`match`, "" if it is not for the index) and as a pattern for folded text.

    Each text that matches contains one of `letters` once it is folded and cut down to letters and digits. All of
    `checked` have to be found in a folded text, too: they are the terms with signs.
    """

    match: str
    pattern: re.Pattern[str]
    letters: tuple[str, ...]
    checked: tuple[re.Pattern[str], ...] = ()

    def is_in(self, text: str) -> bool:
        """Return whether a text that the index has found has the signs of the query as well."""
        if not self.checked:
            return True
        folded = fold(text)
        return all(pattern.search(folded) for pattern in self.checked)


class _QueryPiece(NamedTuple):
    """A part of a query. `kind` is a group of _PIECES: "unspaced", "word", "space" or "sign"."""

    kind: str
    text: str

    @property
    def is_word(self) -> bool:
        return self.kind in ("unspaced", "word")


@dataclass(frozen=True, slots=True)
class Snippet:
    """Part of a text, without line breaks; `spans` are the hits in it, as (start, end) in code points."""

    text: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message that matches; `select` of the store's `messages` shows it. `sent_at` is in seconds of the epoch."""

    message_id: int
    conversation_id: int
    title: str
    sent_at: float
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class TitleHit:
    """A chat whose title matches; `spans` are the hits in the title."""

    conversation_id: int
    title: str
    spans: tuple[tuple[int, int], ...]


def parse_query(text: str, *, within_words: bool = False) -> Query | None:
    """Return the query that a text spells; None where it has only punctuation.

    If `within_words`, the pattern also finds words without quotes inside of other words, which the index cannot.
    """
    phrases: list[str] = []
    patterns: list[str] = []
    letters: list[str] = []
    checked: list[re.Pattern[str]] = []
    for match in _TERMS.finditer(text):
        quoted = match[1] is not None
        folded = fold(match[1] if quoted else match[2])
        term = runs(folded)
        if term:
            signs = _ENDING_SIGNS.search(folded.rstrip())
            pattern = _pattern(term, quoted, within_words and not quoted) + re.escape(signs[0] if signs else "")
            phrases.append(_phrase(term, quoted or signs is not None))
            patterns.append(pattern)
            letters.append(letters_of("".join(run.text for run in term)))
            if signs:
                checked.append(re.compile(pattern))
    if not phrases:
        return None
    # Longer alternatives first, so that a hit is marked as far as it goes.
    any_term = re.compile("|".join(sorted(patterns, key=len, reverse=True)))
    return Query(" AND ".join(phrases), any_term, tuple(letters), tuple(checked))


def parse_phrase(text: str) -> Query | None:
    """Return the find bar's query, which needs no index; None for spaces.

    The text is found as it stands, also inside of words: "_left" in "bisect_left". A space stands for spaces and line
    breaks, and between words also for punctuation: "draft model" is found in "draft-model". Where a script without
    spaces meets another one, there may be a space or none. Words in quotes are found as whole words.
    """
    if '"' in text and _QUOTED_WORDS.fullmatch(text):
        return parse_query(text, within_words=True)
    folded = fold(text).strip()
    if not folded:
        return None
    pieces = [_QueryPiece(str(match.lastgroup), match[0]) for match in _PIECES.finditer(folded)]
    return Query("", re.compile(_phrase_pattern(pieces)), (letters_of(folded),))


def _phrase_pattern(pieces: list[_QueryPiece]) -> str:
    """Return a pattern for folded text that finds the pieces one after the other.

    For example, "draft model" also finds "draft-model", and "_left" finds a part of "bisect_left". A space is never the
    first or the last piece.
    """
    pattern = ""
    for index, piece in enumerate(pieces):
        if piece.kind == "space":
            pattern += _gap(pieces[index - 1], pieces[index + 1])
            continue
        if index and piece.is_word and pieces[index - 1].is_word:
            pattern += _gap(pieces[index - 1], piece)
        pattern += _sign(piece.text) if piece.kind == "sign" else re.escape(piece.text)
    return pattern


def _gap(before: _QueryPiece, after: _QueryPiece) -> str:
    """Return a pattern for the signs between two pieces that a space or a change of script separates."""
    between = r"[\W_]" if before.is_word and after.is_word else r"\s"
    return between + ("*" if "unspaced" in (before.kind, after.kind) else "+")


def _sign(sign: str) -> str:
    """Return a pattern for a sign, which stands for all signs that a reader takes for the same."""
    for equal_signs in _EQUAL_SIGNS:
        if sign in equal_signs:
            return f"[{re.escape(equal_signs)}]"
    return re.escape(sign)


def letters_of(folded: str) -> str:
    """Return the letters and digits of a folded text."""
    return re.sub(r"[\W_]+", "", folded)


def _phrase(term: list[ScriptRun], whole: bool) -> str:
    """Return a term as a phrase of FTS5. Its last word is a prefix unless it is `whole`.

    For example, draft becomes "draft"*, and the quoted "draft model" stays as it is. 初稿模型 becomes "初稿 稿模 模型",
    the pairs of characters that the index holds.
    """
    *leading, last = term
    tokens = [token for run in leading for token in run_tokens(run)]
    if last.unspaced:
        # The token of the last character alone would require the word to end there; a single character is a prefix.
        tokens.extend(run_tokens(last)[:-1] or [last.text])
        prefix = len(last.text) == 1
    else:
        tokens += run_tokens(last)
        prefix = not whole
    return f'"{" ".join(tokens)}"{"*" if prefix else ""}'


def _pattern(term: list[ScriptRun], quoted: bool, within_words: bool) -> str:
    """Return a term as a pattern for folded text. Words begin at its beginning unless `within_words`."""
    begins = "" if within_words else rf"(?<!{WORD})"
    body = _GAP.join(re.escape(run.text) if run.unspaced else begins + re.escape(run.text) for run in term)
    return body + (rf"(?!{WORD})" if quoted and not term[-1].unspaced else "")


def highlights(text: str, query: Query) -> tuple[tuple[int, int], ...]:
    """Return where the query's words are in `text`: (start, end) in code points, in order, not overlapping.

    Qt counts UTF-16 units: convert where a text has characters beyond the basic plane.
    """
    folded, offsets = fold_with_offsets(text)
    spans = [match.span() for match in query.pattern.finditer(folded)]
    if offsets is None:
        return tuple(spans)
    return tuple((offsets[start], _end_in_text(offsets, end)) for start, end in spans)


def _end_in_text(offsets: list[int], end: int) -> int:
    """Return where the character that folds up to `end` ends in the text; part of a character counts as all of it."""
    last = offsets[end - 1]
    while offsets[end] == last:
        end += 1
    return offsets[end]


def snippet(text: str, query: Query) -> Snippet:
    """Return _WIDTH characters of the text around the first hit, cut at spaces where possible."""
    hits = highlights(text, query)
    first = hits[0][0] if hits else 0
    start = max(0, min(first - _WIDTH // 3, len(text) - _WIDTH))
    if start > 0:
        space = text.find(" ", start, first)
        start = space + 1 if space >= 0 else start
    end = min(len(text), start + _WIDTH)
    before = "…" if start > 0 else ""
    after = "…" if end < len(text) else ""
    shift = len(before) - start
    spans = tuple((low + shift, min(high, end) + shift) for low, high in hits if low >= start and low < end)
    return Snippet(before + re.sub(r"\s", " ", text[start:end]) + after, spans)


class ConversationSearch:
    """Searches the indexes. The triggers of the schema keep them equal to the messages and titles."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def messages(self, text: str, limit: int = 50) -> list[MessageHit]:
        """Return the newest `limit` messages that match, in all chats outside the trash.

        A streaming answer is found by the text that it had before this request.
        """
        query = parse_query(text)
        if query is None:
            return []
        # CROSS JOIN keeps the index outermost, so that hits come in its order and the search ends with the limit.
        rows = self._database.execute(
            """
            SELECT
                messages.id, conversation_id, messages.created_at AS sent_at,
                CAST(content AS TEXT) AS content, CAST(title AS TEXT) AS title
            FROM search
            CROSS JOIN messages ON messages.time_key = search.rowid
            CROSS JOIN conversations ON conversations.id = conversation_id
            WHERE search MATCH ? AND trashed_at IS NULL ORDER BY search.rowid DESC""",
            (f"text : ({query.match})",),
        )
        return [
            MessageHit(row["id"], row["conversation_id"], row["title"], row["sent_at"], snippet(row["content"], query))
            for row in islice((row for row in rows if query.is_in(row["content"])), limit)
        ]

    def titles(self, text: str, limit: int = 20) -> list[TitleHit]:
        """Return at most `limit` chats outside the trash whose titles match, last used first."""
        query = parse_query(text)
        if query is None:
            return []
        rows = self._database.execute(
            """
            SELECT conversations.id, CAST(title AS TEXT) AS title
            FROM title_search JOIN conversations ON conversations.id = title_search.rowid
            WHERE title_search MATCH ? AND trashed_at IS NULL ORDER BY updated_at DESC""",
            (query.match,),
        )
        return [
            TitleHit(row["id"], row["title"], highlights(row["title"], query))
            for row in islice((row for row in rows if query.is_in(row["title"])), limit)
        ]

    def merge(self, pages: int = _MERGED_PAGES) -> bool:
        """Merge about that many pages of the indexes; return whether there is more to merge.

        The words of a deleted text stay in the index, unreachable, until the segments that hold them are merged: only
        then are they gone from the file.
        """
        before = self._database.connection.total_changes
        with self._database.write():
            for index in ("search", "title_search"):
                # A negative number merges all segments into one; FTS5 merges few by itself.
                self._database.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (-pages,))
        # The two statements themselves count as changes.
        return self._database.connection.total_changes - before > 2

    def rebuild(self) -> None:
        """Mend the texts that are not UTF-8, which the indexes cannot hold, and build both indexes anew.

        One transaction, during which nothing else can be written: it reads every text. Raises sqlite3.DatabaseError if
        the file is too damaged for that, and StoreNotWritable if the system refuses; nothing is changed then.
        """
        database = self._database
        with database.write():
            triggers = database.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            # The triggers, which keep the indexes up to date, would read a damaged text and fail.
            for trigger in triggers:
                database.execute(f"DROP TRIGGER {trigger['name']}")
            for table in _TABLES_WITH_TEXTS:
                self._mend_texts(table)
            # Both indexes are tables of FTS5 that store no texts. `index_text`, a function of the connection, returns
            # the words of a text.
            database.execute("INSERT INTO search (search) VALUES ('delete-all')")
            database.execute(
                """
                INSERT INTO search (rowid, text, chat)
                SELECT time_key, index_text(content), 'c' || conversation_id
                FROM messages WHERE content <> ''"""
            )
            database.execute("INSERT INTO title_search (title_search) VALUES ('delete-all')")
            database.execute(
                """
                INSERT INTO title_search (rowid, text)
                SELECT id, index_text(title) FROM conversations WHERE title <> ''"""
            )
            # They come back last, so that they do not run for the texts that were mended here.
            for trigger in triggers:
                database.execute(trigger["sql"])

    def _mend_texts(self, table: str) -> None:
        """Replace, in all text columns of a table, the bytes that are not UTF-8 and the texts that became BLOBs."""
        columns = self._database.rows(f"PRAGMA table_info({table})")
        for column in [row["name"] for row in columns if row["type"] == "TEXT"]:
            # One flipped bit turns a text into a BLOB, which the indexes cannot hold either. `mended`, a function of
            # the connection, returns the text that replaces these bytes, or NULL if they are sound.
            mended = f"coalesce(mended(CAST({column} AS BLOB)), CAST({column} AS TEXT))"
            # A text that would equal another one in a unique column stays as it is.
            self._database.execute(
                f"""
                UPDATE OR IGNORE {table} SET {column} = {mended}
                WHERE typeof({column}) = 'blob'
                OR typeof({column}) = 'text' AND mended(CAST({column} AS BLOB)) IS NOT NULL"""
            )
