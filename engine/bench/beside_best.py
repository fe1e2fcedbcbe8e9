"""Compares auto with the best arm of each kind of prompt, with confidence intervals.

Answers to the same prompt in the same repetition are compared, so that the machine's drift cancels. One half of the
measurement chooses the best arm and the other half compares it, both ways: chosen and compared by the same noisy
figures, the best of many arms would be too good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from engine.bench.prompts import Prompt

# Draws of the bootstrap, and its seed.
_DRAWS, _SEED = 4000, 0
# The middle 95 %.
_PERCENTILES = (2.5, 97.5)
# The axes of the arrays.
_PROMPTS, _REPETITIONS = 0, 1

# Tokens a second of one arm by prompt and repetition.
Speeds = Mapping[tuple[Prompt, int], float]
_Logs = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """Auto's speed as a share of the best arm's, with its 95 % confidence interval."""

    ratio: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class BesideBest:
    """Auto compared with the best arm, as geometric means over prompts and repetitions.

    `best` is the arm that most halves chose, `chosen` the share of halves that did. The interval of `here` is for
    repetitions with these prompts. That of `elsewhere` is for other prompts of their kind: there, other prompts choose
    the best arm than those that compare it. It is None for a single prompt.
    """

    best: str
    chosen: float
    here: Share
    elsewhere: Share | None


def beside_best(auto: Speeds, others: Mapping[str, Speeds]) -> BesideBest | None:
    """Compare over the prompts that `auto` answered, and the repetitions in which it answered all of them.

    Return None for fewer than two such repetitions, or without arms. Repetitions have to be independent, as
    `runner.run` makes them.
    """
    prompts = list(dict.fromkeys(prompt for prompt, _ in auto))
    # The last one may be cut short.
    repetitions = sorted(
        number for number in {number for _, number in auto} if all((p, number) in auto for p in prompts)
    )
    if len(repetitions) < 2 or not others:
        return None
    # Logarithms of auto's speed over each arm's.
    logs = np.array(
        [[[np.log(auto[p, r] / speeds[p, r]) for r in repetitions] for p in prompts] for speeds in others.values()]
    )
    chosen = _chosen(logs, [_REPETITIONS])
    times = np.bincount(chosen.ravel())
    both = [_PROMPTS, _REPETITIONS]
    return BesideBest(
        list(others)[times.argmax()],
        float(times.max() / times.sum()),
        _share(logs, chosen, [_REPETITIONS]),
        _share(logs, _chosen(logs, both), both) if len(prompts) > 1 else None,
    )


def _chosen(logs: _Logs, halved: list[int]) -> NDArray[np.intp]:
    """Return by prompt and repetition the arm that is fastest in the other half of the axes `halved`."""
    halves = np.indices(logs.shape[1:])[halved] % 2
    chosen = np.empty(logs.shape[1:], np.intp)
    for half in product((0, 1), repeat=len(halved)):
        own = halves == np.reshape(half, (-1, 1, 1))
        chosen[own.all(axis=0)] = logs[:, ~own.any(axis=0)].mean(axis=1).argmin()
    return chosen


def _share(logs: _Logs, chosen: NDArray[np.intp], drawn: list[int]) -> Share:
    """Compare auto with the `chosen` arms; the interval is for other values of the axes `drawn`."""
    compared = np.take_along_axis(logs, chosen[np.newaxis], axis=0)[0]
    mean = compared.mean()
    low, high = np.exp(mean + np.percentile(_errors(compared, drawn), _PERCENTILES))
    return Share(float(np.exp(mean)), (float(low), float(high)))


def _errors(compared: _Logs, drawn: list[int]) -> _Logs:
    """Return errors of the mean by a bootstrap over the axes `drawn`.

    Few means underestimate the variance, so each draw also draws the variance from its chi-squared distribution, as in
    Student's distribution. The plain bootstrap's intervals would be too narrow.
    """
    random = np.random.default_rng(_SEED)
    errors = np.zeros(_DRAWS)
    for axis in drawn:
        count = compared.shape[axis]
        apart = compared.mean(axis=1 - axis) - compared.mean()
        scale = np.sqrt(count / random.chisquare(count - 1, _DRAWS))
        errors += random.choice(apart, size=(_DRAWS, count)).mean(axis=1) * scale
    return errors


def by_kind(speeds: Mapping[str, Speeds], auto: str, others: Sequence[str]) -> dict[str, BesideBest]:
    """Compare the arm `auto` with `others` for each kind of prompt that has enough figures."""
    found = {}
    for kind in dict.fromkeys(prompt.kind for prompt, _ in speeds[auto]):
        of_kind = {
            name: {key: tps for key, tps in speeds[name].items() if key[0].kind == kind} for name in (auto, *others)
        }
        # Answers of a token or two have no speed.
        told = {key for key in of_kind[auto] if all(of_kind[name].get(key, 0.0) > 0 for name in of_kind)}
        one = beside_best(
            {key: tps for key, tps in of_kind[auto].items() if key in told}, {name: of_kind[name] for name in others}
        )
        if one is not None:
            found[kind] = one
    return found
