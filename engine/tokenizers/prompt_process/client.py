"""The client of a prompt process, which it kills and replaces when that takes too long or too much memory.

There are several processes: for prompts, for grammars, for the sizes of caches, and for files. Each is started when it
is first needed; the starter pair never needs the first.
"""

from __future__ import annotations

import atexit
import logging
import math
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import psutil

from engine.documents.document import DocumentText
from engine.errors import EngineClosed, PromptTooLong, TemplateFailed, without_frames
from engine.files.kept_json import KeptJson
from engine.files.picture_file import DecodedPicture
from engine.gguf.plan import GgufPlan
from engine.model_files.cache_counting import CacheShape
from engine.tokenizers.prompt_process import protocol
from engine.tokenizers.prompt_process.protocol import TokenizerSource
from engine.tokenizers.prompts import Prompt, PromptJob
from engine.tokenizers.thinking import ThinkingChoice
from engine.wire.child import Child
from engine.wire.messages import ChannelClosed, MessageTooLarge, unpack

log = logging.getLogger(__name__)
Result = TypeVar("Result")

# All limits but STALL_S are seconds of the process's own computing, so that a busy machine only makes tasks wait.
# Building the largest published vocabularies, of 262,144 tokens, takes 7, and a slow machine four times as long.
BUILD_S, PROMPT_S = 30, 5
# The characters that add a second to a prompt. Ordinary texts take milliseconds.
CHARACTERS_A_SECOND = 200_000
# A process that the system lets compute nothing for so many seconds on the clock waits for something that never comes.
STALL_S = 60.0
# Seconds for building a model without its weights, and for importing MLX. The largest models take a tenth.
COUNT_S = 8
# Seconds without a task after which a process ends: a large vocabulary takes 400 MB.
IDLE_S = 15 * 60.0
MEMORY_BYTES = 3 * 2**30
_POLL_S = 0.02
# Attempts at a task whose process ends: in want of memory, macOS kills some of them in a row.
_ATTEMPTS = 3
# Seconds in which a process has to end after it closed its connection, and the most bytes that it may leave unread.
_ENDING_S, _MOST_UNREAD = 1.0, 2**30
# Variables that keep the libraries quiet, offline and on one thread.
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}


class _ProcessEnded(Exception):
    """The process ended without exceeding a limit: something else killed it, it crashed, or it hung."""


class PromptCall(Future[Prompt]):
    """The future of a prompt. Call `abandon` if the prompt is no longer needed."""

    def __init__(self) -> None:
        super().__init__()
        self.abandoned = threading.Event()

    def abandon(self) -> None:
        self.abandoned.set()


