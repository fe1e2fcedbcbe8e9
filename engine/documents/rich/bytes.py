"""The bytes that RTF files have as they are, such as a picture's: a control word says how many follow it."""

from __future__ import annotations

import re

from engine.documents.text.marked_text import MarkedText
from engine.documents.text.xml_values import integer

# All up to the next bytes, and how many they are.
_UP_TO_BYTES = re.compile(rb"(?s)(?:[^\\]|\\(?!bin\d).)*+\\bin(\d+) ?")
# By the grammar of RTF, their group ends after them.
_END_OF_GROUP = re.compile(rb"[\r\n ]*\}")


def without_bytes(data: bytes, text: MarkedText) -> bytes:
    """Return an RTF file in which no bytes follow `\\binN`.

    Where no group ends after N bytes, N is wrong, and may be by far: a damaged part is counted in `text`, and what
    follows is taken for RTF, so that nothing is lost.
    """
    parts: list[bytes] = []
    place = 0
    while match := _UP_TO_BYTES.match(data, place):
        parts.append(match[0])
        place = match.end() + integer(match[1].decode(), len(data))
        if not _END_OF_GROUP.match(data, place):
            text.left_out["damaged-part"] += 1
            place = match.end()
    return b"".join([*parts, data[place:]])
