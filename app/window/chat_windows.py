"""Chats in windows of their own, beside the main window, on the same session."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QWidget

from app.actions.actions import Actions, Menus
from app.session.chats import Chat
from app.settings.window_geometry import geometry_of, restored, within
from app.speculation.answer_line import AnswerLine
from app.transcript.turn_column import COLUMN_WIDTH
from app.widgets.keyboard_focus import TabOrdered
from app.widgets.layouts import centred, fill, vbox
from app.widgets.outside import bring_to_front, hide_window
from app.widgets.style_class import named
from app.widgets.theme_aware import ThemeAware
from app.window.actions import ACTIONS
from app.window.actions.window_action import ActedWindow
from app.window.chat_parts.chat_parts import ChatParts
from app.window.file_drop import FileDrop

# The actions of the main window that such a window has, too. They use only what it has.
_ACTIONS = {
    *("attach", "print-chat", "close-window"),
    *("undo", "redo", "cut", "copy", "paste", "select-all", "copy-answer"),
    *("find-in-chat", "find-next", "find-previous", "read-aloud", "stop-reading"),
    *("send", "stop", "ask-again", "continue-answer", "edit-last"),
    *("show-text", "show-tokens", "zoom-in", "zoom-out", "zoom-reset", "full-screen"),
    *("minimize", "zoom-window", "main-window", "focus-composer"),
}
# In pixels, for a window that was not open in the last run.
_USUAL_WIDTH = 760
_USUAL_HEIGHT = 720
# Each window is this many pixels further right and down than the one before.
_OFFSET = 32


class ChatWindow(ThemeAware, TabOrdered, FileDrop):
    """A window with one chat and its message box.

    It has no list of chats, no live panel and no pickers: the settings of the chat are those that it has in the main
    window. In place of the panel there is a line on the newest answer, with the legend of its tints. The unsent message
    belongs to the chat: both windows show it. A window that was closed is used for another chat.

    `closed` carries the chat of a window that was closed, though not where the session ends.
    """

    closed = Signal(object)

    def __init__(self, main: ActedWindow, app_actions: Actions) -> None:
        super().__init__()
        self._main = main
        self.session = session = main.session
        self.preferences = main.preferences
        self.transfer = main.transfer
        self._chat = Chat()
        by_menu = {menu: [spec for spec in specs if spec.id in _ACTIONS] for menu, specs in ACTIONS.items()}
        self._actions = actions = Actions({menu: specs for menu, specs in by_menu.items() if specs}, self)
        self._middle = named(QWidget(self), "middle")
        self.setCentralWidget(self._middle)
        self.parts = ChatParts(
            session, actions, lambda: self._chat, main.models.other_models, self._middle, self._middle
        )
        # Both would show another chat or another card in the main window.
        self.parts.transcript.may_branch = False
        self.parts.transcript.may_compare = False
        self.parts.transcript.with_figures = False
        self.figures = AnswerLine(self._middle)
        self.parts.transcript.larger_wanted.connect(lambda: main.settings.open("models"))
        self.parts.transcript.place_wanted.connect(main.help_search.card.place_wanted)
        self._menus = Menus(actions, self, of_app=app_actions)
        column = vbox(self._middle, margins=(0, 0, 0, 0), spacing=0)
        notes = centred(self.parts.banner, COLUMN_WIDTH)
        fill(column, self.parts.find_bar, (self.parts.transcript, 1), centred(self.figures, COLUMN_WIDTH), notes)
        column.addSpacing(8)
        fill(column, centred(self.parts.composer, COLUMN_WIDTH))
        actions.bind(self)
        session.list.changed.connect(self._show_title)
        session.history.measured_changed.connect(self._show_speedups)
        for changed in (session.answers.asked, session.answers.arrived, session.chats.path_changed):
            changed.connect(lambda chat, *_: self.figures.follow(chat) if chat is self._chat else None)
        self.restyle()
        # Where the main window is hidden when it is closed, the program goes on without this one.
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setMinimumSize(480, 360)
        self.take_files()

    @property
    def chat(self) -> Chat:
        return self._chat

    @property
    def front_window(self) -> QWidget:
        return self

    def quit(self) -> bool:
        return self._main.quit()

    def show_main_window(self) -> None:
        self._main.show_main_window()

    def _show_speedups(self) -> None:
        self.session.history.note_speedups(self._chat)
        self.parts.transcript.refresh_feet()
        self.figures.retranslate()

    def show_chat(self, chat: Chat) -> None:
        """Show a chat instead of the one before."""
        self.parts.find_bar.close_bar()
        self._chat = chat
        self.session.history.note_speedups(chat)
        self.parts.composer.set_send_key(self.preferences.values.send_key)
        self.parts.show_chat(chat)
        self.figures.show_newest(chat)
        self.setWindowTitle(chat.title)
        self._show_title()
        self.parts.update_actions()
        self.parts.composer.setFocus()

    def _show_title(self) -> None:
        """Show the title that the list has. The list of another view does not have it."""
        row = self.session.list.chat(self._chat.id) if self._chat.id is not None else None
        if row is not None:
            self.setWindowTitle(row.title)

    def retranslate(self) -> None:
        self._actions.retranslate()
        self._menus.retranslate()
        self.parts.meter.show_usage()
        self.parts.update_actions()

    def apply_theme(self) -> None:
        self._actions.apply_theme()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let go of the chat, whose answer goes on."""
        chat = self._chat
        self._keep_read_position()
        self.let_go()
        hide_window(self)
        super().closeEvent(event)
        self.closed.emit(chat)

    def _keep_read_position(self) -> None:
        # The main window keeps its own.
        if self._chat is not self._main.chat:
            self.session.chats.keep_read_position(self._chat, self.parts.transcript.reading_position)

    def let_go(self) -> None:
        """Show no chat any more. The unsent message is the chat's."""
        # A syllable that is being composed belongs to the unsent message.
        self.parts.composer.edit.commit_preedit()
        self.parts.turns.speaker.stop()
        if self._chat in self.session.chats.beside:
            self.session.chats.beside.remove(self._chat)
        self.show_chat(Chat())

    def end(self) -> None:
        """Close the window for good, before the session ends."""
        self._keep_read_position()
        self.let_go()
        self.hide()
        self.parts.close()
        self.deleteLater()


