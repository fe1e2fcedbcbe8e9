"""Small JSON files that outlive the program; anything else in their place is ignored."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.files import kept_json
from engine.files.kept_json import MOST_ENTRIES, KeptJson

STAMP: dict[str, str | int] = {"format": 3, "machine": "M4"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "kept.json"


def kept(path: Path | None, **stamp: str | int) -> KeptJson:
    return KeptJson(path, STAMP | stamp)


def test_values_outlive_the_program_the_latest_last(path: Path) -> None:
    file = kept(path)
    for name, value in (("a", 1), ("b", {"c": [2.5]}), ("a", 3)):
        file.keep(name, value)
    assert list(kept(path).values.items()) == [("b", {"c": [2.5]}), ("a", 3)]


@pytest.mark.parametrize(("name", "left"), [("a", ["b"]), (None, []), ("x", ["a", "b"])])
def test_a_value_can_be_forgotten_or_all(path: Path, name: str | None, left: list[str]) -> None:
    file = kept(path)
    file.keep("a", 1)
    file.keep("b", 2)
    file.forget(None if name is None else [name])
    assert list(file.values) == list(kept(path).values) == left


def test_nothing_is_written_before_there_is_something_or_without_a_path(path: Path) -> None:
    assert kept(path).values == {}
    kept(path).forget(None)
    assert not path.exists()
    file = kept(None)
    file.keep("a", 1)
    assert file.values == {"a": 1}


def test_only_the_latest_are_kept(path: Path) -> None:
    file = kept(path)
    for number in range(MOST_ENTRIES + 3):
        file.keep(str(number), number)
    assert list(kept(path).values.values()) == list(range(3, MOST_ENTRIES + 3))


def test_the_oldest_go_before_the_file_is_too_large_to_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_json, "CONFIG", replace(kept_json.CONFIG, size=1000))
    file = kept(path)
    for number in range(8):
        file.keep(str(number), "x" * 200)
    assert list(kept(path).values) == ["4", "5", "6", "7"]


def put(path: Path, content: str | bytes) -> None:
    """Put a pipe, a file of six gigabytes, a link, or this content in the file's place."""
    path.parent.mkdir()
    if content == "pipe":
        os.mkfifo(path)
    elif content == "large":
        with path.open("wb") as file:
            file.truncate(6 * 2**30)
    elif isinstance(content, str):
        path.symlink_to(content)
    else:
        path.write_bytes(content)


@pytest.mark.parametrize(
    "content", ["pipe", "large", "/dev/zero", b"", b'{"values":', bytes(range(256)), b"[]", b"[" * 100_000, b"1e999"]
)
@pytest.mark.expects_log
def test_what_cannot_be_read_is_ignored_with_one_warning(
    path: Path, content: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    put(path, content)
    file = kept(path)
    assert file.values == file.values == {}
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    file.keep("a", 1)
    assert kept(path).values == {"a": 1}


@pytest.mark.parametrize(
    "content",
    [
        b'{"format": 2, "machine": "M4", "values": {"a": 1}}',
        b'{"format": 3, "machine": "M1", "values": {"a": 1}}',
        b'{"format": 3, "machine": "M4", "pairs": {"a": 1}}',
        b'{"format": 3, "machine": "M4", "values": [1]}',
        b'{"format": [[]], "machine": null}',
        b"{}",
    ],
)
def test_a_file_of_another_version_or_machine_is_set_aside_and_the_log_says_so_once(
    path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    put(path, content)
    file = kept(path)
    with caplog.at_level(logging.INFO):
        assert file.values == file.values == {}
    assert [record.levelname for record in caplog.records] == ["INFO"]
    file.keep("b", 1)
    assert kept(path).values == {"b": 1}


@pytest.mark.expects_log
def test_a_refused_write_leaves_the_old_file_and_one_warning(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept(path).keep("a", 1)
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.files.atomic_file.os.replace", refuse)
    file = kept(path)
    for value in range(3):
        file.keep("a", value)
    assert [record.levelname for record in caplog.records if record.levelno >= logging.INFO] == ["WARNING"]
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.expects_log
def test_a_folder_that_may_not_be_searched_is_an_empty_file(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def refused(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(path), "exists", refused)
        assert kept(path).values == {}
    assert "is ignored: [Errno 13] Permission denied" in caplog.text
