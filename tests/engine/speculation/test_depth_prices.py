"""When a head's confidence is read, which keeps the device waiting: `Choice.prices` are there for that."""

from __future__ import annotations

from engine.speculation.depth import Choice, DepthController, MeasuredRound

DEPTH = 15


def chosen(*accepted: int, drafts_whole: bool = True, timed: bool = True) -> Choice:
    """The choice where so many draft tokens of each round were accepted in turn; `timed`: drafting of all depths."""
    controller = DepthController()
    controller.begin(100)
    controller.measured(None, 0, 1, 0.02, 0.0)
    for depth in range(1, DEPTH + timed):
        controller.measured("head", depth, 1 + depth, 0.02 + 0.006 * depth, 0.004)
    for _ in range(20):
        for right in accepted:
            controller.observe(MeasuredRound("head", DEPTH, 1 + DEPTH, right, 0.114))
    whole = {"head"} if drafts_whole else set()
    choice = controller.choose({"head": DEPTH}, whole=whole)
    assert choice.source == "head"
    return choice


def test_confidence_is_not_waited_for_where_hardly_a_token_is_rejected() -> None:
    choice = chosen(DEPTH)
    assert choice.depth == DEPTH
    assert choice.prices == ()


def test_confidence_is_read_where_many_rows_are_verified_in_vain() -> None:
    choice = chosen(0, DEPTH)
    assert len(choice.prices) == choice.depth + 1


def test_confidence_is_read_until_drafting_was_timed_at_that_depth() -> None:
    choice = chosen(DEPTH, timed=False)
    assert len(choice.prices) == choice.depth + 1


def test_a_draft_model_that_stops_by_itself_waits_for_nothing_anyway() -> None:
    assert len(chosen(DEPTH, drafts_whole=False).prices) == DEPTH + 1
