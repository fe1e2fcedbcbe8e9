"""Tables of PDF pages keep their columns, empty cells included; where columns are not certain, the spaces are kept."""

from __future__ import annotations

import pytest

from engine.documents.pdf_tables import with_tables
from tests.engine.documents.pdf_pages import PageFile


def page_text(*words: tuple[int, int, str]) -> str:
    """Return what is read of a page with words at these places: from the left and from the bottom, in points."""
    shown = "".join(f"1 0 0 1 {left} {bottom} Tm ({text}) Tj " for left, bottom, text in words)
    return PageFile().read(f"BT /F1 12 Tf {shown}ET".encode()).text


def test_an_empty_cell_keeps_its_column() -> None:
    head = [(72, 700, "Item"), (250, 700, "Qty"), (400, 700, "Price")]
    rows = [(72, 680, "Pump"), (250, 680, "2"), (400, 680, "900"), (72, 660, "Valve"), (400, 660, "15")]
    found = page_text((72, 740, "Invoice"), *head, *rows, (72, 600, "Thank you."))
    assert found == (
        "Invoice\n\n| Item | Qty | Price |\n| --- | --- | --- |\n| Pump | 2 | 900 |\n| Valve |  | 15 |\n\nThank you."
    )


def test_the_spaces_of_a_table_are_kept_whose_columns_are_not_certain() -> None:
    layout = "Item        Qty Unit  Total\n  Fee 3               300.00\n  Fix           12.50 25.00"
    content = "Item Qty Unit Total\nFee 3 300.00\nFix 12.50 25.00"
    assert with_tables(content, layout, {}) == f"\n```table\n{layout}\n```\n"


@pytest.mark.parametrize(
    ("content", "layout"),
    [
        ("a b\nc d\ne f\ng h", "a b      e f\nc d      g h"),
        ("Name Kim\nand on", "Name     Kim\nand on"),
        ("x a b c d", "a     b\nc     d"),
        ("\u05d0 1\n\u05d1 2", "\u05d0     1\n\u05d1     2"),
        ("• a\n• b", "•     a\n•     b"),
        ("1. a\n2. b", "1.     a\n2.     b"),
        ("A 1 b 11 c\nd 2", "A     1b11c\nd     2"),
        ("", ""),
    ],
    ids=["columns", "one row", "part of a line", "from the right", "signs", "numbers", "words in one", "nothing"],
)
def test_what_is_no_table_stays_as_it_is(content: str, layout: str) -> None:
    assert with_tables(content, layout, {}) == content


def test_numbers_beside_words_are_of_their_cell_where_no_cell_is_empty() -> None:
    table = with_tables("Size Value\nAlpha 5 cm", "Size     Value\nAlpha    5 cm", {})
    assert table == "\n| Size | Value |\n| --- | --- |\n| Alpha | 5 cm |\n"


def test_raised_digits_of_cells_are_marked() -> None:
    table = page_text((72, 700, "Name"), (250, 700, "Area"), (72, 680, "Hall"), (250, 680, "40 m"))
    raised = "| Name | Area |\n| --- | --- |\n| Hall | 40 m |"
    assert table == raised
    cells = ((72, 700, 12, "Name"), (250, 700, 12, "Area"), (72, 680, 12, "Hall"), (250, 680, 12, "40 m"))
    shown = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET " for x, y, size, text in (*cells, (277, 685, 7, "2")))
    assert PageFile().read(shown.encode()).text == raised.replace("40 m", "40 m^2")


def test_cells_that_begin_at_the_same_places_are_of_the_same_columns() -> None:
    content = "Item Amount Sum\nFee 3 300\nBig wheel 12\nHose 2 14"
    layout = "Item   Amount   Sum\nFee   3   300\nBig wheel         12\nHose   2   14"
    lefts = {"ItemAmountSum": (72, 140, 220), "Fee3300": (72, 140, 220), "Hose214": (72, 140, 220)}
    table = "\n| Item | Amount | Sum |\n| --- | --- | --- |\n| Fee | 3 | 300 |\n| Big wheel | %s |\n| Hose | 2 | 14 |\n"
    assert with_tables(content, layout, lefts | {"Bigwheel12": (72, 220.2)}) == table % " | 12"
    assert with_tables(content, layout, lefts | {"Bigwheel12": (72, 140)}) == table % "12 | "


def test_a_line_of_one_cell_is_a_row_where_it_begins_with_a_column() -> None:
    content = "Name Day\nAnn Monday\nTuesday\nBob Friday\nThat is all."
    layout = "Name     Day\nAnn      Monday\n         Tuesday\nBob      Friday\nThat is all."
    rows = {"NameDay": (72, 140), "AnnMonday": (72, 140), "BobFriday": (72, 140), "Thatisall.": (72,)}
    table = with_tables(content, layout, rows | {"Tuesday": (140,)})
    assert "| Ann | Monday |\n|  | Tuesday |\n| Bob | Friday |\n\nThat is all." in table
    assert "|  | Tuesday |" not in with_tables(content, layout, rows | {"Tuesday": (150,)})


def test_places_that_no_row_has_all_of_say_nothing_of_columns() -> None:
    content = "Item Sum\nFee 300\nWheel 12"
    layout = "Item     Sum\nFee      300\nWheel     12"
    lefts = {"ItemSum": (72, 140), "Fee300": (72, 140), "Wheel12": (72, 145)}
    table = "\n| Item | Sum |\n| --- | --- |\n| Fee | 300 |\n| Wheel | 12 |\n"
    assert with_tables(content, layout, lefts) == table


def test_cells_that_are_lines_of_the_text_are_a_table() -> None:
    assert with_tables("a\nb\n\nc\nd", "a     b\nc     d", {}) == "\n| a | b |\n| --- | --- |\n| c | d |\n"
