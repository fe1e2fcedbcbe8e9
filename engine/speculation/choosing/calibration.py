"""Calibration: plays rounds of every depth while the engine is idle, for the controller to learn what they cost.

Without it the first answers of a pair would have to explore, and a short answer ends before that pays.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

from engine.conversation import Conversation
from engine.errors import EngineClosed, PromptTooLong, TemplateFailed
from engine.loading import LoadedModel
from engine.requests import MAX_DEPTH, SamplingSettings, SpeculationSettings
from engine.sampling import Sampler
from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.kept import Controllers
from engine.speculation.choosing.plans import DEPTHS, Answer
from engine.speculation.draft_source import DraftSource
from engine.speculation.head_source import HeadSource
from engine.speculation.proposers.context import ProposerContext, ProposerUnavailable
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.ngram import NgramProposer
from engine.speculation.proposers.proposal import Proposal, Proposer
from engine.speculation.proposers.registry import PROPOSERS
from engine.speculation.round import PendingRound, ProposerFailed, Rounds, as_proposer_failure
from engine.speculation.sequence import PREFILL_CHUNK
from engine.speculation.sequence import Sequence as CachedSequence
from engine.tuning import Calibration, best_of

log = logging.getLogger(__name__)

# Rounds of each depth: one may be disturbed.
ROUNDS = 3
# The outermost and the middle first: when interrupted, the others lie between measured depths.
ORDER = sorted(
    (0, *DEPTHS), key=lambda depth: (0, 4, 8, MAX_DEPTH).index(depth) if depth in (0, 4, 8, MAX_DEPTH) else 4
)

# So that the text that follows is an answer typical of the two models.
QUESTION = (
    "A small model guesses the next few words and a large one checks them all at once. Where they agree, several words "
    "have cost one reading of the large model; where they differ, its own word stands. Explain in a few sentences what "
    "that depends on, and give an example."
)


class RepeatingProposer(Proposer):
    """Proposes the last token over and over, which costs nothing: what a round takes is its verify pass."""

    source = NgramProposer.source

    def __init__(self, sequence: CachedSequence) -> None:
        self._sequence = sequence

    def max_proposals(self) -> int:
        return MAX_DEPTH

    def propose(self, depth: int) -> Proposal:
        return Proposal([self._sequence.tokens[-1]] * depth, self.source, depth)


def calibrate(
    controllers: Controllers,
    main: LoadedModel,
    drafter: DraftSource | HeadSource | None,
    stop: Callable[[], bool],
    seconds: float | None = None,
) -> Calibration:
    """Measure the pair's round costs; ends early once `stop()` is true or, where `seconds` are given, after these.

    With `seconds` it goes on where the last one ended: what is well known, from answers too, is not measured again. If
    the drafter fails, what was measured before that is kept.
    """
    started = time.perf_counter()

    def late() -> bool:
        return seconds is not None and time.perf_counter() - started > seconds

    controllers.mark_tried()
    controller = controllers.current
    conversation = sample_conversation(main, drafter, lambda: stop() or late())
    failed, found, source = False, 0, NgramProposer.source
    try:
        proposer = proposer_to_time(conversation, main, drafter)
        source = proposer.source
        trial = Trial(controller, conversation, main, proposer, lambda: stop() or late())
        found = trial.measure(again=seconds is None)
    except ProposerFailed as failure:
        failed = True
        log.warning("%s; what was measured before that is kept", failure, exc_info=failure.__cause__)
    complete = not (failed or stop() or late())
    controller.calibrated |= complete
    controllers.unsaved |= complete or found > 0
    if not (complete or failed) and (found or not late()):
        controllers.can_go_on()
    controllers.keep()
    length = len(conversation.main.tokens)
    figures = next((known for known in reversed(controller.figures()) if known.tokens_from <= length), None)
    depth, speedup = best_of(figures, source) if figures is not None else (0, 1.0)
    seen = any(position.source == source for position in controller.acceptance())
    took = time.perf_counter() - started
    log.info("calibrated in %.1f s: %d draft tokens a round should be fastest, %.2fx", took, depth, speedup)
    return Calibration(controllers.pair, figures, depth, speedup, seen, complete, took)


def proposer_to_time(
    conversation: Conversation, main: LoadedModel, drafter: DraftSource | HeadSource | None
) -> Proposer:
    """The drafter's proposer; where there is none, one that costs nothing."""
    if conversation.main.plain_only is None:
        sampler = Sampler(SamplingSettings(seed=0), main.vocabulary)
        context = ProposerContext(main, drafter, conversation, sampler, SpeculationSettings(depth=MAX_DEPTH))
        for source in (source for source, entry in PROPOSERS.items() if entry.uses_drafter):
            with as_proposer_failure(source), suppress(ProposerUnavailable):
                proposer: Proposer | None = import_module(PROPOSERS[source].module).build(context)
                if proposer is not None:
                    return proposer
    return RepeatingProposer(conversation.main)


