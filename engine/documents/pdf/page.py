"""The text of a page of a PDF file, as a person sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.documents.pdf.doubles import without_doubles
from engine.documents.pdf.lines import pieces_of
from engine.documents.pdf.marks import MarkedContents, with_named_text
from engine.documents.pdf.objects import PageObjects, objects_of
from engine.documents.pdf.seen import seen_words
from engine.documents.pdf.strikes import with_struck_words
from engine.documents.pdf.structure import structure_of
from engine.documents.pdf.tables import text_of
from engine.documents.pdf.words import SOFT_HYPHEN, UNREADABLE, PageText, PageWord

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# Characters of private use: some fonts map ligatures to them. Those of symbol fonts are kept, or are usual bullets.
_PRIVATE = re.compile("[\ue000-\uefff\uf100-\uf8ff]")
_SYMBOLS = str.maketrans("\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0e0", "•▪➢✓❖→")
# Small capitals and old-style digits, to which Adobe's list of glyphs gives the codes of Latin-1 after U+F700.
_DRAWN_OTHERWISE = {0xF700 + code: chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0x100))}
_KNOWN_LETTERS: dict[int, int | str] = {**_SYMBOLS, **_DRAWN_OTHERWISE}
# Fewer points are no width.
_NOTHING = 0.01
# A passage of letters that are not known.
_UNREADABLE = re.compile(rf"{UNREADABLE}[{UNREADABLE}\s]*")
# Longer words are looked at in part, since some scripts have none between spaces.
_WITH_HYPHEN = re.compile(r"\b\w{1,60}-\w{1,60}")
# A soft hyphen or one at the end of a line, the letters before and after it, and the end of the line.
_SOFT_HYPHEN = re.compile(f"(\\w{{0,60}}){SOFT_HYPHEN}(?: *(\n))?(?=(\\w{{0,60}}))")


class TextOfPage(NamedTuple):
    """The text of a page in Markdown, and how many passages are not in it: hidden ones, and unreadable ones."""

    text: str
    hidden: int
    unreadable: int
    has_pictures: bool


def text_of_page(page: PdfPage, *, may_have_layers: bool) -> TextOfPage:
    """Return the text of a page, whose file may have layers that are off.

    Raises `pypdfium2.PdfiumError` for a page that is damaged.
    """
    objects = objects_of(page, may_have_layers=may_have_layers)
    page_text = PageText(page)
    try:
        structure = structure_of(page, objects)
        marks = MarkedContents(structure)
        read = page_text.words()
        words = with_named_text(read, objects, marks)
        seen = seen_words(page, objects, words, marks)
        once = without_doubles(seen.words)
        struck = with_struck_words(once, objects.lines, page_text)
    finally:
        page_text.close()
    content = text_of(pieces_of(struck, structure.headings), [*objects.lines, *objects.sides])
    known = _PRIVATE.sub(UNREADABLE, content.translate(_KNOWN_LETTERS))
    unreadable = len(_UNREADABLE.findall(known)) + _count_without_letters(objects, read)
    if not any(letter.isalnum() for letter in known) and unreadable:
        known = ""
    text = _without_soft_hyphens(re.sub(f"{UNREADABLE}+", UNREADABLE, known))
    return TextOfPage(text, seen.hidden, unreadable, bool(objects.pictures))


def _count_without_letters(objects: PageObjects, words: Sequence[PageWord]) -> int:
    """Return how many texts PDFium has no letters of: they are written downwards in a font that it does not know."""
    owners = {word.look.owner for word in words}
    lost = (text.box for address, text in objects.texts.items() if address not in owners)
    return sum(box.width < _NOTHING < box.height for box in lost)


def _without_soft_hyphens(text: str) -> str:
    """Return a text in which the parts of words on two lines are one word, and the hyphens of others are kept.

    A word keeps its hyphen that has one within a line of the page, too ("fine-tuning"). Some fonts map the hyphen of
    numbers ("2030-2031") and of names ("Baden-Baden", "E-Mail") to the soft one, too.
    """
    if SOFT_HYPHEN not in text:
        return text
    with_hyphens = {word.lower() for word in _WITH_HYPHEN.findall(text)}

    def joined(hyphen: re.Match[str]) -> str:
        before, line_break, after = hyphen.groups("")
        if f"{before}-{after}".lower() in with_hyphens:
            return f"{before}-"
        is_beside_letters = before[-1:].isalpha() and after[:1].isalpha()
        is_before_name = after[:1].isupper() and not (before[-1:] + after[:2]).isupper()
        return before if is_beside_letters and not is_before_name else f"{before}-{line_break}"

    return _SOFT_HYPHEN.sub(joined, text)
