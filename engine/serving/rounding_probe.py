"""The rounding probe: which widths of a pass give a row the same bits on this machine.

A text is read plainly, token by token, and in passes of several widths, after a short and after a long context:
kernels change with the rows of a pass, and attention also with the number of keys. The probe runs while the engine is
idle, or before the first request that asks for the same text.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence as Tokens

import mlx.core as mx
from msgspec.structs import replace

from engine.files.steps import Steps
from engine.main_model.loading import LoadedModel
from engine.main_model.sampling import fit
from engine.requests import MAX_DEPTH
from engine.row_kernels.choice import compare_kernels
from engine.row_kernels.layers import use_row_kernels
from engine.serving.calibration import sample_prompt
from engine.speculation.rounds.cache_rules import flatten
from engine.speculation.rounds.row_rule import UNKNOWN, RowRule
from engine.speculation.rounds.sequence import Sequence
from engine.tuning import Rounding

log = logging.getLogger(__name__)

# MLX's kernels change within these: at 2 rows, at 6 to 33 by the size of a matrix, and for attention at 9.
WIDTHS = (2, 3, 4, 5, 6, 8, 12, 16, MAX_DEPTH + 1)
# The tokens of a short and of a long context: on the largest chips, attention takes two passes beyond 1,024 keys. Of
# its changes beyond the long context, from 4,096 keys on, nothing is found.
SHORT, LONG = 64, 1100
# Rounding to bfloat16 hides most differences of a sum. So many logits are compared in each context, but with a small
# vocabulary no more than so many rows.
LOGITS, MOST_ROWS = 1 << 20, 256
# Tokens of a prefill pass: a request that comes meanwhile waits for it.
CHUNK = 128


def probe_rounding(main: LoadedModel) -> Steps[Rounding]:
    """Return how this machine rounds the rows of `main`; one pass a step."""
    kernels = yield from compare_kernels(main.model)
    use_row_kernels(main.model, {cost.rows for cost in kernels if cost.used})
    text = sample_prompt(main, lambda: False)
    yield None
    rows = max(WIDTHS[-1], min(MOST_ROWS, LOGITS // main.vocabulary, main.info.context_length // 2))
    alone = set(WIDTHS) - {cost.rows for cost in kernels if not cost.alike}
    paired, changes, length = set(WIDTHS), list[float](), 0
    for context in (SHORT, LONG):
        sequence = Sequence(main.model, main.new_caches())
        if sequence.plain_only is not None:
            return Rounding(1, 1, difference=0.0, keys=0, kernels=kernels)
        windows = [getattr(cache, "max_size", 0) for cache in flatten(sequence.caches)]
        length = max(1, min(max([context, *(windows if context == LONG else ())]), main.info.context_length - rows))
        tokens = (text * (1 + (length + rows) // len(text)))[: length + rows]
        sequence.append(tokens[:length])
        while sequence.prefill(CHUNK):
            yield None
        plain = yield from _scores(sequence, main, tokens[length:])
        pairs = None
        if not sequence.carries:
            # Else the second row of a plain round could not be dropped.
            pairs = yield from _scores(sequence, main, tokens[length:], RowRule(plain=2))
        for width in WIDTHS:
            wide = yield from _scores(sequence, main, tokens[length:], width=width)
            if not _alike(wide, plain):
                alone.discard(width)
                changes += _changes(wide, plain)
            if pairs is None or not _alike(wide, pairs):
                paired.discard(width)
        if any(0 < window < main.info.context_length for window in windows):
            # A full window holds its keys in another order when one row alone is written than when several are: the
            # sums differ, however seldom that is seen.
            alone.clear()
    found = replace(_rounding(alone, paired, changes, length + rows), kernels=kernels)
    log.info(
        "%s: up to %d keys, passes of %d to %d rows are alike",
        main.info.name, found.keys, found.plain_rows, found.most_rows,
    )  # fmt: skip
    return found


def _scores(
    prefilled: Sequence, main: LoadedModel, tokens: Tokens[int], rule: RowRule = UNKNOWN, width: int = 1
) -> Steps[mx.array]:
    """Return the scores (rows, vocabulary) of rounds that commit `tokens`, `width` of them each, one a step.

    `prefilled` is left as it is. The last tokens are left out if `width` does not divide their number.
    """
    sequence = prefilled.fork()
    assert sequence is not None
    sequence.row_rule, found = rule, []
    for start in range(0, len(tokens) - width + 1, width):
        part = tokens[start : start + width]
        scores = fit(sequence.verify(part[:-1]), main.vocabulary)
        mx.eval(scores, sequence.arrays())
        sequence.commit(width - 1, part)
        found.append(scores)
        yield None
    return mx.concatenate(found)


def _alike(wide: mx.array, plain: mx.array) -> bool:
    return bool(mx.array_equal(wide, plain[: len(wide)]).item())


def _changes(wide: mx.array, plain: mx.array) -> list[float]:
    """Return how much the lead of the best token over the second best changes in each row."""
    rows = len(wide)
    best = mx.argpartition(-plain[:rows], kth=1, axis=-1)[:, :2]
    pairs = [mx.take_along_axis(one[:rows], best, axis=-1).astype(mx.float32) for one in (wide, plain)]
    leads = [pair[:, 0] - pair[:, 1] for pair in pairs]
    found: list[float] = mx.abs(leads[0] - leads[1]).tolist()  # type: ignore[assignment]
    return found


def _rounding(alone: set[int], paired: set[int], changes: list[float], keys: int) -> Rounding:
    """Return the rule; `alone` are the widths that are like a row alone, `paired` those that are like a pass of two."""
    most_alone, most_paired = _most(alone, 1), _most(paired, 1)
    difference = sum(changes) / len(changes) if changes else 0.0
    if most_paired > most_alone:
        return Rounding(2, most_paired, difference, keys)
    return Rounding(1, most_alone, difference, keys)


def _most(alike: set[int], most: int) -> int:
    """Return the largest of WIDTHS before which all are `alike`, or `most`."""
    for width in WIDTHS:
        if width not in alike:
            break
        most = width
    return most
