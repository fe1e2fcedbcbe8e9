"""PDF files are opened however they are encrypted, if that needs no password, and however their ends are written."""

from __future__ import annotations

import io
import re

import pytest
from pypdfium2 import PdfiumError
from pypdfium2.raw import FORMTYPE_XFA_FOREGROUND

from engine.documents.pdf.file import open_pdf
from engine.documents.text.damaged_parts import Encrypted
from tests.app.pdf_files import pdf
from tests.engine.documents.pdf_pages import PageFile, stream

WORDS = "Invoice 1024"
ALGORITHMS = ("RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256")


def written(password: str | None = None, algorithm: str = "") -> bytes:
    """Return a file of one page with `WORDS`, encrypted by an algorithm if there is a password, which may be ""."""
    writer = pdf(WORDS)
    if password is not None:
        writer.encrypt(password, owner_password="owner", algorithm=algorithm)
    writer.write(file := io.BytesIO())
    return file.getvalue()


def words_of(data: bytes) -> str:
    """Return the text of the first page of a file."""
    with open_pdf(data) as document:
        return document[0].get_textpage().get_text_bounded()


PLAIN = written()
TABLE = PLAIN.rindex(b"xref\n", 0, PLAIN.rindex(b"startxref"))
TRAILER = PLAIN.rindex(b"trailer")
END = PLAIN.rindex(b"startxref")
# The same objects with a stream for the table of them, whose address is wrong.
TABLE_STREAM = (
    PLAIN[:TABLE] + b"9 0 obj\n<< /Type /XRef /Root 3 0 R /Size 1 /W [1 1 1] /Length 3 >>\nstream\n\0\0\0\nendstream\n"
    b"endobj\nstartxref\n7\n%%EOF\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_encrypted_file_without_a_password_is_opened(algorithm: str) -> None:
    assert words_of(written("", algorithm)) == WORDS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_with_a_password_says_so(algorithm: str) -> None:
    with pytest.raises(Encrypted):
        open_pdf(written("secret", algorithm))


def test_a_file_that_is_encrypted_in_a_way_that_is_not_known_says_so() -> None:
    with pytest.raises(Encrypted):
        open_pdf(written("", "RC4-40").replace(b"/Filter /Standard", b"/Filter /AdobePub"))


@pytest.mark.parametrize(
    "data",
    [
        PLAIN[:END] + b"%%EOF\n",
        PLAIN[:END],
        PLAIN[:END] + b"startxref\n%%EOF\n",
        re.sub(rb"startxref\n\d+", b"startxref\n7", PLAIN),
        re.sub(rb"startxref\n\d+", b"startxref\n999999", PLAIN),
        re.sub(rb"startxref\n\d+", b"startxref\n0", PLAIN),
        PLAIN.replace(b"\n", b"\r"),
        PLAIN.rstrip(),
        PLAIN + b"\0" * 5000,
        PLAIN + b"<p>Sent by a server.</p>\n" * 200,
        b"\xef\xbb\xbf" + PLAIN,
        HTTP + PLAIN,
        b"\n" * 1000 + PLAIN,
        re.sub(rb"\d{10} 00000 n", b"0000000000 00000 n", PLAIN),
        PLAIN.replace(b"%PDF-1.3\n", b"%PDF-1.3\n% A line more.\n"),
        PLAIN[:TABLE] + PLAIN[TRAILER:],
        TABLE_STREAM,
        PLAIN.replace(b"/Root 3 0 R", b"/Prev 999999 /Root 3 0 R"),
    ],
    ids=[
        "no startxref",
        "no end",
        "no address",
        "address of something else",
        "address after the end",
        "address 0",
        "CR line ends",
        "no last line end",
        "zeros after the end",
        "a page after the end",
        "byte order mark",
        "reply of a server",
        "header after 1000 bytes",
        "objects at 0",
        "objects elsewhere",
        "no table",
        "address of a table stream",
        "address of an earlier table",
    ],
)
def test_a_file_is_opened_however_its_header_table_and_end_are_written(data: bytes) -> None:
    assert words_of(data) == WORDS


def test_of_a_changed_file_whose_table_is_wrong_the_latest_page_is_read() -> None:
    changed = re.search(rb"(\d+ 0 obj\n<<\n/Length \d+\n>>\nstream\n.*?endobj\n)", PLAIN, re.DOTALL)
    assert changed is not None
    later = changed[1].replace(b"1024", b"2048")
    assert words_of(PLAIN + later + b"trailer\n<< /Root 3 0 R >>\nstartxref\n1\n%%EOF\n") == "Invoice 2048"


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7\n", b"%PDF-1.7\n%%EOF\n", PLAIN[: len(PLAIN) // 2], PLAIN.replace(b"/Root", b"/Toor")]
)
def test_a_file_without_pages_that_can_be_found_is_damaged(data: bytes) -> None:
    with pytest.raises(PdfiumError):
        open_pdf(data)


def test_a_form_that_only_adobe_draws_is_opened_without_a_warning() -> None:
    file = PageFile()
    file.catalog("AcroForm", {"Fields": [], "XFA": file.refer(stream(b"<x/>"))})
    file.writer.write(data := io.BytesIO())
    with open_pdf(data.getvalue()) as document:
        assert document.get_formtype() == FORMTYPE_XFA_FOREGROUND
