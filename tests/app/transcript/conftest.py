"""Widgets of a chat, shown without a window around them, and the window that the tests of a module share."""

from __future__ import annotations

import pytest

from app.transcript.answer_body import AnswerBody
from app.transcript.formula_pictures import Outline
from app.transcript.transcript import Transcript
from tests.app.conftest import Show
from tests.app.shared_window import shared_window as shared_window
from tests.app.shared_window import start_chat as start_chat


@pytest.fixture
def body(show: Show[AnswerBody]) -> AnswerBody:
    return show(AnswerBody())


@pytest.fixture
def transcript(show: Show[Transcript]) -> Transcript:
    return show(Transcript(), 900, 700)


@pytest.fixture
def plain_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is not coloured: a thread that still loads a lexer would collect the widgets of a test that has ended."""
    monkeypatch.setattr("app.transcript.code_block.spans", lambda *_: ())


@pytest.fixture
def typeset(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every formula is typeset at once."""
    del qapp

    class Typeset(dict[object, Outline]):
        @property
        def known(self) -> Typeset:
            return self

        def request(self, _key: object) -> bool:
            return True

        def __missing__(self, _key: object) -> Outline:
            return Outline("<svg/>", 10, 8, 2)

    monkeypatch.setattr("app.transcript.formula_text.pictures", lambda found=Typeset(): found)  # noqa: B008
