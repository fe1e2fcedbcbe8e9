"""The files of a repository at one commit that a model needs."""

from __future__ import annotations

import fnmatch
from typing import Any
from urllib.parse import quote

from engine.files.folder_paths import MODEL_PATTERNS
from engine.hub.client import HubClient
from engine.hub.failures import HubError
from engine.hub.repository_names import COMMIT, is_content_hash, is_plain_path, is_revision
from engine.hub.values import Listing, RemoteFile

_MOST_FILES = 5_000
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
    names = {file.name for file in files}
    if "config.json" not in names or not any(name.endswith(".safetensors") for name in names):
        raise HubError("not-mlx", repository)
    return Listing(repository, commit, tuple(sorted(files, key=lambda file: (file.size > 2**20, file.name))))


def _is_wanted(entry: Any) -> bool:
    if not isinstance(entry, dict) or entry.get("type") != "file":
        return False
    name = entry.get("path")
    return isinstance(name, str) and any(fnmatch.fnmatchcase(name, pattern) for pattern in MODEL_PATTERNS)


def _file_of(client: HubClient, repository: str, entry: dict[str, Any]) -> RemoteFile:
    large = entry.get("lfs")
    source = large if isinstance(large, dict) else entry
    size, digest = source.get("size"), source.get("oid")
    if type(size) is not int or size < 0 or not isinstance(digest, str) or not is_content_hash(digest):
        raise client.access.wrong_mirror(repository)
    return RemoteFile(entry["path"], size, digest)
