"""Configurations of tiny models, one for each family of mlx-lm whose caches or layers differ.

Each is a dict in the shape of that family's config.json, small enough to run a pass in milliseconds. Windows
are 8 tokens wide and chunks 16, so that a short run wraps them several times.
"""

from __future__ import annotations

from typing import Any

from tests.engine.speculation.attention_families import ATTENTION
from tests.engine.speculation.family_parts import VOCABULARY
from tests.engine.speculation.further_families import FURTHER
from tests.engine.speculation.recurrent_families import RECURRENT

__all__ = ["FAMILIES", "VOCABULARY"]

FAMILIES: dict[str, dict[str, Any]] = {**ATTENTION, **RECURRENT, **FURTHER}
