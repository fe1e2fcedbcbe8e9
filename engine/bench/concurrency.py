"""Concurrent requests: our scheduler, with and without speculation, and mlx-lm's batch_generate on the same prompts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from mlx_lm.generate import batch_generate

from engine.bench.prompts import Prompt
from engine.bench.runner import machine
from engine.errors import EngineError
from engine.events import Event, Failed, Finished, TokensCommitted
from engine.loading import LoadedModel
from engine.requests import ChatRequest, SpeculationSettings
from engine.scheduler import Scheduler
from engine.stream import RequestStream


def measure(
    scheduler: Scheduler,
    main: LoadedModel,
    counts: Sequence[int],
    prompts: Sequence[Prompt],
    *,
    repetitions: int,
    max_tokens: int,
    method: str = "auto",
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Tokens a second of `counts` concurrent answers, from the first submission to the last token, prefill included.

    All decode greedily: ours with speculation by `method` and without, ours in mlx-lm's batches as families without
    rows use them, and mlx-lm's own `batch_generate`. They take turns in running first. Medians by repetition: `ratio`
    and `plain_ratio` are of ours over mlx-lm's own, with and without speculation; `gain` is of ours with speculation
    over ours without, and `batch_ratio` over ours in mlx-lm's batches. `sources` has each source's share of the tokens.
    Ctrl-C ends it with the repetitions that are complete.
    """
    groups: dict[str, Any] = {}
    interrupted = False
    for count in counts:
        texts = [prompts[index % len(prompts)].text for index in range(count)]
        tallies = Counter[str]()
        arms: list[tuple[str, Callable[[], float]]] = [
            ("ours", partial(_ours, scheduler, texts, max_tokens, method, tallies)),
            ("plain", partial(_ours, scheduler, texts, max_tokens, "off", Counter())),
            ("batch", partial(_ours_in_batches, scheduler, texts, max_tokens)),
            ("mlx-lm", partial(_mlx_lm, main, texts, max_tokens)),
        ]
        speeds: list[dict[str, float]] = []
        try:
            for repetition in range(-1, repetitions):
                turn = repetition % len(arms)
                speed = {name: run() for name, run in [*arms[turn:], *arms[:turn]]}
                if repetition >= 0:
                    speeds.append(speed)
                else:
                    # The warm-up.
                    tallies.clear()
                progress(f"{count} at once, repetition {repetition + 1} of {repetitions}")
        except KeyboardInterrupt:
            interrupted = True
        if speeds:
            groups[str(count)] = _figures(speeds, tallies)
        if interrupted:
            break
    return {"machine": machine(), "interrupted": interrupted, "concurrent": groups}


def _figures(speeds: Sequence[dict[str, float]], tallies: Counter[str]) -> dict[str, Any]:
    def typical(name: str) -> float:
        return round(median(speed[name] for speed in speeds), 1)

    def ratio(name: str, base: str) -> float:
        return round(median(speed[name] / speed[base] for speed in speeds), 3)

    return {
        "tokens_per_s": typical("ours"),
        "plain_tokens_per_s": typical("plain"),
        "batch_tokens_per_s": typical("batch"),
        "mlx_lm_tokens_per_s": typical("mlx-lm"),
        "ratio": ratio("ours", "mlx-lm"),
        "plain_ratio": ratio("plain", "mlx-lm"),
        "gain": ratio("ours", "plain"),
        "batch_ratio": ratio("ours", "batch"),
        "sources": {source: round(tokens / tallies.total(), 3) for source, tokens in tallies.most_common()},
    }


def _ours(scheduler: Scheduler, texts: Sequence[str], max_tokens: int, method: str, tallies: Counter[str]) -> float:
    """Tokens a second; adds each source's tokens to `tallies`."""
    scheduler.clear_prefix_cache()
    ended: list[Event] = []

    def listen(event: Event) -> None:
        if isinstance(event, TokensCommitted):
            tallies.update(token.source for token in event.tokens)
        elif isinstance(event, Finished | Failed):
            ended.append(event)

    speculation = SpeculationSettings(method=method)
    started = time.perf_counter()
    for text in texts:
        messages = [{"role": "user", "content": text}]
        request = ChatRequest(messages, speculation=speculation, max_tokens=max_tokens)
        scheduler.admit(RequestStream(request, on_event=listen))
    while scheduler.busy:
        scheduler.step()
    seconds = time.perf_counter() - started
    answers = [event for event in ended if isinstance(event, Finished)]
    if len(answers) < len(texts):
        raise EngineError("an answer failed")
    return sum(len(answer.ids) for answer in answers) / seconds


def _ours_in_batches(scheduler: Scheduler, texts: Sequence[str], max_tokens: int) -> float:
    settings = scheduler.settings
    scheduler.configure(replace(settings, ragged_rounds=False))
    try:
        return _ours(scheduler, texts, max_tokens, "off", Counter())
    finally:
        scheduler.configure(settings)


def _mlx_lm(main: LoadedModel, texts: Sequence[str], max_tokens: int) -> float:
    started = time.perf_counter()
    prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in texts]
    response = batch_generate(main.model, main.tokenizer, prompts, max_tokens=max_tokens)
    return float(response.stats.generation_tokens / (time.perf_counter() - started))
