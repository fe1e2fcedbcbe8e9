"""Whether the installed mlx-lm can build a model, told from its files: mlx-lm is never imported here."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARSE_TRIES = 20
_MODULE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEFINES_MODEL = re.compile(r"^class Model\b|^from .* import .*\bModel\b", re.MULTILINE)


def mlx_lm_module(config: Mapping[str, Any]) -> str | None:
    """The module of mlx_lm.models that builds this configuration, or None where mlx-lm has none.

    Follows mlx-lm's own renaming tables, including the one that looks at `architectures`.
    """
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not _MODULE_NAME.fullmatch(model_type):
        return None
    renamed, renamed_by_architecture = _renamings()
    architectures = config.get("architectures") or ()
    if isinstance(architectures, str):
        architectures = (architectures,)
    name = renamed.get(model_type, model_type)
    for architecture in architectures if isinstance(architectures, list | tuple) else ():
        if isinstance(architecture, str) and (model_type, architecture) in renamed_by_architecture:
            name = renamed_by_architecture[model_type, architecture]
            break
    return name if _builds_models(name) else None


def plugin_exists(kind: str, name: object) -> bool:
    """Whether `name` is a plain module of mlx-lm's `chat_templates` or `tool_parsers` (`kind`)."""
    if not isinstance(name, str) or not _MODULE_NAME.fullmatch(name):
        return False
    folder = _package_folder("mlx_lm")
    return folder is not None and (folder / kind / f"{name}.py").is_file()


@lru_cache(maxsize=1)
def transformers_tokenizer_names() -> str:
    """The source of transformers' tokenizer registry; a class that it names needs no foreign code."""
    folder = _package_folder("transformers")
    registry = folder / "models" / "auto" / "tokenization_auto.py" if folder else None
    return registry.read_text(encoding="utf-8") if registry and registry.is_file() else ""


@lru_cache(maxsize=512)
def _builds_models(module: str) -> bool:
    folder = _package_folder("mlx_lm")
    source = folder / "models" / f"{module}.py" if folder else None
    return source is not None and source.is_file() and bool(_DEFINES_MODEL.search(source.read_text("utf-8")))


@lru_cache(maxsize=1)
def _renamings() -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    folder = _package_folder("mlx_lm")
    tables: dict[str, Any] = {"MODEL_REMAPPING": {}, "MODEL_ARCHITECTURE_REMAPPING": {}}
    if folder is not None:
        for node in _parse((folder / "utils.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name in tables:
                    tables[name] = ast.literal_eval(node.value)
    return tables["MODEL_REMAPPING"], tables["MODEL_ARCHITECTURE_REMAPPING"]


def _parse(source: str) -> ast.Module:
    """`ast.parse`, again where it lost a race: CPython 3.11 counts the parser's depth for all threads together."""
    for _ in range(_PARSE_TRIES):
        try:
            return ast.parse(source)
        except SystemError:
            continue
    return ast.parse(source)


@lru_cache(maxsize=4)
def _package_folder(package: str) -> Path | None:
    """Where a top-level package lies. Finding the spec of a top-level name imports nothing."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
