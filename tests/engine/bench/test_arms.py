"""The arms of a benchmark, on a tiny pair."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import starter_pair
from engine.bench import concurrency
from engine.bench.arms import (
    FIXED_DEPTHS,
    arms_of_drafter,
    at_contexts,
    mlx_dspark_arms,
    mlx_lm_arms,
    our_arms,
    run_to_end,
)
from engine.bench.prompts import BenchPrompt, read_prompts
from engine.errors import EngineError, PromptTooLong
from engine.grammars.checks import check_grammar
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.sources import HeadSource
from tests.engine.serving_requests import PLAIN, request
from tests.engine.tiers import by_tier

HELLO = BenchPrompt("chat", "en", "hello")
LOOKUP = ("ngram", "ngram, depth 4", "ngram, depth 8", "ngram, depth 16", "ngram, depth 32")


@pytest.fixture(scope="module")
def pair(tiny_main: Path, tiny_draft: Path) -> tuple[LoadedModel, LoadedModel]:
    return load(tiny_main), load(tiny_draft)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    scheduler = Scheduler()
    scheduler.changes.install(*pair)
    yield scheduler
    scheduler.close()


@pytest.mark.first
def test_arms_follow_from_what_is_loaded(scheduler: Scheduler) -> None:
    names = [arm.name for arm in our_arms(scheduler, has_draft=False)]
    assert names == ["plain", *LOOKUP, "auto"]
    fixed = [f"draft, depth {depth}" for depth in FIXED_DEPTHS]
    assert [arm.name for arm in our_arms(scheduler, has_draft=True)] == [*names, "draft", *fixed]
    sampled = [arm.name for arm in our_arms(scheduler, has_draft=True, temperature=0.8)]
    assert sampled[-len(FIXED_DEPTHS) :] == [f"rejection, depth {depth}" for depth in FIXED_DEPTHS]


def test_a_further_drafter_is_measured_alone_at_fixed_depths_and_with_all_methods(scheduler: Scheduler) -> None:
    fixed = [f"other, depth {depth}" for depth in FIXED_DEPTHS]
    assert [arm.name for arm in arms_of_drafter(scheduler, "other")] == ["other", *fixed, "auto with other"]


def test_auto_learns_from_its_own_answers_only(scheduler: Scheduler) -> None:
    """Fixed depths that measured the same prompts before would leave it nothing to find out."""
    arms = {arm.name: arm for arm in our_arms(scheduler, has_draft=True)}
    learned = deepcopy(scheduler.models.drafting.controller.learned)
    arms["draft, depth 2"].answer(HELLO, 8)
    assert scheduler.models.drafting.controller.learned == learned
    arms["auto"].answer(HELLO, 8)
    assert scheduler.models.drafting.controller.learned != learned


@pytest.mark.parametrize("calibrates", [False, pytest.param(True, marks=pytest.mark.full)])
def test_what_learns_starts_anew_calibrated(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, calibrates: bool
) -> None:
    if not calibrates:
        # Calibrating takes seconds.
        monkeypatch.setattr(scheduler.upkeep, "calibrate", lambda: setattr(learned_of(scheduler), "calibrated", True))
    arms = {arm.name: arm for arm in our_arms(scheduler, has_draft=True)}
    assert [name for name, arm in arms.items() if arm.renew is not None] == ["ngram", "auto", "draft"]
    auto = arms["auto"]
    assert auto.renew is not None
    drafting = scheduler.models.drafting
    before = drafting.controller
    auto.renew()
    assert drafting.controller is not before
    assert learned_of(scheduler).calibrated
    calibrated = deepcopy(drafting.controller.learned)
    assert arms["draft"].renew is not None
    arms["draft"].renew()
    assert drafting.controller.learned == calibrated


def learned_of(scheduler: Scheduler) -> Any:
    return scheduler.models.drafting.controller.learned


@pytest.mark.full
def test_answers_to_a_schema_are_instances_with_and_without_speculation(scheduler: Scheduler) -> None:
    arms = {arm.name: arm for arm in our_arms(scheduler, has_draft=True)}
    prompts = read_prompts(Path("tests/benchmarks/schemas.jsonl"))
    for prompt in prompts:
        assert prompt.grammar is not None
        check_grammar(prompt.grammar)
    plain, drafted = arms["plain"].answer(prompts[0], 80), arms["draft"].answer(prompts[0], 80)
    assert plain.tokens == drafted.tokens < 80
    assert drafted.stats is not None
    assert drafted.stats.drafted > 0


def test_mlx_lm_runs_plain_and_at_fixed_depths(pair: tuple[LoadedModel, LoadedModel]) -> None:
    main, draft = pair
    assert [arm.name for arm in mlx_lm_arms(main, None)] == ["mlx-lm plain"]
    plain, drafting, *_ = mlx_lm_arms(main, draft)
    for arm in (plain, drafting):
        measure = arm.answer(HELLO, 8)
        assert measure.tokens == 8
        assert measure.decode_tps > 0
        assert (measure.stats, measure.host_share) == (None, None)
    assert plain.answer(HELLO, 1).decode_tps == 0.0


def test_a_request_that_fails_raises_its_error(scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]) -> None:
    with pytest.raises(PromptTooLong):
        run_to_end(scheduler, request("word " * 2000, speculation=PLAIN))
    long = BenchPrompt("chat", "en", "word " * 2000)
    with pytest.raises(EngineError, match=", 512"):
        concurrency.measure(scheduler, pair[0], [1], [long], repetitions=1, max_tokens=4)


def test_concurrent_answers_are_compared_by_repetition(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]
) -> None:
    progress: list[str] = []
    report = concurrency.measure(
        scheduler, pair[0], [1, 2], [HELLO], repetitions=1, max_tokens=4, progress=progress.append
    )
    assert report["concurrent"].keys() == {"1", "2"}
    assert all(figures["ratio"] > 0 for figures in report["concurrent"].values())
    # The repetition in which the engine learns what batches cost is not in the others.
    assert all(figures["first_gain"] > 0 for figures in report["concurrent"].values())
    assert progress == [f"{count} at once, repetition {number} of 1" for number in (0, 1) for count in (1, 2)]


@pytest.mark.parametrize("getting", [1.05, 0.97])
def test_a_machine_that_gets_slower_or_faster_decides_no_ratio(
    monkeypatch: pytest.MonkeyPatch, scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], getting: float
) -> None:
    """One arm takes half as long as the others; every run takes longer, or shorter, than the one before."""
    ran: list[str] = []

    def run(name: str, seconds: float) -> concurrency.ConcurrencyRun:
        ran.append(name)
        return concurrency.ConcurrencyRun(100, seconds * getting ** len(ran))

    arms = {"auto": 1.0, "off": 2.0, "mlx-lm": 2.0}
    monkeypatch.setattr(concurrency, "_ours", lambda _one, _texts, _most, method, _shares: run(method, arms[method]))
    monkeypatch.setattr(concurrency, "_mlx_lm", lambda *_: run("mlx-lm", arms["mlx-lm"]))
    report = concurrency.measure(scheduler, pair[0], [2], [HELLO], repetitions=8, max_tokens=4)
    figures = report["concurrent"]["2"]
    assert figures["ratio"] == pytest.approx(2.0, rel=0.02)
    assert figures["plain_ratio"] == pytest.approx(1.0, rel=0.02)
    assert all(1.9 < quartile < 2.1 for quartile in figures["spread"]["ratio"])
    # Nobody is always the first.
    assert {ran[start] for start in range(0, len(ran), 2 * len(arms))} == set(arms)


def test_behind_a_context_every_arm_begins_at_the_end_of_one_reading(scheduler: Scheduler) -> None:
    alone, behind = at_contexts(scheduler.models.main, [300])
    arms = {arm.name: arm for arm in our_arms(scheduler, has_draft=True)}
    first = arms["plain"].answer(behind, 4)
    assert first.stats is not None
    assert 300 < first.stats.prompt_tokens < 420
    for name in ("plain", "draft, depth 2", "auto"):
        again = arms[name].answer(behind, 4)
        assert again.stats is not None
        assert again.stats.cached_tokens == first.stats.prompt_tokens - 1
    assert alone.text in behind.text


@pytest.mark.parametrize("kind", by_tier(["dflash", "dspark", "eagle"], ["dspark"]))
def test_mlx_dspark_answers_with_the_same_model_and_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Its published interface of 0.20.3."""
    with pytest.raises(EngineError, match="mlx-dspark"):
        mlx_dspark_arms(load(starter_pair()[0]), None)
    called: list[Any] = []

    def loop(name: str, *, head: bool = False) -> Any:
        def generate(target: Any, _: Any, *heads: Any, **options: Any) -> Any:
            called.append((name, target, *heads, options.pop("lookup_drafts", None)))
            for _ in range(4):
                options["on_round"](drafted=1, accepted=1, committed=2, cap=1, source="lookup")
                options["on_text"]("Hello")
            assert (len(heads), options.keys()) == (head, {"prompt_ids", "max_new_tokens", "on_round", "on_text"})
            return SimpleNamespace(num_tokens=8, num_rounds=4, mean_accept_len=2.0, target_forwards=4)

        return generate

    fake = SimpleNamespace(
        Target=lambda *_: "target",
        greedy_generate=loop("plain"),
        lookup_generate=loop("look-ups"),
        dflash_generate=loop("dflash", head=True),
        speculative_generate=loop("dspark", head=True),
        load_dflash=lambda path: (Path(path).name, "config"),
        load_drafter=lambda path: (Path(path).name, "config"),
    )
    monkeypatch.setitem(sys.modules, "mlx_dspark", fake)
    main = load(starter_pair()[0])
    drafter: Any = HeadSource(SimpleNamespace(kind=kind), SimpleNamespace(path=tmp_path / "head"), None)  # type: ignore[arg-type]
    arms = mlx_dspark_arms(main, drafter)
    measures = [arm.answer(HELLO, 8) for arm in arms]
    expected = [("plain", "target", None), ("look-ups", "target", None), (kind, "target", "head", True)]
    assert called == expected[: 2 if kind == "eagle" else 3]
    for one in measures:
        assert (one.tokens, one.tokens_per_round) == (8, 2.0)
        assert one.decode_tps > 6 / (one.total_s - one.ttft_s)


