"""The page of tools: a line for the web, for files and for each server, and the way to add another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, Qt, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.session.session import Session
from app.settings_window.form import Form, Row
from app.settings_window.pages import PageParts
from app.settings_window.server_card import ServerCard
from app.settings_window.server_details import ServerDetails
from app.settings_window.server_line import CANCELLABLE, ServerLine
from app.settings_window.web_line import WebDetails, WebLine
from app.system.background import Background
from app.tools.known_servers import FILES, FOLDER, KNOWN_SERVERS, files_folders
from app.tools.servers import Server, servers_of
from app.tools.tool import ToolFailed, visible
from app.widgets.buttons import button
from app.widgets.controls import Switch
from app.widgets.labels import label, show_words
from app.widgets.layouts import vbox
from app.widgets.popups import Menu
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.tools import KNOWN_SIGHTS, KNOWN_TITLES, listed, missing_program, tool_sentence


class ToolsPage(ThemeAware, Form):
    """Lists the web, the servers, and what adds another one.

    No server runs before the person has seen its command and agreed to it.
    """

    # The name of a server and the address where to sign in to it. Emitted on the thread of the servers.
    _page_found = Signal(str, str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tools = session.tools
        self._background = Background("tool-settings", parent=self)
        self._lines: dict[str, ServerLine] = {}
        self.card: ServerCard | None = None
        self.details: ServerDetails | None = None
        self.web_details: WebDetails | None = None
        self.bound("Tools", self.title)
        self.bound(
            "What models may use in chats with tools on. Each call is shown, and asks first unless you choose "
            "otherwise.",
            self.note,
        )
        self.note.show()
        self.viewport().setAcceptDrops(True)
        self.web = WebLine(self._tools, self.widget())
        self.web.opened.connect(self._open_web)
        self.add(self.web)
        self.files = Switch(self)
        self._files_row = Row(self.files, self.widget(), at_end=True)
        self.files.clicked.connect(self._add_files)
        self.add(self._files_row)
        servers = QWidget(self)
        self._servers = vbox(servers, margins=(0, 0, 0, 0), spacing=0)
        self.add(servers)
        self._add_row = Row(self._make_menu(), self.widget(), at_end=True)
        self.add(self._add_row)
        self.outcome = label(self, "reason-plain", wraps=True)
        self.add(self.outcome, 12)
        # The known servers that cannot run here, and why.
        self.missing = label(self, "muted", wraps=True)
        self.add(self.missing, 12)
        self._tools.changed.connect(self._show)
        self._page_found.connect(self._ask_to_open)
        show_words(self.outcome, "")
        self.restyle()

    def _make_menu(self) -> QWidget:
        """Return the button with the menu of what can be added."""
        self.adding = self.bound("Add…", button(self))
        menu = Menu(self.adding)
        self.known: dict[str, QAction] = {}
        for server in KNOWN_SERVERS:
            self.known[server.name] = menu.addAction("", partial(self._open_card, None, server))
        menu.addSeparator()
        self.add_server = self.bound("Add a server…", menu.addAction("", lambda: self._open_card(None)))
        self.import_file = self.bound("Import mcp.json…", menu.addAction("", self._choose_file))
        self.adding.setMenu(menu)
        return self.adding

    def line(self, name: str) -> ServerLine:
        """Return the line of the server of that name."""
        return self._lines[name]

    def retranslate(self) -> None:
        self._show()

    def _show(self) -> None:
        """Show the web tools and the servers as they are now. Keep the lines of servers that stay."""
        self.web.show_choice()
        if self.web_details is not None and self.web_details.isVisible():
            self.web_details.show_choice()
        servers = {server.name: server for server in self._tools.settings.servers}
        for name in set(self._lines) - set(servers):
            self._lines.pop(name).deleteLater()
        for name, server in servers.items():
            line = self._lines.get(name) or self._make_line(name)
            line.show_server(server, self._tools.host.status(name))
        details = self.details
        if details is not None and details.isVisible():
            if details.server.name in servers:
                shown = servers[details.server.name]
                details.show_server(shown, self._tools.host.status(shown.name))
            else:
                details.close_overlay()
        self._show_known(servers)
        self.rows = [self.web, self._files_row, *self._lines.values(), self._add_row]

    def _make_line(self, name: str) -> ServerLine:
        """Add the line of a server."""
        line = self._lines[name] = ServerLine(self._tools, self.widget())
        line.tested.connect(self._test)
        line.signed.connect(self._sign)
        line.opened.connect(self._open_details)
        line.changed.connect(lambda changed: self._put([changed]))
        self._servers.addWidget(line)
        return line

    def _show_known(self, servers: Mapping[str, Server]) -> None:
        """Offer the known servers that can run here and are not there yet, and say why the others cannot."""
        reasons: dict[str, list[str]] = {}
        has_files = any(files_folders(server) for server in servers.values())
        for known in KNOWN_SERVERS:
            title = KNOWN_TITLES[known.name]
            if missing := missing_program(known):
                reasons.setdefault(missing, []).append(title)
            # A person may want several folders.
            is_offered = not missing and (known.name not in servers or FOLDER in known.args)
            self.known[known.name].setText(f"{title}…")
            self.known[known.name].setVisible(is_offered and (known.name != FILES or has_files))
            if known.name == FILES:
                self._files_row.set_due(not missing and not has_files)
        self.files.setChecked(False)
        self._files_row.set_words(KNOWN_TITLES[FILES], KNOWN_SIGHTS[FILES])
        self._add_row.set_words(
            self.tr("Other servers"),
            self.tr("Tool servers (MCP). The mcp.json of another app can be dropped here, too."),
        )
        # A search of the settings finds what can be added, too.
        self._add_row.other_words = "\n".join(action.text() for action in self.adding.menu().actions())
        self.adding.setAccessibleName(self.adding.text())
        lines = (f"{QLocale().createSeparatedList(titles)}: {reason}" for reason, titles in reasons.items())
        show_words(self.missing, "\n".join(lines))

    def _add_files(self) -> None:
        """Open the form of the server of files; its line has the switch that is on."""
        self.files.setChecked(False)
        self._open_card(None, KNOWN_SERVERS[0])

    def _open_details(self, server: Server) -> None:
        if self.details is None:
            self.details = ServerDetails(self._tools, self.window())
            self.details.tested.connect(self._test)
            self.details.edited.connect(self._open_card)
            self.details.signed.connect(self._sign)
        self.details.open_for(server, self._tools.host.status(server.name))

    def _open_web(self) -> None:
        if self.web_details is None:
            self.web_details = WebDetails(self._tools, self.window())
        self.web_details.open()

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
        if self.details is not None:
            self.details.close_overlay()
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
        if host.status(name).state in CANCELLABLE:
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
        left = listed([server.name for server in servers if server.name in taken])
        words = self.tr("Imported: {names}.").format(names=listed([entry.name for entry in added])) if added else ""
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
