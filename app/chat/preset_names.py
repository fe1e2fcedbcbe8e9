"""The presets of a chat and the names that the window shows."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.conversations.presets import BUILT_IN, Preset, preset_in_use
from app.session.session import Session

DEFAULTS = Preset("")
_SET_ASIDE = "set-aside"


def name_of(preset: Preset | None) -> str:
    """Return the name of a preset. None stands for settings that differ from every preset."""
    translate = QCoreApplication.translate
    if preset is None:
        return translate("Presets", "Custom")
    if preset == DEFAULTS:
        return translate("Presets", "Defaults")
    words = {
        "precise": translate("Presets", "Precise"),
        "balanced": translate("Presets", "Balanced"),
        "creative": translate("Presets", "Creative"),
        "concise": translate("Presets", "Concise"),
        _SET_ASIDE: translate("Presets", "Custom"),
    }
    return words.get(preset.built_in, preset.name)


def presets_of(session: Session) -> list[Preset]:
    """Return the choices: defaults, built-in presets, the user's own, and the settings that a preset replaced."""
    aside = session.chat.set_aside
    if aside is None or chosen_in(session) is None:
        return _named(session)
    return [*_named(session), Preset("", *aside, built_in=_SET_ASIDE)]


def chosen_in(session: Session) -> Preset | None:
    """Return the preset of the chat on screen; None if its settings differ from every preset."""
    return preset_in_use(_named(session), session.chat.system_prompt, session.chat.own)


def choose(session: Session, preset: Preset) -> None:
    """Apply a preset to the chat on screen, after setting aside settings that differ from every preset."""
    if chosen_in(session) is None:
        session.settings.set_aside(session.chat)
    session.settings.set_own(session.chat, preset.system_prompt, preset.own)


def _named(session: Session) -> list[Preset]:
    return [DEFAULTS, *BUILT_IN, *session.settings.presets]
