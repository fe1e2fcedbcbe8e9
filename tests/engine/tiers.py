"""Parameters of tests by tier."""

from __future__ import annotations

from collections.abc import Container, Iterable
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
