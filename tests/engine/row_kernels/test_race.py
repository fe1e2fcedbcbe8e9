"""The race between a kernel of ours and MLX's, on a clock that only passes of the model advance."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Set
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest

from engine.files.kept_json import KeptJson
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.row_kernels import choice
from engine.row_kernels.attention import attention_of_rows
from engine.row_kernels.choice import STALLED, choose_kernels
from engine.row_kernels.layers import our_product
from engine.row_kernels.row_kernel import ComparedRows, RowKernel, row_kernel
from engine.speculation.choosing.race_journal import RaceJournal
from engine.status import ModelInfo
from engine.tuning import KernelProblem, PassSize, WidthCost

# The seconds of a pass with MLX's kernels.
MLX_S = 0.02
WIDTH = 8
# The kernels whose rows of a pass have the bits of single ones.
ALIKE = {"mlx", "ours"}


class TimedModel(nn.Module):  # type: ignore[misc]
    """A model without layers; `ours` says how many seconds the passes that use our kernel take, by their number."""

    def __init__(self, ours: Callable[[int], float]) -> None:
        self.ours, self.now, self.passes, self.in_use = ours, 0.0, 0, False

    def __call__(self, tokens: mx.array, **_: object) -> mx.array:
        if self.in_use:
            self.passes += 1
        self.now += self.ours(self.passes) if self.in_use else MLX_S
        return tokens

    def make_cache(self) -> list[object]:
        return []


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Callable[..., LoadedModel]:
    """Return a function that lets `choose_kernels` race one kernel of ours on a machine, and returns its model."""

    def run_on(machine: TimedModel, alike: Set[str] = ALIKE) -> LoadedModel:
        def passes(way: str, width: int) -> Iterator[mx.array]:
            return iter([mx.full((width, 1), width > 1 and way not in alike)] * (WIDTH // width))

        def comparisons(_main: LoadedModel, _free: int) -> Iterator[ComparedRows]:
            yield ComparedRows(0, "mlx", partial(passes, "mlx"))
            yield ComparedRows(0, "ours", partial(passes, "ours"))

        def use(model: TimedModel, sizes: Set[PassSize]) -> None:
            model.in_use = bool(sizes)

        monkeypatch.setattr(choice, "KERNELS", (RowKernel("ours", "", [WIDTH], comparisons, use),))
        monkeypatch.setattr(time, "perf_counter", lambda: machine.now)
        return LoadedModel(ModelInfo("main", Path(), "", 4096, 0), machine, None, 32, frozenset())

    return run_on


@pytest.fixture
def race(running: Callable[..., LoadedModel]) -> Callable[..., tuple[WidthCost, TimedModel]]:
    """Return a function that races a kernel of ours with MLX's, and returns its cost and the machine."""

    def run(ours: Callable[[int], float], alike: Set[str] = ALIKE) -> tuple[WidthCost, TimedModel]:
        machine = TimedModel(ours)
        steps = choose_kernels(running(machine, alike), 0)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                [cost] = end.value
                assert machine.in_use == cost.used
                return cost, machine
            # A request may be answered here.
            assert not machine.in_use

    return run


@pytest.mark.parametrize(
    ("seconds", "alike", "used"),
    [
        (0.9 * MLX_S, ALIKE, True),
        (0.99 * MLX_S, ALIKE, False),
        # So much is the rounding of single rows worth, where MLX's is another.
        (1.02 * MLX_S, {"ours"}, True),
        (1.04 * MLX_S, {"ours"}, False),
        (0.5 * MLX_S, {"mlx"}, False),
    ],
)
def test_a_kernel_is_used_where_whole_passes_are_faster_and_round_alike(
    seconds: float, alike: Set[str], used: bool, race: Callable[..., tuple[WidthCost, TimedModel]]
) -> None:
    cost, _ = race(lambda _: seconds, alike)
    assert (cost.used, cost.alike) == (used, used or "mlx" in alike)
    assert cost.mlx == pytest.approx(1.0)
    assert cost.ours == (pytest.approx(seconds / MLX_S) if "ours" in alike else None)


