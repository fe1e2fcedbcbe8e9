"""Raised and struck letters of DOCX files are marked, and those that nobody sees are left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, relations

MOST = 2**20
OMITTED = "\n\n[Left out: 1 hidden passage]"


# The styles of all DOCX files below: of letters, one based on another, and of paragraphs.
WORD_STYLES = """<styles><docDefaults><rPrDefault><rPr><sz val="22"/></rPr></rPrDefault></docDefaults>
<style type="character" styleId="Up"><rPr><vertAlign val="superscript"/></rPr></style>
<style type="character" styleId="Power"><basedOn val="Up"/></style>
<style type="character" styleId="Out"><rPr><strike/></rPr></style>
<style type="character" styleId="White"><rPr><color val="FFFFFF"/></rPr></style>
<style type="character" styleId="Ghost"><rPr><vanish/></rPr></style>
<style type="paragraph" styleId="Old"><rPr><strike/></rPr></style>
<style type="paragraph" styleId="Bar"><pPr><shd val="clear" fill="1F3864"/></pPr></style>
<style type="table" styleId="Plain"/>
<style type="table" styleId="Grid"><tblStylePr type="firstRow"><tcPr><shd fill="4472C4"/></tcPr></tblStylePr></style>
</styles>"""
WHITE = '<color val="FFFFFF"/>'
BLUE = '<color val="0000FF"/>'
NO_SHADE = '<shd val="clear" color="auto" fill="auto"/>'


def word(paragraph: str, around: str = "{}", before: str = "", styles: str = WORD_STYLES, **parts: str) -> str:
    """Return the text of a DOCX file with a paragraph in what is around it, and other parts by their kinds."""
    body = around.format(f"<p>{paragraph}</p>")
    kinds = {f"{kind}_{kind}": f"{kind}.xml" for kind in ("styles", *parts)}
    files = {
        "word/document.xml": f"<document>{before}<body>{body}</body></document>",
        "word/_rels/document.xml.rels": relations(**kinds),
        "word/styles.xml": styles,
        **{f"word/{kind}.xml": part for kind, part in parts.items()},
    }
    return document_text("a.docx", office_file("word/document.xml", files), MOST).text


def run(text: str, properties: str = "") -> str:
    return f"<r><rPr>{properties}</rPr><t>{text}</t></r>"


def of_style(name: str) -> str:
    return f'<rStyle val="{name}"/>'


@pytest.mark.parametrize(
    "properties",
    [
        '<vertAlign val="superscript"/>',
        of_style("Up"),
        of_style("Power"),
        '<position val="8"/><sz val="14"/>',
        '<position val="6"/>',
    ],
    ids=["direct", "style", "based on", "lifted and small", "lifted"],
)
def test_raised_letters_of_word_are_read_so(properties: str) -> None:
    assert word(run("10") + run("6", properties) + run(" cells")) == "10^6 cells"


@pytest.mark.parametrize(
    "properties",
    [
        '<vertAlign val="subscript"/>',
        of_style("Up") + '<vertAlign val="baseline"/>',
        '<position val="2"/>',
        '<position val="-6"/><sz val="14"/>',
        '<position val="1e999"/><sz val="x"/><color val="1"/>',
    ],
    ids=["lowered", "taken back", "a little", "below", "no numbers"],
)
def test_letters_of_word_that_are_not_raised_are_read_as_they_are(properties: str) -> None:
    assert word(run("H") + run("2", properties) + run("O")) == "H2O"


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (run("100 ", "<strike/>") + run("EUR", "<dstrike/>") + run(" 80"), "~~100 EUR~~ 80"),
        (run("100", of_style("Out")) + run(" 80"), "~~100~~ 80"),
        (run("100", of_style("Out") + '<strike val="0"/>') + run(" 80"), "100 80"),
        ('<pPr><pStyle val="Old"/></pPr>' + run("100") + run(" 80", of_style("Out")), "~~100~~ 80"),
        (run("see ") + run("10", "<strike/>") + run("6", "<strike/>" + of_style("Up")), "see ~~10^6~~"),
    ],
    ids=["runs", "style", "taken back", "paragraph", "raised, too"],
)
def test_struck_letters_of_word_are_marked(paragraph: str, text: str) -> None:
    assert word(paragraph) == text


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (run("100 ") + run("EUR"), "~~100 EUR~~"),
        (run("100") + run(" 80", '<strike val="0"/>'), "~~100~~ 80"),
        (run("100") + run(" 80", of_style("Out")), "~~100 80~~"),
        ('<pPr><pStyle val="Old"/></pPr>' + run("100") + run(" 80", of_style("Out")), "~~100 80~~"),
    ],
    ids=["runs", "taken back", "style", "paragraph"],
)
def test_letters_that_the_defaults_of_word_strike_are_struck_where_nothing_takes_it_back(
    paragraph: str, text: str
) -> None:
    styles = WORD_STYLES.replace("<rPrDefault><rPr>", "<rPrDefault><rPr><strike/>")
    assert word(paragraph, styles=styles) == text


@pytest.mark.parametrize("properties", ["", of_style("Ghost"), of_style("Up")], ids=["run", "hidden style", "style"])
def test_letters_that_the_defaults_of_word_hide_are_left_out(properties: str) -> None:
    styles = WORD_STYLES.replace("<rPrDefault><rPr>", "<rPrDefault><rPr><vanish/>")
    assert word(run("Seen", '<vanish val="0"/>') + run("x", properties), styles=styles) == "Seen" + OMITTED


CELL = "<tbl><tblPr>{0}</tblPr><tr><tc><tcPr>{1}</tcPr>{{}}</tc></tr></tbl>"


@pytest.mark.parametrize(
    ("paragraph", "around"),
    [
        (run("x", WHITE), "{}"),
        (run("x", '<color val="FEFEFE"/>'), "{}"),
        (run("x", '<color themeColor="background1"/>'), "{}"),
        (run("x", of_style("White")), "{}"),
        (run("x", of_style("Ghost")), "{}"),
        (run("x", '<sz val="3"/>'), "{}"),
        (run("x", '<color val="FF0000"/><shd val="clear" fill="FF0000"/>'), "{}"),
        (run("x", '<color val="FFFF00"/><highlight val="yellow"/>'), "{}"),
        ('<pPr><shd fill="000000"/></pPr>' + run("x", '<color val="000000"/>'), "{}"),
        (run("x", WHITE), CELL.format('<tblStyle val="Plain"/>', NO_SHADE)),
        (run("x", '<color val="1F3864"/>'), CELL.format("", '<shd fill="1F3864"/>')),
        (run("x", '<sz val="2"/>'), CELL.format("", '<shd fill="1F3864"/>')),
        (run("x", WHITE), "<p><r><pict><txbxContent><p><r><t>Seen</t></r></p></txbxContent></pict></r></p>{}"),
    ],
    ids=[
        "white",
        "nearly white",
        "theme",
        "style",
        "hidden style",
        "tiny",
        "shading",
        "highlight",
        "paragraph",
        "cell",
        "coloured cell",
        "tiny in a cell",
        "after a box",
    ],
)
def test_letters_of_word_that_nobody_sees_are_left_out(paragraph: str, around: str) -> None:
    assert word(f"{paragraph}{run('Seen', BLUE)}", around).endswith(f"Seen{OMITTED}")
    assert "x" not in word(paragraph, around).partition("[Left")[0]


@pytest.mark.parametrize(
    ("paragraph", "around"),
    [
        (run("x", '<color val="auto"/><sz val="4"/>'), "{}"),
        (run("x", '<rtl/><sz val="2"/><szCs val="24"/>'), "{}"),
        (run("x", of_style("White") + '<color val="000000"/>'), "{}"),
        (run("x", WHITE + '<shd val="clear" fill="1F3864"/>'), "{}"),
        (run("x", WHITE + '<highlight val="black"/>'), "{}"),
        (run("x", '<color val="D9D9D9" themeColor="background1" themeShade="D9"/>'), "{}"),
        ('<pPr><pStyle val="Bar"/></pPr>' + run("x", WHITE), "{}"),
        (run("x", WHITE), CELL.format("", '<shd fill="1F3864"/>')),
        (run("x", WHITE), CELL.format('<tblStyle val="Grid"/>', "")),
        (run("x", WHITE), CELL.format("", "").replace("<tc>", '<tblPrEx><shd fill="1F3864"/></tblPrEx><tc>')),
        (run("x", WHITE), "<p><r><pict><txbxContent>{}</txbxContent></pict></r></p>"),
        (run("x", WHITE), '<p><r><drawing><anchor behindDoc="1"/></drawing></r></p>{}'),
    ],
    ids=[
        "black",
        "other scripts",
        "taken back",
        "shading",
        "highlight",
        "grey",
        "bar",
        "cell",
        "style of a table",
        "row",
        "box",
        "picture",
    ],
)
def test_letters_of_word_on_what_may_have_a_colour_are_read(paragraph: str, around: str) -> None:
    assert word(paragraph, around) == "x"


def test_what_is_drawn_or_noted_in_letters_that_nobody_sees_is_read() -> None:
    box = "<pict><txbxContent><p><r><t>box</t></r></p></txbxContent></pict>"
    content = f'<r><rPr>{WHITE}</rPr><t>x</t><footnoteReference id="1"/>{box}</r>'
    notes = '<footnotes><footnote id="1"><p><r><t>low</t></r></p></footnote></footnotes>'
    assert word(run("Seen") + content, footnotes=notes) == f"Seen[^1]\n\nbox\n\n[^1]: low{OMITTED}"


def test_white_letters_on_pages_of_a_colour_are_read() -> None:
    assert word(run("x", WHITE), before='<background color="1F3864"/>') == "x"
