"""The styles that HTML pages give their elements: by `style` attributes and by rules with simple selectors."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
# Statements without a block, such as an import.
_STATEMENT = re.compile(r"@[\w-]+[^{};]*;")
_IMPORT = re.compile(r"@import\b", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
_SIMPLE = re.compile(r"(?P<tag>[a-zA-Z][\w-]*|\*)?(?P<marks>(?:[.#][\w-]+)*)")
# Of a selector with more, the part for the element itself, and what depends on where or when.
_LAST = re.compile(r"[^\s>+~]+$")
_CONDITION = re.compile(r"\[[^\]]*\]|:[\w-]+(?:\([^)]*\))?")
_MARK = re.compile(r"([.#])([\w-]+)")

# The value of a property that may be another one at some places or times.
UNCLEAR = "?"

Declarations = Mapping[str, str]


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


class StyleRule(NamedTuple):
    """What a sheet says about elements.

    With `is_conditional`, it says so only at places or times that are not followed, such as below another element; a
    script may also give elements the marks that they lack of `all_marks`.
    """

    selector: Selector
    declarations: Declarations
    is_conditional: bool
    all_marks: frozenset[str] = frozenset()


class _PlacedRule(NamedTuple):
    """A rule, and its place among those of the page: of rules with the same weight, the last one holds."""

    place: int
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
        self._marks = frozenset(mark for rule in rules for mark in (*rule.selector.marks, *rule.all_marks))
        # By one of the marks of its selector, or else its tag.
        self._rules = defaultdict[str, list[_PlacedRule]](list)
        for place, rule in enumerate(rules):
            self._rules[min(rule.selector.marks, default=rule.selector.tag)].append(_PlacedRule(place, rule))
        # What they say: elements of a page have the same tags and marks over and over.
        self._found = dict[tuple[str, frozenset[str]], Declarations]()

    def of(self, tag: str, attributes: Mapping[str, str]) -> Declarations:
        """Return what holds for an element; what rules change that are not followed is `UNCLEAR`."""
        by_rules: Declarations = {}
        if self._rules:
            marks = {f".{name}" for name in attributes.get("class", "").split()}
            marks.add(f"#{attributes.get('id', '')}")
            key = tag, self._marks & marks
            if key not in self._found:
                self._found[key] = self._by_rules(*key)
            by_rules = self._found[key]
        return {**by_rules, **declarations(attributes["style"])} if attributes.get("style") else by_rules

    def _by_rules(self, tag: str, marks: frozenset[str]) -> Declarations:
        """Return what rules say about elements with a tag and marks: first the certain ones, then what may change."""
        candidates = [placed for key in ("", tag, *marks) for placed in self._rules.get(key, ())]
        candidates.sort(key=lambda placed: (placed.rule.selector.weight, placed.place))
        rules = [placed.rule for placed in candidates if placed.rule.selector.holds_for(tag, marks)]
        said: dict[str, str] = {}
        for rule in rules:
            if not rule.is_conditional:
                said |= rule.declarations
        for rule in rules:
            if rule.is_conditional and not (rule.all_marks and rule.all_marks <= marks):
                changed = (name for name, value in rule.declarations.items() if said.get(name) != value)
                said |= dict.fromkeys(changed, UNCLEAR)
        return said


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
    selector = rule.selector
    for mark in selector.marks if len(selector.marks) > 1 else ():
        yield StyleRule(Selector(selector.tag, frozenset({mark})), rule.declarations, True, selector.marks)


def _rule(text: str, said: Declarations, *, is_simple: bool) -> StyleRule | None:
    """Return what a selector says about elements; None if it selects none, or is not understood.

    It is conditional without `is_simple`, and if it has more than a tag, classes and ids.
    """
    # What is before and after an element is not in the page.
    if "::" in text or text.endswith((":before", ":after")):
        return None
    simple = _SIMPLE.fullmatch(text)
    if simple is None:
        last = _LAST.search(text)
        simple = _SIMPLE.fullmatch(_CONDITION.sub("", last[0])) if last else None
        is_simple = False
    if simple is None or not text:
        return None
    tag = (simple["tag"] or "").lower()
    marks = frozenset(f"{kind}{name}" for kind, name in _MARK.findall(simple["marks"]))
    return StyleRule(Selector("" if tag == "*" else tag, marks), said, not is_simple)
