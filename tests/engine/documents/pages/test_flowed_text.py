"""Lines that go on are joined as RFC 3676 says."""

from __future__ import annotations

import pytest

from engine.documents.pages.flowed_text import joined_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a line that \ngoes on\nand one that does not", "a line that goes on\nand one that does not"),
        ("one \ntwo \nthree", "one two three"),
        # An empty line ends a paragraph.
        ("one \n\ntwo", "one\n\ntwo"),
        # Stuffing: one space before the words is none of theirs.
        (" From me\n >no quotation\n   deep", "From me\n>no quotation\n  deep"),
        (" \na", "\na"),
        # Quotations of one depth go on, of another one do not.
        ("> one \n> two\n>> three \n> four", "> one two\n> > three\n> four"),
        (">one \n>two\nthree", "> one two\nthree"),
        ("> one \ntwo", "> one\ntwo"),
        # A signature begins a line, and its mark does not go on.
        ("bye \n-- \nAnn", "bye\n--\nAnn"),
        ("> bye \n> -- \n> Ann", "> bye\n> --\n> Ann"),
        ("the last ", "the last"),
        ("", ""),
    ],
)
def test_lines_that_go_on_are_joined(text: str, expected: str) -> None:
    assert joined_lines(text, deletes_spaces=False) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2 \n00 EUR", "1,200 EUR"),
        ("two  \nwords", "two words"),
        ("午後三時から \n五時まで", "午後三時から五時まで"),
        ("> 1,2 \n> 00", "> 1,200"),
        ("-- \nAnn", "--\nAnn"),
    ],
)
def test_the_space_at_which_a_line_was_broken_may_be_none_of_the_text(text: str, expected: str) -> None:
    assert joined_lines(text, deletes_spaces=True) == expected
