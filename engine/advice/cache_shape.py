"""Computes the size of a model's caches at a context length from its configuration alone.

It follows mlx-lm's models: a key and a value for each head and token; a window of them in sliding layers; one
compressed vector for latent attention; a state of fixed size for recurrent and convolution layers. If a configuration
leaves a choice, the larger size counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.model_files.architecture import mlx_lm_module
from engine.model_files.config import text_config
from engine.speculation.rounds.buffer_sizes import GROWTH_TOKENS, compiled_buffer_tokens

# Modules of mlx-lm whose make_cache bounds sliding layers; others keep every token.
_SLIDES = frozenset(
    {
        "afmoe", "baichuan_m1", "cohere2", "exaone4", "exaone_moe", "gemma3", "gemma3_text", "gemma3n",
        "gemma4", "gemma4_text", "gpt_oss", "llama", "mellum", "mimo_v2_flash", "ministral3",
        "mistral3", "muse_glimmer", "muse_spark", "olmo3", "plamo3", "spark2_5", "step3p5",
    }
)  # fmt: skip
# Modules that cache the compressed latent vector instead of the keys and values made from it.
_LATENT = frozenset(
    {
        "bailing_hybrid", "bailing_moe_v3", "deepseek_v3", "deepseek_v32", "glm4_moe_lite",
        "glm_moe_dsa", "kimi_k25", "kimi_k3", "kimi_linear", "kimi_vl", "longcat_flash",
        "longcat_flash_ngram", "mistral4", "youtu_llm",
    }
)  # fmt: skip
_RECURRENT = frozenset({"linear_attention", "mamba", "mamba2", "recurrent", "conv", "gated_delta"})


@dataclass(frozen=True, slots=True)
class CacheShape:
    """The numbers in a model's caches; layers that share another layer's cache count for nothing.

    `elements_a_token` are those of all full layers together. `windows` has (window in tokens, elements a token) of each
    sliding layer. `state_elements` are those of all recurrent layers, at any length.
    """

    elements_a_token: int
    windows: tuple[tuple[int, int], ...]
    state_elements: int
    full_layers: int
    window_layers: int
    recurrent_layers: int

    def growing_elements(self, tokens: int, *, drafts: bool = False) -> int:
        """Return the elements of full and sliding layers after `tokens` tokens.

        The compiled passes of a draft model that has only full layers use larger buffers.
        """
        if drafts and not self.windows and not self.state_elements:
            tokens = compiled_buffer_tokens(tokens)
        rounded = -(-tokens // GROWTH_TOKENS) * GROWTH_TOKENS
        windowed = sum(min(rounded, window) * elements for window, elements in self.windows)
        return rounded * self.elements_a_token + windowed

    @property
    def state_bytes(self) -> int:
        """The bytes of recurrent layers, which are float32, at any length."""
        return self.state_elements * 4


def caches_latents(config: Mapping[str, Any]) -> bool:
    """Return whether caches hold latent vectors that all heads share, so that splitting heads does not divide them."""
    return mlx_lm_module(config) in _LATENT


def cache_shape(config: Mapping[str, Any]) -> CacheShape:
    """Return the shape of the caches that mlx-lm makes for this configuration."""
    text = text_config(config)
    if isinstance(windows_of_head := config.get("head_windows"), list):
        return _shape_of_head(windows_of_head, _int(config, "head_row_elements", 0))
    module = mlx_lm_module(config) or ""
    kinds = _layer_kinds(text, module)
    kinds = kinds[: len(kinds) - _int(text, "num_kv_shared_layers", 0)]
    full, windows, state = 0, [], 0
    for kind in kinds:
        if kind == "recurrent":
            state += _state_elements(text)
        elif kind == "window":
            windows.append((_int(text, "sliding_window", 0), _token_elements(text, module, sliding=True)))
        elif kind == "full":
            full += _token_elements(text, module, sliding=False)
        if kind != "recurrent" and module == "falcon_h1":
            state += _state_elements(text)
    return CacheShape(full, tuple(windows), state, kinds.count("full"), kinds.count("window"), kinds.count("recurrent"))


def _shape_of_head(windows: list[int], elements: int) -> CacheShape:
    """Return the shape of a head from `engine.heads.fit.memory_config`; a window of 0 is a full layer."""
    sliding = [window for window in windows if window]
    full = len(windows) - len(sliding)
    return CacheShape(full * elements, tuple((window, elements) for window in sliding), 0, full, len(sliding), 0)


def _layer_kinds(text: Mapping[str, Any], module: str) -> list[str]:
    layers = _int(text, "num_hidden_layers", _int(text, "n_layers", 0))
    named = text.get("layer_types") or text.get("layers_block_type")
    pattern = text.get("hybrid_override_pattern")
    if isinstance(named, list):
        return [_kind(str(name), text, module) for name in named]
    if isinstance(pattern, str | list):
        # M is a recurrent block, * attention; the rest (- and E) have no cache.
        return [{"M": "recurrent", "*": "full"}.get(str(mark), "none") for mark in pattern]
    if isinstance(text.get("full_attn_idxs"), list):
        return ["full" if layer in text["full_attn_idxs"] else "recurrent" for layer in range(layers)]
    linear = text.get("linear_attn_config")
    if isinstance(linear, dict) and isinstance(linear.get("kda_layers"), list):
        return ["recurrent" if layer + 1 in linear["kda_layers"] else "full" for layer in range(layers)]
    every = _int(text, "full_attention_interval", 4 if module in ("qwen3_next", "qwen3_5", "qwen3_5_moe") else 0)
    if every:
        return ["full" if (layer + 1) % every == 0 else "recurrent" for layer in range(layers)]
    return _sliding_kinds(text, module, layers)


def _sliding_kinds(text: Mapping[str, Any], module: str, layers: int) -> list[str]:
    default = {
        "gemma3_text": 6, "gemma3": 6, "cohere2": 4, "gemma4": 5, "gemma4_text": 5, "gpt_oss": 2, "olmo3": 4,
    }  # fmt: skip
    pattern = _int(text, "sliding_window_pattern", default.get(module, 0))
    if module in default and pattern and _int(text, "sliding_window", 0):
        return ["full" if (layer + 1) % pattern == 0 else "window" for layer in range(layers)]
    return ["full"] * layers


def _kind(name: str, text: Mapping[str, Any], module: str) -> str:
    if name in _RECURRENT:
        return "recurrent"
    if name in ("mlp", "moe", "none"):
        return "none"
    slides = name in ("sliding_attention", "chunked_attention") and module in _SLIDES
    return "window" if slides and _int(text, "sliding_window", 0) else "full"


def _token_elements(text: Mapping[str, Any], module: str, sliding: bool) -> int:
    if module in _LATENT and _int(text, "kv_lora_rank", 0):
        return _int(text, "kv_lora_rank", 0) + _int(text, "qk_rope_head_dim", 0)
    heads = _int(text, "num_attention_heads", _int(text, "n_heads", 1))
    key_value_heads = _int(text, "num_key_value_heads", heads)
    if _int(text, "kv_lora_rank", 0):
        key = _int(text, "qk_nope_head_dim", 0) + _int(text, "qk_rope_head_dim", 0)
        return heads * (key + _int(text, "v_head_dim", key))
    head = _int(text, "head_dim", _int(text, "hidden_size", 0) // max(heads, 1))
    if module in ("gemma4", "gemma4_text") and not sliding:
        head = _int(text, "global_head_dim", head)
        if text.get("attention_k_eq_v"):
            key_value_heads = _int(text, "num_global_key_value_heads", key_value_heads)
    return 2 * key_value_heads * head


def _state_elements(text: Mapping[str, Any]) -> int:
    """Return the elements of one recurrent layer: its state and the last inputs of its convolution."""
    if _int(text, "linear_num_value_heads", 0):
        keys = _int(text, "linear_key_head_dim", 0) * _int(text, "linear_num_key_heads", 0)
        values = _int(text, "linear_value_head_dim", 0) * _int(text, "linear_num_value_heads", 0)
        kernel = _int(text, "linear_conv_kernel_dim", 4)
        return (kernel - 1) * (2 * keys + values) + values * _int(text, "linear_key_head_dim", 0)
    if _int(text, "conv_L_cache", 0):
        return (_int(text, "conv_L_cache", 1) - 1) * _int(text, "hidden_size", 0)
    if isinstance(text.get("linear_attn_config"), dict):
        linear = text["linear_attn_config"]
        width = _int(linear, "num_heads", 0) * _int(linear, "head_dim", 0)
        return 3 * width * (_int(linear, "short_conv_kernel_size", 4) - 1) + width * _int(linear, "head_dim", 0)
    heads = _first(text, "mamba_n_heads", "mamba_num_heads", "num_heads")
    size = _first(text, "mamba_d_head", "mamba_head_dim", "head_dim")
    state = _first(text, "mamba_d_state", "ssm_state_size", "state_size")
    groups, kernel = _first(text, "mamba_n_groups", "n_groups"), _first(text, "mamba_d_conv", "conv_kernel")
    inner = heads * size
    return max(kernel - 1, 0) * (inner + 2 * groups * state) + inner * state


def _first(text: Mapping[str, Any], *names: str) -> int:
    return next((_int(text, name, 0) for name in names if _int(text, name, 0)), 0)


def _int(text: Mapping[str, Any], name: str, default: int) -> int:
    value = text.get(name)
    return value if type(value) is int and value >= 0 else default
