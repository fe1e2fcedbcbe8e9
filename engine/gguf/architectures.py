"""The table of llama.cpp's architectures: the family of mlx-lm, its configuration, and its names of the tensors.

Names are those of llama.cpp without "blk.N." and, where all of a part's tensors are renamed in the same way, without
".weight" or ".bias". What llama.cpp changes in tensors, for its own kernels, is changed back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from engine.errors import ModelNotUsable
from engine.gguf import configurations
from engine.gguf.header import GgufFile, GgufTensor
from engine.gguf.settings import GgufSettings, SettingError
from engine.gguf.weights import Floats, width_of

Order = tuple[int, ...]
_LAYER = re.compile(r"blk\.(\d{1,4})\.(.+)")
# The tensors that become settings, and the tensors of towers, which some files have beside the language model.
ROPE_FACTORS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
_TOWERS = ("v.", "mm.", "a.")
# Architectures of files that hold a tower or nothing, and of models that embed.
_PARTS = ("clip", "t5encoder", "")
_EMBEDDING = ("bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert", "gemma-embedding")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a tensor goes: its name in the folder, and what is changed.

    `rows` are the file's rows that are taken, in their order; `columns` reorder it, in equal parts. `half` is the half
    of each expert's rows that is taken. `change` takes floats, so what has one is stored as floats.
    """

    name: str
    rows: Order | None = None
    columns: Order | None = None
    half: int | None = None
    change: Callable[[Floats], Floats] | None = None


@dataclass(frozen=True, slots=True)
class GgufArchitecture:
    """One entry of the table.

    `names` come before those that most architectures share, whole ones before those without ".weight" or ".bias"; the
    name of what goes to several places has "{part}" in it. `places` returns fields of `Placement` for one tensor, or
    those of each part of such a name (without it `_HALVES`, `_ALTUP`); `permuted` and `plus_one` come after it. The
    layers are in `trunk`. With `permuted`, the rows of queries and keys are interleaved by halves of their heads. With
    `plus_one`, norms are stored plus one. `float16` is false for families whose hidden states leave float16's range
    (vLLM's list, and its deepseek_v2.py).
    """

    settings: Callable[[GgufSettings], dict[str, Any]]
    names: Mapping[str, str]
    permuted: bool = False
    plus_one: bool = False
    float16: bool = True
    prefix: str = ""
    trunk: str = "model"
    places: Callable[[GgufSettings, str], dict[str, Any]] | None = None


class GgufDescription(NamedTuple):
    """The model of a GGUF file, without its tensors."""

    architecture: GgufArchitecture
    settings: GgufSettings
    # The configuration for mlx-lm.
    config: dict[str, Any]


def model_of(file: GgufFile, factors: Mapping[str, tuple[float, ...]] | None = None) -> GgufDescription:
    """Return what a file says of its model, and how its architecture is read.

    `factors` are as in `GgufSettings`; None, while no tensor is read, takes 1.0 for each that the file has. Raises
    `ModelNotUsable`: is-part, is-embedding, unknown-architecture, or damaged for sizes that do not fit together.
    """
    path = file.files[0]
    name = file.architecture
    kind = str(file.metadata.get("general.type", "model"))
    if kind != "model":
        raise ModelNotUsable(path, "is-part", kind[:80])
    if reason := refusal_of(name):
        raise ModelNotUsable(path, reason, name[:80])
    if factors is None:
        factors = {tensor: (1.0,) for tensor in ROPE_FACTORS if tensor in file.tensors}
    try:
        settings = GgufSettings(file, factors)
        entry = _MIXTRAL if name == "llama" and settings.whole("expert_count", 0) else _TABLE[name]
        return GgufDescription(entry, settings, entry.settings(settings))
    # A `SettingError` is a `ValueError`, so it comes first.
    except SettingError as error:
        raise ModelNotUsable(path, "unknown-architecture", f"{name}: {error}"[:160]) from error
    # Sizes that are zero or do not divide each other.
    except (ValueError, ArithmeticError) as error:
        raise ModelNotUsable(path, "damaged", f"{path.name} (its sizes)") from error


def check_tensors(file: GgufFile, entry: GgufArchitecture, settings: GgufSettings) -> None:
    """Check that all tensors can be read and placed. Raises `ModelNotUsable` (unknown-architecture)."""
    for tensor in file.tensors.values():
        try:
            placements(entry, settings, tensor)
            width_of(tensor.kind)
        # Of a kind that cannot be read.
        except (SettingError, KeyError) as error:
            unknown = f"{file.architecture}: {tensor.name}, {tensor.kind.name}"
            raise ModelNotUsable(file.files[0], "unknown-architecture", unknown[:160]) from error


