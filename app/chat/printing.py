"""Prints a chat on paper or to a PDF file: the system's dialog offers both."""

from __future__ import annotations

from PySide6.QtCore import QMarginsF
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QPageLayout,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QWidget

from app.chat.prose import level_cells
from app.session.chats import Chat
from app.text.qt_markdown import for_qt
from app.wording.tools import call_sentence, tool_name

# Points, and millimetres around the text of a page.
_FONT_SIZE, _MARGIN_MM = 10, 18
_SPACE = 12
# A new line in the same paragraph.
_LINE_BREAK = "\u2028"


def chat_document(chat: Chat) -> QTextDocument:
    """Return the chat as a document: title, questions in bold, answers as rendered Markdown without thoughts.

    An answer's calls of tools follow it, each with its arguments and its result, or the reason why it has none.
    """
    document = QTextDocument()
    font = QFont()
    font.setPointSize(_FONT_SIZE)
    document.setDefaultFont(font)
    cursor = QTextCursor(document)
    bold, fixed, spaced = QTextCharFormat(), QTextCharFormat(), QTextBlockFormat()
    fixed.setFontFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()])
    bold.setFontWeight(QFont.Weight.Bold)
    spaced.setTopMargin(_SPACE)
    if chat.title:
        cursor.insertText(chat.title, bold)
    for turn in chat.turns:
        for attachment in turn.attachments:
            cursor.insertBlock(spaced, QTextCharFormat())
            cursor.insertText(attachment.name)
        if turn.question:
            cursor.insertBlock(spaced, bold)
            cursor.insertText(turn.question, bold)
        for answer in turn.answers:
            if answer.reply.strip() or not answer.calls:
                _insert_markdown(cursor, spaced, for_qt(answer.reply))
            for call in answer.calls:
                cursor.insertBlock(spaced, QTextCharFormat())
                names = call.use.server, tool_name(call.use.server, call.use.tool)
                cursor.insertText(" · ".join(dict.fromkeys(filter(None, names))))
                for text in (call.use.arguments, call_sentence(call) or call.text):
                    if text.strip():
                        cursor.insertBlock(spaced, fixed)
                        cursor.insertText(text.rstrip().replace("\n", _LINE_BREAK), fixed)
    return document


def _insert_markdown(cursor: QTextCursor, spaced: QTextBlockFormat, markdown: str) -> None:
    cursor.insertBlock(spaced, QTextCharFormat())
    start = cursor.position()
    cursor.insertMarkdown(markdown)
    # Qt keeps each line of code whole, and so lets it run off the paper.
    cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
    wrapped = QTextBlockFormat()
    wrapped.setNonBreakableLines(False)
    cursor.mergeBlockFormat(wrapped)
    # Qt leaves the first block as it is, so that nothing separates a paragraph from the code or table below.
    cursor.setPosition(start)
    if not markdown.lstrip().startswith(("```", "~~~")):
        wrapped.setBottomMargin(_SPACE / 2)
        cursor.mergeBlockFormat(wrapped)
    level_cells(cursor.document())
    cursor.movePosition(QTextCursor.MoveOperation.End)


def print_chat(chat: Chat, window: QWidget) -> None:
    """Show the print dialog, then print."""
    # This import loads the system's printers, which would delay the window.
    from PySide6.QtPrintSupport import QPrintDialog, QPrinter

    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setDocName(chat.title)
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    printer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
    dialog = QPrintDialog(printer, window)
    if dialog.exec() == QPrintDialog.DialogCode.Accepted:
        chat_document(chat).print_(printer)
    dialog.deleteLater()
