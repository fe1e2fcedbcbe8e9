"""An answer as plain text, and as text to read aloud."""

from __future__ import annotations

import re

from PySide6.QtGui import QTextDocument

from app.chat.prose import read_into
from app.text.fences import FENCED_BLOCK
from app.text.formulas import with_formulas

_CODE = re.compile(rf"^[ \t]*{FENCED_BLOCK}", re.DOTALL | re.MULTILINE)
_LINE_END = re.compile(r"\r\n?")


def plain_text(markdown: str) -> str:
    """What a reader sees of Markdown, with formulas as LaTeX."""
    document = QTextDocument()
    formulas = read_into(document, markdown)
    return with_formulas(document.toPlainText(), formulas, lambda formula: formula.latex)


def spoken_text(markdown: str) -> str:
    """The same without code blocks, which nobody can follow by ear."""
    return plain_text(_CODE.sub("", _LINE_END.sub("\n", markdown))).strip()
