"""Files that go with a question: read as text, and counted in the main model's tokens. No Qt in here."""

from __future__ import annotations

import codecs
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.conversations.records import Attachment

# Longer texts fill any context and would only be refused later.
LARGEST_BYTES = 2 * 2**20
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class NotAttachable(Exception):
    """A file that cannot go along: `reason` is "not-text", "too-large" or "unreadable"."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name, self.reason = name, reason


def read_attachment(path: Path) -> Attachment:
    """A text or code file as an attachment. Raises NotAttachable. It waits for the disk: not for the Qt thread."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise NotAttachable(path.name, "too-large")
        content = path.read_bytes()
    except OSError as error:
        raise NotAttachable(path.name, "unreadable") from error
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise NotAttachable(path.name, "not-text") from error
    if "\0" in text:
        raise NotAttachable(path.name, "not-text")
    return Attachment(path.name, "text/plain", text)


def count_tokens(model: Path, text: str) -> int | None:
    """How many tokens of that model's the text is; None where its tokenizer cannot be asked."""
    tokenizer = _tokenizer(model / "tokenizer.json")
    return None if tokenizer is None else len(tokenizer.encode(text, add_special_tokens=False).ids)


@lru_cache(maxsize=1)
def _tokenizer(file: Path) -> Any:
    # Here and not at the top: it takes a while to come in, and most questions have no attachment.
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(file))
    # The library raises a bare Exception for whatever is wrong with the file.
    except Exception:
        return None
