"""The top-level blocks of a text by their lines, and the code and definitions in them. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

# In a table of more lines than this, a row is shown when it is complete, because the whole table is laid out again.
_LONG_TABLE = 12


@dataclass(frozen=True)
class CodeSpan:
    """A code block in a span. `is_last` says whether nothing follows it in the open text."""

    start: int
    end: int
    content: str
    info: str
    fenced: bool
    lists: int
    quotes: int
    is_last: bool = False

    @property
    def has_fence_below(self) -> bool:
        written = self.content.count("\n")
        if self.content and not self.content.endswith("\n"):
            written += 1
        return self.fenced and self.end - self.start - 1 > written

    def may_end(self, lines: list[str]) -> bool:
        """Return whether the last line of the text may become the fence below, and should not be shown yet."""
        signs = set(self.content[self.content.rfind("\n") + 1 :].strip())
        return self.is_last and self.fenced and signs in ({"`"}, {"~"}) and not lines[-1].endswith("\n")


@dataclass(frozen=True)
class Span:
    """A top-level block of the open text: its lines, for a list those of its items but the first, and what is in it."""

    kind: str
    start: int
    end: int
    items: tuple[int, ...] = ()
    codes: tuple[CodeSpan, ...] = ()
    definitions: tuple[str, ...] = ()
    closed: bool = True

    @property
    def is_long_table(self) -> bool:
        return self.kind == "table_open" and self.end - self.start > _LONG_TABLE


def top_level(text: str) -> list[Span]:
    # Imported with the first answer that is shown, because it would delay the window.
    from app.text.markdown import parse_blocks

    spans: list[Span] = []
    items, codes, definitions = list[int](), list[CodeSpan](), list[str]()
    lists = quotes = 0
    opened, ends_in_code = None, False
    for token in parse_blocks(text):
        if token.level == 0 and token.map and token.nesting >= 0:
            opened, items, codes, definitions = token, [], [], []
        if token.level == 1 and token.type == "list_item_open" and token.map:
            items.append(token.map[0])
        lists += token.nesting if token.tag in ("ul", "ol", "dd") else 0
        quotes += token.nesting if token.type.startswith(("blockquote", "alert_o", "alert_c")) else 0
        is_code = token.type in ("fence", "code_block")
        ends_in_code = is_code or (ends_in_code and token.nesting < 0)
        if is_code and token.map:
            first, end = token.map
            codes.append(CodeSpan(first, end, token.content, token.info, token.type == "fence", lists, quotes))
        elif token.type == "definitions":
            definitions += [text for _, text in token.meta["definitions"]]
        elif token.type == "footnote_reference_open":
            definitions.append(f"[^{token.meta['label']}]: .")
        if opened is not None and token.level == 0 and token.nesting <= 0:
            spans.append(_span_of(opened, items, codes, definitions))
            opened = None
    if opened is not None:
        spans.append(replace(_span_of(opened, items, codes, definitions), closed=False))
    if ends_in_code and spans[-1].codes:
        *before, last = spans[-1].codes
        spans[-1] = replace(spans[-1], codes=(*before, replace(last, is_last=True)))
    return spans


def _span_of(token: Token, items: list[int], codes: list[CodeSpan], definitions: list[str]) -> Span:
    assert token.map
    inside = () if token.type == "details_open" else tuple(codes)
    return Span(token.type, token.map[0], token.map[1], tuple(items[1:]), inside, tuple(definitions))
