"""Widgets of a chat, shown without a window around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.answer_body import AnswerBody
from app.chat.formula_pictures import Outline
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


@pytest.fixture
def plain_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is not coloured: a thread that still loads a lexer would collect the widgets of a test that has ended."""
    monkeypatch.setattr("app.chat.code_block.spans", lambda *_: ())


@pytest.fixture
def typeset(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every formula is typeset at once."""
    del qapp

    class Typeset(dict[object, Outline]):
        @property
        def known(self) -> Typeset:
            return self

        def has(self, _key: object) -> bool:
            return True

        def __missing__(self, _key: object) -> Outline:
            return Outline("<svg/>", 10, 8, 2)

    monkeypatch.setattr("app.chat.formula_text.pictures", lambda found=Typeset(): found)  # noqa: B008
