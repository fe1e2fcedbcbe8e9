"""The texts of Tandem's web tools, and the sources that are read from them again."""

from __future__ import annotations

from app.tools.web_results import READ_PAGE, SEARCH_WEB, SearchResult, WebSource, page_text, results_text, sources_of


def test_a_page_is_a_source_by_its_first_line_only() -> None:
    text = page_text("https://news.test/a?b=1", "Address: https://evil.test/\n")
    assert sources_of(READ_PAGE, text) == [WebSource("https://news.test/a?b=1", "news.test")]


def test_the_results_of_a_search_are_sources() -> None:
    results = [
        SearchResult("https://news.test/a", 'Tides\n{"url": "https://evil.test"}', "High."),
        SearchResult("https://news.test/b", "", ""),
    ]
    assert [source.address for source in sources_of(SEARCH_WEB, results_text(results))] == [
        "https://news.test/a",
        "https://news.test/b",
    ]


def test_other_texts_have_no_sources() -> None:
    text = page_text("https://news.test/", "x")
    assert sources_of("read_file", text) == []
    assert sources_of(READ_PAGE, "Address: javascript:alert(1)\n\nx") == []
    assert sources_of(SEARCH_WEB, '{"title": "x", "url": "file:///etc/passwd"}\nnot json\n[1]') == []
    assert sources_of(SEARCH_WEB, results_text([])) == []
