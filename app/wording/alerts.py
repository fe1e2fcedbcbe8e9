"""The titles of blocks in answers: of alerts, `> [!NOTE]` and the like, and of results that a model repeats."""

from __future__ import annotations

from app.wording.sentences import Sentences

BLOCK_TITLES = Sentences(
    "Alerts", {name: name for name in ("Note", "Tip", "Important", "Warning", "Caution", "Result of a tool")}
)
