"""Measures the throughput of the local API beside mlx-lm's server, on the same models, and what the API adds.

Each server is a process of its own. Both are loaded before anything is measured, and take turns in running first. Both
get the same conversations, each only once, so that no prompt is in a cache.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle, islice
from statistics import median
from typing import Any

from app.cli.pair_options import chosen_pair
from engine.errors import EngineError
from tests.benchmarks import options

Conversation = list[dict[str, str]]
CLIENTS = (1, 4, 8)
# Seconds for a server to load its models, and for an answer.
_START_S, _ANSWER_S = 300.0, 600.0
_LOOK_S = 0.2


class ServerFailed(EngineError):
    """One of the servers did not start, or did not answer."""

    code = "server-failed"


def measure(
    main: str,
    draft: str | None,
    texts: Sequence[str],
    *,
    repetitions: int,
    max_tokens: int,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure tokens a second of 1, 4 and 8 greedy clients at once; `ratio` is the median of ours over mlx-lm's.

    Raises `ServerFailed`.
    """
    groups: dict[str, Any] = {}
    interrupted = False
    conversations = _conversations(texts)
    with ExitStack() as running:
        try:
            ours = running.enter_context(_server("tandem", _our_command(main, draft)))
            theirs = running.enter_context(_server("mlx-lm", _mlx_lm_command(main, draft)))
            for clients in CLIENTS:
                speeds: list[tuple[float, float]] = []
                for repetition in range(-1, repetitions):
                    asked = list(islice(conversations, clients))
                    order = (ours, theirs) if repetition % 2 == 0 else (theirs, ours)
                    measured = {address: _tokens_per_s(address, asked, max_tokens) for address in order}
                    if repetition >= 0:
                        speeds.append((measured[ours], measured[theirs]))
                    progress(f"{clients} clients, repetition {repetition + 1} of {repetitions}")
                groups[str(clients)] = {
                    "tokens_per_s": round(median(speed for speed, _ in speeds), 1),
                    "mlx_lm_tokens_per_s": round(median(other for _, other in speeds), 1),
                    "ratio": round(median(speed / other for speed, other in speeds), 3),
                }
        except KeyboardInterrupt:
            interrupted = True
    return {"interrupted": interrupted, "concurrent": groups}


def table(report: dict[str, Any]) -> str:
    """Format the report for a terminal."""
    return "".join(
        f"{clients} clients: {figures['tokens_per_s']} tokens/s, mlx-lm's server {figures['mlx_lm_tokens_per_s']}, "
        f"ratio {figures['ratio']}\n"
        for clients, figures in report["concurrent"].items()
    )


def _our_command(main: str, draft: str | None) -> list[str]:
    port = str(_free_port())
    return [sys.executable, "-m", "app", "serve", "--port", port, "--main", main, "--draft", draft or "none"]


def _mlx_lm_command(main: str, draft: str | None) -> list[str]:
    command = [sys.executable, "-m", "mlx_lm", "server", "--port", str(_free_port()), "--model", main]
    return [*command, "--draft-model", draft] if draft else command


@contextmanager
def _server(name: str, command: list[str]) -> Iterator[str]:
    """Run a server, and yield its address once it answers."""
    address = f"http://127.0.0.1:{command[command.index('--port') + 1]}"
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            deadline = time.monotonic() + _START_S
            while not _answers(address):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise ServerFailed(f"the server of {name} did not start")
                time.sleep(_LOOK_S)
            yield address
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    try:
        _ask(address, 1, [{"role": "user", "content": "Hi"}])
    except OSError:
        return False
    return True


def _conversations(texts: Sequence[str]) -> Iterator[Conversation]:
    """Yield the texts as questions, over and over, each after a unique first message."""
    for number, text in enumerate(cycle(texts), 1):
        yield [{"role": "system", "content": f"Conversation {number}."}, {"role": "user", "content": text}]


def _tokens_per_s(address: str, asked: Sequence[Conversation], max_tokens: int) -> float:
    """Return the speed from the first question to the last token of all answers."""
    started = time.perf_counter()
    try:
        with ThreadPoolExecutor(len(asked)) as clients:
            tokens = sum(clients.map(partial(_ask, address, max_tokens), asked))
    except OSError as error:
        raise ServerFailed(f"a server did not answer: {error}") from error
    return tokens / (time.perf_counter() - started)


def _ask(address: str, max_tokens: int, messages: Conversation) -> int:
    """Ask, and return the number of tokens of the answer."""
    body = {"messages": messages, "max_tokens": max_tokens, "temperature": 0.0}
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{address}/v1/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked, timeout=_ANSWER_S) as response:
        return int(json.load(response)["usage"]["completion_tokens"])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Measure and print."""
    # Imported here because it imports this module.
    from tests.benchmarks import api_overhead

    parser = options.parser_of(__doc__)
    options.add_answer_options(parser)
    arguments = parser.parse_args()
    texts = [prompt.text for prompt in options.prompts_of(arguments)]
    how: dict[str, Any] = {
        "repetitions": arguments.repetitions,
        "max_tokens": arguments.max_tokens,
        "progress": options.progress,
    }
    report = measure(*chosen_pair(arguments), texts, **how)
    if not report["interrupted"]:
        report["overhead"] = api_overhead.measure(*chosen_pair(arguments), texts, **how)
    options.show(arguments, report, lambda _: print(table(report), api_overhead.table(report.get("overhead", {}))))


if __name__ == "__main__":
    main()
