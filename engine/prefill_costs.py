"""What reading a prompt takes: seconds a token, by the text before it, and how they are spread over a pass's layers."""

from __future__ import annotations

from collections.abc import Sequence

# Contexts up to this length are one range, each doubling is one more.
_FIRST_RANGE = 512
# A measurement weighs as many tokens as it is of, all before it together no more than this: a prompt's short last piece
# hardly counts, the newest chunk of hundreds of tokens counts most.
_REMEMBERED = 300
# Of a chunk, how much its spread over the layers counts.
_SMOOTHING = 0.3


class PrefillCosts:
    """Measured seconds of a prompt token, of the last few chunks at contexts of about the same length."""

    def __init__(self) -> None:
        self._by_range: dict[int, tuple[float, float]] = {}
        self._shares: list[float] = []

    def reset(self) -> None:
        """Forget everything, because another model will be used."""
        self._by_range.clear()
        self._shares.clear()

    def token_s(self, context: int) -> float | None:
        """Seconds of a token behind `context` others; of the nearest length known, None where nothing was measured."""
        known = self._nearest(context)
        return None if known is None else known[1]

    def took(self, tokens: int, context: int, seconds: float) -> None:
        """A pass over `tokens` prompt tokens behind `context` others took `seconds`."""
        if tokens < 1:
            return
        weight, mean = self._nearest(context) or (0.0, 0.0)
        weight = min(weight, _REMEMBERED) + tokens
        self._by_range[_range_of(context)] = (weight, mean + (seconds / tokens - mean) * tokens / weight)

    def shares(self, layers: int) -> list[float]:
        """The share of a pass's time that goes into each of its layers' caches, in the order of the layers.

        Evaluating a layer's cache takes the layers before it, so the first one costs next to nothing.
        """
        if len(self._shares) != layers:
            self._shares = [0.0] + [1 / (layers - 1)] * (layers - 1) if layers > 1 else [1.0] * layers
        return self._shares

    @property
    def largest_share(self) -> float:
        """The largest share of a single layer; 1 before any is known."""
        return max(self._shares, default=1.0)

    def spread(self, layers: int, parts: Sequence[tuple[int, int, float]]) -> None:
        """A pass over `layers` caches was evaluated in `parts`: (first, end, seconds) each."""
        whole = sum(seconds for _, _, seconds in parts)
        if len(parts) < 2 or whole <= 0:
            return
        shares = self.shares(layers)
        for first, end, seconds in parts:
            known = sum(shares[first:end])
            for layer in range(first, end):
                of_part = shares[layer] / known if known else 1 / (end - first)
                shares[layer] += _SMOOTHING * (of_part * seconds / whole - shares[layer])

    def _nearest(self, context: int) -> tuple[float, float] | None:
        """(tokens that count, seconds a token) of the range of `context`, or of the nearest that is known."""
        sought = _range_of(context)
        nearest = min(self._by_range, key=lambda known: (abs(known - sought), known), default=None)
        return None if nearest is None else self._by_range[nearest]


def _range_of(context: int) -> int:
    return (context // _FIRST_RANGE).bit_length()
