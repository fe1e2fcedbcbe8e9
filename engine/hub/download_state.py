"""The status of a download, and the file that keeps the queue across runs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.hub.failures import HubError
from engine.hub.repository_names import COMMIT, CONTENT_HASH, is_revision, parse_name, parse_repository

STATES = ("queued", "resolving", "downloading", "verifying", "ready", "paused", "failed")
ACTIVE = frozenset({"resolving", "downloading", "verifying"})
_FORMAT = 1


_Digests = set[Annotated[str, Meta(pattern=rf"^({CONTENT_HASH.pattern})\Z")]]
_ByteCount = Annotated[int, Meta(ge=0)]


class DownloadStatus(Struct, omit_defaults=True):
    """A download: the record that is kept on disk, and at some moment also its progress.

    `bytes_total` is 0 until the repository has been resolved. `error` is set when the state is failed. `digests` are
    its blobs: the model's folder had the blobs in `found` before the download began, and the blobs in `verified` have
    been checked. `repository` may name one GGUF model in it (see `repository_names.split_name`). `head_of` is the
    repository of the main model whose head is downloaded; "" for other downloads.

    Not on disk: `bytes_per_second` is the rate of the last seconds. `attempt` counts reconnections in a row without a
    byte (0 while bytes arrive). `path` (the model's folder) is set when the state is ready. A download that
    `waits_for_network` goes on without being resumed.
    """

    repository: str
    state: str
    bytes_done: _ByteCount = 0
    bytes_total: _ByteCount = 0
    bytes_per_second: float = 0.0
    attempt: int = 0
    error: HubError | None = None
    path: Path | None = None
    waits_for_network: bool = False
    revision: str = "main"
    commit: Annotated[str, Meta(pattern=rf"^({COMMIT.pattern})?\Z")] = ""
    digests: _Digests = field(default_factory=set)
    found: _Digests = field(default_factory=set)
    verified: _Digests = field(default_factory=set)
    head_of: str = ""

    @property
    def runs(self) -> bool:
        """Whether it runs, or does as soon as others have ended."""
        return self.state == "queued" or self.state in ACTIVE

    @property
    def stopped(self) -> bool:
        """Whether it can be resumed."""
        return self.state in ("paused", "failed")

    @property
    def seconds_left(self) -> float | None:
        return (self.bytes_total - self.bytes_done) / self.bytes_per_second if self.bytes_per_second else None


def write_queue(path: Path, entries: list[DownloadStatus]) -> None:
    """Replace the queue's file. It holds names and states, never a token or an address."""
    content = {"format": _FORMAT, "downloads": entries}
    # Written at every change of a download, with all that were ever finished.
    written = msgspec.json.encode(content, order="deterministic", enc_hook=_written)
    write_atomically(path, msgspec.json.format(written, indent=1))


def read_queue(path: Path) -> list[DownloadStatus]:
    """Read the downloads of an earlier run; active ones are queued again. An unreadable file gives an empty queue."""
    with contextlib.suppress(UntrustedJsonError):
        content = read_object(path, CONFIG)
        entries = content.get("downloads")
        if content.get("format") == _FORMAT and isinstance(entries, list):
            return [entry for entry in map(_read_entry, entries) if entry is not None]
    return []


def _read_entry(value: Any) -> DownloadStatus | None:
    try:
        entry = msgspec.convert(value, DownloadStatus, dec_hook=_read_error)
        entry.repository = parse_name(entry.repository)
        entry.head_of = parse_repository(entry.head_of) if entry.head_of else ""
    except (msgspec.ValidationError, HubError):
        return None
    if not is_revision(entry.revision) or entry.state not in STATES:
        return None
    if entry.state in ACTIVE:
        entry.state = "queued"
    return entry


def _written(error: HubError) -> dict[str, Any]:
    return {"reason": error.reason, "arguments": error.arguments}


def _read_error(_kind: type, value: Any) -> HubError:
    with contextlib.suppress(KeyError, TypeError):
        return HubError(**value["arguments"])
    return HubError("offline")
