"""What is raised is read as "^" where it changes a number, and struck text is between "~~", in every format alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.document import document_text
from engine.documents.text.letters import PLAIN, Letters, Run, marked
from tests.engine.documents.office_files import open_document

FILES = Path(__file__).parents[1] / "files"
UP, OUT = Letters(raised=True), Letters(struck=True)


@pytest.mark.parametrize(
    ("before", "raised", "after", "expected"),
    [
        ("10", "6", " cells", "10^6 cells"),
        ("10", "−9", " M", "10^−9 M"),
        ("10", "0.5", "", "10^0.5"),
        ("10", "12", "m", "10^12m"),
        ("x", "2", "3", "x^(2)3"),
        ("e", "x", "y", "e^(x)y"),
        ("A", "T", "", "A^T"),
        ("Ca", "2+", ".", "Ca^2+."),
        ("y", "n+1", "", "y^(n+1)"),
        ("y", "(n+1)", "", "y^(n+1)"),
        ("2", "10k", "", "2^(10k)"),
        ("e", "-kt", "", "e^(-kt)"),
        ("e", "iωt", "", "e^(iωt)"),
        ("x", "1/2", "", "x^(1/2)"),
        ("m", " 2 ", "x", "m ^2 x"),
        ("word", "1)", "", "word^1)"),
        ("word", "1,2", "", "word^1,2"),
        ("1", "st", " of May", "1st of May"),
        ("Tandem", "TM", "", "TandemTM"),
        ("said", "[3]", "", "said[3]"),
        ("price", "*", "", "price*"),
        ("", "2 weeks later", "", "2 weeks later"),
        ("a", "", "b", "ab"),
    ],
)
def test_an_exponent_is_raised_and_other_letters_are_not(before: str, raised: str, after: str, expected: str) -> None:
    assert marked([Run(before), Run(raised, UP), Run(after)]) == expected


@pytest.mark.parametrize(
    ("before", "lowered", "after", "expected"),
    [
        ("H", "2", "O", "H2O"),
        ("101", "2", "", "101_2"),
        ("log", "10", "2", "log_(10)2"),
        ("x", "i", "2", "xi2"),
        ("10", " kg", "", "10 kg"),
        ("1", "2", "3", "1_(2)3"),
    ],
)
def test_lowered_digits_are_no_part_of_a_number(before: str, lowered: str, after: str, expected: str) -> None:
    down = Letters(lowered=True)
    assert marked([Run(before), Run(lowered, down), Run(after)]) == expected
    assert marked([Run("SO"), Run("4", down), Run("2−", UP)]) == "SO4^2−"


@pytest.mark.first
def test_runs_that_are_set_alike_share_their_marks() -> None:
    assert marked([Run("10"), Run("-", UP), Run("9", UP), Run(" M")]) == "10^-9 M"
    assert marked([Run("a"), Run(" 1", OUT), Run("", PLAIN), Run("00 ", OUT), Run("b")]) == "a ~~100~~ b"
    assert marked([Run("10", OUT), Run("6", Letters(raised=True, struck=True)), Run("!")]) == "~~10^6~~!"


def test_the_marks_of_struck_text_are_within_its_spaces_and_lines() -> None:
    assert marked([Run("a"), Run(" ", OUT), Run("b")]) == "a b"
    assert marked([Run(" x \n\n y", OUT)]) == " ~~x~~ \n\n ~~y~~"


# In each format: a power and a lowered digit, a struck price, and what nobody sees in white and in a tiny size.
OPEN_STYLES = "".join(
    f'<style:style style:family="text" style:name="{name}"><style:text-properties {said}/></style:style>'
    for name, said in {
        "U": 'style:text-position="super 58%"',
        "D": 'style:text-position="sub 58%"',
        "S": 'style:text-line-through-style="solid"',
        "W": 'fo:color="#ffffff"',
        "T": 'fo:font-size="1pt"',
    }.items()
)
SPANS = ("<text:span text:style-name='{}'>", "</text:span>")
LINES = [
    "About 10{U}-6{/} of H{D}2{/}O",
    "{S}100 EUR{/} 80 EUR",
    "Seen{W}UNSEEN{/}",
    "Seen{T}UNSEEN{/}",
]
RTF = {"U": r"{\super ", "D": r"{\sub ", "S": r"{\strike ", "W": r"{\cf1 ", "T": r"{\fs2 "}
CLASSES = "<style>.U{vertical-align:super}.D{vertical-align:sub}.S{text-decoration:line-through}.W{color:#fff}"
CLASSES += ".T{font-size:1px}</style>"


def marked_lines(marks: dict[str, str], end: str, around: str) -> str:
    """Return the lines in a format whose marks begin and end letters that are set differently."""
    text = "".join(around.format(line) for line in LINES).replace("{/}", end)
    for name, mark in marks.items():
        text = text.replace(f"{{{name}}}", mark)
    return text


def open_lines(kind: str, around: str) -> bytes:
    lines = marked_lines({name: SPANS[0].format(name) for name in "UDSWT"}, SPANS[1], around)
    before, after = {
        "text": ("", ""),
        "spreadsheet": ("<table:table>", "</table:table>"),
        "presentation": ("<draw:page><draw:frame><draw:text-box>", "</draw:text-box></draw:frame></draw:page>"),
    }[kind]
    return open_document(kind, f"{before}{lines}{after}", OPEN_STYLES)


P = "<text:p>{}</text:p>"
CELL = f"<table:table-row><table:table-cell>{P}</table:table-cell></table:table-row>"
HTML = CLASSES + marked_lines({name: f"<span class={name}>" for name in "UDSWT"}, "</span>", "<p>{}")
BY_HAND = {
    "a.odt": open_lines("text", P),
    "a.ods": open_lines("spreadsheet", CELL),
    "a.odp": open_lines("presentation", P),
    "a.rtf": (r"{\rtf1{\colortbl;\red255\green255\blue255;}" + marked_lines(RTF, "}", r"{}\par ") + "}").encode(),
    "a.html": HTML.encode(),
    "a.eml": f"Content-Type: text/html\n\n{HTML}".encode(),
}
WRITTEN = ("letters-openpyxl.xlsx", "letters-python-docx.docx", "letters-python-pptx.pptx")


@pytest.mark.parametrize("name", [*WRITTEN, *BY_HAND])
def test_every_format_marks_letters_alike_and_leaves_out_what_nobody_sees(name: str) -> None:
    content = BY_HAND[name] if name in BY_HAND else (FILES / name).read_bytes()
    found = document_text(name, content, 2**20)
    assert "About 10^-6 of H2O" in found.text
    assert "~~100 EUR~~ 80 EUR" in found.text
    assert found.text.count("Seen") == 2
    assert "UNSEEN" not in found.text
    assert dict(found.left_out)["hidden-text"] >= 2
