"""Working offline: nothing ever tries to connect."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.library.hub_service import LibraryPaths
from app.library.library import Library
from app.settings.keychain import Keychain
from app.settings.store import SettingsStore
from tests.fakehub.server import FakeHub


class NoToken(Keychain):
    def read(self, endpoint: str) -> str | None:  # noqa: ARG002
        return None


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record every address that is connected to or looked up."""
    found: list[object] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def note(self: socket.socket, address: object) -> None:
        found.append(address)
        connect(self, address)  # type: ignore[arg-type]

    def note_name(host: object, *rest: object, **more: object) -> object:
        found.append(host)
        return look_up(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", note)
    monkeypatch.setattr(socket, "getaddrinfo", note_name)
    return found


def test_search_and_download_wait_until_the_user_goes_online(tried: list[object], tmp_path: Path, qtbot: QtBot) -> None:
    with FakeHub() as hub:
        hub.add("org/model", {"config.json": b"{}"})
        paths = LibraryPaths(
            tmp_path / "q.json", tmp_path / "i.json", tmp_path / "s", tmp_path / "none", cache=tmp_path / "c"
        )
        settings = SettingsStore(tmp_path / "settings.json")
        settings.change(hub_endpoint=hub.endpoint, work_offline=True)
        library = Library(settings, lambda: paths, NoToken())
        try:
            library.start()
            library.finder.search("org/model")
            qtbot.waitUntil(lambda: library.finder.searched.error is not None)
            library.get("org/model")
            qtbot.waitUntil(lambda: bool(library.downloads))
            assert library.finder.searched.error.arguments["reason"] == "kept-offline"
            assert [status.state for status in library.downloads] == ["queued"]
            assert (tried, hub.requests) == ([], [])
            settings.change(work_offline=False)
            qtbot.waitUntil(lambda: bool(hub.requests))
        finally:
            library.close()
