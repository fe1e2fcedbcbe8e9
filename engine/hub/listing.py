"""The files of a repository at one commit that a model needs: of MLX weights, or of one of its GGUF models."""

from __future__ import annotations

import fnmatch
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from engine.files.folder_paths import MODEL_PATTERNS
from engine.gguf.names import is_model_file, named, part_of, proposed, tag_of
from engine.hub.client import HubClient
from engine.hub.failures import HubError
from engine.hub.repository_names import COMMIT, is_content_hash, is_plain_path, is_revision
from engine.hub.values import Listing, RemoteFile

_MOST_FILES = 20_000
_MOST_PAGES = 50


def describe(client: HubClient, repository: str, revision: str = "main") -> tuple[str, dict[str, Any]]:
    """Return the commit of `revision`, and the Hub's whole answer about it. Raises `HubError`."""
    if not is_revision(revision):
        raise HubError("revision-missing", repository, revision=revision[:80])
    answer, _ = client.get_json(f"/api/models/{repository}/revision/{quote(revision, safe='')}", repository)
    commit = answer.get("sha") if isinstance(answer, dict) else None
    if not isinstance(commit, str) or not COMMIT.fullmatch(commit):
        raise client.access.wrong_mirror(repository)
    return commit, answer


def list_model(client: HubClient, repository: str, commit: str) -> Listing:
    """List the repository's files at `commit` that a model needs. Raises as `describe`, and not-mlx or unsafe-name."""
    return mlx_listing(list_files(client, repository, commit))


def mlx_listing(files: Listing) -> Listing:
    """Return the files of the model with MLX weights in a repository. Raises `HubError` (not-mlx) if it has none."""
    needed = tuple(file for file in files.files if not file.name.endswith(".gguf"))
    names = {file.name for file in needed}
    if "config.json" not in names or not any(name.endswith(".safetensors") for name in names):
        raise HubError("not-mlx", files.repository)
    return replace(files, files=needed)


def gguf_models(files: Listing) -> dict[str, tuple[tuple[RemoteFile, ...], str]]:
    """Map each GGUF model's name to its files and the first missing one, by size; whole sets win over others."""
    sets: dict[tuple[str, int], dict[int, RemoteFile]] = {}
    for file in files.files:
        if file.name.endswith(".gguf") and is_model_file(file.name):
            name, number, count = part_of(file.name)
            sets.setdefault((name, count), {})[number] = file
    models: dict[str, tuple[tuple[RemoteFile, ...], str]] = {}
    for (name, count), parts in sorted(sets.items(), key=lambda item: sum(part.size for part in item[1].values())):
        lacking = next((number for number in range(1, count + 1) if number not in parts), 0)
        if name not in models or not lacking:
            missing = f"{name}-{lacking:05}-of-{count:05}.gguf" if lacking else ""
            models[name] = tuple(part for _, part in sorted(parts.items())), missing
    return models


def gguf_listing(files: Listing, wanted: str) -> tuple[str, Listing]:
    """Return the name and the files of the GGUF model that a tag, a file's name or, with "", the proposal means.

    Raises `HubError`: not-mlx without any, no-quantisation for an unknown or ambiguous tag, file-missing.
    """
    models = gguf_models(files)
    names = [name for name, (_, missing) in models.items() if wanted or not missing]
    if not names:
        raise HubError("not-mlx", files.repository)
    names = named(names, wanted) if wanted else [proposed(names)]
    if len(names) != 1:
        tags = names or dict.fromkeys(map(tag_of, models))
        raise HubError("no-quantisation", files.repository, tag=wanted[:80], tags=", ".join(tags)[:2_000])
    parts, missing = models[names[0]]
    if missing:
        raise HubError("file-missing", files.repository, file=missing)
    return names[0], replace(files, files=parts)


def left_out(files: Listing) -> tuple[str, ...]:
    """Return the GGUF files of a repository that hold no language model, such as the towers that see."""
    return tuple(file.name for file in files.files if file.name.endswith(".gguf") and not is_model_file(file.name))


def list_files(client: HubClient, repository: str, commit: str) -> Listing:
    """List what models of any kind need of the repository's files.

    Raises `HubError` as `describe` does; also not-mlx for too many files, and unsafe-name.
    """
    files: list[RemoteFile] = []
    path: str | None = f"/api/models/{repository}/tree/{commit}?recursive=true&expand=false"
    for _ in range(_MOST_PAGES):
        if path is None:
            break
        answer, path = client.get_json(path, repository)
        if not isinstance(answer, list):
            raise client.access.wrong_mirror(repository)
        files.extend(_file_of(client, repository, entry) for entry in answer if _is_wanted(entry))
        if len(files) > _MOST_FILES:
            raise HubError("not-mlx", repository)
    for file in files:
        if not is_plain_path(file.name):
            raise HubError("unsafe-name", repository, file=file.name[:80])
    return Listing(repository, commit, tuple(sorted(files, key=lambda file: (file.size > 2**20, file.name))))


def _is_wanted(entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.get("type") != "file":
        return False
    name = entry.get("path")
    return isinstance(name, str) and any(fnmatch.fnmatchcase(name, pattern) for pattern in (*MODEL_PATTERNS, "*.gguf"))


def _file_of(client: HubClient, repository: str, entry: dict[str, Any]) -> RemoteFile:
    large = entry.get("lfs")
    source = large if isinstance(large, dict) else entry
    size = source.get("size")
    digest = source.get("oid")
    if type(size) is not int or size < 0 or not isinstance(digest, str) or not is_content_hash(digest):
        raise client.access.wrong_mirror(repository)
    return RemoteFile(entry["path"], size, digest)
