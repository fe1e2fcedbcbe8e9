"""The gap between two answers is that of plain decoding's scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mlx.core as mx
import pytest

from engine.main_model.loading import LoadedModel, load
from engine.serving.scheduler import Scheduler
from tests.engine.near_ties import parting, plain_scores
from tests.engine.serving_requests import PLAIN, request, run

pytestmark = pytest.mark.usefixtures("without_compilation")


@pytest.fixture(scope="module")
def main(tiny_main: Path) -> LoadedModel:
    return load(tiny_main)


@pytest.fixture
def scheduler(main: LoadedModel) -> Iterator[Scheduler]:
    scheduler = Scheduler()
    scheduler.install(main, None)
    yield scheduler
    scheduler.close()


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_largest_score_is_what_plain_decoding_draws(
    scheduler: Scheduler, main: LoadedModel, temperature: float
) -> None:
    asked = request(max_tokens=6, temperature=temperature, speculation=PLAIN)
    [client] = run(scheduler, asked)
    ids = client.finished.ids
    prompt = main.prompt_ids(asked.messages)
    for at, token in enumerate(ids):
        scores = plain_scores(main, asked, [*prompt, *ids[:at]])
        assert int(mx.argmax(scores).item()) == token
    second = int(mx.argsort(-plain_scores(main, asked, [*prompt, *ids[:3]]))[1].item())
    parted = parting(main, asked, ids, [*ids[:3], second, *ids[4:]])
    assert parted is not None
    assert parted.at == 3
    assert 0.0 < parted.gap < 20.0


def test_equal_answers_do_not_part_and_shorter_ones_are_no_tie(main: LoadedModel) -> None:
    asked = request()
    assert parting(main, asked, [1, 2], [1, 2]) is None
    shorter = parting(main, asked, [1, 2], [1])
    assert shorter is not None
    assert shorter.gap == float("inf")
