"""Documents give their headings, lists, tables and notes as Markdown; what cannot be read says why.

The files in `files` were written by the programs that they are named for, with the content that is expected here.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    NameObject,
    NullObject,
    StreamObject,
    TextStringObject,
)
from webencodings.labels import LABELS

from engine.documents.document import DocumentText, document_text
from tests.app.pdf_files import pdf
from tests.engine.documents.office_files import zipped
from tests.engine.documents.pdf_pages import objects

FILES = Path(__file__).parent / "files"
MOST = 2 * 2**20
LIBREOFFICE = """# 보고서

Text with a bold word.

- one
   - inner
- two
1. erstens
2. zweitens

| Name | 値 |
| --- | --- |
| a | 1 |
| wide |  |

末尾 end.[^1]

[^1]: A note."""
SHEETS = """## 매출

| Date | Amount | Share | Open | Note |  |  |
| --- | --- | --- | --- | --- | --- | --- |
| 2026-03-01 | 1234.5 | 25% | TRUE | 合計 |  |  |
| 2026-03-02 14:30:00 | 0.3 |  | FALSE | x\\|y |  |  |
| 09:05:00 |  |  |  |  |  |  |
|  |  |  |  | {sum} |  |  |
|  |  |  |  |  |  | far |
| merged |  |  | 26:00:00 |  |  |  |
|  | day 3 | 2026-03-01 |  |  |  |  |

## Second

| two |
| --- |

[Left out: 1 hidden sheet]"""
WHOLE = {
    "libreoffice.docx": LIBREOFFICE,
    "libreoffice.odt": LIBREOFFICE,
    "python-docx.docx": """# Quarterly report

# 판매 실적

한국어 굵게 そして日本語、还有中文。

- First
   - Inner
- Second
1. One
2. Two

## Table

| Name | Q1 | Q2 |
| --- | --- | --- |
| Kim | 1\\|2 | 3 |
| Lee | 4 | 5 |

| tall | wide |  |
| --- | --- | --- |
| tall | a | b |

End.""",
    # LibreOffice keeps what formulas gave; openpyxl does not compute them.
    "libreoffice.xlsx": SHEETS.format(sum="1234.8"),
    "openpyxl.xlsx": SHEETS.format(sum="=SUM(B2:B3)"),
    "python-pptx.pptx": """## 1. 発表

Subtitle

## 2. Agenda

- First
   - Inner
- Second

Notes: Speak slowly.

## 3. Table

| a | b |
| --- | --- |
| 1 | 2 |

