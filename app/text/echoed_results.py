"""Results of tools that a model repeats in its answer, in the marks that they have in its prompt. No Qt in here.

They are folded, as the result is shown already where the tool was called. Models of 1.5 billion parameters do so after
a call that was denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from app.text.thinking import half_a_mark

# The translated titles of such folds, by the English title.
titles: Mapping[str, str] = {}
_TITLE = "Result of a tool"
START = "<tool_response>"
END = "</tool_response>"
_RESULT = re.compile(rf"\s*{START}(?P<result>.*?)(?:{END}(?P<after>[^\n]*)|\Z)", re.DOTALL)
_BLANK_LINES = re.compile(r"\n[ \t]*\n")
# The type of the token of a result.
RESULT = "echoed_result"


@dataclass(frozen=True, slots=True)
class ResultParts:
    """A result's `words`, its `source` with the marks, and the text `after` it in its last line."""

    words: str
    source: str
    after: str


def read_results(parser: MarkdownIt) -> None:
    """Add a rule to a parser of Markdown: a result that begins a line becomes a token RESULT, also in lists."""
    kinds = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", RESULT, _parse_result, {"alt": kinds})


def _parse_result(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a result up to its end mark, or up to the end of the block around it.

    In a list it may go on in lines that are not indented. Words after the end mark in its line are a paragraph.

    The token's content is the source of the result, without the marks of lists and quotations around it. Its `meta`
    says whether it is `closed`, and whether it `has_words_after` its end mark.
    """
    start = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first) or not state.src.startswith(START, start):
        return False
    if silent:
        return True
    line = first
    begin = start + len(START)
    end = state.src.find(END, begin, state.eMarks[line])
    while end < 0 and line + 1 < last:
        line += 1
        begin = state.bMarks[line] + state.tShift[line]
        end = state.src.find(END, begin, state.eMarks[line])
    after = state.src[end + len(END) : state.eMarks[line]] if end >= 0 else ""
    lines = [state.src[start : state.eMarks[first]]]
    lines += [state.getLines(below, below + 1, state.blkIndent, False) for below in range(first + 1, line + 1)]
    result = state.push(RESULT, "", 0)
    result.content = "\n".join(lines).removesuffix(after)
    result.map = [first, line + 1]
    result.meta = {"closed": end >= 0, "has_words_after": bool(after.strip())}
    state.line = line + 1
    if after.strip():
        # It has no lines of its own in `map`, because it cannot be parsed apart from the result.
        state.push("paragraph_open", "p", 1)
        inline = state.push("inline", "", 0)
        inline.content = after.strip()
        inline.children = list[Token]()
        state.push("paragraph_close", "p", -1)
    return True


def fold_results(state: StateCore) -> None:
    """Replace each token RESULT by the tokens of a fold: its title, and the paragraphs of the result."""
    tokens: list[Token] = []
    for token in state.tokens:
        tokens += _fold_of(token) if token.type == RESULT else [token]
    state.tokens = tokens


def _fold_of(result: Token) -> Iterator[Token]:
    parts = parts_of_result(result.content)
    assert parts is not None
    yield Token("result_open", "details", 1, block=True)
    yield from _block("summary", "summary", titles.get(_TITLE, _TITLE))
    for words in _BLANK_LINES.split(parts.words):
        if words.strip():
            yield from _block("paragraph", "p", words.strip())
    yield Token("result_close", "details", -1, block=True)


def _block(kind: str, tag: str, words: str) -> list[Token]:
    """Return the tokens of a block with a text."""
    inline = Token("inline", "", 0, content=words, children=[], block=True)
    return [Token(f"{kind}_open", tag, 1, block=True), inline, Token(f"{kind}_close", tag, -1, block=True)]


def parts_of_result(source: str) -> ResultParts | None:
    """Return the parts of a result, given its source; None if it is the source of another fold.

    The beginning of its end mark, which later text may complete, is not in the words.
    """
    matched = _RESULT.match(source)
    if matched is None:
        return None
    words = matched["result"]
    if matched["after"] is None:
        return ResultParts(words[: len(words) - half_a_mark(words, END)], source, "")
    return ResultParts(words, source[: matched.start("after")], matched["after"])
