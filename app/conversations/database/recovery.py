"""Mends a damaged store: in place what follows from its rows, or else by copying these into a sound store."""

from __future__ import annotations

import difflib
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.conversations.database.database import Database, readable
from app.conversations.database.errors import is_damage
from app.conversations.database.page_rows import SchemaColumn, columns_of, readable_rows, repair_header, rows_of_pages
from app.conversations.database.records import ROLES, STATES, TOOL
from app.conversations.database.schema import LATEST, migrate
from app.conversations.database.store_files import remove_side_files

# Parents before children, so that a lost parent is known when its children come.
_TABLES = ("folders", "presets", "conversations", "messages", "chunks", "token_views", "requests")
# More problems than a file has pages.
_MOST_PROBLEMS = 2**30
# Signals of Qt carry no larger ids.
_LARGEST_ID = 2**31 - 1
# Ids are never used again, so that a parent has the lower one.
_WRONG_PARENT = """
    SELECT 'messages' FROM messages JOIN messages AS parent ON parent.id = messages.parent_id
    WHERE parent.conversation_id <> messages.conversation_id OR parent.id >= messages.id LIMIT 1"""


def mend_in_place(database: Database) -> None:
    """Rebuild the indexes of an open store, and repair what refers to rows that are lost.

    Raises sqlite3.DatabaseError if the file is too damaged for that, and StoreNotWritable if the system refuses.
    """
    connection = database.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        with database.write() as changes:
            connection.execute("REINDEX")
            _mend_references(connection)
            changes.conversations.update(database.ids("SELECT id FROM conversations"))
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def problem_in(path: Path) -> str | None:
    """Return the first damage in a closed store without a log, also in indexes and references; None if it is sound."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
        connection.text_factory = readable
        try:
            verdict: str = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return broken_reference(connection) if verdict == "ok" else verdict
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                return str(error)
            raise


def broken_reference(connection: sqlite3.Connection) -> str | None:
    """Return which table has a row that refers to a lost row, or to a message that cannot be its parent."""
    lost = connection.execute("PRAGMA foreign_key_check").fetchone() or connection.execute(_WRONG_PARENT).fetchone()
    return None if lost is None else f"a row of {lost[0]} has a broken reference"


@dataclass(frozen=True, slots=True)
class Salvage:
    """How many chats and messages were read, and whether these are all that the file had."""

    conversations: int = 0
    messages: int = 0
    complete: bool = True


def salvage(working: Path, target: sqlite3.Connection) -> Salvage:
    """Copy every readable row into the empty `target`, and migrate that to the latest version.

    `working` is a copy of the damaged file, perhaps with a log, and is changed. Messages that lost their chat get a new
    one without a title. A message that lost its parent goes below the parent's parent, if that is known, or becomes a
    first message.
    """
    repair_header(working, with_log=Path(f"{working}-wal").exists())
    with closing(sqlite3.connect(working, isolation_level=None)) as source:
        source.row_factory = sqlite3.Row
        source.text_factory = readable
        # With this, one damaged entry of the schema does not hide the others.
        source.execute("PRAGMA writable_schema = ON")
        migrate(target, to=_version_of_tables(source))
        target.execute("PRAGMA foreign_keys = OFF")
        target.execute("BEGIN IMMEDIATE")
        tables = {table: columns for table in _TABLES if (columns := columns_of(target, table))}
        lost = {table: columns for table, columns in tables.items() if not _copy_table(source, target, table, columns)}
        if _has_unreached_pages(source):
            lost |= {table: tables[table] for table in ("conversations", "messages")}
    if lost:
        # Closing has moved the content of the log into the file.
        remove_side_files(working)
        # Some builds of SQLite never let a program change a schema: then the rows that were read until now are kept.
        with suppress(sqlite3.DatabaseError):
            for table, values in rows_of_pages(working, lost):
                _insert(target, table, values)
    _mend_references(target)
    target.execute("COMMIT")
    target.execute("PRAGMA foreign_keys = ON")
    migrate(target)
    return Salvage(
        conversations=target.execute("SELECT count(*) FROM conversations").fetchone()[0],
        messages=target.execute("SELECT count(*) FROM messages").fetchone()[0],
        complete=not lost,
    )


def _version_of_tables(source: sqlite3.Connection) -> int:
    """Return the latest version for whose tables the file has enough columns.

    Neither the number in its header nor the names of columns count: both may be damaged. A table that the file lacks is
    taken for lost.
    """
    for version in range(LATEST, 0, -1):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
            pattern.row_factory = sqlite3.Row
            migrate(pattern, to=version)
            try:
                if not any(0 < len(columns_of(source, table)) < len(columns_of(pattern, table)) for table in _TABLES):
                    return version
            except (sqlite3.Error, UnicodeDecodeError):
                return LATEST
    return LATEST


def _has_unreached_pages(source: sqlite3.Connection) -> bool:
    """Return whether the file has pages that no table leads to, as after a lost write of a page above them."""
    try:
        return any("never used" in row[0] for row in source.execute(f"PRAGMA quick_check({_MOST_PROBLEMS})"))
    except (sqlite3.Error, UnicodeDecodeError):
        return True


def _copy_table(
    source: sqlite3.Connection, target: sqlite3.Connection, table: str, columns: list[SchemaColumn]
) -> bool:
    """Copy the rows of a table that SQLite reaches; return whether that was all of them."""
    key = "message_id" if table == "chunks" else "rowid"
    names = [column.name for column in columns if not column.generated]
    rows, complete = readable_rows(source, table, key, names)
    for row in rows:
        complete &= _insert(target, table, dict(zip(names, tuple(row)[1:], strict=True)))
    return complete


def _insert(target: sqlite3.Connection, table: str, values: dict[str, Any]) -> bool:
    """Insert a row, with `_mended` values if need be; return whether the table has it now."""
    for row in (values, _mended(target, table, values)):
        statement = f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        try:
            if target.execute(statement, tuple(row.values())).rowcount:
                return True
        except (sqlite3.Error, OverflowError, UnicodeError):
            continue
    if table == "chunks":
        return False
    row_id = next(iter(values.values()))
    return target.execute(f"SELECT 1 FROM {table} WHERE rowid = ?", (row_id,)).fetchone() is not None


def _mended(target: sqlite3.Connection, table: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the row with defaults where a column may not be null, and with a uid and a time key of its own."""
    mended = dict(values)
    for column in target.execute(f"PRAGMA table_info({table})"):
        name = column["name"]
        default = column["dflt_value"]
        if column["notnull"] and mended.get(name) is None:
            mended[name] = 0 if default is None else str(default).strip("'")
    identity = values.get("id")
    if "uid" in mended:
        mended["uid"] = f"recovered-{identity}"
    if table == "conversations":
        mended["origin"] = None
    elif table == "messages" and isinstance(identity, int):
        mended["time_key"] = -identity
        mended["role"] = _nearest(mended["role"], (*ROLES, TOOL))
        mended["state"] = _nearest(mended["state"], STATES)
    return mended


