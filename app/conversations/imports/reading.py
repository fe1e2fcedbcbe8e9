"""Imports a file: detects its format, reads it chat by chat, and reports which chats were imported or skipped."""

from __future__ import annotations

import sqlite3
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from fnmatch import fnmatch
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from app.conversations.exports.writing import StoreRunner
from app.conversations.imports import fields, json_steps
from app.conversations.imports.adding import ADDED, EXTENDED, UNCHANGED, add
from app.conversations.imports.apps import APPS, is_message
from app.conversations.imports.chatgpt import CHATGPT
from app.conversations.imports.cherry_studio import CHERRY_STUDIO
from app.conversations.imports.claude import CLAUDE
from app.conversations.imports.claude_code import CLAUDE_CODE
from app.conversations.imports.codex import CODEX
from app.conversations.imports.imported import (
    EMPTY,
    IN_TRASH,
    OF_AGENTS,
    UNREADABLE,
    ChatReader,
    ImportedConversation,
    ImportReport,
    Skipped,
)
from app.conversations.imports.lobe_chat import LOBE_CHAT
from app.conversations.imports.ollama_app import OLLAMA_APP
from app.conversations.imports.perplexity import PERPLEXITY
from app.conversations.imports.pictures import Files, files_of
from app.conversations.imports.silly_tavern import SILLY_TAVERN
from app.conversations.imports.tandem import TANDEM

_Step = Callable[[], object]

# Each recognises its chats by fields that none before it has.
_READERS = (
    TANDEM, CHATGPT, CLAUDE, CHERRY_STUDIO, OLLAMA_APP, PERPLEXITY, CLAUDE_CODE, CODEX, SILLY_TAVERN, LOBE_CHAT, *APPS
)  # fmt: skip
# The files with the chats in exports of ChatGPT, which splits large histories into conversations-000.json and so on,
# Claude, DeepSeek and Perplexity, and of Cherry Studio, Grok and Gemini.
_EXPORTS = ("conversations*.json", "data.json", "prod-grok-backend.json", "MyActivity.json")
# JSON files beside chats: Jan's thread is read with its messages, and Claude Code keeps lists of sessions and agents.
_WITHOUT_CHATS = (".*", "thread.json*", "sessions-index.json", "*.meta.json")
_JSON_SUFFIXES = (".json", ".jsonl")
# A session that Codex compressed. It is tried, so that the report says that it could not be read.
_PACKED = ".jsonl.zst"
# The beginning of every SQLite file.
_DATABASE = b"SQLite format 3\0"
# Bytes. A whole history is some hundred megabytes, of whose chats only one is in memory at a time.
LARGEST_FILE = 2**30
# A file may have a list or an object for each of so many bytes. The shortest ones in chats are the tokens in Tandem's
# exports, 24 bytes each.
_BYTES_A_CONTAINER = 12
# Small files may have so many more.
_FREE_CONTAINERS = 100_000
# Text seldom shrinks to a tenth; only endless repetition shrinks to a hundredth. Small members may do so.
_LARGEST_RATIO = 100
_FREE_OF_RATIO = 2**24
# In characters.
LONGEST_TITLE = 300


def import_file(run: StoreRunner, path: Path, step: Callable[[int], object] = lambda _done: None) -> ImportReport:
    """Import a file of chats, or a folder of such files, and report which chats were added.

    A file is JSON or JSONL, a ZIP file of an app, the database of Ollama's app, or the messages.jsonl of a Jan thread.

    Call it on a thread that may wait: `run` uses the store's thread for one chat at a time, so that streaming answers
    are written in between. Between two chats, and while the file is read, `step` gets the number of chats so far; an
    exception from it ends the import there. Each chat is imported whole or not at all, and importing the file again
    adds the rest. Raises OSError if the file cannot be read; the report has everything else that is wrong.
    """
    outcomes: dict[str, list[int]] = {ADDED: [], EXTENDED: [], UNCHANGED: []}
    skipped: list[Skipped] = []
    left_out: Counter[str] = Counter()

    def pause() -> None:
        step(sum(map(len, outcomes.values())))

    for conversation in _conversations(path, pause):
        pause()
        if isinstance(conversation, Skipped):
            skipped.append(conversation)
            continue
        try:
            outcome, identity = run(partial(add, conversation=conversation))
        except (*UNREADABLE, sqlite3.IntegrityError) as error:
            # A readable chat may hold values that no column takes.
            skipped.append(Skipped(conversation.title, "unreadable", f"{type(error).__name__}: {error}"))
            continue
        if outcome == IN_TRASH:
            skipped.append(Skipped(conversation.title, IN_TRASH))
            continue
        outcomes[outcome].append(identity)
        if outcome != UNCHANGED:
            left_out.update(conversation.left_out)
    return ImportReport(
        added=tuple(outcomes[ADDED]),
        extended=tuple(outcomes[EXTENDED]),
        unchanged=tuple(outcomes[UNCHANGED]),
        skipped=tuple(skipped),
        left_out={reason: count for reason, count in left_out.items() if count},
    )


def _conversations(path: Path, step: _Step) -> Iterator[ImportedConversation | Skipped]:
    """Yield the chats, and what could not be read."""
    with ExitStack() as stack:
        files = files_of(path, stack)
        name = ""
        for name, data in _documents(path, step):
            try:
                yield from [data] if isinstance(data, Skipped) else _chats(name, data, files)
            except sqlite3.DatabaseError as error:
                yield Skipped(name, "unknown-format", str(error))
        if not name:
            yield Skipped(path.name, "unknown-format")


