"""The button below the message box that shows the chat's preset, with a menu to choose another."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from app.chat.preset_names import DEFAULTS, choose, chosen_in, name_of, presets_of
from app.session.session import Session
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import set_name
from app.widgets.popups import Menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled

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
            action = menu.addAction(name_of(preset).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(preset == chosen)
            action.triggered.connect(lambda _=False, wanted=preset: choose(self._session, wanted))
        menu.addSeparator()
        menu.addAction(self._settings)

    def apply_theme(self) -> None:
        self.setIcon(icon("settings", theme.colours().muted))
