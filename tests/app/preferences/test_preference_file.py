"""The file of preferences: kept, tolerant of other versions, never lost when damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.preferences.preference_file import PreferenceFile, Preferences


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "settings.json"


def test_a_choice_is_there_the_next_time_and_listeners_hear_of_it(path: Path) -> None:
    file, heard = PreferenceFile(path), []
    file.subscribe(lambda: heard.append(file.values.theme))
    file.change(theme="dark", model_folders=("a", "b"))
    file.change(theme="dark")
    assert heard == ["dark"]
    assert PreferenceFile(path).values == Preferences(theme="dark", model_folders=("a", "b"))


def test_entries_of_another_version_are_kept_and_wrong_ones_fall_back(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"theme": 7, "language": "ko", "from_the_future": [1]}))
    file = PreferenceFile(path)
    assert file.values == Preferences(language="ko")
    file.change(offer_seen=True)
    assert json.loads(path.read_text())["from_the_future"] == [1]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe"])
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert PreferenceFile(path).values == Preferences()
    assert path.with_suffix(".damaged.json").read_bytes() == content


def test_a_disk_that_refuses_costs_no_more_than_the_memory_of_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    file = PreferenceFile(tmp_path / "file" / "settings.json")
    file.change(theme="dark")
    assert file.values.theme == "dark"
