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
from app.tools.permissions import Permission
from app.tools.servers import LARGEST_FILE, Server, servers_from_json
from app.tools.tool import Tool
from app.widgets.labels import label
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.errors import joined
from app.wording.tools import tool_sentence
from engine.files.bounded_json import UntrustedJsonError, read_bytes


class ToolsPage(Restyled, Form):
    """Lists the servers. None runs before the person has seen its command and agreed to it."""

    def __init__(self, tools: ToolService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools = tools
        self._background = Background("tool-settings", parent=self)
        self._views: dict[str, ServerView] = {}
        self._testing: set[str] = set()
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
                view = self._views[name] = ServerView(self.widget())
                view.tested.connect(partial(self._test, name))
                view.edited.connect(partial(self._edit, name))
                view.removed.connect(partial(self._remove, name))
                view.permitted.connect(self._permit)
                self.add(view)
            status = self._tools.host.status(name)
            if status.state in ("running", "failed"):
                self._testing.discard(name)
            permissions = [self._tools.settings.permission(tool) for tool in status.tools]
            view.show_server(server, status, permissions, under_test=name in self._testing)

    def _server(self, name: str) -> Server:
        return next(server for server in self._tools.settings.servers if server.name == name)

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

    def _edit(self, name: str) -> None:
        self._open_card(self._server(name))

    def _open_card(self, server: Server | None) -> None:
        if self.card is None:
            self.card = ServerCard(self.window())
            self.card.entered.connect(lambda entered: self._put([entered]))
            self.card.agreed.connect(
                lambda agreed: self._put([agreed.as_approved()], then=partial(self._start, agreed))
            )
        self.card.edit(server, {one.name for one in self._tools.settings.servers})

    def _permit(self, chosen: Sequence[tuple[Tool, Permission]]) -> None:
        for tool, permission in chosen:
            self._tools.settings.permit(tool, permission)
        self._tools.changed.emit()

    # Testing

    def _test(self, name: str) -> None:
        """Start a server and list its tools, after the person has agreed to what runs."""
        server = self._server(name)
        if server.is_approved:
            self._start(server)
            return
        self._open_card(None)
        assert self.card is not None
        self.card.ask(server)

    def _start(self, server: Server) -> None:
        self._testing.add(server.name)
        # A server that was too slow is started again only after this.
        self._tools.host.stop(server.name)
        self._background.watch(self._tools.host.tools([server.name]), lambda _: self._show(), owner=self)
        self._show()

    # Importing

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.window(), self.tr("Import mcp.json"), str(Path.home()), "*.json")
        if name:
            self.import_servers(Path(name))

    def import_servers(self, file: Path) -> None:
        """Add the servers of a file; those whose names are taken stay as they are."""
        try:
            found = servers_from_json(read_bytes(file, LARGEST_FILE).decode("utf-8-sig", "replace"))
        except UntrustedJsonError as error:
            self._say(self.tr("{file} can't be read: {detail}.").format(file=file, detail=error))
            return
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
