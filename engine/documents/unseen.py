"""Text that nobody sees: in the colour of what is behind it, or too small to be read."""

from __future__ import annotations

import re
from typing import NamedTuple

WHITE = "ffffff"
BLACK = "000000"
# A colour that is not known, and one that a program chooses so that it is seen.
UNKNOWN = ""
# Letters below this many points are specks of dust on a page.
_SMALLEST = 2
# How much each of red, green and blue may differ in two colours that look the same; each has 256 steps.
_SAME = 6
_COLOUR = re.compile(r"[0-9a-f]{6}")


class Look(NamedTuple):
    """How letters look, as far as it is known.

    Colours are "rrggbb" in small letters, or `UNKNOWN`; without `points`, the size is not known.
    """

    colour: str = UNKNOWN
    background: str = UNKNOWN
    points: float | None = None


def nobody_sees(look: Look) -> bool:
    """Return whether letters are plainly invisible; what is not known is taken for visible."""
    if look.points is not None and look.points < _SMALLEST:
        return True
    return bool(look.colour and look.background) and _is_same(look.colour, look.background)


def colour_of(text: str | None) -> str:
    """Return a colour that is written as "RRGGBB" or "#RRGGBB"; `UNKNOWN` for all others."""
    colour = (text or "").strip().lower().removeprefix("#")
    return colour if _COLOUR.fullmatch(colour) else UNKNOWN


def _is_same(first: str, second: str) -> bool:
    """Return whether two known colours look the same."""
    parts = zip(bytes.fromhex(first), bytes.fromhex(second), strict=True)
    return all(abs(share - other) <= _SAME for share, other in parts)
