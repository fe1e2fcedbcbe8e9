"""Writes the configuration of a program for the local API, and takes it back.

Nothing is written before the caller has shown the `Plan`, and never into a file with anything else in it. What was
written is noted, so that exactly that is taken back.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.agents.endpoint import Endpoint
from app.agents.table import App
from app.system.paths import data_folder
from engine.errors import CodedError
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, read_bytes
from engine.files.kept_json import KeptJson


class NotConnected(CodedError):
    """`file` was left as it is: it has changed, or for the reason in `detail` it cannot be read or written."""

    code = "not-connected"

    def __init__(self, file: Path, detail: object = "") -> None:
        super().__init__(f"{file} was left as it is: {detail or 'it has changed'}", file=str(file), detail=str(detail))


@dataclass(frozen=True)
class Plan:
    """What connecting a program would do: `file` has the content `before`, None for no file, and would get `after`.

    `text` is all of the file, or what only a person can add to one with other settings, for which `after` is None, or
    the variables to set for a program without a file. Programs that read the API's key from
    a variable need `key_variable`, else "".
    """

    app: App
    file: Path | None
    before: str | None
    after: str | None
    text: str
    key_variable: str

    @property
    def writes(self) -> bool:
        """Whether there is something to write."""
        return self.after not in (None, self.before)

    @property
    def start_command(self) -> str:
        """The command that starts the program with the file, "" for a program with a list of models."""
        return self.app.start.format(file=shlex.quote(str(self.file)))


def file_of(app: App) -> Path | None:
    """Return the file that the program reads."""
    if not app.file:
        return None
    folder, _, name = app.file.partition("/")
    return Path(os.environ.get(app.folder_variable) or Path.home() / folder) / name


def connected(app: App) -> bool:
    """Whether the program's file is what Tandem wrote."""
    noted = _noted().values.get(app.id)
    try:
        return noted is not None and _read(Path(noted["file"])) == noted["text"]
    except ValueError:
        return False


def plan(app: App, endpoint: Endpoint) -> Plan:
    """Return what connecting the program would do."""
    file, text = file_of(app), app.content(endpoint)
    before = after = None
    if file is not None:
        with suppress(ValueError):
            before = _read(file)
            after = text if not (before or "").strip() or connected(app) else None
    return Plan(app, file, before, after, text, app.key_variable if endpoint.needs_key else "")


def write(plan: Plan) -> None:
    """Write the file of the plan. Raises `NotConnected`."""
    assert plan.file is not None
    try:
        if _read(plan.file) != plan.before:
            raise NotConnected(plan.file)
        write_atomically(plan.file, plan.text.encode())
    except (OSError, ValueError) as error:
        raise NotConnected(plan.file, error) from error
    _noted().keep(plan.app.id, {"file": str(plan.file), "text": plan.text})


def take_back(app: App) -> Path:
    """Remove the file that was written for a connected program. Raises `NotConnected`."""
    noted = _noted()
    file = Path(noted.values[app.id]["file"])
    try:
        if not connected(app):
            raise NotConnected(file)
        file.unlink()
    except OSError as error:
        raise NotConnected(file, error) from error
    noted.forget([app.id])
    return file


def _noted() -> KeptJson:
    """Return what was written, by the program's id: the `file`, and the `text` in it."""
    return KeptJson(data_folder() / "connected.json", {"format": 2})


def _read(file: Path) -> str | None:
    """Return the content of a file, None for no file. Raises `ValueError`."""
    return read_bytes(file, CONFIG.size).decode() if os.path.lexists(file) else None
