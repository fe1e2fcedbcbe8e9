"""Mails are read whole."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

_MAIL = b"Subject: a\n\nfirst line\nlast line"
_MARKS = b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist>\n<plist version="1.0"></plist>\n'


@pytest.mark.parametrize("between", [b"", b"\n", b"\r\n"])
def test_the_marks_of_mail_on_a_mac_are_no_text(between: bytes) -> None:
    data = b"%d      \n%s%s%s" % (len(_MAIL), _MAIL, between, _MARKS)
    assert document_text("a.emlx", data, 1000).text == "Subject: a\n\nfirst line\nlast line"


@pytest.mark.parametrize("length", [0, 1, 11, 20, len(_MAIL) - 1])
@pytest.mark.parametrize("marks", [b"", _MARKS])
def test_a_mail_whose_length_is_said_to_be_less_is_read_to_its_end(length: int, marks: bytes) -> None:
    text = document_text("a.emlx", b"%d\n%s\n%s" % (length, _MAIL, marks), 1000).text
    assert text.startswith("Subject: a\n\nfirst line\nlast line")


@pytest.mark.parametrize("length", [len(_MAIL) + 1, 99_999_999_999])
def test_a_mail_whose_length_is_said_to_be_more_is_read(length: int) -> None:
    assert document_text("a.emlx", b"%d\n%s" % (length, _MAIL), 1000).text == "Subject: a\n\nfirst line\nlast line"
