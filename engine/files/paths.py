"""The paths of the files that come with Tandem: next to the packages, in a checkout and in an installed wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def resources() -> Path:
    """Return the folder with the starter pair, the catalog, icons and themes."""
    return Path(__file__).resolve().parent.parent.parent / "resources"


def starter_pair() -> tuple[Path, Path]:
    """The folders of the starter pair that comes with Tandem: main and draft."""
    return resources() / "starter" / "main", resources() / "starter" / "draft"


def is_known_good(path: Path) -> bool:
    """Whether a model folder came with Tandem, so that its template and tokenizer can be trusted."""
    return path.resolve().is_relative_to(resources().resolve() / "starter")
