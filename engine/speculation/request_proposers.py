"""The proposers of one request, and why it has none."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from importlib import import_module

from engine.async_drafting.ahead import DraftingAhead
from engine.conversation import Conversation
from engine.loading import LoadedModel
from engine.requests import SpeculationSettings
from engine.sampling import Sampler
from engine.speculation.choosing.choice import Choice
from engine.speculation.draft_source import DraftSource
from engine.speculation.head_source import HeadSource
from engine.speculation.proposers.context import ProposerContext, ProposerUnavailable
from engine.speculation.proposers.proposal import Observation, Proposer
from engine.speculation.proposers.registry import PROPOSERS, uses, uses_drafter
from engine.speculation.round import ProposerFailed, as_proposer_failure

log = logging.getLogger(__name__)


class RequestProposers:
    """The proposers that `settings` ask for, on `conversation`, whose main sequence holds the prompt.

    `by_source` has those in use, the same dict as long as the request runs. One that fails is dropped; the others and
    the request go on. `why_plain` says why there are none, where that is due to this request.
    """

    def __init__(
        self, main: LoadedModel, settings: SpeculationSettings, conversation: Conversation, sampler: Sampler
    ) -> None:
        self.settings = settings
        self.conversation = conversation
        self.sampler = sampler
        self.by_source: dict[str, Proposer] = {}
        # The asynchronous drafter's part in this answer, where there is one.
        self.ahead: DraftingAhead | None = None
        self.why_plain: Choice | None = None
        self._main = main
        # Tokens prefilled by proposers that were replaced or dropped.
        self._prefilled_by_others = 0

    @property
    def use_drafter(self) -> bool:
        """Whether a draft model or a head proposes."""
        return bool(self.by_source) and any(PROPOSERS[source].uses_drafter for source in self.by_source)

    @property
    def draft_prefill_tokens(self) -> int:
        """Tokens of prompt and text that proposers' models read in catching up."""
        if not self.by_source:
            return self._prefilled_by_others
        return self._prefilled_by_others + sum(proposer.prefilled_tokens for proposer in self.by_source.values())

    def install(self, drafter: DraftSource | HeadSource | None, ahead: DraftingAhead | None = None) -> None:
        """Build the proposers that the request's method asks for; those in use end."""
        self._prefilled_by_others = self.draft_prefill_tokens
        self.abandon()
        self.why_plain, self.ahead = None, None
        main, method = self.conversation.main, self.settings.method
        if main.plain_only is not None:
            self.why_plain = Choice(None, 0, "cache-kind", (("kind", main.plain_only),))
            return
        self.ahead = ahead if uses_drafter(method) else None
        context = ProposerContext(self._main, drafter, self.conversation, self.sampler, self.settings, self.ahead)
        for source in PROPOSERS:
            if uses(method, source):
                self.attempt(source, partial(self._add, source, context))

    def abandon(self) -> None:
        """End the request; the proposers' sequences stay with its conversation."""
        for source, proposer in list(self.by_source.items()):
            self.attempt(source, proposer.abandon)
        self.by_source.clear()

    def reason(self) -> str:
        """Why none has a proposal: what the first says that the method is for. Raises `ProposerFailed`."""
        source, proposer = min(self.by_source.items(), key=lambda one: PROPOSERS[one[0]].every_method)
        with as_proposer_failure(source):
            return proposer.reason

    def limits(self, most: int) -> dict[str, int]:
        """Each proposer's maximum depth, at most `most`. Raises `ProposerFailed`."""
        limits = {}
        for source, proposer in self.by_source.items():
            with as_proposer_failure(source):
                limits[source] = min(most, proposer.max_proposals())
        return limits

    def prepare(self, source: str) -> bool:
        """Do one piece of the work that a proposer needs before it can propose; False when none is left.

        Raises `ProposerFailed`.
        """
        with as_proposer_failure(source):
            return self.by_source[source].prepare()

    def observations(self) -> list[tuple[str, Observation]]:
        """What the proposers observed since the last call, by source; a proposer that fails is dropped."""
        found: list[tuple[str, Observation]] = []
        for source, proposer in list(self.by_source.items()):
            self.attempt(source, partial(_collect, found, source, proposer))
        return found

    def drop(self, failure: ProposerFailed) -> Choice:
        """Drop a proposer that failed for the rest of the request; returns what the round does instead."""
        log.warning("%s; the answer goes on without it", failure, exc_info=failure.__cause__)
        before = self.draft_prefill_tokens
        self.by_source.pop(failure.source, None)
        self._prefilled_by_others += before - self.draft_prefill_tokens
        if PROPOSERS[failure.source].uses_drafter:
            self.conversation.drop_drafter()
        self.why_plain = Choice(None, 0, "draft-failed", (("source", failure.source),))
        return self.why_plain

    def attempt(self, source: str, step: Callable[[], None]) -> None:
        """Run `step`; if it fails, drop `source`."""
        try:
            with as_proposer_failure(source):
                step()
        except ProposerFailed as failure:
            self.drop(failure)

    def _add(self, source: str, context: ProposerContext) -> None:
        try:
            proposer: Proposer | None = import_module(PROPOSERS[source].module).build(context)
        except ProposerUnavailable as unavailable:
            self.why_plain = Choice(None, 0, unavailable.reason, unavailable.arguments)
            return
        if proposer is not None:
            self.by_source[source] = proposer
            proposer.reset(context.conversation.main.tokens)


def _collect(found: list[tuple[str, Observation]], source: str, proposer: Proposer) -> None:
    found += [(source, observation) for observation in proposer.observations()]
