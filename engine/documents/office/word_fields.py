"""Fields of DOCX files, by their codes, and signs by theirs."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from engine.documents.text.roles import Link, Role, Through
from engine.documents.text.xml_values import integer, is_on, value

# The code of a sign.
_CODE = re.compile("[0-9A-Fa-f]{1,4}")
# The address in the code of a field that is a link.
_ADDRESS = re.compile(r'\s*HYPERLINK\s+"?([^\s"\\][^\s"]*)')


def sign_of(code: str) -> str:
    """Return the sign with a code of four hexadecimal digits; U+FFFD for what is no such code."""
    return chr(int(code, 16)) if _CODE.fullmatch(code) else "\ufffd"


def result_role(code: str) -> Role:
    """Return the role of the result of a field with a code."""
    address = _ADDRESS.match(code)
    return Link(address[1]) if address else Through()


def chosen_in(begin: Element) -> str:
    """Return what is ticked or chosen in a form; "" for another field."""
    for box in begin.iterfind("ffData/checkBox"):
        return "☒" if is_on(box, "checked", usual=is_on(box, "default")) else "☐"
    choices = [entry.get("val", "") for entry in begin.iter("listEntry")]
    chosen = integer(value(begin, "ffData/ddList/result"))
    return choices[chosen] if chosen < len(choices) else ""
