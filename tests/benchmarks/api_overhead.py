"""Measures what the local API adds to the engine's own time: until the first token, and for each token after it.

One engine answers both, in blocks whose order is mirrored: engine, API, API, engine, and the next one the other way
round, so that other load affects both alike. Medians of blocks come with their 95% interval, because two equal answers
differ by more than the API's cost. The client is a process of its own, as every client is, and only notes when bytes
arrive (`api_client`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from statistics import fmean, median
from typing import Any

from app.api.engine_host import EngineHost
from app.api.guard import ApiSettings
from app.api.local_api import LocalApi
from engine import ChatRequest, Engine, SpeculationSettings
from engine.events import Event, Failed, Finished, TokensCommitted
from tests.benchmarks.api import Conversation, ServerFailed

# Plain decoding sends the most events a token, speculation has the shortest tokens. The rounds of "auto" depend on the
# moment; "draft" with a fixed depth has the same rounds in every answer, so it shows smaller differences.
SPECULATION = {
    "off": SpeculationSettings("off"),
    "auto": SpeculationSettings("auto"),
    "draft": SpeculationSettings("draft", 4),
}
# The number of questions that are answered before anything is measured.
_WARM_UP = 2
# Tokens of the answers that measure only the first token, and their blocks for each text.
_SHORT, _SHORT_BLOCKS = 2, 3

# `first_s` and `last_s`, when the first and the last piece of its text came, its `tokens` and its `text`.
_Answer = dict[str, Any]
Ask = Callable[[], _Answer]


@dataclass(frozen=True)
class Block:
    """Answers to one text: some by the engine itself, and as many over the API."""

    own: Sequence[_Answer]
    over_api: Sequence[_Answer]

    def over(self, figure: Callable[[_Answer], float]) -> float:
        """Return how much larger the figure is over the API."""
        return fmean(map(figure, self.over_api)) - fmean(map(figure, self.own))


@dataclass
class _Times:
    """The times at which an answer's text arrived, in seconds since the request."""

    asked: float = field(default_factory=time.perf_counter)
    times: list[float] = field(default_factory=list)
    text: str = ""
    tokens: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def take(self, event: Event) -> None:
        """Note an event; called on the engine's thread."""
        if isinstance(event, TokensCommitted) and event.text:
            self.times.append(time.perf_counter() - self.asked)
        elif isinstance(event, Finished | Failed):
            self.text = event.text
            self.tokens = event.stats.generated_tokens if event.stats is not None else 0
            self.ended.set()

    @property
    def figures(self) -> _Answer:
        return {"first_s": self.times[0], "last_s": self.times[-1], "tokens": self.tokens, "text": self.text}


