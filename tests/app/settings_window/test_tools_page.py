"""The page of tools: servers are added, imported, agreed to, tested and removed, and their tools permitted."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import replace as change
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import keyring
import pytest
from keyring.errors import KeyringError
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit

from app.settings_window.server_details import short_description
from app.tools import connection
from app.tools.known_servers import FOLDER, KNOWN_SERVERS, files_folders
from app.tools.servers import Server
from app.tools.tool import Permission, ToolResult
from app.transcript.call_card import CallCard
from app.wording.tools import KNOWN_SIGHTS, server_state
from tests.app.conftest import PATIENCE_S, OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.tools.conftest import hostile
from tests.app.window_driver import WindowDriver
from tests.engine.tiers import by_tier

Entries = dict[str, dict[str, Any]]


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(ScriptedEngine())


@pytest.fixture
def imported(window: WindowDriver, tmp_path: Path) -> Callable[[Entries], Any]:
    """Import servers from a file by the button, and return the page."""

    def import_servers(entries: Entries) -> Any:
        file, page = tmp_path / "mcp.json", window.settings_page("tools")
        file.write_text(json.dumps({"mcpServers": entries}))
        with window.file_dialog(file):
            page.import_file.trigger()
        window.wait(lambda: {one.name for one in window.session.tools.settings.servers} >= set(entries))
        window.settle()
        return page

    return import_servers


def entry(behaviour: str = "", **more: Any) -> dict[str, Any]:
    server = hostile(behaviour)
    return {"command": server.command, "args": list(server.args), **more}


def state(page: Any, name: str) -> str:
    return str(page.line(name).help.text())


def details_of(page: Any, name: str) -> Any:
    """Open the sheet of a server."""
    page.line(name).details.click()
    return page.details


def edit(page: Any, name: str) -> Any:
    """Open the form of a server by its sheet."""
    details_of(page, name).edit.click()
    return page.card


def allow(window: WindowDriver, page: Any, name: str) -> None:
    """Test a server that nobody has agreed to yet, which agrees."""
    assert page.line(name).test.text() == "Allow and test"
    page.line(name).test.click()
    tools = window.session.tools
    window.wait(lambda: tools.host.status(name).state in ("running", "failed"))
    # The page hears of it a moment later.
    [server] = [one for one in tools.settings.servers if one.name == name]
    window.wait(lambda: server_state(server, tools.host.status(name)) in state(page, name))


def test_nothing_runs_before_the_person_saw_exactly_what(window: WindowDriver, imported: Any) -> None:
    page = imported({"files": entry("", env={"TOKEN": "hidden"}), "evil": {"command": "sh", "args": ["\u202e\n"]}})
    shown = state(page, "files")
    assert shown.startswith(f"{hostile().target}\nTOKEN=•")
    assert "Not allowed to run yet" in shown
    assert "hidden" not in shown
    # What would be invisible is written out.
    assert state(page, "evil").startswith("sh '\\u202e\\n'\n")
    assert window.session.tools.host.status("files").state == "stopped"


def test_what_decides_which_program_runs_is_shown_and_named(
    window: WindowDriver, imported: Any, tmp_path: Path
) -> None:
    program = tmp_path / "npx"
    program.touch()
    program.chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/bin\n\u202e", "LD_PRELOAD": "/evil.so", "TOKEN": "hidden"}
    page = imported(
        {"files": {"command": "npx", "args": ["-y", "files"], "env": variables}, "none": {"command": "none"}}
    )
    assert state(page, "files").splitlines()[:5] == [
        "npx -y files",
        f"Program: {program}",
        f"PATH={tmp_path}:/bin\\n\\u202e (decides which program runs)",
        "LD_PRELOAD=/evil.so (loads code into the program)",
        "TOKEN=••••••••",
    ]
    assert state(page, "none").splitlines()[1] == "Program: not found on this Mac"
    # They are no secrets in the card either, and a change of one asks again.
    [server] = [one for one in window.session.tools.settings.servers if one.name == "files"]
    window.session.tools.settings.put(server.as_approved())
    window.session.tools.servers_changed()
    assert "Not allowed" not in state(page, "files")
    edit(page, "files")
    fields = {name.text(): value for _, name, value in page.card.values}
    normal, hidden = QLineEdit.EchoMode.Normal, QLineEdit.EchoMode.Password
    assert [fields[name].echoMode() for name in variables] == [normal, normal, hidden]
    assert fields["LD_PRELOAD"].text() == "/evil.so"
    fields["PATH"].setText("/usr/bin")
    page.card.save.click()
    window.wait(lambda: "Not allowed to run yet" in state(page, "files"))
    assert "PATH=/usr/bin (" in state(page, "files")


def test_a_tested_server_lists_its_tools_which_ask_unless_the_person_says_otherwise(
    window: WindowDriver, imported: Any
) -> None:
    page = imported({"files": entry("instructs")})
    allow(window, page, "files")
    assert state(page, "files") == "1 tool ready."
    line, settings = page.line("files"), window.session.tools.settings
    details = details_of(page, "files")
    assert details.told.toPlainText().startswith("The server tells the model: Ask for METRIC units.")
    [(tool, _, chooser)] = details.rows
    assert tool.read_only
    assert settings.permission(tool) is Permission.ASK
    choose(line.reading.chooser, Permission.ALWAYS)
    assert settings.permission(tool) is Permission.ALWAYS
    assert not line.changing.isVisible()
    assert chooser.currentText() == "Allow"
    choose(chooser, Permission.DENY)
    assert settings.permission(tool) is Permission.DENY
    assert (chooser.currentText(), line.reading.chooser.currentText()) == ("Never", "Never")
    assert "Running. All its tools are off." in state(page, "files")
    # What the test has found is also there later.
    window.settings.close()
    assert "Running. All its tools are off." in state(window.settings_page("tools"), "files")


def choose(chooser: Any, permission: Permission) -> None:
    """Pick an entry as a person does."""
    chooser.set_value(permission)
    chooser.activated.emit(chooser.currentIndex())


READ = change(tool("read", "files"), read_only=True)
SEARCH = change(tool("search", "files"), read_only=True)
WRITE, MOVE = tool("write", "files"), tool("move", "files")


@pytest.fixture
def files(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page with a server of four tools, of which two only read."""
    host = FakeHost()
    host.offered = [READ, SEARCH, WRITE, MOVE]
    host.install(monkeypatch)
    set_up(window.session, "files")
    return window.settings_page("tools")


