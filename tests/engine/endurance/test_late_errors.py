"""A device error that arrives late fails the answer, and nothing that the answer has computed is used again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from engine.errors import DeviceFailed
from engine.events import Failed
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.endurance.late_errors import late_error
from tests.engine.serving_requests import PLAIN, alone, assistant_turn, load_models, request, run, user, worded_request
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_heads import write_head
from tests.tiny_models import write_disturbed_copy, write_model

pytestmark = [pytest.mark.expects_log]

# A family for each rollback rule, and one with quantised caches: the bits of its caches by family.
KINDS = {"llama": None, "gemma3_text": None, "qwen3_next": None, "mamba2": None, "qwen3": 8}
DRAFT = SpeculationSettings(method="draft", depth=3)
# The campaigns fail every evaluation of a turn, about 40, or of a batch, or only each so many.
EVERY = int(os.environ.get("LATE_EVERY", "1"))
# The drafter of each method, and the settings.
METHODS = {
    "off": ("draft", PLAIN),
    "ngram": ("draft", SpeculationSettings(method="ngram", depth=3)),
    "draft": ("draft", DRAFT),
    "auto": ("draft", SpeculationSettings()),
    "head": ("head", DRAFT),
}


@pytest.fixture(scope="module")
def folders(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    kind: str = request.param
    folder = tmp_path_factory.mktemp("kinds") / kind
    main = write_model(folder / "main", config={"model_type": kind, **FAMILIES[kind]})
    draft = write_disturbed_copy(main, folder / "draft", amount=0.02)
    return {"main": main, "draft": draft, "head": write_head(folder / "head", main)}


@pytest.fixture
def reopened(folders: dict[str, Path], tmp_path: Path) -> Iterator[Callable[[str], Scheduler]]:
    """Return a function that loads the models with a drafter again, which moves the turns in memory to disk."""
    kv_bits = KINDS[folders["main"].parent.name]
    scheduler = Scheduler(EngineSettings(kv_bits=kv_bits, prefix_cache_folder=tmp_path))

    def load(drafter: str) -> Scheduler:
        load_models(scheduler, folders["main"], folders[drafter])
        return scheduler

    yield load
    scheduler.close()


def turns_of_a_chat(scheduler: Scheduler) -> list[tuple[ChatRequest, Sequence[int]]]:
    """Return the first turns of a chat, each with its plain answer from an empty prefix cache."""
    messages, turns = [user("the quick brown fox jumps over the lazy dog")], []
    for text in ("and then", "and why", "and now"):
        asked = replace(worded_request(scheduler, *messages, conversation="chat"), speculation=PLAIN)
        finished = alone(scheduler, asked)
        turns.append((asked, finished.ids))
        messages = [*messages, assistant_turn(finished), user(text)]
    return turns


@pytest.mark.parametrize(
    ("folders", "method"),
    by_tier(
        [*product(["llama"], METHODS), *product(list(KINDS)[1:], ["auto"]), ("qwen3_next", "draft")],
        [("llama", "draft")],
    ),
    indirect=["folders"],
)
def test_after_a_late_error_every_turn_is_that_of_a_fresh_engine(
    reopened: Callable[[str], Scheduler], method: str
) -> None:
    fail_late(reopened, method, every=27)


@pytest.mark.campaign
@pytest.mark.parametrize(("folders", "method"), [*product(KINDS, METHODS)], indirect=["folders"])
def test_after_any_late_error_every_turn_is_that_of_a_fresh_engine(
    reopened: Callable[[str], Scheduler], method: str
) -> None:
    fail_late(reopened, method, EVERY)


@pytest.mark.full
@pytest.mark.parametrize(
    ("folders", "method"), [("llama", "draft"), ("gemma3_text", "auto"), ("qwen3_next", "off")], indirect=["folders"]
)
def test_after_a_late_error_every_answer_of_a_batch_is_that_of_a_fresh_engine(
    reopened: Callable[[str], Scheduler], method: str
) -> None:
    fail_late_in_a_batch(reopened, method, every=37)


@pytest.mark.campaign
@pytest.mark.parametrize(("folders", "method"), [*product(KINDS, METHODS)], indirect=["folders"])
def test_after_any_late_error_every_answer_of_a_batch_is_that_of_a_fresh_engine(
    reopened: Callable[[str], Scheduler], method: str
) -> None:
    fail_late_in_a_batch(reopened, method, EVERY)


def fail_late(reopened: Callable[[str], Scheduler], method: str, every: int) -> None:
    """Fail each `every`-th evaluation of a second turn, and ask all turns again, every second time from disk."""
    drafter, speculation = METHODS[method]
    scheduler = reopened(drafter)
    turns = [(replace(asked, speculation=speculation), ids) for asked, ids in turns_of_a_chat(scheduler)]
    (first, _), (second, answered), _ = turns
    run(scheduler, first)
    with late_error(scheduler) as none:
        run(scheduler, second)
    assert none.evaluations > 5
    for number, at in enumerate(range(1, none.evaluations + 1, every)):
        scheduler.clear_prefix_cache()
        run(scheduler, first)
        with late_error(scheduler, at):
            [client] = run(scheduler, second)
        # The last evaluations come behind the answer.
        if isinstance(client.last, Failed):
            assert isinstance(client.last.error, DeviceFailed)
        else:
            assert client.finished.ids == answered
        if number % 2:
            reopened(drafter)
        for asked, ids in turns:
            assert run(scheduler, asked)[0].finished.ids == ids, (at, len(asked.messages))
    # Shown by -s.
    print(method, number + 1, "late errors")


def fail_late_in_a_batch(reopened: Callable[[str], Scheduler], method: str, every: int) -> None:
    """Fail each `every`-th evaluation of three answers at once, and ask the three again."""
    drafter, speculation = METHODS[method]
    scheduler = reopened(drafter)
    asked = [
        request(text, max_tokens=12, speculation=speculation) for text in ("the quick brown fox", "jumps", "a b c")
    ]
    answers = [alone(scheduler, replace(one, speculation=PLAIN)).ids for one in asked]
    with late_error(scheduler) as none:
        run(scheduler, *asked)
    assert none.evaluations > 20
    for at in range(1, none.evaluations + 1, every):
        scheduler.clear_prefix_cache()
        with late_error(scheduler, at):
            clients = run(scheduler, *asked)
        for client, ids in zip(clients, answers, strict=True):
            if isinstance(client.last, Failed):
                assert isinstance(client.last.error, DeviceFailed)
            else:
                assert client.finished.ids == ids
                assert "".join(event.text for event in client.committed) == client.finished.text
        for one, ids in zip(asked, answers, strict=True):
            assert run(scheduler, one)[0].finished.ids == ids, at
    print(method, at // every + 1, "late errors in a batch")
