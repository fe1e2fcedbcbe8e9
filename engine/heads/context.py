"""The contexts of heads: keys and values of rows, in time order, and states of the main model.

Published implementations use rotating caches for sliding layers. These write a single row in place, so slots leave the
time order that masks assume. Here rows are appended, and rows that no query sees any more are dropped in large pieces.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Self, cast

import mlx.core as mx
from mlx_lm.models.cache import KVCache, create_attention_mask

from engine.heads.config import RowShape
from engine.heads.fit import kept_and_most

Rows = tuple[mx.array, mx.array]


class LayerRows(KVCache):  # type: ignore[misc]
    """Keys and values (1, heads, rows, size) of one layer for the positions `first` to `offset - 1` of the text.

    A query sees the `window` rows that end with its own. With a window, rows that no query can see any more are dropped
    in large pieces. The buffers `keys` and `values` have unused rows at their end; `rows` returns the ones in use, and
    both are None before the first row. mlx-lm's layers write to this cache as to their own.
    """

    keys: mx.array | None
    values: mx.array | None
    offset: int

    def __init__(self, window: int, first: int = 0) -> None:
        super().__init__()
        self.window = window
        # The position of the oldest row, and the one after the newest.
        self.first = first
        self.offset = first

    @property
    def count(self) -> int:
        """The number of rows that are kept."""
        return self.offset - self.first

    def append(self, keys: mx.array, values: mx.array) -> None:
        """Append `keys` and `values` (1, heads, n, size) after the last row, and drop old rows if there are many."""
        self.extended(keys, values, 0)
        self.drop()

    def drop(self) -> None:
        """Drop the oldest rows, if there are more than `kept_and_most` allows; copies those that stay."""
        stay, most = kept_and_most(self.window)
        if self.count >= most and (rows := self.rows()) is not None:
            self.keys, self.values = (mx.contiguous(array[:, :, -stay:]) for array in rows)
            self.first = self.offset - stay

    def extended(self, keys: mx.array, values: mx.array, seen: int) -> Rows:
        """Append `keys` and `values` (1, heads, n, size), and return them behind the last `seen` rows before them.

        Returns keys and values (1, heads, m, size), where m is seen + n, or the rows that there are. Drops no rows.
        """
        # In the buffers, the first row is at 0.
        self.offset -= self.first
        rows = super().update_and_fetch(keys, values)
        self.offset += self.first
        count = min(self.count, seen + keys.shape[2])
        return rows[0][:, :, -count:], rows[1][:, :, -count:]

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Rows:
        """Append `keys` and `values` (1, heads, n, size), and return all rows that they see, as `extended` does."""
        return self.extended(keys, values, self.window - 1)

    def make_mask(self, rows: int, return_array: bool = False, window_size: int | None = None) -> mx.array | str | None:  # noqa: ARG002
        """Return the mask of `rows` rows over what `update_and_fetch` returns for them.

        As mlx-lm's caches do, that is None for a single row, "causal", or a boolean array (rows, m), true for what a
        row sees; always an array if `return_array`. `window_size` is not used: the cache has its own.
        """
        seen = min(self.count, self.window - 1)
        mask: mx.array | str | None = create_attention_mask(
            rows, seen, return_array, self.window if seen + rows > self.window else None
        )
        return mask

    def with_block(self, keys: mx.array, values: mx.array, seen: int) -> Rows:
        """Return the last `seen` rows followed by a block of n, as keys and values (1, heads, m, size).

        `keys` and `values` (1, heads, n, size) are the block's. They are not kept: `offset` stays.
        """
        rows = self.extended(keys, values, seen)
        self.offset -= keys.shape[2]
        return rows

    def cut(self, length: int) -> None:
        """Forget the rows from position `length` on."""
        self.offset = min(self.offset, length)
        if self.offset <= self.first:
            self.first = self.offset
            self.keys = None
            self.values = None

    def rows(self) -> Rows | None:
        """Return keys and values (1, heads, count, size) of the rows in use, or None if there are none."""
        if self.keys is None or self.values is None:
            return None
        return self.keys[:, :, : self.count], self.values[:, :, : self.count]

    def copy(self) -> LayerRows:
        copied = copy.copy(self)
        copied.keys, copied.values = self.rows() or (None, None)
        return copied


class HeadContext:
    """The rows that a head keeps of one conversation, for each of its layers: positions `start` to `length - 1`.

    `start` is above 0 if the head did not follow the text from its first token, which can make proposals worse, or if
    rows were dropped. All layers end at the same position.

    If `goes_on`, the head continues from the main model's newest state, the last of `states` (1, n, width). `tokens`
    are the tokens after the states; that after the last state is not known yet. `rewind` drops the states, and the next
    row has to be added before a proposal (`ready`).
    """

    def __init__(self, windows: Sequence[int], start: int = 0, *, goes_on: bool = False) -> None:
        self.layers = [LayerRows(window, start) for window in windows]
        self.states: mx.array | None = None
        self.tokens: list[int] = []
        self._goes_on = goes_on

    @property
    def start(self) -> int:
        """The position of the oldest row."""
        return min(layer.first for layer in self.layers)

    @property
    def length(self) -> int:
        """The position after the newest row: the number of tokens that the head has followed."""
        return self.layers[0].offset

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the context holds."""
        return sum(array.nbytes for array in self.kept_arrays())

    @property
    def ready(self) -> bool:
        """False if a proposal needs one more row first, as after `rewind` of some heads."""
        return not self._goes_on or self.states is not None

    def kept_arrays(self) -> list[mx.array]:
        """Return all arrays of the context. They stay lazy, and keep taps in memory, until they are evaluated.

        They are the buffers (1, heads, slots, size) of keys and values of each layer, and the states (1, n, width).
        """
        buffers = [buffer for layer in self.layers for buffer in (layer.keys, layer.values)]
        return [array for array in (*buffers, self.states) if array is not None]

    def rewind(self, length: int) -> None:
        """Drop the rows from position `length` on, 0 <= length <= self.length.

        Afterwards `self.length` is at most `length`: a head that needs rows which were dropped rewinds further. The
        caller supplies rows from there on, or takes a new context.
        """
        if length < self.length:
            self.states = None
            self.tokens = []
        self.cut(length)

    def cut(self, length: int) -> None:
        """Drop the rows from position `length` on, and keep the states."""
        for layer in self.layers:
            layer.cut(length)

    def copy(self) -> Self:
        """Return an independent context with the same rows. Arrays are shared until one of the two changes."""
        copied = copy.copy(self)
        copied.layers = [layer.copy() for layer in self.layers]
        copied.tokens = list(self.tokens)
        return copied

    @property
    def state(self) -> dict[str, mx.array]:
        """The arrays by name, evaluated or not, from which `Head.restore` makes the context again.

        "spans" int64 (layers, 2) has the first position and the end of each layer's rows. "0.keys", "0.values" and so
        on are (1, heads, end - first, size), absent without rows; "states" (1, n, width) and "tokens" int32 (n - 1,)
        where there are some.
        """
        state = {"spans": mx.array([[layer.first, layer.offset] for layer in self.layers], mx.int64)}
        for index, layer in enumerate(self.layers):
            if (rows := layer.rows()) is not None:
                state[f"{index}.keys"], state[f"{index}.values"] = rows
        if self.states is not None:
            state["states"] = self.states
        if self.tokens:
            state["tokens"] = mx.array(self.tokens, mx.int32)
        return state

    def restored(self, state: dict[str, mx.array], shapes: Sequence[RowShape], width: int = 0) -> Self:
        """Fill this new context from `state` and return it. Raises ValueError if `state` is not of this form.

        `shapes` are the (heads, size) of keys and of values of each layer, `width` is the width of a state; see the
        property `state` for the arrays.
        """
        spans = state.get("spans")
        if spans is None or spans.shape != (len(self.layers), 2):
            raise ValueError("spans")
        ends = cast("list[list[int]]", spans.tolist())
        for index, (layer, (first, end)) in enumerate(zip(self.layers, ends, strict=True)):
            if not 0 <= first <= end or end != ends[0][1]:
                raise ValueError("spans")
            layer.first = layer.offset = first
            if first == end:
                continue
            names = f"{index}.keys", f"{index}.values"
            for name, (heads, size) in zip(names, shapes[index], strict=True):
                if name not in state or state[name].shape != (1, heads, end - first, size):
                    raise ValueError(name)
            layer.append(state[names[0]], state[names[1]])
        self.states = state.get("states")
        if "tokens" in state:
            self.tokens = cast("list[int]", state["tokens"].flatten().tolist())
        known = None if self.states is None else (1, len(self.tokens) + 1, width)
        if (self.tokens and known is None) or (self.states is not None and self.states.shape != known):
            raise ValueError("states")
        return self


