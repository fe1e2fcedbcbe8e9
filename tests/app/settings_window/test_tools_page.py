"""The page of tools: servers are added, imported, agreed to, tested and removed, and their tools permitted."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import keyring
import pytest
from keyring.errors import KeyringError
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton

from app.tools import connection
from app.tools.known_servers import FOLDER, KNOWN_SERVERS
from app.tools.servers import Server
from app.tools.tool import Permission, ToolResult
from app.transcript.call_card import CallCard
from app.wording.tools import KNOWN_SIGHTS, server_state
from tests.app.conftest import PATIENCE_S, OpenWindow
from tests.app.fake_tools import FakeHost, call_text, tool
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
            page.import_file.click()
        window.wait(lambda: {one.name for one in window.session.tools.settings.servers} >= set(entries))
        window.settle()
        return page

    return import_servers


def entry(behaviour: str = "", **more: Any) -> dict[str, Any]:
    server = hostile(behaviour)
    return {"command": server.command, "args": list(server.args), **more}


def state(page: Any, name: str) -> str:
    return str(page.view(name).row.help.text())


def allow(window: WindowDriver, page: Any, name: str) -> None:
    """Test a server that nobody has agreed to yet, which agrees."""
    assert page.view(name).test.text() == "Allow and test"
    page.view(name).test.click()
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
    page.view("files").edit.click()
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
    assert "Running. Tools (1): echo." in state(page, "files")
    assert page.view("files").told.toPlainText().startswith("The server tells the model: Ask for METRIC units.")
    view, settings = page.view("files"), window.session.tools.settings
    [(tool, _, chooser)] = view.rows
    assert tool.read_only
    assert settings.permission(tool) is Permission.ASK
    view.allow_reading.click()
    assert settings.permission(tool) is Permission.ALWAYS
    assert view.allow_reading.isHidden()
    assert chooser.currentText() == "Always allow"
    chooser.set_value(Permission.DENY)
    chooser.activated.emit(chooser.currentIndex())
    assert settings.permission(tool) is Permission.DENY
    assert chooser.currentText() == "Off"
    assert "Running. All its tools are off." in state(page, "files")
    # What the test has found is also there later.
    window.settings.close()
    assert "Running. All its tools are off." in state(window.settings_page("tools"), "files")


@pytest.mark.parametrize("known", by_tier(KNOWN_SERVERS, KNOWN_SERVERS[1:3]), ids=lambda known: known.name)
def test_a_known_server_opens_as_a_form_that_is_filled_in_and_asks_for_what_is_missing(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: Server
) -> None:
    monkeypatch.setattr("app.wording.tools.program_of", lambda *_: None)
    FakeHost().install(monkeypatch)
    page: Any = window.settings_page("tools")
    page.known[known.name].click()
    card, needs = page.card, {name.text(): value for _, name, value in page.card.values}
    assert (card.name.text(), card.target.text(), [*needs]) == (known.name, known.target, [*known.values])
    shown = "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())
    assert KNOWN_SIGHTS[known.name] in shown
    assert "It runs with your rights on this Mac" in shown
    # Who has no package runner reads where to get it, before and in the form.
    missing = {"npx": "Node.js", "uvx": "install uv"}[known.command]
    assert missing in shown
    assert missing in page.rows[[*page.known].index(known.name)].help.text()
    args = tuple(str(tmp_path) if one == FOLDER else one for one in known.args)
    assert card.folder.isVisible() is (args != known.args)
    if args != known.args:
        card.save.click()
        assert "folder" in card.problem.text()
        with window.file_dialog(tmp_path):
            card.folder.click()
    if needs:
        card.save.click()
        assert card.problem.text() == f"Enter a value for {next(iter(needs))}."
        needs["BRAVE_API_KEY"].setText("secret")
    card.save.click()
    window.wait(lambda: bool(window.session.tools.settings.servers))
    [server] = window.session.tools.settings.servers
    assert (server.command, server.args, server.usable) == (known.command, args, True)
    # Several folders may be wanted, anything else once.
    window.wait(lambda: page.known[known.name].isVisible() is (args != known.args))
    if args != known.args:
        page.known[known.name].click()
        assert card.name.text() == f"{known.name}-2"


@pytest.mark.parametrize(("name", "most"), by_tier([("time", 4), ("files", 6)], [("files", 6)]))
def test_a_known_server_is_called_after_a_few_clicks(
    open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    host, clicks = FakeHost(), 0

    def click(button: QPushButton) -> None:
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
    click(page.known[name])
    if page.card.folder.isVisible():
        with window.file_dialog(tmp_path):
            click(page.card.folder)
        # The one that chooses the folder in the dialog of the system.
        clicks += 1
    click(page.card.save)
    window.wait(lambda: bool(window.session.tools.settings.servers))
    window.settle()
    assert "Tools (1): now." in state(page, name)
    assert page.outcome.text() == "Tools are on in the current chat."
    # Esc closes the settings, too.
    window.settings.close()
    clicks += 1
    window.ask("What time is it?")
    window.wait(lambda: any(card.isVisible() for card in window.window.findChildren(CallCard)))
    [card] = window.window.findChildren(CallCard)
    allow = next(one for one in card.findChildren(QPushButton) if one.text() == "Allow once")
    window.wait(allow.isVisible)
    click(allow)
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
    page.view("files").test.click()
    window.wait(lambda: "Starting…" in state(page, "files"))
    assert not page.view("files").test.isEnabled()
    ready.set()
    window.wait(lambda: "Running. Tools (1): echo." in state(page, "files"))


def test_a_server_that_is_being_downloaded_says_so_and_can_be_cancelled(
    window: WindowDriver, imported: Any, tmp_path: Path
) -> None:
    runner = tmp_path / "npx"
    runner.write_text('#!/bin/sh\necho "$npm_config_loglevel" fetch GET 200 >&2\nexec sleep 100\n')
    runner.chmod(0o755)
    page = imported({"files": {"command": str(runner), "args": ["-y", "@files/server"]}})
    view = page.view("files")
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
    assert [tool.name for tool, _, _ in page.view("slow").rows] == ["echo"]
    assert "can only run as tasks, which Tandem does not support: research." in state(page, "slow")


def test_a_server_that_fails_says_why_and_shows_its_standard_error(window: WindowDriver, imported: Any) -> None:
    page = imported({"broken": entry("dies-at-start")})
    allow(window, page, "broken")
    assert "no key was given" in state(page, "broken")
    assert "no key was given" in page.view("broken").errors.toPlainText()


def test_an_edited_server_is_asked_about_again(window: WindowDriver) -> None:
    window.session.tools.settings.put(hostile(name="files"))
    page: Any = window.settings_page("tools")
    assert "Starts when a chat needs it" in state(page, "files")
    page.view("files").edit.click()
    page.card.target.setText(f"{page.card.target.text()} --more")
    page.card.save.click()
    window.wait(lambda: "Not allowed to run yet" in state(page, "files"))
    [server] = window.session.tools.settings.servers
    assert server.args == (*hostile().args, "--more")


def test_wrong_fields_are_refused_with_a_sentence(imported: Any) -> None:
    page = imported({"there": entry()})
    page.add_server.click()
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
    page.add_server.click()
    page.card.name.setText("weather")
    page.card.target.setText("https://weather.example/mcp")
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
    page.view("weather").switch.click()
    window.wait(lambda: "Turned off." in state(page, "weather"))
    page.view("weather").edit.click()
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
    asked = "Enter these before it can run: ${workspaceFolder}, TOKEN (${input:token}: A token of GitHub)."
    assert asked in state(page, "files")
    page.view("files").test.click()
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
    assert "Running." in state(page, "files")


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