def refusal_of(name: str) -> str:
    """Return why no file of an architecture can be loaded, as a reason of `ModelNotUsable`; "" if it may be."""
    if name in _TABLE:
        return ""
    if name in _PARTS:
        return "is-part"
    return "is-embedding" if name in _EMBEDDING else "unknown-architecture"


def placements(entry: GgufArchitecture, settings: GgufSettings, tensor: GgufTensor) -> list[Placement]:
    """Return where a tensor of the file goes, under which names and with which changes.

    [] if it became a setting, or is not used. Raises `SettingError` for a tensor that the architecture does not have.
    """
    if tensor.name in ROPE_FACTORS or tensor.name.startswith(_TOWERS):
        return []
    match = _LAYER.fullmatch(tensor.name)
    # `layer` is None for a tensor outside of the layers.
    layer = None if match is None else int(match[1])
    part = tensor.name if match is None else match[2]
    count = settings.whole("block_count")
    if layer is not None and settings.layers <= layer < count and "nextn.eh_proj" not in entry.names:
        # MTP heads of other families are not taken over.
        return []
    name = _renamed({**_OUTER, **entry.names} if layer is None else {**_LAYERS, **entry.names}, part)
    if name is None or (layer is not None and layer >= count):
        raise SettingError(tensor.name)
    place = re.sub(r"^model\b", entry.trunk, _place_of(entry, settings, layer, part, name))
    return _placed(entry, settings, tensor, place, part, in_layer=layer is not None)


def _place_of(entry: GgufArchitecture, settings: GgufSettings, layer: int | None, part: str, name: str) -> str:
    """Return the full name, in mlx-lm's model, of the part that is called `name` in its layer.

    Layers after the model's own belong to an MTP head.
    """
    if layer is None:
        return f"{entry.prefix}{name}"
    if layer < settings.layers:
        return f"{entry.prefix}model.layers.{layer}.{name}"
    if part.startswith("nextn."):
        return f"mtp.{name}"
    return f"mtp.layers.{layer - settings.layers}.{name}"


def _placed(
    entry: GgufArchitecture, settings: GgufSettings, tensor: GgufTensor, place: str, part: str, *, in_layer: bool
) -> list[Placement]:
    """Return the placements of a tensor at `place`: several if it is taken apart there, each with its changes."""
    # Routers without a layer of their own have no quantised form.
    changes: dict[str, Any] = {"change": np.asarray if place.endswith(".gate.weight") else _CHANGES.get(part)}
    parts = entry.places(settings, part) if entry.places is not None else {}
    if "{part}" in place:
        parts = parts or (_HALVES if in_layer else _ALTUP)
        return [Placement(place.format(part=part), **each) for part, each in parts.items()]
    changes |= parts
    if entry.permuted and part.startswith(("attn_q.", "attn_k.")):
        changes["rows"] = _unpermuted(settings, part, tensor)
    if entry.plus_one and place.endswith("norm.weight"):
        changes["change"] = lambda numbers: numbers - 1
    return [Placement(place, **changes)]


def _renamed(names: Mapping[str, str], part: str) -> str | None:
    """Return mlx-lm's name of a part, with its ".weight" or ".bias"; None for a part that is not among `names`."""
    if part in names:
        return names[part]
    stem, _, leaf = part.rpartition(".")
    return f"{names[stem]}.{leaf}" if stem in names and leaf in ("weight", "bias") else None


def _unpermuted(settings: GgufSettings, part: str, tensor: GgufTensor) -> Order:
    """Return the order of the rows in which each head's halves follow each other."""
    heads = settings.heads if part.startswith("attn_q.") else max(settings.each("attention.head_count_kv", 1))
    if heads * settings.head_dim != tensor.shape[0]:
        raise SettingError(tensor.name)
    return tuple(np.arange(tensor.shape[0]).reshape(heads, -1, 2).swapaxes(1, 2).ravel().tolist())


# What changes numbers is undone in the same way everywhere: a logarithm that was resolved, axes that were added or
# taken away.
_CHANGES: dict[str, Callable[[Floats], Floats]] = {
    "ssm_a": lambda numbers: np.log(-numbers).ravel(),
    "ssm_d": np.ravel,
    "ssm_norm.weight": np.ravel,
    "ssm_conv1d.weight": lambda numbers: numbers[..., None],
    "shortconv.conv.weight": lambda numbers: numbers[..., None],
    "ffn_gate_inp_shexp.weight": lambda numbers: numbers.reshape(1, -1),
}
# What becomes of one tensor that is several in the folder, by the parts of their names.
_HALVES: dict[str, dict[str, Any]] = {"gate": {"half": 0}, "up": {"half": 1}}
_ALTUP = {str(index): {"change": itemgetter(index)} for index in range(3)}


