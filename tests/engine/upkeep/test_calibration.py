"""A calibration of a real pair: what it measures, when it runs, and how its result is kept."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from engine import Engine, EngineSettings, Finished, SpeculationSettings
from engine.requests import MAX_DRAFTED
from engine.speculation.choosing.plans import DEPTHS
from engine.tuning import LearnedPair
from engine.upkeep import calibration
from engine.upkeep.calibration import Trial
from tests.engine.serving_requests import request
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.usefixtures("module_as_on_linux")

SOME_DEPTHS = (1, 2, 3)
# The file of a calibrated pair, and what a person reads of it.
Calibrated = tuple[Path, LearnedPair]
OFF, AUTO = SpeculationSettings(method="off"), SpeculationSettings()


def answer(engine: Engine, speculation: SpeculationSettings, tokens: int = 24) -> Finished:
    *_, last = engine.submit(request(max_tokens=tokens, speculation=speculation))
    assert isinstance(last, Finished)
    return last


def calibrate(engine: Engine) -> bool:
    """Calibrate now, and return whether all was measured."""
    return bool(engine._call(lambda scheduler: scheduler.upkeep.calibrate(), urgent=False).result(timeout=PATIENCE_S))


def measured(engine: Engine) -> dict[str, set[int]]:
    """Return the rows of passes and the tokens of drafting whose costs are known."""
    curves = engine._call(lambda scheduler: scheduler.models.drafting.controller.costs.curves, urgent=False)
    return {name: {*curve} for name, curve in curves.result(timeout=PATIENCE_S).items()}


@pytest.fixture(scope="module")
def calibrated(tiny_main: Path, tiny_draft: Path, tmp_path_factory: pytest.TempPathFactory) -> Calibrated:
    """The file of an engine that has calibrated SOME_DEPTHS of a pair, and what it knew then."""
    file = tmp_path_factory.mktemp("calibrated") / "learned.json"
    with pytest.MonkeyPatch.context() as patch, Engine(EngineSettings(learned_file=file)) as engine:
        patch.setattr(calibration, "DEPTHS", SOME_DEPTHS)
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert calibrate(engine)
        [pair] = engine.learned().result(timeout=PATIENCE_S)
        return file, pair


@pytest.fixture
def learned_file(tmp_path: Path) -> Path:
    return tmp_path / "learned.json"


@pytest.fixture
def engine(calibrated: Calibrated, learned_file: Path, tiny_main: Path, tiny_draft: Path) -> Iterator[Engine]:
    """An engine with a pair that an earlier one has calibrated."""
    shutil.copy(calibrated[0], learned_file)
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        yield engine


@pytest.mark.full
@pytest.mark.parametrize("depths", by_tier([(SOME_DEPTHS,), (DEPTHS,)], [(SOME_DEPTHS,)]), ids=["some", "all"])
def test_a_calibration_measures_every_depth_of_a_pair(
    tiny_main: Path, tiny_draft: Path, learned_file: Path, monkeypatch: pytest.MonkeyPatch, depths: tuple[int, ...]
) -> None:
    monkeypatch.setattr(calibration, "DEPTHS", depths)
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert calibrate(engine)
        [pair] = engine.learned().result(timeout=PATIENCE_S)
        curves = measured(engine)
    assert pair.loaded
    assert pair.main == "main"
    # What the draft model cannot propose, lookup can.
    drafted = {depth for depth in depths if depth <= MAX_DRAFTED}
    assert (curves["pass"], curves["draft:draft"]) == ({1, *(depth + 1 for depth in depths)}, drafted)


@pytest.fixture
def calibrations(monkeypatch: pytest.MonkeyPatch) -> SimpleQueue[bool]:
    """Whether the calibrations of an idle engine, each of SOME_DEPTHS, measured all, as they end."""
    ended: SimpleQueue[bool] = SimpleQueue()
    measure: Callable[..., bool] = calibration.calibrate

    def noted(*arguments: Any) -> bool:
        ended.put(found := measure(*arguments))
        return found

    monkeypatch.setattr("engine.engine.IDLE_AFTER_S", 0.01)
    monkeypatch.setattr("engine.engine.TUNING_S", PATIENCE_S)
    monkeypatch.setattr("engine.upkeep.upkeep.calibrate", noted)
    monkeypatch.setattr("engine.upkeep.calibration.DEPTHS", SOME_DEPTHS)
    return ended


def wait_for_all(ended: SimpleQueue[bool]) -> None:
    while not ended.get(timeout=PATIENCE_S):
        pass


def untuned(engine: Engine) -> bool:
    return bool(engine._call(lambda scheduler: scheduler.models.untuned, urgent=False).result(timeout=PATIENCE_S))


@pytest.mark.full
@pytest.mark.parametrize("asked_before", by_tier([False, True], [True]))
def test_an_idle_engine_with_a_file_calibrates_a_pair_that_is_new(
    learned_file: Path, tiny_main: Path, tiny_draft: Path, calibrations: SimpleQueue[bool], asked_before: bool
) -> None:
    """An answer measures some depths; the next one is to know every depth."""
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        loading = engine.load(tiny_main, tiny_draft)
        if asked_before:
            answer(engine, AUTO)
        loading.result(timeout=PATIENCE_S)
        wait_for_all(calibrations)
        # The answer may have come before the draft model, and taught something about the main model alone.
        assert measured(engine)["draft:draft"] >= {*SOME_DEPTHS}
        assert not untuned(engine)
    with Engine(EngineSettings(learned_file=learned_file)) as later:
        later.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert not untuned(later)


def test_a_calibration_that_a_request_ended_goes_on_where_it_was(
    learned_file: Path,
    tiny_main: Path,
    tiny_draft: Path,
    calibrations: SimpleQueue[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played: list[int] = []
    reached = threading.Event()
    measure = Trial._measure

    def interrupted_after_two(trial: Trial, depth: int) -> bool:
        while len(played) == 2 and not trial._is_stopped():
            reached.set()
            time.sleep(0.001)
        done = measure(trial, depth)
        played.append(depth)
        return done

    monkeypatch.setattr(Trial, "_measure", interrupted_after_two)
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert reached.wait(PATIENCE_S)
        answer(engine, OFF, tokens=4)
        wait_for_all(calibrations)
        assert not untuned(engine)
    [interrupted] = [depth for depth in {*played} if played.count(depth) > 1]
    assert played[2] == interrupted
    assert sorted({*played}) == sorted(SOME_DEPTHS)


def test_a_calibration_that_finds_nothing_in_its_time_is_not_tried_again(
    learned_file: Path,
    tiny_main: Path,
    tiny_draft: Path,
    calibrations: SimpleQueue[bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        assert calibrations.get(timeout=PATIENCE_S)
        monkeypatch.setattr("engine.engine.TUNING_S", 0.0)
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert not calibrations.get(timeout=PATIENCE_S)
        assert not untuned(engine)


@pytest.mark.full
def test_answers_add_what_they_see_of_acceptance(engine: Engine) -> None:
    def firsts() -> float:
        """Return the first draft tokens that were verified."""
        pairs = engine._call(lambda scheduler: scheduler.models.drafting.controller.learned, urgent=False)
        counts = pairs.result(timeout=PATIENCE_S).unconstrained.texts.counts
        return sum(positions[0].reached for positions in counts.get("draft", ()))

    before = firsts()
    answer(engine, SpeculationSettings(method="draft", depth=3))
    assert before < firsts() <= before + 24


def test_the_next_run_knows_it_before_any_model_is_loaded(calibrated: Calibrated) -> None:
    file, before = calibrated
    with Engine(EngineSettings(learned_file=file)) as later:
        [after] = later.learned().result(timeout=PATIENCE_S)
    assert after.pair == before.pair
    assert not after.loaded


def test_what_was_learned_can_be_forgotten(engine: Engine, learned_file: Path) -> None:
    assert engine.learned().result(timeout=PATIENCE_S)
    engine.forget_learned().result(timeout=PATIENCE_S)
    assert engine.learned().result(timeout=PATIENCE_S) == ()
    with Engine(EngineSettings(learned_file=learned_file)) as later:
        assert later.learned().result(timeout=PATIENCE_S) == ()


def test_without_a_draft_the_passes_alone_are_measured_and_are_a_pair_of_their_own(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "DEPTHS", SOME_DEPTHS)
    engine.set_draft(None).result(timeout=PATIENCE_S)
    assert calibrate(engine)
    _with_draft, alone = engine.learned().result(timeout=PATIENCE_S)
    assert [*measured(engine)] == ["pass"]
    assert alone.pair[1] == ""


def test_without_a_file_the_pair_in_use_is_still_reported(tiny_main: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        answer(engine, SpeculationSettings(method="draft", depth=3))
        [pair] = engine.learned().result(timeout=PATIENCE_S)
        assert pair.loaded


@pytest.mark.full
def test_answers_are_the_same_after_a_calibration(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.upkeep.calibration.DEPTHS", SOME_DEPTHS)
    before = answer(engine, AUTO).ids
    assert calibrate(engine)
    assert answer(engine, AUTO).ids == before == answer(engine, OFF).ids
