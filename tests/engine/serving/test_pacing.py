"""The part of a prompt that is read at a time takes about as long as a few decode steps, on any machine."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine.serving.pacing import (
    ALONE_S,
    CHUNK_S,
    FIRST_ALONE,
    PART_S,
    SMALLEST_ALONE,
    SMALLEST_CHUNK,
    TOGETHER_S,
    PassParts,
    PrefillPacer,
)

# Maps a layer, the tokens of a chunk, and the tokens before it to the seconds of evaluating the layer's cache.
LayerS = Callable[[int, int, int], float]


def paced(*, step_s: float, token_s: float, layers: int = 0) -> PrefillPacer:
    """Return a pacer that has timed a decode step, and a pass in which each of `layers` took the same time."""
    pace = PrefillPacer()
    pace.decode_step_took(step_s)
    if layers:
        read_chunk(pace, 100, 0, layers, attention(token_s, 10**9, layers))
    else:
        pace.took(100, 100 * token_s)
    return pace


def read_chunk(
    pace: PrefillPacer, tokens: int, context: int, layers: int, layer_s: LayerS, *, streaming: bool = False
) -> list[float]:
    """Read a chunk on a simulated machine and return the seconds of each part."""
    parts, done, waits = PassParts(pace, tokens), 0, []
    while done < layers:
        until = parts.until(layers, pace.part_s(streaming=streaming))
        assert done < until <= layers
        waits.append(sum(layer_s(layer, tokens, context) for layer in range(done, until)))
        parts.took(until, layers, waits[-1])
        done = until
    return waits


def read(pace: PrefillPacer, length: int, layers: int, layer_s: LayerS) -> tuple[list[int], list[float]]:
    """Read a prompt and return its chunks and the seconds of all parts."""
    chunks: list[int] = []
    waits: list[float] = []
    while (context := sum(chunks)) < length:
        chunks.append(min(length - context, pace.chunk_size(streaming=False, in_parts=True)))
        waits += read_chunk(pace, chunks[-1], context, layers, layer_s)
    return chunks, waits


def attention(token_s: float, doubled_at: int, layers: int) -> LayerS:
    """Return a machine that takes `token_s` for a token, and twice that after `doubled_at` tokens.

    The first layer takes no time.
    """
    return lambda layer, tokens, context: (
        0.0 if layer == 0 else tokens * token_s * (1 + (context + tokens / 2) / doubled_at) / (layers - 1)
    )


@pytest.mark.parametrize(
    ("step_s", "token_s", "piece"), [(0.030, 0.001, 64), (0.030, 0.0001, 512), (0.030, 0.01, 32), (0.050, 0.0005, 256)]
)
def test_a_piece_takes_three_steps_at_most(step_s: float, token_s: float, piece: int) -> None:
    assert paced(step_s=step_s, token_s=token_s).chunk_size(streaming=True) == piece
    assert piece == SMALLEST_CHUNK or piece * token_s <= 3 * step_s


@pytest.mark.parametrize(("token_s", "chunk"), [(0.01, 128), (0.001, 128), (0.0005, 256), (0.0002, 1024), (1e-6, 2048)])
def test_without_running_answers_a_chunk_is_read_in_a_quarter_of_a_second(token_s: float, chunk: int) -> None:
    assert paced(step_s=0.01, token_s=token_s).chunk_size(streaming=False) == chunk
    assert chunk == SMALLEST_ALONE or chunk * token_s <= ALONE_S


@pytest.mark.parametrize(("token_s", "chunk"), [(0.02, 128), (0.001, 512), (0.0004, 2048)])
def test_in_parts_a_chunk_is_read_in_a_second(token_s: float, chunk: int) -> None:
    assert paced(step_s=0.01, token_s=token_s).chunk_size(streaming=False, in_parts=True) <= chunk
    pace = paced(step_s=0.01, token_s=token_s, layers=33)
    assert pace.chunk_size(streaming=False, in_parts=True) == chunk
    assert chunk == SMALLEST_ALONE or chunk * token_s <= CHUNK_S


def test_beside_answers_layers_take_three_steps_at_most() -> None:
    assert paced(step_s=0.02, token_s=0.002).chunk_size(streaming=True, in_parts=True) == SMALLEST_CHUNK
    pace = paced(step_s=0.02, token_s=0.002, layers=33)
    assert pace.chunk_size(streaming=True, in_parts=True) == 256
    steady = attention(0.002, 10**9, 33)
    assert len(read_chunk(pace, 28, 0, 33, steady, streaming=True)) == 1
    assert max(read_chunk(pace, 256, 0, 33, steady, streaming=True)) <= 0.0601


@pytest.mark.parametrize("layers", [7, 33, 81])
@pytest.mark.parametrize(
    ("token_s", "doubled_at", "length"),
    [
        *((0.0005, 700, 7892), (0.002, 16_000, 7892), (0.00005, 8000, 7892)),
        # Here a single layer of SMALLEST_ALONE tokens can take longer.
        *((0.0003, 700, 32_768), (0.002, 8000, 32_768), (0.0005, 1000, 32_768)),
    ],
)
def test_no_part_of_a_long_prompt_takes_a_quarter_of_a_second(
    layers: int, token_s: float, doubled_at: int, length: int
) -> None:
    """This holds from the first chunk of a model that was never timed."""
    pace = PrefillPacer()
    for _ in range(2):
        chunks, waits = read(pace, length, layers, attention(token_s, doubled_at, layers))
        assert max(waits) <= ALONE_S
        assert min(chunks[:-1]) >= SMALLEST_CHUNK


@pytest.mark.parametrize(("layer_s", "chunk"), [(0.0015, 128), (0.0017, 64), (0.0032, 32), (0.1, SMALLEST_CHUNK)])
def test_a_chunk_is_small_where_a_single_layer_of_it_would_take_too_long(layer_s: float, chunk: int) -> None:
    pace = paced(step_s=0.01, token_s=8 * layer_s, layers=9)
    assert pace.chunk_size(streaming=False, in_parts=True) == chunk
    # A pass that is evaluated at once has no parts to shorten.
    assert pace.chunk_size(streaming=False) == SMALLEST_ALONE


def test_nor_do_parts_take_that_long_on_a_machine_that_stalls_a_little() -> None:
    pace, random_ = PrefillPacer(), random.Random(3)
    steady = attention(0.003, 16_000, 33)
    _, waits = read(pace, 8192, 33, lambda *chunk: steady(*chunk) * random_.uniform(0.8, 1.4))
    assert sum(wait > ALONE_S for wait in waits) <= 0.02 * len(waits)


def test_slow_layers_among_fast_ones_are_parts_of_their_own() -> None:
    """Some models attend to the whole text in one layer of six only."""
    pace = PrefillPacer()
    _, waits = read(pace, 8192, 36, lambda layer, tokens, _: tokens * (0.0013 if layer % 6 == 5 else 0.0001))
    later = waits[len(waits) // 4 :]
    assert sum(wait > ALONE_S for wait in later) <= 0.05 * len(later)


def test_a_long_prompt_is_read_in_large_chunks_and_few_parts() -> None:
    token_s = 0.002
    chunks, waits = read(PrefillPacer(), 16_384, 33, attention(token_s, 32_000, 33))
    assert min(chunks) >= 256
    # Each chunk begins with a short part.
    assert len(waits) <= sum(waits) / PART_S * 1.5


def test_the_end_of_a_prompt_does_not_change_how_the_next_one_is_read() -> None:
    pace, machine = PrefillPacer(), attention(0.0005, 8000, 33)
    read(pace, 4096, 33, machine)
    expected, _ = read(pace, 4096, 33, machine)

    def costly(layer: int, tokens: int, context: int) -> float:
        return machine(layer, tokens, context) + 0.0004

    for _ in range(3):
        read_chunk(pace, 3, 4000, 33, costly)
    assert read(pace, 4096, 33, machine)[0] == expected


@pytest.mark.parametrize("layers", [0, 1, 2])
def test_a_pass_of_few_layers_has_as_few_parts(layers: int) -> None:
    parts = PassParts(PrefillPacer(), 128)
    assert parts.until(layers, PART_S) == layers


def test_prompts_start_together_that_are_read_in_half_a_second() -> None:
    pace = paced(step_s=0.01, token_s=0.001)
    assert pace.starts_together(int(TOGETHER_S / 0.001) - 1)
    assert not pace.starts_together(int(TOGETHER_S / 0.001) + 1)
    assert PrefillPacer().starts_together(FIRST_ALONE)
    assert not PrefillPacer().starts_together(FIRST_ALONE + 1)
