"""The speed of the loaded pair in half a minute: the same questions with and without speculation, in turns."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from statistics import median

from engine.bench.prompts import BUILT_IN
from engine.client import EngineClient
from engine.errors import EngineError
from engine.events import Failed, Finished
from engine.requests import ChatRequest, SpeculationSettings
from engine.tuning import Rounding

SECONDS = 30.0
_TOKENS = 96
_PLAIN = SpeculationSettings("off")
_AUTOMATIC = SpeculationSettings()
# All kinds of questions in one language first: half a minute may not be enough for more.
_QUESTIONS = [one.text for language in ("en", "ko", "ja", "zh") for one in BUILT_IN if one.language == language]


@dataclass(frozen=True, slots=True)
class PairCheck:
    """What a check measured of the loaded pair; the speeds are medians of `answers` answers each, in tokens a second.

    `times` is the median of the ratios of speculative answers to plain ones. It, `best_tps` and `accept_rate` are None
    if no draft tokens were used, because speculation is off or nothing could be drafted.

    `ended` says what ended the check early: "" (nothing), "stopped", "busy" (another answer was under way), or "failed"
    with `error`. `memory_limit` is the
    bytes that the engine allows. `rounding` is what the engine's probe has found; None before it ran. `identical` says
    whether each answer had the same tokens both ways, as greedy ones have that are not rounded apart.
    """

    main: str
    draft: str
    memory_limit: int = 0
    plain_tps: float | None = None
    best_tps: float | None = None
    times: float | None = None
    accept_rate: float | None = None
    answers: int = 0
    ended: str = ""
    error: EngineError | None = None
    rounding: Rounding | None = None
    identical: bool | None = None


class _Ended(Exception):
    """The check cannot go on: the reason as in `PairCheck.ended`."""


def check_pair(
    engine: EngineClient,
    main: str,
    draft: str,
    stop: threading.Event,
    speculation: SpeculationSettings = _AUTOMATIC,
    seconds: float = SECONDS,
) -> PairCheck:
    """Ask the loaded models for about `seconds`, and report what was measured by then.

    Takes that long, so it must not run on the engine's thread or a window's. `stop` ends it within one round.
    """
    plain: list[Finished] = []
    best: list[Finished] = []
    ended, error, limit, rounding = "", None, 0, None
    try:
        limit = engine.status().result().memory.limit
        began = time.monotonic()
        # What the first answers compile and read belongs to no speed.
        for settings in (_PLAIN, speculation):
            _answer(engine, _QUESTIONS[0], settings, stop)
        for number, question in enumerate(_QUESTIONS):
            started = time.monotonic()
            if number % 2:
                plainly = _answer(engine, question, _PLAIN, stop)
                speculatively = _answer(engine, question, speculation, stop)
            else:
                speculatively = _answer(engine, question, speculation, stop)
                plainly = _answer(engine, question, _PLAIN, stop)
            # An answer of a token or two has no speed.
            if plainly.stats.decode_tps and speculatively.stats.decode_tps:
                plain.append(plainly)
                best.append(speculatively)
            now = time.monotonic()
            if plain and now + (now - started) > began + seconds:
                break
        rounding = next((known.rounding for known in engine.learned().result() if known.loaded), None)
    except _Ended as reason:
        ended = str(reason)
    except EngineError as failure:
        ended, error = "failed", failure
    pairs = list(zip(plain, best, strict=True))
    speeds = [(one.stats.decode_tps or 0.0, other.stats.decode_tps or 0.0) for one, other in pairs]
    drafted = sum(one.stats.drafted for one in best)
    return PairCheck(
        main,
        draft,
        limit,
        median(one for one, _ in speeds) if speeds else None,
        median(other for _, other in speeds) if drafted else None,
        median(other / one for one, other in speeds) if drafted else None,
        sum(one.stats.accepted for one in best) / drafted if drafted else None,
        len(speeds),
        ended,
        error,
        rounding,
        all(one.ids == other.ids for one, other in pairs) if pairs else None,
    )


def _answer(engine: EngineClient, question: str, speculation: SpeculationSettings, stop: threading.Event) -> Finished:
    """Return the figures of an answer that nothing disturbed. Raises `_Ended` and `EngineError`."""
    if stop.is_set():
        raise _Ended("stopped")
    others = engine.status().result()
    if others.active or others.waiting:
        raise _Ended("busy")
    asked = [{"role": "user", "content": question}]
    stream = engine.submit(ChatRequest(asked, speculation=speculation, max_tokens=_TOKENS))
    for event in stream:
        if isinstance(event, Failed):
            raise event.error
        if isinstance(event, Finished):
            break
        if stop.is_set():
            stream.cancel()
    if stop.is_set():
        raise _Ended("stopped")
    assert isinstance(event, Finished)
    others = engine.status().result()
    if others.active or others.waiting:
        raise _Ended("busy")
    return event
