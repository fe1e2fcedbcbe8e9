"""What is in use when the arm that was is not on offer any more."""

from __future__ import annotations

import random

import pytest

from engine.speculation.depth import DepthController, MeasuredRound
from engine.speculation.exploring import Explorer


def barely_paying() -> DepthController:
    """Calibrated; the draft model brings a hundredth or so over plain decoding, lookup four tokens a round."""
    controller = DepthController()
    controller.begin(0)
    controller.measured(None, 0, 1, 0.02, 0.0)
    for source, drafting in (("draft", 0.004), ("ngram", 0.0)):
        for depth in (1, 4):
            controller.measured(source, depth, depth + 1, 0.02 + 0.003 * depth, drafting * depth)
    for _ in range(60):
        controller.observe(MeasuredRound("ngram", 4, 5, 4, 0.032, None))
    draw = random.Random(1)
    for _ in range(16):
        for accepted in draw.sample([1] * 9 + [0] * 16, 25):
            controller.observe(MeasuredRound("draft", 1, 2, accepted, 0.027, None))
    return controller


def test_the_end_of_what_lookup_found_does_not_put_a_drafter_to_use_that_barely_pays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Explorer, "choose", lambda *_, **__: None)
    controller = barely_paying()
    controller.begin(0)
    [speed, *_] = controller.expected_tps("draft", 1)
    assert 1.0 < speed * 0.02 < 1.02
    assert controller.choose({"draft": 1, "ngram": 4}).source == "ngram"
    controller.observe(MeasuredRound("ngram", 4, 5, 4, 0.032, None))
    assert controller.choose({"draft": 1}).source is None


def test_a_smaller_limit_is_another_depth_of_the_same_drafter() -> None:
    controller = barely_paying()
    controller.begin(0)
    assert controller.choose({"ngram": 4}).depth == 4
    assert controller.choose({"ngram": 1}).source == "ngram"
