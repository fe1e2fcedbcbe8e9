"""In every state of a pair, panel, foot, picker, history, terminal and doctor show one figure, the same, or none."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from msgspec.structs import replace as replace_struct

from app.cli.answers import TextOutput
from app.conversations.measured import PairSpeeds
from app.conversations.request_history import RequestRow, Totals
from app.session.answer import Answer, State
from app.settings.checkup import gather
from app.settings.declarations import SettingsValues
from app.settings_window.history_page import COLUMNS, HistoryTable
from app.system.paths import speeds_file
from app.transcript.answer_texts import origin_text
from app.wording.checkup import page
from app.wording.models import pair_speed
from app.wording.speculation import below_outcome, outcome
from engine.bench.pair_check import PairCheck
from engine.events import Finished
from engine.files.system_memory import SystemMemory
from engine.machine.facts import MachineFacts
from engine.stats import RequestStats

PAIR = "big", "small"
SUMS = Totals(3, 0.75, None, 0.0, None, None, 400, 300, 900, *PAIR, "auto")
STATS = RequestStats(
    generated_tokens=61, rounds=12, drafted=61, accepted=49, accept_rate=0.8, decode_tps=60.0, tokens_per_round=5.1,
    speedup_low=1.1, speedup_high=5.1, main="big", draft="small",
)  # fmt: skip
ROW = RequestRow(
    *(1, 1, 1, "a chat", "", "", 5.0, *PAIR, "auto", "stop"),
    *(9, 61, 12, 61, 49, 0.8, 5.1, 0.1, 60.0, None, None, 1.1, 5.1),
)
MAC = MachineFacts("Apple M4 Pro", "macOS 26.1", SystemMemory(48 * 10**9, 0, False), None, True, 0, "denied")
EXACT = replace(SUMS, speedup=1.9, speedup_low=1.85, speedup_high=1.95)
BOUNDS = replace(EXACT, speedup_low=1.6, speedup_high=3.0)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("sums", "ratios", "shown"),
    [
        # Nothing is known, or bounds only.
        (SUMS, (), set()),
        (BOUNDS, (), set()),
        (EXACT, (), {"1.9"}),
        # Comparisons count, their median.
        (EXACT, (4.2,), {"4"}),
        (BOUNDS, (2.34,), {"2.3"}),
        (SUMS, (3.8, 4.4, 1.2), {"4"}),
    ],
)
def test_every_place_shows_the_same_figure_or_none(
    capsys: pytest.CaptureFixture[str], sums: Totals, ratios: tuple[float, ...], shown: set[str]
) -> None:
    texts = places(capsys, sums, ratios)
    figures = {place: set(re.findall(r"([\d.]+)(?:×|x as)", text)) for place, text in texts.items()}
    assert figures == dict.fromkeys(texts, shown)


@pytest.mark.usefixtures("qapp")
def test_what_is_no_gain_is_shown_where_models_are_chosen_only(capsys: pytest.CaptureFixture[str]) -> None:
    texts = places(capsys, SUMS, (0.9,))
    assert "×" not in texts["panel"] + texts["foot"]
    assert "x as fast" not in texts["terminal"]
    assert "0.9× as fast" in texts["picker"]
    assert "0.9× as fast. That is not noticeably faster" in texts["doctor"]


def places(capsys: pytest.CaptureFixture[str], sums: Totals, ratios: tuple[float, ...]) -> dict[str, str]:
    """What the places say of a pair with these sums of answers and these comparisons."""
    speeds = PairSpeeds(speeds_file())
    for ratio in ratios:
        speeds.add_comparison(*PAIR, ratio)
    measured = speeds.take_answers([sums])
    totals = measured.get(PAIR)
    answer = Answer(State.DONE, stats=STATS, pair=PAIR, pair_speedup=None if totals is None else totals.speedup)
    table = HistoryTable()
    table.measured = measured
    table.show_rows([ROW])
    column = [one.key for one in COLUMNS].index("speedup")
    TextOutput().event(Finished("stop", "Hello.", (1,), STATS))
    check = PairCheck(*PAIR, plain_tps=20.0, best_tps=60.0, times=4.5, accept_rate=0.8)
    doctor = page(gather(MAC, SettingsValues(), check, pair_times=speeds.speedup_of(*PAIR)))
    return {
        "panel": f"{outcome(answer)} {below_outcome(answer)}",
        "foot": origin_text(answer),
        "picker": pair_speed(None, totals),
        "history": table.index(0, column).data(),
        "terminal": capsys.readouterr().err,
        "doctor": next(line for line in doctor.splitlines() if "With speculation" in line),
    }


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("rounds", "shown"), [(2, set()), (3, {"4"})])
def test_an_answer_of_one_look_up_or_two_has_no_figure_anywhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, rounds: int, shown: set[str]
) -> None:
    monkeypatch.setattr(f"{__name__}.STATS", replace_struct(STATS, accept_by_position=((5, rounds),)))
    monkeypatch.setattr(f"{__name__}.ROW", replace(ROW, accepted_rounds=rounds))
    texts = places(capsys, SUMS, (4.2,))
    figures = {
        place: set(re.findall(r"([\d.]+)(?:×|x as)", texts[place])) for place in ("panel", "history", "terminal")
    }
    assert figures == dict.fromkeys(figures, shown)
