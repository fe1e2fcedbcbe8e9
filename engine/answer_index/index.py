"""The index of earlier answers: a database of their tokens, and of where each run of RUN tokens ends in them.

A look-up finds the newest places behind the last tokens by one query, and compares what stands before them. A thread of
the index's own writes. A file that cannot be read is deleted.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sqlite3
import struct
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from engine.files import private_files
from engine.model_files.adapters import is_adapter

log = logging.getLogger(__name__)

# Shorter matches are found in any large collection of texts, whatever they continue with.
RUN = 8
# Bytes on disk that a token takes with its place, and the share of the budget that a full index gives up at once.
TOKEN_BYTES = 24
FREED = 1 / 8
_FILE = "answers.db"
_SIDE_FILES = ("", "-wal", "-shm", "-journal")
# A place is the number of an answer and a position in it; the position takes this many bits.
_POSITION_BITS = 32
# Deleted tokens are overwritten.
_SCHEMA = """
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma secure_delete = on;
    create table if not exists answers (
        id integer primary key autoincrement, tokenizer text not null, chat integer not null, tokens blob not null);
    create table if not exists runs (run integer, place integer, primary key (run, place)) without rowid;
"""
_FIND = f"""
    select place, substr(tokens, 1 + 4 * max(0, (place & {2**_POSITION_BITS - 1}) - :longest),
                         4 * min(:longest, place & {2**_POSITION_BITS - 1}))
    from (select place from runs where run = :run order by place desc limit :limit)
    join answers on id = place >> {_POSITION_BITS} where tokenizer = :tokenizer
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """How often answers used tokens: `tokens` in all, and by distinct id how often if only one chat used it, else 0."""

    tokens: int
    ids: np.ndarray
    alone: np.ndarray


class _CountedTokens(NamedTuple):
    """How many tokens the file has, while its `version` is the same: other programs that write to it change that."""

    tokens: int
    version: int


