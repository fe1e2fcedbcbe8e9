"""Shows the events of an answer in a terminal: as text with its figures, or as one JSON object a line."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TextIO

from app.cli.pair_options import explained
from engine import Event, Failed, Finished, RequestStats, TokensCommitted
from engine.events import as_json
from engine.stats import rounded_speedup


class Output(ABC):
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


class JsonOutput(Output):
    def progress(self, event: Event) -> None:
        # JSON's escapes hold every character, also where the terminal's encoding does not.
        plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        print(json.dumps(as_json(event), ensure_ascii=plain), flush=True)

    def finished(self, event: Finished) -> None:
        self.progress(event)

    def failed(self, event: Failed) -> None:
        self.progress(event)


class TextOutput(Output):
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
        _print_line(sys.stderr, f"tandem: {explained(event.error)}")


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
