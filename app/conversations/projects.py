"""The beginning of the chats of a folder: its files, as they were last read, and its instructions. No Qt.

The store keeps the text of the files, and their pictures, so that nothing is lost when they vanish from the disk.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import convert

from app.conversations.chat_settings import filled, usable
from app.conversations.database.encoding import object_from_json, text_of
from app.conversations.database.records import Folder, Source, SourceFile
from app.conversations.presets import Preset
from app.text.fences import file_block

Sources = tuple[Source, ...]

# Keys of a folder's settings, besides TOOLS_ON: the preset that its new chats begin with.
PRESET = "preset"
# The paths of the models that its new chats begin with.
MODELS = "models"


@lru_cache(maxsize=64)
def files_text(sources: Sources) -> str:
    """Return the text of a folder's files, with which each of its chats begins. Files without text are left out.

    The text stays the same, byte by byte, until a file changes, so that the caches of it stay valid.
    """
    files = (file for source in sources for file in source.files if file.text)
    return "\n\n".join(file_block(file.name, file.text) for file in files)


def picture_files(folder: Folder | None) -> list[SourceFile]:
    """Return a folder's files that are pictures, with which its chats begin if the model can see; [] for None."""
    sources = () if folder is None else folder.sources
    return [file for source in sources for file in source.files if file.picture is not None]


def source_name(source: Source) -> str:
    """Return the name of a file or folder of the disk; for an imported one, the names of its files."""
    return Path(source.path).name or ", ".join(file.name for file in source.files)


def start_of(folder: Folder | None, variables: Mapping[str, str]) -> str:
    """Return a folder's files, then its instructions with their `variables` filled in; "" without a folder."""
    parts = ("", "") if folder is None else (files_text(folder.sources), filled(folder.instructions, variables).strip())
    return "\n\n".join(part for part in parts if part)


def preset_of(folder: Folder | None) -> Preset | None:
    """Return the preset that new chats of the folder begin with; None if they begin like all new chats."""
    try:
        preset = convert(folder.settings[PRESET] if folder is not None else None, Preset)
    except (ValueError, LookupError):
        return None
    return replace(preset, own=usable(preset.own))


def models_of(folder: Folder) -> tuple[str, str | None] | None:
    """Return the paths of the main and the draft model with which the folder's new chats begin.

    None if the folder names none; the draft's path is None if it names only a main model.
    """
    match folder.settings.get(MODELS):
        case [str(main), (str() | None) as draft]:
            return main, draft
    return None


def exported(folder: Folder | None) -> dict[str, Any]:
    """Return a folder's settings for an export, without paths of this computer, pictures and tools.

    {} without a folder, or for one that has nothing of its own.
    """
    if folder is None:
        return {}
    files = [without_path(source) for source in folder.sources]
    parts = {"instructions": folder.instructions, PRESET: preset_of(folder), "files": files}
    return {key: value for key, value in parts.items() if value}


def without_path(source: Source) -> Source:
    """Return a source with the texts that were read alone, for an export or an import."""
    return replace(source, path="", problem="", files=tuple(replace(file, picture=None) for file in source.files))


def folder_of(row: sqlite3.Row) -> Folder:
    """Return the folder in a row of the table "folders"."""
    uid = text_of(row["uid"])
    instructions = text_of(row["instructions"])
    settings = object_from_json(row["settings"])
    sources = sources_from(text_of(row["files"]))
    return Folder(row["id"], row["name"], row["position"], bool(row["closed"]), uid, instructions, settings, sources)


# The list of folders is read after every change of the list of chats.
@lru_cache(maxsize=64)
def sources_from(text: str) -> Sources:
    """Decode a list of sources; none where damage left nothing readable."""
    try:
        return convert(json.loads(text), Sources, strict=False)
    except (ValueError, RecursionError):
        return ()
