"""How long a test waits for what must happen: a loaded machine takes its time, and only what never happens fails."""

from __future__ import annotations

PATIENCE_S = 120.0
