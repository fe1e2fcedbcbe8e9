"""The styles that HTML pages give their elements: by `style` attributes, and by the rules of sheets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import groupby, islice
from typing import Any, NamedTuple

import tinycss2
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

_IMPORT = re.compile(r"@import\b", re.IGNORECASE)
# Queries of media that hold for windows of any size on a screen.
_EVERY_WINDOW = re.compile(
    r"((only\s+)?(all|screen)(\s+and\s+(?=\())?)?(\(\s*min-(width|height)\s*:\s*\d{1,2}(px)?\s*\))?", re.IGNORECASE
)
_PRINT = re.compile(r"(only\s+)?print\b.*", re.IGNORECASE | re.DOTALL)
# The parts of a selector, each for one element, with what stands before them: which place it has beside the last one.
_PART = re.compile(
    r"\s*([>+~]?)\s*((?:\[[^\]]*\]|\((?:[^()]|\([^()]*\))*\)|\\.|[^\s>+~\[\]()\\])++)",
    re.DOTALL,
)
# What a part asks of its element beside its tag and marks (classes and ids).
_CONDITION = re.compile(r"\[[^\]]*\]|::?[\w-]+(?:\((?:[^()]|\([^()]*\))*\))?")
# Of these, what holds until a script changes the page. By attributes such as "v-cloak", scripts hide a page until they
# have run.
_LASTING = re.compile(
    r"\[(?![\w-]*cloak\b).*\]|:(?:empty|root|(?:first|last|only)-(?:child|of-type)|nth-[\w-]+\([^()]*\)"
    r"|(?:not|is|where|has)\((?:[^\s()>+~:]|,\s)*\))",
    re.IGNORECASE | re.DOTALL,
)
_NOT = re.compile(r":not\(([^()]*)\)", re.IGNORECASE)
# What is before and after an element, or a part of its words, is not in the page as an element.
_OF_PART = re.compile(r"::|:(?:before|after|first-line|first-letter)$", re.IGNORECASE)
_NAME = r"(?:[\w-]|\\.|[^\x00-\x7f])+"
_MARK = re.compile(rf"(?<!\\)[.#]{_NAME}")
_SIMPLE = re.compile(rf"(?P<tag>{_NAME}|\*)?(?P<marks>(?:[.#]{_NAME})*)")
# What a specificity counts. A function counts as what is in it, and one with "where" not at all.
_OF_WHERE = re.compile(r":where\([^()]*\)", re.IGNORECASE)
_ID = re.compile(r"(?<!\\)#")
_CLASS = re.compile(r"(?<!\\)(?:[.\[]|:(?!not|is|has))")
_TAG = re.compile(r"(?<![\w.#:\[\\=\"-])[a-zA-Z]")
# Returns a class or an id as it stands in a selector.
_escaped = lru_cache(maxsize=1024)(tinycss2.serializer.serialize_identifier)
# Selectors of rules in another rule, and characters of each. Without a limit, rules within rules multiply them until
# there is no memory for a page of a few kilobytes.
_MOST_NESTED = 1000
_LONGEST_NESTED = 1000
# What hides a page until scripts have run.
OF_SCRIPTS = ("display", "visibility", "opacity")
# Whether words are struck or raised, which scripts do not change by marks.
_OF_LETTERS = ("text-decoration", "text-decoration-line", "vertical-align")
# How often parts of selectors are tried on elements of a page, which takes up to 0.1 microseconds each.
_MOST_STEPS = 20_000_000

# The value of a property that may be another one at some places or times.
UNCLEAR = "?"

Declarations = Mapping[str, str]


class _Said(NamedTuple):
    """What is said about an element: usually, and with "!important"."""

    usual: dict[str, str]
    important: dict[str, str]

    @property
    def together(self) -> Declarations:
        return self.usual | self.important


class _Weight(NamedTuple):
    """Which of two rules counts, as CSS says: the one whose weight is greater.

    A rule of a layer counts less, and then the numbers of ids, classes and tags in the selector decide.
    """

    is_unlayered: bool
    ids: int
    classes: int
    tags: int


class StyleRule(NamedTuple):
    """What a sheet says about elements.

    With `is_conditional`, it says so only at places or times that are not followed, such as in narrow windows. `parts`
    of its selector stand each for one element, with its place beside the last one; `marks` are all of their classes
    and ids. If the page has one of the `absent` marks of its ":not()", scripts move that. `loose` are selectors of all
    elements for which it may come to hold, as scripts give marks to any element.
    """

    parts: tuple[tuple[str, str], ...]
    marks: frozenset[str]
    absent: frozenset[str]
    loose: tuple[str, ...]
    weight: _Weight
    said: _Said
    is_conditional: bool

    @property
    def hides(self) -> bool:
        return not self.said.together.keys().isdisjoint(OF_SCRIPTS)


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
            try:
                rules += _rules_of(sheet or "", element.attributes.get("media") or "")
            # Blocks nest deeper in it than Python's stack.
            except RecursionError:
                self.is_whole = False
        # Those that count more are last; of those that count as much, the last one holds.
        self._rules = sorted(rules, key=lambda rule: rule.weight)
        # The numbers of rules by their loose selectors.
        self._loose = defaultdict[str, list[int]](list)
        # By the places of elements in memory.
        self._rules_by_element = defaultdict[int, _RulesOfElement](lambda: _RulesOfElement([], []))
        # What rules say together, by their numbers and loose selectors.
        self._said = dict[tuple[tuple[int, ...], tuple[str, ...]], _Said]()
        if rules:
            self._find_elements(page)

    def _find_elements(self, page: LexborHTMLParser) -> None:
        """Find the elements for which each rule holds or may hold."""
        elements = _PageElements(page)
        certain: list[int] = []
        for number, rule in enumerate(self._rules):
            if elements.may_have(rule):
                certain.append(number)
                if rule.parts == (("", rule.loose[0]),):
                    # It holds for all for which it may.
                    continue
            for loose in rule.loose:
                if elements.marks.issuperset(_MARK.findall(loose)):
                    self._loose[loose].append(number)
        steps = sum(len(self._rules[number].parts) for number in certain) + len(self._loose)
        if steps * len(elements.parents) > _MOST_STEPS:
            self.is_whole = False
            return
        for number in certain:
            for element in elements.selected(self._rules[number].parts):
                self._rules_by_element[element].certain.append(number)
        for loose in self._loose:
            for element in elements.selected((("", loose),)):
                self._rules_by_element[element].possible.append(loose)

    def of(self, element: LexborNode, style: str) -> Declarations:
        """Return what holds for an element with the attribute `style`; what rules change otherwise is `UNCLEAR`."""
        by_style = _said(style)
        if element.mem_id not in self._rules_by_element:
            return by_style.together
        by_rules = self._by_rules(self._rules_by_element[element.mem_id])
        return by_rules.usual | by_style.usual | by_rules.important | by_style.important

    def _by_rules(self, rules: _RulesOfElement) -> _Said:
        """Return what rules say together: first the certain ones, then what may change."""
        key = tuple(rules.certain), tuple(rules.possible)
        if key not in self._said:
            said = _Said({}, {})
            for number in rules.certain:
                said.usual.update(self._rules[number].said.usual)
                said.important.update(self._rules[number].said.important)
            certain = said.together
            for number in {number for loose in rules.possible for number in self._loose[loose]}.difference(
                rules.certain
            ):
                for declared, changed in zip(self._rules[number].said, said, strict=True):
                    stays = () if self._rules[number].is_conditional else _OF_LETTERS
                    changes = [name for name in declared if name not in stays and certain.get(name) != declared[name]]
                    changed.update(dict.fromkeys(changes, UNCLEAR))
            self._said[key] = said
        return self._said[key]


class _PageElements:
    """The elements of a page, each by its place in memory, as plain selectors find them."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._page = page
        self._has_scripts = page.css_first("script") is not None
        # What is directly around each and directly before it there, in the order of the page; 0 for nothing.
        self.parents = dict[int, int]()
        self._previous = dict[int, int]()
        # The marks of all, and those that mark the whole page.
        self.marks = set[str]()
        self._marks_of_page = set[str]()
        last_children = dict[int, int]()
        for element in page.css("*"):
            parent = element.parent.mem_id if element.parent else 0
            self.parents[element.mem_id] = parent
            self._previous[element.mem_id] = last_children.get(parent, 0)
            last_children[parent] = element.mem_id
            attributes = element.attributes
            marks = {f".{_escaped(name)}" for name in (attributes.get("class") or "").split()}
            if attributes.get("id"):
                marks.add(f"#{_escaped(attributes['id'] or '')}")
            self.marks |= marks
            if element.tag in ("html", "body"):
                self._marks_of_page |= marks

    def may_have(self, rule: StyleRule) -> bool:
        """Return whether a rule certainly holds for elements of this page, if its selector selects any.

        Marks of the whole page that hide something in it may mean that scripts have not finished it.
        """
        is_of_scripts = rule.hides and not self._marks_of_page.isdisjoint(rule.marks)
        is_moved = self._has_scripts and not self.marks.isdisjoint(rule.absent)
        return self.marks.issuperset(rule.marks) and not (rule.is_conditional or is_of_scripts or is_moved)

    def selected(self, parts: Iterable[tuple[str, str]]) -> Collection[int]:
        """Return the elements that the parts of a selector select.

        The parser matches single elements only: it would try all ways to find several that are around each other.
        """
        selected = set[int]()
        for number, (place, part) in enumerate(parts):
            matching = set[int]()
            # For what is not well formed there are none.
            with suppress(SelectolaxError):
                matching.update(element.mem_id for element in self._page.css(part))
            selected = matching & self._placed(place, selected) if number else matching
        return selected

    def _placed(self, place: str, elements: Collection[int]) -> set[int]:
        """Return the elements that are in a place of a selector beside some others, such as ">": directly in them."""
        nearest = self._previous if place in ("+", "~") else self.parents
        placed = set[int]()
        for element, other in nearest.items():
            if other in elements or (place in ("", "~") and other in placed):
                placed.add(element)
        return placed


