"""Outputs are read as a terminal shows them in the end."""

from __future__ import annotations

import pytest

from engine.documents.pages.terminal_text import shown_in_terminal


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("a\tb\n\n  c  \n", "a\tb\n\n  c  \n"),
        ("10%\r20%", "20%"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("long line\rshort", "shortline"),
        ("long line\rshort    ", "short"),
        ("abc\b\bX", "aXc"),
        ("\b\bab", "ab"),
        # Colours, and codes that show nothing.
        ("\x1b[31;1mred\x1b[0m \x1b[38;2;1;2;3mx\x1b[m", "red x"),
        ("\x1b[?25lhidden cursor\x1b[?25h\x1b(B\x1b7\x1b8\x1b=", "hidden cursor"),
        ("bell\x07 and\x00 nothing\x7f", "bell and nothing"),
        # Links and titles end with a bell or with ESC \.
        ("\x1b]8;;https://example.com\x07link\x1b]8;;\x07", "link"),
        ("\x1b]0;title\x1b\\text", "text"),
        ("\x1b]0;never ends\ntext", "\ntext"),
        # The cursor.
        ("one\ntwo\x1b[1A\r\x1b[2KONE\nTWO", "ONE\nTWO"),
        ("one\ntwo\x1b[F\x1b[Kx", "x\ntwo"),
        ("one\ntwo\x1b[9AX", "oneX\ntwo"),
        ("one\n\x1b[A\x1b[2CX\x1b[EY", "onX\nY"),
        ("one\x1b[1GX\x1b[3DY\x1b[5GZ", "Yne Z"),
        ("a\nb\nc\x1b[HX\x1b[2;2fY", "X\nbY\nc"),
        # Erasing.
        ("abcdef\x1b[3D\x1b[K", "abc"),
        ("abcdef\x1b[3D\x1b[1KX", "   Xef"),
        ("a\nb\nc\x1b[2A\x1b[J", "a"),
        ("a\nb\nc\x1b[1Jd", "\n\n d"),
        ("10%\x1b[2J\x1b[H20%", "20%"),
        # Numbers that no terminal has.
        ("a\x1b[999999999CX", f"a{' ' * 999}X"),
        ("a\n\x1b[99999999999999999999BX", "a\nX"),
        ("a\x1b[999999;999999HX", f"a{' ' * 999}X"),
        ("half a code\x1b", "half a code"),
        ("half a code\x1b[3", "half a code3"),
    ],
)
def test_an_output_is_as_a_terminal_shows_it(output: str, shown: str) -> None:
    assert shown_in_terminal(output) == shown
