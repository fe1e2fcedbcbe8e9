"""If a head's settings can mean two things, the one that it was trained with is found and used."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.files.steps import run_to_completion
from engine.heads.eagle_network import EagleHead
from engine.heads.mtp_network import MtpHead
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.sources import HeadSource
from engine.speculation.rounds import tap_choice
from engine.speculation.rounds.tap_choice import choose_reading
from tests.engine.heads.heads_on_disk import load_head
from tests.engine.serving_requests import load_models, request, run
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.tiers import by_tier
from tests.tiny_eagle import write_eagle_head
from tests.tiny_models import QWEN3, write_model
from tests.tiny_mtp import write_mtp_head

LAYERS = 6
# Inputs of layers 1 and 4 are outputs of 0 and 3.
IDS = [1, 4]
AS_INPUTS, AS_OUTPUTS = (0, 3), (1, 4)


@pytest.fixture(scope="module")
def main_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # The sample text has a token for nearly each letter.
    config = {**QWEN3, "num_hidden_layers": LAYERS, "max_position_embeddings": 1024}
    return write_model(tmp_path_factory.mktemp("main"), config=config)


def write_head(folder: Path, main: Path, seed: int = 13) -> Path:
    return write_eagle_head(folder, main, seed=seed, eagle_config={"eagle_aux_hidden_state_layer_ids": IDS})


def good_with(monkeypatch: pytest.MonkeyPatch, main: LoadedModel | None, taps: tuple[int, ...]) -> list[Any]:
    """Make every EAGLE-3 head right if it is given the outputs of `taps`; returns the arguments of each trial."""
    tried: list[Any] = []

    def log_chance(_head: EagleHead, rows: mx.array, tokens: list[int], answers: mx.array) -> mx.array:
        tried.append((rows, tokens, answers))
        assert main is not None
        with tap_choice.Taps(main.model, taps).record() as outputs:
            main.model(mx.array([tokens], mx.uint32), cache=main.new_caches())
        return -mx.abs(rows - mx.concatenate(outputs, axis=-1)).mean()

    monkeypatch.setattr(EagleHead, "log_chance", log_chance)
    return tried


@pytest.mark.parametrize("right", [AS_INPUTS, pytest.param(AS_OUTPUTS, marks=pytest.mark.full)])
def test_the_layers_that_make_the_head_right_are_chosen(
    main_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: tuple[int, ...]
) -> None:
    main, head = load(main_folder), load_head(write_head(tmp_path, main_folder))
    assert isinstance(head, EagleHead)
    assert head.config.tap_choices == (AS_OUTPUTS, AS_INPUTS)
    identity = head.identity
    tried = good_with(monkeypatch, main, right)
    assert run_to_completion(choose_reading(main, head)) == head.taps == right
    assert len(tried) == 2
    # A head's contexts depend on the reading.
    assert (head.identity == identity) == (right == AS_OUTPUTS)


@pytest.mark.parametrize("family", by_tier(["deepseek_v3", "glm4_moe"], ["deepseek_v3"]))
@pytest.mark.parametrize("right", [(0,), (1,)])
def test_the_state_that_makes_an_mtp_head_right_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, right: tuple[int, ...]
) -> None:
    """The state is taken before or after the main model's last norm; a head is right if it is given the wanted one."""
    folder = write_model(tmp_path / "main", config={"model_type": family, **FAMILIES[family]})
    # A norm that changes nothing but the length would leave the two alike.
    weights = mx.load(str(folder / "model.safetensors"))
    weights["model.norm.weight"] = mx.linspace(0.5, 2.0, weights["model.norm.weight"].size)  # type: ignore[call-overload,index,union-attr]
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})  # type: ignore[arg-type]
    main, head = load(folder), load_head(write_mtp_head(tmp_path / "head", folder))
    assert isinstance(head, MtpHead)

    def log_chance(head: MtpHead, rows: mx.array, _tokens: list[int], _answers: mx.array) -> mx.array:
        wanted = head.ports.final_norm(rows) if right == (0,) else rows
        return -mx.abs(head.states_of(rows) - wanted).mean()

    monkeypatch.setattr(MtpHead, "log_chance", log_chance)
    identity = head.identity
    assert run_to_completion(choose_reading(main, head)) == right
    assert (head.identity == identity) == (right == (0,))
    rows = mx.random.normal((1, 3, head.config.width), key=mx.random.key(2))
    assert mx.array_equal(head.states_of(rows), rows) == (right == (1,))


def test_a_head_is_loaded_as_what_it_was_trained_on(
    main_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good_with(monkeypatch, load(main_folder), AS_INPUTS)
    with closing(Scheduler()) as scheduler:
        load_models(scheduler, main_folder, write_head(tmp_path, main_folder))
        source = scheduler.models.drafter
        assert isinstance(source, HeadSource)
        assert source.taps.indices == source.head.taps == AS_INPUTS
        [client] = run(scheduler, request(max_tokens=8))
        assert client.finished.stats.drafted > 0
