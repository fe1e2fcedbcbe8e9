"""Compare: the last question again with speculation and without it, in turns, with the truth about all runs."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from app.conversations.chat_settings import GenerationSettings
from app.session.answer import Answer
from app.session.chats import stored_answer
from app.speculation.comparison import TIE, Comparer, Comparison, ComparisonResult, ComparisonStep, Race
from app.speculation.comparison_view import ComparisonView
from app.wording.models import pair_name
from engine.errors import InternalFailure
from engine.events import Event, Finished, TokensCommitted
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.stats import RequestStats
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, PLAIN, Script, ScriptedRound, pieces, play
from tests.engine.tiers import by_tier

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver

TEXT = "one two three four five six seven eight nine ten eleven twelve"
LONG = " ".join(f"word{number}" for number in range(60))
GUESSED, ALONE = Script(TEXT), Script(TEXT, (PLAIN,))


def comparison(**request: object) -> Comparison:
    return Comparison("q", ChatRequest([{"role": "user", "content": "q"}], **request))  # type: ignore[arg-type]


def run(made: Comparison, guessed: list[Event], plain: list[Event], again: list[Event] | None = None) -> Comparison:
    for events in ([Finished("length", "o", (0,), RequestStats())], guessed, plain, guessed, again or plain):
        made.receive(events, Answer())
    return made


def changed(events: list[Event], index: int, token_id: int, top2_margin: float | None) -> list[Event]:
    """The same events with another token at one place, which led the next best by `top2_margin`."""
    found, at = [], 0
    for event in events:
        if isinstance(event, TokensCommitted):
            tokens = tuple(
                replace(token, id=token_id, top2_margin=top2_margin) if at + place == index else token
                for place, token in enumerate(event.tokens)
            )
            at += len(tokens)
            event = replace(event, tokens=tokens)
        found.append(event)
    return found


def test_equal_texts_are_the_same() -> None:
    made = run(comparison(), list(play(GUESSED)), list(play(ALONE)))
    assert made.verdict() is ComparisonResult.SAME
    assert made.same_tokens() == len(made.plain.tokens) > 10


@pytest.mark.parametrize(
    ("gap", "settings", "expected"),
    [
        (TIE / 2, {}, ComparisonResult.EXPECTED),
        (3.0, {}, ComparisonResult.UNEXPECTED),
        (None, {}, ComparisonResult.EXPECTED),
        (TIE / 2, {"sampling": SamplingSettings(temperature=1.0)}, ComparisonResult.EXPECTED),
        (3.0, {"sampling": SamplingSettings(temperature=1.0)}, ComparisonResult.UNEXPECTED),
        (3.0, {"sampling": SamplingSettings(temperature=1.0, top_p=0.9)}, ComparisonResult.EXPECTED),
        (
            3.0,
            {"sampling": SamplingSettings(temperature=1.0), "speculation": SpeculationSettings(acceptance="rejection")},
            ComparisonResult.EXPECTED,
        ),
    ],
)
def test_texts_that_part_are_told_apart_by_why(
    gap: float | None, settings: dict[str, object], expected: ComparisonResult
) -> None:
    guessed = changed(list(play(GUESSED)), 5, 98, 0.01)
    made = run(comparison(**settings), guessed, changed(list(play(ALONE)), 5, 99, gap))
    assert made.verdict() is expected
    assert made.keeps_distribution_only is ("speculation" in settings)
    assert made.same_tokens() == 5


def test_a_text_that_goes_on_after_the_other_has_ended_differs() -> None:
    made = run(comparison(), list(play(GUESSED)), list(play(Script(TEXT + " more", (PLAIN,)))))
    assert made.verdict() is ComparisonResult.UNEXPECTED
    assert made.divergence() is not None


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script(TEXT), Script("one"), GUESSED, ALONE, GUESSED, ALONE], gate=None)


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot, engine: ScriptedEngine) -> WindowDriver:
    window = open_window(engine)
    turn = window.session.answers.ask("count to twelve")
    qtbot.waitUntil(lambda: turn.answer.ended and window.session.answers.ready and window.session.answers.is_idle)
    return window


def compare(window: WindowDriver, qtbot: QtBot) -> Comparison:
    qtbot.waitUntil(lambda: window.is_enabled("compare"))
    window.trigger("compare")
    made = window.find(Comparer).comparison
    assert made is not None
    return made


def test_compare_asks_the_last_question_twice_in_both_ways_and_shows_the_gain_and_the_answer_once(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    window.session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.7)))
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    asked, reading, guessed, plain, *again = engine.requests
    assert reading.max_tokens == 1
    assert [one.speculation.method for one in (guessed, plain, *again)] == ["auto", "off", "auto", "off"]
    assert guessed.messages == plain.messages == asked.messages
    assert guessed.top2_margins
    assert plain.top2_margins
    assert guessed.sampling == plain.sampling
    assert guessed.sampling.seed == window.session.chat.turns[-1].answer.stats.seed

    view = window.comparison
    assert view.isVisible()
    shown, other = view.texts
    assert shown.isVisible()
    assert not other.isVisible()
    assert [part.toPlainText() for part in shown.rendered.text_views] == [TEXT]
    speeds = [speed or 0.0 for speed in made.speeds]
    qtbot.waitUntil(lambda: view.gain.text() == f"About {speeds[0] / speeds[1]:.0f}× as fast, same text")
    assert view.gain.property("styleClass") == "big-good"
    assert view.verdict.text() == ""
    # The tint of its tokens is one click away.
    view.kinds.buttons[1].click()
    assert shown.tokens.isVisible()
    assert shown.tokens.toPlainText() == TEXT
    assert not shown.rendered.isVisible()
    # Both bars are on one scale, which the faster answer fills.
    shares = [side.bar.share for side in (view.speculated, view.plain)]
    assert max(shares) == 1.0
    assert shares[0] / shares[1] == pytest.approx(speeds[0] / speeds[1])

    # It can be shown to somebody.
    view.copy.click()
    picture = QApplication.clipboard().pixmap()
    assert picture.width() > view.result.width()
    assert view.copy.text() == "Copied"
    assert view.pair.text() == pair_name(*made.pair)

    # Nothing of it is stored.
    assert len(window.session.chat.turns) == 1
    rows = [window.session.store.wait_for(lambda store: len(store.history.rows()))]
    qtbot.waitUntil(lambda: bool(rows))
    assert rows == [1]


def test_both_ways_race_on_one_clock_from_their_first_tokens() -> None:
    """The first run is alone; the second one moves against it, and the race ends with the faster one."""
    made = comparison()
    made.expected = 40
    words = len(pieces(LONG))
    assert made.race() == Race(0.0, 0.0)
    made.receive([Finished("length", "o", (0,), RequestStats())], Answer())
    guessed = list(play(Script(LONG, (FULL,), round_s=0.1)))
    made.receive(guessed[:3], Answer())
    first = made.race()
    assert 0.0 < first.speculated == len(made.speculated.tokens) / 40
    assert first.plain == 0.0
    made.receive(guessed[3:], Answer())
    assert made.race().plain == 0.0
    plain = list(play(Script(LONG, (PLAIN,), round_s=0.1)))
    made.receive(plain[:6], Answer())
    under_way = made.race()
    rounds = len(made.plain.rounds)
    # After as many rounds of the same length, the first run had five tokens for each one of the second.
    assert under_way.plain == len(made.plain.tokens) / words
    assert under_way.speculated == sum(record.committed for record in made.speculated.rounds[:rounds]) / words
    made.receive(plain[6:], Answer())
    # Then the bars are the speeds.
    first, second = made.speeds
    assert made.race() == Race(1.0, (second or 0.0) / (first or 1.0))


def test_only_runs_that_have_ended_count() -> None:
    """The first tokens of a run may be far faster than the run."""
    made = comparison()
    made.receive([Finished("length", "o", (0,), RequestStats())], Answer())
    for script in (Script(LONG, (FULL,), round_s=0.1), Script(LONG, (PLAIN,), round_s=0.1)):
        made.receive(list(play(script)), Answer())
    speeds, race = made.speeds, made.race()
    for script in (Script(LONG, (FULL,), round_s=0.001), Script(LONG, (PLAIN,), round_s=0.001)):
        events = list(play(script))
        made.receive(events[:8], Answer())
        assert made.growing is not None
        assert (made.growing.stats.decode_tps or 0.0) > 10 * (speeds[1] or 0.0)
        assert (made.speeds, made.race()) == (speeds, race)
        made.receive(events[8:], Answer())
        assert (made.speeds, made.race()) != (speeds, race)
        speeds, race = made.speeds, made.race()


@pytest.mark.full
def test_the_bars_move_and_the_text_grows_while_the_runs_are_under_way(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    gate = engine.gate = threading.Semaphore(8)
    engine.scripts[:] = [Script("o"), *[Script(LONG, (FULL,)), Script(LONG, (PLAIN,))] * 2]
    made = compare(window, qtbot)
    view = window.comparison
    qtbot.waitUntil(lambda: made.step is ComparisonStep.SPECULATED and 0.0 < view.speculated.bar.share < 1.0)
    assert (view.gain.text(), view.plain.bar.share) == ("With speculation: run 1 of 2", 0.0)
    assert view.verdict.text() == ""
    height = view.height()
    gate.release(len(pieces(LONG)) // 5 + 20)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.PLAIN and view.plain.bar.share > 0.0)
    assert view.plain.bar.share < view.speculated.bar.share
    assert view.gain.text() == "Without speculation: run 1 of 2"
    assert view.gain.property("styleClass") == "big"
    assert LONG.startswith(view.texts[0].rendered.text_views[0].toPlainText())
    gate.release(1000)
    qtbot.waitUntil(lambda: not made.running)
    qtbot.waitUntil(lambda: view.height() > height)


def slow(text: str, seconds: float) -> Script:
    return Script(text, (PLAIN,), round_s=seconds, plain_tps=None)


@pytest.mark.full
@pytest.mark.parametrize(("plain_s", "said"), [((0.05, 0.07), "About {:.0f}×"), ((0.03, 0.02), "About {:.1f}×")])
def test_the_faster_run_of_each_way_counts_and_a_large_factor_has_no_decimal(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot, plain_s: tuple[float, float], said: str
) -> None:
    first, second = (slow(LONG, seconds) for seconds in plain_s)
    engine.scripts[:] = [Script("one"), Script(LONG, (FULL,)), first, Script(LONG, (FULL,)), second]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    ratio = (made.speculated.stats.decode_tps or 0.0) * min(plain_s)
    qtbot.waitUntil(lambda: window.comparison.gain.text() == f"{said.format(ratio)} as fast, same text")


@pytest.mark.parametrize("plain_s", [(0.09, 0.03), pytest.param((0.03, 0.09), marks=pytest.mark.full)])
def test_a_busy_computer_is_said_and_gives_no_figure_of_the_pair(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot, plain_s: tuple[float, float]
) -> None:
    first, second = (slow(LONG, seconds) for seconds in plain_s)
    engine.scripts[:] = [Script("one"), Script(LONG, (FULL,)), first, Script(LONG, (FULL,)), second]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    view = window.comparison
    assert view.gain.text() == "Too busy to measure"
    assert view.gain.property("styleClass") == "big"
    assert view.verdict.text().startswith("The same run was much faster another time.")
    assert [side.bar.counts for side in (view.speculated, view.plain)] == [False, False]
    assert not view.copy.isVisible()
    # Only the answer in the chat has said anything of the pair.
    history = window.session.history
    assert history.speedup_of(*made.pair) == window.session.chat.turns[-1].answer.stats.speedup
    # Nor where the answer in the chat was far faster or slower than the same text now.
    made.plain = made.plain_again = max(made.plain, made.plain_again, key=lambda run: run.stats.decode_tps or 0.0)
    assert made.counts
    made.answered_tps = 2.0 * (made.speculated.stats.decode_tps or 0.0)
    assert not made.counts


@pytest.mark.full
def test_an_answer_unlike_the_others_of_its_pair_shows_no_second_figure(window: WindowDriver, qtbot: QtBot) -> None:
    history = window.session.history
    names = window.session.models.pair.names
    for _ in range(5):
        history.add_comparison(*names, 9.0)
    qtbot.waitUntil(lambda: history.speedup_of(*names) == 9.0)
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    view = window.comparison
    qtbot.waitUntil(lambda: "Most answers here are 9× as fast; this one differs." in view.verdict.text())
    assert not view.gain.isVisible()
    assert view.speculated.bar.isVisible()


def test_an_impossible_ratio_is_no_ratio(window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot) -> None:
    """It exceeds the tokens a round, so one of the speeds is noise."""
    engine.scripts[:] = [Script("one"), *[Script(TEXT, (FULL,)), slow(TEXT, 0.5)] * 2]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    view = window.comparison
    assert view.gain.text() == "Too busy to measure"
    assert not view.speculated.bar.counts
    assert "The same text as without drafts: all" in view.verdict.text()


def test_a_run_stops_after_some_seconds_and_no_later_one_is_longer(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    fast = Script(LONG, (FULL,), round_s=0.7)
    engine.pace_s = 0.005
    engine.scripts[:] = [Script("one"), *[fast, slow(LONG, 0.3)] * 2]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    count = len(made.speculated.tokens)
    assert 7 < count < len(pieces(LONG))
    assert [one.max_tokens for one in engine.requests[-3:]] == [count] * 3
    assert made.verdict() is ComparisonResult.SAME


def test_a_failure_is_said(window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot) -> None:
    engine.scripts[:] = [Script(TEXT, error=InternalFailure("out of luck"), fail_after=1)]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: not made.running)
    assert made.step is ComparisonStep.FAILED
    assert "out of luck" in window.comparison.verdict.text()


def test_where_nothing_was_drafted_no_speeds_are_compared(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    """All answers were decoded in the same way, so their speeds differ by noise."""
    plain = Script(TEXT, (ScriptedRound(0, 0, "main", "no-match"),), round_s=0.02)
    engine.scripts[:] = [Script("one"), replace(plain, round_s=0.05), *[plain] * 3]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    view = window.comparison
    said = "Without speculation: no matching text earlier in the chat. 20 tokens a second."
    assert view.verdict.text().startswith(said)
    assert not any(part.isVisible() for part in (view.gain, view.speculated.bar, view.plain.bar))
    # The next comparison that drafts has them again.
    engine.scripts[:] = [Script("one"), GUESSED, ALONE, GUESSED, ALONE]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    qtbot.waitUntil(lambda: all(part.isVisible() for part in (view.gain, view.speculated.bar, view.plain.bar)))


def test_compare_asks_with_the_sampling_of_the_answer_also_of_a_stored_one(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    """A further answer to a question is varied, and settings may have changed since."""
    session = window.session
    session.answers.ask_again(session.chat.turns[-1])
    qtbot.waitUntil(lambda: session.answers.ready and session.answers.is_idle)
    asked = engine.requests[-1].sampling
    assert asked.temperature > 0.0
    session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=1.5, top_k=7)))
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    assert engine.requests[-1].sampling == replace(asked, seed=session.chat.turns[-1].answer.stats.seed)
    chat_id = session.chat.id
    assert chat_id is not None
    [*_, message] = session.store.wait_for(lambda store: store.messages.path(chat_id))
    assert stored_answer(message).sampling == asked
    assert stored_answer(replace(message, source=replace(message.source, settings={}))).sampling is None


def test_the_first_token_that_differs_is_marked_and_said_to_be_no_fault(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    changed = TEXT.replace("six", "half")
    at = pieces(changed).index(" half")
    engine.scripts[:] = [
        Script("one"),
        *[Script(TEXT, top2_margin=0.004), Script(changed, (PLAIN,), other_at=at, top2_margin=0.013)] * 2,
    ]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: not made.running)
    view = window.comparison
    said = f"Identical up to token {at + 1}. There, rounding can decide between “ six” and “ half”."
    assert f"{said} Both answers are right." in view.verdict.text()
    marked = [[selection.cursor.selectedText() for selection in text.tokens.extraSelections()] for text in view.texts]
    assert marked == [[" six"], [" half"]]
    # The text that the chat does not have can become another version there.
    assert [use.isVisible() for use in view.uses] == [False, True]
    view.uses[1].click()
    qtbot.waitUntil(lambda: window.session.chat.turns[-1].answer.text == changed)
    assert not view.isVisible()
    turn = window.session.chat.turns[-1]
    assert (turn.answer_node.count, turn.question) == (2, "count to twelve")
    qtbot.waitUntil(lambda: turn.answer.stats.seed == made.plain.stats.seed)


class Layouts(QObject):
    """Counts how often the widgets of a card are laid out anew, and ends a loop of heights that change each other."""

    MOST = 3_000

    def __init__(self, card: QWidget, qapp: QObject) -> None:
        super().__init__(card)
        self._card, self.count = card, 0
        qapp.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_within = event.type() == QEvent.Type.LayoutRequest and isinstance(watched, QWidget)
        if not is_within or not (watched is self._card or self._card.isAncestorOf(watched)):
            return False
        self.count += 1
        return self.count > self.MOST


def differing(engine: ScriptedEngine, text: str) -> int:
    """Script two answers that part at their end, in runs that take no time; return the index of the first token."""
    changed = text.replace("six", "half")
    at = next(index for index, piece in enumerate(pieces(changed)) if "half" in piece)
    drafted, plain = Script(text, round_s=0.004), Script(changed, (PLAIN,), round_s=0.004, other_at=at)
    engine.scripts[:] = [Script("one"), drafted, plain, drafted, plain]
    return at


def scrolled(view: ComparisonView) -> list[QScrollArea]:
    """The parts of the card that have a scroll bar."""
    areas = [area for area in view.findChildren(QScrollArea) if area.isVisible()]
    return [area for area in areas if area.verticalScrollBar().maximum()]


@pytest.mark.parametrize(("width", "height"), by_tier([(560, 420), (1100, 700)], [(560, 420)]))
def test_the_first_difference_is_in_view_in_a_window_of_any_height(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot, qapp: QApplication, width: int, height: int
) -> None:
    at = differing(engine, LONG.replace(" word", "\n\nword") + " six")
    window.resize(width, height)
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    for _ in range(20):
        qapp.processEvents()
    view = window.comparison
    assert [text.isVisible() for text in view.texts] == [True, True]
    for side in view.texts:
        place = side.tokens.mark(at)
        assert place is not None
        seen = QRect(side.tokens.mapTo(view, place.topLeft()), place.size())
        areas = [area for area in scrolled(view) if area.isAncestorOf(side.tokens)]
        assert len(areas) == 1
        shown = areas[0].viewport()
        assert QRect(shown.mapTo(view, QPoint(0, 0)), shown.size()).contains(seen)


@pytest.mark.parametrize("paragraphs", by_tier([3, 8], [8]))
def test_heights_of_the_card_come_to_rest_and_nothing_scrolls_within_it_while_it_scrolls(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot, qapp: QApplication, paragraphs: int
) -> None:
    words = "and more of it to wrap the lines of this"
    differing(engine, "\n\n".join(f"word{number} {words}" for number in range(paragraphs)) + " six")
    view = window.comparison
    layouts = Layouts(view, qapp)
    window.resize(560, 420)
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    for size in [(560, 420), (560, 580), (582, 580), (560, 600), (700, 500), (560, 560), (900, 600), (1100, 900)]:
        layouts.count = 0
        window.resize(*size)
        for _ in range(6):
            qapp.processEvents()
        needed = layouts.count
        for _ in range(6):
            qapp.processEvents()
        assert layouts.count == needed < layouts.MOST, size
        bars = scrolled(view)
        assert not bars or {*bars} <= {*view.texts} or not {*bars} & {*view.texts}, size
        # It is as high as the window lets it be before anything in it scrolls.
        assert not bars or view.height() == window.height() - 96, size


def test_stop_and_closing_end_the_comparison(window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot) -> None:
    engine.gate = threading.Semaphore(5)
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.SPECULATED)
    window.comparison.stop.click()
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.CANCELLED)
    assert "Stopped" in window.comparison.verdict.text()
    assert window.comparison.again.isVisible()
    window.comparison.close_overlay()
    assert not window.find(Comparer).running


def test_a_question_ends_a_comparison_that_runs(window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot) -> None:
    engine.gate = threading.Semaphore(5)
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.SPECULATED)
    turn = window.session.answers.ask("another one")
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: not made.running and turn.answer.ended)
    assert made.step is ComparisonStep.CANCELLED


@pytest.mark.full
def test_compare_waits_until_no_answer_is_being_written(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    engine.gate = threading.Semaphore(2)
    turn = window.session.answers.ask("another one")
    assert not window.is_enabled("compare")
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: turn.answer.ended)
    qtbot.waitUntil(lambda: window.is_enabled("compare"))


def test_an_endless_answer_is_compared_as_far_as_it_repeats_itself_and_is_no_gain(open_window: OpenWindow) -> None:
    span = "Once more, from the start. "
    endless, limited = Script(span * 900, round_s=0.01), Script(span * 40, reason="length")
    plain = replace(limited, pattern=(PLAIN,))
    scripts = [endless, Script("read"), endless, plain, limited, plain]
    window = open_window(ScriptedEngine(scripts, pace_s=0.001))
    window.ask_and_wait("question")
    window.trigger("compare")
    comparer, requests = window.find(Comparer), window.session.models.engine.requests
    window.wait(lambda: len(requests) == 6 and not comparer.running)
    made = comparer.comparison
    assert made is not None
    assert 256 <= len(made.speculated.tokens) < 1000
    assert requests[3].max_tokens == len(made.speculated.tokens)
    assert made.step is ComparisonStep.DONE
    assert (made.ratio is not None, made.counts) == (True, False)
    words = window.comparison.verdict.text()
    assert words.startswith("This answer repeats itself, so its speed says nothing about other answers.")
    assert not window.comparison.gain.isVisible()
