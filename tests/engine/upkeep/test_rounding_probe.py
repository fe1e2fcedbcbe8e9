"""The probe finds the widths that a machine rounds alike; once for each main model and version of MLX."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from math import inf
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import Engine
from engine.files.steps import Steps, run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import SpeculationSettings
from engine.row_kernels import choice
from engine.row_kernels.attention_probe import attention_shapes
from engine.row_kernels.row_kernel import ComparedRows, RowKernel
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.choosing.race_journal import RaceJournal
from engine.tuning import KeyRange, Rounding
from engine.upkeep import rounding_probe
from engine.upkeep.rounding_probe import probe_rounding
from tests.engine.endurance.counting_model import CountingModel
from tests.engine.lossless.rounding_machines import M1, M3, NOISE, RoundingMachine, shorten_probe
from tests.engine.serving_requests import load_models, request, run
from tests.engine.speculation.families import SERVED, build, fresh_caches
from tests.engine.speculation.family_configs import FAMILIES
from tests.mac_memory import report_memory
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_models import FLOAT32, QWEN3, write_model

FOUND = Rounding((KeyRange(4096, 8),))


@pytest.fixture(autouse=True)
def short_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_probe(monkeypatch)


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were probed; a probe takes three steps."""
    found: list[str] = []

    def probe(main: LoadedModel, _free: int, _races: RaceJournal) -> Steps[Rounding]:
        found.append(main.info.name)
        yield from [None] * 3
        return FOUND

    monkeypatch.setattr(rounding_probe, "probe_rounding", probe)
    return found


@pytest.mark.parametrize(("machine", "rows"), [(M1, 12), (M3, 1), (NOISE, 1)], ids=["M1", "M3", "noise"])
def test_it_finds_the_rule_of_each_machine(machine: RoundingMachine, rows: int, tmp_path: Path) -> None:
    # The machine replaces products of plain layers.
    main = write_model(tmp_path / "main", seed=1, stored=FLOAT32)
    with machine.running():
        found = run_to_completion(probe_rounding(load(main), 1 << 30))
    assert found.usual == found.ranges[-1]
    assert found.usual.rows == rows


@pytest.mark.full
def test_it_finds_nothing_beyond_a_window_or_what_fits_into_memory(tmp_path: Path) -> None:
    config = FAMILIES["gemma3_text"] | {"model_type": "gemma3_text", "sliding_window": 48}
    windowed, whole = (
        write_model(tmp_path / name, stored=FLOAT32, config=one) for name, one in (("a", config), ("b", QWEN3))
    )
    with M1.running():
        found = run_to_completion(probe_rounding(load(windowed), 1 << 30))
        tight = run_to_completion(probe_rounding(load(whole), 1 << 16))
    assert (found.ranges[-1].keys, found.usual.rows) == (48, 12)
    assert 1 < tight.ranges[-1].keys < 600


# Of one family for each kind of cache, and of those whose shapes are not known.
KNOWN = {"llama", "llama:window", "gemma3_text", "gpt_oss", "qwen3_next", "mimo_v2_flash"}
UNKNOWN = {"llama:quantised", "gemma2", "deepseek_v3", "mamba2"}


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(KNOWN | UNKNOWN, id="one of a kind"),
        pytest.param({*SERVED, "llama:window", "llama:quantised"}, id="all", marks=pytest.mark.full),
    ],
)
def test_shapes_of_attention_are_those_of_a_pass_or_unknown(monkeypatch: pytest.MonkeyPatch, names: set[str]) -> None:
    called: set[tuple[object, ...]] = set()
    attend = mx.fast.scaled_dot_product_attention

    def watch(queries: mx.array, keys: mx.array, values: mx.array, **more: Any) -> mx.array:
        called.add((queries.shape[1], *keys.shape[1::2], keys.dtype, more.get("sinks") is not None))
        return attend(queries, keys, values, **more)

    monkeypatch.setattr(mx.fast, "scaled_dot_product_attention", watch)
    known = set()
    for name in sorted(names):
        model, caches = build(name), fresh_caches(name)
        called.clear()
        for ids in ([1, 2, 3], [1]):
            mx.eval(model(mx.array([ids]), cache=caches))
        shapes = attention_shapes(model, caches)
        if shapes:
            known.add(name)
            assert called <= set(shapes), name
        assert shapes != [] or not called
    assert known >= KNOWN
    assert not known & UNKNOWN


def opened(main: Path, learned: Path) -> Scheduler:
    scheduler = Scheduler(EngineSettings(learned_file=learned))
    load_models(scheduler, main, None)
    return scheduler


def test_what_it_finds_is_kept_until_mlx_changes(tiny_main: Path, tmp_path: Path, probes: list[str]) -> None:
    for _ in range(2):
        with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
            scheduler.upkeep.measure(lambda: False, PATIENCE_S)
            assert scheduler.models.rounding == FOUND
    assert len(probes) == 1
    learned = json.loads((tmp_path / "learned.json").read_text())
    (tmp_path / "learned.json").write_text(json.dumps(learned | {"mlx": "another version"}))
    with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
        assert scheduler.models.unprobed


