"""Memory of one answer after another: ours beside mlx-lm's, by part."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm import stream_generate

from engine.bench.arms import run_to_end
from engine.bench.prompts import Prompt
from engine.bench.runner import machine
from engine.loading import LoadedModel
from engine.requests import ChatRequest, SpeculationSettings
from engine.scheduler import Scheduler


def measure(
    scheduler: Scheduler,
    main: LoadedModel,
    prompts: Sequence[Prompt],
    *,
    answers: int,
    max_tokens: int,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Bytes during and after `answers` answers of mlx-lm, then of ours, plain and with speculation.

    Of each: `peak` is the most that was in use during an answer; `first` and `last` what is in use after the first and
    the last answer, without the caches of finished answers, which are `kept` for their next turn; `buffers` what MLX
    keeps to use again. `parts` are what ours consists of at the end. Ctrl-C ends it.
    """
    ways: dict[str, Callable[[str], None]] = {
        "mlx-lm plain": lambda text: _mlx_lm(main, text, max_tokens),
        "plain": lambda text: _ours(scheduler, text, max_tokens, "off"),
        "auto": lambda text: _ours(scheduler, text, max_tokens, "auto"),
    }
    figures: dict[str, dict[str, int]] = {}
    interrupted = False
    for name, answer in ways.items():
        scheduler.clear_prefix_cache()
        mx.clear_cache()
        try:
            for number in range(answers):
                mx.reset_peak_memory()
                answer(prompts[number % len(prompts)].text)
                known = figures.setdefault(name, {"peak": 0})
                known["peak"] = max(known["peak"], mx.get_peak_memory())
                if number in (0, answers - 1):
                    known["buffers"] = mx.get_cache_memory()
                    known["last"], known["kept"] = _after_clearing(scheduler)
                    known.setdefault("first", known["last"])
                progress(f"{name}, answer {number + 1} of {answers}")
        except KeyboardInterrupt:
            interrupted = True
            break
    return {"machine": machine(), "interrupted": interrupted, "memory": figures, "parts": _parts(scheduler, figures)}


def _parts(scheduler: Scheduler, figures: dict[str, dict[str, int]]) -> dict[str, int]:
    drafter = scheduler.models.drafter
    models = {
        "main model": scheduler.models.main.info.bytes,
        "drafter": 0 if drafter is None else drafter.info.bytes,
    }
    kept = max((known.get("kept", 0) for known in figures.values()), default=0)
    return models | {"caches kept": kept, "rest": _after_clearing(scheduler)[0] - sum(models.values())}


def _after_clearing(scheduler: Scheduler) -> tuple[int, int]:
    """Bytes in use without the caches of finished answers, and how many those took: they may share arrays."""
    used = _in_use()
    scheduler.clear_prefix_cache()
    left = _in_use()
    return left, used - left


def _in_use() -> int:
    # What only a reference cycle keeps is no growth.
    gc.collect()
    return int(mx.get_active_memory())


def _ours(scheduler: Scheduler, text: str, max_tokens: int, method: str) -> None:
    messages = [{"role": "user", "content": text}]
    run_to_end(scheduler, ChatRequest(messages, speculation=SpeculationSettings(method=method), max_tokens=max_tokens))


def _mlx_lm(main: LoadedModel, text: str, max_tokens: int) -> None:
    prompt = main.prompt_ids([{"role": "user", "content": text}])
    for _ in stream_generate(main.model, main.mlx_lm_tokenizer, prompt, max_tokens=max_tokens):
        pass
