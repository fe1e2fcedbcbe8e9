"""`tandem models`: list, search, download, remove and pair models in a terminal."""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app.cli.command import BAD_USAGE, DONE, FAILED, add_actions, add_command
from app.cli.downloads import follow
from app.cli.pair_options import (
    STARTER_MAIN,
    explained,
    is_named,
    memory_limit,
    model_folder,
    model_path,
    models_here,
    own_settings,
)
from app.cli.terminal import format_bytes, print_table, say
from app.conversations.database.errors import StoreInUse
from app.conversations.measured import MeasuredPairs, PairSpeeds, factors
from app.conversations.opening import stored_pairs
from app.conversations.request_history import Totals
from app.system.paths import cache_folder, data_folder, speeds_file
from engine.advice.catalog import load_catalog
from engine.advice.pairing import PairAdvice, advise, candidates
from engine.advice.suggestion import advise_remotely, mlx_version, suggest_draft
from engine.errors import EngineError, ModelNotUsable
from engine.finding.discovery import absent_folders
from engine.finding.other_apps import name_of_app
from engine.hub.client import HUGGING_FACE, HubAccess, HubClient
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.remove import own_folder, plan_removal, remove
from engine.hub.repository_names import parse_repository, split_tag
from engine.hub.search import find_gguf, search_models
from engine.model_files.model import Model

TextRow = tuple[str, ...]

# The properties of an installed model in the output of `--json`, in addition to its bytes on disk.
_PRINTED = (
    *("id", "path", "source", "complete", "problem", "detail", "weight_bytes", "active_bytes", "parameters", "bits"),
    *("context", "vocabulary_size", "tokenizer", "architecture", "head", "sees", "base", "kinds"),
)
_EXAMPLE = "mlx-community/Qwen3-8B-4bit"


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "models",
        "list, search, download, remove and pair models",
        ("tandem models search qwen3", f"tandem models download {_EXAMPLE} --with-draft", "tandem models list"),
    )
    actions = add_actions(parser)
    # Without an action, models are listed.
    parser.set_defaults(action="list", json=False, cache=None, folder=[], endpoint=None)
    added = {name: add_command(actions, name, *words) for name, (words, _) in _ACTIONS.items()}
    search, download, removal, pairs = (added[name] for name in ("search", "download", "remove", "pairs"))
    added["show"].add_argument("id", metavar="ID", help="a name that `tandem models list` shows, or starter")
    search.add_argument("query", metavar="QUERY", help="part of a name, or the address of a page")
    search.add_argument("--limit", type=_count, default=20, metavar="N", help="number of results (20)")
    download.add_argument("id", metavar="ID", help="organization/name, for GGUF with :Q4_K_M, or its page")
    download.add_argument("--with-draft", action="store_true", help="also download its draft model")
    download.add_argument("--revision", default="main", metavar="REVISION", help="branch, tag or commit")
    removal.add_argument("id", metavar="ID", help="a name that `tandem models list` shows")
    removal.add_argument("--yes", action="store_true", help="skip confirmation")
    pairs.add_argument("id", metavar="ID", help="installed model, its folder, a GGUF file, or organization/name")
    context_help = "context that must fit in memory (8192)"
    pairs.add_argument("--context", type=_count, default=8192, metavar="TOKENS", help=context_help)
    for add in (action.add_argument for action in added.values()):
        add("--json", action="store_true", help="print one JSON object per line")
        add("--cache", type=Path, metavar="DIR", help="Hugging Face cache folder")
        add("--folder", type=Path, action="append", default=[], metavar="DIR", help="also search this folder")
        add("--endpoint", metavar="URL", help="address of a mirror of Hugging Face")


def run(arguments: argparse.Namespace) -> int:
    try:
        return _ACTIONS[arguments.action][1](arguments)
    except EngineError as error:
        if arguments.json:
            failed = {"event": "failed", "code": error.code, "message": explained(error), "arguments": error.arguments}
            _print_json([failed])
        else:
            say(f"tandem: {explained(error)}")
        return BAD_USAGE if isinstance(error, HubError) and error.reason in ("bad-name", "own-folder") else FAILED


