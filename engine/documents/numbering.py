"""The numbers of paragraphs as Word shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from string import ascii_lowercase, ascii_uppercase
from xml.etree.ElementTree import Element

from engine.documents.zipped_parts import value

LEVELS = 9
# Beyond this, there are only decimal numbers.
_MOST = 780
_LETTERS = {"lowerLetter": ascii_lowercase, "upperLetter": ascii_uppercase}
_LETTERS |= {"ganada": "가나다라마바사아자차카타파하", "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"}
_LETTERS["aiueo"] = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_LETTERS["iroha"] = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_LETTERS |= {"ideographTraditional": "甲乙丙丁戊己庚辛壬癸", "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥"}
_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")
_CARDINALS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_ROMAN = {500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_COUNTED = dict.fromkeys(
    ("japaneseCounting", "chineseCounting", "chineseCountingThousand", "taiwaneseCountingThousand", "ideographDigital"),
    "〇一二三四五六七八九十",
)
_COUNTED |= {"koreanDigital": "영일이삼사오육칠팔구십", "koreanCounting": "영일이삼사오육칠팔구십"}
_NONE = Element("none")


class Numbering:
    """Counts the paragraphs of lists. Lists of one definition share their counts, unless one starts anew."""

    def __init__(self, part: Element, styles: Mapping[str, Element]) -> None:
        definitions = {one.get("abstractNumId", ""): one for one in part.iter("abstractNum")}
        self._lists = {one.get("numId", ""): one for one in part.iter("num")}
        self._levels: dict[str, dict[int, Element]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._starts: dict[tuple[str, int], int] = {}
        shared: dict[str, dict[int, int]] = {}
        for name, one in self._lists.items():
            definition = value(one, "abstractNumId")
            # A definition may only name the style that has it.
            style = styles.get(value(definitions.get(definition, _NONE), "numStyleLink"), _NONE)
            linked = self._lists.get(value(style, "pPr/numPr/numId"), one)
            definition = value(linked, "abstractNumId")
            self._counts[name] = shared.setdefault(definition, {})
            levels = (*definitions.get(definition, _NONE).iter("lvl"), *one.iter("lvl"))
            self._levels[name] = {int(level.get("ilvl", "0")): level for level in levels}
            for change in one.iter("lvlOverride"):
                if start := value(change, "startOverride"):
                    self._starts[name, int(change.get("ilvl", "0"))] = int(start)

    def level_of(self, list_id: str, styles: Iterable[str]) -> int:
        """Return the level of a list that belongs to the first of the styles that has one."""
        levels = {value(level, "pStyle"): index for index, level in self._levels.get(list_id, {}).items()}
        return next((levels[style] for style in styles if style in levels), 0)

    def next(self, list_id: str, level: int) -> str:
        """Count a paragraph, and return its number; "-" for a bullet, or if nothing is shown."""
        if list_id not in self._levels:
            return "-"
        levels, counts = self._levels[list_id], self._counts[list_id]
        starts = [int(value(levels.get(index, _NONE), "start") or 1) for index in range(LEVELS)]
        counts[level] = self._starts.pop((list_id, level), counts.get(level, starts[level] - 1) + 1)
        for deeper in range(level + 1, LEVELS):
            if level < int(value(levels.get(deeper, _NONE), "lvlRestart") or deeper):
                counts.pop(deeper, None)
        forms = [value(levels.get(index, _NONE), "numFmt") or "decimal" for index in range(LEVELS)]
        if forms[level] == "bullet":
            return "-"
        own = levels.get(level, _NONE)
        text = f"%{level + 1}." if own.find("lvlText") is None else value(own, "lvlText")
        if own.find("isLgl") is not None:
            forms = ["decimal"] * LEVELS
        # A level that was not used yet shows where it starts.
        numbers = [written(counts.get(index, starts[index]), forms[index]) for index in range(LEVELS)]
        return re.sub("%([1-9])", lambda found: numbers[int(found[1]) - 1], text).strip() or "-"


def written(number: int, form: str) -> str:
    """Return a number in one of Office's forms; in those that are not known here, as a decimal."""
    if form == "none":
        return ""
    if not 0 < number <= _MOST:
        return str(number)
    if letters := _LETTERS.get(form.removesuffix("FullWidth")):
        repeats, index = divmod(number - 1, len(letters))
        return letters[index] * (repeats + 1)
    match form:
        case "upperRoman" | "lowerRoman":
            text = ""
            for worth, sign in _ROMAN.items():
                text += sign * (number // worth)
                number %= worth
            return text.upper() if form == "upperRoman" else text
        case "decimalZero":
            return f"{number:02}"
        case "ordinal":
            return f"{number}{'th' if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, 'th')}"
        case "ordinalText" | "cardinalText" if number <= len(_ORDINALS):
            return (_ORDINALS if form == "ordinalText" else _CARDINALS)[number - 1]
        case "decimalEnclosedCircle" if number <= 20:
            return chr(ord("①") + number - 1)
        case _ if form in _COUNTED and number < 100:
            digits = _COUNTED[form]
            tens, ones = divmod(number, 10)
            ten = "" if tens == 0 else digits[10] if tens == 1 else digits[tens] + digits[10]
            return ten + (digits[ones] if ones else "")
        case _:
            return str(number)
