"""The sheet with all that can be seen and set of one server of tools."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.session.tool_service import ToolService
from app.settings_window.form import Row
from app.settings_window.server_line import CANCELLABLE, record, server_title, show_record
from app.settings_window.tool_choices import PermissionChooser
from app.tools.servers import Server, ServerStatus
from app.tools.tool import Permission, Tool, visible
from app.widgets.buttons import CloseButton, button
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, settle_layouts, vbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.style_class import named
from app.widgets.theme_aware import ThemeAware
from app.wording.tools import instructions_sentence, server_consent, server_risk, server_state, unoffered_sentence

# A description is for the model, and can be a page long.
_LONGEST_DESCRIPTION = 160
# In pixels at the normal text size.
_WIDTH = 640


class ServerDetails(ThemeAware, Overlay):
    """Shows what a server runs or is reached by, what it says, and each of its tools with what it may do.

    Its signals carry the server: to test it, to edit it, to sign in to or out of it.
    """

    tested = Signal(object)
    edited = Signal(object)
    signed = Signal(object)

    def __init__(self, tools: ToolService, window: QWidget) -> None:
        super().__init__(window, _WIDTH)
        self._service = tools
        self.server = Server(name="")
        self._status = ServerStatus()
        self.rows: list[tuple[Tool, Row, PermissionChooser]] = []

    def open_for(self, server: Server, status: ServerStatus) -> None:
        """Open the sheet of a server."""
        self.server = server
        self._status = status
        self.open()
        self._fit()
        self.test.setFocus()

    def make(self) -> None:
        self._title = label(self, "title")
        body = named(QWidget(self), "overlayBody")
        self.about = label(body, "muted", wraps=True)
        self.told = self.bound("What the server tells the model", record(body), QWidget.setAccessibleName)
        self.errors = self.bound("Standard error of the server", record(body), QWidget.setAccessibleName)
        self._captions = {reads: label(body, "caption", wraps=True) for reads in (True, False)}
        self._columns = {reads: vbox(margins=(0, 0, 0, 8), spacing=0) for reads in (True, False)}
        self.test = button(self, lambda: self.tested.emit(self.server))
        self.sign = button(self, lambda: self.signed.emit(self.server))
        self.edit = self.bound("Edit…", button(self, self._edit))
        column = fill(vbox(body, margins=(0, 0, 0, 0), spacing=6), self.about, self.told, self.errors)
        for reads in (True, False):
            fill(column, self._captions[reads], self._columns[reads])
        column.addStretch(1)
        area = WrappingArea(self)
        area.setWidget(body)
        head = fill(hbox(margins=(0, 0, 0, 0)), (self._title, 1), CloseButton(self, self.close_overlay))
        foot = fill(hbox(margins=(0, 4, 0, 0), spacing=8), self.edit, 1, self.sign, self.test)
        fill(self.column, head, (area, 1), foot)
        self.restyle()

    def fill(self) -> None:
        self.show_server(self.server, self._status)

    def show_server(self, server: Server, status: ServerStatus) -> None:
        """Show the server as it is now."""
        self.server = server
        self._status = status
        if [tool for tool, _, _ in self.rows] != list(status.tools):
            self._show_tools()
        self.sign.setVisible(server.signed_in or status.wants_sign_in or status.state in CANCELLABLE)
        self.test.setEnabled(server.enabled and status.state not in CANCELLABLE)
        show_record(self.errors, status.stderr)
        self.retranslate()
        if self.isVisible():
            self._fit()

    def _fit(self) -> None:
        """Make the sheet as high as what it shows now."""
        settle_layouts()
        self.fit_in_window()

    def _show_tools(self) -> None:
        """Make the rows of the tools anew."""
        for _, row, _ in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = []
        for tool in self._status.tools:
            chooser = PermissionChooser(partial(self._permit, tool), self)
            row = Row(chooser, self, at_end=True)
            self.rows.append((tool, row, chooser))
            self._columns[tool.read_only].addWidget(row)
            row.show()

    def retranslate(self) -> None:
        server = self.server
        status = self._status
        self._title.setText(server_title(server))
        off = [tool for tool in status.tools if self._service.is_off(tool)]
        sentences = server_state(server, status, off), unoffered_sentence(status), server_risk(server)
        self.about.setText("\n".join(filter(None, [*server_consent(server), *sentences])))
        show_record(self.told, instructions_sentence(status))
        self._captions[True].setText(self.tr("Only read, as the server says"))
        self._captions[False].setText(self.tr("Can change something"))
        for reads, caption in self._captions.items():
            caption.setVisible(any(tool.read_only is reads for tool in status.tools))
        for tool, row, chooser in self.rows:
            chooser.show_permission(self._service.settings.permission(tool))
            row.set_words(visible(tool.title or tool.name), short_description(tool.description))
        self.test.setText(self.tr("Test") if server.is_approved else self.tr("Allow and test"))
        sign = self.tr("Sign in…") if status.wants_sign_in else self.tr("Sign out")
        self.sign.setText(self.tr("Cancel") if status.state in CANCELLABLE else sign)

    def _permit(self, tool: Tool, chosen: Permission) -> None:
        self._service.settings.permit(tool, chosen)
        self._service.changed.emit()

    def _edit(self) -> None:
        self.close_overlay()
        self.edited.emit(self.server)


def short_description(description: str) -> str:
    """Return the first line of a tool's description, of a long one as many whole words as fit a line or two."""
    line = visible(description.strip().partition("\n")[0])
    if len(line) <= _LONGEST_DESCRIPTION:
        return line
    cut = line[:_LONGEST_DESCRIPTION]
    words, space, _ = cut.rpartition(" ")
    # Some scripts have no spaces, and may be cut anywhere.
    whole = words if space and len(words) > _LONGEST_DESCRIPTION // 2 else cut
    return f"{whole.rstrip(' ,.;:')}…"