[Left out: 1 hidden slide]""",
    "ebooklib.epub": "# 첫째 장\n\n시작 & more.\n\n- x\n\n# 둘째 장\n\n끝.",
}


def read(name: str) -> bytes:
    return (FILES / name).read_bytes()


def changed(name: str, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a document with one of its parts changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(read(name))) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            content = old.read(entry)
            new.writestr(entry, change(content) if entry == part else content)
    return file.getvalue()


@pytest.mark.parametrize("name", WHOLE)
def test_a_document_is_known_by_its_content_and_read_with_its_structure(name: str) -> None:
    found = document_text("file-abc.dat", read(name), MOST)
    assert found.text == document_text(name, read(name), MOST).text == WHOLE[name]
    assert found.seconds > 0


def test_a_document_type_without_entities_is_no_damage() -> None:
    kind = b'<!DOCTYPE manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><manifest/>'
    data = changed("libreoffice.odt", "META-INF/manifest.xml", lambda _: kind)
    assert document_text("a.odt", data, MOST).text == LIBREOFFICE


@pytest.mark.first
def test_a_document_with_macros_is_read() -> None:
    old, new = b"openxmlformats-officedocument.wordprocessingml.document.main", b"ms-word.document.macroEnabled.main"
    data = changed("python-docx.docx", "[Content_Types].xml", lambda types: types.replace(old, new))
    assert document_text("a.docm", data, MOST).text == WHOLE["python-docx.docx"]


def test_a_workbook_without_styles_is_read() -> None:
    data = changed("openpyxl.xlsx", "xl/styles.xml", lambda _: b"<styleSheet/>")
    assert "| 46082 | 1234.5 | 0.25 |" in document_text("a.xlsx", data, MOST).text


HALF = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mi>y</mi><mn>10</mn></msup><msqrt><mi>z</mi></msqrt></math>"
SPANS = "| a | b |  |\n| --- | --- | --- |\n| a | c | d |\n| e | f | d |"
FOOT = "| n | v |\n| --- | --- |\n| a | 3 |\n| Sum | 3 |"
FEET = "| Sum | 3 |\n| --- | --- |\n| a | 3 |\n| Sum | 3 |"
LINKED = "[x_y](https://e.org/a_b?c&d), s, z"
OPEN_LINK = "[e.org](https://e.org) a@b.c\n\n- x\n\ny"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<title>t</title><style>p{}</style><script>x()</script><p>Seen</p><!-- no -->", "Seen"),
        ("<h2>A &amp; B</h2><p>one<br>two", "## A & B\n\none\ntwo"),
        ("<ol start=3><li>c<ul><li>in</ul><li>d</ol>", "3. c\n   - in\n4. d"),
        ("<table><tr><th>a<th>b<tr><td colspan=2>wide</table>", "| a | b |\n| --- | --- |\n| wide |  |"),
        ("<table><tr><td><p>only a frame</p></td></tr></table>", "only a frame"),
        ("<table><caption>Prices</caption><tr><td>a<td>b</table>", "Prices\n\n| a | b |\n| --- | --- |"),
        ("<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td rowspan=2>d<tr><td>e<td>f</table>", SPANS),
        ("<table><tfoot><tr><td>Sum<td>3<tbody><tr><td>a<td>3<thead><tr><th>n<th>v</table>", FOOT),
        ("<table><tfoot><tr><td>Sum<td>3<tbody><tr><td>n<td>v<tr><td>a<td>3<caption>C</table>", f"C\n\n{FOOT}"),
        (f"<table>{2 * '<tfoot><tr><td>Sum<td>3'}<tbody><tr><td>a<td>3</table>", FEET),
        ("<pre>a\n  b</pre><p>c", "```\na\n  b\n```\n\nc"),
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "漢字"),
        ("<p>a<img src=http://example.org/x.png alt='A cat'><iframe src=file:///etc/passwd>b</iframe>", "a[A cat]"),
        ("<div>" * 5000 + "deep", "deep"),
        ("<table><tr><td>a<td><table><tr><td>b<td>c</table><tr><td>d<td>e", "| a | b c |\n| --- | --- |\n| d | e |"),
        ("<table><tr><td><h2>a</h2><tr><td><table><tr><td>b<td>c", "## a\n\n| b | c |\n| --- | --- |"),
        ("<p><ruby>漢<rp>(<rt>かん<rp>)</ruby>字</p><p>二</p>", "漢字\n\n二"),
        ("<head><title>t</title><noscript><style></style></noscript>Seen", "Seen"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body><p/><a id='x'/>Seen<br/>", "Seen"),
        ("<p>a<select><option selected>b<option>c<p>d<ul><li>e", "ab\n\nd\n\n- e"),
        ("<p><a href='https://e.org/a_b?c&amp;d'>x_y</a>, <a href=javascript:x()>s</a>, <a href=/z>z</a>", LINKED),
        ("<a href=https://e.org>e.org</a> <a href=mailto:a@b.c>a@b.c</a><ul><li>x</ul>y", OPEN_LINK),
        ("<p>10<sup><b>6</b></sup> <s>5 <i>a</i> </s><input type=checkbox checked>", "10^6 ~~5 a~~ ☒"),
        ("<p><label>Name<input value=' Kim '></label>!<input type=hidden value=no><input value>", "Name Kim !"),
        ("<p>y<sup>n+1</sup> a<sup><a href='#1'>1</a></sup> H<sub>2</sub>O", "y^(n+1) a1 H2O"),
        (f"<p>x={HALF}!", r"x=$\frac{1}{2}y^{10}\sqrt{z}$!"),
        (f"<math alttext='E=mc^2'>{HALF}</math><p>x", "$E=mc^2$\n\nx"),
        ("<m:math display=block><m:semantics><m:mi>a</m:mi><m:annotation encoding=TeX>\\a</m:annotation>", r"$$\a$$"),
        ("<math>" + "<mrow>" * 300 + "<mi>a</math><p>b", "$a$\n\nb"),
        ("<math>" + "<mrow>" * 5000 + "<mi>a</math><p>b", "a\n\nb\n\n[Left out: 1 damaged part]"),
        (
            "<body hidden><p style='display: none'>no<b hidden>no</b><p hidden> <p hidden>no<p>yes",
            "yes\n\n[Left out: 2 hidden passages]",
        ),
        (
            "<p>Let <span class=MathJax><span>a2</span></span><script type='math/tex'>a^2</script> be"
            "<script type='math/tex; mode=display'>\n\\frac12</script>",
            r"Let $a^2$ be$$\frac12$$",
        ),
        ("<dialog>no</dialog><dialog open>yes</dialog>", "yes\n\n[Left out: 1 hidden passage]"),
    ],
    ids=[
        "unseen",
        "heading",
        "list",
        "table",
        "layout",
        "caption",
        "cells over rows",
        "foot before rows",
        "foot and caption",
        "equal feet",
        "code",
        "ruby",
        "loads nothing",
        "deep",
        "unclosed tables",
        "table in a frame",
        "unclosed ruby",
        "unclosed head",
        "XHTML",
        "unclosed select",
        "links",
        "unclosed link",
        "marks",
        "field",
        "raised",
        "formula",
        "described formula",
        "formula of a book",
        "deep formula",
        "endless formula",
        "hidden",
        "formulas in scripts",
        "dialogs",
    ],
)
def test_what_a_page_shows_is_read(page: str, text: str) -> None:
    assert document_text("a.html", page.encode(), MOST).text == text


def page_in(label: str, content: bytes) -> DocumentText:
    return document_text("a.html", b"<meta charset='%s'><p>" % label.encode() + content, MOST)


@pytest.mark.parametrize(
    ("content", "text", "labels"),
    [
        ("é Š".encode("cp1252"), "é Š", "windows-1252 latin1 ISO-8859-1 l1 us-ascii x-cp1252 x-user-defined"),
        ("한국어 똠".encode("cp949"), "한국어 똠", "euc-kr ks_c_5601-1987 ksc_5601 windows-949 csksc56011987"),
        ("日本語①".encode("cp932"), "日本語①", "shift_jis x-sjis ms_kanji windows-31j sjis"),
        ("日本語".encode("euc_jp"), "日本語", "euc-jp x-euc-jp"),
        ("日本語".encode("iso2022_jp"), "日本語", "iso-2022-jp csiso2022jp"),
        ("简体𠀀".encode("gb18030"), "简体𠀀", "gb2312 gbk x-gbk gb18030 chinese iso-ir-58 gb_2312-80"),
        ("繁體".encode("big5"), "繁體", "big5 x-x-big5 big5-hkscs cn-big5 csbig5"),
        ("Привет".encode("koi8_u"), "Привет", "koi8-u koi8-ru"),
        ("Привет".encode("cp866"), "Привет", "866 ibm866 csibm866"),
        ("Привет".encode("mac_cyrillic"), "Привет", "x-mac-cyrillic x-mac-ukrainian"),
        ("ไทย".encode("cp874"), "ไทย", "tis-620 windows-874 iso-8859-11 dos-874"),
        ("שלום".encode("iso8859_8"), "שלום", "iso-8859-8-i logical iso_8859-8:1988 visual"),
        ("née 🙂".encode(), "née 🙂", "utf8 unicode-1-1-utf-8 unicode11utf8 utf-16 utf-16le utf-16be"),
        # No browser knows these: the page is read as if it named none.
        (
            rb"C:\new +AGE- abc-",
            r"C:\new +AGE- abc-",
            "punycode idna unicode_escape raw_unicode_escape utf-7 undefined",
        ),
        (b"eJw= abc", "eJw= abc", "base64 rot13 hex zlib bz2 quopri uu mbcs oem no-such-name utf-8-sig cp037 utf-32"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_a_page_is_read_in_the_encoding_that_a_browser_would_read(content: bytes, text: str, labels: str) -> None:
    assert {label: page_in(label, content).text for label in labels.split()} == dict.fromkeys(labels.split(), text)


def test_every_label_of_the_encoding_standard_is_known_and_forbidden_encodings_are_refused() -> None:
    letter = {label: page_in(label, b"a").text or page_in(label, b"a").problem for label in LABELS}
    forbidden = {label for label, name in LABELS.items() if name == "replacement"}
    assert {label for label, found in letter.items() if found != "a"} == forbidden
    assert {letter[label] for label in forbidden} == {"unknown-encoding"}


@pytest.mark.parametrize("encoding", ["euc-kr", "utf-16", "punycode"])
def test_a_page_of_a_book_is_read_in_its_encoding(encoding: str) -> None:
    page = f'<?xml version="1.0" encoding="{encoding}"?><html><body><p>한국어</p></body></html>'
    content = page.encode("utf-8" if encoding == "punycode" else encoding)
    book = changed("ebooklib.epub", "EPUB/a.xhtml", lambda _: content)
    assert "한국어" in document_text("a.epub", book, MOST).text


def test_a_page_of_a_book_is_shown_as_the_sheets_that_it_links_say() -> None:
    page = (
        '<html><head><link rel="stylesheet" href="css/a.css"/></head><body><p class="no">Unseen</p><p>Seen</p></body>'
    )
    with zipfile.ZipFile(FILES / "ebooklib.epub") as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts |= {"EPUB/a.xhtml": page.encode(), "EPUB/css/a.css": b".no { display: none }"}
    found = document_text("a.epub", zipped(**parts), MOST)
    assert found.text.endswith("\n\nSeen\n\n[Left out: 1 hidden passage]")


WORD = "word/document.xml"
LINK_OF_RTF = rb'{\field{\*\fldinst{HYPERLINK "http://e.org/a_b"}}'
PLACES = "a[^1][d[^2]](http://e.org/a_b)\n\n[^1]: bc\n[^2]: e"
TABLE_OF_RTF = "| a |  |\n| --- | --- |\n| c d | e\\| |\n\nf"
PARTS = (
    b"Content-Type: multipart/%s; boundary=x\n\n--x\nContent-Type: text/plain\n\n%s\n"
    b"--x\nContent-Type: text/html; charset=utf-8\n\n%s\n--x--\n"
)
FILE = b"Content-Type: application/pdf\nContent-Disposition: attachment; filename*=UTF-8''%EB%B3%B4.pdf\n\nAA\n--x--\n"
OMITTED = "\n\n[Left out: 1 attached file]"
FORWARDED = "To: c\n\nd\n\n[Attachment: 보.pdf]" + OMITTED
EQUATION_OF_RTF = r"is $\frac{a}{\text{kg}}$."
RTF = rb"{\rtf1\ansi\ansicpg1252{\fonttbl\f0 A;{\f1\fcharset129 B;}{\f2\fcharset204 C;}}{\info{\title T}}"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (rb"\uc0\u50504 \uc1\u-10179?\u-8704? caf\'e9\emdash\{", "안😀 café—{"),
        (rb"\f1 \'b0\'a1\'8c" + b"\r\n" + rb"\'63\f2 \'cf\'f0\f0  \'e9", "가똠Пр é"),
        (rb"\outlinelevel0 {\listtext 1.\tab}A\par\pard b\line c\par" + b"\\\nd", "# 1. A\n\nb\nc\n\nd"),
        (rb"\trowd\pard\intbl a\cell\pard\intbl\cell\row\pard\intbl c\par d\cell e|\cell\row\pard f", TABLE_OF_RTF),
        (rb"a {\v b}{\v0 c}\v d\v0{\deleted e}\par", "a c\n\n[Left out: 2 hidden passages, 1 deleted passage]"),
        (rb"{\listtext\'95\tab}a\par{\pard\ilvl1{\listtext 1.\tab}b\par}", "- a\n   1. b"),
        (
            LINK_OF_RTF + rb"{\fldrslt{\b c}}}{\field{\*\fldinst TOC}{\fldrslt 7\par 8}}",
            "[c](http://e.org/a_b)7\n\n8",
        ),
        (rb"10{\up8 6}{\dn2 0}{\up8\dn2\super 7\sub 1} {\super{\footnote 2}}", "10^(6)0^(7)1 [^1]\n\n[^1]: 2"),
        (
            rb"10{\super 6}{\footnote \pard n}{\pict 00}{\*\unknown x}{\shp{\*\shpinst{\shptxt box}}}",
            "10^6[^1]box\n\n[^1]: n",
        ),
        (rb"a\u8212\emdash b\u8212 \endash\u8364\'80c\uc2\u8217\'a1\rquote d", "a—b—€c’d"),
        (rb"a\u9\tab b\u8212\par c\u8212\nestcell d", "a\t\tb—\n\nc—\td"),
        (rb"a{\footnote b{\*\annotation c}}" + LINK_OF_RTF + rb"{\fldrslt d{\footnote e}\cell}}", PLACES),
        (b"{" * 20000 + b"deep", "deep"),
        (rb"{\stylesheet{\s1 Heading 1;}{\s2\sbasedon1\outlinelevel9 Own;}}\s1 A\par\pard\s2 b", "# A\n\nb"),
        (rb"{\revised\revdttm-2074015744 a}", "a"),
        (
            rb"{\fonttbl{\f7\fcharset2 Symbol{\*\falt X};}{\f8\fcharset2 Wingdings;}}x {\f7\'b3 a} {\f8\'fc} \f0 a",
            "x ≥ α ✔ a",
        ),
        (rb"a{\shp{\*\shpinst{\shptxt box}}{\shprslt box}}", "abox"),
        (rb"a\emspace b", "a b"),
        (rb"is {\mmath{\*\moMath{\mf{\mnum{\mr a}}{\mden{\mr\mnor kg}}}}{\mmathPict{\pict 00}}}.", EQUATION_OF_RTF),
        (
            rb"{\mmath{\*\moMathPara{\*\moMath{\mnary{\mnaryPr{\mchr \u8721\'3f}}"
            rb"{\msub{\mr i=1}}{\msup{\mr n}}{\me{\mr i}}}}}}",
            r"$$\sum_{i=1}^{n}{i}$$",
        ),
        (rb"a{\v {\mmath{\*\moMath{\mr b}}}}", "a\n\n[Left out: 1 hidden passage]"),
    ],
    ids=[
        "signs",
        "code pages",
        "paragraphs",
        "table",
        "hidden",
        "list",
        "link",
        "raised",
        "words for signs",
        "ends for signs",
        "places",
        "places in places",
        "deep",
        "headings by their names",
        "long numbers",
        "fonts of signs",
        "shapes for older programs",
        "wide spaces",
        "an equation",
        "an equation as a paragraph",
        "a hidden equation",
    ],
)
def test_rich_text_is_read(content: bytes, text: str) -> None:
    assert document_text("letter.dat", RTF + content + b"}", MOST).text == text


@pytest.mark.parametrize(
    ("mail", "text"),
    [
        (
            b"From: =?EUC-KR?B?sei/tcjx?= <a@b.kr>\nSubject: =?ks_c_5601-1987?B?jGM=?=\n"
            b"Content-Type: text/plain; charset=euc-kr\n\n" + "똠\n".encode("cp949"),
            "From: 김영희 <a@b.kr>\nSubject: 똠\n\n똠",
        ),
        (
            b"Content-Type: text/plain; charset=none\nSubject: \xc8\xb8\xc0\xc7 \xbe\xc8\xb3\xbb\n\n\xbe\xc8\xb3\xe7",
            "Subject: 회의 안내\n\n안녕",
        ),
        (PARTS % (b"alternative", b"", b"<ul><li>p_q<li>r</ul>"), "- p_q\n- r"),
        (PARTS % (b"alternative", b"plain", b"<h1>plain"), "plain"),
        (PARTS % (b"mixed", b"plain", b"<p>page"), "plain\n\npage"),
        (b"22\n" + b"Subject: a\n\nbody of it" + b"<plist/>", "Subject: a\n\nbody of it"),
        (
            b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nTo: c\n\nd\n--x\n"
            + FILE,
            FORWARDED,
        ),
        (
            b"Content-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>a\n"
            b"--x\nContent-Type: image/png\n\nAA\n--x\n" + FILE,
            "a\n\n[Attachment: 보.pdf]" + OMITTED,
        ),
    ],
    ids=["charsets", "undeclared", "page", "plain", "both", "of a Mac", "forwarded", "related"],
)
def test_a_mail_is_read(mail: bytes, text: str) -> None:
    assert document_text("a.eml", mail, MOST).text == text


def test_a_notebook_gives_its_cells_and_the_outputs_that_are_text() -> None:
    outputs = [
        {"output_type": "stream", "text": ["a\n", "b\n"]},
        {"output_type": "execute_result", "data": {"text/html": "<b>1</b>", "text/plain": ["1"]}},
        {"output_type": "display_data", "data": {"image/png": "AAAA"}},
        {"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["\x1b[31mline\x1b[0m"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# T\n", "![p](data:image/png;base64,AAAA) a_b"]},
        {"cell_type": "code", "source": "f()", "outputs": outputs},
    ]
    book = {"metadata": {"kernelspec": {"language": "python"}}, "cells": cells}
    expected = "# T\n[p] a_b\n\n```python\nf()\n```"
    for output in ("a\nb", "1", "[image/png]", "E: e\nline"):
        expected += f"\n\n```output\n{output}\n```"
    assert document_text("a.ipynb", json.dumps(book).encode(), MOST).text == expected


def test_a_notebook_of_version_3_is_read() -> None:
    outputs = [
        {"output_type": "stream", "stream": "stdout", "text": "1\n"},
        {"output_type": "pyout", "prompt_number": 1, "text": "2", "html": "<b>2</b>", "metadata": {}},
        {"output_type": "display_data", "png": "iVBORw0KGgo="},
        {"output_type": "pyerr", "ename": "KeyError", "evalue": "'x'", "traceback": []},
    ]
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Title"},
        {"cell_type": "code", "language": "python", "input": ["print(1)"], "outputs": outputs},
    ]
    book = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}
    blocks = ["python\nprint(1)", "output\n1", "output\n2", "output\n[png]", "output\nKeyError: 'x'"]
    expected = "\n\n".join(["## Title", *(f"```{block}\n```" for block in blocks)])
    assert document_text("a.ipynb", json.dumps(book).encode(), MOST).text == expected


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ({"data": {"application/json": {"a": True, "b": None}}}, '{"a":true,"b":null}'),
        ({"data": {"application/json": [{"a": 1}, 2]}}, '[{"a":1},2]'),
        ({"data": {"application/json": ["a", "b"]}}, '["a","b"]'),
        ({"json": ['{"a": ', "true}"]}, '{"a": true}'),
        ({"json": [1, 2]}, "12"),
    ],
    ids=["object", "list", "list of texts", "lines of version 3", "no lines"],
)
def test_an_output_of_a_notebook_that_is_json_is_read_as_json(output: dict[str, Any], text: str) -> None:
    cell = {"cell_type": "code", "source": "", "outputs": [{"output_type": "display_data", **output}]}
    book = json.dumps({"cells": [cell]}).encode()
    assert document_text("a.ipynb", book, MOST).text == f"```output\n{text}\n```"


def test_a_progress_bar_of_a_notebook_is_read_as_it_is_in_the_end() -> None:
    bar = {"output_type": "stream", "name": "stderr", "text": ["\r 0%|  |", "\r 50%|# |", "\r100%|##|\r\n", "Done"]}
    book = {"cells": [{"cell_type": "code", "source": "", "outputs": [bar]}]}
    assert document_text("a.ipynb", json.dumps(book).encode(), MOST).text == "```output\n100%|##|\nDone\n```"


def test_what_a_pdf_page_was_filled_in_with_and_noted_is_read() -> None:
    writer = pdf("Name:", "(see e.org)")
    around = writer._add_object(objects(T="applicant", FT="/Tx", V="Hana Sato"))
    box = {"Subtype": "/Widget", "FT": "/Btn", "AP": {"N": {"Off": {}, "Yes": {}}}}
    page_notes = (
        [
            {"Subtype": "/Widget", "Parent": around},
            {"Subtype": "/Widget", "FT": "/Ch", "T": "size", "Opt": ["S", "M"], "V": ["S", "M"]},
            {"Subtype": "/Widget", "FT": "/Tx", "T": "empty", "V": ""},
            {**box, "T": "agree", "AS": "/Yes"},
            {**box, "T": "news", "AS": "/Off"},
            {**box, "T": "send", "Ff": 1 << 16},
            {"Subtype": "/FreeText", "Contents": "typed"},
            {"Subtype": "/Text", "Contents": "unseen", "F": 2},
        ],
        [
            {"Subtype": "/Link", "A": {"S": "/URI", "URI": "https://other.org"}},
            {"Subtype": "/Link", "A": {"S": "/URI", "URI": "e.org"}},
            {"Subtype": "/Popup", "Contents": "again"},
            {"Subtype": "/Text", "Contents": "why?", "F": "no number"},
            None,
        ],
    )
    for page, notes in zip(writer.pages, page_notes, strict=True):
        page[NameObject("/Annots")] = ArrayObject(objects(**one) if one else NullObject() for one in notes)
    writer.write(file := io.BytesIO())
    fields = "applicant: Hana Sato\n\nsize: S, M\n\n☒ agree\n\n☐ news\n\n[Note: typed]"
    found = document_text("a.pdf", file.getvalue(), MOST)
    notes_of_last = "[Link: https://other.org]\n\n[Note: why?]"
    assert found.text == f"Name:\n\n{fields}\n\n(see e.org)\n\n{notes_of_last}\n\n[Left out: 1 damaged part]"


@pytest.mark.parametrize(("words", "text"), [("Read.", "Read.\n\n[Left out: 1 scanned page]"), ("", "")])
def test_scanned_pages_are_said_and_a_file_of_nothing_else_has_no_text(
    words: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.documents.pdf.scans.program_at", lambda _: "")
    monkeypatch.setattr("engine.documents.pdf.scans.vision", lambda: None)
    writer = pdf(words, "")
    (scan,) = writer.pages[1:]
    (picture := StreamObject()).set_data(b"a")
    grey = {"ColorSpace": "/DeviceGray", "BitsPerComponent": 8}
    picture.update(objects(Type="/XObject", Subtype="/Image", Width=1, Height=1, **grey))
    (content := StreamObject()).set_data(b"100 0 0 100 0 0 cm /I Do")
    scan[NameObject("/Contents")] = writer._add_object(content)
    scan["/Resources"][NameObject("/XObject")] = objects(I=writer._add_object(picture))
    scan[NameObject("/Annots")] = ArrayObject([objects(Subtype="/Link", A={"URI": "https://e.org"})])
    writer.write(file := io.BytesIO())
    found = document_text("a.pdf", file.getvalue(), MOST)
    assert (found.text, found.problem) == (text, "" if text else "no-text")


def test_what_was_filled_in_where_only_adobe_draws_the_form_is_read() -> None:
    data = StreamObject()
    data.set_data(b"<x:datasets xmlns:x='x'><x:data><Name>Hana</Name><Empty/></x:data></x:datasets>")
    writer = pdf("Please wait...")
    form = ArrayObject([TextStringObject("datasets"), writer._add_object(data)])
    writer._root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/XFA"): form})
    writer.write(file := io.BytesIO())
    assert document_text("a.pdf", file.getvalue(), MOST).text == "Please wait...\n\nName: Hana"


def test_a_book_is_read_in_its_order_without_the_pages_that_are_damaged() -> None:
    items = {"a": "a%20b.xhtml?v=1#c", "b": "50%.xhtml", "c": "gone.xhtml", "d": "bad.xhtml"}
    package = "<package><manifest>" + "".join(f"<item id='{key}' href='{name}'/>" for key, name in items.items())
    package += "</manifest><spine>" + "".join(f"<itemref idref='{key}'/>" for key in "bcad") + "</spine></package>"
    book = zipped(
        **{
            "META-INF/container.xml": b"<a><rootfile full-path='in/x.opf'/></a>",
            "in/x.opf": package.encode(),
            "in/a b.xhtml": b"<p>first",
            "in/50%.xhtml": b"<p>second",
            "in/bad.xhtml": b"<p>" + b"spoilt" * 9,
        }
    )
    place = book.index(b"in/bad.xhtml") + len("in/bad.xhtml")
    book = book[:place] + bytes([book[place] ^ 255]) + book[place + 1 :]
    found = document_text("a.epub", book, MOST)
    assert found.text == "second\n\nfirst\n\n[Left out: 2 damaged parts]"
    assert found.left_out == (("damaged-part", 2),)


BOMB = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><a>&b;</a>'
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("locked.docx", read("msoffcrypto.docx"), "encrypted"),
        (
            "locked.odt",
            changed("libreoffice.odt", "META-INF/manifest.xml", lambda _: b"<a><encryption-data/></a>"),
            "encrypted",
        ),
        ("cut.docx", read("python-docx.docx")[:9000], "damaged"),
        ("cut.xlsx", read("openpyxl.xlsx")[:3000], "damaged"),
        ("text.docx", b"This is no archive.", "damaged"),
        ("broken.docx", changed("python-docx.docx", WORD, lambda xml: xml[:2000]), "damaged"),
        ("entities.docx", changed("python-docx.docx", WORD, lambda _: BOMB), "damaged"),
        ("wide.docx", changed("python-docx.docx", WORD, lambda _: BOMB.decode().encode("utf-16")), "damaged"),
        ("outside.odt", changed("libreoffice.odt", "content.xml", lambda _: OUTSIDE), "damaged"),
        ("bomb.docx", changed("python-docx.docx", WORD, lambda _: b"<a>" + bytes(80 * 2**20)), "too-large"),
        ("long.docx", changed("python-docx.docx", WORD, lambda xml: xml.replace(b"End.", b"x" * MOST)), "too-large"),
        ("empty.docx", changed("python-docx.docx", WORD, lambda _: b"<document><body/></document>"), "empty"),
        ("archive.zip", zipped(notes=b"text"), "not-text"),
        ("empty.html", b"<script>x()</script>", "empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_says_why(name: str, data: bytes, problem: str) -> None:
    assert (document_text(name, data, MOST).problem, document_text(name, data, MOST).text) == (problem, "")


def test_a_part_with_a_password_is_no_damage() -> None:
    data = bytearray(read("python-docx.docx"))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        places = [data.find(b"PK\x01\x02")]
        while (place := data.find(b"PK\x01\x02", places[-1] + 1)) > 0:
            places.append(place)
        assert len(places) == len(archive.namelist())
    for place in places:
        data[place + 8] |= 1
    assert document_text("a.docx", bytes(data), MOST).problem == "encrypted"


CELL = '<Cell ss:{1}><Data ss:Type="{0}">{2}</Data></Cell>'
SHEET_XML = (
    """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Styles><Style ss:ID="m"><NumberFormat ss:Format="#,##0.00"/></Style><Style ss:ID="n"><NumberFormat ss:Format=";;;"/>
