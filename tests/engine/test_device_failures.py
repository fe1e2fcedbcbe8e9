"""The device fails at random moments of everything that it does: the engine lives, and answers like a fresh one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DeviceFailed, EngineError
from engine.events import Failed
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import LoadedPair
from tests.engine.late_errors import late_error
from tests.engine.serving_requests import PLAIN, alone, load_models, request, run, submit
from tests.engine.speculation.family_configs import FAMILIES
from tests.tiny_heads import write_head
from tests.tiny_models import write_disturbed_copy, write_model

pytestmark = [pytest.mark.usefixtures("without_compilation", "disk_without_waiting"), pytest.mark.expects_log]

LONG = "the quick brown fox jumps over the lazy dog " * 12
TEXTS = ("the quick brown fox", "jumps", LONG, f"{LONG} a b c")


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    yield scheduler
    scheduler.close()


def change(scheduler: Scheduler, steps: Any) -> LoadedPair | EngineError:
    """Serve a change of models, and return its outcome."""
    ended: list[LoadedPair | EngineError] = []
    scheduler.changes.enqueue(steps, ended.append)
    while scheduler.step():
        pass
    return ended[0]


def test_all_answers_under_way_end_with_the_device_and_the_next_ones_are_right(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path
) -> None:
    load_models(scheduler, tiny_main, tiny_draft)
    asked = [request(text, max_tokens=16, speculation=PLAIN) for text in TEXTS]
    expected = [alone(scheduler, one).ids for one in asked]
    first = [submit(scheduler, one) for one in asked[:2]]
    while not all(client.committed for client in first):
        scheduler.step()
    read = submit(scheduler, asked[2])
    scheduler.step()
    with late_error(scheduler, 1):
        while scheduler.step():
            pass
    for client in (*first, read):
        assert isinstance(client.last, Failed)
        assert isinstance(client.last.error, DeviceFailed)
        assert client.last.error.arguments["unloaded"] == ""
    assert [client.finished.ids for client in run(scheduler, *asked)] == expected


def test_a_device_that_fails_twice_in_a_row_loses_its_models_until_the_next_question(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path
) -> None:
    load_models(scheduler, tiny_main, tiny_draft)
    asked = request(max_tokens=8)
    expected = alone(scheduler, asked).ids
    unloaded = []
    for _ in range(2):
        with late_error(scheduler, 3):
            [client] = run(scheduler, asked)
        assert isinstance(client.last, Failed)
        unloaded.append(client.last.error.arguments["unloaded"])
    assert unloaded == ["", "main"]
    assert not scheduler.models.loaded
    assert run(scheduler, asked)[0].finished.ids == expected
    assert scheduler.models.drafter is not None


def test_a_device_that_answers_in_between_keeps_its_models(scheduler: Scheduler, tiny_main: Path) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=8, speculation=PLAIN)
    for _ in range(2):
        with late_error(scheduler, 3):
            [client] = run(scheduler, asked)
        assert isinstance(client.last, Failed)
        assert run(scheduler, asked)[0].finished.ids
    assert scheduler.models.loaded


@pytest.mark.parametrize("which", ["main", "draft"])
def test_a_model_that_the_device_fails_to_load_is_not_blamed_for_it(
    scheduler: Scheduler, tiny_main: Path, tiny_draft: Path, which: str
) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=8)
    expected = alone(scheduler, asked).ids
    running = submit(scheduler, asked)
    scheduler.step()
    with late_error(scheduler, 2):
        if which == "main":
            outcome = change(scheduler, scheduler.changes.load(tiny_main, tiny_draft, allow_oversize=False))
        else:
            outcome = change(scheduler, scheduler.changes.set_draft(tiny_draft, allow_oversize=False))
    assert isinstance(outcome, DeviceFailed) or isinstance(running.last, Failed)
    assert run(scheduler, asked)[0].finished.ids == expected


def test_a_calibration_during_which_the_device_fails_says_so(scheduler: Scheduler, tiny_main: Path) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=8)
    expected = alone(scheduler, asked).ids
    with late_error(scheduler, 9), pytest.raises(DeviceFailed):
        scheduler.calibrate()
    assert run(scheduler, asked)[0].finished.ids == expected


# The actions of the campaign, and the most evaluations that each is certain to have.
ACTIONS = {"pass": 20, "batch": 30, "prefill": 8, "load": 6, "draft": 4, "calibration": 60}
METHODS = [SpeculationSettings(method=method, depth=depth) for method in ("draft", "ngram") for depth in (1, 4)]
METHODS += [PLAIN, SpeculationSettings()]


class Campaign:
    """A scheduler whose device fails during random actions; counts failures by action and method."""

    def __init__(self, scheduler: Scheduler, main: Path, drafters: list[Path | None], seed: str) -> None:
        self.scheduler, self.main, self.drafters = scheduler, main, drafters
        self.random = random.Random(seed)
        self.counts: Counter[tuple[str, str]] = Counter()
        load_models(scheduler, main, drafters[0])
        self.asked = [request(text, max_tokens=12, speculation=PLAIN) for text in TEXTS]
        self.expected = [alone(scheduler, one).ids for one in self.asked]

    def fail_once(self) -> None:
        """Do something during which the device fails, and check that the next answers are right."""
        action = self.random.choice(list(ACTIONS))
        method = self.random.choice(METHODS)
        asked = [replace(one, speculation=method) for one in self.asked]
        with late_error(self.scheduler, self.random.randint(1, ACTIONS[action])) as error:
            self._act(action, asked)
        self.counts[action, method.method] += error.raised
        if self.random.random() < 0.3:
            # From disk.
            load_models(self.scheduler, self.main, self.random.choice(self.drafters))
        order = self.random.sample(range(len(asked)), 2)
        for index in order:
            [client] = run(self.scheduler, replace(asked[index], conversation=f"chat {index}"))
            assert client.finished.ids == self.expected[index], (action, method, index)

    def _act(self, action: str, asked: list[ChatRequest]) -> None:
        changes, drafter = self.scheduler.changes, self.random.choice(self.drafters)
        running = [submit(self.scheduler, self.random.choice(asked))] if self.random.random() < 0.5 else []
        if running:
            self.scheduler.step()
        if action == "calibration":
            while self.scheduler.step():
                pass
            if self.scheduler.models.loaded:
                with suppress(DeviceFailed):
                    self.scheduler.calibrate()
        elif action == "load":
            change(self.scheduler, changes.load(self.main, drafter, allow_oversize=False))
        elif action == "draft":
            change(self.scheduler, changes.set_draft(drafter, allow_oversize=False))
        else:
            count = {"pass": 1, "batch": 3, "prefill": 2}[action]
            running += [
                submit(self.scheduler, one) for one in (asked[-count:] if action == "prefill" else asked[:count])
            ]
            while self.scheduler.step():
                pass
        for client in running:
            assert not isinstance(client.last, Failed) or isinstance(client.last.error, DeviceFailed), client.last


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["llama", "gemma3_text", "qwen3_next", "mamba2", "gpt_oss"])
def test_the_device_fails_at_any_moment(kind: str, seed: int, tmp_path: Path) -> None:
    main = write_model(tmp_path / "main", config={"model_type": kind, **FAMILIES[kind]})
    drafters = [write_disturbed_copy(main, tmp_path / "draft", amount=0.02), write_head(tmp_path / "head", main), None]
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=tmp_path / "prefixes", kv_bits=8 if seed % 2 else None))
    campaign = Campaign(scheduler, main, drafters, f"{kind} {seed}")
    while campaign.counts.total() < 10:
        campaign.fail_once()
    scheduler.close()
    # Shown by -s.
    print(kind, {" ".join(key): count for key, count in campaign.counts.items()})
