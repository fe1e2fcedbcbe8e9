"""The button below the message box that switches the model's thinking in the chat, or chooses its level."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.session.session import Session
from app.widgets.popups import Menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from engine.tokenizers.thinking import SWITCHED, ThinkingChoice


class ThinkingButton(Restyled, QToolButton):
    """A toggle, or a menu of levels. Hidden for models whose chat template has no such choice."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        styled(self, "small")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._levels = Menu(self)
        self._levels.aboutToShow.connect(self._fill)
        self.clicked.connect(self._toggle)
        for changed in (
            *(session.chats.opened, session.settings.chat_changed),
            *(session.settings.defaults_changed, session.models.changed),
        ):
            changed.connect(self.refresh)
        self.restyle()

    @property
    def chosen(self) -> str:
        """The level that the template gets in the chat on screen; "" if its default is not one of its levels."""
        choice = self._choice
        return choice.level(self._session.settings.generation_of(self._session.chat).thinking) or choice.default

    @property
    def _choice(self) -> ThinkingChoice:
        return self._session.models.pair.thinking

    @property
    def _has_levels(self) -> bool:
        return self._choice.levels != SWITCHED

    def refresh(self) -> None:
        """Show the choice in the chat on screen."""
        self.setVisible(bool(self._choice.levels))
        has_levels = self._has_levels
        self.setMenu(self._levels if has_levels else None)  # type: ignore[arg-type]
        popup = QToolButton.ToolButtonPopupMode
        self.setPopupMode(popup.InstantPopup if has_levels else popup.DelayedPopup)
        self.setCheckable(not has_levels)
        self.setChecked(not has_levels and self.chosen == "on")
        self.setText(self.tr("Thinking: {level}").format(level=_name(self.chosen)))
        self.setToolTip(self.tr("Whether the model thinks before it answers in this chat"))
        self.setAccessibleName(self.text())
        self.updateGeometry()

    retranslate = refresh

    def choose(self, thinking: str) -> None:
        """Use this choice for the chat on screen from the next answer on."""
        chat = self._session.chat
        self._session.settings.set_own(chat, chat.system_prompt, {**chat.own, "thinking": thinking})

    def _toggle(self) -> None:
        if not self._has_levels:
            self.choose("off" if self.chosen == "on" else "on")

    def _fill(self) -> None:
        self._levels.clear()
        for level in self._choice.levels:
            self._levels.add_choice(_name(level), level == self.chosen, partial(self.choose, level))


def _name(thinking: str) -> str:
    translate = QCoreApplication.translate
    return {
        "": translate("Settings", "Model default"),
        "on": translate("Settings", "On"),
        "off": translate("Settings", "Off"),
        "low": translate("Settings", "Low"),
        "medium": translate("Settings", "Medium"),
        "high": translate("Settings", "High"),
        "max": translate("Settings", "Maximum"),
    }[thinking]
