"""Shows the events of an answer in a terminal: as text with its figures, or as one JSON object a line."""

from __future__ import annotations

import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from app.cli.pair_options import explained
from app.cli.rendered import growing_text
from app.cli.terminal import format_time, say
from app.conversations.measured import PairSpeeds, as_shown, gain_in, speed_as_shown
from app.system.paths import speeds_file
from app.text.thinking import GrowingParts, ThoughtAndReply, parts_of
from engine import Event, Failed, Finished, RequestStats, TokensCommitted
from engine.events import as_json
from engine.stats import NOTICEABLE, most_speedup

# The beginning of a mark that may end the thoughts.
_HALF_A_MARK = re.compile(r"\s*(?:<[/|:\w]*|\[/?\w*)\Z")


class AnswerOutput(ABC):
    """Shows the events of a request; `text` is the last whole answer.

    `speed_counts` says whether the speed of an ended answer says anything of others; at first it does of all.
    """

    text = ""

    def __init__(self) -> None:
        self.speed_counts: Callable[[Finished], bool] = lambda _ended: True

    def events(self, stream: Iterable[Event]) -> Event | None:
        last: Event | None = None
        for last in stream:
            self.event(last)
        if isinstance(last, Finished):
            self.text = last.text
        return last

    @abstractmethod
    def event(self, event: Event) -> None: ...

    @abstractmethod
    def note(self, sentence: str) -> None:
        """Print a sentence about the last answer, unless its events say it."""

    def switch_colours(self) -> str:
        """Show the next answers with the colours of their proposers, or without, and return what to say of it."""
        return "This output has no colours."


class JsonOutput(AnswerOutput):
    def event(self, event: Event) -> None:
        # JSON's escapes hold every character, also where the terminal's encoding does not.
        plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        message = {"message": explained(event.error)} if isinstance(event, Failed) else {}
        print(json.dumps(as_json(event) | message, ensure_ascii=plain), flush=True)

    def note(self, sentence: str) -> None:
        """The reason of the last event says it."""


class TextOutput(AnswerOutput):
    """Prints the reply to standard output, thoughts, figures and errors to standard error; on terminals as Markdown.

    On terminals with colours, the tokens that a proposer drafted have its colour, unless `coloured` is False.
    """

    def __init__(self, *, coloured: bool = True) -> None:
        super().__init__()
        self._coloured = coloured
        # The sources that the legend has named.
        self._named: set[str] = set()
        # The sentences on the texts of answers with drafts that were printed; each is printed once.
        self._said: set[str] = set()
        self._begin()

    def events(self, stream: Iterable[Event]) -> Event | None:
        try:
            return super().events(stream)
        finally:
            # Ctrl-C must not leave the terminal without a cursor.
            self._reply_text.pause()
            self._thought_text.pause()

    def event(self, event: Event) -> None:
        if isinstance(event, Finished):
            self._finish(event)
        elif isinstance(event, Failed):
            if event.text:
                self._reply_text.end()
            self._begin()
            say(f"tandem: {explained(event.error)}")
        elif isinstance(event, TokensCommitted):
            opening = "" if self._so_far else event.stats.opening
            self._so_far += opening + event.text
            if self._coloured and self._reply_text.has_colours:
                self._add_roles(len(opening), event)
            self._show(self._parts.of(self._so_far, False), is_whole=False)

    def note(self, sentence: str) -> None:
        say(sentence)

    def switch_colours(self) -> str:
        self._coloured = not self._coloured
        if not self._reply_text.has_colours:
            return "This terminal shows no colours."
        return "Accepted draft tokens have colours." if self._coloured else "Answers have no colours of draft tokens."

    def _begin(self) -> None:
        self._parts = GrowingParts()
        self._so_far = ""
        # The role of each character so far, or less of them, and the sources that wrote them.
        self._roles: list[str] = []
        self._sources: dict[str, None] = {}
        self._reply = ""
        self._thought = ""
        self._reply_text = growing_text(sys.stdout)
        self._thought_text = growing_text(sys.stderr, "dim")

    def _add_roles(self, opening: int, event: TokensCommitted) -> None:
        """Add the proposers of each letter of an event's text, which follows `opening` letters without a proposer."""
        # Imports Qt, which pipes and dumb terminals do not wait for.
        from app.wording.sources import MAIN, role_of

        roles = [""] * opening
        for token in event.tokens:
            role = role_of(token.source)
            roles += ["" if role == MAIN else role] * len(token.text)
            if role != MAIN and token.text:
                self._sources[token.source] = None
        self._roles += roles

    def _show(self, parts: ThoughtAndReply, *, is_whole: bool) -> None:
        """Print the new part of the thoughts and of the reply."""
        thought = parts.thought or ""
        reply = parts.reply
        if not is_whole:
            reply = _HALF_A_MARK.sub("", reply)
            thought = thought if parts.closed else _HALF_A_MARK.sub("", thought)
        if self._reply.startswith(reply):
            # The end of the reply may be a mark now, and is held back.
            reply = self._reply
        elif not reply.startswith(self._reply):
            # The mark that ends the thoughts has arrived: the text so far was thoughts.
            self._reply_text.end()
            self._reply = ""
            self._thought = thought
        if thought != self._thought and thought.startswith(self._thought):
            self._thought_text.write(thought[len(self._thought) :])
            self._thought = thought
        if reply and self._thought and not self._reply:
            self._thought_text.end()
            say("")
        begin = parts.begin if parts.begin is not None else parts.end
        # Marks within the reply, which are not shown, leave what follows them without colours.
        is_one_piece = self._so_far.startswith(reply, begin)
        roles = self._roles[begin + len(self._reply) : begin + len(reply)] if is_one_piece else ()
        self._reply_text.write(reply[len(self._reply) :], roles)
        self._reply = reply

    def _finish(self, event: Finished) -> None:
        self._show(parts_of(event.stats.opening + event.text), is_whole=True)
        if self._thought and not self._reply:
            self._thought_text.end()
        self._reply_text.end()
        new = [source for source in self._sources if source not in self._named]
        self._begin()
        if new:
            from app.cli.tinted_markdown import print_legend

            self._named.update(new)
            print_legend(new)
        say(_summary(event.stats, self._speedup(event)))
        same = _sameness(event.stats)
        if same and same not in self._said:
            self._said.add(same)
            say(same)

    def _speedup(self, ended: Finished) -> float | None:
        """Return the speed-up of the pair that answered, None if it is unknown or this one cannot have it."""
        stats = ended.stats
        known = PairSpeeds(speeds_file()).speedup_of(stats.main, stats.draft)
        return gain_in(stats, known) if self.speed_counts(ended) else None


