"""Models are judged by the bytes that the engine admits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from app.library.hub_service import LibraryPaths
from app.library.library import Library
from app.settings.store import SettingsStore
from engine.advice.fit import working_set_limit
from engine.serving.memory import memory_use
from tests.app.hub_library import KeychainInMemory

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_the_models_page_the_engine_and_the_setting_have_the_same_limit(tmp_path: Path, qtbot: QtBot) -> None:
    paths = LibraryPaths(
        tmp_path / "q.json", tmp_path / "i.json", tmp_path / "s", tmp_path / "none", cache=tmp_path / "c"
    )
    settings = SettingsStore(tmp_path / "settings.json")
    library = Library(settings, lambda: paths, KeychainInMemory())

    def shows(limit: int) -> bool:
        return library.inventory is not None and library.inventory.limit == limit

    try:
        library.start()
        qtbot.waitUntil(lambda: shows(working_set_limit(psutil.virtual_memory().total)))
        library.take_memory_limit(9_000_000_000)
        qtbot.waitUntil(lambda: shows(9_000_000_000))
        settings.change(memory_limit_gb=7.0)
        qtbot.waitUntil(lambda: shows(7_000_000_000))
        settings.change(memory_limit_gb=0.0)
        qtbot.waitUntil(lambda: shows(9_000_000_000))
    finally:
        library.close()


def test_without_a_gpu_the_engine_admits_what_the_models_page_says() -> None:
    assert memory_use().limit == working_set_limit(psutil.virtual_memory().total)
