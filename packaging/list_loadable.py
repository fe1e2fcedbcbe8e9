"""Write resources/loadable.json, the list of what the installed mlx-lm and transformers can load.

    python packaging/list_loadable.py

The app uses the list to decide whether a model can be loaded, because it imports neither package before a model is
needed, and a frozen app has no source files. A test compares the list with the installed packages.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "resources" / "loadable.json"
_DEFINES_MODEL = re.compile(r"^class Model\b|^from .* import .*\bModel\b", re.MULTILINE)
_SPLITS_HEADS = re.compile(r"^    def shard\(", re.MULTILINE)
_SPLITS_LAYERS = re.compile(r"\bPipelineMixin\b|^    def pipeline\(", re.MULTILINE)
_TOKENIZER_NAME = re.compile(r'"([A-Z]\w*(?:Tokenizer|Backend))"')


def loadable() -> dict[str, Any]:
    """Return the content of the file, from the sources of the installed packages.

    `models`, `chat_templates` and `tool_parsers` are modules of mlx-lm; `renamed` maps a model type to the module that
    builds it, `renamed_by_architecture` one to the modules by the name of the class in `architectures`;
    `tensor_parallel` and `pipeline` are the modules that can split a model over machines by heads or by layers;
    `tokenizers` are classes that transformers has.
    """
    mlx_lm = _package_folder("mlx_lm")
    by_architecture: dict[str, dict[str, str]] = {}
    for (model_type, architecture), module in _table(mlx_lm, "MODEL_ARCHITECTURE_REMAPPING").items():
        by_architecture.setdefault(model_type, {})[architecture] = module
    registry = _package_folder("transformers") / "models" / "auto" / "tokenization_auto.py"
    return {
        "models": [name for name, source in _modules(mlx_lm / "models") if _DEFINES_MODEL.search(source)],
        "tensor_parallel": _that_match(mlx_lm, _SPLITS_HEADS),
        "pipeline": _that_match(mlx_lm, _SPLITS_LAYERS),
        "renamed": _table(mlx_lm, "MODEL_REMAPPING"),
        "renamed_by_architecture": by_architecture,
        "chat_templates": [name for name, _ in _modules(mlx_lm / "chat_templates")],
        "tool_parsers": [name for name, _ in _modules(mlx_lm / "tool_parsers")],
        "tokenizers": sorted(set(_TOKENIZER_NAME.findall(registry.read_text(encoding="utf-8")))),
    }


def _that_match(mlx_lm: Path, pattern: re.Pattern[str]) -> list[str]:
    models = [(name, source) for name, source in _modules(mlx_lm / "models") if _DEFINES_MODEL.search(source)]
    return [name for name, source in models if pattern.search(source)]


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Return the name and source of every module in a folder, by name."""
    return [
        (file.stem, file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.py")) if file.stem != "__init__"
    ]


def _table(mlx_lm: Path, name: str) -> dict[Any, Any]:
    """Return a dictionary that mlx_lm/utils.py defines with literals, without importing it, which would load MLX."""
    for node in ast.parse((mlx_lm / "utils.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            table: dict[Any, Any] = ast.literal_eval(node.value)
            return table
    raise LookupError(f"mlx_lm/utils.py has no {name}")


def _package_folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


if __name__ == "__main__":
    FILE.write_text(json.dumps(loadable(), indent=1) + "\n", encoding="utf-8")
