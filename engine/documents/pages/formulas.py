"""The formulas of HTML pages: those that are read, and what programs draw in addition to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from engine.documents.text.equations import latex_of
from engine.files.safe_xml import safe_xml

# The type of scripts that are formulas.
_FORMULA = "math/tex"
# What XML has to declare.
_NO_XML = re.compile(r"""&nbsp;|\s(?!xml)\w+:[\w-]+="[^"]*\"""")


class _DrawnFormula(NamedTuple):
    """How a program draws a formula that the page also has in words, beside what is drawn."""

    written_by: str
    # An attribute of what is drawn, and how its value begins.
    attribute: str
    value: str
    is_beside_formula: Callable[[LexborNode], bool]


def is_drawn_formula(node: LexborNode, attributes: Mapping[str, str]) -> bool:
    """Return whether an element only draws a formula that is read, as in `_DRAWN_FORMULAS`."""
    drawings = (
        drawing for drawing in _DRAWN_FORMULAS if attributes.get(drawing.attribute, "").startswith(drawing.value)
    )
    return any(drawing.is_beside_formula(node) for drawing in drawings)


def has_formula(node: LexborNode) -> bool:
    """Return whether an element has a formula in words, which is drawn beside it without any."""
    return node.tag == "math" or node.css_first("math") is not None


def formula_of_math(node: LexborNode) -> str:
    """Return the formula of an element `math` as LaTeX. Raises what parsers of XML do for one that is damaged."""
    return latex_of(safe_xml(_NO_XML.sub(" ", str(node.html))))


def formula_of_script(node: LexborNode, kind: str) -> str:
    """Return the formula in a script for MathJax, of the type `kind`, as LaTeX; "" for another script."""
    formula = " ".join(node.text().split()) if kind.startswith(_FORMULA) else ""
    sign = "$$" if "mode=display" in kind else "$"
    return f"{sign}{formula}{sign}" if formula else ""


def _is_beside_math(node: LexborNode) -> bool:
    neighbours = (neighbour for neighbour in (node.prev, node.next) if neighbour is not None)
    return any(
        neighbour.tag == "math" or (neighbour.child is not None and neighbour.child.tag == "math")
        for neighbour in neighbours
    )


def _is_before_script(node: LexborNode) -> bool:
    script = node.next
    return script is not None and script.tag == "script" and (script.attributes.get("type") or "").startswith(_FORMULA)


_DRAWN_FORMULAS = (
    _DrawnFormula("KaTeX; MathJax 3", "aria-hidden", "true", _is_beside_math),
    _DrawnFormula("MathJax 2", "class", "MathJax", _is_before_script),
)