def test_all_that_read_and_all_that_change_are_permitted_together(window: WindowDriver, files: Any) -> None:
    line, settings = files.line("files"), window.session.tools.settings
    assert [line.reading.chooser.currentText(), line.changing.chooser.currentText()] == ["Ask", "Ask"]
    choose(line.reading.chooser, Permission.ALWAYS)
    assert [settings.permission(one) for one in (READ, SEARCH, WRITE)] == [Permission.ALWAYS] * 2 + [Permission.ASK]
    choose(line.changing.chooser, Permission.DENY)
    assert [settings.permission(one) for one in (READ, WRITE, MOVE)] == [Permission.ALWAYS] + [Permission.DENY] * 2
    choose(line.changing.chooser, Permission.ASK)
    assert [settings.permission(one) for one in (WRITE, MOVE)] == [Permission.ASK] * 2
    # A tool without a hint may change something, and one that changed is asked about again.
    assert settings.permission(change(READ, description="Now it deletes.")) is Permission.ASK


def test_a_tool_that_was_chosen_alone_keeps_its_choice(window: WindowDriver, files: Any) -> None:
    line, tools = files.line("files"), window.session.tools
    tools.permit(window.session.chat, READ, Permission.ALWAYS)
    assert line.reading.chooser.currentText() == "Different"
    tools.switch(SEARCH, False)
    assert line.reading.chooser.currentText() == "Allow"
    assert line.help.text() == "3 tools ready. Off: search."
    choose(line.reading.chooser, Permission.ASK)
    assert tools.settings.permission(READ) is Permission.ASK
    assert tools.settings.permission(SEARCH) is Permission.DENY
    details = details_of(files, "files")
    assert {one.name: chooser.currentText() for one, _, chooser in details.rows} == {
        "read": "Ask", "search": "Never", "write": "Ask", "move": "Ask",
    }  # fmt: skip
    choose(details.rows[1][2], Permission.ASK)
    assert line.help.text() == "4 tools ready."


def test_a_long_description_is_cut_between_words() -> None:
    words = short_description("Reads a file. " * 20 + "\nMore.")
    assert words.split()[-1] in ("Reads…", "a…", "file…")
    assert len(words) <= 161
    assert len(short_description("読" * 300)) == 161
    assert short_description("Reads.\nNot this.") == "Reads."


