"""The styles that HTML pages give their elements: by `style` attributes, and by the rules of sheets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
# Statements without a block, such as an import.
_STATEMENT = re.compile(r"@[\w-]+[^{};]*;")
_IMPORT = re.compile(r"@import\b", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
# Of a selector with more, the part for the element itself, and what depends on where or when.
_LAST = re.compile(r"[^\s>+~]+$")
_CONDITION = re.compile(r"\[[^\]]*\]|:[\w-]+(?:\([^)]*\))?")
# Selectors of elements by nothing but tags and marks (classes and ids): their own, and those of elements around them.
_SIMPLE = re.compile(r"(?P<tag>[a-zA-Z][\w-]*|\*)?(?P<marks>(?:[.#][\w-]+)*)")
_PLAIN = re.compile(r"[\w*.#-]+(?:(?:\s*>\s*|\s+)[\w*.#-]+)*")
_CHILD = re.compile(r"\s*>\s*")
_MARK = re.compile(r"[.#][\w-]+")
_TAG = re.compile(r"(?<![\w.#-])[a-zA-Z]")
# What hides a page until scripts have run.
OF_SCRIPTS = ("display", "visibility", "opacity")
# Whether words are struck or raised, which scripts do not change by marks.
_OF_LETTERS = ("text-decoration", "text-decoration-line", "vertical-align")
# How often parts of selectors are tried on elements of a page, which takes up to 0.1 microseconds each.
_MOST_STEPS = 20_000_000

# The value of a property that may be another one at some places or times.
UNCLEAR = "?"

Declarations = Mapping[str, str]


class _Specificity(NamedTuple):
    """The numbers of ids, classes and tags in a selector."""

    ids: int
    classes: int
    tags: int


class StyleRule(NamedTuple):
    """What a sheet says about elements.

    With `is_conditional`, it says so only at places or times that are not followed, such as after another element.
    `loose` are selectors of all elements for which it may come to hold, as scripts give marks to any element.
    """

    selector: str
    loose: tuple[str, ...]
    declarations: Declarations
    is_conditional: bool

    @property
    def changes(self) -> set[tuple[str, str]]:
        """The properties that it changes where it comes to hold, with their values."""
        said = self.declarations.items()
        return {(name, value) for name, value in said if self.is_conditional or name not in _OF_LETTERS}

    @property
    def specificity(self) -> _Specificity:
        """Which of two rules counts, as CSS says: the one whose specificity is greater."""
        return _Specificity(self.selector.count("#"), self.selector.count("."), len(_TAG.findall(self.selector)))


class _RulesOfElement(NamedTuple):
    """The numbers of the rules that hold for an element, and the loose selectors of those that may hold for it."""

    certain: list[int]
    possible: list[str]


# Returns the text of a sheet that a page links, by its address; None for one that is not loaded.
LinkedSheets = Callable[[str], str | None]


class PageStyles:
    """The rules of a page's sheets: its own, and those it links as far as `linked` has them.

    `is_whole` says that there are no others. On a page with too many rules and elements, none are followed.
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
        # Those that count more are last; of those that count as much, the last one holds.
        self._rules = sorted(rules, key=lambda rule: rule.specificity)
        # The numbers of rules by their loose selectors.
        self._loose = defaultdict[str, list[int]](list)
        # By the places of elements in memory.
        self._rules_by_element = defaultdict[int, _RulesOfElement](lambda: _RulesOfElement([], []))
        # What rules say together, by their numbers and loose selectors.
        self._said = dict[tuple[tuple[int, ...], tuple[str, ...]], Declarations]()
        if rules:
            self._find_elements(page)

    def _find_elements(self, page: LexborHTMLParser) -> None:
        """Find the elements for which each rule holds or may hold."""
        elements = _PageElements(page)
        certain: list[int] = []
        for number, rule in enumerate(self._rules):
            hides = not rule.declarations.keys().isdisjoint(OF_SCRIPTS)
            if not rule.is_conditional and elements.may_have(rule.selector, of_parts=hides):
                certain.append(number)
                if rule.loose == (rule.selector,):
                    # It holds for all for which it may.
                    continue
            for selector in rule.loose:
                if elements.may_have(selector):
                    self._loose[selector].append(number)
        steps = sum(len(self._rules[number].selector.split()) for number in certain) + len(self._loose)
        if steps * len(elements.parents) > _MOST_STEPS:
            self.is_whole = False
            return
        for number in certain:
            for element in elements.selected(self._rules[number].selector):
                self._rules_by_element[element].certain.append(number)
        for selector in self._loose:
            for element in elements.selected(selector):
                self._rules_by_element[element].possible.append(selector)

    def of(self, element: LexborNode, style: str) -> Declarations:
        """Return what holds for an element with the attribute `style`; what rules change otherwise is `UNCLEAR`."""
        by_rules = (
            self._by_rules(self._rules_by_element[element.mem_id]) if element.mem_id in self._rules_by_element else {}
        )
        return {**by_rules, **declarations(style)} if style else by_rules

    def _by_rules(self, rules: _RulesOfElement) -> Declarations:
        """Return what rules say together: first the certain ones, then what may change."""
        key = tuple(rules.certain), tuple(rules.possible)
        if key not in self._said:
            said: dict[str, str] = {}
            for number in rules.certain:
                said |= self._rules[number].declarations
            others = {number for selector in rules.possible for number in self._loose[selector]}
            changes = {change for number in others.difference(rules.certain) for change in self._rules[number].changes}
            said |= dict.fromkeys((name for name, value in changes if said.get(name) != value), UNCLEAR)
            self._said[key] = said
        return self._said[key]


