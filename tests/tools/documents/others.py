"""Documents that odfpy, pandoc and LibreOffice write, and mails of Python. Each function returns what they say."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path

from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
from odf.style import Style, TableColumnProperties, TextProperties
from odf.table import CoveredTableCell, Table, TableCell, TableColumn, TableRow
from odf.text import H, ListItem, Note, NoteBody, NoteCitation, P, Span
from odf.text import List as TextList

from tests.tools.documents.facts import Facts

# What pandoc is given, and what its documents say in every format.
_MARKDOWN = """---
title: The survey
---

# First part

The count was 10^6^ cells in H~2~O.[^1] The price is ~~100 EUR~~ 80 EUR. See [the terms](https://example.org/terms).

1. Open the valve
2. Wait a minute
    - Only here

| Region | Sum |
|--------|-----|
| North  | 11  |
| South  |     |

The area is $\\frac{a}{2}$ now. 견적서 納期 合同

[^1]: Counted by hand.
"""
_PANDOC_FACTS = Facts(
    said=(
        ("count was 10^6 cells",),
        ("~~100 EUR~~ 80 EUR",),
        ("https://example.org/terms",),
        ("1. Open the valve", "1) Open the valve"),
        ("2. Wait a minute", "2) Wait a minute"),
        ("Only here",),
        ("Counted by hand.",),
        ("견적서 納期 合同",),
    ),
    rows=(("Region", "Sum"), ("North", "11"), ("South", "")),
    wrong=(r"\b106 cells", r"(?<!~)100 EUR(?!~)"),
)
_SLIDE_MARKDOWN = """# Budget

- Travel
- Rent

# Sums

| Region | Sum |
|--------|-----|
| North  | 11  |

::: notes
Say hello to Mina
:::
"""
_SLIDE_FACTS = Facts(said=(("Travel",), ("Rent",), ("Say hello to Mina",)), rows=(("North", "11"),))


def write_by_pandoc(suffix: str, folder: Path) -> tuple[bytes, Facts]:
    """Return a document that pandoc writes, and what it says."""
    is_deck = suffix == "pptx"
    path = folder / f"pandoc.{suffix}"
    command = ["pandoc", "--from", "markdown", "--standalone", "--mathml", "--output", str(path)]
    subprocess.run(command, input=(_SLIDE_MARKDOWN if is_deck else _MARKDOWN).encode(), check=True)
    return path.read_bytes(), _SLIDE_FACTS if is_deck else _PANDOC_FACTS


def convert(paths: Sequence[Path], target: str, folder: Path) -> None:
    """Convert files by LibreOffice into a folder; `target` is the new suffix, with a filter if it needs one."""
    profile = f"-env:UserInstallation={(folder.parent / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--norestore", "--convert-to", target, "--outdir", str(folder)]
    subprocess.run([*command, *map(str, paths)], check=True, capture_output=True)


def _saved(document: OpenDocumentText) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def write_open_text() -> tuple[bytes, Facts]:
    document = OpenDocumentText()
    raised = Style(name="raised", family="text")
    raised.addElement(TextProperties(textposition="super 58%"))
    gone = Style(name="gone", family="text")
    gone.addElement(TextProperties(textlinethroughstyle="solid", textlinethroughtype="single"))
    away = Style(name="away", family="text")
    away.addElement(TextProperties(display="none"))
    for style in (raised, gone, away):
        document.automaticstyles.addElement(style)
    document.text.addElement(H(outlinelevel=1, text="Report"))
    paragraph = P(text="Count 10")
    paragraph.addElement(Span(stylename=raised, text="6"))
    paragraph.addText(" cells, price ")
    paragraph.addElement(Span(stylename=gone, text="100 EUR"))
    paragraph.addText(" 80 EUR")
    paragraph.addElement(Span(stylename=away, text="UNSEENA"))
    note = Note(noteclass="footnote", id="n1")
    note.addElement(NoteCitation(text="1"))
    body = NoteBody()
    body.addElement(P(text="Counted by hand."))
    note.addElement(body)
    paragraph.addElement(note)
    document.text.addElement(paragraph)
    items = TextList()
    for words in ("Apples", "Pears"):
        item = ListItem()
        item.addElement(P(text=words))
        items.addElement(item)
    document.text.addElement(items)
    return _saved(document), Facts(
        said=(("Count 10^6 cells",), ("~~100 EUR~~ 80 EUR",), ("Counted by hand.",), ("Apples",), ("Pears",)),
        wrong=(r"\b106 cells", r"(?<!~)100 EUR(?!~)"),
        hidden=("UNSEENA",),
    )


def write_open_sheet() -> tuple[bytes, Facts]:
    document = OpenDocumentSpreadsheet()
    table = Table(name="Prices")
    away = Style(name="narrow", family="table-column")
    away.addElement(TableColumnProperties(columnwidth="2cm"))
    document.automaticstyles.addElement(away)
    table.addElement(TableColumn())
    table.addElement(TableColumn(visibility="collapse", stylename=away))
    table.addElement(TableColumn(numbercolumnsrepeated=2))
    for number, words in enumerate(
        (("Region", "UNSEENA", "City", "Sum"), ("North", "x", "Bergen", "11"), ("", "x", "Oslo", "22"))
    ):
        row = TableRow()
        for column, text in enumerate(words):
            cell = TableCell(valuetype="string")
            if number == 1 and column == 0:
                cell = TableCell(valuetype="string", numberrowsspanned=2, numbercolumnsspanned=1)
            if number == 2 and column == 0:
                row.addElement(CoveredTableCell())
                continue
            cell.addElement(P(text=text))
            row.addElement(cell)
        table.addElement(row)
    rate = TableRow()
    rate.addElement(TableCell(valuetype="percentage", value="0.075"))
    table.addElement(rate)
    document.spreadsheet.addElement(table)
    return _saved(document), Facts(
        said=(("0.075", "7.5%", "7.5 %"),),
        rows=(("Region", "City", "Sum"), ("North", "Bergen", "11"), ("North", "Oslo", "22")),
        hidden=("UNSEENA",),
    )


def write_mail(charset: str) -> tuple[bytes, Facts]:
    """Return a mail in an encoding, with a page beside its text and a table as an attachment."""
    message = EmailMessage()
    message["From"] = "Kim <kim@example.org>"
    message["To"] = "mina@example.org"
    message["Subject"] = "견적 요청"
    message.set_content("납기는 5월 12일입니다.\n", charset=charset)
    message.add_alternative("<p>납기는 5월 12일입니다.</p>", subtype="html", charset=charset)
    message.add_attachment("Item,Sum\nPump,4711\n", filename="prices.csv", subtype="csv")
    return message.as_bytes(), Facts(
        said=(("견적 요청",), ("납기는 5월 12일입니다.",), ("4711",), ("kim@example.org",))
    )
