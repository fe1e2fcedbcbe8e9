"""Results of tools that a model repeats in its answer, in the marks that they have in its prompt. No Qt in here.

They are folded, as the result is shown already where the tool was called. Models of 1.5 billion parameters do so after
a call that was denied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from app.text.thinking import half_a_mark

# The titles of such folds by their English one.
titles: Mapping[str, str] = {}
_TITLE = "Result of a tool"
START, END = "<tool_response>", "</tool_response>"
_RESULT = re.compile(rf"\s*{START}(?P<result>.*?)(?:{END}(?P<after>[^\n]*)|\Z)", re.DOTALL)


def echoed_result(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a result that begins a line outside of lists and quotations, and goes on to its end mark or to the end.

    What follows the end mark in its line is a paragraph below the fold.
    """
    start = state.bMarks[first] + state.tShift[first]
    if state.level or state.is_code_block(first) or not state.src.startswith(START, start):
        return False
    if silent:
        return True
    matched = _RESULT.match(state.src, start)
    assert matched is not None
    state.line = min(last, first + state.src.count("\n", start, matched.end()) + 1)
    fold = state.push("details_open", "details", 1)
    fold.map = [first, state.line]
    fold.meta = {"closed": matched["after"] is not None}
    _push_words(state, "summary", "summary", titles.get(_TITLE, _TITLE))
    for words in re.split(r"\n[ \t]*\n", matched["result"]):
        _push_words(state, "paragraph", "p", words)
    state.push("details_close", "details", -1)
    _push_words(state, "paragraph", "p", matched["after"] or "")
    return True


def _push_words(state: StateBlock, kind: str, tag: str, words: str) -> None:
    """Add a block with a text, unless that is blank."""
    if words.strip():
        state.push(f"{kind}_open", tag, 1)
        inline = state.push("inline", "", 0)
        inline.content = words.strip()
        inline.children = list[Token]()
        state.push(f"{kind}_close", tag, -1)


def parts_of_result(source: str) -> tuple[str, str, str] | None:
    """Return a result, its source with the marks, and the text after it; None if `source` is another fold.

    The beginning of its end mark, which later text may complete, is not in the result.
    """
    matched = _RESULT.match(source)
    if matched is None:
        return None
    result = matched["result"]
    if matched["after"] is None:
        return result[: len(result) - half_a_mark(result, END)], source, ""
    return result, source[: matched.start("after")], matched["after"]
