"""The speculation menu: what drafts, and the models."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog

from app.system.translatable import QT_TRANSLATE_NOOP
from app.window.actions.parts import WindowAction, WindowParts


def _open_main(parts: WindowParts) -> None:
    title = QCoreApplication.translate("Actions", "Choose a main model folder")
    if folder := QFileDialog.getExistingDirectory(parts.window, title):
        parts.session.models.load(folder, None)


def _open_draft(parts: WindowParts) -> None:
    title = QCoreApplication.translate("Actions", "Choose a draft model folder")
    if folder := QFileDialog.getExistingDirectory(parts.window, title):
        parts.session.models.set_draft(folder)


def _use_method(method: str, parts: WindowParts) -> None:
    parts.session.settings.set_speculation(replace(parts.session.settings.speculation, method=method))


def _compare(parts: WindowParts) -> None:
    chat, shown = parts.session.chat, parts.comparer.comparison
    if chat.turns:
        parts.comparer.start(chat, chat.turns[-1])
    elif shown is not None:
        # The demonstration of the welcome page is in no chat.
        parts.comparer.demonstrate(shown.question)
    if parts.comparer.running and parts.comparison.isHidden():
        parts.comparison.open()


def _tune(parts: WindowParts) -> None:
    parts.tuner.start()
    if parts.tuning.isHidden():
        parts.tuning.open()


SPECULATION_ACTIONS = (
    WindowAction(
        "speculation-auto",
        QT_TRANSLATE_NOOP("Actions", "Auto"),
        QT_TRANSLATE_NOOP("Actions", "Speculate only when it is faster"),
        partial(_use_method, "auto"),
        "Ctrl+Alt+1",
        group="speculation",
        checked=lambda parts: parts.session.settings.speculation.method == "auto",
    ),
    WindowAction(
        "speculation-on",
        QT_TRANSLATE_NOOP("Actions", "On"),
        QT_TRANSLATE_NOOP("Actions", "Always speculate with the draft model"),
        partial(_use_method, "draft"),
        "Ctrl+Alt+2",
        group="speculation",
        checked=lambda parts: parts.session.settings.speculation.method == "draft",
    ),
    WindowAction(
        "speculation-off",
        QT_TRANSLATE_NOOP("Actions", "Off"),
        QT_TRANSLATE_NOOP("Actions", "Do not speculate"),
        partial(_use_method, "off"),
        "Ctrl+Alt+3",
        group="speculation",
        checked=lambda parts: parts.session.settings.speculation.method == "off",
    ),
    WindowAction(
        "choose-main",
        QT_TRANSLATE_NOOP("Actions", "Choose main model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a main model"),
        lambda parts: parts.models.main_picker.open(),
        "Ctrl+Shift+M",
        "main-model",
        begins_section=True,
    ),
    WindowAction(
        "choose-draft",
        QT_TRANSLATE_NOOP("Actions", "Choose draft model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a draft model"),
        lambda parts: parts.models.draft_picker.open(),
        "Ctrl+Shift+D",
        "draft-on",
    ),
    WindowAction(
        "no-draft",
        QT_TRANSLATE_NOOP("Actions", "No draft model"),
        QT_TRANSLATE_NOOP("Actions", "Answer without a draft model"),
        lambda parts: parts.session.models.set_draft(None),
        enabled=lambda now: not now.loading,
    ),
    WindowAction(
        "open-main",
        QT_TRANSLATE_NOOP("Actions", "Open main model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a main model folder"),
        _open_main,
        "Ctrl+Alt+M",
        "folder",
        enabled=lambda now: not now.loading,
        begins_section=True,
    ),
    WindowAction(
        "open-draft",
        QT_TRANSLATE_NOOP("Actions", "Open draft model…"),
        QT_TRANSLATE_NOOP("Actions", "Choose a draft model folder"),
        _open_draft,
        "Ctrl+Alt+D",
        "folder",
        enabled=lambda now: not now.loading,
    ),
    WindowAction(
        "use-starter",
        QT_TRANSLATE_NOOP("Actions", "Use the starter pair"),
        QT_TRANSLATE_NOOP("Actions", "Load the two small models that come with Tandem"),
        lambda parts: parts.session.models.load_starter(),
        enabled=lambda now: not now.loading,
        begins_section=True,
    ),
    WindowAction(
        "unload",
        QT_TRANSLATE_NOOP("Actions", "Unload models"),
        QT_TRANSLATE_NOOP("Actions", "Free the memory of both models"),
        lambda parts: parts.session.models.unload(),
        enabled=lambda now: not now.loading,
    ),
    WindowAction(
        "compare",
        QT_TRANSLATE_NOOP("Actions", "Compare"),
        QT_TRANSLATE_NOOP("Actions", "Answer the last question with and without speculation, side by side"),
        _compare,
        enabled=lambda now: now.can_measure and (now.has_turns or now.demonstrated),
        begins_section=True,
    ),
    WindowAction(
        "tune",
        QT_TRANSLATE_NOOP("Actions", "Tune for this Mac"),
        QT_TRANSLATE_NOOP("Actions", "Measure the cost and benefit of speculation for these models"),
        _tune,
        enabled=lambda now: now.can_measure,
    ),
)
