"""The page of the local API, and its mark in the header."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtNetwork import QHostAddress, QNetworkInterface
from pytestqt.qtbot import QtBot

from app.settings.store import SettingsStore
from tests.app.conftest import OpenWindow
from tests.app.free_port import free_port
from tests.app.scripted_engine import ScriptedEngine
from tests.app.window_driver import WindowDriver
from tests.engine.tiers import by_tier


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(ScriptedEngine())


def preferences(window: WindowDriver) -> SettingsStore:
    window.settings.open("api")
    return window.settings.page("api").settings


def serve(window: WindowDriver, qtbot: QtBot, **chosen: Any) -> Any:
    preferences(window).change(api_serve=True, api_port=free_port(), **chosen)
    qtbot.waitUntil(lambda: window.session.api.status is not None)
    return window.settings.page("api")


def ask_in_background(window: WindowDriver, **fields: Any) -> tuple[threading.Thread, list[int]]:
    """Ask a question from another thread, because the answer needs the Qt thread; its status is added to the list."""
    port, statuses = preferences(window).values.api_port, list[int]()
    body = json.dumps({"messages": [{"role": "user", "content": "Hello"}], **fields})

    def ask() -> None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)

    client = threading.Thread(target=ask)
    client.start()
    return client, statuses


def is_off(window: WindowDriver) -> bool:
    page: Any = window.settings_page("api")
    off = page.state.help.text() == "The local API is off."
    return off and page.address.isHidden() and page.key.isHidden() and window.header.api.isHidden()


def test_the_mark_in_the_header_has_a_name_where_there_is_room(window: WindowDriver, qtbot: QtBot) -> None:
    window.resize(1440, 900)
    serve(window, qtbot)
    assert window.header.api.text() == "Local API"
    window.resize(560, 420)
    qtbot.waitUntil(lambda: window.header.api.text() == "")
    assert window.header.api.isVisible()


def test_the_address_and_an_example_can_be_copied(window: WindowDriver, qtbot: QtBot) -> None:
    assert is_off(window)
    page = serve(window, qtbot)
    address = page.address.help.text()
    assert address == f"{window.session.api.status.address}/v1"
    page.copy_address.click()
    assert QGuiApplication.clipboard().text() == address
    page.copy_ollama.click()
    assert QGuiApplication.clipboard().text() == address.removesuffix("/v1")
    assert page.ollama.help.text().startswith(f"{address.removesuffix('/v1')}\n")
    page.copy_example.click()
    assert QGuiApplication.clipboard().text().startswith(f"curl {address}/chat/completions")
    page.copy_variables.click()
    variables = dict(
        line.removeprefix("export ").split("=") for line in QGuiApplication.clipboard().text().splitlines()
    )
    assert variables == {
        "OPENAI_BASE_URL": address,
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": address.removesuffix("/v1"),
        "ANTHROPIC_API_KEY": "none",
    }
    assert page.key.isHidden()


@pytest.mark.parametrize("address", by_tier(["192.168.1.7", None], [None]))
def test_on_a_network_it_gives_an_address_that_others_can_use_and_hides_the_key(
    window: WindowDriver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, address: str | None
) -> None:
    """`None`: this computer is in no network."""
    found = [QHostAddress("127.0.0.1"), QHostAddress("fe80::1"), *([QHostAddress(address)] if address else [])]
    monkeypatch.setattr(QNetworkInterface, "allAddresses", lambda: found)
    page = serve(window, qtbot, api_network=True)
    key = window.session.api.key
    assert page.address.help.text().startswith(f"http://{address or '127.0.0.1'}:")
    words = "Running, for programs on your network." if address else "Running, but this Mac has no network address."
    assert page.state.help.text() == words
    shown = [row.help for row in (page.key, page.example)]
    assert not any(key in one.text() for one in shown)
    page.copy_example.click()
    assert key in QGuiApplication.clipboard().text()
    page.show_key.click()
    assert all(key in one.text() for one in shown)
    window.settings.close()
    window.settings.open("api")
    assert not any(key in one.text() for one in shown)


def test_requests_are_counted_on_the_page_and_the_header_shows_that_it_serves_until_it_is_switched_off(
    window: WindowDriver, qtbot: QtBot
) -> None:
    page = serve(window, qtbot)
    assert not window.header.api.isHidden()
    assert window.session.api.status.address in window.header.api.toolTip()
    client, _ = ask_in_background(window)
    qtbot.waitUntil(lambda: "finished" in page.calls.help.text())
    client.join()
    assert "accepted" in page.calls.help.text()
    window.settings.open("general")
    window.header.api.click()
    assert page.isVisible()
    assert window.action("serve-api").text() == "Stop the local API"
    window.trigger("serve-api")
    qtbot.waitUntil(lambda: window.session.api.status is None)
    assert is_off(window)
    assert window.action("serve-api").text() == "Start the local API"


def test_the_loaded_model_answers_for_unknown_names(window: WindowDriver, qtbot: QtBot) -> None:
    serve(window, qtbot)
    client, statuses = ask_in_background(window, model="gpt-4o")
    qtbot.waitUntil(lambda: bool(statuses))
    client.join()
    assert statuses == [200]


def test_a_port_in_use_is_said_with_what_to_do(window: WindowDriver, qtbot: QtBot) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        preferences(window).change(api_serve=True, api_port=port)
        page: Any = window.settings.page("api")
        qtbot.waitUntil(lambda: window.session.api.problem is not None)
        assert page.state.help.text() == f"Another program uses port {port}. Choose another one."


def test_an_app_is_connected_after_its_file_was_shown_and_taken_back(window: WindowDriver, own_home: Path) -> None:
    page: Any = window.settings_page("api")
    page.connect_app.click()
    card = page.card
    file = own_home / ".claude/tandem.json"
    assert str(file) in card.intro.text()
    shown = card.text.toPlainText()
    assert "ANTHROPIC_BASE_URL" in shown
    assert "The local API is off" in card.then.text()
    assert "Claude Code won't work with this model" in card.then.text()
    assert not file.exists()
    card.copy_command.click()
    assert QGuiApplication.clipboard().text() == f"claude --settings {file}"
    assert card.copy_command.text() == "Copied"
    card.write.click()
    assert file.read_text() == shown
    assert not card.write.isEnabled()
    file.write_text("{}")
    card.undo.click()
    assert "changed" in card.result.text()
    file.write_text(shown)
    card.undo.click()
    assert not file.exists()


def test_the_api_that_a_connected_app_needs_is_turned_on_beside_its_file(window: WindowDriver, qtbot: QtBot) -> None:
    preferences(window).change(api_port=free_port())
    page: Any = window.settings_page("api")
    page.connect_app.click()
    card = page.card
    card.turn_on.click()
    qtbot.waitUntil(lambda: window.session.api.status is not None)
    assert not is_off(window)
    assert card.turn_on.isHidden()
    assert "The local API is off" not in card.then.text()


def test_a_file_that_cannot_be_understood_shows_what_to_add_by_hand(window: WindowDriver, own_home: Path) -> None:
    (own_home / ".config/zed").mkdir(parents=True)
    (own_home / ".config/zed/settings.json").write_text('{"a" 1}')
    page: Any = window.settings_page("api")
    page.connect_app.click()
    page.card.apps.set_value("zed")
    page.card.apps.activated.emit(page.card.apps.currentIndex())
    assert "by hand" in page.card.intro.text()
    assert page.card.copy_command.isHidden()
    assert page.card.write.isHidden()
    page.card.copy_text.click()
    assert "openai_compatible" in QGuiApplication.clipboard().text()
