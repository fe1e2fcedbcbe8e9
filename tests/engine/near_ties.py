"""Near ties: the difference of plain scores at the first token in which two answers to one request differ.

Passes of different widths round their sums differently, so that either of two tokens with nearly the same score can be
drawn. A larger difference is no tie, but another text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.main_model.loading import LoadedModel
from engine.main_model.sampling import Sampler
from engine.requests import ChatRequest

# The largest difference of two scores that passes of different widths may reverse.
TIE = 1e-3


@dataclass(frozen=True)
class Parting:
    """The first token in which an answer differs from the plain one: `at` counts from 0.

    `gap` is the difference of the two tokens' plain scores: log-probabilities, divided by the temperature, if there is
    one, plus the noise of the position. It is infinite if one answer ends before the other.
    """

    at: int
    gap: float


def parting(main: LoadedModel, asked: ChatRequest, plain: Sequence[int], other: Sequence[int]) -> Parting | None:
    """Return where two answers to `asked` part; None if they are equal. Recomputes one row as plain decoding does."""
    if list(plain) == list(other):
        return None
    at = next((i for i, (a, b) in enumerate(zip(plain, other, strict=False)) if a != b), min(len(plain), len(other)))
    if at >= min(len(plain), len(other)):
        return Parting(at, float("inf"))
    prompt = main.prompt_ids(asked.messages)
    scores = plain_scores(main, asked, [*prompt, *plain[:at]])
    return Parting(at, abs(float(scores[plain[at]].item()) - float(scores[other[at]].item())))


def plain_scores(main: LoadedModel, asked: ChatRequest, tokens: Sequence[int]) -> mx.array:
    """Return the scores (vocabulary,) of the token after `tokens`; the last of these is read in its own pass."""
    caches = main.new_caches()
    main.model(mx.array([tokens[:-1]], mx.uint32), cache=caches)
    logits = main.model(mx.array([tokens[-1:]], mx.uint32), cache=caches)[0]
    sampler = Sampler(asked.sampling, main.vocabulary)
    logprobs = sampler.log_probabilities(sampler.scores(logits, tokens))[0]
    noise = sampler.noise(len(tokens), 1)
    return logprobs if noise is None else sampler.truncated(logprobs[None])[0] + noise[0]
