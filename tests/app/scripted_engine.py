"""An engine with the API of the real one that plays scripts: rounds with known draft tokens, failures, loads.

Its figures are counted here, independently of the engine's code, so that tests can compare them with what the window
shows.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from engine.client import Loading, RequestStream
from engine.errors import EngineClosed, EngineError, InternalFailure, NoModel
from engine.events import Event, Failed, Finished, PrefillProgress, Token, TokensCommitted
from engine.pictures.rules import PictureRules
from engine.requests import ChatRequest, OwnAnswer
from engine.settings import EngineSettings
from engine.stats import PlainSpan, RequestStats, RoundRecord
from engine.status import (
    EngineStatus,
    LoadedPair,
    MemoryUse,
    ModelInfo,
    PrefixCacheUsage,
    TaughtDraft,
    TeachingProgress,
    TeachingResult,
)
from engine.tokenizers.thinking import ThinkingChoice
from engine.tuning import LearnedPair, Pair

T = TypeVar("T")


@dataclass(frozen=True)
class ScriptedRound:
    """A round that accepts `accepted` of `drafted` tokens of `source`; without draft tokens it has a `reason`."""

    drafted: int
    accepted: int
    source: str = "draft"
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()


STORY = "Once upon a time there was a draft model that guessed what comes next, and it was right most of the time."
FULL = ScriptedRound(4, 4)
PLAIN = ScriptedRound(0, 0, "main", "off")
PATTERN = (FULL, ScriptedRound(4, 2), ScriptedRound(5, 5), ScriptedRound(4, 0), ScriptedRound(6, 6, "ngram"))


@dataclass(frozen=True)
class Script:
    """The course of one request: the tokens of `text` are distributed over the rounds of `pattern`, which repeat.

    `opening` is the marker with which the prompt opens the thoughts. The token in place `other_at` has an id of its
    own, and every token leads the next best by `lead`.
    """

    text: str = "Hello there."
    pattern: Sequence[ScriptedRound] = PATTERN
    error: EngineError | None = None
    fail_after: int | None = None
    reason: str = "stop"
    plain_tps: float | None = 32.8
    round_s: float = 0.05
    prompt_tokens: int = 24
    opening: str = ""
    other_at: int | None = None
    lead: float | None = None


def pieces(text: str) -> list[str]:
    """Split a text as a tokenizer might: words with the space before them, other characters alone."""
    return re.findall(r" ?[A-Za-z]+|.", text, re.DOTALL)


def play(script: Script) -> Iterator[Event]:
    """Yield all events of a script, in order."""
    words, at, counts = pieces(script.text), script.round_s, _Counts(script)
    yield PrefillProgress(0, script.prompt_tokens)
    yield PrefillProgress(script.prompt_tokens, script.prompt_tokens)
    yield counts.commit([Token(0, words[0], "main", 0, 0, -0.1)], ScriptedRound(0, 0, "main", "first-token"), at)
    index, number = 1, 1
    while index < len(words):
        if script.fail_after is not None and number > script.fail_after:
            assert script.error is not None
            yield Failed(script.error, "".join(words[:index]), counts.stats())
            return
        plan = script.pattern[(number - 1) % len(script.pattern)]
        part = words[index : index + plan.accepted + 1]
        tokens = [
            Token(
                index + place + (1000 if index + place == script.other_at else 0),
                text,
                plan.source if place < plan.accepted else "main",
                place,
                number,
                -0.25 * place,
                lead=script.lead,
            )
            for place, text in enumerate(part)
        ]
        at += script.round_s
        yield counts.commit(tokens, plan, at)
        index, number = index + len(part), number + 1
    if script.error is not None:
        yield Failed(script.error, script.text, counts.stats())
        return
    yield Finished(script.reason, script.text, tuple(range(len(words))), counts.stats())


class _Counts:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._rounds: list[RoundRecord] = []

    def commit(self, tokens: list[Token], plan: ScriptedRound, at: float) -> TokensCommitted:
        record = RoundRecord(
            number=len(self._rounds),
            source=plan.source,
            drafted=plan.drafted,
            accepted=plan.accepted,
            committed=len(tokens),
            rows=plan.drafted + 1,
            at_s=at,
            draft_s=self._script.round_s * 0.3 if plan.drafted else 0.0,
            verify_s=self._script.round_s * 0.6,
            host_s=self._script.round_s * 0.1,
            reason=plan.reason,
            arguments=plan.arguments,
        )
        self._rounds.append(record)
        return TokensCommitted("".join(token.text for token in tokens), tuple(tokens), record, self.stats())

    def stats(self) -> RequestStats:
        rounds = self._rounds
        drafted = sum(record.drafted for record in rounds)
        accepted = sum(record.accepted for record in rounds)
        generated = sum(record.committed for record in rounds)
        decode_s = rounds[-1].at_s - rounds[0].at_s if len(rounds) > 1 else 0.0
        decode_tps = (generated - rounds[0].committed) / decode_s if decode_s else None
        plain = self._script.plain_tps
        speedup = decode_tps / plain if decode_tps and plain else None
        positions = []
        for place in range(max((record.drafted for record in rounds), default=0)):
            reached = sum(record.drafted > place and record.accepted >= place for record in rounds)
            positions.append((reached, sum(record.accepted > place for record in rounds)))
        return RequestStats(
            prompt_tokens=self._script.prompt_tokens,
            opening=self._script.opening,
            generated_tokens=generated,
            rounds=len(rounds),
            drafted=drafted,
            accepted=accepted,
            accept_rate=accepted / drafted if drafted else None,
            accept_by_position=tuple(positions),
            tokens_per_round=generated / len(rounds) if rounds else None,
            ttft_s=rounds[0].at_s if rounds else None,
            decode_tps=decode_tps,
            plain_tps=plain,
            speedup=speedup,
            speedup_low=speedup and 0.97 * speedup,
            speedup_high=speedup and 1.03 * speedup,
            saved_s=speedup and decode_s * (speedup - 1),
            draft_s=sum(record.draft_s for record in rounds),
            verify_s=sum(record.verify_s for record in rounds),
            host_s=sum(record.host_s for record in rounds),
            main="main",
            draft="draft",
            plain_spans=_spans(rounds),
        )


def _spans(rounds: Sequence[RoundRecord]) -> tuple[PlainSpan, ...]:
    spans: list[PlainSpan] = []
    for record in rounds:
        if not record.reason:
            continue
        if spans and spans[-1].reason == record.reason:
            spans[-1] = PlainSpan(spans[-1].tokens + record.committed, record.reason, record.arguments)
        else:
            spans.append(PlainSpan(record.committed, record.reason, record.arguments))
    return tuple(spans)


@dataclass
class ScriptedEngine:
    """Plays `scripts` in order, repeating the last one, on a thread of its own.

    The engine sleeps `pace_s` between events. With a `gate`, it takes one permit before every event, so that a test
    controls how far an answer gets. `loads` are the outcomes of `load` and `set_draft`, in order; without any, loading
    succeeds. With a `draft_gate`, the main model is loaded at once and the draft when the gate opens. The main model
    recommends the sampling `recommended`, its template has the choice `thinking`, it writes calls in `tool_format`,
    and sees if it has rules for `pictures`.
    """

    scripts: list[Script] = field(default_factory=lambda: [Script()])
    pace_s: float = 0.0
    gate: threading.Semaphore | None = None
    loading_progress: tuple[int, int] = (0, 0)
    loads: list[EngineError | LoadedPair] = field(default_factory=list)
    load_gate: threading.Event | None = None
    draft_gate: threading.Event | None = None
    recommended: tuple[tuple[str, float], ...] = ()
    thinking: ThinkingChoice = field(default_factory=ThinkingChoice)
    tool_format: str = ""
    pictures: PictureRules | None = None

    def __post_init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self.streams: list[RequestStream] = []
        self.forgotten: set[str] = set()
        self.stored: list[frozenset[str]] = []
        self.known: list[LearnedPair] = []
        self.lessons: list[OwnAnswer] = []
        self.teaching: Future[TeachingResult] | None = None
        self.teaching_progress = TeachingProgress()
        self.learnt = TaughtDraft()
        # What `status` reports, and how often it was asked.
        self.idle_s, self.looks = 0.0, 0
        self.settings = EngineSettings()
        self.closed = False
        self._failed: Future[EngineError] = Future()
        self._draft_thread: threading.Thread | None = None
        self.pair = LoadedPair(None, None)
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="scripted-engine", daemon=True)
        self._thread.start()

    def load(self, main: str | Path, draft: str | Path | None = None, *, allow_oversize: bool = False) -> Loading:  # noqa: ARG002
        loading = Loading()
        if self.draft_gate is None:
            self._later(lambda: self._load(main, draft), loading)
        else:
            self._work.put(lambda: self._load_main_first(main, draft, loading))
        return loading

    def set_draft(self, draft: str | Path | None, *, allow_oversize: bool = False) -> Future[LoadedPair]:  # noqa: ARG002
        return self._later(lambda: self._load(self.pair.main and self.pair.main.path, draft))

    def unload(self) -> Future[LoadedPair]:
        return self._later(lambda: self._load(None, None))

    def configure(self, settings: EngineSettings) -> Future[None]:
        self.settings = settings
        return _done(None)

    def status(self) -> Future[EngineStatus]:
        self.looks += 1
        usage = PrefixCacheUsage(len(self.requests), 300_000_000 * len(self.requests), self.settings.prefix_cache_bytes)
        return _done(EngineStatus(0, 0, usage, MemoryUse(5_200_000_000, 20_000_000_000, 14_800_000_000), self.idle_s))

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        return _done(tuple(self.known))

    def teach(self, answers: Sequence[OwnAnswer]) -> Future[TeachingResult]:
        self.lessons, self.teaching = list(answers), Future()
        return self.teaching

    def stop_teaching(self) -> Future[None]:
        if self.teaching is not None and not self.teaching.done():
            self.teaching.set_result(TeachingResult(complete=False))
        return _done(None)

    def taught(self) -> Future[TaughtDraft]:
        return _done(self.learnt)

    def forget_taught(self) -> Future[None]:
        self.learnt = TaughtDraft()
        return _done(None)

    def use_taught(self, used: bool) -> Future[None]:
        self.learnt = replace(self.learnt, used=used)
        return _done(None)

    def forget_learned(self, pair: Pair | None = None) -> Future[None]:
        self.known = [one for one in self.known if pair is not None and one.pair != pair]
        return _done(None)

    def clear_prefix_cache(self) -> Future[None]:
        return _done(None)

    def forget_conversations(self, names: Collection[str]) -> Future[None]:
        self.forgotten.update(names)
        return _done(None)

    def keep_stored(self, names: Collection[str]) -> Future[None]:
        self.stored.append(frozenset(names))
        return _done(None)

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        stream = RequestStream(request, on_event)
        if self.closed:
            stream.deliver(Failed(EngineClosed(), ""))
        self.requests.append(request)
        self.streams.append(stream)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        self._work.put(lambda: self._play(script, stream))
        return stream

    def on_failure(self, report: Callable[[EngineError], None]) -> None:
        self._failed.add_done_callback(lambda failed: report(failed.result()))

    def end_by_itself(self) -> None:
        """Behave like an engine whose thread has ended: report the failure, and fail every later load."""
        error = InternalFailure("a panic")
        self.loads = [error] * 99
        self.pair = LoadedPair(None, None)
        self._failed.set_result(error)

    def close(self) -> None:
        self.closed = True
        if self.gate is not None:
            self.gate.release()
        if self.load_gate is not None:
            self.load_gate.set()
        self._work.put(None)
        self._thread.join()
        if self.draft_gate is not None and self._draft_thread is not None:
            self.draft_gate.set()
            self._draft_thread.join()

    def _later(self, work: Callable[[], LoadedPair], future: Future[Any] | None = None) -> Future[Any]:
        outcome = future or Future()

        def run() -> None:
            try:
                outcome.set_result(work())
            except EngineError as error:
                outcome.set_exception(error)

        self._work.put(run)
        return outcome

    def _load_main_first(self, main: str | Path | None, draft: str | Path | None, loading: Loading) -> None:
        gate = self.draft_gate
        assert gate is not None
        self.pair = LoadedPair(_info(main), None)
        loading.main.set_result(self.pair)

        def bring() -> None:
            gate.wait()
            try:
                self._load(main, draft)
            except EngineError as error:
                self.pair = LoadedPair(_info(main), None, error)
            loading.set_result(self.pair)

        self._draft_thread = threading.Thread(target=bring, name="scripted-draft", daemon=True)
        self._draft_thread.start()

    def _load(self, main: str | Path | None, draft: str | Path | None) -> LoadedPair:
        if self.load_gate is not None:
            self.load_gate.wait()
        outcome = self.loads.pop(0) if self.loads else None
        if isinstance(outcome, EngineError):
            raise outcome
        info = _info(main)
        if info is not None:
            info = replace(info, sampling=self.recommended, thinking=self.thinking, tool_format=self.tool_format)
            info = replace(info, pictures=self.pictures)
        self.pair = outcome or LoadedPair(info, _info(draft))
        return self.pair

    def _play(self, script: Script, stream: RequestStream) -> None:
        if self.pair.main is None:
            stream.deliver(Failed(NoModel(), ""))
            return
        text, stats = "", RequestStats()
        for event in play(script):
            if self.gate is not None and not self.closed:
                self.gate.acquire()
            if self.closed or stream.cancel_requested.wait(self.pace_s):
                stream.deliver(Finished("cancelled", text, (), stats))
                return
            if isinstance(event, TokensCommitted):
                text, stats = text + event.text, event.stats
            stream.deliver(event)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _done(result: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(result)
    return future


def model_info(path: str | Path) -> ModelInfo:
    """Return what the engine reports of the model in folder `path`."""
    return ModelInfo(Path(path).name, Path(path), "llama", 4096, 20_000_000)


def _info(path: str | Path | None) -> ModelInfo | None:
    return model_info(path) if path else None
