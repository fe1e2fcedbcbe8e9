"""Figures kept between runs lead to the same choices; hostile files do no harm; each pair has its controller."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert, to_builtins

from engine.requests import MAX_DEPTH
from engine.speculation.choosing import kept as kept_module
from engine.speculation.choosing.choice import Offer
from engine.speculation.choosing.controller import Controller, ControllerState
from engine.speculation.choosing.kept import Controllers
from engine.tuning import KeyRange, PairNames, Rounding
from tests.engine.speculation.choosing.scenes import measure, plain_round, play
from tests.engine.speculation.simulation import World, constant, controlled, stepped
from tests.engine.tiers import by_tier

ALONE, PAIR, OTHER = (("main, 9 bytes", draft) for draft in ("", "draft, 2 bytes", "head, 1 bytes"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "learned.json"


def controllers_of(
    pair: PairNames, path: Path | None = None, *, machine: str = "M4", mlx: str = "0.32.4"
) -> Controllers:
    controllers = Controllers(path, machine, mlx)
    controllers.pair = pair
    return controllers


def keep(path: Path, pair: PairNames, controller: Controller) -> None:
    controllers = controllers_of(pair, path)
    controllers.use(controller)
    controllers.unsaved = True
    controllers.keep()


def restored(data: object) -> Controller:
    return Controller(convert(data, ControllerState, str_keys=True))


def is_known(path: Path, pair: PairNames, **elsewhere: str) -> bool:
    return pair in [known.pair for known in controllers_of(pair, path, **elsewhere).learned()]


def trained(world: World = World(stepped, constant(0.8))) -> Controller:  # noqa: B008
    """Return a controller that has learned from several answers, a grammar, lookup and measured speed-ups."""
    controller = Controller()
    for seed in range(3):
        controlled(world, 300, seed, controller)
    play(controller, controller.begin(constrained=True), 30, lambda number: number % 3)
    answers = [controller.begin() for _ in range(2)]
    for _ in range(4):
        plain_round(controller, answers[0], 0.03, answers=2)
    play(controller, answers[0], 20, lambda number: number % 5, limits={"draft": 8, "ngram": 4})
    speedup = controller.speedup
    speedup.begin(0)
    for number in range(30):
        speculative = number % 10 < 7
        speedup.observe("draft" if speculative else None, 1 + 4 * speculative, 1 + speculative, 0.02, typical=True)
    speedup.end()
    return controller


@pytest.fixture(scope="module")
def learned() -> dict[str, Any]:
    """The exported figures of a trained controller, as in the file."""
    data: dict[str, Any] = json.loads(json.dumps(to_builtins(trained().learned, str_keys=True)))
    return data


@pytest.fixture
def kept(path: Path) -> Controller:
    controller = trained()
    keep(path, PAIR, controller)
    return controller


def test_what_was_saved_stays_as_it_was_whatever_is_learned_later(path: Path) -> None:
    controllers = controllers_of(PAIR, path)
    learn(controllers)
    controllers.keep()
    before = json.loads(path.read_bytes())
    answer = controllers.current.begin()
    play(controllers.current, answer, 20, lambda number: number % 4, limits={"draft": 8, "ngram": 4})
    controllers.pair = OTHER
    learn(controllers)
    controllers.keep()
    assert json.loads(path.read_bytes())["values"]["\n".join(PAIR)] == before["values"]["\n".join(PAIR)]
    assert is_known(path, PAIR)


@pytest.mark.full
def test_the_next_run_chooses_as_this_one_would_have(path: Path, kept: Controller) -> None:
    later = controllers_of(PAIR, path).current
    known = Controller(deepcopy(kept.learned))
    draw = random.Random(4)
    answers = [controller.begin() for controller in (known, later)]
    for _ in range(60):
        limits = {"draft": draw.choice((0, 4, 8)), "ngram": draw.choice((0, 2))}
        right = draw.randrange(9)
        chosen = [
            play(controller, answer, 1, lambda _, right=right: right, limits=limits)  # type: ignore[misc]
            for controller, answer in zip((known, later), answers, strict=True)
        ]
        assert chosen[0] == chosen[1]


@pytest.mark.parametrize(
    ("pair", "elsewhere"),
    [(ALONE, {}), (OTHER, {}), (("other", PAIR[1]), {}), (PAIR, {"machine": "M1"}), (PAIR, {"mlx": "0.33.0"})],
)
def test_another_pair_machine_or_mlx_starts_afresh(path: Path, pair: PairNames, elsewhere: dict[str, str]) -> None:
    keep(path, PAIR, Controller())
    assert is_known(path, PAIR)
    assert not is_known(path, pair, **elsewhere)


HOSTILE: tuple[object, ...] = (
    *(None, True, "x", "", -1, 0, 1e308, -1e308, 10**400, 0.5, [], {}, [[]], [1] * 3000, {"x": 1}, "draft:x"),
    *(float("nan"), float("inf"), -float("inf")),
)


def places(data: Any, found: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Generate the path of every value in `data`; in lists, of the first and the last."""
    yield found
    if isinstance(data, dict):
        for name, value in data.items():
            yield from places(value, (*found, name))
    elif isinstance(data, list):
        for index in sorted({0, len(data) - 1} & {*range(len(data))}):
            yield from places(data[index], (*found, index))


