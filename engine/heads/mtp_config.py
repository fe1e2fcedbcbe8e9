"""Reads the configuration of MTP heads: the family, and the settings of the main model whose decoder layer they repeat.

Makers ship these heads inside the main model's files; exports keep them in separate files or folders, under the same
names or mlx-vlm's. Families differ in names, in the order of the fused inputs, and in the state that is fed. This
module does not import mlx.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.heads.config import HeadConfig, HeadConfigError, RowShape, Settings
from engine.heads.tensors import HeadFiles, UnknownHeadError, by_our_names
from engine.model_files.config import text_config

# Each draft token of a chain is less likely than the previous one; no publication reports gains from more.
_PROPOSALS = 5
# The settings that give the number of a head's layers.
DECLARED = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers")


@dataclass(frozen=True, slots=True)
class MtpFamily:
    """A family of MTP heads, whose decoder layer is in mlx-lm's module `name`.

    With `zero_centred`, published weights of norms are added to 1. With `reversed`, the fused row is state and
    embedding, not embedding and state. The state is that after the main model's last norm; with `either_state`, some
    heads of the family read the one before it. A chain continues from the state after the head's last norm, or before
    it if `chains_raw`.

    `keeps` names the content of the layers' caches: keys and values ("plain"), latent ones ("mla"), latent ones and an
    index ("dsa"), keys and values with the sizes of the main model's sliding attention ("swa"), or what a pattern in
    the configuration gives for each layer ("pattern"): * is attention, E are experts, which cache nothing.

    With `by_depth`, each draft token has its own layer, fusion, norm and perhaps output matrix. The first layer reads
    the main model's state, before the last norm if `reads_raw`; the others read the previous layer's state or, if
    `all_read_main`, the main model's state, too.
    """

    name: str
    zero_centred: bool = False
    reversed: bool = False
    either_state: bool = False
    chains_raw: bool = False
    keeps: str = "plain"
    by_depth: bool = False
    reads_raw: bool = False
    all_read_main: bool = False


_STEP = MtpFamily("step3p5", zero_centred=True, chains_raw=True, by_depth=True, reads_raw=True)
_FAMILIES = (
    MtpFamily("qwen3_5", zero_centred=True),
    MtpFamily("qwen3_next", zero_centred=True),
    # The starter pair's head has the plain Qwen3 layer.
    MtpFamily("qwen3"),
    # Heads that consist of one more decoder layer and the fusion of its two inputs.
    MtpFamily("deepseek_v3", chains_raw=True, either_state=True, keeps="mla"),
    MtpFamily("deepseek_v32", chains_raw=True, either_state=True, keeps="dsa"),
    MtpFamily("glm_moe_dsa", chains_raw=True, either_state=True, keeps="dsa"),
    MtpFamily("glm4_moe_lite", chains_raw=True, either_state=True, keeps="mla"),
    MtpFamily("glm4_moe", chains_raw=True, either_state=True),
    MtpFamily("mimo", reversed=True),
    MtpFamily("nemotron_h", keeps="pattern"),
    MtpFamily("mimo_v2_flash", chains_raw=True, by_depth=True, all_read_main=True, keeps="swa"),
    _STEP,
)
# Families by the model type of the main model.
FAMILIES = {family.name: family for family in _FAMILIES} | {"step3p7": _STEP}
FAMILIES |= dict.fromkeys(("qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"), FAMILIES["qwen3_5"])
# Families whose makers ship a head with every model, even if a conversion's configuration no longer says so.
_ALWAYS = (FAMILIES["qwen3_5"], FAMILIES["qwen3_next"], FAMILIES["mimo_v2_flash"])
# Families whose makers publish 8-bit numbers.
_EIGHT_BITS = ("deepseek_v3", "deepseek_v32", "mimo_v2_flash")
# The number of layers, if the configuration does not give it, of heads that have one for each draft token.
_DEPTHS = {"mimo_v2_flash": 3}
# Published names of the parts around the decoder layers.
_PARTS = {
    **dict.fromkeys(("eh_proj", "input_proj"), "fc"),
    **dict.fromkeys(("enorm", "token_layernorm"), "pre_fc_norm_embedding"),
    **dict.fromkeys(("hnorm", "hidden_layernorm"), "pre_fc_norm_hidden"),
    **dict.fromkeys(("shared_head.norm", "shared_head_norm", "final_layernorm"), "norm"),
    "transformer.shared_head.norm": "norm",
    **dict.fromkeys(("shared_head.output", "shared_head.head", "shared_head_head"), "output"),
    "transformer.shared_head.output": "output",
}
_OF_LAYER = ("self_attn.", "mlp.", "input_layernorm.", "post_attention_layernorm.", "mtp_block.")
_REPEATED = re.compile(r"(?:^|\.)(?:embed_tokens|lm_head|shared_head\.head|shared_head_head|rotary_emb)\.")
_PREFIX = re.compile(r"^(?:model\.|language_model\.)*(mtp\.)?")
# Python reads no number of thousands of digits, which a hostile file may have.
_LAYER = re.compile(r"((?:mtp_)?layers)\.(\d{1,5})\.(.+)")
# The numbers of the fusion and, if the tensor is in a layer, of that layer.
_PLACE = re.compile(r"depths\.(\d+)\.(?:layers\.(\d{1,5})\.)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class MtpConfig(HeadConfig):
    """An MTP head for a main model with the settings `text`.

    It has `depths` fusions, each followed by `layers` decoder layers. Layer i has `caches[i]` caches.
    """

    family: MtpFamily
    text: Mapping[str, Any] = field(hash=False)
    main_layers: int
    depths: int
    layers: int
    caches: tuple[int, ...]


def _our_name(name: str, main_layers: int, family: MtpFamily) -> str | None:
    """Return our network's name of a tensor in an MTP head's file, or None for one that is not read.

    Tables of the main model are not read, nor are the parts around the deeper layers that some families have.
    """
    if _REPEATED.search(name) and not (family.by_depth and "shared_head" in name):
        return None
    prefix = _PREFIX.match(name)
    bare = name[prefix.end() :] if prefix else name
    match = _LAYER.fullmatch(bare)
    index, part = (0, bare) if match is None else (int(match[2]), match[3])
    if match is not None and match[1] == "layers" and not (prefix and prefix[1]) and index >= main_layers:
        index -= main_layers
    stem, _, leaf = part.rpartition(".")
    depth, layer = (index, 0) if family.by_depth else (0, index)
    if stem in _PARTS:
        # With a pattern of layers, the last norm lies next to the last layer, not in it.
        deeper = not family.by_depth and index > 0 and bare.startswith("mtp_layers.")
        return None if deeper else f"depths.{depth}.{_PARTS[stem]}.{leaf}"
    if match is None and not bare.startswith(_OF_LAYER):
        return f"depths.0.{bare}"
    part = part.removeprefix("mtp_block.")
    if family.by_depth:
        part = part.replace("pre_mlp_layernorm.", "post_attention_layernorm.")
    return f"depths.{depth}.layers.{layer}.{part}"


def layers_of_main(config: Mapping[str, Any]) -> int:
    """Return the main model's number of layers. Raises `HeadConfigError`."""
    text = text_config(config)
    pattern = text.get("hybrid_override_pattern") or text.get("layers_block_type")
    if isinstance(pattern, str | list):
        # mlx-lm counts the pattern, too.
        text = {**text, "num_hidden_layers": len(pattern)}
    return Settings(text).whole("num_hidden_layers", 1, 1000)


