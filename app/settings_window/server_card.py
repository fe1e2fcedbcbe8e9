"""The card with the fields of one server of tools."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection
from itertools import count
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.settings_window.server_line import short_path
from app.tools.known_servers import FOLDER
from app.tools.servers import Server, servers_from_json
from app.tools.tool import ToolFailed
from app.tools.variables import decides
from app.widgets.buttons import button, fold_head
from app.widgets.labels import ElidedLabel, label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay
from app.widgets.search_field import TextField
from app.widgets.theme_aware import ThemeAware
from app.wording.figures import joined_lines
from app.wording.tools import (
    DOTS,
    KNOWN_SIGHTS,
    KNOWN_TITLES,
    known_risk,
    missing_program,
    tool_sentence,
    written_out,
)


class ServerCard(ThemeAware, Overlay):
    """The form of a server.

    `entered` carries the server that was added or changed, `removed` the name of one to remove. `allowed` carries a new
    one whose form was filled in as that of a known server: by saving it, the person lets it run.
    """

    entered = Signal(object)
    allowed = Signal(object)
    removed = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 560)
        self._server: Server | None = None
        self._known: Server | None = None
        self._taken: Collection[str] = ()

    def edit(self, server: Server | None, taken: Collection[str], known: Server | None = None) -> None:
        """Open the fields of a server, or of a new one, whose name must not be among those `taken`.

        Those of a new one are empty, or filled in as those of a `known` server.
        """
        self._server = server
        self._known = known
        self._taken = taken
        self.open()

    def make(self) -> None:
        self._title = label(self, "title")
        self._intro = label(self, "muted", wraps=True)
        self.folder = self.bound("Choose a folder…", button(self, self._choose_folder))
        self._folder_name = ElidedLabel(self, Qt.TextElideMode.ElideMiddle)
        self._runs = label(self, "muted", wraps=True)
        self.more = self.bound("Name, command and environment variables", fold_head(self))
        self.more.toggled.connect(self._fold)
        self._fields = QWidget(self)
        self.name = TextField(self._fields)
        self.target = TextField(self._fields)
        both = QLineEdit.setPlaceholderText, QWidget.setAccessibleName
        self.bound("Name", self.name, *both)
        self.bound("Command, or address that starts with https://", self.target, *both)
        self.target.textChanged.connect(self._show_target)
        self.values: list[tuple[QWidget, QLineEdit, QLineEdit]] = []
        self._lines = vbox(margins=(0, 0, 0, 0), spacing=8)
        self.add_value = button(self._fields, lambda: self._add_value("").setFocus(), "link")
        self.problem = label(self, "problem", wraps=True)
        self.save = button(self, self._save, "accent")
        self.cancel = self.bound("Cancel", button(self, self.close_overlay))
        self.remove = self.bound("Remove", button(self, self._remove))
        add = fill(hbox(margins=(0, 0, 0, 0)), self.add_value, 1)
        fill(vbox(self._fields, margins=(0, 0, 0, 0), spacing=8), self.name, self.target, self._lines, add)
        folder = fill(hbox(margins=(0, 0, 0, 0), spacing=8), self.folder, (self._folder_name, 1))
        more = self.more, 0, Qt.AlignmentFlag.AlignLeft
        # As on a Mac, what the card is for stands at the right end.
        buttons = fill(hbox(margins=(0, 4, 0, 0), spacing=8), self.remove, 1, self.cancel, self.save)
        fill(self.column, self._title, self._intro, folder, self._runs, more, self._fields, self.problem, buttons)
        self.restyle()

    def _fold(self) -> None:
        """Show the fields of a known server only if the fold is open; those of any other are the form."""
        self._fields.setVisible(self._known is None or self.more.isChecked())
        self.fit_in_window()

    def _show_target(self) -> None:
        """Say what runs, once it is known, and what a value of it is called."""
        known = self._known
        target = self.target.text().strip()
        is_ready = known is not None and FOLDER not in target.split()
        show_words(self._runs, self.tr("Runs {command}").format(command=written_out(target)) if is_ready else "")
        is_address = target.startswith(("http://", "https://"))
        self.add_value.setText(self.tr("Add a header") if is_address else self.tr("Add an environment variable"))

    def fill(self) -> None:
        """Show the fields of the server, or of the new one, and focus the one to enter first."""
        known = self._known
        server = self._server or known or Server(name="")
        for line, _, _ in self.values:
            line.deleteLater()
        self.values = []
        self.name.setText(server.name)
        self.target.setText(server.target)
        for key in server.values:
            self._add_value(key, server.deciding.get(key, ""))
        if known is not None and known.name in self._taken:
            numbered = (f"{known.name}-{number}" for number in count(2))
            self.name.setText(next(name for name in numbered if name not in self._taken))
        self.name.setEnabled(self._server is None)
        self.remove.setVisible(self._server is not None)
        self.folder.setVisible(known is not None and FOLDER in known.args)
        self._folder_name.clear()
        self._folder_name.setVisible(self.folder.isVisibleTo(self))
        self.more.setVisible(known is not None)
        self.more.setChecked(False)
        self._fold()
        self._refuse("")
        self.retranslate()
        folder = [self.folder] if self.folder.isVisibleTo(self) else []
        new = self.name if known is None else (*folder, self.save)[0]
        (new if self._server is None else self.target).setFocus()

    def retranslate(self) -> None:
        self._show_target()
        known = self._known
        if known is not None:
            self._title.setText(KNOWN_TITLES[known.name])
            self._intro.setText(joined_lines(KNOWN_SIGHTS[known.name], missing_program(known), known_risk(known)))
            self.save.setText(self.tr("Allow"))
            return
        self._title.setText(self.tr("Add a server") if self._server is None else self.tr("Edit the server"))
        self._intro.setText(
            self.tr(
                "A command that runs on this Mac, or the address of a server. Environment variables and headers are "
                "stored only in the system keychain, except variables that decide what runs."
            )
        )
        self.save.setText(self.tr("Save"))

    def _choose_folder(self) -> None:
        """Ask the person for the folder that a known server may use, and put it into the command."""
        known = self._known
        title = self.tr("Choose a folder for this server")
        if known is not None and (folder := QFileDialog.getExistingDirectory(self._window, title, str(Path.home()))):
            self.target.setText(
                replace(known, args=tuple(folder if argument == FOLDER else argument for argument in known.args)).target
            )
            self._folder_name.setText(short_path(folder))
            self._refuse("")
            self.save.setFocus()

    def _add_value(self, key: str, shown: str = "") -> QLineEdit:
        """Add the fields of a value, and return the field of its name.

        A value whose `key` names one of the server stays as it is if nothing is entered. One that decides what the
        command runs is no secret, and `shown`.
        """
        line = QWidget(self)
        name = TextField(line)
        value = TextField(line)
        self.bound("Name of the value", name, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self.bound("Value", value, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        modes = QLineEdit.EchoMode
        name.textChanged.connect(lambda text: value.setEchoMode(modes.Normal if decides(text) else modes.Password))
        value.setEchoMode(modes.Password)
        name.setText(key)
        value.setText(shown)
        value.setCursorPosition(0)
        if key and not shown and self._server is not None:
            value.setPlaceholderText(self._server.asks.get(key, DOTS))
        fill(hbox(line, margins=(0, 0, 0, 0), spacing=8), (name, 1), (value, 1))
        self._lines.addWidget(line)
        line.show()
        self.values.append((line, name, value))
        self.fit_in_window()
        return name

    def _refuse(self, words: str) -> None:
        """Say why the server is not saved; "" says nothing."""
        show_words(self.problem, words)
        self.fit_in_window()

    def _remove(self) -> None:
        self.close_overlay()
        self.removed.emit(self.name.text())

    def _save(self) -> None:
        """Emit the server of the fields and close the card, or say what is wrong."""
        try:
            entered = self._entered()
        except ToolFailed as error:
            self._refuse(tool_sentence(error.code, error.arguments))
        except ValueError:
            self._refuse(self.tr("A quotation mark in the command is not closed."))
        else:
            if problem := self._problem_with(entered):
                self._refuse(problem)
                return
            self.close_overlay()
            (self.entered if self._known is None else self.allowed).emit(entered)

    def _problem_with(self, entered: Server) -> str:
        """Say what is missing in the fields, or that the name is taken; "" if they are right."""
        stored = self._server.values.keys() - self._server.asks.keys() if self._server is not None else ()
        empty = [*entered.asks, *(name for name, value in entered.values.items() if not value and name not in stored)]
        if self._server is None and entered.name in self._taken:
            return self.tr("There is already a server named “{name}”.").format(name=entered.name)
        if self._known is not None and FOLDER in entered.args:
            return self.tr("Choose the folder that the server may use.")
        return self.tr("Enter a value for {name}.").format(name=empty[0]) if empty else ""

    def _entered(self) -> Server:
        """Return the server of the fields, checked as that of a file is. Raises `ToolFailed` and ValueError."""
        target = self.target.text().strip()
        values = {name.text().strip(): value.text() for _, name, value in self.values if name.text().strip()}
        if target.startswith(("http://", "https://")):
            fields: dict[str, object] = {"url": target, "headers": values}
        else:
            command, *args = shlex.split(target) or [""]
            fields = {"command": command, "args": args, "env": values}
        [server] = servers_from_json(json.dumps({"mcpServers": {self.name.text().strip(): fields}}))
        before = self._server or server
        return replace(server, approved=before.approved, enabled=before.enabled)
