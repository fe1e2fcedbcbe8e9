"""What the chats of a folder begin with: its files, as they were last read, and its instructions. No Qt.

The store keeps the text of the files, so that nothing is lost when they vanish from the disk.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from msgspec import convert

from app.conversations.chat_settings import OWN, TOOLS_ON, filled, set_aside_of
from app.conversations.database import Database
from app.conversations.encoding import object_from_json, text_of, to_json
from app.conversations.presets import Preset
from app.conversations.records import Folder
from app.text.fences import file_block

# Keys of a folder's settings beside TOOLS_ON: the preset that its new chats begin with, and the paths of their models.
PRESET, MODELS = "preset", "models"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file with its text, and its size in bytes and the time of its last change in ns when that was read.

    `left_out` files stay in the folder, but chats do not begin with them. `problem` is the reason of a `NotAttachable`.
    """

    name: str
    text: str = ""
    size: int = 0
    changed: int = 0
    left_out: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file or a folder of the disk. One that was imported has no `path` and is never read again.

    `problem` says why it could not be read again: "gone", "too-many" or the reason of a `NotAttachable`. Its files are
    then those of before.
    """

    path: str
    is_folder: bool = False
    files: tuple[SourceFile, ...] = ()
    problem: str = ""


Sources = tuple[Source, ...]


@dataclass(frozen=True)
class Project:
    """A folder with its files."""

    folder: Folder
    sources: Sources = ()

    @cached_property
    def text(self) -> str:
        """The text of the files, with which every chat begins: the same bytes until one of them changes."""
        files = (file for source in self.sources for file in source.files if file.text and not file.left_out)
        return "\n\n".join(file_block(file.name, file.text) for file in files)

    def prompt(self, variables: Mapping[str, str]) -> str:
        """Return the files, then the instructions with their `variables` filled in."""
        parts = self.text, filled(self.folder.instructions, variables).strip()
        return "\n\n".join(part for part in parts if part)


def preset_of(folder: Folder) -> Preset | None:
    """Return the preset that new chats of the folder begin with; None for that of all new chats."""
    found = set_aside_of(folder.settings, PRESET)
    return None if found is None else Preset("", *found)


def models_of(folder: Folder) -> tuple[str, str | None] | None:
    """Return the paths of the main and the draft model of the folder's chats, or None."""
    match folder.settings.get(MODELS):
        case [str(main), (str() | None) as draft]:
            return main, draft
    return None


def sources_from(value: object) -> Sources:
    """Return the sources that a JSON value describes; none where damage left another shape."""
    try:
        return convert(value, Sources, strict=False)
    except (ValueError, RecursionError):
        return ()


def _sources_in(column: object) -> Sources:
    try:
        return sources_from(json.loads(text_of(column)))
    except (ValueError, RecursionError):
        return ()


def exported(project: Project) -> dict[str, Any] | None:
    """Return what an export says of a folder, without paths of this computer; None if there is nothing to say."""
    folder = project.folder
    settings = {key: folder.settings[key] for key in (PRESET,) if key in folder.settings}
    if not (folder.instructions or project.sources or settings):
        return None
    files = [replace(source, path="", problem="") for source in project.sources]
    return {"instructions": folder.instructions, "settings": settings, "files": files}


class Projects:
    """The folders of the store with their files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, folder_id: int | None) -> Project | None:
        """Return a folder with its files; None if it does not exist (any more)."""
        row = self._database.row("SELECT * FROM folders WHERE id = ?", (folder_id,))
        return None if row is None else Project(folder_of(row), _sources_in(row["files"]))

    def set_instructions(self, folder_id: int, text: str) -> None:
        self._set(folder_id, "instructions", text)

    def set_setting(self, folder_id: int, key: str, value: object) -> None:
        """Set what new chats of the folder begin with; None leaves it as for other chats."""
        if (project := self.get(folder_id)) is not None:
            settings = {**project.folder.settings, key: value}
            self._set(
                folder_id, "settings", to_json({name: kept for name, kept in settings.items() if kept is not None})
            )

    def _set(self, folder_id: int, column: str, value: str) -> None:
        """Set a column, whose name is a constant of this module."""
        with self._database.write() as changes:
            changes.folders = True
            self._database.execute(f"UPDATE folders SET {column} = ? WHERE id = ?", (value, folder_id))

    def change_files(self, folder_id: int, change: Callable[[Sources], Sources]) -> Project | None:
        """Change the files of a folder and return it. Where their text changes, its caches of before are to go."""
        with self._database.write() as changes:
            before = self.get(folder_id)
            if before is None:
                return None
            after, uid = replace(before, sources=change(before.sources)), before.folder.uid
            if after.text != before.text:
                changes.removed_uids.add(uid)
                uid = str(uuid.uuid4())
            changes.folders = True
            files = to_json(after.sources)
            self._database.execute("UPDATE folders SET files = ?, uid = ? WHERE id = ?", (files, uid, folder_id))
        return replace(after, folder=replace(after.folder, uid=uid))

    def merge(self, gone_id: int, kept_id: int) -> None:
        """Add the files and instructions of a folder that is about to be deleted to another one."""
        gone, kept = self.get(gone_id), self.get(kept_id)
        if gone is None or kept is None:
            return
        instructions = "\n\n".join(one.folder.instructions for one in (kept, gone) if one.folder.instructions)
        with self._database.write() as changes:
            changes.removed_uids.add(gone.folder.uid)
            self.set_instructions(kept_id, instructions)
            self._set(kept_id, "settings", to_json({**gone.folder.settings, **kept.folder.settings}))
            self.change_files(kept_id, lambda sources: (*sources, *gone.sources))

    def add_imported(self, folder_id: int, value: Mapping[str, Any]) -> None:
        """Give an empty folder what an export says of it. A file names no path to read and switches no tools on."""
        project = self.get(folder_id)
        if project is None or project.folder.instructions or project.sources or project.folder.settings:
            return
        described = value.get("settings")
        preset = set_aside_of(described, PRESET) if isinstance(described, dict) else None
        self.set_instructions(folder_id, text_of(value.get("instructions")))
        if preset is not None:
            self.set_setting(folder_id, PRESET, {"system_prompt": preset[0], OWN: preset[1]})
        files = tuple(replace(source, path="", problem="") for source in sources_from(value.get("files") or []))
        self.change_files(folder_id, lambda _: files)


def start_settings(folder: Folder | None, preset: Preset) -> dict[str, Any]:
    """Return the stored settings with which a new chat of the folder begins."""
    settings: dict[str, Any] = {OWN: dict(preset.own)} if preset.own else {}
    if folder is not None and isinstance(folder.settings.get(TOOLS_ON), bool):
        settings[TOOLS_ON] = folder.settings[TOOLS_ON]
    return settings


def folder_of(row: sqlite3.Row) -> Folder:
    uid, instructions = text_of(row["uid"]), text_of(row["instructions"])
    settings = object_from_json(row["settings"])
    return Folder(row["id"], row["name"], row["position"], bool(row["closed"]), uid, instructions, settings)
