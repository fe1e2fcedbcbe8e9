"""The formats of documents: by what a file is known, and what reads it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple
from xml.etree.ElementTree import Element, tostring
from zipfile import ZipFile

from engine.documents.archives.old_office import in_newer_format, is_workbook
from engine.documents.archives.old_workbook import read_old_workbook
from engine.documents.archives.ole_packages import COMPOUND_FILE
from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.office.hangul import HangulReader
from engine.documents.office.sheets import SheetsReader
from engine.documents.office.slides import SlidesReader
from engine.documents.office.spreadsheet_xml import read_spreadsheet_xml
from engine.documents.office.word import WordReader
from engine.documents.open.document import OpenDocumentReader
from engine.documents.pages.book import read_book
from engine.documents.pages.fiction_book import read_fiction_book
from engine.documents.pages.mail import read_mail, read_mails
from engine.documents.pages.notebook import read_notebook
from engine.documents.pages.web_page import decoded_page, read_page
from engine.documents.pdf.document import read_pdf
from engine.documents.rich.text import RichTextReader
from engine.documents.text.encodings import DecodedText, decode
from engine.documents.text.marked_text import MarkedText
from engine.files.safe_xml import safe_xml

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"


class FileFormat(NamedTuple):
    """A format of files: by what it is known, and how its text is read."""

    # The ends of names, in small letters. Without any, no name tells this format.
    suffixes: tuple[str, ...]
    media_type: str
    # A file begins with one of these. Without any, no first bytes tell this format.
    magic: tuple[bytes, ...] = ()
    # Adds a file's text to a `MarkedText`; None if the format is known but not read.
    read: Callable[[bytes, MarkedText], object] | None = None
    # `decode(data, language)` converts the bytes to text, which `read` gets in UTF-8; None if `read` takes the file as
    # it is. `language` is the language of the window, for which an encoding is guessed.
    decode: Callable[[bytes, str], DecodedText | None] | None = None
    # Only for a document that is an archive: words in the media type of the archive or of its main part, in small
    # letters.
    archive_types: tuple[str, ...] = ()

    @property
    def is_archive(self) -> bool:
        """Whether its files are archives whose content says that they are documents."""
        return bool(self.archive_types)

    def has_name(self, name: str) -> bool:
        """Whether files of this format have names like this one, which is in small letters."""
        return name.endswith(self.suffixes)

    def has_magic(self, content: bytes) -> bool:
        """Whether a file begins as the files of this format do."""
        return content.startswith(self.magic)


def _read_flat_open(data: bytes, text: MarkedText) -> None:
    """Read an OpenDocument file that is one XML file as the archive that it stands for."""
    content = safe_xml(data)
    styles = Element("document-styles")
    for part in list(content):
        if part.tag in ("styles", "master-styles"):
            styles.append(part)
        if part.tag not in ("automatic-styles", "body", "font-face-decls"):
            content.remove(part)
    # The pages are laid out by styles that are otherwise in the other part.
    styles.extend(content.findall("automatic-styles"))
    archive = BytesIO()
    with ZipFile(archive, "w") as new:
        new.writestr("content.xml", tostring(content))
        new.writestr("styles.xml", tostring(styles))
    OpenDocumentReader(ZippedParts(archive.getvalue()), text).read()


def _read_open(data: bytes, text: MarkedText) -> None:
    """Read an OpenDocument file."""
    OpenDocumentReader(ZippedParts(data), text).read()


def _read_hangul(data: bytes, text: MarkedText) -> None:
    """Read an HWPX file."""
    HangulReader(ZippedParts(data), text).read()


def _read_word(data: bytes, text: MarkedText) -> None:
    """Read a DOCX file, and the files in it of any format here."""
    WordReader(ZippedParts(data), text, read_inner_file).read()


def _read_slides(data: bytes, text: MarkedText) -> None:
    """Read a PPTX file, and the files in it."""
    SlidesReader(ZippedParts(data), text, read_inner_file).read()


def _read_sheets(data: bytes, text: MarkedText) -> None:
    """Read an XLSX file, and the files in it."""
    SheetsReader(ZippedParts(data), text, read_inner_file).read()


PDF = FileFormat((".pdf",), "application/pdf", (b"%PDF-",), lambda data, text: read_pdf(data, text, read_inner_file))
# The beginning of Microsoft's old container: documents of Office 97, and newer ones with a password.
OLD_OFFICE = FileFormat(
    (".doc", ".dot", ".pps", ".ppt", ".xls", ".xlt"),
    "application/octet-stream",
    (COMPOUND_FILE,),
)
# A file of Excel 97 that no program of this computer converts.
OLD_WORKBOOK = FileFormat((), "application/vnd.ms-excel", read=read_old_workbook)
ZIP = FileFormat((), "application/octet-stream", (b"PK\x03\x04",))
_MAIL = FileFormat(
    (".eml", ".emlx", ".mht", ".mhtml"),
    "message/rfc822",
    read=lambda data, text: read_mail(data, text, read_inner_file),
)
PAGE = FileFormat((".html", ".htm", ".xhtml"), "text/html", read=read_page, decode=decoded_page)
_SPREADSHEET_XML = FileFormat((), "application/vnd.ms-excel", read=read_spreadsheet_xml)
_FICTION_BOOK = FileFormat((".fb2",), "application/x-fictionbook+xml", read=read_fiction_book)
_FLAT_OPEN = FileFormat((".fodp", ".fods", ".fodt"), f"{_OPEN}.text", read=_read_flat_open)
FORMATS = (
    PDF,
    FileFormat((".rtf",), "application/rtf", (b"{\\rtf",), lambda data, text: RichTextReader(text).read(data)),
    OLD_OFFICE,
    FileFormat((".odt",), f"{_OPEN}.text", archive_types=("opendocument.text",), read=_read_open),
    FileFormat((".ods",), f"{_OPEN}.spreadsheet", archive_types=("opendocument.spreadsheet",), read=_read_open),
    FileFormat((".odp",), f"{_OPEN}.presentation", archive_types=("opendocument.presentation",), read=_read_open),
    FileFormat(
        (".hwpx",), "application/vnd.hancom.hwpx", archive_types=("hwp+zip", "hwpml-package"), read=_read_hangul
    ),
    # These come after the formats above with the same words in their types. Documents with macros and templates have
    # other types of Office.
    FileFormat((".docx", ".docm"), f"{_OFFICE}.wordprocessingml.document", archive_types=("word",), read=_read_word),
    FileFormat(
        (".xlsx", ".xlsm"), f"{_OFFICE}.spreadsheetml.sheet", archive_types=("sheet", "ms-excel"), read=_read_sheets
    ),
    FileFormat(
        (".pptx", ".pptm"),
        f"{_OFFICE}.presentationml.presentation",
        archive_types=("presentation", "ms-powerpoint"),
        read=_read_slides,
    ),
    FileFormat((".epub",), "application/epub+zip", archive_types=("epub", "oebps-package"), read=read_book),
    FileFormat((".ipynb",), "application/x-ipynb+json", read=read_notebook, decode=decode),
    _MAIL,
    FileFormat((".mbox",), "application/mbox", read=lambda data, text: read_mails(data, text, read_inner_file)),
    PAGE,
    _FICTION_BOOK,
    _FLAT_OPEN,
    ZIP,
)
# Files within files are read down to this depth.
_DEEPEST = 3
# Seconds of the clock after which no other file within a document is converted: each may take half a minute, and a
# sandbox counts as hung after one.
LAST_CONVERSION_S = 5
# The bytes of a file in which its format is looked for.
_BEGINNING = 2048
_BEGINS_MAIL = re.compile(rb"(?:[A-Za-z][\w-]*:[^\n]*\r?\n(?:[ \t][^\n]*\n)*)*?MIME-Version:", re.IGNORECASE)
# The patterns of the MIME Sniffing Standard (mimesniff.spec.whatwg.org, section 7.1), and that of <meta>.
_BEGINS_PAGE = re.compile(
    rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|"
    rb"a|b|body|br|div|font|h1|head|html|iframe|meta|p|script|style|table|title)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
# Programs whose files are not read here, by the suffixes of the files. Each of them exports PDF.
_PROGRAMS = {
    ".afdesign": "Affinity",
    ".afphoto": "Affinity",
    ".afpub": "Affinity",
    ".graffle": "OmniGraffle",
    ".hwp": "Hancom Office",
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
    """Return a file's format by its first bytes, else by its name; None for a file that may be plain text.

    `content` may be only the beginning of the file; if it is empty, only the name counts. An archive gets the format of
    its name, or `ZIP`: `format_in_archive` says what it really is.
    """
    lower = name.lower()
    by_name = next((form for form in FORMATS if form.has_name(lower)), None)
    if not content:
        return by_name
    by_content = next((form for form in FORMATS if form.has_magic(content)), None)
    if by_content is ZIP and by_name not in (None, OLD_OFFICE):
        return by_name
    if by_content is not None:
        return by_content
    if by_name is None:
        return _xml_format(_beginning_of(content)) if lower.endswith(".xml") else None
    if by_name is not OLD_OFFICE and not by_name.is_archive:
        return by_name
    # A file that is named like one of Office, without its first bytes: programs give such names to pages, mails and
    # XML.
    by_beginning = _format_by_beginning(content)
    if by_beginning is not None:
        return by_beginning
    return None if by_name is OLD_OFFICE else by_name


def _format_by_beginning(content: bytes) -> FileFormat | None:
    """Return the format of a page, a mail or a document in XML by its beginning; None for all others."""
    if begins_page(content):
        return PAGE
    beginning = _beginning_of(content)
    return _MAIL if _BEGINS_MAIL.match(beginning) else _xml_format(beginning)


def begins_page(content: bytes) -> bool:
    """Return whether a file begins as HTML does."""
    return bool(_BEGINS_PAGE.match(_beginning_of(content)))


def _xml_format(beginning: bytes) -> FileFormat | None:
    """Return the format of a document that is one XML file; None for all others."""
    if b"urn:schemas-microsoft-com:office:spreadsheet" in beginning and b"<html" not in beginning:
        return _SPREADSHEET_XML
    if b"http://www.gribuser.ru/xml/fictionbook/" in beginning:
        return _FICTION_BOOK
    return _FLAT_OPEN if b"urn:oasis:names:tc:opendocument:xmlns:office" in beginning else None


def _beginning_of(content: bytes) -> bytes:
    """Return the first bytes of a text, without the mark of its encoding and without zeros, which UTF-16 has."""
    return content[:_BEGINNING].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")


def read_inner_file(name: str, content: bytes, text: MarkedText) -> bool:
    """Add a file that is within another one, to whose `text` it is added. Returns whether it has words.

    Raises `ValueError` for a file that is not read, and the errors of the formats' readers.
    """
    form = format_of(name, content)
    if form is OLD_OFFICE:
        return _read_old_file(name, content, text)
    if form is not None and (form.is_archive or form is ZIP):
        form = format_in_archive(content) or ZIP
    if text.depth >= _DEEPEST or (form is not None and form.read is None):
        raise ValueError(name)
    to_text = decode if form is None else form.decode
    if to_text is not None:
        decoded = to_text(content, "")
        if decoded is None:
            raise ValueError(name)
        content = decoded.text.encode("utf-8", "replace")
    inner = text.inner()
    if form is None or form.read is None:
        inner.add_blocks(content.decode(), as_is=True)
    else:
        form.read(content, inner)
    return text.add_inner(inner)


def _read_old_file(name: str, content: bytes, text: MarkedText) -> bool:
    """Add a file of Office 97 within another one, as `read_inner_file` does."""
    newer = _in_newer_format(content, text)
    if newer is not None and format_of("", newer) is not OLD_OFFICE:
        return read_inner_file("", newer, text)
    if not is_workbook(content) or text.depth >= _DEEPEST:
        raise ValueError(name)
    inner = text.inner()
    read_old_workbook(content, inner)
    return text.add_inner(inner)


def _in_newer_format(content: bytes, text: MarkedText) -> bytes | None:
    """Return a file of Office 97 within the document of `text` as a program of this computer converts it.

    It is None if no program converts it, if the file is within a file of the document, and once conversions in the
    document have taken LAST_CONVERSION_S.
    """
    if text.depth or text.converting_s > LAST_CONVERSION_S:
        return None
    begun = time.monotonic()
    newer = in_newer_format(content)
    text.converting_s += time.monotonic() - begun
    return newer


def format_in_archive(content: bytes) -> FileFormat | None:
    """Return the format of a document that is an archive, by what is in it; None for another archive."""
    for kind in ZippedParts(content).kinds():
        for form in FORMATS:
            if any(words in kind for words in form.archive_types):
                return form
    return None
