"""The choices of settings as (value, words); words are "" for a name that is the same in every language."""

from __future__ import annotations

from app.system.translatable import QT_TRANSLATE_NOOP

LANGUAGE_NAMES = (("en", ""), ("ko", ""), ("ja", ""), ("zh_CN", ""))
LANGUAGES = (("system", QT_TRANSLATE_NOOP("Settings", "Match system")), *LANGUAGE_NAMES)
THEMES = (
    ("system", QT_TRANSLATE_NOOP("Settings", "Match system")),
    ("light", QT_TRANSLATE_NOOP("Settings", "Light")),
    ("dark", QT_TRANSLATE_NOOP("Settings", "Dark")),
)
TEXT_SIZES = (
    (90, QT_TRANSLATE_NOOP("Settings", "Small")),
    (100, QT_TRANSLATE_NOOP("Settings", "Normal")),
    (115, QT_TRANSLATE_NOOP("Settings", "Large")),
    (130, QT_TRANSLATE_NOOP("Settings", "Very large")),
)
SEND_KEYS = (
    ("enter", QT_TRANSLATE_NOOP("Settings", "Enter")),
    ("modifier", QT_TRANSLATE_NOOP("Settings", "Cmd+Enter (Ctrl+Enter)")),
)
START_PAIRS = (
    ("last", QT_TRANSLATE_NOOP("Settings", "Last used models")),
    ("starter", QT_TRANSLATE_NOOP("Settings", "The starter pair")),
)
THINKING = (
    ("auto", QT_TRANSLATE_NOOP("Settings", "Model default")),
    ("off", QT_TRANSLATE_NOOP("Settings", "Off")),
    ("on", QT_TRANSLATE_NOOP("Settings", "On")),
    ("low", QT_TRANSLATE_NOOP("Settings", "Low")),
    ("medium", QT_TRANSLATE_NOOP("Settings", "Medium")),
    ("high", QT_TRANSLATE_NOOP("Settings", "High")),
    ("max", QT_TRANSLATE_NOOP("Settings", "Maximum")),
)
WHEN_FULL = (
    ("refuse", QT_TRANSLATE_NOOP("Settings", "Stop and notify me")),
    ("shorten", QT_TRANSLATE_NOOP("Settings", "Drop the oldest messages")),
)
LOG_LEVELS = (
    ("warning", QT_TRANSLATE_NOOP("Settings", "Errors and warnings")),
    ("info", QT_TRANSLATE_NOOP("Settings", "Errors, warnings and events")),
    ("debug", QT_TRANSLATE_NOOP("Settings", "Everything")),
)
FIT_CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
# Where the draft model drafts while the main model verifies; another computer runs `tandem drafter serve`.
AHEAD = (
    ("off", QT_TRANSLATE_NOOP("Settings", "Off")),
    ("auto", QT_TRANSLATE_NOOP("Settings", "Automatic")),
    ("cpu", QT_TRANSLATE_NOOP("Settings", "This Mac's CPU")),
    ("remote", QT_TRANSLATE_NOOP("Settings", "Another computer")),
)
# Bits of the KV cache, 0 for the model's own precision.
KV_PRECISION = (
    (0, QT_TRANSLATE_NOOP("Settings", "Full precision")),
    (8, QT_TRANSLATE_NOOP("Settings", "8-bit")),
    (4, QT_TRANSLATE_NOOP("Settings", "4-bit")),
)
RULES = (
    ("match", QT_TRANSLATE_NOOP("Settings", "Same text")),
    ("rejection", QT_TRANSLATE_NOOP("Settings", "Same distribution")),
)
