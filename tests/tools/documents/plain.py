"""The text of any reader, without the differences that do not change what it says."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


class Plain:
    """A reader's text: `words` without Markdown's marks, and `rows`, the cells of the rows of its tables.

    Tables in HTML, which pandoc writes for those with merged cells, are rows as those with pipes. A merged cell has its
    text in each row that it takes.
    """

    def __init__(self, text: str) -> None:
        with_pipes = _with_pipes(text)
        lines = [line.strip() for line in with_pipes.splitlines()]
        self.rows = [
            [_words(cell) for cell in re.split(r"(?<!\\)\|", line[1:].removesuffix("|"))]
            for line in lines
            if line.startswith("|")
        ]
        self.words = _words(with_pipes)


def _words(text: str) -> str:
    """Return words as they are read: powers with `^`, struck ones between `~~`, white space as single spaces."""
    text = html.unescape(text)
    text = re.sub(r"(?i)<sup>(.*?)</sup>", r"^\1", text)
    text = re.sub(r"(?i)<(?:s|del|strike)>(.*?)</(?:s|del|strike)>", r"~~\1~~", text)
    text = re.sub(r"(?i)</?(?:sub|u|b|strong|em|i|span|a|p|br|div|mark|underline)\b[^>]*>", "", text)
    text = re.sub(r"\$\^\{?([\w+-]+)\}?\$", r"^\1", text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+", lambda match: "^" + match[0].translate(_RAISED), text).translate(_LOWERED)
    text = re.sub(r"\^\{?\(?([\w+-]+)\)?\}?\^?", r"^\1", text)
    text = re.sub(r"\\([^\w\s])", r"\1", text)
    text = text.replace("**", "").replace("\u00a0", " ").replace("\u202f", " ").replace("\u200f", "")
    return re.sub(r"\s+", " ", text).strip()


def _with_pipes(text: str) -> str:
    """Return a text with its tables in HTML as tables with pipes."""
    return re.sub(r"(?is)<table\b.*?</table>", lambda match: _HtmlTable(match[0]).text, text)


class _HtmlTable(HTMLParser):
    """A table in HTML as lines with pipes. What is in cells keeps its tags of raised and struck letters."""

    def __init__(self, table: str) -> None:
        super().__init__()
        self._rows: list[dict[int, str]] = []
        # The number of the next row, and the column of the next cell.
        self._next = 0
        self._column = 0
        self._spans = (1, 1)
        self._cell: list[str] | None = None
        self.feed(table)
        width = max((column + 1 for row in self._rows for column in row), default=0)
        lines = [" | ".join(row.get(column, "") for column in range(width)) for row in self._rows]
        self.text = "\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n\n"
        self._next = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._column = 0
            while len(self._rows) <= self._next:
                self._rows.append({})
            self._next += 1
        elif tag in ("td", "th"):
            spans = {name: int(number or 1) for name, number in attrs if name in ("rowspan", "colspan")}
            self._spans = (spans.get("rowspan", 1), spans.get("colspan", 1))
            self._cell = []
        elif self._cell is not None:
            self._cell.append(f"<{tag}>")

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self._put("".join(self._cell).replace("\n", " ").replace("|", r"\|"))
            self._cell = None
        elif self._cell is not None:
            self._cell.append(f"</{tag}>")

    def _put(self, words: str) -> None:
        """Put a cell after those of its row, past what cells of earlier rows take."""
        row = self._next - 1
        while self._column in self._rows[row]:
            self._column += 1
        rows, columns = self._spans
        for below in range(row, row + rows):
            while len(self._rows) <= below:
                self._rows.append({})
            for column in range(self._column, self._column + columns):
                self._rows[below][column] = words if column == self._column else ""
        self._column += columns