@lru_cache(maxsize=1024)
def _said(style: str) -> _Said:
    """Return what an attribute `style` says."""
    return _said_by(tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True))


def declarations(style: str) -> Declarations:
    """Return the properties that an attribute `style` sets, in small letters."""
    return _said(style).together


def _said_by(nodes: Iterable[Any]) -> _Said:
    """Return what the declarations among the parts of a block say. Values may be nested too deeply, and say nothing."""
    said = _Said({}, {})
    for node in nodes:
        if node.type == "declaration":
            with suppress(RecursionError):
                value = tinycss2.serialize(node.value).strip().lower()
                if value:
                    (said.important if node.important else said.usual)[node.lower_name] = value
    return said


class _SheetBlock(NamedTuple):
    """What holds for all rules in a block of a sheet: the selectors around them, and whether they hold always."""

    selectors: tuple[str, ...] = ()
    is_conditional: bool = False
    is_layered: bool = False

    def rules_in(self, content: Any) -> Iterator[StyleRule]:
        """Yield the rules in the content of the block."""
        parse = tinycss2.parse_blocks_contents if self.selectors else tinycss2.parse_rule_list
        nodes = parse(content, skip_comments=True, skip_whitespace=True)
        said = _said_by(nodes)
        rules = (_rule(selector, said, self) for selector in self.selectors if said.together)
        yield from (rule for rule in rules if rule is not None)
        for node in nodes:
            block = self._inner(node)
            if block is not None:
                yield from block.rules_in(node.content)

    def _inner(self, node: Any) -> _SheetBlock | None:
        """Return the block of a rule or a condition in this one; None for no block, and for one of print only."""
        if node.type == "qualified-rule":
            return self._replace(selectors=_nested(node.prelude, self.selectors))
        if node.type != "at-rule" or node.content is None:
            return None
        if node.lower_at_keyword == "layer":
            return self._replace(is_layered=True)
        return self.of_media(tinycss2.serialize(node.prelude) if node.lower_at_keyword == "media" else "?")

    def of_media(self, media: str) -> _SheetBlock | None:
        """Return this block for media, as queries say that are divided by commas; None for print only."""
        queries = [query.strip() for query in media.split(",")]
        if all(map(_PRINT.fullmatch, queries)):
            return None
        return self if any(map(_EVERY_WINDOW.fullmatch, queries)) else self._replace(is_conditional=True)


