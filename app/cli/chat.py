"""`tandem chat`: the engine in a terminal, for scripts, benchmarks and machines without a screen."""

from __future__ import annotations

import argparse
import io
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, TextIO

from app.cli.exit_codes import BAD_USAGE, DONE, FAILED
from app.cli.pair_options import add_pair_options, chosen_pair
from app.system.paths import learned_file
from engine import (
    ChatRequest,
    Engine,
    EngineError,
    Event,
    Failed,
    Finished,
    RequestStats,
    SamplingSettings,
    SpeculationSettings,
    TokensCommitted,
)
from engine.events import as_json
from engine.requests import MAX_DEPTH
from engine.settings import EngineSettings
from engine.speculation.proposers.registry import methods
from engine.stats import rounded_speedup

_DEPTH_HELP = f"guesses a round, 0 to {MAX_DEPTH} (default: auto)"


def add_parser(subparsers: Any) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser("chat", help="ask a question, or talk, in the terminal")
    parser.add_argument("prompt", nargs="?", help="the question; without it, a conversation from standard input")
    add_pair_options(parser)
    parser.add_argument("--method", choices=methods(), default="auto")
    parser.add_argument("--depth", type=_depth, default=None, metavar="auto|K", help=_DEPTH_HELP)
    parser.add_argument("--temperature", type=float, default=0.0, metavar="T")
    parser.add_argument("--top-p", type=float, default=1.0, metavar="P")
    parser.add_argument("--top-k", type=int, default=0, metavar="K")
    parser.add_argument("--min-p", type=float, default=0.0, metavar="P")
    parser.add_argument("--repetition-penalty", type=float, default=1.0, metavar="R")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    parser.add_argument("--max-tokens", type=int, default=1024, metavar="N")
    parser.add_argument("--system", metavar="TEXT", help="a system prompt")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end the answer here; may repeat")
    parser.add_argument("--json", action="store_true", help="one JSON object a line for every event")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal cannot show must not end the conversation.
            stream.reconfigure(errors="replace")
    main, draft = chosen_pair(arguments)
    show = _JsonOutput() if arguments.json else _TextOutput()
    try:
        first = _request(arguments, [])  # Bad settings end the command before any model is loaded.
        with Engine(EngineSettings(learned_file=learned_file())) as engine:
            pair = engine.load(main, draft).result()
            if pair.draft_problem is not None:
                raise pair.draft_problem
            if arguments.prompt is not None:
                return _ask(engine, first, show)
            return _converse(engine, arguments, show)
    except EngineError as error:
        show.failed(Failed(error, ""))
        return BAD_USAGE if error.code == "bad-request" else FAILED
    except KeyboardInterrupt:
        return FAILED


def _request(arguments: argparse.Namespace, history: list[dict[str, str]]) -> ChatRequest:
    system = [{"role": "system", "content": _readable(arguments.system)}] if arguments.system else []
    # A placeholder while only the settings are checked: the questions come from standard input later.
    question = [{"role": "user", "content": "-" if arguments.prompt is None else _readable(arguments.prompt)}]
    return ChatRequest(
        messages=system + (history or question),
        sampling=SamplingSettings(
            temperature=arguments.temperature,
            top_k=arguments.top_k,
            top_p=arguments.top_p,
            min_p=arguments.min_p,
            repetition_penalty=arguments.repetition_penalty,
            seed=arguments.seed,
        ),
        speculation=SpeculationSettings(method=arguments.method, depth=arguments.depth),
        max_tokens=arguments.max_tokens,
        stop=tuple(map(_readable, arguments.stop)),
    )


def _ask(engine: Engine, request: ChatRequest, show: _Output) -> int:
    stream = engine.submit(request)
    try:
        last = show.events(stream)
    except KeyboardInterrupt:
        # The first Ctrl-C cancels the answer, whose figures are still shown; a second one ends the program.
        stream.cancel()
        last = show.events(stream)
    return DONE if isinstance(last, Finished) else FAILED


def _converse(engine: Engine, arguments: argparse.Namespace, show: _Output) -> int:
    history: list[dict[str, str]] = []
    code = DONE
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    while (question := _read_question()) is not None:
        if not question.strip():
            continue
        history.append({"role": "user", "content": question})
        code = _ask(engine, _request(arguments, history), show)
        if code == DONE:
            history.append({"role": "assistant", "content": show.text})
        else:
            history.pop()
    return code


def _readable(text: str) -> str:
    """`text` with replacement characters for undecodable bytes, which no tokenizer accepts."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _read_question() -> str | None:
    if sys.stdin.isatty():
        print("> ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return _readable(line.rstrip("\n")) if line else None


class _Output(ABC):
    """Shows the events of a request; `text` is the last whole answer."""

    text = ""

    def events(self, stream: Iterable[Event]) -> Event | None:
        last: Event | None = None
        for last in stream:
            self.event(last)
        return last

    def event(self, event: Event) -> None:
        if isinstance(event, Finished):
            self.text = event.text
            self.finished(event)
        elif isinstance(event, Failed):
            self.failed(event)
        else:
            self.progress(event)

    @abstractmethod
    def progress(self, event: Event) -> None: ...

    @abstractmethod
    def finished(self, event: Finished) -> None: ...

    @abstractmethod
    def failed(self, event: Failed) -> None: ...


class _JsonOutput(_Output):
    def progress(self, event: Event) -> None:
        # JSON's escapes hold every character, also where the terminal's encoding does not.
        plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        print(json.dumps(as_json(event), ensure_ascii=plain), flush=True)

    def finished(self, event: Finished) -> None:
        self.progress(event)

    def failed(self, event: Failed) -> None:
        self.progress(event)


class _TextOutput(_Output):
    """The answer on standard output, its figures and errors on standard error."""

    def progress(self, event: Event) -> None:
        if isinstance(event, TokensCommitted):
            print(event.text, end="", flush=True)

    def finished(self, event: Finished) -> None:
        print(flush=True)
        _print_line(sys.stderr, _summary(event.stats))

    def failed(self, event: Failed) -> None:
        if event.text:
            print(flush=True)
        _print_line(sys.stderr, f"tandem: {event.error}")


def _print_line(to: TextIO, sentence: str) -> None:
    print(sentence, file=to, flush=True)


def _summary(stats: RequestStats) -> str:
    parts = [f"{stats.generated_tokens} tokens"]
    if stats.decode_tps is not None:
        parts.append(f"{stats.decode_tps:.1f} tokens/s")
    if (rounded := rounded_speedup(stats.speedup, stats.speedup_low, stats.speedup_high)) is not None:
        factor, about = rounded
        parts.append(f"about {factor:.2g}x plain" if about else f"{factor:.1f}x plain")
    if stats.accept_rate is not None:
        parts.append(f"{stats.accept_rate:.0%} accepted")
    if stats.tokens_per_round is not None:
        parts.append(f"{stats.tokens_per_round:.1f} tokens per round")
    if stats.ttft_s is not None:
        parts.append(f"first token {stats.ttft_s:.2f} s")
    return "[" + ", ".join(parts) + "]"


def _depth(text: str) -> int | None:
    if text == "auto":
        return None
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f'"auto" or a number, not {text!r}')
