"""Answers of a looping model. The Qt thread makes a few of their blocks at a time, and only those near the view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.conversations.search import parse_phrase
from app.session.answer import Answer, State
from app.session.chats import Chat, Turn
from app.transcript.answer_body import SLICE, AnswerBody
from app.transcript.answer_runs import cost_of
from app.transcript.code_block import CodeBlock
from app.transcript.prose import Prose
from app.transcript.transcript import Transcript
from app.widgets.application import Application
from tests.app.heartbeat import Heartbeat
from tests.app.hostile_answers import ANSWERS

# A turn of the event loop reads one slice and makes another, and each may exceed the budget by one run.
_MOST = 8 * SLICE
# Enough for several slices; the campaign takes all of each.
_SHORT = 30_000
SOME = ["300 ordinary paragraphs", "4000 one-letter paragraphs", "one word", "one formula"]
OTHERS = ["3000 rules", "5000 fences", "emphasis run", "table of 20000 rows", "control signs", "list items"]
by_name = pytest.mark.parametrize("name", [*SOME, *(pytest.param(name, marks=pytest.mark.full) for name in OTHERS)])


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Counter[int], Counter[int]]]:
    """The cost of the laid out texts, and the number of shown blocks, in each turn of the event loop."""
    cost, blocks, turn = Counter[int](), Counter[int](), 0

    def next_turn() -> None:
        nonlocal turn
        turn += 1

    for kind, method in ((Prose, "show_markdown"), (CodeBlock, "show_code")):
        original = getattr(kind, method)

        def counted(view: QWidget, text: str, *rest: object, show: Callable[..., None] = original) -> None:
            cost[turn] += cost_of(text)
            blocks[turn] += 1
            show(view, text, *rest)

        monkeypatch.setattr(kind, method, counted)
    timer = QTimer()
    timer.timeout.connect(next_turn)
    timer.start(0)
    yield cost, blocks
    timer.stop()


def show_answer(transcript: Transcript, text: str, qtbot: QtBot) -> Turn:
    turn = Turn("Question", Answer(State.DONE, text))
    transcript.show_chat(Chat(1, "hostile", [turn]))
    settle(transcript, qtbot)
    return turn


def settle(transcript: Transcript, qtbot: QtBot) -> None:
    """Wait until all blocks near the view have widgets."""
    qtbot.waitUntil(lambda: bool(transcript.findChildren(AnswerBody)))
    QCoreApplication.processEvents()
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    timers = [
        timer
        for owner in (transcript, *transcript.findChildren(AnswerBody))
        for timer in owner.findChildren(QTimer, options=direct)
    ]
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in timers))


def texts_in_view(transcript: Transcript) -> list[str]:
    found = [*transcript.findChildren(Prose), *transcript.findChildren(QPlainTextEdit)]
    return [view.toPlainText() for view in found if view.isVisible() and not view.visibleRegion().isEmpty()]


@by_name
def test_a_stored_answer_is_made_in_slices_and_only_near_the_view(
    name: str, transcript: Transcript, qtbot: QtBot, work: tuple[Counter[int], Counter[int]]
) -> None:
    show_answer(transcript, ANSWERS[name]()[:_SHORT], qtbot)
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    for share in (0.9, 0.5, 0.0):
        bar.setValue(round(share * bar.maximum()))
        settle(transcript, qtbot)
        assert len(transcript.findChildren(Prose)) + len(transcript.findChildren(CodeBlock)) < 120
        assert any(text.strip() for text in texts_in_view(transcript)) or name in ("3000 rules", "5000 fences")
    cost, blocks = work
    assert max(cost.values()) <= _MOST
    assert max(blocks.values()) <= 60


@pytest.mark.full
@by_name
def test_a_frame_of_an_answer_that_streams_lays_out_no_more_at_its_end(
    name: str, transcript: Transcript, qtbot: QtBot, work: tuple[Counter[int], Counter[int]]
) -> None:
    text, answer = ANSWERS[name]()[:6000], Answer(State.WRITING, "")
    turn = Turn("Question", answer)
    transcript.show_chat(Chat(1, "hostile", [turn]))
    settle(transcript, qtbot)
    for end in range(250, len(text) + 1, 250):
        answer.text = text[:end]
        transcript.refresh(turn)
        QCoreApplication.processEvents()
    cost, blocks = work
    assert max(cost.values()) <= _MOST
    assert max(blocks.values()) <= 200


def test_what_is_read_stays_while_blocks_around_find_their_height(transcript: Transcript, qtbot: QtBot) -> None:
    text = "".join(f"Paragraph {n}. " + "Words enough for lines. " * (n * 7 % 40) + "\n\n" for n in range(200))
    show_answer(transcript, text, qtbot)
    bar = transcript.verticalScrollBar()
    for share in (0.7, 0.4):
        bar.setValue(round(share * bar.maximum()))
        settle(transcript, qtbot)
        for _ in range(3):
            read = next(view for view in transcript.findChildren(Prose) if not view.visibleRegion().isEmpty())
            bar.setValue(bar.value() - 300)
            top = read.mapTo(transcript.widget(), read.rect().topLeft()).y() - bar.value()
            settle(transcript, qtbot)
            assert read.mapTo(transcript.widget(), read.rect().topLeft()).y() - bar.value() == top


def test_a_match_far_from_the_view_is_counted_and_shown(transcript: Transcript, qtbot: QtBot) -> None:
    text = "x\n\n" * 800 + "A needle here.\n\n" + "y\n\n" * 800 + "and a needle there.\n"
    turn = show_answer(transcript, text, qtbot)
    query = parse_phrase("needle")
    assert query is not None
    qtbot.waitUntil(lambda: transcript.count_matches(turn, query) == 2)
    for index, words in ((0, "A needle here."), (1, "and a needle there.")):
        transcript.highlight(query, (turn, index))
        transcript.reveal_match(turn, index)
        settle(transcript, qtbot)
        assert any(words in shown for shown in texts_in_view(transcript))
        marked = [mark for view in transcript.findChildren(Prose) for mark in view.extraSelections()]
        assert "needle" in [mark.cursor.selectedText() for mark in marked]


def test_a_selection_is_kept_while_one_scrolls_away(transcript: Transcript, qtbot: QtBot) -> None:
    turn = show_answer(transcript, "x\n\n" * 1500 + "The last words.\n", qtbot)
    last = transcript.view(turn).body.text_views[-2]
    last.selectAll()
    selected = transcript.view(turn).selected_text()
    assert selected
    transcript.verticalScrollBar().setValue(0)
    settle(transcript, qtbot)
    assert transcript.view(turn).selected_text() == selected


def test_plain_text_is_shown_as_it_was_written_below_a_note_in_every_language(
    body: AnswerBody, qtbot: QtBot, qapp: Application
) -> None:
    body.show_text("First.\n\n" + "*a_" * 5000 + "\n\nThen *more*.\n", True)
    qtbot.waitUntil(lambda: body.complete)
    body.load_between(0, 100_000, 10**6)
    shown = [view.toPlainText() for view in body.text_views]
    assert "".join(shown[1:-1]) == "*a_" * 5000
    assert shown[-1] == "Then more."
    [note] = body.findChildren(QWidget, "notice")
    assert note.text() == "Shown without formatting, because this passage is very long."
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: not note.text().isascii())


def test_the_rest_of_a_huge_answer_is_not_shown(
    transcript: Transcript, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.transcript.answer_body.LONGEST_ANSWER", 12_000)
    show_answer(transcript, "Words of it.\n\n" * 900 + "The end.\n", qtbot)
    notes = transcript.findChildren(QWidget, "notice")
    assert "Only the beginning of this very long text is shown." in notes[-1].text()
    shown = "".join(texts_in_view(transcript))
    assert "Words of it." in shown
    assert "The end." not in shown


@pytest.mark.campaign
@pytest.mark.parametrize("name", ANSWERS)
def test_no_answer_holds_the_qt_thread(name: str, transcript: Transcript, qtbot: QtBot) -> None:
    show_answer(transcript, "Hello `x`.\n\n```python\nx = 1\n```\n", qtbot)
    text, beat = ANSWERS[name](), Heartbeat()
    stalls = {}
    transcript.show_chat(Chat(2, "hostile", [Turn("Question", Answer(State.DONE, text))]))
    beat.rest(30, 60)
    stalls["opened"] = beat.take()
    bar = transcript.verticalScrollBar()
    for step in range(20):
        bar.setValue(bar.maximum() * (19 - step) // 19)
        beat.rest(5, 20)
    stalls["scrolled"] = beat.take()
    answer = Answer(State.WRITING, "")
    turn = Turn("Question", answer)
    transcript.show_chat(Chat(3, "hostile", [turn]))
    beat.rest(5, 20)
    beat.take()
    for end in range(0, min(len(text), 40_000), 120):
        answer.text = text[:end]
        transcript.refresh(turn)
        QCoreApplication.processEvents()
    stalls["streamed"] = beat.take()
    beat.stop()
    print(f"{name}: " + ", ".join(f"{kind} {1000 * stall:.0f} ms" for kind, stall in stalls.items()))
    # Five times the goal, because the machine may be shared.
    assert max(stalls.values()) < 0.5
