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


def _mail_of(content_type: str, content: str) -> str:
    data = f"Subject: x\r\nContent-Type: {content_type}\r\n\r\n{content}".encode()
    return document_text("a.eml", data, 1000).text.removeprefix("Subject: x\n\n")


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/plain; charset=utf-8; format=flowed; delsp=yes", "1,200 EUR"),
        ('text/plain; charset=utf-8; Format="Flowed"', "1,2 00 EUR"),
        ("text/plain; charset=utf-8", "1,2 \n00 EUR"),
    ],
)
def test_lines_are_joined_where_the_mail_says_so(content_type: str, expected: str) -> None:
    assert _mail_of(content_type, "1,2 \r\n00 EUR\r\n") == expected


def _alternatives(plain: str, page: str) -> str:
    parts = f"--B\r\nContent-Type: text/plain\r\n\r\n{plain}\r\n--B\r\nContent-Type: text/html\r\n\r\n{page}\r\n--B--"
    return _mail_of('multipart/alternative; boundary="B"', parts)


@pytest.mark.parametrize(
    "plain",
    [
        "Your mail program does not show HTML. Open this message in a browser: https://example.com/v/1",
        "Order 4711 - view it online",
        "x",
    ],
)
def test_the_page_is_read_where_the_plain_text_is_only_a_stub(plain: str) -> None:
    page = "<style>p { color: red }</style><h1>Order 4711</h1><p>Total: 89.90 EUR, delivery on 3 December.</p>"
    assert _alternatives(plain, page) == "# Order 4711\n\nTotal: 89.90 EUR, delivery on 3 December."


@pytest.mark.parametrize(
    ("plain", "page"),
    [
        ("ORDER 4711\r\nTotal: 89.90 EUR", "<h1>Order 4711</h1><p>Total: 89.90 EUR</p>"),
        ("Order 4711, total 89.90", "<h1>Order 4711</h1><p>Total 89.90</p><p>Unsubscribe</p>"),
        ("会議は来週の\r\n水曜日です", "<h1>会議は来週の水曜日です</h1>"),
        ("Only this", "<img src=x>"),
    ],
)
def test_the_plain_text_is_read_where_it_says_the_same(plain: str, page: str) -> None:
    assert _alternatives(plain, page) == plain.replace("\r\n", "\n")
