"""The card that shows two versions of an answer side by side."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.conversations.store import ConversationStore
from app.session.chats import READ_POSITION, Chat, Turn, turns_of
from app.session.session import Session
from app.transcript.transcript import SIDE, Transcript
from app.widgets import theme
from app.widgets.buttons import CloseButton
from app.widgets.controls import Chooser
from app.widgets.labels import ElidedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording.figures import number
from app.wording.sources import recorded_name


class SideBySide(ThemeAware, Overlay):
    """Shows an answer beside another version of it: the one before or, of more than two, the one that is chosen."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window, 1000, 640)
        self._session = session
        self._turns: list[Turn] = []
        self._index = 0

    def open_for(self, turn: Turn) -> None:
        """Read the versions of an answer and show them."""
        if (answer := turn.version_node.id) is not None:
            self._session.store.of(self._session.chat).run(partial(_versions_of, answer), self._show)

    def _show(self, versions: tuple[list[Turn], int]) -> None:
        self._turns, self._index = versions
        self.open()

    def make(self) -> None:
        self.names = [styled(ElidedLabel(self), "title"), styled(ElidedLabel(self), "title")]
        self.texts = [Transcript(self), Transcript(self)]
        chooser = Chooser(self, chosen=partial(self._show_version, 1))
        self.choice = self.bound("Other version", chooser, QWidget.setAccessibleName)
        # A longer name is elided.
        self.choice.setMinimumWidth(96)
        self._sides = hbox(spacing=16)
        heads: list[list[QWidget]] = [[self.names[0]], [self.names[1], self.choice]]
        for text, above in zip(self.texts, heads, strict=True):
            text.setObjectName("comparedText")
            text.read_only, text.with_figures = True, False
            text.pictures = lambda: self._session.store.of(self._session.chat).pictures
            fill(self._sides, (fill(vbox(spacing=6), *above, (text, 1)), 1))
        title = self.bound("Side by side", label(self, "title"))
        self.column.setContentsMargins(20, 16, 20, 16)
        fill(self.column, fill(hbox(), (title, 1), CloseButton(self, self.close_overlay)), (self._sides, 1))
        self.restyle()

    def fill(self) -> None:
        others = [index for index in range(len(self._turns)) if index != self._index]
        has_choice = len(others) > 1
        self.choice.clear()
        for index in others:
            self.choice.addItem(self._name(index), index)
        self.choice.setVisible(has_choice)
        self.names[1].setHidden(has_choice)
        # Both texts begin at one height.
        self.names[0].setMinimumHeight(self.choice.sizeHint().height() if has_choice else 0)
        self._show_version(0, self._index)
        self.choice.set_value(others[max(0, self._index - 1)])
        self._show_version(1, self.choice.currentData())
        self.texts[0].setFocus()

    def _show_version(self, side: int, index: int) -> None:
        self.names[side].setText(self._name(index))
        self.texts[side].setAccessibleName(self._name(index))
        # At its beginning, with the margin above it.
        self.texts[side].show_chat(Chat(turns=[self._turns[index]], settings={READ_POSITION: (0, -SIDE * 2)}))

    def _name(self, index: int) -> str:
        """Return the place of a version, as the row below the answer counts it, its model and its speed."""
        answer = self._turns[index].answer
        place = f"{index + 1}/{len(self._turns)}"
        speed = answer.figures.decode_tps
        words = QCoreApplication.translate("Figures", "{value} tokens/s").format(value=number(speed))
        return " · ".join(part for part in (place, recorded_name(answer.model), speed and words) if part)

    def fit_in_window(self) -> None:
        # In a window with fewer points at the normal text size, one version is above the other.
        narrow = self._window.width() < theme.scaled(700)
        way = QBoxLayout.Direction
        self._sides.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        super().fit_in_window()


def _versions_of(message_id: int, store: ConversationStore) -> tuple[list[Turn], int]:
    """Return the versions of an answer, as turns without a question, and the index of this one."""
    ids = store.messages.siblings(message_id)
    return [turns_of(store.messages.answer_path(version_id), ())[0] for version_id in ids], ids.index(message_id)