def test_what_counts_is_how_fast_a_kernel_is_once_the_machine_is_warm(
    race: Callable[..., tuple[WidthCost, TimedModel]],
) -> None:
    cost, machine = race(lambda number: MLX_S * (0.5 if number <= 10 else 1.5))
    assert not cost.used
    assert machine.passes * MLX_S > 1.0


def test_a_kernel_that_stalls_once_is_not_used_and_not_tried_again(
    race: Callable[..., tuple[WidthCost, TimedModel]],
) -> None:
    cost, machine = race(lambda number: 105.0 if number == 40 else 0.5 * MLX_S)
    assert (cost.used, cost.ours, machine.passes) == (False, None, 40)
    assert race(lambda number: 0.9 * STALLED * MLX_S if number == 40 else 0.5 * MLX_S)[0].used


@pytest.mark.parametrize(
    "error", [RuntimeError("[METAL] Caused GPU Timeout Error"), MemoryError(), KeyboardInterrupt()]
)
@pytest.mark.parametrize("passes", [1, 5])
def test_a_race_that_fails_leaves_mlx_s_kernels_in_use(
    error: BaseException, passes: int, running: Callable[..., LoadedModel]
) -> None:
    def fail(number: int) -> float:
        if number == passes:
            raise error
        return 0.5 * MLX_S

    machine = TimedModel(fail)
    with pytest.raises(type(error)):
        run_to_completion(choose_kernels(running(machine), 0))
    assert (machine.passes, machine.in_use) == (passes, False)


@pytest.mark.expects_log
def test_a_race_is_written_down_before_it_and_left_out_once_if_it_did_not_end(
    running: Callable[..., LoadedModel], tmp_path: Path
) -> None:
    learned, copy = tmp_path / "learned.json", tmp_path / "copy.json"

    def end_the_program(_: int) -> float:
        shutil.copy(learned, copy)
        return 0.5 * MLX_S

    first, second, third = (TimedModel(end_the_program) for _ in range(3))
    run_to_completion(choose_kernels(running(first), 0, RaceJournal(KeptJson(learned, {}))))
    assert "ours" in copy.read_text()
    assert "ours" not in learned.read_text()
    shutil.copy(copy, learned)
    races = RaceJournal(KeptJson(learned, {}))
    assert run_to_completion(choose_kernels(running(second), 0, races)) == ()
    assert races.problems == (KernelProblem("ours", "unfinished"),)
    races = RaceJournal(KeptJson(learned, {}))
    [cost] = run_to_completion(choose_kernels(running(third), 0, races))
    assert (cost.used, races.problems) == (True, ())
    assert [machine.in_use for machine in (first, second, third)] == [True, False, True]


REFUSED = ValueError("Thread group size (1024) is greater than the maximum allowed threads per threadgroup (896).")


