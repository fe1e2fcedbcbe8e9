"""The text of HTML pages. Nothing that a page names is loaded."""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

from engine.documents.marked_text import MarkedText

_LEFT_OUT = (
    "script",
    "style",
    "title",
    "template",
    "noscript",
    "head",
    "svg",
    "math",
    "select",
    "object",
    "iframe",
    "rt",
    "rp",
)
_BLOCKS = (
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "li", "main", "nav"),
    *("ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul"),
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}encoding=["']([\w.-]+)""", re.I
)
# What browsers read as a superset.
_SUPERSETS = {"euc-kr": "cp949", "ks_c_5601-1987": "cp949", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030"}
_LATIN = ("iso-8859-1", "latin1", "ascii", "us-ascii")
# How far into a page its encoding is searched for.
_BEGINNING = 4096


def declared_encoding(content: bytes) -> str:
    """Return the encoding that a page says it has, under Python's name of what browsers read; "" for none or UTF-8."""
    found = _CHARSET.search(content[:_BEGINNING])
    if found is None or content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ""
    name = (found[1] or found[2]).decode().lower()
    name = "cp1252" if name in _LATIN else _SUPERSETS.get(name, name)
    try:
        return name if codecs.lookup(name).name not in ("utf-8", "utf-16") else ""
    except LookupError:
        return ""


def read_page(page: str, text: MarkedText) -> None:
    """Add the blocks of a page."""
    reader = _PageReader(text)
    reader.feed(page)
    reader.close()
    reader.end_block()


class _PageReader(HTMLParser):
    """Follows the tags of a page; those that are not closed end where a browser would end them, roughly."""

    def __init__(self, text: MarkedText) -> None:
        super().__init__()
        self._text = text
        self._words: list[str] = []
        self._hidden: list[str] = []
        # The number of the latest item of each list around; None for a list without numbers.
        self._lists: list[int | None] = []
        self._mark = ""
        self._heading = self._preformatted = 0
        # The rows of the outermost table around, and how many there are.
        self._rows: list[list[str]] = []
        self._tables = 0
        # The columns of the cell that is open; 0 for none.
        self._span = 0

    def end_block(self) -> None:
        """Add the words since the last block. Inside a table they stay for their cell."""
        words = "".join(self._words)
        if self._tables:
            self._words = [f"{words} "] if words.strip() else []
            return
        self._words = []
        if self._preformatted:
            self._text.paragraph(f"```\n{words.strip(chr(10))}\n```" if words.strip() else "")
            return
        words = "\n".join(" ".join(line.split()) for line in words.split("\n"))
        if self._heading:
            self._text.heading(self._heading, words)
        elif self._mark:
            self._text.item(len(self._lists) - 1, self._mark, words)
            self._mark = "" if words.strip() else self._mark
        else:
            self._text.paragraph(words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            # A page may leave out the end of its head.
            self._hidden = []
        if tag in _LEFT_OUT:
            self._hidden.append(tag)
        if self._hidden:
            return
        if tag in _BLOCKS or tag in _HEADINGS:
            self.end_block()
        given = dict(attrs)
        if tag in _HEADINGS:
            self._heading = int(tag[1])
        elif tag == "pre":
            self._preformatted = 1
        elif tag in ("ul", "ol"):
            start = given.get("start") or "1"
            self._lists.append((int(start) if start.isdecimal() else 1) - 1 if tag == "ol" else None)
            self._mark = ""
        elif tag == "li" and self._lists:
            count = self._lists[-1]
            self._lists[-1] = None if count is None else count + 1
            self._mark = "-" if count is None else f"{count + 1}."
        elif tag == "table":
            self._tables += 1
        elif tag == "br":
            self._words.append("\n")
        elif tag == "img" and (alt := given.get("alt")):
            self._words.append(f"[{alt}]")
        elif self._tables == 1 and tag in ("tr", "td", "th"):
            self._end_cell()
            if tag == "tr" or not self._rows:
                self._rows.append([])
            if tag != "tr":
                span = given.get("colspan") or "1"
                self._rows[-1].append("")
                self._span = min(int(span), 100) if span.isdecimal() else 1

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden[-1]:
                self._hidden.pop()
            return
        if tag in _BLOCKS or tag in _HEADINGS:
            self.end_block()
        if tag in _HEADINGS:
            self._heading = 0
        elif tag == "pre":
            self._preformatted = 0
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._mark = ""
        elif tag == "li":
            self._mark = ""
        elif tag == "table" and self._tables:
            if self._tables == 1:
                self._end_cell()
            self._tables -= 1
            if not self._tables:
                self._end_table()
        elif tag in ("td", "th") and self._tables == 1:
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words.append(data if self._preformatted else re.sub(r"\s+", " ", data))

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if any(sum(map(bool, row)) > 1 for row in rows):
            self._text.table(rows)
            return
        # It only places things on the page.
        for row in rows:
            self._text.paragraph("".join(row))

    def _end_cell(self) -> None:
        words = "".join(self._words).strip()
        self._words = []
        if self._span:
            self._rows[-1][-1] = words
            self._rows[-1] += [""] * (self._span - 1)
            self._span = 0
        else:
            self._text.paragraph(words)