def _places_of_qwen3_5(settings: GgufSettings, part: str) -> dict[str, Any]:
    """Undo what llama.cpp does to gated delta nets: value heads in turns of the key heads."""
    keys = settings.whole("ssm.group_count")
    values = settings.whole("ssm.time_step_rank")
    if keys == values or part.partition(".")[0] not in _OF_VALUE_HEADS:
        return {}
    if not 0 < keys < values or values % keys:
        raise SettingError("ssm.group_count")
    width = settings.whole("ssm.state_size")
    of_values = settings.whole("ssm.inner_size") // values
    order = np.arange(values).reshape(-1, keys).T.ravel()
    if part.startswith("ssm_out."):
        return {"columns": tuple(order.tolist())}
    # Queries and keys come before the values.
    first = 2 * keys * width if part.startswith(("attn_qkv.", "ssm_conv1d.")) else 0
    wide = part.startswith(("attn_qkv.", "ssm_conv1d.", "attn_gate."))
    rows = np.arange(values * (of_values if wide else 1)).reshape(values, -1)[order].ravel()
    return {"rows": (*range(first), *(first + rows).tolist())}


def _places_of_qwen3_next(settings: GgufSettings, part: str) -> dict[str, Any]:
    """Return where rows belong that the file stores key head by key head.

    These are `ssm_ba`, which is b and a, and in older files `ssm_in`: queries, keys and values, which stay together,
    and z. Raises `SettingError` if the numbers of heads do not fit each other.
    """
    keys = settings.whole("ssm.group_count")
    values = settings.whole("ssm.time_step_rank")
    if keys < 1 or values % keys:
        raise SettingError("ssm.group_count")
    width = settings.whole("ssm.state_size")
    # Of all value heads of a key head together.
    values_width = settings.whole("ssm.inner_size") // keys
    if part == "ssm_ba.weight":
        rows = np.arange(2 * values).reshape(keys, 2, -1)
        return {name: {"rows": tuple(rows[:, index].ravel().tolist())} for index, name in enumerate(("b", "a"))}
    if part == "ssm_in.weight":
        heads = np.arange(2 * keys * (width + values_width)).reshape(keys, -1)
        parts = np.split(heads, np.cumsum((width, width, values_width)), axis=1)
        q, k, v, z = (rows.ravel().tolist() for rows in parts)
        return {"qkv": {"rows": (*q, *k, *v)}, "z": {"rows": tuple(z)}}
    return {}


_OF_VALUE_HEADS = ("attn_qkv", "attn_gate", "ssm_a", "ssm_alpha", "ssm_beta", "ssm_conv1d", "ssm_dt", "ssm_out")


def _names_of_experts(place: str, router: str, shared: str) -> dict[str, str]:
    """Return the names of experts in `place`, of what chooses them, and of those in `shared` that are always used."""
    parts = ("gate", "up", "down")
    always = {f"ffn_{part}_shexp": f"{shared}.{part}_proj" for part in parts if shared}
    fused = {"ffn_gate_inp": router, "ffn_gate_up_exps.weight": f"{place}.{{part}}_proj.weight"}
    return {f"ffn_{part}_exps": f"{place}.{part}_proj" for part in parts} | always | fused


def _names_of_mamba2(place: str) -> dict[str, str]:
    """Return the names of a Mamba 2 layer's parts in `place`."""
    return {
        "ssm_in": f"{place}.in_proj", "ssm_conv1d": f"{place}.conv1d", "ssm_dt.bias": f"{place}.dt_bias",
        "ssm_a": f"{place}.A_log", "ssm_d": f"{place}.D", "ssm_norm": f"{place}.norm", "ssm_out": f"{place}.out_proj",
    }  # fmt: skip


