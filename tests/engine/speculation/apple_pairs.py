"""Pairs on Apple's GPUs that no controller was tuned on: published costs of passes, and prompts that are met once.

Judge a controller by their mean and their worst, never by a single one. A pass of several rows costs as much, relative
to one row, as the matrix products that it consists of (mlx#3839, mlx#3852, mlx#4265). Texts differ from those of
`pairs` on purpose: some answers are easier than others as a whole, and most repeat a little of the conversation.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import exp, log

from engine.requests import MAX_DEPTH, MAX_DRAFTED
from tests.engine.speculation.pairs import ANSWERS, BLOCK, around, block, chain, cut, gpu, proposals
from tests.engine.speculation.played import Answer, Machine, Pair

# By rows of a pass, in passes of one row.
Curve = Mapping[int, float]

# The products of a layer of an 8B model, by the shape of the weights.
LAYER_8B: dict[tuple[int, int], Curve] = {
    (4096, 6144): {2: 1.25, 3: 1.48, 4: 1.14, 6: 1.47, 8: 1.73},
    (4096, 4096): {2: 1.20, 3: 1.35, 4: 1.57, 6: 1.99, 8: 2.01},
    (4096, 24576): {2: 1.03, 3: 1.22, 4: 1.47, 6: 2.07, 8: 2.69},
    (12288, 4096): {2: 1.18, 3: 1.40, 4: 1.52, 6: 2.05, 8: 2.46},
}
M4_GROUPS_OF_128: Curve = {2: 0.99, 3: 1.13, 4: 1.43, 5: 1.75, 8: 2.84, 10: 4.5}
M4_2_BITS: Curve = {2: 1.30, 3: 1.82, 4: 2.34, 5: 2.86, 8: 4.53, 10: 7.3}
M3_ULTRA: Curve = {2: 1.83, 4: 3.26, 8: 6.12, 16: 6.32}
M3_ULTRA_BF16: Curve = {2: 1.99, 4: 1.99, 8: 2.00, 16: 2.00}

# From a yes with its reason to two pages; prompts from a line to a file.
ANSWER_TOKENS, PROMPT_TOKENS = (8, 400), (16, 800)
# The token limit of a request that sets none.
LIMIT = 1024
# The probability that a text repeats a passage at a token, and the mean length of passages: names and phrases in a
# chat, lines of edited code, paragraphs of a copied text.
PASSAGES = {"chat": (0.02, 4), "prose": (0.01, 4), "code": (0.05, 12), "copy": (0.5, 60), "odd": (0.0, 0)}
# The standard deviation of the logit of acceptance between answers, and as much again within: 0.75 is 0.60 to 0.86.
SPREAD = 0.7
# The tokens over which a text's difficulty drifts: at this distance the starter's recorded outcomes are independent.
DRIFT = 8
# Acceptance falls with the position: for an MTP head as published (omlx#3352: 0.74, 0.65, 0.61, 0.55), less for a head
# that was trained on its own tokens, least for one that was trained on blocks.
MTP_FADE, EAGLE_FADE, BLOCK_FADE = 0.9, 0.95, 0.97
# A head whose weights are ruined is right in 0.4 % (MTPLX#483).
RUINED = 0.004


def blended(curves: Mapping[tuple[int, int], Curve]) -> Curve:
    """Return the curve of products of these shapes in sequence; each counts in proportion to its weights' size."""
    size = sum(rows * columns for rows, columns in curves)
    counts = next(iter(curves.values()))
    return {count: sum(a * b * curve[count] for (a, b), curve in curves.items()) / size for count in counts}


def passes(curve: Curve) -> list[float]:
    """Return passes of 1 to MAX_DEPTH + 1 rows, interpolated and extrapolated linearly from the published ones.

    Between 17 and 33 rows they cost the same (mlx#3852).
    """
    points, found = [(1, 1.0), *curve.items()], []
    for rows in (min(rows, MAX_DRAFTED + 1) for rows in range(1, MAX_DEPTH + 2)):
        right = next((index for index in range(1, len(points)) if points[index][0] >= rows), len(points) - 1)
        (before, low), (after, high) = points[right - 1], points[right]
        found.append(low + (rows - before) * (high - low) / (after - before))
    return found


def answers(rate: float, seed: int, fade: float = 1.0) -> tuple[Answer, ...]:
    """Return answers to prompts that are all different, with the acceptance of each kind around `rate`."""
    draw, found, kinds = random.Random(seed), [], list(around(rate).items())
    for number in range(ANSWERS):
        kind, accepted = kinds[number % len(kinds)]
        length, size = (
            round(exp(draw.uniform(log(least), log(most)))) for least, most in (ANSWER_TOKENS, PROMPT_TOKENS)
        )
        prompt = tuple(draw.randrange(300, 30_000) for _ in range(size))
        text = _text(prompt, length, *PASSAGES[kind], draw)
        chances = _drifting(max(RUINED, accepted), length + MAX_DRAFTED + 1, draw)
        found.append(Answer(kind, prompt, text, proposals(chances, length, fade, draw), LIMIT))
    return tuple(found)


