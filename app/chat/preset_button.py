"""The button below the message box that shows the chat's preset, with a menu to choose another."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from app.conversations.presets import BUILT_IN, Preset, preset_in_use
from app.session.session import Session
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import set_name
from app.widgets.popups import Menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled

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
        return named_presets(session)
    return [*named_presets(session), Preset("", *aside, built_in=_SET_ASIDE)]


def chosen_in(session: Session) -> Preset | None:
    """Return the preset of the chat on screen; None if its settings differ from every preset."""
    return preset_in_use(named_presets(session), session.chat.system_prompt, session.chat.own)


def choose(session: Session, preset: Preset) -> None:
    """Apply a preset to the chat on screen, after setting aside settings that differ from every preset."""
    if chosen_in(session) is None:
        session.settings.set_aside(session.chat)
    session.settings.set_own(session.chat, preset.system_prompt, preset.own)


def named_presets(session: Session) -> list[Preset]:
    """Return the choices that do not depend on a chat."""
    return [DEFAULTS, *BUILT_IN, *session.settings.presets]


_WIDEST_NAME = 160


class PresetButton(Restyled, QToolButton):
    """The button and its menu. `settings` is the menu's action that opens the chat's settings."""

    def __init__(self, session: Session, settings: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._settings = session, settings
        styled(self, "small")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(18, 14))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_ = Menu(self)
        self.setMenu(self.menu_)
        self.menu_.aboutToShow.connect(self.fill_menu)
        session.chats.opened.connect(self.refresh)
        session.settings.chat_changed.connect(self.refresh)
        session.settings.presets_changed.connect(self.refresh)
        self.restyle()

    def refresh(self) -> None:
        """Show the preset of the chat on screen."""
        chosen = chosen_in(self._session)
        name = name_of(chosen) if chosen != DEFAULTS else self.tr("Preset")
        short = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, _WIDEST_NAME)
        self.setText(short.replace("&", "&&"))
        set_name(self, self.tr("Chat settings: {name}").format(name=name_of(chosen)))
        self.updateGeometry()

    retranslate = refresh

    def fill_menu(self) -> None:
        menu, chosen = self.menu_, chosen_in(self._session)
        menu.clear()
        for preset in presets_of(self._session):
            menu.add_choice(name_of(preset), preset == chosen, partial(choose, self._session, preset))
        menu.addSeparator()
        menu.addAction(self._settings)

    def apply_theme(self) -> None:
        self.setIcon(icon("settings", theme.colours().muted))
