"""Which elements of HTML pages the rules of their sheets are for: those with tags and marks, within such others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_SIMPLE = re.compile(r"(?P<tag>[a-zA-Z][\w-]*|\*)?(?P<marks>(?:[.#][\w-]+)*)")
_MARK = re.compile(r"([.#])([\w-]+)")
_PARENT = re.compile(r"\s*>\s*")


class Selector(NamedTuple):
    """Which elements a rule is for: those with a tag ("" for all) and with all these marks, like ".note" and "#top"."""

    tag: str
    marks: frozenset[str]

    def holds_for(self, tag: str, marks: frozenset[str]) -> bool:
        """Return whether it selects elements with a tag and these marks."""
        return self.tag in ("", tag) and self.marks <= marks

    @property
    def weight(self) -> tuple[int, int, int]:
        """How much more a rule counts than others: by its ids, its classes, and its tag."""
        ids = sum(mark.startswith("#") for mark in self.marks)
        return ids, len(self.marks) - ids, len(self.tag) > 0


class Around(NamedTuple):
    """An element that is around another one; with `is_parent`, directly around it."""

    selector: Selector
    is_parent: bool


class SelectorPath(NamedTuple):
    """A selector of elements, and of those that are around them, the nearest first."""

    selector: Selector
    around: tuple[Around, ...] = ()


@dataclass(slots=True, eq=False)
class PlaceInPage:
    """Where elements of a page are that rules do not tell apart: their tag and marks, and the place around theirs."""

    tag: str
    marks: frozenset[str]
    around: PlaceInPage | None
    inner: dict[tuple[str, frozenset[str]], PlaceInPage] = field(default_factory=dict)

    def within(self, tag: str, marks: frozenset[str]) -> PlaceInPage:
        """Return the place of the elements in these with a tag and marks, always the same one."""
        key = tag, marks
        if key not in self.inner:
            self.inner[key] = PlaceInPage(tag, marks, self)
        return self.inner[key]


class AroundCheck(NamedTuple):
    """Whether elements are within others, and how many comparisons it took to see it."""

    holds: bool
    steps: int


def compare(place: PlaceInPage, around: Sequence[Around], most_steps: int, *, of_page: bool) -> AroundCheck:
    """Return whether the elements at a place are within such others, the nearest first.

    Each step looks at an element around them for one of the others; after about `most_steps`, they count as elsewhere.
    Without `of_page`, what marks a whole page is not looked at.
    """
    if not around:
        return AroundCheck(True, 0)
    # The numbers of those that the next element may be, and of those that it or any further one may be.
    parents = {0} if around[0].is_parent else set()
    further = set() if around[0].is_parent else {0}
    steps = 0
    element = place.around
    while element is not None and (parents or further) and steps < most_steps:
        marks = element.marks if of_page or element.tag not in ("html", "body") else frozenset()
        tried = sorted(parents | further)
        parents = set()
        for number in tried:
            steps += 1
            if not around[number].selector.holds_for(element.tag, marks):
                continue
            if number + 1 == len(around):
                return AroundCheck(True, steps)
            (parents if around[number + 1].is_parent else further).add(number + 1)
        element = element.around
    return AroundCheck(False, steps)


def simple_selector(text: str) -> Selector | None:
    """Return the selector that has only a tag, classes and ids; None for others."""
    simple = _SIMPLE.fullmatch(text)
    if simple is None or not text:
        return None
    tag = (simple["tag"] or "").lower()
    marks = frozenset(f"{kind}{name}" for kind, name in _MARK.findall(simple["marks"]))
    return Selector("" if tag == "*" else tag, marks)


def selector_path(text: str) -> SelectorPath | None:
    """Return the path of a selector of elements that are within others, or their children; None for other ones."""
    # A sign of its own before each child.
    words = _PARENT.sub(" >", text).split()
    selectors = [simple_selector(word.removeprefix(">")) for word in words]
    around = [
        Around(selector, words[number + 1].startswith(">"))
        for number, selector in enumerate(selectors[:-1])
        if selector is not None
    ]
    if not selectors or selectors[-1] is None or len(around) + 1 < len(selectors) or words[0].startswith(">"):
        return None
    return SelectorPath(selectors[-1], tuple(reversed(around)))
