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
    comment_text = _COMMENT.match(state.src, start)
    if comment_text is None:
        # The comment is not closed; more text may close it.
        end = last
        if "goes_on" not in state.env:
            return False
    else:
        end = first + state.src.count("\n", start, comment_text.end()) + 1
        has_words_after = end <= last and comment_text.end() < state.eMarks[end - 1]
        if end > last or has_words_after:
            return False
    if not silent:
        comment = state.push("comment", "", 0)
        comment.map = [first, end]
        comment.hidden = True
        comment.meta = {"closed": comment_text is not None}
        state.line = end
    return True


def inline_tag(state: StateInline, silent: bool) -> bool:
    """Parse a tag that sets text or names a picture, or a comment. A tag that is not closed is text itself."""
    if state.src[state.pos] not in "=<":
        return False
    if marked := _MARKED.match(state.src, state.pos, state.posMax):
        if not silent:
            _push_inside(state, "mark", marked.start(1), marked.end(1))
        state.pos = marked.end()
        return True
    if comment := _COMMENT.match(state.src, state.pos, state.posMax):
        state.pos = comment.end()
        return True
    picture = _PICTURE.match(state.src, state.pos, state.posMax)
    if picture is not None:
        has_address = _parse_picture(state, picture[1], silent)
        if has_address:
            state.pos = picture.end()
            return True
    tag = _TAG.match(state.src, state.pos, state.posMax)
    if tag is None:
        return False
    return _parse_style_tag(state, tag, silent)


def _parse_style_tag(state: StateInline, tag: re.Match[str], silent: bool) -> bool:
    """Parse a line break, or a tag that styles text up to its end tag. Return False if there is no end tag."""
    name = tag[1].lower()
    last = state.posMax
    if name == "br":
        if not silent:
            state.push("hardbreak", "br", 0)
        state.pos = _AFTER_BREAK.match(state.src, tag.end(), last).end()  # type: ignore[union-attr]
        return True
    is_empty = bool(tag[2])
    end = None if is_empty else re.compile(rf"</{name}\s*>", re.IGNORECASE).search(state.src, tag.end(), last)
    if end is None:
        return False
    if not silent:
        _push_inside(state, _MEANING.get(name, name), tag.end(), end.start())
    state.pos = end.end()
    return True


def _push_inside(state: StateInline, tag: str, start: int, end: int) -> None:
    """Parse the text between two positions, and add its tokens inside an element `tag`."""
    last = state.posMax
    state.push(f"{tag}_open", tag, 1)
    state.pos = start
    state.posMax = end
    state.md.inline.tokenize(state)
    state.push(f"{tag}_close", tag, -1)
    state.posMax = last


def _parse_picture(state: StateInline, attribute_text: str, silent: bool) -> bool:
    """Add the picture of a tag with these attributes, if it has a web address. Return whether it has one."""
    attributes = {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(attribute_text)}
    address = attributes.get("src", "")
    if not address.startswith(("http://", "https://")):
        return False
    if not silent:
        words = unescape(attributes.get("alt", "")).strip() or address
        picture = state.push("image", "img", 0)
        picture.attrs = {"src": state.md.normalizeLink(address)}
        picture.children = [Token("text", "", 0, content=words)]
    return True
