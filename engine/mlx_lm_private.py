"""The private names of mlx-lm that Tandem uses, and the names that it looks up while it runs.

Private names are used in no other module. Under another version of mlx-lm, `tests/engine/test_mlx_lm_private.py` says
what is missing of these, and of all that the engine imports. Importing this module imports neither MLX nor mlx-lm.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

# What modules and classes have to have, apart from what the engine imports by name.
USED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mlx_lm.utils": ("_get_classes", "_tokenizer_defaults"),
        "mlx_lm.models.cache.RotatingKVCache": ("_temporal_order",),
        "mlx_lm.tool_parsers.json_tools": ("parse_tool_call", "tool_call_start", "tool_call_end"),
        # Decoder layers that heads are made of.
        **dict.fromkeys(("mlx_lm.models.qwen3", "mlx_lm.models.mimo"), ("ModelArgs", "TransformerBlock")),
        "mlx_lm.models.qwen3_5": ("TextModelArgs", "DecoderLayer"),
        "mlx_lm.models.qwen3_next": ("ModelArgs", "Qwen3NextDecoderLayer"),
        "mlx_lm.models.nemotron_h": ("ModelArgs", "NemotronHBlock"),
        "mlx_lm.models.mimo_v2_flash": ("ModelArgs", "DecoderLayer"),
        "mlx_lm.models.step3p5": ("ModelArgs", "Step3p5DecoderLayer"),
        "mlx_lm.models.deepseek_v3": ("ModelArgs", "DeepseekV3DecoderLayer"),
        "mlx_lm.models.deepseek_v32": ("ModelArgs", "DeepseekV32DecoderLayer"),
        "mlx_lm.models.glm_moe_dsa": ("ModelArgs", "DSV32Model"),
        "mlx_lm.models.glm4_moe": ("ModelArgs", "DecoderLayer"),
        "mlx_lm.models.glm4_moe_lite": ("ModelArgs", "Glm4MoeLiteDecoderLayer"),
    }
)
# The attributes of each kind of cache, all of them: snapshots and stored texts are made of these.
CACHE_ATTRIBUTES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "KVCache": frozenset({"keys", "values", "offset"}),
        "QuantizedKVCache": frozenset({"keys", "values", "offset", "group_size", "bits"}),
        "ChunkedKVCache": frozenset({"keys", "values", "offset", "chunk_size", "start_position"}),
        "RotatingKVCache": frozenset({"keys", "values", "offset", "keep", "max_size", "_idx"}),
        "ArraysCache": frozenset({"cache", "left_padding", "lengths"}),
    }
)


def model_classes(config: dict[str, Any]) -> tuple[Any, Any]:
    """The class of the model that a config.json describes, and that of its arguments."""
    classes: tuple[Any, Any] = importlib.import_module("mlx_lm.utils")._get_classes(config)
    return classes


def tokenizer_defaults(path: Path) -> dict[str, Any] | None:
    """What mlx-lm sets for the tokenizer of a model folder unless the folder says otherwise."""
    defaults: dict[str, Any] | None = importlib.import_module("mlx_lm.utils")._tokenizer_defaults(path)
    return defaults


def transformers_tokenizer(tokenizer: Any) -> Any:
    """The tokenizer in mlx-lm's `tokenizer` that renders its chat template; None where there is no such tokenizer."""
    wrapped = getattr(tokenizer, "_tokenizer", None)
    return None if wrapped is None or tokenizer._chat_template is not None else wrapped


def in_order(window: Any, array: Any) -> Any:
    """Keys or values of a RotatingKVCache in temporal order, without unused slots."""
    return window._temporal_order(array)


def next_slot(window: Any) -> int:
    """The slot of a RotatingKVCache behind the row that was written last."""
    return int(window._idx)


def set_next_slot(window: Any, slot: int) -> None:
    """Let the next row of a RotatingKVCache be written at `slot`, or at the beginning if that is its end."""
    window._idx = slot
