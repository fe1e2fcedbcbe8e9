"""What each head reads, where that had to be tried, kept between runs of the program: layers, or another choice."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from engine.atomic_file import write_atomically
from engine.model_files.bounded_json import CONFIG, UntrustedJsonError, read_object

log = logging.getLogger(__name__)

FILE_NAME = "tapped-layers.json"
MOST_HEADS = 64


class TapChoices:
    """A small JSON file beside `learned_file`; without one nothing is kept. A file that cannot be used is ignored."""

    def __init__(self, learned_file: Path | None) -> None:
        self._path = None if learned_file is None else learned_file.with_name(FILE_NAME)

    def of(self, key: str) -> tuple[int, ...] | None:
        """The layers that were kept under `key`."""
        found = self._read().get(key)
        return None if found is None else tuple(found)

    def keep(self, key: str, taps: tuple[int, ...]) -> None:
        """Keep `taps` under `key`. A failure to write is logged: then they are tried again."""
        if self._path is None:
            return
        known = {other: value for other, value in self._read().items() if other != key}
        latest = dict([*known.items(), (key, list(taps))][-MOST_HEADS:])
        try:
            write_atomically(self._path, json.dumps(latest).encode())
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error)

    def _read(self) -> dict[str, list[int]]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            content = read_object(self._path, CONFIG)
        except (OSError, UntrustedJsonError, ValueError) as error:
            log.warning("%s is ignored: %s", self._path, error)
            return {}
        return {
            key: value
            for key, value in content.items()
            if isinstance(value, list) and value and all(type(layer) is int for layer in value)
        }
