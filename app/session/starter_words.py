"""What the words of a question tell of what it asks, from one file by kind and language. No Qt in here."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import chain

from engine.files.paths import resources

# Regular expressions by section, kind and language.
Words = dict[str, dict[str, dict[str, list[str]]]]

# The expressions of another kind of the section.
_NAMED = re.compile(r"<([a-z_]+)>")


@cache
def starter_words(section: str, *kinds: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    """Return what finds the words of any of the kinds, in any language. KeyError if there is no such kind."""
    return re.compile("|".join(_expression(section, kind) for kind in kinds), flags)


def plain_words(section: str, kind: str) -> dict[str, list[str]]:
    """Return the words of a kind by language, in a section of words and not of expressions."""
    return _words()[section][kind]


@cache
def _expression(section: str, kind: str) -> str:
    """Return the expressions of a kind as one, each `<name>` replaced by those of that kind."""
    expressions = chain.from_iterable(_words()[section][kind].values())
    return "(?:" + _NAMED.sub(lambda match: _expression(section, match[1]), "|".join(expressions)) + ")"


@cache
def _words() -> Words:
    with (resources() / "starter" / "words.toml").open("rb") as file:
        words: Words = tomllib.load(file)
    return words
