"""The text of PDF files, page by page, with what was filled in, noted and linked on each."""

from __future__ import annotations

import logging
import re
from io import BytesIO
from typing import Any

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import Encrypted, skipping_damage
from engine.files.safe_xml import safe_xml

# Bits of an annotation's flags and of a button's: neither is shown as a field.
_UNSEEN = 1 << 1 | 1 << 5
_PUSHED = 1 << 16
# Characters of private use: some fonts map ligatures to them. Those of symbol fonts are kept, or are usual bullets.
_PRIVATE = re.compile("[\ue000-\uefff\uf100-\uf8ff]")
_SYMBOLS = str.maketrans("\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0e0", "•▪➢✓❖→")


def read_pdf(data: bytes, text: MarkedText) -> None:
    """Add each page: its text, then its fields, notes and links."""
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
    scanned = 0
    for page in reader.pages:
        content = ""
        notes = list[Any]()
        with skipping_damage(text):
            text.left_out += pages.prepare(page)
            content = _with_known_letters(page.extract_text(), text)
            text.add_blocks(content)
            notes = list(page.get("/Annots") or ())
            if not content.strip() and page.images:
                scanned += 1
        for one in notes:
            with skipping_damage(text):
                note = one.get_object()
                said = _said(note, content)
                if said and pages.hide(note):
                    text.left_out["hidden-text"] += 1
                else:
                    text.add_blocks(said)
    with skipping_damage(text):
        # What was filled in where Adobe's programs alone draw the form.
        filled = {} if reader.get_fields() else reader.xfa or {}
        for element in safe_xml(filled.get("datasets", b"<none/>")).iter():
            if element.text and element.text.strip() and not len(element):
                text.add_blocks(f"{element.tag}: {element.text.strip()}")
    # A file of nothing else has no text.
    if scanned and str(text):
        text.left_out["scanned-page"] += scanned


def _with_known_letters(content: str, text: MarkedText) -> str:
    """Return a page's text, in which U+FFFD stands for each character that only its font knows; count these."""
    replaced, count = _PRIVATE.subn("\ufffd", content.translate(_SYMBOLS))
    text.left_out["unreadable-text"] += count
    return replaced


def _said(note: Any, content: str) -> str:
    """Return what an annotation says that its page, whose text is `content`, does not; "" if nothing."""
    kind = note.get("/Subtype")
    words = str(note.get("/Contents") or "").strip()
    if int(note.get("/F", 0)) & _UNSEEN:
        return ""
    if kind == "/Widget":
        return _field(note)
    if kind == "/Link":
        address = str((note.get("/A") or {}).get("/URI") or "")
        is_said = not content.strip() or address.removeprefix("mailto:") in content
        return "" if is_said else f"[Link: {address}]"
    return f"[Note: {words}]" if words and kind != "/Popup" else ""


def _field(widget: Any) -> str:
    """Return the name and the value of a field that is filled in, or of a box; both may be those of a field around."""
    kind, value, title = map(widget.get_inherited, ("/FT", "/V", "/TU"))
    name = title or _name(widget)
    if kind == "/Btn":
        state = widget.get("/AS", "/Off")
        forms = widget["/AP"]["/N"] if "/AP" in widget else ()
        option = next((one for one in forms if one != "/Off"), state)
        shown = "" if option in ("/Yes", "/On", "/Off", "/1") else f": {option[1:]}"
        is_box = not int(widget.get_inherited("/Ff", 0)) & _PUSHED
        return f"{'☐' if state == '/Off' else '☒'} {name}{shown}" if is_box else ""
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return f"{name}: {words}" if words.strip() and kind != "/Sig" else ""


def _name(field: Any) -> str:
    around = _name(field["/Parent"]) if "/Parent" in field else ""
    return f"{around}.{field['/T']}".lstrip(".") if "/T" in field else around
