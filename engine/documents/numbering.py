"""The numbers of paragraphs as Word shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_lowercase, ascii_uppercase
from xml.etree.ElementTree import Element

from engine.documents.zipped_parts import integer, value

LEVELS = 9
_LETTERS = {
    "lowerLetter": ascii_lowercase,
    "upperLetter": ascii_uppercase,
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
}
_LETTERS |= {"ganada": "가나다라마바사아자차카타파하", "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"}
_LETTERS["aiueo"] = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_LETTERS["iroha"] = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
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
_FORMS["ordinal"] = [
    f"{number}{'th' if 10 < number < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
    for number in range(1, 100)
]
_NONE = Element("none")


class Numbering:
    """Counts the paragraphs of lists. Lists of one definition share their counts, unless one starts anew."""

    def __init__(self, part: Element, styles: Mapping[str, Element]) -> None:
        definitions = {one.get("abstractNumId", ""): one for one in part.iter("abstractNum")}
        lists = {one.get("numId", ""): one for one in part.iter("num")}
        counts: dict[str, dict[int, int]] = {name: {} for name in definitions}
        self._lists: dict[str, tuple[list[Element], dict[int, int]]] = {}
        self._starts: dict[tuple[str, int], int] = {}
        for name, one in lists.items():
            definition = value(one, "abstractNumId")
            # A definition may only name the style that has it.
            style = styles.get(value(definitions.get(definition, _NONE), "numStyleLink"), _NONE)
            definition = value(lists.get(value(style, "pPr/numPr/numId"), one), "abstractNumId")
            found = (*definitions.get(definition, _NONE).iter("lvl"), *one.iter("lvl"))
            levels = {level.get("ilvl"): level for level in found}
            self._lists[name] = [levels.get(str(index), _NONE) for index in range(LEVELS)], counts.get(definition, {})
            for change in one.iter("lvlOverride"):
                if start := value(change, "startOverride"):
                    self._starts[name, integer(change.get("ilvl"))] = integer(start)

    def level_of(self, list_id: str, style: str) -> int:
        """Return the level of a list that belongs to a style; the first if none does."""
        levels, _ = self._lists.get(list_id, ([], {}))
        return next((index for index, level in enumerate(levels) if style and value(level, "pStyle") == style), 0)

    def next(self, list_id: str, index: int) -> str:
        """Count a paragraph of a level, and return its number; "-" for a bullet, or if there is none."""
        levels, counts = self._lists.get(list_id, ([_NONE] * LEVELS, {}))
        if (own := levels[index]) is _NONE:
            return "-"
        starts = [integer(value(level, "start"), 1) for level in levels]
        for higher in range(index):
            # A level that was skipped counts as used.
            counts.setdefault(higher, starts[higher])
        counts[index] = self._starts.pop((list_id, index), counts.get(index, starts[index] - 1) + 1)
        for deeper in range(index + 1, LEVELS):
            if index < integer(value(levels[deeper], "lvlRestart"), deeper):
                counts.pop(deeper, None)
        forms = [value(level if own.find("isLgl") is None else _NONE, "numFmt") for level in levels]
        if forms[index] == "bullet":
            return "-"
        numbers = [written(counts.get(one, starts[one]), form) for one, form in enumerate(forms)]
        text = f"%{index + 1}." if own.find("lvlText") is None else value(own, "lvlText")
        return re.sub("%([1-9])", lambda digit: numbers[int(digit[1]) - 1], text).strip() or "-"


def written(number: int, form: str) -> str:
    """Return a number in one of Office's forms; in those that are not known here, as a decimal."""
    if form == "none":
        return ""
    numbers = _FORMS.get(form.removesuffix("FullWidth"), [])
    return numbers[number - 1] if 0 < number <= len(numbers) else str(number)
