"""Widgets that show the blocks of an answer: prose rendered from Markdown, and code as it is written."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextListFormat,
    QTextOption,
    QTextTable,
    QTextTableFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.chat.highlight import highlight

_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADING_SCALE = {1: 1.4, 2: 1.25, 3: 1.1}
_LINE_HEIGHT = 1.5
_PARAGRAPH_SPACE = 12


class _ClosedDocument(QTextDocument):
    """A document that fetches nothing, whatever its text refers to."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: ARG002
        return None


class Prose(QTextBrowser):
    """Read-only rendered Markdown, as high as its text. `link_chosen` carries the address of a clicked link."""

    link_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("prose")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDocument(_ClosedDocument(self))
        self.document().setDocumentMargin(0)
        self.document().setUndoRedoEnabled(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setOpenLinks(False)
        self.anchorClicked.connect(lambda url: self.link_chosen.emit(url.toString()))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._markdown = ""

    @property
    def markdown(self) -> str:
        return self._markdown

    def show_markdown(self, text: str) -> None:
        if text == self._markdown:
            return
        self._markdown = text
        # Before its first showing a widget has the application's font; the style sheet's comes with the polish.
        self.ensurePolished()
        document = self.document()
        document.setMarkdown(text, _MARKDOWN)
        _space(document, self.font())
        self._fit()

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: ARG002
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self._markdown:
            text, self._markdown = self._markdown, ""
            self.show_markdown(text)

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(max(1, math.ceil(self.document().size().height())))


def _space(document: QTextDocument, font: QFont) -> None:
    """Line height, room between blocks, calm headings, and lists that do not stand far out."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block, line_height = document.begin(), _LINE_HEIGHT * font.pixelSize()
    while block.isValid():
        cursor.setPosition(block.position())
        style = QTextBlockFormat(block.blockFormat())
        style.setLineHeight(line_height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        in_table = cursor.currentTable() is not None
        last = not block.next().isValid()
        in_list = block.textList() is not None
        style.setTopMargin(0)
        below = 4 if in_list and block.next().textList() else _PARAGRAPH_SPACE
        style.setBottomMargin(0 if last or in_table else below)
        level = style.headingLevel()
        if level:
            style.setTopMargin(0 if block == document.begin() else 8)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            heading = cursor.charFormat()
            heading.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
            heading.setProperty(
                QTextFormat.Property.FontPixelSize, round(font.pixelSize() * _HEADING_SCALE.get(level, 1.0))
            )
            heading.setFontWeight(QFont.Weight.DemiBold)
            cursor.mergeCharFormat(heading)
            cursor.setPosition(block.position())
        cursor.setBlockFormat(style)
        block = block.next()
    _indent_lists(document)
    _draw_tables(document)
    cursor.endEditBlock()


def _indent_lists(document: QTextDocument) -> None:
    document.setIndentWidth(24)
    block = document.begin()
    while block.isValid():
        text_list = block.textList()
        if text_list is not None and text_list.itemNumber(block) == 0:
            style = QTextListFormat(text_list.format())
            if style.indent() < 1:
                style.setIndent(1)
                text_list.setFormat(style)
        block = block.next()


def _draw_tables(document: QTextDocument) -> None:
    """One thin line between cells, with air around the text."""
    for frame in document.rootFrame().childFrames():
        if not isinstance(frame, QTextTable):
            continue
        style = QTextTableFormat(frame.format())
        style.setBorderCollapse(True)
        style.setBorder(1)
        style.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        style.setBorderBrush(QColor(theme.colours().line))
        style.setCellSpacing(0)
        style.setCellPadding(6)
        style.setTopMargin(4)
        style.setBottomMargin(_PARAGRAPH_SPACE)
        frame.setFormat(style)


class CodeBlock(QFrame):
    """A code block with its language and a button that copies it. Long lines scroll sideways."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("codeBlock")
        self._text, self._language = "", ""
        header = QFrame(self)
        header.setObjectName("codeHeader")
        self._name = QLabel(header)
        self._name.setProperty("look", "muted")
        self._copy = QPushButton(header)
        self._copy.setProperty("look", "small")
        self._copy.clicked.connect(self._copy_text)
        row = QHBoxLayout(header)
        row.setContentsMargins(12, 2, 4, 2)
        row.addWidget(self._name, 1)
        row.addWidget(self._copy)
        self._view = _CodeView(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self._view)
        self.retranslate()

    @property
    def text(self) -> str:
        return self._text

    def show_code(self, text: str, language: str, closed: bool) -> None:
        """Show what there is of a block; it is coloured once it is `closed`."""
        self._language = language
        self._name.setText(language or self.tr("code"))
        if text != self._text:
            if text.startswith(self._text):
                self._view.append_text(text[len(self._text) :])
            else:
                self._view.setPlainText(text)
            self._text = text
            self._view.fit()
        if closed:
            highlight(self._view.document(), self._text, self._language)

    def retranslate(self) -> None:
        self._copy.setText(self.tr("Copy"))
        self._copy.setAccessibleName(self.tr("Copy this code"))
        self._view.setAccessibleName(self.tr("Code"))
        if not self._language:
            self._name.setText(self.tr("code"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            highlight(self._view.document(), self._text, self._language)

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self._copy.setText(self.tr("Copied"))


class _CodeView(QPlainTextEdit):
    """Read-only code, as high as it is long."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("code")
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(12)

    def append_text(self, text: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def fit(self) -> None:
        lines = max(1, self.blockCount() - (0 if self.document().lastBlock().text() else 1))
        bar = self.horizontalScrollBar().sizeHint().height() if self.horizontalScrollBar().maximum() else 0
        margins = 2 * math.ceil(self.document().documentMargin())
        self.setFixedHeight(
            math.ceil(lines * self.blockBoundingRect(self.firstVisibleBlock()).height()) + margins + bar
        )

    def wheelEvent(self, event: QWheelEvent) -> None:
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())