@pytest.mark.parametrize(
    ("shows_text", "ttft_s"),
    [pytest.param(True, 1.0, id="text"), pytest.param(False, 5.0, id="no whole character before the first round")],
)
def test_mlx_dsparks_first_token_is_timed_when_it_comes_before_its_first_round(
    monkeypatch: pytest.MonkeyPatch, shows_text: bool, ttft_s: float
) -> None:
    """As in `lookup_generate` of 0.20.3: the prompt's pass gives the first token, and no round."""
    now = [0.0]

    def lookup_generate(*_: Any, on_round: Any, on_text: Any, **_options: Any) -> Any:
        now[0] = 1.0
        if shows_text:
            on_text("One")
        for at in (5.0, 7.0, 9.0):
            now[0] = at
            on_round(drafted=1, accepted=1, committed=2, cap=1, source="lookup")
            on_text("two three")
        return SimpleNamespace(num_tokens=7, num_rounds=3, mean_accept_len=7 / 3, target_forwards=4)

    fake = SimpleNamespace(Target=lambda *_: None, greedy_generate=None, lookup_generate=lookup_generate)
    monkeypatch.setitem(sys.modules, "mlx_dspark", fake)
    monkeypatch.setattr("engine.bench.arms.time", SimpleNamespace(perf_counter=lambda: now[0]))
    measure = mlx_dspark_arms(load(starter_pair()[0]), None)[1].answer(HELLO, 7)
    assert (measure.ttft_s, measure.total_s, measure.decode_tps) == (ttft_s, 9.0, 1.0)
    # The pass over the prompt counts as our engine's first round does.
    assert measure.tokens_per_round == 7 / 4
