"""Tags in Markdown that set text or name pictures, marks between `==`, and comments. No Qt in here."""

from __future__ import annotations

import re
from html import unescape

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# Tags whose attributes mean nothing here, and the names of those that mean the same as another.
_TAG = re.compile(r"<(br|p|b|strong|i|em|u|ins|s|del|strike|mark|sub|sup|kbd)(?:\s[^<>]*)?(/?)>", re.IGNORECASE)
_MEANING = {"b": "strong", "i": "em", "del": "s", "strike": "s", "ins": "u"}
_MARKED = re.compile(r"(?<![\w=])==(?=[^\s=])((?:[^=\n]|=(?!=))+)(?<=[^\s=])==(?![\w=])", re.ASCII)
_COMMENT = re.compile(r"<!--.*?-->[ \t]*", re.DOTALL)
_PICTURE = re.compile(r"<img\s([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_AFTER_BREAK = re.compile(r"[ \t]*\n?[ \t]*")


def comment_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Leave out a comment on lines of its own, or one that is still being written."""
    start = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first) or not state.src.startswith("<!--", start):
        return False
    found = _COMMENT.match(state.src, start)
    end = first + state.src.count("\n", start, found.end()) + 1 if found else last
    if end > last or (found.end() < state.eMarks[end - 1] if found else "goes_on" not in state.env):
        return False
    if not silent:
        comment = state.push("comment", "", 0)
        comment.map = [first, end]
        comment.hidden = True
        comment.meta = {"closed": found is not None}
        state.line = end
    return True


def inline_tag(state: StateInline, silent: bool) -> bool:
    """Parse a tag that sets text or names a picture, or a comment. A tag that is not closed is text itself."""
    if state.src[state.pos] not in "=<":
        return False
    if found := _MARKED.match(state.src, state.pos, state.posMax):
        if not silent:
            _push_inside(state, "mark", found.start(1), found.end(1))
        state.pos = found.end()
        return True
    if found := _COMMENT.match(state.src, state.pos, state.posMax):
        state.pos = found.end()
        return True
    if (found := _PICTURE.match(state.src, state.pos, state.posMax)) and _picture(state, found[1], silent):
        state.pos = found.end()
        return True
    if (found := _TAG.match(state.src, state.pos, state.posMax)) is None:
        return False
    name = found[1].lower()
    start = found.end()
    last = state.posMax
    if name == "br":
        if not silent:
            state.push("hardbreak", "br", 0)
        state.pos = _AFTER_BREAK.match(state.src, start, last).end()  # type: ignore[union-attr]
        return True
    end = None if found[2] else re.compile(rf"</{name}\s*>", re.IGNORECASE).search(state.src, start, last)
    if end is None:
        return False
    if not silent:
        _push_inside(state, _MEANING.get(name, name), start, end.start())
    state.pos = end.end()
    return True


def _push_inside(state: StateInline, tag: str, start: int, end: int) -> None:
    """Add what is between two positions, set as the tag says."""
    last = state.posMax
    state.push(f"{tag}_open", tag, 1)
    state.pos, state.posMax = start, end
    state.md.inline.tokenize(state)
    state.push(f"{tag}_close", tag, -1)
    state.posMax = last


def _picture(state: StateInline, written: str, silent: bool) -> bool:
    """Add the picture of a tag with these attributes, if it has a web address. Return whether it has."""
    found = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(written)}
    if not found.get("src", "").startswith(("http://", "https://")):
        return False
    if not silent:
        words = unescape(found.get("alt", "")).strip() or found["src"]
        picture = state.push("image", "img", 0)
        picture.attrs = {"src": state.md.normalizeLink(found["src"])}
        picture.children = [Token("text", "", 0, content=words)]
    return True
