"""Rounds over known texts with forced acceptance, whose logits and caches are compared with plain decoding."""

from __future__ import annotations

import random

import mlx.core as mx
import numpy as np

from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY
from tests.engine.speculation.plain_decoding import PREFILL_CHUNK, TOLERANCE, assert_same_logits, decode_plainly

# An 8-bit entry may round to its neighbour, which is one step of 255. That moves logits by up to 0.2%; a rejected row
# that stays moves them by 4% and more.
QUANTISED_TOLERANCE = 1e-2


def check_family(
    name: str, prompt: int, patterns: list[tuple[int, int]], seed: int, *, one_by_one: bool = False
) -> None:
    """Decode forced tokens plainly and in rounds of `patterns`: logits and caches must be the same."""
    tolerance = QUANTISED_TOLERANCE if name.endswith(":quantised") else TOLERANCE
    draw = random.Random(f"{name} {seed}")
    length = prompt + sum(accepted + 1 for _, accepted in patterns)
    tokens = [draw.randrange(VOCABULARY) for _ in range(length + max(k for k, _ in patterns))]
    expected, plain_caches = decode_plainly(name, tokens[:length], prompt)

    speculated = CachedSequence(build(name), fresh_caches(name))
    speculated.append(tokens[:prompt])
    feed_all_but_last(speculated)
    for k, accepted in patterns:
        start = len(speculated.tokens)
        wrong = [(token + draw.randrange(1, VOCABULARY)) % VOCABULARY for token in tokens[start + accepted : start + k]]
        drafted = mx.array(tokens[start : start + accepted] + wrong, mx.uint32)
        logits = draft_one_by_one(speculated, drafted) if one_by_one else speculated.verify(drafted if k else ())
        logits = np.array(logits)
        assert len(logits) == k + 1
        for row in range(accepted + 1):
            after = start + row
            assert_same_logits(logits[row], expected[after - prompt], f"{name} after {after} tokens", tolerance)
        if speculated.rollback.active:
            speculated.commit(accepted, tokens[start : start + accepted + 1])
        else:
            speculated.append(tokens[start : start + accepted + 1])
        mx.eval(speculated.arrays())
    feed_all_but_last(speculated)

    assert speculated.position == length - 1
    for layer, (cache, plain) in enumerate(zip(speculated.caches, plain_caches, strict=True)):
        assert largest_difference(cache, plain) <= tolerance, f"{name}: cache {layer} differs after {length} tokens"


def draft_one_by_one(speculated: CachedSequence, drafted: mx.array) -> mx.array:
    """Return logits (k + 1, V) like `verify`, from passes of one row each."""
    rows = [speculated.verify()]
    speculated.commit(0, [])
    if drafted.size:
        speculated.open_drafts(drafted.size)
    for index in range(drafted.size):
        mx.eval(rows[-1])
        rows.append(speculated.draft(drafted[index : index + 1]))
    return mx.concatenate(rows)


def feed_all_but_last(speculated: CachedSequence) -> None:
    while speculated.prefill(PREFILL_CHUNK):
        pass
