"""Asks the prompt process, and kills and replaces it when it takes too long or too much memory.

One process makes the prompts of all engines of this one; `encoders` has a second one. Each is started when it is first
needed; the starter pair never needs any.
"""

from __future__ import annotations

import atexit
import json
import logging
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import psutil

from engine.errors import EngineClosed, PromptTooLong, TemplateFailed, without_frames
from engine.prompt_process.protocol import (
    LARGEST_REPLY,
    MOST_TOKENIZERS,
    WITHOUT_TRANSFORMERS,
    TokenizerSource,
    announced_length,
    content_of,
    frame,
)
from engine.prompts import Prompt, PromptJob
from engine.thinking_choice import ThinkingChoice

log = logging.getLogger(__name__)
Result = TypeVar("Result")

# Seconds of computing. The wall clock allows WALL_FACTOR times as many, for a machine that is busy with other things.
BUILD_S, PROMPT_S, WALL_FACTOR = 8, 5, 3
START_S = 120.0
MEMORY_BYTES = 3 * 2**30
_POLL_S = 0.02
_CHUNK_BYTES = 2**16
_SECRETS = ("TOKEN", "SECRET", "PASSWORD", "KEY")
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from engine.prompt_process.worker import main; "
    "main(sys.argv[2:])"
)


class _ProcessEnded(Exception):
    """The process ended without having exceeded a limit: something else killed it, or it crashed."""


