"""How letters look: how they are set, in which colours and how large; and whether anybody sees them."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.documents.text.letters import PLAIN, Letters

WHITE = "ffffff"
BLACK = "000000"
# A colour that is not known, and one that a program chooses so that it is seen.
UNKNOWN = ""
# A background without a colour: what is behind it is seen.
CLEAR = "transparent"
# Letters below this many points are specks of dust on a page.
_SMALLEST = 2
# How much each of red, green and blue may differ in two colours that look the same; each has 256 steps.
_SAME = 6
_COLOUR = re.compile(r"[0-9a-f]{6}")


class Look(NamedTuple):
    """How letters look, as far as it is known.

    Colours are "rrggbb" in small letters, or `UNKNOWN`; without `points`, the size is not known. `is_hidden` says that
    the file itself hides them.
    """

    letters: Letters = PLAIN
    colour: str = UNKNOWN
    background: str = UNKNOWN
    points: float | None = None
    is_hidden: bool = False

    @property
    def is_seen(self) -> bool:
        """Whether somebody may see the letters; what is not known is taken for visible."""
        if self.is_hidden or (self.points is not None and self.points < _SMALLEST):
            return False
        return not (self.colour and self.background and _is_same(self.colour, self.background))


class LookedRun(NamedTuple):
    """Words that all have the same look."""

    words: str
    look: Look


# How words look of which nothing is said.
PLAIN_LOOK = Look()


class LetterFormat(NamedTuple):
    """What a style, a paragraph or a run says about its letters, None for what it says nothing about.

    Colours are as in `Look`. A background may also be `CLEAR`, whatever colour the styles have that this one is
    based on.
    """

    # Above 0 for letters that are set above the line and smaller, below 0 for such below it; 0 for usual ones.
    height: float | None = None
    # How far above the line letters are set that keep their size, in points; only DOCX has it.
    lift: float | None = None
    struck: bool | None = None
    # Whether they have two lines through them, which no style takes back.
    struck_twice: bool | None = None
    # Whether they are not shown, or have no opacity.
    hidden: bool | None = None
    colour: str | None = None
    points: float | None = None
    # The colours of the backgrounds of the letters, the paragraph and the cell.
    behind: str | None = None
    behind_paragraph: str | None = None
    behind_cell: str | None = None
    # The name of the font.
    font: str | None = None

    def over(self, base: LetterFormat) -> LetterFormat:
        """Return what holds where this format is set on letters that have another one."""
        given = {name: said for name, said in self._asdict().items() if said is not None}
        return base._replace(**given) if given else base

    def look(self, around: str) -> Look:
        """Return how letters look on a page, or in a cell or a shape, of a colour."""
        height = self.height or 0
        return Look(
            letters=Letters(height > 0, bool(self.struck), height < 0),
            colour=self.colour or UNKNOWN,
            background=first_background(self.behind, self.behind_paragraph, around),
            points=self.points,
            is_hidden=bool(self.hidden),
        )


NO_FORMAT = LetterFormat()


def first_background(*colours: str | None) -> str:
    """Return the first of some backgrounds, the nearest first, that has a colour; `UNKNOWN` if none has."""
    return next((colour for colour in colours if colour is not None and colour != CLEAR), UNKNOWN)


def colour_of(text: str | None) -> str:
    """Return a colour that is written as "RRGGBB" or "#RRGGBB"; `UNKNOWN` for all others."""
    colour = (text or "").strip().lower().removeprefix("#")
    return colour if _COLOUR.fullmatch(colour) else UNKNOWN


def _is_same(first: str, second: str) -> bool:
    """Return whether two known colours look the same."""
    parts = zip(bytes.fromhex(first), bytes.fromhex(second), strict=True)
    return all(abs(share - other) <= _SAME for share, other in parts)
