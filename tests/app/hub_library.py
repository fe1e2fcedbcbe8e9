"""Fixtures of a window with a real library on a fake Hub; a conftest imports what its tests use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.library.hub_options import LibraryPaths
from app.library.library import Library
from app.session.session import Session
from app.settings.keychain import Keychain
from app.settings.store import SettingsStore
from app.widgets.application import Application
from app.window.main_window import MainWindow
from engine import Engine
from engine.hub.download_job import JobSettings
from engine.hub.transfer import RetryPolicy
from tests.app.conftest import STARTER
from tests.app.window_driver import WindowDriver
from tests.fakehub.server import FakeHub
from tests.tiny_models import FLOAT32, write_disturbed_copy, write_model

# Retries almost at once.
QUICK = RetryPolicy(first_s=0.02, longest_s=0.1, tries=4)

TINY_MAIN, TINY_DRAFT = "tiny-org/Tiny-Main-32bit", "tiny-org/Tiny-Draft-32bit"


class KeychainInMemory(Keychain):
    """A keychain without any token yet."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def read(self, endpoint: str) -> str | None:
        return self.kept.get(endpoint)

    def write(self, endpoint: str, token: str) -> bool:
        self.kept[endpoint] = token
        return True


def empty_library(folder: Path, **settings: Any) -> Library:
    """Return the library of a machine without models, with these settings."""
    names = ("queue.json", "index.json", "small", "no-starter")
    paths = LibraryPaths(*(folder / name for name in names), cache=folder / "cache")
    store = SettingsStore(folder / "settings.json")
    store.change(**settings)
    return Library(store, lambda: paths, KeychainInMemory())


@pytest.fixture(scope="session")
def tiny_pair(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """Return the files of a main model and of a draft that sometimes agrees, by repository.

    In float32 they are large enough for a download to be watched.
    """
    folder = tmp_path_factory.mktemp("tiny")
    main = write_model(folder / "main", stored=FLOAT32)
    draft = write_disturbed_copy(main, folder / "draft", amount=0.02, stored=FLOAT32)
    return {
        name: {file.name: file.read_bytes() for file in model.iterdir()}
        for name, model in ((TINY_MAIN, main), (TINY_DRAFT, draft))
    }


@pytest.fixture
def hub(tiny_pair: dict[str, dict[str, bytes]]) -> Iterator[FakeHub]:
    with FakeHub() as server:
        for name, files in tiny_pair.items():
            server.add(name, files)
        yield server


@pytest.fixture
def paths(tiny_pair: dict[str, dict[str, bytes]], tmp_path: Path) -> LibraryPaths:
    """Return the paths of a machine without models, whose catalog has the tiny pair."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"format": 1, "updated": "2026-11-20", "models": [
        curated(TINY_MAIN, tiny_pair[TINY_MAIN], roles=["main"], drafts=[TINY_DRAFT], recommended=True),
        curated(TINY_DRAFT, tiny_pair[TINY_DRAFT], roles=["main", "draft"], drafts=[], recommended=False,
                 active_parameters=1_000),
    ]}))  # fmt: skip
    return LibraryPaths(
        queue=tmp_path / "downloads.json",
        index=tmp_path / "models.json",
        small_files=tmp_path / "small",
        starter=tmp_path / "no-starter",
        cache=tmp_path / "cache",
        catalog=catalog,
        memory_bytes=16_000_000_000,
        jobs=JobSettings(policy=QUICK, space_margin=0),
    )


@pytest.fixture
def library(hub: FakeHub, paths: LibraryPaths, tmp_path: Path) -> Library:
    """Return the library of a first run with the fake Hub as a mirror."""
    settings = SettingsStore(tmp_path / "settings.json")
    settings.change(hub_endpoint=hub.endpoint)
    return Library(settings, lambda: paths, KeychainInMemory())


@pytest.fixture
def hub_window(library: Library, qapp: Application, qtbot: QtBot) -> Iterator[WindowDriver]:
    """Open the window of a first run, with the real engine."""
    session = Session(Engine, STARTER)
    window = MainWindow(session, qapp, library)
    window.show()
    library.start()
    yield WindowDriver(window, session, qtbot.waitUntil)
    window.close()
    window.deleteLater()


def curated(name: str, files: dict[str, bytes], **settings: object) -> dict[str, object]:
    return {
        "id": name, "name": name.split("/")[1].replace("-", " ").removesuffix(" 32bit"), "family": "Tiny",
        "parameters": 100_000, "active_parameters": 100_000, "bits": 32, "bytes": len(files["model.safetensors"]),
        "bytes_source": "hub", "licence": "mit", "released": "2026-08", "context": 512,
        "tokenizer": "tiny",
        "vocabulary_size": 384, "architecture": "qwen3", "config": _numbers_of(files["config.json"]),
        "cache": {"elements_a_token": 64},
    } | settings  # fmt: skip


def _numbers_of(config: bytes) -> dict[str, object]:
    return {key: value for key, value in json.loads(config).items() if type(value) is int and value > 0}
