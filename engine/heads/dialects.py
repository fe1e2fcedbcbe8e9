"""Reads the configurations of published heads: z-lab's own format, speculators', NVIDIA's, Laguna's, Gemma 4's, MiMo's.

They name the same things differently and count layers differently; sources are named in each function. Everything that
cannot be true raises `HeadConfigError` with the setting's name.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from engine.heads.config import GruConfig, HeadConfig, LayerConfig, MarkovConfig, RopeConfig, SelectorConfig

Shapes = Mapping[str, tuple[int, ...]]
_MARKOV_STYLES = ("vanilla", "gated", "rnn")
_ROPE_TYPES = ("default", "linear", "dynamic", "llama3", "yarn", "longrope", "proportional")
_LAYER_TYPES = ("full_attention", "sliding_attention")
_MOST_LAYERS = 64
_MOST_MAIN_LAYERS = 1_000
_LARGEST_WIDTH = 2**16
_LARGEST_INNER = 2**18
_LARGEST_VOCABULARY = 2**21
_LARGEST_BLOCK = 64
_LARGEST_RANK = 2**14

N = TypeVar("N", int, float)


class HeadConfigError(ValueError):
    """A setting, named by the message, is missing or cannot be true."""


class Settings:
    """Looks settings up in several objects, the first that has one counting, and checks them."""

    def __init__(self, *parts: object) -> None:
        self._parts = [part for part in parts if isinstance(part, Mapping)]

    def get(self, *names: str) -> Any:
        """The value of the first of `names` that is set and not null; None without one."""
        for name in names:
            for part in self._parts:
                if part.get(name) is not None:
                    return part[name]
        return None

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        value = self.get(name)
        value = default if value is None else value
        if type(value) is not int or not low <= value <= high:
            raise HeadConfigError(name)
        return value

    def number(self, name: str, default: float) -> float:
        return _number(name, default if (value := self.get(name)) is None else value)

    def flag(self, *names: str) -> bool | None:
        value = self.get(*names)
        if value is not None and type(value) is not bool:
            raise HeadConfigError(names[0])
        return value


def read_config(config: Mapping[str, Any], kind: str, shapes: Shapes) -> HeadConfig:
    """The head of family `kind` with this config.json and these tensors, by their bare names.

    Raises `HeadConfigError`.
    """
    spec = config.get("speculators_model_type") is not None
    body = config.get("transformer_layer_config") if spec else config
    if not isinstance(body, Mapping):
        raise HeadConfigError("transformer_layer_config")
    nested, text = config.get("dflash_config"), body.get("text_config")
    settings = Settings(config, body) if spec else Settings(nested, config, body, text)
    layers = _layers(settings, body, spec=spec, kind=kind)
    taps, main_layers = _taps(settings, len(layers), shapes, spec=spec)
    proposals, anchor, spare = _block(settings, kind, spec=spec)
    sizes = network_sizes(settings)
    gemma = "layers.0.pre_feedforward_layernorm.weight" in shapes
    if gemma:
        sizes |= _gemma_sizes(settings, layers, sizes)
    own = _own_tables(settings, shapes, sizes["vocabulary"], spec=spec)
    attention, dialect = "layers.0.self_attn.", _dialect(config, spec=spec)
    return HeadConfig(
        kind=kind,
        dialect=dialect,
        eps=within("rms_norm_eps", settings.number("rms_norm_eps", 1e-6), 0.0, 0.1),
        layers=layers,
        taps=taps,
        tap_width=_tap_width(shapes, len(taps), 0 if all(own[:2]) else sizes["width"]),
        main_layers=main_layers,
        mask_token=settings.whole("mask_token_id", 0, sizes["vocabulary"] - 1, 4 if _is_gemma(config) else None),
        proposals=proposals,
        anchor_predicts=anchor,
        spare_rows=spare,
        window_before_anchor=spec,
        tap_norms="aux_hidden_norms.0.weight" in shapes,
        gated=f"{attention}g_proj.weight" in shapes,
        sinks=f"{attention}attention_sink_bias" in shapes,
        bias=f"{attention}q_proj.bias" in shapes or f"{attention}qkv_proj.bias" in shapes,
        own_embedding=own[0],
        own_output=own[1],
        draft_vocabulary=own[2],
        sandwich=gemma,
        keys_are_values=gemma and f"{attention}v_proj.weight" not in shapes,
        embedding_scale=settings.number("input_embedding_scale", sizes["width"] ** 0.5 if gemma and own[0] else 1.0),
        output_multiplier=settings.number("output_multiplier", 1.0),
        own_mask="mask_embedding" in shapes,
        soft_cap=within("final_logit_softcapping", settings.number("final_logit_softcapping", 0.0), 0.0, 1e4),
        refiner=_refiner(settings, kind, shapes, sizes["width"], sizes["vocabulary"]),
        made_for=made_for(config),
        **sizes,
        **(_mimo(settings, sizes["head_dim"]) if dialect == "mimo" else {}),
    )


def network_sizes(settings: Settings) -> dict[str, int]:
    """The sizes of a network, by the names of `HeadConfig`; every dialect names them alike."""
    width = settings.whole("hidden_size", 1, _LARGEST_WIDTH)
    heads = settings.whole("num_attention_heads", 1, 4096)
    kv_heads = settings.whole("num_key_value_heads", 1, heads, heads)
    if heads % kv_heads:
        raise HeadConfigError("num_key_value_heads")
    return {
        "width": width,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": settings.whole("head_dim", 2, 2**12, max(2, width // heads)),
        "inner": settings.whole("intermediate_size", 1, _LARGEST_INNER),
        "vocabulary": settings.whole("vocab_size", 2, _LARGEST_VOCABULARY),
    }


def _gemma_sizes(settings: Settings, layers: tuple[LayerConfig, ...], sizes: Mapping[str, int]) -> dict[str, int]:
    """Those of attention in the layers of Gemma 4's DSpark heads, which are all of one kind (mlx-vlm, gemma4_dspark).

    Full layers have larger heads, and fewer of them where keys are values.
    """
    if len({layer.window for layer in layers}) > 1:
        raise HeadConfigError("layer_types")
    if layers[0].window is not None:
        return {}
    found = {"head_dim": settings.whole("global_head_dim", 2, 2**12, sizes["head_dim"])}
    if settings.flag("attention_k_eq_v"):
        found["kv_heads"] = settings.whole("num_global_key_value_heads", 1, sizes["heads"], sizes["kv_heads"])
        if sizes["heads"] % found["kv_heads"]:
            raise HeadConfigError("num_global_key_value_heads")
    return found


def _mimo(settings: Settings, head_dim: int) -> dict[str, Any]:
    """What MiMo's heads say of their values and positions, by the names of `HeadConfig` (vLLM, qwen3_dflash).

    Others may repeat their main model's `partial_rotary_factor`, and turn all numbers.
    """
    if settings.whole("v_head_dim", 2, 2**12, head_dim) != head_dim:
        raise HeadConfigError("v_head_dim")
    turned = int(head_dim * within("partial_rotary_factor", settings.number("partial_rotary_factor", 1.0), 0.0, 1.0))
    if turned < 2 or turned % 2:
        raise HeadConfigError("partial_rotary_factor")
    scale = within("attention_value_scale", settings.number("attention_value_scale", 1.0), 0.0, 100.0)
    return {"value_scale": scale, "rotated": turned}


def _own_tables(settings: Settings, shapes: Shapes, vocabulary: int, *, spec: bool) -> tuple[bool, bool, int]:
    """Whether the head has an embedding and an output matrix of its own, and the rows of its output matrix.

    speculators' files repeat the main model's, unless the vocabulary is reduced.
    """
    drafted = settings.whole("draft_vocab_size", 2, vocabulary, vocabulary)
    own_output = "lm_head.weight" in shapes and (drafted != vocabulary or not spec)
    if drafted != vocabulary and not own_output:
        raise HeadConfigError("draft_vocab_size")
    return not spec and "embed_tokens.weight" in shapes, own_output, drafted


def _dialect(config: Mapping[str, Any], *, spec: bool) -> str:
    if spec:
        return "speculators"
    if _is_gemma(config) and config.get("dflash_config") is None:
        return "gemma4"
    if config.get("model_type") == "laguna":
        return "laguna"
    nested = config.get("dflash_config")
    if isinstance(nested, Mapping) and nested.get("attention_value_scale") is not None:
        return "mimo"
    return "nvidia" if isinstance(nested, Mapping) and nested.get("use_swa") is not None else "z-lab"


def _is_gemma(config: Mapping[str, Any]) -> bool:
    # Published Gemma 4 heads leave the mask token out (mlx-vlm, drafters/gemma4_dflash).
    return str(config.get("model_type", "")).startswith("gemma4")


def made_for(config: Mapping[str, Any]) -> str:
    """The repository that the head says it was trained for; "" where it does not."""
    spec = config.get("speculators_config")
    verifier = spec.get("verifier") if isinstance(spec, Mapping) else None
    candidates = [verifier.get("name_or_path") if isinstance(verifier, Mapping) else None]
    candidates += [config.get("target_model"), config.get("base_model"), config.get("target_model_name_or_path")]
    named = next((value for value in candidates if isinstance(value, str) and value.count("/") == 1), "")
    return named[:200]


def _layers(settings: Settings, body: Mapping[str, Any], *, spec: bool, kind: str) -> tuple[LayerConfig, ...]:
    """Windows and causality of each layer.

    z-lab: an unset `is_causal` means causal exactly on sliding layers (dflash/model.py). NVIDIA writes full layers and
    `use_swa` with `swa_window_size`, meaning a window on all of them. speculators: sliding layers are causal unless
    `sliding_window_non_causal`, full ones never (speculators, dflash/attention.py).
    """
    count = settings.whole("num_hidden_layers", 1, _MOST_LAYERS)
    types = body.get("layer_types") or ["full_attention"] * count
    if not isinstance(types, list) or len(types) != count or any(entry not in _LAYER_TYPES for entry in types):
        raise HeadConfigError("layer_types")
    if settings.flag("use_swa") and "sliding_attention" not in types:
        types = ["sliding_attention"] * count
    window = None
    if "sliding_attention" in types:
        name = "swa_window_size" if settings.get("swa_window_size") is not None else "sliding_window"
        window = settings.whole(name, 2, 2**24)
    if spec:
        not_causal = settings.flag("sliding_window_non_causal")
        sliding_causal, full_causal = not (kind == "dflash2" if not_causal is None else not_causal), False
    else:
        causal = settings.flag("causal", "is_causal", "dflash_query_causal")
        sliding_causal, full_causal = (True, False) if causal is None else (causal, causal)
    return tuple(
        LayerConfig(window, sliding_causal, rope_of(settings, body, entry))
        if entry == "sliding_attention"
        else LayerConfig(None, full_causal, rope_of(settings, body, entry))
        for entry in types
    )


def rope_of(settings: Settings, body: Mapping[str, Any], layer_type: str) -> RopeConfig:
    """The rotary positions of layers of one type. Raises `HeadConfigError`."""
    scaling = body.get("rope_parameters") or body.get("rope_scaling")
    if isinstance(scaling, Mapping) and isinstance(scaling.get(layer_type), Mapping):
        scaling = scaling[layer_type]
    if scaling is not None and not isinstance(scaling, Mapping):
        raise HeadConfigError("rope_parameters")
    base = (scaling or {}).get("rope_theta")
    if scaling is not None:
        kind = scaling.get("rope_type", scaling.get("type", "default"))
        if kind not in _ROPE_TYPES:
            raise HeadConfigError("rope_parameters")
        for name, value in scaling.items():
            if type(value) in (int, float):
                _number(f"rope_parameters.{name}", value)
        scaling = None if kind == "default" else {**scaling, "rope_type": kind}
    neox = settings.flag("rope_is_neox_style")
    return RopeConfig(
        base=within("rope_theta", settings.number("rope_theta", 10000.0) if base is None else base, 1.0, 1e12),
        traditional=neox is False,
        max_positions=settings.whole("max_position_embeddings", 1, 2**31, 2**17),
        scaling=scaling,
    )


def _taps(settings: Settings, layer_count: int, shapes: Shapes, *, spec: bool) -> tuple[tuple[int, ...], int | None]:
    """The tapped layers, counted from 0, and how many layers the main model has, if that is known.

    speculators counts states, of which the first is the embedding: j is the output of layer j - 1. Its last id can be
    the final state, which the head does not read if `fc` has no columns for it.
    """
    total = settings.get("num_target_layers")
    if total is not None:
        total = settings.whole("num_target_layers", 1, _MOST_MAIN_LAYERS)
    ids = settings.get("aux_hidden_state_layer_ids") if spec else settings.get("target_layer_ids")
    if ids is None and not spec and total is not None:
        ids = default_taps(total, layer_count)
    most = _MOST_MAIN_LAYERS
    if not isinstance(ids, list) or not ids or any(type(entry) is not int or not 0 <= entry <= most for entry in ids):
        raise HeadConfigError("aux_hidden_state_layer_ids" if spec else "target_layer_ids")
    columns = shapes.get("fc.weight", (0, 0))[-1]
    if spec:
        if len(ids) > 1 and columns == (len(ids) - 1) * settings.whole("hidden_size", 1, _LARGEST_WIDTH):
            ids = ids[:-1]
        ids = [entry - 1 for entry in ids]
    ascending = all(low < high for low, high in itertools.pairwise(ids))
    if ids[0] < 0 or not ascending or (total is not None and ids[-1] >= total):
        raise HeadConfigError("aux_hidden_state_layer_ids" if spec else "target_layer_ids")
    return tuple(ids), total


def default_taps(main_layers: int, head_layers: int) -> list[int]:
    """The layers that a head reads which names none (dflash, `build_target_layer_ids`)."""
    if head_layers == 1:
        return [main_layers // 2]
    return [round(1 + i * (main_layers - 4) / (head_layers - 1)) for i in range(head_layers)]


def _tap_width(shapes: Shapes, taps: int, width: int) -> int:
    """The width of one tap; `width` is the head's where its rows come from or go to tables of the main model, or 0."""
    columns = shapes.get("fc.weight", (0, 0))[-1]
    if columns == 0 or columns % taps or (width and columns // taps != width):
        raise HeadConfigError("target_layer_ids")
    return columns // taps


def _block(settings: Settings, kind: str, *, spec: bool) -> tuple[int, bool, int]:
    """Proposals of a block, whether the anchor's row is the first of them, and masks beyond those needed.

    With `sample_from_anchor`, which DSpark heads have unless they say otherwise, `block_size` counts proposals
    (speculators, mlx-vlm); else it counts the anchor too. Domino's `shift_label` predicts from the row before, with
    the last row unused (specforge, domino.py).
    """
    size = settings.whole("block_size", 2, _LARGEST_BLOCK, 8 if spec else 16)
    if kind == "domino" and settings.flag("shift_label"):
        return size - 1, True, 1
    anchor = settings.flag("sample_from_anchor")
    if anchor is None:
        anchor = kind == "dspark" and not settings.flag("dspark_bonus_anchor")
    return (size, True, 0) if anchor else (size - 1, False, 0)


def _refiner(
    settings: Settings, kind: str, shapes: Shapes, width: int, vocabulary: int
) -> SelectorConfig | MarkovConfig | GruConfig | None:
    if kind == "dflash2":
        group = settings.whole("conv_group_size", 1, width, 16)
        if width % group:
            raise HeadConfigError("conv_group_size")
        return SelectorConfig(
            settings.whole("selector_rank", 1, _LARGEST_RANK),
            settings.whole("selector_top_k", 1, min(vocabulary, 1024)),
            settings.whole("conv_kernel_size", 1, 16),
            group,
        )
    if kind == "dspark":
        style = settings.get("markov_head_type") or "vanilla"
        if style not in _MARKOV_STYLES:
            raise HeadConfigError("markov_head_type")
        confidence = shapes.get("confidence_head.proj.weight")
        return MarkovConfig(
            settings.whole("markov_rank", 1, _LARGEST_RANK),
            style,
            confidence[-1] if confidence else 0,
        )
    if kind == "domino":
        return GruConfig(
            settings.whole("gru_hidden_dim", 1, _LARGEST_WIDTH),
            settings.whole("emb_dim", 1, _LARGEST_WIDTH),
            settings.whole("pure_draft_prefix_len", 0, _LARGEST_BLOCK, 0),
        )
    return None


def _number(name: str, value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise HeadConfigError(name)
    return float(value)  # type: ignore[arg-type]


def within(name: str, value: object, low: float, high: float) -> float:
    """`value` as a number from `low` to `high`. Raises `HeadConfigError`."""
    number = _number(name, value)
    if not low <= number <= high:
        raise HeadConfigError(name)
    return number
