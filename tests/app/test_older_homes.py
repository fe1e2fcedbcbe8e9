"""After an update, everything that an earlier version left on disk is read, or created again if it cannot be read."""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import mlx.core  # noqa: F401
import pytest

from app.conversations.database.schema import LATEST
from app.conversations.imports.reading import import_file
from app.conversations.opening import open_store
from app.settings.store import SettingsStore
from app.system.paths import cache_folder, data_folder, learned_file, prefix_folder, settings_folder
from engine import starter_pair
from engine.finding.discovery import installed_models
from engine.hub.download_state import read_queue, write_queue
from engine.prefix import store as prefix_store
from engine.prefix.files import TurnDeletions, files_in
from engine.speculation.choosing import kept
from engine.speculation.choosing.kept import Controllers
from tests.app.conftest import OpenWindow
from tests.app.older_homes import CHOSEN, HOMES, PAUSED, QUESTIONS, unpack
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script


@pytest.fixture(
    params=[pytest.param(home, marks=() if home in (HOMES[0], HOMES[-1]) else pytest.mark.full) for home in HOMES],
    ids=[home.stem for home in HOMES],
)
def export(request: pytest.FixtureRequest) -> str:
    """Unpack the home of an earlier version as this process's home, and return the text of its exported chat."""
    return unpack(request.param, data_folder(), settings_folder(), cache_folder())


# From format 5 on, the description of a kept prefix stands in the header of its file.
ENTRY = re.compile(rb'"entry":"\{\\"format\\": (\d+)')


def formats_in(name: str) -> set[int]:
    """Return the formats of a file, or of the files of a folder, in all homes."""
    found = set()
    for home in HOMES:
        with zipfile.ZipFile(home) as packed:
            for file in packed.namelist():
                if file.startswith(name) and file.endswith(".json"):
                    found.add(json.loads(packed.read(file))["format"])
                elif file.startswith(name) and (entry := ENTRY.search(packed.read(file))):
                    found.add(int(entry[1]))
    return found


def test_there_is_a_home_of_every_format(tmp_path: Path) -> None:
    """When a format is raised, pack a home of the version before, with tests/tools/pack_home.py."""
    write_queue(tmp_path / "downloads.json", [])
    assert formats_in("data/downloads.json") >= {*range(1, format_of(tmp_path / "downloads.json"))}
    assert formats_in("cache/models.json") >= {*range(1, format_of_a_new_index(tmp_path))}
    assert formats_in("cache/learned.json") >= {*range(1, kept.FORMAT)}
    assert formats_in("cache/prefixes/") >= {*range(1, prefix_store.FORMAT)}


def test_there_is_a_store_of_every_version_that_was_ever_written(tmp_path: Path) -> None:
    found = set()
    for home in HOMES:
        with zipfile.ZipFile(home) as packed:
            (tmp_path / "chats.db").write_bytes(packed.read("data/chats.db"))
        with closing(sqlite3.connect(tmp_path / "chats.db")) as connection:
            found.add(connection.execute("PRAGMA user_version").fetchone()[0])
    # Versions 1 and 2 came in the same commit.
    assert found >= {*range(2, LATEST)}


def test_the_window_opens_with_all_that_was_there(export: str, open_window: OpenWindow) -> None:
    questions = [message["content"] for message in messages_of(export) if message["role"] == "user"]
    answers = [message["content"] for message in messages_of(export) if message["role"] == "assistant"]
    assert questions == [*QUESTIONS]
    window = open_window(ScriptedEngine([Script("And on.")]))
    window.resize(1100, 720)
    window.wait(lambda: bool(window.titles))
    [title] = window.titles
    window.open_chat(title)
    window.wait(lambda: len(window.turns) == 2)
    assert window.turns == [*zip(questions, answers, strict=True)]
    # The foot says how many draft tokens were accepted.
    assert all("drafts" in window.footer(index) for index in (0, 1))
    window.ask_and_wait("More?")
    assert len(window.turns) == 3


