"""Cancelling work that runs on another thread."""

from __future__ import annotations


class Cancelled(Exception):
    """Raised by work between two of its steps once it was cancelled, so that each step is done whole or not at all."""
