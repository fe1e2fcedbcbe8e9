"""The text of PDF files, page by page, with what was filled in, noted and linked on each."""

from __future__ import annotations

import logging
import math
import re
from contextlib import closing
from io import BytesIO
from typing import TYPE_CHECKING, Any

from engine.documents.attached_files import ReadInner
from engine.documents.marked_text import MarkedText
from engine.documents.parts import PAGE
from engine.documents.pdf_annotations import Annotations
from engine.documents.pdf_attachments import add_attached, add_form_data
from engine.documents.pdf_file import open_pdf
from engine.documents.pdf_heights import MarkedHeights, with_marked_heights
from engine.documents.pdf_lines import LinesOfPage
from engine.documents.pdf_pictures import note_page
from engine.documents.pdf_struck_words import with_struck_words
from engine.documents.pdf_tables import with_tables
from engine.documents.scans import PageRecognition
from engine.documents.zipped_parts import Encrypted, skipping_damage

if TYPE_CHECKING:
    from pypdf import PageObject

    from engine.documents.pdf_rules import PageRules

# Seconds of computing after which no page is recognized in a file for which nobody waits: all of it may take some more.
_RECOGNITION_S = 6
# Characters of private use: some fonts map ligatures to them. Those of symbol fonts are kept, or are usual bullets.
_PRIVATE = re.compile("[\ue000-\uefff\uf100-\uf8ff]")
_SYMBOLS = str.maketrans("\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0e0", "•▪➢✓❖→")
# Characters that only say how letters are drawn: ligatures, and small capitals and old-style digits, to which Adobe's
# list of glyphs gives the codes of Latin-1 after U+F700.
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_DRAWN_OTHERWISE = {0xF700 + code: chr(code) for code in (*range(0x21, 0x7F), *range(0xA1, 0x100))}
_KNOWN_LETTERS: dict[int, int | str] = {**_SYMBOLS, **_LIGATURES, **_DRAWN_OTHERWISE}
# A soft hyphen, the letter before it, the end of a line, and the two letters that follow.
_SOFT_HYPHEN = re.compile("(?:(?<=(.)))?\u00ad(?: *(\n))?(?=(.?.?))")


def read_pdf(data: bytes, text: MarkedText, read_inner: ReadInner) -> None:
    """Add each page: its text, then its fields, notes and links; and at the end the files that are attached.

    `read_inner` reads these. Raises `Encrypted` for a file with a password.
    """
    from pypdf import PdfReader

    from engine.documents.pdf_page import ShownPages

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%%EOF" not in data[-2048:]:
        # pypdf looks for the objects themselves where the end has no address of their table.
        data += b"\nstartxref\n0\n%%EOF\n"
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Encrypted
    pages = ShownPages(reader)
    is_watched = text.parts.stops_at < math.inf
    scans = _ScannedPages(text, math.inf if is_watched else _RECOGNITION_S)
    with open_pdf(data) as document:
        annotations = Annotations(document, data)
        for number in text.wanted_parts(PAGE, [""] * len(reader.pages)):
            page = reader.pages[number - 1]
            content = ""
            with skipping_damage(text):
                prepared = pages.prepare(page)
                text.left_out.update(prepared.left_out)
                content = _with_known_letters(_text_of(page, prepared.rules), text)
                if content.strip():
                    scans.say_failures()
                text.add_blocks(content)
                if not content.strip() and page.images:
                    scans.add(number, page)
            with skipping_damage(text), closing(document[number - 1]) as shown_page:
                annotations.add_of(shown_page, number, content, text)
                note_page(shown_page, number, data, text, has_text=number not in scans.unread)
        add_form_data(document, text)
        add_attached(document, annotations.attached, text, read_inner)
    scans.finish()


class _ScannedPages:
    """Adds the text of a file's pages that are pictures to `text`, and says which of them are not readable.

    No page is begun after `most_s` seconds of computing.
    """

    def __init__(self, text: MarkedText, most_s: float) -> None:
        self._text = text
        self._recognition = PageRecognition(most_s)
        # The numbers of the pages without text.
        self.unread: set[int] = set()
        # The sentences on pages without text that are not said yet: a file of nothing else has no text.
        self._failures: list[str] = []

    def add(self, number: int, page: PageObject) -> None:
        """Add the text of a page by its number. Raises what Pillow and pypdf raise for damaged pictures."""
        # Counted first: it may be damaged.
        self.unread.add(number)
        recognized = self._recognition.text_of(page)
        if not recognized.text:
            if recognized.has_failed:
                self._failures.append(f"[Page {number}, a picture that is not readable]")
            return
        self.unread.remove(number)
        self.say_failures()
        self._text.recognized_pages += 1
        doubt = ""
        if recognized.is_uncertain:
            self._text.uncertain_pages += 1
            doubt = ", some of it uncertain"
        if recognized.has_failed:
            doubt += ", some of it not readable"
        self._text.add_blocks(f"[Page {number}, recognized from a picture{doubt}]", recognized.text)

    def say_failures(self) -> None:
        """Say which pages before this one are not readable."""
        self._text.add_blocks(*self._failures)
        self._failures.clear()

    def finish(self) -> None:
        """Say and count the pages without text, if there is any other text."""
        if self.unread and not self._text.is_empty:
            self.say_failures()
            self._text.left_out["scanned-page"] += len(self.unread)


def _text_of(page: PageObject, rules: PageRules | None) -> str:
    """Return the text of a page: its tables, struck words with marks, and raised and lowered digits with theirs.

    `rules` are the lines of the page that may be around cells.
    """
    return with_marked_heights(with_struck_words(_text_with_signs(page, rules)))


def _text_with_signs(page: PageObject, rules: PageRules | None) -> str:
    """Return the text of a page, with its tables, and with signs instead of marks."""
    heights = MarkedHeights()
    lines = LinesOfPage()

    def visit_operation(operator: bytes, operands: Any, page_matrix: Any, line_matrix: Any) -> None:
        heights.visit_operation(operator, operands)
        lines.visit(operator, operands, page_matrix, line_matrix)

    content = heights.marked(page.extract_text(visitor_text=heights.visit, visitor_operand_before=visit_operation))
    if not lines.may_have_table(content):
        return content
    try:
        layout = page.extract_text(extraction_mode="layout", layout_mode_space_vertically=False)
    except MemoryError:
        raise
    # Fonts may be damaged in ways that only this mode minds.
    except Exception:
        return content
    heights_of_lines = heights.heights_of_lines()
    lefts = {letters: lines.lefts_at(height) for letters, height in heights_of_lines.items()}
    return with_tables(content, layout, lefts, heights_of_lines, rules)


def _with_known_letters(content: str, text: MarkedText) -> str:
    """Return a page's text, in which U+FFFD stands for each character that only its font knows; count these.

    It has no ligatures and no soft hyphens.
    """
    replaced, count = _PRIVATE.subn("\ufffd", content.translate(_KNOWN_LETTERS))
    text.left_out["unreadable-text"] += count
    return _SOFT_HYPHEN.sub(_without_soft_hyphen, replaced)


def _without_soft_hyphen(hyphen: re.Match[str]) -> str:
    """Return what stands for a soft hyphen: nothing within a word or between its parts on two lines, else a hyphen.

    Some fonts map the hyphen of numbers ("2030-2031") and of names ("Baden-Baden", "E-Mail") to it, too.
    """
    before, line_break, after = hyphen.groups("")
    is_beside_letters = before.isalpha() and after[:1].isalpha()
    is_before_name = after[:1].isupper() and not (before + after).isupper()
    return "" if is_beside_letters and not is_before_name else f"-{line_break}"
