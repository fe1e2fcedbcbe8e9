"""A pair's check asks the same questions with and without speculation, and says what kept it from measuring."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from engine import ChatRequest, Engine, Event, Finished, LearnedPair, RequestStats, SpeculationSettings
from engine.bench.pair_check import check_pair
from engine.bench.prompts import BUILT_IN
from engine.errors import NoModel
from engine.status import EngineStatus, MemoryUse, PrefixCacheUsage
from engine.tuning import KeyRange, Rounding


class SlowingEngine:
    """An engine that writes at `speeds` by method, and half as fast with each further question.

    `others` says how many answers of others are under way at each look.
    """

    def __init__(self, speeds: dict[str, float], others: Sequence[int] = ()) -> None:
        self.asked: list[tuple[str, str]] = []
        self._speeds, self._others = speeds, iter(others)
        self.settings: list[SpeculationSettings] = []
        self.drafted = 10
        self.ids = {"off": (5, 6), "auto": (5, 6)}

    def status(self) -> Future[EngineStatus]:
        status: Future[EngineStatus] = Future()
        memory = MemoryUse(0, 9_000_000_000, 0)
        status.set_result(EngineStatus(next(self._others, 0), 0, PrefixCacheUsage(0, 0, 0), memory))
        return status

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        known: Future[tuple[LearnedPair, ...]] = Future()
        other = LearnedPair(("", ""), loaded=False)
        known.set_result((other, replace(other, loaded=True, rounding=Rounding((KeyRange(1117, 5),)))))
        return known

    def submit(self, request: ChatRequest) -> Iterator[Event]:
        method, question = request.speculation.method, request.messages[-1]["content"]
        self.asked.append((question, method))
        self.settings.append(request.speculation)
        harder = len({question for question, _ in self.asked})
        drafted = self.drafted if method != "off" else 0
        stats = RequestStats(decode_tps=self._speeds[method] / 2**harder, drafted=drafted, accepted=drafted * 7 // 10)
        return iter([Finished("length", "", self.ids[method], stats)])


def test_each_question_is_asked_both_ways_and_the_ratio_is_that_of_the_same_questions() -> None:
    engine: Any = SlowingEngine({"off": 10.0, "auto": 25.0})
    found = check_pair(engine, "main", "draft", threading.Event())
    # The first two only warm up.
    counted = Counter(engine.asked[2:])
    assert set(counted.values()) == {1}
    assert {question for question, _ in counted} == {prompt.text for prompt in BUILT_IN}
    assert len(counted) == 2 * len(BUILT_IN)
    assert (found.answers, found.ended, found.memory_limit) == (len(BUILT_IN), "", 9_000_000_000)
    assert found.identical
    engine.ids["auto"] = (5, 7)
    assert check_pair(engine, "main", "draft", threading.Event()).identical is False
    assert found.times == 2.5
    assert found.rounding == Rounding((KeyRange(1117, 5),))
    assert found.accept_rate == pytest.approx(0.7)


def test_it_measures_with_the_settings_and_gives_no_ratio_without_draft_tokens() -> None:
    settings = SpeculationSettings(depth=3, same_text=True)
    engine: Any = SlowingEngine({"off": 10.0, "auto": 25.0})
    assert check_pair(engine, "main", "draft", threading.Event(), settings, 0.0).times == 2.5
    assert settings in engine.settings
    assert all(one == settings for one in engine.settings if one.method != "off")
    engine.drafted = 0
    found = check_pair(engine, "main", "draft", threading.Event(), settings, 0.0)
    assert (found.best_tps, found.times, found.accept_rate) == (None, None, None)
    assert found.plain_tps
    off = check_pair(engine, "main", "draft", threading.Event(), SpeculationSettings("off"), 0.0)
    assert (off.best_tps, off.times, off.accept_rate) == (None, None, None)


def test_another_answer_ends_it_and_is_measured_with_none() -> None:
    engine: Any = SlowingEngine({"off": 10.0, "auto": 25.0}, [0] * 9 + [1])
    found = check_pair(engine, "main", "", threading.Event())
    assert (found.ended, found.answers) == ("busy", 1)
    assert found.plain_tps is not None


def test_it_stops_when_told_and_without_models_says_why() -> None:
    stop = threading.Event()
    stop.set()
    engine: Any = SlowingEngine({})
    found = check_pair(engine, "main", "", stop)
    assert (found.ended, found.plain_tps) == ("stopped", None)
    with Engine() as empty:
        failed = check_pair(empty, "main", "", threading.Event())
    assert failed.ended == "failed"
    assert isinstance(failed.error, NoModel)
