"""What can be done with a message, as a row of small buttons that is painted while the mouse or the focus is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.session.chats import MessageNode

ROW_HEIGHT = 26
_COPIES = ("copy", "copy-question")
# How long a button says that it has copied.
_TOLD_MS = 2000


class ActionRow(QWidget):
    """Keeps its room when it is not lit, so that nothing moves. `acted` carries a word.

    Buttons can be reached with the keyboard; the one with the focus lights the row.
    """

    acted = Signal(str)

    def __init__(self, words: Iterable[tuple[str, str]], align_right: bool, parent: QWidget | None = None) -> None:
        """`words` are the row's actions with their icons; "previous" and "next" switch between versions."""
        super().__init__(parent)
        self.setFixedHeight(ROW_HEIGHT)
        self._lit = False
        self._done: set[str] = set()
        self._icons = {"previous": "chevron-left", "next": "chevron-right", **dict(words)}
        self._buttons = {word: _Button(self) for word in self._icons}
        self._count = _Count(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        if align_right:
            row.addStretch(1)
        row.addWidget(self._buttons["previous"])
        row.addWidget(self._count)
        row.addWidget(self._buttons["next"])
        for word, button in self._buttons.items():
            button.clicked.connect(lambda _=False, chosen=word: self._act(chosen))
            if word not in ("previous", "next"):
                row.addWidget(button)
        if not align_right:
            row.addStretch(1)
        self.dress()

    def _act(self, word: str) -> None:
        self.acted.emit(word)
        if word in _COPIES:
            # Nothing else shows that something was copied.
            self._done.add(word)
            self.dress()
            QTimer.singleShot(_TOLD_MS, self, lambda: self._undo(word))

    def _undo(self, word: str) -> None:
        self._done.discard(word)
        self.dress()

    @property
    def lit(self) -> bool:
        return self._lit or any(button.hasFocus() for button in self._buttons.values())

    def button(self, word: str) -> QToolButton:
        return self._buttons[word]

    def light(self, lit: bool) -> None:
        if lit != self._lit:
            self._lit = lit
            self.repaint_all()

    def repaint_all(self) -> None:
        for view in (*self._buttons.values(), self._count):
            view.update()

    def show_place(self, place: MessageNode) -> None:
        """Which of its versions the message is; nothing where it has only one."""
        several = place.count > 1
        for view in (self._buttons["previous"], self._count, self._buttons["next"]):
            view.setVisible(several)
        self._count.setText(f"{place.position + 1}/{place.count}")
        self._buttons["previous"].setEnabled(place.position > 0)
        self._buttons["next"].setEnabled(place.position + 1 < place.count)

    def set_words(self, names: dict[str, str]) -> None:
        """Give each button its tool tip and name."""
        for word, name in names.items():
            self._buttons[word].setToolTip(name)
            self._buttons[word].setAccessibleName(name)

    def dress(self) -> None:
        for word, name in self._icons.items():
            self._buttons[word].setIcon(icon("check" if word in self._done else name, theme.colours().muted))


class _Button(QToolButton):
    def __init__(self, row: ActionRow) -> None:
        super().__init__(row)
        self._row = row
        self.setProperty("styleClass", "quiet")
        self.setIconSize(QSize(16, 16))
        self.setFixedSize(ROW_HEIGHT, ROW_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._row.lit:
            super().paintEvent(event)

    def focusInEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().focusInEvent(event)
        self._row.repaint_all()

    def focusOutEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().focusOutEvent(event)
        self._row.repaint_all()


class _Count(QLabel):
    """The place among the versions is always painted: it says that there are others."""

    def __init__(self, row: ActionRow) -> None:
        super().__init__(row)
        self.setProperty("styleClass", "muted")
