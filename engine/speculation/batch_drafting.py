"""Drafting for a batch: each request has its own proposers, and one controller chooses the depths of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.main_model.sampling import Sampler
from engine.requests import SpeculationSettings
from engine.speculation.choosing.choice import Choice, Offer
from engine.speculation.choosing.plans import Answer
from engine.speculation.conversation import Conversation
from engine.speculation.drafting import Drafting
from engine.speculation.proposers.joint_draft import JointDraft
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.round import ProposerFailed, as_proposer_failure, permitted


@dataclass(eq=False)
class BatchedRequest:
    """One request's proposers in a batch, and the controller's state of its answer."""

    proposers: RequestProposers
    answer: Answer
    version: int


class BatchDrafting:
    """The proposers of a batch. It shares what it learns of acceptance with rounds for one request."""

    def __init__(self, drafting: Drafting) -> None:
        self._drafting = drafting
        self._version = drafting.version
        self._joint = JointDraft()

    def join(self, settings: SpeculationSettings, conversation: Conversation, sampler: Sampler) -> BatchedRequest:
        """Build the proposers of a request, whose answer continues `conversation`."""
        proposers = self._drafting.new_request(settings, conversation, sampler)
        return BatchedRequest(proposers, self._drafting.begin_answer(proposers), self._drafting.version)

    def is_stale(self, request: BatchedRequest, settings: SpeculationSettings) -> bool:
        """Whether the drafter or the `settings` have changed since the last `refresh`."""
        return request.version != self._drafting.version or request.proposers.settings is not settings

    def refresh(self, request: BatchedRequest, settings: SpeculationSettings) -> None:
        """Use the present drafter and `settings`, if they have changed since the last round."""
        if self._version != self._drafting.version:
            self._version = self._drafting.version
            self.close()
        if self.is_stale(request, settings):
            self._leave_joint(request)
            request.version, request.proposers.settings = self._drafting.version, settings
            request.proposers.install(self._drafting.drafter, answers=self._drafting.answers)
            request.answer = self._drafting.begin_answer(request.proposers)

    def choose(self, requests: Sequence[tuple[BatchedRequest, int]]) -> list[Choice]:
        """Choose what each request does in the next round; the number beside it is how many tokens may follow."""
        choices = self._drafting.controller.choose(
            [(request.answer, self._offer(request, most)) for request, most in requests]
        )
        return [self._with_reason(request, choice) for (request, _), choice in zip(requests, choices, strict=True)]

    def prepare(self, request: BatchedRequest, source: str) -> bool:
        """Do one piece of the work that a proposer needs before it can propose; False when none is left.

        Raises `ProposerFailed`.
        """
        with as_proposer_failure(source):
            self._joint.make_ready(request.proposers.by_source[source])
        return request.proposers.prepare(source)

    def propose(self, asked: Sequence[tuple[BatchedRequest, Choice]]) -> list[Proposal | ProposerFailed | None]:
        """Return the proposals of all requests of the batch: None for a choice without depth or an empty proposal."""
        self._joint.keep(proposer for request, _ in asked for proposer in request.proposers.by_source.values())
        together = self._propose_together(asked)
        made: list[Proposal | ProposerFailed | None] = []
        for index, (request, choice) in enumerate(asked):
            one = together.get(index) or (self._propose_alone(request, choice) if choice.depth else None)
            if isinstance(one, Proposal):
                one = permitted(one, request.proposers.sampler, request.proposers.conversation.main.tokens)
            made.append(one)
        return made

    def leave(self, request: BatchedRequest) -> None:
        """End the proposers of a request that leaves the batch; their sequences stay with its conversation."""
        self._leave_joint(request)
        request.proposers.abandon()

    def _leave_joint(self, request: BatchedRequest) -> None:
        """Take the request's proposers out of the joint draft, so that they have their caches back."""
        for source, proposer in list(request.proposers.by_source.items()):
            request.proposers.attempt(source, partial(self._joint.leave, proposer))

    def close(self) -> None:
        """End the batch; the drafting caches of its members are lost."""
        self._joint.close()

    def _propose_alone(self, request: BatchedRequest, choice: Choice) -> Proposal | ProposerFailed:
        source = choice.source or ""
        proposer = request.proposers.by_source[source]
        try:
            with as_proposer_failure(source):
                self._joint.leave(proposer)
                return proposer.propose(choice.depth)
        except ProposerFailed as failure:
            return failure

    def _propose_together(self, asked: Sequence[tuple[BatchedRequest, Choice]]) -> dict[int, Proposal | ProposerFailed]:
        """Draft for several requests at once; returns their results by index in `asked`."""
        chosen = {
            index: (request.proposers.by_source[choice.source or ""], choice.depth)
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
                if index not in drafting and request.proposers.by_source.get(source) in members:
                    request.proposers.drop(failure)
            return dict.fromkeys(drafting, failure)
        return {
            index: proposal if isinstance(proposal, Proposal) else _failure(source, proposal)
            for index, proposal in zip(drafting, proposals, strict=True)
        }

    def _offer(self, request: BatchedRequest, remaining: int) -> Offer:
        proposers = request.proposers
        if (plain := proposers.plain_choice(self._drafting.why_plain, remaining)) is not None:
            return Offer(decided=plain)
        try:
            return proposers.offer(remaining)
        except ProposerFailed as failure:
            return Offer(decided=proposers.drop(failure))

    def _with_reason(self, request: BatchedRequest, choice: Choice) -> Choice:
        try:
            return request.proposers.with_reason(choice, self._drafting.why_plain)
        except ProposerFailed as failure:
            return request.proposers.drop(failure)


def _failure(source: str, cause: Exception) -> ProposerFailed:
    failure = ProposerFailed(source)
    failure.__cause__ = cause
    return failure
