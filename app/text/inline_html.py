"""Tags in Markdown that set text, lead somewhere or name pictures, marks between `==`, and comments. No Qt in here.

Tags that only lay words out are left out if they are closed in the same paragraph, or alone on their line: otherwise
somebody speaks of them. `<script>` and `<style>` stay text with what is in them, as on GitHub.
"""

from __future__ import annotations

import re
from html import unescape

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# Tags whose attributes mean nothing here, and the names of those that mean the same as another.
_TAG = re.compile(r"<(br|p|b|strong|i|em|u|ins|s|del|strike|mark|sub|sup|kbd)(?:\s[^<>]*)?(/?)>", re.IGNORECASE)
_MEANING = {"b": "strong", "i": "em", "del": "s", "strike": "s", "ins": "u"}
# Tags that are left out, and their words stay; and a line of nothing else.
_LAYOUT_NAMES = "abbr|big|center|cite|dfn|div|font|small|span"
_LAYOUT = re.compile(rf"<(?P<end>/?)(?P<name>{_LAYOUT_NAMES})(?:\s[^<>]*|/)?>", re.IGNORECASE)
_LAYOUT_LINE = re.compile(rf"(?:\s*</?(?:{_LAYOUT_NAMES})(?:\s[^<>]*|/)?>)+\s*", re.IGNORECASE)
_LINK = re.compile(r"<a(?:\s([^<>]*))?>", re.IGNORECASE)
_LINK_END = re.compile(r"</a\s*>", re.IGNORECASE)
_MARKED = re.compile(r"(?<![\w=])==(?=[^\s=])((?:[^=\n]|=(?!=))+)(?<=[^\s=])==(?![\w=])", re.ASCII)
_COMMENT = re.compile(r"<!--.*?-->[ \t]*", re.DOTALL)
_PICTURE = re.compile(r"<img\s([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(href|src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
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
    link = _LINK.match(state.src, state.pos, state.posMax)
    if link is not None:
        return _parse_link(state, link, silent)
    layout = _LAYOUT.match(state.src, state.pos, state.posMax)
    if layout is not None:
        return _leave_out(state, layout)
    tag = _TAG.match(state.src, state.pos, state.posMax)
    if tag is None:
        return False
    return _parse_style_tag(state, tag, silent)


def _leave_out(state: StateInline, tag: re.Match[str]) -> bool:
    """Leave out a tag that lays words out. Return False if it is text itself."""
    src = state.src
    name = tag["name"]
    if tag["end"]:
        has_partner = src.rfind(f"<{name}", 0, tag.start()) >= 0
    elif tag[0].endswith("/>"):
        has_partner = True
    else:
        has_partner = re.compile(f"</{name}", re.IGNORECASE).search(src, tag.end(), state.posMax) is not None
    line_end = src.find("\n", tag.end())
    line_end = line_end if line_end >= 0 else len(src)
    is_alone = _LAYOUT_LINE.fullmatch(src, src.rfind("\n", 0, tag.start()) + 1, line_end) is not None
    if not (is_alone or has_partner):
        return False
    is_last = is_alone and not src[tag.end() : line_end].strip()
    state.pos = min(line_end + 1, state.posMax) if is_last else tag.end()
    return True


def _parse_link(state: StateInline, link: re.Match[str], silent: bool) -> bool:
    """Parse a link; without an address of the web or of mail only its words. Return False if it has no end tag."""
    end = _LINK_END.search(state.src, link.end(), state.posMax)
    if end is None:
        return False
    if not silent:
        address = unescape(_attributes(link[1] or "").get("href", ""))
        if address.lower().startswith(("http://", "https://", "mailto:")):
            _push_inside(state, "a", link.end(), end.start(), state.md.normalizeLink(address))
        else:
            _tokenize(state, link.end(), end.start())
    state.pos = end.end()
    return True


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


def _push_inside(state: StateInline, tag: str, start: int, end: int, address: str = "") -> None:
    """Parse the text between two positions, and add its tokens inside an element `tag`, which may be a link."""
    kind = "link" if address else tag
    state.push(f"{kind}_open", tag, 1).attrs = {"href": address} if address else {}
    _tokenize(state, start, end)
    state.push(f"{kind}_close", tag, -1)


def _tokenize(state: StateInline, start: int, end: int) -> None:
    """Parse the text between two positions, and add its tokens."""
    last = state.posMax
    state.pos = start
    state.posMax = end
    state.md.inline.tokenize(state)
    state.posMax = last


def _attributes(text: str) -> dict[str, str]:
    """Return the attributes that name addresses and pictures, by their names in lower case."""
    return {name.lower(): "".join(values) for name, *values in _ATTRIBUTE.findall(text)}


def _parse_picture(state: StateInline, attribute_text: str, silent: bool) -> bool:
    """Add the picture of a tag with these attributes, if it has a web address. Return whether it has one."""
    attributes = _attributes(attribute_text)
    address = attributes.get("src", "")
    if not address.startswith(("http://", "https://")):
        return False
    if not silent:
        words = unescape(attributes.get("alt", "")).strip() or address
        picture = state.push("image", "img", 0)
        picture.attrs = {"src": state.md.normalizeLink(address)}
        picture.children = [Token("text", "", 0, content=words)]
    return True
