"""What an MTP head is made of: its family, and the settings of the main model whose decoder layer it repeats.

Makers ship these heads inside the main model's files; exports keep them in files or folders of their own, under the
same names or mlx-vlm's. Families differ in names, in the order of what is fused and in the state that is fed. No mlx
here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.heads.dialects import HeadConfigError, Settings, made_for, rope_of
from engine.model_files.config import text_config

# Each draft token of a chain is less likely than the one before it; nobody reports gains from more.
PROPOSALS = 5


@dataclass(frozen=True, slots=True)
class MtpFamily:
    """A family of MTP heads: `module` of mlx-lm has its decoder layer.

    With `zero_centred`, published weights of norms are added to 1. With `reversed`, the fused row is state and
    embedding, not embedding and state. The state is that after the main model's last norm; with `either_state`, some
    heads of the family read the one before.
    A chain goes on from the state after the head's last norm, or before it if `chains_raw`. `keeps` says what its
    layers cache: keys and values ("plain"), latent ones ("mla"), those and an index ("dsa"), or what a `pattern` of the
    configuration, a character for each layer, says: * is attention, E are experts, which cache nothing.
    `by_depth`, each draft token has a layer of its own, with a fusion, a norm and perhaps an output matrix of its own
    (`engine.heads.depth_network`). The first reads the main model's state, before the last norm if `reads_raw`; the
    others read what the layer before made or, if `all_read_main`, that state, too. Their layers keep keys and values,
    or "swa" those of the main model's sliding attention, whose sizes have names of their own.
    """

    name: str
    module: str
    zero_centred: bool = False
    reversed: bool = False
    either_state: bool = False
    chains_raw: bool = False
    keeps: str = "plain"
    by_depth: bool = False
    reads_raw: bool = False
    all_read_main: bool = False


_QWEN3_5 = MtpFamily("qwen3_5", "qwen3_5", zero_centred=True)
_QWEN3_NEXT = MtpFamily("qwen3_next", "qwen3_next", zero_centred=True)
# By the model type of the main model. The plain Qwen3 layer is that of the starter pair's head.
FAMILIES = {
    "qwen3_5": _QWEN3_5,
    "qwen3_5_text": _QWEN3_5,
    "qwen3_5_moe": _QWEN3_5,
    "qwen3_5_moe_text": _QWEN3_5,
    "qwen3_next": _QWEN3_NEXT,
    "qwen3": MtpFamily("qwen3", "qwen3"),
}
# Heads that are one decoder layer more, with what fuses the two inputs beside it.
_APPENDED = (("deepseek_v3", "mla"), ("deepseek_v32", "dsa"), ("glm_moe_dsa", "dsa"), ("glm4_moe_lite", "mla"))
FAMILIES |= {name: MtpFamily(name, name, chains_raw=True, either_state=True, keeps=keeps) for name, keeps in _APPENDED}
FAMILIES |= {
    "glm4_moe": MtpFamily("glm4_moe", "glm4_moe", chains_raw=True, either_state=True),
    "mimo": MtpFamily("mimo", "mimo", reversed=True),
    "nemotron_h": MtpFamily("nemotron_h", "nemotron_h", keeps="pattern"),
}
_STEP = MtpFamily("step3p5", "step3p5", zero_centred=True, chains_raw=True, by_depth=True, reads_raw=True)
FAMILIES |= dict.fromkeys(("step3p5", "step3p7"), _STEP)
_MIMO_V2 = MtpFamily("mimo_v2_flash", "mimo_v2_flash", by_depth=True, all_read_main=True, keeps="swa")
FAMILIES["mimo_v2_flash"] = _MIMO_V2
FUSION = ("fc.weight", "pre_fc_norm_embedding.weight", "pre_fc_norm_hidden.weight", "norm.weight")
# Other families' names of these.
_FUSION_NAMES = {
    **dict.fromkeys(("eh_proj", "input_proj"), "fc"),
    **dict.fromkeys(("enorm", "token_layernorm"), "pre_fc_norm_embedding"),
    **dict.fromkeys(("hnorm", "hidden_layernorm"), "pre_fc_norm_hidden"),
    **dict.fromkeys(("shared_head.norm", "shared_head_norm", "final_layernorm"), "norm"),
}
_OF_LAYER = ("self_attn.", "mlp.", "input_layernorm.", "post_attention_layernorm.", "mtp_block.")
_REPEATED = re.compile(r"(?:^|\.)(?:embed_tokens|lm_head|shared_head\.head|shared_head_head|rotary_emb)\.")
_PREFIX = re.compile(r"^(?:model\.|language_model\.)*(mtp\.)?")
_LAYER = re.compile(r"(?:mtp_)?layers\.(\d+)\.(.+)")
# Parts of a layer for one depth that are not its decoder layer's.
_OF_DEPTH = {"eh_proj": "fc", "enorm": "pre_fc_norm_embedding", "hnorm": "pre_fc_norm_hidden"}
_OF_DEPTH |= dict.fromkeys(
    ("transformer.shared_head.norm", "shared_head.norm", "shared_head_norm", "final_layernorm"), "norm"
)
_OF_DEPTH |= dict.fromkeys(
    ("transformer.shared_head.output", "shared_head.output", "shared_head.head", "shared_head_head"), "output"
)


@dataclass(frozen=True, slots=True)
class MtpConfig:
    """An MTP head for a main model with the settings `text`; see `engine.heads.config.HeadShape`.

    It has `layer_count` decoder layers. Layer i keeps `caches[i]` pairs of keys and values of a token: those of
    `cache_shapes`, heads by size, or none.
    """

    family: MtpFamily
    text: Mapping[str, Any] = field(hash=False)
    width: int
    inner: int
    vocabulary: int
    main_layers: int
    layer_count: int
    cache_shapes: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    caches: tuple[int, ...]
    made_for: str = ""
    kind: str = "mtp"
    proposals: int = PROPOSALS

    @property
    def taps(self) -> tuple[int, ...]:
        """The last layer's output."""
        return (self.main_layers - 1,)

    @property
    def least_layers(self) -> int:
        return self.main_layers

    @property
    def tap_width(self) -> int:
        return self.width

    @property
    def block_rows(self) -> int:
        return self.proposals

    @property
    def windows(self) -> tuple[int | None, ...]:
        return (None,) * sum(1 for count in self.caches if count)

    @property
    def row_elements(self) -> int:
        return sum(heads * size for shapes in self.cache_shapes for heads, size in shapes)


