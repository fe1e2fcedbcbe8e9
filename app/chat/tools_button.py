"""The button below the message box that says which tools the chat has, with one switch for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.session.session import Session
from app.tools.tool import Permission, Tool
from app.widgets.labels import wrapped_tip
from app.widgets.popups import Menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.tools import server_state

translate = QCoreApplication.translate


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
        self.menu_of_tools.setToolTipsVisible(True)
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
            words = self.tr("Tools can be switched on once a model is loaded.")
        self.setToolTip(wrapped_tip(words))
        self.updateGeometry()

    retranslate = refresh

    def _fill(self) -> None:
        session, menu = self._session, self.menu_of_tools
        menu.clear()
        switch = menu.addAction(self.tr("Use tools in this chat"))
        switch.setCheckable(True)
        switch.setChecked(session.tools.is_on(session.chat))
        switch.triggered.connect(lambda on: session.tools.set_on(session.chat, on))
        self._add_server("Tandem", [one.tool for one in session.tools.built_in])
        on = session.tools.has_servers(session.chat)
        for server in session.tools.settings.servers:
            status = session.tools.host.status(server.name)
            state = server_state(server, status)
            off = self.tr("Off until tools are switched on in this chat")
            self._add_server(f"{server.name} · {state if on else off}", status.tools)

    def _add_server(self, heading: str, tools: Sequence[Tool]) -> None:
        """Add a heading and its tools, which are only shown."""
        menu = self.menu_of_tools
        menu.addSeparator()
        # Styles draw the titles of sections as lines only.
        menu.addAction(heading).setEnabled(False)
        for tool in tools:
            words = _permission(self._session.tools.permission(self._session.chat, tool))
            shown = menu.addAction(f"    {tool.title or tool.name} · {words}")
            shown.setEnabled(False)
            shown.setToolTip(wrapped_tip(tool.description[:400]))


def _permission(permission: Permission) -> str:
    return {
        Permission.ASK: translate("ToolsButton", "asks first"),
        Permission.CHAT: translate("ToolsButton", "allowed in this chat"),
        Permission.ALWAYS: translate("ToolsButton", "always allowed"),
        Permission.DENY: translate("ToolsButton", "denied"),
    }[permission]
