"""Below the message box: which preset the chat has, with a menu to choose another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.chat.preset_names import DEFAULTS, choose, chosen_in, name_of, presets_of
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import tip

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.session.session import Session

_WIDEST_NAME = 160


class PresetButton(QToolButton):
    """`settings` is the action that opens the chat's settings."""

    def __init__(self, session: Session, settings: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._settings = session, settings
        self.setProperty("styleClass", "small")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(14, 14))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_ = QMenu(self)
        self.setMenu(self.menu_)
        self.menu_.aboutToShow.connect(self.fill_menu)
        session.chats.opened.connect(self.refresh)
        session.settings.chat_changed.connect(self.refresh)
        session.settings.presets_changed.connect(self.refresh)
        self._apply_theme()
        self.refresh()

    def refresh(self) -> None:
        chosen = chosen_in(self._session)
        name = name_of(chosen) if chosen != DEFAULTS else self.tr("Preset")
        short = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, _WIDEST_NAME)
        self.setText(short.replace("&", "&&"))
        words = self.tr("System prompt and settings of this chat: {name}").format(name=name_of(chosen))
        self.setToolTip(tip(words))
        self.setAccessibleName(words)
        self.updateGeometry()

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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "menu_"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        elif event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
        self.setIcon(icon("settings", theme.colours().muted))
