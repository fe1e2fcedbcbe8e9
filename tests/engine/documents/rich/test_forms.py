"""Boxes and lists of forms in RTF files are read as they are shown."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text


def field(kind: bytes, form: bytes, result: bytes = b"") -> bytes:
    return rb"A {\field{\*\fldinst { " + kind + rb" }{{\*\formfield{" + form + rb"}}}}{\fldrslt " + result + rb"}} b"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (field(b"FORMCHECKBOX", rb"\fftype1\ffres1\fftypetxt0\ffhps20{\*\ffname C}\ffdefres0"), "A ☒ b"),
        (field(b"FORMCHECKBOX", rb"\fftype1\ffres0\ffdefres1"), "A ☐ b"),
        (field(b"FORMCHECKBOX", rb"\fftype1\ffres25\ffdefres1"), "A ☒ b"),
        (field(b"FORMCHECKBOX", rb"\fftype1"), "A ☐ b"),
        (field(b"FORMDROPDOWN", rb"\fftype2\ffres1\ffhaslistbox1{\*\ffl Red}{\*\ffl Bl\'fc}"), "A Blü b"),
        (field(b"FORMDROPDOWN", rb"\fftype2\ffres25\ffdefres0{\*\ffl Red}{\*\ffl Blue}"), "A Red b"),
        (field(b"FORMDROPDOWN", rb"\fftype2\ffres1{\*\ffl Red}{\*\ffl Blue}", b"Blue"), "A Blue b"),
        (field(b"FORMDROPDOWN", rb"\fftype2\ffres9{\*\ffl Red}"), "A  b"),
        (field(b"FORMTEXT", rb"\fftype0{\*\ffname T}{\*\ffdeftext No}", b"Anna"), "A Anna b"),
        (rb"{\v " + field(b"FORMCHECKBOX", rb"\fftype1\ffres1") + b"}c", "c\n\n[Left out: 1 hidden passage]"),
        (rb"{\*\ffl x}" + field(b"PAGE", b"", b"7"), "A 7 b"),
    ],
)
def test_fields_of_forms_are_read_as_they_are_shown(content: bytes, text: str) -> None:
    assert document_text("a.rtf", rb"{\rtf1\ansi " + content + b"}", 2**20).text == text
