"""Prints a chat on paper, or writes it as PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF
from PySide6.QtGui import QFont, QFontDatabase, QPageLayout, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QWidget

from app.session.chats import Chat
from app.widgets.colours import light
from app.window.chat_parts.printed_formulas import PrintedFormulas
from app.wording.tools import call_sentence, tool_name

# Points, and millimetres around the text of a page.
_FONT_SIZE = 10
_PAGE_MARGINS = QMarginsF(18, 18, 18, 18)
_STYLES = (
    "pre, .typed { white-space: pre-wrap } pre, code, kbd { font-family: '%s' } table { border-collapse: collapse }"
    " .markdown-alert-title { font-weight: bold } .title { font-size: 24pt }"
    " .typed { background-color: %s }"
)
# The number of a note, which would be a line of its own.
_NUMBERED_NOTE = re.compile(r"(<sup>[^<]*</sup>)\n<p>")
# Qt does not know folds: paper shows what is in them.
_FOLDS = (("<summary>", "<p><b>"), ("</summary>", "</b></p>"))


def chat_document(chat: Chat) -> QTextDocument:
    """Return the chat as a document: title, questions in bold, answers as rendered Markdown without thoughts.

    Formulas are typeset. An answer's calls of tools follow it, each with its arguments and its result, or the reason
    why it has none.
    """
    # Imports a parser, which only the first printed chat needs.
    from app.conversations.exports.rendering import code_styles

    document = QTextDocument()
    formulas = PrintedFormulas(document, _FONT_SIZE)
    font = QFont()
    font.setPointSize(_FONT_SIZE)
    document.setDefaultFont(font)
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    document.setDefaultStyleSheet(
        _STYLES % (fixed, light().sidebar) + code_styles(lambda role: str(getattr(light(), role)))
    )
    document.setHtml("\n".join(_parts(chat, formulas)))
    formulas.put_in(document)
    return document


def _parts(chat: Chat, formulas: PrintedFormulas) -> Iterator[str]:
    """Yield the paragraphs of the document in HTML."""
    from app.conversations.exports.rendering import as_html

    if chat.title:
        yield f'<p class="title"><b>{escape(chat.title)}</b></p>'
    for turn in chat.turns:
        for attachment in turn.attachments:
            yield f"<p>{escape(attachment.name)}</p>"
        if turn.question:
            yield f'<p class="typed"><b>{escape(turn.question)}</b></p>'
        for answer in turn.answers:
            page = as_html(answer.reply, formulas.html).replace("\n</code></pre>", "</code></pre>")
            page = _NUMBERED_NOTE.sub(r"<p>\1 ", page)
            for tag, known in (*_FOLDS, ("<table ", '<table border="1" cellpadding="4" ')):
                page = page.replace(tag, known)
            yield page
            for call in answer.calls:
                names = call.use.server, tool_name(call.use.server, call.use.tool)
                yield f"<p>{escape(' · '.join(dict.fromkeys(filter(None, names))))}</p>"
                for text in (call.use.arguments, call_sentence(call) or call.text):
                    if text.strip():
                        yield f"<pre>{escape(text.rstrip())}</pre>"


def print_chat(chat: Chat, window: QWidget) -> None:
    """Show the print dialog, then print."""
    # This import loads the system's printers, which would delay the window.
    from PySide6.QtPrintSupport import QPrintDialog, QPrinter

    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setDocName(chat.title)
    printer.setPageMargins(_PAGE_MARGINS, QPageLayout.Unit.Millimeter)
    dialog = QPrintDialog(printer, window)
    if dialog.exec() == QPrintDialog.DialogCode.Accepted:
        chat_document(chat).print_(printer)
    dialog.deleteLater()


def pdf_of(chat: Chat) -> bytes:
    """Return a chat as a PDF file. May be called on any thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(chat.title)
    writer.setPageMargins(_PAGE_MARGINS, QPageLayout.Unit.Millimeter)
    chat_document(chat).print_(writer)
    return bytes(buffer.data().data())
