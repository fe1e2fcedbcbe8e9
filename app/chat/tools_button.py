"""The button below the message box that says which tools the chat has, with one switch for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.session.session import Session
from app.tools.tool import Tool
from app.widgets import theme
from app.widgets.labels import wrapped_tip
from app.widgets.popups import Menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.tools import server_state, tool_name

# In pixels, for the state of a server, which can be a long error.
_WIDEST = 360


class ToolsButton(Restyled, QToolButton):
    """Opens a menu: the switch, then the servers with their tools. Disabled for models that cannot call tools."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        styled(self, "small")
        self.setObjectName("tools")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_of_tools = Menu(self)
        self.menu_of_tools.aboutToShow.connect(self._fill)
        self.setMenu(self.menu_of_tools)
        for changed in (session.chats.opened, session.tools.changed, session.models.changed):
            changed.connect(self.refresh)
        self.restyle()

    def refresh(self) -> None:
        """Show whether the chat on screen has tools."""
        session = self._session
        loaded, usable = session.models.pair.main is not None, session.tools.usable
        on = usable and session.tools.is_on(session.chat)
        self.setEnabled(usable)
        self.setText(self.tr("Tools: on") if on else self.tr("Tools: off"))
        self.setAccessibleName(self.text())
        if usable:
            words = self.tr("The tools that the model can use in this chat")
        elif loaded:
            words = self.tr(
                "This model can't use tools: its chat template has no place for them. Choose another model."
            )
        else:
            words = self.tr("You can turn on tools once a model is loaded.")
        self.setToolTip(wrapped_tip(words))
        self.updateGeometry()

    retranslate = refresh

    def _fill(self) -> None:
        session, menu = self._session, self.menu_of_tools
        menu.clear()
        for listed in menu.findChildren(Menu):
            listed.deleteLater()
        switch = menu.addAction(self.tr("Use tools in this chat"))
        switch.setCheckable(True)
        switch.setChecked(session.tools.is_on(session.chat))
        switch.triggered.connect(lambda on: session.tools.set_on(session.chat, on))
        menu.addSeparator()
        self._add_server("Tandem", [one.tool for one in session.tools.built_in])
        off = "" if session.tools.has_servers(session.chat) else self.tr("Off until you turn on tools in this chat")
        for server in session.tools.settings.servers:
            status = session.tools.host.status(server.name)
            self._add_server(f"{server.name} · {off or server_state(server, status)}", status.tools)

    def _add_server(self, words: str, tools: Sequence[Tool]) -> None:
        """Add a server, from which its tools open; they are only shown."""
        listed = Menu(self.menu_of_tools)
        listed.setTitle(self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, theme.scaled(_WIDEST)))
        listed.setEnabled(bool(tools))
        for tool in tools:
            listed.addAction(tool_name(tool.server, tool.name, tool.title)).setEnabled(False)
        self.menu_of_tools.addMenu(listed)
