"""Writes the configuration of a program for the local API, and takes it back.

Nothing is written before the caller has shown the `Plan`. The file as it was is kept beside it, and what was written is
noted, so that only a file that nobody has changed since is taken back.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.agents.endpoint import Endpoint
from app.agents.json_member import NotEditable, with_member
from app.agents.table import App, Member
from app.system.paths import data_folder
from engine.errors import CodedError
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_bytes
from engine.files.kept_json import KeptJson

_COPY = ".before-tandem"
_NEW_FILE = 0o600


class NotConnected(CodedError):
    """A file was left as it is. `reason` is a key of `_SENTENCES`, `text` what a person can put into it by hand."""

    code = "not-connected"

    def __init__(self, reason: str, file: Path, detail: str = "", text: str = "") -> None:
        sentence = _SENTENCES[reason].format(file=file, detail=detail)
        super().__init__(sentence, reason=reason, file=str(file), detail=detail, text=text)


_SENTENCES = {
    "unreadable": "{file} cannot be read ({detail}); it was left as it is",
    "broken": "{file} cannot be understood ({detail}); it was left as it is. Mend it, or add this by hand",
    "others": "{file} is there already, and is not as Tandem wrote it; it was left as it is. Move it away, or add this "
    "by hand",
    "changed": "{file} has changed since; it was left as it is",
    "not-written": "{file} cannot be written ({detail})",
    "never": "Tandem has not written {file}",
    "changed-since": "{file} has changed since Tandem wrote it; it was left as it is. As it was before: {detail}",
    "changed-new": "{file} has changed since Tandem wrote it; it was left as it is. Before, there was no such file",
    "copy-gone": "{file} was left as it is, because the copy {detail} cannot be read",
}


@dataclass(frozen=True)
class Plan:
    """What connecting a program would do: `file` has the content `before`, None for no file, and would get `after`.

    A program without a file needs `variables` instead, and those that read the key from one need `key_variable`, else
    "".
    """

    app: App
    file: Path | None
    before: bytes | None
    after: bytes
    variables: Mapping[str, str]
    key_variable: str

    @property
    def changes(self) -> str:
        """The content of a new file, and the changed lines of another one; "" without a change."""
        after = self.after.decode()
        if self.before is None or self.before == self.after:
            return "" if self.before == self.after else after
        lines = difflib.unified_diff(self.before.decode().splitlines(), after.splitlines(), n=2, lineterm="")
        # Without the names of the files and the numbers of lines.
        return "\n".join(line for line in list(lines)[2:] if not line.startswith("@@")) + "\n"

    @property
    def start(self) -> str:
        """The command that starts the program with this file, "" for one with a list of models."""
        return self.app.start.format(file=self.file)


def file_of(app: App) -> Path | None:
    """Return the file that the program reads."""
    if not app.file:
        return None
    folder = os.environ.get(app.folder_variable) or Path.home() / app.folder
    # Atomic writing would replace a link by a file.
    return (Path(folder) / app.file).resolve()


def connected(app: App) -> bool:
    """Whether Tandem has written the program's file and not taken it back."""
    return app.id in _noted().values


def plan(app: App, endpoint: Endpoint) -> Plan:
    """Return what connecting the program would do. Raises `NotConnected`."""
    file = file_of(app)
    key_variable = app.key_variable if endpoint.needs_key else ""
    if file is None or app.content is None:
        return Plan(app, None, None, b"", app.variables(endpoint), key_variable)
    before, content = _read(file), app.content(endpoint)
    if isinstance(content, Member):
        text = _with_member(file, before, content)
    else:
        text = content
        if before not in (None, text.encode()) and _noted().values.get(app.id, {}).get("after") != _mark(before):
            raise NotConnected("others", file, text=text)
    return Plan(app, file, before, text.encode(), {}, key_variable)


def write(plan: Plan) -> Path | None:
    """Write the file of the plan; returns the copy of the file as it was, if there was one. Raises `NotConnected`."""
    file, noted = plan.file, _noted()
    assert file is not None
    if _read(file) != plan.before:
        raise NotConnected("changed", file)
    known = noted.values.get(plan.app.id, {})
    copy = Path(known["copy"]) if known.get("copy") else None
    try:
        # A second time, the copy is of the file before the first.
        if plan.before is not None and known.get("after") != _mark(plan.before):
            copy = _free_name(file)
            write_atomically(copy, plan.before, _mode(file))
        write_atomically(file, plan.after, _mode(file))
    except OSError as error:
        raise NotConnected("not-written", file, error.strerror or str(error)) from error
    noted.keep(plan.app.id, {"file": str(file), "after": _mark(plan.after), "copy": str(copy or "")})
    return copy


def take_back(app: App) -> Path:
    """Put the program's file back as it was, or remove it if there was none. Raises `NotConnected`."""
    noted = _noted()
    if (known := noted.values.get(app.id)) is None:
        raise NotConnected("never", file_of(app) or Path(app.name))
    file, copy = Path(known["file"]), known["copy"]
    if _mark(_read(file)) != known["after"]:
        raise NotConnected("changed-since" if copy else "changed-new", file, copy)
    try:
        if copy:
            write_atomically(file, read_bytes(Path(copy), CONFIG.size), _mode(file))
            Path(copy).unlink()
        else:
            file.unlink()
    except UntrustedJsonError as error:
        raise NotConnected("copy-gone", file, copy) from error
    except OSError as error:
        raise NotConnected("not-written", file, error.strerror or str(error)) from error
    noted.forget([app.id])
    return file


def _noted() -> KeptJson:
    return KeptJson(data_folder() / "connected.json", {"format": 1})


def _mark(content: bytes | None) -> str:
    return hashlib.sha256(content or b"").hexdigest()


def _read(file: Path) -> bytes | None:
    if not os.path.lexists(file):
        return None
    try:
        return read_bytes(file, CONFIG.size)
    except UntrustedJsonError as error:
        raise NotConnected("unreadable", file, str(error)) from error


def _with_member(file: Path, before: bytes | None, member: Member) -> str:
    try:
        return with_member((before or b"").decode(), member.path, member.value)
    except (UnicodeDecodeError, NotEditable) as error:
        detail = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise NotConnected("broken", file, detail, with_member("", member.path, member.value)) from error


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode) if file.exists() else _NEW_FILE


def _free_name(file: Path) -> Path:
    """Return a name for a copy beside the file that no other file has."""
    name, number = file.with_name(file.name + _COPY), 1
    while os.path.lexists(name):
        number += 1
        name = file.with_name(f"{file.name}{_COPY}-{number}")
    return name
