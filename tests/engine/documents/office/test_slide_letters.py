"""Raised and struck letters of slides are marked, and those that nobody sees are left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, relations

MOST = 2**20
OMITTED = "\n\n[Left out: 1 hidden passage]"
THEME = """<theme><clrScheme><dk1><sysClr val="windowText" lastClr="000000"/></dk1><lt1><srgbClr val="FFFFFF"/></lt1>
<accent1><srgbClr val="1F3864"/></accent1></clrScheme>
<bgFillStyleLst><solidFill><schemeClr val="phClr"/></solidFill></bgFillStyleLst></theme>"""
PAGE = '<cSld><bg><bgRef idx="1001"><schemeClr val="bg1"/></bgRef></bg><spTree>{}</spTree></cSld>'
# Places for text on the master, the second of which raises and strikes what it has, and styles of the master.
PLACE = (
    '<sp><nvSpPr><nvPr><ph type="{0}" idx="{1}"/></nvPr></nvSpPr><spPr/><txBody><lstStyle>{2}</lstStyle></txBody></sp>'
)
MASTER = f"""<sldMaster>{PAGE.format(PLACE.format("body", 1, ""))}<clrMap bg1="lt1" tx1="dk1" accent1="accent1"/>
<txStyles><bodyStyle><lvl1pPr><defRPr sz="1800"><solidFill><schemeClr val="tx1"/></solidFill></defRPr></lvl1pPr>
</bodyStyle></txStyles></sldMaster>"""
RAISING = '<lvl1pPr><defRPr baseline="30000"/></lvl1pPr><lvl2pPr><defRPr strike="sngStrike"/></lvl2pPr>'
LAYOUT = f"<sldLayout><cSld><spTree>{PLACE.format('body', 7, RAISING)}</spTree></cSld></sldLayout>"
BOX = "<sp><nvSpPr><cNvPr/><nvPr>{1}</nvPr></nvSpPr><spPr>{2}</spPr><txBody>{0}</txBody></sp>"
AREA = '<xfrm><off x="{}" y="{}"/><ext cx="100" cy="100"/></xfrm>'
WHITE_FILL, BLUE_FILL = (f'<solidFill><srgbClr val="{one}"/></solidFill>' for one in ("FFFFFF", "1F3864"))
BLACK_FILL = BLUE_FILL.replace("1F3864", "000000")
LOOK = '<style><fontRef idx="minor"><schemeClr val="lt1"/></fontRef></style>'
BG1 = '<solidFill><schemeClr val="bg1"/></solidFill>'


def drawn(text: str, attributes: str = "", fill: str = "") -> str:
    return f"<r><rPr {attributes}>{fill}</rPr><t>{text}</t></r>"


def box(runs: str, properties: str = "", place: str = "", paragraph: str = "") -> str:
    return BOX.format(f"<p>{paragraph}{runs}</p>", place, properties)


def cell(runs: str) -> str:
    return f"<graphicFrame><tbl><tr><tc><p>{runs}</p></tc></tr></tbl></graphicFrame>"


def slides(shapes: str, page: str = "", layout: str = LAYOUT, master: str = MASTER) -> str:
    """Return the text of a PPTX file with one slide that has shapes and a page, and with its layout and master."""
    files = {
        "ppt/presentation.xml": '<presentation><sldId id="s"/><sldSz cx="1000" cy="1000"/></presentation>',
        "ppt/_rels/presentation.xml.rels": relations(s_slide="s.xml"),
        "ppt/s.xml": f"<sld><cSld>{page}<spTree>{shapes}</spTree></cSld></sld>",
        "ppt/_rels/s.xml.rels": relations(l_slideLayout="l.xml"),
        "ppt/l.xml": layout,
        "ppt/_rels/l.xml.rels": relations(m_slideMaster="m.xml"),
        "ppt/m.xml": master,
        "ppt/_rels/m.xml.rels": relations(t_theme="t.xml"),
        "ppt/t.xml": THEME,
    }
    return document_text("a.pptx", office_file("ppt/presentation.xml", files), MOST).text.removeprefix("## 1.\n\n")


SEVENTH = '<ph idx="7"/>'


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (box(drawn("10") + drawn("6", 'baseline="30000"')), "10^6"),
        (box(drawn("10") + drawn("6", 'baseline="30%"')), "10^6"),
        (box(drawn("H") + drawn("2", 'baseline="-25000"') + drawn("O")), "H2O"),
        (box(drawn("10", 'baseline="0"') + drawn("6"), place=SEVENTH), "10^6"),
        (
            box(drawn("100 ", 'strike="sngStrike"') + drawn("EUR", 'strike="dblStrike"') + drawn(" 80")),
            "~~100 EUR~~ 80",
        ),
        (
            box(drawn("100") + drawn(" 80", 'strike="noStrike"'), place=SEVENTH, paragraph='<pPr lvl="1"/>'),
            "~~100~~ 80",
        ),
        (
            cell(drawn("1", 'strike="sngStrike"')),
            "~~1~~",
        ),
    ],
    ids=["raised", "percent", "lowered", "raised by its place", "struck", "struck by its place", "in a table"],
)
def test_raised_and_struck_letters_of_slides_are_marked(shape: str, text: str) -> None:
    assert slides(shape) == text


def test_raised_letters_of_titles_and_notes_are_marked() -> None:
    assert slides(box(drawn("10") + drawn("6", 'baseline="30000"'), place='<ph type="title"/>')) == "## 1. 10^6"


@pytest.mark.parametrize(
    "shape",
    [
        box(drawn("x", fill=WHITE_FILL)),
        box(drawn("x", fill=BG1)),
        box(drawn("x", fill="<noFill/>")),
        box(drawn("x", fill='<solidFill><srgbClr val="000000"><alpha val="0"/></srgbClr></solidFill>')),
        box(drawn("x", 'sz="100"')),
        box(drawn("x", fill=BLUE_FILL), BLUE_FILL),
        box(drawn("x", fill=WHITE_FILL), AREA.format(500, 500)),
        box(drawn("x"), AREA.format(1001, 5)),
        box(drawn("x"), AREA.format(5, -101)),
    ],
    ids=["white", "theme", "no fill", "transparent", "tiny", "fill of its box", "apart", "right of it", "above"],
)
def test_letters_of_slides_that_nobody_sees_are_left_out(shape: str) -> None:
    under = box("", BLUE_FILL + AREA.format(0, 0))
    seen = box(drawn("Seen"), AREA.format(900, 900))
    assert slides(seen + shape) == f"Seen{OMITTED}"
    if "xfrm" in shape:
        assert slides(under + seen + shape) == f"Seen{OMITTED}"


@pytest.mark.parametrize(
    ("shape", "page"),
    [
        (box(drawn("x", fill=WHITE_FILL), BLUE_FILL), ""),
        (box("", BLUE_FILL + AREA.format(0, 0)) + box(drawn("x", fill=WHITE_FILL), AREA.format(50, 50)), ""),
        ("<pic/>" + box(drawn("x", fill=WHITE_FILL)), ""),
        (box(drawn("x", fill=WHITE_FILL)), f"<bg><bgPr>{BLUE_FILL}</bgPr></bg>"),
        (box(drawn("x", fill=WHITE_FILL)), "<bg><bgPr><blipFill/></bgPr></bg>"),
        (box(drawn("x", fill=WHITE_FILL + '<highlight><srgbClr val="000000"/></highlight>')), ""),
        (f"<grpSp>{box(drawn('x', fill=WHITE_FILL))}</grpSp>", ""),
        (cell(drawn("x", fill=WHITE_FILL)), ""),
        (box(drawn("x"), BLACK_FILL).replace("<txBody>", f"{LOOK}<txBody>"), ""),
        (box(drawn("x", 'sz="200"'), AREA.format(1000, -100)), ""),
    ],
    ids=[
        "fill",
        "on a shape",
        "on a picture",
        "page",
        "picture of the page",
        "marked",
        "group",
        "table",
        "look",
        "at the edge",
    ],
)
def test_letters_of_slides_on_what_may_have_a_colour_are_read(shape: str, page: str) -> None:
    assert slides(shape, page) == "x"
