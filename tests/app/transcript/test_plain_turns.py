"""A turn whose view raises is shown as plain text. The turns around it, and other chats, are shown as ever."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.conversations.search import parse_phrase
from app.session.answer import Answer, State
from app.session.chats import Chat, Turn
from app.text.blocks import Splitter
from app.transcript.answer_body import AnswerBody
from app.transcript.auto_height_browser import PlainTextBrowser
from app.transcript.code_block import CodeBlock
from app.transcript.document_writer import DocumentWriter
from app.transcript.plain_turn import PlainTurn
from app.transcript.prose import Prose
from app.transcript.question_bubble import QuestionBubble
from app.transcript.shown_text import block_texts
from app.transcript.transcript import Transcript
from app.transcript.turn_view import TurnView
from tests.engine.tiers import by_tier

CODE_TABLE = "```py\nx\n```\n\n| A | B |\n|---|---|\n| 1 | 2 |\n"
BAD = "Words of **the bad** answer.\n\nAnd more of it.\n"

logs_errors = pytest.mark.expects_log
# What makes the view of a turn or shows its state, and what is shown of a turn where that raises.
PARTS = {
    "the splitter": (Splitter, "feed"),
    "the blocks": (AnswerBody, "_show_frozen"),
    "the prose": (Prose, "show_markdown"),
    "the document writer": (DocumentWriter, "write"),
    "the body": (AnswerBody, "show_text"),
    "the question": (QuestionBubble, "__init__"),
    "the surroundings": (TurnView, "refresh_footer"),
    "the turn": (TurnView, "refresh"),
}


class Broken:
    """Makes a method raise for what contains BAD's words, or for all while `for_all`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type, method: str) -> None:
        self.for_all, self.raised = False, 0
        original = getattr(kind, method)

        def broken(*arguments: Any, **named: Any) -> Any:
            if self.for_all or "bad" in _words_of(arguments):
                self.raised += 1
                raise LookupError("broken for a test")
            return original(*arguments, **named)

        monkeypatch.setattr(kind, method, broken)


def _words_of(arguments: tuple[Any, ...]) -> str:
    """Return what the call is about."""
    owner, *others = arguments
    turns = [part for part in (*others, getattr(owner, "turn", None)) if isinstance(part, Turn)]
    words = [str(part) for part in others if not isinstance(part, Turn)]
    return "".join([*(turn.answer.text for turn in turns), *words, getattr(owner, "_text", "")])


def chat_of(number: int, *answers: str) -> Chat:
    return Chat(
        number, "", [Turn(f"Question {number}.{at}", Answer(State.DONE, text)) for at, text in enumerate(answers)]
    )


def settle(transcript: Transcript, qtbot: QtBot) -> None:
    timers = transcript.findChildren(QTimer, options=Qt.FindChildOption.FindDirectChildrenOnly)
    qtbot.waitUntil(lambda: transcript.widget().updatesEnabled() and not any(timer.isActive() for timer in timers))


def shown(transcript: Transcript) -> str:
    """Return the texts that are visible, top to bottom."""
    views = [*transcript.findChildren(PlainTextBrowser), *transcript.findChildren(Prose)]
    views += [code.text_view for code in transcript.findChildren(CodeBlock)]
    visible = [view for view in views if view.isVisible()]
    visible.sort(key=lambda view: view.mapTo(transcript, view.rect().topLeft()).y())
    return "\n".join(view.toPlainText().strip() for view in visible)


