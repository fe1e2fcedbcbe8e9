"""The parser of Markdown: every text that is shown, printed, copied or exported is read by it. No Qt in here.

It reads CommonMark with tables, strikethrough, marks, tasks, alerts, notes, terms, formulas and bare addresses. Tags
that set text and name pictures have their meaning of HTML, comments are left out, and all other HTML is text. So are
definitions of links that no link uses, because sources of an answer look like them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count, groupby, pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_block.table import table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from app.text.echoed_results import fold_results, parts_of_result, read_results
from app.text.emphasis import delimiters
from app.text.fences import BegunCode
from app.text.formulas import display_end, formula_at
from app.text.inline_html import comment_block, inline_tag
from app.text.lenient_blocks import item_of_answer, table_line, tight_head
from app.text.lenient_fences import BEGUN, fence_below_words, fence_of_answer
from app.text.pieces import without_colours

# The greatest depth of quotes, lists and their items inside each other. The parser would leave out deeper blocks.
_DEEPEST = 18
_LABEL = re.compile(r"\[((?:\\.|[^\\\[\]])+)\]")
_NOTE = re.compile(r"\[\^([^\s\[\]]+)\]")
_MATH_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:math)?[ \t]*$", re.MULTILINE)
_LONE_TAG = re.compile(r"</?p(?:\s[^<>]*)?>", re.IGNORECASE)
_FOLD = re.compile(
    r"<details(?P<open>(?:\s[^<>]*)?)>\s*<summary(?:\s[^<>]*)?>(?P<words>.{0,1000}?)</summary\s*>[ \t]*"
    r"(?P<rest>[^\n]*?)(?P<end></details\s*>[ \t]*(?=\n|\Z))?(?=\n|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# A fold whose summary is still being written, at the end of a text.
_BEGUN_FOLD = re.compile(r"<details(?:\s[^<>]*)?>\s*(?:<\w{0,7}|<summary[\s>].{0,1000})?\Z", re.IGNORECASE | re.DOTALL)
_FOLD_END = re.compile(r"</details\s*>[ \t]*\Z", re.IGNORECASE)
# An address ends before full stops and the like, and before a bracket that was opened outside of it.
_IN_ADDRESS = r"[!#-'*-;=?@A-Z\[\]_a-z~]|\([!#-'*-;=?@\w\[\]~]*\)"
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:(?P<scheme>https?|ftp)://|www\.)[A-Za-z0-9]"
    rf"(?:(?:{_IN_ADDRESS})*(?:[#-&+/0-9=@A-Z\[\]a-z-]|\([!#-'*-;=?@\w\[\]~]*\)))?"
    r"|(?<![.+_-])(?P<mail>[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+))",
    re.ASCII,
)
# Code, and what may be a formula, in a row of a table: a bar in them divides no cells.
_CODE_OR_FORMULA = re.compile(
    r"(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|(?<![\\$\w])\$(?![\s$])[^$\n]+?(?<!\s)\$(?![$\w])|\\\(.*?\\\)", re.ASCII
)
_BAR_OF_CODE = re.compile(r"(?<!\\)\|")
_BAR_SIGN = "\ufdd2"
# The translated titles of alerts, by their English titles.
alert_titles: Mapping[str, str] = {}


def parse_blocks(markdown: str, goes_on: bool = True, begun: BegunCode | None = None) -> list[Token]:
    """Return the tokens of the blocks of a text. `begun` is the code in it whose first lines are not in the text.

    If the text may go on, an open display formula, a comment and the open summary of a fold extend to its end.
    """
    tokens: list[Token] = []
    env: dict[str, Any] = {"goes_on": True} if goes_on else {}
    PARSER.block.parse(markdown, PARSER, env | {BEGUN: begun}, tokens)
    return tokens


def parse(markdown: str, definitions: str = "") -> list[Token]:
    """Return the tokens of a text; `definitions` is Markdown that defines links and notes for it."""
    env: dict[str, Any] = {}
    PARSER.block.parse(definitions, PARSER, env, [])
    return PARSER.parse(without_colours(markdown), env)


def source_in_fold(source: str) -> tuple[str, bool]:
    """Return the Markdown that a fold shows when it is open, and whether it is open at first."""
    parts = parts_of_result(source)
    if parts is not None:
        return parts.words, False
    begin = _FOLD.match(source.lstrip())
    assert begin is not None
    folded = source.lstrip()[begin.end() :].rstrip()
    end = _FOLD_END.search(folded)
    if end is not None:
        folded = folded[: end.start()]
    return begin["rest"] + folded, "open" in begin["open"].lower().split()


def _definitions(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse the definitions of links as one block."""
    if silent or not reference(state, first, last, silent):
        return False
    # The label ("" if it has none) and the text of each definition.
    definitions = []
    start = first
    while True:
        text = state.getLines(start, state.line, state.blkIndent, False).strip()
        label = _LABEL.match(text)
        name = normalizeReference(label[1]) if label else ""
        definitions.append((name, text))
        start = state.line
        is_note = start < last and state.src.startswith("[^", state.bMarks[start] + state.tShift[start])
        if start >= last or is_note or state.isEmpty(start) or not reference(state, start, last, silent):
            break
    token = state.push("definitions", "", 0)
    token.map = [first, start]
    token.meta = {"definitions": definitions}
    state.line = start
    return True


