"""Converting GGUF files in a process with limits: whole or not at all, and the source untouched."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from engine.errors import EngineClosed, ModelNotUsable
from engine.gguf import conversion
from engine.gguf.conversion import SANDBOX, convert
from engine.gguf.provenance import NAME, read_provenance
from engine.model_files.inspection import check_folder
from tests.tiny_gguf import write_gguf


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Path]:
    yield write_gguf(tmp_path / "files/tiny.gguf")
    assert SANDBOX.pid is None


def converted(source: Path, folder: Path) -> list[tuple[int, int]]:
    progress: list[tuple[int, int]] = []
    convert(source, folder, lambda done, total: progress.append((done, total)), threading.Event())
    return progress


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.mark.full
def test_the_folder_keeps_where_it_comes_from(source: Path, tmp_path: Path) -> None:
    before, status = source.read_bytes(), source.stat()
    progress = converted(source, tmp_path / "models/tiny")
    assert names(tmp_path / "models") == {"tiny"}
    check_folder(tmp_path / "models/tiny")
    kept = read_provenance(tmp_path / "models/tiny")
    assert kept is not None
    assert (kept.source, kept.size, kept.modified_ns) == (str(source), len(before), status.st_mtime_ns)
    assert (kept.architecture, kept.tensors, kept.requantised) == ("llama", 20, ())
    assert (source.read_bytes(), source.stat().st_mtime_ns) == (before, status.st_mtime_ns)
    assert names(source.parent) == {"tiny.gguf"}
    assert progress[0][0] == 0
    assert progress[-1][0] == progress[-1][1] > 0


def test_a_folder_of_an_older_version_keeps_its_weights_and_gets_the_rest_anew(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models/tiny"
    converted(source, folder)
    made = read_provenance(folder)
    assert made is not None
    weights = (folder / "model.safetensors").stat()
    tokenizer = (folder / "tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_text("{}")
    (folder / NAME).write_bytes(msgspec.json.encode(msgspec.structs.replace(made, version=0)))
    assert converted(source, folder) == []
    assert ((folder / "tokenizer.json").read_bytes(), read_provenance(folder)) == (tokenizer, made)
    assert (folder / "model.safetensors").stat() == weights
    assert names(tmp_path / "models") == {"tiny"}


def test_what_a_killed_conversion_left_is_replaced(source: Path, tmp_path: Path) -> None:
    left = tmp_path / "models/.tiny.partial"
    left.mkdir(parents=True)
    (left / "model.safetensors").write_bytes(b"half")
    (left / "model-00001-of-00009.safetensors").write_bytes(b"half")
    converted(source, tmp_path / "models/tiny")
    assert names(tmp_path / "models") == {"tiny"}
    check_folder(tmp_path / "models/tiny")


def test_what_a_killed_conversion_of_another_file_left_is_removed(source: Path, tmp_path: Path) -> None:
    left = tmp_path / "deleted/.other.partial"
    left.mkdir(parents=True)
    (left / "model.safetensors").write_bytes(b"half")
    converted(source, tmp_path / "models/tiny")
    assert names(tmp_path / "deleted") == set()


def test_what_a_conversion_cannot_remove_is_named_and_removed_by_the_next_one(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cancelled = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(EngineClosed):
            convert(source, tmp_path / "models/tiny", lambda _done, _total: cancelled.set(), cancelled)
    assert names(tmp_path / "models") == {".tiny.partial"}
    assert ".tiny.partial" in caplog.text
    caplog.clear()
    converted(source, tmp_path / "models/tiny")
    assert names(tmp_path / "models") == {"tiny"}


def test_two_at_once_convert_one_file_once(source: Path, tmp_path: Path) -> None:
    folder, seen, progress = tmp_path / "models/tiny", list[threading.Thread](), list[tuple[int, int]]()

    def convert_again(*_: int) -> None:
        if not seen:
            seen.append(threading.Thread(target=lambda: progress.extend(converted(source, folder))))
            seen[0].start()
            # Without a lock, it has deleted what this one writes by then.
            seen[0].join(0.3)

    convert(source, folder, convert_again, threading.Event())
    weights = (folder / "model.safetensors").stat()
    seen[0].join()
    assert ((folder / "model.safetensors").stat(), progress) == (weights, [])
    check_folder(folder)
    assert names(tmp_path / "models") == {"tiny"}


@pytest.mark.full
def test_who_waits_for_another_process_can_give_up(source: Path, tmp_path: Path) -> None:
    folder, cancelled = tmp_path / "models/tiny", threading.Event()
    cancelled.set()

    def convert_again(*_: int) -> None:
        with pytest.raises(EngineClosed):
            convert(source, folder, print, cancelled)

    convert(source, folder, convert_again, threading.Event())
    check_folder(folder)


@pytest.mark.full
@pytest.mark.parametrize(
    "change", ["replaced", *(pytest.param(one, marks=pytest.mark.full) for one in ("other settings", "written to"))]
)
def test_a_file_that_changes_while_it_is_converted_is_refused(change: str, source: Path, tmp_path: Path) -> None:
    def changed(*_: int) -> None:
        if change == "written to":
            with source.open("r+b") as file:
                file.seek(-64, os.SEEK_END)
                file.write(b"7" * 64)
            os.utime(source)
            return
        base = 77.0 if change == "other settings" else 10_000.0
        write_gguf(tmp_path / "new.gguf", seed=5, llama__rope__freq_base=base).replace(source)

    with pytest.raises(ModelNotUsable) as caught:
        convert(source, tmp_path / "models/tiny", changed, threading.Event())
    assert (caught.value.reason, caught.value.detail) == ("damaged", "tiny.gguf (changed meanwhile)")
    assert names(tmp_path / "models") == set()


@pytest.mark.full
def test_a_file_that_was_deleted_is_missing(source: Path, tmp_path: Path) -> None:
    source.unlink()
    assert refusal(source, tmp_path / "models/tiny")[0] == "missing"


@pytest.mark.full
def test_a_conversion_that_is_cancelled_leaves_nothing(source: Path, tmp_path: Path) -> None:
    cancelled = threading.Event()
    with pytest.raises(EngineClosed):
        convert(source, tmp_path / "models/tiny", lambda *_: cancelled.set(), cancelled)
    assert names(tmp_path / "models") == set()


def refusal(source: Path, folder: Path) -> tuple[str, str]:
    with pytest.raises(ModelNotUsable) as caught:
        converted(source, folder)
    return caught.value.reason, caught.value.detail


def test_a_full_disk_and_a_folder_that_cannot_be_made_are_named(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "free_bytes", lambda _: 1_000)
    assert refusal(source, tmp_path / "models/tiny") == ("disk-full", "0.3 GB")
    assert names(tmp_path / "models") == set()
    (tmp_path / "file").write_text("a file")
    assert refusal(source, tmp_path / "file/tiny")[0] == "not-written"


@pytest.mark.full
@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"GGUF", ("incomplete", "a part of tiny.gguf")), (b"PK\3\4" * 9, ("damaged", "tiny.gguf (not a GGUF file)"))],
)
def test_what_is_no_model_leaves_nothing(
    content: bytes, problem: tuple[str, str], source: Path, tmp_path: Path
) -> None:
    source.write_bytes(content)
    assert refusal(source, tmp_path / "models/tiny") == problem
    assert names(tmp_path / "models") == set()


def test_a_file_that_takes_too_long_is_refused(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "_PREPARE_S", -1)
    SANDBOX.start()
    # A stopped process is not done before it is looked at.
    psutil.Process(SANDBOX.pid).suspend()
    assert refusal(source, tmp_path / "models/tiny") == ("beyond-limits", "tiny.gguf (too-slow, -1)")
    assert names(tmp_path / "models") == set()
