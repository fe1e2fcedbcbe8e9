"""The text of PDF files, page by page, with what was filled in, noted and linked on each."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import Encrypted, skipping_damage
from engine.files.safe_xml import safe_xml

# Bits of an annotation's flags and of a button's: neither is shown as a field.
_UNSEEN, _PUSHED = 1 << 1 | 1 << 5, 1 << 16
# Fields that name each other as the one around end there.
_DEEPEST = 32


def read_pdf(data: bytes, text: MarkedText) -> None:
    """Add each page: its text, then its fields, notes and links."""
    from pypdf import PdfReader

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%%EOF" not in data[-2048:]:
        # pypdf looks for the objects themselves where the end has no address of their table.
        data += b"\nstartxref\n0\n%%EOF\n"
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Encrypted
    has_fields = False
    for page in reader.pages:
        content, notes = "", list[Any]()
        with skipping_damage(text):
            content = page.extract_text()
            text.add(content)
            text.end_block()
            notes = list(page.get("/Annots") or ())
        for one in notes:
            with skipping_damage(text):
                note = one.get_object()
                has_fields |= note.get("/Subtype") == "/Widget"
                for line in _lines(note, content):
                    text.add(line)
                    text.end_block()
    if not has_fields and "datasets" in (forms := reader.xfa or {}):
        # What was filled in where Adobe's programs alone draw the form.
        for element in safe_xml(forms["datasets"]).iter():
            if element.text and element.text.strip() and not len(element):
                text.add(f"{element.tag}: {element.text.strip()}")
                text.end_block()


def _lines(note: Any, content: str) -> Iterator[str]:
    """Yield what an annotation of a page says, whose text is `content`."""
    kind, words = note.get("/Subtype"), str(note.get("/Contents") or "").strip()
    if int(note.get("/F", 0)) & _UNSEEN:
        return
    if kind == "/Widget":
        yield from _field(note)
    elif kind == "/Link":
        address = str((note.get("/A") or {}).get("/URI") or "")
        if address and address.removeprefix("mailto:") not in content:
            yield f"[Link: {address}]"
    elif words and kind != "/Popup":
        yield f"[Note: {words}]"


def _field(widget: Any) -> Iterator[str]:
    """Yield the name and the value of a field that is filled in, or of a box; both may be those of a field around."""
    names, found, field = list[str](), dict[str, Any](), widget
    while field is not None and len(names) < _DEEPEST:
        names += [str(field["/T"])] if "/T" in field else []
        found = {key: field[key] for key in ("/FT", "/V", "/Ff", "/TU") if key in field} | found
        field = parent.get_object() if (parent := field.get("/Parent")) is not None else None
    name = str(found.get("/TU") or ".".join(reversed(names)))
    value = found.get("/V")
    if found.get("/FT") == "/Btn":
        if not int(found.get("/Ff", 0)) & _PUSHED:
            state = str(widget.get("/AS", "/Off"))
            option = next((one for one in (widget.get("/AP") or {}).get("/N", {}) if one != "/Off"), state)
            shown = "" if option in ("/Yes", "/On", "/Off", "/1") else f": {option[1:]}"
            yield f"{'☐' if state == '/Off' else '☒'} {name}{shown}"
    elif value is not None and found.get("/FT") != "/Sig":
        words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if words.strip():
            yield f"{name}: {words}"