class ChatWindows(QObject):
    """Opens and closes the windows of chats, and opens those of the last run again. `close` ends them all."""

    def __init__(self, main: ActedWindow, actions: Actions) -> None:
        super().__init__(main)
        self._main = main
        self._actions = actions
        self._windows: list[ChatWindow] = []
        # Where the windows are, by the uids of their chats. At first, where the windows of the last run were.
        self._places = dict(place.split(" ", 1) for place in main.preferences.values.chat_windows if " " in place)
        session = main.session
        main.sidebar.row_menu.window_wanted.connect(self.open)
        session.chats.removing.connect(self._close_chat)
        session.store.opened.connect(lambda _damaged: self._restore())
        main.preferences.subscribe(self._apply_send_key)

    def _restore(self) -> None:
        """Open the windows of the chats that the store has, where they were in the last run."""
        # The ids of their chats mean others in another store.
        for window in self._windows:
            window.let_go()
            hide_window(window)
        uids = [*self._places]
        if uids:
            self._main.session.store.run(lambda store: store.conversations.ids_of(uids), self._open_again)

    def _open_again(self, ids: dict[str, int]) -> None:
        self._places = {uid: place for uid, place in self._places.items() if uid in ids}
        for uid in self._places:
            self._main.session.chats.read(ids[uid], self._show)

    def open(self, chat_id: int) -> None:
        """Show a chat in a window of its own, or bring the one that it has to the front."""
        window = next((window for window in self._windows if window.chat.id == chat_id), None)
        if window is not None:
            bring_to_front(window)
        else:
            self._main.session.chats.read(chat_id, self._show)

    def _show(self, chat: Chat) -> None:
        shown = [window for window in self._windows if window.isVisible()]
        if any(window.chat is chat for window in shown):
            return
        window = next((window for window in self._windows if not window.isVisible()), None)
        if window is None:
            window = ChatWindow(self._main, self._actions)
            window.closed.connect(self._forget)
            self._windows.append(window)
        self._main.session.chats.beside.append(chat)
        window.show_chat(chat)
        # The main window stays in front of the windows of the last run.
        window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, chat.uid in self._places)
        if chat.uid in self._places and restored(window, self._places[chat.uid]):
            window.show()
            return
        place = QRect(0, 0, _USUAL_WIDTH, _USUAL_HEIGHT)
        place.moveCenter(self._main.geometry().center() + QPoint(_OFFSET, _OFFSET) * (len(shown) + 1))
        # The chat that it showed before may have been in full screen.
        window.setWindowState(Qt.WindowState.WindowNoState)
        window.setGeometry(within(place, self._main.screen()))
        bring_to_front(window)
        self._places[chat.uid] = geometry_of(window)
        self._keep_places()

    def _forget(self, chat: Chat) -> None:
        """Forget where the window of a chat was that was closed."""
        self._places.pop(chat.uid, None)
        self._keep_places()

    def _keep_places(self) -> None:
        places = tuple(f"{uid} {place}" for uid, place in self._places.items())
        self._main.preferences.change(chat_windows=places)

    def _close_chat(self, chat_id: int) -> None:
        for window in self._windows:
            if window.chat.id == chat_id:
                window.close()

    def _apply_send_key(self) -> None:
        for window in self._windows:
            window.parts.composer.set_send_key(self._main.preferences.values.send_key)

    def close(self) -> None:
        """Close all windows for good, before the session ends. The next run opens them again."""
        for window in self._windows:
            if window.isVisible():
                self._places[window.chat.uid] = geometry_of(window)
        self._keep_places()
        for window in self._windows:
            window.end()
        self._windows.clear()
