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
from tests.app.chats_shown import settle, titles, turns, view
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import STORY, answer_of, ask, shown_text, wait_for_end

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenWindow


def test_a_chat_is_there_after_a_restart(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    ask(window, "Tell me a story")
    wait_for_end(window, qtbot)
    before = answer_of(window).stats
    foot = view(window)._foot.text()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: turns(window) == [("Tell me a story", STORY)])
    assert answer_of(window).stats == before
    assert view(window)._foot.text() == foot
    assert shown_text(window) == STORY
    assert titles(window) == ["A story"]


def test_the_question_is_on_disk_before_the_engine_gets_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(STORY)])
    window = open_window(engine)
    stored: list[int] = []
    submit = engine.submit

    def count_first(request, on_event):  # type: ignore[no-untyped-def]
        stored.append(window._session.chats.wait_for(lambda store: len(store.messages.path(1))))
        return submit(request, on_event)

    engine.submit = count_first  # type: ignore[method-assign]
    ask(window, "Tell me a story")
    wait_for_end(window, qtbot)
    assert stored == [2]


def test_closing_in_the_middle_keeps_the_text_and_offers_to_continue(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5)))
    ask(window, "Tell me a story")
    qtbot.waitUntil(lambda: len(answer_of(window).text) > 10)
    seen = answer_of(window).text
    window.close()
    engine = ScriptedEngine([Script(" And so on.")])
    window = open_window(engine)
    qtbot.waitUntil(lambda: bool(window._session.chat.turns))
    assert answer_of(window).state is State.INTERRUPTED
    assert answer_of(window).text.startswith(seen)
    partial = answer_of(window).text
    assert not view(window)._note.isHidden()
    view(window)._note._button.click()
    qtbot.waitUntil(lambda: answer_of(window).state is State.DONE)
    assert answer_of(window).text == partial + " And so on."
    assert [m["role"] for m in engine.requests[-1].messages] == ["user", "assistant"]
    rounds = [token.round for token in answer_of(window).tokens]
    assert rounds == sorted(rounds)
    settle(window, qtbot)
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: turns(window) == [("Tell me a story", partial + " And so on.")])


def test_stored_answers_can_be_seen_as_tokens(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    ask(window, "Tell me a story")
    wait_for_end(window, qtbot)
    tokens = list(answer_of(window).tokens)
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window._session.chat.turns))
    window._actions["show-tokens"].trigger()
    qtbot.waitUntil(lambda: view(window).tokens.isVisible())
    assert answer_of(window).tokens == tokens


def test_a_draft_stays_with_its_chat_and_survives_a_restart(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._composer.edit.setPlainText("half a thou")
    window._actions["new-chat"].trigger()
    assert window._composer.edit.toPlainText() == ""
    window._composer.edit.setPlainText("another idea")
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window._composer.edit.toPlainText() == "another idea")
    assert titles(window) == ["First"]
    window._chats._activated(window._chats.model.index(1))
    qtbot.waitUntil(lambda: window._composer.edit.toPlainText() == "half a thou")
    window._actions["new-chat"].trigger()
    assert window._composer.edit.toPlainText() == "another idea"


def test_a_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        ask(window, "precious words")
        qtbot.waitUntil(lambda: window._banner.isVisible())
    assert "disk is full" in window._banner.text
    assert window._composer.edit.toPlainText() == "precious words"
    assert turns(window) == []
    assert engine.requests == []
    QTest.keyClick(window._composer.edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert turns(window) == [("precious words", "One.")]


def test_an_end_that_was_refused_can_be_saved_again(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        ask(window, "Tell me a story")
        qtbot.waitUntil(lambda: window._banner.isVisible())
    window._banner._button.click()
    settle(window, qtbot)
    window.close()
    store, report = open_store(data_folder() / "chats.db")
    assert report.interrupted == ()
    assert store.messages.path(1)[1].content == STORY
    store.close()


def test_a_chat_is_shown_where_it_was_read_last(open_window: OpenWindow, qtbot: QtBot) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(60))
    window = open_window(ScriptedEngine([Script(long)]))
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    transcript, read = window._transcript, window._session.chat
    bar = transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    place = transcript.reading_position
    assert place is not None
    window._actions["new-chat"].trigger()
    window._session.chats.open(read)
    qtbot.waitUntil(lambda: transcript.reading_position == place)
    settle(window, qtbot)
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window._session.chat.turns))
    qtbot.waitUntil(lambda: window._transcript.reading_position == place)


def test_a_damaged_file_is_told_and_kept(open_window: OpenWindow, qtbot: QtBot) -> None:
    data_folder().mkdir(parents=True)
    (data_folder() / "chats.db").write_bytes(b"this is no database" * 400)
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window._banner.isVisible())
    assert "chats-damaged" in window._banner.text
    assert list(data_folder().glob("chats-damaged-*.db"))


