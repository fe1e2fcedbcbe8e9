"""The notices above the message box: problems and news that belong to no answer, with the actions that help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QSizePolicy, QToolButton, QWidget

from app.widgets.icons import Mark, icon
from app.widgets.labels import SentenceLabel, label, set_name
from app.widgets.layouts import FlowLayout, fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot

# How long a notice that leaves by itself is shown.
SHOWN_MS = 10_000
# The notices on screen at once: in the smallest window they leave room for the last lines of the chat.
MOST_SHOWN = 3
# The size of the mark before the sentence and the distance between them, in pixels.
_MARK, _SPACING = 18, 12


@dataclass(frozen=True)
class _NoticeContent:
    """`sentence` returns the text in the language in use. A notice that `leaves` is dropped after SHOWN_MS; one that
    is not `closable` stays until its reason is gone.
    """

    sentence: Callable[[], str]
    actions: tuple[QAction, ...]
    is_info: bool
    leaves: bool
    closable: bool
    about: str


class Notice(ThemeAware, QFrame):
    """One notice of a banner. `drop` removes it."""

    def __init__(self, message: _NoticeContent, drop: Callable[[Notice], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.message, self._drop = message, drop
        self.setObjectName("note" if message.is_info else "banner")
        mark = Mark(_MARK, self, icon("info") if message.is_info else icon("warning", "problem"))
        self._label = SentenceLabel(self)
        # A name that is wider than the window must not make the window wider.
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = fill(hbox(spacing=_SPACING), mark, (self._label, 1))
        column = fill(vbox(self, margins=(14, 8, 8, 8), spacing=6), row)
        # Several buttons beside it would leave no room for the sentence.
        below = None
        if len(message.actions) > 1:
            buttons = QWidget(self)
            below = FlowLayout(buttons, 8)
            fill(column, fill(hbox(margins=(_MARK + _SPACING, 0, 0, 0)), buttons))
        self._buttons = [styled(QPushButton(self), "button") for _ in message.actions]
        for button, action in zip(self._buttons, message.actions, strict=True):
            button.clicked.connect(partial(self._act, action))
            action.changed.connect(self.retranslate)
            (row if below is None else below).addWidget(button)
        self._close = self.bound("Dismiss", QToolButton(self), set_name)
        self._close.setIcon(icon("close"))
        self._close.clicked.connect(lambda: drop(self))
        self._close.setVisible(message.closable)
        row.addWidget(self._close)
        self._timer = single_shot(self, self._leave)
        self.restyle()
        if message.leaves:
            self._timer.start(SHOWN_MS)

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
            self._drop(self)

    def _act(self, action: QAction) -> None:
        if self.message.closable:
            self._drop(self)
        action.trigger()

    def retranslate(self) -> None:
        # Some sentences set the texts of their actions.
        self._label.setText(self.message.sentence())
        for button, action in zip(self._buttons, self.message.actions, strict=True):
            button.setText(action.text())
            button.setEnabled(action.isEnabled())


class Banner(ThemeAware, QFrame):
    """A queue of notices, the newest on top: each stays until it is closed or dismissed, or leaves if it may. Those
    that cannot be closed are at the bottom and always shown, then the newest of the others up to MOST_SHOWN; the rest
    wait until one of these is gone. While the mouse or the focus is on a notice, it stays where it is.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The oldest first.
        self._notices: list[Notice] = []
        self._waiting = label(self, "muted")
        self._column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), self._waiting)
        self.hide()
        self.restyle()

    @property
    def shown(self) -> list[Notice]:
        """The notices on screen, from top to bottom."""
        return [notice for notice in reversed(self._ordered()) if not notice.isHidden()]

    def show_message(
        self,
        sentence: Callable[[], str],
        *actions: QAction | None,
        is_info: bool = False,
        stays: bool = False,
        closable: bool = True,
        about: str = "",
    ) -> None:
        """Show a notice with its actions. `sentence` is called again when the language changes. `is_info` marks
        information, as opposed to a problem: it is removed after `SHOWN_MS` or when newer information comes, unless it
        `stays`. `about` is the name by which `dismiss` finds the notice.
        """
        given = tuple(action for action in actions if action is not None)
        message = _NoticeContent(sentence, given, is_info, is_info and not stays, closable, about)
        for notice in list(self._notices):
            is_replaced = notice.message.leaves and message.leaves and not notice.is_in_hand
            if is_replaced or notice.text == sentence():
                self._remove(notice)
        notice = Notice(message, self._drop, self)
        self._notices.append(notice)
        self._arrange()

    def dismiss(self, about: str) -> None:
        """Drop the notices that were shown with this `about`."""
        for notice in [one for one in self._notices if one.message.about == about]:
            self._remove(notice)
        self._arrange()

    def _drop(self, notice: Notice) -> None:
        self._remove(notice)
        self._arrange()

    def _remove(self, notice: Notice) -> None:
        self._notices.remove(notice)
        self._column.removeWidget(notice)
        # Not shown or found any more, although the signal of one of its buttons may still be running.
        notice.hide()
        notice.setParent(None)
        notice.deleteLater()

    def _ordered(self) -> list[Notice]:
        """Return the notices that cannot be closed, then the others, each from the oldest to the newest."""
        return sorted(self._notices, key=lambda notice: notice.message.closable)

    def _arrange(self) -> None:
        ordered = self._ordered()
        kept = [notice for notice in ordered if not notice.message.closable or notice.is_in_hand]
        others = [notice for notice in ordered if notice not in kept]
        shown = kept + others[max(0, len(kept) + len(others) - MOST_SHOWN) :]
        for place, notice in enumerate(reversed(ordered)):
            self._column.insertWidget(1 + place, notice)
            notice.setVisible(notice in shown)
        self.setVisible(bool(ordered))
        self.retranslate()

    def retranslate(self) -> None:
        for notice in self._notices:
            notice.retranslate()
        waiting = sum(notice.isHidden() for notice in self._notices)
        self._waiting.setVisible(waiting > 0)
        self._waiting.setText(self.tr("%Ln more notice(s)", "", waiting))
