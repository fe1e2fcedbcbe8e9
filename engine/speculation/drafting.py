"""Drafting: the proposers of a request, and the choice of proposer and depth for each round.

One `Drafting` serves one main model and outlives its requests, so that its controllers keep what they learn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from engine.answer_index.index import AnswerIndex
from engine.async_drafting.drafting_ahead import DraftingAhead
from engine.async_drafting.link import DrafterLink
from engine.errors import EngineError, ModelNotUsable
from engine.main_model.loading import LoadedModel
from engine.main_model.sampling import Sampler
from engine.methods import DRAFTER_METHOD, PROPOSERS
from engine.requests import SpeculationSettings
from engine.speculation.choosing.choice import Choice, MeasuredRound
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.kept import Controllers
from engine.speculation.choosing.pauses import Pauses
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.reduced_vocabulary import USUAL_DEPTH, ReducedVocabulary
from engine.speculation.drafters.sources import Drafter, DraftSource, HeadSource
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.round import PendingRound
from engine.speculation.rounds.row_rule import RowRules
from engine.stats import RoundRecord
from engine.status import ModelInfo

log = logging.getLogger(__name__)

FIRST_TOKEN = Choice(None, 0, "first-token")


class Drafting:
    """Proposers and controllers for one main model.

    `proposers` holds those of the current request, by source. `set_draft` may be called during a request and takes
    effect at its next round. `reach(draft, share)` returns the link to the asynchronous drafter of a draft model, or
    the reason why there is none; `share` is that of drafting in rounds, None if it was never timed.
    """

    def __init__(
        self,
        main: LoadedModel,
        controllers: Controllers | None = None,
        reach: Callable[[DraftSource, float | None], DrafterLink | str] = lambda *_: "",
    ) -> None:
        self._main = main
        self._reach = reach
        self.controllers = controllers or Controllers()
        self._drafter: Drafter | None = None
        self.select()
        # Why requests have no proposers, unless the request itself is the reason.
        self.plain_reason = Choice(None, 0, "no-draft")
        # Why the current request has no asynchronous drafter, as in `RequestStats.ahead`.
        self.async_reason = ""
        # The index of earlier answers, if one is kept, and the drafter with their vocabulary, if one was made.
        self.answers: AnswerIndex | None = None
        self.reduced: ReducedVocabulary | None = None
        self.pauses = Pauses()
        # Changes with each `set_draft`.
        self.version = 0
        self._request: RequestProposers | None = None
        self._prefilled_before = 0
        self._same_text_cost: float | None = None

    @property
    def proposers(self) -> dict[str, Proposer]:
        """The current request's proposers by source."""
        return self._request.by_source if self._request is not None else {}

    @property
    def current(self) -> RequestProposers:
        """The current request."""
        assert self._request is not None
        return self._request

    @property
    def ahead(self) -> DraftingAhead | None:
        """The asynchronous drafter's part in the current request, if any."""
        return self._request.ahead if self._request is not None else None

    @property
    def drafter(self) -> Drafter | None:
        """The draft model or the head in use. Read it here each time; nothing else may keep it."""
        return self._drafter

    def name_for(self, request: RequestProposers | None) -> str:
        """Return the drafter's name if the request may use it, else ""."""
        in_use = request is not None and request.use_drafter
        return self._drafter.info.name if self._drafter is not None and in_use else ""

    @property
    def draft_name(self) -> str:
        """The drafter's name while the current request may use it, else ""."""
        return self.name_for(self._request)

    @property
    def draft_prefill_tokens(self) -> int:
        """Tokens of prompt and text that proposers' models read in catching up during the current request."""
        return self._request.draft_prefill_tokens if self._request is not None else 0

    @property
    def draft_fits(self) -> bool:
        """False if it has become clear that the drafter is not made for this main model."""
        return self._drafter is None or self.controller.learned.free.texts.fits(self._drafter.source)

    def select(self) -> None:
        """Let the controllers serve this main model with its drafter."""
        draft = "" if self._drafter is None else _identity(self._drafter.info)
        self.controllers.pair, self.controllers.kv_bits = (_identity(self._main.info), draft), self._main.info.kv_bits
        self.controllers.tried.clear()

    def set_draft(self, drafter: Drafter | None, problem: EngineError | None = None) -> None:
        """Use `drafter` from the next round on; None clears it, with the `problem` that kept it from loading, if any.

        The caller must have made all conversations drop the caches of the previous drafter.
        """
        self.controllers.keep()
        self._drafter, self.reduced = drafter, None
        self.version += 1
        self.controllers.pair = (self.controllers.pair[0], "" if drafter is None else _identity(drafter.info))
        self.plain_reason = Choice(None, 0, "no-draft")
        if problem is not None:
            self.plain_reason = Choice(None, 0, "draft-not-usable", (("reason", _reason(problem)),))
        if self._request is not None:
            self._request.conversation.drop_drafter()
            self.install(self._request)

    def set_reduced(self, reduced: ReducedVocabulary | None) -> None:
        """Use a smaller vocabulary where it pays, or none, from the next round on."""
        self.reduced, before = reduced, self.reduced
        if reduced is not before and self._request is not None:
            self.install(self._request)

    def use(self, settings: SpeculationSettings) -> None:
        """Use `settings` from the next round of the current request on, if they have changed."""
        if self._request is not None and self._request.settings is not settings:
            self._request.settings = settings
            self.install(self._request)

    def expect_draft(self) -> None:
        """Let plain rounds give the loading of a draft model as their reason, until `set_draft` is called."""
        if self._drafter is None:
            self.plain_reason = Choice(None, 0, "draft-loading")

    def attach(self, settings: SpeculationSettings, conversation: CachedConversation) -> None:
        """Set the rule of a request's rows, and let the head in use, if any, follow it. Call it before the prefill."""
        conversation.main.row_rules = RowRules(self.controllers.rounding, settings.same_text)
        used = settings.method in ("auto", DRAFTER_METHOD) and conversation.main.plain_only is None
        if used and isinstance(self._drafter, HeadSource):
            conversation.attach_head(self._drafter.head, self._drafter.taps)
        else:
            conversation.main.listener = None

    def begin(self, settings: SpeculationSettings, conversation: CachedConversation, sampler: Sampler) -> None:
        """Start the current request, alone on `conversation`, whose main sequence holds the prompt."""
        self._request = RequestProposers(self._main, settings, conversation, sampler)
        self.install(self._request)

    def new_request(
        self, settings: SpeculationSettings, conversation: CachedConversation, sampler: Sampler
    ) -> RequestProposers:
        """Return a request of a batch, which has its proposers; its main sequence holds the prompt."""
        request = RequestProposers(self._main, settings, conversation, sampler)
        self.install(request)
        return request

    def install(self, request: RequestProposers) -> None:
        """Give a request its proposers, at its beginning or in the middle of its answer.

        Only one that is answered alone may have an asynchronous drafter, or, in a named conversation, a smaller
        vocabulary: programs must not find out what chats contain.
        """
        drafter, ahead, text = self._drafter, None, request.conversation
        if request is self._request:
            if self.reduced is not None and text.name is not None:
                drafter = self.reduced.source if self.reduced.pays(text.main.tokens, self.controller.costs) else drafter
            ahead = self._drafting_ahead(request)
        request.install(drafter, ahead, self.answers)
        request.version = self.version
        self._begin(request)

    def _begin(self, request: RequestProposers) -> None:
        """Let the controller begin an answer, or what is left of one."""
        main, constrained = request.conversation.main, request.sampler.constrained
        request.answer = self.controller.begin(constrained=constrained)
        if request is self._request:
            self._prefilled_before, rule = self.draft_prefill_tokens, main.next_rule
            self._same_text_cost = self.controller.cost_of(rule) if rule.strict else None
            self.controller.speedup.begin(len(main.tokens), constrained=constrained)

    def _drafting_ahead(self, request: RequestProposers) -> DraftingAhead | None:
        draft, self.async_reason = self._drafter, ""
        if not isinstance(draft, DraftSource) or request.conversation.main.pictures:
            # Positions tell the asynchronous drafter the noise of a token, so it cannot leave placeholders out.
            return None
        share = self.controller.costs.drafting_share(DRAFTER_METHOD, USUAL_DEPTH, USUAL_DEPTH + 1)
        link = self._reach(draft, share)
        if isinstance(link, str):
            self.async_reason = link
            return None
        return DraftingAhead(link, request.sampler, request.conversation.main.tokens, request.settings.depth)

    def learn(self, request: RequestProposers, choice: Choice, proposal: Proposal | None, record: RoundRecord) -> None:
        """Learn from a request's part in a round.

        An empty proposal counts as one draft token that was rejected.
        """
        self.controllers.unsaved = True
        # At a fixed depth no drafter stops early.
        adaptive = request.settings.depth is None
        drafted = proposal.count if adaptive and proposal is not None and proposal.stopped_early else choice.depth
        self.controller.observe(request.answer, choice, drafted, record.drafted, record.accepted)
        for source, seen in request.observations():
            # Shadow evaluation: no verify pass was needed.
            request.answer.observe(source, seen.drafted, seen.accepted)

    def end(self) -> None:
        """End the request; the proposers' sequences stay with its conversation."""
        request, self._request = self._request, None
        self.controller.speedup.end()
        if request is not None:
            request.abandon()

    def forget(self) -> None:
        """Forget what was learned about all pairs."""
        self.controllers.forget()
        if self._request is not None:
            self._begin(self._request)

    def choose(self, remaining: int) -> Choice:
        """Choose the next round, with `remaining` tokens to go; a proposer that fails is dropped."""
        request = self.current
        if (plain := request.plain_choice(self.plain_reason, remaining)) is not None:
            return plain
        if self.controller.speedup.take_plain_round():
            # A sample measures plain decoding, in which nothing is weighed either.
            return Choice(None, 0, "measuring")
        offer = request.offer(remaining)
        costs, [choice] = request.answer.costs, self.controller.choose([(request.answer, offer)])
        if choice.depth > 0 and self.controller.wants_sample(request.settings.sample_share):
            choice = Choice(None, 0, "measuring")
        if self.ahead is not None and costs.timed(DRAFTER_METHOD):
            self.ahead.patience_s = costs.drafting(DRAFTER_METHOD, self.ahead.depth).seconds
        return request.with_reason(choice, self.plain_reason)

    def drafting_share(self, choice: Choice, proposed: int | None = None) -> float | None:
        """Return the share of drafting in a round with this choice; None if it was never timed apart.

        `proposed` is the number of draft tokens made, None for as many as were asked for.
        """
        if choice.source is None:
            return None
        drafted = choice.depth if proposed is None else proposed
        return self.current.answer.costs.drafting_share(choice.source, drafted, drafted + 1)

    def timed_apart(self, choice: Choice) -> bool:
        """Whether a round with this choice drafts first and then verifies, so that both can be timed."""
        proposer = self.proposers.get(choice.source or "")
        return proposer is None or not proposer.drafts_aside

    def observe(self, choice: Choice, current: PendingRound, record: RoundRecord, seconds: float) -> None:
        """Learn from a round that took `seconds` until the next one began.

        Its duration is not typical if a draft model caught up first, or if it is a plain round that was not between
        two others.
        """
        prefilled_before, self._prefilled_before = self._prefilled_before, self.draft_prefill_tokens
        caught_up = self._prefilled_before - prefilled_before
        controller, request, depth = self.controller, self.current, current.depth
        answer = request.answer
        between = depth > 0 or current.between_plain
        if choice is not FIRST_TOKEN:
            # The first token's time includes prefill.
            controller.speedup.observe(
                choice.source if depth else None,
                current.rows,
                record.committed,
                seconds,
                typical=not caught_up and between,
            )
        if not (between or choice.depth):
            # Before any was measured, every plain round counts.
            between = not answer.costs.plain_known()
        drafter = depth > 0 and choice.source is not None and PROPOSERS[choice.source].uses_drafter
        measured = MeasuredRound(
            current.rows,
            record.committed,
            seconds,
            (choice.source or "", depth) if drafter else None,
            record.draft_s if drafter and current.draft_s is not None else None,
            typical=not caught_up and between and (depth > 0 or choice.depth == 0),
        )
        if choice is not FIRST_TOKEN:
            controller.observe_round(answer, measured)
        if caught_up and drafter and choice.source is not None:
            controller.observe_reading(answer, choice.source, caught_up, measured)
        self.learn(request, choice, current.proposal, record)

    def count_last(self, record: RoundRecord, seconds: float) -> None:
        """Count the last round of an answer in its speed-up; nothing else is learned from it."""
        source = record.source if record.drafted else None
        self.controller.speedup.observe(source, record.rows, record.committed, seconds, typical=False)
        # A short answer ends before enough rounds have followed a run of plain ones.
        self.controller.speedup.compare()

    def rounding_figures(self, *, exact: bool) -> dict[str, Any]:
        """Return the figures of `RequestStats` on rounding; `exact` is whether all passes of the request were."""
        request, rounding = self._request, self.controllers.rounding
        if request is None or rounding is None or request.redraws:
            return {}
        return {"rounding": "identical" if exact else "rounded", "same_text_cost": self._same_text_cost}

    def interrupted(self) -> None:
        """Charge the time between two rounds to neither, because other requests ran."""
        self._prefilled_before = self.draft_prefill_tokens
        self.controller.speedup.interrupted()

    @property
    def controller(self) -> Controller:
        """The controller of the pair in use."""
        return self.controllers.current


def _identity(model: ModelInfo) -> str:
    """Return name and size, and what it was taught: another quantisation of the same name has another size."""
    return f"{model.name}, {model.bytes} bytes{f' taught {model.taught}' if model.taught else ''}"


def _reason(problem: EngineError) -> str:
    return problem.reason if isinstance(problem, ModelNotUsable) else problem.code
