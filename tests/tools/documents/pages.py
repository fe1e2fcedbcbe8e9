"""PDF files that ReportLab and WeasyPrint write, and pages in HTML. Each function returns what its document says."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Table, TableStyle
from weasyprint import HTML

from tests.tools.documents.facts import Facts

_STYLE = getSampleStyleSheet()["BodyText"]


def drawn(canvas: Canvas) -> Facts:
    canvas.setFont("Helvetica", 12)
    canvas.drawString(72, 760, "Seen words on the page")
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 730, "UNSEENA")
    canvas.setFillColorRGB(0, 0, 0)
    canvas.drawString(-900, 700, "UNSEENB")
    invisible = canvas.beginText(72, 670)
    invisible.setTextRenderMode(3)
    invisible.textLine("UNSEENC")
    canvas.drawText(invisible)
    canvas.setFont("Helvetica", 0.8)
    canvas.drawString(72, 640, "UNSEEND")
    return Facts(said=(("Seen words on the page",),), hidden=("UNSEENA", "UNSEENB", "UNSEENC", "UNSEEND"))


def korean(canvas: Canvas) -> Facts:
    pdfmetrics.registerFont(UnicodeCIDFont("HYSMyeongJo-Medium"))
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    pdfmetrics.registerFont(UnicodeCIDFont("MSung-Light"))
    words = {
        "HYSMyeongJo-Medium": "전자세금계산서 공급가액",
        "HeiseiMin-W3": "請求書の合計金額",
        "STSong-Light": "发票合计金额",
        "MSung-Light": "統一發票金額",
    }
    for row, (font, text) in enumerate(words.items()):
        canvas.setFont(font, 14)
        canvas.drawString(72, 760 - 40 * row, text)
    return Facts(said=tuple((text,) for text in words.values()))


def form(canvas: Canvas) -> Facts:
    canvas.drawString(72, 760, "Order form")
    canvas.acroForm.textfield(name="name", value="Mina Kim", x=72, y=700, width=200, height=20)
    canvas.acroForm.checkbox(name="agree", checked=True, x=72, y=660)
    canvas.acroForm.choice(name="size", value="Large", options=["Small", "Large"], x=72, y=620, width=100, height=20)
    canvas.linkURL("https://example.org/order", (72, 750, 200, 775))
    return Facts(said=(("Order form",), ("Mina Kim",), ("Large",)), wrong=("Small",))


def powers(canvas: Canvas) -> Facts:
    text = canvas.beginText(72, 760)
    text.setFont("Helvetica", 12)
    text.textOut("Count 10")
    text.setFont("Helvetica", 7)
    text.setRise(4)
    text.textOut("6")
    text.setRise(0)
    text.setFont("Helvetica", 12)
    text.textOut(" cells in all")
    canvas.drawText(text)
    return Facts(said=(("Count 10^6 cells in all",),), wrong=(r"\b106 cells",))


CANVASES: dict[str, Callable[[Canvas], Facts]] = {
    "drawn": drawn,
    "cid-fonts": korean,
    "form": form,
    "powers": powers,
}


def write_canvas(name: str) -> tuple[bytes, Facts]:
    """Return a PDF that is drawn on ReportLab's canvas, and what it says."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    facts = CANVASES[name](canvas)
    canvas.showPage()
    canvas.save()
    return file.getvalue(), facts


_ROWS = [
    ["Item", "Amount", "Price", "Sum"],
    ["Fee", "3", "", "300.00"],
    ["Repair", "", "12.50", "25.00"],
    ["Hose", "2", "7.00", "14.00"],
]
_ROW_FACTS = Facts(
    said=(("Before it.",), ("After it.",)),
    rows=(
        ("Item", "Amount", "Price", "Sum"),
        ("Fee", "3", "", "300.00"),
        ("Repair", "", "12.50", "25.00"),
        ("Hose", "2", "7.00", "14.00"),
    ),
)


def _grid(style: TableStyle) -> bytes:
    file = io.BytesIO()
    table = Table(_ROWS)
    table.setStyle(style)
    SimpleDocTemplate(file).build([Paragraph("Before it.", _STYLE), table, Paragraph("After it.", _STYLE)])
    return file.getvalue()


