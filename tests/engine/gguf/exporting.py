"""Writes tiny random models of mlx-lm as GGUF files, as llama.cpp's conversion does.

Names of tensors come from the maps of the package `gguf`, from published names. What llama.cpp changes is written here
anew, from its conversion (conversion/*.py at ggml-org/llama.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import mlx.core as mx
import numpy as np
from gguf import GGMLQuantizationType
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.utils import _get_classes

Numbers = np.ndarray[Any, Any]
TOKENS = {
    "tokenizer.ggml.model": "llama", "tokenizer.ggml.eos_token_id": 1, "tokenizer.ggml.bos_token_id": 2,
}  # fmt: skip
# The published settings by llama.cpp's names.
_SETTINGS = {
    "embedding_length": "hidden_size", "block_count": "num_hidden_layers", "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads", "attention.head_count_kv": "num_key_value_heads",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps", "context_length": "max_position_embeddings",
    "rope.freq_base": "rope_theta", "attention.key_length": "head_dim",
    "attention.sliding_window": "sliding_window", "expert_used_count": "num_experts_per_tok",
    "expert_feed_forward_length": "moe_intermediate_size", "expert_count": "num_experts",
}  # fmt: skip
_PERMUTED = ("llama", "granite", "mistral3", "smollm3", "granitehybrid", "nemotron_h", "nemotron_h_moe")
_PLUS_ONE = ("gemma2", "gemma3")
# Names of mlx-lm that differ from the published ones, which the package `gguf` knows.
_PUBLISHED = {
    "model.language_model.": "model.", "language_model.": "", "switch_mlp.fc1": "experts.up_proj",
    "switch_mlp.fc2": "experts.down_proj", "switch_mlp": "experts", "switch_glu.": "", "mixer.experts": "mlp.experts",
    "score_correction_bias": "score_correction.bias", "embed_q": "k_b_proj", "unembed_out": "v_b_proj",
    "correct_output_scale": "correct_output_scale.weight", ".dt_bias": ".dt_proj.bias",
}  # fmt: skip


def random_model(config: Mapping[str, Any], *, seed: int = 6) -> Any:
    """Return a model with random weights in float32, vectors included."""
    model_class, arguments = _get_classes(dict(config))
    model = model_class(arguments.from_dict(dict(config)))
    if hasattr(model, "tie_word_embeddings") and config.get("tie_word_embeddings"):
        model = model if "lm_head" not in model else _tied(model)
    generator = np.random.default_rng(seed)
    drawn = {
        name: mx.array(generator.normal(0.6 if array.ndim == 1 else 0, 0.25, array.shape).astype(np.float32))
        for name, array in tree_flatten(model.parameters())
    }
    model.update(tree_unflatten(list(drawn.items())))
    return model


def _tied(model: Any) -> Any:
    model.sanitize({})
    return model


def parameters(model: Any) -> dict[str, Numbers]:
    return {name: np.array(array.astype(mx.float32)) for name, array in tree_flatten(model.parameters())}


def export(
    path: Path,
    architecture: str,
    model: Any,
    config: Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
    *,
    kind: GGMLQuantizationType = GGMLQuantizationType.F32,
    extra: Mapping[str, Numbers] | None = None,
    split: int = 0,
) -> dict[str, Numbers]:
    """Write a model as a GGUF file, matrices as `kind`. Return its parameters as that kind has them.

    `extra` are tensors that the model does not have, by llama.cpp's names, and `split` the most tensors of a part.
    `settings` replace what the configuration gives; None leaves a key out.
    """
    text = {**config, **config.get("text_config", {})}
    metadata = {name: text[theirs] for name, theirs in _SETTINGS.items() if text.get(theirs) is not None}
    metadata |= settings or {}
    writer = gguf.GGUFWriter(path, architecture, split_max_tensors=split)
    for name, value in metadata.items():
        if value is not None:
            _add(writer, f"{architecture}.{name}", value)
    for name, value in TOKENS.items():
        _add(writer, name, value)
    writer.add_token_list([f"<{index}>" for index in range(text["vocab_size"])])
    rounded = {}
    exported = dict(extra or {})
    for name, numbers in parameters(model).items():
        stored, rounded[name] = _rounded(numbers, kind if _is_matrix(name, numbers) else GGMLQuantizationType.F32)
        exported |= _as_llama_cpp_has_it(architecture, name, stored, text)
    for name, stored in _fused(exported).items():
        if name.endswith("*"):
            continue
        quantised = stored.dtype == np.uint8
        writer.add_tensor(name, np.ascontiguousarray(stored), raw_dtype=kind if quantised else None)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return rounded


def _add(writer: Any, name: str, value: Any) -> None:
    if isinstance(value, list):
        writer.add_array(name, value)
    else:
        add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
        add[type(value)](name, value)


def _is_matrix(name: str, numbers: Numbers) -> bool:
    return numbers.ndim > 1 and numbers.shape[-1] % 32 == 0 and "conv" not in name.rpartition("conv.weight")[1]


def _rounded(numbers: Numbers, kind: GGMLQuantizationType) -> tuple[Numbers, Numbers]:
    """Return what the file holds, and the numbers that it stands for."""
    if kind == GGMLQuantizationType.F32:
        return numbers, numbers
    stored = gguf.quants.quantize(numbers, kind)
    return stored, np.asarray(gguf.quants.dequantize(stored, kind), np.float32)


def _as_llama_cpp_has_it(architecture: str, name: str, stored: Numbers, text: Mapping[str, Any]) -> dict[str, Numbers]:
    """Return a tensor by llama.cpp's name, with rows, columns and numbers as llama.cpp wants them."""
    for ours, published in _PUBLISHED.items():
        name = name.replace(ours, published)
    if ".mlp.experts." in name:
        name = name.replace("backbone", "model")
    if architecture in _PERMUTED and (match := re.search(r"\.(q|k)_proj\.", name)):
        heads = text["num_attention_heads" if match[1] == "q" else "num_key_value_heads"]
        stored = stored.reshape(heads, 2, -1, *stored.shape[1:]).swapaxes(1, 2).reshape(stored.shape)
    if architecture in _PLUS_ONE and name.endswith("norm.weight"):
        stored = stored + 1
    if "linear_attn." in name and architecture != "qwen3next":
        stored = _with_value_heads_in_turns(name, stored, text)
    stored = -np.exp(stored) if name.endswith("A_log") else stored
    if re.search(r"(mamba|mixer)\.(A_log|D)$", name):
        stored = stored[:, None]
    if name.endswith(("mamba.norm.weight", "mixer.norm.weight")):
        stored = stored.reshape(text.get("mamba_n_groups", text.get("n_groups")), -1)
    if "conv" in name and stored.ndim == 3:
        stored = stored.squeeze(2)
    if name.endswith("shared_expert_gate.weight"):
        stored = stored.squeeze(0)
    layer = re.search(r"layers\.(\d+)\.", name)
    for end, theirs in (("router.scale", "ffn_gate_inp.scale"), ("router.per_expert_scale", "ffn_down_exps.scale")):
        if name.endswith(end) and layer:
            return {f"blk.{layer[1]}.{theirs}": stored}
    if name.endswith(("sinks", "layer_scalar")):
        name += ".weight"
    if "block_sparse_moe.experts" in name:
        numbered = {"gate": "w1", "down": "w2", "up": "w3"}[re.search(r"(gate|up|down)_proj", name)[1]]  # type: ignore[index]
        name = f"layers.{layer[1]}.feed_forward.experts.{numbered}.weight"  # type: ignore[index]
    if "in_proj_qkvz" in name and not text["written_before_2026"]:
        qkv, z = _taken_apart(stored, text)
        return {f"blk.{layer[1]}.attn_qkv.weight": qkv, f"blk.{layer[1]}.attn_gate.weight": z}  # type: ignore[index]
    if match := re.search(r"altup_(un|proj).*\.(\d)\.", name):
        return {f"altup_{'unembd_proj' if match[1] == 'un' else 'proj'}.weight*{match[2]}": stored}
    if architecture == "gemma4" and re.search(r"experts\.(gate|up)_proj", name):
        # Fused below.
        return {f"blk.{layer[1]}.ffn_{name.split('.')[-2]}*": stored}  # type: ignore[index]
    kinds = {names: arch for arch, names in gguf.MODEL_ARCH_NAMES.items()}
    names = gguf.get_tensor_name_map(kinds[architecture], text["num_hidden_layers"])
    found = names.get_name(name, try_suffixes=(".weight", ".bias"))
    assert found is not None, name
    return {found: stored}


