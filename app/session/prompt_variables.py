"""What the variables of a system prompt stand for now."""

from __future__ import annotations

from PySide6.QtCore import QDate, QLocale

from app.session.model_service import Pair


def values(pair: Pair) -> dict[str, str]:
    """By the names in `chat_settings.VARIABLES`. A prompt is for a model, so names are in English."""
    # It compiles patterns, and no chat is asked anything before the window is there.
    import platform

    english, today = QLocale(QLocale.Language.English), QDate.currentDate()
    system = {"Darwin": f"macOS {platform.mac_ver()[0]}"}.get(platform.system(), platform.system())
    return {
        "date": today.toString("yyyy-MM-dd"),
        "weekday": english.dayName(today.dayOfWeek()),
        "language": QLocale.languageToString(QLocale().language()),
        "model": pair.names[0],
        "draft": pair.names[1],
        "computer": system.strip(),
    }
