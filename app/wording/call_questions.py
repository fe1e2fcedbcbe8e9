"""What a call of a tool would do, in one line, for the person who allows or denies it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from app.session.calls import ToolRun
from app.tools.search_services import DEFAULT_SERVICE, SERVICES
from app.tools.tool import TANDEM, Tool, visible
from app.tools.web_addresses import web_url
from app.tools.web_results import READ_PAGE, SEARCH_WEB
from app.wording.sentences import translate
from app.wording.sources import recorded_name
from app.wording.tools import site_name, tool_name, written_out

_FIELD = re.compile(r"\{(\w+)\}")
# The arguments that stand in the line itself, by the tool of Tandem.
_IN_LINE = {READ_PAGE: "url", SEARCH_WEB: "query"}


class QuestionPiece(NamedTuple):
    """A piece of the line. A person looks at the pieces that are `bold` first."""

    text: str
    bold: bool = False


def call_question(call: ToolRun, model: str) -> list[QuestionPiece]:
    """Return the line that asks for a call of the model with that name in figures ("" if it is unknown).

    What would be invisible in it is written out. The call has arguments that fit its tool.
    """
    tool = call.tool
    assert tool is not None
    asker = [QuestionPiece(visible(recorded_name(model)) if model else translate("CallCard", "The model"))]
    if tool.server != TANDEM:
        words = translate("CallCard", "{model} wants to use {tool} of “{server}”.")
        name = written_out(tool_name(tool.server, tool.name, tool.title))
        return _pieces(
            words, model=asker, tool=[QuestionPiece(name, bold=True)], server=[QuestionPiece(written_out(tool.server))]
        )
    if tool.name == READ_PAGE:
        words = translate("CallCard", "{model} wants to read {page}")
        return _pieces(words, model=asker, page=_page(call.arguments["url"]))
    query = [QuestionPiece(written_out(call.arguments["query"]), bold=True)]
    service = [QuestionPiece(SERVICES[tool.origin].title)]
    if tool.origin == DEFAULT_SERVICE:
        words = translate("CallCard", "{model} wants to search {service} for {query}")
    else:
        words = translate("CallCard", "{model} wants to search the web with {service} for {query}")
    return _pieces(words, model=asker, service=service, query=query)


def other_arguments(call: ToolRun) -> Mapping[str, Any]:
    """Return the arguments of a call that do not stand in the line that asks for it."""
    named = _IN_LINE.get(call.use.tool, "") if call.use.server == TANDEM else ""
    return {name: value for name, value in call.arguments.items() if name != named}


def consequence(tool: Tool) -> str:
    """Return a sentence that says who learns what by a call of the tool, or what its server says of it; or ""."""
    if tool.server != TANDEM:
        words = translate("CallCard", "“{server}” says that this tool only reads.").format(server=visible(tool.server))
        return words if tool.read_only else ""
    if tool.name == READ_PAGE:
        return translate("CallCard", "{site} learns which page you read.").format(site=site_name(tool.site))
    if tool.origin == DEFAULT_SERVICE:
        words = translate("CallCard", "{service} sees these words. It finds its own articles, not all of the web.")
    else:
        words = translate("CallCard", "{service} sees these words.")
    return words.format(service=SERVICES[tool.origin].title)


def _page(address: str) -> list[QuestionPiece]:
    """Return the address of a page with its host bold, as it is asked for; letters are decoded where they can be."""
    url = web_url(address)
    behind = url.raw_path.decode("ascii", "replace")
    scheme = [] if url.scheme == "https" else [QuestionPiece(f"{url.scheme}://")]
    return [
        *scheme,
        QuestionPiece(url.netloc.decode("ascii"), bold=True),
        QuestionPiece("" if behind == "/" else _decoded(behind)),
    ]


def _decoded(path: str) -> str:
    """Return a path with what it encodes, such as Korean letters, if that is text."""
    try:
        return written_out(unquote(path, errors="strict"))
    except UnicodeDecodeError:
        return written_out(path)


def _pieces(words: str, **fields: Sequence[QuestionPiece]) -> list[QuestionPiece]:
    """Return a sentence in pieces, with those of `fields` in their places."""
    pieces = list[QuestionPiece]()
    for index, part in enumerate(_FIELD.split(words)):
        # Every other part is the name of a field.
        pieces += fields[part] if index % 2 else [QuestionPiece(part)]
    return [piece for piece in pieces if piece.text]
