"""Pieces of a prompt cost about as much as a few decode steps, whatever the machine."""

from __future__ import annotations

import pytest

from engine import pacing
from engine.pacing import ALONE_S, FIRST_ALONE, FIRST_BESIDE, SMALLEST_ALONE, SMALLEST_CHUNK, TOGETHER_S, PrefillPacer


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(pacing.time, "perf_counter", lambda: now[0])
    return now


def paced(clock: list[float], *, step_s: float, token_s: float) -> PrefillPacer:
    pace = PrefillPacer()
    pace.decode_step_took(step_s)
    with pace.time_prefill(100):
        clock[0] += 100 * token_s
    return pace


@pytest.mark.parametrize(
    ("step_s", "token_s", "piece"), [(0.030, 0.001, 64), (0.030, 0.0001, 512), (0.030, 0.01, 32), (0.050, 0.0005, 256)]
)
def test_a_piece_takes_three_steps_at_most(clock: list[float], step_s: float, token_s: float, piece: int) -> None:
    assert paced(clock, step_s=step_s, token_s=token_s).chunk_size(streaming=True) == piece
    assert piece == SMALLEST_CHUNK or piece * token_s <= 3 * step_s


@pytest.mark.parametrize(("token_s", "chunk"), [(0.01, 128), (0.001, 128), (0.0005, 256), (0.0002, 1024), (1e-6, 2048)])
def test_without_running_answers_a_chunk_is_read_in_a_quarter_of_a_second(
    clock: list[float], token_s: float, chunk: int
) -> None:
    assert paced(clock, step_s=0.01, token_s=token_s).chunk_size(streaming=False) == chunk
    assert chunk == SMALLEST_ALONE or chunk * token_s <= ALONE_S


def test_chunks_become_smaller_as_the_text_before_them_slows_reading_down(clock: list[float]) -> None:
    pace = paced(clock, step_s=0.01, token_s=0.0001)
    sizes = []
    for _ in range(12):
        sizes.append(chunk := pace.chunk_size(streaming=False))
        with pace.time_prefill(chunk):
            clock[0] += chunk * 0.0004
    assert sizes[0] == 2048
    assert sizes[-1] == 512
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(("token_s", "parts"), [(0.001, 1), (0.0025, 2), (0.006, 4)])
def test_a_chunk_that_takes_longer_is_evaluated_in_parts(clock: list[float], token_s: float, parts: int) -> None:
    assert PrefillPacer().parts(FIRST_ALONE) == 1
    assert paced(clock, step_s=0.01, token_s=token_s).parts(SMALLEST_ALONE) == parts
    assert SMALLEST_ALONE * token_s / parts <= ALONE_S


def test_before_anything_was_timed_a_piece_is_small() -> None:
    assert PrefillPacer().chunk_size(streaming=True) == FIRST_BESIDE
    assert PrefillPacer().chunk_size(streaming=False) == FIRST_ALONE


def test_prompts_start_together_that_are_read_in_half_a_second(clock: list[float]) -> None:
    pace = paced(clock, step_s=0.01, token_s=0.001)
    assert pace.starts_together(int(TOGETHER_S / 0.001) - 1)
    assert not pace.starts_together(int(TOGETHER_S / 0.001) + 1)
    assert PrefillPacer().starts_together(FIRST_ALONE)
    assert not PrefillPacer().starts_together(FIRST_ALONE + 1)
