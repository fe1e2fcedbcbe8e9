"""A folder is moved whole or not at all, and its old path still leads to it."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.conversations.opening import open_store
from app.settings import relocation
from app.settings.relocation import CopyProgress, MoveRefused, finish_interrupted_move, move_folder


def content(folder: Path) -> dict[str, str]:
    found = {}
    for place in sorted(folder.rglob("*")):
        name = str(place.relative_to(folder))
        if place.is_symlink():
            found[name] = f"-> {os.readlink(place)}"
        elif place.is_file():
            found[name] = place.read_text()
        elif not any(place.iterdir()):
            found[name] = "(empty)"
    return found


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder like the Hub's cache, with blobs and links to them."""
    folder = tmp_path / "here" / "hub"
    (folder / "models--a" / "blobs").mkdir(parents=True)
    (folder / "models--a" / "blobs" / "0a").write_text("weights")
    (folder / "models--a" / "snapshots" / "1").mkdir(parents=True)
    (folder / "models--a" / "snapshots" / "1" / "model.bin").symlink_to("../../blobs/0a")
    (folder / "empty").mkdir()
    (folder / "version.txt").write_text("1")
    return folder


def test_everything_is_in_the_new_place_and_the_old_one_leads_there(old: Path, tmp_path: Path) -> None:
    before, new, progress = content(old), tmp_path / "disk" / "models", CopyProgress()
    move_folder(old, new, progress)
    assert content(new) == before
    assert old.is_symlink()
    assert (old / "models--a" / "snapshots" / "1" / "model.bin").read_text() == "weights"
    assert sorted(place.name for place in old.parent.iterdir()) == ["hub"]
    assert sorted(place.name for place in new.parent.iterdir()) == ["models"]
    assert progress.done == progress.total == len("weights") + len("1")
    # It can be moved again.
    move_folder(old, tmp_path / "second")
    assert content(old) == before
    assert old.resolve() == tmp_path / "second"
    assert not new.exists()


def test_nothing_is_left_of_a_folder_whose_place_is_behind_a_link(old: Path, tmp_path: Path) -> None:
    before = content(old)
    (tmp_path / "home").symlink_to(old.parent)
    move_folder(tmp_path / "home" / "hub", tmp_path / "disk")
    assert content(old) == before
    assert [place.name for place in old.parent.iterdir()] == ["hub"]


def test_what_is_written_while_it_is_copied_goes_along(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = shutil.copystat

    def write_more(source: Path, target: Path) -> None:
        copied(source, target)
        if source.name == "version.txt" and source.read_text() == "1":
            source.write_text("two")
            (old / "late.txt").write_text("late")

    monkeypatch.setattr(relocation.shutil, "copystat", write_more)
    move_folder(old, tmp_path / "new")
    assert (old / "version.txt").read_text() == "two"
    assert (old / "late.txt").read_text() == "late"


def test_what_has_no_room_is_refused_before_anything_is_written(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relocation.shutil, "disk_usage", lambda _: SimpleNamespace(free=3))
    with pytest.raises(MoveRefused) as refused:
        move_folder(old, tmp_path / "new")
    assert (refused.value.reason, refused.value.arguments["free"]) == ("no-space", 3)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("place", "reason"), [("here/hub/inside", "inside"), ("here", "inside"), ("taken", "not-empty")]
)
def test_a_place_that_will_not_do_is_refused(old: Path, tmp_path: Path, place: str, reason: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    before = content(old)
    with pytest.raises(MoveRefused) as refused:
        move_folder(old, tmp_path / place)
    assert refused.value.reason == reason
    assert content(old) == before


def break_off(*_: object) -> None:
    raise OSError(28, "No space left on device")


def damage(source: object, target: Path, **_: object) -> None:  # noqa: ARG001
    if target.name == "0a":
        target.write_text("wrong")


@pytest.mark.parametrize(
    ("name", "fault", "reason"),
    [("os.fsync", break_off, "io"), ("os.rename", break_off, "io"), ("shutil.copystat", damage, "differs")],
)
def test_whatever_goes_wrong_the_folder_stays_where_it_is(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, fault: Callable[..., None], reason: str
) -> None:
    before = content(old)
    module, function = name.split(".")
    monkeypatch.setattr(getattr(relocation, module), function, fault)
    with pytest.raises(MoveRefused) as refused:
        move_folder(old, tmp_path / "new")
    assert refused.value.reason == reason
    assert not (tmp_path / "new").exists()
    assert not old.is_symlink()
    assert content(old) == before


@pytest.mark.parametrize("listed_before", [0, 1], ids=["at first", "while it is copied"])
def test_a_folder_that_cannot_be_listed_is_not_moved_without_its_files(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed_before: int
) -> None:
    before, listed, listing = content(old), list[str](), os.scandir

    def fails(folder: Any = ".") -> Any:
        if str(folder).endswith("blobs"):
            listed.append(str(folder))
            if len(listed) > listed_before:
                raise OSError(errno.EIO, "Input/output error")
        return listing(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", fails)
        with pytest.raises(MoveRefused) as refused:
            move_folder(old, tmp_path / "new")
    assert refused.value.reason == "io"
    assert not (tmp_path / "new").exists()
    assert not old.is_symlink()
    assert content(old) == before


def test_a_stopped_move_leaves_no_trace(old: Path, tmp_path: Path) -> None:
    before, progress = content(old), CopyProgress()
    progress.stopped = True
    with pytest.raises(MoveRefused, match="stopped"):
        move_folder(old, tmp_path / "new", progress)
    assert content(old) == before
    assert sorted(place.name for place in tmp_path.iterdir()) == ["here"]


def test_a_move_that_was_cut_off_in_between_is_undone(old: Path) -> None:
    before = content(old)
    shutil.move(old, old.with_name("hub.tandem-moved"))
    finish_interrupted_move(old)
    assert content(old) == before


@pytest.mark.expects_log
def test_the_old_place_that_could_not_be_removed_is_removed_at_the_next_start(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, left = content(old), old.with_name("hub.tandem-moved")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        move_folder(old, tmp_path / "disk" / "models")
    assert content(old) == before == content(left)
    shutil.move(tmp_path / "disk", tmp_path / "unplugged")
    finish_interrupted_move(old)
    assert content(left) == before
    shutil.move(tmp_path / "unplugged", tmp_path / "disk")
    finish_interrupted_move(old)
    assert not left.exists()
    assert content(old) == before


def test_chats_on_a_disk_that_is_not_there_are_not_taken_for_no_chats(tmp_path: Path) -> None:
    chats = tmp_path / "data" / "Tandem" / "chats.db"
    store, _ = open_store(chats)
    store.close()
    move_folder(chats.parent, tmp_path / "disk" / "chats")
    store, aside = open_store(chats)
    store.close()
    assert aside is None
    shutil.move(tmp_path / "disk", tmp_path / "unplugged")
    with pytest.raises(OSError, match="exists"):
        open_store(chats)
