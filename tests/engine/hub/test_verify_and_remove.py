"""Checking a model against its checksums, and removing it with the freed size known first."""

from __future__ import annotations

import errno
import hashlib
import threading
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from engine.hub.failures import HubError
from engine.hub.listing import Listing, RemoteFile
from engine.hub.remove import plan_removal, remove
from engine.hub.transfer import digest_of
from engine.hub.verify import verify_model
from engine.hub import verify
from engine.model_files.discovery import InstalledModel, installed_models
from tests.engine.hub.model_folders import model_files, write_folder, write_snapshot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def snapshot(cache: Path) -> Path:
    """A model whose blobs are named by their content, as the library does it."""
    files = model_files()
    path = write_snapshot(cache, "org/model", files)
    for name, content in files.items():
        digest = hashlib.sha256(content).hexdigest()
        blob = (path / name).resolve()
        blob.rename(blob.with_name(digest))
        (path / name).unlink()
        (path / name).symlink_to(f"../../blobs/{digest}")
    return path


def installed(cache: Path) -> InstalledModel:
    (model,) = installed_models(cache)
    return model


def test_a_sound_model_verifies_without_a_network(snapshot: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = verify_model(snapshot, on_bytes=lambda done, total: seen.append((done, total)))
    assert report is not None
    assert set(report.checked) == set(model_files())
    assert report.damaged + report.missing + report.unknown == ()
    assert seen[-1][0] == seen[-1][1]


def test_a_changed_byte_and_a_missing_blob_are_named(snapshot: Path) -> None:
    weights = (snapshot / "model.safetensors").resolve()
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    (snapshot / "tokenizer.json").resolve().unlink()
    report = verify_model(snapshot)
    assert report is not None
    assert (report.damaged, report.missing) == (("model.safetensors",), ("tokenizer.json",))


def test_a_copied_folder_is_checked_against_a_listing(tmp_path: Path) -> None:
    files = model_files()
    folder = write_folder(tmp_path / "m", files)
    listed = tuple(
        RemoteFile(name, len(content), hashlib.sha256(content).hexdigest()) for name, content in files.items()
    )
    report = verify_model(folder, Listing("org/m", "a" * 40, (*listed, RemoteFile("absent.json", 1, "0" * 64))))
    assert report is not None
    assert (set(report.checked), report.missing) == (set(files), ("absent.json",))
    without = verify_model(folder)
    assert without is not None
    assert set(without.unknown) == set(files)


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


def test_removal_says_first_what_it_frees_and_that_others_share_it(cache: Path, snapshot: Path) -> None:
    write_snapshot(cache, "org/other", model_files())
    model = next(model for model in installed_models(cache) if model.id == "org/model")
    plan = plan_removal(model, cache)
    assert plan.shared
    assert plan.revisions == 1
    assert plan.freed_bytes >= sum(len(content) for content in model_files().values())
    assert snapshot.exists()
    remove(plan)
    assert [model.id for model in installed_models(cache)] == ["org/other"]


def test_a_model_that_is_being_written_is_not_removed(cache: Path, snapshot: Path) -> None:
    locks = cache / ".locks" / "models--org--model"
    locks.mkdir(parents=True)
    with FileLock(locks / "x.lock"), pytest.raises(HubError) as caught:
        plan_removal(installed(cache), cache)
    assert caught.value.reason == "in-use"
    assert snapshot.exists()


def test_the_starter_is_not_removed(tmp_path: Path) -> None:
    write_folder(tmp_path / "starter" / "main", model_files())
    (model,) = installed_models(tmp_path / "none", starter_dir=tmp_path / "starter")
    with pytest.raises(HubError) as caught:
        plan_removal(model, tmp_path / "none")
    assert caught.value.reason == "built-in"


def test_a_folder_of_the_users_own_goes_alone(tmp_path: Path) -> None:
    write_folder(tmp_path / "mine" / "a", model_files())
    write_folder(tmp_path / "mine" / "b", model_files())
    model, _ = installed_models(tmp_path / "none", [tmp_path / "mine"])
    plan = plan_removal(model, tmp_path / "none")
    assert not plan.shared
    remove(plan)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["b"]


def test_what_else_lies_in_a_folder_of_the_users_own_stays(tmp_path: Path) -> None:
    mine = write_folder(
        tmp_path / "mine", model_files() | {"README.md": b"x", "notes.txt": b"mine", "data/a.txt": b"x"}
    )
    write_folder(mine / "other", model_files())
    model = next(model for model in installed_models(tmp_path / "none", [mine]) if model.path == str(mine))
    plan = plan_removal(model, tmp_path / "none")
    assert plan.freed_bytes == sum((mine / name).stat().st_blocks * 512 for name in model_files())
    remove(plan)
    assert sorted(path.name for path in mine.iterdir()) == ["README.md", "data", "notes.txt", "other"]
    assert (mine / "other" / "config.json").exists()


def test_a_downloaded_folder_goes_with_what_came_along(tmp_path: Path) -> None:
    along = {"README.md": b"x", ".gitattributes": b"x", ".cache/huggingface/download/x.metadata": b"x"}
    write_folder(tmp_path / "mine" / "a", model_files() | along)
    (model,) = installed_models(tmp_path / "none", [tmp_path / "mine"])
    remove(plan_removal(model, tmp_path / "none"))
    assert list((tmp_path / "mine").iterdir()) == []


def test_a_folder_that_is_a_link_loses_the_link_only(tmp_path: Path) -> None:
    write_folder(tmp_path / "real", model_files())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "link").symlink_to(tmp_path / "real")
    (model,) = installed_models(tmp_path / "none", [tmp_path / "mine"])
    plan = plan_removal(model, tmp_path / "none")
    assert plan.freed_bytes == 0
    remove(plan)
    assert (tmp_path / "real" / "config.json").exists()
    assert not (tmp_path / "mine" / "link").exists()