class _PageElements:
    """The elements of a page, each by its place in memory, as plain selectors find them."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._page = page
        # What is directly around each, in the order of the page.
        self.parents = dict[int, int]()
        # The marks of all, and those that mark the whole page.
        self._marks = set[str]()
        self._marks_of_page = set[str]()
        for element in page.css("*"):
            self.parents[element.mem_id] = element.parent.mem_id if element.parent else 0
            attributes = element.attributes
            marks = [f".{name}" for name in (attributes.get("class") or "").split()] + [f"#{attributes.get('id')}"]
            self._marks.update(marks)
            if element.tag in ("html", "body"):
                self._marks_of_page.update(marks)

    def may_have(self, selector: str, *, of_parts: bool = False) -> bool:
        """Return whether the page has all marks of a selector; `of_parts`, that none of these is one of the whole page.

        Marks of a whole page that hide something in it may mean that scripts have not finished the page.
        """
        marks = _MARK.findall(selector)
        return self._marks.issuperset(marks) and not (of_parts and self._marks_of_page.intersection(marks))

    def selected(self, selector: str) -> Collection[int]:
        """Return the elements that a plain selector selects.

        The parser matches single elements only: it would try all ways to find several that are around each other.
        """
        selected: Collection[int] | None = None
        is_child = False
        for part in _CHILD.sub(" > ", selector).split():
            if part == ">":
                is_child = True
                continue
            matching = self._matching(part)
            if selected is not None:
                around = selected if is_child else self._with_inner(selected)
                matching = [element for element in matching if self.parents[element] in around]
            selected = set(matching)
            is_child = False
        return selected or ()

    def _matching(self, part: str) -> list[int]:
        # For what is not well formed there are none.
        with suppress(SelectolaxError):
            return [element.mem_id for element in self._page.css(part)]
        return []

    def _with_inner(self, elements: Collection[int]) -> set[int]:
        """Return elements and all that are in them."""
        inner = set(elements)
        for element, parent in self.parents.items():
            if parent in inner:
                inner.add(element)
        return inner


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


def _is_of_print(media: str) -> bool:
    """Return whether something holds in print only, so that it is nothing that is seen here."""
    return media.lower().removeprefix("@media").strip() == "print"


def _rule(text: str, said: Declarations, *, is_simple: bool) -> StyleRule | None:
    """Return what a selector says about elements; None if it selects none, or is not understood.

    It is conditional without `is_simple`, and if it has more than tags, classes and ids of elements within others.
    """
    # What is before and after an element is not in the page.
    if "::" in text or text.endswith((":before", ":after")):
        return None
    last = _LAST.search(text)
    simple = _SIMPLE.fullmatch(_CONDITION.sub("", last[0])) if last else None
    if simple is None:
        return None
    tag = simple["tag"] or ""
    loose = [f"{tag}{mark}" for mark in _MARK.findall(simple["marks"])]
    return StyleRule(text, tuple(loose or [tag or "*"]), said, not (is_simple and _PLAIN.fullmatch(text)))
