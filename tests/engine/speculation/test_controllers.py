"""One controller for each pair, kept in a store between runs."""

from __future__ import annotations

import pytest

from engine.speculation.controllers import Controllers
from engine.speculation.depth import DepthController, MeasuredRound
from engine.tuning import Pair

ALONE, PAIR = ("main, 9 bytes", ""), ("main, 9 bytes", "draft, 2 bytes")
OTHER = ("main, 9 bytes", "head, 1 bytes")


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


def known_passes(controllers: Controllers) -> DepthController:
    """The controller in use, which learned that passes of 5 rows take 30 ms beside plain ones of 20."""
    controller = controllers.current
    controller.measured(None, 0, 1, 0.02, 0.0)
    controller.measured("draft", 4, 5, 0.03, 0.01)
    controllers.unsaved = True
    return controller


@pytest.mark.parametrize("restarted", [False, True])
def test_a_new_drafter_starts_from_what_passes_of_the_main_model_cost_beside_another(restarted: bool) -> None:
    store = Store()
    controllers = Controllers(PAIR, store)
    known_passes(controllers)
    controllers.keep()
    if restarted:
        controllers = Controllers(PAIR, store)
    controllers.pair = OTHER
    costs = controllers.current.costs
    assert costs.plain() == pytest.approx(0.02)
    assert costs.widest() == 5
    assert controllers.current.choose({"draft": 4}).reason != "measuring"
    # What the other drafter took says nothing about this one, and after a restart the machine may be slower.
    assert costs.drafting("draft", 4) == 0.0
    assert costs.anchored is not restarted


def test_another_main_models_passes_say_nothing() -> None:
    controllers = Controllers(PAIR)
    known_passes(controllers)
    controllers.pair = ("other, 9 bytes", "draft, 2 bytes")
    assert controllers.current.costs.plain() is None


def test_what_only_another_pair_measured_is_not_shown_as_learned() -> None:
    controllers = Controllers(PAIR, Store())
    known_passes(controllers)
    controllers.keep()
    controllers.pair = OTHER
    assert controllers.current.figures() == ()
    assert [known.pair for known in controllers.learned()] == [PAIR]
    learn(controllers)
    assert {known.pair for known in controllers.learned()} == {PAIR, OTHER}


def test_a_pair_that_was_learned_keeps_its_own_figures() -> None:
    store = Store()
    controllers = Controllers(OTHER, store)
    learn(controllers)
    controllers.pair = PAIR
    known_passes(controllers)
    controllers.pair = OTHER
    assert controllers.current.costs.widest() == 1
