"""Check a model's files against their checksums.

In the Hugging Face cache a blob's name is the Hub's checksum, so no network is needed. A folder that was copied has
none.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from engine.hub.failures import HubError
from engine.hub.repository_names import is_content_hash
from engine.hub.transfer import digest_of
from engine.hub.values import RemoteFile, VerifyReport


def verify_model(folder: Path, stop: threading.Event | None = None) -> VerifyReport | None:
    """Compare every file of the model with its checksum; None if `stop` was set first.

    Raises `HubError` (not-installed) without a folder.
    """
    if not folder.is_dir():
        raise HubError("not-installed", folder.name)
    stop = stop or threading.Event()
    checked: list[str] = []
    damaged: list[str] = []
    missing: list[str] = []
    for path in (Path(directory, name) for directory, _, names in os.walk(folder) for name in sorted(names)):
        name = str(path.relative_to(folder))
        if not path.exists():
            missing.append(name)
        elif file := _expected_file(name, path):
            try:
                found = digest_of(path, file, stop)
            except OSError:
                found = "unreadable"
            if found is None:
                return None
            (checked if found == file.digest else damaged).append(name)
    return VerifyReport(tuple(checked), tuple(damaged), tuple(missing))


def _expected_file(name: str, path: Path) -> RemoteFile | None:
    """The file with the digest that the cache's link names; None without a link to a blob."""
    try:
        digest = os.path.basename(os.readlink(path))
    except OSError:
        return None
    return RemoteFile(name, path.stat().st_size, digest) if is_content_hash(digest) else None
