"""Drivers of the parts of the window: a turn, the list of chats, the command palette, the pickers of models."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QLineEdit,
    QListView,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QToolButton,
    QWidget,
)

from app.conversations.database.records import Conversation, Folder
from app.models.picker_row import PickerRow
from app.sidebar.list_model import INSIDE, ROW
from app.transcript.answer_body import AnswerBody
from app.transcript.answer_texts import Note
from app.transcript.question_bubble import QuestionBubble
from app.transcript.tints.tints import AnswerTints, TintLayer
from app.widgets.search_field import LiveField

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.composer.message_edit import QuestionEditor
    from app.library.model_choices import ModelChoice
    from app.models.picker import Picker
    from app.sidebar.list_model import ChatListModel
    from app.sidebar.pane import ChatPane, PurgeButton
    from app.transcript.tints.token_legend import TokenLegend
    from app.transcript.turn_view import TurnView
    from app.window.palette import SearchPalette


def tinted_text(body: AnswerBody, tints: AnswerTints) -> str:
    """Return the letters of an answer that are tinted."""
    if not tints.is_shown:
        return ""
    letters = ""
    for view in body.text_views:
        layer = view.findChild(TintLayer)
        for position in range(view.document().characterCount() - 1):
            token = layer.token_at(position)
            if token is not None and tints.style(token) is not None:
                letters += view.document().characterAt(position)
    return letters


def names_in(legend: TokenLegend) -> list[str]:
    """Return the names that the legend of tokens shows."""
    shown = (name for name in legend.findChildren(QLabel) if name.isVisibleTo(legend))
    return [name.text() for name in shown if name.text()]


def button(widget: QWidget, name: str) -> QAbstractButton:
    """Return the button with that text or accessible name."""
    return next(
        found for found in widget.findChildren(QAbstractButton) if name in (found.text(), found.accessibleName())
    )


def entry(menu: QMenu, *path: str) -> QAction:
    """Return the entry of a menu at a path of texts."""
    for text in path[:-1]:
        menu = next(action.menu() for action in menu.actions() if action.text() == text)
    return next(action for action in menu.actions() if action.text() == path[-1])


def opened_menu(action: Callable[[], object]) -> QMenu:
    """Return the menu that `action` opens, without showing it, since offscreen a menu cannot grab the mouse."""
    opened: list[QMenu] = []
    with patch.object(QMenu, "popup", lambda menu, *_: opened.append(menu)):
        action()
    (menu,) = opened
    return menu


class TurnDriver:
    """A question with its answer. The widgets are looked up each time, since scrolling creates them again."""

    def __init__(self, view: TurnView) -> None:
        self.view = view

    @property
    def body(self) -> AnswerBody:
        """The blocks of the answer, without those of its thoughts."""
        return next(body for body in self.view.findChildren(AnswerBody) if not self.view.thinking.isAncestorOf(body))

    @property
    def blocks(self) -> list[QTextEdit | QPlainTextEdit]:
        """The text views of the answer, top to bottom."""
        return self.body.text_views

    @property
    def text(self) -> str:
        """The text of the answer on the screen."""
        return "\n".join(block.toPlainText() for block in self.blocks)

    @property
    def text_views(self) -> list[QTextEdit | QPlainTextEdit]:
        """The visible text views of the turn, top to bottom: question, thoughts, answer."""
        found = [*self.view.findChildren(QTextEdit), *self.view.findChildren(QPlainTextEdit)]
        shown = [view for view in found if view.isVisibleTo(self.view)]
        return sorted(shown, key=lambda view: view.mapTo(self.view, QPoint(0, 0)).y())

    @property
    def highlighted(self) -> list[str]:
        """The highlighted matches of a search, top to bottom."""
        return [mark.cursor.selectedText() for view in self.text_views for mark in view.extraSelections()]

    @property
    def tinted(self) -> str:
        """The letters of the answer that are tinted."""
        return tinted_text(self.view.body, self.view.tokens.tints)

    @property
    def thoughts(self) -> str:
        """The head of the folded thoughts, with their number of tokens and duration."""
        return self.view.thinking.head.text()

    @property
    def thoughts_shown(self) -> bool:
        return self.view.thinking.body.isVisible()

    @property
    def bubble(self) -> QuestionBubble:
        return self.view.findChild(QuestionBubble)

    @property
    def foot_label(self) -> QLabel:
        return self.view.findChild(QLabel, "footer")

    @property
    def origin(self) -> str:
        """The model and the time beside the buttons of an answer."""
        return self.view.answer_row.findChild(QLabel, "origin").text()

    @property
    def footer(self) -> str:
        return self.foot_label.text()

    @property
    def note(self) -> Note:
        """The note that says why the answer stopped, with a button that helps."""
        return self.view.findChild(Note)

    @property
    def note_text(self) -> str:
        """The text of the note; "" while it is hidden."""
        return "" if self.note.isHidden() else self.note.findChild(QLabel).text()

    @property
    def note_buttons(self) -> list[str]:
        """The texts of the note's buttons, from left to right."""
        shown = [one for one in self.note.findChildren(QPushButton) if one.isVisibleTo(self.note)]
        return [one.text() for one in sorted(shown, key=QPushButton.x)]

    def press_note(self, text: str = "") -> None:
        """Press the note's button with that text, or the one that helps."""
        buttons = self.note.findChildren(QPushButton)
        next(one for one in buttons if one.isVisibleTo(self.note) and text in ("", one.text())).click()

    def hover(self) -> None:
        """Move the pointer over the turn, so that it shows its buttons."""
        middle = QPointF(self.view.rect().center())
        QCoreApplication.sendEvent(self.view, QEnterEvent(middle, middle, middle))

    def press(self, word: str) -> None:
        """Press a button of the answer: copy, again, go-on, branch, more, previous, next."""
        self.view.answer_row.button(word).click()

    def press_question(self, word: str) -> None:
        """Press a button of the question: edit, copy-question, previous, next."""
        self.view.question_row.button(word).click()

    def menu(self) -> QMenu:
        """Open the menu of the turn."""
        return opened_menu(lambda: self.press("more"))

    @property
    def answer_version(self) -> str:
        """The number of the shown version of the answer, as "2/3"."""
        return self.view.answer_row.findChild(QLabel).text()

    @property
    def question_version(self) -> str:
        return self.view.question_row.findChild(QLabel).text()

    @property
    def editor(self) -> QuestionEditor:
        """The editor of the question."""
        assert self.view.editor is not None, "the question is not being edited"
        return self.view.editor

    @property
    def is_edited(self) -> bool:
        return self.view.editor is not None

    def edit(self, text: str) -> None:
        """Edit the question and send it."""
        self.press_question("edit")
        self.editor.edit.setPlainText(text)
        QTest.keyClick(self.editor.edit, Qt.Key.Key_Return)

    def click(self) -> None:
        """Click the answer, so that the panel shows its figures."""
        QTest.mouseClick(self.view, Qt.MouseButton.LeftButton)