def sample_conversation(
    main: LoadedModel, drafter: DraftSource | HeadSource | None, stop: Callable[[], bool]
) -> Conversation:
    """A conversation whose question `main` has prefilled up to its last token, followed by a head if there is one."""
    conversation = Conversation(CachedSequence(main.model, main.new_caches()))
    if isinstance(drafter, HeadSource) and conversation.main.plain_only is None:
        conversation.follow(drafter.head, drafter.taps)
    try:
        tokens = main.prompt_ids([{"role": "user", "content": QUESTION}], stop)
    except (TemplateFailed, PromptTooLong, EngineClosed):
        # Rounds cost the same whatever the tokens say.
        tokens = list(range(min(len(QUESTION), main.rows or main.vocabulary)))
    conversation.main.append(tokens[-(main.info.context_length // 4) :] or [0])
    while conversation.main.prefill(PREFILL_CHUNK):
        pass
    return conversation


class Trial:
    """Greedy rounds with `proposer` behind a prefilled `conversation`, of which `controller` learns, until `stop()`."""

    def __init__(
        self,
        controller: Controller,
        conversation: Conversation,
        main: LoadedModel,
        proposer: Proposer,
        stop: Callable[[], bool],
    ) -> None:
        self._controller, self._main, self._proposer, self._stop = controller, main, proposer, stop
        self._sequence = conversation.main
        self._rounds = Rounds(
            conversation.main, Sampler(SamplingSettings(seed=0), main.vocabulary), {proposer.source: proposer}
        )
        self._prompt_tokens = len(conversation.main.tokens)
        self._answer: Answer = controller.begin(self._prompt_tokens)
        controller.speedup.begin(self._answer.costs.context)

    def measure(self, *, again: bool) -> int:
        """Play rounds of every depth, and `again` of those that are well known; returns how many depths were new.

        Raises `ProposerFailed`.
        """
        costs, source = self._answer.costs, self._proposer.source
        drafts = PROPOSERS[source].uses_drafter and not isinstance(self._proposer, RepeatingProposer)
        # Acceptance in earlier answers counts for more.
        unseen = drafts and not any(position.source == source for position in self._controller.acceptance())
        found = 0
        try:
            most = self._prepare()
            for number, depth in enumerate(dict.fromkeys(min(depth, most) for depth in ORDER)):
                draft = (source, depth) if depth and drafts else None
                known = costs.is_measured(depth + 1, draft, ROUNDS)
                room = self._main.info.context_length - len(self._sequence.tokens)
                if (known and not again) or (depth + 2) * (2 * ROUNDS + 1) > room:
                    continue
                if self._stop() or not (self._speculative(depth, learns=unseen) if depth else self._plain()):
                    break
                found += not known
                if depth == 0:
                    # A device's first rounds are slower than those to come, so no others are compared with them.
                    self._controller.speedup.interrupted()
                elif number % 2 == 0 and not self._plain():
                    break
        finally:
            self._controller.speedup.costs_may_differ()
            self._rounds.abandon()
            with as_proposer_failure(source):
                self._proposer.abandon()
        return found

    def _prepare(self) -> int:
        """Let the proposer catch up; returns its most draft tokens."""
        proposer = self._proposer
        with as_proposer_failure(proposer.source):
            started, behind = time.perf_counter(), proposer.backlog
            if isinstance(proposer, DraftModelProposer):
                while not self._stop() and proposer.sequence.prefill(PREFILL_CHUNK):
                    pass
            while not self._stop() and proposer.prepare():
                pass
            if behind and self._answer.costs.known:
                self._answer.costs.observe_reading(proposer.source, behind, time.perf_counter() - started)
            return proposer.max_proposals() if self._sequence.plain_only is None and not self._stop() else 0

    def _plain(self) -> bool:
        """Play pipelined rounds, as plain decoding runs; False where it was interrupted."""
        current, ended = self._rounds.start(None, 0), 0.0
        for number in range(2 * ROUNDS + 1):
            following = self._rounds.start_next(current) if number < 2 * ROUNDS and not self._stop() else None
            result = self._rounds.wait(current)
            self._rounds.commit(current, 0, result.tokens, following)
            # The first one also contains the start, and nothing follows the last one.
            if number > 1 and following is not None:
                self._learn(MeasuredRound(1, 1, result.finished_at - ended))
            ended = result.finished_at
            if following is None:
                return number == 2 * ROUNDS
            current = following
        return True

    def _speculative(self, depth: int, *, learns: bool) -> bool:
        """Play rounds of `depth` draft tokens, half of them with their drafting timed apart; False if interrupted."""
        source = self._proposer.source
        for number in range(2 * ROUNDS + 1):
            with as_proposer_failure(source):
                if self._stop() or self._proposer.max_proposals() < depth:
                    return not self._stop()
            started = time.perf_counter()
            # As in answers, whose rounds begin with a choice.
            self._controller.choose([(self._answer, Offer({source: depth}))])
            # The first round of a depth is slower because of the change.
            current = self._rounds.start(source, depth, timed=0 < number <= ROUNDS)
            accepted = commit(self._rounds, current)
            seconds = time.perf_counter() - started
            if current.depth == depth and number:
                drafts = PROPOSERS[source].uses_drafter
                draft = (source, depth, 1) if drafts else None
                measured = MeasuredRound(current.rows, 1, seconds, draft, current.draft_s if drafts else None)
                # Where drafting is timed, it does not overlap with verifying.
                self._learn(measured, source, typical=number > ROUNDS)
            elif current.depth == depth and learns and self._answering:
                # One text says little about others, so only one round of each depth tells of acceptance.
                self._controller.observe(self._answer, Choice(source, depth), depth, depth, accepted)
        return True

    @property
    def _answering(self) -> bool:
        """Whether the main model has not ended its answer yet."""
        return self._main.end_tokens.isdisjoint(self._sequence.tokens[self._prompt_tokens :])

    def _learn(self, measured: MeasuredRound, source: str | None = None, *, typical: bool = True) -> None:
        self._answer.costs.observe(
            measured.rows, measured.seconds, measured.answers, measured.draft, measured.draft_seconds
        )
        # Its tokens are no answer's.
        self._controller.speedup.observe(source, measured.rows, 0, measured.seconds, typical=typical)


def commit(rounds: Rounds, current: PendingRound) -> int:
    """Commit the round so that the text hardly grows; returns how many draft tokens were accepted.

    Where rejected rows would be carried, all are kept as if they had been accepted.
    """
    result = rounds.wait(current)
    if rounds.sequence.carries and current.draft_tokens is not None:
        drafted: list[int] = current.draft_tokens.tolist()  # type: ignore[assignment]
        last: list[int] = current.sampled.tolist()  # type: ignore[assignment]
        rounds.commit(current, current.depth, [*drafted, last[-1]])
    else:
        rounds.commit(current, 0, result.tokens[:1])
    return result.accepted
