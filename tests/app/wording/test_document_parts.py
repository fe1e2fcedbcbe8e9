"""The words for the pages, slides, sheets and chapters that are read of a document: a single one is no span."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale

from app.wording.document_parts import ask_words, extent_words
from engine.documents.text.parts import CHAPTER, PAGE, SHEET, SLIDE, Extent

SHEETS = ("Costs", "Sales", "Staff")


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Lists of names follow the language."""
    before = QLocale()
    QLocale.setDefault(QLocale("en"))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        (Extent(PAGE, 9, (2,)), "page 2 of 9"),
        (Extent(PAGE, 9, (2, 3)), "pages 2 to 3 of 9"),
        (Extent(SLIDE, 9, (2,)), "slide 2 of 9"),
        (Extent(SLIDE, 9, (2, 3)), "slides 2 to 3 of 9"),
        (Extent(SHEET, 3, (2, 3), names=SHEETS), "sheets of 3: Sales and Staff"),
        (Extent(CHAPTER, 3, (2,), names=SHEETS), "chapter 2 of 3"),
        (Extent(CHAPTER, 3, (2, 3), names=SHEETS), "chapters 2 to 3 of 3"),
        (Extent(CHAPTER, 3, (1, 3), names=SHEETS), "chapters of 3: Costs and Staff"),
    ],
)
def test_the_parts_that_are_read_are_said(extent: Extent, words: str) -> None:
    assert extent_words(extent) == [words]


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        (Extent(PAGE, 9, (1,)), "Ask about page 1 of talk"),
        (Extent(PAGE, 9, (1, 2)), "Ask about pages 1 to 2 of talk"),
        (Extent(SLIDE, 9, (1,)), "Ask about slide 1 of talk"),
        (Extent(SLIDE, 9, (1, 2)), "Ask about slides 1 to 2 of talk"),
        (Extent(SHEET, 3, (1, 2), names=SHEETS), "Ask about Costs and Sales of talk"),
        (Extent(CHAPTER, 3, (1,), names=SHEETS), "Ask about chapter 1 of talk"),
        (Extent(CHAPTER, 3, (1, 2), names=SHEETS), "Ask about chapters 1 to 2 of talk"),
        (Extent(CHAPTER, 3, (1, 3), names=SHEETS), "Ask about the chapters Costs and Staff of talk"),
    ],
)
def test_the_action_that_shortens_a_file_names_what_stays(extent: Extent, words: str) -> None:
    assert ask_words(extent, "talk") == words
