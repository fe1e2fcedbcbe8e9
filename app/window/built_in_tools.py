"""Tandem's built-in tools, which only read: the models on this computer, and today's acceptance.

Models read the results, so they are in English. Each is one line.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.composer.choice_buttons import ToolsButton
from app.conversations.request_history import Totals
from app.library.library import Library
from app.session.model_names import short_name
from app.session.model_service import ModelService
from app.session.session import Session
from app.session.tool_service import BuiltIn
from app.tools.tool import TANDEM, Tool

if TYPE_CHECKING:
    # Imports huggingface_hub, which would delay the first frame.
    from app.library.inventory import Inventory

_NO_PARAMETERS = {"type": "object", "properties": {}, "additionalProperties": False}
# Models that are named; the others are counted.
_MOST_NAMES = 8


def tools_button(session: Session, library: Library, choose_model: QAction, parent: QWidget) -> ToolsButton:
    """Let the models of this session call the tools of Tandem, and return the button that shows it.

    The action `choose_model` opens the choice of a main model.
    """
    session.tools.built_in = [
        _built_in(
            "list_models",
            "Lists the models on this computer.",
            lambda then: then(_models(library.inventory, session.models)),
        ),
        _built_in(
            "acceptance_today",
            "Tells how many draft tokens the main model accepted today.",
            lambda then: session.store.run(
                lambda store: store.history.totals(since=datetime.combine(date.today(), time.min).timestamp()),
                lambda today: then(_acceptance(today)),
                lambda _error: then("The figures of today cannot be read."),
            ),
        ),
    ]
    return ToolsButton(session, choose_model, parent)


def _built_in(name: str, description: str, run: Callable[[Callable[[str], object]], object]) -> BuiltIn:
    tool = Tool(TANDEM, name, name, "", description, _NO_PARAMETERS, read_only=True)
    return BuiltIn(tool, run)


def _models(inventory: Inventory | None, models: ModelService) -> str:
    # Not needed before the first paint.
    from app.library.model_choices import main_choices

    main = models.pair.paths[0]
    # Until the folders were read, the loaded model is the only one that is known.
    rows = main_choices(inventory, main, ()) if inventory is not None else ()
    names = ["Starter" if row.is_starter else row.name for row in rows if row.kind == "use" and row.usable]
    names = names or ["Starter" if main == str(models.starter_pair[0]) else short_name(models.pair.names[0])[0]]
    more = len(names) - _MOST_NAMES
    return f"Models on this computer: {', '.join(names[:_MOST_NAMES])}{f' and {more} more' if more > 0 else ''}."


def _acceptance(today: Totals) -> str:
    if today.accept_rate is None:
        return "No draft tokens yet today."
    return f"Accepted today: {today.accept_rate:.0%} ({today.accepted} of {today.drafted} draft tokens)."
