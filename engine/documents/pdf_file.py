"""Opens PDF files by PDFium, which also finds its way in files whose table of objects is missing or wrong."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from engine.documents.zipped_parts import Encrypted

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


def open_pdf(data: bytes) -> PdfDocument:
    """Open a PDF file with its form, whose fields are read and drawn. The caller closes it.

    Pages are loaded after this, one thread at a time: PDFium is not thread-safe. Scripts in the file never run. Raises
    `Encrypted` for a file that needs a password or a certificate, and `PdfiumError` for one that is damaged.
    """
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    # It warns of forms that only Adobe's programs draw.
    logging.getLogger("pypdfium2").setLevel(logging.ERROR)
    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
            raise Encrypted from None
        raise
    document.init_forms()
    return document
