"""Samples and their summary, with arms whose figures are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.bench.arms import Arm, ArmMeasurement
from engine.bench.prompts import BenchPrompt
from engine.bench.runner import Sample, context_shares, run, summarise
from engine.stats import RequestStats

FIRST, SECOND = BenchPrompt("chat", "en", "first"), BenchPrompt("list", "en", "second")


def stats(drafted: int, accepted: int, host_s: float = 0.0) -> RequestStats:
    return RequestStats(
        prompt_tokens=1, drafted=drafted, accepted=accepted, draft_s=0.1, verify_s=0.3 - host_s, host_s=host_s
    )


def test_arms_rotate_and_what_learns_starts_every_repetition_anew() -> None:
    asked: list[tuple[str, str]] = []

    def arm(name: str, *, learns: bool = False) -> Arm:
        def answer(prompt: BenchPrompt, max_tokens: int) -> ArmMeasurement:
            asked.append((name, prompt.text))
            return ArmMeasurement(max_tokens, 10.0, 0.1, 1.0)

        return Arm(name, answer, renew=(lambda: asked.append((name, "anew"))) if learns else None)

    progress: list[str] = []
    arms = [arm("plain"), arm("auto", learns=True)]
    samples = run(arms, [FIRST, SECOND], repetitions=2, max_tokens=5, progress=progress.append).samples
    one = [("plain", "first"), ("auto", "first"), ("auto", "second"), ("plain", "second")]
    other = [("auto", "first"), ("plain", "first"), ("plain", "second"), ("auto", "second")]
    anew = ("auto", "anew")
    assert asked == [anew, *one, *one, anew, ("auto", "first"), ("auto", "second"), *other]
    assert len(samples) == 8
    assert {sample.repetition for sample in samples} == {0, 1}
    assert progress[:2] == [
        "repetition 1 of 2, calibrating auto",
        "repetition 1 of 2, warming up, prompt 1 of 2, plain",
    ]
    assert progress[-1] == "repetition 2 of 2, prompt 2 of 2, auto"


def test_no_ratio_exceeds_the_tokens_a_round_if_the_plain_answer_stalled() -> None:
    samples = [
        Sample("plain", FIRST, 0, ArmMeasurement(20, 1.0, 0.1, 10.0, stats(0, 0))),
        Sample("auto", FIRST, 0, ArmMeasurement(20, 20.0, 0.2, 0.5, stats(9, 9), tokens_per_round=2.5)),
    ]
    auto = summarise(samples)["arms"]["auto"]
    assert (auto["speedup"], auto["slowest_speedup"], auto["answer_speedup"]) == (2.5, 2.5, 2.5)


def test_a_context_adds_what_makes_plain_steps_slower_and_noise_adds_nothing() -> None:
    speeds = {"0 tokens": 40.0, "1000 tokens": 41.0, "8000 tokens": 10.0}
    plain = {"by_kind": {kind: {"decode_tps": speed} for kind, speed in speeds.items()}}
    assert context_shares({"plain": plain}) == {"8000 tokens": 0.75}


def test_ratios_are_to_the_plain_answer_to_the_same_prompt() -> None:
    samples = [
        Sample("plain", FIRST, 0, ArmMeasurement(20, 10.0, 0.1, 1.0, stats(0, 0))),
        Sample("plain", SECOND, 0, ArmMeasurement(20, 40.0, 0.1, 1.0, stats(0, 0))),
        Sample("auto", FIRST, 0, ArmMeasurement(20, 20.0, 0.2, 0.5, stats(10, 8, host_s=0.1))),
        Sample("auto", SECOND, 0, ArmMeasurement(20, 20.0, 0.1, 1.0, stats(10, 0, host_s=0.1))),
    ]
    auto = summarise(samples)["arms"]["auto"]
    assert auto["speedup"] == pytest.approx(1.25)
    assert auto["slowest_speedup"] == 0.5
    assert auto["answer_speedup"] == pytest.approx(1.5)
    assert auto["ttft_ratio"] == pytest.approx(1.5)
    assert auto["accept_rate"] == 0.4
    assert auto["host_share"] == pytest.approx(0.25)
    assert {kind: figures["speedup"] for kind, figures in auto["by_kind"].items()} == {"chat": 2.0, "list": 0.5}


def test_the_slowest_prompt_is_not_the_one_in_which_the_machine_paused_once() -> None:
    speeds = {FIRST: (10.0, 2.0, 11.0), SECOND: (9.0, 9.0, 8.0)}
    plain = ArmMeasurement(20, 10.0, 0.1, 1.0)
    samples = [
        Sample(arm, prompt, repetition, measure)
        for prompt, of_prompt in speeds.items()
        for repetition, speed in enumerate(of_prompt)
        for arm, measure in (("plain", plain), ("auto", replace(plain, decode_tps=speed)))
    ]
    assert summarise(samples)["arms"]["auto"]["slowest_speedup"] == 0.9


def test_the_slowest_prompt_is_one_with_answers_that_are_long_enough_to_be_felt() -> None:
    samples = [
        Sample(arm, prompt, 0, ArmMeasurement(tokens, speed, 0.1, 1.0))
        for arm, speeds in (("plain", (10.0, 10.0)), ("auto", (9.0, 5.0)))
        for prompt, tokens, speed in zip((FIRST, SECOND), (16, 15), speeds, strict=True)
    ]
    assert summarise(samples)["arms"]["auto"]["slowest_speedup"] == 0.9
    assert summarise(samples)["arms"]["auto"]["by_kind"]["list"]["slowest_speedup"] is None


def test_sources_have_their_share_of_all_tokens_of_an_arm() -> None:
    measures = (
        ArmMeasurement(10, 10.0, 0.1, 1.0, sources={"main": 4, "draft": 6}),
        ArmMeasurement(30, 10.0, 0.1, 1.0, sources={"main": 26, "ngram": 4}),
    )
    figures = summarise([Sample("plain", FIRST, index, measure) for index, measure in enumerate(measures)])
    assert figures["arms"]["plain"]["sources"] == {"main": 0.75, "draft": 0.15, "ngram": 0.1}


def test_answers_too_short_for_a_decode_speed_have_no_ratio_and_without_rounds_no_host_share() -> None:
    short = ArmMeasurement(1, 0.0, 0.1, 0.1)
    figures = summarise([Sample("plain", FIRST, 0, short)])["arms"]["plain"]
    assert (figures["speedup"], figures["slowest_speedup"], figures["accept_rate"]) == (None, None, None)
    assert figures["host_share"] is None
    idle = RequestStats(prompt_tokens=1)
    assert ArmMeasurement(0, 0.0, 0.0, 0.0, idle).host_share is None
