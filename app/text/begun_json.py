"""Recognises JSON that was cut off, as in an unfinished answer."""

from __future__ import annotations

import json
import re

# These errors are reported at the beginning of a string, not where it is cut off.
_IN_STRING = ("Unterminated string", "Invalid \\")
# The rest of a literal or a number that is cut off.
_CUT_LITERAL = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|[-+.eE0-9]*")


def is_begun_json(text: str) -> bool:
    """Return whether the text is an object or a list without its end."""
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
