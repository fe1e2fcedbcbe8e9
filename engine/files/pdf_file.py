"""Reads the text of PDF files. Runs in a process with limits only: the files may come from anywhere."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from io import BytesIO

# What pypdf raises for a file that needs a password, or AES, for which no library is installed.
_ENCRYPTED = ("DependencyError", "FileNotDecryptedError", "WrongPasswordError")
# The mark of a file's end, and how many of the last bytes hold it.
_END, _TAIL = b"%%EOF", 1024


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text of all pages. If there is none, `problem` is "encrypted", "damaged", "too-large" or "no-text".

    `seconds` of computing were spent on it.
    """

    text: str = ""
    problem: str = ""
    seconds: float = 0.0


def pdf_text(data: bytes, most: int) -> PdfText:
    """Return the text of a file, unless that has more than `most` characters."""
    begun = time.process_time()
    try:
        text, problem = _text_and_problem(data, most)
    except MemoryError:
        raise
    # The library raises many kinds of errors for a bad file, including failed assumptions of its own.
    except Exception as error:
        text, problem = "", "encrypted" if type(error).__name__ in _ENCRYPTED else "damaged"
    return PdfText(text, problem, time.process_time() - begun)


def _text_and_problem(data: bytes, most: int) -> tuple[str, str]:
    from pypdf import PdfReader

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    # A file without an end has no table of its objects either, and pypdf then looks for them.
    reader = PdfReader(BytesIO(data if _END in data[-_TAIL:] else data + b"\nstartxref\n0\n" + _END))
    if reader.is_encrypted and not reader.decrypt(""):
        return "", "encrypted"
    pages: list[str] = []
    length = 0
    for page in reader.pages:
        pages.append(page.extract_text().strip())
        length += len(pages[-1])
        if length > most:
            return "", "too-large"
    text = "\n\n".join(page for page in pages if page).replace("\0", "")
    # Some fonts map a letter to half a surrogate pair, which is no text.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole, "" if whole else "no-text"