def _show(
    arguments: argparse.Namespace,
    objects: Iterable[dict[str, Any]],
    head: TextRow,
    rows: Sequence[TextRow],
    figures: Collection[str] = (),
) -> int:
    """Print objects as JSON or `rows` as a table; return the exit code."""
    if arguments.json:
        _print_json(objects)
    else:
        print_table(head, rows, figures)
    return DONE


def _list(arguments: argparse.Namespace) -> int:
    models = _installed(arguments)
    named = Counter(model.id for model in models)
    rows = [
        (
            _distinct_name(model, named),
            format_bytes(model.bytes),
            _parameters(model),
            _figure(model.bits),
            _figure(model.context),
            _use(model),
        )
        for model in models
    ]
    head = ("MODEL", "ON DISK", "PARAMETERS", "BITS", "CONTEXT", "USE")
    folders = (*arguments.folder, *map(Path, own_settings().model_folders))
    for folder in absent_folders(chosen_cache(arguments), folders):
        say(f"tandem: not connected: {folder}")
    return _show(arguments, map(_facts, models), head, rows, figures=head[1:5])


def _distinct_name(model: Model, named: Mapping[str, int]) -> str:
    """Return a model's id, with its path, which names it as well, if `named` counts several models of this id."""
    return model.id if named[model.id] == 1 else f"{model.id} ({model.path})"