def _nearest(word: Any, known: tuple[str, ...]) -> str:
    """Return the known word that is most like a damaged one."""
    return difflib.get_close_matches(str(word), known, n=1, cutoff=0.0)[0]


# Messages that lost their chat get the one of their parent, or a new one.
_MEND_CHATS = (
    """
    UPDATE OR IGNORE messages SET conversation_id = parent.conversation_id
    FROM messages AS parent JOIN conversations ON conversations.id = parent.conversation_id
    WHERE parent.id = messages.parent_id AND messages.conversation_id NOT IN (SELECT id FROM conversations)""",
    # A damaged number may be a text now, or so large that further chats would have no ids.
    f"""
    UPDATE messages SET conversation_id = 0, uid = 'recovered-' || id
    WHERE typeof(conversation_id) <> 'integer' OR NOT conversation_id BETWEEN 0 AND {_LARGEST_ID}""",
    "UPDATE messages SET time_key = -id WHERE typeof(time_key) <> 'integer'",
    """
    INSERT INTO conversations (id, uid, created_at, updated_at)
    SELECT conversation_id, 'recovered-' || conversation_id, min(created_at), max(created_at)
    FROM messages
    WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id""",
)
# A parent is an older message of the same chat. Another one is replaced by the newest older message that selects this
# message or its lost parent, or else by none.
_MEND_PARENTS = (
    """
    UPDATE messages SET parent_id = (
        SELECT max(id) FROM messages AS above
        WHERE selected_child IN (messages.id, messages.parent_id)
        AND conversation_id = messages.conversation_id AND id < messages.id
    )
    WHERE parent_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM messages AS parent
        WHERE id = messages.parent_id AND conversation_id = messages.conversation_id AND id < messages.id
    )""",
)
# Siblings are numbered without gaps, in the order that they had.
_NUMBER_SIBLINGS = (
    """
    CREATE TEMP TABLE positions AS SELECT id, row_number() OVER (
        PARTITION BY conversation_id, parent_id ORDER BY position, id
    ) - 1 AS position FROM messages""",
    "CREATE INDEX temp.positions_by_id ON positions (id)",
    "UPDATE messages SET position = (SELECT positions.position FROM positions WHERE positions.id = messages.id)",
    "DROP TABLE positions",
)
# Where a selected message is lost, the last one of its siblings is selected.
_MEND_SELECTIONS = (
    """
    UPDATE messages SET selected_child = (
        SELECT child.id FROM messages AS child WHERE child.parent_id = messages.id
        ORDER BY child.position DESC LIMIT 1
    )
    WHERE selected_child IS NULL
    OR selected_child NOT IN (SELECT child.id FROM messages AS child WHERE child.parent_id = messages.id)""",
    """
    UPDATE conversations SET selected_root = (
        SELECT id FROM messages WHERE conversation_id = conversations.id AND parent_id IS NULL
        ORDER BY position DESC, id DESC LIMIT 1
    )
    WHERE selected_root IS NULL OR selected_root NOT IN (
        SELECT id FROM messages WHERE conversation_id = conversations.id AND parent_id IS NULL
    )""",
)
_REMOVE_STRAY_ROWS = (
    "UPDATE conversations SET folder_id = NULL WHERE folder_id NOT IN (SELECT id FROM folders)",
    "DELETE FROM chunks WHERE message_id NOT IN (SELECT id FROM messages)",
    "DELETE FROM token_views WHERE message_id NOT IN (SELECT id FROM messages)",
)
# In this order: positions need parents, and selections need both.
_MEND_REFERENCES = (*_MEND_CHATS, *_MEND_PARENTS, *_NUMBER_SIBLINGS, *_MEND_SELECTIONS, *_REMOVE_STRAY_ROWS)


def _mend_references(target: sqlite3.Connection) -> None:
    """Repair what refers to rows that are lost: chats, parents, positions and selections of messages.

    References must not be enforced meanwhile (`PRAGMA foreign_keys = OFF`).
    """
    for statement in _MEND_REFERENCES:
        target.execute(statement)
    # Version 1 has no such table.
    if columns_of(target, "requests"):
        target.execute("DELETE FROM requests WHERE message_id NOT IN (SELECT id FROM messages)")
