"""Writes the configuration of a program for the local API, and takes it back.

Nothing is written before the caller has shown the `Plan`. The file as it was is kept beside it, and what was written is
noted, so that exactly that is taken back. Comments in a JSON file and other settings in it stay as they are.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.agents.table import App, Endpoint
from app.system.paths import data_folder
from engine.errors import CodedError
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, parse, read_bytes
from engine.files.kept_json import KeptJson

_NEW_FILE = 0o600
_STRING = r'"(?:[^"\\]|\\.)*+"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMAS = re.compile(rf"{_STRING}|,(?=\s*[\]}}])")


class NotConnected(CodedError):
    """`file` was left as it is: it has changed, or for the reason in `detail` it cannot be read or written."""

    code = "not-connected"

    def __init__(self, file: Path, detail: object = "") -> None:
        super().__init__(f"{file} was left as it is: {detail or 'it has changed'}", file=str(file), detail=str(detail))


@dataclass(frozen=True)
class Plan:
    """What connecting a program would do: `file` has the content `before`, None for no file, and would get `after`.

    `text` is all of the file, or what is added to one with other settings, or for a program without a file the
    variables that a person sets. `after` is None where only a person can add it. Programs that read the API's key from
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
    # Atomic writing would replace a link by a file.
    return (Path(os.environ.get(app.folder_variable) or Path.home() / folder) / name).resolve()


def connected(app: App) -> bool:
    """Whether the program's file has what Tandem wrote."""
    noted = _noted().values.get(app.id)
    try:
        return noted is not None and noted["text"] in (_read(Path(noted["file"])) or "")
    except ValueError:
        return False


def plan(app: App, endpoint: Endpoint) -> Plan:
    """Return what connecting the program would do."""
    file, text = file_of(app), app.content(endpoint)
    before = after = None
    if file is not None:
        with suppress(ValueError):
            before = _read(file)
            others = _without(_noted().values.get(app.id, {}).get("text", ""), before or "")
            after = with_members(others, text) if app.shared else None if others.strip() else text
    return Plan(app, file, before, after, text, app.key_variable if endpoint.needs_key else "")


def write(plan: Plan) -> Path | None:
    """Write the file of the plan; returns the copy of the file as it was, if there was one. Raises `NotConnected`."""
    app, file = plan.app, plan.file
    assert file is not None
    assert plan.after is not None
    copy = _copy_of(file)
    try:
        if _read(file) != plan.before:
            raise NotConnected(file)
        # A second time, the copy is of the file before the first.
        if plan.before is not None and not connected(app):
            write_atomically(copy, plan.before.encode(), _mode(file))
        write_atomically(file, plan.after.encode(), _mode(file))
    except (OSError, ValueError) as error:
        raise NotConnected(file, error) from error
    _noted().keep(app.id, {"file": str(file), "text": members_of(plan.text) if app.shared else plan.text})
    return copy if copy.exists() else None


def take_back(app: App) -> Path:
    """Remove what was written from the file of a connected program, and a file that was made for it.

    Raises `NotConnected`.
    """
    noted = _noted()
    file, text = Path(noted.values[app.id]["file"]), noted.values[app.id]["text"]
    copy = _copy_of(file)
    try:
        content = _read(file) or ""
        if text not in content:
            raise NotConnected(file)
        others = _without(text, content)
        if copy.exists() or others.strip("{} \n"):
            write_atomically(file, others.encode(), _mode(file))
            copy.unlink(missing_ok=True)
        else:
            file.unlink()
    except (OSError, ValueError) as error:
        raise NotConnected(file, error) from error
    noted.forget([app.id])
    return file


def _noted() -> KeptJson:
    """Return what was written, by the program's id: the `file`, and the `text` in it."""
    return KeptJson(data_folder() / "connected.json", {"format": 2})


def _without(text: str, content: str) -> str:
    return re.sub(f"{re.escape(text)},?", "", content, count=1) if text else content


def _copy_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.before-tandem")


def _read(file: Path) -> str | None:
    """Return the content of a file, None for no file. Raises `ValueError`."""
    return read_bytes(file, CONFIG.size).decode() if os.path.lexists(file) else None


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode) if file.exists() else _NEW_FILE


def with_members(text: str, added: str) -> str:
    """Return `text` with the members of the object `added` as its first ones.

    Raises `ValueError` if `text` is not a JSON object, apart from comments and last commas, or has such a member.
    """
    plain = _LAST_COMMAS.sub(_blank, _COMMENTS.sub(_blank, text))
    if not plain.strip():
        text, plain = text + "{\n}\n", plain + "{\n}\n"
    present = parse(plain.encode(), CONFIG)
    if not isinstance(present, dict) or present.keys() & json.loads(added).keys():
        raise ValueError("no place for the members")
    start = plain.index("{") + 1
    return text[:start] + members_of(added) + ("," if present else "") + text[start:]


def members_of(added: str) -> str:
    """Return the lines with the members of an indented object."""
    return added.strip().removeprefix("{").removesuffix("\n}")


def _blank(found: re.Match[str]) -> str:
    """Replace what plain JSON does not allow by spaces, so that every other character keeps its place."""
    return found[0] if found[0].startswith('"') else " " * len(found[0])
