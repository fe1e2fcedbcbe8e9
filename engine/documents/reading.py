"""Reads documents and text files in sandboxes."""

from __future__ import annotations

from functools import partial

from engine.documents.document import DocumentText, document_text
from engine.documents.text.parts import Selection
from engine.files.reading_time import ReadingTime
from engine.sandbox.errors import SandboxError
from engine.sandbox.file_reading import FileSandboxes

# Seconds of computing for a document. A dense page takes 0.01 to 0.03, and 400 of them are as long as a file may be.
DOCUMENT_S = 10
# The same for a person who sees how far it is, and may cancel; and after how many no other page is begun. A file of as
# many dense pages as a text may have takes up to 30 on a slow computer.
WATCHED_S = 90
_BEGIN_S = 60
# The share of the time that is left to a request in which pages may be begun.
_BEGIN_SHARE = 0.7
# The second two start programs.
DOCUMENTS = FileSandboxes(
    "engine.documents.document", "engine.documents.archives.old_office", "engine.documents.pdf.scans"
)
# The problem of a document by the reason why its sandbox failed.
_PROBLEMS = {"too-slow": "too-slow", "too-large": "too-much-memory", "no-time": "no-time"}


def read_document(
    name: str,
    data: bytes,
    most: int,
    language: str,
    time: ReadingTime,
    selection: Selection | None = None,
    most_pictures: int = 0,
    address: str = "",
) -> DocumentText:
    """Run `document_text` in a sandbox, and wait for it. Raises `EngineClosed` when `time` is abandoned.

    With a `selection`, what is read in time is the result, and a person waits for it, who sees the progress of `time`.
    The `problem` may also be "too-slow", "too-much-memory", "no-time" (others of the request took it) or "unreadable"
    (the sandbox failed).
    """
    try:
        begin_s = min(_BEGIN_S, time.left_s * _BEGIN_SHARE)
        task = partial(document_text, name, data, most, language, selection, begin_s, most_pictures, address)
        return DOCUMENTS.read(task, DOCUMENT_S if selection is None else WATCHED_S, time)
    except SandboxError as error:
        return DocumentText(problem=_PROBLEMS.get(error.reason, "unreadable"))
