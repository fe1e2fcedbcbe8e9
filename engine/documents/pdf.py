"""The text of PDF files, page by page."""

from __future__ import annotations

import logging
from io import BytesIO

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import Encrypted


def read_pdf(data: bytes, text: MarkedText) -> None:
    """Add the text of each page."""
    from pypdf import PdfReader

    # pypdf's warnings are noise here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%%EOF" not in data[-2048:]:
        # pypdf looks for the objects themselves where the end has no address of their table.
        data += b"\nstartxref\n0\n%%EOF\n"
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Encrypted
    for page in reader.pages:
        text.add(page.extract_text())
        text.end_block()
