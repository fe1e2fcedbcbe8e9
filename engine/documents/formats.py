"""The formats of documents: by what a file is known, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.documents.encodings import decode
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
    """The ends of names, the media type, the first bytes, and what adds a file's text to a `MarkedText`. What has a
    `decode` is read as UTF-8, after that decoded it, with a guess for a language. A document that is an archive has
    `main`, a part of its media type or of that of its main part.
    """

    suffixes: tuple[str, ...]
    media_type: str
    magic: tuple[bytes, ...] = ()
    read: Callable[[bytes, MarkedText], object] | None = None
    decode: Callable[[bytes, str], tuple[str, str] | None] | None = None
    main: str = ""


def _by(reader: type[OfficeReader | SheetsReader]) -> Callable[[bytes, MarkedText], object]:
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
_PROGRAMS = {".key": "Keynote", ".numbers": "Numbers", ".pages": "Pages", ".rtfd": "TextEdit", ".webarchive": "Safari"}
_PROGRAMS |= {".msg": "Outlook", ".one": "OneNote", ".pub": "Publisher", ".vsd": "Visio", ".vsdx": "Visio"}
_PROGRAMS |= {".afdesign": "Affinity", ".afphoto": "Affinity", ".afpub": "Affinity", ".graffle": "OmniGraffle"}
_PROGRAMS |= {".hwp": "Hancom Office", ".hwpx": "Hancom Office", ".indd": "InDesign", ".odg": "LibreOffice"}
_PROGRAMS |= {".psd": "Photoshop", ".sketch": "Sketch", ".xlsb": "Excel"}


def program_of(name: str) -> str:
    """Return the program that a file is of, by its name, if it is not read here; "" for all others."""
    return _PROGRAMS.get(f".{name.lower().rpartition('.')[2]}", "")


def format_of(name: str, content: bytes = b"") -> FileFormat | None:
    """Return a file's format by its first bytes, else its name; which document an archive is, only its content says."""
    lower = name.lower()
    named = next((one for one in FORMATS if lower.endswith(one.suffixes)), None)
    begun = next((one for one in FORMATS if content.startswith(one.magic)), None)
    return named if begun is None or (begun is ZIP and named is not None) else begun
