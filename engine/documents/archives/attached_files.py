"""Files that are attached to a document or embedded in it, such as a table in a letter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from posixpath import basename

from engine.documents.archives.ole_packages import PackagedFile, packaged_file
from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.text.damage import passing_over_damage
from engine.documents.text.marked_text import MarkedText

# The bytes of attached files that are read with one document. Pages of dense text have a few thousand each.
MOST_BYTES = 4 * 2**20
# Adds the file with a name and a content to a text; returns whether it has words. Raises what readers of files do.
ReadInner = Callable[[str, bytes, MarkedText], bool]


class AttachedFiles:
    """Adds the files of a document to `text`: the name of each, and what it says. Others are counted."""

    def __init__(self, text: MarkedText, read_inner: ReadInner) -> None:
        self._text = text
        self._read_inner = read_inner
        # How many bytes may still be read.
        self._left_bytes = MOST_BYTES

    def add(self, name: str, load: Callable[[], bytes]) -> None:
        """Add the file with a name; `load` returns its content."""
        self._text.add_blocks(f"[Attachment: {name}]")
        is_read = False
        # It may be damaged, encrypted, of another kind, or longer than there is room for.
        with passing_over_damage():
            is_read = self._read(name, load())
        if is_read:
            self._text.add_blocks(f"[End of attachment: {name}]")
        else:
            self._text.left_out["attached-file"] += 1

    def add_part(self, parts: ZippedParts, name: str) -> None:
        """Add a file that is a part of an archive, or the file in it if it is an object of another program.

        One with another name is outside of the archive, and is not read.
        """
        if not parts.find(name):
            return
        # Read once: an archive has a limit for all that is read of it.
        load = cache(partial(parts.read, name))
        package: PackagedFile | None = None
        # `add` counts what is damaged.
        with passing_over_damage():
            package = packaged_file(load())
        if package is None:
            self.add(basename(name), load)
        else:
            self.add(package.name or basename(name), lambda: package.content)

    def _read(self, name: str, content: bytes) -> bool:
        """Add what a file says if there is room for it. Returns whether it says anything."""
        if len(content) > self._left_bytes:
            return False
        self._left_bytes -= len(content)
        return self._read_inner(name, content, self._text)
