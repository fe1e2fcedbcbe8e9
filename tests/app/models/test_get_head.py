"""The MTP head of an original model, from the draft picker to an answer, with a real engine."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from safetensors.numpy import save

from app.library.library import Library
from engine.hub.repository_names import head_name
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import PickerDriver
from tests.engine.model_files.model_folders import write_snapshot
from tests.engine.speculation.family_configs import FAMILIES
from tests.fakehub.server import FakeHub
from tests.tiny_models import write_model
from tests.tiny_mtp import mtp_tensors

pytestmark = pytest.mark.full

MAKERS, CONVERSION = "makers/Hybrid", "tiny-org/Hybrid-32bit"
HEAD = head_name(CONVERSION)
SHARDS, WITH_HEAD = 40, (5, 33)


@pytest.fixture
def conversion(hub: FakeHub, tmp_path: Path) -> str:
    """An installed model without its head, which is in two of the forty shards of the original repository."""
    main = write_model(tmp_path / "main", config={"model_type": "qwen3_5", **FAMILIES["qwen3_5"]})
    files = {file.name: file.read_bytes() for file in main.iterdir()}
    write_snapshot(tmp_path / "cache", CONVERSION, files)
    hub.add(CONVERSION, files, tags=("mlx", f"base_model:quantized:{MAKERS}"))
    head = {f"mtp.{name}": np.array(array) for name, array in mtp_tensors(main).items()}
    whole: dict[str, mx.array] = mx.load(str(main / "model.safetensors"))  # type: ignore[assignment]
    # Every shard has weights for pictures, which no text conversion has.
    shards = [{f"model.visual.blocks.{index}.weight": np.ones((8, 8), np.float32)} for index in range(SHARDS)]
    for index, (name, array) in enumerate(whole.items()):
        shards[index % SHARDS][name] = np.array(array.astype(mx.float32))
    for index, (name, values) in enumerate(head.items()):
        shards[WITH_HEAD[index % 2]][name] = values
    makers = {"config.json": files["config.json"]}
    weight_map = {name: shard_name(index) for index, shard in enumerate(shards) for name in shard}
    makers["model.safetensors.index.json"] = json.dumps({"metadata": {}, "weight_map": weight_map}).encode()
    makers |= {shard_name(index): save(shard) for index, shard in enumerate(shards)}
    hub.add(MAKERS, makers)
    return CONVERSION


def shard_name(index: int) -> str:
    return f"model-{index + 1:05d}-of-{SHARDS:05d}.safetensors"


def row_of(picker: PickerDriver, id_: str) -> int:
    return next((index for index, choice in enumerate(picker.choices) if choice.id == id_), -1)


def choose(picker: PickerDriver, id_: str, qtbot: QtBot) -> str:
    """Choose the row of that model as soon as it is there; return its text."""
    picker.open()
    qtbot.waitUntil(lambda: row_of(picker, id_) >= 0)
    index = row_of(picker, id_)
    said = picker.rows[index]
    picker.select(index)
    picker.press(Qt.Key.Key_Return)
    return said


def test_the_head_of_a_model_is_offered_fetched_chosen_and_drafts(
    conversion: str, hub_window: WindowDriver, library: Library, hub: FakeHub, qtbot: QtBot
) -> None:
    models = hub_window.session.models
    choose(hub_window.picker("main"), conversion, qtbot)
    qtbot.waitUntil(lambda: hub_window.session.answers.ready and not models.pair.loading)
    said = choose(hub_window.picker("draft"), HEAD, qtbot)
    assert said.startswith(
        "Hybrid MTP, head, Head that comes with the original model. "
        "Only its part of the files is downloaded., Download "
    )
    qtbot.waitUntil(lambda: [status.state for status in library.downloads] == ["ready"])
    fetched = {sent.name for sent in hub.sent if sent.repository == MAKERS and sent.name.endswith(".safetensors")}
    assert fetched == set(map(shard_name, WITH_HEAD))
    picker = hub_window.picker("draft")
    picker.open()
    qtbot.waitUntil(lambda: row_of(picker, HEAD) >= 0 and picker.choices[row_of(picker, HEAD)].kind == "use")
    picker.close()
    said = choose(picker, HEAD, qtbot)
    assert said.startswith("Hybrid MTP, ")
    qtbot.waitUntil(lambda: models.pair.draft is not None and not models.pair.loading)
    assert (models.pair.draft.name, models.pair.draft.kind) == (HEAD, "head")
    hub_window.ask_and_wait("the quick brown fox")
    answer = hub_window.session.chat.turns[-1].answer
    assert answer.error is None
    assert answer.stats.draft == HEAD
