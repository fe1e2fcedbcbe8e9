"""The styles that HTML pages give their elements: by `style` attributes, and by the rules of sheets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from engine.documents.page_selectors import PlaceInPage, Selector, SelectorPath, compare, selector_path, simple_selector

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
# Statements without a block, such as an import.
_STATEMENT = re.compile(r"@[\w-]+[^{};]*;")
_IMPORT = re.compile(r"@import\b", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
# Of a selector with more, the part for the element itself, and what depends on where or when.
_LAST = re.compile(r"[^\s>+~]+$")
_CONDITION = re.compile(r"\[[^\]]*\]|:[\w-]+(?:\([^)]*\))?")
# What hides a page until scripts have run.
OF_SCRIPTS = ("display", "visibility", "opacity")
# What scripts do not change by marks of the elements around some words: whether these are struck or raised.
_OF_LETTERS = ("text-decoration", "text-decoration-line", "vertical-align")
# How often the rules for elements within others are compared with the elements of a page.
_MOST_STEPS = 1_000_000

# The value of a property that may be another one at some places or times.
UNCLEAR = "?"

Declarations = Mapping[str, str]


class StyleRule(NamedTuple):
    """What a sheet says about elements.

    With `is_conditional`, it says so only at places or times that are not followed, such as after another element; a
    script may also give elements the marks that they lack of `all_marks`.
    """

    path: SelectorPath
    declarations: Declarations
    is_conditional: bool
    all_marks: frozenset[str] = frozenset()

    @property
    def marks(self) -> frozenset[str]:
        """All that it asks of elements and of those around them."""
        return self.path.selector.marks.union(self.all_marks, *(outer.selector.marks for outer in self.path.around))

    @property
    def weight(self) -> tuple[int, ...]:
        """How much more it counts than others: by all its ids, classes, and tags."""
        selectors = [self.path.selector, *(outer.selector for outer in self.path.around)]
        return tuple(map(sum, zip(*(selector.weight for selector in selectors), strict=True)))


# A tag, and marks.
_Key = tuple[str, frozenset[str]]


class _PlacedRule(NamedTuple):
    """A rule, and its number among those of the page: of rules with the same weight, the last one holds."""

    number: int
    rule: StyleRule


# Returns the text of a sheet that a page links, by its address; None for one that is not loaded.
LinkedSheets = Callable[[str], str | None]


class PageStyles:
    """The rules of a page's sheets: its own, and those it links as far as `linked` has them.

    `is_whole` says that there are no others.
    """

    def __init__(self, page: LexborHTMLParser, linked: LinkedSheets = lambda _address: None) -> None:
        self.is_whole = True
        rules: list[StyleRule] = []
        for element in page.css("style, link[rel~=stylesheet]"):
            address = element.attributes.get("href") or ""
            sheet = linked(address) if element.tag == "link" else element.text() or ""
            if sheet is None or _IMPORT.search(sheet):
                self.is_whole = False
            rules += _rules_of(sheet or "", element.attributes.get("media") or "")
        self._marks = frozenset(mark for rule in rules for mark in rule.marks)
        # By one of the marks of its selector, or else its tag.
        self._rules = defaultdict[str, list[_PlacedRule]](list)
        for number, rule in enumerate(rules):
            selector = rule.path.selector
            self._rules[min(selector.marks, default=selector.tag)].append(_PlacedRule(number, rule))
        # The rules for a tag and marks: they come over and over, as what the rules say.
        self._candidates = dict[_Key, list[StyleRule]]()
        # Those that have rules for elements within others, too.
        self._differing = set[_Key]()
        self._said_by_marks = dict[_Key, Declarations]()
        self._said_at = dict[PlaceInPage, Declarations]()
        self._steps_left = _MOST_STEPS
        # The place that is around a whole page.
        self.outermost = PlaceInPage("", frozenset(), None)

    def place(self, tag: str, attributes: Mapping[str, str], around: PlaceInPage) -> PlaceInPage:
        """Return the place of an element by that of the element around it."""
        marks = {f".{name}" for name in attributes.get("class", "").split()}
        marks.add(f"#{attributes.get('id', '')}")
        return around.within(tag, self._marks & marks)

    def of(self, place: PlaceInPage, style: str) -> Declarations:
        """Return what holds for an element with the attribute `style`; what rules change otherwise is `UNCLEAR`."""
        by_rules = self._by_rules(place) if self._rules else {}
        return {**by_rules, **declarations(style)} if style else by_rules

    def _by_rules(self, place: PlaceInPage) -> Declarations:
        """Return what rules say about the elements at a place.

        On pages where it would take too many steps, rules for elements within others are not followed any more.
        """
        key = place.tag, place.marks
        if place in self._said_at:
            return self._said_at[place]
        if key not in self._candidates:
            self._candidates[key] = self._rules_for(*key)
            self._differing.update({key} if any(rule.path.around for rule in self._candidates[key]) else ())
        rules = self._candidates[key]
        if self._steps_left > 0 and key in self._differing:
            self._steps_left -= len(rules)
            self._said_at[place] = self._said(rules, place)
            return self._said_at[place]
        if key not in self._said_by_marks:
            self._said_by_marks[key] = self._said(rules, PlaceInPage(*key, None))
        return self._said_by_marks[key]

    def _rules_for(self, tag: str, marks: frozenset[str]) -> list[StyleRule]:
        """Return the rules for elements with a tag and marks, wherever these are, those that count more last."""
        candidates = [placed for key in ("", tag, *marks) for placed in self._rules.get(key, ())]
        candidates.sort(key=lambda placed: (placed.rule.weight, placed.number))
        return [placed.rule for placed in candidates if placed.rule.path.selector.holds_for(tag, marks)]

    def _said(self, rules: list[StyleRule], place: PlaceInPage) -> Declarations:
        """Return what rules say about the elements at a place: first the certain ones, then what may change.

        A script may give the elements around them the marks that those lack.
        """
        said: dict[str, str] = {}
        unclear: list[StyleRule] = []
        elsewhere: list[StyleRule] = []
        for rule in rules:
            if rule.is_conditional:
                if not (rule.all_marks and rule.all_marks <= place.marks):
                    unclear.append(rule)
            elif self._is_within(place, rule):
                said |= rule.declarations
            else:
                elsewhere.append(rule)
        changes = [change for rule in unclear for change in rule.declarations.items()]
        changes += [
            (name, value) for rule in elsewhere for name, value in rule.declarations.items() if name not in _OF_LETTERS
        ]
        said |= dict.fromkeys((name for name, value in changes if said.get(name) != value), UNCLEAR)
        return said

    def _is_within(self, place: PlaceInPage, rule: StyleRule) -> bool:
        """Return whether elements are within those that a rule asks for.

        Marks of a whole page that hides something may be those of a page that scripts have not finished.
        """
        of_page = rule.declarations.keys().isdisjoint(OF_SCRIPTS)
        compared = compare(place, rule.path.around, self._steps_left, of_page=of_page)
        self._steps_left -= compared.steps
        return compared.holds


def declarations(text: str) -> dict[str, str]:
    """Return the properties of a rule or a `style` attribute, in small letters."""
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    cleaned = ((name.strip().lower(), value.replace("!important", "").strip().lower()) for name, _, value in pairs)
    return {name: value for name, value in cleaned if name and value}


@lru_cache(maxsize=16)
def _rules_of(sheet: str, media: str) -> tuple[StyleRule, ...]:
    """Return the rules of a sheet. The pages of a book link the same ones."""
    return tuple(_rules(sheet, media))


def _rules(sheet: str, media: str) -> Iterator[StyleRule]:
    """Yield the rules of a sheet for a screen. Those in blocks, such as `@media`, are conditional."""
    if _is_of_print(media):
        return
    is_conditional = media.lower() not in ("", "all", "screen")
    sheet = _STATEMENT.sub("", _COMMENT.sub(" ", sheet))
    # What stands before each brace that is open: the selectors of a rule, or a condition around rules.
    around: list[str] = []
    # Where the words before the next brace begin.
    begin = 0
    for brace in _BRACE.finditer(sheet):
        words = sheet[begin : brace.start()].strip()
        begin = brace.end()
        if brace[0] == "{":
            around.append(words)
            continue
        if not around:
            continue
        selectors = around.pop()
        if selectors.startswith("@") or any(map(_is_of_print, around)):
            continue
        said = declarations(words)
        for text in selectors.split(","):
            is_simple = not is_conditional and not around
            if said and (rule := _rule(text.strip(), said, is_simple=is_simple)):
                yield rule
                yield from _of_scripts(rule)


def _is_of_print(media: str) -> bool:
    """Return whether something holds in print only, so that it is nothing that is seen here."""
    return media.lower().removeprefix("@media").strip() == "print"


def _of_scripts(rule: StyleRule) -> Iterator[StyleRule]:
    """Yield what a rule says about elements to which a script gives its other marks."""
    selector = rule.path.selector
    for mark in selector.marks if len(selector.marks) > 1 else ():
        path = SelectorPath(Selector(selector.tag, frozenset({mark})))
        yield StyleRule(path, rule.declarations, True, selector.marks)


def _rule(text: str, said: Declarations, *, is_simple: bool) -> StyleRule | None:
    """Return what a selector says about elements; None if it selects none, or is not understood.

    It is conditional without `is_simple`, and if it has more than tags, classes and ids of elements within others.
    """
    # What is before and after an element is not in the page.
    if "::" in text or text.endswith((":before", ":after")):
        return None
    path = selector_path(text)
    if path is not None:
        return StyleRule(path, said, not is_simple)
    last = _LAST.search(text)
    selector = simple_selector(_CONDITION.sub("", last[0]) or "*") if last else None
    return None if selector is None else StyleRule(SelectorPath(selector), said, True)
