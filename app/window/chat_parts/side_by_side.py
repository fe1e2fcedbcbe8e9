"""The card that shows two versions of an answer side by side."""

from __future__ import annotations

import re
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from app.conversations.search import highlights, parse_phrase
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
from app.wording.figures import speed
from app.wording.sources import recorded_name

# What is marked where two versions part: the rest of a line up to the first sign of Markdown, and not more of it.
_MARKED = re.compile(r"[^\n*_`#|\[\]<>$\\]{1,40}")
# The margins above and below a text, in pixels.
_COLUMN_MARGINS = 6, 12


class SideBySide(ThemeAware, Overlay):
    """Shows an answer beside another version of it: the one before or, of more than two, the one that is chosen.

    The earlier one is on the left. The first difference is marked, and either may become the version in the chat.
    """

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window, 1000, 640)
        self._session = session
        self._turns: list[Turn] = []
        # The version that the chat shows, and those on both sides.
        self._index = 0
        self._sides_shown = [0, 0]

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
        self.uses = [self.bound("Use this one", styled(QPushButton(self), "button-small")) for _ in self.texts]
        self.choice = self.bound("Other version", Chooser(self, chosen=self._show_other), QWidget.setAccessibleName)
        # A longer name is elided.
        self.choice.setMinimumWidth(96)
        self.sentence = label(self, "muted")
        self._sides = hbox(spacing=16)
        for side, (name, use, text) in enumerate(zip(self.names, self.uses, self.texts, strict=True)):
            text.setObjectName("comparedText")
            text.read_only = True
            text.with_figures = False
            text.set_margins(*_COLUMN_MARGINS)
            text.pictures = lambda: self._session.store.of(self._session.chat).pictures
            use.clicked.connect(partial(self._use, side))
            head = fill(hbox(spacing=8), (name, 1), use)
            fill(self._sides, (fill(vbox(spacing=6), head, (text, 1)), 1))
        title = self.bound("Side by side", label(self, "title"))
        self.column.setContentsMargins(20, 16, 20, 16)
        head = fill(hbox(spacing=12), title, (self.sentence, 1), self.choice, CloseButton(self, self.close_overlay))
        fill(self.column, head, (self._sides, 1))
        self.restyle()

    def fill(self) -> None:
        others = [index for index in range(len(self._turns)) if index != self._index]
        self.choice.clear()
        for index in others:
            self.choice.addItem(self._name(index), index)
        self.choice.setVisible(len(others) > 1)
        self.choice.set_value(others[max(0, self._index - 1)])
        self._show_other(self.choice.currentData())
        self.texts[self._sides_shown.index(self._index)].setFocus()

    def _show_other(self, other: int) -> None:
        """Show a version beside the one of the chat."""
        self._sides_shown = sorted((self._index, other))
        for side, index in enumerate(self._sides_shown):
            self.names[side].setText(self._name(index))
            self.texts[side].setAccessibleName(self._name(index))
            button = self.uses[side]
            # Both texts begin at one height, with the button or without it.
            self.names[side].setMinimumHeight(button.sizeHint().height())
            button.setHidden(index == self._index)
            # At its beginning, with the margin above it.
            self.texts[side].show_chat(Chat(turns=[self._turns[index]], settings={READ_POSITION: (0, -SIDE)}))
        self._mark_difference()

    def _mark_difference(self) -> None:
        """Mark where the texts part, and say so, or that they are the same."""
        shown = [self._turns[index] for index in self._sides_shown]
        replies = [turn.answer.reply for turn in shown]
        start = next(
            (at for at, pair in enumerate(zip(*replies, strict=False)) if len({*pair}) > 1), min(map(len, replies))
        )
        are_marked = [_mark(text, turn, start) for text, turn in zip(self.texts, shown, strict=True)]
        if replies[0] == replies[1]:
            words = self.tr("The text is the same.")
        else:
            words = self.tr("The first difference is marked.") if any(are_marked) else ""
        self.sentence.setText(words)

    def _use(self, side: int) -> None:
        """Show the version of a side in the chat, with what followed it."""
        answer = self._turns[self._sides_shown[side]].version_node.id
        if answer is not None:
            self._session.chats.show_branch_of(self._session.chat, answer, lambda: None)
        self.close_overlay()

    def retranslate(self) -> None:
        if self._turns:
            self._mark_difference()

    def _name(self, index: int) -> str:
        """Return the place of a version, as the row below the answer counts it, its model and its speed."""
        answer = self._turns[index].answer
        place = f"{index + 1}/{len(self._turns)}"
        tokens_per_s = answer.figures.decode_tps
        words = QCoreApplication.translate("Figures", "{value} tokens/s").format(value=speed(tokens_per_s))
        return " · ".join(part for part in (place, recorded_name(answer.model), tokens_per_s and words) if part)

    def fit_in_window(self) -> None:
        # In a window with fewer points at the normal text size, one version is above the other.
        narrow = self._window.width() < theme.scaled(700)
        way = QBoxLayout.Direction
        self._sides.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        super().fit_in_window()


def _mark(text: Transcript, turn: Turn, start: int) -> bool:
    """Mark the word of a turn's reply that `start` is in, and what follows it; return whether there is any."""
    reply = turn.answer.reply
    while start and reply[start - 1 : start].isalnum() and reply[start - 1].isascii():
        start -= 1
    passage = _MARKED.search(reply, start) if start < len(reply) else None
    query = parse_phrase(passage[0]) if passage is not None else None
    if passage is None or query is None:
        text.highlight(None)
        return False
    text.highlight(query, (turn, len(highlights(reply[: passage.start()], query))))
    return True


def _versions_of(message_id: int, store: ConversationStore) -> tuple[list[Turn], int]:
    """Return the versions of an answer, as turns without a question, and the index of this one."""
    ids = store.messages.siblings(message_id)
    return [turns_of(store.messages.answer_path(version_id), ())[0] for version_id in ids], ids.index(message_id)
