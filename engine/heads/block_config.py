"""Reads the published configurations of heads of the DFlash family.

z-lab's own format, speculators', NVIDIA's, Laguna's, Gemma 4's and MiMo's name the same settings differently and count
layers differently; each function names its sources. This module does not import mlx.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.heads.config import (
    HeadConfigError,
    NetworkConfig,
    RopeConfig,
    RowShape,
    Settings,
    network_settings,
    tap_width,
)
from engine.heads.tensors import HeadFiles, by_our_names, inputs_of
from engine.model_files.head_kinds import bare_name

_CODEBOOKS = ("candidate_selector.predecessor_codebook", "candidate_selector.successor_codebook")
_MARKOV_STYLES = ("vanilla", "gated", "rnn")
_MOST_LAYERS = 64
_LARGEST_BLOCK = 64
_LARGEST_RANK = 2**14


@dataclass(frozen=True, slots=True)
class LayerConfig:
    """One layer: `window` in tokens, None for full attention; `causal` is its attention inside the block."""

    window: int | None
    causal: bool
    rope: RopeConfig


@dataclass(frozen=True, slots=True)
class SelectorConfig:
    """DFlash2: chooses each token among the `top_k` likeliest by its predecessor; `kernel` sizes the convolutions."""

    rank: int
    top_k: int
    kernel: int
    group: int


@dataclass(frozen=True, slots=True)
class MarkovConfig:
    """DSpark: a bias from the previous token. `style` is vanilla, gated or rnn."""

    rank: int
    style: str


@dataclass(frozen=True, slots=True)
class GruConfig:
    """Domino: a bias from a GRU over the tokens so far, from draft token `prefix` on."""

    width: int
    inner: int
    prefix: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockConfig(NetworkConfig):
    """A head of the DFlash family.

    If `anchor_predicts`, the anchor's own row is the first proposal of a block. A block has `spare_rows` masks more
    than it needs. If `window_before_anchor`, the window of every row of the block is measured from the anchor, not from
    the row.

    `sandwich` layers are Gemma 4's: norms before and after each sublayer, a factor for the whole layer, GELU,
    attention without a scale.

    MiMo's heads multiply values by `value_scale` and apply rotary positions to the first `rotated` numbers of each
    attention head (None: all).
    """

    mask_token: int
    layers: tuple[LayerConfig, ...]
    anchor_predicts: bool
    spare_rows: int
    window_before_anchor: bool
    sandwich: bool
    embedding_scale: float
    output_multiplier: float
    soft_cap: float
    refiner: SelectorConfig | MarkovConfig | GruConfig | None
    value_scale: float = 1.0
    rotated: int | None = None


def _our_name(name: str) -> str:
    bare = bare_name(name)
    return f"{bare}.weight" if bare in _CODEBOOKS else bare


def read_block_config(files: HeadFiles) -> tuple[BlockConfig, dict[str, str]]:
    """Return the head, and our names of its tensors by published names. Raises `HeadConfigError`, `HeadTensorError`."""
    config = files.config
    kind = files.kind
    names = by_our_names(files.tensors, _our_name)
    tensors = names.values()
    spec, body = network_settings(config)
    settings = _settings_of(config, body, spec=spec)
    layers = _layers(settings, body, spec=spec, kind=kind)
    columns = inputs_of(files, names, "fc")
    taps, main_layers = _taps(settings, len(layers), columns, spec=spec)
    fields = settings.head_fields(files)
    sizes = settings.attention_sizes()
    gemma = "layers.0.pre_feedforward_layernorm.weight" in tensors
    if gemma:
        sizes |= _gemma_sizes(settings, layers, sizes)
    width = fields["width"]
    vocabulary = fields["vocabulary"]
    has_output = "lm_head.weight" in tensors
    drafted = settings.draft_vocabulary(vocabulary, own_output=has_output)
    # speculators' files repeat the main model's tables, unless the vocabulary is reduced.
    own_output = has_output and (drafted != vocabulary or not spec)
    own_embedding = not spec and "embed_tokens.weight" in tensors
    each_tap = tap_width("target_layer_ids", columns, len(taps))
    # The main model's tables, where the head has none of its own, take and give rows of the main model's width.
    if each_tap != width and not (own_embedding and own_output):
        raise HeadConfigError("target_layer_ids")
    made = BlockConfig(
        **fields,
        **sizes,
        layers=layers,
        windows=tuple(layer.window for layer in layers),
        taps=taps,
        tap_width=each_tap,
        main_layers=main_layers,
        mask_token=_mask_token(settings, config, vocabulary),
        shapes=_row_shapes(sizes, len(layers)),
        window_before_anchor=spec,
        sandwich=gemma,
        draft_vocabulary=drafted,
        own_embedding=own_embedding,
        own_output=own_output,
        embedding_scale=settings.number("input_embedding_scale", width**0.5 if gemma and own_embedding else 1.0),
        output_multiplier=settings.number("output_multiplier", 1.0),
        soft_cap=settings.number("final_logit_softcapping", 0.0, 0.0, 1e4),
        refiner=_refiner(settings, kind, width, vocabulary),
        **_block(settings, kind, spec=spec),
        **_mimo(settings, config, sizes["head_dim"]),
    )
    return made, made.own_names(names)


def _settings_of(config: Mapping[str, Any], body: Mapping[str, Any], *, spec: bool) -> Settings:
    """Return the settings of a config.json, whose network `body` describes; `spec` is true in speculators' format."""
    if spec:
        return Settings(config, body)
    return Settings(config.get("dflash_config"), config, body.get("text_config"))


