"""What the chats of a folder begin with is kept, exported and imported, and its caches go with its text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.conversations.chat_settings import TOOLS_ON
from app.conversations.database.records import Folder, Picture, Source, SourceFile, StoreChanges
from app.conversations.exports.writing import write_json
from app.conversations.imports.reading import import_file
from app.conversations.presets import Preset
from app.conversations.projects import MODELS, PRESET, files_text, models_of, preset_of, start_of
from app.conversations.store import ConversationStore

NOTES = Source("/home/notes.md", files=(SourceFile("notes.md", "The code word is heron.\n", 24, 7),))
BOOK = Source("/home/book", True, (SourceFile("book/a.txt", "Once."), SourceFile("book/b.png", problem="picture")))
BRIEF = Preset("Brief", "Be brief.", {"temperature": 0.5})


@pytest.fixture
def folder_id(store: ConversationStore) -> int:
    return store.conversations.create_folder("Novel")


def folder_in(store: ConversationStore, folder_id: int) -> Folder:
    found = store.conversations.folder(folder_id)
    assert found is not None
    assert found in store.conversations.folders()
    return found


def fill(store: ConversationStore, folder_id: int, *sources: Source) -> None:
    store.conversations.set_instructions(folder_id, "Today is {{date}}.")
    store.conversations.set_start(folder_id, PRESET, BRIEF)
    store.conversations.set_start(folder_id, MODELS, ["/models/main", None])
    store.conversations.set_start(folder_id, TOOLS_ON, False)
    store.conversations.change_files(folder_id, lambda _: sources)


def chat_in(store: ConversationStore, folder_id: int | None) -> int:
    chat_id = store.conversations.create(title="Chapter", folder_id=folder_id)
    store.messages.add_user_turn(chat_id, "Who?")
    return chat_id


def test_a_folder_keeps_what_its_chats_begin_with(store: ConversationStore, folder_id: int) -> None:
    fill(store, folder_id, NOTES, BOOK)
    folder = folder_in(store, folder_id)
    assert folder.sources == (NOTES, BOOK)
    assert (preset_of(folder), models_of(folder)) == (BRIEF, ("/models/main", None))
    files = "notes.md\n```\nThe code word is heron.\n```\n\nbook/a.txt\n```\nOnce.\n```"
    assert files_text(folder.sources) == files
    assert start_of(folder, {"date": "2026-03-10"}) == f"{files}\n\nToday is 2026-03-10."


def test_a_change_of_the_text_drops_its_caches(store: ConversationStore, folder_id: int) -> None:
    seen: list[StoreChanges] = []
    store.database.on_commit = seen.append
    first = folder_in(store, folder_id).uid
    assert first in store.conversations.uids()
    store.conversations.change_files(folder_id, lambda sources: (*sources, NOTES))
    second = folder_in(store, folder_id).uid
    assert seen[-1].removed_uids == {first}
    # Read again with the same text, or with a problem: the caches stay.
    again = Source(NOTES.path, files=(SourceFile("notes.md", NOTES.files[0].text, 24, 8),), problem="gone")
    store.conversations.change_files(folder_id, lambda _: (again,))
    assert (folder_in(store, folder_id).uid, seen[-1].removed_uids) == (second, set())
    store.conversations.delete_folder(folder_id)
    assert seen[-1].removed_uids == {second}
    assert second not in store.conversations.uids()
    store.conversations.change_files(folder_id, lambda _: (NOTES,))
    assert store.conversations.get(chat_in(store, folder_id)).folder_id is None


def test_a_folder_that_begins_with_something_is_not_lost_in_another(store: ConversationStore, folder_id: int) -> None:
    fill(store, folder_id, NOTES)
    store.conversations.create_folder("Work")
    store.conversations.rename_folder(folder_id, "Work")
    assert folder_in(store, folder_id).name == "Novel"


def test_damaged_files_and_settings_hide_nothing_else(store: ConversationStore, folder_id: int) -> None:
    fill(store, folder_id, NOTES)
    for files, settings in (('[{"path"', "[1"), ("[[1]]", '{"preset": 3, "models": [1]}'), ("[" * 9999, "{}")):
        store.database.execute("UPDATE folders SET files = ?, settings = ?", (files, settings))
        folder = folder_in(store, folder_id)
        assert (folder.sources, preset_of(folder), models_of(folder)) == ((), None, None)
        assert folder.instructions == "Today is {{date}}."


def exported(store: ConversationStore, folder_id: int, file: Path) -> int:
    chat_id = chat_in(store, folder_id)
    write_json(lambda operation: operation(store), [chat_id], file)
    return chat_id


def imported(store: ConversationStore, file: Path) -> int:
    return len(import_file(lambda operation: operation(store), file).added)


def test_an_export_has_the_folder_without_paths(store: ConversationStore, folder_id: int, tmp_path: Path) -> None:
    fill(store, folder_id, NOTES, BOOK)
    file = tmp_path / "chats.json"
    chat_id = exported(store, folder_id, file)
    assert "/home" not in file.read_text()
    assert "/models" not in file.read_text()
    store.conversations.purge(chat_id)
    store.conversations.delete_folder(folder_id)
    imported(store, file)
    [folder] = store.conversations.folders()
    assert (folder.name, folder.instructions, preset_of(folder)) == ("Novel", "Today is {{date}}.", BRIEF)
    assert [source.files for source in folder.sources] == [NOTES.files, BOOK.files]
    assert [source.path for source in folder.sources] == ["", ""]
    assert TOOLS_ON not in folder.settings


def test_an_export_has_no_pictures_of_a_folder_and_an_import_takes_none(
    store: ConversationStore, folder_id: int, tmp_path: Path
) -> None:
    picture = {"digest": store.pictures.add(b"a picture"), "width": 3, "height": 2}
    cover = SourceFile("book/c.png", picture=Picture(**picture))
    fill(store, folder_id, NOTES, Source("/home/book", True, (BOOK.files[0], cover)))
    file = tmp_path / "chats.json"
    exported(store, folder_id, file)
    assert picture["digest"] not in file.read_text()
    document = json.loads(file.read_text())
    files = [{"path": "", "files": [{"name": "c.png", "picture": picture | {"digest": "../../secret"}}]}]
    document["conversations"][0] |= {"uid": "u", "folder": "theirs", "folder_start": {"files": files}}
    file.write_text(json.dumps(document))
    imported(store, file)
    assert store.conversations.folders()[-1].sources[0].files == (SourceFile("c.png"),)


def test_an_import_names_no_path_and_loses_no_chat(store: ConversationStore, folder_id: int, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    exported(store, folder_id, file)
    document = json.loads(file.read_text())
    theirs = {"files": [{"path": "/etc/passwd", "files": [{"name": "a", "text": "x"}]}], "settings": {"tools": True}}
    starts = (theirs, {"files": [{"path": 1}], "instructions": ["x"], "preset": "x"}, {"files": "x"}, [])
    for number, start in enumerate(starts):
        document["conversations"][0] |= {"uid": f"u{number}", "folder": f"f{number}", "folder_start": start}
        file.write_text(json.dumps(document))
        assert imported(store, file) == 1
        folder = store.conversations.folders()[-1]
        assert (folder.name, folder.settings, len(folder.sources)) == (f"f{number}", {}, int(start is theirs))
        assert all(source.path == "" for source in folder.sources)
