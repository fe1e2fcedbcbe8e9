"""Work on another thread that somebody wants no more."""

from __future__ import annotations


class Cancelled(Exception):
    """Raised between two steps of such work, so that each step is done whole or not at all."""
