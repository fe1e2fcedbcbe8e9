"""Parameters of tests by tier."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import cycle, product
from typing import Any

import pytest


def by_tier(values: Iterable[Any], default: Container[Any]) -> list[Any]:
    """Return parameters for `values`, single ones or tuples; the full tier runs those that are not in `default`."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)), marks=() if value in default else pytest.mark.full
        )
        for value in values
    ]


def in_turn(ways: Iterable[str], values: Iterable[Any]) -> list[Any]:
    """Return parameters for each way with each value; in the default tier each value has one way, in turn."""
    ways = list(ways)
    flat = [value if isinstance(value, tuple) else (value,) for value in values]
    default = [(way, *value) for way, value in zip(cycle(ways), flat, strict=False)]
    return by_tier([(way, *value) for way, value in product(ways, flat)], default)
