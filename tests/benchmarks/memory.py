"""Measures the memory of successive answers by part, Tandem's beside mlx-lm's."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm import stream_generate
from mlx_lm.models.cache import make_prompt_cache

from app.cli.bench import install
from app.cli.pair_options import chosen_pair
from app.cli.terminal import format_bytes, print_table
from engine.bench.arms import run_to_end
from engine.bench.prompts import BenchPrompt
from engine.bench.runner import machine
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.benchmarks import options


def measure(
    scheduler: Scheduler,
    main: LoadedModel,
    prompts: Sequence[BenchPrompt],
    *,
    answers: int,
    max_tokens: int,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure bytes during and after `answers` answers of mlx-lm, then of Tandem, plain and with speculation.

    For each, `peak` is the most in use during an answer; `first` and `last` are in use after the first and the last
    answer, without the caches of finished answers, which are `kept` for their next turn; `buffers` are kept by MLX for
    reuse. `at_peak` divides the highest peak: "weights", "drafter", "caches" of the answer, "kept" (in use before it),
    and "graph" (the rest). Repeated prompts are not divided, because their caches begin with kept ones. `parts` divides
    Tandem's memory at the end. Ctrl-C ends the measurement.
    """
    ways: dict[str, Callable[[str], int]] = {
        "mlx-lm plain": lambda text: _mlx_lm(main, text, max_tokens),
        "plain": lambda text: _ours(scheduler, text, max_tokens, "off"),
        "auto": lambda text: _ours(scheduler, text, max_tokens, "auto"),
    }
    figures: dict[str, dict[str, int]] = {}
    at_peak: dict[str, dict[str, int]] = {}
    interrupted = False
    for name, answer in ways.items():
        scheduler.clear_prefix_cache()
        mx.clear_cache()
        try:
            for number in range(answers):
                before = _in_use()
                mx.reset_peak_memory()
                caches, peak = answer(prompts[number % len(prompts)].text), mx.get_peak_memory()
                known = figures.setdefault(name, {"peak": 0})
                known["peak"] = max(known["peak"], peak)
                if number < len(prompts) and peak > sum(at_peak.get(name, {}).values()):
                    at_peak[name] = _at_peak(scheduler, before, caches, peak)
                if number in (0, answers - 1):
                    known["buffers"] = mx.get_cache_memory()
                    known["last"], known["kept"] = _after_clearing(scheduler)
                    known.setdefault("first", known["last"])
                progress(f"{name}, answer {number + 1} of {answers}")
        except KeyboardInterrupt:
            interrupted = True
            break
    return {
        "machine": machine(),
        "interrupted": interrupted,
        "memory": figures,
        "at_peak": at_peak,
        "parts": _parts(scheduler, figures),
    }


def _at_peak(scheduler: Scheduler, before: int, caches: int, peak: int) -> dict[str, int]:
    main, drafter = _weights(scheduler)
    kept = max(0, before - main - drafter)
    graph = peak - main - drafter - kept - caches
    return {"weights": main, "drafter": drafter, "caches": caches, "graph": graph, "kept": kept}


def _weights(scheduler: Scheduler) -> tuple[int, int]:
    """Return the bytes of the main model and of the drafter."""
    drafter = scheduler.models.drafter
    return scheduler.models.main.info.bytes, 0 if drafter is None else drafter.info.bytes


def _parts(scheduler: Scheduler, figures: dict[str, dict[str, int]]) -> dict[str, int]:
    main, drafter = _weights(scheduler)
    kept = max((known.get("kept", 0) for known in figures.values()), default=0)
    rest = _after_clearing(scheduler)[0] - main - drafter
    return {"main model": main, "drafter": drafter, "caches kept": kept, "rest": rest}


def _after_clearing(scheduler: Scheduler) -> tuple[int, int]:
    """Return the bytes in use without the caches of finished answers, and of those, which may share arrays."""
    used = _in_use()
    scheduler.clear_prefix_cache()
    left = _in_use()
    return left, used - left


def _in_use() -> int:
    # Memory that only a reference cycle keeps is no growth.
    gc.collect()
    return int(mx.get_active_memory())


def _ours(scheduler: Scheduler, text: str, max_tokens: int, method: str) -> int:
    """The bytes of the caches that the answer leaves."""
    messages = [{"role": "user", "content": text}]
    run_to_end(scheduler, ChatRequest(messages, speculation=SpeculationSettings(method=method), max_tokens=max_tokens))
    return scheduler.prefix_cache.latest.bytes


def _mlx_lm(main: LoadedModel, text: str, max_tokens: int) -> int:
    """The bytes of the caches that the answer leaves."""
    prompt = main.prompt_ids([{"role": "user", "content": text}])
    caches, tokenizer = make_prompt_cache(main.model), main.tokenizer
    for _ in stream_generate(main.model, tokenizer, prompt, max_tokens=max_tokens, prompt_cache=caches):
        pass
    return sum(int(cache.nbytes) for cache in caches)


def print_table_of(report: dict[str, Any]) -> None:
    head = ("answers", "peak", "after the first", "after the last", "kept caches", "free buffers")
    keys = ("peak", "first", "last", "kept", "buffers")
    rows = [(name, *(format_bytes(figures[key]) for key in keys)) for name, figures in report["memory"].items()]
    print_table(head, rows, figures=head[1:])
    print()
    head = ("at the peak", "weights", "drafter", "caches", "graph", "kept caches")
    keys = ("weights", "drafter", "caches", "graph", "kept")
    rows = [(name, *(format_bytes(parts[key]) for key in keys)) for name, parts in report["at_peak"].items()]
    print_table(head, rows, figures=head[1:])
    print()
    print_table(("part", "size"), [(name, format_bytes(size)) for name, size in report["parts"].items()], ("size",))


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__, repetitions=False)
    options.add_answer_options(parser)
    parser.add_argument("--answers", type=int, default=20, metavar="N", help="answers one by one (20)")
    arguments = parser.parse_args()
    scheduler = Scheduler()
    name, draft = chosen_pair(arguments)
    main_model = load(name)
    install(scheduler, main_model, draft)
    asked, how = options.prompts_of(arguments), {"answers": arguments.answers, "max_tokens": arguments.max_tokens}
    options.show(arguments, measure(scheduler, main_model, asked, **how, progress=options.progress), print_table_of)
    scheduler.close()


if __name__ == "__main__":
    main()
