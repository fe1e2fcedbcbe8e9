"""The line of a server on the page of tools: its switch, how it stands, and what its tools may do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QWidget

from app.session.tool_service import ToolService
from app.settings_window.form import Row
from app.settings_window.tool_choices import KindOfTools, choice_line
from app.tools.known_servers import FILES, files_folders, with_folders
from app.tools.servers import Server, ServerStatus
from app.tools.tool import Tool
from app.widgets import theme
from app.widgets.buttons import button
from app.widgets.controls import Switch
from app.widgets.icons import icon
from app.widgets.layouts import fill, hbox
from app.widgets.popups import Menu, record_view
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.tools import KNOWN_TITLES, server_consent, server_risk, server_state, unoffered_sentence

# What a person may cancel.
CANCELLABLE = ("starting", "signing-in")
# In pixels at the normal text size: of the standard error, and of what a server tells; more lines scroll.
_RECORD_HEIGHT = 76
# In pixels at the normal text size.
_WIDEST_FOLDER = 220


def server_title(server: Server) -> str:
    """Return how a server is called on the page: the known one of files by its title, any other by its name."""
    return KNOWN_TITLES[FILES] if files_folders(server) and server.name == FILES else server.name


def short_path(path: str) -> str:
    """Return a path with "~" for the person's own folder."""
    home = Path.home()
    return f"~/{Path(path).relative_to(home)}" if Path(path).is_relative_to(home) and Path(path) != home else path


def record(parent: QWidget) -> QPlainTextEdit:
    """Return a low view of what a server says."""
    view = record_view(parent)
    view.setFixedHeight(theme.scaled(_RECORD_HEIGHT))
    return view


def show_record(view: QPlainTextEdit, text: str) -> None:
    """Show a text from its end on, or nothing if it is ""."""
    if text != view.toPlainText():
        view.setPlainText(text)
        view.moveCursor(QTextCursor.MoveOperation.End)
    view.setVisible(bool(text))


class ServerLine(ThemeAware, Row):
    """Shows one server. Its signals carry the server as it was shown, or as it is to be (`changed`).

    `tested`: to start it, to which the person agrees by that. `signed`: to sign in, or to cancel a sign-in or a start.
    `opened`: to show all that can be set.
    """

    tested = Signal(object)
    signed = Signal(object)
    opened = Signal(object)
    changed = Signal(object)

    def __init__(self, tools: ToolService, parent: QWidget | None = None) -> None:
        self._service = tools
        self._server = Server(name="")
        self._status = ServerStatus()
        controls = QWidget(parent)
        super().__init__(controls, parent, at_end=True)
        self.folder = button(controls)
        self.folder.setMenu(Menu(self.folder))
        self.folder.menu().aboutToShow.connect(self._fill_folders)
        self.sign = button(controls, lambda: self.signed.emit(self._server))
        self.test = button(controls, lambda: self.tested.emit(self._server))
        self.switch = Switch(controls)
        line = hbox(controls, margins=(0, 0, 0, 0), spacing=8)
        fill(line, self.folder, self.sign, self.test, self.switch)
        self.reading = KindOfTools(tools, partial(self._of_kind, True), self)
        self.changing = KindOfTools(tools, partial(self._of_kind, False), self)
        self.details = button(self, lambda: self.opened.emit(self._server), "link-small")
        self.bound("Details…", self.details)
        self.errors = self.bound("Standard error of the server", record(self), QWidget.setAccessibleName)
        self.add_below(choice_line(self, self.reading, self.changing, self.details), self.errors)
        self.switch.clicked.connect(lambda on: self.changed.emit(replace(self._server, enabled=on)))
        self.restyle()

    def show_server(self, server: Server, status: ServerStatus) -> None:
        """Show a server and its state."""
        self._server = server
        self._status = status
        is_under_way = status.state in CANCELLABLE
        folders = files_folders(server)
        self.folder.setVisible(bool(folders))
        self.switch.setChecked(server.enabled)
        self.sign.setVisible(is_under_way or status.wants_sign_in)
        # Once its tools are known, the sheet has the button.
        self.test.setVisible(server.enabled and not is_under_way and not status.tools)
        # What a package runner downloads, and why a server did not start.
        show_record(self.errors, status.stderr if is_under_way or status.error is not None else "")
        self.retranslate()

    def retranslate(self) -> None:
        server = self._server
        status = self._status
        title = server_title(server)
        off = [tool for tool in status.tools if self._service.is_off(tool)]
        state = joined(server_state(server, status, off), unoffered_sentence(status))
        consent = [] if server.is_approved or not server.enabled else server_consent(server)
        self.set_words(title, "\n".join(filter(None, [*consent, state, server_risk(server) if consent else ""])))
        self.test.setText(self.tr("Test") if server.is_approved else self.tr("Allow and test"))
        self.sign.setText(self.tr("Cancel") if status.state in CANCELLABLE else self.tr("Sign in…"))
        self.reading.show_tools(self.tr("Reading"), title)
        self.changing.show_tools(self.tr("Changing"), title)
        names = QLocale().createSeparatedList([short_path(folder) for folder in files_folders(server)])
        self.folder.setText(self._elided(names))
        self.folder.setAccessibleName(self.tr("Folder: {names}").format(names=names))
        for control in (self.test, self.sign, self.details):
            control.setAccessibleName(f"{control.text()}: {title}")
        self.switch.setAccessibleName(title)

    def apply_theme(self) -> None:
        self.folder.setIcon(icon("folder"))

    def _elided(self, names: str) -> str:
        metrics = self.folder.fontMetrics()
        shown = metrics.elidedText(names, Qt.TextElideMode.ElideMiddle, theme.scaled(_WIDEST_FOLDER))
        return shown.replace("&", "&&")

    def _of_kind(self, reads: bool) -> list[Tool]:
        """Return the tools that only read, as their server says, or the others."""
        return [tool for tool in self._status.tools if tool.read_only is reads]

    def _fill_folders(self) -> None:
        menu = self.folder.menu()
        menu.clear()
        folders = files_folders(self._server)
        menu.addAction(self.tr("Another folder…"), partial(self._choose_folder, ()))
        menu.addAction(self.tr("A further folder…"), partial(self._choose_folder, folders))
        for folder in folders if len(folders) > 1 else ():
            words = self.tr("Without {folder}").format(folder=short_path(folder))
            others = [other for other in folders if other != folder]
            menu.addAction(words.replace("&", "&&"), partial(self._use, others))

    def _use(self, folders: Sequence[str]) -> None:
        """Let the server use these folders, and no others."""
        self.changed.emit(with_folders(self._server, folders))

    def _choose_folder(self, others: Sequence[str]) -> None:
        """Ask for a folder that the server may use besides `others`."""
        title = self.tr("Choose a folder for this server")
        if folder := QFileDialog.getExistingDirectory(self.window(), title, str(Path.home())):
            self._use([*(other for other in others if other != folder), folder])
