"""What a head of the DFlash family keeps of a conversation: keys and values of the context rows, in time order.

Published implementations use rotating caches for sliding layers; those write a single row in place, so that slots are
no longer in time order while masks assume they are. Here rows are appended, and old ones dropped now and then.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.heads.fit import GROWTH, kept_and_most
from engine.heads.head import HeadContext

Rows = tuple[mx.array, mx.array]


class LayerRows:
    """Keys and values (1, heads, rows, size) of one layer for the positions `first` to `end - 1`.

    With a `window`, rows that no query sees any more are dropped in large pieces.
    """

    def __init__(self, window: int | None, first: int) -> None:
        self.window = window
        self.first = self.end = first
        self._keys: mx.array | None = None
        self._values: mx.array | None = None

    @property
    def arrays(self) -> list[mx.array]:
        """The buffers, with rows to spare."""
        return [] if self._keys is None or self._values is None else [self._keys, self._values]

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
            self._keys = self._values = None

    def rows(self) -> Rows | None:
        """The rows that are kept, or None without any."""
        if self.end == self.first or self._keys is None or self._values is None:
            return None
        count = self.end - self.first
        return self._keys[:, :, :count], self._values[:, :, :count]

    def copy(self) -> LayerRows:
        copied = LayerRows(self.window, self.first)
        if (rows := self.rows()) is not None:
            copied._keys, copied._values = rows
            copied.end = self.end
        return copied

    def _write(self, keys: mx.array, values: mx.array) -> None:
        start = self.end - self.first
        stop = start + keys.shape[2]
        self._keys = _with_room(self._keys, keys, start, stop)
        self._values = _with_room(self._values, values, start, stop)
        self._keys[:, :, start:stop] = keys
        self._values[:, :, start:stop] = values

    def _drop_unseen(self) -> None:
        if self.window is None:
            return
        kept, most = kept_and_most(self.window)
        held = self.end - self.first
        if held < most or self._keys is None or self._values is None:
            return
        self._keys = mx.contiguous(self._keys[:, :, held - kept : held])
        self._values = mx.contiguous(self._values[:, :, held - kept : held])
        self.first = self.end - kept


def _with_room(buffer: mx.array | None, rows: mx.array, used: int, needed: int) -> mx.array:
    """A buffer of at least `needed` rows with the first `used` of `buffer`."""
    if buffer is not None and buffer.shape[2] >= needed:
        return buffer
    _, heads, _, size = rows.shape
    capacity = -(-needed // GROWTH) * GROWTH
    room = mx.zeros((1, heads, capacity - used, size), rows.dtype)
    return room if buffer is None or used == 0 else mx.concatenate([buffer[:, :, :used], room], axis=2)


class BlockContext(HeadContext):
    """The rows of every layer; all end at `length`."""

    def __init__(self, windows: Sequence[int | None], start: int = 0) -> None:
        self.layers = [LayerRows(window, start) for window in windows]

    @property
    def start(self) -> int:
        return min(layer.first for layer in self.layers)

    @property
    def length(self) -> int:
        return self.layers[0].end

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.kept_arrays())

    def kept_arrays(self) -> list[mx.array]:
        return [array for layer in self.layers for array in layer.arrays]

    def rewind(self, length: int) -> None:
        for layer in self.layers:
            layer.cut(length)

    def copy(self) -> BlockContext:
        copied = BlockContext([])
        copied.layers = [layer.copy() for layer in self.layers]
        return copied

    @property
    def state(self) -> dict[str, mx.array]:
        spans = mx.array([[layer.first, layer.end] for layer in self.layers], mx.int64)
        state = {"spans": spans}
        for index, layer in enumerate(self.layers):
            if (rows := layer.rows()) is not None:
                state[f"{index}.keys"], state[f"{index}.values"] = rows
        return state

    @classmethod
    def restored(cls, state: dict[str, mx.array], windows: Sequence[int | None], heads: int, size: int) -> BlockContext:
        """The context that `state` was taken of; raises ValueError where it was not one of this shape."""
        spans = state.get("spans")
        if spans is None or spans.shape != (len(windows), 2):
            raise ValueError("spans")
        pairs: list[list[int]] = spans.tolist()  # type: ignore[assignment]
        context = cls(windows)
        for index, (first, end) in enumerate(pairs):
            layer = context.layers[index]
            if not 0 <= first <= end or end != pairs[0][1]:
                raise ValueError("spans")
            layer.first = layer.end = first
            keys, values = state.get(f"{index}.keys"), state.get(f"{index}.values")
            expected = (1, heads, end - first, size)
            if end > first:
                if keys is None or values is None or keys.shape != expected or values.shape != expected:
                    raise ValueError(f"{index}.keys")
                layer.append(keys, values)
        return context