class ChainContext(HeadContext):
    """The context of a chain head: pairs in its layers, and the states that still wait for their token.

    A pair is the main model's state at one position and the next token. The newest state has no pair until the token
    after it is known.

    After `rewind` into the cached pairs, the last remaining pair still has its previous token. This one wrong row stays
    because the state that it was made from is gone. Nothing can be proposed before the next row is added (`ready`).
    """

    def __init__(self, windows: Sequence[int], start: int = 0) -> None:
        super().__init__(windows, start, goes_on=True)

    @property
    def length(self) -> int:
        return self.layers[0].offset + self.waiting

    @property
    def waiting(self) -> int:
        """The number of states that are not in the caches; all but the last one have their token."""
        return 0 if self.states is None else int(self.states.shape[1])

    def append(self, states: mx.array, tokens: Sequence[int]) -> None:
        """Add the states (1, S, width) of the next S `tokens`. The first token completes the previous state's pair."""
        if self.states is None:
            self.states = states
            self.tokens = list(tokens[1:])
        else:
            self.states = mx.concatenate([self.states, states], axis=1)
            self.tokens += tokens

    def take_waiting(self, stay: int = 1) -> tuple[list[int], mx.array]:
        """Return the tokens (n) of the pairs that wait and all states (1, n + 1, width), and keep the last `stay`.

        The caller appends the pairs of the others to the layers. Raises ValueError unless the context is `ready`.
        """
        if self.states is None:
            raise ValueError("no state to continue from")
        tokens = self.tokens
        states = self.states
        self.tokens = tokens[max(0, len(tokens) - stay + 1) :]
        self.states = states[:, -stay:]
        return tokens, states

    def rewind(self, length: int) -> None:
        """Drop the rows from position `length` on. As long as these only wait as states, the context stays `ready`."""
        remaining = length - self.layers[0].offset
        if remaining > 0 and self.states is not None:
            self.states = self.states[:, :remaining]
            self.tokens = self.tokens[: remaining - 1]
        else:
            super().rewind(length)
