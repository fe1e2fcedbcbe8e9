"""The live panel's charts: they draw the engine's record, and cost the same however long the answer is."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.session.answer import Answer
from app.speculation.charts import LineChart, PositionBars
from app.speculation.history import POINTS, RoundHistory, Series, position_rates, time_shares
from app.speculation.round_strip import CELL, PITCH, RoundStrip
from app.widgets import theme
from tests.app.scripted_engine import Script, ScriptedRound, play

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application


def answer_of(script: Script) -> Answer:
    answer = Answer()
    answer.apply(play(script))
    return answer


STORY = Script("one two three four five six seven eight nine ten " * 6)


def test_a_series_keeps_a_bounded_number_of_points_and_their_mean() -> None:
    series = Series()
    for value in range(10_000):
        series.add(float(value))
    assert POINTS / 2 <= len(series.values) < POINTS
    covered = len(series.values) * series.stride
    assert sum(series.values) / len(series.values) == pytest.approx((covered - 1) / 2)


def test_rounds_taken_in_bit_by_bit_draw_what_they_draw_at_once() -> None:
    whole, bits, growing = RoundHistory(), RoundHistory(), Answer()
    for event in play(STORY):
        growing.apply([event])
        bits.follow(growing)
    whole.follow(growing)
    assert bits.speed.values == whole.speed.values


def test_another_answer_starts_a_new_line() -> None:
    history = RoundHistory()
    history.follow(answer_of(STORY))
    history.follow(answer_of(Script("one two three")))
    assert len(history.speed.values) == 1


def test_a_steady_speed_is_a_level_line() -> None:
    history = RoundHistory()
    history.follow(answer_of(Script("a b c d e f g h i j k l m n o p", (ScriptedRound(1, 1),), round_s=0.1)))
    assert history.speed.values[:-1] == pytest.approx([20.0] * (len(history.speed.values) - 1))


def test_shares_of_time_and_position_rates_are_the_engine_s() -> None:
    stats = answer_of(STORY).stats
    shares = time_shares(stats)
    assert shares is not None
    assert sum(shares) == pytest.approx(1)
    assert shares[0] / shares[1] == pytest.approx(stats.draft_s / stats.verify_s)
    expected = [(accepted / reached, accepted, reached) for reached, accepted in stats.accept_by_position if reached]
    assert position_rates(stats) == expected


def test_charts_and_their_text_go_with_the_text_size(qtbot: QtBot, qapp: Application) -> None:
    bars, line = PositionBars(), LineChart(52, "draft")
    for chart in (bars, line):
        qtbot.addWidget(chart)
    bars.show_stats(answer_of(STORY).stats)
    before = bars.sizeHint().height()
    qapp.theme.set_text_size(130)
    try:
        assert bars.sizeHint().height() == pytest.approx(1.3 * before, abs=1)
        assert line.sizeHint().height() == 68
        bars.resize(300, bars.sizeHint().height())
        grown = bars.grab().toImage()
    finally:
        qapp.theme.set_text_size(100)
    ground, below = grown.pixelColor(0, grown.height() - 1), grown.height() - round(1.3 * PositionBars.LABEL) + 1
    rows = range(below, grown.height())
    inked = [y for y in rows if any(grown.pixelColor(x, y) != ground for x in range(grown.width()))]
    # The digits of 11 pixels are 8 high; at 130 % they need more than that.
    assert max(inked) - min(inked) + 1 >= 10


def test_bars_say_their_counts_and_the_deepest_guesses_have_bars_too(qtbot: QtBot) -> None:
    bars = PositionBars()
    qtbot.addWidget(bars)
    bars.resize(280, 74)
    bars.show_stats(answer_of(STORY).stats)
    reached, accepted = answer_of(STORY).stats.accept_by_position[0]
    assert f"({accepted} of {reached})" in bars.words()[0]
    assert bars.accessibleDescription() == "\n".join(bars.words())
    bars.show_stats(replace(answer_of(STORY).stats, accept_by_position=((4, 4),) * 16))
    assert len(bars.words()) == 16
    image = bars.grab().toImage()
    row = [image.pixelColor(x, image.height() // 2) != image.pixelColor(279, 73) for x in range(280)]
    assert sum(now and not before for before, now in pairwise([False, *row])) == 16


def test_the_line_spans_the_chart_and_begins_at_zero(qtbot: QtBot) -> None:
    line = LineChart(52, "draft")
    qtbot.addWidget(line)
    line.resize(200 + LineChart.VALUES, 52)
    line.show_values([0.0, 50.0, 100.0], None, "")
    points = line.points()
    assert (points[0].x(), points[-1].x()) == (1, 199)
    assert points[0].y() == 50
    assert points[2].y() < points[1].y() < points[0].y()


@pytest.mark.parametrize(("newest", "level"), [(80.0, 30.0), (31.0, 30.0), (29.0, 30.0), (0.1, 90.0), (90.0, None)])
def test_the_line_shows_its_newest_value_and_the_level(qtbot: QtBot, newest: float, level: float | None) -> None:
    line = LineChart(52, "draft")
    qtbot.addWidget(line)
    line.resize(200 + LineChart.VALUES, 52)
    line.show_values([50.0, newest], level, "")
    assert line.value_texts() == (f"{newest:.1f}", "" if level is None else f"{level:.1f}")
    image = line.grab().toImage()
    ground = image.pixelColor(image.width() - 1, 0)
    columns = range(205, image.width())
    rows = [any(image.pixelColor(x, y) != ground for x in columns) for y in range(image.height())]
    # Each value stands on rows of its own, also where the lines meet.
    assert sum(now and not before for before, now in pairwise([False, *rows])) == (1 if level is None else 2)


@pytest.fixture
def strip(qtbot: QtBot) -> RoundStrip:
    strip = RoundStrip()
    qtbot.addWidget(strip)
    strip.resize(10 * PITCH - 3, 9 * PITCH)
    strip.show()
    return strip


def test_the_strip_fills_accepted_guesses_and_leaves_rejected_hollow(strip: RoundStrip) -> None:
    strip.show_answer(answer_of(Script("a b c", (ScriptedRound(3, 1),))))
    image = strip.grab().toImage()
    colours = theme.colours()

    def colour(column: int, place: int) -> str:
        return image.pixelColor(column * PITCH + CELL // 2, round(strip.height() - 6 - place * PITCH)).name()

    assert colour(0, 0) == colours.main
    assert colour(1, 0) == colours.draft
    assert colour(1, 1) == colours.main
    assert colour(1, 2) == colour(9, 0)


def test_the_strip_shows_the_newest_rounds_and_the_wheel_goes_back(strip: RoundStrip) -> None:
    answer = answer_of(STORY)
    strip.show_answer(answer)
    assert strip.visible_rounds() == answer.rounds[-10:]
    strip.go_back(3)
    assert strip.visible_rounds() == answer.rounds[-13:-3]
    strip.go_back(10_000)
    assert strip.visible_rounds() == answer.rounds[:10]


def test_a_click_on_a_column_names_its_round_and_a_column_tells_its_tokens(strip: RoundStrip, qtbot: QtBot) -> None:
    answer = answer_of(STORY)
    strip.show_answer(answer)
    with qtbot.waitSignal(strip.chosen) as chosen:
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(2 * PITCH + 3, 20))
    assert chosen.args == [answer.rounds[-8].number]
    words = strip.words_at(QPoint(3, 20))
    record = answer.rounds[-10]
    assert f"{record.accepted} of {record.drafted}" in words
    assert answer.text_of_round(record.number) in words
