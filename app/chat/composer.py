"""The message box: grows with its text, sends with Enter, and leaves Enter to an input method that is
composing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextDocumentLayout,
    QPlainTextEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.attachment_row import AttachmentRow
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel
from app.widgets.style_class import set_style_class

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.conversations.records import Attachment

_MAX_LINES = 10


class MessageEdit(QPlainTextEdit):
    """Plain text of one to _MAX_LINES lines. `submitted` is emitted when Enter asks to send (with Command or Ctrl where
    `send_key` is "modifier"), `edited` after every change of the text or of what is being composed, `files_given` with
    the paths of files that were pasted or dropped.

    The up key in an empty box brings back what was written before; `history` is where that comes from, oldest first.

    While an input method composes, every key belongs to it: Enter confirms a candidate and never sends.
    Whether it composes is read from the text layout each time, because `clear()` ends a composition without
    any event.
    """

    submitted = Signal()
    edited = Signal()
    files_given = Signal(list)
    send_key = "enter"

    def __init__(self, parent: QWidget | None = None, shrinks: bool = False) -> None:
        """`shrinks` down to one line, where the layout around it has too little room."""
        super().__init__(parent)
        self._shrinks, self._height = shrinks, 0
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
        """What an input method is composing and has not committed; "" when it is not."""
        return self.textCursor().block().layout().preeditAreaText()

    def take_text(self) -> str:
        """Commit what is being composed, then return the text and empty the box."""
        self.commit_preedit()
        text = self.toPlainText()
        # Not `clear`, which would also forget what can be undone.
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        QGuiApplication.inputMethod().reset()
        return text

    def show_document(self, document: QTextDocument) -> None:
        """Write in that document, with what can be undone in it."""
        self.document().contentsChanged.disconnect(self._changed)
        # The text size may have changed since it was last shown.
        document.setDefaultFont(self.font())
        self.setDocument(document)
        document.contentsChanged.connect(self._changed)
        self._changed()

    def new_document(self, text: str) -> QTextDocument:
        """One for `show_document`. It lives as long as the box."""
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
            # The platform left it to us; the reset that follows in `take_text` makes it forget its copy.
            event = QInputMethodEvent()
            event.setCommitString(pending)
            self.inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        none, modifier = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
        if enter and held == (none if self.send_key == "enter" else modifier):
            event.accept()
            # While composing, the input method has its own use for this key; a new line would be as wrong as sending.
            if not self.preedit():
                self.submitted.emit()
            return
        up = event.key() == Qt.Key.Key_Up
        if (up or event.key() == Qt.Key.Key_Down) and held == none and self._recall(up):
            return
        super().keyPressEvent(event)

    def _recall(self, older: bool) -> bool:
        """Step through what was written before, from an empty box or from a text that came out of it unchanged."""
        written, text = self.history(), self.toPlainText()
        inside = 0 < self._recalled <= len(written) and text == written[-self._recalled]
        if self.preedit() or not (inside or (older and not text)):
            return False
        wanted = (self._recalled if inside else 0) + (1 if older else -1)
        if wanted > len(written):
            return True
        self._recalled = wanted
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(written[-wanted] if wanted else "")
        self.moveCursor(QTextCursor.MoveOperation.End)
        return True

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(files_in(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := files_in(source):
            self.files_given.emit(files)
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
            # Before the text moves, which it would to show a line that has no room yet.
            self.resize(self.width(), height)
            self.updateGeometry()
        self._show_bar()

    def _height_of_lines(self) -> float:
        """In pixels, of the first _MAX_LINES lines: one in another script may be higher than one in the font's own."""
        height, left, block = 0.0, _MAX_LINES, self.document().begin()
        while block.isValid() and left:
            # Asked for its place, a block is laid out.
            self.document().documentLayout().blockBoundingRect(block)
            layout = block.layout()
            lines = min(left, layout.lineCount())
            height += sum(layout.lineAt(number).height() for number in range(lines))
            left, block = left - lines, block.next()
        return height

    def _show_bar(self) -> None:
        fits = self.document().size().height() <= _MAX_LINES and self.height() >= self._height
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)


def trimmed(text: str) -> str:
    """A message without what is empty around it. The first of several lines keeps its indent, for it may be code."""
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        del lines[0]
    return "\n".join(lines) if len(lines) > 1 else lines[0].strip()


def files_in(source: QMimeData) -> list[str]:
    """The paths of the files that were copied or dragged."""
    return [url.toLocalFile() for url in source.urls() if url.isLocalFile()]


