"""The store's errors, as types with fields; the user interface words them."""

from __future__ import annotations

import errno
import sqlite3
from string import Formatter

from engine.errors import CodedError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
# A folder in which no lock file, log or journal can be created causes one of the last three.
_FORBIDDEN_NAMES = ("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN", "SQLITE_IOERR_LOCK")

# No operation on a sound store violates these constraints. A search index gives no further reason.
_VIOLATED = ("", "_FOREIGNKEY", "_PRIMARYKEY", "_ROWID", "_UNIQUE")
_CONSTRAINTS = ("SQLITE_MISMATCH", *(f"SQLITE_CONSTRAINT{kind}" for kind in _VIOLATED))


def refusal_of(error: BaseException) -> str | None:
    """Return why the system refuses the store: "full", "read-only" or "io"; None for an error of another kind."""
    if isinstance(error, StoreNotWritable):
        return str(error.arguments["reason"])
    name = getattr(error, "sqlite_errorname", None) or ""
    number = getattr(error, "errno", None)
    if number in _FULL or name == "SQLITE_FULL":
        return "full"
    if number in _FORBIDDEN or name.startswith(_FORBIDDEN_NAMES):
        return "read-only"
    return "io" if number == errno.EIO or name.startswith("SQLITE_IOERR") else None


class StoreError(CodedError):
    """An error that the store reports to its caller. Subclasses set `code` and the `sentence` for logs.

    It takes the values of its arguments in the order in which the sentence has them.
    """

    code = "store"
    sentence = "{detail}"

    def __init__(self, *values: object) -> None:
        names = [name for _, name, _, _ in Formatter().parse(self.sentence) if name]
        arguments = dict(zip(names, values, strict=True))
        super().__init__(self.sentence.format(**arguments), **arguments)


class StoreInUse(StoreError):
    """Another process has the store at `path` open."""

    code = "store-in-use"
    sentence = "{path} is open in another process"


class StoreTooNew(StoreError):
    """A later version of the app wrote the store at `path` as `version`; this one knows versions up to `known`."""

    code = "store-too-new"
    sentence = "{path} has version {version}, and this app knows versions up to {known}"


class StoreNotWritable(StoreError):
    """The system refused a write; nothing of it was kept. `reason` is "full", "read-only" or "io"."""

    code = "store-not-writable"
    sentence = "the store cannot be written ({reason}): {detail}"


class StoreDamaged(StoreError):
    """The database is damaged, and that could not be mended while it is open."""

    code = "store-damaged"
    sentence = "the store is damaged: {detail}"


class BackupNotUsable(StoreError):
    """The backup of that `name` does not exist (any more) or is damaged."""

    code = "backup-not-usable"
    sentence = "the backup {name} cannot be used"


class NotDeleted(StoreError):
    """The chats with these `titles` could not be deleted, because the database is damaged."""

    code = "not-deleted"
    sentence = "chats cannot be deleted: {titles}"


class NotRemoved(StoreError):
    """Deleted chats may still be in these `files`, which are damaged or cannot be written."""

    code = "not-removed"
    sentence = "chats cannot be removed from: {files}"


class NotFound(StoreError):
    """No `kind` ("conversation", "message" or "folder") has this `id` (any more)."""

    code = "not-found"
    sentence = "there is no {kind} {id}"


class WrongState(StoreError):
    """The operation does not fit the message's state, such as finishing an answer that is not streaming."""

    code = "wrong-state"
    sentence = "message {id} is {state}, not {expected}"


def is_corrupt(error: BaseException) -> bool:
    """Return whether SQLite found the file damaged."""
    return (getattr(error, "sqlite_errorname", None) or "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


def is_damage(error: BaseException) -> bool:
    """Return whether the file is damaged, an index or a reference is at odds with a table, or a text is not UTF-8."""
    # The SQL function index_text itself raises nothing.
    not_text = isinstance(error, sqlite3.OperationalError) and "user-defined function" in str(error)
    return not_text or is_corrupt(error) or getattr(error, "sqlite_errorname", None) in _CONSTRAINTS


def as_store_error(error: BaseException) -> StoreError:
    """Return any exception of an operation as an error that the user interface can word.

    A StoreError as it is, else StoreNotWritable if the system refused, StoreDamaged if the file is damaged, or a plain
    StoreError.
    """
    if isinstance(error, StoreError):
        return error
    detail = str(error) or type(error).__name__
    if (reason := refusal_of(error)) is not None:
        return StoreNotWritable(reason, detail)
    return StoreDamaged(detail) if is_corrupt(error) else StoreError(detail)
