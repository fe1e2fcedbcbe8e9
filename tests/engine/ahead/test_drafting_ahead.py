"""`DraftingAhead`: the outcomes that it sends, the answers that it takes, and when the drafter rests."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from engine.ahead import drafting_ahead as aheads
from engine.ahead.drafting_ahead import DraftingAhead
from engine.ahead.link import Asker
from engine.ahead.messages import TO_RUNNER, Begin, DraftReply, End, PreparedBranch, PreparedTree, RoundOutcome
from engine.ahead.rest import FIRST_PAUSE, MAX_BAD, MAX_MISSES
from engine.ahead.worth import Worth
from engine.main_model.sampling import Sampler
from engine.requests import MAX_DRAFTED, SamplingSettings

# What tests of this room do without.
OBSERVE = DraftingAhead.observe_round


@dataclass
class FakeLink:
    """A link that keeps sent messages, and answers outcomes with `tokens` unless it is `silent`."""

    tokens: tuple[int, ...] = (7, 8, 9)
    state: str = "ready"
    reason: str = ""
    host: str = ""
    detail: str = ""
    runner_number: int = 1
    silent: bool = False
    sent: list[Any] = field(default_factory=list)
    answers: deque[DraftReply | PreparedTree] = field(default_factory=deque)

    def send(self, message: Any) -> bool:
        self.sent.append(message)
        if isinstance(message, RoundOutcome) and not self.silent:
            position = message.position + len(message.tokens)
            self.answers.append(DraftReply(message.conversation, message.round, position, self.tokens))
        return True

    def begin(self, message: Begin, _asker: Asker) -> None:
        self.send(message)

    def receive(self, timeout_s: float) -> DraftReply | PreparedTree | None:
        del timeout_s
        return self.answers.popleft() if self.answers else None

    @property
    def outcomes(self) -> list[RoundOutcome]:
        return [message for message in self.sent if isinstance(message, RoundOutcome)]


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aheads, "HANDOVER_S", 0.001)
    monkeypatch.setattr(aheads, "FIRST_PATIENCE_S", 0.001)


def following(link: FakeLink, text: list[int]) -> DraftingAhead:
    sampler = Sampler(SamplingSettings(seed=3), 100)
    ahead = DraftingAhead(link, sampler, text, lambda tokens: 0.001 * tokens)  # type: ignore[arg-type]
    ahead.report_round(0)
    return ahead


def rounds(ahead: DraftingAhead, text: list[int], count: int, used: int = 0) -> None:
    for _ in range(count):
        ahead.prepared()
        text.append(4)
        ahead.report_round(used)


@pytest.mark.first
def test_the_drafter_hears_all_that_is_new_once() -> None:
    link, text = FakeLink(), [1, 2, 3]
    ahead = following(link, text)
    text += [4, 5]
    ahead.report_round(2)
    assert isinstance(link.sent[0], Begin)
    assert [(outcome.position, outcome.tokens) for outcome in link.outcomes] == [(0, (1, 2, 3)), (3, (4, 5))]
    assert ahead.prepared() == (7, 8, 9)
    # A new drafter gets the whole text.
    link.runner_number = 2
    text.append(6)
    ahead.report_round(0)
    assert link.outcomes[-1].tokens == (1, 2, 3, 4, 5, 6)


def test_each_outcome_says_how_often_drafts_are_accepted() -> None:
    link, text, rates = FakeLink(), [1, 2, 3], [0.9, 0.8, 0.7]
    sampler = Sampler(SamplingSettings(), 100)
    ahead = DraftingAhead(
        link,  # type: ignore[arg-type]
        sampler,
        text,
        lambda _tokens: 0.001,
        3,
        acceptance=lambda depth: rates[:depth],
    )
    ahead.report_round(0)
    rates[0] = 0.5
    rounds(ahead, text, 1)
    assert [outcome.acceptance for outcome in link.outcomes] == [(0.9, 0.8, 0.7), (0.5, 0.8, 0.7)]


def test_a_token_that_the_main_model_does_not_have_is_refused() -> None:
    ahead = following(FakeLink(tokens=(7, 100)), [1, 2, 3])
    assert ahead.prepared() == ()


def test_a_runner_whose_replies_are_bad_three_times_rests_for_the_answer() -> None:
    link, text = FakeLink(tokens=(7, 100)), [1, 2, 3]
    ahead = following(link, text)
    rounds(ahead, text, 8)
    assert (ahead.figures.bad, ahead.figures.state) == (MAX_BAD, "bad-replies")
    assert len(link.outcomes) == MAX_BAD
    # It is told once to rest.
    ends = [message for message in link.sent if isinstance(message, End)]
    assert ends == link.sent[-1:]


def test_a_runner_that_sends_for_ever_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    link, text = FakeLink(silent=True), [1, 2, 3]
    ahead = following(link, text)
    received: list[float] = []

    def stale(timeout_s: float) -> DraftReply:
        received.append(timeout_s)
        assert len(received) < 10**6
        return DraftReply(7, 1, 3)

    monkeypatch.setattr(link, "receive", stale)
    assert ahead.prepared() == ()
    assert ahead.figures.late == 1


def test_a_reply_behind_a_tree_is_not_late_if_both_came_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    link = FakeLink()
    ahead = following(link, [1, 2, 3])
    send_tree(link, position=0)
    link.answers.rotate()
    # The engine was busy past the time at which the reply was due.
    now[0] += 60.0
    assert ahead.prepared() == (7, 8, 9)
    assert ahead.figures.late == 0


@pytest.mark.parametrize("change", [{"round": 9}, {"position": 1}])
def test_a_reply_to_what_was_not_asked_is_bad(change: dict[str, int]) -> None:
    link, text = FakeLink(), [1, 2, 3]
    ahead = following(link, text)
    link.answers[-1] = replace(link.answers[-1], **change)
    assert ahead.prepared() == ()
    assert ahead.figures.bad == 1


def test_more_tokens_than_were_asked_for_are_no_reply() -> None:
    ahead = following(FakeLink(tokens=tuple(range(MAX_DRAFTED))), [1, 2, 3])
    assert ahead.prepared() == ()
    assert ahead.figures.bad == 1


def send_tree(link: FakeLink, *, position: int, **changed: Any) -> None:
    """Let a runner that answers no outcome send a tree: [8, 9] is drafted, or 6 and 7 after 5, or 10 after 11."""
    begin = link.sent[0]
    branches = (branch(0, 5, 6, 7), branch(0, 11, 10), branch(1, 4, 3), branch(2, 2))
    tree = PreparedTree(begin.conversation, position, (8, 9), branches)
    link.answers.append(replace(tree, **changed))


def branch(accepted: int, recovery: int, *drafted: int) -> PreparedBranch:
    return PreparedBranch(accepted, recovery, drafted)


@pytest.mark.parametrize(
    ("committed", "prepared"),
    [
        ([5], (6, 7)), ([11], (10,)), ([8, 4], (3,)), ([8], (9,)), ([8, 9, 1], ()), ([8, 5], ()), ([4], ()),
        ([7, 4], ()),
    ],
)  # fmt: skip
def test_what_was_sent_before_the_outcome_answers_it_at_once(committed: list[int], prepared: tuple[int, ...]) -> None:
    link, text = FakeLink(silent=True), [1, 2, 3]
    ahead = following(link, text)
    ahead.prepared()
    send_tree(link, position=3)
    text += committed
    ahead.report_round(0)
    late = ahead.figures.late
    assert ahead.prepared() == prepared
    assert ahead.figures.late == late
    assert (ahead.figures.hits, ahead.figures.misses) == ((1, 0) if prepared else (0, 1))


@pytest.mark.parametrize("committed", [[8, 9, 2], [5]])
def test_the_reply_is_waited_for_where_the_tree_is_not_grown_yet(committed: list[int]) -> None:
    link, text = FakeLink(silent=True), [1, 2, 3]
    ahead = following(link, text)
    ahead.prepared()
    send_tree(link, position=3, branches=(branch(0, 5), branch(1, 4), branch(2, 2)))
    text += committed
    link.silent = False
    ahead.report_round(0)
    assert ahead.prepared() == (7, 8, 9)


def test_a_tree_that_no_sound_runner_sends_is_bad() -> None:
    link, text = FakeLink(silent=True), [1, 2, 3]
    ahead = following(link, text)
    ahead.prepared()
    send_tree(link, position=3, branches=(branch(0, 100),))
    send_tree(link, position=3, branches=(branch(0, 5, 100),))
    send_tree(link, position=300)
    send_tree(link, position=3, conversation=1)
    text += [5]
    ahead.report_round(0)
    assert ahead.prepared() == ()
    assert ahead.figures.bad == 3


def test_what_was_hidden_is_what_drafting_here_would_have_taken() -> None:
    ahead = following(FakeLink(), [1, 2, 3])
    ahead.prepared()
    ahead.report_round(2)
    assert ahead.figures.as_stats()["ahead_hidden_s"] == 0.002


def test_the_depth_follows_what_is_used_within_what_a_round_can_have() -> None:
    text = [1, 2, 3]
    ahead = following(FakeLink(tokens=tuple(range(MAX_DRAFTED))), text)
    rounds(ahead, text, 2, used=MAX_DRAFTED)
    assert ahead.depth == MAX_DRAFTED


@pytest.mark.parametrize("silent", [True, False])
def test_a_drafter_that_is_always_late_or_never_used_rests_for_some_rounds(silent: bool) -> None:
    link, text = FakeLink(silent=silent), [1, 2, 3]
    ahead = following(link, text)
    rounds(ahead, text, MAX_MISSES)
    assert isinstance(link.sent[-1], End)
    asked = len(link.outcomes)
    rounds(ahead, text, FIRST_PAUSE - 1)
    assert (len(link.outcomes), ahead.prepared()) == (asked, ())
    assert ahead.figures.state == "resting-unused"
    rounds(ahead, text, 1)
    assert ahead.figures.state == "ready"
    assert len(link.outcomes) == asked + 1
    assert len(link.outcomes[-1].tokens) == FIRST_PAUSE + 1


def test_a_drafter_that_has_nothing_prepared_yet_goes_on() -> None:
    link, text = FakeLink(tokens=()), [1, 2, 3]
    ahead = following(link, text)
    rounds(ahead, text, 2 * MAX_MISSES)
    assert len(link.outcomes) == 2 * MAX_MISSES + 1
    assert (ahead.figures.hits, ahead.figures.misses, ahead.figures.late) == (0, 2 * MAX_MISSES, 0)


def test_settings_with_numbers_that_no_message_can_have_are_sent_without_them() -> None:
    bias = {-5: 1.0, 2**40: 2.0, 7: 3.0}
    settings = SamplingSettings(seed=3, temperature=0.5, top_k=2**50, penalty_window=2**40, logit_bias=bias)
    link = FakeLink()
    ahead = DraftingAhead(link, Sampler(settings, 100), [1, 2], lambda _tokens: None)  # type: ignore[arg-type]
    ahead.report_round(0)
    assert TO_RUNNER.take(bytearray(TO_RUNNER.frame(link.sent[0]))) == link.sent[0]
    assert dict(link.sent[0].sampling.logit_bias) == {7: 3.0}


@pytest.mark.parametrize("depth", [None, 4])
def test_a_runner_that_makes_rounds_longer_is_told_once_to_rest(depth: int | None) -> None:
    link, worth, text = FakeLink(), Worth(), [1, 2]
    sampler = Sampler(SamplingSettings(), 100)
    ahead = DraftingAhead(link, sampler, text, lambda _tokens: 0.001, depth, worth)  # type: ignore[arg-type]
    rounds(ahead, text, 2, used=2)
    worth.works = False
    rounds(ahead, text, 3, used=2)
    rests = [message for message in link.sent if isinstance(message, End)]
    # Where the person has chosen the depth, nothing is weighed.
    assert (len(link.outcomes), len(rests)) == ((2, 1) if depth is None else (5, 0))
    # Rounds with the runner have not been found to be longer: it rests for a trial.
    assert ahead.figures.state == "ready"
    worth.works = True
    rounds(ahead, text, 1)
    assert link.outcomes[-1].tokens == (4,) * (4 if depth is None else 1)


@pytest.mark.parametrize(("depth", "state"), [(None, "resting-slower"), (4, "ready")])
def test_a_runner_with_which_rounds_are_longer_rests_even_while_it_is_tried(depth: int | None, state: str) -> None:
    link, worth, text = FakeLink(), Worth(), [1, 2]
    ahead = DraftingAhead(link, Sampler(SamplingSettings(), 100), text, lambda _tokens: 0.001, depth, worth)  # type: ignore[arg-type]
    for _ in range(40):
        worth.observe(1.2 if worth.works else 1.0, 1.0)
    states = set()
    for _ in range(300):
        rounds(ahead, text, 1, used=2)
        states.add(ahead.figures.state)
        worth.observe(1.2 if worth.works else 1.0, 1.0)
    assert states == {state}
    # It was tried.
    assert link.outcomes
    for _ in range(300):
        worth.observe(0.8 if worth.works else 1.0, 1.0)
    rounds(ahead, text, 1, used=2)
    assert ahead.figures.state == "ready"


def test_rounds_at_a_fixed_depth_do_not_tell_whether_the_runner_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner works in all of them, so they cannot be compared with others."""
    monkeypatch.setattr(DraftingAhead, "observe_round", OBSERVE)
    link, worth, text = FakeLink(), Worth(), [1, 2]
    ahead = DraftingAhead(link, Sampler(SamplingSettings(), 100), text, lambda _tokens: 0.001, 4, worth)  # type: ignore[arg-type]
    for _ in range(40):
        worth.observe(1.2 if worth.works else 1.0, 1.0)
    for _ in range(300):
        rounds(ahead, text, 1, used=2)
        ahead.observe_round(1.2, 1.0)
    assert not worth.pays


def test_rounds_of_a_runner_that_pauses_say_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DraftingAhead, "observe_round", OBSERVE)
    link, worth, text = FakeLink(), Worth(), [1, 2]
    ahead = DraftingAhead(link, Sampler(SamplingSettings(), 100), text, lambda _tokens: 0.001, None, worth)  # type: ignore[arg-type]
    learned: list[float] = []
    monkeypatch.setattr(worth, "observe", lambda seconds, _tokens: learned.append(seconds))
    rounds(ahead, text, MAX_MISSES, used=0)
    ahead.observe_round(0.1, 2.0)
    assert learned == [0.1]
    rounds(ahead, text, 1, used=0)
    ahead.observe_round(0.2, 2.0)
    assert learned == [0.1]
