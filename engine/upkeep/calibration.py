"""Calibration: decodes a sample text at every depth while the engine is idle, to measure the cost of rounds.

Without it the first answers of a pair would have to explore, and a short answer ends before exploring pays off.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

from engine.decoders.generation import Generation
from engine.decoders.prepared import prepare
from engine.decoders.speculative_decoder import SpeculativeDecoder
from engine.errors import EngineError
from engine.main_model.loaded_model import LoadedModel
from engine.methods import DRAFTER_METHOD
from engine.prefix.cache import PrefixCache
from engine.requests import MAX_DEPTH, ChatRequest, SpeculationSettings
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import DEPTHS
from engine.speculation.choosing.speedup import RUN
from engine.speculation.drafting import Drafting
from engine.speculation.proposers.ngram import NgramProposer
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import PREFILL_CHUNK, CachedSequence
from engine.speculation.rounds.tap_choice import TEXT

log = logging.getLogger(__name__)


class RepeatingProposer(Proposer):
    """Proposes the last token repeatedly, which costs nothing, so that a round takes the time of its verify pass."""

    source = NgramProposer.source

    def __init__(self, sequence: CachedSequence) -> None:
        self._sequence = sequence

    def max_proposals(self) -> int:
        return MAX_DEPTH

    def propose(self, depth: int) -> Proposal:
        return Proposal([self._sequence.tokens[-1]] * depth, self.source, depth)


def calibrate(drafting: Drafting, main: LoadedModel, stop: Callable[[], bool], seconds: float | None = None) -> bool:
    """Measure the round costs of the pair of `drafting`, and return whether all of them are measured.

    It ends early once `stop()` is true, or after `seconds`, if given. Then costs that are known already, from answers
    too, are not measured again. If the drafter fails, the measurements before that are kept.
    """
    started = time.perf_counter()

    def late() -> bool:
        return seconds is not None and time.perf_counter() - started > seconds

    controllers = drafting.controllers
    controller = drafting.controller
    controllers.tried.add(controllers.pair)
    trial = Trial(drafting, main, lambda: stop() or late())
    measured = trial.measure(again=seconds is None)
    complete = not (trial.failed or stop() or late())
    controller.take_costs(trial.controller)
    controller.learned.calibrated |= complete
    controllers.unsaved = True
    if not (complete or trial.failed) and (measured or not late()):
        # It can continue later.
        controllers.tried.discard(controllers.pair)
    controllers.keep()
    log.info("calibrated in %.1f s%s", time.perf_counter() - started, "" if complete else ", but not to the end")
    return complete


class Trial:
    """An answer of `main` to a sample text, which `stop()` ends, with the drafter of `drafting`, if it has one.

    It has its own `controller`, because acceptance on this text says nothing about other texts. `failed` is true if its
    drafter failed.
    """

    def __init__(self, drafting: Drafting, main: LoadedModel, stop: Callable[[], bool]) -> None:
        self.controller = Controller(deepcopy(drafting.controller.learned))
        self._drafter = drafting.drafter
        self._is_stopped = stop
        self.failed = False
        self._source = NgramProposer.source if self._drafter is None else self._drafter.source
        self._drafting = Drafting(main)
        self._drafting.timing.timed_every = 2
        self._drafting.on_stall = drafting.on_stall
        self._drafting.set_draft(self._drafter)
        self._drafting.controllers.use(self.controller)
        method = self._source if self._drafter is None else DRAFTER_METHOD
        speculation = SpeculationSettings(method, depth=0, sample_share=0.0)
        request = ChatRequest(prompt=sample_prompt(main, stop), speculation=speculation, max_tokens=None)
        # Without end tokens the answer never ends, which does not change the cost of rounds.
        endless = replace(main, end_tokens=frozenset())
        self._generation = Generation(prepare(request, endless), PrefixCache(0), time.perf_counter())
        self._decoder = SpeculativeDecoder(self._generation, self._drafting)

    def measure(self, *, again: bool) -> int:
        """Measure every depth, known ones only if `again`; return how many were measured."""
        conversation = self._generation.conversation
        measured = 0
        self._drafting.attach(self._generation.speculation, conversation)
        while not self._is_stopped() and conversation.main.prefill(PREFILL_CHUNK):
            pass
        try:
            self._play(1)
            proposes = bool(self._proposers)
            # Plain rounds first, because all other rounds are compared with them.
            self._play(2 * RUN)
            # The deepest first: if this is interrupted, the costs of other depths can be interpolated.
            for depth in sorted({*DEPTHS, min(self._most, DEPTHS[-1])} - {0}, reverse=True):
                draft = (self._source, depth) if depth <= self._most else None
                if again or not self.controller.costs.is_measured(depth + 1, draft):
                    if not (self._proposers and self._measure(depth)):
                        break
                    measured += 1
        finally:
            self._decoder.close()
        dropped = conversation.draft is None and conversation.head is None
        self.failed = proposes and self._drafter is not None and dropped
        return measured

    @property
    def _most(self) -> int:
        """The most draft tokens of the drafter; deeper rounds repeat a token, as lookup proposes without a cost."""
        return 0 if self._drafter is None else self._drafter.max_proposals

    @property
    def _proposers(self) -> dict[str, Proposer]:
        return {} if self._drafting.alone is None else self._drafting.alone.by_source

    def _measure(self, depth: int) -> bool:
        """Run RUN plain rounds between as many of `depth` draft tokens; return False if they were interrupted."""
        self._generation.speculation = replace(self._generation.speculation, depth=depth)
        # With other settings, new proposers are made.
        self._play(1)
        if depth > self._most and (proposers := self._proposers):
            proposers.clear()
            proposers[NgramProposer.source] = RepeatingProposer(self._generation.conversation.main)
        # Rounds before and after the plain ones tell how much the load has changed meanwhile.
        self._play(RUN - 1)
        self.controller.speedup.take_sample()
        return self._play(2 * RUN)

    def _play(self, rounds: int) -> bool:
        while rounds and not self._decoder.done and not self._is_stopped():
            if self._decoder.step() is not None:
                rounds -= 1
        return rounds == 0


def sample_prompt(main: LoadedModel, stop: Callable[[], bool]) -> list[int]:
    """Return a prompt of at most a quarter of the context; the question is about speculative decoding."""
    try:
        tokens = main.prompt_ids([{"role": "user", "content": TEXT}], stop)
    except EngineError:
        # The cost of rounds hardly depends on the text, but one token over and over would hide how rows are rounded.
        tokens = random.Random(0).choices(range(main.rows or main.vocabulary), k=PREFILL_CHUNK)
    # The rounds need the rest of the context.
    return tokens[-max(1, main.info.context_length // 4) :]
