"""Models on disk are found and described, and a second scan reads nothing again."""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from engine.files import bounded_json
from engine.files.bounded_json import UntrustedJsonError
from engine.finding import discovery, model_index
from engine.finding.discovery import absent_folders, installed_models
from engine.finding.model_place import ModelPlace
from engine.model_files import inspection, model_folder, safetensors_header
from engine.model_files.model import Model
from engine.model_files.tokenizer_files import read_folder
from tests.engine.model_files.model_folders import (
    llama_config,
    llama_tensors,
    model_files,
    safetensors,
    write_folder,
    write_snapshot,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


HEAD_FILES = {
    "config.json": b'{"dflash_config": {}}',
    "model.safetensors": safetensors({"fc.weight": ("F16", (4, 4)), "hidden_norm.weight": ("F16", (4,))}),
}
SHAPES_OF_ADAPTER = (("lora_a", (16, 4)), ("lora_b", (4, 16)))


def only(models: list[Model]) -> Model:
    (model,) = models
    return model


@pytest.mark.first
def test_a_model_in_the_hub_cache_is_described(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, "org/model", model_files(shards=2))
    model = only(installed_models(tmp_path))
    assert (model.id, model.path, model.source, model.complete) == ("org/model", str(snapshot), "cache", True)
    assert (model.architecture, model.context, model.bits) == ("llama", 512, 16)
    assert model.parameters == sum(int.__mul__(*(*shape, 1)[:2]) for _, shape in llama_tensors().values())
    assert model.weight_bytes == model.active_bytes == 2 * model.parameters
    assert model.bytes > model.weight_bytes
    assert model.kinds == ("main", "draft")
    assert len(model.tokenizer) == 64


def test_quantised_weights_are_counted_as_parameters(tmp_path: Path) -> None:
    files = model_files(llama_config(quantization={"bits": 4, "group_size": 32}))
    tensors = llama_tensors()
    for name in [name for name in tensors if name.endswith("proj.weight")]:
        rows, columns = tensors[name][1]
        stem = name.removesuffix(".weight")
        tensors[name] = ("U32", (rows, columns // 8))
        tensors[f"{stem}.scales"] = tensors[f"{stem}.biases"] = ("F16", (rows, max(columns // 32, 1)))
    files["model.safetensors"] = safetensors(tensors)
    write_snapshot(tmp_path, "org/model", files)
    model = only(installed_models(tmp_path))
    assert model.bits == 4
    narrow = sum(
        shape[0] * 16 for name, (_, shape) in llama_tensors().items() if name.endswith("proj.weight") and shape[1] == 16
    )
    # Rows of 16 take a whole group of 32 here, which no real model does.
    assert model.parameters == sum(int.__mul__(*(*shape, 1)[:2]) for _, shape in llama_tensors().values()) + narrow


def test_experts_that_a_token_does_not_visit_are_not_active(tmp_path: Path) -> None:
    files = model_files(llama_config(model_type="qwen3_moe", num_experts=8, num_experts_per_tok=2))
    tensors = llama_tensors() | {"model.layers.0.mlp.switch_mlp.gate_proj.weight": ("F16", (8, 32, 16))}
    files["model.safetensors"] = safetensors(tensors)
    write_snapshot(tmp_path, "org/model", files)
    model = only(installed_models(tmp_path))
    assert model.weight_bytes - model.active_bytes == 8 * 32 * 16 * 2 * 6 // 8


def test_a_download_that_has_only_begun_is_partial(tmp_path: Path) -> None:
    blobs = tmp_path / "models--org--model" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / ("a" * 64 + ".tandem.incomplete")).write_bytes(bytes(1000))
    model = only(installed_models(tmp_path))
    assert (model.id, model.complete, model.bytes, model.kinds) == ("org/model", False, 1000, ())


def test_a_snapshot_without_its_last_shard_is_partial_and_says_what_is_missing(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, "org/model", model_files(shards=2))
    (snapshot / "model-00002-of-00002.safetensors").unlink()
    model = only(installed_models(tmp_path))
    assert not model.complete
    assert (model.problem, model.detail) == ("incomplete", "model-00002-of-00002.safetensors")
    assert (model.architecture, model.context) == ("llama", 512)


def test_an_unknown_architecture_is_listed_with_its_reason(tmp_path: Path) -> None:
    write_snapshot(tmp_path, "org/model", model_files(llama_config(model_type="new_thing")))
    model = only(installed_models(tmp_path))
    assert (model.problem, model.detail, model.kinds) == ("unknown-architecture", "new_thing", ())


def test_data_sets_and_empty_shells_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "datasets--org--data" / "snapshots").mkdir(parents=True)
    (tmp_path / "models--org--nothing" / "refs").mkdir(parents=True)
    (tmp_path / ".locks").mkdir()
    assert installed_models(tmp_path) == []


def test_extra_folders_and_the_starter_are_found(tmp_path: Path) -> None:
    write_folder(tmp_path / "mine" / "org" / "nested", model_files())
    write_folder(tmp_path / "mine" / "flat", model_files())
    write_folder(tmp_path / "single", model_files())
    write_folder(tmp_path / "starter" / "main", model_files())
    models = installed_models(
        tmp_path / "none",
        # A person may have added the starter, too.
        [tmp_path / "mine", tmp_path / "single", tmp_path / "gone", tmp_path / "starter"],
        tmp_path / "starter",
    )
    assert [(model.id, model.source) for model in models] == [
        ("flat", "folder"),
        ("main", "starter"),
        ("nested", "folder"),
        ("single", "folder"),
    ]


@pytest.mark.parametrize("kind", ["sound", "outside", "pipe", "endless"])
def test_the_snapshot_that_main_names_is_taken_unless_that_is_no_reference(tmp_path: Path, kind: str) -> None:
    snapshot = write_snapshot(tmp_path, "org/model", model_files())
    ref = tmp_path / "models--org--model" / "refs" / "main"
    if kind == "sound":
        (snapshot.parent / ("b" * 40)).mkdir()
    elif kind == "outside":
        write_folder(tmp_path / "outside", model_files())
        ref.write_text("../../outside")
    else:
        ref.unlink()
        make = os.mkfifo if kind == "pipe" else partial(os.symlink, "/dev/zero")
        make(ref)
    assert only(installed_models(tmp_path)).path == str(snapshot)


def test_a_second_scan_reads_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        write_snapshot(tmp_path / "cache", f"org/model-{number}", model_files())
    index = tmp_path / "index.json"
    first = installed_models(tmp_path / "cache", index_path=index)
    for name in ("describe", "parts_inside", "read_folder"):
        monkeypatch.setattr(model_index, name, None)
    assert len(first) == 5
    assert installed_models(tmp_path / "cache", index_path=index) == first


class Reads:
    """Counts what scans read: headers of weights, other files, and listings of folders."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: Counter[str] = Counter()
        for module in (safetensors_header, bounded_json, inspection, discovery):
            monkeypatch.setattr(module, "open_regular", self._counting(module.open_regular))
        monkeypatch.setattr(model_folder, "list_inside", self._counting(model_folder.list_inside, "listings"))

    def _counting(self, function: Callable[[Path], Any], kind: str = "") -> Callable[[Path], Any]:
        def counted(path: Path) -> Any:
            self.counts[kind or ("headers" if path.suffix == ".safetensors" else path.name)] += 1
            return function(path)

        return counted

    def of_scan(self, scan: Callable[[], list[Model]]) -> tuple[Counter[str], list[Model]]:
        """Return what one `scan` reads, and the models that it finds."""
        self.counts.clear()
        models = scan()
        return Counter(self.counts), models


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def write_adapter(folder: Path) -> Path:
    config = {"fine_tune_type": "lora", "num_layers": 1, "lora_parameters": {"rank": 4, "scale": 1.0}}
    tensors = {f"model.layers.0.self_attn.q_proj.{name}": ("F16", shape) for name, shape in SHAPES_OF_ADAPTER}
    files = {"adapter_config.json": json.dumps(config).encode(), "adapters.safetensors": safetensors(tensors)}
    return write_folder(folder, files)


def write_models_with_parts(cache: Path, folder: Path) -> None:
    """Write two models in split files, one with a head and an adapter in it."""
    write_snapshot(cache, "org/model", model_files(shards=3))
    write_folder(folder / "main", model_files(shards=3))
    write_folder(folder / "main" / "dflash", HEAD_FILES)
    write_adapter(folder / "main" / "adapters" / "mine")


def test_a_scan_in_which_nothing_changed_opens_no_model(tmp_path: Path, reads: Reads) -> None:
    write_models_with_parts(tmp_path / "cache", tmp_path / "models")
    scan = partial(installed_models, tmp_path / "cache", [tmp_path / "models"], index_path=tmp_path / "index.json")
    first, found = reads.of_scan(scan)
    # Each header once: two models of three files, a head, and an adapter, which is described with its main model.
    assert first["headers"] == 3 + 3 + 1 + (1 + 3)
    again, same = reads.of_scan(scan)
    # "main" is the file that names the newest snapshot.
    assert again == {"index.json": 1, "main": 1}
    assert same == found
    assert [model.id for model in found] == ["main", "main/dflash", "main:mine", "org/model"]


@pytest.mark.parametrize("change", ["head", "adapter", "weights in place", "deeper adapter"])
def test_what_changes_inside_a_model_is_seen_by_the_next_scan(tmp_path: Path, change: str) -> None:
    main = write_folder(tmp_path / "models" / "main", model_files())
    (main / "dflash").mkdir()
    (main / "adapters").mkdir()
    scan = partial(installed_models, tmp_path / "none", [tmp_path / "models"], index_path=tmp_path / "index.json")
    assert [model.id for model in scan()] == ["main"]
    if change == "head":
        write_folder(main / "dflash", HEAD_FILES)
        expected = ["main", "main/dflash"]
    elif change == "adapter":
        write_adapter(main / "dflash")
        expected = ["main", "main:dflash"]
    elif change == "deeper adapter":
        write_adapter(main / "adapters" / "mine")
        expected = ["main", "main:mine"]
    else:
        # Copying a file writes it in place: the folder keeps the time at which it was begun.
        with (main / "model.safetensors").open("r+b") as file:
            file.truncate(100)
        expected = ["main"]
    models = scan()
    assert [model.id for model in models] == expected
    assert (models[0].problem == "incomplete") == (change == "weights in place")


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "cache", "org/model", model_files())
    index = tmp_path / "index.json"
    assert only(installed_models(tmp_path / "cache", index_path=index)).complete
    (snapshot / "model.safetensors").unlink()
    os.utime(snapshot, ns=(1, 1))
    assert not only(installed_models(tmp_path / "cache", index_path=index)).complete


@pytest.mark.parametrize("content", ["", "[]", '{"format": 7, "models": {"x": 1}, "tokenizers": {}}', "{" * 9999, None])
def test_a_damaged_or_older_index_is_made_anew(tmp_path: Path, content: str | None) -> None:
    snapshot = write_snapshot(tmp_path / "cache", "org/model", model_files())
    index = tmp_path / "index.json"
    if content is None:
        # An entry with the right times and other fields.
        installed_models(tmp_path / "cache", index_path=index)
        older = json.loads(index.read_text())
        older["models"][str(snapshot)]["model"] = {"id": "x", "colour": "red"}
        content = json.dumps(older)
    index.write_text(content)
    assert only(installed_models(tmp_path / "cache", index_path=index)).complete
    assert json.loads(index.read_text())["format"] == 8


def test_a_file_that_arrives_during_a_scan_is_known_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two downloads at once: the second model's last file is linked while the first model is described."""
    files, index = model_files(), tmp_path / "index.json"
    last = files.pop("model.safetensors")
    write_snapshot(tmp_path / "cache", "org/a", model_files())
    late = write_snapshot(tmp_path / "cache", "org/b", files) / "model.safetensors"
    describe = model_index.describe

    def describe_slowly(place: ModelPlace) -> Model:
        if not late.exists():
            late.write_bytes(last)
        return describe(place)

    monkeypatch.setattr(model_index, "describe", describe_slowly)
    installed_models(tmp_path / "cache", index_path=index)
    assert [model.problem for model in installed_models(tmp_path / "cache", index_path=index)] == ["", ""]


def test_links_that_lead_nowhere_hide_no_other_model(tmp_path: Path) -> None:
    cache, mine = tmp_path / "cache", tmp_path / "mine"
    snapshot = write_snapshot(cache, "org/model", model_files())
    (snapshot / "tokenizer.json").unlink()
    (snapshot / "tokenizer.json").symlink_to("tokenizer.json")
    write_snapshot(cache, "org/sound", model_files())
    dangling = cache / "models--org--gone" / "snapshots"
    dangling.mkdir(parents=True)
    (dangling / ("b" * 40)).symlink_to(tmp_path / "nowhere")
    (cache / "models--org--loop").symlink_to("models--org--loop")
    # A target longer than any name raises an error other than FileNotFoundError.
    for place in (cache / "models--org--long", mine / "long", mine / "org" / "long"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to("x" * 300)
    write_folder(mine / "own", model_files())
    (mine / "own" / "tokenizer_config.json").unlink()
    (mine / "own" / "tokenizer_config.json").symlink_to("x" * 300)
    found = {model.id: model for model in installed_models(cache, [mine])}
    assert {"org/model", "org/sound", "own"} <= found.keys()
    assert found["org/sound"].complete
    assert found["org/model"].tokenizer == ""
    with pytest.raises(UntrustedJsonError):
        read_folder(snapshot)
    places = (cache / "models--org--long", cache / "models--org--loop", mine / "long", mine / "org" / "long")
    named = absent_folders(cache, [mine, tmp_path / "unplugged"])
    assert {*map(str, places), str(tmp_path / "unplugged")} <= {*named}
    assert not any("own" in one or "sound" in one for one in named)


def test_models_below_a_linked_organisation_are_found_once(tmp_path: Path) -> None:
    real, mine = tmp_path / "disk" / "org", tmp_path / "mine"
    write_folder(real / "model", model_files())
    write_folder(mine / "own" / "other", model_files())
    (mine / "linked").symlink_to(real)
    (mine / "circle").symlink_to(mine)
    (mine / "above").symlink_to(tmp_path)
    assert [model.id for model in installed_models(tmp_path / "cache", [mine])] == ["model", "other"]


IN_APPS = (
    ".lmstudio/models/org/one", ".cache/lm-studio/models/org/two", ".omlx/models/three", ".omlx/models/org/four",
    "Library/Application Support/Jan/data/mlx/models/five", ".mtplx/models/six",
)  # fmt: skip


def test_models_of_other_apps_are_found_by_themselves_and_each_once(own_home: Path, tmp_path: Path) -> None:
    for folder in IN_APPS:
        write_folder(own_home / folder, model_files())
    (own_home / ".lmstudio/models/org/in-another-format").mkdir()
    (own_home / "models").symlink_to(own_home / ".mtplx/models")
    added = [own_home / ".lmstudio/models", own_home / "models"]
    found = installed_models(tmp_path, added)
    assert [(model.id, model.source) for model in found] == [
        ("five", "jan"),
        ("org/four", "omlx"),
        ("org/one", "lm-studio"),
        ("org/two", "lm-studio"),
        ("six", "mtplx"),
        ("three", "omlx"),
    ]
