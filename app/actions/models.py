"""The actions of the models menu."""

from __future__ import annotations

from app.actions.spec import ActionSpec
from app.system.translatable import QT_TRANSLATE_NOOP

MODELS_ACTIONS = (
    ActionSpec(
        "choose-main",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Choose main model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a main model"),
        "Ctrl+Shift+M",
        "main-model",
    ),
    ActionSpec(
        "choose-draft",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Choose draft model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a draft model"),
        "Ctrl+Shift+D",
        "draft-on",
    ),
    ActionSpec(
        "models-page",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Models and downloads…"),
        QT_TRANSLATE_NOOP("Actions", "Show models and downloads"),
        "Ctrl+Shift+L",
        "arrow-down",
    ),
    ActionSpec(
        "unload",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Unload models"),
        QT_TRANSLATE_NOOP("Actions", "Free the memory of both models"),
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "use-starter",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Use the starter pair"),
        QT_TRANSLATE_NOOP("Actions", "Load the two small models that come with Tandem"),
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "open-main",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Open main model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a folder with a main model"),
        "Ctrl+Alt+M",
        "folder",
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "open-draft",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Open draft model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a folder with a draft model"),
        "Ctrl+Alt+D",
        "folder",
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "no-draft",
        "models",
        QT_TRANSLATE_NOOP("Actions", "No draft model"),
        QT_TRANSLATE_NOOP("Actions", "Answer without a draft model"),
        enabled=lambda now: not now.loading,
    ),
    ActionSpec(
        "speculation-auto",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Auto"),
        QT_TRANSLATE_NOOP("Actions", "Speculate whenever it pays"),
        group="speculation",
    ),
    ActionSpec(
        "speculation-on",
        "models",
        QT_TRANSLATE_NOOP("Actions", "On"),
        QT_TRANSLATE_NOOP("Actions", "Always speculate with the draft model"),
        group="speculation",
    ),
    ActionSpec(
        "speculation-off",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Off"),
        QT_TRANSLATE_NOOP("Actions", "Do not speculate"),
        group="speculation",
    ),
    ActionSpec(
        "compare",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Compare"),
        QT_TRANSLATE_NOOP("Actions", "Answer the last question with and without speculation, side by side"),
        enabled=lambda now: now.can_measure and now.has_turns,
    ),
    ActionSpec(
        "tune",
        "models",
        QT_TRANSLATE_NOOP("Actions", "Tune on this machine"),
        QT_TRANSLATE_NOOP("Actions", "Measure what guessing costs and brings with these models"),
        enabled=lambda now: now.can_measure,
    ),
)
