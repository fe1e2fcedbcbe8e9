"""Runs arms in turn over prompts and reports medians of their ratios to plain decoding."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median, quantiles
from typing import Any

import mlx.core as mx

from engine.bench.arms import Arm, ArmMeasurement
from engine.bench.prompts import BenchPrompt
from engine.cpu_backend.blas import BLAS
from engine.files.system_memory import system_memory

# The slowest prompt is one with answers of at least this many tokens: one failed draft slows shorter ones down, by
# some milliseconds.
_NOTICEABLE_TOKENS = 16


@dataclass(frozen=True)
class Sample:
    """One arm's answer to one prompt in one repetition."""

    arm: str
    prompt: BenchPrompt
    repetition: int
    measure: ArmMeasurement


@dataclass(frozen=True)
class BenchOutcome:
    """The samples; `interrupted` if Ctrl-C ended the measurement early."""

    samples: list[Sample]
    interrupted: bool = False


def run(
    arms: Sequence[Arm],
    prompts: Sequence[BenchPrompt],
    *,
    repetitions: int,
    max_tokens: int,
    progress: Callable[[str], None] = lambda _: None,
) -> BenchOutcome:
    """Measure the answers of every arm to every prompt, `repetitions` times.

    In each repetition, arms that learn start from nothing and answer every prompt once before their answers count, so
    that repetitions are independent; before the first one, all arms do. The order of the arms rotates with each prompt
    and repetition, so that the machine's drift affects all equally, and no arm always follows the same one. Ctrl-C ends
    the measurement; the prompts that every arm has answered are kept.
    """
    samples: list[Sample] = []
    try:
        for repetition in range(repetitions):
            now = f"repetition {repetition + 1} of {repetitions}"
            for arm in arms:
                if arm.renew is not None:
                    progress(f"{now}, calibrating {arm.name}")
                    arm.renew()
            warmed = [arm for arm in arms if arm.renew is not None or repetition == 0]
            for answering, part in ((warmed, "warming up, "), (arms, "")):
                for index, prompt in enumerate(prompts):
                    measured = []
                    for arm in _rotated(answering, index + repetition):
                        progress(f"{now}, {part}prompt {index + 1} of {len(prompts)}, {arm.name}")
                        measured.append(Sample(arm.name, prompt, repetition, arm.answer(prompt, max_tokens)))
                    if answering is arms:
                        samples += measured
    except KeyboardInterrupt:
        return BenchOutcome(samples, interrupted=True)
    return BenchOutcome(samples)


def _rotated(arms: Sequence[Arm], by: int) -> list[Arm]:
    first = by % len(arms) if arms else 0
    return [*arms[first:], *arms[:first]]


def summarise(samples: Sequence[Sample]) -> dict[str, Any]:
    """Return medians by arm, over all prompts and by kind; ratios are to the baseline's answer to the same prompt."""
    reference = {(sample.prompt, sample.repetition): sample.measure for sample in samples if sample.arm == "plain"}
    arms: dict[str, Any] = {}
    for name in dict.fromkeys(sample.arm for sample in samples):
        of_arm = [sample for sample in samples if sample.arm == name]
        kinds = dict.fromkeys(sample.prompt.kind for sample in of_arm)
        by_kind = {
            kind: _figures([sample for sample in of_arm if sample.prompt.kind == kind], reference) for kind in kinds
        }
        arms[name] = _figures(of_arm, reference) | {"by_kind": by_kind}
    return {"machine": machine(), "baseline": "plain", "arms": arms}


def context_shares(arms: dict[str, Any]) -> dict[str, float]:
    """Return by context what share of a plain step it adds, from `summarise`'s arms; none where noise was larger."""
    speeds = {kind: figures["decode_tps"] for kind, figures in arms["plain"]["by_kind"].items()}
    alone = speeds.pop(next(iter(speeds)))
    return {kind: round(1 - speed / alone, 3) for kind, speed in speeds.items() if speed < alone}


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the lower and the upper quartile."""
    lower, _, upper = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return round(lower, 3), round(upper, 3)


def machine() -> dict[str, Any]:
    """Return the machine and the versions of a measurement."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": mx.device_info().get("device_name") or platform.processor() or None,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "memory_gb": round(system_memory().total / 1e9, 1),
        "device": str(mx.default_device()),
        "blas": BLAS,
        "versions": {name: version(name) for name in ("mlx", "mlx-lm", "transformers")},
    }


