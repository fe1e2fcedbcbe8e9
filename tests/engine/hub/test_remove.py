"""Removing a model, with a plan that tells the freed size first."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from engine.finding.discovery import installed_models
from engine.hub.cache_layout import RepositoryCache
from engine.hub.remove import plan_removal, remove
from engine.hub.values import RemovalPlan
from engine.model_files.model import Model
from tests.engine.hub.downloading import refused
from tests.engine.model_files.model_folders import model_files, write_folder, write_snapshot

if TYPE_CHECKING:
    from pathlib import Path

# The files of an adapter, which need not be sound to be removed.
ADAPTER = {"adapter_config.json": b"{}", "adapters.safetensors": b"x"}


def installed(cache: Path) -> Model:
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


def test_nothing_is_removed_if_the_system_does_not_say_what_is_there(
    cache: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without their listings, a model that is being written would look finished, and shared blobs unused."""
    model = installed(cache)
    digests = [link.readlink().name for link in snapshot.iterdir()]
    (cache / ".locks" / "models--org--model").mkdir(parents=True)

    def fails(*_: object) -> list[str]:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", fails)
        patch.setattr(os, "scandir", fails)
        with refused("not-writable"):
            plan_removal(model, cache)
        with pytest.raises(OSError, match="Too many"):
            RepositoryCache(cache, "org/model").discard("another", digests)
    assert [model.id for model in installed_models(cache)] == ["org/model"]
    assert all(path.exists() for path in snapshot.iterdir())


def test_neither_the_starter_nor_a_head_among_its_main_model_s_weights_is_removed(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "starter" / "main", model_files())
    (model,) = installed_models(tmp_path / "none", starter_dir=tmp_path / "starter")
    with refused("built-in"):
        plan_removal(model, tmp_path / "none")
    weights = str(folder / "model.safetensors")
    with refused("in-main"):
        plan_removal(Model("a/mtp", "folder", path=weights, head="mtp"), tmp_path / "none")


def test_a_model_of_another_app_is_never_removed(own_home: Path, tmp_path: Path) -> None:
    write_folder(own_home / ".lmstudio/models/org/model", model_files())
    (model,) = installed_models(tmp_path)
    with refused("other-app") as caught:
        plan_removal(model, tmp_path)
    assert caught.value.arguments == {"reason": "other-app", "repository": "org/model", "app": "LM Studio"}


def plan_in(folder: Path, cache: Path, path: Path) -> RemovalPlan:
    """Plan the removal of the model at `path`, which is found in the added `folder`."""
    return plan_removal(next(one for one in installed_models(cache, [folder]) if one.path == str(path)), cache)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of a person's own with models, an adapter, a head, and links."""
    mine, real = tmp_path / "mine", write_folder(tmp_path / "real", model_files())
    write_folder(mine / "alone", model_files() | {"README.md": b"x", ".cache/huggingface/x.metadata": b"x"})
    write_folder(mine / "mixed", model_files() | {"notes.txt": b"mine", "data/a.txt": b"x"})
    write_folder(mine / "mixed" / "other", model_files())
    write_folder(mine / "adapter", ADAPTER)
    write_folder(mine / "training", ADAPTER | {"0000100_adapters.safetensors": b"x"})
    (mine / "link").symlink_to(real)
    return mine


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        ("alone", ["alone"]),
        ("mixed", [f"mixed/{name}" for name in sorted(model_files())]),
        ("adapter", ["adapter"]),
        ("training", ["training/adapter_config.json", "training/adapters.safetensors"]),
        ("link", ["link"]),
    ],
)
def test_nothing_of_a_person_s_own_is_deleted_and_only_the_model_is_for_the_trash(
    name: str, goes: list[str], mine: Path, cache: Path
) -> None:
    before = sorted(mine.rglob("*"))
    plan = plan_in(mine, cache, mine / name)
    assert (plan.personal, plan.shared, plan.place) == (True, False, mine / name)
    assert [str(path.relative_to(mine)) for path in plan.folders] == goes
    assert plan.leaves_others == (goes != [name])
    with refused("own-folder") as caught:
        remove(plan)
    assert caught.value.arguments["path"] == str(mine / name)
    assert sorted(mine.rglob("*")) == before


def test_what_a_link_in_the_hub_s_cache_leads_to_is_not_deleted(cache: Path, snapshot: Path, tmp_path: Path) -> None:
    """Repositories are kept on another disk so, and parts of one in a person's own folder."""
    elsewhere = tmp_path / "elsewhere"
    write_folder(elsewhere / "adapter", ADAPTER)
    (snapshot / "adapters").symlink_to(elsewhere)
    adapter = Model("org/model:a", "cache", path=str(snapshot / "adapters" / "adapter"), base=str(snapshot))
    assert plan_removal(adapter, cache).personal
    (cache / "models--org--model").rename(elsewhere / "repository")
    (cache / "models--org--model").symlink_to(elsewhere / "repository")
    remove(plan_removal(installed(cache), cache))
    assert (elsewhere / "repository" / "refs" / "main").exists()
    assert (elsewhere / "adapter" / "adapters.safetensors").exists()
    assert installed_models(cache) == []


def test_a_folder_that_a_person_has_put_into_the_hub_s_cache_is_their_own(cache: Path) -> None:
    for folder in (cache / "mine", cache / "org" / "mine"):
        write_folder(folder, model_files())
        assert plan_in(folder, cache, folder).personal


def test_an_adapter_and_an_older_snapshot_in_the_hub_s_cache_are_deleted(cache: Path, snapshot: Path) -> None:
    older = write_folder(snapshot.parent / "older", model_files())
    adapter = write_folder(snapshot / "adapters" / "mine", ADAPTER)
    for folder in (older, adapter):
        plan = plan_in(snapshot.parent, cache, folder)
        assert (plan.personal, plan.shared) == (False, True)
        remove(plan)
        assert not folder.exists()
    assert (snapshot / "config.json").exists()


@pytest.mark.parametrize("source", ["cache", "folder"])
def test_a_model_that_is_gone_already_is_not_installed(source: str, cache: Path, tmp_path: Path) -> None:
    gone = Model("org/gone", source, path=str(tmp_path / "gone"))
    with refused("not-installed"):
        plan_removal(gone, cache)


def test_what_cannot_be_removed_is_named(cache: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_removal(installed(cache), cache)
    monkeypatch.setattr("engine.hub.remove.shutil.rmtree", lambda *_args, **_options: None)
    with refused("not-writable") as caught:
        remove(plan)
    assert str(caught.value.arguments["path"]) in str(snapshot)
