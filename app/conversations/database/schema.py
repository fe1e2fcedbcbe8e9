"""The tables, as a list of versions, each of which migrates the one before it in a single transaction.

The statements of a released version never change; a later change is a new version. `user_version` holds the version.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing


def _messages(name: str, roles: str, more: str = "") -> str:
    """Return the statement that creates the table of messages, with `more` columns at its end."""
    return f"""
    CREATE TABLE {name} (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL,
        conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent_id INTEGER REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
        selected_child INTEGER REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
        position INTEGER NOT NULL,
        time_key INTEGER NOT NULL UNIQUE,
        role TEXT NOT NULL CHECK (role IN ({roles})),
        content TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL CHECK (state IN ('complete', 'streaming', 'interrupted', 'failed')),
        created_at REAL NOT NULL,
        attachments TEXT NOT NULL DEFAULT '[]',
        main_model TEXT NOT NULL DEFAULT '',
        draft_model TEXT NOT NULL DEFAULT '',
        method TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL DEFAULT '{{}}',
        seed TEXT,
        stats TEXT,
        finish_reason TEXT,
        error TEXT,{more}
        UNIQUE (conversation_id, uid)
    )"""


_MESSAGE_INDEXES = (
    "CREATE INDEX messages_by_parent ON messages (parent_id, position)",
    "CREATE INDEX messages_by_selected_child ON messages (selected_child) WHERE selected_child IS NOT NULL",
    "CREATE INDEX messages_at_root ON messages (conversation_id, position) WHERE parent_id IS NULL",
    "CREATE INDEX messages_streaming ON messages (conversation_id) WHERE state = 'streaming'",
)
_MESSAGE_TRIGGERS = (
    """
    CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.content <> '' BEGIN
        INSERT INTO search (rowid, text, chat)
        VALUES (new.time_key, index_text(new.content), 'c' || new.conversation_id);
    END""",
    """
    CREATE TRIGGER messages_unindexed AFTER DELETE ON messages WHEN old.content <> '' BEGIN
        INSERT INTO search (search, rowid, text, chat)
        VALUES ('delete', old.time_key, index_text(old.content), 'c' || old.conversation_id);
    END""",
    """
    CREATE TRIGGER messages_reindexed AFTER UPDATE OF content ON messages
    WHEN new.content <> old.content BEGIN
        INSERT INTO search (search, rowid, text, chat)
        SELECT 'delete', old.time_key, index_text(old.content), 'c' || old.conversation_id
        WHERE old.content <> '';
        INSERT INTO search (rowid, text, chat)
        SELECT new.time_key, index_text(new.content), 'c' || new.conversation_id
        WHERE new.content <> '';
    END""",
)


# Version 1: folders, conversations, the tree of messages, chunks of streaming answers, token views, and two indexes.
#
# The visible path of a chat is the chain of selected children from its selected root; its end, the active leaf, is not
# stored. Parents do not cascade, because SQLite refuses to follow cascades past 1,000 messages.
# `time_key` is created_at in microseconds, made unique: it orders the index, so that the newest hits come first without
# sorting all of them.
_V1 = (
    """
    CREATE TABLE folders (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        position INTEGER NOT NULL
    )""",
    """
    CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        origin TEXT UNIQUE,
        title TEXT NOT NULL DEFAULT '',
        title_edited INTEGER NOT NULL DEFAULT 0,
        folder_id INTEGER REFERENCES folders (id) ON DELETE SET NULL,
        pin_position INTEGER,
        archived_at REAL,
        trashed_at REAL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        system_prompt TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL DEFAULT '{}',
        draft TEXT NOT NULL DEFAULT '',
        draft_attachments TEXT NOT NULL DEFAULT '[]',
        selected_root INTEGER REFERENCES messages (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
    )""",
    "CREATE INDEX conversations_by_folder ON conversations (folder_id)",
    "CREATE INDEX conversations_by_selected_root ON conversations (selected_root)",
    _messages("messages", "'system', 'user', 'assistant'"),
    *_MESSAGE_INDEXES,
    """
    CREATE TABLE chunks (
        message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        tokens BLOB NOT NULL,
        PRIMARY KEY (message_id, number)
    ) WITHOUT ROWID""",
    """
    CREATE TABLE token_views (
        message_id INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
        tokens BLOB NOT NULL
    )""",
    """
    CREATE VIRTUAL TABLE search USING fts5 (
        text, chat, content = '', tokenize = 'ascii', prefix = '1 2 3'
    )""",
    *_MESSAGE_TRIGGERS,
    "CREATE VIRTUAL TABLE title_search USING fts5 (text, content = '', tokenize = 'ascii', prefix = '1 2 3')",
    """
    CREATE TRIGGER titles_indexed AFTER INSERT ON conversations WHEN new.title <> '' BEGIN
        INSERT INTO title_search (rowid, text) VALUES (new.id, index_text(new.title));
    END""",
    """
    CREATE TRIGGER titles_unindexed AFTER DELETE ON conversations WHEN old.title <> '' BEGIN
        INSERT INTO title_search (title_search, rowid, text) VALUES ('delete', old.id, index_text(old.title));
    END""",
    """
    CREATE TRIGGER titles_reindexed AFTER UPDATE OF title ON conversations WHEN new.title <> old.title BEGIN
        INSERT INTO title_search (title_search, rowid, text)
        SELECT 'delete', old.id, index_text(old.title) WHERE old.title <> '';
        INSERT INTO title_search (rowid, text) SELECT new.id, index_text(new.title) WHERE new.title <> '';
    END""",
)

# Columns of figures that SQLite reads out of the statistics when a row is written.
_FIGURES = ",\n        ".join(
    f"{name} {kind} AS (json_extract(stats, '$.{name}')) STORED"
    for kind, names in (
        ("INTEGER", ("prompt_tokens", "generated_tokens", "rounds", "drafted", "accepted")),
        ("REAL", ("accept_rate", "tokens_per_round", "ttft_s", "decode_tps", "plain_tps", "speedup")),
    )
    for name in names
)


def _requests(null: str, more: str = "") -> str:
    """Return the statement that creates the table of requests; `null` is the constraint of its message."""
    return f"""
    CREATE TABLE requests (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        message_id INTEGER{null} REFERENCES messages (id) ON DELETE CASCADE,
        finished_at REAL NOT NULL,
        main_model TEXT NOT NULL,
        draft_model TEXT NOT NULL,
        method TEXT NOT NULL,
        finish_reason TEXT NOT NULL,
        stats TEXT NOT NULL,{more}
        {_FIGURES}
    )"""


# Version 2: the request history. Each request to the engine has a row, so a continued answer has two, and a copied chat
# has none, because its answers were not computed again.
_V2 = (
    _requests(" NOT NULL"),
    "CREATE INDEX requests_by_message ON requests (message_id)",
    "CREATE INDEX requests_by_time ON requests (finished_at)",
    "CREATE INDEX requests_by_pair ON requests (main_model, draft_model, method)",
    """
    INSERT INTO requests (message_id, finished_at, main_model, draft_model, method, finish_reason, stats)
    SELECT id, created_at, main_model, draft_model, method, coalesce(finish_reason, ''), stats
    FROM messages WHERE stats IS NOT NULL ORDER BY time_key""",
)

# Version 3: presets, the nameless one for new chats, and folders that are closed in the list.
_V3 = (
    """
    CREATE TABLE presets (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        system_prompt TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL DEFAULT '{}'
    )""",
    "ALTER TABLE folders ADD COLUMN closed INTEGER NOT NULL DEFAULT 0",
)

# Version 4: the rounds of an answer, next to its tokens. Older answers have none.
_V4 = (
    "ALTER TABLE chunks ADD COLUMN rounds BLOB NOT NULL DEFAULT x''",
    "ALTER TABLE token_views ADD COLUMN rounds BLOB NOT NULL DEFAULT x''",
)

# Version 5: requests of other programs, which belong to no message. `client` and `endpoint` are empty for chats.
_V5 = (
    "ALTER TABLE requests RENAME TO requests_of_messages",
    _requests(
        "",
        """
        client TEXT NOT NULL DEFAULT '',
        endpoint TEXT NOT NULL DEFAULT '',""",
    ),
    """
    INSERT INTO requests (id, message_id, finished_at, main_model, draft_model, method, finish_reason, stats)
    SELECT id, message_id, finished_at, main_model, draft_model, method, finish_reason, stats
    FROM requests_of_messages ORDER BY id""",
    "DROP TABLE requests_of_messages",
    "CREATE INDEX requests_by_message ON requests (message_id) WHERE message_id IS NOT NULL",
    "CREATE INDEX requests_by_time ON requests (finished_at)",
    "CREATE INDEX requests_by_pair ON requests (main_model, draft_model, method)",
    "CREATE INDEX requests_of_programs ON requests (id) WHERE message_id IS NULL",
)

# Version 6: messages of tools, below the answers that call them. `tool_use` is the call as JSON; others have none.
# SQLite cannot change a CHECK, so the table is replaced by another one, with the last id that was given.
_V6 = (
    _messages("messages_with_tools", "'system', 'user', 'assistant', 'tool'", "\n        tool_use TEXT,"),
    """
    INSERT INTO sqlite_sequence (name, seq)
    SELECT 'messages_with_tools', seq FROM sqlite_sequence WHERE name = 'messages'""",
    "INSERT INTO messages_with_tools SELECT *, NULL FROM messages ORDER BY id",
    "DROP TABLE messages",
    "ALTER TABLE messages_with_tools RENAME TO messages",
    *_MESSAGE_INDEXES,
    *_MESSAGE_TRIGGERS,
)

# Version 7: attachments may be pictures, which are files; these find the rows that refer to one.
_V7 = (
    """CREATE INDEX messages_with_pictures ON messages (id) WHERE instr(attachments, '"picture":{') > 0""",
    """
    CREATE INDEX unsent_pictures ON conversations (id) WHERE instr(draft_attachments, '"picture":{') > 0""",
)

# Version 8: what the chats of a folder begin with. `files` is a list of sources as JSON.
_V8 = (
    "ALTER TABLE folders ADD COLUMN uid TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE folders ADD COLUMN instructions TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE folders ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE folders ADD COLUMN files TEXT NOT NULL DEFAULT '[]'",
    "UPDATE folders SET uid = lower(hex(randomblob(16)))",
)

VERSIONS: tuple[tuple[str, ...], ...] = (_V1, _V2, _V3, _V4, _V5, _V6, _V7, _V8)
LATEST = len(VERSIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the file; 0 for an empty one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection, to: int = LATEST) -> None:
    """Migrate the file to version `to`, in one transaction for each version, so that a kill leaves a whole one."""
    enforced = connection.execute("PRAGMA foreign_keys").fetchone()[0]
    # Otherwise dropping a table that is replaced would delete what belongs to its rows.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        _migrate(connection, to)
    finally:
        connection.execute(f"PRAGMA foreign_keys = {enforced}")


def _migrate(connection: sqlite3.Connection, to: int) -> None:
    """Run the statements of each version from the file's own up to `to`. A failed version is rolled back."""
    for version in range(version_of(connection) + 1, to + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in VERSIONS[version - 1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def is_sound(connection: sqlite3.Connection) -> bool:
    """Return whether the file has exactly the tables of its version; later versions than LATEST are not checked."""
    version = version_of(connection)
    if version > LATEST:
        return True
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        migrate(pattern, to=version)
        return _definitions(connection) == _definitions(pattern)


def _definitions(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the names and the statements of all tables, indexes and triggers."""
    # Leave out FTS5's own tables, which vary between versions of SQLite.
    rows = connection.execute(
        """
        SELECT name, sql FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT LIKE '%search\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name"""
    )
    return [(row[0], row[1]) for row in rows]
