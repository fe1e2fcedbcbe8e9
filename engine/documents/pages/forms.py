"""The fields of HTML forms, and what shows a value as a bar: the words that stand for them."""

from __future__ import annotations

from collections.abc import Mapping

from selectolax.lexbor import LexborNode

from engine.documents.text.roles import ParagraphBlock, Role, Through
from engine.documents.text.xml_values import integer

# The types of fields whose values are not shown as words.
_VALUES_UNSEEN = ("color", "file", "hidden", "image", "password", "range")
# What a bar is full at if the page does not say so.
_USUAL_MOST = "1"


def meaning_of_field(node: LexborNode, attributes: Mapping[str, str]) -> Role | str | None:
    """Return the role of an `<input>`, `<option>`, `<progress>` or `<meter>`, or its words; None if it is not shown."""
    match node.tag:
        case "option":
            return _role_of_option(node, attributes)
        case "input":
            return _words_of_field(attributes) or Through()
    return _words_of_bar(node, attributes) or Through()


def _words_of_field(attributes: Mapping[str, str]) -> str:
    """Return whether a box (`<input>`) is ticked, or the text in or on a field; "" for none."""
    kind = attributes.get("type", "").lower()
    if kind in ("checkbox", "radio"):
        return "☒ " if "checked" in attributes else "☐ "
    value = attributes.get("value", "").strip()
    return f" {value} " if value and kind not in _VALUES_UNSEEN else ""


def _words_of_bar(node: LexborNode, attributes: Mapping[str, str]) -> str:
    """Return how far a `<progress>` or `<meter>` goes, as "70 of 100".

    It is "" for a `<progress>` without a value, and for one whose own words say it, which browsers show no more.
    """
    value = attributes.get("value", "").strip()
    if not value or node.text().strip():
        return ""
    return f" {value} of {attributes.get('max', '').strip() or _USUAL_MOST} "


def _role_of_option(option: LexborNode, attributes: Mapping[str, str]) -> Role | None:
    """Return the role of a choice that is shown as chosen; None for others. A closed list shows its first, if none is.

    Those of a list with several choices stand below each other.
    """
    select = option.parent
    while select is not None and select.tag == "optgroup":
        select = select.parent
    around = select.attributes if select is not None and select.tag == "select" else {}
    if "selected" in attributes:
        return ParagraphBlock() if "multiple" in around else Through()
    is_open = "multiple" in around or integer(around.get("size"), 1) > 1
    if select is None or is_open or select.css_first("option[selected]") is not None:
        return None
    first = select.css_first("option:not([disabled])")
    # Nodes that say the same are equal.
    return Through() if first is not None and first.mem_id == option.mem_id else None
