"""One controller for each pair, kept in a store between runs."""

from __future__ import annotations

from engine.speculation.controllers import Controllers
from engine.speculation.depth import DepthController, MeasuredRound
from engine.tuning import Pair

ALONE, PAIR = ("main, 9 bytes", ""), ("main, 9 bytes", "draft, 2 bytes")


class Store:
    """A `LearnedStore` in memory."""

    def __init__(self) -> None:
        self.kept: dict[Pair, DepthController] = {}

    def restore(self, controller: DepthController, main: str, draft: str = "") -> bool:
        if (main, draft) not in self.kept:
            return False
        controller.load(self.kept[main, draft].export())
        return True

    def keep(self, controller: DepthController, main: str, draft: str = "") -> None:
        self.kept[main, draft] = fresh = DepthController()
        fresh.load(controller.export())

    def pairs(self) -> dict[Pair, DepthController]:
        return dict(self.kept)

    def forget(self, pair: Pair | None) -> None:
        self.kept = {} if pair is None else {known: one for known, one in self.kept.items() if known != pair}


def learn(controllers: Controllers) -> None:
    for _ in range(6):
        controllers.current.observe(MeasuredRound(None, 0, 1, 0, 0.02))
    controllers.unsaved = True


def test_every_pair_has_a_controller_of_its_own() -> None:
    controllers = Controllers(ALONE)
    alone = controllers.current
    controllers.pair = PAIR
    assert controllers.current is not alone
    controllers.pair = ALONE
    assert controllers.current is alone


def test_what_was_learned_is_restored_by_the_next_run() -> None:
    store = Store()
    earlier = Controllers(PAIR, store)
    learn(earlier)
    earlier.keep()
    assert not earlier.unsaved
    assert Controllers(PAIR, store).current.figures() == earlier.current.figures()


def test_nothing_is_saved_that_was_not_learned() -> None:
    store = Store()
    Controllers(PAIR, store).keep()
    assert store.kept == {}


def test_a_new_pair_is_calibrated_once_if_there_is_a_store() -> None:
    assert not Controllers(PAIR).untuned
    controllers = Controllers(PAIR, Store())
    assert controllers.untuned
    controllers.mark_tried()
    assert not controllers.untuned


def test_a_calibration_that_can_go_on_is_repeated_until_it_is_complete() -> None:
    controllers = Controllers(PAIR, Store())
    controllers.mark_tried()
    learn(controllers)
    controllers.can_go_on()
    assert controllers.untuned
    controllers.current.calibrated = True
    assert not controllers.untuned


def test_the_next_run_does_not_calibrate_what_was_calibrated() -> None:
    store = Store()
    for calibrated in (False, True):
        earlier = Controllers(PAIR, store)
        learn(earlier)
        earlier.current.calibrated = calibrated
        earlier.keep()
        assert Controllers(PAIR, store).untuned is not calibrated


def test_learned_pairs_are_those_of_the_store_and_of_this_run() -> None:
    store = Store()
    earlier = Controllers(ALONE, store)
    learn(earlier)
    earlier.keep()
    without_store = Controllers(PAIR)
    learn(without_store)
    assert [(known.main, known.draft, known.loaded) for known in without_store.learned()] == [("main", "draft", True)]
    both = Controllers(PAIR, store)
    learn(both)
    assert [(known.pair, known.loaded) for known in both.learned()] == [(ALONE, False), (PAIR, True)]


def test_forgetting_a_pair_leaves_the_others() -> None:
    store = Store()
    controllers = Controllers(ALONE, store)
    for pair in (ALONE, PAIR):
        controllers.pair = pair
        learn(controllers)
        controllers.keep()
    controllers.forget(PAIR)
    assert set(store.kept) == {ALONE}
    assert not controllers.current.figures()
    controllers.forget(None)
    assert store.kept == {}
    assert controllers.learned() == ()
