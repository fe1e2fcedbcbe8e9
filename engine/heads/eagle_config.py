"""What an EAGLE-3 head is made of (arXiv:2503.01840; 3.1: arXiv:2605.09992), read from either published format.

speculators nests the network's settings; the original format, which SpecForge, AngelSlim and NVIDIA use, is flat, with
layer ids and some flags under `eagle_config`. No mlx here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from engine.heads.config import RopeConfig
from engine.heads.dialects import HeadConfigError, Settings, Shapes, made_for, network_sizes, rope_of, within

# Each draft token of a chain is less likely than the one before it; the controller asks for fewer.
PROPOSALS = 8
_TAPS = 3
_MOST_LAYERS = 8
_MOST_MAIN_LAYERS = 1_000
_IDS = "eagle_aux_hidden_state_layer_ids"

OutputNorm = Literal["output", "state", "none"]


@dataclass(frozen=True, slots=True)
class EagleConfig:
    """An EAGLE-3 head; see `engine.heads.config.HeadShape`.

    `taps` are empty where they depend on the number of the main model's layers (`default_taps`); `tap_choices` are all
    that the layer ids can mean, the likelier first. `tap_norms` has a norm for each tap (3.1), `input_norm` one for all
    of them. With `norm_before_residual` the normed state is what the first layer adds to. `output_norm` says where the
    last norm stands: before the output matrix, after the layers so that the chained state is normed too (3.1), or
    nowhere. `window` is that of each layer.
    """

    width: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    draft_vocabulary: int
    eps: float
    rope: RopeConfig
    windows: tuple[int | None, ...]
    taps: tuple[int, ...]
    tap_choices: tuple[tuple[int, ...], ...]
    tap_count: int
    tap_width: int
    main_layers: int | None
    norm_before_residual: bool
    output_norm: OutputNorm
    tap_norms: bool
    input_norm: bool
    head_norms: bool
    bias: bool
    own_embedding: bool
    own_output: bool
    kind: str
    made_for: str = ""
    proposals: int = PROPOSALS

    @property
    def least_layers(self) -> int:
        return self.main_layers or min((taps[-1] + 1 for taps in self.tap_choices), default=0)

    @property
    def block_rows(self) -> int:
        return self.proposals

    @property
    def row_elements(self) -> int:
        return 2 * self.kv_heads * self.head_dim


def our_name(name: str) -> str:
    """The name of this package for a tensor by its bare name: the original format calls the only layer `midlayer`."""
    return f"layers.0.{name.removeprefix('midlayer.')}" if name.startswith("midlayer.") else name


def default_taps(main_layers: int) -> tuple[int, ...]:
    """The layers whose outputs a head reads that names none (SafeAILab/EAGLE, modeling_llama_kv.py)."""
    return tuple(layer - 1 for layer in (2, main_layers // 2, main_layers - 3))


def read_eagle_config(config: Mapping[str, Any], shapes: Shapes) -> EagleConfig:
    """The head with this config.json and these tensors, by our names. Raises `HeadConfigError`."""
    spec = config.get("speculators_model_type") is not None
    body = config.get("transformer_layer_config") if spec else config
    if not isinstance(body, Mapping):
        raise HeadConfigError("transformer_layer_config")
    settings = Settings(config, body, config.get("eagle_config"))
    if settings.get("hidden_act") not in (None, "silu"):
        raise HeadConfigError("hidden_act")
    sizes = network_sizes(settings)
    choices, count, main_layers = _taps(settings, shapes, spec=spec)
    tap_width = _tap_width(shapes, count)
    vocabulary = sizes["vocabulary"]
    drafted = settings.whole("draft_vocab_size", 2, vocabulary, vocabulary)
    own_embedding = sizes["width"] != tap_width or bool(settings.flag("embed_requires_grad"))
    own_output = "lm_head.weight" in shapes
    if not own_output and (drafted != vocabulary or sizes["width"] != tap_width):
        raise HeadConfigError("draft_vocab_size")
    attention = "layers.0.self_attn."
    return EagleConfig(
        kind="eagle3",
        draft_vocabulary=drafted,
        eps=within("rms_norm_eps", settings.number("rms_norm_eps", 1e-6), 0.0, 0.1),
        rope=rope_of(settings, body, "full_attention"),
        windows=_windows(settings, body),
        taps=choices[0] if choices else (),
        tap_choices=choices,
        tap_count=count,
        tap_width=tap_width,
        main_layers=main_layers,
        norm_before_residual=bool(settings.flag("norm_before_residual")),
        output_norm=_output_norm(config, spec=spec),
        tap_norms="fc_norm.0.weight" in shapes,
        input_norm="input_norm.weight" in shapes,
        head_norms=f"{attention}q_norm.weight" in shapes,
        bias=f"{attention}q_proj.bias" in shapes,
        own_embedding=own_embedding,
        own_output=own_output,
        made_for=made_for(config),
        **sizes,
    )


def _output_norm(config: Mapping[str, Any], *, spec: bool) -> OutputNorm:
    """`norm_output` has two meanings.

    speculators' and vLLM's, also under `eagle_config`: the chained state is normed. SpecForge's, true unless it is set:
    the output matrix is given normed states (specforge, llama3_eagle.py).
    """
    nested = config.get("eagle_config")
    chained = Settings(config if spec else nested).flag("norm_output")
    if chained:
        return "state"
    return "none" if not spec and Settings(config).flag("norm_output") is False else "output"


def _taps(settings: Settings, shapes: Shapes, *, spec: bool) -> tuple[tuple[tuple[int, ...], ...], int, int | None]:
    """What the layer ids can mean, counted from 0, the likelier first; how many they are; the main model's layers.

    speculators' id j is the input of layer j, which is the output of j - 1. In the original format ids are inputs or
    outputs; they are commonly outputs where the first is 1 (lmsys) and inputs where it is 2 (SGLang#25454).
    """
    total = settings.get("num_target_layers")
    if total is not None:
        total = settings.whole("num_target_layers", 1, _MOST_MAIN_LAYERS)
    ids = settings.get(_IDS)
    if ids is None:
        return ((default_taps(total),) if total else ()), _TAPS, total
    most = _MOST_MAIN_LAYERS
    if not isinstance(ids, list) or not ids or any(type(entry) is not int or not 0 <= entry <= most for entry in ids):
        raise HeadConfigError(_IDS)
    if spec and len(ids) > 1 and _columns(shapes) == (len(ids) - 1) * settings.whole("hidden_size", 1, 2**16):
        # The last id is the final state, which the head does not read.
        ids = ids[:-1]
    inputs, outputs = tuple(entry - 1 for entry in ids), tuple(ids)
    meanings = (inputs,) if spec else (outputs, inputs) if ids[0] == 1 else (inputs, outputs)
    choices = tuple(taps for taps in meanings if _can_be(taps, total))
    if not choices:
        raise HeadConfigError(_IDS)
    return choices, len(ids), total


def _can_be(taps: tuple[int, ...], total: int | None) -> bool:
    ascending = all(low < high for low, high in itertools.pairwise(taps))
    return ascending and taps[0] >= 0 and (total is None or taps[-1] < total)


def _columns(shapes: Shapes) -> int:
    return shapes.get("fc.weight", (0, 0))[-1]


def _tap_width(shapes: Shapes, count: int) -> int:
    columns = _columns(shapes)
    if columns == 0 or columns % count:
        raise HeadConfigError(_IDS)
    return columns // count


def _windows(settings: Settings, body: Mapping[str, Any]) -> tuple[int | None, ...]:
    layers = settings.whole("num_hidden_layers", 1, _MOST_LAYERS, 1)
    types = body.get("layer_types") or ["full_attention"] * layers
    if not isinstance(types, list) or len(types) != layers:
        raise HeadConfigError("layer_types")
    if any(entry not in ("full_attention", "sliding_attention") for entry in types):
        raise HeadConfigError("layer_types")
    window = settings.whole("sliding_window", 2, 2**24) if "sliding_attention" in types else None
    return tuple(window if entry == "sliding_attention" else None for entry in types)


def expected_shapes(config: EagleConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every tensor of the head, by our names."""
    width, taps = config.width, config.tap_count * config.tap_width
    yield "fc.weight", (width, taps)
    yield "norm.weight", (width,)
    if config.input_norm:
        yield "input_norm.weight", (taps,)
    if config.tap_norms:
        for index in range(config.tap_count):
            yield f"fc_norm.{index}.weight", (config.tap_width,)
    for index in range(len(config.windows)):
        yield from _layer_shapes(config, index)
    if config.own_embedding:
        yield "embed_tokens.weight", (config.vocabulary, width)
    if config.own_output:
        yield "lm_head.weight", (config.draft_vocabulary, width)
    if config.draft_vocabulary != config.vocabulary:
        yield "d2t", (config.draft_vocabulary,)


def _layer_shapes(config: EagleConfig, index: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The first layer reads embedding and state side by side, the others are plain."""
    layer, width = f"layers.{index}.", config.width
    queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim
    norms = ["input_layernorm", "post_attention_layernorm", *(["hidden_norm"] if index == 0 else [])]
    for norm in norms:
        yield f"{layer}{norm}.weight", (width,)
    if config.head_norms:
        for norm in ("q_norm", "k_norm"):
            yield f"{layer}self_attn.{norm}.weight", (config.head_dim,)
    for projection, outputs in (("q_proj", queries), ("k_proj", keys), ("v_proj", keys)):
        yield f"{layer}self_attn.{projection}.weight", (outputs, width if index else 2 * width)
        if config.bias:
            yield f"{layer}self_attn.{projection}.bias", (outputs,)
    yield f"{layer}self_attn.o_proj.weight", (width, queries)
    if config.bias:
        yield f"{layer}self_attn.o_proj.bias", (width,)
    for projection in ("gate_proj", "up_proj"):
        yield f"{layer}mlp.{projection}.weight", (config.inner, width)
    yield f"{layer}mlp.down_proj.weight", (width, config.inner)
