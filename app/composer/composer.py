"""The card with the message box, the attached files, the tools and the send button."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary, finalize

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication, QFrame, QPlainTextEdit, QToolButton, QWidget
from shiboken6 import isValid

from app.composer.attachment_row import AttachmentRow
from app.composer.message_edit import MessageEdit, trimmed
from app.conversations.database.records import Attachment
from app.session.chats import Chat
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label, tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import named, set_property, set_style_class, styled
from app.widgets.theme_aware import ThemeAware

# With any other, a key is a command.
_MODIFIERS_OF_LETTERS = (
    Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.GroupSwitchModifier
)


class Composer(ThemeAware, QWidget):
    """The message box with its button and the line about the keys that send. `sent` carries the text.

    `sendable_changed` is emitted when the message becomes too long or is no longer too long.
    """

    sent = Signal(str)
    sendable_changed = Signal()

    def __init__(self, send: QAction, stop: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._send_action = send
        self._stop_action = stop
        self._streaming = False
        self._problem = ""
        # The unsent message of each chat with its undo history, for as long as the chat is in memory.
        self._documents: WeakKeyDictionary[object, QTextDocument] = WeakKeyDictionary()
        card = self._card = named(QFrame(self), "composerCard")
        self.edit = MessageEdit(card, shrinks=True)
        self.bound("Message", self.edit, QPlainTextEdit.setPlaceholderText, QWidget.setAccessibleName)
        self.edit.installEventFilter(self)
        self.files = AttachmentRow(card)
        self._info = styled(ElidedLabel(card), "muted")
        self._button = named(QToolButton(card), "send")
        self.shorten = self.bound("Shorten", named(styled(QToolButton(card), "small"), "shorten"))
        self.bound("Shorten the message to fit the model's context", self.shorten, QWidget.setToolTip)
        self.shorten.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.shorten.hide()
        self._tools = fill(hbox(spacing=4), (self._info, 1), self.shorten, self._button)
        fill(vbox(card, margins=(14, 12, 12, 10), spacing=8), self.files, self.edit, self._tools)
        self._keys_label = label(self, "caption")
        self._keys_label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        fill(vbox(self, margins=(0, 0, 0, 12), spacing=8), card, self._keys_label)
        self.setFocusProxy(self.edit)
        self.edit.submitted.connect(self.send)
        self.files.removed.connect(self.setFocus)
        self.edit.edited.connect(self._show_keys)
        self._button.clicked.connect(self._press_button)
        self._send_action.changed.connect(self._show_button)
        self._stop_action.changed.connect(self._show_button)
        self.restyle()

    def send(self) -> None:
        """Send the text, including text in composition. Does nothing while the text cannot be sent."""
        self.edit.commit_preedit()
        if self._send_action.isEnabled() and self.can_be_sent:
            self.sent.emit(trimmed(self.edit.clear_and_return()))

    def take_attachments(self) -> tuple[Attachment, ...]:
        """Return the files for the question that is being sent, and clear them."""
        attachments = self.files.attachments
        self.files.show_files(())
        return attachments

    def add_tools(self, *tools: QWidget) -> None:
        """Add buttons below the text, to the left of the info line."""
        for tool in tools:
            self._tools.insertWidget(self._tools.count() - 3, tool)

    def show_unsent(self, chat: Chat, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Show the unsent message of the chat on screen."""
        former = self._documents.get(chat)
        document = former
        if document is None or document.toPlainText() != text:
            document = self._documents[chat] = self.edit.new_document(text)
            # The box owns the document, and would keep the documents of all chats.
            finalize(chat, _delete, document)
        if document is not self.edit.document():
            self.edit.show_document(document)
            self.edit.moveCursor(QTextCursor.MoveOperation.End)
        if former is not None and former is not document:
            _delete(former)
        self.files.show_chat(chat, attachments)
        self._show_button()

    def follow_unsent(self, chat: Chat) -> None:
        """Show the unsent message of the chat on screen, if it was written elsewhere."""
        if (self.edit.toPlainText(), self.files.attachments) != (chat.unsent, chat.unsent_attachments):
            self.show_unsent(chat, chat.unsent, chat.unsent_attachments)

    def take_key(self, event: QKeyEvent) -> bool:
        """Type a key that another widget left unused into the message box, if it is a letter, figure or sign.

        Returns whether it was typed.
        """
        text = event.text()
        if (
            self.edit.hasFocus()
            or event.modifiers() & ~_MODIFIERS_OF_LETTERS
            or not text.isprintable()
            or not text.strip()
        ):
            return False
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        QApplication.sendEvent(self.edit, event)
        return True

    def restore(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Put a question that could not be asked back into the box, before text that was written since."""
        self.files.show_files((*attachments, *self.files.attachments))
        cursor = self.edit.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        cursor.insertText(f"{text}\n\n" if text and self.edit.toPlainText().strip() else text)

    def set_streaming(self, streaming: bool) -> None:
        self._streaming = streaming
        self._show_button()

    def set_send_key(self, key: str) -> None:
        """Set the key that sends: "enter", or "modifier" for Command or Ctrl with Enter."""
        self.edit.send_key = key
        self._show_keys()

    def _show_keys(self) -> None:
        """Say which keys send once something is written. Its room is there before, so that nothing moves."""
        if self.edit.document().isEmpty():
            self._keys_label.setText("\N{NO-BREAK SPACE}")
        elif self.edit.send_key == "enter":
            self._keys_label.setText(self.tr("Enter to send · Shift+Enter for a new line"))
        else:
            keys = QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_Return).toString(QKeySequence.SequenceFormat.NativeText)
            self._keys_label.setText(self.tr("{keys} to send · Enter for a new line").format(keys=keys))

    def set_info(self, text: str, problem: str = "", briefer: Sequence[str] = ()) -> None:
        """Show a line below the text, or if it does not fit the first of `briefer` that does.

        `problem` is why the message cannot be sent. The line is red if it says that.
        """
        if self._problem != problem:
            self._problem = problem
            self.sendable_changed.emit()
        set_style_class(self._info, "problem" if problem and problem == text else "muted")
        self._info.show_text(text, *briefer)

    @property
    def can_be_sent(self) -> bool:
        """Whether the message has text or files, is not too long, and no file is still being read."""
        written = self.edit.toPlainText().strip() or self.edit.preedit()
        return bool(written or self.files.attachments) and not self.files.reading and not self._problem

    def retranslate(self) -> None:
        self._show_keys()
        self._show_button()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Mark the card's edge while the message box has the focus."""
        if watched is self.edit and event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            set_property(self._card, "active", self.edit.hasFocus())
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a click anywhere on the card, where no button is, for one into the message box."""
        if self._card.geometry().contains(event.position().toPoint()):
            self.edit.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.edit.setFocus(event.reason())

    def _press_button(self) -> None:
        if self._streaming:
            self._stop_action.trigger()
        else:
            self.send()

    def _show_button(self) -> None:
        """Make the button send, or stop the answer."""
        action = self._stop_action if self._streaming else self._send_action
        enabled = action.isEnabled()
        self._button.setIcon(icon("stop" if self._streaming else "send", "on_accent" if enabled else "faint"))
        self._button.setEnabled(enabled)
        self._button.setAccessibleName(action.whatsThis())
        self._button.setToolTip(tip(self._problem) if self._problem and not self._streaming else action.toolTip())


def _delete(document: QTextDocument) -> None:
    """Delete a document soon, unless its box is gone. Any thread may do so, as the last reference ends on any."""
    if isValid(document):
        document.deleteLater()