def _figure(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _facts(model: Model) -> dict[str, Any]:
    return {"event": "model", "disk_bytes": model.bytes} | {name: getattr(model, name) for name in _PRINTED}


def _show_model(arguments: argparse.Namespace) -> int:
    model = _named(arguments)
    rows = [
        ("Folder or file", model.path),
        ("On disk", format_bytes(model.bytes)),
        ("Weights", format_bytes(model.weight_bytes)),
        ("Parameters", _parameters(model)),
        ("Bits", _figure(model.bits)),
        ("Context", _figure(model.context)),
        ("Architecture", model.architecture or "-"),
        ("Use", _use(model)),
    ]
    return _show(arguments, [_facts(model)], ("MODEL", model.id), rows)


def _search(arguments: argparse.Namespace) -> int:
    with HubClient(chosen_access(arguments)) as client:
        models = search_models(client, arguments.query, arguments.limit)
    objects = (
        {
            "event": "found",
            "id": model.id,
            "bytes": model.bytes or None,
            "parameters": model.parameters or None,
            "downloads": model.downloads,
            "gated": model.gated,
            "licence": model.licence,
        }
        for model in models
    )
    rows = []
    for model in models:
        consent = "gated" if model.gated else ""
        rows.append((model.id, format_bytes(model.bytes or None), f"{model.downloads:,}", model.licence, consent))
    return _show(arguments, objects, ("MODEL", "SIZE", "DOWNLOADS", "LICENSE", ""), rows)


def _download(arguments: argparse.Namespace) -> int:
    access = chosen_access(arguments)
    typed, tag = split_tag(arguments.id)
    names = [parse_repository(typed)]
    if access.offline:
        # A queue would wait until the Hub is allowed again.
        raise HubError("kept-offline", names[0])
    with HubClient(access) as client:
        names[0] = _name_of_download(client, names[0], tag, arguments.revision)
    if arguments.with_draft:
        with HubClient(access) as client:
            draft = suggest_draft(client, names[0], load_catalog(), _small_files())
        if draft is None:
            say(f"tandem: no draft model is known for {names[0]}; see `tandem models pairs {names[0]}`.")
        else:
            names.append(draft)
    queue = DownloadQueue(chosen_cache(arguments), access)
    try:
        for name in names:
            queue.add(name, arguments.revision if name == names[0] else "main")
        return DONE if follow(queue, names, arguments.json) else FAILED
    finally:
        queue.close()


def _name_of_download(client: HubClient, repository: str, tag: str, revision: str) -> str:
    """Return what to download: the repository, or one of its GGUF models. Raises `EngineError` for an unusable one."""
    try:
        repository_found = find_gguf(client, repository, tag, revision)
    except HubError as error:
        if tag or error.reason == "no-quantisation":
            raise
        # The download reports its errors, and tries again.
        return repository
    if repository_found is None:
        return repository
    if repository_found.problem:
        raise ModelNotUsable(repository, repository_found.problem, repository_found.detail)
    if repository_found.left_out:
        say(f"tandem: left out, as no language model is in them: {', '.join(repository_found.left_out)}")
    if (version := mlx_version(replace(repository_found, id=repository), load_catalog(), client)) is not None:
        say(f"tandem: {version.id} is the same model for MLX: faster, and without a second copy on the disk.")
    return repository_found.id


def _remove(arguments: argparse.Namespace) -> int:
    model = _named(arguments)
    plan = plan_removal(model, chosen_cache(arguments))
    if plan.personal:
        raise own_folder(plan)
    if not arguments.yes:
        if not sys.stdin.isatty():
            say("tandem: use --yes to skip confirmation.")
            return BAD_USAGE
        warning = " Other programs that use the Hugging Face cache lose it too." if plan.shared else ""
        question = f"Remove {plan.id} and free {format_bytes(plan.freed_bytes)}?{warning} [y/N] "
        print(question, end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            return FAILED
    remove(plan)
    if arguments.json:
        _print_json([{"event": "removed", "id": plan.id, "freed_bytes": plan.freed_bytes}])
    else:
        print(f"Removed {plan.id}: {format_bytes(plan.freed_bytes)} freed.")
    return DONE


# The mark of a draft model by whether it is the best one.
_BEST = {True: "*", False: ""}


def _pairs(arguments: argparse.Namespace) -> int:
    place = os.path.expanduser(model_path(arguments.id))
    if os.path.exists(place):
        # A GGUF file is converted, as for a chat, and a folder need not be on the list.
        arguments.folder.append(model_folder(place))
    installed = _installed(arguments)
    main = _first_named(installed, arguments.id)
    name = main.id if main is not None else parse_repository(arguments.id)
    measured = {draft: totals for (main_id, draft), totals in _measured().items() if main_id == name}
    speedups = factors(measured)
    advice = _advice(arguments, main or name, installed, speedups)
    if name == STARTER_MAIN:
        # As in the window, an estimate is no recommendation against the default.
        advice = [replace(pair, best=pair.best and pair.id in speedups) for pair in advice]
    objects = ({"event": "pair", **asdict(pair), "works": pair.works} for pair in advice)
    rows = [
        (
            _BEST[pair.best],
            pair.id or "(lookup)",
            format_bytes(pair.weight_bytes or None),
            *_words(pair, measured.get(pair.id)),
        )
        for pair in advice
    ]
    return _show(arguments, objects, ("", "DRAFT", "SIZE", "SPEED", "VERDICT"), rows)


def _measured() -> MeasuredPairs:
    """Return what comparisons and stored answers measured, without sums while the window has the answers open."""
    speeds = PairSpeeds(speeds_file())
    try:
        return speeds.take_answers(stored_pairs(data_folder() / "chats.db"))
    except StoreInUse:
        return speeds.figures({})


def _advice(
    arguments: argparse.Namespace, main: Model | str, installed: Sequence[Model], measured: Mapping[str, float]
) -> list[PairAdvice]:
    limit = memory_limit()
    catalog = load_catalog()
    known = catalog.models.get(main) if isinstance(main, str) else main
    if known is not None:
        subject, drafts = candidates(known, installed, catalog)
        return advise(subject, drafts, arguments.context, limit, measured)
    assert isinstance(main, str)
    with HubClient(chosen_access(arguments)) as client:
        return advise_remotely(client, main, catalog, arguments.context, limit, _small_files())


def _first_named(installed: Sequence[Model], name: str) -> Model | None:
    """Return the first installed model that a command can mean by `name`; None if there is none."""
    for model in installed:
        if is_named(model, name):
            return model
    return None


def _named(arguments: argparse.Namespace) -> Model:
    """Return the installed model that the command names. Raises `HubError`."""
    model = _first_named(_installed(arguments), arguments.id)
    if model is None:
        is_own = os.path.exists(os.path.expanduser(arguments.id))
        raise HubError("own-folder" if is_own else "not-installed", arguments.id, path=arguments.id)
    return model


def _installed(arguments: argparse.Namespace) -> list[Model]:
    return models_here(chosen_cache(arguments), arguments.folder)


def chosen_access(arguments: argparse.Namespace) -> HubAccess:
    """Return access to the Hub. Unlike the window, it uses the Hub's environment variables and saved token."""
    from huggingface_hub import constants, get_token

    proxies = urllib.request.getproxies()
    endpoint = arguments.endpoint or constants.ENDPOINT or HUGGING_FACE
    proxy = proxies.get("https" if endpoint.startswith("https") else "http")
    return HubAccess(endpoint, get_token(), proxy, offline=constants.is_offline_mode())


def chosen_cache(arguments: argparse.Namespace) -> Path:
    """Return the folder of the option, or else the Hugging Face cache."""
    if arguments.cache is not None:
        return Path(arguments.cache)
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _small_files() -> Path:
    return cache_folder() / "hub"


def _print_json(objects: Iterable[dict[str, Any]]) -> None:
    for item in objects:
        print(json.dumps(item, ensure_ascii=False, default=str), flush=True)


def _parameters(model: Model) -> str:
    """Format the number of parameters as model names do; "-" if it is unknown."""
    count = model.parameters
    if not count:
        return "-"
    return f"{count / 1e9:.1f}B" if count >= 10**9 else f"{count / 1e6:.1f}M"


def _use(model: Model) -> str:
    use = " or ".join(model.kinds)
    if model.problem:
        # Not at the top: it imports Qt, which other actions need not wait for.
        from app.wording.errors import reason_sentence

        use = reason_sentence(model.problem, model.detail).rstrip(".")
    use = f"{use}, sees" if model.sees else use
    app = name_of_app(model.source)
    return f"{use} ({app})" if app else use


def _words(advice: PairAdvice, measured: Totals | None) -> tuple[str, str]:
    """Return the speed and the verdict as the window says them."""
    # Not at the top: it imports Qt, which no other action needs.
    from app.wording.models import pair_speed, verdict_words

    # An installed model can be measured, so it has no estimate.
    expected = advice.expected if advice.works and advice.source != "installed" else None
    speed = pair_speed(expected, measured)
    # The window marks estimates once for a whole list.
    mark = " (estimate)" if measured is None and "×" in speed else ""
    return speed.replace("×", "x").replace("\u00a0", " ") + mark, verdict_words(advice).replace("\u00a0", " ")


def _examples(action: str, option: str) -> tuple[str, str]:
    plain = f"tandem models {action} {_EXAMPLE}"
    return plain, f"{plain} {option}"


# The words of each action, and what carries it out.
_ACTIONS: dict[str, tuple[tuple[str, Sequence[str]], Callable[[argparse.Namespace], int]]] = {
    "list": (("list installed models", ("tandem models list", "tandem models list --folder ~/models --json")), _list),
    "show": (
        ("show what is known of an installed model", ("tandem show starter", "tandem show starter --json")),
        _show_model,
    ),
    "search": (
        ("search Hugging Face for MLX models", ("tandem models search qwen3", "tandem models search gemma --limit 5")),
        _search,
    ),
    "download": (
        ("download a model, or resume an interrupted download", _examples("download", "--with-draft")),
        _download,
    ),
    "remove": (("delete a model from the Hugging Face cache", _examples("remove", "--yes")), _remove),
    "pairs": (("list draft models for a main model", _examples("pairs", "--context 32768")), _pairs),
}


def _count(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"a number above 0, not {text!r}")
