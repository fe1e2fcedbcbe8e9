"""The text of mails and web archives that are mails (MHTML): headers, body, and the names of attachments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    mail = message_from_bytes(rest[: int(first)] if first.strip().isdigit() and len(first) < 12 else data)
    _add_headers(mail, text)
    _add_part(mail, text)
    text.finish()


def _add_headers(mail: Message, text: MarkedText) -> None:
    given = {name.lower(): str(value) for name, value in mail.raw_items()}
    text.add_blocks("\n".join(f"{name}: {_header(given[name.lower()])}" for name in _HEADERS if name.lower() in given))


def _add_part(part: Message, text: MarkedText) -> None:
    kind = part.get_content_type()
    name = _header(part.get_filename() or "")
    within: Any = part.get_payload()
    is_attached = part.get_content_disposition() == "attachment"
    if isinstance(within, list):
        if within and kind in ("multipart/alternative", "multipart/related"):
            # Plain text, if it has any, before a page; beside a page are its pictures.
            plain = (one for one in within if one.get_content_type() == "text/plain" and _text_of(one).strip())
            shown = next(plain, within[-1]) if kind == "multipart/alternative" else within[0]
            others = (one for other in within if other is not shown for one in other.walk())
            within = [shown, *(one for one in others if one.get_content_disposition() == "attachment")]
        for one in within:
            if kind == "message/rfc822":
                _add_headers(one, text)
            _add_part(one, text)
    elif name or is_attached or part.get_content_maintype() not in ("text", "multipart"):
        text.add_blocks(f"[Attachment: {name or kind}]")
    elif kind == "text/html":
        read_page(_text_of(part).encode("utf-8", "replace"), text)
    else:
        text.add_blocks(_text_of(part).replace("\r\n", "\n"))


def _text_of(part: Message) -> str:
    content = part.get_payload(decode=True)
    return _decoded(content, part.get_content_charset("")) if isinstance(content, bytes) else ""


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
    declared = decoded_as(content, label)
    found = decoded_page(content) if declared is None else (declared, "")
    return content.decode("latin-1") if found is None else found[0]
