"""The names of models in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.session.model_names import STARTERS, short_name


def recorded_name(name: str) -> str:
    """Return the name to show for the name of a model in figures; see `Entry.recorded_as`."""
    if name.startswith("starter/"):
        return QCoreApplication.translate("Models", STARTERS.get(name, STARTERS["starter/main"]))
    return short_name(name)[0]