class Launches(nn.Module):  # type: ignore[misc]
    """A model whose passes with our kernel raise `error` for the `refused` sizes; MLX's are slower."""

    def __init__(self, refused: Set[PassSize], error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refused, self.error, self.now = refused, error, 0.0
        self.in_use: Set[PassSize] = set()
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def __call__(self, tokens: mx.array, **_: object) -> mx.array:
        if self.in_use & self.refused:
            raise self.error
        self.now += MLX_S * (0.5 if self.in_use else 1.0)
        return tokens

    def raced(self, *, compared: bool) -> RowKernel:
        """Return a kernel for 2, 4 and 8 rows from 1 and 1,024 keys on, refused where rows are compared or later."""

        def passes(keys: int, width: int) -> Iterator[mx.array]:
            if compared and PassSize(width, keys) in self.refused:
                raise self.error
            return iter([mx.zeros((width, 1))] * (WIDTH // width))

        def comparisons(_main: LoadedModel, _free: int) -> Iterator[ComparedRows]:
            # Attention of two shapes.
            for keys in (1, 1, 1024, 1024):
                yield ComparedRows(keys, "ours", partial(passes, keys))

        def use(model: Launches, sizes: Set[PassSize]) -> None:
            model.in_use = sizes

        return RowKernel("ours", "", [2, 4, 8], comparisons, use, lambda *_: [])


@pytest.mark.expects_log
@pytest.mark.parametrize("compared", [True, False])
@pytest.mark.parametrize(
    "refused", [{PassSize(2, 1)}, {PassSize(4, 1024)}, {PassSize(rows, 1024) for rows in (2, 4, 8)}], ids=str
)
def test_only_the_sizes_that_metal_refuses_are_given_up(
    compared: bool, refused: Set[PassSize], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    model, races = Launches(refused, REFUSED, monkeypatch), RaceJournal()
    monkeypatch.setattr(choice, "KERNELS", (model.raced(compared=compared),))
    main = LoadedModel(ModelInfo("main", Path(), "", 4096, 0), model, None, 32, frozenset())
    costs = run_to_completion(choose_kernels(main, 0, races))
    every = {PassSize(rows, keys) for rows in (2, 4, 8) for keys in (1, 1024)}
    assert {PassSize(cost.rows, cost.keys) for cost in costs if cost.used} == model.in_use == every - refused
    assert {PassSize(cost.rows, cost.keys) for cost in costs if cost.ours is None} == refused
    assert races.problems == (KernelProblem("ours", "refused"),)
    [warning] = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "Thread group size (1024)" in warning
    assert not races.leaves_out("ours")


def test_without_metal_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    every = {PassSize(rows, keys) for rows in (2, 4, 8) for keys in (1, 1024)}
    model, races = Launches(every, RuntimeError("[metal_kernel] No Metal back-end."), monkeypatch), RaceJournal()
    monkeypatch.setattr(choice, "KERNELS", (model.raced(compared=True),))
    main = LoadedModel(ModelInfo("main", Path(), "", 4096, 0), model, None, 32, frozenset())
    assert run_to_completion(choose_kernels(main, 0, races)) == ()
    assert (races.problems, model.in_use) == ((), set())


@pytest.mark.parametrize(
    ("architecture", "confirmed", "used"),
    [
        ("applegpu_g13s", [], True),
        ("applegpu_g16p", [], True),
        ("applegpu_g17s", [], False),
        ("applegpu_g18d", ["applegpu_g17s"], False),
        ("applegpu_g17s", ["applegpu_g17s"], True),
    ],
)
def test_from_an_m5_on_only_confirmed_chips_use_our_kernels(
    architecture: str,
    confirmed: list[str],
    used: bool,
    race: Callable[..., tuple[WidthCost, TimedModel]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "confirmed_chips.json").write_text(str(confirmed).replace("'", '"'))
    monkeypatch.setattr(choice, "resources", lambda: tmp_path)
    monkeypatch.setattr(mx, "device_info", lambda: {"architecture": architecture})
    cost, machine = race(lambda _: 0.5 * MLX_S)
    assert (cost.used, machine.passes > 0) == (used, used)


@pytest.mark.parametrize("device", [mx.cpu, mx.gpu], ids=str)
def test_a_mac_that_computes_on_its_cpu_runs_none_of_our_kernels(
    device: mx.DeviceType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its MLX has Metal, and would run them on the GPU."""
    launched: list[str] = []
    monkeypatch.setattr(mx, "default_device", lambda: mx.Device(device))
    monkeypatch.setattr(mx, "device_info", lambda: {"architecture": "arm64" if device == mx.cpu else "applegpu_g13s"})
    monkeypatch.setattr(mx.fast, "metal_kernel", lambda name, *_: lambda **_: launched.append(name) or [mx.zeros(1)])
    row_kernel.cache_clear()
    queries, keys = mx.zeros((1, 4, 3, 64), mx.bfloat16), mx.zeros((1, 2, 8, 64), mx.bfloat16)
    product = partial(our_product, nn.QuantizedLinear(256, 8, False, 32, 4), mx.zeros((3, 256)))
    calls = (partial(attention_of_rows, queries, keys, keys, scale=1.0), product)
    for call in calls:
        with pytest.raises(RuntimeError, match="the CPU") if device == mx.cpu else nullcontext():
            call()
    row_kernel.cache_clear()
    assert bool(launched) == (device == mx.gpu)
