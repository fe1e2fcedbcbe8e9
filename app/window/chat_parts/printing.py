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
    "pre, .typed { white-space: pre-wrap } pre, code, kbd { font-family: %s } table { border-collapse: collapse }"
    " .markdown-alert-title { font-weight: bold } .title { font-size: 24pt }"
    " .typed { background-color: %s }"
)
# The boxes of tasks.
_BOXES = ("☑ ", "☐ ")
# The number of a note, which would be a line of its own.
_NUMBERED_NOTE = re.compile(r"(<sup>[^<]*</sup>)\n<p>")
# What Qt lays out on paper, by the beginnings of tags that it does not know or does not show. Of its own margins it
# makes a hair's breadth there, but not of those of cells and lists.
_BOX = '<table width="100%%" cellspacing="0" cellpadding="%d" style="margin-top: 8px; margin-bottom: 8px"><tr>'
_QUOTE = _BOX % 0 + f'<td width="3" bgcolor="{light().line}"></td><td width="8"></td><td>'
_CODE = _BOX % 6 + f'<td bgcolor="{light().sidebar}" style="border: 1px solid {light().line}"><pre>'
_KNOWN_TAGS = {
    # Paper shows what is in folds.
    "<summary>": "<p><b>",
    "</summary>": "</b></p>",
    "<table ": '<table border="1" cellpadding="4" ',
    "<blockquote>": _QUOTE,
    "</blockquote>": "</td></tr></table>",
    "<pre>": _CODE,
    "</pre>": "</pre></td></tr></table>",
    "<dd>": '<ul style="list-style-type: none; margin: 0"><li>',
    "</dd>": "</li></ul>",
}
_KNOWN_TAG = re.compile("|".join(map(re.escape, _KNOWN_TAGS)))
_ALERT = re.compile(r"<blockquote [^>]*>")


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
    # Of the system's font, macOS does not let a style sheet find the name.
    families = (*QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families(), "Menlo", "Courier New")
    fixed = ", ".join(f"'{family}'" for family in families)
    document.setDefaultStyleSheet(
        _STYLES % (fixed, light().sidebar) + code_styles(lambda role: str(getattr(light(), role)))
    )
    document.setHtml("\n".join(_parts(chat, formulas)))
    formulas.put_in(document)
    _mark_tasks_once(document)
    return document


def _mark_tasks_once(document: QTextDocument) -> None:
    """Take the bullets from items of lists that begin with the box of a task."""
    block = document.begin()
    while block.isValid():
        items = block.textList()
        if items is not None and block.text().startswith(_BOXES):
            # The item stays indented.
            items.remove(block)
        block = block.next()


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
            page = _ALERT.sub("<blockquote>", _NUMBERED_NOTE.sub(r"<p>\1 ", page))
            yield _KNOWN_TAG.sub(lambda tag: _KNOWN_TAGS[tag[0]], page)
            for call in answer.calls:
                names = call.use.server, tool_name(call.use.server, call.use.tool)
                yield f"<p>{escape(' · '.join(dict.fromkeys(filter(None, names))))}</p>"
                for text in (call.use.arguments, call_sentence(call) or call.use.with_person_part(call.text)):
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
