"""Bytes that RTF files have as they are, such as those of a picture, are no text, and end where the file says."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

# What would be followed if it were read as RTF.
_BYTES = rb"\x00{{{ \par } } }}}\'e4 wrong \\ \bin9 \trowd\cellx99\cname\colortbl;" + bytes(range(256))


def _text_of(content: bytes) -> str:
    return document_text("a.rtf", rb"{\rtf1\ansi " + content + rb"\par After}", 10_000).text


@pytest.mark.parametrize(
    "picture",
    [
        rb"{\pict\pngblip\bin%d %s}",
        rb"{\pict\pngblip\bin%d %s" + b"\r\n}",
        rb"{\*\shppict{\pict\wmetafile8\picw9\pich9\bin%d %s}}",
        rb"{\object\objemb{\*\objdata\bin%d %s}{\result seen}}",
        rb"{\*\unknown{\bin%d %s}\par}",
    ],
)
@pytest.mark.parametrize("content", [_BYTES, b"}", b" }", b"{", b"\\", b"\n}{", b"\\bin", b"\\'e"])
def test_the_text_after_bytes_is_read(picture: bytes, content: bytes) -> None:
    shown = "Before seen" if b"seen" in picture else "Before"
    assert _text_of(b"Before " + picture % (len(content), content)).replace(" \n", "\n") == f"{shown}\n\nAfter"


def test_several_pictures_are_passed_over() -> None:
    picture = rb"{\pict\bin%d %s}" % (len(_BYTES), _BYTES)
    assert _text_of(b"a" + picture + b"b" + picture * 2 + b"c") == "abc\n\nAfter"


@pytest.mark.parametrize("length", [b"0", b"-5", b"", b"00"])
def test_no_bytes_are_none(length: bytes) -> None:
    assert _text_of(rb"Before{\pict\bin%s }" % length) == "Before\n\nAfter"


@pytest.mark.parametrize("length", [b"9", b"30", b"70", b"1000000", b"4294967295", b"99999999999999999999"])
def test_a_length_that_leads_beyond_the_bytes_loses_no_text_and_is_counted(length: bytes) -> None:
    text = _text_of(rb"Before{\pict\bin%s 0123} and this" % length + b" word" * 10)
    assert text == f"Before and this{' word' * 10}\n\nAfter\n\n[Left out: 1 damaged part]"


def test_a_length_that_is_too_short_loses_no_text() -> None:
    assert _text_of(rb"Before{\pict\bin2 0123456789}") == "Before\n\nAfter\n\n[Left out: 1 damaged part]"


@pytest.mark.parametrize("words", [rb"a\\bin3 b", rb"a{\binary3 }\\bin3 b", rb"a{\*\bind3 }\\bin3 b"])
def test_other_words_have_no_bytes(words: bytes) -> None:
    assert _text_of(words) == "a\\bin3 b\n\nAfter"
