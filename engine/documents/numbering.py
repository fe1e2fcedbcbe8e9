"""The numbers of paragraphs as Word and LibreOffice show them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.zipped_parts import integer, value

LEVELS = 9
_LETTERS = {"lowerLetter": ascii_lowercase, "upperLetter": ascii_uppercase, "ganada": "가나다라마바사아자차카타파하"}
_LETTERS |= {"aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"}
_IDEOGRAPHS = ("", *"一二三四五六七八九")
_TENS = ("", "十", *(f"{digit}十" for digit in _IDEOGRAPHS[2:]))
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN_TENS = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc")
# The numbers from 1 in each form that has more than digits; there are decimals for larger ones, and in other forms.
_FORMS = {form: [letter * times for times in range(1, 31) for letter in some] for form, some in _LETTERS.items()}
_FORMS |= dict.fromkeys(
    ("japaneseCounting", "chineseCounting", "chineseCountingThousand", "taiwaneseCountingThousand", "ideographDigital"),
    [tens + ones for tens in _TENS for ones in _IDEOGRAPHS][1:],
)
_FORMS["lowerRoman"] = [c + x + i for c in ("", "c", "cc", "ccc") for x in _ROMAN_TENS for i in _ROMAN][1:]
_FORMS["upperRoman"] = [number.upper() for number in _FORMS["lowerRoman"]]
_FORMS["decimalZero"] = [f"{one:02}" for one in range(1, 10)]
_FORMS["decimalEnclosedCircle"] = list("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳")
_FORMS["cardinalText"] = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
_FORMS["ordinalText"] = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth"]
_ENDS = ("th", "st", "nd", "rd", *["th"] * 6)
_FORMS["ordinal"] = [f"{one}{'th' if 10 < one < 14 else _ENDS[one % 10]}" for one in range(1, 100)]
_NONE = Element("none")


class ListLevel(NamedTuple):
    """A level of a list: the form of its numbers, and what is shown, with "%1" for the number of the first level. It
    begins at `first`, and anew after a paragraph of a level less than `restart`; `is_legal` shows decimals only.
    """

    form: str
    text: str
    first: int
    restart: int = LEVELS
    is_legal: bool = False


@dataclass(slots=True)
class NumberedList:
    """A list, the counts of its levels, which others may share, and the numbers at which levels start anew."""

    levels: dict[int, ListLevel] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)

    def next(self, index: int) -> str:
        """Count a paragraph of a level, and return its number; "-" if it shows none."""
        if (own := self.levels.get(index)) is None:
            return "-"
        self.counts[index] = self.starts.pop(index, self.counts.get(index, own.first - 1) + 1)
        for at, level in self.levels.items():
            if at < index:
                # A level that was skipped counts as used.
                self.counts.setdefault(at, level.first)
            elif at > index and index < level.restart:
                self.counts.pop(at, None)
        numbers = {
            str(at + 1): written(self.counts.get(at, level.first), "" if own.is_legal else level.form)
            for at, level in self.levels.items()
        }
        return re.sub("%([1-9])", lambda digit: numbers.get(digit[1], ""), own.text).strip() or "-"


def word_lists(part: Element, styles: Mapping[str, Element]) -> dict[str, NumberedList]:
    """Return the lists of a DOCX file. Those of one definition share their counts, unless one starts anew."""
    definitions = {one.get("abstractNumId", ""): one for one in part.iter("abstractNum")}
    named = {one.get("numId", ""): one for one in part.iter("num")}
    counts = defaultdict[str, dict[int, int]](dict)
    lists = dict[str, NumberedList]()
    for name, one in named.items():
        definition = value(one, "abstractNumId")
        # A definition may only name the style that has it.
        style = styles.get(value(definitions.get(definition, _NONE), "numStyleLink"), _NONE)
        definition = value(named.get(value(style, "pPr/numPr/numId"), one), "abstractNumId")
        found = lists[name] = NumberedList(counts=counts[definition])
        for level in (*definitions.get(definition, _NONE).iter("lvl"), *one.iter("lvl")):
            index = integer(level.get("ilvl"))
            form = value(level, "numFmt")
            text = "" if form == "bullet" else value(level, "lvlText")
            restart = integer(value(level, "lvlRestart"), index)
            is_legal = level.find("isLgl") is not None
            found.levels[index] = ListLevel(form, text, integer(value(level, "start"), 1), restart, is_legal)
        for change in one.iter("lvlOverride"):
            if start := value(change, "startOverride"):
                found.starts[integer(change.get("ilvl"))] = integer(start)
    return lists


def written(number: int, form: str) -> str:
    """Return a number in one of Office's forms; in those that are not known here, as a decimal."""
    if form == "none":
        return ""
    numbers = _FORMS.get(form.removesuffix("FullWidth"), [])
    return numbers[number - 1] if 0 < number <= len(numbers) else str(number)