@pytest.mark.usefixtures("export")
def test_settings_downloads_and_prefixes_are_read() -> None:
    store = SettingsStore(settings_folder() / "settings.json")
    assert store.backup is None
    values = store.values
    assert {key: getattr(values, key) for key in CHOSEN if key != "kept_sampling"} == {
        key: value for key, value in CHOSEN.items() if key != "kept_sampling"
    }
    # A chosen temperature stays chosen, and the length that was the default is now the model's own.
    assert "temperature" in values.kept_sampling
    assert values.max_tokens == 0
    [entry] = read_queue(data_folder() / "downloads.json")
    assert (entry.repository, entry.state) == (PAUSED, "paused")
    assert (entry.bytes_done, entry.bytes_total) == (1_200_000_000, 4_600_000_000)
    # Prefixes of chats that are gone are deleted.
    assert files_in(prefix_folder())
    TurnDeletions().forget_others(prefix_folder(), ())
    assert not [*prefix_folder().iterdir()]


def test_the_chats_keep_tokens_rounds_and_request_history_and_exports_are_imported(export: str, tmp_path: Path) -> None:
    store, _damaged = open_store(data_folder() / "chats.db")
    answers = [message for message in store.messages.path(1) if message.role == "assistant"]
    assert {answer.state for answer in answers} == {"complete"}
    exported = [message for message in messages_of(export) if message["role"] == "assistant"]
    for answer, wanted in zip(answers, exported, strict=True):
        tokens, rounds = store.messages.tokens(answer.id), store.messages.rounds(answer.id)
        assert [(token.id, token.text) for token in tokens] == [(row[0], row[1]) for row in wanted["tokens"]]
        assert len(rounds) == len(wanted.get("rounds", ()))
    assert {row.message_id for row in store.history.rows()} == {answer.id for answer in answers}
    assert store.search.messages("draft") != []
    store.close()
    file = tmp_path / "export.json"
    file.write_text(export, encoding="utf-8")
    store, _damaged = open_store(tmp_path / "other.db")
    imported = import_file(lambda operation: operation(store), file)
    assert (len(imported.added), imported.skipped, imported.left_out) == (1, (), {})
    assert [m.content for m in store.messages.path(imported.added[0])] == [m["content"] for m in messages_of(export)]
    store.close()


@pytest.mark.full
@pytest.mark.usefixtures("export")
def test_models_are_described_anew_where_the_index_is_of_another_format(tmp_path: Path) -> None:
    index = cache_folder() / "models.json"
    starter = starter_pair()[0].parent
    index.write_text(index.read_text().replace("/opt/tandem/resources/starter", str(starter)))
    found = installed_models(tmp_path / "none", starter_dir=starter, index_path=index)
    assert [(model.id, bool(model.head)) for model in found] == [("draft", False), ("head", True), ("main", False)]
    assert format_of(index) == format_of_a_new_index(tmp_path)


@pytest.mark.usefixtures("export")
def test_learned_figures_serve_on_where_their_format_is_that_of_now() -> None:
    content = json.loads(learned_file().read_text())
    controllers = Controllers(learned_file(), content["machine"], content["mlx"])
    known = controllers.learned()
    assert bool(known) is (content["format"] == kept.FORMAT)
    # Whatever was in the file, it takes new figures.
    for one in known:
        controllers.pair = one.pair
        controllers.unsaved = True
        controllers.keep()
    controllers.forget()
    assert not Controllers(learned_file(), content["machine"], content["mlx"]).learned()


def messages_of(export: str) -> list[dict[str, Any]]:
    return list(json.loads(export)["conversations"][0]["messages"])


def format_of_a_new_index(folder: Path) -> int:
    installed_models(folder / "none", starter_dir=starter_pair()[0].parent, index_path=folder / "new.json")
    return format_of(folder / "new.json")


def format_of(file: Path) -> int:
    return int(json.loads(file.read_text())["format"])