def _drifting(rate: float, length: int, draw: random.Random) -> list[float]:
    """Return the chance that each token is accepted, which drifts around the answer's own."""
    own, kept = log(rate / (1.0 - rate)) + draw.gauss(0.0, SPREAD), 1.0 - 1.0 / DRIFT
    now, chances = draw.gauss(0.0, SPREAD), []
    for _ in range(length):
        now = kept * now + draw.gauss(0.0, SPREAD * (1.0 - kept * kept) ** 0.5)
        chances.append(1.0 / (1.0 + exp(-own - now)))
    return chances


def _text(prompt: tuple[int, ...], length: int, share: float, passage: int, draw: random.Random) -> tuple[int, ...]:
    said = list(prompt)
    while len(said) < len(prompt) + length:
        if draw.random() < share:
            start = draw.randrange(len(said))
            said += said[start : start + draw.randrange(2, 2 * passage)]
        else:
            said.append(draw.randrange(300, 30_000))
    return tuple(said[len(prompt) :][:length])


def _draft_model(plain: float, curve: Curve, share: float) -> Machine:
    """Return a draft model at this share of a plain step a token, which reads ten tokens while it drafts one."""
    return _on(plain, curve, gpu(plain, 0.0, 0.0, chain(share)), reading=0.1 * share * plain)


def _head(plain: float, curve: Curve, first: float, each: float, limit: int) -> Machine:
    """Return a head of at most `limit` tokens, which reads the prompt with the main model."""
    return _on(plain, curve, cut(gpu(plain, 0.0, 0.0, block(first, each)), limit), reading=0.0)


def _on(plain: float, curve: Curve, machine: Machine, *, reading: float) -> Machine:
    return replace(machine, passes=[plain * cost for cost in passes(curve)], reading=reading)


@cache
def apple_pairs() -> tuple[Pair, ...]:
    """Return main models of 4B to 32B, whose plain steps follow from their bytes, with drafters; three are hopeless."""
    m4, m4_128, m4_2, m3, bf16 = blended(LAYER_8B), M4_GROUPS_OF_128, M4_2_BITS, M3_ULTRA, M3_ULTRA_BF16
    drafters = (
        ("M4 Pro, 8B and 0.6B", _draft_model(19.0, m4, 0.12), 0.75, 1.0),
        ("M4 Pro, 4B and 0.6B", _draft_model(10.0, m4, 0.25), 0.65, 1.0),
        ("M4 Pro, groups of 128, 14B and 0.6B", _draft_model(32.0, m4_128, 0.08), 0.8, 1.0),
        ("M4 Pro, 2 bits, 27B and 0.8B", _draft_model(35.0, m4_2, 0.07), 0.4, 1.0),
        ("M3 Ultra, 32B and 0.5B", _draft_model(28.0, m3, 0.06), 0.9, 1.0),
        ("M3 Ultra, bf16, 14B and 0.6B", _draft_model(37.0, bf16, 0.08), 0.8, 1.0),
        ("M4 Pro, 8B and a stranger", _draft_model(19.0, m4, 0.12), 0.05, 1.0),
        ("M4 Pro, 8B, EAGLE-3", _head(19.0, m4, 0.02, 0.06, 8), 0.7, EAGLE_FADE),
        ("M4 Pro, 8B, block", _head(19.0, m4, 0.2, 0.004, BLOCK), 0.85, BLOCK_FADE),
        ("M4 Pro, groups of 128, MTP", _head(32.0, m4_128, 0.02, 0.05, 4), 0.85, MTP_FADE),
        ("M4 Pro, 2 bits, MTP", _head(35.0, m4_2, 0.02, 0.05, 4), 0.75, MTP_FADE),
        ("M3 Ultra, 9B, MTP", _head(9.0, m3, 0.02, 0.05, 4), 0.85, MTP_FADE),
        ("M3 Ultra, 27B, block", _head(28.0, m3, 0.2, 0.004, BLOCK), 0.95, BLOCK_FADE),
        ("M3 Ultra, bf16, 8B, block", _head(21.0, bf16, 0.1, 0.004, BLOCK), 0.8, BLOCK_FADE),
        ("M4 Pro, head of another quantisation", _head(32.0, m4_128, 0.02, 0.05, 4), 0.1, MTP_FADE),
        ("M3 Ultra, bf16, ruined head", _head(21.0, bf16, 0.02, 0.06, 8), 0.0, EAGLE_FADE),
    )
    return tuple(
        Pair(name, machine, answers(rate, seed, fade), "draft" if fade == 1.0 else "head")
        for seed, (name, machine, rate, fade) in enumerate(drafters, 100)
    )
