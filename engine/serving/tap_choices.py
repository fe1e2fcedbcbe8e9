"""What each head reads, where that had to be tried, kept between runs of the program: layers, or another choice."""

from __future__ import annotations

from pathlib import Path

from engine.files.kept_json import KeptJson

FILE_NAME = "tapped-layers.json"


class TapChoices:
    """A small file beside `learned_file`; without one nothing is kept."""

    def __init__(self, learned_file: Path | None) -> None:
        path = None if learned_file is None else learned_file.with_name(FILE_NAME)
        self._kept = KeptJson(path, {"format": 2})

    def of(self, key: str) -> tuple[int, ...] | None:
        """The layers that were kept under `key`."""
        found = self._kept.values.get(key)
        if not isinstance(found, list) or not found or any(type(layer) is not int for layer in found):
            return None
        return tuple(found)

    def keep(self, key: str, taps: tuple[int, ...]) -> None:
        """Keep `taps` under `key`."""
        self._kept.keep(key, list(taps))
