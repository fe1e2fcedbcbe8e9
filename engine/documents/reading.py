"""Reads documents and text files in sandboxes."""

from __future__ import annotations

from functools import partial

from engine.documents.document import DocumentText, document_text
from engine.files.reading_time import ReadingTime
from engine.sandbox.errors import SandboxError
from engine.sandbox.file_reading import FileSandboxes

# Seconds of computing for a document. A dense page takes 0.01 to 0.03, and 400 of them are as long as a file may be.
DOCUMENT_S = 10
DOCUMENTS = FileSandboxes("engine.documents.document")
# The problem of a document by the reason why its sandbox failed.
_PROBLEMS = {"too-slow": "too-slow", "too-large": "too-much-memory", "no-time": "no-time"}


def read_document(name: str, data: bytes, most: int, language: str, time: ReadingTime) -> DocumentText:
    """Run `document_text` in a sandbox, and wait for it. Raises `EngineClosed` when `time` is abandoned.

    The `problem` may also be "too-slow", "too-much-memory", "no-time" (others of the request took it) or "unreadable"
    (the sandbox failed).
    """
    try:
        return DOCUMENTS.read(partial(document_text, name, data, most, language), DOCUMENT_S, time)
    except SandboxError as error:
        return DocumentText(problem=_PROBLEMS.get(error.reason, "unreadable"))
