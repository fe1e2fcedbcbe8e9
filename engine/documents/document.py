"""Reads the text of documents and of text files in old encodings, in a sandbox: they come from anywhere."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from io import BytesIO

from engine.documents.encodings import decode, has_no_controls
from engine.documents.marked_text import MarkedText, TextTooLong
from engine.documents.office import OfficeReader, OpenTextReader, SlidesReader
from engine.documents.sheets import SheetsReader
from engine.documents.web_page import decoded_page, read_book, read_page
from engine.documents.word import WordReader
from engine.documents.zipped_parts import Encrypted, ZippedParts
from engine.sandbox.tasks import task

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
    """The text of a document as Markdown, or of a text file as it is, and its `encoding` if that was guessed.

    If there is none, `problem` is "encrypted", "damaged", "too-large" (the text), "no-text" (it has only pictures),
    "empty", "old-format" (of Office 97), "unknown-encoding" or "not-text". `seconds` of computing were spent on it.
    """

    text: str = ""
    problem: str = ""
    encoding: str = ""
    seconds: float = 0.0


def is_document(name: str, content: bytes = b"") -> bool:
    """Whether a file is a document, or an archive that may be one, by its name or its beginning."""
    return name.lower().endswith(SUFFIXES) or content.startswith((b"%PDF-", b"PK\x03\x04", _OLD_CONTAINER))


def is_page(name: str) -> bool:
    """Whether a file is an HTML page by its name."""
    return name.lower().endswith(_PAGES)


@task
def document_text(name: str, data: bytes, most: int, language: str = "") -> DocumentText:
    """Return the text of a file, unless that has more than `most` characters.

    An encoding that is not declared is guessed for the window's `language`.
    """
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
    return DocumentText(whole, problem, found.encoding, time.process_time() - begun)


def _read(name: str, data: bytes, most: int, language: str) -> DocumentText:
    if data.startswith(b"%PDF-") or name.endswith(".pdf"):
        found = _pdf_text(data, most)
        return DocumentText(found, "" if found else "no-text")
    if data.startswith(_OLD_CONTAINER):
        return DocumentText(problem="encrypted" if _ENCRYPTED_STREAM in data else "old-format")
    text = MarkedText(most)
    if not (data.startswith(b"PK\x03\x04") or name.endswith(_ZIPPED)):
        decoded = decoded_page(data, language) if is_page(name) else decode(data, language)
        if decoded is None:
            return DocumentText(problem="unknown-encoding" if is_page(name) or has_no_controls(data) else "not-text")
        content, encoding = decoded
        if is_page(name):
            read_page(content, text)
            content = str(text)
        return DocumentText(content, encoding=encoding)
    parts = ZippedParts(data)
    if "META-INF/container.xml" in parts.names:
        read_book(parts, text)
        return DocumentText(str(text))
    if (reader := next((one for kind, one in _READERS.items() if kind in parts.kind), None)) is None:
        return DocumentText(problem="not-text")
    reader(parts, text).read()
    return DocumentText(str(text))


def _pdf_text(data: bytes, most: int) -> str:
    from pypdf import PdfReader

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%%EOF" not in data[-2048:]:
        # pypdf looks for the objects themselves where the end has no address of their table.
        data += b"\nstartxref\n0\n%%EOF\n"
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
