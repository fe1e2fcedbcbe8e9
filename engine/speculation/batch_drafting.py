"""Drafting for a batch: each request has its own proposers, and one controller chooses the depths of all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.requests import SpeculationSettings
from engine.speculation.choosing.choice import Choice, Offer
from engine.speculation.drafting import Drafting
from engine.speculation.proposers.joint_draft import JointDraft
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import ProposerFailed, as_proposer_failure, cut_to_grammar


class BatchDrafting:
    """The proposers of a batch. It shares what it learns of acceptance with rounds for one request."""

    def __init__(self, drafting: Drafting) -> None:
        self._drafting = drafting
        self._version = drafting.version
        self._joint = JointDraft()

    def is_stale(self, request: RequestProposers, settings: SpeculationSettings) -> bool:
        """Whether the drafter or the `settings` have changed since the last `refresh`."""
        return request.version != self._drafting.version or request.settings is not settings

    def refresh(self, request: RequestProposers, settings: SpeculationSettings) -> None:
        """Use the present drafter and `settings`, if they have changed since the last round."""
        if self._version != self._drafting.version:
            self._version = self._drafting.version
            self.close()
        if self.is_stale(request, settings):
            self._leave_joint(request)
            request.settings = settings
            self._drafting.install(request)

    def choose(self, requests: Sequence[tuple[RequestProposers, int]]) -> list[Choice]:
        """Choose what each request does in the next round; the number beside it is how many tokens may follow."""
        plain_reason, asked = self._drafting.plain_reason, []
        for request, most in requests:
            plain = request.plain_choice(plain_reason, most)
            asked.append((request.answer, request.offer(most) if plain is None else Offer(decided=plain)))
        choices = self._drafting.controller.choose(asked)
        return [request.with_reason(one, plain_reason) for (request, _), one in zip(requests, choices, strict=True)]

    def prepare(self, request: RequestProposers, source: str) -> bool:
        """Do one piece of the work that a proposer needs before it can propose; False when none is left.

        Raises `ProposerFailed`.
        """
        with as_proposer_failure(source):
            self._joint.make_ready(request.by_source[source])
        return request.prepare(source)

    def propose(self, asked: Sequence[tuple[RequestProposers, Choice]]) -> list[Proposal | ProposerFailed | None]:
        """Return the proposals of all requests of the batch: None for a choice without depth or an empty proposal."""
        self._joint.keep(proposer for request, _ in asked for proposer in request.by_source.values())
        together = self._propose_together(asked)
        made: list[Proposal | ProposerFailed | None] = []
        for index, (request, choice) in enumerate(asked):
            one = together.get(index) or (self._propose_alone(request, choice) if choice.depth else None)
            if isinstance(one, Proposal):
                one = cut_to_grammar(one, request.sampler, request.conversation.main.tokens)
            made.append(one)
        return made

    def leave(self, request: RequestProposers) -> None:
        """End the proposers of a request that leaves the batch; their sequences stay with its conversation."""
        self._leave_joint(request)
        request.abandon()

    def _leave_joint(self, request: RequestProposers) -> None:
        """Take the request's proposers out of the joint draft, so that they have their caches back."""
        for source, proposer in list(request.by_source.items()):
            request.attempt(source, partial(self._joint.leave, proposer))

    def close(self) -> None:
        """End the batch; the drafting caches of its members are lost."""
        self._joint.close()

    def _propose_alone(self, request: RequestProposers, choice: Choice) -> Proposal | ProposerFailed:
        source = choice.source or ""
        proposer = request.by_source[source]
        try:
            with as_proposer_failure(source):
                self._joint.leave(proposer)
                return proposer.propose(choice.depth)
        except ProposerFailed as failure:
            return failure

    def _propose_together(
        self, asked: Sequence[tuple[RequestProposers, Choice]]
    ) -> dict[int, Proposal | ProposerFailed]:
        """Draft for several requests at once; returns their results by index in `asked`."""
        chosen = {
            index: (request.by_source[choice.source or ""], choice.depth)
            for index, (request, choice) in enumerate(asked)
            if choice.depth
        }
        drafting = {index: one for index, one in chosen.items() if self._joint.can_join(one[0])}
        if not drafting or not self._joint.worthwhile([proposer for proposer, _ in drafting.values()]):
            return {}
        source = next(iter(drafting.values()))[0].source
        try:
            with as_proposer_failure(source):
                proposals = self._joint.propose(list(drafting.values()))
        except ProposerFailed as failure:
            members = set(self._joint.members)
            self._joint.close()
            for index, (request, _) in enumerate(asked):
                if index not in drafting and request.by_source.get(source) in members:
                    request.drop(failure)
            return dict.fromkeys(drafting, failure)
        return {
            index: proposal if isinstance(proposal, Proposal) else _failure(source, proposal)
            for index, proposal in zip(drafting, proposals, strict=True)
        }


def _failure(source: str, cause: Exception) -> ProposerFailed:
    failure = ProposerFailed(source)
    failure.__cause__ = cause
    return failure
