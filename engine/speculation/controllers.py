"""The depth controllers of one main model, one for each draft model it had."""

from __future__ import annotations

from typing import Protocol

from engine.speculation.depth import DepthController
from engine.tuning import LearnedPair, Pair


class LearnedStore(Protocol):
    """Keeps what controllers learned between runs of the program."""

    def restore(self, controller: DepthController, main: str, draft: str = "") -> bool:
        """Load what was learned for this pair into `controller`; False when nothing usable is known."""
        ...

    def keep(self, controller: DepthController, main: str, draft: str = "") -> None:
        """Keep what `controller` learned for this pair."""
        ...

    def pairs(self) -> dict[Pair, DepthController]:
        """Everything that is kept, the latest last."""
        ...

    def forget(self, pair: Pair | None) -> None:
        """Drop what is kept of one pair, or of all."""
        ...


class Controllers:
    """One depth controller for each pair; `pair` selects the one in use.

    What they learn is kept in `store`, if given. `unsaved` is true if the one in use learned something since `keep`.
    """

    def __init__(self, pair: Pair, store: LearnedStore | None = None) -> None:
        self.pair = pair
        self.unsaved = False
        self._store = store
        self._by_pair: dict[Pair, DepthController] = {}
        self._tried: set[Pair] = set()

    @property
    def current(self) -> DepthController:
        """The controller of the pair in use, with what the store knows of it, or else of its main model's passes."""
        if self.pair not in self._by_pair:
            controller = DepthController()
            if self._store is None or not self._store.restore(controller, *self.pair):
                self._start_from_another(controller)
            self._by_pair[self.pair] = controller
        return self._by_pair[self.pair]

    def _start_from_another(self, controller: DepthController) -> None:
        """Let `controller` know what passes of the main model cost beside another drafter, the latest one."""
        kept = self._store.pairs() if self._store is not None else {}
        for (main, _), other in reversed([*kept.items(), *self._by_pair.items()]):
            if main == self.pair[0] and controller.start_from(other):
                return

    def use(self, controller: DepthController) -> None:
        """Let `controller` serve the pair in use."""
        self._by_pair[self.pair] = controller

    @property
    def untuned(self) -> bool:
        """Whether this pair should be calibrated: it never was to the end, and no try was in vain."""
        return self._store is not None and not self.current.calibrated and self.pair not in self._tried

    def mark_tried(self) -> None:
        """The pair in use is being calibrated; that is not repeated by itself, unless it `can_go_on`."""
        self._tried.add(self.pair)

    def can_go_on(self) -> None:
        """A calibration of the pair in use ended early, and what it lacks can be measured later."""
        self._tried.discard(self.pair)

    def keep(self) -> None:
        """Save what was learned since the last call, for the next run of the program."""
        if self._store is not None and self.unsaved:
            self._store.keep(self.current, *self.pair)
        self.unsaved = False

    def learned(self) -> tuple[LearnedPair, ...]:
        """What is known about this pair and, with a store, about all others; the latest last."""
        self.keep()
        known = self._store.pairs() if self._store is not None else {}
        for pair, controller in self._by_pair.items():
            if pair not in known and controller.figures():
                known[pair] = fresh = DepthController()
                fresh.load(controller.export())
        return tuple(learned_pair(pair, controller, loaded=pair == self.pair) for pair, controller in known.items())

    def forget(self, pair: Pair | None) -> None:
        """Forget what was learned about one pair, or about all."""
        for known in list(self._by_pair):
            if pair in (known, None):
                del self._by_pair[known]
        self.unsaved = False
        if self._store is not None:
            self._store.forget(pair)


def learned_pair(pair: Pair, controller: DepthController, *, loaded: bool = False) -> LearnedPair:
    """What `controller` knows about `pair`, as plain data."""
    main, draft = (identity.rpartition(", ")[0] for identity in pair)
    return LearnedPair(pair, main, draft, loaded, controller.figures(), controller.acceptance())
