"""The buttons below the message box that show and choose the chat's preset, its thinking and its tools."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from app.conversations.chat_settings import ANSWER_FORMAT
from app.conversations.presets import BUILT_IN, Preset, preset_in_use
from app.session.session import Session
from app.tools.tool import Tool
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import set_name, wrapped_tip
from app.widgets.popups import Menu
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.tools import server_state, tool_name
from engine.tokenizers.thinking import SWITCHED, ThinkingChoice

DEFAULTS = Preset("")
_SET_ASIDE = "set-aside"
# In pixels.
_WIDEST_PRESET_NAME = 160
# In pixels: the state of a server can be a long error.
_WIDEST_STATE = 360


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


class PresetButton(ThemeAware, QToolButton):
    """Opens the chat's settings by the action `settings`.

    Names the chat's preset unless it is the defaults, and says whether answers are JSON.
    """

    def __init__(self, session: Session, settings: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        styled(self, "small")
        self.setIcon(icon("settings"))
        self.setIconSize(QSize(18, 14))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(settings.trigger)
        session.chats.opened.connect(self.refresh)
        session.settings.chat_changed.connect(self.refresh)
        session.settings.presets_changed.connect(self.refresh)
        self.restyle()

    def refresh(self) -> None:
        """Show the settings of the chat on screen."""
        chosen = chosen_in(self._session)
        name = name_of(chosen) if chosen != DEFAULTS else ""
        if ANSWER_FORMAT in self._session.chat.own:
            name = f"{name} · JSON"
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(style.ToolButtonTextBesideIcon if name else style.ToolButtonIconOnly)
        short = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, _WIDEST_PRESET_NAME)
        self.setText(short.replace("&", "&&"))
        set_name(self, self.tr("Chat settings: {name}").format(name=name or name_of(chosen)))
        self.updateGeometry()

    retranslate = refresh


class ThinkingButton(ThemeAware, QToolButton):
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


class ToolsButton(ThemeAware, QToolButton):
    """Opens a menu: the switch, then the servers with their tools.

    For models that cannot call tools it is grey with a mark; its menu says why, and opens the choice of another one by
    the action `choose_model`. Hidden until the person has set up a server, or switched the chat's tools on or off.
    """

    def __init__(self, session: Session, choose_model: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._choose_model = choose_model
        self.setObjectName("tools")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setIcon(icon("info", "faint"))
        self.setIconSize(QSize(14, 14))
        self.menu_of_tools = Menu(self)
        self.menu_of_tools.aboutToShow.connect(self._fill)
        self.setMenu(self.menu_of_tools)
        for changed in (session.chats.opened, session.tools.changed, session.models.changed):
            changed.connect(self.refresh)
        self.restyle()

    def refresh(self) -> None:
        """Show whether the chat on screen has tools."""
        session = self._session
        usable = session.tools.usable
        on = usable and session.tools.is_on(session.chat)
        self.setVisible(session.tools.concern(session.chat))
        set_style_class(self, "small" if usable else "small-faint")
        style = Qt.ToolButtonStyle
        # A mark says that a click tells more.
        self.setToolButtonStyle(style.ToolButtonTextOnly if usable else style.ToolButtonTextBesideIcon)
        if session.tools.servers_of(session.chat) or session.tools.web_tools_of(session.chat):
            self.setText(self.tr("Tools: on"))
        else:
            self.setText(self.tr("Tools: Tandem only") if on else self.tr("Tools: off"))
        self.setAccessibleName(self.text())
        words = self.tr("The tools that the model can use in this chat") if usable else joined(*self._why_unusable)
        self.setToolTip(wrapped_tip(words))
        self.setAccessibleDescription(words)
        self.updateGeometry()

    retranslate = refresh

    @property
    def _why_unusable(self) -> list[str]:
        """The sentences that say why the chat can have no tools now."""
        if self._session.models.pair.main is None:
            return [self.tr("You can turn on tools once a model is loaded.")]
        return [self.tr("This model can't use tools."), self.tr("Its chat template has no place for them.")]

    def _fill(self) -> None:
        session = self._session
        menu = self.menu_of_tools
        menu.clear()
        for listed in menu.findChildren(Menu):
            listed.deleteLater()
        tools = session.tools
        if not tools.usable:
            for sentence in self._why_unusable:
                menu.addAction(sentence).setEnabled(False)
            menu.addSeparator()
            menu.addAction(self.tr("Choose a model that can…"), self._choose_model.trigger)
            return
        chat = session.chat
        unused = self.tr("Not used in this chat")
        on = tools.is_on(chat)
        all_on = tools.takes_servers(chat)
        only_own = on and not all_on
        words = self.tr("Use all tools in this chat") if only_own else self.tr("Use tools in this chat")
        switch = menu.addAction(words)
        switch.setCheckable(True)
        switch.setChecked(all_on)
        switch.triggered.connect(lambda on: tools.set_on(session.chat, on))
        menu.addSeparator()
        own_tools = [built_in.tool for built_in in tools.built_in]
        if all_on:
            own_tools += tools.web_tools
        off_web = [tool for tool in tools.web_tools if tools.is_off(tool)]
        self._add_server("Tandem" if on else f"Tandem · {unused}", own_tools, on, off_web)
        for server in tools.settings.servers:
            status = tools.host.status(server.name)
            used = server.name in tools.servers_of(chat)
            off = [tool for tool in status.tools if tools.is_off(tool)]
            state = unused if server.usable and not used else server_state(server, status, off)
            self._add_server(f"{server.name} · {state}", status.tools, used, off)

    def _add_server(self, words: str, tools: Sequence[Tool], used: bool, off: Sequence[Tool] = ()) -> None:
        """Add a server, from which its tools open if the chat uses them and they are known; grey is what it doesn't."""
        title = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, theme.scaled(_WIDEST_STATE))
        if not tools or not used:
            self.menu_of_tools.addAction(title).setEnabled(used)
            return
        listed = Menu(self.menu_of_tools)
        listed.setTitle(title)
        if not all(tool.asks_nobody for tool in tools):
            # The ticks are a permission, which no chat has for itself.
            listed.addAction(self.tr("In all chats")).setEnabled(False)
        for tool in tools:
            is_off = tool in off
            name = tool_name(tool.server, tool.name, tool.title)
            listed.add_choice(name, not is_off, partial(self._session.tools.switch, tool, is_off))
            # A tool that asks nobody has no permission to change.
            listed.actions()[-1].setEnabled(not tool.asks_nobody)
        self.menu_of_tools.addMenu(listed)
