"""HWPX files are read as Hancom Office shows them, with all revisions accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.document import DocumentText, document_text
from tests.engine.documents.office_files import hangul_file, zipped
from tests.engine.documents.picture_documents import LARGE, picture

_FILE = Path(__file__).parents[1] / "files" / "python-hwpx.hwpx"
# What python-hwpx 6.9 wrote, with one of each kind of content.
_EXPECTED = """\
2031년 정기 보고

# 1. 1장 개요

## 가. 배경

## 나. 예산은 3억 원이다.[^1]

## 다. 집행률은 82%이다.[^2]

| r0c0 r0c1 |  | r0c2 |
| --- | --- | --- |
| r1c0 | r1c1 | r1c2 r2c2 |
| r2c0 | r2c1 | r1c2 r2c2 |

이 문장은 검토한다.[^3]

총액 잔액 200원.

가격 80원

[Equation: {a+b} over {c^2}]

[안내 페이지](https://example.com/a?b=1)

☒ 동의함

이름을 입력

총무과

[^1]: 부가세 제외
[^2]: 2031년 9월 기준
[^3]: Comment: 근거를 밝힐 것

[Left out: 2 deleted passages]"""


def _read(*sections: str, header: str = "", **parts: str) -> DocumentText:
    return document_text("a.hwpx", hangul_file(*sections, header=header, **parts), 10_000)


def _paragraph(content: str, shape: str = "") -> str:
    return f'<hp:p paraPrIDRef="{shape}"><hp:run>{content}</hp:run></hp:p>'


def _said(words: str, shape: str = "") -> str:
    return _paragraph(f"<hp:t>{words}</hp:t>", shape)


def _cell(content: str, columns: int = 1, rows: int = 1, fill: str = "") -> str:
    span = f'<hp:cellSpan colSpan="{columns}" rowSpan="{rows}"/>'
    return f'<hp:tc borderFillIDRef="{fill}"><hp:subList>{content}</hp:subList>{span}</hp:tc>'


def _table(*rows: str, caption: str = "") -> str:
    return f"<hp:tbl>{caption}{''.join(f'<hp:tr>{row}</hp:tr>' for row in rows)}</hp:tbl>"


def test_a_file_of_a_library_is_read_whole() -> None:
    assert document_text("a.hwpx", _FILE.read_bytes(), 10_000).text == _EXPECTED
    # The content says what it is, whatever its name.
    assert document_text("a.zip", _FILE.read_bytes(), 10_000).text == _EXPECTED


def test_sections_come_in_order_between_what_is_above_and_below_their_pages() -> None:
    number = '<hp:ctrl><hp:autoNum num="1" numType="PAGE"/></hp:ctrl>'
    top = f"<hp:ctrl><hp:header><hp:subList>{_said('Above')}</hp:subList></hp:header></hp:ctrl>"
    below = f"<hp:ctrl><hp:footer><hp:subList>{_said('Below')}</hp:subList></hp:footer></hp:ctrl>"
    page = (
        f"<hp:ctrl><hp:footer><hp:subList>{_paragraph(f'<hp:t>- </hp:t>{number}')}</hp:subList></hp:footer></hp:ctrl>"
    )
    first = _paragraph(f"{below}{top}{page}<hp:t>One</hp:t>")
    assert _read(first, _paragraph(f"{top}<hp:t>Two</hp:t>")).text == "Above\n\nOne\n\nBelow\n\nTwo"


def test_what_is_on_all_pages_is_read_once() -> None:
    section = _paragraph('<hp:secPr><hp:masterPage idRef="m"/></hp:secPr><hp:t>Text</hp:t>')
    master = f'<masterPage xmlns:hp="hp"><hp:subList>{_said("대외비")}</hp:subList></masterPage>'
    assert _read(section, section, m=master).text == "대외비\n\nText\n\nText"


def test_signs_within_a_text_are_characters() -> None:
    signs = "a<hp:tab/>b<hp:nbSpace/>c<hp:fwSpace/>d<hp:hyphen/>e<hp:markpenBegin/>f<hp:markpenEnd/>g<hp:lineBreak/>h"
    assert _read(_said(signs)).text == "a\tb\u00a0c\u3000d-efg\nh"


def test_merged_cells_have_their_text_in_each_row() -> None:
    table = _table(
        _cell(_said("Wide"), columns=2) + _cell(_said("Tall"), rows=2), _cell(_said("1")) + _cell(_said("2"))
    )
    assert _read(_paragraph(table)).text == "| Wide |  | Tall |\n| --- | --- | --- |\n| 1 | 2 | Tall |"


def test_a_table_that_is_a_frame_is_none() -> None:
    assert _read(_paragraph(_table(_cell(_said("One") + _said("Two"))))).text == "One\n\nTwo"


@pytest.mark.parametrize(("side", "expected"), [("TOP", "표 3\n\n{}"), ("BOTTOM", "{}\n\n표 3")])
def test_a_caption_has_its_number_and_its_side(side: str, expected: str) -> None:
    number = '<hp:ctrl><hp:autoNum num="3" numType="TABLE"/></hp:ctrl>'
    said = _paragraph(f"<hp:t>표 </hp:t>{number}")
    caption = f'<hp:caption side="{side}"><hp:subList>{said}</hp:subList></hp:caption>'
    table = _table(_cell(_said("a")) + _cell(_said("b")), _cell(_said("c")) + _cell(_said("d")), caption=caption)
    rows = "| a | b |\n| --- | --- |\n| c | d |"
    assert _read(_paragraph(table)).text == expected.format(rows)


def test_deleted_text_is_left_out_and_counted_as_passages() -> None:
    begin = '<hp:deleteBegin Id="{0}" TcId="{0}"/>'.format
    end = '<hp:deleteEnd Id="{0}" TcId="{0}" paraend="0"/>'.format
    over_runs = f"<hp:t>a{begin(1)}old</hp:t></hp:run><hp:run><hp:t>er{end(1)}b</hp:t>"
    over_paragraphs = _said(f"c{begin(2)}x") + _said(f"y{end(2)}d")
    beside = _said(f"e{begin(3)}1{end(3)}<hp:insertBegin/>2<hp:insertEnd/>f")
    box = f"<hp:rect><hp:drawText><hp:subList>{_said('gone')}</hp:subList></hp:drawText></hp:rect>"
    beside += _paragraph(f"<hp:t>{begin(5)}</hp:t>{box}<hp:t>{end(5)}</hp:t>")
    table = _said(begin(4)) + _paragraph(_table(_cell(_said("gone")) + _cell(_said("too")))) + _said(end(4))
    read = _read(_paragraph(over_runs) + over_paragraphs + beside + table)
    assert read.text.startswith("ab\n\nc\n\nd\n\ne2f\n\n[Left out")
    # A passage ends with its paragraph.
    assert read.left_out == (("deleted-text", 6),)


def test_a_deletion_that_never_ends_deletes_nothing() -> None:
    assert _read(_said('a<hp:deleteBegin Id="1"/>b') + _said("c")).text == "ab\n\nc"


_SHAPES = (
    '<hh:charPr id="up"><hh:supscript/></hh:charPr>'
    '<hh:charPr id="out"><hh:strikeout shape="SOLID"/></hh:charPr>'
    '<hh:charPr id="3d"><hh:strikeout shape="3D"/></hh:charPr>'
    '<hh:charPr id="white" height="1000" textColor="#FFFFFF" shadeColor="none" borderFillIDRef="2"/>'
    '<hh:charPr id="shaded" textColor="#FFFFFF" shadeColor="#0000FF"/>'
    '<hh:charPr id="small" height="100" textColor="#000000"/>'
    '<hh:borderFill id="2"><hc:fillBrush><hc:winBrush faceColor="none" alpha="0"/></hc:fillBrush></hh:borderFill>'
    '<hh:borderFill id="7"><hc:fillBrush><hc:winBrush faceColor="#0000FF"/></hc:fillBrush></hh:borderFill>'
    '<hh:paraPr id="filled"><hh:border borderFillIDRef="7"/></hh:paraPr>'
)


def _run(shape: str, words: str) -> str:
    return f'<hp:run charPrIDRef="{shape}"><hp:t>{words}</hp:t></hp:run>'


def test_letters_that_are_raised_or_struck_have_marks() -> None:
    paragraph = f"<hp:p>{_run('', 'a 10')}{_run('up', '6')}{_run('', ' ')}{_run('out', 'x')}{_run('3d', ' y')}</hp:p>"
    assert _read(paragraph, header=_SHAPES).text == "a 10^6 ~~x~~ y"


@pytest.mark.parametrize("shape", ["white", "small"])
def test_letters_that_nobody_sees_are_left_out_and_counted(shape: str) -> None:
    read = _read(f"<hp:p>{_run('', 'a')}{_run(shape, 'hidden')}{_run('', 'b')}</hp:p>", header=_SHAPES)
    assert read.text.startswith("ab")
    assert read.left_out == (("hidden-text", 1),)


def test_white_letters_on_a_colour_are_read() -> None:
    white = f"<hp:p>{_run('white', 'seen')}</hp:p>"
    filled = white.replace("<hp:p>", '<hp:p paraPrIDRef="filled">')
    row = _cell(white, fill="7") + _cell(_said("b"))
    box = _paragraph(f"<hp:rect><hp:drawText><hp:subList>{white}</hp:subList></hp:drawText></hp:rect>")
    for body in (f"<hp:p>{_run('shaded', 'seen')}</hp:p>", filled, box, _paragraph(_table(row, row))):
        assert "seen" in _read(body, header=_SHAPES).text
    behind = '<hp:rect textWrap="BEHIND_TEXT"/>'
    assert _read(_paragraph(behind) + white, header=_SHAPES).text == "seen"


def test_numbers_are_those_that_are_shown() -> None:
    heads = (
        ("DIGIT", "제^1조"),
        ("HANGUL_SYLLABLE", "^2."),
        ("CIRCLED_HANGUL_SYLLABLE", "^3"),
        ("DIGIT", "^N"),
        ("ROMAN_CAPITAL", "(^5)"),
    )
    levels = "".join(
        f'<hh:paraHead level="{level}" start="1" numFormat="{form}">{text}</hh:paraHead>'
        for level, (form, text) in enumerate(heads, 1)
    )
    shapes = "".join(
        f'<hh:paraPr id="{at}"><hh:heading type="NUMBER" idRef="1" level="{at}"/></hh:paraPr>' for at in range(5)
    )
    header = f'<hh:numbering id="1">{levels}</hh:numbering>{shapes}'
    body = "".join(_said("x", shape) for shape in "0112340")
    lines = [line.strip() for line in _read(body, header=header).text.split("\n")]
    assert lines == ["제1조 x", "가. x", "나. x", "㉮ x", "1.2.1.1. x", "(I) x", "제2조 x"]


def test_headings_and_bullets_have_their_levels() -> None:
    header = (
        '<hh:numbering id="4"><hh:paraHead level="1" numFormat="DIGIT">^1.</hh:paraHead></hh:numbering>'
        '<hh:paraPr id="h"><hh:heading type="OUTLINE" level="0"/></hh:paraPr>'
        '<hh:paraPr id="b"><hh:heading type="BULLET" idRef="1" level="1"/></hh:paraPr>'
    )
    begins = _paragraph('<hp:secPr outlineShapeIDRef="4"/><hp:t>Title</hp:t>', "h")
    assert _read(begins + _said("Item", "b"), header=header).text == "# 1. Title\n\n   - Item"


def _field(kind: str, words: str, parameters: str = "", inside: str = "") -> str:
    begin = f'<hp:fieldBegin id="5" type="{kind}"><hp:parameters>{parameters}</hp:parameters>{inside}</hp:fieldBegin>'
    return f'<hp:ctrl>{begin}</hp:ctrl><hp:t>{words}</hp:t><hp:ctrl><hp:fieldEnd beginIDRef="5"/></hp:ctrl>'


def test_notes_and_comments_follow_the_text() -> None:
    note = f"<hp:ctrl><hp:footNote><hp:subList>{_said('Note')}</hp:subList></hp:footNote></hp:ctrl>"
    hidden = f"<hp:ctrl><hp:hiddenComment><hp:subList>{_said('Kept')}</hp:subList></hp:hiddenComment></hp:ctrl>"
    author = '<hp:stringParam name="Author">Kim</hp:stringParam>'
    memo = _field("MEMO", "c", author, f"<hp:subList>{_said('Why?')}</hp:subList>")
    text = _read(_paragraph(f"<hp:t>a</hp:t>{note}<hp:t>b</hp:t>{hidden}{memo}<hp:t>d</hp:t>")).text
    assert text == "a[^1]b[^2]c[^3]d\n\n[^1]: Note\n[^2]: Comment: Kept\n[^3]: Comment by Kim: Why?"


def test_links_have_their_addresses() -> None:
    command = r'<hp:stringParam name="Command">https\://example.com/a\?b=1;1;0;0;</hp:stringParam>'
    place = '<hp:stringParam name="Command">?bookmark;0;0;0;</hp:stringParam>'
    assert _read(_paragraph(_field("HYPERLINK", "there", command))).text == "[there](https://example.com/a?b=1)"
    assert _read(_paragraph(_field("HYPERLINK", "there", place))).text == "there"


def test_a_link_ends_with_its_paragraph() -> None:
    path = '<hp:stringParam name="Path">https://example.com/</hp:stringParam>'
    begun = _field("HYPERLINK", "there", path).partition("</hp:t>")[0] + "</hp:t>"
    assert _read(_paragraph(begun) + _said("after")).text == "[there](https://example.com/)\n\nafter"


def test_text_boxes_follow_their_paragraph() -> None:
    box = f"<hp:rect><hp:drawText><hp:subList>{_said('Box')}</hp:subList></hp:drawText></hp:rect>"
    assert _read(_paragraph(f"<hp:t>a </hp:t>{box}<hp:t>b</hp:t>")).text == "a b\n\nBox"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<hp:equation><hp:script>x over 2</hp:script></hp:equation>", "[Equation: x over 2]"),
        ('<hp:compose composeText="12"/>', "12"),
        ("<hp:dutmal><hp:mainText>漢字</hp:mainText><hp:subText>한자</hp:subText></hp:dutmal>", "漢字"),
        ('<hp:textart text="Art"/>', "Art"),
        ('<hp:checkBtn caption="Yes" value="UNCHECKED"/>', "☐ Yes"),
        ('<hp:comboBox selectedValue="Seoul"/>', "Seoul"),
        ("<hp:edit><hp:text>typed</hp:text></hp:edit>", "typed"),
        ("<hp:pic><hp:shapeComment>A pump\nat work</hp:shapeComment></hp:pic>", "[A pump at work]"),
        ("<hp:pic><hp:shapeComment>그림입니다.\n원본 그림의 이름: a.png</hp:shapeComment></hp:pic>", ""),
        (
            '<hp:switch><hp:case hp:required-namespace="x"><hp:t>new</hp:t></hp:case>'
            "<hp:default><hp:t>old</hp:t></hp:default></hp:switch>",
            "old",
        ),
        (
            '<hp:switch><hp:case hp:required-namespace="http://www.hancom.co.kr/hwpml/2016/x"><hp:t>new</hp:t></hp:case>'
            "<hp:default><hp:t>old</hp:t></hp:default></hp:switch>",
            "new",
        ),
        ("<hp:ctrl><hp:indexmark><hp:firstKey>k</hp:firstKey></hp:indexmark></hp:ctrl>", ""),
        ("<hp:unknown><hp:t>shown</hp:t></hp:unknown>", "shown"),
    ],
)
def test_what_is_drawn_stands_as_words(content: str, expected: str) -> None:
    assert _read(_paragraph(f"<hp:t>a </hp:t>{content}<hp:t> b</hp:t>")).text == f"a {expected} b"


def test_a_chart_is_a_table() -> None:
    series = "<ser><tx><v>Sold</v></tx><cat><pt idx='0'><v>May</v></pt></cat><val><pt idx='0'><v>3</v></pt></val></ser>"
    chart = '<hp:chart id="9" chartIDRef="Chart/chart1.xml"/>'
    text = _read(_paragraph(chart), **{"Chart/chart1.xml": f"<chart>{series}</chart>"}).text
    assert text == "|  | Sold |\n| --- | --- |\n| May | 3 |"


def test_pictures_are_given_to_models_that_see() -> None:
    data = picture(LARGE)
    shown = '<hp:pic><hc:img binaryItemIDRef="BinData/1.png"/></hp:pic>'
    file = hangul_file(_paragraph(f"<hp:t>See</hp:t>{shown}"), **{"BinData/1.png": data})
    assert document_text("a.hwpx", file, 100, most_pictures=1).pictures.files == (data,)


def test_a_file_with_a_password_says_so() -> None:
    manifest = "<m><file-entry full-path='Contents/section0.xml'><encryption-data/></file-entry></m>"
    file = hangul_file("", **{"META-INF/manifest.xml": manifest})
    assert document_text("a.hwpx", file, 100).problem == "encrypted"


def test_a_section_that_is_missing_or_damaged_is_counted() -> None:
    package = '<p><item id="a" href="no.xml"/><item id="b" href="b.xml"/><item id="c" href="c.xml"/>'
    package += "".join(f'<itemref idref="{name}"/>' for name in "abc") + "</p>"
    parts = {
        "mimetype": b"application/hwp+zip",
        "Contents/content.hpf": package.encode(),
        "Contents/b.xml": b"<sec><p>",
        "Contents/c.xml": b"<sec><p><run><t>Text</t></run></p></sec>",
    }
    read = document_text("a.hwpx", zipped(**parts), 100)
    assert read.text.startswith("Text\n")
    assert read.left_out == (("damaged-part", 2),)
    del parts["Contents/c.xml"]
    assert document_text("a.hwpx", zipped(**parts), 100).problem == "damaged"
