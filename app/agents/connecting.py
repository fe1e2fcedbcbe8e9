"""Writes the configuration of a program for the local API, and takes it back.

The caller shows the `ConfigChange` before it is written. A copy of the original file stays in the same folder. The
change is recorded, so that taking it back restores exactly what it replaced. Comments in a JSON file and its other
settings stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

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
class ConfigChange:
    """The change that connects a program: `before` is the content of `file`, None for no file, and `after` the new one.

    `text` is the whole file, the part that is added to an existing file, or, for a program without a file, the
    variables that the user sets. `after` is None if only the user can add the part. If the API `needs_key`, the program
    reads it from `key_variable`; where that is "", a person enters it in the program.
    """

    app: App
    file: Path | None
    before: str | None
    after: str | None
    text: str
    key_variable: str
    needs_key: bool

    @property
    def writes(self) -> bool:
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
    # Atomic writing would replace a link by a file. A link that leads to itself stays, and cannot be read.
    return Path(os.path.realpath(Path(os.environ.get(app.folder_variable) or Path.home() / folder) / name))


def installed(app: App) -> bool:
    """Whether the program is here: its command, or the folder of one that is started in another way."""
    if app.command and shutil.which(app.command) is not None:
        return True
    if app.place and (Path.home() / app.place).exists():
        return True
    file = file_of(app)
    return app.run is None and file is not None and file.parent.is_dir()


def connected(app: App) -> bool:
    """Whether the program's file has what Tandem wrote."""
    noted = _note_of(app)
    try:
        return noted is not None and noted.text in (_read(Path(noted.file)) or "")
    except ValueError:
        return False


def leads_to(app: App, endpoint: Endpoint) -> bool:
    """Whether the program's file has what Tandem wrote, for the API at this address."""
    noted = _note_of(app)
    return noted is not None and endpoint.address in noted.text and connected(app)


def plan(app: App, endpoint: Endpoint) -> ConfigChange:
    """Return what connecting the program would do."""
    file = file_of(app)
    text = app.content(endpoint)
    before = after = None
    noted = _note_of(app)
    if file is not None:
        with suppress(ValueError):
            before = _read(file)
            others = _without(noted.text if noted is not None else "", before or "")
            if app.shared:
                after = with_members(others, text)
            elif not others.strip():
                after = text
    return ConfigChange(app, file, before, after, text, app.key_variable, endpoint.needs_key)


def write(plan: ConfigChange) -> Path | None:
    """Write the file of the plan; returns the copy of the file as it was, if there was one. Raises `NotConnected`."""
    app = plan.app
    file = plan.file
    assert file is not None
    assert plan.after is not None
    noted = _note_of(app)
    try:
        if _read(file) != plan.before:
            raise NotConnected(file)
        copy = ""
        digest = ""
        if noted is not None and noted.file == str(file) and noted.text in (plan.before or ""):
            # A second time, the copy is of the file before the first.
            copy = noted.copy
            digest = noted.digest
        elif plan.before is not None:
            copy = str(_free_copy(file))
            digest = _digest(plan.before)
            write_atomically(Path(copy), plan.before.encode(), _mode(file))
        write_atomically(file, plan.after.encode(), _mode(file))
    except (OSError, ValueError) as error:
        raise NotConnected(file, error) from error
    text = members_of(plan.text) if app.shared else plan.text
    _noted().keep(app.id, msgspec.to_builtins(_WriteRecord(str(file), text, copy, digest)))
    return Path(copy) if copy else None


def take_back(app: App) -> Path:
    """Remove the written text from the file of a connected program, or remove the file if it was made for that.

    The copy goes too, unless a person has changed it. Raises `NotConnected` if the program is not connected, or the
    file no longer has the written text.
    """
    noted = _note_of(app)
    if noted is None:
        raise NotConnected(file_of(app) or Path(app.file))
    file = Path(noted.file)
    try:
        content = _read(file) or ""
        if noted.text not in content:
            raise NotConnected(file)
        others = _without(noted.text, content)
        before = _copied(noted)
        if noted.copy or others.strip("{} \n"):
            write_atomically(file, _restored(others, noted.text, before).encode(), _mode(file))
        else:
            file.unlink()
        if before is not None:
            Path(noted.copy).unlink()
        if app.beside:
            (data_folder() / app.beside).unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise NotConnected(file, error) from error
    _noted().forget([app.id])
    return file


class _WriteRecord(msgspec.Struct, frozen=True):
    """The text that was written into `file`.

    `copy` is the path of a copy of the file before that, "" if there was no file, and `digest` the digest of the copy.
    """

    file: str
    text: Annotated[str, Meta(pattern=r"\S")]
    copy: str = ""
    digest: str = ""


def _noted() -> KeptJson:
    """Return the records of the written texts, by the program's id."""
    return KeptJson(data_folder() / "connected.json", {"format": 2})


def _note_of(app: App) -> _WriteRecord | None:
    """Return the record of the text that was written for the program; None also if the record is damaged."""
    try:
        return msgspec.convert(_noted().values.get(app.id), _WriteRecord)
    except msgspec.ValidationError:
        return None


def _copied(noted: _WriteRecord) -> str | None:
    """Return the content of the copy that Tandem made; None if it is gone or a person has changed it."""
    with suppress(ValueError):
        content = _read(Path(noted.copy)) if noted.copy else None
        return content if content is not None and _digest(content) == noted.digest else None
    return None


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def _restored(others: str, text: str, before: str | None) -> str:
    """Return the content of a file without `text`: the earlier content, if nothing else in it has changed."""
    if before is None:
        return others
    if not (others.strip() or before.strip()):
        return before
    with suppress(ValueError):
        if _without(text, with_members(before, f"{{{text}\n}}")) == others:
            return before
    return others


def _without(text: str, content: str) -> str:
    return re.sub(f"{re.escape(text)},?", "", content, count=1) if text else content


def _free_copy(file: Path) -> Path:
    """Return a name for the copy of a file that nothing has: a person's own copy stays."""
    names = (f"{file.name}.before-tandem{number}" for number in chain([""], count(2)))
    return next(path for path in map(file.with_name, names) if not os.path.lexists(path))


def _read(file: Path) -> str | None:
    """Return the content of a file, None for no file. Raises `ValueError`."""
    return read_bytes(file, CONFIG.size).decode() if os.path.lexists(file) else None


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode) if file.exists() else _NEW_FILE


def with_members(text: str, added: str) -> str:
    """Return `text` with the members of the object `added` as its first ones.

    `text` is a JSON object that may have comments and last commas, or blank. Raises `ValueError` if it is anything else
    or has such a member.
    """
    plain = _LAST_COMMAS.sub(_blank, _COMMENTS.sub(_blank, text))
    if not plain.strip():
        text = text + "{\n}\n"
        plain = plain + "{\n}\n"
    present = parse(plain.encode(), CONFIG)
    if not isinstance(present, dict) or present.keys() & json.loads(added).keys():
        raise ValueError("no place for the members")
    start = plain.index("{") + 1
    return text[:start] + members_of(added) + ("," if present else "") + text[start:]


def members_of(added: str) -> str:
    """Return the lines with the members of an indented object."""
    return added.strip().removeprefix("{").removesuffix("\n}")


def _blank(match: re.Match[str]) -> str:
    """Replace what plain JSON does not allow by spaces, so that every other character keeps its place."""
    return match[0] if match[0].startswith('"') else " " * len(match[0])