def test_a_second_window_says_that_it_keeps_nothing(open_window: OpenWindow, qtbot: QtBot) -> None:
    data_folder().mkdir(parents=True)
    other = sqlite3.connect(data_folder() / "chats.db", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    window = open_window(ScriptedEngine([Script("One.")]))
    assert "already open in another window" in window._banner.text
    ask(window, "first")
    wait_for_end(window, qtbot)
    assert turns(window) == [("first", "One.")]
    other.close()


def reopened(open_window: OpenWindow, qtbot: QtBot, questions: int) -> MainWindow:
    """A window on a chat of so many answers that an earlier one wrote."""
    window = open_window(ScriptedEngine([Script(f"{number}. {STORY}") for number in range(questions)]))
    for number in range(questions):
        ask(window, f"Story {number}")
        wait_for_end(window, qtbot)
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: len(turns(window)) == questions)
    return window


def test_the_panel_shows_the_rounds_of_a_stored_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    ask(window, "Tell me a story")
    wait_for_end(window, qtbot)
    before, depth = answer_of(window).rounds, window._panel.depth_figure.text
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(turns(window)) and bool(answer_of(window).rounds))
    kept = answer_of(window).rounds
    assert [(kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in kept] == [
        (kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in before
    ]
    assert [record.at_s for record in kept] == pytest.approx([record.at_s for record in before], abs=1e-6)
    panel = window._panel
    assert panel.strip.visible_rounds() == kept[-panel.strip.columns :]
    assert panel.depth_figure.text == depth
    assert panel.depth_line.isVisibleTo(panel)
    assert panel.positions.isVisibleTo(panel)


def test_a_click_in_the_strip_finds_the_tokens_of_a_stored_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 1)
    qtbot.waitUntil(lambda: bool(answer_of(window).rounds))
    window._panel.strip.chosen.emit(3)
    tokens = view(window).tokens
    assert tokens.isVisible()
    assert tokens.textCursor().selectedText().replace("\u2029", "\n") == answer_of(window).text_of_round(3)
    assert window._panel.strip.marked == frozenset({3})


def test_turning_to_another_stored_answer_shows_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 3)
    first = window._session.chat.turns[0]
    assert first.answer.rounds == []
    QTest.mouseClick(view(window, 0), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(first.answer.rounds))
    panel = window._panel
    assert panel.strip.visible_rounds() == first.answer.rounds[-panel.strip.columns :]
    assert panel._rate_name.text() == "Accept rate, answer 1 of 3"
    panel.strip.chosen.emit(2)
    assert view(window, 0).tokens.textCursor().selectedText().strip() == first.answer.text_of_round(2).strip()
    window._session.answers.ask("One more")
    assert panel._rate_name.text() == "Accept rate, this answer"
    wait_for_end(window, qtbot)


def test_a_selection_made_before_the_tokens_are_read_marks_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 2)
    first = window._session.chat.turns[0]
    prose = view(window, 0).body.text_views[0]
    passage = STORY.split(".")[0][:20]
    prose.setTextCursor(prose.document().find(passage))  # type: ignore[attr-defined]
    prose.setFocus()
    qtbot.waitUntil(lambda: bool(first.answer.tokens))
    assert window._panel.strip.marked == first.answer.rounds_of(passage) != frozenset()


def test_a_continued_stored_answer_keeps_its_first_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Once upon a time", reason="length")]))
    ask(window, "Tell me a story")
    wait_for_end(window, qtbot)
    first = len(answer_of(window).rounds)
    window.close()
    window = open_window(ScriptedEngine([Script(" there was a draft.")]))
    qtbot.waitUntil(lambda: bool(turns(window)))
    window._actions["continue-answer"].trigger()
    qtbot.waitUntil(lambda: answer_of(window).state is State.DONE)
    numbers = [record.number for record in answer_of(window).rounds]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > first
    settle(window, qtbot)
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(turns(window)) and len(answer_of(window).rounds) == len(numbers))


def test_an_answer_whose_rounds_were_never_kept_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    ask(window, "Tell me a story")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window.close()
    with sqlite3.connect(data_folder() / "chats.db") as connection:
        connection.execute("UPDATE token_views SET rounds = x''")
    connection.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(turns(window)) and bool(answer_of(window).tokens))
    assert not window._panel.strip.isVisibleTo(window._panel)
    assert window._panel._no_rounds.isVisibleTo(window._panel)


