"""The store's errors, as types with fields; the user interface words them."""

from __future__ import annotations

import errno
from pathlib import Path

from engine.errors import CodedError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
# A folder in which no lock file, log or journal can be created causes one of the last three.
_FORBIDDEN_NAMES = ("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN", "SQLITE_IOERR_LOCK")


def refusal_of(error: BaseException) -> str | None:
    """Return why the system refuses the store: "full", "forbidden", or None for another reason."""
    name = getattr(error, "sqlite_errorname", None) or ""
    number = getattr(error, "errno", None)
    reason = error.arguments.get("reason") if isinstance(error, StoreNotWritable) else None
    if reason == "full" or number in _FULL or name == "SQLITE_FULL":
        return "full"
    if reason == "read-only" or number in _FORBIDDEN or name.startswith(_FORBIDDEN_NAMES):
        return "forbidden"
    return None


class StoreError(CodedError):
    """An error that the store reports to its caller. Subclasses set `code`; the wording needs `arguments`."""

    code = "store"


class StoreInUse(StoreError):
    """Another process has the store open."""

    code = "store-in-use"

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is open in another process", path=str(path))


class StoreTooNew(StoreError):
    """A later version of the app wrote the store as `version`; this one knows versions up to `known`."""

    code = "store-too-new"

    def __init__(self, path: Path, version: int, known: int) -> None:
        super().__init__(
            f"{path} has version {version}, and this app knows versions up to {known}",
            path=str(path),
            version=version,
            known=known,
        )


class StoreNotCurrent(StoreError):
    """The store has another version than this app's, or is damaged: only `open_store` opens it."""

    code = "store-not-current"

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has another version, or is damaged", path=str(path))


class StoreNotWritable(StoreError):
    """The system refused a write; nothing of it was kept. `reason` is "full", "read-only" or "io"."""

    code = "store-not-writable"

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"the store cannot be written ({reason}): {detail}", reason=reason, detail=detail)


class BackupNotUsable(StoreError):
    """The backup does not exist (any more) or is damaged."""

    code = "backup-not-usable"

    def __init__(self, name: str) -> None:
        super().__init__(f"the backup {name} cannot be used", name=name)


class NotFound(StoreError):
    """No `kind` ("conversation", "message" or "folder") has this id (any more)."""

    code = "not-found"

    def __init__(self, kind: str, identity: int) -> None:
        super().__init__(f"there is no {kind} {identity}", kind=kind, id=identity)


class WrongState(StoreError):
    """The operation does not fit the message's state, such as finishing an answer that is not streaming."""

    code = "wrong-state"

    def __init__(self, message_id: int, state: str, expected: str) -> None:
        super().__init__(
            f"message {message_id} is {state}, not {expected}", id=message_id, state=state, expected=expected
        )
