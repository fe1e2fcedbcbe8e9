"""`DraftingAhead`: the verdicts that it sends, the answers that it takes, and when the drafter rests."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.async_drafting import drafting_ahead as aheads
from engine.async_drafting.drafting_ahead import FIRST_REST, MOST_LATE, DraftingAhead
from engine.async_drafting.messages import BEHIND, HIT, JUST_IN_TIME, MISS, TO_DRAFTER, Answer, Begin, End, Verdict
from engine.main_model.sampling import Sampler
from engine.requests import MAX_DEPTH, SamplingSettings
from engine.speculation.proposers.ahead import AheadProposer, JustInTimeProposer
from tests.patience import PATIENCE_S


@dataclass
class FakeLink:
    """A link that keeps sent messages, and answers verdicts with `status` and `tokens`."""

    status: int = HIT
    tokens: tuple[int, ...] = (7, 8, 9)
    state: str = "ready"
    reason: str = ""
    generation: int = 1
    silent: bool = False
    # Whether answers take longer than no time.
    slow: bool = False
    sent: list[Any] = field(default_factory=list)
    answers: deque[Answer] = field(default_factory=deque)

    def send(self, message: Any) -> bool:
        self.sent.append(message)
        if isinstance(message, Verdict) and not self.silent:
            position = message.position + len(message.tokens)
            key = message.conversation, message.round, position
            tokens = self.tokens if self.status == HIT else ()
            self.answers.append(Answer(*key, self.status, tokens))
            if self.status == MISS:
                self.answers.append(Answer(*key, JUST_IN_TIME, self.tokens))
        return True

    def receive(self, timeout_s: float) -> Answer | None:
        return self.answers.popleft() if self.answers and not (self.slow and timeout_s == 0.0) else None

    @property
    def verdicts(self) -> list[Verdict]:
        return [message for message in self.sent if isinstance(message, Verdict)]


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aheads, "HANDOVER_S", 0.001)
    monkeypatch.setattr(aheads, "FIRST_PATIENCE_S", 0.001)


def ahead_of(link: FakeLink, text: list[int], depth: int | None = None) -> DraftingAhead:
    return DraftingAhead(link, Sampler(SamplingSettings(seed=3), 100), text, depth)  # type: ignore[arg-type]


def following(link: FakeLink, text: list[int], depth: int | None = None) -> DraftingAhead:
    ahead = ahead_of(link, text, depth)
    ahead.resume()
    return ahead


def test_the_drafter_hears_all_that_is_new_once() -> None:
    link, text = FakeLink(), [1, 2, 3]
    ahead = following(link, text)
    text += [4, 5]
    ahead.note(2)
    ahead.follow()
    assert isinstance(link.sent[0], Begin)
    assert [(verdict.position, verdict.tokens) for verdict in link.verdicts] == [(0, (1, 2, 3)), (3, (4, 5))]
    assert ahead.prepared() == (7, 8, 9)
    # A new drafter gets the whole text.
    link.generation = 2
    text.append(6)
    ahead.follow()
    assert link.verdicts[-1].tokens == (1, 2, 3, 4, 5, 6)


def test_a_token_that_the_main_model_does_not_have_is_refused() -> None:
    ahead = following(FakeLink(tokens=(7, 100)), [1, 2, 3])
    assert ahead.prepared() == ()


def test_the_depth_follows_what_is_used_within_what_a_round_can_have() -> None:
    link, text = FakeLink(tokens=tuple(range(MAX_DEPTH))), [1, 2, 3]
    ahead = following(link, text)
    for _ in range(2):
        ahead.prepared()
        ahead.note(MAX_DEPTH)
        text.append(4)
        ahead.follow()
    assert ahead.depth == MAX_DEPTH


def test_a_drafter_that_is_always_late_rests() -> None:
    link, text = FakeLink(silent=True), [1, 2, 3]
    ahead = following(link, text)
    waits = JustInTimeProposer(ahead)
    for _ in range(MOST_LATE):
        ahead.prepared()
        text.append(4)
        ahead.follow()
    assert waits.max_proposals() == 0
    assert isinstance(link.sent[-1], End)
    asked = len(link.verdicts)
    for _ in range(FIRST_REST):
        text.append(4)
        ahead.follow()
    # It is on offer again, but gets no verdict before it is chosen.
    assert waits.max_proposals() == ahead.depth
    assert len(link.verdicts) == asked


def test_a_drafter_that_is_resumed_where_it_paused_drafts_too() -> None:
    link = FakeLink(status=MISS)
    ahead = following(link, [1, 2, 3])
    ahead.pause()
    assert ahead.resume()
    assert (link.verdicts[-1].position, link.verdicts[-1].tokens) == (2, (3,))


def test_settings_with_numbers_that_no_message_can_have_are_sent_without_them() -> None:
    bias = {-5: 1.0, 2**40: 2.0, 7: 3.0}
    settings = SamplingSettings(seed=3, temperature=0.5, top_k=2**50, penalty_window=2**40, logit_bias=bias)
    link = FakeLink()
    DraftingAhead(link, Sampler(settings, 100), [1, 2]).resume()  # type: ignore[arg-type]
    assert TO_DRAFTER.take(bytearray(TO_DRAFTER.frame(link.sent[0]))) == link.sent[0]
    assert dict(link.sent[0].sampling.logit_bias) == {7: 3.0}


def test_a_drafter_that_has_to_read_first_is_neither_waited_for_nor_given_up() -> None:
    text = [1, 2, 3]
    for link in (FakeLink(silent=True), FakeLink(status=BEHIND)):
        ahead = ahead_of(link, text)
        assert not ahead.resume()
        assert JustInTimeProposer(ahead).max_proposals() == AheadProposer(ahead).max_proposals() == 0
    for _ in range(2 * MOST_LATE):
        text.append(4)
        ahead.follow()
        assert ahead.prepared() == ()
        assert not ahead.missed()
    assert ahead.wanted
    assert (ahead.figures.hits, ahead.figures.misses, ahead.figures.late) == (0, 0, 0)


def test_a_round_waits_to_learn_of_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
    ahead = following(FakeLink(status=MISS, slow=True), [1, 2, 3])
    ahead.follow()
    assert JustInTimeProposer(ahead).max_proposals() == ahead.depth
