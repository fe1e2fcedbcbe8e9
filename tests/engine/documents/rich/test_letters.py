"""Raised and struck letters of RTF files are marked, and those that nobody sees are left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

OMITTED = "\n\n[Left out: 1 hidden passage]"
# The colours 1 to 3 are white, nearly white and blue; that of 0 is chosen by programs.
HEAD = (
    rb"{\rtf1\ansi{\fonttbl\f0 A;}{\colortbl;\red255\green255\blue255;\red254\green254\blue254;\red31\green56\blue100;}"
    rb"{\stylesheet{\s0 Normal;}{\s1\sbasedon0\strike Old;}{\s2\sbasedon1\fs24 Older;}{\*\cs10\super Up;}"
    rb"{\*\cs11\sbasedon10\b Power;}{\s3\cf1 Ghost;}}\f0 "
)
SHAPE = rb"{\shp{\*\shpinst\shpfblwtxt1}}"


def text_of(content: bytes, head: bytes = HEAD) -> str:
    return document_text("a.rtf", head + content + b"}", 2**20).text


def test_words_below_a_reading_aid_are_read() -> None:
    code = rb"EQ \\* jc3 \\* \"Font:A\" \\* hps22 \\o\\al(\\s\\up 10(Tokyo),\u26481\'3f\u20140\'3f)"
    field = rb"{\field{\*\fldinst { " + code + rb"}}{\fldrslt {}}}"
    assert text_of(b"In " + field + b" now") == "In 東京 now"


def test_a_comment_names_who_wrote_it() -> None:
    comment = rb"{\*\atnid K}{\*\atnauthor Kim}\chatn{\*\annotation{\*\atndate 1}Why?}"
    unnamed = rb"{\*\annotation Where?}"
    notes = "[^1]: Comment by Kim: Why?\n[^2]: Where?"
    assert text_of(b"a" + comment + b" b" + unnamed) == f"a[^1] b[^2]\n\n{notes}"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (rb"10{\super 6} cells", "10^6 cells"),
        (rb"10{\up8 -}{\up8 9} M", "10^-9 M"),
        (rb"10\up6 6\up0  cells", "10^6 cells"),
        (rb"10{\cs10 6}{\cs11 7}", "10^67"),
        (rb"H{\sub 2}O{\dn2 3}\super\nosupersub  4 101{\sub 2}", "H2O3 4 101_2"),
        (rb"y{\super {\i n}+1}", "y^(n+1)"),
        (rb"{\strike 100 }{\striked1 EUR}\strike\strike0  80", "~~100 EUR~~ 80"),
        (rb"\pard\plain\s1 100\par\pard\plain\s2 90\strike0  80\par\pard\plain\s0 70", "~~100~~\n\n~~90~~ 80\n\n70"),
        (rb"{\strike caf\'e9 \u50504 ?}", "~~café 안~~"),
    ],
    ids=[
        "raised",
        "lifted",
        "taken back",
        "style",
        "lowered",
        "together",
        "struck",
        "style of paragraphs",
        "other signs",
    ],
)
def test_raised_and_struck_letters_are_marked(content: bytes, text: str) -> None:
    assert text_of(content) == text


@pytest.mark.parametrize(
    "content",
    [
        rb"{\cf1 x}",
        rb"{\cf2 x}",
        rb"{\cf3\highlight3 x}",
        rb"{\cf3\chcbpat3 x}",
        rb"{\fs3 x}",
        rb"{\v x}",
        rb"\par\pard\plain\s3 x",
        rb"\par\pard\cbpat3\cf3 x",
        rb"\par\trowd\clcbpat3\cellx9\pard\intbl\fs2 x\cell\row\pard\plain ",
        rb"\par\trowd\cellx9\pard\intbl\cf1 x\cell\row\pard\plain ",
    ],
    ids=["white", "nearly", "highlight", "shading", "tiny", "hidden", "style", "paragraph", "tiny in a cell", "cell"],
)
def test_letters_that_nobody_sees_are_left_out_and_counted(content: bytes) -> None:
    assert text_of(rb"Seen" + content) == f"Seen{OMITTED}"


@pytest.mark.parametrize(
    "content",
    [
        rb"{\cf0 x}",
        rb"{\fs4 x}",
        rb"\cf1\plain x",
        rb"{\cf1\highlight3 x}",
        rb"\pard\cbpat3\cf1 x",
        rb"\trowd\clcbpat3\cellx9\pard\intbl\cf1 x\cell\row\pard",
        rb"{\shp{\*\shpinst{\shptxt\cf1 x}}}",
        SHAPE + rb"{\cf1 x}",
    ],
    ids=["usual colour", "two points", "plain", "highlight", "paragraph", "cell", "box", "shape below"],
)
def test_letters_on_what_may_have_a_colour_are_read(content: bytes) -> None:
    assert text_of(content) == "x"


def test_letters_without_a_colour_are_read_whatever_the_table_begins_with() -> None:
    assert text_of(b"x", rb"{\rtf1{\colortbl\red255\green255\blue255;}") == "x"


@pytest.mark.parametrize(
    "passage", [rb"{\v \tab secret}", rb"{\v  }{\v\b secret}", rb"{\v \'a0\line secret}", rb"{\deleted  {\b gone}}"]
)
def test_a_passage_that_begins_with_a_blank_is_counted_once(passage: bytes) -> None:
    assert "[Left out: 1 " in text_of(b"Seen " + passage + b" end.")
