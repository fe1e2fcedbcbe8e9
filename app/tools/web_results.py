"""The results of Tandem's own web tools as text for the model, and the sources that can be read from them again.

A stored chat has the texts only, so the links under an answer come from these. What a site says cannot look like a
source of another call: a page has its address in the first line, and a search has one JSON object a line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

# The names of the tools, which stored calls have.
READ_PAGE = "read_page"
SEARCH_WEB = "search_web"
_ADDRESS = "Address: "
# Characters of a title in the line of links.
_LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class WebSource:
    """A page of the web that an answer is from: its address and its title, the address's host if it has none."""

    address: str
    title: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page that a search has found, with a passage of it or the service's description of it."""

    address: str
    title: str
    text: str


def page_text(address: str, text: str) -> str:
    """Return the text of the page at `address` for a model."""
    return f"{_ADDRESS}{address}\n\n{text}"


def results_text(results: Sequence[SearchResult]) -> str:
    """Return the results of a search for a model: one JSON object a line."""
    if not results:
        return "The search found nothing."
    lines = [{"title": result.title, "url": result.address, "text": result.text} for result in results]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def sources_of(tool: str, text: str) -> list[WebSource]:
    """Return the sources in the text of a call of Tandem's own tool with this name; none for other tools."""
    if tool == READ_PAGE and text.startswith(_ADDRESS):
        address = text.removeprefix(_ADDRESS).partition("\n")[0]
        return [_source(address)] if _is_web(address) else []
    if tool != SEARCH_WEB:
        return []
    sources = []
    for line in text.splitlines():
        try:
            result = json.loads(line)
        except ValueError:
            continue
        match result:
            case {"url": str(address), "title": str(title)} if _is_web(address):
                sources.append(_source(address, title))
    return sources


def _source(address: str, title: str = "") -> WebSource:
    """Return a source with a title of one line."""
    words = " ".join(title.split())
    host = address.partition("://")[2].partition("/")[0]
    return WebSource(address, words[:_LONGEST_TITLE] or host)


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))
