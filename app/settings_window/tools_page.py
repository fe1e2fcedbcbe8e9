"""The page of tools: the servers that a person has set up, their state, and what each of their tools may do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QTextCursor
from PySide6.QtWidgets import QFileDialog, QFrame, QMessageBox, QPushButton, QWidget

from app.session.session import Session
from app.session.tool_service import ToolService
from app.settings_window.form import Form, Row
from app.settings_window.pages import PageParts
from app.settings_window.server_card import ServerCard
from app.settings_window.web_rows import CHOICES, WebRows
from app.system.background import Background
from app.tools.known_servers import FOLDER, KNOWN_SERVERS
from app.tools.servers import Server, ServerStatus, servers_of
from app.tools.tool import Permission, Tool, ToolFailed, visible
from app.widgets import theme
from app.widgets.buttons import button
from app.widgets.controls import Chooser, Switch
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import record_view
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.tools import (
    KNOWN_SIGHTS,
    KNOWN_TITLES,
    instructions_sentence,
    missing_program,
    server_consent,
    server_risk,
    server_state,
    tool_sentence,
    unoffered_sentence,
)

_CANCELLABLE = ("starting", "signing-in")
# Of the standard error, and of what a server tells; more lines scroll.
_RECORD_HEIGHT = 76
# A description is for the model, and can be a page long.
_LONGEST_DESCRIPTION = 160


class ServerView(ThemeAware, QFrame):
    """Shows one server: what it is, its state, its tools with what each may do, and its standard error.

    Its signals carry the server as it was shown: to test, to edit, to sign in to or out of, or as it is to be.
    """

    tested = Signal(object)
    edited = Signal(object)
    signed = Signal(object)
    changed = Signal(object)

    def __init__(self, tools: ToolService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._service = tools
        self._server = Server(name="")
        self._status = ServerStatus()
        self.rows: list[tuple[Tool, Row, Chooser]] = []
        self.switch = Switch(self)
        buttons = QWidget(self)
        self.test = button(self, lambda: self.tested.emit(self._server))
        self.sign = button(self, lambda: self.signed.emit(self._server))
        self.edit = self.bound("Edit…", button(self, lambda: self.edited.emit(self._server)))
        fill(hbox(buttons, margins=(0, 0, 0, 0), spacing=8), self.sign, self.test, self.edit, self.switch)
        self.row = Row(buttons, self, at_end=True)
        self.allow_reading = button(self, lambda: self._permit(self._reading, Permission.ALWAYS), "link")
        self.bound("Always allow the tools that only read", self.allow_reading)
        self.errors = self.bound("Standard error of the server", record_view(self), QWidget.setAccessibleName)
        self.told = self.bound("What the server tells the model", record_view(self), QWidget.setAccessibleName)
        for record in (self.errors, self.told):
            record.setFixedHeight(theme.scaled(_RECORD_HEIGHT))
        self._tools = vbox(margins=(24, 0, 0, 0), spacing=0)
        parts = self.row, self.told, self._tools, self.allow_reading, self.errors
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), *parts)
        self.switch.clicked.connect(lambda on: self.changed.emit(replace(self._server, enabled=on)))
        self.restyle()

    def show_server(self, server: Server, status: ServerStatus) -> None:
        """Show a server and its state."""
        self._server = server
        self._status = status
        if [tool for tool, _, _ in self.rows] != list(status.tools):
            for _, row, _ in self.rows:
                row.deleteLater()
            self.rows = []
            for tool in status.tools:
                chooser = Chooser(self, CHOICES, partial(self._permit, [tool]))
                self.rows.append((tool, Row(chooser, self, at_end=True), chooser))
                self._tools.addWidget(self.rows[-1][1])
        self.switch.setChecked(server.enabled)
        self.sign.setVisible(server.signed_in or status.wants_sign_in or status.state in _CANCELLABLE)
        self.test.setEnabled(server.enabled and status.state not in _CANCELLABLE)
        self.retranslate()

    def retranslate(self) -> None:
        server = self._server
        status = self._status
        off = [tool for tool in status.tools if self._service.is_off(tool)]
        sentences = server_state(server, status, off), unoffered_sentence(status), server_risk(server)
        self.row.set_words(server.name, "\n".join(filter(None, [*server_consent(server), *sentences])))
        self.test.setText(self.tr("Test") if server.is_approved else self.tr("Allow and test"))
        sign = self.tr("Sign in…") if status.wants_sign_in else self.tr("Sign out")
        self.sign.setText(self.tr("Cancel") if status.state in _CANCELLABLE else sign)
        for control in (self.test, self.sign, self.edit):
            control.setAccessibleName(f"{control.text()}: {server.name}")
        self.switch.setAccessibleName(server.name)
        names = self.tr("Ask"), self.tr("Always allow"), self.tr("Off")
        for tool, row, chooser in self.rows:
            chooser.set_texts(names)
            chooser.set_value(self._service.settings.permission(tool))
            about = visible(tool.description.strip().partition("\n")[0])
            about = about if len(about) <= _LONGEST_DESCRIPTION else f"{about[:_LONGEST_DESCRIPTION]}…"
            reads = self.tr("Its server says that it only reads.") if tool.read_only else ""
            row.set_words(tool.title or tool.name, "\n".join(filter(None, (about, reads))))
        self.allow_reading.setVisible(bool(self._reading))
        for record, text in ((self.errors, status.stderr), (self.told, instructions_sentence(status))):
            if text != record.toPlainText():
                record.setPlainText(text)
                record.moveCursor(QTextCursor.MoveOperation.End)
            record.setVisible(bool(text))

    @property
    def _reading(self) -> list[Tool]:
        """The tools that say they only read, and about which the person is asked."""
        permission = self._service.settings.permission
        return [tool for tool, _, _ in self.rows if tool.read_only and permission(tool) is Permission.ASK]

    def _permit(self, tools: Sequence[Tool], chosen: str) -> None:
        """Store the person's choice for these tools."""
        for tool in tools:
            # Qt returns a plain text.
            self._service.settings.permit(tool, Permission(chosen))
        self._service.changed.emit()


