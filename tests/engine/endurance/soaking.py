"""Clients of one engine that ask and disturb it, and counts of the objects that are alive between their phases.

They cancel, swap drafts, kill and stop the helper processes, and meet failures of requests and of the device, and
nights.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

import mlx.core as mx
import psutil

from engine import ChatRequest, Engine, Failed, Finished, SamplingSettings, SpeculationSettings, TokensCommitted
from engine.decoders.batch_decoder import BatchDecoder
from engine.decoders.generation import Generation
from engine.decoders.speculative_decoder import SpeculativeDecoder
from engine.errors import DeviceFailed, EngineClosed
from engine.main_model.sampling import Sampler
from engine.serving.scheduler import Scheduler
from engine.tokenizers.prompt_process import PROMPT_PROCESS
from engine.tokenizers.prompts import PromptJob
from engine.tokenizers.tasks import TokenizerSource
from tests.engine.endurance.late_errors import LateError, late_error
from tests.patience import PATIENCE_S

CLIENTS = 8
QUESTIONS = 18
# A phase has its own questions; the first one warms up.
PHASE_S = 30.0
BAD_SAMPLER, BAD_PROMPT = 666, 667
WORDS = ("fox", "lazy dog", "안녕하세요 세계", "こんにちは", "你好，世界", "the quick brown")
METHODS = (
    SpeculationSettings(method="off"),
    SpeculationSettings(method="draft", depth=3),
    SpeculationSettings(method="auto"),
    SpeculationSettings(method="ngram"),
)
# Objects that must not outlive their request.
OURS = (Generation, SpeculativeDecoder, BatchDecoder)
# The largest difference of two scores that another order of sums may reverse.
TIE = 1e-3
PREFIX_BYTES = 2**24
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
HELPER_THREADS = ("prompt",)
NIGHT_S = 8 * 3600.0
# The steps before the device first fails in a phase, and the most between two failures; the chance that another one
# follows at once, and the most evaluations until then.
FIRST_STEPS, STEPS, FAILS_AGAIN, EVALUATIONS = 100, 1000, 0.5, 60


def questions(draw: random.Random) -> list[ChatRequest]:
    """Return questions, following turns, edits and branches of these."""
    made = []
    for index in range(QUESTIONS):
        chat = [{"role": "system", "content": "lazy dog"}] if index % 2 else []
        for turn in range(draw.randrange(3)):
            chat += [
                {"role": "user", "content": WORDS[(index // 3 + turn) % len(WORDS)]},
                {"role": "assistant", "content": " over and over again"},
            ]
        chat.append({"role": "user", "content": draw.choice(WORDS) * draw.choice((1, 2, 12))})
        sampling = SamplingSettings(
            temperature=draw.choice((0.0, 0.0, 0.8)),
            seed=draw.randrange(1000, 10**6),
            repetition_penalty=draw.choice((1.0, 1.0, 1.2)),
            top_k=draw.choice((0, 20)),
        )
        made.append(
            ChatRequest(chat, sampling=sampling, speculation=draw.choice(METHODS), max_tokens=draw.randrange(2, 50))
        )
    return made


@dataclass(frozen=True)
class SoakedAnswer:
    """The last event of a request, and the log-probability of each of its tokens."""

    last: Finished | Failed
    logprobs: tuple[float, ...]


@dataclass(frozen=True)
class Held:
    """Counts while nothing runs.

    They are bytes of MLX, arrays, parts of requests, calls without an answer, Python objects, open files and pipes,
    threads, and child processes.

    Bytes and requests are counted before the garbage collector runs. `kept` names what may hold them: the parts of
    requests, and the functions whose frames an exception keeps.
    """

    bytes: int
    arrays: int
    requests: int
    calls: int
    objects: int
    descriptors: int
    threads: int
    processes: int
    kept: dict[str, int]


class FailingMachine:
    """While it `runs`, its device fails now and then, perhaps twice in a row, and it has slept for `slept_s` seconds.

    `step` runs a step of the scheduler, on the engine's thread.
    """

    def __init__(self) -> None:
        self.runs = threading.Event()
        self.slept_s = 0.0
        self.failures = 0
        self._chance, self._left, self._again = random.Random(17), FIRST_STEPS, False
        self._stack = ExitStack()
        self._armed: LateError | None = None

    def step(self, scheduler: Scheduler, step: Callable[[Scheduler], bool]) -> bool:
        if self._armed is None and self.runs.is_set() and scheduler.active:
            self._arm(scheduler)
        try:
            return step(scheduler)
        finally:
            if self._armed is not None and self._armed.raised:
                self.failures += 1
                # The first of two.
                self._again = not self._again and self._chance.random() < FAILS_AGAIN
            if self._armed is not None and (self._armed.raised or not self.runs.is_set()):
                self._armed = None
                self._stack.close()
            if not self.runs.is_set():
                self._left, self._again = FIRST_STEPS, False

    def _arm(self, scheduler: Scheduler) -> None:
        self._left -= 1
        if self._again or self._left <= 0:
            self._left = self._chance.randint(1, STEPS)
            at = self._chance.randint(1, 3 if self._again else EVALUATIONS)
            self._armed = self._stack.enter_context(late_error(scheduler, at))


def unanswered() -> int:
    """Return the number of calls without an answer, which earlier tests may have left."""
    gc.collect()
    return _unanswered(gc.get_objects())


def _unanswered(alive: Sequence[object]) -> int:
    return sum(isinstance(item, Future) and not item.done() for item in alive)


def _kept(alive: Sequence[object]) -> Iterator[str]:
    for item in alive:
        if isinstance(item, OURS):
            yield type(item).__name__
        elif isinstance(item, TracebackType):
            yield item.tb_frame.f_code.co_qualname


class Soak:
    """Clients of one engine, each in a thread of its own, phase by phase."""

    def __init__(
        self,
        engine: Engine,
        machine: FailingMachine,
        drafts: Sequence[Path | None],
        vocabulary: int,
        endless: TokenizerSource,
    ) -> None:
        """`endless` has a chat template that does not end."""
        self.engine = engine
        self.machine = machine
        self.drafts = drafts
        self.vocabulary = vocabulary
        self.endless = endless
        self._killing = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.requests: list[ChatRequest] = []
        self.expected: list[SoakedAnswer] = []

    def phase(self, seed: int, seconds: float, deeds: float) -> None:
        """Ask new questions one by one, then let all clients ask them, for at most `seconds` and `deeds` each.

        The helper process is killed at least once.
        """
        self.requests = questions(random.Random(seed))
        self.expected = [self._alone(request) for request in self.requests]
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._client, args=(random.Random(1000 * seed + number), until, deeds))
            for number in range(CLIENTS)
        ]
        threads.append(threading.Thread(target=self._kill, args=(random.Random(seed),)))
        self.machine.runs.set()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.machine.runs.clear()

    def held(self, most_bytes: float) -> Held:
        """Count what is alive, once MLX holds at most `most_bytes`, for which the engine has a while.

        Passes of answers that have failed may be under way.
        """
        self.engine.set_draft(None).result(timeout=PATIENCE_S)
        until = time.monotonic() + PATIENCE_S
        while (memory := self._bytes()) > most_bytes and time.monotonic() < until:
            time.sleep(0.1)
        self.expected.clear()
        for thread in threading.enumerate():
            if thread.name in HELPER_THREADS:
                thread.join(PATIENCE_S)
        kept = Counter(_kept(gc.get_objects()))
        gc.collect()
        alive, process = gc.get_objects(), psutil.Process()
        return Held(
            memory,
            sum(isinstance(item, mx.array) for item in alive),
            sum(kept[part.__name__] for part in OURS),
            _unanswered(alive),
            len(alive),
            process.num_fds(),
            threading.active_count(),
            len(process.children(recursive=True)),
            dict(kept),
        )

    def _bytes(self) -> int:
        self.engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        return self.engine.status().result(timeout=PATIENCE_S).memory.active

    def _alone(self, request: ChatRequest) -> SoakedAnswer:
        self.engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        answer = self._ask(request, None)
        assert isinstance(answer.last, Finished), answer.last
        return answer

    def _client(self, draw: random.Random, until: float, deeds: float) -> None:
        while deeds > 0 and time.monotonic() < until:
            deeds -= 1
            deed = draw.random()
            if deed < 0.03:
                with suppress(DeviceFailed):
                    self.engine.set_draft(draw.choice(self.drafts)).result(timeout=PATIENCE_S)
                self.counts["drafts"] += 1
            elif deed < 0.06:
                self._fail(draw.choice((BAD_SAMPLER, BAD_PROMPT)))
            elif deed < 0.08:
                room = draw.choice((0, 2**18, PREFIX_BYTES))
                self.engine.configure(replace(self.engine.settings, prefix_cache_bytes=room)).result(timeout=PATIENCE_S)
                self.counts["settings"] += 1
            elif deed < 0.095:
                self._kill(draw)
            elif deed < 0.1:
                self._abandon_a_template(draw)
            elif deed < 0.11:
                self._stop(draw)
            elif deed < 0.12:
                self.machine.slept_s += NIGHT_S
                self.counts["nights"] += 1
            else:
                self._ask_any(draw, draw.randrange(12) if deed > 0.85 else None)

    def _ask_any(self, draw: random.Random, cancel_after: int | None) -> None:
        index = draw.randrange(len(self.requests))
        self._check(index, self._ask(self.requests[index], cancel_after))

    def _kill(self, draw: random.Random) -> None:
        """Kill the helper process.

        No question meets two kills: the next one follows after a question that waited behind the one that was hit.
        """
        with self._killing:
            if (pid := PROMPT_PROCESS.pid) is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                self.counts["prompt kills"] += 1
            self._ask_any(draw, None)

    def _stop(self, draw: random.Random) -> None:
        """Stop the helper process for a moment, as a debugger or a system without memory does."""
        with self._killing, suppress(ProcessLookupError):
            if (pid := PROMPT_PROCESS.pid) is not None:
                os.kill(pid, signal.SIGSTOP)
                time.sleep(draw.random())
                os.kill(pid, signal.SIGCONT)
                self.counts["stops"] += 1
        self._ask_any(draw, None)

    def _abandon_a_template(self, draw: random.Random) -> None:
        """Let an endless template be rendered and abandon it, which ends the process for all clients."""
        with self._killing:
            call = PROMPT_PROCESS.start_prompt(self.endless, PromptJob([{"role": "user", "content": "fox"}], 500))
            time.sleep(0.1 * draw.random())
            call.abandoned.set()
            if not isinstance(error := call.exception(PATIENCE_S), EngineClosed):
                self.wrong.append(f"an abandoned template: {error!r}")
            self.counts["abandoned"] += 1

    def _ask(self, request: ChatRequest, cancel_after: int | None) -> SoakedAnswer:
        stream = self.engine.submit(request)
        logprobs: list[float] = []
        seen = 0
        for event in stream:
            if isinstance(event, TokensCommitted):
                seen += 1
                logprobs += [token.logprob for token in event.tokens]
            if cancel_after is not None and seen >= cancel_after:
                stream.cancel()
        assert isinstance(event, Finished | Failed)
        return SoakedAnswer(event, tuple(logprobs))

    def _check(self, index: int, answer: SoakedAnswer) -> None:
        expected, last = self.expected[index].last, answer.last
        assert isinstance(expected, Finished)
        if isinstance(last, Failed) and isinstance(last.error, DeviceFailed):
            self.counts["ended with the device"] += 1
            self.counts["unloaded"] += last.error.arguments["unloaded"] != ""
        elif not isinstance(last, Finished):
            self.wrong.append(f"{index}: {last}")
        elif last.ids != expected.ids[: len(last.ids)]:
            if self._is_tie(index, answer):
                self.counts["ties"] += 1
            else:
                self.wrong.append(f"{index}, {last.reason}: {last.ids} is not {expected.ids}")
        elif last.reason == "cancelled":
            self.counts["cancelled"] += 1
        elif (last.ids, last.text) == (expected.ids, expected.text):
            self.counts["finished"] += 1
        else:
            self.wrong.append(f"{index}: {last.text!r} is not {expected.text!r}")

    def _is_tie(self, index: int, answer: SoakedAnswer) -> bool:
        """Whether the first token that differs has nearly the score of the expected one."""
        expected = self.expected[index]
        ours, theirs = answer.last, expected.last
        assert isinstance(ours, Finished)
        assert isinstance(theirs, Finished)
        at = next(i for i, pair in enumerate(zip(ours.ids, theirs.ids, strict=False)) if pair[0] != pair[1])
        scores = [answer.logprobs[at], expected.logprobs[at]]
        sampling = self.requests[index].sampling
        noise = Sampler(sampling, self.vocabulary).noise(theirs.stats.prompt_tokens + at, 1)
        if noise is not None:
            tokens = (ours.ids[at], theirs.ids[at])
            scores = [
                score / sampling.temperature + noise[0, token].item()
                for score, token in zip(scores, tokens, strict=True)
            ]
        return abs(scores[0] - scores[1]) < TIE

    def _fail(self, seed: int) -> None:
        # Each with a temperature of its own: in a batch, one sampler draws for all answers with the same settings.
        sampling = SamplingSettings(temperature=seed / 1000, seed=seed)
        answer = self._ask(ChatRequest([{"role": "user", "content": "fox"}], sampling=sampling, max_tokens=9), None)
        if isinstance(answer.last, Failed):
            self.counts["failed"] += 1
        # A prompt that is cached up to its last token is not prefilled, so that it cannot fail.
        elif seed == BAD_SAMPLER:
            self.wrong.append(f"{seed} did not fail: {answer.last}")
