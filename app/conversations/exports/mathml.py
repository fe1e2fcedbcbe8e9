"""Converts formulas to MathML, which browsers render without fetching anything and screen readers read out."""

from __future__ import annotations

import logging
import xml.etree.ElementTree as ET
from html import unescape

from app.text.formulas import Formula

log = logging.getLogger(__name__)

# A model wrote the formula, so only these elements and attributes of the converter's output go into the page: they are
# mathematics, without addresses and styles.
_ELEMENTS = frozenset((
    "math", "mrow", "mi", "mo", "mn", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup",
    "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose",
))  # fmt: skip
_ATTRIBUTES = frozenset((
    "accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence", "form",
    "height", "largeop", "linethickness", "lspace", "mathcolor", "mathsize", "mathvariant", "maxsize", "minsize",
    "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel", "separator", "stretchy",
    "symmetric", "voffset", "width", "xmlns",
))  # fmt: skip
# Number of children of these elements; browsers show an error for any other.
_PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}


def as_mathml(formula: Formula) -> str | None:
    """Return the formula as a `math` element; None if it is not LaTeX that can be set."""
    from latex2mathml.converter import convert_to_element

    try:
        math = convert_to_element(formula.latex, display="block" if formula.display else "inline")
    # A mistake in the formula can make the library raise any exception.
    except Exception as error:
        log.debug("a formula cannot be set: %s", type(error).__name__)
        return None
    for element in math.iter():
        # Resolve character references here: the library does it in the finished text, after these checks.
        element.text = unescape(element.text) if element.text else element.text
        # The library returns an unknown command as its name.
        if element.tag not in _ELEMENTS or (element.text or "").startswith("\\"):
            return None
        if len(element) != _PARTS.get(element.tag, len(element)):
            return None
        kept = {name: unescape(value) for name, value in element.attrib.items() if name in _ATTRIBUTES}
        element.attrib.clear()
        element.attrib.update(kept)
    math.set("title", formula.source)
    return ET.tostring(math, encoding="unicode")
