"""A calibration of a real pair: what it measures, when it runs, and what becomes of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import ChatRequest, Engine, EngineError, EngineSettings, Event, Finished, SpeculationSettings
from engine.serving.calibration import Trial
from engine.speculation.choosing.plans import DEPTHS
from engine.tuning import ContextFigures, DepthFigures, best_of, break_even
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.usefixtures("without_compilation")

QUESTION = [{"role": "user", "content": "the quick brown fox"}]


@pytest.fixture
def learned_file(tmp_path: Path) -> Path:
    return tmp_path / "learned.json"


@pytest.fixture
def engine(learned_file: Path, tiny_main: Path, tiny_draft: Path) -> Iterator[Engine]:
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        engine.calibrate().result(timeout=PATIENCE_S)
        yield engine


def answer(engine: Engine, speculation: SpeculationSettings, tokens: int = 24) -> Finished:
    last = list(engine.submit(ChatRequest(QUESTION, speculation=speculation, max_tokens=tokens)))[-1]
    assert isinstance(last, Finished)
    return last


def test_a_calibration_measures_every_depth_of_a_pair(engine: Engine) -> None:
    [pair] = engine.learned().result(timeout=PATIENCE_S)
    assert pair.loaded
    assert (pair.main, pair.draft) == ("main", "draft")
    [context] = pair.contexts
    assert context.tokens_from == 0
    assert [figures.depth for figures in context.depths] == [*DEPTHS]
    assert all(figures.samples > 0 for figures in context.depths)


def test_an_idle_engine_with_a_file_calibrates_a_pair_that_is_new(
    learned_file: Path, tiny_main: Path, tiny_draft: Path
) -> None:
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while not engine.learned().result(timeout=PATIENCE_S):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_pair_that_was_asked_before_it_was_calibrated_is_calibrated_afterwards(
    learned_file: Path, tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer teaches what it tries; the next one is to know every depth."""
    monkeypatch.setattr("engine.engine.CALM_S", 0.01)
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft)
        answer(engine, SpeculationSettings())
        wait_for_every_depth(engine)
        # The answer has measured some depths, too.
        wait_until_tuned(engine)
    with Engine(EngineSettings(learned_file=learned_file)) as later:
        later.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert later._call(lambda scheduler: scheduler.models.untuned).result(timeout=PATIENCE_S) is False


