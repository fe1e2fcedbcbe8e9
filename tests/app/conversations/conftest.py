"""What the store's tests share: a clock that is set by hand, a store in a folder of its own, and imports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.conversations.imports.imported import ImportReport
from app.conversations.imports.reading import import_file
from app.conversations.opening import open_store
from app.conversations.store import ConversationStore

# 2026-03-10 12:00:00 UTC
NOON = 1_773_144_000.0


@dataclass
class Clock:
    """Stands still until it is set."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats" / "conversations.db"


@pytest.fixture(scope="session")
def new_store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the latest version with nothing in it."""
    path = tmp_path_factory.mktemp("new") / "conversations.db"
    open_store(path)[0].close()
    return path


@pytest.fixture
def store(path: Path, clock: Clock, new_store_file: Path) -> Iterator[ConversationStore]:
    """An open store that leaves the disk alone; what must survive a kill is tested on stores that do not."""
    path.parent.mkdir()
    shutil.copyfile(new_store_file, path)
    store, _damaged = open_store(path, clock)
    store.database.execute("PRAGMA synchronous = OFF")
    yield store
    store.close()


@pytest.fixture
def load(store: ConversationStore, tmp_path: Path) -> Callable[[Any], ImportReport]:
    """Import a JSON value as a file."""

    def load(data: Any) -> ImportReport:
        file = tmp_path / "export.json"
        file.write_text(json.dumps(data))
        return import_file(lambda operation: operation(store), file)

    return load
