"""The signs and numbers of lists on PDF pages stand before their items, wherever the file has them."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import PageFile

ITEMS = [(100, 700, "Open it"), (100, 680, "Wait")]


def page_text(*words: tuple[int, int, str]) -> str:
    """Return what is read of a page with words at these places: from the left and from the bottom, in points."""
    shown = "".join(f"BT /F1 12 Tf {left} {bottom} Td ({text}) Tj ET " for left, bottom, text in words)
    return PageFile().read(shown.encode()).text


@pytest.mark.parametrize(
    ("marks", "text"),
    [
        ([(82, 700, "5."), (82, 680, "6.")], "5. Open it\n6. Wait\nAnd on"),
        ([(82, 700, "- "), (82, 680, "b\\)")], "- Open it\nb) Wait\nAnd on"),
        ([(82, 680, "6.")], "Open it\n6. Wait\nAnd on"),
    ],
    ids=["numbers", "signs", "one"],
)
def test_marks_after_a_list_stand_before_its_items(marks: list[tuple[int, int, str]], text: str) -> None:
    after = (72, 640, "And on")
    assert page_text(*ITEMS, after, *marks) == text
    assert page_text(*ITEMS, *marks, after) == text


@pytest.mark.parametrize(
    ("marks", "text"),
    [
        ([(82, 690, "5.")], "Open it\nWait\n5."),
        ([(20, 700, "5.")], "Open it\nWait\n5."),
        ([(150, 700, "5.")], "Open it\nWait\n5."),
        ([(82, 700, "5. Then")], "Open it\nWait\n5. Then"),
        ([(82, 700, "2026")], "Open it\nWait\n2026"),
        ([(130, 640, "far"), (110, 640, "1."), (118, 640, "on")], "Open it\nWait\n1.onfar"),
    ],
    ids=["between lines", "far away", "to the right", "with words", "number", "in a line"],
)
def test_what_is_no_mark_of_an_item_stays(marks: list[tuple[int, int, str]], text: str) -> None:
    assert page_text(*ITEMS, *marks) == text
