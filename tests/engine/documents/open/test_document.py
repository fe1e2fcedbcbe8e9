"""ODT, ODS and ODP files have what LibreOffice shows; what it hides is left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from tests.engine.documents.office_files import open_document, zipped


def level(number: int, form: str, end: str = ".", shown: int = 1) -> str:
    attributes = f'text:level="{number}" style:num-format="{form}" style:num-suffix="{end}"'
    return f'<text:level {attributes} text:display-levels="{shown}"/>'


def list_of(*items: str, attributes: str = 'text:style-name="L"') -> str:
    return f"<text:list {attributes}>{''.join(f'<text:list-item>{one}</text:list-item>' for one in items)}</text:list>"


def p(words: str) -> str:
    return f"<text:p>{words}</text:p>"


def object_at(name: str) -> str:
    return f'<draw:frame><draw:object xlink:href="./{name}"/><draw:image/><svg:desc>x</svg:desc></draw:frame>'


HIDDEN = '<style:style style:family="{}" style:name="H"><style:properties {}/></style:style>'
STYLES = f"""<text:list-style style:name="L">{level(1, "1")}{level(2, "a", ")")}</text:list-style>
<text:list-style style:name="C">{level(1, "I")}{level(2, "1", ".", 2)}</text:list-style>
<style:style style:family="text" style:name="T" style:parent-style-name="H"/>"""
STYLES += HIDDEN.format("text", 'text:display="none"') + HIDDEN.format("table", 'table:display="false"')
STYLES += HIDDEN.format("drawing-page", 'presentation:visibility="hidden"')
OUTLINE = f"<text:outline-style>{level(1, '1')}{level(2, '1', '', 2)}</text:outline-style>"
FORMULA = "<math><semantics><mfrac><mi>a</mi><mn>2</mn></mfrac><annotation>a over 2</annotation></semantics></math>"
CHART = f"""<content><body><chart><chart><title>{p("Growth").replace("text:", "")}</title><table>
<table-header-rows><table-row><table-cell/><table-cell><p>2026</p></table-cell></table-row></table-header-rows>
<table-rows><table-row><table-cell><p>East</p></table-cell><table-cell><p>7</p></table-cell></table-row></table-rows>
</table></chart></chart>
</body></content>"""
CHART_TEXT = "Growth\n\n|  | 2026 |\n| --- | --- |\n| East | 7 |"


def text_of(kind: str, body: str, common: str = "") -> str:
    data = open_document(kind, body, STYLES, common, F=FORMULA, C=CHART, Bad="<math>")
    return document_text("a.odt", data, 2**20).text


@pytest.mark.first
@pytest.mark.parametrize(
    ("body", "text"),
    [
        (list_of(p("a") + list_of(p("b"), attributes=""), p("c")), "1. a\n   a) b\n2. c"),
        (list_of(p("a"), list_of(p("b"), attributes=""), attributes='text:style-name="C"'), "I. a\n   I.1. b"),
        (
            list_of(p("a"))
            + list_of(p("b"))
            + list_of(p("c"), attributes='text:style-name="L" text:continue-numbering="true"'),
            "1. a\n1. b\n2. c",
        ),
        (list_of(p("a")).replace("-item>", '-item text:start-value="4">', 1) + p("b"), "4. a\n\nb"),
        ('<text:h text:outline-level="1">a</text:h><text:h text:outline-level="2">b</text:h>', "# 1. a\n\n## 1.1 b"),
        (
            f"<text:h>a</text:h>{list_of(p('b'), attributes='')}<text:h>c</text:h>",
            "# 1. a\n\n- b\n\n# 2. c",
        ),
        (list_of(p("a")).replace("-item>", '-item text:start-value="x">', 1), "1. a"),
        (
            p('<text:a xlink:href="https://example.org/x">page</text:a> <text:a xlink:href="#top">top</text:a>'),
            "[page](https://example.org/x) top",
        ),
        (p('a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d'), "a   b\tc\nd"),
        (p(f"is {object_at('F')}, she said"), r"is $\frac{a}{2}$, she said"),
        (p(object_at("C")), CHART_TEXT),
        (p("<draw:frame><draw:image/><svg:desc>A cat</svg:desc></draw:frame>"), "[A cat]"),
        (
            p(
                "a<office:annotation><dc:creator>Kim</dc:creator><dc:date>2026-03-01</dc:date>"
                "<loext:creator-initials>K</loext:creator-initials><text:p>Why?</text:p></office:annotation>"
            ),
            "a[^1]\n\n[^1]: Comment by Kim: Why?",
        ),
        (
            p('a<text:span text:style-name="T">b</text:span>')
            + '<text:section text:display="none"><text:p>c</text:p></text:section>'
            + p('d<text:hidden-paragraph text:is-hidden="true"/>'),
            "a\n\n[Left out: 3 hidden passages]",
        ),
        (
            f"<text:tracked-changes><text:deletion>{p('a')}</text:deletion><text:insertion/></text:tracked-changes>{p('b')}",
            "b\n\n[Left out: 1 deleted passage]",
        ),
        (p(f"a{object_at('Bad')}"), "a\n\n[Left out: 1 damaged part]"),
        (
            p('a<draw:frame><draw:object-ole xlink:href="./O"/><draw:image/></draw:frame>'),
            "a\n\n[Left out: 1 attached file]",
        ),
        (f"<text:h>a<text:note>{p('b')}</text:note> c</text:h>", "# 1. a[^1] c\n\n[^1]: b"),
    ],
    ids=[
        "list",
        "clauses",
        "continued list",
        "start",
        "headings",
        "list without a style",
        "odd start",
        "links",
        "spaces",
        "formula",
        "chart",
        "picture",
        "comment",
        "hidden",
        "deleted",
        "damaged",
        "object of another program",
        "note in a heading",
    ],
)
def test_a_text_is_read_as_it_is_shown(body: str, text: str) -> None:
    assert text_of("text", body, OUTLINE) == text


def test_headers_and_footers_of_pages_are_there_once() -> None:
    header, footer = f"<style:header>{p('Top')}</style:header>", f"<style:footer>{p('End')}</style:footer>"
    assert text_of("text", p("a"), header + header + footer) == "Top\n\na\n\nEnd"


def cell(words: str = "", attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{p(words) if words else ''}</table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def sheet(*rows: str, attributes: str = "") -> str:
    return f'<table:table table:name="S" {attributes}>{"".join(rows)}</table:table>'


OFTEN, ALL = 'table:number-{}-repeated="2"', 'table:number-{}-repeated="1048576"'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            row(
                cell("12.50 €", 'office:value="12.5"'),
                cell(attributes='office:value="7"'),
                cell(attributes='table:formula="of:=SUM([.A1:.B1])+[T.A2]"'),
            ),
            "| 12.50 € | 7 | =SUM(A1:B1)+T.A2 |\n| --- | --- | --- |",
        ),
        (
            row(cell("a", OFTEN.format("columns")), attributes=OFTEN.format("rows")),
            "| a | a |\n| --- | --- |\n| a | a |",
        ),
        (
            row(cell("a"), cell("b"), cell(attributes=ALL.format("columns")))
            + row(cell(), attributes=ALL.format("rows"))
            + row(cell("c"), attributes=ALL.format("rows")),
            "| a | b |\n| --- | --- |\n| c |  |",
        ),
        (
            row(cell("a", 'table:number-columns-spanned="2"'), "<table:covered-table-cell/>", cell("b")),
            "| a |  | b |\n| --- | --- | --- |",
        ),
        (
            row(cell("a"), cell("b")) + row(cell("c"), attributes='table:visibility="filter"'),
            "| a | b |\n| --- | --- |\n\n[Left out: 1 hidden row]",
        ),
        (
            row(cell("a"), '<table:table-cell office:value="310"><text:p/></table:table-cell>', cell("b")),
            "| a |  | b |\n| --- | --- | --- |\n\n[Left out: 1 hidden passage]",
        ),
        (
            row(cell("a"), cell("b"))
            + f'<table:table-row-group table:display="false">{row(cell("c"))}</table:table-row-group>',
            "| a | b |\n| --- | --- |\n\n[Left out: 1 hidden row]",
        ),
        (
            f"<table:shapes>{object_at('C')}</table:shapes>" + row(cell("a"), cell("b")),
            "Growth\n\n| a | b |\n| --- | --- |",
        ),
    ],
    ids=["values", "repeated", "repeated without end", "merged", "hidden", "hidden by its format", "group", "chart"],
)
def test_a_sheet_has_what_its_cells_show(body: str, text: str) -> None:
    assert text_of("spreadsheet", sheet(body)) == f"## S\n\n{text}"


SEEN, GONE = "<table:table-column/>", '<table:table-column table:visibility="collapse" {}/>'
FLAT = (
    '<style:style style:family="table-column" style:name="F"><style:properties style:column-width="0cm"/></style:style>'
)
WIDE = 'table:number-columns-spanned="2"'


@pytest.mark.parametrize(
    ("columns", "cells", "text", "count"),
    [
        (SEEN + GONE.format(""), "abc", "ac", 1),
        (SEEN + GONE.replace("collapse", "filter").format(OFTEN.format("columns")), "abcd", "ad", 2),
        (SEEN + f'<table:table-column-group table:display="false">{SEEN}</table:table-column-group>', "abc", "ac", 1),
        (SEEN + '<table:table-column table:style-name="F"/>', "abc", "ac", 1),
        (GONE.format(ALL.format("columns")), "ab", "", 2),
    ],
    ids=["collapsed", "filtered twice", "group", "no width", "all"],
)
def test_hidden_columns_of_a_sheet_are_left_out_and_counted(columns: str, cells: str, text: str, count: int) -> None:
    rows = row(*map(cell, cells)) * 2
    table = f"| {' | '.join(text)} |"
    tables = f"{table}\n|{' --- |' * len(text)}\n{table}\n\n" if text else ""
    said = f"[Left out: {count} hidden column{'s' * (count > 1)}]"
    assert text_of("spreadsheet", sheet(columns, rows), FLAT) == f"## S\n\n{tables}{said}"


def test_what_a_merged_cell_shows_beside_a_hidden_column_is_read() -> None:
    rows = row(cell("w", WIDE), "<table:covered-table-cell/>", cell("c")) + row(cell("x"), cell("b"), cell("d"))
    assert text_of("spreadsheet", sheet(GONE.format(""), rows)) == (
        "## S\n\n| w | c |\n| --- | --- |\n| b | d |\n\n[Left out: 1 hidden column]"
    )
    gone = sheet(GONE.format(OFTEN.format("columns")), rows)
    assert text_of("spreadsheet", gone) == "## S\n\nc\n\nd\n\n[Left out: 2 hidden columns]"


def test_a_cell_over_several_rows_has_its_text_in_each() -> None:
    two = 'table:number-columns-spanned="2" table:number-rows-spanned="2"'
    covered = '<table:covered-table-cell table:number-columns-repeated="2"/>'
    rows = (
        row(cell("wide", two), "<table:covered-table-cell/>", cell("a"))
        + row(covered, cell("b"))
        + row(cell("c", WIDE), covered.replace("2", "1"), cell("d"))
    )
    found = text_of("spreadsheet", sheet(rows))
    assert found == "## S\n\n| wide |  | a |\n| --- | --- | --- |\n| wide |  | b |\n| c |  | d |"


def test_a_formula_leads_to_its_address() -> None:
    formula = 'table:formula="of:=HYPERLINK(&quot;https://e.org&quot;;&quot;List&quot;)"'
    linked = row(cell("List", formula), cell("x"), attributes='table:number-rows-repeated="2"')
    line = "| [List](https://e.org) | x |"
    assert text_of("spreadsheet", sheet(linked)).endswith(f"{line}\n| --- | --- |\n{line}")


def test_hidden_sheets_and_former_values_are_left_out() -> None:
    changes = f"<table:tracked-changes><table:previous>{cell('old')}</table:previous></table:tracked-changes>"
    found = text_of(
        "spreadsheet", changes + sheet(row(cell("a"), cell("b")), attributes='table:style-name="H"') + sheet()
    )
    assert found == "## S\n\n[Left out: 1 hidden sheet, 1 deleted passage]"


def test_text_that_was_deleted_where_it_stands_is_left_out() -> None:
    region = '<text:changed-region text:id="{}"><text:{}><dc:creator>K</dc:creator></text:{}></text:changed-region>'
    regions = region.format("d", "deletion", "deletion") + region.format("i", "insertion", "insertion")
    marks = '<text:change-{} text:change-id="{}"/>'
    deleted = f"{marks.format('start', 'd')}old <text:span>one</text:span>"
    inserted = f"{marks.format('start', 'i')}new{marks.format('end', 'i')}"
    body = f"<text:tracked-changes>{regions}</text:tracked-changes>" + p(f"a {deleted}")
    body += p(f"older{marks.format('end', 'd')} b {inserted}")
    assert text_of("text", body) == "a\n\nb new\n\n[Left out: 1 deleted passage]"


def test_signs_are_read_as_their_font_shows_them() -> None:
    styles = '<style:font-face style:name="Symbol1" svg:font-family="Symbol"/>'
    styles += (
        '<style:style style:family="text" style:name="G"><style:properties style:font-name="Symbol1"/></style:style>'
    )
    styles += (
        '<style:style style:family="text" style:name="W"><style:properties fo:font-family="Wingdings"/></style:style>'
    )
    body = '<text:span text:style-name="G">&#xf0b3;</text:span>5 <text:span text:style-name="W">&#xf0fc;</text:span>'
    assert document_text("a.odt", open_document("text", p(body), styles), 2**20).text == "≥5 ✔"


def test_a_row_without_height_is_left_out_and_counted() -> None:
    flat = '<style:style style:family="table-row" style:name="F">'
    flat += '<style:properties style:row-height="0.001cm"/></style:style>'
    rows = row(cell("a"), cell("b")) + row(cell("flat"), attributes='table:style-name="F"')
    file = open_document("text", f"<table:table>{rows}</table:table>", flat)
    assert document_text("a.odt", file, 2**20).text == "| a | b |\n| --- | --- |\n\n[Left out: 1 hidden row]"
    fitted = flat.replace("0.001cm", '0.001cm" style:use-optimal-row-height="true')
    assert (
        "flat"
        in document_text("a.odt", open_document("text", f"<table:table>{rows}</table:table>", fitted), 2**20).text
    )


def test_an_empty_cell_of_a_charts_table_is_empty() -> None:
    cells = cell("East") + '<table:table-cell office:value-type="float" office:value="NaN"><text:p>NaN</text:p>'
    assert text_of("text", f"<table:table>{row(cells + '</table:table-cell>' + cell('7'))}</table:table>").startswith(
        "| East |  | 7 |"
    )


def test_a_formula_and_a_chart_within_one_xml_file_are_read() -> None:
    chart = CHART.replace("<content>", "<office:document>").replace("</content>", "</office:document>")
    body = p(f"is <draw:frame><draw:object>{FORMULA}</draw:object></draw:frame>, she said")
    body += p(f"<draw:frame><draw:object><loext:p/>{chart}</draw:object></draw:frame>")
    assert text_of("text", body) == f"is $\\frac{{a}}{{2}}$, she said\n\n{CHART_TEXT}"


def box(words: str, place: str = "") -> str:
    return f"<draw:frame {place}><draw:text-box>{p(words)}</draw:text-box></draw:frame>"


def test_slides_are_read_from_top_to_bottom_with_their_notes() -> None:
    title, notes = (
        box("The<text:line-break/>title", 'presentation:class="title"'),
        box("Slowly.", 'presentation:class="notes"'),
    )
    shapes = box("low", 'svg:y="10.5cm"') + title + box("high", 'svg:y="9cm"')
    pages = f"<draw:page>{shapes}<presentation:notes>{notes}</presentation:notes></draw:page>"
    # LibreOffice writes a page of notes for each slide.
    no_notes = box("", 'presentation:class="notes"')
    pages += f"<draw:page><presentation:notes>{no_notes}</presentation:notes></draw:page>"
    pages += f'<draw:page draw:style-name="H">{box("b")}</draw:page><draw:page>{object_at("C")}</draw:page>'
    text = f"## 1. The title\n\nhigh\n\nlow\n\nNotes: Slowly.\n\n## 2.\n\n## 4.\n\n{CHART_TEXT}"
    text += "\n\n[Left out: 1 hidden slide]"
    assert text_of("presentation", pages) == text


@pytest.mark.parametrize("kind", ["text", "spreadsheet", "presentation"])
@pytest.mark.parametrize("parts", [("content.xml", "styles.xml"), ("encrypted-package",)])
def test_a_document_with_a_password_says_so(kind: str, parts: tuple[str, ...]) -> None:
    """Each part is encrypted by itself, or, since LibreOffice 24.8, the whole document is one encrypted part."""
    entries = "".join(
        f'<m:file-entry m:full-path="{part}"><m:encryption-data m:checksum="x"/></m:file-entry>' for part in parts
    )
    file = zipped(
        **{
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            **dict.fromkeys(parts, b"\x93\xff\0 no XML"),
            "META-INF/manifest.xml": f'<m:manifest xmlns:m="m">{entries}</m:manifest>'.encode(),
        }
    )
    assert document_text("a.odt", file, 1000).problem == "encrypted"


_MONO = '<style:style style:family="{0}" style:name="{1}"><style:text-properties style:font-name="{2}"/></style:style>'
_CODE_STYLES = "".join(
    (
        _MONO.format("paragraph", "M", "Liberation Mono"),
        _MONO.format("text", "S", "Liberation Mono"),
        '<style:style style:family="paragraph" style:name="P1" style:parent-style-name="Preformatted_20_Text"/>',
        '<style:style style:family="paragraph" style:name="Preformatted_20_Text"/>',
    )
)


def code(words: str, style: str = "M") -> str:
    return f'<text:p text:style-name="{style}">{words}</text:p>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p("Run:") + code("def f():") + code('<text:s text:c="4"/>return 1') + p("So."),
         "Run:\n\n```\ndef f():\n    return 1\n```\n\nSo."),
        (code("a") + p("") + code("<text:tab/>b") + p("") + p("c"), "```\na\n\n\tb\n```\n\nc"),
        (p('<text:span text:style-name="S">a</text:span>'), "```\na\n```"),
        (p('<text:span text:style-name="S">a</text:span> b'), "a b"),
        (code("a", "P1") + p("b"), "```\na\n```\n\nb"),
        (code("a") + f"<text:table><text:table-row>{'<text:table-cell><text:p>b</text:p></text:table-cell>' * 2}"
         "</text:table-row></text:table>" + code("c"), "```\na\n```\n\n| b | b |\n| --- | --- |\n\n```\nc\n```"),
    ],
    ids=["spaces", "blank lines", "span", "words beside it", "style", "table"],
)  # fmt: skip
def test_paragraphs_of_code_are_a_block(body: str, text: str) -> None:
    data = open_document("text", body, _CODE_STYLES, "")
    assert document_text("a.odt", data, 2**20).text == text


def test_slides_have_no_blocks_of_code() -> None:
    page = f"<draw:page><draw:frame>{code('a')}</draw:frame></draw:page>"
    data = open_document("presentation", page, _CODE_STYLES, "")
    assert "```" not in document_text("a.odp", data, 2**20).text
