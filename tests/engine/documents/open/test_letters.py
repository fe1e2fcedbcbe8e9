"""Raised and struck letters of OpenDocument files are marked, and those that nobody sees are left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import open_document

OMITTED = "\n\n[Left out: 1 hidden passage]"


def style(name: str, properties: str, family: str = "text", parent: str = "", more: str = "") -> str:
    """Return a style with properties of letters, and more of others."""
    return (
        f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">'
        f"<style:text-properties {properties}/>{more}</style:style>"
    )


WHITE, LINE = 'fo:color="#ffffff"', 'style:text-line-through-style="solid"'
ON_BLUE = '<style:{}-properties fo:background-color="#1f3864"/>'
STYLES = "".join(
    [
        style("Up", 'style:text-position="super 58%"'),
        style("Lift", 'style:text-position="33% 58%"'),
        style("Power", 'fo:color="#ff0000"', parent="Common"),
        style("Down", 'style:text-position="sub 58%"'),
        style("Sink", 'style:text-position="-33% 58%"'),
        style("Flat", 'style:text-position="0% 100%"', parent="Up"),
        style("Out", LINE),
        style("Type", 'style:text-line-through-type="double"'),
        style("Kept", 'style:text-line-through-style="none" style:text-line-through-type="single"'),
        style("Old", LINE, "paragraph"),
        style("White", WHITE),
        style("OfBlue", 'fo:color="#1f3864"'),
        style("Nearly", 'fo:color="#FEFEFE"'),
        style("Pale", "", parent="White"),
        style("Clear", 'fo:color="#000000" loext:opacity="0%"'),
        style("Auto", 'style:use-window-font-color="true" loext:opacity="0%"'),
        style("Tiny", 'fo:font-size="0.02cm"'),
        style("Small", 'fo:font-size="2pt"'),
        style("Odd", 'fo:font-size="1.1.1pt" style:text-position="inf%" fo:color="#1"'),
        style("Share", 'fo:font-size="1%"'),
        style("OnBlue", WHITE + ' fo:background-color="#1f3864"'),
        style("OnItself", 'fo:color="#1f3864" fo:background-color="#1f3864"'),
        style("OffBlue", 'fo:background-color="transparent"', parent="OnBlue"),
        style("Plain", 'fo:color="#1f3864" fo:background-color="transparent"', parent="OnItself"),
        style("Bar", "", "paragraph", more=ON_BLUE.format("paragraph")),
        style("Ghost", WHITE, "paragraph"),
        style("Cell", "", "table-cell", more=ON_BLUE.format("table-cell")),
        style("Gone", WHITE, "table-cell"),
        style("NoBar", "", "paragraph", "Bar", '<style:paragraph-properties fo:background-color="transparent"/>'),
        style("NoCell", "", "table-cell", "Cell", '<style:table-cell-properties fo:background-color="transparent"/>'),
        style("Shape", LINE, "graphic"),
    ]
)
COMMON = style("Common", 'style:text-position="super 58%"')


def span(name: str, words: str) -> str:
    return f'<text:span text:style-name="{name}">{words}</text:span>'


def p(content: str, name: str = "") -> str:
    return f'<text:p text:style-name="{name}">{content}</text:p>'


def text_of(body: str, kind: str = "text", common: str = COMMON) -> str:
    return document_text("a.odt", open_document(kind, body, STYLES, common), 2**20).text


def table(content: str, name: str = "") -> str:
    cells = f'<table:table-cell table:style-name="{name}">{content}</table:table-cell>'
    return f"<table:table><table:table-row>{cells}</table:table-row></table:table>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p("10" + span("Up", "6") + " cells"), "10^6 cells"),
        (p("10" + span("Lift", "-9") + " M"), "10^-9 M"),
        (p("10" + span("Power", "6")), "10^6"),
        (p("10" + span("Up", span("White", "") + "6")), "10^6"),
        (p("H" + span("Down", "2") + "O" + span("Sink", "3") + span("Flat", "4")), "H2O_(3)4"),
        (p(span("Out", "100 ") + span("Type", "EUR") + " 80"), "~~100 EUR~~ 80"),
        (p("100" + span("Kept", " 80"), "Old"), "~~100~~ 80"),
        (
            p(span("Up", f"2<text:note><text:note-body>{p('seen')}</text:note-body></text:note>")),
            "^2[^1]\n\n[^1]: seen",
        ),
        (f'<draw:frame draw:style-name="Shape"><draw:text-box>{p("100")}</draw:text-box></draw:frame>', "~~100~~"),
    ],
    ids=["raised", "lifted", "based on", "within", "lowered", "struck", "by paragraph", "note", "by shape"],
)
def test_raised_and_struck_letters_are_marked(body: str, text: str) -> None:
    assert text_of(body) == text


def test_letters_of_cells_and_titles_are_marked() -> None:
    cells = f"<table:table-cell>{p('10' + span('Up', '6'))}</table:table-cell>"
    cells += '<table:table-cell office:value="5"/>'
    column = '<table:table-column/><table:table-column table:default-cell-style-name="Struck"/>'
    rows = f'<table:table table:name="S">{column}<table:table-row>{cells}</table:table-row></table:table>'
    struck = style("Struck", LINE, "table-cell")
    assert text_of(rows, "spreadsheet", struck) == ("## S\n\n| 10^6 | ~~5~~ |\n| --- | --- |")
    words = p("10" + span("Up", "6"))
    title = f'<draw:frame presentation:class="title"><draw:text-box>{words}</draw:text-box></draw:frame>'
    assert text_of(f"<draw:page>{title}</draw:page>", "presentation") == "## 1. 10^6"


@pytest.mark.parametrize(
    "body",
    [
        p(span("White", "x")),
        p(span("Nearly", "x")),
        p(span("Pale", "x")),
        p(span("Clear", "x")),
        p(span("Tiny", "x")),
        p(span("OnItself", "x")),
        p(span("OffBlue", "x")),
        p(span("White", "x"), "NoBar"),
        table(p(span("White", "x")), "NoCell"),
        p(span("White", span("Out", "x") + "y")),
        p("x", "Ghost"),
        table(p(span("White", "x"))),
        table(p("x"), "Gone"),
        table(p(span("Tiny", "x")), "Cell"),
        f"<draw:frame><draw:text-box>{p(span('Tiny', 'x'))}</draw:text-box></draw:frame>",
    ],
    ids=[
        "white",
        "nearly white",
        "based on",
        "transparent",
        "tiny",
        "own background",
        "no background",
        "no background of a paragraph",
        "no background of a cell",
        "within",
        "paragraph",
        "in a cell",
        "by the cell",
        "tiny in a cell",
        "tiny in a frame",
    ],
)
def test_letters_that_nobody_sees_are_left_out_and_counted(body: str) -> None:
    assert text_of(p("Seen") + body) == f"Seen{OMITTED}"


@pytest.mark.parametrize(
    "body",
    [
        p(span("Small", "x")),
        p(span("Share", "x")),
        p(span("Odd", "x")),
        p(span("Auto", "x")),
        p(span("OnBlue", "x")),
        p(span("Plain", "x")),
        p(span("White", "x"), "Bar"),
        table(p(span("White", "x")), "Cell"),
        f"<draw:frame><draw:text-box>{p(span('White', 'x'))}</draw:text-box></draw:frame>",
    ],
    ids=["two points", "share", "no numbers", "automatic", "background", "no background", "paragraph", "cell", "frame"],
)
def test_letters_on_what_may_have_a_colour_are_read(body: str) -> None:
    assert text_of(body) == "x"


@pytest.mark.parametrize(
    "common",
    [
        '<style:page-layout><style:page-layout-properties fo:background-color="#1f3864"/></style:page-layout>',
        '<style:page-layout><style:page-layout-properties draw:fill="bitmap"/></style:page-layout>',
        '<style:style style:family="graphic" style:name="B"><style:p style:run-through="background"/></style:style>',
    ],
    ids=["colour", "picture", "something behind"],
)
def test_white_letters_on_pages_that_may_have_a_colour_are_read(common: str) -> None:
    assert text_of(p(span("White", "x")), common=common) == "x"


LOOK = '<style:style style:family="{}" style:name="{}"><style:x draw:fill="{}" draw:fill-color="{}"/></style:style>'
MASTERS = LOOK.format("drawing-page", "Dark", "solid", "#1f3864") + LOOK.format("graphic", "Filled", "solid", "#1f3864")
MASTERS += LOOK.format("graphic", "Empty", "none", "#729fcf") + LOOK.format("drawing-page", "Plain", "none", "")
MASTERS += """<style:page-layout style:name="P">
<style:page-layout-properties fo:page-width="20cm" fo:page-height="10cm"/></style:page-layout>
<style:master-page style:name="M" style:page-layout-name="P" draw:style-name="Plain"><loext:theme/>
</style:master-page>
<style:master-page style:name="D" style:page-layout-name="P" draw:style-name="Dark"/>
<style:master-page style:name="S" style:page-layout-name="P"><draw:rect draw:style-name="Filled" svg:x="0cm" svg:y="0cm"
svg:width="5cm" svg:height="5cm"/></style:master-page>"""
PLACE = 'svg:x="{}cm" svg:y="{}cm" svg:width="1cm" svg:height="1cm"'


def slide(*shapes: str, master: str = "M") -> str:
    page = f'<draw:page draw:master-page-name="{master}">{"".join(shapes)}</draw:page>'
    return text_of(page, "presentation", MASTERS).removeprefix("## 1.\n\n")


def frame(words: str, x: int, y: int, name: str = "Empty") -> str:
    box = f"<draw:text-box>{p(words)}</draw:text-box>"
    return f'<draw:frame draw:style-name="{name}" {PLACE.format(x, y)}>{box}</draw:frame>'


SEEN = frame("Seen", 1, 1)


@pytest.mark.parametrize(
    ("shape", "master"),
    [
        (frame(span("White", "x"), 3, 3), "M"),
        (frame(span("White", "x"), 9, 9), "S"),
        (frame(span("OfBlue", "x"), 3, 3, "Filled"), "M"),
        (frame(span("OfBlue", "x"), 3, 3), "D"),
        (frame("x", 21, 3), "M"),
        (frame("x", 3, -2), "M"),
    ],
    ids=["white", "apart from a shape", "fill of its frame", "page", "right of it", "above"],
)
def test_letters_of_slides_that_nobody_sees_are_left_out(shape: str, master: str) -> None:
    assert slide(SEEN, shape, master=master) == f"Seen{OMITTED}"


@pytest.mark.parametrize(
    ("shapes", "master"),
    [
        (frame(span("White", "x"), 3, 3), "D"),
        (frame(span("White", "x"), 3, 3), "S"),
        (frame(span("White", "x"), 3, 3, "Filled"), "M"),
        (frame("", 3, 3, "Filled") + frame(span("White", "x"), 3, 3), "M"),
        (f"<draw:rect>{p(span('White', 'x'))}</draw:rect>", "M"),
        (f"<draw:g>{frame(span('White', 'x'), 3, 3)}</draw:g>", "M"),
        (f"<draw:frame {PLACE.format(3, 3)}>{table(p(span('White', 'x')))}</draw:frame>", "M"),
        (frame("x", 19, 3) + frame("", 3, 3), "M"),
    ],
    ids=["dark page", "shape of the master", "fill", "on a shape", "rectangle", "group", "table", "at the edge"],
)
def test_letters_of_slides_on_what_may_have_a_colour_are_read(shapes: str, master: str) -> None:
    assert slide(shapes, master=master) == "x"


BLUE = 'fo:background-color="#1f3864"'


@pytest.mark.parametrize(
    "style_around",
    [
        style("Part", "", "section", more=f"<style:section-properties {BLUE}/>"),
        "<style:page-layout><style:header-style>"
        f"<style:header-footer-properties {BLUE}/></style:header-style></style:page-layout>",
        style("Fades", "", "paragraph", more='<style:paragraph-properties draw:fill="gradient"/>'),
    ],
    ids=["section", "header", "gradient"],
)
def test_white_letters_beside_areas_that_have_a_colour_are_read(style_around: str) -> None:
    assert text_of(p(span("White", "read")), common=COMMON + style_around) == "read"


def test_a_style_that_is_based_on_itself_ends() -> None:
    assert text_of(p(span("A", "x")), common=style("A", "", parent="B") + style("B", "", parent="A")) == "x"
