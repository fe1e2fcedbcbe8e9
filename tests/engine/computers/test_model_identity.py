"""The names and fingerprints by which machines compare their models."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.computers.model_identity import are_alike, fingerprint, folder_of, is_on_hub, portable_name
from engine.files.paths import starter_pair


def test_copies_have_one_fingerprint_and_other_weights_another(tiny_main: Path, tmp_path: Path) -> None:
    twin = Path(shutil.copytree(tiny_main, tmp_path / "twin"))
    assert are_alike(fingerprint(twin), fingerprint(tiny_main))
    with (twin / "model.safetensors").open("ab") as file:
        file.write(b"x")
    assert not are_alike(fingerprint(twin), fingerprint(tiny_main))


@pytest.mark.first
def test_where_files_are_lacking_the_version_has_to_be_the_same() -> None:
    whole = {"/": "aaaa", "config.json": "c", "model.safetensors.index.json": "i", "model-1": "1", "model-2": "2"}
    part = {name: digest for name, digest in whole.items() if name != "model-2"}
    assert are_alike(whole, part)
    assert not are_alike(whole, part | {"/": "bbbb"})
    assert not are_alike(whole, part | {"model-1": "other"})
    assert not are_alike(whole, {name: digest for name, digest in part.items() if not name.endswith("index.json")})


def test_the_starter_pair_is_called_the_same_on_every_machine(tiny_main: Path) -> None:
    main, draft = starter_pair()
    assert (portable_name(main), portable_name(draft)) == ("starter", "starter draft")
    assert (folder_of("starter"), folder_of("starter draft")) == (main, draft)
    assert not is_on_hub("starter draft")
    assert folder_of(portable_name(tiny_main)) == tiny_main.resolve()
