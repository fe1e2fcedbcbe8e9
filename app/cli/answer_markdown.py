"""The parser of answers for a terminal, in which no text is lost: tags are words unless they set text.

Programs, forms and commands have names in angle brackets, which HTML would take for tags: `Vec<String>`, `clone <url>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.text.echoed_results import read_results
from app.text.inline_html import comment_block, inline_tag

# What sets text beside the emphasis of Markdown.
STYLES = ("u", "mark", "sub", "sup", "kbd")


@cache
def answer_parser(*, references: bool) -> MarkdownIt:
    """Return the parser, which takes definitions of links out of the text only with `references`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    if not references:
        parser.disable("reference")
    parser.block.ruler.before("fence", "comment", comment_block, {"alt": ["blockquote", "list"]})
    parser.inline.ruler.before("link", "html", inline_tag)
    read_results(parser)
    return parser


def parse_answer(text: str, *, references: bool, goes_on: bool) -> list[Token]:
    """Return the tokens of an answer. A comment that is not closed is text, unless the answer `goes_on`."""
    tokens = answer_parser(references=references).parse(text, {"goes_on": True} if goes_on else {})
    for token in tokens:
        if token.children:
            token.children = list(_with_breaks(token.children))
    return tokens


def _with_breaks(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a line with breaks in place of the tags of paragraphs."""
    for number, token in enumerate(tokens, start=1):
        if token.tag != "p":
            yield token
        elif token.nesting < 0 and number < len(tokens):
            yield Token("hardbreak", "br", 0)
