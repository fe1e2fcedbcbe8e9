"""One speed of an answer reads the same wherever it stands."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QDate, QDateTime, QTime

from app.cli.answers import TextOutput
from app.session.answer import Answer, State
from app.settings_window.history_page import COLUMNS
from app.widgets.application import Application
from app.wording import figures
from app.wording.speculation import outcome
from engine.events import Finished
from engine.stats import RequestStats, RoundRecord


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("tokens_per_s", "shown"),
    [(0.04, "0.0"), (1.25, "1.2"), (9.94, "9.9"), (9.96, "10"), (365.21, "365"), (1055.4, "1,055")],
)
def test_the_panel_the_row_below_an_answer_and_the_history_round_a_speed_alike(tokens_per_s: float, shown: str) -> None:
    stats = RequestStats(decode_tps=tokens_per_s)
    column = next(column for column in COLUMNS if column.key == "decode_tps")
    below = dict(figures.footer(Answer(State.DONE, stats=stats)))["{value} tokens/s"]
    history = column.text(SimpleNamespace(decode_tps=tokens_per_s))  # type: ignore[arg-type]
    panel = re.sub(r" tokens a second$", "", figures.speed_sentence(stats))
    assert (below, history, panel) == (shown, shown, shown)


def test_a_speed_that_is_not_known_is_a_dash() -> None:
    assert figures.speed(None) == figures.NONE


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("speedup", "shown"), [(1.94, "1.9"), (2.94, "2.9"), (2.97, "3"), (3.4, "3"), (0.9, "0.9")])
def test_a_factor_has_its_decimal_below_three_as_it_is_shown(speedup: float, shown: str) -> None:
    assert figures.about(speedup) == f"{shown}×"


@pytest.mark.parametrize(
    ("language", "this_year", "before"),
    [
        ("en", "3/9 2:05 PM", "3/9/19"),
        ("ko", "3. 9. 오후 2:05", "19. 3. 9."),
        ("ja", "03/09 14:05", "2019/03/09"),
        ("zh_CN", "3/9 14:05", "2019/3/9"),
    ],
)
def test_a_time_has_its_year_only_if_that_is_not_this_one(
    qapp: Application, language: str, this_year: str, before: str
) -> None:
    qapp.language.choose(language)
    year = QDate.currentDate().year()
    shown = figures.moment(QDateTime(QDate(year, 3, 9), QTime(14, 5)).toSecsSinceEpoch())
    assert shown.replace("\u202f", " ") == this_year
    assert figures.moment(QDateTime(QDate(2019, 3, 9), QTime(14, 5)).toSecsSinceEpoch()).startswith(before)


@pytest.mark.usefixtures("qapp")
def test_panel_foot_round_history_terminal_and_local_api_count_accepted_drafts_in_the_same_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stats = RequestStats(generated_tokens=61, rounds=6, drafted=56, accepted=55, tokens_per_round=10.2)
    words = "55 of 56 drafts accepted"
    answer = Answer(State.DONE, stats=stats)
    assert outcome(answer) == words
    assert (words, "") in figures.footer(answer)
    assert words in figures.round_text(answer, RoundRecord(3, "draft", 56, 55, 56, 57, 1.0, 0.1, 0.1, 0.1))
    column = next(column for column in COLUMNS if column.key == "accept_rate")
    row = SimpleNamespace(drafted=56, accepted=55)
    assert f"{column.text(row)} {column.heading.lower()}" == words  # type: ignore[arg-type]
    TextOutput().event(Finished("stop", "Hello.", (1,), stats))
    assert words in capsys.readouterr().err


@pytest.mark.usefixtures("qapp")
def test_the_first_token_is_no_round_of_its_own() -> None:
    rounds = [RoundRecord(number, "main", 0, 0, 1, 1, 0.1, 0.0, 0.1, 0.0) for number in range(2)]
    assert [figures.round_text(Answer(), record) for record in rounds] == [
        "First token: main model only",
        "Round 1: main model only",
    ]
