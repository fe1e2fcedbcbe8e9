"""The text of PDF files, page by page, with what was filled in, noted and linked on each.

PDFium reads them: it has the letters with their places, and draws pages, which shows what of them is seen.
"""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

from engine.documents.archives.attached_files import ReadInner
from engine.documents.pdf.scans import PageRecognition
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.parts import PAGE

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# Seconds of computing after which no page is recognized in a file for which nobody waits: all of it may take some more.
_RECOGNITION_S = 6


def read_pdf(data: bytes, text: MarkedText, read_inner: ReadInner) -> None:
    """Add each page: its text, then its fields, notes and links; and at the end the files that are attached.

    `read_inner` reads these. Raises `Encrypted` for a file with a password, and `pypdfium2.PdfiumError` for one that is
    damaged.
    """
    from engine.documents.pdf.annotations import Annotations
    from engine.documents.pdf.attachments import add_attached, add_form_data
    from engine.documents.pdf.file import open_pdf
    from engine.documents.pdf.page import text_of_page
    from engine.documents.pdf.pictures import note_page

    # A catalog with a list of layers, or one that is compressed.
    may_have_layers = b"/OCProperties" in data or b"/ObjStm" in data
    with open_pdf(data) as document:
        annotations = Annotations(document, data)
        is_watched = text.parts.stops_at < math.inf
        scans = _ScannedPages(text, math.inf if is_watched else _RECOGNITION_S)
        for number in text.wanted_parts(PAGE, [""] * len(document)):
            with skipping_damage(text), closing(document[number - 1]) as page:
                content = ""
                has_text = False
                with skipping_damage(text):
                    read = text_of_page(page, may_have_layers=may_have_layers)
                    content = read.text
                    text.left_out["hidden-text"] += read.hidden
                    text.left_out["unreadable-text"] += read.unreadable
                    has_text = bool(content.strip())
                    if has_text:
                        scans.say_failures()
                        text.add_blocks(content)
                    elif read.has_pictures:
                        has_text = scans.add(number, page)
                annotations.add_of(page, number, content, text)
                note_page(page, number, data, text, has_text=has_text)
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
        # How many pages have no text, and what is not said of them yet: a file of nothing else has no text.
        self._unread = 0
        self._failures: list[str] = []

    def add(self, number: int, page: PdfPage) -> bool:
        """Add the text of a page by its number; return whether it has any. Raises what PDFium raises for damage."""
        # Counted first: it may be damaged.
        self._unread += 1
        recognized = self._recognition.text_of(page)
        if not recognized.text:
            if recognized.has_failed:
                self._failures.append(f"[Page {number}, a picture that is not readable]")
            return False
        self._unread -= 1
        self.say_failures()
        self._text.recognized_pages += 1
        doubt = ""
        if recognized.is_uncertain:
            self._text.uncertain_pages += 1
            doubt = ", some of it uncertain"
        self._text.add_blocks(f"[Page {number}, recognized from a picture{doubt}]", recognized.text)
        return True

    def say_failures(self) -> None:
        """Add a line that names the pages before this one that cannot be read."""
        self._text.add_blocks(*self._failures)
        self._failures.clear()

    def finish(self) -> None:
        """Name and count the pages without text, if there is any other text."""
        if self._unread and not self._text.is_empty:
            self.say_failures()
            self._text.left_out["scanned-page"] += self._unread
