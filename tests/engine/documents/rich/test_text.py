"""Bytes of RTF files are decoded as the specification says: by their font, the default one, or the file's code page."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text


def _read(head: bytes, text: bytes) -> str:
    return document_text("a.rtf", rb"{\rtf1" + head + text + b"}", 1000).text


_HELLO = rb"\'cf\'f0\'e8\'e2\'e5\'f2"
_FONTS = rb"{\fonttbl{\f0\fnil\fcharset204 Arial;}{\f1\fnil\fcharset0 Times;}{\f2\fnil\fcharset1 Mono;}{\f3 Old;}}"


@pytest.mark.first
@pytest.mark.parametrize(
    ("head", "text", "expected"),
    [
        # The default font, also after a paragraph takes the font of its letters back.
        (rb"\ansi\ansicpg1252\deff0" + _FONTS, _HELLO, "Привет"),
        (rb"\ansi\ansicpg1252\deff0" + _FONTS, rb"\f1 \'e9 \plain " + _HELLO, "é Привет"),
        (rb"\ansi\ansicpg1252\deff0" + _FONTS, rb"{\f1 \'e9} " + _HELLO, "é Привет"),
        # Without one, the code page of the file.
        (rb"\ansi\ansicpg1251" + _FONTS, _HELLO, "Привет"),
        (rb"\ansi", rb"\'e9", "é"),
        # The character set of a font, which may be the file's.
        (rb"\ansi\ansicpg949\deff0" + _FONTS, rb"\f1 \'e9", "é"),
        (rb"\ansi\ansicpg1251\deff1" + _FONTS, rb"\f2 " + _HELLO, "Привет"),
        (rb"\ansi\ansicpg1251\deff1" + _FONTS, rb"\f3 " + _HELLO, "Привет"),
        (rb"\ansi{\fonttbl{\f0\cpg1251 Arial;}}", rb"\f0 " + _HELLO, "Привет"),
        (rb"\ansi\deff5{\fonttbl{\f5\fcharset89 Geneva;}}", rb"\'80", "А"),
        # Files of other systems.
        (rb"\mac", rb"\'8e", "é"),
        (rb"\pc", rb"\'82", "é"),
        (rb"\pca", rb"\'9b", "ø"),
        (rb"\mac\ansicpg10007", rb"\'80", "А"),
        # A code page that nobody knows is none.
        (rb"\ansi\ansicpg4711\deff0{\fonttbl{\f0\fcharset99 A;}}", rb"\'e9", "é"),
    ],
)
def test_letters_are_those_of_their_font(head: bytes, text: bytes, expected: str) -> None:
    assert _read(head, text) == expected