def _fold(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse the beginning or the end of a fold. One inside a list or a quotation is only a summary and its text."""
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    folds = _open_folds(state)
    if folds and _FOLD_END.match(state.src[start : state.eMarks[first]]):
        if not silent:
            state.line = first + 1
            _end_fold(state, folds.pop())
        return True
    if state.src[start : start + 8].lower() != "<details":
        return False
    begin = _FOLD.match(state.src, start)
    if begin is not None:
        if not silent:
            _begin_fold(state, begin, first, last)
        return True
    # The summary of a fold that is still being written is text up to the end.
    if state.level or "goes_on" not in state.env or not _BEGUN_FOLD.match(state.src, start):
        return False
    if not silent:
        opened = _push_text(state, "p", state.src[start:], "begun_fold", [first, last])
        opened.meta = {"closed": False}
        state.line = last
    return True


def _begin_fold(state: StateBlock, begin: re.Match[str], first: int, last: int) -> None:
    """Add the beginning of a fold, with the text in the same line, and its end if that is there, too."""
    folds = _open_folds(state)
    fold = Token("", "", 0, level=state.level)
    if state.level == len(folds) and all(outer.map for outer in folds):
        fold = state.push("details_open", "details", 1)
        fold.attrs = {"open": ""} if "open" in begin["open"].lower().split() else {}
        fold.map = [first, last]
    fold.meta = {"inside": len(state.tokens)}
    _push_text(state, "summary", begin["words"])
    if begin["rest"].strip():
        _push_text(state, "p", begin["rest"], "paragraph")
    state.line = first + state.src.count("\n", begin.start(), begin.end()) + 1
    if begin["end"]:
        _end_fold(state, fold)
    else:
        folds.append(fold)


def _open_folds(state: StateBlock) -> list[Token]:
    """Return the folds that are open here. They end with the block around them; those without a map are not shown."""
    folds: list[Token] = state.env.setdefault("folds", [])
    while folds and any(token.level < folds[-1].level for token in state.tokens[folds[-1].meta["inside"] :]):
        folds.pop()
    return folds


def _end_fold(state: StateBlock, fold: Token) -> None:
    if fold.map and state.level == fold.level + 1:
        fold.map[1] = state.line
        state.push("details_close", "details", -1)


def _formula_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a display formula as one block, whatever its lines look like."""
    if state.is_code_block(first):
        return False
    # It ends with the item of a list that it is in, as a fence does.
    within = first + 1
    while within < last and (state.isEmpty(within) or state.sCount[within] >= state.blkIndent):
        within += 1
    is_last = within == last
    last = within

    def line_of(line: int) -> str:
        return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]

    end = display_end(line_of, first, last)
    if end is None:
        return False
    goes_on = is_last and "goes_on" in state.env
    # The end is after `last` if the formula is still open there.
    if end > last and not goes_on:
        return False
    closed = end <= last
    end = min(end, last)
    if not silent:
        lines = state.getLines(first, end, state.blkIndent, False)
        is_fence = lines.lstrip().startswith(("`", "~"))
        opened = _push_text(state, "p", _MATH_FENCE.sub("$$", lines) if is_fence else lines, "formula", [first, end])
        opened.meta = {"closed": closed}
        state.line = end
    return True