def _chats(name: str, data: Any, files: Files) -> Iterator[ImportedConversation | Skipped]:
    """Yield the chats of a document. In a list, the first recognised entry decides which reader reads all entries."""
    entries = data if isinstance(data, list | json_steps.StreamedItems) else [data]
    if any(map(is_message, islice(entries, 1))):
        entries = [{"messages": list(entries)}]
    reader = _reader_of(entries)
    inner = data.get("conversations") if isinstance(data, dict) else None
    if reader is not None:
        yield from (_read(reader, entry, files) for entry in reader.entries(entries))
    elif isinstance(inner, list | json_steps.StreamedItems):
        yield from _chats(name, inner, files)
    else:
        yield Skipped(name, "unknown-format")


def _reader_of(entries: Iterable[Any]) -> ChatReader | None:
    """Return the first reader that recognises an entry, of the first entry that any reader recognises."""
    for entry in entries:
        for reader in _READERS:
            if reader.recognises(entry):
                return reader
    return None


def _read(reader: ChatReader, entry: object, files: Files) -> ImportedConversation | Skipped:
    """Return the chat of an entry, or why it is skipped."""
    title = " ".join(fields.text(entry, reader.title).split())[:LONGEST_TITLE]
    try:
        conversation = reader.read(entry, files)
    except UNREADABLE as error:
        return Skipped(title, "unreadable", f"{type(error).__name__}: {error}")
    if conversation.messages:
        return replace(conversation, title=title)
    return Skipped(title, OF_AGENTS if conversation.left_out.get(OF_AGENTS) else EMPTY)


def _documents(path: Path, step: _Step) -> Iterator[tuple[str, Any]]:
    """Yield the names and JSON values in a file, of a ZIP file's members, of a folder's files, or of a Jan thread.

    For a database, the value is its path; for an unreadable file, it is a `Skipped`.
    """
    if path.is_dir():
        for name in _with_chats(str(file) for file in sorted(path.rglob("*")) if file.is_file()):
            yield from _documents(Path(name), step)
    elif path.name == "messages.jsonl":
        yield path.parent.name, _jan_thread(path.parent, step)
    elif zipfile.is_zipfile(path):
        yield from _zipped(path, step)
    elif path.stat().st_size > LARGEST_FILE:
        yield path.name, Skipped(path.name, "too-large")
    elif _is_database(path):
        yield path.name, path
    else:
        yield from _values(path.name, path.read_bytes(), step)


def _is_database(path: Path) -> bool:
    """Return whether the file is one of SQLite."""
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def _with_chats(names: Iterable[str]) -> list[str]:
    """Return the names of the files with chats: only those of an app's export if there are any, else all JSON files."""
    shown = [name for name in names if not _is_one_of(name, _WITHOUT_CHATS)]
    exports = [name for name in shown if _is_one_of(name, _EXPORTS)]
    return exports or [name for name in shown if _may_have_chats(name)]


def _is_one_of(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(Path(name).name, pattern) for pattern in patterns)


def _may_have_chats(name: str) -> bool:
    """Return whether a file is JSON by its name; AI Studio's files have no suffix."""
    is_file = not name.endswith("/")
    return is_file and (Path(name).suffix.lower() in ("", *_JSON_SUFFIXES) or name.endswith(_PACKED))


def _zipped(path: Path, step: _Step) -> Iterator[tuple[str, Any]]:
    """Yield the names and JSON values of the members with chats."""
    with zipfile.ZipFile(path) as archive:
        members = {member.filename: member for member in archive.infolist()}
        for full_name in _with_chats(members):
            name = Path(full_name).name
            member = members[full_name]
            if member.file_size > min(LARGEST_FILE, _FREE_OF_RATIO + member.compress_size * _LARGEST_RATIO):
                yield name, Skipped(name, "too-large")
                continue
            try:
                content = archive.read(member)
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
                yield name, Skipped(name, "unreadable", str(error))
                continue
            yield from _values(name, content, step)


def _values(name: str, content: bytes, step: _Step) -> Iterator[tuple[str, Any]]:
    """Yield the name and the JSON value of a file; for a file of JSON lines, the list of the values of its lines."""
    if not name.lower().endswith(".jsonl"):
        yield name, _parsed(name, content, step)
        return
    lines, unreadable = _lines(name, content, step)
    yield name, lines
    if unreadable:
        yield name, Skipped(name, "unreadable", f"{unreadable} lines")


def _jan_thread(folder: Path, step: _Step) -> Any:
    """Return a thread as the object that the reader of Jan's chats takes; a line that is not JSON is None."""
    thread_file = folder / "thread.json"
    messages = folder / "messages.jsonl"
    thread = _parsed(thread_file.name, thread_file.read_bytes(), step) if thread_file.exists() else {}
    lines, unreadable = _lines(messages.name, messages.read_bytes(), step)
    # The folder has the name of the thread.
    return {"thread": {"id": folder.name} | thread, "lines": [*lines, *[None] * unreadable]}


def _lines(name: str, content: bytes, step: _Step) -> tuple[list[Any], int]:
    """Return the JSON value of each line, and how many lines have none."""
    lines = [_parsed(name, line, step) for line in content.splitlines() if line.strip()]
    readable = [line for line in lines if not isinstance(line, Skipped)]
    return readable, len(lines) - len(readable)


def _parsed(name: str, content: bytes, step: _Step) -> Any:
    """Return the JSON value of a text, or a `Skipped` with the `name`."""
    most = _FREE_CONTAINERS + len(content) // _BYTES_A_CONTAINER
    if json_steps.count_containers(content, most) > most:
        return Skipped(name, "too-large", "more lists and objects than chats have")
    try:
        text = content.decode("utf-8-sig")
        # Only the text stays in memory now.
        del content
        return json_steps.parse(text, step)
    except (ValueError, RecursionError) as error:
        return Skipped(name, "not-json", str(error))
