"""The lists of HTML pages: which numbers their items have, and in which form."""

from __future__ import annotations

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborNode

from engine.documents.pages.styles import Declarations, declarations
from engine.documents.text.roles import ItemList, ListItem

_NUMBER = re.compile(r"\s*(-?\d{1,9})\b")
# Office's names of the forms of numbers, by the `type` of a list and by the `list-style-type` of CSS.
_TYPES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_STYLES = {
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman",
    "decimal": "decimal",
    "decimal-leading-zero": "decimalZero",
    "cjk-decimal": "decimal",
    "cjk-ideographic": "chineseCounting",
    "trad-chinese-informal": "chineseCounting",
    "simp-chinese-informal": "chineseCounting",
    "japanese-informal": "japaneseCounting",
    "hangul": "ganada",
    "katakana": "aiueo",
}


def numbered_items(node: LexborNode, attributes: Mapping[str, str], styles: Declarations) -> ItemList:
    """Return the role of a list `node` (<ol>), with its `attributes` and the declarations of its `styles`.

    A list whose own attribute "style" takes its numbers away has none. Style sheets often take them away to draw
    numbers of their own, which are not read: such lists are numbered here.
    """
    own_styles = declarations(attributes.get("style", ""))
    if "none" in _words_of_style(own_styles):
        return ItemList()
    form = _TYPES.get(attributes.get("type", ""), "decimal")
    for word in _words_of_style(styles):
        form = _STYLES.get(word, form)
    start = _number(attributes.get("start", ""))
    if "reversed" not in attributes:
        return ItemList(1 if start is None else start, form)
    if start is None:
        start = sum(child.tag == "li" for child in node.iter())
    return ItemList(start, form, step=-1)


def list_item(attributes: Mapping[str, str]) -> ListItem:
    """Return the role of an element <li>, from whose "value" its list goes on counting."""
    return ListItem(_number(attributes.get("value", "")))


def _words_of_style(styles: Declarations) -> list[str]:
    return [word for name in ("list-style", "list-style-type") for word in styles.get(name, "").split()]


def _number(text: str) -> int | None:
    """Return the number with which an attribute begins; None if there is none."""
    match = _NUMBER.match(text)
    return int(match[1]) if match is not None else None
