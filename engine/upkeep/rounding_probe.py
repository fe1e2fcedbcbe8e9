"""The rounding probe: which widths of a pass give a row the same bits on this machine.

A text is read plainly, token by token, and in passes of several widths, because kernels change with the rows of a pass.
How attention changes with the number of keys is probed directly (`engine.upkeep.attention_probe`); where its shapes
are not known, a longer text is read too, and nothing is found beyond it. The probe runs while the engine is idle, or
before the first request that asks for the same text.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import pairwise

import mlx.core as mx

from engine.files.steps import Steps
from engine.main_model.loading import LoadedModel
from engine.main_model.sampling import fit
from engine.requests import MAX_DEPTH
from engine.row_kernels.choice import compare_kernels
from engine.row_kernels.layers import use_row_kernels
from engine.speculation.caches.cache_rules import flatten
from engine.speculation.rounds.row_rule import RowRules
from engine.speculation.rounds.sequence import CachedSequence
from engine.tuning import KeyRange, Rounding
from engine.upkeep import attention_probe
from engine.upkeep.attention_probe import AttentionShape, attention_shapes, most_alike, window_of
from engine.upkeep.calibration import sample_prompt

log = logging.getLogger(__name__)

# MLX's kernels change within these: at 2 rows, at 6 to 33 by the size of a matrix, and for attention at 9.
WIDTHS = (2, 3, 4, 5, 6, 8, 12, 16, MAX_DEPTH + 1)
# The tokens of a short context, and of a long one if the shapes of attention are unknown.
SHORT, LONG = 64, 1100
# Rounding to bfloat16 hides most differences of a sum, in all logits of some rows if the model is small. So a pass is
# compared in so many rows: fewer if the weights that each one reads are many, and with them the sums.
FEWEST_ROWS, MOST_ROWS, BYTES = 256, 1024, 1 << 38
# Of a row, so many logits are compared: a few in a thousand differ if any do.
LOGITS = 1 << 13
# The rows in which margins are compared, once a width is known to differ.
MARGIN_ROWS = 64
_Row = tuple[mx.array, mx.array]
# Tokens of a prefill pass: a request that comes meanwhile waits for it.
CHUNK = 128


def probe_rounding(main: LoadedModel) -> Steps[Rounding]:
    """Return how this machine rounds the rows of `main`; one pass a step."""
    kernels = yield from compare_kernels(main.model)
    use_row_kernels(main.model, {cost.rows for cost in kernels if cost.used})
    # A pass cannot be alike if its products are not, which some rows of it may not show.
    products = next((cost.rows - 1 for cost in kernels if not cost.alike), WIDTHS[-1])
    text = sample_prompt(main, lambda: False)
    yield None
    limit, changes = main.info.context_length, list[float]()
    short, tested, alike = yield from _whole(main, text, SHORT, products, changes)
    if short.plain_only is not None:
        return Rounding((KeyRange(1, 1, 1),), difference=0.0, kernels=kernels)
    shapes = attention_shapes(main.model, short.caches)
    windows = {window for cache in flatten(short.caches) if 0 < (window := window_of(cache)) < limit}
    from_window = alike
    if windows or shapes is None:
        _, tested, from_window = yield from _whole(
            main, text, max([*windows, *[LONG] * (shapes is None)]), products, changes
        )
    ends = [tested]
    if shapes is not None:
        most = min([limit + 1, *(shape.most_keys for shape in shapes)])
        ends = sorted({end for end in (*attention_probe.SWITCHES, *windows) if end < most} | {most})
    ranges = []
    for before, end in pairwise([0, *ends]):
        alone, paired = alike
        if shapes is None or any(window < end for window in windows):
            alone, paired = map(min, alike, from_window)
        if any(window < end for window in windows):
            # A full window holds its keys in another order when one row alone is written than when several are: the
            # sums differ, however seldom that is seen.
            alone = 1
        alone = yield from _attention(shapes, before, end, 1, alone)
        if alone == 1:
            paired = yield from _attention(shapes, before, end, 2, paired)
        ranges.append(KeyRange(end, 2, paired) if alone == 1 < paired else KeyRange(end, 1, alone))
        log.info("%s: %s", main.info.name, ranges[-1])
    return Rounding(tuple(ranges), sum(changes) / len(changes) if changes else 0.0, kernels=kernels)


def _whole(
    main: LoadedModel, text: list[int], context: int, products: int, changes: list[float]
) -> Steps[tuple[CachedSequence, int, tuple[int, int]]]:
    """Compare passes after a context; returns its sequence, the keys up to which it was read, and two widths.

    Up to these, passes have the bits of plain rounds of one row, and of two. Only those of up to `products` rows can be
    like one row. Changes of margins are added to `changes`.
    """
    limit, sequence = main.info.context_length, CachedSequence(main.model, main.new_caches())
    rows = min(MOST_ROWS, max(FEWEST_ROWS, BYTES // max(1, main.info.bytes)), limit // 2)
    # A difference that begins at more keys must not count for fewer.
    rows = max(WIDTHS[-1], min([rows, *(end - context for end in attention_probe.SWITCHES if end > context)]))
    context = max(1, min(context, limit - rows))
    tokens = (text * (1 + (context + rows) // len(text)))[: context + rows]
    if sequence.plain_only is not None:
        return sequence, 0, (1, 1)
    sequence.append(tokens[:context])
    while sequence.prefill(CHUNK):
        yield None
    alone = min(products, (yield from _most_alike(sequence, main, tokens[context:], 1, changes)))
    # With caches that restore everything, the second row of a plain round could not be dropped.
    paired = 1 if sequence.rollback.carries else alone
    if not sequence.rollback.carries and (alone == 1 or any(map(window_of, flatten(sequence.caches)))):
        paired = yield from _most_alike(sequence, main, tokens[context:], 2, [])
    return sequence, context + rows, (alone, paired)


def _most_alike(
    prefilled: CachedSequence, main: LoadedModel, tokens: Sequence[int], plain: int, changes: list[float]
) -> Steps[int]:
    """Return the largest of WIDTHS up to which passes have the bits of plain rounds of `plain` rows; 1 if none.

    Changes of margins in the first other width are added to `changes`.
    """
    rules = RowRules(Rounding((KeyRange(len(prefilled.tokens) + len(tokens) + plain, plain, plain),), 0.0), strict=True)
    narrow, known, most = _passes(prefilled, main, tokens, rules, 1), list[_Row](), 1
    for width in WIDTHS:
        alike, seen, found = True, 0, list[float]()
        for scores, top2_margins in _passes(prefilled, main, tokens, RowRules(), width):
            while len(known) < seen + width:
                known.append(next(narrow))
                yield None
            alone = known[seen : seen + width]
            alike &= bool(mx.array_equal(scores, mx.concatenate([row for row, _ in alone])).item())
            found += mx.abs(top2_margins - mx.concatenate([top2_margin for _, top2_margin in alone])).tolist()  # type: ignore[arg-type]
            seen += width
            yield None
            if not alike and seen >= MARGIN_ROWS:
                break
        if not alike:
            changes += found
            break
        most = width
    return most


def _passes(
    prefilled: CachedSequence, main: LoadedModel, tokens: Sequence[int], rules: RowRules, width: int
) -> Iterator[_Row]:
    """Yield some scores (width, columns) and the margins (width,) of rounds that commit `tokens`, `width` of them each.

    `prefilled` is left as it is. The last tokens are left out if `width` does not divide their number.
    """
    sequence = prefilled.fork()
    assert sequence is not None
    sequence.row_rules = rules
    for start in range(0, len(tokens) - width + 1, width):
        part = tokens[start : start + width]
        scores = fit(sequence.verify(part[:-1]), main.vocabulary)
        best = mx.topk(scores.astype(mx.float32), 2, axis=-1)
        row = mx.contiguous(scores[:, :: 1 + main.vocabulary // LOGITS]), mx.abs(best[:, 0] - best[:, 1])
        mx.eval(row, sequence.arrays())
        sequence.commit(width - 1, part)
        yield row


def _attention(shapes: Sequence[AttentionShape] | None, before: int, end: int, plain: int, most: int) -> Steps[int]:
    """Return how many of `most` rows are like plain rounds of `plain` rows over `before` to `end` keys, both excluded.

    Both ends of the range are probed, because other backends than Metal can change kernels in between.
    """
    fewest = max(before + 1, SHORT)
    for shape in shapes or ():
        turned = 0 < shape.window <= before
        for keys in {fewest} if turned else sorted({fewest, max(fewest, end - shape.rows - 2)}):
            if not (widths := [width for width in WIDTHS if width <= most]):
                return 1
            most = yield from most_alike(shape, keys, plain, widths, turned=turned)
    return most