_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_LAYERS = _names_of_experts("mlp.switch_mlp", "mlp.gate", "mlp.shared_experts") | {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm",
    "exp_probs_b.bias": "mlp.gate.e_score_correction_bias", "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
}  # fmt: skip
_GEMMA = {"ffn_norm": "pre_feedforward_layernorm"}
_QWEN3_5 = _names_of_mamba2("linear_attn") | {
    "attn_qkv": "linear_attn.in_proj_qkv", "attn_gate": "linear_attn.in_proj_z",
    "ssm_beta": "linear_attn.in_proj_b", "ssm_alpha": "linear_attn.in_proj_a",
    "nextn.eh_proj": "fc", "nextn.enorm": "pre_fc_norm_embedding", "nextn.hnorm": "pre_fc_norm_hidden",
    "nextn.shared_head_norm": "norm",
}  # fmt: skip
_QWEN3_5_MOE = _QWEN3_5 | _names_of_experts("mlp.switch_mlp", "mlp.gate", "mlp.shared_expert")
_QWEN3_NEXT = _QWEN3_5_MOE | dict.fromkeys(("ssm_ba", "ssm_in"), "linear_attn.in_proj_{part}")
_GEMMA4 = _GEMMA | {
    "per_layer_token_embd": "model.embed_tokens_per_layer", "per_layer_model_proj": "model.per_layer_model_projection",
    "per_layer_proj_norm": "model.per_layer_projection_norm", "inp_gate": "per_layer_input_gate",
    "proj": "per_layer_projection", "post_norm": "post_per_layer_input_norm",
    "layer_output_scale.weight": "layer_scalar", "ffn_gate_inp": "router.proj", "ffn_gate_inp.scale": "router.scale",
    "ffn_down_exps.scale": "router.per_expert_scale", "ffn_down_exps": "experts.switch_glu.down_proj",
    "ffn_gate_up_exps.weight": "experts.switch_glu.{part}_proj.weight",
    "post_ffw_norm_1": "post_feedforward_layernorm_1", "post_ffw_norm_2": "post_feedforward_layernorm_2",
    "pre_ffw_norm_2": "pre_feedforward_layernorm_2",
}  # fmt: skip
_GEMMA3N = _GEMMA4 | {
    "altup_proj": "model.altup_projections.{part}", "altup_unembd_proj": "model.altup_unembed_projections.{part}",
    "altup_correct_coef": "altup.correction_coefs", "altup_correct_scale.weight": "altup.correct_output_scale",
    "altup_predict_coef": "altup.prediction_coefs", "altup_router": "altup.modality_router",
    "altup_router_norm": "altup.router_norm", "laurel_l": "laurel.linear_left", "laurel_r": "laurel.linear_right",
    "laurel_post_norm": "laurel.post_laurel_norm",
}  # fmt: skip
_GPT_OSS = _names_of_experts("mlp.experts", "mlp.router", "") | {"attn_sinks.weight": "self_attn.sinks"}
_LFM2 = {
    "token_embd_norm": "model.embedding_norm", "output_norm": "model.embedding_norm", "attn_norm": "operator_norm",
    "ffn_norm": "ffn_norm", "ffn_gate": "feed_forward.w1", "ffn_up": "feed_forward.w3", "ffn_down": "feed_forward.w2",
    "attn_output": "self_attn.out_proj", "attn_q_norm": "self_attn.q_layernorm",
    "attn_k_norm": "self_attn.k_layernorm", "shortconv.in_proj": "conv.in_proj", "shortconv.out_proj": "conv.out_proj",
    "shortconv.conv": "conv.conv",
}  # fmt: skip
_HUNYUAN = {"attn_q_norm": "self_attn.query_layernorm", "attn_k_norm": "self_attn.key_layernorm"}
_DEEPSEEK2 = {
    "attn_q_a": "self_attn.q_a_proj", "attn_q_b": "self_attn.q_b_proj", "attn_q_a_norm": "self_attn.q_a_layernorm",
    "attn_kv_a_mqa": "self_attn.kv_a_proj_with_mqa", "attn_kv_a_norm": "self_attn.kv_a_layernorm",
    "attn_k_b": "self_attn.embed_q", "attn_v_b": "self_attn.unembed_out",
}  # fmt: skip
_FALCON_H1 = _names_of_mamba2("mamba") | {
    "output_norm": "model.final_layernorm", "ffn_norm": "pre_ff_layernorm.weight", "ffn_gate": "feed_forward.gate_proj",
    "ffn_up": "feed_forward.up_proj", "ffn_down": "feed_forward.down_proj",
}  # fmt: skip
_NEMOTRON_H = _names_of_mamba2("mixer") | {
    "token_embd": "model.embeddings", "output_norm": "model.norm_f", "attn_norm": "norm", "attn_q": "mixer.q_proj",
    "attn_k": "mixer.k_proj", "attn_v": "mixer.v_proj", "attn_output": "mixer.o_proj", "ffn_up": "mixer.up_proj",
    "ffn_down": "mixer.down_proj", "ffn_gate_inp": "mixer.gate", "ffn_up_exps": "mixer.switch_mlp.fc1",
    "exp_probs_b.bias": "mixer.gate.e_score_correction_bias", "ffn_down_exps": "mixer.switch_mlp.fc2",
    "ffn_up_shexp": "mixer.shared_experts.up_proj", "ffn_down_shexp": "mixer.shared_experts.down_proj",
    "ffn_latent_down": "mixer.fc1_latent_proj", "ffn_latent_up": "mixer.fc2_latent_proj",
}  # fmt: skip
_GLM4 = {
    "post_attention_norm": "post_self_attn_layernorm", "ffn_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_mlp_layernorm", "ffn_up": "mlp.gate_up_proj",
}  # fmt: skip


