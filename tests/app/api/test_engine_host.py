"""The models that clients may name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from app.api.engine_host import EngineHost
from engine import Engine, starter_pair
from tests.app.api.serving import Served
from tests.engine.model_files.model_folders import model_files, write_folder
from tests.tiny_adapters import write_adapter


def test_models_of_other_apps_can_be_named(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(own_home / ".omlx/models/org/model", model_files())
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with Engine() as engine:
        found = EngineHost(engine).installed()
    assert [model.id for model in found if model.source != "starter"] == ["org/model"]


def test_a_model_with_an_adapter_is_named_after_both_and_answers_with_the_draft(
    question: dict[str, Any], tmp_path: Path
) -> None:
    main, draft = Path(shutil.copytree(starter_pair()[0], tmp_path / "models" / "story")), str(starter_pair()[1])
    write_adapter(main, main / "style")
    with Engine() as engine:
        served = Served(engine, str(main), draft)
        served.host.folders = (main.parent,)
        served.host.keep("story")
        plain, adapted = (served.chat(question | {"model": name}) for name in ("story", "story:style"))
        served.close()
    assert (plain["model"], adapted["model"]) == ("story", "story:style")
    assert adapted["usage"]["speculation"]["draft"] == plain["usage"]["speculation"]["draft"] == "starter/draft"
    assert adapted["choices"][0]["message"]["content"] != plain["choices"][0]["message"]["content"]
