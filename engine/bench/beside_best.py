"""Auto beside the best arm of each kind of prompt, with how far the measurement can tell.

Answers to the same prompt in the same repetition are compared, so that the machine's drift cancels. The best arm is
chosen by one half of the repetitions and compared in the other, both ways: of many arms that are measured with noise,
the one that looks best in the same figures was also lucky.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.bench.prompts import Prompt

# Draws of the bootstrap, and its seed.
_DRAWS, _SEED = 500, 0
# The middle 95 %.
_PERCENTILES = (2.5, 97.5)

# Speeds of one arm: by prompt and repetition, tokens a second.
Speeds = Mapping[tuple[Prompt, int], float]
_Logs = NDArray[np.float64]


@dataclass(frozen=True)
class BesideBest:
    """Auto's speed as a share of the best arm's, with the 95 % interval of what repeating the measurement would give.

    `best` is the arm that is fastest over all repetitions. The interval is that of these prompts: the machine's noise,
    not other texts.
    """

    best: str
    ratio: float
    interval: tuple[float, float]


def beside_best(auto: Speeds, others: Mapping[str, Speeds]) -> BesideBest | None:
    """Over the prompts that `auto` answered, and the repetitions that it answered all of them in; None for fewer than
    two of these, or without arms.

    A share is the geometric mean over the prompts of the median over the repetitions.
    """
    prompts = list(dict.fromkeys(prompt for prompt, _ in auto))
    # The last one may be cut short.
    repetitions = sorted(
        number for number in {number for _, number in auto} if all((p, number) in auto for p in prompts)
    )
    if len(repetitions) < 2 or not others:
        return None
    # Of auto's speed to each arm's: (arms, prompts, repetitions).
    logs = np.array(
        [[[np.log(auto[p, r] / speeds[p, r]) for r in repetitions] for p in prompts] for speeds in others.values()]
    )
    best = int(_by_arm(logs).argmin())
    share = _share(logs)
    low, high = share + np.percentile(_errors(logs[best]), _PERCENTILES)
    return BesideBest(list(others)[best], float(np.exp(share)), (float(np.exp(low)), float(np.exp(high))))


def _share(logs: _Logs) -> float:
    """The logarithm of auto's share of the arm that the other half of the repetitions chose, the mean of both."""
    one, other = _by_arm(logs[..., ::2]), _by_arm(logs[..., 1::2])
    return float(one[other.argmin()] + other[one.argmin()]) / 2


def _by_arm(logs: _Logs) -> _Logs:
    return np.median(logs, axis=-1).mean(axis=-1)  # type: ignore[no-any-return]


def _errors(logs: _Logs) -> _Logs:
    """By how much a share may be off: drawn of how repetitions (prompts, repetitions) differ from their prompt's mean.

    A few repetitions lie nearer to their own mean than to the true one, which the factor makes up for.
    """
    count = logs.shape[-1]
    apart = (logs - logs.mean(axis=-1, keepdims=True)) * np.sqrt(count / (count - 1))
    drawn = np.random.default_rng(_SEED).choice(apart.ravel(), size=(_DRAWS, *logs.shape))
    return (_by_arm(drawn[..., ::2]) + _by_arm(drawn[..., 1::2])) / 2


def by_kind(speeds: Mapping[str, Speeds], auto: str, others: Sequence[str]) -> dict[str, BesideBest]:
    """For each kind of prompt, the arm called `auto` beside `others`; kinds that cannot be told are left out."""
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
