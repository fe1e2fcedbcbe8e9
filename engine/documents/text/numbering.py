"""The numbers of paragraphs as Word and LibreOffice show them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.text.number_forms import written
from engine.documents.text.xml_values import integer, value

LEVELS = 9
_NONE = Element("none")


class ListLevel(NamedTuple):
    """A level of a list: how its paragraphs are numbered."""

    # The form of its number, by Office's name, such as "lowerRoman"; "none" shows none.
    form: str
    # What is shown, with "%1" for the number of the first level, "%2" for that of the second, and so on; "" for a
    # bullet.
    text: str
    # The number that it begins with.
    first: int
    # A paragraph of a level less than this, counted from 0, lets it begin again.
    restart: int = LEVELS
    # Whether the numbers in `text` are all decimals, whatever the forms of their levels are.
    is_legal: bool = False


@dataclass(slots=True)
class NumberedList:
    """A list with its levels, counted from 0."""

    levels: dict[int, ListLevel] = field(default_factory=dict)
    # The latest number of each level, which other lists may share.
    counts: dict[int, int] = field(default_factory=dict)
    # The numbers at which levels go on, whatever came before; each is used once.
    starts: dict[int, int] = field(default_factory=dict)

    def next(self, index: int) -> str:
        """Count a paragraph of a level, and return its number as it is shown; "-" if it shows none.

        In a list with "%1." and "%1.%2", the levels 0, 1, 1 and 0 are "1.", "1.1", "1.2" and "2.".
        """
        level = self.levels.get(index)
        if level is None:
            return "-"
        number = self.counts.get(index, level.first - 1) + 1
        self.counts[index] = self.starts.pop(index, number)
        self._count_others(index)
        numbers = {
            str(at + 1): written(self.counts.get(at, other.first), "" if level.is_legal else other.form)
            for at, other in self.levels.items()
        }
        return re.sub("%([1-9])", lambda digit: numbers.get(digit[1], ""), level.text).strip() or "-"

    def _count_others(self, index: int) -> None:
        """Reset the numbers of levels below a paragraph's level; a level above it that was skipped counts as used."""
        for at, level in self.levels.items():
            if at < index:
                self.counts.setdefault(at, level.first)
            elif at > index and index < level.restart:
                self.counts.pop(at, None)


def word_lists(part: Element, styles: Mapping[str, Element]) -> dict[str, NumberedList]:
    """Return the lists of a DOCX file by their numbers (`numId`); `styles` are its styles by their ids.

    Lists of one definition go on counting where another of them has stopped, even from a number at which that one
    started anew.
    """
    definitions = {definition.get("abstractNumId", ""): definition for definition in part.iter("abstractNum")}
    named = {element.get("numId", ""): element for element in part.iter("num")}
    counts = defaultdict[str, dict[int, int]](dict)
    lists = dict[str, NumberedList]()
    for name, element in named.items():
        definition = value(element, "abstractNumId")
        # A definition may have no levels but name a style, whose list has them.
        style = styles.get(value(definitions.get(definition, _NONE), "numStyleLink"), _NONE)
        of_style = named.get(value(style, "pPr/numPr/numId"), element)
        definition = value(of_style, "abstractNumId")
        numbered = NumberedList(counts=counts[definition])
        for level in (*definitions.get(definition, _NONE).iter("lvl"), *element.iter("lvl")):
            index = integer(level.get("ilvl"))
            if index < LEVELS:
                numbered.levels[index] = _level(level, index)
        for change in element.iter("lvlOverride"):
            if start := value(change, "startOverride"):
                numbered.starts[integer(change.get("ilvl"))] = integer(start)
        lists[name] = numbered
    return lists


def _level(level: Element, index: int) -> ListLevel:
    """Return level `index` of a DOCX list, as the element `level` describes it."""
    form = value(level, "numFmt")
    return ListLevel(
        form=form,
        text="" if form == "bullet" else value(level, "lvlText"),
        first=integer(value(level, "start"), 1),
        restart=integer(value(level, "lvlRestart"), index),
        is_legal=level.find("isLgl") is not None,
    )
