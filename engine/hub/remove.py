"""Remove a model in two steps: a plan that says what it frees and affects, then the removal."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from engine.files.listing import files_below, matching
from engine.finding.gguf_models import is_conversion
from engine.finding.other_apps import name_of_app
from engine.gguf.names import name_of_set
from engine.hub.cache_layout import RepositoryCache
from engine.hub.failures import HubError
from engine.hub.values import RemovalPlan
from engine.model_files.adapters import is_adapter, own_files
from engine.model_files.model import Model
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import repository_of_folder

log = logging.getLogger(__name__)

# Files that certainly belong to a model; other files could be the user's own.
_MODEL_FILES = (
    *("config.json", "generation_config.json", "model*.safetensors", "mtp*.safetensors"),
    *("model.safetensors.index.json", "tokenizer*.json", "tokenizer.model", "special_tokens_map.json"),
    *("added_tokens.json", "chat_template.*", "vocab.json", "vocab.txt", "merges.txt", "*.tiktoken"),
)
# Files that come with a downloaded model; removed if the folder holds nothing else.
_COMPANIONS = (
    *("README*", "LICENSE*", "NOTICE*", "USE_POLICY*", ".gitattributes", ".cache", ".DS_Store"),
    *("preprocessor_config.json", "processor_config.json", "configuration.json", "params.json", "*.jinja"),
)


def plan_removal(model: Model, cache_dir: Path) -> RemovalPlan:
    """Plan the removal of a model without doing it.

    Only what lies in a repository of the Hub's cache at `cache_dir`, once links are followed, is to be deleted. Raises
    `HubError`: built-in, other-app, own-folder, in-main, not-installed, in-use; not-writable if the system does not say
    what is there.
    """
    try:
        return _plan(model, cache_dir)
    except OSError as error:
        log.info("what of %s is to be deleted cannot be listed: %s", model.id, error)
        raise HubError("not-writable", model.id, path=str(error.filename or model.path)) from error


def _plan(model: Model, cache_dir: Path) -> RemovalPlan:
    if model.source == "starter":
        raise HubError("built-in", model.id)
    if model.gguf or model.is_gguf_file:
        return _plan_of_gguf_model(model, cache_dir)
    if app := name_of_app(model.source):
        raise HubError("other-app", model.id, app=app)
    cache = RepositoryCache(cache_dir, model.id)
    folder = Path(model.path)
    if model.source == "cache" and cache.home.is_dir():
        if cache.is_being_written():
            raise HubError("in-use", model.id)
        return RemovalPlan(model.id, (cache.home, cache.locks), _freed_bytes(cache.home), True, cache.home)
    if ModelFolder(folder).is_shard:
        raise HubError("in-main", model.id)
    paths = _paths_to_remove(folder)
    if not paths:
        raise HubError("not-installed", model.id)
    shared = all(_is_in_repository(path, cache_dir) for path in paths)
    return RemovalPlan(model.id, paths, sum(map(_freed_bytes, paths)), shared, folder, personal=not shared)


def _plan_of_gguf(model: Model, cache_dir: Path) -> RemovalPlan:
    """Plan to remove the files of one GGUF model of the Hub's cache, and the folder that was made from them."""
    cache = RepositoryCache(cache_dir, model.id)
    if cache.is_being_written():
        raise HubError("in-use", model.id)
    file = Path(model.gguf.source if model.gguf else model.path)
    parts = (part for part in matching(file.parent, "*.gguf") if name_of_set(part.name) == name_of_set(file.name))
    content = set(map(os.path.realpath, parts))
    files = [*files_below(cache.home / "snapshots"), *files_below(cache.blobs)]
    of_model = [file for file in files if os.path.realpath(file) in content]
    others = [file for file in files if file not in of_model]
    made = [Path(model.path).parent] if model.gguf else []
    paths = (*made, *(of_model if others else (cache.home, cache.locks)))
    return RemovalPlan(model.id, paths, sum(map(_freed_bytes, paths)), True, cache.home)


def remove(plan: RemovalPlan) -> None:
    """Carry out the plan.

    Raises `HubError`: own-folder before anything is deleted, not-writable if something remains.
    """
    if plan.personal:
        raise own_folder(plan)
    for folder in plan.folders:
        if folder.is_symlink() or folder.is_file():
            with suppress(OSError):
                folder.unlink()
        else:
            # The references first: an interrupted removal leaves an incomplete model, never a wrong one.
            shutil.rmtree(folder / "refs", ignore_errors=True)
            shutil.rmtree(folder, ignore_errors=True)
        if os.path.lexists(folder):
            raise HubError("not-writable", plan.id, path=str(folder))


def own_folder(plan: RemovalPlan) -> HubError:
    """Return the error of deleting what is in a folder of the person's own."""
    return HubError("own-folder", plan.id, path=str(plan.place))


def _is_in_repository(path: Path, cache_dir: Path) -> bool:
    """Whether the path, which may be a link itself, lies in the folder of a repository of the Hub's cache."""
    folder = Path(os.path.realpath(path.parent))
    cache = Path(os.path.realpath(cache_dir))
    inside = folder.relative_to(cache).parts if folder.is_relative_to(cache) else ()
    return bool(inside) and repository_of_folder(inside[0]) is not None


def _plan_of_gguf_model(model: Model, cache_dir: Path) -> RemovalPlan:
    """Plan the removal of a GGUF file, or of the folder that was made from one. Raises as `plan_removal`."""
    if model.source == "cache":
        return _plan_of_gguf(model, cache_dir)
    if model.gguf and is_conversion(Path(model.path), cache_dir):
        # The file from which it was made is the person's own, or another program's.
        home = Path(model.path).parent
        return RemovalPlan(model.id, (home,), _freed_bytes(home), False, Path(model.path))
    if app := name_of_app(model.source):
        raise HubError("other-app", model.id, app=app)
    raise HubError("own-folder", model.id, path=model.gguf.source if model.gguf else model.path)


def _paths_to_remove(folder: Path) -> tuple[Path, ...]:
    """Return what to delete: the folder if it holds nothing but the model, else the files that are surely the model's.

    A README or a licence is no reason to keep the folder. A head may be a single file; of a link, only the link is
    deleted. Returns () if there is no model or adapter. Nothing is deleted here.
    """
    if folder.is_file():
        return (folder,)
    adapter = is_adapter(folder)
    if not (adapter or (folder / "config.json").exists()):
        return ()
    if folder.is_symlink():
        return (folder,)
    entries = sorted(folder.iterdir())
    if adapter:
        of_model = own_files(folder)
    else:
        of_model = [entry for entry in entries if _matches(entry, _MODEL_FILES) and not entry.is_dir()]
    others = [entry for entry in entries if entry not in of_model and not _matches(entry, _COMPANIONS)]
    return tuple(of_model) if others else (folder,)


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path.name, pattern) for pattern in patterns)


def _freed_bytes(path: Path) -> int:
    """Return the bytes of the file or of the files in the folder, without the targets of links."""
    if path.is_symlink():
        return 0
    if path.is_file():
        return _own_bytes(path)
    return sum(_own_bytes(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def _own_bytes(file: str | Path) -> int:
    try:
        status = os.lstat(file)
    except OSError:
        return 0
    return status.st_blocks * 512 if status.st_nlink == 1 else 0
