"""Only pages on which words stand beside each other are read a second time, for tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pypdf import PageObject

from tests.engine.documents.pdf_pages import PageFile

ROWS = (("Ann", "Monday"), ("Bob", "Tuesday"))
TABLE = "| Ann | Monday |\n| --- | --- |\n| Bob | Tuesday |"


def moved(first: str, second: str, height: int) -> str:
    return f"1 0 0 1 50 {height} Tm ({first}) Tj 1 0 0 1 250 {height} Tm ({second}) Tj "


def kerned(first: str, second: str, height: int) -> str:
    return f"1 0 0 1 50 {height} Tm [({first}) -12000 ({second})] TJ "


def uneven(first: str, second: str, height: int) -> str:
    return f"1 0 0 1 50 {height} Tm ({first}) Tj 1 0 0 1 250 {height + 1} Tm ({second}) Tj "


@pytest.fixture
def layouts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that gets an entry for each page that is read a second time."""
    entries: list[object] = []
    extract = PageObject.extract_text

    def counted(page: PageObject, **options: object) -> str:
        if options.get("extraction_mode") == "layout":
            entries.append(page)
        return extract(page, **options)

    monkeypatch.setattr(PageObject, "extract_text", counted)
    return entries


@pytest.mark.parametrize("row", [moved, kerned, uneven])
def test_a_table_is_found_however_its_cells_are_placed(
    row: Callable[[str, str, int], str], layouts: list[object]
) -> None:
    content = "".join(row(*cells, 700 - 20 * number) for number, cells in enumerate(ROWS))
    assert PageFile().read(f"BT /F1 12 Tf {content} ET".encode()).text == TABLE
    assert len(layouts) == 1


@pytest.mark.parametrize(
    "shown",
    [
        "14 TL (one) Tj T* (two) Tj T* (three) Tj",
        "(one) Tj 0 -14 Td (two) Tj 0 -14 Td (three) Tj",
        "[(o) -30 (ne)] TJ 0 -14 TD [(two)] TJ T* [(three)] TJ",
        "14 TL (one) Tj (two) ' (three) '",
    ],
    ids=["next lines", "moves", "kerned", "with their own moves"],
)
def test_lines_of_text_are_read_once(shown: str, layouts: list[object]) -> None:
    found = PageFile().read(f"BT /F1 12 Tf 50 700 Td {shown} ET".encode())
    assert found.text == "one\ntwo\nthree"
    assert layouts == []


def test_turned_text_and_wide_spaces_are_read_twice(layouts: list[object]) -> None:
    PageFile().read(b"BT /F1 12 Tf 0 1 -1 0 50 100 Tm (turned) Tj ET")
    PageFile().read(b"BT /F1 12 Tf 50 700 Td (a    b) Tj ET")
    assert len(layouts) == 2