def with_value(data: dict[str, Any], place: tuple[str | int, ...], value: object) -> Any:
    """Return a copy of `data` with `value` at `place`."""
    if not place:
        return value
    changed = deepcopy(data)
    inside: Any = changed
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    return changed


def use(controller: Controller) -> None:
    """Use a restored controller in every way that the engine does."""
    for constrained in (False, True):
        answer = controller.begin(constrained=constrained)
        play(controller, answer, 12, lambda number: number % 4, limits={"draft": 8, "ngram": 4})
    answers = [controller.begin() for _ in range(2)]
    for _ in range(3):
        controller.choose([(answer, Offer({"draft": 4, "ngram": 4})) for answer in answers])
        plain_round(controller, answers[0], answers=2)
    controller.speedup.begin(0)
    for number in range(12):
        controller.speedup.observe("draft" if number % 4 else None, 5 if number % 4 else 1, 2, 0.02, typical=True)
        controller.speedup.measured()
    controller.begin_sample_if_due(0.02)
    controller.speedup.end()
    restored(json.loads(json.dumps(to_builtins(controller.learned, str_keys=True))))


@pytest.mark.parametrize("every", by_tier([7, 1], [7]))
def test_no_value_anywhere_in_a_file_ends_or_holds_up_an_answer(learned: dict[str, Any], every: int) -> None:
    """Either `Controllers` would refuse the value, or the controller works with it."""
    tried = refused = 0
    for place, value in islice(product(places(learned), HOSTILE), 0, None, every):
        tried += 1
        try:
            controller = restored(with_value(learned, place, value))
        except ValueError:
            refused += 1
            continue
        try:
            use(controller)
        except Exception as error:
            raise AssertionError(f"{value!r:.40} at {place}") from error
    assert refused > tried / 2