def _fused(exported: dict[str, Numbers]) -> dict[str, Numbers]:
    gates = [name for name in exported if name.endswith("ffn_gate_proj*")]
    fused = {
        name.replace("ffn_gate_proj*", "ffn_gate_up_exps.weight"): np.concatenate(
            [exported[name], exported[name.replace("gate", "up")]], axis=1
        )
        for name in gates
    }
    for name in [name for name in exported if name.endswith("*0")]:
        parts = [exported.pop(f"{name[:-1]}{index}") for index in range(3)]
        fused[name[:-2]] = np.stack(parts)
    return exported | fused


def _taken_apart(stored: Numbers, text: Mapping[str, Any]) -> tuple[Numbers, Numbers]:
    """Return queries, keys and values of all heads, and z, of rows that have them in each key head."""
    keys, width = text["linear_num_key_heads"], text["linear_key_head_dim"]
    of_values = text["linear_num_value_heads"] // keys * text["linear_value_head_dim"]
    heads = stored.reshape(keys, -1, stored.shape[-1])
    q, k, v, z = np.split(heads, np.cumsum((width, width, of_values)), axis=1)
    return np.concatenate([part.reshape(-1, stored.shape[-1]) for part in (q, k, v)]), z.reshape(-1, stored.shape[-1])


def _with_value_heads_in_turns(name: str, stored: Numbers, text: Mapping[str, Any]) -> Numbers:
    keys, values = text["linear_num_key_heads"], text["linear_num_value_heads"]
    part = name.split(".")[4]

    def turned(array: Numbers) -> Numbers:
        return array.reshape(keys, values // keys, -1, *array.shape[1:]).swapaxes(0, 1).reshape(array.shape)

    if part in ("in_proj_qkv", "conv1d"):
        before = 2 * keys * text["linear_key_head_dim"]
        return np.concatenate([stored[:before], turned(stored[before:])])
    if part == "out_proj":
        # A row's bytes are in the order of its columns, in whole blocks.
        return np.ascontiguousarray(turned(stored.T).T)
    return stored if part == "norm" else turned(stored)