class ToolsPage(ThemeAware, Form):
    """Lists the servers, and below them the known servers, to add one of them.

    None runs before the person has seen its command and agreed to it.
    """

    # The name of a server and the address where to sign in to it. Emitted on the thread of the servers.
    _page_found = Signal(str, str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tools = session.tools
        self._background = Background("tool-settings", parent=self)
        self._views: dict[str, ServerView] = {}
        self.card: ServerCard | None = None
        self.bound("Tools", self.title)
        self.bound(
            "Tool servers (MCP) let the model read and do things outside the chat, in chats where tools are "
            "on. Each call is shown, and asks first unless you choose otherwise.",
            self.note,
        )
        self.note.show()
        self.add_server = self.bound("Add a server…", button(self, lambda: self._open_card(None)))
        self.import_file = self.bound("Import mcp.json…", button(self, self._choose_file))
        self.add_line(12, self.add_server, self.import_file)
        self.hint = label(self, "muted", wraps=True)
        self.outcome = label(self, "reason-plain", wraps=True)
        self.bound("Or drop the file of another app onto this page.", self.hint)
        self.add(self.hint, 6)
        self.add(self.outcome, 6)
        self.viewport().setAcceptDrops(True)
        self.web = WebRows(self._tools, self.widget())
        self.add(self.web, 16)
        servers = QWidget(self)
        self._servers = vbox(servers, margins=(0, 0, 0, 0), spacing=0)
        self.add(servers)
        self.add(self.bound("Servers that many people use", label(self, "caption")), 16)
        self.known: dict[str, QPushButton] = {}
        for server in KNOWN_SERVERS:
            add = self.known[server.name] = button(self, partial(self._open_card, None, server))
            self.row(self.bound("Add…", add), at_end=True)
        # A search of the settings finds them too.
        self.rows += self.web.rows
        self._tools.changed.connect(self._show)
        self._page_found.connect(self._ask_to_open)
        show_words(self.outcome, "")
        self.restyle()

    def view(self, name: str) -> ServerView:
        """Return what shows the server of that name."""
        return self._views[name]

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        """Show the web tools and the servers as they are now. Keep the views of servers that stay."""
        self.web.show_choice()
        servers = {server.name: server for server in self._tools.settings.servers}
        for name in set(self._views) - set(servers):
            self._views.pop(name).deleteLater()
        for name, server in servers.items():
            if (view := self._views.get(name)) is None:
                view = self._views[name] = ServerView(self._tools, self.widget())
                view.tested.connect(self._test)
                view.edited.connect(self._open_card)
                view.signed.connect(self._sign)
                view.changed.connect(lambda changed: self._put([changed]))
                self._servers.addWidget(view)
            view.show_server(server, self._tools.host.status(name))
        for known, row in zip(KNOWN_SERVERS, self.rows, strict=False):
            row.set_words(KNOWN_TITLES[known.name], joined(KNOWN_SIGHTS[known.name], missing_program(known)))
            # A person may want several folders.
            row.set_due(known.name not in servers or FOLDER in known.args)

    # Changes. They may ask for the keychain, so they run in the background.

    def _put(self, servers: Sequence[Server], words: str = "", then: Callable[[], object] = lambda: None) -> None:
        """Store servers, then say these `words`, or that there is no keychain for their values, and call `then`."""

        def done(stored: list[bool]) -> None:
            missing = self.tr("This Mac has no keychain that Tandem can use: the values are for this run only.")
            show_words(self.outcome, words if all(stored) else joined(words, missing))
            self._tools.servers_changed()
            then()

        self._background.run(lambda: [self._tools.settings.put(server) for server in servers], done, owner=self)

    def _remove(self, name: str) -> None:
        tools = self._tools
        self._background.run(partial(tools.settings.remove, name), lambda _: tools.servers_changed(), owner=self)

    def _open_card(self, server: Server | None, known: Server | None = None, _checked: bool = False) -> None:
        """Open the form of a server, of a new one (None), or of a new one as a `known` server is."""
        if self.card is None:
            self.card = ServerCard(self.window())
            self.card.entered.connect(lambda entered: self._put([entered]))
            self.card.allowed.connect(self._test)
            self.card.removed.connect(self._remove)
        self.card.edit(server, {installed.name for installed in self._tools.settings.servers}, known)

    def _test(self, server: Server) -> None:
        """Start a server as it was shown, to which the person agrees by that, and list its tools.

        A server that asks for values is not started: its form is opened.
        """
        if server.asks:
            self._open_card(server)
            return

        def start() -> None:
            # A server that was too slow is started again only after this.
            self._tools.host.stop(server.name)
            self._tools.host.tools([server.name])

        # Who allows a server wants to use it: a chat whose tools were never chosen gets them.
        is_new = not server.is_approved and self._tools.turn_on_if_unchosen(self._session.chat)
        self._put([server.as_approved()], self.tr("Tools are on in the current chat.") if is_new else "", start)

    # Signing in

    def _sign(self, server: Server) -> None:
        """Sign in, cancel that or a start, or sign out, as the button of the server says."""
        host = self._tools.host
        name = server.name
        if host.status(name).state in _CANCELLABLE:
            host.stop(name)
        elif host.status(name).wants_sign_in:
            words = self.tr("Continue in Tandem. You can close this page.")
            host.sign_in(name, partial(self._page_found.emit, name), words)
        else:
            host.sign_out(name)

    def _ask_to_open(self, name: str, address: str) -> None:
        """Ask whether to open the page where one signs in; the person sees which host that is."""
        page = QUrl(address)
        question = QMessageBox(self)
        host = page.host(QUrl.ComponentFormattingOption.FullyEncoded)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setTextFormat(Qt.TextFormat.PlainText)
        words = self.tr("Open {host} in the browser to sign in to “{server}”?").format(host=host, server=name)
        issuers = self._tools.host.status(name).issuers
        if issuers is not None:
            expected, named = issuers
            other = self.tr(
                "“{server}” calls the service that signs you in {expected}, but the service calls itself {named}. "
                "Continue only if you trust both."
            )
            words += "\n\n" + other.format(server=name, expected=visible(expected), named=visible(named))
        question.setText(words)
        question.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        question.setDefaultButton(question.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        question.accepted.connect(lambda: self._open(name, page))
        question.rejected.connect(lambda: self._tools.host.stop(name))
        question.open()

    def _open(self, name: str, page: QUrl) -> None:
        if not QDesktopServices.openUrl(page):
            self._tools.host.stop(name)

    # Importing

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.window(), self.tr("Import mcp.json"), str(Path.home()), "*.json")
        if name:
            self.import_servers(Path(name))

    def import_servers(self, file: Path) -> None:
        """Add the servers of a file; those whose names are taken stay as they are, and what cannot be used is named."""
        problems: list[ToolFailed] = []
        try:
            servers = servers_of(file, problems.append)
        except ToolFailed as error:
            show_words(self.outcome, tool_sentence(error.code, error.arguments))
            return
        taken = {server.name for server in self._tools.settings.servers}
        added = [server for server in servers if server.name not in taken]
        left = ", ".join(server.name for server in servers if server.name in taken)
        words = self.tr("Imported: {names}.").format(names=", ".join(entry.name for entry in added)) if added else ""
        left_sentence = self.tr("Left as they are, because there are servers with these names: {names}.").format(
            names=left
        )
        unusable = [tool_sentence(entry.code, entry.arguments) for entry in problems]
        self._put(added, joined(words, left_sentence if left else "", *unusable))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if [url for url in event.mimeData().urls() if url.isLocalFile()]:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.import_servers(Path(url.toLocalFile()))
        event.acceptProposedAction()


def build(parts: PageParts) -> ToolsPage:
    """Return the page Tools."""
    return ToolsPage(parts.session)
