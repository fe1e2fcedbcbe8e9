"""The library connects to nothing while it works offline, and judges models by the bytes that the engine admits."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.library.downloads import Downloads
from app.library.installed_models import InstalledModels
from app.library.inventory import Inventory
from engine.advice.fit import memory_for_models
from engine.hub.download_state import DownloadStatus
from engine.upkeep.memory import memory_use
from tests.app.hub_library import empty_library
from tests.engine.model_files.model_folders import model_files, write_folder
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S


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
        library = empty_library(tmp_path, hub_endpoint=hub.endpoint, work_offline=True)
        try:
            library.start()
            library.hub_search.search("org/model")
            qtbot.waitUntil(lambda: library.hub_search.searched.error is not None)
            library.get("org/model")
            qtbot.waitUntil(lambda: bool(library.downloads))
            assert library.hub_search.searched.error.arguments["reason"] == "kept-offline"
            assert [status.state for status in library.downloads] == ["queued"]
            assert (tried, hub.requests) == ([], [])
            library.settings.change(work_offline=False)
            qtbot.waitUntil(lambda: bool(hub.requests))
        finally:
            library.close()


def test_a_download_that_begins_during_a_look_at_them_is_seen(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Downloads.statuses
    looked: list[Downloads] = []
    may_end = threading.Event()

    def end_late(self: Downloads) -> tuple[DownloadStatus, ...]:
        statuses = read(self)
        looked.append(self)
        assert may_end.wait(PATIENCE_S)
        return statuses

    library = empty_library(tmp_path, work_offline=True)
    try:
        library.start()
        qtbot.waitUntil(lambda: library.inventory is not None and not library.background.busy)
        monkeypatch.setattr(Downloads, "statuses", end_late)
        library.pause("org/another")
        qtbot.waitUntil(lambda: bool(looked))
        library.get("org/model")
        ended: list[None] = []
        qtbot.waitUntil(lambda: bool(read(looked[0])))
        library.background.run(lambda: None, then=ended.append)
        qtbot.waitUntil(lambda: bool(ended))
        may_end.set()
        qtbot.waitUntil(lambda: [status.repository for status in library.downloads] == ["org/model"])
    finally:
        may_end.set()
        library.close()


@pytest.mark.full
def test_the_models_page_the_engine_and_the_setting_have_the_same_limit(tmp_path: Path, qtbot: QtBot) -> None:
    library = empty_library(tmp_path)

    def shows(limit: int) -> bool:
        return library.inventory is not None and library.inventory.limit == limit

    # Without a GPU the engine admits what the page says.
    limit = memory_for_models(psutil.virtual_memory().total)
    assert memory_use().limit == limit
    try:
        library.start()
        qtbot.waitUntil(lambda: shows(limit))
        library.take_memory_limit(9_000_000_000)
        qtbot.waitUntil(lambda: shows(9_000_000_000))
        library.settings.change(memory_limit_gb=7.0)
        qtbot.waitUntil(lambda: shows(7_000_000_000))
        library.settings.change(memory_limit_gb=0.0)
        qtbot.waitUntil(lambda: shows(9_000_000_000))
    finally:
        library.close()


@pytest.mark.full
def test_a_scan_that_ends_late_hides_nothing_that_a_newer_one_found(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, scan = empty_library(tmp_path), InstalledModels.scan
    begun, go_on, ended = threading.Event(), threading.Event(), list[str]()

    def slow_once(self: InstalledModels) -> Inventory:
        found = scan(self)
        if not begun.is_set():
            begun.set()
            assert go_on.wait(PATIENCE_S)
        return found

    try:
        library.start()
        qtbot.waitUntil(lambda: library.inventory is not None)
        monkeypatch.setattr(InstalledModels, "scan", slow_once)
        library.rescan(then=lambda: ended.append("early"))
        qtbot.waitUntil(begun.is_set)
        library.rescan(then=lambda: ended.append("late"))
        qtbot.waitUntil(lambda: ended == ["late"])
        newest = library.inventory
        go_on.set()
        qtbot.waitUntil(lambda: ended == ["late", "early"])
        assert library.inventory is newest
    finally:
        go_on.set()
        library.close()


def test_what_the_last_scan_found_is_shown_while_the_disk_is_scanned(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path / "mine", model_files())
    library = empty_library(tmp_path, model_folders=(str(tmp_path / "mine"),))
    library.start()
    qtbot.waitUntil(lambda: library.inventory is not None)
    library.close()
    goes_on = threading.Event()
    scan = InstalledModels.scan
    monkeypatch.setattr(InstalledModels, "scan", lambda models: goes_on.wait(PATIENCE_S) and scan(models))
    again = empty_library(tmp_path, model_folders=(str(tmp_path / "mine"),))
    try:
        again.start()
        qtbot.waitUntil(lambda: again.inventory is not None)
        assert "mine" in [entry.id for entry in again.inventory.installed]
        known = again.inventory
        goes_on.set()
        qtbot.waitUntil(lambda: again.inventory is not known)
    finally:
        again.close()