def our_name(name: str, main_layers: int, family: MtpFamily) -> str | None:
    """The name of this package for a tensor of an MTP head's file; None for one that is not read.

    Not read are tables of the main model, and layers for deeper tokens that some families have besides the first.
    """
    if family.by_depth:
        return _name_by_depth(name, main_layers)
    if _REPEATED.search(name):
        return None
    prefix = _PREFIX.match(name)
    bare = name[prefix.end() :] if prefix else name
    match = _LAYER.fullmatch(bare)
    if match is None:
        stem, _, leaf = bare.rpartition(".")
        if stem in _FUSION_NAMES:
            return f"{_FUSION_NAMES[stem]}.{leaf}"
        return f"layers.0.{bare.removeprefix('mtp_block.')}" if bare.startswith(_OF_LAYER) else bare
    index, rest = int(match[1]), match[2].removeprefix("mtp_block.")
    if bare.startswith("layers.") and not (prefix and prefix[1]) and index >= main_layers:
        index -= main_layers
    stem, _, leaf = rest.rpartition(".")
    if stem in _FUSION_NAMES:
        # In a pattern of layers, the norm behind the last one is beside that.
        return f"{_FUSION_NAMES[stem]}.{leaf}" if index == 0 or not bare.startswith("mtp_layers.") else None
    return f"layers.{index}.{rest}"


def _name_by_depth(name: str, main_layers: int) -> str | None:
    prefix = _PREFIX.match(name)
    match = _LAYER.fullmatch(name[prefix.end() :] if prefix else name)
    if match is None:
        return None if "embed_tokens." in name else name
    index, rest = int(match[1]), match[2]
    index -= main_layers if index >= main_layers and not (prefix and prefix[1]) else 0
    stem, _, leaf = rest.rpartition(".")
    part = _OF_DEPTH.get(stem)
    if part is not None:
        return f"layers.{index}.{part}.{leaf}"
    rest = rest.removeprefix("mtp_block.").replace("pre_mlp_layernorm.", "post_attention_layernorm.")
    return f"layers.{index}.block.{rest}"


def layers_of_main(config: Mapping[str, Any]) -> int:
    """How many layers the main model has. Raises `HeadConfigError`."""
    text = text_config(config)
    pattern = text.get("hybrid_override_pattern") or text.get("layers_block_type")
    if isinstance(pattern, str | list):
        # It counts for mlx-lm, too.
        text = {**text, "num_hidden_layers": len(pattern)}
    return Settings(text).whole("num_hidden_layers", 1, 1000)


