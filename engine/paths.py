"""Where the files that come with Tandem are: beside the packages, in a checkout as in an installed wheel."""

from __future__ import annotations

from pathlib import Path


def resources() -> Path:
    """The folder with the starter pair, the catalog, icons and themes."""
    return Path(__file__).resolve().parent.parent / "resources"
