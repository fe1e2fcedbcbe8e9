"""What heads keep of a conversation: keys and values of rows, in time order, and states of the main model.

Published implementations use rotating caches for sliding layers; those write a single row in place, so that slots are
no longer in time order while masks assume they are. Here rows are appended, and old ones dropped now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import mlx.core as mx
from mlx_lm.models.cache import create_attention_mask

from engine.heads.fit import GROWTH, kept_and_most
from engine.heads.head import HeadContext

Rows = tuple[mx.array, mx.array]
# Heads and size of the keys, and of the values, of one layer.
CacheShape = tuple[tuple[int, int], tuple[int, int]]


class LayerRows:
    """Keys and values (1, heads, rows, size) of one layer for the positions `first` to `end - 1`.

    With a `window`, rows that no query sees any more are dropped in large pieces. `keys` and `values` are the buffers,
    which some of mlx-lm's layers replace, to make the graph of one depend on another's.
    """

    def __init__(self, window: int | None, first: int) -> None:
        self.window = window
        self.first = self.end = first
        self.keys: mx.array | None = None
        self.values: mx.array | None = None

    @property
    def arrays(self) -> list[mx.array]:
        """The buffers, with rows to spare."""
        return [] if self.keys is None or self.values is None else [self.keys, self.values]

    def append(self, keys: mx.array, values: mx.array) -> None:
        """Add rows behind the last one."""
        self._write(keys, values)
        self.end += keys.shape[2]
        self._drop_unseen()

    def with_block(self, keys: mx.array, values: mx.array, seen: int) -> Rows:
        """The last `seen` rows followed by those of a block, which are not kept."""
        self._write(keys, values)
        start, stop = self.end - self.first - seen, self.end - self.first + keys.shape[2]
        buffers = self.arrays
        return buffers[0][:, :, start:stop], buffers[1][:, :, start:stop]

    def cut(self, length: int) -> None:
        """Forget the rows from position `length` on."""
        self.end = min(self.end, length)
        if self.end <= self.first:
            self.first = self.end
            self.keys = self.values = None

    def rows(self) -> Rows | None:
        """The rows that are kept, or None without any."""
        if self.end == self.first or self.keys is None or self.values is None:
            return None
        count = self.end - self.first
        return self.keys[:, :, :count], self.values[:, :, :count]

    def copy(self) -> LayerRows:
        copied = LayerRows(self.window, self.first)
        if (rows := self.rows()) is not None:
            copied.keys, copied.values = rows
            copied.end = self.end
        return copied

    def _write(self, keys: mx.array, values: mx.array) -> None:
        start = self.end - self.first
        stop = start + keys.shape[2]
        self.keys = _with_room(self.keys, keys, start, stop)
        self.values = _with_room(self.values, values, start, stop)
        self.keys[:, :, start:stop] = keys
        self.values[:, :, start:stop] = values

    def _drop_unseen(self) -> None:
        if self.window is None:
            return
        kept, most = kept_and_most(self.window)
        held = self.end - self.first
        if held < most or self.keys is None or self.values is None:
            return
        self.keys = mx.contiguous(self.keys[:, :, held - kept : held])
        self.values = mx.contiguous(self.values[:, :, held - kept : held])
        self.first = self.end - kept


def _with_room(buffer: mx.array | None, rows: mx.array, used: int, needed: int) -> mx.array:
    """A buffer of at least `needed` rows with the first `used` of `buffer`."""
    if buffer is not None and buffer.shape[2] >= needed:
        return buffer
    _, heads, _, size = rows.shape
    capacity = -(-needed // GROWTH) * GROWTH
    room = mx.zeros((1, heads, capacity - used, size), rows.dtype)
    return room if buffer is None or used == 0 else mx.concatenate([buffer[:, :, :used], room], axis=2)


def _state_of(layers: Sequence[LayerRows]) -> dict[str, mx.array]:
    """The rows of all layers by name, for the disk."""
    state = {}
    for index, layer in enumerate(layers):
        if (rows := layer.rows()) is not None:
            state[f"{index}.keys"], state[f"{index}.values"] = rows
    return state


def _restore(layer: LayerRows, index: int, state: dict[str, mx.array], count: int, shape: CacheShape) -> None:
    """Append `count` rows of `_state_of` to an empty layer; raises ValueError for others than those of this shape."""
    if count == 0:
        return
    names = f"{index}.keys", f"{index}.values"
    for name, (heads, size) in zip(names, shape, strict=True):
        if name not in state or state[name].shape != (1, heads, count, size):
            raise ValueError(name)
    layer.append(state[names[0]], state[names[1]])


class LayerContext(HeadContext):
    """The rows of every layer; all end at `length`.

    Heads that go on from the main model's newest state keep it as `newest` (1, 1, width). After `rewind` it is gone,
    and the next row has to come first (`ready`).
    """

    def __init__(self, windows: Sequence[int | None], start: int = 0, *, goes_on: bool = False) -> None:
        self.layers = [LayerRows(window, start) for window in windows]
        self.newest: mx.array | None = None
        self._goes_on = goes_on

    @property
    def start(self) -> int:
        return min(layer.first for layer in self.layers)

    @property
    def length(self) -> int:
        return self.layers[0].end

    @property
    def ready(self) -> bool:
        return not self._goes_on or self.newest is not None

    def kept_arrays(self) -> list[mx.array]:
        arrays = [array for layer in self.layers for array in layer.arrays]
        return arrays if self.newest is None else [*arrays, self.newest]

    def rewind(self, length: int) -> None:
        if length < self.length:
            self.newest = None
        for layer in self.layers:
            layer.cut(length)

    def copy(self) -> LayerContext:
        copied = LayerContext([], goes_on=self._goes_on)
        copied.layers, copied.newest = [layer.copy() for layer in self.layers], self.newest
        return copied

    @property
    def state(self) -> dict[str, mx.array]:
        spans = mx.array([[layer.first, layer.end] for layer in self.layers], mx.int64)
        newest = {} if self.newest is None else {"newest": self.newest}
        return {"spans": spans, **_state_of(self.layers), **newest}

    def restored(self, state: dict[str, mx.array], shapes: Sequence[CacheShape], width: int = 0) -> LayerContext:
        """This new context with what `state` was taken of; raises ValueError where that was not one of this form.

        `shapes` are those of each layer, `width` is that of a state.
        """
        spans = state.get("spans")
        if spans is None or spans.shape != (len(self.layers), 2):
            raise ValueError("spans")
        ends = cast("list[list[int]]", spans.tolist())
        for index, (layer, (first, end)) in enumerate(zip(self.layers, ends, strict=True)):
            if not 0 <= first <= end or end != ends[0][1]:
                raise ValueError("spans")
            layer.first = layer.end = first
            _restore(layer, index, state, end - first, shapes[index])
        self.newest = state.get("newest")
        if self.newest is not None and self.newest.shape != (1, 1, width):
            raise ValueError("newest")
        return self


class CacheRows(LayerRows):
    """The rows of one layer, in the form that mlx-lm's layers write to; the first one has rotary position 0."""

    def __init__(self) -> None:
        super().__init__(None, 0)

    @property
    def offset(self) -> int:
        return self.end

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
        copied.keys, copied.values = self.rows() or (None, None)
        copied.end = self.end
        return copied


