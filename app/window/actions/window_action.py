"""The window that actions act on, as far as they know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.actions.spec import ActionSpec
from app.widgets.overlay import Overlay

if TYPE_CHECKING:
    from app.composer.settings_sheet import ChatSettingsSheet
    from app.models.model_controller import ModelController
    from app.session.chats import Chat
    from app.session.session import Session
    from app.settings.store import SettingsStore
    from app.settings_window.dialog import SettingsWindow
    from app.sidebar.pane import ChatPane
    from app.speculation.comparison import Comparer
    from app.speculation.comparison_view import ComparisonView
    from app.widgets.application import Application
    from app.window.about_window import AboutWindow
    from app.window.chat_parts.chat_commands import ChatCommands
    from app.window.chat_parts.chat_parts import ChatParts
    from app.window.help_search import HelpSearch
    from app.window.import_card import ImportCard
    from app.window.notifications import Notifications
    from app.window.palette import CommandPalette
    from app.window.panes import Panes
    from app.window.quick_entry import QuickEntry
    from app.window.session_log import SessionLog
    from app.window.shortcuts_card import ShortcutsCard
    from app.window.transfer import ImportExport
    from app.window.updates import UpdateChecker


class ActedWindow(QMainWindow):
    """A main window with the views and services that its actions use."""

    session: Session
    application: Application
    preferences: SettingsStore
    notifications: Notifications
    updates: UpdateChecker
    settings: SettingsWindow
    about: AboutWindow
    models: ModelController
    panes: Panes
    command_palette: CommandPalette
    help_search: HelpSearch
    quick_entry: QuickEntry
    log: SessionLog
    import_card: ImportCard
    shortcuts_card: ShortcutsCard
    sidebar: ChatPane
    chats: ChatCommands
    parts: ChatParts
    chat_settings: ChatSettingsSheet
    transfer: ImportExport
    comparer: Comparer
    comparison: ComparisonView

    def quit(self) -> bool:
        """End the session and the program. Return False if the person is asked first."""
        raise NotImplementedError

    def show_main_window(self) -> None:
        """Show the main window in front of the others, also after it was closed."""
        raise NotImplementedError

    def open_beside(self, chat_id: int) -> None:
        """Show a chat in a window of its own."""
        raise NotImplementedError

    @property
    def chat(self) -> Chat:
        """The chat that the window shows."""
        return self.session.chat

    @property
    def front_window(self) -> QWidget:
        """The active window, which may be the settings: they have no menu bar of their own."""
        return QApplication.activeWindow() or self

    @property
    def has_open_card(self) -> bool:
        """Whether a card is open in the window, which keeps the focus."""
        cards = self.findChildren(Overlay, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return any(not card.isHidden() for card in cards)

    @property
    def is_kept(self) -> bool:
        """Whether the chat on screen is in the list. One that holds only an unsent message is the next new chat."""
        chat = self.chat
        return chat.id is not None and bool(chat.turns) and not chat.temporary

    @property
    def has_answer(self) -> bool:
        return any(turn.answer.text for turn in self.chat.turns)

    @property
    def can_retry(self) -> bool:
        return self.session.answers.can_ask_in(self.chat) and bool(self.chat.turns)


WindowAction = ActionSpec[ActedWindow]
