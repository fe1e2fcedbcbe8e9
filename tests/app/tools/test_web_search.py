"""Searching with each service, on a site of loopback that answers as the service does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from app.tools.search_services import SERVICES
from app.tools.tool import ToolFailed, ToolResult
from app.tools.web_results import SEARCH_WEB, sources_of
from app.tools.web_search import MOST_RESULTS, search_web
from tests.app.tools.web_site import SitePage, WebSite, served

PAGE = {"title": "Tides", "url": "https://news.test/tides"}
# By service, where it is asked, and what it answers.
ANSWERS: dict[str, tuple[str, Any]] = {
    "wikipedia": (
        "/w/rest.php/v1/search/page",
        {"pages": [{"key": "Tide_(sea)", "title": "Tide"}]},
    ),
    "brave": ("/", {"web": {"results": [PAGE | {"description": "<strong>High</strong> &amp; low."}]}}),
    "kagi": ("/", {"data": {"search": [PAGE | {"snippet": "High & low."}]}}),
    "tavily": ("/", {"results": [PAGE | {"content": "High & low."}]}),
    "searxng": ("/search", {"results": [PAGE | {"content": "High & low."}]}),
}
KEYS = {"brave": "x-subscription-token", "kagi": "authorization", "tavily": "authorization"}


@pytest.fixture(scope="module")
def running() -> Iterator[WebSite]:
    with served() as site:
        yield site


@pytest.fixture
def site(running: WebSite) -> WebSite:
    running.pages.clear()
    running.asked.clear()
    running.paths.clear()
    running.posted.clear()
    return running


def answer(site: WebSite, content: object, path: str = "/", status: int = 200) -> None:
    site.pages[path] = SitePage(json.dumps(content).encode(), "application/json", status)


def search(site: WebSite, service: str, words: str = "high tide", key: str = "secret") -> ToolResult:
    return asyncio.run(search_web(words, service, f"http://127.0.0.1:{site.port}", key))


def failure(site: WebSite, service: str, key: str = "secret") -> ToolFailed:
    with pytest.raises(ToolFailed) as error:
        search(site, service, key=key)
    return error.value


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_is_asked_and_read_in_its_form(site: WebSite, service: str) -> None:
    path, content = ANSWERS[service]
    answer(site, content, path)
    [source] = sources_of(SEARCH_WEB, search(site, service).text)
    if service == "wikipedia":
        assert source.address == f"http://127.0.0.1:{site.port}/wiki/Tide_%28sea%29"
    else:
        assert source.address == PAGE["url"]
        assert "High & low." in search(site, service).text
    asked = site.posted[0].decode() if site.posted else site.paths[0]
    assert "high" in asked
    assert "tide" in asked
    assert ("secret" in site.asked[0].get(KEYS.get(service, ""), "")) == (service in KEYS)
    assert "secret" not in site.paths[0]


def test_the_older_form_of_kagi_is_read(site: WebSite) -> None:
    answer(site, {"data": [{"t": 0, **PAGE}, {"t": 1, "list": ["tides"]}]})
    assert len(sources_of(SEARCH_WEB, search(site, "kagi").text)) == 1


def test_no_more_results_are_taken_than_are_asked_for(site: WebSite) -> None:
    answer(site, {"results": [PAGE] * 50 + [{"title": 1, "url": None}, "x"]})
    assert len(sources_of(SEARCH_WEB, search(site, "tavily").text)) == MOST_RESULTS


def test_a_search_without_results_says_so(site: WebSite) -> None:
    answer(site, {"web": None})
    assert search(site, "brave").text == "The search found nothing."


@pytest.mark.parametrize(
    ("status", "code"), [(401, "search-refused"), (403, "search-refused"), (429, "search-busy"), (500, "web-status")]
)
def test_a_refusal_says_what_to_do(site: WebSite, status: int, code: str) -> None:
    answer(site, {}, status=status)
    assert failure(site, "brave").code == code


def test_a_key_does_not_follow_a_redirect(site: WebSite) -> None:
    site.pages["/"] = SitePage(status=302, headers={"location": "/elsewhere"})
    assert failure(site, "brave").code == "web-status"
    assert site.paths == ["/?q=high+tide&count=8&text_decorations=false"]


def test_an_answer_that_is_no_list_is_refused(site: WebSite) -> None:
    site.pages["/"] = SitePage(b"<html>")
    assert failure(site, "brave").code == "search-unusable"
    answer(site, {"results": {"a": 1}})
    assert failure(site, "tavily").code == "search-unusable"


def test_a_service_without_its_key_or_address_is_not_asked(site: WebSite) -> None:
    assert failure(site, "brave", key="").code == "search-no-key"
    with pytest.raises(ToolFailed) as error:
        asyncio.run(search_web("x", "searxng"))
    assert error.value.code == "search-no-address"
    assert site.paths == []
