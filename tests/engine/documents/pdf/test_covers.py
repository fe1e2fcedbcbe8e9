"""Words of PDF pages over which a rectangle is painted are left out where nothing of them is seen, and only there."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import HELVETICA, PageFile, stream

# "Secret" takes the points from 72 to 101, and its capital those from 650 to 657.
WORDS = b"BT /F1 10 Tf 72 700 Td (Seen) Tj 0 -50 Td (Secret) Tj ET "
COVER = b"70 645 35 16 re f "
HIDDEN = "Seen\n\n[Left out: 1 hidden passage]"
READ = "Seen\nSecret"
RESOURCES = {"Font": {"F1": HELVETICA}}
GREY = {"ColorSpace": "/DeviceGray", "BitsPerComponent": 8}


def page_text(content: bytes, file: PageFile | None = None) -> str:
    """Return the text of a page with some parameters, colour spaces, a picture, and forms."""
    file = file or PageFile()
    box = [0, 0, 600, 800]
    # Of an empty group, nothing is opaque.
    mask = file.refer(stream(b"", Subtype="/Form", BBox=box, Group={"S": "/Transparency"}))
    modes = {"Half": {"ca": 0.5}, "Full": {"ca": 1, "BM": "/Normal", "SMask": "/None", "op": False}}
    modes |= {"Multiply": {"BM": "/Multiply"}, "Mask": {"SMask": {"S": "/Alpha", "G": mask}}, "Over": {"OP": True}}
    for name, mode in modes.items():
        file.add("ExtGState", name, mode)
    file.add("ColorSpace", "None", ["/Separation", "/None", "/DeviceCMYK", {"FunctionType": 2}])
    file.add("XObject", "Picture", file.refer(stream(b"a", Subtype="/Image", Width=1, Height=1, **GREY)))
    for name, data, entries in (
        ("Words", WORDS, {}),
        ("Covered", WORDS + COVER, {}),
        ("Cover", COVER + b"BT ( ) Tj ET", {}),
        ("Group", COVER + b"BT ( ) Tj ET", {"Group": {"S": "/Transparency"}}),
    ):
        form = stream(data, Subtype="/Form", BBox=box, Resources=RESOURCES, **entries)
        file.add("XObject", name, file.refer(form))
    return file.read(content).text


@pytest.mark.parametrize(
    "content",
    [
        WORDS + COVER,
        WORDS + b"1 g " + COVER,
        WORDS + b"0 0 0 1 k 70 645 m 105 645 l 105 661 l 70 661 l h f",
        WORDS + b"1 0 0 rg 70 645 35 16 re B",
        WORDS + b"70 645 35 16 re 70 100 35 16 re f",
        WORDS + b"1 g 0 0 600 690 re f",
        WORDS + b"q 1 0 0 1 70 645 cm 0 0 35 16 re f Q",
        WORDS + b"q 0 0 300 690 re W n 0 0 600 800 re f Q",
        WORDS + b"/Half gs /Full gs " + COVER,
        WORDS + COVER + b"1 g 1 w 70 645 35 16 re S BT /F1 10 Tf 72 690 Td ( ) Tj ET",
        WORDS + b"/Cover Do",
        WORDS + b"/Over gs " + COVER,
        WORDS + b"/Multiply gs /Group Do",
        WORDS + b"q 40 0 0 20 68 642 cm /Picture Do Q",
        WORDS + b"1 g " + COVER + b"q 40 0 0 20 68 642 cm /Picture Do Q",
        WORDS + b"1 g " + COVER + b"0 g 72 650 m 80 652 90 654 76 657 c f",
        WORDS + b"/Group Do",
        b"/Words Do " + COVER,
        b"/Covered Do",
        b"BT /F1 10 Tf 72 700 Td (Seen) Tj 0 -50 Td [(Sec) -20 (ret)] TJ ET " + COVER,
        b"BT /F1 10 Tf 72 700 Td (Seen) Tj 0 1 -1 0 90 640 Tm (Secret) Tj ET 70 630 35 50 re f",
        b"BT /F1 10 Tf 72 700 Td (Seen) Tj /F1 1 Tf 10 0 0 10 72 640 Tm 1 Ts (Secret) Tj ET " + COVER,
    ],
)
def test_covered_words_are_left_out_and_counted(content: bytes) -> None:
    assert page_text(content) == HIDDEN


@pytest.mark.parametrize(
    "content",
    [
        b"1 1 0 rg " + COVER + b"0 g " + WORDS,
        b"/Cover Do 1 g 0 0 600 800 re f 0 g " + WORDS,
        WORDS + b"/Half gs 1 1 0 rg " + COVER,
        WORDS + b"/Multiply gs 1 1 0 rg " + COVER,
        WORDS + b"/Mask gs " + COVER,
        WORDS + b"/None cs 0 scn " + COVER,
        WORDS + b"/Pattern cs /P1 scn " + COVER,
        WORDS + b"/Half gs /Cover Do",
        WORDS + b"q 0 0 60 60 re W n " + COVER + b"Q",
        WORDS + b"q 0 0 m 600 0 l 300 800 l h W n " + COVER + b"Q",
        WORDS + b"70 645 35 3 re f 70 655 35 6 re f",
        WORDS + b"60 640 55 30 re 70 645 35 16 re f*",
        WORDS + b"60 640 55 30 re 105 645 -35 16 re f",
        WORDS + b"70 645 m 105 661 l 105 645 l 70 661 l h f",
        WORDS + b"70 645 m 105 645 l 105 661 l h f",
        WORDS + b"70 645 35 16 re S",
        b"BT /F1 10 Tf 72 700 Td (Seen) Tj /F1 40 Tf 0 -50 Td (Secret) Tj ET " + COVER,
    ],
)
def test_words_that_may_be_seen_are_read(content: bytes) -> None:
    assert page_text(content) == READ


def test_words_that_are_painted_again_on_the_cover_are_read() -> None:
    assert page_text(WORDS + COVER + b"1 g BT /F1 10 Tf 72 650 Td (Other) Tj ET") == (
        "Seen\nOther\n\n[Left out: 1 hidden passage]"
    )


def test_only_the_covered_letters_of_a_line_are_left_out() -> None:
    """Letters of which a part is seen are read."""
    line = b"BT /F2 10 Tf 72 650 Td (Paid by Eva Moor today) Tj ET "
    file = PageFile()
    file.add("Font", "F2", {**HELVETICA, "FirstChar": 32, "LastChar": 126, "Widths": [500] * 95})
    assert page_text(line + b"112 648 40 11 re f", file) == "Paid by today\n\n[Left out: 1 hidden passage]"


def test_covered_and_struck_words_of_a_page_are_told_apart() -> None:
    struck = b"BT /F1 10 Tf 72 600 Td (Old) Tj ET 72 603 m 87.8 603 l S "
    assert page_text(WORDS + struck + COVER) == "Seen\n~~Old~~\n\n[Left out: 1 hidden passage]"


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_words_of_turned_pages_are_covered_as_on_others(degrees: int) -> None:
    file = PageFile()
    file.page.rotate(degrees)
    assert "Secret" not in page_text(WORDS + COVER, file)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"q 600 0 0 800 0 0 cm /Picture Do Q 3 Tr " + WORDS + COVER, HIDDEN),
        (b"3 Tr " + WORDS + b"q 600 0 0 800 0 0 cm /Picture Do Q " + COVER, HIDDEN),
        (b"3 Tr " + WORDS + b"1 g 0 0 600 800 re f q 600 0 0 800 0 0 cm /Picture Do Q", READ),
        (WORDS + b"1 g 0 0 600 800 re f q 600 0 0 800 0 0 cm /Picture Do Q", READ),
    ],
)
def test_what_was_recognised_in_a_scan_is_covered_only_over_its_picture(content: bytes, text: str) -> None:
    assert page_text(content) == text


def test_rows_of_a_table_that_are_painted_one_after_another_are_read() -> None:
    rows = b"".join(
        b"0.%d g 70 %d 400 14 re f 0 g BT /F1 10 Tf 72 %d Td (Row %d) Tj 200 0 Td (Qty %d) Tj ET "
        % (8 + row % 2, 696 - 14 * row, 700 - 14 * row, row, row)
        for row in range(5)
    )
    text = page_text(rows)
    assert "Left out" not in text
    assert all(f"| Row {row} | Qty {row} |" in text for row in range(5))
