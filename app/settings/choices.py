"""The choices of settings as (value, words); words are "" for a name that is the same in every language."""

from __future__ import annotations

LANGUAGE_NAMES = (("en", ""), ("ko", ""), ("ja", ""), ("zh_CN", ""))
LANGUAGES = (("system", "Match system"), *LANGUAGE_NAMES)
THEMES = (
    ("system", "Match system"),
    ("light", "Light"),
    ("dark", "Dark"),
)
TEXT_SIZES = (
    (90, "Small"),
    (100, "Normal"),
    (115, "Large"),
    (130, "Very large"),
)
SEND_KEYS = (
    ("enter", "Enter"),
    ("modifier", "Cmd+Enter (Ctrl+Enter)"),
)
THINKING = (
    ("auto", "Model default"),
    ("off", "Off"),
    ("on", "On"),
    ("low", "Low"),
    ("medium", "Medium"),
    ("high", "High"),
    ("max", "Maximum"),
)
WHEN_FULL = (
    ("refuse", "Stop and notify me"),
    ("shorten", "Drop the oldest messages"),
)
FIT_CONTEXTS = (4096, 8192, 16384, 32768, 65536, 131072)
# Where the draft model drafts while the main model verifies; another computer runs `tandem drafter serve`.
AHEAD = (
    ("off", "Off"),
    ("auto", "Automatic"),
    ("cpu", "This Mac's CPU"),
    ("remote", "Another computer"),
)
# Bits of the KV cache, 0 for the model's own precision.
KV_PRECISION = (
    (0, "Full precision"),
    (8, "8-bit"),
    (4, "4-bit"),
)
RULES = (
    ("match", "Same text"),
    ("rejection", "Same distribution"),
)
