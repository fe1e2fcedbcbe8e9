"""Folders whose files are of the wrong kind, size or content: each is refused before anything is computed with it."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import ModelNotUsable, TemplateFailed
from engine.main_model.loading import load
from engine.settings import EngineSettings
from engine.tokenizers.prompts import render
from engine.upkeep.memory import size_on_disk
from engine.upkeep.models import Models
from tests.engine.model_files.model_folders import llama_config, llama_tensors, model_files, safetensors, write_folder
from tests.engine.model_files.strange_folders import special


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "model", model_files())


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(ModelNotUsable) as caught:
        call()
    return caught.value.reason


@pytest.mark.parametrize("layers", [2**31, 2**63, 2**300, 1001])
def test_sizes_are_checked_before_memory_is_computed_with_them(good: Path, layers: int) -> None:
    (good / "config.json").write_text(json.dumps(llama_config(num_hidden_layers=layers)))
    assert refusal(lambda: size_on_disk(good, None)) == "damaged"
    assert refusal(lambda: Models(EngineSettings()).main_fits_additionally(good)) == "damaged"


def test_a_configuration_from_elsewhere_is_refused_before_it_is_read(good: Path) -> None:
    (good / "config.json").unlink()
    (good / "config.json").symlink_to("/etc/passwd")
    assert refusal(lambda: size_on_disk(good, None)) == "unsafe"


READ_BY_LIBRARIES = (
    *("generation_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.json"),
    *("chat_template.jinja", "vocab.txt", "tokenizer.model", "additional_chat_templates/x.jinja"),
)


@pytest.mark.parametrize("kind", ["pipe", "large"])
@pytest.mark.parametrize("name", READ_BY_LIBRARIES)
def test_a_file_that_a_library_would_read_whole_is_regular_and_bounded(good: Path, name: str, kind: str) -> None:
    (good / name).parent.mkdir(exist_ok=True)
    special(name, kind)(good)
    assert refusal(lambda: load(good)) == "damaged"


@pytest.mark.parametrize("dtype", ["BOOL", "U8", "I64"])
def test_weights_of_whole_numbers_that_are_not_quantised_are_refused(good: Path, dtype: str) -> None:
    tensors = {name: (dtype, shape) for name, (_, shape) in llama_tensors().items()}
    (good / "model.safetensors").write_bytes(safetensors(tensors))
    assert refusal(lambda: load(good)) == "wrong-tensors"


@pytest.mark.parametrize(
    ("number", "reason"),
    [(b"\x00\x7e", "not-finite"), (b"\x00\x7c", "not-finite"), (b"\0\0", "all-zero")],
    ids=["nan", "infinity", "zero"],
)
def test_weights_that_are_no_finite_numbers_or_all_zero_say_so_at_load(good: Path, number: bytes, reason: str) -> None:
    raw = (good / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    (good / "model.safetensors").write_bytes(raw[: 8 + length] + number * ((len(raw) - 8 - length) // 2))
    assert refusal(lambda: load(good)) == reason


@pytest.mark.parametrize("number", [2**31, 2**32 - 1])
def test_token_ids_out_of_bounds_are_the_tokenizers_fault(good: Path, number: int) -> None:
    content = json.loads((good / "tokenizer.json").read_bytes())
    content["model"]["vocab"]["zz"] = number
    (good / "tokenizer.json").write_text(json.dumps(content))
    assert refusal(lambda: load(good)) == "no-tokenizer"


AWQ = {"quant_method": "awq", "bits": 4, "group_size": 16}


def test_wrong_awq_tensors_are_a_models_fault(good: Path) -> None:
    (good / "config.json").write_text(json.dumps(llama_config(quantization_config=AWQ)))
    assert refusal(lambda: load(good)) in ("wrong-tensors", "damaged")


@pytest.mark.parametrize(
    ("quantization", "tensors"),
    [
        ({"quantization": {"bits": 4, "group_size": 16}}, {"weight": ("U32", (16, 2)), "scales": ("F16", (16, 17))}),
        ({"quantization_config": AWQ}, {"qweight": ("U32", (16, 2)), "scales": ("F16", (17, 16))}),
    ],
)
def test_more_scales_than_numbers_are_refused(
    good: Path, quantization: dict[str, object], tensors: dict[str, tuple[str, tuple[int, ...]]]
) -> None:
    """MLX would divide by the size of a group, 0, which ended the process."""
    (good / "config.json").write_text(json.dumps(llama_config(**quantization)))
    layer = "model.layers.0.self_attn.q_proj"
    others = {name: tensor for name, tensor in llama_tensors().items() if name != f"{layer}.weight"}
    changed = {f"{layer}.{part}": tensor for part, tensor in tensors.items()}
    (good / "model.safetensors").write_bytes(safetensors(others | changed))
    assert refusal(lambda: load(good)) == "wrong-tensors"


def test_a_template_that_renders_to_nothing_says_so(good: Path) -> None:
    (good / "chat_template.jinja").write_text("")
    with pytest.raises(TemplateFailed) as caught:
        render(load(good).tokenizer, [{"role": "user", "content": "Hello"}])
    assert caught.value.reason == "empty"
