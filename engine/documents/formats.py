"""The formats of documents: by what a file is known, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.documents.encodings import DecodedText, decode
from engine.documents.mail import read_mail
from engine.documents.marked_text import MarkedText
from engine.documents.notebook import read_notebook
from engine.documents.office import OfficeReader
from engine.documents.open_document import OpenDocumentReader
from engine.documents.pdf import read_pdf
from engine.documents.rich_text import RichTextReader
from engine.documents.sheets import SheetsReader
from engine.documents.slides import SlidesReader
from engine.documents.web_page import decoded_page, read_book, read_page
from engine.documents.word import WordReader
from engine.documents.zipped_parts import ZippedParts

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"


class FileFormat(NamedTuple):
    """A format of files: by what it is known, and how its text is read."""

    # The ends of names, in small letters.
    suffixes: tuple[str, ...]
    media_type: str
    # What files begin with: one of these. Without any, only the name tells.
    magic: tuple[bytes, ...] = ()
    # Adds a file's text to a `MarkedText`; None for what is not read.
    read: Callable[[bytes, MarkedText], object] | None = None
    # `decode(data, language)` converts the bytes to text, which `read` gets in UTF-8; None if `read` takes the file as
    # it is. An encoding is guessed for the `language` of the window.
    decode: Callable[[bytes, str], DecodedText | None] | None = None
    # For a document that is an archive, a part of its media type or of that of its main part; else "".
    main: str = ""


def _by(reader: type[OfficeReader | SheetsReader]) -> Callable[[bytes, MarkedText], object]:
    """Return what reads an archive by a reader of its parts."""
    return lambda data, text: reader(ZippedParts(data), text).read()


PDF = FileFormat((".pdf",), "application/pdf", (b"%PDF-",), read_pdf)
# The beginning of Microsoft's old container: documents of Office 97, and newer ones with a password.
OLD_OFFICE = FileFormat((), "application/octet-stream", (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",))
ZIP = FileFormat((), "application/octet-stream", (b"PK\x03\x04",))
FORMATS = (
    PDF,
    FileFormat((".rtf",), "application/rtf", (b"{\\rtf",), lambda data, text: RichTextReader(text).read(data)),
    OLD_OFFICE,
    FileFormat((".odt",), f"{_OPEN}.text", main="opendocument.text", read=_by(OpenDocumentReader)),
    FileFormat((".ods",), f"{_OPEN}.spreadsheet", main="opendocument.spreadsheet", read=_by(OpenDocumentReader)),
    FileFormat((".odp",), f"{_OPEN}.presentation", main="opendocument.presentation", read=_by(OpenDocumentReader)),
    # After those with the same words in their types. Documents with macros and templates have others of Office.
    FileFormat((".docx", ".docm"), f"{_OFFICE}.wordprocessingml.document", main="word", read=_by(WordReader)),
    FileFormat((".xlsx", ".xlsm"), f"{_OFFICE}.spreadsheetml.sheet", main="sheet", read=_by(SheetsReader)),
    FileFormat(
        (".pptx", ".pptm"), f"{_OFFICE}.presentationml.presentation", main="presentation", read=_by(SlidesReader)
    ),
    FileFormat((".epub",), "application/epub+zip", main="epub", read=read_book),
    FileFormat((".ipynb",), "application/x-ipynb+json", read=read_notebook, decode=decode),
    FileFormat((".eml", ".emlx", ".mht", ".mhtml"), "message/rfc822", read=read_mail),
    FileFormat((".html", ".htm", ".xhtml"), "text/html", read=read_page, decode=decoded_page),
    ZIP,
)
# Programs whose files are not read here, by the suffix of these. Each exports them as PDF.
_PROGRAMS = {
    ".afdesign": "Affinity",
    ".afphoto": "Affinity",
    ".afpub": "Affinity",
    ".graffle": "OmniGraffle",
    ".hwp": "Hancom Office",
    ".hwpx": "Hancom Office",
    ".indd": "InDesign",
    ".key": "Keynote",
    ".msg": "Outlook",
    ".numbers": "Numbers",
    ".odg": "LibreOffice",
    ".one": "OneNote",
    ".pages": "Pages",
    ".psd": "Photoshop",
    ".pub": "Publisher",
    ".rtfd": "TextEdit",
    ".sketch": "Sketch",
    ".vsd": "Visio",
    ".vsdx": "Visio",
    ".webarchive": "Safari",
    ".xlsb": "Excel",
}


def program_of(name: str) -> str:
    """Return the program that a file is of, by its name, if it is not read here; "" for all others."""
    return _PROGRAMS.get(f".{name.lower().rpartition('.')[2]}", "")


def format_of(name: str, content: bytes = b"") -> FileFormat | None:
    """Return a file's format by its first bytes, else by its name; None if it is none of these.

    Which document an archive is, only its content says: for it, this is the format of its name, or else `ZIP`.
    """
    lower = name.lower()
    by_name = next((form for form in FORMATS if lower.endswith(form.suffixes)), None)
    by_content = next((form for form in FORMATS if content.startswith(form.magic)), None)
    if by_content is None or (by_content is ZIP and by_name is not None):
        return by_name
    return by_content
