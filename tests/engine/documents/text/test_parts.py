"""A document that is too long for its text, or of which a person wants some parts, says which parts its text has."""

from __future__ import annotations

import io
from functools import partial

import pytest
from pypdf import PdfWriter

from engine.documents.document import DocumentText, document_text
from engine.documents.reading import read_document
from engine.documents.text.parts import Cut, Extent, Selection, first_parts, pages_of
from engine.files.reading_time import ReadingTime, ReadSoFar
from engine.sandbox.process import Sandbox
from tests.app.pdf_files import pdf
from tests.engine.documents.office_files import open_document, workbook

PAGES = ("One.", "Two.", "Three.", "Four.")
ALL = Selection()


def content(writer: PdfWriter) -> bytes:
    writer.write(file := io.BytesIO())
    return file.getvalue()


def pages_read(selection: Selection | None, most: int = 1000) -> DocumentText:
    return document_text("a.pdf", content(pdf(*PAGES)), most, "", selection)


@pytest.mark.parametrize(
    ("selection", "most", "text", "numbers"),
    [
        (ALL, 1000, "One.\n\nTwo.\n\nThree.\n\nFour.", (1, 2, 3, 4)),
        (ALL, 13, "One.\n\nTwo.\n\n[Left out: pages 3 to 4]", (1, 2)),
        (Selection(2, 3), 1000, "Two.\n\nThree.\n\n[Left out: page 1, page 4]", (2, 3)),
        (Selection(3), 1000, "Three.\n\nFour.\n\n[Left out: pages 1 to 2]", (3, 4)),
        (Selection(2), 9, "Two.\n\n[Left out: page 1, pages 3 to 4]", (2,)),
    ],
)
def test_pages_are_read_as_far_as_they_are_wanted_and_fit(
    selection: Selection, most: int, text: str, numbers: tuple[int, ...]
) -> None:
    read = pages_read(selection, most)
    assert (read.text, read.problem) == (text, "")
    extent = read.extent
    assert (extent.kind, extent.count, extent.numbers) == ("page", 4, numbers)
    assert [read.text[:end].rpartition("\n")[2] for end in extent.ends] == [PAGES[number - 1] for number in numbers]


def test_without_a_selection_all_has_to_fit() -> None:
    assert pages_read(None, 13).problem == "too-large"
    assert pages_read(ALL, 3).problem == "too-large"


def test_no_page_is_begun_after_the_time_but_the_first() -> None:
    read = document_text("a.pdf", content(pdf(*PAGES)), 1000, "", ALL, 0)
    assert read.text == "One.\n\n[Left out: pages 2 to 4]"


def test_sheets_are_wanted_by_name() -> None:
    read = document_text("a.xlsx", workbook(A=1, B=1, C=2), 1000, "", Selection(names=("A", "C")))
    first = "## A\n\n| 1 | x |\n| --- | --- |"
    second = "## C\n\n| 1 | x |\n| --- | --- |\n| 2 | x |"
    assert read.text == f"{first}\n\n{second}\n\n[Left out: 1 hidden sheet, sheet B]"
    assert (read.extent.names, read.extent.numbers, read.extent.is_whole) == (("A", "B", "C"), (1, 3), False)
    assert read.text[: read.extent.ends[0]] == first


def test_a_long_sheet_ends_after_a_row() -> None:
    read = document_text("a.xlsx", workbook(A=1, B=9, C=1), 80, "", ALL)
    assert read.text.endswith("| 3 | x |\n\n[Left out: 1 hidden sheet, rows 4 to 9 of sheet B, sheet C]")
    assert (read.extent.cut, read.extent.numbers) == (Cut("row", 3, 9), (1, 2))


def test_sheets_of_opendocument_are_wanted_by_name() -> None:
    cell = "<table:table-cell><text:p>x</text:p></table:table-cell>"
    sheets = "".join(
        f'<table:table table:name="{name}"><table:table-row>{cell}</table:table-row></table:table>' for name in "AB"
    )
    read = document_text("a.ods", open_document("spreadsheet", sheets), 1000, "", Selection(names=("B",)))
    assert read.text == "## B\n\nx\n\n[Left out: sheet A]"


@pytest.mark.parametrize(
    ("selection", "most", "text", "numbers"),
    [
        (Selection(2, 2), 1000, "## 2. B\n\nb\n\n[Left out: slide 1, slide 3]", (2,)),
        (ALL, 15, "## 1. A\n\na\n\n[Left out: slides 2 to 3]", (1,)),
    ],
)
def test_slides_of_opendocument_are_wanted_by_number(
    selection: Selection, most: int, text: str, numbers: tuple[int, ...]
) -> None:
    slides = "".join(
        f'<page><frame class="title"><text-box><p>{name.upper()}</p></text-box></frame>'
        f"<frame><text-box><p>{name}</p></text-box></frame></page>"
        for name in "abc"
    )
    read = document_text("a.odp", open_document("presentation", slides), most, "", selection)
    assert (read.text, read.extent.numbers, read.extent.count) == (text, numbers, 3)


def test_other_documents_end_after_a_block_and_files_of_text_after_a_line() -> None:
    page = document_text("a.html", b"<p>One.<p>Two.<p>Three.", 10, "", ALL)
    assert (page.text, page.extent) == ("One.\n\nTwo.\n\n[Left out: the end]", Extent(cut=Cut()))
    lines = document_text("a.txt", b"one\ntwo\nthree\n", 10, "", ALL)
    assert (lines.text, lines.extent) == ("one\ntwo\n\n[Left out: lines 3 to 3]", Extent(cut=Cut("line", 2, 3)))
    assert document_text("a.txt", b"one\ntwo", 10, "", ALL).extent.is_whole
    assert document_text("a.txt", b"x" * 12, 10, "", ALL).text == "x" * 10 + "\n\n[Left out: the end]"


def test_the_first_parts_are_those_that_end_early_enough() -> None:
    extent = pages_read(ALL).extent
    assert [first_parts(extent, count) for count in (3, 1000)] == [None, None]
    cut = first_parts(extent, 12)
    assert cut is not None
    assert (cut.numbers, cut.missing_words()) == ((1, 2), "pages 3 to 4")


@pytest.mark.parametrize(
    ("words", "selection"),
    [
        ("1-40", Selection(1, 40)),
        (" 3 – 5 ", Selection(3, 5)),
        ("2~4", Selection(2, 4)),
        ("7", Selection(7, 7)),
        ("41-", Selection(41)),
        ("-9", Selection(1, 9)),
        *dict.fromkeys(("", "-", "9-3", "0-4", "1 2", "all", "1-2-3")).items(),
    ],
)
def test_pages_are_written_as_people_write_them(words: str, selection: Selection | None) -> None:
    assert pages_of(words) == selection


def test_the_progress_comes_out_of_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ReadSoFar | None] = []
    time = ReadingTime()
    run = Sandbox.run

    def observed(sandbox: Sandbox, task: partial[DocumentText], *arguments: object, show: object) -> DocumentText:
        def note(progress: object) -> None:
            show(progress)  # type: ignore[operator]
            seen.append(time.read_so_far)

        return run(sandbox, task, *arguments, show=note)  # type: ignore[arg-type]

    monkeypatch.setattr(Sandbox, "run", observed)
    assert read_document("a.pdf", content(pdf(*PAGES)), 1000, "", time, ALL).extent.count == 4
    assert seen == [ReadSoFar("page", done, 4) for done in range(4)]
