"""What a window shows of its chats, and how files come into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QMimeData, QUrl

from app.system.background import Background

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.chat.turn_view import TurnView
    from app.conversations.store import ConversationStore
    from app.session.session import Session
    from app.window.main_window import MainWindow

T = TypeVar("T")


def turns(window: MainWindow) -> list[tuple[str, str]]:
    return [(turn.question, turn.answer.text) for turn in window._session.chat.turns]


def view(window: MainWindow, place: int = -1) -> TurnView:
    return window._transcript.view(window._session.chat.turns[place])


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the store and all background work have done what they were asked."""
    qtbot.waitUntil(lambda: not window._session.busy and not any(work.busy for work in window.findChildren(Background)))


def change_store(session: Session, operation: Callable[[ConversationStore], T]) -> T:
    """Run an operation behind the window's back and let the list follow."""
    result = session.chats.wait_for(operation)
    session.list.reload()
    return result


def titles(window: MainWindow) -> list[str]:
    return [chat.title for chat in window._session.list.chats]


def paste(window: MainWindow, *files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    assert window._composer.edit.canInsertFromMimeData(data)
    window._composer.edit.insertFromMimeData(data)