def _figures(samples: Sequence[Sample], reference: dict[tuple[BenchPrompt, int], ArmMeasurement]) -> dict[str, Any]:
    """Return the figures of one arm, compared with the answers to the same prompts in `reference`.

    A figure is None if no sample has it.
    """
    measures = [sample.measure for sample in samples]
    plain = [reference[sample.prompt, sample.repetition] for sample in samples]
    pairs = list(zip(measures, plain, strict=True))
    # Answers of a token or two have no decode speed.
    with_speed = [(measure, base) for measure, base in pairs if measure.decode_tps > 0 and base.decode_tps > 0]
    ratios = [_possible(measure.decode_tps / base.decode_tps, measure) for measure, base in with_speed]
    tokens = sum((Counter(measure.sources) for measure in measures), Counter[str]())
    return {
        "answers": len(samples),
        "decode_tps": round(median(measure.decode_tps for measure in measures), 1),
        "speedup": _median(ratios, 3),
        "slowest_speedup": _slowest_speedup(samples, reference),
        "answer_speedup": round(median(_answer_ratio(sample, reference) for sample in samples), 3),
        "ttft_ratio": round(median(measure.ttft_s / base.ttft_s for measure, base in pairs), 3),
        "tokens_per_round": _median([measure.tokens_per_round for measure in measures], 2),
        "accept_rate": _accept_rate(measures),
        "host_share": _median([measure.host_share for measure in measures], 4),
        "sources": {source: round(count / tokens.total(), 3) for source, count in tokens.most_common()},
    }


def _slowest_speedup(
    samples: Sequence[Sample], reference: dict[tuple[BenchPrompt, int], ArmMeasurement]
) -> float | None:
    """Return the ratio of the slowest prompt, each of which has the median of its repetitions.

    The smallest ratio of single answers would tell of the machine: with two times plain decoding of 16 to 128 tokens,
    a loaded machine gives 0.6. None without answers that are long enough.
    """
    by_prompt: dict[BenchPrompt, list[float]] = {}
    for sample in samples:
        measure = sample.measure
        base = reference[sample.prompt, sample.repetition]
        if measure.tokens >= _NOTICEABLE_TOKENS and base.decode_tps > 0:
            ratio = _possible(measure.decode_tps / base.decode_tps, measure)
            by_prompt.setdefault(sample.prompt, []).append(ratio)
    return round(min(map(median, by_prompt.values())), 3) if by_prompt else None


def _median(values: Sequence[float | None], digits: int) -> float | None:
    """Return the median of the values that are known, rounded; None if none is."""
    known = [value for value in values if value is not None]
    return round(median(known), digits) if known else None


def _accept_rate(measures: Sequence[ArmMeasurement]) -> float | None:
    """Return the share of all draft tokens that were accepted; None if nothing was drafted."""
    stats = [measure.stats for measure in measures if measure.stats]
    drafted = sum(figures.drafted for figures in stats)
    return round(sum(figures.accepted for figures in stats) / drafted, 3) if drafted else None


def _answer_ratio(sample: Sample, reference: dict[tuple[BenchPrompt, int], ArmMeasurement]) -> float:
    """Return the tokens a second of the whole answer, prefill included, over the baseline's."""
    plain = reference[sample.prompt, sample.repetition]
    ratio = (sample.measure.tokens / sample.measure.total_s) / (plain.tokens / plain.total_s)
    return _possible(ratio, sample.measure)


def _possible(ratio: float, measure: ArmMeasurement) -> float:
    """Return a ratio to plain decoding, at most the tokens a round: a larger one says that the baseline stalled."""
    rate = measure.tokens_per_round
    return ratio if rate is None else min(ratio, rate)
