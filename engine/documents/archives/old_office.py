"""Documents of Office 97 to 2003 in a format that is read here, by programs that this computer may have.

macOS has `textutil`, which reads Word's files; LibreOffice reads all.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from engine.documents.archives.programs import output_of, program_at
from engine.sandbox.access import Access, declare_access
from engine.sandbox.errors import SandboxError
from engine.sandbox.tasks import run_elsewhere, task

# The sandbox of documents starts no programs, so another one does.
declare_access(__name__, Access(programs=True))


class _OldKind(NamedTuple):
    """A kind of document: the name of the stream that only it has, its suffix, and the suffix of its newer format."""

    stream: str
    suffix: str
    newer_suffix: str

    def is_that_of(self, data: bytes) -> bool:
        """Return whether a file has the stream."""
        return self.stream.encode("utf-16-le") in data


_WORD = _OldKind("WordDocument", "doc", "docx")
_WORKBOOK = _OldKind("Workbook", "xls", "xlsx")
_KINDS = (_WORD, _OldKind("PowerPoint Document", "ppt", "pptx"), _WORKBOOK)
TEXTUTIL = Path("/usr/bin/textutil")
# Where LibreOffice is on a Mac, whose apps are not found by their names.
LIBRE_OFFICE = Path("/Applications/LibreOffice.app/Contents/MacOS/soffice")
# Seconds of wall time in which each of them has to convert a document. LibreOffice takes some to start, and a sandbox
# counts as hung after a minute.
_MOST_S = 25


def in_newer_format(data: bytes) -> bytes | None:
    """Return a document as RTF, DOCX, PPTX or XLSX; None if no program here converts it. Waits."""
    try:
        return run_elsewhere(partial(convert, data), _MOST_S)
    except SandboxError:
        return None


@task
def convert(data: bytes) -> bytes | None:
    """Do what `in_newer_format` says, where programs may be started."""
    kind = _kind_of(data)
    if kind is None:
        return None
    program = program_at("soffice", LIBRE_OFFICE)
    if program:
        # It keeps more of a document than textutil, such as notes and comments.
        converted = _by_libre_office(program, kind, data)
        if converted:
            return converted
    if kind is _WORD and TEXTUTIL.exists():
        return (
            output_of([str(TEXTUTIL), "-convert", "rtf", "-format", "doc", "-stdin", "-stdout"], data, _MOST_S) or None
        )
    return None


def is_workbook(data: bytes) -> bool:
    """Return whether a file is one of Excel, which can be read without a program."""
    return _kind_of(data) is _WORKBOOK


def _kind_of(data: bytes) -> _OldKind | None:
    # Documents may be in one another. The streams of the outer one are named last.
    kinds = [kind for kind in _KINDS if kind.is_that_of(data)]
    return max(kinds, key=lambda present: data.rindex(present.stream.encode("utf-16-le"))) if kinds else None


def _by_libre_office(program: str, kind: _OldKind, data: bytes) -> bytes:
    """Return a document as LibreOffice converts it; nothing if it does not."""
    with TemporaryDirectory() as folder:
        old = Path(folder, f"document.{kind.suffix}")
        old.write_bytes(data)
        # With a profile of its own, it also starts while it is open, and has no extensions.
        profile = f"-env:UserInstallation={Path(folder, 'profile').as_uri()}"
        options = ["--headless", "--norestore", "--convert-to", kind.newer_suffix, "--outdir", folder, str(old)]
        output_of([program, profile, *options], b"", _MOST_S)
        new = old.with_suffix(f".{kind.newer_suffix}")
        return new.read_bytes() if new.exists() else b""
