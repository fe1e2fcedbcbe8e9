"""Lists of HTML pages have the numbers that a browser shows."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ol type=a><li>x<li>y</ol>", "a. x\nb. y"),
        ("<ol type=I start=4><li>x<li>y</ol>", "IV. x\nV. y"),
        ("<ol style='list-style-type: lower-roman'><li>x<li>y</ol>", "i. x\nii. y"),
        ("<style>.c{list-style:upper-alpha inside}</style><ol class=c><li>x</ol>", "A. x"),
        ("<ol type=1 style='list-style:hangul'><li>x<li>y</ol>", "가. x\n나. y"),
        ("<ol><li value=5>x<li>y<li value='9'>z</ol>", "5. x\n6. y\n9. z"),
        ("<ol start=0><li>x<li>y</ol>", "0. x\n1. y"),
        ("<ol start=-1 type=a><li>x<li>y<li>z</ol>", "-1. x\n0. y\na. z"),
        ("<ol reversed><li>x<li>y<li>z</ol>", "3. x\n2. y\n1. z"),
        ("<ol reversed start=10><li>x<li>y</ol>", "10. x\n9. y"),
        ("<ol type=a><li>x<ol type=i><li>in<li>in</ol><li>y</ol>", "a. x\n   i. in\n   ii. in\nb. y"),
        ("<ol style='list-style:none'><li>(a) x<li>(b) y</ol>", "- (a) x\n- (b) y"),
        ("<style>ol{list-style:none}</style><ol><li>x<li>y</ol>", "1. x\n2. y"),
        ("<ol start=x type=z><li value=>x</ol>", "1. x"),
        ("<ul><li value=5>x</ul>", "- x"),
        ("<li value=5>x", "x"),
    ],
)
def test_items_have_the_numbers_that_are_shown(page: str, text: str) -> None:
    assert document_text("a.html", page.encode(), 2**20).text == text