def write_grid() -> tuple[bytes, Facts]:
    return _grid(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")])), _ROW_FACTS


def write_open_grid() -> tuple[bytes, Facts]:
    return _grid(TableStyle([("ALIGN", (1, 0), (-1, -1), "RIGHT")])), _ROW_FACTS


def write_columns() -> tuple[bytes, Facts]:
    """Return a page of two columns of text."""
    file = io.BytesIO()
    left = "The left column begins here. " + "It goes on for some lines. " * 40 + "The left column ends here."
    right = "The right column begins here. " + "It goes on, too. " * 10 + "The right column ends here."
    frames = [Frame(50, 50, 230, 730), Frame(310, 50, 230, 730)]
    document = BaseDocTemplate(file, pagesize=A4)
    document.addPageTemplates(PageTemplate(frames=frames))
    filler = [Paragraph(left, _STYLE)]
    document.build([*filler, *[Paragraph("&nbsp;", _STYLE)] * 20, Paragraph(right, _STYLE)])
    said = ("The left column begins here.", "The left column ends here.", "The right column begins here.")
    return file.getvalue(), Facts(said=(*((words,) for words in said), ("The right column ends here.",)))


# Pages in HTML, which are also printed as PDF, and what both say.
PAGES: dict[str, tuple[str, Facts]] = {
    "table": (
        "<p>Before it.</p><table border=1 style='border-collapse:collapse'>"
        + "".join(
            "<tr>" + "".join(f"<td style='padding:4px 12px'>{cell}</td>" for cell in row) + "</tr>" for row in _ROWS
        )
        + "</table><p>After it.</p>",
        _ROW_FACTS,
    ),
    "letters": (
        "<p>Count 10<sup>6</sup> cells, H<sub>2</sub>O.</p><p>Price <s>100 EUR</s> 80 EUR.</p>"
        "<p><span style='text-decoration:line-through'>24 months</span> 12 months</p>",
        Facts(
            said=(("Count 10^6 cells",), ("~~100 EUR~~ 80 EUR",), ("~~24 months~~ 12 months",)),
            wrong=(r"\b106 cells", r"(?<!~)100 EUR(?!~)", r"(?<!~)24 months(?!~)"),
        ),
    ),
    "hidden": (
        "<style>.away{display:none}.sr{position:absolute;left:-9999px}.pale{color:#fff}</style>"
        "<p>Seen first.</p><p class=away>UNSEENA</p><p style='visibility:hidden'>UNSEENB</p><p class=sr>UNSEENC</p>"
        "<p class=pale>UNSEEND</p><p style='font-size:0'>UNSEENE</p><p style='opacity:0'>UNSEENF</p><p>Seen last.</p>",
        Facts(
            said=(("Seen first.",), ("Seen last.",)),
            hidden=("UNSEENA", "UNSEENB", "UNSEENC", "UNSEEND", "UNSEENE", "UNSEENF"),
        ),
    ),
    "scripts": (
        "<h1>견적서 제1호</h1><p>納期は五月末日です。</p><p>合同编号：第三十七号。</p><p dir=rtl>المبلغ النهائي</p>"
        "<p dir=rtl>הסכום הסופי</p>",
        Facts(
            said=(
                ("견적서 제1호",),
                ("納期は五月末日です。",),
                ("合同编号：第三十七号。",),
                ("المبلغ النهائي",),
                ("הסכום הסופי",),
            )
        ),
    ),
    "lists": (
        "<ol start=5><li>Open the valve<li>Wait a minute</ol><ul><li>Apples<ul><li>Red apples</ul></ul>"
        "<p>An office with five efficient flows</p>",
        Facts(
            said=(
                ("5. Open the valve", "5) Open the valve"),
                ("6. Wait a minute", "6) Wait a minute"),
                ("Apples",),
                ("Red apples",),
                ("An office with five efficient flows",),
            )
        ),
    ),
    "merged": (
        "<table border=1 style='border-collapse:collapse'><tr><th>Region<th>City<th>Sum</tr>"
        "<tr><td rowspan=2>North<td>Bergen<td>11</tr><tr><td>Oslo<td>22</tr><tr><td colspan=2>All<td>33</tr></table>",
        Facts(rows=(("Region", "City", "Sum"), ("North", "Bergen", "11"), ("North", "Oslo", "22"), ("All", "*", "33"))),
    ),
}


def write_page(name: str) -> tuple[bytes, Facts]:
    """Return a page in HTML, and what it says."""
    body, facts = PAGES[name]
    return f"<!doctype html><html><meta charset=utf-8><title>Page</title><body>{body}</body></html>".encode(), facts


def write_print(name: str) -> tuple[bytes, Facts]:
    """Return a page that WeasyPrint prints as PDF, and what it says."""
    page, facts = write_page(name)
    if name == "lists":
        # WeasyPrint does not know where a list starts, so that its page shows other numbers.
        numbered = (("1. Open the valve",), ("2. Wait a minute",))
        facts = replace(facts, said=(*numbered, *facts.said[len(numbered) :]))
    return HTML(string=page.decode()).write_pdf(), facts
