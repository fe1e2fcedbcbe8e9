"""Code in DOCX files keeps its spaces and its lines: paragraphs of a style for code, or in a font for code."""

from __future__ import annotations

import pytest

from tests.counted_steps import lines
from tests.engine.documents.word_files import CLAUSES, item, paragraph, row, run, table, text_of

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
COURIER = '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/>'


def line(text: str, font: str = COURIER) -> str:
    """Return a paragraph of code."""
    return paragraph(f'<w:r><w:rPr>{font}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>')


def style(name: str, properties: str = "", kind: str = "paragraph", more: str = "") -> str:
    return f"""<w:style w:type="{kind}" w:styleId="{name.replace(" ", "")}" {more}>
    <w:name w:val="{name}"/><w:rPr>{properties}</w:rPr></w:style>"""


def styled(text: str, name: str) -> str:
    return paragraph(run(text), f'<w:pStyle w:val="{name}"/>')


BREAK = paragraph("")
TABBED = paragraph(f"<w:r><w:rPr>{COURIER}</w:rPr><w:tab/><w:t>return 1</w:t></w:r>")
BROKEN = paragraph(f'<w:r><w:rPr>{COURIER}</w:rPr><w:t>a:</w:t><w:br/><w:t xml:space="preserve">  b</w:t></w:r>')
BOX = f"<w:r><w:pict><w:txbxContent>{line('  boxed')}</w:txbxContent></w:pict></w:r>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            paragraph(run("Run:")) + line("def f():") + line("    return 1") + paragraph(run("So.")),
            "Run:\n\n```\ndef f():\n    return 1\n```\n\nSo.",
        ),
        (line("def f():") + TABBED, "```\ndef f():\n\treturn 1\n```"),
        (line("  a") + BREAK + line("  b") + BREAK + paragraph(run("c")), "```\n  a\n\n  b\n```\n\nc"),
        (BROKEN, "```\na:\n  b\n```"),
        (line("a", COURIER.replace("Courier New", "JetBrains Mono")), "```\na\n```"),
        (line("a", COURIER.replace("Courier New", "Monotype Corsiva")), "a"),
        (paragraph(run("a ", COURIER) + run("b")), "a b"),
        (paragraph(run("a", COURIER) + run(" ")), "```\na\n```"),
        (paragraph(f'<w:hyperlink r:id="x">{run("a", COURIER)}</w:hyperlink>'), "```\na\n```"),
        (table(row(line("  a") + line("  b"))), "```\n  a\n  b\n```"),
        (
            line("a") + table(row(line("b"), line("c"))) + line("d"),
            "```\na\n```\n\n| b | c |\n| --- | --- |\n\n```\nd\n```",
        ),
        (line("a ``` b"), "````\na ``` b\n````"),
        (paragraph(run("a", COURIER) + BOX) + line("c"), "```\na\n```\n\n```\n  boxed\n```\n\n```\nc\n```"),
        (item("a") + line("  b") + item("c"), "1. a\n\n```\n  b\n```\n\n2. c"),
        (paragraph(run("a", COURIER), '<w:outlineLvl w:val="1"/>'), "## a"),
    ],
    ids=[
        "spaces",
        "tab",
        "blank lines",
        "line end",
        "another font",
        "no font for code",
        "words beside it",
        "spaces beside it",
        "link",
        "table that only places",
        "table",
        "fence in it",
        "text box",
        "between items",
        "heading",
    ],
)
def test_paragraphs_in_a_font_for_code_are_a_block(body: str, text: str) -> None:
    numbering = f'<w:abstractNum w:abstractNumId="0">{CLAUSES}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    assert text_of(body, numbering=numbering) == text


@pytest.mark.parametrize(
    ("styles", "body"),
    [
        (style("Source Code"), styled("a", "SourceCode")),
        (style("HTML Preformatted"), styled("a", "HTMLPreformatted")),
        (style("Mine", COURIER), styled("a", "Mine")),
        (
            style("Code", COURIER) + '<w:style w:styleId="X"><w:name w:val="X"/><w:basedOn w:val="Code"/></w:style>',
            styled("a", "X"),
        ),
        (style("Verbatim Char", COURIER, "character"), paragraph(run("a", '<w:rStyle w:val="VerbatimChar"/>'))),
        ("", line("a", '<w:rFonts w:asciiTheme="minorHAnsi" w:ascii="Calibri"/>')),
    ],
    ids=["name", "Word's", "font of a style", "base of a style", "style of letters", "theme"],
)
def test_styles_and_the_theme_tell_what_is_code(styles: str, body: str) -> None:
    fonts = '<a:minorFont><a:latin typeface="Consolas"/></a:minorFont>'
    theme = f'<a:themeElements xmlns:a="{DRAWING}"><a:fontScheme>{fonts}</a:fontScheme></a:themeElements>'
    assert text_of(body + paragraph(run("b")), styles=styles, theme=theme) == "```\na\n```\n\nb"


@pytest.mark.parametrize(
    "styles",
    [
        f"<w:docDefaults><w:rPrDefault><w:rPr>{COURIER}</w:rPr></w:rPrDefault></w:docDefaults>",
        style("Normal", COURIER, more='w:default="1"'),
    ],
    ids=["defaults", "usual style"],
)
def test_a_manuscript_in_a_font_for_code_is_none(styles: str) -> None:
    body = line("INT. KITCHEN") + paragraph(run("She waits."))
    assert text_of(body, styles=styles) == "INT. KITCHEN\n\nShe waits."


def test_code_below_the_text_is_not_that_of_a_footer() -> None:
    body = line("a") + '<w:sectPr><w:footerReference r:id="footer"/></w:sectPr>'
    assert text_of(body, footer=line("b")) == "```\na\n```\n\n```\nb\n```"


def test_code_of_an_embedded_page_is_not_that_above_it() -> None:
    body = line("a") + '<w:altChunk r:id="aFChunk"/>'
    assert text_of(body, aFChunk="<html><p>b</p></html>") == "```\na\n```\n\nb"


def test_code_that_is_too_long_ends_between_two_blocks() -> None:
    text = text_of("".join(line(f"{number:04} {'x' * 70}") for number in range(600)))
    assert text.count("```") == 6
    assert text.replace("```", "").split() == [word for number in range(600) for word in (f"{number:04}", "x" * 70)]


def test_code_that_is_four_times_as_long_takes_four_times_as_long() -> None:
    few, many = (lines(lambda count=count: text_of((line("  x") + BREAK) * count)) for count in (50, 200))
    assert many < 5 * few