class SidebarDriver:
    """The list of chats with the search above it. Rows are named by their texts."""

    def __init__(self, pane: ChatPane, settle: Callable[[], None]) -> None:
        self.pane, self._settle = pane, settle

    @property
    def model(self) -> ChatListModel:
        return self.pane.model

    @property
    def list(self) -> QListView:
        return self.pane.list

    @property
    def search(self) -> LiveField:
        return self.pane.search

    @property
    def empty_button(self) -> PurgeButton:
        """The button above the trash that empties it."""
        return self.pane.empty

    @property
    def back_button(self) -> QAbstractButton:
        """The button above other views that goes back to the chats."""
        return button(self.pane, "Back to the chats")

    @property
    def rows(self) -> list[str]:
        """The texts of the rows: headings, folders in brackets, chats in a folder with a dash."""
        found = []
        for number in range(self.model.rowCount()):
            index = self.model.index(number)
            row = index.data(ROW)
            if isinstance(row, Folder):
                found.append(f"[{row.name}]")
            else:
                inside = isinstance(row, Conversation) and index.data(INSIDE)
                found.append(("-" if inside else "") + index.data())
        return found

    @property
    def spoken(self) -> list[str]:
        """The texts of the rows for screen readers."""
        rows = (self.model.index(number) for number in range(self.model.rowCount()))
        return [row.data(Qt.ItemDataRole.AccessibleTextRole) for row in rows]

    @property
    def current(self) -> str:
        """The text of the current row; "" if there is none."""
        return self.list.currentIndex().data() or ""

    def index(self, title: str) -> QModelIndex:
        """Return the row of a chat, a folder or a hit."""
        rows = (self.model.index(number) for number in range(self.model.rowCount()))
        return next(row for row in rows if row.data() == title and not isinstance(row.data(ROW), str))

    def click(self, title: str) -> None:
        self.click_row(self.index(title))

    def click_mark(self, folder: str) -> None:
        """Click the mark of a folder that opens or closes it."""
        place = self.list.visualRect(self.index(folder))
        QTest.mouseClick(self.list.viewport(), Qt.MouseButton.LeftButton, pos=place.topLeft() + QPoint(14, 12))

    def click_row(self, index: QModelIndex) -> None:
        self.list.scrollTo(index)
        place = self.list.visualRect(index).center()
        QTest.mouseClick(self.list.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def select(self, title: str) -> None:
        """Make a row current, with the focus in the list."""
        self.list.setFocus()
        self.list.setCurrentIndex(self.index(title))

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key in the list."""
        QTest.keyClick(self.list, key, modifiers)

    def menu(self, title: str) -> QMenu:
        """Open the menu of a row."""
        self.list.scrollTo(self.index(title))
        place = self.list.visualRect(self.index(title)).center()
        return opened_menu(lambda: self.list.customContextMenuRequested.emit(place))

    def choose(self, title: str, *path: str) -> None:
        """Choose an entry of a row's menu, and wait until all work is done."""
        entry(self.menu(title), *path).trigger()
        self._settle()

    def rename(self, title: str, new: str) -> None:
        """Rename a row in place."""
        self.model.setData(self.index(title), new)
        self._settle()

    def drag(self, title: str, onto: str) -> None:
        """Drop a chat or a folder on another row; both are named as in `rows`."""
        names = self.rows
        data = self.model.mimeData([self.model.index(names.index(title))])
        self.model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, self.model.index(names.index(onto)))
        self._settle()

    def drag_between(self, title: str, above: int) -> None:
        """Drop a chat or a folder above the row of that number; -1 means below all rows."""
        data = self.model.mimeData([self.model.index(self.rows.index(title))])
        self.model.dropMimeData(data, Qt.DropAction.MoveAction, above, 0, QModelIndex())
        self._settle()

    def show_view(self, name: str) -> None:
        """Choose the listed view: "Chats", "Archive", "Trash" or the name of a folder."""
        menu = self.views_button.menu()
        menu.aboutToShow.emit()
        entry(menu, name).trigger()
        self._settle()

    @property
    def views_button(self) -> QToolButton:
        return button(self.pane, "Archive and trash")


