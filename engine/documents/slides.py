"""The text of PPTX files: each slide that is shown, with its notes."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import ZippedParts, below, child, value

_SHAPES = frozenset(("sp", "tbl"))
_LEFT_OUT = frozenset(("Fallback",))
_TITLES = ("title", "ctrTitle")
# What a master repeats on every slide.
_REPEATED = ("sldNum", "dt", "ftr", "hdr", "sldImg")


def read_slides(parts: ZippedParts, text: MarkedText) -> None:
    related = parts.related(parts.main)
    for number, entry in enumerate(parts.xml(parts.main).iter("sldId"), 1):
        name = related[entry.get("id", "")]
        slide = parts.xml(name)
        if slide.get("show") in ("0", "false"):
            continue
        shapes = list(below(slide, _SHAPES, _LEFT_OUT))
        title = next((_words(shape) for shape in shapes if _place(shape) in _TITLES), "")
        text.heading(2, f"{number}. {title}")
        for shape in shapes:
            if shape.tag == "tbl":
                text.table([[_cell(cell) for cell in row.iter("tc")] for row in shape.iter("tr")])
            elif _place(shape) not in (*_TITLES, *_REPEATED):
                _add_paragraphs(shape, text)
        if (notes := parts.related(name).get("notesSlide")) is not None:
            said = [_words(shape) for shape in below(parts.xml(notes), _SHAPES) if _place(shape) == "body"]
            if any(said):
                text.paragraph("Notes: " + "\n".join(said))


def _add_paragraphs(shape: Element, text: MarkedText) -> None:
    """Add what a shape says: several paragraphs, or those of a place for text, are a list."""
    paragraphs = [(int(value(one, "pPr", name="lvl") or "0"), _line(one)) for one in shape.iter("p")]
    filled = [one for one in paragraphs if one[1].strip()]
    for depth, line in filled:
        if len(filled) > 1:
            text.item(depth, "-", line)
        else:
            text.paragraph(line)


def _place(shape: Element) -> str:
    """Return the kind of the place on the master that a shape fills; "" for a free one."""
    found = child(shape, "nvSpPr", "nvPr", "ph")
    return found.get("type", "obj") if found is not None else ""


def _cell(cell: Element) -> str:
    return "" if "1" in (cell.get("hMerge"), cell.get("vMerge")) else _words(cell)


def _words(element: Element) -> str:
    return "\n".join(filter(None, map(_line, element.iter("p")))).strip()


def _line(paragraph: Element) -> str:
    return "".join("\n" if one.tag == "br" else one.text or "" for one in paragraph.iter() if one.tag in ("t", "br"))
