"""The text of PDF files."""

from __future__ import annotations

import logging
from io import BytesIO

from engine.documents.marked_text import TooLong
from engine.documents.zipped_parts import Encrypted


def pdf_text(data: bytes, most: int) -> str:
    """Return the text of all pages. Raises `Encrypted`, `TooLong` beyond `most` characters, and all that pypdf does."""
    from pypdf import PdfReader

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%%EOF" not in data[-2048:]:
        # pypdf looks for the objects themselves where the end has no address of their table.
        data += b"\nstartxref\n0\n%%EOF\n"
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Encrypted
    pages: list[str] = []
    length = 0
    for page in reader.pages:
        pages.append(page.extract_text().strip())
        length += len(pages[-1])
        if length > most:
            raise TooLong
    return "\n\n".join(page for page in pages if page)
