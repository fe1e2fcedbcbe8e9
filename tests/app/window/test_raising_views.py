"""A chat whose answer raises on its way to the screen: it opens, is asked on, and comes back after a restart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.text.blocks import Splitter
from app.transcript.plain_turn import PlainTurn
from app.transcript.turn_view import TurnView
from tests.app.conftest import OpenWindow
from tests.app.random_rounds import PROSE_CODE_TABLE
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script, ScriptedRound
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver

CODE_TABLE = "```py\nx\n```\n\n| A | B |\n|---|---|\n| 1 | 2 |\n"


def import_chat(window: WindowDriver, folder: Path, *texts: str) -> None:
    """Import a chat of another app named "Code and tables", and open it. The texts are questions and answers."""
    messages = [
        {
            "uuid": str(at),
            "sender": "assistant" if at % 2 else "human",
            "text": text,
            "created_at": "2026-01-01T00:00:00Z",
        }
        for at, text in enumerate(texts)
    ]
    file = folder / "conversations.json"
    file.write_text(json.dumps([{"uuid": "c", "name": "Code and tables", "chat_messages": messages}]))
    window.import_chats(file)
    window.wait(lambda: "Code and tables" in window.titles)
    window.open_chat("Code and tables")
    window.wait(lambda: window.transcript.widget().updatesEnabled())


def colours(window: WindowDriver) -> int:
    """Return how many colours the transcript has on the screen. One that is never painted is black."""
    picture = window.transcript.viewport().grab().toImage()
    return len({picture.pixel(x, y) for y in range(0, picture.height(), 3) for x in range(0, picture.width(), 3)})


def test_an_answer_that_begins_with_code_and_a_table_opens_and_is_asked_on(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    window = open_window(ScriptedEngine([Script("A piece of text.")]))
    window.ask_and_wait("What is a token?")
    import_chat(window, tmp_path, "Show me", CODE_TABLE)
    assert window.shown_text().split() == ["x", "A", "B", "1", "2"]
    window.ask_and_wait("hi")
    assert [question for question, _ in window.turns] == ["Show me", "hi"]
    assert window.banner_text == "1 chat imported."
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: [question for question, _ in window.turns] == ["Show me", "hi"])
    window.wait(lambda: window.transcript.widget().updatesEnabled())
    assert window.shown_text(0).split() == ["x", "A", "B", "1", "2"]
    assert colours(window) > 5


@pytest.mark.full
@pytest.mark.parametrize("rounds", [(3, 1, 0, 2), (7, 5, 0, 6), (12, 15, 9)])
def test_a_table_below_code_streams_in_rounds(start_chat: StartChat, rounds: tuple[int, ...]) -> None:
    pattern = tuple(ScriptedRound(accepted, accepted) for accepted in rounds)
    window = start_chat(ScriptedEngine([Script(PROSE_CODE_TABLE, pattern)]))
    window.ask_and_wait("Add two numbers")
    words = window.shown_text().split()
    assert words[-11:] == ["Call", "Result", "add(1,", "2)", "3", "add(2,", "2)", "4", "That", "is", "all."]
    assert words.count("Call") == 1
    assert not window.notices


@pytest.mark.expects_log
@pytest.mark.parametrize("broken", ["text", "turn"])
def test_a_chat_whose_answer_raises_opens_and_is_asked_on(
    start_chat: StartChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    window = start_chat(ScriptedEngine([Script("A *piece* of text.")]))
    window.ask_and_wait("What is a token?")
    feed, refresh = Splitter.feed, TurnView.refresh

    def feed_or_raise(splitter: Splitter, delta: str) -> None:
        if "wrong" in delta:
            raise LookupError(delta)
        feed(splitter, delta)

    def refresh_or_raise(view: TurnView) -> None:
        if "wrong" in view.turn.answer.text:
            raise LookupError(view.turn.question)
        refresh(view)

    if broken == "text":
        monkeypatch.setattr(Splitter, "feed", feed_or_raise)
    else:
        monkeypatch.setattr(TurnView, "refresh", refresh_or_raise)
    import_chat(
        window, tmp_path, "First", "It is *right*.", "Second", "It is **wrong**.", "Third", "It is *right* again."
    )
    assert window.shown_text(0) == "It is right."
    assert window.shown_text(2) == "It is right again."
    if broken == "text":
        assert window.shown_text(1) == "It is **wrong**."
    else:
        [plain] = window.window.findChildren(PlainTurn)
        assert plain.isVisible()
    assert window.banner_text == "1 chat imported."
    window.ask_and_wait("hi")
    assert window.shown_text() == "A piece of text."
    assert colours(window) > 5
