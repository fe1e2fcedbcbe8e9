"""Texts that python-docx writes. Each function returns what its document says."""

from __future__ import annotations

import io
from collections.abc import Callable

from docx import Document
from docx.document import Document as DocumentType
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from openpyxl import Workbook

from tests.tools.documents.facts import Facts

_BOX = """<w:r {names} xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
 xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml">
<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor distT="0" distB="0" distL="0" distR="0"
 simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1">
<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH>
<wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset></wp:positionV>
<wp:extent cx="2000000" cy="500000"/><wp:wrapSquare wrapText="bothSides"/><wp:docPr id="9" name="Box"/>
<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>
<wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="500000"/></a:xfrm>
<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent><w:p><w:r><w:t>{words}</w:t></w:r>
</w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>
<mc:Fallback><w:pict><v:shape style="width:160pt;height:40pt"><v:textbox><w:txbxContent><w:p><w:r><w:t>{words}</w:t>
</w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"""


def _append(paragraph: Paragraph, source: str) -> None:
    """Append an element that python-docx has no method for."""
    paragraph._p.append(parse_xml(source))


def _element(name: str, inner: str, attributes: str = "") -> str:
    """Return the source of an element of WordprocessingML."""
    return f"<w:{name} {nsdecls('w')} {attributes}>{inner}</w:{name}>"


def _runs(paragraph: Paragraph, *parts: str | tuple[str, str]) -> list[Run]:
    """Add runs of words; a pair is words and the property of their font that is set."""
    runs: list[Run] = []
    for part in parts:
        words, name = part if isinstance(part, tuple) else (part, "")
        run = paragraph.add_run(words)
        if name:
            setattr(run.font, name, True)
        runs.append(run)
    return runs


def powers(document: DocumentType) -> Facts:
    document.add_heading("Lab report", 1)
    raised = document.styles.add_style("Raised", WD_STYLE_TYPE.CHARACTER)
    raised.font.superscript = True
    _runs(
        document.add_paragraph(), "Count 10", ("6", "superscript"), " cells, dose 3 × 10", ("-9", "superscript"), " M."
    )
    _runs(document.add_paragraph(), "Water H", ("2", "subscript"), "O at 40 m", ("2", "superscript"), " of floor.")
    paragraph = document.add_paragraph("By style 10")
    paragraph.add_run("7", style="Raised")
    paragraph.add_run(" grains on the 1")
    paragraph.add_run("st", style="Raised")
    paragraph.add_run(" of May.")
    table = document.add_table(2, 2)
    table.cell(0, 0).text = "Sample"
    table.cell(0, 1).text = "Value"
    table.cell(1, 0).text = "Alpha"
    _runs(table.cell(1, 1).paragraphs[0], "5 × 10", ("4", "superscript"), " kPa")
    return Facts(
        said=(
            ("Count 10^6 cells", "Count 10^6cells"),
            ("3 × 10^-9 M",),
            ("H2O", "H_2O", "H<sub>2</sub>O", "H~2~O"),
            ("40 m^2 of floor",),
            ("By style 10^7 grains",),
            ("1st of May", "1^st of May"),
        ),
        rows=(("Alpha", "5 × 10^4 kPa"),),
        wrong=(r"\b106 cells", r"10-9 M", r"107 grains", r"104 kPa"),
    )


def struck(document: DocumentType) -> Facts:
    document.add_heading("Offer", 1)
    style = document.styles.add_style("Gone", WD_STYLE_TYPE.CHARACTER)
    style.font.strike = True
    _runs(document.add_paragraph(), "Price ", ("100 EUR", "strike"), " 80 EUR per seat.")
    _runs(document.add_paragraph(), "Term ", ("24 months", "double_strike"), " 12 months.")
    paragraph = document.add_paragraph("Fee ")
    paragraph.add_run("15 %", style="Gone")
    paragraph.add_run(" 9 % of sales.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "Deposit"
    _runs(table.cell(0, 1).paragraphs[0], ("500 EUR", "strike"), " 250 EUR")
    return Facts(
        said=(("~~100 EUR~~ 80 EUR",), ("~~24 months~~ 12 months",), ("~~15 %~~ 9 % of sales",)),
        rows=(("Deposit", "~~500 EUR~~ 250 EUR"),),
        wrong=(r"(?<!~)100 EUR(?!~)", r"(?<!~)24 months(?!~)", r"(?<!~)15 %(?!~)", r"(?<!~)500 EUR(?!~)"),
    )


def tables(document: DocumentType) -> Facts:
    document.add_heading("Branches", 1)
    words = [
        ("Region", "City", "First", "Second"),
        ("North", "Bergen", "11", "12"),
        ("", "Oslo", "", "22"),
        ("South", "Rome", "31", ""),
        ("All places", "", "42", "34"),
    ]
    table = document.add_table(5, 4, style="Table Grid")
    for row, texts in enumerate(words):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0)).text = "North"
    table.cell(4, 0).merge(table.cell(4, 1)).text = "All places"
    document.add_paragraph("After the table.")
    outer = document.add_table(1, 2, style="Table Grid")
    outer.cell(0, 0).text = "Frame"
    inner = outer.cell(0, 1).add_table(2, 2)
    for place, text in zip(((0, 0), (0, 1), (1, 0), (1, 1)), ("Name", "Day", "Ann", "Monday"), strict=True):
        inner.cell(*place).text = text
    return Facts(
        said=(("After the table.",), ("Frame",), ("Monday",)),
        rows=(
            ("Region", "City", "First", "Second"),
            ("North", "Bergen", "11", "12"),
            ("North", "Oslo", "", "22"),
            ("South", "Rome", "31", ""),
            ("All places", "*", "42", "34"),
        ),
    )


