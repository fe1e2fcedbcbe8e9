"""Checking a model against its checksums."""

from __future__ import annotations

import errno
import threading
from typing import TYPE_CHECKING

import pytest

from engine.hub import verify
from engine.hub.transfer import digest_of
from engine.hub.values import RemoteFile, VerifyReport
from engine.hub.verify import verify_model
from tests.engine.model_files.model_folders import model_files, write_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sound_model_verifies_without_a_network(snapshot: Path) -> None:
    report = verify_model(snapshot)
    assert report is not None
    assert set(report.checked) == set(model_files())
    assert report.damaged + report.missing == ()


def test_a_changed_byte_and_a_missing_blob_are_named(snapshot: Path) -> None:
    weights = (snapshot / "model.safetensors").resolve()
    weights.write_bytes(weights.read_bytes()[:-1] + b"\2")
    (snapshot / "tokenizer.json").resolve().unlink()
    report = verify_model(snapshot)
    assert report is not None
    assert (report.damaged, report.missing) == (("model.safetensors",), ("tokenizer.json",))


def test_a_copied_folder_has_nothing_to_check_against(tmp_path: Path) -> None:
    assert verify_model(write_folder(tmp_path / "m", model_files())) == VerifyReport((), (), ())


def test_a_file_that_the_disk_cannot_read_is_damaged(snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path, file: RemoteFile, stop: threading.Event) -> str | None:
        if file.name == "config.json":
            raise OSError(errno.EIO, "input/output error")
        return digest_of(path, file, stop)

    monkeypatch.setattr(verify, "digest_of", read)
    report = verify_model(snapshot)
    assert report is not None
    assert report.damaged == ("config.json",)
    assert len(report.checked) == len(model_files()) - 1


def test_verifying_can_be_stopped(snapshot: Path) -> None:
    stop = threading.Event()
    stop.set()
    assert verify_model(snapshot, stop=stop) is None
