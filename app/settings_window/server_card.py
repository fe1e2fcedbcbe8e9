"""The cards of one server of tools: its fields, and the question whether it may run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QWidget

from app.tools.errors import ToolFailed
from app.tools.servers import Server, servers_from_json
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, settle_layouts, vbox
from app.widgets.overlay import Overlay
from app.widgets.popups import round_field_menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.tools import tool_sentence

_DOTS = "••••••••"


class ServerCard(Restyled, Overlay):
    """`entered` carries the server that was added or changed, `agreed` one that may run as it was shown."""

    entered = Signal(object)
    agreed = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 560)
        self._server: Server | None = None
        self._taken: Collection[str] = ()
        self._asks = False

    def edit(self, server: Server | None, taken: Collection[str]) -> None:
        """Open the fields of a server, or of a new one, whose name must not be among those `taken`."""
        self._server, self._taken, self._asks = server, taken, False
        self.open()

    def ask(self, server: Server) -> None:
        """Show exactly what would run, and ask whether it may."""
        self._server, self._asks = server, True
        self.open()

    def open(self) -> None:
        super().open()
        # Wrapped words know their height once they are shown.
        settle_layouts()
        self.fit_in_window()

    def make(self) -> None:
        self._title, self.intro = label(self, "title"), label(self, "muted", wraps=True)
        self.shown = self.bound("What runs", QPlainTextEdit(self), QWidget.setAccessibleName)
        self.shown.setObjectName("record")
        self.shown.setReadOnly(True)
        self.shown.setTabChangesFocus(True)
        self.name, self.target = QLineEdit(self), QLineEdit(self)
        self.bound("Name", self.name, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self.bound(
            "Command, or address that starts with https://", self.target, QLineEdit.setPlaceholderText,
            QWidget.setAccessibleName,
        )  # fmt: skip
        self.values: list[tuple[QLineEdit, QLineEdit]] = []
        self._value_lines: list[QWidget] = []
        self._lines = vbox(margins=(0, 0, 0, 0), spacing=8)
        self.add_value = self.bound("Add a value", styled(QPushButton(self), "link"))
        self.problem = label(self, "problem", wraps=True)
        self.confirm = styled(QPushButton(self), "button")
        self.cancel = self.bound("Cancel", styled(QPushButton(self), "button"))
        for field in (self.shown, self.name, self.target):
            round_field_menu(field)
        self.add_value.clicked.connect(lambda: self._add_value("", kept=False).setFocus())
        self.confirm.clicked.connect(self._confirm)
        self.cancel.clicked.connect(self.close_overlay)
        buttons = fill(hbox(margins=(0, 4, 0, 0), spacing=8), self.confirm, self.cancel, 1)
        add = fill(hbox(margins=(0, 0, 0, 0)), self.add_value, 1)
        fill(self.column, self._title, self.intro, self.shown, self.name, self.target, self._lines, add)
        fill(self.column, self.problem, buttons)
        self.restyle()

    def fill(self) -> None:
        server = self._server
        for line in self._value_lines:
            line.deleteLater()
        self.values, self._value_lines = [], []
        if server is not None:
            self.name.setText(server.name)
            self.target.setText(shlex.join([server.command, *server.args]) if server.command else server.url)
            for key in (*server.env, *server.headers):
                self._add_value(key, kept=True)
        else:
            self.name.clear()
            self.target.clear()
        self.name.setEnabled(server is None)
        for widget in (self.name, self.target, self.add_value, *self._value_lines):
            widget.setHidden(self._asks)
        self.shown.setVisible(self._asks)
        self._refuse("")
        self.retranslate()
        # Return must not allow anything that was not read.
        (self.cancel if self._asks else self.target if server is not None else self.name).setFocus()

    def retranslate(self) -> None:
        server = self._server
        if self._asks and server is not None:
            self._title.setText(self.tr("Allow “{name}” to run?").format(name=server.name))
            what = self.tr(
                "It runs with your rights on this Mac and can read and change your files. Allow it only if you trust "
                "where it comes from."
            )
            reached = self.tr("What the model sends to it leaves this Mac. Allow it only if you trust this address.")
            self.intro.setText(what if server.command else reached)
            self.shown.setPlainText(self._what_runs(server))
            self.confirm.setText(self.tr("Allow and test"))
            return
        self._title.setText(self.tr("Add a server") if server is None else self.tr("Edit the server"))
        self.intro.setText(
            self.tr(
                "A command that runs on this Mac, or the address of a server. Values are given to a command as "
                "variables and to an address as headers; they are stored only in the system keychain."
            )
        )
        self.confirm.setText(self.tr("Save"))

    def _what_runs(self, server: Server) -> str:
        """Return the command with each argument in a line, or the address, and the names of values."""
        lines = (
            [server.command, *(f"    {shlex.quote(one)}" for one in server.args)] if server.command else [server.url]
        )
        lines += [f"{name}={_DOTS}" for name in server.env] + [f"{name}: {_DOTS}" for name in server.headers]
        return "\n".join(lines)

    def _add_value(self, key: str, *, kept: bool) -> QLineEdit:
        line = QWidget(self)
        name, value = QLineEdit(key, line), QLineEdit(line)
        self.bound("Name of the value", name, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self.bound("Value", value, QWidget.setAccessibleName)
        value.setEchoMode(QLineEdit.EchoMode.Password)
        value.setPlaceholderText(_DOTS if kept else self.tr("Value"))
        for field in (name, value):
            round_field_menu(field)
        fill(hbox(line, margins=(0, 0, 0, 0), spacing=8), (name, 1), (value, 1))
        self._lines.addWidget(line)
        line.show()
        self.values.append((name, value))
        self._value_lines.append(line)
        self.fit_in_window()
        return name

    def _refuse(self, words: str) -> None:
        self.problem.setText(words)
        self.problem.setVisible(bool(words))
        self.fit_in_window()

    def _confirm(self) -> None:
        if self._asks:
            self.close_overlay()
            self.agreed.emit(self._server)
            return
        try:
            entered = self._entered()
        except ToolFailed as error:
            self._refuse(tool_sentence(error.code, error.arguments))
        except ValueError:
            self._refuse(self.tr("A quotation mark in the command is not closed."))
        else:
            if self._server is None and entered.name in self._taken:
                self._refuse(self.tr("There is already a server named “{name}”.").format(name=entered.name))
                return
            self.close_overlay()
            self.entered.emit(entered)

    def _entered(self) -> Server:
        """Return the server of the fields, checked as that of a file is. Raises `ToolFailed` and ValueError."""
        target = self.target.text().strip()
        values = {name.text().strip(): value.text() for name, value in self.values if name.text().strip()}
        if target.startswith(("http://", "https://")):
            fields: dict[str, object] = {"url": target, "headers": values}
        else:
            command, *args = shlex.split(target) or [""]
            fields = {"command": command, "args": args, "env": values}
        [server] = servers_from_json(json.dumps({"mcpServers": {self.name.text().strip(): fields}}))
        approved = self._server.approved if self._server is not None else ""
        return replace(server, approved=approved)