def hidden(document: DocumentType) -> Facts:
    document.add_heading("Application", 1)
    style = document.styles.add_style("Away", WD_STYLE_TYPE.CHARACTER)
    style.font.hidden = True
    _runs(document.add_paragraph(), "Seen before ", ("UNSEENA", "hidden"), " and after.")
    paragraph = document.add_paragraph("White ")
    paragraph.add_run("UNSEENB").font.color.rgb = RGBColor(255, 255, 255)
    tiny = paragraph.add_run("UNSEENC")
    tiny.font.size = Pt(1)
    paragraph.add_run(" paper, ")
    paragraph.add_run("UNSEEND", style="Away")
    red = paragraph.add_run("red letters.")
    red.font.color.rgb = RGBColor(200, 0, 0)
    return Facts(
        said=(("Seen before",), ("and after.",), ("White",), ("red letters.",)),
        hidden=("UNSEENA", "UNSEENB", "UNSEENC", "UNSEEND"),
    )


def comments(document: DocumentType) -> Facts:
    paragraph = document.add_paragraph("The delivery is due on ")
    run = paragraph.add_run("12 March 2027")
    paragraph.add_run(" at noon.")
    document.add_comment(run, text="Ask Mina whether noon is right.", author="Kim", initials="K")
    return Facts(
        said=(("due on",), ("12 March 2027",), ("at noon.",), ("Ask Mina whether noon is right.",), ("Kim",)),
    )


def tracked(document: DocumentType) -> Facts:
    paragraph = document.add_paragraph("Payment within ")
    change = 'w:id="{}" w:author="Lee" w:date="2026-05-04T10:00:00Z"'
    _append(paragraph, _element("del", "<w:r><w:delText>DELETEDA days</w:delText></w:r>", change.format(1)))
    _append(paragraph, _element("ins", "<w:r><w:t>45 days</w:t></w:r>", change.format(2)))
    paragraph.add_run(" of the invoice.")
    moved = document.add_paragraph("Place: ")
    _append(moved, _element("moveFrom", "<w:r><w:t>MOVEDONCE</w:t></w:r>", change.format(3)))
    moved.add_run("Seoul, ")
    _append(moved, _element("moveTo", "<w:r><w:t>MOVEDONCE</w:t></w:r>", change.format(4)))
    return Facts(said=(("Payment within 45 days of the invoice.",), ("MOVEDONCE",), ("Seoul,",)), hidden=("DELETEDA",))


def lists(document: DocumentType) -> Facts:
    document.add_heading("Steps", 2)
    for words in ("Open the valve", "Wait a minute", "Close it again"):
        document.add_paragraph(words, style="List Number")
    for words in ("Apples", "Pears"):
        document.add_paragraph(words, style="List Bullet")
    document.add_paragraph("Red pears", style="List Bullet 2")
    return Facts(
        said=(
            ("1. Open the valve", "1) Open the valve"),
            ("2. Wait a minute", "2) Wait a minute"),
            ("3. Close it again", "3) Close it again"),
            ("- Apples", "* Apples", "• Apples"),
            ("- Red pears", "* Red pears", "• Red pears"),
        )
    )


def edges(document: DocumentType) -> Facts:
    section = document.sections[0]
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "Draft of the first page"
    section.header.paragraphs[0].text = "Agreement 2026-17"
    section.footer.paragraphs[0].text = "Strictly confidential"
    document.add_paragraph("The body of the agreement.")
    document.add_page_break()
    document.add_paragraph("The second page.")
    return Facts(
        said=(
            ("The body of the agreement.",),
            ("The second page.",),
            ("Draft of the first page",),
            ("Agreement 2026-17",),
            ("Strictly confidential",),
        )
    )


def boxes(document: DocumentType) -> Facts:
    paragraph = document.add_paragraph("Before the box. ")
    _append(paragraph, _BOX.format(names=nsdecls("w", "wp", "a"), words="Words in the box."))
    document.add_paragraph("After the box.")
    return Facts(said=(("Before the box.",), ("Words in the box.",), ("After the box.",)))


