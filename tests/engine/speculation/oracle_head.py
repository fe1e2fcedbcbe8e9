"""A head that keeps the tapped rows as its context and proposes given tokens, so that tests can inspect its input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Self

import mlx.core as mx
import mlx.nn as nn

from engine.heads.context import HeadContext
from engine.heads.head import Draw, Head, HeadProposal, MainPorts
from engine.heads.weights import Weights


class KeptRows(HeadContext):
    """Rows and tokens from position `start` on, unchanged."""

    def __init__(self, rows: mx.array, tokens: list[int], start: int) -> None:
        self.rows, self.tokens, self._start = rows, tokens, start

    @property
    def start(self) -> int:
        return self._start

    @property
    def ready(self) -> bool:
        return True

    @property
    def length(self) -> int:
        return self._start + len(self.tokens)

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes

    def rewind(self, length: int) -> None:
        keep = length - self._start
        self.rows, self.tokens = self.rows[:, :keep], self.tokens[:keep]

    def copy(self) -> Self:
        twin = copy(self)
        twin.tokens = list(self.tokens)
        return twin

    def kept_arrays(self) -> list[mx.array]:
        return [self.rows]

    @property
    def state(self) -> dict[str, mx.array]:
        return {"rows": self.rows, "tokens": mx.array(self.tokens, mx.int32), "start": mx.array(self._start)}


class OracleHead(Head):
    """Proposes `answers[position:]` at each position, and token 0 past their end."""

    kind = "oracle"
    identity = "oracle"

    def __init__(self, taps: Sequence[int], width: int, vocabulary: int, answers: Sequence[int] = ()) -> None:
        self.taps = tuple(taps)
        self.answers: Sequence[int] | Callable[[int], int] = answers
        self.most = 16
        self._width, self._vocabulary = width, vocabulary

    @staticmethod
    def build(config: object, weights: Weights) -> tuple[nn.Module, Weights]:
        raise NotImplementedError

    @property
    def max_proposals(self) -> int:
        return self.most

    @property
    def nbytes(self) -> int:
        return 0

    def bind(self, ports: MainPorts) -> None:
        assert ports.width == self._width

    def new_context(self, start: int = 0) -> KeptRows:
        return KeptRows(mx.zeros((1, 0, len(self.taps) * self._width)), [], start)

    def restore(self, state: dict[str, mx.array]) -> KeptRows:
        tokens: list[int] = state["tokens"].tolist()  # type: ignore[assignment]
        if state["rows"].shape != (1, len(tokens), len(self.taps) * self._width):
            raise ValueError("rows of another head")
        return KeptRows(state["rows"], tokens, int(state["start"].item()))

    def extend(self, context: HeadContext, taps: mx.array, tokens: Sequence[int]) -> None:
        assert isinstance(context, KeptRows)
        assert taps.shape == (1, len(tokens), len(self.taps) * self._width)
        context.rows = mx.concatenate([context.rows, taps], axis=1)
        context.tokens += tokens

    def propose(self, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
        assert anchor.shape == (1,)
        first = context.length + 1
        wanted = [self.answers[at] if at < len(self.answers) else 0 for at in range(first, first + count)]
        scores = mx.where(mx.arange(self._vocabulary)[None] == mx.array(wanted)[:, None], 30.0, 0.0)
        tokens = draw(0, scores, None)
        return HeadProposal(tokens, scores)
