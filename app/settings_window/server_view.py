"""One server of tools on its page: what it is, its state, its tools with what each may do, and its standard error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from app.settings_window.form import Row
from app.settings_window.server_card import DOTS
from app.tools.servers import Server, ServerStatus
from app.tools.tool import Permission, Tool, visible
from app.widgets import theme
from app.widgets.controls import Chooser, Switch
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import round_field_menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.tools import server_risk, server_state

_CHOICES = (Permission.ASK, Permission.ALWAYS, Permission.DENY)
# Of the standard error; more lines scroll.
_HEIGHT = 110
# A description is for the model, and can be a page long.
_LONGEST_DESCRIPTION = 160


class ServerView(Restyled, QFrame):
    """Shows one server. Its signals carry the server as it was shown: to test, to edit, or as it shall be.

    `permission` and `permit` read and keep what the person chose for a tool.
    """

    tested = Signal(object)
    edited = Signal(object)
    changed = Signal(object)

    def __init__(
        self,
        permission: Callable[[Tool], Permission],
        permit: Callable[[Tool, Permission], object],
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self._permission, self._permit = permission, permit
        self._server, self._status = Server(name=""), ServerStatus()
        self.rows: list[tuple[Tool, Row, Chooser]] = []
        self.switch, buttons = Switch(self), QWidget(self)
        self.test = styled(QPushButton(self), "button")
        self.edit = self.bound("Edit…", styled(QPushButton(self), "button"))
        fill(hbox(buttons, margins=(0, 0, 0, 0), spacing=8), self.test, self.edit, self.switch)
        self.row = Row(buttons, self, at_end=True)
        self.allow_reading = self.bound("Always allow the tools that only read", styled(QPushButton(self), "link"))
        self.errors = self.bound("Standard error of the server", QPlainTextEdit(self), QWidget.setAccessibleName)
        round_field_menu(self.errors)
        self.errors.setObjectName("record")
        self.errors.setReadOnly(True)
        self.errors.setTabChangesFocus(True)
        self.errors.setFixedHeight(theme.scaled(_HEIGHT))
        self._tools = vbox(margins=(24, 0, 0, 0), spacing=0)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), self.row, self._tools, self.allow_reading, self.errors)
        self.test.clicked.connect(lambda: self.tested.emit(self._server))
        self.edit.clicked.connect(lambda: self.edited.emit(self._server))
        self.switch.clicked.connect(lambda on: self.changed.emit(replace(self._server, enabled=on)))
        self.allow_reading.clicked.connect(self._allow_reading)
        self.restyle()

    def show_server(self, server: Server, status: ServerStatus) -> None:
        self._server, self._status = server, status
        if [tool for tool, _, _ in self.rows] != list(status.tools):
            for _, row, _ in self.rows:
                row.deleteLater()
            choosers = [Chooser(self, _CHOICES, partial(self._choose, tool)) for tool in status.tools]
            self.rows = [
                (tool, Row(one, self, at_end=True), one) for tool, one in zip(status.tools, choosers, strict=True)
            ]
            fill(self._tools, *(row for _, row, _ in self.rows))
        self.switch.setChecked(server.enabled)
        self.test.setEnabled(server.enabled and status.state != "starting")
        self.retranslate()

    def retranslate(self) -> None:
        server, status = self._server, self._status
        target = visible(server.target.replace("\n", "\\n"))
        values = [f"{name}{'=' if server.command else ': '}{DOTS}" for name in server.values]
        self.row.set_words(
            server.name, "\n".join([target, *values, server_state(server, status), server_risk(server)]).strip()
        )
        self.test.setText(self.tr("Test") if server.is_approved else self.tr("Allow and test"))
        self.test.setAccessibleName(f"{self.test.text()}: {server.name}")
        self.edit.setAccessibleName(f"{self.edit.text()}: {server.name}")
        self.switch.setAccessibleName(server.name)
        names = self.tr("Ask"), self.tr("Always allow"), self.tr("Deny")
        for tool, row, chooser in self.rows:
            chooser.set_texts(names)
            chooser.set_value(self._permission(tool))
            about = tool.description.strip().partition("\n")[0]
            about = about if len(about) <= _LONGEST_DESCRIPTION else f"{about[:_LONGEST_DESCRIPTION]}…"
            reads = self.tr("Its server says that it only reads.") if tool.read_only else ""
            row.set_words(tool.title or tool.name, "\n".join(filter(None, (about, reads))))
        self.allow_reading.setVisible(bool(self._reading))
        if status.stderr != self.errors.toPlainText():
            self.errors.setPlainText(status.stderr)
        self.errors.setVisible(bool(status.stderr))

    @property
    def _reading(self) -> list[Tool]:
        """The tools that say they only read, and about which the person is asked."""
        return [tool for tool, _, _ in self.rows if tool.read_only and self._permission(tool) is Permission.ASK]

    def _allow_reading(self) -> None:
        for tool in self._reading:
            self._permit(tool, Permission.ALWAYS)

    def _choose(self, tool: Tool, chosen: str) -> None:
        # Qt returns a plain text.
        self._permit(tool, Permission(chosen))