def family_of(config: Mapping[str, Any]) -> MtpFamily | None:
    """The family of the heads of a main model with this config.json, or of the head that names it."""
    kind = text_config(config).get("model_type")
    return FAMILIES.get(kind.removesuffix("_mtp")) if isinstance(kind, str) else None


def read_mtp_config(config: Mapping[str, Any], names: Collection[str]) -> MtpConfig:
    """The head with this config.json, its own or the main model's, and tensors of our names.

    Raises `HeadConfigError`.
    """
    family = family_of(config)
    if family is None:
        raise HeadConfigError("model_type")
    text = text_config(config)
    settings = Settings(text)
    width = settings.whole("hidden_size", 1, 2**16)
    heads = settings.whole("num_attention_heads", 1, 4096)
    experts = settings.whole("num_experts", 0, 4096, 0)
    inner = settings.whole("moe_intermediate_size" if experts else "intermediate_size", 1, 2**18)
    # mlx-lm builds the layer from these settings as they are.
    if not family.by_depth:
        rope_of(settings, text, "full_attention")
    settings.number("rms_norm_eps", 1e-6)
    # Qwen's heads may have several layers in a row.
    layers = {int(match[1]) for match in map(_LAYER.match, names) if match}
    if layers != set(range(len(layers))) or not 1 <= len(layers) <= 8:
        raise HeadConfigError("layers")
    if family is _STEP:
        text = _with_last_layers(text, len(layers))
        settings = _settings_of_last_layers(text, layers_of_main(config))
    pattern = pattern_of(text) if family.keeps == "pattern" else ""
    if pattern and (len(pattern) != len(layers) or "*" not in pattern):
        raise HeadConfigError("mtp_hybrid_override_pattern")
    return MtpConfig(
        family=family,
        text=text,
        width=width,
        inner=inner,
        vocabulary=settings.whole("vocab_size", 2, 2**21),
        main_layers=layers_of_main(config),
        layer_count=len(layers),
        cache_shapes=(shapes := _cache_shapes(settings, family.keeps, heads, width)),
        caches=tuple(int(mark == "*") for mark in pattern) if pattern else (len(shapes),) * len(layers),
        made_for=made_for(config),
        proposals=len(layers) if family.by_depth else PROPOSALS,
    )


def _with_last_layers(text: Mapping[str, Any], count: int) -> dict[str, Any]:
    """The settings of a main model with a head of `count` layers behind its own, which lists are to describe, too.

    Lists that end with the main model go on as its last sliding layer is; as published, the head's layers slide.
    Raises `HeadConfigError` where they end before, or where the layers keep different things.
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
    """What the attention behind the main model's layers is like."""
    other = text.get("attention_other_setting") if text["layer_types"][first] == "sliding_attention" else None
    found = Settings(other, text)
    heads = found.whole("num_attention_heads", 1, 4096)
    return Settings({"num_key_value_heads": found.whole("num_attention_groups", 1, heads)}, other, text)


def pattern_of(text: Mapping[str, Any]) -> str:
    """The kinds of a head's layers, a character each. Raises `HeadConfigError` without any that are known."""
    pattern, named = text.get("mtp_hybrid_override_pattern"), text.get("mtp_layers_block_type")
    if isinstance(named, list) and pattern is None:
        pattern = ["*" if name in ("attention", "full_attention") else "E" if name == "moe" else "" for name in named]
    if not isinstance(pattern, str | list) or not pattern or any(mark not in ("*", "E") for mark in pattern):
        raise HeadConfigError("mtp_hybrid_override_pattern")
    return "".join(pattern)


def _cache_shapes(
    settings: Settings, keeps: str, heads: int, width: int
) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    if keeps in ("plain", "pattern"):
        shape = (
            settings.whole("num_key_value_heads", 1, heads, heads),
            settings.whole("head_dim", 2, 2**12, max(2, width // heads)),
        )
        return ((shape, shape),)
    if keeps == "swa":
        groups = settings.whole("swa_num_key_value_heads", 1, 4096)
        sizes = [settings.whole(name, 2, 2**12) for name in ("swa_head_dim", "swa_v_head_dim")]
        settings.whole("sliding_window_size", 1, 2**24)
        return (((groups, sizes[0]), (groups, sizes[1])),)
    latent = ((1, settings.whole("kv_lora_rank", 1, 2**14)), (1, settings.whole("qk_rope_head_dim", 2, 2**12)))
    if keeps == "mla":
        return (latent,)
    index = (1, settings.whole("index_head_dim", 2, 2**12))
    return (latent, (index, index))