def test_a_new_chat_that_has_only_a_draft_cannot_be_thrown_away(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window._composer.edit.setPlainText("half a thou")
    qtbot.waitUntil(lambda: window._session.chat.id is not None)
    window._update_actions()
    for action in ("delete-chat", "archive-chat", "pin-chat", "move-chat", "rename-chat", "export-chat"):
        assert not window._actions[action].isEnabled()
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    assert titles(window) == ["First"]
    assert window._actions["delete-chat"].isEnabled()


def test_the_next_hit_is_one_of_the_turns_that_are_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A draft."), Script("Another draft."), Script("Nothing.")]))
    for question in ("one", "two"):
        ask(window, question)
        wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._actions["find-in-chat"].trigger()
    window._find.edit.setText("draft")
    assert window.found_text == "2 of 2"
    window._actions["ask-again"].trigger()
    assert window.found_text == "1 of 1"
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    for _ in range(2):
        QTest.keyClick(window._find.edit, Qt.Key.Key_Return)
    assert window.found_text == "1 of 1"


def test_a_hit_is_not_looked_for_in_another_chat_that_was_chosen_meanwhile(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(ScriptedEngine([Script("A draft."), Script("Two.")]))
    for question in ("first", "second"):
        window._actions["new-chat"].trigger()
        ask(window, question)
        wait_for_end(window, qtbot)
        settle(window, qtbot)
    first = next(chat.id for chat in window._session.list.chats if chat.title == "First")
    session = window._session
    messages = session.chats.wait_for(lambda store: [message.id for message in store.messages.path(first)])
    window._chats.search.setText("draft")
    window._commands.show_hit(first, messages[1])
    qtbot.waitUntil(lambda: session.chat.id == first)
    session.chats.new_chat()
    settle(window, qtbot)
    assert turns(window) == []
    assert not window._find.isVisible()


def test_a_new_chat_stays_although_another_was_still_being_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    chat = window._session.chat.id
    assert chat is not None
    window._session.chats.open_id(chat)
    window._actions["new-chat"].trigger()
    settle(window, qtbot)
    assert turns(window) == []


def test_a_question_asked_while_a_version_is_on_its_way_is_not_lost(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])
    window = open_window(engine)
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._actions["ask-again"].trigger()
    qtbot.waitUntil(lambda: turns(window) == [("first", "Two.")])
    settle(window, qtbot)
    view(window).answer_row.button("previous").click()
    ask(window, "second")
    qtbot.waitUntil(lambda: turns(window) == [("first", "One."), ("second", "Three.")])
    assert [m["content"] for m in engine.requests[-1].messages] == ["first", "One.", "second"]
    settle(window, qtbot)
    path = window._session.chats.wait_for(lambda store: [message.content for message in store.messages.path(1)])
    assert path == ["first", "One.", "second", "Three."]


@pytest.mark.parametrize("word", ["edit", "again"])
def test_what_is_asked_while_another_branch_is_on_its_way_is_shown_where_it_was_put(
    open_window: OpenWindow, qtbot: QtBot, word: str
) -> None:
    engine = ScriptedEngine([Script(f"{number}.") for number in range(4)])
    window = open_window(engine)
    session = window._session
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    session.answers.edit(session.chat.turns[0], "second")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    ask(window, "below the second")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    asked_of = session.chat.turns[0 if word == "edit" else 1]
    session.chats.switch(session.chat, session.chat.turns[0].question_node, -1)
    if word == "edit":
        session.answers.edit(asked_of, "third")
    else:
        session.answers.ask_again(asked_of)
    expected = [("third", "3.")] if word == "edit" else [("second", "1."), ("below the second", "3.")]
    qtbot.waitUntil(lambda: turns(window) == expected)
    settle(window, qtbot)
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
    session = window._session
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    turn = session.chat.turns[0]
    session.answers.continue_answer(turn)
    if word == "edit":
        session.answers.edit(turn, "second")
    else:
        session.answers.ask("second")
    expected = [("second", "Two.")] if word == "edit" else [("first", "One."), ("second", "Two.")]
    qtbot.waitUntil(lambda: turns(window) == expected)
    qtbot.waitUntil(lambda: session.answers.quiet)
    settle(window, qtbot)
    streaming = session.chats.wait_for(lambda store: store.messages.get(turn.answer_node.id).state)
    assert (streaming, len(engine.requests)) == ("complete", 2)


def test_an_answer_goes_on_by_the_settings_of_its_own_chat(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script(" More.")])
    window = open_window(engine)
    session = window._session
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    session.settings.set_own(session.chat, "", {"temperature": 0.5, "seed": 7})
    turn = session.chat.turns[0]
    window._actions["continue-answer"].trigger()
    window._actions["new-chat"].trigger()
    qtbot.waitUntil(lambda: turn.answer.text == "One. More.")
    assert (engine.requests[-1].sampling.temperature, engine.requests[-1].sampling.seed) == (0.5, 7)
    settle(window, qtbot)


