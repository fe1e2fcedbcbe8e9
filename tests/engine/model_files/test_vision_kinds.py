"""Which folders see: those whose configuration and tensors both have a tower of a known family."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.finding.description import describe_folder
from engine.model_files.vision_kinds import KINDS, vision_kind
from engine.pictures.families import FAMILIES
from tests.tiny_vision import MODELS, write_vision_model


def test_every_family_has_a_kind() -> None:
    assert {kind.name for kind in KINDS} == {*FAMILIES}


@pytest.mark.parametrize("name", MODELS)
def test_a_folder_sees_with_its_tower_alone(name: str, tmp_path: Path) -> None:
    folder = write_vision_model(tmp_path / "model", MODELS[name])
    assert describe_folder(folder, name, "folder").sees
    weights: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    text = {name: array for name, array in weights.items() if name.startswith("language_model.")}
    mx.save_safetensors(str(folder / "model.safetensors"), text)
    described = describe_folder(folder, name, "folder")
    assert described.complete
    assert not described.sees


@pytest.mark.parametrize("vision", [None, "large", []])
def test_a_configuration_without_a_tower_does_not_see(vision: object) -> None:
    tensors = ["vision_tower.a", "multi_modal_projector.b", "language_model.model.c"]
    config = {"model_type": "gemma3", "vision_config": {}}
    assert vision_kind(config, tensors) is not None
    assert vision_kind({**config, "model_type": "gemma3_text"}, tensors) is None
    assert vision_kind({**config, "vision_config": vision}, tensors) is None
