"""The left pane: new chat, search over all chats, and the list of active, archived or trashed chats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.conversations.conversation_list import ACTIVE, ARCHIVED, TRASHED, ConversationList
from app.conversations.database.records import Conversation, Folder
from app.conversations.search import MessageHit, TitleHit
from app.session.session import Session
from app.sidebar.list_model import ROW, ChatListModel
from app.sidebar.row_menu import MOVE_DOWN, MOVE_UP, RowMenu, fill_folders
from app.sidebar.row_painter import RowPainter, RowView
from app.widgets.buttons import ConfirmButton
from app.widgets.controls import Switch
from app.widgets.icons import icon
from app.widgets.keyboard_focus import mark_keyboard_focus
from app.widgets.labels import label, set_name
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import Menu
from app.widgets.search_field import SearchField
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware

# Pixels at the edge of the pane that are its handle.
_EDGE = 7

_Found = tuple[list[TitleHit], list[MessageHit]]


class ChatPane(ThemeAware, QFrame):
    """Lists and searches chats.

    `hit_chosen` carries the chat and the message of a chosen search result, `export_wanted` a chat to write to a file,
    and `folder_made` a new folder without chats.
    """

    hit_chosen = Signal(int, int)
    folder_made = Signal(int)
    export_wanted = Signal(int)

    def __init__(self, session: Session, new_chat: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._session = session
        self._chats = session.list
        self._new_action = new_chat
        self._shown: int | None = None
        self._streaming: frozenset[int] = frozenset()
        self._new = self.bound("New chat", styled(QPushButton(self), "plain"))
        self._new.clicked.connect(new_chat.trigger)
        self._new_folder = self.bound("New folder", QToolButton(self), set_name)
        self._new_folder.setIcon(icon("folder"))
        self._new_folder.clicked.connect(self.make_folder)
        self.search = SearchField(self)
        self.bound("Search chats", self.search, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self._views = self.bound("Archive and trash", QToolButton(self), set_name)
        self._views.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._views_menu = Menu(self)
        self._views.setMenu(self._views_menu)
        self._back = self.bound("Back to the chats", styled(QPushButton(self), "plain"), set_name)
        self.empty = PurgeButton(self)
        # Hidden until the store has been read.
        self._back.hide()
        self.empty.hide()
        self.hint = label(self, "muted", wraps=True)
        self.hint.setContentsMargins(10, 8, 8, 0)
        self.hint.hide()
        self.from_backups = self.bound("Delete chats from the backups too", Switch(self), set_name)
        # It is in no list.
        self.temporary = self.bound("Temporary chat", named(label(self, ""), "attachment"))
        self.temporary.setContentsMargins(10, 6, 10, 6)
        self.model = ChatListModel(self)
        self.list = self.bound("Chats", RowView(self), QWidget.setAccessibleName)
        # A tool button, because a push button with a menu does not keep the margins of the style sheet.
        self.settings = self.bound("Settings", styled(QToolButton(self), "plain"))
        self.settings.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.settings.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.settings.setIconSize(QSize(20, 16))
        for button, drawing in ((self._new, "plus"), (self._back, "chevron-left"), (self.settings, "settings")):
            button.setIcon(icon(drawing, "text"))
        self._views.setIcon(icon("archive"))
        self.row_menu = RowMenu(session.list, session.chats, self)
        self.folder_menu = Menu(self)
        self._build()
        self._connect()
        self.restyle()

    def _build(self) -> None:
        view = self.list
        view.setModel(self.model)
        view.setItemDelegate(RowPainter(view))
        mark_keyboard_focus(view)
        view.setMouseTracking(True)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        view.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # The list has its scroll bar in the right margin, beside the edge of the pane, which can be dragged.
        column = vbox(self, margins=(12, 16, _EDGE, 12), spacing=8)
        above, below = (vbox(margins=(0, 0, 12 - _EDGE, 0), spacing=8) for _ in range(2))
        line = fill(hbox(spacing=4), (self.search, 1), self._views)
        new = fill(hbox(spacing=4), (self._new, 1), self._new_folder)
        hint = fill(hbox(), (self.hint, 1), self.from_backups)
        fill(above, new, line, self._back, self.empty, self.temporary, hint)
        fill(below, self.settings)
        fill(column, above, (view, 1), below)

    def _connect(self) -> None:
        change = self._chats.change
        self.search.typed.connect(self._search)
        self.search.down.connect(self._go_to_list)
        self.search.chosen.connect(self._choose_first)
        self.list.clicked.connect(self._clicked)
        # Chats that kept their places under the pointer are sorted now; a search stays.
        self.list.left.connect(lambda: None if self.search.words.strip() else self._fill())
        self.list.activated.connect(self._activated)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self._views_menu.aboutToShow.connect(self._fill_views)
        self._back.clicked.connect(lambda: self.show_view(ACTIVE))
        chosen = self.from_backups.isChecked
        chats = self._session.chats
        self.empty.emptied.connect(lambda: chats.empty_trash(backups=chosen()))
        self.empty.purged.connect(lambda chat_id: chats.purge(chat_id, backups=chosen()))
        self.empty.left.connect(self.list.setFocus)
        self.row_menu.rename_wanted.connect(self.rename)
        self.row_menu.purge_wanted.connect(self.empty.ask_about)
        self.row_menu.folder_rename_wanted.connect(self.rename_folder)
        self.row_menu.new_folder_wanted.connect(self.move_to_new_folder)
        self.row_menu.export_wanted.connect(self.export_wanted)
        self.model.renamed.connect(partial(change, ConversationList.rename))
        self.model.pins_ordered.connect(partial(change, ConversationList.order_pins))
        self.model.moved.connect(self._chats.move_to_folder)
        self.model.folders_ordered.connect(partial(change, ConversationList.order_folders))
        self.model.folder_renamed.connect(partial(change, ConversationList.rename_folder))

    def refresh(self, shown: int | None, streaming: frozenset[int]) -> None:
        """Show the list. `shown` is the id of the chat on screen; in the chats of `streaming` an answer is written."""
        self._shown = shown
        self._streaming = streaming
        self.temporary.setVisible(self._session.chat.temporary)
        self._fill()

    def show_view(self, view: str) -> None:
        self.search.clear()
        self._session.store.show_view(view)

    def rename_folder(self, folder_id: int) -> None:
        """Open the editor of the folder's name in the list."""
        self._edit(self.model.row_of(Folder, folder_id))

    def rename(self, conversation_id: int) -> None:
        """Open the editor of the chat's title in the list."""
        self._edit(self.model.row_of(Conversation, conversation_id))

    def _edit(self, index: QModelIndex) -> None:
        if index.isValid():
            self.list.setCurrentIndex(index)
            self.list.edit(index)

    def _fill(self) -> None:
        in_trash = self._chats.view == TRASHED
        self._back.setVisible(self._chats.view != ACTIVE)
        for control in (self.empty, self.from_backups):
            control.setVisible(in_trash and bool(self._chats.chats))
        self.empty.show_trash(self._chats.chats if in_trash else ())
        self._show_view_name()
        if self.search.words.strip():
            self._search(self.search.words)
            return
        # A row that is being edited must not be replaced.
        if self.list.state() == QAbstractItemView.State.EditingState:
            return
        chats = self._chats
        before = self.list.currentIndex().data(ROW)
        # All rows of this list have the same height, so the view measures only one of them.
        self.list.setUniformItemSizes(True)
        with self.list.anchored():
            stays = self.list.underMouse()
            self.model.show_chats(chats.chats, chats.view, self._streaming, chats.folders, stays)
        store = self._session.store
        self.hint.setVisible(store.ready and (in_trash or not self.model.rows or store.list_error is not None))
        # A folder that is used by keyboard stays the current row.
        folder = self.model.row_of(Folder, before.id) if isinstance(before, Folder) else QModelIndex()
        stays = folder.isValid() and self.list.hasFocus()
        self.list.setCurrentIndex(folder if stays else self.model.row_of(Conversation, self._shown))

    def _search(self, text: str) -> None:
        if not text.strip():
            self._fill()
            return
        # In the trash it names the switch.
        self.hint.setHidden(self.from_backups.isHidden())

        def show(hits: _Found) -> None:
            # The user types while the store searches; only the newest search counts.
            if self.search.words == text:
                self.list.setUniformItemSizes(False)
                self.model.show_found(*hits)

        self._chats.search(text, show)

    def _go_to_list(self) -> None:
        """Give the list the focus, at its current row or else its first."""
        if not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self._first_row())
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _choose_first(self) -> None:
        """Show the first search result, if a search is shown."""
        if self.search.words.strip():
            self._activated(self._first_row())

    def _first_row(self) -> QModelIndex:
        """Return the first row that is no heading; an invalid index if there is none."""
        for number, row in enumerate(self.model.rows):
            if not isinstance(row, str):
                return self.model.index(number)
        return QModelIndex()

    def _clicked(self, index: QModelIndex) -> None:
        row = index.data(ROW)
        if isinstance(row, Folder) and self.list.pressed_mark:
            self._chats.change(ConversationList.close_folder, row.id, not row.closed)
        else:
            self._activated(index)

    def _activated(self, index: QModelIndex) -> None:
        row = index.data(ROW)
        if isinstance(row, Folder):
            self.row_menu.folder_page_wanted.emit(row.id)
        elif isinstance(row, Conversation):
            self._session.chats.open_id(row.id)
        elif isinstance(row, TitleHit):
            self._session.chats.open_id(row.conversation_id)
        elif isinstance(row, MessageHit):
            self.hit_chosen.emit(row.conversation_id, row.message_id)

    def _show_menu(self, position: QPoint) -> None:
        row = self.list.indexAt(position).data(ROW)
        if isinstance(row, Conversation):
            self.row_menu.fill_for_chat(row)
        elif isinstance(row, Folder):
            self.row_menu.fill_for_folder(row)
        else:
            return
        self.row_menu.popup(self.list.viewport().mapToGlobal(position))

    def choose_folder(self, conversation_id: int) -> None:
        """Show a menu of the folders that the chat can be moved to."""
        chat = self._chats.chat(conversation_id)
        if chat is not None:
            fill_folders(self.folder_menu, chat, self._chats, self.move_to_new_folder)
            row = self.list.visualRect(self.model.row_of(Conversation, chat.id))
            self.folder_menu.popup(self.list.viewport().mapToGlobal(row.bottomLeft()))

    def move_to_new_folder(self, chat_id: int) -> None:
        """Create a folder with this chat in it, and open the editor of its name."""

        def made(folder_id: int) -> None:
            # The list with the new folder arrives after this call.
            QTimer.singleShot(0, self, lambda: self.rename_folder(folder_id))

        self._chats.move_to_new_folder(chat_id, self._free_name(), made)

    def make_folder(self) -> None:
        """Create an empty folder, and show its page, where it gets its name."""

        def made(folder_id: int) -> None:
            QTimer.singleShot(0, self, lambda: self.folder_made.emit(folder_id))

        self._chats.make_folder(self._free_name(), made)

    def _free_name(self) -> str:
        names = {folder.name for folder in self._chats.folders}
        name = self.tr("New folder")
        number = 2
        while name in names:
            name = f"{self.tr('New folder')} {number}"
            number = number + 1
        return name

    def _fill_views(self) -> None:
        menu = self._views_menu
        menu.clear()
        for view, text in ((ACTIVE, self.tr("Chats")), (ARCHIVED, self.tr("Archive")), (TRASHED, self.tr("Trash"))):
            menu.add_choice(text, view == self._chats.view, partial(self.show_view, view))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row: Any = self.list.currentIndex().data(ROW)
        handled = False
        if self.list.hasFocus() and isinstance(row, Folder):
            handled = self._press_on_folder(row, event)
        elif self.list.hasFocus() and isinstance(row, Conversation):
            handled = self._press_on_chat(row, event)
        if not handled:
            super().keyPressEvent(event)

    def _press_on_folder(self, folder: Folder, event: QKeyEvent) -> bool:
        keys = QKeySequence(event.keyCombination())
        key = event.key()
        if keys in (MOVE_UP, MOVE_DOWN):
            self._chats.shift_folder(folder.id, -1 if keys == MOVE_UP else 1)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            if folder.closed != (key == Qt.Key.Key_Left):
                self._chats.change(ConversationList.close_folder, folder.id, not folder.closed)
        else:
            return False
        return True

    def _press_on_chat(self, chat: Conversation, event: QKeyEvent) -> bool:
        # Backspace alone is pressed by mistake too easily; with the modifier it deletes, as in the system's file lists.
        has_modifier = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        is_backspace = event.key() == Qt.Key.Key_Backspace and has_modifier
        if event.key() != Qt.Key.Key_Delete and not is_backspace:
            return False
        if chat.trashed_at is None:
            self._session.chats.trash(chat.id)
        else:
            self.empty.ask_about(chat.id)
        return True

    def retranslate(self) -> None:
        self._new.setToolTip(self._new_action.toolTip())
        self._show_view_name()
        # The headings among the rows are translated too.
        self.model.layoutChanged.emit()

    def _show_view_name(self) -> None:
        self._back.setText(self.tr("Trash") if self._chats.view == TRASHED else self.tr("Archive"))
        self.hint.setText(self._hint_text())

    def _hint_text(self) -> str:
        """Return the text that is shown if no chat is listed or can be read, or above the chats in the trash.

        A list without chats says nothing where they will appear.
        """
        if self._session.store.list_error is not None:
            return self.tr("Your chats can't be read. Quit and reopen Tandem to repair them.")
        if self._chats.view == TRASHED and self._chats.chats:
            return self.from_backups.accessibleName()
        return {
            ACTIVE: "",
            ARCHIVED: self.tr("No archived chats"),
            TRASHED: self.tr("The trash is empty."),
        }[self._chats.view]


