"""What the window shows is on disk, and comes back: restarts, continued answers, drafts, and disks that refuse."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest

from app.conversations.errors import StoreNotWritable
from app.conversations.opening import open_store
from app.session.answer import State
from app.system.paths import data_folder
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import STORY

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver


def test_a_chat_is_there_after_a_restart(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    before = window.answer().stats
    foot = window.foot()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window.turns == [("Tell me a story", STORY)])
    assert window.answer().stats == before
    assert window.foot() == foot
    assert window.shown_text() == STORY
    assert window.titles == ["A story"]


def test_the_question_is_on_disk_before_the_engine_gets_it(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script(STORY)])
    window = open_window(engine)
    stored: list[int] = []
    submit = engine.submit

    def count_first(request, on_event):  # type: ignore[no-untyped-def]
        stored.append(window.session.chats.wait_for(lambda store: len(store.messages.path(1))))
        return submit(request, on_event)

    engine.submit = count_first  # type: ignore[method-assign]
    window.ask("Tell me a story")
    window.wait_until_answered()
    assert stored == [2]


def test_closing_in_the_middle_keeps_the_text_and_offers_to_continue(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5)))
    window.ask("Tell me a story")
    qtbot.waitUntil(lambda: len(window.answer().text) > 10)
    seen = window.answer().text
    window.close()
    engine = ScriptedEngine([Script(" And so on.")])
    window = open_window(engine)
    qtbot.waitUntil(lambda: bool(window.session.chat.turns))
    assert window.answer().state is State.INTERRUPTED
    assert window.answer().text.startswith(seen)
    partial = window.answer().text
    assert window.turn().note_text
    window.turn().press_note()
    qtbot.waitUntil(lambda: window.answer().state is State.DONE)
    assert window.answer().text == partial + " And so on."
    assert [m["role"] for m in engine.requests[-1].messages] == ["user", "assistant"]
    rounds = [token.round for token in window.answer().tokens]
    assert rounds == sorted(rounds)
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window.turns == [("Tell me a story", partial + " And so on.")])


def test_stored_answers_can_be_seen_as_tokens(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    tokens = list(window.answer().tokens)
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.session.chat.turns))
    window.trigger("show-tokens")
    qtbot.waitUntil(lambda: window.turn().tokens.isVisible())
    assert window.answer().tokens == tokens


def test_a_draft_stays_with_its_chat_and_survives_a_restart(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    window.write("half a thou")
    window.trigger("new-chat")
    assert window.unsent == ""
    window.write("another idea")
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window.unsent == "another idea")
    assert window.titles == ["First"]
    window.sidebar.click("First")
    qtbot.waitUntil(lambda: window.unsent == "half a thou")
    window.trigger("new-chat")
    assert window.unsent == "another idea"


def test_a_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        window.ask("precious words")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    assert "disk is full" in window.banner_text
    assert window.unsent == "precious words"
    assert window.turns == []
    assert engine.requests == []
    window.send()
    window.wait_until_answered()
    assert window.turns == [("precious words", "One.")]


def test_an_end_that_was_refused_can_be_saved_again(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        window.ask("Tell me a story")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    window.press_banner()
    window.settle()
    window.close()
    store, report = open_store(data_folder() / "chats.db")
    assert report.interrupted == ()
    assert store.messages.path(1)[1].content == STORY
    store.close()


def test_a_chat_is_shown_where_it_was_read_last(open_window: OpenWindow, qtbot: QtBot) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(60))
    window = open_window(ScriptedEngine([Script(long)]))
    for question in ("first", "second"):
        window.ask(question)
        window.wait_until_answered()
    transcript, read = window.transcript, window.session.chat
    bar = transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    place = transcript.reading_position
    assert place is not None
    window.trigger("new-chat")
    window.session.chats.open(read)
    qtbot.waitUntil(lambda: transcript.reading_position == place)
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.session.chat.turns))
    qtbot.waitUntil(lambda: window.transcript.reading_position == place)


def test_a_damaged_file_is_told_and_kept(open_window: OpenWindow, qtbot: QtBot) -> None:
    data_folder().mkdir(parents=True)
    (data_folder() / "chats.db").write_bytes(b"this is no database" * 400)
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window.banner.isVisible())
    assert "chats-damaged" in window.banner_text
    assert list(data_folder().glob("chats-damaged-*.db"))


def test_a_second_window_says_that_it_keeps_nothing(open_window: OpenWindow) -> None:
    data_folder().mkdir(parents=True)
    other = sqlite3.connect(data_folder() / "chats.db", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    window = open_window(ScriptedEngine([Script("One.")]))
    assert "already open in another window" in window.banner_text
    window.ask("first")
    window.wait_until_answered()
    assert window.turns == [("first", "One.")]
    other.close()


def reopened(open_window: OpenWindow, qtbot: QtBot, questions: int) -> WindowDriver:
    """A window on a chat of so many answers that an earlier one wrote."""
    window = open_window(ScriptedEngine([Script(f"{number}. {STORY}") for number in range(questions)]))
    for number in range(questions):
        window.ask(f"Story {number}")
        window.wait_until_answered()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: len(window.turns) == questions)
    return window


def test_the_panel_shows_the_rounds_of_a_stored_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    before, depth = window.answer().rounds, window.panel.depth_figure.text
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns) and bool(window.answer().rounds))
    kept = window.answer().rounds
    assert [(kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in kept] == [
        (kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in before
    ]
    assert [record.at_s for record in kept] == pytest.approx([record.at_s for record in before], abs=1e-6)
    panel = window.panel
    assert panel.strip.visible_rounds() == kept[-panel.strip.columns :]
    assert panel.depth_figure.text == depth
    assert "Guesses per round" in window.panel_text
    assert "Accepted by position" in window.panel_text


def test_a_click_in_the_strip_finds_the_tokens_of_a_stored_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 1)
    qtbot.waitUntil(lambda: bool(window.answer().rounds))
    window.panel.strip.chosen.emit(3)
    tokens = window.turn().tokens
    assert tokens.isVisible()
    assert tokens.textCursor().selectedText().replace("\u2029", "\n") == window.answer().text_of_round(3)
    assert window.panel.strip.marked == frozenset({3})


def test_turning_to_another_stored_answer_shows_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 3)
    first = window.session.chat.turns[0]
    assert first.answer.rounds == []
    window.turn(0).click()
    qtbot.waitUntil(lambda: bool(first.answer.rounds))
    panel = window.panel
    assert panel.strip.visible_rounds() == first.answer.rounds[-panel.strip.columns :]
    assert "Accept rate, answer 1 of 3" in window.panel_text
    panel.strip.chosen.emit(2)
    assert window.turn(0).tokens.textCursor().selectedText().strip() == first.answer.text_of_round(2).strip()
    window.session.answers.ask("One more")
    assert "Accept rate, this answer" in window.panel_text
    window.wait_until_answered()


def test_a_selection_made_before_the_tokens_are_read_marks_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 2)
    first = window.session.chat.turns[0]
    prose = window.turn(0).blocks[0]
    passage = STORY.split(".")[0][:20]
    prose.setTextCursor(prose.document().find(passage))  # type: ignore[attr-defined]
    prose.setFocus()
    qtbot.waitUntil(lambda: bool(first.answer.tokens))
    assert window.panel.strip.marked == first.answer.rounds_of(passage) != frozenset()


def test_a_continued_stored_answer_keeps_its_first_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Once upon a time", reason="length")]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    first = len(window.answer().rounds)
    window.close()
    window = open_window(ScriptedEngine([Script(" there was a draft.")]))
    qtbot.waitUntil(lambda: bool(window.turns))
    window.trigger("continue-answer")
    qtbot.waitUntil(lambda: window.answer().state is State.DONE)
    numbers = [record.number for record in window.answer().rounds]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > first
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns) and len(window.answer().rounds) == len(numbers))


def test_an_answer_whose_rounds_were_never_kept_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    window.settle()
    window.close()
    with sqlite3.connect(data_folder() / "chats.db") as connection:
        connection.execute("UPDATE token_views SET rounds = x''")
    connection.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns) and bool(window.answer().tokens))
    assert not window.panel.strip.isVisibleTo(window.panel)
    assert "did not keep rounds" in window.panel_text


def test_a_new_chat_that_has_only_a_draft_cannot_be_thrown_away(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.write("half a thou")
    qtbot.waitUntil(lambda: window.session.chat.id is not None)
    for action in ("delete-chat", "archive-chat", "pin-chat", "move-chat", "rename-chat", "export-chat"):
        assert not window.is_enabled(action)
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    assert window.titles == ["First"]
    assert window.is_enabled("delete-chat")


def test_the_next_hit_is_one_of_the_turns_that_are_shown(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("A draft."), Script("Another draft."), Script("Nothing.")]))
    for question in ("one", "two"):
        window.ask(question)
        window.wait_until_answered()
    window.settle()
    window.trigger("find-in-chat")
    window.find_bar.edit.setText("draft")
    assert window.found_text == "2 of 2"
    window.trigger("ask-again")
    assert window.found_text == "1 of 1"
    window.wait_until_answered()
    window.settle()
    for _ in range(2):
        QTest.keyClick(window.find_bar.edit, Qt.Key.Key_Return)
    assert window.found_text == "1 of 1"


def test_a_hit_is_not_looked_for_in_another_chat_that_was_chosen_meanwhile(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(ScriptedEngine([Script("A draft."), Script("Two.")]))
    for question in ("first", "second"):
        window.trigger("new-chat")
        window.ask(question)
        window.wait_until_answered()
        window.settle()
    first = next(chat.id for chat in window.session.list.chats if chat.title == "First")
    session = window.session
    window.search("draft")
    qtbot.waitUntil(lambda: window.sidebar.rows[0] == "Messages")
    window.sidebar.click_row(window.sidebar.model.index(1))
    qtbot.waitUntil(lambda: session.chat.id == first)
    session.chats.new_chat()
    window.settle()
    assert window.turns == []
    assert not window.find_bar.isVisible()


def test_a_new_chat_stays_although_another_was_still_being_read(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    chat = window.session.chat.id
    assert chat is not None
    window.session.chats.open_id(chat)
    window.trigger("new-chat")
    window.settle()
    assert window.turns == []


def test_a_question_asked_while_a_version_is_on_its_way_is_not_lost(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = open_window(engine)
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    window.trigger("ask-again")
    qtbot.waitUntil(lambda: window.turns == [("first", "Two.")])
    window.settle()
    window.turn().press("previous")
    window.ask("second")
    qtbot.waitUntil(lambda: window.turns == [("first", "One."), ("second", "Three.")])
    assert [m["content"] for m in engine.requests[-1].messages] == ["first", "One.", "second"]
    window.settle()
    path = window.session.chats.wait_for(lambda store: [message.content for message in store.messages.path(1)])
    assert path == ["first", "One.", "second", "Three."]


@pytest.mark.parametrize("word", ["edit", "again"])
def test_what_is_asked_while_another_branch_is_on_its_way_is_shown_where_it_was_put(
    open_window: OpenWindow, qtbot: QtBot, word: str
) -> None:
    engine = ScriptedEngine([Script(f"{number}.") for number in range(4)])
    window = open_window(engine)
    session = window.session
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    session.answers.edit(session.chat.turns[0], "second")
    window.wait_until_answered()
    window.settle()
    window.ask("below the second")
    window.wait_until_answered()
    window.settle()
    asked_of = session.chat.turns[0 if word == "edit" else 1]
    session.chats.switch(session.chat, session.chat.turns[0].question_node, -1)
    if word == "edit":
        session.answers.edit(asked_of, "third")
    else:
        session.answers.ask_again(asked_of)
    expected = [("third", "3.")] if word == "edit" else [("second", "1."), ("below the second", "3.")]
    qtbot.waitUntil(lambda: window.turns == expected)
    window.settle()
    asked = [question for question, _ in expected]
    assert [m["content"] for m in engine.requests[-1].messages if m["role"] == "user"] == asked
    path = session.chats.wait_for(lambda store: [message.content for message in store.messages.path(1)])
    assert path == [text for turn in expected for text in turn]


@pytest.mark.parametrize("word", ["edit", "ask"])
def test_an_answer_is_not_continued_once_something_else_is_asked(
    open_window: OpenWindow, qtbot: QtBot, word: str
) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script("Two."), Script("Three.")])
    window = open_window(engine)
    session = window.session
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    turn = session.chat.turns[0]
    session.answers.continue_answer(turn)
    if word == "edit":
        session.answers.edit(turn, "second")
    else:
        session.answers.ask("second")
    expected = [("second", "Two.")] if word == "edit" else [("first", "One."), ("second", "Two.")]
    qtbot.waitUntil(lambda: window.turns == expected)
    qtbot.waitUntil(lambda: session.answers.quiet)
    window.settle()
    streaming = session.chats.wait_for(lambda store: store.messages.get(turn.answer_node.id).state)
    assert (streaming, len(engine.requests)) == ("complete", 2)


def test_an_answer_goes_on_by_the_settings_of_its_own_chat(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script(" More.")])
    window = open_window(engine)
    session = window.session
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    session.settings.set_own(session.chat, "", {"temperature": 0.5, "seed": 7})
    turn = session.chat.turns[0]
    window.trigger("continue-answer")
    window.trigger("new-chat")
    qtbot.waitUntil(lambda: turn.answer.text == "One. More.")
    assert (engine.requests[-1].sampling.temperature, engine.requests[-1].sampling.seed) == (0.5, 7)
    window.settle()


def test_an_answer_further_up_that_goes_on_can_be_stopped(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script("Two."), Script(STORY)])
    window = open_window(engine)
    for question in ("first", "second"):
        window.ask(question)
        window.wait_until_answered()
    window.settle()
    engine.gate = threading.Semaphore(5)
    turn = window.session.chat.turns[0]
    window.turn(0).press("go-on")
    qtbot.waitUntil(lambda: len(turn.answer.text) > len("One."))
    assert not window.session.answers.ready
    assert window.is_enabled("stop")
    window.trigger("stop")
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: turn.answer.state is State.CANCELLED)
    assert window.session.answers.ready
    window.settle()


@pytest.mark.parametrize("meanwhile", ["nothing", "writing", "another chat"])
def test_a_question_that_comes_back_and_what_was_written_since_are_both_there(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    chat = window.session.chat

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        window.ask("precious words")
        if meanwhile == "writing":
            window.write("and more")
        elif meanwhile == "another chat":
            window.trigger("new-chat")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    window.session.chats.open(chat)
    expected = "precious words\n\nand more" if meanwhile == "writing" else "precious words"
    assert window.unsent == expected
    window.settle()


def test_an_edited_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    monkeypatch.setattr("app.conversations.message_tree.MessageTree.edit", full)
    window.turn(0).edit("changed at length")
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])
    assert window.unsent == "changed at length"


def test_an_end_that_was_refused_is_tried_again_when_the_window_closes(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        patch.setattr("app.conversations.answers.Answers.append", full)
        window.ask("Tell me a story")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    window.close()
    store, report = open_store(data_folder() / "chats.db")
    assert report.interrupted == ()
    assert store.messages.path(1)[1].content == STORY
    store.close()


def test_what_was_written_in_an_edit_stays_while_it_cannot_be_asked(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY), Script("Three.")])
    window = open_window(engine)
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    window.turn(0).press_question("edit")
    editor = window.turn(0).editor
    editor.edit.setPlainText("changed at length")
    engine.gate = threading.Semaphore(5)
    window.ask("second")
    qtbot.waitUntil(lambda: bool(window.answer().text))
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    assert window.turn(0).editor is editor
    assert editor.edit.toPlainText() == "changed at length"
    engine.gate.release(1000)
    window.wait_until_answered()
    window.settle()
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.turns == [("changed at length", "Three.")])
    window.settle()


@pytest.mark.parametrize("send_key", ["enter", "modifier"])
def test_an_edit_is_sent_with_the_key_that_sends_messages(open_window: OpenWindow, qtbot: QtBot, send_key: str) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.composer.set_send_key(send_key)
    window.write("first")
    window.composer.send()
    window.wait_until_answered()
    window.settle()
    window.write("a draft that stays")
    window.trigger("edit-last")
    editor = window.turn().editor
    if send_key == "modifier":
        QTest.keyClick(editor.edit, Qt.Key.Key_Return)
        assert editor.edit.toPlainText() == "first\n"
    editor.edit.setPlainText("changed")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.turns == [("changed", "Two.")])
    assert window.unsent == "a draft that stays"
    window.settle()


def test_an_edit_is_still_there_after_another_chat_was_shown(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    chat, session = window.session.chat, window.session
    window.turn(0).press_question("edit")
    editor = window.turn(0).editor
    editor.edit.setPlainText("changed at ")
    editor.edit.moveCursor(QTextCursor.MoveOperation.End)
    QCoreApplication.sendEvent(editor.edit, QInputMethodEvent("길", []))
    session.chats.new_chat()
    assert window.unsent == ""
    session.chats.open(chat)
    editor = window.turn(0).editor
    assert editor.edit.toPlainText() == "changed at 길"
    assert window.edit.hasFocus()
    editor.cancelled.emit()
    session.chats.new_chat()
    session.chats.open(chat)
    assert not window.turn(0).is_edited


def test_a_chat_that_is_chosen_once_more_stays_as_it_is_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(60))
    window = open_window(ScriptedEngine([Script(long)]))
    for question in ("first", "second"):
        window.ask(question)
        window.wait_until_answered()
    window.settle()
    bar, chat = window.transcript.verticalScrollBar(), window.session.chat.id
    assert chat is not None
    qtbot.waitUntil(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    read = bar.value()
    window.turn(0).press_question("edit")
    editor = window.turn(0).editor
    window.session.chats.open_id(chat)
    window.settle()
    assert window.turn(0).editor is editor
    window.turn(0).view.end_edit()
    assert abs(bar.value() - read) < 100