@lru_cache(maxsize=16)
def _rules_of(sheet: str, media: str) -> tuple[StyleRule, ...]:
    """Return the rules of a sheet for a screen. The pages of a book link the same ones."""
    block = _SheetBlock().of_media(media)
    # A sheet may stand within marks of a comment of HTML.
    return () if block is None else tuple(block.rules_in(re.sub(r"<!--|-->", " ", sheet)))


def _nested(prelude: Sequence[Any], around: tuple[str, ...]) -> tuple[str, ...]:
    """Return the selectors of a rule in one with the selectors `around`, if there are any (CSS Nesting)."""
    groups = groupby(prelude, key=lambda node: node == ",")
    selectors = [tinycss2.serialize(list(nodes)) for is_comma, nodes in groups if not is_comma]
    if not around:
        return tuple(selectors)
    nested = (
        inner.replace("&", outer) if "&" in inner else f"{outer} {inner}" for outer in around for inner in selectors
    )
    return tuple(selector for selector in islice(nested, _MOST_NESTED) if len(selector) <= _LONGEST_NESTED)


def _rule(selector: str, said: _Said, block: _SheetBlock) -> StyleRule | None:
    """Return a rule of a block; None if it selects no element, or if the selector is not understood."""
    selector = selector.strip().replace("*|", "")
    parts = tuple(_PART.findall(selector))
    simple = _SIMPLE.fullmatch(_CONDITION.sub("", parts[-1][1])) if parts else None
    if simple is None or _OF_PART.search(selector) or _PART.sub("", selector):
        return None
    tag = simple["tag"] or ""
    counted = _OF_WHERE.sub("", selector)
    ids, classes, tags = (len(pattern.findall(counted)) for pattern in (_ID, _CLASS, _TAG))
    return StyleRule(
        parts,
        marks=frozenset(_MARK.findall(_CONDITION.sub("", selector))),
        absent=frozenset(_MARK.findall(" ".join(_NOT.findall(selector)))),
        loose=tuple(f"{tag}{mark}" for mark in _MARK.findall(simple["marks"])) or (tag or "*",),
        weight=_Weight(not block.is_layered, ids, classes, tags),
        said=said,
        is_conditional=block.is_conditional or not all(map(_LASTING.fullmatch, _CONDITION.findall(selector))),
    )
