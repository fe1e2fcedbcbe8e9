"""Widgets of a chat, shown without a window around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.answer_body import AnswerBody
from app.chat.transcript import Transcript

W = TypeVar("W", bound=QWidget)
Show = Callable[..., W]


@pytest.fixture
def show(qtbot: QtBot) -> Show[W]:
    """Shows a widget in a size, and deletes it after the test."""

    def show(widget: W, width: int = 600, height: int = 400) -> W:
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        return widget

    return show


@pytest.fixture
def body(show: Show[AnswerBody]) -> AnswerBody:
    return show(AnswerBody())


@pytest.fixture
def transcript(show: Show[Transcript]) -> Transcript:
    return show(Transcript(), 900, 700)