class Composer(QWidget):
    """The box with its button and the line that tells which keys do what. `sent` carries the text."""

    sent = Signal(str)

    def __init__(self, send: QAction, stop: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._send, self._stop = send, stop
        self._streaming = False
        # What is being written in each chat, with what can be undone in it, for as long as the chat is in memory.
        self._documents: WeakKeyDictionary[object, QTextDocument] = WeakKeyDictionary()
        card = QFrame(self)
        card.setObjectName("composerCard")
        self.edit = MessageEdit(card, shrinks=True)
        self.files = AttachmentRow(card)
        self._info = ElidedLabel(card)
        self._info.setProperty("styleClass", "muted")
        self._button = QToolButton(card)
        self._button.setObjectName("send")
        self._tools = row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._info, 1)
        row.addWidget(self._button)
        column = QVBoxLayout(card)
        column.setContentsMargins(14, 12, 12, 10)
        column.setSpacing(8)
        column.addWidget(self.files)
        column.addWidget(self.edit)
        column.addLayout(row)
        self._keys = QLabel(self)
        self._keys.setProperty("styleClass", "caption")
        self._keys.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 12)
        outer.setSpacing(8)
        outer.addWidget(card)
        outer.addWidget(self._keys)
        self.setFocusProxy(self.edit)
        self._connect()
        self.retranslate()
        self._apply_theme()

    def _connect(self) -> None:
        self.edit.submitted.connect(self.send)
        self._button.clicked.connect(self._pressed)
        self._send.changed.connect(self._apply_theme)
        self._stop.changed.connect(self._apply_theme)

    def send(self) -> None:
        """Send the text, with what is being composed; does nothing while it cannot be sent."""
        self.edit.commit_preedit()
        if not self._send.isEnabled() or not self.can_be_sent:
            return
        self.sent.emit(trimmed(self.edit.take_text()))

    def take_attachments(self) -> tuple[Attachment, ...]:
        """The files that go with the question that is being sent; none wait after it."""
        attachments = self.files.attachments
        self.files.show_files(())
        return attachments

    def add_tool(self, tool: QWidget) -> None:
        """A button below the text, to the left of the line that informs."""
        self._tools.insertWidget(self._tools.count() - 2, tool)

    def show_draft(self, chat: object, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """What was being written in the chat that is now shown."""
        document = self._documents.get(chat)
        if document is None or document.toPlainText() != text:
            document = self._documents[chat] = self.edit.new_document(text)
        if document is not self.edit.document():
            self.edit.show_document(document)
            self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self.files.show_chat(chat, attachments)

    def put_back(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """A question that could not be asked stands in the box again, before what has been written since."""
        self.files.show_files((*attachments, *self.files.attachments))
        cursor = self.edit.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        cursor.insertText(f"{text}\n\n" if text and self.edit.toPlainText().strip() else text)

    def set_streaming(self, streaming: bool) -> None:
        self._streaming = streaming
        self._apply_theme()

    def set_send_key(self, key: str) -> None:
        """Send with "enter", or with "modifier" and Enter."""
        self.edit.send_key = key
        self._say_keys()

    def _say_keys(self) -> None:
        if self.edit.send_key == "enter":
            self._keys.setText(self.tr("Enter sends · Shift+Enter for a new line"))
        else:
            keys = QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_Return).toString(QKeySequence.SequenceFormat.NativeText)
            self._keys.setText(self.tr("{keys} sends · Enter for a new line").format(keys=keys))

    def set_info(self, text: str, problem: bool = False, brief: str = "") -> None:
        """A line below the text, or `brief` where it has no room; `problem` where it says why sending will not work."""
        set_style_class(self._info, "problem" if problem else "muted")
        self._info.show_text(text, brief)

    @property
    def can_be_sent(self) -> bool:
        """Files need no words, but one that is still being read would be left behind."""
        written = self.edit.toPlainText().strip() or self.edit.preedit()
        return bool(written or self.files.attachments) and not self.files.reading

    def retranslate(self) -> None:
        self.edit.setPlaceholderText(self.tr("Message"))
        self.edit.setAccessibleName(self.tr("Message"))
        self._say_keys()
        self._apply_theme()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange and hasattr(self, "_button"):
            self._apply_theme()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.edit.setFocus(event.reason())

    def _pressed(self) -> None:
        if self._streaming:
            self._stop.trigger()
        else:
            self.send()

    def _apply_theme(self) -> None:
        action = self._stop if self._streaming else self._send
        enabled = action.isEnabled()
        colours = theme.colours()
        self._button.setIcon(
            icon("stop" if self._streaming else "send", colours.on_accent if enabled else colours.faint)
        )
        self._button.setEnabled(enabled)
        self._button.setAccessibleName(action.whatsThis())
        self._button.setToolTip(action.toolTip())
