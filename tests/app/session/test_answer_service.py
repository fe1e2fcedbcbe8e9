"""Asking, asking again, editing, continuing and stopping, with the results in the store."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.chat_settings import GenerationSettings
from app.session.answer import State
from app.session.chats import Turn
from app.session.session import Session
from engine.errors import InternalFailure
from engine.requests import SamplingSettings
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle


def stored(session: Session) -> list[str]:
    """Return the texts of the chat on screen as they are on disk."""
    chat_id = session.chat.id
    assert chat_id is not None
    return session.store.wait_for(lambda store: [message.content for message in store.messages.path(chat_id)])


def answered(session: Session, settle: Settle, question: str) -> Turn:
    turn = session.answers.ask(question)
    settle()
    return turn


def half_answered(open_session: OpenSession, qtbot: QtBot, *later: Script) -> tuple[Session, Turn, threading.Semaphore]:
    """Ask a question whose answer stops within its words until the semaphore is released."""
    gate = threading.Semaphore(4)
    session = open_session(ScriptedEngine([Script("One two three."), *later], gate=gate))
    turn = session.answers.ask("first")
    qtbot.waitUntil(lambda: bool(turn.answer.text))
    return session, turn, gate


@pytest.mark.first
def test_a_question_and_its_answer_are_on_disk_when_it_has_ended(open_session: OpenSession, settle: Settle) -> None:
    session = open_session(ScriptedEngine([Script("One.")]))
    steps: list[str] = []
    session.answers.asked.connect(lambda _chat, _turn: steps.append("asked"))
    session.answers.stored.connect(lambda _chat, _turn: steps.append("stored"))
    session.answers.ended.connect(lambda _chat, _turn: steps.append("ended"))
    # The window draws a question while the store writes it.
    busy: list[bool] = []
    session.answers.asked.connect(lambda _chat, _turn: busy.append(session.busy and session.chat.streaming))
    session.chats.keep_unsent(session.chat, "first")
    turn = answered(session, settle, "first")
    assert (turn.answer.state, turn.answer.text) == (State.DONE, "One.")
    assert stored(session) == ["first", "One."]
    assert (steps, busy, session.chat.unsent) == (["asked", "stored", "ended"], [True], "")


def test_the_branch_of_an_answer_is_shown_if_another_was_chosen_while_it_was_stored(
    open_session: OpenSession, settle: Settle
) -> None:
    session = open_session(ScriptedEngine([Script("One."), Script("Two."), Script("Three.")]))
    settle(session.answers.ask_again(answered(session, settle, "first")))
    (turn,) = session.chat.turns
    assert (turn.answer.text, turn.answer_node.position, turn.answer_node.count) == ("Two.", 1, 2)
    session.chats.switch(session.chat, turn.answer_node, -1)
    settle(session.answers.ask("second"))
    assert [turn.answer.text for turn in session.chat.turns] == ["One.", "Three."]
    assert stored(session) == ["first", "One.", "second", "Three."]


def test_what_is_stopped_before_it_is_stored_never_reaches_the_engine(
    open_session: OpenSession, settle: Settle
) -> None:
    engine = ScriptedEngine()
    session = open_session(engine)
    turn = session.answers.ask("first")
    settle(session.answers.stop())
    assert turn.answer.state is State.CANCELLED
    assert engine.requests == []


def test_what_is_stopped_before_it_is_stored_starts_no_tools_and_reads_no_files(
    open_session: OpenSession, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(ScriptedEngine())
    begun: list[str] = []
    monkeypatch.setattr(session.projects, "read_again", lambda *_: begun.append("files"))
    monkeypatch.setattr(session.tools, "gather", lambda *_: begun.append("tools"))
    turn = session.answers.ask("first")
    settle(session.answers.stop())
    assert turn.answer.state is State.CANCELLED
    assert stored(session) == ["first", ""]
    assert begun == []


def test_an_answer_that_fails_keeps_its_error(open_session: OpenSession, settle: Settle) -> None:
    error = InternalFailure("out of order")
    session = open_session(ScriptedEngine([Script("One two three.", error=error, fail_after=1)]))
    turn = answered(session, settle, "first")
    message_id = turn.answer_node.id
    assert message_id is not None
    kept = session.store.wait_for(lambda store: store.messages.get(message_id))
    assert turn.answer.state is State.FAILED
    assert kept.error is not None
    assert kept.error[0] == error.code


def test_the_tokens_of_a_stored_answer_are_read_when_they_are_wanted(
    open_session: OpenSession, qtbot: QtBot, settle: Settle
) -> None:
    session = open_session(ScriptedEngine([Script("One two.")]))
    count = len(answered(session, settle, "first").answer.tokens)
    session.close()
    session = open_session()
    (turn,) = session.chat.turns
    assert turn.answer.tokens == []
    with qtbot.waitSignal(session.answers.arrived):
        session.answers.load_tokens(session.chat, turn)
    assert len(turn.answer.tokens) == count


def test_an_answer_stops_when_its_chat_goes_to_the_trash(
    open_session: OpenSession, qtbot: QtBot, settle: Settle
) -> None:
    session, turn, gate = half_answered(open_session, qtbot)
    assert session.answers.chat_ids == {session.chat.id}
    chat_id = session.chat.id
    assert chat_id is not None
    session.chats.trash(chat_id)
    settle(gate.release(1000))
    assert turn.answer.state is State.CANCELLED
    assert session.answers.is_idle


@pytest.mark.parametrize("chosen", [False, True])
def test_another_answer_is_sampled_unless_temperature_0_was_chosen(
    open_session: OpenSession, settle: Settle, chosen: bool
) -> None:
    engine = ScriptedEngine([Script("One."), Script("Another.")])
    session = open_session(engine)
    settle()
    session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.0)))
    session.settings.temperature_chosen = chosen
    turn = answered(session, settle, "first")
    session.answers.ask_again(turn)
    settle()
    temperatures = [request.sampling.temperature for request in engine.requests]
    assert temperatures[0] == 0.0
    assert (temperatures[1] > 0.0) != chosen


def test_another_answer_has_a_seed_of_its_own_also_where_one_was_chosen(
    open_session: OpenSession, settle: Settle
) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    session = open_session(engine)
    settle()
    session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.7, seed=2**64 - 2)))
    turn = answered(session, settle, "first")
    for _ in range(2):
        session.answers.ask_again(turn)
        settle()
        (turn,) = session.chat.turns
    # The same seeds again at the next time.
    assert [request.sampling.seed for request in engine.requests] == [2**64 - 2, 2**64 - 1, 0]
