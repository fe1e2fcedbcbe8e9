"""The text of mails and web archives that are mails (MHTML): headers, body, and attachments."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborHTMLParser

from engine.documents.archives.attached_files import AttachedFiles, ReadInner
from engine.documents.pages.flowed_text import joined_lines
from engine.documents.pages.web_page import decoded_as, decoded_page, read_page
from engine.documents.text.marked_text import MarkedText

if TYPE_CHECKING:
    from email.message import Message

# The line before each mail of a mailbox; in mails, lines that look like it begin with ">".
_BEGINS_MAIL = re.compile(rb"(?:\A|\r?\n\r?\n)From [^\r\n]*\r?\n(?=[A-Za-z][\w-]*:)")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
# What Mail on a Mac writes after a mail, and the longest line with a length before it.
_MARKS = re.compile(rb"\s*<(?:\?xml|!DOCTYPE plist|plist)\b")
_LONGEST_LENGTH = 12
# Texts with less of the words of their page are stubs: "Open this message in a browser", and perhaps its first lines.
_LEAST_OF_PAGE = 0.5
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")
_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def read_mail(data: bytes, text: MarkedText, read_inner: ReadInner) -> None:
    """Add a mail, with those that it forwards. `read_inner` reads files that are attached."""
    _read_mail(data, text, AttachedFiles(text, read_inner))


def read_mails(data: bytes, text: MarkedText, read_inner: ReadInner) -> None:
    """Add the mails of a mailbox, each of which begins after a line "From ..."."""
    attached = AttachedFiles(text, read_inner)
    for mail in _BEGINS_MAIL.split(data):
        if mail.strip():
            _read_mail(_QUOTED_FROM.sub(rb"\1", mail), text, attached)


def _read_mail(data: bytes, text: MarkedText, attached: AttachedFiles) -> None:
    # Imported here because few files are mails.
    from email import message_from_bytes

    mail = message_from_bytes(_without_marks(data))
    _add_headers(mail, text)
    _add_part(mail, text, attached)
    text.finish()


def _without_marks(data: bytes) -> bytes:
    """Return a mail without what Mail on a Mac adds: its length first, and marks last.

    Where no marks follow the bytes that it should have, the length is wrong, and all belongs to the mail.
    """
    first_line, _, mail = data.partition(b"\n")
    if not first_line.strip().isdigit() or len(first_line) > _LONGEST_LENGTH:
        return data
    length = int(first_line)
    return mail[:length] if _MARKS.match(mail, length) else mail


def _add_headers(mail: Message, text: MarkedText) -> None:
    given = {name.lower(): str(value) for name, value in mail.raw_items()}
    lines = (f"{name}: {_header(given[name.lower()])}" for name in _HEADERS if name.lower() in given)
    text.add_blocks("\n".join(lines))


def _add_part(part: Message, text: MarkedText, attached: AttachedFiles) -> None:
    """Add a mail or a part of it: its text, the parts in it, or the file that it attaches."""
    kind = part.get_content_type()
    content: Any = part.get_payload()
    if isinstance(content, list):
        for inner in _shown_parts(kind, content):
            if kind == "message/rfc822":
                _add_headers(inner, text)
            _add_part(inner, text, attached)
        return
    name = _header(part.get_filename() or "")
    # A damaged mail may call a part multipart that has none; what it says is text.
    is_text = part.get_content_maintype() in ("text", "multipart")
    if name or _is_attachment(part) or not is_text:
        attached.add(name or kind, partial(_bytes_of, part))
    elif kind == "text/html":
        read_page(_text_of(part).encode("utf-8", "replace"), text)
    else:
        words = _text_of(part).replace("\r\n", "\n")
        if str(part.get_param("format", "")).lower() == "flowed":
            words = joined_lines(words, deletes_spaces=str(part.get_param("delsp", "")).lower() == "yes")
        text.add_blocks(words)


def _shown_parts(kind: str, parts: list[Message]) -> list[Message]:
    """Return which of the parts in one of a kind are read: one of alternatives, with the attachments of the others."""
    if not parts or kind not in ("multipart/alternative", "multipart/related"):
        return parts
    # What is beside a page are its pictures.
    shown = parts[0]
    if kind == "multipart/alternative":
        # Plain text rather than a page, which comes last, if it says the same.
        texts = [part for part in parts if part.get_content_type() == "text/plain" and _text_of(part).strip()]
        pages = [inner for inner in parts[-1].walk() if inner.get_content_type() == "text/html"]
        is_stub = bool(texts and pages) and _is_stub(_text_of(texts[0]), _text_of(pages[0]))
        shown = texts[0] if texts and not is_stub else parts[-1]
    others = (inner for part in parts if part is not shown for inner in part.walk())
    return [shown, *filter(_is_attachment, others)]


def _is_stub(plain: str, page: str) -> bool:
    """Return whether a plain text lacks most of the words of the page beside it, and only says that there is one."""
    tree = LexborHTMLParser(page)
    tree.strip_tags(["head", "script", "style"])
    words_of_page = _words_in(tree.text(separator=" "))
    return len(words_of_page & _words_in(plain)) < len(words_of_page) * _LEAST_OF_PAGE


def _words_in(text: str) -> set[str]:
    """Return the words of a text in small letters; in scripts without spaces between words, its characters."""
    return set(_WORD.findall(text.casefold()))


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def _text_of(part: Message) -> str:
    content = _bytes_of(part)
    return _decoded(content, part.get_content_charset("")) if content else ""


def _bytes_of(part: Message) -> bytes:
    """Return the content of a part; nothing of one that has parts itself."""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _header(value: str) -> str:
    """Return a header in letters."""
    from email.header import decode_header

    words = ""
    for content, label in decode_header(_decoded(value.encode("utf-8", "surrogateescape"), "")):
        if isinstance(content, bytes):
            content = _decoded(content, label) if label else content.decode("raw-unicode-escape")
        words += content
    return " ".join(words.split())


def _decoded(content: bytes, label: str) -> str:
    """Decode text in the encoding that has a label; if there is none, as it says itself, else by a guess."""
    text = decoded_as(content, label)
    if text is not None:
        return text
    decoded = decoded_page(content)
    return content.decode("latin-1") if decoded is None else decoded.text
