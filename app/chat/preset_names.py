"""Presets by the names that the window shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.conversations.presets import BUILT_IN, Preset, preset_in_use

if TYPE_CHECKING:
    from app.chat_session import ChatSession

DEFAULTS = Preset("")


def name_of(preset: Preset | None) -> str:
    """None is what no preset has."""
    translate = QCoreApplication.translate
    if preset is None:
        return translate("Presets", "Own settings")
    if preset == DEFAULTS:
        return translate("Presets", "Defaults")
    words = {
        "precise": translate("Presets", "Precise"),
        "balanced": translate("Presets", "Balanced"),
        "creative": translate("Presets", "Creative"),
        "concise": translate("Presets", "Concise"),
    }
    return words.get(preset.built_in, preset.name)


def presets_of(session: ChatSession) -> list[Preset]:
    """All that can be chosen: none, those that come with Tandem, a person's own."""
    return [DEFAULTS, *BUILT_IN, *session.presets]


def chosen_in(session: ChatSession) -> Preset | None:
    """The preset of the chat on screen."""
    return preset_in_use(presets_of(session), session.chat.system_prompt, session.chat.own)