def controls(document: DocumentType) -> Facts:
    paragraph = document.add_paragraph("Status: ")
    choice = '<w:sdtPr><w:dropDownList w:lastValue="y"><w:listItem w:displayText="Approved" w:value="y"/>'
    choice += '<w:listItem w:displayText="Refused" w:value="n"/></w:dropDownList></w:sdtPr>'
    _append(paragraph, _element("sdt", f"{choice}<w:sdtContent><w:r><w:t>Approved</w:t></w:r></w:sdtContent>"))
    prompt = (
        "<w:sdtPr><w:showingPlcHdr/><w:text/></w:sdtPr><w:sdtContent><w:r><w:t>PROMPTONLY</w:t></w:r></w:sdtContent>"
    )
    empty = document.add_paragraph("Name: ")
    _append(empty, _element("sdt", prompt))
    field = document.add_paragraph("Page of the sum: ")
    _append(field, _element("fldSimple", "<w:r><w:t>17</w:t></w:r>", 'w:instr=" PAGEREF sum "'))
    link = document.part.relate_to(
        "https://example.org/terms",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink",
        is_external=True,
    )
    names = nsdecls("r")
    _append(field, _element("hyperlink", "<w:r><w:t>the terms</w:t></w:r>", f'{names} r:id="{link}"'))
    return Facts(
        said=(("Status: Approved",), ("Name:",), ("Page of the sum: 17",), ("https://example.org/terms",)),
        wrong=("Refused", r"(?<!\[)PROMPTONLY"),
    )


def scripts(document: DocumentType) -> Facts:
    document.add_heading("견적서 1호", 1)
    document.add_paragraph("공급가액은 1,250,000원입니다. 담당자: 김민아")
    document.add_paragraph("納期は二〇二六年五月末日です。株式会社山田")
    document.add_paragraph("合同编号：第三十七号，共计人民币伍仟元整。")
    ruby = "<w:rubyPr/><w:rt><w:r><w:t>READING</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase>"
    paragraph = document.add_paragraph("本社: ")
    _append(paragraph, _element("r", _element("ruby", ruby)))
    paragraph.add_run("駅前")
    return Facts(
        said=(
            ("견적서 1호",),
            ("공급가액은 1,250,000원입니다.",),
            ("二〇二六年五月末日",),
            ("人民币伍仟元整",),
            ("東京",),
        )
    )


def right_to_left(document: DocumentType) -> Facts:
    for words in ("السعر النهائي ١٢٠ درهم", "המחיר הסופי הוא 120 שקל"):
        paragraph = document.add_paragraph()
        run = paragraph.add_run(words)
        run.font.rtl = True
    return Facts(
        said=(("السعر النهائي ١٢٠ درهم", "السعر النهائي١٢٠ درهم"), ("המחיר הסופי הוא 120 שקל",)),
        wrong=("٠٢١", r"\b021\b"),
    )


def signs(document: DocumentType) -> Facts:
    paragraph = document.add_paragraph("Heat to 21 ")
    _append(paragraph, _element("r", '<w:sym w:font="Symbol" w:char="F0B0"/>'))
    paragraph.add_run("C, done ")
    _append(paragraph, _element("r", '<w:sym w:font="Wingdings" w:char="F0FE"/>'))
    paragraph.add_run(" yes, part A")
    _append(paragraph, _element("r", "<w:noBreakHyphen/><w:t>7</w:t>"))
    paragraph.add_run(", tab\there.")
    return Facts(
        said=(("21 °C", "21 ° C"), ("☑ yes", "☒ yes", "[x] yes"), ("A-7", "A‑7"), ("tab here.",)), wrong=("21 C",)
    )


def embedded(document: DocumentType) -> Facts:
    book = Workbook()
    book.active.append(["Item", "Pumps"])
    book.active.append(["Stock", 4711])
    file = io.BytesIO()
    book.save(file)
    package = document.part.package
    name = PackURI("/word/embeddings/sheet1.xlsx")
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    part = Part(name, kind, file.getvalue(), package)
    relation = document.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/package"
    )
    paragraph = document.add_paragraph("The stock: ")
    office = 'xmlns:o="urn:schemas-microsoft-com:office:office"'
    inner = f'<o:OLEObject {office} {nsdecls("r")} Type="Embed" ProgID="Excel.Sheet.12" ShapeID="x" r:id="{relation}"/>'
    _append(paragraph, _element("r", f"<w:object>{inner}</w:object>"))
    document.add_paragraph("End of stock.")
    return Facts(said=(("The stock:",), ("4711",), ("End of stock.",)))


TEXTS: dict[str, Callable[[DocumentType], Facts]] = {
    "powers": powers,
    "struck": struck,
    "tables": tables,
    "hidden": hidden,
    "comments": comments,
    "tracked": tracked,
    "lists": lists,
    "edges": edges,
    "boxes": boxes,
    "controls": controls,
    "scripts": scripts,
    "right-to-left": right_to_left,
    "signs": signs,
    "embedded": embedded,
}


def contract(document: DocumentType) -> Facts:
    """Write one document with the content of several others."""
    facts = Facts()
    for make in (struck, tables, tracked, lists):
        facts += make(document)
    return facts


TEXTS["contract"] = contract


def write_text(name: str) -> tuple[bytes, Facts]:
    """Return a text by its name, and what it says."""
    document = Document()
    facts = TEXTS[name](document)
    # Word ends no document with a table, and LibreOffice does not write one that does as DOC.
    document.add_paragraph("End of the text.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue(), facts
