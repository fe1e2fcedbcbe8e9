"""Whether a text is the beginning of JSON: an answer in that form that was cut off."""

from __future__ import annotations

import json
import re

# Where a string is cut off, the error is said to be at its beginning.
_IN_STRING = ("Unterminated string", "Invalid \\")
# What is left of a literal or a number that is cut off.
_CUT_LITERAL = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|[-+.eE0-9]*")


def is_begun_json(text: str) -> bool:
    """Whether an object or a list begins the text and lacks its end."""
    text = text.strip()
    if text[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith(_IN_STRING) or _CUT_LITERAL.fullmatch(text[error.pos :]) is not None
    except RecursionError:
        return False
    return False
