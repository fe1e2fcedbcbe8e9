"""One answer's exchange with the draft runner: it sends outcomes, receives draft tokens, and keeps figures."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.ahead.link import CHATS, Asker, RunnerLink
from engine.ahead.messages import FIRST_ACCEPTANCE, LONGEST_WINDOW, Begin, DraftReply, End, PreparedTree, RoundOutcome
from engine.ahead.tree_cache import TreeCache
from engine.ahead.worth import Worth
from engine.main_model.sampling import Sampler
from engine.requests import MAX_DRAFTED, SamplingSettings

# The least seconds that a round waits to learn whether its outcome was prepared.
HANDOVER_S = 0.002
# How long it waits while the time of drafting in this process is not known.
FIRST_PATIENCE_S = 0.1
# The draft tokens asked for until the first were used.
FIRST_DEPTH = 4
# After MAX_MISSES replies in a row that came too late or were not used, the runner rests for FIRST_PAUSE rounds. Each
# further pause is twice as long, up to LAST_PAUSE; once draft tokens are used, the next one is FIRST_PAUSE again.
MAX_MISSES = 4
FIRST_PAUSE, LAST_PAUSE = 32, 512
# After this many replies that no sound runner sends, it rests for the remainder of the answer.
MAX_BAD = 3


@dataclass(slots=True)
class AheadFigures:
    """The figures of drafting ahead in one answer; `engine.stats.RequestStats` describes them."""

    state: str
    host: str = ""
    detail: str = ""
    hits: int = 0
    misses: int = 0
    late: int = 0
    bad: int = 0
    used: int = 0
    hidden_s: float = 0.0

    def as_stats(self) -> dict[str, Any]:
        """Return the figures as fields of `RequestStats`."""
        figures = asdict(self)
        return {"ahead": figures.pop("state")} | {f"ahead_{name}": value for name, value in figures.items()}


class DraftingAhead:
    """Keeps the runner behind `link` up to date with `text`, the live list of an answer's committed tokens.

    The runner rests while its tokens are of no use, because it slows a main model on the same computer down.
    `fixed_depth` is the depth that the person fixed, if any. `drafting_s(tokens)` returns the seconds that drafting so
    many tokens in this process takes, None before that was measured: about as long a round waits for the runner.
    `worth` says whether rounds are faster with the runner, and so whether it works; a fixed depth neither asks nor
    teaches it.
    `acceptance(depth)` returns the rates that `RoundOutcome.acceptance` describes. `asker` is who asks for the answer.
    Belongs to the engine's thread.
    """

    def __init__(
        self,
        link: RunnerLink,
        sampler: Sampler,
        text: Sequence[int],
        drafting_s: Callable[[int], float | None],
        fixed_depth: int | None = None,
        worth: Worth | None = None,
        acceptance: Callable[[int], Sequence[float]] = lambda _depth: FIRST_ACCEPTANCE,
        asker: Asker = CHATS,
    ) -> None:
        self.figures = AheadFigures(link.state, link.host)
        self.depth = fixed_depth or FIRST_DEPTH
        self._fixed = fixed_depth is not None
        self._worth = worth or Worth()
        # Whether the runner was told to rest, and was sent no outcome since.
        self._resting = False
        self._link = link
        self._text = text
        self._drafting_s = drafting_s
        self._acceptance = acceptance
        self._asker = asker
        self._begin = Begin(secrets.randbits(64), sampler.seed, sampler.vocabulary, _sendable(sampler))
        self._generation = 0
        # How many tokens the runner knows.
        self._sent = 0
        # The number of the latest outcome.
        self._round = 0
        # Whether the reply to it is not read yet.
        self._awaited = False
        # The time at which waiting for that reply ends, by `time.monotonic`.
        self._until = 0.0
        # The reply to the latest outcome, once it is read; None if it came too late or was bad.
        self._reply: DraftReply | None = None
        # The position and the tokens of the latest outcome.
        self._outcome: tuple[int, tuple[int, ...]] = (0, ())
        # The latest tree that the runner has sent.
        self._tree = TreeCache()
        # How many replies in a row were of no use, how many rounds are left of a pause, and how many the next one has.
        self._misses = 0
        self._pausing = 0
        self._pause = FIRST_PAUSE

    def prepared(self) -> tuple[int, ...]:
        """Return the draft tokens that were prepared for the last outcome; () if there are none, or not in time.

        The first call after an outcome may wait about as long as drafting in this process takes.
        """
        if self._awaited:
            self._awaited = False
            self._reply = self._receive(self._until)
            self._count(self._reply)
        return () if self._reply is None else self._reply.tokens

    def report_round(self, used: int) -> None:
        """Send the outcome of a round, which verified `used` of the prepared tokens, to a runner that does not rest."""
        if used:
            self._misses = 0
            self._pause = FIRST_PAUSE
            self.figures.used += 1
            hidden_s = self._drafting_s(used)
            if hidden_s is not None:
                self.figures.hidden_s += hidden_s
            if not self._fixed:
                self.depth = min(MAX_DRAFTED, max(2, used + 1))
        elif self._reply is not None and self._reply.tokens:
            self._misses += 1
        self._reply = None
        self._awaited = False
        self._pausing = max(0, self._pausing - 1)
        if self._misses >= MAX_MISSES:
            self._misses = 0
            self._pausing = self._pause
            self._pause = min(2 * self._pause, LAST_PAUSE)
            self._rest()
        if self.figures.bad >= MAX_BAD:
            self._rest()
        elif self._link.state == "ready" and not self._pausing:
            self._ask_if_worth()
        self.figures.state = self._state
        self.figures.detail = self._link.detail

    def observe_round(self, seconds: float, tokens: float) -> None:
        """Learn from a round of a runner that does not pause by itself; the arguments are those of `Worth.observe`.

        At a fixed depth it works in all rounds, which therefore say nothing of its rests.
        """
        by_turns = not self._fixed and not self._pausing and self.figures.bad < MAX_BAD
        if by_turns and self._link.state == "ready":
            self._worth.observe(seconds, tokens)

    def end(self) -> None:
        """Let the runner do nothing until the next outcome."""
        self._link.send(End(self._begin.conversation))

    @property
    def _state(self) -> str:
        """The state, as in `RequestStats.ahead`: trials of the slower way do not change it."""
        if self.figures.bad >= MAX_BAD:
            return "bad-replies"
        if self._link.state != "ready":
            return self._link.reason or self._link.state
        if self._pausing:
            return "resting-unused"
        return "ready" if self._fixed or self._worth.pays else "resting-slower"

    def _ask_if_worth(self) -> None:
        """Send the outcome of a round, unless rounds are faster while the runner rests."""
        if self._fixed or self._worth.works:
            self._resting = False
            self._ask()
        else:
            self._rest()

    def _rest(self) -> None:
        """Tell the runner to rest, unless it was told already."""
        if not self._resting:
            self._resting = True
            self.end()

    def _ask(self) -> None:
        """Send the tokens that the runner lacks as the outcome of a round; it prepares draft tokens to follow them.

        A new runner lacks the whole text. No reply is awaited if there is no runner any more.
        """
        if self._generation != self._link.generation:
            self._generation = self._link.generation
            self._sent = 0
            self._link.begin(self._begin, self._asker)
        # An outcome must have a token: to a runner that knows the whole text, the last token is sent again.
        position = min(self._sent, len(self._text) - 1)
        # Messages have 32 bits for the number.
        self._round = (self._round + 1) % 2**32
        tokens = tuple(self._text[position:])
        rates = tuple(self._acceptance(self.depth))
        outcome = RoundOutcome(self._begin.conversation, self._round, position, tokens, self.depth, rates)
        patience_s = self._drafting_s(self.depth)
        self._outcome = (position, tokens)
        self._until = time.monotonic() + max(HANDOVER_S, FIRST_PATIENCE_S if patience_s is None else patience_s)
        if self._link.send(outcome):
            self._sent = len(self._text)
            self._awaited = True

    def _receive(self, until: float) -> DraftReply | None:
        """Return the reply to the latest outcome; None if it is late or not sound.

        What the runner has sent before it knew the outcome answers at once, else its reply may come before `until`.
        Replies to earlier outcomes, or of earlier answers, came too late for these, and are dropped.
        """
        timeout_s = 0.0
        while True:
            message = self._link.receive(timeout_s)
            if isinstance(message, PreparedTree):
                self._plant(message)
            elif message is not None and self._is_for_latest(message):
                if self._is_sound(message):
                    return message
                self.figures.bad += 1
                return None
            if (message is None or timeout_s) and (known := self._from_tree()) is not None:
                return known
            left = until - time.monotonic()
            # A runner that sends for ever must not be waited for.
            if left <= 0 or (message is None and timeout_s):
                break
            timeout_s = left if message is None or timeout_s else 0.0
        self.figures.late += 1
        return None

    def _plant(self, prepared: PreparedTree) -> None:
        """Use what the runner has drafted so far in place of what it had drafted before, if it is sound."""
        if prepared.conversation != self._begin.conversation:
            return
        branches = {(branch.accepted, branch.recovery): list(branch.drafted) for branch in prepared.branches}
        recovery_tokens = [recovery for _, recovery in branches]
        tokens = itertools.chain(prepared.proposed, recovery_tokens, *branches.values())
        if prepared.position > len(self._text) or any(token >= self._begin.vocabulary for token in tokens):
            self.figures.bad += 1
            return
        self._tree = TreeCache(prepared.position, list(prepared.proposed), branches)

    def _from_tree(self) -> DraftReply | None:
        """Return the reply to the latest outcome as far as the tree has it; None if only the runner knows."""
        position, tokens = self._outcome
        draft = self._tree.continuation(position, tokens)[: self.depth]
        if not draft and not self._tree.rules_out(position, tokens):
            return None
        return DraftReply(self._begin.conversation, self._round, len(self._text), tuple(draft))

    def _is_for_latest(self, reply: DraftReply) -> bool:
        return reply.conversation == self._begin.conversation and reply.round >= self._round

    def _is_sound(self, reply: DraftReply) -> bool:
        """Whether a reply, to the latest outcome or a later one, is one that a runner sends to the latest.

        A token that the main model does not have would make it read foreign memory.
        """
        is_for_it = reply.round == self._round and reply.position == len(self._text)
        is_possible = len(reply.tokens) <= self.depth and all(token < self._begin.vocabulary for token in reply.tokens)
        return is_for_it and is_possible

    def _count(self, reply: DraftReply | None) -> None:
        """Count a reply; None stands for one that came too late or was bad."""
        if reply is None:
            self._misses += 1
        elif reply.tokens:
            self.figures.hits += 1
        else:
            self.figures.misses += 1


def _sendable(sampler: Sampler) -> SamplingSettings:
    """Return the sampler's settings with all numbers bounded as messages require, without a change of effect."""
    settings = sampler.settings
    vocabulary = sampler.vocabulary
    return replace(
        settings,
        seed=None,
        top_k=min(settings.top_k, vocabulary),
        penalty_window=min(settings.penalty_window, LONGEST_WINDOW),
        logit_bias={token: value for token, value in settings.logit_bias.items() if 0 <= token < vocabulary},
    )
