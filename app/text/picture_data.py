"""The bytes of pictures: their formats, and the data URLs that carry them."""

from __future__ import annotations

import base64
import re

# The beginnings of the formats that models read. WebP has its name after four bytes of length.
_STARTS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF87a", "gif"), (b"GIF89a", "gif"))
_DATA_URL = re.compile(r"data:[^,;]*;base64,", re.IGNORECASE)


def kind_of_picture(content: bytes) -> str:
    """Return the format of a picture by its first bytes: "png", "jpeg", "gif", "webp", or "" for another file."""
    if content.startswith(b"RIFF") and content.startswith(b"WEBP", 8):
        return "webp"
    for start, kind in _STARTS:
        if content.startswith(start):
            return kind
    return ""


def picture_of_url(url: str) -> bytes | None:
    """Return the bytes in a data URL; None for an address, and for data that are not base64."""
    head = _DATA_URL.match(url)
    return None if head is None else picture_of_base64(url[head.end() :])


def picture_of_base64(text: str) -> bytes | None:
    """Return the decoded bytes; None for a text that is not base64."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        return None


def url_of_picture(content: bytes) -> str:
    """Return the data URL of a picture."""
    return f"data:image/{kind_of_picture(content)};base64,{base64.b64encode(content).decode()}"
