"""Drafting: the proposers of requests, and the choice of proposer and depth for each round.

One `Drafting` serves one main model and outlives its requests, so that its controllers keep what they learn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from engine.ahead.drafting_ahead import DraftingAhead
from engine.ahead.link import Asker, RunnerLink
from engine.ahead.messages import FIRST_ACCEPTANCE
from engine.answer_index.index import AnswerIndex
from engine.errors import EngineError, ModelNotUsable
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import Sampler
from engine.methods import DRAFTER_METHOD, uses_drafter
from engine.requests import SpeculationSettings
from engine.speculation.choosing.choice import Choice, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.kept import Controllers
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.reduced_vocabulary import ReducedVocabulary
from engine.speculation.drafters.sources import Drafter, HeadSource
from engine.speculation.proposers.joint_draft import JointDraft
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rereading import rows_to_read_again
from engine.speculation.round_timing import RoundTiming
from engine.speculation.rounds.drawing import cut_to_grammar
from engine.speculation.rounds.proposal import Proposal, ProposerFailed, as_proposer_failure
from engine.speculation.rounds.row_rule import RowRules
from engine.stats import RequestLog, RequestStats, RoundRecord
from engine.status import ModelInfo

log = logging.getLogger(__name__)

MEASURING = Choice(None, 0, "measuring")


class Drafting:
    """Proposers and controllers for one main model.

    Each request has its own proposers, and one controller chooses the depths of all that share a round. `set_draft` may
    be called during requests, and takes effect at their next round. `reach_runner` returns the link to the runner of a
    drafter, which drafts ahead, or the reason why there is none.
    """

    def __init__(
        self,
        main: LoadedModel,
        controllers: Controllers | None = None,
        reach_runner: Callable[[Drafter], RunnerLink | str] = lambda _drafter: "",
    ) -> None:
        self._main = main
        self._reach_runner = reach_runner
        self.controllers = controllers or Controllers()
        # The draft model or the head in use, by `set_draft`. Read it here each time; nothing else may keep it.
        self.drafter: Drafter | None = None
        self.select()
        # Why requests have no proposers, unless the request itself is the reason.
        self.plain_reason = Choice(None, 0, "no-draft")
        # The index of earlier answers, if one is kept, and the drafter with their vocabulary, if one was made.
        self.answers: AnswerIndex | None = None
        self.reduced: ReducedVocabulary | None = None
        self.timing = RoundTiming(self.controllers)
        # Called when a round stalls, with its rows and how many times longer than expected it took.
        self.on_stall: Callable[[int, float], None] = lambda _rows, _times: None
        # Those that have begun and have not ended.
        self._requests: list[RequestProposers] = []
        # The caches in which proposals are made for several requests at once.
        self.joint = JointDraft()

    @property
    def alone(self) -> RequestProposers | None:
        """The request that is answered alone, if any."""
        return next((request for request in self._requests if request.alone), None)

    @property
    def draft_fits(self) -> bool:
        """False once the acceptance rate shows that the drafter does not match the main model."""
        return self.drafter is None or self.controller.learned.unconstrained.texts.fits(self.drafter.source)

    def select(self) -> None:
        """Let the controllers serve this main model with its drafter."""
        draft = "" if self.drafter is None else _identity(self.drafter.info)
        self.controllers.pair = (_identity(self._main.info), draft)
        self.controllers.kv_bits = self._main.info.kv_bits
        self.controllers.tried.clear()

    def set_draft(self, drafter: Drafter | None, problem: EngineError | None = None) -> None:
        """Use `drafter` from the next round on; None clears it, with the `problem` that kept it from loading, if any.

        The caller must have made all conversations drop the caches of the previous drafter.
        """
        self.controllers.keep()
        self.drafter = drafter
        self.reduced = None
        draft_identity = "" if drafter is None else _identity(drafter.info)
        self.controllers.pair = (self.controllers.pair[0], draft_identity)
        self.plain_reason = Choice(None, 0, "no-draft")
        if problem is not None:
            reason = problem.reason if isinstance(problem, ModelNotUsable) else problem.code
            self.plain_reason = Choice(None, 0, "draft-not-usable", (("reason", reason),))
        self.joint.close()
        for request in self._requests:
            request.conversation.drop_drafter()
            self.install(request)

    def set_reduced(self, reduced: ReducedVocabulary | None) -> None:
        """Use a smaller vocabulary where it pays, or none, from the next round on."""
        self.reduced, before = reduced, self.reduced
        if reduced is not before and self.alone is not None:
            self.install(self.alone)

    def use(self, request: RequestProposers, settings: SpeculationSettings) -> None:
        """Use `settings` from the request's next round on, if they have changed."""
        if request.settings is not settings:
            self._leave_joint(request)
            request.settings = settings
            self.install(request)

    def expect_draft(self) -> None:
        """Let plain rounds give the loading of a draft model as their reason, until `set_draft` is called."""
        if self.drafter is None:
            self.plain_reason = Choice(None, 0, "draft-loading")

    def attach(self, settings: SpeculationSettings, conversation: CachedConversation, remaining: int = 0) -> None:
        """Set the rule of a request's rows, and let the head in use, if any, follow it. Call it before the prefill.

        The answer will have at most `remaining` more tokens. If a cached prompt has given the head no rows, its newest
        ones become pending again where that pays.
        """
        conversation.main.row_rules = RowRules(self.controllers.rounding, settings.same_text)
        used = settings.method in ("auto", DRAFTER_METHOD) and conversation.main.plain_only is None
        if used and isinstance(self.drafter, HeadSource):
            conversation.attach_head(self.drafter.head, self.drafter.taps)
            self._read_again(self.drafter, conversation, remaining)
        else:
            conversation.main.listener = None

    def _read_again(self, drafter: HeadSource, conversation: CachedConversation, remaining: int) -> None:
        """Make rows that the head has not seen pending again, as far as that pays.

        Where the text must not depend on how rows are rounded, none are: a wide pass may round them differently.
        """
        seen = conversation.rows_of_head
        if self.draft_fits and not conversation.main.row_rules.strict:
            conversation.read_again(rows_to_read_again(self.controller, drafter, seen, remaining))

    def begin(
        self,
        settings: SpeculationSettings,
        conversation: CachedConversation,
        sampler: Sampler,
        figures: RequestStats,
        *,
        alone: bool = False,
        earlier: AnswerState | None = None,
    ) -> RequestProposers:
        """Start a request with these `figures` on `conversation`, whose main sequence holds the prompt.

        `earlier` is the state of its answer in the request that ended before it, if there was one.
        """
        request = RequestProposers(
            self._main,
            settings,
            conversation,
            sampler,
            alone=alone,
            prefilled=figures.draft_prefill_tokens,
            earlier=earlier,
        )
        self.install(request)
        self._requests.append(request)
        return request

    def install(self, request: RequestProposers) -> None:
        """Give a request its proposers, at its beginning or in the middle of its answer.

        Only one that is answered alone may have a draft runner. In a named conversation it may have a smaller
        vocabulary, too: programs must not find out what chats contain.
        """
        drafter = self.drafter
        text = request.conversation
        if request.alone and self.reduced is not None and text.name:
            drafter = self.reduced.source if self.reduced.pays(text.main.tokens, self.controller.costs) else drafter
        request.install(drafter, self.answers, self._drafting_ahead(request))
        self._begin(request)

    def _drafting_ahead(self, request: RequestProposers) -> DraftingAhead | None:
        """Return a draft runner's part in an answer; None, with the reason in the request, if it has none."""
        request.ahead_reason = ""
        if self.drafter is None or not uses_drafter(request.settings.method):
            return None
        link = self._reach_runner(self.drafter)
        if isinstance(link, str):
            request.ahead_reason = link
            return None
        if not request.alone:
            request.ahead_reason = "several"
        elif request.conversation.main.pictures:
            # Positions tell the runner the noise of a token, so it cannot leave placeholders out.
            request.ahead_reason = "pictures"
        else:
            text = request.conversation
            return DraftingAhead(
                link,
                request.sampler,
                text.main.tokens,
                partial(self._drafting_seconds, self.drafter.source),
                request.settings.depth,
                link.worth,
                partial(self._acceptance, request, self.drafter.source),
                Asker(text.audience, tuple(text.main.tokens[: text.opening])),
            )
        return None

    def _drafting_seconds(self, source: str, tokens: int) -> float | None:
        """Return the seconds that drafting `tokens` tokens here takes; None before that was timed."""
        costs = self.controller.costs
        return costs.drafting(source, tokens).seconds if costs.known and costs.timed(source) else None

    def _acceptance(self, request: RequestProposers, source: str, depth: int) -> Sequence[float]:
        """Return the rates at which `depth` draft tokens in this answer's next round are accepted, one by one."""
        return FIRST_ACCEPTANCE if request.earlier is None else request.earlier.forecast(source, depth).rates

    def _begin(self, request: RequestProposers) -> None:
        """Let the controller begin an answer, or the remainder of one."""
        main = request.conversation.main
        constrained = request.sampler.constrained
        main.row_rules = RowRules(self.controllers.rounding, main.row_rules.strict)
        request.answer = self.controller.begin(constrained=constrained, earlier=request.earlier)
        request.earlier = request.answer
        request.pop_catch_up_tokens()
        if request.alone:
            rule = main.next_rule
            request.same_text_cost = self.controller.cost_of(rule) if rule.strict else None
            self.controller.speedup.begin(len(main.tokens), constrained=constrained)

    def learn(self, request: RequestProposers, choice: Choice, proposal: Proposal | None, record: RoundRecord) -> None:
        """Learn from a request's part in a round; an empty proposal counts as one draft token that was rejected."""
        self.controllers.unsaved = True
        # At a fixed depth no drafter stops early.
        adaptive = request.settings.depth is None
        drafted = proposal.count if adaptive and proposal is not None and proposal.stopped_early else choice.depth
        self.controller.observe(request.answer, choice, drafted, record.drafted, record.accepted)
        for source, seen in request.observations():
            # Shadow evaluation: no verify pass was needed.
            request.answer.observe(source, seen.drafted, seen.accepted)

    def end(self, request: RequestProposers) -> None:
        """End a request; the proposers' sequences stay with its conversation."""
        self._requests.remove(request)
        if request.alone:
            self.controller.speedup.end()
        self._leave_joint(request)
        request.abandon()

    def _leave_joint(self, request: RequestProposers) -> None:
        """Give the request's proposers their own caches back."""
        for source, proposer in list(request.by_source.items()):
            request.attempt(source, partial(self.joint.leave, proposer))

    def forget(self) -> None:
        """Forget what was learned about all pairs."""
        self.controllers.forget()
        self.begin_again()

    def begin_again(self) -> None:
        """Begin the remainder of all answers, with other costs or another rule of rows than before."""
        for request in self._requests:
            self._begin(request)

    def choose(self, requests: Sequence[tuple[RequestProposers, int]]) -> list[Choice]:
        """Choose what each request does in the next round; the number next to it is how many tokens may follow.

        A proposer that fails is dropped.
        """
        controller = self.controller
        answers = []
        for request, remaining in requests:
            plain = request.plain_choice(self.plain_reason, remaining)
            if plain is None and request.alone and controller.speedup.take_plain_round():
                # A sample measures plain decoding, in which nothing is weighed either.
                plain = MEASURING
            offer = request.offer(remaining) if plain is None else Offer(forced=plain)
            answers.append((request.answer, offer))
        if all(offer.forced is not None and not offer.forced.depth for _, offer in answers):
            return [offer.forced for _, offer in answers if offer.forced is not None]
        choices = controller.choose(answers)
        return [
            MEASURING
            if request.alone and choice.depth > 0 and controller.begin_sample_if_due(request.settings.sample_share)
            else request.with_reason(choice, self.plain_reason)
            for (request, _), choice in zip(requests, choices, strict=True)
        ]

    def catches_up(self, request: RequestProposers, source: str, *, work: bool = True) -> bool:
        """Whether a proposer has to catch up before it can propose; if it `work`s, it does a piece of that.

        A proposer that fails is dropped.
        """
        try:
            with as_proposer_failure(source):
                proposer = request.by_source[source]
                if not work:
                    return proposer.backlog > 0
                self.joint.make_ready(proposer)
                return proposer.prepare()
        except ProposerFailed as failure:
            request.drop(failure)
            return False

    def propose(self, asked: Sequence[tuple[RequestProposers, Choice]]) -> list[tuple[Choice, Proposal | None]]:
        """Propose for requests that share a round; returns what each of them does, with its proposal.

        There is no proposal for a choice without depth, or if it would be empty. A proposer that fails is dropped.
        """
        self.joint.keep(proposer for request, _ in asked for proposer in request.by_source.values())
        asked = [(request, self._possible(request, choice)) for request, choice in asked]
        together = self._propose_together(asked) if len(asked) > 1 else {}
        decided: list[tuple[Choice, Proposal | None]] = []
        for index, (request, choice) in enumerate(asked):
            made = together.get(index) or (self._propose_alone(request, choice) if choice.depth else None)
            if isinstance(made, ProposerFailed):
                decided.append((request.drop(made), None))
            elif made is not None:
                decided.append((choice, cut_to_grammar(made, request.sampler, request.conversation.main.tokens)))
            else:
                decided.append((choice, None))
        return decided

    def _possible(self, request: RequestProposers, choice: Choice) -> Choice:
        """Return `choice`, or a plain round if its proposer was dropped since."""
        if not choice.depth or choice.source in request.by_source:
            return choice
        return request.plain_reason or self.plain_reason

    def _propose_alone(self, request: RequestProposers, choice: Choice) -> Proposal | ProposerFailed:
        """Return the proposal of the chosen proposer, which leaves the joint drafting first, or its failure."""
        source = choice.source or ""
        proposer = request.by_source[source]
        try:
            with as_proposer_failure(source):
                self.joint.leave(proposer)
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
        drafting = {index: proposing for index, proposing in chosen.items() if self.joint.can_join(proposing[0])}
        if not drafting or not self.joint.worthwhile([proposer for proposer, _ in drafting.values()]):
            return {}
        source = next(iter(drafting.values()))[0].source
        try:
            with as_proposer_failure(source):
                proposals = self.joint.propose(list(drafting.values()))
        except ProposerFailed as failure:
            members = set(self.joint.members)
            self.joint.close()
            for index, (request, _) in enumerate(asked):
                if index not in drafting and request.by_source.get(source) in members:
                    request.drop(failure)
            return dict.fromkeys(drafting, failure)
        return {
            index: proposal if isinstance(proposal, Proposal) else _failure(source, proposal)
            for index, proposal in zip(drafting, proposals, strict=True)
        }

    def update_log(self, request: RequestProposers, log: RequestLog) -> None:
        """Copy the figures that only the drafting knows."""
        entry: dict[str, Any] = {}
        rounding = self.controllers.rounding
        if request.ahead is not None:
            entry |= request.ahead.figures.as_stats()
        elif request.ahead_reason:
            entry["ahead"] = request.ahead_reason
        if request.alone and rounding is not None and not request.redraws:
            entry["rounding"] = "identical" if log.exact and not log.shared else "rounded"
            entry["same_text_cost"] = request.same_text_cost
        log.figures = replace(
            log.figures,
            draft=self.drafter.info.name if self.drafter and request.use_drafter else log.figures.draft,
            draft_fits=self.draft_fits,
            draft_prefill_tokens=request.draft_prefill_tokens,
            **entry,
        )
        if request.alone and log.drafted:
            log.speedup = self.controller.measured_speedup(request.answer)

    @property
    def controller(self) -> Controller:
        """The controller of the pair in use."""
        return self.controllers.current


def _identity(model: ModelInfo) -> str:
    """Return name and size, and what it was taught: another quantisation of the same name has another size."""
    return f"{model.name}, {model.bytes} bytes{f' taught {model.taught}' if model.taught else ''}"


def _failure(source: str, cause: Exception) -> ProposerFailed:
    failure = ProposerFailed(source)
    failure.__cause__ = cause
    return failure