def test_the_folder_of_the_server_of_files_is_chosen_on_its_line(
    window: WindowDriver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    FakeHost().install(monkeypatch)
    monkeypatch.setattr("app.wording.tools.program_of", lambda *_: "/bin/npx")
    settings = window.session.tools.settings
    page: Any = window.settings_page("tools")
    page.files.click()
    assert not page.files.isChecked()
    page.card.close_overlay()
    settings.put(replace(KNOWN_SERVERS[0], args=(*KNOWN_SERVERS[0].args[:-1], "/work")).as_approved())
    window.session.tools.servers_changed()
    assert not page.files.isVisible()
    line = page.line("files")
    assert line.name.text() == "Files"
    assert line.folder.text() == "/work"

    def menu() -> dict[str, Any]:
        line.folder.menu().aboutToShow.emit()
        return {action.text(): action for action in line.folder.menu().actions()}

    with window.file_dialog(tmp_path):
        menu()["A further folder…"].trigger()
    window.wait(lambda: line.folder.accessibleName() == f"Folder: /work and {tmp_path}")
    [server] = settings.servers
    assert files_folders(server) == ("/work", str(tmp_path))
    assert server.is_approved
    menu()["Without /work"].trigger()
    window.wait(lambda: files_folders(settings.servers[0]) == (str(tmp_path),))
    # Who had not agreed to the command does not agree by choosing a folder.
    settings.put(replace(server, approved=""))
    window.session.tools.servers_changed()
    with window.file_dialog(tmp_path):
        menu()["Another folder…"].trigger()
    window.wait(lambda: files_folders(settings.servers[0]) == (str(tmp_path),))
    assert not settings.servers[0].is_approved


def test_what_cannot_run_here_is_one_line(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.wording.tools.program_of", lambda command, _: None if command == "uvx" else "/bin/npx")
    page: Any = window.settings_page("tools")
    assert page.missing.text().startswith("Time and Git: This Mac has no command “uvx”.")
    assert "\n" not in page.missing.text()
    assert [name for name, action in page.known.items() if action.isVisible()] == ["memory"]
    assert page.files.isVisible()


@pytest.mark.parametrize("known", by_tier(KNOWN_SERVERS, KNOWN_SERVERS[:1]), ids=lambda known: known.name)
def test_a_known_server_opens_as_a_form_that_is_filled_in_and_asks_for_what_is_missing(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: Server
) -> None:
    monkeypatch.setattr("app.wording.tools.program_of", lambda *_: "/bin/runner")
    FakeHost().install(monkeypatch)
    page: Any = window.settings_page("tools")
    page.known[known.name].trigger()
    card = page.card
    assert (card.name.text(), card.target.text()) == (known.name, known.target)
    assert not card.target.isVisible()
    shown = "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())
    assert KNOWN_SIGHTS[known.name] in shown
    assert "runs with your rights on this Mac" in shown
    args = tuple(str(tmp_path) if one == FOLDER else one for one in known.args)
    assert card.folder.isVisible() is (args != known.args)
    if args != known.args:
        # What stands for the folder is not shown.
        assert "Runs" not in shown
        card.save.click()
        assert "folder" in card.problem.text()
        with window.file_dialog(tmp_path):
            card.folder.click()
    # The person sees the command before they allow it.
    runs = f"Runs {known.command} {' '.join(args)}"
    assert runs in [label.text() for label in card.findChildren(QLabel) if label.isVisible()]
    card.more.click()
    assert card.target.isVisible()
    assert card.cancel.x() < card.save.x()
    card.save.click()
    window.wait(lambda: bool(window.session.tools.settings.servers))
    [server] = window.session.tools.settings.servers
    assert (server.command, server.args, server.usable) == (known.command, args, True)
    # Several folders may be wanted, anything else once.
    window.wait(lambda: page.known[known.name].isVisible() is (args != known.args))
    if args != known.args:
        page.known[known.name].trigger()
        assert card.name.text() == f"{known.name}-2"


@pytest.mark.parametrize(("name", "most"), by_tier([("time", 5), ("files", 6)], [("files", 6)]))
def test_a_known_server_is_called_after_a_few_clicks(
    open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    host, clicks = FakeHost(), 0
    monkeypatch.setattr("app.wording.tools.program_of", lambda *_: "/bin/runner")

    def click(button: QAbstractButton) -> None:
        nonlocal clicks
        assert button.isVisible()
        button.click()
        clicks += 1

    host.install(monkeypatch)
    host.offered, host.results = [tool("now", name)], {"now": ToolResult("It is noon.")}
    call = call_text(f"{name}_now", zone="UTC")
    window = open_window(ScriptedEngine([Script(call), Script("Noon.")], tool_format="json_tools"))
    # A chat of the store takes the place of the first one, with its choice of tools.
    window.settle()
    page: Any = window.settings_page("tools")
    if name == "files":
        click(page.files)
    else:
        page.known[name].trigger()
        # One opens the menu, one chooses.
        clicks += 2
    if page.card.folder.isVisible():
        with window.file_dialog(tmp_path):
            click(page.card.folder)
        # The one that chooses the folder in the dialog of the system.
        clicks += 1
    click(page.card.save)
    window.wait(lambda: bool(window.session.tools.settings.servers))
    window.settle()
    assert "1 tool ready." in state(page, name)
    assert page.outcome.text() == "Tools are on in the current chat."
    # Esc closes the settings, too.
    window.settings.close()
    clicks += 1
    window.ask("What time is it?")
    window.wait(lambda: any(card.isVisible() for card in window.window.findChildren(CallCard)))
    [card] = window.window.findChildren(CallCard)
    window.wait(lambda: card.buttons is not None and card.buttons.allow.isVisible())
    assert card.buttons is not None
    click(card.buttons.allow)
    window.wait_until_answered()
    assert len(host.calls) == 1
    assert clicks <= most


@pytest.mark.full
def test_a_chat_whose_tools_the_person_turned_off_keeps_them_off(window: WindowDriver, imported: Any) -> None:
    window.session.tools.set_on(window.session.chat, False)
    page = imported({"files": entry()})
    allow(window, page, "files")
    assert not window.session.tools.is_on(window.session.chat)
    assert "current chat" not in page.outcome.text()


@pytest.mark.full
def test_a_tested_server_starts_at_once_even_where_the_package_for_it_loads_slowly(
    window: WindowDriver, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = threading.Event()

    class Slow(ModuleType):
        def __getattr__(self, name: str) -> object:
            assert ready.wait(PATIENCE_S)
            return getattr(connection, name)

    page = imported({"files": entry()})
    monkeypatch.setitem(sys.modules, "app.tools.connection", Slow("app.tools.connection"))
    page.line("files").test.click()
    window.wait(lambda: "Starting…" in state(page, "files"))
    assert not page.line("files").test.isVisible()
    ready.set()
    window.wait(lambda: "1 tool ready." in state(page, "files"))


def test_a_server_that_is_being_downloaded_says_so_and_can_be_cancelled(
    window: WindowDriver, imported: Any, tmp_path: Path
) -> None:
    runner = tmp_path / "npx"
    runner.write_text('#!/bin/sh\necho "$npm_config_loglevel" fetch GET 200 >&2\nexec sleep 100\n')
    runner.chmod(0o755)
    page = imported({"files": {"command": str(runner), "args": ["-y", "@files/server"]}})
    view = page.line("files")
    view.test.click()
    window.wait(lambda: "Downloading @files/server…" in state(page, "files"))
    assert view.errors.toPlainText() == "http fetch GET 200"
    assert view.sign.text() == "Cancel"
    view.sign.click()
    window.wait(lambda: "Starts when a chat needs it." in state(page, "files"))
    assert not view.sign.isVisible()


def test_tools_that_only_run_as_tasks_are_named_with_the_reason(window: WindowDriver, imported: Any) -> None:
    page = imported({"slow": entry("runs-tasks")})
    allow(window, page, "slow")
    assert [tool.name for tool, _, _ in details_of(page, "slow").rows] == ["echo"]
    assert "can only run as tasks, which Tandem does not support: research." in state(page, "slow")


def test_a_server_that_fails_says_why_and_shows_its_standard_error(window: WindowDriver, imported: Any) -> None:
    page = imported({"broken": entry("dies-at-start")})
    allow(window, page, "broken")
    assert "no key was given" in state(page, "broken")
    assert "no key was given" in page.line("broken").errors.toPlainText()


def test_an_edited_server_is_asked_about_again(window: WindowDriver) -> None:
    window.session.tools.settings.put(hostile(name="files"))
    page: Any = window.settings_page("tools")
    assert "Starts when a chat needs it" in state(page, "files")
    edit(page, "files")
    page.card.target.setText(f"{page.card.target.text()} --more")
    page.card.save.click()
    window.wait(lambda: "Not allowed to run yet" in state(page, "files"))
    [server] = window.session.tools.settings.servers
    assert server.args == (*hostile().args, "--more")


def test_wrong_fields_are_refused_with_a_sentence(imported: Any) -> None:
    page = imported({"there": entry()})
    page.add_server.trigger()
    for name, target, why in (
        ("Tandem", "npx server", "can't be the name"),
        ("mine", "", "either"),
        ("mine", "npx 'server", "quotation mark"),
        ("there", "npx server", "already"),
    ):
        page.card.name.setText(name)
        page.card.target.setText(target)
        page.card.save.click()
        assert why in page.card.problem.text()
        assert page.card.isVisible()


def test_a_server_with_a_secret_is_added_and_removed(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise KeyringError

    monkeypatch.setattr(keyring, "set_password", refuse)
    page: Any = window.settings_page("tools")
    page.add_server.trigger()
    page.card.name.setText("weather")
    page.card.target.setText("https://weather.example/mcp")
    assert page.card.add_value.text() == "Add a header"
    page.card.add_value.click()
    [(_, name, value)] = page.card.values
    assert value.echoMode() is QLineEdit.EchoMode.Password
    name.setText("Authorization")
    value.setText("Bearer hidden")
    page.card.save.click()
    window.wait(lambda: bool(window.session.tools.settings.servers))
    [server] = window.session.tools.settings.servers
    assert (server.url, server.values) == ("https://weather.example/mcp", {"Authorization": ""})
    window.wait(lambda: "this run only" in page.outcome.text())
    page.line("weather").switch.click()
    window.wait(lambda: "Turned off." in state(page, "weather"))
    edit(page, "weather")
    page.card.remove.click()
    window.wait(lambda: not window.session.tools.settings.servers)


def test_a_dropped_file_adds_only_servers_whose_names_are_free(
    window: WindowDriver, imported: Any, tmp_path: Path
) -> None:
    page = imported({"files": entry()})
    (tmp_path / "mcp.json").write_text(json.dumps({"servers": {"files": {"command": "rm"}, "new": entry()}}))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "mcp.json"))])
    how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(page.viewport(), QDragEnterEvent(QPoint(9, 9), *how))
    QApplication.sendEvent(page.viewport(), QDropEvent(QPointF(9, 9), *how))
    window.wait(lambda: "new" in page.outcome.text())
    assert "files" in page.outcome.text()
    assert {one.name: one.command for one in window.session.tools.settings.servers}["files"] == hostile().command


def test_what_a_file_left_to_the_person_is_asked_for_before_a_server_runs(window: WindowDriver, tmp_path: Path) -> None:
    file, page = tmp_path / "mcp.json", cast(Any, window.settings_page("tools"))
    files = entry("", env={"TOKEN": "${input:token}"}) | {"args": [*entry()["args"], "${workspaceFolder}"]}
    inputs = [{"id": "token", "description": "A token of GitHub"}]
    file.write_text(json.dumps({"servers": {"files": files, "bad": {"command": 5}}, "inputs": inputs}))
    page.import_servers(file)
    window.wait(lambda: bool(window.session.tools.settings.servers))
    window.settle()
    assert page.outcome.text().startswith("Imported: files. In “bad”: “command” has to look like this:")
    asked = "Enter these before it can run: ${workspaceFolder} and TOKEN (${input:token}: A token of GitHub)."
    assert asked in state(page, "files")
    page.line("files").test.click()
    [(_, _, value)] = page.card.values
    assert value.placeholderText() == "${input:token}: A token of GitHub"
    page.card.save.click()
    assert page.card.problem.text() == "Enter a value for ${workspaceFolder}."
    page.card.target.setText(page.card.target.text().replace("'${workspaceFolder}'", str(tmp_path)))
    page.card.save.click()
    assert page.card.problem.text() == "Enter a value for TOKEN."
    value.setText("hidden")
    page.card.save.click()
    window.wait(lambda: asked not in state(page, "files"))
    allow(window, page, "files")
    assert "1 tool ready." in state(page, "files")


@pytest.mark.parametrize("text", by_tier(["{", "{}", '{"mcpServers": {"a": {}}}', None], ["{", None]))
def test_a_file_that_is_no_list_of_servers_is_refused_with_a_sentence(
    window: WindowDriver, tmp_path: Path, text: str | None
) -> None:
    page: Any = window.settings_page("tools")
    if text is not None:
        (tmp_path / "mcp.json").write_text(text)
    page.import_servers(tmp_path / "mcp.json")
    assert page.outcome.isVisible()
    assert not window.session.tools.settings.servers