_MIXTRAL = GgufArchitecture(
    configurations.mixtral, _names_of_experts("block_sparse_moe.switch_mlp", "block_sparse_moe.gate", ""), permuted=True
)
_TABLE = {
    "llama": GgufArchitecture(configurations.of_type("llama"), {}, permuted=True),
    "qwen2": GgufArchitecture(configurations.of_type("qwen2"), {}),
    "qwen3": GgufArchitecture(configurations.of_type("qwen3"), {}),
    "qwen3moe": GgufArchitecture(configurations.qwen3_moe, {}),
    "qwen35": GgufArchitecture(configurations.qwen3_5, _QWEN3_5, prefix="language_model.", places=_places_of_qwen3_5),
    "qwen35moe": GgufArchitecture(
        configurations.qwen3_5_moe, _QWEN3_5_MOE, prefix="language_model.", places=_places_of_qwen3_5
    ),
    "gemma2": GgufArchitecture(configurations.gemma2, _GEMMA, plus_one=True, float16=False),
    "gemma3": GgufArchitecture(configurations.gemma3, _GEMMA, plus_one=True, float16=False),
    "gemma4": GgufArchitecture(configurations.gemma4, _GEMMA4, float16=False),
    "phi3": GgufArchitecture(configurations.phi3, {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"}),
    "granite": GgufArchitecture(configurations.granite, {}, permuted=True),
    "gpt-oss": GgufArchitecture(configurations.gpt_oss, _GPT_OSS, float16=False),
    "lfm2": GgufArchitecture(configurations.lfm2, _LFM2),
    "olmo2": GgufArchitecture(configurations.olmo2, {}),
    "glm4": GgufArchitecture(configurations.glm4, _GLM4, float16=False),
    "glm4moe": GgufArchitecture(configurations.glm4_moe, {}, float16=False),
    "deepseek2": GgufArchitecture(configurations.deepseek2, _DEEPSEEK2, float16=False),
    "mistral3": GgufArchitecture(configurations.mistral3, {}, permuted=True),
    "smollm3": GgufArchitecture(configurations.of_type("smollm3"), {}, permuted=True),
    "qwen3next": GgufArchitecture(
        configurations.qwen3_5_moe, _QWEN3_NEXT, prefix="language_model.", places=_places_of_qwen3_next
    ),
    "gemma3n": GgufArchitecture(configurations.gemma3n, _GEMMA3N, float16=False, trunk="model.language_model"),
    "qwen2vl": GgufArchitecture(configurations.of_type("qwen2"), {}),
    "qwen3vl": GgufArchitecture(configurations.of_type("qwen3"), {}),
    "qwen3vlmoe": GgufArchitecture(configurations.qwen3_moe, {}),
    "seed_oss": GgufArchitecture(configurations.of_type("seed_oss"), {}),
    "cohere2": GgufArchitecture(configurations.cohere2, {}),
    "exaone4": GgufArchitecture(configurations.exaone4, {}),
    "hunyuan-dense": GgufArchitecture(configurations.of_type("hunyuan_v1_dense", scaled=False), _HUNYUAN),
    "ernie4_5": GgufArchitecture(configurations.of_type("ernie4_5", scaled=False, use_bias=False), {}),
    "granitehybrid": GgufArchitecture(configurations.granite_hybrid, _names_of_mamba2("mamba"), permuted=True),
    "falcon-h1": GgufArchitecture(configurations.falcon_h1, _FALCON_H1),
    "nemotron_h": GgufArchitecture(configurations.nemotron_h, _NEMOTRON_H, permuted=True, trunk="backbone"),
    "nemotron_h_moe": GgufArchitecture(configurations.nemotron_h, _NEMOTRON_H, permuted=True, trunk="backbone"),
}
