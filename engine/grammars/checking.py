"""Checks a finished answer against all of its schema, of which a grammar holds only a part."""

from __future__ import annotations

import json
from itertools import islice

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for
from referencing import Registry

# The most problems that are told, and the most characters of one.
_MOST, _LONGEST = 8, 300


def problems_of(schema: str, text: str) -> list[str]:
    """Return what is wrong with a JSON text by a schema, in sentences. Call it in a process with limits."""
    try:
        content = json.loads(schema)
        # The empty registry fetches nothing.
        check = validator_for(content, Draft202012Validator)(content, registry=Registry())
        found = islice(check.iter_errors(json.loads(text)), _MOST)
        return [f"{error.json_path}: {error.message}"[:_LONGEST] for error in found]
    # A schema may be none, name others that do not exist, or have patterns that Python does not know.
    except Exception as error:
        return [f"It cannot be checked: {' '.join(str(error).split())}"[:_LONGEST]]
