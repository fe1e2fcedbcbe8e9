"""The versions of what computes, which have to be the same on all machines. Imports no MLX."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    """Return the versions here of what computes; "" for a package that is not installed, as Tandem in a checkout."""
    numbers = dict.fromkeys(("tandem-chat", "mlx", "mlx-lm"), "")
    for package in numbers:
        with suppress(PackageNotFoundError):
            numbers[package] = version(package)
    return numbers


def other_versions(reported: Mapping[str, str], expected: Mapping[str, str]) -> str:
    """Return which of the versions that a machine reports differ from this machine's; "" if none do."""
    differing = [name for name in expected if reported.get(name) != expected[name]]
    return "; ".join(f"{name} {reported.get(name, '?')}, not {expected[name]}" for name in differing)
