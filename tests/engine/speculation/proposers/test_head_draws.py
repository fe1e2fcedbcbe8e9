"""Draws from a head's logits, in every form of these: with the main model's noise, or from their own distributions."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import mlx.core as mx
import pytest

from engine.heads.head import Draw, HeadProposal
from engine.main_model.sampling import DRAFT, Sampler
from engine.requests import SamplingSettings
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.proposers.head import HeadProposer
from engine.speculation.rounds.sequence import CachedSequence

VOCABULARY, KNOWN, DEPTH = 50, 12, 4
HISTORY = [3, 1, 4, 1, 5, 9]


@dataclass(frozen=True)
class Form:
    """The form of logits: columns for a part of the vocabulary, a different part in each row, drawn row by row."""

    reduced: bool = False
    by_row: bool = False
    in_turn: bool = False

    @property
    def ids(self) -> list[list[int]]:
        if not self.reduced:
            return [list(range(VOCABULARY))] * DEPTH
        return [
            [(4 * column + 7 * row * self.by_row + 2) % VOCABULARY for column in range(KNOWN)] for row in range(DEPTH)
        ]


FORMS = {
    "DFlash": Form(),
    "speculators' DFlash": Form(reduced=True),
    "MTP": Form(in_turn=True),
    "EAGLE-3": Form(reduced=True, in_turn=True),
    "DFlash2, DSpark and Gemma 4's assistant": Form(reduced=True, by_row=True, in_turn=True),
}


class GivenHead:
    """Proposes by given logits."""

    kind, max_proposals = "given", DEPTH

    def __init__(self, form: Form) -> None:
        self.form = form
        columns = len(form.ids[0])
        self.scores = 2.0 * mx.random.normal((DEPTH, columns), key=mx.random.key(5))

    def propose(self, anchor: int, count: int, draw: Draw) -> HeadProposal:
        del anchor
        ids = mx.array(self.form.ids) if self.form.reduced else None
        pieces = [slice(row, row + 1) for row in range(count)] if self.form.in_turn else [slice(0, count)]
        tokens = [draw(rows.start, self.scores[rows], None if ids is None else ids[rows]) for rows in pieces]
        return HeadProposal(mx.concatenate(tokens), self.scores[:count], None if ids is None else ids[:count])


def proposer(form: Form, sampler: Sampler, *, rejection: bool) -> HeadProposer:
    head = GivenHead(form)
    session = SimpleNamespace(head=head, propose=head.propose, read_some=lambda: 0)
    main = SimpleNamespace(tokens=HISTORY)
    return HeadProposer(cast(HeadSession, session), cast(CachedSequence, main), sampler, keep_distributions=rejection)


def sampler_of(seed: int) -> Sampler:
    return Sampler(SamplingSettings(temperature=0.7, seed=seed), VOCABULARY)


def expected_chances(form: Form, scores: mx.array, row: int) -> list[float]:
    chances = [0.0] * VOCABULARY
    for token, chance in zip(form.ids[row], mx.softmax(scores[row] / 0.7).tolist(), strict=True):  # type: ignore[arg-type]
        chances[token] = chance
    return chances


@pytest.mark.parametrize("name", FORMS)
def test_distributions_for_rejection_span_the_whole_vocabulary(name: str) -> None:
    form, sampler = FORMS[name], sampler_of(3)
    drawing = proposer(form, sampler, rejection=True)
    scores = cast(GivenHead, drawing.session.head).scores
    proposal = drawing.propose(DEPTH)
    assert proposal.distributions is not None
    assert proposal.distributions.shape == (DEPTH, VOCABULARY)
    noise = sampler_of(3).noise(len(HISTORY), DEPTH, DRAFT)
    assert noise is not None
    for row in range(DEPTH):
        chances = expected_chances(form, scores, row)
        assert proposal.distributions[row].tolist() == pytest.approx(chances, abs=1e-5)
        # The token is drawn from these alone, with noise of its own.
        known = mx.array(form.ids[row])
        best = mx.argmax(mx.log(mx.array(chances))[known] + noise[row, known])
        assert proposal.tokens[row].item() == known[best].item()
