"""Something is done only where it was measured to be faster."""

from __future__ import annotations

import json
import random

import pytest

from engine.speculation.paired_gate import FIRST_HOLD, PAIRS, STRETCH, Gates, PairedGate


def run(gate: PairedGate, gain: float, rounds: int, noise: float = 0.0, drift: float = 0.0) -> list[bool]:
    """Whether it was done in each of `rounds` rounds, which it makes `gain` times as fast."""
    draw, done = random.Random(3), []
    for number in range(rounds):
        done.append(gate.open)
        seconds = (1.0 + drift * number) * draw.lognormvariate(0.0, noise) / (gain if gate.open else 1.0)
        gate.observe(seconds, 1.0)
    return done


@pytest.mark.parametrize(("gain", "worthwhile"), [(1.1, True), (1.0, False), (0.9, False)])
def test_it_is_done_where_it_is_faster(gain: float, worthwhile: bool) -> None:
    gate = PairedGate()
    run(gate, gain, 2 * PAIRS * STRETCH, noise=0.03)
    assert gate.settled
    assert gate.open is worthwhile


def test_what_is_slower_is_given_up_after_half_the_pairs() -> None:
    gate = PairedGate()
    done = run(gate, 0.9, PAIRS * STRETCH)
    assert gate.settled
    assert sum(done) == PAIRS * STRETCH // 2


def test_what_is_far_slower_is_given_up_after_one_pair() -> None:
    gate = PairedGate()
    done = run(gate, 0.7, PAIRS * STRETCH, noise=0.03)
    assert gate.settled
    assert sum(done) == STRETCH


@pytest.mark.parametrize("night", [STRETCH // 2, STRETCH, 3 * STRETCH + 1])
def test_a_night_in_the_middle_of_a_round_decides_nothing(night: int) -> None:
    gate = PairedGate()
    for number in range(2 * PAIRS * STRETCH + 1):
        gate.observe(8 * 3600.0 if number == night else 1.0 / 1.1 if gate.open else 1.0, 1.0)
    assert gate.settled
    assert gate.open


def test_a_machine_that_gets_slower_decides_nothing() -> None:
    gate = PairedGate()
    run(gate, 1.0, 2 * PAIRS * STRETCH, drift=0.01)
    assert gate.settled
    assert not gate.open


def test_it_is_tried_again_rarely() -> None:
    gate = PairedGate()
    run(gate, 0.9, 200)
    assert not gate.open
    done = run(gate, 1.2, FIRST_HOLD)
    assert gate.open
    assert sum(done) < FIRST_HOLD // 4


def test_what_was_found_out_is_kept() -> None:
    gates, loaded = Gates(), Gates()
    run(gates.ahead, 0.9, 200)
    loaded.load(json.loads(json.dumps(gates.export())))
    assert (loaded.ahead.open, loaded.ahead.settled) == (False, True)


@pytest.mark.parametrize("data", [[1, 5, 1024], [True, 5], [True, 10**9, 1024], "open", None])
def test_other_data_is_refused(data: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        Gates().load({"ahead": data})
