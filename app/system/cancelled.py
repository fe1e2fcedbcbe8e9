"""The exception of work that was cancelled."""

from __future__ import annotations


class Cancelled(Exception):
    """Raised by work between two steps once it was cancelled, so that no step is left half done."""
