"""The status of a download, and the file that keeps the queue across runs."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.hub.failures import HubError
from engine.hub.repository_names import COMMIT, is_content_hash, is_revision, parse_repository

STATES = ("queued", "resolving", "downloading", "verifying", "ready", "paused", "failed")
ACTIVE = frozenset({"resolving", "downloading", "verifying"})
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class DownloadStatus:
    """One download at one moment.

    `bytes_total` is 0 until the repository has been resolved. `bytes_per_second` is that of the last three
    seconds. `attempt` counts reconnections in a row without a byte (0 while bytes arrive) and `waiting_for`
    is the reason code of the last one. `error` is set when the state is failed, `path` (the snapshot) when
    ready.
    """

    repository: str
    revision: str
    state: str
    bytes_done: int = 0
    bytes_total: int = 0
    files_done: int = 0
    files_total: int = 0
    bytes_per_second: float = 0.0
    seconds_left: float | None = None
    attempt: int = 0
    waiting_for: str = ""
    error: HubError | None = None
    path: Path | None = None


@dataclass(slots=True)
class DownloadEntry:
    """What is kept on disk of a download: its state, its blobs (`digests`), which of them the snapshot had before it
    began (`found`), and which have been checked (`verified`). `head_of` is the repository that a head is taken from;
    "" for a whole repository.
    """

    repository: str
    revision: str = "main"
    state: str = "queued"
    commit: str = ""
    bytes_done: int = 0
    bytes_total: int = 0
    digests: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    verified: set[str] = field(default_factory=set)
    error: HubError | None = None
    head_of: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "repository": self.repository,
            "revision": self.revision,
            "state": self.state,
            "commit": self.commit,
            "bytes_done": self.bytes_done,
            "bytes_total": self.bytes_total,
            "digests": sorted(self.digests),
            "found": sorted(self.found),
            "verified": sorted(self.verified),
            "head_of": self.head_of,
            "error": {"reason": self.error.reason, "arguments": self.error.arguments} if self.error else None,
        }


def write_queue(path: Path, entries: list[DownloadEntry]) -> None:
    """Replace the queue's file. It holds names and states, never a token or an address."""
    content = {"format": _FORMAT, "downloads": [entry.as_json() for entry in entries]}
    write_atomically(path, json.dumps(content, indent=1).encode())


def read_queue(path: Path) -> list[DownloadEntry]:
    """The downloads of an earlier run; active ones are queued again. An unreadable file gives an empty queue."""
    if not path.exists():
        return []
    with contextlib.suppress(UntrustedJsonError):
        content = read_object(path, CONFIG)
        found = content.get("downloads")
        if content.get("format") == _FORMAT and isinstance(found, list):
            return [entry for entry in map(_read_entry, found) if entry is not None]
    return []


def _read_entry(value: Any) -> DownloadEntry | None:
    if not isinstance(value, dict):
        return None
    try:
        repository = parse_repository(str(value.get("repository")))
    except HubError:
        return None
    revision, state, commit = value.get("revision"), value.get("state"), value.get("commit")
    if not isinstance(revision, str) or not is_revision(revision) or state not in STATES:
        return None
    entry = DownloadEntry(repository, revision, "queued" if state in ACTIVE else state)
    if value.get("head_of"):
        with contextlib.suppress(HubError):
            entry.head_of = parse_repository(str(value["head_of"]))
    if isinstance(commit, str) and COMMIT.fullmatch(commit):
        entry.commit = commit
    entry.digests, entry.found = _hashes(value.get("digests")), _hashes(value.get("found"))
    entry.verified = _hashes(value.get("verified"))
    entry.bytes_done, entry.bytes_total = _count(value.get("bytes_done")), _count(value.get("bytes_total"))
    entry.error = _read_error(repository, value.get("error")) if state == "failed" else None
    return entry


def _hashes(value: Any) -> set[str]:
    return {digest for digest in value if is_content_hash(digest)} if isinstance(value, list) else set()


def _count(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0


def _read_error(repository: str, value: Any) -> HubError:
    with contextlib.suppress(KeyError, TypeError, AttributeError):
        arguments = dict(value["arguments"])
        del arguments["reason"], arguments["repository"]
        return HubError(value["reason"], repository, **arguments)
    return HubError("offline", repository)
