"""The text of mails and web archives that are mails (MHTML): headers, body, and the names of attachments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.documents.encodings import decode
from engine.documents.marked_text import MarkedText
from engine.documents.web_page import decoded_as, decoded_page, read_page

if TYPE_CHECKING:
    from email.message import Message

_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def read_mail(data: bytes, text: MarkedText) -> None:
    """Add a mail, with those that it forwards."""
    # Imported here because few files are mails.
    from email import message_from_bytes

    first, _, rest = data.partition(b"\n")
    # Mail on a Mac writes the length first, and its own marks last.
    _add_mail(message_from_bytes(rest[: int(first)] if first.strip().isdigit() and len(first) < 12 else data), text)
    text.finish()


def _add_mail(mail: Message, text: MarkedText) -> None:
    given = {name.lower(): str(value) for name, value in mail.raw_items()}
    text.add("\n".join(f"{name}: {_header(given[name.lower()])}" for name in _HEADERS if name.lower() in given))
    text.end_block()
    _add_part(mail, text)


def _add_part(part: Message, text: MarkedText) -> None:
    kind = part.get_content_type()
    within: Any = part.get_payload()
    if isinstance(within, list):
        if kind == "multipart/alternative":
            within = [max(within, key=_worth)] if within else []
        elif kind == "multipart/related":
            # What follows the first are its pictures.
            within = within[:1] + [one for one in within[1:] if one.get_content_disposition() == "attachment"]
        for one in within:
            (_add_mail if kind == "message/rfc822" else _add_part)(one, text)
        return
    name = _header(part.get_filename() or "")
    if (
        name
        or part.get_content_disposition() == "attachment"
        or part.get_content_maintype() not in ("text", "multipart")
    ):
        text.add(f"[Attachment: {name or kind}]")
        text.end_block()
        return
    content = _text_of(part)
    if kind == "text/html":
        read_page(content.encode("utf-8", "replace"), text)
    else:
        text.add(content.replace("\r\n", "\n"))
        text.end_block()


def _worth(part: Message) -> int:
    """Return a rank for a form of a body: plain text, if it has any, before a page."""
    kind = part.get_content_type()
    if kind == "text/plain":
        return 3 if _text_of(part).strip() else 0
    return 2 if kind in ("text/html", "multipart/related", "multipart/mixed") else 1


def _text_of(part: Message) -> str:
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    declared = decoded_as(content, part.get_content_charset(""))
    if declared is None:
        read = decoded_page(content) if part.get_content_type() == "text/html" else decode(content)
        declared = read[0] if read else content.decode("latin-1")
    return declared


def _header(value: str) -> str:
    """Return a header in letters. A mail may name a character set that there is not, or none."""
    from email.header import decode_header

    plain = value.encode("utf-8", "surrogateescape")
    found = plain.decode("utf-8", "replace") if (read := decode(plain)) is None else read[0]
    words = ""
    for content, charset in decode_header(found):
        if isinstance(content, str):
            words += content
        elif charset is None:
            words += content.decode("raw-unicode-escape")
        else:
            words += decoded_as(content, charset) or content.decode("utf-8", "replace")
    return " ".join(words.split())
