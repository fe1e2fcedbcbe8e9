"""Renders an answer's Markdown as HTML: formulas set, raw HTML as text, and no address that a browser follows."""

from __future__ import annotations

import logging
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from html import escape, unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.text.formulas import FIRST_SIGN, Formula, with_formulas, with_signs

log = logging.getLogger(__name__)

_TASK = re.compile(r"\[([ xX])\] ")
_BOXES = {" ": "☐", "x": "☑", "X": "☑"}
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


def as_html(markdown: str, as_latex: bool = False) -> str:
    """Return the body of an answer, with formulas as MathML or, for programs without MathML, as LaTeX.

    Everything but the markup of Markdown is escaped.
    """
    marked, formulas = with_signs(markdown)
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"])
    page: str = parser.render(marked, {"formulas": formulas, "as_latex": as_latex})
    return page.strip()


class _Renderer(RendererHTML):
    """Writes links and pictures as their words, followed by the address."""

    def text(self, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
        words = tokens[index].content
        if index == 0 and (box := _TASK.match(words)):
            words = f"{_BOXES[box[1]]} {words[box.end() :]}"
        if env["as_latex"]:
            return escape(with_formulas(words, env["formulas"], lambda formula: formula.latex))
        return _with_math(words, env["formulas"])

    def code_inline(self, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
        return f"<code>{escape(with_formulas(tokens[index].content, env['formulas']))}</code>"

    def fence(self, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
        return f"<pre><code>{escape(with_formulas(tokens[index].content, env['formulas']))}</code></pre>\n"

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return self.fence(tokens, index, options, env)

    def link_open(self, *_: Any) -> str:
        return ""

    def link_close(self, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
        start = next(at for at in range(index - 1, -1, -1) if tokens[at].type == "link_open")
        words = "".join(token.content for token in tokens[start:index])
        return _address(str(tokens[start].attrs.get("href", "")), words, env["formulas"])

    def image(self, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
        token = tokens[index]
        words = with_formulas(token.content, env["formulas"])
        return escape(words) + _address(str(token.attrs.get("src", "")), words, env["formulas"])


def _address(address: str, words: str, formulas: list[Formula]) -> str:
    shown = with_formulas(address, formulas)
    return "" if shown in (words, f"mailto:{words}") else f' <span class="address">({escape(shown)})</span>'


def _with_math(text: str, formulas: list[Formula]) -> str:
    """Escape text and replace the signs of formulas by MathML, or by their source where that is not possible."""
    parts = []
    for sign in text:
        number = ord(sign) - FIRST_SIGN
        if 0 <= number < len(formulas):
            parts.append(_as_mathml(formulas[number]) or escape(formulas[number].source))
        else:
            parts.append(escape(sign))
    return "".join(parts)


def _as_mathml(formula: Formula) -> str | None:
    """Return the formula as a `math` element, which screen readers read out; None if it cannot be set."""
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
