"""The file of settings: it tolerates other versions, and no settings are lost when it is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.settings.declarations import SettingsValues
from app.settings.engine_settings import SAMPLING_KEYS, sampling_of
from app.settings.store import SettingsStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "settings.json"


def backups(path: Path) -> list[Path]:
    return list(path.parent.glob("settings.*.backup.json"))


@pytest.mark.first
def test_a_choice_is_there_the_next_time_and_listeners_hear_of_it(path: Path) -> None:
    file, heard = SettingsStore(path), []
    file.subscribe(lambda: heard.append(file.values.theme))
    file.change(theme="dark", model_folders=("a", "b"), window_geometry="AAAA", temperature=1.0)
    file.change(theme="dark")
    assert heard == ["dark"]
    kept = SettingsValues(theme="dark", model_folders=("a", "b"), window_geometry="AAAA", temperature=1.0)
    assert SettingsStore(path).values == kept
    assert backups(path) == []


def test_entries_of_another_version_are_kept_and_unusable_ones_fall_back_with_a_backup(path: Path) -> None:
    path.parent.mkdir()
    content = {"theme": 7, "text_size": 5000, "language": "ko", "temperature": 1, "from_the_future": [1]}
    path.write_text(json.dumps(content))
    file = SettingsStore(path)
    assert file.values == SettingsValues(language="ko", temperature=1.0, kept_sampling=SAMPLING_KEYS)
    file.change(offer_seen=True)
    assert json.loads(path.read_text())["from_the_future"] == [1]
    assert [json.loads(backup.read_text()) for backup in backups(path)] == [content]
    assert file.backup == backups(path)[0]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    file = SettingsStore(path)
    assert file.values == SettingsValues()
    assert file.backup is not None
    assert file.backup.read_bytes() == content
    assert not path.exists()


def test_a_disk_that_refuses_costs_no_more_than_the_memory_of_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    file = SettingsStore(tmp_path / "file" / "settings.json")
    file.change(theme="dark")
    assert file.values.theme == "dark"


def test_changes_that_come_while_a_write_waits_are_written_with_it(path: Path) -> None:
    jobs: list[Callable[[], None]] = []
    file = SettingsStore(path, submit=jobs.append)
    file.change(theme="dark")
    file.change(language="ko")
    assert len(jobs) == 1
    jobs.pop()()
    assert SettingsStore(path).values == SettingsValues(theme="dark", language="ko")
    file.change(theme="light")
    assert len(jobs) == 1


RECOMMENDED = {"temperature": 0.6, "top_k": 20}


@pytest.mark.parametrize(
    ("content", "temperature", "top_k", "longest"),
    [
        ({"temperature": 0.0, "max_tokens": 1024}, 0.6, 20, 0),
        ({"temperature": 0.7, "top_p": 0.9, "max_tokens": 512}, 0.7, 0, 512),
    ],
)
def test_a_file_from_before_recommendations_keeps_what_was_chosen(
    path: Path, content: dict[str, float], temperature: float, top_k: int, longest: int
) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps(content))
    values = SettingsStore(path).values
    sampling = sampling_of(values, RECOMMENDED)
    assert (sampling.temperature, sampling.top_k, values.max_tokens) == (temperature, top_k, longest)