def test_an_answer_further_up_that_goes_on_can_be_stopped(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One.", reason="length"), Script("Two."), Script(STORY)])
    window = open_window(engine)
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    settle(window, qtbot)
    engine.gate = threading.Semaphore(5)
    turn = window._session.chat.turns[0]
    window._turns.run(turn, "go-on")
    qtbot.waitUntil(lambda: len(turn.answer.text) > len("One."))
    assert not window._session.answers.ready
    assert window._actions["stop"].isEnabled()
    window._actions["stop"].trigger()
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: turn.answer.state is State.CANCELLED)
    assert window._session.answers.ready
    settle(window, qtbot)


@pytest.mark.parametrize("meanwhile", ["nothing", "writing", "another chat"])
def test_a_question_that_comes_back_and_what_was_written_since_are_both_there(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    chat = window._session.chat

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        ask(window, "precious words")
        if meanwhile == "writing":
            window._composer.edit.setPlainText("and more")
        elif meanwhile == "another chat":
            window._actions["new-chat"].trigger()
        qtbot.waitUntil(lambda: window._banner.isVisible())
    window._session.chats.open(chat)
    expected = "precious words\n\nand more" if meanwhile == "writing" else "precious words"
    assert window._composer.edit.toPlainText() == expected
    settle(window, qtbot)


def test_an_edited_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    monkeypatch.setattr("app.conversations.message_tree.MessageTree.edit", full)
    window._turns._save_edit(window._session.chat.turns[0], "changed at length")
    qtbot.waitUntil(lambda: turns(window) == [("first", "One.")])
    assert window._composer.edit.toPlainText() == "changed at length"


def test_an_end_that_was_refused_is_tried_again_when_the_window_closes(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        patch.setattr("app.conversations.answers.Answers.append", full)
        ask(window, "Tell me a story")
        qtbot.waitUntil(lambda: window._banner.isVisible())
    window.close()
    store, report = open_store(data_folder() / "chats.db")
    assert report.interrupted == ()
    assert store.messages.path(1)[1].content == STORY
    store.close()


def test_what_was_written_in_an_edit_stays_while_it_cannot_be_asked(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("One."), Script(STORY), Script("Three.")])
    window = open_window(engine)
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    view(window, 0).question_row.button("edit").click()
    editor = view(window, 0).editor
    assert editor is not None
    editor.edit.setPlainText("changed at length")
    engine.gate = threading.Semaphore(5)
    ask(window, "second")
    qtbot.waitUntil(lambda: bool(answer_of(window).text))
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    assert view(window, 0).editor is editor
    assert editor.edit.toPlainText() == "changed at length"
    engine.gate.release(1000)
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: turns(window) == [("changed at length", "Three.")])
    settle(window, qtbot)


@pytest.mark.parametrize("send_key", ["enter", "modifier"])
def test_an_edit_is_sent_with_the_key_that_sends_messages(open_window: OpenWindow, qtbot: QtBot, send_key: str) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window._composer.set_send_key(send_key)
    window._composer.edit.setPlainText("first")
    window._composer.send()
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._composer.edit.setPlainText("a draft that stays")
    window._actions["edit-last"].trigger()
    editor = view(window).editor
    assert editor is not None
    if send_key == "modifier":
        QTest.keyClick(editor.edit, Qt.Key.Key_Return)
        assert editor.edit.toPlainText() == "first\n"
    editor.edit.setPlainText("changed")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: turns(window) == [("changed", "Two.")])
    assert window._composer.edit.toPlainText() == "a draft that stays"
    settle(window, qtbot)


def test_an_edit_is_still_there_after_another_chat_was_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    chat, session = window._session.chat, window._session
    view(window, 0).question_row.button("edit").click()
    editor = view(window, 0).editor
    assert editor is not None
    editor.edit.setPlainText("changed at ")
    editor.edit.moveCursor(QTextCursor.MoveOperation.End)
    QCoreApplication.sendEvent(editor.edit, QInputMethodEvent("길", []))
    session.chats.new_chat()
    assert window._composer.edit.toPlainText() == ""
    session.chats.open(chat)
    editor = view(window, 0).editor
    assert editor is not None
    assert editor.edit.toPlainText() == "changed at 길"
    assert window._composer.edit.hasFocus()
    editor.cancelled.emit()
    session.chats.new_chat()
    session.chats.open(chat)
    assert view(window, 0).editor is None


def test_a_chat_that_is_chosen_once_more_stays_as_it_is_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(60))
    window = open_window(ScriptedEngine([Script(long)]))
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    settle(window, qtbot)
    bar, chat = window._transcript.verticalScrollBar(), window._session.chat.id
    assert chat is not None
    qtbot.waitUntil(lambda: bar.maximum() > 1000 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() // 3)
    read = bar.value()
    view(window, 0).question_row.button("edit").click()
    editor = view(window, 0).editor
    window._session.chats.open_id(chat)
    settle(window, qtbot)
    assert view(window, 0).editor is editor
    view(window, 0).end_edit()
    assert abs(bar.value() - read) < 100
