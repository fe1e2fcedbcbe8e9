"""The options that choose a main and a draft model, and what commands take from the settings of the user."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.api.engine_host import models_of
from app.cli.terminal import in_terminal, say
from app.session.model_names import STARTERS
from app.settings.declarations import SettingsValues
from app.settings.engine_settings import memory_limit_of
from app.settings.store import SettingsStore
from app.system.paths import learned_file, settings_folder
from engine import ModelNotUsable
from engine.ahead.messages import MOST_RECOVERY
from engine.computers.hosts import is_name
from engine.errors import BadRequest, CodedError, EngineError
from engine.files.paths import resources
from engine.files.steps import run_to_completion
from engine.finding.gguf_models import is_gguf
from engine.gguf.names import named
from engine.hub.failures import HubError
from engine.hub.repository_names import parse_repository, split_name, split_tag
from engine.model_files.model import Model
from engine.model_files.names import resolve_model
from engine.settings import EngineSettings
from engine.status import LoadedPair

_AHEAD_HELP = (
    "a draft model that drafts while the main model verifies: off, here (on this computer's processor, rarely a gain "
    "on a Mac), or the name or address of another computer, as ssh takes it"
)
_BRANCHES_HELP = (
    "with --draft-ahead: draft continuations prepared for each possible length of an accepted draft, 1 to "
    f"{MOST_RECOVERY} ({MOST_RECOVERY})"
)

# Their names in `tandem models list`.
STARTER_MAIN = "starter/main"
STARTER_DRAFT = "starter/draft"
# The short name of the main model.
STARTER = "starter"
# The variables of the environment that the commands use in place of settings, by the reason of a `HubError`.
_SET_IN = {
    "kept-offline": "HF_HUB_OFFLINE",
    "proxy": "HTTPS_PROXY",
    "certificate": "HF_ENDPOINT and HTTPS_PROXY",
    "wrong-mirror": "HF_ENDPOINT or --endpoint",
}
_LISTED = " `tandem models list` shows the models on this computer."
_PLAIN_NAME = re.compile(r"\w[\w.:-]*")
_MODEL_HELP = "folder, GGUF file or name of the {kind} (default: the starter{more})"


def own_settings() -> SettingsValues:
    return SettingsStore(settings_folder() / "settings.json").values


def own_engine_settings() -> EngineSettings:
    """Return the settings of an engine that learns from this computer, within the memory that the user allows."""
    return EngineSettings(learned_file=learned_file(), memory_limit=memory_limit_of(own_settings()))


def memory_limit() -> int:
    """Return the bytes that the engine allows: the user's choice or the device's recommendation. Imports MLX."""
    from engine.upkeep.memory import recommended_limit

    return memory_limit_of(own_settings()) or recommended_limit()


def add_pair_options(parser: Any, *, with_main: bool = True) -> None:
    """Declare --main and --draft, or --draft alone, on a parser or a group of its options."""
    if with_main:
        parser.add_argument("--main", metavar="MODEL", help=_MODEL_HELP.format(kind="main model", more=""))
    draft_help = (
        _MODEL_HELP.format(kind="draft model or head", more="'s, or none with another main model") + '; "none" for none'
    )
    parser.add_argument("--draft", metavar="MODEL", help=draft_help)


def add_ahead_options(parser: Any, place_help: str) -> None:
    """Declare --draft-ahead and --draft-ahead-branches on a parser or a group of its options.

    `place_help` is the help of the first, with "{}" for what drafts ahead and where.
    """
    add = parser.add_argument
    add("--draft-ahead", type=_draft_place, default="off", metavar="PLACE", help=place_help.format(_AHEAD_HELP))
    add("--draft-ahead-branches", type=_branches, default=MOST_RECOVERY, metavar="N", help=_BRANCHES_HELP)


def with_drafting_ahead(settings: EngineSettings, arguments: argparse.Namespace) -> EngineSettings:
    """Return `settings` with the choices of the options of `add_ahead_options`."""
    return replace(settings, draft_ahead=arguments.draft_ahead, draft_ahead_branches=arguments.draft_ahead_branches)


def _draft_place(text: str) -> str:
    """Return a value for `EngineSettings.draft_ahead` from an option of the terminal."""
    if not is_name(text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither off nor here, nor the name of a computer")
    return text


def _branches(text: str) -> int:
    """Return a value for `EngineSettings.draft_ahead_branches` from an option of the terminal."""
    if text.isdecimal() and 1 <= int(text) <= MOST_RECOVERY:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_RECOVERY}")


def use_last_pair(arguments: argparse.Namespace, values: SettingsValues) -> None:
    """Choose the pair that the window used last, unless --main or --draft was given or it is gone."""
    if arguments.main or arguments.draft or not values.main_model:
        return
    if (Path(values.main_model) / "config.json").exists():
        arguments.main = values.main_model
        arguments.draft = values.draft_model or "none"


def chosen_pair(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """Return main and draft model: by default the starter pair, or no draft model for another main model.

    Raises `ModelNotUsable` for one that is not on this computer, without importing MLX.
    """
    main = installed_path(arguments.main or STARTER)
    draft = arguments.draft or (STARTER_DRAFT if main == model_path(STARTER) else "none")
    if draft == "none":
        return main, None
    return main, installed_path(draft)


def installed_path(name: str) -> str:
    """Return `model_path` of a model on this computer. Raises `ModelNotUsable` if there is none."""
    path = model_path(name)
    resolve_model(path)
    return path


def model_path(name: str) -> str:
    """Return the folder of the model that `tandem models list`, the local API, figures or "starter" name, or `name`."""
    name = STARTER_MAIN if name.lower() == STARTER else name
    if name in STARTERS:
        return str(resources() / name)
    if os.path.exists(os.path.expanduser(name)):
        return name
    here = [model for model in models_here() if model.kinds]
    for model in here:
        if is_named(model, name):
            return model.path
    # A repository of GGUF files stands for the first file that was downloaded.
    for model in here:
        if model.source == "cache" and split_name(model.id)[0] == name:
            return model.path
    return name


def is_named(model: Model, name: str) -> bool:
    """Return whether `name` is the id, the folder, the GGUF file or the page of a model.

    "starter" is the name of the starter's main model.
    """
    if name == model.id or (name.lower() == STARTER and model.id == STARTER_MAIN):
        return True
    here = os.path.realpath(os.path.expanduser(name))
    places = [model.path]
    if model.gguf is not None:
        places.append(model.gguf.source)
    if any(place and os.path.realpath(place) == here for place in places):
        return True
    typed, tag = split_tag(name)
    repository, files = split_name(model.id)
    try:
        wanted = repository if tag else model.id
        is_here = model.source == "cache" and parse_repository(typed) == wanted
        has_tag = not tag or bool(named([files], tag))
    except HubError:
        return False
    return is_here and has_tag


def model_folder(model: str | Path) -> Path:
    """Return the folder of a model, which a GGUF file is turned into first. Raises `ModelNotUsable`."""
    path = resolve_model(model)
    if not is_gguf(path):
        return path
    # Not at the top: it imports MLX.
    from engine.upkeep.load_progress import LoadProgress
    from engine.upkeep.models import folder_of

    def report(done: int, _total: int, converting: bool) -> None:
        if converting and not done:
            say("tandem: converting the file")

    return run_to_completion(folder_of(path, LoadProgress(report)))


def checked(pair: LoadedPair) -> LoadedPair:
    """Return a pair that was loaded, and say if other programs may get slower. Raises its `draft_problem`."""
    if pair.draft_problem is not None:
        raise pair.draft_problem
    if pair.crowded:
        # Not at the top: it imports Qt.
        from app.wording.models import crowded_sentence

        say(f"tandem: {crowded_sentence()}")
    return pair


def models_here(cache: Path | None = None, folders: Sequence[Path] = ()) -> list[Model]:
    """Return the models on this computer: in a Hugging Face cache, in `folders` and where the window finds them."""
    # Not at the top: commands that need no model should not wait for it.
    from huggingface_hub import constants

    every = (*folders, *map(Path, own_settings().model_folders))
    return models_of(cache or Path(constants.HF_HUB_CACHE), every)


def explained(error: CodedError) -> str:
    """Return the error's sentence, or how to get a model of the Hub that is not on this computer."""
    reason = error.arguments.get("reason")
    if isinstance(error, HubError) and reason == "not-installed":
        return f"{error.arguments['repository']} is not on this computer.{_LISTED}"
    if isinstance(error, ModelNotUsable) and reason == "missing":
        name = str(error.arguments.get("path", ""))
        with suppress(HubError):
            if not name.startswith((".", "/", "~")):
                repository = parse_repository(split_tag(name)[0])
                return f"{repository} is not on this computer: `tandem models download {name}` downloads it"
        # Ollama's names may end in a tag.
        if _PLAIN_NAME.fullmatch(name) and not name.endswith(".gguf"):
            return f"{name} is not on this computer. `tandem models search {name.partition(':')[0]}` finds it."
    if not isinstance(error, EngineError) or error.code == BadRequest.code:
        return str(error)
    # It imports Qt, which other commands need not wait for.
    from app.wording.errors import error_sentence

    sentence = in_terminal(error_sentence(error))
    if isinstance(error, HubError):
        sentence = sentence.replace("in the settings", f"in {_SET_IN.get(error.reason, 'HF_TOKEN')}")
        if error.reason == "bad-name" and _PLAIN_NAME.fullmatch(str(error.arguments["repository"])):
            sentence += f" `tandem models search {error.arguments['repository']}` finds models by a part of their name."
        if error.reason == "offline" and (mirror := os.environ.get("HF_ENDPOINT")):
            sentence += f" HF_ENDPOINT is {mirror}."
    return sentence + (_LISTED if reason == "missing" else "")
