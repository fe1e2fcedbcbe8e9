"""The live panel's charts: they draw the engine's record, and cost the same however long the answer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip

from app.session.answer import Answer
from app.speculation.charts import PositionLine, TimeBar
from app.speculation.round_strip import BAR_HEIGHT, CELL, GAP, PITCH, ROWS, RoundStrip
from app.widgets import theme
from engine.stats import RequestStats
from tests.app.scripts import Script, ScriptedRound, play

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application


def answer_of(script: Script) -> Answer:
    answer = Answer()
    answer.apply(play(script))
    return answer


STORY = Script("one two three four five six seven eight nine ten " * 6)


def test_charts_and_their_text_go_with_the_text_size(qtbot: QtBot, qapp: Application) -> None:
    line = PositionLine()
    qtbot.addWidget(line)
    line.show_stats(answer_of(STORY).stats)
    before = line.sizeHint().height()
    qapp.theme.set_text_size(130)
    try:
        assert line.sizeHint().height() == pytest.approx(1.3 * before, abs=1)
        line.resize(300, line.sizeHint().height())
        grown = line.grab().toImage()
    finally:
        qapp.theme.set_text_size(100)
    ground, below = grown.pixelColor(0, grown.height() - 1), grown.height() - round(1.3 * PositionLine.LABEL) + 1
    rows = range(below, grown.height())
    inked = [y for y in rows if any(grown.pixelColor(x, y) != ground for x in range(grown.width()))]
    # The digits of 11 pixels are 8 high; at 130 % they need more than that.
    assert max(inked) - min(inked) + 1 >= 10


def test_the_bar_of_time_says_its_shares(qtbot: QtBot) -> None:
    bar = TimeBar()
    qtbot.addWidget(bar)
    bar.show_stats(RequestStats(draft_s=1.0, verify_s=2.0, host_s=1.0))
    assert bar.accessibleDescription() == "draft 25% · verify 50% · overhead 25%"


def test_the_line_says_its_counts_and_has_three_labels(qtbot: QtBot) -> None:
    line = PositionLine()
    qtbot.addWidget(line)
    line.resize(280, 60)
    stats = answer_of(STORY).stats
    line.show_stats(stats)
    assert line.has_rejected
    reached, accepted = stats.accept_by_position[0]
    assert f"({accepted} of {reached})" in line.words()[0]
    assert line.accessibleDescription() == "\n".join(line.words())
    line.show_stats(replace(stats, accept_by_position=((4, 4),) * 16))
    assert not line.has_rejected
    assert len(line.words()) == 16
    image = line.grab().toImage()
    ground = image.pixelColor(100, 59)
    rows = range(60 - PositionLine.LABEL + 3, 60)
    row = [any(image.pixelColor(x, y) != ground for y in rows) for x in range(280)]
    # Letters of a label are closer than this.
    gaps = "".join("x" if is_inked else " " for is_inked in row).split(" " * 8)
    assert len([part for part in gaps if part.strip()]) == 3


@pytest.fixture
def strip(qtbot: QtBot) -> RoundStrip:
    strip = RoundStrip()
    qtbot.addWidget(strip)
    strip.resize(10 * PITCH - GAP, 9 * PITCH)
    strip.show()
    return strip


def test_the_strip_fills_accepted_guesses_and_leaves_rejected_hollow(strip: RoundStrip) -> None:
    strip.show_answer(answer_of(Script("a b c", (ScriptedRound(3, 1),))))
    image = strip.grab().toImage()
    colours = theme.colours()

    def colour(column: int, place: int) -> str:
        return image.pixelColor(
            column * PITCH + CELL // 2, round(strip.height() - BAR_HEIGHT - 6 - place * PITCH)
        ).name()

    assert colour(0, 0) == colours.muted
    assert colour(1, 0) == colours.draft
    assert colour(1, 1) == colours.muted
    assert colour(1, 2) == colour(9, 0)


@pytest.mark.parametrize(("drafted", "is_cut"), [(15, False), (32, True)])
def test_cells_have_one_size_and_a_round_of_more_ends_in_how_many_more(
    strip: RoundStrip, drafted: int, *, is_cut: bool
) -> None:
    strip.resize(strip.sizeHint())
    rounds = (ScriptedRound(drafted, 2, "ngram"), ScriptedRound(2, 2, "ngram"))
    strip.show_answer(answer_of(Script("a b c d e f g h i", rounds)))
    image = strip.grab().toImage()
    ground = image.pixelColor(9 * PITCH, 0)
    middle = PITCH + CELL // 2
    # Of the column of a short round, and of the first cells of a long one: nothing is squeezed.
    ground_at = strip.height() - BAR_HEIGHT
    assert image.copy(PITCH, ground_at - 2 * PITCH, PITCH, 2 * PITCH) == image.copy(
        2 * PITCH, ground_at - 2 * PITCH, PITCH, 2 * PITCH
    )
    top = ground_at - ROWS * PITCH
    assert image.pixelColor(middle, top + 1) != ground
    above = [image.pixelColor(x, y) != ground for x in range(PITCH, 2 * PITCH) for y in range(top)]
    assert any(above) == is_cut


def test_the_strip_shows_the_newest_rounds_and_the_wheel_goes_back(strip: RoundStrip) -> None:
    answer = answer_of(STORY)
    strip.show_answer(answer)
    assert strip.visible_rounds() == answer.rounds[-10:]
    strip.go_back(3)
    assert strip.visible_rounds() == answer.rounds[-13:-3]
    strip.go_back(10_000)
    assert strip.visible_rounds() == answer.rounds[:10]


def test_a_bar_shows_which_part_of_a_long_answer_is_in_view(strip: RoundStrip) -> None:
    def bar() -> list[int]:
        image = strip.grab().toImage()
        row = strip.height() - 2
        ground = image.pixelColor(strip.width() - 1, 0)
        return [x for x in range(strip.width()) if image.pixelColor(x, row) != ground]

    strip.show_answer(answer_of(Script("a b c", (ScriptedRound(3, 1),))))
    assert bar() == []
    strip.show_answer(answer_of(STORY))
    newest = bar()
    strip.go_back(10_000)
    oldest = bar()
    assert min(oldest) < 3 < min(newest)
    assert max(newest) > strip.width() - 3 > max(oldest)


def test_a_word_of_an_earlier_round_brings_its_column_into_view_while_it_is_pointed_to(strip: RoundStrip) -> None:
    answer = answer_of(STORY)
    strip.show_answer(answer)
    strip.go_back(2)
    before = strip.visible_rounds()
    strip.point(1)
    assert answer.rounds[1] in strip.visible_rounds()
    assert len(strip.visible_rounds()) == strip.columns
    strip.point(None)
    assert strip.visible_rounds() == before
    strip.point(before[2].number)
    assert strip.visible_rounds() == before


def test_the_words_of_a_column_stand_above_the_strip(strip: RoundStrip, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[QPoint] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, *_: places.append(place))
    strip.show_answer(answer_of(STORY))
    QTest.mouseMove(strip, QPoint(3, 40))
    QTest.mouseMove(strip, QPoint(30, 40))
    assert places
    assert all(place.y() < strip.mapToGlobal(QPoint(0, 0)).y() - 20 for place in places)


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
