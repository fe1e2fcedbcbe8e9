"""Tables of PDF pages keep their columns, empty cells included; where columns are not certain, the spaces are kept."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import HELVETICA, PageFile, stream


def page_text(*words: tuple[int, int, str]) -> str:
    """Return what is read of a page with words at these places: from the left and from the bottom, in points."""
    shown = "".join(f"1 0 0 1 {left} {bottom} Tm ({text}) Tj " for left, bottom, text in words)
    return PageFile().read(f"BT /F1 12 Tf {shown}ET".encode()).text


@pytest.mark.first
def test_an_empty_cell_keeps_its_column() -> None:
    head = [(72, 700, "Item"), (250, 700, "Qty"), (400, 700, "Price")]
    rows = [(72, 680, "Pump"), (250, 680, "2"), (400, 680, "900"), (72, 660, "Valve"), (400, 660, "15")]
    found = page_text((72, 740, "Invoice"), *head, *rows, (72, 600, "Thank you."))
    assert found == (
        "Invoice\n\n| Item | Qty | Price |\n| --- | --- | --- |\n| Pump | 2 | 900 |\n| Valve |  | 15 |\n\nThank you."
    )


def test_the_spaces_of_a_table_are_kept_whose_columns_are_not_certain() -> None:
    rows = [(72, 700, "Item"), (200, 700, "Qty"), (320, 700, "Total"), (72, 680, "A wheel for the rear of it")]
    rows += [(330, 680, "25"), (72, 660, "Fee"), (190, 660, "3"), (320, 660, "300")]
    assert page_text(*rows) == (
        "```table\n"
        "Item                 Qty                 Total\n"
        "A wheel for the rear of it                 25\n"
        "Fee                3                     300\n"
        "```"
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([(72, 700, "a"), (72, 680, "b"), (250, 700, "c"), (250, 680, "d")], "a\nb\nc\nd"),
        ([(72, 700, "Name"), (250, 700, "Kim"), (72, 680, "and on")], "Name Kim\nand on"),
        ([(72, 700, "+"), (100, 700, "a"), (72, 680, "+"), (100, 680, "b")], "+ a\n+ b"),
        ([(72, 700, "1."), (100, 700, "a"), (72, 680, "2."), (100, 680, "b")], "1. a\n2. b"),
    ],
    ids=["columns", "one row", "signs", "numbers"],
)
def test_what_is_no_table_stays_as_it_is(words: list[tuple[int, int, str]], text: str) -> None:
    assert page_text(*words) == text


def test_lines_that_are_written_from_the_right_are_no_table() -> None:
    file = PageFile()
    mapped = file.refer(stream(b"1 beginbfrange <61> <64> <05d0> endbfrange"))
    file.add("Font", "F1", {**HELVETICA, "ToUnicode": mapped})
    words = ((250, 700, "ba"), (72, 700, "dc"), (250, 680, "bb"), (72, 680, "cc"))
    shown = "".join(f"1 0 0 1 {left} {bottom} Tm ({text}) Tj " for left, bottom, text in words)
    assert file.read(f"BT /F1 12 Tf {shown}ET".encode()).text == "\u05d0\u05d1 \u05d2\u05d3\n\u05d1\u05d1 \u05d2\u05d2"


def test_lines_of_words_that_are_placed_one_by_one_are_no_table() -> None:
    """Some programs have no spaces, and widen the gaps of lines that fill a column."""
    lines = (
        ((72, "It"), (90, "was"), (120, "all"), (144, "said")),
        ((72, "and"), (101, "done"), (135, "so"), (158, "on")),
    )
    words = [(left, 700 - 14 * row, text) for row, line in enumerate(lines) for left, text in line]
    assert page_text(*words) == "It was all said\nand done so on"


def test_raised_digits_of_cells_are_marked() -> None:
    table = page_text((72, 700, "Name"), (250, 700, "Area"), (72, 680, "Hall"), (250, 680, "40 m"))
    raised = "| Name | Area |\n| --- | --- |\n| Hall | 40 m |"
    assert table == raised
    cells = ((72, 700, 12, "Name"), (250, 700, 12, "Area"), (72, 680, 12, "Hall"), (250, 680, 12, "40 m"))
    shown = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET " for x, y, size, text in (*cells, (277, 685, 7, "2")))
    assert PageFile().read(shown.encode()).text == raised.replace("40 m", "40 m^2")


@pytest.mark.parametrize(("left", "row"), [(220, "|  | 12"), (140, "| 12 | ")])
def test_cells_that_begin_at_the_same_places_are_of_the_same_columns(left: int, row: str) -> None:
    """The second row crosses the gap before the second column."""
    rows = [(72, 700, "Item"), (140, 700, "Sum"), (220, 700, "Tax"), (72, 680, "Wheel"), (left, 680, "12")]
    rows += [(72, 660, "Fee"), (140, 660, "3"), (220, 660, "300")]
    table = "| Item | Sum | Tax |\n| --- | --- | --- |\n| Wheel %s |\n| Fee | 3 | 300 |"
    assert page_text(*rows) == table % row


def test_a_line_of_one_cell_is_a_row_where_it_begins_with_a_column() -> None:
    rows = [(72, 700, "Name"), (140, 700, "Day"), (72, 680, "Ann"), (140, 680, "Monday"), (140, 660, "Tuesday")]
    rows += [(72, 640, "Bob"), (140, 640, "Friday"), (72, 620, "That is all.")]
    table = "| Name | Day |\n| --- | --- |\n| Ann | Monday |\n|  | Tuesday |\n| Bob | Friday |\n\nThat is all."
    assert page_text(*rows) == table
    elsewhere = [(left + 10 * (text == "Tuesday"), bottom, text) for left, bottom, text in rows]
    assert "|  | Tuesday |" not in page_text(*elsewhere)


def test_lines_of_one_cell_of_a_ruled_table_are_one_text() -> None:
    lines = "".join(f"70 {height} m 430 {height} l S " for height in (715, 695, 655))
    lines += "".join(f"{left} 655 m {left} 715 l S " for left in (70, 250, 430))
    cells = ((80, 700, "Item"), (260, 700, "Why"), (80, 680, "Pump"), (260, 680, "It broke"), (260, 665, "in May"))
    shown = "".join(f"1 0 0 1 {left} {bottom} Tm ({text}) Tj " for left, bottom, text in cells)
    text = PageFile().read(f"0.5 w {lines} BT /F1 12 Tf {shown}ET".encode()).text
    assert text == "| Item | Why |\n| --- | --- |\n| Pump | It broke in May |"


def test_cells_of_a_ruled_table_may_be_written_in_any_order() -> None:
    lines = "".join(f"70 {height} m 430 {height} l S " for height in (715, 695, 675))
    lines += "".join(f"{left} 675 m {left} 715 l S " for left in (70, 250, 430))
    cells = ((80, 700, "a"), (80, 680, "c"), (260, 700, "b"), (260, 680, "d"))
    shown = "".join(f"1 0 0 1 {left} {bottom} Tm ({text}) Tj " for left, bottom, text in cells)
    text = PageFile().read(f"0.5 w {lines} BT /F1 12 Tf {shown}ET".encode()).text
    assert text == "| a | b |\n| --- | --- |\n| c | d |"
