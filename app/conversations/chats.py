"""Chats and their messages as the window holds them. No Qt in here; whoever keeps them on disk fills the same
types.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.chat.answer import Answer

TITLE_LENGTH = 48
SECTIONS = ("pinned", "today", "yesterday", "week", "older")


@dataclass(eq=False)
class Turn:
    """One question and its answer."""

    question: str
    answer: Answer


@dataclass(eq=False)
class Chat:
    """A conversation. `title` is "" until the first question names it."""

    id: int
    title: str = ""
    turns: list[Turn] = field(default_factory=list)
    changed: datetime = field(default_factory=datetime.now)
    pinned: bool = False
    draft_text: str = ""

    @property
    def streaming(self) -> bool:
        return bool(self.turns) and not self.turns[-1].answer.ended

    def messages(self) -> list[dict[str, str]]:
        """The chat as the engine wants it: every answered question with its answer, and the last question.

        A question whose answer never got a word is left out: chat templates want the roles to alternate.
        """
        messages = []
        for turn in self.turns[:-1]:
            if turn.answer.text:
                messages.append({"role": "user", "content": turn.question})
                messages.append({"role": "assistant", "content": turn.answer.text})
        if self.turns:
            messages.append({"role": "user", "content": self.turns[-1].question})
        return messages


class Chats:
    """All chats, newest change first. Owns their order and their titles."""

    def __init__(self) -> None:
        self._chats: list[Chat] = []
        self._ids = itertools.count(1)

    def __iter__(self) -> Iterator[Chat]:
        return iter(sorted(self._chats, key=lambda chat: chat.changed, reverse=True))

    def __len__(self) -> int:
        return len(self._chats)

    def new(self) -> Chat:
        """A new chat, or the empty one that is already there."""
        for chat in self._chats:
            if not chat.turns:
                return chat
        chat = Chat(next(self._ids))
        self._chats.append(chat)
        return chat

    def add_turn(self, chat: Chat, turn: Turn) -> None:
        chat.turns.append(turn)
        chat.changed = datetime.now()
        if not chat.title:
            chat.title = title_of(turn.question)

    def remove(self, chat: Chat) -> None:
        self._chats.remove(chat)

    def put_back(self, chat: Chat) -> None:
        """Take in a chat that was removed."""
        self._chats.append(chat)


def title_of(question: str) -> str:
    """The first line of a question, cut at a word where there is one, with an ellipsis where it was cut."""
    line = next((line.strip() for line in question.splitlines() if line.strip()), "")
    if len(line) <= TITLE_LENGTH:
        return line
    head = line[:TITLE_LENGTH]
    space = head.rfind(" ")
    return head[: space if space > TITLE_LENGTH // 2 else TITLE_LENGTH].rstrip() + "…"


def section_of(chat: Chat, today: date) -> str:
    """Which of SECTIONS the list shows a chat under."""
    if chat.pinned:
        return "pinned"
    day = chat.changed.date()
    if day >= today:
        return "today"
    if day == today - timedelta(days=1):
        return "yesterday"
    return "week" if day > today - timedelta(days=7) else "older"
