"""What Tandem keeps on the disk, where, and how much. Everything here reads the disk, so none of it is for Qt's thread.

No Qt in here.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from app.system.paths import cache_folder, data_folder, prefix_folder, settings_folder
from engine.prefix_files import forget_others


@dataclass(frozen=True)
class Kept:
    """One kind of thing: `id` names it, `folder` is what a file browser shows, `bytes` what it takes."""

    id: str
    folder: Path
    bytes: int


def model_folder() -> Path:
    """The Hugging Face cache, which every tool of this user shares."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def measure() -> tuple[Kept, ...]:
    """Everything that is kept, with its size now."""
    models, prefixes = model_folder(), bytes_of(prefix_folder())
    return (
        Kept("chats", data_folder(), bytes_of(data_folder())),
        Kept("prefixes", prefix_folder(), prefixes),
        Kept("models", models, bytes_of(models)),
        Kept("caches", cache_folder(), bytes_of(cache_folder()) - prefixes),
        Kept("settings", settings_folder(), bytes_of(settings_folder())),
    )


def bytes_of(place: Path) -> int:
    """The bytes of every file under `place`, links not followed; 0 where there is nothing."""
    total, waiting = 0, [place]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total


def clear_prefixes() -> None:
    """Remove what models have read. A file that cannot be removed stays."""
    forget_others(prefix_folder(), ())


def clear_caches() -> None:
    """Remove what can be made again. A file that cannot be removed stays."""
    try:
        paths = list(cache_folder().iterdir())
    except OSError:
        return
    for place in paths:
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
        else:
            try:
                place.unlink()
            except OSError:
                continue
