"""Questions and answers that cannot be written to the disk."""

from __future__ import annotations

import pytest

from app.conversations.errors import StoreNotWritable
from app.conversations.opening import open_store
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script


def full(*_: object, **__: object) -> None:
    raise StoreNotWritable("full", "database or disk is full")


def test_a_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)
    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        window.ask("precious words")
        window.wait(lambda: window.banner.isVisible())
    assert "disk is full" in window.banner_text
    assert window.unsent == "precious words"
    assert window.turns == []
    assert engine.requests == []
    window.send()
    window.wait_until_answered()
    assert window.turns == [("precious words", "One.")]
    window.settle()
    # The same for an edited question.
    monkeypatch.setattr("app.conversations.message_tree.MessageTree.edit", full)
    window.turn(0).edit("changed at length")
    window.wait(lambda: window.turns == [("precious words", "One.")])
    assert window.unsent == "changed at length"


@pytest.mark.parametrize("by_hand", [True, False])
def test_an_end_that_was_refused_is_saved_again_by_hand_or_when_the_window_closes(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, by_hand: bool
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        if not by_hand:
            patch.setattr("app.conversations.answers.Answers.append", full)
        window.ask("Tell me a story")
        window.wait(lambda: window.banner.isVisible())
    if by_hand:
        window.press_banner()
        window.settle()
    window.close()
    store, _damaged = open_store(data_folder() / "chats.db")
    answer = store.messages.path(1)[1]
    assert (answer.content, answer.state) == (STORY, "complete")
    store.close()


def test_a_question_that_comes_back_and_what_was_written_since_are_both_there(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    chat = window.session.chat
    monkeypatch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
    for meanwhile, expected in (
        (lambda: None, "precious words"),
        (lambda: window.write("and more"), "precious words\n\nand more"),
        (lambda: window.trigger("new-chat"), "precious words"),
    ):
        window.ask("precious words")
        meanwhile()
        window.wait(lambda: window.banner.isVisible())
        window.settle()
        window.session.chats.open(chat)
        assert window.unsent == expected
        window.close_notice()