</Style></Styles><Worksheet ss:Name="Books"><Table><Column ss:Index="4" ss:Hidden="1"/><Row>"""
    + CELL.format("String", 'MergeDown="1"', "North")
    + CELL.format("Number", 'StyleID="m"', "1234.5")
    + CELL.format("DateTime", 'Index="3"', "2026-05-03T00:00:00.000Z")
    + CELL.format("String", 'Index="4"', "cost")
    + "</Row><Row>"
    + CELL.format("Number", 'StyleID="n"', "5")
    + CELL.format("Boolean", 'Index="3"', "1")
    + '</Row><Row ss:Hidden="1">'
    + CELL.format("String", 'Index="1"', "no")
    + """</Row></Table></Worksheet><Worksheet ss:Name="Off"><WorksheetOptions><Visible>SheetHidden</Visible>
</WorksheetOptions></Worksheet></Workbook>"""
)
SHEET_TEXT = """## Books

| North | 1,234.50 | 2026-05-03 |
| --- | --- | --- |
| North |  | TRUE |

[Left out: 1 hidden passage, 1 hidden row, 1 hidden column, 1 hidden sheet]"""
FLAT = """<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><t>no</t></office:meta><office:master-styles>
<style:master-page><style:header><text:p>Above</text:p></style:header></style:master-page></office:master-styles>
<office:body><office:text><text:h text:outline-level="2">Head</text:h><text:p>Words</text:p></office:text></office:body>
</office:document>"""
MAILED_PAGE = "Date: Sun, 3 May 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: text/html\n\n<h1>Wiki</h1><p>a"
TWO_MAILS = "From a@b.c Sun May  3 10:00:00 2026\nSubject: One\n\n>From here\n\nFrom d@e.f Mon\nSubject: Two\n\nb\n"
ROW = "<tr><td>2026-05-03</td><td>1.234,50</td></tr>"


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("bank.xls", f"<html><body><table>{ROW}</table>", "| 2026-05-03 | 1.234,50 |\n| --- | --- |"),
        ("bank.xlsx", f"\ufeff\n<TABLE border=1>{ROW}</table>", "| 2026-05-03 | 1.234,50 |\n| --- | --- |"),
        ("wiki.doc", MAILED_PAGE, "Date: Sun, 3 May 2026 10:00:00 +0000\n\n# Wiki\n\na"),
        ("books.xls", SHEET_XML, SHEET_TEXT),
        ("books.xml", SHEET_XML, SHEET_TEXT),
        ("a.fodt", FLAT, "Above\n\n## Head\n\nWords"),
        ("a.doc", "Plain words: <html>", "Plain words: <html>"),
        ("page.xml", "<html/>", "<html/>"),
        ("all.mbox", TWO_MAILS, "Subject: One\n\nFrom here\n\nSubject: Two\n\nb"),
    ],
)
def test_what_a_file_is_decides_how_it_is_read(name: str, content: str, text: str) -> None:
    assert document_text(name, content.encode(), MOST).text == text


def test_a_page_in_utf_16_with_the_name_of_a_workbook_is_read() -> None:
    content = f"<html><meta charset=utf-16><table>{ROW}</table>".encode("utf-16")
    assert document_text("sap.xls", content, MOST).text == "| 2026-05-03 | 1.234,50 |\n| --- | --- |"