def test_a_request_interrupts_it_and_it_continues_later(tiny_main: Path, tmp_path: Path, probes: list[str]) -> None:
    with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
        stops = chain([False, False], repeat(True))
        scheduler.upkeep.measure(lambda: next(stops), PATIENCE_S)
        assert scheduler.models.unprobed
        run(scheduler, request(max_tokens=4))
        scheduler.upkeep.measure(lambda: not scheduler.models.unprobed, PATIENCE_S)
        assert scheduler.models.rounding == FOUND
    assert len(probes) == 1


def test_it_waits_for_power(
    tiny_main: Path, tmp_path: Path, probes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in Low Power Mode, and not while the battery is used: here until the power adapter is plugged in."""
    waits, seen = [inf, 300.0, inf], list[tuple[float, int]]()

    def seconds_before_measuring() -> float:
        seen.append((waits.pop(0) if waits else 0.0, len(probes)))
        return seen[-1][0]

    report_memory(monkeypatch)
    for name in ("engine.IDLE_AFTER_S", "upkeep.upkeep.LOOK_S"):
        monkeypatch.setattr(f"engine.{name}", 0.01)
    monkeypatch.setattr("engine.engine.seconds_before_measuring", seconds_before_measuring)
    monkeypatch.setattr("engine.upkeep.upkeep.calibrate", lambda *_: False)
    with Engine(EngineSettings(learned_file=tmp_path / "learned.json")) as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        wait_until(lambda: probes != [])
    assert seen[:4] == [(inf, 0), (300.0, 0), (inf, 0), (0.0, 0)]


def test_a_request_for_the_same_text_is_plain_before_it_and_drafts_after_it(
    tiny_main: Path, tmp_path: Path, probes: list[str]
) -> None:
    always = request("the the the the", max_tokens=8, speculation=SpeculationSettings(method="ngram", same_text=True))
    with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
        [before] = run(scheduler, always)
        assert not probes
        scheduler.upkeep.measure(lambda: False, PATIENCE_S)
        [after] = run(scheduler, always)
    assert len(probes) == 1
    assert "same-text" in before.reasons
    assert "same-text" not in after.reasons
    assert before.finished.stats.rounding == ""
    assert after.finished.stats.rounding == "identical"


@pytest.mark.expects_log
def test_a_model_that_fails_in_it_answers_plainly(tiny_main: Path, tmp_path: Path) -> None:
    main = load(tiny_main)
    model = CountingModel(main.model)
    with closing(Scheduler(EngineSettings(learned_file=tmp_path / "learned.json"))) as scheduler:
        scheduler.changes.install(replace(main, model=model), None)
        model.fails = lambda shape, _: shape[1] == 2
        scheduler.upkeep.measure(lambda: False, PATIENCE_S)
        model.fails = lambda *_: False
        always = SpeculationSettings(method="ngram", same_text=True)
        [client] = run(scheduler, request("the the the the", max_tokens=8, speculation=always))
        assert "same-text" in client.reasons
        assert client.finished.stats.drafted == 0
    # It is tried again in the next session.
    with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
        assert scheduler.models.unprobed


@pytest.fixture
def raced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let one kernel be raced, whose comparison takes many steps; returns a name for each time that it began."""
    begun: list[str] = []

    def comparisons(main: LoadedModel, _free: int) -> Iterator[ComparedRows]:
        begun.append(main.info.name)
        yield ComparedRows(0, "ours", lambda width: (mx.zeros((width, 1)) for _ in range(100 // width)))

    kernel = RowKernel("products", "", [2], comparisons, lambda *_: None)
    monkeypatch.setattr(choice, "KERNELS", (kernel,))
    monkeypatch.setattr(choice, "SETTLE_S", 0.0)
    return begun


def test_a_program_that_is_quit_during_a_race_runs_it_in_the_next_session(
    tiny_main: Path, tmp_path: Path, raced: list[str]
) -> None:
    for sessions in range(1, 4):
        with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
            scheduler.upkeep.measure(partial(next, chain([False] * 5, repeat(True))), PATIENCE_S)
            assert scheduler.models.unprobed
        assert len(raced) == sessions


@pytest.mark.expects_log
def test_what_is_measured_without_a_race_that_failed_is_kept_once_it_is_not_tried_again(
    tiny_main: Path, tmp_path: Path, raced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sessions fail in a race; the one after each does without it, and only what the last one finds is final."""
    whole = choice.KERNELS

    def fail(main: LoadedModel, _free: int) -> Iterator[ComparedRows]:
        raced.append(main.info.name)
        raise RuntimeError("[METAL] GPU Timeout Error")

    problems = []
    monkeypatch.setattr(choice, "KERNELS", (replace(whole[0], comparisons=fail),))
    for _ in range(5):
        with closing(opened(tiny_main, tmp_path / "learned.json")) as scheduler:
            scheduler.upkeep.measure(lambda: not scheduler.models.unprobed, PATIENCE_S)
            assert scheduler.models.rounding is not None
            problems.append([problem.why for problem in scheduler.models.rounding.problems])
    assert problems == [["unfinished"]] * 5
    assert len(raced) == 2
    assert "unfinished" in (tmp_path / "learned.json").read_text()
