"""Searches the web with a service that the person has chosen. No Qt.

Which services there are, and why:

- Wikipedia needs no account. Wikimedia's rules for its API ask for a program that names itself and asks one question
  after the other, which a call with a person's consent does. It finds articles, not all of the web.
- Brave, Kagi and Tavily sell searches of the web to whoever has a key, which the person enters.
- SearXNG is a program that a person or their group runs; they enter its address, which may be a private one.

No other service can rightly be used without an account: DuckDuckGo says that it may not pass its results on to other
programs, the public key of Marginalia is for building an integration, and public instances of SearXNG have the form
for programs turned off. Reading the pages of results that a search engine makes for people is against their terms.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import quote

import httpx2

from app.tools.search_services import SERVICES
from app.tools.tool import ToolFailed, ToolResult
from app.tools.web_pages import received, unreachable, user_agent
from app.tools.web_results import SearchResult, results_text
from engine.files.bounded_json import CONFIG, UntrustedJsonError, parse

# Results that a model gets: as many as people look at.
MOST_RESULTS = 8
# Seconds for a search.
SEARCH_S = 20.0
# Characters of one result: a passage, no page.
_LONGEST_PASSAGE = 1000
_TAG = re.compile(r"<[^<>]{0,200}>")


@dataclass(frozen=True)
class _Request:
    """A request to a search service."""

    address: str
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    # The JSON body of a POST; None for a GET.
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class _Question:
    """A search: its words, the service's address, the person's key, and the language of the window such as "zh_CN"."""

    words: str
    address: str
    key: str
    language: str


def _brave(question: _Question) -> _Request:
    parameters: dict[str, str | int] = {"q": question.words, "count": MOST_RESULTS, "text_decorations": "false"}
    return _Request(question.address, parameters, {"x-subscription-token": question.key})


def _kagi(question: _Question) -> _Request:
    parameters: dict[str, str | int] = {"q": question.words, "limit": MOST_RESULTS}
    return _Request(question.address, parameters, {"authorization": f"Bot {question.key}"})


def _tavily(question: _Question) -> _Request:
    body = {"query": question.words, "max_results": MOST_RESULTS}
    return _Request(question.address, headers={"authorization": f"Bearer {question.key}"}, body=body)


def _searxng(question: _Question) -> _Request:
    return _Request(f"{question.address.rstrip('/')}/search", {"q": question.words, "format": "json"})


def _wikipedia(question: _Question) -> _Request:
    site = question.address.format(language=question.language.partition("_")[0] or "en")
    return _Request(f"{site}/w/rest.php/v1/search/page", {"q": question.words, "limit": MOST_RESULTS})


def _listed(*path: str) -> Callable[[Any, _Request], Any]:
    """Return what takes the results from the members `path` of an answer, or from the first of them that is a list."""

    def results(answer: Any, _request: _Request) -> Any:
        for name in path:
            if isinstance(answer, list):
                break
            answer = answer.get(name) if isinstance(answer, dict) else None
        return answer

    return results


def _articles(answer: Any, request: _Request) -> Any:
    """Return the articles of Wikipedia as results. Their addresses follow from their keys."""
    site = request.address.partition("/w/")[0]
    return [
        {**page, "url": f"{site}/wiki/{quote(str(page.get('key', '')))}"}
        for page in _listed("pages")(answer, request) or []
        if isinstance(page, dict)
    ]


_ASKED: dict[str, tuple[Callable[[_Question], _Request], Callable[[Any, _Request], Any]]] = {
    "wikipedia": (_wikipedia, _articles),
    "brave": (_brave, _listed("web", "results")),
    # The first version of its API has a list, the present one a list by kind.
    "kagi": (_kagi, _listed("data", "search")),
    "tavily": (_tavily, _listed("results")),
    "searxng": (_searxng, _listed("results")),
}
# What services call the passage.
_PASSAGES = ("description", "snippet", "content", "excerpt")


async def search_web(
    words: str, service: str, address: str = "", key: str = "", language: str = "", most_s: float = SEARCH_S
) -> ToolResult:
    """Return the results of a service of `SERVICES`. `address` replaces the service's; SearXNG has none of its own.

    Raises `ToolFailed`: (search-no-key), (search-no-address), (search-refused) for a key that the service does not
    take, (search-busy) when it wants fewer questions, (search-unusable) for an answer that cannot be read, and what
    `received` raises.
    """
    about = SERVICES[service]
    if about.needs_key and not key:
        raise ToolFailed("search-no-key", service=about.title)
    if not (address or about.address):
        raise ToolFailed("search-no-address", service=about.title)
    ask, take = _ASKED[service]
    request = ask(_Question(words, address or about.address, key, language))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    try:
        async with asyncio.timeout(most_s):
            content = await _sent(request, about.title)
    except TimeoutError as error:
        raise ToolFailed("web-slow", host=about.title, seconds=round(most_s)) from error
    try:
        listed = take(parse(content, CONFIG), request)
    except UntrustedJsonError as error:
        raise ToolFailed("search-unusable", service=about.title) from error
    if listed is not None and not isinstance(listed, list):
        raise ToolFailed("search-unusable", service=about.title)
    results = [result for entry in listed or [] if (result := _result(entry)) is not None]
    return ToolResult(results_text(results[:MOST_RESULTS]), seconds=loop.time() - begun)


async def _sent(request: _Request, title: str) -> bytes:
    """Send a request, and return the body of the answer. A key is never sent on to where a redirect leads."""
    headers = {"user-agent": user_agent(), "accept": "application/json", "accept-encoding": "gzip, deflate"}
    method = "GET" if request.body is None else "POST"
    try:
        url = httpx2.URL(request.address, params=dict(request.parameters))
        async with (
            httpx2.AsyncClient(timeout=None, follow_redirects=False) as client,
            client.stream(method, url, headers=headers | dict(request.headers), json=request.body) as response,
        ):
            if response.status_code in (401, 403):
                raise ToolFailed("search-refused", service=title, status=response.status_code)
            if response.status_code == 429:
                raise ToolFailed("search-busy", service=title)
            return (await received(response, url)).content
    except (httpx2.InvalidURL, httpx2.RequestError) as error:
        raise unreachable(title, error) from error


def _result(entry: Any) -> SearchResult | None:
    """Return a result as text without marks; None for a result that is no page."""
    match entry:
        case {"url": str(address), "title": str(title)} if address.startswith(("http://", "https://")):
            passages = [entry[name] for name in _PASSAGES if isinstance(entry.get(name), str) and entry[name]]
            return SearchResult(address, _plain(title), _plain(" ".join(passages))[:_LONGEST_PASSAGE])
    return None


def _plain(text: str) -> str:
    """Return a text without tags, in one line."""
    return " ".join(unescape(_TAG.sub("", text)).split())
