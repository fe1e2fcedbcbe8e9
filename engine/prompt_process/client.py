"""Asks the prompt process, and kills and replaces it when it takes too long or too much memory.

One process makes the prompts of all engines of this one; `encoders` has a second one. Each is started when it is first
needed; the starter pair never needs any.
"""

from __future__ import annotations

import atexit
import logging
import math
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import psutil

from engine.errors import EngineClosed, PromptTooLong, TemplateFailed, without_frames
from engine.prompt_process.protocol import (
    MOST_TOKENIZERS,
    REPLIES,
    WITHOUT_TRANSFORMERS,
    Build,
    Done,
    Encode,
    Failed,
    FindThinking,
    MakePrompt,
    Measure,
    Record,
    Request,
    Task,
    TokenizerSource,
    TooLong,
    TryGrammar,
)
from engine.prompts import Prompt, PromptJob
from engine.thinking_choice import ThinkingChoice
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed, MessageTooLarge, unpack

log = logging.getLogger(__name__)
Result = TypeVar("Result")

# Seconds of computing. The wall clock allows WALL_FACTOR times as many, for a machine that is busy with other things.
BUILD_S, PROMPT_S, WALL_FACTOR = 8, 5, 3
START_S = 120.0
MEMORY_BYTES = 3 * 2**30
_POLL_S = 0.02
# Seconds until a process that has closed its connection has ended, and bytes that one which was stopped leaves unread.
_ENDING_S, _MOST_UNREAD = 1.0, 2**30
# Keeps the libraries quiet, offline and on one thread.
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


class _ProcessEnded(Exception):
    """The process ended without having exceeded a limit: something else killed it, or it crashed."""


class PromptCall(Future[Prompt]):
    """A prompt that is being made. `abandon` it when nobody waits for it any more."""

    def __init__(self) -> None:
        super().__init__()
        self.abandoned = threading.Event()

    def abandon(self) -> None:
        self.abandoned.set()


