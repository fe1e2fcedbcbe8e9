"""Measured speed-ups of pairs, from stored figures and in the advice of the next start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.database.records import AnswerSource
from app.conversations.measured import MOST_COMPARISONS, PairSpeeds, as_shown, factors, gain_in, is_gain
from app.conversations.opening import open_store
from app.conversations.request_history import Totals
from app.session.session import Session
from app.widgets.application import Application
from app.window.main_window import MainWindow
from engine.stats import RequestStats
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.shown_library import DRAFT, MAIN, ShownLibrary, path_of
from tests.app.window_driver import WindowDriver

USED = Totals(3, 0.75, 1.8, 1.7, 1.9, None, 400, 300, 900, "main", "draft", "auto")
PAIR = "main", "draft"


def figures(*summaries: Totals) -> dict[tuple[str, str], Totals]:
    return PairSpeeds(None).take_answers(summaries)


@pytest.mark.parametrize(
    "summary",
    [
        replace(USED, speedup=None),
        replace(USED, speedup_low=0.7, speedup_high=2.2),
        # A bound alone undersells a pair by far.
        replace(USED, speedup_low=1.64, speedup_high=3.0),
    ],
)
def test_answers_that_measure_no_speed_up_of_a_pair_are_counted_all_the_same(summary: Totals) -> None:
    assert figures(summary) == {PAIR: replace(summary, speedup=None, speedup_low=None, speedup_high=None)}
    assert factors({"draft": figures(summary)[PAIR]}) == {}
    assert factors({"draft": USED, "": USED}) == {"draft": 1.8}


def test_answers_without_draft_tokens_say_nothing_of_a_pair() -> None:
    assert figures(replace(USED, drafted=0)) == {}


def test_the_method_that_wrote_the_most_speaks_for_the_pair() -> None:
    once = replace(USED, method="draft", answers=1, generated_tokens=50, drafted=100, accepted=90, speedup=3.0)
    both = figures(USED, once)[PAIR]
    assert both.speedup == 1.8
    # All of its tokens count, as the history has a row for each answer.
    assert (both.answers, both.drafted, both.accepted, both.accept_rate) == (4, 500, 390, 0.78)
    assert figures(once, USED) == figures(USED, once)
    # Lookups are a pair of their own, with and without a draft model that could have drafted.
    assert [*figures(replace(USED, method="ngram"))] == [*figures(replace(USED, draft_model=""))] == [("main", "")]


def test_a_pair_of_which_no_draft_token_was_accepted_is_no_faster() -> None:
    nothing = replace(USED, accepted=0, accept_rate=0.0, speedup=None, speedup_low=None, speedup_high=None)
    assert figures(nothing) == {PAIR: replace(nothing, speedup=1.0, speedup_low=1.0, speedup_high=1.0)}
    # What another method measured says more, however little it wrote.
    other = replace(USED, method="draft", generated_tokens=50)
    assert figures(nothing, other)[PAIR].speedup == 1.8


def test_comparisons_count_before_answers_and_another_process_reads_them(tmp_path: Path) -> None:
    window, terminal = PairSpeeds(tmp_path / "speeds.json"), PairSpeeds(tmp_path / "speeds.json")
    window.take_answers([USED])
    terminal.add_comparison(*PAIR, 4.2)
    window.add_comparison(*PAIR, 3.8)
    window.add_comparison(*PAIR, 1.2)
    assert window.take_answers([USED])[PAIR].speedup == 3.8
    assert PairSpeeds(tmp_path / "speeds.json").speedup_of(*PAIR) == 3.8
    # A pair that was compared needs no stored answers.
    assert window.take_answers([])[PAIR].speedup == 3.8


def test_the_speed_up_of_answers_goes_with_them_and_only_the_latest_comparisons_count() -> None:
    speeds = PairSpeeds(None)
    assert speeds.take_answers([USED])[PAIR].speedup == 1.8
    assert speeds.take_answers([]) == {}
    for ratio in (9.0,) * 9 + (2.0,) * MOST_COMPARISONS:
        speeds.add_comparison(*PAIR, ratio)
    assert speeds.speedup_of(*PAIR) == 2.0


@pytest.mark.parametrize("content", ['{"version": 1, "values": {"main\\ndraft": {"compared": ["fast"]}}}'])
def test_a_file_that_was_edited_is_no_figure(tmp_path: Path, content: str) -> None:
    (tmp_path / "speeds.json").write_text(content)
    assert PairSpeeds(tmp_path / "speeds.json").take_answers([]) == {}


@pytest.mark.parametrize(
    ("speedup", "shown", "good"),
    [(0.9, 0.9, False), (1.04, 1.0, False), (1.06, 1.1, True), (2.94, 2.9, True), (2.96, 3, True), (4.4, 4, True)],
)
def test_a_speed_up_is_rounded_in_one_way_and_praised_from_a_tenth_on(
    speedup: float, shown: float, *, good: bool
) -> None:
    assert str(as_shown(speedup)) == str(shown)
    assert is_gain(speedup) is good


@pytest.mark.parametrize(
    ("stats", "gain"),
    [
        (RequestStats(accepted=20, tokens_per_round=4.0), 2.0),
        # No answer is faster than its tokens a round, nor than its own rounds were measured to be.
        (RequestStats(accepted=20, tokens_per_round=1.7), None),
        (RequestStats(accepted=20, tokens_per_round=4.0, speedup_low=1.0, speedup_high=1.6), None),
        (RequestStats(drafted=9, tokens_per_round=1.0), None),
        # Hardly anything of it came from drafts.
        (RequestStats(accepted=9, tokens_per_round=4.0), None),
        (RequestStats(accepted=20, generated_tokens=201, tokens_per_round=4.0), None),
        (RequestStats(accepted=20, tokens_per_round=4.0, accept_by_position=((2, 2),) * 10), None),
    ],
)
def test_an_answer_gains_what_its_pair_does_unless_its_rounds_rule_it_out(
    stats: RequestStats, gain: float | None
) -> None:
    assert gain_in(stats, 2.0) == gain
    assert gain_in(stats, None) is None


@pytest.mark.full
def test_an_earlier_run_is_remembered_at_the_next_start(qapp: Application, qtbot: QtBot, tmp_path: Path) -> None:
    chats = tmp_path / "chats.db"
    store, _damaged = open_store(chats)
    chat = store.conversations.create()
    asked = store.messages.add_user_turn(chat, "hello")
    answer = store.answers.start(asked, AnswerSource(MAIN, DRAFT, "auto", {}, None))
    figures = RequestStats(
        generated_tokens=201,
        rounds=70,
        drafted=200,
        accepted=150,
        decode_tps=50.0,
        plain_tps=25.0,
        draft=DRAFT,
        speedup=2.0,
        speedup_low=1.95,
        speedup_high=2.05,
    )
    store.answers.finish(answer, "stop", figures, "Hello.")
    store.close()
    session = Session(lambda: ScriptedEngine([]), STARTER, chats)
    library = ShownLibrary(tmp_path)
    window = MainWindow(session, qapp, library)
    try:
        window.show()
        session.models.load(path_of(MAIN), path_of(DRAFT))
        known = Totals(1, 0.75, 2.0, 2.0, 2.0, 4.0, 200, 150, 201, MAIN, DRAFT, "auto")
        qtbot.waitUntil(lambda: library.measured_with(path_of(MAIN)) == {DRAFT: known})
        driver = WindowDriver(window, session, qtbot.waitUntil)
        driver.header.draft.click()
        assert "150 of 200 drafts accepted, 2.0× as fast" in driver.picker("draft").rows[0]
    finally:
        window.close()
        window.deleteLater()


def test_a_comparison_that_measured_nothing_is_known_until_one_measures(tmp_path: Path) -> None:
    speeds = PairSpeeds(tmp_path / "speeds.json")
    assert speeds.tried_in_vain() == frozenset()
    speeds.add_comparison("big", "small", None)
    assert PairSpeeds(tmp_path / "speeds.json").tried_in_vain() == {("big", "small")}
    assert speeds.speedup_of("big", "small") is None
    speeds.add_comparison("big", "small", 2.0)
    assert speeds.tried_in_vain() == frozenset()
    assert speeds.speedup_of("big", "small") == 2.0
