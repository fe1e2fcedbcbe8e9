"""One server of tools on its page: what it is, its state, its tools with what each may do, and its standard error."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from app.settings_window.form import Row
from app.tools.permissions import Permission
from app.tools.servers import Server
from app.tools.status import ServerStatus
from app.tools.tool import Tool
from app.widgets import theme
from app.widgets.controls import Chooser
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import round_field_menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.errors import joined
from app.wording.tools import tool_sentence

_CHOICES = (Permission.ASK, Permission.ALWAYS, Permission.DENY)
# Of the standard error; more lines scroll.
_HEIGHT = 110
# A description is for the model, and can be a page long.
_LONGEST_DESCRIPTION = 160


class ServerView(Restyled, QFrame):
    """Shows one server. `permitted` carries the tools with what the person chose for them."""

    tested = Signal()
    edited = Signal()
    removed = Signal()
    permitted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Server, ServerStatus, list[Permission], bool] | None = None
        self._listed: tuple[Tool, ...] = ()
        self.choosers: dict[str, Chooser] = {}
        self._rows: list[Row] = []
        self.test = self.bound("Test", styled(QPushButton(self), "button"))
        self.edit = self.bound("Edit…", styled(QPushButton(self), "button"))
        self.remove = styled(_RemoveButton(self), "button")
        buttons = QWidget(self)
        fill(hbox(buttons, margins=(0, 0, 0, 0), spacing=8), self.test, self.edit, self.remove)
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
        self.test.clicked.connect(self.tested)
        self.edit.clicked.connect(self.edited)
        self.remove.confirmed.connect(self.removed)
        self.allow_reading.clicked.connect(lambda: self.permitted.emit([(t, Permission.ALWAYS) for t in self._reading]))
        self.restyle()

    def show_server(
        self, server: Server, status: ServerStatus, permissions: Sequence[Permission], *, under_test: bool
    ) -> None:
        """Show a server, its state, and the permissions of its tools in their order."""
        self._shown = server, status, list(permissions), under_test
        if status.tools != self._listed:
            self._list(status.tools)
        self.retranslate()

    def retranslate(self) -> None:
        if self._shown is None:
            return
        server, status, permissions, under_test = self._shown
        what = shlex.join([server.command, *server.args]) if server.command else server.url
        self.row.set_words(server.name, f"{what}\n{self._state(server, status, under_test)}")
        self.test.setEnabled(not under_test)
        for button, words in (
            (self.test, self.tr("Test the server {name}")),
            (self.edit, self.tr("Edit the server {name}")),
        ):
            button.setAccessibleName(words.format(name=server.name))
        self.remove.show_name(server.name)
        names = self.tr("Ask"), self.tr("Always allow"), self.tr("Deny")
        for tool, row, permission in zip(self._listed, self._rows, permissions, strict=True):
            chooser = self.choosers[tool.name]
            chooser.set_texts(names)
            chooser.set_value(permission)
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
        permissions = self._shown[2] if self._shown is not None else []
        pairs = zip(self._listed, permissions, strict=True)
        return [tool for tool, permission in pairs if tool.read_only and permission is Permission.ASK]

    def _state(self, server: Server, status: ServerStatus, under_test: bool) -> str:
        if not server.enabled:
            return self.tr("Turned off. Edit and save it to turn it on.")
        if not server.is_approved:
            return self.tr("Not allowed to run yet. Test it to see what it would run.")
        if status.state == "starting" or under_test:
            return self.tr("Starting…")
        if status.state == "failed" and status.error is not None:
            return tool_sentence(status.error.code, status.error.arguments)
        if status.state == "running":
            words = self.tr("Running, with %n tool(s).", "", len(status.tools))
            unusable = self.tr("%n more can't be used.", "", status.left_out) if status.left_out else ""
            return joined(words, unusable)
        return self.tr("Starts when a chat needs it.")

    def _list(self, tools: tuple[Tool, ...]) -> None:
        for row in self._rows:
            row.deleteLater()
        self._listed, self._rows, self.choosers = tools, [], {}
        for tool in tools:
            chooser = self.choosers[tool.name] = Chooser(self, _CHOICES)
            chooser.activated.connect(lambda _index, tool=tool: self._choose(tool))
            row = Row(chooser, self, at_end=True)
            self._rows.append(row)
            self._tools.addWidget(row)

    def _choose(self, tool: Tool) -> None:
        # Qt returns a plain text.
        self.permitted.emit([(tool, Permission(self.choosers[tool.name].currentData()))])


class _RemoveButton(QPushButton):
    """Asks at the first press; `confirmed` follows the second. The question ends when the button loses the focus."""

    confirmed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._name, self._asks = "", False
        self.clicked.connect(self._press)

    def show_name(self, name: str) -> None:
        self._name = name
        self._show(self._asks)

    def _show(self, asks: bool) -> None:
        self._asks = asks
        question = self.tr("Remove {name}?").format(name=self._name)
        self.setText(question if asks else self.tr("Remove"))
        self.setAccessibleName(question if asks else self.tr("Remove the server {name}").format(name=self._name))

    def _press(self) -> None:
        asked = self._asks
        self._show(not asked)
        if asked:
            self.confirmed.emit()
        else:
            # Not every system focuses a clicked button.
            self.setFocus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._show(False)
