"""One answer's exchange with the draft runner: it sends outcomes, receives draft tokens, and keeps figures."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

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


class SentOutcome(NamedTuple):
    """An outcome whose reply is awaited until `deadline`, by `time.monotonic`.

    `number` is `RoundOutcome.round`. The round committed `tokens` from `position` on.
    """

    number: int
    position: int
    tokens: tuple[int, ...]
    deadline: float


class DraftingAhead:
    """Keeps the runner behind `link` up to date with `text`, the live list of an answer's committed tokens.

    The runner rests while its tokens are of no use, as `RestDecision` says. `fixed_depth` is the depth that the person
    fixed, if any; otherwise `worth` compares rounds with and without the runner. `drafting_s(tokens)` returns the
    seconds that drafting so many tokens in this process takes, None before that was measured. A round waits about this
    long for the runner. `acceptance(depth)` returns the rates that `RoundOutcome.acceptance` describes. `asker` is who
    asks for the answer. Belongs to the engine's thread.
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
        # The number of the latest outcome.
        self._round = 0
        # The latest outcome while its reply is awaited; None once that is read or given up.
        self._awaited: SentOutcome | None = None
        # The draft tokens of that reply, once it is read.
        self._tokens: tuple[int, ...] = ()
        # The tree cache that the runner has sent last.
        self._tree_cache = TreeCache()

    def prepared(self) -> tuple[int, ...]:
        """Return the draft tokens that were prepared for the last outcome; () if there are none, or not in time.

        The first call after an outcome may wait about as long as drafting in this process takes.
        """
        if self._awaited is not None:
            self._tokens = self._counted(self._receive(self._awaited), self._awaited)
            self._awaited = None
        return self._tokens

    def report_round(self, used: int) -> None:
        """Decide whether the runner works, then send it the outcome, or tell it to stop.

        The round verified `used` of the prepared tokens.
        """
        if used:
            self._count_used(used)
        elif self._tokens:
            self._rest.count_useless()
        self._tokens = ()
        self._awaited = None
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
        deadline = time.monotonic() + max(HANDOVER_S, FIRST_PATIENCE_S if patience_s is None else patience_s)
        if self._link.send(outcome):
            self._sent = len(self._text)
            self._awaited = SentOutcome(self._round, position, tokens, deadline)

    def _receive(self, awaited: SentOutcome) -> DraftReply | None:
        """Return the reply to an outcome, which may be bad; None if it is late.

        All that is here is read first: what came in time is not late. Then the tree cache may have the reply, or say
        that there is none. Else it is waited for.
        """
        # Not for ever if the runner sends for ever.
        read_until = max(awaited.deadline, time.monotonic() + HANDOVER_S)
        while True:
            message = self._link.receive(0.0)
            if message is None:
                known = self._cached_reply(awaited)
                left_s = awaited.deadline - time.monotonic()
                if known is not None or left_s <= 0:
                    return known
                message = self._link.receive(left_s)
            if message is None:
                return None
            if isinstance(message, PreparedTree):
                self._keep_cache(message)
            elif message.conversation == self._begin_message.conversation and message.round >= awaited.number:
                return message
            # A reply to an earlier outcome, or of an earlier answer, came too late for it, and is dropped.
            if time.monotonic() >= read_until:
                return self._cached_reply(awaited)

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

    def _cached_reply(self, awaited: SentOutcome) -> DraftReply | None:
        """Return the reply to an outcome as far as the tree cache has it; None if only the runner knows."""
        draft = self._tree_cache.continuation(awaited.position, awaited.tokens)[: self.depth]
        if not draft and not self._tree_cache.is_miss(awaited.position, awaited.tokens):
            return None
        return DraftReply(self._begin_message.conversation, awaited.number, len(self._text), tuple(draft))

    def _counted(self, reply: DraftReply | None, awaited: SentOutcome) -> tuple[int, ...]:
        """Count a reply, None for a late one, and return its tokens; () if it is bad."""
        if reply is None:
            self.figures.late += 1
            self._rest.count_useless()
            return ()
        if not self._is_sound(reply, awaited):
            self._count_bad()
            self._rest.count_useless()
            return ()
        if reply.tokens:
            self.figures.hits += 1
        else:
            self.figures.misses += 1
        return reply.tokens

    def _is_sound(self, reply: DraftReply, awaited: SentOutcome) -> bool:
        """Whether a sound runner can send this reply to an outcome.

        A token that the main model does not have would make it read foreign memory.
        """
        is_for_it = reply.round == awaited.number and reply.position == len(self._text)
        is_possible = all(token < self._begin_message.vocabulary for token in reply.tokens)
        return is_for_it and is_possible and len(reply.tokens) <= self.depth

    def _count_bad(self) -> None:
        """Count a message that no sound runner sends."""
        self.figures.bad += 1
        self._rest.count_bad()


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
