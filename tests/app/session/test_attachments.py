"""Attached files are read as text, or the error says why not."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from PIL import Image
from PySide6.QtWidgets import QToolButton

from app.conversations.database.records import Attachment, Picture, attached_pictures, pictures_in
from app.session.attachments import (
    LARGEST_DOCUMENT_BYTES,
    count_of_pictures,
    count_tokens,
    cut_to_tokens,
    extent_of,
    left_out,
    parts_in_tokens,
    read_attachment,
    recognized_pages,
    uncertain_pages,
    with_parts,
)
from app.text.file_texts import LARGEST_BYTES, NotAttachable, text_of_file, with_extent
from engine import starter_pair
from engine.documents import reading as documents
from engine.documents.document import DocumentText
from engine.documents.pdf import scans
from engine.documents.text.parts import Cut, Extent, Selection
from engine.pictures.reading import PICTURES
from tests.app.pdf_files import pdf
from tests.app.scripted_engine import ScriptedEngine
from tests.engine.documents.office_files import workbook
from tests.engine.documents.picture_documents import word
from tests.slow_files import bomb_pdf, deep_pdf, slow_jpeg, slow_pdf, wide_pdf

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow

DOCUMENTS = Path(__file__).parents[2] / "engine" / "documents" / "files"


def test_a_pdf_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    pdf("", "").write(tmp_path / "no-text.pdf")
    closed = pdf("Nobody reads this.")
    closed.encrypt("secret", algorithm="RC4-128")
    closed.write(tmp_path / "encrypted.pdf")
    (tmp_path / "damaged.pdf").write_bytes(b"%PDF-1.7\n\xff\xfe\x00")
    (tmp_path / "too-large.pdf").write_bytes(b"%PDF-1.7\n" + b" " * LARGEST_DOCUMENT_BYTES)
    for reason in ("no-text", "encrypted", "damaged", "too-large"):
        with pytest.raises(NotAttachable) as caught:
            read_attachment(tmp_path / f"{reason}.pdf")
        assert caught.value.reason == reason


def test_a_pdf_file_without_a_user_password_is_read(tmp_path: Path) -> None:
    open_ = pdf("Everybody reads this.")
    open_.encrypt("", "owner", algorithm="RC4-128")
    open_.write(tmp_path / "open.pdf")
    assert read_attachment(tmp_path / "open.pdf").text == "Everybody reads this."


def test_what_cannot_go_along_says_why(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"a" * (LARGEST_BYTES + 1))
    (tmp_path / "public.key").write_text("-----BEGIN")
    assert read_attachment(tmp_path / "public.key").text == "-----BEGIN"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").write_bytes(b"a\0b")
    (tmp_path / "wide-zero").write_bytes("a\0b".encode("utf-16"))
    with ZipFile(tmp_path / "notes.pages", "w") as archive:
        archive.writestr("Index/Document.iwa", b"")
    (tmp_path / "sums.numbers").mkdir()
    (tmp_path / "page.webarchive").write_bytes(b"bplist00\xd1\0\x01\xa2")
    # LibreOffice would convert one of Word; Hancom's have other streams.
    streams = "WordDocument".encode("utf-16-le"), "HwpSummaryIn".encode("utf-16-le")
    (tmp_path / "brief.hwp").write_bytes((DOCUMENTS / "libreoffice.doc").read_bytes().replace(*streams))
    (tmp_path / "noise").write_bytes(bytes(128 + 73 * number % 128 for number in range(100)))
    for name, reason in (
        ("long", "too-large"),
        ("zero", "not-text"),
        ("wide-zero", "not-text"),
        ("noise", "unknown-encoding"),
        ("absent", "unreadable"),
        ("pipe", "unreadable"),
        ("notes.pages", "other-program"),
        ("sums.numbers", "other-program"),
        ("page.webarchive", "other-program"),
        ("brief.hwp", "other-program"),
    ):
        with pytest.raises(NotAttachable) as caught:
            read_attachment(tmp_path / name)
        assert caught.value.reason == reason


def test_tokens_are_those_of_the_main_model(tmp_path: Path) -> None:
    assert count_tokens(starter_pair()[0], "Tandem") in range(1, 7)
    assert count_tokens(tmp_path, "Tandem") is None
    assert cut_to_tokens(tmp_path, Attachment("notes.txt", "text/plain", "Tandem"), 1) is None


# The library panics on the first text and searches for minutes in the second.
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param("a" * 40 + " ee", id="panic"),
        pytest.param(("a" * 18 + "b ") * 5000, id="endless", marks=pytest.mark.full),
    ],
)
def test_a_strangers_tokenizer_counts_in_the_process_that_may_be_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    monkeypatch.setattr("engine.tokenizers.prompt_process.BUILD_S", 1)
    ours, text = starter_pair()[0], "Tandem checks 안녕 😀 each draft token. " * 9
    file = Attachment("notes.txt", "text/plain", text)
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    shutil.copy(ours / "tokenizer.json", stranger)
    assert count_tokens(stranger, text) == count_tokens(ours, text)
    assert cut_to_tokens(stranger, file, 40) == cut_to_tokens(ours, file, 40) != file
    content = json.loads((ours / "tokenizer.json").read_text())
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    (stranger / "tokenizer.json").write_text(json.dumps(content | {"pre_tokenizer": split}))
    assert count_tokens(stranger, harm) is None


@pytest.mark.full
@pytest.mark.parametrize(
    ("make", "reasons"),
    [
        (partial(deep_pdf, 100_000), {"damaged", "no-text"}),
        (partial(wide_pdf, 2**31), {"damaged", "no-text"}),
        (partial(bomb_pdf, 500), {"no-text", "damaged", "too-slow", "too-much-memory", "too-large"}),
        pytest.param(partial(slow_pdf, 100_000, 2000), {"too-slow"}, marks=pytest.mark.full),
        (partial(slow_pdf, 1, 3_000_000), {"too-slow"}),
    ],
    ids=["deep", "wide", "bomb", "many pages", "one page"],
)
def test_a_hostile_pdf_file_is_refused_within_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], bytes], reasons: set[str]
) -> None:
    monkeypatch.setattr("engine.documents.reading.DOCUMENT_S", 0.5)
    (tmp_path / "a.pdf").write_bytes(make())
    with pytest.raises(NotAttachable) as caught:
        read_attachment(tmp_path / "a.pdf")
    assert caught.value.reason in reasons
    pdf("Page.").write(tmp_path / "b.pdf")
    assert read_attachment(tmp_path / "b.pdf").text == "Page."


@pytest.mark.parametrize("name", ["long.jpg", pytest.param("long.pdf", marks=pytest.mark.full)])
def test_reading_a_file_ends_once_nobody_wants_it(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(slow_pdf(3000, 2000) if name == "long.pdf" else slow_jpeg(7000, 300))
    process = documents.DOCUMENTS.quick if name == "long.pdf" else PICTURES.quick
    process.release()
    window = open_window(ScriptedEngine())
    window.settle()
    window.paste(tmp_path / name)
    window.wait(lambda: process.pid is not None)
    before = process.pid
    (away,) = window.composer.files.findChildren(QToolButton)
    away.click()
    window.settle()
    qtbot.waitUntil(lambda: process.pid != before)
    assert window.composer.files.attachments == ()
    assert window.banner.isHidden()


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("libreoffice.odt", "# 보고서"),
        ("libreoffice.xlsx", "## 매출"),
        ("python-docx.docx", "# Quarterly"),
        ("python-pptx.pptx", "## 1. 発表"),
        ("ebooklib.epub", "# 첫째 장"),
    ],
)
def test_a_document_is_read_in_the_process_with_limits(name: str, beginning: str) -> None:
    assert read_attachment(DOCUMENTS / name).text.startswith(beginning)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [("Shift_JIS", "日本語の文章①"), ("EUC-KR", "한국어 문장 똠"), ("GB18030", "简体中文𠀀"), ("", "plain ünïcode")],
)
def test_a_page_is_read_in_the_encoding_that_it_declares(tmp_path: Path, encoding: str, words: str) -> None:
    python = {"Shift_JIS": "cp932", "EUC-KR": "cp949"}.get(encoding, encoding or "utf-8")
    page = f"<meta http-equiv=Content-Type content='text/html; charset={encoding}'><h1>{words}</h1>"
    (tmp_path / "a.htm").write_bytes(page.encode(python))
    found = read_attachment(tmp_path / "a.htm")
    assert (found.text, found.media_type) == (f"# {words}", "text/html")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_characters_that_nobody_sees_are_left_out_and_counted(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("Tides\U000e0048\U000e0069.\n", encoding)
    attachment = read_attachment(tmp_path / "a.txt", selection=Selection())
    assert (attachment.text, left_out(attachment)) == ("Tides.\n", [("invisible-character", 2)])


def test_a_document_that_cannot_be_read_says_why() -> None:
    with pytest.raises(NotAttachable) as caught:
        read_attachment(DOCUMENTS / "msoffcrypto.docx")
    assert caught.value.reason == "encrypted"


def test_pages_that_are_uncertain_are_counted_beside_those_that_are_recognized(monkeypatch: pytest.MonkeyPatch) -> None:
    read = DocumentText("x", recognized_pages=3, uncertain_pages=2, left_out=(("scanned-page", 1),))
    monkeypatch.setattr("engine.documents.reading.read_document", lambda *_: read)
    attachment = Attachment("a.pdf", *text_of_file("a.pdf", b"%PDF-")[:2])
    assert (recognized_pages(attachment), uncertain_pages(attachment)) == (3, 2)
    assert left_out(attachment) == [("scanned-page", 1)]


def test_what_was_read_of_a_long_file_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "long.log").write_text("a line\n" * 400_000)
    with pytest.raises(NotAttachable):
        read_attachment(tmp_path / "long.log")
    attachment = read_attachment(tmp_path / "long.log", selection=Selection())
    assert extent_of(attachment).cut == Cut("line", LARGEST_BYTES // 7, 400_000)
    assert attachment.text.endswith(f"a line\n\n[Left out: lines {LARGEST_BYTES // 7 + 1} to 400000]")


def test_a_workbook_is_cut_to_the_sheets_that_fit(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(workbook(**{"A;1": 300, "나": 300, "C": 300}))
    attachment = read_attachment(tmp_path / "a.xlsx", selection=Selection())
    extent = extent_of(attachment)
    assert (extent.names, extent.numbers) == (("A;1", "나", "C"), (1, 2, 3))
    assert left_out(attachment) == [("hidden-sheet", 1)]
    model = starter_pair()[0]
    tokens = count_tokens(model, attachment.text)
    assert tokens is not None
    fitting = parts_in_tokens(model, attachment, tokens * 3 // 4)
    assert fitting is not None
    cut = with_parts(attachment, fitting)
    assert (extent_of(cut), fitting.numbers) == (fitting, (1, 2))
    assert cut.text.endswith("| 300 | x |\n\n[Left out: sheet C]")
    assert left_out(cut) == left_out(attachment)
    counted = count_tokens(model, cut.text)
    assert counted is not None
    assert counted <= tokens * 3 // 4
    assert parts_in_tokens(model, attachment, 100) is None
    begun = cut_to_tokens(model, attachment, tokens // 2)
    assert begun is not None
    assert (extent_of(begun).numbers, extent_of(begun).cut) == ((1, 2), Cut())


def scan_of(pages: int) -> bytes:
    """Return a PDF file whose pages are pictures."""
    first, *others = [Image.new("L", (200, 300 + page), 255) for page in range(pages)]
    first.save(file := BytesIO(), "PDF", save_all=True, append_images=others)
    return file.getvalue()


@pytest.fixture
def no_recognizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read here, and nothing on this computer recognizes text in pictures."""
    monkeypatch.setattr(scans, "vision", lambda: None)
    monkeypatch.setattr(scans, "program_at", lambda _name: "")
    monkeypatch.setattr(documents.DOCUMENTS, "read", lambda task, *_limits: task())


