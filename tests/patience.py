"""The time that a test waits for an event: long enough for a loaded machine, so that only a missing event fails."""

from __future__ import annotations

PATIENCE_S = 120.0
