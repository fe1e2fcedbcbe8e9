"""Markdown in a terminal whose letters have the colours of the proposers that wrote them.

The colours change no letter and no line: the text is cut into parts of one colour before it is laid out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar

from markdown_it.token import Token
from rich.cells import split_graphemes
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text
from rich.theme import Theme

from app.cli.answer_markdown import STYLES, parse_answer
from app.cli.folded_results import FoldedResult, end_of_result
from app.cli.terminal import terminal_of
from app.text.echoed_results import RESULT
from app.text.places import SourcePlace, SourceReader
from app.text.utf16 import utf16_length
from engine.methods import source_words

# For each role, its colour in the window, so dark or so light that it can be read on white and on black, and the one of
# a terminal that has sixteen, whose shades its owner has chosen.
_COLOURS = {"draft": ("#0d8c7b", "cyan"), "lookup": ("#ad6c08", "yellow"), "chats": ("#cb5a9a", "magenta")}
# Without a background, which is dark on a light terminal.
_PLAIN = {"markdown.code": "cyan", "markdown.code_block": "cyan", "markdown.u": "underline", "markdown.mark": "bold"}
# Where colours say who wrote the letters, Markdown has none of its own.
_BESIDE_TINTS = {
    "markdown.code": "bold",
    "markdown.code_block": "none",
    "markdown.block_quote": "none",
    "markdown.list": "none",
    "markdown.item.number": "bold",
    "markdown.h2": "underline",
    "markdown.h3": "bold",
    "markdown.h4": "italic",
    "markdown.link": "underline",
    "markdown.link_url": "dim",
    "markdown.table.border": "dim",
    "markdown.table.header": "bold",
    "markdown.kbd": "bold",
    "markdown.u": "underline",
    "markdown.mark": "bold",
}


def tint_style(role: str, console: Console) -> str:
    """Return the style of a role's letters in the colours that the console has; "none" for the main model's."""
    if role not in _COLOURS:
        return "none"
    exact, named = _COLOURS[role]
    return named if console.color_system == "standard" else exact


def markdown_theme(console: Console, *, is_tinted: bool) -> Theme:
    """Return the theme of Markdown: with colours of its own, or if it `is_tinted` with the colours of roles only."""
    if not is_tinted:
        return Theme(_PLAIN)
    return Theme({**_BESIDE_TINTS, **{f"markdown.{role}": tint_style(role, console) for role in _COLOURS}})


def print_legend(sources: Iterable[str]) -> None:
    """Print the names of proposers in their colours, on standard error."""
    from app.wording.sources import role_of

    console = Console(file=terminal_of(sys.stderr), highlight=False)
    names = [Text(source_words(source), tint_style(role_of(source), console)) for source in sources]
    line = Text.assemble("[colours: ", Text(", ").join(names), "; the rest: the main model; off: --no-tokens]")
    console.print(line, soft_wrap=True)


class _TintedCode(CodeBlock):
    """A code block whose letters have the colours of roles, if it has some, instead of the colours of a language."""

    roles: Sequence[str] = ()

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _TintedCode:
        roles = token.meta.get("roles", ())
        language = (token.info or "").partition(" ")[0]
        block = cls("text" if roles or not language else language, markdown.code_theme)
        block.roles = roles
        return block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        syntax = Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=1)
        start = 0
        for number, line in enumerate(code.split("\n"), start=1):
            first = 0
            for role, letters in groupby(self.roles[start : start + len(line)]):
                after = first + len(list(letters))
                if role in _COLOURS:
                    begin, end = (len(line[:column].expandtabs(syntax.tab_size)) for column in (first, after))
                    style = Style.parse(tint_style(role, console))
                    syntax.stylize_range(style, (number, begin), (number, end))
                first = after
            start += len(line) + 1
        yield syntax


class TintedMarkdown(Markdown):
    """Markdown with the role of each character of its source, "" or "main" for one without a colour.

    `markup` may differ from the source in signs that are not shown. Without `roles`, it is drawn as it is. `goes_on`
    says that more text may come.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _TintedCode,
        "code_block": _TintedCode,
        RESULT: FoldedResult,
    }
    inlines = Markdown.inlines | {*_COLOURS, *STYLES, "link", "link_url"}

    def __init__(self, markup: str, source: str, roles: Sequence[str], *, goes_on: bool, **options: Any) -> None:
        super().__init__("", hyperlinks=False, **options)
        self.markup = markup
        parsed = parse_answer(markup, references=True, goes_on=goes_on)
        self.parsed = [token for token in parsed if token.type != "comment"]
        if any(role in _COLOURS for role in roles):
            reader = SourceReader(source)
            for token in self.parsed:
                if token.type in ("fence", "code_block"):
                    token.meta["roles"] = _roles_of(token.content, reader.code(token.content), roles)
                elif token.type == RESULT:
                    reader.at = end_of_result(token, source)
                elif token.children:
                    token.children = list(_tinted(token.children, reader, roles))


def _tinted(tokens: Sequence[Token], reader: SourceReader, roles: Sequence[str]) -> Iterator[Token]:
    """Yield the tokens of a line with its words cut into parts of one role. Addresses of links become words."""
    addresses: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            addresses.append(str(token.attrs.get("href", "")))
            yield Token("label_open", "link", 1)
        elif token.type == "link_close":
            yield Token("label_close", "link", -1)
            yield Token("text", "", 0, content=" (")
            yield from _styled("link_url", Token("text", "", 0, content=addresses.pop()))
            yield Token("text", "", 0, content=")")
        elif token.type in ("text", "code_inline"):
            yield from _parts(token, _roles_of(token.content, reader.words(token.content), roles))
        else:
            yield token


def _parts(token: Token, roles: Sequence[str]) -> Iterator[Token]:
    """Yield a token of words as several, each in the style of one role."""
    start = 0
    for role, letters in groupby(roles):
        end = start + len(list(letters))
        words = token.copy(content=token.content[start:end])
        if role in _COLOURS:
            yield from _styled(role, words)
        else:
            yield words
        start = end


def _styled(style: str, words: Token) -> Iterator[Token]:
    """Yield words in a style of Markdown."""
    yield Token("words_open", style, 1)
    yield words
    yield Token("words_close", style, -1)


def _roles_of(words: str, places: Sequence[SourcePlace], roles: Sequence[str]) -> list[str]:
    """Return the role of each character of words that are shown, "" where its place in the source is not known.

    Characters that a terminal draws as one sign, such as joined pictures, have the role of the first one: parts of a
    sign would be laid out wider than the sign that the width of a table's column was measured with, and cut there.
    """
    units = [""] * utf16_length(words)
    for place in places:
        for unit in range(place.start, place.end):
            source = place.source_start + (unit - place.start if place.is_literal else 0)
            units[unit] = roles[source] if source < len(roles) else ""
    at = 0
    of_letters = []
    for letter in words:
        of_letters.append(units[at])
        at += 2 if letter > "\uffff" else 1
    for start, end, _ in split_graphemes(words)[0]:
        of_letters[start:end] = of_letters[start : start + 1] * (end - start)
    return of_letters
