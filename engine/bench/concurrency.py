"""Concurrent requests: our scheduler and mlx-lm's batch_generate on the same prompts and model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from mlx_lm.generate import batch_generate

from engine.bench.prompts import Prompt
from engine.bench.runner import machine
from engine.errors import EngineError
from engine.events import Event, Failed, Finished
from engine.loading import LoadedModel
from engine.requests import ChatRequest
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
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Tokens a second of `counts` concurrent answers, from the first submission to the last token, prefill included.

    Both decode greedily and alternate in running first; `ratio` is the median of ours over mlx-lm's by repetition.
    Ctrl-C ends it with the repetitions that are complete.
    """
    groups: dict[str, Any] = {}
    interrupted = False
    for count in counts:
        texts = [prompts[index % len(prompts)].text for index in range(count)]
        speeds: list[tuple[float, float]] = []
        try:
            for repetition in range(-1, repetitions):
                if repetition % 2 == 0:
                    speed, other = _ours(scheduler, texts, max_tokens), _mlx_lm(main, texts, max_tokens)
                else:
                    other, speed = _mlx_lm(main, texts, max_tokens), _ours(scheduler, texts, max_tokens)
                if repetition >= 0:
                    speeds.append((speed, other))
                progress(f"{count} at once, repetition {repetition + 1} of {repetitions}")
        except KeyboardInterrupt:
            interrupted = True
        if speeds:
            groups[str(count)] = {
                "tokens_per_s": round(median(ours for ours, _ in speeds), 1),
                "mlx_lm_tokens_per_s": round(median(theirs for _, theirs in speeds), 1),
                "ratio": round(median(ours / theirs for ours, theirs in speeds), 3),
            }
        if interrupted:
            break
    return {"machine": machine(), "interrupted": interrupted, "concurrent": groups}


def _ours(scheduler: Scheduler, texts: Sequence[str], max_tokens: int) -> float:
    scheduler.clear_prefix_cache()
    ended: list[Event] = []

    def listen(event: Event) -> None:
        if isinstance(event, Finished | Failed):
            ended.append(event)

    started = time.perf_counter()
    for text in texts:
        request = ChatRequest([{"role": "user", "content": text}], max_tokens=max_tokens)
        scheduler.admit(RequestStream(request, on_event=listen))
    while scheduler.busy:
        scheduler.step()
    seconds = time.perf_counter() - started
    answers = [event for event in ended if isinstance(event, Finished)]
    if len(answers) < len(texts):
        raise EngineError("an answer failed")
    return sum(len(answer.ids) for answer in answers) / seconds


def _mlx_lm(main: LoadedModel, texts: Sequence[str], max_tokens: int) -> float:
    started = time.perf_counter()
    prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in texts]
    response = batch_generate(main.model, main.tokenizer, prompts, max_tokens=max_tokens)
    return float(response.stats.generation_tokens / (time.perf_counter() - started))
