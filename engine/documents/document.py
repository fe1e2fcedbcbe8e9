"""Reads the text of documents and of text files in old encodings, in a sandbox: they come from anywhere."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from engine.documents.encodings import decode, has_no_controls, unreadable_bytes
from engine.documents.formats import FORMATS, OLD_OFFICE, PDF, ZIP, format_of
from engine.documents.marked_text import MarkedText, TextTooLong
from engine.documents.zipped_parts import ZippedParts
from engine.sandbox.tasks import task

# The name of the stream that holds an encrypted document.
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
# What pypdf raises for a file that needs a password, or AES, for which no library is installed.
_ENCRYPTED = ("DependencyError", "FileNotDecryptedError", "WrongPasswordError", "Encrypted")
# What text in UTF-8 has that is none: U+FFFD stands for it.
_BYTES = "unreadable-byte"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document as Markdown, or of a text file as it is, and its `encoding` if that was guessed.

    If there is none, `problem` is "encrypted", "damaged", "too-large" (the text), "no-text" (it has only pictures),
    "empty", "old-format" (of Office 97), "unknown-encoding" or "not-text". `seconds` of computing were spent on it.
    `left_out` says how often something of each kind is not in the text. The last line of a document's says so, too.
    """

    text: str = ""
    problem: str = ""
    encoding: str = ""
    seconds: float = 0.0
    left_out: tuple[tuple[str, int], ...] = ()


@task
def document_text(name: str, data: bytes, most: int, language: str = "") -> DocumentText:
    """Return the text of a file with at most `most` characters; encodings are guessed for the window's `language`."""
    begun = time.process_time()
    try:
        found = _read(name.lower(), data, most, language)
    except MemoryError:
        raise
    except TextTooLong:
        found = DocumentText(problem="too-large")
    # Broken files make the parsers raise many kinds of errors, including failed assumptions of their own.
    except Exception as error:
        found = DocumentText(problem="encrypted" if type(error).__name__ in _ENCRYPTED else "damaged")
    # Some fonts of PDF files map a letter to half a surrogate pair, which is no text.
    whole = found.text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    problem = found.problem or ("" if whole else "empty")
    return replace(found, text=whole, problem=problem, seconds=time.process_time() - begun)


def _read(name: str, data: bytes, most: int, language: str) -> DocumentText:
    form = format_of(name, data)
    if form is OLD_OFFICE:
        return DocumentText(problem="encrypted" if _ENCRYPTED_STREAM in data else "old-format")
    encoding, damaged = "", 0
    if form is None or form.decode is not None:
        decoding = form.decode if form and form.decode else decode
        decoded = decoding(data, language)
        if decoded is None:
            return DocumentText(problem="unknown-encoding" if form or has_no_controls(data) else "not-text")
        content, encoding = decoded
        damaged = 0 if encoding else unreadable_bytes(data, content)
        if form is None:
            return DocumentText(content, encoding=encoding, left_out=((_BYTES, damaged),) if damaged else ())
        data = content.encode("utf-8", "replace")
    if form.main or form is ZIP:
        kind = ZippedParts(data).kind
        form = next((one for one in FORMATS if one.main and one.main in kind), None)
    if form is None or form.read is None:
        return DocumentText(problem="not-text")
    text = MarkedText(most)
    text.left_out[_BYTES] += damaged
    form.read(data, text)
    content = str(text)
    problem = "no-text" if form is PDF and not content else ""
    return DocumentText(content, problem, encoding, left_out=tuple((+text.left_out).items()))
