"""Plain values of the Hub's package. Importing them does not load the HTTP client."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# States of a token. NONE: none is configured. UNKNOWN: this Hub does not say, like most mirrors.
NONE = "none"
ACCEPTED = "accepted"
REFUSED = "refused"
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `start` to `stop - 1` of the file `name`."""

    name: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a repository: `digest` is its SHA-256 (64 digits) or git-sha1 (40), and its name in the cache.

    A file with `spans` consists of `header` and of parts of other files. The Hub promises no checksum for it, so its
    digest is only a name.
    """

    name: str
    size: int
    digest: str
    header: bytes = b""
    spans: tuple[ByteRange, ...] = ()

    def behind(self, length: int) -> bytes | ByteRange:
        """Return what follows the first `length` bytes: the rest of the header, or of the span at this place."""
        end = len(self.header)
        if length < end:
            return self.header[length:]
        for span in self.spans:
            end += span.stop - span.start
            if length < end:
                return ByteRange(span.name, span.stop - (end - length), span.stop)
        return ByteRange(self.name, length, self.size)


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of `repository` at `commit` that a model needs, small ones first."""

    repository: str
    commit: str
    files: tuple[RemoteFile, ...]

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def weight_bytes(self) -> int:
        return sum(file.size for file in self.files if file.name.endswith(".safetensors"))


@dataclass(frozen=True)
class AccessReport:
    """A Hub that answers. `user` owns the token, "" if unknown."""

    token: str = NONE
    user: str = ""


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """A removal: `folders` to delete, or single files of a folder that holds other things too; `place` holds them all.

    `shared` warns that other programs use the same cache. What is `personal`, files of the person's
    own, is never deleted: only the person can move it to the trash.
    """

    id: str
    folders: tuple[Path, ...]
    freed_bytes: int
    shared: bool
    place: Path = Path()
    personal: bool = False

    @property
    def leaves_others(self) -> bool:
        """Whether other files in `place` stay."""
        return self.personal and self.place not in self.folders
