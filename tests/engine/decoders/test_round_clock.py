"""What each round of an answer is charged with, and its intervals, on a clock that is set by hand."""

from __future__ import annotations

import time

import pytest

from engine.decoders.round_clock import BatchClock, RoundClock, RoundSeconds
from engine.speculation.choosing.pauses import Pauses
from engine.stats import RequestLog, RequestStats

NIGHT_S = 8 * 3600.0


class HandClock:
    """Replaces `time.perf_counter`."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    hand = HandClock()
    monkeypatch.setattr(time, "perf_counter", hand)
    return hand


@pytest.fixture
def log(hand: HandClock) -> RequestLog:
    return RequestLog(hand.now, RequestStats(prompt_tokens=1))


@pytest.fixture
def clock(hand: HandClock, log: RequestLog) -> RoundClock:
    """Return the clock of an answer whose prompt was read for five seconds, and whose first round took one."""
    clock = RoundClock(log)
    hand.wait(5.0)
    clock.begin(Pauses())
    play(clock, hand, verify_s=1.0)
    clock.take_interval()
    return clock


def play(clock: RoundClock, hand: HandClock, *, draft_s: float = 0.0, verify_s: float) -> RoundSeconds:
    """Start a round, read it, and charge it."""
    clock.start()
    hand.wait(draft_s + verify_s)
    clock.read()
    clock.skip_pause()
    return clock.charge(draft_s)


def test_the_prompt_is_charged_to_no_round(hand: HandClock, log: RequestLog) -> None:
    clock = RoundClock(log)
    hand.wait(5.0)
    clock.begin(Pauses())
    assert play(clock, hand, verify_s=1.0) == (0.0, 1.0, 0.0)


def test_a_round_is_charged_with_all_since_the_round_before_was_read(clock: RoundClock, hand: HandClock) -> None:
    hand.wait(0.5)
    with clock.catch_up():
        hand.wait(0.25)
    hand.wait(0.125)
    assert play(clock, hand, draft_s=2.0, verify_s=4.0) == (2.25, 4.0, 0.625)
    # The next one has waited and caught up anew.
    assert play(clock, hand, draft_s=2.0, verify_s=4.0) == (2.0, 4.0, 0.0)


def test_a_round_that_was_started_early_has_waited_for_nothing(clock: RoundClock, hand: HandClock) -> None:
    """It has run since the round before was read, also while the host worked."""
    hand.wait(0.5)
    hand.wait(1.0)
    clock.read()
    assert clock.charge(0.0) == (0.0, 1.5, 0.0)


def test_an_interval_lasts_until_the_event_of_the_round_is_delivered(clock: RoundClock, hand: HandClock) -> None:
    hand.wait(0.5)
    play(clock, hand, draft_s=2.0, verify_s=4.0)
    hand.wait(0.25)
    assert clock.take_interval() == 6.75
    play(clock, hand, verify_s=4.0)
    assert clock.take_interval() == 4.0


def test_the_interval_of_the_last_round_ends_where_it_is_read(clock: RoundClock, hand: HandClock) -> None:
    hand.wait(0.5)
    play(clock, hand, verify_s=4.0)
    hand.wait(0.25)
    assert clock.last_interval == 4.5


def test_an_interval_after_a_round_that_taught_nothing_begins_where_that_was_read(
    clock: RoundClock, hand: HandClock
) -> None:
    play(clock, hand, verify_s=4.0)
    hand.wait(0.25)
    clock.drop_interval()
    play(clock, hand, verify_s=4.0)
    assert clock.take_interval() == 4.25


def test_other_work_between_two_rounds_is_charged_to_none_and_leaves_no_interval(
    clock: RoundClock, hand: HandClock
) -> None:
    clock.interrupt()
    hand.wait(30.0)
    clock.resume()
    hand.wait(0.5)
    assert play(clock, hand, verify_s=4.0) == (0.0, 4.0, 0.5)
    assert clock.last_interval is None
    assert clock.take_interval() is None
    # The next round is one again.
    clock.resume()
    assert play(clock, hand, verify_s=4.0) == (0.0, 4.0, 0.0)
    assert clock.take_interval() == 4.0


def test_other_work_between_two_pieces_of_catch_up_does_not_undo_the_first(clock: RoundClock, hand: HandClock) -> None:
    with clock.catch_up():
        hand.wait(0.25)
    clock.interrupt()
    hand.wait(30.0)
    clock.resume()
    with clock.catch_up():
        hand.wait(0.25)
    assert play(clock, hand, verify_s=4.0) == (0.5, 4.0, 0.0)


@pytest.mark.parametrize(("waiting_s", "running_s"), [(0.0, NIGHT_S), (NIGHT_S, 0.0)], ids=["running", "waiting"])
def test_a_night_in_a_round_is_in_no_figure(
    clock: RoundClock, hand: HandClock, log: RequestLog, waiting_s: float, running_s: float
) -> None:
    started = log.started
    hand.wait(0.5 + waiting_s)
    clock.start()
    hand.wait(1.0 + running_s)
    clock.read()
    assert clock.skip_pause()
    seconds = clock.charge(0.0)
    # What is left is as long as usual.
    assert seconds.draft_s == 0.0
    assert seconds.verify_s + seconds.host_s == pytest.approx(1.0)
    assert log.started - started == pytest.approx(NIGHT_S + 0.5)
    assert clock.take_interval() is None
    assert play(clock, hand, verify_s=1.0) == (0.0, 1.0, 0.0)
    assert clock.take_interval() == 1.0


def test_a_night_in_catch_up_is_in_no_figure(clock: RoundClock, hand: HandClock, log: RequestLog) -> None:
    started = log.started
    with clock.catch_up():
        hand.wait(0.25 + NIGHT_S)
    seconds = play(clock, hand, verify_s=1.0)
    assert seconds == pytest.approx((1.0, 1.0, 0.0))
    assert log.started - started == pytest.approx(NIGHT_S - 0.75)
    assert clock.take_interval() is None


def test_a_round_as_long_as_usual_is_no_pause(clock: RoundClock, hand: HandClock) -> None:
    clock.start()
    hand.wait(1.5)
    clock.read()
    assert not clock.skip_pause()
    assert clock.charge(0.5) == (0.5, 1.0, 0.0)
    assert clock.take_interval() == 1.5


def test_what_one_decoder_left_is_not_charged_by_the_next(clock: RoundClock, hand: HandClock) -> None:
    with clock.catch_up():
        hand.wait(0.25)
    hand.wait(0.5)
    clock.start()
    hand.wait(3.0)
    clock.begin(Pauses())
    hand.wait(1.0)
    clock.read()
    assert clock.charge(0.0) == (0.0, 1.0, 0.0)


def test_the_prompt_is_charged_to_no_shared_round(hand: HandClock, log: RequestLog) -> None:
    clock = RoundClock(log)
    hand.wait(5.0)
    clock.begin(Pauses())
    hand.wait(1.0)
    clock.read_shared(hand.now)
    assert clock.charge(0.0) == (0.0, 1.0, 0.0)


def test_a_shared_round_is_charged_with_all_since_the_round_before_was_read(clock: RoundClock, hand: HandClock) -> None:
    for _ in range(2):
        hand.wait(0.5)
        hand.wait(2.5)
        clock.read_shared(hand.now)
        assert clock.busy_s == 3.0
        assert clock.charge(1.0) == (1.0, 2.0, 0.0)


def test_a_pause_in_a_shared_round_is_in_no_figure(clock: RoundClock, hand: HandClock) -> None:
    hand.wait(3.0 + NIGHT_S)
    clock.skip_shared(NIGHT_S)
    clock.read_shared(hand.now)
    assert clock.charge(0.0) == pytest.approx((0.0, 3.0, 0.0))
    assert clock.interrupted


@pytest.fixture
def batch() -> BatchClock:
    return BatchClock(Pauses())


def share(batch: BatchClock, hand: HandClock, clocks: list[RoundClock], seconds: float) -> float | None:
    """Start a round of several answers, read it, and return its interval."""
    started_at = hand.now
    hand.wait(seconds)
    batch.read(started_at)
    batch.skip_pause(clocks)
    return batch.take_interval(clocks)


def test_intervals_of_a_batch_follow_each_other_while_its_members_stay(
    batch: BatchClock, clock: RoundClock, hand: HandClock
) -> None:
    assert share(batch, hand, [clock], 2.0) is None
    hand.wait(0.5)
    assert share(batch, hand, [clock], 2.0) == 2.5
    batch.restart()
    assert share(batch, hand, [clock], 2.0) is None
    assert share(batch, hand, [clock], 2.0) == 2.0


def test_work_for_one_member_leaves_no_interval_of_the_batch(
    batch: BatchClock, clock: RoundClock, log: RequestLog, hand: HandClock
) -> None:
    clocks = [clock, RoundClock(log)]
    share(batch, hand, clocks, 2.0)
    clocks[1].interrupt()
    hand.wait(30.0)
    assert share(batch, hand, clocks, 2.0) is None
    assert share(batch, hand, clocks, 2.0) == 2.0


def test_a_night_in_a_round_of_a_batch_is_charged_to_no_member(
    batch: BatchClock, clock: RoundClock, hand: HandClock
) -> None:
    share(batch, hand, [clock], 2.0)
    clock.read_shared(batch.read_at)
    clock.charge(0.0)
    assert share(batch, hand, [clock], 2.0 + NIGHT_S) is None
    clock.read_shared(batch.read_at)
    assert clock.charge(0.0) == pytest.approx((0.0, 2.0, 0.0))
    assert share(batch, hand, [clock], 2.0) == 2.0
