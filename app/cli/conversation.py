"""A chat in the terminal: its requests, its history and its models."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from app.cli.answers import Output
from app.cli.exit_codes import DONE, FAILED, INTERRUPTED
from app.text.thinking import without_thoughts
from engine import ChatRequest, EngineClient, Finished, SamplingSettings, SpeculationSettings

_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "repetition_penalty")


class Conversation:
    """Questions to one engine, each with the turns before it. `model` names what answers."""

    def __init__(self, engine: EngineClient, arguments: argparse.Namespace, show: Output) -> None:
        self.model = ""
        self._engine, self._arguments, self._show = engine, arguments, show
        self._history: list[dict[str, str]] = []
        self._recommended: dict[str, float] = {}

    def load(self, main: str, draft: str | None) -> None:
        """Load the models; the turns so far stay. Raises `EngineError`, with the models before still loaded."""
        pair = self._engine.load(main, draft).result()
        if pair.draft_problem is not None:
            raise pair.draft_problem
        if pair.main is not None:
            self._recommended = dict(pair.main.sampling)
            self.model = pair.main.name + (f" with {pair.draft.name}" if pair.draft else ", no draft model")

    def ask(self, question: str) -> int:
        """Ask and show the answer; returns the exit code. A question without a whole answer leaves the history."""
        self._history.append({"role": "user", "content": question})
        stream = self._engine.submit(request(self._arguments, self._history, self._recommended))
        code = DONE
        try:
            last = self._show.events(stream)
        except KeyboardInterrupt:
            # The first Ctrl-C cancels the answer, whose figures are still shown; a second one ends the program.
            stream.cancel()
            last, code = self._show.events(stream), INTERRUPTED
        if not isinstance(last, Finished):
            code = code or FAILED
        if code == DONE:
            self._history.append({"role": "assistant", "content": without_thoughts(self._show.text)})
        else:
            self._history.pop()
        return code


def request(
    arguments: argparse.Namespace, turns: list[dict[str, str]], recommended: Mapping[str, float] | None = None
) -> ChatRequest:
    """The request with the options of the command line, or else what the model's authors recommend.

    Raises `BadRequest`.
    """
    system = [{"role": "system", "content": readable(arguments.system)}] if arguments.system else []
    chosen = {name: value for name in _SAMPLING if (value := getattr(arguments, name)) is not None}
    sampling: dict[str, Any] = {**(recommended or {}), **chosen}
    return ChatRequest(
        messages=system + turns,
        sampling=SamplingSettings(**sampling, seed=arguments.seed),
        speculation=SpeculationSettings(method=arguments.method, depth=arguments.depth),
        max_tokens=arguments.max_tokens,
        stop=tuple(map(readable, arguments.stop)),
    )


def readable(text: str) -> str:
    """`text` with replacement characters for undecodable bytes, which no tokenizer accepts."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
