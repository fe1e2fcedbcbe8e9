"""Asks the prompt process, and kills and replaces it when it takes too long or too much memory.

One process serves all engines of this one. It is started when it is first needed; the starter pair never needs it.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any

import psutil

from engine.errors import EngineClosed, PromptTooLong, TemplateFailed, without_frames
from engine.prompt_process.protocol import LARGEST_REPLY, TokenizerSource, announced_length, content_of, frame
from engine.prompts import Prompt, PromptJob

log = logging.getLogger(__name__)

# Seconds of computing; the wall clock only ends what computes nothing.
BUILD_S, PROMPT_S, WALL_FACTOR = 8, 5, 4
START_S = 120.0
MEMORY_BYTES = 3 * 2**30
_POLL_S = 0.02
_CHUNK_BYTES = 2**16
_SECRETS = ("TOKEN", "SECRET", "PASSWORD", "KEY")
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from engine.prompt_process.worker import main; main()"
)


class PromptCall(Future[Prompt]):
    """A prompt that is being made. `abandon` it when nobody waits for it any more."""

    def __init__(self) -> None:
        super().__init__()
        self.abandoned = threading.Event()

    def abandon(self) -> None:
        self.abandoned.set()


class PromptProcess:
    """The process, its tokenizers, and the limits. Methods may be called from any thread; requests run one by one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._built: dict[str, TokenizerSource] = {}
        self._usage: psutil.Process | None = None

    def build(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        """Build a tokenizer there, anew. Waits; raises `TemplateFailed`, and `EngineClosed` when `abandoned`."""
        with self._lock:
            self._built.pop(source.folder, None)
            self._ensure_built(source, abandoned)

    def start_prompt(self, source: TokenizerSource, job: PromptJob) -> PromptCall:
        """Make a prompt. The future raises `TemplateFailed` and `PromptTooLong`."""
        call = PromptCall()
        threading.Thread(target=self._make, args=(source, job, call), name="prompt", daemon=True).start()
        return call

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
            with self._lock:
                self._ensure_built(source, call.abandoned)
                reply = self._ask(source, job, PROMPT_S, call.abandoned)
            call.set_result(
                Prompt([int(token) for token in reply["ids"]], reply["dropped"], tuple(reply["boundaries"]))
            )
        except Exception as error:
            without_frames(error)
            call.set_exception(error)
            if not call.abandoned.is_set():
                self._replace()

    def _replace(self) -> None:
        """Start another process at once if there is none, so that the next request need not wait for it."""
        with self._lock:
            try:
                self._ensure_running(threading.Event())
            except (OSError, TemplateFailed) as error:
                log.info("the prompt process cannot be started: %s", error)

    def _ensure_built(self, source: TokenizerSource, abandoned: threading.Event) -> None:
        self._ensure_running(abandoned)
        if self._built.get(source.folder) != source:
            self._ask(source, None, BUILD_S, abandoned)
            self._built[source.folder] = source

    def _ensure_running(self, abandoned: threading.Event) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.end()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            bufsize=0,
        )
        self._usage = psutil.Process(self._process.pid)
        self._reply(None, START_S, abandoned)

    def _ask(
        self, source: TokenizerSource, job: PromptJob | None, seconds: int, abandoned: threading.Event
    ) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        request = {"source": source.as_data(), "job": None if job is None else asdict(job), "seconds": seconds}
        try:
            self._write(frame(request))
        except OSError as error:
            self.end()
            raise TemplateFailed("the helper process ended", "crashed") from error
        reply = self._reply(seconds, seconds * WALL_FACTOR, abandoned)
        if "too_long" in reply:
            raise PromptTooLong(*reply["too_long"])
        if "failed" in reply:
            raise TemplateFailed(*reply["failed"])
        return reply

    def _write(self, content: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        rest = memoryview(content)
        while rest:
            rest = rest[self._process.stdin.write(rest) or 0 :]

    def _reply(self, seconds: int | None, wall_s: float, abandoned: threading.Event) -> dict[str, Any]:
        """The next message, unless a limit is exceeded first: then the process is replaced."""
        assert self._process is not None
        assert self._process.stdout is not None
        began, computed, received = time.monotonic(), self._computed_s(), bytearray()
        while True:
            if select.select([self._process.stdout], [], [], _POLL_S)[0]:
                chunk = self._process.stdout.read(_CHUNK_BYTES)
                if not chunk:
                    raise self._ended(seconds)
                received += chunk
                length = announced_length(bytes(received[:4]))
                if length is not None and length > LARGEST_REPLY:
                    raise self._over("too-large", "")
                if length == len(received):
                    return content_of(bytes(received))
                continue
            if abandoned.is_set():
                self.end()
                raise EngineClosed
            if self._held_bytes() > MEMORY_BYTES:
                raise self._over("too-large", "")
            if time.monotonic() - began > wall_s or (seconds and self._computed_s() - computed > seconds):
                raise self._over("too-slow", str(seconds or round(wall_s)))

    def _computed_s(self) -> float:
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

    def _ended(self, seconds: int | None) -> TemplateFailed:
        assert self._process is not None
        code = self._process.wait()
        if code == -signal.SIGXCPU:
            return self._over("too-slow", str(seconds))
        # Rust aborts when it gets no memory.
        reason = "too-large" if code in (-signal.SIGABRT, -signal.SIGKILL) else "crashed"
        return self._over(reason, f"exit code {code}" if reason == "crashed" else "")


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
