"""The exception of work that was cancelled."""

from __future__ import annotations


class Cancelled(Exception):
    """Raised by work between two of its steps once it was cancelled, so that each step is done whole or not at all."""