def _deep_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Treat blocks nested beyond the limit, which the parser would leave out, as one paragraph."""
    if silent or state.level < _DEEPEST:
        return False
    end = first + 1
    while end < last and (state.isEmpty(end) or state.sCount[end] >= state.blkIndent):
        end += 1
    _push_text(state, "p", state.getLines(first, end, state.blkIndent, False), "paragraph", [first, end])
    state.line = end
    return True


def _push_text(state: StateBlock, tag: str, text: str, kind: str = "", lines: list[int] | None = None) -> Token:
    """Add a block with a text. Return the token that opens it."""
    opened = state.push(f"{kind or tag}_open", tag, 1)
    opened.map = lines
    inline = state.push("inline", "", 0)
    inline.content = text.strip()
    inline.children = []
    state.push(f"{kind or tag}_close", tag, -1)
    return opened


def _table(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Parse a table. Meanwhile, bars in code and formulas are replaced by `_BAR_SIGN`, which has the same length."""
    before = len(state.tokens)
    source = state.src
    start = state.bMarks[first]
    has_bar = source.find("|", start, state.eMarks[first]) >= 0
    if first + 1 < last and has_bar:
        end = state.eMarks[first] if silent else source.find("\n\n", start)
        rows = _CODE_OR_FORMULA.sub(_without_bars, source[start : end if end >= 0 else len(source)])
        state.src = source[:start] + rows + source[start + len(rows) :]
    is_table = table(state, first, last, silent)
    state.src = source
    for token in state.tokens[before:]:
        token.content = token.content.replace(_BAR_SIGN, "|")
    return is_table


def _without_bars(part: re.Match[str]) -> str:
    """Return code, or what may be a formula, with its bars replaced. Bars outside of formulas stay."""
    if part[1]:
        return _BAR_OF_CODE.sub(_BAR_SIGN, part[0])
    return part[0].replace("|", _BAR_SIGN) if formula_at(part.string, *part.span()) else part[0]


def _formula(state: StateInline, silent: bool) -> bool:
    formula_and_end = formula_at(state.src, state.pos, state.posMax)
    if formula_and_end is None:
        return False
    formula, state.pos = formula_and_end
    if not silent:
        token = state.push("formula", "", 0)
        token.content = formula.source
        token.meta = {"formula": formula}
    return True


def _note(state: StateInline, silent: bool) -> bool:
    """Parse the mark of a note. Labels in words need the note, because patterns look like them."""
    mark = _NOTE.match(state.src, state.pos, state.posMax)
    if mark is None:
        return False
    label = mark[1]
    notes = state.env.get("footnotes", {}).get("refs", ())
    if not (label.isdigit() or f":{label}" in notes):
        return False
    if not silent:
        state.push("footnote_ref", "", 0).content = _number_of(label, notes)
    state.pos = mark.end()
    return True


def _number_of(label: str, notes: Iterable[str]) -> str:
    """Return the number of a note: its label, or for a label in words the next number that is no label.

    `notes` are the labels of all notes, each after a colon.
    """
    if label.isdigit():
        return label
    labels = [note[1:] for note in notes]
    labels_in_words = (other for other in labels if not other.isdigit())
    unused_numbers = (number for number in map(str, count(1)) if number not in labels)
    number_of = dict(zip(labels_in_words, unused_numbers, strict=False))
    return number_of[label]


def _name_heads(state: StateCore) -> None:
    """Name the titles of alerts in the language in use, and the notes by their numbers."""
    for token, following in pairwise(state.tokens):
        if token.type == "alert_title_open":
            following.content = alert_titles.get(following.content, following.content)
        elif token.type == "footnote_reference_open":
            token.meta["label"] = _number_of(token.meta["label"], state.env["footnotes"]["refs"])


def _leave_out_definitions(state: StateCore) -> None:
    """Leave out the definitions that links use, and show the others as they are typed."""
    used = {child.meta.get("label") for token in state.tokens for child in token.children or ()}
    tokens: list[Token] = []
    for token in state.tokens:
        unused = [text for label, text in token.meta.get("definitions", ()) if label not in used]
        if unused:
            words = Token("text", "", 0, content="\n".join(unused))
            inline = Token("inline", "", 0, children=[words], content=words.content)
            tokens += [Token("paragraph_open", "p", 1), inline, Token("paragraph_close", "p", -1)]
        elif token.type != "definitions":
            tokens.append(token)
    state.tokens = tokens


