"""Compare: the last question again with and without speculation, on the same seed, with the truth about both."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.conversations.chat_settings import GenerationSettings
from app.session.answer import Answer
from app.session.chats import stored_answer
from app.speculation.comparison import TIE, Comparer, Comparison, ComparisonResult, ComparisonStep
from engine.errors import InternalFailure
from engine.events import Event, Finished, TokensCommitted
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.stats import RequestStats
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import PLAIN, Script, ScriptedRound, pieces, play

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver

TEXT = "one two three four five six seven eight nine ten eleven twelve"
GUESSED, ALONE = Script(TEXT), Script(TEXT, (PLAIN,))


def comparison(**request: object) -> Comparison:
    return Comparison("q", ChatRequest([{"role": "user", "content": "q"}], **request))  # type: ignore[arg-type]


def run(made: Comparison, guessed: list[Event], plain: list[Event]) -> Comparison:
    for events in ([Finished("length", "o", (0,), RequestStats())], guessed, plain):
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
        (TIE / 2, {}, ComparisonResult.TIE),
        (3.0, {}, ComparisonResult.DIFFERENT),
        (None, {}, ComparisonResult.PERHAPS),
        (TIE / 2, {"sampling": SamplingSettings(temperature=1.0)}, ComparisonResult.TIE),
        (3.0, {"sampling": SamplingSettings(temperature=1.0)}, ComparisonResult.DIFFERENT),
        (3.0, {"sampling": SamplingSettings(temperature=1.0, top_p=0.9)}, ComparisonResult.PERHAPS),
        (
            3.0,
            {"sampling": SamplingSettings(temperature=1.0), "speculation": SpeculationSettings(acceptance="rejection")},
            ComparisonResult.OTHER_RULE,
        ),
    ],
)
def test_texts_that_part_are_told_apart_by_why(
    gap: float | None, settings: dict[str, object], expected: ComparisonResult
) -> None:
    guessed = changed(list(play(GUESSED)), 5, 98, 0.01)
    made = run(comparison(**settings), guessed, changed(list(play(ALONE)), 5, 99, gap))
    assert made.verdict() is expected
    assert made.same_tokens() == 5


def test_a_text_that_goes_on_after_the_other_has_ended_differs() -> None:
    made = run(comparison(), list(play(GUESSED)), list(play(Script(TEXT + " more", (PLAIN,)))))
    assert made.verdict() is ComparisonResult.DIFFERENT
    assert made.divergence() is not None


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script(TEXT), Script("one"), GUESSED, ALONE], gate=None)


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


def test_compare_asks_the_last_question_twice_and_shows_both_answers(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot, qapp: Application
) -> None:
    window.session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.7)))
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    asked, reading, guessed, plain = engine.requests
    assert reading.max_tokens == 1
    assert [one.speculation.method for one in (guessed, plain)] == ["auto", "off"]
    assert guessed.messages == plain.messages == asked.messages
    assert guessed.top2_margins
    assert plain.top2_margins
    assert guessed.sampling == plain.sampling
    assert guessed.sampling.seed == window.session.chat.turns[-1].answer.stats.seed

    view = window.comparison
    assert view.isVisible()
    assert view.speculated.text.toPlainText() == view.plain.text.toPlainText() == TEXT
    assert "The same text as without drafts: all" in view.verdict.text()
    assert view.speculated.speed.text() != view.plain.speed.text()
    # Both bars are on one scale, which the faster answer fills.
    speeds = [answer.stats.decode_tps or 0.0 for answer in (made.speculated, made.plain)]
    shares = [side.bar.share for side in (view.speculated, view.plain)]
    assert max(shares) == 1.0
    assert shares[0] / shares[1] == pytest.approx(speeds[0] / speeds[1])
    assert "×" in view.verdict.text().splitlines()[0]

    # Nothing of it is stored.
    assert len(window.session.chat.turns) == 1
    rows = [window.session.store.wait_for(lambda store: len(store.history.rows()))]
    qtbot.waitUntil(lambda: bool(rows))
    assert rows == [1]

    # What is compared stands at one height, although one side has more to say below its speed.
    qapp.language.choose("ja")
    window.resize(560, 420)
    sides = [(view.speculated.bar, view.plain.bar), (view.speculated.words, view.plain.words)]
    qtbot.waitUntil(lambda: all(left.y() == right.y() for left, right in sides))
    assert view.speculated.words.height() == view.plain.words.height() > view.plain.words.fontMetrics().height()


def test_the_two_runs_always_give_a_ratio_and_a_failure_is_said(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    """It is rough where the answer itself did not measure one."""
    for text in (TEXT, " ".join(f"word{number}" for number in range(360))):
        engine.scripts[:] = _unmeasured(text)
        made = compare(window, qtbot)
        qtbot.waitUntil(lambda made=made: made.step is ComparisonStep.DONE)
        speeds = [answer.stats.decode_tps or 0.0 for answer in (made.speculated, made.plain)]
        said = f"Roughly {speeds[0] / speeds[1]:.1f}× as fast with speculation."
        assert said in window.comparison.verdict.text()
        shade = "reason" if speeds[0] > 1.05 * speeds[1] else "reason-plain"
        assert window.comparison.verdict.property("styleClass") == shade
    engine.scripts[:] = [Script(TEXT, error=InternalFailure("out of luck"), fail_after=1)]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: not made.running)
    assert made.step is ComparisonStep.FAILED
    assert "out of luck" in window.comparison.verdict.text()


def test_where_nothing_was_drafted_there_is_one_figure_and_no_gain(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    """Both answers were decoded in the same way, so their speeds differ by noise."""
    plain = Script(TEXT, (ScriptedRound(0, 0, "main", "no-match"),), round_s=0.02)
    engine.scripts[:] = [Script("one"), plain, replace(plain, round_s=0.05)]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    view = window.comparison
    assert view.verdict.text().startswith("Without speculation: no matching text")
    assert "×" not in view.verdict.text()
    assert view.verdict.property("styleClass") == "reason-plain"
    sides = (view.speculated, view.plain)
    assert [side.bar.isVisible() for side in sides] == [False, False]
    assert [side.speed.text() for side in sides] == ["", "20.0"]
    assert view.speculated.words.text() == ""
    # The next comparison that drafts has both again.
    engine.scripts[:] = [Script("one"), GUESSED, ALONE]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    assert all(side.bar.isVisible() and side.speed.text() for side in sides)


def test_a_stall_of_the_plain_run_makes_no_ratio_above_the_tokens_a_round(
    window: WindowDriver, engine: ScriptedEngine, qtbot: QtBot
) -> None:
    engine.scripts[:] = [Script("one"), Script(TEXT, plain_tps=None), Script(TEXT, (PLAIN,), round_s=2.0)]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: made.step is ComparisonStep.DONE)
    stats = made.speculated.stats
    assert made.ratio == (stats.generated_tokens - 1) / (stats.rounds - 1)


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
        Script(TEXT, top2_margin=0.004),
        Script(changed, (PLAIN,), other_at=at, top2_margin=0.013),
    ]
    made = compare(window, qtbot)
    qtbot.waitUntil(lambda: not made.running)
    view = window.comparison
    assert f"Identical up to token {at + 1}. There the scores of “ six” and “ half”" in view.verdict.text()
    assert "only 0.01 apart" in view.verdict.text()
    assert "Both answers are right." in view.verdict.text()
    marked = [
        [selection.cursor.selectedText() for selection in side.text.extraSelections()]
        for side in (view.speculated, view.plain)
    ]
    assert marked == [[" six"], [" half"]]


def _unmeasured(text: str) -> list[Script]:
    return [Script("one"), Script(text, plain_tps=None), Script(text, (PLAIN,))]


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
    endless, limited = Script(span * 900), Script(span * 40, (PLAIN,), reason="length")
    window = open_window(ScriptedEngine([endless, Script("read"), endless, limited], pace_s=0.001))
    window.ask_and_wait("question")
    window.trigger("compare")
    comparer, requests = window.find(Comparer), window.session.models.engine.requests
    window.wait(lambda: len(requests) == 4 and not comparer.running)
    made = comparer.comparison
    assert made is not None
    assert 256 <= len(made.speculated.tokens) < 1000
    assert requests[-1].max_tokens == len(made.speculated.tokens)
    assert made.step is ComparisonStep.DONE
    assert (made.ratio is not None, made.roughly_helps) == (True, False)
    words = window.comparison.verdict.text()
    assert words.startswith("This answer repeats itself, so its speed says nothing about other answers.")
    assert "as fast" not in words