def measure(
    main: str,
    draft: str | None,
    texts: Sequence[str],
    *,
    repetitions: int,
    max_tokens: int,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure medians by method over answers to every text, as `figures_of` describes. Raises `EngineError`."""
    methods = [method for method in SPECULATION if draft is not None or method != "draft"]
    blocks: dict[str, list[Block]] = {method: [] for method in methods}
    with Engine() as engine:
        host = EngineHost(engine)
        host.load(main, draft).result()
        api = LocalApi(host)
        api.start(ApiSettings(port=0))
        try:
            with _client(api.status.address) as ask:
                for number in range(-_WARM_UP, repetitions * len(texts)):
                    asked = [{"role": "user", "content": texts[number % len(texts)]}]
                    for method, found in blocks.items():
                        for turn, tokens in enumerate((max_tokens, *[_SHORT] * _SHORT_BLOCKS), number):
                            how = (asked, tokens, method)
                            asks = partial(_own, engine, *how), partial(ask, *how)
                            found.append(_mirrored(engine, *asks, own_first=turn % 2 == 0))
                    if number < 0:
                        blocks = {method: [] for method in methods}
                    progress(f"overhead, {max(0, number + 1)} of {repetitions * len(texts)}")
        finally:
            api.stop()
    return {method: figures_of(measured) for method, measured in blocks.items()}


def _mirrored(engine: Engine, own: Ask, over_api: Ask, *, own_first: bool) -> Block:
    """Return two answers of each way; none finds the prompt in the cache."""
    first, second = (own, over_api) if own_first else (over_api, own)
    answers: dict[Ask, list[_Answer]] = {first: [], second: []}
    for ask in (first, second, second, first):
        engine.clear_prefix_cache().result()
        answers[ask].append(ask())
    return Block(answers[own], answers[over_api])


def table(report: dict[str, Any]) -> str:
    """Format the report for a terminal."""
    return "\n".join(
        f"{method}: first token {figures['first_token_ms']} ms, over the API {_spread(figures, 'first_token_over_ms')} "
        f"ms; a token {figures['token_ms']} ms, over the API {_spread(figures, 'token_over_percent')} %; "
        f"same text in {figures['same_text']} of {figures['answers']} answers"
        for method, figures in report.items()
    )


def _spread(figures: dict[str, Any], name: str) -> str:
    if figures[name] is None:
        return "not known"
    least, most = figures[f"{name}_between"]
    return f"{figures[name]:+} ({least:+} to {most:+})"


def figures_of(blocks: Sequence[Block]) -> dict[str, Any]:
    """Return the engine's own milliseconds, and what the API adds, as medians over blocks with 95% intervals.

    The time of a token is from answers with more than _SHORT tokens; None if all of their text arrived at once.
    """
    firsts = [block.over(_first) for block in blocks]
    slow = [block for block in blocks if all(map(_is_long, (*block.own, *block.over_api)))]
    ratios = [block.over(_per_token) / fmean(map(_per_token, block.own)) for block in slow]
    pairs = [pair for block in blocks for pair in zip(block.own, block.over_api, strict=True)]
    return {
        "answers": len(pairs),
        "same_text": sum(own["text"] == other["text"] for own, other in pairs),
        "first_token_ms": round(median(_first(own) for own, _ in pairs) * 1e3, 2),
        "first_token_over_ms": round(median(firsts) * 1e3, 2),
        "first_token_over_ms_between": [round(bound * 1e3, 2) for bound in interval(firsts)],
        "token_ms": round(median(_per_token(own) for block in slow for own in block.own) * 1e3, 3) if slow else None,
        "token_over_percent": round(median(ratios) * 100, 1) if slow else None,
        "token_over_percent_between": [round(bound * 100, 1) for bound in interval(ratios)] if slow else None,
    }


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return a 95% confidence interval of the median of `values`, for any distribution.

    It follows from the ranks of the values; with fewer than six, the lowest and the highest cover less than 95%.
    """
    ranked = sorted(values)
    outside = max(0, int((len(ranked) - 1.96 * sqrt(len(ranked))) / 2))
    return ranked[outside], ranked[-1 - outside]


def _first(answer: _Answer) -> float:
    return float(answer["first_s"])


def _is_long(answer: _Answer) -> bool:
    return answer["tokens"] > _SHORT and _per_token(answer) > 0


def _per_token(answer: _Answer) -> float:
    found: float = (answer["last_s"] - answer["first_s"]) / max(1, answer["tokens"] - 1)
    return found


def _own(engine: Engine, messages: Conversation, max_tokens: int, method: str) -> _Answer:
    times = _Times()
    request = ChatRequest(messages, speculation=SPECULATION[method], max_tokens=max_tokens)
    engine.submit(request, times.take)
    times.ended.wait()
    return times.figures


@contextmanager
def _client(address: str) -> Iterator[Callable[[Conversation, int, str], _Answer]]:
    """Start the client in another process."""
    command = [sys.executable, "-m", "tests.benchmarks.api_client", address]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        questions, answers = process.stdin, process.stdout
        assert questions is not None
        assert answers is not None

        def ask(messages: Conversation, max_tokens: int, method: str) -> _Answer:
            options = {"stream": True, "stream_options": {"include_usage": True}, "temperature": 0.0}
            speculation = {"method": method, "depth": SPECULATION[method].depth}
            body = {"messages": messages, "max_tokens": max_tokens, "speculation": speculation, **options}
            print(json.dumps(body), file=questions, flush=True)
            if not (line := answers.readline()):
                raise ServerFailed("the API did not answer the client of the benchmark")
            found: _Answer = json.loads(line)
            return found

        try:
            yield ask
        finally:
            questions.close()