@pytest.mark.full
def test_a_chat_that_begins_with_code_and_a_table_is_shown(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_chat(chat_of(1, "What is a token?"))
    settle(transcript, qtbot)
    transcript.show_chat(chat_of(2, CODE_TABLE))
    settle(transcript, qtbot)
    assert shown(transcript).split() == ["Question", "2.0", "x", "A", "B", "1", "2"]


@logs_errors
@pytest.mark.parametrize("part", PARTS)
def test_a_turn_that_raises_is_plain_and_the_others_are_as_ever(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, part: str
) -> None:
    broken = Broken(monkeypatch, *PARTS[part])
    transcript.show_chat(chat_of(1, "Old words."))
    settle(transcript, qtbot)
    transcript.show_chat(chat_of(2, "Before *it*.", BAD, "After *it*."))
    settle(transcript, qtbot)
    transcript.set_with_figures(False)
    settle(transcript, qtbot)
    words = shown(transcript)
    assert broken.raised
    assert [line for line in words.split("\n") if line] == [
        *("Question 2.0", "Before it.", "Question 2.1", "Words of **the bad** answer.", "And more of it."),
        *("Question 2.2", "After it."),
    ]
    assert any(record.exc_info is not None and record.exc_info[0] is LookupError for record in caplog.records)


@logs_errors
@pytest.mark.parametrize("part", by_tier(PARTS, ["the prose", "the turn"]))
def test_a_chat_whose_turns_all_raise_is_shown_and_so_is_the_next(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    broken = Broken(monkeypatch, *PARTS[part])
    transcript.show_chat(chat_of(1, "Old words."))
    settle(transcript, qtbot)
    broken.for_all = True
    transcript.show_chat(chat_of(2, "First *one*.", "Second *one*."))
    settle(transcript, qtbot)
    transcript.set_with_figures(False)
    settle(transcript, qtbot)
    assert "First *one*." in shown(transcript)
    assert "Second *one*." in shown(transcript)
    assert "Old words" not in shown(transcript)
    broken.for_all = False
    transcript.show_chat(chat_of(3, "Next *one*."))
    settle(transcript, qtbot)
    assert shown(transcript) == "Question 3.0\nNext one."


@logs_errors
@pytest.mark.parametrize("part", by_tier(PARTS, ["the splitter", "the prose", "the turn"]))
def test_an_answer_that_raises_while_it_streams_goes_on_as_plain_text(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    broken = Broken(monkeypatch, *PARTS[part])
    turn = Turn("Question", Answer(State.WRITING, "Words *of*"))
    transcript.show_chat(Chat(1, "", [turn]))
    settle(transcript, qtbot)
    broken.for_all = True
    for words in (" it,", " more **words**", " and\n\n- so on"):
        turn.answer.text += words
        transcript.refresh(turn)
        transcript.set_with_figures(not transcript.with_figures)
    broken.for_all = False
    turn.answer.text += "\n- and on\n"
    transcript.refresh(turn)
    turn.answer.state = State.DONE
    transcript.refresh(turn)
    settle(transcript, qtbot)
    assert shown(transcript).count("and on") == 1
    if broken.raised:
        assert shown(transcript).endswith("Words *of* it, more **words** and\n\n- so on\n- and on")


@logs_errors
def test_a_plain_answer_says_so_once_and_can_be_searched(
    body: AnswerBody, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Broken(monkeypatch, Splitter, "feed").for_all = True
    text = "A *long* line of words.\n\n" * 400
    for end in (10, 5000, 9000, len(text)):
        body.show_text(text[:end], ended=end == len(text))
    qtbot.waitUntil(lambda: body.complete)
    body.load_between(0, 100_000, 1_000_000)
    words = [view.toPlainText() for view in body.text_views]
    assert "".join("\n".join(words).split()) == "".join(text.split())
    assert block_texts(text) == words
    notices = [label.text() for label in body.findChildren(QLabel)]
    assert notices == ["Shown without formatting, because an error occurred."]
    assert [record.message for record in caplog.records].count("an answer is shown as plain text") == 1


@logs_errors
def test_an_answer_that_is_written_again_is_formatted_again(body: AnswerBody, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Broken(monkeypatch, Splitter, "feed")
    broken.for_all = True
    body.show_text("Words *of it*.", ended=True)
    broken.for_all = False
    body.show_text("Other *words*.", ended=True)
    assert [view.toPlainText() for view in body.text_views] == ["Other words."]


@logs_errors
def test_a_plain_turn_has_the_menu_of_its_turn_and_can_be_found(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    Broken(monkeypatch, TurnView, "refresh")
    chat = chat_of(1, "Before.", BAD)
    transcript.show_chat(chat)
    settle(transcript, qtbot)
    [plain] = transcript.findChildren(PlainTurn)
    wanted = QSignalSpy(transcript.menu_wanted)
    plain.customContextMenuRequested.emit(plain.rect().center())
    assert wanted.at(0)[0] is chat.turns[1]
    query = parse_phrase("bad")
    assert query is not None
    transcript.highlight(query, (chat.turns[1], 0))
    transcript.reveal_match(chat.turns[1], 0)
    transcript.show_round(chat.turns[1], 1)
    assert transcript.view(chat.turns[1]) is None
    assert plain.isVisible()


@logs_errors
def test_an_error_while_a_chat_is_loaded_leaves_it_painted(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript.show_chat(chat_of(1, "Old words."))
    settle(transcript, qtbot)
    monkeypatch.setattr("app.transcript.transcript.top_in", lambda *_: 1 / 0)
    with qtbot.captureExceptions() as raised:
        transcript.show_chat(chat_of(2, "New words."))
        qtbot.waitUntil(lambda: bool(raised))
    assert transcript.widget().updatesEnabled()