class AnswerIndex:
    """The answers of stored chats in `folder`, in about `budget` bytes, the oldest dropped first.

    `use` selects the tokenizer. All methods but `close` return at once; a future is done when the file is written, by
    earlier calls, too. Only the engine's thread calls them, and only the index's own thread writes.
    """

    def __init__(self, folder: Path, budget: int, *, deletes_first: bool = False) -> None:
        """`deletes_first` if `delete_index` could not delete the file in `folder`: it is deleted before it is used."""
        self._folder = folder
        self._path = folder / _FILE
        self._most_tokens = budget // TOKEN_BYTES
        self._worker = ThreadPoolExecutor(1, "answers")
        # Guards the two fields below.
        self._lock = Lock()
        # Look-ups find nothing while chats are being deleted, or before the file is open.
        self._cleanings = int(deletes_first)
        self._ready = False
        # Hashes of chats whose answers under way must not be added.
        self._forgotten: set[int] = set()
        self._tokenizer = ""
        # The connections of the index's thread and of look-ups.
        self._writing: sqlite3.Connection | None = None
        self._reading: sqlite3.Connection | None = None
        # How many cleanings failed, so that the whole file is to be deleted before anything else is done with it.
        self._undeleted = int(deletes_first)
        # The tokens in the file, if they were counted: a count reads all answers.
        self._counted: _CountedTokens | None = None
        self._post(self._drop_old_versions)

    def use(self, tokenizer: str) -> Future[None]:
        """Search and extend the answers made with this tokenizer from now on; "" is none."""
        self._tokenizer = tokenizer
        return self._post(self._open_known)

    def add(self, chat: str, tokens: Sequence[int]) -> None:
        """Add a finished answer. One of a chat that was forgotten since the start is ignored."""
        # A shorter answer has nothing to look up.
        if len(tokens) > RUN and self._tokenizer:
            self._post(partial(self._add, self._tokenizer, _hash(chat), _packed(tokens)))

    def forget(self, chats: Collection[str]) -> Future[None]:
        """Delete the answers of these chats for good: from look-ups now, from the file on the index's thread."""
        gone = {_hash(chat) for chat in chats}
        self._forgotten |= gone
        return self._post_cleaning(gone.__contains__)

    def forget_others(self, chats: Collection[str]) -> Future[None]:
        """Delete the answers of all other chats for good, as `forget` does."""
        kept_hashes = {_hash(chat) for chat in chats}
        return self._post_cleaning(lambda chat: chat not in kept_hashes)

    def usage(self) -> Future[Usage]:
        """Count the tokens of all answers, without those that are being forgotten."""
        return self._worker.submit(self._count, self._tokenizer)

    def close(self) -> None:
        """Finish what was begun, and end the index's thread."""
        self._post(self._retry_deletion)
        self._worker.submit(self._close)
        self._worker.shutdown()
        if self._reading is not None:
            self._reading.close()

    def occurrences(self, newest: Sequence[int], limit: int) -> list[tuple[int, int]]:
        """Find the last RUN of the `newest` tokens in the answers, the newest `limit` times.

        Returns the places after them, the newest first, each with the number of the `newest` tokens before it.
        """
        text = _packed(newest)
        occurrences = []
        run = _run(text[-4 * RUN :], self._tokenizer)
        for place, before in self._query(_FIND, longest=len(newest), run=run, limit=limit, tokenizer=self._tokenizer):
            if (length := _alike(text, before)) >= RUN:
                occurrences.append((place, length))
        return occurrences

    def following(self, place: int, count: int) -> list[int]:
        """Return up to `count` tokens of an answer from `place` on; none if it was forgotten."""
        answer = place >> _POSITION_BITS
        end = place & (1 << _POSITION_BITS) - 1
        query = "select substr(tokens, 1 + 4 * :end, 4 * :count) from answers where id = :answer"
        return [
            token
            for (tokens,) in self._query(query, answer=answer, end=end, count=count)
            for token in struct.unpack(f"<{len(tokens) // 4}I", tokens)
        ]

    def _query(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a look-up; none while the answers must not be seen."""
        with self._lock:
            if not self._ready or self._cleanings:
                return []
        try:
            if self._reading is None:
                # It must not make a file, and is closed on another thread if the file is deleted.
                place = f"{self._path.absolute().as_uri()}?mode=rw"
                self._reading = sqlite3.connect(place, uri=True, timeout=0.0, check_same_thread=False)
            return self._reading.execute(query, values).fetchall()
        except sqlite3.Error as error:
            log.info("the index of answers is not read: %s", error)
            self._reading = None
            return []

    # On the index's own thread

    def _post(self, work: Callable[[], object]) -> Future[None]:
        return self._worker.submit(self._guard, work)

    def _guard(self, work: Callable[[], object]) -> None:
        """Do `work`; what it raises is logged, and ends nothing."""
        try:
            work()
        except (OSError, sqlite3.Error) as error:
            log.warning("the index of answers cannot be written: %s", error)
        except Exception:
            log.exception("the index of answers failed")

    def _post_cleaning(self, goes: Callable[[int], bool]) -> Future[None]:
        with self._lock:
            self._cleanings += 1
        return self._post(partial(self._clean, goes))

    def _drop_old_versions(self) -> None:
        """Delete the folders that earlier versions had for each tokenizer."""
        for old in [path for path in self._folder.glob("*") if path.is_dir()]:
            shutil.rmtree(old)

    def _open_known(self) -> None:
        if self._path.exists():
            self._open()

    def _open(self) -> sqlite3.Connection:
        """Return the connection; a file that is none of ours is replaced. Raises `OSError` and `sqlite3.Error`."""
        self._retry_deletion()
        if self._writing is None:
            private_files.make_folder(self._folder)
            try:
                self._writing = _opened(self._path)
            except sqlite3.DatabaseError as error:
                log.warning("%s is ignored: %s", self._path, error)
                self._delete()
                self._writing = _opened(self._path)
            with self._lock:
                self._ready = True
        return self._writing

    def _add(self, tokenizer: str, chat: int, tokens: bytes) -> None:
        """Add an answer to the file, and drop the oldest ones if it has too many tokens.

        Raises `sqlite3.Error` and `OSError`.
        """
        if chat in self._forgotten:
            return
        file = self._open()
        [(version,)] = file.execute("pragma data_version")
        before, self._counted = self._counted, None
        with file:
            answer = file.execute("insert into answers values (null, ?, ?, ?)", (tokenizer, chat, tokens)).lastrowid
            assert answer is not None
            file.executemany("insert into runs values (?, ?)", _places(answer, tokenizer, tokens))
            if before is not None and before.version == version:
                token_count = before.tokens + len(tokens) // 4
            else:
                [(token_count,)] = file.execute("select coalesce(sum(length(tokens)), 0) / 4 from answers")
            if token_count > self._most_tokens:
                token_count -= self._drop_oldest(file, token_count - (1 - FREED) * self._most_tokens)
        self._counted = _CountedTokens(token_count, version)

    def _drop_oldest(self, file: sqlite3.Connection, tokens: float) -> int:
        """Delete answers of other tokenizers, then the oldest ones, until `tokens` are gone; return how many are."""
        rows = file.execute("select * from answers order by tokenizer = ?, id", (self._tokenizer,)).fetchall()
        gone = 0
        for row in rows:
            if gone >= tokens:
                break
            _remove(file, *row)
            gone += len(row[-1]) // 4
        return gone

    def _clean(self, goes: Callable[[int], bool]) -> None:
        """Remove the chats for which `goes` is true, also from the free pages of the file.

        Delete the file if nothing remains, or if it cannot be rewritten.
        """
        self._counted = None
        try:
            if self._path.exists():
                with self._open() as file:
                    for (chat,) in file.execute("select distinct chat from answers").fetchall():
                        if goes(chat):
                            for row in file.execute("select * from answers where chat = ?", (chat,)).fetchall():
                                _remove(file, *row)
                    [(left,)] = file.execute("select count(*) from answers")
                self._open().execute("pragma wal_checkpoint(truncate)")
                if not left:
                    self._delete()
        except (OSError, sqlite3.Error) as error:
            log.warning("%s is deleted, because it cannot be rewritten: %s", self._path, error)
            self._undeleted += 1
            self._retry_deletion()
            return
        with self._lock:
            self._cleanings -= 1

    def _retry_deletion(self) -> None:
        """Delete the file if chats could not be removed from it. Look-ups find nothing before. Raises `OSError`."""
        if self._undeleted:
            self._delete()
            with self._lock:
                self._cleanings -= self._undeleted
            self._undeleted = 0

    def _count(self, tokenizer: str) -> Usage:
        """Return the usage of tokens in the answers of one tokenizer; nothing if the file cannot be read."""
        rows = list[tuple[int, bytes]]()
        try:
            if self._path.exists():
                query = "select chat, tokens from answers where tokenizer = ?"
                rows = self._open().execute(query, (tokenizer,)).fetchall()
        except (OSError, sqlite3.Error) as error:
            log.warning("the tokens of answers cannot be counted: %s", error)
        parts = [np.frombuffer(tokens, "<u4") for _, tokens in rows]
        tokens = np.concatenate([np.empty(0, np.uint32), *parts])
        chats = np.unique([chat for chat, _ in rows], return_inverse=True)[1]
        # Each chat's tokens side by side: a number for the chat in the upper half, the id in the lower one.
        numbers = np.repeat(chats.astype(np.uint64), np.array([len(part) for part in parts], int)) << np.uint64(32)
        used, counts = np.unique(numbers | tokens, return_counts=True)
        ids, first, in_chats = np.unique(used & np.uint64(2**32 - 1), return_index=True, return_counts=True)
        return Usage(len(tokens), ids.astype(np.int64), np.where(in_chats == 1, counts[first], 0))

    def _delete(self) -> None:
        """Close and delete the file. Raises `OSError`."""
        self._counted = None
        with self._lock:
            self._ready = False
        self._close()
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.close()
        _delete_files(self._path)

    def _close(self) -> None:
        if self._writing is not None:
            with suppress(sqlite3.Error):
                self._writing.close()
            self._writing = None


def delete_index(folder: Path) -> bool:
    """Delete the index in a folder, which nothing may have open; return whether it is gone. A failure is logged."""
    try:
        _delete_files(folder / _FILE)
    except OSError as error:
        log.info("the index of answers in %s is deleted later: %s", folder, error)
        return False
    return True


def tokenizer_name(model: Path) -> str:
    """Return a name of the tokenizer in a model's folder: models with equal files share answers, but no adapters."""
    if is_adapter(model):
        return hashlib.sha256(str(model).encode()).hexdigest()[:32]
    try:
        with (model / "tokenizer.json").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]
    except OSError:
        return hashlib.sha256(str(model).encode()).hexdigest()[:32]


