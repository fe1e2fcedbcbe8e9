"""The titles of alerts in answers: `> [!NOTE]` and the like."""

from __future__ import annotations

from app.wording.sentences import Sentences

ALERT_TITLES = Sentences("Alerts", {name: name for name in ("Note", "Tip", "Important", "Warning", "Caution")})
