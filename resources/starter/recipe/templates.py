"""Templates: `{a|b|}` draws one alternative, `<name>` is a slot, `[이/가]` a particle that fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

_SLOT = re.compile(r"<([a-z_]+)>")
_PARTICLE = re.compile(r"(?P<before>.)(?P<quote>[\"'”’」』)]*)\[(?P<closed>[^\s/\[\]]+)/(?P<open>[^\s/\[\]]+)\]")
# Digits whose Korean reading ends in a consonant (영 일 삼 육 칠 팔), and Latin letters that usually do.
_CLOSED_CHARACTERS = frozenset("013678lmnrbpkLMNRBPK")
_ENDS_IN_RIEUL = frozenset("178lrLR")


def draw(template: str, rng: random.Random) -> str:
    """One text of `template`, all alternatives of a group equally likely. ValueError for a stray brace."""
    text, rest = _draw_until_close(template, rng, top=True)
    if rest:
        raise ValueError(f"unbalanced braces in {template!r}")
    return text


def _draw_until_close(template: str, rng: random.Random, *, top: bool) -> tuple[str, str]:
    alternatives = [""]
    while template:
        character, template = template[0], template[1:]
        if character == "{":
            inner, template = _draw_until_close(template, rng, top=False)
            alternatives[-1] += inner
        elif character == "}" and not top:
            return rng.choice(alternatives), template
        elif character == "|" and not top:
            alternatives.append("")
        elif character == "}":
            raise ValueError("a closing brace without an opening one")
        else:
            alternatives[-1] += character
    if not top:
        raise ValueError("an opening brace without a closing one")
    return alternatives[0], ""


def fill(template: str, slots: Mapping[str, object]) -> str:
    """`template` with its slots filled and its Korean particles chosen. KeyError for an unknown slot."""
    return _PARTICLE.sub(_particle, _SLOT.sub(lambda match: str(slots[match[1]]), template))


def _particle(match: re.Match[str]) -> str:
    before, closed, opened = match["before"], match["closed"], match["open"]
    if "가" <= before <= "힣":
        final = (ord(before) - ord("가")) % 28
        is_closed, is_rieul = final != 0, final == 8
    else:
        is_closed, is_rieul = before in _CLOSED_CHARACTERS, before in _ENDS_IN_RIEUL
    if closed == "으로" and is_rieul:
        is_closed = False
    return before + match["quote"] + (closed if is_closed else opened)


def normalised(text: str) -> str:
    """`text` without case, spaces and punctuation: what two wordings are compared by."""
    return "".join(character for character in text.casefold() if character.isalnum())
