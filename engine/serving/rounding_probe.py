"""The rounding probe: which widths of a pass give a row the same bits on this machine.

A text is read plainly, token by token, and in passes of several widths, after a short and after a long context:
kernels change with the rows of a pass, and attention also with the number of keys. The probe runs while the engine is
idle, or before the first request that asks for the same text.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence as Tokens

import mlx.core as mx

from engine.files.steps import Steps
from engine.main_model.loading import LoadedModel
from engine.main_model.sampling import fit
from engine.requests import MAX_DEPTH
from engine.serving.calibration import sample_prompt
from engine.speculation.rounds.cache_rules import flatten
from engine.speculation.rounds.row_rule import RowRule
from engine.speculation.rounds.sequence import Sequence
from engine.tuning import Rounding

log = logging.getLogger(__name__)

# MLX's kernels change within these: at 2 rows, at 6 to 33 by the size of a matrix, and for attention at 9.
WIDTHS = (2, 3, 4, 5, 6, 8, 12, 16, MAX_DEPTH + 1)
# The tokens of a short and of a long context: beyond 1,024 keys, attention takes two passes. The tokens after each that
# are also read plainly: those of the widest pass, and of a few.
SHORT, LONG = 64, 1100
SHORT_ROWS, LONG_ROWS = MAX_DEPTH + 1, 6
# Tokens of a prefill pass: a request that comes meanwhile waits for it.
CHUNK = 128


def probe_rounding(main: LoadedModel) -> Steps[Rounding]:
    """Return how this machine rounds the rows of `main`; one pass a step."""
    text = sample_prompt(main, lambda: False)
    yield None
    alone, paired, changes = set(WIDTHS), set(WIDTHS), []
    for context, plain_rows in ((SHORT, SHORT_ROWS), (LONG, LONG_ROWS)):
        sequence = Sequence(main.model, main.new_caches())
        if sequence.plain_only is not None:
            return Rounding(plain_rows=1, most_rows=1, difference=0.0)
        # A sliding window is rounded differently once it is full.
        windows = [getattr(cache, "max_size", 0) for cache in flatten(sequence.caches)] if context == LONG else []
        length = max(1, min(max([context, *windows]), main.info.context_length - WIDTHS[-1]))
        tokens = (text * (1 + (length + WIDTHS[-1]) // len(text)))[: length + WIDTHS[-1]]
        sequence.append(tokens[:length])
        while sequence.prefill(CHUNK):
            yield None
        wide = {}
        for width in WIDTHS:
            wide[width] = _scores(sequence.verify(tokens[length : length + width - 1]), main)
            sequence.abort()
            yield None
        twin = None if sequence.carries else sequence.fork()
        plain = yield from _plain_rows(sequence, main, tokens[length:], plain_rows)
        alone &= {width for width in WIDTHS if _alike(wide[width], plain)}
        changes += [change for width in WIDTHS for change in _changes(wide[width], plain)]
        if twin is not None and 2 not in alone:
            twin.row_rule = RowRule(plain=2)
            pairs = yield from _plain_rows(twin, main, tokens[length:], plain_rows)
            paired &= {width for width in WIDTHS if _alike(wide[width], pairs)}
        else:
            # The second row of a plain round could not be dropped, or is not needed.
            paired = set()
    found = _rounding(alone, paired, changes)
    log.info("%s: passes of %d to %d rows are alike", main.info.name, found.plain_rows, found.most_rows)
    return found


def _plain_rows(sequence: Sequence, main: LoadedModel, tokens: Tokens[int], rows: int) -> Steps[mx.array]:
    """Return the scores (rows, vocabulary) of plain rounds that commit `tokens`, one a step."""
    found = []
    for token in tokens[:rows]:
        found.append(_scores(sequence.verify(), main))
        mx.eval(sequence.arrays())
        sequence.commit(0, [token])
        yield None
    return mx.concatenate(found)


def _scores(logits: mx.array, main: LoadedModel) -> mx.array:
    scores = fit(logits, main.vocabulary)
    mx.eval(scores)
    return scores


def _alike(wide: mx.array, plain: mx.array) -> bool:
    rows = min(len(wide), len(plain))
    return bool(mx.array_equal(wide[:rows], plain[:rows]).item())


def _changes(wide: mx.array, plain: mx.array) -> list[float]:
    """Return how much the lead of the best token over the second best changes in each row; [] if all bits are alike."""
    if _alike(wide, plain):
        return []
    rows = min(len(wide), len(plain))
    best = mx.argpartition(-plain[:rows], kth=1, axis=-1)[:, :2]
    pairs = [mx.take_along_axis(one[:rows], best, axis=-1).astype(mx.float32) for one in (wide, plain)]
    leads = [pair[:, 0] - pair[:, 1] for pair in pairs]
    found: list[float] = mx.abs(leads[0] - leads[1]).tolist()  # type: ignore[assignment]
    return found


def _rounding(alone: set[int], paired: set[int], changes: list[float]) -> Rounding:
    """Return the rule; `alone` are the widths that are like a row alone, `paired` those that are like a pass of two."""
    most_alone, most_paired = _most(alone, 1), _most(paired, 1)
    difference = sum(changes) / len(changes) if changes else 0.0
    if most_paired > most_alone:
        return Rounding(2, most_paired, difference)
    return Rounding(1, most_alone, difference)


def _most(alike: set[int], most: int) -> int:
    """Return the largest of WIDTHS before which all are `alike`, or `most`."""
    for width in WIDTHS:
        if width not in alike:
            break
        most = width
    return most
