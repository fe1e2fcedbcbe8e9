"""The embedding of a text: the mean of a main model's last hidden states, of length 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import mlx.core as mx

from engine.errors import BadRequest
from engine.main_model.loaded_model import LoadedModel
from engine.speculation.rounds.main_ports import main_ports
from engine.speculation.rounds.taps import CannotTap, Taps


class MeanState:
    """Adds up the outputs of the last layer, each after the norm that follows it; a `HiddenStateListener`.

    Raises `BadRequest` for a model whose hidden states cannot be read.
    """

    def __init__(self, main: LoadedModel) -> None:
        try:
            ports = main_ports(main)
            self.taps = Taps(main.model, [ports.layer_count - 1])
        except CannotTap as error:
            raise BadRequest("model", "a model whose hidden states can be read", main.info.name) from error
        self._norm = ports.final_norm
        self._sum = mx.zeros(ports.width)

    def read(self, start: int, outputs: Sequence[mx.array], tokens: Sequence[int]) -> None:
        """Add the normed rows of `tokens` to the sum, float32 (width,), and evaluate it.

        `outputs` has one array (1, rows, width); its rows after those of the tokens are ignored.
        """
        del start
        self._sum = self._sum + self._norm(outputs[0][0, : len(tokens)]).astype(mx.float32).sum(axis=0)
        mx.eval(self._sum)

    @property
    def embedding(self) -> tuple[float, ...]:
        """The mean, scaled to length 1."""
        length = mx.maximum(mx.linalg.norm(self._sum), 1e-12)
        return tuple(cast("list[float]", (self._sum / length).tolist()))
