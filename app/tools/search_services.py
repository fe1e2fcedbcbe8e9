"""The services with which Tandem can search the web, and the settings that each needs. web_search.py says why these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchService:
    """A service: its title, its address ("" if the person enters one), and where to get a key ("" if it needs none)."""

    title: str
    address: str
    key_page: str = ""

    @property
    def needs_key(self) -> bool:
        return bool(self.key_page)


# The first one needs nothing, so a person who turns the tools on can search at once.
SERVICES = {
    "wikipedia": SearchService("Wikipedia", "https://{language}.wikipedia.org"),
    "brave": SearchService("Brave", "https://api.search.brave.com/res/v1/web/search", "brave.com/search/api"),
    "kagi": SearchService("Kagi", "https://kagi.com/api/v1/search", "kagi.com/api"),
    "tavily": SearchService("Tavily", "https://api.tavily.com/search", "tavily.com"),
    "searxng": SearchService("SearXNG", ""),
}
DEFAULT_SERVICE = "wikipedia"
