"""Fields of forms in RTF files: boxes that may be ticked, and lists with a choice."""

from __future__ import annotations

from dataclasses import dataclass, field

FORM_WORDS = ("fftype", "ffres", "ffdefres")
# The kinds of fields whose result is not text of the document, by the number of "fftype".
_BOX = 1
_LIST = 2
# The result of a field that still has the one it began with.
_AS_BEGUN = 25


@dataclass(slots=True)
class RichForm:
    """What a file says of a field. Fields for text have their result in the document, and need nothing."""

    # The numbers of `FORM_WORDS`.
    numbers: dict[str, int] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)

    def shown(self) -> str:
        """Return what is ticked or chosen; "" for another field."""
        begun = self.numbers.get("ffdefres", 0)
        result = self.numbers.get("ffres", _AS_BEGUN)
        if result == _AS_BEGUN:
            result = begun
        kind = self.numbers.get("fftype")
        if kind == _BOX:
            return "☒" if result else "☐"
        if kind == _LIST and 0 <= result < len(self.choices):
            return self.choices[result].strip()
        return ""
