"""The rounding probe: which widths of a pass give a row the same bits on this machine.

A text is read plainly, token by token, and in passes of several widths, because kernels change with the rows of a pass.
How attention changes with the number of keys is probed directly (`engine.row_kernels.attention_probe`); where its
shapes are not known, a longer text is read too, and nothing is found beyond it.

Of an 8B model in 4 bits, some 700 passes over 2,600 rows in all are read and 26,000 products are compared: estimated at
11 s on a Max chip and 3 minutes on an M1. So the probe runs while the engine is idle, and waits for a power adapter or
five idle minutes (`engine.machine.process_info.seconds_before_measuring`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import mlx.core as mx

from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import fit
from engine.requests import MAX_DEPTH
from engine.row_kernels import attention_probe
from engine.row_kernels.attention_probe import attention_shapes, passes_of
from engine.row_kernels.choice import choose_kernels
from engine.row_kernels.row_kernel import widest_alike
from engine.speculation.caches.cache_rules import flatten
from engine.speculation.choosing.kept import Controllers
from engine.speculation.choosing.race_journal import RaceJournal
from engine.speculation.rounds.sequence import CachedSequence
from engine.tuning import KeyRange, Rounding
from engine.upkeep.calibration import sample_prompt

log = logging.getLogger(__name__)

# MLX's kernels change within these: at 2 rows, at 6 to 33 by the size of a matrix, and for attention at 9.
PASS_ROWS = (2, 3, 4, 5, 6, 8, 12, 16, 17, 25, MAX_DEPTH + 1)
# The tokens of a short context.
SHORT_CONTEXT = 64
# The tokens of a long context if the shapes of attention are unknown.
LONG_CONTEXT = 1100
# A pass is compared over this many rows, because rounding to bfloat16 hides most differences of a sum, in all logits of
# some rows if the model is small. Large matrices need fewer rows, because each row already has many sums.
FEWEST_ROWS = 256
MOST_ROWS = 1024
BYTES = 1 << 38
# This many logits of a row are compared: a few in a thousand differ if any do.
LOGITS = 1 << 13
# Tokens of a prefill pass: a request that comes meanwhile waits for it.
CHUNK = 128


def probe_and_keep(main: LoadedModel, free: int, controllers: Controllers) -> Steps[None]:
    """Probe the main model in use, as `probe_rounding` does, and keep the result in `controllers`.

    It is kept only until the next start if it was measured without one of our kernels that will be tried again then.
    """
    try:
        controllers.rounding = yield from probe_rounding(main, free, controllers.races)
        if not controllers.races.tries_again:
            controllers.keep_rounding()
    except Exception:
        log.exception("how the rows of %s are rounded could not be probed", main.info.name)
        # Until the next start, only plain rounds count as exact.
        controllers.rounding = Rounding((KeyRange(1, 1),), problems=controllers.races.problems)


def probe_rounding(main: LoadedModel, free: int, races: RaceJournal | None = None) -> Steps[Rounding]:
    """Return how this machine rounds the rows of `main`, with `free` bytes of memory; one pass a step.

    `races` is as in `choose_kernels`.
    """
    races = races or RaceJournal()
    kernels = yield from choose_kernels(main, free, races)
    # A pass cannot be rounded alike if its products are not, even if some of its rows do not show that.
    most = next((cost.rows - 1 for cost in kernels if not cost.alike and not cost.keys), PASS_ROWS[-1])
    text = sample_prompt(main, lambda: False)
    yield None
    short = yield from _compare_whole(main, text, SHORT_CONTEXT, most)
    caches = short.caches
    end = short.keys
    most = short.alike
    shapes = attention_shapes(main.model, caches)
    if shapes is None and most > 1:
        long = yield from _compare_whole(main, text, LONG_CONTEXT, most)
        end = long.keys
        most = long.alike
    if shapes is None or most == 1:
        return Rounding((KeyRange(end, most),), kernels, problems=races.problems)
    # A full window holds its keys in another order when one row alone is written than when several are.
    last = min([main.info.context_length + 1, *windows_of(caches), *(shape.most_keys(free) for shape in shapes)])
    ranges = []
    for before, end in pairwise([0, *(end for end in attention_probe.SWITCHES if end < last), max(1, last)]):
        rows = most
        # Both ends, because other backends than Metal can change kernels in between.
        for shape, late in product(shapes, (False, True)):
            passes = passes_of(shape, max(before + 1, SHORT_CONTEXT, end - shape.rows - 2 if late else 0))
            rows = yield from widest_alike(passes, [width for width in PASS_ROWS if width <= rows])
        ranges.append(KeyRange(end, rows))
        log.info("%s: %s", main.info.name, ranges[-1])
    return Rounding(tuple(ranges), kernels, problems=races.problems)


def windows_of(caches: Sequence[Any]) -> list[int]:
    """Return after how many tokens caches drop the first ones, of those that do."""
    sizes = (getattr(cache, name, None) for cache in flatten(caches) for name in ("max_size", "chunk_size"))
    return [size for size in sizes if size]


class _ComparedPasses(NamedTuple):
    """How passes of several rows were rounded behind a context."""

    # Those of the context.
    caches: Sequence[Any]
    # The number of keys up to which passes were compared.
    keys: int
    # The largest number of rows that are rounded as a single row is; 1 if the model decodes only plainly.
    alike: int


def _compare_whole(main: LoadedModel, text: list[int], context: int, most: int) -> Steps[_ComparedPasses]:
    """Compare passes of 1 to `most` rows after `context` tokens of `text`, in steps."""
    limit = main.info.context_length
    sequence = CachedSequence(main.model, main.new_caches())
    if sequence.plain_only is not None:
        return _ComparedPasses(sequence.caches, 1, 1)
    # A difference that begins at more keys must not count for fewer.
    ends = [*attention_probe.SWITCHES, *windows_of(sequence.caches)]
    rows = min(MOST_ROWS, max(FEWEST_ROWS, BYTES // max(1, main.info.bytes)), limit // 2)
    rows = max(PASS_ROWS[-1], min([rows, *(end - context for end in ends if end > context)]))
    context = max(1, min(context, limit - rows))
    tokens = (text * (1 + (context + rows) // len(text)))[: context + rows]
    sequence.append(tokens[:context])
    while sequence.prefill(CHUNK):
        yield None
    passes = partial(_passes, sequence, main, tokens[context:])
    most = yield from widest_alike(passes, [width for width in PASS_ROWS if width <= most])
    return _ComparedPasses(sequence.caches, context + rows, most)


def _passes(prefilled: CachedSequence, main: LoadedModel, tokens: Sequence[int], width: int) -> Iterator[mx.array]:
    """Yield a sample of the scores, (width, columns), of each pass that reads `width` of the `tokens`.

    `prefilled` is left as it is. The last tokens are left out if `width` does not divide their number.
    """
    sequence = prefilled.fork()
    assert sequence is not None
    for start in range(0, len(tokens) - width + 1, width):
        part = tokens[start : start + width]
        scores = fit(sequence.verify(part[:-1]), main.vocabulary)
        row = mx.contiguous(scores[:, :: 1 + main.vocabulary // LOGITS])
        mx.eval(row, sequence.arrays())
        sequence.commit(width - 1, part)
        yield row