class ChainContext(HeadContext):
    """What a chain head keeps: pairs in its caches, and the states that still wait for their token.

    A pair is the main model's state at one position and the token behind it. Row i of the `caches` belongs to the pair
    of position `start + i`, the same in all of them; the newest state has no pair before the token that follows it is
    known.

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
        state = {"span": mx.array([self._start, self.pairs], mx.int64), **_state_of(self.caches)}
        if self._states is not None:
            state["states"] = self._states
        if self._tokens:
            state["tokens"] = mx.array(self._tokens, mx.int32)
        return state

    @classmethod
    def restored(cls, state: dict[str, mx.array], shapes: Sequence[CacheShape], width: int) -> ChainContext:
        """The context that `state` was taken of; raises ValueError where it was not one of this form.

        `shapes` are those of each layer, `width` is that of a state.
        """
        span = state.get("span")
        if span is None or span.shape != (2,):
            raise ValueError("span")
        start, pairs = cast("list[int]", span.tolist())
        if start < 0 or pairs < 0:
            raise ValueError("span")
        context = cls([CacheRows() for _ in shapes], start)
        for index, cache in enumerate(context.caches):
            _restore(cache, index, state, pairs, shapes[index])
        states, tokens = state.get("states"), state.get("tokens")
        known = 0 if tokens is None else tokens.size
        if (known and states is None) or (states is not None and states.shape != (1, known + 1, width)):
            raise ValueError("states")
        context._states = states
        context._tokens = [] if tokens is None else cast("list[int]", tokens.flatten().tolist())
        return context
