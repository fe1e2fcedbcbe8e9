"""The current values of the variables in system prompts."""

from __future__ import annotations

from PySide6.QtCore import QDate, QLocale

from app.session.model_names import english_name
from app.session.model_service import Pair


def values(pair: Pair) -> dict[str, str]:
    """Return the values of the variables in prompts by name, in English, because models read them."""
    # Imported here because the import is slow and not needed before the window opens.
    import platform

    english = QLocale(QLocale.Language.English)
    today = QDate.currentDate()
    main, draft = (english_name(name) if name else "" for name in pair.names)
    system = {"Darwin": f"macOS {platform.mac_ver()[0]}"}.get(platform.system(), platform.system())
    return {
        "date": today.toString("yyyy-MM-dd"),
        "weekday": english.dayName(today.dayOfWeek()),
        "language": QLocale.languageToString(QLocale().language()),
        "model": main,
        "draft": draft,
        "computer": system.strip(),
    }
