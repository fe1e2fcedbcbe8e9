"""The notices above the message box: problems and news that belong to no answer, with the actions that help."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QSizePolicy, QToolButton, QWidget

from app.widgets.icons import Mark, icon
from app.widgets.labels import SentenceLabel, label, set_name
from app.widgets.layouts import FlowLayout, fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme import scaled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot

# How long a notice that leaves by itself is shown.
SHOWN_MS = 10_000
# The notices on screen at once: in the smallest window they leave room for the last lines of the chat.
MOST_SHOWN = 3
# The height of a window, in pixels at the normal text size, below which one notice is all that has room.
_LOW = 520
# In pixels: the size of the mark before the sentence.
_MARK = 18
# The distance between the mark, the sentence and the buttons beside it.
_SPACING = 12
# The distance between the sentence and a button below it.
_BELOW = 6
# The letters of a file's name that fit on a line of a notice in the smallest window.
_NAME_LETTERS = 36


@dataclass(frozen=True)
class _NoticeContent:
    """The text of a notice, its actions, and how long it stays.

    `sentence` returns the text in the language in use. A notice that `leaves` is dropped after SHOWN_MS; one that is
    not `closable` stays until its reason is gone.
    """

    sentence: Callable[[], str]
    actions: tuple[QAction, ...]
    is_info: bool
    leaves: bool
    closable: bool
    about: str


class Notice(ThemeAware, QFrame):
    """One notice of a banner. `drop` removes it; `renamed` is called with it and its text before each change of it."""

    def __init__(
        self,
        message: _NoticeContent,
        drop: Callable[[Notice], None],
        renamed: Callable[[Notice, str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.message = message
        self._remove_and_arrange = drop
        self._renamed = renamed
        self.setObjectName("note" if message.is_info else "banner")
        mark = Mark(_MARK, self, icon("info") if message.is_info else icon("warning", "problem"))
        self._label = SentenceLabel(self, _NAME_LETTERS)
        # A name that is wider than the window must not make the window wider.
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._buttons = [styled(QPushButton(self), "button") for _ in message.actions]
        for button, action in zip(self._buttons, message.actions, strict=True):
            button.clicked.connect(partial(self._act, action))
            action.changed.connect(self.retranslate)
        self._close_button = self.bound("Dismiss", QToolButton(self), set_name)
        self._close_button.setIcon(icon("close"))
        self._close_button.clicked.connect(lambda: drop(self))
        self._close_button.setVisible(message.closable)
        self._lay_out(mark)
        self._timer = single_shot(self, self._leave)
        self.restyle()
        if message.leaves:
            self._timer.start(SHOWN_MS)

    def _lay_out(self, mark: Mark) -> None:
        """Place the mark, the sentence, the buttons and the button that closes the notice."""
        column = vbox(self, margins=(14, 8, 8, 8), spacing=_BELOW)
        if len(self._buttons) == 1:
            row = QWidget(self)
            _OneButtonLayout(row, mark, self._label, self._buttons[0], self._close_button)
            fill(column, row)
            return
        fill(column, fill(hbox(spacing=_SPACING), mark, (self._label, 1), self._close_button))
        if self._buttons:
            # Several buttons beside it would leave no room for the sentence.
            buttons = QWidget(self)
            below = FlowLayout(buttons, 8)
            for button in self._buttons:
                below.addWidget(button)
            fill(column, fill(hbox(margins=(_MARK + _SPACING, 0, 0, 0)), buttons))

    @property
    def text(self) -> str:
        return self._label.text()

    @property
    def is_in_hand(self) -> bool:
        """Whether the mouse or the focus is on it."""
        focus = QApplication.focusWidget()
        return self.underMouse() or (focus is not None and self.isAncestorOf(focus))

    def _leave(self) -> None:
        """Leave. While it is in use, or another window is in front of it, try again later."""
        if self.is_in_hand or not self.isActiveWindow():
            self._timer.start(SHOWN_MS)
        else:
            self._remove_and_arrange(self)

    def _act(self, action: QAction) -> None:
        if self.message.closable:
            self._remove_and_arrange(self)
        action.trigger()

    def retranslate(self) -> None:
        # Some sentences set the texts of their actions.
        before = self.text
        text = self.message.sentence()
        self._label.setText(text)
        self._renamed(self, before)
        for button, action in zip(self._buttons, self.message.actions, strict=True):
            button.setText(action.text())
            button.setEnabled(action.isEnabled())


class _OneButtonLayout(FlowLayout):
    """A mark, a sentence, a button beside it, and the button that closes the notice.

    Where a narrow window makes the sentence beside the button higher by the button's height, or cuts a name in it off,
    the button is below it.
    """

    def __init__(self, parent: QWidget, *widgets: QWidget) -> None:
        super().__init__(parent, _SPACING)
        for widget in widgets:
            self.addWidget(widget)

    def minimumSize(self) -> QSize:
        # The height that the sentence asks for is for a width of its own choice.
        _, _, button, _ = self._items
        return QSize(0, button.sizeHint().height())

    def _cells(self, width: int, *, with_hidden: bool = False) -> list[QRect]:  # noqa: ARG002
        mark, sentence, button, close = self._items
        mark_size, button_size, close_size = (item.sizeHint() for item in (mark, button, close))
        left = mark_size.width() + _SPACING
        right = width if close.isEmpty() else width - close_size.width() - _SPACING
        room = max(1, right - left)
        button_size = button_size.boundedTo(QSize(room, button_size.height()))
        room_beside = max(1, room - button_size.width() - _SPACING)
        height = sentence.heightForWidth(room)
        height_beside = sentence.heightForWidth(room_beside)
        label = sentence.widget()
        assert label is not None
        longest_word = min(label.minimumSizeHint().width(), room)
        is_below = height_beside >= height + button_size.height() or room_beside < longest_word
        if not is_below:
            room = room_beside
            height = max(height_beside, button_size.height())
        height = max(height, mark_size.height(), close_size.height())

        def centred(x: int, size: QSize) -> QRect:
            return QRect(QPoint(x, (height - size.height()) // 2), size)

        beside = centred(right - button_size.width(), button_size)
        return [
            centred(0, mark_size),
            QRect(left, 0, room, height),
            QRect(QPoint(left, height + _BELOW), button_size) if is_below else beside,
            centred(width - close_size.width(), close_size),
        ]


class Banner(ThemeAware, QFrame):
    """A queue of notices, the newest on top. Each stays until it is closed or dismissed, or leaves by itself if it may.

    Notices that cannot be closed are at the bottom and always shown. Above them are the newest of the others, up to
    MOST_SHOWN in all, or to one in a low window; the remaining ones wait until a shown one is gone. While the mouse or
    the focus is on a notice, it stays where it is.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The notices that cannot be closed, the oldest first. Notices that nobody closes can become many, so the cost
        # of one more must not depend on their number.
        self._fixed: dict[Notice, None] = {}
        # The other notices, the oldest first.
        self._others: dict[Notice, None] = {}
        self._leaving: dict[Notice, None] = {}
        self._by_text: dict[str, Notice] = {}
        self._by_topic: defaultdict[str, dict[Notice, None]] = defaultdict(dict)
        self._on_screen: set[Notice] = set()
        self._waiting = label(self, "muted")
        self._column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), self._waiting)
        self.hide()
        self.restyle()
        self._most = MOST_SHOWN
        if parent is not None:
            parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show as many notices as the height of the parent has room for."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            most = 1 if watched.height() < scaled(_LOW) else MOST_SHOWN
            if most != self._most:
                self._most = most
                self._arrange()
        return super().eventFilter(watched, event)

    @property
    def shown(self) -> list[Notice]:
        """The notices on screen, from top to bottom."""
        return sorted(self._on_screen, key=self._column.indexOf)

    def show_message(
        self,
        sentence: Callable[[], str],
        *actions: QAction | None,
        is_info: bool = False,
        stays: bool = False,
        closable: bool = True,
        about: str = "",
    ) -> None:
        """Show a notice with its actions.

        `sentence` is called again when the language changes. `is_info` marks information, as opposed to a problem: it
        is removed after `SHOWN_MS` or when newer information comes, unless it `stays`. `about` is the name by which
        `dismiss` finds the notice.
        """
        given = tuple(action for action in actions if action is not None)
        message = _NoticeContent(sentence, given, is_info, is_info and not stays, closable, about)
        replaced = [notice for notice in self._leaving if message.leaves and not notice.is_in_hand]
        same = self._by_text.get(sentence())
        if same is not None and same not in replaced:
            replaced.append(same)
        for notice in replaced:
            self._remove(notice)
        self._add(Notice(message, self._remove_and_arrange, self._update_text, self))
        self._arrange()

    def dismiss(self, about: str) -> None:
        """Drop the notices that were shown with this `about`."""
        notices = [*self._by_topic.get(about, ())]
        for notice in notices:
            self._remove(notice)
        if notices:
            self._arrange()

    def reword(self, about: str) -> None:
        """Word the notices that were shown with this `about` again, because their subject has changed."""
        for notice in [*self._by_topic.get(about, ())]:
            notice.retranslate()

    def _remove_and_arrange(self, notice: Notice) -> None:
        self._remove(notice)
        self._arrange()

    def _add(self, notice: Notice) -> None:
        """Put a notice above all others of its kind."""
        message = notice.message
        (self._others if message.closable else self._fixed)[notice] = None
        if message.leaves:
            self._leaving[notice] = None
        self._by_topic[message.about][notice] = None
        self._by_text[notice.text] = notice
        # Below the label of those that wait.
        self._column.insertWidget(1 if message.closable else 1 + len(self._others), notice)
        notice.hide()

    def _remove(self, notice: Notice) -> None:
        for notices in (self._fixed, self._others, self._leaving, self._by_topic[notice.message.about]):
            notices.pop(notice, None)
        if self._by_text.get(notice.text) is notice:
            del self._by_text[notice.text]
        self._on_screen.discard(notice)
        self._column.removeWidget(notice)
        # Not shown or found any more, although the signal of one of its buttons may still be running.
        notice.hide()
        notice.setParent(None)
        notice.deleteLater()

    def _update_text(self, notice: Notice, before: str) -> None:
        """Find a notice by its new text from now on, unless it is being made or was removed: its actions may change."""
        if notice not in self._fixed and notice not in self._others:
            return
        if self._by_text.get(before) is notice:
            del self._by_text[before]
        self._by_text[notice.text] = notice

    def _arrange(self) -> None:
        always_shown = [
            *self._fixed,
            *(notice for notice in self._on_screen if notice.message.closable and notice.is_in_hand),
        ]
        others = (notice for notice in reversed(self._others) if notice not in always_shown)
        shown = {*always_shown, *islice(others, max(0, self._most - len(always_shown)))}
        for notice in self._on_screen - shown:
            notice.hide()
        for notice in shown:
            notice.show()
        self._on_screen = shown
        self.setVisible(bool(shown))
        self.retranslate()

    def retranslate(self) -> None:
        waiting = len(self._fixed) + len(self._others) - len(self._on_screen)
        self._waiting.setVisible(waiting > 0)
        self._waiting.setText(self.tr("%Ln more notice(s)", "", waiting))
