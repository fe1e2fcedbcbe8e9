"""What the user has chosen, kept in one small JSON file that survives damage and other versions. No Qt in here."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Preferences:
    """Every choice with its default.

    `language` and `theme` are "system" or one of the app's; `hub_endpoint` is the address of a mirror and `proxy` that
    of a proxy, "" for none; `model_folders` are searched for models beside the Hugging Face cache; `offer_seen` says
    that the offer of a first pair has been answered; `main_model` and `draft_model` are the folders of the pair that
    was used last, "" for the starter or no draft.
    """

    language: str = "system"
    theme: str = "system"
    hub_endpoint: str = ""
    proxy: str = ""
    model_folders: tuple[str, ...] = ()
    offer_seen: bool = False
    main_model: str = ""
    draft_model: str = ""


class PreferenceFile:
    """The choices and their file. Entries of another version are kept; a damaged file is set aside, not lost."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._foreign: dict[str, Any] = {}
        self._listeners: list[Callable[[], None]] = []
        self.values = self._read()

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every change."""
        self._listeners.append(listener)

    def change(self, **choices: Any) -> None:
        """Take new values, write them, and tell the listeners. A disk that refuses costs the memory of it only."""
        changed = replace(self.values, **choices)
        if changed == self.values:
            return
        self.values = changed
        try:
            self._write()
        except OSError:
            log.info("the preferences cannot be written to %s", self._path, exc_info=True)
        for listener in self._listeners:
            listener()

    def _read(self) -> Preferences:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if not isinstance(content, dict):
                raise ValueError("not an object")
        except FileNotFoundError:
            return Preferences()
        except (OSError, ValueError):
            self._set_aside()
            return Preferences()
        known: dict[str, Any] = {}
        for field in fields(Preferences):
            value = content.pop(field.name, None)
            if isinstance(field.default, tuple) and isinstance(value, list):
                known[field.name] = tuple(item for item in value if isinstance(item, str))
            elif type(value) is type(field.default):
                known[field.name] = value
        self._foreign = content
        return Preferences(**known)

    def _set_aside(self) -> None:
        log.info("the preferences in %s cannot be read; they are set aside", self._path)
        try:
            os.replace(self._path, self._path.with_suffix(".damaged.json"))
        except OSError:
            log.info("they cannot be moved either", exc_info=True)

    def _write(self) -> None:
        """No fsync: it is called between two frames, and a choice lost in a power cut is made again in a second."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        partial.write_text(json.dumps(self._foreign | asdict(self.values), indent=1), encoding="utf-8")
        os.replace(partial, self._path)
