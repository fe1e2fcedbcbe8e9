"""The pace of answers once it is known how they go: what a first round's time could bring later on."""

from __future__ import annotations

from engine.speculation.accept_rates import SLOW_ROUNDS


class Pace:
    """Tokens per plain step, in the rounds of answers that came after the first verdict on a draft token.

    An answer's first tokens are those that a proposer is likeliest to miss, so its first round is slow whatever its
    depth. The time of another row there is not worth what it brings in that round but what it brings later.
    """

    def __init__(self) -> None:
        self._tokens = self._steps = 0.0
        # Whether no draft token of this answer has got a verdict yet.
        self.opening = True

    def begin(self) -> None:
        """An answer starts."""
        self.opening = True

    def observe(self, tokens: int, steps: float, *, speculative: bool) -> None:
        """A round brought so many tokens in the time of so many plain steps."""
        if not self.opening:
            keep = 1.0 - 1.0 / SLOW_ROUNDS
            self._tokens = keep * self._tokens + tokens
            self._steps = keep * self._steps + steps
        elif speculative:
            self.opening = False

    @property
    def tokens(self) -> float:
        """Tokens per plain step; 0 where no answer got so far."""
        return self._tokens / self._steps if self._steps else 0.0
