"""What is being written: kept with its chat, counted, undone, brought back."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QToolButton

from app.conversations.exports.json_format import FORMAT, VERSION
from app.session.attachments import count_tokens
from app.widgets.application import Application
from engine import starter_pair
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import button
from tests.engine.documents.office_files import workbook


def test_the_up_key_and_undo_bring_back_what_was_sent(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    edit, seen = window.edit, []
    window.ask_and_wait("first")
    QTest.keyClicks(edit, "second")
    window.send()
    window.wait_until_answered()
    assert edit.toPlainText() == ""
    edit.undo()
    assert edit.toPlainText() == "second"
    edit.clear()
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(edit, key)
        seen.append(edit.toPlainText())
    assert seen == ["second", "first", "first", "second", ""]
    edit.setPlainText("my own")
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "my own"


@pytest.mark.full
def test_files_are_counted_before_the_first_question_also_where_pictures_cannot_be_seen(
    start_chat: StartChat, tmp_path: Path
) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    starter = starter_pair()[0]
    window.session.models.load(str(starter), None)
    window.wait(lambda: not window.session.models.pair.loading)
    texts = [f"Tandem guesses {number} words." for number in range(17)]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text)
    picture = QImage(8, 8, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.red)
    assert picture.save(str(tmp_path / "picture.png"))
    window.paste(*(tmp_path / f"{number}.txt" for number in range(17)), tmp_path / "picture.png")
    counted = sum(count_tokens(starter, text) or 0 for text in texts)
    window.wait(lambda: window.context_text.endswith("of 4,096 tokens"))
    assert int(window.context_text.split()[0]) >= counted
    assert not window.send_button.isEnabled()


def test_the_context_is_counted_while_writing(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    session, starter = window.session, starter_pair()[0]
    (tmp_path / "notes.txt").write_text("Tandem guesses.")
    session.models.load(str(starter), None)
    window.wait(lambda: not session.models.pair.loading)
    window.write("What is Tandem?")
    words = count_tokens(starter, "What is Tandem?")
    assert words
    window.wait(lambda: window.context_text == f"{words} of 4,096 tokens")
    window.paste(tmp_path / "notes.txt")
    notes = count_tokens(starter, "Tandem guesses.")
    assert notes
    window.wait(lambda: window.context_text == f"{words + notes} of 4,096 tokens")
    assert f"{notes} tokens" in [label.text() for label in window.composer.files.findChildren(QLabel)]
    window.ask_and_wait("What is Tandem?")
    stats = session.chat.turns[-1].answer.stats
    window.wait(lambda: window.context_text == f"{stats.prompt_tokens + stats.generated_tokens} of 4,096 tokens")


def test_the_count_grows_while_an_answer_streams(start_chat: StartChat) -> None:
    gate = threading.Semaphore(0)
    window = start_chat(ScriptedEngine([Script(STORY)], gate=gate))
    window.ask("Tell me a story")
    chat = window.session.chat
    for _ in range(2):
        before = chat.context_tokens()
        gate.release(3)
        window.wait(lambda before=before: chat.context_tokens() > before)
        window.wait(lambda: window.context_text == f"{chat.context_tokens()} of 4,096 tokens")
        assert chat.streaming
    assert window.answer().stats.generated_tokens > 5
    # Nor does it fall when the answer ends, before all is counted again.
    at_end: list[str] = []
    window.session.answers.ended.connect(lambda *_: at_end.append(window.context_text))
    gate.release(1000)
    window.wait(lambda: bool(at_end))
    assert at_end == [f"{chat.context_tokens()} of 4,096 tokens"]


def shown_tokens(window: WindowDriver) -> int:
    """Return the tokens that the line below the message box names; 0 while it is empty."""
    return int(window.context_text.split()[0].replace(",", "")) if window.context_text else 0


def test_the_count_means_the_same_before_and_after_the_first_token(start_chat: StartChat) -> None:
    gate = threading.Semaphore(0)
    engine = ScriptedEngine([Script("Yes."), Script("Yes.")], gate=gate, tool_format="json_tools")
    window = start_chat(engine)
    chat, starter = window.session.chat, starter_pair()[0]
    window.session.models.load(str(starter), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.session.tools.set_on(chat, True)
    question = "What is a draft model, and why does it help? " * 20
    words = count_tokens(starter, question) or 0
    for _ in range(2):
        before = chat.context_tokens()
        window.ask(question)
        # The question counts as soon as it is asked, and still does once the answer has figures of its own.
        window.wait(lambda before=before: shown_tokens(window) >= before + words)
        gate.release(1000)
        window.wait_until_answered()
        window.wait(lambda: shown_tokens(window) == chat.context_tokens())
        while gate.acquire(blocking=False):
            pass


def test_the_tools_of_the_starter_count_as_the_names_that_its_template_writes(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine(tool_format="json_tools"))
    session, starter = window.session, starter_pair()[0]
    session.models.starter_pair = starter_pair()[:2]
    session.models.load(str(starter), None)
    window.wait(lambda: not session.models.pair.loading)
    window.write("What is Tandem?")
    expected = count_tokens(starter, "list_models, acceptance_today\n\nWhat is Tandem?") or 0
    window.wait(lambda: 0 < shown_tokens(window) <= expected + 1)


def test_an_imported_chat_is_counted_although_no_answer_has_figures(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine())
    session, starter = window.session, starter_pair()[0]
    session.models.load(str(starter), None)
    window.wait(lambda: not session.models.pair.loading)
    messages = [
        {"uid": "q", "role": "user", "content": "What is Tandem? " * 100},
        {"uid": "a", "parent": "q", "role": "assistant", "content": "An app. " * 2000},
    ]
    chats = {"format": FORMAT, "version": VERSION, "conversations": [{"title": "Old", "messages": messages}]}
    (tmp_path / "old.json").write_text(json.dumps(chats))
    window.import_chats(tmp_path / "old.json")
    window.wait(lambda: "Old" in window.titles)
    window.sidebar.click("Old")
    asked, answered = (count_tokens(starter, str(message["content"])) or 0 for message in messages)
    window.wait(lambda: "tokens: too long" in window.context_text)
    counted = int(window.context_text.split()[0].replace(",", ""))
    assert abs(counted - asked - answered) < 10
    # A chat without turns has none.
    window.trigger("new-chat")
    window.wait(lambda: window.context_text == "")


def test_what_no_context_holds_is_told_before_it_is_sent(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.session.models.load(str(starter_pair()[0]), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.write("word " * 5000)
    window.wait(lambda: window.context_text.endswith("too long for this model"))
    window.send()
    assert window.session.chat.turns == []
    assert not window.is_enabled("send")
    assert "too long for this model" in window.send_button.toolTip()
    assert window.ways_to_shorten == []
    window.write("word")
    window.wait(lambda: window.is_enabled("send"))


def test_a_long_chat_can_leave_out_its_oldest_messages(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("Yes.", prompt_tokens=5000), Script("No.")])
    window = start_chat(engine)
    window.session.models.load(str(starter_pair()[0]), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.ask_and_wait("first")
    window.wait(lambda: window.context_text.endswith("too long for this model"))
    # It is no problem before there is a message.
    assert window.composer.shorten.isHidden()
    assert "too long for this model" not in window.send_button.toolTip()
    window.write("second")
    window.wait(lambda: "too long for this model" in window.send_button.toolTip())
    assert window.ways_to_shorten == ["Drop the oldest messages"]
    window.shorten("Drop the oldest messages")
    window.wait(lambda: window.is_enabled("send"))
    assert window.context_text.endswith("the oldest messages are dropped")
    window.send()
    window.wait(lambda: len(engine.requests) == 2)
    assert [request.overflow for request in engine.requests] == ["refuse", "shorten"]


def test_no_message_is_said_to_be_dropped_from_a_chat_that_refuses_to_grow(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.", prompt_tokens=5000)]))
    window.session.models.load(str(starter_pair()[0]), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.write("first")
    window.wait(lambda: window.context_text.endswith("tokens"))
    shown: list[str] = []
    window.session.answers.ended.connect(lambda *_: shown.append(window.context_text))
    window.send()
    window.wait(lambda: window.context_text.endswith("too long for this model"))
    assert shown
    assert not any(text.endswith("the oldest messages are dropped") for text in shown)


def test_a_question_can_be_about_the_sheets_that_fit_or_those_that_are_chosen(
    start_chat: StartChat, tmp_path: Path
) -> None:
    (tmp_path / "a.xlsx").write_bytes(workbook(Sales=250, Costs=250, Notes=250))
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    window.session.models.load(str(starter_pair()[0]), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.paste(tmp_path / "a.xlsx")
    window.wait(lambda: bool(window.ways_to_shorten))
    assert window.ways_to_shorten[0] == "Ask about Sales of a.xlsx"
    window.shorten("Ask about Sales of a.xlsx")
    window.wait(lambda: window.is_enabled("send"))
    row = window.composer.files
    assert any("sheets of 3: Sales" in words.text() for words in row.findChildren(QLabel))
    [sheets] = [tool for tool in row.findChildren(QToolButton) if tool.text() == "Sheets…" and tool.isVisible()]
    boxes = sheets.menu().findChildren(QCheckBox)
    assert [(box.text(), box.isChecked()) for box in boxes] == [("Sales", True), ("Costs", False), ("Notes", False)]
    *_, attach = sheets.menu().actions()
    boxes[0].click()
    assert not attach.isEnabled()
    boxes[1].click()
    boxes[2].click()
    attach.trigger()
    window.wait(lambda: row.attachments[0].text.startswith("## Costs"))
    assert "## Notes" in row.attachments[0].text
    assert (len(row.attachments), row.attachments[0].text.splitlines()[-1]) == (
        1,
        "[Left out: 1 hidden sheet, sheet Sales]",
    )


def test_a_long_file_can_be_cut(start_chat: StartChat, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("word " * 5000)
    engine = ScriptedEngine([Script("Yes.")])
    window = start_chat(engine)
    starter = starter_pair()[0]
    window.session.models.load(str(starter), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.paste(tmp_path / "notes.txt")
    window.wait(lambda: bool(window.ways_to_shorten))
    window.shorten("Keep the first 3,072 tokens of notes.txt")
    window.wait(lambda: window.is_enabled("send"))
    window.settle()
    (kept,) = window.composer.files.attachments
    assert count_tokens(starter, kept.text) == 3072
    assert ("word " * 5000).startswith(kept.text)


def test_what_is_written_in_a_chat_can_be_undone_after_another_was_shown(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    window.ask_and_wait("first")
    first, edit = window.session.chat, window.edit
    QTest.keyClicks(edit, "one two")
    window.trigger("new-chat")
    QTest.keyClicks(edit, "another")
    window.session.chats.open(first)
    assert edit.toPlainText() == "one two"
    edit.undo()
    assert edit.toPlainText() != "one two"
    edit.redo()
    assert edit.toPlainText() == "one two"
    assert first.unsent == "one two"


@pytest.mark.full
def test_what_is_being_composed_stays_in_the_chat_that_is_left_and_in_the_window_that_closes(
    open_window: OpenWindow,
) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    window.ask_and_wait("first")
    first, edit = window.session.chat, window.edit
    window.compose("초안")
    window.trigger("new-chat")
    assert edit.toPlainText() == ""
    window.session.chats.open(first)
    assert edit.toPlainText() == "초안"
    edit.clear()
    window.compose("끝")
    window.close()
    assert first.unsent == "끝"


def test_a_question_of_the_welcome_leaves_the_draft_where_it_is(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("An app.")]))
    session, edit = window.session, window.edit
    QTest.keyClicks(edit, "half a thought")
    button(window.window, "What is Tandem?").click()
    window.wait_until_answered()
    first = session.chat
    session.chats.new_chat()
    session.chats.open(first)
    assert edit.toPlainText() == first.unsent == "half a thought"


def test_words_that_are_sent_while_an_answer_goes_on_wait_below_it(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("A long", reason="length"), Script(" story.")]))
    window.ask_and_wait("first")
    session, edit = window.session, window.edit
    QTest.keyClicks(edit, "second")

    def press(_chat: object, _turn: object) -> None:
        if session.chat.streaming and len(session.chat.turns) == 1:
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert edit.toPlainText() == ""
            assert [question.question for question in session.chat.waiting] == ["second"]

    session.answers.arrived.connect(press)
    window.trigger("continue-answer")
    window.wait(lambda: window.turns == [("first", "A long story."), ("second", " story.")])
    assert edit.toPlainText() == ""


@pytest.mark.full
def test_a_draft_is_as_large_as_other_text_after_the_text_size_changed(
    start_chat: StartChat, qapp: Application
) -> None:
    window = start_chat(ScriptedEngine([Script("Yes.")]))
    window.ask_and_wait("first")
    first, edit = window.session.chat, window.edit
    QTest.keyClicks(edit, "a draft")
    window.trigger("new-chat")
    qapp.theme.set_text_size(130)
    window.session.chats.open(first)
    assert edit.document().defaultFont().pixelSize() == edit.font().pixelSize() == 18
    assert edit.document().isUndoAvailable()
