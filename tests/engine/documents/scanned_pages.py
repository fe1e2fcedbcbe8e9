"""PDF files with pages that are pictures, as they are read."""

from __future__ import annotations

import io

from PIL import Image

from engine.documents.document import DocumentText, document_text
from tests.app.pdf_files import pdf


def scanned(*sizes: tuple[int, int], words: str = "Read.", rotation: int = 0) -> DocumentText:
    """Return what is read of a file with a page of words, and one for each picture of such a size."""
    writer = pdf(words)
    for size in sizes:
        Image.new("RGB", size).save(file := io.BytesIO(), "PDF")
        file.seek(0)
        writer.append(file)
        writer.pages[-1].rotate(rotation)
    writer.write(file := io.BytesIO())
    return document_text("a.pdf", file.getvalue(), 10_000)