def _delete_files(path: Path) -> None:
    """Delete the file with those that SQLite writes beside it. Raises `OSError`."""
    for side in _SIDE_FILES:
        Path(f"{path}{side}").unlink(missing_ok=True)


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection to the file, which only its owner can read. Raises `sqlite3.Error` and `OSError`."""
    private_files.create(path)
    file = sqlite3.connect(path)
    try:
        file.executescript(_SCHEMA)
    except sqlite3.Error:
        file.close()
        raise
    return file


def _remove(file: sqlite3.Connection, answer: int, tokenizer: str, _chat: int, tokens: bytes) -> None:
    file.executemany("delete from runs where run = ? and place = ?", _places(answer, tokenizer, tokens))
    file.execute("delete from answers where id = ?", (answer,))


def _places(answer: int, tokenizer: str, tokens: bytes) -> list[tuple[int, int]]:
    """Return the runs of an answer, each with the place behind it."""
    ends = range(4 * RUN, len(tokens) + 1, 4)
    return sorted((_run(tokens[end - 4 * RUN : end], tokenizer), answer << _POSITION_BITS | end // 4) for end in ends)


def _run(tokens: bytes, tokenizer: str) -> int:
    """Return the number by which a run of tokens is found; others may have the same."""
    return crc32(tokens, crc32(tokenizer.encode()))


def _hash(chat: str) -> int:
    return int.from_bytes(hashlib.sha256(chat.encode()).digest()[:8], "little", signed=True)


def _packed(tokens: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(tokens)}I", *tokens)


def _alike(first: bytes, other: bytes) -> int:
    """Return how many tokens at the ends of both are the same."""
    most = min(len(first), len(other)) // 4
    return next((count for count in range(most) if first[-4 * count - 4 :][:4] != other[-4 * count - 4 :][:4]), most)
