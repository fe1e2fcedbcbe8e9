"""What became of a move, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from app.wording.hub import size_words

if TYPE_CHECKING:
    from pathlib import Path

    from app.settings.relocation import MoveRefused


def moved_sentence(new: Path) -> str:
    text = QCoreApplication.translate(
        "Relocation", "Moved to {folder}. Every file was compared, and the old place leads to the new one."
    )
    return text.format(folder=new)


def refused_sentence(refused: MoveRefused) -> str:
    """Why nothing was moved, and what to do."""
    arguments: dict[str, Any] = {
        name: size_words(value) if isinstance(value, int) else value for name, value in refused.arguments.items()
    }
    return refusals()[refused.reason].format(**arguments)


def refusals() -> dict[str, str]:
    """One sentence for each `MoveRefused` reason."""
    translate = QCoreApplication.translate
    return {
        "not-empty": translate("Relocation", "Nothing was moved: that folder holds something already."),
        "inside": translate("Relocation", "Nothing was moved: a folder cannot be moved into itself."),
        "no-space": translate("Relocation", "Nothing was moved: it needs {needed} and that disk has {free} left."),
        "differs": translate("Relocation", "Nothing was moved: the copy of {file} differs. Check that disk."),
        "io": translate("Relocation", "Nothing was moved: {detail}."),
        "stopped": translate("Relocation", "Stopped. Everything is where it was."),
        "in-use": translate(
            "Relocation", "Nothing was moved: Tandem is open a second time. It is tried again at the next start."
        ),
        "nothing": translate("Relocation", "There is nothing to move yet."),
    }
