"""Removing a model, with a plan that tells the freed size first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from engine.hub.remove import plan_removal, remove
from engine.model_files.discovery import InstalledModel, installed_models
from tests.engine.hub.downloading import refused
from tests.engine.model_files.model_folders import model_files, write_folder, write_snapshot

if TYPE_CHECKING:
    from pathlib import Path


def installed(cache: Path) -> InstalledModel:
    (model,) = installed_models(cache)
    return model


def test_removal_says_first_what_it_frees_and_that_others_share_it(cache: Path, snapshot: Path) -> None:
    write_snapshot(cache, "org/other", model_files())
    model = next(model for model in installed_models(cache) if model.id == "org/model")
    plan = plan_removal(model, cache)
    assert plan.shared
    assert plan.freed_bytes >= sum(len(content) for content in model_files().values())
    assert snapshot.exists()
    remove(plan)
    assert [model.id for model in installed_models(cache)] == ["org/other"]


def test_a_model_that_is_being_written_is_not_removed(cache: Path, snapshot: Path) -> None:
    locks = cache / ".locks" / "models--org--model"
    locks.mkdir(parents=True)
    with FileLock(locks / "x.lock"), refused("in-use"):
        plan_removal(installed(cache), cache)
    assert snapshot.exists()


def test_neither_the_starter_nor_a_head_among_its_main_model_s_weights_is_removed(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "starter" / "main", model_files())
    (model,) = installed_models(tmp_path / "none", starter_dir=tmp_path / "starter")
    with refused("built-in"):
        plan_removal(model, tmp_path / "none")
    weights = str(folder / "model.safetensors")
    with refused("in-main"):
        plan_removal(InstalledModel("a/mtp", weights, "folder", True, head="mtp"), tmp_path / "none")


def test_a_model_of_another_app_is_never_removed(own_home: Path, tmp_path: Path) -> None:
    write_folder(own_home / ".lmstudio/models/org/model", model_files())
    (model,) = installed_models(tmp_path)
    with refused("other-app") as caught:
        plan_removal(model, tmp_path)
    assert str(caught.value) == "org/model: it belongs to LM Studio, which can remove it"


def test_a_folder_of_the_users_own_is_removed_alone(tmp_path: Path) -> None:
    write_folder(tmp_path / "mine" / "a", model_files())
    write_folder(tmp_path / "mine" / "b", model_files())
    model, _ = installed_models(tmp_path / "none", [tmp_path / "mine"])
    plan = plan_removal(model, tmp_path / "none")
    assert not plan.shared
    remove(plan)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["b"]


def test_other_files_in_a_folder_of_the_users_own_stay(tmp_path: Path) -> None:
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


def test_a_downloaded_folder_is_removed_with_its_companion_files(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("source", ["cache", "folder"])
def test_a_model_that_is_gone_already_is_not_installed(source: str, cache: Path, tmp_path: Path) -> None:
    gone = InstalledModel("org/gone", str(tmp_path / "gone"), source, True)
    with refused("not-installed"):
        plan_removal(gone, cache)


def test_what_cannot_be_removed_is_named(cache: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_removal(installed(cache), cache)
    monkeypatch.setattr("engine.hub.remove.shutil.rmtree", lambda *_args, **_options: None)
    with refused("not-writable") as caught:
        remove(plan)
    assert str(caught.value.arguments["path"]) in str(snapshot)
