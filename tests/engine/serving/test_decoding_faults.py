"""A fault while several answers are decoded ends no answer but the one that causes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import InternalFailure
from engine.events import Failed, Finished
from engine.main_model.sampling import Sampler
from engine.serving.scheduler import Scheduler
from engine.speculation.caches.row_caches import RowCaches
from tests.engine.endurance.counting_model import CountingModel
from tests.engine.serving_requests import PLAIN, Expected, finish, request, run, step_until, submit
from tests.engine.tiers import by_tier

pytestmark = [pytest.mark.usefixtures("fixed_chunks"), pytest.mark.expects_log]

TEXTS = ("the quick brown fox", "lazy dog jumps", "안녕하세요 세계")


def test_a_sampler_that_fails_ends_its_own_request_only(
    scheduler: Scheduler, expected: Expected, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [request(text, max_tokens=16) for text in TEXTS]
    texts, perturbed = expected.ids(*asked), Sampler.perturbed

    def failing(sampler: Sampler, logprobs: mx.array, noise: mx.array) -> mx.array:
        if sampler.seed == 666:
            raise ValueError("a processor that fails, says the test")
        return perturbed(sampler, logprobs, noise)

    monkeypatch.setattr(Sampler, "perturbed", failing)
    clients = [submit(scheduler, one) for one in asked[:2]]
    step_until(scheduler, lambda: all(client.committed for client in clients))
    bad = submit(scheduler, request(TEXTS[2], temperature=0.5, seed=666))
    finish(scheduler)
    assert isinstance(bad.last, Failed)
    assert isinstance(bad.last.error, InternalFailure)
    assert [client.finished.ids for client in clients] == texts[:2]
    # The prefix cache is right, too.
    monkeypatch.undo()
    assert [client.finished.ids for client in run(scheduler, asked[2])] == texts[2:]


def test_a_batch_without_memory_continues_one_by_one(
    scheduler: Scheduler, model: CountingModel, expected: Expected
) -> None:
    asked = [request(text, max_tokens=16) for text in TEXTS]
    model.fails = lambda shape, _: shape[0] == 3
    clients = run(scheduler, *asked)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)
    assert "turns" in clients[0].reasons


@pytest.mark.parametrize(
    "leaves", by_tier(["ends", "is cancelled", "is left alone"], ["is cancelled", "is left alone"])
)
def test_caches_that_cannot_leave_a_batch_end_no_answer(
    scheduler: Scheduler, expected: Expected, monkeypatch: pytest.MonkeyPatch, leaves: str
) -> None:
    asked = [request(text, max_tokens=most) for text, most in zip(TEXTS, (8, 16, 16), strict=True)]
    asked = asked[1:] if leaves == "is left alone" else asked
    texts = expected.ids(*asked)
    clients = [submit(scheduler, one) for one in asked]
    step_until(scheduler, lambda: all(len(client.committed) > 1 for client in clients))
    take_out, left = RowCaches.remove, [2 if leaves == "is left alone" else 1]

    def remove(rows: RowCaches, row: int) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("[metal::malloc] out of memory, says the test")
        return take_out(rows, row)

    monkeypatch.setattr(RowCaches, "remove", remove)
    if leaves != "ends":
        clients[0].stream.cancel()
    finish(scheduler)
    assert left[0] <= 0
    assert clients[0].finished.reason == ("length" if leaves == "ends" else "cancelled")
    assert [client.finished.ids for client in clients[1:]] == texts[1:]
    monkeypatch.undo()
    assert [client.finished.ids for client in run(scheduler, *asked)] == texts


def test_only_the_request_that_makes_every_pass_fail_fails(
    scheduler: Scheduler, model: CountingModel, expected: Expected
) -> None:
    asked = [request(text, max_tokens=16) for text in TEXTS[:2]]
    model.fails = lambda shape, cache: shape[1] == 1 and mx.max(mx.array(cache[0].offset)).item() > 100
    clients = [submit(scheduler, one) for one in asked]
    bad = submit(scheduler, request("lazy dog " * 60, max_tokens=16))
    finish(scheduler)
    assert isinstance(bad.last, Failed)
    assert [client.finished.ids for client in clients] == expected.ids(*asked)


def too_large() -> mx.array:
    """Raise MLX's own out-of-memory error: no machine has this much memory."""
    array = mx.zeros((2**50,), mx.uint8)
    mx.eval(array)
    return array


@pytest.mark.full
@pytest.mark.parametrize("width", by_tier([1, 2], [2]))
@pytest.mark.parametrize(
    "fault", [too_large, lambda: mx.zeros((2, 3)) + mx.zeros((5,))], ids=["no memory", "wrong shape"]
)
def test_an_error_of_mlx_itself_is_survived(
    scheduler: Scheduler, model: CountingModel, expected: Expected, fault: Callable[[], mx.array], width: int
) -> None:
    """In a pass of one answer, or of the whole batch."""
    asked = [request(text, max_tokens=most, speculation=PLAIN) for text, most in zip(TEXTS[:2], (8, 16), strict=True)]
    texts, left = expected.ids(*asked), 3

    def fails(shape: tuple[int, ...], _: Any) -> bool:
        nonlocal left
        if shape == (width, 1):
            left -= 1
            if left == 0:
                fault()
        return False

    model.fails = fails
    clients = run(scheduler, *asked)
    survivors = [client for client in clients if isinstance(client.last, Finished)]
    assert left <= 0
    assert len(survivors) >= width
    for client, ids in zip(clients, texts, strict=True):
        assert client not in survivors or client.finished.ids == ids
    assert [client.finished.ids for client in run(scheduler, *asked)] == texts
