"""Words for times of less than a few seconds, in the language and number format of the window."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from app.wording.sentences import translate


def brief(seconds: float, decimals: int = 0) -> str:
    """Format a short time: "310 ms" with this many decimals, and from one second on "1.3 s" or "12 s"."""
    number = QLocale().toString
    milliseconds = round(1e3 * seconds, decimals)
    if milliseconds < 1e3:
        return translate("Figures", "{value} ms").format(value=number(float(milliseconds), "f", decimals))
    return translate("Figures", "{value} s").format(value=number(seconds, "f", 1 if seconds < 9.95 else 0))