class PromptProcess:
    """The process, its tokenizers, and the limits. Methods may be called from any thread; requests run one by one.

    A process without transformers starts in a fraction of the time. It is replaced once a tokenizer needs them.
    """

    def __init__(self) -> None:
        self._has_transformers = False
        self._lock = threading.Lock()
        self._child: Child[Done | Failed | TooLong] | None = None
        self._built: dict[str, TokenizerSource] = {}
        self._usage: psutil.Process | None = None
        # Bytes, while the latest request was answered.
        self._most_held = 0

    def start(self, *, with_transformers: bool) -> None:
        """Start the process if it does not run, so that the next request need not wait for it. Waits."""
        with self._lock:
            try:
                self._ensure_running(threading.Event(), with_transformers=with_transformers)
            except (OSError, TemplateFailed, _ProcessEnded) as error:
                log.info("the prompt process cannot be started: %s", error)

    def build(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        """Build a tokenizer there, anew. Waits; raises `TemplateFailed`, and `EngineClosed` when `abandoned`."""
        with self._lock:
            self._built.pop(source.folder, None)
            self._twice(lambda: self._ensure_built(source, abandoned))

    def record(self, source: TokenizerSource, abandoned: threading.Event) -> tuple[dict[str, Any], str] | None:
        """What `engine.recorded_tokenizer.record_of` finds there, its facts as JSON. Waits; raises as `build` does."""
        found: tuple[dict[str, Any], str] | None = self._ask_of(
            source, Record(source.folder), tuple[dict[str, Any], str] | None, BUILD_S, abandoned
        )
        return found

    def thinking(self, source: TokenizerSource, abandoned: threading.Event) -> ThinkingChoice:
        """What `thinking_of` finds there. Waits; raises as `build` does."""
        found: ThinkingChoice = self._ask_of(source, FindThinking(source.folder), ThinkingChoice, PROMPT_S, abandoned)
        return found

    def start_prompt(self, source: TokenizerSource, job: PromptJob) -> PromptCall:
        """Make a prompt. The future raises `TemplateFailed` and `PromptTooLong`."""
        call = PromptCall()
        threading.Thread(target=self._make, args=(source, job, call), name="prompt", daemon=True).start()
        return call

    def has(self, source: TokenizerSource) -> bool:
        """Whether the tokenizer is built in the process, as far as is known without asking it."""
        return self._built.get(source.folder) == source and self._runs

    def encode(self, source: TokenizerSource, text: str, seconds: float) -> list[int]:
        """Token ids of a text, without control tokens. Waits for them, and never for the tokenizer to be built.

        `seconds` limits the computing. Raises `TemplateFailed`.
        """
        with self._lock:
            if not self.has(source):
                raise TemplateFailed("not running", "crashed")
            try:
                ids: list[int] = self._ask(Encode(source.folder, text), list[int], seconds, threading.Event())
            except _ProcessEnded as error:
                raise TemplateFailed(str(error), "crashed") from error
        return ids

    def measure(self, file: Path, text: str, tokens: int | None = None) -> tuple[int, int]:
        """How many tokens a text has in a tokenizer.json, and how many of its characters the first `tokens` of them
        cover (all, if None). Waits; raises `TemplateFailed`.
        """
        found: tuple[int, int] = self._ask_anyone(Measure(str(file), text, tokens), tuple[int, int], BUILD_S)
        return found

    def try_grammar(self, lark: str, seconds: float) -> str:
        """Compile a grammar there; returns what is wrong with it, or "". Waits; raises `TemplateFailed`."""
        problem: str = self._ask_anyone(TryGrammar(lark), str, seconds)
        return problem

    def end(self) -> None:
        """End the process; the next request starts another."""
        if self._child is not None:
            self._child.end()
        self._child, self._built = None, {}

    @property
    def pid(self) -> int | None:
        """Of the process, where it runs."""
        return self._child.process.pid if self._child is not None else None

    @property
    def _runs(self) -> bool:
        return self._child is not None and self._child.process.poll() is None

    def _make(self, source: TokenizerSource, job: PromptJob, call: PromptCall) -> None:
        try:
            call.set_result(self._ask_of(source, MakePrompt(source.folder, job), Prompt, PROMPT_S, call.abandoned))
        except Exception as error:
            without_frames(error)
            call.set_exception(error)
            if not call.abandoned.is_set():
                self.start(with_transformers=not source.record)

    def _ask_of(
        self, source: TokenizerSource, task: Task, result: Any, seconds: float, abandoned: threading.Event
    ) -> Any:
        """Have a task done with a tokenizer, which is built if it is not there."""

        def ask() -> Any:
            self._ensure_built(source, abandoned)
            return self._ask(task, result, seconds, abandoned)

        with self._lock:
            return self._twice(ask)

    def _ask_anyone(self, task: Task, result: Any, seconds: float) -> Any:
        """Have a task done that takes no tokenizer of a folder."""
        abandoned = threading.Event()

        def ask() -> Any:
            self._ensure_running(abandoned)
            return self._ask(task, result, seconds, abandoned)

        with self._lock:
            return self._twice(ask)

    def _twice(self, work: Callable[[], Result]) -> Result:
        """Do `work`, and once more with another process if this one is killed meanwhile. Raises `TemplateFailed`."""
        try:
            return work()
        except _ProcessEnded as error:
            log.info("the prompt process ended (%s) and is asked again", error)
        try:
            return work()
        except _ProcessEnded as error:
            raise TemplateFailed(str(error), "crashed") from error

    def _ensure_built(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        """Build a tokenizer unless it is there. Too many are too much memory: the one unused for longest goes."""
        self._ensure_running(abandoned, with_transformers=not source.record)
        if self._built.get(source.folder) != source:
            self._built.pop(source.folder, None)
            kept = list(self._built)[-(MOST_TOKENIZERS - 1) :]
            self._built = {folder: self._built[folder] for folder in kept}
            self._ask(Build(source, kept), None, BUILD_S, abandoned)
        else:
            del self._built[source.folder]
        self._built[source.folder] = source

    def _ensure_running(self, abandoned: threading.Event, *, with_transformers: bool = False) -> None:
        if abandoned.is_set():
            raise EngineClosed
        if self._runs and (self._has_transformers or not with_transformers):
            return
        self.end()
        self._has_transformers = with_transformers
        self._child = Child(
            "engine.prompt_process.worker",
            "--prompt-process",
            [] if with_transformers else [WITHOUT_TRANSFORMERS],
            REPLIES,
            environment=_ENVIRONMENT,
            most_unsent=_MOST_UNREAD,
        )
        self._usage = psutil.Process(self._child.process.pid)
        self._wait(None, START_S, abandoned)

    def _ask(self, task: Task, result: Any, seconds: float, abandoned: threading.Event) -> Any:
        """Have a task done, which has a result of this type, unless a limit is exceeded: then the process is replaced.

        Raises `_ProcessEnded`, `PromptTooLong` and `TemplateFailed`.
        """
        assert self._child is not None
        try:
            self._child.channel.send(Request(math.ceil(seconds), task))
            reply = self._wait(seconds, seconds * WALL_FACTOR, abandoned)
            if isinstance(reply, Done):
                return unpack(reply.result, result)
        except ChannelClosed as error:
            raise self._ended(error, seconds) from error
        # Half of a surrogate pair, which is no character.
        except UnicodeEncodeError as error:
            raise TemplateFailed(str(error)) from error
        if isinstance(reply, TooLong):
            raise PromptTooLong(reply.tokens, reply.limit)
        raise TemplateFailed(reply.detail, reply.reason if reply.reason in TemplateFailed.REASONS else "")

    def _wait(self, seconds: float | None, wall_s: float, abandoned: threading.Event) -> Done | Failed | TooLong:
        assert self._child is not None
        began, used_before = time.monotonic(), None
        self._most_held = 0
        while True:
            try:
                if (reply := self._child.channel.receive(_POLL_S)) is not None:
                    return reply
            except MessageTooLarge as error:
                raise self._over("too-large", "") from error
            except ChannelClosed as error:
                raise self._ended(error, seconds) from error
            if abandoned.is_set():
                self.end()
                raise EngineClosed
            used = self._used_s()
            used_before = used if used_before is None else used_before
            if seconds is not None and used - used_before > seconds:
                raise self._over("too-slow", f"{seconds:g}")
            if time.monotonic() - began > wall_s:
                raise self._over("too-slow", f"{wall_s:g}")
            self._most_held = max(self._most_held, self._held_bytes())
            if self._most_held > MEMORY_BYTES:
                raise self._over("too-large", "")

    def _used_s(self) -> float:
        assert self._usage is not None
        try:
            times = self._usage.cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def _held_bytes(self) -> int:
        assert self._usage is not None
        try:
            return int(self._usage.memory_info().rss)
        except psutil.Error:
            return 0

    def _over(self, reason: str, detail: str) -> TemplateFailed:
        log.info("the prompt process is replaced: %s %s", reason, detail)
        self.end()
        return TemplateFailed(detail, reason)

    def _ended(self, error: ChannelClosed, seconds: float | None) -> TemplateFailed | _ProcessEnded:
        assert self._child is not None
        try:
            code = self._child.process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            # It wrote what is no reply.
            self.end()
            return _ProcessEnded(str(error))
        if code == -signal.SIGXCPU:
            return self._over("too-slow", f"{seconds or 0:g}")
        # Rust aborts when it gets no memory, and some systems kill what takes most of it.
        if code == -signal.SIGABRT or (code == -signal.SIGKILL and self._most_held > MEMORY_BYTES // 2):
            return self._over("too-large", "")
        self.end()
        return _ProcessEnded(f"exit code {code}")


PROMPT_PROCESS = PromptProcess()
atexit.register(PROMPT_PROCESS.end)