@pytest.mark.usefixtures("no_recognizer")
def test_a_scan_is_attached_as_pictures_for_a_model_that_sees(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan_of(10))
    files: list[bytes] = []
    scan = read_attachment(tmp_path / "scan.pdf", keep=files.append, selection=Selection(), sees=True)
    assert scan.text == "[Pictures of pages 1 to 8]\n\n[Left out: pages 9 to 10]"
    assert scan.is_scan
    assert len(scan.inner) == len(files) == 8
    assert attached_pictures([scan]) == pictures_in([scan]) == [page.picture for page in scan.inner]
    assert (extent_of(scan).count, count_of_pictures(scan)) == (10, 10)
    last = read_attachment(tmp_path / "scan.pdf", keep=files.append, selection=Selection(9, 10), sees=True)
    assert last.text == "[Pictures of pages 9 to 10]\n\n[Left out: pages 1 to 8]"


@pytest.mark.usefixtures("no_recognizer")
def test_a_scan_is_refused_for_a_model_that_cannot_see(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan_of(1))
    with pytest.raises(NotAttachable) as caught:
        read_attachment(tmp_path / "scan.pdf", keep=lambda _content: None, selection=Selection())
    assert caught.value.reason == "no-text"


def test_a_letter_of_pictures_alone_is_attached_for_a_model_that_sees(tmp_path: Path) -> None:
    (tmp_path / "photo.docx").write_bytes(word(text=""))
    scan = read_attachment(tmp_path / "photo.docx", keep=lambda _content: None, selection=Selection(), sees=True)
    assert (scan.text, scan.is_scan, len(scan.inner)) == ("[Pictures without text]", True, 2)


def test_a_document_that_is_cut_says_that_its_pictures_are_left_out() -> None:
    inner = Attachment("report.pdf 1", "image/png", "", Picture("0" * 64, 300, 200))
    kind = with_extent("application/pdf", "", Extent("page", 2, (1,), (5,)))
    whole = Attachment("report.pdf", f"{kind}; left-out=hidden-text:2", "First.\n\nLast.", inner=(inner,))
    cut = with_parts(whole, Extent("page", 2, (1,), (6,)))
    assert cut.text == "First.\n\n[Left out: page 2, 1 picture]"
    assert left_out(cut) == [("hidden-text", 2), ("picture", 1)]
    model, _ = starter_pair()
    shortened = cut_to_tokens(model, whole, 2)
    assert shortened is not None
    assert left_out(shortened) == [("hidden-text", 2), ("picture", 1)]
    assert left_out(with_parts(cut, Extent("page", 2, (1,), (6,)))) == left_out(cut)
