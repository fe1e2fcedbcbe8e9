"""Pieces of a prompt cost about as much as a few decode steps, whatever the machine."""

from __future__ import annotations

import pytest

from engine import pacing
from engine.pacing import SMALLEST_CHUNK, PrefillPacer


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(pacing.time, "perf_counter", lambda: now[0])
    return now


def paced(clock: list[float], *, step_s: float, token_s: float) -> PrefillPacer:
    pace = PrefillPacer()
    with pace.time_decode_step():
        clock[0] += step_s
    with pace.time_prefill(100):
        clock[0] += 100 * token_s
    return pace


@pytest.mark.parametrize(
    ("step_s", "token_s", "piece"), [(0.030, 0.001, 64), (0.030, 0.0001, 512), (0.030, 0.01, 32), (0.050, 0.0005, 256)]
)
def test_a_piece_takes_three_steps_at_most(clock: list[float], step_s: float, token_s: float, piece: int) -> None:
    assert paced(clock, step_s=step_s, token_s=token_s).chunk_size(streaming=True) == piece
    assert piece == SMALLEST_CHUNK or piece * token_s <= 3 * step_s


def test_without_running_answers_a_chunk_is_as_large_as_it_can_be(clock: list[float]) -> None:
    assert paced(clock, step_s=0.01, token_s=0.01).chunk_size(streaming=False) == 512


def test_before_anything_was_timed_a_piece_is_small() -> None:
    assert PrefillPacer().chunk_size(streaming=True) == 2 * SMALLEST_CHUNK
