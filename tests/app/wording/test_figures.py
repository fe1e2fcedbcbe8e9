"""One speed of an answer reads the same wherever it stands."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from app.session.answer import Answer, State
from app.settings_window.history_page import COLUMNS
from app.wording import figures
from engine.stats import RequestStats


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
    """Also in the range of a comparison on a busy Mac."""
    assert (figures.factor(speedup), figures.about(speedup)) == (shown, f"{shown}×")
