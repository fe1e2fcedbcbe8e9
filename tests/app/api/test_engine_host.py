"""The models that clients may name."""

from __future__ import annotations

from pathlib import Path

import pytest
from huggingface_hub import constants

from app.api.engine_host import EngineHost
from engine import Engine
from tests.engine.model_files.model_folders import model_files, write_folder


@pytest.mark.parametrize(("other_apps", "names"), [(True, ["org/model"]), (False, [])])
def test_models_of_other_apps_can_be_named_unless_a_setting_says_otherwise(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other_apps: bool, names: list[str]
) -> None:
    write_folder(own_home / ".omlx/models/org/model", model_files())
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with Engine() as engine:
        found = EngineHost(engine, other_apps=other_apps).installed()
    assert [model.id for model in found if model.source != "starter"] == names
