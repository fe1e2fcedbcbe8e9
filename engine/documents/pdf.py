"""The text of PDF files, page by page, with what was filled in, noted and linked on each."""

from __future__ import annotations

import logging
import math
import re
from contextlib import closing
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from engine.documents.attached_files import AttachedFiles, ReadInner
from engine.documents.marked_text import MarkedText
from engine.documents.parts import PAGE
from engine.documents.pdf_file import open_pdf
from engine.documents.pdf_heights import MarkedHeights, with_marked_heights
from engine.documents.pdf_lines import LinesOfPage
from engine.documents.pdf_pictures import note_page
from engine.documents.pdf_struck_words import with_struck_words
from engine.documents.pdf_tables import with_tables
from engine.documents.scans import PageRecognition
from engine.documents.zipped_parts import Encrypted, skipping_damage
from engine.files.safe_xml import safe_xml

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

    from engine.documents.pdf_page import ShownPages
    from engine.documents.pdf_rules import PageRules

# Bits of an annotation's flags: it is hidden, or not shown on a screen.
_UNSEEN = 1 << 1 | 1 << 5
# A bit of a button's flags: it is no box that is ticked.
_PUSHED = 1 << 16
# Seconds of computing after which no page is recognized in a file for which nobody waits: all of it may take some more.
_RECOGNITION_S = 6
# What boxes stand for that have no option of their own.
_PLAIN_OPTIONS = ("/Yes", "/On", "/Off", "/1")
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
    shown = open_pdf(data)
    for number in text.wanted_parts(PAGE, [""] * len(reader.pages)):
        page = reader.pages[number - 1]
        content = ""
        notes = list[Any]()
        with skipping_damage(text):
            prepared = pages.prepare(page)
            text.left_out.update(prepared.left_out)
            content = _with_known_letters(_text_of(page, prepared.rules), text)
            if content.strip():
                scans.say_failures()
            text.add_blocks(content)
            notes = list(page.get("/Annots") or ())
            if not content.strip() and page.images:
                scans.add(number, page)
        with skipping_damage(text), closing(shown[number - 1]) as shown_page:
            note_page(shown_page, number, data, text, has_text=number not in scans.unread)
        _add_notes(notes, content, pages, text)
    shown.close()
    _add_form_data(reader, text)
    _add_attached(reader, text, read_inner)
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


def _add_notes(notes: list[Any], content: str, pages: ShownPages, text: MarkedText) -> None:
    """Add what the annotations of a page say that its text, `content`, does not.

    One that is damaged is counted and skipped; `TextTooLong` goes on to the caller.
    """
    for reference in notes:
        with skipping_damage(text):
            note = reference.get_object()
            words = _note_text(note, content)
            if words and pages.is_hidden(note):
                text.left_out["hidden-text"] += 1
            else:
                # Empty words add no block.
                text.add_blocks(words)


def _add_attached(reader: PdfReader, text: MarkedText, read_inner: ReadInner) -> None:
    """Add the files that are attached to the whole file, and to its pages where these show a sign for each."""
    attached = AttachedFiles(text, read_inner)
    with skipping_damage(text):
        for file in reader.attachment_list:
            attached.add(file.alternative_name or file.name, partial(getattr, file, "content"))
    for page in reader.pages:
        with skipping_damage(text):
            for note in (reference.get_object() for reference in page.get("/Annots") or ()):
                if note.get("/Subtype") == "/FileAttachment":
                    file = note["/FS"].get_object()
                    attached.add(str(file.get("/UF") or file.get("/F")), file["/EF"]["/F"].get_data)


def _add_form_data(reader: PdfReader, text: MarkedText) -> None:
    """Add what was filled in where Adobe's programs alone draw the form (XFA)."""
    with skipping_damage(text):
        filled = {} if reader.get_fields() else reader.xfa or {}
        for element in safe_xml(filled.get("datasets", b"<none/>")).iter():
            if element.text and element.text.strip() and not len(element):
                text.add_blocks(f"{element.tag}: {element.text.strip()}")


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


def _note_text(note: Any, content: str) -> str:
    """Return what an annotation says that its page, whose text is `content`, does not; "" if nothing."""
    if int(note.get("/F", 0)) & _UNSEEN:
        return ""
    kind = note.get("/Subtype")
    if kind == "/Widget":
        return _field_text(note)
    if kind == "/Link":
        address = str((note.get("/A") or {}).get("/URI") or "")
        # A link within the file has no address, and "" is in any text. An address alone would make a scanned page count
        # as one with text.
        is_in_text = address.removeprefix("mailto:") in content
        return "" if is_in_text or not content.strip() else f"[Link: {address}]"
    words = str(note.get("/Contents") or "").strip()
    return f"[Note: {words}]" if words and kind != "/Popup" else ""


def _field_text(widget: Any) -> str:
    """Return the name and the value of a field that is filled in, or of a box; both may be those of a field around."""
    kind = widget.get_inherited("/FT")
    name = widget.get_inherited("/TU") or _full_name(widget)
    if kind == "/Btn":
        return _button_text(widget, name)
    value = widget.get_inherited("/V")
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return f"{name}: {words}" if words.strip() and kind != "/Sig" else ""


def _button_text(button: Any, name: str) -> str:
    """Return whether a box is ticked, and the option that it stands for; "" for a button to press."""
    if int(button.get_inherited("/Ff", 0)) & _PUSHED:
        return ""
    state = button.get("/AS", "/Off")
    looks = button["/AP"]["/N"] if "/AP" in button else ()
    option = next((look for look in looks if look != "/Off"), state)
    shown_option = "" if option in _PLAIN_OPTIONS else f": {option[1:]}"
    sign = "☐" if state == "/Off" else "☒"
    return f"{sign} {name}{shown_option}"


def _full_name(field: Any) -> str:
    """Return the name of a field after those of the fields around it, with points between."""
    around = _full_name(field["/Parent"]) if "/Parent" in field else ""
    return f"{around}.{field['/T']}".lstrip(".") if "/T" in field else around
