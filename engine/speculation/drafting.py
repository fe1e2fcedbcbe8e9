"""Where a main model's guesses come from: the proposers at hand, and who of them guesses next.

One `Drafting` serves one main model and outlives its requests, because what its controllers learn does. It is the
only place that knows which settings lead to which proposers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from engine.disk_thread import DiskThread
from engine.errors import EngineError, ModelNotUsable
from engine.loading import LoadedModel, ModelInfo
from engine.prefix_cache import Conversation, continue_on
from engine.requests import SamplingSettings, SpeculationSettings
from engine.sampling import Sampler
from engine.slices import Slices, at_once, result_of
from engine.speculation.calibration import RepeatingProposer, round_costs, sample_conversation
from engine.speculation.compiled_steps import CompiledSteps, compiled_steps
from engine.speculation.depth import Choice, DepthController
from engine.speculation.joined_products import join_products
from engine.speculation.learned import LearnedFile, told
from engine.speculation.proposers import NgramProposer, Proposer, Trial
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.proposers.other_tokenizer import RewrittenTextProposer, SharedTokensProposer
from engine.speculation.round import Flight, ProposerFailed, failing_as
from engine.speculation.sequence import PREFILL_CHUNK
from engine.speculation.translation import Translation
from engine.speculation.vocabulary import compare, vocabulary_of
from engine.stats import RoundRecord
from engine.tuning import Calibration, LearnedPair, Pair, best_of

log = logging.getLogger(__name__)

FIRST_TOKEN = Choice(None, 0, "first-token")
# Rows that a hybrid model carries after rejections; a plain round settles them.
MOST_CARRIED = 16
# Rounds of a calibration in which acceptance can be seen beyond the first few guesses.
LEARN_FROM_DEPTH = 4
# From this share of the main model's tokens on, guessing among those that both have is at least as good as rewriting
# text. Measured on the starter pair with merges taken from the draft's tokenizer, and with counterparts hidden.
ENOUGH_SHARED = 0.5


class Drafting:
    """Proposers and controllers for one main model.

    `proposers` holds those of the request that runs. `set_draft` may come in the middle of it and takes effect at
    the next round. What its controllers learn outlives the program in `learned`, if given.
    """

    def __init__(self, main: LoadedModel, learned: LearnedFile | None = None) -> None:
        self.proposers: dict[str, Proposer] = {}
        self._main = main
        self._learned_file = learned
        self._news = False
        self._draft: LoadedModel | None = None
        self._draft_steps: CompiledSteps | None = None
        self._translation: Translation | None = None
        self._prepared: tuple[LoadedModel, Translation | None, CompiledSteps | None] | None = None
        self._why_no_draft = Choice(None, 0, "no-draft")
        self._pair: Pair = (_identity(main), "")
        self._controllers: dict[Pair, DepthController] = {}
        self._settings = SpeculationSettings()
        self._request: tuple[Conversation, Sampler] | None = None
        self._tried: set[Pair] = set()
        self._read_before = 0
        # What a draft model that was replaced or dropped in the middle of the request had read.
        self._read_by_others = 0

    @property
    def draft_info(self) -> ModelInfo | None:
        return self._draft.info if self._draft is not None else None

    @property
    def draft_name(self) -> str:
        """The draft model's name while the request that runs may use it, else ""."""
        return self._draft.info.name if self._draft is not None and "draft" in self.proposers else ""

    @property
    def tokens_read(self) -> int:
        """Prompt and text that the draft model had to read in the request that runs."""
        proposer = self.proposers.get("draft")
        return self._read_by_others + (proposer.read_tokens if isinstance(proposer, DraftModelProposer) else 0)

    @property
    def plain_tps(self) -> float | None:
        """Measured tokens a second of plain decoding at this context length."""
        return self._controller.plain_tps()

    def set_draft(self, draft: LoadedModel | None, problem: EngineError | None = None) -> EngineError | None:
        """Use `draft` from the next round on; None clears it, with the `problem` that kept it from loading if any.

        Returns why the draft asked for is not in use, or None.
        """
        self.keep()
        self._draft = draft
        self._pair = (self._pair[0], "" if draft is None else _identity(draft))
        self._take_prepared(draft)
        self._why_no_draft = Choice(None, 0, "no-draft")
        if problem is not None:
            self._why_no_draft = Choice(None, 0, "draft-not-usable", (("reason", _why(problem)),))
        if self._request is not None:
            conversation, sampler = self._request
            conversation.draft = None
            self._read_by_others = self.tokens_read
            self._install(conversation, sampler)
        return problem

    def expect_draft(self) -> None:
        """One is being loaded. `set_draft` says how that went; until then rounds without any guesses say why."""
        if self._draft is None:
            self._why_no_draft = Choice(None, 0, "draft-loading")

    def prepare_for(self, draft: LoadedModel) -> Slices[None]:
        """Find out, in slices, what `set_draft` will need to know of this draft."""
        with DiskThread() as thread:
            translation = yield from result_of(thread.start(self._translation_for, draft))
        if draft.model is not self._main.model:
            yield from join_products(draft)
        steps = yield from compiled_steps(draft)
        self._prepared = (draft, translation, steps)

    def begin(self, settings: SpeculationSettings, conversation: Conversation, sampler: Sampler) -> None:
        """A request starts on `conversation`, whose main sequence holds the prompt."""
        self._settings = settings
        self._request = (conversation, sampler)
        self._read_by_others = 0
        self._install(conversation, sampler)
        self._controller.begin(len(conversation.main.tokens))

    def end(self) -> None:
        """The request is over; what its proposers held stays with its conversation."""
        for proposer in self.proposers.values():
            proposer.abandon()
        self.proposers.clear()
        self._request = None

    def keep(self) -> None:
        """Write down what was learned since the last time, for the next run of the program."""
        if self._learned_file is not None and self._news:
            self._learned_file.keep(self._controller, *self._pair)
        self._news = False

    @property
    def untuned(self) -> bool:
        """Whether nothing is known yet about the costs of this pair, and finding out in an idle moment is wanted."""
        return self._learned_file is not None and not self._controller.figures() and self._pair not in self._tried

    def learned(self) -> tuple[LearnedPair, ...]:
        """What is known about this pair and, with a file, about all others; the latest last."""
        self.keep()
        known = self._learned_file.pairs() if self._learned_file is not None else {}
        for pair, controller in self._controllers.items():
            if pair not in known and controller.figures():
                known[pair] = fresh = DepthController()
                fresh.load(controller.export())
        return tuple(told(pair, controller, loaded=pair == self._pair) for pair, controller in known.items())

    def forget(self, pair: Pair | None) -> None:
        """Start afresh with one pair, or with all."""
        for known in list(self._controllers):
            if pair in (known, None):
                del self._controllers[known]
        self._news = False
        if self._learned_file is not None:
            self._learned_file.forget(pair)
        if self._request is not None:
            self._controller.begin(len(self._request[0].main.tokens))

    def calibrate(self, stop: Callable[[], bool]) -> Calibration:
        """Measure what rounds of this pair cost while nobody is served; ends early once `stop()` is true."""
        started = time.perf_counter()
        controller, pair = self._controller, self._pair
        self._tried.add(pair)
        conversation = sample_conversation(self._main)
        length = len(conversation.main.tokens)
        controller.begin(length)
        proposer = self._proposer_to_time(conversation)
        if isinstance(proposer, DraftModelProposer):
            self._time_reading(proposer, stop)
        # What an earlier answer has shown counts for more.
        unseen = not any(guess.source == proposer.source for guess in controller.guesses())
        for cost in round_costs(conversation, self._main, proposer, stop):
            source = proposer.source if cost.depth else None
            controller.measured(source, cost.depth, cost.width, cost.pass_s, cost.draft_s)
            if unseen and isinstance(proposer, DraftModelProposer) and cost.depth >= LEARN_FROM_DEPTH:
                # One text says little about others: few rounds count, so that answers soon outweigh them.
                for accepted in cost.accepted[:1]:
                    controller.learn(proposer.source, Trial(proposer.bucket, cost.depth, accepted))
            self._news = True
        complete = not stop()
        self.keep()
        figures = next((known for known in reversed(controller.figures()) if known.tokens_from <= length), None)
        depth, speedup = best_of(figures, proposer.source) if figures is not None else (0, 1.0)
        seen = any(guess.source == proposer.source for guess in controller.guesses())
        seconds = time.perf_counter() - started
        log.info("calibrated in %.1f s: %d guesses a round should be fastest, %.2fx", seconds, depth, speedup)
        return Calibration(pair, figures, depth, speedup, seen, complete, seconds)

    def choose(self, remaining: int, carried: int) -> Choice:
        """What the next round guesses, with `remaining` tokens to go and `carried` rows to feed again."""
        if self._settings.method == "off":
            return Choice(None, 0, "off")
        if not self.proposers:
            return self._why_no_draft
        if remaining <= 1:
            return Choice(None, 0, "length-limit")
        if carried > MOST_CARRIED:
            return Choice(None, 0, "carried-rows", (("rows", carried),))
        most = min(self._settings.max_depth, remaining - 1)
        limits = {source: min(most, proposer.limit()) for source, proposer in self.proposers.items()}
        choice = self._fixed(limits) if self._settings.depth is not None else self._learned(limits, carried, remaining)
        if choice.depth == 0 and not choice.reason:
            return replace(choice, reason=next(iter(self.proposers.values())).reason)
        return choice

    def prepare(self, choice: Choice) -> bool:
        """Do one piece of what the chosen proposer needs before it can guess; False when nothing is left to do.

        Raises `ProposerFailed`, as `choose` does.
        """
        if choice.source is None:
            return False
        with failing_as(choice.source):
            return self.proposers[choice.source].prepare()

    def drafting_share(self, choice: Choice) -> float | None:
        """How much of a round with this choice is drafting, as far as it was timed; None where it never was."""
        return None if choice.source is None else self._controller.drafting_share(choice.source, choice.depth)

    def drop(self, failure: ProposerFailed) -> Choice:
        """Do without a proposer that failed for the rest of the request; returns what the round does instead."""
        log.warning("%s; the answer goes on without it", failure, exc_info=failure.__cause__)
        self._read_by_others = self.tokens_read
        self.proposers.pop(failure.source, None)
        if self._request is not None and failure.source == "draft":
            self._request[0].draft = None
        self._why_no_draft = Choice(None, 0, "draft-failed", (("source", failure.source),))
        return self._why_no_draft

    def observe(self, choice: Choice, flight: Flight, record: RoundRecord, seconds: float) -> None:
        """Learn from a round that took `seconds` until the next one began.

        A round in which the draft model had to read up first says nothing about what rounds cost, nor does a plain one
        that was not launched ahead; and one for which a proposer had nothing to offer after all is as bad as a wrong
        guess.
        """
        read_before, self._read_before = self._read_before, self.tokens_read
        controller = self._controller
        self._news = True
        controller.observe(
            choice.source if choice.depth else None,
            choice.depth,
            flight.rows,
            record.accepted,
            seconds,
            None if flight.draft_s is None else record.draft_s,
            bucket=choice.bucket,
            checked=max(1, record.drafted),
            guessed=flight.depth if flight.stopped else choice.depth,
            typical=self.tokens_read == read_before and (choice.depth > 0 or flight.ahead),
        )
        if choice.depth and choice.source is not None and self.tokens_read > read_before:
            tokens = self.tokens_read - read_before
            controller.read_up(choice.source, tokens, flight.depth or choice.depth, flight.rows, seconds)
        self._learn_trials()

    def _learn_trials(self) -> None:
        for source, proposer in self.proposers.items():
            for trial in proposer.trials():
                self._controller.learn(source, trial)

    def interrupted(self) -> None:
        """Something else ran between two rounds, so that the time between them says nothing about either."""
        self._read_before = self.tokens_read
        self._controller.interrupted()

    def _time_reading(self, proposer: DraftModelProposer, stop: Callable[[], bool]) -> None:
        started, tokens = time.perf_counter(), proposer.backlog
        while not stop() and proposer.sequence.read(PREFILL_CHUNK):
            pass
        read = tokens - proposer.backlog
        self._controller.read(proposer.source, read, time.perf_counter() - started)

    @property
    def _greedy(self) -> Sampler:
        return Sampler(SamplingSettings(seed=0), self._main.vocabulary)

    def _proposer_to_time(self, conversation: Conversation) -> Proposer:
        """The draft model's, or without one something that costs nothing."""
        if self._draft is not None and conversation.main.plain_only is None:
            proposer = self._draft_proposer(self._draft, conversation, self._greedy)
            if proposer.sequence.plain_only is None:
                return proposer
        return RepeatingProposer(conversation.main)

    @property
    def _controller(self) -> DepthController:
        if self._pair not in self._controllers:
            self._controllers[self._pair] = controller = DepthController()
            if self._learned_file is not None:
                self._learned_file.restore(controller, *self._pair)
        return self._controllers[self._pair]

    def _fixed(self, limits: dict[str, int]) -> Choice:
        """The user's own depth, with the first proposer that has anything to offer."""
        depth = self._settings.depth or 0
        if depth == 0:
            return Choice(None, 0, "off")
        source = next((source for source, limit in limits.items() if limit > 0), None)
        return Choice(None, 0) if source is None else Choice(source, min(depth, limits[source]))

    def _learned(self, limits: dict[str, int], carried: int, remaining: int) -> Choice:
        for source, proposer in self.proposers.items():
            if limits[source] > 0 and proposer.can_look and self._controller.wants_look(source, proposer.unread):
                with failing_as(source):
                    proposer.look()
                self._learn_trials()
        offering = {source: self.proposers[source] for source, limit in limits.items() if limit > 0}
        buckets = {source: proposer.bucket for source, proposer in offering.items()}
        unread = {source: proposer.unread for source, proposer in offering.items()}
        return self._controller.choose(limits, carried, buckets, unread, remaining)

    def _install(self, conversation: Conversation, sampler: Sampler) -> None:
        self.proposers.clear()
        self._read_before = self.tokens_read
        method = self._settings.method
        if conversation.main.plain_only is not None:
            self._why_no_draft = Choice(None, 0, "cache-kind", (("kind", conversation.main.plain_only),))
            return
        if method in ("auto", "draft") and self._draft is not None:
            draft = self._draft
            self._try("draft", lambda: self._install_draft(draft, conversation, sampler))
        if method in ("auto", "ngram"):
            self._try("ngram", lambda: self._install_ngram(conversation))

    def _try(self, source: str, install: Callable[[], None]) -> None:
        try:
            with failing_as(source):
                install()
        except ProposerFailed as failure:
            self.drop(failure)

    def _install_ngram(self, conversation: Conversation) -> None:
        # Template and other special tokens frame turns; what follows them says nothing about the text.
        special = frozenset(self._main.tokenizer.all_special_ids)
        self.proposers["ngram"] = proposer = NgramProposer(self._settings.max_depth, special)
        proposer.reset(conversation.main.tokens)

    def _install_draft(self, draft: LoadedModel, conversation: Conversation, sampler: Sampler) -> None:
        proposer = self._draft_proposer(draft, conversation, sampler)
        # Who sets a depth gets it.
        proposer.stops_early = self._settings.depth is None
        conversation.draft = proposer.sequence
        if self._translation is None:
            conversation.draft.boundaries = conversation.main.boundaries
        if proposer.sequence.plain_only is not None:
            self._why_no_draft = Choice(None, 0, "cache-kind", (("kind", proposer.sequence.plain_only),))
        else:
            self.proposers["draft"] = proposer
            proposer.reset(conversation.main.tokens)

    def _draft_proposer(self, draft: LoadedModel, conversation: Conversation, sampler: Sampler) -> DraftModelProposer:
        proposer = self._new_draft_proposer(draft, conversation, sampler)
        proposer.sequence.steps = self._draft_steps
        proposer.sequence.known_ids = draft.rows
        return proposer

    def _new_draft_proposer(
        self, draft: LoadedModel, conversation: Conversation, sampler: Sampler
    ) -> DraftModelProposer:
        main, limit, translation = conversation.main, draft.info.context_length, self._translation
        rejection = self._settings.acceptance == "rejection"
        if translation is None:
            sequence = continue_on(conversation.draft, draft, main.tokens)
            return DraftModelProposer(sequence, sampler, limit, keep_distributions=rejection)
        if translation.token_map.main_share >= ENOUGH_SHARED:
            sequence = continue_on(conversation.draft, draft, translation.spelled(main.tokens))
            return SharedTokensProposer(sequence, sampler, limit, main, translation, keep_distributions=rejection)
        text = translation.follow((), translation.runs(main.tokens))
        sequence = continue_on(conversation.draft, draft, text.fresh)
        return RewrittenTextProposer(sequence, sampler, limit, main, translation, text.pending)

    def _take_prepared(self, draft: LoadedModel | None) -> None:
        if draft is not None and (self._prepared is None or self._prepared[0] is not draft):
            at_once(self.prepare_for(draft))
        prepared, self._prepared = self._prepared, None
        self._translation = self._draft_steps = None
        if draft is not None and prepared is not None:
            _, self._translation, self._draft_steps = prepared

    def _translation_for(self, draft: LoadedModel) -> Translation | None:
        """What lies between the two tokenizers; None where their ids are the same."""
        relation = compare(vocabulary_of(self._main.tokenizer), vocabulary_of(draft.tokenizer))
        return None if relation.kind == "same" else Translation(self._main.tokenizer, draft.tokenizer)


def _identity(model: LoadedModel) -> str:
    """Another quantisation of a model under the same name has another size."""
    return f"{model.info.name}, {model.info.bytes} bytes"


def _why(problem: EngineError) -> str:
    return problem.reason if isinstance(problem, ModelNotUsable) else problem.code