def _summary(stats: RequestStats, speedup: float | None) -> str:
    """Return the line below an answer, with the speed-up of its pair unless that is None."""
    at_speed = "" if stats.decode_tps is None else f" at {speed_as_shown(stats.decode_tps)}/s"
    parts = [f"{stats.generated_tokens} tokens{at_speed}"]
    if stats.tokens_per_round is not None and most_speedup(stats.tokens_per_round) > NOTICEABLE:
        parts.append(f"{stats.tokens_per_round:.1f} a round")
    if speedup is not None:
        parts.append(f"{as_shown(speedup)}x as fast")
    if stats.drafted:
        parts.append(f"{stats.accepted} of {stats.drafted} drafts accepted")
    if stats.ttft_s is not None:
        pictures = f" ({stats.picture_s:.2f} s for pictures)" if stats.picture_s else ""
        parts.append(f"first token {stats.ttft_s:.2f} s{pictures}")
    if ready := ahead_summary(stats):
        parts.append(ready)
    if stats.same_text_cost is not None:
        parts.append(f"the same text costs {stats.same_text_cost:.0%} of the speed")
    if stats.thinking_limit is not None:
        parts.append(f"the limit of {stats.thinking_limit} tokens ended its thoughts")
    return "[" + ", ".join(parts) + "]"


def _sameness(stats: RequestStats) -> str:
    """Return how an answer compares to one without draft tokens; "" if it had none, or that is not known."""
    if not (stats.rounding and stats.drafted):
        return ""
    apart = "" if stats.rounding == "identical" else " apart from rounding"
    return f"[without drafts: 1 token a round, and the same text{apart}]"


def ahead_summary(stats: RequestStats) -> str:
    """Return what drafting ahead did in an answer, or the code of why nothing was drafted ahead; "" if it was off."""
    rounds = stats.ahead_hits + stats.ahead_misses + stats.ahead_late + stats.ahead_bad
    if stats.ahead_used:
        ready = f"{stats.ahead_hits} of {rounds} drafts made ahead ({format_time(stats.ahead_hidden_s)} hidden)"
        return f"{ready}, {stats.ahead}" if stats.ahead.startswith("resting") else ready
    if stats.ahead in ("", "ready"):
        return ""
    return f"nothing drafted ahead ({', '.join(filter(None, (stats.ahead, stats.ahead_host, stats.ahead_detail)))})"
