"""Reads the text of documents as Markdown. Runs in a process with limits only: the files may come from anywhere."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from io import BytesIO

from engine.documents.marked_text import MarkedText, TextTooLong
from engine.documents.office import OfficeReader, OpenTextReader, SlidesReader, WordReader
from engine.documents.sheets import SheetsReader
from engine.documents.web_page import read_book, read_page
from engine.documents.zipped_parts import Encrypted, ZippedParts

# The beginning of Microsoft's old container: documents of Office 97, and newer ones with a password.
_OLD_CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# The name of the stream that holds an encrypted document.
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
# What pypdf raises for a file that needs a password, or AES, for which no library is installed.
_ENCRYPTED = ("DependencyError", "FileNotDecryptedError", "WrongPasswordError", "Encrypted")
_PAGES = (".html", ".htm", ".xhtml")
_ZIPPED = (".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm", ".odt", ".epub")
SUFFIXES = (".pdf", *_ZIPPED, *_PAGES)
# The readers by a part of the media type of a file's main part.
_READERS: dict[str, type[OfficeReader | SheetsReader]] = {
    "wordprocessingml": WordReader,
    "spreadsheetml": SheetsReader,
    "presentationml": SlidesReader,
    "opendocument.text": OpenTextReader,
}


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document as Markdown.

    If there is none, `problem` is "encrypted", "damaged", "too-large" (the text), "no-text" (it has only pictures),
    "empty", "old-format" (of Office 97) or "not-text". `seconds` of computing were spent on it.
    """

    text: str = ""
    problem: str = ""
    seconds: float = 0.0


def is_document(name: str, content: bytes = b"") -> bool:
    """Whether a file is one that `document_text` reads, or refuses with a reason, by its name or its beginning."""
    return name.lower().endswith(SUFFIXES) or content.startswith((b"%PDF-", b"PK\x03\x04", _OLD_CONTAINER))


def is_page(name: str) -> bool:
    """Whether a file is an HTML page by its name; `document_text` takes it in UTF-8."""
    return name.lower().endswith(_PAGES)


def document_text(name: str, data: bytes, most: int) -> DocumentText:
    """Return the text of a file, unless that has more than `most` characters."""
    begun = time.process_time()
    try:
        text, problem = _text_and_problem(name.lower(), data, most)
    except MemoryError:
        raise
    except TextTooLong:
        text, problem = "", "too-large"
    # Broken files make the parsers raise many kinds of errors, including failed assumptions of their own.
    except Exception as error:
        text, problem = "", "encrypted" if type(error).__name__ in _ENCRYPTED else "damaged"
    # Some fonts of PDF files map a letter to half a surrogate pair, which is no text.
    whole = text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return DocumentText(whole, problem or ("" if whole else "empty"), time.process_time() - begun)


def _text_and_problem(name: str, data: bytes, most: int) -> tuple[str, str]:
    if data.startswith(b"%PDF-") or name.endswith(".pdf"):
        found = _pdf_text(data, most)
        return found, "" if found else "no-text"
    if data.startswith(_OLD_CONTAINER):
        return "", "encrypted" if _ENCRYPTED_STREAM in data else "old-format"
    text = MarkedText(most)
    if not (data.startswith(b"PK\x03\x04") or name.endswith(_ZIPPED)):
        read_page(data.decode(), text)
        return str(text), ""
    parts = ZippedParts(data)
    if "META-INF/container.xml" in parts.names:
        read_book(parts, text)
        return str(text), ""
    if (reader := next((one for kind, one in _READERS.items() if kind in parts.kind), None)) is None:
        return "", "not-text"
    reader(parts, text).read()
    return str(text), ""


def _pdf_text(data: bytes, most: int) -> str:
    from pypdf import PdfReader

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Encrypted
    pages: list[str] = []
    for page in reader.pages:
        pages.append(page.extract_text().strip())
        most -= len(pages[-1])
        if most < 0:
            raise TextTooLong
    return "\n\n".join(filter(None, pages))
