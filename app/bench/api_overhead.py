"""What the local API costs beside asking the engine itself: until the first token, and for each token after it.

One engine answers both, in turns. The client is a process of its own, as every client is, and does nothing but note
when bytes come (`api_client`).
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
from statistics import median
from typing import Any

from app.api.engine_host import EngineHost
from app.api.local_api import ApiSettings, LocalApi
from app.bench.api_bench import Conversation, ServerFailed
from engine import ChatRequest, Engine, SpeculationSettings
from engine.events import Event, Failed, Finished, TokensCommitted

# Plain decoding sends the most events a token, speculation has the shortest tokens.
METHODS = ("off", "auto")
# Questions that are answered before anything is measured.
_WARM_UP = 4

# `first_s` and `last_s`, when the first and the last piece of its text came, its `tokens` and its `text`.
_Answer = dict[str, Any]
# The engine's own answer, and the one over the API.
_Pair = tuple[_Answer, _Answer]
Ask = Callable[[], _Answer]


@dataclass
class _Times:
    """When an answer's text came, in seconds since it was asked for."""

    asked: float = field(default_factory=time.perf_counter)
    times: list[float] = field(default_factory=list)
    text: str = ""
    tokens: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def take(self, event: Event) -> None:
        """Called on the engine's thread."""
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
    """Medians by method, over answers to every text: see `figures_of`. Raises `EngineError`."""
    pairs: dict[str, list[_Pair]] = {method: [] for method in METHODS}
    with Engine() as engine:
        host = EngineHost(engine)
        host.load(main, draft).result()
        api = LocalApi(host)
        api.start(ApiSettings(port=0))
        try:
            with _client(api.status.address) as ask:
                for number in range(-_WARM_UP, repetitions * len(texts)):
                    asked = [{"role": "user", "content": texts[number % len(texts)]}]
                    for method in METHODS:
                        how = (asked, max_tokens, method)
                        pair = _in_turn(engine, partial(_own, engine, *how), partial(ask, *how), own_first=number % 2)
                        if number >= 0:
                            pairs[method].append(pair)
                    progress(f"overhead, {max(0, number + 1)} of {repetitions * len(texts)}")
        finally:
            api.stop()
    return {method: figures_of(measured) for method, measured in pairs.items()}


def _in_turn(engine: Engine, own: Ask, over_api: Ask, *, own_first: int) -> _Pair:
    """Both answers; neither finds the other's prompt in the cache."""
    answers = {}
    for ask in (own, over_api) if own_first else (over_api, own):
        engine.clear_prefix_cache().result()
        answers[ask] = ask()
    return answers[own], answers[over_api]


def table(report: dict[str, Any]) -> str:
    """The report as lines for a terminal."""
    return "\n".join(
        f"{method}: first token {figures['first_token_ms']} ms, over the API {figures['first_token_over_ms']:+} ms; "
        f"a token {figures['token_ms']} ms, over the API {figures['token_over_percent']}% more; "
        f"same text in {figures['same_text']} of {figures['answers']} answers"
        for method, figures in report.items()
    )


def figures_of(pairs: Sequence[_Pair]) -> dict[str, float | None]:
    """The engine's own milliseconds, and what the API adds: medians over pairs of answers one after the other.

    Those of a token are None where all text came at once.
    """
    tokens = [(_per_token(own), _per_token(other)) for own, other in pairs if min(map(_per_token, (own, other))) > 0]
    return {
        "answers": len(pairs),
        "same_text": sum(own["text"] == other["text"] for own, other in pairs),
        "first_token_ms": round(median(own["first_s"] for own, _ in pairs) * 1e3, 2),
        "first_token_over_ms": round(median(other["first_s"] - own["first_s"] for own, other in pairs) * 1e3, 2),
        "token_ms": round(median(own for own, _ in tokens) * 1e3, 3) if tokens else None,
        "token_over_percent": round(median(other / own - 1 for own, other in tokens) * 100, 1) if tokens else None,
    }


def _per_token(figures: _Answer) -> float:
    found: float = (figures["last_s"] - figures["first_s"]) / max(1, figures["tokens"] - 1)
    return found


def _own(engine: Engine, messages: Conversation, max_tokens: int, method: str) -> _Answer:
    times = _Times()
    request = ChatRequest(messages, speculation=SpeculationSettings(method), max_tokens=max_tokens)
    engine.submit(request, times.take)
    times.ended.wait()
    return times.figures


@contextmanager
def _client(address: str) -> Iterator[Callable[[Conversation, int, str], _Answer]]:
    """What asks from another process."""
    command = [sys.executable, "-m", "app.bench.api_client", address]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        questions, answers = process.stdin, process.stdout
        assert questions is not None
        assert answers is not None

        def ask(messages: Conversation, max_tokens: int, method: str) -> _Answer:
            options = {"stream": True, "stream_options": {"include_usage": True}, "temperature": 0.0}
            body = {"messages": messages, "max_tokens": max_tokens, "speculation": method, **options}
            print(json.dumps(body), file=questions, flush=True)
            if not (line := answers.readline()):
                raise ServerFailed("the API did not answer the client of the benchmark")
            found: _Answer = json.loads(line)
            return found

        try:
            yield ask
        finally:
            questions.close()
