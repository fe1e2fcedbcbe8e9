"""Calibration: measures the cost of rounds of every depth while the engine is idle.

Without it the first answers of a pair would have to explore, and a short answer ends before that pays.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from statistics import median

from engine.conversation import Conversation
from engine.errors import EngineClosed, PromptTooLong, TemplateFailed
from engine.loading import LoadedModel
from engine.requests import MAX_DEPTH, SamplingSettings, SpeculationSettings
from engine.sampling import Sampler
from engine.speculation.controllers import Controllers
from engine.speculation.draft_source import DraftSource
from engine.speculation.head_source import HeadSource
from engine.speculation.proposers.context import ProposerContext, ProposerUnavailable
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.ngram import NgramProposer
from engine.speculation.proposers.proposal import Observation, Proposal, Proposer
from engine.speculation.proposers.registry import PROPOSERS
from engine.speculation.round import PendingRound, ProposerFailed, Rounds, as_proposer_failure
from engine.speculation.sequence import PREFILL_CHUNK
from engine.speculation.sequence import Sequence as CachedSequence
from engine.tuning import Calibration, best_of

log = logging.getLogger(__name__)

# The outermost and the middle first: when interrupted, the others lie between measured depths.
DEPTHS = (0, 4, 8, MAX_DEPTH, 2, 1, 6, 12, 3, 5, 7)
PLAIN_ROUNDS = 12
TIMED_ROUNDS = 2
ROUNDS = 3
# The least depth whose rounds teach acceptance beyond the first positions.
LEARN_FROM_DEPTH = 4

# So that the text that follows is an answer typical of the two models.
QUESTION = (
    "A small model guesses the next few words and a large one checks them all at once. Where they agree, several words "
    "have cost one reading of the large model; where they differ, its own word stands. Explain in a few sentences what "
    "that depends on, and give an example."
)
# How many instead, where the question cannot be rendered.
_ANY_TOKENS = 64


@dataclass(frozen=True, slots=True)
class RoundCost:
    """Rounds of `depth` draft tokens: seconds of the pass of `width` rows, and of the drafting before it.

    `accepted` has the number accepted in each of them, as far as the main model was still answering.
    """

    depth: int
    width: int
    pass_s: float
    draft_s: float
    accepted: tuple[int, ...] = ()


class RepeatingProposer(Proposer):
    """Proposes the last token over and over, which costs nothing: what a round takes is its verify pass.

    Its costs are those of the lookup, which takes next to nothing either.
    """

    source = NgramProposer.source

    def __init__(self, sequence: CachedSequence) -> None:
        self._sequence = sequence

    def max_proposals(self) -> int:
        return max(DEPTHS)

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

    def ends() -> bool:
        return stop() or late()

    controllers.mark_tried()
    controller = controllers.current
    conversation = sample_conversation(main, drafter, ends)
    length = len(conversation.main.tokens)
    controller.begin(length)
    proposer: Proposer = RepeatingProposer(conversation.main)
    failed, found = False, 0
    try:
        proposer = _proposer_to_time(conversation, main, drafter)
        found = _measure(controllers, conversation, main, proposer, ends, again=seconds is None)
    except ProposerFailed as failure:
        failed = True
        log.warning("%s; what was measured before that is kept", failure, exc_info=failure.__cause__)
    complete = not failed and not ends()
    controller.calibrated |= complete
    controllers.unsaved |= complete
    if not (complete or failed) and (found or not late()):
        controllers.can_go_on()
    controllers.keep()
    figures = next((known for known in reversed(controller.figures()) if known.tokens_from <= length), None)
    depth, speedup = best_of(figures, proposer.source) if figures is not None else (0, 1.0)
    seen = any(position.source == proposer.source for position in controller.acceptance())
    took = time.perf_counter() - started
    log.info("calibrated in %.1f s: %d draft tokens a round should be fastest, %.2fx", took, depth, speedup)
    return Calibration(controllers.pair, figures, depth, speedup, seen, complete, took)


def _measure(
    controllers: Controllers,
    conversation: Conversation,
    main: LoadedModel,
    proposer: Proposer,
    stop: Callable[[], bool],
    *,
    again: bool,
) -> int:
    """Time rounds of every depth until `stop()`, and `again` those that are well known; returns how many were new."""
    controller, drafts = controllers.current, not isinstance(proposer, RepeatingProposer)
    if isinstance(proposer, DraftModelProposer):
        started, tokens = time.perf_counter(), proposer.lag
        with as_proposer_failure(proposer.source):
            while not stop() and proposer.sequence.prefill(PREFILL_CHUNK):
                pass
        controller.observe_catch_up(proposer.source, tokens - proposer.lag, time.perf_counter() - started)
    # Acceptance in earlier answers counts for more.
    unseen = not any(position.source == proposer.source for position in controller.acceptance())
    known = controller.costs.knows
    found = 0

    def wanted(depth: int) -> bool:
        return again or not known(proposer.source if depth else None, depth, depth + 1)

    for cost in round_costs(conversation, main, proposer, stop, wanted):
        source = proposer.source if cost.depth else None
        found += not known(source, cost.depth, cost.width)
        controller.measured(source, cost.depth, cost.width, cost.pass_s, cost.draft_s)
        if unseen and drafts and cost.depth >= LEARN_FROM_DEPTH:
            # One text says little about others: only one round counts, so that answers soon outweigh it.
            for accepted in cost.accepted[:1]:
                controller.learn(proposer.source, Observation(proposer.bucket, cost.depth, accepted))
        controllers.unsaved = True
    return found


def _proposer_to_time(
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
        tokens = list(range(min(_ANY_TOKENS, main.rows or main.vocabulary)))
    conversation.main.append(tokens[-(main.info.context_length // 4) :] or [0])
    while conversation.main.prefill(PREFILL_CHUNK):
        pass
    return conversation


def round_costs(
    conversation: Conversation,
    main: LoadedModel,
    proposer: Proposer,
    stop: Callable[[], bool],
    wanted: Callable[[int], bool] = lambda _: True,
) -> Iterator[RoundCost]:
    """Time greedy rounds of every depth `wanted` with `proposer`, plain ones first, until `stop()`.

    Raises `ProposerFailed`.
    """
    sampler = Sampler(SamplingSettings(seed=0), main.vocabulary)
    limit, begin = main.info.context_length, len(conversation.main.tokens)
    rounds = Rounds(conversation.main, sampler, {proposer.source: proposer})
    speculates = conversation.main.plain_only is None
    with as_proposer_failure(proposer.source):
        while proposer.prepare():
            if stop():
                return
    with as_proposer_failure(proposer.source):
        most = proposer.max_proposals() if speculates else 0
    try:
        for depth in dict.fromkeys(min(depth, most) for depth in DEPTHS):
            if not wanted(depth):
                continue
            if len(conversation.main.tokens) + (depth + 1) * (1 + TIMED_ROUNDS + ROUNDS) > limit:
                continue
            cost = _plain(rounds, stop) if depth == 0 else _speculative(rounds, proposer, depth, stop)
            if stop():
                return
            if cost is not None:
                answering = main.end_tokens.isdisjoint(conversation.main.tokens[begin:])
                yield cost if answering else replace(cost, accepted=())
    finally:
        rounds.abandon()
        with as_proposer_failure(proposer.source):
            proposer.abandon()


def _plain(rounds: Rounds, stop: Callable[[], bool]) -> RoundCost | None:
    """Pipelined rounds, as plain decoding runs."""
    current = rounds.start(None, 0)
    finished: list[float] = []
    for number in range(PLAIN_ROUNDS):
        following = rounds.start_next(current) if number + 1 < PLAIN_ROUNDS and not stop() else None
        result = rounds.wait(current)
        rounds.commit(current, 0, result.tokens, following)
        finished.append(result.finished_at)
        if following is None:
            break
        current = following
    # The first gap also contains the start, and nothing follows the last one.
    gaps = [later - earlier for earlier, later in pairwise(finished[1:-1])]
    return RoundCost(0, 1, _typical(gaps), 0.0) if gaps else None


def _typical(gaps: list[float]) -> float:
    """The median of the faster half: a pipelined round can appear too short, and a busy machine makes it longer."""
    return median(sorted(gaps)[: (len(gaps) + 1) // 2])


def _speculative(rounds: Rounds, proposer: Proposer, depth: int, stop: Callable[[], bool]) -> RoundCost | None:
    accepted: list[int] = []
    whole: list[float] = []
    drafting: list[float] = []
    width = depth + 1
    for number in range(1 + TIMED_ROUNDS + ROUNDS):
        with as_proposer_failure(proposer.source):
            if stop() or proposer.max_proposals() < depth:
                return None
        # The first round of a depth is slower because of the change.
        timed = 0 < number <= TIMED_ROUNDS
        started = time.perf_counter()
        current = rounds.start(proposer.source, depth, timed=timed)
        right = _commit(rounds, current)
        if current.depth < depth:
            continue
        accepted.append(right)
        width = current.rows
        if timed:
            drafting.append(current.draft_s or 0.0)
        elif number:
            whole.append(time.perf_counter() - started)
    # Re-encoded text does not always reach the depth asked for.
    if not whole or not drafting:
        return None
    # Other load on the machine can only have made rounds longer.
    return RoundCost(depth, width, max(min(whole) - min(drafting), 0.0), min(drafting), tuple(accepted))


def _commit(rounds: Rounds, current: PendingRound) -> int:
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