class _CardDriver:
    """A card with a search field above a list."""

    def __init__(self, card: QWidget) -> None:
        self._card = card

    @property
    def field(self) -> QLineEdit:
        return self._card.findChild(QLineEdit)

    @property
    def list(self) -> QListWidget:
        return self._card.findChild(QListWidget)

    @property
    def is_open(self) -> bool:
        return self._card.isVisible()

    @property
    def rows(self) -> list[str]:
        """The texts of the rows for screen readers."""
        items = (self.list.item(number) for number in range(self.list.count()))
        return [item.data(Qt.ItemDataRole.AccessibleTextRole) for item in items]

    def type(self, text: str) -> None:
        QTest.keyClicks(self.field, text)

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.field, key)


class PaletteDriver(_CardDriver):
    """The command palette, or the search of the help."""

    def __init__(self, palette: SearchPalette) -> None:
        super().__init__(palette)
        self.palette = palette


class PickerDriver(_CardDriver):
    """The list of models below a chip of the header."""

    def __init__(self, picker: Picker) -> None:
        super().__init__(picker)
        self.picker = picker

    def open(self) -> None:
        """Click the chip in the header."""
        self.picker.open()

    def close(self) -> None:
        self.picker.close_overlay()

    @property
    def choices(self) -> list[ModelChoice]:
        """The models behind the rows."""
        return self.picker.choices()

    @property
    def note_text(self) -> str:
        """The notes that say why there is nothing to choose."""
        notes = self.picker.findChildren(QLabel, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return "\n".join(note.text() for note in notes if note.isVisible())

    def row(self, index: int) -> PickerRow:
        return self.list.itemWidget(self.list.item(index))

    def select(self, index: int) -> None:
        """Make a row current."""
        self.list.setCurrentRow(index)

    def find_more(self) -> None:
        """Press the link to the Models page below the list."""
        self.picker.findChild(QPushButton, "findMore").click()

    def show_more(self) -> None:
        """Unfold what is below the drafts."""
        self.picker.findChild(QPushButton, "more").setChecked(True)