def test_a_calibration_that_a_request_ended_goes_on_where_it_was(
    learned_file: Path, tiny_main: Path, tiny_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.engine.CALM_S", 0.01)
    monkeypatch.setattr("engine.engine.TUNING_S", PATIENCE_S)
    played: list[int] = []
    reached = threading.Event()
    measure = Trial._measure

    def interrupted_behind_two(trial: Trial, depth: int) -> bool:
        while len(played) == 2 and not trial._stop():
            reached.set()
            time.sleep(0.001)
        done = measure(trial, depth)
        played.append(depth)
        return done

    monkeypatch.setattr(Trial, "_measure", interrupted_behind_two)
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert reached.wait(PATIENCE_S)
        answer(engine, SpeculationSettings(method="off"))
        wait_for_every_depth(engine)
        wait_until_tuned(engine)
    [interrupted] = [depth for depth in {*played} if played.count(depth) > 1]
    assert played[2] == interrupted
    assert sorted({*played}) == sorted(DEPTHS)


def test_a_calibration_that_finds_nothing_in_its_time_is_not_tried_again(
    learned_file: Path, tiny_main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.engine.CALM_S", 0.01)
    monkeypatch.setattr("engine.engine.TUNING_S", 0.0)
    with Engine(EngineSettings(learned_file=learned_file)) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        wait_until_tuned(engine)


def wait_until_tuned(engine: Engine) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while engine._call(lambda scheduler: scheduler.models.untuned, urgent=False).result(timeout=PATIENCE_S):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for_every_depth(engine: Engine) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        known = engine.learned().result(timeout=PATIENCE_S)
        contexts = [context for pair in known for context in pair.contexts]
        depths = {one.depth for context in contexts for one in context.depths if one.samples}
        if depths >= {*DEPTHS}:
            return
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_calibration_reports_the_depth_expected_to_be_fastest(engine: Engine) -> None:
    found = engine.calibrate().result(timeout=PATIENCE_S)
    assert found.complete
    [pair] = engine.learned().result(timeout=PATIENCE_S)
    assert found.acceptance_seen == bool(pair.acceptance)
    assert found.figures is not None
    assert (found.best_depth, found.speedup) == best_of(found.figures, "draft")


def test_a_calibration_measures_plain_rounds_as_often_as_a_first_answer_would(engine: Engine) -> None:
    [pair] = engine.learned().result(timeout=PATIENCE_S)
    assert pair.contexts[0].plain_samples >= 3


def test_answers_add_what_they_see_of_acceptance(engine: Engine) -> None:
    [before] = engine.learned().result(timeout=PATIENCE_S)
    answer(engine, SpeculationSettings(method="draft", depth=3))
    [after] = engine.learned().result(timeout=PATIENCE_S)
    assert (after.acceptance[0].source, after.acceptance[0].position) == ("draft", 0)
    counted = [sum(guess.reached for guess in pair.acceptance if guess.position == 0) for pair in (before, after)]
    assert counted[0] < counted[1] <= counted[0] + 24


def test_the_next_run_knows_it_before_any_model_is_loaded(engine: Engine, learned_file: Path) -> None:
    [before] = engine.learned().result(timeout=PATIENCE_S)
    with Engine(EngineSettings(learned_file=learned_file)) as later:
        [after] = later.learned().result(timeout=PATIENCE_S)
    assert after.pair == before.pair
    assert not after.loaded


@pytest.mark.parametrize("everything", [True, False])
def test_what_was_learned_can_be_forgotten(engine: Engine, learned_file: Path, *, everything: bool) -> None:
    [pair] = engine.learned().result(timeout=PATIENCE_S)
    engine.forget_learned(None if everything else pair.pair).result(timeout=PATIENCE_S)
    assert engine.learned().result(timeout=PATIENCE_S) == ()
    with Engine(EngineSettings(learned_file=learned_file)) as later:
        assert later.learned().result(timeout=PATIENCE_S) == ()


def test_forgetting_one_pair_leaves_the_others(engine: Engine) -> None:
    engine.set_draft(None).result(timeout=PATIENCE_S)
    engine.calibrate().result(timeout=PATIENCE_S)
    with_draft, alone = engine.learned().result(timeout=PATIENCE_S)
    engine.forget_learned(with_draft.pair).result(timeout=PATIENCE_S)
    assert [pair.pair for pair in engine.learned().result(timeout=PATIENCE_S)] == [alone.pair]
    assert alone.draft == ""


def test_without_a_file_the_pair_in_use_is_still_reported(engine_with_pair: Engine) -> None:
    engine_with_pair.calibrate().result(timeout=PATIENCE_S)
    [pair] = engine_with_pair.learned().result(timeout=PATIENCE_S)
    assert pair.loaded


def test_without_a_draft_the_passes_alone_are_measured(engine: Engine) -> None:
    engine.set_draft(None).result(timeout=PATIENCE_S)
    found = engine.calibrate().result(timeout=PATIENCE_S)
    assert found.figures is not None
    assert {figures.source for figures in found.figures.depths} == {"ngram"}


def test_a_calibration_ends_early_for_a_request(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_until_told_to_stop(trial: Trial, *, again: bool) -> int:
        del again
        while not trial._stop():
            time.sleep(0.001)
        return 0

    monkeypatch.setattr(Trial, "measure", measure_until_told_to_stop)
    found = engine.calibrate()
    stream = engine.submit(ChatRequest(QUESTION, max_tokens=4))
    assert isinstance(list(stream)[-1], Finished)
    assert not found.result(timeout=PATIENCE_S).complete


def test_a_calibration_is_refused_during_an_answer(engine: Engine) -> None:
    asked, ended = threading.Event(), threading.Event()

    def listen(event: Event) -> None:
        """Keeps the answer from ending before the calibration is asked for."""
        asked.wait(PATIENCE_S)
        if isinstance(event, Finished):
            ended.set()

    engine.submit(ChatRequest(QUESTION, max_tokens=20), listen)
    calibration = engine.calibrate()
    asked.set()
    with pytest.raises(EngineError) as raised:
        calibration.result(timeout=PATIENCE_S)
    assert raised.value.code == "busy"
    assert ended.wait(PATIENCE_S)


def test_without_a_model_there_is_nothing_to_calibrate() -> None:
    with Engine() as engine, pytest.raises(EngineError) as raised:
        engine.calibrate().result(timeout=PATIENCE_S)
    assert raised.value.code == "no-model"


def test_answers_are_the_same_after_a_calibration(engine: Engine) -> None:
    before = answer(engine, SpeculationSettings(method="off"))
    engine.calibrate().result(timeout=PATIENCE_S)
    assert answer(engine, SpeculationSettings(method="auto")).ids == before.ids


@pytest.mark.parametrize(
    ("depth", "round_s", "pays_from"), [(1, 1.5, 0.5), (4, 5.0, 1.0), (4, 5.1, None), (2, 0.9, 0.0), (2, 1.75, 0.5)]
)
def test_break_even_is_where_the_tokens_of_a_round_make_up_for_its_time(
    depth: int, round_s: float, pays_from: float | None
) -> None:
    found = break_even(depth, 1.0, round_s)
    assert found == (None if pays_from is None else pytest.approx(pays_from, abs=1e-6))


def test_plain_decoding_is_the_best_of_figures_in_which_nothing_pays() -> None:
    slow = DepthFigures("draft", 4, 0.1, 0.9, 20.0, 3)
    assert best_of(ContextFigures(0, 2048, 50.0, 9, (slow,)), "draft") == (0, 1.0)
    fast = DepthFigures("draft", 8, 0.1, 0.4, 75.0, 3)
    assert best_of(ContextFigures(0, 2048, 50.0, 9, (slow, fast)), "draft") == (8, 1.5)
