"""What packages need, by the metadata of this environment."""

from __future__ import annotations

import contextlib
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement


def needed_by(name: str, found: set[str]) -> set[str]:
    """Add a package and all that it needs to `found`, and return that."""
    if name not in found:
        found.add(name)
        with contextlib.suppress(PackageNotFoundError):
            for one in map(Requirement, requires(name) or ()):
                if one.marker is None or one.marker.evaluate({"extra": ""}):
                    needed_by(one.name, found)
    return found
