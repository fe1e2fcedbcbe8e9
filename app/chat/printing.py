"""Prints a chat on paper or to a PDF file: the system's dialog offers both."""

from __future__ import annotations

from PySide6.QtCore import QMarginsF
from PySide6.QtGui import QFont, QPageLayout, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QWidget

from app.session.chats import Chat
from app.text.qt_markdown import for_qt

# Points, and millimetres around the text of a page.
_FONT_SIZE, _MARGIN_MM = 10, 18
_SPACE = 12


def chat_document(chat: Chat) -> QTextDocument:
    """Return the chat as a document: title, questions in bold, answers as rendered Markdown without thoughts."""
    document = QTextDocument()
    font = QFont()
    font.setPointSize(_FONT_SIZE)
    document.setDefaultFont(font)
    cursor = QTextCursor(document)
    bold, spaced = QTextCharFormat(), QTextBlockFormat()
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
        cursor.insertBlock(spaced, QTextCharFormat())
        cursor.insertMarkdown(for_qt(turn.answer.reply))
        cursor.movePosition(QTextCursor.MoveOperation.End)
    return document


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
