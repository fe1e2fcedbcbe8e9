"""Slides have what they show, from top to bottom: boxes, lists, charts, diagrams, addresses and notes."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import office_file, relations

CHART = """<chartSpace><chart><title><tx><rich><p><r><t>Growth</t></r></p></rich></tx></title><plotArea>{}</plotArea>
</chart></chartSpace>"""
SERIES = """<ser><tx><strRef><strCache><pt idx="0"><v>{0}</v></pt></strCache></strRef></tx>
<{1}><pt idx="0"><v>{2}</v></pt><pt idx="1"><v>{3}</v></pt></{1}>
<{4}>
<numCache><formatCode>0%</formatCode><pt idx="0"><v>{5}</v></pt><pt idx="1"><v>{6}</v></pt></numCache></{4}></ser>"""
YEARS = [(2025, 0.25, 0.5), (2026, 0.3, 0.6)]
BARS = "".join(SERIES.format(year, "cat", "East", "West", "val", *shares) for year, *shares in YEARS)
DOTS = SERIES.format("Model", "xVal", 0.5, 1.5, "yVal", 2, 3)
NAMED = """<ser><tx><v>Sales</v></tx><cat><pt idx="0"><v>East</v></pt></cat>
<val><numCache><pt idx="0"><v>3</v></pt></numCache></val></ser>"""
DIAGRAM = """<dataModel><pt modelId="0" type="doc"/><pt modelId="1"><t><p><r><t>Ship</t></r></p></t></pt>
<pt modelId="2"><t><p><r><t>Plan</t></r></p></t></pt><pt modelId="3"><t><p><r><t>Draw</t></r></p></t></pt>
<cxn srcId="0" destId="missing" srcOrd="0"/><cxn srcId="0" destId="1" srcOrd="1"/>
<cxn srcId="0" destId="2" srcOrd="0"/><cxn srcId="2" destId="3" srcOrd="0"/>
<cxn type="presOf" srcId="3" destId="0"/></dataModel>"""


def text_of(*slides: str, **parts: str) -> str:
    """Return the text of slides with these shapes, and of parts that they refer to by their kinds."""
    entries = "".join(f'<sldId id="s{number}"/>' for number in range(len(slides)))
    names = {f"s{number}_slide": f"s{number}.xml" for number in range(len(slides))}
    content = {
        "ppt/presentation.xml": f"<presentation>{entries}</presentation>",
        "ppt/_rels/presentation.xml.rels": relations(**names),
    }
    kinds = {f"{kind}_{kind}": f"{kind}.xml" for kind in parts}
    for number, slide in enumerate(slides):
        whole = slide if slide.startswith("<sld") else f"<sld><spTree>{slide}</spTree></sld>"
        content[f"ppt/s{number}.xml"] = whole
        content[f"ppt/_rels/s{number}.xml.rels"] = relations(link_hyperlink="https://example.org/x", **kinds)
    content |= {f"ppt/{kind}.xml": part for kind, part in parts.items()}
    return document_text("a.pptx", office_file("ppt/presentation.xml", content), 2**20).text.removeprefix("## 1.\n\n")


def line(text: str, properties: str = "") -> str:
    return f"<p>{properties}<r><t>{text}</t></r></p>"


def box(lines: str, y: int | None = None, x: int = 0, about: str = "", place: str = "") -> str:
    xfrm = "" if y is None else f'<xfrm><off x="{x}" y="{y}"/></xfrm>'
    return f"<sp><nvSpPr>{about}<nvPr>{place}</nvPr></nvSpPr><spPr>{xfrm}</spPr><txBody>{lines}</txBody></sp>"


LAYOUT = box("", 2_000_000, place='<ph idx="7"/>').join(("<sldLayout>", "</sldLayout>"))


def group(*shapes: str, y: int) -> str:
    return f'<grpSp><grpSpPr><xfrm><off x="0" y="{y}"/></xfrm></grpSpPr>{"".join(shapes)}</grpSp>'


SHAPES = {
    "rows": (
        box(line("low"), 5_000_000)
        + box(line("right"), 2_000_010, 4_000_000)
        + box(line("left"), 2_000_090, 1_000_000),
        "left\n\nright\n\nlow",
    ),
    "group": (
        box(line("low"), 6_000_000) + group(box(line("b"), 9_000_000), box(line("a"), 8_000_000), y=1_000_000),
        "a\n\nb\n\nlow",
    ),
    "place of the layout": (
        box(line("low"), 3_000_000) + box(line("body"), place='<ph idx="7"/>') + box(line("top"), 1_000_000),
        "top\n\nbody\n\nlow",
    ),
    "numbers": (
        box(
            line("a", '<pPr><buAutoNum type="arabicPeriod" startAt="3"/></pPr>')
            + line("b", '<pPr lvl="1"><buAutoNum type="alphaLcParenR"/></pPr>')
            + line("c", '<pPr><buAutoNum type="arabicPeriod"/></pPr>')
            + line("d", "<pPr><buNone/></pPr>")
            + line("e")
        ),
        "3. a\n   a) b\n4. c\n\nd\n\n- e",
    ),
    "addresses": (
        box('<p><r><rPr><hlinkClick id="link"/></rPr><t>page</t></r></p>', 1)
        + box(line("button"), 900_000, about='<cNvPr><hlinkClick id="link"/></cNvPr>'),
        "[page](https://example.org/x)\n\n[button](https://example.org/x)",
    ),
    "picture": ('<pic><nvPicPr><cNvPr descr="A red\nsquare"/></nvPicPr></pic>', "[A red square]"),
    "diagram": ('<graphicFrame><relIds dm="diagramData"/></graphicFrame>', "- Plan\n   - Draw\n- Ship"),
    "bars": (
        '<graphicFrame><chart id="bars"/></graphicFrame>',
        "Growth\n\n|  | 2025 | 2026 |\n| --- | --- | --- |\n| East | 25% | 30% |\n| West | 50% | 60% |",
    ),
    "dots": (
        '<graphicFrame><chart id="dots"/></graphicFrame>',
        "Growth\n\n|  | Model |\n| --- | --- |\n| 0.5 | 200% |\n| 1.5 | 300% |",
    ),
    "names in the chart itself": (
        '<graphicFrame><chart id="names"/></graphicFrame>',
        "Growth\n\n|  | Sales |\n| --- | --- |\n| East | 3 |",
    ),
    "formula": (
        box("<p><m><oMath><f><num><r><t>a</t></r></num><den><r><t>b</t></r></den></f></oMath></m></p>"),
        r"$\frac{a}{b}$",
    ),
    "table after a list": (
        box(line("a") + line("b"), 1)
        + f"<graphicFrame><tbl><tr><tc>{line('c')}</tc><tc>{line('d')}</tc></tr></tbl></graphicFrame>",
        "- a\n- b\n\n| c | d |\n| --- | --- |",
    ),
    "hidden shape": (
        box(line("seen")) + box(line("unseen"), about='<cNvPr hidden="1"/>'),
        "seen\n\n[Left out: 1 hidden passage]",
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_slide_has_what_it_shows(name: str) -> None:
    shapes, text = SHAPES[name]
    parts = {"slideLayout": LAYOUT, "diagramData": DIAGRAM}
    parts |= {"bars": CHART.format(BARS), "dots": CHART.format(DOTS), "names": CHART.format(NAMED)}
    assert text_of(shapes, **parts) == text


def test_notes_and_comments_follow_a_slide() -> None:
    notes = box(line("Slowly."), place='<ph type="body"/>').join(("<notes>", "</notes>"))
    found = text_of(box(line("Hello")), notesSlide=notes, comments="<cmLst><cm><text>True?</text></cm></cmLst>")
    assert found == "Hello\n\nNotes: Slowly.\n\nComment: True?"


def test_hidden_slides_are_counted_and_a_damaged_one_costs_that_slide() -> None:
    hidden, title = '<sld show="0"/>', box("<p><t>T</t><br/><t>wo</t></p>", place='<ph type="title"/>')
    assert text_of(box(line("a")), hidden, "<sld><spTree>", title) == (
        "a\n\n## 4. T wo\n\n[Left out: 1 hidden slide, 1 damaged part]"
    )


def test_a_cell_over_several_rows_of_a_slide_has_its_text_in_each() -> None:
    first = f'<tr><tc rowSpan="2">{line("North")}</tc><tc>{line("Oslo")}</tc></tr>'
    second = f'<tr><tc vMerge="1">{line("")}</tc><tc>{line("Bergen")}</tc></tr>'
    found = text_of(f"<graphicFrame><tbl>{first}{second}</tbl></graphicFrame>")
    assert found == "| North | Oslo |\n| --- | --- |\n| North | Bergen |"


def test_dates_and_points_of_a_chart_have_their_own_forms() -> None:
    dates = '<cat><numCache><formatCode>yyyy-mm-dd</formatCode><pt idx="0"><v>1</v></pt></numCache></cat>'
    shares = '<pt idx="0" formatCode="0%"><v>0.5</v></pt>'
    values = f"<val><numCache><formatCode>General</formatCode>{shares}</numCache></val>"
    chart = f'<chartSpace><date1904 val="1"/><ser><tx><v>Sales</v></tx>{dates}{values}</ser></chartSpace>'
    found = text_of('<graphicFrame><chart id="chart"/></graphicFrame>', chart=chart)
    assert found == "|  | Sales |\n| --- | --- |\n| 1904-01-02 | 50% |"
