"""The benchmarks of the window run to their ends and report their figures."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from app.transcript.tints.tints import TintLayer
from app.widgets.application import Application
from tests.benchmarks import long_answers, measured_window, ranks, starts, tints, window

pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def without_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_window, "SETTLE_S", 0.0)


def _long(name: str, application: Application) -> dict[str, Any]:
    return long_answers.measured(application, replace(long_answers.TEXTS[name], rate=5000.0), 1000)


@pytest.mark.parametrize("name", long_answers.TEXTS)
def test_each_kind_of_long_answer_is_shown_to_its_end(name: str, qapp: Application) -> None:
    report = _long(name, qapp)
    assert report["tokens"] == 1000
    assert len(report["fifths"]) == 5


def test_frames_and_the_panel_are_measured(qapp: Application) -> None:
    assert window.frame_figures(qapp, messages=2, rate=2000.0, seconds=0.1)["tokens"] == 200
    assert window.panel_figures(qapp, rounds=20)["rounds"] == 20


def test_an_answer_is_streamed_with_tints_and_without(qapp: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tints, "SETTLE_S", 0.0)
    # Each round of an answer takes a frame, and there are five answers.
    monkeypatch.setattr(tints, "_SENTENCES", "A draft model guesses the next tokens.")
    monkeypatch.setitem(tints.TEXTS, "Korean", "초안 모델이 다음 토큰을 **먼저** 제안합니다. " * 3)
    place, show = TintLayer.place_prose, tints.AnswerLaps.show
    placed: list[TintLayer] = []
    are_placed: list[bool] = []

    def noted_place(layer: TintLayer, *arguments: Any) -> int:
        placed.append(layer)
        return place(layer, *arguments)

    def noted_show(laps: tints.AnswerLaps, *arguments: Any, **how: Any) -> tints.Lap:
        placed.clear()
        lap = show(laps, *arguments, **how)
        are_placed.append(bool(placed))
        return lap

    monkeypatch.setattr(TintLayer, "place_prose", noted_place)
    monkeypatch.setattr(tints.AnswerLaps, "show", noted_show)
    report = tints.compared(qapp, ["Korean"], 1)
    # One to warm up, one of each in any order, and one of each whose steps are counted.
    assert are_placed[0]
    assert sorted(are_placed[1:3]) == [False, True]
    assert are_placed[3:] == [True, False]
    with_tints, without = report["Korean"]["counts_with"], report["Korean"]["counts_without"]
    # Which of the two takes more frames, and with them more steps, depends on what else the machine does.
    assert all(counts[steps] > 0 for counts in (with_tints, without) for steps in ("calls", "lines"))
    assert len(tints.lines(report)) == 1


def test_a_start_reaches_its_stages_in_order() -> None:
    found = starts.one_start()
    assert list(found) == list(starts.STAGES)
    assert 0 < found["window"] < found["models"] < found["first_token"]


@pytest.mark.parametrize(("benchmark", "option"), [(ranks, "--delays"), (window, "--messages")])
def test_a_benchmark_says_what_it_takes(
    benchmark: ModuleType, option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmark", "--help"])
    with pytest.raises(SystemExit, match="0"):
        benchmark.main()
    assert option in capsys.readouterr().out