def _mask_token(settings: Settings, config: Mapping[str, Any], vocabulary: int) -> int:
    """Return the id that stands for tokens still to be drafted. Raises `HeadConfigError` without one."""
    # Published Gemma 4 heads leave it out (mlx-vlm, drafters/gemma4_dflash).
    usual = 4 if str(config.get("model_type", "")).startswith("gemma4") else None
    return settings.whole("mask_token_id", 0, vocabulary - 1, usual)


def _row_shapes(sizes: Mapping[str, int], layers: int) -> tuple[RowShape, ...]:
    """Return the shape of the keys and values that each layer keeps for a row."""
    row = (sizes["kv_heads"], sizes["head_dim"])
    return ((row, row),) * layers


def _gemma_sizes(settings: Settings, layers: tuple[LayerConfig, ...], sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the attention sizes of Gemma 4's DSpark heads, whose layers are all of one kind (mlx-vlm, gemma4_dspark).

    Full layers have larger heads, and fewer of them if keys and values are shared.
    """
    if len({layer.window for layer in layers}) > 1:
        raise HeadConfigError("layer_types")
    if layers[0].window is not None:
        return {}
    larger = {"head_dim": settings.whole("global_head_dim", 2, 2**12, sizes["head_dim"])}
    if settings.flag("attention_k_eq_v"):
        larger["kv_heads"] = settings.whole("num_global_key_value_heads", 1, sizes["heads"], sizes["kv_heads"])
        if sizes["heads"] % larger["kv_heads"]:
            raise HeadConfigError("num_global_key_value_heads")
    return larger


def _mimo(settings: Settings, config: Mapping[str, Any], head_dim: int) -> dict[str, Any]:
    """Return `value_scale` and `rotated` of MiMo's heads (vLLM, qwen3_dflash).

    Other heads may repeat their main model's `partial_rotary_factor` but rotate all numbers.
    """
    nested = config.get("dflash_config")
    if not isinstance(nested, Mapping) or nested.get("attention_value_scale") is None:
        return {}
    if settings.whole("v_head_dim", 2, 2**12, head_dim) != head_dim:
        raise HeadConfigError("v_head_dim")
    rotary_dims = int(head_dim * settings.number("partial_rotary_factor", 1.0, 0.0, 1.0))
    if rotary_dims < 2 or rotary_dims % 2:
        raise HeadConfigError("partial_rotary_factor")
    return {"value_scale": settings.number("attention_value_scale", 1.0, 0.0, 100.0), "rotated": rotary_dims}


def _layers(settings: Settings, body: Mapping[str, Any], *, spec: bool, kind: str) -> tuple[LayerConfig, ...]:
    """Return window and causality of each layer.

    z-lab: an unset `is_causal` means causal exactly on sliding layers (dflash/model.py). NVIDIA writes full layers and
    `use_swa` with `swa_window_size`, meaning a window on all of them. speculators: sliding layers are causal unless
    `sliding_window_non_causal`, full ones never (speculators, dflash/attention.py).
    """
    types = settings.layer_types(body, _MOST_LAYERS)
    if settings.flag("use_swa") and "sliding_attention" not in types:
        types = ["sliding_attention"] * len(types)
    window = None
    if "sliding_attention" in types:
        name = "swa_window_size" if settings.get("swa_window_size") is not None else "sliding_window"
        window = settings.whole(name, 2, 2**24)
    if spec:
        not_causal = settings.flag("sliding_window_non_causal")
        sliding_causal = not (kind == "dflash2" if not_causal is None else not_causal)
        full_causal = False
    else:
        causal = settings.flag("causal", "is_causal", "dflash_query_causal")
        sliding_causal, full_causal = (True, False) if causal is None else (causal, causal)
    kinds = {"sliding_attention": (window, sliding_causal), "full_attention": (None, full_causal)}
    return tuple(LayerConfig(*kinds[entry], settings.rope(body, entry)) for entry in types)


def _taps(settings: Settings, layer_count: int, columns: int, *, spec: bool) -> tuple[tuple[int, ...], int | None]:
    """Return the tapped layers, counted from 0, and the main model's number of layers, None if it is unknown.

    speculators counts states beginning with the embedding: state j is the output of layer j - 1.
    """
    total = settings.main_layers()
    name = "aux_hidden_state_layer_ids" if spec else "target_layer_ids"
    ids = settings.get(name)
    if ids is None and not spec and total is not None:
        ids = _default_taps(total, layer_count)
    [taps] = settings.taps(name, ids, columns, [int(spec)], spec=spec)
    return taps, total


def _default_taps(main_layers: int, head_layers: int) -> list[int]:
    """Return the layers that a head reads if its configuration names none (dflash, `build_target_layer_ids`)."""
    if head_layers == 1:
        return [main_layers // 2]
    return [round(1 + i * (main_layers - 4) / (head_layers - 1)) for i in range(head_layers)]


def _block(settings: Settings, kind: str, *, spec: bool) -> dict[str, Any]:
    """Return `proposals`, `anchor_predicts` and `spare_rows` of `BlockConfig`.

    With `sample_from_anchor`, the default of DSpark heads, `block_size` counts proposals (speculators, mlx-vlm); else
    it counts the anchor too. With Domino's `shift_label` each token is predicted from the previous row, and the last
    row is unused (specforge, domino.py).
    """
    size = settings.whole("block_size", 2, _LARGEST_BLOCK, 8 if spec else 16)
    shifted = kind == "domino" and bool(settings.flag("shift_label"))
    anchor = settings.flag("sample_from_anchor")
    if anchor is None:
        anchor = kind == "dspark" and not settings.flag("dspark_bonus_anchor")
    proposals = size if anchor and not shifted else size - 1
    return {"proposals": proposals, "anchor_predicts": anchor or shifted, "spare_rows": int(shifted)}


def _refiner(
    settings: Settings, kind: str, width: int, vocabulary: int
) -> SelectorConfig | MarkovConfig | GruConfig | None:
    """Return what refines the block's tokens in this kind of head; None if nothing does. Raises `HeadConfigError`."""
    if kind == "dflash2":
        group = settings.whole("conv_group_size", 1, width, 16)
        if width % group:
            raise HeadConfigError("conv_group_size")
        top_k = settings.whole("selector_top_k", 1, min(vocabulary, 1024))
        kernel = settings.whole("conv_kernel_size", 1, 16)
        return SelectorConfig(settings.whole("selector_rank", 1, _LARGEST_RANK), top_k, kernel, group)
    if kind == "dspark":
        style = settings.get("markov_head_type") or "vanilla"
        if style not in _MARKOV_STYLES:
            raise HeadConfigError("markov_head_type")
        return MarkovConfig(settings.whole("markov_rank", 1, _LARGEST_RANK), style)
    if kind == "domino":
        prefix = settings.whole("pure_draft_prefix_len", 0, _LARGEST_BLOCK, 0)
        return GruConfig(settings.width("gru_hidden_dim"), settings.width("emb_dim"), prefix)
    return None
