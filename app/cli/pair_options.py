"""The options that choose a main and a draft model."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.settings.declarations import SettingsValues
from engine import ModelNotUsable, starter_pair
from engine.errors import CodedError
from engine.hub.failures import HubError
from engine.hub.repository_names import parse_repository
from engine.speculation.proposers.registry import methods

# Their names in `tandem models list`.
STARTER_MAIN, STARTER_DRAFT = "starter/main", "starter/draft"
_MODEL_HELP = "folder or Hugging Face name of the {kind} (default: the starter{more})"


def add_pair_options(parser: Any) -> None:
    """Declare --main and --draft on a parser or a group of its options."""
    parser.add_argument("--main", metavar="MODEL", help=_MODEL_HELP.format(kind="main model", more=""))
    draft_help = (
        _MODEL_HELP.format(kind="draft model or head", more="'s, or none with another main model") + '; "none" for none'
    )
    parser.add_argument("--draft", metavar="MODEL", help=draft_help)


def add_method(parser: Any) -> None:
    """Declare --method on a parser or a group of its options."""
    parser.add_argument("--method", choices=methods(), default="auto", help="what proposes draft tokens (auto)")


def use_last_pair(arguments: argparse.Namespace, values: SettingsValues) -> None:
    """Choose the pair that the window used last, unless --main or --draft was given or it is gone."""
    if arguments.main or arguments.draft or not values.main_model:
        return
    if (Path(values.main_model) / "config.json").exists():
        arguments.main, arguments.draft = values.main_model, values.draft_model or None


def chosen_pair(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """Return main and draft model: by default the starter pair, or no draft model for another main model."""
    draft = arguments.draft or (None if arguments.main else STARTER_DRAFT)
    return model_path(arguments.main or STARTER_MAIN), None if draft in ("none", None) else model_path(draft)


def model_path(name: str) -> str:
    """Return the folder of a model that comes with Tandem, or `name` itself."""
    main, draft = starter_pair()
    return {STARTER_MAIN: str(main), STARTER_DRAFT: str(draft)}.get(name, name)


def explained(error: CodedError) -> str:
    """Return the error's sentence, or how to get a model of the Hub that is not on this computer."""
    if isinstance(error, ModelNotUsable) and error.arguments.get("reason") == "missing":
        name = str(error.arguments.get("path", ""))
        with suppress(HubError):
            if not name.startswith((".", "/", "~")):
                return f"{parse_repository(name)} is not on this computer: `tandem models download {name}` downloads it"
    return str(error)
