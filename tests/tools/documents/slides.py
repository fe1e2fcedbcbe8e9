"""Presentations that python-pptx writes. Each function returns what its document says."""

from __future__ import annotations

import io
from collections.abc import Callable

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation as PresentationType
from pptx.slide import Slide
from pptx.text.text import TextFrame
from pptx.util import Inches, Pt

from tests.tools.documents.facts import Facts

_TITLE_ONLY = 5


def _slide(deck: PresentationType, title: str) -> Slide:
    slide = deck.slides.add_slide(deck.slide_layouts[_TITLE_ONLY])
    slide.shapes.title.text = title
    return slide


def _box(slide: Slide, left: float, top: float, words: str = "") -> TextFrame:
    frame = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(0.6)).text_frame
    if words:
        frame.text = words
    return frame


def letters(deck: PresentationType) -> Facts:
    frame = _box(_slide(deck, "Offer and dose"), 1, 2)
    parts = (
        ("Count 10", {}),
        ("6", {"baseline": "30000"}),
        (" cells, price ", {}),
        ("100 EUR", {"strike": "sngStrike"}),
    )
    for words, attributes in (*parts, (" 80 EUR", {})):
        run = frame.paragraphs[0].add_run()
        run.text = words
        for name, given in attributes.items():
            run.font._element.set(name, given)
    return Facts(
        said=(("Offer and dose",), ("Count 10^6 cells",), ("~~100 EUR~~ 80 EUR",)),
        wrong=(r"\b106 cells", r"(?<!~)100 EUR(?!~)"),
    )


def hidden(deck: PresentationType) -> Facts:
    first = _slide(deck, "Shown slide")
    _box(first, 1, 2, "Seen words")
    _box(first, 40, 2, "UNSEENA")
    white = _box(first, 1, 4).paragraphs[0].add_run()
    white.text = "UNSEENB"
    white.font.color.rgb = RGBColor(255, 255, 255)
    tiny = _box(first, 1, 5).paragraphs[0].add_run()
    tiny.text = "UNSEENC"
    tiny.font.size = Pt(1)
    _slide(deck, "UNSEEND")._element.set("show", "0")
    return Facts(said=(("Shown slide",), ("Seen words",)), hidden=("UNSEENA", "UNSEENB", "UNSEENC", "UNSEEND"))


def table(deck: PresentationType) -> Facts:
    shapes = _slide(deck, "Branches").shapes
    cells = shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    texts = (("Region", "City", "Sum"), ("North", "Bergen", "11"), ("", "Oslo", ""), ("All", "", "42"))
    for row, words in enumerate(texts):
        for column, text in enumerate(words):
            cells.cell(row, column).text = text
    cells.cell(1, 0).merge(cells.cell(2, 0))
    cells.cell(3, 0).merge(cells.cell(3, 1))
    return Facts(
        said=(("Branches",),),
        rows=(("Region", "City", "Sum"), ("North", "Bergen", "11"), ("North", "Oslo", ""), ("All", "*", "42")),
    )


def chart(deck: PresentationType) -> Facts:
    shapes = _slide(deck, "Sales").shapes
    data = CategoryChartData()
    data.categories = ["January", "February"]
    data.add_series("Pumps", (31, 28))
    data.add_series("Valves", (7, 9))
    frame = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Winter sales"
    return Facts(said=(("Winter sales",),), rows=(("January", "31", "7"), ("February", "28", "9")))


def notes(deck: PresentationType) -> Facts:
    slide = _slide(deck, "With notes")
    _box(slide, 5, 3, "right words")
    _box(slide, 1, 3, "left words")
    slide.notes_slide.notes_text_frame.text = "Say hello to Mina"
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    inner.text_frame.text = "grouped words"
    return Facts(said=(("With notes",), ("right words",), ("left words",), ("Say hello to Mina",), ("grouped words",)))


def scripts(deck: PresentationType) -> Facts:
    slide = _slide(deck, "분기 실적")
    for row, words in enumerate(("매출 1,250만 원", "売上高は前年比", "营业收入", "إجمالي المبيعات")):
        _box(slide, 1, 2 + row, words)
    return Facts(
        said=(
            ("분기 실적",),
            ("매출 1,250만 원", "매출 1,250 만 원"),
            ("売上高は前年比",),
            ("营业收入",),
            ("إجمالي المبيعات",),
        )
    )


def lists(deck: PresentationType) -> Facts:
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Agenda"
    frame = slide.placeholders[1].text_frame
    frame.text = "Budget"
    paragraph = frame.add_paragraph()
    paragraph.text = "Travel"
    paragraph.level = 1
    run = frame.add_paragraph().add_run()
    run.text = "Terms"
    run.hyperlink.address = "https://example.org/terms"
    picture = slide.shapes.add_shape(1, Inches(6), Inches(6), Inches(2), Inches(1))
    picture.text_frame.text = "Deadline 12 May"
    return Facts(
        said=(("Agenda",), ("Budget",), ("Travel",), ("https://example.org/terms",), ("Deadline 12 May",)),
    )


DECKS: dict[str, Callable[[PresentationType], Facts]] = {
    "letters": letters,
    "hidden": hidden,
    "table": table,
    "chart": chart,
    "notes": notes,
    "scripts": scripts,
    "lists": lists,
}


def write_deck(name: str) -> tuple[bytes, Facts]:
    """Return a presentation by its name, and what it says."""
    deck = Presentation()
    facts = DECKS[name](deck)
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue(), facts
