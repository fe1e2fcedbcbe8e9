"""Small JSON files in which the program keeps named values from one run to the next."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, check_structure, read_object

log = logging.getLogger(__name__)

# More pairs of models than anybody uses; an unbounded file would become slow to write.
MOST_ENTRIES = 64


class KeptJson:
    """Values by name in the file at `path`, the latest last; without a path they are kept in memory only.

    A file with another `stamp`, such as one of an earlier version, is ignored, and so is one that cannot be used; both
    are logged. Values are not checked: the file may have been edited.
    """

    def __init__(self, path: Path | None, stamp: Mapping[str, str | int]) -> None:
        self._path = path
        self._stamp = dict(stamp)
        self._values: dict[str, Any] | None = None
        self._write_failed = False

    @property
    def values(self) -> dict[str, Any]:
        """All values. The file is read on first access."""
        if self._values is None:
            self._values = self._read()
        return self._values

    def keep(self, name: str, value: Any) -> None:
        """Keep a value, and drop the oldest ones beyond MOST_ENTRIES."""
        self.values.pop(name, None)
        self.values[name] = value
        while len(self.values) > MOST_ENTRIES:
            self._drop_oldest()
        self._write()

    def forget(self, names: Collection[str] | None) -> None:
        """Forget the values of these names, or all for None."""
        before = len(self.values)
        self._values = (
            {} if names is None else {name: value for name, value in self.values.items() if name not in names}
        )
        if len(self._values) < before:
            self._write()

    def _read(self) -> dict[str, Any]:
        try:
            if self._path is None or not self._path.exists():
                return {}
            content = read_object(self._path, CONFIG)
        # In a folder that may not be searched, nobody can tell whether there is a file.
        except (OSError, UntrustedJsonError) as error:
            log.warning("%s is ignored: %s", self._path, error)
            return {}
        values = content.pop("values", None)
        if content != self._stamp or not isinstance(values, dict):
            log.info("%s is of another machine or version and is set aside", self._path)
            return {}
        return values

    def _write(self) -> None:
        """Write the file. A failure is logged, once as a warning."""
        if self._path is None:
            return
        try:
            write_atomically(self._path, self._content())
        except OSError as error:
            level = logging.DEBUG if self._write_failed else logging.WARNING
            self._write_failed = True
            log.log(level, "%s cannot be written: %s", self._path, error)

    def _content(self) -> bytes:
        """Return the content of the file, without the oldest values if it would be too large to be read again."""
        while True:
            content = json.dumps({**self._stamp, "values": self.values}, separators=(",", ":")).encode()
            try:
                check_structure(content, CONFIG)
            except UntrustedJsonError:
                self._drop_oldest()
            else:
                return content

    def _drop_oldest(self) -> None:
        del self.values[next(iter(self.values))]
