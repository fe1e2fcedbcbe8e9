"""The embedding of a text: one vector of a main model's last hidden states, of length 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import mlx.core as mx

from engine.errors import BadRequest
from engine.main_model.loaded_model import LoadedModel
from engine.model_files.pooling import pooling_of
from engine.speculation.rounds.main_ports import main_ports
from engine.speculation.rounds.taps import CannotTap, Taps


class TextState:
    """Pools the outputs of the last layer, each after the norm that follows it.

    It is a `rounds.sequence.HiddenStateListener`.
    An embedding model's folder says whether that is their mean, the last or the first one (`pooling_of`); of a model
    for chats it is their mean. Raises `BadRequest` for a model whose hidden states cannot be read, or whose pooling is
    not known.
    """

    def __init__(self, main: LoadedModel) -> None:
        try:
            ports = main_ports(main)
            self.taps = Taps(main.model, [ports.layer_count - 1])
        except CannotTap as error:
            raise BadRequest("model", "a model whose hidden states can be read", main.info.name) from error
        self._pooling = pooling_of(main.info.path) or "mean"
        self._norm = ports.final_norm
        # The sum of all states for the mean, otherwise the one that counts so far.
        self._state = mx.zeros(ports.width)

    def read(self, start: int, outputs: Sequence[mx.array], tokens: Sequence[int]) -> None:
        """Take the normed rows of `tokens`, which begin at `start` in the text, as the pooling wants; evaluate that.

        `outputs` has one array (1, rows, width); its rows after those of the tokens are ignored.
        """
        states = self._norm(outputs[0][0, : len(tokens)]).astype(mx.float32)
        if self._pooling == "mean":
            self._state = self._state + states.sum(axis=0)
        elif self._pooling == "last":
            self._state = states[-1]
        elif start == 0:
            self._state = states[0]
        mx.eval(self._state)

    @property
    def embedding(self) -> tuple[float, ...]:
        """The vector, scaled to length 1."""
        length = mx.maximum(mx.linalg.norm(self._state), 1e-12)
        return tuple(cast("list[float]", (self._state / length).tolist()))