class _Turns:
    """A lock that threads get in the order in which they asked for it, so that nobody's many tasks keep others out."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()

    def __enter__(self) -> None:
        turn = object()
        with self._changed:
            self._waiting.append(turn)
            try:
                self._changed.wait_for(lambda: self._waiting[0] is turn)
            except BaseException:
                # A person may interrupt the main thread.
                self._waiting.remove(turn)
                self._changed.notify_all()
                raise

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._waiting.popleft()
            self._changed.notify_all()


class PromptProcess:
    """A prompt process, its tokenizers, and its limits. Thread-safe; tasks run one at a time, in their order.

    A process without transformers starts much faster, and builds no tokenizers.
    """

    def __init__(self, *, with_transformers: bool = True) -> None:
        self._with_transformers = with_transformers
        self._lock = _Turns()
        self._child: Child[protocol.Reply] | None = None
        self._built: dict[str, TokenizerSource] = {}
        # The digests of folders whose tokenizers such a process has built within its limits.
        self.accepted = KeptJson(None, {})
        self._usage: psutil.Process | None = None
        # The most bytes of memory that the process had during the latest task.
        self._most_held = 0

    def start(self) -> None:
        """Start the process if it does not run, so that the next task need not wait for that. Waits."""
        with self._lock:
            try:
                self._ensure_running(threading.Event())
            except (OSError, TemplateFailed, _ProcessEnded) as error:
                log.info("the prompt process cannot be started: %s", error)

    def build(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        """Build a tokenizer anew. Waits; raises `TemplateFailed`, and `EngineClosed` when `abandoned`."""
        with self._lock:
            self._built.pop(source.folder, None)
            self._with_retries(lambda: self._ensure_built(source, abandoned))

    def thinking(self, source: TokenizerSource, abandoned: threading.Event) -> ThinkingChoice:
        """Run `thinking_of` in the process. Waits; raises as `build` does."""
        found: ThinkingChoice = self._do(protocol.FindThinking(source.folder), PROMPT_S, abandoned, source)
        return found

    def turn_end(self, source: TokenizerSource, abandoned: threading.Event) -> int | None:
        """Run `turn_end_of` in the process. Waits; raises as `build` does."""
        found: int | None = self._do(protocol.FindTurnEnd(source.folder), PROMPT_S, abandoned, source)
        return found

    def start_prompt(self, source: TokenizerSource, job: PromptJob | Callable[[], PromptJob]) -> PromptCall:
        """Start to make a prompt. The future raises `TemplateFailed`, `PromptTooLong`, and what the job raises."""
        call = PromptCall()
        threading.Thread(target=self._make, args=(source, job, call), name="prompt", daemon=True).start()
        return call

    def measure(self, file: Path, text: str, tokens: int | None = None) -> tuple[int, int]:
        """Count a text's tokens by a tokenizer.json, and the characters that the first `tokens` of them (or all) cover.

        Waits; raises `TemplateFailed`.
        """
        found: tuple[int, int] = self._do(protocol.CountTokens(str(file), text, tokens), BUILD_S)
        return found

    def count_caches(self, config: Mapping[str, Any]) -> CacheShape:
        """Count what the caches of a model with this configuration hold. Waits; raises `TemplateFailed`."""
        shape: CacheShape = self._do(protocol.CountCaches(dict(config)), COUNT_S)
        return shape

    def try_grammar(self, lark: str, seconds: float) -> str:
        """Compile a grammar in the process, and return its error, or "". Waits; raises `TemplateFailed`."""
        problem: str = self._do(protocol.TryGrammar(lark), seconds)
        return problem

    def check_answer(self, schema: str, text: str, seconds: float) -> list[str]:
        """Run `engine.grammars.checking.problems_of` in the process. Waits; raises `TemplateFailed`."""
        problems: list[str] = self._do(protocol.CheckAnswer(schema, text), seconds)
        return problems

    def decode_picture(
        self, data: bytes, sizes: list[tuple[int, int]], resample: int, seconds: float, abandoned: threading.Event
    ) -> DecodedPicture:
        """Run `engine.files.picture_file.decode_picture` in the process. Waits; raises as `build` does."""
        decoded: DecodedPicture = self._do(protocol.DecodePicture(data, sizes, resample), seconds, abandoned)
        return decoded

    def read_document(
        self, name: str, data: bytes, most: int, language: str, seconds: float, abandoned: threading.Event
    ) -> DocumentText:
        """Run `engine.documents.document.document_text` in the process. Waits; raises as `build` does."""
        read: DocumentText = self._do(protocol.ReadDocument(name, data, most, language), seconds, abandoned)
        return read

    def prepare_gguf(self, source: Path, folder: Path, seconds: float, abandoned: threading.Event) -> GgufPlan:
        """Run `gguf_writing.prepare` in the process. Waits; raises as `build` does."""
        plan: GgufPlan = self._do(protocol.PrepareGguf(str(source), str(folder)), seconds, abandoned)
        return plan

    def write_gguf_shard(
        self, source: Path, folder: Path, number: int, seconds: float, abandoned: threading.Event
    ) -> GgufPlan:
        """Run `gguf_writing.write_shard` in the process. Waits; raises as `build` does."""
        plan: GgufPlan = self._do(protocol.WriteGgufShard(str(source), str(folder), number), seconds, abandoned)
        return plan

    def end(self) -> None:
        """End the process; the next task starts another."""
        if self._child is not None:
            self._child.end()
        self._child, self._built = None, {}

    def release(self) -> None:
        """End the process once it has no task, so that it takes no memory; the next task starts another."""
        with self._lock:
            self.end()

    @property
    def pid(self) -> int | None:
        """The id of the process, None before it was started."""
        return self._child.process.pid if self._child is not None else None

    @property
    def _runs(self) -> bool:
        return self._child is not None and self._child.process.poll() is None

    def _make(self, source: TokenizerSource, given: PromptJob | Callable[[], PromptJob], call: PromptCall) -> None:
        try:
            job = given if isinstance(given, PromptJob) else given()
            seconds = PROMPT_S + job.characters / CHARACTERS_A_SECOND
            call.set_result(self._do(protocol.MakePrompt(source.folder, job), seconds, call.abandoned, source))
        except Exception as error:
            without_frames(error)
            call.set_exception(error)
            if not call.abandoned.is_set():
                self.start()

    def _do(
        self,
        task: protocol.Task,
        seconds: float,
        abandoned: threading.Event | None = None,
        source: TokenizerSource | None = None,
    ) -> Any:
        """Return the result of a task, for which the tokenizer of `source`, if given, is built first."""
        given_up = abandoned or threading.Event()

        def ask() -> Any:
            if source is None:
                self._ensure_running(given_up)
            else:
                self._ensure_built(source, given_up)
            return self._ask(task, seconds, given_up)

        with self._lock:
            return self._with_retries(ask)

    def _with_retries(self, work: Callable[[], Result]) -> Result:
        """Do `work`, and again with a new process if this one ends meanwhile. Raises `TemplateFailed`."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return work()
            # A system that wants memory may also start no process.
            except (_ProcessEnded, OSError) as error:
                log.info("the prompt process ended (%s) in attempt %d", error, attempt)
                ended = error
        raise TemplateFailed(str(ended), "crashed") from ended

    def _ensure_built(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        """Build a tokenizer unless the process has it; beyond MOST_TOKENIZERS, drop the least recently used."""
        self._ensure_running(abandoned)
        if self._built.get(source.folder) != source:
            self._built.pop(source.folder, None)
            kept = list(self._built)[-(protocol.MOST_TOKENIZERS - 1) :]
            self._built = {folder: self._built[folder] for folder in kept}
            self._ask(protocol.Build(source, kept), BUILD_S, abandoned)
        else:
            del self._built[source.folder]
        self._built[source.folder] = source

    def _ensure_running(self, abandoned: threading.Event) -> None:
        if abandoned.is_set():
            raise EngineClosed
        if self._runs:
            return
        self.end()
        self._child = Child(
            "engine.tokenizers.prompt_process.worker",
            "--prompt-process",
            [str(IDLE_S), *([] if self._with_transformers else [protocol.WITHOUT_TRANSFORMERS])],
            protocol.REPLIES,
            environment=_ENVIRONMENT,
            most_unsent=_MOST_UNREAD,
        )
        self._usage = None
        self._wait(None, abandoned)

    def _ask(self, task: protocol.Task, seconds: float, abandoned: threading.Event) -> Any:
        """Return the result of a task, or end the process if it exceeds a limit.

        Raises `_ProcessEnded`, `PromptTooLong` and `TemplateFailed`.
        """
        assert self._child is not None
        try:
            self._child.channel.send(protocol.TaskRequest(math.ceil(seconds), task))
            reply = self._wait(seconds, abandoned)
            if isinstance(reply, protocol.Done):
                return unpack(reply.result, task.result)
        except ChannelClosed as error:
            raise self._ended(error, seconds) from error
        # The text has half of a surrogate pair.
        except UnicodeEncodeError as error:
            raise TemplateFailed(str(error)) from error
        if isinstance(reply, protocol.TooLong):
            raise PromptTooLong(reply.tokens, reply.limit)
        raise TemplateFailed(reply.detail, reply.reason if reply.reason in TemplateFailed.REASONS else "")

    def _wait(self, seconds: float | None, abandoned: threading.Event) -> protocol.Reply:
        """Return the process's next message, for which it may compute `seconds` seconds (None: any number)."""
        assert self._child is not None
        used_before, self._most_held = self._used()
        latest_use, latest_progress = used_before, time.monotonic()
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
            used, held = self._used()
            if seconds is not None and used - used_before > seconds:
                raise self._over("too-slow", f"{seconds:g}")
            if used > latest_use:
                latest_use, latest_progress = used, time.monotonic()
            elif time.monotonic() - latest_progress > STALL_S:
                self.end()
                raise _ProcessEnded(f"it did nothing for {STALL_S:g} seconds")
            self._most_held = max(self._most_held, held)
            if self._most_held > MEMORY_BYTES:
                raise self._over("too-large", "")

    def _used(self) -> tuple[float, int]:
        """Return the process's seconds of computing so far and its bytes of memory; zeros if it has ended."""
        assert self._child is not None
        try:
            self._usage = self._usage or psutil.Process(self._child.process.pid)
            times = self._usage.cpu_times()
            return float(times.user + times.system), int(self._usage.memory_info().rss)
        # Besides psutil's own errors, what the system calls of a new macOS raise; the wall clock still limits it.
        except Exception as error:
            log.debug("the use of the prompt process is unknown: %s", error)
            return 0.0, 0

    def _over(self, reason: str, detail: str) -> TemplateFailed:
        log.info("the prompt process is replaced: %s %s", reason, detail)
        self.end()
        return TemplateFailed(detail, reason)

    def _ended(self, error: ChannelClosed, seconds: float | None) -> TemplateFailed | _ProcessEnded:
        assert self._child is not None
        try:
            code = self._child.process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            # The process lives, but sent something that is no reply.
            self.end()
            return _ProcessEnded(str(error))
        if code == -signal.SIGXCPU:
            return self._over("too-slow", f"{seconds or 0:g}")
        # Rust aborts when it gets no memory, and some systems kill the process that uses most of it.
        if code == -signal.SIGABRT or (code == -signal.SIGKILL and self._most_held > MEMORY_BYTES // 2):
            return self._over("too-large", "")
        self.end()
        return _ProcessEnded(f"exit code {code}")


# The first makes the prompts of all engines, the second tries grammars, and the third counts what caches hold.
PROMPT_PROCESS = PromptProcess()
GRAMMAR_PROCESS, COUNTING_PROCESS = (PromptProcess(with_transformers=False) for _ in range(2))
# The first reads pictures, the second documents, the third what takes them too long, and the last converts GGUF files.
PICTURE_PROCESS, DOCUMENT_PROCESS, SLOW_FILE_PROCESS, GGUF_PROCESS = (
    PromptProcess(with_transformers=False) for _ in range(4)
)
for process in (PROMPT_PROCESS, GRAMMAR_PROCESS, COUNTING_PROCESS):
    atexit.register(process.end)
for process in (PICTURE_PROCESS, DOCUMENT_PROCESS, SLOW_FILE_PROCESS, GGUF_PROCESS):
    atexit.register(process.end)
