from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.cluster.fingerprint import fingerprint
from engine.cluster.portable import folder_of, portable_name
from engine.engine import starter_pair
from engine.errors import ModelNotUsable


def test_copies_have_one_fingerprint_and_other_weights_another(tiny_main: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    shutil.copytree(tiny_main, twin)
    assert fingerprint(twin) == fingerprint(tiny_main)
    with (twin / "model.safetensors").open("ab") as file:
        file.write(b"x")
    assert fingerprint(twin) != fingerprint(tiny_main)


def test_a_model_that_is_not_there_has_none(tmp_path: Path) -> None:
    with pytest.raises(ModelNotUsable):
        fingerprint(tmp_path)


def test_the_starter_is_called_the_same_on_every_machine(tiny_main: Path) -> None:
    main = starter_pair()[0]
    assert portable_name(main) == "starter"
    assert folder_of("starter") == main
    assert folder_of(portable_name(tiny_main)) == tiny_main.resolve()