def family_of(config: Mapping[str, Any]) -> MtpFamily | None:
    """Return the family of the heads of a main model with this config.json, or of the head that it describes."""
    kind = text_config(config).get("model_type")
    return FAMILIES.get(kind.removesuffix("_mtp")) if isinstance(kind, str) else None


def read_mtp_config(files: HeadFiles) -> tuple[MtpConfig, dict[str, str]]:
    """Return the head, by its own config.json or the main model's, and our names of its tensors by published names.

    Raises `UnknownHeadError`, `HeadConfigError` or `HeadTensorError`.
    """
    config = files.config
    family = family_of(files.config)
    if family is None:
        raise UnknownHeadError
    text = text_config(config)
    main_layers = layers_of_main(config)
    names = by_our_names(files.tensors, lambda name: _our_name(name, main_layers, family))
    settings = Settings(text)
    experts = settings.whole("num_experts", 0, 4096, 0)
    # mlx-lm builds the layer from these settings as they are.
    if not family.by_depth:
        settings.rope(text, "full_attention")
    layers = _count_layers(names.values(), by_depth=family.by_depth)
    if family is _STEP:
        text = _with_last_layers(text, layers)
        settings = _settings_of_last_layers(text, main_layers)
    pattern = pattern_of(text) if family.keeps == "pattern" else ""
    if pattern and (len(pattern) != layers or "*" not in pattern):
        raise HeadConfigError("mtp_hybrid_override_pattern")
    fields = settings.head_fields(files, "moe_intermediate_size" if experts else "intermediate_size")
    shapes = _cache_shapes(settings, family.keeps)
    caches = tuple(int(mark == "*") for mark in pattern) if pattern else (len(shapes),) * layers
    shapes *= sum(map(bool, caches))
    made = MtpConfig(
        **fields,
        family=family,
        text=text,
        main_layers=main_layers,
        # The last layer's output.
        taps=(main_layers - 1,),
        tap_width=fields["width"],
        depths=layers if family.by_depth else 1,
        layers=1 if family.by_depth else layers,
        caches=caches,
        windows=(_window(settings, family, text, main_layers),) * len(shapes),
        shapes=shapes,
        proposals=layers if family.by_depth else _PROPOSALS,
    )
    return made, names


def _count_layers(names: Iterable[str], *, by_depth: bool) -> int:
    """Return the number of layers to which tensors belong that have these `names` in our networks.

    A fusion joins state and embedding (`MtpFamily`). With `by_depth` there are several, and each has one layer:
    fusions are counted. Otherwise there is one fusion, and its layers are counted.

    Raises `HeadConfigError` unless there are 1 to 8 layers, numbered from 0 without a gap.
    """
    group = 1 if by_depth else 2
    matches = [match for name in names if (match := _PLACE.match(name))]
    numbers = {int(match[group]) for match in matches if match[group] is not None}
    count = len(numbers)
    if numbers != set(range(count)) or not 1 <= count <= 8:
        raise HeadConfigError("layers")
    return count