CURVES = ("free", "costs", "curves")
FIGURE = {"mean": -4.0, "variance": 0.01, "rounds": 3}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (CURVES, {"draft:stranger": {"4": FIGURE}, "pass": {"1": FIGURE}}),
        (CURVES, {"pass": {}}),
        (CURVES, {"draft:draft": {"4": FIGURE}}),
        (CURVES, {"pass": {"0": FIGURE}}),
        (CURVES, {"pass": {"1": FIGURE | {"mean": 300.0}}}),
        (CURVES, {"pass": {"1": FIGURE | {"variance": 1e12}}}),
        (CURVES, {"pass": {str(row): FIGURE for row in range(1, 40_000)}}),
        (CURVES, {f"draft:draft x {count}": {"1": FIGURE} for count in range(2, 40_000)}),
        (("free", "texts", "counts", "draft"), [[{"reached": 1.0, "accepted": 2.0}] * MAX_DEPTH] * 3),
        (("free", "texts", "usual", "shares"), [0.0] * 9),
    ],
    ids=[
        *("unknown curve", "no figures", "no passes", "no rows", "years", "no idea", "many rows", "many curves"),
        *("more than all", "no state"),
    ],
)
@pytest.mark.expects_log
def test_figures_that_cannot_be_are_set_aside(
    path: Path, place: tuple[str, ...], value: object, learned: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """There is one warning and no controller, and the file accepts new figures."""
    stamp = {"format": kept_module.FORMAT, "machine": "M4", "mlx": "0.32.4"}
    path.parent.mkdir()
    path.write_text(json.dumps({**stamp, "values": {"\n".join(PAIR): with_value(learned, place, value)}}))
    controllers = controllers_of(PAIR, path)
    for _ in range(2):
        assert controllers.learned() == ()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    keep(path, PAIR, Controller())
    assert is_known(path, PAIR)


def learn(controllers: Controllers) -> None:
    """Learn the costs of rounds for the pair in use."""
    measure(controllers.current.begin().costs)
    controllers.unsaved = True


def test_what_passes_should_cost_follows_the_main_model_and_not_the_file(path: Path) -> None:
    earlier = controllers_of(ALONE, path)
    earlier.guess = {1: 1.0, 16: 6.0}
    learn(earlier)
    earlier.keep()
    later = controllers_of(ALONE, path)
    later.guess = {1: 1.0, 9: 2.0, 16: 3.0}
    for constrained in (False, True):
        costs = later.current.begin(constrained=constrained).costs
        if constrained:
            measure(costs)
        assert costs.verify(16).seconds == pytest.approx(1.5 * costs.verify(9).seconds)


def test_another_macos_starts_afresh_because_it_brings_another_compiler(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Python that was built before macOS 26 is told that all of them are 16.0, so their builds count too."""
    machines = []
    for macos, build in (("", b""), ("26.1", b""), ("26.2", b""), ("16.0", b"25B78\0"), ("16.0", b"25C56\0")):
        monkeypatch.setattr("platform.mac_ver", lambda macos=macos: (macos, ("", "", ""), "arm64"))
        monkeypatch.setattr(kept_module, "kernel_value", {"kern.osversion": build}.get)
        machines.append(kept_module.machine_here())
    assert len({*machines}) == len(machines)
    assert "macOS" not in machines[0]
    assert machines[-1].endswith("macOS 16.0 25C56")
    controllers = controllers_of(PAIR, path, machine=machines[-2])
    controllers.rounding = Rounding((KeyRange(1117, 17),))
    controllers.keep_rounding()
    assert controllers_of(PAIR, path, machine=machines[-2]).rounding is not None
    assert controllers_of(PAIR, path, machine=machines[-1]).rounding is None


def test_nothing_is_saved_that_was_not_learned(path: Path) -> None:
    controllers_of(PAIR, path).keep()
    assert not path.exists()


@pytest.mark.parametrize("calibrated", [False, True])
def test_a_pair_is_calibrated_once_if_there_is_a_file_that_says_so(path: Path, *, calibrated: bool) -> None:
    assert not controllers_of(PAIR).untuned
    earlier = controllers_of(PAIR, path)
    assert earlier.untuned
    learn(earlier)
    earlier.current.learned.calibrated = calibrated
    earlier.keep()
    assert not earlier.unsaved
    later = controllers_of(PAIR, path)
    assert earlier.untuned is later.untuned is not calibrated
    assert later.current.learned == earlier.current.learned


def test_learned_pairs_are_those_of_the_file_and_of_this_run(path: Path) -> None:
    earlier = controllers_of(ALONE, path)
    learn(earlier)
    earlier.keep()
    without_file = controllers_of(PAIR)
    learn(without_file)
    assert [(known.pair, known.main, known.loaded) for known in without_file.learned()] == [(PAIR, "main", True)]
    both = controllers_of(PAIR, path)
    learn(both)
    assert [(known.pair, known.loaded) for known in both.learned()] == [(ALONE, False), (PAIR, True)]


def test_forgetting_leaves_nothing_of_any_pair(path: Path) -> None:
    controllers = controllers_of(ALONE, path)
    for pair in (ALONE, PAIR):
        controllers.pair = pair
        learn(controllers)
        controllers.keep()
    controllers.forget()
    assert not is_known(path, ALONE)
    assert not is_known(path, PAIR)
    assert controllers.learned() == ()


def timed(controllers: Controllers, *, plain_s: float, wide_s: float) -> None:
    """Let plain rounds and rounds of four draft tokens take these seconds."""
    costs = controllers.current.begin().costs
    for _ in range(40):
        costs.observe(1, plain_s)
        costs.observe(5, wide_s)
    controllers.unsaved = True


def cost(controllers: Controllers, rows: int) -> float:
    """Return a pass's cost in plain steps, as far as it is known."""
    costs = controllers.current.costs
    return costs.verify(rows).seconds / costs.verify(1).seconds


def test_costs_follow_a_machine_that_is_slowed_down_and_back(path: Path) -> None:
    controllers = controllers_of(PAIR, path)
    timed(controllers, plain_s=0.02, wide_s=0.03)
    comparisons = controllers.current.learned.comparisons
    comparisons.costs = {"draft": {5: (0.4, 0.01)}}
    controllers.current.set_slowdown("low-power")
    assert comparisons.costs == {}
    timed(controllers, plain_s=0.05, wide_s=0.15)
    assert cost(controllers, 5) == pytest.approx(3.0, rel=0.1)
    controllers.keep()
    later = controllers_of(PAIR, path)
    later.current.set_slowdown("low-power")
    assert cost(later, 5) == pytest.approx(3.0, rel=0.1)
    later.current.set_slowdown("")
    timed(later, plain_s=0.02, wide_s=0.03)
    assert cost(later, 5) == pytest.approx(1.5, rel=0.1)


def test_rounding_is_kept_for_a_main_model_with_its_caches_and_survives_clearing_one_pair(path: Path) -> None:
    controllers = controllers_of(PAIR, path)
    assert controllers.rounding is None
    found = Rounding((KeyRange(1117, 12),))
    controllers.rounding = found
    controllers.keep_rounding()
    keep(path, PAIR, Controller())

    again = controllers_of(OTHER, path)
    assert again.rounding == found
    # Caches of another precision are computed by other kernels.
    again.kv_bits = 8
    assert again.rounding is None
    again.kv_bits = None
    again.forget()
    assert controllers_of(PAIR, path).rounding is None


@pytest.mark.parametrize(
    "hostile",
    [
        [],
        {"ranges": []},
        {"ranges": [{"keys": 64, "rows": 0}]},
        # Of a former version, whose plain rounds could have two rows.
        {"ranges": [{"keys": 1117, "plain_rows": 2, "most_rows": 12}], "difference": 0.1},
    ],
)
def test_hostile_rounding_is_measured_again(path: Path, hostile: Any, caplog: pytest.LogCaptureFixture) -> None:
    controllers = controllers_of(PAIR, path)
    controllers.rounding = Rounding((KeyRange(1117, 17),))
    controllers.keep_rounding()
    content = json.loads(path.read_text())
    content["values"] = dict.fromkeys(content["values"], hostile)
    path.write_text(json.dumps(content))
    assert controllers_of(PAIR, path).rounding is None
    caplog.clear()
