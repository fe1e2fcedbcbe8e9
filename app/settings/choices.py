"""The choices of settings as (value, words); words are "" for a name that is the same in every language."""

from __future__ import annotations

from app.system.translatable import QT_TRANSLATE_NOOP

LANGUAGE_NAMES = (("en", ""), ("ko", ""), ("ja", ""), ("zh_CN", ""))
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
# The connection between several Macs.
BACKENDS = (
    ("auto", QT_TRANSLATE_NOOP("Settings", "Automatic")),
    ("ring", QT_TRANSLATE_NOOP("Settings", "Network")),
    ("jaccl", QT_TRANSLATE_NOOP("Settings", "Thunderbolt")),
)
