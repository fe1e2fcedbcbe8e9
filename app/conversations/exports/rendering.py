"""Renders an answer's Markdown as HTML: formulas set, raw HTML as text, and no address that a browser follows."""

from __future__ import annotations

import logging
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from html import escape, unescape
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.text.code_spans import ROLES, language_of, spans
from app.text.formulas import Formula, settable
from app.text.markdown import PARSER, parse

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


def mathml(formula: Formula) -> str:
    """Return the HTML of a formula: as MathML, or its source where it cannot be set."""
    return _as_mathml(formula) or escape(formula.source)


def latex(formula: Formula) -> str:
    """Return the HTML of a formula for programs without MathML."""
    return escape(formula.latex)


def as_html(markdown: str, formula: Callable[[Formula], str] = mathml) -> str:
    """Return the body of an answer, escaped. `formula` returns the HTML of each formula."""
    page = _Renderer().render(parse(markdown), PARSER.options, {"formula": formula})
    return page.strip()


def code_styles(colour: Callable[[str], str]) -> str:
    """Return the styles of coloured code, by the names of its colours."""
    names = "\n".join(f".code-{role} {{ color: {colour(role)}; }}" for role in ROLES)
    return f"{names}\n.code-text {{ font-weight: 600; }}"


class _Renderer(RendererHTML):
    """Renders tokens that the library renders otherwise, or not at all. Links are their words, followed by the address.

    `env["formula"]` returns the HTML of a formula. Called by the library for each token of the type that names the
    method; each returns HTML.
    """

    def list_item_open(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        checked = tokens[index].meta.get("checked")
        if checked is None:
            return "<li>"
        return "<li>☑ " if checked else "<li>☐ "

    def alert_open(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return f'<blockquote class="{tokens[index].attrs["class"]}">\n'

    def alert_close(self, *_: Any) -> str:
        return "</blockquote>\n"

    def table_open(self, *_: Any) -> str:
        return '<table dir="auto">\n'

    def footnote_ref(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return f"<sup>{escape(tokens[index].content)}</sup>"

    def footnote_reference_open(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return f'<div class="note-below"><sup>{escape(tokens[index].meta["label"])}</sup>\n'

    def footnote_reference_close(self, *_: Any) -> str:
        return "</div>\n"

    def formula(self, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
        formula: Formula = tokens[index].meta["formula"]
        return str(env["formula"](formula))

    def code_inline(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return f"<code>{escape(tokens[index].content)}</code>"

    def fence(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        text = tokens[index].content
        named = (tokens[index].info.split() or [""])[0]
        pieces = list[str]()
        at = 0
        for start, length, role, _bold in spans(text, language_of(text, named)):
            words = text[at:start]
            at = start + length
            pieces.append(f'{escape(words)}<span class="code-{role}">{escape(text[start:at])}</span>')
        return f"<pre><code>{''.join(pieces)}{escape(text[at:])}</code></pre>\n"

    def code_block(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return self.fence(tokens, index)

    def link_open(self, *_: Any) -> str:
        return ""

    def link_close(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        start = next(at for at in range(index - 1, -1, -1) if tokens[at].type == "link_open")
        words = "".join(token.content for token in tokens[start:index])
        return _address(str(tokens[start].attrs.get("href", "")), words)

    def image(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        token = tokens[index]
        words = "".join(child.content for child in token.children or [])
        return escape(words) + _address(str(token.attrs.get("src", "")), words)


def _address(address: str, words: str) -> str:
    """Return the address for readers, escaped, in brackets; "" if the `words` of the link are the address."""
    if address.removeprefix("mailto:") == words or address == f"http://{words}":
        return ""
    return f' <span class="address">({escape(address)})</span>'


def _as_mathml(formula: Formula) -> str | None:
    """Return the formula as a `math` element, which screen readers read out; None if it cannot be set."""
    from latex2mathml.converter import convert_to_element

    try:
        math = convert_to_element(settable(formula.latex), display="block" if formula.display else "inline")
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
        attributes = {name: unescape(value) for name, value in element.attrib.items() if name in _ATTRIBUTES}
        element.attrib.clear()
        element.attrib.update(attributes)
    math.set("title", formula.source)
    return ET.tostring(math, encoding="unicode")
