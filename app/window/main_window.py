"""The main window: chats on the left, the chat in the middle, speculation on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QStackedWidget

from app.actions.actions import Actions, Menus
from app.composer.choice_buttons import PresetButton, ThinkingButton
from app.composer.settings_sheet import ChatSettingsSheet
from app.composer.welcome import Welcome
from app.conversations.database.records import Attachment
from app.library.library import Library
from app.models.first_run import FirstRunOffer
from app.models.model_controller import ModelController
from app.session.chat_requests import OtherModel
from app.session.chats import Chat, Turn
from app.session.help_matching import prepare
from app.session.session import Session
from app.session.tandem_help import Fact
from app.settings.store import SettingsStore
from app.settings.window_geometry import geometry_of, restore_geometry
from app.settings_window.dialog import SettingsWindow
from app.settings_window.settings_applier import SettingsApplier
from app.sidebar.pane import ChatPane
from app.speculation.comparison import Comparer
from app.speculation.comparison_view import ComparisonView
from app.speculation.panel import SpeculationPanel
from app.system.background import Background
from app.system.mac_windows import mac_windows
from app.system.paths import settings_folder
from app.transcript.turn_column import COLUMN_WIDTH
from app.widgets.application import Application
from app.widgets.keyboard_focus import TabOrdered
from app.widgets.layouts import centred, fill, vbox
from app.widgets.outside import bring_to_front, hide_window
from app.widgets.theme_aware import ThemeAware
from app.window.about_window import AboutWindow
from app.window.actions import ACTIONS
from app.window.built_in_tools import tools_button
from app.window.chat_parts.answer_notice import Announcer, AnswerNotice
from app.window.chat_parts.attachment_reader import VisionHint
from app.window.chat_parts.chat_commands import ChatCommands
from app.window.chat_parts.chat_parts import ChatParts
from app.window.chat_parts.side_by_side import SideBySide
from app.window.chat_parts.unsaved import UnsavedChats
from app.window.chat_windows import ChatWindows
from app.window.file_drop import FileDrop
from app.window.folder_page import FolderPage
from app.window.header import Header
from app.window.help_search import HelpCard, HelpSearch
from app.window.import_card import ImportCard
from app.window.menu_bar_item import MenuBarItem
from app.window.notifications import Notifications
from app.window.palette import CommandPalette
from app.window.palette_rows import PaletteRow, chat_rows, folder_rows, model_rows, preset_rows
from app.window.panel_controller import PanelController
from app.window.panes import Panes
from app.window.quick_entry import QuickEntry
from app.window.session_log import SessionLog
from app.window.shortcuts_card import ShortcutsCard
from app.window.temporary_mark import TemporaryMark
from app.window.transfer import IMPORTED, ImportExport
from app.window.updates import UpdateChecker
from app.wording import privacy
from app.wording.pictures import left_out_sentence

# Actions that need no main window; the others show it again after it was closed on macOS.
_ACT_ELSEWHERE = {"about", "close-window", "models-page", "quick-entry", "request-history", "serve-api", "settings"}


def prepare_answers() -> None:
    """Import the turn's widgets and the Markdown parser, and make PySide6 create the types of all widgets.

    PySide6 does that when it is first asked for a widget that Qt made.
    """
    import app.transcript.turn_view  # noqa: F401
    from app.text.blocks import prepare_parser
    from app.wording.alerts import BLOCK_TITLES

    prepare_parser(BLOCK_TITLES)
    QScrollArea().viewport()


class MainWindow(ThemeAware, TabOrdered, FileDrop):
    """Wires the session to the three panes. Closing it ends the session.

    On macOS closing only hides it, as in other programs, and `quit` ends the session.
    """

    def __init__(self, session: Session, application: Application, library: Library | None = None) -> None:
        super().__init__()
        self.session = session
        self.application = application
        self._library = library or Library(SettingsStore(settings_folder() / "settings.json"))
        self.preferences = self._library.settings
        self._quits = False
        self._closed = False
        self._actions = Actions(ACTIONS, self)
        # Create each part in its final parent: moving a widget restyles everything in it.
        self.panes = Panes(self, self.preferences)
        self.setCentralWidget(self.panes.whole)
        self._middle = self.panes.middle
        self._stack = QStackedWidget(self._middle)
        self.parts = ChatParts(
            session, self._actions, lambda: session.chat, self._other_models, self._middle, self._stack
        )
        self._make_services()
        self._make_chat()
        self._make_panel()
        self._make_overlays()
        self._build()
        self._actions.bind(self)
        self._connect()
        self.restyle()
        self.take_files()
        restore_geometry(self, self.preferences.values.window_geometry)
        self._show_chat(session.chat)
        if self.preferences.backup is not None:
            self.notifications.show_backup(self.preferences.backup)

    def _make_services(self) -> None:
        """Make what tells, moves and keeps things beside the chat: notes, sidebar, import, models and settings."""
        session = self.session
        banner = self.parts.banner
        self.notifications = Notifications(banner, self._actions, self)
        self.updates = UpdateChecker(self.preferences, self.notifications, self)
        self.sidebar = ChatPane(session, self._actions["new-chat"], self.panes.whole)
        self.transfer = ImportExport(session, banner, self._actions["stop-transfer"], self)
        self._unsaved = UnsavedChats(session, banner, self._actions["export-all"], self.transfer, self)
        self._header = Header(session, self._actions, self._middle)
        models = self._header.main, self._header.draft
        self.models = ModelController(self._library, session, *models, banner, self)
        self.settings = SettingsWindow(self._library, session, self.models, self)
        self.about = AboutWindow(self)

    def _make_overlays(self) -> None:
        """Make what opens above the chat or beside the window: menus, palettes, cards and other windows."""
        session = self.session
        self._menus = Menus(self._actions, self)
        self.command_palette = CommandPalette(self._actions, self.settings.open, self._palette_places, self)
        self._background = Background("help", parent=self)
        self.help_search = HelpSearch(HelpCard(lambda: self.application.language.code, self), self)
        self.log = SessionLog(self)
        self.import_card = ImportCard(self)
        self.shortcuts_card = ShortcutsCard(self._actions, lambda: self.parts.composer.edit.send_key == "enter", self)
        self.quick_entry = QuickEntry(self.preferences, session, self.parts.attachments, self)
        self._chat_windows = ChatWindows(self, self._actions)
        self._settings_applier = SettingsApplier(self.preferences, self.application, session, self.parts.composer, self)
        self._announcer = Announcer(session, self)
        AnswerNotice(session, self.preferences, self)
        MenuBarItem(session, self.preferences, self._actions, self)

    def _other_models(self) -> Sequence[OtherModel]:
        return self.models.other_models()

    def _make_chat(self) -> None:
        session = self.session
        actions = self._actions
        self._welcome = Welcome(self._stack)
        self._offer = FirstRunOffer(self._library, self.models, self._welcome)
        self._welcome.set_offer(self._offer, lambda: self._offer.may_come)
        session.chats.opened.connect(lambda _chat: self.parts.find_bar.close_bar())
        composer = self.parts.composer
        self.vision_hint = VisionHint(
            session, self._library, composer.files, self.parts.banner, actions["choose-main"], self
        )
        self.chat_settings = ChatSettingsSheet(session, self)
        self.side_by_side = SideBySide(session, self)
        self.folder_page = FolderPage(session, self.parts.attachments.reason, self)
        self._preset_button = PresetButton(session, actions["chat-settings"], self)
        tools = tools_button(session, self._library, actions["choose-main"], self)
        composer.add_tools(self._preset_button, ThinkingButton(session, self), tools)
        self._temporary = TemporaryMark(actions, self._middle)
        self.chats = ChatCommands(session, self.sidebar, self.parts.search, self.notifications, self)

    def _make_panel(self) -> None:
        session = self.session
        actions = self._actions
        self._panel = SpeculationPanel(actions, self.panes.whole)
        self._panel.details.fold.setChecked(self.preferences.values.panel_details)
        self._panel.details.toggled.connect(lambda unfolded: self.preferences.change(panel_details=unfolded))
        PanelController(session, self.parts.transcript, self._panel, self)
        self._panel.shown.connect(self._header.stand_beside_panel)
        self.comparer = Comparer(session, self)
        self.comparison = ComparisonView(self.comparer, actions["compare"], self)

    def _palette_places(self) -> Iterator[PaletteRow]:
        """Yield what the command palette finds besides actions and settings."""
        yield from chat_rows(self.session.list, self.session)
        yield from folder_rows(self.session.list, self.folder_page.open_for)
        yield from preset_rows(self.session)
        yield from model_rows(self.models)
        yield from self.help_search.rows()

    def _build(self) -> None:
        self.setMinimumSize(560, 420)
        for page in (self._welcome, self.parts.transcript):
            self._stack.addWidget(page)
        column = vbox(self._middle, margins=(0, 0, 0, 0), spacing=0)
        notes = centred(self.parts.banner, COLUMN_WIDTH), centred(self._temporary, COLUMN_WIDTH)
        fill(column, self._header, self.parts.find_bar, (self._stack, 1), *notes).addSpacing(8)
        fill(column, centred(self.parts.composer, COLUMN_WIDTH))
        self.panes.surround(self.sidebar, self._panel, header=self._header, composer=self.parts.composer)
        self.sidebar.settings.clicked.connect(self._actions["settings"].trigger)

    def _connect(self) -> None:
        self._connect_chats()
        self._connect_application()
        self._connect_cards()
        self._connect_actions()
        self.notifications.follow(self.session)
        privacy.follow(self.session, self.preferences, self, self._show_privacy)

    def _connect_chats(self) -> None:
        """Connect what shows the chats of the session, and what begins or exports them."""
        session = self.session
        session.chats.opening_changed.connect(self.parts.transcript.cover)
        session.chats.opened.connect(self._show_chat)
        session.answers.asked.connect(lambda *_: self.panes.begin_panel())
        session.answers.not_stored.connect(self._restore_question)
        self.parts.turns_changed.connect(self._show_page)
        self.parts.updated.connect(self._show_state)
        self.sidebar.export_wanted.connect(self.transfer.export_chat)
        self.sidebar.row_menu.folder_page_wanted.connect(self.folder_page.open_for)
        self.sidebar.folder_made.connect(self.folder_page.open_for_new)
        for wanted in (self.sidebar.row_menu.chat_in_folder_wanted, self.folder_page.chat_wanted):
            wanted.connect(self.chats.begin_in_folder)
        self.parts.turns.versions_wanted.connect(self.side_by_side.open_for)

    def _connect_application(self) -> None:
        self.application.document_opened.connect(self._open_document)
        self.application.quit_wanted.connect(lambda event: event.setAccepted(self.quit()))
        self.application.applicationStateChanged.connect(self._follow_state)
        self.application.theme.changed.connect(self._actions.apply_theme)

    def _connect_cards(self) -> None:
        """Connect the offer of a model, the page of an empty chat, the header and the settings."""
        self.session.models.changed.connect(self._prepare_help)
        # The pair is remembered first.
        self.session.models.changed.connect(lambda: QTimer.singleShot(0, self._offer, self._offer.refresh))
        self._library.downloads_changed.connect(lambda: self._header.show_downloads(self._library.running))
        for wanted in (self.models.page_wanted, self._offer.more_wanted, self.parts.transcript.larger_wanted):
            wanted.connect(lambda *_: self.settings.open("models"))
        for place_wanted in (self.parts.transcript.place_wanted, self.help_search.card.place_wanted):
            place_wanted.connect(self._open_place)
        self._header.page_wanted.connect(self.settings.open)
        self.models.chat_wanted.connect(self._come_to_chat)
        self.import_card.file_wanted.connect(self.transfer.import_file)
        self.import_card.folder_wanted.connect(self.transfer.import_folder)
        self._welcome.asked.connect(self.parts.ask)
        self._welcome.asked.connect(lambda _text: self.parts.composer.setFocus())
        self._welcome.demonstration_wanted.connect(self._demonstrate)
        self.comparison.asked.connect(self.parts.ask)
        self._offer.starter_wanted.connect(self.parts.composer.setFocus)

    def _prepare_help(self) -> None:
        """Have the help read, with which the Starter answers, before it is asked for the first time."""
        if self.session.models.is_starter:
            self._background.run(prepare)

    def _open_place(self, fact: Fact) -> None:
        """Open the page of the settings that a fact of the help speaks of, or do what its action does if it can."""
        if fact.page:
            self.settings.open(fact.page)
        elif fact.action:
            # Does nothing while the action is disabled.
            self._actions[fact.action].trigger()

    def _connect_actions(self) -> None:
        """Connect all after which actions may be used or not, or show other texts or checks."""
        session = self.session
        for spec in self._actions.specs:
            if spec.id not in _ACT_ELSEWHERE:
                self._actions[spec.id].triggered.connect(self._come_back)
        # Some of these signals carry an argument.
        for changed in (
            self.comparison.closed,
            session.chats.trashed,
            session.chats.trash_emptied,
            session.chats.left,
            session.store.failed,
        ):
            changed.connect(lambda *_: self.parts.update_actions())
        for changed in (session.list.changed, self.notifications.report_changed, self.transfer.changed):
            changed.connect(self.parts.update_actions)
        for changed in (session.settings.speculation_changed, self.parts.transcript.shown_as, session.api.changed):
            changed.connect(self._actions.refresh_checks)

    def _show_chat(self, chat: Chat) -> None:
        # A syllable that is being composed belongs to the chat that was shown before.
        self.parts.composer.edit.commit_preedit()
        if chat is not self.parts.shown:
            self._keep_read_position()
        self._temporary.setVisible(chat.temporary)
        self.parts.transcript.may_branch = not chat.temporary
        self._show_page()
        self.parts.show_chat(chat)
        self.parts.update_actions()
        # An overlay that was opened while the chat was being read keeps the focus.
        if not self.has_open_card:
            self.parts.composer.setFocus()

    def _keep_read_position(self) -> None:
        self.session.chats.keep_read_position(self.parts.shown, self.parts.transcript.reading_position)

    def _show_page(self) -> None:
        """Show the transcript, or the welcome page if nothing was asked in the chat yet."""
        chat = self.chat
        self._stack.setCurrentWidget(self.parts.transcript if chat.turns or chat.waiting else self._welcome)

    def _restore_question(self, chat: Chat, turn: Turn) -> None:
        """Put a question that could not be stored back where it was written, before the text that is there now."""
        if chat is not self.session.chat and chat is self.quick_entry.chat:
            self.quick_entry.restore(turn.question, turn.attachments)
        else:
            self._give_back(chat, turn.question, turn.attachments)

    def _give_back(self, chat: Chat, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Put a question that was not asked into its chat's composer, before the text that is there now."""
        if chat is self.session.chat:
            self.parts.composer.restore(text, attachments)
        else:
            words = "\n\n".join(part for part in (text, chat.unsent) if part)
            self.session.chats.keep_unsent(chat, words, (*attachments, *chat.unsent_attachments))

    def _open_document(self, name: str) -> None:
        """Take a file that was opened with the app as a dropped one, but import one of chats."""
        self._come_back()
        if name.lower().endswith(IMPORTED):
            self.transfer.read(Path(name))
        else:
            self.attach_files([name])

    def open_beside(self, chat_id: int) -> None:
        self._chat_windows.open(chat_id)

    def _demonstrate(self, question: str) -> None:
        """Compare the speeds of an answer with and without speculation."""
        self.comparer.demonstrate(question)
        self.comparison.open()
        self.parts.update_actions()

    def _come_to_chat(self) -> None:
        self.settings.close()
        self.activateWindow()
        self.parts.composer.setFocus()

    def _show_state(self) -> None:
        """Show in the title and on the welcome page what may have changed with the possible actions."""
        session = self.session
        self.setWindowTitle(self.tr("Temporary chat") if session.chat.temporary else "")
        self._welcome.set_ready(session.answers.ready)
        folder = session.projects.folder(session.chat.folder_id)
        self._welcome.show_folder(folder, left_out_sentence(folder, session.models.pair))
        self._welcome.show_questions(session.models.is_starter_expected)

    def _show_privacy(self) -> None:
        self._welcome.show_privacy(privacy.welcome_sentence(self.session, self.preferences.values))

    def retranslate(self) -> None:
        self._show_privacy()
        self._actions.retranslate()
        self._menus.retranslate()
        self.parts.meter.show_usage()
        self.parts.update_actions()
        self.apply_text_size()

    def apply_text_size(self) -> None:
        self.panes.arrange_restyled()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.panes.arrange()

    def come_to_front(self) -> bool:
        """Show the window in front of other apps' windows. Return False if the session has ended."""
        if not self._closed:
            bring_to_front(self)
        return not self._closed

    def show_main_window(self) -> None:
        self.come_to_front()

    def _come_back(self) -> None:
        if self.isHidden():
            self.come_to_front()

    def _follow_state(self, state: Qt.ApplicationState) -> None:
        # Qt says so at a click on the icon in the Dock, even if the program is active. As elsewhere, that brings
        # no closed window back beside another one, for which the menu "Window" has an entry: opening the settings
        # alone, or changing to the window of a chat, activates the program, too.
        is_active = state == Qt.ApplicationState.ApplicationActive
        if is_active:
            self.session.history.follow_other_processes()
        if is_active and mac_windows() is not None and not self._is_another_shown():
            self._come_back()

    def _is_another_shown(self) -> bool:
        """Whether a window of the program is shown beside this one and the quick entry, which floats over all."""
        kinds = (Qt.WindowType.Window, Qt.WindowType.Dialog)
        shown = [window for window in self.application.topLevelWidgets() if window.isVisible()]
        return any(window.windowType() in kinds and window not in (self, self.quick_entry) for window in shown)

    def quit(self) -> bool:
        """End the session and the program. Return False if the person is asked first because chats would be lost."""
        self._quits = True
        self._quits = self._closed or self.close()
        return self._quits

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask first if chats would be lost. Then hide the window at once and wait for the threads."""
        if mac_windows() is not None and not self._quits:
            hide_window(self)
            event.ignore()
            return
        if not self.preferences.values.remove_everything and not self._unsaved.may_close():
            event.ignore()
            return
        # A syllable that is being composed belongs to the unsent message.
        self.parts.composer.edit.commit_preedit()
        entry = self.quick_entry
        if entry.edit.toPlainText().strip() or entry.files.attachments:
            chat = entry.chat if entry.chat.turns else self.session.chats.blank
            self._give_back(chat, entry.edit.toPlainText(), entry.files.attachments)
        self.preferences.change(window_geometry=geometry_of(self))
        self._keep_read_position()
        self._settings_applier.close()
        self.hide()
        self.updates.close()
        self.transfer.close()
        self.parts.close()
        self.folder_page.end()
        self.settings.close()
        self.quick_entry.close()
        self._chat_windows.close()
        self._library.close()
        self.session.close()
        self._closed = True
        super().closeEvent(event)
        QTimer.singleShot(0, self.application, self.application.quit)
