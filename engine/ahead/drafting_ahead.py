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
from engine.ahead.rest import Rest, RestDecision
from engine.ahead.tree_cache import TreeCache
from engine.ahead.worth import Worth
from engine.main_model.sampling import Sampler
from engine.requests import MAX_DRAFTED, SamplingSettings

# The percentages are changes of an answer's speed in the worlds of tests/engine/ahead/worlds.py.

# The least seconds that a round waits to learn whether its outcome was prepared: a message between two processes takes
# longer than the fastest draft models do. Without it -0.1 % with such a model.
HANDOVER_S = 0.002
# How long it waits while the time of drafting in this process is not known. Without it -0.1 % with a runner on another
# computer, and +0.9 % if that is too far away: the price of learning what is prepared in the first rounds of all.
FIRST_PATIENCE_S = 0.1
# The draft tokens asked for until the first were used. With two, -4.4 % if the runner helps a little; with as many as a
# round can have, -2.5 % if it is too far away.
FIRST_DEPTH = 4


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
        """Return the figures as fields of `stats.RequestStats`."""
        figures = asdict(self)
        return {"ahead": figures.pop("state")} | {f"ahead_{name}": value for name, value in figures.items()}


class DraftingAhead:
    """Keeps the runner behind `link` up to date with `text`, the live list of an answer's committed tokens.

    The runner rests while its tokens are of no use, as `RestDecision` says. `fixed_depth` is the depth that the person
    fixed, if any; then rounds with and without the runner are not compared, which `worth` does else.
    `drafting_s(tokens)` returns the seconds that drafting so many tokens in this process takes, None before that was
    measured: about as long a round waits for the runner. `acceptance(depth)` returns the rates that
    `RoundOutcome.acceptance` describes. `asker` is who asks for the answer. Belongs to the engine's thread.
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
        self._rest = RestDecision(None if self._fixed else worth or Worth())
        self._link = link
        self._text = text
        self._drafting_s = drafting_s
        self._acceptance = acceptance
        self._asker = asker
        self._begin_message = Begin(secrets.randbits(64), sampler.seed, sampler.vocabulary, _sendable(sampler))
        # The number of the runner that knows the beginning, as `RunnerLink.runner_number`.
        self._runner_number = 0
        # How many tokens that runner knows.
        self._sent = 0
        # The number, the position and the tokens of the latest outcome.
        self._round = 0
        self._outcome: tuple[int, tuple[int, ...]] = (0, ())
        # The time at which waiting for the reply to it ends, by `time.monotonic`; None once it is read, or given up.
        self._awaited_until: float | None = None
        # That reply, once it is read; None if it came too late or was bad.
        self._reply: DraftReply | None = None
        # The tree cache that the runner has sent last.
        self._tree_cache = TreeCache()

    def prepared(self) -> tuple[int, ...]:
        """Return the draft tokens that were prepared for the last outcome; () if there are none, or not in time.

        The first call after an outcome may wait about as long as drafting in this process takes.
        """
        if self._awaited_until is not None:
            self._reply = self._receive(self._awaited_until)
            self._awaited_until = None
            self._count(self._reply)
        return () if self._reply is None else self._reply.tokens

    def report_round(self, used: int) -> None:
        """Send the outcome of a round, which verified `used` of the prepared tokens, to a runner that does not rest."""
        if used:
            self._count_used(used)
        elif self._reply is not None and self._reply.tokens:
            self._rest.count_miss()
        self._reply = None
        self._awaited_until = None
        rested = self._rest.now is not None
        if self._rest.decide() is None:
            if self._link.state == "ready":
                self._ask()
        elif not rested:
            self.end()
        self.figures.state = self._state
        self.figures.detail = self._link.detail

    def observe_round(self, seconds: float, tokens: float) -> None:
        """Learn from a round whether the runner makes rounds longer; the arguments are those of `Worth.observe`."""
        if self._link.state == "ready":
            self._rest.observe(seconds, tokens)

    def end(self) -> None:
        """Let the runner do nothing until the next outcome."""
        self._link.send(End(self._begin_message.conversation))

    @property
    def _state(self) -> str:
        """The state, as in `RequestStats.ahead`."""
        reason = self._rest.shown
        if self._link.state != "ready" and reason is not Rest.BAD_REPLIES:
            return self._link.reason or self._link.state
        return "ready" if reason is None else reason.value

    def _count_used(self, used: int) -> None:
        """Count a round that verified `used` of the prepared tokens, and ask for one more than that from now on."""
        self._rest.count_used()
        self.figures.used += 1
        hidden_s = self._drafting_s(used)
        if hidden_s is not None:
            self.figures.hidden_s += hidden_s
        if not self._fixed:
            self.depth = min(MAX_DRAFTED, max(2, used + 1))

    def _ask(self) -> None:
        """Send the tokens that the runner lacks as the outcome of a round; it prepares draft tokens to follow them.

        A new runner lacks the whole text. No reply is awaited if there is no runner any more.
        """
        if self._runner_number != self._link.runner_number:
            self._runner_number = self._link.runner_number
            self._sent = 0
            self._link.begin(self._begin_message, self._asker)
        # An outcome must have a token: to a runner that knows the whole text, the last token is sent again.
        position = min(self._sent, len(self._text) - 1)
        # Messages have 32 bits for the number.
        self._round = (self._round + 1) % 2**32
        tokens = tuple(self._text[position:])
        rates = tuple(self._acceptance(self.depth))
        outcome = RoundOutcome(self._begin_message.conversation, self._round, position, tokens, self.depth, rates)
        patience_s = self._drafting_s(self.depth)
        self._outcome = (position, tokens)
        until = time.monotonic() + max(HANDOVER_S, FIRST_PATIENCE_S if patience_s is None else patience_s)
        if self._link.send(outcome):
            self._sent = len(self._text)
            self._awaited_until = until

    def _receive(self, until: float) -> DraftReply | None:
        """Return the reply to the latest outcome; None if it is late or not sound.

        A tree cache that is here has the reply at once, or says that there is none; else it may come before `until`.
        """
        # Read all that is here, but not for ever if the runner sends for ever.
        while (message := self._link.receive(0.0)) is not None:
            if (reply := self._take(message)) is not None:
                return self._checked(reply)
            if time.monotonic() >= until:
                break
        # Wait for what is not here yet.
        known = self._cached_reply()
        while known is None and (left_s := until - time.monotonic()) > 0:
            message = self._link.receive(left_s)
            if message is None:
                break
            if (reply := self._take(message)) is not None:
                return self._checked(reply)
            known = self._cached_reply()
        if known is None:
            self.figures.late += 1
        return known

    def _take(self, message: DraftReply | PreparedTree) -> DraftReply | None:
        """Return a reply to the latest outcome or a later one, and keep a tree cache.

        Replies to earlier outcomes, or of earlier answers, came too late for these, and are dropped.
        """
        if isinstance(message, PreparedTree):
            self._keep_cache(message)
            return None
        is_for_latest = message.conversation == self._begin_message.conversation and message.round >= self._round
        return message if is_for_latest else None

    def _keep_cache(self, prepared: PreparedTree) -> None:
        """Use a tree cache in place of the one before, if it is sound."""
        if prepared.conversation != self._begin_message.conversation:
            return
        branches = {(branch.accepted, branch.recovery): list(branch.drafted) for branch in prepared.branches}
        recovery_tokens = [recovery for _, recovery in branches]
        tokens = itertools.chain(prepared.proposed, recovery_tokens, *branches.values())
        if prepared.position > len(self._text) or any(token >= self._begin_message.vocabulary for token in tokens):
            self._count_bad()
            return
        self._tree_cache = TreeCache(prepared.position, list(prepared.proposed), branches)

    def _cached_reply(self) -> DraftReply | None:
        """Return the reply to the latest outcome as far as the tree cache has it; None if only the runner knows."""
        position, tokens = self._outcome
        draft = self._tree_cache.continuation(position, tokens)[: self.depth]
        if not draft and not self._tree_cache.is_miss(position, tokens):
            return None
        return DraftReply(self._begin_message.conversation, self._round, len(self._text), tuple(draft))

    def _checked(self, reply: DraftReply) -> DraftReply | None:
        """Return a reply that a sound runner sends to the latest outcome, else None.

        A token that the main model does not have would make it read foreign memory.
        """
        is_for_it = reply.round == self._round and reply.position == len(self._text)
        is_possible = all(token < self._begin_message.vocabulary for token in reply.tokens)
        if is_for_it and is_possible and len(reply.tokens) <= self.depth:
            return reply
        self._count_bad()
        return None

    def _count_bad(self) -> None:
        self.figures.bad += 1
        self._rest.count_bad()

    def _count(self, reply: DraftReply | None) -> None:
        """Count a reply; None stands for one that came too late or was bad."""
        if reply is None:
            self._rest.count_miss()
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
