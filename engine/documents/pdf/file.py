"""Opens PDF files by PDFium, which also finds its way in files whose table of objects is missing or wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.documents.text.damaged_parts import Encrypted

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


def open_pdf(data: bytes) -> PdfDocument:
    """Open a PDF file and its form: pages that are loaded from it have fields. The caller closes it.

    PDFium is not thread-safe. Scripts in the file do not run. Raises `Encrypted` for a file that needs a password or a
    certificate, and `PdfiumError` for one that is damaged.
    """
    from pypdfium2 import PdfDocument, PdfFormEnv, PdfiumError
    from pypdfium2.raw import (
        FPDF_ERR_PASSWORD,
        FPDF_ERR_SECURITY,
        FPDF_FORMFILLINFO,
        FPDFDOC_InitFormFillEnvironment,
    )

    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
            raise Encrypted from None
        raise
    # pypdfium2 passes over files without a list of fields. Programs that merge files lose it, but not the fields.
    callbacks = FPDF_FORMFILLINFO(version=2)
    document.formenv = PdfFormEnv(FPDFDOC_InitFormFillEnvironment(document, callbacks), callbacks)
    return document


def text_from(function: Callable[..., int], *arguments: object) -> str:
    """Return the text that a function of PDFium gives in UTF-16: it takes the arguments, a buffer and its bytes."""
    from pypdfium2.raw import FPDF_WCHAR

    size = function(*arguments, None, 0)
    # A text of an odd number of bytes is damaged.
    buffer = (FPDF_WCHAR * (size // 2 + 1))()
    function(*arguments, buffer, size)
    return bytes(buffer)[:size].decode("utf-16-le", "replace").partition("\0")[0]
