"""Calls of forms with tags whose texts contain tags, written as the models' templates write them."""

from __future__ import annotations

import random
import re
from typing import Any

from engine.call_forms.table import FORMS, call_form
from engine.call_forms.tagged_writing import TaggedCalls

TAGGED = [name for name, form in FORMS.items() if form.tags is not None]
LINES = [name for name, form in FORMS.items() if form.tags is not None and form.tags.lines]
PROPERTIES = {"path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "integer"}}
SCHEMA = {"type": "object", "properties": PROPERTIES, "required": ["path", "content"], "additionalProperties": False}
TOOLS: list[dict[str, Any]] = [{"type": "function", "function": {"name": "write_file", "parameters": SCHEMA}}]


def tags(form: str) -> TaggedCalls:
    write = call_form(form).write
    assert isinstance(write, TaggedCalls)
    return write


def call(form: str, name: str = "write_file", **arguments: str) -> str:
    """Return one call without the marks that calls share."""
    own, found = tags(form), ""
    for key, value in arguments.items():
        string = "false" if key == "mode" else "true"
        opening, closing = own.key.replace("STRING", string), own.line + own.closing
        found += opening.replace("NAME", key) + value + closing.replace("NAME", key) + own.after
    return own.begin.replace("NAME", name) + found + own.end


def answer(form: str, *calls: str) -> str:
    """Return an answer that is nothing but these calls."""
    own = tags(form)
    return own.start + own.between.join(calls) + own.stop


def file_of(form: str, content: str) -> str:
    """Return an answer that writes a file."""
    return answer(form, call(form, path="a.md", content=content))


def closing_tags(form: str) -> list[str]:
    """Return the tags that end an argument, a call and all calls, alone and together."""
    own = tags(form)
    closing, end, stop = own.closing.replace("NAME", "content"), own.end.strip(), own.stop.strip()
    return [closing, *end.split("\n"), stop, closing + own.after + own.end + own.stop, end + stop]


XML = {
    "Maven": "<plugin>\n  <configuration>\n    <parameter>a</parameter>\n  </configuration>\n</plugin>",
    "WSDL": '<wsdl:part name="p"/>\n<invoke name="f">\n</invoke>\n<function>f</function>\n</param>\n',
    "ROS": "<launch>\n  <parameter name='x'>1</parameter>\n  <param name='y' value='1'/>\n</launch>",
}


def texts_that_arrive(form: str) -> list[str]:
    """Return texts with tags of all forms in them of which nobody can doubt where they end."""
    found = ["", "LAST LINE", *XML.values()]
    for other in (form, *(one for one in TAGGED if one != form)):
        for tag in closing_tags(other):
            found += [f"A parameter block ends with {tag} here.\nLAST LINE", f"{tag}\nLAST LINE", f"First\n{tag}"]
        found += [f"Before\n{answer(other, call(other, 'f', a='1'))}{end}" for end in ("", "\n", "\nAfter")]
    return found


def random_text(form: str, draw: random.Random, length: int) -> str:
    """Return words and tags of this form, and a few of the others, in any order; none of them begin an argument."""
    own, parts = tags(form), ["x ", "Words.\n", "\n", "</", "<", "a\n", *closing_tags(form)]
    parts += [own.begin.replace("NAME", name) for name in ("f", "write_file")] + [own.start, own.stop]
    parts += [own.key.replace("NAME", key).replace("STRING", "true") for key in ("a", "path")]
    parts += [answer(form, call(form, "f", a="1")), draw.choice(closing_tags(draw.choice(TAGGED)))]
    found = ""
    while len(found) < length:
        found += draw.choice(parts)
    closing, opening = (
        re.escape(one.replace("NAME", "content")) for one in (own.closing, own.key.partition("NAME")[0])
    )
    return re.sub(rf"({closing}\s*)(?={opening}a\b)", r"\1x", found)
