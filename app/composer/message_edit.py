"""The message box, and the editor of a question. Enter sends, but belongs to an input method while one composes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QResizeEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from app.widgets.keys import ENTER, is_escape
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import round_field_menu
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware

_MAX_LINES = 10


class MessageEdit(QPlainTextEdit):
    """A field for plain text that grows from one to _MAX_LINES lines.

    `submitted` is emitted on Enter (with Command or Ctrl if `send_key` is "modifier"), `edited` after every change of
    the text or of the text being composed, and `escaped` on Esc. `picture_given` carries the QImage of a pasted or
    dropped picture that is not a file; `files_given` the paths of pasted or dropped files. The Up key in an empty box
    recalls earlier messages, which `history` returns, oldest first.

    While an input method composes, every key belongs to it: Enter confirms a candidate and never sends. The text layout
    tells whether it composes, because `clear()` ends a composition without any event.
    """

    submitted = Signal()
    edited = Signal()
    files_given = Signal(list)
    picture_given = Signal(object)
    escaped = Signal()
    send_key = "enter"

    def __init__(self, parent: QWidget | None = None, shrinks: bool = False) -> None:
        """`shrinks`: may be as low as one line if the layout has too little height."""
        super().__init__(parent)
        round_field_menu(self)
        self._shrinks = shrinks
        self._height = 0
        self.history: Callable[[], Sequence[str]] = lambda: ()
        self._recalled = 0
        self.setObjectName("composer")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.document().setDocumentMargin(2)
        self.document().contentsChanged.connect(self._changed)
        self._fit()

    def _changed(self) -> None:
        self._fit()
        self.edited.emit()

    def preedit(self) -> str:
        """Return the text that an input method is composing; "" if there is none."""
        block = self.textCursor().block()
        # While a document changes, its cursor may be in no block.
        return block.layout().preeditAreaText() if block.isValid() else ""

    def clear_and_return(self) -> str:
        """Commit the text being composed, then return the whole text and clear the box."""
        self.commit_preedit()
        text = self.toPlainText()
        # `clear` would also drop the undo history.
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        QGuiApplication.inputMethod().reset()
        return text

    def show_document(self, document: QTextDocument) -> None:
        """Edit a document, with its undo history."""
        self.document().contentsChanged.disconnect(self._changed)
        # The text size may have changed since the document was last shown.
        document.setDefaultFont(self.font())
        self.setDocument(document)
        document.contentsChanged.connect(self._changed)
        self._changed()

    def new_document(self, text: str) -> QTextDocument:
        """Return a document for `show_document`, owned by the box."""
        document = QTextDocument(self)
        document.setDocumentLayout(QPlainTextDocumentLayout(document))
        document.setDefaultFont(self.document().defaultFont())
        document.setDocumentMargin(2)
        document.setPlainText(text)
        document.clearUndoRedoStacks()
        return document

    def commit_preedit(self) -> None:
        pending = self.preedit()
        if not pending:
            return
        QGuiApplication.inputMethod().commit()
        if self.preedit():
            # The platform did not commit the text. The reset in `clear_and_return` drops its copy.
            event = QInputMethodEvent()
            event.setCommitString(pending)
            self.inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        none = Qt.KeyboardModifier.NoModifier
        to_send = none if self.send_key == "enter" else Qt.KeyboardModifier.ControlModifier
        if event.key() in ENTER and modifiers == to_send:
            event.accept()
            # While composing, the key belongs to the input method and must neither send nor add a line.
            if not self.preedit():
                self.submitted.emit()
            return
        if event.key() == Qt.Key.Key_Escape and modifiers == none and not self.preedit():
            self.escaped.emit()
        up = event.key() == Qt.Key.Key_Up
        if (up or event.key() == Qt.Key.Key_Down) and modifiers == none and self._recall(up):
            return
        super().keyPressEvent(event)

    def _recall(self, older: bool) -> bool:
        """Step through earlier messages, from an empty box or an unchanged recalled message. Returns whether it did."""
        earlier = self.history()
        text = self.toPlainText()
        inside = 0 < self._recalled <= len(earlier) and text == earlier[-self._recalled]
        if self.preedit() or not (inside or (older and not text)):
            return False
        wanted = (self._recalled if inside else 0) + (1 if older else -1)
        if wanted > len(earlier):
            return True
        self._recalled = wanted
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(earlier[-wanted] if wanted else "")
        self.moveCursor(QTextCursor.MoveOperation.End)
        return True

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(files_in(source)) or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := files_in(source):
            self.files_given.emit(files)
        elif source.hasImage() and not source.hasFormat("text/plain"):
            self.picture_given.emit(source.imageData())
        else:
            super().insertFromMimeData(source)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        super().inputMethodEvent(event)
        self._fit()
        self.edited.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()
        else:
            self._show_bar()
            self.ensureCursorVisible()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height)

    def _fit(self) -> None:
        margins = 2 * math.ceil(self.document().documentMargin()) + 2
        line = self.fontMetrics().lineSpacing()
        height = margins + max(line, math.ceil(self._height_of_lines()))
        if height != self._height:
            self._height = height
            self.setMinimumHeight(margins + line if self._shrinks else height)
            self.setMaximumHeight(height)
            # Otherwise the text would first scroll to show a line that does not fit yet.
            self.resize(self.width(), height)
            self.updateGeometry()
        self._show_bar()

    def _height_of_lines(self) -> float:
        """Return the height in pixels of the first _MAX_LINES lines, which differs between scripts."""
        height = 0.0
        left = _MAX_LINES
        block = self.document().begin()
        while block.isValid() and left:
            # This lays out the block.
            self.document().documentLayout().blockBoundingRect(block)
            layout = block.layout()
            lines = min(left, layout.lineCount())
            height += sum(layout.lineAt(number).height() for number in range(lines))
            left = left - lines
            block = block.next()
        return height

    def _show_bar(self) -> None:
        fits = self.document().size().height() <= _MAX_LINES and self.height() >= self._height
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)


def trimmed(text: str) -> str:
    """Strip empty lines around a message. The first of several lines keeps its indent, because it may be code."""
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        del lines[0]
    return "\n".join(lines) if len(lines) > 1 else lines[0].strip()


def files_in(source: QMimeData) -> list[str]:
    """Return the paths of the files that were copied or dragged."""
    return [url.toLocalFile() for url in source.urls() if url.isLocalFile()]


_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class QuestionEditor(ThemeAware, QFrame):
    """The editor of a question. `submitted` carries the new text; Esc and a button emit `cancelled`.

    `send_key` is the key that sends in the message box; `needs_text` is False for a question with files.
    """

    submitted = Signal(str)
    cancelled = Signal()

    def __init__(
        self, text: str, send_key: str = "enter", needs_text: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._needs_text = needs_text
        self.setObjectName("composerCard")
        self.edit = self.bound("Edit the message", MessageEdit(self), QWidget.setAccessibleName)
        self.edit.send_key = send_key
        self.edit.setPlainText(text)
        send = self.bound("Send", styled(QPushButton(self), "accent"))
        cancel = self.bound("Cancel", styled(QPushButton(self), "button"))
        self.buttons = fill(hbox(spacing=8), 1, cancel, send)
        self.column = fill(vbox(self, margins=(14, 12, 12, 10), spacing=8), self.edit, self.buttons)
        self.edit.submitted.connect(self._submit)
        send.clicked.connect(self._submit)
        cancel.clicked.connect(self.cancelled)
        self.setFocusProxy(self.edit)
        self.restyle()

    def _submit(self) -> None:
        self.edit.commit_preedit()
        text = trimmed(self.edit.toPlainText())
        if text or not self._needs_text:
            self.submitted.emit(text)

    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return super().event(event)
        sends = event.key() in ENTER and event.modifiers() & ~_KEYPAD == Qt.KeyboardModifier.ControlModifier
        if (is_escape(event) or sends) and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer, or sends the text in the message box, gets the key.
            event.accept()
            return True
        if (is_escape(event) or sends) and event.type() == QEvent.Type.KeyPress:
            if self.edit.preedit():
                # The key belongs to the input method.
                event.accept()
            elif sends:
                self._submit()
            else:
                self.cancelled.emit()
            return True
        return super().event(event)
