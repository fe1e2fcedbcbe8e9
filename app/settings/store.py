"""The settings in one JSON file. Damage and other versions lose no settings. No Qt in here."""

from __future__ import annotations

import json
import logging
import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from app.settings.declarations import SETTINGS, SettingsValues
from app.settings.engine_settings import SAMPLING_KEYS, is_chosen
from app.settings.setting import Setting
from engine.files import private_files
from engine.files.atomic_file import write_atomically

log = logging.getLogger(__name__)


class SettingsStore:
    """The values and their file. Unknown entries of other versions are kept; a damaged file is set aside as a backup.

    `submit` runs the writes, by default on the calling thread. Changes made while a write is pending are written with
    it.
    """

    def __init__(self, path: Path, submit: Callable[[Callable[[], None]], object] = lambda write: write()) -> None:
        self._path = path
        self._submit = submit
        # Entries of other versions, which are written back as they were.
        self._foreign: dict[str, Any] = {}
        self._listeners: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        # Whether a write is pending.
        self._waiting = False
        self.backup: Path | None = None
        """The backup of the file if some of it could not be used, else None."""
        self.values = self._read()

    def subscribe(self, listener: Callable[[], object]) -> None:
        """Call `listener` after every change."""
        self._listeners.append(listener)

    def change(self, **choices: Any) -> None:
        """Set values, write the file and call the listeners. If writing fails, the values hold for this run only."""
        changed = replace(self.values, **choices)
        if changed == self.values:
            return
        self.values = changed
        with self._lock:
            waits = self._waiting
            self._waiting = True
        if not waits:
            self._submit(self._write)
        for listener in self._listeners:
            listener()

    def _read(self) -> SettingsValues:
        """Read the file; defaults replace what is missing. What is unusable is kept in a backup."""
        private_files.tighten([self._path.parent, *self._path.parent.glob(f"{self._path.stem}*.json")])
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if not isinstance(content, dict):
                raise ValueError("not an object")
        except FileNotFoundError:
            return SettingsValues()
        except (OSError, ValueError, RecursionError):
            log.info("the settings in %s cannot be read; they are set aside", self._path)
            self._back_up(os.replace)
            return SettingsValues()
        stored_values = {
            key: _as_declared(setting, content[key]) for key, setting in SETTINGS.items() if key in content
        }
        known = {key: value for key, value in stored_values.items() if value is not None}
        if len(known) < len(stored_values):
            log.info("some settings in %s cannot be used; a copy is kept", self._path)
            self._back_up(shutil.copyfile)
        self._foreign = {key: value for key, value in content.items() if key not in SETTINGS}
        values = SettingsValues(**known)
        return values if "kept_sampling" in content else _from_older(values)

    def _back_up(self, put: Callable[[Path, Path], object]) -> None:
        """Copy or move the file to a name with today's date; only the first backup of a day is kept."""
        backup = self._path.with_name(f"{self._path.stem}.{date.today().isoformat()}.backup.json")
        try:
            if not backup.exists():
                put(self._path, backup)
                private_files.tighten([backup])
            self.backup = backup
        except OSError:
            log.info("no backup of the settings can be made", exc_info=True)

    def _write(self) -> None:
        """Write the file, on the thread of `submit`. If the system refuses, the values hold for this run only."""
        with self._lock:
            self._waiting = False
            content = json.dumps(self._foreign | asdict(self.values), indent=1)
            try:
                private_files.make_folder(self._path.parent)
                write_atomically(self._path, content.encode())
            except OSError:
                log.info("the settings cannot be written to %s", self._path, exc_info=True)


def _from_older(values: SettingsValues) -> SettingsValues:
    """Convert the values of a version without recommendations, whose default of `max_tokens` was 1,024.

    All of sampling counts as chosen if any of it differs from its default.
    """
    changed = any(is_chosen(values, key) for key in SAMPLING_KEYS)
    longest = 0 if values.max_tokens == 1024 else values.max_tokens
    return replace(values, kept_sampling=SAMPLING_KEYS if changed else (), max_tokens=longest)


def _as_declared(setting: Setting, value: Any) -> Any:
    """Return a value from JSON in its declared type, or None if it cannot be used."""
    if isinstance(setting.default, tuple) and isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str))
    if isinstance(setting.default, float) and type(value) is int:
        value = float(value)
    return value if setting.accepts(value) else None
