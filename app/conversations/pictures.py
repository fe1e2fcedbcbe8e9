"""The pictures of messages and of folders' files, in a folder next to the database: one file for each content.

A file's name is its SHA-256. A picture is on disk before a row refers to it, and is removed after the last reference is
gone, so that a kill leaves at most a file that nothing refers to; the next start removes that. Backups have links to
theirs.

The pictures of a store in memory are never on disk: `PicturesInMemory`.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from app.conversations.database.database import Database
from app.conversations.database.errors import as_store_error
from app.conversations.database.records import Message, pictures_in
from app.conversations.database.schema import version_of
from engine.files import private_files
from engine.files.atomic_file import write_atomically

# Where the columns refer to pictures: the indexes of version 7 hold these rows. A damaged column still counts.
_ATTACHMENT_COLUMNS = """
    SELECT CAST(attachments AS BLOB) FROM messages WHERE instr(attachments, '"picture":{') > 0
    UNION ALL SELECT CAST(draft_attachments AS BLOB) FROM conversations
    WHERE instr(draft_attachments, '"picture":{') > 0"""
# Backups of versions before 8 have no files of folders.
_OF_FOLDERS = """
    UNION ALL SELECT CAST(files AS BLOB) FROM folders WHERE instr(files, '"picture":{') > 0"""
_DIGEST = re.compile(b'"digest":"([0-9a-f]{64})"')


# The folder of a store's pictures; for a store in memory, the contents of the pictures by their digests.
PictureSource = Path | dict[str, bytes]


class Pictures:
    """The pictures of an open store. Only `get` may be called on any thread."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self.folder = folder

    def add(self, content: bytes) -> str:
        """Write a picture, unless it is there, and return its digest. It stays while no row refers to it yet.

        Raises StoreError: StoreNotWritable if the system refuses the write.
        """
        digest = hashlib.sha256(content).hexdigest()
        try:
            if self.get(digest) is None:
                self._write(digest, content)
        except OSError as error:
            raise as_store_error(error) from error
        self._database.unreferenced.add(digest)
        return digest

    def get(self, digest: str) -> bytes | None:
        """Return the picture's bytes; None if they are lost or damaged."""
        try:
            content = (self.folder / digest).read_bytes()
        except OSError:
            return None
        return content if hashlib.sha256(content).hexdigest() == digest else None

    def _write(self, digest: str, content: bytes) -> None:
        """Write the file of a picture. Raises OSError."""
        private_files.make_folder(self.folder)
        write_atomically(self.folder / digest, content)

    def of(self, messages: Iterable[Message]) -> dict[str, bytes]:
        """Return the files of all pictures of messages by their digests, without those that are lost."""
        shown = pictures_in(attachment for message in messages for attachment in message.attachments)
        contents = {picture.digest: self.get(picture.digest) for picture in shown}
        return {digest: content for digest, content in contents.items() if content is not None}

    def remove_unreferenced(self) -> None:
        """Remove every picture that no message, no unsent message and no file of a folder has."""
        # After damage the next start tries again.
        with suppress(sqlite3.Error):
            self._remove_all_but(digests_in(self._database.connection) | self._database.unreferenced)

    def _remove_all_but(self, digests: set[str]) -> None:
        _remove_all_but(digests, self.folder)

    def restore(self, backups: Path, *, keep_all: bool) -> None:
        """Copy missing pictures from the folder `backups`, then remove the pictures that nothing refers to.

        With `keep_all` nothing is removed as long as this store is open, because a damaged file may refer to it.
        """
        digests = digests_in(self._database.connection)
        # The store opens on a disk that is full, too.
        with suppress(OSError):
            link_pictures(digests, backups, self.folder)
        if keep_all:
            self._database.unreferenced |= {file.name for file in _files(self.folder)} - digests
        self.remove_unreferenced()


class PicturesInMemory(Pictures):
    """The pictures of a store in memory, which are never on disk."""

    def __init__(self, database: Database, contents: dict[str, bytes]) -> None:
        super().__init__(database, Path())
        self._contents = contents

    def get(self, digest: str) -> bytes | None:
        return self._contents.get(digest)

    def _write(self, digest: str, content: bytes) -> None:
        self._contents[digest] = content

    def _remove_all_but(self, digests: set[str]) -> None:
        for digest in self._contents.keys() - digests:
            del self._contents[digest]


def picture_in(files: PictureSource, digest: str) -> Path | bytes:
    """Return the file of a picture, or its content in memory, which is empty if it is lost."""
    return files / digest if isinstance(files, Path) else files.get(digest, b"")


def pictures_of(store: Path) -> Path:
    """Return the folder of the pictures of the store, or backup, at `store`."""
    return store.parent / "pictures"


def digests_in(connection: sqlite3.Connection) -> set[str]:
    """Return the digests of all pictures that the database refers to."""
    columns = _ATTACHMENT_COLUMNS + (_OF_FOLDERS if version_of(connection) >= 8 else "")
    return {digest.decode() for row in connection.execute(columns) for digest in _DIGEST.findall(row[0])}


def link_pictures(digests: Iterable[str], source: Path, target: Path) -> None:
    """Give `target` those pictures of `source` that it lacks: as links, so that they take no space, or as copies."""
    for digest in digests:
        is_needed = (source / digest).exists() and not (target / digest).exists()
        if not is_needed:
            continue
        private_files.make_folder(target)
        try:
            os.link(source / digest, target / digest)
        except OSError:
            # The disk has no links.
            write_atomically(target / digest, (source / digest).read_bytes())


def remove_pictures_without(backups: Iterable[Path], folder: Path) -> None:
    """Remove the pictures that none of these backups has; none if one cannot be read."""
    referenced: set[str] = set()
    for backup in backups:
        try:
            with closing(sqlite3.connect(f"{backup.absolute().as_uri()}?immutable=1", uri=True)) as connection:
                referenced |= digests_in(connection)
        except (sqlite3.Error, UnicodeDecodeError):
            return
    _remove_all_but(referenced, folder)


def _remove_all_but(digests: set[str], folder: Path) -> None:
    """Remove the files of a folder, except those with these `digests` as names."""
    for file in _files(folder):
        if file.name not in digests:
            with suppress(OSError):
                file.unlink()


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder, also the unfinished files of writes that were killed; [] if it cannot be listed."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []
