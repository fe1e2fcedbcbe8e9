"""Looks up what mlx-lm, mlx-vlm and transformers can load in resources/loadable.json, without importing any of them.

`python packaging/list_loadable.py` writes that list; a test compares it with the installed packages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.files.paths import resources
from engine.model_files.encoder_kinds import encoder_family


def mlx_lm_module(config: Mapping[str, Any]) -> str | None:
    """Return the module of mlx_lm.models that builds this configuration, or None if mlx-lm has none.

    Follows mlx-lm's renaming tables, including the one by `architectures`.
    """
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        return None
    architectures = config.get("architectures") or ()
    if isinstance(architectures, str):
        architectures = (architectures,)
    loadable = _loadable()
    name: str = loadable["renamed"].get(model_type, model_type)
    renamed_by_architecture = loadable["renamed_by_architecture"].get(model_type, {})
    for architecture in architectures if isinstance(architectures, list | tuple) else ():
        if isinstance(architecture, str) and architecture in renamed_by_architecture:
            name = renamed_by_architecture[architecture]
            break
    return name if name in loadable["models"] else None


def mlx_vlm_module(config: Mapping[str, Any]) -> str | None:
    """Return the module of mlx_vlm.models whose language model runs this configuration; None if mlx-lm has its own."""
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or mlx_lm_module(config) is not None:
        return None
    listed = _loadable()["mlx_vlm"]
    name: str = listed["renamed"].get(model_type, model_type)
    return name if name in listed["models"] else None


def can_load(config: Mapping[str, Any]) -> bool:
    """Whether mlx-lm or mlx-vlm runs this configuration."""
    runs = mlx_lm_module(config) is not None or mlx_vlm_module(config) is not None
    return runs and purpose_of(config) is None


def purpose_of(config: Mapping[str, Any]) -> str | None:
    """Return what a model that writes no text by tokens is for, such as "diffusion"; None if that is not known."""
    if encoder_family(config):
        return "embedding"
    purposes: dict[str, list[str]] = _loadable()["mlx_vlm"]["purposes"]
    classes = config.get("auto_map")
    own_class = str(classes.get("AutoModel", "")) if isinstance(classes, Mapping) else ""
    # Liquid's decision models name themselves by their class only, not by their type.
    kind = "d1" if own_class.endswith("D1Model") else config.get("model_type")
    return next((purpose for purpose, names in purposes.items() if kind in names), None)


def splits_of(module: str) -> tuple[str, ...]:
    """Return how mlx-lm can split the models of a module over machines: "tensor" by heads, "pipeline" by layers."""
    loadable = _loadable()
    return tuple(
        split for split, key in (("tensor", "tensor_parallel"), ("pipeline", "pipeline")) if module in loadable[key]
    )


def plugin_exists(kind: str, name: object) -> bool:
    """Whether `name` is a module of mlx-lm's package `kind`: "chat_templates" or "tool_parsers"."""
    return name in _loadable()[kind]


def transformers_has_tokenizer(name: str) -> bool:
    """Whether transformers has a tokenizer class of that name, fast or slow, so that no foreign code is needed."""
    return name == "PreTrainedTokenizerFast" or name.removesuffix("Fast") in _loadable()["tokenizers"]


@lru_cache(maxsize=1)
def _loadable() -> dict[str, Any]:
    loadable: dict[str, Any] = json.loads((resources() / "loadable.json").read_bytes())
    return loadable
