"""Drives the main window as a person does, and reads what it shows.

Widgets are found by class, object name, accessible name or visible text, never through private attributes, so that
tests do not depend on how the window is built. `window_parts` has drivers for the parts of the window.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from unittest.mock import patch

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDragMoveEvent, QDropEvent, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QToolButton,
    QWidget,
)

from app.composer.choice_buttons import PresetButton
from app.composer.composer import Composer
from app.composer.message_edit import MessageEdit
from app.composer.settings_sheet import ChatSettingsSheet
from app.models.first_run import FirstRunOffer
from app.models.picker import Picker
from app.settings_window.dialog import SettingsWindow
from app.sidebar.pane import ChatPane
from app.speculation.comparison_view import ComparisonView
from app.speculation.panel import SpeculationPanel
from app.system.background import Background
from app.transcript.transcript import Transcript
from app.transcript.waiting_column import WaitingBubble
from app.widgets.banner import Banner
from app.widgets.controls import NumberOrWord
from app.widgets.labels import ElidedLabel
from app.window.chat_parts.find_bar import FindBar
from app.window.header import Header
from app.window.import_card import ImportCard
from app.window.palette import CommandPalette
from tests.app.window_parts import PaletteDriver, PickerDriver, SidebarDriver, TurnDriver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.session.answer import Answer
    from app.session.session import Session
    from app.window.main_window import MainWindow

Found = TypeVar("Found", bound=QObject)


class _Part(Generic[Found]):
    """The object of a class in the window, found anew each time."""

    def __init__(self, kind: type[Found]) -> None:
        self._kind = kind

    def __get__(self, driver: WindowDriver, _: type[WindowDriver]) -> Found:
        return driver.find(self._kind)


class WindowDriver:
    """Drives one open window. `session` is its session, for what no window shows.

    What is done:  trigger, ask, write, type, compose, send, press_send, paste, press_banner, close_notice, open_chat,
                   search, settings_page, press (keys), file_dialog (answers the next ones), wait_until_answered,
                   settle, take_back, close
    What is read:  is_enabled, is_checked, unsent, attached, context_text, banner_text, notices, turns, waiting,
                   shown_text, foot, titles
    The parts:     composer, transcript, header, banner, find_bar, panel, settings, chat_settings, palette, sidebar,
                   picker("main" or "draft"), turn(index), comparison, offer, preset_button
    """

    composer = _Part(Composer)
    transcript = _Part(Transcript)
    header = _Part(Header)
    banner = _Part(Banner)
    find_bar = _Part(FindBar)
    panel = _Part(SpeculationPanel)
    settings = _Part(SettingsWindow)
    chat_settings = _Part(ChatSettingsSheet)
    comparison = _Part(ComparisonView)
    offer = _Part(FirstRunOffer)
    preset_button = _Part(PresetButton)

    def __init__(self, window: MainWindow, session: Session, wait: Callable[[Callable[[], bool]], object]) -> None:
        """`wait` runs the event loop until a condition holds, and fails if it does not."""
        self.window, self.session, self.wait = window, session, wait

    def __getattr__(self, name: str) -> Any:
        """Forward to the window, for example its size, visibility and title."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.window, name)

    def find(self, kind: type[Found], name: str = "") -> Found:
        """Return the object of a class, by its object name if there are several."""
        found = self.window.findChild(kind, name or None)
        assert found is not None, f"no {kind.__name__} {name} in the window"
        return found

    # The parts of the window

    @property
    def edit(self) -> MessageEdit:
        """The message box."""
        return self.composer.edit

    @property
    def palette(self) -> PaletteDriver:
        return PaletteDriver(self.find(CommandPalette))

    @property
    def sidebar(self) -> SidebarDriver:
        return SidebarDriver(self.find(ChatPane), self.settle)

    def picker(self, role: str) -> PickerDriver:
        """The picker below the chip of the "main" or the "draft" model."""
        return PickerDriver(next(picker for picker in self.window.findChildren(Picker) if picker.role == role))

    def turn(self, index: int = -1) -> TurnDriver:
        """Return the driver of a question with its answer."""
        return TurnDriver(self.transcript.view(self.session.chat.turns[index]))

    # Actions

    def action(self, action_id: str) -> QAction:
        return self.find(QAction, action_id)

    def trigger(self, action_id: str) -> None:
        """Trigger an action of the menus; a disabled one does nothing."""
        self.action(action_id).trigger()

    def is_enabled(self, action_id: str) -> bool:
        return self.action(action_id).isEnabled()

    def is_checked(self, action_id: str) -> bool:
        return self.action(action_id).isChecked()

    # Writing and asking

    @property
    def unsent(self) -> str:
        """What stands in the message box."""
        return self.edit.toPlainText()

    def write(self, text: str) -> None:
        """Replace the text of the message box."""
        self.edit.setPlainText(text)

    def type(self, text: str) -> None:
        """Type into the message box, key by key."""
        QTest.keyClicks(self.edit, text)

    def compose(self, text: str, into: QWidget | None = None, commit: str = "") -> None:
        """Send an input method's text, after it has committed `commit`, to the message box or another field."""
        event = QInputMethodEvent(text, [])
        event.setCommitString(commit)
        QCoreApplication.sendEvent(into or self.edit, event)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key in the message box."""
        QTest.keyClick(self.edit, key, modifiers)

    def send(self) -> None:
        """Press Enter in the message box."""
        self.press(Qt.Key.Key_Return)

    def ask(self, text: str) -> None:
        self.write(text)
        self.send()

    def ask_and_wait(self, *questions: str) -> None:
        """Ask the questions one after another, each once the previous one is answered and stored."""
        for question in questions:
            self.ask(question)
            self.wait_until_answered()
            self.settle()

    @property
    def waiting(self) -> list[tuple[str, str]]:
        """The questions that wait at the end of the chat, each with what it waits for."""
        shown = [bubble for bubble in self.transcript.findChildren(WaitingBubble) if bubble.isVisible()]
        return [(bubble.findChild(QTextBrowser).toPlainText(), bubble.findChild(QLabel, "").text()) for bubble in shown]

    def take_back(self, index: int = 0) -> None:
        """Put a question that waits back into the message box."""
        shown = [bubble for bubble in self.transcript.findChildren(WaitingBubble) if bubble.isVisible()]
        QTest.mouseClick(shown[index].findChild(QToolButton), Qt.MouseButton.LeftButton)

    @property
    def send_button(self) -> QToolButton:
        """The button that sends, or stops the answer that is being written."""
        return self.composer.findChild(QToolButton, "send")

    def press_send(self) -> None:
        QTest.mouseClick(self.send_button, Qt.MouseButton.LeftButton)

    @property
    def context_text(self) -> str:
        """The line below the message box: the used share of the context, or why nothing can be sent."""
        card = self.composer.findChild(QFrame, "composerCard")
        return card.findChild(ElidedLabel, options=Qt.FindChildOption.FindDirectChildrenOnly).text()

    @property
    def ways_to_shorten(self) -> list[str]:
        """The entries of the button beside that line, for a message that is too long; empty while it is hidden."""
        button = self.composer.findChild(QToolButton, "shorten")
        if button.isHidden():
            return []
        button.menu().aboutToShow.emit()
        return [action.text() for action in button.menu().actions()]

    def shorten(self, way: str) -> None:
        """Choose a way to shorten the message."""
        assert way in self.ways_to_shorten
        menu = self.composer.findChild(QToolButton, "shorten").menu()
        next(action for action in menu.actions() if action.text() == way).trigger()

    @property
    def key_hint(self) -> str:
        """The text that says which keys send and which begin a new line, once something is written."""
        return self.composer.findChild(QLabel, options=Qt.FindChildOption.FindDirectChildrenOnly).text()

    # Files

    def drop(self, at: QPoint, data: QMimeData) -> bool:
        """Drag `data` into the window and drop it, as the system delivers it. Return whether the drop was accepted."""
        options = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        dropped = QDropEvent(QPointF(at), *options)
        dropped.ignore()
        for event in (QDragEnterEvent(at, *options), QDragMoveEvent(at, *options), dropped):
            QApplication.sendEvent(self.windowHandle(), event)
        return dropped.isAccepted()

    def paste(self, *files: Path) -> None:
        """Paste files into the message box."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
        assert self.edit.canInsertFromMimeData(data)
        self.edit.insertFromMimeData(data)

    @property
    def attached(self) -> list[str]:
        """The names of the files attached to the next question."""
        return [attachment.name for attachment in self.composer.files.attachments]

    @contextmanager
    def file_dialog(self, chosen: Path | None) -> Iterator[None]:
        """Answer the system's file dialogs with a path, or cancel them."""
        answer = str(chosen) if chosen is not None else ""
        several = [answer] if answer else []
        with (
            patch.object(QFileDialog, "getOpenFileName", lambda *_: (answer, "")),
            patch.object(QFileDialog, "getOpenFileNames", lambda *_: (several, "")),
            patch.object(QFileDialog, "getSaveFileName", lambda *_: (answer, "")),
            patch.object(QFileDialog, "getExistingDirectory", lambda *_: answer),
        ):
            yield

    def import_chats(self, path: Path) -> None:
        """Import a file or a folder, by the buttons of the card."""
        self.trigger("import-chats")
        card = self.find(ImportCard)
        with self.file_dialog(path):
            (card.choose_folder if path.is_dir() else card.choose_file).click()

    def export_chat(self, file: Path) -> None:
        """Export the chat on screen, in the format of the file's suffix."""
        with self.file_dialog(file):
            self.trigger("export-chat")

    def export_all(self, file: Path) -> None:
        with self.file_dialog(file):
            self.trigger("export-all")

    # The banner

    @property
    def notices(self) -> list[str]:
        """The texts of the notices on screen, from top to bottom: the newest first."""
        return [notice.text for notice in self.banner.shown]

    @property
    def banner_text(self) -> str:
        """The text of the newest notice; "" if there is none."""
        return self.notices[0] if self.notices else ""

    @property
    def banner_button(self) -> QPushButton:
        return self.banner.shown[0].findChild(QPushButton)

    @property
    def banner_buttons(self) -> list[str]:
        """The texts of the newest notice's buttons."""
        return [button.text() for button in self.banner.shown[0].findChildren(QPushButton)]

    def press_banner(self, text: str = "") -> None:
        """Press the newest notice's button with that text, or its first one."""
        buttons = self.banner.shown[0].findChildren(QPushButton)
        next(button for button in buttons if text in ("", button.text())).click()

    def close_notice(self, words: str = "") -> None:
        """Close the newest notice, or the newest with these words."""
        notice = next(notice for notice in self.banner.shown if words in notice.text)
        notice.findChild(QToolButton).click()

    # Closing the window

    @property
    def question(self) -> QMessageBox | None:
        """The question that the window asks, if any."""
        return next((box for box in self.window.findChildren(QMessageBox) if box.isVisible()), None)

    def answer_question(self, text: str) -> None:
        """Press the button with that text."""
        assert self.question is not None
        next(button for button in self.question.buttons() if text == button.text().replace("&", "")).click()

    def close(self, answer: str = "") -> None:
        """Close the window, and answer what it asks."""
        self.window.close()
        if answer:
            self.answer_question(answer)

    # The search in the chat

    def find_in_chat(self, text: str) -> None:
        """Search the chat on screen."""
        self.trigger("find-in-chat")
        self.find_bar.edit.setText(text)
        ended: list[str] = []
        self.find_bar.searched.connect(lambda: ended.append(text))
        # Enter does not wait until nothing more is typed.
        QTest.keyClick(self.find_bar.edit, Qt.Key.Key_Return)
        self.wait(lambda: bool(ended))

    @property
    def found_text(self) -> str:
        """The number of matches and of the current one, as shown."""
        return self.find_bar.findChild(QLabel).text()

    # The chat

    @property
    def turns(self) -> list[tuple[str, str]]:
        """The (question, answer) pairs of the chat on screen."""
        return [(turn.question, turn.answer.text) for turn in self.session.chat.turns]

    def answer(self, index: int = -1) -> Answer:
        """Return the session's answer, with its state, figures and tokens."""
        return self.session.chat.turns[index].answer

    def shown_text(self, index: int = -1) -> str:
        """Return the text of the answer on the screen."""
        return self.turn(index).text

    def footer(self, index: int = -1) -> str:
        """Return the line of figures below an answer."""
        return self.turn(index).footer

    def wait_until_answered(self) -> None:
        self.wait(lambda: self.answer().ended)

    # Chats, stored and listed

    @property
    def titles(self) -> list[str]:
        """The titles of the listed chats, the newest first."""
        return [chat.title for chat in self.session.list.chats]

    def chat_id(self, title: str) -> int:
        return next(chat.id for chat in self.session.list.chats if chat.title == title)

    def open_chat(self, title: str) -> None:
        """Click a chat of the list, and wait until it is read."""
        self.sidebar.click(title)
        self.settle()

    def search(self, text: str) -> None:
        """Search all chats."""
        self.sidebar.search.setText(text)
        self.settle()

    def settle(self) -> None:
        """Wait until the store and all background work are idle."""
        self.wait(lambda: not self.session.busy and not any(work.busy for work in self.window.findChildren(Background)))

    def in_store(self, operation: Callable[[Any], Any]) -> Any:
        """Run `operation` in the store, reload the list, and return the result."""
        result = self.session.store.wait_for(operation)
        self.session.store.reload()
        self.settle()
        return result

    # The panel and the settings

    @property
    def panel_text(self) -> str:
        """All texts of the live panel."""
        return "\n".join(texts(self.panel))

    def settings_page(self, page_id: str) -> Any:
        """Open the settings at a page."""
        self.settings.open(page_id)
        return self.settings.page(page_id)


def texts(widget: QWidget) -> list[str]:
    """Return the texts of all labels, buttons and fields that are not hidden in a widget."""
    kinds = (QLabel, QPushButton, QToolButton, QLineEdit, QPlainTextEdit)
    found = [child for kind in kinds for child in widget.findChildren(kind) if child.isVisibleTo(widget)]
    shown = [child.toPlainText() if isinstance(child, QPlainTextEdit) else child.text() for child in found]
    return [text for text in shown if text]


def enter_number(control: QWidget, number: float) -> None:
    """Enter a number in a box of its own, or in one beside a tick with a word, which goes."""
    if isinstance(control, NumberOrWord):
        if control.word.isChecked():
            control.word.click()
        control.box.setValue(number)
    else:
        control.setValue(number)  # type: ignore[attr-defined]
