"""Drafting with a smaller vocabulary: the output matrix, as a head uses it, cut to the tokens that answers use.

For a head of a main model with a large vocabulary, the output matrix takes most of the time. Other tokens are never
drafted, and the main model then writes them itself. After FR-Spec (Zhao et al., arXiv:2502.14856), but with the tokens
of this person's answers. Draft models keep their vocabularies: the layers of one take most of its time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import mlx.core as mx
import numpy as np

from engine.answer_index.index import Usage
from engine.files.steps import Steps, in_chunks
from engine.heads.chain_head import ChainHead
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.output_rows import OutputRows, output_rows
from engine.speculation.choosing.costs import Costs
from engine.speculation.drafters.sources import HeadSource

log = logging.getLogger(__name__)

# Tokenizers learn their tokens in the order of frequency. These are common ones, for words that no answer had yet: as
# large a share as was best in FR-Spec.
FIRST_IDS = 1 / 4
# Matrices are multiplied in blocks of this many rows.
BLOCK = 64
# The depth at which gain and loss are compared.
USUAL_DEPTH = 4
# The least share of a round that has to be gained to be worth another matrix in memory.
LEAST_ROUND_GAIN = 0.03
# How often each matrix is timed: the median is the time of an undisturbed product.
TIMINGS = 9


@dataclass(frozen=True, eq=False, slots=True)
class ReducedVocabulary:
    """The head `source` that drafts only `ids`.

    `unseen` is the share of tokens outside that a new chat is expected to have, and `saved_s` are the seconds saved in
    a round of USUAL_DEPTH draft tokens. `nbytes` is what it takes besides the whole head.
    """

    source: HeadSource
    ids: np.ndarray
    unseen: float
    saved_s: float
    nbytes: int

    def pays(self, tokens: Sequence[int], costs: Costs) -> bool:
        """Whether drafting after `tokens` gets faster by more than what is lost at tokens outside.

        False while the duration of rounds is unknown.
        """
        if not (costs.known and costs.timed(self.source.source)):
            return False
        round_s = costs.drafting(self.source.source, USUAL_DEPTH).seconds + costs.verify(USUAL_DEPTH + 1).seconds
        outside = max(self.unseen, 1.0 - float(np.isin(tokens, self.ids).mean()))
        # A token outside ends a round's accepted tokens on average halfway, if all others would be accepted.
        return self.saved_s / round_s - outside * USUAL_DEPTH / 2 >= LEAST_ROUND_GAIN


def reduce_vocabulary(main: LoadedModel, source: HeadSource, usage: Usage) -> Steps[ReducedVocabulary | None]:
    """Return the head with the vocabulary that answers use, in short steps; None if it has an output matrix of its own.

    None also if no answer was indexed.
    """
    head = source.head
    if not (usage.tokens and head.uses_main_output):
        return None
    ids = _kept(main, usage)
    rows = output_rows(head.ports.logits, mx.array(ids.astype(np.int32)))
    if rows is None:
        return None
    for chunk in in_chunks(rows.arrays):
        mx.eval(chunk)
        yield None
    one_by_one = isinstance(head, ChainHead)
    timed = _timed(rows, 1 if one_by_one else USUAL_DEPTH)
    saved_s = (yield from timed) * (USUAL_DEPTH if one_by_one else 1)
    unseen = float(usage.alone[~np.isin(usage.ids, ids)].sum() / usage.tokens)
    log.info("%d of %d ids can be drafted: %.2f ms saved in a round", len(ids), main.vocabulary, 1e3 * saved_s)
    source = replace(source, head=head.with_logits(rows))
    return ReducedVocabulary(source, ids, unseen, saved_s, sum(array.nbytes for array in rows.arrays))


def _kept(main: LoadedModel, usage: Usage) -> np.ndarray:
    """Return the ids to draft, ascending: those that answers used, common ones, and all that the tokenizer adds."""
    tokenizer = main.tokenizer
    vocabulary = main.rows or main.vocabulary
    added = [*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values(), *main.end_tokens]
    first = np.arange(int(vocabulary * FIRST_IDS))
    ids = np.unique(np.concatenate([first, usage.ids, np.array(added, np.int64)]))
    ids = ids[(ids >= 0) & (ids < vocabulary)]
    others = np.setdiff1d(np.arange(vocabulary), ids)
    return np.union1d(ids, others[: -len(ids) % BLOCK])


def _timed(rows: OutputRows, count: int) -> Steps[float]:
    """Return the seconds that the cut matrix saves in a product with `count` rows."""
    x = mx.ones((1, count, rows.width), rows.dtype)
    products: tuple[Callable[[mx.array], mx.array], ...] = (rows.whole, rows)
    times: list[list[float]] = [[], []]
    for _ in range(TIMINGS):
        for product, seconds in zip(products, times, strict=True):
            started = time.perf_counter()
            mx.eval(product(x))
            seconds.append(time.perf_counter() - started)
        yield None
    return median(times[0]) - median(times[1])
