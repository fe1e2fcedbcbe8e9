"""The speed of the loaded pair in half a minute: the same questions with and without speculation, in turns."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

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
_LANGUAGES = ("en", "ko", "ja", "zh")
_QUESTIONS = [prompt.text for language in _LANGUAGES for prompt in BUILT_IN if prompt.language == language]


@dataclass(frozen=True, slots=True)
class PairCheck:
    """What a check measured of the loaded pair; the speeds are medians of `answers` answers each, in tokens a second.

    `times` is the median of the ratios of speculative answers to plain ones. It, `best_tps` and `accept_rate` are None
    if no draft tokens were used, because speculation is off or nothing could be drafted.

    `ended` says what ended the check early: "" (nothing), "stopped", "busy" (another answer was under way), or "failed"
    with `error`. `memory_limit` is the bytes that the engine allows. `rounding` is what the engine's probe has found;
    None before it ran. `identical` says whether each answer had the same tokens both ways, as greedy ones have that are
    not rounded apart; None if nothing was answered.
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


class _AnsweredTwice(NamedTuple):
    """The answers to one question without and with speculation."""

    plain: Finished
    speculative: Finished

    @property
    def plain_tps(self) -> float:
        return self.plain.stats.decode_tps or 0.0

    @property
    def speculative_tps(self) -> float:
        return self.speculative.stats.decode_tps or 0.0


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
    answered: list[_AnsweredTwice] = []
    limit = 0
    rounding = None
    ended = ""
    error = None
    try:
        limit = engine.status().result().memory.limit
        _ask_in_turns(engine, speculation, stop, seconds, answered)
        rounding = next((known.rounding for known in engine.learned().result() if known.loaded), None)
    except _Ended as reason:
        ended = str(reason)
    except EngineError as failure:
        ended = "failed"
        error = failure
    measured = _figures(main, draft, answered)
    return replace(measured, memory_limit=limit, rounding=rounding, ended=ended, error=error)


def _ask_in_turns(
    engine: EngineClient,
    speculation: SpeculationSettings,
    stop: threading.Event,
    seconds: float,
    answered: list[_AnsweredTwice],
) -> None:
    """Ask every question both ways until about `seconds` are over; append the answers that have a speed to `answered`.

    It goes on until there is one, if need be. Which way comes first alternates, as a machine gets slower when it gets
    hot. Raises `_Ended` and `EngineError`; what was appended before remains good.
    """
    began = time.monotonic()
    # What the first answers compile and read belongs to no speed.
    for settings in (_PLAIN, speculation):
        _answer(engine, _QUESTIONS[0], settings, stop)
    for number, question in enumerate(_QUESTIONS):
        started = time.monotonic()
        if number % 2:
            plain = _answer(engine, question, _PLAIN, stop)
            speculative = _answer(engine, question, speculation, stop)
        else:
            speculative = _answer(engine, question, speculation, stop)
            plain = _answer(engine, question, _PLAIN, stop)
        # An answer of a token or two has no speed.
        if plain.stats.decode_tps and speculative.stats.decode_tps:
            answered.append(_AnsweredTwice(plain, speculative))
        now = time.monotonic()
        # Stop if another question would take longer than the time that remains.
        if answered and now + (now - started) > began + seconds:
            return


def _figures(main: str, draft: str, answered: Sequence[_AnsweredTwice]) -> PairCheck:
    """Return the check with the figures of these answers only."""
    if not answered:
        return PairCheck(main, draft)
    check = PairCheck(
        main,
        draft,
        plain_tps=median(pair.plain_tps for pair in answered),
        answers=len(answered),
        identical=all(pair.plain.ids == pair.speculative.ids for pair in answered),
    )
    drafted = sum(pair.speculative.stats.drafted for pair in answered)
    if not drafted:
        return check
    return replace(
        check,
        best_tps=median(pair.speculative_tps for pair in answered),
        times=median(pair.speculative_tps / pair.plain_tps for pair in answered),
        accept_rate=sum(pair.speculative.stats.accepted for pair in answered) / drafted,
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
