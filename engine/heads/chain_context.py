"""What a chain head keeps of a conversation: keys and values of pairs, and the states that still wait for their token.

A pair is the main model's state at one position and the token behind it. Row i of the cache belongs to the pair of
position `start + i`; the newest state has no pair before the token that follows it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import mlx.core as mx
from mlx_lm.models.cache import create_attention_mask

from engine.heads.context import LayerRows, Rows
from engine.heads.head import HeadContext


class CacheRows(LayerRows):
    """The rows of one layer, in the form that mlx-lm's layers write to; the first one has rotary position 0."""

    def __init__(self) -> None:
        super().__init__(None, 0)

    @property
    def offset(self) -> int:
        return self.end

    # Some layers make the graph of one buffer depend on another's, by replacing it.

    @property
    def keys(self) -> mx.array | None:
        return self._keys

    @keys.setter
    def keys(self, keys: mx.array) -> None:
        self._keys = keys

    @property
    def values(self) -> mx.array | None:
        return self._values

    @values.setter
    def values(self, values: mx.array) -> None:
        self._values = values

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Rows:
        """Append rows; returns all of them."""
        self.append(keys, values)
        rows = self.rows()
        assert rows is not None
        return rows

    def make_mask(self, *args: Any, **kwargs: Any) -> Any:
        """The mask of rows that are about to be appended, as mlx-lm's caches make it."""
        return create_attention_mask(*args, offset=self.end, **kwargs)

    def copy(self) -> CacheRows:
        copied = CacheRows()
        copied._keys, copied._values = self.rows() or (None, None)
        copied.end = self.end
        return copied


class ChainContext(HeadContext):
    """`caches` of a head's layers, all with the same rows, and the states behind them that are no pairs yet.

    After `rewind` into the cached pairs, the last of them has the token that followed there before: one row among many,
    kept because the state that it was made of is gone. Then nothing can be proposed before the next row (`ready`).
    """

    def __init__(self, caches: Sequence[CacheRows], start: int = 0) -> None:
        self.caches = list(caches)
        self._start = start
        self._states: mx.array | None = None
        self._tokens: list[int] = []

    @property
    def start(self) -> int:
        return self._start

    @property
    def length(self) -> int:
        return self._start + self.pairs + self.waiting

    @property
    def ready(self) -> bool:
        return self._states is not None

    @property
    def pairs(self) -> int:
        """How many pairs the caches hold."""
        return self.caches[0].end

    @property
    def waiting(self) -> int:
        """How many states are not in the caches; all but the last one have their token."""
        return 0 if self._states is None else int(self._states.shape[1])

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.kept_arrays())

    def kept_arrays(self) -> list[mx.array]:
        arrays = [array for cache in self.caches for array in cache.arrays]
        return arrays if self._states is None else [*arrays, self._states]

    def append(self, states: mx.array, tokens: Sequence[int]) -> None:
        """Add the states (1, S, width) of the next S `tokens`. The first token completes the pair before it."""
        if self._states is None:
            self._states, self._tokens = states, list(tokens[1:])
        else:
            self._states = mx.concatenate([self._states, states], axis=1)
            self._tokens += tokens

    def take_waiting(self, stay: int = 1) -> tuple[list[int], mx.array]:
        """The tokens (n) of the pairs that wait and all states (1, n + 1, width), of which only the last `stay` stay.

        The caller appends the pairs of the others to the caches. Raises ValueError unless the context is `ready`.
        """
        if self._states is None:
            raise ValueError("no state to go on from")
        tokens, states = self._tokens, self._states
        self._tokens, self._states = tokens[max(0, len(tokens) - stay + 1) :], states[:, -stay:]
        return tokens, states

    def cut(self, pairs: int) -> None:
        """Drop the cached rows behind the first `pairs`, those of draft tokens."""
        for cache in self.caches:
            cache.cut(pairs)

    def rewind(self, length: int) -> None:
        kept = length - self._start - self.pairs
        if kept > 0 and self._states is not None:
            self._states, self._tokens = self._states[:, :kept], self._tokens[: kept - 1]
            return
        self._states, self._tokens = None, []
        self.cut(max(0, length - self._start))

    def copy(self) -> ChainContext:
        copied = ChainContext([cache.copy() for cache in self.caches], self._start)
        copied._states, copied._tokens = self._states, list(self._tokens)
        return copied

    @property
    def state(self) -> dict[str, mx.array]:
        state = {"span": mx.array([self._start, self.pairs], mx.int64)}
        for index, cache in enumerate(self.caches):
            if (rows := cache.rows()) is not None:
                state[f"{index}.keys"], state[f"{index}.values"] = rows
        if self._states is not None:
            state["states"] = self._states
        if self._tokens:
            state["tokens"] = mx.array(self._tokens, mx.int32)
        return state

    @classmethod
    def restored(
        cls, state: dict[str, mx.array], shapes: Sequence[tuple[tuple[int, int], tuple[int, int]]], width: int
    ) -> ChainContext:
        """The context that `state` was taken of; raises ValueError where it was not one of this form.

        `shapes` are heads and size of each layer's keys and values, `width` is that of a state.
        """
        span = state.get("span")
        if span is None or span.shape != (2,):
            raise ValueError("span")
        start, pairs = cast("list[int]", span.tolist())
        if start < 0 or pairs < 0:
            raise ValueError("span")
        context = cls([CacheRows() for _ in shapes], start)
        for index, cache in enumerate(context.caches):
            for part, (heads, size) in zip(("keys", "values"), shapes[index], strict=True):
                array = state.get(f"{index}.{part}")
                if pairs and (array is None or array.shape != (1, heads, pairs, size)):
                    raise ValueError(f"{index}.{part}")
            if pairs:
                cache.append(state[f"{index}.keys"], state[f"{index}.values"])
        states, tokens = state.get("states"), state.get("tokens")
        known = 0 if tokens is None else tokens.size
        if (known and states is None) or (states is not None and states.shape != (1, known + 1, width)):
            raise ValueError("states")
        context._states = states
        context._tokens = [] if tokens is None else cast("list[int]", tokens.flatten().tolist())
        return context
