"""The tensors that a head must have, by name and shape, and what of a folder's is not read.

Compared with the headers before anything is allocated or computed. Names are the bare ones: without the prefixes that
some exports put before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.heads.config import GruConfig, HeadConfig, MarkovConfig, SelectorConfig
from engine.model_files.head_files import bare_name
from engine.model_files.safetensors_header import TensorHeader

_CODEBOOKS = ("candidate_selector.predecessor_codebook", "candidate_selector.successor_codebook")
_FLOATS = ("F32", "F16", "BF16")
FP8, FP8_BLOCK, SCALE_OF_FP8 = "F8_E4M3", 128, ".weight_scale_inv"
# The embedding of the mask token, where a head has one of its own.
MASK = "mask_embedding"
_WHOLE = ("I32", "I64", "U32")
_BITS, _GROUPS = (2, 3, 4, 5, 6, 8), (16, 32, 64, 128)
_PARTS = ("scales", "biases")
# Bits and group of the modes whose scales are whole numbers of eight bits, exponents or small floating-point numbers.
MODES = {"mxfp4": (4, 32), "nvfp4": (4, 16), "mxfp8": (8, 32)}
_SCALE_OF_MODE = "U8"
# Some exports repeat these of the main model; they are read only where the head has its own.
_SANDWICH = ("pre_feedforward_layernorm", "post_feedforward_layernorm")
_MAIN_MODELS = ("embed_tokens.weight", "lm_head.weight", "d2t")


Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class LayerQuantisation:
    """How one layer is quantised, by the names of `nn.quantize`."""

    bits: int
    group_size: int
    mode: str = "affine"

    @property
    def parameters(self) -> dict[str, int | str]:
        return {"bits": self.bits, "group_size": self.group_size, "mode": self.mode}


class HeadTensorError(ValueError):
    """A tensor, named by the message, is missing, of another shape or type, or twice there."""


def our_name(name: str) -> str:
    """The name that this package uses for a tensor of a file."""
    bare = bare_name(name)
    return f"{bare}.weight" if bare in _CODEBOOKS else bare


def is_read(name: str) -> bool:
    """Whether a tensor of a head's file is used: not the main model's own, which some exports repeat."""
    return not name.startswith(("verifier_", "t2d", "rotary_emb.")) and not name.endswith("rotary_emb.inv_freq")


def by_our_names(
    tensors: Mapping[str, TensorHeader], name_of: Callable[[str], str] = our_name
) -> dict[str, TensorHeader]:
    """The tensors that are read. Raises `HeadTensorError` where two have the same name."""
    found: dict[str, TensorHeader] = {}
    for name, tensor in tensors.items():
        own = name_of(name)
        if own in found:
            raise HeadTensorError(name)
        if is_read(own):
            found[own] = tensor
    return found


def whole_shapes(tensors: Mapping[str, TensorHeader], quantisation: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shapes that the tensors have when they are not quantised."""
    shapes = {}
    for name, tensor in tensors.items():
        stem, _, leaf = name.rpartition(".")
        if leaf in _PARTS and f"{stem}.weight" in tensors:
            continue
        shape = tensor.shape
        scales = tensors.get(f"{stem}.scales")
        if leaf == "weight" and scales is not None:
            layer = quantisation_of(stem, quantisation)
            inputs = tensor.shape[-1] * 32 // layer.bits if tensor.shape else 0
            scaled = (tensor.shape[0], inputs // layer.group_size) if len(tensor.shape) == 2 else None
            whole = layer.mode != "affine"
            if tensor.dtype != "U32" or scales.shape != scaled or (scales.dtype == _SCALE_OF_MODE) != whole:
                raise HeadTensorError(f"{stem}.scales")
            biases = tensors.get(f"{stem}.biases")
            if biases is not None and (whole or biases.shape != scales.shape):
                raise HeadTensorError(f"{stem}.biases")
            shape = (tensor.shape[0], inputs)
        shapes[name] = shape
    return shapes


def quantisation_of(layer: str, settings: Mapping[str, Any]) -> LayerQuantisation:
    """How one layer is quantised: its own entry or the common one. Raises `HeadTensorError`."""
    own = settings.get(layer)
    merged = {**settings, **own} if isinstance(own, Mapping) else settings
    mode = merged.get("mode", "affine")
    bits, group = merged.get("bits"), merged.get("group_size")
    if mode != "affine":
        if not isinstance(mode, str) or (bits, group) != MODES.get(mode):
            raise HeadTensorError(f"{layer}.scales")
        return LayerQuantisation(*MODES[mode], mode)
    if type(bits) is not int or type(group) is not int or bits not in _BITS or group not in _GROUPS:
        raise HeadTensorError(f"{layer}.scales")
    return LayerQuantisation(bits, group)


def check_tensors(expected: Shapes, tensors: Mapping[str, TensorHeader], shapes: Shapes) -> None:
    """Raise `HeadTensorError` unless the tensors are exactly the `expected` ones."""
    for name, shape in expected.items():
        if shapes.get(name) != shape:
            raise HeadTensorError(name)
    for name in shapes:
        if name not in expected:
            if name in _MAIN_MODELS:
                continue
            raise HeadTensorError(name)
        quantised = f"{name.removesuffix('weight')}scales" in tensors and name.endswith(".weight")
        allowed = _WHOLE if name == "d2t" or quantised else _FLOATS
        if tensors[name].dtype not in allowed:
            raise HeadTensorError(name)


def check_types(tensors: Mapping[str, TensorHeader]) -> None:
    """Raise `HeadTensorError` for numbers that are no floating-point ones, unless they are a quantised matrix.

    One in eight-bit floating point has a scale for each block of it.
    """
    for name, tensor in tensors.items():
        quantised = name.endswith(".weight") and f"{name.removesuffix('weight')}scales" in tensors
        scale = tensors.get(f"{name.removesuffix('.weight')}{SCALE_OF_FP8}")
        if tensor.dtype == FP8 and scale is not None and len(tensor.shape) == 2:
            if scale.shape != tuple(-(-size // FP8_BLOCK) for size in tensor.shape):
                raise HeadTensorError(name)
        elif name.endswith(".scales") and tensor.dtype == _SCALE_OF_MODE:
            weight = tensors.get(f"{name.removesuffix('scales')}weight")
            if weight is None or weight.dtype != "U32":
                raise HeadTensorError(name)
        elif tensor.dtype not in (("U32",) if quantised else _FLOATS):
            raise HeadTensorError(name)


def expected_shapes(config: HeadConfig, *, fused: bool = False) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every tensor of the head; with `fused`, queries, keys and values are one matrix."""
    width = config.width
    yield "fc.weight", (width, len(config.taps) * config.tap_width)
    yield "hidden_norm.weight", (width,)
    yield "norm.weight", (width,)
    if config.tap_norms:
        for index in range(len(config.taps)):
            yield f"aux_hidden_norms.{index}.weight", (config.tap_width,)
    for index in range(len(config.layers)):
        yield from _layer_shapes(config, f"layers.{index}.", fused=fused)
    if config.own_embedding:
        yield "embed_tokens.weight", (config.vocabulary, width)
    if config.own_mask:
        yield MASK, (width,)
    if config.own_output:
        yield "lm_head.weight", (config.draft_vocabulary, width)
    if config.own_output and config.draft_vocabulary != config.vocabulary:
        yield "d2t", (config.draft_vocabulary,)
    yield from _refiner_shapes(config)


def _layer_shapes(config: HeadConfig, layer: str, *, fused: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    width, queries, keys = config.width, config.heads * config.head_dim, config.kv_heads * config.head_dim
    for norm in ("input_layernorm", "post_attention_layernorm", *(_SANDWICH if config.sandwich else ())):
        yield f"{layer}{norm}.weight", (width,)
    if config.sandwich:
        yield f"{layer}layer_scalar", (1,)
    for norm in ("q_norm", "k_norm"):
        yield f"{layer}self_attn.{norm}.weight", (config.head_dim,)
    rows = {"qkv_proj": queries + 2 * keys} if fused else {"q_proj": queries, "k_proj": keys, "v_proj": keys}
    if config.keys_are_values:
        del rows["v_proj"]
    for projection, outputs in rows.items():
        yield f"{layer}self_attn.{projection}.weight", (outputs, width)
        if config.bias:
            yield f"{layer}self_attn.{projection}.bias", (outputs,)
    yield f"{layer}self_attn.o_proj.weight", (width, queries)
    if config.bias:
        yield f"{layer}self_attn.o_proj.bias", (width,)
    if config.gated:
        yield f"{layer}self_attn.g_proj.weight", (config.heads, width)
    if config.sinks:
        yield f"{layer}self_attn.attention_sink_bias", (config.heads,)
    for projection in ("gate_proj", "up_proj"):
        yield f"{layer}mlp.{projection}.weight", (config.inner, width)
    yield f"{layer}mlp.down_proj.weight", (width, config.inner)
    if isinstance(config.refiner, SelectorConfig):
        kernel, groups = config.refiner.kernel, width // config.refiner.group
        for conv in ("attention_conv", "mlp_conv"):
            yield f"{layer}{conv}.base_kernel", (2, kernel, width)
            yield f"{layer}{conv}.kernel_projection.weight", (2 * kernel * groups, width)


def _refiner_shapes(config: HeadConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    refiner, width, vocabulary = config.refiner, config.width, config.vocabulary
    if isinstance(refiner, SelectorConfig):
        for codebook in _CODEBOOKS:
            yield f"{codebook}.weight", (vocabulary, refiner.rank)
        yield "candidate_selector.hidden_projection.weight", (refiner.rank, width)
    elif isinstance(refiner, MarkovConfig):
        rank = refiner.rank
        yield "markov_head.markov_w1.weight", (vocabulary, rank)
        yield "markov_head.markov_w2.weight", (config.draft_vocabulary, rank)
        joint = {"gated": ("gate_proj", rank, width + rank), "rnn": ("joint_proj", 3 * rank, 2 * rank + width)}
        if refiner.style in joint:
            name, outputs, inputs = joint[refiner.style]
            yield f"markov_head.{name}.weight", (outputs, inputs)
            yield f"markov_head.{name}.bias", (outputs,)
        if refiner.confidence:
            with_token = refiner.confidence != width
            yield "confidence_head.proj.weight", (1, width + rank if with_token else width)
            yield "confidence_head.proj.bias", (1,)
    elif isinstance(refiner, GruConfig):
        yield "prefix_gru.weight_ih_l0", (3 * refiner.width, width)
        yield "prefix_gru.weight_hh_l0", (3 * refiner.width, refiner.width)
        yield "embed_proj.0.weight", (refiner.inner, width + refiner.width)
        yield "embed_proj.2.weight", (vocabulary, refiner.inner)