def _command(*, with_transformers: bool) -> list[str]:
    """What starts the process. A bundle has no interpreter to start: its own program takes an option instead."""
    options = [] if with_transformers else [WITHOUT_TRANSFORMERS]
    if getattr(sys, "frozen", False):
        return [sys.executable, "--prompt-process", *options]
    return [sys.executable, "-c", _PROGRAM, json.dumps(sys.path), *options]


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
        self._process: subprocess.Popen[bytes] | None = None
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

        found = self._ask_of(source, {"recorded": True}, BUILD_S, abandoned)["record"]
        return None if found is None else (dict(found[0]), str(found[1]))

    def thinking(self, source: TokenizerSource, abandoned: threading.Event) -> ThinkingChoice:
        """What `thinking_of` finds there. Waits; raises as `build` does."""
        found = self._ask_of(source, {"thinking": True}, PROMPT_S, abandoned)
        return ThinkingChoice(tuple(map(str, found["levels"])), str(found["default"]))

    def start_prompt(self, source: TokenizerSource, job: PromptJob) -> PromptCall:
        """Make a prompt. The future raises `TemplateFailed` and `PromptTooLong`."""
        call = PromptCall()
        threading.Thread(target=self._make, args=(source, job, call), name="prompt", daemon=True).start()
        return call

    def has(self, source: TokenizerSource) -> bool:
        """Whether the tokenizer is built in the process, as far as is known without asking it."""
        return self._built.get(source.folder) == source and self._process is not None and self._process.poll() is None

    def encode(self, source: TokenizerSource, text: str, seconds: float) -> list[int]:
        """Token ids of a text, without control tokens. Waits for them, and never for the tokenizer to be built.

        `seconds` limits the computing. Raises `TemplateFailed`.
        """
        with self._lock:
            if not self.has(source):
                raise TemplateFailed("not running", "crashed")
            try:
                reply = self._ask({"source": source.as_data(), "text": text}, seconds, threading.Event())
            except _ProcessEnded as error:
                raise TemplateFailed(str(error), "crashed") from error
        return [int(token) for token in reply["ids"]]

    def measure(self, file: Path, text: str, tokens: int | None = None) -> tuple[int, int]:
        """How many tokens a text has in a tokenizer.json, and how many of its characters the first `tokens` of them
        cover (all, if None). Waits; raises `TemplateFailed`.
        """
        request, abandoned = {"file": str(file), "text": text, "tokens": tokens}, threading.Event()

        def ask() -> dict[str, Any]:
            self._ensure_running(abandoned)
            return self._ask(request, BUILD_S, abandoned)

        with self._lock:
            reply = self._twice(ask)
        return int(reply["tokens"]), int(reply["end"])

    def try_grammar(self, lark: str, seconds: float) -> str:
        """Compile a grammar there; returns what is wrong with it, or "". Waits; raises `TemplateFailed`."""
        abandoned = threading.Event()

        def ask() -> dict[str, Any]:
            self._ensure_running(abandoned)
            return self._ask({"grammar": lark}, seconds, abandoned)

        with self._lock:
            return str(self._twice(ask)["problem"])

    def end(self) -> None:
        """End the process; the next request starts another."""
        if self._process is not None:
            self._process.kill()
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                try:
                    pipe.close()
                except OSError:
                    continue
            self._process.wait()
        self._process, self._built = None, {}

    @property
    def pid(self) -> int | None:
        """Of the process, where it runs."""
        return self._process.pid if self._process is not None else None

    def _make(self, source: TokenizerSource, job: PromptJob, call: PromptCall) -> None:
        try:
            reply = self._ask_of(source, {"job": asdict(job)}, PROMPT_S, call.abandoned)
            call.set_result(
                Prompt([int(token) for token in reply["ids"]], reply["dropped"], tuple(reply["boundaries"]))
            )
        except Exception as error:
            without_frames(error)
            call.set_exception(error)
            if not call.abandoned.is_set():
                self.start(with_transformers=not source.record)

    def _ask_of(
        self, source: TokenizerSource, request: dict[str, Any], seconds: float, abandoned: threading.Event
    ) -> dict[str, Any]:
        """Ask for something of a tokenizer, which is built if it is not there."""

        def ask() -> dict[str, Any]:
            self._ensure_built(source, abandoned)
            return self._ask({"source": source.as_data(), **request}, seconds, abandoned)

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
            self._ask({"source": source.as_data(), "keep": kept}, BUILD_S, abandoned)
        else:
            del self._built[source.folder]
        self._built[source.folder] = source

    def _ensure_running(self, abandoned: threading.Event, *, with_transformers: bool = False) -> None:
        if abandoned.is_set():
            raise EngineClosed
        fits = self._has_transformers or not with_transformers
        if fits and self._process is not None and self._process.poll() is None:
            return
        self.end()
        self._has_transformers = with_transformers
        self._process = process = subprocess.Popen(
            _command(with_transformers=with_transformers),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            bufsize=0,
        )
        assert process.stdin is not None
        # A stopped process reads nothing; writing to it must not block.
        os.set_blocking(process.stdin.fileno(), False)
        self._usage = psutil.Process(process.pid)
        self._exchange(b"", None, START_S, abandoned)

    def _ask(self, request: dict[str, Any], seconds: float, abandoned: threading.Event) -> dict[str, Any]:
        whole = frame(request | {"seconds": math.ceil(seconds)})
        reply = self._exchange(whole, seconds, seconds * WALL_FACTOR, abandoned)
        if "too_long" in reply:
            raise PromptTooLong(*reply["too_long"])
        if "failed" in reply:
            raise TemplateFailed(*reply["failed"])
        return reply

    def _exchange(
        self, request: bytes, seconds: float | None, wall_s: float, abandoned: threading.Event
    ) -> dict[str, Any]:
        """Write a request and read its answer, unless a limit is exceeded first: then the process is replaced."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        requests, replies = self._process.stdin, self._process.stdout
        began, used_before = time.monotonic(), None
        rest, received = memoryview(request), bytearray()
        self._most_held = 0
        while True:
            readable, writable, _ = select.select([replies], [requests] if rest else [], [], _POLL_S)
            if writable:
                try:
                    rest = rest[requests.write(rest[:_CHUNK_BYTES]) or 0 :]
                except OSError as error:
                    raise self._ended(seconds) from error
            if readable:
                chunk = replies.read(_CHUNK_BYTES)
                if not chunk:
                    raise self._ended(seconds)
                received += chunk
                length = announced_length(bytes(received[:4]))
                if length is not None and length > LARGEST_REPLY:
                    raise self._over("too-large", "")
                if length == len(received):
                    return content_of(bytes(received))
            if readable or writable:
                continue
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

    def _ended(self, seconds: float | None) -> TemplateFailed | _ProcessEnded:
        assert self._process is not None
        code = self._process.wait()
        if code == -signal.SIGXCPU:
            return self._over("too-slow", f"{seconds or 0:g}")
        # Rust aborts when it gets no memory, and some systems kill what takes most of it.
        if code == -signal.SIGABRT or (code == -signal.SIGKILL and self._most_held > MEMORY_BYTES // 2):
            return self._over("too-large", "")
        self.end()
        return _ProcessEnded(f"exit code {code}")


def _environment() -> dict[str, str]:
    """Ours without secrets, and with what keeps the libraries quiet, offline and on one thread."""
    kept = {name: value for name, value in os.environ.items() if not any(word in name.upper() for word in _SECRETS)}
    return kept | {
        "HF_HUB_OFFLINE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    }


PROMPT_PROCESS = PromptProcess()
atexit.register(PROMPT_PROCESS.end)
