"""The diagnostics file, which helps to find the cause of a problem. It has no chat text. No Qt in here."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from app.settings.declarations import SettingsValues
from app.system.versions import versions
from engine.stats import RequestStats

# The file only says whether these are set: addresses may contain a name and a password.
_LEFT_OUT = ("hub_endpoint", "proxy", "drafter_address")


def gather(values: SettingsValues, log: str, models: dict[str, Any], figures: Iterable[RequestStats]) -> dict[str, Any]:
    """Return versions, machine, settings, models, figures of the latest answers and the log as plain data."""
    settings = {key: value for key, value in asdict(values).items() if key not in _LEFT_OUT}
    settings |= {key: bool(getattr(values, key)) for key in _LEFT_OUT}
    return {
        "versions": versions(),
        "machine": {
            "system": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
        },
        "settings": settings,
        "models": models,
        "answers": [to_builtins(one) for one in figures],
        "record": log.splitlines(),
    }


def write(file: Path, gathered: dict[str, Any]) -> None:
    """Write the file, with "~" for the user's home folder. Raises OSError."""
    text = json.dumps(gathered, indent=1, ensure_ascii=False, default=str)
    file.write_text(text.replace(str(Path.home()), "~"), encoding="utf-8")
