"""The addresses of a page's links, by the URL standard."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

PAGE = "https://news.test:8443/a/b/page.html?day=1"


def words_of(link: str, address: str = PAGE, head: str = "") -> str:
    """Return what is read of a page whose only link has the attribute `href`, in the words "here"."""
    page = f'<html><head>{head}</head><body><p><a href="{link}">here</a></p></body></html>'
    return document_text("page.html", page.encode(), 10_000, address=address).text


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("c.html", "https://news.test:8443/a/b/c.html"),
        ("./c.html#part", "https://news.test:8443/a/b/c.html#part"),
        ("../c.html", "https://news.test:8443/a/c.html"),
        ("../../../../c.html", "https://news.test:8443/c.html"),
        ("/c/", "https://news.test:8443/c/"),
        ("?day=2", "https://news.test:8443/a/b/page.html?day=2"),
        ("//other.test/c", "https://other.test/c"),
        ("http://other.test/c", "http://other.test/c"),
        ("HTTPS://Other.test/c", "https://Other.test/c"),
        # The scheme of the page, and no host.
        ("https:c.html", "https://news.test:8443/a/b/c.html"),
        # Spaces around it, and what pages wrap long addresses with.
        (" \n c.html\t ", "https://news.test:8443/a/b/c.html"),
        ("long/\n   path", "https://news.test:8443/a/b/long/%20%20%20path"),
        ("/c\nd/e", "https://news.test:8443/cd/e"),
        # Browsers read backslashes as slashes, and too many slashes as two.
        ("\\c\\d?e\\f", "https://news.test:8443/c/d?e\\f"),
        ("///other.test/c", "https://other.test/c"),
        ("\\\\other.test\\c", "https://other.test/c"),
        ("https:///other.test/c", "https://other.test/c"),
        ("http:/other.test/c", "http://other.test/c"),
        ("http:other.test", "http://other.test"),
        # What would end the link, or is part of no address.
        ("my file.pdf", "https://news.test:8443/a/b/my%20file.pdf"),
        ("c&lt;d&gt;", "https://news.test:8443/a/b/c%3Cd%3E"),
        # A path of the site, though it looks like another scheme.
        ("./mailto:us", "https://news.test:8443/a/b/mailto:us"),
        ("a:80/c", None),
        # Names and letters of any script stay as the page has them.
        ("https://bücher.test/ä", "https://bücher.test/ä"),
        ("/위키?q=가", "https://news.test:8443/위키?q=가"),
        ("https://[2001:db8::1]:8080/c", "https://[2001:db8::1]:8080/c"),
        ("//person@other.test/c", "https://person@other.test/c"),
    ],
)
def test_a_relative_link_has_its_whole_address(link: str, target: str | None) -> None:
    assert words_of(link) == (f"[here]({target})" if target else "here")


@pytest.mark.parametrize(
    "link",
    [
        "javascript:open()",
        "java\nscript:open()",
        " DATA:text/html,here",
        "blob:https://news.test/1",
        "about:blank",
        "file:///etc/passwd",
        "https://",
        "https://news.test:port/",
        "https://news.test:65536/",
        "//news.test:-1/",
        "https://[::1/",
        "https://[news]/",
    ],
)
def test_what_is_no_address_of_a_page_is_no_link(link: str) -> None:
    assert words_of(link) == "here"


@pytest.mark.parametrize("link", ["", " ", "#part", "#", "page.html?day=1#part", PAGE])
def test_a_link_to_another_place_of_the_page_is_no_link(link: str) -> None:
    """It would say nothing but the address that the model has already."""
    assert words_of(link) == "here"


@pytest.mark.parametrize("link", ["mailto:us@news.test", "tel:+49301234"])
def test_other_addresses_of_people_stay_as_they_are(link: str) -> None:
    assert words_of(link) == f"[here]({link})"


@pytest.mark.parametrize(
    ("head", "target"),
    [
        ('<base href="/c/d/">', "https://news.test:8443/c/d/e"),
        ('<base href="https://other.test/c/d">', "https://other.test/c/e"),
        ('<base target="_blank"><base href="/c/"><base href="/d/">', "https://news.test:8443/c/e"),
        ('<base href=" /c/\n ">', "https://news.test:8443/c/e"),
        # A page that names no usable base has its own address.
        ('<base href="javascript:0">', "https://news.test:8443/a/b/e"),
        ('<base href="data:text/html,/c/">', "https://news.test:8443/a/b/e"),
        ('<base href="https://news.test:port/">', "https://news.test:8443/a/b/e"),
        ('<base href="mailto:us@news.test">', "https://news.test:8443/a/b/e"),
        ('<base href="">', "https://news.test:8443/a/b/e"),
    ],
)
def test_the_base_that_a_page_names_goes_before_its_address(head: str, target: str) -> None:
    assert words_of("e", head=head) == f"[here]({target})"


@pytest.mark.first
def test_a_link_within_the_page_leads_to_its_base() -> None:
    assert words_of("#part", head='<base href="/c/">') == "[here](https://news.test:8443/c/#part)"


def test_a_place_to_which_links_lead_is_no_link() -> None:
    page = '<base href="/c/"><p><a name="part">here</a></p>'
    assert document_text("page.html", page.encode(), 10_000, address=PAGE).text == "here"


def test_links_of_a_mail_in_the_web_lead_to_no_page() -> None:
    """What is in a file within a file is not at an address of its own."""
    mail = 'MIME-Version: 1.0\nContent-Type: text/html\n\n<p><a href="c.html">here</a></p>'
    assert "c.html" not in document_text("page.eml", mail.encode(), 10_000, address=PAGE).text


@pytest.mark.parametrize("link", ["c.html", "/c", "//other.test/c", "?day=2", "#part"])
def test_relative_links_of_a_file_lead_nowhere(link: str) -> None:
    assert words_of(link, address="") == "here"
    assert words_of(link, address="", head='<base href="c/">') == "here"


def test_a_file_that_names_its_address_has_links() -> None:
    head = '<base href="https://news.test/a/">'
    assert words_of("c", address="", head=head) == "[here](https://news.test/a/c)"
    assert words_of("https://other.test/", address="") == "[here](https://other.test/)"