def _with_last_layers(text: Mapping[str, Any], count: int) -> dict[str, Any]:
    """Return the main model's settings with lists that also describe `count` layers of the head after its own.

    Lists that end with the main model are continued with the entry of its last sliding layer, because published heads
    have sliding layers. Raises `HeadConfigError` if a list is too short or the head's layers are of different types.
    """
    first = Settings(text).whole("num_hidden_layers", 1, 1000)
    types = text.get("layer_types")
    if not isinstance(types, list) or len(types) < first or not all(isinstance(kind, str) for kind in types):
        raise HeadConfigError("layer_types")
    sliding = [index for index in range(first) if types[index] == "sliding_attention"]
    like = sliding[-1] if sliding else first - 1
    made = dict(text)
    for name in ("layer_types", "rope_theta", "partial_rotary_factors", "swiglu_limits", "swiglu_limits_shared"):
        if isinstance(value := text.get(name), list):
            if len(value) < first:
                raise HeadConfigError(name)
            made[name] = [*value, *[value[like]] * max(0, first + count - len(value))]
    if len(set(made["layer_types"][first : first + count])) > 1:
        raise HeadConfigError("layer_types")
    return made


def _settings_of_last_layers(text: Mapping[str, Any], first: int) -> Settings:
    """Return the settings of the attention in the head's layers, which follow the main model's settings."""
    other = text.get("attention_other_setting") if text["layer_types"][first] == "sliding_attention" else None
    settings = Settings(other, text)
    heads = settings.whole("num_attention_heads", 1, 4096)
    return Settings({"num_key_value_heads": settings.whole("num_attention_groups", 1, heads)}, other, text)


def _window(settings: Settings, family: MtpFamily, text: Mapping[str, Any], first: int) -> int | None:
    """Return the window of the layers, the first of which has the number `first`; None if there is none."""
    if family.keeps == "swa":
        # SGLang and transformers count the tokens before the current one; mlx-lm counts that one, too.
        return settings.whole("sliding_window_size", 1, 2**24) + 1
    sliding = family.by_depth and text["layer_types"][first] == "sliding_attention"
    return settings.whole("sliding_window", 1, 2**24) if sliding else None


# The character of a pattern for each kind of block that a head's settings may name.
_MARK_OF_BLOCK = {"attention": "*", "full_attention": "*", "moe": "E"}


def pattern_of(text: Mapping[str, Any]) -> str:
    """Return the kinds of a head's layers, one character each. Raises `HeadConfigError` if any is unknown."""
    pattern = text.get("mtp_hybrid_override_pattern")
    named = text.get("mtp_layers_block_type")
    if isinstance(named, list) and pattern is None:
        pattern = [_MARK_OF_BLOCK.get(name, "") if isinstance(name, str) else "" for name in named]
    if not isinstance(pattern, str | list) or not pattern or any(mark not in ("*", "E") for mark in pattern):
        raise HeadConfigError("mtp_hybrid_override_pattern")
    return "".join(pattern)


def _cache_shapes(settings: Settings, keeps: str) -> tuple[RowShape, ...]:
    """Return the shapes of a layer's caches."""
    sizes = settings.attention_sizes()
    if keeps in ("plain", "pattern"):
        plain = sizes["kv_heads"], sizes["head_dim"]
        return ((plain, plain),)
    if keeps == "swa":
        groups = settings.whole("swa_num_key_value_heads", 1, 4096)
        keys, values = (settings.whole(name, 2, 2**12) for name in ("swa_head_dim", "swa_v_head_dim"))
        return (((groups, keys), (groups, values)),)
    latent = ((1, settings.whole("kv_lora_rank", 1, 2**14)), (1, settings.whole("qk_rope_head_dim", 2, 2**12)))
    if keeps == "mla":
        return (latent,)
    index = (1, settings.whole("index_head_dim", 2, 2**12))
    return (latent, (index, index))


def shipped_bytes(config: Mapping[str, Any], weights: int, active: int, bits: float) -> int:
    """Estimate the bytes of the head that makers ship with a model of this config.json; 0 if they ship none.

    The model has `weights` bytes in `bits` a number, of which a token uses `active`. The head's layers are like its
    own; heads that have a layer for each draft token have no experts. Only a repository's files show whether it
    contains the head.
    """
    family = family_of(config)
    text = text_config(config)
    if family is None or (family not in _ALWAYS and not any(text.get(name) for name in DECLARED)):
        return 0
    try:
        usual = _DEPTHS.get(family.name, 1)
        count = Settings(text).whole("num_nextn_predict_layers", 1, 8, usual) if family.by_depth else 1
        layer = (active if family.by_depth else weights) / layers_of_main(config)
    except HeadConfigError:
        return 0
    return int(count * layer * (8 if family.name in _EIGHT_BITS else 16) / bits)