# The button's padding and border.
_PURGE_PADDING = 14


class PurgeButton(ConfirmButton):
    """Empties the trash or, after `ask_about`, deletes one chat permanently."""

    emptied = Signal()
    purged = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trash: Sequence[Conversation] = ()
        self._one: Conversation | None = None
        self.confirmed.connect(lambda: self.purged.emit(self._one.id) if self._one else self.emptied.emit())
        self.restyle()

    def show_trash(self, chats: Sequence[Conversation]) -> None:
        """Set the chats that would be deleted. A question about other chats is withdrawn."""
        ids = {chat.id for chat in chats}
        before = {chat.id for chat in self._trash}
        self._trash = list(chats)
        is_same_question = ids == before if self._one is None else self._one.id in ids
        if is_same_question:
            self.retranslate()
        else:
            self.withdraw()

    def ask_about(self, conversation_id: int) -> None:
        """Ask whether to delete that chat permanently, if it is still in the trash."""
        self._one = next((chat for chat in self._trash if chat.id == conversation_id), None)
        if self._one is not None:
            self.ask()

    def withdraw(self) -> None:
        self._one = None
        super().withdraw()

    def retranslate(self) -> None:
        if not self.asks:
            self.setText(self.tr("Empty Trash"))
            self.setAccessibleName(self.text())
            return
        question = self.tr("Delete permanently?")
        what = self.tr("%Ln chat(s)", "", len(self._trash))
        if self._one is not None:
            what = self._one.title or self.tr("Untitled chat")
        self.setAccessibleName(f"{question} {what}")
        # One line would be too short for the number in the longest language.
        elided = self.fontMetrics().elidedText(what, Qt.TextElideMode.ElideRight, self.width() - 2 * _PURGE_PADDING)
        self.setText(f"{question}\n{elided}".replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.retranslate()
