"""A long chat: only turns near the view have widgets, and the text in view keeps its position."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from app.conversations.database.records import Attachment
from app.session.answer import Answer, State
from app.session.chats import READ_POSITION, Chat, Turn
from app.transcript.lazy_turn import LazyTurn, typed_lines
from app.transcript.prose import Prose
from app.transcript.question_bubble import QuestionBubble
from app.transcript.transcript import Transcript
from app.transcript.turn_view import TurnView
from engine.errors import ModelNotUsable
from tests.app.conftest import PATIENCE_MS, Show

TURNS = 120


def turn(number: int) -> Turn:
    text = "\n\n".join(f"Paragraph {number}.{part} with words that fill a line." for part in range(number % 7))
    text = f"Answer {number}.\n\n{text}\n\n```\ncode {number}\n```\n"
    return Turn(f"Question {number}", Answer(State.DONE, text))


@pytest.fixture(scope="module")
def chat() -> Chat:
    return Chat(1, "long", [turn(number) for number in range(TURNS)])


def colours(transcript: Transcript) -> list[int]:
    """Return how many colours each fifth of the view has."""
    picture = transcript.viewport().grab().toImage()
    stripe = picture.height() // 5
    return [colours_of(picture.copy(0, top, picture.width(), stripe)) for top in range(0, 5 * stripe, stripe)]


def colours_of(picture: QImage) -> int:
    """Return how many colours a picture has."""
    # Four bytes each, so that no line has others at its end.
    pixels = picture.convertToFormat(QImage.Format.Format_RGB32).constBits()
    return len(set(memoryview(pixels).cast("I")))


@pytest.fixture
def long_chat(transcript: Transcript, qtbot: QtBot, chat: Chat) -> Transcript:
    transcript.show_chat(chat)
    settle(transcript, qtbot)
    return transcript


def settle(transcript: Transcript, qtbot: QtBot) -> None:
    """Wait until the turns near the view have widgets."""
    timers = transcript.findChildren(QTimer, options=Qt.FindChildOption.FindDirectChildrenOnly)
    qtbot.waitUntil(lambda: bool(loaded(transcript)) and not any(timer.isActive() for timer in timers))


def slots(transcript: Transcript) -> list[LazyTurn]:
    """Return the turns, top to bottom, with widgets or without."""
    return sorted(transcript.findChildren(LazyTurn), key=lambda slot: slot.y())


def loaded(transcript: Transcript) -> list[TurnView]:
    """Return the turns that have widgets."""
    return [slot.view for slot in transcript.findChildren(LazyTurn) if slot.view is not None]


def first_in_view(transcript: Transcript) -> LazyTurn:
    top = transcript.verticalScrollBar().value()
    return next(slot for slot in slots(transcript) if slot.geometry().bottom() >= top)


def test_a_long_chat_opens_at_its_end_with_few_widgets(long_chat: Transcript, chat: Chat) -> None:
    bar = long_chat.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert 1 <= len(loaded(long_chat)) < 20
    assert slots(long_chat)[-1].view is not None
    assert slots(long_chat)[0].view is None
    assert [slot.turn for slot in slots(long_chat)] == chat.turns


@pytest.mark.full
def test_no_part_of_the_view_is_blank_however_fast_one_scrolls(long_chat: Transcript) -> None:
    bar = long_chat.verticalScrollBar()
    # Nothing is loaded meanwhile, because no event is processed.
    for percent in range(0, 101, 4):
        bar.setValue(bar.maximum() * percent // 100)
        # Words have many shades.
        assert min(colours(long_chat)) > 5, percent


@pytest.mark.full
def test_what_is_read_stays_while_turns_around_find_their_height(long_chat: Transcript, qtbot: QtBot) -> None:
    bar = long_chat.verticalScrollBar()
    for share in (0.6, 0.3):
        bar.setValue(round(bar.maximum() * share))
        read = first_in_view(long_chat)
        offset = read.y() - bar.value()
        settle(long_chat, qtbot)
        assert read.y() - bar.value() == offset


def test_a_narrower_window_keeps_the_end_in_view(long_chat: Transcript, qtbot: QtBot) -> None:
    bar = long_chat.verticalScrollBar()
    for width in (600, 1100, 500):
        long_chat.resize(width, 700)
        settle(long_chat, qtbot)
        qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_what_has_no_spaces_is_broken_and_does_not_make_the_chat_wider(transcript: Transcript, qtbot: QtBot) -> None:
    words = "https://example.org/" + "q" * 400
    attached = (Attachment("n" * 250 + ".txt", "text/plain", ""),)
    text = f"See {words} and `{'x' * 300}`.\n\n```\n{'y' * 400}\n```\n\n| {words} | b |\n|---|---|\n"
    answer = Answer(State.FAILED, text, error=ModelNotUsable("/" + "p" * 300, "incomplete"))
    transcript.resize(600, 500)
    transcript.show_chat(Chat(1, "wide", [Turn(words, answer, attached)]))
    settle(transcript, qtbot)
    assert transcript.widget().width() == transcript.viewport().width()
    bubble = transcript.findChild(QuestionBubble)
    assert bubble.text.height() >= bubble.text.document().size().height() > 3 * bubble.text.fontMetrics().lineSpacing()


@pytest.mark.full
def test_another_chat_is_never_painted_below_the_turns_of_the_one_before(long_chat: Transcript) -> None:
    before = slots(long_chat)
    long_chat.show_chat(Chat(2, "short", [turn(1)]))
    assert not any(slot.isVisibleTo(long_chat) for slot in before)


def test_opening_a_chat_lays_its_turns_out_a_few_times_and_not_once_for_each(
    transcript: Transcript, qtbot: QtBot, chat: Chat
) -> None:
    heights = []
    transcript.verticalScrollBar().rangeChanged.connect(lambda _minimum, maximum: heights.append(maximum))
    transcript.show_chat(chat)
    settle(transcript, qtbot)
    assert 0 < len(heights) < TURNS / 4


class TypedWords(QObject):
    """Notes the turns that are painted as typed words, because they have no widgets."""

    def __init__(self, qapp: QObject) -> None:
        super().__init__()
        self.painted: list[str] = []
        qapp.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, LazyTurn) and watched.view is None:
            self.painted.append(watched.turn.question)
        return False


@pytest.mark.parametrize("text", ["This is a sentence about the topic. " * 20, "x" * 300, "a\n\n" + "word " * 40])
def test_typed_words_break_between_words_and_none_is_lost(text: str) -> None:
    lines = typed_lines(text)
    assert "".join(lines) == text.replace("\n", "")
    assert all(len(line) <= 85 for line in lines)
    if " " in text:
        assert all(line.endswith(" ") for line in lines if len(line) > 60)


def on_screen(transcript: Transcript) -> QImage:
    """The page as it stands on the screen, where what is not painted anew stays; without its edge."""
    picture = transcript.screen().grabWindow(transcript.winId()).toImage()
    return picture.copy(transcript.rect().adjusted(20, 20, -20, -20))


def test_a_chat_that_waits_for_its_formulas_does_not_stand_below_the_page_before(
    show: Show[Transcript], qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.transcript.transcript._FORMULAS_MS", 10 * PATIENCE_MS)
    transcript = show(Transcript(), 900, 700)
    transcript.show_chat(Chat(1, "first", [turn(1), turn(2)]))
    qtbot.waitUntil(lambda: bool(loaded(transcript)) and transcript.widget().updatesEnabled())
    qapp.processEvents()
    before = on_screen(transcript)
    waiting = [True]
    monkeypatch.setattr(Prose, "waits", property(lambda _: waiting[0]))
    transcript.show_chat(Chat(2, "second", [turn(3), turn(4)]))
    for _ in range(5):
        qapp.processEvents()
    blank = on_screen(transcript)
    assert blank != before
    assert colours_of(blank) == 1
    # The end of the wait.
    waiting[0] = False
    transcript.load_soon()
    for _ in range(5):
        qapp.processEvents()
    assert on_screen(transcript) not in (before, blank)


def read_at(number: int, first: int) -> Chat:
    chat = Chat(number, "read", [turn(first + index) for index in range(30)])
    chat.settings[READ_POSITION] = (12, 5)
    return chat


@pytest.mark.full
def test_a_chat_that_is_opened_shows_no_typed_words_and_no_arrow_before(
    transcript: Transcript, qtbot: QtBot, qapp: QObject
) -> None:
    typed = TypedWords(qapp)
    newest = transcript.findChild(QToolButton, "newest")
    first, second = (read_at(number, 100 * number) for number in (1, 2))
    for chat in (first, second, first):
        transcript.show_chat(chat)
        assert not newest.isVisible()
        QCoreApplication.sendPostedEvents()
        settle(transcript, qtbot)
        assert newest.isVisible()
        assert min(colours(transcript)) > 5
    assert typed.painted == []


def test_the_last_chats_keep_what_was_selected_and_older_ones_no_widgets(transcript: Transcript, qtbot: QtBot) -> None:
    chats = [read_at(number, 100 * number) for number in range(1, 5)]
    transcript.show_chat(chats[0])
    settle(transcript, qtbot)
    chosen = transcript.view(chats[0].turns[12])
    chosen.findChild(Prose).selectAll()
    words = chosen.selected_text()
    transcript.show_chat(chats[1])
    settle(transcript, qtbot)
    transcript.set_with_figures(False)
    transcript.show_chat(chats[0])
    settle(transcript, qtbot)
    assert transcript.view(chats[0].turns[12]).selected_text() == words != ""
    assert chosen.isVisible()
    for chat in chats[1:]:
        transcript.show_chat(chat)
        settle(transcript, qtbot)
        assert len(loaded(transcript)) < 60
    assert not any(view.turn in chats[0].turns for view in loaded(transcript))


@pytest.mark.full
def test_turns_ahead_are_built_one_at_a_time_while_nothing_else_is_to_do(
    long_chat: Transcript, qtbot: QtBot, qapp: QObject
) -> None:
    typed = TypedWords(qapp)
    bar, height = long_chat.verticalScrollBar(), long_chat.viewport().height()
    for _ in range(3):
        bar.setValue(bar.value() - height)
        before = len(loaded(long_chat))
        QCoreApplication.sendPostedEvents()
        assert len(loaded(long_chat)) <= before + 1
        settle(long_chat, qtbot)
    assert typed.painted == []
