"""The private names of mlx-lm that Tandem uses, and the names that it looks up while it runs.

No other module uses private names. `tests/engine/test_mlx_lm_private.py` lists which of these, and of the names that
the engine imports, another version of mlx-lm lacks. Importing this module imports neither MLX nor mlx-lm.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

_PARSERS = (
    "function_gemma", "gemma4", "glm47", "kimi_k3", "laguna", "longcat", "minimax_m2", "muse_spark", "pythonic",
    "qwen3_coder",
)  # fmt: skip
# The attributes that modules and classes need to have, apart from those that the engine imports by name.
USED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mlx_lm.utils": ("_get_classes", "_tokenizer_defaults"),
        "mlx_lm.models.cache.RotatingKVCache": ("_temporal_order",),
        # Parsers of calls, which are imported by their names.
        **{f"mlx_lm.tool_parsers.{name}": ("parse_tool_call", "tool_call_start", "tool_call_end") for name in _PARSERS},
        # The decoder layers of heads.
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
# All attributes of each kind of cache: snapshots and stored prefixes consist of them.
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
    """Return the class of the model that a config.json describes, and the class of its arguments."""
    classes: tuple[Any, Any] = importlib.import_module("mlx_lm.utils")._get_classes(config)
    return classes


def tokenizer_defaults(path: Path) -> dict[str, Any] | None:
    """Return mlx-lm's defaults for the tokenizer of a model folder."""
    defaults: dict[str, Any] | None = importlib.import_module("mlx_lm.utils")._tokenizer_defaults(path)
    return defaults


def transformers_tokenizer(tokenizer: Any) -> Any:
    """Return the tokenizer in mlx-lm's `tokenizer` that renders its chat template; None if there is none."""
    wrapped = getattr(tokenizer, "_tokenizer", None)
    return None if wrapped is None or tokenizer._chat_template is not None else wrapped


def template_of(tokenizer: Any) -> str:
    """Return the text of the chat template in mlx-lm's `tokenizer`, or the module of mlx-lm that replaces it."""
    template_module = getattr(tokenizer, "_chat_template", None)
    return str(tokenizer.chat_template) if template_module is None else str(template_module.__module__)


def in_order(window: Any, array: Any) -> Any:
    """Return keys or values of a RotatingKVCache in temporal order, without unused slots."""
    return window._temporal_order(array)


def next_slot(window: Any) -> int:
    """Return the slot of a RotatingKVCache after the row that was written last."""
    return int(window._idx)


def set_next_slot(window: Any, slot: int) -> None:
    """Make a RotatingKVCache write its next row at `slot`, or at its beginning if `slot` is its end."""
    window._idx = slot
