"""The quick entry: a small window over all programs, which answers in place and opens its chat in the main window."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

from PySide6.QtCore import QCoreApplication, QProcess, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOption, QWidget

from app.composer.attachment_row import AttachmentRow
from app.composer.message_edit import QuestionEditor, trimmed
from app.conversations.database.records import Attachment
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.settings.store import SettingsStore
from app.speculation.answer_line import AnswerLine
from app.system.hot_key import hot_key
from app.system.mac_windows import mac_windows
from app.transcript.transcript import Transcript
from app.widgets import theme
from app.widgets.buttons import button
from app.widgets.labels import ElidedLabel
from app.widgets.outside import bring_to_front
from app.widgets.style_class import styled
from app.widgets.throttle import single_shot
from app.window.chat_parts.attachment_reader import AttachmentReader
from app.wording.sources import recorded_name

# Pixels of the answers at the normal text size.
_ANSWER_HEIGHT = 320


class QuickEntry(QuestionEditor):
    """The window, which the shortcut of the settings opens and, while it has the keyboard, closes.

    `chat` is the chat of the messages so far, whose answers it shows; it is on the screen of the main window only once
    the person opens it there. A message that is sent before the models can answer waits in the box until they can,
    unless it is edited. Esc keeps what is written.
    """

    # Whether the next message continues the chat whose answers are shown.
    _continues = False

    def __init__(
        self, settings: SettingsStore, session: Session, attachments: AttachmentReader, window: QWidget
    ) -> None:
        super().__init__("", parent=window)
        self._settings = settings
        self._session = session
        self._attachments = attachments
        self.chat = Chat()
        self._window = window
        self._waits = False
        kinds = Qt.WindowType
        # On macOS, Qt makes a panel of a dialog or a tool, but raises a new tool, which would activate Tandem.
        kind = kinds.Window if mac_windows() is None else kinds.Dialog
        self.setWindowFlags(kind | kinds.FramelessWindowHint | kinds.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.bound("Quick entry", self, QWidget.setWindowTitle)
        self.files = AttachmentRow(self)
        self.answers = Transcript(self)
        self.files.pictures = self.answers.pictures = lambda: session.store.pictures
        self.answers.read_only = True
        self.answers.with_figures = False
        self.answers.setFixedHeight(theme.scaled(_ANSWER_HEIGHT))
        self.answers.hide()
        self.screen_picture = self.bound("Screenshot", button(self, self._take_picture, "quiet"))
        self.screen_picture.setVisible(mac_windows() is not None)
        self.open_chat = self.bound("Open in the main window", button(self, self._open_chat, "quiet"))
        self.open_chat.hide()
        self.figures = AnswerLine(self)
        self._model = styled(ElidedLabel(self), "muted")
        for index, part in enumerate((self._model, self.screen_picture, self.open_chat)):
            self.buttons.insertWidget(index, part)
        self.column.insertWidget(0, self.files)
        self.column.addWidget(self.answers)
        self.column.addWidget(self.figures)
        self._connect()
        self.restyle()
        if (shortcut := hot_key()) is not None:
            shortcut.pressed = self._open_or_close
            # The page of the settings says why a shortcut is refused.
            settings.subscribe(lambda: shortcut.choose(settings.values.quick_entry))
            shortcut.choose(settings.values.quick_entry)

    def _connect(self) -> None:
        session = self._session
        answers = self.answers
        for changed in (self.edit.edited, self.files.changed):
            changed.connect(self.adjustSize)
        self.edit.files_given.connect(lambda files: self._attachments.attach(files, self.files))
        self.edit.picture_given.connect(lambda image: self._attachments.attach_picture(image, self.files))
        self.cancelled.connect(self.hide)
        self.submitted.connect(lambda _text: self._queue(True))
        self.edit.edited.connect(lambda: self._queue(False))
        for changed in (self.files.changed, session.models.changed, session.store.opened, session.answers.ended):
            changed.connect(lambda *_: self._queue(self._waits))
        answers.call_chosen.connect(session.answers.choose)
        session.answers.asked.connect(lambda chat, turn: answers.add_turn(turn) if chat is self.chat else None)
        session.answers.arrived.connect(self._follow)
        # Once what has just been shown is laid out.
        self.figures.fits.connect(single_shot(self, self.adjustSize).start)
        session.chats.path_changed.connect(lambda chat: self.show_chat(chat) if chat is self.chat else None)
        session.answers.ended.connect(lambda chat, _turn: self._fit() if chat is self.chat else None)
        session.history.measured_changed.connect(self._show_speedups)

    def show_chat(self, chat: Chat) -> None:
        """Show the answers of a chat, which the next message continues."""
        self.chat = chat
        self.answers.show_chat(chat)
        self._fit()

    def _follow(self, chat: Chat, turn: Turn) -> None:
        if chat is self.chat:
            self.answers.refresh(turn)
            self.figures.follow(chat)

    def _show_speedups(self) -> None:
        self._session.history.note_speedups(self.chat)
        self.answers.refresh_feet()
        self.figures.retranslate()

    def _fit(self) -> None:
        for part in (self.answers, self.open_chat):
            part.setVisible(bool(self.chat.turns))
        self._continues = bool(self.chat.turns)
        self.figures.show_newest(self.chat)
        self.retranslate()
        self.adjustSize()

    def retranslate(self) -> None:
        words = self.tr("Message in this chat") if self._continues else self.tr("Message for a new chat")
        self.edit.setPlaceholderText(words)
        self.edit.setAccessibleName(words)

    def restore(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Put a message that could not be stored back, before what was written since."""
        self.files.show_files((*attachments, *self.files.attachments))
        self.edit.setPlainText("\n\n".join(filter(None, (text, self.edit.toPlainText()))))

    def _queue(self, waits: bool) -> None:
        """Ask the message in the box if it `waits` and the models can answer it now, and show what it waits for."""
        pair = self._session.models.pair
        translate = QCoreApplication.translate
        answers = self._session.answers
        self._waits = waits and (pair.main is not None or pair.loading == "main")
        if self._waits and not self.files.reading and answers.can_ask_in(self.chat):
            self._ask()
        words = recorded_name(pair.names[0])
        if self._waits and self.chat.streaming:
            words = translate("ContextMeter", "Queued until the answer has ended.")
        elif self._waits:
            words = translate("ContextMeter", "Queued until the model is ready.")
        elif pair.main is None:
            words = translate("ContextMeter", "No main model is loaded.")
        self._model.setText(words)

    def _ask(self) -> None:
        self._waits = False
        unsent = (self.chat.unsent, self.chat.unsent_attachments)
        files = self.files.attachments
        self.files.show_files(())
        self._attachments.forget_reasons()
        self._session.answers.ask(trimmed(self.edit.clear_and_return()), files, self.chat)
        # What is unsent in the main window stays there.
        self._session.chats.keep_unsent(self.chat, *unsent)
        self._fit()

    def _open_chat(self) -> None:
        self._session.chats.open(self.chat)
        self.hide()
        bring_to_front(self._window)

    def _take_picture(self) -> None:
        """Have the person choose a part of the screen, for which macOS asks its own permission, and attach that."""
        file = Path(mkdtemp()) / f"{self.screen_picture.text()}.png"
        shot = QProcess(self)
        self.hide()

        def taken() -> None:
            shot.deleteLater()
            self.open()
            self._attachments.attach_once(file, self.files)

        shot.finished.connect(taken)
        shot.start("/usr/sbin/screencapture", ["-i", "-x", str(file)])

    def _open_or_close(self) -> None:
        if self.isVisible() and self.isActiveWindow():
            self.hide()
        else:
            self.open()

    def open(self) -> None:
        """Show the window in front of all others, on the screen that has the pointer.

        An answer that has ended is not shown again. On macOS the program that the person came from stays active, so
        that it has the keyboard again after Esc.
        """
        if not self.chat.streaming:
            self.show_chat(self._session.chats.begin_chat())
        self.edit.send_key = self._settings.values.send_key
        self.setFixedWidth(theme.scaled(560))
        area = (QGuiApplication.screenAt(QCursor.pos()) or self.screen()).availableGeometry()
        self.move(area.center().x() - self.width() // 2, area.top() + area.height() // 4)
        windows = mac_windows()
        if windows is not None:
            windows.float_over_all(self.winId())
        self.show()
        self.adjustSize()
        if windows is None:
            # On macOS, this would activate Tandem.
            self.raise_()
        self.activateWindow()
        self.edit.setFocus()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card, whose round corners are transparent; Qt paints no background of such a window."""
        option = QStyleOption()
        option.initFrom(self)
        with QPainter(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
