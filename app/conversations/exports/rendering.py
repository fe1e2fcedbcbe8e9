"""Renders an answer's Markdown as HTML: formulas set, raw HTML as text, and no address that a browser follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.conversations.exports.mathml import as_mathml
from app.text.formulas import FIRST_SIGN, Formula, with_formulas, with_signs

_TASK = re.compile(r"\[([ xX])\] ")
_BOXES = {" ": "☐", "x": "☑", "X": "☑"}


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
            parts.append(as_mathml(formulas[number]) or escape(formulas[number].source))
        else:
            parts.append(escape(sign))
    return "".join(parts)
