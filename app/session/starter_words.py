"""What the words of a question tell of what it asks, from one file by kind and language. No Qt in here."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import chain

from engine.files.paths import resources

# Regular expressions by section, kind and language.
Words = dict[str, dict[str, dict[str, list[str]]]]


@cache
def starter_words(section: str, kind: str) -> re.Pattern[str]:
    """Return what finds the words of a kind, in any language and whatever their case. KeyError if there is none."""
    expressions = chain.from_iterable(_words()[section][kind].values())
    return re.compile("|".join(f"(?:{expression})" for expression in expressions), re.IGNORECASE)


@cache
def _words() -> Words:
    with (resources() / "starter" / "words.toml").open("rb") as file:
        words: Words = tomllib.load(file)
    return words
