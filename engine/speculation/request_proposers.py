"""The proposers of one request, or the reason why it has none."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TypeVar

from engine.ahead.drafting_ahead import DraftingAhead
from engine.answer_index.index import AnswerIndex
from engine.errors import without_frames
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import Sampler
from engine.methods import PROPOSERS, uses, uses_drafter
from engine.requests import SpeculationSettings
from engine.speculation.choosing.choice import FIRST_TOKEN, Choice, Offer
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.sources import Drafter
from engine.speculation.proposers.context import ProposerContext, ProposerUnavailable
from engine.speculation.rounds.proposal import Observation, Proposal, Proposer, ProposerFailed, as_proposer_failure

log = logging.getLogger(__name__)

T = TypeVar("T")

OFF = Choice(None, 0, "off")
# The most rows that a hybrid model carries after rejections; a plain round clears them.
MAX_CARRIED_ROWS = 16


class RequestProposers:
    """The proposers that `settings` ask for, on `conversation`, whose main sequence holds the prompt.

    `by_source` holds those in use and stays the same dict while the request runs. A proposer that fails is dropped; the
    request continues with the others. `plain_reason` says why there are none, if the reason lies in this request. One
    that is answered `alone` may have a draft runner, and its speed-up is measured. Proposers of the same answer have
    read `prefilled` tokens before, and `earlier` is the controller's state of that answer at their end.
    """

    def __init__(
        self,
        main: LoadedModel,
        settings: SpeculationSettings,
        conversation: CachedConversation,
        sampler: Sampler,
        *,
        alone: bool = False,
        prefilled: int = 0,
        earlier: AnswerState | None = None,
    ) -> None:
        self.alone = alone
        self.settings = settings
        self.conversation = conversation
        self.sampler = sampler
        self.by_source: dict[str, Proposer] = {}
        # The draft runner's part in this answer, if any, or why there is none, as in `RequestStats.ahead`.
        self.ahead: DraftingAhead | None = None
        self.ahead_reason = ""
        self.plain_reason: Choice | None = None
        # The controller's state of its answer, set when proposers are installed, and the one before.
        self.answer: AnswerState
        self.earlier = earlier
        # Whether the next round brings the first token of the answer.
        self.beginning = False
        # The share of drafting in the latest round in which it was timed, used until the learned costs can tell it.
        self.timed_share: float | None = None
        # The share of the expected speed that always the same text costs, if known and asked for.
        self.same_text_cost: float | None = None
        self._main = main
        # Tokens prefilled by proposers that were replaced or dropped.
        self._prefilled_by_others = self._counted = prefilled

    @property
    def use_drafter(self) -> bool:
        """Whether a draft model or a head proposes."""
        return bool(self.by_source) and any(PROPOSERS[source].uses_drafter for source in self.by_source)

    @property
    def redraws(self) -> bool:
        """Whether rejected draft tokens are drawn again, so that the text depends on speculation by choice."""
        return self.settings.redraws and self.ahead is None and not self.sampler.greedy

    @property
    def draft_prefill_tokens(self) -> int:
        """Tokens of prompt and text that proposers' models read during catch-up."""
        if not self.by_source:
            return self._prefilled_by_others
        return self._prefilled_by_others + sum(proposer.prefilled_tokens for proposer in self.by_source.values())

    def pop_catch_up_tokens(self) -> int:
        """Return how many tokens proposers' models have read during catch-up since the last call."""
        before, self._counted = self._counted, self.draft_prefill_tokens
        return self._counted - before

    def install(
        self, drafter: Drafter | None, answers: AnswerIndex | None = None, ahead: DraftingAhead | None = None
    ) -> None:
        """End the proposers in use, and build those that the request's method asks for."""
        self.abandon()
        self.plain_reason = None
        self.ahead = None
        main = self.conversation.main
        method = self.settings.method
        if main.plain_only is not None:
            self.plain_reason = Choice(None, 0, "cache-kind", (("kind", main.plain_only),))
            return
        settings = self.settings
        self.ahead = ahead if uses_drafter(method) else None
        if self.ahead is not None:
            # What is prepared depends on the noise of positions that follow, with which the main model draws there.
            # Were the rule another one where nothing is prepared, the draws would decide on their own rule.
            settings = replace(settings, acceptance="match")
        context = ProposerContext(self._main, drafter, self.conversation, self.sampler, settings, answers, self.ahead)
        for source in PROPOSERS:
            if uses(method, source):
                self.attempt(source, partial(self._add, source, context))

    def abandon(self) -> None:
        """End the request; the proposers' sequences stay with its conversation, and its figures as they are."""
        self._prefilled_by_others = self.draft_prefill_tokens
        for source, proposer in list(self.by_source.items()):
            self.attempt(source, proposer.abandon)
        self.by_source.clear()

    @property
    def _carried(self) -> int:
        """The rows that the next pass feeds again. While a plain round is under way, nothing is pending."""
        return max(0, len(self.conversation.main.pending) - 1)

    def plain_choice(self, plain_reason: Choice, remaining: int) -> Choice | None:
        """Return a plain choice if the next round must be plain, whatever the proposers offer; None otherwise.

        `plain_reason` is the reason if no request has proposers, and `remaining` tokens may follow.
        """
        if self.settings.method == "off":
            return OFF
        if not self.by_source:
            return self.plain_reason or plain_reason
        if self.beginning:
            return FIRST_TOKEN
        if remaining <= 1:
            return Choice(None, 0, "length-limit")
        if self._most(remaining) < 1:
            return Choice(None, 0, "same-text")
        if (carried := self._carried) > MAX_CARRIED_ROWS:
            return Choice(None, 0, "carried-rows", (("rows", carried),))
        return None

    def offer(self, remaining: int) -> Offer:
        """Return what is on offer for the next round if `remaining` tokens may follow; drops a proposer that fails."""
        most = self._most(remaining)
        limits = dict[str, int]()
        backlog = dict[str, int]()
        try:
            for source, proposer in self.by_source.items():
                with as_proposer_failure(source):
                    limits[source] = min(most, proposer.max_proposals())
                    if limits[source] > 0:
                        backlog[source] = proposer.backlog
        except ProposerFailed as failure:
            return Offer(forced=self.drop(failure))
        if self.settings.depth is not None:
            first = next((source for source, limit in limits.items() if limit > 0), None)
            fixed = Choice(None, 0) if first is None else Choice(first, min(self.settings.depth, limits[first]))
            return Offer(forced=fixed if self.settings.depth else OFF)
        return Offer(limits, backlog, self._carried, rule=self.conversation.main.next_rule)

    def with_reason(self, choice: Choice, plain_reason: Choice) -> Choice:
        """Return `choice`, with a reason if it is plain and has none: that of the first proposer that the method names.

        Without such a proposer it is the grammar's reason if the text is held to one, else the request's own, else
        `plain_reason`. Drops a proposer that fails.
        """
        if choice.depth or choice.reason:
            return choice
        source = next((source for source in self.by_source if not PROPOSERS[source].every_method), None)
        if source is None:
            if not self.sampler.constrained:
                return self.plain_reason or plain_reason
            source = next(iter(self.by_source))
        try:
            with as_proposer_failure(source):
                return Choice(None, 0, self.by_source[source].reason)
        except ProposerFailed as failure:
            return self.drop(failure)

    def _most(self, remaining: int) -> int:
        most = min(self.settings.depth_limit, remaining - 1)
        main = self.conversation.main
        return min(most, main.next_rule.most - 1 - self._carried) if main.row_rules.strict else most

    def committed(self, tokens: Sequence[int], accepted: int, proposal: Proposal | None) -> None:
        """Let the proposers follow a round that committed `tokens`, the first `accepted` of them from `proposal`.

        Drops a proposer that fails.
        """
        for source, proposer in list(self.by_source.items()):
            used = proposal is not None and proposal.source == source
            accepted_here, drafted = (accepted, proposal.count) if proposal is not None and used else (0, 0)
            self.attempt(source, partial(proposer.committed, tokens, accepted_here, drafted))

    def observations(self) -> list[tuple[str, Observation]]:
        """Return (source, observation) of all shadow evaluations since the last call; drops a proposer that fails."""
        observations: list[tuple[str, Observation]] = []
        for source, proposer in list(self.by_source.items()):
            observations += [(source, seen) for seen in self.attempt(source, proposer.observations) or ()]
        return observations

    def drop(self, failure: ProposerFailed) -> Choice:
        """Drop a proposer that failed for the rest of the request; returns what the round does instead."""
        log.warning("%s; the answer goes on without it", failure, exc_info=failure.__cause__)
        # The frames of a batch have the failure in a list, and it would keep them, with all caches.
        without_frames(failure)
        before = self.draft_prefill_tokens
        self.by_source.pop(failure.source, None)
        self._prefilled_by_others += before - self.draft_prefill_tokens
        entry = PROPOSERS[failure.source]
        if entry.uses_drafter and not entry.ahead:
            self.conversation.drop_drafter()
        self.plain_reason = Choice(None, 0, "draft-failed", (("source", failure.source),))
        return self.plain_reason

    def attempt(self, source: str, step: Callable[[], T]) -> T | None:
        """Return the result of `step`; if it fails, drop `source`."""
        try:
            with as_proposer_failure(source):
                return step()
        except ProposerFailed as failure:
            self.drop(failure)
            return None

    def _add(self, source: str, context: ProposerContext) -> None:
        """Build the proposer of `source` and let it start on the text.

        If it is unavailable, `plain_reason` says why.
        """
        try:
            proposer: Proposer | None = import_module(PROPOSERS[source].module).build(context)
        except ProposerUnavailable as unavailable:
            self.plain_reason = Choice(None, 0, unavailable.reason, unavailable.arguments)
            return
        if proposer is not None:
            self.by_source[source] = proposer
            proposer.reset(context.conversation.main.tokens)
