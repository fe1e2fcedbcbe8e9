"""GGUF files of other programs as models: found, described, called as there, and named by what was made from them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelNotUsable
from engine.files.bounded_json import JsonLimits, read_object
from engine.finding import gguf_models
from engine.finding.discovery import installed_models
from engine.gguf.writing import prepare
from engine.hub.failures import HubError
from engine.hub.remove import plan_removal, remove
from engine.model_files.model import GgufOrigin, Model
from tests.tiny_gguf import pretend_conversion, write_gguf, write_in_ollama


def found(cache: Path, *folders: Path) -> dict[str, Model]:
    return {model.id: model for model in installed_models(cache, folders)}


def test_files_are_called_as_the_program_calls_them_that_keeps_them(own_home: Path, tmp_path: Path) -> None:
    library, jan = own_home / ".ollama/models", own_home / "Library/Application Support/Jan/data/llamacpp/models"
    files = {
        "qwen3:8b": write_in_ollama(library, "registry.ollama.ai/library", "qwen3", "8b", seed=1),
        "some/tuned:latest": write_in_ollama(library, "registry.ollama.ai/some", "tuned", "latest", seed=2),
        "hf.co/org/Repo-GGUF:Q4_0": write_in_ollama(library, "hf.co/org", "Repo-GGUF", "Q4_0", seed=3),
        "org/Repo-GGUF/model-Q8_0": write_gguf(own_home / ".lmstudio/models/org/Repo-GGUF/model-Q8_0.gguf"),
        "Jan-v1-4B": write_gguf(jan / "Jan-v1-4B/model.gguf"),
        "org_repo_tiny-Q8_0": write_gguf(own_home / ".cache/llama.cpp/org_repo_tiny-Q8_0.gguf"),
        "mine": write_gguf(tmp_path / "models/mine.gguf"),
        "org/hub/part-Q8_0": write_gguf(tmp_path / "cache/models--org--hub/snapshots/c/part-Q8_0.gguf"),
    }
    write_gguf(own_home / ".lmstudio/models/org/Repo-GGUF/mmproj-F16.gguf", general__architecture="clip")
    models = found(tmp_path / "cache", tmp_path / "models")
    assert {name: Path(models[name].path) for name in models if models[name].is_gguf_file} == files
    sources = [models[name].source for name in files]
    assert sources == [*["ollama"] * 3, "lm-studio", "jan", "llama.cpp", "folder", "cache"]


def test_a_model_that_is_removed_while_models_are_looked_for_is_left_out(tmp_path: Path) -> None:
    removed = tmp_path / "cache/models--org--removed/snapshots/c"
    file = write_gguf(tmp_path / "cache/models--org--hub/snapshots/c/part-Q8_0.gguf")
    places = gguf_models.places(tmp_path / "cache", [("org/removed", removed), ("org/hub", file.parent)], [])
    assert [place.name for place in places] == ["org/hub/part-Q8_0"]


def test_a_file_is_described_by_its_header(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "models/tiny.gguf")
    [model] = installed_models(tmp_path / "none", [tmp_path / "models"])
    assert (model.kinds, model.context, model.bits, model.architecture) == (("main",), 512, 8, "llama")
    assert model.bytes == file.stat().st_size > model.weight_bytes > model.parameters > 0
    assert (model.complete, model.is_gguf_file, model.gguf) == (True, True, None)


def test_a_damaged_file_is_listed_with_its_reason(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "models/tiny.gguf")
    os.truncate(file, file.stat().st_size - 100)
    [model] = installed_models(tmp_path / "none", [tmp_path / "models"])
    assert (model.problem, model.kinds) == ("incomplete", ())


UNUSABLE: dict[str, tuple[dict[str, Any], str, str]] = {
    "an architecture of a family that has none": ({"general__architecture": "qwen4exp"}, "unknown-architecture",
                                                  "qwen4exp"),
    "no settings of its architecture": ({"general__architecture": "gemma4"}, "unknown-architecture",
                                        "gemma4: attention.sliding_window_pattern"),
    "positions that turn half a head": ({"llama__rope__dimension_count": 16}, "unknown-architecture",
                                        "llama: rope.dimension_count"),
    "sizes that are zero": ({"llama__attention__head_count": 0}, "damaged", "config.json (num_attention_heads)"),
    "a tokenizer of a later version": ({"tokenizer__ggml__pre": "new"}, "no-tokenizer", "gpt2, new"),
    "a model that embeds": ({"general__architecture": "bert"}, "is-embedding", "bert"),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_file_that_cannot_be_loaded_is_listed_with_its_reason_beside_the_others(kind: str, tmp_path: Path) -> None:
    fields, problem, detail = UNUSABLE[kind]
    write_gguf(tmp_path / "models/other.gguf")
    write_gguf(tmp_path / "models/odd.gguf", **fields)
    models = found(tmp_path / "none", tmp_path / "models")
    assert (models["odd"].problem, models["odd"].detail, models["odd"].kinds) == (problem, detail, ())
    assert models["odd"].bytes > models["odd"].weight_bytes > 0
    assert models["other"].kinds == ("main",)


def test_a_file_with_a_tensor_that_has_no_place_is_listed_with_its_name(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "models/odd.gguf")
    file.write_bytes(file.read_bytes().replace(b"blk.1.ffn_up.", b"blk.1.ffn_xx."))
    [model] = installed_models(tmp_path / "none", [tmp_path / "models"])
    assert (model.problem, model.detail) == ("unknown-architecture", "llama: blk.1.ffn_xx.weight, Q8_0")


@pytest.mark.parametrize("kind", ["adapter", "mmproj", "imatrix"])
def test_a_part_of_a_model_is_left_out_and_refused_when_it_is_named(kind: str, tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "models/part.gguf", general__type=kind)
    assert found(tmp_path / "none", tmp_path / "models") == {}
    with pytest.raises(ModelNotUsable) as caught:
        prepare(str(file), str(tmp_path))
    assert (caught.value.reason, caught.value.detail) == ("is-part", kind)


@pytest.mark.parametrize(
    "manifest",
    [
        b"not json", b"[]", b'{"layers": 7}', b'{"layers": [7, {"digest": 7}, {}]}',
        json.dumps({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "../../x"}]}).encode(),
        json.dumps({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:" + "a" * 64}]})
        .encode(),
    ],
)  # fmt: skip
def test_a_strange_manifest_hides_no_other_model(manifest: bytes, own_home: Path, tmp_path: Path) -> None:
    models = own_home / ".ollama/models"
    write_in_ollama(models, "registry.ollama.ai/library", "qwen3", "8b")
    (models / "manifests/registry.ollama.ai/library/qwen3/a").write_bytes(manifest)
    assert list(found(tmp_path / "none")) == ["qwen3:8b"]


def test_each_manifest_is_read_once_however_many_there_are(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, read = own_home / ".ollama/models", list[Path]()
    blob = write_in_ollama(models, "registry.ollama.ai/library", "qwen3", "8b")
    for number in range(20):
        digest = f"sha256:{number:064}"
        os.link(blob, blob.with_name(digest.replace(":", "-")))
        layer = {"mediaType": "application/vnd.ollama.image.model", "digest": digest}
        (models / f"manifests/registry.ollama.ai/library/qwen3/{number}").write_text(json.dumps({"layers": [layer]}))

    def read_noted(path: Path, limits: JsonLimits) -> dict[str, Any]:
        read.append(path)
        return read_object(path, limits)

    monkeypatch.setattr(gguf_models, "read_object", read_noted)
    assert len(found(tmp_path / "none")) == len(read) == 21


def test_what_was_made_from_a_file_stands_for_it(own_home: Path, tmp_path: Path) -> None:
    blob = write_in_ollama(own_home / ".ollama/models", "registry.ollama.ai/library", "qwen3", "8b")
    folder = pretend_conversion(blob, tmp_path, requantised=("a", "b"))
    [model] = installed_models(tmp_path)
    assert (model.id, model.source, model.path, folder.name) == ("qwen3:8b", "ollama", str(folder), "qwen3:8b")
    assert (model.is_gguf_file, model.gguf) == (False, GgufOrigin(str(blob), requantised=2, tensors=21))


def test_what_was_made_from_a_file_stays_when_the_file_is_gone_and_a_changed_file_is_another_model(
    tmp_path: Path,
) -> None:
    file = write_gguf(tmp_path / "models/tiny.gguf")
    folder = pretend_conversion(file, tmp_path)
    file.unlink()
    [kept] = installed_models(tmp_path, [tmp_path / "models"])
    assert (kept.id, kept.path, kept.source) == ("tiny", str(folder), "folder")
    write_gguf(file, seed=1)
    assert {model.path for model in installed_models(tmp_path, [tmp_path / "models"])} == {str(folder), str(file)}


def test_removing_removes_what_was_made_and_never_the_file(own_home: Path, tmp_path: Path) -> None:
    blob = write_in_ollama(own_home / ".ollama/models", "registry.ollama.ai/library", "qwen3", "8b")
    folder = pretend_conversion(blob, tmp_path)
    [model] = installed_models(tmp_path)
    plan = plan_removal(model, tmp_path)
    assert (plan.place, plan.personal, plan.shared) == (folder, False, False)
    remove(plan)
    assert (blob.exists(), folder.parent.exists()) == (True, False)
    assert [model.path for model in installed_models(tmp_path)] == [str(blob)]


@pytest.mark.parametrize(("place", "reason"), [(".lmstudio/models/o/r", "other-app"), ("mine", "own-folder")])
def test_a_file_is_never_removed(place: str, reason: str, own_home: Path, tmp_path: Path) -> None:
    file = write_gguf(own_home / place / "tiny.gguf")
    [model] = installed_models(tmp_path, [own_home / "mine"])
    with pytest.raises(HubError) as caught:
        plan_removal(model, tmp_path)
    assert caught.value.reason == reason
    assert file.exists()


def test_a_split_file_is_one_model(tmp_path: Path) -> None:
    for number in (1, 2):
        write_gguf(tmp_path / f"models/big-{number:05}-of-00002.gguf", split__count=2, split__no=number - 1)
    [model] = installed_models(tmp_path / "none", [tmp_path / "models"])
    assert model.id == "big"
