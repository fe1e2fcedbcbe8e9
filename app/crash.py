"""What happens when something unexpected does: it is written down where a person can read it, and told in place."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

from app.places import data_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType


def report(error: BaseException) -> Path | None:
    """Write an error with its traceback to the user's data folder; None if even that cannot be done."""
    file = data_folder() / "last-error.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return None
    return file


def catch_in_slots(tell: Callable[[Path | None], None]) -> None:
    """Let `tell` have the report of any error that reaches Python's top level, as those in Qt slots do.

    The window goes on: what failed was one reaction to one event.
    """

    def hook(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        tell(report(error))

    sys.excepthook = hook
