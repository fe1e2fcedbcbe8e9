"""The page of tools: the servers that a person has set up, their state, and what each of their tools may do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from app.session.tool_service import ToolService
from app.settings_window.form import Form
from app.settings_window.server_card import ServerCard
from app.settings_window.server_view import ServerView
from app.system.background import Background
from app.tools.errors import ToolFailed
from app.tools.servers import Server, servers_of
from app.tools.tool import Permission, Tool
from app.widgets.labels import label
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.errors import joined
from app.wording.tools import tool_sentence


class ToolsPage(Restyled, Form):
    """Lists the servers. None runs before the person has seen its command and agreed to it."""

    def __init__(self, tools: ToolService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools = tools
        self._background = Background("tool-settings", parent=self)
        self._views: dict[str, ServerView] = {}
        self.card: ServerCard | None = None
        self.bound("Tools", self.title)
        self.bound(
            "Servers of tools (MCP) let the model read and do things outside of the chat, in chats whose tools are "
            "on. Each call is shown, and asks first unless you choose otherwise.",
            self.note,
        )
        self.note.show()
        self.add_server = self.bound("Add a server…", styled(QPushButton(self), "button"))
        self.import_file = self.bound("Import mcp.json…", styled(QPushButton(self), "button"))
        self.add_line(12, self.add_server, self.import_file)
        self.hint, self.outcome = label(self, "muted", wraps=True), label(self, "reason-plain", wraps=True)
        self.bound("Or drop the file of another app onto this page.", self.hint)
        self.add(self.hint, 6)
        self.add(self.outcome, 6)
        self.add_server.clicked.connect(lambda: self._open_card(None))
        self.import_file.clicked.connect(self._choose_file)
        self.viewport().setAcceptDrops(True)
        tools.changed.connect(self._show)
        self._say("")
        self.restyle()

    def view(self, name: str) -> ServerView:
        """Return what shows the server of that name."""
        return self._views[name]

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        """Show the servers as they are, and keep what is shown of those that stay."""
        servers = {server.name: server for server in self._tools.settings.servers}
        for name in set(self._views) - set(servers):
            self._views.pop(name).deleteLater()
        for name, server in servers.items():
            if (view := self._views.get(name)) is None:
                view = self._views[name] = ServerView(self._tools.settings.permission, self._permit, self.widget())
                view.tested.connect(self._test)
                view.edited.connect(self._open_card)
                view.changed.connect(lambda changed: self._put([changed]))
                self.add(view)
            view.show_server(server, self._tools.host.status(name))

    def _say(self, words: str) -> None:
        self.outcome.setText(words)
        self.outcome.setVisible(bool(words))

    # Changes. They may ask for the keychain, so they run in the background.

    def _put(self, servers: Sequence[Server], words: str = "", then: Callable[[], object] = lambda: None) -> None:
        def done(stored: list[bool]) -> None:
            missing = self.tr("This Mac has no keychain that Tandem can use: the values are for this run only.")
            self._say(words if all(stored) else joined(words, missing))
            self._tools.servers_changed()
            then()

        self._background.run(lambda: [self._tools.settings.put(server) for server in servers], done, owner=self)

    def _remove(self, name: str) -> None:
        self._background.run(
            partial(self._tools.settings.remove, name), lambda _: self._tools.servers_changed(), owner=self
        )

    def _open_card(self, server: Server | None) -> None:
        if self.card is None:
            self.card = ServerCard(self.window())
            self.card.entered.connect(lambda entered: self._put([entered]))
            self.card.removed.connect(self._remove)
        self.card.edit(server, {one.name for one in self._tools.settings.servers})

    def _permit(self, tool: Tool, permission: Permission) -> None:
        self._tools.settings.permit(tool, permission)
        self._tools.changed.emit()

    def _test(self, server: Server) -> None:
        """Start a server as it was shown, to which the person agrees by that, and list its tools."""

        def start() -> None:
            # A server that was too slow is started again only after this.
            self._tools.host.stop(server.name)
            self._tools.host.tools([server.name])

        self._put([server.as_approved()], then=start)

    # Importing

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.window(), self.tr("Import mcp.json"), str(Path.home()), "*.json")
        if name:
            self.import_servers(Path(name))

    def import_servers(self, file: Path) -> None:
        """Add the servers of a file; those whose names are taken stay as they are."""
        try:
            found = servers_of(file)
        except ToolFailed as error:
            self._say(tool_sentence(error.code, error.arguments))
            return
        taken = {server.name for server in self._tools.settings.servers}
        added = [server for server in found if server.name not in taken]
        left = ", ".join(server.name for server in found if server.name in taken)
        words = self.tr("Imported: {names}.").format(names=", ".join(one.name for one in added)) if added else ""
        if left:
            words = joined(
                words, self.tr("These names were already taken and stay as they are: {names}.").format(names=left)
            )
        self._put(added, words)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if [url for url in event.mimeData().urls() if url.isLocalFile()]:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.import_servers(Path(url.toLocalFile()))
        event.acceptProposedAction()
