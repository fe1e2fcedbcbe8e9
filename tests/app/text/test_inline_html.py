"""Tags in an answer: those that lay words out are left out, and letters that look like tags stay."""

from __future__ import annotations

import pytest

from app.text.shown import shown, texts_of, words_of


def said(markdown: str) -> str:
    """Return what a text shows, a line for each paragraph or cell."""
    return "\n".join(words_of(spans) for paragraph in shown(markdown) for spans in texts_of(paragraph))


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ('A <span style="color: red">red</span> word', "A red word"),
        ("<font color=red>a **b**</font> c", "a b c"),
        ("<center>middle</center>", "middle"),
        ('<SPAN class="a"><span class="b">x</span></SPAN>', "x"),
        ('<div align="center">\n\n**Bold** words\n</div>\n\nafter', "Bold words\nafter"),
        ('<div align="center">\n# Title\n</div>', "Title"),
        ("<div><center>\nwords\n</center></div>\nmore", "words\nmore"),
        ('- <span id="a">item</span>\n- next', "item\nnext"),
        ('| <span>a</span> | b |\n|---|---|\n| <font size="2">c</font> | d |', "a\nb\nc\nd"),
        ("# <small>Title</small>", "Title"),
        ("[<span>words</span>](https://example.org)", "words"),
        ('<a name="top"></a>Words', "Words"),
        ('a<span id="b" />c', "ac"),
    ],
)
def test_tags_that_lay_words_out_are_left_out(markdown: str, words: str) -> None:
    assert said(markdown) == words


@pytest.mark.parametrize(
    "text",
    [
        "Use a <div> for that.",
        "Close it by </div> then.",
        "Vec<String> and Map<K, V>, <url> and <T>",
        "a<b and c>d",
        "<spanner>x</spanner>",
        "<script>alert(1)</script>",
        "<style>p { color: red }</style>",
        '<iframe src="https://example.org"></iframe>',
    ],
)
def test_letters_that_somebody_speaks_of_or_that_do_something_stay(text: str) -> None:
    assert said(text) == text


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("`<span>x</span>`", "<span>x</span>"),
        ("```html\n<div>\nx\n</div>\n```", "<div>\nx\n</div>"),
        ("    <center>x</center>", "<center>x</center>"),
        (r"\<span>x\</span>", "<span>x</span>"),
    ],
)
def test_tags_in_code_stay(markdown: str, words: str) -> None:
    assert said(markdown) == words


def test_a_link_leads_to_pages_and_to_mail_only() -> None:
    links = {
        '<a href="https://example.org/?a=1&amp;b">**here**</a>': "https://example.org/?a=1&b",
        "<A HREF='mailto:a@example.org'>here</A>": "mailto:a@example.org",
        '<a href="javascript:alert(1)">here</a>': "",
        '<a href="#part">here</a>': "",
        "<a>here</a>": "",
    }
    for markdown, address in links.items():
        (paragraph,) = shown(markdown)
        assert [(span.text, span.link) for span in paragraph.spans] == [("here", address)]
