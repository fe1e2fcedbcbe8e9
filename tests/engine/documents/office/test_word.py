"""DOCX files are read as Word shows them: numbers, equations, links and notes; what it hides is left out and said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.documents.word_files import CLAUSES, KIND, item, level, number, paragraph, row, run, table, text_of


def deleted(text: str) -> str:
    return f"<w:del><w:r><w:delText>{text}</w:delText></w:r></w:del>"


def field(code: str, result: str = "", form: str = "") -> str:
    begin, separate, end = (
        f'<w:r><w:fldChar w:fldCharType="{step}">{form}</w:fldChar></w:r>' for step in ("begin", "separate", "end")
    )
    return f"{begin}<w:r><w:instrText>{code}</w:instrText></w:r>{separate}{result}{end}"


# Three lists of one definition, of which the second starts anew.
START = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
LISTS = "".join(f'<w:num w:numId="{one}"><w:abstractNumId w:val="0"/>{START * (one == 2)}</w:num>' for one in (1, 2, 3))
ARTICLES = level(0, "upperRoman", "Article %1", '<w:start w:val="5"/>')
ARTICLES += level(1, "decimal", "%1.%2(%3)", "<w:isLgl/>") + level(2, "lowerRoman", "%3")
GOING_ON = level(0, "decimal", "%1.") + level(1, "decimal", "%2)", '<w:lvlRestart w:val="0"/>')
HEADING = """<w:style w:styleId="H"><w:name w:val="heading 2"/>
<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>"""
CHAPTERS = level(0, "decimal", "%1") + level(1, "decimal", "%1.%2")


@pytest.mark.parametrize(
    ("levels", "body", "text"),
    [
        (CLAUSES, item("a") + item("b", 1) + item("c", 2) + item("d", 2), "1. a\n   1.1 b\n      (a) c\n      (b) d"),
        (CLAUSES, item("a", 1) + item("b") + item("c", 1), "   1.1 a\n2. b\n   2.1 c"),
        (CLAUSES, item("a") + item("b", 0, 2) + item("c", 0, 2) + item("d", 0, 3), "1. a\n1. b\n2. c\n3. d"),
        (ARTICLES, item("a") + item("b") + item("c", 1), "Article V a\nArticle VI b\n   6.1(1) c"),
        (GOING_ON, item("a", 1) + item("b") + item("c", 1), "   1) a\n2. b\n   2) c"),
        (CHAPTERS, item("a") + paragraph(run("b"), '<w:pStyle w:val="H"/>'), "1 a\n\n## 1.1 b"),
        (CLAUSES, item("a") + paragraph(deleted("b"), f"{number()}<w:rPr><w:del/></w:rPr>") + item("c"), "1. a\n2. c"),
        (CLAUSES, paragraph(run("a"), f"{number()}<w:rPr><w:vanish/></w:rPr>") + item("b"), "a\n\n1. b"),
        (CLAUSES, paragraph(run("a"), f'{number()}<w:rPr><w:vanish w:val="0"/></w:rPr>') + item("b"), "1. a\n2. b"),
        (
            CLAUSES,
            table(row(item(""), item("a")), row(item("", 1), item("b", 1))),
            "| 1. | 2. a |\n| --- | --- |\n| 2.1 | 2.2 b |",
        ),
        (level(0, "bullet", "•"), item("a") + item("b", 0, 9), "- a\n- b"),
    ],
    ids=[
        "levels",
        "skipped level",
        "new start",
        "legal",
        "no restart",
        "heading",
        "deleted",
        "hidden",
        "shown",
        "cells",
        "bullets",
    ],
)
def test_numbers_are_those_that_word_shows(levels: str, body: str, text: str) -> None:
    numbering = f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>{LISTS}'
    assert text_of(body, numbering=numbering, styles=HEADING).partition("\n\n[Left out")[0] == text


FORMS = {
    "upperLetter": (27, "AA"),
    "lowerRoman": (399, "cccxcix"),
    "ordinal": (22, "22nd"),
    "ordinalText": (3, "Third"),
    "decimalZero": (7, "07"),
    "ganada": (2, "나"),
    "japaneseCounting": (21, "二十一"),
    "decimalEnclosedCircle": (20, "⑳"),
    "aiueoFullWidth": (3, "ウ"),
    "of another program": (4, "4"),
    "none": (4, "No."),
}


@pytest.mark.parametrize("form", FORMS)
def test_numbers_are_in_the_forms_of_office(form: str) -> None:
    start, shown = FORMS[form]
    levels = level(0, form, "No.%1", f'<w:start w:val="{start}"/>')
    numbering = f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>{LISTS}'
    assert text_of(item("a"), numbering=numbering) == f"No.{shown.removeprefix('No.')} a"


def math(name: str, content: str = "", **parts: str) -> str:
    return f"<m:{name}>{content}{''.join(f'<m:{part}>{one}</m:{part}>' for part, one in parts.items())}</m:{name}>"


def sign(element: str, **signs: str) -> str:
    return f"<m:{element}Pr>{''.join(f'<m:{name} m:val={one!r}/>' for name, one in signs.items())}</m:{element}Pr>"


def letters(text: str, properties: str = "") -> str:
    return f"<m:r><m:rPr>{properties}</m:rPr><m:t>{text}</m:t></m:r>"


A, B, C = map(letters, "abc")
GRID = math("m", math("mr", math("e", A) + math("e", B)) + math("mr", math("e", "") + math("e", C)))


@pytest.mark.parametrize(
    ("equation", "latex"),
    [
        (math("f", num=letters("λ+1"), den=letters("2")), r"\frac{λ+1}{2}"),
        (math("sSup", e=A, sup=letters("10")) + math("sSubSup", e=letters("xy"), sub=B, sup=C), "a^{10}{xy}_{b}^{c}"),
        (math("rad", deg="", e=A) + math("rad", deg=letters("3"), e=B), r"\sqrt{a}\sqrt[3]{b}"),
        (math("nary", sign("nary", chr="∑"), sub=A, sup=B, e=C), r"\sum_{a}^{b}{c}"),
        (math("nary", sub="", sup="", e=A), r"\int{a}"),
        (
            math("d", sign("d", begChr="{", endChr=""), e=GRID),
            r"\left\{ \begin{matrix}a & b \\ & c\end{matrix}\right.",
        ),
        (math("d", math("e", A) + math("e", B)), r"\left(a|b\right)"),
        (math("func", fName=math("limLow", e=letters("lim"), lim=A), e=B), r"\lim_{a}{b}"),
        (math("func", fName=letters("sinc"), e=A), r"sinc{a}"),
        (math("acc", e=A) + math("bar", sign("bar", pos="top"), e=B), r"\hat{a}\overline{b}"),
        (math("limUpp", e=letters("="), lim=math("groupChr", e=A)), r"\overset{\underbrace{a}}{=}"),
        (math("eqArr", math("e", letters("a&amp;=b")) + math("e", C)), r"\begin{aligned}a&=b \\ c\end{aligned}"),
        (letters("if 5%", "<m:nor/>"), r"\text{if 5\%}"),
        (A + "<w:ins>" + B + "</w:ins><w:del>" + C + "</w:del>", "ab"),
    ],
)
def test_equations_are_latex_at_their_place(equation: str, latex: str) -> None:
    inline = f"{run('of ')}<m:oMath>{equation}</m:oMath>{run(' mg')}"
    shown = [text_of(paragraph(one)) for one in (inline, f"<m:oMathPara><m:oMath>{equation}</m:oMath></m:oMathPara>")]
    said = "\n\n[Left out: 1 deleted passage]" if "<w:del>" in equation else ""
    assert shown == [f"of ${latex}$ mg{said}", f"$${latex}$${said}"]


LINK = '<r Id="a" Type="hyperlink" TargetMode="External" Target="https://a.example/?b=1&amp;c"/>'
DRAWN = f"<w:txbxContent>{paragraph(run('box'))}</w:txbxContent>"
BOX = f"<w:r><Choice>{DRAWN}</Choice><Fallback>{DRAWN}</Fallback></w:r>"
RUBY = f"<w:r><w:ruby><w:rt>{run('かん')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby></w:r>"
TICK = '<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'
CHOICE = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="a"/><w:listEntry w:val="b"/></w:ddList>'
SIGNS = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Symbol" w:char="F0B3"/></w:r>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (paragraph(deleted("old") + f"<w:ins>{run('new')}</w:ins>"), "new\n\n[Left out: 1 deleted passage]"),
        (table(row(run("x"), properties="<w:del/>"), row("", "")), "[Left out: 1 deleted passage]"),
        (paragraph(f"<w:moveFrom>{run('x')}</w:moveFrom>{run('y')}"), "y"),
        (paragraph(run("a") + "<w:r><w:tab/><w:t>b</w:t><w:br/><w:noBreakHyphen/></w:r>"), "a\tb\n-"),
        (paragraph(field("PAGE", run("7"))), "7"),
        (paragraph(field("IF 1 = " + field("X", run("1")), run("yes"))), "yes"),
        (f"<w:sdt><w:sdtContent>{paragraph(run('field'))}</w:sdtContent></w:sdt>", "field"),
        (paragraph(f'<w:hyperlink r:id="a" w:anchor="d">{run("e")}</w:hyperlink>'), "[e](https://a.example/?b=1&c#d)"),
        (paragraph(f'<w:hyperlink w:anchor="a">{run("link")}</w:hyperlink>'), "link"),
        (paragraph(field('HYPERLINK "https://b.example" \\o "tip"', run("a ")) + run("b")), "[a](https://b.example) b"),
        (paragraph(field('HYPERLINK \\l "place"', run("link"))), "link"),
        (paragraph(f"<w:fldSimple w:instr='HYPERLINK c.example'>{run('link')}</w:fldSimple>"), "[link](c.example)"),
        (paragraph(run("Deep"), '<w:outlineLvl w:val="2"/>'), "### Deep"),
        (paragraph(BOX + run("Title"), '<w:outlineLvl w:val="0"/>'), "# Title\n\nbox"),
        (table(row(paragraph(""))) + paragraph(run("x")), "x"),
        (paragraph(RUBY + run("字")), "漢字"),
        (paragraph(SIGNS + run("¨", '<w:rFonts w:ascii="Wingdings"/>')), "☑≥☐"),
        (paragraph(field("FORMCHECKBOX", "", f"<w:ffData>{TICK}</w:ffData>")), "☒"),
        (paragraph(field("FORMDROPDOWN", "", f"<w:ffData>{CHOICE}</w:ffData>")), "b"),
    ],
)
def test_what_word_shows_is_read(body: str, text: str) -> None:
    assert text_of(body, LINK) == text


HIDING = "<w:rPr><w:vanish/></w:rPr>"
GHOSTS = f"""<w:style w:type="paragraph" w:styleId="Old">{HIDING}</w:style>
<w:style w:type="paragraph" w:styleId="New"><w:basedOn w:val="Old"/></w:style>
<w:style w:type="character" w:styleId="Ghost">{HIDING}</w:style>"""
OF_STYLE, SHOWN = '<w:pStyle w:val="New"/>', '<w:vanish w:val="0"/>'


@pytest.mark.first
@pytest.mark.parametrize(
    ("body", "seen", "count"),
    [
        (paragraph(run("a") + run("x", "<w:vanish/>") + run("y", "<w:vanish/>") + run("b")), "ab", 1),
        (paragraph(run("x", '<w:rStyle w:val="Ghost"/>') + run("a", f'<w:rStyle w:val="Ghost"/>{SHOWN}')), "a", 1),
        (paragraph(run("x"), OF_STYLE) + paragraph(run("x"), OF_STYLE) + paragraph(run("a")), "a", 2),
        (
            paragraph(
                run("a", SHOWN) + run("b", '<w:rStyle w:val="Ghost"/>') + run("x"),
                OF_STYLE + "<w:rPr><w:vanish w:val='0'/></w:rPr>",
            ),
            "ab",
            1,
        ),
        (paragraph("<m:oMath>" + letters("x", "<w:vanish/>") + letters("y", SHOWN) + "</m:oMath>"), "$y$", 1),
        (paragraph(f'<w:hyperlink r:id="a">{run("x", "<w:vanish/>")}</w:hyperlink>{run("a")}'), "a", 1),
        (paragraph(f'<drawing><anchor><docPr hidden="1"/>{DRAWN}</anchor></drawing>{run("a")}'), "a", 1),
    ],
    ids=["runs", "style", "based on", "switched off", "equation", "link", "drawing"],
)
def test_hidden_text_is_left_out_and_counted(body: str, seen: str, count: int) -> None:
    said = f"[Left out: {count} hidden passage{'s' * (count > 1)}]"
    assert text_of(body, LINK, styles=GHOSTS) == f"{seen}\n\n{said}"


def test_a_chart_is_a_table_after_its_paragraph() -> None:
    points = "".join(f"<pt idx='{index}'><v>{text}</v></pt>" for index, text in enumerate(("4", "5")))
    chart = f"<ser><tx><pt><v>Sales</v></pt></tx><val>{points}</val></ser>"
    body = paragraph(f"<w:r><chart r:id='chart'/></w:r>{run('As shown')}")
    assert text_of(body, chart=chart) == "As shown\n\n|  | Sales |\n| --- | --- |\n|  | 4 |\n|  | 5 |"


def test_notes_comments_headers_and_footers_are_read_once() -> None:
    kinds = ("header1", "header2", "header1", "footer1", "footer2")
    references = "".join(f'<w:{name[:-1]}Reference r:id="{name}"/>' for name in kinds)
    names = ("footnote", "endnote", "comment")
    marks = "".join(f'<w:r><w:{name}Reference w:id="1"/></w:r>{run(".")}' for name in names)
    found = text_of(
        paragraph(run("Price") + marks, '<w:outlineLvl w:val="0"/>') + f"<w:sectPr>{references}</w:sectPr>",
        header1=paragraph(run("Draft")),
        header2=paragraph(run("Draft")),
        footer1=paragraph(run("- ") + field("PAGE", run("3")) + run(" -")),
        footer2=paragraph(run("Page ") + field("PAGE", run("3"))),
        footnotes=f'<w:footnote w:id="1">{paragraph(run("low"))}</w:footnote>',
        endnotes=f'<w:endnote w:id="1">{paragraph(run("end"))}</w:endnote>',
        comments=f'<w:comment w:id="1" w:author="Kim">{paragraph(run("Why?"))}</w:comment>',
    )
    notes = "[^1]: low\n[^2]: end\n[^3]: Comment by Kim: Why?"
    assert found == f"Draft\n\n# Price[^1].[^2].[^3].\n\nPage 3\n\n{notes}"


def test_the_author_of_a_comment_is_not_in_the_font_of_its_reference() -> None:
    symbols = '<w:rFonts w:ascii="Symbol"/>'
    marked = f'<w:r><w:rPr>{symbols}</w:rPr><w:t>a</w:t><w:commentReference w:id="1"/></w:r>'
    comment = f'<w:comment w:id="1" w:author="Kim">{paragraph(run("Why?"))}</w:comment>'
    found = text_of(paragraph(marked), comments=comment)
    assert found == "α[^1]\n\n[^1]: Comment by Kim: Why?"


def merged(content: str, merge: str) -> str:
    return f"<w:tcPr><w:vMerge{merge}/></w:tcPr>{paragraph(run(content))}"


RESTART = ' w:val="restart"'


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            (row(merged("North", RESTART), paragraph(run("Oslo"))), row(merged("", ""), paragraph(run("Bari")))),
            "| North | Oslo |\n| --- | --- |\n| North | Bari |",
        ),
        (
            (
                row(merged("North", RESTART), paragraph(run("Oslo"))),
                row(merged("South", RESTART), paragraph(run("Rome")), properties="<w:hidden/>"),
                row(merged("", ""), paragraph(run("Bari"))),
            ),
            "| North | Oslo |\n| --- | --- |\n|  | Bari |\n\n[Left out: 1 hidden passage]",
        ),
        (
            (
                row(paragraph(run("a")), paragraph(run("b"))),
                row(paragraph(run("c")), properties='<w:gridBefore w:val="1"/>'),
            ),
            "| a | b |\n| --- | --- |\n|  | c |",
        ),
    ],
    ids=["merged down", "from a hidden row", "begins later"],
)
def test_cells_of_later_rows_have_their_columns_and_texts(rows: tuple[str, ...], text: str) -> None:
    assert text_of(table(*rows)) == text


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (lambda inner: table(row(inner)), "| Ann | Mon |\n| --- | --- |\n| Bob | Tue |"),
        (
            lambda inner: table(row(inner, paragraph(run("beside")))),
            "| Ann | Mon |\n| --- | --- |\n| Bob | Tue |\n\nbeside",
        ),
        (
            lambda inner: table(row(paragraph(run("a")), inner), row(paragraph(run("b")), paragraph(run("c")))),
            "| a | Ann Mon Bob Tue |\n| --- | --- |\n| b | c |",
        ),
    ],
    ids=["frame", "side by side", "in a table"],
)
def test_a_table_in_a_frame_is_a_table(frame: Callable[[str], str], text: str) -> None:
    rows = (row(paragraph(run(name)), paragraph(run(day))) for name, day in (("Ann", "Mon"), ("Bob", "Tue")))
    assert text_of(frame(table(*rows) + paragraph(""))) == text


def controlled(content: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{content}</w:sdtContent></w:sdt>"


@pytest.mark.parametrize("controls", [("table",), ("row",), ("cell",), ("table", "row", "cell")], ids="-".join)
def test_a_table_in_content_controls_is_a_table(controls: tuple[str, ...]) -> None:
    def within(part: str, content: str) -> str:
        return controlled(content) if part in controls else content

    rows = ""
    for names in ("ab", "cd"):
        cells = "".join(within("cell", f"<w:tc>{paragraph(run(name))}</w:tc>") for name in names)
        rows += within("row", f"<w:tr>{cells}</w:tr>")
    body = within("table", table(rows)) + paragraph(run("after"))
    assert text_of(body) == "| a | b |\n| --- | --- |\n| c | d |\n\nafter"


@pytest.mark.parametrize("properties", ["<w:hidden/>", '<w:trHeight w:val="20" w:hRule="exact"/>'])
def test_rows_that_are_not_shown_are_left_out_and_counted(properties: str) -> None:
    cells = (paragraph(run("x")), controlled(paragraph(run("y"))))
    shown = row(paragraph(run("a")), paragraph(run("b")), properties='<w:trHeight w:val="20"/>')
    found = text_of(table(shown, row(*cells, properties=properties)))
    assert found == "| a | b |\n| --- | --- |\n\n[Left out: 1 hidden passage]"


def test_a_page_that_word_reads_as_a_part_of_the_document_is_read() -> None:
    page = "<html><body><h1>Offer</h1><table><tr><td>a<td>b</table><p style='display:none'>no</body></html>"
    chunk = '<w:altChunk r:id="aFChunk1"/>'
    found = text_of(paragraph(run("Before")) + chunk + paragraph(run("After")), aFChunk1=page)
    assert found == ("Before\n\n# Offer\n\n| a | b |\n| --- | --- |\n\nAfter\n\n[Left out: 1 hidden passage]")


def test_a_part_of_the_document_that_is_missing_is_counted() -> None:
    found = text_of(paragraph(run("Before")) + '<w:altChunk r:id="none"/>')
    assert found == "Before\n\n[Left out: 1 damaged part]"


def test_an_address_is_one_without_a_word_that_it_is_outside() -> None:
    related = f'<r Id="x" Type="{KIND}hyperlink" Target="https://example.org/a"/>'
    found = text_of(paragraph(f'<w:hyperlink r:id="x">{run("page")}</w:hyperlink>'), related)
    assert found == "[page](https://example.org/a)"


@pytest.mark.parametrize(
    ("char", "sign"), [("F0B0", "°"), ("F0B1", "±"), ("F0A5", "∞"), ("F02B", "+"), ("F0AE", "→"), ("F0E5", "∑")]
)
def test_signs_of_symbol_are_those_that_it_shows(char: str, sign: str) -> None:
    assert text_of(paragraph(f'<w:r><w:sym w:font="Symbol" w:char="{char}"/></w:r>')) == sign


def control(properties: str, *texts: str) -> str:
    content = "".join(map(run, texts))
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def test_the_prompt_of_an_empty_control_is_not_taken_for_its_content() -> None:
    prompt = "<w:showingPlcHdr/>"
    assert text_of(paragraph(run("Name: ") + control(prompt, "Enter ", "a name."))) == "Name: [Enter a name.]"
    assert text_of(paragraph(control(prompt, "[Company]"))) == "[Company]"
    assert text_of(paragraph(control("<w:text/>", "Acme"))) == "Acme"
    assert text_of(paragraph(control('<w:showingPlcHdr w:val="0"/>', "Acme"))) == "Acme"


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ('<drawing><inline><docPr descr="A pump&#10;at work"/></inline></drawing>', "See: [A pump at work]."),
        ('<drawing><anchor><docPr title="A pump"/></anchor></drawing>', "See: [A pump]."),
        ('<drawing><inline><docPr name="Picture 1" descr=""/></inline></drawing>', "See: ."),
        (
            '<drawing><inline><docPr descr="x"><extLst><ext><decorative val="1"/></ext></extLst></docPr>'
            "</inline></drawing>",
            "See: .",
        ),
        (
            "<drawing><inline><docPr/><graphic><graphicData><pic><nvPicPr><cNvPr descr='A pump'/></nvPicPr></pic>"
            "</graphicData></graphic></inline></drawing>",
            "See: [A pump].",
        ),
        ('<pict><shape alt="A pump"><imagedata title="pump.jpg"/></shape></pict>', "See: [A pump]."),
    ],
    ids=["description", "title", "name", "decoration", "of the picture", "older"],
)
def test_the_description_of_a_drawing_is_read(drawing: str, expected: str) -> None:
    assert text_of(paragraph(f"{run('See: ')}<w:r>{drawing}</w:r>{run('.')}")) == expected


def test_what_word_does_not_know_is_left_out_and_counted() -> None:
    foreign = '<x:p xmlns:x="urn:x"><x:r><x:t>foreign</x:t></x:r></x:p>'
    inside = '<x:r xmlns:x="urn:x"><w:t>foreign</w:t></x:r>'
    found = text_of(foreign + paragraph(run("a") + inside + run("b")) + '<x:q xmlns:x="urn:x"/>')
    assert found == "ab\n\n[Left out: 2 hidden passages]"
