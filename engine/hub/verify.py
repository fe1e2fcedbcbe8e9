"""Check a model's files against their checksums.

In the Hugging Face cache a blob's name is the Hub's checksum, so no network is needed. A folder that was copied has
none; a listing of its repository can be given instead.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.hub.failures import HubError
from engine.hub.repository_names import is_content_hash
from engine.hub.transfer import digest_of
from engine.hub.values import Listing, RemoteFile, VerifyReport


def verify_model(
    folder: Path,
    listing: Listing | None = None,
    on_bytes: Callable[[int, int], None] | None = None,
    stop: threading.Event | None = None,
) -> VerifyReport | None:
    """Compare every file of the model with its checksum; None if `stop` was set first.

    `on_bytes(done, total)` is called after each file. Raises `HubError` (not-installed) without a folder.
    """
    if not folder.is_dir():
        raise HubError("not-installed", folder.name)
    stop = stop or threading.Event()
    expected = {file.name: file for file in listing.files} if listing else {}
    files = list(_files(folder))
    total = sum(path.stat().st_size for _, path in files if path.exists())
    results: dict[str, list[str]] = {"checked": [], "damaged": [], "missing": [], "unknown": []}
    done = 0
    for name, path in files:
        if not path.exists():
            results["missing"].append(name)
            continue
        file = expected.get(name) or _expected_file(name, path)
        if file is None:
            results["unknown"].append(name)
        else:
            try:
                found = digest_of(path, file, stop)
            except OSError:
                found = "unreadable"
            if found is None:
                return None
            results["checked" if found == file.digest else "damaged"].append(name)
        done += os.path.getsize(path)
        if on_bytes is not None:
            on_bytes(done, total)
    results["missing"] += sorted(expected.keys() - {name for name, _ in files})
    return VerifyReport(*(tuple(results[key]) for key in ("checked", "damaged", "missing", "unknown")))


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for directory, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(directory, name)
            yield str(path.relative_to(folder)), path


def _expected_file(name: str, path: Path) -> RemoteFile | None:
    """The file with the digest that the cache's link names; None without a link to a blob."""
    try:
        digest = os.path.basename(os.readlink(path))
    except OSError:
        return None
    return RemoteFile(name, path.stat().st_size, digest) if is_content_hash(digest) else None
