"""How RTF files set their letters: by control words, the table of colours and the sheet of styles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from engine.documents.text.letters import Letters
from engine.documents.text.looks import UNKNOWN, WHITE, Look

# The control words for letters, by what resets them; with the control words for paragraphs, as styles have both.
STRUCK = ("strike", "striked")
HEIGHTS = ("super", "sub", "up", "dn")
BEHIND_LETTERS = ("highlight", "chcbpat", "cb")
OF_LETTERS = ("v", "deleted", *HEIGHTS, "cf", "fs", "chshdng", *STRUCK, *BEHIND_LETTERS)
OF_PARAGRAPHS = ("cbpat", "shading")
# What colours cells; a new row has none of it.
OF_CELLS = ("clcbpat", "clcbpatraw", "clcfpat", "clshdng", "trcbpat")
# Shapes below the text, a page with a colour, and colours that depend on the window.
_COLOURED_PAGE = re.compile(rb"\\shpfblwtxt1|\\\*\\background|\\cname\b")

# The numbers of control words that are set, by these words.
RichSettings = Mapping[str, int]


class StyleName(NamedTuple):
    """The kind of a style, "s" of paragraphs or "cs" of letters, and its number."""

    kind: str
    number: int


class RichLetters:
    """The colours and styles that a file has defined so far."""

    def __init__(self, data: bytes) -> None:
        self._page = UNKNOWN if _COLOURED_PAGE.search(data) else WHITE
        self._colours: list[str] = []
        # The parts of the colour that is read, of 255, by "red", "green" and "blue".
        self._parts = dict[str, int]()
        self._styles = dict[StyleName, dict[str, int]]()

    def set_part(self, name: str, value: int) -> None:
        """Set how much "red", "green" or "blue" the next colour has, of 255."""
        self._parts[name] = min(value, 255)

    def end_colour(self) -> None:
        """Add a colour to the table; one without parts is chosen by the program that shows it."""
        parts = (self._parts.get(name, 0) for name in ("red", "green", "blue"))
        self._colours.append("".join(f"{part:02x}" for part in parts) if self._parts else UNKNOWN)
        self._parts.clear()

    def define(self, settings: RichSettings) -> None:
        """Keep what is set in the group of a style."""
        for kind in ("s", "cs"):
            if kind in settings:
                base = self.of_style(kind, settings.get("sbasedon", -1))
                words = (*OF_LETTERS, *OF_PARAGRAPHS, "outlinelevel")
                given = {word: settings[word] for word in words if word in settings}
                self._styles[StyleName(kind, settings[kind])] = {**base, **given}

    def of_style(self, kind: str, number: int) -> RichSettings:
        """Return what a style sets."""
        return self._styles.get(StyleName(kind, number), {})

    def look(self, settings: RichSettings) -> Look:
        """Return how letters look. The colour behind letters in a text box, which is not the page's, is not known."""
        size = settings.get("fs", 0)
        around = UNKNOWN if settings.get("shptxt") else self._page
        return Look(
            _letters_of(settings),
            self._colour(settings.get("cf", -1)),
            self._behind(settings, around),
            size / 2 if size > 0 else None,
            is_hidden=bool(settings.get("v")),
        )

    def _behind(self, settings: RichSettings, around: str) -> str:
        """Return the colour behind letters; `around` if nothing has one."""
        for word in (*BEHIND_LETTERS, "cbpat"):
            if settings.get(word):
                return self._colour(settings[word])
        has_pattern = any(settings.get(word) for word in ("chshdng", "shading"))
        in_coloured_row = "intbl" in settings and any(settings.get(word) for word in OF_CELLS)
        return UNKNOWN if has_pattern or in_coloured_row else around

    def _colour(self, number: int) -> str:
        """Return a colour by its number in the table."""
        return self._colours[number] if 0 <= number < len(self._colours) else UNKNOWN


def _letters_of(settings: RichSettings) -> Letters:
    """Return how letters are set; they are raised and lowered by words of their own or by half points."""
    raised = settings.get("super", 0) > 0 or settings.get("up", 0) > 0
    lowered = settings.get("sub", 0) > 0 or settings.get("dn", 0) > 0
    return Letters(raised, any(settings.get(word) for word in STRUCK), lowered and not raised)