def _split_paragraphs(state: StateCore) -> None:
    """Split paragraphs at `<p>`. In cells and headings, `<p>` becomes a line break.

    Line breaks and white space at the ends of the parts are left out.
    """
    tokens: list[Token] = []
    for token in state.tokens:
        if token.type == "inline":
            first, *others = _paragraph_parts(token) or [[]]
            token.children = first
            for part in others:
                if tokens[-1].type == "paragraph_open":
                    tokens += [token, Token("paragraph_close", "p", -1), tokens[-1]]
                    token = replace(token, children=part)
                else:
                    first += [Token("hardbreak", "br", 0), *part]
        tokens.append(token)
    state.tokens = tokens


def _paragraph_parts(inline: Token) -> list[list[Token]]:
    """Return the tokens between the `<p>` of an inline token, in parts that are not blank."""
    if _LONE_TAG.fullmatch(inline.content):
        return []
    groups = groupby(inline.children or [], lambda child: child.tag == "p")
    parts = [_trimmed(list(group)) for is_border, group in groups if not is_border]
    return [part for part in parts if part]


def _trimmed(part: list[Token]) -> list[Token]:
    """Return the tokens without breaks and white space at both ends; [] if there is nothing else."""
    visible = [index for index, token in enumerate(part) if not _is_blank(token)]
    return part[visible[0] : visible[-1] + 1] if visible else []


def _is_blank(token: Token) -> bool:
    return token.tag == "br" or (token.type == "text" and not token.content.strip())


def _link_addresses(state: StateCore) -> None:
    """Make links of bare addresses."""
    for block in state.tokens:
        if not block.children or not ("://" in block.content or "www." in block.content or "@" in block.content):
            continue
        children: list[Token] = []
        in_link = 0
        for token in block.children:
            if token.tag == "a":
                in_link += token.nesting
            children += _with_links(token, state.md) if token.type == "text" and not in_link else [token]
        block.children = children


def _with_scheme(address: re.Match[str]) -> str:
    """Return an address with its scheme, as a browser needs it."""
    if address["mail"]:
        return "mailto:" + address[0]
    return address[0] if address["scheme"] else "http://" + address[0]


def _with_links(text: Token, parser: MarkdownIt) -> Iterator[Token]:
    at = 0
    for address in _ADDRESS.finditer(text.content):
        yield replace(text, content=text.content[at : address.start()])
        yield Token("link_open", "a", 1, {"href": parser.normalizeLink(_with_scheme(address))})
        yield replace(text, content=address[0])
        yield Token("link_close", "a", -1)
        at = address.end()
    yield replace(text, content=text.content[at:])


def _configured() -> MarkdownIt:
    options = {"html": False, "breaks": True, "tasklists": True, "alerts": True, "store_labels": True}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False, move_to_end=False).use(deflist_plugin)
    block = parser.block.ruler
    inline = parser.inline.ruler
    core = parser.core.ruler
    block.disable("html_block")
    block.at("reference", _definitions)
    block.at("table", _table, {"alt": ["paragraph"]})
    block.before("table", "too_deep", _deep_block)
    block.before("table", "item", item_of_answer)
    block.before("heading", "tight_head", tight_head, {"alt": ["paragraph", "reference", "blockquote"]})
    block.before("table", "table_line", table_line)
    block.at("fence", fence_of_answer, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    # Above what reads several lines as one block.
    block.before("lheading", "glued", fence_below_words, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    block.before("fence", "formula", _formula_block, {"alt": ["paragraph", "blockquote", "list"]})
    block.before("fence", "comment", comment_block, {"alt": ["blockquote", "list"]})
    block.before("fence", "fold", _fold, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    read_results(parser)
    inline.before("escape", "formula", _formula)
    inline.before("link", "html", inline_tag)
    inline.at("footnote_ref", _note)
    inline.at("emphasis", delimiters)
    # The rule for emphasis reads these, too.
    inline.disable("strikethrough")
    core.before("inline", "heads", _name_heads)
    core.before("inline", "results", fold_results)
    core.push("paragraphs", _split_paragraphs)
    core.push("definitions", _leave_out_definitions)
    core.push("addresses", _link_addresses)
    # The first text makes the lists of rules. Made here, threads can share the parser.
    parser.parse("*a*")
    return parser


PARSER = _configured()
